// SPDX-License-Identifier: Apache-2.0
// When do two moving convex elements first touch? Separating axes with error bounds, for any two hulls.
//
// Along a fixed axis the gap of two corners is a polynomial of time, bounded from below by its control values. An axis
// with positive control values for all corner pairs therefore keeps the elements apart throughout. Such an axis is
// first sought over the whole step. It is found if one exists, because it separates the origin from the hull of all
// differences at all control points. Otherwise time advances from an instant to the first zero of the gaps along the
// closest direction there, and so on. Every step is certified before it is taken, hence no contact is missed. The
// advance stops at a contact, or at an instant that floating point cannot distinguish from one. Some hundred ns when
// apart, microseconds for a contact. After Tang et al. 2011, "VolCCD" (continuous separating axes), and Zhang et al.
// 2006 (advancement).
#include "convex/convex.h"
#include "base/arithmetic.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "convex/decision.h"
#include "pair/pair.h"

// ---- paths

static inline double larger(double a, double b) { return a > b ? a : b; }

/// Control points k of all corners of paths of a degree; NULL for the middle ones of straight paths.
static const double *control_of(const toc_hull *hull, int k, int degree) {
    return k == 0 ? hull->x0 : k == degree ? hull->x1 : hull->control;
}

/// Coordinates relative to a corner, so that errors depend on the size of the elements, not on their place. @return the
/// largest.
static double place(int count, const double *from, double zero, double scale, double *to) {
    double extent = 0;
    for (int i = 0; i < count; i++) {
        to[i] = from[3 * i] * scale - zero * scale;
        extent = larger(extent, fabs(to[i]));
    }
    return extent;
}

/// The middle of a straight path is rounded once more, by the sizes of its ends relative to its origin.
static double place_middle(const toc_hull *hull, int c, double zero, double scale, double *to) {
    double end[TOC_GAP_CORNERS];
    const double extent0 = place(hull->count, hull->x0 + c, zero, scale, to);
    const double extent1 = place(hull->count, hull->x1 + c, zero, scale, end);
    for (int i = 0; i < hull->count; i++) to[i] = 0.5 * to[i] + 0.5 * end[i];
    return larger(extent0, extent1);
}

static void place_all(const toc_hull *const hulls[2], double scale, toc_gap *path) {
    const int degree = path->sets - 1;
    double extent[3] = {0};
    for (int k = 0; k <= degree; k++) {
        const double *of_a = control_of(hulls[0], k, degree), *origin = of_a ? of_a : hulls[1]->control;
        for (int side = 0; side < 2; side++) {
            const double *from = control_of(hulls[side], k, degree);
            for (int c = 0; c < 3; c++) {
                double *to = path->at[k][side][c];
                extent[c] = larger(extent[c], from ? place(hulls[side]->count, from + c, origin[c], scale, to)
                                                   : place_middle(hulls[side], c, origin[c], scale, to));
            }
        }
    }
    path->extent = toc_vec_of(extent);
}

static void scale_gap(toc_gap *gap, double scale) {
    double *at = &gap->at[0][0][0][0];
    for (size_t i = 0; i < sizeof gap->at / sizeof *at; i++) at[i] *= scale;
    gap->extent = toc_vec_scale(gap->extent, scale);
}

void toc_hull_sweep_make(const toc_hull *a, const toc_hull *b, double separation, toc_hull_sweep *out) {
    assert(0 < a->count && a->count <= TOC_HULL_CORNERS && 0 < b->count && b->count <= TOC_HULL_CORNERS);
    memset(out, 0, sizeof *out);
    out->path.sets = a->control || b->control ? 3 : 2;
    out->path.count[0] = a->count;
    out->path.count[1] = b->count;
    place_all((const toc_hull *[]){a, b}, 1, &out->path);
    if (toc_vec_max(out->path.extent) > 0x1p1000) {
        // Differences of huge coordinates must not overflow; the bits lost are below their error.
        out->unit = 8;
        place_all((const toc_hull *[]){a, b}, 0x1p-8, &out->path);
    }
    const double size = toc_vec_max(out->path.extent);
    if (size > 0 && (size < 0x1p-10 || size > 0x1p10)) {
        // Products of four coordinates must neither overflow nor vanish. Two factors, since one may not be a double.
        const int exponent = ilogb(size), half = exponent / 2;
        scale_gap(&out->path, ldexp(1, -half));
        scale_gap(&out->path, ldexp(1, half - exponent));
        out->unit += exponent;
    }
    out->path.separation = separation > 0 ? ldexp(separation, -out->unit) : 0;
}

