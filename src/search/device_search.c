// SPDX-License-Identifier: Apache-2.0
// A step on a device: its memory, its launches, and what the processor does with the outcomes.
//
// Nothing waits between the launches: counts stay on the device, and each kernel reads those of the one before. Where
// an array was too small, its count tells how large it must be: it grows, and the descent runs again. Where the device
// has no room, the descent runs in parts, each about a range of the leaves.
#include "search/device_search.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/threads.h"
#include "bound/block.h"
#include "device/answer.h"
#include "device/device.h"
#include "device/search.h"
#include "scene/device_share.h"
#include "scene/thickness.h"
#include "search/device_tests.h"
#include "search/pipeline.h"

enum {
    FIRST_PAIRS = 4,      // a primitive, in the first step
    ROOM_LEAST = 1 << 10, // pairs of an array
    OUTCOMES_LEAST = 1 << 8,
    ROOM_MOST = 1 << 27,    // no counter of a launch overflows
    SENT_ROUND = 1 << 14,   // numbers that a thread copies at a time
    OUTCOME_ROUND = 1 << 5, // outcomes that a thread takes at a time: some need exact arithmetic
    PRIMITIVES_MOST = 1 << 28
};

// The arrays on the device.
typedef enum array {
    X0,
    X1,
    PACKED,
    CORNERS,
    FEATURES,
    EDGES,
    POINTS,
    BODIES,
    ENTRIES,
    MORE_ENTRIES,
    BOXES,
    LEAVES,
    LEAF_CORNERS,
    COUNTS,
    PAIRS, // from here on, rooms that grow
    MORE_PAIRS,
    FOUND, // two each: TOC_VF, TOC_EE
    REST = FOUND + 2,
    LIVE = REST + 2, // and two for the first pass, then two for the second
    OUTCOMES = LIVE + 2 * (TOC_DEVICE_PASSES - 1),
    OPEN = OUTCOMES + 2,
    RANKS = OPEN + 2, // of the answer
    MORE_RANKS,
    CONTACTS,
    ARRAYS
} array;

typedef struct block {
    void *at;
    size_t bytes;
} block;

// How many pairs of nodes, then, two each, pairs of features, those that a pass left, outcomes, and those that are not
// done the arrays hold.
enum { ROOM_OF_FEATURES = 1, ROOM_OF_LIVE = 3, ROOM_OF_OUTCOMES = 5, ROOM_OF_OPEN = 7, ROOMS = 9 };
typedef struct rooms {
    uint32_t of[ROOMS];
} rooms;

// The answer of the device: all outcomes; complete contacts in order, and the outcomes that are not done; or these and
// the first ones.
typedef enum taken { TAKEN_OUTCOMES, TAKEN_CONTACTS, TAKEN_FIRST } taken;

typedef struct toc_device_tree {
    toc_index index; // the first field
    const toc_device *device;
    void *queue;
    uint64_t version;      // of the features that are there
    uint32_t sorted_pairs; // of primitives, in the first step after they were sorted; UINT32_MAX before they are
    block there[ARRAYS];
    block positions, counts, outcomes[2], contacts; // on the processor, pinned
    size_t outcome_count[2];
    size_t contact_count; // complete and in order
    rooms rooms;
    taken taken;
    bool is_full;    // it refused memory
    uint64_t tested; // pairs of features
    toc_device_search work;
    int levels; // below the root
} toc_device_tree;

// A device that does not answer is told by search/device_tests.h.
static bool device_is_there(void) {
    const toc_device *device;
    return toc_device_open(&device) == TOC_OK;
}

bool toc_device_search_suits(const toc_request *request) {
    const toc_query *query = &request->query;
    const toc_scene *scene = request->scene;
    const toc_research *research = &request->research;
    if (query->device != TOC_DEVICE_GPU || query->answer == TOC_ANSWER_ANY) return false;
    if (request->thrifty || !query->test.exact || query->candidates) return false;
    if (research->skip || research->dop || research->lower_height || research->normal_limit != 0) return false;
    if (toc_request_method(request) != TOC_METHOD_CERTIFIED || scene->has_region) return false;
    if (toc_scene_has_worlds(scene) || toc_scene_is_accelerated(scene) || toc_thickness_most(scene, query) > 0)
        return false;
    return device_is_there();
}

// ---- memory

static toc_device_tree *device_tree_of(const toc_pipeline *p) { return (toc_device_tree *)*p->index; }

static void free_block_there(const toc_device_tree *tree, block *b) {
    tree->device->release(b->at, b->bytes);
    *b = (block){0};
}

static void free_block_here(const toc_device_tree *tree, block *b) {
    if (b->at) tree->device->unpin(b->at);
    toc_free(&tree->index.allocator, b->at, b->bytes, 1);
    *b = (block){0};
}

// Room on the device. Where there was less, its bytes are lost.
static toc_status need_there(toc_device_tree *tree, int which, size_t bytes) {
    block *b = &tree->there[which];
    if (b->bytes >= bytes) return TOC_OK;
    free_block_there(tree, b);
    const toc_status status = tree->device->allocate(bytes, &b->at);
    if (status == TOC_OK) b->bytes = bytes;
    tree->is_full = tree->is_full || status == TOC_OUT_OF_MEMORY;
    return status;
}

