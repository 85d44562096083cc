// SPDX-License-Identifier: Apache-2.0
#include "mesh/features.h"

#include <stdlib.h>
#include <string.h>

#include "mesh/shape.h"
#include "support/grid.h"
#include "support/meshes.h"

static toc_features *features_of(const toc_mesh *mesh) {
    toc_features *features;
    assert_ok(toc_mesh_find_features(mesh, &features));
    return features;
}

static size_t flagged(size_t count, const uint8_t *flags, uint8_t flag) {
    size_t found = 0;
    for (size_t i = 0; i < count; i++) found += (flags[i] & flag) != 0;
    return found;
}

// ---- The truth, found by comparing everything with everything.

enum { MOST = 8192 };

typedef struct feature {
    uint32_t v[3]; // edges: the third is 0
    bool diagonal;
    uint32_t elements[256];
    size_t element_count;
} feature;

typedef struct truth {
    feature *edges, *faces;
    size_t edge_count, face_count;
} truth;

static bool same_vertices(const uint32_t a[3], const uint32_t b[3], int count) {
    for (int i = 0; i < count; i++) {
        int j = 0;
        while (j < count && a[i] != b[j]) j++;
        if (j == count) return false;
    }
    return true;
}

static feature *note(feature *list, size_t *count, const uint32_t *v, int vertices, uint32_t element) {
    size_t i = 0;
    while (i < *count && !same_vertices(list[i].v, v, vertices)) i++;
    if (i == *count) {
        assert_true(*count < MOST);
        list[i] = (feature){.diagonal = true};
        memcpy(list[i].v, v, (size_t)vertices * sizeof *v);
        ++*count;
    }
    feature *f = &list[i];
    if (f->element_count == 0 || f->elements[f->element_count - 1] != element) {
        assert_true(f->element_count < 256);
        f->elements[f->element_count++] = element;
    }
    return f;
}

static void note_edge(truth *t, uint32_t a, uint32_t b, uint32_t element, bool diagonal) {
    if (a == b) return;
    const uint32_t v[2] = {a < b ? a : b, a < b ? b : a};
    feature *f = note(t->edges, &t->edge_count, v, 2, element);
    f->diagonal = f->diagonal && diagonal;
}

static void note_face(truth *t, uint32_t a, uint32_t b, uint32_t c, uint32_t element) {
    if (b < a && b < c)
        note_face(t, b, c, a, element);
    else if (c < a && c < b)
        note_face(t, c, a, b, element);
    else
        note(t->faces, &t->face_count, (uint32_t[]){a, b, c}, 3, element);
}

static void note_side(truth *t, const uint32_t *q, int count, uint32_t element) {
    if (count == 3) note_face(t, q[0], q[1], q[2], element);
    if (count < 4) return;
    const uint32_t first = q[0] < q[2] ? q[0] : q[2], second = q[1] < q[3] ? q[1] : q[3];
    if (first < second) {
        note_edge(t, q[0], q[2], element, true);
        note_face(t, q[0], q[1], q[2], element);
        note_face(t, q[2], q[3], q[0], element);
    } else {
        note_edge(t, q[1], q[3], element, true);
        note_face(t, q[1], q[2], q[3], element);
        note_face(t, q[3], q[0], q[1], element);
    }
}

static void note_element(truth *t, const toc_mesh *mesh, uint32_t element) {
    const toc_element e = toc_mesh_get_element(mesh, element);
    uint32_t corners[8], side[4];
    const toc_shape_info *info = &toc_shape_infos[toc_shape_reduce(e.shape, e.corners, corners)];
    for (int i = 0; i < info->edge_count; i++)
        note_edge(t, corners[info->edges[i][0]], corners[info->edges[i][1]], element, false);
    for (int i = 0; i < info->side_count; i++)
        note_side(t, side, toc_side_distinct(&info->sides[i], corners, side), element);
}

static bool has(const feature *f, uint32_t element) {
    for (size_t i = 0; i < f->element_count; i++)
        if (f->elements[i] == element) return true;
    return false;
}

// Surfaces, loose edges, points, and volumes that collapsed until they have no face.
static bool is_thin(const truth *t, const toc_mesh *mesh, uint32_t element) {
    if (toc_shape_infos[toc_mesh_get_element(mesh, element).shape].dimension < 3) return true;
    for (size_t i = 0; i < t->face_count; i++)
        if (has(&t->faces[i], element)) return false;
    return true;
}

static bool any_thin(const truth *t, const toc_mesh *mesh, const feature *f) {
    for (size_t i = 0; i < f->element_count; i++)
        if (is_thin(t, mesh, f->elements[i])) return true;
    return false;
}

