// SPDX-License-Identifier: Apache-2.0
// toccata simulate: frames, resuming, and descriptions with mistakes.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/command.h"

static char *read_whole(const char *path, size_t *count) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *bytes = malloc(1 << 22);
    *count = fread(bytes, 1, 1 << 22, file);
    fclose(file);
    return bytes;
}

static void assert_same_files(const char *a, const char *b) {
    size_t counts[2];
    char *bytes[2] = {read_whole(a, &counts[0]), read_whole(b, &counts[1])};
    assert_int_equal(counts[0], counts[1]);
    assert_memory_equal(bytes[0], bytes[1], counts[0]);
    free(bytes[0]);
    free(bytes[1]);
}

// A run that ended early and was resumed has the frames of one that went through, bit for bit.
static void a_resumed_run_has_the_same_frames(void **state) {
    (void)state;
    assert_says(test_command("simulate bar --size 1 --frames 9 --check --out %s/whole", test_folder), "crossings  0");
    assert_says(test_command("simulate bar --size 1 --frames 4 --out %s/parts", test_folder), "bar.pvd");
    assert_says(test_command("simulate bar --size 1 --frames 9 --resume --out %s/parts", test_folder), "frames     5");
    for (int i = 0; i < 9; i++) {
        char name[64];
        snprintf(name, sizeof name, "whole/bar-%04d.vtu", i);
        const char *whole = test_path(test_folder, name);
        snprintf(name, sizeof name, "parts/bar-%04d.vtu", i);
        assert_same_files(whole, test_path(test_folder, name));
    }
    assert_same_files(test_path(test_folder, "whole/bar.pvd"), test_path(test_folder, "parts/bar.pvd"));
    assert_refused(test_command("simulate bar --size 2 --resume --out %s/parts", test_folder), 1,
                   "another description, size or preset");
}

static void assert_bad(const char *text, const char *words) {
    const char *path = test_text_write("bad.json", text);
    assert_refused(test_command("simulate %s --out %s/bad", path, test_folder), 1, words);
}

#define BODY "\"bodies\": [{\"sphere\": {\"cells\": 1}, \"material\": \"m\"}]"

// Each mistake in a description names its place.
static void mistakes_name_their_place(void **state) {
    (void)state;
    assert_bad("{\n\"step\": 0.1,\n\"frames\": NaN}", "bad.json: line 3: this is not JSON");
    assert_bad("{\"steps\": 3}", "bad.json: unknown key \"steps\"");
    assert_bad("{\"step\": -1, " BODY "}", "step: it is -1");
    assert_bad("{\"step\": \"1\"}", "bad.json: step: a finite number is expected");
    assert_bad("{\"gravity\": [0, 0]}", "gravity: an array of three finite numbers");
    assert_bad("{\"gravity\": [0, 0, 1e999]}", "gravity: an array of three finite numbers");
    assert_bad("{\"frames\": 1.5}", "frames: an integer");
    assert_bad("{\"bodies\": []}", "bodies: an array of one body at least");
    assert_bad("{" BODY "}", "bodies[0]: there is no material \"m\"");
    assert_bad("{\"materials\": {\"m\": {\"density\": -1, \"motion\": \"rigid\"}}, " BODY "}",
               "materials.m: density is -1; it must be above 0");
    assert_bad("{\"materials\": {\"m\": {\"density\": 1, \"mass\": 1}}, " BODY "}",
               "materials.m: unknown key \"mass\"");
    assert_bad("{\"materials\": {\"m\": {\"motion\": \"fast\"}}, " BODY "}", "it can be soft, rigid or guided");
    assert_bad("{\"materials\": {\"m\": {}}, \"bodies\": [{\"material\": \"m\"}]}", "bodies[0]: a body needs one of");
    assert_bad("{\"materials\": {\"m\": {}}, \"bodies\": [{\"material\": \"m\", \"mesh\": \"none.ply\"}]}",
               "bodies[0].mesh: ");
    assert_bad(
        "{\"materials\": {\"m\": {}}, \"bodies\": [{\"material\": \"m\", \"mesh\": \"a.ply\", \"unit\": \"mile\"}]}",
        "bodies[0].unit: unknown unit \"mile\"");
    assert_bad("{\"materials\": {\"m\": {}}, \"bodies\": [{\"material\": \"m\", \"sphere\": {\"radius\": 0}}]}",
               "bodies[0].sphere: the radius is 0");
    assert_bad("{\"materials\": {\"m\": {\"adhesion\": -1}}, " BODY "}",
               "materials.m: adhesion is -1; it must be at least 0");
    assert_bad("{\"materials\": {\"m\": {\"adhesion\": \"near\"}}, " BODY "}", "materials.m.adhesion: a finite number");
    assert_bad("{\"materials\": {\"m\": {\"sharp\": 1}}, " BODY "}", "materials.m.sharp: true or false");
    assert_bad("{\"materials\": {\"m\": {}}, " BODY ", \"joints\": {}}", "joints: distance is 0; it must be above 0");
    assert_bad(
        "{\"materials\": {\"m\": {}}, \"bodies\": [{\"material\": \"m\", \"sphere\": {\"elements\": \"cube\"}}]}",
        "bodies[0].sphere: elements is \"cube\"");
    assert_bad(
        "{\"materials\": {\"m\": {}}, \"bodies\": [{\"material\": \"m\", \"sphere\": {}, \"blast\": {\"radius\": 0}}]}",
        "bodies[0].blast: the radius is 0");
    assert_refused(test_command("simulate none.json --out %s/bad", test_folder), 1, "none.json: cannot be opened");
    assert_refused(test_command("simulate bar"), 1, "--out DIR");
}

static void the_list_names_every_simulation(void **state) {
    (void)state;
    assert_says(test_command("simulate --list"), "cloth-ball");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_resumed_run_has_the_same_frames),
        cmocka_unit_test(mistakes_name_their_place),
        cmocka_unit_test(the_list_names_every_simulation),
    };
    return cmocka_run_group_tests(tests, test_folder_begin, test_folder_end);
}
