// SPDX-License-Identifier: Apache-2.0
// The exact decision against an oracle that shares nothing with it: the same verdicts, and times and
// places within the promise (docs/guarantees.md, G2, G3, G12).
// TOC_QUERIES asks so many questions in each group instead of the number that suits a short run.
#include "support/oracle.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "pair/pair.h"
#include "support/queries.h"

typedef struct comparison {
    test_truth truth;
    double from, to;
    uint64_t asked, touching;
} comparison;

static uint64_t query_count(uint64_t usual) {
    const char *wish = getenv("TOC_QUERIES");
    return wish ? strtoull(wish, NULL, 10) : test_less(usual, usual / 3);
}

static comparison comparison_start(void) {
    comparison c = {.from = 0, .to = 1};
    test_truth_init(&c.truth);
    return c;
}

// A group in which nothing touches, or everything, would show little.
static void comparison_end(comparison *c) {
    print_message("%llu compared, %llu touching\n", (unsigned long long)c->asked, (unsigned long long)c->touching);
    assert_true(c->touching > 0 && c->touching < c->asked);
    test_truth_clear(&c->truth);
}

// How much of itself a time may be early: by the certified test with exact arithmetic behind it, with a look ahead, and
// in integers, where it is the last double not late.
#define CERTIFIED 1e-9
#define LOOKING_AHEAD 0x1p-31
#define IN_INTEGERS 0x1p-51

// Not after the first contact and not too early before; a denormal time has no such precision.
static bool time_is_right(const test_truth *truth, double toc, double precision) {
    mpq_t time, early;
    mpq_inits(time, early, NULL);
    mpq_set_d(time, toc);
    mpq_set_d(early, 1 - precision);
    mpq_mul(early, early, truth->upper);
    const bool late = mpq_cmp(time, truth->upper) > 0;
    mpq_sub(early, early, time);
    mpq_set_d(time, 0x1p-1074);
    const bool right = !late && mpq_cmp(early, time) <= 0;
    mpq_clears(time, early, NULL);
    return right;
}

static void assert_agrees(const comparison *c, const test_query *q, const toc_hit *hit, double precision) {
    const bool touches = hit->verdict == TOC_HIT;
    if (hit->verdict != TOC_UNDECIDED && touches == c->truth.touches &&
        (!touches || (time_is_right(&c->truth, hit->toc, precision) && hit->toc >= c->from)))
        return;
    print_error("%s %s from %a to %a: verdict %d at %a; the oracle: %d at %a\n", q->kind == TOC_VF ? "VF" : "EE",
                precision == IN_INTEGERS ? "in integers"
                : precision == CERTIFIED ? "certified"
                                         : "with a look ahead",
                c->from, c->to, (int)hit->verdict, touches ? hit->toc : 0, c->truth.touches, mpq_get_d(c->truth.upper));
    for (int i = 0; i < 8; i++) {
        const double *x = i < 4 ? q->pair.x0[i] : q->pair.x1[i - 4];
        print_error("    {%a, %a, %a},\n", x[0], x[1], x[2]);
    }
    fail();
}

// ---- where they touch (G12), in rational numbers

typedef struct vector {
    mpq_t x[3];
} vector;

static void vector_init(vector *v) { mpq_inits(v->x[0], v->x[1], v->x[2], NULL); }
static void vector_clear(vector *v) { mpq_clears(v->x[0], v->x[1], v->x[2], NULL); }

// A vertex at a time.
static void vertex_at(const toc_pair *pair, int i, const mpq_t time, vector *out) {
    mpq_t end;
    mpq_init(end);
    for (int k = 0; k < 3; k++) {
        mpq_set_d(out->x[k], pair->x0[i][k]);
        mpq_set_d(end, pair->x1[i][k]);
        mpq_sub(end, end, out->x[k]);
        mpq_mul(end, end, time);
        mpq_add(out->x[k], out->x[k], end);
    }
    mpq_clear(end);
}