/// (1 - t) a + t b of as many numbers.
static inline void blend(int count, const double *restrict a, const double *restrict b, double t,
                         double *restrict out) {
    for (int i = 0; i < count; i++) out[i] = (1 - t) * a[i] + t * b[i];
}

enum { SET = 2 * 3 * TOC_GAP_CORNERS, SHADOW_SET = 2 * TOC_GAP_CORNERS }; // numbers in a set of each

/// Control values k of the part [s, e] of paths with the given control values, after de Casteljau.
static inline void part_values(int sets, int count, const double *from, int k, double s, double e, double *out) {
    if (sets == 2) {
        blend(count, from, from + count, k == 0 ? s : e, out);
        return;
    }
    const double u = k == 2 ? e : s, w = k == 0 ? s : e;
    double first[SET], second[SET];
    blend(count, from, from + count, u, first);
    blend(count, from + count, from + 2 * count, u, second);
    blend(count, first, second, w, out);
}

void toc_hull_sweep_part(const toc_hull_sweep *sweep, double s, double e, toc_gap *out) {
    assert(0 <= s && s <= e && e <= 1);
    assert(sweep->path.sets == 2 || sweep->path.sets == 3);
    const toc_gap *path = &sweep->path;
    out->sets = s == e ? 1 : path->sets;
    out->count[0] = path->count[0];
    out->count[1] = path->count[1];
    out->extent = path->extent;
    out->separation = path->separation;
    for (int k = 0; k < out->sets; k++)
        part_values(path->sets, SET, &path->at[0][0][0][0], k, s, e, &out->at[k][0][0][0]);
}

static double sum(const double *values, int count) {
    double all = 0;
    for (int i = 0; i < count; i++) all += values[i];
    return all;
}

toc_vec toc_gap_middle(const toc_gap *gap) {
    double middle[3] = {0};
    for (int k = 0; k < gap->sets; k++)
        for (int c = 0; c < 3; c++)
            middle[c] += sum(gap->at[k][1][c], gap->count[1]) * gap->count[0] -
                         sum(gap->at[k][0][c], gap->count[0]) * gap->count[1];
    return toc_vec_of(middle);
}

toc_vec toc_hull_corner(const toc_hull *hull, int corner, double t) {
    assert(0 <= corner && corner < hull->count && 0 <= t && t <= 1);
    const toc_vec x0 = toc_vec_of(&hull->x0[3 * corner]), x1 = toc_vec_of(&hull->x1[3 * corner]);
    if (!hull->control) return toc_vec_mix(x0, x1, t);
    const toc_vec control = toc_vec_of(&hull->control[3 * corner]);
    return toc_vec_mix(toc_vec_mix(x0, control, t), toc_vec_mix(control, x1, t), t);
}

// ---- advancing along one axis

/// The paths of the corners along an axis: control values.
typedef struct shadow {
    int sets, count[2];
    double at[TOC_GAP_SETS][2][TOC_GAP_CORNERS];
    double slack; // a gap is certain above this
    double aim;   // a little more: the gap to step to, so that rounding cannot spoil the proof there
} shadow;

static void cast_shadow(const toc_gap *path, toc_vec axis, shadow *out) {
    out->sets = path->sets;
    out->count[0] = path->count[0];
    out->count[1] = path->count[1];
    out->slack = toc_gap_slack(path, axis);
    out->aim = out->slack + TOC_GAP_ERROR / 4 * toc_vec_max(path->extent) * sqrt(toc_vec_dot(axis, axis));
    for (int k = 0; k < path->sets; k++)
        for (int side = 0; side < 2; side++)
            toc_gap_project(path->at[k][side], path->count[side], axis, out->at[k][side]);
}

