// SPDX-License-Identifier: Apache-2.0
// Ties in lanes: contacts at which rounding hides the sign of a share, as where a vertex passes over an edge.
//
// The operations of toc_predicate_pair, on its way to look_at_tie, and of toc_hit_place in their order: the bits are
// the same for any number of lanes, and those of the scalar functions. A lane which leaves this way (several changes of
// sign, a sign that stays unknown, no contact) is left to them. About 150 ns a pair with four lanes.
//
// The certified kernel may give up such a pair at once, because it cannot decide it later either. The cubic has one
// root in the step, so contact is there or nowhere, and the kernel calls no touching pair apart. Let M be the largest
// coordinate of the corners relative to the first one at the root, R that over the step, S the largest change of one,
// and u = 2^-53. The kernel calls a pair a hit only if all computed shares exceed need = 1024 M^3 (w S + 8 u R), where
// its two times around the root are w >= 2^-31 t apart. A computed share is off by less than 464 M^3 (w S + 8 u R): 384
// for the motion between the times, 80 for rounding. An error bound of a share here is below 384 M^3 (b S + 5 u R) +
// 640 u M^4, with a bracket b <= 2^-32 t: below 0.32 need. A share of at most half its error bound is below 0.48 need,
// so the kernel computes it below 0.94 need. A root in the last 2^-29 of the step is left: w may be smaller there.
#include "number/wide_double.h"
#include "pair/place.h"
#include "pair/predicate.h"
#include "pair/wide_place.h"

#define TIE_TINY 0x1p-1060       // as in predicate_tie.c
#define FINE_UNDERFLOW 0x1p-1000 // as in predicate_fine.c
#define LATEST_ROOT (1 - 0x1p-29)

// ---- the root

/// As find_cubic_root of predicate.c between 0 and 1.
static TOC_INLINE toc_wide wide_cubic_root(const toc_wide c[4]) {
    const toc_wide half = toc_wide_all(0.5), zero = toc_wide_all(0);
    toc_wide a = zero, b = toc_wide_all(1), t = half;
    const toc_mask rising = wide_cubic_at(c, a) < wide_cubic_at(c, b);
    toc_mask done = {0};
    for (int i = 0; i < 100 && toc_mask_any(~done); i++) {
        const toc_wide value = wide_cubic_at(c, t);
        const toc_mask before = ~((value < zero) ^ rising);
        a = toc_wide_select(before, t, a);
        b = toc_wide_select(before, b, t);
        const toc_wide newton = t - value / wide_slope_at(c, t);
        const toc_wide next = toc_wide_select((newton > a) & (newton < b), newton, (a + b) / toc_wide_all(2));
        done |= toc_wide_abs(next - t) <= toc_wide_all(2 * WIDE_UNIT) * t;
        t = toc_wide_select(done, t, next);
    }
    return t;
}

/// Times around the root, and whether they are certain and close.
typedef struct wide_bracket {
    toc_wide low, high;
    toc_mask known;
} wide_bracket;

/// As enclose_root of predicate.c between 0 and 1.
static TOC_INLINE wide_bracket wide_enclose_root(const wide_question *q, toc_wide root) {
    const toc_wide zero = toc_wide_all(0), error = q->cubic_error;
    toc_wide width =
        toc_wide_all(4 * WIDE_UNIT) * root + toc_wide_all(2) * error / toc_wide_abs(wide_slope_at(q->cubic, root));
    wide_bracket out = {root, root, {0}};
    toc_mask trying = root == root;
    for (int i = 0; i < 3 && toc_mask_any(trying); i++, width *= toc_wide_all(8)) {
        const toc_wide low = root - width, high = root + width;
        trying &= (low > zero) & (high < toc_wide_all(1)) & (high - low <= toc_wide_all(0x1p-32) * low);
        const toc_wide before = wide_cubic_at(q->cubic, low), after = wide_cubic_at(q->cubic, high);
        const toc_mask found = trying & (toc_wide_abs(before) > error) & (toc_wide_abs(after) > error) &
                               ((before < zero) ^ (after < zero));
        out.low = toc_wide_select(found, low, out.low);
        out.high = toc_wide_select(found, high, out.high);
        out.known |= found;
        trying &= ~found;
    }
    return out;
}

