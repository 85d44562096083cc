// SPDX-License-Identifier: Apache-2.0
// Cages made around a skin: a lattice is refined until its cut fits, and the cut takes the weights of the skin.
#include "base/arithmetic.h"
#include "sim/character/envelope.h"

#include "sim/core/defaults.h"
#include "sim/core/vector.h"

static const double error_share = 0.7;  // of the distance, that a linear field may err
static const double bound_share = 0.95; // of the distance, from where on tets are divided again

struct toc_cage {
    toc_allocator memory;
    toc_mesh *mesh;
    toc_character_def def;
    TOC_ARRAY(uint32_t) parents, joints;
    TOC_ARRAY(double) inverse_binds, weights;
    TOC_ARRAY(size_t) weight_ends;
};

static const toc_cage_settings cage_default = {.size = sizeof cage_default, .distance = 0.005};

const toc_settings toc_cage_kind = {"toc_cage_settings_init", sizeof cage_default, sizeof cage_default, &cage_default};

static toc_status check_cage_settings(const toc_cage_settings *s) {
    if (!(s->distance >= 0.0005 && s->distance <= 0.1))
        return toc_fail(TOC_BAD_INPUT, "the distance is %g; 0.0005 to 0.1 heights are possible", s->distance);
    if (s->tets > 1000000) return toc_fail(TOC_BAD_INPUT, "%zu tets; 1000000 are possible at most", s->tets);
    return TOC_OK;
}

// ---- fitting

/// A lattice on its way to a cage.
typedef struct cage_fit {
    const toc_allocator *memory;
    envelope_field field;
    character_lattice lattice;
    envelope_cut cut;
    toc_mesh *mesh;
    TOC_ARRAY(uint8_t) bad;    // samples out of the cage
    TOC_ARRAY(uint8_t) coarse; // tets of the lattice at whose surface the cage lies too far out
} cage_fit;

static toc_status make_cut_mesh(cage_fit *fit) {
    toc_mesh_destroy(fit->mesh);
    fit->mesh = NULL;
    TOC_TRY(toc_mesh_create(fit->memory, &fit->mesh));
    for (size_t v = 0; v < fit->cut.vertices.count; v++)
        TOC_TRY(toc_mesh_add_vertices(fit->mesh, 1, fit->cut.vertices.at[v].x, NULL));
    return toc_mesh_add_elements(fit->mesh, TOC_TET, fit->cut.tets.count / 4, fit->cut.tets.at, NULL);
}

static toc_status cut_again(cage_fit *fit) {
    toc_cut_free(fit->memory, &fit->cut);
    TOC_TRY(toc_cut_make(&fit->lattice, &fit->cut));
    if (fit->cut.tets.count == 0)
        return toc_fail(TOC_BAD_INPUT, "the skin is thinner than each of the %zu tets around it; ask for more tets",
                        fit->lattice.tets.count);
    return make_cut_mesh(fit);
}

static toc_status bind_samples(cage_fit *fit, toc_binding **out) {
    const size_t samples = fit->lattice.samples.count;
    double *points = toc_new(fit->memory, samples, 3 * sizeof *points);
    if (!points) return TOC_OUT_OF_MEMORY;
    for (size_t i = 0; i < samples; i++) sim_copy(fit->lattice.samples.at[i].x, points + 3 * i);
    const toc_status status = toc_binding_create(fit->mesh, samples, points, fit->memory, out);
    toc_free(fit->memory, points, samples, 3 * sizeof *points);
    return status;
}

/// Mark the samples farther from the cage than the bound.
static toc_status mark_samples(cage_fit *fit, double bound, bool *any) {
    const size_t samples = fit->lattice.samples.count;
    toc_binding *binding;
    TOC_TRY(toc_array_room(fit->memory, &fit->bad, samples));
    TOC_TRY(bind_samples(fit, &binding));
    for (size_t i = 0; i < samples; i++) {
        fit->bad.at[i] = toc_binding_get_distance_of(binding, i) > bound;
        *any |= fit->bad.at[i];
    }
    toc_binding_destroy(binding);
    return TOC_OK;
}

