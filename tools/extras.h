// SPDX-License-Identifier: Apache-2.0
// Optional results of check beside the contacts: overlaps and near pairs at the start, and the safe step.
#ifndef TOOLS_EXTRAS_H
#define TOOLS_EXTRAS_H

#include "tools/output.h"

/// The requested results.
typedef struct tool_extras_wanted {
    bool overlaps, safe_step;
    double near;  // below 0 for no near pairs
    bool in_step; // near pairs at any time of the step, not at its start
    double room;  // share of the distances to keep; 0 for no such step
    bool touches;
    const char *changes; // a name of tool_level_name, or NULL
} tool_extras_wanted;

typedef struct tool_extras {
    toc_overlaps *overlaps;   // NULL if not requested, likewise below
    toc_overlaps *elements;   // overlapping volume elements; also NULL for a mesh without volumes
    toc_containments *inside; // with overlaps: components of bodies inside of others
    toc_near *near;
    double thickness;
    bool in_step;
    bool has_safe_step;
    double safe_step;
    bool has_room;
    toc_room_step room;
    bool has_touches;
    size_t touches, repeated; // times at which pairs touch, and pairs that touch more than once
    const char *changes;      // the level, or NULL
    size_t changed[3];        // by toc_change_kind
    size_t contained;         // with the safe step: components inside of a body at the start
    size_t overlapping;       // with the safe step: pairs of faces and of volume elements that overlap at the start
} tool_extras;

/// The names of the levels of changes, for the command line.
const char *tool_level_name(size_t i);

/// Find all but touches and changes. Free with tool_extras_free, on failure too.
toc_status tool_extras_find(toc_scene *scene, const toc_query *query, tool_extras_wanted wanted, tool_extras *out);
/// Add touches and changes, which depend on the contacts.
/// @param touching the pairs that touched in the step before, NULL in the first one; replaced by those of this step if
/// changes are requested. Free with toc_touching_destroy.
toc_status tool_extras_add(toc_scene *scene, const toc_query *query, const toc_contacts *contacts,
                           tool_extras_wanted wanted, toc_touching **touching, tool_extras *out);
void tool_extras_free(tool_extras *extras);
/// Overlaps of faces and of elements, and components inside of bodies, together.
size_t tool_extras_count_found(const tool_extras *extras);
/// Overlaps of faces and of elements together.
size_t tool_extras_count_overlaps(const tool_extras *extras);

/// Print one line for each, with the deepest overlap and the nearest pair by the numbers of their files.
void tool_extras_print(FILE *out, const toc_scene *scene, const tool_extras *extras);
/// Print the numbers only, at the end of a row.
void tool_extras_print_short(FILE *out, const tool_extras *extras);
/// Add all results as fields of the step's object.
void tool_extras_to_json(cJSON *object, const tool_extras *extras);

#endif