// Pinned room on the processor; the first `kept` bytes stay.
static toc_status need_here(const toc_device_tree *tree, block *b, size_t bytes, size_t kept) {
    if (b->bytes >= bytes) return TOC_OK;
    block larger = {toc_new(&tree->index.allocator, bytes, 1), bytes};
    if (!larger.at) return TOC_OUT_OF_MEMORY;
    tree->device->pin(larger.at, bytes);
    if (kept) memcpy(larger.at, b->at, kept);
    free_block_here(tree, b);
    *b = larger;
    return TOC_OK;
}

static void free_device_tree(toc_index *index) {
    toc_device_tree *tree = (toc_device_tree *)index;
    const toc_allocator allocator = index->allocator;
    const bool entered = tree->device->enter() == TOC_OK;
    if (entered && tree->queue) tree->device->wait(tree->queue);
    for (int i = 0; i < ARRAYS; i++) free_block_there(tree, &tree->there[i]);
    free_block_here(tree, &tree->positions), free_block_here(tree, &tree->counts),
        free_block_here(tree, &tree->contacts);
    for (int i = 0; i < 2; i++) free_block_here(tree, &tree->outcomes[i]);
    tree->device->close(tree->queue);
    if (entered) tree->device->leave();
    toc_free(&allocator, tree, 1, sizeof *tree);
}

static const toc_index_type device_tree_type = {.is_kept = true, .free = free_device_tree};

static toc_status make_device_tree(toc_pipeline *p) {
    const toc_allocator allocator = p->request->scene->memory;
    const toc_device *device;
    TOC_TRY(toc_device_open(&device));
    if (*p->index && device_tree_of(p)->device == device) return TOC_OK;
    if (*p->index) (*p->index)->type->free(*p->index);
    *p->index = NULL;
    toc_device_tree *tree = toc_new(&allocator, 1, sizeof *tree);
    if (!tree) return TOC_OUT_OF_MEMORY;
    *tree = (toc_device_tree){
        .index = {&device_tree_type, allocator}, .device = device, .version = UINT64_MAX, .sorted_pairs = UINT32_MAX};
    *p->index = &tree->index;
    return TOC_OK;
}

// ---- features

static toc_status send(const toc_device_tree *tree, int which, const void *from, size_t bytes) {
    return tree->device->copy(tree->queue, tree->there[which].at, from, bytes);
}

static toc_status new_features(toc_device_tree *tree, const toc_step *step, toc_arena *arena, int threads) {
    const toc_feature_set features = toc_step_features(step);
    const toc_primitives *primitives = &step->primitives;
    const size_t count = primitives->count;
    toc_representatives r;
    TOC_TRY(toc_representatives_assign(arena, &features, primitives, NULL, threads, &r));
    uint32_t(*corners)[3] = toc_arena_new(arena, count, sizeof *corners);
    if (!corners) return TOC_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; i++) {
        const uint32_t *v = primitives->at[i].vertices;
        for (int k = 0; k < 3; k++) corners[i][k] = v[k] != UINT32_MAX ? v[k] : v[0];
    }
    TOC_TRY(need_there(tree, CORNERS, count * sizeof *corners));
    TOC_TRY(need_there(tree, FEATURES, count * sizeof *r.of));
    TOC_TRY(need_there(tree, EDGES, (r.edge_count + 1) * sizeof *r.edges));
    TOC_TRY(need_there(tree, POINTS, (r.point_count + 1) * sizeof *r.points));
    TOC_TRY(send(tree, CORNERS, corners, count * sizeof *corners));
    TOC_TRY(send(tree, FEATURES, r.of, count * sizeof *r.of));
    TOC_TRY(send(tree, EDGES, r.edges, r.edge_count * sizeof *r.edges));
    TOC_TRY(send(tree, POINTS, r.points, r.point_count * sizeof *r.points));
    const size_t bodies = (step->body_count + 1) * sizeof *step->body_first;
    TOC_TRY(need_there(tree, BODIES, bodies));
    TOC_TRY(send(tree, BODIES, step->body_first, bodies));
    return tree->device->wait(tree->queue);
}

static toc_status send_features(toc_pipeline *p, toc_device_tree *tree) {
    if (tree->version == p->step->version) return TOC_OK;
    const toc_arena_mark mark = toc_arena_here(&p->arena);
    tree->version = UINT64_MAX;
    tree->sorted_pairs = UINT32_MAX;
    const toc_status status = new_features(tree, p->step, &p->arena, p->threads);
    toc_arena_back(&p->arena, mark);
    if (status == TOC_OK) tree->version = p->step->version;
    return status;
}

// ---- positions

typedef struct sending {
    const double *from;
    double *to;
    size_t count;
} sending;

static toc_status stage_round(void *user, size_t round, int thread) {
    const sending *s = user;
    const size_t first = round * SENT_ROUND, count = s->count - first < SENT_ROUND ? s->count - first : SENT_ROUND;
    (void)thread;
    memcpy(s->to + first, s->from + first, count * sizeof *s->to);
    return TOC_OK;
}