static bool uses(const toc_mesh *mesh, uint32_t element, uint32_t vertex) {
    const toc_element e = toc_mesh_get_element(mesh, element);
    for (int i = 0; i < e.corner_count; i++)
        if (e.corners[i] == vertex) return true;
    return false;
}

static bool all_duplicates(const toc_mesh *mesh, const feature *f) {
    for (size_t i = 1; i < f->element_count; i++)
        for (uint32_t v = 0; v < toc_mesh_get_vertex_count(mesh); v++)
            if (uses(mesh, f->elements[0], v) != uses(mesh, f->elements[i], v)) return false;
    return true;
}

static bool face_on_boundary(const truth *t, const toc_mesh *mesh, const feature *f) {
    return all_duplicates(mesh, f) || any_thin(t, mesh, f);
}

static bool has_vertex(const feature *f, int vertices, uint32_t v) {
    for (int i = 0; i < vertices; i++)
        if (f->v[i] == v) return true;
    return false;
}

static bool edge_on_boundary(const truth *t, const toc_mesh *mesh, const feature *edge) {
    if (any_thin(t, mesh, edge)) return true;
    for (size_t i = 0; i < t->face_count; i++)
        if (has_vertex(&t->faces[i], 3, edge->v[0]) && has_vertex(&t->faces[i], 3, edge->v[1]) &&
            face_on_boundary(t, mesh, &t->faces[i]))
            return true;
    return false;
}

static bool vertex_on_boundary(const truth *t, const toc_mesh *mesh, uint32_t v) {
    for (uint32_t e = 0; e < toc_mesh_get_element_count(mesh); e++)
        if (uses(mesh, e, v) && is_thin(t, mesh, e)) return true;
    for (size_t i = 0; i < t->face_count; i++)
        if (has_vertex(&t->faces[i], 3, v) && face_on_boundary(t, mesh, &t->faces[i])) return true;
    return false;
}

static int compare_features(const void *a, const void *b) {
    const feature *f = a, *g = b;
    for (int i = 0; i < 3; i++)
        if (f->v[i] != g->v[i]) return f->v[i] < g->v[i] ? -1 : 1;
    return 0;
}

static truth find_truth(const toc_mesh *mesh) {
    truth t = {.edges = calloc(MOST, sizeof(feature)), .faces = calloc(MOST, sizeof(feature))};
    assert_true(t.edges && t.faces);
    for (uint32_t e = 0; e < toc_mesh_get_element_count(mesh); e++) note_element(&t, mesh, e);
    qsort(t.edges, t.edge_count, sizeof *t.edges, compare_features);
    qsort(t.faces, t.face_count, sizeof *t.faces, compare_features);
    return t;
}

static void check_list(const toc_lists *lists, size_t i, const uint32_t *items, size_t count) {
    assert_true(i < lists->count);
    assert_int_equal(lists->first[i + 1] - lists->first[i], count);
    if (count > 0) assert_memory_equal(lists->items + lists->first[i], items, count * sizeof *items);
}

static void check_edges(const toc_features *f, const truth *t, const toc_mesh *mesh) {
    assert_int_equal(f->edge_count, t->edge_count);
    assert_int_equal(f->edge_elements.count, t->edge_count);
    for (size_t i = 0; i < t->edge_count; i++) {
        const feature *edge = &t->edges[i];
        assert_memory_equal(f->edges[i], edge->v, sizeof f->edges[i]);
        assert_int_equal(f->edge_flags[i], (edge->diagonal ? TOC_FEATURE_DIAGONAL : 0) |
                                               (edge_on_boundary(t, mesh, edge) ? TOC_FEATURE_ON_BOUNDARY : 0));
        check_list(&f->edge_elements, i, edge->elements, edge->element_count);
    }
}

static void check_faces(const toc_features *f, const truth *t, const toc_mesh *mesh) {
    assert_int_equal(f->face_count, t->face_count);
    assert_int_equal(f->face_elements.count, t->face_count);
    for (size_t i = 0; i < t->face_count; i++) {
        const feature *face = &t->faces[i];
        assert_memory_equal(f->faces[i], face->v, sizeof f->faces[i]);
        assert_int_equal(f->face_flags[i], face_on_boundary(t, mesh, face) ? TOC_FEATURE_ON_BOUNDARY : 0);
        check_list(&f->face_elements, i, face->elements, face->element_count);
    }
}

