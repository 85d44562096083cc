// SPDX-License-Identifier: Apache-2.0
// A square cloth falls onto a body with ears that rests, and drapes over it: simulated, with distances kept between
// neighbours. In the manner of the second benchmark of Jung and Choi: 20,000 triangles of cloth, 60,000 that never
// move.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scenes/builder.h"
#include "scenes/scenes.h"

enum { FRAMES = 60, SUBSTEPS = 16 };
static const double seconds = 2.4, gravity = 4, loss = 0.01, grip = 0.5;
static const double cloth_side = 2.6, cloth_height = 1.3, clear = 0.0005;

// ---- the body: balls and ellipsoids that flow into each other

typedef struct part {
    double centre[3], half[3];
} part;

static const part parts[] = {
    {{0, 0, 0}, {0.62, 0.45, 0.45}},           // belly
    {{0.52, 0, 0.38}, {0.3, 0.26, 0.27}},      // head
    {{0.4, 0.14, 0.75}, {0.1, 0.08, 0.28}},    // ears
    {{0.4, -0.14, 0.75}, {0.1, 0.08, 0.28}},   //
    {{-0.62, 0, 0.05}, {0.17, 0.17, 0.17}},    // tail
    {{0.35, 0.28, -0.35}, {0.28, 0.12, 0.12}}, // paws
    {{0.35, -0.28, -0.35}, {0.28, 0.12, 0.12}},
};

// About how far outside a point is; smooth where parts meet.
static double outside(const double x[3]) {
    const double sharp = 14;
    double sum = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        double square = 0, smallest = 1;
        for (int k = 0; k < 3; k++) {
            const double along = (x[k] - parts[i].centre[k]) / parts[i].half[k];
            square += along * along;
            smallest = fmin(smallest, parts[i].half[k]);
        }
        sum += exp(-sharp * smallest * (sqrt(square) - 1));
    }
    return -log(sum) / sharp;
}

// The outermost point of the body in a direction from its middle, just below the head.
static void bunny_map(const void *user, const double unit[3], double out[3]) {
    const double from[3] = {0.18, 0, 0.1};
    double far = 1.3, near;
    (void)user;
    for (near = far; near > 0; near -= 0.05, far = near + 0.05) {
        for (int k = 0; k < 3; k++) out[k] = from[k] + near * unit[k];
        if (outside(out) < 0) break;
    }
    for (int round = 0; round < 14; round++) {
        const double middle = 0.5 * (near + far);
        for (int k = 0; k < 3; k++) out[k] = from[k] + middle * unit[k];
        *(outside(out) < 0 ? &near : &far) = middle;
    }
}

// ---- the cloth

typedef struct particle {
    double x[3], before[3], v[3];
} particle;

// Zero at first; kept between frames, so that the next frame takes few steps.
typedef struct cloth {
    uint32_t n;     // cells along a side
    uint32_t steps; // since the start
    particle *at;
} cloth;

static particle *particle_at(cloth *c, uint32_t i, uint32_t j) { return &c->at[j * (c->n + 1) + i]; }

static void cloth_start(cloth *c) {
    for (uint32_t j = 0; j <= c->n; j++)
        for (uint32_t i = 0; i <= c->n; i++) {
            particle *p = particle_at(c, i, j);
            memset(p, 0, sizeof *p);
            // Askew, so that no vertex meets the body by symmetry.
            p->x[0] = cloth_side * ((double)i / c->n - 0.5) + 0.113;
            p->x[1] = cloth_side * ((double)j / c->n - 0.5) - 0.007;
            p->x[2] = cloth_height + 0.002 * scene_random(41, j * (c->n + 1) + i, -1, 1);
            scene_turn(0.4, &p->x[0], &p->x[1]);
        }
    c->steps = 0;
}

// Move two particles towards their rest distance by a share of the error.
static void pull(particle *a, particle *b, double distance, double share) {
    double gap[3], square = 0;
    for (int k = 0; k < 3; k++) gap[k] = b->x[k] - a->x[k], square += gap[k] * gap[k];
    if (square == 0) return;
    const double half = 0.5 * share * (1 - distance / sqrt(square));
    for (int k = 0; k < 3; k++) a->x[k] += half * gap[k], b->x[k] -= half * gap[k];
}

