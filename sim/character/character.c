// SPDX-License-Identifier: Apache-2.0
// The character object: settings, life, bodies, frames, getters.
#include "sim/character/character.h"
#include "base/arithmetic.h"

#include <string.h>

#include "base/lanes.h"
#include "base/threads.h"
#include "sim/core/defaults.h"
#include "sim/core/loop.h"
#include "sim/core/vector.h"

static const double pi = 3.14159265358979323846;

static const toc_character_settings character_default = {.size = sizeof character_default,
                                                         .preset = TOC_CHARACTER_AUTO,
                                                         .alpha = 2.0943951023931953,
                                                         .step = 1.0 / 60,
                                                         .stiffness = 20,
                                                         .attachment = 0.9,
                                                         .jiggle = 0.5};

const char *toc_character_preset_get_name(size_t preset) {
    static const char *const names[TOC_CHARACTER_PRESET_COUNT] = {"hash", "ondemand", "ondemand-safe", "auto"};
    return preset < TOC_CHARACTER_PRESET_COUNT ? names[preset] : NULL;
}

const toc_settings toc_character_kind = {"toc_character_settings_init", sizeof character_default,
                                         sizeof character_default, &character_default};

static toc_status check_flesh_settings(const toc_character_settings *s) {
    if (s->iterations > 1000) return toc_fail(TOC_BAD_INPUT, "%u iterations; 0 to 1000 are possible", s->iterations);
    if (!(s->step > 0 && isfinite(s->step)))
        return toc_fail(TOC_BAD_INPUT, "the step is %g; it must be above 0", s->step);
    if (!(s->stiffness > 0 && isfinite(s->stiffness)))
        return toc_fail(TOC_BAD_INPUT, "the stiffness is %g; it must be above 0", s->stiffness);
    if (!(s->attachment >= 0 && s->attachment <= 1))
        return toc_fail(TOC_BAD_INPUT, "the attachment is %g; 0 to 1 are possible", s->attachment);
    if (!(s->jiggle >= 0 && s->jiggle <= 1))
        return toc_fail(TOC_BAD_INPUT, "the jiggle is %g; 0 to 1 are possible", s->jiggle);
    if (s->threads < 0) return toc_fail(TOC_BAD_INPUT, "the number of threads is %d", s->threads);
    return TOC_OK;
}

static toc_status check_character_settings(const toc_character_settings *s) {
    if ((unsigned)s->preset >= TOC_CHARACTER_PRESET_COUNT)
        return toc_fail(TOC_BAD_INPUT, "there is no preset %d", (int)s->preset);
    if (!(s->alpha >= 0 && s->alpha <= pi))
        return toc_fail(TOC_BAD_INPUT, "alpha is %g; 0 to pi are possible", s->alpha);
    if (!isfinite(sim_length(s->up))) return toc_fail(TOC_BAD_INPUT, "the direction up is not finite");
    if ((unsigned)s->skinning > TOC_SKINNING_DUAL)
        return toc_fail(TOC_BAD_INPUT, "there is no skinning %d", (int)s->skinning);
    return check_flesh_settings(s);
}

// ---- the definition

static toc_status check_parents(const toc_character_def *def) {
    for (size_t j = 0; j < def->joint_count; j++) {
        size_t steps = 0;
        for (uint32_t p = def->parents[j]; p != CHARACTER_NONE; p = def->parents[p]) {
            if (p >= def->joint_count)
                return toc_fail(TOC_BAD_INPUT, "joint %zu has the parent %u, but there are %zu joints", j, p,
                                def->joint_count);
            if (++steps > def->joint_count)
                return toc_fail(TOC_BAD_INPUT, "joint %zu is its own ancestor: the skeleton has a cycle", j);
        }
        for (int k = 0; k < 12; k++)
            if (!isfinite(def->inverse_binds[12 * j + (size_t)k]))
                return toc_fail(TOC_BAD_INPUT, "the inverse bind matrix of joint %zu is not finite", j);
    }
    return TOC_OK;
}

