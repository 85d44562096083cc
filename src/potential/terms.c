// SPDX-License-Identifier: Apache-2.0
// The barrier and the friction of one near pair, in closed form.
//
// The squared distance D is the least of |r|^2 over the places u of the closest points, r being linear in u. So its
// gradient is that with fixed places, and its Hessian is that of all variables with the places eliminated. With the
// signed weights s, the unit normal n, the tangents t of the places made orthonormal, and w the changes of the weights
// along them,
//
//     D'' / 2 = s s (I - sum t t) - d sum (w s n t + s w t n) - d^2 sum w w n n
//             = s s I - sum (d w n + s t) (d w n + s t).
//
// One formula for all classes: two vertices have no place, an edge and a vertex have one, the others two. A Hessian is
// a sum of a few squares of vectors, so a pair takes little memory. All but the directions of s across n and t act
// within at most five: s n, w n, w n, s t, s t. Projection needs the eigenvalues of that matrix alone, 5 x 5, not of
// 12 x 12. The factor of nearly parallel edges mixes all directions, 9 without translations. After Li et al. 2020,
// "Incremental potential contact".
#include "potential/terms.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "pair/distance.h"
#include "potential/symmetric.h"

// A thousandth of the squared lengths: Li et al., supplement, 3.
static const double PARALLEL = 1e-3;
// Places along directions whose sine is below 1e-8 cannot be told apart (pair/distance.c).
static const double NO_PLACE_SINE = 1e-8;

// Eigenvalues below this share of the largest are 0 but for rounding.
static const double NO_VALUE = 0x1p-50;

// A function of one variable and its derivatives.
typedef struct jet {
    double value, first, second;
} jet;

// ---- additions

static void add_gradient(toc_terms *out, int i, toc_vec a, double scale) {
    out->gradient[i][0] += scale * a.x;
    out->gradient[i][1] += scale * a.y;
    out->gradient[i][2] += scale * a.z;
}

// Add a square whose vectors are the weights times v.
static void add_weighted(toc_terms *out, double scale, const double weights[4], toc_vec v) {
    toc_square *square = &out->squares[out->count++];
    square->scale = scale;
    for (int i = 0; i < 4; i++) toc_vec_to(square->z[i], toc_vec_scale(v, weights[i]));
}

// A direction of length 1 across n.
static toc_vec vec_across(toc_vec n) {
    const toc_vec axis = fabs(n.x) < fabs(n.y) ? (toc_vec){1, 0, 0} : (toc_vec){0, 1, 0};
    return toc_vec_unit(toc_vec_cross(n, axis));
}

// ---- the closest points

enum { PLACES_MOST = 2 };

typedef struct contact_frame {
    double distance, s[4];
    toc_vec normal; // from the second feature to the first
    int places;
    toc_vec t[PLACES_MOST];
    double w[PLACES_MOST][4];
} contact_frame;

static void sign_weights(toc_kind kind, const double weights[4], double s[4]) {
    const int second = kind == TOC_VF ? 1 : 2;
    for (int i = 0; i < 4; i++) s[i] = i < second ? weights[i] : -weights[i];
}

static void classify_place(toc_kind kind, const double weights[4], toc_terms_place *place) {
    int count = 0;
    for (int i = 0; i < 4; i++) count += place->active[i] = weights[i] != 0;
    place->class = count == 4 ? (kind == TOC_VF ? TOC_FACE_VERTEX : TOC_EDGE_EDGE)
                              : (count == 3 ? TOC_EDGE_VERTEX : TOC_VERTEX_VERTEX);
    place->mollified = false;
}

// Add the place that moves weight from vertex i to vertex j of a feature, `side` 1 for the first one.
static void add_place(contact_frame *f, const toc_vec x[4], int i, int j, double side) {
    toc_vec t = toc_vec_scale(toc_vec_sub(x[j], x[i]), side);
    double w[4] = {0};
    w[j] = side, w[i] = -side;
    const double whole = toc_vec_length(t);
    for (int k = 0; k < f->places; k++) {
        const double along = toc_vec_dot(f->t[k], t);
        t = toc_vec_sub(t, toc_vec_scale(f->t[k], along));
        for (int m = 0; m < 4; m++) w[m] -= along * f->w[k][m];
    }
    t = toc_vec_sub(t, toc_vec_scale(f->normal, toc_vec_dot(f->normal, t)));
    const double length = toc_vec_length(t);
    if (!(length > NO_PLACE_SINE * whole)) return;
    f->t[f->places] = toc_vec_scale(t, 1 / length);
    for (int m = 0; m < 4; m++) f->w[f->places][m] = w[m] / length;
    f->places++;
}

