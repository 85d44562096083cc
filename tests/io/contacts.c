// SPDX-License-Identifier: Apache-2.0
// Contacts as files: the columns, exact doubles, and a VTP that reads as the points it shows.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/core/base64.h"
#include "support/contacts.h"
#include "support/reading.h"
#include "toccata/solver.h"

static const toc_contacts contacts = {.count = 2, .contacts = test_two_contacts};
static const toc_contacts none = {.count = 0};

/// The content of a file of this name after writing the contacts; free it.
static char *written(const char *name, const toc_contacts *what, size_t *count) {
    char *folder = test_folder_make();
    assert_ok(toc_contacts_write(test_path(folder, name), what, NULL));
    char *bytes = test_file_read(test_path(folder, name), count);
    test_folder_remove(folder);
    return bytes;
}

static void holds(const char *name, const toc_contacts *what, const char *text) {
    size_t count;
    char *bytes = written(name, what, &count);
    assert_string_equal(bytes, text);
    free(bytes);
}

#define HEADER "kind,v0,v1,v2,v3,toc,body0,body1,w0,w1,w2,w3,x,y,z,nx,ny,nz,verdict\n"

static void csv_has_the_agreed_columns(void **state) {
    (void)state;
    holds("c.csv", &contacts,
          HEADER "vf,10,11,12,4294967295,0.1,0,1,1,0.25,0.5,0.25,0.3333333333333333,-0,1e+300,0,0,1,hit\n"
                 "ee,1,2,3,4,1,2,2,0.5,0.5,0.1,0.9,2.5e-300,2,3,-1,0,0,undecided\n");
    holds("none.CSV", &none, HEADER);
}

static void json_is_an_object_a_line(void **state) {
    (void)state;
    holds("c.json", &contacts,
          "{\"kind\":\"vf\",\"v0\":10,\"v1\":11,\"v2\":12,\"v3\":4294967295,\"toc\":0.1,\"body0\":0,\"body1\":1,"
          "\"w0\":1,\"w1\":0.25,\"w2\":0.5,\"w3\":0.25,\"x\":0.3333333333333333,\"y\":-0,\"z\":1e+300,"
          "\"nx\":0,\"ny\":0,\"nz\":1,\"verdict\":\"hit\"}\n"
          "{\"kind\":\"ee\",\"v0\":1,\"v1\":2,\"v2\":3,\"v3\":4,\"toc\":1,\"body0\":2,\"body1\":2,"
          "\"w0\":0.5,\"w1\":0.5,\"w2\":0.1,\"w3\":0.9,\"x\":2.5e-300,\"y\":2,\"z\":3,"
          "\"nx\":-1,\"ny\":0,\"nz\":0,\"verdict\":\"undecided\"}\n");
    holds("none.jsonl", &none, "");
}

static void csv_doubles_come_back_exactly(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    for (int round = 0; round < 200; round++) {
        toc_contact contact = test_two_contacts[0];
        contact.toc = test_random_between(&random, 0, 1);
        for (int i = 0; i < 3; i++) contact.point[i] = test_random_between(&random, -1e3, 1e3) / 3;
        size_t count;
        char *text = written("c.csv", &(toc_contacts){.count = 1, .contacts = &contact}, &count);
        double toc, x[3];
        assert_int_equal(sscanf(text + strlen(HEADER), "vf,%*u,%*u,%*u,%*u,%lf,%*u,%*u,%*f,%*f,%*f,%*f,%lf,%lf,%lf",
                                &toc, &x[0], &x[1], &x[2]),
                         4);
        assert_double_same(toc, contact.toc);
        for (int i = 0; i < 3; i++) assert_double_same(x[i], contact.point[i]);
        free(text);
    }
}

static void vtp_shows_a_point_at_each_contact(void **state) {
    (void)state;
#ifndef TOC_HAVE_EXPAT
    skip();
#endif
    size_t count;
    char *bytes = written("c.vtp", &contacts, &count);
    toc_mesh *mesh = test_read("c.vtp", bytes, count);
    assert_int_equal(toc_mesh_get_vertex_count(mesh), 2);
    assert_int_equal(toc_mesh_get_element_count(mesh), 2);
    for (uint32_t i = 0; i < 2; i++) {
        assert_element(mesh, i, TOC_POINT, i);
        assert_vertex(mesh, i, test_two_contacts[i].point[0], test_two_contacts[i].point[1],
                      test_two_contacts[i].point[2]);
    }
    toc_mesh_destroy(mesh);
    free(bytes);
}

