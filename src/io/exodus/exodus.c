// SPDX-License-Identifier: Apache-2.0
// Exodus II, the files of Sandia's codes, MOOSE and Cubit: element blocks as groups with their names, coordinates,
// displacements as time steps, and velocities. They are netCDF files with fixed names, so netCDF's library reads them.
//
// That library depends on HDF5 and more, so it is loaded when the first such file is opened, and is otherwise not
// needed. A time step is read on request, into the caller's array. The shape of a variable is checked before it is read
// and before memory is allocated: a file may claim anything.
#include "base/platform/platform.h"
#include "io/core/fields.h"
#include "io/core/solid.h"
#include "io/exodus/decomposed.h"
#include "io/exodus/netcdf.h"
#include "mesh/shape.h"

#ifdef TOC_NETCDF_LIBRARY
#ifndef TOC_NETCDF_LINKED
#include <assert.h>
#include <dlfcn.h>
#endif
#include <math.h>
#include <netcdf.h>
#include <stdio.h>
#include <strings.h>

// The functions of the library in use.
#define FOR_EACH_CALL(CALL)     \
    CALL(nc_open);              \
    CALL(nc_close);             \
    CALL(nc_inq_dimid);         \
    CALL(nc_inq_dimlen);        \
    CALL(nc_inq_varid);         \
    CALL(nc_inq_varndims);      \
    CALL(nc_inq_vardimid);      \
    CALL(nc_inq_attlen);        \
    CALL(nc_get_att_text);      \
    CALL(nc_get_vara_double);   \
    CALL(nc_get_vara_int);      \
    CALL(nc_get_vara_longlong); \
    CALL(nc_get_vara_text);

#define DECLARE(name) __typeof__(name) *name
typedef struct netcdf_calls {
    FOR_EACH_CALL(DECLARE)
} netcdf_calls;

enum { MOST_RANK = 3, MOST_TEXT = 256, CHUNK = 4096 };

/// An array of the file.
typedef struct variable {
    int id;
    int rank; // 0 where there is none
    size_t shape[MOST_RANK];
} variable;

/// A vector on the nodes, axis by axis.
typedef struct nodal {
    variable at[3];      // of rank 2, or one of rank 3 for all variables
    size_t component[3]; // its index among all variables, from 0
} nodal;

typedef struct exodus {
    toc_allocator allocator;
    netcdf_calls calls;
    int file; // the library's; negative where none is open
    size_t dimensions, nodes, elements, blocks, steps;
    double *times;           // of the steps
    variable coordinates[3]; // one for each axis, of rank 1, or one of rank 2 for all
    nodal displacement, velocity;
} exodus;

#ifdef TOC_NETCDF_LINKED

static toc_status load_library(netcdf_calls *calls) {
#define TAKE_CALL(name) calls->name = name
    FOR_EACH_CALL(TAKE_CALL)
    return TOC_OK;
}

#else

static toc_status load_library(netcdf_calls *calls) {
    void *library = dlopen(TOC_NETCDF_LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library)
        return toc_fail(TOC_BAD_INPUT, "Exodus files need %s, which cannot be loaded: install libnetcdf19",
                        TOC_NETCDF_LIBRARY);
    bool found = true;
#define LOOK_UP(name) found &= (*(void **)&calls->name = dlsym(library, #name)) != NULL
    FOR_EACH_CALL(LOOK_UP)
    dlclose(library);
    return found ? TOC_OK : toc_fail(TOC_BAD_INPUT, "%s lacks what is needed to read Exodus", TOC_NETCDF_LIBRARY);
}

#endif

static toc_status exodus_need(bool is_there, const char *what) {
    return is_there ? TOC_OK : toc_fail(TOC_BAD_INPUT, "%s cannot be read: it is no whole Exodus file", what);
}

static toc_status check_head(const char *path, const toc_allocator *allocator) {
    toc_source source;
    TOC_TRY(toc_source_open_as_is(path, allocator, &source));
    const toc_status status = toc_netcdf_check(&source);
    toc_source_close(&source);
    return status;
}

/// "connect" and 3 are connect3; a number of 0 is left out.
typedef struct name {
    char text[40];
} name;

