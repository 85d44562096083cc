// SPDX-License-Identifier: Apache-2.0
// MED, the files of Salome and Code_Aster, versions 3 and 4: one mesh, its groups, and a displacement on its nodes as
// frames. They are HDF5 files with fixed names.
//
// Coordinates, nodes of elements and values are stored component by component. Elements belong to families, which
// groups share: the group of an element is that of its family's number, named after its groups. Volumes are turned to
// the order of VTK.
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "base/platform/platform.h"
#include "io/core/format.h"
#include "io/core/solid.h"
#include "io/hdf5/hdf5.h"
#include "mesh/shape.h"

enum { MOST_NAME = 64, MOST_NODES = 32, GROUP_NAME_WIDTH = 80 };

/// A type of elements: its name in the file, its nodes, and its corners in our order.
typedef struct med_type {
    const char *name;
    toc_shape shape;
    uint8_t nodes;
    uint8_t corners[8];
} med_type;

static const med_type med_types[] = {
    {"PO1", TOC_POINT, 1, {0}},
    {"SE2", TOC_EDGE, 2, {0, 1}},
    {"SE3", TOC_EDGE, 3, {0, 1}},
    {"SE4", TOC_EDGE, 4, {0, 1}},
    {"TR3", TOC_TRIANGLE, 3, {0, 1, 2}},
    {"TR6", TOC_TRIANGLE, 6, {0, 1, 2}},
    {"TR7", TOC_TRIANGLE, 7, {0, 1, 2}},
    {"QU4", TOC_QUAD, 4, {0, 1, 2, 3}},
    {"QU8", TOC_QUAD, 8, {0, 1, 2, 3}},
    {"QU9", TOC_QUAD, 9, {0, 1, 2, 3}},
    {"TE4", TOC_TET, 4, {0, 2, 1, 3}},
    {"T10", TOC_TET, 10, {0, 2, 1, 3}},
    {"PY5", TOC_PYRAMID, 5, {0, 3, 2, 1, 4}},
    {"P13", TOC_PYRAMID, 13, {0, 3, 2, 1, 4}},
    {"PE6", TOC_WEDGE, 6, {0, 1, 2, 3, 4, 5}},
    {"P15", TOC_WEDGE, 15, {0, 1, 2, 3, 4, 5}},
    {"P18", TOC_WEDGE, 18, {0, 1, 2, 3, 4, 5}},
    {"HE8", TOC_HEX, 8, {0, 3, 2, 1, 4, 7, 6, 5}},
    {"H20", TOC_HEX, 20, {0, 3, 2, 1, 4, 7, 6, 5}},
    {"H27", TOC_HEX, 27, {0, 3, 2, 1, 4, 7, 6, 5}},
};

typedef struct med_step {
    double time;
    uint64_t values; // an array
} med_step;

typedef struct med {
    toc_allocator allocator;
    char *path;
    size_t path_size;
    toc_source source;
    bool is_open;
    toc_hdf5 file;
    char mesh_name[MOST_NAME + 1];
    uint64_t nodes_group, elements_group; // of the mesh
    size_t nodes, dimensions;
    double *rest; // 3 for each node
    TOC_ARRAY(med_step) steps;
    uint64_t components; // of the displacement
    bool rests_first;
} med;

static toc_status med_fail(med *m, const char *what) {
    m->source.at = m->source.begin;
    return toc_source_fail_byte(&m->source, "%s", what);
}

// ---- attributes and lists

static toc_status med_integer(med *m, uint64_t object, const char *name, int64_t *out, bool *found) {
    toc_hdf5_array of;
    TOC_TRY(toc_hdf5_attribute(&m->file, object, name, &of, found));
    *found = *found && toc_number_is_integer(of.type) && toc_hdf5_row_items(&of) == 1 && (!of.rank || of.shape[0]);
    return *found ? toc_hdf5_integers(&m->file, &of, 0, 1, 1, out) : TOC_OK;
}

static toc_status need_integer(med *m, uint64_t object, const char *name, int64_t *out) {
    bool found;
    TOC_TRY(med_integer(m, object, name, out, &found));
    if (found) return TOC_OK;
    m->source.at = m->source.begin;
    return toc_source_fail_byte(&m->source, "the number %s of a MED file is missing", name);
}

