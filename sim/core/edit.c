// SPDX-License-Identifier: Apache-2.0
// Edits with a journal. A record is its kind, the body, the number of arguments, and the arguments: ids, as doubles.
#include "sim/core/edit.h"

#include <assert.h>
#include <string.h>

typedef enum sim_edit_kind { EDIT_REMOVE, EDIT_SPLIT, EDIT_MERGE, EDIT_JOIN, EDIT_EXTEND, EDIT_KINDS } sim_edit_kind;
enum { RECORD_HEAD = 3 };

// Room first, so that an edit that was made is always on record.
static toc_status reserve_record(toc_sim *sim, size_t arguments) {
    return toc_array_reserve(&sim->memory, &sim->journal, RECORD_HEAD + arguments);
}

static void record_number(toc_sim *sim, double number) {
    assert(sim->journal.count < sim->journal.capacity);
    sim->journal.at[sim->journal.count++] = number;
}

static void record_head(toc_sim *sim, sim_edit_kind kind, uint32_t body, size_t arguments) {
    record_number(sim, kind);
    record_number(sim, body);
    record_number(sim, (double)arguments);
}

toc_status toc_sim_edit_remove(toc_sim *sim, uint32_t body, uint32_t element) {
    assert(body < sim->bodies.count);
    TOC_TRY(reserve_record(sim, 1));
    TOC_TRY(toc_mesh_remove_element(toc_scene_edit_mesh(sim->scene, body), element));
    record_head(sim, EDIT_REMOVE, body, 1);
    record_number(sim, element);
    return TOC_OK;
}

toc_status toc_sim_edit_split(toc_sim *sim, uint32_t body, uint32_t vertex, size_t count, const uint32_t *elements,
                              uint32_t *made) {
    assert(body < sim->bodies.count && count > 0);
    TOC_TRY(reserve_record(sim, 1 + count));
    TOC_TRY(toc_mesh_split_vertex(toc_scene_edit_mesh(sim->scene, body), vertex, count, elements, made));
    record_head(sim, EDIT_SPLIT, body, 1 + count);
    record_number(sim, vertex);
    for (size_t i = 0; i < count; i++) record_number(sim, elements[i]);
    return TOC_OK;
}

// Elements of one shape, one after the other, as toc_mesh_add_elements takes them.
static toc_status copy_corners(const toc_mesh *mesh, const uint32_t corners[3], size_t count, const uint32_t *elements,
                               uint32_t *out) {
    for (size_t i = 0; i < count; i++) {
        const toc_element e = toc_mesh_get_element(mesh, elements[i]);
        if (e.shape != TOC_TET) return toc_fail(TOC_BAD_INPUT, "element %u is no tet", elements[i]);
        for (int k = 0; k < 4; k++)
            out[4 * i + (size_t)k] = e.corners[k] == corners[0]   ? corners[1]
                                     : e.corners[k] == corners[1] ? corners[2]
                                                                  : e.corners[k];
    }
    return TOC_OK;
}

static toc_status extend_mesh(toc_mesh *mesh, size_t count, const uint32_t *elements, const uint32_t *corners,
                              uint32_t *first) {
    TOC_TRY(toc_mesh_add_elements(mesh, TOC_TET, count, corners, first));
    for (size_t i = 0; i < count; i++)
        (void)toc_mesh_set_group(mesh, *first + (uint32_t)i, toc_mesh_get_element(mesh, elements[i]).group);
    return TOC_OK;
}

toc_status toc_sim_edit_extend(toc_sim *sim, uint32_t body, const uint32_t corners[3], size_t count,
                               const uint32_t *elements, uint32_t *first) {
    assert(body < sim->bodies.count && count > 0);
    toc_mesh *mesh = toc_scene_edit_mesh(sim->scene, body);
    TOC_ARRAY(uint32_t) copies = {0};
    toc_status status = reserve_record(sim, 3 + count);
    if (status == TOC_OK) status = toc_array_room(&sim->memory, &copies, 4 * count);
    if (status == TOC_OK) status = copy_corners(mesh, corners, count, elements, copies.at);
    if (status == TOC_OK) status = extend_mesh(mesh, count, elements, copies.at, first);
    toc_array_free(&sim->memory, &copies);
    if (status != TOC_OK) return status;
    record_head(sim, EDIT_EXTEND, body, 3 + count);
    for (int k = 0; k < 3; k++) record_number(sim, corners[k]);
    for (size_t i = 0; i < count; i++) record_number(sim, elements[i]);
    return TOC_OK;
}

toc_status toc_sim_edit_merge(toc_sim *sim, uint32_t body, uint32_t kept, uint32_t gone) {
    assert(kept != gone);
    TOC_TRY(reserve_record(sim, 2));
    TOC_TRY(toc_mesh_merge_vertices(toc_scene_edit_mesh(sim->scene, body), kept, gone));
    record_head(sim, EDIT_MERGE, body, 2);
    record_number(sim, kept);
    record_number(sim, gone);
    return TOC_OK;
}

