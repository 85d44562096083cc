// SPDX-License-Identifier: Apache-2.0
// Stars that are called whole have no contacts of their own and no overlapping tets, after any deformation. Whole stars
// are recognised up to the time at which they break.
#include "cull/volume/stars.h"

#include <stdlib.h>
#include <string.h>

#include "base/backend.h"
#include "cull/volume/cells.h"
#include "support/grid.h"
#include "support/test.h"

// The cells of one body, and its stars.
typedef struct world {
    toc_mesh *mesh;
    toc_cells cells;
    toc_features *features;
    toc_stars stars;
} world;

static world open_world(toc_mesh *mesh) {
    const toc_allocator memory = toc_allocator_or_default(NULL);
    const size_t count = toc_mesh_get_element_count(mesh);
    world w = {.mesh = mesh, .cells = {.count = count, .body_count = 1}};
    w.cells.at = calloc(count + 1, sizeof *w.cells.at);
    w.cells.bodies = calloc(1, sizeof *w.cells.bodies);
    assert_ok(toc_mesh_find_features(mesh, &w.features));
    assert_ok(toc_incidence_make(mesh, w.features, &w.cells.bodies[0].incidence));
    for (size_t e = 0; e < count; e++) {
        w.cells.at[e].element = (uint32_t)e;
        toc_cell_set(mesh, 0, &w.cells.at[e]);
    }
    assert_ok(toc_stars_find(&memory, &w.cells, &w.stars));
    return w;
}

static void close_world(world *w) {
    const toc_allocator memory = toc_allocator_or_default(NULL);
    toc_stars_free(&memory, &w->stars);
    toc_incidence_free(&w->cells.bodies[0].incidence);
    toc_features_destroy(w->features);
    free(w->cells.bodies);
    free(w->cells.at);
    toc_mesh_destroy(w->mesh);
}

// Tell of the contacts of the surface, as a search finds them.
static void tell_contacts(world *w) {
    toc_mesh *copy;
    toc_contacts *contacts;
    toc_query query = toc_query_default();
    query.preset = "bvh";
    query.surface_only = true;
    query.threads = 1;
    assert_ok(toc_mesh_copy(w->mesh, &copy));
    toc_scene *scene = test_scene_of(copy, NULL);
    assert_ok(toc_scene_find_contacts(scene, &query, NULL, &contacts));
    for (size_t i = 0; i < contacts->count; i++) toc_stars_touch(&w->stars, contacts->contacts[i].v);
    toc_contacts_destroy(contacts);
    toc_scene_destroy(scene);
}

static void tell(world *w) {
    enum { MOST = 200 };
    static toc_packed packed[MOST];
    const size_t count = toc_mesh_get_vertex_count(w->mesh);
    assert_true(count <= MOST);
    const toc_stars_step step = {toc_mesh_get_x0(w->mesh), toc_mesh_get_x1(w->mesh), packed};
    const toc_frame frame = toc_frame_around(count, step.x0, step.x1, 1);
    assert_true(toc_packed_set(&frame, count, step.x0, step.x1, packed) <= 1);
    toc_stars_look(&w->stars, 0, w->stars.tets.count, &step);
    toc_stars_follow(&w->stars, &step);
    toc_stars_tell(&w->stars, 0, w->stars.whole.count, &step);
    tell_contacts(w);
}

// The tets around one vertex, alone.
static toc_scene *star_alone(const world *w, uint32_t vertex) {
    toc_mesh *star;
    const size_t count = toc_mesh_get_vertex_count(w->mesh);
    assert_ok(toc_mesh_create(NULL, &star));
    assert_ok(toc_mesh_add_vertices(star, count, toc_mesh_get_x0(w->mesh), NULL));
    assert_ok(test_mesh_move(star, toc_mesh_get_x1(w->mesh)));
    for (size_t i = 0; i < w->stars.tets.count; i++) {
        const uint32_t *v = w->stars.tets.at[i].v;
        if (v[0] == vertex || v[1] == vertex || v[2] == vertex || v[3] == vertex)
            assert_ok(toc_mesh_add_elements(star, TOC_TET, 1, v, NULL));
    }
    return test_scene_of(star, NULL);
}

static size_t count_contacts(toc_scene *scene) {
    toc_contacts *contacts;
    toc_query query = toc_query_default();
    query.preset = "bvh";
    query.threads = 1;
    assert_ok(toc_scene_find_contacts(scene, &query, NULL, &contacts));
    const size_t count = contacts->count;
    toc_contacts_destroy(contacts);
    return count;
}

