// SPDX-License-Identifier: Apache-2.0
// All pairs of features, decided one by one. Fixed axes with bounded rounding reject distant pairs; the rest goes
// to the rational oracle of support/oracle.c.
#include "campaign/truth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/oracle.h"

// ---- the list of pairs

static int compare_features(const model_feature *a, const model_feature *b) {
    if (a->body != b->body) return a->body < b->body ? -1 : 1;
    for (int i = 0; i < a->size; i++)
        if (a->v[i] != b->v[i]) return a->v[i] < b->v[i] ? -1 : 1;
    return 0;
}

static int compare_pairs(const void *a, const void *b) {
    const truth_pair *x = a, *y = b;
    if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
    const int first = compare_features(x->a, y->a);
    return first ? first : compare_features(x->b, y->b);
}

static void put_pair(truth_list *list, toc_kind kind, const model_feature *a, const model_feature *b) {
    if (list->count == list->capacity) {
        list->capacity = 2 * list->capacity + 64;
        list->pairs = realloc(list->pairs, list->capacity * sizeof *list->pairs);
        if (!list->pairs) abort();
    }
    list->pairs[list->count++] = (truth_pair){.kind = kind, .a = a, .b = b};
}

void truth_enumerate(model *m, truth_list *out) {
    *out = (truth_list){0};
    model_derive(m);
    for (size_t i = 0; i < m->feature_count; i++)
        for (size_t j = 0; j < m->feature_count; j++) {
            const model_feature *a = &m->features[i], *b = &m->features[j];
            const bool vf = a->size == 1 && b->size == 3, ee = a->size == 2 && b->size == 2;
            if (!vf && !ee) continue;
            if (ee && compare_features(a, b) >= 0) continue;
            if (model_wants(m, a, b)) put_pair(out, vf ? TOC_VF : TOC_EE, a, b);
        }
    if (out->count) qsort(out->pairs, out->count, sizeof *out->pairs, compare_pairs);
}

void truth_free(truth_list *list) {
    free(list->pairs);
    *list = (truth_list){0};
}

static void set_feature(model_feature *f, uint32_t body, int size, const uint32_t *v) {
    f->body = body;
    f->size = size;
    for (int i = 0; i < size; i++) f->v[i] = v[i];
    for (int i = 1; i < size; i++)
        for (int j = i; j > 0 && f->v[j - 1] > f->v[j]; j--) {
            const uint32_t swapped = f->v[j];
            f->v[j] = f->v[j - 1];
            f->v[j - 1] = swapped;
        }
}

truth_pair *truth_find(const truth_list *list, toc_kind kind, const uint32_t body[2], const uint32_t v[4]) {
    static model_feature a, b; // large
    const int first = kind == TOC_VF ? 1 : 2;
    set_feature(&a, body[0], first, v);
    set_feature(&b, body[1], 4 - first, v + first);
    const bool turned = kind == TOC_EE && compare_features(&a, &b) > 0;
    const truth_pair key = {.kind = kind, .a = turned ? &b : &a, .b = turned ? &a : &b};
    return list->count ? bsearch(&key, list->pairs, list->count, sizeof key, compare_pairs) : NULL;
}

void truth_vertices(const truth_pair *p, uint32_t v[4]) {
    int at = 0;
    for (int i = 0; i < p->a->size; i++) v[at++] = p->a->v[i];
    for (int i = 0; i < p->b->size; i++) v[at++] = p->b->v[i];
}

void truth_mix(double x0[4][3], double x1[4][3], long double time, long double x[4][3]) {
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++) x[i][k] = x0[i][k] + time * ((long double)x1[i][k] - x0[i][k]);
}

void truth_place(const model *m, const truth_pair *p, double x0[4][3], double x1[4][3]) {
    int at = 0;
    for (int side = 0; side < 2; side++) {
        const model_feature *f = side ? p->b : p->a;
        for (int i = 0; i < f->size; i++, at++) {
            memcpy(x0[at], m->bodies[f->body].x0[f->v[i]], sizeof x0[at]);
            memcpy(x1[at], m->bodies[f->body].x1[f->v[i]], sizeof x1[at]);
        }
    }
}

// ---- contacts

enum { AXES = 13 };
static const int axes[AXES][3] = {{1, 0, 0}, {0, 1, 0},  {0, 0, 1}, {1, 1, 0},  {1, -1, 0}, {1, 0, 1}, {1, 0, -1},
                                  {0, 1, 1}, {0, 1, -1}, {1, 1, 1}, {1, 1, -1}, {1, -1, 1}, {-1, 1, 1}};

static double size_of(const truth_motion *m) {
    const double *const x[3] = {m->at.x0[0], m->at.x1[0], m->at.control[0]};
    double size = 0;
    for (int i = 0; i < (m->curved ? 36 : 24); i++) size = fmax(size, fabs(x[i / 12][i % 12]));
    return size;
}

