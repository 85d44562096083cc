// SPDX-License-Identifier: Apache-2.0
// All times at which two features touch, against rational numbers and against sampled distances.
#include <gmp.h>
#include <math.h>
#include <string.h>

#include "support/answers.h"
#include "support/oracle.h"
#include "support/queries.h"

static int compare_double(double a, const mpq_t b) {
    mpq_t exact;
    mpq_init(exact);
    mpq_set_d(exact, a);
    const int sign = mpq_cmp(exact, b);
    mpq_clear(exact);
    return sign;
}

// The first time in [from, 1] must lie in the touch; without one there must be none.
static void assert_first_from(const test_query *q, double from, const toc_touch *touch) {
    test_truth truth;
    test_truth_init(&truth);
    test_oracle_find(q->kind, &q->pair, from, 1, &truth);
    assert_int_equal(truth.touches, touch != NULL);
    if (touch) {
        assert_true(compare_double(touch->enter, truth.upper) <= 0);
        assert_true(touch->enter == 1 || compare_double(nextafter(touch->enter, 2), truth.lower) >= 0);
    }
    test_truth_clear(&truth);
}

static bool touches_then(const test_query *q, double time) {
    test_truth truth;
    test_truth_init(&truth);
    test_oracle_find(q->kind, &q->pair, time, time, &truth);
    const bool result = truth.touches;
    test_truth_clear(&truth);
    return result;
}

static size_t assert_touches(const test_query *q) {
    toc_touches found;
    double from = 0;
    assert_ok(toc_pair_find_touches(q->kind, &q->pair, 0, &found));
    for (size_t i = 0; i < found.count; i++) {
        const toc_touch *touch = &found.at[i];
        assert_true(from <= 1 && 0 <= touch->enter && touch->enter <= touch->leave && touch->leave <= 1);
        assert_first_from(q, from, touch);
        if (touch->is_instant)
            assert_true(touch->leave <= nextafter(touch->enter, 2));
        else
            for (int k = 1; k < 8; k++)
                assert_true(touches_then(q, touch->enter + (touch->leave - touch->enter) * k / 8));
        from = nextafter(touch->leave, 2);
    }
    if (from <= 1) assert_first_from(q, from, NULL);
    return found.count;
}

static void every_family(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    size_t counts[4] = {0};
    for (int family = 0; family < TEST_ALL_FAMILIES; family++)
        for (int round = 0; round < test_less(40, 6); round++) {
            const test_query q = test_query_make(&random, family);
            const size_t count = assert_touches(&q);
            counts[count < 3 ? count : 3]++;
        }
    assert_true(counts[0] > 0 && counts[1] > 0);
    print_message("touches a pair: none %zu, one %zu, two %zu, more %zu\n", counts[0], counts[1], counts[2], counts[3]);
}

// Small whole numbers: flat motion, resting features, touching along stretches, double roots.
static void small_numbers(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    size_t several = 0, stretches = 0;
    for (int round = 0; round < test_less(1500, 150); round++) {
        test_query q = {.kind = round % 2 ? TOC_EE : TOC_VF};
        const int levels = round % 3 + 1;
        for (int i = 0; i < 12; i++) {
            q.pair.x0[i / 3][i % 3] = (int)test_random_below(&random, 5) - 2;
            q.pair.x1[i / 3][i % 3] = (int)test_random_below(&random, 5) - 2;
            if (i % 3 == 2 && levels == 1) q.pair.x0[i / 3][2] = q.pair.x1[i / 3][2] = 1;
        }
        several += assert_touches(&q) > 1;
        toc_touches found;
        assert_ok(toc_pair_find_touches(q.kind, &q.pair, 0, &found));
        for (size_t i = 0; i < found.count; i++) stretches += !found.at[i].is_instant;
    }
    assert_true(several > test_less(20, 2) && stretches > test_less(50, 5));
}

