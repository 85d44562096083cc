// SPDX-License-Identifier: Apache-2.0
#include "support/grid.h"

#include <math.h>
#include <stdlib.h>

static toc_mesh *new_mesh(void) {
    toc_mesh *mesh;
    assert_ok(toc_mesh_create(NULL, &mesh));
    return mesh;
}

static void add_lattice(toc_mesh *mesh, uint32_t nx, uint32_t ny, uint32_t nz) {
    for (uint32_t z = 0; z <= nz; z++)
        for (uint32_t y = 0; y <= ny; y++)
            for (uint32_t x = 0; x <= nx; x++) assert_ok(toc_mesh_add_vertices(mesh, 1, (double[]){x, y, z}, NULL));
}

// Cells cut by corner numbers of the hex around them, in VTK's order; corner 8 is the middle.
static const uint32_t hex_cell[8] = {0, 1, 2, 3, 4, 5, 6, 7};
// The quads on both sides of a cut along 0-2 and 4-6 match their neighbours for any vertex order.
static const uint32_t wedge_cells[2][6] = {{0, 2, 1, 4, 6, 5}, {0, 3, 2, 4, 7, 6}};
static const uint32_t pyramid_cells[6][5] = {{0, 1, 2, 3, 8}, {4, 7, 6, 5, 8}, {0, 4, 5, 1, 8},
                                             {1, 5, 6, 2, 8}, {2, 6, 7, 3, 8}, {3, 7, 4, 0, 8}};
// Kuhn's: all six share the diagonal 0-6, opposite sides of the cell are cut alike.
static const uint32_t tet_cells[6][4] = {{0, 1, 2, 6}, {0, 2, 3, 6}, {0, 3, 7, 6},
                                         {0, 7, 4, 6}, {0, 4, 5, 6}, {0, 5, 1, 6}};

static void add_parts(toc_mesh *mesh, toc_shape shape, const uint32_t cell[9], const uint32_t *parts, size_t count) {
    const size_t n = (size_t)toc_shape_count_corners(shape);
    uint32_t corners[8];
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < n; j++) corners[j] = cell[parts[n * i + j]];
        assert_ok(toc_mesh_add_elements(mesh, shape, 1, corners, NULL));
    }
}

static void add_cell(toc_mesh *mesh, toc_shape shape, const uint32_t cell[9]) {
    if (shape == TOC_HEX)
        add_parts(mesh, shape, cell, hex_cell, 1);
    else if (shape == TOC_WEDGE)
        add_parts(mesh, shape, cell, wedge_cells[0], 2);
    else if (shape == TOC_PYRAMID)
        add_parts(mesh, shape, cell, pyramid_cells[0], 6);
    else
        add_parts(mesh, TOC_TET, cell, tet_cells[0], 6);
}

static void name_corners(uint32_t corner[9], uint32_t low, uint32_t row, uint32_t layer) {
    const uint32_t quad[4] = {low, low + 1, low + 1 + row, low + row};
    for (int i = 0; i < 4; i++) {
        corner[i] = quad[i];
        corner[i + 4] = quad[i] + layer;
    }
}

toc_mesh *test_grid_volume(toc_shape shape, uint32_t nx, uint32_t ny, uint32_t nz) {
    toc_mesh *mesh = new_mesh();
    add_lattice(mesh, nx, ny, nz);
    const uint32_t row = nx + 1, layer = row * (ny + 1);
    for (uint32_t z = 0; z < nz; z++)
        for (uint32_t y = 0; y < ny; y++)
            for (uint32_t x = 0; x < nx; x++) {
                uint32_t cell[9] = {0};
                name_corners(cell, x + row * y + layer * z, row, layer);
                const double middle[3] = {x + 0.5, y + 0.5, z + 0.5};
                if (shape == TOC_PYRAMID) assert_ok(toc_mesh_add_vertices(mesh, 1, middle, &cell[8]));
                add_cell(mesh, shape, cell);
            }
    return mesh;
}

