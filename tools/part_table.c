// SPDX-License-Identifier: Apache-2.0
// Rows in the order of their parts, found by bisection: O(log n) each, and O(n) to insert one of n pairs of parts.
#include "tools/part_table.h"

#include <stdlib.h>
#include <string.h>

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

toc_status tool_part_table_add(tool_part_table *table, const size_t parts[2], double value, double time, size_t step) {
    const size_t pair[2] = {parts[parts[0] > parts[1]], parts[parts[0] <= parts[1]]};
    size_t low = 0, high = table->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (row_is_before(&table->rows[middle], pair))
            low = middle + 1;
        else
            high = middle;
    }
    if (low == table->count || memcmp(table->rows[low].parts, pair, sizeof pair) != 0) {
        const toc_status status = insert_row(table, low, pair);
        if (status != TOC_OK) return status;
    }
    tool_part_row *row = &table->rows[low];
    // Contacts come step by step.
    const bool better = table->kind == TOOL_DEEPEST ? value > row->value : value < row->value;
    if (row->count == 0 || (better && (table->kind != TOOL_FIRST_TIME || row->step == step))) {
        row->value = value;
        row->time = time;
        row->step = step;
    }
    row->count++;
    return TOC_OK;
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
    static int (*const orders[])(const void *, const void *) = {compare_first, compare_deepest, compare_nearest};
    if (table->count) qsort(table->rows, table->count, sizeof *table->rows, orders[table->kind]);
}

static void print_part_row(FILE *out, const tool_part_table *table, const tool_part_row *row, bool sequence) {
    static const char *const words[] = {"first", "deepest", "nearest"};
    fprintf(out, ": %zu, %s ", row->count, words[table->kind]);
    if (!sequence || table->kind != TOOL_FIRST_TIME) {
        fprintf(out, "%.6g", row->value);
        if (sequence) fprintf(out, " (step %zu)", row->step);
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
    if (table->count > MOST) fprintf(out, "%-9s and %zu more pairs; --json has all\n", "", table->count - MOST);
}

static cJSON *part_row_object(const tool_part_table *table, const tool_part_row *row, const tool_places *places,
                              bool sequence) {
    static const char *const counts[] = {"contacts", "overlaps", "near"}, *const values[] = {"first", "depth",
                                                                                             "distance"};
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
    if (sequence) tool_json_count(object, "step", row->step);
    return object;
}

void tool_part_table_to_json(cJSON *object, const char *name, const tool_part_table *table, const tool_places *places,
                             bool sequence) {
    cJSON *list = cJSON_AddArrayToObject(object, name);
    for (size_t i = 0; i < table->count; i++)
        cJSON_AddItemToArray(list, part_row_object(table, &table->rows[i], places, sequence));
}