static name numbered(const char *stem, size_t number) {
    name n;
    snprintf(n.text, sizeof n.text, number > 0 ? "%s%zu" : "%s", stem, number);
    return n;
}

/// The length of a dimension, 0 where there is none.
static size_t exodus_length_of(const exodus *e, const char *stem, size_t number) {
    int id;
    size_t length;
    const name n = numbered(stem, number);
    return e->calls.nc_inq_dimid(e->file, n.text, &id) || e->calls.nc_inq_dimlen(e->file, id, &length) ? 0 : length;
}

/// Find a variable with this number of dimensions; false if there is none.
static bool exodus_find(const exodus *e, const char *stem, size_t number, int rank, variable *v) {
    const name n = numbered(stem, number);
    int dimensions[MOST_RANK], found;
    if (e->calls.nc_inq_varid(e->file, n.text, &v->id) || e->calls.nc_inq_varndims(e->file, v->id, &found))
        return false;
    if (found != rank || e->calls.nc_inq_vardimid(e->file, v->id, dimensions)) return false;
    for (int k = 0; k < rank; k++)
        if (e->calls.nc_inq_dimlen(e->file, dimensions[k], &v->shape[k])) return false;
    v->rank = rank;
    return true;
}

/// Row `i` of a table of names, cut where it is too long; empty where it is missing.
static void exodus_read_name(const exodus *e, const variable *names, size_t i, char text[MOST_TEXT + 1]) {
    assert(text);
    memset(text, 0, MOST_TEXT + 1);
    if (names->rank != 2) return;
    const size_t width = names->shape[1] < MOST_TEXT ? names->shape[1] : MOST_TEXT;
    if (e->calls.nc_get_vara_text(e->file, names->id, (size_t[]){i, 0}, (size_t[]){1, width}, text)) text[0] = 0;
}

/// Which component a variable is of a vector with one of these names: DISPLX, disp_y, displacement_z, u_x.
static int component_of(const char *text, const char *const *stems) {
    for (; *stems; stems++) {
        const size_t length = strlen(*stems);
        if (strncasecmp(text, *stems, length) != 0) continue;
        const char *axis = text + length + (text[length] == '_');
        if (axis[0] == 0 || axis[1] != 0) continue;
        const char *found = strchr("xyzXYZ", axis[0]);
        if (found) return (int)(found - "xyzXYZ") % 3;
    }
    return -1;
}

/// The values of a variable on the nodes: an array of its own, or a part of one for all.
static toc_status find_component(const exodus *e, size_t i, int axis, nodal *of, const char *what) {
    assert(0 <= axis && axis < 3);
    variable *v = &of->at[axis];
    of->component[axis] = i;
    return exodus_need(exodus_find(e, "vals_nod_var", i + 1, 2, v) || exodus_find(e, "vals_nod_var", 0, 3, v), what);
}

static toc_status find_nodal(const exodus *e, const char *const *stems, const char *what, nodal *out) {
    char text[MOST_TEXT + 1];
    variable names;
    if (!exodus_find(e, "name_nod_var", 0, 2, &names)) return TOC_OK;
    for (size_t i = 0; i < names.shape[0]; i++) {
        exodus_read_name(e, &names, i, text);
        const int axis = component_of(text, stems);
        if (axis >= 0 && out->at[axis].rank == 0) TOC_TRY(find_component(e, i, axis, out, what));
    }
    return TOC_OK;
}

static const char *const displacement_stems[] = {"displacement", "displ", "disp", "u", NULL};
static const char *const velocity_stems[] = {"velocity", "veloc", "vel", "v", NULL};

static toc_status find_displacements(exodus *e) {
    return find_nodal(e, displacement_stems, "a displacement", &e->displacement);
}

static bool has_nodal(const nodal *of) { return of->at[0].rank || of->at[1].rank || of->at[2].rank; }

static toc_status read_times(exodus *e) {
    variable whole;
    TOC_TRY(find_displacements(e));
    if (!has_nodal(&e->displacement) || !exodus_find(e, "time_whole", 0, 1, &whole) || whole.shape[0] == 0)
        return TOC_OK;
    e->steps = whole.shape[0];
    e->times = toc_new(&e->allocator, e->steps, sizeof *e->times);
    if (!e->times) return TOC_OUT_OF_MEMORY;
    return exodus_need(!e->calls.nc_get_vara_double(e->file, whole.id, (size_t[]){0}, &e->steps, e->times),
                       "the times");
}

