// SPDX-License-Identifier: Apache-2.0
#include "support/every_pair.h"

#include <string.h>

enum { MOST_BODIES = 8 };

// A feature by its position in the lists of its body.
typedef struct listed_feature {
    const toc_mesh *mesh;
    int corners;
    const uint32_t *v;
    const toc_lists *around;
    size_t at;
} listed_feature;

typedef struct pair_walk {
    const toc_scene *bodies;
    toc_features *features[MOST_BODIES];
    void (*visit)(void *user, const test_feature_pair *pair);
    void *user;
} pair_walk;

static listed_feature list_feature(const pair_walk *w, uint32_t body, int corners, size_t at) {
    const toc_features *f = w->features[body];
    listed_feature out = {.mesh = toc_scene_get_mesh(w->bodies, body), .corners = corners, .at = at};
    out.v = corners == 1 ? &f->vertices[at] : corners == 2 ? f->edges[at] : f->faces[at];
    out.around = corners == 1 ? &f->vertex_elements : corners == 2 ? &f->edge_elements : &f->face_elements;
    return out;
}

static double thickest_around(const listed_feature *f) {
    double thickest = 0;
    for (uint32_t i = f->around->first[f->at]; i < f->around->first[f->at + 1]; i++) {
        const double thickness = toc_mesh_get_element(f->mesh, f->around->items[i]).thickness;
        if (thickness > thickest) thickest = thickness;
    }
    return thickest;
}

static bool share_vertex(const uint32_t *v, int second) {
    for (int i = 0; i < second; i++)
        for (int j = second; j < 4; j++)
            if (v[i] == v[j]) return true;
    return false;
}

static void visit_pair(const pair_walk *w, toc_kind kind, const uint32_t body[2], const listed_feature f[2]) {
    const int second = kind == TOC_VF ? 1 : 2;
    test_feature_pair pair = {.kind = kind, .body = {body[0], body[1]}};
    memcpy(pair.v, f[0].v, (size_t)second * sizeof *pair.v);
    memcpy(pair.v + second, f[1].v, (size_t)(4 - second) * sizeof *pair.v);
    if (body[0] == body[1] && share_vertex(pair.v, second)) return;
    for (int i = 0; i < 4; i++) {
        const toc_mesh *mesh = f[i >= second].mesh;
        memcpy(pair.motion.x0[i], toc_mesh_get_x0(mesh) + 3 * (size_t)pair.v[i], sizeof pair.motion.x0[i]);
        memcpy(pair.motion.x1[i], toc_mesh_get_x1(mesh) + 3 * (size_t)pair.v[i], sizeof pair.motion.x1[i]);
    }
    pair.thickness = thickest_around(&f[0]) / 2 + thickest_around(&f[1]) / 2;
    w->visit(w->user, &pair);
}

static void visit_bodies(const pair_walk *w, toc_kind kind, const uint32_t body[2]) {
    const toc_features *a = w->features[body[0]], *b = w->features[body[1]];
    const size_t count_a = kind == TOC_VF ? a->vertex_count : a->edge_count;
    const size_t count_b = kind == TOC_VF ? b->face_count : b->edge_count;
    for (size_t i = 0; i < count_a; i++)
        for (size_t j = kind == TOC_EE && a == b ? i + 1 : 0; j < count_b; j++) {
            const listed_feature f[2] = {list_feature(w, body[0], kind == TOC_VF ? 1 : 2, i),
                                         list_feature(w, body[1], kind == TOC_VF ? 3 : 2, j)};
            visit_pair(w, kind, body, f);
        }
}

void test_every_pair(const toc_scene *bodies, void (*visit)(void *user, const test_feature_pair *pair), void *user) {
    pair_walk w = {.bodies = bodies, .visit = visit, .user = user};
    const uint32_t count = (uint32_t)toc_scene_get_body_count(bodies);
    assert_true(count <= MOST_BODIES);
    for (uint32_t i = 0; i < count; i++)
        assert_ok(toc_mesh_find_features(toc_scene_get_mesh(bodies, i), &w.features[i]));
    for (int kind = TOC_VF; kind <= TOC_EE; kind++)
        for (uint32_t a = 0; a < count; a++)
            for (uint32_t b = kind == TOC_EE ? a : 0; b < count; b++)
                visit_bodies(&w, (toc_kind)kind, (const uint32_t[]){a, b});
    for (uint32_t i = 0; i < count; i++) toc_features_destroy(w.features[i]);
}
