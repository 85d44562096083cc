// SPDX-License-Identifier: Apache-2.0
// Contacts and near pairs from files of this library: CSV and JSON lines row by row; VTP and .glb from their arrays,
// one after the other. Every number is checked. O(bytes); beside the items, one array is in memory at a time.
#include "io/vtk/pairs_read.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

#include "io/core/decimal.h"
#include "io/core/format.h"
#include "io/core/json.h"
#include "io/core/memory_limit.h"
#include "io/core/numbers.h"
#include "io/gltf/document.h"
#include "io/vtk/payload.h"

// ---- layouts

typedef enum field_type { FIELD_KIND, FIELD_VERDICT, FIELD_ID, FIELD_REAL } field_type;

/// A column of a CSV, or a member of a JSON object.
typedef struct read_field {
    const char *name;
    field_type type;
    size_t offset; // in the item
} read_field;

/// An array of a VTP or of the records of a .glb.
typedef struct read_array {
    const char *name;
    field_type type;
    size_t components, offset;
} read_array;

struct toc_pair_layout {
    const char *what;
    size_t item_size, field_count, array_count;
    const read_field *fields; // in the order of the columns
    const read_array *arrays;
    const char *records; // the member of the extras of a .glb; NULL for none
    bool (*is_plausible)(const void *item);
};

static bool are_finite_numbers(const double *x, size_t count) {
    bool finite = true;
    for (size_t k = 0; k < count; k++) finite = finite && isfinite(x[k]);
    return finite;
}

static bool is_plausible_contact(const void *item) {
    const toc_contact *c = item;
    return c->toc >= 0 && c->toc <= 1 && are_finite_numbers(c->weights, 4) && are_finite_numbers(c->point, 3) &&
           are_finite_numbers(c->normal, 3);
}

static bool is_plausible_near_pair(const void *item) {
    const toc_near_pair *p = item;
    return p->distance >= 0 && p->thickness >= 0 && are_finite_numbers(&p->distance, 1) &&
           are_finite_numbers(&p->thickness, 1) && are_finite_numbers(p->weights, 4) &&
           are_finite_numbers(p->points[0], 3) && are_finite_numbers(p->points[1], 3) &&
           are_finite_numbers(p->normal, 3);
}

#define FIELD(name, type, member) \
    { name, type, offsetof(ITEM, member) }
#define ARRAY(name, type, components, member) \
    { name, type, components, offsetof(ITEM, member) }
#define IDS                                                                                    \
    FIELD("kind", FIELD_KIND, kind), FIELD("v0", FIELD_ID, v[0]), FIELD("v1", FIELD_ID, v[1]), \
        FIELD("v2", FIELD_ID, v[2]), FIELD("v3", FIELD_ID, v[3])
#define BODIES_AND_WEIGHTS                                                                                     \
    FIELD("body0", FIELD_ID, body[0]), FIELD("body1", FIELD_ID, body[1]), FIELD("w0", FIELD_REAL, weights[0]), \
        FIELD("w1", FIELD_REAL, weights[1]), FIELD("w2", FIELD_REAL, weights[2]), FIELD("w3", FIELD_REAL, weights[3])
#define VECTOR(x, y, z, member) \
    FIELD(x, FIELD_REAL, member[0]), FIELD(y, FIELD_REAL, member[1]), FIELD(z, FIELD_REAL, member[2])
#define SAME_ARRAYS                                                                                                \
    ARRAY("normal", FIELD_REAL, 3, normal), ARRAY("kind", FIELD_KIND, 1, kind), ARRAY("vertices", FIELD_ID, 4, v), \
        ARRAY("bodies", FIELD_ID, 2, body), ARRAY("weights", FIELD_REAL, 4, weights)

#define ITEM toc_contact
static const read_field contact_fields[] = {IDS,
                                            FIELD("toc", FIELD_REAL, toc),
                                            BODIES_AND_WEIGHTS,
                                            VECTOR("x", "y", "z", point),
                                            VECTOR("nx", "ny", "nz", normal),
                                            FIELD("verdict", FIELD_VERDICT, verdict)};
