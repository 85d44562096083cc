// SPDX-License-Identifier: Apache-2.0
// Reading positions from memory of the caller.
#include "scene/share.h"
#include "base/arithmetic.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "scene/device_share.h"
#include "scene/scene.h"

// ---- setting

static size_t position_bytes(toc_scalar scalar) { return 3 * (scalar == TOC_FLOAT ? sizeof(float) : sizeof(double)); }

static toc_status check_share(const char *name, size_t count, const toc_shared_positions *positions,
                              toc_shared_positions *out) {
    if (positions->scalar != TOC_DOUBLE && positions->scalar != TOC_FLOAT)
        return toc_fail(TOC_BAD_INPUT, "%s: the scalar is %d; it must be TOC_DOUBLE or TOC_FLOAT", name,
                        (int)positions->scalar);
    const size_t bytes = position_bytes(positions->scalar), stride = positions->stride ? positions->stride : bytes;
    if (count > 0 && !positions->at)
        return toc_fail(TOC_BAD_INPUT, "%s: no positions given (NULL) for %zu vertices", name, count);
    if (stride < bytes)
        return toc_fail(TOC_BAD_INPUT, "%s: the stride is %zu bytes, but a position takes %zu", name, stride, bytes);
    if (count > 0 && stride > SIZE_MAX / count)
        return toc_fail(TOC_BAD_INPUT, "%s: %zu vertices of %zu bytes do not fit into memory", name, count, stride);
    *out = *positions;
    out->stride = stride;
    return TOC_OK;
}

static toc_status need_movable_body(const toc_scene *scene, uint32_t body) {
    TOC_TRY(toc_scene_need_body(scene, body));
    if (scene->bodies.at[body].own) return TOC_OK;
    return toc_fail(TOC_BAD_INPUT, "body %u is a world, which rests for ever", body);
}

static toc_status check_both_ends(size_t count, const toc_shared_positions *x0, const toc_shared_positions *x1,
                                  toc_shared_positions out[2]) {
    TOC_NEED(x0);
    TOC_NEED(x1);
    TOC_TRY(check_share("x0", count, x0, &out[0]));
    return check_share("x1", count, x1, &out[1]);
}

void toc_share_free(toc_share *share) {
    toc_device_share_free(share->device);
    *share = (toc_share){0};
}

toc_status toc_scene_share_positions(toc_scene *scene, uint32_t body, size_t count, const toc_shared_positions *x0,
                                     const toc_shared_positions *x1) {
    TOC_SCOPED_ARITHMETIC;
    toc_shared_positions ends[2] = {{0}};
    TOC_USE_SCENE(scene);
    TOC_TRY(need_movable_body(scene, body));
    const bool on = x0 || x1;
    if (on) TOC_TRY(check_both_ends(count, x0, x1, ends));
    toc_body *of = &scene->bodies.at[body];
    toc_share_free(&of->share);
    of->share = (toc_share){.on = on, .count = count, .x0 = ends[0], .x1 = ends[1]};
    return TOC_OK;
}

toc_status toc_scene_move_on_device(toc_scene *scene, uint32_t body, size_t count, const toc_shared_positions *x0,
                                    const toc_shared_positions *x1, void *stream) {
    TOC_SCOPED_ARITHMETIC;
    toc_shared_positions ends[2];
    TOC_USE_SCENE(scene);
    TOC_TRY(need_movable_body(scene, body));
    TOC_TRY(check_both_ends(count, x0, x1, ends));
    toc_body *of = &scene->bodies.at[body];
    const size_t vertices = toc_mesh_get_vertex_count(of->own);
    if (count != vertices)
        return toc_fail(TOC_BAD_INPUT, "body %u has %zu vertices, and positions of %zu are given", body, vertices,
                        count);
    TOC_TRY(toc_device_share_take(&of->share.device, &scene->allocator, count, ends, stream));
    const double *here = toc_device_share_here(of->share.device);
    of->share.on = true;
    of->share.count = count;
    of->share.x0 = (toc_shared_positions){.at = here, .stride = 3 * sizeof *here};
    of->share.x1 = (toc_shared_positions){.at = here + 3 * count, .stride = 3 * sizeof *here};
    return TOC_OK;
}

// ---- reading

void toc_position_read(const toc_shared_positions *positions, size_t vertex, double x[3]) {
    const char *at = (const char *)positions->at + vertex * positions->stride;
    if (positions->scalar == TOC_DOUBLE) {
        memcpy(x, at, 3 * sizeof *x);
        return;
    }
    float single[3];
    memcpy(single, at, sizeof single);
    for (int c = 0; c < 3; c++) x[c] = single[c];
}