static void check_vertices(const toc_features *f, const truth *t, const toc_mesh *mesh) {
    size_t position = 0;
    for (uint32_t v = 0; v < toc_mesh_get_vertex_count(mesh); v++) {
        uint32_t around[1024];
        size_t count = 0;
        for (uint32_t e = 0; e < toc_mesh_get_element_count(mesh); e++)
            if (uses(mesh, e, v)) around[count++] = e;
        if (count == 0) continue;
        assert_true(position < f->vertex_count);
        assert_int_equal(f->vertices[position], v);
        assert_int_equal(f->vertex_flags[position], vertex_on_boundary(t, mesh, v) ? TOC_FEATURE_ON_BOUNDARY : 0);
        check_list(&f->vertex_elements, position++, around, count);
    }
    assert_int_equal(f->vertex_count, position);
    assert_int_equal(f->vertex_elements.count, position);
}

static bool share_vertex(const toc_mesh *mesh, uint32_t a, uint32_t b) {
    const toc_element e = toc_mesh_get_element(mesh, a);
    for (int i = 0; i < e.corner_count; i++)
        if (uses(mesh, b, e.corners[i])) return true;
    return false;
}

static void check_neighbours(const toc_features *f, const toc_mesh *mesh) {
    const uint32_t count = (uint32_t)toc_mesh_get_element_count(mesh);
    assert_int_equal(f->element_neighbours.count, count);
    for (uint32_t a = 0; a < count; a++) {
        uint32_t others[1024];
        size_t found = 0;
        for (uint32_t b = 0; b < count; b++)
            if (a != b && share_vertex(mesh, a, b)) others[found++] = b;
        check_list(&f->element_neighbours, a, others, found);
    }
}

static void check_against_truth(const toc_mesh *mesh) {
    truth t = find_truth(mesh);
    toc_features *f = features_of(mesh);
    check_vertices(f, &t, mesh);
    check_edges(f, &t, mesh);
    check_faces(f, &t, mesh);
    check_neighbours(f, mesh);
    toc_features_destroy(f);
    free(t.edges);
    free(t.faces);
}

// ---- One element of each shape.

static const double unit_positions[TOC_SHAPE_COUNT][24] = {
    [TOC_POINT] = {0},
    [TOC_EDGE] = {0, 0, 0, 1, 0, 0},
    [TOC_TRIANGLE] = {0, 0, 0, 1, 0, 0, 0, 1, 0},
    [TOC_QUAD] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0},
    [TOC_TET] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1},
    [TOC_PYRAMID] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1},
    [TOC_WEDGE] = {0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 1, 1, 1, 0, 1},
    [TOC_HEX] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1},
};

static void shuffle(test_random *random, uint32_t *ids, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) ids[i] = i;
    for (uint32_t i = count; i > 1; i--) {
        const uint32_t j = test_random_below(random, i), kept = ids[j];
        ids[j] = ids[i - 1];
        ids[i - 1] = kept;
    }
}

// An element whose corner i is vertex ids[i].
static toc_mesh *one_element(toc_shape shape, const uint32_t *ids) {
    const int count = toc_shape_count_corners(shape);
    double positions[24];
    for (int i = 0; i < count; i++) memcpy(positions + 3 * ids[i], unit_positions[shape] + 3 * i, 3 * sizeof(double));
    toc_mesh *mesh;
    assert_ok(toc_mesh_create(NULL, &mesh));
    assert_ok(toc_mesh_add_vertices(mesh, (size_t)count, positions, NULL));
    assert_ok(toc_mesh_add_elements(mesh, shape, 1, ids, NULL));
    return mesh;
}

static void each_shape_has_the_features_counted_by_hand(void **state) {
    (void)state;
    static const struct {
        toc_shape shape;
        size_t edges, diagonals, faces;
    } known[] = {{TOC_POINT, 0, 0, 0}, {TOC_EDGE, 1, 0, 0},    {TOC_TRIANGLE, 3, 0, 1}, {TOC_QUAD, 4, 1, 2},
                 {TOC_TET, 6, 0, 4},   {TOC_PYRAMID, 8, 1, 6}, {TOC_WEDGE, 9, 3, 8},    {TOC_HEX, 12, 6, 12}};
    test_random random = test_random_make(0);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        uint32_t ids[8];
        const size_t corners = (size_t)toc_shape_count_corners(known[i].shape);
        shuffle(&random, ids, (uint32_t)corners);
        toc_mesh *mesh = one_element(known[i].shape, ids);
        toc_features *f = features_of(mesh);
        assert_int_equal(f->vertex_count, corners);
        assert_int_equal(f->edge_count, known[i].edges + known[i].diagonals);
        assert_int_equal(flagged(f->edge_count, f->edge_flags, TOC_FEATURE_DIAGONAL), known[i].diagonals);
        assert_int_equal(f->face_count, known[i].faces);
        assert_int_equal(flagged(f->vertex_count, f->vertex_flags, TOC_FEATURE_ON_BOUNDARY), f->vertex_count);
        assert_int_equal(flagged(f->edge_count, f->edge_flags, TOC_FEATURE_ON_BOUNDARY), f->edge_count);
        assert_int_equal(flagged(f->face_count, f->face_flags, TOC_FEATURE_ON_BOUNDARY), f->face_count);
        toc_features_destroy(f);
        toc_mesh_destroy(mesh);
    }
}