static toc_status need_group(med *m, uint64_t from, const char *path, uint64_t *out) {
    *out = TOC_HDF5_NONE;
    if (from != TOC_HDF5_NONE) TOC_TRY(toc_hdf5_find(&m->file, from, path, out));
    if (*out != TOC_HDF5_NONE) return TOC_OK;
    m->source.at = m->source.begin;
    return toc_source_fail_byte(&m->source, "%s of a MED file is missing", path);
}

/// The first link of a group, and their number.
typedef struct only {
    char name[MOST_NAME + 1];
    uint64_t object;
    size_t count;
} only;

static toc_status take_only(void *user, toc_text name, uint64_t object) {
    only *o = user;
    if (o->count++ > 0 || name.count > MOST_NAME) return TOC_OK;
    memcpy(o->name, name.at, name.count);
    o->object = object;
    return TOC_OK;
}

static toc_status find_med_mesh(med *m) {
    only mesh = {.object = TOC_HDF5_NONE}, step = {.object = TOC_HDF5_NONE};
    uint64_t all;
    int64_t dimensions, structured = 0;
    bool found;
    TOC_TRY(need_group(m, m->file.root, "ENS_MAA", &all));
    TOC_TRY(toc_hdf5_list(&m->file, all, take_only, &mesh));
    if (mesh.count != 1 || mesh.object == TOC_HDF5_NONE)
        return toc_fail(TOC_BAD_INPUT, "%s: byte 0: a MED file with one mesh is read; it has %zu", m->path, mesh.count);
    memcpy(m->mesh_name, mesh.name, sizeof mesh.name);
    TOC_TRY(need_integer(m, mesh.object, "ESP", &dimensions));
    TOC_TRY(med_integer(m, mesh.object, "TYP", &structured, &found));
    if (dimensions < 1 || dimensions > 3 || structured != 0)
        return med_fail(m, "a MED mesh without a grid, in 1 to 3 dimensions, is read");
    TOC_TRY(toc_hdf5_list(&m->file, mesh.object, take_only, &step));
    if (step.count != 1 || step.object == TOC_HDF5_NONE)
        return med_fail(m, "a MED mesh that changes from step to step is not read");
    m->dimensions = (size_t)dimensions;
    TOC_TRY(need_group(m, step.object, "NOE", &m->nodes_group));
    return need_group(m, step.object, "MAI", &m->elements_group);
}

/// An array whose length is that of a product.
static toc_status need_numbers(med *m, uint64_t object, uint64_t count, uint64_t times, toc_hdf5_array *out) {
    TOC_TRY(toc_hdf5_describe(&m->file, object, out));
    if (out->rank == 1 && count > 0 && out->shape[0] % count == 0 && out->shape[0] / count == times) return TOC_OK;
    return med_fail(m, "an array of a MED file has another length than its count tells");
}

/// Component by component to three for each node.
static toc_status read_components(med *m, uint64_t object, uint64_t components, double *to) {
    toc_hdf5_array array;
    toc_numbers numbers;
    const uint64_t used = components < 3 ? components : 3;
    assert(components > 0 && m->nodes > 0);
    TOC_TRY(need_numbers(m, object, m->nodes, components, &array));
    TOC_TRY(toc_hdf5_numbers(&m->file, &array, 0, array.shape[0], &numbers));
    memset(to, 0, 3 * m->nodes * sizeof *to);
    for (uint64_t k = 0; k < used; k++)
        for (size_t i = 0; i < m->nodes; i++) toc_numbers_as_doubles(&numbers, k * m->nodes + i, 1, to + 3 * i + k);
    toc_numbers_free(&m->allocator, &numbers);
    for (size_t i = 0; i < 3 * m->nodes; i++)
        if (!isfinite(to[i])) return med_fail(m, "a coordinate or a displacement is not finite");
    return TOC_OK;
}

static toc_status read_med_nodes(med *m) {
    uint64_t coordinates;
    int64_t count;
    TOC_TRY(need_group(m, m->nodes_group, "COO", &coordinates));
    TOC_TRY(need_integer(m, coordinates, "NBR", &count));
    toc_hdf5_array array;
    if (count < 1 || count >= UINT32_MAX) return med_fail(m, "so many nodes cannot be");
    m->nodes = (size_t)count;
    TOC_TRY(need_numbers(m, coordinates, m->nodes, m->dimensions, &array));
    m->rest = toc_new(&m->allocator, 3 * m->nodes, sizeof *m->rest);
    return m->rest ? read_components(m, coordinates, m->dimensions, m->rest) : TOC_OUT_OF_MEMORY;
}

// ---- fields

