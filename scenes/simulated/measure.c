// SPDX-License-Identifier: Apache-2.0
// Measures of a simulation.
#include "scenes/simulated/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "toccata/convex.h"

// ---- crossings: faces without a common vertex are a question of the library, those with one are asked here

// The faces of a mesh around each of its vertices, in one list.
typedef struct face_fans {
    const toc_features *features;
    const double *x;
    size_t *first; // by vertex id, one more than there are
    uint32_t *faces;
} face_fans;

static bool counts_face(const toc_features *f, size_t i, bool inside) {
    return inside || (f->face_flags[i] & TOC_FEATURE_ON_BOUNDARY);
}

// `first` and `faces` have room for vertices + 2 and three times the faces.
static void list_fans(face_fans *fans, size_t vertices, bool inside) {
    const toc_features *f = fans->features;
    size_t *next = fans->first + 1;
    for (size_t v = 0; v < vertices + 2; v++) fans->first[v] = 0;
    for (size_t i = 0; i < f->face_count; i++)
        for (int k = 0; k < 3 && counts_face(f, i, inside); k++) next[f->faces[i][k] + 1]++;
    for (size_t v = 1; v <= vertices; v++) next[v] += next[v - 1];
    for (size_t i = 0; i < f->face_count; i++)
        for (int k = 0; k < 3 && counts_face(f, i, inside); k++) fans->faces[next[f->faces[i][k]]++] = (uint32_t)i;
}

// The corners of a face from a vertex of it on.
static void corners_from(const face_fans *fans, uint32_t face, uint32_t v, uint32_t out[3]) {
    const uint32_t *corners = fans->features->faces[face];
    int at = 0;
    while (corners[at] != v) at++;
    for (int k = 0; k < 3; k++) out[k] = corners[(at + k) % 3];
}

// Whether the edge of one face that does not have the common vertex meets the other face.
static toc_status meets_far_edge(const face_fans *fans, const uint32_t edge[3], const uint32_t face[3], bool *meets) {
    double ends[6], corners[9];
    toc_overlap found;
    for (int k = 0; k < 2; k++) memcpy(ends + 3 * k, fans->x + 3 * (size_t)edge[k + 1], 3 * sizeof *ends);
    for (int k = 0; k < 3; k++) memcpy(corners + 3 * k, fans->x + 3 * (size_t)face[k], 3 * sizeof *corners);
    const toc_status status = toc_overlap_find(2, ends, 3, corners, &found);
    *meets = *meets || (status == TOC_OK && found.verdict != TOC_APART);
    return status;
}

// Two faces with one common vertex cross beyond it if the far edge of either meets the other. Those with a common edge
// do so only where they are folded flat, and are left out.
static toc_status cross_beyond(const face_fans *fans, uint32_t v, uint32_t a, uint32_t b, bool *cross) {
    uint32_t p[3], q[3];
    corners_from(fans, a, v, p);
    corners_from(fans, b, v, q);
    *cross = false;
    for (int i = 1; i < 3; i++)
        for (int j = 1; j < 3; j++)
            if (p[i] == q[j]) return TOC_OK;
    const toc_status status = meets_far_edge(fans, p, q, cross);
    return status == TOC_OK && !*cross ? meets_far_edge(fans, q, p, cross) : status;
}

static toc_status count_in_fans(const face_fans *fans, size_t vertices, size_t *count) {
    for (uint32_t v = 0; v < vertices; v++)
        for (size_t i = fans->first[v]; i < fans->first[v + 1]; i++)
            for (size_t j = i + 1; j < fans->first[v + 1]; j++) {
                bool cross;
                const toc_status status = cross_beyond(fans, v, fans->faces[i], fans->faces[j], &cross);
                if (status != TOC_OK) return status;
                *count += cross;
            }
    return TOC_OK;
}

static toc_status count_neighbours(const toc_mesh *mesh, bool inside, size_t *count) {
    const size_t vertices = toc_mesh_get_vertex_count(mesh);
    toc_features *features;
    toc_status status = toc_mesh_find_features(mesh, &features);
    if (status != TOC_OK) return status;
    face_fans fans = {.features = features,
                      .x = toc_mesh_get_x1(mesh),
                      .first = malloc((vertices + 2) * sizeof *fans.first),
                      .faces = malloc(3 * features->face_count * sizeof *fans.faces + 1)};
    if (fans.first && fans.faces) {
        list_fans(&fans, vertices, inside);
        status = count_in_fans(&fans, vertices, count);
    } else {
        status = toc_message_set(TOC_OUT_OF_MEMORY, "out of memory");
    }
    free(fans.first);
    free(fans.faces);
    toc_features_destroy(features);
    return status;
}

