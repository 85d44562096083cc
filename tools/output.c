// SPDX-License-Identifier: Apache-2.0
// Collect standard output in memory; print failures on standard error.
#include "tools/output.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/platform/platform.h"
#include "tools/progress.h"
#include "tools/standard.h"

static char sentence[1024];

toc_status tool_fail(toc_status status, const char *format, ...) {
    va_list values;
    va_start(values, format);
    vsnprintf(sentence, sizeof sentence, format, values);
    va_end(values);
    return status;
}

toc_status tool_fail_memory(void) { return tool_fail(TOC_OUT_OF_MEMORY, "out of memory"); }

static bool wants_colour(void) {
    const char *no = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return toc_error_output_is_terminal() && !(no && *no) && terminal && strcmp(terminal, "dumb") != 0;
}

void tool_failure_forget(char *to, size_t size) {
    assert(size > 0);
    snprintf(to, size, "%s", *sentence ? sentence : toc_message_get());
    *sentence = 0;
}

// File names may contain line breaks; the message stays one line.
static void print_sentence(const char *text) {
    const char *name;
    const size_t length = tool_standard_hidden(&name);
    while (*text) {
        if (length && strncmp(text, name, length) == 0) {
            fputs("standard input", stderr);
            text += length;
            continue;
        }
        fputc(*text == '\n' ? ' ' : *text, stderr);
        text++;
    }
}

void tool_failure_print(toc_status status) {
    const char *text = *sentence ? sentence : toc_message_get(), *kept = tool_stop_kept();
    if (status == TOC_STOPPED) text = tool_stop_text();
    if (!*text) text = status == TOC_OUT_OF_MEMORY ? "out of memory" : "failed without a message; please report it";
    const bool colour = wants_colour();
    fprintf(stderr, "%stoccata:%s ", colour ? "\033[1;31m" : "", colour ? "\033[0m" : "");
    print_sentence(text);
    if (*kept && status != TOC_STOPPED) fputs("; whole steps are in ", stderr);
    print_sentence(kept);
    fputc('\n', stderr);
}

static struct { const char *option, *now; } former[32];
static size_t former_count;

void tool_former(const char *option, const char *now) {
    assert(option && now);
    for (size_t i = 0; i < former_count; i++)
        if (strcmp(former[i].option, option) == 0) return;
    if (former_count == sizeof former / sizeof *former) return;
    former[former_count].option = option;
    former[former_count++].now = now;
}

void tool_former_print(void) {
    for (size_t i = 0; i < former_count; i++)
        fprintf(stderr, "toccata: --%s is a former spelling; now: %s\n", former[i].option, former[i].now);
}

static int exit_code; // of success

void tool_exit_with(int code) { exit_code = code; }

int tool_exit_code(toc_status status) {
    switch (status) {
    case TOC_OK:
        return exit_code;
    case TOC_BAD_INPUT:
    case TOC_UNSTABLE:
    case TOC_NO_DEVICE:
        return 1;
    case TOC_OUT_OF_MEMORY:
    case TOC_DISK_FULL:
        return 3;
    case TOC_STOPPED:
        return 128 + tool_stop_signal();
    case TOC_INTERNAL:
    case TOC_BUSY:  // the command has one thread
    case TOC_STALE: // and keeps no candidates
        break;
    }
    return 2;
}

static struct {
    FILE *stream;
    char *text;
    size_t size, sent; // of the bytes, those that are out already
    bool closed;       // the reader of standard output is gone
} held;

FILE *tool_output(void) { return held.stream; }

toc_status tool_output_start(void) {
    assert(!held.stream);
    held.stream = toc_stream_open_text(&held.text, &held.size);
    return held.stream ? TOC_OK : tool_fail_memory();
}

static toc_status fail_write(const char *what, int error) {
    const bool full = toc_error_is_full(error);
    return tool_fail(full ? TOC_DISK_FULL : TOC_BAD_INPUT, "%s: cannot be written: %s", what, strerror(error));
}

static toc_status write_out(void) {
    const size_t left = held.size - held.sent;
    if (held.closed) return TOC_OK;
    errno = 0;
    if (fwrite(held.text + held.sent, 1, left, stdout) == left && fflush(stdout) == 0) {
        held.sent = held.size;
        return TOC_OK;
    }
    if (errno != EPIPE) return fail_write("standard output", errno);
    exit_code = TOOL_EXIT_PIPE; // the reader has seen enough, as with head: nothing to report
    held.closed = true;
    return TOC_OK;
}

toc_status tool_output_flush(void) {
    assert(held.stream);
    tool_progress_hide();
    return toc_stream_flush_text(held.stream, &held.text, &held.size) ? write_out() : tool_fail_memory();
}

toc_status tool_output_finish(toc_status status) {
    const bool whole = !ferror(held.stream) && toc_stream_close_text(held.stream, &held.text, &held.size);
    held.stream = NULL;
    if (status == TOC_OK) status = whole ? write_out() : tool_fail_memory();
    free(held.text);
    held.text = NULL;
    return status;
}