/// Whether the coefficients certainly change their sign once.
static TOC_INLINE toc_mask changes_once(const wide_question *q) {
    const toc_wide *c = q->cubic, zero = toc_wide_all(0);
    toc_mask certain = toc_wide_abs(c[0]) > q->cubic_error, below = c[0] < zero, changes = {0};
    toc_mask odd = below ^ below;
    for (int i = 1; i < 4; i++) {
        const toc_mask next = c[i] < zero, change = next ^ below;
        certain &= toc_wide_abs(c[i]) > q->cubic_error;
        odd |= changes & change; // a second one
        changes |= change;
        below = next;
    }
    return certain & changes & ~odd;
}

// ---- numbers with their own error bounds, as in predicate_tie.c

typedef struct wide_tie {
    toc_wide value, error;
} wide_tie;

typedef struct wide_tie3 {
    wide_tie x[3];
} wide_tie3;

static TOC_INLINE wide_tie wide_tie_difference(toc_wide a, toc_wide b) {
    const wide_dd difference = wide_dd_sum_of(a, -b);
    return (wide_tie){difference.high, toc_wide_abs(difference.low)};
}

static TOC_INLINE wide_tie wide_tie_select(toc_mask mask, wide_tie yes, wide_tie no) {
    return (wide_tie){toc_wide_select(mask, yes.value, no.value), toc_wide_select(mask, yes.error, no.error)};
}

static TOC_INLINE wide_tie wide_tie_mix(wide_tie a, wide_tie b, toc_wide t, toc_wide blur) {
    const toc_wide zero = toc_wide_all(0), one = toc_wide_all(1);
    const toc_wide size = toc_wide_abs(a.value) + toc_wide_abs(b.value);
    const toc_wide speed = toc_wide_abs(b.value - a.value) + toc_wide_all(2 * WIDE_UNIT) * size;
    const wide_tie mixed = {(one - t) * a.value + t * b.value,
                            wide_slack(toc_wide_all(5 * WIDE_UNIT) * size + blur * speed) + toc_wide_all(TIE_TINY)};
    return wide_tie_select((a.value == b.value) & (a.error == zero) & (b.error == zero), a, mixed);
}

static TOC_INLINE toc_mask wide_tie_is_zero(wide_tie a) {
    return (a.value == toc_wide_all(0)) & (a.error == toc_wide_all(0));
}

static TOC_INLINE wide_tie wide_tie_product(wide_tie a, wide_tie b) {
    const toc_wide zero = toc_wide_all(0), value = a.value * b.value;
    const toc_wide error = toc_wide_abs(a.value) * b.error + a.error * (toc_wide_abs(b.value) + b.error) +
                           toc_wide_all(WIDE_UNIT) * toc_wide_abs(value);
    return wide_tie_select(wide_tie_is_zero(a) | wide_tie_is_zero(b), (wide_tie){zero, zero},
                           (wide_tie){value, wide_slack(error) + toc_wide_all(TIE_TINY)});
}

/// a d - b c.
static TOC_INLINE wide_tie wide_tie_determinant(wide_tie a, wide_tie b, wide_tie c, wide_tie d) {
    const wide_tie ad = wide_tie_product(a, d), bc = wide_tie_product(b, c);
    const toc_wide value = ad.value + -bc.value;
    return (wide_tie){value, wide_slack(ad.error + bc.error + toc_wide_all(WIDE_UNIT) * toc_wide_abs(value))};
}

static TOC_INLINE wide_tie wide_tie_cross(const wide_tie3 *a, const wide_tie3 *b, int k) {
    const int l = (k + 1) % 3, m = (k + 2) % 3;
    return wide_tie_determinant(a->x[l], a->x[m], b->x[l], b->x[m]);
}

