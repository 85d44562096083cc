// SPDX-License-Identifier: Apache-2.0
// Many ranks: scaling on this machine, and a model of 1,024 ranks from scenes that are really cut into pieces.
//
//     bench.cluster                              all tables; starts the ranks with mpirun
//     mpirun -n N bench.cluster scale NAME SIZE  some steps of a scene on N ranks, compared with one machine
//     mpirun -n N bench.cluster steps NAME SIZE  steps that follow each other, beside as many threads of one machine
//     mpirun -n N bench.cluster large ELEMENTS   steps of a scene that no rank has as a whole
//     bench.cluster cut NAME SIZE [STEPS]        the scene in 8 to 1,024 pieces, and the model; elements are sent for
//                                                STEPS more steps ahead, or for as many as the library chooses
//
// The model: a rank takes the time of one machine for its elements and for the ghosts that reach its region in the
// step. The other ghosts are hidden there, and take the time of a search that hides all elements. The rank exchanges
// positions with its neighbours, and takes part in the collective operations of a step: 2 us of latency each (a tree:
// times the logarithm of the ranks), 10 GB/s. When elements are sent, features and a tree are made, as in the first
// search of one machine, and elements are packed and put in order. The shares of ghosts follow powers of the elements
// of a rank, fitted to the pieces that were really cut; the library chooses by these for how many steps elements are
// sent. Pieces differ by their ghosts, so that the excess of the balance is taken in proportion to the cost of these.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <zoltan.h>

#include "bench/bench.h"
#include "mpi/work.h"
#include "scenes/scenes.h"
#include "toccata/mpi.h"

#define need(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #condition, toc_message_get()); \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static const double LATENCY = 2e-6, BANDWIDTH = 10e9, COST_OF_A_PAIR = 0.25, COST_OF_A_GHOST = 0.5, SKIN = 0.1;
static const double PACKING = 250e-9; // seconds to pack, place and unpack an element that is sent; measured on letters
static double ahead;                  // steps for which elements are sent
static bool is_ahead_given;           // by the caller; else the library chooses
enum { STEPS = 4, ROUNDS = 14 };      // of a step that sends positions alone

// ---- processor time

// Processor time inside of MPI: ranks that wait there are busy. The profiling interface of MPI gives the calls.
static double waited;

static double process_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#define WAITS(name, arguments, ...)                \
    int MPI_##name arguments {                     \
        const double begun = process_seconds();    \
        const int code = PMPI_##name(__VA_ARGS__); \
        waited += process_seconds() - begun;       \
        return code;                               \
    }
WAITS(Allreduce, (const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm), in, out, count,
      type, op, comm)
WAITS(Waitall, (int count, MPI_Request *requests, MPI_Status *states), count, requests, states)
WAITS(Bcast, (void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm), buffer, count, type, root, comm)
WAITS(Alltoall, (const void *in, int sent, MPI_Datatype a, void *out, int received, MPI_Datatype b, MPI_Comm comm), in,
      sent, a, out, received, b, comm)
WAITS(Allgather, (const void *in, int sent, MPI_Datatype a, void *out, int received, MPI_Datatype b, MPI_Comm comm), in,
      sent, a, out, received, b, comm)

// ---- scaling on this machine

typedef struct team_mesh {
    toc_mesh *mesh;
    size_t first, end; // elements of this rank
    uint32_t *own;     // vertices of this rank
    size_t own_count;
} team_mesh;

static void list_own_vertices(team_mesh *t) {
    const size_t count = toc_mesh_get_vertex_count(t->mesh);
    char *used = calloc(count + 1, 1);
    t->own = malloc((count + 1) * sizeof *t->own);
    need(used && t->own);
    for (size_t e = t->first; e < t->end; e++) {
        const toc_element at = toc_mesh_get_element(t->mesh, (uint32_t)e);
        for (int k = 0; k < at.corner_count; k++) used[at.corners[k]] = 1;
    }
    for (uint32_t v = 0; v < count; v++)
        if (used[v]) t->own[t->own_count++] = v;
    free(used);
}

static void hand_in(const team_mesh *t, toc_mpi_scene *many) {
    uint64_t *ids = malloc((t->own_count + 1) * sizeof *ids);
    double *x = malloc((t->own_count + 1) * 3 * sizeof *x);
    need(ids && x);
    for (size_t i = 0; i < t->own_count; i++) {
        ids[i] = t->own[i];
        memcpy(x + 3 * i, toc_mesh_get_x0(t->mesh) + 3 * ids[i], 3 * sizeof *x);
    }
    need(toc_mpi_scene_add_body(many, NULL) == TOC_OK);
    need(toc_mpi_scene_add_vertices(many, 0, t->own_count, ids, x) == TOC_OK);
    for (size_t e = t->first; e < t->end; e++) {
        const toc_element at = toc_mesh_get_element(t->mesh, (uint32_t)e);
        uint64_t corners[8];
        for (int k = 0; k < at.corner_count; k++) corners[k] = at.corners[k];
        need(toc_mpi_scene_add_elements(many, 0, at.shape, 1, &e, corners) == TOC_OK);
        if (at.thickness > 0) need(toc_mpi_scene_set_thickness(many, 0, e, at.thickness) == TOC_OK);
    }
    free(x);
    free(ids);
}

static double *own_motion(const team_mesh *t, const toc_mesh *step) {
    double *x = malloc((t->own_count + 1) * 6 * sizeof *x);
    need(x);
    for (size_t i = 0; i < t->own_count; i++) {
        memcpy(x + 3 * i, toc_mesh_get_x0(step) + 3 * (size_t)t->own[i], 3 * sizeof *x);
        memcpy(x + 3 * (t->own_count + i), toc_mesh_get_x1(step) + 3 * (size_t)t->own[i], 3 * sizeof *x);
    }
    return x;
}

