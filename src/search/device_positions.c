// SPDX-License-Identifier: Apache-2.0
// Positions on their way to a device.
#include "search/device_positions.h"

#include <string.h>

#include "base/threads.h"
#include "scene/device_share.h"

enum { ROUND = 1 << 14 }; // numbers that a thread copies at a time

typedef struct sending {
    const double *from;
    double *to;
    size_t count;
} sending;

static toc_status stage_round(void *user, size_t round, int thread) {
    const sending *s = user;
    const size_t first = round * ROUND, count = s->count - first < ROUND ? s->count - first : ROUND;
    (void)thread;
    memcpy(s->to + first, s->from + first, count * sizeof *s->to);
    return TOC_OK;
}

// One end of the step travels while the other one is copied.
static toc_status send_all(const toc_device_memory *memory, const toc_step *step, int threads,
                           toc_device_positions *positions) {
    const size_t count = 3 * step->vertex_count, bytes = count * sizeof(double);
    TOC_TRY(toc_device_array_need_here(memory, &positions->here, 2 * bytes, 0));
    for (int end = 0; end < 2; end++) {
        sending s = {end ? step->x1 : step->x0, (double *)positions->here.at + (end ? count : 0), count};
        TOC_TRY(toc_loop_run(
            &(toc_loop){.count = (count + ROUND - 1) / ROUND, .threads = threads, .round = stage_round, .user = &s}));
        TOC_TRY(toc_device_array_send(memory, &positions->ends[end], s.to, bytes));
    }
    return TOC_OK;
}

// The positions of a body that are on the device as the step has them; NULL, both, for none.
static toc_status find_there(const toc_device_memory *memory, const toc_scene *scene, const toc_step *step, size_t body,
                             const double *ends[2]) {
    const toc_body *of = &scene->bodies.at[body];
    ends[0] = ends[1] = NULL;
    if (!of->share.device || of->mesh != of->own || step != &scene->step || step->is_shortened) return TOC_OK;
    return toc_device_share_find(of->share.device, memory->device, memory->queue, ends);
}

static toc_status copy_there(const toc_device_memory *memory, const toc_step *step, size_t body,
                             const double *const ends[2], const toc_device_positions *positions) {
    const uint32_t *first = step->body_first + body;
    const size_t at = 3 * (size_t)first[0], bytes = 3 * (size_t)(first[1] - first[0]) * sizeof(double);
    for (int i = 0; i < 2; i++)
        TOC_TRY(memory->device->copy(memory->queue, (double *)positions->ends[i].at + at, ends[i], bytes));
    return TOC_OK;
}

toc_status toc_device_positions_send(toc_device_memory *memory, const toc_scene *scene, const toc_step *step,
                                     int threads, toc_device_positions *positions) {
    const size_t bytes = 3 * step->vertex_count * sizeof(double);
    const double *ends[2];
    bool is_there = true;
    for (int i = 0; i < 2; i++) TOC_TRY(toc_device_array_need(memory, &positions->ends[i], bytes));
    for (size_t b = 0; b < step->body_count && is_there; b++) {
        TOC_TRY(find_there(memory, scene, step, b, ends));
        is_there = ends[0] || step->body_first[b] == step->body_first[b + 1];
    }
    if (!is_there) TOC_TRY(send_all(memory, step, threads, positions));
    for (size_t b = 0; b < step->body_count; b++) {
        TOC_TRY(find_there(memory, scene, step, b, ends));
        if (ends[0]) TOC_TRY(copy_there(memory, step, b, ends, positions));
    }
    return TOC_OK;
}

void toc_device_positions_free(const toc_device_memory *memory, toc_device_positions *positions) {
    toc_device_arrays_free(memory, positions->ends, 2);
    toc_device_array_free_here(memory, &positions->here);
}