static TOC_INLINE toc_wide coordinate_of(wide3 a, int k) { return k == 0 ? a.x : k == 1 ? a.y : a.z; }

static TOC_INLINE wide_tie3 wide_tie_between(const wide_corners *c, int from, int to, toc_wide t, toc_wide blur) {
    wide_tie3 v;
    for (int k = 0; k < 3; k++)
        v.x[k] = wide_tie_mix(wide_tie_difference(coordinate_of(c->x0[to], k), coordinate_of(c->x0[from], k)),
                              wide_tie_difference(coordinate_of(c->x1[to], k), coordinate_of(c->x1[from], k)), t, blur);
    return v;
}

// ---- signs of shares

/// Vectors between two vertices, and a cross product of two of them for each share: as the rules of predicate_tie.c.
typedef struct tie_areas {
    wide_tie3 of[4][2];
    wide_tie normal[3];
} tie_areas;

static TOC_INLINE tie_areas make_tie_areas(toc_kind kind, const wide_corners *c, const wide_bracket *root) {
    const toc_wide t = root->low, blur = root->high - root->low;
    tie_areas areas;
    if (kind == TOC_VF) {
        const wide_tie3 to1 = wide_tie_between(c, 0, 1, t, blur), to2 = wide_tie_between(c, 0, 2, t, blur);
        const wide_tie3 to3 = wide_tie_between(c, 0, 3, t, blur);
        const wide_tie3 d = wide_tie_between(c, 1, 2, t, blur), e = wide_tie_between(c, 1, 3, t, blur);
        for (int k = 0; k < 3; k++) areas.normal[k] = wide_tie_cross(&d, &e, k);
        areas.of[0][0] = to2, areas.of[0][1] = to3;
        areas.of[1][0] = to3, areas.of[1][1] = to1;
        areas.of[2][0] = to1, areas.of[2][1] = to2;
        return areas;
    }
    const wide_tie3 d = wide_tie_between(c, 0, 1, t, blur), e = wide_tie_between(c, 2, 3, t, blur);
    const wide_tie3 r = wide_tie_between(c, 0, 2, t, blur);
    for (int k = 0; k < 3; k++) areas.normal[k] = wide_tie_cross(&d, &e, k);
    areas.of[0][0] = wide_tie_between(c, 2, 1, t, blur), areas.of[0][1] = e;
    areas.of[1][0] = r, areas.of[1][1] = e;
    areas.of[2][0] = d, areas.of[2][1] = wide_tie_between(c, 0, 3, t, blur);
    areas.of[3][0] = r, areas.of[3][1] = d;
    return areas;
}

/// As sign_of_share of predicate_tie.c: whether the share is certainly 0, and whether it is certainly above.
static TOC_INLINE toc_mask share_is_zero(const tie_areas *areas, int share, toc_mask *above) {
    toc_mask zero = {0}, open = toc_wide_all(0) == toc_wide_all(0);
    *above = zero;
    for (int k = 0; k < 3; k++) {
        const wide_tie n = areas->normal[k], area = wide_tie_cross(&areas->of[share][0], &areas->of[share][1], k);
        const toc_mask up = n.value > n.error, down = n.value < -n.error, sided = open & (up | down);
        const toc_mask more = area.value > area.error, less = area.value < -area.error, none = wide_tie_is_zero(area);
        zero |= sided & none;
        *above |= sided & ~none & ((up & more) | (down & less));
        open &= ~(sided & (none | more | less));
    }
    return zero;
}