static const read_array contact_columns[] = {SAME_ARRAYS, ARRAY("toc", FIELD_REAL, 1, toc),
                                             ARRAY("verdict", FIELD_VERDICT, 1, verdict),
                                             ARRAY("Points", FIELD_REAL, 3, point)};
#undef ITEM
#define ITEM toc_near_pair
static const read_field near_fields[] = {IDS,
                                         FIELD("distance", FIELD_REAL, distance),
                                         BODIES_AND_WEIGHTS,
                                         VECTOR("x", "y", "z", points[0]),
                                         VECTOR("x1", "y1", "z1", points[1]),
                                         VECTOR("nx", "ny", "nz", normal),
                                         FIELD("thickness", FIELD_REAL, thickness)};
static const read_array near_columns[] = {SAME_ARRAYS, ARRAY("distance", FIELD_REAL, 1, distance),
                                          ARRAY("Points", FIELD_REAL, 3, points[0]),
                                          ARRAY("second", FIELD_REAL, 3, points[1])};
#undef ITEM

#define COUNT_OF(list) (sizeof(list) / sizeof *(list))
const toc_pair_layout toc_contact_layout = {.what = "contacts",
                                            .item_size = sizeof(toc_contact),
                                            .field_count = COUNT_OF(contact_fields),
                                            .array_count = COUNT_OF(contact_columns),
                                            .fields = contact_fields,
                                            .arrays = contact_columns,
                                            .records = "contacts",
                                            .is_plausible = is_plausible_contact};
const toc_pair_layout toc_near_layout = {.what = "near pairs",
                                         .item_size = sizeof(toc_near_pair),
                                         .field_count = COUNT_OF(near_fields),
                                         .array_count = COUNT_OF(near_columns),
                                         .fields = near_fields,
                                         .arrays = near_columns,
                                         .is_plausible = is_plausible_near_pair};

/// The words of kinds and verdicts, by their values.
static const char *const kind_words[] = {[TOC_VF] = "vf", [TOC_EE] = "ee"};
static const char *const verdict_words[] = {[TOC_HIT] = "hit", [TOC_UNDECIDED] = "undecided"};

static const char *const *words_of(field_type type, int *count) {
    *count = type == FIELD_KIND ? (int)COUNT_OF(kind_words) : (int)COUNT_OF(verdict_words);
    return type == FIELD_KIND ? kind_words : verdict_words;
}

static void put_word(char *at, field_type type, int word) {
    const toc_kind kind = word == TOC_VF ? TOC_VF : TOC_EE;
    const toc_verdict verdict = word == TOC_HIT ? TOC_HIT : TOC_UNDECIDED;
    if (type == FIELD_KIND)
        memcpy(at, &kind, sizeof kind);
    else
        memcpy(at, &verdict, sizeof verdict);
}

static toc_status add_items(const toc_source *source, size_t bytes, toc_read_items *items, char **out) {
    TOC_TRY(toc_array_reserve(&source->allocator, items, bytes));
    if (bytes == 0) return TOC_OK; // there may be no memory yet
    *out = items->at + items->count;
    memset(*out, 0, bytes);
    items->count += bytes;
    return TOC_OK;
}

// ---- CSV

static bool take_text(toc_source *source, const char *text) {
    const size_t length = strlen(text);
    if (toc_source_left(source) < length || memcmp(source->at, text, length) != 0) return false;
    source->at += length;
    return true;
}

static bool take_listed_word(toc_source *source, field_type type, char *to) {
    int count;
    const char *const *words = words_of(type, &count);
    for (int i = 0; i < count; i++) {
        if (!words[i] || !take_text(source, words[i])) continue;
        put_word(to, type, i);
        return true;
    }
    return false;
}

static bool take_field(toc_source *source, field_type type, char *to) {
    double real;
    int64_t integer;
    if (type == FIELD_REAL) {
        const char *behind = toc_decimal_read(source->at, &real);
        if (!behind) return false;
        source->at = behind;
        memcpy(to, &real, sizeof real);
        return true;
    }
    if (type != FIELD_ID) return take_listed_word(source, type, to);
    if (!toc_source_digits(source, &integer) || integer < 0 || integer > UINT32_MAX) return false;
    memcpy(to, &(uint32_t){(uint32_t)integer}, sizeof(uint32_t));
    return true;
}

