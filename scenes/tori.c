// SPDX-License-Identifier: Apache-2.0
// Soft tori of 800 triangles fall into a heap: contacts of many bodies, more and more of them. In the manner of the
// first benchmark of Jung and Choi, which has 14.
#include <math.h>

#include "scenes/builder.h"
#include "scenes/heap.h"
#include "scenes/scenes.h"

static const double pi = 3.14159265358979323846;
static const double ring = 1, tube = 0.36;
enum { BALLS = 12, ALONG = 25, AROUND = 16, FRAMES = 60 };

static void torus_ball_rest(uint64_t body, uint32_t ball, double out[3]) {
    (void)body;
    const double angle = 2 * pi * ball / BALLS;
    out[0] = ring * cos(angle), out[1] = ring * sin(angle), out[2] = 0;
}

// Balls a little thinner than the tube, so that surfaces touch.
static const heap_form form = {.balls = BALLS,
                               .rest = torus_ball_rest,
                               .radius = 0.335,
                               .spacing = 2.8,
                               .stiffness = 0.1,
                               .seconds = 4,
                               .frames = FRAMES,
                               .steps = 32};

// The shift of the surface along the ring: smooth from ball to ball.
static void shift_at(const heap_body *body, double angle, double out[3]) {
    const double at = angle / (2 * pi) * BALLS;
    const int first = (int)at;
    const double s = at - first, t = s * s * (3 - 2 * s);
    for (int k = 0; k < 3; k++)
        out[k] = (1 - t) * body->shift[first % BALLS][k] + t * body->shift[(first + 1) % BALLS][k];
}

static void add_vertex(scene_builder *builder, const heap_body *body, uint32_t along, uint32_t around) {
    const double u = 2 * pi * along / ALONG, v = 2 * pi * around / AROUND;
    const double out = ring + tube * cos(v), rest[3] = {out * cos(u), out * sin(u), tube * sin(v)};
    double at[3];
    shift_at(body, u, at);
    for (int k = 0; k < 3; k++)
        at[k] += body->centre[k] + body->turn[0][k] * rest[0] + body->turn[1][k] * rest[1] + body->turn[2][k] * rest[2];
    scene_vertex(builder, at[0], at[1], at[2]);
}

static void add_torus(scene_builder *builder, const heap_body *body) {
    const uint32_t first = builder->vertices;
    for (uint32_t i = 0; i < ALONG * AROUND; i++) add_vertex(builder, body, i / AROUND, i % AROUND);
    for (uint32_t i = 0; i < ALONG * AROUND; i++) {
        const uint32_t u = i / AROUND, v = i % AROUND, next_u = (u + 1) % ALONG, next_v = (v + 1) % AROUND;
        const uint32_t a = first + i, b = first + next_u * AROUND + v;
        const uint32_t c = first + next_u * AROUND + next_v, d = first + u * AROUND + next_v;
        scene_element(builder, TOC_TRIANGLE, (uint32_t[3]){a, b, c});
        scene_element(builder, TOC_TRIANGLE, (uint32_t[3]){a, c, d});
    }
}

static void build_tori(scene_builder *builder, size_t size, double time) {
    static heap tori;
    if (!heap_run(&tori, &form, size, time)) builder->status = TOC_OUT_OF_MEMORY;
    for (uint64_t i = 0; i < size && builder->status == TOC_OK; i++) {
        const heap_body body = heap_look(&tori, &form, i);
        scene_group(builder, (int32_t)(i + 1));
        add_torus(builder, &body);
    }
}

const scene scene_tori = {
    .name = "tori",
    .what = "soft tori fall into a heap",
    .size_what = "tori, of 800 triangles each",
    .size = 14,
    .frames = FRAMES,
    .largest = 1000000,
    .build = build_tori,
};
