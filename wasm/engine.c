// SPDX-License-Identifier: Apache-2.0
// The functions of the engine that toccata.mjs calls: open frames or take arrays, find the contacts of step after step,
// read the results where they lie in memory. One input at a time. A failure leaves a sentence in engine_message.
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "toccata/potential.h"
#include "tools/frame_fields.h"
#include "tools/output.h"
#include "tools/places.h"
#include "view/coder.h"
#include "view/skin.h"

#define ENGINE(name) __attribute__((export_name(#name), used)) name

/// Called now and then; other than 0 to stop.
__attribute__((import_module("toccata"), import_name("progress"))) int engine_progress(double done);
/// Takes the bytes of a block of the page's data; gives its number.
__attribute__((import_module("toccata"), import_name("block"))) size_t engine_block(const void *bytes, size_t count);

// toccata.mjs reads contacts and stages by these places.
_Static_assert(sizeof(toc_contact) == 120 && offsetof(toc_contact, body) == 8 && offsetof(toc_contact, v) == 16 &&
                   offsetof(toc_contact, toc) == 32 && offsetof(toc_contact, weights) == 40 &&
                   offsetof(toc_contact, point) == 72 && offsetof(toc_contact, normal) == 96,
               "the layout of contacts");
_Static_assert(sizeof(toc_stage) == 32 && offsetof(toc_stage, in) == 8 && offsetof(toc_stage, seconds) == 24,
               "the layout of stages");

static struct {
    toc_sequence *frames;
    toc_scene *scene;
    toc_contacts *contacts;
    toc_near *near;
    toc_potential *barrier;
    size_t step; // of the contacts
    tool_places *places;
    toc_features *features;
    view_parts parts;
    view_skin skin;
    view_coder *coder;
    view_text text;
} engine;

static const uint64_t most_memory = (uint64_t)2 << 30;
static char sentence[1024];

toc_status tool_fail(toc_status status, const char *format, ...) {
    va_list values;
    va_start(values, format);
    vsnprintf(sentence, sizeof sentence, format, values);
    va_end(values);
    return status;
}

toc_status tool_fail_memory(void) { return tool_fail(TOC_OUT_OF_MEMORY, "out of memory"); }

// Files of the engine have no folders in front of them in the answers, as those of the command.
const char *tool_path_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

const char *ENGINE(engine_message)(void) { return *sentence ? sentence : toc_message_get(); }
const char *ENGINE(engine_version)(void) { return toc_version_get(); }
const char *ENGINE(engine_preset)(size_t i) { return toc_preset_get(i).name; }
void *ENGINE(engine_allocate)(size_t size) { return malloc(size); }
void ENGINE(engine_free)(void *block) { free(block); }

static toc_allocator memory(void) { return toc_allocator_get_default(); }

static void drop_skin(void) {
    toc_view_skin_free(&engine.skin);
    toc_features_destroy(engine.features);
    engine.features = NULL;
}

void ENGINE(engine_close)(void) {
    toc_contacts_destroy(engine.contacts);
    toc_near_destroy(engine.near);
    toc_potential_destroy(engine.barrier);
    tool_places_destroy(engine.places);
    drop_skin();
    if (engine.parts.allocator.resize) toc_view_parts_free(&engine.parts);
    toc_view_coder_destroy(engine.coder);
    if (engine.text.allocator.resize) toc_view_text_free(&engine.text);
    toc_scene_destroy(engine.scene);
    toc_sequence_close(engine.frames);
    memset(&engine, 0, sizeof engine);
    sentence[0] = 0;
}

static toc_status open_scene(void) {
    toc_mesh *mesh;
    toc_status status = toc_sequence_read_first(engine.frames, &mesh);
    if (status != TOC_OK) return status;
    status = tool_places_create(&engine.places);
    if (status == TOC_OK) status = tool_places_add_body(engine.places, toc_sequence_get_path(engine.frames, 0), mesh);
    if (status == TOC_OK) status = toc_scene_create(NULL, &engine.scene);
    if (status == TOC_OK) status = toc_scene_add_body(engine.scene, mesh, NULL);
    if (status != TOC_OK) toc_mesh_destroy(mesh);
    return status;
}

