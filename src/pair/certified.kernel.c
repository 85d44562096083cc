// SPDX-License-Identifier: Apache-2.0
// Separating axes with error bounds, TOC_LANES pairs at a time.
//
// Take any axis n between two convex features with linearly moving corners. The gap of corner i of the first and corner
// j of the second along n is linear in t; while all gaps are positive the features are apart. This holds for any n.
// Only the signs of a few sums must be certain, and a sign counts only if the sum exceeds its error. So no pair that
// touches in exact arithmetic is called apart, for any input.
//
// A few axes are first tried on every pair for the whole step (axes.h). The remaining pairs advance in rounds. A round
// goes to just before the corners come into one plane, while the determinant is certainly not zero. From there it
// continues along the closest direction, while that separates. A contact is proved by a change of sign of the
// determinant while the features are well over each other. Pairs without either proof stay undecided.
//
// The advancement is ours. Cost: about 15 ns for a pair that the first axes separate, a few hundred for one that
// touches.
#include "pair/certified.h"
#include "pair/axes.h"
#include "pair/closest.h"

// Every gap computed here, at the ends or at a time between, is off by less than GAP_ERROR times S = sum_k R_k |n_k|,
// R_k being the largest relative coordinate at either end. With u = 2^-53: a difference of coordinates is off by u of
// itself, a dot product by 3 u S more, the difference of two of those by 4 + 4 + 2 = 10 u S, mixing two ends by t
// another 6 u S, subtracting the bound 3 u S: 19 u S together, and S itself is computed 5 u too small at worst.
// 32 u is above that.
#define GAP_ERROR 0x1p-48
// The error that underflow can add: products below 2^-1022 are off by 2^-1075 each, and scaled coordinates likewise.
#define UNDERFLOW_ERROR 0x1p-1000
// A quotient of positive sums rounded down or up: one sum, one division and this product, below 3 u.
#define ROUND_DOWN (1 - 0x1p-50)
#define ROUND_UP (1 + 0x1p-50)
// A length as the sum of squares and its root: 4 u, and a sum with another: 8 u is above.
#define LENGTH_UP (1 + 0x1p-50)
// The relative accuracy of a time: 2^-30 is below 1e-9.
#define TIME_PART 0x1p-30
// One pair in a million of a real frame needs as many rounds; it stays undecided.
#define ROUND_LIMIT 64
// Newton's steps to guess a zero: they double its digits, so that the chord's zero has all of them after five.
#define NEWTON_STEPS 5

/// The three other corners relative to the first one, and the largest size of their coordinates over the step.
typedef struct motion {
    wide3 start[3], end[3], reach;
    toc_wide sum; // of all coordinates; not finite if one of them is not
} motion;

/// An axis separates between two times, both excluded.
typedef struct time_span {
    toc_wide enter, leave;
} time_span;

/// The most pairs of a work. A file that includes this one may have less.
#ifndef CERTIFIED_ROOM
#define CERTIFIED_ROOM TOC_CERTIFIED_CHUNK
#endif

/// Pairs still to be decided, and the time up to which each is certainly apart.
typedef struct queue {
    size_t count;
    uint32_t at[CERTIFIED_ROOM + TOC_LANES];
    double time[CERTIFIED_ROOM + TOC_LANES];
} queue;

/// Places ascend, but the last place of a queue may be repeated.
static inline int in_a_row(const uint32_t *at) {
    int row = 1;
    for (uint32_t i = 1; i < TOC_LANES; i++) row &= at[i] == at[0] + i;
    return row;
}

static inline toc_wide load_column(const double *from, const uint32_t *at) {
    if (in_a_row(at)) return toc_wide_load(from + at[0]);
    toc_wide w;
    for (int i = 0; i < TOC_LANES; i++) w[i] = from[at[i]];
    return w;
}

