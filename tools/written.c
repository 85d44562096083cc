// SPDX-License-Identifier: Apache-2.0
// Names in the order of their writing; those of one option are told together.
#include "tools/written.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "tools/output.h"

toc_status tool_written_add(tool_written *written, const char *option, const char *name) {
    assert(option && name);
    if (written->count == written->capacity) {
        const size_t capacity = 2 * written->capacity + 16;
        tool_written_file *files = realloc(written->files, capacity * sizeof *files);
        if (!files) return tool_fail_memory();
        written->files = files;
        written->capacity = capacity;
    }
    char *copy = strdup(name);
    if (!copy) return tool_fail_memory();
    written->files[written->count++] = (tool_written_file){option, copy};
    return TOC_OK;
}

static bool is_first_of_option(const tool_written *written, size_t i) {
    for (size_t k = 0; k < i; k++)
        if (written->files[k].option == written->files[i].option) return false;
    return true;
}

void tool_written_print(FILE *out, const tool_written *written) {
    for (size_t i = 0; i < written->count; i++) {
        if (!is_first_of_option(written, i)) continue;
        const char *last = NULL;
        size_t count = 0;
        for (size_t k = i; k < written->count; k++) {
            if (written->files[k].option != written->files[i].option) continue;
            last = written->files[k].name;
            count++;
        }
        fprintf(out, "written   %s", written->files[i].name);
        if (count > 1) fprintf(out, " to %s, %zu files", last, count);
        fputc('\n', out);
    }
}

void tool_written_to_json(cJSON *object, const tool_written *written) {
    if (written->count == 0) return;
    cJSON *list = cJSON_AddArrayToObject(object, "written");
    for (size_t i = 0; i < written->count; i++) cJSON_AddItemToArray(list, cJSON_CreateString(written->files[i].name));
}

void tool_written_free(tool_written *written) {
    for (size_t i = 0; i < written->count; i++) free(written->files[i].name);
    free(written->files);
    *written = (tool_written){0};
}