static void add_sheet_edges(toc_mesh *mesh, uint32_t nx, uint32_t ny) {
    const uint32_t row = nx + 1;
    for (uint32_t y = 0; y <= ny; y++)
        for (uint32_t x = 0; x <= nx; x++) {
            const uint32_t v = x + row * y, right[2] = {v, v + 1}, up[2] = {v, v + row};
            if (x < nx) assert_ok(toc_mesh_add_elements(mesh, TOC_EDGE, 1, right, NULL));
            if (y < ny) assert_ok(toc_mesh_add_elements(mesh, TOC_EDGE, 1, up, NULL));
        }
}

static void add_sheet_cells(toc_mesh *mesh, toc_shape shape, uint32_t nx, uint32_t ny) {
    static const uint32_t halves[2][3] = {{0, 1, 2}, {0, 2, 3}};
    for (uint32_t y = 0; y < ny; y++)
        for (uint32_t x = 0; x < nx; x++) {
            uint32_t cell[9] = {0};
            name_corners(cell, x + (nx + 1) * y, nx + 1, 0);
            if (shape == TOC_QUAD)
                add_parts(mesh, shape, cell, hex_cell, 1);
            else
                add_parts(mesh, TOC_TRIANGLE, cell, halves[0], 2);
        }
}

toc_mesh *test_grid_sheet(toc_shape shape, uint32_t nx, uint32_t ny) {
    toc_mesh *mesh = new_mesh();
    add_lattice(mesh, nx, ny, 0);
    const uint32_t count = (uint32_t)toc_mesh_get_vertex_count(mesh);
    if (shape == TOC_EDGE)
        add_sheet_edges(mesh, nx, ny);
    else if (shape != TOC_POINT)
        add_sheet_cells(mesh, shape, nx, ny);
    else
        for (uint32_t v = 0; v < count; v++) assert_ok(toc_mesh_add_elements(mesh, TOC_POINT, 1, &v, NULL));
    return mesh;
}

// A face of the octahedron as rows of vertices; vertices shared with other faces are found by their position.
static uint32_t vertex_at(toc_mesh *mesh, const double direction[3]) {
    const double length = sqrt(direction[0] * direction[0] + direction[1] * direction[1] + direction[2] * direction[2]);
    const double at[3] = {direction[0] / length, direction[1] / length, direction[2] / length};
    const double *x = toc_mesh_get_x0(mesh);
    const uint32_t count = (uint32_t)toc_mesh_get_vertex_count(mesh);
    for (uint32_t v = 0; v < count; v++)
        if (x[3 * v] == at[0] && x[3 * v + 1] == at[1] && x[3 * v + 2] == at[2]) return v;
    uint32_t made;
    assert_ok(toc_mesh_add_vertices(mesh, 1, at, &made));
    return made;
}

// The vertex i steps along x and j along y away from the z pole, of n to the equator, in the octant of the signs.
static uint32_t octant_vertex(toc_mesh *mesh, const double sign[3], int i, int j, int n) {
    return vertex_at(mesh, (double[]){sign[0] * i, sign[1] * j, sign[2] * (n - i - j)});
}

static void add_face(toc_mesh *mesh, uint32_t a, uint32_t b, uint32_t c, bool mirrored) {
    const uint32_t corners[3] = {a, mirrored ? c : b, mirrored ? b : c};
    assert_ok(toc_mesh_add_elements(mesh, TOC_TRIANGLE, 1, corners, NULL));
}

static void add_octant(toc_mesh *mesh, const double sign[3], int n) {
    const bool mirrored = sign[0] * sign[1] * sign[2] < 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; i + j < n; j++) {
            const uint32_t a = octant_vertex(mesh, sign, i, j, n), b = octant_vertex(mesh, sign, i + 1, j, n),
                           c = octant_vertex(mesh, sign, i, j + 1, n);
            add_face(mesh, a, b, c, mirrored);
            if (i + j + 1 < n) add_face(mesh, b, octant_vertex(mesh, sign, i + 1, j + 1, n), c, mirrored);
        }
}

toc_mesh *test_sphere(int cuts) {
    toc_mesh *mesh = new_mesh();
    for (int octant = 0; octant < 8; octant++) {
        const double sign[3] = {octant & 1 ? -1 : 1, octant & 2 ? -1 : 1, octant & 4 ? -1 : 1};
        add_octant(mesh, sign, 1 << cuts);
    }
    return mesh;
}

