// SPDX-License-Identifier: Apache-2.0
// A bundle of parallel rods, held at both ends, is twisted: the rods wind around each other, press, and slide. Round
// sections stay perpendicular to the axis of their rod, so neighbours come closer with the slope of their helices.
#include <math.h>

#include "scenes/builder.h"
#include "scenes/scenes.h"

static const double pi = 3.14159265358979323846;
enum { RINGS = 3 }; // 1, 6 and 12 rods
static const double bundle_length = 3, rod_radius = 0.05, ring_width = 0.103;
static const double all_turns = 7.5; // of one end against the other, radians

typedef struct bent_rod {
    double radius, angle; // of its place in the bundle
    double sign;          // neighbours turn and slide against each other
    double time;
} bent_rod;

// The axis of a rod at the share `along` of its length. The waist of the bundle is pressed together.
static void rod_axis(const bent_rod *rod, double along, double out[3]) {
    const double twist = scene_ease(rod->time, 0, 1), waist = sin(pi * along) * sin(pi * along);
    const double slid = along + 0.012 * rod->sign * twist * waist;
    const double angle = rod->angle + all_turns * twist * (slid - 0.5);
    const double radius = rod->radius * (1 - 0.08 * twist * waist);
    out[0] = radius * cos(angle);
    out[1] = radius * sin(angle);
    out[2] = bundle_length * (1 - 0.12 * twist) * (slid - 0.5);
}

// Unit vectors perpendicular to the axis: outward from the bundle, and across.
static void rod_section(const bent_rod *rod, double along, double centre[3], double outward[3], double across[3]) {
    const double step = 1e-4;
    double before[3], behind[3], tangent[3], length = 0, dot = 0;
    rod_axis(rod, along, centre);
    rod_axis(rod, along - step, before);
    rod_axis(rod, along + step, behind);
    for (int k = 0; k < 3; k++) tangent[k] = behind[k] - before[k], length += tangent[k] * tangent[k];
    for (int k = 0; k < 3; k++) tangent[k] /= sqrt(length);
    // The middle rod has no outward direction of its own.
    const double angle = rod->radius > 0 ? atan2(centre[1], centre[0]) : 0;
    const double out[3] = {cos(angle), sin(angle), 0};
    for (int k = 0; k < 3; k++) dot += out[k] * tangent[k];
    length = 0;
    for (int k = 0; k < 3; k++) outward[k] = out[k] - dot * tangent[k], length += outward[k] * outward[k];
    for (int k = 0; k < 3; k++) outward[k] /= sqrt(length);
    for (int k = 0; k < 3; k++)
        across[k] = tangent[(k + 1) % 3] * outward[(k + 2) % 3] - tangent[(k + 2) % 3] * outward[(k + 1) % 3];
}

static void rods_map(const void *user, const double unit[3], double out[3]) {
    const bent_rod *rod = user;
    double centre[3], outward[3], across[3];
    const double angle = 2 * pi * unit[0] + rod->angle + 1.4 * rod->sign * scene_ease(rod->time, 0, 1);
    rod_section(rod, unit[1], centre, outward, across);
    for (int k = 0; k < 3; k++) out[k] = centre[k] + rod_radius * (cos(angle) * outward[k] + sin(angle) * across[k]);
}

// A disc over an open end, whose vertices begin at `first`.
static void add_rod_end(scene_builder *builder, const bent_rod *rod, uint32_t sides, uint32_t first, bool last) {
    double at[3];
    rod_axis(rod, last ? 1 : 0, at);
    const uint32_t middle = scene_vertex(builder, at[0], at[1], at[2]);
    for (uint32_t i = 0; i < sides; i++) {
        const uint32_t a = first + i, b = first + (i + 1) % sides;
        scene_element(builder, TOC_TRIANGLE, (uint32_t[3]){middle, last ? a : b, last ? b : a});
    }
}

static void add_rod_side(scene_builder *builder, const bent_rod *rod, uint32_t sides, uint32_t segments) {
    const uint32_t first = builder->vertices;
    for (uint32_t j = 0; j <= segments && builder->status == TOC_OK; j++)
        for (uint32_t i = 0; i < sides; i++) {
            double at[3];
            // Every other ring of vertices is turned by half a side: triangles of equal sides.
            rods_map(rod, (const double[3]){(i + 0.5 * (j % 2)) / sides, (double)j / segments, 0}, at);
            scene_vertex(builder, at[0], at[1], at[2]);
        }
    for (uint32_t j = 0; j < segments && builder->status == TOC_OK; j++)
        for (uint32_t i = 0; i < sides; i++) {
            const uint32_t k = (i + 1) % sides, low = first + sides * j, high = low + sides, odd = j % 2;
            scene_element(builder, TOC_TRIANGLE, (uint32_t[3]){low + i, low + k, high + (odd ? k : i)});
            scene_element(builder, TOC_TRIANGLE, (uint32_t[3]){high + i, odd ? low + i : low + k, high + k});
        }
}

static void add_rod(scene_builder *builder, const bent_rod *rod, uint32_t sides) {
    const uint32_t segments = sides * 21 / 4 + 1, first = builder->vertices;
    add_rod_side(builder, rod, sides, segments);
    add_rod_end(builder, rod, sides, first, false);
    add_rod_end(builder, rod, sides, first + sides * segments, true);
}

static void build_rods(scene_builder *builder, size_t size, double time) {
    int32_t rods = 0;
    for (int ring = 0; ring < RINGS; ring++) {
        const int count = ring == 0 ? 1 : 6 * ring;
        for (int i = 0; i < count && builder->status == TOC_OK; i++) {
            const bent_rod rod = {.radius = ring_width * ring,
                                  .angle = 2 * pi * i / count + 0.37 * ring,
                                  .sign = i % 2 ? 1 : -1,
                                  .time = time};
            scene_group(builder, ++rods);
            add_rod(builder, &rod, (uint32_t)size + 2);
        }
    }
}

const scene scene_rods = {
    .name = "rods",
    .what = "a bundle of rods is twisted: they wind around each other, press and slide",
    .size_what = "sides of a rod, less 2 (18: 80K triangles)",
    .size = 8,
    .frames = 60,
    .largest = 2000,
    .build = build_rods,
};