static double determinant(const double *a, const double *b, const double *c) {
    return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
}

// The volume inside the boundary faces: right only when all of them face outward.
static double volume_inside(const toc_mesh *mesh, const toc_features *f) {
    const double *x = toc_mesh_get_x0(mesh);
    double volume = 0;
    for (size_t i = 0; i < f->face_count; i++)
        if (f->face_flags[i] & TOC_FEATURE_ON_BOUNDARY)
            volume += determinant(x + 3 * f->faces[i][0], x + 3 * f->faces[i][1], x + 3 * f->faces[i][2]) / 6;
    return volume;
}

// VTK winds the first triangle of a wedge the other way round than the base of the rest.
static void faces_of_volumes_look_outward(void **state) {
    (void)state;
    static const double volumes[TOC_SHAPE_COUNT] = {
        [TOC_TET] = 1.0 / 6, [TOC_PYRAMID] = 1.0 / 3, [TOC_WEDGE] = 1.0 / 2, [TOC_HEX] = 1};
    test_random random = test_random_make(0);
    for (int i = 0; i < 200; i++) {
        const toc_shape shape = (toc_shape)(TOC_TET + i % 4);
        uint32_t ids[8];
        shuffle(&random, ids, (uint32_t)toc_shape_count_corners(shape));
        toc_mesh *mesh = one_element(shape, ids);
        toc_features *f = features_of(mesh);
        assert_double_near(volume_inside(mesh, f), volumes[shape], 1e-14);
        toc_features_destroy(f);
        toc_mesh_destroy(mesh);
    }
}

// ---- Elements beside each other.

// Split differently, the side would have four faces with a gap or an overlap between them once it bends.
static void neighbouring_hexes_split_their_side_alike(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    for (int i = 0; i < 200; i++) {
        uint32_t ids[12], corners[16];
        shuffle(&random, ids, 12);
        static const int places[16] = {0, 1, 2, 3, 4, 5, 6, 7, 4, 5, 6, 7, 8, 9, 10, 11};
        for (int j = 0; j < 16; j++) corners[j] = ids[places[j]];
        toc_mesh *mesh;
        assert_ok(toc_mesh_create(NULL, &mesh));
        const double positions[36] = {0};
        assert_ok(toc_mesh_add_vertices(mesh, 12, positions, NULL));
        assert_ok(toc_mesh_add_elements(mesh, TOC_HEX, 2, corners, NULL));
        toc_features *f = features_of(mesh);
        assert_int_equal(f->edge_count, 20 + 11);
        assert_int_equal(f->face_count, 22);
        assert_int_equal(flagged(f->face_count, f->face_flags, TOC_FEATURE_ON_BOUNDARY), 20);
        assert_int_equal(flagged(f->edge_count, f->edge_flags, TOC_FEATURE_ON_BOUNDARY), 30);
        toc_features_destroy(f);
        toc_mesh_destroy(mesh);
    }
}

// A wedge glued to a hex across a quad, a pyramid across another, a tet across a triangle, a shell on top of it all.
static void shapes_may_be_mixed_in_one_body(void **state) {
    (void)state;
    toc_mesh *mesh = test_grid_volume(TOC_HEX, 1, 1, 1);
    const double more[12] = {2, 0, 0, 2, 0, 1, 0.5, 0.5, 2, 0.5, -1, 0.5};
    uint32_t a;
    assert_ok(toc_mesh_add_vertices(mesh, 4, more, &a));
    // The lattice numbers its vertices x + 2 y + 4 z.
    assert_ok(toc_mesh_add_elements(mesh, TOC_WEDGE, 1, (uint32_t[]){1, 3, a, 5, 7, a + 1}, NULL));
    assert_ok(toc_mesh_add_elements(mesh, TOC_PYRAMID, 1, (uint32_t[]){4, 5, 7, 6, a + 2}, NULL));
    assert_ok(toc_mesh_add_elements(mesh, TOC_TET, 1, (uint32_t[]){0, 1, 5, a + 3}, NULL));
    assert_ok(toc_mesh_add_elements(mesh, TOC_QUAD, 1, (uint32_t[]){1, 3, 7, 5}, NULL));
    toc_features *f = features_of(mesh);
    // Faces: hex 12, wedge 8, pyramid 6, tet 4; shared: 2, 2 and 1 (0-5 is the diagonal of the hex).
    assert_int_equal(f->face_count, 12 + 8 + 6 + 4 - 2 - 2 - 1);
    // The shell keeps its two faces on the boundary though volumes lie on both sides.
    assert_int_equal(flagged(f->face_count, f->face_flags, TOC_FEATURE_ON_BOUNDARY), f->face_count - 2 - 1);
    toc_features_destroy(f);
    check_against_truth(mesh);
    toc_mesh_destroy(mesh);
}