static inline wide3 load_pair_corner(const toc_pair_batch *pairs, toc_kind kind, int end, int k, const uint32_t *at) {
    if (!pairs->vertices) {
        const double *const *columns = (end ? pairs->x1 : pairs->x0) + 3 * k;
        return (wide3){load_column(columns[0], at), load_column(columns[1], at), load_column(columns[2], at)};
    }
    const int second = k > (kind == TOC_VF ? 0 : 1);
    const double *body = end ? pairs->body1[second] : pairs->body0[second], *from[TOC_LANES];
    for (int i = 0; i < TOC_LANES; i++) from[i] = body + 3 * (size_t)pairs->vertices[at[i]][k];
    toc_wide corner[3];
    toc_wide_load3(from, corner);
    return (wide3){corner[0], corner[1], corner[2]};
}

static inline motion load_motion(const toc_pair_batch *pairs, toc_kind kind, const uint32_t *at) {
    motion m;
    m.sum = toc_wide_all(0);
    const wide3 origin0 = load_pair_corner(pairs, kind, 0, 0, at), origin1 = load_pair_corner(pairs, kind, 1, 0, at);
    for (int k = 0; k < 3; k++) {
        m.start[k] = wide3_sub(load_pair_corner(pairs, kind, 0, k + 1, at), origin0);
        m.end[k] = wide3_sub(load_pair_corner(pairs, kind, 1, k + 1, at), origin1);
        const wide3 most = wide3_max(wide3_abs(m.start[k]), wide3_abs(m.end[k]));
        m.sum += wide3_sum(m.start[k]) + wide3_sum(m.end[k]);
        m.reach = k ? wide3_max(m.reach, most) : most;
    }
    return m;
}

/// Whether all coordinates are finite and in range. Other pairs stay undecided here.
static inline toc_mask fits(const motion *m) {
    const toc_wide reach = wide3_largest(m->reach);
    return (reach >= toc_wide_all(TOC_CERTIFIED_SMALLEST)) & (reach <= toc_wide_all(TOC_CERTIFIED_LARGEST)) &
           (m->sum - m->sum == toc_wide_all(0));
}

static inline wide3 mix(wide3 a, wide3 b, toc_wide t) {
    return wide3_add(wide3_scale(a, toc_wide_all(1) - t), wide3_scale(b, t));
}

static inline void at_time(const motion *m, toc_wide t, wide3 out[3]) {
    for (int k = 0; k < 3; k++) out[k] = mix(m->start[k], m->end[k], t);
}

/// The bound that a gap along the axis must exceed: its error, and the separation.
static inline toc_wide margin(const motion *m, wide3 n, double separation) {
    const toc_wide error = wide3_dot(m->reach, wide3_abs(n)) * toc_wide_all(GAP_ERROR) + toc_wide_all(UNDERFLOW_ERROR);
    if (separation == 0) return error;
    const toc_wide length = toc_wide_sqrt(wide3_dot(n, n) + toc_wide_all(UNDERFLOW_ERROR));
    return error + length * toc_wide_all(separation * LENGTH_UP) * toc_wide_all(LENGTH_UP);
}

static inline void project(const wide3 corners[3], wide3 n, toc_wide out[3]) {
    for (int k = 0; k < 3; k++) out[k] = wide3_dot(corners[k], n);
}

static inline wide3 normal_of(toc_kind kind, const wide3 r[3]) {
    return kind == TOC_VF ? wide3_cross(wide3_sub(r[1], r[0]), wide3_sub(r[2], r[0]))
                          : wide3_cross(r[0], wide3_sub(r[2], r[1]));
}

/// Whether an axis separates from `from` to `to`. A coordinate at a time between the ends is off by 5 u R instead of u,
/// so a gap is off by 21 u S where GAP_ERROR counts 19. A separation counts along each coordinate, which is more than
/// its length.
static inline unsigned apart_by_first_axes(const toc_certified_work *work, toc_kind kind, const motion *m) {
    ends e;
    memcpy(e.start, m->start, sizeof e.start), memcpy(e.end, m->end, sizeof e.end);
    if (work->from > 0 || work->to < 1) ends_cut(&e, work->from, work->to);
    const toc_wide keep = toc_wide_all(work->separation * LENGTH_UP);
    wide3 blur = wide3_scale(m->reach, toc_wide_all(GAP_ERROR));
    blur = (wide3){blur.x + keep, blur.y + keep, blur.z + keep};
    return axes_separate(kind, &e, axes_first(kind, &e), blur, UNDERFLOW_ERROR);
}

