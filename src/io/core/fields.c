// SPDX-License-Identifier: Apache-2.0
// Fields of a file, by the ids of a mesh that was read from it. The file is read once more: its points must be the
// vertices of the mesh, and its cells the elements that are left, in their order. O(file).
#include "io/core/fields.h"

#include <assert.h>
#include <math.h>

#include "base/arithmetic.h"
#include "io/core/format.h"
#include "io/core/memory_limit.h"
#include "mesh/mesh.h"

typedef struct field_file {
    toc_limited head;
    toc_arena arena;
    toc_field_list list;
    toc_fields shown;
} field_file;

bool toc_fields_want(const toc_source *source, toc_text name, toc_number type, size_t components) {
    return source->fields && name.count > 0 && type != TOC_NUMBER_NONE && (components == 1 || components == 3);
}

toc_status toc_fields_add(const toc_source *source, toc_text name, bool of_elements, size_t components,
                          const toc_numbers *values) {
    assert(components > 0 && values->count % components == 0);
    toc_field_list *list = source->fields;
    TOC_TRY(toc_array_reserve(&source->allocator, &list->fields, 1));
    char *label = toc_arena_new(list->arena, name.count + 1, 1);
    double *numbers = toc_arena_new(list->arena, values->count + 1, sizeof *numbers);
    if (!label || !numbers) return TOC_OUT_OF_MEMORY;
    memcpy(label, name.at, name.count);
    label[name.count] = 0;
    toc_numbers_as_doubles(values, 0, values->count, numbers);
    list->fields.at[list->fields.count++] = (toc_field){.name = label,
                                                        .of_elements = of_elements,
                                                        .components = (uint32_t)components,
                                                        .count = values->count / components,
                                                        .values = numbers};
    return TOC_OK;
}

toc_status toc_fields_new(toc_field_list *list, const char *name, toc_field shape, double **values) {
    const size_t length = strlen(name) + 1;
    assert(shape.components > 0);
    TOC_TRY(toc_array_reserve(&list->arena->allocator, &list->fields, 1));
    char *label = toc_arena_new(list->arena, length, 1);
    *values = toc_arena_new(list->arena, shape.components * shape.count + 1, sizeof **values);
    if (!label || !*values) return TOC_OUT_OF_MEMORY;
    memcpy(label, name, length);
    shape.name = label;
    shape.values = *values;
    list->fields.at[list->fields.count++] = shape;
    return TOC_OK;
}

double toc_fields_von_mises(const double s[6]) {
    const double x = s[0] - s[1], y = s[1] - s[2], z = s[2] - s[0];
    return sqrt(0.5 * (x * x + y * y + z * z) + 3 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]));
}

// ---- to the ids of the mesh

static bool has_points_of(const toc_mesh *mesh, const toc_mesh *file) {
    const size_t count = toc_mesh_get_vertex_count(mesh);
    return toc_mesh_get_vertex_count(file) == count &&
           memcmp(toc_mesh_get_x1(mesh), toc_mesh_get_x1(file), 3 * count * sizeof(double)) == 0;
}

/// Whether the elements of the mesh that are left are those of the file, in their order.
static bool has_cells_of(const toc_mesh *mesh, const toc_mesh *file) {
    const size_t count = toc_mesh_get_element_count(mesh), cells = toc_mesh_get_element_count(file);
    size_t cell = 0;
    for (uint32_t e = 0; e < count; e++) {
        const toc_element own = toc_mesh_get_element(mesh, e);
        if (own.shape == TOC_REMOVED) continue;
        if (cell == cells) return false;
        const toc_element other = toc_mesh_get_element(file, (uint32_t)cell++);
        if (other.shape != own.shape ||
            memcmp(own.corners, other.corners, (size_t)own.corner_count * sizeof *own.corners) != 0)
            return false;
    }
    return cell == cells;
}

/// Values by element ids; those of removed elements are not numbers.
static toc_status spread_cells(field_file *file, const toc_mesh *mesh, toc_field *field) {
    const size_t count = toc_mesh_get_element_count(mesh), each = field->components;
    double *values = toc_arena_new(&file->arena, each * count + 1, sizeof *values);
    if (!values) return TOC_OUT_OF_MEMORY;
    const double *next = field->values;
    for (uint32_t e = 0; e < count; e++) {
        const bool is_left = toc_mesh_get_element(mesh, e).shape != TOC_REMOVED;
        for (size_t k = 0; k < each; k++) values[each * e + k] = is_left ? *next++ : NAN;
    }
    field->values = values;
    field->count = count;
    return TOC_OK;
}