static size_t count_overlaps(toc_scene *scene, toc_end end) {
    toc_overlaps *overlaps;
    toc_query query = toc_query_default();
    size_t count = 0;
    query.threads = 1;
    assert_ok(toc_scene_find_element_overlaps(scene, &query, end, NULL, &overlaps));
    for (size_t i = 0; i < overlaps->count; i++) count += overlaps->pairs[i].depth > 1e-9;
    toc_overlaps_destroy(overlaps);
    return count;
}

typedef struct tally {
    size_t whole, broken; // called whole; with contacts
} tally;

static void check(world *w, tally *sum) {
    tell(w);
    for (uint32_t v = 0; v < toc_mesh_get_vertex_count(w->mesh); v++) {
        toc_scene *scene = star_alone(w, v);
        const size_t contacts = count_contacts(scene);
        const size_t overlaps = count_overlaps(scene, TOC_AT_START) + count_overlaps(scene, TOC_AT_END);
        assert_false(w->stars.whole.at[v] && contacts + overlaps > 0);
        sum->whole += w->stars.whole.at[v];
        sum->broken += contacts + overlaps > 0;
        toc_scene_destroy(scene);
    }
}

// Bodies with bites taken out, shaken so that some stars fold, in two steps: the second one goes on from the first.
static void check_shape(toc_shape shape) {
    test_random random = test_random_make(0);
    tally sum = {0, 0};
    for (int i = 0; i < (shape == TOC_TET ? 40 : 12); i++) {
        toc_mesh *mesh = test_grid_volume(shape, 2, 2, 1 + (uint32_t)i % 2);
        const size_t count = toc_mesh_get_vertex_count(mesh);
        double x[3 * 64];
        for (int k = 0; k < i % 8; k++) {
            const uint32_t e = test_random_below(&random, (uint32_t)toc_mesh_get_element_count(mesh));
            if (toc_mesh_get_element(mesh, e).shape != TOC_REMOVED && (shape == TOC_TET || k < 3))
                assert_ok(toc_mesh_remove_element(mesh, e));
        }
        const double shake = test_random_between(&random, 0, 0.45);
        test_shake(mesh, &random, shake, shake);
        world w = open_world(mesh);
        check(&w, &sum);
        assert_true(count <= 64);
        for (size_t k = 0; k < 3 * count; k++)
            x[k] = toc_mesh_get_x1(mesh)[k] + test_random_between(&random, -shake, shake);
        assert_ok(test_mesh_move(mesh, x)); // from where it ended
        check(&w, &sum);
        close_world(&w);
    }
    print_message("%s: %zu whole, %zu with contacts\n", toc_shape_get_name(shape), sum.whole, sum.broken);
    assert_true(sum.whole > 60 && sum.broken > 40);
}

static void what_is_whole_has_no_contacts(void **state) {
    (void)state;
    for (toc_shape shape = TOC_TET; shape <= TOC_HEX; shape++) check_shape(shape);
}

// Elements that get thinner from one to the next, and bend: all of them are whole.
static void elements_of_different_sizes(void **state) {
    (void)state;
    for (toc_shape shape = TOC_TET; shape <= TOC_HEX; shape++) {
        toc_mesh *mesh = test_grid_volume(shape, 3, 3, 3);
        const size_t count = toc_mesh_get_vertex_count(mesh);
        double x[3 * 200];
        assert_true(count <= 200);
        for (size_t v = 0; v < count; v++) {
            const double *p = toc_mesh_get_x0(mesh) + 3 * v;
            for (size_t k = 0; k < 3; k++) x[3 * v + k] = p[k] * (1 + 0.15 * p[k]) + (k == 1 ? 0.1 * p[0] * p[0] : 0);
        }
        assert_ok(test_mesh_set_motion(mesh, x, x));
        world w = open_world(mesh);
        tell(&w);
        for (size_t v = 0; v < count; v++) assert_true(w.stars.whole.at[v]);
        close_world(&w);
    }
}

