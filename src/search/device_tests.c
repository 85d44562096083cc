// SPDX-License-Identifier: Apache-2.0
// Batches of pairs on a device. The time of a batch is that of three kernels, two copies and about 50 us.
#include "search/device_tests.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/threads.h"
#include "device/device.h"
#include "device/near.h"
#include "device/pairs.h"

enum {
    ROOM_MOST = 1 << 16, // pairs of a batch: enough to keep a device busy, with those of other threads
    ROOM_LEAST = 1 << 10,
    TAKEN = 1 << 12 // outcomes that come back at a time
};

// The rooms of a worker: on the processor, and on the device.
typedef struct lane {
    void *queue;
    size_t room; // pairs
    toc_feature_pair *pairs;
    toc_device_outcome *outcomes;
    toc_device_counts *counts;
    struct {
        toc_feature_pair *pairs;
        uint32_t *rest;
        toc_device_live *live[TOC_DEVICE_PASSES - 1];
        toc_device_outcome *outcomes;
        toc_device_counts *counts;
    } there;
    // The batch that waits.
    toc_kind kind;
    size_t count;
    toc_pair_test test;          // ends no later than the part of the step that matters
    toc_certified_gathered open; // for the processor
    char apart[128];
} lane;

struct toc_device_rooms {
    toc_allocator allocator;
    const toc_device *device;
    size_t vertices; // room for
    double *x0, *x1; // of the device, likewise
    toc_packed *packed;
    bool is_full; // the device had no room for a lane
    int count, capacity;
    lane *lanes;
};

// ---- rooms

static void free_there(const toc_device_rooms *rooms, lane *l) {
    const toc_device *d = rooms->device;
    d->release(l->there.pairs, l->room * sizeof *l->there.pairs);
    d->release(l->there.rest, l->room * sizeof *l->there.rest);
    for (int i = 0; i < TOC_DEVICE_PASSES - 1; i++) d->release(l->there.live[i], l->room * sizeof **l->there.live);
    d->release(l->there.outcomes, l->room * sizeof *l->there.outcomes);
    memset(&l->there, 0, sizeof l->there);
}

static void *new_pinned(const toc_device_rooms *rooms, size_t count, size_t size) {
    void *at = toc_new(&rooms->allocator, count, size);
    if (at) rooms->device->pin(at, count * size);
    return at;
}

static void free_pinned(const toc_device_rooms *rooms, void *at, size_t count, size_t size) {
    if (at) rooms->device->unpin(at);
    toc_free(&rooms->allocator, at, count, size);
}

static void free_lane(const toc_device_rooms *rooms, lane *l) {
    rooms->device->release(l->there.counts, TOC_DEVICE_KINDS * sizeof *l->there.counts);
    l->there.counts = NULL;
    free_there(rooms, l);
    free_pinned(rooms, l->pairs, l->room, sizeof *l->pairs);
    free_pinned(rooms, l->outcomes, TAKEN, sizeof *l->outcomes);
    free_pinned(rooms, l->counts, TOC_DEVICE_KINDS, sizeof *l->counts);
    rooms->device->close(l->queue);
    *l = (lane){0};
}

static void free_lanes(toc_device_rooms *rooms) {
    for (int i = 0; i < rooms->count; i++) free_lane(rooms, &rooms->lanes[i]);
    rooms->count = 0;
}

static void free_positions(toc_device_rooms *rooms) {
    const size_t count = rooms->vertices;
    rooms->device->release(rooms->x0, count * 3 * sizeof(double));
    rooms->device->release(rooms->x1, count * 3 * sizeof(double));
    rooms->device->release(rooms->packed, count * sizeof(toc_packed));
    rooms->x0 = rooms->x1 = NULL;
    rooms->packed = NULL;
    rooms->vertices = 0;
}

void toc_device_rooms_free(toc_device_rooms *rooms) {
    if (!rooms) return;
    const toc_allocator allocator = rooms->allocator;
    const bool entered = rooms->device->enter() == TOC_OK;
    free_positions(rooms);
    free_lanes(rooms);
    if (entered) rooms->device->leave();
    toc_free(&allocator, rooms->lanes, (size_t)rooms->capacity, sizeof *rooms->lanes);
    toc_free(&allocator, rooms, 1, sizeof *rooms);
}

