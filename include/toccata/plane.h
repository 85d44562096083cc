// SPDX-License-Identifier: Apache-2.0
/// Points and segments that move in the plane, found by the search for bodies in space, and as exactly.
///
/// The plane is z = 0. Vertex v of the plane is vertex 2 v of a mesh; an edge of the plane is an edge between two of
/// these. Each vertex has a pin: an edge straight up to vertex 2 v + 1. A pin meets the plane in its foot alone, so
/// that a pin and an edge have a point in common if and only if the vertex lies on the edge; and the point of a pin
/// that is nearest to an edge is its foot, so that distances are those of the plane. Feet have z = 0 and tops one
/// height, exact doubles. Exact arithmetic therefore decides in the plane what it decides in space: all promises of
/// docs/guarantees.md hold for vertices and edges of the plane. A vertex and an edge that ends there are no pair.
///
/// The other questions about the scene take such meshes, too: first contact, safe step, step with room, near pairs,
/// barrier, candidates. So do paths with an acceleration in the plane.
#ifndef TOCCATA_PLANE_H
#define TOCCATA_PLANE_H

#include <math.h>

#include "toccata/pair.h"
#include "toccata/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The groups of the elements: edges of the plane, and pins.
enum { TOC_PLANE_EDGES = 1, TOC_PLANE_PINS = 2 };

/// Vertices and edges of a body; a vertex without an edge is a point.
typedef struct toc_plane_body {
    size_t vertex_count;
    const double *x0, *x1; ///< 2 doubles a vertex, at the start and at the end; x1 is NULL at rest.
    size_t edge_count;
    const uint32_t (*edges)[2]; ///< Two different vertices each.
} toc_plane_body;

/// Make a mesh of such a body. Move it by toc_plane_mesh_move.
/// @param out destroy it, or add it to a scene. Untouched on failure.
/// @return TOC_OK; TOC_BAD_INPUT for coordinates that are not finite, or a bad edge; TOC_OUT_OF_MEMORY.
TOC_API toc_status toc_plane_mesh_create(const toc_allocator *allocator, const toc_plane_body *body, toc_mesh **out);
/// Both ends of the step, 2 doubles a vertex of the plane. x0 may be NULL: the old end becomes the start.
/// @param count vertices of the plane in the arrays; another number than those of the body is TOC_BAD_INPUT.
TOC_API toc_status toc_plane_mesh_set_motion(toc_mesh *mesh, size_t count, const double *x0, const double *x1);
/// Next step: the old end becomes the start, and x1 the end.
TOC_INLINE_API toc_status toc_plane_mesh_move(toc_mesh *mesh, size_t count, const double *x1) {
    return toc_plane_mesh_set_motion(mesh, count, NULL, x1);
}

/// An empty scene for such meshes, in which vertices meet edges. Two edges that cross at the start, with no vertex on
/// an edge, are no contact; toc_scene_set_group_contact(scene, TOC_PLANE_EDGES, TOC_PLANE_EDGES, true) has them found,
/// too.
TOC_INLINE_API toc_status toc_plane_scene_create(const toc_allocator *allocator, toc_scene **out) {
    toc_scene *scene;
    toc_status status = toc_scene_create(allocator, &scene);
    if (status != TOC_OK) return status;
    status = toc_scene_set_group_contact(scene, TOC_PLANE_EDGES, TOC_PLANE_EDGES, false);
    if (status == TOC_OK) status = toc_scene_set_group_contact(scene, TOC_PLANE_PINS, TOC_PLANE_PINS, false);
    if (status == TOC_OK)
        *out = scene;
    else
        toc_scene_destroy(scene);
    return status;
}

/// A contact in the plane: a vertex on an edge.
typedef struct toc_plane_contact {
    toc_verdict verdict;
    uint32_t vertex, edge[2]; ///< Vertices of the plane. `vertex` is UINT32_MAX for two edges that cross; then `edge`
                              ///< is the second of them.
    uint32_t body[2];         ///< Of the vertex, and of the edge.
    double toc;               ///< As in toc_contact.
    double weight;            ///< The place on the edge: 0 at edge[0], 1 at edge[1].
    double point[2];
    double normal[2]; ///< Unit normal of the edge, against the motion of the vertex relative to it; 0 of two edges.
} toc_plane_contact;

/// A contact of a scene of such meshes as one of the plane.
TOC_INLINE_API toc_plane_contact toc_plane_contact_get(const toc_contact *c) {
    const int pins[2] = {c->v[1] == c->v[0] + 1 && c->v[0] % 2 == 0, c->v[3] == c->v[2] + 1 && c->v[2] % 2 == 0};
    const int pin = pins[0] ? 0 : 1, edge = 1 - pin; // of two edges, the second one is told
    const int crosses = !pins[0] && !pins[1], told = crosses ? 1 : edge;
    const double sign = crosses ? 0 : pin == 0 ? 1 : -1;
    toc_plane_contact out;
    out.verdict = c->verdict;
    out.vertex = crosses ? UINT32_MAX : c->v[2 * pin] / 2;
    out.edge[0] = c->v[2 * told] / 2;
    out.edge[1] = c->v[2 * told + 1] / 2;
    out.body[0] = c->body[1 - told];
    out.body[1] = c->body[told];
    out.toc = c->toc;
    out.weight = c->weights[2 * told + 1];
    for (int k = 0; k < 2; k++) {
        out.point[k] = c->point[k];
        out.normal[k] = sign * c->normal[k];
    }
    return out;
}

/// A vertex and the two ends of an edge, at the start and at the end of the step.
typedef struct toc_plane_pair {
    double x0[3][2], x1[3][2];
} toc_plane_pair;

/// Whether, when and where a vertex touches an edge: toc_pair_find in the plane.
/// @param out its vertices are 0, and 1 and 2.
TOC_INLINE_API toc_status toc_plane_pair_find(const toc_plane_pair *pair, const toc_pair_test *test,
                                              toc_plane_contact *out) {
    static const int corners[4] = {0, 0, 1, 2};
    toc_pair in;
    toc_hit hit;
    toc_contact c;
    // A pin as long as the edge, to a power of two.
    const double length = fmax(fabs(pair->x0[2][0] - pair->x0[1][0]), fabs(pair->x0[2][1] - pair->x0[1][1]));
    const double height = length > 0 && length < 1e300 ? ldexp(1, ilogb(length)) : 1;
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 2; k++) {
            in.x0[i][k] = pair->x0[corners[i]][k];
            in.x1[i][k] = pair->x1[corners[i]][k];
        }
        in.x0[i][2] = in.x1[i][2] = i == 1 ? height : 0;
    }
    const toc_status status = toc_pair_find(TOC_EE, &in, test, &hit);
    if (status != TOC_OK) return status;
    c.kind = TOC_EE;
    c.verdict = hit.verdict;
    for (int i = 0; i < 4; i++) {
        c.v[i] = i == 0 ? 0 : i == 1 ? 1 : 2 * (uint32_t)corners[i];
        c.weights[i] = hit.weights[i];
    }
    for (int k = 0; k < 3; k++) {
        c.point[k] = hit.point[k];
        c.normal[k] = hit.normal[k];
    }
    c.body[0] = c.body[1] = 0;
    c.toc = hit.toc;
    *out = toc_plane_contact_get(&c);
    return TOC_OK;
}

#ifdef __cplusplus
}
#endif

#endif
