// SPDX-License-Identifier: Apache-2.0
#include "base/threads.h"

#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "support/test.h"
#include "toccata/toccata.h"

enum { ROUNDS = 2000, THREADS = 8 };

typedef struct tally {
    atomic_int rounds[ROUNDS], busy[THREADS];
    atomic_int beyond; // rounds of threads that the loop does not have
    int threads;
    size_t fails_at; // ROUNDS for nowhere
} tally;

static toc_status count_round(void *user, size_t index, int thread) {
    tally *t = user;
    assert_true(thread >= 0 && thread < THREADS);
    assert_int_equal(atomic_fetch_add(&t->busy[thread], 1), 0); // one round each at a time
    atomic_fetch_add(&t->rounds[index], 1);
    atomic_fetch_add(&t->beyond, thread >= t->threads);
    if (index % 256 == 0) sched_yield(); // let helpers enter
    atomic_fetch_sub(&t->busy[thread], 1);
    return index == t->fails_at ? toc_fail(TOC_BAD_INPUT, "round %zu", index) : TOC_OK;
}

static toc_status run_tally(tally *t, int threads) {
    const toc_loop loop = {.count = ROUNDS, .threads = threads, .round = count_round, .user = t};
    t->threads = threads;
    return toc_loop_run(&loop);
}

static void every_round_runs_once(void **state) {
    (void)state;
    for (int threads = 1; threads <= THREADS; threads++) {
        tally t = {.fails_at = ROUNDS};
        assert_ok(run_tally(&t, threads));
        for (size_t i = 0; i < ROUNDS; i++) assert_int_equal(t.rounds[i], 1);
    }
}

// Rounds are spread over their range: no count may lose one, or run one twice.
static void loops_of_any_length_run_each_round_once(void **state) {
    (void)state;
    toc_team team;
    toc_team_begin(&team, NULL);
    for (size_t count = 0; count < 100; count++) {
        tally t = {.fails_at = ROUNDS, .threads = THREADS};
        const toc_loop loop = {.count = count, .threads = THREADS, .round = count_round, .user = &t};
        assert_ok(toc_loop_run(&loop));
        for (size_t i = 0; i < ROUNDS; i++) assert_int_equal(t.rounds[i], i < count);
    }
    toc_team_end(&team);
}

typedef struct begun {
    size_t last[THREADS]; // by thread: the last round that began, and 1
} begun;

static toc_status begin_round(void *user, size_t index, int thread) {
    begun *b = user;
    if (index < b->last[thread]) return toc_fail(TOC_INTERNAL, "round %zu begins late", index);
    b->last[thread] = index + 1;
    return TOC_OK;
}

// A search for any contact ends with the first round that has one: rounds that begin late delay it.
static void rounds_in_order_begin_in_order(void **state) {
    (void)state;
    begun b = {{0}};
    const toc_loop loop = {.count = ROUNDS, .threads = THREADS, .in_order = true, .round = begin_round, .user = &b};
    assert_ok(toc_loop_run(&loop));
}

typedef struct held {
    int of[THREADS]; // by thread: rounds since it last finished
    atomic_int finished, total;
    bool fails;
} held;

static toc_status hold_round(void *user, size_t index, int thread) {
    held *h = user;
    (void)index;
    h->of[thread]++;
    return TOC_OK;
}

static toc_status finish_thread(void *user, int thread) {
    held *h = user;
    atomic_fetch_add(&h->total, h->of[thread]);
    atomic_fetch_add(&h->finished, 1);
    h->of[thread] = 0;
    return h->fails ? toc_fail(TOC_BAD_INPUT, "thread %d", thread) : TOC_OK;
}

// Pairs that a thread holds back would be lost with a round behind its end.
static void each_thread_finishes_behind_its_rounds(void **state) {
    (void)state;
    for (int threads = 1; threads <= THREADS; threads++) {
        held h = {.fails = false};
        toc_loop loop = {.count = ROUNDS, .threads = threads, .round = hold_round, .finish = finish_thread, .user = &h};
        assert_ok(toc_loop_run(&loop));
        assert_int_equal(h.total, ROUNDS);
        assert_in_range(h.finished, 1, threads);
        h.fails = true;
        assert_fails(toc_loop_run(&loop), TOC_BAD_INPUT, "thread ");
    }
}

static toc_status run_short_round(void *user, size_t index, int thread) {
    (void)user, (void)index, (void)thread;
    return TOC_OK;
}

// A helper may come to the last loop when the team has ended; it must not wait for another one. Release builds alone
// let it come late.
static void teams_with_short_loops_end(void **state) {
    (void)state;
    enum { TEAMS = 20000 };
    for (int i = 0; i < TEAMS; i++) {
        toc_team team;
        toc_team_begin(&team, NULL);
        for (int k = 0; k < 1 + i % 3; k++)
            assert_ok(toc_loop_run(&(toc_loop){.count = 2, .threads = 2 + i % 3, .round = run_short_round}));
        toc_team_end(&team);
        if (TEST_SANITIZED && i == 200) break;
    }
}

