// SPDX-License-Identifier: Apache-2.0
// Bodies in the plane against truth in integers, without any code of the library: whether a vertex meets an edge is the
// sign of polynomials at roots of a quadratic.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/test.h"
#include "toccata/plane.h"

// ---- truth

__extension__ typedef __int128 wide;

// c[0] + c[1] t + c[2] t^2
typedef struct quadratic {
    wide c[3];
} quadratic;

// A root of a quadratic: (-c1 + sign * sqrt(d)) / (2 c2), or -c0 / c1 where c2 is 0.
typedef struct quadratic_root {
    quadratic of;
    int sign;
    wide d;
} quadratic_root;

static int sign_of(wide x) { return (x > 0) - (x < 0); }

// The sign of a + b sqrt(d).
static int sign_with_root(wide a, wide b, wide d) {
    const int p = sign_of(a), q = d > 0 ? sign_of(b) : 0;
    if (p == q || q == 0) return p;
    if (p == 0) return q;
    return p * sign_of(a * a - b * b * d);
}

// The sign of a quadratic at a root.
static int sign_at(const quadratic *f, const quadratic_root *root) {
    const wide *c = root->of.c;
    if (c[2] == 0) {
        const wide n = -c[0], m = c[1]; // t = n / m
        return sign_of(f->c[0] * m * m + f->c[1] * n * m + f->c[2] * n * n);
    }
    // t = (n + s r) / m with r = sqrt(d): f m^2 = f0 m^2 + f1 m (n + s r) + f2 (n^2 + d + 2 n s r).
    const wide n = -c[1], m = 2 * c[2], s = root->sign;
    return sign_with_root(f->c[0] * m * m + f->c[1] * m * n + f->c[2] * (n * n + root->d),
                          f->c[1] * m * s + 2 * f->c[2] * n * s, root->d);
}

static double value_of(const quadratic_root *root) {
    const wide *c = root->of.c;
    if (c[2] == 0) return (double)(-(long double)c[0] / (long double)c[1]);
    return (double)((-(long double)c[1] + root->sign * sqrtl((long double)root->d)) / (2 * (long double)c[2]));
}

static int list_roots(const quadratic *f, quadratic_root out[2]) {
    const wide *c = f->c, d = c[1] * c[1] - 4 * c[0] * c[2];
    if (c[2] == 0 && c[1] == 0) return 0;
    out[0] = (quadratic_root){*f, c[2] > 0 ? -1 : 1, d};
    out[1] = (quadratic_root){*f, -out[0].sign, d};
    if (c[2] == 0) return 1;
    return d < 0 ? 0 : 2;
}

// (a0 + a1 t) (b0 + b1 t)
static quadratic product(const wide a[2], const wide b[2]) {
    return (quadratic){{a[0] * b[0], a[0] * b[1] + a[1] * b[0], a[1] * b[1]}};
}

static quadratic combine(quadratic a, int sign, quadratic b) {
    for (int k = 0; k < 3; k++) a.c[k] += sign * b.c[k];
    return a;
}

static bool is_within_step(const quadratic_root *root) {
    static const quadratic t = {{0, 1, 0}}, rest = {{1, -1, 0}};
    return sign_at(&t, root) >= 0 && sign_at(&rest, root) >= 0;
}

// The first time at which `inside` is at most 0, of the roots of `at`, or of all times where that is 0 itself.
static bool first_time(const quadratic *at, const quadratic *inside, double *out) {
    quadratic_root roots[2];
    const bool always = at->c[0] == 0 && at->c[1] == 0 && at->c[2] == 0;
    if (at->c[0] == 0 && inside->c[0] <= 0) return *out = 0, true;
    const int count = list_roots(always ? inside : at, roots);
    for (int i = 0; i < count; i++)
        if (is_within_step(&roots[i]) && sign_at(inside, &roots[i]) <= 0) return *out = value_of(&roots[i]), true;
    return false;
}

// Vertex 0 and the edge from 1 to 2, with integers for coordinates.
static bool find_truth(const toc_plane_pair *pair, double *toc) {
    wide p[2][2], q[2][2], r[2][2]; // from 1 to 0, from 1 to 2, and from 2 to 0: by axis, by power of t
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < 3; i++) {
            wide *to = (i == 0 ? p : i == 1 ? q : r)[k];
            const int from = i == 2 ? 2 : 1, end = i == 1 ? 2 : 0;
            to[0] = (wide)(pair->x0[end][k] - pair->x0[from][k]);
            to[1] = (wide)(pair->x1[end][k] - pair->x1[from][k]) - to[0];
        }
    }
    const quadratic cross = combine(product(p[0], q[1]), -1, product(p[1], q[0]));
    const quadratic inside = combine(product(p[0], r[0]), 1, product(p[1], r[1]));
    return first_time(&cross, &inside, toc);
}

