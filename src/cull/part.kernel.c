// SPDX-License-Identifier: Apache-2.0
// Three axes for a pair of triangles, TOC_LANES pairs at a time: between their middles, and both normals, when the
// middles are closest.
//
// Any axis is valid: the gap of two corners along it is linear in time, so triangles whose gaps all have one sign at
// both ends of the window are apart in between. A sign counts where it clears its error, as in the certified test
// (exact/certified.kernel.c): with u = 2^-53, R the largest coordinates relative to a corner and S = sum of R_k |n_k|,
// a gap is off by 19 u S at most and must clear 32 u S and what underflow can add.
#include "cull/part.h"

#include "base/lanes.h"
#include "base/wide3.h"

#define GAP_ERROR 0x1p-48
#define UNDERFLOW_ERROR 0x1p-1000
// A length as the root of a sum of squares: 4 u, and its product: 8 u is above.
#define LENGTH_UP (1 + 0x1p-50)
// Coordinates in between give products of three that neither overflow nor lose what counts to underflow.
#define SMALLEST 0x1p-100
#define LARGEST 0x1p100

// Corners of both triangles at both ends of the window, relative to the first one of the first triangle.
typedef struct couple {
    wide3 a[2][3], b[2][3], reach;
} couple;

static TOC_INLINE wide3 load(const double *x, const uint32_t (*const corners[TOC_LANES])[3], int k) {
    const double *from[TOC_LANES];
    toc_wide p[3];
    for (int i = 0; i < TOC_LANES; i++) from[i] = x + 3 * (size_t)(*corners[i])[k];
    toc_wide_load3(from, p);
    return (wide3){p[0], p[1], p[2]};
}

static TOC_INLINE wide3 mix(wide3 a, wide3 b, toc_wide t) {
    return wide3_add(wide3_scale(a, toc_wide_all(1) - t), wide3_scale(b, t));
}

static TOC_INLINE void narrow(wide3 *start, wide3 *end, toc_look look) {
    const wide3 s = *start, e = *end;
    *start = mix(s, e, toc_wide_all(look.from));
    *end = mix(s, e, toc_wide_all(look.until));
}

static TOC_INLINE const uint32_t (*corners_of(const toc_parting *how, const toc_bvh *bvh, uint32_t leaf))[3] {
    return &how->corners[bvh ? bvh->nodes[leaf].link : leaf];
}

static TOC_INLINE couple load_couple(const toc_parting *how, toc_look look, const toc_node_pair *at,
                                     const toc_bvh *bvh) {
    const uint32_t(*a[TOC_LANES])[3], (*b[TOC_LANES])[3];
    for (int i = 0; i < TOC_LANES; i++) {
        a[i] = corners_of(how, bvh, at[i].a);
        b[i] = corners_of(how, bvh, at[i].b);
    }
    couple c;
    c.reach = (wide3){toc_wide_all(0), toc_wide_all(0), toc_wide_all(0)};
    for (int end = 0; end < 2; end++) {
        const double *x = end ? how->x1 : how->x0;
        const wide3 origin = load(x, a, 0);
        for (int k = 0; k < 3; k++) {
            c.a[end][k] = wide3_sub(k ? load(x, a, k) : origin, origin);
            c.b[end][k] = wide3_sub(load(x, b, k), origin);
        }
    }
    for (int end = 0; end < 2; end++)
        for (int k = 0; k < 3; k++)
            c.reach = wide3_max(c.reach, wide3_max(wide3_abs(c.a[end][k]), wide3_abs(c.b[end][k])));
    if (look.from > 0 || look.until < 1)
        for (int k = 0; k < 3; k++) {
            narrow(&c.a[0][k], &c.a[1][k], look);
            narrow(&c.b[0][k], &c.b[1][k], look);
        }
    return c;
}

static TOC_INLINE toc_wide least(const wide3 p[3], wide3 n) {
    return toc_wide_min(toc_wide_min(wide3_dot(p[0], n), wide3_dot(p[1], n)), wide3_dot(p[2], n));
}
static TOC_INLINE toc_wide most(const wide3 p[3], wide3 n) {
    return toc_wide_max(toc_wide_max(wide3_dot(p[0], n), wide3_dot(p[1], n)), wide3_dot(p[2], n));
}

