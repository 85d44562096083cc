// SPDX-License-Identifier: Apache-2.0
// Read published query files. Every coordinate must be exactly a double: a rounded coordinate is a different query.
#include "tools/queries.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/platform/platform.h"
#include "tools/fraction.h"
#include "tools/output.h"

enum { ROWS = 8, COLUMNS = 7 };

typedef struct reader {
    const char *path;
    size_t line;
    int row; // of the query
} reader;

static toc_status fail_at(const reader *r, const char *what, const char *wrong) {
    return tool_fail(TOC_BAD_INPUT, "%s:%zu: %s %s", r->path, r->line, what, wrong);
}

// Split a line at its commas. @return the number of columns.
static int split_columns(char *line, char *columns[COLUMNS]) {
    int count = 0;
    line[strcspn(line, "\r\n")] = 0;
    for (char *column = line, *comma = line; comma; column = comma + 1, count++) {
        comma = strchr(column, ',');
        if (comma) *comma = 0;
        if (count < COLUMNS) columns[count] = column + strspn(column, " \t");
    }
    return count;
}

static toc_status read_answer(const reader *r, const char *text, tool_query *query) {
    const bool yes = strcmp(text, "1") == 0;
    if (!yes && strcmp(text, "0") != 0) return fail_at(r, "the answer", "is neither 0 nor 1");
    if (r->row > 0 && yes != query->touches)
        return fail_at(r, "the answer",
                       yes ? "differs from the row before: 1, not 0" : "differs from the row before: 0, not 1");
    query->touches = yes;
    return TOC_OK;
}

static toc_status read_row(const reader *r, char *line, tool_query *query) {
    static const char *const names[] = {"x", "y", "z"};
    char *columns[COLUMNS];
    const int count = split_columns(line, columns);
    if (count != COLUMNS)
        return tool_fail(TOC_BAD_INPUT, "%s:%zu: %d columns, not %d", r->path, r->line, count, COLUMNS);
    double *to = r->row < 4 ? query->pair.x0[r->row] : query->pair.x1[r->row - 4];
    for (int k = 0; k < 3; k++) {
        const char *wrong = tool_fraction_read(columns[2 * k], columns[2 * k + 1], &to[k]);
        if (wrong) return fail_at(r, names[k], wrong);
    }
    return read_answer(r, columns[COLUMNS - 1], query);
}

static toc_status add_query(tool_queries *queries, const tool_query *query) {
    if (queries->count == queries->capacity) {
        const size_t capacity = queries->capacity ? 2 * queries->capacity : 128;
        tool_query *moved = realloc(queries->at, capacity * sizeof *moved);
        if (!moved) return tool_fail_memory();
        queries->at = moved;
        queries->capacity = capacity;
    }
    queries->at[queries->count++] = *query;
    return TOC_OK;
}

static toc_status read_rows(FILE *file, reader *r, tool_queries *queries) {
    tool_query query = {.touches = false};
    char *line = NULL;
    size_t size = 0;
    toc_status status = TOC_OK;
    errno = 0;
    while (status == TOC_OK && toc_stream_line(&line, &size, file) >= 0) {
        r->line++;
        if (line[strspn(line, " \t\r\n")] == 0) continue;
        status = read_row(r, line, &query);
        if (status != TOC_OK) break;
        r->row = (r->row + 1) % ROWS;
        if (r->row == 0) status = add_query(queries, &query);
    }
    free(line);
    if (status != TOC_OK) return status;
    if (errno == ENOMEM) return tool_fail_memory();
    if (ferror(file)) return tool_fail(TOC_BAD_INPUT, "%s: %s", r->path, strerror(errno));
    if (r->row == 0) return TOC_OK;
    return tool_fail(TOC_BAD_INPUT, "%s:%zu: the last query has %d rows, not %d", r->path, r->line, r->row, ROWS);
}

toc_status tool_queries_read(const char *path, tool_queries *out) {
    assert(path && out);
    FILE *file = toc_stream_open(path, "r");
    if (!file) return tool_fail(TOC_BAD_INPUT, "%s: %s", path, strerror(errno));
    tool_queries queries = {0};
    reader r = {.path = path};
    const toc_status status = read_rows(file, &r, &queries);
    fclose(file);
    if (status == TOC_OK) {
        *out = queries;
    } else {
        tool_queries_free(&queries);
    }
    return status;
}

void tool_queries_free(tool_queries *queries) {
    free(queries->at);
    *queries = (tool_queries){0};
}
