// SPDX-License-Identifier: Apache-2.0
// Roots of the coplanarity cubic, then the distance at each root: the classical elementary test.
//
// It can miss, for four known reasons. A grazing contact is a double root, which rounding can remove. The cubic's
// coefficients cancel, so that roots of small features far from the origin of their motion are lost. At an inaccurate
// root the features may be farther apart than the tolerance. A root at an end of the step, as after a cut, may be
// rounded to a time outside of the step. The time is right to rounding only, and may be later than the true one.
// Features that stay in one plane all the time have no cubic, and a distance at a root is rounded: both are left to
// exact arithmetic. Without it the answer is the published one, which calls every pair apart or touching: the roots are
// those that rounding leaves, and features within a millionth of their size touch. 160 to 210 ns.
//
// After Provot 1997, "Collision and self-collision handling in cloth model dedicated to design garments", and Bridson,
// Fedkiw and Anderson 2002, "Robust treatment of collisions, contact and friction for cloth animation".
#include <assert.h>

#include "pair/advancement.h"
#include "pair/pair.h"

enum { ROOT_ROUNDS = 80 };

typedef struct cubic {
    double c[4];  // lowest power first
    double noise; // the bound of a coefficient's rounding error
} cubic;

static double value(const cubic *f, double t) { return ((f->c[3] * t + f->c[2]) * t + f->c[1]) * t + f->c[0]; }
static double slope(const cubic *f, double t) { return (3 * f->c[3] * t + 2 * f->c[2]) * t + f->c[1]; }

// The volume spanned by two directions of the features and a vector between them, as a cubic of time.
static cubic coplanarity(const toc_moving *m, toc_kind kind) {
    static const int ends[2][3][2] = {[TOC_VF] = {{1, 2}, {1, 3}, {1, 0}}, [TOC_EE] = {{0, 1}, {2, 3}, {0, 2}}};
    toc_vec p[3], v[3];
    double length[3];
    for (int i = 0; i < 3; i++) {
        const int from = ends[kind][i][0], to = ends[kind][i][1];
        p[i] = toc_vec_sub(m->y0[to], m->y0[from]);
        v[i] = toc_vec_sub(toc_vec_sub(m->y1[to], m->y1[from]), p[i]);
        length[i] = toc_vec_max(p[i]) + toc_vec_max(v[i]);
    }
    const toc_vec n0 = toc_vec_cross(p[0], p[1]), n2 = toc_vec_cross(v[0], v[1]);
    const toc_vec n1 = toc_vec_add(toc_vec_cross(p[0], v[1]), toc_vec_cross(v[0], p[1]));
    // Each vector is off by a few units in the last place of the size; a volume sums six products of three.
    const double products = length[0] * length[1] + length[1] * length[2] + length[2] * length[0];
    return (cubic){{toc_vec_dot(p[2], n0), toc_vec_dot(p[2], n1) + toc_vec_dot(v[2], n0),
                    toc_vec_dot(p[2], n2) + toc_vec_dot(v[2], n1), toc_vec_dot(v[2], n2)},
                   32 * DBL_EPSILON * m->size * products};
}

static bool stays_flat(const cubic *f) {
    for (int i = 0; i < 4; i++)
        if (!(fabs(f->c[i]) <= f->noise)) return false;
    return true;
}

// Times in (from, to) where the slope is zero, ascending.
static int turning_points(const cubic *f, double from, double to, double out[2]) {
    const double a = 3 * f->c[3], b = f->c[2], c = f->c[1], d = b * b - a * c;
    if (!(d > 0)) return 0;
    const double q = -(b + copysign(sqrt(d), b)); // no cancellation: the other root is c / q
    const double r[2] = {q / a, c / q};
    const int first = !(r[0] < r[1]);
    int count = 0;
    for (int i = 0; i < 2; i++) {
        const double t = r[first ^ i];
        if (t > from && t < to) out[count++] = t;
    }
    return count;
}

// The root between two times of opposite sign: Newton's step where it stays between them, else half way.
static double root_between(const cubic *f, double low, double high) {
    const bool rising = value(f, low) < 0;
    double t = 0.5 * (low + high);
    for (int i = 0; i < ROOT_ROUNDS && low < high; i++) {
        const double y = value(f, t);
        if (y == 0) return t;
        if ((y < 0) == rising) {
            low = t;
        } else {
            high = t;
        }
        const double newton = t - y / slope(f, t), next = newton > low && newton < high ? newton : 0.5 * (low + high);
        if (fabs(next - t) <= DBL_EPSILON * t) return next;
        t = next;
    }
    return t;
}

static bool close_at(const toc_moving *m, toc_kind kind, double t, double tolerance) {
    toc_vec x[4];
    for (int i = 0; i < 4; i++) x[i] = toc_vec_mix(m->y0[i], m->y1[i], t);
    return toc_feature_query_of(kind).closest(x).distance <= tolerance;
}

static toc_verdict first_root_in_step(const toc_moving *m, toc_kind kind, const toc_pair_test *test, double *toc) {
    const cubic f = coplanarity(m, kind);
    *toc = test->from;
    if (!(m->size > TOC_DISTANCE_LEAST && m->size < TOC_DISTANCE_REACH)) return TOC_UNDECIDED;
    if (test->exact && stays_flat(&f)) return TOC_UNDECIDED;
    toc_stop stop = toc_stop_of(test, m->size);
    if (!test->exact) stop.within = TOC_HIT;
    const double near = stop.distance + test->separation;
    double at[4] = {test->from};
    *toc = test->from;
    if (test->separation > 0 && close_at(m, kind, test->from, near)) return stop.within;
    const int turns = turning_points(&f, test->from, test->to, at + 1);
    at[1 + turns] = test->to;
    for (int i = 0; i <= turns; i++) {
        const double low = value(&f, at[i]), high = value(&f, at[i + 1]);
        if (low * high > 0) continue;
        *toc = low == 0 ? at[i] : high == 0 ? at[i + 1] : root_between(&f, at[i], at[i + 1]);
        if (close_at(m, kind, *toc, near)) return stop.within;
    }
    *toc = test->to; // Bridson et al. try the end as well, against rounding there
    return close_at(m, kind, test->to, near) ? stop.within : TOC_APART;
}

toc_status toc_cubic_pair(toc_kind kind, const double x0[4][3], const double x1[4][3], const toc_pair_test *test,
                          toc_arena *scratch, toc_hit *out) {
    assert(kind == TOC_VF || kind == TOC_EE);
    (void)scratch;
    toc_moving moving;
    toc_moving_set(&moving, 4, x0, x1);
    out->verdict = first_root_in_step(&moving, kind, test, &out->toc);
    if (out->verdict != TOC_APART) toc_hit_locate(kind, x0, x1, out);
    return TOC_OK;
}