// Whether the axis, taken either way, separates all of the time.
static TOC_INLINE toc_mask separates(const couple *c, wide3 n, double distance) {
    const toc_wide up = toc_wide_min(least(c->b[0], n) - most(c->a[0], n), least(c->b[1], n) - most(c->a[1], n));
    const toc_wide down = toc_wide_min(least(c->a[0], n) - most(c->b[0], n), least(c->a[1], n) - most(c->b[1], n));
    toc_wide need = wide3_dot(c->reach, wide3_abs(n)) * toc_wide_all(GAP_ERROR) + toc_wide_all(UNDERFLOW_ERROR);
    if (distance > 0)
        need += toc_wide_sqrt(wide3_dot(n, n)) * toc_wide_all(LENGTH_UP) * toc_wide_all(distance * LENGTH_UP);
    return toc_wide_max(up, down) > need;
}

// Three times the way from the middle of the first triangle to that of the second.
static TOC_INLINE wide3 middle(const couple *c, int end) {
    const wide3 a = wide3_add(c->a[end][0], wide3_add(c->a[end][1], c->a[end][2]));
    return wide3_sub(wide3_add(c->b[end][0], wide3_add(c->b[end][1], c->b[end][2])), a);
}

static TOC_INLINE wide3 normal(const wide3 p[2][3], toc_wide t) {
    const wide3 corner = mix(p[0][0], p[1][0], t);
    return wide3_cross(wide3_sub(mix(p[0][1], p[1][1], t), corner), wide3_sub(mix(p[0][2], p[1][2], t), corner));
}

// Of pairs in range; NaN and what is out of range is not parted.
static TOC_INLINE toc_mask part(const couple *c, double distance) {
    const wide3 start = middle(c, 0), velocity = wide3_sub(middle(c, 1), start);
    const toc_wide t = wide_clamp(-wide3_dot(start, velocity) / wide3_dot(velocity, velocity));
    const toc_wide reach = wide3_largest(c->reach);
    const toc_mask fits = (reach >= toc_wide_all(SMALLEST)) & (reach <= toc_wide_all(LARGEST));
    toc_mask apart = separates(c, wide3_add(start, wide3_scale(velocity, t)), distance);
    if (toc_mask_any(fits & ~apart)) apart |= separates(c, normal(c->a, t), distance);
    if (toc_mask_any(fits & ~apart)) apart |= separates(c, normal(c->b, t), distance);
    return apart & fits;
}

// Whether triangles share a vertex, and one whose fan is flat.
typedef struct sharing {
    bool any, flat;
} sharing;

static TOC_INLINE sharing share(const uint32_t a[3], const uint32_t b[3], const uint8_t *flat) {
    sharing s = {false, false};
    for (int i = 0; i < 3; i++) {
        const bool here = (a[i] == b[0]) | (a[i] == b[1]) | (a[i] == b[2]);
        s.any |= here;
        s.flat |= here && flat && flat[a[i]];
    }
    return s;
}

size_t TOC_FOR_LANES(toc_part_kernel)(const toc_bvh *bvh, const toc_parting *how, const toc_node_pair *pairs,
                                      size_t count, toc_node_pair *kept) {
    const toc_look look = toc_window_look(how->window);
    toc_node_pair asked[TOC_LEAF_PAIRS + TOC_LANES];
    size_t kept_count = 0, asked_count = 0;
    for (size_t i = 0; i < count; i++) {
        const sharing s = share(*corners_of(how, bvh, pairs[i].a), *corners_of(how, bvh, pairs[i].b), how->flat);
        kept[kept_count] = asked[asked_count] = pairs[i];
        kept_count += s.any & !s.flat;
        asked_count += !s.any;
    }
    for (int i = 0; i < TOC_LANES; i++) asked[asked_count + (size_t)i] = asked[asked_count ? asked_count - 1 : 0];
    for (size_t i = 0; i < asked_count; i += TOC_LANES) {
        const couple c = load_couple(how, look, asked + i, bvh);
        const unsigned apart = toc_mask_bits(part(&c, how->distance));
        for (unsigned j = 0; j < TOC_LANES && i + j < asked_count; j++) {
            kept[kept_count] = asked[i + j];
            kept_count += !(apart >> j & 1);
        }
    }
    return kept_count;
}