// Whether gathered contacts are those of one machine, bit for bit.
static void check_contacts(toc_mpi_scene *many, const toc_mpi_contacts *got, toc_mesh *mesh, int rank) {
    toc_mpi_contacts *all;
    need(toc_mpi_contacts_gather(many, got, 0, &all) == TOC_OK);
    if (rank == 0) {
        toc_scene *one;
        toc_contacts *wanted;
        toc_mesh *copy;
        const toc_query query = toc_query_default();
        need(toc_mesh_copy(mesh, &copy) == TOC_OK && toc_scene_create(NULL, &one) == TOC_OK);
        need(toc_scene_add_body(one, copy, NULL) == TOC_OK);
        need(toc_scene_find_contacts(one, &query, NULL, &wanted) == TOC_OK);
        need(wanted->count == all->count);
        for (size_t i = 0; i < wanted->count; i++) {
            for (int k = 0; k < 4; k++) need(wanted->contacts[i].v[k] == all->contacts[i].v[k]);
            need(memcmp(&wanted->contacts[i].toc, &all->contacts[i].toc, sizeof(double)) == 0);
            need(memcmp(wanted->contacts[i].weights, all->contacts[i].weights, 4 * sizeof(double)) == 0);
        }
        toc_contacts_destroy(wanted);
        toc_scene_destroy(one);
    }
    toc_mpi_contacts_destroy(all);
}

static double peak_megabytes(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

// One row: the sums and maxima of all ranks.
static void print_row(const char *name, int ranks, const toc_mpi_contacts *c, double work) {
    const toc_mpi_report *r = &c->report;
    double most[4] = {(double)r->ghosts / (double)(r->searched - r->ghosts + 1), (double)r->bytes, work,
                      peak_megabytes()};
    uint64_t sums[3] = {r->elements, r->pairs, r->turned_down};
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allreduce(MPI_IN_PLACE, most, 4, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, sums, 3, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%-10s %6d %10llu %9llu %10llu %8.3f %8.1f %12.0f %7llu %9.1f %9.0f\n", name, ranks,
               (unsigned long long)sums[0], (unsigned long long)c->total, (unsigned long long)sums[1], r->balance,
               100 * most[0], most[1], (unsigned long long)r->rounds, 1e3 * most[2], most[3]);
}

static void print_heading(void) {
    printf("%-10s %6s %10s %9s %10s %8s %8s %12s %7s %9s %9s\n", "scene", "ranks", "elements", "contacts", "pairs",
           "balance", "ghosts %", "bytes", "rounds", "rank ms", "peak MB");
}

// A scene of the benchmarks, of which every rank hands in a range of elements.
typedef struct team {
    const scene *source;
    size_t size, frame; // of the scene; its first step
    int rank, ranks;
    team_mesh t;
} team;

static team begin_team(const char *name, size_t size) {
    team m = {.source = scene_find(name), .size = size};
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &m.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &m.ranks);
    need(m.source);
    m.frame = m.source->frames / 2;
    need(scene_step(m.source, size, m.frame, &m.t.mesh) == TOC_OK);
    m.t.first = toc_mesh_get_element_count(m.t.mesh) * (size_t)m.rank / (size_t)m.ranks;
    m.t.end = toc_mesh_get_element_count(m.t.mesh) * (size_t)(m.rank + 1) / (size_t)m.ranks;
    list_own_vertices(&m.t);
    return m;
}

static void end_team(team *m) {
    toc_mesh_destroy(m->t.mesh);
    free(m->t.own);
    MPI_Finalize();
}

static toc_mpi_scene *new_scene(const team *m) {
    toc_mpi_scene *many;
    need(toc_mpi_scene_create(MPI_COMM_WORLD, NULL, &many) == TOC_OK);
    hand_in(&m->t, many);
    return many;
}

static int scale(const char *name, size_t size) {
    team m = begin_team(name, size);
    toc_mpi_scene *many = new_scene(&m);
    toc_mpi_contacts *contacts = NULL;
    toc_query query = toc_query_default();
    double best = INFINITY, *x = own_motion(&m.t, m.t.mesh);
    query.threads = 1;
    for (int step = 0; step < STEPS; step++) {
        need(toc_mpi_scene_set_motion(many, 0, m.t.own_count, x, x + 3 * m.t.own_count) == TOC_OK);
        toc_mpi_contacts_destroy(contacts);
        waited = 0;
        const double begun = process_seconds();
        need(toc_mpi_scene_find_contacts(many, &query, &contacts) == TOC_OK);
        best = fmin(best, process_seconds() - begun - waited);
    }
    print_row(name, m.ranks, contacts, best);
    check_contacts(many, contacts, m.t.mesh, m.rank);
    toc_mpi_contacts_destroy(contacts);
    toc_mpi_scene_destroy(many);
    free(x);
    end_team(&m);
    return 0;
}

// ---- steps that follow each other, beside one machine

enum { STEPS_MOST = 24, PASSES = 5 }; // each step counts with the least time of all passes

// Wait for all ranks without taking processor time from the others.
static void meet(void) {
    MPI_Request request;
    int done = 0;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    for (MPI_Test(&request, &done, MPI_STATUS_IGNORE); !done; MPI_Test(&request, &done, MPI_STATUS_IGNORE))
        nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
}

// A step, prepared: positions of the vertices of this rank, and on rank 0 of all; start, then end.
typedef struct team_step {
    double *own, *all;
    double work;           // of this rank: processor seconds outside of MPI
    double wall;           // of all ranks
    double one, alone;     // one machine: processor seconds over the threads, and seconds
    toc_mpi_report report; // of the last pass
    uint64_t contacts;
} team_step;

