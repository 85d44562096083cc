// SPDX-License-Identifier: Apache-2.0
// VTK's points and cells made a mesh. Cells of second and higher order are taken by their corners, which come first;
// the points between stay vertices of the mesh that no element uses. Polygons of more than four corners become fans,
// those of two or one an edge or a point, and points without any cell a mesh of points: as in surface formats.
// One pass over the file's arrays, one over the cells; nothing allocated that the file has not paid for in bytes.
#include "io/cells.h"

#include <string.h>
#include <strings.h>

void toc_cells_free(toc_cells *cells) {
    toc_array_free(&cells->allocator, &cells->points);
    toc_array_free(&cells->allocator, &cells->corners);
    toc_array_free(&cells->allocator, &cells->ends);
    toc_array_free(&cells->allocator, &cells->types);
    toc_array_free(&cells->allocator, &cells->groups);
    toc_array_free(&cells->allocator, &cells->thicknesses);
}

toc_status toc_cells_add_points(toc_cells *cells, const toc_numbers *coordinates) {
    if (coordinates->count % 3 != 0)
        return toc_fail(TOC_BAD_INPUT, "%zu coordinates are not three a point", coordinates->count);
    if (coordinates->count == 0) return TOC_OK;
    TOC_TRY(toc_array_reserve(&cells->allocator, &cells->points, coordinates->count));
    toc_numbers_as_doubles(coordinates, 0, coordinates->count, cells->points.at + cells->points.count);
    cells->points.count += coordinates->count;
    return TOC_OK;
}

static toc_status need_integers(const char *what, const toc_numbers *numbers) {
    if (numbers->count == 0 || toc_number_is_integer(numbers->type)) return TOC_OK;
    return toc_fail(TOC_BAD_INPUT, "%s are not integers", what);
}

/// Add corners of one cell; room for them must have been reserved.
static toc_status take_corners(toc_cells *cells, toc_cursor *cursor, size_t count, size_t base) {
    uint32_t *to = cells->corners.at + cells->corners.count;
    const size_t points = cells->points.count / 3 - base;
    for (size_t i = 0; i < count; i++) {
        const int64_t corner = toc_cursor_next(cursor);
        if ((uint64_t)corner >= points)
            return toc_fail(TOC_BAD_INPUT, "cell %zu, corner %zu: there is no point %lld, only %zu points",
                            cells->ends.count, i, (long long)corner, points);
        to[i] = (uint32_t)((size_t)corner + base);
    }
    cells->corners.count += count;
    cells->ends.at[cells->ends.count++] = cells->corners.count;
    return TOC_OK;
}

static toc_status reserve_cells(toc_cells *cells, size_t count, size_t corners) {
    TOC_TRY(toc_array_reserve(&cells->allocator, &cells->ends, count));
    return toc_array_reserve(&cells->allocator, &cells->corners, corners);
}

toc_status toc_cells_add_packed(toc_cells *cells, size_t count, const toc_numbers *packed) {
    TOC_TRY(need_integers("the cells", packed));
    if (count > packed->count)
        return toc_fail(TOC_BAD_INPUT, "%zu cells do not fit into %zu numbers", count, packed->count);
    TOC_TRY(reserve_cells(cells, count, packed->count - count));
    toc_cursor cursor;
    toc_cursor_begin(&cursor, packed);
    for (size_t i = 0; i < count; i++) {
        const size_t later = count - i - 1; // cells behind this one, which need a number each
        const size_t left = toc_cursor_left(&cursor) - 1 - later;
        const int64_t corners = toc_cursor_next(&cursor);
        if (corners < 0 || (uint64_t)corners > left)
            return toc_fail(TOC_BAD_INPUT, "cell %zu: %lld corners, but %zu are left at most", cells->ends.count,
                            (long long)corners, left);
        TOC_TRY(take_corners(cells, &cursor, (size_t)corners, 0));
    }
    const size_t left = toc_cursor_left(&cursor);
    if (left > 0) return toc_fail(TOC_BAD_INPUT, "%zu numbers are left behind the last of %zu cells", left, count);
    return TOC_OK;
}