// Columns of places may follow.
static bool ends_fields(toc_source *source) { return *source->at == ',' || toc_source_line_ends(source); }

static bool take_row(const toc_pair_layout *layout, toc_source *source, char *item) {
    for (size_t i = 0; i < layout->field_count; i++) {
        if (i > 0 && !take_text(source, ",")) return false;
        if (!take_field(source, layout->fields[i].type, item + layout->fields[i].offset)) return false;
    }
    return ends_fields(source) && layout->is_plausible(item);
}

static bool take_column_names(const toc_pair_layout *layout, toc_source *source) {
    for (size_t i = 0; i < layout->field_count; i++)
        if ((i > 0 && !take_text(source, ",")) || !take_text(source, layout->fields[i].name)) return false;
    return ends_fields(source);
}

static toc_status read_csv_pairs(const toc_pair_layout *layout, toc_source *source, toc_read_items *items) {
    if (!take_column_names(layout, source))
        return toc_source_fail(source, "these are not the columns of %s; the file may be truncated", layout->what);
    while (toc_source_next_line(source)) {
        char *item = NULL;
        TOC_TRY(add_items(source, layout->item_size, items, &item));
        if (!take_row(layout, source, item))
            return toc_source_fail(source, "this is no row of %s, or not all of it; the file may be truncated",
                                   layout->what);
    }
    return TOC_OK;
}

// ---- JSON, an object a line

static toc_status json_field(const toc_json *json, const read_field *field, char *to) {
    const toc_json_id id = toc_json_member(json, 0, field->name);
    double real;
    uint64_t integer;
    if (id == TOC_JSON_NONE) return toc_json_fail(json, 0, "\"%s\" is missing", field->name);
    if (field->type == FIELD_REAL) {
        TOC_TRY(toc_json_as_number(json, id, field->name, &real));
        memcpy(to, &real, sizeof real);
        return TOC_OK;
    }
    if (field->type == FIELD_ID) {
        TOC_TRY(toc_json_as_count(json, id, field->name, &integer));
        if (integer > UINT32_MAX) return toc_json_fail(json, id, "\"%s\" has more than 32 bits", field->name);
        memcpy(to, &(uint32_t){(uint32_t)integer}, sizeof(uint32_t));
        return TOC_OK;
    }
    int count;
    const char *const *words = words_of(field->type, &count);
    for (int i = 0; i < count && toc_json_kind_of(json, id) == TOC_JSON_STRING; i++) {
        if (!words[i] || !toc_json_is(json, id, words[i])) continue;
        put_word(to, field->type, i);
        return TOC_OK;
    }
    return toc_json_fail(json, id, "an unknown \"%s\"", field->name);
}

static toc_status json_item(const toc_pair_layout *layout, const toc_json *json, char *item) {
    if (toc_json_kind_of(json, 0) != TOC_JSON_OBJECT) return toc_json_fail(json, 0, "an object was expected here");
    for (size_t i = 0; i < layout->field_count; i++)
        TOC_TRY(json_field(json, &layout->fields[i], item + layout->fields[i].offset));
    return layout->is_plausible(item) ? TOC_OK : toc_json_fail(json, 0, "a number is out of its range");
}

static toc_status read_json_row(const toc_pair_layout *layout, toc_source *source, toc_read_items *items) {
    toc_json json = {.source = source};
    const char *end = memchr(source->at, '\n', toc_source_left(source));
    char *item = NULL;
    TOC_TRY(add_items(source, layout->item_size, items, &item));
    toc_status status = toc_json_parse(source, source->at, end ? end : source->end, false, &json);
    if (status == TOC_OK) status = json_item(layout, &json, item);
    toc_json_free(&json);
    if (status == TOC_OK) source->at = end ? end + 1 : source->end;
    return status;
}

static toc_status read_json_pairs(const toc_pair_layout *layout, toc_source *source, toc_read_items *items) {
    while (toc_source_skip_space(source)) TOC_TRY(read_json_row(layout, source, items));
    return TOC_OK;
}

