// SPDX-License-Identifier: Apache-2.0
// Alembic files: some of the Alembic library itself, with the values that it reads in them (files/alembic/make.cpp),
// and many made here in the layout of the Ogawa container.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/reading.h"

// ---- the container

#define DATA_BIT (UINT64_C(1) << 63)

/// A file being made, least significant byte first: contents stand before the groups that have them.
typedef struct writer {
    size_t count;
    char bytes[1 << 16];
} writer;

static void put_number(writer *w, unsigned bytes, uint64_t x) {
    for (unsigned i = 0; i < bytes; i++) w->bytes[w->count++] = (char)(x >> 8 * i);
}

static void put_double(writer *w, double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    put_number(w, 8, bits);
}

static void put_float(writer *w, double x) {
    const float small = (float)x;
    uint32_t bits;
    memcpy(&bits, &small, sizeof bits);
    put_number(w, 4, bits);
}

static void put_bytes(writer *w, const void *from, size_t count) {
    memcpy(w->bytes + w->count, from, count);
    w->count += count;
}

/// Data, and what a group says of their place.
static uint64_t put_data(writer *w, const writer *contents) {
    const uint64_t place = w->count;
    if (contents->count == 0) return DATA_BIT;
    put_number(w, 8, contents->count);
    put_bytes(w, contents->bytes, contents->count);
    return place | DATA_BIT;
}

static uint64_t put_group(writer *w, size_t count, const uint64_t *members) {
    const uint64_t place = w->count;
    if (count == 0) return 0;
    put_number(w, 8, count);
    for (size_t i = 0; i < count; i++) put_number(w, 8, members[i]);
    return place;
}

// ---- properties and objects

enum { BOOL = 0, U8 = 1, I32 = 6, F32 = 10, F64 = 11, STRING = 12 };
enum { MOST = 64 };

/// A group being made: its members, and their heads.
typedef struct group {
    size_t count;
    uint64_t members[MOST];
    writer heads;
} group;

typedef struct property {
    const char *name;
    bool is_array;
    int type, extent, samples; // samples in time; fewer are stored if it is constant
    bool constant, timed;
} property;

/// A property whose stored samples are given, each without its key.
static void add_property(writer *w, group *g, property p, int stored, const writer *samples) {
    uint64_t members[2 * MOST];
    size_t count = 0;
    for (int i = 0; i < stored; i++) {
        static writer keyed;
        keyed.count = 0;
        put_bytes(&keyed, "sixteen bytes...", 16);
        put_bytes(&keyed, samples[i].bytes, samples[i].count);
        members[count++] = put_data(w, &keyed);
        if (p.is_array) members[count++] = DATA_BIT; // one dimension
    }
    g->members[g->count++] = put_group(w, count, members);
    const unsigned bytes = p.samples > UINT8_MAX ? 2 : 1;
    const uint32_t info = (p.is_array ? 2u : 1u) | (uint32_t)p.type << 4 | (p.timed ? 0x100u : 0u) | 0x400u |
                          (p.constant ? 0x800u : 0u) | (uint32_t)p.extent << 12 | 1u << 20 | (bytes == 2 ? 4u : 0u);
    put_number(&g->heads, 4, info);
    put_number(&g->heads, bytes, (uint64_t)p.samples);
    if (p.timed) put_number(&g->heads, bytes, 1);
    put_number(&g->heads, bytes, strlen(p.name));
    put_bytes(&g->heads, p.name, strlen(p.name));
}

static uint64_t close_properties(writer *w, group *g) {
    g->members[g->count++] = put_data(w, &g->heads);
    return put_group(w, g->count, g->members);
}

static void add_compound(writer *w, group *g, const char *name, group *inner) {
    g->members[g->count++] = close_properties(w, inner);
    put_number(&g->heads, 4, 0);
    put_number(&g->heads, 1, strlen(name));
    put_bytes(&g->heads, name, strlen(name));
}

