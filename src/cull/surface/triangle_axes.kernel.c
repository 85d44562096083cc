// SPDX-License-Identifier: Apache-2.0
// Three axes for a pair of triangles, 2 TOC_LANES pairs at a time: between their middles, and both normals, at the time
// when the middles are closest.
//
// Any axis is valid: the gap of two corners along it is linear in time, so triangles whose gaps all have one sign at
// both ends of the window stay apart in between. A sign counts if the gap exceeds its error. In single precision, let
// u = 2^-24, coordinates be at most about 1, and R be the largest coordinates relative to a corner. A packed coordinate
// has an error of u / 2, a difference of two u + u R, and 3 u R more after mixing to a time between the ends. A dot
// product with n has (u + 4 u R) |n| and 3 u R |n|, the difference of two of them 2 u + 16 u R, all times the sum |n|
// of n's coordinates. The code takes 3 u + 20 u R, which includes the rounding of the bound itself.
#define TOC_SINGLE
#include "cull/surface/triangle_axes.h"

#include "base/wide3.h"

#define CONSTANT_ERROR 0x3p-24f
#define RELATIVE_ERROR 0x14p-24f
// Underflow in a gap: products below 2^-126 have an error of 2^-150 each.
#define UNDERFLOW_ERROR 0x1p-120f

// Corners of both triangles at both ends of the window, relative to the first corner of the first triangle, and the
// error bound of each coordinate of the gap.
typedef struct couple {
    wide3 a[2][3], b[2][3], blur;
} couple;

static TOC_INLINE void load_moving_corner(const toc_packed *packed, const uint32_t *const corners[TOC_WIDTH], int k,
                                          wide3 *start, wide3 *end) {
    const float *from[TOC_WIDTH];
    toc_wide x[6];
    for (int i = 0; i < TOC_WIDTH; i++) from[i] = packed[corners[i][k]].x0;
    toc_wide_load6(from, x);
    *start = (wide3){x[0], x[1], x[2]};
    *end = (wide3){x[3], x[4], x[5]};
}

static TOC_INLINE wide3 mix_corners(wide3 a, wide3 b, toc_wide t) {
    return wide3_add(wide3_scale(a, toc_wide_all(1) - t), wide3_scale(b, t));
}

static TOC_INLINE void narrow(wide3 *start, wide3 *end, toc_look look) {
    const wide3 s = *start, e = *end;
    *start = mix_corners(s, e, toc_wide_all((float)look.from));
    *end = mix_corners(s, e, toc_wide_all((float)look.until));
}

static TOC_INLINE couple load_couple(const toc_triangle_axes *how, toc_look look, const toc_leaf_pair *at) {
    const uint32_t *a[TOC_WIDTH], *b[TOC_WIDTH];
    for (int i = 0; i < TOC_WIDTH; i++) {
        a[i] = how->corners[at[i].a];
        b[i] = how->corners[at[i].b];
    }
    couple c;
    for (int k = 0; k < 3; k++) {
        load_moving_corner(how->packed, a, k, &c.a[0][k], &c.a[1][k]);
        load_moving_corner(how->packed, b, k, &c.b[0][k], &c.b[1][k]);
    }
    const wide3 origin[2] = {c.a[0][0], c.a[1][0]};
    wide3 reach = {toc_wide_all(0), toc_wide_all(0), toc_wide_all(0)};
    for (int end = 0; end < 2; end++)
        for (int k = 0; k < 3; k++) {
            c.a[end][k] = wide3_sub(c.a[end][k], origin[end]);
            c.b[end][k] = wide3_sub(c.b[end][k], origin[end]);
            reach = wide3_max(reach, wide3_max(wide3_abs(c.a[end][k]), wide3_abs(c.b[end][k])));
        }
    const toc_wide need = toc_wide_all(how->distance + CONSTANT_ERROR), part = toc_wide_all(RELATIVE_ERROR);
    c.blur = (wide3){reach.x * part + need, reach.y * part + need, reach.z * part + need};
    for (int k = 0; k < 3 && (look.from > 0 || look.until < 1); k++) {
        narrow(&c.a[0][k], &c.a[1][k], look);
        narrow(&c.b[0][k], &c.b[1][k], look);
    }
    return c;
}

