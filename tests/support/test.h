// SPDX-License-Identifier: Apache-2.0
// The common header of test programs: cmocka, doubles, random numbers with a printed seed, failing allocators.
#ifndef TOC_TEST_H
#define TOC_TEST_H

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include <stdbool.h>
#include <stdlib.h>

#include "support/data.h"
#include "toccata/toccata.h"

#define assert_ok(expression) assert_ok_((expression), #expression, __FILE__, __LINE__)
void assert_ok_(toc_status status, const char *text, const char *file, int line);

/// The expression must fail with this status, and the message must contain the words.
#define assert_fails(expression, status, words) \
    assert_fails_((expression), (status), (words), #expression, __FILE__, __LINE__)
void assert_fails_(toc_status got, toc_status wanted, const char *words, const char *text, const char *file, int line);

/// Doubles that must be equal, or within a distance.
#define assert_double_same(a, b) assert_double_within_((a), (b), 0.0, __FILE__, __LINE__)
#define assert_double_near(a, b, distance) assert_double_within_((a), (b), (distance), __FILE__, __LINE__)
void assert_double_within_(double a, double b, double distance, const char *file, int line);

/// Random numbers (splitmix64), the same on every machine. Seed 0 takes TOC_SEED from the environment, else 1. The seed
/// is printed, so that a failure can be repeated.
typedef struct test_random {
    uint64_t state;
} test_random;
test_random test_random_make(uint64_t seed);
uint64_t test_random_bits(test_random *random);
/// Uniform in 0 .. count-1.
uint32_t test_random_below(test_random *random, uint32_t count);
/// Uniform in [low, high).
double test_random_between(test_random *random, double low, double high);

/// An allocator that counts live bytes and fails at the n-th allocation (never for n = 0).
typedef struct test_allocator {
    toc_allocator allocator;
    uint64_t calls, fail_at;
    size_t alive; // bytes allocated and not freed
    size_t peak;  // the maximum of `alive`
} test_allocator;
void test_allocator_make(test_allocator *memory, uint64_t fail_at);

/// Run an action with the 1st, 2nd, ... allocation failing until it succeeds. Every failing run must return
/// TOC_OUT_OF_MEMORY and leave nothing allocated. @return the number of allocations of the successful run.
uint64_t test_every_allocation(toc_status (*action)(const toc_allocator *allocator, void *user), void *user);

/// The setters of a mesh, with an array for all vertices that it has.
toc_status test_mesh_move(toc_mesh *mesh, const double *x1);
toc_status test_mesh_set_motion(toc_mesh *mesh, const double *x0, const double *x1);
toc_status test_mesh_accelerate(toc_mesh *mesh, const double *acceleration);

/// The questions about near features with their settings as arguments, each into a new result.
toc_status test_find_near(toc_scene *scene, const toc_query *query, toc_end end, double distance, toc_near **out);
toc_status test_find_near_in_step(toc_scene *scene, const toc_query *query, double distance, toc_near **out);
toc_status test_find_near_vertices(toc_scene *scene, const toc_query *query, toc_end end, double distance,
                                   toc_vertex_pairs **out);
/// The settings of a question about near features.
toc_near_query test_near(toc_near_time time, double distance);
/// The questions among candidates.
toc_status test_candidates_find_contacts(const toc_candidates *candidates, toc_scene *scene, const toc_query *query,
                                         toc_contacts **out);
toc_status test_candidates_find_near(const toc_candidates *candidates, toc_scene *scene, const toc_query *query,
                                     toc_end end, double distance, toc_near **out);
toc_status test_candidates_find_room_step(const toc_candidates *candidates, toc_scene *scene, const toc_query *query,
                                          const toc_room *room, toc_room_step *out);

/// Whether this run repeats tests that the release build runs in full: in builds with sanitizers (TEST_SANITIZED) or
/// without SIMD, and wherever the environment has TOC_TEST_BRIEF.
#define TEST_BRIEF (TEST_ALWAYS_BRIEF || getenv("TOC_TEST_BRIEF") != NULL)
/// The amount of work: all of it, or less in a brief run.
#define test_less(all, less) (TEST_BRIEF ? (less) : (all))

/// Skip the running test with a message when a file of the published data (test_data) is absent.
#define test_need_data(name)                                                       \
    do {                                                                           \
        if (!test_data("%s", name)) {                                              \
            print_message("skipped: no data (%s); ./run data fetches it\n", name); \
            skip();                                                                \
        }                                                                          \
    } while (0)

/// A new empty folder for files of a test, removed by test_folder_remove.
char *test_folder_make(void);
void test_folder_remove(char *folder);
/// One folder for all tests of a program: setup and teardown for cmocka_run_group_tests.
extern char *test_folder;
int test_folder_begin(void **state);
int test_folder_end(void **state);
/// Write a text there; returns its path.
const char *test_text_write(const char *name, const char *text);
/// folder/name, in a buffer that the next call but three overwrites.
const char *test_path(const char *folder, const char *name);
void test_file_write(const char *path, const void *bytes, size_t count);

#endif