static toc_status bad_offset(size_t cell, int64_t offset, size_t before, size_t count) {
    return toc_fail(TOC_BAD_INPUT, "cell %zu: its corners end at %lld, which is not between %zu and %zu", cell,
                    (long long)offset, before, count);
}

toc_status toc_cells_add(toc_cells *cells, size_t count, const toc_numbers *offsets, const toc_numbers *corners,
                         size_t base) {
    TOC_TRY(need_integers("the offsets", offsets));
    TOC_TRY(need_integers("the corners", corners));
    if (offsets->count != count && offsets->count != count + 1)
        return toc_fail(TOC_BAD_INPUT, "%zu offsets for %zu cells", offsets->count, count);
    TOC_TRY(reserve_cells(cells, count, corners->count));
    toc_cursor end, corner;
    toc_cursor_begin(&end, offsets);
    toc_cursor_begin(&corner, corners);
    size_t before = 0;
    if (offsets->count == count + 1 && toc_cursor_next(&end) != 0)
        return toc_fail(TOC_BAD_INPUT, "the first offset is not 0");
    for (size_t i = 0; i < count; i++) {
        const int64_t offset = toc_cursor_next(&end);
        if (offset < (int64_t)before || (uint64_t)offset > corners->count)
            return bad_offset(cells->ends.count, offset, before, corners->count);
        TOC_TRY(take_corners(cells, &corner, (size_t)offset - before, base));
        before = (size_t)offset;
    }
    if (before != corners->count)
        return toc_fail(TOC_BAD_INPUT, "%zu corners, but the last of %zu cells ends at %zu", corners->count, count,
                        before);
    return TOC_OK;
}

toc_status toc_cells_add_types(toc_cells *cells, const toc_numbers *types) {
    TOC_TRY(need_integers("the cell types", types));
    const size_t wanted = cells->ends.count - cells->types.count;
    if (types->count != wanted) return toc_fail(TOC_BAD_INPUT, "%zu types for %zu cells", types->count, wanted);
    TOC_TRY(toc_array_reserve(&cells->allocator, &cells->types, wanted));
    toc_cursor cursor;
    toc_cursor_begin(&cursor, types);
    while (toc_cursor_left(&cursor) > 0) {
        const int64_t type = toc_cursor_next(&cursor);
        if (type < 0 || type > UINT8_MAX)
            return toc_fail(TOC_BAD_INPUT, "cell %zu: unknown type %lld", cells->types.count, (long long)type);
        cells->types.at[cells->types.count++] = (uint8_t)type;
    }
    return TOC_OK;
}

toc_status toc_cells_fill_types(toc_cells *cells, uint8_t type) {
    const size_t wanted = cells->ends.count - cells->types.count;
    TOC_TRY(toc_array_reserve(&cells->allocator, &cells->types, wanted));
    if (wanted > 0) memset(cells->types.at + cells->types.count, type, wanted);
    cells->types.count += wanted;
    return TOC_OK;
}

/// Names under which programs keep the material or part of a cell; MaterialIds is VTK's and OpenGeoSys', the one with
/// the colon Gmsh's through meshio (legacy files escape the colon), the last but one Gmsh's own.
static const char *const material_names[] = {"material",     "materials",     "MaterialIds",     "MaterialId",
                                             "material_id",  "gmsh:physical", "gmsh%3Aphysical", "physical",
                                             "physical_tag", "part_id",       "CellEntityIds",   "attribute"};

static bool is_name(const char *name, size_t length, const char *wanted) {
    return length == strlen(wanted) && strncasecmp(name, wanted, length) == 0;
}

toc_cell_data toc_cell_data_of(const char *name, size_t name_length, toc_number type, size_t components) {
    if (components != 1) return TOC_CELL_OTHER;
    if (is_name(name, name_length, "thickness")) return TOC_CELL_THICKNESS;
    if (!toc_number_is_integer(type)) return TOC_CELL_OTHER;
    if (is_name(name, name_length, "group")) return TOC_CELL_GROUP;
    for (size_t i = 0; i < sizeof material_names / sizeof *material_names; i++)
        if (is_name(name, name_length, material_names[i])) return TOC_CELL_MATERIAL;
    return TOC_CELL_OTHER;
}