// The places along a feature: of its active vertices, all but the first.
static void add_places(contact_frame *f, const toc_vec x[4], const bool active[4], int from, int to, double side) {
    int base = from;
    while (base < to && !active[base]) base++;
    for (int j = base + 1; j < to; j++)
        if (active[j] && f->places < PLACES_MOST) add_place(f, x, base, j, side);
}

static contact_frame frame_of(toc_kind kind, const toc_vec x[4], const toc_closest *closest, const bool active[4]) {
    const int second = kind == TOC_VF ? 1 : 2;
    contact_frame f = {.distance = closest->distance};
    sign_weights(kind, closest->weights, f.s);
    f.normal = toc_vec_unit(toc_vec_scale(closest->gap, -1));
    add_places(&f, x, active, 0, second, 1);
    add_places(&f, x, active, second, 4, -1);
    return f;
}

// ---- the barrier of the squared distance

// Of D = d^2 - minimum^2, times the stiffness.
static jet barrier_jet(const toc_terms_query *q, double distance) {
    const double at = (distance - q->minimum) * (distance + q->minimum);
    const double end = q->distance * (q->distance + 2 * q->minimum);
    const double gap = at - end, logarithm = log(at / end), share = gap / at;
    const double k = q->stiffness;
    return (jet){-k * gap * gap * logarithm, -k * gap * (2 * logarithm + share),
                 -k * (2 * logarithm + (4 - share) * share)};
}

// An orthonormal basis of s and the changes w; a vector within the others is left out.
typedef struct weight_basis {
    int count;
    double q[1 + PLACES_MOST][4], s_length, w[PLACES_MOST][1 + PLACES_MOST]; // w in the basis
} weight_basis;

