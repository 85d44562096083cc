// SPDX-License-Identifier: Apache-2.0
// The ways of a query to a device: positions, tree, descent, answer; and the processor's part of the answer.
#include "search/device_search.h"

#include <string.h>

#include "base/threads.h"
#include "scene/thickness.h"
#include "search/device_outcomes.h"
#include "search/pipeline.h"
#include "toccata/research.h"

enum { PRIMITIVES_MOST = 1 << 28 };

typedef struct device_index {
    toc_index index; // the first field
    toc_device_memory memory;
    toc_device_tree tree;
    toc_device_descent descent;
    toc_device_outcomes outcomes;
} device_index;

// A device that does not answer is told by search/device_tests.h.
static bool device_is_there(void) {
    const toc_device *device;
    return toc_device_open(&device) == TOC_OK;
}

toc_status toc_device_search_need(const toc_request *request) {
    const toc_device *device;
    return request->query.device == TOC_DEVICE_GPU ? toc_device_open(&device) : TOC_OK;
}

bool toc_device_search_suits(const toc_request *request) {
    const toc_query *query = &request->query;
    const toc_scene *scene = request->scene;
    const toc_research *research = &request->research;
    if (query->device != TOC_DEVICE_GPU || query->answer == TOC_ANSWER_ANY) return false;
    if (request->thrifty || !query->test.exact || query->candidates) return false;
    const uint32_t skip = research->skip & ~(uint32_t)TOC_SKIP_NORMALS; // there is no such stage
    if (skip || research->dop || research->lower_height || research->normal_limit != 0) return false;
    if (toc_request_method(request) != TOC_METHOD_CERTIFIED || scene->has_region) return false;
    if (toc_scene_has_worlds(scene) || toc_scene_is_accelerated(scene)) return false;
    return device_is_there();
}

// ---- the index

static device_index *device_index_of(const toc_pipeline *p) { return (device_index *)*p->index; }

static void free_device_index(toc_index *index) {
    device_index *on = (device_index *)index;
    const toc_allocator allocator = index->allocator;
    const toc_device *device = on->memory.device;
    const bool entered = device->enter() == TOC_OK;
    if (entered && on->memory.queue) device->wait(on->memory.queue);
    toc_device_tree_free(&on->memory, &on->tree);
    toc_device_descent_free(&on->memory, &on->descent);
    toc_device_outcomes_free(&on->memory, &on->outcomes);
    device->close(on->memory.queue);
    if (entered) device->leave();
    toc_free(&allocator, on, 1, sizeof *on);
}

static const toc_index_type device_index_type = {.is_kept = true, .free = free_device_index};

static toc_status make_device_index(toc_pipeline *p) {
    const toc_allocator allocator = p->request->scene->memory;
    const toc_device *device;
    TOC_TRY(toc_device_open(&device));
    if (*p->index && device_index_of(p)->memory.device == device) return TOC_OK;
    if (*p->index) (*p->index)->type->free(*p->index);
    *p->index = NULL;
    device_index *on = toc_new(&allocator, 1, sizeof *on);
    if (!on) return TOC_OUT_OF_MEMORY;
    *on =
        (device_index){.index = {&device_index_type, allocator}, .memory = {.allocator = allocator, .device = device}};
    toc_device_tree_clear(&on->tree);
    *p->index = &on->index;
    return TOC_OK;
}

toc_status toc_device_search_plan(toc_pipeline *pipeline, toc_device_ask ask) {
    TOC_TRY(make_device_index(pipeline));
    device_index_of(pipeline)->descent.ask = ask;
    return TOC_OK;
}

static toc_status plan_device(toc_pipeline *p) { return toc_device_search_plan(p, TOC_DEVICE_ASK_CONTACTS); }

// All that a device has no room for goes, once no copy is under way. The features must be sent again.
static void free_room_there(device_index *on) {
    if (on->memory.queue) on->memory.device->wait(on->memory.queue);
    toc_device_tree_free(&on->memory, &on->tree);
    toc_device_descent_free(&on->memory, &on->descent);
    toc_device_outcomes_free(&on->memory, &on->outcomes);
}