static void shadow_part(const shadow *whole, double s, double e, shadow *out) {
    out->sets = whole->sets;
    out->count[0] = whole->count[0];
    out->count[1] = whole->count[1];
    out->slack = whole->slack;
    out->aim = whole->aim;
    for (int k = 0; k < whole->sets; k++)
        part_values(whole->sets, SHADOW_SET, &whole->at[0][0][0], k, s, e, &out->at[k][0][0]);
}

/// Whether all gaps are certainly positive throughout the part.
static bool certainly_apart(const shadow *part) {
    for (int k = 0; k < part->sets; k++) {
        double a = -INFINITY, b = INFINITY;
        for (int i = 0; i < part->count[0]; i++) a = larger(a, part->at[k][0][i]);
        for (int i = 0; i < part->count[1]; i++) b = -larger(-b, -part->at[k][1][i]);
        if (!(b - a > part->slack)) return false;
    }
    return true;
}

/// First zero in (0, most) of the polynomial with these control values on [0, 1], the first of them positive; or most.
static double first_zero(const double q[TOC_GAP_SETS], int sets, double most) {
    if (q[1] > 0 && q[sets - 1] > 0) return most;
    if (!(q[0] > 0)) return 0;
    const double slope = (sets - 1) * (q[1] - q[0]), bend = sets == 3 ? q[2] - 2 * q[1] + q[0] : 0;
    const double discriminant = slope * slope - 4 * bend * q[0];
    if (!(discriminant >= 0)) return most;
    const double below = sqrt(discriminant) - slope;
    const double zero = below > 0 ? 2 * q[0] / below : most;
    return zero < most ? zero : most;
}

/// First zero of all corner pairs' gaps, as a fraction of the part; 1 when there is none.
static double first_zero_of_all(const shadow *part) {
    double zero = 1;
    for (int i = 0; i < part->count[0]; i++)
        for (int j = 0; j < part->count[1]; j++) {
            double q[TOC_GAP_SETS];
            for (int k = 0; k < part->sets; k++) q[k] = part->at[k][1][j] - part->at[k][0][i] - part->aim;
            zero = first_zero(q, part->sets, zero);
        }
    return zero;
}

/// The time up to which the axis certainly keeps the elements apart: `to`, or just before a zero of the gaps.
static double sure_step(const shadow *whole, double t, double to, double zero) {
    const double goal = zero < 1 ? t + (to - t) * zero : to;
    // On straight paths the first try succeeds. Control values of parabolas are closer to them on shorter parts.
    double step = goal - t;
    for (int tries = 0; tries < 64 && t < goal; tries++) {
        const double next = step < goal - t ? t + step : goal;
        shadow part;
        shadow_part(whole, t, next, &part);
        if (certainly_apart(&part))
            t = next;
        else
            step /= 2;
    }
    return t;
}

/// The time at which the two nearest points meet if they stay the nearest, as a fraction of the part; 1 if they do not
/// meet.
static double nearest_meet(const shadow *part, const toc_gjk *g) {
    double q[TOC_GAP_SETS];
    for (int k = 0; k < part->sets; k++) {
        q[k] = -part->aim;
        for (int i = 0; i < g->size; i++)
            q[k] += g->weights[i] * (part->at[k][1][g->corner[1][i]] - part->at[k][0][g->corner[0][i]]);
    }
    return first_zero(q, part->sets, 1);
}

// ---- the search

typedef struct hull_search {
    const toc_hull *hull[2];
    const toc_pair_test *test;
    toc_hull_sweep sweep;
    double t;      // there is no contact before
    toc_gjk there; // the last search at the instant t
} hull_search;

/// Whether one fixed axis keeps the elements apart from s to e.
static bool apart_throughout(hull_search *s, double from, double to, toc_vec first) {
    toc_gap part;
    const bool whole = from == 0 && to == 1;
    if (!whole) toc_hull_sweep_part(&s->sweep, from, to, &part);
    toc_gjk_find(whole ? &s->sweep.path : &part, first, true, &s->there);
    return s->there.lower > 0;
}