static void check_euler_of_box(toc_shape shape, uint32_t nx, uint32_t ny, uint32_t nz) {
    toc_mesh *mesh = test_grid_volume(shape, nx, ny, nz);
    toc_features *f = features_of(mesh);
    assert_int_equal(f->vertex_count - f->edge_count + f->face_count - toc_mesh_get_element_count(mesh), 1);
    const size_t v = flagged(f->vertex_count, f->vertex_flags, TOC_FEATURE_ON_BOUNDARY);
    const size_t e = flagged(f->edge_count, f->edge_flags, TOC_FEATURE_ON_BOUNDARY);
    const size_t faces = flagged(f->face_count, f->face_flags, TOC_FEATURE_ON_BOUNDARY);
    assert_int_equal(v - e + faces, 2);
    assert_int_equal(faces, 4 * (nx * ny + ny * nz + nz * nx));
    assert_double_near(volume_inside(mesh, f), (double)nx * ny * nz, 1e-9);
    toc_features_destroy(f);
    toc_mesh_destroy(mesh);
}

static void boxes_of_any_shape_obey_euler(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    for (int i = 0; i < 40; i++)
        check_euler_of_box((toc_shape)(TOC_TET + i % 4), 1 + test_random_below(&random, 6),
                           1 + test_random_below(&random, 6), 1 + test_random_below(&random, 6));
}

static void check_euler_of_surface(toc_mesh *mesh, size_t characteristic) {
    toc_features *f = features_of(mesh);
    assert_int_equal(f->vertex_count - f->edge_count + f->face_count, characteristic);
    assert_int_equal(flagged(f->face_count, f->face_flags, TOC_FEATURE_ON_BOUNDARY), f->face_count);
    assert_int_equal(flagged(f->edge_count, f->edge_flags, TOC_FEATURE_ON_BOUNDARY), f->edge_count);
    toc_features_destroy(f);
    toc_mesh_destroy(mesh);
}

static void surfaces_obey_euler(void **state) {
    (void)state;
    check_euler_of_surface(test_grid_sheet(TOC_TRIANGLE, 7, 4), 1);
    check_euler_of_surface(test_grid_sheet(TOC_QUAD, 7, 4), 1);
    check_euler_of_surface(test_sphere(0), 2);
    check_euler_of_surface(test_sphere(3), 2);
    toc_mesh *mesh = test_sphere(3);
    toc_features *f = features_of(mesh);
    assert_int_equal(f->face_count, 8 * 64);
    const double volume = volume_inside(mesh, f);
    assert_true(volume > 4 && volume < 4.2);
    toc_features_destroy(f);
    toc_mesh_destroy(mesh);
}

// A file with a part in it twice must not lose that part's surface.
static void volumes_given_twice_keep_their_surface(void **state) {
    (void)state;
    toc_mesh *mesh = test_grid_volume(TOC_HEX, 2, 1, 1);
    const uint32_t elements = (uint32_t)toc_mesh_get_element_count(mesh);
    for (uint32_t i = 0; i < elements; i++) {
        const toc_element e = toc_mesh_get_element(mesh, i);
        assert_ok(toc_mesh_add_elements(mesh, TOC_HEX, 1, e.corners, NULL));
    }
    toc_features *f = features_of(mesh);
    assert_int_equal(f->face_count, 22);
    assert_int_equal(flagged(f->face_count, f->face_flags, TOC_FEATURE_ON_BOUNDARY), 20);
    toc_features_destroy(f);
    check_against_truth(mesh);
    toc_mesh_destroy(mesh);
}