// A vertex in the plane of a face slides across it.
static void sliding_across_a_face(void **state) {
    (void)state;
    const toc_pair pair = {{{-1, 0.25, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
                           {{2, 0.25, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}};
    toc_touches found;
    assert_ok(toc_pair_find_touches(TOC_VF, &pair, 0, &found));
    assert_int_equal(found.count, 1);
    assert_false(found.at[0].is_instant);
    assert_double_near(found.at[0].enter, 1. / 3, 1e-15);
    assert_double_near(found.at[0].leave, 1.75 / 3, 1e-15);
    assert_true(found.at[0].enter <= 1. / 3 && found.at[0].leave >= 1.75 / 3);
}

static toc_quadratic_pair thrown(double control) {
    toc_quadratic_pair pair = {{{0.2, 0.2, 1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
                               {{0.2, 0.2, control}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
                               {{0.2, 0.2, 1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}};
    return pair;
}

// Down through a face and up again; down to the face exactly; not as far.
static void a_vertex_that_comes_back(void **state) {
    (void)state;
    toc_touches found;
    toc_quadratic_pair pair = thrown(-3);
    assert_ok(toc_quadratic_find_touches(TOC_VF, &pair, 0, &found));
    assert_int_equal(found.count, 2);
    assert_double_near(found.at[0].enter, (2 - sqrt(2)) / 4, 1e-15);
    assert_double_near(found.at[1].enter, (2 + sqrt(2)) / 4, 1e-15);
    pair = thrown(-1);
    assert_ok(toc_quadratic_find_touches(TOC_VF, &pair, 0, &found));
    assert_int_equal(found.count, 1);
    assert_true(found.at[0].is_instant && found.at[0].enter == 0.5 && found.at[0].leave == 0.5);
    pair = thrown(nextafter(-1, 0));
    assert_ok(toc_quadratic_find_touches(TOC_VF, &pair, 0, &found));
    assert_int_equal(found.count, 0);
    pair = thrown(nextafter(-1, -2)); // two roots 2^-26 apart
    assert_ok(toc_quadratic_find_touches(TOC_VF, &pair, 0, &found));
    assert_int_equal(found.count, 2);
    assert_true(found.at[0].leave < found.at[1].enter);
}

static void resting_on_each_other(void **state) {
    (void)state;
    const toc_pair pair = {{{0.2, 0.2, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
                           {{0.2, 0.2, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}};
    toc_touches found;
    assert_ok(toc_pair_find_touches(TOC_VF, &pair, 0, &found));
    assert_true(found.count == 1 && found.at[0].enter == 0 && found.at[0].leave == 1 && !found.at[0].is_instant);
}

// ---- within a separation

static double distance_at(const test_query *q, double time) {
    toc_pair at = q->pair;
    toc_distance found;
    toc_positions_interpolate(time, 12, q->pair.x0[0], q->pair.x1[0], NULL, at.x0[0]);
    assert_ok(toc_distance_find(q->kind, at.x0[0], &found));
    return found.distance;
}

static bool is_listed(const toc_touches *found, double time) {
    for (size_t i = 0; i < found->count; i++)
        if (found->at[i].enter <= time && time <= found->at[i].leave) return true;
    return false;
}

static void assert_sampled(const test_query *q, double separation, const toc_touches *found, double slack) {
    for (int i = 0; i <= 64; i++) {
        const double distance = distance_at(q, i / 64.);
        if (distance < separation - slack) assert_true(is_listed(found, i / 64.));
        if (distance > separation + slack) assert_false(is_listed(found, i / 64.));
    }
    toc_pair_test test = toc_pair_test_default();
    toc_hit hit;
    test.method = TOC_METHOD_EXACT;
    test.separation = separation;
    assert_ok(toc_pair_find(q->kind, &q->pair, &test, &hit));
    assert_int_equal(hit.verdict == TOC_HIT, found->count > 0);
    if (found->count) assert_double_near(hit.toc, found->at[0].enter, 1e-8 * found->at[0].enter);
    for (size_t i = 0; i + 1 < found->count; i++) assert_true(found->at[i].leave <= found->at[i + 1].enter);
}

static void within_a_separation(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    size_t several = 0;
    for (int family = 0; family < TEST_TINY; family++)
        for (int round = 0; round < test_less(25, 3); round++) {
            const test_query q = test_query_make(&random, family);
            double extent = 0;
            for (int i = 0; i < 12; i++) extent = fmax(extent, fabs(q.pair.x0[i / 3][i % 3] - q.pair.x0[0][i % 3]));
            const double separation = extent * pow(2, test_random_between(&random, -12, 0));
            toc_touches found;
            assert_ok(toc_pair_find_touches(q.kind, &q.pair, separation, &found));
            assert_sampled(&q, separation, &found, 0x1p-30 * extent);
            several += found.count > 1;
        }
    print_message("%zu pairs come near more than once\n", several);
}

// ---- within a separation, on parabolas

// Small whole numbers at times k / 64: all signs fit into 128 bits, with other formulas than the library's.
__extension__ typedef __int128 wide;
typedef struct whole_vec {
    int64_t x[3];
} whole_vec;

static whole_vec whole_minus(whole_vec a, whole_vec b) {
    return (whole_vec){{a.x[0] - b.x[0], a.x[1] - b.x[1], a.x[2] - b.x[2]}};
}

static whole_vec whole_cross(whole_vec a, whole_vec b) {
    return (whole_vec){
        {a.x[1] * b.x[2] - a.x[2] * b.x[1], a.x[2] * b.x[0] - a.x[0] * b.x[2], a.x[0] * b.x[1] - a.x[1] * b.x[0]}};
}

static wide whole_dot(whole_vec a, whole_vec b) {
    return (wide)a.x[0] * b.x[0] + (wide)a.x[1] * b.x[1] + (wide)a.x[2] * b.x[2];
}

static bool near_vertex(whole_vec p, whole_vec q, int64_t s) {
    const whole_vec d = whole_minus(p, q);
    return whole_dot(d, d) <= (wide)s * s;
}

static bool near_edge(whole_vec p, whole_vec a, whole_vec b, int64_t s) {
    const whole_vec e = whole_minus(b, a), w = whole_minus(p, a), off = whole_cross(w, e);
    const wide along = whole_dot(w, e), length = whole_dot(e, e);
    if (near_vertex(p, a, s) || near_vertex(p, b, s)) return true;
    return length > 0 && along >= 0 && along <= length && whole_dot(off, off) <= length * s * s;
}

// Whether the shift of size w along n is within s, and both shares of the spread are within [0, 1].
static bool near_plane(whole_vec w, whole_vec n, wide first, wide second, wide sum, int64_t s) {
    const wide spread = whole_dot(n, n), off = whole_dot(w, n);
    return spread > 0 && first >= 0 && second >= 0 && first <= spread && second <= spread && sum <= spread &&
           off * off <= spread * s * s;
}

static bool near_face(const whole_vec p[4], int64_t s) {
    const whole_vec a = whole_minus(p[2], p[1]), b = whole_minus(p[3], p[1]), w = whole_minus(p[0], p[1]);
    const whole_vec n = whole_cross(a, b);
    const wide first = whole_dot(whole_cross(w, b), n), second = whole_dot(whole_cross(a, w), n);
    for (int i = 1; i < 4; i++)
        if (near_edge(p[0], p[i], p[i % 3 + 1], s)) return true;
    return near_plane(w, n, first, second, first + second, s);
}

static bool near_edges(const whole_vec p[4], int64_t s) {
    const whole_vec a = whole_minus(p[1], p[0]), b = whole_minus(p[3], p[2]), w = whole_minus(p[2], p[0]);
    const whole_vec n = whole_cross(a, b);
    const wide first = whole_dot(whole_cross(w, b), n), second = whole_dot(whole_cross(w, a), n);
    for (int i = 0; i < 2; i++)
        if (near_edge(p[i], p[2], p[3], s) || near_edge(p[2 + i], p[0], p[1], s)) return true;
    return near_plane(w, n, first, second, 0, s);
}

static bool near_at(toc_kind kind, const toc_quadratic_pair *pair, int separation, int k) {
    whole_vec p[4];
    for (int i = 0; i < 4; i++)
        for (int c = 0; c < 3; c++)
            p[i].x[c] = (int64_t)pair->x0[i][c] * (64 - k) * (64 - k) +
                        2 * (int64_t)pair->control[i][c] * k * (64 - k) + (int64_t)pair->x1[i][c] * k * k;
    return (kind == TOC_VF ? near_face : near_edges)(p, (int64_t)separation * 64 * 64);
}

static int random_whole(test_random *random, int most) {
    return 2 * ((int)test_random_below(random, (uint32_t)(most + 1)) - most / 2);
}

// A parabola, in flat motion now and then; or a straight path at constant speed; or one that starts from rest.
typedef enum path_shape { SHAPE_CURVED, SHAPE_STRAIGHT, SHAPE_FROM_REST } path_shape;

static toc_quadratic_pair whole_pair(test_random *random, path_shape shape, bool flat) {
    toc_quadratic_pair q;
    for (int i = 0; i < 12; i++) {
        double *x0 = &q.x0[i / 3][i % 3], *control = &q.control[i / 3][i % 3], *x1 = &q.x1[i / 3][i % 3];
        *x0 = random_whole(random, 8);
        *x1 = random_whole(random, 8);
        *control = 2 * random_whole(random, 8);
        if (shape == SHAPE_STRAIGHT) *control = (*x0 + *x1) / 2;
        if (shape == SHAPE_FROM_REST) *control = *x0;
        if (flat && i % 3 == 2) *x0 = *control = *x1 = i == 2 ? 1 : 0;
    }
    return q;
}

static void parabolas_within_a_separation(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    size_t counts[4] = {0};
    for (int round = 0; round < test_less(240, 24); round++) {
        const toc_kind kind = round % 2 ? TOC_EE : TOC_VF;
        const toc_quadratic_pair q = whole_pair(&random, SHAPE_CURVED, round % 5 == 4);
        const int separation = 1 + round % 3;
        toc_touches found;
        assert_ok(toc_quadratic_find_touches(kind, &q, separation, &found));
        for (int k = 0; k <= 64; k++) assert_int_equal(near_at(kind, &q, separation, k), is_listed(&found, k / 64.));
        counts[found.count < 3 ? found.count : 3]++;
    }
    assert_true(counts[0] > 0 && counts[1] > 0 && counts[2] > 0);
    print_message("parabolas: none %zu, one %zu, two %zu, more %zu\n", counts[0], counts[1], counts[2], counts[3]);
}

// A path at constant speed is a parabola, too. One that starts from rest is at time t where the other is at t^2.
static void parabolas_along_straight_paths(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    for (int round = 0; round < test_less(160, 16); round++) {
        const toc_kind kind = round % 2 ? TOC_EE : TOC_VF;
        const toc_quadratic_pair even = whole_pair(&random, SHAPE_STRAIGHT, round % 5 == 4);
        toc_quadratic_pair from_rest = even;
        memcpy(from_rest.control, even.x0, sizeof from_rest.control);
        toc_pair straight;
        memcpy(straight.x0, even.x0, sizeof straight.x0);
        memcpy(straight.x1, even.x1, sizeof straight.x1);
        toc_touches truth, same, later;
        const double separation = round % 4 * 0.75;
        assert_ok(toc_pair_find_touches(kind, &straight, separation, &truth));
        assert_ok(toc_quadratic_find_touches(kind, &even, separation, &same));
        assert_ok(toc_quadratic_find_touches(kind, &from_rest, separation, &later));
        assert_memory_equal(&truth, &same, sizeof truth);
        assert_int_equal(truth.count, later.count);
        for (size_t i = 0; i < truth.count; i++) {
            assert_int_equal(truth.at[i].is_instant, later.at[i].is_instant);
            assert_double_near(later.at[i].enter, sqrt(truth.at[i].enter), 1e-15);
            assert_double_near(later.at[i].leave, sqrt(truth.at[i].leave), 1e-15);
        }
    }
}

// Through a layer around the face twice; as far as the layer reaches, exactly; beyond it by the last bit.
static void a_vertex_that_comes_back_through_a_layer(void **state) {
    (void)state;
    const toc_quadratic_pair pair = thrown(-3); // z = 1 - 8 t + 8 t^2, down to -1
    toc_touches found;
    assert_ok(toc_quadratic_find_touches(TOC_VF, &pair, 0.5, &found));
    assert_int_equal(found.count, 2);
    assert_double_near(found.at[0].enter, (2 - sqrt(3)) / 4, 1e-15);
    assert_true(found.at[0].leave == 0.25 && found.at[1].enter == 0.75);
    assert_ok(toc_quadratic_find_touches(TOC_VF, &pair, 1, &found));
    assert_true(found.count == 1 && found.at[0].enter == 0 && found.at[0].leave == 1 && !found.at[0].is_instant);
    assert_ok(toc_quadratic_find_touches(TOC_VF, &pair, nextafter(1, 0), &found));
    assert_int_equal(found.count, 2);
    assert_true(found.at[0].enter > 0 && found.at[0].leave < 0.5 && 0.5 < found.at[1].enter);
    const toc_quadratic_pair high = thrown(0); // down to 1/2
    assert_ok(toc_quadratic_find_touches(TOC_VF, &high, 0.5, &found));
    assert_true(found.count == 1 && found.at[0].is_instant && found.at[0].enter == 0.5);
    assert_ok(toc_quadratic_find_touches(TOC_VF, &high, nextafter(0.5, 0), &found));
    assert_int_equal(found.count, 0);
}

// ---- scenes

// Bodies that fall on parabolas, thick ones too: every contact has its touches, and the first one is the contact.
static void touches_of_accelerated_bodies(void **state) {
    (void)state;
    enum { VERTICES = 24, MOST = 4096 };
    test_random random = test_random_make(0);
    toc_scene *bodies = test_scene_of_soups(&random, TOC_TRIANGLE, 8, VERTICES, 0.3);
    double acceleration[3 * VERTICES];
    static toc_touches touches[MOST];
    toc_query query = toc_query_default();
    query.threads = 2;
    for (int i = 0; i < 3 * VERTICES; i++) acceleration[i] = test_random_between(&random, -1, 1);
    assert_ok(test_mesh_accelerate(toc_scene_edit_mesh(bodies, 1), acceleration));
    for (int round = 0; round < 3; round++) {
        toc_contacts *contacts;
        if (round == 1) query.test.separation = 0.01;
        if (round == 2) assert_ok(toc_scene_set_body_thickness(bodies, 1, 0.02));
        assert_ok(toc_scene_find_contacts(bodies, &query, NULL, &contacts));
        assert_true(contacts->count > 0 && contacts->count <= MOST);
        assert_ok(toc_scene_find_touches(bodies, &query, contacts, touches));
        for (size_t i = 0; i < contacts->count; i++) {
            assert_true(touches[i].count > 0 && contacts->contacts[i].toc <= nextafter(touches[i].at[0].enter, 2));
            assert_double_near(touches[i].at[0].enter, contacts->contacts[i].toc, 1e-3);
        }
        toc_contacts_destroy(contacts);
    }
    toc_scene_destroy(bodies);
}

static void touches_of_the_contacts_of_a_scene(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    toc_scene *bodies = test_scene_of_soups(&random, TOC_TRIANGLE, 12, 30, 0.3);
    toc_query query = toc_query_default();
    toc_contacts *contacts;
    enum { MOST = 4096 };
    static toc_touches one[MOST], same[MOST];
    for (int round = 0; round < 2; round++) {
        if (round == 1) assert_ok(toc_scene_set_body_thickness(bodies, 1, 0.02));
        assert_ok(toc_scene_find_contacts(bodies, &query, NULL, &contacts));
        assert_true(contacts->count > 0 && contacts->count <= MOST);
        query.threads = 1;
        assert_ok(toc_scene_find_touches(bodies, &query, contacts, one));
        for (query.threads = 2; query.threads <= 8; query.threads += 3) {
            assert_ok(toc_scene_find_touches(bodies, &query, contacts, same));
            assert_memory_equal(one, same, contacts->count * sizeof *one);
        }
        for (size_t i = 0; i < contacts->count; i++) {
            assert_true(one[i].count > 0);
            assert_double_near(one[i].at[0].enter, contacts->contacts[i].toc, 1e-8);
        }
        toc_contacts_destroy(contacts);
    }
    toc_scene_destroy(bodies);
}

static void bad_input_is_refused(void **state) {
    (void)state;
    toc_pair pair = {{{0}}, {{0}}};
    toc_quadratic_pair curved = {{{0}}, {{0}}, {{0}}};
    toc_touches found = {.count = 7};
    assert_fails(toc_pair_find_touches(TOC_VF, NULL, 0, &found), TOC_BAD_INPUT, "pair is NULL");
    assert_fails(toc_pair_find_touches(TOC_VF, &pair, 0, NULL), TOC_BAD_INPUT, "out is NULL");
    assert_fails(toc_pair_find_touches((toc_kind)2, &pair, 0, &found), TOC_BAD_INPUT, "kind");
    assert_fails(toc_pair_find_touches(TOC_VF, &pair, -1, &found), TOC_BAD_INPUT, "separation");
    pair.x1[3][2] = NAN;
    assert_fails(toc_pair_find_touches(TOC_EE, &pair, 0, &found), TOC_BAD_INPUT, "z of x1 of vertex 3");
    curved.control[1][0] = INFINITY;
    assert_fails(toc_quadratic_find_touches(TOC_VF, &curved, 0, &found), TOC_BAD_INPUT, "control");
    curved.control[1][0] = 0;
    assert_fails(toc_quadratic_find_touches(TOC_VF, &curved, NAN, &found), TOC_BAD_INPUT, "separation");
    assert_fails(toc_scene_find_touches(NULL, NULL, NULL, &found), TOC_BAD_INPUT, "scene is NULL");
    assert_int_equal(found.count, 7);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_family),
        cmocka_unit_test(small_numbers),
        cmocka_unit_test(sliding_across_a_face),
        cmocka_unit_test(a_vertex_that_comes_back),
        cmocka_unit_test(resting_on_each_other),
        cmocka_unit_test(within_a_separation),
        cmocka_unit_test(parabolas_within_a_separation),
        cmocka_unit_test(parabolas_along_straight_paths),
        cmocka_unit_test(a_vertex_that_comes_back_through_a_layer),
        cmocka_unit_test(touches_of_accelerated_bodies),
        cmocka_unit_test(touches_of_the_contacts_of_a_scene),
        cmocka_unit_test(bad_input_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
