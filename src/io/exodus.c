// SPDX-License-Identifier: Apache-2.0
// Exodus II, the files of Sandia's codes, MOOSE and Cubit, read by Sandia's own library: element blocks as groups with
// their names, coordinates, and displacements as time steps.
//
// The library drags netCDF, HDF5 and MPI along, so it is loaded when the first such file is opened and not before; the
// rest does without. A time step is read when it is asked for. Counts are held against the size of the file before
// memory is asked for.
#include "io/format.h"
#include "io/netcdf.h"
#include "io/solid.h"
#include "mesh/shape.h"

#ifdef TOC_EXODUS_LIBRARY
#include <dlfcn.h>
#include <exodusII.h>
#include <math.h>
#include <stdio.h>
#include <strings.h>
#include <sys/stat.h>

// What is used of the library.
#define FOR_EACH_CALL(CALL)      \
    CALL(ex_opts);               \
    CALL(ex_open_int);           \
    CALL(ex_close);              \
    CALL(ex_get_init);           \
    CALL(ex_get_coord);          \
    CALL(ex_get_ids);            \
    CALL(ex_get_block);          \
    CALL(ex_get_conn);           \
    CALL(ex_get_name);           \
    CALL(ex_get_one_attr);       \
    CALL(ex_inquire_int);        \
    CALL(ex_get_all_times);      \
    CALL(ex_get_variable_param); \
    CALL(ex_get_variable_name);  \
    CALL(ex_get_var);

#define DECLARE(name) __typeof__(name) *name
typedef struct exodus_calls {
    FOR_EACH_CALL(DECLARE)
} exodus_calls;

typedef struct exodus {
    toc_allocator allocator;
    exodus_calls calls;
    int file; // the library's; negative where none is open
    int dimensions, nodes, elements, blocks;
    size_t steps;
    double *times;     // of the steps
    int components[3]; // which variables are the displacement; 0 for none
    double *x;         // coordinates, 3 a node, from the first frame on
    double *axis;      // room for one coordinate of all nodes
} exodus;

static toc_status load_library(exodus_calls *calls) {
    void *library = dlopen(TOC_EXODUS_LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library)
        return toc_fail(TOC_BAD_INPUT, "Exodus files need %s, which cannot be loaded: install libexodusii5",
                        TOC_EXODUS_LIBRARY);
    bool found = true;
#define LOOK_UP(name) found &= (*(void **)&calls->name = dlsym(library, #name)) != NULL
    FOR_EACH_CALL(LOOK_UP)
    dlclose(library);
    return found ? TOC_OK : toc_fail(TOC_BAD_INPUT, "%s lacks what is needed to read Exodus", TOC_EXODUS_LIBRARY);
}

static toc_status need(int result, const char *what) {
    if (result >= 0) return TOC_OK;
    return toc_fail(TOC_BAD_INPUT, "%s cannot be read: it is no whole Exodus file", what);
}

/// Where a file of HDF5 that is whole ends, as its superblock tells; 0 for other files.
static uint64_t promised_size(const toc_source *head) {
    static const char signature[] = "\211HDF\r\n\032\n";
    const char *at = head->begin;
    if (toc_source_left(head) < 48 || memcmp(at, signature, 8) != 0) return 0;
    const bool old = at[8] < 2;
    return at[old ? 13 : 9] == 8 ? toc_load_u64(at + (old ? 40 : 28), false) : 0; // addresses of 8 bytes
}

/// A file of HDF5 that is cut would have the library print, a lying one of netCDF take all memory.
static toc_status check_head(toc_source *source) {
    const uint64_t promised = promised_size(source), size = toc_source_left(source);
    if (size >= promised) return toc_netcdf_check(source);
    source->at = source->end;
    return toc_source_fail_byte(source, "the file ends, but should have %llu bytes", (unsigned long long)promised);
}

static toc_status check_whole(const char *path, const toc_allocator *allocator) {
    toc_source source;
    TOC_TRY(toc_source_open(path, allocator, &source));
    const toc_status status = check_head(&source);
    toc_source_close(&source);
    return status;
}

/// A packed file may hold a thousand times its size, a broken one claim anything.
static toc_status check_size(const exodus *e, const char *path) {
    enum { MOST_PACKED = 1024 };
    struct stat about;
    if (stat(path, &about) != 0) return toc_fail(TOC_BAD_INPUT, "it is gone");
    const int64_t most =
        (int64_t)about.st_size < INT64_MAX / MOST_PACKED ? (int64_t)about.st_size * MOST_PACKED : INT64_MAX;
    if (e->nodes <= 0 || e->elements < 0 || e->blocks < 0 || e->dimensions < 1 || e->dimensions > 3)
        return toc_fail(TOC_BAD_INPUT, "%d nodes in %d dimensions and %d elements in %d blocks cannot be", e->nodes,
                        e->dimensions, e->elements, e->blocks);
    if (e->nodes <= most && e->elements <= most && e->blocks <= most && (int64_t)e->steps <= most) return TOC_OK;
    return toc_fail(TOC_BAD_INPUT, "%d nodes and %d elements are promised, but the file has %lld bytes", e->nodes,
                    e->elements, (long long)about.st_size);
}