// A helper of an earlier loop must not take rounds of a later one that has fewer threads.
static void loops_of_a_team_may_differ(void **state) {
    (void)state;
    toc_team team, inner;
    toc_team_begin(&team, NULL);
    for (int i = 0; i < 200; i++) {
        tally t = {.fails_at = ROUNDS};
        toc_team_begin(&inner, NULL); // does nothing
        assert_ok(run_tally(&t, 1 + i * 5 % THREADS));
        toc_team_end(&inner);
        assert_int_equal(t.beyond, 0);
        for (size_t k = 0; k < ROUNDS; k++) assert_int_equal(t.rounds[k], 1);
    }
    toc_team_end(&team);
}

// The message of another thread would be lost: messages are per thread.
static void the_message_of_a_failed_round_arrives(void **state) {
    (void)state;
    for (size_t at = 0; at < ROUNDS; at += 333) {
        tally t = {.fails_at = at};
        char expected[32];
        snprintf(expected, sizeof expected, "round %zu", at);
        assert_fails(run_tally(&t, THREADS), TOC_BAD_INPUT, expected);
    }
}

static toc_status run_inner(void *user, size_t index, int thread) {
    (void)index;
    (void)thread;
    tally *inner = user;
    tally own = {.fails_at = ROUNDS};
    TOC_TRY(run_tally(&own, THREADS));
    for (size_t i = 0; i < ROUNDS; i++) atomic_fetch_add(&inner->rounds[i], own.rounds[i]);
    return TOC_OK;
}

// A loop inside a round must not wait for the helpers that run the rounds around it.
static void a_loop_within_a_round_ends(void **state) {
    (void)state;
    tally t = {.fails_at = ROUNDS};
    const toc_loop loop = {.count = 20, .threads = THREADS, .round = run_inner, .user = &t};
    assert_ok(toc_loop_run(&loop));
    for (size_t i = 0; i < ROUNDS; i++) assert_int_equal(t.rounds[i], 20);
}

// ---- refusals of the system

// Many triangles, so that every stage has rounds to share out. @return the number of contacts, -1 on failure.
static int count_contacts(int threads) {
    enum { SIDE = 60 };
    toc_scene *scene = NULL;
    toc_mesh *mesh = NULL;
    toc_contacts *contacts = NULL;
    bool ok = toc_scene_create(NULL, &scene) == TOC_OK && toc_mesh_create(NULL, &mesh) == TOC_OK;
    for (int i = 0; i < SIDE * SIDE && ok; i++) {
        const double x = i % SIDE, y = i / SIDE, z = i & 1 ? 0.5 : 0;
        const double at[9] = {x, y, z, x + 1.5, y, z, x, y + 1.5, z};
        uint32_t first;
        ok = toc_mesh_add_vertices(mesh, 3, at, &first) == TOC_OK;
        const uint32_t v[3] = {first, first + 1, first + 2};
        ok = ok && toc_mesh_add_elements(mesh, TOC_TRIANGLE, 1, v, NULL) == TOC_OK;
    }
    toc_query query = toc_query_default();
    query.threads = threads;
    ok = ok && toc_scene_add_body(scene, mesh, NULL) == TOC_OK;
    ok = ok && toc_scene_find_contacts(scene, &query, NULL, &contacts) == TOC_OK;
    const int count = ok ? (int)contacts->count : -1;
    if (!ok) fprintf(stderr, "%s\n", toc_message_get());
    toc_contacts_destroy(contacts);
    toc_scene_destroy(scene);
    return count;
}

