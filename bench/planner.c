// SPDX-License-Identifier: Apache-2.0
// The edges of a motion plan: a robot of 168 triangles moves between random places around a resting ball, and each edge
// asks whether it is free (`any`). The ball is a world, which all threads share; for comparison it is a body that
// rests. It is a surface, or solid below it: layers of wedges. Every answer for the smallest balls is compared with
// exact arithmetic on every pair, and samples for the others with the body that rests. The program fails if one
// differs.
//
//     bench.planner [RINGS [LAYERS]]     rings of triangles around the ball, of 4 RINGS each; layers of wedges, 0 for a
//                                        surface; default 32, 128 and 512, and 32, 128 and 256 with 4 layers
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/bench.h"
#include "bench/support/measure.h"

enum { RINGS = 8, SEGMENTS = 12, ROBOT = SEGMENTS * (RINGS - 1) + 2, EDGES = 2000, THREADS_MOST = 64 };
static const double PI = 3.14159265358979323846;

// ---- balls

// Vertices of `rings` circles between two poles; ripples make the ball uneven.
static void place_ball(size_t rings, size_t segments, double radius, double ripple, double *x) {
    double *to = x;
    for (size_t i = 0; i <= rings; i++) {
        const double a = PI * (double)i / (double)rings;
        for (size_t j = 0; j < (i % rings == 0 ? 1 : segments); j++, to += 3) {
            const double b = 2 * PI * (double)j / (double)segments;
            const double r = radius * (1 + ripple * sin(9 * a) * cos(7 * b));
            to[0] = r * sin(a) * cos(b), to[1] = r * sin(a) * sin(b), to[2] = r * cos(a);
        }
    }
}

static uint32_t ball_vertex(size_t rings, size_t segments, size_t i, size_t j) {
    if (i == 0) return 0;
    return (uint32_t)(i == rings ? segments * (rings - 1) + 1 : 1 + segments * (i - 1) + j % segments);
}

static size_t list_ball(size_t rings, size_t segments, uint32_t *corners) {
    size_t count = 0;
    for (size_t i = 0; i < rings; i++)
        for (size_t j = 0; j < segments; j++) {
            const uint32_t a = ball_vertex(rings, segments, i, j), b = ball_vertex(rings, segments, i, j + 1);
            const uint32_t c = ball_vertex(rings, segments, i + 1, j), d = ball_vertex(rings, segments, i + 1, j + 1);
            if (c != d) memcpy(corners + 3 * count++, (uint32_t[]){a, c, d}, 3 * sizeof a);
            if (a != b) memcpy(corners + 3 * count++, (uint32_t[]){a, d, b}, 3 * sizeof a);
        }
    return count;
}

static toc_mesh *make_ball(size_t rings, size_t segments, double radius, double ripple) {
    const size_t vertices = segments * (rings - 1) + 2;
    double *x = bench_must(malloc(3 * vertices * sizeof *x));
    uint32_t *corners = bench_must(malloc(6 * rings * segments * sizeof *corners));
    toc_mesh *mesh;
    place_ball(rings, segments, radius, ripple, x);
    const size_t count = list_ball(rings, segments, corners);
    bench_check(toc_mesh_create(NULL, &mesh));
    bench_check(toc_mesh_add_vertices(mesh, vertices, x, NULL));
    bench_check(toc_mesh_add_elements(mesh, TOC_TRIANGLE, count, corners, NULL));
    free(corners);
    free(x);
    return mesh;
}

// The surface of the ball, and layers below it, each 0.01 thick: a wedge below each triangle and layer.
static toc_mesh *make_solid_ball(size_t rings, size_t segments, size_t layers, double ripple) {
    const size_t vertices = segments * (rings - 1) + 2;
    double *x = bench_must(malloc(3 * vertices * sizeof *x));
    uint32_t *triangles = bench_must(malloc(6 * rings * segments * sizeof *triangles)), *corners;
    const size_t count = list_ball(rings, segments, triangles);
    toc_mesh *mesh;
    bench_check(toc_mesh_create(NULL, &mesh));
    for (size_t layer = 0; layer <= layers; layer++) {
        place_ball(rings, segments, 1 - 0.01 * (double)layer, ripple, x);
        bench_check(toc_mesh_add_vertices(mesh, vertices, x, NULL));
    }
    corners = bench_must(malloc(6 * count * sizeof *corners));
    for (size_t layer = 0; layer < layers; layer++) {
        for (size_t i = 0; i < 3 * count; i++) {
            const size_t at = i / 3 * 6 + i % 3;
            corners[at] = triangles[i] + (uint32_t)(layer * vertices);
            corners[at + 3] = corners[at] + (uint32_t)vertices;
        }
        bench_check(toc_mesh_add_elements(mesh, TOC_WEDGE, count, corners, NULL));
    }
    free(corners);
    free(triangles);
    free(x);
    return mesh;
}

// ---- edges

static toc_scene *make_robot(void) {
    toc_scene *bodies;
    bench_check(toc_scene_create(NULL, &bodies));
    bench_check(toc_scene_add_body(bodies, make_ball(RINGS, SEGMENTS, 0.05, 0), NULL));
    bench_check(toc_scene_set_self_contact(bodies, 0, false));
    return bodies;
}

