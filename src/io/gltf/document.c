// SPDX-License-Identifier: Apache-2.0
// The storage of glTF: JSON alone (.gltf) or with a binary part behind it (.glb); buffers in that part, in the JSON as
// base64, or in files beside it. A buffer is decoded or opened on first use; pictures never are. After the glTF 2.0
// specification, Khronos 2021.
#include "io/gltf/document.h"

#include <assert.h>

#include "base/platform/platform.h"
#include "io/core/base64.h"

enum { MAGIC = 0x46546c67, JSON_CHUNK = 0x4e4f534a, BINARY_CHUNK = 0x004e4942, HEADER = 12, CHUNK_HEADER = 8 };

static bool is_glb(const toc_source *source) {
    return source->end - source->begin >= HEADER && toc_load_u32(source->begin, false) == MAGIC;
}

bool toc_gltf_recognise(const toc_source *source) {
    enum { EARLY = 4096 };
    static const char asset[] = "\"asset\"";
    if (is_glb(source)) return true;
    toc_source ahead = *source;
    ahead.at = ahead.begin;
    const size_t size = (size_t)(source->end - source->begin);
    return toc_source_skip_space(&ahead) && *ahead.at == '{' &&
           toc_bytes_find(source->begin, size < EARLY ? size : EARLY, asset, sizeof asset - 1);
}

/// The chunk at the present position, which moves behind it.
static toc_status take_chunk(toc_source *source, const char *end, uint32_t *type, const char **bytes, size_t *count) {
    if (end - source->at < CHUNK_HEADER) return toc_source_fail_byte(source, "the file ends before a chunk");
    *count = toc_load_u32(source->at, false);
    *type = toc_load_u32(source->at + 4, false);
    *bytes = source->at + CHUNK_HEADER;
    if (*count > (size_t)(end - *bytes))
        return toc_source_fail_byte(source, "a chunk of %zu bytes, but only %zu follow", *count,
                                    (size_t)(end - *bytes));
    source->at = *bytes + *count;
    return TOC_OK;
}

static toc_status open_glb(toc_source *source, toc_gltf *file, const char **begin, const char **end) {
    source->at = source->begin + 4;
    const uint32_t version = toc_load_u32(source->at, false), length = toc_load_u32(source->at + 4, false);
    if (version != 2) return toc_source_fail_byte(source, "glTF of version %u; only version 2 is read", version);
    source->at += 4;
    if (length > (size_t)(source->end - source->begin))
        return toc_source_fail_byte(source, "%u bytes are promised, but the file has %zu", length,
                                    (size_t)(source->end - source->begin));
    const char *all = source->begin + length, *bytes;
    uint32_t type = 0;
    size_t count = 0;
    source->at = source->begin + HEADER;
    TOC_TRY(take_chunk(source, all, &type, begin, &count));
    if (type != JSON_CHUNK) return toc_source_fail_byte(source, "the first chunk is not JSON");
    *end = *begin + count;
    while (source->at < all && !file->chunk) {
        TOC_TRY(take_chunk(source, all, &type, &bytes, &count));
        if (type != BINARY_CHUNK) continue;
        file->chunk = bytes;
        file->chunk_size = count;
    }
    return TOC_OK;
}

toc_status toc_gltf_list_make(toc_gltf *file, toc_json_id array, toc_gltf_list *out) {
    const toc_json *json = &file->json;
    TOC_TRY(toc_array_reserve(&json->source->allocator, out, toc_json_length(json, array)));
    for (toc_json_id i = toc_json_first(json, array); i != TOC_JSON_NONE; i = toc_json_next(json, array, i))
        out->at[out->count++] = i;
    return TOC_OK;
}

