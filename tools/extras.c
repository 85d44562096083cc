// SPDX-License-Identifier: Apache-2.0
// Find overlaps, near pairs and the safe step, and print them as text or JSON.
#include "tools/extras.h"

#include "base/status.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static bool has_volumes(const toc_scene *scene) {
    for (uint32_t b = 0; b < toc_scene_get_body_count(scene); b++) {
        const toc_mesh *mesh = toc_scene_get_mesh(scene, b);
        for (uint32_t e = 0; e < toc_mesh_get_element_count(mesh); e++)
            if (toc_mesh_get_element(mesh, e).shape >= TOC_TET) return true;
    }
    return false;
}

static toc_status find_start_overlaps(toc_scene *scene, const toc_query *query, tool_extras *out) {
    TOC_TRY(toc_scene_find_overlaps(scene, query, TOC_AT_START, NULL, &out->overlaps));
    if (has_volumes(scene)) TOC_TRY(toc_scene_find_element_overlaps(scene, query, TOC_AT_START, NULL, &out->elements));
    return toc_scene_find_containments(scene, query, TOC_AT_START, &out->inside);
}

static toc_status find_room_step(toc_scene *scene, const toc_query *query, double share, tool_extras *out) {
    assert(share > 0);
    toc_room room = toc_room_default();
    room.share = share;
    out->has_room = true;
    return toc_scene_find_room_step(scene, query, &room, &out->room);
}

const char *tool_level_name(size_t i) {
    static const char *const levels[] = {
        [TOC_LEVEL_BODIES] = "bodies", [TOC_LEVEL_GROUPS] = "groups", [TOC_LEVEL_FEATURES] = "features"};
    return i < 3 ? levels[i] : NULL;
}

static toc_status count_changes(toc_scene *scene, const toc_contacts *contacts, const char *name,
                                toc_touching **touching, tool_extras *out) {
    assert(name && touching);
    size_t level = 0;
    toc_touching *now;
    toc_pair_changes *changes;
    while (strcmp(tool_level_name(level), name) != 0) level++;
    toc_status status = toc_scene_find_touching(scene, contacts, (toc_level)level, &now);
    if (status != TOC_OK) return status;
    status = toc_touching_compare(*touching, now, &changes);
    toc_touching_destroy(*touching);
    *touching = now;
    if (status != TOC_OK) return status;
    out->changes = name;
    memcpy(out->changed, changes->counts, sizeof out->changed);
    toc_pair_changes_destroy(changes);
    return TOC_OK;
}

static toc_status count_touches(toc_scene *scene, const toc_query *query, const toc_contacts *contacts,
                                tool_extras *out) {
    toc_touches *touches = calloc(contacts->count + 1, sizeof *touches);
    if (!touches) return tool_fail_memory();
    const toc_status status = toc_scene_find_touches(scene, query, contacts, touches);
    for (size_t i = 0; status == TOC_OK && i < contacts->count; i++) {
        out->touches += touches[i].count;
        out->repeated += touches[i].count > 1;
    }
    out->has_touches = true;
    free(touches);
    return status;
}

static void free_overlaps(tool_extras *extras) {
    toc_overlaps_destroy(extras->overlaps);
    toc_overlaps_destroy(extras->elements);
    toc_containments_destroy(extras->inside);
    extras->overlaps = extras->elements = NULL;
    extras->inside = NULL;
}

// The safe step says nothing about bodies that overlap or contain each other already, so these are counted with it,
// asked for or not.
toc_status tool_extras_find(toc_scene *scene, const toc_query *query, tool_extras_wanted wanted, tool_extras *out) {
    *out = (tool_extras){.thickness = wanted.near, .in_step = wanted.in_step, .has_safe_step = wanted.safe_step};
    toc_status status = TOC_OK;
    if (wanted.overlaps || wanted.safe_step) status = find_start_overlaps(scene, query, out);
    if (status == TOC_OK && wanted.safe_step) {
        out->overlapping = tool_extras_count_overlaps(out);
        out->contained = out->inside->count;
    }
    if (!wanted.overlaps) free_overlaps(out);
    if (status == TOC_OK && wanted.near >= 0) {
        toc_near_query near = toc_near_query_default();
        near.distance = wanted.near;
        if (wanted.in_step) near.time = TOC_NEAR_IN_STEP;
        status = toc_scene_find_near(scene, query, &near, NULL, &out->near);
    }
    if (status == TOC_OK && wanted.safe_step) status = toc_scene_find_safe_step(scene, query, &out->safe_step);
    if (status == TOC_OK && wanted.room > 0) status = find_room_step(scene, query, wanted.room, out);
    return status;
}

