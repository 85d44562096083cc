// SPDX-License-Identifier: Apache-2.0
// One vertex in each lane: the first of Newton's steps of elastic.c, which arrives where no tet is crushed and nothing
// pushes. About 10 ns a corner with one lane, 2 ns with eight.
//
// A lane does the same operations in the same order whatever its neighbours are. Lanes with fewer corners than others
// repeat their last one with weights of 0: sums that begin with 0 are never -0, so adding 0 changes no bit.
#include "sim/character/relax.h"

#include <stdbool.h>

#include "base/wide3.h"

static const uint32_t NONE = UINT32_MAX;

/// The vertices of a pack, and the energy around each.
typedef struct wide_block {
    const flesh_relax *work;
    size_t v[TOC_LANES];
    uint32_t first[TOC_LANES], count[TOC_LANES]; // corners
    wide3 place, gradient;
    toc_wide h00, h01, h02, h11, h12, h22;
    toc_mask crushed; // a tet may become stiffer within the most step
} wide_block;

static TOC_INLINE wide3 load_vectors(const wide_block *b, const double *from) {
    const double *places[TOC_LANES];
    toc_wide out[3];
    for (int l = 0; l < TOC_LANES; l++) places[l] = from + 3 * b->v[l];
    toc_wide_load3(places, out);
    return (wide3){out[0], out[1], out[2]};
}

static TOC_INLINE toc_wide load_numbers(const wide_block *b, const double *from) {
    double numbers[TOC_LANES];
    for (int l = 0; l < TOC_LANES; l++) numbers[l] = from[b->v[l]];
    return toc_wide_load(numbers);
}

/// Take the vertices from `first` on; behind the last one, that one again.
static TOC_INLINE void begin_block(const flesh_relax *work, size_t first, wide_block *b) {
    b->work = work;
    for (int l = 0; l < TOC_LANES; l++) {
        const size_t at = first + (size_t)l, v = work->vertices[at < work->count ? at : work->count - 1];
        b->v[l] = v;
        b->first[l] = v > 0 ? work->corner_ends[v - 1] : 0;
        b->count[l] = work->corner_ends[v] - b->first[l];
    }
    b->place = load_vectors(b, work->x);
    b->gradient = (wide3){toc_wide_all(0), toc_wide_all(0), toc_wide_all(0)};
    b->h00 = b->h01 = b->h02 = b->h11 = b->h12 = b->h22 = toc_wide_all(0);
    b->crushed = (toc_mask){0};
}

/// @param weight of a spring to a place that is still a share of the way ahead.
static TOC_INLINE void pull_block(wide_block *b, wide3 gap, toc_wide weight) {
    b->gradient = wide3_add(b->gradient, wide3_scale(gap, weight));
    b->h00 += weight;
    b->h11 += weight;
    b->h22 += weight;
}

static TOC_INLINE void add_springs(wide_block *b) {
    const flesh_relax *w = b->work;
    const wide3 way = wide3_scale(load_vectors(b, w->way), toc_wide_all(w->ahead));
    const wide3 swing = wide3_add(wide3_sub(b->place, load_vectors(b, w->anchor)), way);
    const wide3 gap = wide3_add(wide3_sub(b->place, load_vectors(b, w->target)), way);
    const toc_wide distance = toc_wide_sqrt(wide3_dot(gap, gap)), pull = load_numbers(b, w->pull);
    const toc_wide yielding = toc_wide_all(w->yielding), stiff = load_numbers(b, w->stiff);
    pull_block(b, swing, load_numbers(b, w->inertia));
    pull_block(b, gap, toc_wide_select(distance <= yielding, pull, pull * yielding / distance));
    b->h00 += stiff;
    b->h11 += stiff;
    b->h22 += stiff;
}

/// A place of a corner's neighbour, by lane.
static TOC_INLINE wide3 load_neighbours(const wide_block *b, const flesh_corner *const corners[TOC_LANES], int k) {
    const double *places[TOC_LANES];
    toc_wide out[3];
    for (int l = 0; l < TOC_LANES; l++) places[l] = b->work->x + 3 * (size_t)corners[l]->v[k];
    toc_wide_load3(places, out);
    return (wide3){out[0], out[1], out[2]};
}