/// Open frames. @param rate of animations in frames a second; 0 for the default.
/// @param clip the animation to play; NULL for the first that moves.
int ENGINE(engine_open)(size_t count, const char *const *paths, double rate, const char *clip) {
    engine_close();
    toc_read_options options = toc_read_options_default();
    options.memory = most_memory;
    toc_status status = toc_sequence_open(count, paths, &options, &engine.frames);
    if (status == TOC_OK && clip) status = toc_sequence_play(engine.frames, clip);
    if (status == TOC_OK && rate > 0) status = toc_sequence_sample(engine.frames, rate);
    if (status == TOC_OK) status = tool_frame_fields_begin(engine.frames);
    return (int)(status == TOC_OK ? open_scene() : status);
}

size_t ENGINE(engine_frame_count)(void) { return toc_sequence_get_frame_count(engine.frames); }
const char *ENGINE(engine_frame_path)(size_t frame) { return toc_sequence_get_path(engine.frames, frame); }
double ENGINE(engine_frame_time)(size_t frame) { return toc_sequence_get_time(engine.frames, frame); }
const char *ENGINE(engine_clip)(size_t i) { return toc_sequence_get_clip(engine.frames, i); }

static const toc_mesh *engine_mesh(void) { return toc_scene_get_mesh(engine.scene, 0); }

static int report(void *user, double done) {
    (void)user;
    return engine_progress(done);
}

static toc_query query_of(const char *preset, int answer) {
    toc_query query = toc_query_default();
    query.preset = preset;
    query.answer = (toc_answer)answer;
    query.threads = 1;
    query.progress = (toc_progress){.report = report};
    return query;
}

/// Move to the next frame, and find the contacts on the way. Steps follow each other from 0 on.
int ENGINE(engine_step)(size_t step, const char *preset, int answer, int surface) {
    toc_contacts_destroy(engine.contacts);
    engine.contacts = NULL;
    engine.step = step;
    toc_query query = query_of(preset, answer);
    query.surface_only = surface != 0;
    toc_status status = toc_sequence_advance(engine.frames, step + 1, toc_scene_edit_mesh(engine.scene, 0));
    if (status == TOC_OK) status = toc_scene_find_contacts(engine.scene, &query, NULL, &engine.contacts);
    return (int)status;
}

size_t ENGINE(engine_vertex_count)(void) { return toc_mesh_get_vertex_count(engine_mesh()); }
const double *ENGINE(engine_start)(void) { return toc_mesh_get_x0(engine_mesh()); }
const double *ENGINE(engine_end)(void) { return toc_mesh_get_x1(engine_mesh()); }
/// A number that differs after edits.
double ENGINE(engine_revision)(void) { return (double)toc_mesh_get_revision(engine_mesh()); }

size_t ENGINE(engine_contact_count)(void) { return engine.contacts->count; }
const toc_contact *ENGINE(engine_contacts)(void) { return engine.contacts->contacts; }
size_t ENGINE(engine_stage_count)(void) { return engine.contacts->stage_count; }
const toc_stage *ENGINE(engine_stages)(void) { return engine.contacts->stages; }
double ENGINE(engine_seconds)(void) { return engine.contacts->seconds; }
const char *ENGINE(engine_chosen)(void) { return engine.contacts->chosen; }

static void find_contact_places(toc_place *to) {
    const double start = engine_frame_time(engine.step), end = engine_frame_time(engine.step + 1);
    for (size_t i = 0; i < engine.contacts->count; i++) {
        const toc_contact *c = &engine.contacts->contacts[i];
        tool_places_find(engine.places, c->kind, c->body, c->v, &to[i], NULL);
        to[i].time = tool_time_between(start, end, c->toc);
    }
}

/// Write the contacts with all columns, as the command does: .csv, .vtp or .json.
int ENGINE(engine_write)(const char *path) {
    toc_status status = tool_places_follow(engine.places, engine.scene);
    if (status != TOC_OK) return (int)status;
    toc_place *places = calloc(engine.contacts->count + 1, sizeof *places);
    if (!places) return (int)tool_fail_memory();
    find_contact_places(places);
    status = toc_contacts_write(path, engine.contacts, places);
    free(places);
    return (int)status;
}

/// Derive the faces to draw, once after each change of the revision.
int ENGINE(engine_find_skin)(void) {
    const toc_allocator allocator = memory();
    drop_skin();
    if (!engine.parts.allocator.resize) engine.parts = toc_view_parts_make(&allocator);
    toc_status status = toc_mesh_find_features(engine_mesh(), &engine.features);
    if (status == TOC_OK) status = toc_view_parts_update(&engine.parts, engine_mesh());
    if (status == TOC_OK)
        status = toc_view_skin_make(&allocator, engine_mesh(), engine.features, &engine.parts, &engine.skin);
    return (int)status;
}