// A pyramid on a hex, with a tet beside it: a whole star may have any shapes.
static void elements_of_different_shapes(void **state) {
    (void)state;
    const double top[2][3] = {{0.5, 0.5, 2}, {1.5, 0.5, 2}};
    const uint32_t pyramid[5] = {4, 5, 7, 6, 8}, tet[4] = {5, 9, 7, 8};
    toc_mesh *mesh = test_grid_volume(TOC_HEX, 1, 1, 1);
    assert_ok(toc_mesh_add_vertices(mesh, 2, top[0], NULL));
    assert_ok(toc_mesh_add_elements(mesh, TOC_PYRAMID, 1, pyramid, NULL));
    assert_ok(toc_mesh_add_elements(mesh, TOC_TET, 1, tet, NULL));
    world w = open_world(mesh);
    tally sum = {0, 0};
    check(&w, &sum);
    assert_int_equal(sum.whole, 10);
    close_world(&w);
}

static double volume_at(const toc_packed x[4], double t) {
    double e[3][3];
    for (int i = 0; i < 3; i++)
        for (int c = 0; c < 3; c++) {
            const double start = (double)x[i + 1].x0[c] - (double)x[0].x0[c];
            const double end = (double)x[i + 1].x1[c] - (double)x[0].x1[c];
            e[i][c] = (1 - t) * start + t * end;
        }
    return e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) - e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
           e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
}

// Tets with random motion: none that is said to keep its volume loses it at any time, with any instruction set.
static void tets_that_keep_their_volume(void **state) {
    (void)state;
    enum { COUNT = 20000, TIMES = 32 };
    const toc_backend *const rows[] = {toc_backend_of(1), toc_backend_of(4), toc_backend_of(8)};
    test_random random = test_random_make(0);
    const toc_tet tet = {{0, 1, 2, 3}};
    size_t kept = 0;
    for (int i = 0; i < COUNT; i++) {
        toc_packed x[4];
        uint8_t turns[3] = {2, 2, 2};
        for (int v = 0; v < 4; v++)
            for (int c = 0; c < 4; c++) {
                x[v].x0[c] = (float)test_random_between(&random, -1, 1);
                x[v].x1[c] = (float)test_random_between(&random, -1, 1);
            }
        for (int k = 0; k < 3; k++)
            if (rows[k]) rows[k]->stars(&tet, 1, x, &turns[k]);
        for (int k = 1; k < 3; k++) assert_true(!rows[k] || turns[k] == turns[0]);
        kept += !turns[0];
        for (int t = 0; t <= TIMES && !turns[0]; t++)
            assert_true(volume_at(x, (double)t / TIMES) * volume_at(x, 0) > 0);
    }
    print_message("%zu keep it\n", kept);
    assert_true(kept > COUNT / 50 && kept < COUNT / 2);
}

// Thin tets: one that is said to keep its volume is far from flat. The angles of its star rely on this.
static void thin_tets_have_no_volume(void **state) {
    (void)state;
    const toc_backend *const rows[] = {toc_backend_of(1), toc_backend_of(4), toc_backend_of(8)};
    test_random random = test_random_make(0);
    const toc_tet tet = {{0, 1, 2, 3}};
    size_t kept = 0, asked = 0;
    for (int i = 0; i < 20000; i++) {
        toc_packed x[4] = {0};
        double longest = 0;
        const double height = ldexp(1, -(int)test_random_below(&random, 24));
        for (int c = 0; c < 3; c++) {
            for (int v = 0; v < 3; v++) x[v].x0[c] = (float)test_random_between(&random, -0.8, 0.8);
            x[3].x0[c] =
                (x[0].x0[c] + x[1].x0[c] + x[2].x0[c]) / 3 + (float)(height * test_random_between(&random, 0, 0.2));
        }
        for (int v = 0; v < 4; v++) memcpy(x[v].x1, x[v].x0, sizeof x[v].x1);
        for (int v = 1; v < 4; v++) {
            double square = 0;
            for (int c = 0; c < 3; c++) square += pow((double)x[v].x0[c] - (double)x[0].x0[c], 2);
            longest = fmax(longest, square);
        }
        for (int k = 0; k < 3; k++) {
            uint8_t turns = 1;
            if (!rows[k]) continue;
            rows[k]->stars(&tet, 1, x, &turns);
            asked++;
            kept += !turns;
            assert_true(turns || fabs(volume_at(x, 0)) > 0x1p-18 * longest);
        }
    }
    assert_true(kept > asked / 3);
}