static double dot_four(const double a[4], const double b[4]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

static weight_basis basis_of(const contact_frame *f) {
    weight_basis b = {.count = 1, .s_length = sqrt(dot_four(f->s, f->s))};
    for (int m = 0; m < 4; m++) b.q[0][m] = f->s[m] / b.s_length;
    for (int c = 0; c < f->places; c++) {
        double rest[4];
        memcpy(rest, f->w[c], sizeof rest);
        for (int a = 0; a < b.count; a++) {
            b.w[c][a] = dot_four(b.q[a], f->w[c]);
            for (int m = 0; m < 4; m++) rest[m] -= b.w[c][a] * b.q[a][m];
        }
        const double length = sqrt(dot_four(rest, rest));
        b.w[c][b.count] = length;
        for (int m = 0; m < 4 && length > 0; m++) b.q[b.count][m] = rest[m] / length;
        b.count++;
    }
    return b;
}

enum { FRAME_MOST = 1 + 2 * PLACES_MOST };

// The Hessian in the basis: `count` directions along the normal, then one for each place.
static int frame_matrix(const contact_frame *f, const weight_basis *b, double normal_term, double k, double *m) {
    const int n = b->count + f->places;
    const double d = f->distance;
    memset(m, 0, (size_t)(n * n) * sizeof *m);
    m[0] = normal_term * b->s_length * b->s_length;
    for (int c = 0; c < f->places; c++)
        for (int i = 0; i < b->count; i++) {
            for (int j = 0; j < b->count; j++) m[i * n + j] += k * d * d * b->w[c][i] * b->w[c][j];
            m[i * n + b->count + c] = m[(b->count + c) * n + i] = k * d * b->w[c][i] * b->s_length;
        }
    return n;
}

// Add the square of a vector in the basis.
static void add_frame_square(const contact_frame *f, const weight_basis *b, double scale, const double *vector,
                             toc_terms *out) {
    toc_square *square = &out->squares[out->count++];
    toc_vec along = {0, 0, 0};
    for (int c = 0; c < f->places; c++) along = toc_vec_add(along, toc_vec_scale(f->t[c], vector[b->count + c]));
    square->scale = scale;
    for (int v = 0; v < 4; v++) {
        double weight = 0;
        for (int i = 0; i < b->count; i++) weight += vector[i] * b->q[i][v];
        toc_vec_to(square->z[v], toc_vec_add(toc_vec_scale(f->normal, weight), toc_vec_scale(along, b->q[0][v])));
    }
}

static double largest_of(int n, const double *values) {
    double largest = 0;
    for (int i = 0; i < n; i++) largest = toc_larger(largest, fabs(values[i]));
    return largest;
}

static void add_projected(const contact_frame *f, double normal_term, double k, toc_terms *out) {
    const weight_basis basis = basis_of(f);
    double m[FRAME_MOST * FRAME_MOST], values[FRAME_MOST], vectors[FRAME_MOST * FRAME_MOST];
    const int n = frame_matrix(f, &basis, normal_term, k, m);
    toc_symmetric_diagonalize(n, m, values, vectors);
    const double least = NO_VALUE * largest_of(n, values);
    for (int i = 0; i < n; i++)
        if (values[i] > least) add_frame_square(f, &basis, values[i], vectors + i * n, out);
}

static void add_indefinite(const contact_frame *f, double normal_term, double k, toc_terms *out) {
    const toc_vec across = vec_across(f->normal);
    add_weighted(out, normal_term, f->s, f->normal);
    add_weighted(out, -k, f->s, across);
    add_weighted(out, -k, f->s, toc_vec_cross(f->normal, across));
    for (int c = 0; c < f->places; c++) {
        toc_square *square = &out->squares[out->count++];
        square->scale = k;
        for (int v = 0; v < 4; v++)
            toc_vec_to(square->z[v], toc_vec_add(toc_vec_scale(f->normal, f->distance * f->w[c][v]),
                                                 toc_vec_scale(f->t[c], f->s[v])));
    }
}

static void add_barrier_hessian(const contact_frame *f, jet b, bool indefinite, toc_terms *out) {
    const double k = -2 * b.first, normal_term = 4 * f->distance * f->distance * b.second - k;
    if (indefinite)
        add_indefinite(f, normal_term, k, out);
    else if (f->places > 0)
        add_projected(f, normal_term, k, out);
    else if (normal_term > 0)
        add_weighted(out, normal_term, f->s, f->normal);
}

// ---- nearly parallel edges

double toc_mollifier_limit(const toc_vec rest[4]) {
    const toc_vec a = toc_vec_sub(rest[1], rest[0]), b = toc_vec_sub(rest[3], rest[2]);
    return PARALLEL * toc_vec_dot(a, a) * toc_vec_dot(b, b);
}

static double edges_product_square(const toc_vec x[4]) {
    const toc_vec z = toc_vec_cross(toc_vec_sub(x[1], x[0]), toc_vec_sub(x[3], x[2]));
    return toc_vec_dot(z, z);
}

static jet mollifier_jet(double square, double limit) {
    const double c = square / limit;
    return (jet){c * (2 - c), 2 * (1 - c) / limit, -2 / (limit * limit)};
}

double toc_mollifier_find(const toc_vec x[4], double limit) {
    const double square = edges_product_square(x);
    return square < limit ? mollifier_jet(square, limit).value : 1;
}

// The square of the product of two edges, by the vertices.
typedef struct edges_square {
    double value;
    toc_vec gradient[4];
    double own[2][3][3], cross[3][3]; // second derivatives by the first edge, by the second, by both
} edges_square;

static void add_outer(double to[3][3], toc_vec a, toc_vec b, double scale) {
    const double p[3] = {scale * a.x, scale * a.y, scale * a.z}, q[3] = {b.x, b.y, b.z};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) to[i][j] += p[i] * q[j];
}

static void add_identity(double to[3][3], double scale) {
    for (int i = 0; i < 3; i++) to[i][i] += scale;
}

static edges_square edges_square_of(const toc_vec x[4]) {
    const toc_vec a = toc_vec_sub(x[1], x[0]), b = toc_vec_sub(x[3], x[2]), z = toc_vec_cross(a, b);
    const toc_vec by_a = toc_vec_scale(toc_vec_cross(b, z), 2), by_b = toc_vec_scale(toc_vec_cross(z, a), 2);
    edges_square e = {.value = toc_vec_dot(z, z),
                      .gradient = {toc_vec_scale(by_a, -1), by_a, toc_vec_scale(by_b, -1), by_b}};
    add_identity(e.own[0], 2 * toc_vec_dot(b, b));
    add_outer(e.own[0], b, b, -2);
    add_identity(e.own[1], 2 * toc_vec_dot(a, a));
    add_outer(e.own[1], a, a, -2);
    add_outer(e.cross, a, b, 4);
    add_outer(e.cross, b, a, -2);
    add_identity(e.cross, -2 * toc_vec_dot(a, b));
    return e;
}

