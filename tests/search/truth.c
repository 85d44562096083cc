// SPDX-License-Identifier: Apache-2.0
// Whole frames with published colliding pairs: every preset must report all of them, and the exact presets no others.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "support/test.h"

// A pair in canonical order of its features and their vertices.
typedef struct key {
    uint32_t kind, v[4];
} key;

static void swap(uint32_t *a, uint32_t *b) {
    const uint32_t c = *a;
    *a = *b;
    *b = c;
}

static key key_of(bool edges, const uint32_t v[4]) {
    key k = {edges, {v[0], v[1], v[2], v[3]}};
    if (k.v[2] > k.v[3]) swap(&k.v[2], &k.v[3]);
    if (edges) {
        if (k.v[0] > k.v[1]) swap(&k.v[0], &k.v[1]);
        if (k.v[0] > k.v[2]) swap(&k.v[0], &k.v[2]), swap(&k.v[1], &k.v[3]);
    } else {
        if (k.v[1] > k.v[2]) swap(&k.v[1], &k.v[2]);
        if (k.v[2] > k.v[3]) swap(&k.v[2], &k.v[3]);
    }
    return k;
}

static int by_key(const void *a, const void *b) {
    const key *x = a, *y = b;
    if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
    for (int i = 0; i < 4; i++)
        if (x->v[i] != y->v[i]) return x->v[i] < y->v[i] ? -1 : 1;
    return 0;
}

typedef struct keys {
    key *at;
    size_t count;
} keys;

// The published pairs that collide.
static keys read_truth(const char *path) {
    keys truth = {malloc(200000 * sizeof(key)), 0};
    gzFile file = gzopen(path, "rb");
    char line[256];
    assert_non_null(truth.at);
    assert_non_null(file);
    assert_non_null(gzgets(file, line, sizeof line)); // the names of the columns
    while (gzgets(file, line, sizeof line)) {
        uint32_t v[4];
        char *at = line + 3;
        for (int i = 0; i < 4; i++, at++) v[i] = (uint32_t)strtoul(at, &at, 10);
        if (*at != '1') continue;
        assert_true(truth.count < 200000);
        truth.at[truth.count++] = key_of(line[0] == 'e', v);
    }
    gzclose(file);
    qsort(truth.at, truth.count, sizeof *truth.at, by_key);
    return truth;
}

static toc_scene *read_step(const char *start, const char *end) {
    toc_mesh *mesh, *moved;
    toc_scene *scene;
    assert_ok(toc_mesh_read(start, NULL, &mesh));
    assert_ok(toc_mesh_read(end, NULL, &moved));
    assert_ok(test_mesh_move(mesh, toc_mesh_get_x1(moved)));
    toc_mesh_destroy(moved);
    assert_ok(toc_scene_create(NULL, &scene));
    assert_ok(toc_scene_add_body(scene, mesh, NULL));
    return scene;
}

static void assert_published(toc_scene *scene, const char *preset, const keys *truth, const double first[2]) {
    toc_query query = toc_query_default();
    toc_contacts *contacts;
    query.preset = preset;
    query.test.method =
        strcmp(preset, "brute") == 0 ? TOC_METHOD_EXACT : TOC_METHOD_CERTIFIED; // rtri's and local's own may err
    assert_ok(toc_scene_find_contacts(scene, &query, NULL, &contacts));
    print_message("%s: %zu contacts, %zu published\n", preset, contacts->count, truth->count);
    assert_int_equal(contacts->count, truth->count);
    double earliest[2] = {2, 2};
    for (size_t i = 0; i < contacts->count; i++) {
        const toc_contact *c = &contacts->contacts[i];
        const key k = key_of(c->kind == TOC_EE, c->v);
        assert_non_null(bsearch(&k, truth->at, truth->count, sizeof k, by_key));
        if (c->toc < earliest[c->kind]) earliest[c->kind] = c->toc;
    }
    for (int kind = 0; kind < 2 && first; kind++) {
        assert_true(earliest[kind] <= first[kind] * (1 + 1e-10));
        assert_double_near(earliest[kind], first[kind], first[kind] * 1e-9);
    }
    toc_contacts_destroy(contacts);
}

// The normal test of `voxel` can miss. Brute force is the same without SIMD, and the volume presets use the same
// kernels as the others.
static bool is_asked(const char *preset) {
    const char *const unasked[] = {"voxel", "brute", "navccd", "hashccd", "volccd", "volccd-published"};
    for (size_t i = 0; i < test_less(1u, 6u); i++)
        if (strcmp(preset, unasked[i]) == 0) return false;
    return true;
}

static void check_frames(const char *folder, size_t published, const double first[2]) {
    char start[256], end[256], answers[256];
    snprintf(start, sizeof start, "frames/%s/start.ply", folder);
    snprintf(end, sizeof end, "frames/%s/end.ply", folder);
    snprintf(answers, sizeof answers, "frames/%s/truth.csv.gz", folder);
    test_need_data(start);
    if (TEST_SANITIZED) {
        print_message("skipped: minutes long under a sanitizer\n");
        skip();
    }
    keys truth = read_truth(test_data("%s", answers));
    assert_int_equal(truth.count, published);
    toc_scene *scene = read_step(test_data("%s", start), test_data("%s", end));
    const char *preset;
    for (size_t i = 0; (preset = toc_preset_get(i).name) != NULL; i++)
        if (is_asked(preset)) assert_published(scene, preset, &truth, first);
    toc_scene_destroy(scene);
    free(truth.at);
}

static void published_cloth_ball(void **state) {
    (void)state;
    check_frames("cloth-ball", 113854, (const double[2]){1.4768157561e-04, 7.4920691868e-06});
}

static void published_n_body(void **state) {
    (void)state;
    check_frames("n-body", 50490, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(published_cloth_ball), cmocka_unit_test(published_n_body)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