// A tet that is exactly flat at the end, or all the time: the fourth vertex is the middle of two others. The products
// of its volume are rounded, and have a sum with a sign.
static void flat_tets_have_no_volume(void **state) {
    (void)state;
    const toc_backend *const rows[] = {toc_backend_of(1), toc_backend_of(4), toc_backend_of(8)};
    test_random random = test_random_make(0);
    const toc_tet tet = {{0, 1, 2, 3}};
    for (int i = 0; i < 1000; i++) {
        toc_packed x[4] = {0};
        for (int c = 0; c < 3; c++) {
            for (int v = 0; v < 4; v++) {
                x[v].x1[c] = (float)rint(test_random_between(&random, -0x1p14, 0x1p14)) * 0x1p-14f;
                x[v].x0[c] = i % 2 ? x[v].x1[c] : (float)test_random_between(&random, -1, 1);
            }
            x[3].x1[c] = (x[1].x1[c] + x[2].x1[c]) / 2;
            if (i % 2) x[3].x0[c] = x[3].x1[c];
        }
        assert_true(volume_at(x, 1) == 0);
        for (int k = 0; k < 3; k++) {
            uint8_t turns = 2;
            if (rows[k]) rows[k]->stars(&tet, 1, x, &turns);
            assert_int_equal(turns, rows[k] ? 1 : 2);
        }
    }
}

// One vertex of a tet goes up to its base and back, and is nearest between the ends: only the volume shows it.
static bool stays_whole(double least) {
    toc_mesh *mesh;
    const double x0[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.3, 0.3, 0.5}};
    double x1[4][3];
    const uint32_t tet[4] = {0, 1, 2, 3};
    memcpy(x1, x0, sizeof x1);
    x1[3][2] = least;
    assert_ok(toc_mesh_create(NULL, &mesh));
    assert_ok(toc_mesh_add_vertices(mesh, 4, x0[0], NULL));
    assert_ok(toc_mesh_add_elements(mesh, TOC_TET, 1, tet, NULL));
    assert_ok(test_mesh_move(mesh, x1[0]));
    world w = open_world(mesh);
    tell(&w);
    const bool whole = w.stars.whole.at[3];
    for (int v = 0; v < 3; v++) assert_int_equal(w.stars.whole.at[v], whole);
    close_world(&w);
    return whole;
}

// To within rounding a tet is whole for as long as it has a volume.
static void a_tet_that_gets_flat(void **state) {
    (void)state;
    assert_true(stays_whole(1e-4));
    assert_false(stays_whole(0));
    assert_false(stays_whole(-1e-4));
}

// Two tets that hang together at an edge, as a book of two pages; the pages close to an angle. The contact of their
// surfaces shows it.
static bool book_stays_whole(double angle) {
    toc_mesh *mesh;
    double x0[6][3] = {{0, 0, 0}, {0, 0, 1}}, x1[6][3];
    const uint32_t tets[3][4] = {{0, 1, 2, 3}, {0, 1, 3, 4}, {0, 1, 4, 5}};
    for (int end = 0; end < 2; end++)
        for (int k = 0; k < 4; k++) {
            const double last = end ? 6.283185307179586 - angle : 4.5, a = last * k / 3;
            double *x = (end ? x1 : x0)[2 + k];
            x[0] = cos(a), x[1] = sin(a), x[2] = 0.5;
        }
    memcpy(x1, x0, 2 * sizeof x0[0]);
    assert_ok(toc_mesh_create(NULL, &mesh));
    assert_ok(toc_mesh_add_vertices(mesh, 6, x0[0], NULL));
    assert_ok(toc_mesh_add_elements(mesh, TOC_TET, 3, tets[0], NULL));
    assert_ok(test_mesh_move(mesh, x1[0]));
    world w = open_world(mesh);
    tell(&w);
    const bool whole = w.stars.whole.at[0] && w.stars.whole.at[1];
    assert_int_equal(w.stars.whole.at[0], w.stars.whole.at[1]);
    close_world(&w);
    return whole;
}

static void a_book_that_closes(void **state) {
    (void)state;
    assert_true(book_stays_whole(1e-12));
    assert_false(book_stays_whole(-1e-12));
    assert_false(book_stays_whole(-0.5));
}

// The book again, closed too far from the start: nothing touches, and yet its pages are in each other. So near to
// touching as positions can tell it is whole.
static bool book_fits(double angle) {
    toc_mesh *mesh;
    double x[6][3] = {{0, 0, 0}, {0, 0, 1}};
    const uint32_t tets[3][4] = {{0, 1, 2, 3}, {0, 1, 3, 4}, {0, 1, 4, 5}};
    for (int k = 0; k < 4; k++) {
        const double a = (6.283185307179586 - angle) * k / 3;
        x[2 + k][0] = cos(a), x[2 + k][1] = sin(a), x[2 + k][2] = k == 3 ? 0.6 : 0.5;
    }
    assert_ok(toc_mesh_create(NULL, &mesh));
    assert_ok(toc_mesh_add_vertices(mesh, 6, x[0], NULL));
    assert_ok(toc_mesh_add_elements(mesh, TOC_TET, 3, tets[0], NULL));
    world w = open_world(mesh);
    tell(&w);
    const bool whole = w.stars.whole.at[0];
    close_world(&w);
    return whole;
}