/// Whether a field is the displacement: DEPL behind the name of a result, as Code_Aster writes it, or a name in
/// English.
static bool is_displacement(toc_text name) {
    static const char *const names[] = {"displacement", "displacements", "disp", "u"};
    static const char end[] = "DEPL";
    const size_t length = sizeof end - 1;
    if (name.count >= length && strncasecmp(name.at + name.count - length, end, length) == 0) return true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (name.count == strlen(names[i]) && strncasecmp(name.at, names[i], name.count) == 0) return true;
    return false;
}

static toc_status med_take_step(void *user, toc_text name, uint64_t object) {
    (void)name;
    med *m = user;
    toc_hdf5_array of;
    med_step step = {.values = TOC_HDF5_NONE};
    uint64_t group = TOC_HDF5_NONE;
    bool found = false;
    if (object != TOC_HDF5_NONE) TOC_TRY(toc_hdf5_find(&m->file, object, "NOE/MED_NO_PROFILE_INTERNAL/CO", &group));
    if (group == TOC_HDF5_NONE) return TOC_OK; // not on all nodes
    step.values = group;
    TOC_TRY(toc_hdf5_attribute(&m->file, object, "PDT", &of, &found));
    if (found) TOC_TRY(toc_hdf5_doubles(&m->file, &of, 0, 1, 1, &step.time));
    if (!isfinite(step.time)) return med_fail(m, "the time of a step is no number");
    TOC_TRY(toc_array_reserve(&m->allocator, &m->steps, 1));
    m->steps.at[m->steps.count++] = step;
    return TOC_OK;
}

static toc_status med_take_field(void *user, toc_text name, uint64_t object) {
    med *m = user;
    int64_t components;
    bool found;
    if (m->steps.count > 0 || object == TOC_HDF5_NONE || !is_displacement(name)) return TOC_OK;
    TOC_TRY(med_integer(m, object, "NCO", &components, &found));
    if (!found || components < 1 || components > 64) return TOC_OK;
    m->components = (uint64_t)components;
    return toc_hdf5_list(&m->file, object, med_take_step, m);
}

static int compare_steps(const void *a, const void *b) {
    const double s = ((const med_step *)a)->time, t = ((const med_step *)b)->time;
    return (s > t) - (s < t);
}

static toc_status find_steps(med *m) {
    uint64_t fields;
    TOC_TRY(toc_hdf5_find(&m->file, m->file.root, "CHA", &fields));
    if (fields != TOC_HDF5_NONE) TOC_TRY(toc_hdf5_list(&m->file, fields, med_take_field, m));
    if (m->steps.count > 0) qsort(m->steps.at, m->steps.count, sizeof *m->steps.at, compare_steps);
    m->rests_first = m->steps.count <= 1 || m->steps.at[0].time > 0;
    return TOC_OK;
}

static toc_status med_open_file(med *m, const char *path) {
    m->path_size = strlen(path) + 1;
    m->path = toc_new(&m->allocator, m->path_size, 1);
    if (!m->path) return TOC_OUT_OF_MEMORY;
    memcpy(m->path, path, m->path_size);
    TOC_TRY(toc_source_open_as_is(m->path, &m->allocator, &m->source));
    m->is_open = true;
    TOC_TRY(toc_hdf5_open(&m->source, &m->file));
    TOC_TRY(find_med_mesh(m));
    TOC_TRY(read_med_nodes(m));
    return find_steps(m);
}

static void close_med(void *frames) {
    med *m = frames;
    const toc_allocator memory = m->allocator;
    if (m->is_open) toc_source_close(&m->source);
    toc_array_free(&memory, &m->steps);
    toc_free(&memory, m->rest, 3 * m->nodes, sizeof *m->rest);
    toc_free(&memory, m->path, m->path_size, 1);
    toc_free(&memory, m, 1, sizeof *m);
}

static toc_status open_med(const char *path, const toc_frame_wish *wish, const toc_allocator *allocator,
                           void **frames) {
    (void)wish;
    const toc_allocator memory = toc_allocator_or_default(allocator);
    med *m = toc_new(&memory, 1, sizeof *m);
    if (!m) return TOC_OUT_OF_MEMORY;
    m->allocator = memory;
    const toc_status status = med_open_file(m, path);
    if (status == TOC_OK)
        *frames = m;
    else
        close_med(m);
    return status;
}

static size_t count_med_frames(const void *frames) {
    const med *m = frames;
    return m->steps.count + m->rests_first;
}

static const med_step *med_step_of(const med *m, size_t frame) {
    return m->rests_first && frame == 0 ? NULL : &m->steps.at[frame - m->rests_first];
}

