// SPDX-License-Identifier: Apache-2.0
// VTKHDF, the files of VTK and ParaView in HDF5: UnstructuredGrid and PolyData, of one step or many, in one part or
// many. After "VTKHDF file format", versions 1 and 2.
//
// The parts of a step follow each other in every array. Points of several parts are joined by their global ids, where
// all parts have them. All steps have the cells of the first; a step with others is refused. A step is read on request.
#include <assert.h>
#include <math.h>

#include "base/platform/platform.h"
#include "io/core/fields.h"
#include "io/core/join.h"
#include "io/hdf5/hdf5.h"
#include "io/vtk/cells.h"

enum { SECTIONS = 4, ALONG = 2048 };

/// Cells of one kind: all of an UnstructuredGrid, or the polygons of PolyData.
typedef struct kind {
    uint64_t group;
    uint8_t type;                      // of VTK, or 0 if each cell has its own
    TOC_ARRAY(int64_t) cells, corners; // by part
    toc_hdf5_array offsets, connectivity;
} kind;

typedef struct vtkhdf_step {
    int64_t part, parts, point;
    int64_t cell[SECTIONS], corner[SECTIONS];
} vtkhdf_step;

typedef struct vtkhdf {
    toc_allocator allocator;
    char *path;
    size_t path_size;
    toc_source source;
    bool is_open, joined;
    toc_hdf5 file;
    uint64_t root, steps, point_data, cell_data, point_shifts, cell_shifts; // groups, TOC_HDF5_NONE for none
    toc_hdf5_array points, types;
    TOC_ARRAY(int64_t) part_points;
    int kind_count;
    kind kinds[SECTIONS];
    TOC_ARRAY(vtkhdf_step) each;
    TOC_ARRAY(double) times;
    toc_join join;
} vtkhdf;

static toc_status vtkhdf_fail(vtkhdf *v, const char *what) {
    v->source.at = v->source.begin;
    return toc_source_fail_byte(&v->source, "%s", what);
}

// ---- arrays by their names

static toc_status find_array(vtkhdf *v, uint64_t group, const char *name, toc_hdf5_array *out, bool *found) {
    uint64_t object = TOC_HDF5_NONE;
    if (group != TOC_HDF5_NONE) TOC_TRY(toc_hdf5_find(&v->file, group, name, &object));
    *found = object != TOC_HDF5_NONE;
    return *found ? toc_hdf5_describe(&v->file, object, out) : TOC_OK;
}

static toc_status need_dataset(vtkhdf *v, uint64_t group, const char *name, toc_hdf5_array *out) {
    bool found;
    TOC_TRY(find_array(v, group, name, out, &found));
    if (found) return TOC_OK;
    v->source.at = v->source.begin;
    return toc_source_fail_byte(&v->source, "the array %s of a VTKHDF file is missing", name);
}

typedef TOC_ARRAY(int64_t) integers;

/// All integers of an array.
static toc_status take_integers(vtkhdf *v, uint64_t group, const char *name, void *array) {
    integers *out = array;
    toc_hdf5_array of;
    TOC_TRY(need_dataset(v, group, name, &of));
    const uint64_t rows = of.rank ? of.shape[0] : 1, count = rows * toc_hdf5_row_items(&of);
    TOC_TRY(toc_array_reserve(&v->allocator, out, count));
    TOC_TRY(toc_hdf5_integers(&v->file, &of, 0, rows, toc_hdf5_row_items(&of), out->at));
    out->count = count;
    for (size_t i = 0; i < count; i++)
        if (out->at[i] < 0 || out->at[i] > UINT32_MAX) return vtkhdf_fail(v, "a count or an offset cannot be");
    return TOC_OK;
}

// ---- opening

/// A text of a fixed length; false where there is none.
static toc_status read_type(vtkhdf *v, char type[32]) {
    toc_hdf5_array of;
    bool found;
    memset(type, 0, 32);
    TOC_TRY(toc_hdf5_attribute(&v->file, v->root, "Type", &of, &found));
    if (!found || !of.is_text || of.rank > 0 || of.item >= 32)
        return vtkhdf_fail(v, "the type of a VTKHDF file is missing: it is a text of a fixed length");
    return toc_hdf5_row_bytes(&v->file, &of, 0, type);
}