static void read_positions(const toc_shared_positions *p, const uint32_t *ids, size_t first, size_t last, double *x) {
    if (!ids && p->scalar == TOC_DOUBLE && p->stride == 3 * sizeof *x) {
        memcpy(x, (const char *)p->at + first * p->stride, (last - first) * p->stride);
        return;
    }
    for (size_t v = first; v < last; v++, x += 3) toc_position_read(p, ids ? ids[v] : v, x);
}

// @return the number of the first coordinate that is not finite; `count` if all are.
static size_t find_infinite(const double *x, size_t count) {
    double all = 0; // x - x is 0 for finite x, else NaN, and a sum with a NaN is NaN
    for (size_t i = 0; i < count; i++) all += x[i] - x[i];
    if (all == 0) return count;
    size_t i = 0;
    while (isfinite(x[i])) i++;
    return i;
}

static toc_status read_end(const toc_shared_positions *p, const uint32_t *ids, size_t first, size_t last,
                           const char *name, double *x) {
    const size_t count = 3 * (last - first);
    read_positions(p, ids, first, last, x);
    const size_t bad = find_infinite(x, count);
    if (bad == count) return TOC_OK;
    const size_t vertex = first + bad / 3;
    return toc_fail(TOC_BAD_INPUT, "shared %s, vertex %zu: coordinate %c is %g", name, ids ? ids[vertex] : vertex,
                    "xyz"[bad % 3], x[bad]);
}

toc_status toc_share_gather(const toc_body *body, size_t first, size_t last, double *x0, double *x1) {
    assert(body->share.on && first <= last);
    const uint32_t *ids = body->mesh != body->own ? body->patch->vertices.at : NULL;
    if (first == last) return TOC_OK;
    TOC_TRY(read_end(&body->share.x0, ids, first, last, "x0", x0));
    return read_end(&body->share.x1, ids, first, last, "x1", x1);
}

void toc_body_read_motion(const toc_body *body, uint32_t vertex, double x0[3], double x1[3]) {
    assert(vertex < toc_mesh_get_vertex_count(body->mesh));
    if (body->share.on) {
        const uint32_t id = body->mesh != body->own ? body->patch->vertices.at[vertex] : vertex;
        toc_position_read(&body->share.x0, id, x0);
        toc_position_read(&body->share.x1, id, x1);
        return;
    }
    memcpy(x0, toc_mesh_get_x0(body->mesh) + 3 * (size_t)vertex, 3 * sizeof *x0);
    memcpy(x1, toc_mesh_get_x1(body->mesh) + 3 * (size_t)vertex, 3 * sizeof *x1);
}

// ---- each question

enum { CHECKED_TOGETHER = 256 };

// Refuse positions that are not finite. The mesh keeps its own, which count again when sharing ends.
static toc_status check_shared_positions(const toc_share *share) {
    double x[3 * CHECKED_TOGETHER];
    for (size_t first = 0; first < share->count; first += CHECKED_TOGETHER) {
        const size_t left = share->count - first, last = first + (left < CHECKED_TOGETHER ? left : CHECKED_TOGETHER);
        TOC_TRY(read_end(&share->x0, NULL, first, last, "x0", x));
        TOC_TRY(read_end(&share->x1, NULL, first, last, "x1", x));
    }
    return TOC_OK;
}

bool toc_shares_are_there(const toc_scene *scene) {
    for (size_t b = 0; b < scene->bodies.count; b++) {
        const toc_body *body = &scene->bodies.at[b];
        if (!body->share.device || body->mesh != body->own) return false;
    }
    return scene->bodies.count > 0;
}

toc_status toc_shares_check(const toc_scene *scene, bool later) {
    const bool has_worlds = toc_scene_has_worlds(scene);
    for (size_t b = 0; b < scene->bodies.count; b++) {
        const toc_body *body = &scene->bodies.at[b];
        if (!body->share.on) continue;
        const size_t count = toc_mesh_get_vertex_count(body->own);
        if (count != body->share.count)
            return toc_fail(TOC_BAD_INPUT, "body %zu has %zu vertices, but shares the positions of %zu", b, count,
                            body->share.count);
        if (body->share.device && !later)
            TOC_TRY(toc_fail_in(toc_device_share_wait(body->share.device), "body %zu", b));
        if (has_worlds) TOC_TRY(toc_fail_in(check_shared_positions(&body->share), "body %zu", b));
    }
    return TOC_OK;
}