// Along a fixed axis the gap of two moving vertices is linear in time: positive at both ends, positive throughout. On
// parabolas it lies between its values at the ends and at the control points. Sums of three doubles in 64 bits are off
// by less than 2^-62 of the sum of sizes; 2^-50 of it is asked for.
static bool are_apart_along(const int axis[3], int first, const truth_motion *m) {
    const double(*const places[3])[3] = {m->at.x0, m->at.x1, m->at.control};
    const long double margin = size_of(m) * 0x1p-50L;
    bool below = true, above = true;
    for (int place = 0; place < (m->curved ? 3 : 2); place++) {
        long double least[2] = {INFINITY, INFINITY}, most[2] = {-INFINITY, -INFINITY};
        for (int i = 0; i < 4; i++) {
            const double *x = places[place][i];
            const long double along =
                (long double)x[0] * axis[0] + (long double)x[1] * axis[1] + (long double)x[2] * axis[2];
            least[i >= first] = fminl(least[i >= first], along);
            most[i >= first] = fmaxl(most[i >= first], along);
        }
        below = below && least[1] - most[0] > margin;
        above = above && least[0] - most[1] > margin;
    }
    return below || above;
}

static bool are_far_apart(toc_kind kind, const truth_motion *m) {
    for (int i = 0; i < AXES; i++)
        if (are_apart_along(axes[i], kind == TOC_VF ? 1 : 2, m)) return true;
    return false;
}

static double rounded_down(const mpq_t x) {
    const double d = mpq_get_d(x); // towards zero, and times are not negative
    return d;
}

static double rounded_up(const mpq_t x) {
    const double d = mpq_get_d(x);
    mpq_t back;
    mpq_init(back);
    mpq_set_d(back, d);
    const bool same = mpq_cmp(back, x) == 0;
    mpq_clear(back);
    return same ? d : nextafter(d, INFINITY);
}

static void find_truth(toc_kind kind, const truth_motion *m, double from, double to, test_truth *truth) {
    toc_pair pair;
    memcpy(pair.x0, m->at.x0, sizeof pair.x0);
    memcpy(pair.x1, m->at.x1, sizeof pair.x1);
    if (m->curved)
        test_oracle_find_curved(kind, &m->at, from, to, truth);
    else
        test_oracle_find(kind, &pair, from, to, truth);
}

static bool first_exactly(toc_kind kind, const truth_motion *m, double from, double to, double *low, double *high) {
    test_truth truth;
    test_truth_init(&truth);
    find_truth(kind, m, from, to, &truth);
    if (truth.touches) {
        *low = rounded_down(truth.lower);
        *high = rounded_up(truth.upper);
    }
    const bool touches = truth.touches;
    test_truth_clear(&truth);
    return touches;
}

bool truth_first(toc_kind kind, const truth_motion *m, double from, double to, double *low, double *high) {
    return !are_far_apart(kind, m) && first_exactly(kind, m, from, to, low, high);
}

static void decide(truth_list *list, truth_pair *p, const truth_motion *m, double from, double to) {
    p->touches = false;
    if (are_far_apart(p->kind, m)) return;
    list->questions++;
    p->touches = first_exactly(p->kind, m, from, to, &p->low, &p->high);
}

void truth_motion_of(const model *m, const truth_pair *p, truth_motion *out) {
    out->curved = model_is_curved(m);
    for (int i = 0; i < 4; i++) {
        const bool is_first = i < p->a->size;
        const model_feature *f = is_first ? p->a : p->b;
        double path[3][3];
        model_path(m, f->body, f->v[is_first ? i : i - p->a->size], path);
        memcpy(out->at.x0[i], path[0], sizeof path[0]);
        memcpy(out->at.control[i], path[1], sizeof path[1]);
        memcpy(out->at.x1[i], path[2], sizeof path[2]);
    }
}

void truth_motion_at(const truth_motion *m, long double time, long double x[4][3]) {
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++) {
            const long double x0 = m->at.x0[i][k], x1 = m->at.x1[i][k];
            x[i][k] = x0 + time * (x1 - x0);
            // The control point of a straight path is in the middle.
            if (m->curved) x[i][k] += time * (1 - time) * ((m->at.control[i][k] - x0) + (m->at.control[i][k] - x1));
        }
}

void truth_contacts(const model *m, double from, double to, truth_list *list) {
    for (size_t i = 0; i < list->count; i++) {
        truth_motion motion;
        truth_motion_of(m, &list->pairs[i], &motion);
        decide(list, &list->pairs[i], &motion, from, to);
    }
}

bool truth_is_free(const model *m, const truth_list *list, double fraction) {
    truth_list scratch = {0};
    for (size_t i = 0; i < list->count; i++) {
        truth_pair p = list->pairs[i];
        if (!p.asked) continue;
        truth_motion motion = {.curved = false};
        truth_place(m, &p, motion.at.x0, motion.at.x1);
        for (int j = 0; j < 4; j++)
            toc_positions_interpolate(fraction, 3, motion.at.x0[j], motion.at.x1[j], NULL, motion.at.x1[j]);
        decide(&scratch, &p, &motion, 0, 1);
        if (p.touches) return false;
    }
    return true;
}