/// The bytes of an array of the file, decoded. Valid until the next call.
static const char *array_of(const char *bytes, size_t count, const char *name, size_t size) {
    char wanted[64];
    snprintf(wanted, sizeof wanted, "Name=\"%s\"", name);
    const char *tag = strstr(bytes, wanted);
    assert_non_null(tag);
    const char *array = strchr(tag, '>') + 1;
    static char decoded[256];
    uint64_t head;
    assert_true(sizeof head + size <= sizeof decoded);
    assert_true(array <= bytes + count);
    assert_true(toc_base64_decode(array, bytes + count, sizeof head + size, decoded));
    memcpy(&head, decoded, sizeof head);
    assert_int_equal(head, size);
    return decoded + sizeof head;
}

static void vtp_carries_what_is_known(void **state) {
    (void)state;
    size_t count;
    char *bytes = written("c.vtp", &contacts, &count);
    assert_memory_equal(array_of(bytes, count, "toc", 16), ((double[]){0.1, 1}), 16);
    assert_memory_equal(array_of(bytes, count, "normal", 48), ((double[]){0, 0, 1, -1, 0, 0}), 48);
    assert_memory_equal(array_of(bytes, count, "kind", 2), ((uint8_t[]){0, 1}), 2);
    assert_memory_equal(array_of(bytes, count, "verdict", 2), ((uint8_t[]){1, 2}), 2);
    assert_memory_equal(array_of(bytes, count, "vertices", 32), ((uint32_t[]){10, 11, 12, UINT32_MAX, 1, 2, 3, 4}), 32);
    assert_memory_equal(array_of(bytes, count, "bodies", 16), ((uint32_t[]){0, 1, 2, 2}), 16);
    assert_memory_equal(array_of(bytes, count, "weights", 64), ((double[]){1, .25, .5, .25, .5, .5, .1, .9}), 64);
    free(bytes);
    bytes = written("none.vtp", &none, &count);
    array_of(bytes, count, "toc", 0);
    array_of(bytes, count, "offsets", 0);
    free(bytes);
}

static const toc_place places[] = {{.element = {3, 9},
                                    .element_label = {103, 109},
                                    .vertex_label = {1010, 1011, 1012, 1013},
                                    .part = {1, 2},
                                    .part_name = {"Projectile", "Plate, \"thick\""},
                                    .time = 0.488},
                                   {.element = {1, 2}, .part = {1, 1}, .part_name = {"Projectile", NULL}, .time = 2}};

static void places_follow_the_other_columns(void **state) {
    (void)state;
    char *folder = test_folder_make();
    size_t count;
    assert_ok(toc_contacts_write(test_path(folder, "c.csv"), &contacts, places));
    char *text = test_file_read(test_path(folder, "c.csv"), &count);
    assert_non_null(
        strstr(text, ",nz,verdict,time,element0,element1,eid0,eid1,nid0,nid1,nid2,nid3,pid0,pid1,part0,part1\n"));
    assert_non_null(
        strstr(text, ",hit,0.488,3,9,103,109,1010,1011,1012,1013,1,2,Projectile,\"Plate, \"\"thick\"\"\"\n"));
    free(text);
    assert_ok(toc_contacts_write(test_path(folder, "c.json"), &contacts, places));
    text = test_file_read(test_path(folder, "c.json"), &count);
    assert_non_null(strstr(text, "\"pid1\":2,\"part0\":\"Projectile\",\"part1\":\"Plate, \\\"thick\\\"\"}\n"));
    free(text);
    assert_ok(toc_contacts_write(test_path(folder, "c.vtp"), &contacts, places));
    text = test_file_read(test_path(folder, "c.vtp"), &count);
    assert_memory_equal(array_of(text, count, "time", 16), ((double[]){0.488, 2}), 16);
    assert_memory_equal(array_of(text, count, "parts", 16), ((int32_t[]){1, 2, 1, 1}), 16);
    assert_memory_equal(array_of(text, count, "vertex_labels", 64), ((int64_t[]){1010, 1011, 1012, 1013, 0, 0, 0, 0}),
                        64);
    assert_non_null(strstr(text, "Name=\"part_names\" NumberOfTuples=\"3\""));
    free(text);
    test_folder_remove(folder);
}

