// SPDX-License-Identifier: Apache-2.0
// Names of the numbered files, and the .pvd with their times.
#include "tools/listing.h"

#include <stdlib.h>
#include <string.h>

#include "tools/output.h"

static void free_names(char **names, size_t count) {
    for (size_t i = 0; names && i < count; i++) free(names[i]);
    free(names);
}

static toc_status make_names(const char *path, size_t count, char ***out) {
    char **names = calloc(count + 1, sizeof *names);
    toc_status status = names ? TOC_OK : tool_fail_memory();
    for (size_t i = 0; i < count && status == TOC_OK; i++) {
        status = tool_path_number(tool_path_name(path), i, &names[i]);
    }
    if (status == TOC_OK) {
        *out = names;
    } else {
        free_names(names, count);
    }
    return status;
}

toc_status tool_listing_write(const char *path, size_t count, const double *times) {
    char **names, *listing;
    const char *dot = strrchr(path, '.');
    if (asprintf(&listing, "%.*s.pvd", (int)(dot - path), path) < 0) return tool_fail_memory();
    toc_status status = make_names(path, count, &names);
    if (status == TOC_OK) {
        status = toc_sequence_write_pvd(listing, count, (const char *const *)names, times);
        free_names(names, count);
    }
    free(listing);
    return status;
}
