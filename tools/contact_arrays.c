// SPDX-License-Identifier: Apache-2.0
// Contacts from arrays: a VTP names them in its XML, a .glb in its extras. Both hold the same bytes in little-endian
// order, so a machine of the other order refuses them. The arrays of a VTP are in base64.
#include "tools/contact_arrays.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/output.h"

/// A file in memory, and the number of its contacts.
typedef struct array_file {
    const char *path;
    char *bytes; // ended by a 0 byte
    size_t size, count;
    char *data; // of a VTP: its piece; of a .glb: the view with the arrays
    size_t data_size;
    cJSON *arrays; // of a .glb
    cJSON *json;
} array_file;

static toc_status refuse_file(const array_file *file, const char *why) {
    return tool_fail(TOC_BAD_INPUT, "%s: %s; contacts are read from files that check --contacts has written",
                     file->path, why);
}

static toc_status load_bytes(array_file *file) {
    FILE *stream = fopen(file->path, "rb");
    if (!stream) return tool_fail(TOC_BAD_INPUT, "%s: cannot be opened: %s", file->path, strerror(errno));
    size_t room = 1 << 16, got;
    toc_status status = TOC_OK;
    file->bytes = malloc(room + 1);
    while (file->bytes && (got = fread(file->bytes + file->size, 1, room - file->size, stream)) > 0) {
        file->size += got;
        if (file->size < room) continue;
        char *grown = realloc(file->bytes, 2 * room + 1);
        if (!grown) break;
        file->bytes = grown;
        room *= 2;
    }
    if (!file->bytes || file->size == room) status = tool_fail_memory();
    if (status == TOC_OK && ferror(stream))
        status = tool_fail(TOC_BAD_INPUT, "%s: cannot be read: %s", file->path, strerror(errno));
    fclose(stream);
    if (status == TOC_OK) file->bytes[file->size] = 0;
    return status;
}

// ---- VTP

// The number behind `name="` in a tag; SIZE_MAX if it is missing.
static size_t attribute_number(const char *tag, const char *end, const char *name) {
    const char *at = strstr(tag, name);
    return at && at < end ? (size_t)strtoull(at + strlen(name), NULL, 10) : SIZE_MAX;
}

static toc_status open_vtp(array_file *file) {
    char *piece = strstr(file->bytes, "<Piece ");
    if (!piece || !strstr(file->bytes, "byte_order=\"LittleEndian\""))
        return refuse_file(file, "not such a VTP, or truncated");
    file->data = piece;
    file->data_size = file->size - (size_t)(piece - file->bytes);
    file->count = attribute_number(piece, file->bytes + file->size, "NumberOfPoints=\"");
    return TOC_OK;
}

