// SPDX-License-Identifier: Apache-2.0
// Features that move in one plane, as the lines of grids do: seen along an axis that crosses the plane, where nothing
// that is apart comes together. Vertices of one constant coordinate show such a plane at once; others by exact sums
// (predicate_plane.c).
//
// The coplanarity cubic is zero all the time. Contact is there at the start, where both edges have their ends on two
// sides of the other, or the vertex is on one side of all edges of the face; or it begins when a vertex comes to lie on
// an edge. The turn of a vertex and an edge, the cross product of the vectors from the vertex to both ends, is a
// quadratic in t, and its root is such a time. At the root the three are on one line, so the vertex is between the ends
// if it is along any axis. All signs must be certain, and the first of several times must be; other pairs are left to
// exact arithmetic. Decides in one or two microseconds.
//
// Numbers carry their own error bounds (predicate_tie.c); predicate.c has checked the sizes.
#include <assert.h>
#include <math.h>

#include "base/vec.h"
#include "pair/exact.h"
#include "pair/predicate.h"

static const double U = 0x1p-53;

// Vectors in the plane at both ends of the step, from a vertex to the ends of an edge; and Bernstein's coefficients of
// their cross product, the middle one twice.
typedef struct flat_corner {
    toc_corner_case at;
    toc_tie_number from[2][2], to[2][2]; // [end of the step][axis]
    toc_tie_number turn[3];
} flat_corner;

typedef struct flat_contact {
    double low, high; // around the time
    const flat_corner *corner;
    int axis; // along which the vertex is between the ends
} flat_contact;

// An axis that crosses the plane in which all vertices move relative to the first one; -1 if there is none.
static int axis_across_plane(const double x0[4][3], const double x1[4][3]) {
    double v[6][3];
    toc_tie_number normal[3];
    int axis = 0;
    for (int i = 0; i < 3; i++)
        if (!toc_plane_vector(x0[0], x0[1 + i], v[i]) || !toc_plane_vector(x1[0], x1[1 + i], v[3 + i])) return -1;
    if (!toc_plane_of_vectors(6, (const double(*)[3])v, normal)) return -1;
    for (int k = 1; k < 3; k++)
        if (fabs(normal[k].value) > fabs(normal[axis].value)) axis = k;
    return toc_tie_sign(normal[axis]) != 0 ? axis : -1;
}

enum { FLAT_CONTACTS = 8 }; // two for each corner

// The axis along which all vertices have one coordinate at both ends; -1 if there is none.
static int constant_axis(const double x0[4][3], const double x1[4][3]) {
    for (int k = 0; k < 3; k++) {
        int same = 0;
        for (int i = 0; i < 4; i++) same += x0[i][k] == x0[0][k] && x1[i][k] == x0[0][k];
        if (same == 4) return k;
    }
    return -1;
}

static toc_tie_number flat_cross(const toc_tie_number a[2], const toc_tie_number b[2]) {
    return toc_tie_determinant(a[0], a[1], b[0], b[1]);
}

static flat_corner make_flat_corner(const double x0[4][3], const double x1[4][3], int axis, toc_corner_case at) {
    flat_corner c = {.at = at};
    for (int end = 0; end < 2; end++) {
        const double(*x)[3] = end ? x1 : x0;
        for (int j = 0; j < 2; j++) {
            const int k = (axis + 1 + j) % 3;
            c.from[end][j] = toc_tie_difference(x[at.from][k], x[at.point][k]);
            c.to[end][j] = toc_tie_difference(x[at.to][k], x[at.point][k]);
        }
    }
    c.turn[0] = flat_cross(c.from[0], c.to[0]);
    c.turn[1] = toc_tie_sum(flat_cross(c.from[0], c.to[1]), flat_cross(c.from[1], c.to[0]));
    c.turn[2] = flat_cross(c.from[1], c.to[1]);
    return c;
}

// ---- contact at the start