const char *tool_double_text(double x) {
    static char text[32];
    int digits = 15;
    do snprintf(text, sizeof text, "%.*g", digits, x);
    while (strtod(text, NULL) != x && ++digits <= 17);
    return isfinite(x) ? text : "null";
}

void tool_json_double(cJSON *object, const char *name, double x) {
    cJSON_AddRawToObject(object, name, tool_double_text(x));
}

void tool_json_count(cJSON *object, const char *name, uint64_t count) {
    char text[32];
    snprintf(text, sizeof text, "%llu", (unsigned long long)count);
    cJSON_AddRawToObject(object, name, text);
}

// cJSON drops values when memory is out. This flag prevents the output of an incomplete object.
static bool json_lacks_memory;

static void *json_allocate(size_t size) {
    void *block = malloc(size);
    if (!block) json_lacks_memory = true;
    return block;
}

cJSON *tool_json_start(void) {
    cJSON_InitHooks(&(cJSON_Hooks){.malloc_fn = json_allocate, .free_fn = free});
    return cJSON_CreateObject();
}

toc_status tool_json_text(const cJSON *object, char **out) {
    char *text = cJSON_PrintUnformatted(object);
    if (text && !json_lacks_memory) {
        *out = text;
        return TOC_OK;
    }
    cJSON_free(text);
    return tool_fail_memory();
}

toc_status tool_json_print(cJSON *object) {
    char *text = cJSON_Print(object);
    cJSON_Delete(object);
    if (!text || json_lacks_memory) {
        cJSON_free(text);
        return tool_fail_memory();
    }
    fprintf(tool_output(), "%s\n", text);
    cJSON_free(text);
    return TOC_OK;
}

// 0, or the errno of the failed call.
static int write_bytes(const char *path, const void *bytes, size_t count) {
    FILE *file = toc_stream_open(path, "wb");
    if (!file) return errno;
    int error = fwrite(bytes, 1, count, file) == count ? 0 : errno;
    if (fclose(file) != 0 && !error) error = errno;
    return error;
}

// Write under another name first, so that only a complete file replaces an existing one.
static int write_beside(const char *path, const char *passing, const void *bytes, size_t count) {
    int error = write_bytes(passing, bytes, count);
    if (!error && !toc_path_replace(passing, path)) error = errno;
    if (error) toc_path_remove(passing);
    return error;
}

static bool is_device(const char *path) {
    toc_file_facts about;
    return toc_path_facts(path, &about) && about.kind != TOC_FILE_PLAIN;
}

toc_status tool_file_write(const char *path, const void *bytes, size_t count) {
    assert(bytes || count == 0);
    char *passing;
    if (asprintf(&passing, "%s.%lu~", path, toc_process_number()) < 0) return tool_fail_memory();
    const int error = is_device(path) ? write_bytes(path, bytes, count) : write_beside(path, passing, bytes, count);
    free(passing);
    return error ? fail_write(path, error) : TOC_OK;
}

toc_status tool_file_try(const char *path) {
    char *passing;
    if (!path || is_device(path)) return TOC_OK;
    if (asprintf(&passing, "%s.%lu~", path, toc_process_number()) < 0) return tool_fail_memory();
    const int error = write_bytes(passing, "", 0);
    toc_path_remove(passing);
    free(passing);
    return error ? fail_write(path, error) : TOC_OK;
}

// "%04d" in a path, or "%d"; NULL where there is none.
static const char *find_number(const char *path, size_t *length) {
    for (const char *at = path; (at = strchr(at, '%')); at++) {
        const size_t digits = strspn(at + 1, "0123456789");
        *length = digits + 2;
        if (at[1 + digits] == 'd' && digits <= 2) return at;
    }
    return NULL;
}

bool tool_path_has_number(const char *path) {
    size_t length;
    return find_number(path, &length) != NULL;
}

toc_status tool_path_number(const char *path, size_t number, char **out) {
    assert(path && out);
    const char *name = tool_path_name(path), *dot = strrchr(name, '.');
    size_t length = 0;
    const char *at = find_number(path, &length);
    const int digits = at ? (int)strtol(at + 1, NULL, 10) : 4;
    if (!at) at = dot && dot != name ? dot : path + strlen(path);
    const int stem = (int)(at - path);
    if (asprintf(out, "%.*s%s%0*zu%s", stem, path, length ? "" : "-", digits, number, at + length) < 0)
        return tool_fail_memory();
    return TOC_OK;
}

toc_status tool_path_unnumbered(const char *path, char **out) {
    assert(path && out);
    size_t length = 0;
    const char *at = find_number(path, &length);
    size_t stem = at ? (size_t)(at - path) : strlen(path);
    while (at && stem > 0 && strchr("-_.", path[stem - 1])) stem--;
    if (asprintf(out, "%.*s%s", (int)stem, path, at ? at + length : "") < 0) return tool_fail_memory();
    return TOC_OK;
}

const char *tool_path_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool tool_path_ends(const char *path, const char *extension) {
    assert(path && extension);
    const size_t whole = strlen(path), part = strlen(extension);
    return whole > part && strcasecmp(path + whole - part, extension) == 0;
}

double tool_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
