// SPDX-License-Identifier: Apache-2.0
// Accessors of glTF. Opening one checks its counts against the bytes of its views, so reading
// cannot fail; numbers are converted when they are read and never kept.
#include "io/gltf/accessor.h"

#include <assert.h>

static toc_number accessor_number_of(uint64_t type) {
    static const toc_number types[] = {TOC_INT8,        TOC_UINT8,  TOC_INT16,  TOC_UINT16,
                                       TOC_NUMBER_NONE, TOC_UINT32, TOC_FLOAT32};
    return type >= 5120 && type <= 5126 ? types[type - 5120] : TOC_NUMBER_NONE;
}

static size_t components_of(const toc_json *json, toc_json_id type) {
    static const struct {
        const char *name;
        size_t components;
    } types[] = {{"SCALAR", 1}, {"VEC2", 2}, {"VEC3", 3}, {"VEC4", 4}, {"MAT2", 4}, {"MAT3", 9}, {"MAT4", 16}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (toc_json_is(json, type, types[i].name)) return types[i].components;
    return 0;
}

/// `count` items of `size` bytes, each `stride` behind the one before, in the view that a member names.
static toc_status find_bytes(toc_gltf *file, toc_json_id object, size_t count, size_t size, size_t *stride,
                             const char **out) {
    const toc_json *json = &file->json;
    toc_json_id view;
    uint64_t offset;
    size_t bytes, step;
    const char *at;
    TOC_TRY(toc_gltf_follow(file, object, "bufferView", &file->views, &view));
    if (view == TOC_JSON_NONE) return toc_json_fail(json, object, "\"bufferView\" is missing");
    TOC_TRY(toc_json_count(json, object, "byteOffset", 0, &offset));
    TOC_TRY(toc_gltf_view(file, view, &at, &bytes, &step));
    *stride = step == 0 ? size : step;
    if (step != 0 && step < size) return toc_json_fail(json, view, "\"byteStride\" is less than an item has bytes");
    if (offset > bytes || size > bytes - offset || count - 1 > (bytes - offset - size) / *stride)
        return toc_json_fail(json, object, "%zu items do not fit into the %zu bytes of the buffer view", count, bytes);
    *out = at + offset;
    return TOC_OK;
}

static toc_status check_sparse(const toc_gltf *file, toc_json_id sparse, const toc_accessor *accessor) {
    int64_t before = -1, item;
    for (size_t i = 0; i < accessor->sparse_count; i++, before = item) {
        toc_numbers_as_integers(&accessor->sparse_items, i, 1, &item);
        if (item <= before || (uint64_t)item >= accessor->count)
            return toc_json_fail(&file->json, sparse, "the sparse index %lld does not ascend or is beyond the end",
                                 (long long)item);
    }
    return TOC_OK;
}

static toc_status open_sparse(toc_gltf *file, toc_json_id sparse, toc_accessor *accessor) {
    const toc_json *json = &file->json;
    const toc_json_id indices = toc_json_member(json, sparse, "indices");
    const toc_json_id values = toc_json_member(json, sparse, "values");
    uint64_t count, type;
    size_t stride;
    TOC_TRY(toc_json_count(json, sparse, "count", 0, &count));
    TOC_TRY(toc_json_count(json, indices, "componentType", 0, &type));
    accessor->sparse_items.type = accessor_number_of(type);
    accessor->sparse_count = accessor->sparse_items.count = (size_t)count;
    const size_t size = toc_number_size(accessor->sparse_items.type);
    if (count == 0 || count > accessor->count || size == 0 || !toc_number_is_integer(accessor->sparse_items.type))
        return toc_json_fail(json, sparse, "a sparse accessor without indices");
    TOC_TRY(find_bytes(file, indices, accessor->sparse_count, size, &stride, &accessor->sparse_items.bytes));
    if (stride != size) return toc_json_fail(json, indices, "sparse indices have no stride");
    TOC_TRY(find_bytes(file, values, accessor->sparse_count, toc_number_size(accessor->type) * accessor->components,
                       &stride, &accessor->sparse_bytes));
    return check_sparse(file, sparse, accessor);
}

static toc_status open_one(toc_gltf *file, toc_json_id id, toc_accessor *out) {
    const toc_json *json = &file->json;
    uint64_t type, count;
    TOC_TRY(toc_json_count(json, id, "componentType", 0, &type));
    TOC_TRY(toc_json_count(json, id, "count", 0, &count));
    *out =
        (toc_accessor){.id = id,
                       .type = accessor_number_of(type),
                       .normalized = toc_json_kind_of(json, toc_json_member(json, id, "normalized")) == TOC_JSON_TRUE,
                       .components = components_of(json, toc_json_member(json, id, "type")),
                       .count = (size_t)count};
    const size_t size = toc_number_size(out->type) * out->components;
    if (size == 0) return toc_json_fail(json, id, "an accessor of an unknown type");
    if (count == 0) return toc_json_fail(json, id, "an accessor without items");
    if (toc_json_member(json, id, "bufferView") != TOC_JSON_NONE)
        TOC_TRY(find_bytes(file, id, out->count, size, &out->stride, &out->bytes));
    const toc_json_id sparse = toc_json_member(json, id, "sparse");
    return sparse == TOC_JSON_NONE ? TOC_OK : open_sparse(file, sparse, out);
}

toc_status toc_accessor_open(toc_gltf *file, toc_json_id object, const char *name, size_t components,
                             toc_accessor *out) {
    assert(components > 0);
    toc_json_id id;
    *out = (toc_accessor){.id = object};
    TOC_TRY(toc_gltf_follow(file, object, name, &file->accessors, &id));
    if (id == TOC_JSON_NONE) return TOC_OK;
    TOC_TRY(open_one(file, id, out));
    if (out->components == components) return TOC_OK;
    return toc_json_fail(&file->json, id, "this accessor is used as \"%s\", which takes %zu components, not %zu", name,
                         components, out->components);
}

toc_status toc_accessor_fail(const toc_gltf *file, const toc_accessor *accessor, size_t item, const char *sentence) {
    toc_source *source = file->json.source;
    const char *at = accessor->bytes ? accessor->bytes + item * accessor->stride : NULL;
    if (at < source->begin || at >= source->end) return toc_json_fail(&file->json, accessor->id, "%s", sentence);
    source->at = at;
    return toc_source_fail_byte(source, "%s", sentence);
}

static void read_packed(const toc_accessor *accessor, const char *bytes, size_t count, double *to) {
    const size_t numbers = count * accessor->components;
    const toc_numbers view = {.type = accessor->type, .count = numbers, .bytes = bytes};
    toc_numbers_as_doubles(&view, 0, numbers, to);
}

static void read_plain(const toc_accessor *accessor, size_t first, size_t count, double *to) {
    assert(first + count <= accessor->count);
    const char *at = accessor->bytes ? accessor->bytes + first * accessor->stride : NULL;
    const size_t size = toc_number_size(accessor->type) * accessor->components;
    if (!at) {
        memset(to, 0, count * accessor->components * sizeof *to);
    } else if (accessor->stride == size) {
        read_packed(accessor, at, count, to);
    } else {
        for (; count > 0; count--, at += accessor->stride, to += accessor->components) read_packed(accessor, at, 1, to);
    }
}

/// The first sparse value that belongs to this item or one behind it.
static size_t find_sparse(const toc_accessor *accessor, size_t item) {
    size_t low = 0, high = accessor->sparse_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        int64_t index;
        toc_numbers_as_integers(&accessor->sparse_items, middle, 1, &index);
        if ((size_t)index < item)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void read_sparse(const toc_accessor *accessor, size_t first, size_t count, double *to) {
    assert(first + count <= accessor->count);
    const size_t size = toc_number_size(accessor->type) * accessor->components;
    for (size_t i = find_sparse(accessor, first); i < accessor->sparse_count; i++) {
        int64_t item;
        toc_numbers_as_integers(&accessor->sparse_items, i, 1, &item);
        if ((size_t)item >= first + count) break;
        read_packed(accessor, accessor->sparse_bytes + i * size, 1, to + ((size_t)item - first) * accessor->components);
    }
}

static void normalize(toc_number type, size_t count, double *to) {
    const int bits = 8 * (int)toc_number_size(type) - (type < TOC_UINT8);
    const double most = (double)((1ull << bits) - 1);
    for (size_t i = 0; i < count; i++) to[i] = to[i] < -most ? -1 : to[i] / most;
}

void toc_accessor_read(const toc_accessor *accessor, size_t first, size_t count, double *to) {
    assert(first + count <= accessor->count);
    read_plain(accessor, first, count, to);
    if (accessor->sparse_count > 0) read_sparse(accessor, first, count, to);
    if (accessor->normalized && toc_number_is_integer(accessor->type))
        normalize(accessor->type, count * accessor->components, to);
}