// The sum of weights times vertices from `first` up to `last` at a time.
static void point_at(const toc_pair *pair, int first, int last, const double *weights, const mpq_t time, vector *out) {
    vector v;
    mpq_t weight;
    vector_init(&v);
    mpq_init(weight);
    for (int k = 0; k < 3; k++) mpq_set_ui(out->x[k], 0, 1);
    for (int i = first; i < last; i++) {
        vertex_at(pair, i, time, &v);
        mpq_set_d(weight, weights[i]);
        for (int k = 0; k < 3; k++) {
            mpq_mul(v.x[k], v.x[k], weight);
            mpq_add(out->x[k], out->x[k], v.x[k]);
        }
    }
    vector_clear(&v);
    mpq_clear(weight);
}

// 2^-29 of the extent of all eight positions, and 8 roundings of the largest coordinate.
static void allowance_of(const toc_pair *pair, mpq_t out) {
    double most = 0;
    mpq_t low, high, x;
    mpq_inits(low, high, x, NULL);
    mpq_set_ui(out, 0, 1);
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 8; i++) {
            const double at = i < 4 ? pair->x0[i][k] : pair->x1[i - 4][k];
            mpq_set_d(x, at);
            if (i == 0 || mpq_cmp(x, low) < 0) mpq_set(low, x);
            if (i == 0 || mpq_cmp(x, high) > 0) mpq_set(high, x);
            most = fmax(most, fabs(at));
        }
        mpq_sub(x, high, low);
        if (mpq_cmp(x, out) > 0) mpq_set(out, x);
    }
    mpq_div_2exp(out, out, 29);
    mpq_set_d(x, most);
    mpq_div_2exp(x, x, 50);
    mpq_add(out, out, x);
    mpq_set_d(x, 0x1p-1070);
    mpq_add(out, out, x);
    mpq_clears(low, high, x, NULL);
}

static bool is_close(const vector *a, const vector *b, const mpq_t allowance) {
    bool close = true;
    mpq_t off;
    mpq_init(off);
    for (int k = 0; k < 3; k++) {
        mpq_sub(off, a->x[k], b->x[k]);
        mpq_abs(off, off);
        close = close && mpq_cmp(off, allowance) <= 0;
    }
    mpq_clear(off);
    return close;
}

static void cross_of(const vector *a, const vector *b, vector *out) {
    mpq_t term;
    mpq_init(term);
    for (int k = 0; k < 3; k++) {
        const int l = (k + 1) % 3, m = (k + 2) % 3;
        mpq_mul(out->x[k], a->x[l], b->x[m]);
        mpq_mul(term, a->x[m], b->x[l]);
        mpq_sub(out->x[k], out->x[k], term);
    }
    mpq_clear(term);
}

static void dot_of(const vector *a, const vector *b, mpq_t out) {
    mpq_t term;
    mpq_init(term);
    mpq_set_ui(out, 0, 1);
    for (int k = 0; k < 3; k++) {
        mpq_mul(term, a->x[k], b->x[k]);
        mpq_add(out, out, term);
    }
    mpq_clear(term);
}

static void between(const vector *from, const vector *to, vector *out) {
    for (int k = 0; k < 3; k++) mpq_sub(out->x[k], to->x[k], from->x[k]);
}

// Where the line of the first edge passes the second one's at a time. False where they are parallel as far as the
// precision of the time tells: then all that is common to the edges is right.
static bool crossing_at(const toc_pair *pair, const mpq_t time, vector *out) {
    vector p[4], d, e, r, n, across;
    mpq_t square, limit, along;
    for (int i = 0; i < 4; i++) vector_init(&p[i]), vertex_at(pair, i, time, &p[i]);
    vector_init(&d), vector_init(&e), vector_init(&r), vector_init(&n), vector_init(&across);
    mpq_inits(square, limit, along, NULL);
    between(&p[0], &p[1], &d), between(&p[2], &p[3], &e), between(&p[0], &p[2], &r);
    cross_of(&d, &e, &n), cross_of(&r, &e, &across);
    dot_of(&d, &d, limit), dot_of(&e, &e, along);
    mpq_mul(limit, limit, along);
    mpq_div_2exp(limit, limit, 80);
    dot_of(&n, &n, square), dot_of(&across, &n, along);
    const bool crosses = mpq_cmp(square, limit) > 0;
    if (crosses) {
        mpq_div(along, along, square);
        for (int k = 0; k < 3; k++) {
            mpq_mul(out->x[k], d.x[k], along);
            mpq_add(out->x[k], out->x[k], p[0].x[k]);
        }
    }
    for (int i = 0; i < 4; i++) vector_clear(&p[i]);
    vector_clear(&d), vector_clear(&e), vector_clear(&r), vector_clear(&n), vector_clear(&across);
    mpq_clears(square, limit, along, NULL);
    return crosses;
}