/// Whether a coordinate of the second feature is above that of the first at one end of the step, for all corners.
/// Rounding is monotonic: where one rounded difference from the first corner is larger than another, so are the exact
/// ones. No error bound is needed, so grids whose lines differ by the last bit are told apart.
static inline toc_mask is_above(toc_kind kind, toc_wide r0, toc_wide r1, toc_wide r2) {
    const toc_wide zero = toc_wide_all(0), low = toc_wide_min(r1, r2);
    return kind == TOC_VF ? toc_wide_min(low, r0) > zero : low > toc_wide_max(r0, zero);
}

static inline toc_mask is_beside(toc_kind kind, const toc_wide start[3], const toc_wide end[3]) {
    return (is_above(kind, start[0], start[1], start[2]) & is_above(kind, end[0], end[1], end[2])) |
           (is_above(kind, -start[0], -start[1], -start[2]) & is_above(kind, -end[0], -end[1], -end[2]));
}

/// The gap of two corners along a coordinate is linear in time, so one that is above 0 at both ends always is.
static inline unsigned apart_by_coordinates(toc_kind kind, const motion *m) {
    const wide3 *s = m->start, *e = m->end;
    return toc_mask_bits(is_beside(kind, (toc_wide[3]){s[0].x, s[1].x, s[2].x}, (toc_wide[3]){e[0].x, e[1].x, e[2].x}) |
                         is_beside(kind, (toc_wide[3]){s[0].y, s[1].y, s[2].y}, (toc_wide[3]){e[0].y, e[1].y, e[2].y}) |
                         is_beside(kind, (toc_wide[3]){s[0].z, s[1].z, s[2].z}, (toc_wide[3]){e[0].z, e[1].z, e[2].z}));
}

/// Narrow a span by one gap with lower bounds g0 and g1 at the ends. A linear function is above zero on one side of
/// its zero g0 / (g0 - g1), whose sum has no cancellation as the bounds differ in sign.
static inline void span_narrow(time_span *s, toc_wide g0, toc_wide g1) {
    const toc_wide zero = toc_wide_all(0);
    const toc_wide at = g0 / (g0 - g1);
    const toc_mask falls = (g0 > zero) & ~(g1 > zero), rises = ~(g0 > zero) & (g1 > zero);
    const toc_mask never = ~(g0 > zero) & ~(g1 > zero);
    const toc_wide leave = toc_wide_select(falls, at * toc_wide_all(ROUND_DOWN), s->leave);
    const toc_wide enter = toc_wide_select(rises, at * toc_wide_all(ROUND_UP), s->enter);
    s->leave = toc_wide_min(s->leave, leave);
    s->enter = toc_wide_select(never, toc_wide_all(2), toc_wide_max(s->enter, enter));
}

/// The times at which the axis, pointing from the first feature to the second, separates.
static inline time_span span_of(const toc_certified_work *work, toc_kind kind, const motion *m, wide3 n) {
    toc_wide start[3], end[3];
    project(m->start, n, start), project(m->end, n, end);
    const toc_wide need = margin(m, n, work->separation);
    time_span s = {toc_wide_all(-1), toc_wide_all(2)};
    if (kind == TOC_VF) span_narrow(&s, start[0] - need, end[0] - need);
    for (int k = 1; k < 3; k++) {
        span_narrow(&s, start[k] - need, end[k] - need);
        if (kind == TOC_EE) span_narrow(&s, start[k] - start[0] - need, end[k] - end[0] - need);
    }
    return s;
}

static inline time_span span_select(toc_mask mask, time_span yes, time_span no) {
    return (time_span){toc_wide_select(mask, yes.enter, no.enter), toc_wide_select(mask, yes.leave, no.leave)};
}

static inline closest wide_closest_at(toc_kind kind, const motion *m, toc_wide t) {
    wide3 r[3];
    at_time(m, t, r);
    return kind == TOC_VF ? closest_vertex_face(r) : closest_edge_edge(r);
}