static toc_status make_there(toc_device_rooms *rooms, lane *l) {
    const toc_device *d = rooms->device;
    void *pairs = NULL, *rest = NULL, *live[TOC_DEVICE_PASSES - 1] = {NULL}, *outcomes = NULL;
    toc_status status = d->allocate(l->room * sizeof *l->there.pairs, &pairs);
    if (status == TOC_OK) status = d->allocate(l->room * sizeof *l->there.rest, &rest);
    for (int i = 0; i < TOC_DEVICE_PASSES - 1 && status == TOC_OK; i++)
        status = d->allocate(l->room * sizeof **l->there.live, &live[i]);
    if (status == TOC_OK) status = d->allocate(l->room * sizeof *l->there.outcomes, &outcomes);
    l->there.pairs = pairs, l->there.rest = rest, l->there.outcomes = outcomes;
    for (int i = 0; i < TOC_DEVICE_PASSES - 1; i++) l->there.live[i] = live[i];
    rooms->is_full = status == TOC_OUT_OF_MEMORY;
    return status;
}

static toc_status fill_lane(toc_device_rooms *rooms, size_t most, lane *l) {
    void *counts;
    TOC_TRY(rooms->device->open(&l->queue));
    TOC_TRY(rooms->device->allocate(TOC_DEVICE_KINDS * sizeof *l->there.counts, &counts));
    l->there.counts = counts;
    l->room = most;
    TOC_TRY(make_there(rooms, l));
    l->pairs = new_pinned(rooms, l->room, sizeof *l->pairs);
    l->outcomes = new_pinned(rooms, TAKEN, sizeof *l->outcomes);
    l->counts = new_pinned(rooms, TOC_DEVICE_KINDS, sizeof *l->counts);
    return l->pairs && l->outcomes && l->counts ? TOC_OK : TOC_OUT_OF_MEMORY;
}

// Room for `count` more lanes behind those there are.
static toc_status grow_lanes(toc_device_rooms *rooms, int count) {
    lane *lanes = toc_new(&rooms->allocator, (size_t)rooms->capacity + (size_t)count, sizeof *lanes);
    if (!lanes) return TOC_OUT_OF_MEMORY;
    if (rooms->count) memcpy(lanes, rooms->lanes, (size_t)rooms->count * sizeof *lanes);
    toc_free(&rooms->allocator, rooms->lanes, (size_t)rooms->capacity, sizeof *rooms->lanes);
    rooms->lanes = lanes;
    rooms->capacity += count;
    return TOC_OK;
}

static toc_status make_lanes(toc_device_rooms *rooms, int count, size_t most) {
    rooms->is_full = false;
    if (rooms->capacity < count) TOC_TRY(grow_lanes(rooms, count - rooms->capacity));
    while (rooms->count < count) {
        lane *l = &rooms->lanes[rooms->count];
        const toc_status status = fill_lane(rooms, most, l);
        if (status != TOC_OK) free_lane(rooms, l);
        TOC_TRY(status);
        rooms->count++;
    }
    return TOC_OK;
}

static toc_status make_positions(toc_device_rooms *rooms, size_t count) {
    void *x0 = NULL, *x1 = NULL, *packed = NULL;
    if (rooms->vertices >= count) return TOC_OK;
    free_positions(rooms);
    toc_status status = rooms->device->allocate(count * 3 * sizeof(double), &x0);
    if (status == TOC_OK) status = rooms->device->allocate(count * 3 * sizeof(double), &x1);
    if (status == TOC_OK) status = rooms->device->allocate(count * sizeof(toc_packed), &packed);
    rooms->x0 = x0, rooms->x1 = x1, rooms->packed = packed;
    rooms->vertices = count;
    if (status != TOC_OK) free_positions(rooms);
    return status;
}

static toc_status send_positions(toc_device_rooms *rooms, const toc_narrow_phase *phase) {
    const toc_device *d = rooms->device;
    const toc_step *step = phase->step;
    const size_t count = step->vertex_count;
    void *queue = rooms->lanes[0].queue;
    TOC_TRY(d->copy(queue, rooms->x0, step->x0, count * 3 * sizeof *step->x0));
    TOC_TRY(d->copy(queue, rooms->x1, step->x1, count * 3 * sizeof *step->x1));
    const toc_packed *packed = phase->prefilter.bodies[0];
    assert(packed == phase->prefilter.bodies[1]);
    if (packed) TOC_TRY(d->copy(queue, rooms->packed, packed, count * sizeof *packed));
    return d->wait(queue);
}

