// SPDX-License-Identifier: Apache-2.0
// XDMF, versions 2 and 3, the files of FEniCS, FEniCSx and meshio: a document in XML, and numbers in it or in HDF5
// files beside it. Frames are the steps of a collection in time.
//
// Points that move are the motion. Where they stay as in the first step, the displacement is added to them. All steps
// have the cells of the first; a step with others is refused.
#include <math.h>
#include <stdio.h>

#include "base/platform/platform.h"
#include "io/core/format.h"
#include "io/core/solid.h"
#include "io/hdf5/hdf5.h"
#include "io/vtk/cells.h"
#include "io/xdmf/document.h"
#include "mesh/shape.h"

typedef struct xdmf {
    toc_allocator allocator;
    char *path;
    size_t path_size;
    toc_source source;
    bool is_open;
    toc_xdmf_document document;
    size_t points;
    double *rest; // of the first step, 3 for each point
    // The HDF5 file read last.
    char *data_path;
    size_t data_size;
    toc_source data;
    bool data_is_open;
    toc_hdf5 file;
} xdmf;

/// Numbers of an item, in rows.
typedef struct table {
    toc_numbers numbers;
    uint64_t rows, columns;
} table;

// ---- numbers

static void close_data(xdmf *x) {
    if (x->data_is_open) toc_source_close(&x->data);
    x->data_is_open = false;
    toc_free(&x->allocator, x->data_path, x->data_size, 1);
    x->data_path = NULL;
}

/// Open the HDF5 file that a text names, relative to the folder of the document; the file stays open for the next item.
static toc_status open_data(xdmf *x, toc_text name) {
    const char *slash = strrchr(x->path, '/');
    const size_t folder = slash && name.at[0] != '/' ? (size_t)(slash - x->path) + 1 : 0;
    const size_t size = folder + name.count + 1;
    if (x->data_path && x->data_size == size && memcmp(x->data_path + folder, name.at, name.count) == 0) return TOC_OK;
    close_data(x);
    x->data_path = toc_new(&x->allocator, size, 1);
    if (!x->data_path) return TOC_OUT_OF_MEMORY;
    x->data_size = size;
    memcpy(x->data_path, x->path, folder);
    memcpy(x->data_path + folder, name.at, name.count);
    toc_status status = toc_source_open_as_is(x->data_path, &x->allocator, &x->data);
    x->data_is_open = status == TOC_OK;
    if (status == TOC_OK) status = toc_hdf5_open(&x->data, &x->file);
    if (status != TOC_OK) close_data(x);
    return status;
}

static toc_status read_hdf(xdmf *x, const toc_xdmf_item *item, table *out) {
    const char *at = item->text, *end = item->end;
    while (at < end && (toc_is_blank(*at) || *at == '\n')) at++;
    while (end > at && (toc_is_blank(end[-1]) || end[-1] == '\n')) end--;
    const char *colon = end > at ? memchr(at, ':', (size_t)(end - at)) : NULL;
    char path[512] = {0};
    x->source.at = item->tag;
    if (!colon || colon == at || (size_t)(end - colon) > sizeof path)
        return toc_source_fail(&x->source, "FILE:PATH of an array in an HDF5 file was expected");
    memcpy(path, colon + 1, (size_t)(end - colon - 1));
    toc_status status = open_data(x, (toc_text){at, (size_t)(colon - at)});
    if (status != TOC_OK) {
        x->source.at = item->tag;
        if (status == TOC_BAD_INPUT) toc_source_fail(&x->source, "the numbers cannot be read: %s", toc_message_get());
        return status;
    }
    toc_hdf5_array array;
    uint64_t object;
    TOC_TRY(toc_hdf5_find(&x->file, x->file.root, path, &object));
    if (object == TOC_HDF5_NONE) return toc_source_fail(&x->source, "%s has no array %s", x->data_path, path);
    TOC_TRY(toc_hdf5_describe(&x->file, object, &array));
    out->rows = array.rank ? array.shape[0] : 1;
    out->columns = toc_hdf5_row_items(&array);
    return toc_hdf5_numbers(&x->file, &array, 0, out->rows, &out->numbers);
}