static bool weights_are_tidy(toc_kind kind, const double weights[4]) {
    const int second = kind == TOC_VF ? 1 : 2;
    double sum[2] = {0, 0};
    bool tidy = true;
    for (int i = 0; i < 4; i++) {
        sum[i >= second] += weights[i];
        tidy = tidy && weights[i] >= 0 && weights[i] <= 1;
    }
    return tidy && fabs(sum[0] - 1) <= 0x1p-51 && fabs(sum[1] - 1) <= 0x1p-51;
}

// Both features' points and the point itself are within the allowance of where the features touch. That is where the
// vertex is, or where the edges cross, or where parallel ones have a point in common.
static bool place_is_right(const comparison *c, const test_query *q, const toc_hit *hit) {
    const int second = q->kind == TOC_VF ? 1 : 2;
    vector first_point, second_point, place, truth, earlier;
    mpq_t allowance;
    mpq_init(allowance);
    vector_init(&first_point), vector_init(&second_point), vector_init(&place), vector_init(&truth);
    vector_init(&earlier);
    allowance_of(&q->pair, allowance);
    point_at(&q->pair, 0, second, hit->weights, c->truth.upper, &first_point);
    point_at(&q->pair, second, 4, hit->weights, c->truth.upper, &second_point);
    for (int k = 0; k < 3; k++) mpq_set_d(place.x[k], hit->point[k]);
    bool right = weights_are_tidy(q->kind, hit->weights) && is_close(&first_point, &second_point, allowance) &&
                 is_close(&place, &second_point, allowance);
    mpq_div_2exp(allowance, allowance, 6);
    const bool known = q->kind == TOC_EE && crossing_at(&q->pair, c->truth.lower, &earlier) &&
                       crossing_at(&q->pair, c->truth.upper, &truth) && is_close(&earlier, &truth, allowance);
    mpq_mul_2exp(allowance, allowance, 6);
    if (known) right = right && is_close(&truth, &place, allowance) && is_close(&truth, &first_point, allowance);
    vector_clear(&first_point), vector_clear(&second_point), vector_clear(&place), vector_clear(&truth);
    vector_clear(&earlier);
    mpq_clear(allowance);
    return right;
}

static void assert_place(const comparison *c, const test_query *q, const toc_hit *hit) {
    if (hit->verdict == TOC_APART || place_is_right(c, q, hit)) return;
    print_error("%s at %a: weights %g %g %g %g, point %g %g %g\n", q->kind == TOC_VF ? "VF" : "EE", hit->toc,
                hit->weights[0], hit->weights[1], hit->weights[2], hit->weights[3], hit->point[0], hit->point[1],
                hit->point[2]);
    for (int i = 0; i < 8; i++) {
        const double *x = i < 4 ? q->pair.x0[i] : q->pair.x1[i - 4];
        print_error("    {%a, %a, %a},\n", x[0], x[1], x[2]);
    }
    fail();
}

// Neither missed nor invented, within 1e-9 of the time. At 0 only contacts of the start, or contacts so close to 0 that
// no double is between.
static void compare_certified(const comparison *c, const test_query *q) {
    toc_pair_test test = toc_pair_test_default();
    test.from = c->from;
    test.to = c->to;
    toc_hit hit = {.verdict = TOC_APART};
    assert_ok(toc_pair_find(q->kind, &q->pair, &test, &hit));
    assert_agrees(c, q, &hit, CERTIFIED);
    assert_place(c, q, &hit);
    if (c->truth.touches && hit.toc == 0) assert_true(mpq_get_d(c->truth.upper) == 0);
}