static void start_share(const flat_corner *c, int i, toc_shares *shares) {
    shares->at[i] = fabs(c->turn[0].value);
    shares->error[i] = c->turn[0].error;
}

// The turns of its ends divide an edge that crosses the other.
static bool edges_cross_at_start(const flat_corner c[4], toc_shares *shares) {
    shares->count = 4;
    for (int i = 0; i < 4; i += 2) {
        if (toc_tie_sign(c[i].turn[0]) == toc_tie_sign(c[i + 1].turn[0])) return false;
        for (int j = 0; j < 2; j++) start_share(&c[i + 1 - j], i + j, shares);
    }
    return true;
}

// The turn of the vertex and an edge of the face is the share of the third corner: the cases are edges 12, 23 and 31.
static bool vertex_is_in_face(const flat_corner c[3], toc_shares *shares) {
    shares->count = 3;
    for (int i = 0; i < 3; i++) {
        if (toc_tie_sign(c[i].turn[0]) != toc_tie_sign(c[0].turn[0])) return false;
        start_share(&c[(i + 1) % 3], i, shares);
    }
    return true;
}

static bool touches_at_start(toc_kind kind, const flat_corner *c, toc_hit *hit) {
    toc_shares shares = {.count = 0};
    if (!(kind == TOC_VF ? vertex_is_in_face(c, &shares) : edges_cross_at_start(c, &shares))) return false;
    hit->verdict = toc_shares_weigh(kind, &shares, hit->weights) ? TOC_HIT : TOC_UNDECIDED;
    hit->toc = 0;
    return true;
}

// ---- contact later

// The quadratic at a time: 6 roundings of numbers that sum up to at most the sizes of the coefficients.
static toc_tie_number turn_at(const flat_corner *c, double t) {
    const double s = 1 - t, a = c->turn[0].value, b = c->turn[1].value, d = c->turn[2].value;
    const double error = c->turn[0].error + c->turn[1].error + c->turn[2].error;
    return (toc_tie_number){s * s * a + s * t * b + t * t * d,
                            (error + 8 * U * (fabs(a) + fabs(b) + fabs(d))) * TOC_BOUND_SLACK};
}

// The derivative, and its error bound within `width` of t: 8 errors or roundings, and the width times the second one.
static double turn_slope(const flat_corner *c, double t, double width, double *error) {
    const double a = c->turn[0].value, b = c->turn[1].value, d = c->turn[2].value;
    const double size = fabs(a) + fabs(b) + fabs(d), off = c->turn[0].error + c->turn[1].error + c->turn[2].error;
    const double bend = 2 * fabs(a - b + d) + 4 * (off + U * size);
    *error = (4 * off + 16 * U * size + width * bend) * TOC_BOUND_SLACK;
    return (1 - t) * (b - 2 * a) + t * (2 * d - b);
}

// The roots of a quadratic, those within (0, 1): the formula that does not cancel. @return how many.
static int turn_roots(const flat_corner *c, double roots[2]) {
    const double a = c->turn[0].value, slope = c->turn[1].value - 2 * a;
    const double square = a - c->turn[1].value + c->turn[2].value, under = slope * slope - 4 * a * square;
    const double half = -(slope + copysign(sqrt(toc_larger(under, 0)), slope)) / 2, one = a / half,
                 other = half / square;
    int count = 0;
    if (one > 0 && one < 1) roots[count++] = one;
    if (other > 0 && other < 1) roots[count++] = other;
    return count;
}

static bool enclose_turn(const flat_corner *c, double root, flat_contact *out) {
    double slope_error;
    const double slope = turn_slope(c, root, 0, &slope_error);
    const double width = 4 * U * root + 4 * turn_at(c, root).error / fabs(slope);
    *out = (flat_contact){.low = root - width, .high = root + width, .corner = c};
    if (!(out->low > 0 && out->high < 1)) return false;
    return toc_tie_sign(turn_at(c, out->low)) * toc_tie_sign(turn_at(c, out->high)) < 0;
}