static TOC_INLINE toc_wide least_along(const wide3 p[3], wide3 n) {
    return toc_wide_min(toc_wide_min(wide3_dot(p[0], n), wide3_dot(p[1], n)), wide3_dot(p[2], n));
}
static TOC_INLINE toc_wide most_along(const wide3 p[3], wide3 n) {
    return toc_wide_max(toc_wide_max(wide3_dot(p[0], n), wide3_dot(p[1], n)), wide3_dot(p[2], n));
}

// Whether the axis, in either direction, separates throughout the window.
static TOC_INLINE toc_mask separates(const couple *c, wide3 n) {
    const toc_wide up = toc_wide_min(least_along(c->b[0], n) - most_along(c->a[0], n),
                                     least_along(c->b[1], n) - most_along(c->a[1], n));
    const toc_wide down = toc_wide_min(least_along(c->a[0], n) - most_along(c->b[0], n),
                                       least_along(c->a[1], n) - most_along(c->b[1], n));
    return toc_wide_max(up, down) > wide3_dot(c->blur, wide3_abs(n)) + toc_wide_all(UNDERFLOW_ERROR);
}

// Three times the vector from the middle of the first triangle to the middle of the second.
static TOC_INLINE wide3 middle_between(const couple *c, int end) {
    const wide3 a = wide3_add(c->a[end][0], wide3_add(c->a[end][1], c->a[end][2]));
    return wide3_sub(wide3_add(c->b[end][0], wide3_add(c->b[end][1], c->b[end][2])), a);
}

static TOC_INLINE wide3 couple_normal(const wide3 p[2][3], toc_wide t) {
    const wide3 corner = mix_corners(p[0][0], p[1][0], t);
    return wide3_cross(wide3_sub(mix_corners(p[0][1], p[1][1], t), corner),
                       wide3_sub(mix_corners(p[0][2], p[1][2], t), corner));
}

static TOC_INLINE toc_mask separate_couple(const couple *c) {
    const wide3 start = middle_between(c, 0), velocity = wide3_sub(middle_between(c, 1), start);
    const toc_wide t = wide_clamp(-wide3_dot(start, velocity) / wide3_dot(velocity, velocity));
    toc_mask apart = separates(c, wide3_add(start, wide3_scale(velocity, t)));
    apart |= separates(c, couple_normal(c->a, t));
    return apart | separates(c, couple_normal(c->b, t));
}

static TOC_INLINE bool triangles_share_vertex(const uint32_t a[3], const uint32_t b[3]) {
    bool shared = false;
    for (int i = 0; i < 3; i++) shared |= (a[i] == b[0]) | (a[i] == b[1]) | (a[i] == b[2]);
    return shared;
}

// Keep neighbours, and list the other pairs for the test; without a branch on it.
static TOC_INLINE size_t keep_neighbours(const toc_triangle_axes *how, const toc_leaf_pair *pairs, size_t count,
                                         toc_leaf_pair *kept, toc_leaf_pair *asked, size_t *asked_count) {
    size_t kept_count = 0;
    *asked_count = 0;
    for (size_t i = 0; i < count; i++) {
        const bool shared = triangles_share_vertex(how->corners[pairs[i].a], how->corners[pairs[i].b]);
        kept[kept_count] = asked[*asked_count] = pairs[i];
        kept_count += shared;
        *asked_count += !shared;
    }
    return kept_count;
}

size_t TOC_FOR_LANES(toc_triangle_axes_kernel)(const toc_triangle_axes *how, const toc_leaf_pair *pairs, size_t count,
                                               toc_leaf_pair *kept) {
    const toc_look look = toc_window_look(how->window);
    toc_leaf_pair asked[TOC_LEAF_PAIRS + TOC_WIDTH];
    size_t asked_count, kept_count = keep_neighbours(how, pairs, count, kept, asked, &asked_count);
    for (int i = 0; i < TOC_WIDTH && asked_count; i++) asked[asked_count + (size_t)i] = asked[asked_count - 1];
    for (size_t i = 0; i < asked_count; i += TOC_WIDTH) {
        const couple c = load_couple(how, look, asked + i);
        const unsigned apart = toc_mask_bits(separate_couple(&c));
        for (unsigned j = 0; j < TOC_WIDTH && i + j < asked_count; j++) {
            kept[kept_count] = asked[i + j];
            kept_count += !(apart >> j & 1);
        }
    }
    return kept_count;
}