// ---- a query

// Small rooms where memory is scarce.
static size_t room_of_query(const toc_request *request) {
    if (request->thrifty) return ROOM_LEAST;
    return request->query.memory_limit ? 8 * ROOM_LEAST : ROOM_MOST;
}

// Smaller rooms for all workers where the device has no memory for larger ones.
static toc_status fit_lanes(const toc_narrow_phase *phase, toc_device_rooms *rooms) {
    for (size_t room = room_of_query(phase->request);; room /= 2) {
        const toc_status status = make_lanes(rooms, TOC_DEVICE_KINDS * phase->count, room);
        if (status == TOC_OK || !rooms->is_full || room <= ROOM_LEAST) return status;
        free_lanes(rooms);
    }
}

static toc_status prepare_rooms(toc_narrow_phase *phase, toc_device_rooms *rooms) {
    TOC_TRY(make_positions(rooms, phase->step->vertex_count));
    TOC_TRY(fit_lanes(phase, rooms));
    TOC_TRY(send_positions(rooms, phase));
    for (int i = 0; i < TOC_DEVICE_KINDS * phase->count; i++) {
        lane *l = &rooms->lanes[i];
        l->kind = i % TOC_DEVICE_KINDS ? TOC_EE : TOC_VF;
        l->count = 0;
    }
    return TOC_OK;
}

static toc_status need_rooms(const toc_narrow_phase *phase, toc_device_rooms **rooms) {
    const toc_device *device;
    TOC_TRY(toc_device_open(&device));
    if (*rooms && (*rooms)->device != device) toc_device_rooms_free(*rooms), *rooms = NULL;
    if (*rooms) return TOC_OK;
    *rooms = toc_new(&phase->allocator, 1, sizeof **rooms);
    if (!*rooms) return TOC_OUT_OF_MEMORY;
    **rooms = (toc_device_rooms){.allocator = phase->allocator, .device = device};
    return TOC_OK;
}

toc_status toc_device_tests_begin(toc_narrow_phase *phase, toc_device_rooms **rooms) {
    if (phase->request->query.device != TOC_DEVICE_GPU) return TOC_OK;
    TOC_TRY(need_rooms(phase, rooms));
    if (!toc_method_row_of(phase->test.method)->in_lanes || phase->step->control) return TOC_OK;
    if (phase->request->query.answer == TOC_ANSWER_ANY) return TOC_OK;
    if (phase->step->vertex_count == 0) return TOC_OK;
    TOC_TRY((*rooms)->device->enter());
    const toc_status status = prepare_rooms(phase, *rooms);
    if (status != TOC_OK && (*rooms)->count) (*rooms)->device->wait((*rooms)->lanes[0].queue);
    (*rooms)->device->leave();
    if (status == TOC_OK) phase->device = *rooms;
    return status;
}

void toc_device_tests_end(toc_narrow_phase *phase) { phase->device = NULL; }

// Each worker has a lane for either kind: pairs come in turns of a few hundred, and a batch is of one kind.
static lane *lane_of(const toc_narrow_worker *worker, toc_kind kind) {
    return &worker->all->device->lanes[TOC_DEVICE_KINDS * (worker - worker->all->at) + (kind == TOC_EE)];
}

// ---- the work of the kernels

toc_device_batch toc_device_batch_of(const toc_prefilter *prefilter, const toc_pair_batch *pairs,
                                     const toc_pair_test *test) {
    return (toc_device_batch){.prefilter = toc_prefilter_work_of(prefilter, pairs, test),
                              .certified = {.pairs = *pairs,
                                            .tolerance = test->tolerance,
                                            .separation = test->separation,
                                            .from = test->from,
                                            .to = test->to,
                                            .prefiltered = toc_certified_is_prefiltered(prefilter, test)}};
}

toc_device_pairs toc_device_pairs_of(const toc_prefilter *prefilter, const toc_pair_test *test) {
    return (toc_device_pairs){.has_prefilter = prefilter->bodies[0] != NULL,
                              .decides_ties = toc_certified_decides_ties(test),
                              .places = toc_certified_finds_crossings(test),
                              .locates = !toc_certified_finds_crossings(test)};
}

