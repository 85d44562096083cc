// SPDX-License-Identifier: Apache-2.0
// Positions on their way to a device.
#include "search/device_positions.h"

#include "scene/device_share.h"

// The positions of a body that are on the device as the step has them; NULL, both, for none.
static toc_status find_there(const toc_device_memory *memory, const toc_scene *scene, const toc_step *step, size_t body,
                             const double *ends[2]) {
    const toc_body *of = &scene->bodies.at[body];
    ends[0] = ends[1] = NULL;
    if (!of->share.device || of->mesh != of->own || step != &scene->step || step->is_shortened) return TOC_OK;
    return toc_fail_in(toc_device_share_find(of->share.device, memory->device, memory->queue, ends), "body %zu", body);
}

static toc_status copy_there(const toc_device_memory *memory, const toc_step *step, size_t body,
                             const double *const ends[2], const toc_device_positions *positions) {
    const uint32_t *first = step->body_first + body;
    const size_t at = 3 * (size_t)first[0], bytes = 3 * (size_t)(first[1] - first[0]) * sizeof(double);
    for (int i = 0; i < 2; i++)
        TOC_TRY(memory->device->copy(memory->queue, (double *)positions->ends[i].at + at, ends[i], bytes));
    return TOC_OK;
}

toc_status toc_device_positions_send(toc_device_memory *memory, toc_scene *scene, const toc_step *step, int threads,
                                     toc_device_positions *positions) {
    const size_t bytes = 3 * step->vertex_count * sizeof(double);
    const double *ends[2];
    bool is_there = true;
    for (int i = 0; i < 2; i++) TOC_TRY(toc_device_array_need(memory, &positions->ends[i], bytes));
    for (size_t b = 0; b < step->body_count && is_there; b++) {
        TOC_TRY(find_there(memory, scene, step, b, ends));
        is_there = ends[0] || step->body_first[b] == step->body_first[b + 1];
    }
    if (!is_there) {
        TOC_TRY(toc_step_need_positions(scene, threads));
        if (step == &scene->step) toc_step_pin(&scene->step, memory->device);
        TOC_TRY(toc_device_array_send(memory, &positions->ends[0], step->x0, bytes));
        TOC_TRY(toc_device_array_send(memory, &positions->ends[1], step->x1, bytes));
    }
    for (size_t b = 0; b < step->body_count; b++) {
        TOC_TRY(find_there(memory, scene, step, b, ends));
        if (ends[0]) TOC_TRY(copy_there(memory, step, b, ends, positions));
    }
    return TOC_OK;
}

void toc_device_positions_free(const toc_device_memory *memory, toc_device_positions *positions) {
    toc_device_arrays_free(memory, positions->ends, 2);
}
