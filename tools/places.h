// SPDX-License-Identifier: Apache-2.0
// Parts of the bodies of a scene, by the numbers and names of their files; the elements and parts of a contact; and the
// parts that a user selects.
#ifndef TOOLS_PLACES_H
#define TOOLS_PLACES_H

#include <math.h>

#include "tools/command.h"

/// The elements of one group of one body.
typedef struct tool_part {
    uint32_t body;
    int32_t group;     // in the scene, where each part has its own
    int32_t number;    // in the file
    const char *label; // the name in the file, else the number or the file; unlike all others
} tool_part;

typedef struct tool_places tool_places;

toc_status tool_places_create(tool_places **out);
void tool_places_destroy(tool_places *places);

/// Note the parts of a mesh that becomes the next body. A group that an earlier body has, too, gets a new number.
toc_status tool_places_add_body(tool_places *places, const char *file, toc_mesh *mesh);
/// Follow a step: elements may have been added or removed. Call before the functions below.
toc_status tool_places_follow(tool_places *places, const toc_scene *scene);

/// The meshes of the scene were made anew: follow all of them.
void tool_places_forget(tool_places *places);

size_t tool_places_body_count(const tool_places *places);
const char *tool_places_file(const tool_places *places, uint32_t body);
size_t tool_places_part_count(const tool_places *places);
const tool_part *tool_places_part(const tool_places *places, size_t i);
/// Whether a file has numbers of its own for its nodes.
bool tool_places_have_labels(const tool_places *places);

/// The parts that a user wants, each text a number or a name; * and ? stand for any letters.
typedef struct tool_part_filter {
    tool_texts parts;   // "A,B": contacts among these only
    tool_texts between; // "A,B": contacts between the two only
    tool_texts ignore;  // "A,B": no contacts of these; "A:B": no contacts between the two
    bool no_self;       // no contacts of a part with itself
} tool_part_filter;

/// The options that set a tool_part_filter, in the table of each subcommand that has one.
#define TOOL_OPTIONS_PARTS(filter)                                                                                    \
    {TOOL_TEXTS, "parts", "A,B,...", "only contacts among these parts", &(filter)->parts, NULL},                      \
        {TOOL_TEXTS, "between", "A,B", "only contacts between the two parts", &(filter)->between, NULL},              \
        {TOOL_TEXTS, "ignore", "A,B|A:B", "no contacts of these parts, or between the two", &(filter)->ignore, NULL}, \
    {                                                                                                                 \
        TOOL_ON, "no-self", NULL, "no contacts of a part with itself", &(filter)->no_self, NULL                       \
    }

/// Resolve the names. A name without a part is refused, with all parts listed.
toc_status tool_places_select(tool_places *places, const tool_part_filter *filter);
/// Whether the user wants contacts between two parts, by their positions.
bool tool_places_meet(const tool_places *places, size_t i, size_t j);
/// Let the scene ignore the other pairs of parts.
toc_status tool_places_apply(const tool_places *places, toc_scene *scene);

/// The time at a fraction of a step, between the times of its two frames; the last frame alone has no end.
static inline double tool_time_between(double start, double end, double fraction) {
    return isfinite(end) ? start + fraction * (end - start) : start;
}

/// The place of a contact or near pair. Of several elements around a feature, the lowest whose parts may touch.
/// @param parts receives the positions of the two parts; may be NULL.
void tool_places_find(const tool_places *places, toc_kind kind, const uint32_t body[2], const uint32_t v[4],
                      toc_place *out, size_t parts[2]);
/// The place of two overlapping faces or elements.
void tool_places_find_overlap(const tool_places *places, const toc_overlap_pair *pair, toc_place *out, size_t parts[2]);

#endif
