// SPDX-License-Identifier: Apache-2.0
// Failures of one rank: all ranks return the same status and message, nothing leaks, and the scene goes on.
#include <math.h>
#include <signal.h>
#include <string.h>

#include "mpi/spread.h"
#include "support/grid.h"

static int rank, size;

static toc_query plain_query(void) {
    toc_query query = toc_query_default();
    query.threads = 1;
    return query;
}

static toc_scene *make_bodies(void) {
    test_random random = {5};
    toc_mesh *meshes[2];
    for (int i = 0; i < 2; i++) {
        meshes[i] = test_soup(&random, TOC_TET, 20, 30);
        test_shake(meshes[i], &random, 0.1, 0.3);
    }
    return test_scene_of(meshes[0], meshes[1]);
}

static const spread_options spread = {SPREAD_RANDOM, 3, 0, 1};

static toc_mpi_scene *make_many(const toc_scene *one, const toc_allocator *memory) {
    toc_mpi_scene *many;
    check_ok(toc_mpi_scene_create(MPI_COMM_WORLD, memory, &many));
    spread_scene(one, MPI_COMM_WORLD, &spread, many);
    return many;
}

// The same status on all ranks, and the same message with these words.
static void check_all_fail(toc_status got, toc_status wanted, const char *words) {
    char text[1024] = "", first[1024] = "";
    snprintf(text, sizeof text, "%s", toc_message_get());
    memcpy(first, text, sizeof first);
    MPI_Bcast(first, sizeof first, MPI_BYTE, 0, MPI_COMM_WORLD);
    check_that(got == wanted);
    check_that(strcmp(text, first) == 0);
    check_that(strstr(text, words) != NULL);
}

static void check_works(toc_mpi_scene *many) {
    const toc_query query = plain_query();
    toc_mpi_contacts *contacts;
    check_ok(toc_mpi_scene_find_contacts(many, &query, &contacts));
    check_that(contacts->total > 0);
    toc_mpi_contacts_destroy(contacts);
}

// A coordinate that is no number, on the last rank.
static void a_bad_coordinate(toc_mpi_scene *many) {
    const toc_query query = plain_query();
    const uint64_t id = 1u << 20;
    const double x[3] = {0, NAN, 0};
    toc_mpi_contacts *contacts;
    if (rank == size - 1) check_that(toc_mpi_scene_add_vertices(many, 0, 1, &id, x) == TOC_BAD_INPUT);
    check_all_fail(toc_mpi_scene_find_contacts(many, &query, &contacts), TOC_BAD_INPUT,
                   "coordinate y of vertex 1048576");
    check_works(many);
}

static void an_element_without_its_vertex(toc_mpi_scene *many) {
    const toc_query query = plain_query();
    const uint64_t id = 1u << 20, corners[3] = {1, 2, 999999};
    double fraction;
    if (rank == 0) check_that(toc_mpi_scene_add_elements(many, 0, TOC_TRIANGLE, 1, &id, corners) == TOC_BAD_INPUT);
    check_all_fail(toc_mpi_scene_find_safe_step(many, &query, &fraction), TOC_BAD_INPUT, "does not have");
    check_works(many);
}

static void ranks_that_ask_different_questions(toc_mpi_scene *many) {
    toc_query query = plain_query();
    toc_near_query asked = toc_near_query_default();
    toc_mpi_contacts *contacts;
    toc_mpi_near *near;
    query.test.separation = rank == 0 ? 0.1 : 0;
    check_all_fail(toc_mpi_scene_find_contacts(many, &query, &contacts), TOC_BAD_INPUT, "different questions");
    asked.distance = rank == 0 ? 0.1 : 0.2;
    check_all_fail(toc_mpi_scene_find_near(many, &query, &asked, &near), TOC_BAD_INPUT, "different questions");
    query.preset = rank == 0 ? "rtri" : "auto";
    check_all_fail(toc_mpi_scene_find_contacts(many, &query, &contacts), TOC_BAD_INPUT, "rank 0: the preset rtri");
    check_works(many);
}

static int stop_at_once(void *user, double done) {
    (void)user, (void)done;
    return 1;
}

static void one_rank_stops(toc_mpi_scene *many) {
    toc_query query = plain_query();
    toc_mpi_contacts *contacts = NULL;
    if (rank == 1) query.progress.report = stop_at_once;
    const toc_status status = toc_mpi_scene_find_contacts(many, &query, &contacts);
    if (status != TOC_OK) check_all_fail(status, TOC_STOPPED, "stopped"); // a small search may end before it asks
    toc_mpi_contacts_destroy(contacts);
    check_works(many);
}

