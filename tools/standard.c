// SPDX-License-Identifier: Apache-2.0
// Files in a temporary folder stand for standard input and output, since readers go by name and may read twice.
#include "tools/standard.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/platform/platform.h"
#include "base/status.h"
#include "tools/output.h"
#include "tools/temporary.h"

enum { PATH = TOOL_TEMPORARY_PATH, EXTENSION = 32 };

static struct { char folder[PATH], input[PATH + EXTENSION], output[PATH + EXTENSION]; } made;

bool tool_is_standard(const char *path) { return path && path[0] == '-' && (path[1] == 0 || path[1] == '.'); }

void tool_standard_remove(void) {
    if (made.input[0]) toc_path_remove(made.input);
    if (made.output[0]) toc_path_remove(made.output);
    if (made.folder[0]) toc_folder_remove(made.folder);
}

static toc_status make_folder(void) {
    char folder[PATH];
    if (made.folder[0]) return TOC_OK;
    TOC_TRY(tool_temporary_make(folder));
    memcpy(made.folder, folder, sizeof folder); // not before: a signal would remove its template
    return TOC_OK;
}

static toc_status copy_input(FILE *to) {
    char bytes[1 << 16];
    size_t count;
    while ((count = fread(bytes, 1, sizeof bytes, stdin)) > 0)
        if (fwrite(bytes, 1, count, to) != count) break;
    if (ferror(stdin)) return tool_fail(TOC_BAD_INPUT, "standard input cannot be read: %s", strerror(errno));
    if (ferror(to)) return tool_fail(TOC_DISK_FULL, "standard input does not fit into %s", made.folder);
    return TOC_OK;
}

static toc_status take_input(const char *word) {
    toc_status status = make_folder();
    if (status != TOC_OK) return status;
    snprintf(made.input, sizeof made.input, "%s/stdin%.10s", made.folder, word + 1);
    FILE *file = toc_stream_open(made.input, "wb");
    if (!file) return tool_fail(TOC_BAD_INPUT, "%s: cannot be written: %s", made.input, strerror(errno));
    status = copy_input(file);
    if (fclose(file) != 0 && status == TOC_OK)
        status = tool_fail(TOC_DISK_FULL, "standard input does not fit into %s", made.folder);
    return status;
}

toc_status tool_standard_input(int count, char **paths) {
    for (int i = 0; i < count; i++) {
        if (!tool_is_standard(paths[i])) continue;
        if (made.input[0]) return tool_fail(TOC_BAD_INPUT, "standard input (-) can be one file only");
        const toc_status status = take_input(paths[i]);
        if (status != TOC_OK) return status;
        paths[i] = made.input;
    }
    return TOC_OK;
}

toc_status tool_standard_output(const char *path, const char *extension, const char **out) {
    *out = path;
    if (!tool_is_standard(path)) return TOC_OK;
    TOC_TRY(make_folder());
    snprintf(made.output, sizeof made.output, "%s/stdout%.10s", made.folder, path[1] ? path + 1 : extension);
    *out = made.output;
    return TOC_OK;
}

static void copy_output(FILE *file) {
    char bytes[1 << 16];
    size_t count;
    while ((count = fread(bytes, 1, sizeof bytes, file)) > 0) fwrite(bytes, 1, count, tool_output());
}

toc_status tool_standard_flush(const char *path, const char *written) {
    if (!tool_is_standard(path)) return TOC_OK;
    FILE *file = toc_stream_open(written, "rb");
    if (!file) return tool_fail(TOC_INTERNAL, "%s: cannot be read again: %s", written, strerror(errno));
    copy_output(file);
    fclose(file);
    toc_path_remove(written);
    return TOC_OK;
}

const char *tool_standard_name(const char *path) {
    if (made.input[0] && strcmp(path, made.input) == 0) return "standard input";
    return made.output[0] && strcmp(path, made.output) == 0 ? "standard output" : path;
}

size_t tool_standard_hidden(const char **path) {
    *path = made.input;
    return strlen(made.input);
}
