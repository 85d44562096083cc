// SPDX-License-Identifier: Apache-2.0
// Thickness of features, from their bodies and the elements around them.
#include "scene/thickness.h"

#include <assert.h>
#include <float.h>

#include "base/vec.h"
#include "mesh/mesh.h"
#include "scene/scene.h"

double toc_thickness_most(const toc_scene *scene, const toc_query *query) {
    double most = 0;
    for (size_t b = 0; b < scene->bodies.count && !query->thin; b++) {
        const toc_mesh *mesh = scene->bodies.at[b].mesh;
        const toc_world *world = scene->bodies.at[b].world;
        most = toc_larger(most, scene->bodies.at[b].thickness);
        if (world) most = toc_larger(most, world->thickest); // the patch has a part of it
        for (size_t i = 0; i < mesh->thicknesses.count; i++) most = toc_larger(most, mesh->thicknesses.at[i]);
    }
    return most;
}

bool toc_thickness_is_of_bodies(const toc_scene *scene) {
    bool is = true;
    for (size_t b = 0; b < scene->bodies.count; b++) is = is && scene->bodies.at[b].mesh->thicknesses.count == 0;
    return is;
}

static double thickness_of_feature(const toc_scene *scene, int corners, const uint32_t *vertices) {
    const toc_step *step = &scene->step;
    const uint32_t at = toc_step_body(step, vertices[0]);
    assert(at < scene->bodies.count);
    const toc_body *body = &scene->bodies.at[at];
    double thickest = body->thickness;
    if (body->mesh->thicknesses.count == 0) return thickest;
    uint32_t ids[3];
    size_t count;
    for (int i = 0; i < corners; i++) ids[i] = vertices[i] - step->body_first[at];
    const uint32_t *around = toc_elements_around(body, corners, ids, &count);
    for (size_t i = 0; i < count; i++)
        thickest = toc_larger(thickest, toc_mesh_get_element(body->mesh, around[i]).thickness);
    return thickest;
}

double toc_thickness_of_pair(const toc_scene *scene, toc_kind kind, const uint32_t vertices[4]) {
    const int first = kind == TOC_VF ? 1 : 2, second = 4 - first;
    const double a = thickness_of_feature(scene, first, vertices);
    return a / 2 + thickness_of_feature(scene, second, vertices + first) / 2;
}

double toc_thickness_of_vertices(const toc_scene *scene, uint32_t a, uint32_t b) {
    return thickness_of_feature(scene, 1, &a) / 2 + thickness_of_feature(scene, 1, &b) / 2;
}

double toc_thickness_add(double a, double b) { return toc_smaller(a + b, DBL_MAX); }
