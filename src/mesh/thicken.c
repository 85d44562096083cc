// SPDX-License-Identifier: Apache-2.0
// Solids from shells: triangles become wedges and quads become hexes, half a thickness to either side.
//
// Each vertex of a thick shell is moved to both sides along its normal at both ends of the step, and moves on a
// straight line in between: during a step a turning shell is a little thinner than at its ends. O(n).
#include <string.h>

#include "base/arithmetic.h"
#include "base/vec.h"
#include "mesh/mesh.h"

typedef struct thickener {
    const toc_mesh *shells;
    toc_mesh *solids;
    double *normals; // by vertex: sum over the shells around it, weighted by area
    double *halves;  // by vertex: the largest half thickness around it; 0 for none
    uint32_t *below; // by vertex of the shells: the vertex on the far side; TOC_NONE if it is in no thick shell
    double *x;       // positions of the solids, at one end
} thickener;

static bool is_thick(const toc_element *e) {
    return (e->shape == TOC_TRIANGLE || e->shape == TOC_QUAD) && e->thickness > 0;
}

// The normal, twice as long as the area; for a quad, the cross product of its diagonals.
static toc_vec shell_normal(const toc_element *e, const double *x) {
    const toc_vec a = toc_vec_of(x + 3 * (size_t)e->corners[0]), b = toc_vec_of(x + 3 * (size_t)e->corners[1]);
    const toc_vec c = toc_vec_of(x + 3 * (size_t)e->corners[2]);
    if (e->shape == TOC_TRIANGLE) return toc_vec_cross(toc_vec_sub(b, a), toc_vec_sub(c, a));
    const toc_vec d = toc_vec_of(x + 3 * (size_t)e->corners[3]);
    return toc_vec_cross(toc_vec_sub(c, a), toc_vec_sub(d, b));
}

static void find_normals(thickener *t, const double *x) {
    const size_t vertices = toc_mesh_get_vertex_count(t->shells);
    memset(t->normals, 0, 3 * vertices * sizeof *t->normals);
    for (uint32_t i = 0; i < toc_mesh_get_element_count(t->shells); i++) {
        const toc_element e = toc_mesh_get_element(t->shells, i);
        if (!is_thick(&e)) continue;
        const toc_vec n = shell_normal(&e, x);
        for (int j = 0; j < e.corner_count; j++) {
            double *at = t->normals + 3 * (size_t)e.corners[j];
            toc_vec_to(at, toc_vec_add(toc_vec_of(at), n));
        }
    }
}

// Set the positions of the solids at one end: vertices of thick shells above and below, all others unchanged.
static void place_solids(thickener *t, const double *x) {
    find_normals(t, x);
    for (uint32_t v = 0; v < toc_mesh_get_vertex_count(t->shells); v++) {
        const toc_vec at = toc_vec_of(x + 3 * (size_t)v);
        toc_vec_to(t->x + 3 * (size_t)v, at);
        if (t->below[v] == TOC_NONE) continue;
        const toc_vec out = toc_vec_scale(toc_vec_unit(toc_vec_of(t->normals + 3 * (size_t)v)), t->halves[v]);
        toc_vec_to(t->x + 3 * (size_t)v, toc_vec_add(at, out));
        toc_vec_to(t->x + 3 * (size_t)t->below[v], toc_vec_sub(at, out));
    }
}

// Number the doubles of vertices of thick shells, in order after all other vertices. @return the number of vertices.
static size_t number_vertices(thickener *t) {
    const size_t vertices = toc_mesh_get_vertex_count(t->shells);
    size_t count = vertices;
    for (uint32_t i = 0; i < toc_mesh_get_element_count(t->shells); i++) {
        const toc_element e = toc_mesh_get_element(t->shells, i);
        for (int j = 0; j < e.corner_count && is_thick(&e); j++)
            t->halves[e.corners[j]] = toc_larger(t->halves[e.corners[j]], e.thickness / 2);
    }
    for (size_t v = 0; v < vertices; v++) t->below[v] = t->halves[v] > 0 ? (uint32_t)count++ : TOC_NONE;
    return count;
}

