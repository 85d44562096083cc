// SPDX-License-Identifier: Apache-2.0
// Steps between frames. Velocities and middles are those of each vertex alone, so that ranks compute the same bits.
#include "tools/paths.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "tools/output.h"
#include "tools/places.h"
#include "tools/standard.h"

// Files without times count their frames.
static bool have_times(const toc_sequence *frames, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (toc_sequence_get_time(frames, i) != (double)i) return true;
    return false;
}

// Each second frame is a middle only where each step has one: velocities take any number of frames.
tool_paths tool_paths_choose(const toc_sequence *frames, size_t count, bool parabolas, bool velocities, double dt) {
    assert(count > 0);
    const bool alone = count == 1;
    tool_paths paths = {.dt = dt};
    paths.by_velocity = velocities || (parabolas && (alone ? dt >= 0 : count % 2 == 0));
    paths.middles = parabolas && !paths.by_velocity && !alone;
    paths.steps = paths.middles ? (count - 1) / 2 : count - 1 + (alone && paths.by_velocity);
    paths.timed = have_times(frames, count) || (paths.by_velocity && dt > 0);
    return paths;
}

size_t tool_paths_frame(const tool_paths *paths, size_t step) { return paths->middles ? 2 * step : step; }

double tool_paths_time(const tool_paths *paths, const toc_sequence *frames, size_t step, double fraction) {
    double start = toc_sequence_get_time(frames, tool_paths_frame(paths, step));
    double end = toc_sequence_get_time(frames, tool_paths_frame(paths, step + 1));
    if (paths->by_velocity && paths->dt > 0) {
        const double first = toc_sequence_get_time(frames, 0);
        start = first + (double)step * paths->dt;
        end = first + (double)(step + 1) * paths->dt;
    }
    return tool_time_between(start, end, fraction);
}

// The vertices of two frames, the start and the middle of a step.
typedef struct path_frames {
    size_t count; // coordinates
    double *start, *middle;
} path_frames;

// From positions m in the middle: x(1/2) = (x0 + x1) / 2 - a / 8.
static toc_status set_parabolas(toc_mesh *mesh, const path_frames *before, double *acceleration) {
    const double *x1 = toc_mesh_get_x1(mesh);
    if (3 * toc_mesh_get_vertex_count(mesh) != before->count)
        return tool_fail(TOC_BAD_INPUT, "the three frames of a parabola must have the same vertices: %zu and %zu",
                         before->count / 3, toc_mesh_get_vertex_count(mesh));
    for (size_t i = 0; i < before->count; i++)
        acceleration[i] = 4 * (before->start[i] - before->middle[i]) + 4 * (x1[i] - before->middle[i]);
    TOC_TRY(toc_mesh_set_motion(mesh, toc_mesh_get_vertex_count(mesh), before->start, x1));
    return toc_mesh_set_acceleration(mesh, toc_mesh_get_vertex_count(mesh), acceleration);
}

static toc_status advance_along(const tool_mover *m, size_t step, path_frames *before, double *acceleration) {
    toc_mesh *mesh = m->mesh;
    memcpy(before->start, toc_mesh_get_x1(mesh), before->count * sizeof *before->start);
    TOC_TRY(m->read(m->user, 2 * step + 1));
    if (3 * toc_mesh_get_vertex_count(mesh) == before->count)
        memcpy(before->middle, toc_mesh_get_x1(mesh), before->count * sizeof *before->middle);
    TOC_TRY(m->read(m->user, 2 * step + 2));
    return set_parabolas(mesh, before, acceleration);
}

// Go on by two frames: the first one is the middle of the step.
static toc_status advance_parabolas(const tool_mover *m, size_t step) {
    const size_t count = 3 * toc_mesh_get_vertex_count(m->mesh);
    double *block = malloc((3 * count + 1) * sizeof *block);
    if (!block) return tool_fail(TOC_OUT_OF_MEMORY, "out of memory");
    path_frames before = {count, block, block + count};
    const toc_status status = advance_along(m, step, &before, block + 2 * count);
    free(block);
    return status;
}