/// Whether two points of the features are certainly this close. The difference is off by 4 u R_k from the time, by
/// 12 u R_k from the weights and their sum: less than GAP_ERROR times the reach in each coordinate.
static inline toc_mask within(const motion *m, wide3 difference, toc_wide distance) {
    const toc_wide error = (m->reach.x + m->reach.y + m->reach.z) * toc_wide_all(GAP_ERROR);
    return toc_wide_sqrt(wide3_dot(difference, difference)) * toc_wide_all(LENGTH_UP) + error <= distance;
}

/// The time at which the closest points at t would be as close as the separation, if they kept their weights and their
/// direction.
static inline toc_wide foresee(const toc_certified_work *work, const motion *m, const closest *c, toc_wide t) {
    wide3 velocity[3];
    for (int k = 0; k < 3; k++) velocity[k] = wide3_sub(m->end[k], m->start[k]);
    const toc_wide squared = wide3_dot(c->difference, c->difference);
    const toc_wide approach = -wide3_dot(closest_weigh(c->weights, velocity), c->difference);
    const toc_wide ahead = (squared - toc_wide_sqrt(squared) * toc_wide_all(work->separation)) / approach;
    const toc_wide to = toc_wide_all(work->to);
    return toc_wide_select(ahead > toc_wide_all(0), toc_wide_min(t + ahead, to), to);
}

// ---- the plane of touching features: they are apart while the determinant of their corners is not 0

static inline toc_wide wide_determinant(const wide3 r[3]) { return wide3_dot(r[0], wide3_cross(r[1], r[2])); }

/// The largest coordinate at two times.
static inline toc_wide size_of(const wide3 r[3], const wide3 e[3]) {
    toc_wide size = toc_wide_all(0);
    for (int k = 0; k < 3; k++) size = toc_wide_max(size, wide3_largest(wide3_max(wide3_abs(r[k]), wide3_abs(e[k]))));
    return size;
}

/// The determinant from one time to another, as a cubic in Bernstein form: it lies between its coefficients.
typedef struct wide_cubic {
    toc_wide b[4], error;
} wide_cubic;

/// A coefficient is the mean of three determinants of coordinates up to M, each off by 4 u R: 72 u M^2 R; at most nine
/// roundings of each of their products: 54 u M^3; and splitting it (cubic_keeps_sign) costs 54 u M^3 more: below
/// 2^-45 M^2 R.
static inline wide_cubic cubic_between(const motion *m, toc_wide from, toc_wide to) {
    wide3 r[3], e[3];
    at_time(m, from, r), at_time(m, to, e);
    const toc_wide third = toc_wide_all(1.0 / 3), size = size_of(r, e);
    const wide3 c0 = wide3_cross(r[1], r[2]), c2 = wide3_cross(e[1], e[2]);
    const wide3 c1 = wide3_add(wide3_cross(r[1], e[2]), wide3_cross(e[1], r[2]));
    return (wide_cubic){{wide3_dot(r[0], c0), (wide3_dot(e[0], c0) + wide3_dot(r[0], c1)) * third,
                         (wide3_dot(e[0], c1) + wide3_dot(r[0], c2)) * third, wide3_dot(e[0], c2)},
                        toc_wide_all(0x1p-45) * size * size * wide3_largest(m->reach)};
}

/// Whether the cubic is certainly not 0 on [0, x]: its coefficients there (de Casteljau) have one sign.
static inline toc_mask cubic_keeps_sign(const wide_cubic *f, toc_wide x) {
    const toc_wide y = toc_wide_all(1) - x, *b = f->b;
    const toc_wide b01 = b[0] * y + b[1] * x, b12 = b[1] * y + b[2] * x, b23 = b[2] * y + b[3] * x;
    const toc_wide b012 = b01 * y + b12 * x, b123 = b12 * y + b23 * x, b0123 = b012 * y + b123 * x;
    const toc_wide low = toc_wide_min(toc_wide_min(b[0], b01), toc_wide_min(b012, b0123));
    const toc_wide high = toc_wide_max(toc_wide_max(b[0], b01), toc_wide_max(b012, b0123));
    return (low > f->error) | (high < -f->error);
}

