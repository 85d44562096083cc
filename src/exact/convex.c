// SPDX-License-Identifier: Apache-2.0
// When do two moving convex elements first touch? Separating axes with error bounds, for any two hulls.
//
// Along a fixed axis the gap of two corners is a polynomial of time whose control values bound it from below, so an
// axis on which all control values of all corner pairs are positive keeps the elements apart throughout. First such an
// axis is looked for over the whole step: it is found whenever one exists, since it separates the origin from the hull
// of all differences at all control points. Failing that, time advances: from an instant to the first zero of the gaps
// along the axis nearest there, and so on. Every step is certified before it is taken, hence nothing is missed; what
// stops the advance is a contact or cannot be told from one. Usually some 100 ns, a few rounds more for a contact.
// After Tang et al. 2011, "VolCCD" (continuous separating axes), and Zhang et al. 2006 (advancement).
#include "exact/convex.h"

#include <math.h>
#include <string.h>

#include "exact/decision.h"
#include "exact/pair.h"

// ---- paths

static inline double larger(double a, double b) { return a > b ? a : b; }

static double largest_coordinate(const toc_hull *hull) {
    double size = 0;
    for (int i = 0; i < 3 * hull->count; i++) {
        size = larger(size, larger(fabs(hull->x0[i]), fabs(hull->x1[i])));
        if (hull->control) size = larger(size, fabs(hull->control[i]));
    }
    return size;
}

/// Control points k of all corners of paths of a degree; NULL for the middle ones of straight paths.
static const double *control_of(const toc_hull *hull, int k, int degree) {
    return k == 0 ? hull->x0 : k == degree ? hull->x1 : hull->control;
}

/// Coordinates relative to a corner, so that only the size of things matters, not where they are.
static void place(const toc_hull *hull, int side, int k, const double *origin, double scale, toc_gap *path) {
    const double *at = control_of(hull, k, path->sets - 1);
    double *extent[3] = {&path->extent.x, &path->extent.y, &path->extent.z};
    for (int i = 0; i < hull->count; i++)
        for (int c = 0; c < 3; c++) {
            const double zero = origin[c] * scale;
            // The middle of a straight path is rounded once more, by what its ends measure from this origin.
            const double x0 = (at ? at : hull->x0)[3 * i + c] * scale - zero;
            const double x1 = at ? x0 : hull->x1[3 * i + c] * scale - zero;
            path->at[k][side][c][i] = 0.5 * x0 + 0.5 * x1;
            *extent[c] = larger(*extent[c], larger(fabs(x0), fabs(x1)));
        }
}

static void place_all(const toc_hull *a, const toc_hull *b, double scale, toc_gap *path) {
    path->sets = a->control || b->control ? 3 : 2;
    path->count[0] = a->count;
    path->count[1] = b->count;
    for (int k = 0; k < path->sets; k++) {
        const double *of_a = control_of(a, k, path->sets - 1), *origin = of_a ? of_a : b->control;
        place(a, 0, k, origin, scale, path);
        place(b, 1, k, origin, scale, path);
    }
}

static void scale_gap(toc_gap *gap, double scale) {
    double *at = &gap->at[0][0][0][0];
    for (size_t i = 0; i < sizeof gap->at / sizeof *at; i++) at[i] *= scale;
    gap->extent = toc_vec_scale(gap->extent, scale);
}

