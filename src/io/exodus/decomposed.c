// SPDX-License-Identifier: Apache-2.0
// A decomposed Exodus file, read through any of its parts. The numbers of nodes and elements in the parts are those of
// the whole file: nodes are joined by them (io/core/join.h). It has the frames that all parts have. Beside the first
// part, one part is open at a time.
#include "io/exodus/decomposed.h"

#include <assert.h>
#include <stdio.h>

#include "io/core/join.h"
#include "mesh/mesh.h"

#ifdef TOC_NETCDF_LIBRARY

// ---- names

/// The number behind the last dot before `end`.
static bool read_part_number(const char *path, size_t end, size_t *dot, uint32_t *number) {
    uint64_t value = 0;
    size_t at = end;
    while (at > 0 && path[at - 1] >= '0' && path[at - 1] <= '9') at--;
    if (at == end || end - at > 9 || at < 2 || path[at - 1] != '.') return false;
    for (size_t i = at; i < end; i++) value = 10 * value + (uint64_t)(path[i] - '0');
    *dot = at - 1;
    *number = (uint32_t)value;
    return true;
}

bool toc_part_name_read(const char *path, toc_part_name *out) {
    const size_t length = strlen(path);
    size_t before;
    if (!read_part_number(path, length, &out->stem, &out->number)) return false;
    if (!read_part_number(path, out->stem, &before, &out->count)) return false;
    out->width = (int)(length - out->stem - 1);
    return out->number < out->count;
}

bool toc_part_name_same(const char *a, const char *b) {
    toc_part_name x, y;
    return toc_part_name_read(a, &x) && toc_part_name_read(b, &y) && x.stem == y.stem && x.width == y.width &&
           memcmp(a, b, x.stem) == 0;
}

// ---- parts

typedef struct decomposed_part {
    char *path;
    size_t path_size;
    size_t nodes;
} decomposed_part;

typedef struct decomposed {
    toc_allocator memory;
    void *lead; // the frames of the file, or of the first part
    bool is_whole;
    uint32_t count; // parts of the whole file
    bool is_share;
    TOC_ARRAY(decomposed_part) parts; // that are read
    size_t frames;                    // that all of them have
    toc_join join;
    TOC_ARRAY(double) values; // of one part
} decomposed;

static toc_status fail_part(const decomposed *d, size_t i, toc_status status) {
    assert(i < d->parts.count);
    if (status != TOC_BAD_INPUT) return status;
    toc_fail_file(status, d->parts.at[i].path);
    return toc_fail_in(status, "a decomposed file of %u parts", d->count);
}

static toc_status open_part_frames(const decomposed *d, size_t i, void **frames) {
    const toc_status status =
        toc_exodus_file.open(d->parts.at[i].path, &(toc_frame_wish){.rate = 1}, &d->memory, frames);
    return status == TOC_OK ? TOC_OK : fail_part(d, i, status);
}

static toc_status add_part_path(decomposed *d, const char *path, const toc_part_name *name, uint32_t number) {
    const size_t size = name->stem + 16;
    char *text = toc_new(&d->memory, size, 1);
    if (!text) return TOC_OUT_OF_MEMORY;
    snprintf(text, size, "%.*s.%0*u", (int)name->stem, path, name->width, number);
    d->parts.at[d->parts.count++] = (decomposed_part){text, size, 0};
    return TOC_OK;
}

/// The parts of the share: consecutive ones.
static toc_status list_share(decomposed *d, const char *path, const toc_part_name *name, toc_piece_share share) {
    assert(share.count == 0 || share.index < share.count);
    const uint64_t shares = share.count > 0 ? share.count : 1;
    const uint32_t first = (uint32_t)(name->count * (uint64_t)share.index / shares),
                   end = (uint32_t)(name->count * ((uint64_t)share.index + 1) / shares);
    d->count = name->count;
    d->is_share = share.count > 0;
    TOC_TRY(toc_array_reserve(&d->memory, &d->parts, end - first));
    for (uint32_t number = first; number < end; number++) TOC_TRY(add_part_path(d, path, name, number));
    return TOC_OK;
}

