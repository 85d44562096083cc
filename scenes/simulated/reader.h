// SPDX-License-Identifier: Apache-2.0
// Values of a JSON description, with failures that name their path.
#ifndef SCENES_SIMULATED_READER_H
#define SCENES_SIMULATED_READER_H

#include <cjson/cJSON.h>

#include "toccata/sim.h"

enum { READER_PATH = 256 };

/// The description under reading: its file for messages, and the size.
typedef struct reader {
    const char *file;
    size_t size;
} reader;

/// "FILE: PATH: sentence" for toc_message_get; the path may be "".
__attribute__((format(printf, 3, 4))) toc_status reader_fail(const reader *r, const char *path, const char *format,
                                                             ...);
/// Put "FILE: PATH: " before the sentence of the library.
toc_status reader_fail_in(const reader *r, const char *path, toc_status status);
/// path.key into out.
void reader_path(char out[READER_PATH], const char *path, const char *key);

/// Parse a text; a failure names the line. Free with cJSON_Delete.
toc_status reader_parse(const reader *r, const char *text, cJSON **out);
/// An object with no other keys than these, separated by blanks.
toc_status reader_keys(const reader *r, const cJSON *object, const char *path, const char *keys);

/// A value of an object; one that is absent leaves `out` as it is. Numbers must be finite.
toc_status reader_number(const reader *r, const cJSON *object, const char *path, const char *key, double *out);
/// An integer from `low` to `high`: a number, or "size", "size/N", "size*N".
toc_status reader_count(const reader *r, const cJSON *object, const char *path, const char *key, size_t low,
                        size_t high, size_t *out);
toc_status reader_bool(const reader *r, const cJSON *object, const char *path, const char *key, bool *out);
toc_status reader_text(const reader *r, const cJSON *object, const char *path, const char *key, const char **out);
toc_status reader_vector(const reader *r, const cJSON *object, const char *path, const char *key, double out[3]);
toc_status reader_counts(const reader *r, const cJSON *object, const char *path, const char *key, int count,
                         uint32_t *out);

#define READER_TRY(expression)                  \
    do {                                        \
        const toc_status tried_ = (expression); \
        if (tried_ != TOC_OK) return tried_;    \
    } while (0)

#endif
