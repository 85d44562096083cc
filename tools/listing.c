// SPDX-License-Identifier: Apache-2.0
// Names of the numbered files, and the .pvd with their times.
#include "tools/listing.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "tools/output.h"

static void free_names(char **names, size_t count) {
    for (size_t i = 0; names && i < count; i++) free(names[i]);
    free(names);
}

static toc_status make_names(const char *path, size_t first, size_t count, char ***out) {
    char **names = calloc(count + 1, sizeof *names);
    toc_status status = names ? TOC_OK : tool_fail_memory();
    for (size_t i = 0; i < count && status == TOC_OK; i++)
        status = tool_path_number(tool_path_name(path), first + i, &names[i]);
    if (status == TOC_OK) {
        *out = names;
    } else {
        free_names(names, count);
    }
    return status;
}

static toc_status name_listing(const char *path, char **out) {
    char *plain;
    TOC_TRY(tool_path_unnumbered(path, &plain));
    const char *dot = strrchr(plain, '.');
    const int length = asprintf(out, "%.*s.pvd", (int)(dot - plain), plain);
    free(plain);
    return length < 0 ? tool_fail_memory() : TOC_OK;
}

toc_status tool_listing_write(const char *path, size_t first, size_t count, const double *times, char **name) {
    assert(path && times);
    char **names, *listing;
    TOC_TRY(name_listing(path, &listing));
    toc_status status = make_names(path, first, count, &names);
    if (status == TOC_OK) {
        status = toc_sequence_write_pvd(listing, count, (const char *const *)names, times);
        free_names(names, count);
    }
    if (name && status == TOC_OK)
        *name = listing;
    else
        free(listing);
    return status;
}