// One end of the step travels while the other one is copied.
static toc_status send_all_positions(toc_pipeline *p, toc_device_tree *tree, size_t count) {
    const size_t bytes = count * sizeof(double);
    TOC_TRY(need_here(tree, &tree->positions, 2 * bytes, 0));
    for (int end = 0; end < 2; end++) {
        sending s = {end ? p->step->x1 : p->step->x0, (double *)tree->positions.at + (end ? count : 0), count};
        TOC_TRY(toc_loop_run(&(toc_loop){
            .count = (count + SENT_ROUND - 1) / SENT_ROUND, .threads = p->threads, .round = stage_round, .user = &s}));
        TOC_TRY(send(tree, end ? X1 : X0, s.to, bytes));
    }
    return TOC_OK;
}

// The positions of a body that are on the device as the step has them; NULL, both, for none.
static toc_status find_positions_there(const toc_pipeline *p, const toc_device_tree *tree, size_t body,
                                       const double *ends[2]) {
    const toc_scene *scene = p->request->scene;
    const toc_body *of = &scene->bodies.at[body];
    ends[0] = ends[1] = NULL;
    if (!of->share.device || of->mesh != of->own || p->step != &scene->step || p->step->is_shortened) return TOC_OK;
    return toc_device_share_find(of->share.device, tree->device, tree->queue, ends);
}

static toc_status copy_positions_there(const toc_pipeline *p, const toc_device_tree *tree, size_t body,
                                       const double *const ends[2]) {
    const uint32_t *first = p->step->body_first + body;
    const size_t at = 3 * (size_t)first[0], bytes = 3 * (size_t)(first[1] - first[0]) * sizeof(double);
    TOC_TRY(tree->device->copy(tree->queue, (double *)tree->there[X0].at + at, ends[0], bytes));
    return tree->device->copy(tree->queue, (double *)tree->there[X1].at + at, ends[1], bytes);
}

// Positions that are there do not travel again.
static toc_status send_step(toc_pipeline *p, toc_device_tree *tree) {
    const toc_step *step = p->step;
    const size_t count = 3 * step->vertex_count;
    const double *ends[2];
    bool is_there = true;
    TOC_TRY(need_there(tree, X0, count * sizeof(double)));
    TOC_TRY(need_there(tree, X1, count * sizeof(double)));
    for (size_t b = 0; b < step->body_count && is_there; b++) {
        TOC_TRY(find_positions_there(p, tree, b, ends));
        is_there = ends[0] || step->body_first[b] == step->body_first[b + 1];
    }
    if (!is_there) TOC_TRY(send_all_positions(p, tree, count));
    for (size_t b = 0; b < step->body_count; b++) {
        TOC_TRY(find_positions_there(p, tree, b, ends));
        if (ends[0]) TOC_TRY(copy_positions_there(p, tree, b, ends));
    }
    return TOC_OK;
}

// ---- the tree

// The nodes of all levels. @return their number.
static size_t lay_out_levels(toc_device_tree *tree, uint32_t count) {
    toc_device_search *w = &tree->work;
    size_t nodes = 0;
    for (tree->levels = 0;; tree->levels++) {
        assert(tree->levels < TOC_DEVICE_LEVELS);
        w->nodes[tree->levels] = count;
        w->first[tree->levels] = (uint32_t)nodes;
        nodes += count;
        if (count == 1) return nodes;
        count = (count + TOC_DEVICE_ARITY - 1) / TOC_DEVICE_ARITY;
    }
}

static toc_status make_room_for_tree(toc_device_tree *tree, size_t vertices, size_t nodes) {
    const size_t count = tree->work.count;
    TOC_TRY(need_there(tree, PACKED, vertices * sizeof(toc_packed)));
    TOC_TRY(need_there(tree, ENTRIES, count * sizeof(toc_device_entry)));
    TOC_TRY(need_there(tree, MORE_ENTRIES, count * sizeof(toc_device_entry)));
    TOC_TRY(need_there(tree, BOXES, nodes * sizeof(toc_device_box)));
    TOC_TRY(need_there(tree, LEAVES, count * sizeof(toc_representative)));
    TOC_TRY(need_there(tree, LEAF_CORNERS, count * sizeof *tree->work.leaf_corners));
    TOC_TRY(need_there(tree, COUNTS, sizeof(toc_device_search_counts)));
    return need_here(tree, &tree->counts, sizeof(toc_device_search_counts), 0);
}

static void aim_at_tree(toc_device_tree *tree) {
    const block *there = tree->there;
    toc_device_search *w = &tree->work;
    w->x0 = there[X0].at, w->x1 = there[X1].at;
    w->packed = there[PACKED].at;
    w->corners = there[CORNERS].at;
    w->features = there[FEATURES].at;
    w->edges = there[EDGES].at;
    w->points = there[POINTS].at;
    w->entries = there[ENTRIES].at;
    w->boxes = there[BOXES].at;
    w->leaves = there[LEAVES].at;
    w->leaf_corners = there[LEAF_CORNERS].at;
    w->counts = there[COUNTS].at;
}

static toc_status launch(const toc_device_tree *tree, toc_device_kernel kernel) {
    return toc_device_launch(tree->device, tree->queue, kernel, &tree->work, sizeof tree->work);
}

// Sort entries: from one array to the other and back. The first one has the result.
static toc_status sort_on_device(toc_device_tree *tree, int which, uint32_t count) {
    block *first = &tree->there[which], *second = &tree->there[which + 1];
    for (uint64_t run = 1; run < count; run *= TOC_DEVICE_WAYS) {
        const toc_device_sort sort = {first->at, second->at, count, (uint32_t)run};
        TOC_TRY(toc_device_launch(tree->device, tree->queue, TOC_DEVICE_KERNEL_merge, &sort, sizeof sort));
        const block sorted = *second;
        *second = *first;
        *first = sorted;
    }
    return TOC_OK;
}

