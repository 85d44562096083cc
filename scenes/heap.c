// SPDX-License-Identifier: Apache-2.0
// Simulating a heap: positions are predicted, corrected, and give the velocities.
#include "scenes/heap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scenes/builder.h"

enum { TURNS = 4 };
static const double gravity = 10, slope = 0.35, grip = 0.2, drag = 0.35;

typedef struct heap_ball {
    double x[3], before[3], v[3];
} heap_ball;

// ---- rotations

static void turn_of(const double q[4], double turn[3][3]) {
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    const double columns[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)},
                                  {2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)},
                                  {2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)}};
    memcpy(turn, columns, sizeof columns);
}

// Turn a quaternion further by a small rotation.
static void turn_further(double q[4], const double by[3]) {
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    q[0] = w - 0.5 * (by[0] * x + by[1] * y + by[2] * z);
    q[1] = x + 0.5 * (by[0] * w + by[1] * z - by[2] * y);
    q[2] = y + 0.5 * (by[1] * w + by[2] * x - by[0] * z);
    q[3] = z + 0.5 * (by[2] * w + by[0] * y - by[1] * x);
    const double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int i = 0; i < 4; i++) q[i] /= length;
}

static void apply(double turn[3][3], const double x[3], double out[3]) {
    for (int k = 0; k < 3; k++) out[k] = turn[0][k] * x[0] + turn[1][k] * x[1] + turn[2][k] * x[2];
}

// ---- one body

static void centre_of(const heap_form *form, const heap_ball *balls, double centre[3]) {
    centre[0] = centre[1] = centre[2] = 0;
    for (uint32_t i = 0; i < form->balls; i++)
        for (int k = 0; k < 3; k++) centre[k] += balls[i].x[k] / form->balls;
}

// The rotation that fits the balls best, from the one of before: Mueller, Bender, Chentanez and Macklin 2016.
static void fit_turn(const heap_form *form, uint64_t body, const heap_ball *balls, const double centre[3],
                     double q[4]) {
    double spread[3][3] = {{0}}, rest[3];
    for (uint32_t i = 0; i < form->balls; i++) {
        form->rest(body, i, rest);
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < 3; k++) spread[c][k] += rest[c] * (balls[i].x[k] - centre[k]);
    }
    for (int round = 0; round < TURNS; round++) {
        double turn[3][3], by[3] = {0}, size = 1e-9;
        turn_of(q, turn);
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < 3; k++) {
                const int l = (k + 1) % 3, m = (k + 2) % 3;
                by[k] += turn[c][l] * spread[c][m] - turn[c][m] * spread[c][l];
                size += turn[c][k] * spread[c][k];
            }
        for (int k = 0; k < 3; k++) by[k] /= fabs(size);
        turn_further(q, by);
    }
}

heap_body heap_look(const heap *h, const heap_form *form, uint64_t body) {
    const heap_ball *balls = h->balls + body * form->balls;
    heap_body out;
    double rest[3];
    memset(&out, 0, sizeof out);
    centre_of(form, balls, out.centre);
    turn_of(h->turns[body], out.turn);
    for (uint32_t i = 0; i < form->balls; i++) {
        form->rest(body, i, rest);
        apply(out.turn, rest, out.shift[i]);
        for (int k = 0; k < 3; k++) out.shift[i][k] = balls[i].x[k] - out.centre[k] - out.shift[i][k];
    }
    return out;
}

static void match_shape(heap *h, const heap_form *form, uint64_t body) {
    heap_ball *balls = h->balls + body * form->balls;
    double centre[3];
    centre_of(form, balls, centre);
    fit_turn(form, body, balls, centre, h->turns[body]);
    const heap_body now = heap_look(h, form, body);
    for (uint32_t i = 0; i < form->balls; i++)
        for (int k = 0; k < 3; k++) balls[i].x[k] -= form->stiffness * now.shift[i][k];
}

// ---- all bodies

// Bodies start in a tower of cells above the funnel, at its corners too, each turned its own way. Rests are around the
// origin.
static void heap_start(heap *h, const heap_form *form) {
    uint64_t side = 1;
    while (2 * side * side * side < h->bodies) side++;
    for (uint64_t b = 0; b < h->bodies; b++) {
        const uint64_t cell[3] = {b % side, b / side % side, b / side / side};
        double turn[3][3], *q = h->turns[b], rest[3];
        q[0] = 1, q[1] = q[2] = q[3] = 0;
        turn_further(q,
                     (double[3]){scene_random(31, b, -4, 4), scene_random(32, b, -4, 4), scene_random(33, b, -4, 4)});
        turn_of(q, turn);
        for (uint32_t i = 0; i < form->balls; i++) {
            heap_ball *ball = &h->balls[b * form->balls + i];
            memset(ball, 0, sizeof *ball);
            form->rest(b, i, rest);
            apply(turn, rest, ball->x);
            for (int k = 0; k < 2; k++)
                ball->x[k] +=
                    form->spacing * ((double)cell[k] - 0.5 * (double)(side - 1) + scene_random(34, b, -0.05, 0.05));
            ball->x[2] += form->spacing * ((double)cell[2] + 0.5 + 0.72 * slope * (double)(side - 1));
        }
    }
    h->steps = 0;
}