toc_status tool_extras_add(toc_scene *scene, const toc_query *query, const toc_contacts *contacts,
                           tool_extras_wanted wanted, toc_touching **touching, tool_extras *out) {
    if (wanted.touches) TOC_TRY(count_touches(scene, query, contacts, out));
    if (wanted.changes) TOC_TRY(count_changes(scene, contacts, wanted.changes, touching, out));
    return TOC_OK;
}

void tool_extras_free(tool_extras *extras) {
    free_overlaps(extras);
    toc_near_destroy(extras->near);
}

size_t tool_extras_count_found(const tool_extras *extras) {
    return tool_extras_count_overlaps(extras) + (extras->inside ? extras->inside->count : 0);
}

size_t tool_extras_count_overlaps(const tool_extras *extras) {
    return (extras->overlaps ? extras->overlaps->count : 0) + (extras->elements ? extras->elements->count : 0);
}

static const toc_overlap_pair *deepest_of(const toc_overlaps *overlaps) {
    assert(overlaps->count > 0);
    const toc_overlap_pair *deepest = overlaps->pairs;
    for (size_t i = 1; i < overlaps->count; i++) {
        if (overlaps->pairs[i].depth > deepest->depth) deepest = &overlaps->pairs[i];
    }
    return deepest;
}

// Vertices of a body by the numbers of its file, or by ids where it has none.
static void print_vertices(FILE *out, const toc_scene *scene, uint32_t body, const uint32_t *v, int count) {
    assert(body < toc_scene_get_body_count(scene) && count > 0);
    for (int k = 0; k < count; k++) {
        int64_t label;
        toc_mesh_get_vertex_label(toc_scene_get_mesh(scene, body), v[k], &label);
        fprintf(out, " %lld", (long long)label);
    }
}

static void print_pair(FILE *out, const toc_scene *scene, toc_kind kind, const uint32_t body[2], const uint32_t v[4]) {
    assert(kind == TOC_VF || kind == TOC_EE);
    const int second = kind == TOC_VF ? 1 : 2;
    fputs(kind == TOC_VF ? "vertex" : "edge", out);
    print_vertices(out, scene, body[0], v, second);
    fputs(kind == TOC_VF ? " and face" : " and edge", out);
    print_vertices(out, scene, body[1], v + second, 4 - second);
}

static long long element_number(const toc_scene *scene, const toc_overlap_pair *pair, int side) {
    assert(side == 0 || side == 1);
    int64_t label;
    toc_mesh_get_element_label(toc_scene_get_mesh(scene, pair->body[side]), pair->element[side], &label);
    return (long long)label;
}

static void print_overlaps(FILE *out, const toc_scene *scene, const toc_overlaps *overlaps) {
    fprintf(out, "overlaps  %zu at the start", overlaps->count);
    if (overlaps->count) {
        const toc_overlap_pair *deepest = deepest_of(overlaps);
        fprintf(out, "; deepest %s: face", tool_double_text(deepest->depth));
        print_vertices(out, scene, deepest->body[0], deepest->v[0], 3);
        fputs(" and face", out);
        print_vertices(out, scene, deepest->body[1], deepest->v[1], 3);
    }
    fputc('\n', out);
}

static void print_element_overlaps(FILE *out, const toc_scene *scene, const toc_overlaps *overlaps) {
    fprintf(out, "elements  %zu pairs overlap at the start", overlaps->count);
    if (overlaps->count) {
        const toc_overlap_pair *deepest = deepest_of(overlaps);
        fprintf(out, "; deepest %s: elements %lld and %lld along", tool_double_text(deepest->depth),
                element_number(scene, deepest, 0), element_number(scene, deepest, 1));
        for (int k = 0; k < 3; k++) fprintf(out, " %s", tool_double_text(deepest->normal[k]));
    }
    fputc('\n', out);
}