// The order of the primitives is kept from step to step while it is good.
static toc_status sort_primitives(toc_device_tree *tree) {
    if (tree->sorted_pairs != UINT32_MAX) return TOC_OK;
    TOC_TRY(launch(tree, TOC_DEVICE_KERNEL_key));
    TOC_TRY(sort_on_device(tree, ENTRIES, tree->work.count));
    tree->work.entries = tree->there[ENTRIES].at;
    return TOC_OK;
}

// The descent begins with all pairs of a level of a few nodes.
static uint32_t top_level(const toc_device_tree *tree) {
    uint32_t level = (uint32_t)tree->levels;
    while (level > 1 && tree->work.nodes[level - 1] <= TOC_DEVICE_ROOTS) level--;
    return level;
}

static toc_status build_device_tree(toc_pipeline *p, toc_device_tree *tree) {
    const toc_step *step = p->step;
    const toc_pair_test *test = &p->narrow.test;
    toc_device_search *w = &tree->work;
    *w = (toc_device_search){.vertex_count = (uint32_t)step->vertex_count, .count = (uint32_t)step->primitives.count};
    w->frame = toc_frame_around(step->vertex_count, step->x0, step->x1, p->threads);
    w->grown = toc_packed_grown(&w->frame, p->distance / 2, 1); // on either side
    w->distance = (float)(p->distance * w->frame.scale) * (1 + 0x1p-20f);
    w->look = (toc_look){.from = test->from, .until = test->to};
    TOC_TRY(make_room_for_tree(tree, step->vertex_count, lay_out_levels(tree, w->count)));
    aim_at_tree(tree);
    memset(tree->counts.at, 0, sizeof(toc_device_search_counts));
    TOC_TRY(send(tree, COUNTS, tree->counts.at, sizeof(toc_device_search_counts)));
    TOC_TRY(launch(tree, TOC_DEVICE_KERNEL_pack));
    TOC_TRY(sort_primitives(tree));
    TOC_TRY(launch(tree, TOC_DEVICE_KERNEL_leaf));
    for (w->level = 1; w->level <= top_level(tree); w->level++) TOC_TRY(launch(tree, TOC_DEVICE_KERNEL_node));
    return TOC_OK;
}

// ---- the descent and the tests

// The rooms of a small device are small at first; each grows to what is needed.
static toc_status make_room_for_pairs(toc_device_tree *tree) {
    const uint32_t *room = tree->rooms.of;
    TOC_TRY(need_there(tree, PAIRS, room[0] * sizeof(toc_device_node_pair)));
    TOC_TRY(need_there(tree, MORE_PAIRS, room[0] * sizeof(toc_device_node_pair)));
    for (int kind = 0; kind < TOC_DEVICE_KINDS; kind++) {
        TOC_TRY(need_there(tree, FOUND + kind, room[ROOM_OF_FEATURES + kind] * sizeof(toc_feature_pair)));
        TOC_TRY(need_there(tree, REST + kind, room[ROOM_OF_FEATURES + kind] * sizeof(uint32_t)));
        for (int pass = 0; pass < TOC_DEVICE_PASSES - 1; pass++)
            TOC_TRY(need_there(tree, LIVE + 2 * pass + kind, room[ROOM_OF_LIVE + kind] * sizeof(toc_device_live)));
        TOC_TRY(need_there(tree, OUTCOMES + kind, room[ROOM_OF_OUTCOMES + kind] * sizeof(toc_device_outcome)));
        TOC_TRY(need_there(tree, OPEN + kind, room[ROOM_OF_OPEN + kind] * sizeof(toc_device_outcome)));
    }
    return TOC_OK;
}

static const rooms rooms_least = {{ROOM_LEAST, ROOM_LEAST, ROOM_LEAST, OUTCOMES_LEAST, OUTCOMES_LEAST, OUTCOMES_LEAST,
                                   OUTCOMES_LEAST, OUTCOMES_LEAST, OUTCOMES_LEAST}};

static toc_status begin_rooms(toc_device_tree *tree) {
    const uint32_t count = tree->work.count, most = ROOM_MOST / FIRST_PAIRS;
    const uint32_t first = count < ROOM_LEAST ? ROOM_LEAST : FIRST_PAIRS * (count < most ? count : most);
    if (!tree->rooms.of[0]) {
        tree->rooms = rooms_least;
        for (int i = 0; i < ROOM_OF_LIVE; i++) tree->rooms.of[i] = first;
    }
    const toc_status status = make_room_for_pairs(tree);
    if (status != TOC_OUT_OF_MEMORY) return status;
    tree->rooms = rooms_least;
    for (int i = PAIRS; i < ARRAYS; i++) free_block_there(tree, &tree->there[i]);
    return make_room_for_pairs(tree);
}