static void compare(comparison *c, const test_query *q) {
    test_oracle_find(q->kind, &q->pair, c->from, c->to, &c->truth);
    c->asked++;
    c->touching += c->truth.touches;
    const toc_hit looks_ahead = test_ask(q, TOC_METHOD_EXACT, c->from, c->to);
    assert_agrees(c, q, &looks_ahead, LOOKING_AHEAD);
    assert_place(c, q, &looks_ahead);
    compare_certified(c, q);
    toc_pair_test test = toc_pair_test_default();
    test.from = c->from;
    test.to = c->to;
    toc_arena scratch = toc_arena_make(NULL);
    toc_hit in_integers;
    assert_ok(toc_integer_pair(q->kind, q->pair.x0, q->pair.x1, &test, &scratch, &in_integers));
    toc_arena_free(&scratch);
    assert_agrees(c, q, &in_integers, IN_INTEGERS);
    assert_place(c, q, &in_integers);
}

static test_query one_of_both_kinds(test_random *random) {
    return (test_query){.kind = test_random_below(random, 2) ? TOC_EE : TOC_VF};
}

static void rest(test_random *random, toc_pair *pair) {
    const uint32_t moving = test_random_below(random, 16);
    for (int i = 0; i < 4; i++)
        if (!(moving >> i & 1)) memcpy(pair->x1[i], pair->x0[i], sizeof pair->x1[i]);
}

// Whole numbers below 2 to 6, some vertices at rest, some coordinates the same for all: every degeneracy there is.
static test_query small_numbers(test_random *random) {
    test_query q = one_of_both_kinds(random);
    const uint32_t count = 2 + test_random_below(random, 5);
    const uint32_t flat = test_random_below(random, 12);
    for (int i = 0; i < 4; i++)
        for (uint32_t k = 0; k < 3; k++) {
            q.pair.x0[i][k] = k == flat ? 1 : test_random_below(random, count);
            q.pair.x1[i][k] = k == flat ? 1 : test_random_below(random, count);
        }
    rest(random, &q.pair);
    return q;
}

static double *any_coordinate(test_random *random, toc_pair *pair) {
    double(*x)[3] = test_random_below(random, 2) ? pair->x0 : pair->x1;
    return &x[test_random_below(random, 4)][test_random_below(random, 3)];
}

// Numbers of full length, drawn from a few.
static test_query shared_coordinates(test_random *random) {
    double pool[5];
    for (int i = 0; i < 5; i++) pool[i] = test_random_between(random, -1, 1);
    test_query q = one_of_both_kinds(random);
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++) {
            q.pair.x0[i][k] = pool[test_random_below(random, 5)];
            q.pair.x1[i][k] = pool[test_random_below(random, 5)];
        }
    rest(random, &q.pair);
    return q;
}

// Small numbers, one coordinate off by the least that can be or by a little.
static test_query almost_small_numbers(test_random *random) {
    test_query q = small_numbers(random);
    double *x = any_coordinate(random, &q.pair);
    const double off = ldexp(test_random_between(random, -1, 1), -(int)test_random_below(random, 60));
    *x = test_random_below(random, 2) ? nextafter(*x, test_random_between(random, -9, 9)) : *x + off;
    return q;
}

static int any_exponent(test_random *random, int low, int high) {
    return low + (int)test_random_below(random, (uint32_t)(high - low));
}

// Stretching an axis changes no answer and no time, but how long the numbers are.
static test_query stretched_axes(test_random *random) {
    test_query q = small_numbers(random);
    for (int k = 0; k < 3; k++) {
        const int by = any_exponent(random, -1074, 1018);
        for (int i = 0; i < 4; i++) {
            q.pair.x0[i][k] = ldexp(q.pair.x0[i][k], by);
            q.pair.x1[i][k] = ldexp(q.pair.x1[i][k], by);
        }
    }
    return q;
}