// ---- from a source

// Gives one contact at a time, each from the same memory.
typedef struct slow_source {
    toc_contact contact;
    toc_place place;
    size_t calls, fails_at; // SIZE_MAX for never
    size_t placed;          // calls that asked for places
    bool lies;              // about the number of contacts that it gives
} slow_source;

static toc_status give_one(void *user, size_t first, const toc_contact **out, const toc_place **out_places,
                           size_t *count) {
    slow_source *s = user;
    assert_true(first < 2);
    if (s->calls++ == s->fails_at) return toc_message_set(TOC_STOPPED, "no more");
    s->contact = test_two_contacts[first];
    s->place = places[first];
    *out = &s->contact;
    if (out_places) *out_places = &s->place;
    s->placed += out_places != NULL;
    *count = s->lies ? 3 : 1;
    return TOC_OK;
}

// Parts of two files with one number are in the order of their names, not of the places of these in memory.
static void names_of_parts_in_one_order(void **state) {
    (void)state;
    static const char names[2][2] = {"b", "a"};
    char *folder = test_folder_make();
    const toc_place mixed[2] = {{.part = {1, 1}, .part_name = {names[0], names[1]}},
                                {.part = {1, 1}, .part_name = {names[1], names[0]}}};
    size_t count;
    assert_ok(toc_contacts_write(test_path(folder, "c.vtp"), &contacts, mixed));
    char *text = test_file_read(test_path(folder, "c.vtp"), &count);
    assert_non_null(strstr(text, "97 0\n98 0\n")); // a, then b
    free(text);
    test_folder_remove(folder);
}

static void a_source_gives_the_same_bytes(void **state) {
    (void)state;
    static const char *const names[] = {"c.csv", "c.json", "c.vtp"};
    char *folder = test_folder_make();
    for (int k = 0; k < 6; k++) {
        const bool placed = k >= 3;
        size_t counts[2];
        slow_source slow = {.fails_at = SIZE_MAX};
        const toc_contact_source source = {.count = 2, .has_places = placed, .get = give_one, .user = &slow};
        const char *path = test_path(folder, names[k % 3]);
        assert_ok(toc_contacts_write(path, &contacts, placed ? places : NULL));
        char *list = test_file_read(path, &counts[0]);
        assert_ok(toc_contacts_write_source(path, &source));
        // A VTP asks for places only in the passes of their five arrays, and of the names of parts.
        assert_int_equal(slow.placed, !placed ? 0 : k == 5 ? 2 * 6 : 2);
        char *given = test_file_read(path, &counts[1]);
        assert_int_equal(counts[0], counts[1]);
        assert_memory_equal(list, given, counts[0]);
        free(list);
        free(given);
    }
    test_folder_remove(folder);
}

// A source that fails in any call, or gives more than there is: its status, and no file.
static void a_source_that_fails_leaves_no_file(void **state) {
    (void)state;
    static const char *const names[] = {"c.csv", "c.json", "c.vtp"};
    char *folder = test_folder_make();
    for (int k = 0; k < 3; k++) {
        const char *path = test_path(folder, names[k]);
        slow_source slow = {.fails_at = 0};
        const toc_contact_source source = {.count = 2, .has_places = true, .get = give_one, .user = &slow};
        while (toc_contacts_write_source(path, &source) != TOC_OK) {
            assert_string_equal(toc_message_get(), "no more");
            assert_int_not_equal(access(path, F_OK), 0);
            slow = (slow_source){.fails_at = slow.fails_at + 1};
        }
        assert_true(slow.fails_at > 1);
        assert_int_equal(unlink(path), 0);
        slow = (slow_source){.fails_at = SIZE_MAX, .lies = true};
        assert_fails(toc_contacts_write_source(path, &source), TOC_BAD_INPUT, "gives 3 of them from number 0 of 2 on");
        assert_int_not_equal(access(path, F_OK), 0);
    }
    assert_fails(toc_contacts_write_source("c.csv", NULL), TOC_BAD_INPUT, "source is NULL");
    test_folder_remove(folder);
}