// ---- arrays

static toc_number number_of_array(const read_array *array) {
    return array->type == FIELD_REAL ? TOC_FLOAT64 : array->type == FIELD_ID ? TOC_UINT32 : TOC_UINT8;
}

static const char *number_name(const read_array *array) {
    return array->type == FIELD_REAL ? "Float64" : array->type == FIELD_ID ? "UInt32" : "UInt8";
}

// @return false for an unknown word.
static bool put_integers(const read_array *array, const toc_numbers *numbers, size_t i, char *to) {
    int64_t x[4];
    int count;
    assert(array->components <= 4);
    toc_numbers_as_integers(numbers, array->components * i, array->components, x);
    for (size_t k = 0; k < array->components && array->type == FIELD_ID; k++)
        memcpy(to + k * sizeof(uint32_t), &(uint32_t){(uint32_t)x[k]}, sizeof(uint32_t));
    if (array->type == FIELD_ID) return true;
    const char *const *words = words_of(array->type, &count);
    if (x[0] < 0 || x[0] >= count || !words[x[0]]) return false;
    put_word(to, array->type, (int)x[0]);
    return true;
}

// Put the numbers of an array into their items.
static toc_status scatter_array(const toc_pair_layout *layout, const toc_source *source, const read_array *array,
                                const toc_numbers *numbers, toc_read_items *items) {
    const size_t count = items->count / layout->item_size;
    for (size_t i = 0; i < count; i++) {
        char *to = items->at + i * layout->item_size + array->offset;
        double x[4];
        if (array->type == FIELD_REAL) {
            toc_numbers_as_doubles(numbers, array->components * i, array->components, x);
            memcpy(to, x, array->components * sizeof *x);
        } else if (!put_integers(array, numbers, i, to)) {
            return toc_fail(TOC_BAD_INPUT, "%s: number %zu of the %s has an unknown %s", source->path, i, layout->what,
                            array->name);
        }
    }
    return TOC_OK;
}

// Items with all bytes 0.
static toc_status reserve_items_of(const toc_pair_layout *layout, const toc_source *source, uint64_t count,
                                   toc_read_items *items) {
    size_t least = 0;
    char *unused = NULL;
    for (size_t i = 0; i < layout->array_count; i++)
        least += layout->arrays[i].components * toc_number_size(number_of_array(&layout->arrays[i]));
    TOC_TRY(toc_source_check_count(source, count, least, layout->what));
    return add_items(source, (size_t)count * layout->item_size, items, &unused);
}

static toc_status check_items(const toc_pair_layout *layout, const toc_source *source, const toc_read_items *items) {
    for (size_t at = 0; at < items->count; at += layout->item_size)
        if (!layout->is_plausible(items->at + at))
            return toc_fail(TOC_BAD_INPUT, "%s: number %zu of the %s has a number out of its range", source->path,
                            at / layout->item_size, layout->what);
    return TOC_OK;
}

// ---- VTP

// The bytes behind a text; NULL if the file does not have it.
static const char *find_behind(const toc_source *source, const char *text) {
    const size_t length = strlen(text);
    const char *at = memmem(source->begin, (size_t)(source->end - source->begin), text, length);
    return at ? at + length : NULL;
}

// The tags are those of toc_points_write, letter by letter.
static toc_status open_vtp_array(toc_source *source, const read_array *array, toc_payload *out) {
    char tag[128];
    snprintf(tag, sizeof tag, "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%zu\" format=\"binary\">",
             number_name(array), array->name, array->components);
    out->at = find_behind(source, tag);
    source->at = out->at ? out->at : source->end;
    out->end = out->at ? memchr(out->at, '<', toc_source_left(source)) : NULL;
    if (out->end) return TOC_OK;
    return toc_source_fail(source, "the array \"%s\" is missing or truncated", array->name);
}