static toc_device_batch list_of(const toc_pipeline *p, const toc_device_tree *tree, int kind) {
    const toc_device_search *w = &tree->work;
    const block *there = tree->there;
    const uint32_t *room = tree->rooms.of;
    const toc_prefilter prefilter = {{w->packed, w->packed}, w->frame.scale};
    const toc_pair_batch pairs = {.kind = kind ? TOC_EE : TOC_VF,
                                  .vertices = there[FOUND + kind].at,
                                  .body0 = {w->x0, w->x0},
                                  .body1 = {w->x1, w->x1}};
    toc_device_batch list = toc_device_batch_of(&prefilter, &pairs, &p->narrow.test);
    list.counts = &w->counts->kinds[kind];
    list.pair_room = room[ROOM_OF_FEATURES + kind], list.live_room = room[ROOM_OF_LIVE + kind];
    list.outcome_room = room[ROOM_OF_OUTCOMES + kind], list.open_room = room[ROOM_OF_OPEN + kind];
    list.rest = there[REST + kind].at;
    for (int pass = 0; pass < TOC_DEVICE_PASSES - 1; pass++) list.live[pass] = there[LIVE + 2 * pass + kind].at;
    list.outcomes = there[OUTCOMES + kind].at;
    if (tree->taken != TAKEN_OUTCOMES) list.open = there[OPEN + kind].at;
    return list;
}

static toc_status test_pairs(const toc_pipeline *p, const toc_device_tree *tree) {
    const toc_prefilter prefilter = {{tree->work.packed, tree->work.packed}, tree->work.frame.scale};
    toc_device_pairs work = toc_device_pairs_of(&prefilter, &p->narrow.test);
    for (int kind = 0; kind < TOC_DEVICE_KINDS; kind++) work.of[kind] = list_of(p, tree, kind);
    TOC_TRY(toc_device_pairs_test(tree->device, tree->queue, &work));
    if (tree->taken != TAKEN_FIRST) return TOC_OK;
    return toc_device_launch(tree->device, tree->queue, TOC_DEVICE_KERNEL_first, &work, sizeof work);
}

// The next launch reads the pairs that the last one wrote.
static void exchange_pairs(toc_device_tree *tree) {
    toc_device_search *w = &tree->work;
    w->from = w->to;
    w->to = tree->there[w->to == tree->there[PAIRS].at ? MORE_PAIRS : PAIRS].at;
}

static toc_status descend_tree(toc_device_tree *tree) {
    toc_device_search *w = &tree->work;
    w->from = tree->there[PAIRS].at, w->to = tree->there[MORE_PAIRS].at;
    w->pair_room = tree->rooms.of[0];
    for (int kind = 0; kind < 2; kind++) {
        w->feature_room[kind] = tree->rooms.of[ROOM_OF_FEATURES + kind];
        w->found[kind] = tree->there[FOUND + kind].at;
    }
    for (w->level = top_level(tree); w->level > 0 && tree->levels > 0; w->level--) {
        w->from_all = w->level == top_level(tree);
        TOC_TRY(launch(tree, TOC_DEVICE_KERNEL_descend));
        exchange_pairs(tree);
    }
    TOC_TRY(launch(tree, TOC_DEVICE_KERNEL_axes));
    exchange_pairs(tree);
    return launch(tree, TOC_DEVICE_KERNEL_features);
}

// Find and test the pairs of a range of leaves. The counts come back.
static toc_status run_range(toc_pipeline *p, toc_device_tree *tree, uint32_t begin, uint32_t end) {
    toc_device_search_counts *counts = tree->counts.at;
    const uint32_t outside = counts->outside;
    tree->work.begin = begin, tree->work.end = end;
    TOC_TRY(descend_tree(tree));
    TOC_TRY(test_pairs(p, tree));
    TOC_TRY(tree->device->copy(tree->queue, counts, tree->there[COUNTS].at, sizeof *counts));
    TOC_TRY(tree->device->wait(tree->queue));
    counts->outside += outside;
    return TOC_OK;
}

// The counts begin at 0 for each range; no range counts what is outside.
static toc_status begin_counts(const toc_device_tree *tree) {
    static const toc_device_search_counts none;
    return send(tree, COUNTS, &none, sizeof none);
}

// Some vertices are not in the frame: nothing that was found counts.
static bool is_outside(const toc_device_tree *tree) {
    return ((const toc_device_search_counts *)tree->counts.at)->outside > 0;
}

static uint32_t most_node_pairs(const toc_device_search_counts *counts) {
    uint32_t most = 0;
    for (int level = 0; level < TOC_DEVICE_LEVELS; level++)
        most = counts->pairs[level] > most ? counts->pairs[level] : most;
    return most;
}

// The rooms that the counts of a range need.
static rooms rooms_needed(const toc_device_search_counts *counts) {
    rooms r = {{most_node_pairs(counts)}};
    for (int kind = 0; kind < TOC_DEVICE_KINDS; kind++) {
        const toc_device_counts *of = &counts->kinds[kind];
        r.of[ROOM_OF_FEATURES + kind] = of->pairs;
        for (int pass = 0; pass < TOC_DEVICE_PASSES - 1; pass++)
            if (of->live[pass] > r.of[ROOM_OF_LIVE + kind]) r.of[ROOM_OF_LIVE + kind] = of->live[pass];
        r.of[ROOM_OF_OUTCOMES + kind] = of->outcomes;
        r.of[ROOM_OF_OPEN + kind] = of->open;
    }
    return r;
}

// Counts behind an array that was too small are too low.
static bool is_range_complete(const toc_device_tree *tree) {
    const rooms needed = rooms_needed(tree->counts.at);
    bool complete = true;
    for (int i = 0; i < ROOMS; i++) complete = complete && needed.of[i] <= tree->rooms.of[i];
    return complete;
}