// Run in a process of its own, under limits that `limit` sets.
static void expect_the_same_in_a_child(void (*limit)(void), int threads) {
    const int expected = count_contacts(1);
    assert_true(expected > 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (limit) limit();
        _exit(count_contacts(threads) == expected ? 42 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 42);
}

// A number that is taken as it is asks for terabytes of workers and stacks.
static void an_absurd_number_of_threads_is_cut_down(void **state) {
    (void)state;
    assert_in_range(toc_threads_resolve(INT_MAX), 1, TOC_THREADS_MOST);
    assert_in_range(toc_threads_resolve(0), 1, TOC_THREADS_MOST);
    assert_int_equal(toc_threads_resolve(1), 1);
    expect_the_same_in_a_child(NULL, 1000000000);
    expect_the_same_in_a_child(NULL, INT_MAX);
}

static void allow_no_more_processes(void) {
    const struct rlimit none = {1, 1};
    setrlimit(RLIMIT_NPROC, &none);
    if (geteuid() == 0 && setuid(65534) != 0) _exit(2); // the limit does not bind root
}

static void *do_nothing(void *user) { return user; }

static void exit_if_a_thread_starts(void) {
    allow_no_more_processes();
    pthread_t thread;
    _exit(pthread_create(&thread, NULL, do_nothing, NULL) == 0 ? 43 : 42);
}

// A runtime that exits where a thread cannot be started takes its host along.
static void threads_that_cannot_start_make_it_slower_only(void **state) {
    (void)state;
    expect_the_same_in_a_child(exit_if_a_thread_starts, 1); // the limit works here
    expect_the_same_in_a_child(allow_no_more_processes, 0);
    expect_the_same_in_a_child(allow_no_more_processes, 64);
}

// ---- control groups

static void write_text(const char *folder, const char *name, const char *text) {
    char path[600];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

// A group under the folder: its limit and its count.
static void write_group(const char *folder, const char *group, const char *most, const char *used) {
    char path[512];
    snprintf(path, sizeof path, "%s%s", folder, group);
    mkdir(path, 0777);
    write_text(path, "pids.max", most);
    write_text(path, "pids.current", used);
}

static long room_with(const char *folder, const char *groups) {
    char path[512];
    write_text(folder, "list", groups);
    snprintf(path, sizeof path, "%s/list", folder);
    return toc_threads_room(path, folder);
}

// The limit that binds may be that of a group around the own one, or of a container whose path is not seen inside.
static void limits_of_control_groups(void **state) {
    (void)state;
    char *folder = test_folder_make();
    assert_int_equal(room_with(folder, "0::/\n"), LONG_MAX); // no files: no limit
    write_group(folder, "", "max\n", "7\n");
    write_group(folder, "/outer", "20\n", "12\n");
    write_group(folder, "/outer/inner", "max\n", "3\n");
    assert_int_equal(room_with(folder, "0::/\n"), LONG_MAX);
    assert_int_equal(room_with(folder, "0::/outer/inner\n"), 8);
    write_group(folder, "/outer/inner", "4\n", "3\n");
    assert_int_equal(room_with(folder, "0::/outer/inner\n"), 1);
    write_group(folder, "/outer/inner", "4\n", "9\n"); // a limit that was lowered
    assert_int_equal(room_with(folder, "0::/outer/inner\n"), 0);
    write_group(folder, "", "50\n", "30\n");
    assert_int_equal(room_with(folder, "0::/of/the/host\n"), 20); // inside a container
    write_group(folder, "/pids", "max\n", "9\n");
    write_group(folder, "/pids/mine", "15\n", "10\n");
    assert_int_equal(room_with(folder, "9:memory:/x\n8:pids:/mine\n"), 5); // version 1
    assert_int_equal(room_with(folder, "no list of groups"), LONG_MAX);
    test_folder_remove(folder);
}

static void allow_five_processes(void) {
    const struct rlimit few = {5, 5};
    setrlimit(RLIMIT_NPROC, &few);
    if (geteuid() == 0 && setuid(65534) != 0) _exit(2); // the limit does not bind root
    const int threads = toc_threads_resolve(64);
    _exit(threads >= 1 && threads <= 3 ? 42 : 1); // itself, and half of the four others
}

static void a_limit_on_processes_means_few_threads(void **state) {
    (void)state;
    expect_the_same_in_a_child(allow_five_processes, 64);
}

static void leave_little_address_space(void) {
    size_t pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%zu", &pages) != 1) _exit(2);
    fclose(file);
    const rlim_t bytes = (rlim_t)(pages * (size_t)sysconf(_SC_PAGESIZE) + ((size_t)64 << 20));
    const struct rlimit limit = {bytes, bytes};
    setrlimit(RLIMIT_AS, &limit);
}

// Stacks and arenas of many threads must not take the memory that the answer needs.
static void little_address_space_means_few_threads(void **state) {
    (void)state;
    if (TEST_SANITIZED) skip(); // sanitizers take all of the address space
    expect_the_same_in_a_child(leave_little_address_space, 0);
    expect_the_same_in_a_child(leave_little_address_space, 256);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_round_runs_once),
        cmocka_unit_test(loops_of_any_length_run_each_round_once),
        cmocka_unit_test(rounds_in_order_begin_in_order),
        cmocka_unit_test(each_thread_finishes_behind_its_rounds),
        cmocka_unit_test(teams_with_short_loops_end),
        cmocka_unit_test(loops_of_a_team_may_differ),
        cmocka_unit_test(the_message_of_a_failed_round_arrives),
        cmocka_unit_test(a_loop_within_a_round_ends),
        cmocka_unit_test(an_absurd_number_of_threads_is_cut_down),
        cmocka_unit_test(threads_that_cannot_start_make_it_slower_only),
        cmocka_unit_test(limits_of_control_groups),
        cmocka_unit_test(a_limit_on_processes_means_few_threads),
        cmocka_unit_test(little_address_space_means_few_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
