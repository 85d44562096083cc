// SPDX-License-Identifier: Apache-2.0
// Contacts and near pairs come back from files bit for bit; files that are damaged are refused at their place.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/pairs/read.h"
#include "support/contacts.h"
#include "support/reading.h"
#include "support/sources.h"

static const toc_contacts contacts = {.count = 2, .contacts = test_two_contacts};

static const toc_near_pair pairs[] = {
    {.kind = TOC_EE,
     .v = {1, 2, 3, 4},
     .body = {0, 3},
     .distance = 0.125,
     .weights = {0.5, 0.5, 1.0 / 3, 2.0 / 3},
     .points = {{1, 1, 5e-324}, {2, 2, 2}},
     .normal = {0, 1, 0},
     .thickness = 0.25},
    {.kind = TOC_VF, .v = {7, 8, 9, 10}, .distance = 0, .weights = {1, 0, 0, 1}, .points = {{0}}, .thickness = 1e-3},
};

static const toc_place places[] = {{.element = {3, 9},
                                    .vertex_label = {1010, 1011, 1012, 1013},
                                    .part = {1, 2},
                                    .part_name = {"Projectile", "Plate, \"thick\""},
                                    .time = 0.488},
                                   {.element = {1, 2}, .part = {1, 1}, .part_name = {"Projectile", NULL}, .time = 2}};

static const char *const names[] = {"c.csv", "c.json", "c.jsonl", "c.vtp"};
enum { NAMES = 4 };

static void contacts_come_back(void **state) {
    (void)state;
    for (int k = 0; k < 2 * NAMES; k++) {
        const char *path = test_path(test_folder, names[k / 2]);
        toc_contacts *read;
        assert_ok(toc_contacts_write(path, &contacts, k % 2 ? places : NULL));
        assert_ok(toc_contacts_read(path, NULL, &read));
        assert_int_equal(read->count, 2);
        assert_int_equal(read->found, 2);
        assert_memory_equal(read->contacts, test_two_contacts, sizeof test_two_contacts);
        assert_ptr_equal(toc_contacts_find_first(read), read->contacts);
        toc_contacts_destroy(read);
    }
}

static void none_come_back(void **state) {
    (void)state;
    static const toc_contacts none = {.count = 0};
    for (int k = 0; k < NAMES; k++) {
        const char *path = test_path(test_folder, names[k]);
        toc_contacts *read;
        assert_ok(toc_contacts_write(path, &none, NULL));
        assert_ok(toc_contacts_read(path, NULL, &read));
        assert_int_equal(read->count, 0);
        toc_contacts_destroy(read);
    }
}

// A VTP has no thickness.
static void near_pairs_come_back(void **state) {
    (void)state;
    for (int k = 0; k < 2 * NAMES; k++) {
        const char *path = test_path(test_folder, names[k / 2]);
        toc_near_pair wanted[2];
        toc_near *read;
        memcpy(wanted, pairs, sizeof wanted);
        for (int i = 0; i < 2 && k / 2 == 3; i++) wanted[i].thickness = 0;
        assert_ok(toc_answer_write(path, TOC_ITEM_NEAR, 2, pairs, k % 2 ? places : NULL));
        assert_ok(toc_near_read(path, NULL, &read));
        assert_int_equal(read->count, 2);
        assert_memory_equal(read->pairs, wanted, sizeof wanted);
        toc_near_destroy(read);
    }
}

// Floats of a .glb have no 1e300.
static void write_step(const char *path, const toc_mesh *mesh, size_t count, toc_contact moderate[2]) {
    memcpy(moderate, test_two_contacts, sizeof test_two_contacts);
    moderate[0].point[2] = 0.5;
    assert_ok(toc_step_write(path, mesh, &(toc_contacts){.count = count, .contacts = moderate}, count ? places : NULL));
}

static toc_mesh *one_triangle(void) {
    static const double x0[] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, x1[] = {0, 0, 1, 1, 0, 1, 0, 1, 1};
    toc_mesh *mesh;
    assert_ok(toc_mesh_create(NULL, &mesh));
    assert_ok(toc_mesh_add_vertices(mesh, 3, x0, NULL));
    assert_ok(toc_mesh_add_elements(mesh, TOC_TRIANGLE, 1, (const uint32_t[]){0, 1, 2}, NULL));
    assert_ok(test_mesh_move(mesh, x1));
    return mesh;
}