// Add an element of the solids. The first side of a wedge is counter-clockwise seen from outside, that of a hex from
// inside.
static toc_status add_element(thickener *t, uint32_t element) {
    const toc_element e = toc_mesh_get_element(t->shells, element);
    uint32_t corners[8], added;
    toc_shape shape = e.shape;
    if (e.shape == TOC_REMOVED) return TOC_OK;
    memcpy(corners, e.corners, (size_t)e.corner_count * sizeof *corners);
    if (is_thick(&e)) {
        const bool quad = e.shape == TOC_QUAD;
        shape = quad ? TOC_HEX : TOC_WEDGE;
        for (int j = 0; j < e.corner_count; j++) {
            const uint32_t above = e.corners[j], below = t->below[e.corners[j]];
            corners[j] = quad ? below : above;
            corners[j + e.corner_count] = quad ? above : below;
        }
    }
    TOC_TRY(toc_mesh_add_elements(t->solids, shape, 1, corners, &added));
    return e.group ? toc_mesh_set_group(t->solids, added, e.group) : TOC_OK;
}

// Elements are added in order, without the removed ones.
static toc_status label_solid_elements(thickener *t) {
    const toc_allocator *memory = &t->shells->allocator;
    const size_t elements = toc_mesh_get_element_count(t->shells), labelled = t->shells->element_labels.count;
    int64_t *labels = toc_new(memory, elements, sizeof *labels);
    size_t count = 0;
    if (!labels) return TOC_OUT_OF_MEMORY;
    for (uint32_t e = 0; e < labelled; e++) {
        if (toc_mesh_shape(t->shells, e) != TOC_REMOVED) toc_mesh_get_element_label(t->shells, e, &labels[count++]);
    }
    const toc_status status = toc_mesh_set_element_labels(t->solids, count, labels);
    toc_free(memory, labels, elements, sizeof *labels);
    return status;
}

static toc_status name_solids(thickener *t) {
    const toc_mesh *shells = t->shells;
    for (size_t i = 0; i < shells->named.count; i++)
        TOC_TRY(toc_mesh_set_group_name(t->solids, shells->named.at[i].group,
                                        shells->names.at + shells->named.at[i].first));
    const toc_id_labels *labels = &shells->vertex_labels;
    if (labels->each.count > 0) TOC_TRY(toc_mesh_set_vertex_labels(t->solids, labels->count, labels->each.at));
    t->solids->vertex_labels.count = labels->count;
    t->solids->vertex_labels.first = labels->first;
    return label_solid_elements(t);
}

static toc_status fill_solids(thickener *t, double *x0, double *x1, size_t count) {
    t->x = x0;
    place_solids(t, toc_mesh_get_x0(t->shells));
    t->x = x1;
    place_solids(t, toc_mesh_get_x1(t->shells));
    TOC_TRY(toc_mesh_add_vertices(t->solids, count, x0, NULL));
    for (uint32_t e = 0; e < toc_mesh_get_element_count(t->shells); e++) TOC_TRY(add_element(t, e));
    TOC_TRY(name_solids(t));
    return toc_mesh_set_motion(t->solids, toc_mesh_get_vertex_count(t->solids), x0, x1);
}

static toc_status thicken(thickener *t) {
    const toc_allocator *memory = &t->shells->allocator;
    const size_t count = number_vertices(t);
    double *x0 = toc_new(memory, 3 * count, sizeof *x0), *x1 = toc_new(memory, 3 * count, sizeof *x1);
    const toc_status status = x0 && x1 ? fill_solids(t, x0, x1, count) : TOC_OUT_OF_MEMORY;
    toc_free(memory, x0, 3 * count, sizeof *x0);
    toc_free(memory, x1, 3 * count, sizeof *x1);
    return status;
}

toc_status toc_mesh_thicken(const toc_mesh *mesh, toc_mesh **out) {
    TOC_SCOPED_ARITHMETIC;
    TOC_NEED(out);
    TOC_READ_MESH(mesh);
    const toc_allocator *memory = &mesh->allocator;
    const size_t vertices = toc_mesh_get_vertex_count(mesh);
    thickener t = {.shells = mesh};
    toc_status status = toc_mesh_create(memory, &t.solids);
    t.normals = toc_new(memory, 3 * vertices, sizeof *t.normals);
    t.halves = toc_new(memory, vertices, sizeof *t.halves);
    t.below = toc_new(memory, vertices, sizeof *t.below);
    if (status == TOC_OK && (!t.normals || !t.halves || !t.below)) status = TOC_OUT_OF_MEMORY;
    if (status == TOC_OK) status = thicken(&t);
    toc_free(memory, t.normals, 3 * vertices, sizeof *t.normals);
    toc_free(memory, t.halves, vertices, sizeof *t.halves);
    toc_free(memory, t.below, vertices, sizeof *t.below);
    if (status == TOC_OK)
        *out = t.solids;
    else
        toc_mesh_destroy(t.solids);
    return status;
}