/// Numbers in the text end at a tag, whose first letter ends them like a 0 byte.
static toc_status xdmf_read_text(xdmf *x, const toc_xdmf_item *item, table *out) {
    toc_source text = x->source;
    uint64_t count = 1;
    bool fits = item->rank > 0;
    for (int k = 0; k < item->rank; k++) fits = fits && !__builtin_mul_overflow(count, item->shape[k], &count);
    text.at = item->tag;
    if (!fits || count > (uint64_t)(item->end - item->text))
        return toc_source_fail(&text, "more numbers are promised than the text has");
    out->rows = item->shape[0];
    out->columns = out->rows ? count / out->rows : 1;
    text.at = item->text;
    text.end = item->end;
    TOC_TRY(toc_numbers_scan(&text, item->type, (size_t)count, &out->numbers));
    if (!toc_source_skip_space(&text)) return TOC_OK;
    toc_numbers_free(&x->allocator, &out->numbers);
    return toc_source_fail(&text, "there are more than the %llu numbers of the dimensions", (unsigned long long)count);
}

/// Free the numbers. They may be a view of the HDF5 file, which the next item may close.
static toc_status read_table(xdmf *x, const toc_xdmf_item *item, table *out) {
    *out = (table){.rows = 0};
    return item->format == TOC_XDMF_HDF ? read_hdf(x, item, out) : xdmf_read_text(x, item, out);
}

static toc_status xdmf_fail_at(xdmf *x, const char *at, const char *what) {
    x->source.at = at;
    return toc_source_fail(&x->source, "%s", what);
}

/// Three numbers for each point; the third may be missing, and is 0 then.
static toc_status read_vectors(xdmf *x, const toc_xdmf_item *item, double *to) {
    table t;
    TOC_TRY(read_table(x, item, &t));
    uint64_t columns = t.columns;
    if (t.rows == x->points * columns || t.rows == x->points * 3) { // in one line
        columns = t.rows / x->points * t.columns;
        t.rows = x->points;
    }
    const bool fits = t.rows == x->points && (columns == 2 || columns == 3) && t.numbers.count == t.rows * columns;
    for (size_t i = 0; fits && i < x->points; i++) {
        to[3 * i + 2] = 0;
        toc_numbers_as_doubles(&t.numbers, columns * i, columns, to + 3 * i);
    }
    toc_numbers_free(&x->allocator, &t.numbers);
    return fits ? TOC_OK : xdmf_fail_at(x, item->tag, "these are not two or three numbers for each point");
}

static toc_status xdmf_count_points(xdmf *x) {
    const toc_xdmf_frame *f = &x->document.frames.at[0];
    table t;
    TOC_TRY(read_table(x, &f->points, &t));
    const uint64_t columns = f->is_flat ? 2 : 3, count = t.numbers.count;
    toc_numbers_free(&x->allocator, &t.numbers);
    if (count == 0 || count % columns || count / columns > UINT32_MAX)
        return xdmf_fail_at(x, f->points.tag, "these are not the coordinates of points");
    x->points = count / columns;
    x->rest = toc_new(&x->allocator, 3 * x->points, sizeof *x->rest);
    return x->rest ? read_vectors(x, &f->points, x->rest) : TOC_OUT_OF_MEMORY;
}

// ---- cells

/// The shape of VTK's cell number; polygons go by their corners.
static toc_shape xdmf_shape_of(uint8_t type, uint64_t nodes) {
    static const uint8_t shapes[35] = {
        [2] = TOC_POINT, [4] = TOC_EDGE,   [5] = TOC_TRIANGLE, [9] = TOC_QUAD,   [10] = TOC_TET,
        [12] = TOC_HEX,  [13] = TOC_WEDGE, [14] = TOC_PYRAMID, [21] = TOC_EDGE,  [22] = TOC_TRIANGLE,
        [23] = TOC_QUAD, [24] = TOC_TET,   [25] = TOC_HEX,     [26] = TOC_WEDGE, [27] = TOC_PYRAMID,
        [28] = TOC_QUAD, [29] = TOC_HEX,   [32] = TOC_WEDGE,   [33] = TOC_HEX};
    if (type == 7) return nodes == 3 ? TOC_TRIANGLE : nodes == 4 ? TOC_QUAD : TOC_REMOVED;
    return (toc_shape)shapes[type];
}

typedef struct cell_builder {
    xdmf *x;
    toc_mesh *mesh;
    toc_mesh_parts *parts;
    const toc_xdmf_cells *cells;
    table groups;
    uint64_t at; // the cell
    TOC_ARRAY(uint32_t) corners;
} cell_builder;