void toc_sweep_make(const toc_hull *a, const toc_hull *b, double separation, toc_sweep *out) {
    memset(out, 0, sizeof *out);
    // Differences of huge coordinates must not overflow; the bits lost are of no account beside them.
    const double huge = larger(largest_coordinate(a), largest_coordinate(b)) > 0x1p1000 ? 0x1p-8 : 1;
    place_all(a, b, huge, &out->path);
    out->unit = huge < 1 ? 8 : 0;
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

/// De Casteljau's value at (s, ..., e, ...): control value k of the part [s, e].
static double part_value(const double *p0, const double *p1, const double *p2, int k, double s, double e) {
    if (!p2) return k == 0 ? (1 - s) * *p0 + s * *p1 : (1 - e) * *p0 + e * *p1;
    const double u = k == 2 ? e : s, w = k == 0 ? s : e;
    return (1 - w) * ((1 - u) * *p0 + u * *p1) + w * ((1 - u) * *p1 + u * *p2);
}

void toc_sweep_part(const toc_sweep *sweep, double s, double e, toc_gap *out) {
    const toc_gap *path = &sweep->path;
    out->sets = s == e ? 1 : path->sets;
    out->extent = path->extent;
    out->separation = path->separation;
    for (int side = 0; side < 2; side++) {
        out->count[side] = path->count[side];
        for (int k = 0; k < out->sets; k++)
            for (int c = 0; c < 3; c++)
                for (int i = 0; i < path->count[side]; i++)
                    out->at[k][side][c][i] = part_value(&path->at[0][side][c][i], &path->at[1][side][c][i],
                                                        path->sets == 3 ? &path->at[2][side][c][i] : NULL, k, s, e);
    }
}

static double mean(const double *values, int count) {
    double sum = 0;
    for (int i = 0; i < count; i++) sum += values[i];
    return sum / count;
}

toc_vec toc_gap_middle(const toc_gap *gap) {
    double middle[3] = {0};
    for (int k = 0; k < gap->sets; k++)
        for (int c = 0; c < 3; c++)
            middle[c] += mean(gap->at[k][1][c], gap->count[1]) - mean(gap->at[k][0][c], gap->count[0]);
    return toc_vec_of(middle);
}

toc_vec toc_hull_corner(const toc_hull *hull, int corner, double t) {
    double at[3];
    for (int c = 0; c < 3; c++) {
        const int i = 3 * corner + c;
        at[c] = hull->control ? part_value(&hull->x0[i], &hull->control[i], &hull->x1[i], 0, t, t)
                              : part_value(&hull->x0[i], &hull->x1[i], NULL, 0, t, t);
    }
    return toc_vec_of(at);
}

// ---- advancing along one axis

/// What the corners' paths are along an axis: control values.
typedef struct shadow {
    int sets, count[2];
    double at[TOC_GAP_SETS][2][TOC_GAP_CORNERS];
    double slack; // how large a gap must be to be certain
} shadow;

static void cast_shadow(const toc_gap *path, toc_vec axis, shadow *out) {
    out->sets = path->sets;
    out->slack = toc_gap_slack(path, axis);
    for (int side = 0; side < 2; side++) {
        out->count[side] = path->count[side];
        for (int k = 0; k < path->sets; k++) {
            const double(*at)[TOC_GAP_CORNERS] = path->at[k][side];
            for (int i = 0; i < path->count[side]; i++)
                out->at[k][side][i] = at[0][i] * axis.x + at[1][i] * axis.y + at[2][i] * axis.z;
        }
    }
}

static void shadow_part(const shadow *whole, double s, double e, shadow *out) {
    out->sets = whole->sets;
    out->slack = whole->slack;
    for (int side = 0; side < 2; side++) {
        out->count[side] = whole->count[side];
        for (int k = 0; k < whole->sets; k++)
            for (int i = 0; i < whole->count[side]; i++)
                out->at[k][side][i] = part_value(&whole->at[0][side][i], &whole->at[1][side][i],
                                                 whole->sets == 3 ? &whole->at[2][side][i] : NULL, k, s, e);
    }
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
            for (int k = 0; k < part->sets; k++) q[k] = part->at[k][1][j] - part->at[k][0][i] - part->slack;
            zero = first_zero(q, part->sets, zero);
        }
    return zero;
}

/// How far from t the axis certainly keeps the elements apart: as far as `to`, or just short of the first zero.
static double advance(const toc_gap *path, toc_vec axis, double t, double to) {
    shadow whole, part;
    cast_shadow(path, axis, &whole);
    shadow_part(&whole, t, to, &part);
    if (certainly_apart(&part)) return to;
    const double zero = first_zero_of_all(&part);
    const double goal = zero < 1 ? t + (to - t) * zero * (1 - 0x1p-20) : to;
    // On straight paths the first try succeeds. Control values of parabolas are closer to them on shorter parts.
    double step = goal - t;
    for (int tries = 0; tries < 64 && t < goal; tries++) {
        const double next = step < goal - t ? t + step : goal;
        shadow_part(&whole, t, next, &part);
        if (certainly_apart(&part))
            t = next;
        else
            step /= 2;
    }
    return t;
}

// ---- the search

typedef struct search {
    const toc_hull *hull[2];
    const toc_pair_test *test;
    toc_sweep sweep;
    double t;      // nothing touches before
    toc_gjk there; // the last look at the instant t
} search;

/// Whether one fixed axis keeps the elements apart from s to e.
static bool apart_throughout(search *s, double from, double to, toc_vec first) {
    toc_gap part;
    toc_sweep_part(&s->sweep, from, to, &part);
    toc_gjk_find(&part, first, true, &s->there);
    return s->there.lower > 0;
}

static void look_at(search *s, double t, toc_vec first) {
    toc_gap instant;
    toc_sweep_part(&s->sweep, t, t, &instant);
    toc_gjk_find(&instant, first, false, &s->there);
}