// Places between 1.02 and 1.3 radii from the middle, and edges of up to a fifth of the radius.
static void move_robot(toc_scene *bodies, size_t edge) {
    static const size_t coordinates = 3 * (size_t)ROBOT;
    bench_random random = {edge * 977 + 1};
    double ball[3 * ROBOT], x0[3 * ROBOT], x1[3 * ROBOT], way[3], at[3], length = 0;
    for (int c = 0; c < 3; c++) {
        at[c] = bench_between(&random, -1, 1);
        way[c] = bench_between(&random, -0.115, 0.115);
        length += at[c] * at[c];
    }
    const double radius = bench_between(&random, 1.02, 1.3);
    place_ball(RINGS, SEGMENTS, 0.05, 0, ball);
    for (size_t i = 0; i < coordinates; i++) {
        x0[i] = ball[i] + at[i % 3] / sqrt(length) * radius;
        x1[i] = x0[i] + way[i % 3];
    }
    bench_check(bench_mesh_set_motion(toc_scene_edit_mesh(bodies, 0), x0, x1));
}

static bool is_blocked(toc_scene *bodies, const char *preset, size_t edge) {
    const toc_query query = bench_query(preset, TOC_ANSWER_ANY, 1);
    toc_contacts *contacts;
    move_robot(bodies, edge);
    bench_check(toc_scene_find_contacts(bodies, &query, NULL, &contacts));
    const bool blocked = contacts->count > 0;
    toc_contacts_destroy(contacts);
    return blocked;
}

// ---- planners, one a thread

typedef struct planner {
    toc_scene *scene;
    pthread_t thread;
    size_t first, stride;
    bool *blocked; // by edge
} planner;

static void *check_edges(void *user) {
    const planner *p = user;
    for (size_t e = p->first; e < EDGES; e += p->stride) p->blocked[e] = is_blocked(p->scene, "auto", e);
    return NULL;
}

static double wall_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// The seconds that all edges take on some threads that share a world.
static double plan(toc_world *world, size_t threads, bool *blocked) {
    planner planners[THREADS_MOST];
    for (size_t i = 0; i < threads; i++) {
        planners[i] = (planner){make_robot(), .first = i, .stride = threads, .blocked = blocked};
        bench_check(toc_scene_add_world(planners[i].scene, world, NULL));
        is_blocked(planners[i].scene, "auto", 0);
    }
    const double start = wall_seconds();
    for (size_t i = 0; i < threads; i++)
        if (pthread_create(&planners[i].thread, NULL, check_edges, &planners[i])) abort();
    for (size_t i = 0; i < threads; i++) pthread_join(planners[i].thread, NULL);
    const double seconds = wall_seconds() - start;
    for (size_t i = 0; i < threads; i++) toc_scene_destroy(planners[i].scene);
    return seconds;
}

// ---- the table

// Compare every `stride`-th answer with the ball as a body. @param seconds receives those of one edge.
static bool agree(toc_mesh *ball, const char *preset, size_t stride, const bool *blocked, double *seconds) {
    toc_scene *bodies = make_robot();
    bool same = true;
    bench_check(toc_scene_add_body(bodies, ball, NULL));
    bench_check(toc_scene_set_self_contact(bodies, 1, false));
    for (size_t e = 0; e < 5; e++) is_blocked(bodies, preset, e * stride); // trees are built, resting pairs found
    const double start = bench_cpu();
    for (size_t e = 0; e < EDGES; e += stride) same = is_blocked(bodies, preset, e) == blocked[e] && same;
    *seconds = (bench_cpu() - start) / (double)((EDGES + stride - 1) / stride);
    toc_scene_destroy(bodies);
    return same;
}

static bool measure_world(size_t rings, size_t layers, bool whole) {
    const size_t processors = (size_t)sysconf(_SC_NPROCESSORS_ONLN);
    const size_t threads = processors < THREADS_MOST ? processors : THREADS_MOST;
    bool one[EDGES], all[EDGES], right = true;
    toc_mesh *mesh, *copy;
    toc_world *world;
    double resting, brute;
    size_t blocked = 0;
    mesh = layers ? make_solid_ball(rings, 2 * rings, layers, 0.02) : make_ball(rings, 2 * rings, 1, 0.02);
    bench_check(toc_mesh_copy(mesh, &copy));
    bench_check(toc_world_create(NULL, mesh, &world));
    const double start = bench_cpu(), alone = plan(world, 1, one);
    const double cpu = (bench_cpu() - start) / EDGES, together = plan(world, threads, all);
    right = memcmp(one, all, sizeof one) == 0;
    if (whole) {
        toc_mesh *other;
        bench_check(toc_mesh_copy(copy, &other));
        right = agree(other, "brute", 20, one, &brute) && right;
    }
    // A solid body takes long.
    right = agree(copy, "auto", whole ? (layers ? 20 : 1) : (layers ? 400 : 50), one, &resting) && right;
    for (size_t e = 0; e < EDGES; e++) blocked += one[e];
    printf("%10zu %12.3f %12.3f %12.0f %12.0f   %zu of %d blocked%s\n", toc_mesh_get_element_count(mesh), 1e3 * resting,
           1e3 * cpu, EDGES / alone, EDGES / together, blocked, EDGES, right ? "" : "   WRONG");
    fflush(stdout);
    toc_world_destroy(world);
    return right;
}

int main(int argc, char **argv) {
    printf("%10s %12s %12s %12s %12s\n", "elements", "body, ms", "world, ms", "edges/s", "all cores");
    const size_t layers = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
    if (argc > 1) return measure_world(strtoul(argv[1], NULL, 10), layers, false) ? 0 : 1;
    bool right = measure_world(32, 0, true);
    right = measure_world(128, 0, false) && right;
    right = measure_world(512, 0, false) && right;
    printf("solid, of wedges:\n");
    right = measure_world(32, 4, true) && right;
    right = measure_world(128, 4, false) && right;
    return measure_world(256, 4, false) && right ? 0 : 1;
}