/// As toc_shares_settle. @return the lanes in which all shares are at least 0, so that there is a tie.
static TOC_INLINE toc_mask settle_shares(toc_kind kind, const wide_corners *c, const wide_bracket *root,
                                         wide_shares *shares, toc_mask zero[4]) {
    const tie_areas areas = make_tie_areas(kind, c, root);
    toc_mask known = root->known, hidden = {0};
    for (int i = 0; i < (kind == TOC_VF ? 3 : 4); i++) {
        const toc_mask asked = ~(shares->at[i] > shares->error[i]);
        toc_mask above;
        zero[i] = asked ^ asked;
        if (!toc_mask_any(known & asked)) continue;
        zero[i] = asked & share_is_zero(&areas, i, &above);
        known &= ~asked | zero[i] | above;
        hidden |= shares->at[i] <= shares->error[i] * toc_wide_all(0.5);
    }
    return known & hidden;
}

// ---- the time

/// A vector in double-double precision, its largest component, and how far a component can be off.
typedef struct wide_fine3 {
    wide_dd x[3];
    toc_wide size, error;
} wide_fine3;

static TOC_INLINE toc_wide wide_fine_size(const wide_dd x[3]) {
    return toc_wide_max(toc_wide_max(wide_dd_size(x[0]), wide_dd_size(x[1])), wide_dd_size(x[2]));
}

/// As fine_then of predicate_fine.c.
static TOC_INLINE wide_fine3 wide_fine_between(const wide_corners *c, int from, int to, toc_wide t) {
    const wide_dd s = wide_dd_sum_of(toc_wide_all(1), -t), time = {t, toc_wide_all(0)};
    wide_fine3 out;
    toc_wide ever = toc_wide_all(0);
    for (int k = 0; k < 3; k++) {
        const wide_dd at0 = wide_dd_sum_of(coordinate_of(c->x0[to], k), -coordinate_of(c->x0[from], k));
        const wide_dd at1 = wide_dd_sum_of(coordinate_of(c->x1[to], k), -coordinate_of(c->x1[from], k));
        out.x[k] = wide_dd_add(wide_dd_multiply(at0, s), wide_dd_multiply(at1, time));
        ever = toc_wide_max(ever, toc_wide_max(wide_dd_size(at0), wide_dd_size(at1)));
    }
    out.size = wide_fine_size(out.x);
    out.error = wide_slack(toc_wide_all(5 * TOC_DD_ERROR) * ever);
    return out;
}

static TOC_INLINE toc_wide wide_fine_product_error(const wide_fine3 *a, const wide_fine3 *b) {
    return a->error * (b->size + b->error) + b->error * a->size;
}

/// As toc_fine_value.
static TOC_INLINE wide_dd wide_fine_value(toc_kind kind, const wide_corners *c, toc_wide t, toc_wide *error) {
    const int d0 = kind == TOC_VF ? 1 : 0, e0 = kind == TOC_VF ? 1 : 2;
    const wide_fine3 r = wide_fine_between(c, 0, e0, t), d = wide_fine_between(c, d0, d0 + 1, t);
    const wide_fine3 e = wide_fine_between(c, e0, 3, t);
    wide_fine3 n;
    wide_dd product[3];
    for (int k = 0; k < 3; k++) {
        const int l = (k + 1) % 3, m = (k + 2) % 3;
        n.x[k] = wide_dd_subtract(wide_dd_multiply(d.x[l], e.x[m]), wide_dd_multiply(d.x[m], e.x[l]));
    }
    n.size = wide_fine_size(n.x);
    n.error = wide_slack(toc_wide_all(2) * wide_fine_product_error(&d, &e) +
                         toc_wide_all(4 * TOC_DD_ERROR) * d.size * e.size);
    *error = wide_slack(toc_wide_all(3) * wide_fine_product_error(&r, &n) +
                        toc_wide_all(8 * TOC_DD_ERROR) * r.size * n.size) +
             toc_wide_all(FINE_UNDERFLOW);
    for (int k = 0; k < 3; k++) product[k] = wide_dd_multiply(r.x[k], n.x[k]);
    return wide_dd_add(wide_dd_add(product[0], product[1]), product[2]);
}