// Whether a quadratic with equal signs at both ends certainly has no root: (b / 2)^2 < a d.
static bool turns_back(const flat_corner *c) {
    const toc_tie_number b = {c->turn[1].value / 2, c->turn[1].error / 2};
    return toc_tie_sign(toc_tie_determinant(c->turn[0], b, b, c->turn[2])) > 0;
}

// 1 if the vertex is between the ends of the edge at the root, -1 if it is not, 0 if that is not certain.
static int is_between(flat_contact *contact) {
    const flat_corner *c = contact->corner;
    const double blur = contact->high - contact->low;
    for (int j = 0; j < 2; j++) {
        const int from = toc_tie_sign(toc_tie_mix(c->from[0][j], c->from[1][j], contact->low, blur));
        const int to = toc_tie_sign(toc_tie_mix(c->to[0][j], c->to[1][j], contact->low, blur));
        contact->axis = j;
        if (from && to) return from == to ? -1 : 1;
    }
    return 0;
}

// The times at which a vertex is on the line of an edge. Opposite signs at the ends leave one root, whatever the middle
// coefficient is; equal signs of all leave none. Two that are enclosed apart from each other are all that there are.
// @return how many; -1 if that is not certain.
static int enclose_turns(const flat_corner *c, flat_contact turns[2]) {
    const int s[3] = {toc_tie_sign(c->turn[0]), toc_tie_sign(c->turn[1]), toc_tie_sign(c->turn[2])};
    double roots[2];
    if ((s[0] == s[1] && s[1] == s[2]) || (s[0] == s[2] && turns_back(c))) return 0;
    const int wanted = s[0] == s[2] ? 2 : 1, count = turn_roots(c, roots);
    if (count != wanted) return -1;
    for (int i = 0; i < count; i++)
        if (!enclose_turn(c, roots[i], &turns[i])) return -1;
    const bool apart = count < 2 || turns[0].high < turns[1].low || turns[1].high < turns[0].low;
    return apart ? count : -1;
}

// The contacts at which a vertex comes to lie on an edge. @return how many; -1 if that is not certain.
static int list_flat_contacts(const flat_corner *c, int corner_count, flat_contact contacts[FLAT_CONTACTS]) {
    int count = 0;
    for (int i = 0; i < corner_count; i++) {
        flat_contact turns[2];
        const int turn_count = enclose_turns(&c[i], turns);
        if (turn_count < 0) return -1;
        for (int k = 0; k < turn_count; k++) {
            const int between = is_between(&turns[k]);
            if (between == 0) return -1;
            if (between > 0) contacts[count++] = turns[k];
        }
    }
    return count;
}

// The contact that is certainly before all others, or NULL.
static const flat_contact *first_flat_contact(const flat_contact *contacts, int count) {
    const flat_contact *first = &contacts[0];
    for (int i = 1; i < count; i++)
        if (contacts[i].low < first->low) first = &contacts[i];
    for (int i = 0; i < count; i++)
        if (&contacts[i] != first && contacts[i].low <= first->high) return NULL;
    return first;
}

static toc_dd3 flat_vector(const double x0[4][3], const double x1[4][3], int from, int to, toc_dd t) {
    const toc_dd s = toc_dd_subtract(toc_dd_of(1), t);
    toc_dd3 v;
    for (int k = 0; k < 3; k++) {
        const toc_dd at0 = toc_dd_difference_of(x0[to][k], x0[from][k]);
        const toc_dd at1 = toc_dd_difference_of(x1[to][k], x1[from][k]);
        v.x[k] = toc_dd_add(toc_dd_multiply(at0, s), toc_dd_multiply(at1, t));
    }
    return v;
}