/// An object in its parent; the parent's first member is its own properties.
static void add_object(group *parent, const char *name, const char *schema, uint64_t place) {
    char metadata[80];
    snprintf(metadata, sizeof metadata, "schemaObjTitle=%s:x;schema=%s", schema, schema);
    parent->members[parent->count++] = place;
    put_number(&parent->heads, 4, strlen(name));
    put_bytes(&parent->heads, name, strlen(name));
    put_number(&parent->heads, 1, 0xff);
    put_number(&parent->heads, 4, strlen(metadata));
    put_bytes(&parent->heads, metadata, strlen(metadata));
}

static uint64_t close_object(writer *w, group *g) {
    put_bytes(&g->heads, "the hashes of all of the objects", 32);
    g->members[g->count++] = put_data(w, &g->heads);
    return put_group(w, g->count, g->members);
}

static void integers(writer *to, int count, const int32_t *from) {
    to->count = 0;
    for (int i = 0; i < count; i++) put_number(to, 4, (uint32_t)from[i]);
}

// ---- a scene: a ball that turns about a moving place, a pentagon at rest, a sheet that is cut

enum { FRAMES = 4 };

/// The contents of the scene, and its faults.
typedef struct scene_options {
    bool at_rest;       // one sample of everything
    bool detached;      // the ball does not inherit the transformation above it
    int32_t bad_corner; // of the pentagon
    int bad_operation;
    const char *schema; // of the pentagon, else that of a mesh
    const char *extra;  // a property of it
    double bad_number;
    int pentagon_samples; // equal ones; 0: one
    int pentagons;        // 0: one
} scene_options;

static const double quad[4][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};

/// The quad as its corners are in the file: clockwise.
static uint64_t put_ball(writer *w, scene_options o) {
    static writer samples[FRAMES];
    group geometry = {0}, own = {0}, object = {0};
    const int frames = o.at_rest ? 1 : FRAMES;
    for (int f = 0; f < FRAMES; f++) {
        samples[f].count = 0;
        for (int i = 0; i < 4; i++) // it grows in the direction of z
            for (int k = 0; k < 3; k++) put_float(&samples[f], quad[i][k] + (k == 2 && i > 1 ? f : 0));
    }
    add_property(w, &geometry, (property){"P", true, F32, 3, frames, o.at_rest, true}, frames, samples);
    integers(samples, 1, (const int32_t[]){4});
    add_property(w, &geometry, (property){".faceCounts", true, I32, 1, frames, true, true}, 1, samples);
    integers(samples, 4, (const int32_t[]){0, 3, 2, 1});
    add_property(w, &geometry, (property){".faceIndices", true, I32, 1, frames, true, true}, 1, samples);
    add_compound(w, &own, ".geom", &geometry);
    object.members[object.count++] = close_properties(w, &own);
    return close_object(w, &object);
}

static uint64_t put_transformation(writer *w, const char *child, uint64_t place, int operations, const int *kinds,
                                   int values, const double *from, const double *change, scene_options o) {
    static writer samples[FRAMES];
    group geometry = {0}, own = {0}, object = {0};
    const int frames = o.at_rest || !change ? 1 : FRAMES;
    for (int f = 0; f < frames; f++) {
        samples[f].count = 0;
        for (int i = 0; i < values; i++) put_double(&samples[f], from[i] + (change ? f * change[i] : 0));
    }
    add_property(w, &geometry, (property){".vals", false, F64, values, frames, frames == 1, true}, frames, samples);
    samples->count = 0;
    for (int i = 0; i < operations; i++) put_number(samples, 1, (uint64_t)kinds[i] << 4);
    add_property(w, &geometry, (property){".ops", false, U8, operations, 1, true, false}, 1, samples);
    samples->count = 0;
    put_number(samples, 1, !(o.detached && change));
    add_property(w, &geometry, (property){".inherits", false, BOOL, 1, 1, true, false}, 1, samples);
    add_compound(w, &own, ".xform", &geometry);
    object.members[object.count++] = close_properties(w, &own);
    add_object(&object, child, change ? "AbcGeom_PolyMesh_v1" : "AbcGeom_Xform_v3", place);
    return close_object(w, &object);
}