static toc_status keep_fitting(field_file *file, const toc_mesh *mesh, const toc_mesh *read) {
    const size_t vertices = toc_mesh_get_vertex_count(read), cells = toc_mesh_get_element_count(read);
    const bool moved = has_points_of(mesh, read), built = has_cells_of(mesh, read);
    size_t kept = 0;
    for (size_t i = 0; i < file->list.fields.count; i++) {
        toc_field field = file->list.fields.at[i];
        if (!(field.of_elements ? built && field.count == cells : moved && field.count == vertices)) continue;
        if (field.of_elements) TOC_TRY(spread_cells(file, mesh, &field));
        file->list.fields.at[kept++] = field;
    }
    file->shown = (toc_fields){.count = kept, .fields = file->list.fields.at, file->list.fields.count - kept};
    return TOC_OK;
}

// ---- the file

/// Formats with fields. A .pvtu is a file of VTK's, too, but its pieces are joined.
static bool has_fields(const toc_source *source) {
    return !toc_format_pvtu.recognise(source) && (toc_format_vtu.recognise(source) || toc_format_vtk.recognise(source));
}

static toc_status read_fields(field_file *file, const char *path, const toc_mesh *mesh) {
    const toc_format *frames;
    toc_source source;
    TOC_TRY(toc_format_of_frames(path, &file->head.memory, &frames));
    if (frames) return TOC_OK;
    TOC_TRY(toc_source_open(path, &file->head.memory, &source));
    source.fields = &file->list;
    toc_mesh *read = NULL;
    toc_status status = has_fields(&source) ? toc_format_read(NULL, &source, &read) : TOC_OK;
    toc_source_close(&source);
    if (status == TOC_OK && read) status = keep_fitting(file, mesh, read);
    toc_mesh_destroy(read);
    return status;
}

static field_file *field_file_of(toc_fields *fields) {
    return (field_file *)((char *)fields - offsetof(field_file, shown));
}

static toc_status begin_fields(const toc_read_options *options, field_file **out) {
    void *made;
    TOC_TRY(toc_memory_limited_new(options, sizeof(field_file), &made));
    field_file *file = made;
    file->arena = toc_arena_make(&file->head.memory);
    file->list.arena = &file->arena;
    *out = file;
    return TOC_OK;
}

static toc_status end_fields(field_file *file, toc_status status, const char *path, toc_fields **out) {
    toc_memory_limit_explain(&file->head.limit, status, path);
    if (status == TOC_OK)
        *out = &file->shown;
    else
        toc_fields_destroy(&file->shown);
    return status;
}

toc_status toc_fields_read(const char *path, const toc_read_options *options, const toc_mesh *mesh, toc_fields **out) {
    TOC_SCOPED_ARITHMETIC;
    TOC_NEED(path);
    TOC_NEED(mesh);
    TOC_NEED(out);
    field_file *file;
    TOC_TRY(begin_fields(options, &file));
    return end_fields(file, read_fields(file, path, mesh), path, out);
}

// ---- a frame

/// Elements that are gone have results, too, in most files: those of the step in which they went.
static void forget_removed(const toc_mesh *mesh, const toc_field *field) {
    double *values = (double *)field->values; // of the arena
    for (uint32_t e = 0; e < field->count; e++)
        if (toc_mesh_get_element(mesh, e).shape == TOC_REMOVED)
            for (size_t k = 0; k < field->components; k++) values[field->components * e + k] = NAN;
}

static void keep_frame_fields(field_file *file, const toc_mesh *mesh) {
    const size_t vertices = toc_mesh_get_vertex_count(mesh), elements = toc_mesh_get_element_count(mesh);
    size_t kept = 0;
    for (size_t i = 0; i < file->list.fields.count; i++) {
        const toc_field field = file->list.fields.at[i];
        if (field.count != (field.of_elements ? elements : vertices)) continue;
        if (field.of_elements) forget_removed(mesh, &field);
        file->list.fields.at[kept++] = field;
    }
    file->shown = (toc_fields){.count = kept, .fields = file->list.fields.at, file->list.fields.count - kept};
}

toc_status toc_fields_of_frame(const toc_open_frame *from, const toc_read_options *options, const toc_mesh *mesh,
                               toc_fields **out) {
    field_file *file;
    TOC_TRY(begin_fields(options, &file));
    const toc_status status = from->methods->fields(from->frames, from->frame, &file->list);
    if (status == TOC_OK)
        keep_frame_fields(file, mesh);
    else
        toc_fail_file(status, from->path);
    return end_fields(file, status, from->path, out);
}

void toc_fields_destroy(toc_fields *fields) {
    if (!fields) return;
    field_file *file = field_file_of(fields);
    const toc_allocator inner = file->head.limit.inner;
    toc_array_free(&file->head.memory, &file->list.fields);
    toc_arena_free(&file->arena);
    toc_free(&inner, file, 1, sizeof *file);
}