toc_status toc_device_pairs_test(const toc_device *device, void *queue, toc_device_pairs *work) {
    TOC_TRY(toc_device_launch(device, queue, TOC_DEVICE_KERNEL_prefilter, work, sizeof *work));
    for (work->pass = 0; work->pass < TOC_DEVICE_PASSES; work->pass++)
        TOC_TRY(toc_device_launch(device, queue, TOC_DEVICE_KERNEL_certified, work, sizeof *work));
    if (work->locates) TOC_TRY(toc_device_launch(device, queue, TOC_DEVICE_KERNEL_locate, work, sizeof *work));
    if (!work->places && !work->of[0].open) return TOC_OK;
    return toc_device_launch(device, queue, TOC_DEVICE_KERNEL_place, work, sizeof *work);
}

toc_status toc_device_near_find(const toc_device *device, void *queue, const toc_device_pairs *work, bool decides) {
    const toc_device_near_test near = {.pairs = *work, .decides = decides};
    TOC_TRY(toc_device_launch(device, queue, TOC_DEVICE_KERNEL_prefilter, work, sizeof *work));
    return toc_device_launch(device, queue, TOC_DEVICE_KERNEL_near, &near, sizeof near);
}

// ---- batches

// The pairs of a batch as the processor sees them, or the device.
static toc_pair_batch lane_batch(const toc_narrow_worker *worker, const lane *l, bool there) {
    const toc_step *step = worker->all->step;
    const toc_device_rooms *rooms = worker->all->device;
    const double *x0 = there ? rooms->x0 : step->x0, *x1 = there ? rooms->x1 : step->x1;
    return (toc_pair_batch){.kind = l->kind,
                            .count = l->count,
                            .vertices = (const uint32_t(*)[4])(there ? l->there.pairs : l->pairs),
                            .body0 = {x0, x0},
                            .body1 = {x1, x1}};
}

// The pairs of the other kind are none.
static toc_device_pairs lane_work(const toc_narrow_worker *worker, const lane *l) {
    const toc_device_rooms *rooms = worker->all->device;
    const toc_prefilter *prefilter = &worker->all->prefilter;
    const toc_pair_batch pairs = lane_batch(worker, l, true);
    toc_device_batch list = toc_device_batch_of(prefilter, &pairs, &l->test);
    const uint32_t room = (uint32_t)l->room;
    list.prefilter.bodies[0] = list.prefilter.bodies[1] = rooms->packed;
    list.pair_room = list.live_room = list.outcome_room = room;
    list.rest = l->there.rest;
    for (int i = 0; i < TOC_DEVICE_PASSES - 1; i++) list.live[i] = l->there.live[i];
    list.outcomes = l->there.outcomes;
    toc_device_pairs work = toc_device_pairs_of(prefilter, &l->test);
    for (int kind = 0; kind < TOC_DEVICE_KINDS; kind++) {
        work.of[kind] = list;
        work.of[kind].counts = &l->there.counts[kind];
    }
    return work;
}

// Send the batch, and run its kernels. The counts come back.
static toc_status run_batch(const toc_narrow_worker *worker, lane *l) {
    const toc_device *d = worker->all->device->device;
    const size_t counts_size = TOC_DEVICE_KINDS * sizeof *l->counts;
    const toc_device_counts *counts = &l->counts[l->kind == TOC_EE];
    memset(l->counts, 0, counts_size);
    l->counts[l->kind == TOC_EE].pairs = (uint32_t)l->count;
    TOC_TRY(d->copy(l->queue, l->there.pairs, l->pairs, l->count * sizeof *l->pairs));
    TOC_TRY(d->copy(l->queue, l->there.counts, l->counts, counts_size));
    toc_device_pairs work = lane_work(worker, l);
    TOC_TRY(toc_device_pairs_test(d, l->queue, &work));
    TOC_TRY(d->copy(l->queue, l->counts, l->there.counts, counts_size));
    TOC_TRY(d->wait(l->queue));
    if (counts->outcomes <= counts->rest && counts->rest <= l->count) return TOC_OK;
    return toc_fail(TOC_NO_DEVICE, "the device gave more answers than it was asked: %u of %zu", counts->outcomes,
                    l->count);
}