/// Mark the tets of the lattice where the boundary lies too far out.
static toc_status mark_tets(cage_fit *fit, double bound, bool *any) {
    const double *x = toc_mesh_get_x1(fit->mesh);
    toc_features *f;
    TOC_TRY(toc_array_room(fit->memory, &fit->coarse, fit->lattice.tets.count));
    memset(fit->coarse.at, 0, fit->lattice.tets.count);
    TOC_TRY(toc_mesh_find_features(fit->mesh, &f));
    for (size_t i = 0; i < f->face_count; i++) {
        if (!(f->face_flags[i] & TOC_FEATURE_ON_BOUNDARY)) continue;
        const uint32_t tet = f->face_elements.items[f->face_elements.first[i]];
        uint8_t *mark = &fit->coarse.at[fit->cut.within.at[tet]];
        const uint32_t *corners = fit->cut.tets.at + 4 * (size_t)tet;
        if (*mark || toc_envelope_find_face(&fit->field, x, f->faces[i], corners, bound) <= bound) continue;
        *mark = 1;
        *any = true;
    }
    toc_features_destroy(f);
    return TOC_OK;
}

static toc_status fit_to_distance(cage_fit *fit, double distance) {
    enum { ROUNDS = 6 };
    const double bound = bound_share * distance * fit->field.height;
    TOC_TRY(toc_lattice_refine(&fit->lattice, error_share * distance * fit->field.height));
    for (int round = 0;; round++) {
        bool any = false;
        TOC_TRY(cut_again(fit));
        if (round == ROUNDS) return TOC_OK;
        TOC_TRY(mark_samples(fit, bound, &any));
        TOC_TRY(mark_tets(fit, bound, &any));
        if (!any || fit->lattice.tets.count > ENOUGH_TETS) return TOC_OK;
        TOC_TRY(toc_lattice_divide(&fit->lattice, fit->coarse.at, fit->bad.at));
    }
}

/// A lattice of a tolerance, cut.
static toc_status cut_fresh(cage_fit *fit, double tolerance) {
    toc_lattice_free(&fit->lattice);
    TOC_TRY(toc_lattice_make(fit->memory, &fit->field, &fit->lattice));
    fit->lattice.finest = fmin(fit->lattice.finest, tolerance);
    TOC_TRY(toc_lattice_refine(&fit->lattice, tolerance));
    return cut_again(fit);
}

/// Trial by trial: the number of tets is about inverse to the tolerance; between two trials the middle is next.
static toc_status fit_to_count(cage_fit *fit, double distance, size_t tets) {
    enum { TRIALS = 12 };
    double tolerance = error_share * distance * fit->field.height, fine = 0, coarse = INFINITY;
    for (int trial = 0; trial < TRIALS; trial++) {
        TOC_TRY(cut_fresh(fit, tolerance));
        const double ratio = (double)fit->cut.within.count / (double)tets;
        if (ratio > 0.85 && ratio < 1.15) return TOC_OK;
        if (ratio > 1)
            fine = tolerance;
        else
            coarse = tolerance;
        tolerance *= fmin(8, fmax(0.125, ratio));
        if (tolerance <= fine || tolerance >= coarse) tolerance = sqrt(fine * coarse);
    }
    return TOC_OK;
}

// ---- weights

static toc_status add_cage_weights(toc_cage *cage, const envelope_blend *blend) {
    TOC_TRY(toc_array_reserve(&cage->memory, &cage->joints, blend->count));
    TOC_TRY(toc_array_reserve(&cage->memory, &cage->weights, blend->count));
    TOC_TRY(toc_array_reserve(&cage->memory, &cage->weight_ends, 1));
    for (size_t i = 0; i < blend->count; i++) {
        cage->joints.at[cage->joints.count++] = blend->joints[i];
        cage->weights.at[cage->weights.count++] = blend->weights[i];
    }
    cage->weight_ends.at[cage->weight_ends.count++] = cage->joints.count;
    return TOC_OK;
}

static envelope_blend blend_at(const envelope_field *field, const soup_place *place) {
    envelope_blend out;
    double sum = 0;
    out.count = toc_envelope_blend(field, place, CAGE_JOINTS, out.joints, out.weights);
    for (size_t i = 0; i < out.count; i++) sum += out.weights[i];
    for (size_t i = 0; i < out.count; i++) out.weights[i] /= sum;
    return out;
}