static toc_status check_vertex_weights(const toc_character_def *def, size_t vertex, size_t first, bool used) {
    const size_t end = def->weight_ends[vertex];
    double sum = 0;
    if (end < first) return toc_fail(TOC_BAD_INPUT, "weight_ends of vertex %zu is less than the one before", vertex);
    for (size_t i = first; i < end; i++) {
        if (def->joints[i] >= def->joint_count)
            return toc_fail(TOC_BAD_INPUT, "vertex %zu has the joint %u, but there are %zu", vertex, def->joints[i],
                            def->joint_count);
        if (!(def->weights[i] >= 0 && isfinite(def->weights[i])))
            return toc_fail(TOC_BAD_INPUT, "vertex %zu has the weight %g", vertex, def->weights[i]);
        sum += def->weights[i];
    }
    if (used && !(sum > 0 && isfinite(sum)))
        return toc_fail(TOC_BAD_INPUT, "the weights of vertex %zu sum to %g; a vertex of a tet needs some", vertex,
                        sum);
    return TOC_OK;
}

static toc_status take_weights(toc_character *c, const toc_character_def *def) {
    const size_t count = c->bodies.at[0].count, total = count > 0 ? def->weight_ends[count - 1] : 0;
    TOC_TRY(toc_array_room(&c->memory, &c->weight_ends, count));
    TOC_TRY(toc_array_room(&c->memory, &c->weight_joints, total));
    TOC_TRY(toc_array_room(&c->memory, &c->weights, total));
    size_t first = 0;
    for (size_t v = 0; v < count; v++) {
        TOC_TRY(check_vertex_weights(def, v, first, c->part_of.at[v] != CHARACTER_NONE));
        double sum = 0;
        for (size_t i = first; i < def->weight_ends[v]; i++) sum += def->weights[i];
        for (size_t i = first; i < def->weight_ends[v]; i++) {
            c->weight_joints.at[i] = def->joints[i];
            c->weights.at[i] = sum > 0 ? def->weights[i] / sum : 0;
        }
        first = c->weight_ends.at[v] = def->weight_ends[v];
    }
    return TOC_OK;
}

