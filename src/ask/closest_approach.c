// SPDX-License-Identifier: Apache-2.0
// The closest approach of two features over the step, by bounds on the distance in parts of the step.
//
// Positions are relative to the first vertex at each time, so that a common translation costs no accuracy. Along a
// fixed axis the gap between two features is the smallest of linear functions of time: over a part of the step it is
// smallest at an end of the part. A look at the middle of a part gives an axis, and with it a certain lower bound of
// the distance in all of the part; two points of the features give an upper bound. The part with the smallest lower
// bound is halved next, until no part can be closer than the best look by more than the accuracy promised. On parabolas
// the gap is the smallest of quadratics, each at least the smallest of its control values over the part.
//
// Where the axes of floating point are too coarse (slivers), or after many looks, exact tests with a separation halve
// the range of distances that is left. The lower bound never depends on the quality of the closest points, so that
// neither way drops a pair or invents a distance. On parabolas, where these tests are not exact, the best look stands.
#include "ask/closest_approach.h"

#include <assert.h>
#include <string.h>

#include "pair/gap.h"
#include "pair/pair.h"

enum {
    LOOKS = 64,         // in floating point, where exact tests can take over
    LOOKS_CURVED = 256, // on parabolas
    EXACT_TESTS = 64    // more than there can be, see narrow_exactly
};

// A part of the step, and a distance that the features keep in all of it.
typedef struct approach_part {
    double from, to, floor;
} approach_part;

// Lengths are scaled by 2^-exponent, so that the extent is about 1.
typedef struct approach_search {
    const toc_approach_query *query;
    toc_moving path;
    toc_vec control[4]; // of parabolas, relative to that of the first vertex
    int exponent;
    double close;       // the accuracy
    double time, least; // the best look
    toc_closest closest;
    bool coarse; // an axis was too coarse for the accuracy
    int looks, part_count;
    approach_part parts[LOOKS_CURVED];
} approach_search;

static toc_vec scale_by_power(toc_vec v, int exponent) {
    return (toc_vec){ldexp(v.x, exponent), ldexp(v.y, exponent), ldexp(v.z, exponent)};
}

// Positions relative to the first vertex, times `half`. @return the largest coordinate.
static double place_relative(const double x[4][3], double half, toc_vec y[4]) {
    double size = 0;
    for (int i = 0; i < 4; i++) {
        y[i] = toc_vec_sub(toc_vec_scale(toc_vec_of(x[i]), half), toc_vec_scale(toc_vec_of(x[0]), half));
        size = toc_larger(size, toc_vec_max(y[i]));
    }
    return size;
}

static void set_relative_path(approach_search *a, double half) {
    const toc_quadratic_pair *path = a->query->path;
    a->path.size = toc_larger(place_relative(path->x0, half, a->path.y0), place_relative(path->x1, half, a->path.y1));
    if (a->query->curved) a->path.size = toc_larger(a->path.size, place_relative(path->control, half, a->control));
}

static void begin_approach(const toc_approach_query *query, approach_search *a) {
    a->query = query;
    a->exponent = a->looks = a->part_count = 0;
    a->time = 0;
    a->least = INFINITY;
    a->coarse = false;
    a->closest = (toc_closest){.distance = 0};
    memset(a->control, 0, sizeof a->control);
    set_relative_path(a, 1);
    const bool overflows = !isfinite(a->path.size);
    if (overflows) set_relative_path(a, 0.5);
    assert(isfinite(a->path.size));
    if (a->path.size > 0) frexp(a->path.size, &a->exponent);
    for (int i = 0; i < 4; i++) {
        a->path.y0[i] = scale_by_power(a->path.y0[i], -a->exponent);
        a->path.y1[i] = scale_by_power(a->path.y1[i], -a->exponent);
        a->control[i] = scale_by_power(a->control[i], -a->exponent);
    }
    a->path.size = ldexp(a->path.size, -a->exponent);
    a->exponent += overflows;
    const double limit = ldexp(query->limit, -a->exponent);
    const double share = query->curved ? TOC_APPROACH_SHARE_CURVED : TOC_APPROACH_SHARE;
    a->close = toc_larger(share * limit, TOC_APPROACH_EXTENT * a->path.size);
}

// ---- looks

// The vertices at a time: from = to. On parabolas, else: the middle control points of that part of the step.
static void place_at(const approach_search *a, double from, double to, toc_vec x[4]) {
    const toc_moving *path = &a->path;
    assert(a->query->curved || from == to);
    for (int i = 0; i < 4; i++) {
        x[i] = a->query->curved ? toc_vec_mix(toc_vec_mix(path->y0[i], a->control[i], from),
                                              toc_vec_mix(a->control[i], path->y1[i], from), to)
                                : toc_vec_mix(path->y0[i], path->y1[i], to);
    }
}

static double gap_along(const approach_search *a, toc_vec axis, double from, double to) {
    toc_vec x[4];
    place_at(a, from, to, x);
    return toc_gap_along(a->query->kind, x, axis);
}

// A distance that the features keep from one time to another, by an axis. With u and S as in toc_axis_margin, each of
// the two mixes of a parabola is off by 3u, which makes 7u for a coordinate, 10u S for a projection and 22u S for a
// gap; the margin is 32u S. The quotient is off by less than 8 roundings.
static double floor_between(const approach_search *a, toc_vec axis, double from, double to) {
    double gap = toc_smaller(gap_along(a, axis, from, from), gap_along(a, axis, to, to));
    if (a->query->curved) gap = toc_smaller(gap, gap_along(a, axis, from, to));
    gap -= toc_axis_margin(&a->path, axis);
    return gap > 0 ? gap / toc_vec_length(axis) * (1 - 0x1p-48) : 0;
}