static toc_status exodus_find_coordinates(exodus *e) {
    static const char *const names[] = {"coordx", "coordy", "coordz"};
    for (size_t k = 0; k < e->dimensions; k++) {
        variable *v = &e->coordinates[k];
        const bool found = exodus_find(e, names[k], 0, 1, v) || exodus_find(e, "coord", 0, 2, v);
        TOC_TRY(exodus_need(found && v->shape[v->rank - 1] == e->nodes, "the coordinates"));
    }
    return TOC_OK;
}

/// A packed file may hold a thousand times its size, a broken one claim anything.
static toc_status exodus_check_size(const exodus *e, const char *path) {
    enum { MOST_PACKED = 1024 };
    toc_file_facts about;
    if (!toc_path_facts(path, &about)) return toc_fail(TOC_BAD_INPUT, "it is gone");
    const size_t size = (size_t)about.size, most = size < SIZE_MAX / MOST_PACKED ? size * MOST_PACKED : SIZE_MAX;
    if (e->nodes == 0 || e->nodes >= UINT32_MAX || e->dimensions < 1 || e->dimensions > 3)
        return toc_fail(TOC_BAD_INPUT, "%zu nodes in %zu dimensions cannot be", e->nodes, e->dimensions);
    if (e->nodes <= most && e->elements <= most && e->steps <= most) return TOC_OK;
    return toc_fail(TOC_BAD_INPUT, "%zu nodes and %zu elements are promised, but the file has %zu bytes", e->nodes,
                    e->elements, size);
}

static toc_status exodus_open_file(exodus *e, const char *path) {
    TOC_TRY(check_head(path, &e->allocator));
    TOC_TRY(load_library(&e->calls));
    const int failure = e->calls.nc_open(path, NC_NOWRITE, &e->file);
    if (failure) e->file = -1;
    if (failure == NC_ENOTBUILT)
        return toc_fail(TOC_BAD_INPUT, "it is an HDF5 file, which this build of netCDF cannot read; convert it: "
                                       "nccopy -k classic FROM TO");
    TOC_TRY(exodus_need(!failure, "it"));
    e->dimensions = exodus_length_of(e, "num_dim", 0);
    e->nodes = exodus_length_of(e, "num_nodes", 0);
    e->elements = exodus_length_of(e, "num_elem", 0);
    e->blocks = exodus_length_of(e, "num_el_blk", 0);
    e->steps = exodus_length_of(e, "time_step", 0);
    TOC_TRY(exodus_check_size(e, path));
    TOC_TRY(exodus_find_coordinates(e));
    return read_times(e);
}

static void close_exodus(void *frames) {
    exodus *e = frames;
    const toc_allocator memory = e->allocator;
    if (e->file >= 0) e->calls.nc_close(e->file);
    toc_free(&memory, e->times, e->steps, sizeof *e->times);
    toc_free(&memory, e, 1, sizeof *e);
}

static toc_status open_exodus(const char *path, const toc_frame_wish *wish, const toc_allocator *allocator,
                              void **frames) {
    (void)wish;
    const toc_allocator memory = toc_allocator_or_default(allocator);
    exodus *e = toc_new(&memory, 1, sizeof *e);
    if (!e) return TOC_OUT_OF_MEMORY;
    e->allocator = memory;
    e->file = -1;
    const toc_status status = exodus_open_file(e, path);
    if (status == TOC_OK) {
        *frames = e;
    } else {
        close_exodus(e);
    }
    return status;
}

static size_t exodus_count_frames(const void *frames) {
    const exodus *e = frames;
    return e->times ? e->steps : 1;
}

static double exodus_time_of(const void *frames, size_t frame) {
    const exodus *e = frames;
    return e->times ? e->times[frame] : 0;
}

/// Where values of a variable go: to[0], to[stride], to[2 * stride], ...
typedef struct value_rows {
    size_t count, stride;
    double *to;
} value_rows;