static toc_status measure_neighbours(const toc_scene *scene, bool inside, size_t *count) {
    toc_status status = TOC_OK;
    for (uint32_t b = 0; status == TOC_OK && b < toc_scene_get_body_count(scene); b++) {
        const toc_mesh *mesh = toc_scene_get_mesh(scene, b); // NULL if it is glued to another one
        if (mesh) status = count_neighbours(mesh, inside, count);
    }
    return status;
}

toc_status measure_crossings(toc_sim *sim, int threads, bool inside, size_t *count) {
    toc_query query = toc_query_default();
    query.surface_only = !inside;
    query.threads = threads;
    toc_overlaps *overlaps;
    const toc_status status = toc_scene_find_overlaps(toc_sim_get_scene(sim), &query, TOC_AT_END, NULL, &overlaps);
    if (status != TOC_OK) return status;
    *count += overlaps->count;
    toc_overlaps_destroy(overlaps);
    return measure_neighbours(toc_sim_get_scene(sim), inside, count);
}

// ---- pieces: a union of the vertices of each element

static uint32_t piece_root(uint32_t *parent, uint32_t v) {
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
}

static void join_corners(uint32_t *parent, const toc_element *e) {
    for (int k = 1; k < e->corner_count; k++) {
        const uint32_t a = piece_root(parent, e->corners[0]), b = piece_root(parent, e->corners[k]);
        parent[a < b ? b : a] = a < b ? a : b;
    }
}

// `parent` and `sizes` have room for the vertices.
static void count_pieces(const toc_mesh *mesh, uint32_t *parent, size_t *sizes, measure_pieces *out) {
    const uint32_t vertices = (uint32_t)toc_mesh_get_vertex_count(mesh);
    const uint32_t elements = (uint32_t)toc_mesh_get_element_count(mesh);
    size_t largest = 0, all = 0;
    for (uint32_t v = 0; v < vertices; v++) parent[v] = v, sizes[v] = 0;
    for (uint32_t i = 0; i < elements; i++) {
        const toc_element e = toc_mesh_get_element(mesh, i);
        if (e.shape != TOC_REMOVED) join_corners(parent, &e);
    }
    for (uint32_t i = 0; i < elements; i++) {
        const toc_element e = toc_mesh_get_element(mesh, i);
        if (e.shape == TOC_REMOVED) continue;
        const size_t size = ++sizes[piece_root(parent, e.corners[0])];
        out->pieces += size == 1;
        if (size > largest) largest = size;
        all++;
    }
    out->bodies += all > 0;
    out->elements += all;
    out->debris += all - largest;
}

toc_status measure_debris(toc_sim *sim, measure_pieces *out) {
    const toc_scene *scene = toc_sim_get_scene(sim);
    *out = (measure_pieces){0};
    for (uint32_t b = 0; b < toc_scene_get_body_count(scene); b++) {
        const toc_mesh *mesh = toc_scene_get_mesh(scene, b);
        if (!mesh) continue; // glued to another one
        const size_t count = toc_mesh_get_vertex_count(mesh);
        uint32_t *parent = malloc(count * sizeof *parent + 1);
        size_t *sizes = malloc(count * sizeof *sizes + 1);
        if (parent && sizes) count_pieces(mesh, parent, sizes, out);
        const bool done = parent && sizes;
        free(parent);
        free(sizes);
        if (!done) return toc_message_set(TOC_OUT_OF_MEMORY, "out of memory");
    }
    return TOC_OK;
}

toc_status measure_penetration(toc_sim *sim, int threads, measure_overlaps *out) {
    toc_query query = toc_query_default();
    query.threads = threads;
    toc_overlaps *overlaps;
    const toc_status status =
        toc_scene_find_element_overlaps(toc_sim_get_scene(sim), &query, TOC_AT_END, NULL, &overlaps);
    if (status != TOC_OK) return status;
    out->pairs += overlaps->count;
    for (size_t i = 0; i < overlaps->count; i++) {
        out->deepest = fmax(out->deepest, overlaps->pairs[i].depth);
        out->sum += overlaps->pairs[i].depth;
    }
    toc_overlaps_destroy(overlaps);
    return TOC_OK;
}
