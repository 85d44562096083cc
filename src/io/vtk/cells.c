// SPDX-License-Identifier: Apache-2.0
// A mesh of VTK's points and cells. Cells of second and higher order are taken by their corners, which come first; the
// points between stay vertices of the mesh that no element uses. Polygons of more than four corners become fans, those
// of two or one an edge or a point, and points without any cell a mesh of points: as in surface formats. One pass over
// the arrays of the file; only the mesh grows with the file.
#include "io/vtk/cells.h"

#include <assert.h>
#include <strings.h>

#include "mesh/mesh.h"

toc_vtk_cells toc_vtk_cells_begin(const toc_allocator *allocator, toc_mesh *mesh) {
    assert(mesh);
    return (toc_vtk_cells){.allocator = *allocator, .mesh = mesh, .base = toc_mesh_get_vertex_count(mesh)};
}

static void free_section(toc_vtk_cells *cells, toc_vtk_cell_section *section) {
    toc_numbers_free(&cells->allocator, &section->offsets);
    toc_numbers_free(&cells->allocator, &section->corners);
}

void toc_vtk_cells_free(toc_vtk_cells *cells) {
    for (size_t i = 0; i < cells->sections.count; i++) free_section(cells, &cells->sections.at[i]);
    toc_array_free(&cells->allocator, &cells->sections);
    toc_numbers_free(&cells->allocator, &cells->types);
    toc_numbers_free(&cells->allocator, &cells->groups);
    toc_numbers_free(&cells->allocator, &cells->thicknesses);
    toc_numbers_free(&cells->allocator, &cells->ghosts);
}

enum { POINT_ROOM = 1024 };

static toc_status vtk_cells_add_vertices(toc_vtk_cells *cells, const toc_numbers *coordinates) {
    double x[3 * POINT_ROOM];
    const size_t count = coordinates->count / 3;
    TOC_TRY(toc_mesh_reserve(cells->mesh, count, 0, 0));
    for (size_t i = 0; i < count; i += POINT_ROOM) {
        const size_t some = count - i < POINT_ROOM ? count - i : POINT_ROOM;
        toc_numbers_as_doubles(coordinates, 3 * i, 3 * some, x);
        TOC_TRY(toc_mesh_add_vertices(cells->mesh, some, x, NULL));
    }
    cells->points += count;
    return TOC_OK;
}

toc_status toc_vtk_cells_add_points(toc_vtk_cells *cells, toc_numbers coordinates) {
    const toc_status status = vtk_cells_add_vertices(cells, &coordinates);
    toc_numbers_free(&cells->allocator, &coordinates);
    return status;
}

static toc_status put_velocities(const toc_vtk_cells *cells, const toc_numbers *values) {
    toc_mesh *mesh = cells->mesh;
    if (values->count != 3 * cells->points)
        return toc_fail(TOC_BAD_INPUT, "%zu numbers of velocities for %zu points", values->count, cells->points);
    // A piece before this one was without: there are none of the whole mesh.
    if (mesh->velocities.count != 3 * cells->base) return TOC_OK;
    TOC_TRY(toc_array_reserve(&mesh->allocator, &mesh->velocities, values->count));
    toc_numbers_as_doubles(values, 0, values->count, mesh->velocities.at + mesh->velocities.count);
    mesh->velocities.count += values->count;
    return TOC_OK;
}

toc_status toc_vtk_cells_add_velocities(toc_vtk_cells *cells, toc_numbers velocities) {
    const toc_status status = put_velocities(cells, &velocities);
    toc_numbers_free(&cells->allocator, &velocities);
    return status;
}

static toc_status need_integers(const char *what, const toc_numbers *numbers) {
    if (numbers->count == 0 || toc_number_is_integer(numbers->type)) return TOC_OK;
    return toc_fail(TOC_BAD_INPUT, "%s are not integers", what);
}

static toc_status check_section(const toc_vtk_cell_section *section) {
    const size_t count = section->count, offsets = section->offsets.count;
    TOC_TRY(need_integers("the offsets", &section->offsets));
    TOC_TRY(need_integers("the corners", &section->corners));
    if (section->packed && count > section->corners.count)
        return toc_fail(TOC_BAD_INPUT, "%zu cells do not fit into %zu numbers", count, section->corners.count);
    if (!section->packed && offsets != count && offsets != count + 1)
        return toc_fail(TOC_BAD_INPUT, "%zu offsets for %zu cells", offsets, count);
    return TOC_OK;
}

