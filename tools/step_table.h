// SPDX-License-Identifier: Apache-2.0
// One table for all steps of a sequence: .csv or .json, with the number of the step in the first column. Rows are in
// NAME.part from the end of their step on, and get their name when the run ends.
#ifndef TOOLS_STEP_TABLE_H
#define TOOLS_STEP_TABLE_H

#include "tools/command.h"

typedef struct tool_step_table {
    const char *path, *column; // as the user gave it; "step" or "frame"
    const char *rows;          // the file that receives the rows of the next step
    char *own_rows, *passing;  // names of this table; NULL where it writes to a device or to standard output
    FILE *to;                  // NULL for standard output, and before tool_step_table_open
    size_t steps;              // with rows so far
} tool_step_table;

/// Whether the output of a sequence is one table, by its path: a .csv or .json, or -, without a number as in
/// c-%04d.csv.
bool tool_step_table_fits(const char *path);
/// Begin a table; an unwritable path is refused here, before any work.
/// @param path outlives the table.
toc_status tool_step_table_open(const char *path, const char *column, tool_step_table *out);
/// Take the rows of a step from the file `table->rows`, and remove that file.
toc_status tool_step_table_add(tool_step_table *table, size_t step);
/// End a table after a run that ended with `status`. After a failure whole steps stay in NAME.part, if there are any.
/// @return the first failure.
toc_status tool_step_table_close(tool_step_table *table, toc_status status);

#endif