// ---- pairs

// Small integers: many pairs touch in ties, at the ends of the step and of the edge, or lie in one line.
static toc_plane_pair random_pair(test_random *random, int reach) {
    toc_plane_pair pair;
    for (int i = 0; i < 6; i++) {
        pair.x0[i / 2][i % 2] = floor(test_random_between(random, -reach, reach + 1));
        pair.x1[i / 2][i % 2] = floor(test_random_between(random, -reach, reach + 1));
    }
    return pair;
}

static toc_plane_pair scaled(const toc_plane_pair *pair, double by) {
    toc_plane_pair out;
    for (int i = 0; i < 6; i++) {
        out.x0[i / 2][i % 2] = by * pair->x0[i / 2][i % 2];
        out.x1[i / 2][i % 2] = by * pair->x1[i / 2][i % 2];
    }
    return out;
}

// The place lies on the edge and at the vertex, at the time of contact.
static void assert_place(const toc_plane_pair *pair, const toc_plane_contact *c) {
    for (int k = 0; k < 2; k++) {
        double at[3];
        for (int i = 0; i < 3; i++) at[i] = (1 - c->toc) * pair->x0[i][k] + c->toc * pair->x1[i][k];
        assert_double_near(c->point[k], (1 - c->weight) * at[1] + c->weight * at[2], 1e-6);
        assert_double_near(c->point[k], at[0], 1e-6);
    }
}

static void pairs_are_decided_as_in_integers(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    static const double scales[] = {1, 0x1p-40, 0x1p60};
    const toc_pair_test test = toc_pair_test_default();
    size_t hits = 0, ties = 0;
    for (int i = 0; i < test_less(60000, 6000); i++) {
        const toc_plane_pair pair = random_pair(&random, i % 3 ? 2 : 12), used = scaled(&pair, scales[i % 3]);
        toc_plane_contact c = {0};
        double toc;
        const bool wanted = find_truth(&pair, &toc);
        assert_ok(toc_plane_pair_find(&used, &test, &c));
        assert_int_equal(c.verdict, wanted ? TOC_HIT : TOC_APART);
        if (!wanted) continue;
        hits++;
        ties += toc == 0 || toc == 1;
        assert_true(c.toc <= toc * (1 + 1e-15) && c.toc >= toc * (1 - 1e-9));
        if (i % 3 == 0) assert_place(&pair, &c);
        assert_true(0 <= c.weight && c.weight <= 1);
        assert_int_equal(c.vertex, 0);
        assert_true(c.edge[0] == 1 && c.edge[1] == 2);
    }
    assert_true(hits > 500 && ties > 100);
}

// The normal lies in the plane, across the edge, and against the motion of the vertex.
static void normals_lie_in_the_plane(void **state) {
    (void)state;
    const toc_pair_test test = toc_pair_test_default();
    static const toc_plane_pair down = {{{0.25, 1}, {-1, -1}, {3, 1}}, {{0.25, -3}, {-1, -1}, {3, 1}}};
    toc_plane_pair up = down;
    toc_plane_contact c = {0};
    memcpy(up.x0[0], down.x1[0], sizeof up.x0[0]);
    memcpy(up.x1[0], down.x0[0], sizeof up.x1[0]);
    assert_ok(toc_plane_pair_find(&down, &test, &c));
    const double length = sqrt(5);
    assert_double_near(c.normal[0], -1 / length, 1e-12);
    assert_double_near(c.normal[1], 2 / length, 1e-12);
    assert_ok(toc_plane_pair_find(&up, &test, &c));
    assert_double_near(c.normal[0], 1 / length, 1e-12);
    assert_double_near(c.normal[1], -2 / length, 1e-12);
}

// ---- scenes

enum { VERTICES = 60, EDGES = 40 };

typedef struct plane_soup {
    double x0[VERTICES][2], x1[VERTICES][2];
    uint32_t edges[EDGES][2];
} plane_soup;

