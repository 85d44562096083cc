// SPDX-License-Identifier: Apache-2.0
// Whether stars keep their shape: both ends of the step side by side in one register. See stars.c for why, and for what
// is allowed for rounding.
#include <float.h>
#include <string.h>

#include "base/lanes.h"
#include "base/simd.h"
#include "cull/stars.h"

#pragma GCC diagnostic ignored "-Wpsabi" // nothing of `both` leaves this file

// Three floats and one that does not count; the same twice, at the start and at the end.
typedef float quad __attribute__((vector_size(16), aligned(4), may_alias));
typedef float both __attribute__((vector_size(32), aligned(4), may_alias));
typedef int32_t quad_bits __attribute__((vector_size(16)));

#define LOW(b) __builtin_shufflevector(b, b, 0, 1, 2, 3)
#define HIGH(b) __builtin_shufflevector(b, b, 4, 5, 6, 7)
#define JOIN(low, high) __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7)
#define SPREAD(b, k) __builtin_shufflevector(b, b, k, k, k, k, 4 + k, 4 + k, 4 + k, 4 + k)

// A star that is looked at.
typedef struct look {
    const toc_star *star;
    const toc_star_vertex *vertices;
    const toc_packed *packed;
    both middle;
} look;

static TOC_INLINE both load(const toc_packed *at) { return *(const both *)at; }
static TOC_INLINE float larger(float a, float b) { return a > b ? a : b; }
static TOC_INLINE float sum(quad a) { return a[0] + a[1] + a[2]; }

static TOC_INLINE quad cross(quad a, quad b) {
    const quad a1 = __builtin_shufflevector(a, a, 1, 2, 0, 3), b1 = __builtin_shufflevector(b, b, 1, 2, 0, 3);
    const quad c = a * b1 - a1 * b;
    return __builtin_shufflevector(c, c, 1, 2, 0, 3);
}

// Columns of a linear map.
typedef struct map {
    quad column[3];
} map;

static TOC_INLINE quad apply(const map *m, quad d) {
    return m->column[0] * d[0] + m->column[1] * d[1] + m->column[2] * d[2];
}

// The root of the sum of squares.
static TOC_INLINE float size_of(const map *m) {
    return sqrtf(sum(m->column[0] * m->column[0] + m->column[1] * m->column[1] + m->column[2] * m->column[2]));
}

static TOC_INLINE map inverse_of(const map *a) {
    const quad *c = a->column;
    const quad vw = cross(c[1], c[2]), wu = cross(c[2], c[0]), uv = cross(c[0], c[1]);
    const float inverse = 1 / sum(c[0] * vw);
    map m;
    for (int k = 0; k < 3; k++) m.column[k] = (quad){vw[k], wu[k], uv[k], 0} * inverse;
    return m;
}

// M, and B: from the star, halfway, to the reference, and how it turns.
static TOC_INLINE void find_maps(const look *l, map *m, map *b) {
    const float *s = l->star->inverse;
    both a[3] = {{0}, {0}, {0}};
    for (int i = 0; i < l->star->vertex_count; i++) {
        const toc_star_vertex *vertex = &l->vertices[i];
        const both d = load(&l->packed[vertex->v]) - l->middle;
        for (int k = 0; k < 3; k++) a[k] += d * vertex->y[k];
    }
    const both c[3] = {a[0] * s[0] + a[1] * s[3] + a[2] * s[4], a[0] * s[3] + a[1] * s[1] + a[2] * s[5],
                       a[0] * s[4] + a[1] * s[5] + a[2] * s[2]};
    map half;
    for (int k = 0; k < 3; k++) half.column[k] = 0.5f * (LOW(c[k]) + HIGH(c[k]));
    *m = inverse_of(&half);
    for (int k = 0; k < 3; k++) b->column[k] = apply(m, HIGH(c[k]) - LOW(c[k]));
}

// What is left of the ways of vertices from where they should be: squares of the farthest, at either end.
typedef struct rest {
    both far, total;  // in the first lane of each; the sum of all, which is not finite where any is not
    both off_bends;   // of hexes: without what the vertices along the axes make of it,
    both bends[3][2]; // whose ways these are, by axis and side
} rest;