// ---- the fit

// The thickness of each body. @return NULL when memory is out.
static double *list_thicknesses(toc_pipeline *p, bool *differ) {
    const toc_scene *scene = p->request->scene;
    double *of = toc_arena_new(&p->arena, scene->bodies.count, sizeof *of);
    *differ = false;
    for (size_t b = 0; of && b < scene->bodies.count; b++) {
        of[b] = scene->bodies.at[b].thickness;
        *differ = *differ || of[b] != p->narrow.thickest;
    }
    return of;
}

// With the thickness of elements, and with a tolerance, pairs are tested with that of the thickest: the processor tests
// those that are left again.
static toc_status send_limits(toc_pipeline *p, device_index *on) {
    toc_device_descent *descent = &on->descent;
    toc_device_array *there = &on->tree.there[TOC_DEVICE_TREE_THICKNESS];
    const size_t count = p->step->body_count;
    bool differ;
    descent->limits = (toc_device_limits){.distance = p->narrow.test.separation};
    descent->is_own = p->narrow.thickest == 0 && descent->ask != TOC_DEVICE_ASK_PAIRS;
    if (descent->is_own || descent->ask == TOC_DEVICE_ASK_PAIRS || p->narrow.test.tolerance > 0 ||
        !toc_thickness_is_of_bodies(p->request->scene))
        return TOC_OK;
    const double *of = list_thicknesses(p, &differ);
    if (!of) return TOC_OUT_OF_MEMORY;
    descent->is_own = true;
    if (!differ) return TOC_OK;
    TOC_TRY(toc_device_array_need(&on->memory, there, count * sizeof *of));
    TOC_TRY(toc_device_array_send(&on->memory, there, of, count * sizeof *of));
    descent->limits = (toc_device_limits){.distance = p->request->query.test.separation,
                                          .thickness = there->at,
                                          .body_first = on->tree.there[TOC_DEVICE_TREE_BODIES].at,
                                          .body_count = (uint32_t)count};
    return TOC_OK;
}

static bool has_work(const toc_pipeline *p) { return p->step->primitives.count > 0; }

static bool is_too_large(const toc_pipeline *p) {
    return p->step->primitives.count >= PRIMITIVES_MOST || p->step->element_count >= PRIMITIVES_MOST;
}

static toc_status send_features(toc_pipeline *p, device_index *on) {
    if (p->way == &toc_device_elements_way)
        return toc_device_tree_send_elements(&on->memory, p->request->scene, &p->arena, &on->tree);
    return toc_device_tree_send_features(&on->memory, p->step, &p->arena, p->threads, &on->tree);
}

// A frame that is not kept is fitted to the positions.
static toc_status build_tree(toc_pipeline *p, device_index *on) {
    if (!toc_device_tree_has_frame(&on->tree)) TOC_TRY(toc_step_need_positions(p->request->scene, p->threads));
    return toc_device_tree_build(&on->memory, p->step, p->distance, &p->narrow.test, p->threads, &on->tree);
}

static toc_status build_on_device(toc_pipeline *p, device_index *on) {
    TOC_TRY(toc_device_memory_open(&on->memory));
    toc_pipeline_enter(p, "features");
    TOC_TRY(send_features(p, on));
    TOC_TRY(send_limits(p, on));
    toc_pipeline_enter(p, "send");
    TOC_TRY(toc_device_positions_send(&on->memory, p->request->scene, p->step, p->threads, &on->tree.positions));
    toc_pipeline_enter(p, "device");
    return build_tree(p, on);
}

// A failure leaves no copy under way, for its memory may go.
static void leave_device(const device_index *on, toc_status status) {
    if (status != TOC_OK && on->memory.queue) on->memory.device->wait(on->memory.queue);
    on->memory.device->leave();
}