/// Add the last dimension of a variable to rows.
static toc_status add_rows(exodus *e, const variable *v, size_t start[MOST_RANK], const value_rows *rows) {
    double chunk[CHUNK];
    size_t counts[MOST_RANK] = {1, 1, 1}, *count = &counts[v->rank - 1], *done = &start[v->rank - 1];
    for (*done = 0; *done < rows->count; *done += *count) {
        *count = rows->count - *done < CHUNK ? rows->count - *done : CHUNK;
        TOC_TRY(exodus_need(!e->calls.nc_get_vara_double(e->file, v->id, start, counts, chunk), "a coordinate"));
        for (size_t i = 0; i < *count; i++) rows->to[rows->stride * (*done + i)] += chunk[i];
    }
    return TOC_OK;
}

/// Add one coordinate of every node to x[0], x[3], x[6], ...
static toc_status add_axis(exodus *e, const variable *v, size_t start[MOST_RANK], double *x) {
    return add_rows(e, v, start, &(value_rows){e->nodes, 3, x});
}

static toc_status exodus_read_positions(void *frames, size_t frame, double *x) {
    exodus *e = frames;
    memset(x, 0, 3 * e->nodes * sizeof *x);
    for (size_t k = 0; k < 3; k++) {
        size_t axis[MOST_RANK] = {k}, at[MOST_RANK] = {frame, e->displacement.component[k]};
        if (e->coordinates[k].rank) TOC_TRY(add_axis(e, &e->coordinates[k], axis, x + k));
        if (e->times && e->displacement.at[k].rank) TOC_TRY(add_axis(e, &e->displacement.at[k], at, x + k));
    }
    return TOC_OK;
}

/// A file without displacements has one frame, with the velocities of its first step.
static toc_status exodus_read_velocities(void *frames, size_t frame, double *v, bool *known) {
    exodus *e = frames;
    if (!has_nodal(&e->velocity)) TOC_TRY(find_nodal(e, velocity_stems, "a velocity", &e->velocity));
    *known = false;
    memset(v, 0, 3 * e->nodes * sizeof *v);
    for (size_t k = 0; k < 3; k++) {
        size_t at[MOST_RANK] = {frame, e->velocity.component[k]};
        if (!e->velocity.at[k].rank || e->velocity.at[k].shape[0] <= frame) continue;
        *known = true;
        TOC_TRY(add_axis(e, &e->velocity.at[k], at, v + k));
    }
    return TOC_OK;
}

/// Elements of one type, recognised by the beginning of its name.
typedef struct exodus_type {
    const char *stem;
    toc_shape shape;
} exodus_type;

static const exodus_type types[] = {
    {"HEX", TOC_HEX},  {"TET", TOC_TET},  {"WED", TOC_WEDGE}, {"PYR", TOC_PYRAMID}, {"TRI", TOC_TRIANGLE},
    {"QUA", TOC_QUAD}, {"SHE", TOC_QUAD}, {"BAR", TOC_EDGE},  {"BEA", TOC_EDGE},    {"TRU", TOC_EDGE},
    {"EDG", TOC_EDGE}, {"ROD", TOC_EDGE}, {"SPH", TOC_POINT}, {"CIR", TOC_POINT},
};

static toc_shape exodus_shape_of(const char *type, size_t nodes) {
    assert(type);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (strncasecmp(type, types[i].stem, 3) != 0) continue;
        toc_shape shape = types[i].shape;
        if (shape == TOC_QUAD && (nodes == 3 || nodes == 6)) shape = TOC_TRIANGLE; // a shell of three corners
        return nodes >= (size_t)toc_shape_count_corners(shape) ? shape : TOC_REMOVED;
    }
    return TOC_REMOVED;
}

/// A block of elements, and its place in the mesh.
typedef struct exodus_block {
    int id;
    size_t number, count, nodes; // its own, from 1; elements; of each
    variable corners;
    char type[MOST_TEXT + 1];
    toc_shape shape;
} exodus_block;

static toc_status exodus_read_type(const exodus *e, exodus_block *b) {
    size_t length;
    const int id = b->corners.id;
    TOC_TRY(exodus_need(!e->calls.nc_inq_attlen(e->file, id, "elem_type", &length) && length <= MOST_TEXT &&
                            !e->calls.nc_get_att_text(e->file, id, "elem_type", b->type),
                        "the type of a block"));
    b->shape = exodus_shape_of(b->type, b->nodes);
    if (b->shape != TOC_REMOVED) return TOC_OK;
    return toc_fail(TOC_BAD_INPUT, "block %d: elements of type \"%s\" with %zu nodes are not read", b->id, b->type,
                    b->nodes);
}