static void a_step_gives_its_contacts_back(void **state) {
    (void)state;
    const char *path = test_path(test_folder, "step.glb");
    toc_mesh *mesh = one_triangle();
    for (size_t count = 0; count <= 2; count++) {
        toc_contact written[2];
        toc_contacts *read;
        write_step(path, mesh, count, written);
        assert_ok(toc_contacts_read(path, NULL, &read));
        assert_int_equal(read->count, count);
        if (count) assert_memory_equal(read->contacts, written, count * sizeof *written);
        toc_contacts_destroy(read);
    }
    assert_ok(toc_mesh_write(path, mesh, TOC_AT_START));
    toc_contacts *none;
    assert_fails(toc_contacts_read(path, NULL, &none), TOC_BAD_INPUT, "this file has no contacts");
    toc_mesh_destroy(mesh);
}

// Of the table of a sequence a caller names the step.
static void a_step_of_a_table(void **state) {
    (void)state;
    static const char *const formats[] = {"csv", "json"};
    for (int k = 0; k < 2; k++) {
        char name[16], *rows, *text, line[4096];
        size_t count, length = 0;
        toc_contacts *read;
        toc_read_options options = toc_read_options_default();
        snprintf(name, sizeof name, "t.%s", formats[k]);
        assert_ok(toc_contacts_write(test_path(test_folder, name), &contacts, places));
        rows = test_file_read(test_path(test_folder, name), &count);
        text = calloc(count + 2 * sizeof line, 1);
        // The rows are those of step 2 and step 7.
        int number = k == 0 ? -1 : 2;
        for (const char *at = rows; *at; at += strcspn(at, "\n") + 1, number = number < 0 ? 2 : 7) {
            snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\n"), at);
            const char *form = k ? "{\"step\":%d,%s\n" : "%d,%s\n";
            char *to = text + length;
            length += (size_t)(number < 0 ? snprintf(to, sizeof line, "step,%s\n", line)
                                          : snprintf(to, sizeof line, form, number, line + k));
        }
        const char *path = test_text_write(name, text);
        for (int i = 0; i < 2; i++) {
            options.step = &(uint64_t){i ? 7 : 2};
            assert_ok(toc_contacts_read(path, &options, &read));
            assert_int_equal(read->count, 1);
            assert_memory_equal(read->contacts, &test_two_contacts[i], sizeof *test_two_contacts);
            toc_contacts_destroy(read);
        }
        options.step = &(uint64_t){3};
        assert_ok(toc_contacts_read(path, &options, &read));
        assert_int_equal(read->count, 0);
        toc_contacts_destroy(read);
        assert_fails(toc_contacts_read(path, NULL, &read), TOC_BAD_INPUT, "1: this is the table of a sequence");
        assert_fails(toc_contacts_read(test_text_write(name, rows), &options, &read), TOC_BAD_INPUT,
                     "there is no column `step`, so no step 3");
        free(rows);
        free(text);
    }
}

// ---- damage

#define HEADER "kind,v0,v1,v2,v3,toc,body0,body1,w0,w1,w2,w3,x,y,z,nx,ny,nz,verdict"
#define ROW "vf,1,2,3,4,0.5,0,0,1,.5,.25,.25,0,0,0,0,0,1,hit"

static void refused(const char *name, const char *text, const char *words) {
    const char *path = test_text_write(name, text);
    toc_contacts *read = NULL;
    assert_fails(toc_contacts_read(path, NULL, &read), TOC_BAD_INPUT, words);
    assert_null(read);
}

static void failures_name_the_line(void **state) {
    (void)state;
    refused("d.csv", "", "d.csv:1: these are not the columns");
    refused("d.csv", "kind,v0\n", "d.csv:1: ");
    refused("d.csv", HEADER "x\n", "d.csv:1: ");
    refused("d.csv", HEADER "\n" ROW "\n" ROW "\nvf,1,2\n", "d.csv:4: this is no row of contacts");
    refused("d.csv", HEADER "\n\n", "d.csv:2: ");
    refused("d.csv", HEADER "\nvf,1,2,3,4,1.5,0,0,1,.5,.25,.25,0,0,0,0,0,1,hit\n", "d.csv:2: ");
    refused("d.csv", HEADER "\nvf,1,2,3,4,0.5,0,0,1,.5,.25,inf,0,0,0,0,0,1,hit\n", "d.csv:2: ");
    refused("d.csv", HEADER "\nvf,1,2,3,4294967296,0.5,0,0,1,.5,.25,.25,0,0,0,0,0,1,hit\n", "d.csv:2: ");
    refused("d.csv", HEADER "\nvf,1,2,3,-4,0.5,0,0,1,.5,.25,.25,0,0,0,0,0,1,hit\n", "d.csv:2: ");
    refused("d.csv", HEADER "\nvv,1,2,3,4,0.5,0,0,1,.5,.25,.25,0,0,0,0,0,1,hit\n", "d.csv:2: ");
    refused("d.csv", HEADER "\n" ROW "s\n", "d.csv:2: ");
    refused("d.csv", "step," HEADER "\n0," ROW "\n", "d.csv:1: this is the table of a sequence");
    refused("d.json", "{\"step\":1}\n", "d.json:1: this is the table of a sequence");
    refused("d.json", "\n{\"kind\":\"vf\"}\n", "d.json:2: \"v0\" is missing");
    refused("d.json", "{\"kind\":3}\n", "d.json:1: an unknown \"kind\"");
    refused("d.json", "[1]\n", "d.json:1: an object was expected");
    refused("d.json", "{\"kind\":\"vf\"\n", "d.json:1: ");
    refused("d.vtp", "<VTKFile>", "d.vtp:1: this is not a .vtp of contacts");
    refused("d.glb", "glTF", "d.glb");
    refused("d.ply", "ply", "contacts are read from a .csv, .json, .vtp or .glb");
    toc_near *near = NULL;
    assert_fails(toc_near_read(test_text_write("d.glb", "glTF"), NULL, &near), TOC_BAD_INPUT,
                 "near pairs are read from a .csv, .json or .vtp");
    assert_fails(toc_contacts_read("/nowhere/c.csv", NULL, &(toc_contacts *){NULL}), TOC_BAD_INPUT, "/nowhere/c.csv");
}