// The processor names the vertices of patches, and sorts by these names.
static toc_device_taken choose_taken(const toc_pipeline *p, toc_device_ask ask) {
    const bool all =
        ask == TOC_DEVICE_ASK_PAIRS || (ask == TOC_DEVICE_ASK_NEAR && toc_scene_has_patches(p->request->scene));
    return all ? TOC_DEVICE_TAKE_OUTCOMES : toc_device_outcomes_choose(&p->request->query, &p->narrow.filter, p->step);
}

toc_status toc_device_search_fit(toc_pipeline *pipeline) {
    toc_pipeline *p = pipeline;
    device_index *on = device_index_of(p);
    toc_device_outcomes_clear(&on->outcomes);
    on->descent.taken = choose_taken(p, on->descent.ask);
    on->outcomes.stays = p->request->there && !toc_scene_has_patches(p->request->scene);
    on->descent.time = p->request->end ? *p->request->end : 0;
    on->memory.is_full = false;
    if (!has_work(p) || is_too_large(p)) return TOC_OK;
    TOC_TRY(on->memory.device->enter());
    const toc_status status = build_on_device(p, on);
    leave_device(on, status);
    return on->memory.is_full ? TOC_OK : status;
}

// ---- the search

// Some vertices are not in the frame: nothing that was found counts.
static bool is_outside(const device_index *on) { return toc_device_tree_counts(&on->tree)->outside > 0; }

// All pairs whose first primitive is in a range of the leaves.
static toc_status search_range(toc_pipeline *p, device_index *on, uint32_t begin, uint32_t end) {
    toc_device_memory *memory = &on->memory;
    for (;;) {
        bool enough = true;
        TOC_TRY(toc_progress_report(&p->request->query.progress, 0));
        TOC_TRY(toc_device_descent_launch(memory, &p->narrow.test, begin, end, &on->tree, &on->descent));
        TOC_TRY(toc_step_need_positions(p->request->scene, p->threads)); // for pairs in doubt, meanwhile
        TOC_TRY(memory->device->wait(memory->queue));
        if (is_outside(on)) return TOC_OK;
        const bool complete = toc_device_descent_is_complete(&on->tree, &on->descent);
        if (complete && end - begin == on->tree.work.count) toc_device_tree_judge(&on->tree);
        if (complete)
            TOC_TRY(toc_device_outcomes_fetch(memory, p->step, &on->tree, &on->descent, &on->outcomes));
        else
            TOC_TRY(toc_device_descent_grow(memory, &on->tree, &on->descent, &enough));
        TOC_TRY(toc_device_descent_reset(memory, &on->tree));
        if (complete) return TOC_OK;
        if (enough) continue;
        if (end - begin <= 1) {
            memory->is_full = true;
            return TOC_OUT_OF_MEMORY;
        }
        const uint32_t middle = begin + (end - begin) / 2;
        if (on->descent.taken == TOC_DEVICE_TAKE_CONTACTS)
            on->descent.taken = TOC_DEVICE_TAKE_OUTCOMES; // the contacts of parts are not in order
        TOC_TRY(search_range(p, on, begin, middle));
        begin = middle;
    }
}

static toc_status search_all(toc_pipeline *p, device_index *on) {
    if (on->memory.is_full) return TOC_OUT_OF_MEMORY;
    TOC_TRY(toc_device_descent_begin(&on->memory, &on->tree, &on->descent));
    TOC_TRY(search_range(p, on, 0, on->tree.work.count));
    if (!is_outside(on) || !toc_device_tree_forget_frame(&on->tree)) return TOC_OK;
    TOC_TRY(build_tree(p, on));
    return search_range(p, on, 0, on->tree.work.count);
}

static toc_status accept_step(toc_pipeline *p, device_index *on, bool *suits) {
    const toc_status status = search_all(p, on);
    *suits = status == TOC_OK && !is_outside(on);
    if (status != TOC_OUT_OF_MEMORY || !on->memory.is_full) return status;
    free_room_there(on);
    return TOC_OK;
}