// The rooms that the counts of a range ask for: a quarter more, for the steps to come.
static rooms rooms_for(const toc_device_search_counts *counts) {
    rooms r = rooms_needed(counts);
    for (int i = 0; i < ROOMS; i++) r.of[i] = r.of[i] < ROOM_MOST / 5 * 4 ? r.of[i] + r.of[i] / 4 : ROOM_MOST;
    return r;
}

static rooms larger_rooms(rooms a, rooms b) {
    for (int i = 0; i < ROOMS; i++) a.of[i] = a.of[i] > b.of[i] ? a.of[i] : b.of[i];
    return a;
}

static toc_status set_rooms(toc_device_tree *tree, rooms r) {
    tree->rooms = larger_rooms(r, rooms_least);
    return make_room_for_pairs(tree);
}

// Room for all that was counted. Where the device has not as much, room in the same proportion, for a part of the
// range.
static toc_status grow_rooms(toc_device_tree *tree, bool *enough) {
    rooms r = rooms_for(tree->counts.at);
    toc_status status = set_rooms(tree, larger_rooms(r, tree->rooms));
    *enough = is_range_complete(tree);
    for (int halved = 0; status == TOC_OUT_OF_MEMORY && halved < 32; halved++) {
        for (int i = PAIRS; i < ARRAYS; i++) free_block_there(tree, &tree->there[i]);
        status = set_rooms(tree, r);
        *enough = is_range_complete(tree);
        for (int i = 0; i < ROOMS; i++) r.of[i] /= 2;
    }
    return status;
}

// Those for the processor.
static toc_status fetch_outcomes(toc_device_tree *tree) {
    const toc_device_search_counts *counts = tree->counts.at;
    const size_t size = sizeof(toc_device_outcome);
    const bool all = tree->taken == TAKEN_OUTCOMES;
    for (int kind = 0; kind < 2; kind++) {
        const toc_device_counts *of = &counts->kinds[kind];
        const size_t had = tree->outcome_count[kind], count = all ? of->outcomes : of->open;
        if (of->open > of->outcomes || of->outcomes > of->rest || of->rest > of->pairs)
            return toc_fail(TOC_NO_DEVICE, "the device gave more answers than it was asked: %u of %u", of->outcomes,
                            of->pairs);
        TOC_TRY(need_here(tree, &tree->outcomes[kind], (had + count + count / 4) * size, had * size));
        char *to = tree->outcomes[kind].at;
        if (count)
            TOC_TRY(tree->device->copy(tree->queue, to + had * size, tree->there[(all ? OUTCOMES : OPEN) + kind].at,
                                       count * size));
        tree->outcome_count[kind] += count;
        tree->tested += of->pairs;
    }
    return tree->device->wait(tree->queue);
}

// ---- the answer

static uint32_t width_of_ids(size_t count) {
    uint32_t width = 0;
    for (; count > 1; count = (count + 1) / 2) width++;
    return width;
}

// A filter asks about each outcome. Contacts are sorted by their ids in 128 bits.
static taken choose_taken(const toc_pipeline *p) {
    const toc_query *query = &p->request->query;
    const uint32_t bits = 1 + 2 * width_of_ids(p->step->body_count) + 4 * width_of_ids(p->step->vertex_count);
    if (toc_filter_is_active(&p->narrow.filter)) return TAKEN_OUTCOMES;
    if (query->answer == TOC_ANSWER_FIRST) return TAKEN_FIRST;
    return query->sink.take || bits > 128 ? TAKEN_OUTCOMES : TAKEN_CONTACTS;
}

static toc_status make_room_for_contacts(toc_device_tree *tree, size_t count) {
    TOC_TRY(need_there(tree, RANKS, (count + count / 4) * sizeof(toc_device_entry)));
    TOC_TRY(need_there(tree, MORE_RANKS, (count + count / 4) * sizeof(toc_device_entry)));
    TOC_TRY(need_there(tree, CONTACTS, (count + count / 4) * sizeof(toc_contact)));
    return need_here(tree, &tree->contacts, (count + count / 4) * sizeof(toc_contact), 0);
}

static toc_device_answer answer_of(const toc_pipeline *p, const toc_device_tree *tree, uint32_t count) {
    const toc_device_search_counts *counts = tree->counts.at;
    toc_device_answer answer = {.body_first = tree->there[BODIES].at,
                                .body_count = (uint32_t)p->step->body_count,
                                .body_bits = width_of_ids(p->step->body_count),
                                .vertex_bits = width_of_ids(p->step->vertex_count),
                                .entry_count = &tree->work.counts->entries,
                                .entries = tree->there[RANKS].at,
                                .count = count,
                                .contacts = tree->there[CONTACTS].at};
    for (int kind = 0; kind < TOC_DEVICE_KINDS; kind++) {
        answer.outcomes[kind] = tree->there[OUTCOMES + kind].at;
        answer.outcome_count[kind] = counts->kinds[kind].outcomes;
    }
    return answer;
}