// The distance of the two points of the weights: an upper bound of the distance, but for rounding.
static double distance_of_points(toc_kind kind, const toc_vec x[4], const double weights[4]) {
    const int second = toc_second_feature(kind);
    toc_vec between = {0, 0, 0};
    for (int i = 0; i < 4; i++)
        between = toc_vec_add(between, toc_vec_scale(x[i], i < second ? -weights[i] : weights[i]));
    return toc_vec_length(between);
}

// Look at a time. @return an axis; `distance` may be NULL.
static toc_vec look_at_time(approach_search *a, double time, double *distance) {
    const toc_kind kind = a->query->kind;
    toc_vec x[4];
    place_at(a, time, time, x);
    const toc_closest closest = toc_closest_pair(kind, x);
    const double between = distance_of_points(kind, x, closest.weights);
    a->looks++;
    if (between < a->least) a->time = time, a->least = between, a->closest = closest;
    if (distance) *distance = between;
    return toc_gap_axis(kind, x, &closest);
}

// Add a part of the step; `known` is a lower bound for it already.
static void add_approach_part(approach_search *a, double from, double to, double known) {
    assert(a->part_count < LOOKS_CURVED);
    const double middle = (from + to) / 2;
    double distance;
    const toc_vec axis = look_at_time(a, middle, &distance);
    const double floor = toc_larger(known, floor_between(a, axis, from, to));
    const double here = floor_between(a, axis, middle, middle);
    if (here < a->least - a->close && here < distance - a->close) a->coarse = true;
    a->parts[a->part_count++] = (approach_part){from, to, floor};
}

static int lowest_part(const approach_search *a) {
    int lowest = 0;
    for (int i = 1; i < a->part_count; i++)
        if (a->parts[i].floor < a->parts[lowest].floor) lowest = i;
    return lowest;
}

// Halve the part of the lowest bound until that is close to the best look. @return the lowest bound.
static double narrow_parts(approach_search *a) {
    const int most = a->query->curved ? LOOKS_CURVED : LOOKS;
    look_at_time(a, a->query->hit_time, NULL);
    look_at_time(a, 0, NULL);
    look_at_time(a, 1, NULL);
    add_approach_part(a, 0, 1, 0);
    for (;;) {
        const int lowest = lowest_part(a);
        const approach_part part = a->parts[lowest];
        if (part.floor >= a->least - a->close || a->coarse || a->looks + 2 > most) return part.floor;
        a->parts[lowest] = a->parts[--a->part_count];
        const double middle = (part.from + part.to) / 2;
        add_approach_part(a, part.from, middle, part.floor);
        add_approach_part(a, middle, part.to, part.floor);
    }
}

// Look on either side of the best time, at intervals that shrink, down to the rounding of the time.
static void polish_approach(approach_search *a) {
    for (double away = 0x1p-6; away > 0x1p-40; away /= 2) {
        look_at_time(a, toc_larger(a->time - away, 0), NULL);
        look_at_time(a, toc_smaller(a->time + away, 1), NULL);
    }
}

// ---- exact tests

static toc_status comes_within(const approach_search *a, double distance, toc_hit *hit) {
    const toc_approach_query *query = a->query;
    toc_pair_test test = toc_pair_test_default();
    test.separation = ldexp(distance, a->exponent);
    if (query->poll) TOC_TRY(query->poll(query->user));
    return toc_pair_find_unchecked(query->kind, query->path->x0, query->path->x1, &test, query->scratch, hit);
}

// The features come within *high, and not within *low: shrink that range until it is as narrow as the accuracy. The
// best look is mostly the truth, so that the first test is right below it; each step down is four times the one before,
// and the range is halved once it has a new end below. It begins no wider than the limit, and the accuracy is at least
// 2^-20 of the limit: 10 steps down and 20 halvings at most.
static toc_status narrow_exactly(approach_search *a, double *low, double *high) {
    double down = 0.75 * a->close;
    for (int i = 0; i<EXACT_TESTS && * high - *low> a->close; i++) {
        const double tried = toc_larger(*high - down, (*low + *high) / 2);
        toc_hit hit;
        TOC_TRY(comes_within(a, tried, &hit));
        if (hit.verdict == TOC_APART) {
            *low = tried;
            down = INFINITY;
            continue;
        }
        look_at_time(a, hit.toc, NULL);
        *high = toc_smaller(tried, a->least);
        down *= 4;
    }
    return TOC_OK;
}

toc_status toc_approach_find(const toc_approach_query *query, toc_approach *out) {
    approach_search a;
    begin_approach(query, &a);
    double low = narrow_parts(&a);
    if (query->curved) polish_approach(&a);
    double high = toc_smaller(a.least, ldexp(query->limit, -a.exponent));
    const bool settled = low >= high - a.close || query->curved;
    if (!settled) TOC_TRY(narrow_exactly(&a, &low, &high));
    const double distance = toc_smaller(toc_larger(a.closest.distance, toc_smaller(low, high)), high);
    *out = (toc_approach){.time = a.time, .distance = ldexp(distance, a.exponent), .closest = a.closest};
    return TOC_OK;
}