// Three orthonormal vectors of weights that sum to 0: four vertices without their translation. The first two are the
// edges, divided by -sqrt(2).
enum { RELATIVE = 3, RELATIVE_SIZE = 3 * RELATIVE };
static const double relative[RELATIVE][4] = {{0.70710678118654752, -0.70710678118654752, 0, 0},
                                             {0, 0, 0.70710678118654752, -0.70710678118654752},
                                             {0.5, 0.5, -0.5, -0.5}};

static void leave_translation(double z[4][3], double out[RELATIVE_SIZE]) {
    for (int a = 0; a < RELATIVE; a++)
        for (int c = 0; c < 3; c++) {
            out[3 * a + c] = 0;
            for (int i = 0; i < 4; i++) out[3 * a + c] += relative[a][i] * z[i][c];
        }
}

static void add_relative(double m[RELATIVE_SIZE][RELATIVE_SIZE], const double *a, const double *b, double scale) {
    for (int i = 0; i < RELATIVE_SIZE; i++)
        for (int j = 0; j < RELATIVE_SIZE; j++) m[i][j] += scale * a[i] * b[j];
}

// Add scale times the second derivatives of the square.
static void add_square_hessian(const edges_square *e, double scale, double m[RELATIVE_SIZE][RELATIVE_SIZE]) {
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) {
            m[r][c] += 2 * scale * e->own[0][r][c];
            m[3 + r][3 + c] += 2 * scale * e->own[1][r][c];
            m[r][3 + c] += 2 * scale * e->cross[r][c];
            m[3 + c][r] += 2 * scale * e->cross[r][c];
        }
}

// The squares of a matrix of nine directions take the place of all squares.
static void set_relative(double m[RELATIVE_SIZE][RELATIVE_SIZE], bool indefinite, toc_terms *out) {
    double values[RELATIVE_SIZE], vectors[RELATIVE_SIZE][RELATIVE_SIZE];
    toc_symmetric_diagonalize(RELATIVE_SIZE, m[0], values, vectors[0]);
    const double least = NO_VALUE * largest_of(RELATIVE_SIZE, values);
    out->count = 0;
    for (int k = 0; k < RELATIVE_SIZE; k++) {
        if (!((indefinite ? fabs(values[k]) : values[k]) > least)) continue;
        toc_square *square = &out->squares[out->count++];
        square->scale = values[k];
        for (int i = 0; i < 4; i++)
            for (int c = 0; c < 3; c++)
                square->z[i][c] = relative[0][i] * vectors[k][c] + relative[1][i] * vectors[k][3 + c] +
                                  relative[2][i] * vectors[k][6 + c];
    }
}

static void add_mollified_hessian(const toc_terms_query *q, const contact_frame *f, const edges_square *e, jet m, jet b,
                                  toc_terms *out) {
    double matrix[RELATIVE_SIZE][RELATIVE_SIZE] = {{0}}, part[RELATIVE_SIZE], along[RELATIVE_SIZE], z[4][3];
    const double slope = 2 * f->distance * b.first; // of the barrier along s n
    add_barrier_hessian(f, (jet){0, m.value * b.first, m.value * b.second}, true, out);
    for (int i = 0; i < out->count; i++) {
        leave_translation(out->squares[i].z, part);
        add_relative(matrix, part, part, out->squares[i].scale);
    }
    for (int i = 0; i < 4; i++) toc_vec_to(z[i], e->gradient[i]);
    leave_translation(z, part);
    for (int i = 0; i < 4; i++) toc_vec_to(z[i], toc_vec_scale(f->normal, f->s[i]));
    leave_translation(z, along);
    add_square_hessian(e, m.first * b.value, matrix);
    add_relative(matrix, part, part, m.second * b.value);
    add_relative(matrix, part, along, m.first * slope);
    add_relative(matrix, along, part, m.first * slope);
    set_relative(matrix, q->indefinite, out);
}