static void prepare_step(const team *m, size_t step, team_step *out) {
    toc_mesh *moved;
    need(scene_step(m->source, m->size, m->frame + step, &moved) == TOC_OK);
    const size_t count = 3 * toc_mesh_get_vertex_count(moved);
    *out = (team_step){.work = INFINITY, .wall = INFINITY, .one = INFINITY, .alone = INFINITY};
    out->own = own_motion(&m->t, moved);
    if (m->rank == 0) {
        out->all = malloc(2 * count * sizeof *out->all);
        need(out->all);
        memcpy(out->all, toc_mesh_get_x0(moved), count * sizeof *out->all);
        memcpy(out->all + count, toc_mesh_get_x1(moved), count * sizeof *out->all);
    }
    toc_mesh_destroy(moved);
}

static size_t ask_one(toc_scene *one, int threads, team_step *step) {
    toc_query query = toc_query_default();
    toc_contacts *contacts;
    toc_mesh *mesh = toc_scene_edit_mesh(one, 0);
    query.threads = threads;
    const double begun = process_seconds(), wall = MPI_Wtime();
    need(toc_mesh_set_motion(mesh, toc_mesh_get_vertex_count(mesh), step->all,
                             step->all + 3 * toc_mesh_get_vertex_count(mesh)) == TOC_OK);
    need(toc_scene_find_contacts(one, &query, NULL, &contacts) == TOC_OK);
    step->one = fmin(step->one, (process_seconds() - begun) / threads);
    step->alone = fmin(step->alone, MPI_Wtime() - wall);
    const size_t count = contacts->count;
    toc_contacts_destroy(contacts);
    return count;
}

static void ask_ranks(toc_mpi_scene *many, const team *m, team_step *step) {
    toc_query query = toc_query_default();
    toc_mpi_contacts *contacts;
    query.threads = 1;
    meet();
    waited = 0;
    const double begun = process_seconds(), wall = MPI_Wtime();
    need(toc_mpi_scene_set_motion(many, 0, m->t.own_count, step->own, step->own + 3 * m->t.own_count) == TOC_OK);
    need(toc_mpi_scene_find_contacts(many, &query, &contacts) == TOC_OK);
    step->work = fmin(step->work, process_seconds() - begun - waited);
    step->wall = fmin(step->wall, MPI_Wtime() - wall);
    step->report = contacts->report;
    step->contacts = contacts->total;
    toc_mpi_contacts_destroy(contacts);
}

static void pass_through(const team *m, team_step *at, size_t count) {
    toc_mpi_scene *many = new_scene(m);
    toc_scene *one;
    toc_mesh *copy;
    need(toc_mesh_copy(m->t.mesh, &copy) == TOC_OK && toc_scene_create(NULL, &one) == TOC_OK);
    need(toc_scene_add_body(one, copy, NULL) == TOC_OK);
    for (size_t step = 0; step < count; step++) {
        ask_ranks(many, m, &at[step]);
        if (m->rank == 0) need(ask_one(one, m->ranks, &at[step]) == at[step].contacts);
        meet();
    }
    toc_mpi_scene_destroy(many);
    toc_scene_destroy(one);
}

static void print_step(size_t step, const team_step *at) {
    const toc_mpi_report *r = &at->report;
    printf("%-10s %5zu %9llu %8.3f %8.1f %8s %9.1f %9.1f %9.1f %9.1f %7.2f\n", "", step,
           (unsigned long long)at->contacts, r->balance,
           100 * (double)r->ghosts / (double)(r->searched - r->ghosts + 1),
           r->partitioned     ? "regions"
           : r->sent_elements ? "elements"
                              : "moves",
           1e3 * at->work, 1e3 * at->one, 1e3 * at->wall, 1e3 * at->alone, at->work / at->one);
}

static void add_times(team_step *sum, const team_step *s) {
    sum->work += s->work;
    sum->wall += s->wall;
    sum->one += s->one;
    sum->alone += s->alone;
}