static double med_time_of(const void *frames, size_t frame) {
    const med_step *step = med_step_of(frames, frame);
    return step ? step->time : 0;
}

static toc_status med_read_positions(void *frames, size_t frame, double *x) {
    med *m = frames;
    const med_step *step = med_step_of(m, frame);
    if (step) {
        TOC_TRY(read_components(m, step->values, m->components, x));
    } else {
        memset(x, 0, 3 * m->nodes * sizeof *x);
    }
    for (size_t i = 0; i < 3 * m->nodes; i++) x[i] += m->rest[i];
    return toc_source_is_settled(&m->source);
}

// ---- elements

static toc_status med_add_elements(med *m, const med_type *type, size_t count, const toc_numbers *nodes,
                                   const int64_t *families, toc_mesh_parts *parts) {
    const int corner_count = toc_shape_count_corners(type->shape);
    for (size_t i = 0; i < count; i++) {
        uint32_t corners[8];
        for (int k = 0; k < corner_count; k++) {
            int64_t node;
            toc_numbers_as_integers(nodes, type->corners[k] * count + i, 1, &node);
            if (node < 1 || (uint64_t)node > m->nodes)
                return toc_fail(TOC_BAD_INPUT, "%s: byte 0: %s element %zu: node %lld is used, but there are %zu",
                                m->path, type->name, i + 1, (long long)node, m->nodes);
            corners[k] = (uint32_t)(node - 1);
        }
        if (families[i] < -INT32_MAX || families[i] > INT32_MAX) return med_fail(m, "a family has 32 bits");
        // Families of elements are below 0.
        TOC_TRY(toc_parts_add(parts, &m->allocator, type->shape, corners, (int32_t)llabs(families[i])));
    }
    return TOC_OK;
}

static toc_status read_families(med *m, uint64_t group, size_t count, int64_t *out) {
    toc_hdf5_array array;
    uint64_t families;
    TOC_TRY(toc_hdf5_find(&m->file, group, "FAM", &families));
    if (families == TOC_HDF5_NONE) return TOC_OK;
    TOC_TRY(need_numbers(m, families, count, 1, &array));
    return toc_hdf5_integers(&m->file, &array, 0, count, 1, out);
}

static toc_status med_read_type(med *m, const med_type *type, uint64_t group, toc_mesh *mesh, toc_mesh_parts *parts) {
    toc_hdf5_array array;
    toc_numbers nodes;
    uint64_t object;
    int64_t number;
    TOC_TRY(need_group(m, group, "NOD", &object));
    TOC_TRY(need_integer(m, object, "NBR", &number));
    if (number == 0) return TOC_OK;
    if (number < 0 || number >= UINT32_MAX) return med_fail(m, "so many elements cannot be");
    const size_t count = (size_t)number;
    TOC_TRY(need_numbers(m, object, count, type->nodes, &array));
    if (!toc_number_is_integer(array.type)) return med_fail(m, "the nodes of elements are not integers");
    int64_t *families = toc_new(&m->allocator, count, sizeof *families);
    if (!families) return TOC_OUT_OF_MEMORY;
    toc_status status = read_families(m, group, count, families);
    if (status == TOC_OK) status = toc_hdf5_numbers(&m->file, &array, 0, array.shape[0], &nodes);
    if (status == TOC_OK) {
        status = med_add_elements(m, type, count, &nodes, families, parts);
        toc_numbers_free(&m->allocator, &nodes);
    }
    toc_free(&m->allocator, families, count, sizeof *families);
    if (type->nodes > toc_shape_count_corners(type->shape)) mesh->higher_order += count;
    return status;
}

static toc_status check_types(void *user, toc_text name, uint64_t object) {
    (void)object;
    med *m = user;
    for (size_t i = 0; i < sizeof med_types / sizeof *med_types; i++)
        if (toc_text_is(name, med_types[i].name)) return TOC_OK;
    return toc_fail(TOC_BAD_INPUT, "%s: byte 0: elements of the type %.*s are not read", m->path, (int)name.count,
                    name.at);
}

static toc_status med_read_elements(med *m, toc_mesh *mesh, toc_mesh_parts *parts) {
    TOC_TRY(toc_hdf5_list(&m->file, m->elements_group, check_types, m));
    for (size_t i = 0; i < sizeof med_types / sizeof *med_types; i++) {
        uint64_t group;
        TOC_TRY(toc_hdf5_find(&m->file, m->elements_group, med_types[i].name, &group));
        if (group != TOC_HDF5_NONE) TOC_TRY(med_read_type(m, &med_types[i], group, mesh, parts));
    }
    return TOC_OK;
}

