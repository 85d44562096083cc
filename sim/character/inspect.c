// SPDX-License-Identifier: Apache-2.0
// How well a cage fits a skin: distances, contacts and shapes in the bind pose.
#include "base/arithmetic.h"
#include "sim/character/envelope.h"

#include "sim/core/vector.h"

// ---- tets

/// Mean ratio: 12 (3 V)^(2/3) over the sum of squared edges, 1 for a regular tet.
static double tet_quality(const double *x, const uint32_t v[4]) {
    double e[3][3], sum = 0;
    for (int k = 0; k < 3; k++) sim_sub(x + 3 * (size_t)v[k + 1], x + 3 * (size_t)v[0], e[k]);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < i; j++) {
            double d[3];
            sim_sub(x + 3 * (size_t)v[i], x + 3 * (size_t)v[j], d);
            sum += sim_dot(d, d);
        }
    return sum > 0 ? 12 * cbrt(pow(fabs(sim_determinant(e)) / 2, 2)) / sum : 0;
}

static uint32_t find_set(uint32_t *parents, uint32_t v) {
    while (parents[v] != v) v = parents[v] = parents[parents[v]];
    return v;
}

/// Count tets and components; `parents` are CHARACTER_NONE.
static void join_cage_tets(const toc_mesh *cage, uint32_t *parents, toc_cage_report *r) {
    const double *x = toc_mesh_get_x1(cage);
    r->worst = 1;
    for (uint32_t e = 0; e < toc_mesh_get_element_count(cage); e++) {
        const toc_element t = toc_mesh_get_element(cage, e);
        if (t.shape != TOC_TET) continue;
        r->tets++;
        r->worst = fmin(r->worst, tet_quality(x, t.corners));
        for (int k = 0; k < 4; k++)
            if (parents[t.corners[k]] == CHARACTER_NONE) parents[t.corners[k]] = t.corners[k];
        for (int k = 1; k < 4; k++) parents[find_set(parents, t.corners[0])] = find_set(parents, t.corners[k]);
    }
    for (uint32_t v = 0; v < toc_mesh_get_vertex_count(cage); v++) r->components += parents[v] == v;
}

static toc_status inspect_tets(const toc_allocator *memory, const toc_mesh *cage, toc_cage_report *r) {
    const size_t vertices = toc_mesh_get_vertex_count(cage);
    uint32_t *parents = toc_new(memory, vertices, sizeof *parents);
    if (!parents) return TOC_OUT_OF_MEMORY;
    memset(parents, 0xff, vertices * sizeof *parents);
    join_cage_tets(cage, parents, r);
    toc_free(memory, parents, vertices, sizeof *parents);
    return TOC_OK;
}

// ---- distances

static toc_status inspect_boundary(const envelope_field *field, const toc_mesh *cage, toc_cage_report *r) {
    toc_features *f;
    TOC_TRY(toc_mesh_find_features(cage, &f));
    for (size_t i = 0; i < f->face_count; i++) {
        const toc_element t = toc_mesh_get_element(cage, f->face_elements.items[f->face_elements.first[i]]);
        if (!(f->face_flags[i] & TOC_FEATURE_ON_BOUNDARY) || t.shape != TOC_TET) continue;
        const double out =
            toc_envelope_find_face(field, toc_mesh_get_x1(cage), f->faces[i], t.corners, r->outward * field->height);
        r->outward = fmax(r->outward, out / field->height);
    }
    toc_features_destroy(f);
    return TOC_OK;
}

static toc_status inspect_distances(const toc_allocator *memory, const toc_character_def *cage,
                                    const toc_character_def *skin, toc_cage_report *r) {
    envelope_field field;
    character_lattice samples = {.memory = memory, .field = &field};
    toc_binding *binding = NULL;
    toc_status status = toc_envelope_make_field(memory, skin, 0.005, &field);
    if (status == TOC_OK) status = toc_lattice_sample(&samples);
    double *points = status == TOC_OK ? toc_new(memory, samples.samples.count, 3 * sizeof *points) : NULL;
    if (status == TOC_OK && !points) status = TOC_OUT_OF_MEMORY;
    for (size_t i = 0; i < samples.samples.count && points; i++) sim_copy(samples.samples.at[i].x, points + 3 * i);
    if (status == TOC_OK) status = toc_binding_create(cage->cage, samples.samples.count, points, memory, &binding);
    if (status == TOC_OK) {
        r->height = field.height;
        r->inward = toc_binding_get_distance(binding) / field.height;
        status = inspect_boundary(&field, cage->cage, r);
    }
    toc_free(memory, points, samples.samples.count, 3 * sizeof *points);
    toc_binding_destroy(binding);
    toc_lattice_free(&samples);
    toc_envelope_free_field(memory, &field);
    return status;
}

// ---- contacts

/// Contacts between characters are those of the skin, which stands in itself.
static void tell_contacts_apart(const toc_character *c, const envelope_groups *groups, toc_cage_report *r) {
    for (size_t i = 0; i < c->hits.count; i++) {
        const character_hit *hit = &c->hits.at[i];
        const uint32_t own = groups->of_joint.at[c->part_of.at[hit->vertex]];
        if (own == groups->of_joint.at[c->part_of.at[c->tets.at[hit->tet].v[0]]])
            r->contacts++;
        else
            r->between++;
    }
}

/// A character has unit matrices before its first frame.
static toc_status inspect_contacts(toc_character *c, const toc_character_def *skin, toc_cage_report *r) {
    toc_character_report frame;
    envelope_groups groups;
    TOC_TRY(toc_character_step(c, c->joint_count, c->matrices.at, &frame));
    r->inverted = frame.inverted;
    const toc_status status = toc_envelope_find_groups(&c->memory, skin, &groups);
    r->characters = groups.groups.count;
    if (status == TOC_OK) tell_contacts_apart(c, &groups, r);
    toc_envelope_free_groups(&c->memory, &groups);
    return status;
}

toc_status toc_cage_inspect_sized(const toc_character_def *cage, const toc_character_def *skin, toc_cage_report *report,
                                  size_t size) {
    TOC_SCOPED_ARITHMETIC;
    TOC_NEED(cage);
    TOC_NEED(skin);
    TOC_NEED(report);
    const toc_allocator memory = toc_allocator_get_default();
    toc_character_settings settings = toc_character_settings_default();
    toc_cage_report r = {0};
    toc_character *c;
    settings.preset = TOC_CHARACTER_HASH;
    TOC_TRY(toc_character_check_joints(skin));
    TOC_TRY(toc_envelope_check_skin(&memory, skin));
    if (cage->joint_count != skin->joint_count)
        return toc_fail(TOC_BAD_INPUT, "the cage has %zu joints, the skin %zu", cage->joint_count, skin->joint_count);
    TOC_TRY(toc_character_create(cage, &settings, NULL, &c));
    toc_status status = inspect_tets(&memory, cage->cage, &r);
    if (status == TOC_OK) status = inspect_contacts(c, skin, &r);
    if (status == TOC_OK) status = inspect_distances(&memory, cage, skin, &r);
    toc_character_destroy(c);
    if (status != TOC_OK) return status;
    memset(report, 0, size);
    memcpy(report, &r, size < sizeof r ? size : sizeof r);
    return TOC_OK;
}