static toc_status read_block_head(const exodus *e, size_t i, exodus_block *b) {
    variable ids;
    *b = (exodus_block){.number = i + 1, .count = exodus_length_of(e, "num_el_in_blk", i + 1)};
    TOC_TRY(exodus_need(exodus_find(e, "eb_prop", 1, 1, &ids) &&
                            !e->calls.nc_get_vara_int(e->file, ids.id, &i, (size_t[]){1}, &b->id),
                        "the number of a block"));
    if (b->count == 0) return TOC_OK;
    TOC_TRY(exodus_need(exodus_find(e, "connect", b->number, 2, &b->corners), "a block's elements"));
    b->nodes = b->corners.shape[1];
    if (b->corners.shape[0] != b->count || b->count > e->elements || b->nodes > CHUNK)
        return toc_fail(TOC_BAD_INPUT, "block %d: %zu elements of %zu nodes cannot be", b->id, b->count, b->nodes);
    return exodus_read_type(e, b);
}

static toc_status exodus_add_elements(const exodus *e, const exodus_block *b, size_t first, size_t count,
                                      const int *nodes, toc_mesh_parts *parts) {
    const int corner_count = toc_shape_count_corners(b->shape);
    for (size_t i = 0; i < count; i++, nodes += b->nodes) {
        uint32_t corners[8];
        for (int k = 0; k < corner_count; k++) {
            const int node = nodes[b->shape == TOC_WEDGE ? toc_wedge_turn[k] : k];
            if (node < 1 || (size_t)node > e->nodes)
                return toc_fail(TOC_BAD_INPUT, "block %d, element %zu: node %d is used, but there are %zu", b->id,
                                first + i + 1, node, e->nodes);
            corners[k] = (uint32_t)(node - 1);
        }
        TOC_TRY(toc_parts_add(parts, &e->allocator, b->shape, corners, b->id));
    }
    return TOC_OK;
}

static toc_status exodus_read_elements(const exodus *e, const exodus_block *b, toc_mesh_parts *parts) {
    int nodes[CHUNK];
    for (size_t first = 0, count; first < b->count; first += count) {
        count = b->count - first < CHUNK / b->nodes ? b->count - first : CHUNK / b->nodes;
        TOC_TRY(exodus_need(
            !e->calls.nc_get_vara_int(e->file, b->corners.id, (size_t[]){first, 0}, (size_t[]){count, b->nodes}, nodes),
            "a block's elements"));
        TOC_TRY(exodus_add_elements(e, b, first, count, nodes, parts));
    }
    return TOC_OK;
}

/// The first attribute of a shell is its thickness.
static toc_status exodus_set_thickness(const exodus *e, const exodus_block *b, uint32_t first, toc_mesh *mesh) {
    double values[CHUNK];
    variable v;
    if (strncasecmp(b->type, "SHE", 3) != 0 || !exodus_find(e, "attrib", b->number, 2, &v)) return TOC_OK;
    for (size_t done = 0, count; done < b->count; done += count) {
        count = b->count - done < CHUNK ? b->count - done : CHUNK;
        TOC_TRY(
            exodus_need(!e->calls.nc_get_vara_double(e->file, v.id, (size_t[]){done, 0}, (size_t[]){count, 1}, values),
                        "the thickness"));
        for (size_t i = 0; i < count; i++)
            TOC_TRY(toc_mesh_set_thickness(mesh, first + (uint32_t)(done + i), values[i]));
    }
    return TOC_OK;
}

/// Set the name and thickness of a block whose elements are in the mesh, from element `first` on.
static toc_status describe(const exodus *e, const exodus_block *b, uint32_t first, toc_mesh *mesh) {
    char text[MOST_TEXT + 1];
    variable names = {.rank = 0};
    exodus_find(e, "eb_names", 0, 2, &names);
    exodus_read_name(e, &names, b->number - 1, text);
    if (b->nodes > (size_t)toc_shape_count_corners(b->shape)) mesh->higher_order += b->count;
    TOC_TRY(toc_mesh_set_group_name(mesh, b->id, text));
    return exodus_set_thickness(e, b, first, mesh);
}

