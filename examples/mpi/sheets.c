// SPDX-License-Identifier: Apache-2.0
// Sheets fall on each other, one on each rank: the use of Toccata in the loop of a solver with MPI.
//
//     mpirun -n 4 example.mpi.sheets
//
// Each rank moves its own sheet and hands in its own vertices, with ids that are unique on all ranks. Contacts within a
// gap come back to the rank of their first vertex; vertices of them are stopped on their ranks. The safe step cuts the
// rest: nothing ever crosses.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "toccata/mpi.h"

enum { SIDE = 10, COUNT = SIDE * SIDE, STEPS = 40 };
static const double DT = 0.01, GAP = 2e-3;

static void check(toc_status status) {
    if (status == TOC_OK) return;
    fprintf(stderr, "%s\n", toc_message_get()); // the same on every rank
    MPI_Abort(MPI_COMM_WORLD, 1);
}

typedef struct sheet_loop {
    toc_mpi_scene *scene;
    int rank;
    double x[3 * COUNT], next[3 * COUNT], v[3 * COUNT];
} sheet_loop;

static uint64_t id_of(int rank, int vertex) { return (uint64_t)rank << 32 | (uint64_t)vertex; }

// A sheet of two triangles a square, a little higher and shorter on each rank.
static void make_sheet(sheet_loop *l) {
    uint64_t ids[COUNT];
    for (int i = 0; i < COUNT; i++) {
        const double along = (double)(i % SIDE) / (SIDE - 1), across = (double)(i / SIDE) / (SIDE - 1);
        ids[i] = id_of(l->rank, i);
        l->x[3 * i] = (along - 0.5) / (1 + 0.1 * l->rank);
        l->x[3 * i + 1] = (across - 0.5) / (1 + 0.1 * l->rank);
        l->x[3 * i + 2] = 0.05 * l->rank + 0.01 * along * across;
    }
    check(toc_mpi_scene_add_body(l->scene, NULL));
    check(toc_mpi_scene_add_vertices(l->scene, 0, COUNT, ids, l->x));
    for (int i = 0; i + 1 < SIDE; i++)
        for (int j = 0; j + 1 < SIDE; j++) {
            const int a = i * SIDE + j, corners[6] = {a, a + 1, a + SIDE, a + 1, a + SIDE + 1, a + SIDE};
            const uint64_t elements[2] = {id_of(l->rank, 2 * a), id_of(l->rank, 2 * a + 1)};
            uint64_t corner_ids[6];
            for (int k = 0; k < 6; k++) corner_ids[k] = id_of(l->rank, corners[k]);
            check(toc_mpi_scene_add_elements(l->scene, 0, TOC_TRIANGLE, 2, elements, corner_ids));
        }
}

// The sheet of rank 0 is the ground.
static void predict(sheet_loop *l) {
    for (int i = 0; i < 3 * COUNT; i++) {
        if (l->rank > 0 && i % 3 == 2) l->v[i] -= 9.81 * DT;
        l->next[i] = l->x[i] + DT * l->v[i];
    }
    check(toc_mpi_scene_set_motion(l->scene, 0, COUNT, l->x, l->next));
}

// Stop the vertices of contacts, wherever they live.
static void stop_vertices(sheet_loop *l, const toc_mpi_contacts *contacts) {
    int size, own = (int)contacts->count * 4;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int *counts = calloc((size_t)size, sizeof *counts), *places = calloc((size_t)size + 1, sizeof *places);
    if (!counts || !places) MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Allgather(&own, 1, MPI_INT, counts, 1, MPI_INT, MPI_COMM_WORLD);
    for (int r = 0; r < size; r++) places[r + 1] = places[r] + counts[r];
    uint64_t *mine = malloc(((size_t)own + 1) * sizeof *mine), *all = malloc(((size_t)places[size] + 1) * sizeof *all);
    if (!mine || !all) MPI_Abort(MPI_COMM_WORLD, 1);
    for (size_t i = 0; i < contacts->count; i++) memcpy(mine + 4 * i, contacts->contacts[i].v, 4 * sizeof *mine);
    MPI_Allgatherv(mine, own, MPI_UINT64_T, all, counts, places, MPI_UINT64_T, MPI_COMM_WORLD);
    for (int i = 0; i < places[size]; i++) {
        if (all[i] >> 32 != (uint64_t)l->rank) continue;
        const size_t v = 3 * (size_t)(all[i] & UINT32_MAX);
        memset(l->v + v, 0, 3 * sizeof *l->v);
        memcpy(l->next + v, l->x + v, 3 * sizeof *l->x);
    }
    free(all);
    free(mine);
    free(places);
    free(counts);
}

static uint64_t step(sheet_loop *l) {
    toc_query query = toc_query_default();
    toc_mpi_contacts *contacts;
    double fraction;
    query.threads = 1;
    predict(l);
    query.test.separation = GAP;
    check(toc_mpi_scene_find_contacts(l->scene, &query, &contacts));
    stop_vertices(l, contacts);
    const uint64_t found = contacts->total;
    toc_mpi_contacts_destroy(contacts);
    query.test.separation = 0;
    check(toc_mpi_scene_set_motion(l->scene, 0, COUNT, l->x, l->next));
    check(toc_mpi_scene_find_safe_step(l->scene, &query, &fraction)); // the same on every rank
    toc_positions_interpolate(fraction, 3 * COUNT, l->x, l->next, NULL, l->x);
    return found;
}

static uint64_t count_crossings(sheet_loop *l) {
    const toc_query query = toc_query_default();
    toc_mpi_overlaps *overlaps;
    check(toc_mpi_scene_set_motion(l->scene, 0, COUNT, l->x, l->x));
    check(toc_mpi_scene_find_overlaps(l->scene, &query, TOC_AT_START, &overlaps));
    const uint64_t total = overlaps->total;
    toc_mpi_overlaps_destroy(overlaps);
    return total;
}

int main(int argc, char **argv) {
    static sheet_loop l;
    uint64_t contacts = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &l.rank);
    check(toc_mpi_scene_create(MPI_COMM_WORLD, NULL, &l.scene));
    make_sheet(&l);
    for (int i = 0; i < STEPS; i++) contacts += step(&l);
    const uint64_t crossings = count_crossings(&l);
    if (l.rank == 0)
        printf("%d steps, %llu contacts within the gap, %llu crossings\n", STEPS, (unsigned long long)contacts,
               (unsigned long long)crossings);
    toc_mpi_scene_destroy(l.scene);
    MPI_Finalize();
    return crossings > 0;
}