static const toc_overlap_pair crossing[] = {
    {.element = {4, 5}, .v = {{0, 1, 2}, {3, 4, 5}}, .depth = 0.25, .normal = {0, 0, 1}, .point = {1, 2, 3}},
    {.body = {0, 1},
     .element = {6, 7},
     .v = {{UINT32_MAX, UINT32_MAX, UINT32_MAX}, {UINT32_MAX, UINT32_MAX, UINT32_MAX}},
     .depth = 0.5,
     .normal = {1, 0, 0},
     .point = {4, 5, 6}},
};

static void overlaps_and_near_pairs_are_written(void **state) {
    (void)state;
    static const toc_near_pair near = {
        .kind = TOC_EE, .v = {1, 2, 3, 4}, .distance = 0.125, .points = {{1, 1, 1}, {2, 2, 2}}};
    char *folder = test_folder_make();
    size_t count;
    assert_ok(toc_answer_write(test_path(folder, "o.csv"), TOC_ITEM_OVERLAP, 2, crossing, NULL));
    char *text = test_file_read(test_path(folder, "o.csv"), &count);
    assert_string_equal(text, "kind,a0,a1,a2,b0,b1,b2,depth,body0,body1,x,y,z,nx,ny,nz\n"
                              "face,0,1,2,3,4,5,0.25,0,0,1,2,3,0,0,1\nelement,,,,,,,0.5,0,1,4,5,6,1,0,0\n");
    free(text);
    assert_ok(toc_answer_write(test_path(folder, "o.vtp"), TOC_ITEM_OVERLAP, 2, crossing, places));
    text = test_file_read(test_path(folder, "o.vtp"), &count);
    assert_memory_equal(array_of(text, count, "depth", 16), ((double[]){0.25, 0.5}), 16);
    assert_memory_equal(array_of(text, count, "Points", 48), ((double[]){1, 2, 3, 4, 5, 6}), 48);
    assert_memory_equal(array_of(text, count, "normal", 48), ((double[]){0, 0, 1, 1, 0, 0}), 48);
    free(text);
    assert_ok(toc_answer_write(test_path(folder, "n.json"), TOC_ITEM_NEAR, 1, &near, NULL));
    text = test_file_read(test_path(folder, "n.json"), &count);
    assert_non_null(strstr(text, "{\"kind\":\"ee\",\"v0\":1,\"v1\":2,\"v2\":3,\"v3\":4,\"distance\":0.125,"));
    free(text);
    assert_ok(toc_answer_write(test_path(folder, "n.vtp"), TOC_ITEM_NEAR, 1, &near, NULL));
    text = test_file_read(test_path(folder, "n.vtp"), &count);
    assert_memory_equal(array_of(text, count, "second", 24), ((double[]){2, 2, 2}), 24);
    free(text);
    assert_fails(toc_answer_write("n.ply", TOC_ITEM_NEAR, 0, NULL, NULL), TOC_BAD_INPUT,
                 "near pairs are written as .csv, .json or .vtp");
    test_folder_remove(folder);
}

// Kinds of answers without a function of their own, and without points, are written by their columns.
static void any_kind_of_answer_is_written(void **state) {
    (void)state;
    static const toc_vertex_pair pairs[] = {{.body = {0, 2}, .v = {5, 6}, .distance = 0.25}};
    static const toc_containment inner[] = {{.body = {3, 1}, .vertex = 7}, {.body = {4, 4}, .vertex = UINT32_MAX}};
    char *folder = test_folder_make();
    size_t count;
    assert_ok(toc_answer_write(test_path(folder, "v.csv"), TOC_ITEM_VERTICES, 1, pairs, places));
    char *text = test_file_read(test_path(folder, "v.csv"), &count);
    assert_string_equal(text,
                        "v0,v1,distance,body0,body1,time,element0,element1,eid0,eid1,nid0,nid1,pid0,pid1,part0,part1\n"
                        "5,6,0.25,0,2,0.488,3,9,103,109,1010,1011,1,2,Projectile,\"Plate, \"\"thick\"\"\"\n");
    free(text);
    assert_ok(toc_answer_write(test_path(folder, "c.json"), TOC_ITEM_CONTAINMENT, 2, inner, NULL));
    text = test_file_read(test_path(folder, "c.json"), &count);
    assert_string_equal(text, "{\"body0\":3,\"body1\":1,\"v0\":7}\n{\"body0\":4,\"body1\":4,\"v0\":4294967295}\n");
    free(text);
    assert_ok(toc_answer_write(test_path(folder, "n.csv"), TOC_ITEM_NEAR, 0, NULL, NULL));
    assert_fails(toc_answer_write("v.vtp", TOC_ITEM_VERTICES, 1, pairs, NULL), TOC_BAD_INPUT,
                 "v.vtp: vertex pairs are written as .csv or .json");
    assert_fails(toc_answer_write("v.csv", TOC_ITEM_COUNT, 1, pairs, NULL), TOC_BAD_INPUT, "items number 5");
    assert_fails(toc_answer_write("v.csv", TOC_ITEM_NEAR, 1, NULL, NULL), TOC_BAD_INPUT, "items is NULL");
    test_folder_remove(folder);
}

