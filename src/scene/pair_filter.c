// SPDX-License-Identifier: Apache-2.0
// Exclude pairs of features: by the bodies and groups of the scene, and by the caller's function in the query.
#include "scene/pair_filter.h"

#include <assert.h>
#include <string.h>

#include "base/arithmetic.h"
#include "mesh/features.h"
#include "scene/scene.h"
#include "scene/thickness.h"

toc_status toc_scene_set_body_layers(toc_scene *scene, uint32_t body, uint64_t layers, uint64_t mask) {
    TOC_USE_SCENE(scene);
    TOC_TRY(toc_scene_need_body(scene, body));
    scene->bodies.at[body].layers = layers;
    scene->bodies.at[body].mask = mask;
    return TOC_OK;
}

toc_status toc_scene_set_self_contact(toc_scene *scene, uint32_t body, bool on) {
    TOC_USE_SCENE(scene);
    TOC_TRY(toc_scene_need_body(scene, body));
    scene->bodies.at[body].ignores_itself = !on;
    return TOC_OK;
}

// ---- groups that ignore each other: a sorted list

static toc_group_pair group_pair_of(int32_t a, int32_t b) {
    return a < b ? (toc_group_pair){a, b} : (toc_group_pair){b, a};
}

static bool is_before(toc_group_pair a, toc_group_pair b) { return a.low != b.low ? a.low < b.low : a.high < b.high; }

