// SPDX-License-Identifier: Apache-2.0
// Values of a JSON description.
#include "scenes/simulated/reader.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

toc_status reader_fail(const reader *r, const char *path, const char *format, ...) {
    char sentence[512], text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    snprintf(text, sizeof text, "%s: %s%s%s", r->file, path, *path ? ": " : "", sentence);
    return toc_message_set(TOC_BAD_INPUT, text);
}

toc_status reader_fail_in(const reader *r, const char *path, toc_status status) {
    char text[1024];
    snprintf(text, sizeof text, "%s: %s%s%.600s", r->file, path, *path ? ": " : "", toc_message_get());
    return toc_message_set(status, text);
}

void reader_path(char out[READER_PATH], const char *path, const char *key) {
    snprintf(out, READER_PATH, "%.120s%s%.120s", path, *path && *key != '[' ? "." : "", key);
}

toc_status reader_parse(const reader *r, const char *text, cJSON **out) {
    const char *end;
    *out = cJSON_ParseWithOpts(text, &end, 1);
    if (*out) return TOC_OK;
    int line = 1;
    for (const char *c = text; c < end && *c; c++) line += *c == '\n';
    char path[32];
    snprintf(path, sizeof path, "line %d", line);
    return reader_fail(r, path, "this is not JSON, near \"%.20s\"", end);
}

static bool has_word(const char *words, const char *word) {
    const size_t length = strlen(word);
    for (const char *at = words; (at = strstr(at, word)); at += length)
        if ((at == words || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0')) return true;
    return false;
}

toc_status reader_keys(const reader *r, const cJSON *object, const char *path, const char *keys) {
    if (!cJSON_IsObject(object)) return reader_fail(r, path, "an object is expected here");
    for (const cJSON *item = object->child; item; item = item->next) {
        if (!has_word(keys, item->string))
            return reader_fail(r, path, "unknown key \"%.60s\"; the keys are: %s", item->string, keys);
        if (cJSON_GetObjectItemCaseSensitive(object, item->string) != item)
            return reader_fail(r, path, "the key \"%.60s\" is there twice", item->string);
    }
    return TOC_OK;
}

static toc_status fail_value(const reader *r, const char *path, const char *key, const char *wanted) {
    char full[READER_PATH];
    reader_path(full, path, key);
    return reader_fail(r, full, "%s is expected here", wanted);
}

toc_status reader_number(const reader *r, const cJSON *object, const char *path, const char *key, double *out) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    if (!item) return TOC_OK;
    if (!cJSON_IsNumber(item) || !isfinite(item->valuedouble)) return fail_value(r, path, key, "a finite number");
    *out = item->valuedouble;
    return TOC_OK;
}

// "size", "size/4", "size*2".
static bool take_size(const reader *r, const char *text, double *out) {
    if (strncmp(text, "size", 4) != 0) return false;
    *out = (double)r->size;
    if (text[4] == '\0') return true;
    char *end;
    const double factor = strtod(text + 5, &end);
    if (*end != '\0' || end == text + 5 || !(factor > 0)) return false;
    if (text[4] == '*') *out *= factor;
    if (text[4] == '/') *out /= factor;
    return text[4] == '*' || text[4] == '/';
}

static bool take_count(const reader *r, const cJSON *item, double low, double high, double *out) {
    if (cJSON_IsNumber(item)) {
        *out = item->valuedouble;
        return *out == floor(*out) && *out >= low && *out <= high;
    }
    if (!cJSON_IsString(item) || !take_size(r, item->valuestring, out)) return false;
    *out = fmax(floor(*out), low);
    return *out <= high;
}

toc_status reader_count(const reader *r, const cJSON *object, const char *path, const char *key, size_t low,
                        size_t high, size_t *out) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    if (!item) return TOC_OK;
    double value;
    if (!take_count(r, item, (double)low, (double)high, &value)) {
        char wanted[128];
        snprintf(wanted, sizeof wanted, "an integer from %zu to %zu, or \"size\", \"size/N\" or \"size*N\"", low, high);
        return fail_value(r, path, key, wanted);
    }
    *out = (size_t)value;
    return TOC_OK;
}

toc_status reader_bool(const reader *r, const cJSON *object, const char *path, const char *key, bool *out) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    if (!item) return TOC_OK;
    if (!cJSON_IsBool(item)) return fail_value(r, path, key, "true or false");
    *out = cJSON_IsTrue(item);
    return TOC_OK;
}

toc_status reader_text(const reader *r, const cJSON *object, const char *path, const char *key, const char **out) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    if (!item) return TOC_OK;
    if (!cJSON_IsString(item)) return fail_value(r, path, key, "a text");
    *out = item->valuestring;
    return TOC_OK;
}

toc_status reader_vector(const reader *r, const cJSON *object, const char *path, const char *key, double out[3]) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key), *child = item ? item->child : NULL;
    if (!item) return TOC_OK;
    double value[3];
    for (int k = 0; k < 3; k++, child = child ? child->next : NULL) {
        if (!cJSON_IsArray(item) || !child || !cJSON_IsNumber(child) || !isfinite(child->valuedouble))
            return fail_value(r, path, key, "an array of three finite numbers");
        value[k] = child->valuedouble;
    }
    if (child) return fail_value(r, path, key, "an array of three finite numbers");
    memcpy(out, value, sizeof value);
    return TOC_OK;
}

toc_status reader_counts(const reader *r, const cJSON *object, const char *path, const char *key, int count,
                         uint32_t *out) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key), *child = item ? item->child : NULL;
    if (!item) return TOC_OK;
    if (!cJSON_IsArray(item) || cJSON_GetArraySize(item) != count)
        return fail_value(r, path, key, count == 2 ? "an array of two integers" : "an array of three integers");
    for (int k = 0; k < count; k++, child = child->next) {
        double value;
        if (!take_count(r, child, 1, 10000, &value))
            return fail_value(r, path, key, "integers from 1 to 10000, or \"size\"");
        out[k] = (uint32_t)value;
    }
    return TOC_OK;
}