static toc_status read_vtp_array(const toc_pair_layout *layout, toc_source *source, bool big_endian,
                                 const read_array *array, toc_read_items *items) {
    toc_payload payload = {.base64 = true, .big_endian = big_endian, .wide_heads = true};
    toc_numbers numbers;
    TOC_TRY(open_vtp_array(source, array, &payload));
    toc_status status = toc_payload_decode(&payload, &source->allocator, number_of_array(array),
                                           items->count / layout->item_size * array->components, &numbers);
    if (status == TOC_BAD_INPUT) return toc_source_fail(source, "%s", toc_message_get());
    TOC_TRY(status);
    status = scatter_array(layout, source, array, &numbers, items);
    toc_numbers_free(&source->allocator, &numbers);
    return status;
}

static toc_status read_vtp_pairs(const toc_pair_layout *layout, toc_source *source, toc_read_items *items) {
    const char *piece = find_behind(source, "<Piece NumberOfPoints=\"");
    const bool big_endian = find_behind(source, " byte_order=\"BigEndian\" header_type=\"UInt64\">");
    int64_t count;
    source->at = piece ? piece : source->end;
    if (!piece || (!big_endian && !find_behind(source, " byte_order=\"LittleEndian\" header_type=\"UInt64\">")) ||
        !toc_source_digits(source, &count) || count < 0)
        return toc_source_fail(source, "this is not a .vtp of %s, or it is truncated", layout->what);
    source->at = source->begin;
    TOC_TRY(reserve_items_of(layout, source, (uint64_t)count, items));
    for (size_t i = 0; i < layout->array_count; i++)
        TOC_TRY(read_vtp_array(layout, source, big_endian, &layout->arrays[i], items));
    return check_items(layout, source, items);
}

// ---- .glb

typedef struct glb_records {
    toc_gltf file;
    toc_json_id about;
    const char *bytes;
    size_t size;
} glb_records;

static toc_status open_records(const toc_pair_layout *layout, toc_source *source, glb_records *r,
                               toc_read_items *items) {
    toc_json *json = &r->file.json;
    uint64_t count;
    size_t stride;
    toc_json_id view;
    TOC_TRY(toc_gltf_open(source, &r->file));
    r->about = toc_json_member(json, toc_json_member(json, 0, "extras"), layout->records);
    if (r->about == TOC_JSON_NONE || toc_json_kind_of(json, r->about) != TOC_JSON_OBJECT)
        return toc_json_fail(json, 0, "this file has no %s", layout->what);
    TOC_TRY(toc_json_count(json, r->about, "count", 0, &count));
    source->at = source->begin;
    TOC_TRY(reserve_items_of(layout, source, count, items));
    if (count == 0) return TOC_OK;
    TOC_TRY(toc_gltf_follow(&r->file, r->about, "bufferView", &r->file.views, &view));
    if (view == TOC_JSON_NONE) return toc_json_fail(json, r->about, "these %s have no numbers", layout->what);
    return toc_gltf_view(&r->file, view, &r->bytes, &r->size, &stride);
}

static toc_json_id find_record(const glb_records *r, const char *name) {
    const toc_json *json = &r->file.json;
    const toc_json_id all = toc_json_member(json, r->about, "arrays");
    for (toc_json_id id = toc_json_first(json, all); id != TOC_JSON_NONE; id = toc_json_next(json, all, id)) {
        const toc_json_id own = toc_json_member(json, id, "name");
        if (own != TOC_JSON_NONE && toc_json_kind_of(json, own) == TOC_JSON_STRING && toc_json_is(json, own, name))
            return id;
    }
    return TOC_JSON_NONE;
}

static toc_status read_record(const toc_pair_layout *layout, const glb_records *r, const read_array *array,
                              toc_read_items *items) {
    const toc_json *json = &r->file.json;
    const toc_json_id id = find_record(r, array->name);
    if (id == TOC_JSON_NONE) return toc_json_fail(json, r->about, "the array \"%s\" is missing", array->name);
    const size_t count = items->count / layout->item_size * array->components;
    const size_t bytes = count * toc_number_size(number_of_array(array));
    uint64_t offset;
    TOC_TRY(toc_json_count(json, id, "byteOffset", 0, &offset));
    if (offset > r->size || bytes > r->size - offset)
        return toc_json_fail(json, id, "this array is to have %zu bytes, and ends before", bytes);
    const toc_numbers numbers = {.type = number_of_array(array), .count = count, .bytes = r->bytes + offset};
    return scatter_array(layout, json->source, array, &numbers, items);
}