toc_status toc_vtk_cells_add(toc_vtk_cells *cells, toc_vtk_cell_section section) {
    toc_status status = check_section(&section);
    if (status == TOC_OK) status = toc_array_reserve(&cells->allocator, &cells->sections, 1);
    if (status != TOC_OK) {
        free_section(cells, &section);
        return status;
    }
    cells->sections.at[cells->sections.count++] = section;
    cells->count += section.count;
    return TOC_OK;
}

/// Keep an array that has a number for each cell.
static toc_status vtk_cells_keep(toc_vtk_cells *cells, toc_numbers *to, toc_numbers numbers, const char *what) {
    toc_numbers_free(&cells->allocator, to);
    *to = numbers;
    if (numbers.count == cells->count) return TOC_OK;
    return toc_fail(TOC_BAD_INPUT, "%zu %s for %zu cells", numbers.count, what, cells->count);
}

toc_status toc_vtk_cells_set_types(toc_vtk_cells *cells, toc_numbers types) {
    TOC_TRY(vtk_cells_keep(cells, &cells->types, types, "types"));
    return need_integers("the cell types", &types);
}

/// Names under which programs keep the material or part of a cell; MaterialIds is VTK's and OpenGeoSys', the one with
/// the colon Gmsh's through meshio (legacy files escape the colon), the last but one Gmsh's own.
static const char *const material_names[] = {"material",     "materials",     "MaterialIds",     "MaterialId",
                                             "material_id",  "gmsh:physical", "gmsh%3Aphysical", "physical",
                                             "physical_tag", "part_id",       "CellEntityIds",   "attribute"};

static bool is_name(const char *name, size_t length, const char *wanted) {
    return length == strlen(wanted) && strncasecmp(name, wanted, length) == 0;
}

toc_vtk_cell_data toc_vtk_cell_data_of(const char *name, size_t name_length, toc_number type, size_t components) {
    assert(name);
    if (components != 1) return TOC_CELL_OTHER;
    if (is_name(name, name_length, "thickness")) return TOC_CELL_THICKNESS;
    if (!toc_number_is_integer(type)) return TOC_CELL_OTHER;
    if (is_name(name, name_length, "group")) return TOC_CELL_GROUP;
    for (size_t i = 0; i < sizeof material_names / sizeof *material_names; i++)
        if (is_name(name, name_length, material_names[i])) return TOC_CELL_MATERIAL;
    return TOC_CELL_OTHER;
}

bool toc_vtk_is_velocity(const char *name, size_t name_length, size_t components) {
    assert(name);
    static const char *const names[] = {"velocity", "velocities", "vel", "v"};
    for (size_t i = 0; i < sizeof names / sizeof *names && components == 3; i++)
        if (is_name(name, name_length, names[i])) return true;
    return false;
}

bool toc_vtk_cells_want(const toc_vtk_cells *cells, toc_vtk_cell_data what) {
    return what == TOC_CELL_THICKNESS || what > cells->group;
}

toc_status toc_vtk_cells_set_data(toc_vtk_cells *cells, toc_vtk_cell_data what, toc_numbers values) {
    if (what == TOC_CELL_THICKNESS) return vtk_cells_keep(cells, &cells->thicknesses, values, "values of thickness");
    cells->group = what;
    return vtk_cells_keep(cells, &cells->groups, values, "groups");
}

toc_status toc_vtk_cells_set_ghosts(toc_vtk_cells *cells, toc_numbers bits, int64_t mask) {
    cells->ghost_mask = mask;
    TOC_TRY(vtk_cells_keep(cells, &cells->ghosts, bits, "marks of ghosts"));
    return need_integers("the marks of ghosts", &bits);
}

static bool is_ghost_cell(const toc_vtk_cells *cells, size_t cell) {
    int64_t bits = 0;
    if (cells->ghosts.count > 0) toc_numbers_as_integers(&cells->ghosts, cell, 1, &bits);
    return (bits & cells->ghost_mask) != 0;
}

/// The elements that a cell's corners become.
typedef enum cell_split { UNKNOWN = 0, NOTHING, ONE, CROSSED, EACH, CHAIN, STRIP, FAN } cell_split;

typedef struct cell_rule {
    uint8_t way, shape;
    uint8_t corners; // the number of points of the cell; 0 if any number not below the shape's is allowed
} cell_rule;