// The elements of a body that is glued follow those of the other, with the spans that it has itself.
static void join_spans(toc_sim *sim, uint32_t kept, uint32_t gone, uint32_t first_element) {
    for (size_t i = 0; i < sim->spans.count; i++) {
        sim_span *span = &sim->spans.at[i];
        if (span->body != gone) continue;
        span->body = kept;
        span->first += first_element;
    }
    sim->spans.at[sim->spans.count++] = (sim_span){.body = kept, .first = first_element, .origin = gone};
}

toc_status toc_sim_edit_join(toc_sim *sim, uint32_t kept, uint32_t gone, uint32_t *first_vertex,
                             uint32_t *first_element) {
    assert(kept != gone);
    TOC_TRY(reserve_record(sim, 1));
    TOC_TRY(toc_array_reserve(&sim->memory, &sim->spans, 1));
    TOC_TRY(toc_scene_merge_bodies(sim->scene, kept, gone, first_vertex, first_element));
    record_head(sim, EDIT_JOIN, kept, 1);
    record_number(sim, gone);
    join_spans(sim, kept, gone, *first_element);
    return TOC_OK;
}

uint32_t toc_sim_element_origin(const toc_sim *sim, uint32_t body, uint32_t element) {
    uint32_t origin = body, last = 0;
    for (size_t i = 0; i < sim->spans.count; i++) {
        const sim_span *span = &sim->spans.at[i];
        if (span->body != body || span->first > element || span->first < last) continue;
        origin = span->origin;
        last = span->first;
    }
    return origin;
}

// ---- the journal of a state

static bool is_id(double number) { return number >= 0 && number < SIM_NONE && number == (double)(uint32_t)number; }

static bool is_record(const toc_sim *sim, const double *record, size_t left) {
    static const double least[EDIT_KINDS] = {1, 2, 2, 1, 4};
    if (left < RECORD_HEAD) return false;
    for (int k = 0; k < RECORD_HEAD; k++)
        if (!is_id(record[k])) return false;
    if (record[0] >= EDIT_KINDS || record[1] >= (double)sim->bodies.count) return false;
    if (record[2] < least[(int)record[0]] || record[2] > (double)(left - RECORD_HEAD)) return false;
    for (size_t k = 0; k < (size_t)record[2]; k++)
        if (!is_id(record[RECORD_HEAD + k])) return false;
    return true;
}

static size_t record_length(const double *record) { return RECORD_HEAD + (size_t)record[2]; }

toc_status toc_sim_journal_check(const toc_sim *sim, const double *records, size_t count) {
    const size_t known = sim->journal.count;
    if (count < known || (known > 0 && memcmp(records, sim->journal.at, known * sizeof *records) != 0))
        return toc_fail(TOC_BAD_INPUT, "the state is of another topology: the meshes were edited otherwise since");
    for (size_t at = 0; at < count; at += record_length(records + at))
        if (!is_record(sim, records + at, count - at))
            return toc_fail(TOC_BAD_INPUT, "the state is damaged: the edit at number %zu is not valid", at + 2);
    return TOC_OK;
}

// Edits of elements around vertices: one vertex for a split, three for copies.
static toc_status replay_elements(toc_sim *sim, bool split, uint32_t body, const double *arguments, size_t count) {
    TOC_ARRAY(uint32_t) ids = {0};
    const size_t vertices = split ? 1 : 3;
    uint32_t made;
    TOC_TRY(toc_array_room(&sim->memory, &ids, count));
    for (size_t i = 0; i < count; i++) ids.at[i] = (uint32_t)arguments[i];
    const uint32_t *elements = ids.at + vertices;
    const toc_status status = split ? toc_sim_edit_split(sim, body, ids.at[0], count - vertices, elements, &made)
                                    : toc_sim_edit_extend(sim, body, ids.at, count - vertices, elements, &made);
    toc_array_free(&sim->memory, &ids);
    return status;
}

static toc_status replay_record(toc_sim *sim, const double *record) {
    const uint32_t body = (uint32_t)record[1], first = (uint32_t)record[RECORD_HEAD];
    const double *arguments = record + RECORD_HEAD;
    uint32_t made[2];
    if (!toc_scene_has_body(sim->scene, body))
        return toc_fail(TOC_BAD_INPUT, "the state is damaged: body %u was glued to another one", body);
    switch ((sim_edit_kind)record[0]) {
    case EDIT_REMOVE:
        return toc_sim_edit_remove(sim, body, first);
    case EDIT_MERGE:
        return toc_sim_edit_merge(sim, body, first, (uint32_t)arguments[1]);
    case EDIT_JOIN:
        return toc_sim_edit_join(sim, body, first, &made[0], &made[1]);
    default:
        return replay_elements(sim, record[0] == EDIT_SPLIT, body, arguments, (size_t)record[2]);
    }
}

toc_status toc_sim_journal_replay(toc_sim *sim, const double *records, size_t count) {
    // The records of the simulation itself grow on the way.
    for (size_t at = sim->journal.count; at < count; at += record_length(records + at))
        TOC_TRY(replay_record(sim, records + at));
    assert(sim->journal.count == count);
    return TOC_OK;
}