// The arrays of a .pvtp are those of its pieces.
static void pieces_are_listed_with_their_arrays(void **state) {
    (void)state;
    const char *const pieces[] = {"a-0.vtp", "a & b.vtp"}, *const odd[] = {"a\nb.vtp"}, *const missing[] = {NULL};
    char *folder = test_folder_make();
    size_t count, piece_count;
    for (int placed = 0; placed < 2; placed++) {
        assert_ok(toc_answer_write_pieces(test_path(folder, "c.pvtp"), TOC_ITEM_CONTACT, placed, 2, pieces));
        char *text = test_file_read(test_path(folder, "c.pvtp"), &count);
        assert_ok(toc_contacts_write(test_path(folder, "c.vtp"), &contacts, placed ? places : NULL));
        char *piece = test_file_read(test_path(folder, "c.vtp"), &piece_count);
        size_t arrays = 0;
        for (const char *at = text; (at = strstr(at, "<PDataArray ")); at++, arrays++) {
            char tag[128];
            const char *end = strstr(at, "/>");
            snprintf(tag, sizeof tag, "<%.*s format=", (int)(end - at - 2), at + 2);
            assert_non_null(strstr(piece, tag));
        }
        assert_int_equal(arrays, placed ? 13 : 8);
        assert_non_null(strstr(text, "<Piece Source=\"a-0.vtp\"/>\n<Piece Source=\"a &amp; b.vtp\"/>\n"));
        free(text);
        free(piece);
    }
    assert_fails(toc_answer_write_pieces("c.vtp", TOC_ITEM_CONTACT, false, 2, pieces), TOC_BAD_INPUT,
                 "pieces are listed in a .pvtp");
    assert_fails(toc_answer_write_pieces("c.pvtp", TOC_ITEM_VERTICES, false, 2, pieces), TOC_BAD_INPUT,
                 "of answers with points");
    assert_fails(toc_answer_write_pieces("c.pvtp", TOC_ITEM_NEAR, false, 1, odd), TOC_BAD_INPUT,
                 "the name of piece 0 has a control character");
    assert_fails(toc_answer_write_pieces("c.pvtp", TOC_ITEM_NEAR, false, 1, missing), TOC_BAD_INPUT,
                 "piece 0 has no name");
    test_folder_remove(folder);
}

