// SPDX-License-Identifier: Apache-2.0
// What check tells beside the contacts of a step, where it is asked to: overlaps and near pairs at the start, and how
// much of the step is safe.
#ifndef TOOLS_EXTRAS_H
#define TOOLS_EXTRAS_H

#include "tools/output.h"

/// What to find.
typedef struct tool_extras_wanted {
    bool overlaps, safe_step;
    double near; // below 0 for no near pairs
} tool_extras_wanted;

typedef struct tool_extras {
    toc_overlaps *overlaps; // NULL where they were not asked for, likewise below
    toc_overlaps *elements; // volume elements that overlap; NULL where there are none such, too
    toc_near *near;
    double thickness;
    bool has_safe_step;
    double safe_step;
} tool_extras;

/// Free with tool_extras_free, on failure too.
toc_status tool_extras_find(toc_scene *scene, const toc_query *query, tool_extras_wanted wanted, tool_extras *out);
void tool_extras_free(tool_extras *extras);

/// A line for each, with the deepest and the nearest.
void tool_extras_print(FILE *out, const tool_extras *extras);
/// Numbers only, at the end of a row.
void tool_extras_print_short(FILE *out, const tool_extras *extras);
/// All of them, as fields of the step's object.
void tool_extras_to_json(cJSON *object, const tool_extras *extras);

#endif