static int steps(const char *name, size_t size) {
    team m = begin_team(name, size);
    team_step at[STEPS_MOST], sum = {0}, moves = {0};
    const size_t left = m.source->frames - 1 - m.frame, count = left < STEPS_MOST ? left : STEPS_MOST;
    for (size_t step = 0; step < count; step++) prepare_step(&m, step, &at[step]);
    for (int pass = 0; pass < PASSES; pass++) pass_through(&m, at, count);
    if (m.rank == 0)
        printf("%-10s %5s %9s %8s %8s %8s %9s %9s %9s %9s %7s\n", name, "step", "contacts", "balance", "ghosts %",
               "sent", "rank ms", "thread ms", "ranks ms", "threads", "ratio");
    for (size_t step = 0; step < count; step++) {
        team_step *s = &at[step];
        MPI_Allreduce(MPI_IN_PLACE, &s->work, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        MPI_Allreduce(MPI_IN_PLACE, &s->wall, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        if (m.rank == 0) print_step(step, s);
        if (step >= count / 3) add_times(&sum, s);
        if (step >= count / 3 && !s->report.partitioned && !s->report.sent_elements) add_times(&moves, s);
        free(s->own);
        free(s->all);
    }
    if (m.rank == 0) {
        printf("%-10s steps %zu to %zu: time of ranks : of threads %.2f, processor time of a rank : of a thread %.2f\n",
               name, count / 3, count - 1, sum.wall / sum.alone, sum.work / sum.one);
        printf("%-10s those that send positions alone: %.2f, %.2f\n", "", moves.wall / moves.alone,
               moves.work / moves.one);
    }
    end_team(&m);
    return 0;
}

// ---- a large scene that no rank has as a whole

// Two wavy sheets of side * side squares. The upper one is tilted, lies between the vertices of the lower one, and
// sinks into it at its low end.
static void sheet_place(int sheet, size_t side, size_t row, size_t column, double step, double *x) {
    x[0] = ((double)column + 0.37 * sheet) / (double)side;
    x[1] = ((double)row + 0.21 * sheet) / (double)side;
    x[2] = sheet * (0.006 - 0.0016 * step + 0.05 * x[0]) + 0.004 * sin(40 * x[0]) * sin(40 * x[1] + sheet);
}

// Rows first to end - 1 of a sheet.
static void add_rows(toc_mpi_scene *many, int sheet, size_t side, size_t first, size_t end) {
    const size_t row = side + 1, count = (end - first + 1) * row;
    uint64_t *ids = malloc(count * sizeof *ids), *corners = malloc(6 * side * sizeof *corners),
             *elements = malloc(2 * side * sizeof *elements);
    double *x = malloc(3 * count * sizeof *x);
    need(ids && x && corners && elements);
    for (size_t i = 0; i < count; i++) {
        ids[i] = (uint64_t)sheet * row * row + first * row + i;
        sheet_place(sheet, side, first + i / row, i % row, 0, x + 3 * i);
    }
    need(toc_mpi_scene_add_vertices(many, 0, count, ids, x) == TOC_OK);
    for (size_t r = 0; r < end - first; r++) {
        for (size_t k = 0; k < side; k++) {
            const uint64_t a = ids[r * row + k];
            memcpy(corners + 6 * k, (uint64_t[6]){a, a + 1, a + row, a + 1, a + row + 1, a + row}, 6 * sizeof a);
            elements[2 * k] = 2 * a;
            elements[2 * k + 1] = 2 * a + 1;
        }
        need(toc_mpi_scene_add_elements(many, 0, TOC_TRIANGLE, 2 * side, elements, corners) == TOC_OK);
    }
    free(elements);
    free(corners);
    free(x);
    free(ids);
}

static void sink(toc_mpi_scene *many, size_t side, size_t first, size_t end, int step) {
    const size_t row = side + 1, rows = end - first + 1, count = 2 * rows * row;
    double *x = malloc(6 * count * sizeof *x);
    need(x);
    for (int at = 0; at < 2; at++)
        for (size_t i = 0; i < count; i++) {
            const int sheet = i >= rows * row;
            const size_t k = i - (sheet ? rows * row : 0);
            sheet_place(sheet, side, first + k / row, k % row, step + at, x + 3 * ((size_t)at * count + i));
        }
    need(toc_mpi_scene_set_motion(many, 0, count, x, x + 3 * count) == TOC_OK);
    free(x);
}

static int large(size_t elements) {
    int rank, ranks;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const size_t side = (size_t)sqrt((double)elements / 4);
    const size_t first = side * (size_t)rank / (size_t)ranks, end = side * (size_t)(rank + 1) / (size_t)ranks;
    toc_mpi_scene *many;
    toc_query query = toc_query_default();
    query.threads = 1;
    need(toc_mpi_scene_create(MPI_COMM_WORLD, NULL, &many) == TOC_OK && toc_mpi_scene_add_body(many, NULL) == TOC_OK);
    for (int sheet = 0; sheet < 2; sheet++) add_rows(many, sheet, side, first, end);
    if (rank == 0) print_heading();
    for (int step = 0; step < 3; step++) {
        toc_mpi_contacts *contacts;
        sink(many, side, first, end, step);
        waited = 0;
        const double begun = process_seconds();
        need(toc_mpi_scene_find_contacts(many, &query, &contacts) == TOC_OK);
        print_row("sheets", ranks, contacts, process_seconds() - begun - waited);
        toc_mpi_contacts_destroy(contacts);
    }
    toc_mpi_scene_destroy(many);
    MPI_Finalize();
    return 0;
}

// ---- pieces on one machine

// A pair that the search tests: the lowest corner of the intersection of its boxes, and a vertex at which it counts.
typedef struct tested_pair {
    double corner[3];
    uint32_t v;
} tested_pair;

typedef struct cut_scene {
    toc_mesh *mesh;
    size_t elements, vertices;
    float *weights;
    tested_pair *pairs;
    size_t pair_count, pair_room;
    double seconds;                       // CPU time of a search on one machine, one thread
    double first_seconds, hidden_seconds; // of the first search, and of one that hides all elements
    size_t contacts;
} cut_scene;

static void low_corner(const toc_mesh *mesh, int count, const uint32_t *v, double low[3]) {
    const double *x0 = toc_mesh_get_x0(mesh), *x1 = toc_mesh_get_x1(mesh);
    for (int c = 0; c < 3; c++) {
        low[c] = INFINITY;
        for (int i = 0; i < count; i++) {
            const size_t at = 3 * (size_t)v[i] + (size_t)c;
            low[c] = fmin(low[c], fmin(x0[at], x1[at]));
        }
    }
}

static bool note_pair(void *user, toc_kind kind, const uint32_t body[2], const uint32_t v[4]) {
    cut_scene *s = user;
    const int second = kind == TOC_VF ? 1 : 2;
    double a[3], b[3];
    (void)body;
    if (s->pair_count == s->pair_room) {
        s->pair_room = 2 * s->pair_room + 1024;
        s->pairs = realloc(s->pairs, s->pair_room * sizeof *s->pairs);
        need(s->pairs);
    }
    low_corner(s->mesh, second, v, a);
    low_corner(s->mesh, 4 - second, v + second, b);
    tested_pair *pair = &s->pairs[s->pair_count++];
    for (int c = 0; c < 3; c++) pair->corner[c] = fmax(a[c], b[c]);
    pair->v = (a[0] >= b[0]) + (a[1] >= b[1]) + (a[2] >= b[2]) >= 2 ? v[0] : v[second];
    return true;
}

// Search for the time of a new tree, of a kept one and of hidden elements, then once to note the pairs.
static void search_whole(cut_scene *s) {
    toc_scene *bodies;
    toc_contacts *contacts;
    toc_query query = toc_query_default();
    query.threads = 1;
    need(toc_scene_create(NULL, &bodies) == TOC_OK && toc_scene_add_body(bodies, s->mesh, NULL) == TOC_OK);
    need(toc_scene_set_steady(bodies, true) == TOC_OK);
    for (int round = 0; round < 4; round++) {
        static const double far_away[3] = {1e30, 1e30, 1e30};
        if (round == 2) need(toc_scene_set_region(bodies, far_away, far_away) == TOC_OK);
        if (round == 3) need(toc_scene_set_region(bodies, NULL, NULL) == TOC_OK);
        if (round == 3) query.filter = (toc_pair_filter){note_pair, s};
        const double begun = process_seconds();
        need(toc_scene_find_contacts(bodies, &query, NULL, &contacts) == TOC_OK);
        *(round == 0   ? &s->first_seconds
          : round == 1 ? &s->seconds
                       : &s->hidden_seconds) = round < 3 ? process_seconds() - begun : s->hidden_seconds;
        s->contacts = contacts->count;
        toc_contacts_destroy(contacts);
    }
}

typedef struct cut_box {
    double low[3], high[3];
} cut_box;

static cut_box element_box(const cut_scene *s, uint32_t e, double growth) {
    const toc_element at = toc_mesh_get_element(s->mesh, e);
    const double *x0 = toc_mesh_get_x0(s->mesh), *x1 = toc_mesh_get_x1(s->mesh);
    cut_box box;
    for (int c = 0; c < 3; c++) {
        double low = INFINITY, high = -INFINITY;
        for (int k = 0; k < at.corner_count; k++) {
            const size_t i = 3 * (size_t)at.corners[k] + (size_t)c;
            low = fmin(low, fmin(x0[i], x1[i]));
            high = fmax(high, fmax(x0[i], x1[i]));
        }
        box.low[c] = low - growth;
        box.high[c] = high + growth;
    }
    return box;
}

// The box for which an element is sent for some steps, as in mpi/partition.c; for 0 steps that of the step alone.
static cut_box reach_box(const cut_scene *s, uint32_t e, double growth, double steps, double slack) {
    const toc_element at = toc_mesh_get_element(s->mesh, e);
    const double *x0 = toc_mesh_get_x0(s->mesh), *x1 = toc_mesh_get_x1(s->mesh);
    cut_box box = element_box(s, e, growth);
    for (int c = 0; c < 3; c++) {
        double low = 0, high = 0;
        for (int k = 0; k < at.corner_count; k++) {
            const size_t i = 3 * (size_t)at.corners[k] + (size_t)c;
            low = fmin(low, steps * (x1[i] - x0[i]));
            high = fmax(high, steps * (x1[i] - x0[i]));
        }
        const double more = fmax(slack, (high - low) / 4);
        box.low[c] += low - more;
        box.high[c] += high + more;
    }
    return box;
}

static int zoltan_count(void *data, int *error) {
    *error = ZOLTAN_OK;
    return (int)((cut_scene *)data)->elements;
}

static void zoltan_list(void *data, int gids, int lids, ZOLTAN_ID_PTR global, ZOLTAN_ID_PTR local, int weights,
                        float *weight, int *error) {
    const cut_scene *s = data;
    (void)gids, (void)lids, (void)weights;
    for (size_t i = 0; i < s->elements; i++) {
        global[i] = local[i] = (ZOLTAN_ID_TYPE)i;
        weight[i] = s->weights[i];
    }
    *error = ZOLTAN_OK;
}

static int zoltan_dimensions(void *data, int *error) {
    (void)data;
    *error = ZOLTAN_OK;
    return 3;
}

static void zoltan_middles(void *data, int gids, int lids, int count, ZOLTAN_ID_PTR global, ZOLTAN_ID_PTR local,
                           int dimensions, double *x, int *error) {
    (void)gids, (void)lids, (void)global, (void)dimensions;
    for (int i = 0; i < count; i++) {
        const cut_box box = element_box(data, local[i], 0);
        for (int c = 0; c < 3; c++) x[3 * i + c] = (box.low[c] + box.high[c]) / 2;
    }
    *error = ZOLTAN_OK;
}

static struct Zoltan_Struct *cut(cut_scene *s, int pieces) {
    struct Zoltan_Struct *z = Zoltan_Create(MPI_COMM_WORLD);
    char text[16];
    int a, b, c, d, e, *p, *q, *r, *t;
    ZOLTAN_ID_PTR i, j, k, l;
    snprintf(text, sizeof text, "%d", pieces);
    Zoltan_Set_Param(z, "DEBUG_LEVEL", "0");
    Zoltan_Set_Param(z, "LB_METHOD", "RCB");
    Zoltan_Set_Param(z, "OBJ_WEIGHT_DIM", "1");
    Zoltan_Set_Param(z, "KEEP_CUTS", "1");
    Zoltan_Set_Param(z, "RETURN_LISTS", "NONE");
    Zoltan_Set_Param(z, "IMBALANCE_TOL", "1.02");
    Zoltan_Set_Param(z, "NUM_GLOBAL_PARTS", text);
    Zoltan_Set_Num_Obj_Fn(z, zoltan_count, s);
    Zoltan_Set_Obj_List_Fn(z, zoltan_list, s);
    Zoltan_Set_Num_Geom_Fn(z, zoltan_dimensions, s);
    Zoltan_Set_Geom_Multi_Fn(z, zoltan_middles, s);
    need(Zoltan_LB_Partition(z, &a, &b, &c, &d, &i, &j, &p, &q, &e, &k, &l, &r, &t) >= ZOLTAN_OK);
    return z;
}

static int piece_of(struct Zoltan_Struct *z, double *x) {
    int rank, piece;
    need(Zoltan_LB_Point_PP_Assign(z, x, &rank, &piece) == ZOLTAN_OK);
    return piece;
}

// The numbers of one piece.
typedef struct piece_numbers {
    uint64_t owned, searched, received, vertices, pairs;
    uint64_t neighbours;
} piece_numbers;

typedef struct cut_numbers {
    int pieces, cuts;
    double ahead, balance, ghosts, most_ghosts, bytes, neighbours;
    double shares[DIST_AHEADS + 1]; // of ghosts, for each choice of steps ahead; the last one for none
} cut_numbers;

static double motion_of_element(const cut_scene *s, uint32_t e) {
    const size_t at = 3 * (size_t)toc_mesh_get_element(s->mesh, e).corners[0];
    double most = 0;
    for (size_t i = at; i < at + 3; i++)
        most = fmax(most, fabs(toc_mesh_get_x1(s->mesh)[i] - toc_mesh_get_x0(s->mesh)[i]));
    return most;
}

static dist_typical mean_lengths(const cut_scene *s) {
    double size = 0, motion = 0;
    for (uint32_t e = 0; e < s->elements; e++) {
        const cut_box b = element_box(s, e, 0);
        size += fmax(b.high[0] - b.low[0], fmax(b.high[1] - b.low[1], b.high[2] - b.low[2]));
        motion += motion_of_element(s, e);
    }
    return (dist_typical){size / (double)s->elements, motion / (double)s->elements};
}

// Shares of ghosts for all choices of steps ahead, by one element in eight.
static void find_shares(const cut_scene *s, struct Zoltan_Struct *z, int pieces, double *shares) {
    enum { SAMPLE = 8 };
    const dist_typical typical = mean_lengths(s);
    int *procs = malloc((size_t)pieces * sizeof *procs), *parts = malloc((size_t)pieces * sizeof *parts), ranks, count;
    need(procs && parts);
    for (int k = 0; k <= DIST_AHEADS; k++) {
        const double steps = k < DIST_AHEADS ? toc_dist_ahead_at(k) : 0;
        size_t copies = 0, seen = 0;
        for (uint32_t e = 0; e < s->elements; e += SAMPLE, seen++) {
            const cut_box b = reach_box(s, e, SKIN * typical.size, steps, toc_dist_slack(steps, typical));
            need(Zoltan_LB_Box_PP_Assign(z, b.low[0], b.low[1], b.low[2], b.high[0], b.high[1], b.high[2], procs,
                                         &ranks, parts, &count) == ZOLTAN_OK);
            copies += (size_t)count - 1;
        }
        shares[k] = (double)copies / (double)seen;
    }
    free(parts);
    free(procs);
}

// Elements of each piece, one list after the other.
static void list_reach(cut_scene *s, struct Zoltan_Struct *z, int pieces, size_t *first, uint32_t **out) {
    const dist_typical typical = mean_lengths(s);
    int *procs = malloc((size_t)pieces * sizeof *procs), *parts = malloc((size_t)pieces * sizeof *parts), rank_count,
        count;
    uint32_t *list = NULL;
    size_t *next = calloc((size_t)pieces + 1, sizeof *next);
    need(procs && parts && next);
    memset(first, 0, ((size_t)pieces + 1) * sizeof *first);
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t e = 0; e < s->elements; e++) {
            const cut_box b = reach_box(s, e, SKIN * typical.size, ahead, toc_dist_slack(ahead, typical));
            need(Zoltan_LB_Box_PP_Assign(z, b.low[0], b.low[1], b.low[2], b.high[0], b.high[1], b.high[2], procs,
                                         &rank_count, parts, &count) == ZOLTAN_OK);
            for (int i = 0; i < count; i++) {
                if (pass == 0)
                    first[parts[i] + 1]++;
                else
                    list[next[parts[i]]++] = e;
            }
        }
        if (pass == 1) break;
        for (int p = 0; p < pieces; p++) first[p + 1] += first[p];
        memcpy(next, first, ((size_t)pieces + 1) * sizeof *next);
        list = malloc((first[pieces] + 1) * sizeof *list);
        need(list);
    }
    free(next);
    free(parts);
    free(procs);
    *out = list;
}

