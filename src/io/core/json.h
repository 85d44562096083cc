// SPDX-License-Identifier: Apache-2.0
// A JSON text as a list of its values. Each value knows its place in the source, so that messages name the line or
// byte.
#ifndef TOC_IO_CORE_JSON_H
#define TOC_IO_CORE_JSON_H

#include "io/core/source.h"

typedef enum toc_json_kind {
    TOC_JSON_NULL = 0,
    TOC_JSON_FALSE,
    TOC_JSON_TRUE,
    TOC_JSON_NUMBER,
    TOC_JSON_STRING,
    TOC_JSON_ARRAY,
    TOC_JSON_OBJECT
} toc_json_kind;

/// A value, whose kind is given by its first byte. The items of an array or the members of an object (name, value,
/// name, value) follow it.
typedef struct toc_json_value {
    uint32_t at;     // its first byte in the text
    uint32_t behind; // the value behind this one and all its items
} toc_json_value;

typedef struct toc_json {
    toc_source *source;
    const char *text;
    bool binary; // failures name the byte instead of the line
    TOC_ARRAY(toc_json_value) values;
} toc_json;

/// A value is named by its place in the list: 0 is the outermost; TOC_JSON_NONE means no value.
enum { TOC_JSON_NONE = -1 };
typedef int64_t toc_json_id;

/// Read the one value between two places of the source, less than 4 GB apart. The byte behind it must not be part of a
/// number; a 0 byte will do. Free with toc_json_free, also on failure.
toc_status toc_json_parse(toc_source *source, const char *begin, const char *end, bool binary, toc_json *out);
void toc_json_free(toc_json *json);

/// Fail at a value; at the end of the source for TOC_JSON_NONE.
__attribute__((format(printf, 3, 4))) toc_status toc_json_fail(const toc_json *json, toc_json_id at, const char *format,
                                                               ...);

toc_json_kind toc_json_kind_of(const toc_json *json, toc_json_id id);
/// The member of an object; TOC_JSON_NONE if there is no such member or no such object.
toc_json_id toc_json_member(const toc_json *json, toc_json_id object, const char *name);
/// The first item of an array, then the next one; TOC_JSON_NONE behind the last. Anything but an array has none.
toc_json_id toc_json_first(const toc_json *json, toc_json_id array);
toc_json_id toc_json_next(const toc_json *json, toc_json_id array, toc_json_id item);
size_t toc_json_length(const toc_json *json, toc_json_id array);

/// Whether a value is this string.
bool toc_json_is(const toc_json *json, toc_json_id string, const char *text);
/// The characters between the quotes of a string.
toc_text toc_json_string(const toc_json *json, toc_json_id string);
/// A string in UTF-8, written to `to` unless that is NULL. Returns its length without the 0 byte behind it.
size_t toc_json_text(const toc_json *json, toc_json_id string, char *to);

/// A value as a finite number, or as an integer from 0 to 2^53. Any other value fails; the message calls it `what`.
toc_status toc_json_as_number(const toc_json *json, toc_json_id id, const char *what, double *out);
toc_status toc_json_as_count(const toc_json *json, toc_json_id id, const char *what, uint64_t *out);
/// A count that is a member of an object; `otherwise` if there is none.
toc_status toc_json_count(const toc_json *json, toc_json_id object, const char *name, uint64_t otherwise,
                          uint64_t *out);
/// Exactly `count` numbers; `out` stays as it is where there is no such member.
toc_status toc_json_numbers(const toc_json *json, toc_json_id object, const char *name, size_t count, double *out);

#endif