// The position of a pair in the list, or the one to insert it at.
static size_t group_place_of(const toc_scene *scene, toc_group_pair pair) {
    size_t low = 0, high = scene->ignored.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (is_before(scene->ignored.at[middle], pair))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_at(const toc_scene *scene, size_t place, toc_group_pair pair) {
    return place < scene->ignored.count && !is_before(pair, scene->ignored.at[place]);
}

toc_status toc_scene_set_group_contact(toc_scene *scene, int32_t a, int32_t b, bool on) {
    TOC_USE_SCENE(scene);
    const toc_group_pair pair = group_pair_of(a, b);
    const size_t place = group_place_of(scene, pair);
    if (is_at(scene, place, pair) != on) return TOC_OK; // nothing to change
    if (!on) TOC_TRY(toc_array_reserve(&scene->allocator, &scene->ignored, 1));
    toc_group_pair *at = scene->ignored.at + place;
    const size_t behind = scene->ignored.count - place;
    if (on) {
        memmove(at, at + 1, (behind - 1) * sizeof *at);
        scene->ignored.count--;
    } else {
        memmove(at + 1, at, behind * sizeof *at);
        *at = pair;
        scene->ignored.count++;
    }
    return TOC_OK;
}

static bool groups_meet(const toc_scene *scene, int32_t a, int32_t b) {
    const toc_group_pair pair = group_pair_of(a, b);
    return !is_at(scene, group_place_of(scene, pair), pair);
}

// ---- the elements around a feature

// A vertex, an edge or a face, by its vertices in its body.
typedef struct feature {
    const toc_body *body;
    int corners;
    uint32_t v[3];
} feature;

static size_t find_vertex(const toc_features *f, uint32_t v) {
    size_t low = 0, high = f->vertex_count;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (f->vertices[middle] <= v)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static bool face_is_before(const uint32_t a[3], const uint32_t b[3]) {
    if (a[0] != b[0]) return a[0] < b[0];
    return a[1] != b[1] ? a[1] < b[1] : a[2] < b[2];
}

static size_t find_face(const toc_features *f, const uint32_t v[3]) {
    size_t low = 0, high = f->face_count;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (face_is_before(v, f->faces[middle]))
            high = middle;
        else
            low = middle;
    }
    return low;
}

const uint32_t *toc_elements_around(const toc_body *body, int corners, const uint32_t *v, size_t *count) {
    assert(body->features && 1 <= corners && corners <= 3);
    const toc_features *f = body->features;
    assert(toc_features_have_elements(f));
    const toc_lists *lists = corners == 1 ? &f->vertex_elements : corners == 2 ? &f->edge_elements : &f->face_elements;
    const size_t at = corners == 1   ? find_vertex(f, v[0])
                      : corners == 2 ? toc_features_find_edge(f, v[0], v[1])
                                     : find_face(f, v);
    *count = lists->first[at + 1] - lists->first[at];
    return lists->items + lists->first[at];
}

static bool has_feature(const toc_features *f, int corners, const uint32_t *v) {
    if (corners == 1) return f->vertex_count > 0 && f->vertices[find_vertex(f, v[0])] == v[0];
    if (corners == 2) return toc_features_has_edge(f, v[0], v[1]);
    return f->face_count > 0 && memcmp(f->faces[find_face(f, v)], v, sizeof *f->faces) == 0;
}

// By the ids that the caller knows.
static toc_status locate_feature(const toc_scene *scene, uint32_t body, int corners, const uint32_t *ids, uint32_t *v) {
    bool exists = true;
    if (body >= scene->bodies.count) return toc_fail(TOC_BAD_INPUT, "there is no body %u", body);
    for (int i = 0; i < corners && exists; i++) exists = toc_scene_find_vertex(scene, body, ids[i], &v[i]);
    if (exists && has_feature(scene->bodies.at[body].features, corners, v)) return TOC_OK;
    if (corners == 1) return toc_fail(TOC_BAD_INPUT, "body %u has no vertex %u", body, ids[0]);
    if (corners == 2) return toc_fail(TOC_BAD_INPUT, "body %u has no edge %u %u", body, ids[0], ids[1]);
    return toc_fail(TOC_BAD_INPUT, "body %u has no face %u %u %u", body, ids[0], ids[1], ids[2]);
}

toc_status toc_contact_locate(const toc_scene *scene, const toc_contact *contact, size_t number, uint32_t v[4]) {
    const int second = contact->kind == TOC_VF ? 1 : 2;
    toc_status status = locate_feature(scene, contact->body[0], second, contact->v, v);
    if (status == TOC_OK) status = locate_feature(scene, contact->body[1], 4 - second, contact->v + second, v + second);
    return status == TOC_OK ? TOC_OK : toc_fail_in(status, "contact %zu", number);
}

// Whether two of the elements around the features do not ignore each other.
static bool elements_meet(const toc_scene *scene, const feature *a, const feature *b) {
    size_t count_a, count_b;
    const uint32_t *around_a = toc_elements_around(a->body, a->corners, a->v, &count_a);
    const uint32_t *around_b = toc_elements_around(b->body, b->corners, b->v, &count_b);
    for (size_t i = 0; i < count_a; i++) {
        const int32_t group = toc_mesh_get_element(a->body->mesh, around_a[i]).group;
        for (size_t j = 0; j < count_b; j++)
            if (groups_meet(scene, group, toc_mesh_get_element(b->body->mesh, around_b[j]).group)) return true;
    }
    return false;
}

static bool bodies_meet(const toc_body *a, const toc_body *b) {
    if (a->world && b->world) return false;
    if (a == b) return !a->ignores_itself;
    return (a->mask & b->layers) && (b->mask & a->layers);
}

// ---- the filter

static bool ignores_some(const toc_body *body) {
    return body->world || body->ignores_itself || body->layers != TOC_DEFAULT_LAYERS || body->mask != TOC_DEFAULT_MASK;
}

toc_filter toc_filter_make(const toc_scene *scene, const toc_query *query) {
    toc_filter filter = {.scene = scene, .caller = query->filter, .groups = scene->ignored.count > 0};
    for (size_t i = 0; i < scene->bodies.count; i++)
        filter.bodies = filter.bodies || ignores_some(&scene->bodies.at[i]);
    return filter;
}

bool toc_filter_needs_elements(const toc_scene *scene, const toc_query *query) {
    return scene->ignored.count > 0 || toc_thickness_most(scene, query) > 0;
}

bool toc_filter_is_active(const toc_filter *filter) { return filter->bodies || filter->groups || filter->caller.wants; }

static feature feature_of(const toc_scene *scene, uint32_t body, int corners, const uint32_t *vertices) {
    feature f = {.body = &scene->bodies.at[body], .corners = corners};
    for (int i = 0; i < corners; i++) f.v[i] = vertices[i] - scene->step.body_first[body];
    return f;
}

static bool features_meet(const toc_filter *filter, const feature *a, const feature *b) {
    if (filter->bodies && !bodies_meet(a->body, b->body)) return false;
    return !filter->groups || elements_meet(filter->scene, a, b);
}

bool toc_filter_wants(const toc_filter *filter, toc_kind kind, const uint32_t vertices[4]) {
    assert(kind == TOC_VF || kind == TOC_EE);
    const toc_scene *scene = filter->scene;
    const int second = kind == TOC_VF ? 1 : 2;
    const uint32_t body[2] = {toc_step_body(&scene->step, vertices[0]), toc_step_body(&scene->step, vertices[second])};
    if (filter->bodies && !bodies_meet(&scene->bodies.at[body[0]], &scene->bodies.at[body[1]])) return false;
    if (!filter->groups && !filter->caller.wants) return true;
    const feature a = feature_of(scene, body[0], second, vertices);
    const feature b = feature_of(scene, body[1], 4 - second, vertices + second);
    if (!features_meet(filter, &a, &b)) return false;
    if (!filter->caller.wants) return true;
    uint32_t v[4];
    memcpy(v, a.v, (size_t)second * sizeof *v);
    memcpy(v + second, b.v, (size_t)(4 - second) * sizeof *v);
    toc_scene_name_vertices(scene, kind, body, v);
    const bool wanted = filter->caller.wants(filter->caller.user, kind, body, v);
    toc_arithmetic_resume();
    return wanted;
}

bool toc_filter_wants_faces(const toc_filter *filter, const uint32_t a[3], const uint32_t b[3]) {
    const toc_scene *scene = filter->scene;
    const feature first = feature_of(scene, toc_step_body(&scene->step, a[0]), 3, a);
    const feature second = feature_of(scene, toc_step_body(&scene->step, b[0]), 3, b);
    return features_meet(filter, &first, &second);
}

bool toc_filter_wants_vertices(const toc_filter *filter, uint32_t a, uint32_t b) {
    const toc_scene *scene = filter->scene;
    const feature first = feature_of(scene, toc_step_body(&scene->step, a), 1, &a);
    const feature second = feature_of(scene, toc_step_body(&scene->step, b), 1, &b);
    return features_meet(filter, &first, &second);
}

bool toc_filter_wants_elements(const toc_filter *filter, const uint32_t bodies[2], const uint32_t elements[2]) {
    const toc_scene *scene = filter->scene;
    assert(bodies[0] < scene->bodies.count && bodies[1] < scene->bodies.count);
    const toc_body *a = &scene->bodies.at[bodies[0]], *b = &scene->bodies.at[bodies[1]];
    if (filter->bodies && !bodies_meet(a, b)) return false;
    return !filter->groups || groups_meet(scene, toc_mesh_get_element(a->mesh, elements[0]).group,
                                          toc_mesh_get_element(b->mesh, elements[1]).group);
}

bool toc_filter_wants_bodies(const toc_filter *filter, uint32_t a, uint32_t b) {
    const toc_scene *scene = filter->scene;
    return !filter->bodies || bodies_meet(&scene->bodies.at[a], &scene->bodies.at[b]);
}

bool toc_face_is_on_boundary(const toc_body *body, const uint32_t v[3]) {
    const toc_features *f = body->features;
    return f->face_flags[find_face(f, v)] & TOC_FEATURE_ON_BOUNDARY;
}
