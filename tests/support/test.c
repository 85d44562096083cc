// SPDX-License-Identifier: Apache-2.0
// Support shared by all test programs.
#include "support/test.h"

#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/platform/platform.h"

void assert_ok_(toc_status status, const char *text, const char *file, int line) {
    if (status != TOC_OK) print_error("%s gave status %d: %s\n", text, (int)status, toc_message_get());
    _assert_int_equal((LargestIntegralType)status, TOC_OK, file, line);
}

void assert_fails_(toc_status got, toc_status wanted, const char *words, const char *text, const char *file, int line) {
    if (got != wanted) print_error("%s gave status %d, not %d\n", text, (int)got, (int)wanted);
    _assert_int_equal((LargestIntegralType)got, (LargestIntegralType)wanted, file, line);
    if (!strstr(toc_message_get(), words)) {
        print_error("%s: the message \"%s\" lacks \"%s\"\n", text, toc_message_get(), words);
        _fail(file, line);
    }
}

void assert_double_within_(double a, double b, double distance, const char *file, int line) {
    if (a == b || fabs(a - b) <= distance) return;
    print_error("%.17g and %.17g are %g apart, more than %g\n", a, b, fabs(a - b), distance);
    _fail(file, line);
}

test_random test_random_make(uint64_t seed) {
    const char *wish = getenv("TOC_SEED");
    if (seed == 0) seed = wish ? strtoull(wish, NULL, 10) : 1;
    print_message("seed %llu\n", (unsigned long long)seed);
    return (test_random){seed};
}

uint64_t test_random_bits(test_random *random) {
    uint64_t z = (random->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

uint32_t test_random_below(test_random *random, uint32_t count) { return (uint32_t)(test_random_bits(random) % count); }

double test_random_between(test_random *random, double low, double high) {
    return low + (high - low) * ((double)(test_random_bits(random) >> 11) * 0x1p-53);
}

static void *counting_resize(void *user, void *block, size_t old_size, size_t new_size) {
    test_allocator *memory = user;
    if (new_size > 0 && ++memory->calls == memory->fail_at) return NULL;
    void *moved = NULL;
    if (new_size > 0) {
        moved = realloc(block, new_size);
        if (!moved) return NULL;
    } else {
        free(block);
    }
    memory->alive += new_size - old_size;
    if (memory->alive > memory->peak) memory->peak = memory->alive;
    return moved;
}

void test_allocator_make(test_allocator *memory, uint64_t fail_at) {
    *memory = (test_allocator){.allocator = {counting_resize, memory}, .fail_at = fail_at};
}

// Brief builds let all of the first allocations fail, and of later ones fewer and fewer.
uint64_t test_every_allocation(toc_status (*action)(const toc_allocator *allocator, void *user), void *user) {
    for (uint64_t n = 1;; n += test_less(1, n < 64 ? 1 : 1 + n / 16)) {
        test_allocator memory;
        test_allocator_make(&memory, n);
        const toc_status status = action(&memory.allocator, user);
        assert_int_equal(memory.alive, 0);
        if (memory.calls < n) {
            assert_ok(status);
            return memory.calls;
        }
        assert_int_equal(status, TOC_OUT_OF_MEMORY);
    }
}

toc_status test_mesh_move(toc_mesh *mesh, const double *x1) {
    return toc_mesh_move(mesh, toc_mesh_get_vertex_count(mesh), x1);
}

toc_status test_mesh_set_motion(toc_mesh *mesh, const double *x0, const double *x1) {
    return toc_mesh_set_motion(mesh, toc_mesh_get_vertex_count(mesh), x0, x1);
}

toc_status test_mesh_accelerate(toc_mesh *mesh, const double *acceleration) {
    return toc_mesh_set_acceleration(mesh, toc_mesh_get_vertex_count(mesh), acceleration);
}

toc_near_query test_near(toc_near_time time, double distance) {
    toc_near_query near = toc_near_query_default();
    near.time = time;
    near.distance = distance;
    return near;
}

toc_status test_find_near(toc_scene *scene, const toc_query *query, toc_end end, double distance, toc_near **out) {
    const toc_near_query near = test_near((toc_near_time)end, distance);
    return toc_scene_find_near(scene, query, &near, NULL, out);
}

toc_status test_find_near_in_step(toc_scene *scene, const toc_query *query, double distance, toc_near **out) {
    const toc_near_query near = test_near(TOC_NEAR_IN_STEP, distance);
    return toc_scene_find_near(scene, query, &near, NULL, out);
}

toc_status test_find_near_vertices(toc_scene *scene, const toc_query *query, toc_end end, double distance,
                                   toc_vertex_pairs **out) {
    const toc_near_query near = test_near((toc_near_time)end, distance);
    return toc_scene_find_near_vertices(scene, query, &near, out);
}

static toc_query among(const toc_candidates *candidates, const toc_query *query) {
    toc_query named = *query;
    named.candidates = candidates;
    return named;
}

toc_status test_candidates_find_contacts(const toc_candidates *candidates, toc_scene *scene, const toc_query *query,
                                         toc_contacts **out) {
    const toc_query named = among(candidates, query);
    return toc_scene_find_contacts(scene, &named, NULL, out);
}

toc_status test_candidates_find_near(const toc_candidates *candidates, toc_scene *scene, const toc_query *query,
                                     toc_end end, double distance, toc_near **out) {
    const toc_query named = among(candidates, query);
    return test_find_near(scene, &named, end, distance, out);
}

toc_status test_candidates_find_room_step(const toc_candidates *candidates, toc_scene *scene, const toc_query *query,
                                          const toc_room *room, toc_room_step *out) {
    const toc_query named = among(candidates, query);
    return toc_scene_find_room_step(scene, &named, room, out);
}

char *test_folder_make(void) {
    char *folder = malloc(1024);
    assert_non_null(folder);
    snprintf(folder, 1024, "%s/toccata-test-XXXXXX", toc_folder_of_temporary());
    assert_true(toc_folder_make_unique(folder));
    return folder;
}

static int remove_one(const char *path, const struct stat *about, int flag, struct FTW *walk) {
    (void)about;
    (void)flag;
    (void)walk;
    return remove(path);
}

void test_folder_remove(char *folder) {
    nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    free(folder);
}

char *test_folder;

int test_folder_begin(void **state) {
    (void)state;
    test_folder = test_folder_make();
    return 0;
}

int test_folder_end(void **state) {
    (void)state;
    test_folder_remove(test_folder);
    return 0;
}

const char *test_text_write(const char *name, const char *text) {
    const char *path = test_path(test_folder, name);
    test_file_write(path, text, strlen(text));
    return path;
}

const char *test_path(const char *folder, const char *name) {
    static char paths[4][2048];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

void test_file_write(const char *path, const void *bytes, size_t count) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}