// The elements searched by a piece count at those of its region, as in mpi/weights.c. Each pair counts at a vertex,
// shared by the elements around it. @param home the pieces of elements, @param first of the elements searched by each.
static void weigh(cut_scene *s, int pieces, const int *home, const size_t *first) {
    size_t *owned = calloc((size_t)pieces, sizeof *owned);
    float *tests = calloc(s->vertices + 1, sizeof *tests), *around = calloc(s->vertices + 1, sizeof *around);
    need(tests && around && owned);
    for (size_t i = 0; i < s->pair_count; i++) tests[s->pairs[i].v] += (float)COST_OF_A_PAIR;
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t e = 0; e < s->elements; e++) {
            const toc_element at = toc_mesh_get_element(s->mesh, e);
            if (pass == 1) s->weights[e] = 0;
            for (int k = 0; k < at.corner_count; k++) {
                if (pass == 0)
                    around[at.corners[k]] += 1;
                else
                    s->weights[e] += tests[at.corners[k]] / around[at.corners[k]];
            }
        }
    for (size_t e = 0; e < s->elements; e++) owned[home[e]]++;
    for (size_t e = 0; e < s->elements; e++)
        s->weights[e] +=
            (float)(1 + COST_OF_A_GHOST * ((double)(first[home[e] + 1] - first[home[e]]) / (double)owned[home[e]] - 1));
    free(owned);
    free(around);
    free(tests);
}