static toc_status put_cell(cell_builder *b, toc_shape shape, const uint32_t *corners) {
    int64_t group = 0;
    if (b->groups.numbers.count > 0) {
        if (b->at >= b->groups.numbers.count)
            return xdmf_fail_at(b->x, b->cells->tag, "there are more cells than groups");
        toc_numbers_as_integers(&b->groups.numbers, b->at, 1, &group);
    }
    if (group < INT32_MIN || group > INT32_MAX) return xdmf_fail_at(b->x, b->cells->tag, "a group has 32 bits");
    return toc_parts_add(b->parts, &b->x->allocator, shape, corners, (int32_t)group);
}

/// The elements of a cell: one, or as many as its polyline, its points or its polygon give.
static toc_status add_xdmf_cell(cell_builder *b, uint8_t type, const uint32_t *nodes, uint64_t count) {
    const toc_shape shape = xdmf_shape_of(type, count);
    if (type == 2) {
        for (uint64_t i = 0; i < count; i++) TOC_TRY(put_cell(b, TOC_POINT, nodes + i));
    } else if (type == 4) {
        for (uint64_t i = 0; i + 1 < count; i++) TOC_TRY(put_cell(b, TOC_EDGE, nodes + i));
    } else if (shape == TOC_REMOVED) {
        for (uint64_t i = 1; i + 1 < count; i++)
            TOC_TRY(put_cell(b, TOC_TRIANGLE, (uint32_t[]){nodes[0], nodes[i], nodes[i + 1]}));
    } else {
        if (count < (uint64_t)toc_shape_count_corners(shape))
            return xdmf_fail_at(b->x, b->cells->tag, "a cell has fewer nodes than corners");
        b->mesh->higher_order += count > (uint64_t)toc_shape_count_corners(shape);
        TOC_TRY(put_cell(b, shape, nodes));
    }
    b->at++;
    return TOC_OK;
}

static toc_status xdmf_take_nodes(cell_builder *b, toc_cursor *cursor, uint64_t count) {
    if (count > toc_cursor_left(cursor)) return xdmf_fail_at(b->x, b->cells->tag, "the last cell is cut");
    TOC_TRY(toc_array_reserve(&b->x->allocator, &b->corners, count));
    for (uint64_t i = 0; i < count; i++) {
        const int64_t node = toc_cursor_next(cursor);
        if (node < 0 || (uint64_t)node >= b->x->points)
            return toc_source_fail(&b->x->source, "cell %llu: there is no point %lld, only %zu points",
                                   (unsigned long long)b->at, (long long)node, b->x->points);
        b->corners.at[i] = (uint32_t)node;
    }
    return TOC_OK;
}

/// A list of mixed cells: the number of a type, the count of nodes where it is not given by the type, and the nodes.
static toc_status take_mixed(cell_builder *b, toc_cursor *cursor) {
    uint8_t type;
    uint64_t count;
    const int64_t number = toc_cursor_next(cursor);
    if (!toc_xdmf_mixed(number, &type, &count))
        return toc_source_fail(&b->x->source, "cell %llu: cells of type %lld are not read", (unsigned long long)b->at,
                               (long long)number);
    if (count == 0) {
        if (toc_cursor_left(cursor) == 0) return xdmf_fail_at(b->x, b->cells->tag, "the last cell is cut");
        const int64_t given = toc_cursor_next(cursor);
        if (given < 1) return xdmf_fail_at(b->x, b->cells->tag, "a cell has no nodes");
        count = (uint64_t)given;
    }
    TOC_TRY(xdmf_take_nodes(b, cursor, count));
    return add_xdmf_cell(b, type, b->corners.at, count);
}

static toc_status take_cells(cell_builder *b, const table *t) {
    toc_cursor *cursor = toc_new(&b->x->allocator, 1, sizeof *cursor);
    if (!cursor) return TOC_OUT_OF_MEMORY;
    toc_cursor_begin(cursor, &t->numbers);
    const uint64_t nodes = b->cells->nodes ? b->cells->nodes : t->columns;
    toc_status status = TOC_OK;
    b->x->source.at = b->cells->tag;
    while (status == TOC_OK && toc_cursor_left(cursor) > 0) {
        if (b->cells->type == 0) {
            status = take_mixed(b, cursor);
            continue;
        }
        status = xdmf_take_nodes(b, cursor, nodes);
        if (status == TOC_OK) status = add_xdmf_cell(b, b->cells->type, b->corners.at, nodes);
    }
    toc_free(&b->x->allocator, cursor, 1, sizeof *cursor);
    return status;
}