static toc_status make_lists(toc_gltf *file) {
    const struct {
        const char *name;
        toc_gltf_list *list;
    } lists[] = {{"buffers", &file->buffer_list}, {"bufferViews", &file->views}, {"accessors", &file->accessors},
                 {"nodes", &file->nodes},         {"meshes", &file->meshes},     {"materials", &file->materials},
                 {"skins", &file->skins}};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        TOC_TRY(toc_gltf_list_make(file, toc_json_member(&file->json, 0, lists[i].name), lists[i].list));
    const size_t count = file->buffer_list.count;
    TOC_TRY(toc_array_reserve(&file->json.source->allocator, &file->buffers, count));
    for (size_t i = 0; i < count; i++) file->buffers.at[i] = (toc_gltf_buffer){0};
    file->buffers.count = count;
    return TOC_OK;
}

static toc_status check_version(const toc_json *json) {
    const toc_json_id asset = toc_json_member(json, 0, "asset"), version = toc_json_member(json, asset, "version");
    char text[16] = "";
    if (asset == TOC_JSON_NONE) return toc_json_fail(json, 0, "no \"asset\": this is not glTF");
    if (toc_json_kind_of(json, version) == TOC_JSON_STRING && toc_json_text(json, version, NULL) < sizeof text)
        toc_json_text(json, version, text);
    if (strncmp(text, "2.", 2) == 0) return TOC_OK;
    return toc_json_fail(json, asset, "glTF of version \"%s\"; only version 2 is read", text);
}

/// Extensions that may be required without a change of the mesh: they concern colours, or types of numbers that are
/// supported anyway.
static bool is_harmless(const char *extension) {
    static const char *const beginnings[] = {"KHR_mesh_quantization", "KHR_materials_", "KHR_texture_", "EXT_texture_",
                                             "KHR_lights_",           "KHR_xmp",        "MSFT_texture"};
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (strncmp(extension, beginnings[i], strlen(beginnings[i])) == 0) return true;
    return false;
}

static toc_status check_extensions(const toc_json *json) {
    const toc_json_id required = toc_json_member(json, 0, "extensionsRequired");
    for (toc_json_id i = toc_json_first(json, required); i != TOC_JSON_NONE; i = toc_json_next(json, required, i)) {
        char name[64] = "";
        if (toc_json_kind_of(json, i) == TOC_JSON_STRING && toc_json_text(json, i, NULL) < sizeof name)
            toc_json_text(json, i, name);
        if (!is_harmless(name)) return toc_json_fail(json, i, "the extension \"%s\" is needed, but not read", name);
    }
    return TOC_OK;
}

toc_status toc_gltf_open(toc_source *source, toc_gltf *out) {
    *out = (toc_gltf){.json.source = source};
    const char *begin = source->begin, *end = source->end;
    const bool binary = is_glb(source);
    if (binary) TOC_TRY(open_glb(source, out, &begin, &end));
    if (!binary && end - begin >= 3 && memcmp(begin, "\xef\xbb\xbf", 3) == 0) begin += 3; // a mark of UTF-8
    TOC_TRY(toc_json_parse(source, begin, end, binary, &out->json));
    TOC_TRY(check_version(&out->json));
    TOC_TRY(check_extensions(&out->json));
    return make_lists(out);
}

static void free_buffer(const toc_allocator *memory, toc_gltf_buffer *buffer) {
    if (buffer->file.begin) toc_source_close(&buffer->file);
    toc_free(memory, buffer->block, buffer->count, 1);
    toc_free(memory, buffer->path, buffer->path_size, 1);
}

void toc_gltf_free(toc_gltf *file) {
    const toc_allocator *memory = &file->json.source->allocator;
    for (size_t i = 0; i < file->buffers.count; i++) free_buffer(memory, &file->buffers.at[i]);
    toc_array_free(memory, &file->buffers);
    toc_array_free(memory, &file->buffer_list);
    toc_array_free(memory, &file->views);
    toc_array_free(memory, &file->accessors);
    toc_array_free(memory, &file->nodes);
    toc_array_free(memory, &file->meshes);
    toc_array_free(memory, &file->materials);
    toc_array_free(memory, &file->skins);
    toc_json_free(&file->json);
}

