// SPDX-License-Identifier: Apache-2.0
// Many balls swarm in a box among five fixed pillars, each on its own path; every other one is rigid, the rest stretch
// to their own beat. In the manner of the UNC n-body benchmark: many bodies, few contacts, nothing at rest.
#include <math.h>

#include "scenes/builder.h"
#include "scenes/scenes.h"

static const double pi = 3.14159265358979323846;
enum { PILLARS = 5, BALL_SPLITS = 4 };

typedef struct swarm_ball {
    double centre[3], radius;
    double stretch[3]; // along each axis
    double turn;
} swarm_ball;

// Each ball keeps to a cell of a cube of cells and swings out of it into its neighbours'.
static swarm_ball ball_at(uint64_t i, uint64_t cells, double time) {
    const uint64_t cell[3] = {i % cells, i / cells % cells, i / cells / cells};
    swarm_ball b = {.radius = scene_random(1, i, 0.22, 0.34), .turn = time * scene_random(2, i, -3, 3)};
    for (uint64_t k = 0; k < 3; k++) {
        const double phase = scene_random(3 + k, i, 0, 2 * pi), beat = scene_random(6 + k, i, 2, 7);
        const double home = (double)cell[k] - 0.5 * (double)(cells - 1);
        b.centre[k] = home + scene_random(9 + k, i, -0.2, 0.2) + 0.45 * sin(phase + beat * time);
        b.stretch[k] = i % 2 ? 1 : 1 + 0.18 * sin(phase + 1.7 * beat * time + 2.1 * (double)k);
    }
    return b;
}

static void n_body_map(const void *user, const double unit[3], double out[3]) {
    const swarm_ball *b = user;
    for (int k = 0; k < 3; k++) out[k] = b->radius * b->stretch[k] * unit[k];
    scene_turn(b->turn, &out[1], &out[2]);
    for (int k = 0; k < 3; k++) out[k] += b->centre[k];
}

// A box about the axis through (x, y), wound outward.
static void add_pillar(scene_builder *builder, double x, double y, double half_width, double half_height) {
    static const uint32_t sides[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                          {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    const uint32_t first = builder->vertices;
    for (unsigned c = 0; c < 8; c++) {
        scene_vertex(builder, x + (c & 1 ? half_width : -half_width), y + (c & 2 ? half_width : -half_width),
                     c & 4 ? half_height : -half_height);
    }
    for (int s = 0; s < 12; s++) {
        const uint32_t *side = sides[s];
        scene_element(builder, TOC_TRIANGLE, (uint32_t[3]){first + side[0], first + side[1], first + side[2]});
    }
}

static void add_pillars(scene_builder *builder, uint64_t cells) {
    const double spread = 0.31 * (double)cells;
    for (int p = 0; p < PILLARS; p++) {
        const double angle = 2 * pi * p / (PILLARS - 1) + 0.3, out = p == PILLARS - 1 ? 0 : spread;
        add_pillar(builder, out * cos(angle), out * sin(angle), 0.11, 0.55 * (double)cells);
    }
}

static void build_n_body(scene_builder *builder, size_t size, double time) {
    uint64_t cells = 1;
    while (cells * cells * cells < size) cells++;
    for (uint64_t i = 0; i < size && builder->status == TOC_OK; i++) {
        const swarm_ball b = ball_at(i, cells, time);
        scene_group(builder, (int32_t)(i + 1));
        scene_sphere(builder, BALL_SPLITS, n_body_map, &b);
    }
    scene_group(builder, 0);
    add_pillars(builder, cells);
}

const scene scene_n_body = {
    .name = "n-body",
    .what = "many rigid and soft balls swarm among five pillars",
    .size_what = "balls",
    .size = 64,
    .frames = 40,
    .largest = 1000000,
    .build = build_n_body,
};