/// Make an array of cell data as long as `first`, with zeros, and have room for `count` more.
#define prepare(cells, array, first, extra)                                                        \
    do {                                                                                           \
        if ((array)->count > (first)) (array)->count = (first);                                    \
        const size_t missing_ = (first) - (array)->count;                                          \
        TOC_TRY(toc_array_reserve(&(cells)->allocator, (array), missing_ + (extra)));              \
        if (missing_ > 0) memset((array)->at + (array)->count, 0, missing_ * sizeof *(array)->at); \
        (array)->count = (first);                                                                  \
    } while (0)

static toc_status add_groups(toc_cells *cells, size_t first, const toc_numbers *values) {
    prepare(cells, &cells->groups, first, values->count);
    toc_cursor cursor;
    toc_cursor_begin(&cursor, values);
    while (toc_cursor_left(&cursor) > 0) {
        const int64_t group = toc_cursor_next(&cursor);
        if (group < INT32_MIN || group > INT32_MAX)
            return toc_fail(TOC_BAD_INPUT, "cell %zu: group %lld does not fit into 32 bits", cells->groups.count,
                            (long long)group);
        cells->groups.at[cells->groups.count++] = (int32_t)group;
    }
    return TOC_OK;
}

toc_status toc_cells_add_data(toc_cells *cells, toc_cell_data what, size_t first, const toc_numbers *values) {
    if (what == TOC_CELL_MATERIAL || what == TOC_CELL_GROUP) return add_groups(cells, first, values);
    if (what != TOC_CELL_THICKNESS) return TOC_OK;
    prepare(cells, &cells->thicknesses, first, values->count);
    toc_numbers_as_doubles(values, 0, values->count, cells->thicknesses.at + first);
    cells->thicknesses.count += values->count;
    return TOC_OK;
}

/// How elements are made of a cell's corners.
typedef enum way { UNKNOWN = 0, NOTHING, ONE, CROSSED, EACH, CHAIN, STRIP, FAN } way;

typedef struct cell_rule {
    uint8_t way, shape;
    uint8_t corners; // how many points the cell has; 0 where any number that holds the shape's will do
} cell_rule;

/// By VTK's number of the cell (vtkCellType.h).
static const cell_rule rules[] = {
    [0] = {NOTHING, TOC_REMOVED, 0}, [1] = {ONE, TOC_POINT, 1},
    [2] = {EACH, TOC_POINT, 0},      [3] = {ONE, TOC_EDGE, 2},
    [4] = {CHAIN, TOC_EDGE, 0},      [5] = {ONE, TOC_TRIANGLE, 3},
    [6] = {STRIP, TOC_TRIANGLE, 0},  [7] = {FAN, TOC_TRIANGLE, 0},
    [8] = {CROSSED, TOC_QUAD, 4}, // pixel: rows instead of a turn
    [9] = {ONE, TOC_QUAD, 4},        [10] = {ONE, TOC_TET, 4},
    [11] = {CROSSED, TOC_HEX, 8}, // voxel
    [12] = {ONE, TOC_HEX, 8},        [13] = {ONE, TOC_WEDGE, 6},
    [14] = {ONE, TOC_PYRAMID, 5},    [21] = {ONE, TOC_EDGE, 3}, // second order
    [22] = {ONE, TOC_TRIANGLE, 6},   [23] = {ONE, TOC_QUAD, 8},
    [24] = {ONE, TOC_TET, 10},       [25] = {ONE, TOC_HEX, 20},
    [26] = {ONE, TOC_WEDGE, 15},     [27] = {ONE, TOC_PYRAMID, 13},
    [28] = {ONE, TOC_QUAD, 9},       [29] = {ONE, TOC_HEX, 27},
    [30] = {ONE, TOC_QUAD, 6},       [31] = {ONE, TOC_WEDGE, 12},
    [32] = {ONE, TOC_WEDGE, 18},     [33] = {ONE, TOC_HEX, 24},
    [34] = {ONE, TOC_TRIANGLE, 7},   [35] = {ONE, TOC_EDGE, 4}, // cubic
    [37] = {ONE, TOC_PYRAMID, 19},   [68] = {ONE, TOC_EDGE, 0}, // Lagrange, of any order
    [69] = {ONE, TOC_TRIANGLE, 0},   [70] = {ONE, TOC_QUAD, 0},
    [71] = {ONE, TOC_TET, 0},        [72] = {ONE, TOC_HEX, 0},
    [73] = {ONE, TOC_WEDGE, 0},      [74] = {ONE, TOC_PYRAMID, 0},
    [75] = {ONE, TOC_EDGE, 0}, // Bezier, of any order
    [76] = {ONE, TOC_TRIANGLE, 0},   [77] = {ONE, TOC_QUAD, 0},
    [78] = {ONE, TOC_TET, 0},        [79] = {ONE, TOC_HEX, 0},
    [80] = {ONE, TOC_WEDGE, 0},      [81] = {ONE, TOC_PYRAMID, 0},
};