static toc_status take_joints(toc_character *c, const toc_character_def *def) {
    static const double unit[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    const size_t count = c->joint_count = def->joint_count;
    TOC_TRY(toc_array_room(&c->memory, &c->parents, count));
    TOC_TRY(toc_array_room(&c->memory, &c->inverse_binds, 12 * count));
    TOC_TRY(toc_array_room(&c->memory, &c->matrices, 12 * count));
    TOC_TRY(toc_array_room(&c->memory, &c->awake_joint, count));
    TOC_TRY(toc_array_room(&c->memory, &c->attachment, count));
    memcpy(c->parents.at, def->parents, count * sizeof *def->parents);
    memcpy(c->inverse_binds.at, def->inverse_binds, 12 * count * sizeof *def->inverse_binds);
    for (size_t j = 0; j < count; j++) {
        memcpy(c->matrices.at + 12 * j, unit, sizeof unit);
        c->attachment.at[j] = c->settings.attachment;
    }
    return TOC_OK;
}

// ---- bodies

static toc_status reserve_body(toc_character *c, size_t vertices) {
    const size_t total = c->vertex_count + vertices;
    if (total >= UINT32_MAX) return toc_fail(TOC_BAD_INPUT, "more vertices than a character can hold");
    TOC_TRY(toc_array_reserve(&c->memory, &c->bodies, 1));
    TOC_TRY(toc_array_room(&c->memory, &c->x, 3 * total));
    TOC_TRY(toc_array_room(&c->memory, &c->bind, 3 * total));
    TOC_TRY(toc_array_room(&c->memory, &c->part_of, total));
    TOC_TRY(toc_array_room(&c->memory, &c->cleared, total));
    return toc_array_room(&c->memory, &c->is_awake, total);
}

static toc_status add_tets(toc_character *c, const toc_mesh *mesh, uint32_t body, uint32_t first, double *edges) {
    for (uint32_t e = 0; e < toc_mesh_get_element_count(mesh); e++) {
        const toc_element element = toc_mesh_get_element(mesh, e);
        if (element.shape != TOC_TET) continue;
        TOC_TRY(toc_array_reserve(&c->memory, &c->tets, 1));
        character_tet t = {.element = e, .body = body, .part = (uint32_t)c->joint_count + body - 1};
        for (int k = 0; k < 4; k++) t.v[k] = first + element.corners[k];
        const uint32_t mirrored[4] = {t.v[0], t.v[1], t.v[3], t.v[2]};
        if (toc_character_tet_is_upright(c->bind.at, mirrored)) {
            t.turned = true;
            memcpy(t.v, mirrored, sizeof t.v);
        }
        for (int k = 0; k < 4; k++) {
            double edge[3];
            sim_sub(c->bind.at + 3 * (size_t)t.v[k], c->bind.at + 3 * (size_t)t.v[(k + 1) % 4], edge);
            *edges += sim_length(edge) / 4;
            c->longest_edge = fmax(c->longest_edge, 2 * sim_length(edge)); // of six edges, four are looked at
        }
        c->tets.at[c->tets.count++] = t;
    }
    return TOC_OK;
}

/// Boundary faces and vertices; `part_of` of vertices of tets is set to the part of the body.
static toc_status add_body_boundary(toc_character *c, const toc_mesh *mesh, uint32_t body, uint32_t first) {
    toc_features *f;
    const uint32_t part = (uint32_t)c->joint_count + body - 1;
    TOC_TRY(toc_mesh_find_features(mesh, &f));
    toc_status status = toc_array_reserve(&c->memory, &c->boundary, f->vertex_count);
    if (status == TOC_OK) status = toc_array_reserve(&c->memory, &c->faces, f->face_count);
    const character_body *b = &c->bodies.at[body];
    for (uint32_t t = b->first_tet; t < b->first_tet + b->tet_count; t++)
        for (int k = 0; k < 4; k++) c->part_of.at[c->tets.at[t].v[k]] = body > 0 ? part : 0;
    for (size_t i = 0; i < f->vertex_count && status == TOC_OK; i++) {
        const uint32_t v = first + f->vertices[i];
        if (f->vertex_flags[i] & TOC_FEATURE_ON_BOUNDARY && c->part_of.at[v] != CHARACTER_NONE)
            c->boundary.at[c->boundary.count++] = v;
    }
    for (size_t i = 0; i < f->face_count && status == TOC_OK; i++) {
        if (!(f->face_flags[i] & TOC_FEATURE_ON_BOUNDARY)) continue;
        character_face *face = &c->faces.at[c->faces.count++];
        for (int k = 0; k < 3; k++) face->v[k] = first + f->faces[i][k];
        face->part = part;
    }
    c->bodies.at[body].end_face = (uint32_t)c->faces.count;
    toc_features_destroy(f);
    return status;
}

static toc_status fill_body(toc_character *c, const toc_mesh *mesh, double *edges) {
    const uint32_t first = (uint32_t)c->vertex_count, body = (uint32_t)c->bodies.count;
    const size_t count = toc_mesh_get_vertex_count(mesh);
    const uint32_t first_tet = (uint32_t)c->tets.count;
    memcpy(c->bind.at + 3 * (size_t)first, toc_mesh_get_x1(mesh), 3 * count * sizeof(double));
    memcpy(c->x.at + 3 * (size_t)first, toc_mesh_get_x1(mesh), 3 * count * sizeof(double));
    for (size_t v = 0; v < count; v++) c->part_of.at[first + v] = CHARACTER_NONE;
    TOC_TRY(add_tets(c, mesh, body, first, edges));
    if (c->tets.count == first_tet) return toc_fail(TOC_BAD_INPUT, "the mesh has no tets");
    c->bodies.at[c->bodies.count++] = (character_body){.first = first,
                                                       .count = (uint32_t)count,
                                                       .first_tet = first_tet,
                                                       .first_face = (uint32_t)c->faces.count,
                                                       .tet_count = (uint32_t)c->tets.count - first_tet};
    c->vertex_count += count;
    return add_body_boundary(c, mesh, body, first);
}

static toc_status fill_character(toc_character *c, const toc_character_def *def) {
    double edges = 0;
    TOC_TRY(reserve_body(c, toc_mesh_get_vertex_count(def->cage)));
    TOC_TRY(take_joints(c, def));
    TOC_TRY(fill_body(c, def->cage, &edges));
    TOC_TRY(take_weights(c, def));
    c->mean_edge = edges / (double)c->tets.count;
    TOC_TRY(toc_character_find_parts(c));
    return toc_character_add_clusters(c, 0);
}

toc_status toc_character_check_joints(const toc_character_def *def) {
    if (!def->cage || !def->parents || !def->inverse_binds || !def->weight_ends || !def->joints || !def->weights)
        return toc_fail(TOC_BAD_INPUT, "a field of the definition is NULL");
    if (def->joint_count == 0 || def->joint_count >= UINT32_MAX / 2)
        return toc_fail(TOC_BAD_INPUT, "%zu joints; a character needs one at least", def->joint_count);
    return check_parents(def);
}

toc_status toc_character_check_weights(const toc_character_def *def, const uint8_t *used) {
    size_t first = 0;
    for (size_t v = 0; v < toc_mesh_get_vertex_count(def->cage); v++) {
        TOC_TRY(check_vertex_weights(def, v, first, used[v]));
        first = def->weight_ends[v];
    }
    return TOC_OK;
}

toc_status toc_character_create(const toc_character_def *def, const toc_character_settings *settings,
                                const toc_allocator *allocator, toc_character **out) {
    TOC_SCOPED_ARITHMETIC;
    TOC_NEED(def);
    TOC_NEED(out);
    TOC_TRY(toc_character_check_joints(def));
    toc_character_settings taken;
    TOC_TRY(toc_settings_take(&toc_character_kind, settings ? settings : &character_default, &taken));
    TOC_TRY(check_character_settings(&taken));
    const toc_allocator memory = toc_allocator_or_default(allocator);
    toc_character *c = toc_new(&memory, 1, sizeof *c);
    if (!c) return TOC_OUT_OF_MEMORY;
    c->memory = memory;
    c->settings = taken;
    c->threads = toc_sim_loop_threads(taken.threads);
    c->lanes = toc_lanes_here();
    sim_normalize(c->settings.up);
    const toc_status status = fill_character(c, def);
    if (status == TOC_OK)
        *out = c;
    else
        toc_character_destroy(c);
    return status;
}

static void free_shape(toc_character *c) {
    const toc_allocator *m = &c->memory;
    toc_array_free(m, &c->bodies);
    toc_array_free(m, &c->x);
    toc_array_free(m, &c->bind);
    toc_array_free(m, &c->part_of);
    toc_array_free(m, &c->boundary);
    toc_array_free(m, &c->tets);
    toc_array_free(m, &c->faces);
    toc_array_free(m, &c->parents);
    toc_array_free(m, &c->inverse_binds);
    toc_array_free(m, &c->matrices);
    toc_array_free(m, &c->heads);
    toc_array_free(m, &c->tips);
    toc_array_free(m, &c->weight_ends);
    toc_array_free(m, &c->weight_joints);
    toc_array_free(m, &c->weights);
    toc_array_free(m, &c->duals);
    toc_array_free(m, &c->stretches);
}

static void free_clusters(toc_character *c) {
    const toc_allocator *m = &c->memory;
    toc_array_free(m, &c->clusters);
    toc_array_free(m, &c->cluster_tets);
    toc_array_free(m, &c->cluster_vertices);
    toc_array_free(m, &c->cluster_weights);
    toc_array_free(m, &c->cluster_corners);
    toc_array_free(m, &c->corner_tets);
    toc_array_free(m, &c->corner_gaps);
    toc_array_free(m, &c->grid.spots);
    toc_array_free(m, &c->grid.rows);
    toc_array_free(m, &c->grid.used);
    toc_array_free(m, &c->grid.homes);
    toc_array_free(m, &c->grid.sorted);
    toc_array_free(m, &c->grid.sorted_spots);
    toc_array_free(m, &c->grid.found);
    toc_array_free(m, &c->grid.corners);
}

void toc_character_destroy(toc_character *c) {
    if (!c) return;
    const toc_allocator memory = c->memory, *m = &memory;
    free_shape(c);
    toc_array_free(m, &c->parts);
    toc_array_free(m, &c->angles);
    toc_array_free(m, &c->awake_joint);
    toc_array_free(m, &c->awake);
    toc_array_free(m, &c->boxes);
    toc_array_free(m, &c->reference);
    toc_array_free(m, &c->near);
    toc_array_free(m, &c->cleared);
    toc_array_free(m, &c->is_awake);
    toc_array_free(m, &c->has_moved);
    free_clusters(c);
    toc_character_crew_free(c);
    toc_array_free(m, &c->hits);
    toc_array_free(m, &c->contacts);
    toc_character_flesh_free(c);
    toc_array_free(m, &c->attachment);
    toc_array_free(m, &c->morph);
    toc_free(&memory, c, 1, sizeof *c);
}

/// A character is unchanged by a body that cannot be added.
static void forget_body(toc_character *c, size_t bodies, size_t vertices, size_t tets, size_t boundary, size_t faces) {
    c->bodies.count = bodies;
    c->vertex_count = vertices;
    c->tets.count = tets;
    c->boundary.count = boundary;
    c->faces.count = faces;
}

toc_status toc_character_add_body(toc_character *c, const toc_mesh *mesh, uint32_t *body) {
    TOC_SCOPED_ARITHMETIC;
    TOC_NEED(c);
    TOC_NEED(mesh);
    const size_t bodies = c->bodies.count, vertices = c->vertex_count, tets = c->tets.count;
    const size_t boundary = c->boundary.count, faces = c->faces.count;
    double edges = 0;
    TOC_TRY(reserve_body(c, toc_mesh_get_vertex_count(mesh)));
    TOC_TRY(toc_array_reserve(&c->memory, &c->parts, 1));
    const size_t clusters = c->clusters.count;
    toc_status status = fill_body(c, mesh, &edges);
    if (status == TOC_OK) status = toc_character_add_clusters(c, (uint32_t)bodies);
    if (status != TOC_OK) {
        c->clusters.count = clusters;
        forget_body(c, bodies, vertices, tets, boundary, faces);
        return status;
    }
    c->parts.at[c->parts.count++] = (character_part){.body = (uint32_t)bodies};
    c->nudged = true;
    if (body) *body = (uint32_t)bodies;
    return TOC_OK;
}

static toc_status check_numbers(const double *x, size_t count, const char *what) {
    for (size_t i = 0; i < count; i++)
        if (!isfinite(x[i])) return toc_fail(TOC_BAD_INPUT, "%s: number %zu is not finite", what, i);
    return TOC_OK;
}

toc_status toc_character_move_body(toc_character *c, uint32_t body, size_t count, const double *x) {
    TOC_SCOPED_ARITHMETIC;
    TOC_NEED(c);
    TOC_NEED(x);
    if (body == 0 || body >= c->bodies.count)
        return toc_fail(TOC_BAD_INPUT, "there is no body %u to move; there are 1 to %zu", body, c->bodies.count - 1);
    const character_body *b = &c->bodies.at[body];
    if (count != b->count)
        return toc_fail(TOC_BAD_INPUT, "the array has %zu vertices, body %u has %u", count, body, b->count);
    TOC_TRY(check_numbers(x, 3 * (size_t)b->count, "positions"));
    c->nudged |= memcmp(c->x.at + 3 * (size_t)b->first, x, 3 * (size_t)b->count * sizeof *x) != 0;
    memcpy(c->x.at + 3 * (size_t)b->first, x, 3 * (size_t)b->count * sizeof *x);
    return TOC_OK;
}

toc_status toc_character_set_morph(toc_character *c, size_t count, const double *ways) {
    TOC_SCOPED_ARITHMETIC;
    TOC_NEED(c);
    const size_t own = c->bodies.at[0].count;
    if (ways && count != own)
        return toc_fail(TOC_BAD_INPUT, "the array has %zu vertices, the cage has %zu", count, own);
    if (ways) {
        TOC_TRY(check_numbers(ways, 3 * own, "ways"));
        TOC_TRY(toc_array_room(&c->memory, &c->morph, 3 * own));
        memcpy(c->morph.at, ways, 3 * own * sizeof *ways);
    }
    c->reshaped |= ways || c->morph.count > 0;
    c->morph.count = ways ? 3 * own : 0;
    return TOC_OK;
}

toc_status toc_character_set_attachment(toc_character *c, uint32_t joint, double attachment) {
    TOC_SCOPED_ARITHMETIC;
    TOC_NEED(c);
    if (joint >= c->joint_count)
        return toc_fail(TOC_BAD_INPUT, "there is no joint %u; there are %zu", joint, c->joint_count);
    if (!(attachment >= 0 && attachment <= 1))
        return toc_fail(TOC_BAD_INPUT, "the attachment is %g; 0 to 1 are possible", attachment);
    c->nudged |= c->attachment.at[joint] != attachment;
    c->attachment.at[joint] = attachment;
    return TOC_OK;
}

// ---- frames

static void measure_cage(const toc_character *c, toc_character_report *r) {
    const character_body *b = &c->bodies.at[0];
    for (uint32_t t = 0; t < c->tets.count; t++) {
        const uint32_t *v = c->tets.at[t].v;
        double e[3][3];
        r->inverted += !toc_character_tet_is_upright(c->x.at, v);
        if (t >= b->tet_count) continue;
        for (int k = 0; k < 3; k++) sim_sub(c->x.at + 3 * (size_t)v[k + 1], c->x.at + 3 * (size_t)v[0], e[k]);
        r->volume += sim_determinant(e) / 6;
    }
}

/// The longest side of the box around the tets of the cage.
static double find_extent(const toc_character *c) {
    character_box box = character_box_empty();
    double extent = 0;
    for (size_t v = 0; v < c->bodies.at[0].count; v++)
        if (c->part_of.at[v] != CHARACTER_NONE) character_box_add(&box, c->x.at + 3 * v);
    for (int k = 0; k < 3; k++) extent = fmax(extent, box.high[k] - box.low[k]);
    return extent;
}

static void fill_report(const toc_character *c, toc_character_report *r) {
    r->contacts = c->contacts.count;
    r->inside_inverted = c->inside_inverted;
    for (size_t j = 0; j < c->joint_count; j++) r->awake_joints += c->awake_joint.at[j];
    r->awake_vertices = c->awake_count;
    r->boundary_vertices = c->boundary.count;
    r->tested_tets = c->tested_tets;
    r->tets = c->tets.count;
    measure_cage(c, r);
    r->extent = find_extent(c);
    r->distance = c->flesh.distance;
    r->least_share = c->flesh.least;
    r->energy = c->flesh.energy;
    r->rest_volume = c->flesh.rest;
}

/// Files often scale the whole skeleton: lengths of the world are those of the bind pose times the mean scale.
static toc_status begin_world(toc_character *c) {
    double sum = 0;
    for (size_t j = 0; j < c->joint_count; j++) sum += character_scale(c->matrices.at + 12 * j);
    c->scale = sum / (double)c->joint_count;
    c->mean_edge *= c->scale;
    const toc_status status = c->settings.iterations > 0 ? toc_character_flesh_make(c) : TOC_OK;
    c->soft = status == TOC_OK && c->settings.iterations > 0;
    if (status == TOC_OK) return TOC_OK;
    c->mean_edge /= c->scale;
    toc_character_flesh_free(c);
    return status;
}

static toc_status make_frame(toc_character *c, toc_character_report *r) {
    double seconds = 0;
    bool searched = false;
    if (!c->moved && !c->begun) {
        TOC_TRY(begin_world(c));
        c->begun = true;
    }
    const double start = toc_seconds();
    toc_character_measure_angles(c);
    if (c->soft) {
        TOC_TRY(toc_character_flesh_step(c, &r->passes, &seconds, &searched));
    } else {
        TOC_TRY(toc_character_skin(c, c->x.at));
    }
    const double between = toc_seconds();
    if (!searched) {
        TOC_TRY(toc_character_detect(c));
        r->passes++;
    }
    r->skinning_seconds = between - start - seconds;
    r->detection_seconds = toc_seconds() - between + seconds;
    c->moved = true;
    return TOC_OK;
}

toc_status toc_character_step_sized(toc_character *c, size_t joint_count, const double *matrices,
                                    toc_character_report *report, size_t size) {
    TOC_SCOPED_ARITHMETIC;
    TOC_NEED(c);
    TOC_NEED(matrices);
    if (joint_count != c->joint_count)
        return toc_fail(TOC_BAD_INPUT, "the pose has %zu joints, the character has %zu", joint_count, c->joint_count);
    toc_character_report r = {0};
    TOC_TRY(check_numbers(matrices, 12 * c->joint_count, "matrices"));
    memcpy(c->matrices.at, matrices, 12 * c->joint_count * sizeof *matrices);
    toc_team team;
    toc_team_begin(&team, NULL);
    const toc_status status = make_frame(c, &r);
    toc_team_end(&team);
    c->frame++;
    if (status != TOC_OK) c->moved = false; // the next frame starts anew
    TOC_TRY(status);
    if (!report) return TOC_OK;
    fill_report(c, &r);
    memset(report, 0, size);
    memcpy(report, &r, size < sizeof r ? size : sizeof r);
    return TOC_OK;
}

// ---- getters

toc_character_frame toc_character_get_frame(const toc_character *c, uint32_t body) {
    if (!c) return (toc_character_frame){.contact_count = 0};
    return (toc_character_frame){
        .contact_count = c->contacts.count,
        .contacts = c->contacts.at,
        .joint_count = c->joint_count,
        .awake = c->awake_joint.at,
        .positions = body < c->bodies.count ? c->x.at + 3 * (size_t)c->bodies.at[body].first : NULL,
    };
}

/// Search with fresh lists, and put the old ones back.
toc_status toc_character_count_all(toc_character *c, size_t *count) {
    TOC_SCOPED_ARITHMETIC;
    TOC_NEED(c);
    TOC_NEED(count);
    toc_character copy = *c;
    memset(&copy.awake, 0, sizeof copy.awake);
    memset(&copy.awake_joint, 0, sizeof copy.awake_joint);
    memset(&copy.hits, 0, sizeof copy.hits);
    memset(&copy.contacts, 0, sizeof copy.contacts);
    toc_status status = toc_array_room(&c->memory, &copy.awake_joint, c->joint_count);
    if (status == TOC_OK) status = toc_character_detect_all(&copy);
    if (status == TOC_OK) *count = copy.contacts.count;
    c->grid = copy.grid;
    toc_array_free(&c->memory, &copy.awake);
    toc_array_free(&c->memory, &copy.awake_joint);
    toc_array_free(&c->memory, &copy.hits);
    toc_array_free(&c->memory, &copy.contacts);
    return status;
}