// The turn at a time in double-double precision. Four errors for a component of a vector, taken as 5 of its size at
// both ends, and one for each product and the difference: below 16 units of the product of the sizes.
static toc_dd fine_turn(const double x0[4][3], const double x1[4][3], int axis, const flat_corner *c, double t,
                        double *error) {
    const toc_dd3 u = flat_vector(x0, x1, c->at.point, c->at.from, toc_dd_of(t));
    const toc_dd3 w = flat_vector(x0, x1, c->at.point, c->at.to, toc_dd_of(t));
    double sizes[2] = {0, 0};
    for (int j = 0; j < 2; j++) {
        sizes[0] = toc_larger(sizes[0], fabs(c->from[0][j].value) + fabs(c->from[1][j].value));
        sizes[1] = toc_larger(sizes[1], fabs(c->to[0][j].value) + fabs(c->to[1][j].value));
    }
    const int l = (axis + 1) % 3, m = (axis + 2) % 3;
    *error = 32 * TOC_DD_ERROR * sizes[0] * sizes[1] + 0x1p-1000;
    return toc_dd_subtract(toc_dd_multiply(u.x[l], w.x[m]), toc_dd_multiply(u.x[m], w.x[l]));
}

// The vertex is on the edge, so its other end has no share. The root is at most one unit in the last place behind
// `time`.
static bool weigh_flat_contact(toc_kind kind, const flat_contact *contact, double time, double weights[4]) {
    const flat_corner *c = contact->corner;
    const int j = contact->axis;
    const toc_tie_number from = toc_tie_mix(c->from[0][j], c->from[1][j], time, 0x1p-52 * time);
    const toc_tie_number to = toc_tie_mix(c->to[0][j], c->to[1][j], time, 0x1p-52 * time);
    const int first = kind == TOC_VF ? 1 : 0; // shares of a face leave the vertex out
    toc_shares shares = {.count = 4 - first};
    if (kind == TOC_EE) shares.at[c->at.point] = 1;
    shares.at[c->at.from - first] = fabs(to.value);
    shares.error[c->at.from - first] = to.error;
    shares.at[c->at.to - first] = fabs(from.value);
    shares.error[c->at.to - first] = from.error;
    return toc_shares_weigh(kind, &shares, weights);
}

static bool fill_flat_hit(toc_kind kind, const double x0[4][3], const double x1[4][3], int axis,
                          const flat_contact *first, toc_hit *hit) {
    double value_error, slope_error;
    const double t = first->low + (first->high - first->low) / 2;
    const toc_dd value = fine_turn(x0, x1, axis, first->corner, t, &value_error);
    const double slope = turn_slope(first->corner, t, first->high - first->low, &slope_error);
    hit->verdict = TOC_HIT;
    return toc_root_round_down(t, value, value_error, slope, slope_error, &hit->toc) &&
           weigh_flat_contact(kind, first, hit->toc, hit->weights);
}

toc_verdict toc_predicate_flat(toc_kind kind, const double x0[4][3], const double x1[4][3], toc_hit *hit) {
    assert(kind == TOC_VF || kind == TOC_EE);
    const int constant = constant_axis(x0, x1), axis = constant < 0 ? axis_across_plane(x0, x1) : constant;
    if (axis < 0) return TOC_UNDECIDED;
    flat_corner c[4];
    flat_contact contacts[FLAT_CONTACTS];
    int corner_count;
    const toc_corner_case *corners = toc_corner_cases(kind, &corner_count);
    for (int i = 0; i < corner_count; i++) {
        c[i] = make_flat_corner(x0, x1, axis, corners[i]);
        if (toc_tie_sign(c[i].turn[0]) == 0 || toc_tie_sign(c[i].turn[2]) == 0) return TOC_UNDECIDED;
    }
    if (touches_at_start(kind, c, hit)) return hit->verdict;
    const int count = list_flat_contacts(c, corner_count, contacts);
    if (count <= 0) return count < 0 ? TOC_UNDECIDED : TOC_APART;
    const flat_contact *first = first_flat_contact(contacts, count);
    return first && fill_flat_hit(kind, x0, x1, axis, first, hit) ? TOC_HIT : TOC_UNDECIDED;
}