static toc_status open_kind(vtkhdf *v, const char *name, uint8_t type) {
    assert(v->kind_count < SECTIONS);
    kind *k = &v->kinds[v->kind_count++];
    k->type = type;
    k->group = v->root;
    if (name) TOC_TRY(toc_hdf5_find(&v->file, v->root, name, &k->group));
    TOC_TRY(take_integers(v, k->group, "NumberOfCells", &k->cells));
    TOC_TRY(take_integers(v, k->group, "NumberOfConnectivityIds", &k->corners));
    TOC_TRY(need_dataset(v, k->group, "Offsets", &k->offsets));
    TOC_TRY(need_dataset(v, k->group, "Connectivity", &k->connectivity));
    if (k->cells.count == v->part_points.count && k->corners.count == v->part_points.count) return TOC_OK;
    return vtkhdf_fail(v, "the parts of a VTKHDF file differ in number from array to array");
}

static toc_status open_cells(vtkhdf *v) {
    static const char *const names[] = {"Vertices", "Lines", "Polygons", "Strips"};
    static const uint8_t kinds[] = {TOC_CELL_POINTS, TOC_CELL_LINES, TOC_CELL_POLYGON, TOC_CELL_STRIP};
    char type[32];
    TOC_TRY(read_type(v, type));
    TOC_TRY(take_integers(v, v->root, "NumberOfPoints", &v->part_points));
    TOC_TRY(need_dataset(v, v->root, "Points", &v->points));
    if (v->points.rank != 2 || v->points.shape[1] != 3) return vtkhdf_fail(v, "points have three components");
    if (strcmp(type, "UnstructuredGrid") == 0) {
        TOC_TRY(need_dataset(v, v->root, "Types", &v->types));
        return open_kind(v, NULL, 0);
    }
    if (strcmp(type, "PolyData") != 0)
        return toc_fail(TOC_BAD_INPUT,
                        "%s: byte 0: VTKHDF of the type \"%s\" is not read; UnstructuredGrid and "
                        "PolyData are",
                        v->path, type);
    for (int i = 0; i < SECTIONS; i++) TOC_TRY(open_kind(v, names[i], kinds[i]));
    return TOC_OK;
}

/// The offsets of a step in each section: one number for all, or one for each.
static toc_status set_offsets(vtkhdf *v, const char *name, size_t place) {
    integers all = {0};
    toc_status status = take_integers(v, v->steps, name, &all);
    const size_t steps = v->each.count, each = steps ? all.count / steps : 0;
    if (status == TOC_OK && (each * steps != all.count || each == 0 || each > SECTIONS))
        status = vtkhdf_fail(v, "the offsets of steps differ in number from the steps");
    for (size_t i = 0; i < steps && status == TOC_OK; i++) {
        int64_t *to = (int64_t *)((char *)&v->each.at[i] + place);
        for (size_t k = 0; k < each; k++) to[k] = all.at[i * each + k];
    }
    toc_array_free(&v->allocator, &all);
    return status;
}

