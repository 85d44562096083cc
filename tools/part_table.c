// SPDX-License-Identifier: Apache-2.0
// Rows in the order of their parts, found by bisection: O(log n) each, and O(n) to insert one of n pairs of parts.
#include "tools/part_table.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/platform/platform.h"
#include "tools/output.h"

void tool_part_table_free(tool_part_table *table) {
    free(table->rows);
    table->rows = NULL;
    table->count = table->capacity = 0;
}

static bool row_is_before(const tool_part_row *row, const size_t parts[2]) {
    return row->parts[0] != parts[0] ? row->parts[0] < parts[0] : row->parts[1] < parts[1];
}

static toc_status insert_row(tool_part_table *table, size_t at, const size_t parts[2]) {
    assert(at <= table->count && parts[0] <= parts[1]);
    if (table->count == table->capacity) {
        const size_t capacity = 2 * table->capacity + 16;
        tool_part_row *rows = realloc(table->rows, capacity * sizeof *rows);
        if (!rows) return tool_fail_memory();
        table->rows = rows;
        table->capacity = capacity;
    }
    memmove(table->rows + at + 1, table->rows + at, (table->count++ - at) * sizeof *table->rows);
    table->rows[at] = (tool_part_row){.parts = {parts[0], parts[1]}};
    return TOC_OK;
}

static void join_rows(const tool_part_table *table, tool_part_row *row, const tool_part_row *other) {
    const bool earlier = other->step < row->step || (other->step == row->step && other->value < row->value);
    const bool better = table->kind == TOOL_FIRST_TIME ? earlier
                        : table->kind == TOOL_DEEPEST  ? other->value > row->value
                                                       : other->value < row->value;
    if (row->count == 0 || better) {
        row->value = other->value;
        row->time = other->time;
        row->step = other->step;
    }
    row->count += other->count;
}

toc_status tool_part_table_join(tool_part_table *table, const tool_part_row *other) {
    size_t low = 0, high = table->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (row_is_before(&table->rows[middle], other->parts))
            low = middle + 1;
        else
            high = middle;
    }
    if (low == table->count || memcmp(table->rows[low].parts, other->parts, sizeof other->parts) != 0) {
        const toc_status status = insert_row(table, low, other->parts);
        if (status != TOC_OK) return status;
    }
    join_rows(table, &table->rows[low], other);
    return TOC_OK;
}

toc_status tool_part_table_add(tool_part_table *table, const size_t parts[2], double value, double time, size_t step) {
    const bool turned = parts[0] > parts[1];
    return tool_part_table_join(
        table, &(tool_part_row){
                   .parts = {parts[turned], parts[!turned]}, .count = 1, .step = step, .value = value, .time = time});
}

static int compare_first(const void *a, const void *b) {
    const tool_part_row *p = a, *q = b;
    if (p->step != q->step) return p->step < q->step ? -1 : 1;
    if (p->value != q->value) return p->value < q->value ? -1 : 1;
    if (p->parts[0] != q->parts[0]) return p->parts[0] < q->parts[0] ? -1 : 1;
    return (p->parts[1] > q->parts[1]) - (p->parts[1] < q->parts[1]);
}

static int compare_deepest(const void *a, const void *b) {
    const tool_part_row *p = a, *q = b;
    return p->value != q->value ? (p->value < q->value) - (p->value > q->value) : compare_first(a, b);
}

static int compare_nearest(const void *a, const void *b) {
    const tool_part_row *p = a, *q = b;
    return p->value != q->value ? (p->value > q->value) - (p->value < q->value) : compare_first(a, b);
}

void tool_part_table_sort(tool_part_table *table) {
    assert(table->kind <= TOOL_NEAREST);
    static int (*const orders[])(const void *, const void *) = {compare_first, compare_deepest, compare_nearest};
    if (table->count) qsort(table->rows, table->count, sizeof *table->rows, orders[table->kind]);
}

static const char *const counts[] = {"contacts", "overlaps", "near"};
static const char *const values[] = {"first", "depth", "distance"};

static void print_part_row(FILE *out, const tool_part_table *table, const tool_part_row *row, bool sequence) {
    static const char *const words[] = {"first", "deepest", "nearest"};
    fprintf(out, ": %zu, %s ", row->count, words[table->kind]);
    if (!sequence || table->kind != TOOL_FIRST_TIME) {
        fprintf(out, "%.6g", row->value);
        if (sequence) fprintf(out, " (%s %zu)", table->by_frame ? "frame" : "step", row->step);
    } else {
        fprintf(out, "%.6g (step %zu, t = %.6g)", row->time, row->step, row->value);
    }
    fputc('\n', out);
}