// The points of the contacts are marks: the mesh is read without them. Without contacts there are none.
static void a_step_carries_its_contacts(void **state) {
    (void)state;
    char *folder = test_folder_make();
    const char *path = test_path(folder, "step.glb");
    static const double x0[] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, x1[] = {0, 0, 1, 1, 0, 1, 0, 1, 1};
    toc_contact near_origin = test_two_contacts[0];
    toc_mesh *mesh, *again;
    size_t count;
    near_origin.point[2] = 0.5;
    assert_ok(toc_mesh_create(NULL, &mesh));
    assert_ok(toc_mesh_add_vertices(mesh, 3, x0, NULL));
    assert_ok(toc_mesh_add_elements(mesh, TOC_TRIANGLE, 1, (const uint32_t[]){0, 1, 2}, NULL));
    assert_ok(test_mesh_move(mesh, x1));
    for (size_t contact_count = 0; contact_count < 2; contact_count++) {
        const toc_contacts step = {.count = contact_count, .contacts = &near_origin};
        assert_ok(toc_step_write(path, mesh, &step, contact_count ? places : NULL));
        assert_ok(toc_mesh_read(path, NULL, &again));
        assert_int_equal(toc_mesh_get_vertex_count(again), 3);
        assert_int_equal(toc_mesh_get_element_count(again), 1);
        toc_mesh_destroy(again);
        char *bytes = test_file_read(path, &count);
        assert_int_equal(strstr(bytes + 20, "\"_TOC\":") != NULL, contact_count);
        assert_non_null(strstr(bytes + 20, contact_count ? "\"contacts\":{\"count\":1" : "\"contacts\":{\"count\":0"));
        free(bytes);
    }
    assert_fails(toc_step_write("a.ply", mesh, &none, NULL), TOC_BAD_INPUT,
                 "a step with its contacts is written as .glb");
    toc_mesh_destroy(mesh);
    test_folder_remove(folder);
}

// A float has no number for them: the JSON would have "inf", and bounds that no program reads.
static void a_step_refuses_contacts_that_no_float_holds(void **state) {
    (void)state;
    char *folder = test_folder_make();
    const char *path = test_path(folder, "step.glb");
    static const double x[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const toc_place late = {.time = 1e39};
    toc_contact far = test_two_contacts[0];
    const toc_contacts step = {.count = 1, .contacts = &far};
    toc_mesh *mesh;
    assert_ok(toc_mesh_create(NULL, &mesh));
    assert_ok(toc_mesh_add_vertices(mesh, 3, x, NULL));
    assert_ok(toc_mesh_add_elements(mesh, TOC_TRIANGLE, 1, (const uint32_t[]){0, 1, 2}, NULL));
    for (int k = 0; k < 3; k++) far.point[k] = 0;
    assert_fails(toc_step_write(path, mesh, &step, &late), TOC_BAD_INPUT,
                 "contact 0: its time 1e+39 is more than a float can hold");
    far.point[1] = -1e39;
    assert_fails(toc_step_write(path, mesh, &step, NULL), TOC_BAD_INPUT,
                 "contact 0: its coordinate -1e+39 is more than a float can hold");
    assert_int_not_equal(access(path, F_OK), 0);
    toc_mesh_destroy(mesh);
    test_folder_remove(folder);
}

static void unknown_extension_and_no_folder(void **state) {
    (void)state;
    assert_fails(toc_contacts_write("contacts.xls", &contacts, NULL), TOC_BAD_INPUT,
                 "contacts.xls: contacts are written as");
    assert_fails(toc_contacts_write("/nowhere/c.csv", &contacts, NULL), TOC_BAD_INPUT, "/nowhere/c.csv: ");
}

static void full_disk(void **state) {
    (void)state;
    char *folder = test_folder_make();
    const char *path = test_path(folder, "full.csv");
    FILE *device = fopen("/dev/full", "w");
    if (!device) skip();
    fclose(device);
    assert_int_equal(symlink("/dev/full", path), 0);
    assert_fails(toc_contacts_write(path, &contacts, NULL), TOC_DISK_FULL, "full.csv: cannot be written");
    test_folder_remove(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(csv_has_the_agreed_columns),
        cmocka_unit_test(json_is_an_object_a_line),
        cmocka_unit_test(csv_doubles_come_back_exactly),
        cmocka_unit_test(vtp_shows_a_point_at_each_contact),
        cmocka_unit_test(vtp_carries_what_is_known),
        cmocka_unit_test(places_follow_the_other_columns),
        cmocka_unit_test(names_of_parts_in_one_order),
        cmocka_unit_test(a_source_gives_the_same_bytes),
        cmocka_unit_test(a_source_that_fails_leaves_no_file),
        cmocka_unit_test(overlaps_and_near_pairs_are_written),
        cmocka_unit_test(any_kind_of_answer_is_written),
        cmocka_unit_test(pieces_are_listed_with_their_arrays),
        cmocka_unit_test(a_step_carries_its_contacts),
        cmocka_unit_test(a_step_refuses_contacts_that_no_float_holds),
        cmocka_unit_test(unknown_extension_and_no_folder),
        cmocka_unit_test(full_disk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
