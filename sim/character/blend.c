// SPDX-License-Identifier: Apache-2.0
// The weights of a cage: on its boundary those of the skin, within the mean of the neighbours.
//
// The nearest point of the skin jumps where two sides are equally near; weights that follow it turn tets over as soon
// as the joints move. A vertex inside takes the mean of the corners of its tets instead, in sweeps (Gauss and Seidel).
#include "sim/character/envelope.h"

typedef struct blend_state {
    const toc_allocator *memory;
    const toc_mesh *mesh;
    envelope_blend *blends;
    size_t joints;
    TOC_ARRAY(uint8_t) fixed;          // by vertex: on the boundary
    TOC_ARRAY(uint32_t) first, tet_of; // by vertex: its tets
    TOC_ARRAY(double) sums;            // by joint
    TOC_ARRAY(uint32_t) found;         // joints with a sum
} blend_state;

static toc_status fix_boundary(blend_state *b) {
    toc_features *f;
    TOC_TRY(toc_array_room(b->memory, &b->fixed, toc_mesh_get_vertex_count(b->mesh)));
    TOC_TRY(toc_mesh_find_features(b->mesh, &f));
    for (size_t i = 0; i < f->vertex_count; i++)
        b->fixed.at[f->vertices[i]] = (f->vertex_flags[i] & TOC_FEATURE_ON_BOUNDARY) != 0;
    toc_features_destroy(f);
    return TOC_OK;
}

static toc_status list_tets_around(blend_state *b) {
    const size_t vertices = toc_mesh_get_vertex_count(b->mesh);
    const uint32_t tets = (uint32_t)toc_mesh_get_element_count(b->mesh);
    TOC_TRY(toc_array_room(b->memory, &b->first, vertices + 2));
    TOC_TRY(toc_array_room(b->memory, &b->tet_of, 4 * (size_t)tets));
    uint32_t *first = b->first.at;
    for (uint32_t t = 0; t < tets; t++)
        for (int k = 0; k < 4; k++) first[toc_mesh_get_element(b->mesh, t).corners[k] + 2]++;
    for (size_t v = 2; v < vertices + 2; v++) first[v] += first[v - 1];
    for (uint32_t t = 0; t < tets; t++)
        for (int k = 0; k < 4; k++) b->tet_of.at[first[toc_mesh_get_element(b->mesh, t).corners[k] + 1]++] = t;
    return TOC_OK;
}

static void gather_blend(blend_state *b, const envelope_blend *from) {
    for (size_t i = 0; i < from->count; i++) {
        double *sum = &b->sums.at[from->joints[i]];
        if (*sum == 0) b->found.at[b->found.count++] = from->joints[i];
        *sum += from->weights[i];
    }
}

/// Take the largest sums, and forget all.
static void take_largest(blend_state *b, envelope_blend *to) {
    double total = 0;
    to->count = 0;
    while (to->count < CAGE_JOINTS && to->count < b->found.count) {
        size_t most = to->count;
        for (size_t i = most + 1; i < b->found.count; i++)
            if (b->sums.at[b->found.at[i]] > b->sums.at[b->found.at[most]]) most = i;
        const uint32_t joint = b->found.at[most];
        b->found.at[most] = b->found.at[to->count];
        b->found.at[to->count] = joint;
        to->joints[to->count] = joint;
        total += to->weights[to->count++] = b->sums.at[joint];
    }
    for (size_t i = 0; i < to->count; i++) to->weights[i] /= total;
    for (size_t i = 0; i < b->found.count; i++) b->sums.at[b->found.at[i]] = 0;
    b->found.count = 0;
}

static void sweep_blends(blend_state *b) {
    for (uint32_t v = 0; v < toc_mesh_get_vertex_count(b->mesh); v++) {
        if (b->fixed.at[v] || b->first.at[v] == b->first.at[v + 1]) continue;
        for (uint32_t i = b->first.at[v]; i < b->first.at[v + 1]; i++) {
            const toc_element t = toc_mesh_get_element(b->mesh, b->tet_of.at[i]);
            for (int k = 0; k < 4; k++)
                if (t.corners[k] != v) gather_blend(b, &b->blends[t.corners[k]]);
        }
        take_largest(b, &b->blends[v]);
    }
}

static toc_status smooth_blends(blend_state *b) {
    enum { SWEEPS = 30 };
    TOC_TRY(fix_boundary(b));
    TOC_TRY(list_tets_around(b));
    TOC_TRY(toc_array_room(b->memory, &b->sums, b->joints));
    TOC_TRY(toc_array_room(b->memory, &b->found, b->joints));
    for (int i = 0; i < SWEEPS; i++) sweep_blends(b);
    return TOC_OK;
}

toc_status toc_envelope_smooth(const toc_allocator *memory, const toc_mesh *mesh, size_t joints,
                               envelope_blend *blends) {
    blend_state b = {.memory = memory, .mesh = mesh, .blends = blends, .joints = joints};
    const toc_status status = smooth_blends(&b);
    toc_array_free(memory, &b.fixed);
    toc_array_free(memory, &b.first);
    toc_array_free(memory, &b.tet_of);
    toc_array_free(memory, &b.sums);
    toc_array_free(memory, &b.found);
    return status;
}