/// A guess at the first zero in [0, 1] by Newton's method, from the chord's zero or from the left, and the slope there.
static inline toc_wide cubic_guess_zero(const wide_cubic *f, toc_wide *slope) {
    const toc_wide three = toc_wide_all(3), *b = f->b;
    const toc_wide a1 = three * (b[1] - b[0]), a2 = three * (b[2] - b[1]) - a1, a3 = b[3] - b[0] - a1 - a2;
    const toc_mask changes = (b[0] > toc_wide_all(0)) != (b[3] > toc_wide_all(0));
    toc_wide x = toc_wide_select(changes, wide_clamp(b[0] / (b[0] - b[3])), toc_wide_all(0));
    for (int i = 0; i < NEWTON_STEPS; i++) {
        *slope = (three * a3 * x + a2 + a2) * x + a1;
        x = wide_clamp(x - (((a3 * x + a2) * x + a1) * x + b[0]) / *slope);
    }
    return x;
}

/// Whether the features are certainly over each other while the corners stay within `blur` of r in each coordinate:
/// seen along the common normal, the vertex is in the face, or the edges cross. The quantities below are sums of
/// products of four differences of coordinates; with M the largest coordinate, a blur of at most M / 1024 changes them
/// by less than 600 M^3 blur, and rounding, as the blur is at least 8 u M, by less than 150 M^3 blur.
/// @param tie receives the pairs that are over each other or, within the error, at an edge.
static inline toc_mask over_each_other(toc_kind kind, const wide3 r[3], toc_wide size, toc_wide blur, toc_mask *tie) {
    const wide3 n = normal_of(kind, r);
    const toc_wide need = toc_wide_all(1024) * size * size * size * blur;
    const toc_mask sharp = blur * toc_wide_all(1024) <= size;
    toc_wide least;
    if (kind == TOC_VF) {
        const toc_wide u = wide3_dot(wide3_cross(r[1], r[2]), n), w = wide3_dot(wide3_cross(r[2], r[0]), n);
        least = toc_wide_min(toc_wide_min(u, w), wide3_dot(wide3_cross(r[0], r[1]), n));
    } else {
        const toc_wide whole = wide3_dot(n, n);
        const toc_wide u = wide3_dot(wide3_cross(r[1], wide3_sub(r[2], r[1])), n);
        const toc_wide w = wide3_dot(wide3_cross(r[1], r[0]), n);
        least = toc_wide_min(toc_wide_min(u, whole - u), toc_wide_min(w, whole - w));
    }
    *tie = sharp & (least > -need);
    return sharp & (least > need);
}

/// Whether there is certainly a contact between two times: the determinant changes its sign, so all corners are in a
/// plane at some time between, and the features are over each other all the while.
/// The determinant is six products of three coordinates, each off by 4 u R: 72 u M^2 R, and 30 u M^3 of rounding.
static inline toc_mask crosses(toc_kind kind, const motion *m, toc_wide low, toc_wide high, toc_mask *tie) {
    wide3 before[3], after[3];
    at_time(m, low, before), at_time(m, high, after);
    toc_wide speed = toc_wide_all(0);
    for (int k = 0; k < 3; k++)
        speed = toc_wide_max(speed, wide3_largest(wide3_abs(wide3_sub(m->end[k], m->start[k]))));
    const toc_wide size = size_of(before, after);
    const toc_wide reach = wide3_largest(m->reach), error = toc_wide_all(0x1p-46) * size * size * reach;
    const toc_wide f = wide_determinant(before), g = wide_determinant(after);
    const toc_mask changes = ((f > error) & (g < -error)) | ((f < -error) & (g > error));
    const toc_wide blur = (high - low) * speed * toc_wide_all(LENGTH_UP) + reach * toc_wide_all(0x1p-50);
    const toc_mask over = over_each_other(kind, after, size, blur, tie);
    *tie &= changes;
    return changes & over;
}

// ---- rounds

static inline void queue_push(queue *q, uint32_t at, double time) {
    q->at[q->count] = at;
    q->time[q->count++] = time;
}

/// Repeat the last pair behind the end, so that whole blocks can be loaded.
static inline void queue_pad(queue *q) {
    if (q->count == 0) return;
    for (int i = 0; i < TOC_LANES; i++) {
        q->at[q->count + (size_t)i] = q->at[q->count - 1];
        q->time[q->count + (size_t)i] = q->time[q->count - 1];
    }
}