static TOC_INLINE both squares(both e) {
    const both t = e * e;
    return t + __builtin_shufflevector(t, t, 1, 1, 1, 1, 5, 5, 5, 5) +
           __builtin_shufflevector(t, t, 2, 2, 2, 2, 6, 6, 6, 6);
}

static TOC_INLINE both larger_of(both a, both b) {
    typedef int32_t bits __attribute__((vector_size(32)));
    const bits mask = a > b;
    return (both)(((bits)a & mask) | ((bits)b & ~mask));
}

// Take the ways of the vertices along its axes off that of a vertex of the lattice, or keep it if it is one of those.
static TOC_INLINE void unbend(const float y[3], both e, rest *r) {
    const int axes = (y[0] != 0) + (y[1] != 0) + (y[2] != 0);
    for (int k = 0; k < 3; k++) {
        if (y[k] == 0) continue;
        both *bend = &r->bends[k][y[k] < 0];
        if (axes == 1)
            *bend = e;
        else
            e -= *bend;
    }
    if (axes > 1) r->off_bends = larger_of(r->off_bends, squares(e));
}

static TOC_INLINE void look_at_vertices(const look *l, const map *m, const map *b, bool hexes, rest *r) {
    const quad_bits three = {-1, -1, -1, 0};
    both to[3], turn[3];
    for (int k = 0; k < 3; k++) {
        to[k] = JOIN(m->column[k], m->column[k]);
        turn[k] = JOIN(0.5f * b->column[k], -0.5f * b->column[k]);
    }
    for (int i = 0; i < l->star->vertex_count; i++) {
        const toc_star_vertex *vertex = &l->vertices[i];
        const quad y = (quad)((quad_bits) * (const quad *)vertex->y & three);
        const both d = load(&l->packed[vertex->v]) - l->middle;
        const both e = to[0] * SPREAD(d, 0) + to[1] * SPREAD(d, 1) + to[2] * SPREAD(d, 2) - JOIN(y, y) +
                       (turn[0] * vertex->y[0] + turn[1] * vertex->y[1] + turn[2] * vertex->y[2]);
        const both square = squares(e);
        r->far = larger_of(r->far, square);
        r->total += square;
        if (hexes) unbend(vertex->y, e, r);
    }
}

static TOC_INLINE float farther(both squares) { return sqrtf(larger(squares[0], squares[4])); }

// The most that the bends of three axes together can be of what they bend, at either end.
static TOC_INLINE float bend_of(const rest *r) {
    both square = {0};
    for (int k = 0; k < 3; k++) square += larger_of(squares(r->bends[k][0]), squares(r->bends[k][1]));
    return farther(square);
}

// Whether no vertex leaves the place where it should be by more than the reach.
static TOC_INLINE bool keeps_shape(const look *l, bool hexes) {
    map m, b;
    rest r;
    memset(&r, 0, sizeof r);
    find_maps(l, &m, &b);
    look_at_vertices(l, &m, &b, hexes, &r);
    const float rounding = 4 * (0x1p-19f * size_of(&m) + 0x1p-20f * l->star->size), room = 1 - 0.501f * size_of(&b);
    if (!(r.total[0] <= FLT_MAX && r.total[4] <= FLT_MAX)) return false;
    if (farther(r.far) * (1 + 0x1p-18f) + rounding < l->star->reach * room) return true;
    if (!hexes) return false;
    const float bend = bend_of(&r) * (1 + 0x1p-18f) + rounding;
    return farther(r.off_bends) * (1 + 0x1p-18f) + rounding < l->star->reach * (room - bend);
}

bool TOC_FOR_LANES(toc_stars_kernel)(const toc_stars *stars, size_t v, const toc_packed *packed) {
    const toc_star *star = &stars->stars.at[v];
    const look l = {star, stars->vertices.at + star->first_vertex, packed, load(&packed[v])};
    return star->tet_count == 0 ? keeps_shape(&l, true) : keeps_shape(&l, false);
}
