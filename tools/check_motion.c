// SPDX-License-Identifier: Apache-2.0
// Frames of toccata check: from one frame to the next, on straight or bent paths, and the scene that is searched.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/check.h"
#include "tools/progress.h"
#include "tools/standard.h"
#include "tools/weld.h"

toc_status check_frame_read(check_session *all, size_t frame) {
    toc_status status = tool_reading_begin();
    if (status == TOC_OK) status = toc_sequence_advance(all->frames, frame, toc_scene_edit_mesh(all->scene, 0));
    if (status == TOC_OK) status = tool_obstacles_advance(&all->obstacles, frame, all->scene);
    tool_reading_end();
    return status;
}

// The vertices of two frames, the start and the middle of a step.
typedef struct check_frames {
    size_t count; // coordinates
    double *start, *middle;
} check_frames;

// From positions m in the middle: x(1/2) = (x0 + x1) / 2 - a / 8.
static toc_status set_parabolas(toc_mesh *mesh, const check_frames *before, double *acceleration) {
    const double *x1 = toc_mesh_get_x1(mesh);
    if (3 * toc_mesh_get_vertex_count(mesh) != before->count)
        return tool_fail(TOC_BAD_INPUT, "the three frames of a parabola must have the same vertices: %zu and %zu",
                         before->count / 3, toc_mesh_get_vertex_count(mesh));
    for (size_t i = 0; i < before->count; i++)
        acceleration[i] = 4 * (before->start[i] - before->middle[i]) + 4 * (x1[i] - before->middle[i]);
    const toc_status status = toc_mesh_set_motion(mesh, before->start, x1);
    return status == TOC_OK ? toc_mesh_set_acceleration(mesh, acceleration) : status;
}

static toc_status advance_along(check_session *all, size_t step, check_frames *before, double *acceleration) {
    toc_mesh *mesh = toc_scene_edit_mesh(all->scene, 0);
    memcpy(before->start, toc_mesh_get_x1(mesh), before->count * sizeof *before->start);
    toc_status status = check_frame_read(all, 2 * step + 1);
    if (status != TOC_OK) return status;
    if (3 * toc_mesh_get_vertex_count(mesh) == before->count)
        memcpy(before->middle, toc_mesh_get_x1(mesh), before->count * sizeof *before->middle);
    status = check_frame_read(all, 2 * step + 2);
    return status == TOC_OK ? set_parabolas(mesh, before, acceleration) : status;
}

// Go on by two frames: the first one is the middle of the step.
static toc_status advance_parabolas(check_session *all, size_t step) {
    const size_t count = 3 * toc_mesh_get_vertex_count(toc_scene_get_mesh(all->scene, 0));
    double *block = malloc((3 * count + 1) * sizeof *block);
    if (!block) return tool_fail(TOC_OUT_OF_MEMORY, "out of memory");
    check_frames before = {count, block, block + count};
    const toc_status status = advance_along(all, step, &before, block + 2 * count);
    free(block);
    return status;
}

// ---- paths that begin with the velocity of the file

static toc_status fail_without_velocities(const check_session *all, size_t frame) {
    return tool_fail(
        TOC_BAD_INPUT,
        "%s: there are no velocities, the point data `velocity` of VTK and VTU, `velx vely velz` of Exodus "
        "or those of a d3plot; without them --parabolas takes an odd number of frames, with a middle "
        "between two others",
        tool_standard_name(toc_sequence_get_path(all->frames, frame)));
}

// The time of a step, in the unit of the velocities.
static toc_status find_step_time(const check_session *all, size_t step, double *out) {
    const double from = check_time(all, step, 0), to = check_time(all, step, 1);
    *out = all->settings->dt > 0 ? all->settings->dt : to - from;
    if (!all->timed)
        return tool_fail(TOC_BAD_INPUT, "the files do not tell the time of a step, which velocities need: --dt TIME");
    if (*out > 0 && isfinite(*out)) return TOC_OK;
    return tool_fail(TOC_BAD_INPUT, "the time goes from %g to %g in step %zu; give the time of a step: --dt TIME", from,
                     to, step);
}