// Vertices that a piece receives from the homes of its elements, and the number of these homes.
static void count_received(const cut_scene *s, const int *home, int piece, const uint32_t *list, size_t count,
                           uint32_t *stamp, int *met, piece_numbers *out) {
    for (size_t i = 0; i < count; i++) {
        const uint32_t e = list[i];
        const toc_element at = toc_mesh_get_element(s->mesh, e);
        if (home[e] == piece) continue;
        out->received++;
        out->neighbours += met[home[e]] != piece + 1;
        met[home[e]] = piece + 1;
        for (int k = 0; k < at.corner_count; k++) {
            out->vertices += stamp[at.corners[k]] != (uint32_t)piece + 1;
            stamp[at.corners[k]] = (uint32_t)piece + 1;
        }
    }
}

static cut_numbers sum_pieces(const piece_numbers *n, int pieces, size_t elements) {
    cut_numbers out = {.pieces = pieces};
    double most = 0, sum = 0, ghosts = 0;
    for (int p = 0; p < pieces; p++) {
        const double work = (double)n[p].owned + COST_OF_A_GHOST * (double)(n[p].searched - n[p].owned) +
                            COST_OF_A_PAIR * (double)n[p].pairs;
        const double own = (double)(n[p].searched - n[p].owned) / (double)(n[p].owned ? n[p].owned : 1);
        most = fmax(most, work);
        sum += work;
        ghosts += (double)(n[p].searched - n[p].owned);
        out.most_ghosts = fmax(out.most_ghosts, own);
        out.bytes = fmax(out.bytes, 48.0 * (double)n[p].vertices);
        out.neighbours = fmax(out.neighbours, (double)n[p].neighbours);
    }
    out.balance = most * pieces / sum;
    out.ghosts = ghosts / (double)elements;
    return out;
}