/// The frames that the parts of the share have; a part that is missing is noticed here.
static toc_status count_part_frames(decomposed *d) {
    d->frames = toc_exodus_file.count(d->lead);
    for (size_t i = 0; i < d->parts.count; i++) {
        void *frames;
        TOC_TRY(open_part_frames(d, i, &frames));
        const size_t count = toc_exodus_file.count(frames);
        toc_exodus_file.close(frames);
        d->frames = count < d->frames ? count : d->frames;
    }
    return TOC_OK;
}

static toc_status open_parts(decomposed *d, const char *path, const toc_part_name *name, const toc_frame_wish *wish) {
    TOC_TRY(toc_array_reserve(&d->memory, &d->parts, 1));
    TOC_TRY(add_part_path(d, path, name, 0)); // for the times
    d->count = name->count;
    TOC_TRY(open_part_frames(d, 0, &d->lead));
    toc_free(&d->memory, d->parts.at[0].path, d->parts.at[0].path_size, 1);
    d->parts.count = 0;
    TOC_TRY(list_share(d, path, name, wish->share));
    return count_part_frames(d);
}

// ---- frames

static void close_decomposed(void *frames) {
    decomposed *d = frames;
    const toc_allocator memory = d->memory;
    if (d->lead) toc_exodus_file.close(d->lead);
    for (size_t i = 0; i < d->parts.count; i++) toc_free(&memory, d->parts.at[i].path, d->parts.at[i].path_size, 1);
    toc_array_free(&memory, &d->parts);
    toc_array_free(&memory, &d->values);
    toc_join_free(&d->join);
    toc_free(&memory, d, 1, sizeof *d);
}

static toc_status open_decomposed(const char *path, const toc_frame_wish *wish, const toc_allocator *allocator,
                                  void **frames) {
    const toc_allocator memory = toc_allocator_or_default(allocator);
    toc_part_name name;
    decomposed *d = toc_new(&memory, 1, sizeof *d);
    if (!d) return TOC_OUT_OF_MEMORY;
    d->memory = memory;
    d->join = (toc_join){.memory = memory, .vertices = "nodes", .elements = "elements", .label = "number"};
    d->is_whole = !toc_part_name_read(path, &name);
    const toc_status status =
        d->is_whole ? toc_exodus_file.open(path, wish, allocator, &d->lead) : open_parts(d, path, &name, wish);
    if (status == TOC_OK)
        *frames = d;
    else
        close_decomposed(d);
    return status;
}

static size_t count_decomposed(const void *frames) {
    const decomposed *d = frames;
    return d->is_whole ? toc_exodus_file.count(d->lead) : d->frames;
}

static double decomposed_time(const void *frames, size_t frame) {
    const decomposed *d = frames;
    return toc_exodus_file.time(d->lead, frame);
}

/// Without maps all parts would count from 1.
static toc_status check_part_maps(const decomposed *d, size_t i, const toc_mesh *mesh) {
    const bool has_elements = toc_mesh_get_element_count(mesh) > 0;
    if (d->count == 1 || (mesh->vertex_labels.each.count > 0 && (mesh->element_labels.each.count > 0 || !has_elements)))
        return TOC_OK;
    return fail_part(d, i,
                     toc_fail(TOC_BAD_INPUT, "the numbers of its nodes or elements in the whole file are missing "
                                             "(node_num_map, elem_num_map)"));
}