// A reinforcing bar along an edge deep inside a volume is loose all the same.
static void loose_edges_inside_volumes_stay_on_the_boundary(void **state) {
    (void)state;
    toc_mesh *mesh = test_grid_volume(TOC_HEX, 2, 2, 3);
    const uint32_t inside[2] = {1 + 3 * 1 + 9 * 1, 1 + 3 * 1 + 9 * 2};
    toc_features *f = features_of(mesh);
    assert_int_equal(flagged(f->vertex_count, f->vertex_flags, TOC_FEATURE_ON_BOUNDARY), 36 - 2);
    const size_t before = flagged(f->edge_count, f->edge_flags, TOC_FEATURE_ON_BOUNDARY);
    toc_features_destroy(f);
    assert_ok(toc_mesh_add_elements(mesh, TOC_EDGE, 1, inside, NULL));
    f = features_of(mesh);
    assert_int_equal(flagged(f->vertex_count, f->vertex_flags, TOC_FEATURE_ON_BOUNDARY), 36);
    assert_int_equal(flagged(f->edge_count, f->edge_flags, TOC_FEATURE_ON_BOUNDARY), before + 1);
    toc_features_destroy(f);
    check_against_truth(mesh);
    toc_mesh_destroy(mesh);
}

// ---- Collapsed elements.

static toc_mesh *with_vertices(uint32_t count) {
    toc_mesh *mesh;
    assert_ok(toc_mesh_create(NULL, &mesh));
    for (uint32_t i = 0; i < count; i++)
        assert_ok(toc_mesh_add_vertices(mesh, 1, (double[]){i, i * i % 5, i * i * i % 7}, NULL));
    return mesh;
}

static void check_same_features(const toc_mesh *a, const toc_mesh *b) {
    toc_features *f = features_of(a), *g = features_of(b);
    test_assert_same_features(f, g);
    toc_features_destroy(f);
    toc_features_destroy(g);
}

static void check_collapsed(toc_shape shape, const int *corners, toc_shape true_shape, const int *true_corners) {
    test_random random = test_random_make(7);
    for (int round = 0; round < 50; round++) {
        uint32_t ids[8], a[8] = {0}, b[8] = {0};
        shuffle(&random, ids, 8);
        for (int i = 0; i < toc_shape_count_corners(shape); i++) a[i] = ids[corners[i]];
        for (int i = 0; i < toc_shape_count_corners(true_shape); i++) b[i] = ids[true_corners[i]];
        toc_mesh *collapsed = with_vertices(8), *whole = with_vertices(8);
        assert_ok(toc_mesh_add_elements(collapsed, shape, 1, a, NULL));
        assert_ok(toc_mesh_add_elements(whole, true_shape, 1, b, NULL));
        check_same_features(collapsed, whole);
        toc_mesh_destroy(collapsed);
        toc_mesh_destroy(whole);
    }
}

// Solvers of the LS-DYNA family know hexes and quads only, and repeat corners for the rest.
static void collapsed_elements_are_what_they_stand_for(void **state) {
    (void)state;
    check_collapsed(TOC_QUAD, (int[]){0, 1, 2, 2}, TOC_TRIANGLE, (int[]){0, 1, 2});
    check_collapsed(TOC_HEX, (int[]){0, 1, 2, 3, 4, 4, 5, 5}, TOC_WEDGE, (int[]){0, 1, 4, 3, 2, 5});
    check_collapsed(TOC_HEX, (int[]){0, 1, 2, 3, 4, 4, 4, 4}, TOC_PYRAMID, (int[]){0, 1, 2, 3, 4});
    check_collapsed(TOC_HEX, (int[]){0, 1, 2, 3, 3, 3, 3, 3}, TOC_TET, (int[]){0, 1, 2, 3});
    check_collapsed(TOC_HEX, (int[]){0, 1, 2, 2, 3, 3, 3, 3}, TOC_TET, (int[]){0, 1, 2, 3});
    check_collapsed(TOC_HEX, (int[]){3, 3, 3, 3, 0, 1, 2, 2}, TOC_TET, (int[]){3, 0, 1, 2});
    check_collapsed(TOC_WEDGE, (int[]){0, 1, 2, 3, 3, 3}, TOC_TET, (int[]){0, 2, 1, 3});
    check_collapsed(TOC_WEDGE, (int[]){0, 1, 2, 3, 4, 2}, TOC_PYRAMID, (int[]){0, 1, 4, 3, 2});
    check_collapsed(TOC_PYRAMID, (int[]){0, 1, 2, 2, 3}, TOC_TET, (int[]){0, 1, 2, 3});
    check_collapsed(TOC_TRIANGLE, (int[]){0, 1, 1}, TOC_EDGE, (int[]){0, 1});
    check_collapsed(TOC_TET, (int[]){0, 1, 1, 0}, TOC_EDGE, (int[]){0, 1});
    check_collapsed(TOC_HEX, (int[]){0, 0, 0, 0, 0, 0, 0, 0}, TOC_POINT, (int[]){0});
    check_collapsed(TOC_EDGE, (int[]){3, 3}, TOC_POINT, (int[]){3});
}

// ---- Everything against the truth.