// ---- paths that begin with the velocity of the file

static toc_status fail_without_velocities(const tool_mover *m, size_t frame) {
    return tool_fail(
        TOC_BAD_INPUT,
        "%s: there are no velocities, the point data `velocity` of VTK and VTU, `velx vely velz` of Exodus "
        "or those of a d3plot; without them --parabolas takes an odd number of frames, with a middle "
        "between two others",
        tool_standard_name(toc_sequence_get_path(m->frames, frame)));
}

// The time of a step, in the unit of the velocities.
static toc_status find_step_time(const tool_mover *m, size_t step, double *out) {
    assert(step < m->paths->steps);
    const double from = tool_paths_time(m->paths, m->frames, step, 0),
                 to = tool_paths_time(m->paths, m->frames, step, 1);
    *out = m->paths->dt > 0 ? m->paths->dt : to - from;
    if (!m->paths->timed)
        return tool_fail(TOC_BAD_INPUT, "the files do not tell the time of a step, which velocities need: --dt TIME");
    if (*out > 0 && isfinite(*out)) return TOC_OK;
    return tool_fail(TOC_BAD_INPUT, "the time goes from %g to %g in step %zu; give the time of a step: --dt TIME", from,
                     to, step);
}

// The way of each vertex in a step at the velocity of its start.
static toc_status find_ways(const tool_mover *m, size_t step, size_t count, double *ways) {
    const double *velocities = toc_sequence_get_velocities(m->frames);
    double time;
    if (count == 0) return TOC_OK; // an empty share of a file in pieces
    if (!velocities) return fail_without_velocities(m, step);
    TOC_TRY(find_step_time(m, step, &time));
    for (size_t i = 0; i < count; i++) ways[i] = time * velocities[i];
    return TOC_OK;
}

// One frame goes on at its velocity.
static toc_status advance_straight(toc_mesh *mesh, size_t count, double *ways) {
    const double *x = toc_mesh_get_x1(mesh);
    for (size_t i = 0; i < count; i++) ways[i] += x[i];
    return toc_mesh_move(mesh, count / 3, ways);
}

// x(t) = x0 + w t + a t^2 / 2 with the way w, and x(1) = x1.
static toc_status bend_paths(toc_mesh *mesh, size_t count, double *ways) {
    const double *x0 = toc_mesh_get_x0(mesh), *x1 = toc_mesh_get_x1(mesh);
    if (3 * toc_mesh_get_vertex_count(mesh) != count)
        return tool_fail(TOC_BAD_INPUT, "the two frames of a parabola must have the same vertices: %zu and %zu",
                         count / 3, toc_mesh_get_vertex_count(mesh));
    for (size_t i = 0; i < count; i++) ways[i] = 2 * (x1[i] - x0[i]) - 2 * ways[i];
    return toc_mesh_set_acceleration(mesh, count / 3, ways);
}

static toc_status advance_with_velocities(const tool_mover *m, size_t step) {
    toc_mesh *mesh = m->mesh;
    const size_t count = 3 * toc_mesh_get_vertex_count(mesh);
    double *ways = malloc((count + 1) * sizeof *ways);
    if (!ways) return tool_fail_memory();
    toc_status status = find_ways(m, step, count, ways);
    if (status == TOC_OK && toc_sequence_get_frame_count(m->frames) == 1) {
        status = advance_straight(mesh, count, ways);
    } else {
        if (status == TOC_OK) status = m->read(m->user, step + 1);
        if (status == TOC_OK) status = bend_paths(mesh, count, ways);
    }
    free(ways);
    return status;
}

toc_status tool_paths_advance(const tool_mover *m, size_t step) {
    assert(step < m->paths->steps);
    if (m->paths->by_velocity) return advance_with_velocities(m, step);
    return m->paths->middles ? advance_parabolas(m, step) : m->read(m->user, step + 1);
}