static toc_status read_part(decomposed *d, size_t i) {
    toc_mesh *mesh;
    void *frames;
    TOC_TRY(toc_mesh_create(&d->memory, &mesh));
    d->join.pieces.at[d->join.pieces.count++] = (toc_join_piece){mesh, d->parts.at[i].path};
    TOC_TRY(open_part_frames(d, i, &frames));
    toc_status status = toc_exodus_file.first(frames, mesh);
    toc_exodus_file.close(frames);
    if (status != TOC_OK) return fail_part(d, i, status);
    d->parts.at[i].nodes = toc_mesh_get_vertex_count(mesh);
    return check_part_maps(d, i, mesh);
}

static toc_status join_parts(decomposed *d, toc_mesh *mesh) {
    TOC_TRY(toc_array_reserve(&d->memory, &d->join.pieces, d->parts.count));
    for (size_t i = 0; i < d->parts.count; i++) TOC_TRY(read_part(d, i));
    return toc_join_pieces(&d->join, mesh);
}

static toc_status read_first_decomposed(void *frames, toc_mesh *mesh) {
    decomposed *d = frames;
    const toc_status status = d->is_whole ? toc_exodus_file.first(d->lead, mesh) : join_parts(d, mesh);
    toc_join_drop(&d->join);
    if (status != TOC_OK || d->is_share || toc_mesh_get_element_count(mesh) > 0) return status;
    return toc_fail(TOC_BAD_INPUT, "holds no elements");
}

/// Positions or velocities of a frame of one part; `known` NULL for positions.
static toc_status read_part_values(decomposed *d, size_t i, size_t frame, bool *known) {
    void *frames;
    TOC_TRY(toc_array_reserve(&d->memory, &d->values, 3 * d->parts.at[i].nodes));
    TOC_TRY(open_part_frames(d, i, &frames));
    const toc_status status = known ? toc_exodus_file.velocities(frames, frame, d->values.at, known)
                                    : toc_exodus_file.positions(frames, frame, d->values.at);
    toc_exodus_file.close(frames);
    return status == TOC_OK ? TOC_OK : fail_part(d, i, status);
}

static void scatter_part(const decomposed *d, size_t i, double *x) {
    const uint32_t *places = d->join.places.at + d->join.first.at[i];
    for (size_t v = 0; v < d->parts.at[i].nodes; v++)
        memcpy(x + 3 * (size_t)places[v], d->values.at + 3 * v, 3 * sizeof *x);
}

static toc_status read_decomposed_positions(void *frames, size_t frame, double *x) {
    decomposed *d = frames;
    if (d->is_whole) return toc_exodus_file.positions(d->lead, frame, x);
    for (size_t i = d->parts.count; i-- > 0;) { // the first part has the last word
        TOC_TRY(read_part_values(d, i, frame, NULL));
        scatter_part(d, i, x);
    }
    return TOC_OK;
}

static toc_status read_decomposed_velocities(void *frames, size_t frame, double *v, bool *known) {
    decomposed *d = frames;
    if (d->is_whole) return toc_exodus_file.velocities(d->lead, frame, v, known);
    *known = d->parts.count > 0;
    for (size_t i = d->parts.count; i-- > 0;) {
        bool has;
        TOC_TRY(read_part_values(d, i, frame, &has));
        *known &= has;
        scatter_part(d, i, v);
    }
    return TOC_OK;
}

/// Those of parts are not joined.
static toc_status read_decomposed_fields(void *frames, size_t frame, struct toc_field_list *list) {
    decomposed *d = frames;
    return d->is_whole ? toc_exodus_file.fields(d->lead, frame, list) : TOC_OK;
}

const toc_frame_methods toc_exodus_decomposed = {
    .open = open_decomposed,
    .close = close_decomposed,
    .count = count_decomposed,
    .time = decomposed_time,
    .first = read_first_decomposed,
    .positions = read_decomposed_positions,
    .velocities = read_decomposed_velocities,
    .fields = read_decomposed_fields,
};

#else

bool toc_part_name_read(const char *path, toc_part_name *out) {
    (void)path, (void)out;
    return false;
}

bool toc_part_name_same(const char *a, const char *b) {
    (void)a, (void)b;
    return false;
}

#endif