static void soups_of_any_shape_match_brute_force(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    for (int i = 0; i < 60; i++) {
        const toc_shape shape = (toc_shape)(i % TOC_SHAPE_COUNT); // 0 is a mix of all
        toc_mesh *mesh = test_soup(&random, shape, 1 + test_random_below(&random, 40),
                                   2 + test_random_below(&random, i % 3 ? 30 : 6));
        check_against_truth(mesh);
        toc_mesh_destroy(mesh);
    }
}

static void grids_match_brute_force(void **state) {
    (void)state;
    for (int shape = TOC_TET; shape <= TOC_HEX; shape++) {
        toc_mesh *mesh = test_grid_volume((toc_shape)shape, 2, 3, 2);
        check_against_truth(mesh);
        toc_mesh_destroy(mesh);
    }
    for (int shape = TOC_POINT; shape <= TOC_QUAD; shape++) {
        toc_mesh *mesh = test_grid_sheet((toc_shape)shape, 4, 3);
        check_against_truth(mesh);
        toc_mesh_destroy(mesh);
    }
}

// The long lists of a hub are merged in several rounds, where those of ordinary vertices are sorted in one.
static void a_hub_of_many_elements_is_sorted(void **state) {
    (void)state;
    enum { SPOKES = 3001 };
    toc_mesh *mesh = with_vertices(1);
    test_random random = test_random_make(0);
    uint32_t ids[SPOKES];
    shuffle(&random, ids, SPOKES);
    for (uint32_t i = 0; i < SPOKES; i++) assert_ok(toc_mesh_add_vertices(mesh, 1, (double[]){1, i, 0}, NULL));
    for (uint32_t i = 0; i < SPOKES; i++) {
        const uint32_t corners[3] = {0, 1 + ids[i], 1 + (ids[i] + 1) % SPOKES};
        assert_ok(toc_mesh_add_elements(mesh, TOC_TRIANGLE, 1, corners, NULL));
    }
    toc_features *f = features_of(mesh);
    assert_int_equal(f->vertex_count - f->edge_count + f->face_count, 1);
    for (uint32_t i = 0; i < SPOKES; i++) {
        assert_int_equal(f->edges[i][1], i + 1);
        assert_int_equal(f->edge_elements.first[i + 1] - f->edge_elements.first[i], 2);
        assert_int_equal(f->element_neighbours.first[i + 1] - f->element_neighbours.first[i], SPOKES - 1);
    }
    toc_features_destroy(f);
    toc_mesh_destroy(mesh);
}

static void an_empty_mesh_has_no_features(void **state) {
    (void)state;
    for (uint32_t vertices = 0; vertices < 3; vertices++) {
        toc_mesh *mesh = with_vertices(vertices);
        toc_features *f = features_of(mesh);
        assert_int_equal(f->vertex_count + f->edge_count + f->face_count, 0);
        assert_int_equal(f->vertex_elements.count + f->element_neighbours.count, 0);
        toc_features_destroy(f);
        toc_mesh_destroy(mesh);
    }
    toc_features_destroy(NULL);
}

static void neighbours_are_left_out_when_not_asked_for(void **state) {
    (void)state;
    toc_mesh *mesh = test_grid_volume(TOC_TET, 2, 2, 2);
    toc_features *f;
    assert_ok(toc_features_make(mesh, false, 1, &f));
    assert_int_equal(f->element_neighbours.count, 0);
    assert_int_equal(f->vertex_count, 27);
    toc_features_destroy(f);
    toc_mesh_destroy(mesh);
}

static void assert_same_lists(const toc_lists *a, const toc_lists *b) {
    assert_int_equal(a->count, b->count);
    assert_memory_equal(a->first, b->first, (a->count + 1) * sizeof *a->first);
    assert_memory_equal(a->items, b->items, a->first[a->count] * sizeof *a->items);
}

// Long stretches of vertices are walked side by side on threads, which must not show.
static void threads_find_the_same(void **state) {
    (void)state;
    toc_mesh *mesh = test_grid_volume(TOC_HEX, 25, 25, 25);
    toc_features *one, *three;
    assert_ok(toc_features_make(mesh, false, 1, &one));
    assert_ok(toc_features_make(mesh, false, 3, &three));
    assert_int_equal(one->vertex_count, 26 * 26 * 26);
    assert_int_equal(one->vertex_count, three->vertex_count);
    assert_int_equal(one->edge_count, three->edge_count);
    assert_int_equal(one->face_count, 2 * 3 * 26 * 25 * 25);
    assert_int_equal(one->face_count, three->face_count);
    assert_memory_equal(one->vertices, three->vertices, one->vertex_count * sizeof *one->vertices);
    assert_memory_equal(one->edges, three->edges, one->edge_count * sizeof *one->edges);
    assert_memory_equal(one->faces, three->faces, one->face_count * sizeof *one->faces);
    assert_memory_equal(one->vertex_flags, three->vertex_flags, one->vertex_count);
    assert_memory_equal(one->edge_flags, three->edge_flags, one->edge_count);
    assert_memory_equal(one->face_flags, three->face_flags, one->face_count);
    assert_same_lists(&one->vertex_elements, &three->vertex_elements);
    assert_same_lists(&one->edge_elements, &three->edge_elements);
    assert_same_lists(&one->face_elements, &three->face_elements);
    for (uint32_t v = 1; v < one->vertex_count; v += 97) // a stretch must not end another one's lists
        assert_true(one->vertex_elements.first[v] > one->vertex_elements.first[v - 1]);
    toc_features_destroy(three);
    toc_features_destroy(one);
    toc_mesh_destroy(mesh);
}