static void hand_over_contacts(toc_pipeline *p, const toc_device_outcomes *outcomes) {
    const size_t count = outcomes->item_count;
    if (!outcomes->stays) {
        toc_narrow_phase_take_sorted(&p->narrow, outcomes->items.at, count);
        return;
    }
    *p->request->there = (toc_contacts_there){outcomes->there[TOC_DEVICE_OUTCOMES_ITEMS].at, count};
    toc_narrow_phase_note_found(&p->narrow, count);
}

// The search itself. It does not suit steps that have no room on the device, or vertices out of the frame.
toc_status toc_device_search_accept(toc_pipeline *pipeline, bool *suits) {
    toc_pipeline *p = pipeline;
    device_index *on = device_index_of(p);
    const toc_device_outcomes *outcomes = &on->outcomes;
    *suits = !is_too_large(p);
    if (!has_work(p) || !*suits) return TOC_OK;
    toc_pipeline_enter(p, "device");
    TOC_TRY(on->memory.device->enter());
    const toc_status status = accept_step(p, on, suits);
    leave_device(on, status);
    toc_pipeline_count(p, "device", outcomes->tested, outcomes->item_count + outcomes->count[0] + outcomes->count[1]);
    if (on->descent.ask == TOC_DEVICE_ASK_CONTACTS) hand_over_contacts(p, outcomes);
    toc_pipeline_enter(p, NULL);
    return status;
}

static toc_status split_outcomes(toc_pipeline *p, size_t *rounds) {
    *rounds = toc_device_outcomes_rounds(&device_index_of(p)->outcomes);
    return TOC_OK;
}

static toc_status visit_outcomes(toc_worker *w, size_t round) {
    const toc_device_outcomes *outcomes = &device_index_of(w->pipeline)->outcomes;
    size_t count;
    const toc_pair_test *asked = device_index_of(w->pipeline)->descent.is_own ? NULL : &w->pipeline->narrow.test;
    const toc_status status = toc_device_outcomes_settle(outcomes, round, asked, w->narrow, &count);
    w->search.in += count;
    w->narrow->offered += count, w->narrow->asked += count;
    return status;
}

// The pairs of the outcomes go to the stages of the way.
static toc_status visit_pairs(toc_worker *w, size_t round) {
    const toc_device_outcome *at;
    size_t count;
    const toc_kind kind = toc_device_outcomes_round(&device_index_of(w->pipeline)->outcomes, round, &at, &count);
    toc_feature_pair pairs[TOC_DEVICE_ROUND];
    for (size_t i = 0; i < count; i++) memcpy(pairs[i].v, at[i].v, sizeof pairs[i].v);
    w->search.in += count, w->search.out += count;
    return toc_worker_pass(w, 0, &(toc_batch){.count = count, .features = pairs, .kind = kind});
}

const toc_traversal toc_device_pairs_traversal = {.split = split_outcomes, .visit = visit_pairs};

const toc_device_array *toc_device_search_items(const toc_pipeline *pipeline, size_t *count) {
    const toc_device_outcomes *outcomes = &device_index_of(pipeline)->outcomes;
    *count = outcomes->item_count;
    return &outcomes->items;
}

static const toc_traversal outcome_traversal = {.split = split_outcomes, .visit = visit_outcomes};

// The ways differ in what the primitives are.
#define DEVICE_WAY(way_name, of_slot, elements)                                                        \
    {                                                                                                  \
        .name = way_name, .search_name = "outcomes", .slot = of_slot, .traversal = &outcome_traversal, \
        .fit = toc_device_search_fit, .accept = toc_device_search_accept, .input = TOC_INPUT_FEATURES, \
        .reads_elements = elements, .on_device = true, .plan = plan_device                             \
    }
const toc_way toc_device_way = DEVICE_WAY("device", TOC_SLOT_DEVICE, false);
const toc_way toc_device_elements_way = DEVICE_WAY("device-elements", TOC_SLOT_DEVICE_ELEMENTS, true);