uint8_t toc_cell_of_shape(toc_shape shape) {
    static const uint8_t types[TOC_SHAPE_COUNT] = {
        [TOC_POINT] = 1, [TOC_EDGE] = 3,     [TOC_TRIANGLE] = 5, [TOC_QUAD] = 9,
        [TOC_TET] = 10,  [TOC_PYRAMID] = 14, [TOC_WEDGE] = 13,   [TOC_HEX] = 12};
    return types[shape];
}

toc_cell_totals toc_cell_totals_of(const toc_mesh *mesh) {
    toc_cell_totals totals = {0};
    const size_t count = toc_mesh_element_count(mesh);
    for (size_t i = 0; i < count; i++) {
        const toc_element element = toc_mesh_element(mesh, (uint32_t)i);
        if (element.shape == TOC_REMOVED) continue;
        totals.cells++;
        totals.corners += (size_t)element.corner_count;
        totals.grouped |= element.group != 0;
        totals.thick |= element.thickness != 0;
    }
    return totals;
}

enum { RUN_ROOM = 1024 };

/// Elements of one shape on their way into the mesh.
typedef struct element_run {
    const toc_cells *cells;
    toc_mesh *mesh;
    toc_shape shape;
    size_t corner_count, count;
    uint32_t corners[8 * RUN_ROOM];
    size_t owners[RUN_ROOM]; // the cell of each element
} element_run;

static toc_status set_data(const element_run *run, uint32_t element, size_t cell) {
    const toc_cells *cells = run->cells;
    if (cell < cells->groups.count && cells->groups.at[cell] != 0)
        TOC_TRY(toc_mesh_set_group(run->mesh, element, cells->groups.at[cell]));
    if (cell < cells->thicknesses.count && cells->thicknesses.at[cell] != 0)
        TOC_TRY(toc_mesh_set_thickness(run->mesh, element, cells->thicknesses.at[cell]));
    return TOC_OK;
}

static toc_status flush(element_run *run) {
    if (run->count == 0) return TOC_OK;
    uint32_t first;
    TOC_TRY(toc_mesh_add_elements(run->mesh, run->shape, run->count, run->corners, &first));
    if (run->cells->groups.count > 0 || run->cells->thicknesses.count > 0)
        for (size_t i = 0; i < run->count; i++) {
            const toc_status status = set_data(run, first + (uint32_t)i, run->owners[i]);
            if (status != TOC_OK) return toc_fail_in(status, "cell %zu", run->owners[i]);
        }
    run->count = 0;
    return TOC_OK;
}

/// Room for the corners of one more element.
static toc_status push(element_run *run, toc_shape shape, size_t cell, uint32_t **corners) {
    if (shape != run->shape || run->count == RUN_ROOM) {
        TOC_TRY(flush(run));
        run->shape = shape;
        run->corner_count = (size_t)toc_shape_corners(shape);
    }
    run->owners[run->count] = cell;
    *corners = run->corners + run->corner_count * run->count++;
    return TOC_OK;
}

static toc_status push_one(element_run *run, toc_shape shape, size_t cell, const uint32_t *from, bool crossed) {
    uint32_t *to;
    TOC_TRY(push(run, shape, cell, &to));
    for (size_t i = 0; i < run->corner_count; i++) to[i] = from[crossed && (i & 2) ? i ^ 1 : i];
    return TOC_OK;
}