/// The next double towards 0, of one above 0.
static TOC_INLINE toc_wide wide_next_below(toc_wide a) {
    const toc_mask bits = (toc_mask)a - 1;
    return (toc_wide)bits;
}

/// The root rounded down, as toc_root_round_down. @return where it is certain.
static TOC_INLINE toc_mask round_root_down(toc_kind kind, const wide_corners *c, const wide_question *q,
                                           const wide_bracket *bracket, toc_wide *out) {
    const toc_wide width = bracket->high - bracket->low, t = bracket->low + width / toc_wide_all(2);
    toc_wide value_error, slope_error;
    const toc_wide value = wide_fine_value(kind, c, t, &value_error).high, size = toc_wide_abs(value);
    const toc_wide slope = wide_slope_around(q, t, width, &slope_error), steep = toc_wide_abs(slope);
    const toc_wide least = steep - slope_error, step = -value / slope;
    const toc_wide blunt = (value_error + toc_wide_all(WIDE_UNIT) * size) + size * (slope_error / steep);
    const toc_wide off = wide_slack(blunt / least + toc_wide_all(4 * WIDE_UNIT) * toc_wide_abs(step));
    const wide_dd root = wide_dd_sum_of(t, step);
    const toc_mask exact = root.low > off;
    *out = toc_wide_select(exact, root.high, wide_next_below(root.high));
    return (least > toc_wide_all(0)) & (off <= toc_wide_all(0x1p-56) * root.high) &
           (root.high <= toc_wide_all(LATEST_ROOT)) & (exact | (root.low < -off));
}

/// As weigh_tie of predicate.c.
static TOC_INLINE toc_mask weigh_in_lanes(toc_kind kind, const wide_corners *c, const wide_question *q, toc_wide time,
                                          const toc_mask zero[4], toc_wide weights[4]) {
    const toc_wide none = toc_wide_all(0);
    wide_shares shares = wide_shares_at(kind, c, q, time, toc_wide_all(0x1p-52) * time);
    for (int i = 0; i < (kind == TOC_VF ? 3 : 4); i++) {
        shares.at[i] = toc_wide_select(zero[i], none, toc_wide_max(shares.at[i], none));
        shares.error[i] = toc_wide_select(zero[i], none, shares.error[i]);
    }
    return wide_shares_weigh(kind, &shares, TOC_WEIGHT_ERROR, weights);
}

// ---- all

static TOC_INLINE toc_mask settle_ties(toc_kind kind, const wide_corners *c, toc_wide *time, wide_place *place) {
    const wide_question q = wide_question_of(kind, c);
    const wide_bracket root = wide_enclose_root(&q, wide_cubic_root(q.cubic));
    wide_shares shares = wide_shares_at(kind, c, &q, root.low, root.high - root.low);
    toc_mask zero[4], known = q.sized & changes_once(&q) & settle_shares(kind, c, &root, &shares, zero);
    known &= round_root_down(kind, c, &q, &root, time);
    return known & weigh_in_lanes(kind, c, &q, *time, zero, place->weights);
}

static TOC_INLINE size_t decide_all_ties(const toc_place_work *work, toc_kind kind, uint32_t *left) {
    size_t left_count = 0;
    for (size_t first = 0; first < work->count; first += TOC_LANES) {
        uint32_t at[TOC_LANES];
        const unsigned some = wide_work_block(work, first, at);
        const wide_corners c = wide_corners_load(&work->pairs, kind, at);
        toc_wide time;
        wide_place place;
        place.known = settle_ties(kind, &c, &time, &place);
        wide_place_from(kind, &c, time, &place);
        left_count += wide_place_keep(work, first, some, time, &place, left + left_count);
    }
    return left_count;
}

size_t TOC_FOR_LANES(toc_tie_kernel)(const toc_place_work *work, uint32_t *left) {
    return work->pairs.kind == TOC_VF ? decide_all_ties(work, TOC_VF, left) : decide_all_ties(work, TOC_EE, left);
}
