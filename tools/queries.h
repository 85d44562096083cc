// SPDX-License-Identifier: Apache-2.0
// Elementary queries with known answers, from the published CSV files: eight rows a query - four vertices at the start,
// then at the end - of seven columns: x, y and z as numerator and denominator, and the answer.
#ifndef TOOLS_QUERIES_H
#define TOOLS_QUERIES_H

#include "tools/command.h"

typedef struct tool_query {
    toc_pair pair;
    bool touches; // the known answer
} tool_query;

typedef struct tool_queries {
    size_t count, capacity;
    tool_query *at;
} tool_queries;

/// Read a file; failures name it and the line. Free with tool_queries_free.
toc_status tool_queries_read(const char *path, tool_queries *out);
void tool_queries_free(tool_queries *queries);

#endif