/// Above it, everything is twice as large, and 10 farther off in the direction of x.
static uint64_t put_turning_ball(writer *w, scene_options o) {
    const uint64_t ball = put_ball(w, o);
    const int kinds[] = {o.bad_operation ? o.bad_operation : 1, 2}, outer[] = {3};
    const double from[] = {0, 0, 0, 0, 0, 1, 0}, change[] = {0, 0, 1, 0, 0, 0, 90};
    const uint64_t inner = put_transformation(w, "shape", ball, 2, kinds, 7, from, change, o);
    const double twice[] = {2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 10, 0, 0, 1};
    return put_transformation(w, "turn", inner, 1, outer, 16, twice, NULL, o);
}

static uint64_t put_pentagon(writer *w, scene_options o) {
    static writer sample;
    group geometry = {0}, own = {0}, object = {0};
    sample.count = 0;
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < 3; k++) put_double(&sample, k == 0 ? cos(i) : k == 1 ? sin(i) : i == 4 ? o.bad_number : 0);
    add_property(w, &geometry, (property){"P", true, F64, 3, o.pentagon_samples ? o.pentagon_samples : 1, true, false},
                 1, &sample);
    integers(&sample, 2, (const int32_t[]){5, 0});
    add_property(w, &geometry, (property){".faceCounts", true, I32, 1, 1, true, false}, 1, &sample);
    integers(&sample, 5, (const int32_t[]){4, 3, 2, 1, o.bad_corner});
    add_property(w, &geometry, (property){".faceIndices", true, I32, 1, 1, true, false}, 1, &sample);
    add_compound(w, &own, ".geom", &geometry);
    sample.count = 0;
    if (o.extra) add_property(w, &own, (property){o.extra, false, STRING, 1, 1, true, false}, 1, &sample);
    object.members[object.count++] = close_properties(w, &own);
    return close_object(w, &object);
}

/// Two triangles in the first two frames, one in the third, two again in the last: three eras.
static uint64_t put_sheet(writer *w, scene_options o) {
    static writer samples[FRAMES];
    group geometry = {0}, own = {0}, object = {0};
    const int frames = o.at_rest ? 1 : FRAMES;
    for (int f = 0; f < FRAMES; f++) {
        samples[f].count = 0;
        for (int i = 0; i < (f == 2 ? 3 : 4); i++)
            for (int k = 0; k < 3; k++) put_float(&samples[f], quad[i][k] + (k == 0 ? 50 : k == 2 ? f : 0));
    }
    add_property(w, &geometry, (property){"P", true, F32, 3, frames, o.at_rest, true}, frames, samples);
    for (int f = 0; f < FRAMES; f++) integers(&samples[f], f == 2 ? 1 : 2, (const int32_t[]){3, 3});
    add_property(w, &geometry, (property){".faceCounts", true, I32, 1, frames, o.at_rest, true}, frames, samples);
    for (int f = 0; f < FRAMES; f++) integers(&samples[f], f == 2 ? 3 : 6, (const int32_t[]){0, 2, 1, 0, 3, 2});
    add_property(w, &geometry, (property){".faceIndices", true, I32, 1, frames, o.at_rest, true}, frames, samples);
    add_compound(w, &own, ".geom", &geometry);
    object.members[object.count++] = close_properties(w, &own);
    return close_object(w, &object);
}

