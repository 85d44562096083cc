// SPDX-License-Identifier: Apache-2.0
// Whole scenes with every width of the SIMD kernels: the answers agree bit for bit (docs/guarantees.md, G4).
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/backend.h"
#include "support/test.h"
#include "toccata/toccata.h"

enum { SIDE = 24, PRESETS_MOST = 32, STEPS = 3 };

// The answers of one process: its lanes, and a checksum of all contacts by preset.
typedef struct answers {
    int lanes;
    uint64_t sums[PRESETS_MOST];
    size_t contacts;
} answers;

static void add_bytes(uint64_t *sum, const void *bytes, size_t count) {
    const unsigned char *at = bytes;
    for (size_t i = 0; i < count; i++) *sum = (*sum ^ at[i]) * 0x100000001b3u;
}

static void place_sheet(int sheet, int step, double *x) {
    for (int i = 0; i < SIDE * SIDE; i++) {
        const double u = i % SIDE, v = i / SIDE;
        x[3 * i] = u + 0.01 * (v + step * sheet);
        x[3 * i + 1] = v - 0.013 * u * sheet;
        x[3 * i + 2] = sheet * (0.9 - 0.5 * step) + 0.3 * ((i * 7 + step * 3) % 11) / 11;
    }
}

static toc_mesh *make_sheet(int sheet) {
    toc_mesh *mesh;
    static double x[3 * SIDE * SIDE];
    place_sheet(sheet, 0, x);
    if (toc_mesh_create(NULL, &mesh) != TOC_OK) _exit(2);
    if (toc_mesh_add_vertices(mesh, SIDE * SIDE, x, NULL) != TOC_OK) _exit(2);
    for (uint32_t i = 0; i + SIDE < SIDE * SIDE; i++) {
        const uint32_t tet[4] = {i, i + 1, i + SIDE, i + SIDE - 1};
        const uint32_t faces[6] = {i, i + 1, i + SIDE, i + 1, i + SIDE + 1, i + SIDE};
        if (i % SIDE + 1 == SIDE) continue;
        const bool solid = sheet && i % SIDE > 0 && i % 5 == 0; // some volumes among the faces
        const toc_status status = solid ? toc_mesh_add_elements(mesh, TOC_TET, 1, tet, NULL)
                                        : toc_mesh_add_elements(mesh, TOC_TRIANGLE, 2, faces, NULL);
        if (status != TOC_OK) _exit(2);
    }
    return mesh;
}

static uint64_t sum_contacts(const char *preset, size_t *contacts_found) {
    static double x[3 * SIDE * SIDE];
    uint64_t sum = 0xcbf29ce484222325u;
    toc_scene *scene;
    if (toc_scene_create(NULL, &scene) != TOC_OK) _exit(2);
    for (int sheet = 0; sheet < 2; sheet++)
        if (toc_scene_add_body(scene, make_sheet(sheet), NULL) != TOC_OK) _exit(2);
    toc_query query = toc_query_default();
    query.preset = preset;
    for (int step = 1; step <= STEPS; step++) {
        toc_contacts *contacts;
        for (int sheet = 0; sheet < 2; sheet++) {
            place_sheet(sheet, step, x);
            if (test_mesh_move(toc_scene_edit_mesh(scene, (uint32_t)sheet), x) != TOC_OK) _exit(2);
        }
        if (toc_scene_find_contacts(scene, &query, NULL, &contacts) != TOC_OK) _exit(3);
        *contacts_found += contacts->count;
        for (size_t i = 0; i < contacts->count; i++) {
            const toc_contact *c = &contacts->contacts[i];
            add_bytes(&sum, c->v, sizeof c->v);
            add_bytes(&sum, &c->toc, sizeof c->toc);
        }
        toc_contacts_destroy(contacts);
    }
    toc_scene_destroy(scene);
    return sum;
}

// Answer in a process of its own: the width is read once for each process.
static answers answer_with(const char *width) {
    int ends[2], status;
    answers a = {0};
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        width ? setenv("TOC_SIMD", width, 1) : unsetenv("TOC_SIMD");
        a.lanes = toc_backend_here()->lanes;
        for (size_t i = 0; i < PRESETS_MOST && toc_preset_get(i).name; i++)
            a.sums[i] = sum_contacts(toc_preset_get(i).name, &a.contacts);
        _exit(write(ends[1], &a, sizeof a) == sizeof a ? 0 : 4);
    }
    close(ends[1]);
    assert_int_equal(read(ends[0], &a, sizeof a), sizeof a);
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    return a;
}

static void every_width_gives_the_same_contacts(void **state) {
    (void)state;
    const char *widths[] = {"avx2", "avx512"};
    const int lanes[] = {4, 8};
    const answers scalar = answer_with("scalar"), widest = answer_with(NULL);
    assert_int_equal(scalar.lanes, 1);
    assert_true(scalar.contacts > 0);
    for (int w = 0; w < 2; w++) {
        const answers wide = answer_with(widths[w]);
        // at most the width of the machine
        assert_int_equal(wide.lanes, lanes[w] < widest.lanes ? lanes[w] : widest.lanes);
        assert_memory_equal(wide.sums, scalar.sums, sizeof scalar.sums);
    }
    assert_memory_equal(widest.sums, scalar.sums, sizeof scalar.sums);
}

// A mistyped name must not change the answer or fail the host.
static void unknown_widths_are_ignored(void **state) {
    (void)state;
    assert_int_equal(answer_with("sse9").lanes, answer_with(NULL).lanes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_width_gives_the_same_contacts),
        cmocka_unit_test(unknown_widths_are_ignored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