// Surfaces that cross are overlaps; a component that crosses nothing may still be inside of a body.
static void print_inside(FILE *out, const toc_scene *scene, const toc_containments *inside) {
    if (inside->count == 0) return;
    const toc_containment *first = inside->pairs;
    fprintf(out, "inside    %zu %s at the start wholly inside of a body; first: that of vertex", inside->count,
            inside->count == 1 ? "component" : "components");
    print_vertices(out, scene, first->body[0], &first->vertex, 1);
    fputc('\n', out);
}

static void print_near(FILE *out, const toc_scene *scene, const tool_extras *extras) {
    const toc_near *near = extras->near;
    const toc_near_pair *nearest = near->pairs;
    fprintf(out, "near      %zu within %s %s", near->count, tool_double_text(extras->thickness),
            extras->in_step ? "in the step" : "at the start");
    for (size_t i = 1; i < near->count; i++) {
        if (near->pairs[i].distance < nearest->distance) nearest = &near->pairs[i];
    }
    if (near->count) {
        fprintf(out, "; nearest %s: ", tool_double_text(nearest->distance));
        print_pair(out, scene, nearest->kind, nearest->body, nearest->v);
    }
    fputc('\n', out);
}

static void print_changes(FILE *out, const tool_extras *extras) {
    fprintf(out, "%zu began, %zu persist, %zu ended", extras->changed[TOC_CHANGE_BEGAN],
            extras->changed[TOC_CHANGE_PERSISTS], extras->changed[TOC_CHANGE_ENDED]);
}

static void print_room(FILE *out, const toc_scene *scene, const toc_room_step *room) {
    fprintf(out, "room      %s of the step", tool_double_text(room->fraction));
    if (room->limited) {
        fputs(": ", out);
        print_pair(out, scene, room->kind, room->body, room->v);
        fprintf(out, " keep %s", tool_double_text(room->kept));
        fprintf(out, " of their distance %s", tool_double_text(room->start));
    }
    fputc('\n', out);
}

void tool_extras_print(FILE *out, const toc_scene *scene, const tool_extras *extras) {
    if (extras->overlaps) print_overlaps(out, scene, extras->overlaps);
    if (extras->elements) print_element_overlaps(out, scene, extras->elements);
    if (extras->inside) print_inside(out, scene, extras->inside);
    if (extras->near) print_near(out, scene, extras);
    if (extras->has_safe_step) fprintf(out, "safe      %s of the step\n", tool_double_text(extras->safe_step));
    if (extras->has_room) print_room(out, scene, &extras->room);
    if (extras->has_touches)
        fprintf(out, "touches   %zu; pairs that touch more than once: %zu\n", extras->touches, extras->repeated);
    if (extras->changes) fprintf(out, "changes   %s: ", extras->changes), print_changes(out, extras), fputc('\n', out);
    if (extras->overlapping)
        fprintf(out, "warning   overlaps at the start: %zu; the safe step does not count them\n", extras->overlapping);
    if (extras->contained)
        fprintf(out, "warning   inside of a body at the start: %zu; the safe step does not count them\n",
                extras->contained);
}

void tool_extras_print_short(FILE *out, const tool_extras *extras) {
    if (extras->overlaps) fprintf(out, "  overlaps %zu", extras->overlaps->count);
    if (extras->elements) fprintf(out, "  elements %zu", extras->elements->count);
    if (extras->inside && extras->inside->count) fprintf(out, "  inside %zu", extras->inside->count);
    if (extras->near) fprintf(out, "  near %zu", extras->near->count);
    if (extras->has_safe_step) fprintf(out, "  safe %s", tool_double_text(extras->safe_step));
    if (extras->has_room) fprintf(out, "  room %s", tool_double_text(extras->room.fraction));
    if (extras->has_touches) fprintf(out, "  touches %zu", extras->touches);
    if (extras->changes) fputs("  ", out), print_changes(out, extras);
    if (extras->overlapping) fprintf(out, " (warning: overlaps at the start: %zu)", extras->overlapping);
    if (extras->contained) fprintf(out, " (warning: inside of a body at the start: %zu)", extras->contained);
}