static toc_status build_and_find(const toc_allocator *allocator, void *user) {
    (void)user;
    test_random random = {3};
    toc_mesh *mesh;
    toc_features *f = NULL;
    TOC_TRY(toc_mesh_create(allocator, &mesh));
    const double positions[30] = {0};
    toc_status status = toc_mesh_add_vertices(mesh, 10, positions, NULL);
    for (int i = 0; i < 40 && status == TOC_OK; i++) {
        uint32_t corners[8];
        for (int j = 0; j < 8; j++) corners[j] = test_random_below(&random, 10);
        status = toc_mesh_add_elements(mesh, i % 2 ? TOC_HEX : TOC_TRIANGLE, 1, corners, NULL);
    }
    if (status == TOC_OK) status = toc_mesh_find_features(mesh, &f);
    assert_true((status == TOC_OK) == (f != NULL));
    toc_features_destroy(f);
    toc_mesh_destroy(mesh);
    return status;
}

static void any_failed_allocation_is_survived(void **state) {
    (void)state;
    assert_true(test_every_allocation(build_and_find, NULL) > 30);
}

static bool is_edge(const toc_features *f, uint32_t a, uint32_t b) {
    for (size_t i = 0; i < f->edge_count; i++)
        if ((f->edges[i][0] == a && f->edges[i][1] == b) || (f->edges[i][0] == b && f->edges[i][1] == a)) return true;
    return false;
}

// A face without one of its edges would let another edge through unseen. Folded quads are where that could happen.
static void every_side_of_a_face_is_an_edge(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    for (int round = 0; round < 60; round++) {
        toc_mesh *mesh = test_soup(&random, (toc_shape)(round % TOC_SHAPE_COUNT), 20, 9);
        toc_features *f;
        assert_ok(toc_mesh_find_features(mesh, &f));
        for (size_t i = 0; i < f->face_count; i++)
            for (int j = 0; j < 3; j++) assert_true(is_edge(f, f->faces[i][j], f->faces[i][(j + 1) % 3]));
        toc_features_destroy(f);
        toc_mesh_destroy(mesh);
    }
    const uint32_t folded[] = {0, 1, 0, 2};
    toc_mesh *mesh = test_grid_sheet(TOC_POINT, 1, 1);
    assert_ok(toc_mesh_add_elements(mesh, TOC_QUAD, 1, folded, NULL));
    toc_features *f;
    assert_ok(toc_mesh_find_features(mesh, &f));
    assert_int_equal(f->face_count, 0);
    assert_int_equal(f->edge_count, 2);
    toc_features_destroy(f);
    toc_mesh_destroy(mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_shape_has_the_features_counted_by_hand),
        cmocka_unit_test(faces_of_volumes_look_outward),
        cmocka_unit_test(neighbouring_hexes_split_their_side_alike),
        cmocka_unit_test(shapes_may_be_mixed_in_one_body),
        cmocka_unit_test(boxes_of_any_shape_obey_euler),
        cmocka_unit_test(surfaces_obey_euler),
        cmocka_unit_test(volumes_given_twice_keep_their_surface),
        cmocka_unit_test(loose_edges_inside_volumes_stay_on_the_boundary),
        cmocka_unit_test(collapsed_elements_are_what_they_stand_for),
        cmocka_unit_test(soups_of_any_shape_match_brute_force),
        cmocka_unit_test(grids_match_brute_force),
        cmocka_unit_test(a_hub_of_many_elements_is_sorted),
        cmocka_unit_test(an_empty_mesh_has_no_features),
        cmocka_unit_test(neighbours_are_left_out_when_not_asked_for),
        cmocka_unit_test(threads_find_the_same),
        cmocka_unit_test(any_failed_allocation_is_survived),
        cmocka_unit_test(every_side_of_a_face_is_an_edge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