static toc_status read_steps(vtkhdf *v) {
    toc_hdf5_array of;
    bool found;
    TOC_TRY(need_dataset(v, v->steps, "Values", &of));
    const uint64_t count = of.rank ? of.shape[0] : 0;
    if (count == 0 || toc_hdf5_row_items(&of) != 1) return vtkhdf_fail(v, "a VTKHDF file has no steps");
    TOC_TRY(toc_array_reserve(&v->allocator, &v->times, count));
    TOC_TRY(toc_array_reserve(&v->allocator, &v->each, count));
    TOC_TRY(toc_hdf5_doubles(&v->file, &of, 0, count, 1, v->times.at));
    v->times.count = v->each.count = count;
    for (size_t i = 0; i < count; i++) {
        v->each.at[i] = (vtkhdf_step){.parts = (int64_t)v->part_points.count};
        if (!isfinite(v->times.at[i])) return vtkhdf_fail(v, "the time of a step is no number");
    }
    TOC_TRY(set_offsets(v, "PartOffsets", offsetof(vtkhdf_step, part)));
    TOC_TRY(set_offsets(v, "PointOffsets", offsetof(vtkhdf_step, point)));
    TOC_TRY(set_offsets(v, "CellOffsets", offsetof(vtkhdf_step, cell)));
    TOC_TRY(set_offsets(v, "ConnectivityIdOffsets", offsetof(vtkhdf_step, corner)));
    TOC_TRY(find_array(v, v->steps, "NumberOfParts", &of, &found));
    if (found) return set_offsets(v, "NumberOfParts", offsetof(vtkhdf_step, parts));
    for (size_t i = 0; i < count; i++) { // as many as there are up to the next step with others
        vtkhdf_step *s = &v->each.at[i];
        int64_t end = (int64_t)v->part_points.count;
        for (size_t k = 0; k < count; k++)
            if (v->each.at[k].part > s->part && v->each.at[k].part < end) end = v->each.at[k].part;
        s->parts = end - s->part;
    }
    return TOC_OK;
}

static toc_status check_steps(vtkhdf *v) {
    for (size_t i = 0; i < v->each.count; i++) {
        const vtkhdf_step *s = &v->each.at[i];
        if (s->parts < 1 || s->part + s->parts > (int64_t)v->part_points.count)
            return vtkhdf_fail(v, "a step has parts that the file has not");
    }
    return TOC_OK;
}

static toc_status vtkhdf_open_file(vtkhdf *v, const char *path) {
    v->path_size = strlen(path) + 1;
    v->path = toc_new(&v->allocator, v->path_size, 1);
    if (!v->path) return TOC_OUT_OF_MEMORY;
    memcpy(v->path, path, v->path_size);
    TOC_TRY(toc_source_open_as_is(v->path, &v->allocator, &v->source));
    v->is_open = true;
    TOC_TRY(toc_hdf5_open(&v->source, &v->file));
    TOC_TRY(toc_hdf5_find(&v->file, v->file.root, "VTKHDF", &v->root));
    if (v->root == TOC_HDF5_NONE) return vtkhdf_fail(v, "the group VTKHDF is missing: it is another HDF5 file");
    TOC_TRY(open_cells(v));
    TOC_TRY(toc_hdf5_find(&v->file, v->root, "Steps", &v->steps));
    TOC_TRY(toc_hdf5_find(&v->file, v->root, "PointData", &v->point_data));
    TOC_TRY(toc_hdf5_find(&v->file, v->root, "CellData", &v->cell_data));
    v->point_shifts = v->cell_shifts = TOC_HDF5_NONE;
    if (v->steps == TOC_HDF5_NONE) {
        TOC_TRY(toc_array_reserve(&v->allocator, &v->each, 1));
        v->each.at[v->each.count++] = (vtkhdf_step){.parts = (int64_t)v->part_points.count};
        return check_steps(v);
    }
    TOC_TRY(toc_hdf5_find(&v->file, v->steps, "PointDataOffsets", &v->point_shifts));
    TOC_TRY(toc_hdf5_find(&v->file, v->steps, "CellDataOffsets", &v->cell_shifts));
    TOC_TRY(read_steps(v));
    return check_steps(v);
}

static void close_vtkhdf(void *frames) {
    vtkhdf *v = frames;
    const toc_allocator memory = v->allocator;
    toc_join_free(&v->join);
    for (int i = 0; i < SECTIONS; i++) {
        toc_array_free(&memory, &v->kinds[i].cells);
        toc_array_free(&memory, &v->kinds[i].corners);
    }
    toc_array_free(&memory, &v->part_points);
    toc_array_free(&memory, &v->each);
    toc_array_free(&memory, &v->times);
    if (v->is_open) toc_source_close(&v->source);
    toc_free(&memory, v->path, v->path_size, 1);
    toc_free(&memory, v, 1, sizeof *v);
}