// Edges between any vertices, so that some share a vertex and fold; some vertices are points.
static void make_soup(test_random *random, bool grid, plane_soup *out) {
    for (int i = 0; i < 2 * VERTICES; i++) {
        const double a = test_random_between(random, -4, 5), b = a + test_random_between(random, -1, 1);
        out->x0[i / 2][i % 2] = grid ? floor(a) : a;
        out->x1[i / 2][i % 2] = grid ? floor(b) : b;
    }
    for (int i = 0; i < EDGES; i++) {
        out->edges[i][0] = (uint32_t)test_random_between(random, 0, VERTICES - 10);
        do out->edges[i][1] = (uint32_t)test_random_between(random, 0, VERTICES - 10);
        while (out->edges[i][0] == out->edges[i][1]);
    }
}

static toc_mesh *mesh_of(const plane_soup *soup) {
    toc_mesh *mesh;
    const toc_plane_body body = {VERTICES, soup->x0[0], soup->x1[0], EDGES, (const uint32_t(*)[2])soup->edges};
    assert_ok(toc_plane_mesh_create(NULL, &body, &mesh));
    return mesh;
}

static toc_scene *scene_of(const plane_soup *soup) {
    toc_scene *scene = NULL;
    assert_ok(toc_plane_scene_create(NULL, &scene));
    assert_ok(toc_scene_add_body(scene, mesh_of(soup), NULL));
    return scene;
}

static toc_plane_pair pair_of(const plane_soup *soup, uint32_t vertex, const uint32_t edge[2]) {
    const uint32_t ids[3] = {vertex, edge[0], edge[1]};
    toc_plane_pair pair;
    for (int i = 0; i < 3; i++) {
        memcpy(pair.x0[i], soup->x0[ids[i]], sizeof pair.x0[i]);
        memcpy(pair.x1[i], soup->x1[ids[i]], sizeof pair.x1[i]);
    }
    return pair;
}

// Whether an edge came before, in either direction.
static bool is_repeated(const plane_soup *soup, int i) {
    const uint32_t *e = soup->edges[i];
    for (int k = 0; k < i; k++) {
        const uint32_t *f = soup->edges[k];
        if ((e[0] == f[0] && e[1] == f[1]) || (e[0] == f[1] && e[1] == f[0])) return true;
    }
    return false;
}

static const toc_plane_contact *find_contact(const toc_plane_contact *list, size_t count, uint32_t vertex,
                                             const uint32_t edge[2]) {
    for (size_t i = 0; i < count; i++) {
        const uint32_t *e = list[i].edge;
        const bool same = (e[0] == edge[0] && e[1] == edge[1]) || (e[0] == edge[1] && e[1] == edge[0]);
        if (list[i].vertex == vertex && same) return &list[i];
    }
    return NULL;
}

// Each preset finds the pairs of a vertex and an edge that touch, one by one, and no others.
static void scenes_find_every_pair(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    const toc_pair_test test = toc_pair_test_default();
    static const char *const presets[] = {"auto", "bvh", "voxel-safe", "brute"};
    for (int round = 0; round < test_less(40, 8); round++) {
        plane_soup soup;
        toc_contacts *found;
        toc_plane_contact list[VERTICES * EDGES];
        toc_query query = toc_query_default();
        size_t wanted = 0;
        make_soup(&random, round % 2, &soup);
        toc_scene *scene = scene_of(&soup);
        query.preset = presets[round % 4];
        assert_ok(toc_scene_find_contacts(scene, &query, NULL, &found));
        for (size_t i = 0; i < found->count; i++) list[i] = toc_plane_contact_get(&found->contacts[i]);
        for (uint32_t v = 0; v < VERTICES; v++) {
            for (int e = 0; e < EDGES; e++) {
                const uint32_t *edge = soup.edges[e];
                const toc_plane_contact *got = find_contact(list, found->count, v, edge);
                toc_plane_contact c = {0};
                const toc_plane_pair pair = pair_of(&soup, v, edge);
                assert_ok(toc_plane_pair_find(&pair, &test, &c));
                const bool touches = c.verdict != TOC_APART && v != edge[0] && v != edge[1];
                assert_int_equal(got != NULL, touches);
                if (touches) assert_double_near(got->toc, c.toc, 1e-8);
                wanted += touches && !is_repeated(&soup, e);
            }
        }
        assert_int_equal(found->count, wanted);
        assert_true(wanted > 20);
        toc_contacts_destroy(found);
        toc_scene_destroy(scene);
    }
}