// Decide on the processor, with the times and the verdicts of the device.
static toc_status settle_open(toc_narrow_worker *worker, lane *l) {
    const toc_certified_hit *hits;
    size_t count;
    const toc_pair_batch batch = lane_batch(worker, l, false);
    const toc_arena_mark mark = toc_arena_here(&worker->scratch);
    toc_status status = toc_certified_settle(&batch, &l->open, &l->test, &worker->scratch, &hits, &count);
    for (size_t i = 0; status == TOC_OK && i < count; i++)
        status = toc_narrow_worker_consider(worker, l->kind, l->pairs[hits[i].pair].v, &l->test, hits[i].hit);
    toc_arena_back(&worker->scratch, mark);
    l->open.count = 0;
    return status;
}

static void add_open(toc_certified_gathered *open, const toc_device_outcome *outcome) {
    open->at[open->count] = outcome->pair;
    open->verdicts[open->count] = outcome->hit.verdict;
    open->times[open->count] = outcome->hit.toc;
    open->ties[open->count++] = outcome->tie;
}

static toc_status take_outcomes(toc_narrow_worker *worker, lane *l, size_t count) {
    l->open.count = 0;
    for (size_t i = 0; i < count; i++) {
        toc_device_outcome *outcome = &l->outcomes[i];
        const toc_feature_pair *pair = &l->pairs[outcome->pair];
        if (outcome->done)
            TOC_TRY(toc_narrow_worker_consider(worker, l->kind, pair->v, &l->test, outcome->hit));
        else if (outcome->hit.verdict == TOC_APART)
            TOC_TRY(toc_narrow_worker_ask(worker, l->kind, pair, 1, &l->test));
        else
            add_open(&l->open, outcome);
        if (l->open.count == TOC_CERTIFIED_CHUNK) TOC_TRY(settle_open(worker, l));
    }
    return l->open.count ? settle_open(worker, l) : TOC_OK;
}

static toc_status take_batch(toc_narrow_worker *worker, lane *l) {
    const toc_device *d = worker->all->device->device;
    const size_t all = l->counts[l->kind == TOC_EE].outcomes;
    for (size_t i = 0, count; i < all; i += count) {
        count = all - i < TAKEN ? all - i : TAKEN;
        TOC_TRY(d->copy(l->queue, l->outcomes, l->there.outcomes + i, count * sizeof *l->outcomes));
        TOC_TRY(d->wait(l->queue));
        for (size_t k = 0; k < count; k++)
            if (l->outcomes[k].pair >= l->count)
                return toc_fail(TOC_NO_DEVICE, "the device answers what was not asked");
        TOC_TRY(take_outcomes(worker, l, count));
    }
    return TOC_OK;
}

static toc_status flush_lane(toc_narrow_worker *worker, lane *l) {
    const toc_device *d = worker->all->device->device;
    if (l->count == 0) return TOC_OK;
    TOC_TRY(d->enter());
    toc_status status = run_batch(worker, l);
    if (status == TOC_OK) status = take_batch(worker, l);
    if (status != TOC_OK) d->wait(l->queue); // no work of this batch is left for the next one
    d->leave();
    l->count = 0;
    return status;
}

toc_status toc_device_tests_flush(toc_narrow_worker *worker) {
    if (!worker->all->device) return TOC_OK;
    TOC_TRY(flush_lane(worker, lane_of(worker, TOC_VF)));
    return flush_lane(worker, lane_of(worker, TOC_EE));
}

// The pairs of a batch have one test.
static toc_status add_to_batch(toc_narrow_worker *worker, lane *l, const toc_feature_pair *pairs, size_t count) {
    const toc_pair_test test = toc_narrow_phase_test_now(worker->all);
    if (l->count + count > l->room) TOC_TRY(toc_device_tests_flush(worker));
    if (l->count == 0) l->test = test;
    if (test.to < l->test.to) l->test.to = test.to;
    memcpy(l->pairs + l->count, pairs, count * sizeof *pairs);
    l->count += count;
    return TOC_OK;
}

toc_status toc_device_tests_put(toc_narrow_worker *worker, toc_kind kind, const toc_feature_pair *pairs, size_t count) {
    lane *l = lane_of(worker, kind);
    for (size_t i = 0; i < count; i += TOC_CERTIFIED_CHUNK) {
        const size_t part = count - i < TOC_CERTIFIED_CHUNK ? count - i : TOC_CERTIFIED_CHUNK;
        TOC_TRY(add_to_batch(worker, l, pairs + i, part));
        worker->asked += part;
    }
    return TOC_OK;
}