static void put_scene(writer *w, scene_options o) {
    static writer data;
    group top = {0};
    uint64_t archive[6];
    w->count = 0;
    put_bytes(w, "Ogawa\xff\0\1", 8);
    put_number(w, 8, 0); // the place of the archive
    top.members[top.count++] = 0;
    add_object(&top, "ball", "AbcGeom_Xform_v3", put_turning_ball(w, o));
    for (int i = 0; i == 0 || i < o.pentagons; i++)
        add_object(&top, "pentagon", o.schema ? o.schema : "AbcGeom_PolyMesh_v1", put_pentagon(w, o));
    add_object(&top, "sheet", "AbcGeom_SubD_v1", put_sheet(w, o));
    data.count = 0;
    put_number(&data, 4, 0);
    archive[0] = put_data(w, &data);
    data.count = 0;
    put_number(&data, 4, 10803);
    archive[1] = put_data(w, &data);
    archive[2] = close_object(w, &top);
    archive[3] = DATA_BIT;
    data.count = 0;
    for (int i = 0; i < 2; i++) { // seconds from 0; frames of a film from the first
        put_number(&data, 4, 0);
        put_double(&data, i == 0 ? 1 : 0.25);
        put_number(&data, 4, 1);
        put_double(&data, 0.25 * i);
    }
    archive[4] = put_data(w, &data);
    data.count = 0;
    put_number(&data, 1, 10);
    put_bytes(&data, "some=thing", 10);
    archive[5] = put_data(w, &data);
    const uint64_t place = put_group(w, 6, archive);
    for (int i = 0; i < 8; i++) w->bytes[8 + i] = (char)(place >> 8 * i);
}

/// A file in a folder of its own.
typedef struct film {
    char *folder, path[256];
    writer w;
} film;

static film film_begin(scene_options o) {
    film f = {.folder = test_folder_make()};
    snprintf(f.path, sizeof f.path, "%s", test_path(f.folder, "film.abc"));
    put_scene(&f.w, o);
    test_file_write(f.path, f.w.bytes, f.w.count);
    return f;
}

static void film_end(film *f) { test_folder_remove(f->folder); }

// ---- tests

static void assert_place(const double *x, uint32_t v, double a, double b, double c) {
    const double wanted[] = {a, b, c};
    for (int k = 0; k < 3; k++)
        if (fabs(x[3 * v + (uint32_t)k] - wanted[k]) > 1e-12)
            fail_msg("vertex %u is at %g %g %g, not %g %g %g", v, x[3 * v], x[3 * v + 1], x[3 * v + 2], a, b, c);
}

/// The ball at a frame: turned by 90 degrees a frame about z, raised by 1, twice as large, farther off.
static void check_ball(const double *x, size_t frame, bool detached) {
    static const double cosine[] = {1, 0, -1, 0}, sine[] = {0, 1, 0, -1};
    for (uint32_t i = 0; i < 4; i++) {
        const double c = cosine[frame], s = sine[frame], z = quad[i][2] + (i > 1 ? (double)frame : 0) + (double)frame;
        const double a = c * quad[i][0] - s * quad[i][1], b = s * quad[i][0] + c * quad[i][1];
        assert_place(x, i + 5 + 4, detached ? a : 2 * a + 10, detached ? b : 2 * b, detached ? z : 2 * z);
    }
}

static void meshes_move_with_their_transformations(void **state) {
    (void)state;
    for (int detached = 0; detached < 2; detached++) {
        film f = film_begin((scene_options){.detached = detached});
        toc_sequence *sequence;
        toc_mesh *mesh = test_sequence_first(f.path, &sequence);
        assert_int_equal(toc_sequence_get_frame_count(sequence), FRAMES);
        assert_string_equal(toc_mesh_get_group_name(mesh, 1), "pentagon");
        assert_string_equal(toc_mesh_get_group_name(mesh, 2), "sheet");
        assert_string_equal(toc_mesh_get_group_name(mesh, 3), "ball/turn/shape");
        assert_element(mesh, 0, TOC_TRIANGLE, 4, 0, 1);
        assert_element(mesh, 2, TOC_TRIANGLE, 4, 2, 3);
        assert_int_equal(toc_mesh_get_element(mesh, 2).group, 1);
        assert_element(mesh, 5, TOC_QUAD, 9, 10, 11, 12); // counter-clockwise
        assert_int_equal(toc_mesh_get_element(mesh, 5).group, 3);
        check_ball(toc_mesh_get_x1(mesh), 0, detached);
        for (size_t frame = 1; frame < FRAMES; frame++) {
            assert_ok(toc_sequence_advance(sequence, frame, mesh));
            assert_double_same(toc_sequence_get_time(sequence, frame), 0.25 + 0.25 * (double)frame);
            check_ball(toc_mesh_get_x0(mesh), frame - 1, detached);
            check_ball(toc_mesh_get_x1(mesh), frame, detached);
            assert_place(toc_mesh_get_x1(mesh), 3, cos(3), sin(3), 0);
        }
        toc_mesh_destroy(mesh);
        toc_sequence_close(sequence);
        film_end(&f);
    }
}