void tool_part_table_print(FILE *out, const tool_part_table *table, const tool_places *places, bool sequence) {
    enum { MOST = 24 };
    if (tool_places_part_count(places) < 2) return;
    for (size_t i = 0; i < table->count && i < MOST; i++) {
        const tool_part_row *row = &table->rows[i];
        fprintf(out, "%-9s %s", i ? "" : "parts", tool_places_part(places, row->parts[0])->label);
        if (row->parts[0] != row->parts[1]) fprintf(out, " - %s", tool_places_part(places, row->parts[1])->label);
        if (row->parts[0] == row->parts[1]) fputs(" - itself", out);
        print_part_row(out, table, row, sequence);
    }
    if (table->count > MOST) fprintf(out, "%-9s and %zu more pairs; --parts-out has all\n", "", table->count - MOST);
}

static cJSON *part_row_object(const tool_part_table *table, const tool_part_row *row, const tool_places *places,
                              bool sequence) {
    cJSON *object = cJSON_CreateObject();
    cJSON *bodies = cJSON_AddArrayToObject(object, "bodies"), *ids = cJSON_AddArrayToObject(object, "pids");
    cJSON *names = cJSON_AddArrayToObject(object, "parts");
    for (int k = 0; k < 2; k++) {
        const tool_part *part = tool_places_part(places, row->parts[k]);
        cJSON_AddItemToArray(bodies, cJSON_CreateNumber(part->body));
        cJSON_AddItemToArray(ids, cJSON_CreateNumber(part->number));
        cJSON_AddItemToArray(names, cJSON_CreateString(part->label));
    }
    tool_json_count(object, counts[table->kind], row->count);
    tool_json_double(object, values[table->kind], row->value);
    if (table->kind == TOOL_FIRST_TIME) tool_json_double(object, "first_time", row->time);
    if (sequence) tool_json_count(object, table->by_frame ? "frame" : "step", row->step);
    return object;
}

void tool_part_table_to_json(cJSON *object, const char *name, const tool_part_table *table, const tool_places *places,
                             bool sequence) {
    cJSON *list = cJSON_AddArrayToObject(object, name);
    for (size_t i = 0; i < table->count; i++)
        cJSON_AddItemToArray(list, part_row_object(table, &table->rows[i], places, sequence));
}

// ---- a file of its own

// A text of a CSV: in quotes if it needs them.
static void put_field(FILE *out, const char *text) {
    if (!text[strcspn(text, ",\"")]) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"') fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

static void put_csv(FILE *out, const tool_part_table *table, const tool_places *places) {
    fprintf(out, "part0,part1,pid0,pid1,body0,body1,%s,%s,%s,%s\n", counts[table->kind], values[table->kind],
            table->kind == TOOL_FIRST_TIME ? "first_time" : "time", table->by_frame ? "frame" : "step");
    for (size_t i = 0; i < table->count; i++) {
        const tool_part_row *row = &table->rows[i];
        const tool_part *a = tool_places_part(places, row->parts[0]), *b = tool_places_part(places, row->parts[1]);
        put_field(out, a->label);
        fputc(',', out);
        put_field(out, b->label);
        fprintf(out, ",%d,%d,%u,%u,%zu,%s", (int)a->number, (int)b->number, a->body, b->body, row->count,
                tool_double_text(row->value));
        fprintf(out, ",%s,%zu\n", tool_double_text(row->time), row->step);
    }
}

// A row is a line, as in the .json of contacts, but all of them are one array.
static toc_status put_json(FILE *out, const tool_part_table *table, const tool_places *places) {
    toc_status status = TOC_OK;
    for (size_t i = 0; i < table->count && status == TOC_OK; i++) {
        cJSON *object = part_row_object(table, &table->rows[i], places, true);
        char *text = NULL;
        if (table->kind != TOOL_FIRST_TIME) tool_json_double(object, "time", table->rows[i].time);
        status = tool_json_text(object, &text);
        if (status == TOC_OK) fprintf(out, "%s%s", i ? ",\n" : "[", text);
        cJSON_free(text);
        cJSON_Delete(object);
    }
    fputs(table->count ? "]\n" : "[]\n", out);
    return status;
}

toc_status tool_part_table_check(const char *path) {
    if (!path || tool_path_ends(path, ".csv") || tool_path_ends(path, ".json")) return TOC_OK;
    return tool_fail(TOC_BAD_INPUT, "%s: unknown extension; --parts-out writes .csv or .json", path);
}

toc_status tool_part_table_write(const char *path, const tool_part_table *table, const tool_places *places) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = toc_stream_open_text(&text, &size);
    if (!out) return tool_fail_memory();
    toc_status status = TOC_OK;
    if (tool_path_ends(path, ".csv"))
        put_csv(out, table, places);
    else
        status = put_json(out, table, places);
    if (!toc_stream_close_text(out, &text, &size)) status = tool_fail_memory();
    if (status == TOC_OK) status = tool_file_write(path, text, size);
    free(text);
    return status;
}