static toc_status push_triangle(element_run *run, size_t cell, uint32_t a, uint32_t b, uint32_t c) {
    return push_one(run, TOC_TRIANGLE, cell, (const uint32_t[]){a, b, c}, false);
}

static toc_status push_strip(element_run *run, size_t cell, const uint32_t *at, size_t count) {
    for (size_t i = 0; i + 2 < count; i++) // every other triangle is turned
        TOC_TRY(push_triangle(run, cell, at[i + (i & 1)], at[i + 1 - (i & 1)], at[i + 2]));
    return TOC_OK;
}

static toc_status push_polygon(element_run *run, size_t cell, const uint32_t *at, size_t count) {
    static const toc_shape shapes[] = {TOC_REMOVED, TOC_POINT, TOC_EDGE, TOC_TRIANGLE, TOC_QUAD};
    if (count <= 4) return push_one(run, shapes[count], cell, at, false);
    for (size_t i = 1; i + 1 < count; i++) TOC_TRY(push_triangle(run, cell, at[0], at[i], at[i + 1]));
    return TOC_OK;
}

static toc_status check_cell(const toc_cells *cells, size_t cell, cell_rule rule, size_t count) {
    const unsigned type = cells->types.at[cell];
    const size_t least = rule.way == EACH ? 0 : rule.way == FAN ? 1 : (size_t)toc_shape_corners((toc_shape)rule.shape);
    if (rule.way == UNKNOWN) return toc_fail(TOC_BAD_INPUT, "cell %zu: unknown type %u", cell, type);
    if (count < least || (rule.corners > 0 && count != rule.corners))
        return toc_fail(TOC_BAD_INPUT, "cell %zu of type %u: %zu corners, but it takes %s%zu", cell, type, count,
                        rule.corners > 0 ? "" : "at least ", rule.corners > 0 ? (size_t)rule.corners : least);
    return TOC_OK;
}

static toc_status push_cell(element_run *run, size_t cell, const uint32_t *at, size_t count) {
    const uint8_t type = run->cells->types.at[cell];
    const cell_rule rule = type < sizeof rules / sizeof *rules ? rules[type] : (cell_rule){0};
    const toc_shape shape = (toc_shape)rule.shape;
    TOC_TRY(check_cell(run->cells, cell, rule, count));
    switch ((way)rule.way) {
    case ONE:
        return push_one(run, shape, cell, at, false);
    case CROSSED:
        return push_one(run, shape, cell, at, true);
    case STRIP:
        return push_strip(run, cell, at, count);
    case FAN:
        return push_polygon(run, cell, at, count);
    case EACH:
        for (size_t i = 0; i < count; i++) TOC_TRY(push_one(run, shape, cell, at + i, false));
        return TOC_OK;
    case CHAIN:
        for (size_t i = 0; i + 1 < count; i++) TOC_TRY(push_one(run, shape, cell, at + i, false));
        return TOC_OK;
    default:
        return TOC_OK;
    }
}

static toc_status check_lengths(const toc_cells *cells) {
    const size_t count = cells->ends.count;
    if (cells->types.count != count) return toc_fail(TOC_BAD_INPUT, "%zu cells have no types", count);
    if (cells->groups.count > count || cells->thicknesses.count > count)
        return toc_fail(TOC_BAD_INPUT, "there is more cell data than the %zu cells", count);
    return TOC_OK;
}

toc_status toc_cells_build(const toc_cells *cells, toc_mesh *mesh) {
    TOC_TRY(check_lengths(cells));
    TOC_TRY(toc_mesh_add_vertices(mesh, cells->points.count / 3, cells->points.at, NULL));
    element_run run;
    run.cells = cells;
    run.mesh = mesh;
    run.shape = TOC_REMOVED;
    run.corner_count = run.count = 0;
    for (uint32_t i = 0; cells->ends.count == 0 && i < cells->points.count / 3; i++)
        TOC_TRY(push_one(&run, TOC_POINT, i, &i, false));
    for (size_t i = 0, first = 0; i < cells->ends.count; first = cells->ends.at[i++])
        TOC_TRY(push_cell(&run, i, cells->corners.at + first, cells->ends.at[i] - first));
    return flush(&run);
}