static toc_status read_glb_pairs(const toc_pair_layout *layout, toc_source *source, toc_read_items *items) {
    glb_records records = {.about = TOC_JSON_NONE};
    toc_status status = open_records(layout, source, &records, items);
    for (size_t i = 0; i < layout->array_count && status == TOC_OK && items->count > 0; i++)
        status = read_record(layout, &records, &layout->arrays[i], items);
    toc_gltf_free(&records.file);
    return status == TOC_OK ? check_items(layout, source, items) : status;
}

// ---- the file

typedef toc_status pairs_reader(const toc_pair_layout *layout, toc_source *source, toc_read_items *items);

static toc_status find_reader(const toc_pair_layout *layout, const char *path, pairs_reader **out) {
    static const struct {
        const char *extension;
        pairs_reader *read;
    } readers[] = {{".csv", read_csv_pairs},
                   {".json", read_json_pairs},
                   {".jsonl", read_json_pairs},
                   {".vtp", read_vtp_pairs},
                   {".glb", read_glb_pairs}};
    for (size_t i = 0; i < COUNT_OF(readers); i++) {
        if (!toc_path_has_extension(path, readers[i].extension)) continue;
        if (readers[i].read == read_glb_pairs && !layout->records) break;
        *out = readers[i].read;
        return TOC_OK;
    }
    return toc_fail(TOC_BAD_INPUT, "%s: unknown extension; %s are read from a .csv, .json%s", path, layout->what,
                    layout->records ? ", .vtp or .glb" : " or .vtp");
}

toc_status toc_pairs_read(const toc_pair_layout *layout, toc_source *source, toc_read_items *out) {
    pairs_reader *read = NULL;
    TOC_TRY(find_reader(layout, source->path, &read));
    TOC_TRY(read(layout, source, out));
    return toc_source_is_settled(source);
}

static toc_status read_items_of(const toc_pair_layout *layout, const char *path, const toc_allocator *memory,
                                toc_read_items *items) {
    toc_source source;
    pairs_reader *unused; // an unknown extension is told before a missing file
    TOC_TRY(find_reader(layout, path, &unused));
    TOC_TRY(toc_source_open(path, memory, &source));
    const toc_status status = toc_pairs_read(layout, &source, items);
    toc_source_close(&source);
    return status;
}

// Read the items of a file and make a result of them.
static toc_status read_result(const toc_pair_layout *layout, const char *path, const toc_read_options *options,
                              toc_status (*make)(const toc_allocator *, const toc_read_items *, void *), void *out) {
    toc_memory_limit limit;
    toc_read_items items = {0};
    TOC_NEED(path);
    TOC_NEED(out);
    TOC_TRY(toc_memory_limit_begin(options, &limit));
    const toc_allocator memory = toc_memory_limit_allocator(&limit);
    toc_status status = toc_memory_limit_explain(&limit, read_items_of(layout, path, &memory, &items), path);
    if (status == TOC_OK) status = make(&limit.inner, &items, out);
    toc_array_free(&memory, &items);
    return status == TOC_OK ? TOC_OK : toc_fail_file(status, path);
}

static toc_status contacts_of_items(const toc_allocator *allocator, const toc_read_items *items, void *out) {
    return toc_contacts_create(allocator, items->count / sizeof(toc_contact), (const toc_contact *)(void *)items->at,
                               out);
}

static toc_status near_of_items(const toc_allocator *allocator, const toc_read_items *items, void *out) {
    return toc_near_create(allocator, items->count / sizeof(toc_near_pair), (const toc_near_pair *)(void *)items->at,
                           out);
}

toc_status toc_contacts_read(const char *path, const toc_read_options *options, toc_contacts **out) {
    return read_result(&toc_contact_layout, path, options, contacts_of_items, out);
}

toc_status toc_near_read(const char *path, const toc_read_options *options, toc_near **out) {
    return read_result(&toc_near_layout, path, options, near_of_items, out);
}
