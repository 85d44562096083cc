// SPDX-License-Identifier: Apache-2.0
// Rows of the steps, copied line by line: a row is a line in both formats. O(bytes).
#include "tools/step_table.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/platform/platform.h"
#include "base/status.h"
#include "tools/output.h"
#include "tools/progress.h"
#include "tools/standard.h"

static bool is_json(const char *path) { return tool_path_ends(path, ".json"); }

bool tool_step_table_fits(const char *path) {
    if (tool_path_has_number(path)) return false;
    return strcmp(path, "-") == 0 || tool_path_ends(path, ".csv") || is_json(path);
}

static toc_status refuse_table(const tool_step_table *table) {
    const toc_status status = toc_error_is_full(errno) ? TOC_DISK_FULL : TOC_BAD_INPUT;
    return tool_fail(status, "%s: cannot be written: %s", table->path, strerror(errno));
}

static toc_status open_beside(tool_step_table *table) {
    if (asprintf(&table->own_rows, "%s.rows%s", table->path, is_json(table->path) ? ".json" : ".csv") < 0)
        table->own_rows = NULL;
    if (asprintf(&table->passing, "%s.part", table->path) < 0) table->passing = NULL;
    if (!table->own_rows || !table->passing) return tool_fail_memory();
    table->rows = table->own_rows;
    table->to = toc_stream_open(table->passing, "wb");
    return table->to ? TOC_OK : refuse_table(table);
}

// A device gets the rows as they come. Its folder is no place for files.
static toc_status open_device(tool_step_table *table) {
    TOC_TRY(tool_standard_output(is_json(table->path) ? "-.json" : "-.csv", "", &table->rows));
    table->to = toc_stream_open(table->path, "ab");
    return table->to ? TOC_OK : refuse_table(table);
}

static toc_status open_table(tool_step_table *table) {
    toc_file_facts about;
    if (tool_is_standard(table->path)) return tool_standard_output(table->path, ".csv", &table->rows);
    const bool exists = toc_path_facts(table->path, &about);
    if (exists && about.kind == TOC_FILE_FOLDER) errno = EISDIR;
    if (exists && about.kind == TOC_FILE_FOLDER) return refuse_table(table);
    if (exists && about.kind == TOC_FILE_PLAIN && !toc_path_is_writable(table->path)) return refuse_table(table);
    return exists && about.kind != TOC_FILE_PLAIN ? open_device(table) : open_beside(table);
}

static void free_table(tool_step_table *table) {
    if (table->to) fclose(table->to);
    free(table->own_rows);
    free(table->passing);
    *table = (tool_step_table){0};
}

toc_status tool_step_table_open(const char *path, const char *column, tool_step_table *out) {
    assert(tool_step_table_fits(path));
    *out = (tool_step_table){.path = path, .column = column};
    const toc_status status = open_table(out);
    if (status != TOC_OK) free_table(out);
    return status;
}

static void copy_row(const tool_step_table *table, FILE *to, const char *row, size_t step, bool is_head) {
    if (row[0] == '{')
        fprintf(to, "{\"%s\":%zu,%s", table->column, step, row + 1);
    else if (!is_head)
        fprintf(to, "%zu,%s", step, row);
    else if (table->steps == 0)
        fprintf(to, "%s,%s", table->column, row);
}

static toc_status copy_rows(tool_step_table *table, FILE *from, size_t step) {
    FILE *to = table->to ? table->to : tool_output();
    char *row = NULL;
    size_t room = 0;
    for (size_t i = 0; toc_stream_line(&row, &room, from) > 0; i++) copy_row(table, to, row, step, i == 0);
    free(row);
    errno = 0;
    if (!table->to) return TOC_OK; // told when it is printed
    return fflush(to) == 0 && !ferror(to) ? TOC_OK : refuse_table(table);
}

toc_status tool_step_table_add(tool_step_table *table, size_t step) {
    FILE *from = toc_stream_open(table->rows, "rb");
    if (!from) return tool_fail(TOC_INTERNAL, "%s: cannot be read again: %s", table->rows, strerror(errno));
    const toc_status status = copy_rows(table, from, step);
    fclose(from);
    toc_path_remove(table->rows);
    if (status != TOC_OK) return status;
    table->steps++;
    if (table->passing) tool_stop_keeps(table->passing);
    return TOC_OK;
}

static toc_status name_table(tool_step_table *table) {
    FILE *to = table->to;
    table->to = NULL;
    if (fclose(to) != 0 || !toc_path_replace(table->passing, table->path)) return refuse_table(table);
    tool_stop_keeps("");
    return TOC_OK;
}

toc_status tool_step_table_close(tool_step_table *table, toc_status status) {
    if (table->passing && table->to && status == TOC_OK) {
        status = name_table(table);
    } else if (table->passing && table->to && table->steps == 0) {
        fclose(table->to);
        table->to = NULL;
        toc_path_remove(table->passing);
    }
    if (table->own_rows && status != TOC_OK) toc_path_remove(table->own_rows);
    free_table(table);
    return status;
}
