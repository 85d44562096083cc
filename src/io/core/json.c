// SPDX-License-Identifier: Apache-2.0
// JSON, read once from front to back into a flat list of values. Nesting of any depth takes no stack: while a list is
// open, its value remembers the list around it. Strings and numbers are decoded on request. O(n); 8 bytes a value.
// After RFC 8259.
#include "io/core/json.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "io/core/decimal.h"

static const char *json_place_of(const toc_json *json, toc_json_id id) { return json->text + json->values.at[id].at; }

toc_status toc_json_fail(const toc_json *json, toc_json_id at, const char *format, ...) {
    char sentence[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    json->source->at = at == TOC_JSON_NONE ? json->source->end : json_place_of(json, at);
    return json->binary ? toc_source_fail_byte(json->source, "%s", sentence)
                        : toc_source_fail(json->source, "%s", sentence);
}

typedef struct json_parser {
    toc_json *json;
    const char *at, *end;
    uint32_t open; // the innermost open list + 1, 0 where there is none
    bool name;     // the next string is the name of a member
} json_parser;

static toc_status fail_here(const json_parser *parser, const char *sentence) {
    parser->json->source->at = parser->at;
    return parser->json->binary ? toc_source_fail_byte(parser->json->source, "%s", sentence)
                                : toc_source_fail(parser->json->source, "%s", sentence);
}

static void skip_blanks(json_parser *parser) {
    while (parser->at < parser->end &&
           (*parser->at == ' ' || *parser->at == '\n' || *parser->at == '\t' || *parser->at == '\r'))
        parser->at++;
}

static toc_status add_value(json_parser *parser) {
    toc_json *json = parser->json;
    if (json->values.count >= UINT32_MAX - 1) return fail_here(parser, "more values than a reader can number");
    TOC_TRY(toc_array_reserve(&json->source->allocator, &json->values, 1));
    const uint32_t at = (uint32_t)(parser->at - json->text), behind = (uint32_t)json->values.count + 1;
    json->values.at[json->values.count++] = (toc_json_value){at, behind};
    return TOC_OK;
}

static toc_status take_string(json_parser *parser) {
    const char *c = parser->at + 1;
    for (; c < parser->end && *c != '"'; c++) {
        if ((unsigned char)*c < ' ') break;
        c += *c == '\\';
    }
    if (c >= parser->end || *c != '"') return fail_here(parser, "this string does not end");
    TOC_TRY(add_value(parser));
    parser->at = c + 1;
    return TOC_OK;
}

static toc_status take_word(json_parser *parser, const char *word) {
    const size_t length = strlen(word);
    if ((size_t)(parser->end - parser->at) < length || memcmp(parser->at, word, length) != 0)
        return fail_here(parser, "a value was expected here");
    TOC_TRY(add_value(parser));
    parser->at += length;
    return TOC_OK;
}

static bool json_is_digit(char c) { return c >= '0' && c <= '9'; }

static toc_status take_number(json_parser *parser) {
    const char *c = parser->at, *behind;
    double x;
    if (!json_is_digit(c[*c == '-']) || !(behind = toc_decimal_read(c, &x)) || behind > parser->end)
        return fail_here(parser, "a value was expected here");
    TOC_TRY(add_value(parser));
    parser->at = behind;
    return TOC_OK;
}

// While a list is open, `behind` is the list around it.
static toc_status open_list(json_parser *parser) {
    TOC_TRY(add_value(parser));
    toc_json *json = parser->json;
    json->values.at[json->values.count - 1].behind = parser->open;
    parser->open = (uint32_t)json->values.count;
    parser->at++;
    return TOC_OK;
}

static bool in_object(const json_parser *parser) {
    return parser->open > 0 && *json_place_of(parser->json, parser->open - 1) == '{';
}

static void close_list(json_parser *parser) {
    toc_json_value *list = &parser->json->values.at[parser->open - 1];
    parser->open = list->behind;
    list->behind = (uint32_t)parser->json->values.count;
    parser->at++;
}

static toc_status take_value(json_parser *parser) {
    switch (*parser->at) {
    case '{':
    case '[':
        return open_list(parser);
    case '"':
        return take_string(parser);
    case 't':
        return take_word(parser, "true");
    case 'f':
        return take_word(parser, "false");
    case 'n':
        return take_word(parser, "null");
    default:
        return take_number(parser);
    }
}

static toc_status json_take_name(json_parser *parser) {
    if (*parser->at != '"') return fail_here(parser, "the name of a member was expected here");
    TOC_TRY(take_string(parser));
    skip_blanks(parser);
    if (parser->at >= parser->end || *parser->at != ':') return fail_here(parser, "a \":\" was expected here");
    parser->at++;
    return TOC_OK;
}

static bool closes(const json_parser *parser) {
    return parser->open > 0 && parser->at < parser->end && *parser->at == (in_object(parser) ? '}' : ']');
}

/// An item or a member, up to the comma behind it or behind the lists that end with it; opens lists on the way.
static toc_status take_item(json_parser *parser) {
    skip_blanks(parser);
    if (parser->at < parser->end && in_object(parser)) {
        TOC_TRY(json_take_name(parser));
        skip_blanks(parser);
    }
    if (parser->at >= parser->end) return fail_here(parser, "the file ends within its JSON");
    TOC_TRY(take_value(parser));
    skip_blanks(parser);
    if (parser->open == parser->json->values.count && !closes(parser)) return TOC_OK; // its first item comes next
    while (closes(parser)) {
        close_list(parser);
        skip_blanks(parser);
    }
    if (parser->open == 0) return TOC_OK;
    if (parser->at >= parser->end) return fail_here(parser, "the file ends within its JSON");
    if (*parser->at != ',') return fail_here(parser, "a \",\" or the end of the list was expected here");
    parser->at++;
    return TOC_OK;
}

static toc_status json_take_all(json_parser *parser) {
    do TOC_TRY(take_item(parser));
    while (parser->open > 0);
    while (parser->at < parser->end && *parser->at == 0) parser->at++; // some writers pad with these
    return parser->at == parser->end ? TOC_OK : fail_here(parser, "something stands behind the end of the JSON");
}

toc_status toc_json_parse(toc_source *source, const char *begin, const char *end, bool binary, toc_json *out) {
    *out = (toc_json){.source = source, .text = begin, .binary = binary};
    json_parser parser = {.json = out, .at = begin, .end = end};
    if (end - begin > UINT32_MAX) return fail_here(&parser, "more JSON than a reader can number");
    TOC_TRY(json_take_all(&parser));
    return toc_array_fit(&source->allocator, &out->values);
}

void toc_json_free(toc_json *json) { toc_array_free(&json->source->allocator, &json->values); }

toc_json_kind toc_json_kind_of(const toc_json *json, toc_json_id id) {
    switch (id == TOC_JSON_NONE ? 'n' : *json_place_of(json, id)) {
    case '{':
        return TOC_JSON_OBJECT;
    case '[':
        return TOC_JSON_ARRAY;
    case '"':
        return TOC_JSON_STRING;
    case 't':
        return TOC_JSON_TRUE;
    case 'f':
        return TOC_JSON_FALSE;
    case 'n':
        return TOC_JSON_NULL;
    default:
        return TOC_JSON_NUMBER;
    }
}

static toc_json_id json_within(const toc_json *json, toc_json_id list, toc_json_id id) {
    return id < json->values.at[list].behind ? id : TOC_JSON_NONE;
}

toc_json_id toc_json_first(const toc_json *json, toc_json_id array) {
    assert(array < (toc_json_id)json->values.count);
    return toc_json_kind_of(json, array) == TOC_JSON_ARRAY ? json_within(json, array, array + 1) : TOC_JSON_NONE;
}

toc_json_id toc_json_next(const toc_json *json, toc_json_id array, toc_json_id item) {
    assert(array < item && item < (toc_json_id)json->values.count);
    return json_within(json, array, json->values.at[item].behind);
}

size_t toc_json_length(const toc_json *json, toc_json_id array) {
    size_t count = 0;
    for (toc_json_id i = toc_json_first(json, array); i != TOC_JSON_NONE; i = toc_json_next(json, array, i)) count++;
    return count;
}

toc_json_id toc_json_member(const toc_json *json, toc_json_id object, const char *name) {
    if (toc_json_kind_of(json, object) != TOC_JSON_OBJECT) return TOC_JSON_NONE;
    for (toc_json_id i = json_within(json, object, object + 1); i != TOC_JSON_NONE;) {
        if (toc_json_is(json, i, name)) return i + 1;
        i = json_within(json, object, json->values.at[i + 1].behind);
    }
    return TOC_JSON_NONE;
}

// Strings.

static unsigned hex_digits(const char *at, const char *end) {
    unsigned x = 0;
    for (int i = 0; i < 4; i++) {
        const char c = at + i < end ? at[i] : 0;
        const unsigned digit = json_is_digit(c)                     ? (unsigned)(c - '0')
                               : (c | 32) >= 'a' && (c | 32) <= 'f' ? (unsigned)((c | 32) - 'a' + 10)
                                                                    : 16;
        if (digit > 15) return 0xfffd; // the replacement character
        x = 16 * x + digit;
    }
    return x;
}

static size_t put_utf8(unsigned x, char to[4]) {
    static const unsigned marks[] = {0, 0xc0, 0xe0, 0xf0};
    const size_t more = x < 0x80 ? 0 : x < 0x800 ? 1 : x < 0x10000 ? 2 : 3;
    to[0] = (char)(marks[more] | x >> (6 * more));
    for (size_t i = 1; i <= more; i++) to[i] = (char)(0x80 | (x >> (6 * (more - i)) & 0x3f));
    return more + 1;
}

/// \u and four digits, or that twice for a character beyond 16 bits.
static const char *take_code(const char *at, const char *end, char to[4], size_t *count) {
    unsigned x = hex_digits(at, end);
    at = end - at < 4 ? end : at + 4;
    if (x >= 0xd800 && x < 0xdc00 && end - at >= 6 && at[0] == '\\' && at[1] == 'u') {
        const unsigned low = hex_digits(at + 2, end);
        if (low >= 0xdc00 && low < 0xe000) {
            x = 0x10000 + ((x - 0xd800) << 10) + (low - 0xdc00);
            at += 6;
        }
    }
    if (x >= 0xd800 && x < 0xe000) x = 0xfffd;
    *count = put_utf8(x, to);
    return at;
}

/// The next character of a string as bytes. @return the start of the following one.
static const char *take_character(const char *at, const char *end, char to[4], size_t *count) {
    static const char names[] = "bfnrt", meanings[] = "\b\f\n\r\t";
    *count = 1;
    to[0] = *at++;
    if (to[0] != '\\' || at == end) return at;
    if (*at == 'u') return take_code(at + 1, end, to, count);
    const char *found = memchr(names, *at, sizeof names - 1);
    to[0] = found ? meanings[found - names] : *at;
    return at + 1;
}

toc_text toc_json_string(const toc_json *json, toc_json_id string) {
    const char *at = json_place_of(json, string) + 1, *end = at;
    while (*end != '"') end += 1 + (*end == '\\');
    return (toc_text){at, (size_t)(end - at)};
}

size_t toc_json_text(const toc_json *json, toc_json_id string, char *to) {
    const toc_text text = toc_json_string(json, string);
    const char *at = text.at, *end = at + text.count;
    size_t total = 0, count;
    while (at < end) {
        char bytes[4];
        at = take_character(at, end, bytes, &count);
        if (to) memcpy(to + total, bytes, count);
        total += count;
    }
    if (to) to[total] = 0;
    return total;
}

bool toc_json_is(const toc_json *json, toc_json_id string, const char *text) {
    if (toc_json_kind_of(json, string) != TOC_JSON_STRING) return false;
    const toc_text found = toc_json_string(json, string);
    const char *at = found.at, *end = at + found.count;
    size_t left = strlen(text), count;
    while (at < end) {
        char bytes[4];
        at = take_character(at, end, bytes, &count);
        if (count > left || memcmp(bytes, text, count) != 0) return false;
        text += count;
        left -= count;
    }
    return left == 0;
}

// Numbers.

toc_status toc_json_as_number(const toc_json *json, toc_json_id id, const char *what, double *out) {
    double x = NAN;
    if (toc_json_kind_of(json, id) == TOC_JSON_NUMBER) toc_decimal_read(json_place_of(json, id), &x);
    if (!isfinite(x)) return toc_json_fail(json, id, "\"%s\" is not a finite number", what);
    *out = x;
    return TOC_OK;
}

toc_status toc_json_as_count(const toc_json *json, toc_json_id id, const char *what, uint64_t *out) {
    double x = -1;
    if (toc_json_kind_of(json, id) == TOC_JSON_NUMBER) toc_decimal_read(json_place_of(json, id), &x);
    if (!(x >= 0 && x <= 0x1p53 && floor(x) == x)) return toc_json_fail(json, id, "\"%s\" is not a count", what);
    *out = (uint64_t)x;
    return TOC_OK;
}

toc_status toc_json_count(const toc_json *json, toc_json_id object, const char *name, uint64_t otherwise,
                          uint64_t *out) {
    const toc_json_id id = toc_json_member(json, object, name);
    *out = otherwise;
    return id == TOC_JSON_NONE ? TOC_OK : toc_json_as_count(json, id, name, out);
}

toc_status toc_json_numbers(const toc_json *json, toc_json_id object, const char *name, size_t count, double *out) {
    assert(name && out);
    const toc_json_id array = toc_json_member(json, object, name);
    if (array == TOC_JSON_NONE) return TOC_OK;
    size_t i = 0;
    for (toc_json_id item = toc_json_first(json, array); item != TOC_JSON_NONE && i <= count;
         item = toc_json_next(json, array, item), i++)
        if (i < count) TOC_TRY(toc_json_as_number(json, item, name, &out[i]));
    return i == count ? TOC_OK : toc_json_fail(json, array, "\"%s\" has not the %zu numbers it should", name, count);
}