// m b(D) for nearly parallel edges.
static void add_mollified(const toc_terms_query *q, const contact_frame *f, const toc_vec x[4], jet b, double limit,
                          toc_terms *out) {
    const edges_square e = edges_square_of(x);
    const jet m = mollifier_jet(e.value, limit);
    out->energy = m.value * b.value;
    for (int i = 0; i < 4 && q->order >= TOC_GRADIENT; i++) {
        add_gradient(out, i, f->normal, m.value * 2 * f->distance * b.first * f->s[i]);
        add_gradient(out, i, e.gradient[i], m.first * b.value);
    }
    if (q->order >= TOC_HESSIAN) add_mollified_hessian(q, f, &e, m, b, out);
}

// ---- the barrier

static void clear_terms(toc_terms *out) {
    out->energy = 0;
    out->count = 0;
    memset(out->gradient, 0, sizeof out->gradient);
}

// 0 times a number is a number only if that is finite.
static toc_terms_outcome check_terms(const toc_terms *t) {
    double sum = t->energy;
    for (int i = 0; i < 12; i++) sum += t->gradient[i / 3][i % 3] * 0;
    for (int k = 0; k < t->count; k++) {
        sum += t->squares[k].scale * 0;
        for (int i = 0; i < 12; i++) sum += t->squares[k].z[i / 3][i % 3] * 0;
    }
    return isfinite(sum) ? TOC_TERMS_SOME : TOC_TERMS_BEYOND;
}

toc_terms_outcome toc_terms_barrier(const toc_terms_query *q, toc_kind kind, const toc_vec x[4], double limit,
                                    toc_terms_place *place, toc_terms *out) {
    const toc_closest closest = toc_closest_pair(kind, x);
    if (!(closest.distance > q->minimum)) return TOC_TERMS_TOUCHING;
    if (!(closest.distance < q->minimum + q->distance)) return TOC_TERMS_NONE;
    clear_terms(out);
    classify_place(kind, closest.weights, place);
    const contact_frame f = frame_of(kind, x, &closest, place->active);
    const jet b = barrier_jet(q, f.distance);
    if (edges_product_square(x) < limit) {
        place->mollified = true;
        for (int i = 0; i < 4; i++) place->active[i] = true;
        add_mollified(q, &f, x, b, limit, out);
        return check_terms(out);
    }
    out->energy = b.value;
    for (int i = 0; i < 4 && q->order >= TOC_GRADIENT; i++)
        add_gradient(out, i, f.normal, 2 * f.distance * b.first * f.s[i]);
    if (q->order >= TOC_HESSIAN) add_barrier_hessian(&f, b, q->indefinite, out);
    return check_terms(out);
}

// ---- friction

// The integral of the smoothed direction, its slope and the slope of that, over the length where they are finite at 0.
static jet slip_jet(double y, double slip) {
    if (y >= slip) return (jet){y - slip / 3, 1 / y, 0};
    const double share = y / slip;
    return (jet){y * share * (1 - share / 3), (2 - share) / slip, 2 * (1 - share) / slip};
}

toc_terms_outcome toc_terms_friction(const toc_terms_query *q, const toc_lagged_pair *pair, double mollifier,
                                     const toc_vec u[4], toc_terms_place *place, toc_terms *out) {
    if (!(pair->distance > q->minimum)) return TOC_TERMS_TOUCHING;
    if (!(pair->distance < q->minimum + q->distance)) return TOC_TERMS_NONE;
    const double force = -2 * pair->distance * barrier_jet(q, pair->distance).first * mollifier * q->coefficient;
    double s[4];
    toc_vec slide = {0, 0, 0};
    clear_terms(out);
    classify_place(pair->kind, pair->weights, place);
    place->mollified = mollifier < 1;
    sign_weights(pair->kind, pair->weights, s);
    for (int i = 0; i < 4; i++) slide = toc_vec_add(slide, toc_vec_scale(u[i], s[i]));
    slide = toc_vec_sub(slide, toc_vec_scale(pair->normal, toc_vec_dot(pair->normal, slide)));
    const double length = toc_vec_length(slide);
    const jet h = slip_jet(length, q->slip);
    out->energy = force * h.value;
    for (int i = 0; i < 4 && q->order >= TOC_GRADIENT; i++) add_gradient(out, i, slide, force * h.first * s[i]);
    if (q->order >= TOC_HESSIAN) {
        const toc_vec first = length > 0 ? toc_vec_unit(slide) : vec_across(pair->normal);
        add_weighted(out, force * h.second, s, first);
        add_weighted(out, force * h.first, s, toc_vec_cross(pair->normal, first));
    }
    return check_terms(out);
}
