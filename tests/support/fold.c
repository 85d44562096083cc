// SPDX-License-Identifier: Apache-2.0
#include "support/fold.h"

#if TOC_HAVE_GMP
#include <gmp.h>

typedef struct point {
    mpq_t x[3];
} point;

typedef struct tet {
    point corner[4];
} tet;

static void init_tet(tet *t) {
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++) mpq_init(t->corner[i].x[k]);
}

static void clear_tet(tet *t) {
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++) mpq_clear(t->corner[i].x[k]);
}

static void copy_point(point *to, const point *from) {
    for (int k = 0; k < 3; k++) mpq_set(to->x[k], from->x[k]);
}

// out = ((b - a) x (c - a)) . (d - a)
static void orientation(const point *a, const point *b, const point *c, const point *d, mpq_t out) {
    mpq_t r[3][3], left, right;
    const point *others[3] = {b, c, d};
    mpq_inits(left, right, NULL);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            mpq_init(r[i][k]);
            mpq_sub(r[i][k], others[i]->x[k], a->x[k]);
        }
    mpq_set_ui(out, 0, 1);
    for (int k = 0; k < 3; k++) {
        mpq_mul(left, r[0][(k + 1) % 3], r[1][(k + 2) % 3]);
        mpq_mul(right, r[0][(k + 2) % 3], r[1][(k + 1) % 3]);
        mpq_sub(left, left, right);
        mpq_mul(left, left, r[2][k]);
        mpq_add(out, out, left);
    }
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) mpq_clear(r[i][k]);
    mpq_clears(left, right, NULL);
}

// The point between a and b at which a linear function with the values p and q is 0.
static void cross_point(const point *a, const point *b, const mpq_t p, const mpq_t q, point *out) {
    mpq_t t, step;
    mpq_inits(t, step, NULL);
    mpq_sub(t, p, q);
    mpq_div(t, p, t);
    for (int k = 0; k < 3; k++) {
        mpq_sub(step, b->x[k], a->x[k]);
        mpq_mul(step, step, t);
        mpq_add(out->x[k], a->x[k], step);
    }
    mpq_clears(t, step, NULL);
}

static bool clip_and_look(const tet *t, const tet *by, int face);

static bool look_at(const point *const corners[4], const tet *by, int face) {
    tet part;
    init_tet(&part);
    for (int i = 0; i < 4; i++) copy_point(&part.corner[i], corners[i]);
    const bool found = clip_and_look(&part, by, face);
    clear_tet(&part);
    return found;
}

// The part of a tet on the positive side: corners `in` first. One corner makes a tet, two or three a wedge of tets.
static bool look_at_part(const tet *t, const int *order, int in, mpq_t *value, const tet *by, int face) {
    tet cuts; // of one corner: its three edges; of three: those of the one outside; of two: four edges
    init_tet(&cuts);
    const point *p[4];
    for (int i = 0; i < 4; i++) p[i] = &t->corner[order[i]];
    bool found = false;
    if (in == 1) {
        for (int i = 0; i < 3; i++) cross_point(p[0], p[1 + i], value[order[0]], value[order[1 + i]], &cuts.corner[i]);
        found = look_at((const point *[]){p[0], &cuts.corner[0], &cuts.corner[1], &cuts.corner[2]}, by, face);
    } else if (in == 3) {
        for (int i = 0; i < 3; i++) cross_point(p[3], p[i], value[order[3]], value[order[i]], &cuts.corner[i]);
        found = look_at((const point *[]){p[0], p[1], p[2], &cuts.corner[0]}, by, face) ||
                look_at((const point *[]){p[1], p[2], &cuts.corner[0], &cuts.corner[1]}, by, face) ||
                look_at((const point *[]){p[2], &cuts.corner[0], &cuts.corner[1], &cuts.corner[2]}, by, face);
    } else {
        for (int i = 0; i < 4; i++)
            cross_point(p[i / 2], p[2 + i % 2], value[order[i / 2]], value[order[2 + i % 2]], &cuts.corner[i]);
        found = look_at((const point *[]){p[0], &cuts.corner[0], &cuts.corner[1], p[1]}, by, face) ||
                look_at((const point *[]){p[1], &cuts.corner[0], &cuts.corner[1], &cuts.corner[2]}, by, face) ||
                look_at((const point *[]){p[1], &cuts.corner[1], &cuts.corner[2], &cuts.corner[3]}, by, face);
    }
    clear_tet(&cuts);
    return found;
}

// Whether a volume is left of a tet on the inner sides of the faces from `face` on.
static bool clip_and_look(const tet *t, const tet *by, int face) {
    static const int faces[4][4] = {{1, 2, 3, 0}, {0, 2, 3, 1}, {0, 1, 3, 2}, {0, 1, 2, 3}};
    mpq_t value[4], side;
    mpq_init(side);
    bool found = false;
    for (int i = 0; i < 4; i++) mpq_init(value[i]);
    if (face == 4) {
        orientation(&t->corner[0], &t->corner[1], &t->corner[2], &t->corner[3], side);
        found = mpq_sgn(side) != 0;
    } else {
        const int *f = faces[face];
        int order[4], in = 0, out = 4;
        orientation(&by->corner[f[0]], &by->corner[f[1]], &by->corner[f[2]], &by->corner[f[3]], side);
        for (int i = 0; i < 4; i++) {
            orientation(&by->corner[f[0]], &by->corner[f[1]], &by->corner[f[2]], &t->corner[i], value[i]);
            if (mpq_sgn(side) < 0) mpq_neg(value[i], value[i]);
            order[mpq_sgn(value[i]) >= 0 ? in++ : --out] = i;
        }
        if (mpq_sgn(side) != 0 && in > 0)
            found = in == 4 ? clip_and_look(t, by, face + 1) : look_at_part(t, order, in, value, by, face + 1);
    }
    for (int i = 0; i < 4; i++) mpq_clear(value[i]);
    mpq_clear(side);
    return found;
}

bool test_tets_are_folded(const double *const a[4], const double *const b[4]) {
    tet s, t;
    init_tet(&s);
    init_tet(&t);
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++) {
            mpq_set_d(s.corner[i].x[k], a[i][k]);
            mpq_set_d(t.corner[i].x[k], b[i][k]);
        }
    const bool folded = clip_and_look(&s, &t, 0);
    clear_tet(&s);
    clear_tet(&t);
    return folded;
}
#else
#include <string.h>

#include "convex/fold.h"

bool test_tets_are_folded(const double *const a[4], const double *const b[4]) {
    toc_arena scratch = toc_arena_make(NULL);
    bool folded = false;
    int i = 0;
    while (memcmp(a[i / 4], b[i % 4], 3 * sizeof **a) != 0) i++; // the common corner
    const double *const x[4] = {a[i / 4], a[(i / 4 + 1) % 4], a[(i / 4 + 2) % 4], a[(i / 4 + 3) % 4]};
    const double *const y[4] = {b[i % 4], b[(i % 4 + 1) % 4], b[(i % 4 + 2) % 4], b[(i % 4 + 3) % 4]};
    toc_tets_are_folded(x, y, &scratch, &folded);
    toc_arena_free(&scratch);
    return folded;
}
#endif