/// By VTK's number of the cell (vtkCellType.h).
static const cell_rule rules[] = {
    [0] = {NOTHING, TOC_REMOVED, 0}, [1] = {ONE, TOC_POINT, 1},
    [2] = {EACH, TOC_POINT, 0},      [3] = {ONE, TOC_EDGE, 2},
    [4] = {CHAIN, TOC_EDGE, 0},      [5] = {ONE, TOC_TRIANGLE, 3},
    [6] = {STRIP, TOC_TRIANGLE, 0},  [7] = {FAN, TOC_TRIANGLE, 0},
    [8] = {CROSSED, TOC_QUAD, 4}, // pixel: row by row, not around
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

uint8_t toc_vtk_cell_of_shape(toc_shape shape) {
    assert((unsigned)shape < TOC_SHAPE_COUNT);
    static const uint8_t types[TOC_SHAPE_COUNT] = {
        [TOC_POINT] = 1, [TOC_EDGE] = 3,     [TOC_TRIANGLE] = 5, [TOC_QUAD] = 9,
        [TOC_TET] = 10,  [TOC_PYRAMID] = 14, [TOC_WEDGE] = 13,   [TOC_HEX] = 12};
    return types[shape];
}

toc_vtk_cell_totals toc_vtk_cell_totals_of(const toc_mesh *mesh) {
    toc_vtk_cell_totals totals = {0};
    const size_t count = toc_mesh_get_element_count(mesh);
    for (size_t i = 0; i < count; i++) {
        const toc_element element = toc_mesh_get_element(mesh, (uint32_t)i);
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
    const toc_vtk_cells *cells;
    toc_shape shape;
    size_t corner_count, count;
    uint32_t corners[8 * RUN_ROOM];
    size_t owners[RUN_ROOM]; // the cell of each element
} element_run;

static toc_status vtk_cells_set_group(const toc_vtk_cells *cells, uint32_t element, size_t cell) {
    int64_t group;
    toc_numbers_as_integers(&cells->groups, cell, 1, &group);
    if (group < INT32_MIN || group > INT32_MAX)
        return toc_fail(TOC_BAD_INPUT, "group %lld does not fit into 32 bits", (long long)group);
    return group == 0 ? TOC_OK : toc_mesh_set_group(cells->mesh, element, (int32_t)group);
}

static toc_status vtk_cells_set_thickness(const toc_vtk_cells *cells, uint32_t element, size_t cell) {
    double thickness;
    toc_numbers_as_doubles(&cells->thicknesses, cell, 1, &thickness);
    return thickness == 0 ? TOC_OK : toc_mesh_set_thickness(cells->mesh, element, thickness);
}

static toc_status set_data(const element_run *run, uint32_t first) {
    const toc_vtk_cells *cells = run->cells;
    toc_status status = TOC_OK;
    for (uint32_t i = 0; i < run->count && status == TOC_OK; i++) {
        const size_t cell = run->owners[i];
        if (cells->groups.count > 0) status = vtk_cells_set_group(cells, first + i, cell);
        if (cells->thicknesses.count > 0 && status == TOC_OK) status = vtk_cells_set_thickness(cells, first + i, cell);
        if (status != TOC_OK) toc_fail_in(status, "cell %zu", cell);
    }
    return status;
}

static toc_status vtk_cells_flush(element_run *run) {
    if (run->count == 0) return TOC_OK;
    uint32_t first;
    TOC_TRY(toc_mesh_add_elements(run->cells->mesh, run->shape, run->count, run->corners, &first));
    TOC_TRY(set_data(run, first));
    run->count = 0;
    return TOC_OK;
}

/// Reserve the corners of one more element.
static toc_status vtk_cells_push(element_run *run, toc_shape shape, size_t cell, uint32_t **corners) {
    if (shape != run->shape || run->count == RUN_ROOM) {
        TOC_TRY(vtk_cells_flush(run));
        run->shape = shape;
        run->corner_count = (size_t)toc_shape_count_corners(shape);
    }
    run->owners[run->count] = cell;
    *corners = run->corners + run->corner_count * run->count++;
    return TOC_OK;
}

static toc_status push_one(element_run *run, toc_shape shape, size_t cell, const uint32_t *from, bool crossed) {
    assert(from);
    uint32_t *to;
    TOC_TRY(vtk_cells_push(run, shape, cell, &to));
    const size_t other = crossed ? 1 : 0; // a pixel goes row by row, so the last two of four are exchanged
    for (size_t i = 0; i < run->corner_count; i++) to[i] = from[i ^ (i >> 1 & other)];
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

static toc_status check_cell(size_t cell, uint8_t type, cell_rule rule, size_t count) {
    const size_t least = rule.way == EACH  ? 0
                         : rule.way == FAN ? 1
                                           : (size_t)toc_shape_count_corners((toc_shape)rule.shape);
    if (rule.way == UNKNOWN) return toc_fail(TOC_BAD_INPUT, "cell %zu: unknown type %u", cell, type);
    if (count >= least && (rule.corners == 0 || count == rule.corners)) return TOC_OK;
    return toc_fail(TOC_BAD_INPUT, "cell %zu of type %u: %zu corners, but it takes %s%zu", cell, type, count,
                    rule.corners > 0 ? "" : "at least ", rule.corners > 0 ? (size_t)rule.corners : least);
}

static toc_status push_cell(element_run *run, size_t cell, uint8_t type, const uint32_t *at, size_t count) {
    const cell_rule rule = type < sizeof rules / sizeof *rules ? rules[type] : (cell_rule){0};
    const toc_shape shape = (toc_shape)rule.shape;
    TOC_TRY(check_cell(cell, type, rule, count));
    switch ((cell_split)rule.way) {
    case ONE:
        run->cells->mesh->higher_order += count > (size_t)toc_shape_count_corners(shape);
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

/// Walks over the cells of a section.
typedef struct cell_walk {
    element_run run;
    const toc_vtk_cell_section *section;
    size_t cell, left;               // the current cell, and the number of cells behind it in the section
    toc_cursor type, offset, corner; // as in the file
    size_t end;                      // of the corners of the cell before
    TOC_ARRAY(uint32_t) corners;
} cell_walk;

/// The number of corners of the next cell; not more than exist.
static toc_status vtk_cells_take_count(cell_walk *walk, size_t *out) {
    if (walk->section->packed) {
        const size_t most = toc_cursor_left(&walk->corner) - 1 - walk->left; // each cell behind needs a number
        const int64_t count = toc_cursor_next(&walk->corner);
        if ((uint64_t)count > most)
            return toc_fail(TOC_BAD_INPUT, "cell %zu: %lld corners, but %zu are left at most", walk->cell,
                            (long long)count, most);
        *out = (size_t)count;
        return TOC_OK;
    }
    const int64_t end = toc_cursor_next(&walk->offset);
    if (end < (int64_t)walk->end || (uint64_t)end > walk->section->corners.count)
        return toc_fail(TOC_BAD_INPUT, "cell %zu: its corners end at %lld, which is not between %zu and %zu",
                        walk->cell, (long long)end, walk->end, walk->section->corners.count);
    *out = (size_t)end - walk->end;
    walk->end = (size_t)end;
    return TOC_OK;
}

static toc_status take_corners(cell_walk *walk, size_t count) {
    const toc_vtk_cells *cells = walk->run.cells;
    TOC_TRY(toc_array_reserve(&cells->allocator, &walk->corners, count)); // the count of the array stays 0
    for (size_t i = 0; i < count; i++) {
        const int64_t corner = toc_cursor_next(&walk->corner);
        if ((uint64_t)corner >= cells->points)
            return toc_fail(TOC_BAD_INPUT, "cell %zu, corner %zu: there is no point %lld, only %zu points", walk->cell,
                            i, (long long)corner, cells->points);
        walk->corners.at[i] = (uint32_t)((size_t)corner + cells->base);
    }
    return TOC_OK;
}

static toc_status vtk_cells_take_type(cell_walk *walk, uint8_t *out) {
    *out = walk->section->type;
    if (*out != 0) return TOC_OK;
    const int64_t type = toc_cursor_next(&walk->type);
    if (type < 0 || type > UINT8_MAX)
        return toc_fail(TOC_BAD_INPUT, "cell %zu: unknown type %lld", walk->cell, (long long)type);
    *out = (uint8_t)type;
    return TOC_OK;
}

static toc_status begin_section(cell_walk *walk, const toc_vtk_cell_section *section) {
    walk->section = section;
    walk->end = 0;
    toc_cursor_begin(&walk->corner, &section->corners);
    toc_cursor_begin(&walk->offset, &section->offsets);
    if (section->offsets.count <= section->count || toc_cursor_next(&walk->offset) == 0) return TOC_OK;
    return toc_fail(TOC_BAD_INPUT, "the first offset is not 0");
}

static toc_status walk_section(cell_walk *walk, const toc_vtk_cell_section *section) {
    TOC_TRY(begin_section(walk, section));
    for (walk->left = section->count; walk->left-- > 0; walk->cell++) {
        size_t count = 0;
        uint8_t type = 0;
        TOC_TRY(vtk_cells_take_count(walk, &count));
        TOC_TRY(take_corners(walk, count));
        TOC_TRY(vtk_cells_take_type(walk, &type));
        if (is_ghost_cell(walk->run.cells, walk->cell)) continue;
        TOC_TRY(push_cell(&walk->run, walk->cell, type, walk->corners.at, count));
    }
    const size_t left = toc_cursor_left(&walk->corner);
    if (left == 0) return TOC_OK;
    return toc_fail(TOC_BAD_INPUT, "%zu numbers are left behind the last of %zu cells", left, section->count);
}

/// Each array has a number for each cell, also for those that came later.
static toc_status check_lengths(const toc_vtk_cells *cells) {
    const size_t groups = cells->groups.count, thicknesses = cells->thicknesses.count;
    if ((groups == 0 || groups == cells->count) && (thicknesses == 0 || thicknesses == cells->count)) return TOC_OK;
    return toc_fail(TOC_BAD_INPUT, "there are cells behind the cell data");
}

static toc_status vtk_cells_walk_all(cell_walk *walk, const char **at) {
    const toc_vtk_cells *cells = walk->run.cells;
    TOC_TRY(check_lengths(cells));
    toc_cursor_begin(&walk->type, &cells->types);
    for (size_t i = 0; i < cells->sections.count; i++) {
        *at = cells->sections.at[i].at;
        if (cells->sections.at[i].type == 0 && cells->types.count != cells->count)
            return toc_fail(TOC_BAD_INPUT, "%zu cells have no types", cells->count);
        TOC_TRY(walk_section(walk, &cells->sections.at[i]));
    }
    return vtk_cells_flush(&walk->run);
}

/// Most cells are one element each, with the corners that they have in the file.
static toc_status vtk_cells_reserve_elements(const toc_vtk_cells *cells) {
    size_t corners = 0;
    for (size_t i = 0; i < cells->sections.count; i++) {
        const toc_vtk_cell_section *section = &cells->sections.at[i];
        corners += section->corners.count - (section->packed ? section->count : 0);
    }
    return toc_mesh_reserve(cells->mesh, 0, cells->count, corners);
}

toc_status toc_vtk_cells_build(const toc_vtk_cells *cells, const char **at) {
    TOC_TRY(vtk_cells_reserve_elements(cells));
    cell_walk *walk = toc_new(&cells->allocator, 1, sizeof *walk);
    if (!walk) return TOC_OUT_OF_MEMORY;
    walk->run.cells = cells;
    const toc_status status = vtk_cells_walk_all(walk, at);
    toc_array_free(&cells->allocator, &walk->corners);
    toc_free(&cells->allocator, walk, 1, sizeof *walk);
    return status;
}

bool toc_vtk_is_label(const char *name, size_t name_length, const char *wanted, toc_number type, size_t components) {
    return components == 1 && toc_number_is_integer(type) && name_length == strlen(wanted) &&
           memcmp(name, wanted, name_length) == 0;
}

toc_status toc_vtk_take_labels(const toc_allocator *memory, toc_numbers numbers, toc_id_labels *to) {
    const size_t count = numbers.count;
    to->count = to->each.count = 0;
    const toc_status status = toc_array_reserve(memory, &to->each, count);
    if (status == TOC_OK) {
        toc_numbers_as_integers(&numbers, 0, count, to->each.at);
        to->count = to->each.count = count;
    }
    toc_numbers_free(memory, &numbers);
    return status;
}

toc_status toc_vtk_cells_finish(toc_mesh *mesh) {
    const size_t count = toc_mesh_get_vertex_count(mesh);
    if (mesh->velocities.count != 3 * count) mesh->velocities.count = 0; // the last pieces were without
    if (toc_mesh_get_element_count(mesh) > 0) return TOC_OK;
    uint32_t ids[RUN_ROOM];
    for (size_t i = 0; i < count; i += RUN_ROOM) {
        const size_t some = count - i < RUN_ROOM ? count - i : RUN_ROOM;
        for (size_t k = 0; k < some; k++) ids[k] = (uint32_t)(i + k);
        TOC_TRY(toc_mesh_add_elements(mesh, TOC_POINT, some, ids, NULL));
    }
    return TOC_OK;
}