// Rows end with a line break of either kind; the last one may lack it.
static void line_ends_of_other_systems(void **state) {
    (void)state;
    toc_contacts *read;
    assert_ok(toc_contacts_read(test_text_write("e.csv", HEADER "\r\n" ROW "\r\n" ROW), NULL, &read));
    assert_int_equal(read->count, 2);
    toc_contacts_destroy(read);
}

// @return the number of items; SIZE_MAX where the bytes are refused.
static size_t try_bytes(const char *name, const char *bytes, size_t count) {
    const toc_allocator allocator = toc_allocator_get_default();
    toc_items items = {0};
    toc_source source;
    assert_ok(test_source_copy(name, bytes, count, &allocator, &source));
    const toc_status status = toc_pairs_read(toc_answer_type_of(TOC_ITEM_CONTACT), &source, NULL, &items);
    assert_true(status == TOC_OK || status == TOC_BAD_INPUT);
    const size_t found = status == TOC_OK ? items.count / sizeof(toc_contact) : SIZE_MAX;
    toc_array_free(&allocator, &items);
    toc_source_close(&source);
    return found;
}

static char *written_bytes(const char *name, size_t *count) {
    const char *path = test_path(test_folder, name);
    toc_contact unused[2];
    toc_mesh *mesh = one_triangle();
    if (strcmp(name, "c.glb") == 0)
        write_step(path, mesh, 2, unused);
    else
        assert_ok(toc_contacts_write(path, &contacts, places));
    toc_mesh_destroy(mesh);
    return test_file_read(path, count);
}

static void files_cut_short_anywhere(void **state) {
    (void)state;
    static const char *const all[] = {"c.csv", "c.json", "c.vtp", "c.glb"};
    for (int k = 0; k < 4; k++) {
        size_t count;
        char *bytes = written_bytes(all[k], &count);
        assert_int_equal(try_bytes(all[k], bytes, count), 2);
        for (size_t cut = 0; cut < count; cut++) {
            const size_t found = try_bytes(all[k], bytes, cut);
            if (k < 2) assert_true(found == SIZE_MAX || found <= 2); // whole rows, or those without a place
            if (k == 3) assert_true(found == SIZE_MAX);
        }
        free(bytes);
    }
}

static void files_with_bytes_changed(void **state) {
    (void)state;
    static const char *const all[] = {"c.csv", "c.json", "c.vtp", "c.glb"};
    test_random random = {3};
    for (int k = 0; k < 4; k++) {
        size_t count;
        char *bytes = written_bytes(all[k], &count);
        for (int tries = 0; tries < test_less(2000, 300); tries++) {
            const size_t at = (size_t)test_random_between(&random, 0, (double)count - 0.5);
            const char before = bytes[at];
            bytes[at] = (char)test_random_between(&random, 0, 255.9);
            const size_t found = try_bytes(all[k], bytes, count);
            assert_true(found == SIZE_MAX || found <= 4);
            bytes[at] = before;
        }
        free(bytes);
    }
}

// ---- memory

static toc_status read_again(const toc_allocator *allocator, void *user) {
    const toc_read_options options = {.size = sizeof options, .allocator = allocator};
    toc_contacts *read = NULL;
    const toc_status status = toc_contacts_read(user, &options, &read);
    if (status == TOC_OK) assert_int_equal(read->count, 2);
    toc_contacts_destroy(read);
    return status;
}

