// SPDX-License-Identifier: Apache-2.0
#include "support/data.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { LENGTH = 4096 };

static char *next_buffer(void) {
    static char buffers[4][LENGTH];
    static int next;
    return buffers[next++ % 4];
}

// Whether one of the folders has the file; without any, the path is that in the first folder.
static bool find_file(const char *name, va_list arguments, char *path) {
    const char *const wish = getenv("TOC_DATA");
    const char *const folders[] = {wish && *wish ? wish : TOC_SOURCE_DIR "/tests/data", TOC_SOURCE_DIR "/tests/data",
                                   TOC_SOURCE_DIR "/data", TOC_SOURCE_DIR "/../shared/data"};
    const size_t count = wish && *wish ? 2 : sizeof folders / sizeof *folders;
    char file[1024];
    vsnprintf(file, sizeof file, name, arguments);
    for (size_t i = 0; i < count; i++) {
        snprintf(path, LENGTH, "%s/%s", folders[i], file);
        if (access(path, R_OK) == 0) return true;
    }
    snprintf(path, LENGTH, "%s/%s", folders[0], file);
    return false;
}

const char *test_data(const char *name, ...) {
    char *path = next_buffer();
    va_list arguments;
    va_start(arguments, name);
    const bool there = find_file(name, arguments, path);
    va_end(arguments);
    return there ? path : NULL;
}

const char *test_data_path(const char *name, ...) {
    char *path = next_buffer();
    va_list arguments;
    va_start(arguments, name);
    find_file(name, arguments, path);
    va_end(arguments);
    return path;
}