static void add_ids(cJSON *object, const char *name, const uint32_t *ids, int count) {
    cJSON *array = cJSON_AddArrayToObject(object, name);
    for (int i = 0; i < count; i++) cJSON_AddItemToArray(array, cJSON_CreateNumber(ids[i]));
}

static void add_vector(cJSON *object, const char *name, const double *x) {
    cJSON *array = cJSON_AddArrayToObject(object, name);
    for (int k = 0; k < 3; k++) cJSON_AddItemToArray(array, cJSON_CreateRaw(tool_double_text(x[k])));
}

static cJSON *overlap_object(const toc_overlap_pair *pair) {
    cJSON *object = cJSON_CreateObject();
    add_ids(object, "bodies", pair->body, 2);
    add_ids(object, "face0", pair->v[0], 3);
    add_ids(object, "face1", pair->v[1], 3);
    tool_json_double(object, "depth", pair->depth);
    add_vector(object, "normal", pair->normal);
    add_vector(object, "point", pair->point);
    return object;
}

static cJSON *element_object(const toc_overlap_pair *pair) {
    cJSON *object = cJSON_CreateObject();
    add_ids(object, "bodies", pair->body, 2);
    add_ids(object, "elements", pair->element, 2);
    tool_json_double(object, "depth", pair->depth);
    add_vector(object, "normal", pair->normal);
    add_vector(object, "point", pair->point);
    return object;
}

static cJSON *near_object(const toc_near_pair *pair) {
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "kind", pair->kind == TOC_VF ? "vf" : "ee");
    add_ids(object, "bodies", pair->body, 2);
    add_ids(object, "v", pair->v, 4);
    tool_json_double(object, "distance", pair->distance);
    tool_json_double(object, "time", pair->time);
    add_vector(object, "normal", pair->normal);
    add_vector(object, "point0", pair->points[0]);
    add_vector(object, "point1", pair->points[1]);
    return object;
}

void tool_extras_to_json(cJSON *object, const tool_extras *extras) {
    if (extras->overlaps) {
        cJSON *list = cJSON_AddArrayToObject(object, "overlaps");
        for (size_t i = 0; i < extras->overlaps->count; i++) {
            cJSON_AddItemToArray(list, overlap_object(&extras->overlaps->pairs[i]));
        }
    }
    if (extras->elements) {
        cJSON *list = cJSON_AddArrayToObject(object, "element_overlaps");
        for (size_t i = 0; i < extras->elements->count; i++) {
            cJSON_AddItemToArray(list, element_object(&extras->elements->pairs[i]));
        }
    }
    if (extras->inside) {
        cJSON *list = cJSON_AddArrayToObject(object, "inside");
        for (size_t i = 0; i < extras->inside->count; i++) {
            cJSON *item = cJSON_CreateObject();
            add_ids(item, "bodies", extras->inside->pairs[i].body, 2);
            cJSON_AddNumberToObject(item, "vertex", extras->inside->pairs[i].vertex);
            cJSON_AddItemToArray(list, item);
        }
    }
    if (extras->near) {
        cJSON *list = cJSON_AddArrayToObject(object, "near");
        for (size_t i = 0; i < extras->near->count; i++) {
            cJSON_AddItemToArray(list, near_object(&extras->near->pairs[i]));
        }
    }
    if (extras->has_room) tool_json_double(object, "room_step", extras->room.fraction);
    if (extras->has_touches) tool_json_count(object, "touches", extras->touches);
    if (extras->changes) {
        tool_json_count(object, "began", extras->changed[TOC_CHANGE_BEGAN]);
        tool_json_count(object, "persist", extras->changed[TOC_CHANGE_PERSISTS]);
        tool_json_count(object, "ended", extras->changed[TOC_CHANGE_ENDED]);
    }
    if (extras->has_safe_step) {
        tool_json_double(object, "safe_step", extras->safe_step);
        cJSON_AddNumberToObject(object, "overlaps_at_start", (double)extras->overlapping);
        cJSON_AddNumberToObject(object, "contained_at_start", (double)extras->contained);
    }
}
