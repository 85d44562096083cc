// SPDX-License-Identifier: Apache-2.0
// Collect standard output in memory; print failures on standard error.
#include "tools/output.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

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
    return isatty(STDERR_FILENO) && !(no && *no) && terminal && strcmp(terminal, "dumb") != 0;
}

void tool_failure_forget(char *to, size_t size) {
    snprintf(to, size, "%s", *sentence ? sentence : toc_message_get());
    *sentence = 0;
}

void tool_failure_print(toc_status status) {
    const char *text = *sentence ? sentence : toc_message_get();
    if (status == TOC_STOPPED) text = "stopped; no partial file remains";
    if (!*text) text = status == TOC_OUT_OF_MEMORY ? "out of memory" : "failed without a message; please report it";
    const bool colour = wants_colour();
    fprintf(stderr, "%stoccata:%s ", colour ? "\033[1;31m" : "", colour ? "\033[0m" : "");
    const char *name;
    const size_t length = tool_standard_hidden(&name);
    while (*text) {
        if (length && strncmp(text, name, length) == 0) {
            fputs("standard input", stderr);
            text += length;
            continue;
        }
        fputc(*text == '\n' ? ' ' : *text, stderr); // file names may contain line breaks; the message stays one line
        text++;
    }
    fputc('\n', stderr);
}

static int exit_code; // of success

void tool_exit_with(int code) { exit_code = code; }

int tool_exit_code(toc_status status) {
    switch (status) {
    case TOC_OK:
        return exit_code;
    case TOC_BAD_INPUT:
    case TOC_UNSTABLE:
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
    size_t size;
} held;

FILE *tool_output(void) { return held.stream; }

toc_status tool_output_start(void) {
    held.stream = open_memstream(&held.text, &held.size);
    return held.stream ? TOC_OK : tool_fail_memory();
}

static toc_status fail_write(const char *what, int error) {
    const bool full = error == ENOSPC || error == EDQUOT || error == EFBIG;
    return tool_fail(full ? TOC_DISK_FULL : TOC_BAD_INPUT, "%s: cannot be written: %s", what, strerror(error));
}

static toc_status write_out(void) {
    errno = 0;
    if (fwrite(held.text, 1, held.size, stdout) == held.size && fflush(stdout) == 0) return TOC_OK;
    if (errno == EPIPE) {
        exit_code = TOOL_EXIT_PIPE; // the reader has seen enough, as with head: nothing to report
        return TOC_OK;
    }
    return fail_write("standard output", errno);
}

toc_status tool_output_finish(toc_status status) {
    const bool whole = !ferror(held.stream) && fclose(held.stream) == 0;
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
    FILE *file = fopen(path, "wb");
    if (!file) return errno;
    int error = fwrite(bytes, 1, count, file) == count ? 0 : errno;
    if (fclose(file) != 0 && !error) error = errno;
    return error;
}

// Write under another name first, so that only a complete file replaces an existing one.
static int write_beside(const char *path, const char *passing, const void *bytes, size_t count) {
    int error = write_bytes(passing, bytes, count);
    if (!error && rename(passing, path) != 0) error = errno;
    if (error) unlink(passing);
    return error;
}

toc_status tool_file_write(const char *path, const void *bytes, size_t count) {
    struct stat about;
    const bool device = stat(path, &about) == 0 && !S_ISREG(about.st_mode);
    char *passing;
    if (asprintf(&passing, "%s.%ld~", path, (long)getpid()) < 0) return tool_fail_memory();
    const int error = device ? write_bytes(path, bytes, count) : write_beside(path, passing, bytes, count);
    free(passing);
    return error ? fail_write(path, error) : TOC_OK;
}

toc_status tool_path_number(const char *path, size_t number, char **out) {
    const char *name = tool_path_name(path), *dot = strrchr(name, '.');
    const int stem = (int)((dot && dot != name ? dot : path + strlen(path)) - path);
    if (asprintf(out, "%.*s-%04zu%s", stem, path, number, path + stem) < 0) return tool_fail_memory();
    return TOC_OK;
}

const char *tool_path_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool tool_path_ends(const char *path, const char *extension) {
    const size_t whole = strlen(path), part = strlen(extension);
    return whole > part && strcasecmp(path + whole - part, extension) == 0;
}

double tool_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