// Threads are stiff, diagonals less, and bending costs little.
static void pull_all(cloth *c) {
    const double edge = cloth_side / c->n;
    for (uint32_t j = 0; j <= c->n; j++)
        for (uint32_t i = 0; i <= c->n; i++) {
            particle *p = particle_at(c, i, j);
            if (i < c->n) pull(p, particle_at(c, i + 1, j), edge, 1);
            if (j < c->n) pull(p, particle_at(c, i, j + 1), edge, 1);
            if (i < c->n && j < c->n) pull(p, particle_at(c, i + 1, j + 1), edge * sqrt(2), 0.3);
            if (i > 0 && j < c->n) pull(p, particle_at(c, i - 1, j + 1), edge * sqrt(2), 0.3);
            if (i + 1 < c->n) pull(p, particle_at(c, i + 2, j), 2 * edge, 0.02);
            if (j + 1 < c->n) pull(p, particle_at(c, i, j + 2), 2 * edge, 0.02);
        }
}

// Slow a particle down a little on the body, then push it out along the gradient of `outside`.
static void push_out(particle *p) {
    const double step = 1e-4;
    double slope[3], length = 0;
    if (outside(p->x) > clear) return;
    for (int k = 0; k < 3; k++) p->x[k] -= grip * (p->x[k] - p->before[k]);
    const double depth = clear - outside(p->x);
    for (int k = 0; k < 3; k++) {
        double beside[3] = {p->x[0], p->x[1], p->x[2]};
        beside[k] += step;
        slope[k] = outside(beside) - clear + depth;
        length += slope[k] * slope[k];
    }
    if (depth <= 0 || length == 0) return;
    for (int k = 0; k < 3; k++) p->x[k] += depth * slope[k] / sqrt(length);
}

static void cloth_substep(cloth *c, double dt) {
    const uint32_t count = (c->n + 1) * (c->n + 1);
    for (uint32_t i = 0; i < count; i++) {
        particle *p = &c->at[i];
        p->v[2] -= gravity * dt;
        memcpy(p->before, p->x, sizeof p->x);
        for (int k = 0; k < 3; k++) p->x[k] += dt * p->v[k];
    }
    pull_all(c);
    for (uint32_t i = 0; i < count; i++) {
        particle *p = &c->at[i];
        push_out(p);
        for (int k = 0; k < 3; k++) p->v[k] = (1 - loss) * (p->x[k] - p->before[k]) / dt;
    }
}

// Bring a cloth of n cells along a side to a time. False when there is no memory.
static bool cloth_simulate(cloth *c, uint32_t n, double time) {
    const double all = (FRAMES - 1) * SUBSTEPS;
    const uint32_t wanted = (uint32_t)lround(time * all);
    const bool fresh = c->n != n;
    if (fresh) {
        free(c->at);
        *c = (cloth){.at = malloc((size_t)(n + 1) * (n + 1) * sizeof *c->at)};
        if (!c->at) return false;
        c->n = n;
    }
    if (fresh || c->steps > wanted) cloth_start(c);
    for (; c->steps < wanted; c->steps++) cloth_substep(c, seconds / all);
    return true;
}

static void add_draped_cloth(scene_builder *builder, cloth *c) {
    const uint32_t first = builder->vertices, n = c->n;
    for (uint32_t i = 0; i < (n + 1) * (n + 1); i++) scene_vertex(builder, c->at[i].x[0], c->at[i].x[1], c->at[i].x[2]);
    for (uint32_t j = 0; j < n; j++)
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t a = first + j * (n + 1) + i, b = a + 1, d = a + n + 1, e = d + 1;
            scene_element(builder, TOC_TRIANGLE, (uint32_t[3]){a, b, e});
            scene_element(builder, TOC_TRIANGLE, (uint32_t[3]){a, e, d});
        }
}

static void build_cloth_bunny(scene_builder *builder, size_t size, double time) {
    static cloth kept;
    if (!cloth_simulate(&kept, (uint32_t)size, time)) builder->status = TOC_OUT_OF_MEMORY;
    if (builder->status != TOC_OK) return;
    scene_group(builder, 1);
    add_draped_cloth(builder, &kept);
    scene_group(builder, 2);
    scene_sphere(builder, (uint32_t)(size * 11 / 20 + 1), bunny_map, NULL);
}

const scene scene_cloth_bunny = {
    .name = "cloth-bunny",
    .what = "a cloth falls onto a resting body with ears and drapes over it",
    .size_what = "cells along a side of the cloth",
    .size = 100,
    .frames = FRAMES,
    .largest = 5000,
    .build = build_cloth_bunny,
};