// Small numbers, a few of any size among them: times from denormal to almost 1.
static test_query mixed_magnitudes(test_random *random) {
    test_query q = small_numbers(random);
    const bool far = test_random_below(random, 8) == 0;
    for (int n = 0; n < 6; n++) {
        const int by = far ? any_exponent(random, -1074, 1018) : any_exponent(random, -80, 80);
        double *x = any_coordinate(random, &q.pair);
        *x = ldexp(test_random_between(random, -1, 1), by);
    }
    return q;
}

static void compare_many(uint64_t usual, test_query make(test_random *random)) {
    comparison c = comparison_start();
    test_random random = test_random_make(0);
    for (uint64_t i = query_count(usual); i > 0; i--) {
        const test_query q = make(&random);
        compare(&c, &q);
    }
    comparison_end(&c);
}

static void degenerate_in_small_numbers(void **state) {
    (void)state;
    compare_many(4000, small_numbers);
}

static void degenerate_in_long_numbers(void **state) {
    (void)state;
    compare_many(3000, shared_coordinates);
}

static void all_but_degenerate(void **state) {
    (void)state;
    compare_many(2000, almost_small_numbers);
}

static void axes_of_different_size(void **state) {
    (void)state;
    compare_many(1000, stretched_axes);
}

static void coordinates_of_different_size(void **state) {
    (void)state;
    compare_many(250, mixed_magnitudes);
}

static void every_family(void **state) {
    (void)state;
    comparison c = comparison_start();
    test_random random = test_random_make(0);
    for (uint64_t i = query_count(2000); i > 0; i--) {
        const test_query q = test_query_make(&random, (int)(i % TEST_ALL_FAMILIES));
        compare(&c, &q);
    }
    comparison_end(&c);
}

static double any_time(test_random *random) {
    return test_random_below(random, 2) ? 0.25 * test_random_below(random, 5) : test_random_between(random, 0, 1);
}

// Contacts before and after the part do not count; those on its ends do.
static void parts_of_a_step(void **state) {
    (void)state;
    comparison c = comparison_start();
    test_random random = test_random_make(0);
    for (uint64_t i = query_count(2000); i > 0; i--) {
        const test_query q =
            i % 2 ? small_numbers(&random) : test_query_make(&random, (int)(i / 2 % TEST_ALL_FAMILIES));
        const double a = any_time(&random), b = any_time(&random);
        c.from = fmin(a, b);
        c.to = fmax(a, b);
        compare(&c, &q);
    }
    comparison_end(&c);
}

// The oracle is asked as well whether it knows the published answer.
static void compare_published(void *user, const test_query *q, bool collides) {
    comparison *c = user;
    compare(c, q);
    assert_int_equal(c->truth.touches, collides);
}

static void published_questions(void **state) {
    (void)state;
    test_need_data(TEST_PUBLISHED);
    comparison c = comparison_start();
    test_published(getenv("TOC_QUERIES") ? 1 : 3, compare_published, &c);
    comparison_end(&c);
}

// ---- pairs of whole frames, with their published answers

static toc_mesh *read_mesh(const char *folder, const char *name) {
    char path[256];
    toc_mesh *mesh;
    snprintf(path, sizeof path, "frames/%s/%s.ply", folder, name);
    assert_ok(toc_mesh_read(test_data("%s", path), NULL, &mesh));
    return mesh;
}

// A row is the kind, four vertices and the answer: "ee,1,2,3,4,1".
static test_query read_pair(const char *row, const double *x0, const double *x1, bool *collides) {
    test_query q = {.kind = row[0] == 'e' ? TOC_EE : TOC_VF};
    char *at = (char *)row + 3;
    for (int i = 0; i < 4; i++, at++) {
        const size_t v = strtoul(at, &at, 10);
        memcpy(q.pair.x0[i], x0 + 3 * v, sizeof q.pair.x0[i]);
        memcpy(q.pair.x1[i], x1 + 3 * v, sizeof q.pair.x1[i]);
    }
    *collides = *at == '1';
    return q;
}

