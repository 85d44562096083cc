// SPDX-License-Identifier: Apache-2.0
// Part against part: the number of contacts, overlaps or near pairs between them, and the first, deepest or nearest.
#ifndef TOOLS_PART_TABLE_H
#define TOOLS_PART_TABLE_H

#include <cjson/cJSON.h>

#include "tools/places.h"

typedef struct tool_part_row {
    size_t parts[2]; // the lower position first
    size_t count, step;
    double value; // time of contact in the step, depth or distance
    double time;  // of the first contact
} tool_part_row;

/// The value that counts of several.
typedef enum tool_part_value { TOOL_FIRST_TIME, TOOL_DEEPEST, TOOL_NEAREST } tool_part_value;

typedef struct tool_part_table {
    tool_part_value kind;
    bool by_frame; // the numbers of steps are those of frames
    tool_part_row *rows;
    size_t count, capacity;
} tool_part_table;

void tool_part_table_free(tool_part_table *table);
toc_status tool_part_table_add(tool_part_table *table, const size_t parts[2], double value, double time, size_t step);
/// Add all that a row of another table stands for.
toc_status tool_part_table_join(tool_part_table *table, const tool_part_row *other);
/// Sort by the value: earliest, deepest or nearest first. Rows cannot be added afterwards.
void tool_part_table_sort(tool_part_table *table);

/// Print a line for each row: "parts     Projectile - Plate: 919, first 0.488". Nothing if there is one part only.
/// @param sequence times are those of the file, with the step.
void tool_part_table_print(FILE *out, const tool_part_table *table, const tool_places *places, bool sequence);
/// Add an array of objects.
void tool_part_table_to_json(cJSON *object, const char *name, const tool_part_table *table, const tool_places *places,
                             bool sequence);

/// Refuse a path that is no .csv and no .json; NULL is fine.
toc_status tool_part_table_check(const char *path);
/// Write the rows of a sorted table: a .csv, or a .json with one array. The file appears whole or not at all.
toc_status tool_part_table_write(const char *path, const tool_part_table *table, const tool_places *places);

#endif
