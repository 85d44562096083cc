// SPDX-License-Identifier: Apache-2.0
// A cloth falls on a ball and on itself. Step, query, answer, repeat: the use of Toccata in the loop of a solver.
//
// The cloth is a grid of points with springs (position based dynamics). Toccata gives the contacts of each step; each
// contact takes the approaching velocity from its four vertices, and the step with room cuts the rest: nothing ever
// crosses. Room is kept for the next step. The safe step (toc_scene_find_safe_step) would go up to the gap, where it
// can end at a fraction of 0 for ever: pairs at the gap stop it, even if they move apart.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "toccata/toccata.h"

enum { SIDE = 53, CLOTH = SIDE * SIDE, RINGS = 16, BALL = RINGS * RINGS, SPRING_ROUNDS = 8, CONTACT_ROUNDS = 4 };
static const double DT = 0.01, GAP = 1e-3;

typedef struct cloth_loop {
    toc_scene *scene;
    toc_contacts *contacts; // handed back in at every step: a steady step allocates nothing
    double shortest;        // step so far, as a fraction
    double x[3 * CLOTH], next[3 * CLOTH], v[3 * CLOTH];
} cloth_loop;

static void check(toc_status status) {
    if (status == TOC_OK) return;
    fprintf(stderr, "%s\n", toc_message_get());
    exit(1);
}

// A sheet of side * side vertices from x; two triangles for each square.
static void add_body(toc_scene *bodies, uint32_t side, const double *x) {
    toc_mesh *mesh;
    check(toc_mesh_create(NULL, &mesh));
    check(toc_mesh_add_vertices(mesh, side * side, x, NULL));
    for (uint32_t i = 0; i + 1 < side; i++)
        for (uint32_t j = 0; j + 1 < side; j++) {
            const uint32_t a = i * side + j, corners[6] = {a, a + 1, a + side, a + 1, a + side + 1, a + side};
            check(toc_mesh_add_elements(mesh, TOC_TRIANGLE, 2, corners, NULL));
        }
    check(toc_scene_add_body(bodies, mesh, NULL));
}

static void make_loop(cloth_loop *l, const toc_allocator *allocator) {
    double ball[3 * BALL];
    memset(l, 0, sizeof *l);
    l->shortest = 1;
    for (int i = 0; i < CLOTH; i++) { // tilted, so that it slides off and folds
        l->x[3 * i] = (double)(i % SIDE) / (SIDE - 1) - 0.45;
        l->x[3 * i + 1] = (double)(i / SIDE) / (SIDE - 1) - 0.55;
        l->x[3 * i + 2] = 0.32 + 0.05 * l->x[3 * i] + 1e-3 * sin(37.0 * i);
    }
    for (int i = 0; i < BALL; i++) { // an open shell: its poles and its seam are cut out
        const double up = M_PI * (0.02 + 0.96 * (i / RINGS) / (RINGS - 1)), round = 6.28 * (i % RINGS) / (RINGS - 1);
        ball[3 * i] = 0.25 * sin(up) * cos(round);
        ball[3 * i + 1] = 0.25 * sin(up) * sin(round);
        ball[3 * i + 2] = 0.25 * cos(up);
    }
    check(toc_scene_create(allocator, &l->scene));
    add_body(l->scene, SIDE, l->x);
    add_body(l->scene, RINGS, ball);
    check(toc_scene_set_self_contact(l->scene, 1, false));
}

// Pull two vertices to a distance, each by half of the error.
static void pull(double *x, int a, int b, double length) {
    double d[3], is = 0;
    for (int k = 0; k < 3; k++) d[k] = x[3 * b + k] - x[3 * a + k], is += d[k] * d[k];
    const double share = is > 0 ? 0.5 * (1 - length / sqrt(is)) : 0;
    for (int k = 0; k < 3; k++) x[3 * a + k] += share * d[k], x[3 * b + k] -= share * d[k];
}