size_t ENGINE(engine_face_count)(void) { return engine.skin.face_count; }
size_t ENGINE(engine_boundary_count)(void) { return engine.skin.boundary_count; }
const void *ENGINE(engine_faces)(void) { return engine.skin.faces; }
const void *ENGINE(engine_owners)(void) { return engine.skin.has_volumes ? engine.skin.owners : NULL; }
const uint32_t *ENGINE(engine_vertex_parts)(void) { return engine.parts.vertices.at; }
const uint32_t *ENGINE(engine_element_parts)(void) { return engine.parts.elements.at; }
size_t ENGINE(engine_element_count)(void) { return engine.parts.elements.count; }
size_t ENGINE(engine_part_count)(void) { return engine.parts.count; }

const char *ENGINE(engine_part_name)(size_t i) {
    static char room[VIEW_PART_NAME];
    return toc_view_part_name(&engine.parts, engine_mesh(), i, room);
}

// ---- the data of the page

static toc_status put_block(void *user, view_role role, size_t size, const void *numbers, size_t *block) {
    (void)user;
    (void)role;
    *block = engine_block(numbers, size);
    return TOC_OK;
}

static view_frame frame_of(size_t frame) {
    const char *path = engine_frame_path(frame);
    return (view_frame){.name = path ? tool_path_name(path) : "", .time = engine_frame_time(frame)};
}

// The fields of the frame that the mesh is at. Those of arrays that were taken are none.
static toc_status find_fields(size_t frame, view_frame *to, tool_frame_fields *fields) {
    *fields = (tool_frame_fields){0};
    if (!engine.frames) return TOC_OK;
    const toc_status status = tool_frame_fields_find(engine.frames, frame, engine_mesh(), NULL, fields);
    to->field_count = fields->count;
    to->fields = fields->fields;
    return status;
}

/// Begin the data of a page at the first frame. @param up the axis that points up.
int ENGINE(engine_page_begin)(int up) {
    const toc_allocator allocator = memory();
    view_frame first = frame_of(0);
    tool_frame_fields fields;
    toc_view_coder_destroy(engine.coder);
    engine.coder = NULL;
    toc_status status = find_fields(0, &first, &fields);
    if (status == TOC_OK)
        status = toc_view_coder_create(&allocator, (view_store){.put = put_block}, engine.scene, up, NULL, &first,
                                       &engine.coder);
    tool_frame_fields_free(&fields);
    return (int)status;
}

/// Add the last step.
int ENGINE(engine_page_step)(void) {
    view_step step = {.count = engine.contacts->count,
                      .contacts = engine.contacts->contacts,
                      .result = engine.contacts,
                      .frame = frame_of(engine.step + 1)};
    tool_frame_fields fields;
    toc_status status = find_fields(engine.step + 1, &step.frame, &fields);
    if (status == TOC_OK) status = toc_view_coder_add_step(engine.coder, engine.scene, &step);
    tool_frame_fields_free(&fields);
    return (int)status;
}

/// The object that describes the data; NULL when memory is out. Valid until the next call.
const char *ENGINE(engine_page_text)(void) {
    const toc_allocator allocator = memory();
    if (engine.text.allocator.resize) toc_view_text_free(&engine.text);
    engine.text = toc_view_text_make(&allocator);
    toc_view_coder_write(engine.coder, 0, 0, 0, "", &engine.text);
    return engine.text.status == TOC_OK ? engine.text.bytes.at : NULL;
}

// ---- arrays instead of files

static toc_status make_mesh(size_t vertices, const double *x0, const double *x1, size_t triangles,
                            const uint32_t *corners, toc_mesh **out) {
    toc_status status = toc_mesh_create(NULL, out);
    if (status != TOC_OK) return status;
    status = toc_mesh_add_vertices(*out, vertices, x0, NULL);
    if (status == TOC_OK) status = toc_mesh_add_elements(*out, TOC_TRIANGLE, triangles, corners, NULL);
    if (status == TOC_OK) status = toc_mesh_set_motion(*out, vertices, x0, x1);
    if (status != TOC_OK) toc_mesh_destroy(*out);
    return status;
}