static toc_status take_weights_of_skin(toc_cage *cage, const cage_fit *fit) {
    const size_t count = fit->cut.vertices.count;
    envelope_blend *blends = toc_new(fit->memory, count, sizeof *blends);
    if (!blends) return TOC_OUT_OF_MEMORY;
    for (size_t v = 0; v < count; v++) blends[v] = blend_at(&fit->field, &fit->cut.vertices.at[v].place);
    toc_status status = toc_envelope_smooth(fit->memory, fit->mesh, fit->field.skin->joint_count, blends);
    for (size_t v = 0; v < count && status == TOC_OK; v++) status = add_cage_weights(cage, &blends[v]);
    toc_free(fit->memory, blends, count, sizeof *blends);
    return status;
}

static toc_status take_skin_joints(toc_cage *cage, const toc_character_def *skin) {
    const size_t count = skin->joint_count;
    TOC_TRY(toc_array_room(&cage->memory, &cage->parents, count));
    TOC_TRY(toc_array_room(&cage->memory, &cage->inverse_binds, 12 * count));
    memcpy(cage->parents.at, skin->parents, count * sizeof *skin->parents);
    memcpy(cage->inverse_binds.at, skin->inverse_binds, 12 * count * sizeof *skin->inverse_binds);
    return TOC_OK;
}

/// Add the tets of a fit behind those of other characters.
static toc_status take_fit(toc_cage *cage, cage_fit *fit) {
    uint32_t *corners = fit->cut.tets.at, first;
    TOC_TRY(take_weights_of_skin(cage, fit));
    TOC_TRY(
        toc_mesh_add_vertices(cage->mesh, toc_mesh_get_vertex_count(fit->mesh), toc_mesh_get_x1(fit->mesh), &first));
    for (size_t i = 0; i < fit->cut.tets.count; i++) corners[i] += first;
    return toc_mesh_add_elements(cage->mesh, TOC_TET, fit->cut.tets.count / 4, corners, NULL);
}

static toc_status finish_cage(toc_cage *cage, const toc_character_def *skin) {
    TOC_TRY(take_skin_joints(cage, skin));
    cage->def = (toc_character_def){.cage = cage->mesh,
                                    .joint_count = skin->joint_count,
                                    .parents = cage->parents.at,
                                    .inverse_binds = cage->inverse_binds.at,
                                    .weight_ends = cage->weight_ends.at,
                                    .joints = cage->joints.at,
                                    .weights = cage->weights.at};
    return TOC_OK;
}

/// Fit a lattice to a skin, and add its tets.
static toc_status fit_skin(toc_cage *cage, const toc_character_def *skin, double distance, size_t tets) {
    cage_fit fit = {.memory = &cage->memory};
    toc_status status = toc_envelope_make_field(&cage->memory, skin, distance, &fit.field);
    if (status == TOC_OK) status = toc_lattice_make(&cage->memory, &fit.field, &fit.lattice);
    if (status == TOC_OK) status = tets > 0 ? fit_to_count(&fit, distance, tets) : fit_to_distance(&fit, distance);
    if (status == TOC_OK) status = take_fit(cage, &fit);
    toc_mesh_destroy(fit.mesh);
    toc_array_free(&cage->memory, &fit.bad);
    toc_array_free(&cage->memory, &fit.coarse);
    toc_cut_free(&cage->memory, &fit.cut);
    if (fit.lattice.memory) toc_lattice_free(&fit.lattice);
    toc_envelope_free_field(&cage->memory, &fit.field);
    return status;
}

// ---- characters: each gets a cage of its own, wherever the others stand

/// The triangles of a group, with all vertices of the skin.
static toc_status take_group_triangles(const toc_allocator *memory, const toc_character_def *skin,
                                       const envelope_groups *groups, uint32_t group, toc_mesh **out) {
    TOC_TRY(toc_mesh_create(memory, out));
    toc_status status =
        toc_mesh_add_vertices(*out, toc_mesh_get_vertex_count(skin->cage), toc_mesh_get_x1(skin->cage), NULL);
    for (uint32_t e = 0; e < toc_mesh_get_element_count(skin->cage) && status == TOC_OK; e++) {
        const toc_element t = toc_mesh_get_element(skin->cage, e);
        if (t.shape == TOC_TRIANGLE && toc_envelope_group_of(groups, skin, t.corners) == group)
            status = toc_mesh_add_elements(*out, TOC_TRIANGLE, 1, t.corners, NULL);
    }
    if (status != TOC_OK) toc_mesh_destroy(*out);
    return status;
}