/// Advance until the end (apart), until within the tolerance (hit), or until the axes are at their wits' end.
static toc_verdict advance_to_contact(search *s) {
    enum { MOST_STEPS = 256 };
    const toc_gap *path = &s->sweep.path;
    const double to = s->test->to;
    if (apart_throughout(s, s->t, to, toc_gap_middle(path))) return TOC_APART;
    for (int step = 0; step < MOST_STEPS; step++) {
        look_at(s, s->t, s->there.axis);
        if (!(s->there.lower > 0)) return TOC_UNDECIDED;
        if (ldexp(s->there.distance, s->sweep.unit) - s->test->separation <= s->test->tolerance) return TOC_HIT;
        const double next = advance(path, s->there.axis, s->t, to);
        if (next == to) return TOC_APART;
        if (!(next > s->t)) return TOC_UNDECIDED;
        s->t = next;
    }
    return TOC_UNDECIDED;
}

/// Whether the elements certainly overlap at a later instant, so that the undecided contact is one.
static bool overlaps_later(const search *s) {
    static const double when[] = {1, 0.5, 0.25, 0.0625};
    if (s->hull[0]->count + s->hull[1]->count < 5) return false; // nothing so flat has an inside
    for (size_t i = 0; i < sizeof when / sizeof *when; i++) {
        const double t = s->t + (s->test->to - s->t) * when[i];
        toc_gap instant;
        toc_gjk found;
        toc_sweep_part(&s->sweep, t, t, &instant);
        toc_gjk_find(&instant, s->there.axis, false, &found);
        if (toc_gjk_certainly_inside(&instant, &found)) return true;
    }
    return false;
}

/// Fill in where, from the simplex of the last look.
static void locate(const search *s, toc_convex_hit *hit) {
    const toc_gjk *g = &s->there;
    toc_vec point = {0};
    for (int i = 0; i < g->size; i++) {
        for (int side = 0; side < 2; side++) hit->weights[side][g->corner[side][i]] += g->weights[i];
        const toc_vec corner = toc_hull_corner(s->hull[1], g->corner[1][i], hit->toc);
        point = toc_vec_add(point, toc_vec_scale(corner, g->weights[i]));
    }
    toc_vec_to(hit->point, point);
    toc_vec_to(hit->normal, toc_vec_unit(toc_vec_scale(g->axis, -1)));
}

toc_status toc_convex_find_unchecked(const toc_hull *a, const toc_hull *b, const toc_pair_test *test,
                                     toc_arena *scratch, toc_convex_hit *out) {
    search s = {.hull = {a, b}, .test = test, .t = test->from};
    toc_convex_hit hit = {0};
    toc_sweep_make(a, b, test->separation, &s.sweep);
    hit.verdict = test->method == TOC_EXACT ? TOC_UNDECIDED : advance_to_contact(&s);
    if (hit.verdict == TOC_UNDECIDED && test->method != TOC_EXACT && overlaps_later(&s)) hit.verdict = TOC_HIT;
    hit.toc = s.t;
    if (hit.verdict == TOC_UNDECIDED && (test->exact || test->method == TOC_EXACT) && test->separation == 0)
        TOC_TRY(toc_decide_moving(a, b, s.t, test->to, scratch, &hit.verdict, &hit.toc));
    if (hit.verdict != TOC_APART) {
        look_at(&s, hit.toc, s.there.axis);
        locate(&s, &hit);
    }
    *out = hit;
    return TOC_OK;
}

// ---- the door

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

static toc_status check_test(const toc_pair_test *test) {
    toc_pair_test rest = test ? *test : (toc_pair_test){0};
    rest.method = TOC_EXACT; // which methods there are is another matter here
    TOC_TRY(toc_pair_test_check(&rest));
    if (test->method != TOC_CERTIFIED && test->method != TOC_EXACT)
        return toc_fail(TOC_BAD_INPUT, "convex elements are tested by the methods certified and exact, not by %s",
                        toc_method_name(test->method));
    if (test->method == TOC_EXACT && test->separation > 0)
        return toc_fail(TOC_BAD_INPUT, "the exact method takes a separation of 0 only, not %g", test->separation);
    return TOC_OK;
}

toc_status toc_convex_find(const toc_hull *a, const toc_hull *b, const toc_pair_test *test, toc_convex_hit *out) {
    TOC_TRY(check_test(test));
    TOC_TRY(toc_hull_check(a, "first"));
    TOC_TRY(toc_hull_check(b, "second"));
    toc_arena scratch = toc_arena_make(NULL);
    const toc_status status = toc_convex_find_unchecked(a, b, test, &scratch, out);
    toc_arena_free(&scratch);
    return status;
}