static toc_status open_vtkhdf(const char *path, const toc_frame_wish *wish, const toc_allocator *allocator,
                              void **frames) {
    (void)wish;
    const toc_allocator memory = toc_allocator_or_default(allocator);
    vtkhdf *v = toc_new(&memory, 1, sizeof *v);
    if (!v) return TOC_OUT_OF_MEMORY;
    v->allocator = memory;
    v->join = (toc_join){.memory = memory, .vertices = "points", .elements = "cells", .label = "global id"};
    const toc_status status = vtkhdf_open_file(v, path);
    if (status == TOC_OK)
        *frames = v;
    else
        close_vtkhdf(v);
    return status;
}

// ---- data of points and cells

/// An array of a group that `wanted` accepts.
typedef struct data_search {
    vtkhdf *v;
    bool (*wanted)(const char *name, size_t length, const toc_hdf5_array *array);
    toc_text name;
    uint64_t object;
} data_search;

static toc_status match_data(void *user, toc_text name, uint64_t object) {
    data_search *d = user;
    toc_hdf5_array array;
    if (d->object != TOC_HDF5_NONE || object == TOC_HDF5_NONE) return TOC_OK;
    // Data of other types do not concern the mesh.
    if (toc_hdf5_describe(&d->v->file, object, &array) != TOC_OK || !d->wanted(name.at, name.count, &array))
        return TOC_OK;
    d->name = name;
    d->object = object;
    return TOC_OK;
}

static size_t vtkhdf_components(const toc_hdf5_array *a) { return a->rank == 1 ? 1 : a->rank == 2 ? a->shape[1] : 0; }