static void look_at(hull_search *s, double t, toc_vec first) {
    toc_gap instant;
    toc_hull_sweep_part(&s->sweep, t, t, &instant);
    toc_gjk_find(&instant, first, false, &s->there);
}

/// Go on to a time if the closest direction there, or another axis, separates all the way from t. When elements
/// approach, the later axis is the better one: backwards in time its gaps only widen.
static bool leap(hull_search *s, double to) {
    toc_gap part;
    toc_gjk there, way;
    toc_hull_sweep_part(&s->sweep, to, to, &part);
    toc_gjk_find(&part, s->there.axis, false, &there);
    if (!(there.lower > 0)) return false;
    toc_hull_sweep_part(&s->sweep, s->t, to, &part);
    toc_gjk_find(&part, there.axis, true, &way);
    if (!(way.lower > 0)) return false;
    s->t = to;
    s->there = there;
    return true;
}

/// One step from t. A leap goes to just before the time at which the nearest points would meet, by a fraction that
/// shrinks as leaps succeed. If it fails, the step goes as far as the axis at t is certain. False if no progress is
/// certain.
static bool step_on(hull_search *s, double *short_of) {
    const double to = s->test->to;
    shadow whole = {0}, part;
    cast_shadow(&s->sweep.path, s->there.axis, &whole);
    shadow_part(&whole, s->t, to, &part);
    const double zero = certainly_apart(&part) ? 1 : first_zero_of_all(&part);
    const double sure = sure_step(&whole, s->t, to, zero);
    if (sure == to) {
        s->t = to;
        return true;
    }
    const double meet = nearest_meet(&part, &s->there);
    const double hoped = meet < 1 ? s->t + (to - s->t) * meet * (1 - *short_of) : to;
    if (hoped > sure && leap(s, hoped)) {
        *short_of = larger(*short_of * *short_of, 0x1p-20);
        return true;
    }
    *short_of = 0x1p-3;
    if (!(sure > s->t)) return false;
    s->t = sure;
    look_at(s, sure, s->there.axis);
    return true;
}

/// Advance until the end (apart), until within the tolerance (hit), or until no axis is certain (undecided).
static toc_verdict advance_to_contact(hull_search *s) {
    enum { MOST_STEPS = 256 };
    const double rounding = TOC_GAP_ERROR * toc_vec_max(s->sweep.path.extent); // a smaller step is not worth its cost
    const double near = s->sweep.path.separation + ldexp(s->test->tolerance, -s->sweep.unit);
    double short_of = 0x1p-3;
    if (apart_throughout(s, s->t, s->test->to, toc_gap_middle(&s->sweep.path))) return TOC_APART;
    look_at(s, s->t, s->there.axis);
    for (int step = 0; step < MOST_STEPS; step++) {
        if (!(s->there.lower > rounding)) return TOC_UNDECIDED;
        // The distance is rounded, and may be 0 where the gap proves more. It counts with a tolerance only.
        if (s->test->tolerance > 0 && s->there.distance <= near) return TOC_HIT;
        if (!step_on(s, &short_of)) return TOC_UNDECIDED;
        if (s->t == s->test->to) return TOC_APART;
    }
    return TOC_UNDECIDED;
}

/// Whether the elements certainly overlap there or at a later instant: then the undecided contact is a hit.
static bool certainly_touch(const hull_search *s) {
    static const double when[] = {1, 0.5, 0.25, 0.0625};
    if (s->hull[0]->count + s->hull[1]->count < 5) return false; // flatter elements have no certain inside
    if (toc_gjk_certainly_inside(&s->sweep.path, &s->there)) return true;
    for (size_t i = 0; i < sizeof when / sizeof *when; i++) {
        const double t = s->t + (s->test->to - s->t) * when[i];
        toc_gap instant;
        toc_gjk found;
        toc_hull_sweep_part(&s->sweep, t, t, &instant);
        toc_gjk_find(&instant, s->there.axis, false, &found);
        if (toc_gjk_certainly_inside(&instant, &found)) return true;
    }
    return false;
}