/// Take triangles and their positions at both ends of a step.
int ENGINE(engine_take)(size_t vertices, const double *x0, const double *x1, size_t triangles,
                        const uint32_t *corners) {
    toc_mesh *mesh;
    engine_close();
    toc_status status = make_mesh(vertices, x0, x1, triangles, corners, &mesh);
    if (status == TOC_OK) status = toc_scene_create(NULL, &engine.scene);
    if (status != TOC_OK) return (int)status;
    status = toc_scene_add_body(engine.scene, mesh, NULL);
    if (status != TOC_OK) toc_mesh_destroy(mesh);
    return (int)status;
}

/// Other positions for the same triangles.
int ENGINE(engine_move)(size_t vertices, const double *x0, const double *x1) {
    return (int)toc_mesh_set_motion(toc_scene_edit_mesh(engine.scene, 0), vertices, x0, x1);
}

/// The contacts of the step that was taken.
int ENGINE(engine_find)(const char *preset, int answer) {
    const toc_query query = query_of(preset, answer);
    toc_contacts_destroy(engine.contacts);
    engine.contacts = NULL;
    return (int)toc_scene_find_contacts(engine.scene, &query, NULL, &engine.contacts);
}

/// The part of the step before which nothing touches.
int ENGINE(engine_safe_step)(double *out) {
    const toc_query query = query_of("auto", TOC_ANSWER_ALL);
    return (int)toc_scene_find_safe_step(engine.scene, &query, out);
}

/// The part of the step in which each pair keeps a share of its distance.
int ENGINE(engine_room_step)(double share, double *out) {
    const toc_query query = query_of("auto", TOC_ANSWER_ALL);
    toc_room room = toc_room_default();
    toc_room_step step;
    room.share = share;
    const toc_status status = toc_scene_find_room_step(engine.scene, &query, &room, &step);
    if (status == TOC_OK) *out = step.fraction;
    return (int)status;
}

/// The barrier of the pairs nearer than a distance at the start of the step, with its derivatives.
int ENGINE(engine_find_barrier)(double distance, double stiffness) {
    const toc_query query = query_of("auto", TOC_ANSWER_ALL);
    toc_near_query near = toc_near_query_default();
    toc_potential_query potential = toc_potential_query_default();
    near.distance = potential.distance = distance;
    potential.stiffness = stiffness;
    toc_near_destroy(engine.near);
    toc_potential_destroy(engine.barrier);
    engine.near = NULL;
    engine.barrier = NULL;
    toc_status status = toc_scene_find_near(engine.scene, &query, &near, NULL, &engine.near);
    if (status == TOC_OK)
        status = toc_scene_find_potential(engine.scene, &query, engine.near, &potential, &engine.barrier);
    return (int)status;
}

size_t ENGINE(engine_near_count)(void) { return engine.near->count; }
double ENGINE(engine_barrier_energy)(void) { return engine.barrier->energy; }
const double *ENGINE(engine_barrier_gradient)(void) { return engine.barrier->gradient; }
size_t ENGINE(engine_barrier_value_count)(void) { return engine.barrier->value_count; }
const size_t *ENGINE(engine_barrier_rows)(void) { return engine.barrier->rows; }
const uint32_t *ENGINE(engine_barrier_columns)(void) { return engine.barrier->columns; }
const double *ENGINE(engine_barrier_values)(void) { return engine.barrier->values; }

/// The least distance of the near pairs.
double ENGINE(engine_nearest)(void) {
    double least = HUGE_VAL;
    for (size_t i = 0; i < engine.near->count; i++) least = fmin(least, engine.near->pairs[i].distance);
    return least;
}

/// One elementary question. @param out the verdict, and the time of contact.
int ENGINE(engine_pair)(int kind, const double *x0, const double *x1, int method, double *out) {
    toc_pair_test test = toc_pair_test_default();
    toc_pair pair;
    toc_hit hit = {0};
    test.method = (toc_method)method;
    memcpy(pair.x0, x0, sizeof pair.x0);
    memcpy(pair.x1, x1, sizeof pair.x1);
    const toc_status status = toc_pair_find((toc_kind)kind, &pair, &test, &hit);
    out[0] = hit.verdict;
    out[1] = hit.toc;
    return (int)status;
}

const char *ENGINE(engine_method)(int i) { return i < TOC_METHOD_COUNT ? toc_method_get((toc_method)i).name : NULL; }