static void any_allocation_may_fail(void **state) {
    (void)state;
    static const char *const all[] = {"c.csv", "c.json", "c.vtp", "c.glb"};
    for (int k = 0; k < 4; k++) {
        size_t count;
        free(written_bytes(all[k], &count));
        char path[512];
        strncpy(path, test_path(test_folder, all[k]), sizeof path - 1);
        path[sizeof path - 1] = 0;
        assert_true(test_every_allocation(read_again, path) > 0);
    }
}

static void a_limit_on_memory(void **state) {
    (void)state;
    const toc_read_options options = {.size = sizeof options, .memory = 64};
    toc_contacts *read = NULL;
    assert_ok(toc_contacts_write(test_path(test_folder, "c.csv"), &contacts, NULL));
    assert_fails(toc_contacts_read(test_path(test_folder, "c.csv"), &options, &read), TOC_OUT_OF_MEMORY, "c.csv");
}

static void results_of_the_callers_contacts(void **state) {
    (void)state;
    toc_contacts *copy = NULL;
    toc_near *near = NULL;
    assert_ok(toc_contacts_create(NULL, 2, test_two_contacts, &copy));
    assert_int_equal(copy->count, 2);
    assert_int_equal(copy->stage_count, 0);
    assert_string_equal(copy->preset, "");
    assert_memory_equal(copy->contacts, test_two_contacts, sizeof test_two_contacts);
    toc_contacts_destroy(copy);
    assert_ok(toc_contacts_create(NULL, 0, NULL, &copy));
    assert_int_equal(copy->count, 0);
    toc_contacts_destroy(copy);
    assert_fails(toc_contacts_create(NULL, 1, NULL, &copy), TOC_BAD_INPUT, "items is NULL");
    assert_ok(toc_near_create(NULL, 2, pairs, &near));
    assert_memory_equal(near->pairs, pairs, sizeof pairs);
    toc_near_destroy(near);
    assert_fails(toc_near_create(NULL, 1, NULL, &near), TOC_BAD_INPUT, "items is NULL");
    assert_fails(toc_near_create(NULL, 0, NULL, NULL), TOC_BAD_INPUT, "out is NULL");
    assert_fails(toc_near_create(NULL, SIZE_MAX / 2, pairs, &near), TOC_OUT_OF_MEMORY, "");
    toc_near_pair odd = pairs[0];
    odd.kind = (toc_kind)7;
    assert_fails(toc_near_create(NULL, 1, &odd, &near), TOC_BAD_INPUT, "there is no pair kind number 7");
}

// Lists of every kind are made by one function, and files of pairs of features are read by one.
static void results_of_any_kind(void **state) {
    (void)state;
    const toc_containment inside[2] = {{{3, 1}, 7}, {{2, 2}, 9}};
    toc_containments *copy = NULL;
    toc_contacts *made = NULL;
    void *none = NULL;
    assert_ok(toc_answer_create(NULL, TOC_ITEM_CONTAINMENT, 2, inside, &copy));
    assert_int_equal(copy->count, 2);
    assert_memory_equal(copy->pairs, inside, sizeof inside);
    toc_answer_destroy(copy);
    assert_ok(toc_answer_create(NULL, TOC_ITEM_CONTACT, 2, test_two_contacts, &made));
    assert_int_equal(made->found, 2);
    toc_answer_destroy(made);
    assert_fails(toc_answer_create(NULL, TOC_ITEM_COUNT, 0, NULL, &none), TOC_BAD_INPUT, "no kind of items number 5");
    assert_fails(toc_answer_read("c.csv", NULL, TOC_ITEM_COUNT, &none), TOC_BAD_INPUT, "no kind of items number 5");
    assert_fails(toc_answer_read("c.csv", NULL, TOC_ITEM_OVERLAP, &none), TOC_BAD_INPUT,
                 "contacts and near pairs can be read, not overlaps");
    assert_null(none);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contacts_come_back),         cmocka_unit_test(none_come_back),
        cmocka_unit_test(near_pairs_come_back),       cmocka_unit_test(a_step_gives_its_contacts_back),
        cmocka_unit_test(a_step_of_a_table),          cmocka_unit_test(failures_name_the_line),
        cmocka_unit_test(line_ends_of_other_systems), cmocka_unit_test(files_cut_short_anywhere),
        cmocka_unit_test(files_with_bytes_changed),   cmocka_unit_test(any_allocation_may_fail),
        cmocka_unit_test(a_limit_on_memory),          cmocka_unit_test(results_of_the_callers_contacts),
        cmocka_unit_test(results_of_any_kind),
    };
    return cmocka_run_group_tests(tests, test_folder_begin, test_folder_end);
}