static int letter_value(char c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

// Decode the first `count` bytes of letters that begin at `text`, in place. False if they have other letters.
static bool decode_in_place(char *text, size_t count) {
    const char *from = text;
    for (size_t i = 0; i < count; i += 3, from += 4) {
        uint32_t bits = 0;
        const size_t letters = count - i < 3 ? count - i + 1 : 4;
        for (size_t k = 0; k < 4; k++) {
            const int value = k < letters ? letter_value(from[k]) : 0;
            if (value < 0) return false;
            bits = bits << 6 | (uint32_t)value;
        }
        for (size_t k = 0; k + 1 < letters; k++) text[i + k] = (char)(bits >> (16 - 8 * k));
    }
    return true;
}

// The letters of an array: the number of its bytes, then these.
static const char *find_vtp_array(const array_file *file, const char *name, size_t bytes) {
    static const char begin[] = "format=\"binary\">\n";
    char wanted[80];
    snprintf(wanted, sizeof wanted, "Name=\"%s\"", name);
    const char *tag = strstr(file->data, wanted), *end = tag ? strstr(tag, begin) : NULL;
    if (!end) return NULL;
    end += strlen(begin);
    const size_t letters = (sizeof(uint64_t) + bytes + 2) / 3 * 4;
    return file->data_size - (size_t)(end - file->data) < letters ? NULL : end;
}

// Decode an array in place. @return its bytes, NULL if their number is another or a letter is wrong.
static const char *decode_vtp_array(const array_file *file, const char *array, size_t bytes) {
    uint64_t head;
    char *letters = file->data + (array - file->data);
    if (!decode_in_place(letters, sizeof head + bytes)) return NULL;
    memcpy(&head, letters, sizeof head);
    return head == bytes ? letters + sizeof head : NULL;
}

// ---- glb

static size_t member_number(const cJSON *object, const char *name) {
    const double x = cJSON_GetNumberValue(cJSON_GetObjectItem(object, name));
    return x >= 0 && x < 9e15 ? (size_t)x : SIZE_MAX;
}

static toc_status open_glb(array_file *file) {
    uint32_t head[5], second[2];
    if (file->size < sizeof head) return refuse_file(file, "truncated");
    memcpy(head, file->bytes, sizeof head);
    if (head[0] != 0x46546c67 || head[4] != 0x4e4f534a || head[3] > file->size - sizeof head - sizeof second)
        return refuse_file(file, "not a .glb, or truncated");
    file->json = cJSON_ParseWithLength(file->bytes + sizeof head, head[3]);
    const cJSON *about = cJSON_GetObjectItem(cJSON_GetObjectItem(file->json, "extras"), "contacts");
    const cJSON *view = cJSON_GetArrayItem(cJSON_GetObjectItem(file->json, "bufferViews"),
                                           (int)cJSON_GetNumberValue(cJSON_GetObjectItem(about, "bufferView")));
    file->count = member_number(about, "count");
    file->arrays = cJSON_GetObjectItem(about, "arrays");
    if (file->count == 0) return TOC_OK;
    const size_t offset = member_number(view, "byteOffset"), length = member_number(view, "byteLength");
    const size_t binary = sizeof head + head[3] + sizeof second, rest = file->size - binary;
    if (!about || offset > rest || length > rest - offset)
        return refuse_file(file, "it has no contacts, or is truncated");
    file->data = file->bytes + binary + offset;
    file->data_size = length;
    return TOC_OK;
}

static const char *find_glb_array(const array_file *file, const char *name, size_t bytes) {
    const cJSON *array;
    cJSON_ArrayForEach(array, file->arrays) {
        const char *own = cJSON_GetStringValue(cJSON_GetObjectItem(array, "name"));
        const size_t offset = member_number(array, "byteOffset");
        if (!own || strcmp(own, name) != 0) continue;
        return offset <= file->data_size && bytes <= file->data_size - offset ? file->data + offset : NULL;
    }
    return NULL;
}

// ---- items

/// An array that a file must have.
typedef struct wanted_array {
    const char *name;
    size_t size; // bytes an item
} wanted_array;

/// How items are made of arrays.
typedef struct item_layout {
    size_t array_count, item_size;
    const wanted_array *arrays;
    bool (*take)(const char *const arrays[], size_t i, void *item);
} item_layout;

enum { MOST_ARRAYS = 8 };

static toc_status find_arrays(const array_file *file, const item_layout *layout, const char *arrays[]) {
    for (size_t k = 0; k < layout->array_count; k++) {
        const wanted_array *wanted = &layout->arrays[k];
        const size_t bytes = file->count * wanted->size;
        arrays[k] = file->json ? find_glb_array(file, wanted->name, bytes) : find_vtp_array(file, wanted->name, bytes);
        if (!arrays[k]) return refuse_file(file, "an array is missing or truncated");
    }
    // Only now: decoded bytes end the text that the arrays are searched in.
    for (size_t k = 0; k < layout->array_count && !file->json; k++) {
        arrays[k] = decode_vtp_array(file, arrays[k], file->count * layout->arrays[k].size);
        if (!arrays[k]) return refuse_file(file, "an array is not in base64");
    }
    return TOC_OK;
}

static toc_status take_items(const array_file *file, const item_layout *layout, void **out) {
    const char *arrays[MOST_ARRAYS];
    assert(layout->array_count <= MOST_ARRAYS);
    if (file->count > file->size) return refuse_file(file, "it has no contacts, or is truncated");
    toc_status status = file->count ? find_arrays(file, layout, arrays) : TOC_OK;
    if (status != TOC_OK) return status;
    char *items = calloc(file->count + 1, layout->item_size);
    if (!items) return tool_fail_memory();
    for (size_t i = 0; i < file->count; i++) {
        if (layout->take(arrays, i, items + i * layout->item_size)) continue;
        free(items);
        return refuse_file(file, "a contact has impossible numbers");
    }
    *out = items;
    return TOC_OK;
}

static toc_status read_items(const char *path, const item_layout *layout, void **out, size_t *count) {
    array_file file = {.path = path};
    toc_status status = load_bytes(&file);
    if (status == TOC_OK) status = tool_path_ends(path, ".glb") ? open_glb(&file) : open_vtp(&file);
    if (status == TOC_OK) status = take_items(&file, layout, out);
    if (status == TOC_OK) *count = file.count;
    cJSON_Delete(file.json);
    free(file.bytes);
    return status;
}

static bool are_finite(const double *x, int count) {
    bool finite = true;
    for (int k = 0; k < count; k++) finite = finite && isfinite(x[k]);
    return finite;
}

// ---- contacts of check

enum { TOC, NORMAL, KIND, VERDICT, VERTICES, BODIES, WEIGHTS, POINTS };

static const wanted_array contact_wishes[] = {
    [TOC] = {"toc", 8},          [NORMAL] = {"normal", 24},     [KIND] = {"kind", 1},
    [VERDICT] = {"verdict", 1},  [VERTICES] = {"vertices", 16}, [BODIES] = {"bodies", 8},
    [WEIGHTS] = {"weights", 32}, [POINTS] = {"Points", 24}};

// Copy a member of item i.
#define TAKE(wishes, which, to) memcpy(to, arrays[which] + i * (wishes)[which].size, (wishes)[which].size)

static bool take_contact(const char *const arrays[], size_t i, void *item) {
    toc_contact *c = item;
    uint8_t kind, verdict;
    TAKE(contact_wishes, KIND, &kind);
    TAKE(contact_wishes, VERDICT, &verdict);
    TAKE(contact_wishes, TOC, &c->toc);
    TAKE(contact_wishes, NORMAL, c->normal);
    TAKE(contact_wishes, VERTICES, c->v);
    TAKE(contact_wishes, BODIES, c->body);
    TAKE(contact_wishes, WEIGHTS, c->weights);
    TAKE(contact_wishes, POINTS, c->point);
    c->kind = kind ? TOC_EE : TOC_VF;
    c->verdict = (toc_verdict)verdict;
    return c->toc >= 0 && c->toc <= 1 && are_finite(c->point, 3) && are_finite(c->normal, 3) && kind <= 1 &&
           (verdict == TOC_HIT || verdict == TOC_UNDECIDED);
}

toc_status tool_contact_arrays_read(const char *path, toc_contact **out, size_t *count) {
    static const item_layout layout = {8, sizeof(toc_contact), contact_wishes, take_contact};
    void *items = NULL;
    const toc_status status = read_items(path, &layout, &items, count);
    if (status == TOC_OK) *out = items;
    return status;
}

// ---- near pairs of simulate

enum { NEAR_DISTANCE, NEAR_NORMAL, NEAR_SECOND, NEAR_KIND, NEAR_VERTICES, NEAR_BODIES, NEAR_WEIGHTS, NEAR_POINTS };

static const wanted_array near_wishes[] = {
    [NEAR_DISTANCE] = {"distance", 8}, [NEAR_NORMAL] = {"normal", 24},     [NEAR_SECOND] = {"second", 24},
    [NEAR_KIND] = {"kind", 1},         [NEAR_VERTICES] = {"vertices", 16}, [NEAR_BODIES] = {"bodies", 8},
    [NEAR_WEIGHTS] = {"weights", 32},  [NEAR_POINTS] = {"Points", 24}};

static bool take_near_pair(const char *const arrays[], size_t i, void *item) {
    toc_near_pair *p = item;
    uint8_t kind;
    TAKE(near_wishes, NEAR_KIND, &kind);
    TAKE(near_wishes, NEAR_DISTANCE, &p->distance);
    TAKE(near_wishes, NEAR_NORMAL, p->normal);
    TAKE(near_wishes, NEAR_VERTICES, p->v);
    TAKE(near_wishes, NEAR_BODIES, p->body);
    TAKE(near_wishes, NEAR_WEIGHTS, p->weights);
    TAKE(near_wishes, NEAR_POINTS, p->points[0]);
    TAKE(near_wishes, NEAR_SECOND, p->points[1]);
    p->kind = kind ? TOC_EE : TOC_VF;
    return kind <= 1 && p->distance >= 0 && are_finite(&p->distance, 1) && are_finite(p->normal, 3) &&
           are_finite(p->weights, 4) && are_finite(p->points[0], 6);
}

#undef TAKE

toc_status tool_near_arrays_read(const char *path, toc_near_pair **out, size_t *count) {
    static const item_layout layout = {8, sizeof(toc_near_pair), near_wishes, take_near_pair};
    void *items = NULL;
    const toc_status status = read_items(path, &layout, &items, count);
    if (status == TOC_OK) *out = items;
    return status;
}
