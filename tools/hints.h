// SPDX-License-Identifier: Apache-2.0
// Hints on input that is probably not meant as it is: one line each, with a thing to try.
#ifndef TOOLS_HINTS_H
#define TOOLS_HINTS_H

#include <cjson/cJSON.h>

#include "tools/command.h"

enum { TOOL_MOST_HINTS = 6, TOOL_HINT_SIZE = 240 };

typedef struct tool_hints {
    size_t count;
    char text[TOOL_MOST_HINTS][TOOL_HINT_SIZE];
} tool_hints;

/// Look at the motion: frames of very different size, and frames that are the same. A step of a sequence may well rest,
/// and touch from its start.
void tool_hints_on_motion(tool_hints *hints, const toc_scene *scene, bool sequence);
/// Look at the contacts: all of them at the start, and vertices that coincide without being joined. Fails when memory
/// is out.
/// @param early of the `count` contacts, at the very start.
toc_status tool_hints_on_contacts(tool_hints *hints, const toc_scene *scene, size_t early, size_t count, bool sequence);
/// Tell that bodies overlap at the start.
void tool_hints_on_overlaps(tool_hints *hints, size_t overlaps);

/// Tell that shells have no depth, where none of the overlaps at the start has one.
/// @param deepest of them.
void tool_hints_on_depth(tool_hints *hints, const toc_scene *scene, size_t overlaps, double deepest);

void tool_hints_print(FILE *out, const tool_hints *hints);
void tool_hints_to_json(cJSON *object, const tool_hints *hints);

#endif
