// SPDX-License-Identifier: Apache-2.0
// Meshes of bodies in the plane. toccata/plane.h has the proof that they answer for the plane. O(n).
#include "toccata/plane.h"

#include <assert.h>

#include "base/arithmetic.h"
#include "base/memory.h"
#include "mesh/mesh.h"

enum { ROOM = 256 }; // vertices or elements of a portion

// Pins as long as edges are: a long pin meets the bounds of more edges, and a short one makes products whose rounding
// errors outweigh them.
static double choose_height(const toc_plane_body *body) {
    double sum = 0, low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < body->edge_count; i++) {
        const double *a = body->x0 + 2 * (size_t)body->edges[i][0], *b = body->x0 + 2 * (size_t)body->edges[i][1];
        sum += fmax(fabs(b[0] - a[0]), fabs(b[1] - a[1])) / (double)body->edge_count;
    }
    for (size_t i = 0; i < 2 * body->vertex_count && body->edge_count == 0; i++) {
        low = fmin(low, body->x0[i]);
        high = fmax(high, body->x0[i]);
    }
    if (body->edge_count == 0) sum = high - low;
    return sum > 0x1p-1000 && sum < 0x1p1000 ? ldexp(1, ilogb(sum)) : 1;
}

// Feet and tops of pins.
static void raise_pins(const double *x, size_t count, double height, double *out) {
    for (size_t i = 0; i < 2 * count; i++) {
        out[3 * i] = x[i / 2 * 2];
        out[3 * i + 1] = x[i / 2 * 2 + 1];
        out[3 * i + 2] = i % 2 ? height : 0;
    }
}

static toc_status check_plane_positions(size_t count, const double *x) {
    for (size_t i = 0; x && i < 2 * count; i++)
        if (!isfinite(x[i]))
            return toc_fail(TOC_BAD_INPUT, "vertex %zu: coordinate %c is %g", i / 2, i % 2 ? 'y' : 'x', x[i]);
    return TOC_OK;
}

static toc_status check_plane_edges(const toc_plane_body *body) {
    for (size_t i = 0; i < body->edge_count; i++) {
        const uint32_t *edge = body->edges[i];
        for (int k = 0; k < 2; k++)
            if (edge[k] >= body->vertex_count)
                return toc_fail(TOC_BAD_INPUT, "edge %zu has the vertex %u, but there are %zu", i, edge[k],
                                body->vertex_count);
        if (edge[0] == edge[1]) return toc_fail(TOC_BAD_INPUT, "edge %zu has the vertex %u twice", i, edge[0]);
    }
    return TOC_OK;
}

static toc_status check_body(const toc_plane_body *body) {
    if (body->vertex_count > 0) TOC_NEED(body->x0);
    if (body->edge_count > 0) TOC_NEED(body->edges);
    if (body->vertex_count > UINT32_MAX / 2 - 1)
        return toc_fail(TOC_BAD_INPUT, "%zu vertices of the plane; a mesh has at most %u of them", body->vertex_count,
                        UINT32_MAX / 2 - 1);
    TOC_TRY(check_plane_positions(body->vertex_count, body->x0));
    return check_plane_edges(body);
}

static toc_status add_pins(toc_mesh *mesh, const toc_plane_body *body, double height) {
    double x[6 * ROOM];
    for (size_t first = 0; first < body->vertex_count; first += ROOM) {
        const size_t left = body->vertex_count - first, count = left < ROOM ? left : ROOM;
        raise_pins(body->x0 + 2 * first, count, height, x);
        TOC_TRY(toc_mesh_add_vertices(mesh, 2 * count, x, NULL));
    }
    return TOC_OK;
}

// Edges between pairs of vertices of the mesh, `count` of them from `first` on.
static toc_status add_lines(toc_mesh *mesh, size_t count, const uint32_t *corners, int32_t group) {
    uint32_t first;
    TOC_TRY(toc_mesh_add_elements(mesh, TOC_EDGE, count, corners, &first));
    for (size_t i = 0; i < count; i++) TOC_TRY(toc_mesh_set_group(mesh, first + (uint32_t)i, group));
    return TOC_OK;
}

static toc_status add_all_lines(toc_mesh *mesh, const toc_plane_body *body) {
    uint32_t corners[2 * ROOM];
    for (size_t first = 0; first < body->edge_count; first += ROOM) {
        const size_t left = body->edge_count - first, count = left < ROOM ? left : ROOM;
        for (size_t i = 0; i < 2 * count; i++) corners[i] = 2 * body->edges[first + i / 2][i % 2];
        TOC_TRY(add_lines(mesh, count, corners, TOC_PLANE_EDGES));
    }
    for (size_t first = 0; first < body->vertex_count; first += ROOM) {
        const size_t left = body->vertex_count - first, count = left < ROOM ? left : ROOM;
        for (size_t i = 0; i < 2 * count; i++) corners[i] = (uint32_t)(2 * first + i);
        TOC_TRY(add_lines(mesh, count, corners, TOC_PLANE_PINS));
    }
    return TOC_OK;
}

static toc_status fill_plane_mesh(toc_mesh *mesh, const toc_plane_body *body) {
    TOC_TRY(add_pins(mesh, body, choose_height(body)));
    TOC_TRY(add_all_lines(mesh, body));
    return body->x1 ? toc_plane_mesh_move(mesh, body->vertex_count, body->x1) : TOC_OK;
}

toc_status toc_plane_mesh_create(const toc_allocator *allocator, const toc_plane_body *body, toc_mesh **out) {
    TOC_SCOPED_ARITHMETIC;
    toc_mesh *mesh;
    TOC_NEED(body);
    TOC_NEED(out);
    TOC_TRY(check_body(body));
    TOC_TRY(toc_mesh_create(allocator, &mesh));
    const toc_status status = fill_plane_mesh(mesh, body);
    if (status == TOC_OK)
        *out = mesh;
    else
        toc_mesh_destroy(mesh);
    return status;
}

// The positions of both ends in one block; those of the old end where x0 is NULL.
static toc_status set_both_ends(toc_mesh *mesh, size_t count, const double *x0, const double *x1, double *room) {
    const double *old = toc_mesh_get_x1(mesh);
    const double height = count > 0 ? old[5] : 0;
    raise_pins(x1, count, height, room);
    if (!x0) return toc_mesh_move(mesh, 2 * count, room);
    raise_pins(x0, count, height, room + 6 * count);
    return toc_mesh_set_motion(mesh, 2 * count, room + 6 * count, room);
}

toc_status toc_plane_mesh_set_motion(toc_mesh *mesh, size_t count, const double *x0, const double *x1) {
    TOC_SCOPED_ARITHMETIC;
    TOC_NEED(mesh);
    TOC_NEED(x1);
    if (2 * count != toc_mesh_get_vertex_count(mesh))
        return toc_fail(TOC_BAD_INPUT, "%zu vertices of the plane were given, and the body has %zu", count,
                        toc_mesh_get_vertex_count(mesh) / 2);
    TOC_TRY(check_plane_positions(count, x0));
    TOC_TRY(check_plane_positions(count, x1));
    const toc_allocator memory = mesh->allocator;
    const size_t doubles = (x0 ? 12 : 6) * count;
    double *room = toc_new(&memory, doubles, sizeof *room);
    if (!room) return TOC_OUT_OF_MEMORY;
    const toc_status status = set_both_ends(mesh, count, x0, x1, room);
    toc_free(&memory, room, doubles, sizeof *room);
    return status;
}