// The next positions without contacts: gravity, then springs along and across the squares.
static void predict(cloth_loop *l) {
    const double edge = 1.0 / (SIDE - 1);
    for (int i = 0; i < 3 * CLOTH; i++)
        l->next[i] = l->x[i] + DT * (l->v[i] = 0.99 * l->v[i] - (i % 3 == 2 ? 9.81 * DT : 0));
    for (int round = 0; round < SPRING_ROUNDS; round++)
        for (int i = 0; i < CLOTH; i++) {
            const int right = i % SIDE + 1 < SIDE, below = i / SIDE + 1 < SIDE;
            if (right) pull(l->next, i, i + 1, edge);
            if (below) pull(l->next, i, i + SIDE, edge);
            if (right && below) pull(l->next, i, i + SIDE + 1, edge * M_SQRT2);
        }
}

// Take the approaching part of the motion from the four vertices of a contact; the ball (body 1) does not move.
static void separate(cloth_loop *l, const toc_contact *c) {
    const int second = c->kind == TOC_VF ? 1 : 2;
    double approach = 0.1 * GAP, weight = 1e-12, share[4];
    for (int i = 0; i < 4; i++) {
        const double *from = l->x + 3 * (size_t)c->v[i], *to = l->next + 3 * (size_t)c->v[i];
        share[i] = (i < second ? 1 : -1) * fabs(c->weights[i]);
        if (c->body[i >= second] == 1) share[i] = 0;
        for (int k = 0; k < 3 && share[i] != 0; k++) approach -= share[i] * (to[k] - from[k]) * c->normal[k];
        weight += share[i] * share[i];
    }
    for (int i = 0; i < 4 && approach > 0; i++)
        for (size_t k = 0; k < 3 && share[i] != 0; k++)
            l->next[3 * (size_t)c->v[i] + k] += share[i] * approach / weight * c->normal[k];
}

// One step. @return the number of contacts found.
static size_t step_loop(cloth_loop *l, const toc_query *query) {
    toc_mesh *cloth = toc_scene_edit_mesh(l->scene, 0);
    size_t found = 0;
    toc_room_step room;
    predict(l);
    for (int round = 0; round < CONTACT_ROUNDS; round++) {
        check(toc_mesh_set_motion(cloth, toc_mesh_get_vertex_count(cloth), l->x, l->next));
        check(toc_scene_find_contacts(l->scene, query, l->contacts, &l->contacts));
        for (size_t i = 0; i < l->contacts->count; i++) separate(l, &l->contacts->contacts[i]);
        found += l->contacts->count;
        if (l->contacts->count == 0) break;
    }
    check(toc_mesh_set_motion(cloth, toc_mesh_get_vertex_count(cloth), l->x, l->next));
    check(toc_scene_find_room_step(l->scene, query, NULL, &room));
    if (room.fraction < l->shortest) l->shortest = room.fraction;
    toc_positions_interpolate(room.fraction, 3 * CLOTH, l->x, l->next, NULL, l->next);
    for (int i = 0; i < 3 * CLOTH; i++) l->v[i] = (l->next[i] - l->x[i]) / DT;
    memcpy(l->x, l->next, sizeof l->x);
    return found;
}

static void free_loop(cloth_loop *l) {
    toc_contacts_destroy(l->contacts);
    toc_scene_destroy(l->scene);
}

#ifndef CLOTH_WITHOUT_MAIN
int main(int argc, char **argv) {
    static cloth_loop loop;
    const long steps = argc > 1 ? strtol(argv[1], NULL, 10) : 40;
    toc_query query = toc_query_default();
    query.test.separation = GAP;
    make_loop(&loop, NULL);
    for (long step = 0; step < steps; step++) {
        const size_t contacts = step_loop(&loop, &query);
        if (step % 10 == 9)
            printf("step %ld: %zu contacts, %.3f ms\n", step + 1, contacts, 1e3 * loop.contacts->seconds);
    }
    printf("the shortest step was %.3f of the asked one\n", loop.shortest);
    free_loop(&loop);
    return loop.shortest > 1e-3 ? 0 : 1; // not stuck
}
#endif