// Make the contacts of outcomes that are done, sort them and fetch them.
static toc_status finish_contacts(toc_pipeline *p, toc_device_tree *tree) {
    const toc_device_search_counts *counts = tree->counts.at;
    uint32_t count = 0;
    for (int kind = 0; kind < TOC_DEVICE_KINDS; kind++)
        count += counts->kinds[kind].outcomes - counts->kinds[kind].open;
    tree->contact_count = count;
    if (count == 0) return TOC_OK;
    TOC_TRY(make_room_for_contacts(tree, count));
    toc_device_answer answer = answer_of(p, tree, count);
    TOC_TRY(toc_device_launch(tree->device, tree->queue, TOC_DEVICE_KERNEL_rank, &answer, sizeof answer));
    TOC_TRY(sort_on_device(tree, RANKS, count));
    answer.entries = tree->there[RANKS].at;
    TOC_TRY(toc_device_launch(tree->device, tree->queue, TOC_DEVICE_KERNEL_contact, &answer, sizeof answer));
    return tree->device->copy(tree->queue, tree->contacts.at, tree->there[CONTACTS].at, count * sizeof(toc_contact));
}

static toc_status fetch_range(toc_pipeline *p, toc_device_tree *tree) {
    if (tree->taken == TAKEN_CONTACTS) TOC_TRY(finish_contacts(p, tree));
    return fetch_outcomes(tree);
}

// An order that was good for an earlier step lets many more pairs through.
static void judge_order(toc_device_tree *tree) {
    const uint32_t pairs = ((const toc_device_search_counts *)tree->counts.at)->pairs[0];
    if (tree->sorted_pairs == UINT32_MAX)
        tree->sorted_pairs = pairs;
    else if (pairs / 2 > tree->sorted_pairs)
        tree->sorted_pairs = UINT32_MAX;
}

// All pairs whose first primitive is in a range of the leaves.
static toc_status search_range(toc_pipeline *p, toc_device_tree *tree, uint32_t begin, uint32_t end) {
    for (;;) {
        bool enough = true;
        TOC_TRY(toc_progress_report(&p->request->query.progress, 0));
        TOC_TRY(run_range(p, tree, begin, end));
        if (is_outside(tree)) return TOC_OK;
        const bool complete = is_range_complete(tree);
        if (complete && end - begin == tree->work.count) judge_order(tree);
        TOC_TRY(complete ? fetch_range(p, tree) : grow_rooms(tree, &enough));
        TOC_TRY(begin_counts(tree));
        if (complete) return TOC_OK;
        if (enough) continue;
        if (end - begin <= 1) {
            tree->is_full = true;
            return TOC_OUT_OF_MEMORY;
        }
        const uint32_t middle = begin + (end - begin) / 2;
        if (tree->taken == TAKEN_CONTACTS) tree->taken = TAKEN_OUTCOMES; // the contacts of parts are not in order
        TOC_TRY(search_range(p, tree, begin, middle));
        begin = middle;
    }
}

// ---- a query

static toc_status plan_device(toc_pipeline *p) { return make_device_tree(p); }

static bool has_work(const toc_pipeline *p) { return p->step->primitives.count > 0; }

static toc_status build_on_device(toc_pipeline *p, toc_device_tree *tree) {
    if (!tree->queue) TOC_TRY(tree->device->open(&tree->queue));
    toc_pipeline_enter(p, "features");
    TOC_TRY(send_features(p, tree));
    toc_pipeline_enter(p, "send");
    TOC_TRY(send_step(p, tree));
    toc_pipeline_enter(p, "device");
    return build_device_tree(p, tree);
}

// A failure leaves no copy under way, for its memory may go.
static void leave_device(const toc_device_tree *tree, toc_status status) {
    if (status != TOC_OK && tree->queue) tree->device->wait(tree->queue);
    tree->device->leave();
}

static toc_status fit_device(toc_pipeline *p) {
    toc_device_tree *tree = device_tree_of(p);
    tree->outcome_count[0] = tree->outcome_count[1] = 0;
    tree->contact_count = 0;
    tree->tested = 0;
    tree->taken = choose_taken(p);
    tree->is_full = false;
    if (!has_work(p) || p->step->primitives.count >= PRIMITIVES_MOST) return TOC_OK;
    TOC_TRY(tree->device->enter());
    const toc_status status = build_on_device(p, tree);
    leave_device(tree, status);
    return tree->is_full ? TOC_OK : status;
}

static toc_status search_on_device(toc_pipeline *p, toc_device_tree *tree) {
    toc_status status = tree->is_full ? TOC_OUT_OF_MEMORY : begin_rooms(tree);
    if (status == TOC_OK) status = search_range(p, tree, 0, tree->work.count);
    return status;
}

static toc_status accept_step(toc_pipeline *p, toc_device_tree *tree, bool *suits) {
    const toc_status status = search_on_device(p, tree);
    *suits = status == TOC_OK && !is_outside(tree);
    if (status != TOC_OUT_OF_MEMORY || !tree->is_full) return status;
    for (int i = 0; i < ARRAYS; i++) free_block_there(tree, &tree->there[i]);
    tree->rooms = (rooms){{0}};
    tree->version = UINT64_MAX;
    tree->sorted_pairs = UINT32_MAX;
    tree->contact_count = 0;
    return TOC_OK;
}