static void compare_frames(const char *folder, int stride) {
    char answers[256], row[256];
    snprintf(answers, sizeof answers, "frames/%s/truth.csv.gz", folder);
    test_need_data(answers);
    toc_mesh *start = read_mesh(folder, "start"), *end = read_mesh(folder, "end");
    gzFile file = gzopen(test_data("%s", answers), "rb");
    comparison c = comparison_start();
    assert_non_null(file);
    assert_non_null(gzgets(file, row, sizeof row)); // the names of the columns
    for (int i = 0; gzgets(file, row, sizeof row); i++) {
        bool collides;
        const test_query q = read_pair(row, toc_mesh_get_x0(start), toc_mesh_get_x0(end), &collides);
        if (collides && i % stride) continue; // nearly all of them do
        compare(&c, &q);
        assert_int_equal(c.truth.touches, collides);
    }
    comparison_end(&c);
    gzclose(file);
    toc_mesh_destroy(start), toc_mesh_destroy(end);
}

static void pairs_of_frames(void **state) {
    (void)state;
    const int stride = getenv("TOC_QUERIES") ? 1 : 97;
    compare_frames("cloth-ball", stride);
    compare_frames("n-body", stride);
}

// The comparison would be blind if it took any time for right.
static void wrong_times_are_seen(void **state) {
    (void)state;
    const toc_pair falls = {{{1, 1, 1}, {0, 0, 0}, {4, 0, 0}, {0, 4, 0}},
                            {{1, 1, -2}, {0, 0, 0}, {4, 0, 0}, {0, 4, 0}}};
    test_truth truth;
    test_truth_init(&truth);
    test_oracle_find(TOC_VF, &falls, 0, 1, &truth);
    assert_true(truth.touches);
    assert_true(time_is_right(&truth, nextafter(1.0 / 3, 0), IN_INTEGERS));
    assert_false(time_is_right(&truth, nextafter(1.0 / 3, 1), IN_INTEGERS));
    assert_false(time_is_right(&truth, (1 - 0x1p-30) / 3, LOOKING_AHEAD));
    test_oracle_find(TOC_VF, &falls, 0.5, 1, &truth);
    assert_false(truth.touches);
    test_truth_clear(&truth);
}

// A face that collapses as the vertex arrives: every vertex of it is at the contact's height, yet only one edge is
// left.
static void a_face_that_collapses_on_contact(void **state) {
    (void)state;
    const test_query q = {TOC_VF,
                          {{{0, 1, 1}, {2, 1, 1}, {1, 2, 1}, {1, 2, 1}}, {{2, 2, 1}, {2, 2, 1}, {0, 0, 1}, {1, 0, 1}}}};
    comparison c = comparison_start();
    compare(&c, &q);
    assert_true(c.truth.touches);
    toc_hit wrong = test_ask(&q, TOC_METHOD_EXACT, 0, 1);
    assert_true(place_is_right(&c, &q, &wrong));
    const double place[3] = {2.0 / 3, 4.0 / 3, 1};
    for (int k = 0; k < 3; k++) assert_double_near(wrong.point[k], place[k], 1e-15);
    // the comparison would be blind if it took any place for right
    wrong.weights[1] = wrong.weights[2] = 0.5, wrong.weights[3] = 0;
    assert_false(place_is_right(&c, &q, &wrong));
    test_truth_clear(&c.truth);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_times_are_seen),
        cmocka_unit_test(a_face_that_collapses_on_contact),
        cmocka_unit_test(degenerate_in_small_numbers),
        cmocka_unit_test(degenerate_in_long_numbers),
        cmocka_unit_test(all_but_degenerate),
        cmocka_unit_test(axes_of_different_size),
        cmocka_unit_test(coordinates_of_different_size),
        cmocka_unit_test(every_family),
        cmocka_unit_test(parts_of_a_step),
        cmocka_unit_test(published_questions),
        cmocka_unit_test(pairs_of_frames),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