static inline void answer(const toc_certified_work *work, uint32_t at, toc_verdict verdict, double time) {
    work->verdicts[at] = verdict;
    work->times[at] = time;
}

static inline unsigned block_bits(size_t count, size_t first) {
    return count - first >= TOC_LANES ? (1u << TOC_LANES) - 1 : (1u << (count - first)) - 1;
}

static inline void count_rounds(const toc_certified_work *work, const queue *q) {
    if (!work->rounds) return;
    for (size_t i = 0; i < q->count; i++) work->rounds[q->at[i]]++;
}

/// Try the first axes on all pairs; put the pairs that they do not separate into the queue. Pairs out of range stay
/// undecided. Behind the prefilter one pair in a hundred would be separated: it is called apart later, or by exact
/// arithmetic.
static inline void try_first_axes(const toc_certified_work *work, toc_kind kind, queue *rest) {
    rest->count = 0;
    for (size_t first = 0; first < work->pairs.count; first += TOC_LANES) {
        uint32_t at[TOC_LANES];
        for (size_t i = 0; i < TOC_LANES; i++)
            at[i] = (uint32_t)(first + i < work->pairs.count ? first + i : work->pairs.count - 1);
        const motion m = load_motion(&work->pairs, kind, at);
        const unsigned fit = toc_mask_bits(fits(&m)), all = block_bits(work->pairs.count, first);
        unsigned apart = work->prefiltered ? 0 : apart_by_first_axes(work, kind, &m) & fit;
        if ((all & ~apart) && work->separation == 0) apart |= apart_by_coordinates(kind, &m) & fit;
        for (unsigned bits = all & ~apart; bits; bits &= bits - 1) {
            const uint32_t i = (uint32_t)__builtin_ctz(bits);
            if (fit >> i & 1)
                queue_push(rest, at[i], work->from);
            else
                answer(work, at[i], TOC_UNDECIDED, work->from);
        }
    }
    queue_pad(rest);
}

/// The result of a step: the time up to which the pair is apart, or an answer.
typedef struct step {
    toc_wide time;
    toc_mask apart, hit, stuck, tie; // tie: a crossing that is a contact or passes an edge by less than the error
} step;

/// The time up to which the determinant is certainly not 0: just before its first zero, if it has one.
typedef struct reaching {
    toc_wide time, zero; // the zero is a guess
    toc_mask all, sharp; // up to the end; to TIME_PART / 2 of the zero's time
} reaching;

static inline reaching reach_plane(const motion *m, toc_wide t, toc_wide until) {
    const toc_wide width = until - t;
    const wide_cubic f = cubic_between(m, t, until);
    toc_wide slope;
    const toc_wide zero = cubic_guess_zero(&f, &slope);
    const toc_wide part = (t / width + zero) * toc_wide_all(TIME_PART / 2);
    const toc_wide blur = toc_wide_abs(f.error / slope) * toc_wide_all(4);
    const toc_wide before = toc_wide_max(zero - toc_wide_max(part, blur), toc_wide_all(0));
    const toc_wide ahead = toc_wide_max((t + before * width) * toc_wide_all(ROUND_DOWN), t);
    return (reaching){.time = toc_wide_select(cubic_keeps_sign(&f, before), ahead, t),
                      .zero = t + zero * width,
                      .all = cubic_keeps_sign(&f, toc_wide_all(1)),
                      .sharp = part >= blur};
}

/// Go to just before the first zero of the determinant, which may be the contact. When features approach from afar,
/// coordinates are smaller near the zero, and a second look over the shorter time is more accurate.
static inline step step_to_plane(const toc_certified_work *work, toc_kind kind, const motion *m, toc_wide t) {
    const toc_wide to = toc_wide_all(work->to);
    const reaching far = reach_plane(m, t, to);
    step s = {.time = far.time, .apart = far.all};
    if (!toc_mask_any(~far.all)) return s;
    const toc_mask again = ~far.all & ~far.sharp;
    if (toc_mask_any(again)) {
        const reaching near = reach_plane(m, far.time, toc_wide_min(far.zero + (far.zero - far.time), to));
        s.time = toc_wide_select(again, near.time, s.time);
    }
    s.hit = crosses(kind, m, s.time, toc_wide_min(s.time * toc_wide_all(1 + TIME_PART), to), &s.tie);
    return s;
}