static void predict(heap *h, const heap_form *form, double dt) {
    for (uint64_t i = 0; i < h->bodies * form->balls; i++) {
        heap_ball *ball = &h->balls[i];
        ball->v[2] -= gravity * dt;
        memcpy(ball->before, ball->x, sizeof ball->x);
        for (int k = 0; k < 3; k++) ball->x[k] += dt * ball->v[k];
    }
}

static int64_t cell_along(const heap_form *form, double x) { return (int64_t)floor(x / (2 * form->radius)); }

static uint32_t list_of(const heap *h, const int64_t cell[3]) {
    const uint64_t key = (uint64_t)cell[0] * 73856093u ^ (uint64_t)cell[1] * 19349663u ^ (uint64_t)cell[2] * 83492791u;
    return (uint32_t)(key & (h->cells - 1));
}

// Push two balls of different bodies apart.
static void part(const heap_form *form, heap_ball *a, heap_ball *b) {
    double gap[3], square = 0;
    for (int k = 0; k < 3; k++) gap[k] = a->x[k] - b->x[k], square += gap[k] * gap[k];
    const double reach = 2 * form->radius;
    if (square >= reach * reach || square == 0) return;
    const double half = 0.5 * (reach / sqrt(square) - 1);
    for (int k = 0; k < 3; k++) a->x[k] += half * gap[k], b->x[k] -= half * gap[k];
}

// Test each ball against the listed balls, then add it to a list.
static void part_all(heap *h, const heap_form *form) {
    memset(h->first, 0xff, h->cells * sizeof *h->first);
    for (uint32_t i = 0; i < h->bodies * form->balls; i++) {
        int64_t at[3], cell[3];
        for (int k = 0; k < 3; k++) at[k] = cell_along(form, h->balls[i].x[k]);
        for (int n = 0; n < 27; n++) {
            cell[0] = at[0] + n % 3 - 1, cell[1] = at[1] + n / 3 % 3 - 1, cell[2] = at[2] + n / 9 - 1;
            for (uint32_t j = h->first[list_of(h, cell)]; j != UINT32_MAX; j = h->next[j])
                if (j / form->balls != i / form->balls) part(form, &h->balls[i], &h->balls[j]);
        }
        const uint32_t list = list_of(h, at);
        h->next[i] = h->first[list];
        h->first[list] = i;
    }
}

// The funnel holds balls up and a little back.
static void hold(const heap_form *form, heap_ball *ball) {
    const double floor = form->radius + slope * hypot(ball->x[0], ball->x[1]);
    if (ball->x[2] >= floor) return;
    ball->x[2] = floor;
    for (int k = 0; k < 2; k++) ball->x[k] -= grip * (ball->x[k] - ball->before[k]);
}

static void heap_substep(heap *h, const heap_form *form, double dt) {
    predict(h, form, dt);
    part_all(h, form);
    for (uint64_t b = 0; b < h->bodies; b++) match_shape(h, form, b);
    for (uint64_t i = 0; i < h->bodies * form->balls; i++) {
        heap_ball *ball = &h->balls[i];
        hold(form, ball);
        for (int k = 0; k < 3; k++) ball->v[k] = (1 - drag * dt) * (ball->x[k] - ball->before[k]) / dt;
    }
}

static bool allocate(heap *h, const heap_form *form, uint64_t bodies) {
    const uint64_t balls = bodies * form->balls;
    free(h->balls), free(h->turns), free(h->first), free(h->next);
    *h = (heap){.bodies = bodies, .cells = 64};
    while (h->cells < 2 * balls) h->cells *= 2;
    h->balls = malloc(balls * sizeof *h->balls);
    h->turns = malloc(bodies * sizeof *h->turns);
    h->first = malloc(h->cells * sizeof *h->first);
    h->next = malloc(balls * sizeof *h->next);
    if (h->balls && h->turns && h->first && h->next) return true;
    h->bodies = 0;
    return false;
}

bool heap_run(heap *h, const heap_form *form, uint64_t bodies, double time) {
    const bool fresh = h->bodies != bodies;
    const double all = (double)((form->frames - 1) * form->steps);
    const uint64_t wanted = (uint64_t)lround(time * all);
    if (fresh && !allocate(h, form, bodies)) return false;
    if (fresh || h->steps > wanted) heap_start(h, form);
    for (; h->steps < wanted; h->steps++) heap_substep(h, form, form->seconds / all);
    return true;
}