/// Whether a variable is a component of the displacement: DISPLX, disp_y, displacement_z, u_x.
static int component_of(const char *name) {
    static const char *const stems[] = {"displacement", "displ", "disp", "u"};
    for (size_t i = 0; i < sizeof stems / sizeof *stems; i++) {
        const size_t length = strlen(stems[i]);
        if (strncasecmp(name, stems[i], length) != 0) continue;
        const char *axis = name + length + (name[length] == '_');
        if (axis[0] == 0 || axis[1] != 0) continue;
        const char *found = strchr("xyzXYZ", axis[0]);
        if (found) return (int)(found - "xyzXYZ") % 3;
    }
    return -1;
}

static toc_status find_displacement(exodus *e) {
    char name[MAX_STR_LENGTH * 8 + 1];
    int count = 0;
    TOC_TRY(need(e->calls.ex_get_variable_param(e->file, EX_NODAL, &count), "the number of variables"));
    for (int i = 1; i <= count; i++) {
        TOC_TRY(need(e->calls.ex_get_variable_name(e->file, EX_NODAL, i, name), "the name of a variable"));
        const int component = component_of(name);
        if (component >= 0 && e->components[component] == 0) e->components[component] = i;
    }
    return TOC_OK;
}

static bool moves(const exodus *e) { return e->components[0] || e->components[1] || e->components[2]; }

static toc_status read_times(exodus *e) {
    TOC_TRY(find_displacement(e));
    if (e->steps == 0 || !moves(e)) return TOC_OK;
    e->times = toc_new(&e->allocator, e->steps, sizeof *e->times);
    if (!e->times) return TOC_OUT_OF_MEMORY;
    return need(e->calls.ex_get_all_times(e->file, e->times), "the times");
}

static toc_status open_file(exodus *e, const char *path) {
    char title[MAX_LINE_LENGTH + 1];
    int ours = sizeof(double), theirs = 0, sets;
    float version;
    TOC_TRY(check_whole(path, &e->allocator));
    TOC_TRY(load_library(&e->calls));
    e->calls.ex_opts(0); // it would print what goes wrong
    e->file = e->calls.ex_open_int(path, EX_READ, &ours, &theirs, &version, EX_API_VERS_NODOT);
    TOC_TRY(need(e->file, "it"));
    TOC_TRY(
        need(e->calls.ex_get_init(e->file, title, &e->dimensions, &e->nodes, &e->elements, &e->blocks, &sets, &sets),
             "its head"));
    const int64_t steps = e->calls.ex_inquire_int(e->file, EX_INQ_TIME);
    e->steps = steps > 0 ? (size_t)steps : 0;
    TOC_TRY(check_size(e, path));
    return read_times(e);
}

static void close_exodus(void *frames) {
    exodus *e = frames;
    const toc_allocator memory = e->allocator;
    if (e->file >= 0) e->calls.ex_close(e->file);
    toc_free(&memory, e->times, e->steps, sizeof *e->times);
    toc_free(&memory, e->x, 3 * (size_t)e->nodes, sizeof *e->x);
    toc_free(&memory, e->axis, (size_t)e->nodes, sizeof *e->axis);
    toc_free(&memory, e, 1, sizeof *e);
}

static toc_status open_exodus(const char *path, double rate, const toc_allocator *allocator, void **frames) {
    (void)rate;
    const toc_allocator memory = toc_allocator_or_default(allocator);
    exodus *e = toc_new(&memory, 1, sizeof *e);
    if (!e) return TOC_OUT_OF_MEMORY;
    e->allocator = memory;
    e->file = -1;
    const toc_status status = open_file(e, path);
    if (status == TOC_OK) {
        *frames = e;
    } else {
        close_exodus(e);
    }
    return status;
}

static size_t count_frames(const void *frames) {
    const exodus *e = frames;
    return e->times ? e->steps : 1;
}

static double time_of(const void *frames, size_t frame) {
    const exodus *e = frames;
    return e->times ? e->times[frame] : 0;
}