static void list_pieces(const cut_scene *s, struct Zoltan_Struct *z, int *piece) {
    for (uint32_t e = 0; e < s->elements; e++) {
        const cut_box b = element_box(s, e, 0);
        piece[e] = piece_of(
            z, (double[3]){(b.low[0] + b.high[0]) / 2, (b.low[1] + b.high[1]) / 2, (b.low[2] + b.high[2]) / 2});
    }
}

// The numbers of one cut. @param piece receives the pieces of the elements, @param home their solver's.
static cut_numbers count_cut(cut_scene *s, struct Zoltan_Struct *z, int pieces, const int *home, int *piece,
                             size_t *first) {
    int *met = calloc((size_t)pieces, sizeof *met);
    uint32_t *stamp = calloc(s->vertices + 1, sizeof *stamp), *list;
    piece_numbers *n = calloc((size_t)pieces, sizeof *n);
    need(met && stamp && n);
    list_reach(s, z, pieces, first, &list);
    list_pieces(s, z, piece);
    for (uint32_t e = 0; e < s->elements; e++) n[piece[e]].owned++;
    for (size_t i = 0; i < s->pair_count; i++) n[piece_of(z, s->pairs[i].corner)].pairs++;
    for (int p = 0; p < pieces; p++) {
        n[p].searched = first[p + 1] - first[p];
        count_received(s, home, p, list + first[p], n[p].searched, stamp, met, &n[p]);
    }
    const cut_numbers out = sum_pieces(n, pieces, s->elements);
    free(list);
    free(n);
    free(stamp);
    free(met);
    return out;
}

// Cut without weights, which gives the solver's homes; then with the weights of the work, as often as the library does.
static cut_numbers cut_into(cut_scene *s, int pieces) {
    int *home = malloc(s->elements * sizeof *home), *piece = malloc(s->elements * sizeof *piece);
    size_t *first = calloc((size_t)pieces + 1, sizeof *first);
    double shares[DIST_AHEADS + 1];
    need(home && piece && first);
    for (size_t e = 0; e < s->elements; e++) s->weights[e] = 1;
    struct Zoltan_Struct *z = cut(s, pieces);
    list_pieces(s, z, home);
    find_shares(s, z, pieces, shares);
    if (!is_ahead_given) ahead = toc_dist_ahead_choose(shares, 1, INFINITY);
    cut_numbers out = count_cut(s, z, pieces, home, piece, first), before;
    int cuts = 0;
    do {
        before = out;
        weigh(s, pieces, piece, first);
        Zoltan_Destroy(&z);
        z = cut(s, pieces);
        out = count_cut(s, z, pieces, home, piece, first);
        cuts++;
    } while (toc_dist_cuts_pay(cuts, before.balance, out.balance));
    memcpy(out.shares, shares, sizeof shares);
    out.ahead = ahead;
    out.cuts = cuts;
    Zoltan_Destroy(&z);
    free(first);
    free(piece);
    free(home);
    return out;
}

// ---- the model

// A share of ghosts at some elements of a piece, as c m^-a: by least squares of the logarithms.
static double share_at(const cut_numbers *n, int count, double elements, int choice, double m) {
    double x = 0, y = 0, xx = 0, xy = 0;
    for (int i = 0; i < count; i++) {
        const double u = log(elements / n[i].pieces), v = log(n[i].shares[choice]);
        x += u, y += v, xx += u * u, xy += u * v;
    }
    const double a = -(count * xy - x * y) / (count * xx - x * x);
    return exp((y + a * x) / count) * pow(m, -a);
}

static int choice_of(double steps) {
    for (int k = 0; k < DIST_AHEADS; k++)
        if (toc_dist_ahead_at(k) == steps) return k;
    return DIST_AHEADS;
}

// One row of the model: a rank of m elements.
static void print_model_row(const cut_scene *s, const cut_numbers *n, int count, int ranks, double m) {
    const double each = s->seconds / (double)s->elements, hidden = s->hidden_seconds / (double)s->elements;
    const double building = (s->first_seconds - s->seconds) / (double)s->elements;
    double shares[DIST_AHEADS + 1] = {0}, balance = 1, bytes = 0, neighbours = 0;
    for (int k = 0; k <= DIST_AHEADS && ranks > 1; k++) shares[k] = share_at(n, count, (double)s->elements, k, m);
    const double steps = is_ahead_given ? ahead : toc_dist_ahead_choose(shares, 1, INFINITY);
    const double ghosts = shares[choice_of(steps)], now = shares[DIST_AHEADS];
    for (int i = 0; i < count && ranks > 1; i++)
        if (n[i].pieces <= ranks || i == 0) {
            const double reach = n[i].shares[DIST_AHEADS], load = reach + hidden / each * (n[i].ghosts - reach);
            balance = 1 + (n[i].balance - 1) * fmin(1, (now + hidden / each * (ghosts - now)) / load);
            neighbours = n[i].neighbours;
            bytes = n[i].bytes * (m * ghosts) / ((double)s->elements / n[i].pieces * n[i].ghosts);
        }
    const double search = m * (each * (1 + now) + hidden * (ghosts - now)) * balance;
    const double exchange =
        ranks == 1 ? 0 : neighbours * LATENCY + 2 * bytes / BANDWIDTH + ROUNDS * log2(ranks) * LATENCY;
    const double item = sizeof(dist_vertex_item) + sizeof(dist_element_item);
    const double sending = ranks == 1 ? 0 : m * (1 + ghosts) * (building + PACKING + item / BANDWIDTH) / (1 + steps);
    printf("%8d %12.0f %6.1f %9.2f %9.2f %9.3f %12.2f %12.3f %12.2f %11.3f %11.3f\n", ranks, m, ranks > 1 ? steps : 0,
           100 * now, 100 * ghosts, balance, 1e3 * search, 1e3 * exchange, 1e3 * sending,
           m * each / (search + exchange), m * each / (search + exchange + sending));
}