/// Go to the time at which the axis between the closest points no longer separates. With a separation there is no plane
/// to go to, so the axis of the expected contact is tried as well.
static inline step step_along_axis(const toc_certified_work *work, toc_kind kind, const motion *m, toc_wide t) {
    const closest c = wide_closest_at(kind, m, t);
    time_span best = span_of(work, kind, m, c.axis);
    const toc_mask fails = ~(best.enter < t);
    if (toc_mask_any(fails)) best = span_select(fails, span_of(work, kind, m, c.difference), best);
    toc_mask close = within(m, c.difference, toc_wide_all(work->separation + work->tolerance));
    if (work->separation > 0) {
        const closest ahead = wide_closest_at(kind, m, foresee(work, m, &c, t));
        const time_span other = span_of(work, kind, m, ahead.axis);
        best = span_select((other.enter < t) & (fails | (other.leave > best.leave)), other, best);
        const toc_wide soon = toc_wide_min(t * toc_wide_all(1 + TIME_PART), toc_wide_all(work->to));
        close |= within(m, wide_closest_at(kind, m, soon).difference, toc_wide_all(work->separation));
    }
    const toc_mask moves = (best.enter < t) & (best.leave > t);
    return (step){
        .time = best.leave, .apart = moves & (best.leave > toc_wide_all(work->to)), .hit = close, .stuck = ~moves};
}

/// One step by plane and axis for every pair in the queue. The queue keeps the pairs without an answer.
static inline void advance_queue(const toc_certified_work *work, toc_kind kind, queue *live) {
    const size_t count = live->count;
    live->count = 0;
    for (size_t first = 0; first < count; first += TOC_LANES) {
        uint32_t at[TOC_LANES];
        memcpy(at, live->at + first, sizeof at);
        const motion m = load_motion(&work->pairs, kind, at);
        step plane = {.time = toc_wide_load(live->time + first)};
        if (work->separation == 0) plane = step_to_plane(work, kind, &m, plane.time);
        step along = {.time = plane.time};
        if (!work->ties) plane.tie ^= plane.tie;
        if (toc_mask_any(~(plane.apart | plane.hit | plane.tie))) along = step_along_axis(work, kind, &m, plane.time);
        const unsigned all = block_bits(count, first), hit = toc_mask_bits(plane.hit | along.hit);
        const unsigned tied = toc_mask_bits(plane.tie), stuck = toc_mask_bits(along.stuck) | tied;
        const unsigned apart = toc_mask_bits(plane.apart) | (toc_mask_bits(along.apart) & ~tied);
        const unsigned tie = tied & ~toc_mask_bits(plane.hit); // in bits: clang 14 hangs on masks of one lane for wasm
        for (unsigned i = 0; all >> i; i++) {
            if (apart >> i & 1) continue;
            if (tie >> i & 1) work->ties[at[i]] = true;
            if (hit >> i & 1)
                answer(work, at[i], TOC_HIT, plane.time[i]);
            else if (stuck >> i & 1)
                answer(work, at[i], TOC_UNDECIDED, plane.time[i]);
            else
                queue_push(live, at[i], along.time[i]);
        }
    }
    queue_pad(live);
}

static inline void solve(const toc_certified_work *work, toc_kind kind) {
    queue live;
    for (size_t i = 0; i < work->pairs.count; i++) work->verdicts[i] = TOC_APART;
    if (work->rounds) memset(work->rounds, 0, work->pairs.count * sizeof *work->rounds);
    try_first_axes(work, kind, &live);
    for (int round = 0; round < ROUND_LIMIT && live.count > 0; round++) {
        count_rounds(work, &live);
        advance_queue(work, kind, &live);
    }
    for (size_t i = 0; i < live.count; i++) answer(work, live.at[i], TOC_UNDECIDED, live.time[i]);
}

void TOC_FOR_LANES(toc_certified_kernel)(const toc_certified_work *work) {
    if (work->pairs.kind == TOC_VF)
        solve(work, TOC_VF);
    else
        solve(work, TOC_EE);
}