/// Coordinates come axis by axis; a file in the plane has two.
static toc_status read_coordinates(exodus *e) {
    if (e->x) return TOC_OK;
    const size_t count = (size_t)e->nodes;
    double *axis = e->axis = toc_new(&e->allocator, count, sizeof *e->axis);
    double *x = e->x = toc_new(&e->allocator, 3 * count, sizeof *e->x);
    if (!axis || !x) return TOC_OUT_OF_MEMORY;
    for (int k = 0; k < e->dimensions; k++) {
        TOC_TRY(need(e->calls.ex_get_coord(e->file, k == 0 ? axis : NULL, k == 1 ? axis : NULL, k == 2 ? axis : NULL),
                     "the coordinates"));
        for (size_t i = 0; i < count; i++) x[3 * i + (size_t)k] = axis[i];
    }
    return TOC_OK;
}

static toc_status read_positions(void *frames, size_t frame, double *x) {
    exodus *e = frames;
    const size_t count = (size_t)e->nodes;
    TOC_TRY(read_coordinates(e));
    memcpy(x, e->x, 3 * count * sizeof *x);
    for (int k = 0; k < 3 && e->times; k++) {
        if (e->components[k] == 0) continue;
        TOC_TRY(need(e->calls.ex_get_var(e->file, (int)frame + 1, EX_NODAL, e->components[k], 1, e->nodes, e->axis),
                     "a displacement"));
        for (size_t i = 0; i < count; i++) x[3 * i + (size_t)k] += e->axis[i];
    }
    return TOC_OK;
}

/// Elements of one type, which goes by how its name begins.
typedef struct element_type {
    const char *stem;
    toc_shape shape;
} element_type;

static const element_type types[] = {
    {"HEX", TOC_HEX},  {"TET", TOC_TET},  {"WED", TOC_WEDGE}, {"PYR", TOC_PYRAMID}, {"TRI", TOC_TRIANGLE},
    {"QUA", TOC_QUAD}, {"SHE", TOC_QUAD}, {"BAR", TOC_EDGE},  {"BEA", TOC_EDGE},    {"TRU", TOC_EDGE},
    {"EDG", TOC_EDGE}, {"ROD", TOC_EDGE}, {"SPH", TOC_POINT}, {"CIR", TOC_POINT},
};

static toc_shape shape_of(const char *type, int nodes) {
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (strncasecmp(type, types[i].stem, 3) != 0) continue;
        toc_shape shape = types[i].shape;
        if (shape == TOC_QUAD && (nodes == 3 || nodes == 6)) shape = TOC_TRIANGLE; // a shell of three corners
        return nodes >= toc_shape_corners(shape) ? shape : TOC_REMOVED;
    }
    return TOC_REMOVED;
}

/// A block of elements, and where it goes.
typedef struct block {
    int id, count, nodes, attributes;
    char type[MAX_STR_LENGTH + 1], name[MAX_STR_LENGTH * 8 + 1];
    toc_shape shape;
} block;

static toc_status read_block_head(exodus *e, block *b) {
    int edges, faces;
    TOC_TRY(need(e->calls.ex_get_block(e->file, EX_ELEM_BLOCK, b->id, b->type, &b->count, &b->nodes, &edges, &faces,
                                       &b->attributes),
                 "a block"));
    if (e->calls.ex_get_name(e->file, EX_ELEM_BLOCK, b->id, b->name) < 0) b->name[0] = 0;
    if (b->count < 0 || b->count > e->elements || b->nodes < 0 || b->nodes > 1000)
        return toc_fail(TOC_BAD_INPUT, "block %d: %d elements of %d nodes cannot be", b->id, b->count, b->nodes);
    b->shape = shape_of(b->type, b->nodes);
    if (b->shape != TOC_REMOVED || b->count == 0) return TOC_OK;
    return toc_fail(TOC_BAD_INPUT, "block %d: elements of type \"%s\" with %d nodes are not read", b->id, b->type,
                    b->nodes);
}

static toc_status add_elements(const exodus *e, const block *b, const int *nodes, toc_mesh_parts *parts) {
    const int corner_count = toc_shape_corners(b->shape);
    for (int i = 0; i < b->count; i++, nodes += b->nodes) {
        uint32_t corners[8];
        for (int k = 0; k < corner_count; k++) {
            const int node = nodes[b->shape == TOC_WEDGE ? toc_wedge_turn[k] : k];
            if (node < 1 || node > e->nodes)
                return toc_fail(TOC_BAD_INPUT, "block %d, element %d: node %d is used, but there are %d", b->id, i + 1,
                                node, e->nodes);
            corners[k] = (uint32_t)(node - 1);
        }
        TOC_TRY(toc_parts_add(parts, &e->allocator, b->shape, corners, b->id));
    }
    return TOC_OK;
}