static bool is_vtkhdf_group(const char *name, size_t length, const toc_hdf5_array *a) {
    return toc_vtk_cell_data_of(name, length, a->type, vtkhdf_components(a)) == TOC_CELL_GROUP;
}
static bool is_vtkhdf_material(const char *name, size_t length, const toc_hdf5_array *a) {
    return toc_vtk_cell_data_of(name, length, a->type, vtkhdf_components(a)) == TOC_CELL_MATERIAL;
}
static bool is_vtkhdf_thickness(const char *name, size_t length, const toc_hdf5_array *a) {
    return toc_vtk_cell_data_of(name, length, a->type, vtkhdf_components(a)) == TOC_CELL_THICKNESS;
}
static bool is_vtkhdf_velocity(const char *name, size_t length, const toc_hdf5_array *a) {
    return toc_vtk_is_velocity(name, length, vtkhdf_components(a)) && a->type != TOC_NUMBER_NONE;
}
static bool is_vtkhdf_ghost(const char *name, size_t length, const toc_hdf5_array *a) {
    return toc_vtk_is_label(name, length, "vtkGhostType", a->type, vtkhdf_components(a));
}
static bool is_vtkhdf_id(const char *name, size_t length, const toc_hdf5_array *a) {
    static const char *const names[] = {"GlobalNodeId", "GlobalPointIds", "GlobalNodeIds", "GlobalIds"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (toc_vtk_is_label(name, length, names[i], a->type, vtkhdf_components(a))) return true;
    return false;
}

/// The first row of data in a step: of its own, or that of the points or cells.
static toc_status find_first_row(vtkhdf *v, bool of_cells, size_t frame, toc_text label, uint64_t *first) {
    const uint64_t shifts = of_cells ? v->cell_shifts : v->point_shifts;
    assert(frame < v->each.count);
    const vtkhdf_step *s = &v->each.at[frame];
    char name[64];
    toc_hdf5_array own;
    bool has;
    int64_t shift = 0;
    *first = of_cells ? 0 : (uint64_t)s->point;
    for (int k = 0; of_cells && k < v->kind_count; k++) *first += (uint64_t)s->cell[k];
    if (shifts == TOC_HDF5_NONE || label.count >= sizeof name) return TOC_OK;
    memcpy(name, label.at, label.count);
    name[label.count] = 0;
    TOC_TRY(find_array(v, shifts, name, &own, &has));
    if (!has) return TOC_OK;
    TOC_TRY(toc_hdf5_integers(&v->file, &own, frame, 1, 1, &shift));
    if (shift < 0) return vtkhdf_fail(v, "the offsets of data cannot be");
    *first = (uint64_t)shift;
    return TOC_OK;
}

/// Find data, and its first row in a step.
static toc_status find_data(vtkhdf *v, bool of_cells, size_t frame,
                            bool (*wanted)(const char *, size_t, const toc_hdf5_array *), toc_hdf5_array *out,
                            uint64_t *first, bool *found) {
    const uint64_t group = of_cells ? v->cell_data : v->point_data;
    data_search d = {.v = v, .wanted = wanted, .object = TOC_HDF5_NONE};
    if (group != TOC_HDF5_NONE) TOC_TRY(toc_hdf5_list(&v->file, group, match_data, &d));
    *found = d.object != TOC_HDF5_NONE;
    if (!*found) return TOC_OK;
    TOC_TRY(toc_hdf5_describe(&v->file, d.object, out));
    return find_first_row(v, of_cells, frame, d.name, first);
}

// ---- the mesh of a step

static int64_t sum_before(const int64_t *of_part, const vtkhdf_step *s, int64_t part) {
    int64_t sum = 0;
    assert(part <= s->parts && s->part >= 0);
    for (int64_t i = 0; i < part; i++) sum += of_part[s->part + i];
    return sum;
}

static size_t vtkhdf_count_points(const vtkhdf *v, const vtkhdf_step *s) {
    return (size_t)sum_before(v->part_points.at, s, s->parts);
}

/// Where the arrays of a part begin, and how many rows it has of them.
typedef struct part_rows {
    uint64_t offset, cells, corner, corners;
} part_rows;

static part_rows rows_of(const vtkhdf *v, int k, const vtkhdf_step *s, int64_t part) {
    const kind *of = &v->kinds[k];
    const int64_t cell = s->cell[k] + sum_before(of->cells.at, s, part);
    return (part_rows){.offset = (uint64_t)(cell + s->part + part),
                       .cells = (uint64_t)of->cells.at[s->part + part],
                       .corner = (uint64_t)(s->corner[k] + sum_before(of->corners.at, s, part)),
                       .corners = (uint64_t)of->corners.at[s->part + part]};
}

static toc_status vtkhdf_add_section(vtkhdf *v, toc_vtk_cells *cells, int k, const vtkhdf_step *s, int64_t part) {
    const part_rows rows = rows_of(v, k, s, part);
    toc_vtk_cell_section section = {.at = v->source.begin, .count = rows.cells, .type = v->kinds[k].type};
    if (rows.cells == 0) return TOC_OK;
    TOC_TRY(toc_hdf5_numbers(&v->file, &v->kinds[k].offsets, rows.offset, rows.cells + 1, &section.offsets));
    const toc_status status =
        toc_hdf5_numbers(&v->file, &v->kinds[k].connectivity, rows.corner, rows.corners, &section.corners);
    if (status == TOC_OK) return toc_vtk_cells_add(cells, section);
    toc_numbers_free(&v->allocator, &section.offsets);
    return status;
}

static toc_status add_cell_data(vtkhdf *v, toc_vtk_cells *cells, size_t frame, uint64_t before,
                                bool (*wanted)(const char *, size_t, const toc_hdf5_array *), toc_vtk_cell_data what) {
    toc_hdf5_array array;
    toc_numbers values;
    uint64_t first;
    bool found;
    TOC_TRY(find_data(v, true, frame, wanted, &array, &first, &found));
    if (!found || cells->count == 0) return TOC_OK;
    TOC_TRY(toc_hdf5_numbers(&v->file, &array, first + before, cells->count, &values));
    return what == TOC_CELL_OTHER ? toc_vtk_cells_set_ghosts(cells, values, 1)
                                  : toc_vtk_cells_set_data(cells, what, values);
}

static toc_status vtkhdf_add_part(vtkhdf *v, toc_vtk_cells *cells, size_t frame, int64_t part, uint64_t before) {
    const vtkhdf_step *s = &v->each.at[frame];
    const uint64_t point = (uint64_t)(s->point + sum_before(v->part_points.at, s, part));
    toc_numbers numbers;
    TOC_TRY(toc_hdf5_numbers(&v->file, &v->points, point, (uint64_t)v->part_points.at[s->part + part], &numbers));
    TOC_TRY(toc_vtk_cells_add_points(cells, numbers));
    for (int k = 0; k < v->kind_count; k++) TOC_TRY(vtkhdf_add_section(v, cells, k, s, part));
    if (v->kinds[0].type == 0 && cells->count > 0) {
        const part_rows rows = rows_of(v, 0, s, part);
        TOC_TRY(toc_hdf5_numbers(&v->file, &v->types, rows.offset - (uint64_t)(s->part + part), rows.cells, &numbers));
        TOC_TRY(toc_vtk_cells_set_types(cells, numbers));
    }
    TOC_TRY(add_cell_data(v, cells, frame, before, is_vtkhdf_material, TOC_CELL_MATERIAL));
    TOC_TRY(add_cell_data(v, cells, frame, before, is_vtkhdf_group, TOC_CELL_GROUP));
    TOC_TRY(add_cell_data(v, cells, frame, before, is_vtkhdf_thickness, TOC_CELL_THICKNESS));
    TOC_TRY(add_cell_data(v, cells, frame, before, is_vtkhdf_ghost, TOC_CELL_OTHER));
    const char *at = v->source.begin;
    const toc_status status = toc_vtk_cells_build(cells, &at);
    return status == TOC_BAD_INPUT ? toc_fail_in(status, "%s: byte 0", v->path) : status;
}

static toc_status vtkhdf_read_part(vtkhdf *v, size_t frame, int64_t part, uint64_t *before, toc_mesh *mesh) {
    toc_vtk_cells cells = toc_vtk_cells_begin(&v->allocator, mesh);
    const toc_status status = vtkhdf_add_part(v, &cells, frame, part, *before);
    *before += cells.count;
    toc_vtk_cells_free(&cells);
    return status;
}

/// Read each part into a mesh of its own, with its global ids.
static toc_status vtkhdf_read_pieces(vtkhdf *v, size_t frame, const toc_hdf5_array *ids, uint64_t first) {
    const vtkhdf_step *s = &v->each.at[frame];
    uint64_t before = 0;
    TOC_TRY(toc_array_reserve(&v->allocator, &v->join.pieces, (size_t)s->parts));
    for (int64_t i = 0; i < s->parts; i++) {
        toc_mesh *mesh;
        toc_numbers labels;
        TOC_TRY(toc_mesh_create(&v->allocator, &mesh));
        v->join.pieces.at[v->join.pieces.count++] = (toc_join_piece){mesh, v->path};
        TOC_TRY(vtkhdf_read_part(v, frame, i, &before, mesh));
        const uint64_t points = (uint64_t)v->part_points.at[s->part + i];
        TOC_TRY(toc_hdf5_numbers(&v->file, ids, first, points, &labels));
        TOC_TRY(toc_vtk_take_labels(&mesh->allocator, labels, &mesh->vertex_labels));
        first += points;
    }
    return TOC_OK;
}

static toc_status vtkhdf_read_first(void *frames, toc_mesh *mesh) {
    vtkhdf *v = frames;
    const vtkhdf_step *s = &v->each.at[0];
    toc_hdf5_array ids;
    uint64_t first = 0, before = 0;
    bool found = false;
    if (s->parts > 1) TOC_TRY(find_data(v, false, 0, is_vtkhdf_id, &ids, &first, &found));
    v->joined = found;
    if (found) {
        toc_status status = vtkhdf_read_pieces(v, 0, &ids, first);
        if (status == TOC_OK) status = toc_join_pieces(&v->join, mesh);
        toc_join_drop(&v->join);
        return status == TOC_BAD_INPUT ? toc_fail_file(status, v->path) : status;
    }
    for (int64_t i = 0; i < s->parts; i++) TOC_TRY(vtkhdf_read_part(v, 0, i, &before, mesh));
    return toc_vtk_cells_finish(mesh);
}

// ---- frames

static size_t vtkhdf_count(const void *frames) { return ((const vtkhdf *)frames)->each.count; }

static double vtkhdf_time(const void *frames, size_t frame) {
    const vtkhdf *v = frames;
    return v->times.count ? v->times.at[frame] : 0;
}

/// Whether rows of an array are the same in two places.
static toc_status same_rows(vtkhdf *v, const toc_hdf5_array *array, uint64_t a, uint64_t b, uint64_t count,
                            bool *same) {
    int64_t left[ALONG], right[ALONG];
    if (a == b || toc_hdf5_row_items(array) != 1) return TOC_OK;
    for (uint64_t some; count > 0 && *same; a += some, b += some, count -= some) {
        some = count < ALONG ? count : ALONG;
        TOC_TRY(toc_hdf5_integers(&v->file, array, a, some, 1, left));
        TOC_TRY(toc_hdf5_integers(&v->file, array, b, some, 1, right));
        *same = memcmp(left, right, some * sizeof *left) == 0;
    }
    return TOC_OK;
}

static toc_status same_cells(vtkhdf *v, const vtkhdf_step *s, bool *same) {
    const vtkhdf_step *first = &v->each.at[0];
    *same = s->parts == first->parts;
    for (int64_t i = 0; i < s->parts && *same; i++) {
        *same = v->part_points.at[s->part + i] == v->part_points.at[first->part + i];
        for (int k = 0; k < v->kind_count && *same; k++) {
            const kind *of = &v->kinds[k];
            const part_rows a = rows_of(v, k, first, i), b = rows_of(v, k, s, i);
            *same = a.cells == b.cells && a.corners == b.corners;
            if (!*same || a.cells == 0) continue;
            TOC_TRY(same_rows(v, &of->offsets, a.offset, b.offset, a.cells + 1, same));
            TOC_TRY(same_rows(v, &of->connectivity, a.corner, b.corner, a.corners, same));
            if (of->type == 0)
                TOC_TRY(same_rows(v, &v->types, a.offset - (uint64_t)(first->part + i),
                                  b.offset - (uint64_t)(s->part + i), a.cells, same));
        }
    }
    return TOC_OK;
}

/// Rows of numbers for each point, put where the joined mesh has them.
static toc_status vtkhdf_put_rows(vtkhdf *v, const vtkhdf_step *s, const toc_hdf5_array *array, uint64_t first,
                                  double *x) {
    const uint64_t count = vtkhdf_count_points(v, s), each = vtkhdf_components(array);
    if (!v->joined) return toc_hdf5_doubles(&v->file, array, first, count, each, x);
    toc_numbers numbers;
    TOC_TRY(toc_hdf5_numbers(&v->file, array, first, count, &numbers));
    for (size_t i = 0; i < count; i++)
        toc_numbers_as_doubles(&numbers, each * i, each, x + each * (size_t)v->join.places.at[i]);
    toc_numbers_free(&v->allocator, &numbers);
    return TOC_OK;
}

static toc_status vtkhdf_read_positions(void *frames, size_t frame, double *x) {
    vtkhdf *v = frames;
    const vtkhdf_step *s = &v->each.at[frame];
    bool same = true;
    if (frame > 0) TOC_TRY(same_cells(v, s, &same));
    if (!same)
        return toc_fail(
            TOC_BAD_INPUT,
            "%s: byte 0: step %zu has other points or cells than step 0: save each step as a .vtu, and give "
            "the .pvd",
            v->path, frame);
    TOC_TRY(vtkhdf_put_rows(v, s, &v->points, (uint64_t)s->point, x));
    return toc_source_is_settled(&v->source);
}

static toc_status vtkhdf_read_velocities(void *frames, size_t frame, double *x, bool *known) {
    vtkhdf *v = frames;
    toc_hdf5_array array;
    uint64_t first;
    TOC_TRY(find_data(v, false, frame, is_vtkhdf_velocity, &array, &first, known));
    return *known ? vtkhdf_put_rows(v, &v->each.at[frame], &array, first, x) : TOC_OK;
}

// ---- fields

typedef struct field_search {
    vtkhdf *v;
    size_t frame;
    bool of_cells;
    toc_field_list *list;
} field_search;

/// Data that mean something for the mesh itself are no fields.
static bool is_used(bool of_cells, const char *name, size_t length, const toc_hdf5_array *a) {
    if (is_vtkhdf_ghost(name, length, a) || is_vtkhdf_id(name, length, a)) return true;
    return of_cells ? is_vtkhdf_group(name, length, a) || is_vtkhdf_material(name, length, a) ||
                          is_vtkhdf_thickness(name, length, a)
                    : is_vtkhdf_velocity(name, length, a);
}

static uint64_t count_joined(const vtkhdf *v) {
    uint64_t count = 0;
    for (size_t i = 0; i < v->join.places.count; i++)
        if (v->join.places.at[i] >= count) count = v->join.places.at[i] + (uint64_t)1;
    return count;
}

/// Data that cannot be read are left out.
static toc_status vtkhdf_take_field(void *user, toc_text name, uint64_t object) {
    const field_search *search = user;
    vtkhdf *v = search->v;
    const vtkhdf_step *s = &v->each.at[search->frame];
    toc_hdf5_array array;
    char text[256];
    uint64_t first, count = 0;
    double *values;
    if (object == TOC_HDF5_NONE || toc_hdf5_describe(&v->file, object, &array) != TOC_OK) return TOC_OK;
    const size_t each = vtkhdf_components(&array);
    if (array.type == TOC_NUMBER_NONE || (each != 1 && each != 3) || name.count == 0 || name.count >= sizeof text ||
        is_used(search->of_cells, name.at, name.count, &array))
        return TOC_OK;
    memcpy(text, name.at, name.count);
    text[name.count] = 0;
    for (int k = 0; search->of_cells && k < v->kind_count; k++)
        count += (uint64_t)sum_before(v->kinds[k].cells.at, s, s->parts);
    if (!search->of_cells) count = v->joined ? count_joined(v) : vtkhdf_count_points(v, s);
    const toc_field shape = {.of_elements = search->of_cells, .components = (uint32_t)each, .count = count};
    TOC_TRY(toc_fields_new(search->list, text, shape, &values));
    toc_status status = find_first_row(v, search->of_cells, search->frame, name, &first);
    if (status == TOC_OK)
        status = search->of_cells ? toc_hdf5_doubles(&v->file, &array, first, count, each, values)
                                  : vtkhdf_put_rows(v, s, &array, first, values);
    if (status == TOC_BAD_INPUT) search->list->fields.count--;
    return status == TOC_BAD_INPUT ? TOC_OK : status;
}

static toc_status vtkhdf_read_fields(void *frames, size_t frame, struct toc_field_list *list) {
    vtkhdf *v = frames;
    field_search search = {v, frame, false, list};
    toc_hdf5_array ids;
    uint64_t first;
    bool joins = false;
    // Parts of a single step were joined by another reader: the order of its points is not known here.
    if (v->each.at[frame].parts > 1) TOC_TRY(find_data(v, false, frame, is_vtkhdf_id, &ids, &first, &joins));
    if (joins && !v->joined) return TOC_OK;
    if (v->point_data != TOC_HDF5_NONE) TOC_TRY(toc_hdf5_list(&v->file, v->point_data, vtkhdf_take_field, &search));
    search.of_cells = true;
    if (v->cell_data != TOC_HDF5_NONE && !joins) // elements of joined parts are in another order
        TOC_TRY(toc_hdf5_list(&v->file, v->cell_data, vtkhdf_take_field, &search));
    return toc_source_is_settled(&v->source);
}

static bool vtkhdf_recognise(const toc_source *source) {
    static const char name[] = "VTKHDF";
    return toc_hdf5_is(source) &&
           toc_bytes_find(source->begin, (size_t)(source->end - source->begin), name, sizeof name) != NULL;
}

static const toc_frame_methods vtkhdf_methods = {
    .open = open_vtkhdf,
    .close = close_vtkhdf,
    .count = vtkhdf_count,
    .time = vtkhdf_time,
    .first = vtkhdf_read_first,
    .positions = vtkhdf_read_positions,
    .velocities = vtkhdf_read_velocities,
    .fields = vtkhdf_read_fields,
};

const toc_format toc_format_vtkhdf = {
    .info = {.name = "vtkhdf", .extensions = ".vtkhdf .hdf", .what = "VTK in HDF5, static and with steps, in parts"},
    .recognise = vtkhdf_recognise,
    .frames = &vtkhdf_methods,
};