/// All blocks: `mesh` NULL the first time, for the elements; then their names and thicknesses.
static toc_status exodus_read_blocks(const exodus *e, toc_mesh_parts *parts, toc_mesh *mesh) {
    uint32_t first = 0;
    for (size_t i = 0; i < e->blocks; i++) {
        exodus_block b;
        TOC_TRY(read_block_head(e, i, &b));
        TOC_TRY(mesh ? describe(e, &b, first, mesh) : exodus_read_elements(e, &b, parts));
        first += (uint32_t)b.count;
    }
    return TOC_OK;
}

/// The numbers of nodes or elements; they count from 1 if there is no map.
static toc_status exodus_label(const exodus *e, const char *map, size_t count, toc_id_labels *to) {
    variable v;
    to->count = count;
    to->first = 1;
    if (!exodus_find(e, map, 0, 1, &v) || v.shape[0] != count) return TOC_OK;
    TOC_TRY(toc_array_reserve(&e->allocator, &to->each, count));
    long long numbers[CHUNK];
    for (size_t first = 0, some; first < count; first += some) {
        some = count - first < CHUNK ? count - first : CHUNK;
        TOC_TRY(exodus_need(!e->calls.nc_get_vara_longlong(e->file, v.id, &first, &some, numbers), "the numbers"));
        for (size_t i = 0; i < some; i++) to->each.at[to->each.count++] = numbers[i];
    }
    return TOC_OK;
}

static toc_status exodus_build(exodus *e, toc_mesh_parts *parts, toc_mesh *mesh) {
    const size_t count = 3 * e->nodes;
    TOC_TRY(toc_array_reserve(&e->allocator, &parts->positions, count));
    TOC_TRY(exodus_read_positions(e, 0, parts->positions.at));
    parts->positions.count = count;
    TOC_TRY(exodus_read_blocks(e, parts, NULL));
    TOC_TRY(toc_mesh_adopt(mesh, parts));
    TOC_TRY(exodus_label(e, "node_num_map", e->nodes, &mesh->vertex_labels));
    TOC_TRY(exodus_label(e, "elem_num_map", toc_mesh_get_element_count(mesh), &mesh->element_labels));
    return exodus_read_blocks(e, parts, mesh);
}

static toc_status exodus_read_first(void *frames, toc_mesh *mesh) {
    exodus *e = frames;
    toc_mesh_parts parts = {.positions = {0}};
    const toc_status status = exodus_build(e, &parts, mesh);
    toc_parts_free(&parts, &e->allocator);
    return status;
}

// ---- fields

/// The axis at the end of a name, 0 to 2, and the name without it; -1 for none.
static int axis_of(const char *text, size_t *stem) {
    const size_t length = strlen(text);
    const char *found = length > 1 ? strchr("xyzXYZ", text[length - 1]) : NULL;
    if (!found) return -1;
    *stem = length - 1 - (length > 2 && text[length - 2] == '_');
    return (int)(found - "xyzXYZ") % 3;
}

/// How many of the variables from `i` on are the components of one vector: x, y and in space z with the same stem.
static size_t exodus_vector_at(const exodus *e, const variable *names, size_t i, char stem[MOST_TEXT + 1]) {
    char text[MOST_TEXT + 1];
    size_t length = 0, other = 0, count = 0;
    for (; count < e->dimensions && i + count < names->shape[0]; count++) {
        exodus_read_name(e, names, i + count, text);
        if (axis_of(text, &other) != (int)count) break;
        if (count == 0) {
            memcpy(stem, text, sizeof text);
            length = other;
        } else if (other != length || strncmp(stem, text, length) != 0) {
            break;
        }
    }
    if (count < 2 || count < e->dimensions) return 1;
    stem[length] = 0;
    return count;
}

/// Zeros of a new field, to add the file's values to.
static toc_status exodus_new_field(toc_field_list *list, const char *text, toc_field shape, double **values) {
    TOC_TRY(toc_fields_new(list, text, shape, values));
    memset(*values, 0, shape.count * shape.components * sizeof **values);
    return TOC_OK;
}