// ---- names of families

typedef struct family_namer {
    med *m;
    toc_mesh *mesh;
} family_namer;

/// The names of the groups of a family, joined; the family's own name where it has none.
static toc_status name_family(void *user, toc_text name, uint64_t object) {
    family_namer *f = user;
    med *m = f->m;
    toc_hdf5_array array;
    uint64_t groups;
    int64_t number;
    bool found = false;
    char joined[256] = {0}, one[GROUP_NAME_WIDTH + 1];
    if (object != TOC_HDF5_NONE) TOC_TRY(med_integer(m, object, "NUM", &number, &found));
    if (!found || number >= 0 || number < -INT32_MAX) return TOC_OK;
    snprintf(joined, sizeof joined, "%.*s", (int)(name.count < MOST_NAME ? name.count : MOST_NAME), name.at);
    TOC_TRY(toc_hdf5_find(&m->file, object, "GRO/NOM", &groups));
    if (groups != TOC_HDF5_NONE) {
        TOC_TRY(toc_hdf5_describe(&m->file, groups, &array));
        const uint64_t width = toc_hdf5_row_items(&array) * array.item, count = array.rank ? array.shape[0] : 1;
        if (width == GROUP_NAME_WIDTH && count > 0) joined[0] = 0;
        for (uint64_t i = 0; width == GROUP_NAME_WIDTH && i < count; i++) {
            memset(one, 0, sizeof one);
            TOC_TRY(toc_hdf5_row_bytes(&m->file, &array, i, one));
            for (size_t end = strlen(one); end > 0 && one[end - 1] == ' '; end--) one[end - 1] = 0;
            const size_t length = strlen(joined);
            if (length + strlen(one) + 2 > sizeof joined) break;
            snprintf(joined + length, sizeof joined - length, "%s%s", length ? "+" : "", one);
        }
    }
    return toc_mesh_set_group_name(f->mesh, (int32_t)-number, joined);
}

static toc_status name_families(med *m, toc_mesh *mesh) {
    family_namer f = {.m = m, .mesh = mesh};
    uint64_t all, own = TOC_HDF5_NONE, elements = TOC_HDF5_NONE;
    TOC_TRY(toc_hdf5_find(&m->file, m->file.root, "FAS", &all));
    if (all != TOC_HDF5_NONE) TOC_TRY(toc_hdf5_find(&m->file, all, m->mesh_name, &own));
    if (own != TOC_HDF5_NONE) TOC_TRY(toc_hdf5_find(&m->file, own, "ELEME", &elements));
    return elements == TOC_HDF5_NONE ? TOC_OK : toc_hdf5_list(&m->file, elements, name_family, &f);
}

static toc_status build_med(med *m, toc_mesh_parts *parts, toc_mesh *mesh) {
    TOC_TRY(toc_array_reserve(&m->allocator, &parts->positions, 3 * m->nodes));
    TOC_TRY(med_read_positions(m, 0, parts->positions.at));
    parts->positions.count = 3 * m->nodes;
    TOC_TRY(med_read_elements(m, mesh, parts));
    if (parts->runs.count == 0) return toc_fail(TOC_BAD_INPUT, "%s: holds no elements", m->path);
    TOC_TRY(toc_mesh_adopt(mesh, parts));
    return name_families(m, mesh);
}

static toc_status med_read_first(void *frames, toc_mesh *mesh) {
    med *m = frames;
    toc_mesh_parts parts = {.positions = {0}};
    const toc_status status = build_med(m, &parts, mesh);
    toc_parts_free(&parts, &m->allocator);
    return status;
}

static bool med_recognise(const toc_source *source) {
    static const char name[] = "ENS_MAA";
    return toc_hdf5_is(source) &&
           toc_bytes_find(source->begin, (size_t)(source->end - source->begin), name, sizeof name - 1) != NULL;
}

static const toc_frame_methods med_methods = {
    .open = open_med,
    .close = close_med,
    .count = count_med_frames,
    .time = med_time_of,
    .first = med_read_first,
    .positions = med_read_positions,
};

const toc_format toc_format_med = {
    .info = {.name = "med",
             .extensions = ".med .rmed",
             .what = "Salome and Code_Aster: groups, displacements in steps"},
    .recognise = med_recognise,
    .frames = &med_methods,
};