toc_status toc_gltf_is_settled(const toc_gltf *file) {
    for (size_t i = 0; i < file->buffers.count; i++) TOC_TRY(toc_source_is_settled(&file->buffers.at[i].file));
    return toc_source_is_settled(file->json.source);
}

// Buffers.

static toc_status decode_data(const toc_gltf *file, toc_json_id at, const char *text, size_t length,
                              toc_gltf_buffer *buffer) {
    const toc_json *json = &file->json;
    static const char mark[] = ";base64,";
    const char *data = toc_bytes_find(text, length < 256 ? length : 256, mark, sizeof mark - 1);
    if (!data) return toc_json_fail(json, at, "a buffer that is not in base64");
    data += sizeof mark - 1;
    const size_t letters = (size_t)(text + length - data);
    if (buffer->count > letters / 4 * 3 + 3)
        return toc_json_fail(json, at, "a buffer of %zu bytes, but only %zu letters", buffer->count, letters);
    buffer->block = toc_new(&json->source->allocator, buffer->count, 1);
    if (!buffer->block) return TOC_OUT_OF_MEMORY;
    if (!toc_base64_decode(data, text + length, buffer->count, buffer->block))
        return toc_json_fail(json, at, "the base64 of this buffer ends early or has other letters");
    buffer->bytes = buffer->block;
    return TOC_OK;
}

static int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    return (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1;
}

/// %20 and the like, in place.
static void decode_percents(char *text) {
    char *to = text;
    for (; *text; text++) {
        const int high = *text == '%' ? hex_digit(text[1]) : -1, low = high >= 0 ? hex_digit(text[2]) : -1;
        *to++ = high >= 0 && low >= 0 ? (char)(16 * high + low) : *text;
        if (high >= 0 && low >= 0) text += 2;
    }
    *to = 0;
}

/// Open the file beside this one; a failure names its place in the JSON.
static toc_status gltf_doc_open_beside(const toc_gltf *file, toc_json_id at, const char *name,
                                       toc_gltf_buffer *buffer) {
    const toc_json *json = &file->json;
    toc_source *source = json->source;
    const char *slash = strrchr(source->path, '/');
    const size_t folder = slash ? (size_t)(slash - source->path) + 1 : 0;
    if (name[0] == '/' || strchr(name, ':')) return toc_json_fail(json, at, "a buffer that is no file beside this one");
    buffer->path_size = folder + strlen(name) + 1;
    buffer->path = toc_new(&source->allocator, buffer->path_size, 1);
    if (!buffer->path) return TOC_OUT_OF_MEMORY;
    memcpy(buffer->path, source->path, folder);
    memcpy(buffer->path + folder, name, strlen(name));
    decode_percents(buffer->path + folder);
    const toc_status status = toc_source_open(buffer->path, &source->allocator, &buffer->file);
    if (status == TOC_BAD_INPUT) return toc_json_fail(json, at, "%s", toc_message_get());
    if (status != TOC_OK) return status;
    const size_t size = (size_t)(buffer->file.end - buffer->file.begin);
    if (size < buffer->count)
        return toc_json_fail(json, at, "%s has %zu bytes, but %zu are needed", buffer->path, size, buffer->count);
    buffer->bytes = buffer->file.begin;
    return TOC_OK;
}

static toc_status load_text(const toc_gltf *file, toc_json_id at, const char *text, size_t length,
                            toc_gltf_buffer *buffer) {
    if (strncmp(text, "data:", 5) == 0) return decode_data(file, at, text, length, buffer);
    return gltf_doc_open_beside(file, at, text, buffer);
}