toc_mesh *test_soup(test_random *random, toc_shape shape, uint32_t elements, uint32_t vertices) {
    toc_mesh *mesh = new_mesh();
    for (uint32_t i = 0; i < vertices; i++) {
        const double at[3] = {test_random_between(random, 0, 1), test_random_between(random, 0, 1),
                              test_random_between(random, 0, 1)};
        assert_ok(toc_mesh_add_vertices(mesh, 1, at, NULL));
    }
    for (uint32_t i = 0; i < elements; i++) {
        const toc_shape one = shape ? shape : (toc_shape)(1 + test_random_below(random, TOC_SHAPE_COUNT - 1));
        uint32_t corners[8];
        for (int j = 0; j < 8; j++) corners[j] = test_random_below(random, vertices);
        assert_ok(toc_mesh_add_elements(mesh, one, 1, corners, NULL));
    }
    return mesh;
}

void test_shake(toc_mesh *mesh, test_random *random, double start, double end) {
    const size_t count = 3 * toc_mesh_get_vertex_count(mesh);
    if (count == 0) return;
    double *x0 = calloc(count, sizeof *x0), *x1 = calloc(count, sizeof *x1);
    assert_true(x0 && x1);
    for (size_t i = 0; i < count; i++) {
        x0[i] = toc_mesh_get_x0(mesh)[i] + test_random_between(random, -start, start);
        x1[i] = x0[i] + test_random_between(random, -end, end);
    }
    assert_ok(test_mesh_set_motion(mesh, x0, x1));
    free(x0);
    free(x1);
}

toc_scene *test_scene_of(toc_mesh *a, toc_mesh *b) {
    toc_scene *bodies;
    assert_ok(toc_scene_create(NULL, &bodies));
    assert_ok(toc_scene_add_body(bodies, a, NULL));
    if (b) assert_ok(toc_scene_add_body(bodies, b, NULL));
    return bodies;
}

static uint32_t random_element(const toc_mesh *mesh, test_random *random) {
    const uint32_t count = (uint32_t)toc_mesh_get_element_count(mesh), first = test_random_below(random, count);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t e = (first + i) % count;
        if (toc_mesh_get_element(mesh, e).shape != TOC_REMOVED) return e;
    }
    return UINT32_MAX;
}

// Corners of some elements, and new ones beside them.
static void add_element(toc_mesh *mesh, test_random *random) {
    const toc_shape shape = (toc_shape)(TOC_POINT + test_random_below(random, TOC_SHAPE_COUNT - TOC_POINT));
    uint32_t corners[8];
    for (int i = 0; i < 8; i++) {
        const uint32_t from = random_element(mesh, random);
        double x[3];
        for (int c = 0; c < 3; c++) x[c] = test_random_between(random, 0, 2);
        if (from == UINT32_MAX || test_random_below(random, 4) == 0) {
            assert_ok(toc_mesh_add_vertices(mesh, 1, x, &corners[i]));
        } else {
            const toc_element e = toc_mesh_get_element(mesh, from);
            corners[i] = e.corners[test_random_below(random, (uint32_t)e.corner_count)];
        }
    }
    assert_ok(toc_mesh_add_elements(mesh, shape, 1, corners, NULL));
}

void test_random_edit(toc_mesh *mesh, test_random *random) {
    const uint32_t element = random_element(mesh, random), other = random_element(mesh, random);
    const uint32_t what = test_random_below(random, 4);
    if (what == 0 || element == UINT32_MAX) {
        add_element(mesh, random);
        return;
    }
    const toc_element e = toc_mesh_get_element(mesh, element), o = toc_mesh_get_element(mesh, other);
    const uint32_t vertex = e.corners[test_random_below(random, (uint32_t)e.corner_count)];
    const uint32_t gone = o.corners[test_random_below(random, (uint32_t)o.corner_count)];
    if (what == 1) assert_ok(toc_mesh_remove_element(mesh, element));
    if (what == 2) assert_ok(toc_mesh_split_vertex(mesh, vertex, 1, &element, NULL));
    if (what == 3) toc_mesh_merge_vertices(mesh, vertex, gone); // refused if an element has both
}