static toc_status xdmf_read_cells(cell_builder *b) {
    table t;
    TOC_TRY(read_table(b->x, &b->cells->numbers, &t));
    toc_status status = toc_number_is_integer(t.numbers.type)
                            ? TOC_OK
                            : xdmf_fail_at(b->x, b->cells->tag, "the nodes of cells are not integers");
    if (status == TOC_OK) status = take_cells(b, &t);
    toc_numbers_free(&b->x->allocator, &t.numbers);
    return status;
}

/// Groups as integers of their own, since the file of the cells may be another one.
static toc_status read_groups(cell_builder *b, const toc_xdmf_item *item) {
    table t;
    if (!item->tag) return TOC_OK;
    TOC_TRY(read_table(b->x, item, &t));
    b->groups = t;
    if (t.numbers.block || t.numbers.count == 0) return TOC_OK;
    const size_t size = t.numbers.count * toc_number_size(t.numbers.type);
    b->groups.numbers.block = toc_new(&b->x->allocator, size, 1);
    if (!b->groups.numbers.block) return TOC_OUT_OF_MEMORY;
    b->groups.numbers.block_size = size;
    memcpy(b->groups.numbers.block, t.numbers.bytes, size);
    b->groups.numbers.bytes = b->groups.numbers.block;
    return TOC_OK;
}

static toc_status xdmf_read_positions(void *frames, size_t frame, double *x);

static toc_status build_xdmf(cell_builder *b, toc_mesh_parts *parts) {
    xdmf *x = b->x;
    TOC_TRY(toc_array_reserve(&x->allocator, &parts->positions, 3 * x->points));
    TOC_TRY(xdmf_read_positions(x, 0, parts->positions.at));
    parts->positions.count = 3 * x->points;
    TOC_TRY(read_groups(b, &x->document.frames.at[0].group));
    TOC_TRY(xdmf_read_cells(b));
    return toc_mesh_adopt(b->mesh, parts);
}

static toc_status xdmf_read_first(void *frames, toc_mesh *mesh) {
    toc_mesh_parts parts = {.positions = {0}};
    cell_builder b = {.x = frames, .mesh = mesh, .parts = &parts};
    b.cells = &b.x->document.frames.at[0].cells;
    const toc_status status = build_xdmf(&b, &parts);
    toc_numbers_free(&b.x->allocator, &b.groups.numbers);
    toc_array_free(&b.x->allocator, &b.corners);
    toc_parts_free(&parts, &b.x->allocator);
    return status;
}

// ---- frames

/// The text of an item tells whether it is that of the first step; else its numbers do.
static bool same_text(const toc_xdmf_item *a, const toc_xdmf_item *b) {
    const size_t length = (size_t)(a->end - a->text);
    return a->text == b->text || (length == (size_t)(b->end - b->text) && memcmp(a->text, b->text, length) == 0);
}

static toc_status own_integers(xdmf *x, const toc_xdmf_item *item, int64_t **out, size_t *count) {
    table t;
    TOC_TRY(read_table(x, item, &t));
    *count = t.numbers.count;
    *out = toc_new(&x->allocator, *count + 1, sizeof **out);
    if (*out) toc_numbers_as_integers(&t.numbers, 0, *count, *out);
    toc_numbers_free(&x->allocator, &t.numbers);
    return *out ? TOC_OK : TOC_OUT_OF_MEMORY;
}

static toc_status check_cells(xdmf *x, size_t frame) {
    const toc_xdmf_cells *first = &x->document.frames.at[0].cells, *own = &x->document.frames.at[frame].cells;
    int64_t *a = NULL, *b = NULL;
    size_t count = 0, other = 0;
    if (same_text(&first->numbers, &own->numbers)) return TOC_OK;
    toc_status status = own_integers(x, &first->numbers, &a, &count);
    if (status == TOC_OK) status = own_integers(x, &own->numbers, &b, &other);
    const bool same =
        status == TOC_OK && count == other && first->type == own->type && memcmp(a, b, count * sizeof *a) == 0;
    if (a) toc_free(&x->allocator, a, count + 1, sizeof *a);
    if (b) toc_free(&x->allocator, b, other + 1, sizeof *b);
    if (status != TOC_OK || same) return status;
    return xdmf_fail_at(x, own->tag, "this step has other cells than the first: give the steps as files of their own");
}

