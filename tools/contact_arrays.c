// SPDX-License-Identifier: Apache-2.0
// Contacts from arrays: a VTP names them in its XML, a .glb in its extras. Both hold the same bytes in little-endian
// order, so a machine of the other order refuses them. The arrays of a VTP are in base64.
#include "tools/contact_arrays.h"

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

// ---- contacts

enum { TOC, NORMAL, KIND, VERDICT, VERTICES, BODIES, WEIGHTS, POINTS, ARRAYS };

static const struct {
    const char *name;
    size_t size; // bytes a contact
} wanted_arrays[ARRAYS] = {{"toc", 8},       {"normal", 24}, {"kind", 1},     {"verdict", 1},
                           {"vertices", 16}, {"bodies", 8},  {"weights", 32}, {"Points", 24}};

// Copy an array of a contact.
static void take_array(const char *const arrays[ARRAYS], int which, size_t i, void *to) {
    memcpy(to, arrays[which] + i * wanted_arrays[which].size, wanted_arrays[which].size);
}

static bool take_contact(const char *const arrays[ARRAYS], size_t i, toc_contact *c) {
    uint8_t kind, verdict;
    take_array(arrays, KIND, i, &kind);
    take_array(arrays, VERDICT, i, &verdict);
    take_array(arrays, TOC, i, &c->toc);
    take_array(arrays, NORMAL, i, c->normal);
    take_array(arrays, VERTICES, i, c->v);
    take_array(arrays, BODIES, i, c->body);
    take_array(arrays, WEIGHTS, i, c->weights);
    take_array(arrays, POINTS, i, c->point);
    c->kind = kind ? TOC_EE : TOC_VF;
    c->verdict = (toc_verdict)verdict;
    bool finite = c->toc >= 0 && c->toc <= 1;
    for (int k = 0; k < 3; k++) finite = finite && isfinite(c->point[k]) && isfinite(c->normal[k]);
    return finite && kind <= 1 && (verdict == TOC_HIT || verdict == TOC_UNDECIDED);
}

static toc_status take_contacts(const array_file *file, toc_contact **out) {
    const char *arrays[ARRAYS];
    if (file->count > file->size) return refuse_file(file, "it has no contacts, or is truncated");
    for (int k = 0; k < ARRAYS && file->count; k++) {
        const size_t bytes = file->count * wanted_arrays[k].size;
        arrays[k] = file->json ? find_glb_array(file, wanted_arrays[k].name, bytes)
                               : find_vtp_array(file, wanted_arrays[k].name, bytes);
        if (!arrays[k]) return refuse_file(file, "an array is missing or truncated");
    }
    // Only now: decoded bytes end the text that the arrays are searched in.
    for (int k = 0; k < ARRAYS && file->count && !file->json; k++) {
        arrays[k] = decode_vtp_array(file, arrays[k], file->count * wanted_arrays[k].size);
        if (!arrays[k]) return refuse_file(file, "an array is not in base64");
    }
    *out = calloc(file->count + 1, sizeof **out);
    if (!*out) return tool_fail_memory();
    for (size_t i = 0; i < file->count; i++) {
        if (take_contact(arrays, i, &(*out)[i])) continue;
        free(*out);
        return refuse_file(file, "a contact has impossible numbers");
    }
    return TOC_OK;
}

toc_status tool_contact_arrays_read(const char *path, toc_contact **out, size_t *count) {
    array_file file = {.path = path};
    toc_status status = load_bytes(&file);
    if (status == TOC_OK) status = tool_path_ends(path, ".glb") ? open_glb(&file) : open_vtp(&file);
    if (status == TOC_OK) status = take_contacts(&file, out);
    if (status == TOC_OK) *count = file.count;
    cJSON_Delete(file.json);
    free(file.bytes);
    return status;
}
