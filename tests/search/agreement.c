// SPDX-License-Identifier: Apache-2.0
// One lane, the widest kernels and a device answer alike, bit for bit (docs/guarantees.md, G4): all contacts and the
// first one of random and degenerate scenes, until the device has tested so many pairs of features. The emulated device
// takes a small share; TOC_DEVICE=real another one.
//
//     test.search.agreement [PAIRS [TRIANGLES]]     TRIANGLES of each body of a scene
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/backend.h"
#include "support/answers.h"

enum { WAYS = 3, KINDS = 6 };

static double pairs_wanted;
static uint32_t triangles;

// The answers to one scene.
typedef struct answers {
    uint64_t sum, contacts, pairs; // the pairs of the device
    uint64_t lanes;
} answers;

static void add_bytes(uint64_t *sum, const void *bytes, size_t count) {
    for (size_t i = 0; i < count / sizeof *sum; i++) {
        uint64_t word;
        memcpy(&word, (const char *)bytes + i * sizeof word, sizeof word);
        *sum = (*sum ^ word) * 0x9e3779b97f4a7c15u;
        *sum ^= *sum >> 29;
    }
}

static double snap(double x, double cell) { return cell * (double)(int64_t)(x / cell); }

// Positions of a kind of scene: generic; on a grid; on a grid and half at rest; far off and small; in few planes; fast.
static double bend(int kind, size_t i, double start, double x) {
    switch (kind) {
    case 1:
        return snap(x, 0.125);
    case 2:
        return snap(i / 3 % 2 ? start : x, 0.25);
    case 3:
        return 1e6 + 1e-3 * x;
    case 4:
        return i % 3 == 2 ? snap(x, 0.5) : x;
    case 5:
        return start + 8 * (x - start);
    default:
        return x;
    }
}

static toc_scene *scene_of_number(uint64_t number) {
    test_random random = {number};
    const int kind = (int)(number % KINDS);
    toc_scene *scene = test_scene_of_soups(&random, TOC_TRIANGLE, triangles, triangles, 0.3);
    for (uint32_t b = 0; b < 2; b++) {
        toc_mesh *mesh = toc_scene_edit_mesh(scene, b);
        const size_t count = 3 * toc_mesh_get_vertex_count(mesh);
        double *x = malloc(2 * count * sizeof *x);
        for (size_t i = 0; i < count; i++) {
            const double start = toc_mesh_get_x0(mesh)[i];
            x[i] = bend(kind, i, start, start);
            x[count + i] = bend(kind, i, start, toc_mesh_get_x1(mesh)[i]);
        }
        if (test_mesh_set_motion(mesh, x, x + count) != TOC_OK) _exit(3);
        free(x);
    }
    return scene;
}

static answers answer_scene(uint64_t number, toc_device_choice device) {
    answers a = {.sum = number, .lanes = (uint64_t)toc_backend_here()->lanes};
    toc_scene *scene = scene_of_number(number);
    for (toc_answer answer = TOC_ANSWER_ALL; answer <= TOC_ANSWER_FIRST; answer++) {
        toc_contacts *contacts;
        toc_query query = toc_query_default();
        query.answer = answer;
        query.device = device;
        if (toc_scene_find_contacts(scene, &query, NULL, &contacts) != TOC_OK) {
            fprintf(stderr, "scene %llu: %s\n", (unsigned long long)number, toc_message_get());
            _exit(4);
        }
        add_bytes(&a.sum, contacts->contacts, contacts->count * sizeof *contacts->contacts);
        a.contacts += contacts->count;
        for (size_t i = 0; i < contacts->stage_count; i++)
            if (strcmp(contacts->stages[i].name, "device") == 0) a.pairs += contacts->stages[i].in;
        toc_contacts_destroy(contacts);
    }
    toc_scene_destroy(scene);
    return a;
}

// A process of its own, since the width is read once: it answers scene after scene until nobody listens.
typedef struct answering {
    pid_t child;
    int from;
} answering;

static answering begin_answering(const char *width, toc_device_choice device, uint64_t first) {
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        close(ends[0]);
        signal(SIGPIPE, SIG_DFL);
        width ? setenv("TOC_SIMD", width, 1) : unsetenv("TOC_SIMD");
        for (uint64_t number = first;; number++) {
            const answers a = answer_scene(number, device);
            if (write(ends[1], &a, sizeof a) != sizeof a) _exit(0);
        }
    }
    close(ends[1]);
    return (answering){child, ends[0]};
}

static void end_answering(const answering *a) {
    close(a->from);
    kill(a->child, SIGTERM);
    waitpid(a->child, NULL, 0);
}

static void all_ways_answer_alike(void **state) {
    (void)state;
    const uint64_t first = 1000 * (test_random_make(0).state % 1000000);
    const answering ways[WAYS] = {begin_answering("scalar", TOC_DEVICE_CPU, first),
                                  begin_answering(NULL, TOC_DEVICE_CPU, first),
                                  begin_answering(NULL, TOC_DEVICE_GPU, first)};
    double pairs = 0, contacts = 0;
    uint64_t scenes = 0, lanes = 0;
    for (; pairs < pairs_wanted || scenes < KINDS; scenes++) {
        answers a[WAYS];
        for (int w = 0; w < WAYS; w++) {
            assert_int_equal(read(ways[w].from, &a[w], sizeof a[w]), sizeof a[w]);
            if (a[w].sum != a[0].sum || a[w].contacts != a[0].contacts)
                fail_msg("scene %llu: way %d differs from one lane", (unsigned long long)(first + scenes), w);
        }
        assert_int_equal(a[0].lanes, 1);
        pairs += (double)a[2].pairs, contacts += (double)a[2].contacts, lanes = a[1].lanes;
    }
    for (int w = 0; w < WAYS; w++) end_answering(&ways[w]);
    print_message("%.0f pairs, %.0f contacts of %llu scenes: 1 lane, %llu lanes and the device agree\n", pairs,
                  contacts, (unsigned long long)scenes, (unsigned long long)lanes);
    assert_true(contacts > 0);
}

int main(int count, char **arguments) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_ways_answer_alike)};
    pairs_wanted = count > 1 ? strtod(arguments[1], NULL) : test_less(1e5, 1e4);
    triangles = count > 2 ? (uint32_t)strtoul(arguments[2], NULL, 10) : test_less(40u, 20u);
    if (setenv("TOC_DEVICE", "emulated", 0) != 0) return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