// The search itself. It does not suit steps that have no room on the device, or vertices out of the frame.
static toc_status search_device(toc_pipeline *p, bool *suits) {
    toc_device_tree *tree = device_tree_of(p);
    *suits = p->step->primitives.count < PRIMITIVES_MOST;
    if (!has_work(p) || !*suits) return TOC_OK;
    toc_pipeline_enter(p, "device");
    TOC_TRY(tree->device->enter());
    const toc_status status = accept_step(p, tree, suits);
    leave_device(tree, status);
    const size_t outcomes = tree->contact_count + tree->outcome_count[0] + tree->outcome_count[1];
    toc_pipeline_count(p, "device", tree->tested, outcomes);
    toc_narrow_phase_take_sorted(&p->narrow, tree->contacts.at, tree->contact_count);
    toc_pipeline_enter(p, NULL);
    return status;
}

static size_t outcome_rounds(const toc_device_tree *tree, int kind) {
    return (tree->outcome_count[kind] + OUTCOME_ROUND - 1) / OUTCOME_ROUND;
}

static toc_status split_outcomes(toc_pipeline *p, size_t *rounds) {
    const toc_device_tree *tree = device_tree_of(p);
    *rounds = outcome_rounds(tree, 0) + outcome_rounds(tree, 1);
    return TOC_OK;
}

_Static_assert((int)OUTCOME_ROUND <= (int)TOC_CERTIFIED_CHUNK, "the outcomes of a round are settled at once");

// Outcomes that the processor must decide, with the times and the verdicts of the device.
typedef struct open_outcomes {
    toc_certified_gathered gathered;
    uint32_t vertices[TOC_CERTIFIED_CHUNK][4];
    toc_feature_pair again[OUTCOME_ROUND]; // to be tested from the beginning
    size_t again_count;
} open_outcomes;

static void add_open_outcome(open_outcomes *open, const toc_device_outcome *outcome) {
    toc_certified_gathered *g = &open->gathered;
    if (outcome->hit.verdict == TOC_APART) {
        memcpy(open->again[open->again_count++].v, outcome->v, sizeof outcome->v);
        return;
    }
    memcpy(open->vertices[g->count], outcome->v, sizeof outcome->v);
    g->at[g->count] = g->count;
    g->verdicts[g->count] = outcome->hit.verdict;
    g->times[g->count] = outcome->hit.toc;
    g->ties[g->count++] = outcome->tie;
}

static toc_status settle_outcomes(toc_narrow_worker *worker, toc_kind kind, const open_outcomes *open) {
    const toc_step *step = worker->all->step;
    const toc_pair_test *test = &worker->all->test;
    const toc_certified_hit *hits;
    size_t count;
    const toc_pair_batch batch = {.kind = kind,
                                  .count = open->gathered.count,
                                  .vertices = open->vertices,
                                  .body0 = {step->x0, step->x0},
                                  .body1 = {step->x1, step->x1}};
    if (batch.count == 0) return TOC_OK;
    TOC_TRY(toc_certified_settle(&batch, &open->gathered, test, &worker->scratch, &hits, &count));
    for (size_t i = 0; i < count; i++)
        TOC_TRY(toc_narrow_worker_consider(worker, kind, open->vertices[hits[i].pair], test, hits[i].hit));
    return TOC_OK;
}

static toc_status take_round(toc_narrow_worker *worker, toc_kind kind, const toc_device_outcome *at, size_t count) {
    const toc_narrow_phase *all = worker->all;
    const bool filtered = toc_filter_is_active(&all->filter);
    const toc_arena_mark mark = toc_arena_here(&worker->scratch);
    open_outcomes *open = toc_arena_new(&worker->scratch, 1, sizeof *open);
    if (!open) return TOC_OUT_OF_MEMORY;
    open->gathered.count = open->again_count = 0;
    open->gathered.prefiltered = false;
    toc_status status = TOC_OK;
    for (size_t i = 0; i < count && status == TOC_OK; i++) {
        if (filtered && !toc_filter_wants(&all->filter, kind, at[i].v)) continue;
        if (at[i].done)
            status = toc_narrow_worker_consider(worker, kind, at[i].v, &all->test, at[i].hit);
        else
            add_open_outcome(open, &at[i]);
    }
    if (status == TOC_OK) status = settle_outcomes(worker, kind, open);
    if (status == TOC_OK && open->again_count)
        status = toc_narrow_worker_ask(worker, kind, open->again, open->again_count, &all->test);
    toc_arena_back(&worker->scratch, mark);
    return status;
}

static toc_status visit_outcomes(toc_worker *w, size_t round) {
    const toc_device_tree *tree = device_tree_of(w->pipeline);
    const int kind = round >= outcome_rounds(tree, 0);
    const size_t first = (round - (kind ? outcome_rounds(tree, 0) : 0)) * OUTCOME_ROUND;
    const size_t left = tree->outcome_count[kind] - first, count = left < OUTCOME_ROUND ? left : OUTCOME_ROUND;
    const toc_device_outcome *at = tree->outcomes[kind].at;
    w->search.in += count;
    w->narrow->offered += count, w->narrow->asked += count;
    return take_round(w->narrow, kind ? TOC_EE : TOC_VF, at + first, count);
}

static const toc_traversal outcome_traversal = {.split = split_outcomes, .visit = visit_outcomes};

const toc_way toc_device_way = {.name = "device",
                                .search_name = "outcomes",
                                .slot = TOC_SLOT_DEVICE,
                                .traversal = &outcome_traversal,
                                .fit = fit_device,
                                .accept = search_device,
                                .input = TOC_INPUT_FEATURES,
                                .on_device = true,
                                .plan = plan_device};
