// SPDX-License-Identifier: Apache-2.0
// The definition of a character in arrays that grow.
#include "scenes/skeleton.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static toc_status lacks_memory(void) { return toc_message_set(TOC_OUT_OF_MEMORY, "out of memory"); }

toc_status skeleton_begin(const toc_mesh *cage, size_t joints, skeleton *out) {
    *out = (skeleton){.parents = malloc((joints + 1) * sizeof *out->parents),
                      .inverse_binds = calloc(12 * joints + 1, sizeof *out->inverse_binds)};
    if (!out->parents || !out->inverse_binds) return lacks_memory();
    for (size_t j = 0; j < joints; j++) {
        out->parents[j] = UINT32_MAX;
        for (size_t k = 0; k < 3; k++) out->inverse_binds[12 * j + 5 * k] = 1;
    }
    out->def = (toc_character_def){
        .cage = cage, .joint_count = joints, .parents = out->parents, .inverse_binds = out->inverse_binds};
    return TOC_OK;
}

static bool reserve_weights(skeleton *s, size_t count) {
    if (s->weight_count + count <= s->weight_room) return true;
    const size_t room = 2 * s->weight_room + count + 1024;
    uint32_t *joints = realloc(s->joints, room * sizeof *joints);
    if (joints) s->joints = joints;
    double *weights = realloc(s->weights, room * sizeof *weights);
    if (weights) s->weights = weights;
    if (joints && weights) s->weight_room = room;
    return joints && weights;
}

static bool reserve_vertex(skeleton *s) {
    if (s->vertex_count < s->vertex_room) return true;
    const size_t room = 2 * s->vertex_room + 1024;
    size_t *ends = realloc(s->weight_ends, room * sizeof *ends);
    if (!ends) return false;
    s->weight_ends = ends;
    s->vertex_room = room;
    return true;
}

toc_status skeleton_add_vertex(skeleton *s, size_t count, const uint32_t *joints, const double *weights) {
    if (!reserve_weights(s, count) || !reserve_vertex(s)) return lacks_memory();
    for (size_t i = 0; i < count; i++) {
        if (weights[i] == 0) continue;
        s->joints[s->weight_count] = joints[i];
        s->weights[s->weight_count++] = weights[i];
    }
    s->weight_ends[s->vertex_count++] = s->weight_count;
    s->def.weight_ends = s->weight_ends;
    s->def.joints = s->joints;
    s->def.weights = s->weights;
    return TOC_OK;
}

void skeleton_free(skeleton *s) {
    free(s->parents);
    free(s->joints);
    free(s->inverse_binds);
    free(s->weights);
    free(s->weight_ends);
    *s = (skeleton){0};
}