static double box_height(const character_box *box) {
    double height = 0;
    for (int k = 0; k < 3; k++) height = fmax(height, box->high[k] - box->low[k]);
    return height;
}

/// The distance counts in heights of the character; one that is small beside the whole skin gets a coarser cage.
static toc_status fit_group(toc_cage *cage, const toc_character_def *skin, const envelope_groups *groups,
                            uint32_t group, const toc_cage_settings *s) {
    static const double least_height = 0.1, most_distance = 0.1; // of the whole skin; of the own height
    character_box all = character_box_empty();
    double area = 0;
    for (size_t i = 0; i < groups->groups.count; i++) {
        const envelope_group *g = &groups->groups.at[i];
        character_box_add(&all, g->box.low);
        character_box_add(&all, g->box.high);
        area += g->area;
    }
    const envelope_group *own = &groups->groups.at[group];
    const double larger = fmax(1, least_height * box_height(&all) / box_height(&own->box));
    const double distance = fmin(s->distance * larger, fmax(most_distance, s->distance));
    const double share = own->area / area * (double)s->tets;
    toc_character_def part = *skin;
    toc_mesh *mesh;
    TOC_TRY(take_group_triangles(&cage->memory, skin, groups, group, &mesh));
    part.cage = mesh;
    const toc_status status = fit_skin(cage, &part, distance, s->tets > 0 ? (size_t)fmax(share, 1) : 0);
    toc_mesh_destroy(mesh);
    return status;
}

static toc_status fit_groups(toc_cage *cage, const toc_character_def *skin, const toc_cage_settings *s) {
    envelope_groups groups;
    size_t solid = 0;
    toc_status status = toc_envelope_find_groups(&cage->memory, skin, &groups);
    for (size_t i = 0; i < groups.groups.count && status == TOC_OK; i++) solid += groups.groups.at[i].area > 0;
    if (status == TOC_OK && solid <= 1) status = fit_skin(cage, skin, s->distance, s->tets);
    for (uint32_t i = 0; i < groups.groups.count && status == TOC_OK && solid > 1; i++)
        if (groups.groups.at[i].area > 0) status = fit_group(cage, skin, &groups, i, s);
    toc_envelope_free_groups(&cage->memory, &groups);
    return status;
}

static toc_status make_cage(toc_cage *cage, const toc_character_def *skin, const toc_cage_settings *s) {
    TOC_TRY(toc_envelope_check_skin(&cage->memory, skin));
    TOC_TRY(toc_mesh_create(&cage->memory, &cage->mesh));
    TOC_TRY(fit_groups(cage, skin, s));
    return finish_cage(cage, skin);
}

// ---- the public functions

toc_status toc_cage_create(const toc_character_def *skin, const toc_cage_settings *settings,
                           const toc_allocator *allocator, toc_cage **out) {
    TOC_SCOPED_ARITHMETIC;
    TOC_NEED(skin);
    TOC_NEED(out);
    toc_cage_settings taken;
    TOC_TRY(toc_settings_take(&toc_cage_kind, settings ? settings : &cage_default, &taken));
    TOC_TRY(check_cage_settings(&taken));
    TOC_TRY(toc_character_check_joints(skin));
    const toc_allocator memory = toc_allocator_or_default(allocator);
    toc_cage *cage = toc_new(&memory, 1, sizeof *cage);
    if (!cage) return TOC_OUT_OF_MEMORY;
    cage->memory = memory;
    const toc_status status = make_cage(cage, skin, &taken);
    if (status == TOC_OK)
        *out = cage;
    else
        toc_cage_destroy(cage);
    return status;
}

void toc_cage_destroy(toc_cage *cage) {
    if (!cage) return;
    const toc_allocator memory = cage->memory;
    toc_mesh_destroy(cage->mesh);
    toc_array_free(&memory, &cage->parents);
    toc_array_free(&memory, &cage->joints);
    toc_array_free(&memory, &cage->inverse_binds);
    toc_array_free(&memory, &cage->weights);
    toc_array_free(&memory, &cage->weight_ends);
    toc_free(&memory, cage, 1, sizeof *cage);
}

const toc_character_def *toc_cage_get_def(const toc_cage *cage) { return cage ? &cage->def : NULL; }