/// The bytes of the "uri" of a buffer; data are used in place unless they are escaped.
static toc_status load_uri(const toc_gltf *file, toc_json_id uri, toc_gltf_buffer *buffer) {
    const toc_json *json = &file->json;
    const toc_text data = toc_json_string(json, uri);
    if (strncmp(data.at, "data:", 5) == 0 && !memchr(data.at, '\\', data.count))
        return decode_data(file, uri, data.at, data.count, buffer);
    const size_t length = toc_json_text(json, uri, NULL);
    char *text = toc_new(&json->source->allocator, length + 1, 1);
    if (!text) return TOC_OUT_OF_MEMORY;
    toc_json_text(json, uri, text);
    const toc_status status = load_text(file, uri, text, length, buffer);
    toc_free(&json->source->allocator, text, length + 1, 1);
    return status;
}

static toc_status load_chunk(const toc_gltf *file, toc_json_id id, bool first, toc_gltf_buffer *buffer) {
    if (!file->chunk || !first) return toc_json_fail(&file->json, id, "a buffer without bytes");
    if (buffer->count > file->chunk_size)
        return toc_json_fail(&file->json, id, "a buffer of %zu bytes, but the binary part has %zu", buffer->count,
                             file->chunk_size);
    buffer->bytes = file->chunk;
    return TOC_OK;
}

static toc_status load_buffer(toc_gltf *file, size_t index) {
    assert(index < file->buffers.count);
    toc_gltf_buffer *buffer = &file->buffers.at[index];
    const toc_json_id id = file->buffer_list.at[index], uri = toc_json_member(&file->json, id, "uri");
    if (buffer->bytes) return TOC_OK;
    free_buffer(&file->json.source->allocator, buffer);
    *buffer = (toc_gltf_buffer){0};
    uint64_t count;
    TOC_TRY(toc_json_count(&file->json, id, "byteLength", 0, &count));
    if (count == 0) return toc_json_fail(&file->json, id, "a buffer without \"byteLength\"");
    buffer->count = (size_t)count;
    if (uri == TOC_JSON_NONE) return load_chunk(file, id, index == 0, buffer);
    if (toc_json_kind_of(&file->json, uri) != TOC_JSON_STRING)
        return toc_json_fail(&file->json, uri, "\"uri\" is not a text");
    return load_uri(file, uri, buffer);
}

toc_status toc_gltf_follow(const toc_gltf *file, toc_json_id object, const char *name, const toc_gltf_list *list,
                           toc_json_id *out) {
    assert(name && list);
    uint64_t index;
    *out = TOC_JSON_NONE;
    TOC_TRY(toc_json_count(&file->json, object, name, UINT64_MAX, &index));
    if (index == UINT64_MAX) return TOC_OK;
    if (index >= list->count)
        return toc_json_fail(&file->json, toc_json_member(&file->json, object, name),
                             "\"%s\" is %llu, but there are %zu", name, (unsigned long long)index, list->count);
    *out = list->at[index];
    return TOC_OK;
}

toc_status toc_gltf_view(toc_gltf *file, toc_json_id view, const char **bytes, size_t *count, size_t *stride) {
    const toc_json *json = &file->json;
    uint64_t index, offset, length, step;
    TOC_TRY(toc_json_count(json, view, "buffer", UINT64_MAX, &index));
    TOC_TRY(toc_json_count(json, view, "byteOffset", 0, &offset));
    TOC_TRY(toc_json_count(json, view, "byteLength", 0, &length));
    TOC_TRY(toc_json_count(json, view, "byteStride", 0, &step));
    if (index >= file->buffers.count) return toc_json_fail(json, view, "a buffer view without a buffer that is there");
    TOC_TRY(load_buffer(file, (size_t)index));
    const toc_gltf_buffer *buffer = &file->buffers.at[index];
    if (offset > buffer->count || length > buffer->count - offset)
        return toc_json_fail(json, view, "this view goes beyond its buffer of %zu bytes", buffer->count);
    *bytes = buffer->bytes + offset;
    *count = (size_t)length;
    *stride = (size_t)step;
    return TOC_OK;
}
