// SPDX-License-Identifier: Apache-2.0
// Additive advancement: move the vertices themselves, a safe part of the distance at a time.
//
// The common part of the motion is removed. The longest displacements of the two features bound the rest, once. Each
// round advances by nine tenths of the time that distance and bound allow, until the distance is within the tolerance.
// Positions are relative to the first vertex and scaled by a power of two where products could over- or underflow. The
// error of the distance is subtracted from it (src/pair/distance.h), so that no time is late (docs/guarantees.md, G3).
// 1,000 rounds end undecided. After Li, Kaufman and Jiang 2021, "Codimensional incremental potential contact". The
// paper stops at a tenth of the first distance, takes the features to be apart at the start, and reports near misses
// beyond the tolerance.
#include <assert.h>

#include "pair/advancement.h"
#include "pair/pair.h"

enum { ROUND_LIMIT = 1000 };
static const double SAFE_PART = 0.9;
// The error of a gap, as a part of the size: 2^-36 of the distance, and less than 2^-40 of 1,000 sums of positions.
static const double GAP_ERROR = 0x1p-35;

// The pair in a frame: positions at a time relative to the first vertex, and displacements of the step less their mean,
// both divided by 2^exponent.
typedef struct additive_motion {
    toc_vec x[4], moves[4];
    double size; // the largest coordinate of positions and displacements; infinite if these overflow
    int exponent;
} additive_motion;

static toc_vec divide_by_power(toc_vec v, int exponent) {
    return (toc_vec){ldexp(v.x, -exponent), ldexp(v.y, -exponent), ldexp(v.z, -exponent)};
}

static void scale_motion(additive_motion *m) {
    if (m->size == 0 || (m->size > 0x1p-200 && m->size < 0x1p200)) return;
    m->exponent = ilogb(m->size);
    for (int i = 0; i < 4; i++) {
        m->x[i] = divide_by_power(m->x[i], m->exponent);
        m->moves[i] = divide_by_power(m->moves[i], m->exponent);
    }
    m->size = ldexp(m->size, -m->exponent);
}

static additive_motion relative_motion(const toc_moving *moving, double t) {
    additive_motion m = {.size = moving->size};
    toc_vec mean = {0, 0, 0};
    for (int i = 0; i < 4; i++) {
        m.x[i] = toc_vec_mix(moving->y0[i], moving->y1[i], t);
        m.moves[i] = toc_vec_sub(moving->y1[i], moving->y0[i]);
        m.size = toc_larger(m.size, toc_vec_max(m.moves[i]));
    }
    if (!isfinite(m.size)) return m;
    scale_motion(&m);
    for (int i = 0; i < 4; i++) mean = toc_vec_add(mean, toc_vec_scale(m.moves[i], 0.25));
    for (int i = 0; i < 4; i++) m.moves[i] = toc_vec_sub(m.moves[i], mean);
    return m;
}

static double longest(const toc_vec *moves, int count) {
    double most = 0;
    for (int i = 0; i < count; i++) most = toc_larger(most, toc_vec_length(moves[i]));
    return most;
}

static toc_verdict advance_additively(toc_feature_query features, additive_motion *m, const toc_pair_test *test,
                                      toc_stop stop, double *toc) {
    *toc = test->from;
    if (!isfinite(m->size)) return TOC_UNDECIDED;
    const double reach = longest(m->moves, features.first) + longest(m->moves + features.first, features.second);
    const double tolerance = ldexp(stop.distance, -m->exponent);
    const double separation = ldexp(test->separation, -m->exponent);
    for (int round = 0; round < ROUND_LIMIT; round++) {
        const double gap = features.closest(m->x).distance - separation;
        if (gap <= tolerance) return stop.within;
        const double step = SAFE_PART * (gap - GAP_ERROR * m->size) / reach;
        if (*toc + step > test->to) return TOC_APART;
        if (!(*toc + step > *toc)) return TOC_UNDECIDED;
        *toc += step;
        for (int i = 0; i < 4; i++) m->x[i] = toc_vec_add(m->x[i], toc_vec_scale(m->moves[i], step));
    }
    return TOC_UNDECIDED;
}

toc_status toc_additive_pair(toc_kind kind, const double x0[4][3], const double x1[4][3], const toc_pair_test *test,
                             toc_arena *scratch, toc_hit *out) {
    assert(kind == TOC_VF || kind == TOC_EE);
    (void)scratch;
    toc_moving moving;
    toc_moving_set(&moving, 4, x0, x1);
    additive_motion m = relative_motion(&moving, test->from);
    const toc_stop stop = toc_stop_of(test, moving.size);
    out->verdict = advance_additively(toc_feature_query_of(kind), &m, test, stop, &out->toc);
    if (out->verdict != TOC_APART) toc_hit_locate(kind, x0, x1, out);
    return TOC_OK;
}