static toc_status read_block(exodus *e, block *b, toc_mesh_parts *parts) {
    if (b->count == 0) return TOC_OK;
    const size_t count = (size_t)b->count * (size_t)b->nodes;
    int *nodes = toc_new(&e->allocator, count, sizeof *nodes);
    if (!nodes) return TOC_OUT_OF_MEMORY;
    toc_status status =
        need(e->calls.ex_get_conn(e->file, EX_ELEM_BLOCK, b->id, nodes, NULL, NULL), "a block's elements");
    if (status == TOC_OK) status = add_elements(e, b, nodes, parts);
    toc_free(&e->allocator, nodes, count, sizeof *nodes);
    return status;
}

static bool is_shell(const block *b) { return strncasecmp(b->type, "SHE", 3) == 0 && b->attributes > 0; }

/// The first attribute of a shell is its thickness.
static toc_status set_thickness(exodus *e, const block *b, uint32_t first, toc_mesh *mesh) {
    double *values = toc_new(&e->allocator, (size_t)b->count, sizeof *values);
    if (!values) return TOC_OUT_OF_MEMORY;
    toc_status status = need(e->calls.ex_get_one_attr(e->file, EX_ELEM_BLOCK, b->id, 1, values), "the thickness");
    for (int i = 0; i < b->count && status == TOC_OK; i++)
        status = toc_mesh_set_thickness(mesh, first + (uint32_t)i, values[i]);
    toc_free(&e->allocator, values, (size_t)b->count, sizeof *values);
    return status;
}

/// All blocks: `mesh` NULL the first time, for the elements; then their names and thicknesses.
static toc_status read_blocks(exodus *e, const int *ids, toc_mesh_parts *parts, toc_mesh *mesh) {
    uint32_t first = 0;
    for (int i = 0; i < e->blocks; i++) {
        block b = {.id = ids[i]};
        TOC_TRY(read_block_head(e, &b));
        if (!mesh) {
            TOC_TRY(read_block(e, &b, parts));
            continue;
        }
        if (b.nodes > toc_shape_corners(b.shape)) mesh->higher_order += (size_t)b.count;
        TOC_TRY(toc_mesh_set_group_name(mesh, b.id, b.name));
        if (is_shell(&b) && b.count > 0) TOC_TRY(set_thickness(e, &b, first, mesh));
        first += (uint32_t)b.count;
    }
    return TOC_OK;
}

static toc_status build(exodus *e, const int *ids, toc_mesh_parts *parts, toc_mesh *mesh) {
    const size_t count = 3 * (size_t)e->nodes;
    TOC_TRY(toc_array_reserve(&e->allocator, &parts->positions, count));
    TOC_TRY(read_positions(e, 0, parts->positions.at));
    parts->positions.count = count;
    TOC_TRY(read_blocks(e, ids, parts, NULL));
    TOC_TRY(toc_mesh_adopt(mesh, parts));
    return read_blocks(e, ids, parts, mesh);
}

static toc_status read_first(void *frames, toc_mesh *mesh) {
    exodus *e = frames;
    const size_t count = (size_t)e->blocks;
    toc_mesh_parts parts = {.positions = {0}};
    int *ids = toc_new(&e->allocator, count, sizeof *ids);
    if (!ids) return TOC_OUT_OF_MEMORY;
    toc_status status = count > 0 ? need(e->calls.ex_get_ids(e->file, EX_ELEM_BLOCK, ids), "the blocks") : TOC_OK;
    if (status == TOC_OK) status = build(e, ids, &parts, mesh);
    toc_parts_free(&parts, &e->allocator);
    toc_free(&e->allocator, ids, count, sizeof *ids);
    if (status != TOC_OK || toc_mesh_element_count(mesh) > 0) return status;
    return toc_fail(TOC_BAD_INPUT, "holds no elements");
}

static const toc_frame_methods methods = {
    .open = open_exodus,
    .close = close_exodus,
    .count = count_frames,
    .time = time_of,
    .first = read_first,
    .positions = read_positions,
};

#else

static toc_status open_exodus(const char *path, double rate, const toc_allocator *allocator, void **frames) {
    (void)path, (void)rate, (void)allocator, (void)frames;
    return toc_fail(TOC_BAD_INPUT, "Exodus files are read by a library that this build is without: install "
                                   "libexodusii-dev and build again");
}

static const toc_frame_methods methods = {.open = open_exodus};

#endif

const toc_format toc_format_exodus = {
    .info = {.name = "exodus",
             .extensions = ".e .exo .ex2 .exii",
             .what = "blocks of all shapes, time steps; read by Sandia's library"},
    .frames = &methods,
};