// a - b - c: the end a swings onto the edge b c, which it has a vertex in common with through a b.
static void a_chain_folds_onto_itself(void **state) {
    (void)state;
    static const double x0[] = {-1, 1, 0, 0, 2, 0}, x1[] = {1, -1, 0, 0, 2, 0};
    static const uint32_t edges[][2] = {{0, 1}, {1, 2}};
    toc_query query = toc_query_default();
    toc_scene *scene = NULL;
    toc_mesh *mesh;
    toc_contacts *found;
    double safe;
    assert_ok(toc_plane_mesh_create(NULL, &(toc_plane_body){3, x0, x1, 2, edges}, &mesh));
    assert_ok(toc_plane_scene_create(NULL, &scene));
    assert_ok(toc_scene_add_body(scene, mesh, NULL));
    assert_ok(toc_scene_find_contacts(scene, &query, NULL, &found));
    assert_int_equal(found->count, 1);
    const toc_plane_contact c = toc_plane_contact_get(found->contacts);
    assert_int_equal(c.vertex, 0);
    assert_true(c.edge[0] == 1 && c.edge[1] == 2 && c.weight == 0);
    assert_double_near(c.toc, 0.5, 1e-9);
    assert_ok(toc_scene_find_safe_step(scene, &query, &safe));
    assert_true(safe < 0.5 && safe > 0.4999999);
    toc_contacts_destroy(found);
    toc_scene_destroy(scene);
}

// Edges that cross at the start have no vertex that touches: they are told on request only.
static void crossings_at_the_start_are_told_on_request(void **state) {
    (void)state;
    static const double x[] = {-1, 0, 1, 0, 0, -1, 0, 2};
    static const uint32_t edges[][2] = {{0, 1}, {2, 3}};
    const toc_query query = toc_query_default();
    toc_scene *scene = NULL;
    toc_mesh *mesh;
    toc_contacts *found;
    assert_ok(toc_plane_mesh_create(NULL, &(toc_plane_body){4, x, NULL, 2, edges}, &mesh));
    assert_ok(toc_plane_scene_create(NULL, &scene));
    assert_ok(toc_scene_add_body(scene, mesh, NULL));
    for (size_t wanted = 0; wanted < 2; wanted++) {
        assert_ok(toc_scene_set_group_contact(scene, TOC_PLANE_EDGES, TOC_PLANE_EDGES, wanted));
        assert_ok(toc_scene_find_contacts(scene, &query, NULL, &found));
        assert_int_equal(found->count, wanted);
        if (wanted) {
            const toc_plane_contact c = toc_plane_contact_get(found->contacts);
            assert_int_equal(c.vertex, UINT32_MAX);
            assert_true(c.edge[0] == 2 && c.edge[1] == 3 && c.toc == 0);
            assert_double_near(c.weight, 1.0 / 3, 1e-12);
            assert_double_near(c.point[0], 0, 1e-12);
        }
        toc_contacts_destroy(found);
    }
    toc_scene_destroy(scene);
}

static double distance_to_edge(const double v[2], const double a[2], const double b[2]) {
    const double d[2] = {b[0] - a[0], b[1] - a[1]}, r[2] = {v[0] - a[0], v[1] - a[1]};
    const double u = fmin(fmax((r[0] * d[0] + r[1] * d[1]) / (d[0] * d[0] + d[1] * d[1]), 0), 1);
    return hypot(r[0] - u * d[0], r[1] - u * d[1]);
}

// Distances are those of the plane: pins do not come nearer than their feet.
static void near_pairs_have_distances_of_the_plane(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    plane_soup soup;
    toc_near *near;
    const toc_query query = toc_query_default();
    toc_near_query asked = toc_near_query_default();
    size_t wanted = 0;
    make_soup(&random, false, &soup);
    toc_scene *scene = scene_of(&soup);
    asked.distance = 0.3;
    assert_ok(toc_scene_find_near(scene, &query, &asked, NULL, &near));
    for (uint32_t v = 0; v < VERTICES; v++)
        for (int e = 0; e < EDGES; e++) {
            const uint32_t *edge = soup.edges[e];
            if (v == edge[0] || v == edge[1] || is_repeated(&soup, e)) continue;
            wanted += distance_to_edge(soup.x0[v], soup.x0[edge[0]], soup.x0[edge[1]]) <= 0.3;
        }
    assert_int_equal(near->count, wanted);
    assert_true(wanted > 20);
    for (size_t i = 0; i < near->count; i++) {
        const uint32_t *v = near->pairs[i].v;
        const int pin = v[1] == v[0] + 1 && v[0] % 2 == 0 ? 0 : 2, edge = 2 - pin;
        assert_double_near(near->pairs[i].distance,
                           distance_to_edge(soup.x0[v[pin] / 2], soup.x0[v[edge] / 2], soup.x0[v[edge + 1] / 2]),
                           1e-12);
    }
    toc_near_destroy(near);
    toc_scene_destroy(scene);
}