static size_t count_alive(const toc_mesh *mesh, int32_t part) {
    size_t count = 0;
    for (uint32_t i = 0; i < toc_mesh_get_element_count(mesh); i++) {
        const toc_element e = toc_mesh_get_element(mesh, i);
        count += e.shape != TOC_REMOVED && e.group == part;
    }
    return count;
}

/// Polygons that change are removed; the new ones have vertices of their own, at rest in the step.
static void polygons_that_change(void **state) {
    (void)state;
    film f = film_begin((scene_options){0});
    toc_sequence *sequence;
    toc_mesh *mesh = test_sequence_first(f.path, &sequence);
    static const size_t vertices[FRAMES] = {13, 13, 16, 20}, alive[FRAMES] = {2, 2, 1, 2};
    for (size_t frame = 0; frame < FRAMES; frame++) {
        if (frame > 0) assert_ok(toc_sequence_advance(sequence, frame, mesh));
        assert_int_equal(toc_mesh_get_vertex_count(mesh), vertices[frame]);
        assert_int_equal(count_alive(mesh, 2), alive[frame]);
        assert_int_equal(count_alive(mesh, 1), 3);
        assert_int_equal(count_alive(mesh, 3), 1);
        if (frame == 1) {
            assert_place(toc_mesh_get_x0(mesh), 6, 51, 0, 0);
            assert_place(toc_mesh_get_x1(mesh), 6, 51, 0, 1);
        }
        for (int end = 0; end < 2 && frame > 1; end++)
            assert_place(end ? toc_mesh_get_x1(mesh) : toc_mesh_get_x0(mesh), (uint32_t)vertices[frame - 1], 50, 0,
                         (double)frame);
    }
    assert_fails(toc_sequence_advance(sequence, 0, mesh), TOC_BAD_INPUT, "frames are read in their order");
    toc_mesh_destroy(mesh);
    toc_sequence_close(sequence);
    assert_ok(toc_sequence_open(1, (const char *[]){f.path}, NULL, &sequence)); // a step over frames
    assert_ok(toc_sequence_read_first(sequence, &mesh));
    assert_ok(toc_sequence_advance(sequence, 3, mesh));
    assert_int_equal(toc_mesh_get_vertex_count(mesh), 20);
    assert_int_equal(count_alive(mesh, 2), 2);
    toc_mesh_destroy(mesh);
    toc_sequence_close(sequence);
    film_end(&f);
}

static void a_scene_at_rest_is_one_frame(void **state) {
    (void)state;
    film f = film_begin((scene_options){.at_rest = true});
    toc_sequence *sequence;
    toc_mesh *mesh = test_sequence_first(f.path, &sequence);
    assert_int_equal(toc_sequence_get_frame_count(sequence), 1);
    check_ball(toc_mesh_get_x1(mesh), 0, false);
    toc_mesh_destroy(mesh);
    toc_sequence_close(sequence);
    film_end(&f);
}