static toc_status add_displacement(xdmf *x, const toc_xdmf_item *item, double *to) {
    double *u = toc_new(&x->allocator, 3 * x->points, sizeof *u);
    if (!u) return TOC_OUT_OF_MEMORY;
    const toc_status status = read_vectors(x, item, u);
    for (size_t i = 0; i < 3 * x->points && status == TOC_OK; i++) to[i] += u[i];
    toc_free(&x->allocator, u, 3 * x->points, sizeof *u);
    return status;
}

static toc_status xdmf_read_positions(void *frames, size_t frame, double *to) {
    xdmf *x = frames;
    const toc_xdmf_frame *f = &x->document.frames.at[frame];
    TOC_TRY(check_cells(x, frame));
    memcpy(to, x->rest, 3 * x->points * sizeof *to);
    bool stays = same_text(&x->document.frames.at[0].points, &f->points);
    if (!stays) {
        TOC_TRY(read_vectors(x, &f->points, to));
        stays = memcmp(to, x->rest, 3 * x->points * sizeof *to) == 0;
    }
    if (stays && f->displacement.tag) TOC_TRY(add_displacement(x, &f->displacement, to));
    for (size_t i = 0; i < 3 * x->points; i++)
        if (!isfinite(to[i])) return xdmf_fail_at(x, f->points.tag, "a coordinate is not finite");
    return toc_source_is_settled(&x->source);
}

static toc_status xdmf_read_velocities(void *frames, size_t frame, double *v, bool *known) {
    xdmf *x = frames;
    const toc_xdmf_frame *f = &x->document.frames.at[frame];
    *known = f->velocity.tag != NULL;
    return *known ? read_vectors(x, &f->velocity, v) : TOC_OK;
}

static size_t xdmf_count(const void *frames) { return ((const xdmf *)frames)->document.frames.count; }

static double xdmf_time(const void *frames, size_t frame) {
    return ((const xdmf *)frames)->document.frames.at[frame].time;
}

static void close_xdmf(void *frames) {
    xdmf *x = frames;
    const toc_allocator memory = x->allocator;
    close_data(x);
    toc_array_free(&memory, &x->document.frames);
    if (x->is_open) toc_source_close(&x->source);
    toc_free(&memory, x->rest, 3 * x->points, sizeof *x->rest);
    toc_free(&memory, x->path, x->path_size, 1);
    toc_free(&memory, x, 1, sizeof *x);
}

static toc_status xdmf_open_file(xdmf *x, const char *path) {
    x->path_size = strlen(path) + 1;
    x->path = toc_new(&x->allocator, x->path_size, 1);
    if (!x->path) return TOC_OUT_OF_MEMORY;
    memcpy(x->path, path, x->path_size);
    TOC_TRY(toc_source_open(x->path, &x->allocator, &x->source));
    x->is_open = true;
    if (toc_source_left(&x->source) == 0) return toc_fail(TOC_BAD_INPUT, "%s: is empty", x->path);
    TOC_TRY(toc_xdmf_parse(&x->source, &x->document));
    return xdmf_count_points(x);
}

static toc_status open_xdmf(const char *path, const toc_frame_wish *wish, const toc_allocator *allocator,
                            void **frames) {
    (void)wish;
    const toc_allocator memory = toc_allocator_or_default(allocator);
    xdmf *x = toc_new(&memory, 1, sizeof *x);
    if (!x) return TOC_OUT_OF_MEMORY;
    x->allocator = memory;
    const toc_status status = xdmf_open_file(x, path);
    if (status == TOC_OK)
        *frames = x;
    else
        close_xdmf(x);
    return status;
}

/// The root element is near the beginning, behind a declaration and the type of the document.
static bool xdmf_recognise(const toc_source *source) {
    static const char tag[] = "<Xdmf";
    const size_t size = (size_t)(source->end - source->begin);
    return toc_bytes_find(source->begin, size < 1024 ? size : 1024, tag, sizeof tag - 1) != NULL;
}

static const toc_frame_methods xdmf_methods = {
    .unpacks = true,
    .open = open_xdmf,
    .close = close_xdmf,
    .count = xdmf_count,
    .time = xdmf_time,
    .first = xdmf_read_first,
    .positions = xdmf_read_positions,
    .velocities = xdmf_read_velocities,
};

const toc_format toc_format_xdmf = {
    .info = {.name = "xdmf",
             .extensions = ".xdmf .xmf",
             .what = "grids in steps, with numbers in HDF5 files beside it"},
    .recognise = xdmf_recognise,
    .frames = &xdmf_methods,
};