static void a_book_that_was_closed(void **state) {
    (void)state;
    assert_true(book_fits(1e-5));
    assert_false(book_fits(1e-8));
    assert_false(book_fits(-1e-5));
    assert_false(book_fits(-0.5));
}

// A ring of tets around an edge that goes round twice: all have a volume, each fits to the next, and yet they overlap.
static void a_star_that_goes_round_twice(void **state) {
    (void)state;
    enum { RING = 10 };
    for (int turns = 1; turns <= 2; turns++) {
        toc_mesh *mesh;
        double x[RING + 2][3] = {{0, 0, -1}, {0, 0, 1}};
        assert_ok(toc_mesh_create(NULL, &mesh));
        for (int i = 0; i < RING; i++) {
            const double angle = 6.283185307179586 * turns * i / RING;
            x[i + 2][0] = cos(angle), x[i + 2][1] = sin(angle), x[i + 2][2] = 0.01 * i;
        }
        assert_ok(toc_mesh_add_vertices(mesh, RING + 2, x[0], NULL));
        for (uint32_t i = 0; i < RING; i++) {
            const uint32_t tet[4] = {0, 1, 2 + i, 2 + (i + 1) % RING};
            assert_ok(toc_mesh_add_elements(mesh, TOC_TET, 1, tet, NULL));
        }
        world w = open_world(mesh);
        tell(&w);
        assert_int_equal(w.stars.whole.at[0], turns == 1);
        assert_int_equal(w.stars.whole.at[1], turns == 1);
        close_world(&w);
    }
}

// ---- stars that cover a sphere twice

// Vertices on a sphere around the middle (vertex 0), which are seen from it as triangles. Two sheets cross along an
// arc from p over a middle point to q, as the sheets of a spiral do at its axis: a ring around a hexagon in each sheet,
// and the rest of the sphere behind the first one, or behind both.
enum { SHEET_P = 1, SHEET_Q, SHEET_MIDDLE, SHEET_FIRST = SHEET_MIDDLE + 2, SHEET_SIZE = 13 };

static uint32_t hexagon(int sheet, uint32_t i) { return SHEET_FIRST + (uint32_t)sheet * SHEET_SIZE + i % 6; }
static uint32_t equator(int sheet, uint32_t i) { return SHEET_FIRST + (uint32_t)sheet * SHEET_SIZE + 6 + i % 6; }

static void put_on_sphere(double *x, double right, double up, double radius) {
    const double height = sqrt(1 - right * right - up * up);
    x[0] = radius * right, x[1] = radius * up, x[2] = radius * height;
}

static void cover(toc_mesh *mesh, uint32_t a, uint32_t b, uint32_t c) {
    assert_ok(toc_mesh_add_elements(mesh, TOC_TET, 1, (uint32_t[]){0, a, b, c}, NULL));
}

// One half of a hexagon, beside the arc; `turned` is the half below.
static void cover_half(toc_mesh *mesh, int sheet, int middle, bool turned) {
    const uint32_t from = turned ? SHEET_P : SHEET_Q, to = turned ? SHEET_Q : SHEET_P, first = turned ? 3 : 0;
    const uint32_t m = SHEET_MIDDLE + (uint32_t)middle;
    cover(mesh, from, hexagon(sheet, first), hexagon(sheet, first + 1));
    cover(mesh, from, hexagon(sheet, first + 1), m);
    cover(mesh, m, hexagon(sheet, first + 1), hexagon(sheet, first + 2));
    cover(mesh, m, hexagon(sheet, first + 2), to);
    cover(mesh, to, hexagon(sheet, first + 2), hexagon(sheet, first + 3));
}

static void cover_rest(toc_mesh *mesh, int sheet) {
    for (uint32_t i = 0; i < 6; i++) {
        cover(mesh, hexagon(sheet, i), equator(sheet, i), equator(sheet, i + 1));
        cover(mesh, hexagon(sheet, i), equator(sheet, i + 1), hexagon(sheet, i + 1));
        cover(mesh, equator(sheet, i), SHEET_FIRST + (uint32_t)sheet * SHEET_SIZE + 12, equator(sheet, i + 1));
    }
}

