// SPDX-License-Identifier: Apache-2.0
// Check the edges of a motion plan on all processors: each thread has a scene of its own with the robot, and all scenes
// share one world without a copy.
//
//     planner [FILE]      the world; without a file a hilly ground of 131,072 triangles
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <toccata/io.h>
#include <toccata/toccata.h>
#include <unistd.h>

enum { CELLS = 256, EDGES = 4000, THREADS_MOST = 64 };

static void must(toc_status status) {
    if (status == TOC_OK) return;
    fprintf(stderr, "planner: %s\n", toc_message_get());
    exit(1);
}

// A ground of CELLS * CELLS cells over the unit square.
static toc_mesh *make_ground(void) {
    toc_mesh *mesh;
    must(toc_mesh_create(NULL, &mesh));
    for (uint32_t j = 0; j <= CELLS; j++)
        for (uint32_t i = 0; i <= CELLS; i++) {
            const double x = (double)i / CELLS, y = (double)j / CELLS;
            must(toc_mesh_add_vertices(mesh, 1, (double[]){x, y, 0.05 * sin(20 * x) * cos(17 * y)}, NULL));
        }
    for (uint32_t j = 0; j < CELLS; j++)
        for (uint32_t i = 0; i < CELLS; i++) {
            const uint32_t a = i + j * (CELLS + 1), b = a + 1, c = a + CELLS + 1, d = c + 1;
            must(toc_mesh_add_elements(mesh, TOC_TRIANGLE, 2, (uint32_t[]){a, b, d, a, d, c}, NULL));
        }
    return mesh;
}

// The robot: an octahedron around the origin.
static const double robot[18] = {0.02, 0, 0, -0.02, 0, 0, 0, 0.02, 0, 0, -0.02, 0, 0, 0, 0.02, 0, 0, -0.02};

static toc_mesh *make_robot(void) {
    static const uint32_t faces[24] = {0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4, 2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5};
    toc_mesh *mesh;
    must(toc_mesh_create(NULL, &mesh));
    must(toc_mesh_add_vertices(mesh, 6, robot, NULL));
    must(toc_mesh_add_elements(mesh, TOC_TRIANGLE, 8, faces, NULL));
    return mesh;
}

// The planner's own random numbers (splitmix64): place k of edge e, between 0 and 1.
static double place(uint64_t e, uint64_t k) {
    uint64_t z = (e * 6 + k + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

typedef struct planner {
    toc_scene *scene;
    pthread_t thread;
    uint64_t first, stride;
    size_t free; // edges without a contact
} planner;

static bool is_free(toc_scene *scene, uint64_t edge) {
    double x0[18], x1[18];
    for (uint64_t i = 0; i < 18; i++) {
        x0[i] = robot[i] + place(edge, i % 3) * (i % 3 == 2 ? 0.4 : 1);
        x1[i] = x0[i] + 0.2 * (place(edge, 3 + i % 3) - 0.5);
    }
    toc_query query = toc_query_default();
    toc_contacts *contacts;
    query.answer = TOC_ANSWER_ANY;
    query.threads = 1; // edges are checked in parallel, so that each needs one thread
    must(toc_mesh_set_motion(toc_scene_edit_mesh(scene, 0), 6, x0, x1));
    must(toc_scene_find_contacts(scene, &query, NULL, &contacts));
    const bool answer = contacts->count == 0;
    toc_contacts_destroy(contacts);
    return answer;
}

static void *check_edges(void *user) {
    planner *p = user;
    for (uint64_t e = p->first; e < EDGES; e += p->stride) p->free += is_free(p->scene, e);
    return NULL;
}

int main(int count, char **words) {
    planner planners[THREADS_MOST];
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    const size_t threads = processors < 1 ? 1 : processors < THREADS_MOST ? (size_t)processors : THREADS_MOST;
    toc_mesh *ground;
    toc_world *world;
    if (count > 1)
        must(toc_mesh_read(words[1], NULL, &ground));
    else
        ground = make_ground();
    must(toc_world_create(NULL, ground, &world));
    for (size_t i = 0; i < threads; i++) {
        planners[i] = (planner){.first = i, .stride = threads};
        must(toc_scene_create(NULL, &planners[i].scene));
        must(toc_scene_add_body(planners[i].scene, make_robot(), NULL));
        must(toc_scene_add_world(planners[i].scene, world, NULL));
    }
    toc_world_destroy(world); // the scenes keep it
    size_t free_edges = 0;
    for (size_t i = 0; i < threads; i++)
        if (pthread_create(&planners[i].thread, NULL, check_edges, &planners[i]) != 0) return 1;
    for (size_t i = 0; i < threads; i++) {
        pthread_join(planners[i].thread, NULL);
        free_edges += planners[i].free;
        toc_scene_destroy(planners[i].scene);
    }
    printf("%zu of %d edges are free\n", free_edges, EDGES);
    return 0;
}