static void copies_that_differ(void) {
    const toc_query query = plain_query();
    const uint64_t ids[3] = {0, 1, 2}, element = (uint64_t)rank;
    double x[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    toc_mpi_scene *many;
    toc_mpi_contacts *contacts;
    if (rank == 1) x[8] = 1e-9;
    check_ok(toc_mpi_scene_create(MPI_COMM_WORLD, NULL, &many));
    check_ok(toc_mpi_scene_add_body(many, NULL));
    check_ok(toc_mpi_scene_add_vertices(many, 0, 3, ids, x));
    check_ok(toc_mpi_scene_add_elements(many, 0, TOC_TRIANGLE, 1, &element, ids));
    check_all_fail(toc_mpi_scene_find_contacts(many, &query, &contacts), TOC_BAD_INPUT, "copies of vertex 2");
    toc_mpi_scene_destroy(many);
}

// A place for the result on all ranks but one: the others would wait for it.
static void a_scene_without_a_place(void) {
    toc_mpi_scene *many = NULL;
    check_all_fail(toc_mpi_scene_create(MPI_COMM_WORLD, NULL, rank == 1 ? NULL : &many), TOC_BAD_INPUT,
                   "rank 1: out is NULL");
    check_that(many == NULL);
}

// Reductions of an inter-communicator give one group the numbers of the other.
static void a_communicator_of_two_groups(void) {
    MPI_Comm half, both;
    toc_mpi_scene *many;
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank == 0, 7, &both);
    check_all_fail(toc_mpi_scene_create(both, NULL, &many), TOC_BAD_INPUT, "MPI_Intercomm_merge");
    MPI_Comm_free(&both);
    MPI_Comm_free(&half);
}

static void a_vertex_twice(toc_mpi_scene *many) {
    const toc_query query = plain_query();
    const uint64_t ids[2] = {77, 77};
    const double x[6] = {0};
    toc_mpi_contacts *contacts;
    if (rank == 1) check_that(toc_mpi_scene_add_vertices(many, 0, 2, ids, x) == TOC_BAD_INPUT);
    check_all_fail(toc_mpi_scene_find_contacts(many, &query, &contacts), TOC_BAD_INPUT,
                   "rank 1: this rank has vertex 77 already");
    check_works(many);
}

// ---- memory

static toc_status ask_everything(toc_mpi_scene *many) {
    const toc_query query = plain_query();
    toc_mpi_contacts *contacts = NULL, *all = NULL;
    toc_mpi_near *near = NULL;
    toc_mpi_overlaps *overlaps = NULL;
    double fraction;
    toc_near_query asked = toc_near_query_default();
    asked.distance = 0.01;
    toc_status status = toc_mpi_scene_find_contacts(many, &query, &contacts);
    if (status == TOC_OK) status = toc_mpi_contacts_sort(many, contacts, &all);
    if (status == TOC_OK) status = toc_mpi_scene_find_near(many, &query, &asked, &near);
    if (status == TOC_OK) status = toc_mpi_scene_find_overlaps(many, &query, TOC_AT_START, &overlaps);
    if (status == TOC_OK) status = toc_mpi_scene_find_safe_step(many, &query, &fraction);
    toc_mpi_contacts_destroy(contacts);
    toc_mpi_contacts_destroy(all);
    toc_mpi_near_destroy(near);
    toc_mpi_overlaps_destroy(overlaps);
    return status;
}

// The n-th allocation after the scene is handed in fails on one rank. Whether there was such an allocation.
static bool fail_allocation(const toc_scene *one, uint64_t n) {
    test_allocator memory;
    test_allocator_make(&memory, 0);
    toc_mpi_scene *many = make_many(one, rank == 1 % size ? &memory.allocator : NULL);
    memory.fail_at = memory.calls + n;
    const toc_status status = ask_everything(many);
    if (status != TOC_OK) check_all_fail(status, TOC_OUT_OF_MEMORY, "out of memory");
    memory.fail_at = 0;
    toc_mpi_scene_destroy(many);
    check_that(memory.alive == 0);
    return status != TOC_OK;
}

static void a_rank_without_memory(const toc_scene *one) {
    uint64_t n = 1;
    while (fail_allocation(one, n)) n += 1 + n / 16;
    check_that(n > 30);
}

// ---- a rank that is killed: mpirun ends the others

static void loop_until_killed(const toc_scene *one) {
    toc_mpi_scene *many = make_many(one, NULL);
    for (int step = 0;; step++) {
        if (step == 3 && rank == size - 1) raise(SIGKILL);
        check_works(many);
    }
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    toc_scene *one = make_bodies();
    if (argc > 1 && strcmp(argv[1], "killed") == 0) loop_until_killed(one);
    toc_mpi_scene *many = make_many(one, NULL);
    check_works(many);
    a_bad_coordinate(many);
    an_element_without_its_vertex(many);
    ranks_that_ask_different_questions(many);
    a_vertex_twice(many);
    one_rank_stops(many);
    toc_mpi_scene_destroy(many);
    copies_that_differ();
    a_scene_without_a_place();
    a_communicator_of_two_groups();
    a_rank_without_memory(one);
    toc_scene_destroy(one);
    MPI_Finalize();
    return 0;
}