// @param wholes how many sheets go around the sphere. @return whether the star of the middle is called whole.
static bool sheets_fit(int wholes, bool crossed) {
    toc_mesh *mesh;
    double x[SHEET_FIRST + 2 * SHEET_SIZE][3] = {{0, 0, 0}};
    put_on_sphere(x[SHEET_P], -0.2, 0, 1);
    put_on_sphere(x[SHEET_Q], 0.2, 0, 1);
    for (uint32_t sheet = 0; sheet < 2; sheet++) {
        const double radius = 1 - 0.1 * sheet;
        put_on_sphere(x[SHEET_MIDDLE + sheet], 0, 0, radius);
        for (uint32_t i = 0; i < 6; i++) {
            const double angle = 1.0471975511965976 * i;
            put_on_sphere(x[hexagon((int)sheet, i)], 0.5 * cos(angle), 0.5 * sin(angle), radius);
            put_on_sphere(x[equator((int)sheet, i)], 0.95 * cos(angle - 0.5), 0.95 * sin(angle - 0.5), radius);
        }
        x[SHEET_FIRST + sheet * SHEET_SIZE + 12][2] = -radius;
    }
    assert_ok(toc_mesh_create(NULL, &mesh));
    assert_ok(toc_mesh_add_vertices(mesh, SHEET_FIRST + 2 * SHEET_SIZE, x[0], NULL));
    for (int sheet = 0; sheet < (crossed ? 2 : 1); sheet++) {
        cover_half(mesh, sheet, sheet, false);
        cover_half(mesh, sheet, crossed ? !sheet : sheet, true);
    }
    for (int sheet = 0; sheet < wholes; sheet++) cover_rest(mesh, sheet);
    world w = open_world(mesh);
    tell(&w);
    const bool whole = w.stars.whole.at[0];
    close_world(&w);
    return whole;
}

// Each tet has a volume and fits its neighbours, and the boundary is a simple curve, or there is none: only the sum of
// the solid angles tells.
static void stars_that_cover_a_sphere_twice(void **state) {
    (void)state;
    assert_true(sheets_fit(0, false));
    assert_true(sheets_fit(1, false));
    assert_false(sheets_fit(1, true));
    assert_false(sheets_fit(2, true));
}

// A tet that was turned inside out lies over those beside it, though none of them touch in the step.
static void a_star_that_is_folded_from_the_start(void **state) {
    (void)state;
    toc_mesh *mesh = test_grid_volume(TOC_TET, 2, 2, 2);
    const size_t count = toc_mesh_get_vertex_count(mesh), middle = 13;
    double x[3 * 27];
    memcpy(x, toc_mesh_get_x0(mesh), 24 * count);
    world w = open_world(mesh);
    tell(&w);
    for (size_t v = 0; v < count; v++) assert_true(w.stars.whole.at[v]);
    x[3 * middle] += 1.5;
    assert_ok(test_mesh_set_motion(mesh, x, x));
    tell(&w);
    assert_false(w.stars.whole.at[middle]);
    close_world(&w);
}

static toc_status find_stars(const toc_allocator *allocator, void *user) {
    toc_stars stars;
    const toc_status status = toc_stars_find(allocator, user, &stars);
    toc_stars_free(allocator, &stars);
    return status;
}

static void out_of_memory_is_told(void **state) {
    (void)state;
    world w = open_world(test_grid_volume(TOC_TET, 1, 1, 1));
    assert_true(test_every_allocation(find_stars, &w.cells) > 3);
    close_world(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_whole_has_no_contacts),
        cmocka_unit_test(elements_of_different_sizes),
        cmocka_unit_test(elements_of_different_shapes),
        cmocka_unit_test(tets_that_keep_their_volume),
        cmocka_unit_test(flat_tets_have_no_volume),
        cmocka_unit_test(thin_tets_have_no_volume),
        cmocka_unit_test(a_tet_that_gets_flat),
        cmocka_unit_test(a_book_that_closes),
        cmocka_unit_test(a_book_that_was_closed),
        cmocka_unit_test(a_star_that_goes_round_twice),
        cmocka_unit_test(stars_that_cover_a_sphere_twice),
        cmocka_unit_test(a_star_that_is_folded_from_the_start),
        cmocka_unit_test(out_of_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