static void moves_and_bad_bodies(void **state) {
    (void)state;
    static const double x[] = {0, 0, 1, 0, 2, NAN}, y[] = {0, 1, 1, 1};
    static const uint32_t edges[][2] = {{0, 1}, {0, 2}, {1, 1}};
    toc_mesh *mesh = NULL;
    assert_fails(toc_plane_mesh_create(NULL, &(toc_plane_body){3, x, NULL, 1, edges}, &mesh), TOC_BAD_INPUT,
                 "vertex 2: coordinate y is nan");
    assert_fails(toc_plane_mesh_create(NULL, &(toc_plane_body){2, x, NULL, 2, edges}, &mesh), TOC_BAD_INPUT,
                 "edge 1 has the vertex 2, but there are 2");
    assert_fails(toc_plane_mesh_create(NULL, &(toc_plane_body){2, x, NULL, 1, edges + 2}, &mesh), TOC_BAD_INPUT,
                 "edge 0 has the vertex 1 twice");
    assert_fails(toc_plane_mesh_create(NULL, &(toc_plane_body){2, NULL, NULL, 0, NULL}, &mesh), TOC_BAD_INPUT, "NULL");
    assert_null(mesh);
    assert_ok(toc_plane_mesh_create(NULL, &(toc_plane_body){0}, &mesh));
    assert_ok(toc_plane_mesh_move(mesh, 0, x));
    toc_mesh_destroy(mesh);
    assert_ok(toc_plane_mesh_create(NULL, &(toc_plane_body){2, x, NULL, 1, edges}, &mesh));
    assert_ok(toc_plane_mesh_move(mesh, 2, y));
    assert_double_same(toc_mesh_get_x0(mesh)[1], 0);
    assert_double_same(toc_mesh_get_x1(mesh)[1], 1);
    assert_double_same(toc_mesh_get_x1(mesh)[2], 0);
    assert_double_same(toc_mesh_get_x1(mesh)[5], toc_mesh_get_x0(mesh)[5]);
    assert_ok(toc_plane_mesh_set_motion(mesh, 2, y, x));
    assert_double_same(toc_mesh_get_x0(mesh)[1], 1);
    assert_fails(toc_plane_mesh_move(mesh, 3, y), TOC_BAD_INPUT,
                 "3 vertices of the plane were given, and the body has 2");
    assert_fails(toc_plane_mesh_move(mesh, 2, x + 2), TOC_BAD_INPUT, "vertex 1: coordinate y is nan");
    toc_mesh_destroy(mesh);
}

static toc_status make_and_ask(const toc_allocator *allocator, void *user) {
    const plane_soup *soup = user;
    const toc_plane_body body = {VERTICES, soup->x0[0], soup->x1[0], EDGES, (const uint32_t(*)[2])soup->edges};
    const toc_query query = toc_query_default();
    toc_scene *scene = NULL;
    toc_mesh *mesh;
    toc_contacts *found = NULL;
    toc_status status = toc_plane_scene_create(allocator, &scene);
    if (status != TOC_OK) return status;
    status = toc_plane_mesh_create(allocator, &body, &mesh);
    if (status == TOC_OK) {
        status = toc_plane_mesh_set_motion(mesh, VERTICES, soup->x0[0], soup->x1[0]);
        if (status == TOC_OK) status = toc_scene_add_body(scene, mesh, NULL);
        if (status != TOC_OK) toc_mesh_destroy(mesh);
    }
    if (status == TOC_OK) status = toc_scene_find_contacts(scene, &query, NULL, &found);
    toc_contacts_destroy(found);
    toc_scene_destroy(scene);
    return status;
}

static void bodies_starved_of_memory(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    plane_soup soup;
    make_soup(&random, false, &soup);
    assert_true(test_every_allocation(make_and_ask, &soup) > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_are_decided_as_in_integers),
        cmocka_unit_test(normals_lie_in_the_plane),
        cmocka_unit_test(scenes_find_every_pair),
        cmocka_unit_test(a_chain_folds_onto_itself),
        cmocka_unit_test(crossings_at_the_start_are_told_on_request),
        cmocka_unit_test(near_pairs_have_distances_of_the_plane),
        cmocka_unit_test(moves_and_bad_bodies),
        cmocka_unit_test(bodies_starved_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