static void print_model(const cut_scene *s, const cut_numbers *n, int count) {
    const double elements = 1e8;
    printf("%8s %12s %6s %9s %9s %9s %12s %12s %12s %11s %11s\n", "ranks", "elements", "ahead", "reach %", "ghosts %",
           "balance", "search ms", "exchange ms", "sending ms", "moves alone", "efficiency");
    for (int ranks = 1; ranks <= 1024; ranks *= 2) print_model_row(s, n, count, ranks, elements / ranks);
}

static int cut_and_model(const char *name, size_t size) {
    static const int pieces[] = {8, 64, 256, 1024};
    const scene *found = scene_find(name);
    cut_scene s = {0};
    cut_numbers n[4];
    float version;
    MPI_Init(NULL, NULL);
    Zoltan_Initialize(0, NULL, &version);
    need(found && scene_step(found, size, found->frames / 2, &s.mesh) == TOC_OK);
    s.elements = toc_mesh_get_element_count(s.mesh);
    s.vertices = toc_mesh_get_vertex_count(s.mesh);
    s.weights = calloc(s.elements + 1, sizeof *s.weights);
    need(s.weights);
    search_whole(&s);
    printf("\n\n%s: %zu elements, %zu contacts, %zu pairs tested\n", name, s.elements, s.contacts, s.pair_count);
    printf("ns an element on one machine: %.0f; with a new tree %.0f; hidden %.0f\n\n",
           1e9 * s.seconds / (double)s.elements, 1e9 * s.first_seconds / (double)s.elements,
           1e9 * s.hidden_seconds / (double)s.elements);
    printf("%8s %12s %6s %9s %9s %14s %6s %9s %14s %11s\n", "pieces", "elements", "ahead", "reach %", "ghosts %",
           "most ghosts %", "cuts", "balance", "most bytes in", "neighbours");
    for (int i = 0; i < 4; i++) {
        n[i] = cut_into(&s, pieces[i]);
        printf("%8d %12zu %6.1f %9.2f %9.2f %14.2f %6d %9.3f %14.0f %11.0f\n", n[i].pieces,
               s.elements / (size_t)n[i].pieces, n[i].ahead, 100 * n[i].shares[DIST_AHEADS], 100 * n[i].ghosts,
               100 * n[i].most_ghosts, n[i].cuts, n[i].balance, n[i].bytes, n[i].neighbours);
        fflush(stdout);
    }
    printf("\n\nmodel of 1e8 elements like %s\n\n", name);
    print_model(&s, n, 4);
    free(s.weights);
    free(s.pairs);
    MPI_Finalize();
    return 0;
}

// ---- all tables

// Run a command and copy its output. A failure of it is a failure of the benchmark.
static void run(const char *format, const char *self, int ranks, const char *name, size_t size) {
    char command[4096], line[1024];
    snprintf(command, sizeof command, format, ranks, self, name, size);
    FILE *pipe = popen(command, "r");
    need(pipe);
    while (fgets(line, sizeof line, pipe)) fputs(line, stdout);
    need(pclose(pipe) == 0);
    fflush(stdout);
}

int main(int argc, char **argv) {
    static const char *const launch = "mpirun --oversubscribe --allow-run-as-root -n %d '%s' scale %s %zu";
    // Not bound to cores: the threads of one machine are those of a rank.
    static const char *const follow =
        "mpirun --oversubscribe --bind-to none --allow-run-as-root -n %d '%s' steps %s %zu";
    if (argc == 4 && strcmp(argv[1], "scale") == 0) return scale(argv[2], strtoull(argv[3], NULL, 10));
    if (argc == 4 && strcmp(argv[1], "steps") == 0) return steps(argv[2], strtoull(argv[3], NULL, 10));
    if (argc == 3 && strcmp(argv[1], "large") == 0) return large(strtoull(argv[2], NULL, 10));
    is_ahead_given = argc == 5;
    if (is_ahead_given) ahead = strtod(argv[4], NULL);
    if (argc >= 4 && strcmp(argv[1], "cut") == 0) return cut_and_model(argv[2], strtoull(argv[3], NULL, 10));
    print_heading();
    for (int ranks = 1; ranks <= 4; ranks *= 2) run(launch, argv[0], ranks, "letters", 100);
    for (int ranks = 1; ranks <= 4; ranks *= 2) run(launch, argv[0], ranks, "car", 40);
    for (int ranks = 1; ranks <= 4; ranks *= 2) run(launch, argv[0], ranks, "cloth-ball", 60);
    for (int ranks = 1; ranks <= 4; ranks *= 2) run(launch, argv[0], ranks, "letters", (size_t)ranks * 50);
    run(follow, argv[0], 2, "letters", 100);
    run(follow, argv[0], 2, "car", 40);
    run(follow, argv[0], 2, "cloth-ball", 60);
    run("'%2$s' cut %3$s %4$zu", argv[0], 1, "letters", 1014);
    run("'%2$s' cut %3$s %4$zu", argv[0], 1, "car", 165);
    return 0;
}
