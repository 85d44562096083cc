// SPDX-License-Identifier: Apache-2.0
// The report on a mesh: its contents, its defects, and whether it is closed.
//
// Signs of volumes are exact (measure.c). O(n) and the features.
#include <math.h>
#include <string.h>

#include "base/arithmetic.h"
#include "mesh/features.h"
#include "mesh/measure.h"
#include "mesh/shape.h"

static void count_one(size_t *count, int64_t *first, uint32_t element) {
    if (*count == 0) *first = element;
    ++*count;
}

static bool has_repeated_corner(toc_element e) {
    uint32_t distinct[8];
    return toc_ids_distinct(e.corners, e.corner_count, distinct) < e.corner_count;
}

static void inspect_elements(const toc_mesh *mesh, toc_mesh_report *report) {
    for (size_t i = 0; i < mesh->shapes.count; i++) {
        const toc_element e = toc_mesh_get_element(mesh, (uint32_t)i);
        if (e.shape == TOC_REMOVED) continue;
        report->elements++;
        report->shapes[e.shape]++;
        const int sign = toc_measure_sign(mesh, (uint32_t)i, mesh->x0.at);
        if (sign == 0 || has_repeated_corner(e)) count_one(&report->degenerate, &report->first_degenerate, (uint32_t)i);
        if (sign < 0) count_one(&report->inverted, &report->first_inverted, (uint32_t)i);
    }
}

// ---- duplicates: a hash table of elements by shape and corners in ascending order, with open addressing

typedef struct element_key {
    uint32_t shape, corners[8];
} element_key;

static element_key element_key_of(const toc_mesh *mesh, uint32_t element) {
    const toc_element e = toc_mesh_get_element(mesh, element);
    element_key key = {.shape = e.shape};
    for (int i = 0; i < e.corner_count; i++) {
        int j = i;
        for (; j > 0 && key.corners[j - 1] > e.corners[i]; j--) key.corners[j] = key.corners[j - 1];
        key.corners[j] = e.corners[i];
    }
    return key;
}

// Fibonacci hashing: a multiplication and a shift for each word.
static size_t hash_element(const element_key *key) {
    uint64_t h = key->shape;
    for (int i = 0; i < 8; i++) {
        h = (h ^ key->corners[i]) * 0x9e3779b97f4a7c15u;
        h ^= h >> 29;
    }
    return (size_t)h;
}

// Insert an element unless an equal one is there. Slots hold an element plus one, or 0. @return false for a duplicate.
static bool insert_unique(const toc_mesh *mesh, uint32_t *slots, size_t mask, uint32_t element) {
    const element_key key = element_key_of(mesh, element);
    size_t at = hash_element(&key) & mask;
    for (; slots[at] != 0; at = (at + 1) & mask) {
        const element_key other = element_key_of(mesh, slots[at] - 1);
        if (memcmp(&key, &other, sizeof key) == 0) return false;
    }
    slots[at] = element + 1;
    return true;
}

static toc_status inspect_duplicates(const toc_mesh *mesh, toc_mesh_report *report) {
    size_t size = 16;
    while (size < 2 * mesh->shapes.count) size *= 2;
    uint32_t *slots = toc_new(&mesh->allocator, size, sizeof *slots);
    if (!slots) return TOC_OUT_OF_MEMORY;
    for (size_t i = 0; i < mesh->shapes.count; i++)
        if (mesh->shapes.at[i] != TOC_REMOVED && !insert_unique(mesh, slots, size - 1, (uint32_t)i))
            count_one(&report->duplicate, &report->first_duplicate, (uint32_t)i);
    toc_free(&mesh->allocator, slots, size, sizeof *slots);
    return TOC_OK;
}

// ---- the report on features

static void inspect_vertices(const toc_mesh *mesh, const toc_features *f, toc_mesh_report *report) {
    const size_t count = toc_mesh_get_vertex_count(mesh);
    for (size_t v = 0; v < count; v++) report->vertices += toc_mesh_has_vertex(mesh, (uint32_t)v);
    report->unused_vertices = report->vertices - f->vertex_count;
    for (size_t i = 0; i < f->vertex_count; i++) {
        const double *x = mesh->x0.at + 3 * (size_t)f->vertices[i];
        for (int k = 0; k < 3; k++) {
            report->low[k] = i == 0 ? x[k] : fmin(report->low[k], x[k]);
            report->high[k] = i == 0 ? x[k] : fmax(report->high[k], x[k]);
        }
    }
}

static void inspect_lengths(const toc_mesh *mesh, const toc_features *f, toc_mesh_report *report) {
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < f->edge_count; i++) {
        if (f->edge_flags[i] & TOC_FEATURE_DIAGONAL) continue;
        const double *a = mesh->x0.at + 3 * (size_t)f->edges[i][0], *b = mesh->x0.at + 3 * (size_t)f->edges[i][1];
        sum += hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
        count++;
    }
    report->mean_edge = count > 0 ? sum / (double)count : 0;
}

static toc_status inspect_surface(const toc_mesh *mesh, const toc_features *f, toc_mesh_report *report) {
    enum { MANY = 3 };
    uint8_t *faces = toc_new(&mesh->allocator, f->edge_count, 1); // by edge: number of its boundary faces, at most MANY
    if (!faces) return TOC_OUT_OF_MEMORY;
    for (size_t i = 0; i < f->face_count; i++) {
        if (!(f->face_flags[i] & TOC_FEATURE_ON_BOUNDARY)) continue;
        for (int j = 0; j < 3; j++) {
            uint8_t *count = &faces[toc_features_find_edge(f, f->faces[i][j], f->faces[i][(j + 1) % 3])];
            if (*count < MANY) ++*count;
        }
    }
    for (size_t i = 0; i < f->edge_count; i++) {
        report->boundary_edges += faces[i] == 1;
        report->nonmanifold_edges += faces[i] == MANY;
    }
    toc_free(&mesh->allocator, faces, f->edge_count, 1);
    return TOC_OK;
}

toc_status toc_mesh_inspect_sized(const toc_mesh *mesh, toc_mesh_report *out, size_t size) {
    TOC_SCOPED_ARITHMETIC;
    TOC_NEED(out);
    TOC_READ_MESH(mesh);
    toc_mesh_report report = {.first_degenerate = -1,
                              .first_inverted = -1,
                              .first_duplicate = -1,
                              .higher_order = mesh->higher_order,
                              .skinned_vertices = mesh->skinned_vertices};
    toc_features *f;
    TOC_TRY(inspect_duplicates(mesh, &report));
    TOC_TRY(toc_features_make(mesh, false, 1, &f));
    inspect_elements(mesh, &report);
    inspect_vertices(mesh, f, &report);
    inspect_lengths(mesh, f, &report);
    const toc_status status = inspect_surface(mesh, f, &report);
    toc_features_destroy(f);
    if (status != TOC_OK) return status;
    memset(out, 0, size);
    memcpy(out, &report, size < sizeof report ? size : sizeof report);
    return TOC_OK;
}