/// Add the corner `i` of each vertex. @param all whether every vertex has so many.
static TOC_INLINE void add_wide_corner(wide_block *b, uint32_t i, int all) {
    const flesh_relax *w = b->work;
    const flesh_corner *corners[TOC_LANES];
    const double *numbers[TOC_LANES];
    double present[TOC_LANES];
    toc_wide n[4]; // shear, and 1 / (6 volumes)
    for (int l = 0; l < TOC_LANES; l++) {
        corners[l] = w->corners + b->first[l] + (all || i < b->count[l] ? i : b->count[l] - 1);
        numbers[l] = corners[l]->shear;
        present[l] = i < b->count[l];
    }
    toc_wide_load4(numbers, n);
    const wide3 from = load_neighbours(b, corners, 0), gap = wide3_sub(b->place, from);
    const wide3 e1 = wide3_sub(load_neighbours(b, corners, 1), from);
    const wide3 e2 = wide3_sub(load_neighbours(b, corners, 2), from), area = wide3_cross(e1, e2);
    const toc_wide share = n[3] * wide3_dot(area, gap), room = share - toc_wide_all(w->least);
    const toc_wide slope = n[3] * toc_wide_all(w->most_step);
    b->crushed |= ~((room > toc_wide_all(0)) & (room * room > slope * slope * wide3_dot(area, area)));
    toc_wide bulk = toc_wide_all(w->bulk);
    if (!all) {
        const toc_mask has = toc_wide_load(present) > toc_wide_all(0);
        bulk = toc_wide_select(has, bulk, toc_wide_all(0));
        for (int k = 0; k < 3; k++) n[k] = toc_wide_select(has, n[k], toc_wide_all(0));
    }
    const wide3 part = wide3_scale(area, bulk * n[3]);
    b->gradient = wide3_add(b->gradient, wide3_scale(area, bulk * (share - toc_wide_all(w->goal))));
    b->gradient = wide3_add(b->gradient,
                            wide3_add(wide3_add(wide3_scale(e1, n[0]), wide3_scale(e2, n[1])), wide3_scale(gap, n[2])));
    b->h00 += part.x * area.x;
    b->h01 += part.x * area.y;
    b->h02 += part.x * area.z;
    b->h11 += part.y * area.y;
    b->h12 += part.y * area.z;
    b->h22 += part.z * area.z;
}

/// The step to the place where the gradient is 0; 0 where the derivative has no inverse.
static TOC_INLINE wide3 solve_step(const wide_block *b) {
    const toc_wide c00 = b->h11 * b->h22 - b->h12 * b->h12, c01 = b->h12 * b->h02 - b->h01 * b->h22;
    const toc_wide c02 = b->h01 * b->h12 - b->h11 * b->h02, c11 = b->h00 * b->h22 - b->h02 * b->h02;
    const toc_wide c12 = b->h01 * b->h02 - b->h00 * b->h12, c22 = b->h00 * b->h11 - b->h01 * b->h01;
    const toc_wide determinant = b->h00 * c00 + b->h01 * c01 + b->h02 * c02, zero = toc_wide_all(0);
    const toc_wide scale = toc_wide_select(determinant != zero, toc_wide_all(-1) / determinant, zero);
    const wide3 g = b->gradient;
    return wide3_scale((wide3){c00 * g.x + c01 * g.y + c02 * g.z, c01 * g.x + c11 * g.y + c12 * g.z,
                               c02 * g.x + c12 * g.y + c22 * g.z},
                       scale);
}

/// Move the vertices that may go the whole step.
static TOC_INLINE void end_block(const wide_block *b, size_t first) {
    const flesh_relax *w = b->work;
    const wide3 step = solve_step(b), to = wide3_add(b->place, step);
    const toc_wide length = toc_wide_sqrt(wide3_dot(step, step));
    const unsigned free = toc_mask_bits(~b->crushed & (length <= toc_wide_all(w->most_step)));
    for (int l = 0; l < TOC_LANES && first + (size_t)l < w->count; l++) {
        const bool goes = (free >> l & 1) && w->push_heads[b->v[l]] == NONE;
        double *x = w->x + 3 * b->v[l];
        w->steps[first + (size_t)l] = goes ? length[l] : -1;
        if (goes) x[0] = to.x[l], x[1] = to.y[l], x[2] = to.z[l];
    }
}

static TOC_INLINE void relax_block(const flesh_relax *work, size_t first) {
    wide_block b;
    begin_block(work, first, &b);
    add_springs(&b);
    uint32_t least = b.count[0], most = b.count[0], i = 0;
    for (int l = 1; l < TOC_LANES; l++) {
        least = b.count[l] < least ? b.count[l] : least;
        most = b.count[l] > most ? b.count[l] : most;
    }
    for (; i < least; i++) add_wide_corner(&b, i, 1);
    for (; i < most; i++) add_wide_corner(&b, i, 0);
    end_block(&b, first);
}

void TOC_FOR_LANES(toc_relax_kernel)(const flesh_relax *work) {
    for (size_t first = 0; first < work->count; first += TOC_LANES) relax_block(work, first);
}