/// Fill in the place, from the simplex of the last search.
static void locate(const hull_search *s, toc_convex_hit *hit) {
    const toc_gjk *g = &s->there;
    toc_vec point = {0};
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < g->size; i++) hit->weights[side][g->corner[side][i]] += g->weights[i];
        toc_weights_tidy(s->hull[side]->count, hit->weights[side]);
    }
    for (int i = 0; i < s->hull[1]->count; i++) {
        if (hit->weights[1][i] == 0) continue;
        const toc_vec corner = toc_hull_corner(s->hull[1], i, hit->toc);
        point = toc_vec_add(point, toc_vec_scale(corner, hit->weights[1][i]));
    }
    toc_vec_to(hit->point, point);
    toc_vec_to(hit->normal, toc_vec_unit(toc_vec_scale(g->axis, -1)));
}

toc_status toc_convex_find_unchecked(const toc_hull *a, const toc_hull *b, const toc_pair_test *test,
                                     toc_arena *scratch, toc_convex_hit *out) {
    assert(0 <= test->from && test->from <= test->to && test->to <= 1);
    hull_search s = {.hull = {a, b}, .test = test, .t = test->from};
    const bool exact = test->method == TOC_METHOD_EXACT;
    toc_convex_hit hit = {.verdict = TOC_UNDECIDED};
    toc_hull_sweep_make(a, b, test->separation, &s.sweep);
    if (!exact) hit.verdict = advance_to_contact(&s);
    if (!exact && hit.verdict == TOC_UNDECIDED && certainly_touch(&s)) hit.verdict = TOC_HIT;
    hit.toc = s.t;
    if (hit.verdict == TOC_UNDECIDED && (exact || test->exact) && test->separation == 0)
        TOC_TRY(toc_decide_moving(a, b, test, s.t, scratch, &hit.verdict, &hit.toc));
    if (hit.verdict != TOC_APART) {
        if (exact || hit.toc > s.t) look_at(&s, hit.toc, s.there.axis);
        locate(&s, &hit);
    }
    *out = hit;
    return TOC_OK;
}

// ---- entry

toc_status toc_hull_check(const toc_hull *hull, const char *name) {
    if (!hull || hull->count < 1 || hull->count > TOC_HULL_CORNERS || !hull->x0 || !hull->x1)
        return toc_fail(TOC_BAD_INPUT, "the %s hull must have 1 to %d corners and their positions", name,
                        TOC_HULL_CORNERS);
    for (int i = 0; i < 3 * hull->count; i++)
        if (!isfinite(hull->x0[i]) || !isfinite(hull->x1[i]) || (hull->control && !isfinite(hull->control[i])))
            return toc_fail(TOC_BAD_INPUT, "a coordinate %c of corner %d of the %s hull is not finite", "xyz"[i % 3],
                            i / 3, name);
    return TOC_OK;
}

static toc_status take_convex_test(const toc_pair_test *given, toc_pair_test *test) {
    TOC_TRY(toc_pair_test_take(given, test));
    if (!toc_method_row_of(test->method)->convex)
        return toc_fail(TOC_BAD_INPUT, "convex elements are tested by the methods certified and exact, not by %s",
                        toc_method_get(test->method).name);
    if (test->method == TOC_METHOD_EXACT && test->separation > 0)
        return toc_fail(TOC_BAD_INPUT, "the exact method takes a separation of 0 only, not %g", test->separation);
    return TOC_OK;
}

toc_status toc_convex_find(const toc_hull *a, const toc_hull *b, const toc_pair_test *test, toc_convex_hit *out) {
    TOC_SCOPED_ARITHMETIC;
    toc_pair_test settings;
    TOC_NEED(out);
    TOC_TRY(take_convex_test(test, &settings));
    TOC_TRY(toc_hull_check(a, "first"));
    TOC_TRY(toc_hull_check(b, "second"));
    toc_arena scratch = toc_arena_make(NULL);
    const toc_status status = toc_convex_find_unchecked(a, b, &settings, &scratch, out);
    toc_arena_free(&scratch);
    return status;
}