/// A text in the file with other bytes, as long as these.
static void replace_bytes(film *f, const char *from, const char *to) {
    for (size_t i = 0; i + strlen(from) <= f->w.count; i++)
        if (memcmp(f->w.bytes + i, from, strlen(from)) == 0) memcpy(f->w.bytes + i, to, strlen(to));
    test_file_write(f->path, f->w.bytes, f->w.count);
}

static void assert_told(film *f, const char *words) {
    assert_fails(test_play(NULL, f->path), TOC_BAD_INPUT, words);
    assert_int_equal(strncmp(toc_message_get(), f->path, strlen(f->path)), 0);
}

static void defects_are_told(void **state) {
    (void)state;
    static const struct {
        scene_options options;
        const char *words;
    } cases[] = {
        {{.bad_corner = 5}, "a polygon has a corner that is no vertex of its mesh"},
        {{.bad_corner = -1}, "a polygon has a corner that is no vertex of its mesh"},
        {{.bad_operation = 9}, "a transformation of this Alembic file is of an unknown kind"},
        {{.bad_operation = 3}, "a sample of this Alembic file has too few numbers"},
        {{.schema = "AbcGeom_NuPatch_v2"}, "NURBS of Alembic are not read"},
        {{.extra = ".instanceSource"}, "instances of Alembic are not read"},
        {{.bad_number = INFINITY}, "a number of this Alembic file is not finite"},
        {{.pentagon_samples = 60000}, "more samples than bytes"},
        {{.pentagon_samples = 15000, .pentagons = 40}, "have more frames than it has bytes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        film f = film_begin(cases[i].options);
        assert_told(&f, cases[i].words);
        film_end(&f);
    }
    film f = film_begin((scene_options){0});
    replace_bytes(&f, "Ogawa\xff", "Ogawa\1");
    assert_told(&f, "byte 5: the program that wrote this Alembic file has not closed it");
    replace_bytes(&f, "Ogawa", "\211HDF\r");
    assert_told(&f, "abcconvert -toOgawa");
    put_scene(&f.w, (scene_options){0});
    replace_bytes(&f, "schema=AbcGeom_", "schema=AbcNone_");
    assert_told(&f, "has no polygon mesh");
    film_end(&f);
}

// ---- files of the library

static const char *library_file(const char *name, const char *kind) {
    static char path[512];
    snprintf(path, sizeof path, "%s/tests/io/files/alembic/%s.%s", TOC_SOURCE_DIR, name, kind);
    return path;
}

enum { MOST_PARTS = 8 };

/// A mesh at a frame, and the element of each part that was compared last.
typedef struct comparison {
    const toc_mesh *mesh;
    uint32_t next[MOST_PARTS + 1];
    size_t compared;
} comparison;

static int32_t part_of(const toc_mesh *mesh, const char *name) {
    for (int32_t part = 1; part <= MOST_PARTS; part++) {
        const char *own = toc_mesh_get_group_name(mesh, part);
        if (own && strcmp(own, name) == 0) return part;
    }
    fail_msg("there is no group %s", name);
    return 0;
}

/// The next element of a part must have corners at these places.
static void compare_polygon(comparison *c, const char *name, const double *places, int corners) {
    const int32_t part = part_of(c->mesh, name);
    uint32_t *at = &c->next[part];
    toc_element e = {.shape = TOC_REMOVED};
    while (*at < toc_mesh_get_element_count(c->mesh) && (e.shape == TOC_REMOVED || e.group != part))
        e = toc_mesh_get_element(c->mesh, (*at)++);
    assert_int_equal(e.shape, corners == 3 ? TOC_TRIANGLE : TOC_QUAD);
    assert_int_equal(e.group, part);
    for (int i = 0; i < corners; i++)
        assert_place(toc_mesh_get_x1(c->mesh), e.corners[i], places[3 * i], places[3 * i + 1], places[3 * i + 2]);
    c->compared++;
}

static void finish_frame(const comparison *c) {
    size_t alive = 0;
    for (int32_t part = 1; part <= MOST_PARTS; part++) alive += count_alive(c->mesh, part);
    assert_int_equal(c->compared, alive);
}

static comparison advance_to(toc_sequence *sequence, toc_mesh *mesh, const char *line) {
    const char *rest;
    const size_t frame = strtoul(line + strlen("frame "), (char **)&rest, 10);
    if (frame > 0) assert_ok(toc_sequence_advance(sequence, frame, mesh));
    assert_true(fabs(toc_sequence_get_time(sequence, frame) - strtod(rest, NULL)) < 1e-12);
    return (comparison){.mesh = mesh};
}

static size_t compare_file(const char *name) {
    char line[1024], path[256];
    toc_sequence *sequence;
    toc_mesh *mesh = test_sequence_first(library_file(name, "abc"), &sequence);
    FILE *truth = fopen(library_file(name, "txt"), "r");
    assert_non_null(truth);
    comparison c = {NULL};
    size_t polygons = 0;
    while (fgets(line, sizeof line, truth)) {
        int corners, read;
        double places[12];
        if (strncmp(line, "frame ", 6) == 0) {
            if (c.mesh) finish_frame(&c);
            c = advance_to(sequence, mesh, line);
            continue;
        }
        assert_int_equal(sscanf(line, "%255s %d%n", path, &corners, &read), 2);
        const char *at = line + read;
        for (int i = 0; i < 3 * corners; i++) places[i] = strtod(at, (char **)&at);
        compare_polygon(&c, path, places, corners);
        polygons++;
    }
    finish_frame(&c);
    fclose(truth);
    toc_mesh_destroy(mesh);
    toc_sequence_close(sequence);
    return polygons;
}

/// All operations of transformations, polygons that change, times at will and in periods, wide heads.
static void files_of_the_library(void **state) {
    (void)state;
    assert_int_equal(compare_file("motion"), 185);
    assert_int_equal(compare_file("topology"), 50);
    assert_int_equal(compare_file("times"), 112);
    assert_int_equal(compare_file("wide"), 20);
    assert_fails(test_play(NULL, (void *)library_file("instances", "abc")), TOC_BAD_INPUT,
                 "instances of Alembic are not");
    assert_fails(test_play(NULL, (void *)library_file("hdf5", "abc")), TOC_BAD_INPUT, "abcconvert -toOgawa");
}

/// A group that has itself as a member, and objects that lead to each other.
static void groups_that_lead_to_themselves(void **state) {
    (void)state;
    film f = film_begin((scene_options){0});
    for (size_t at = 16; at + 8 < f.w.count; at++) { // each place in the file leads to the top of the archive
        char before[8];
        memcpy(before, f.w.bytes + at, sizeof before);
        memcpy(f.w.bytes + at, f.w.bytes + 8, sizeof before);
        test_file_write(f.path, f.w.bytes, f.w.count);
        if (test_play(NULL, f.path) != TOC_OK) assert_int_equal(strncmp(toc_message_get(), f.path, strlen(f.path)), 0);
        memcpy(f.w.bytes + at, before, sizeof before);
    }
    film_end(&f);
}

static void cut_garbled_and_starved(void **state) {
    (void)state;
    film f = film_begin((scene_options){0});
    assert_true(test_every_allocation(test_play, f.path) > 1);
    for (size_t cut = 0; cut < f.w.count; cut += 5) {
        test_file_write(f.path, f.w.bytes, cut);
        assert_told(&f, f.path);
    }
    test_play_garbled(f.path, f.w.bytes, f.w.count, test_less(2000, 200));
    film_end(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(meshes_move_with_their_transformations),
        cmocka_unit_test(polygons_that_change),
        cmocka_unit_test(files_of_the_library),
        cmocka_unit_test(a_scene_at_rest_is_one_frame),
        cmocka_unit_test(defects_are_told),
        cmocka_unit_test(groups_that_lead_to_themselves),
        cmocka_unit_test(cut_garbled_and_starved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