static toc_status exodus_take_nodal(exodus *e, size_t frame, const variable *names, size_t *i, toc_field_list *list) {
    char text[MOST_TEXT + 1];
    nodal of = {.component = {0}};
    double *values;
    exodus_read_name(e, names, *i, text);
    const size_t first = *i;
    const bool is_known = component_of(text, displacement_stems) >= 0 || component_of(text, velocity_stems) >= 0;
    const size_t parts = exodus_vector_at(e, names, first, text);
    *i += is_known ? 1 : parts;
    if (is_known || *text == 0) return TOC_OK;
    for (size_t k = 0; k < parts; k++) {
        TOC_TRY(find_component(e, first + k, (int)k, &of, "a variable of nodes"));
        if (of.at[k].shape[0] <= frame || of.at[k].shape[of.at[k].rank - 1] != e->nodes) return TOC_OK;
    }
    const toc_field shape = {.components = parts > 1 ? 3 : 1, .count = e->nodes};
    TOC_TRY(exodus_new_field(list, text, shape, &values));
    for (size_t k = 0; k < parts; k++) {
        size_t at[MOST_RANK] = {frame, of.component[k]};
        TOC_TRY(add_rows(e, &of.at[k], at, &(value_rows){e->nodes, shape.components, values + k}));
    }
    return TOC_OK;
}

/// A variable of elements has an array for each block that has it; elements of the others have no value.
static toc_status exodus_take_elements(exodus *e, size_t frame, const char *text, size_t number, toc_field_list *list) {
    const toc_field shape = {.of_elements = true, .components = 1, .count = e->elements};
    const name stem = numbered("vals_elem_var", number);
    char whole[sizeof stem.text + 2];
    double *values = NULL;
    size_t first = 0;
    snprintf(whole, sizeof whole, "%seb", stem.text);
    for (size_t b = 0; b < e->blocks; b++) {
        const size_t count = exodus_length_of(e, "num_el_in_blk", b + 1);
        variable v;
        if (count > e->elements - first) return TOC_OK; // another count than that of the mesh
        if (count > 0 && exodus_find(e, whole, b + 1, 2, &v) && v.shape[0] > frame && v.shape[1] == count) {
            size_t at[MOST_RANK] = {frame};
            if (!values) {
                TOC_TRY(toc_fields_new(list, text, shape, &values));
                for (size_t i = 0; i < e->elements; i++) values[i] = NAN;
            }
            memset(values + first, 0, count * sizeof *values);
            TOC_TRY(add_rows(e, &v, at, &(value_rows){count, 1, values + first}));
        }
        first += count;
    }
    return TOC_OK;
}

static toc_status exodus_read_fields(void *frames, size_t frame, struct toc_field_list *list) {
    exodus *e = frames;
    char text[MOST_TEXT + 1];
    variable names;
    if (exodus_find(e, "name_nod_var", 0, 2, &names))
        for (size_t i = 0; i < names.shape[0];) TOC_TRY(exodus_take_nodal(e, frame, &names, &i, list));
    if (!exodus_find(e, "name_elem_var", 0, 2, &names)) return TOC_OK;
    for (size_t i = 0; i < names.shape[0]; i++) {
        exodus_read_name(e, &names, i, text);
        if (*text) TOC_TRY(exodus_take_elements(e, frame, text, i + 1, list));
    }
    return TOC_OK;
}

const toc_frame_methods toc_exodus_file = {
    .open = open_exodus,
    .close = close_exodus,
    .count = exodus_count_frames,
    .time = exodus_time_of,
    .first = exodus_read_first,
    .positions = exodus_read_positions,
    .velocities = exodus_read_velocities,
    .fields = exodus_read_fields,
};

#else

static toc_status open_exodus(const char *path, const toc_frame_wish *wish, const toc_allocator *allocator,
                              void **frames) {
    (void)path, (void)wish, (void)allocator, (void)frames;
    return toc_fail(TOC_BAD_INPUT, "Exodus files are read by a library that this build is without: install "
                                   "libnetcdf-dev and build again");
}

const toc_frame_methods toc_exodus_decomposed = {.open = open_exodus};

#endif

const toc_format toc_format_exodus = {
    .info = {.name = "exodus",
             .extensions = ".e .exo .ex2 .exii",
             .what = "blocks of all shapes, time steps; with netCDF's library"},
    .frames = &toc_exodus_decomposed,
};