// The way of each vertex in a step at the velocity of its start.
static toc_status find_ways(const check_session *all, size_t step, size_t count, double *ways) {
    const double *velocities = toc_sequence_get_velocities(all->frames);
    double time;
    if (!velocities) return fail_without_velocities(all, step);
    const toc_status status = find_step_time(all, step, &time);
    for (size_t i = 0; i < count && status == TOC_OK; i++) ways[i] = time * velocities[i];
    return status;
}

// One frame goes on at its velocity.
static toc_status advance_straight(toc_mesh *mesh, size_t count, double *ways) {
    const double *x = toc_mesh_get_x1(mesh);
    for (size_t i = 0; i < count; i++) ways[i] += x[i];
    return toc_mesh_move(mesh, ways);
}

// x(t) = x0 + w t + a t^2 / 2 with the way w, and x(1) = x1.
static toc_status bend_paths(toc_mesh *mesh, size_t count, double *ways) {
    const double *x0 = toc_mesh_get_x0(mesh), *x1 = toc_mesh_get_x1(mesh);
    if (3 * toc_mesh_get_vertex_count(mesh) != count)
        return tool_fail(TOC_BAD_INPUT, "the two frames of a parabola must have the same vertices: %zu and %zu",
                         count / 3, toc_mesh_get_vertex_count(mesh));
    for (size_t i = 0; i < count; i++) ways[i] = 2 * (x1[i] - x0[i]) - 2 * ways[i];
    return toc_mesh_set_acceleration(mesh, ways);
}

static toc_status advance_with_velocities(check_session *all, size_t step) {
    toc_mesh *mesh = toc_scene_edit_mesh(all->scene, 0);
    const size_t count = 3 * toc_mesh_get_vertex_count(mesh);
    double *ways = malloc((count + 1) * sizeof *ways);
    if (!ways) return tool_fail_memory();
    toc_status status = find_ways(all, step, count, ways);
    if (status == TOC_OK && toc_sequence_get_frame_count(all->frames) == 1) {
        status = advance_straight(mesh, count, ways);
    } else {
        if (status == TOC_OK) status = check_frame_read(all, step + 1);
        if (status == TOC_OK) status = bend_paths(mesh, count, ways);
    }
    free(ways);
    return status;
}

toc_status check_step_advance(check_session *all, size_t step) {
    if (all->by_velocity) return advance_with_velocities(all, step);
    return all->middles ? advance_parabolas(all, step) : check_frame_read(all, step + 1);
}

// A copy of a body for the search: shells made solid, vertices joined.
static toc_status prepare_mesh(const check_settings *settings, const toc_mesh *mesh, toc_mesh **out) {
    toc_status status = settings->thicken ? toc_mesh_thicken(mesh, out) : toc_mesh_copy(mesh, out);
    if (status != TOC_OK || !settings->weld) return status;
    status = tool_mesh_weld(*out);
    if (status != TOC_OK) toc_mesh_destroy(*out);
    return status;
}

static toc_status prepare_bodies(check_session *all) {
    toc_status status = TOC_OK;
    for (uint32_t b = 0; b < toc_scene_get_body_count(all->scene) && status == TOC_OK; b++) {
        toc_mesh *mesh;
        status = prepare_mesh(all->settings, toc_scene_get_mesh(all->scene, b), &mesh);
        if (status != TOC_OK) break;
        status = toc_scene_add_body(all->prepared, mesh, NULL);
        if (status != TOC_OK) toc_mesh_destroy(mesh);
    }
    return status;
}

toc_status check_step_prepare(check_session *all) {
    toc_status status = TOC_OK;
    if (all->settings->thicken || all->settings->weld) {
        toc_scene_destroy(all->prepared);
        all->prepared = NULL;
        status = toc_scene_create(NULL, &all->prepared);
        if (status == TOC_OK) status = prepare_bodies(all);
        if (status == TOC_OK) tool_places_forget(all->places);
    }
    if (status == TOC_OK) status = tool_places_follow(all->places, check_scene(all));
    return status == TOC_OK ? tool_places_apply(all->places, check_scene(all)) : status;
}
