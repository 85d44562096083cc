// SPDX-License-Identifier: Apache-2.0
// The contacts of a search against those of a complete preset: what it missed, and what it invented.
#ifndef TOOLS_AGAINST_H
#define TOOLS_AGAINST_H

#include <stdio.h>

#include "tools/output.h"

/// Counts of one step, or of all.
typedef struct tool_against {
    const char *preset;       // the complete one; NULL if the comparison is not asked for
    size_t contacts;          // its contacts
    size_t missed, invented;  // contacts of it alone, and of the search alone;
    size_t invented_in_doubt; // those of the latter that the search left undecided
} tool_against;

/// Refuse a preset that can miss, and an answer other than all contacts.
toc_status tool_against_check(const char *preset, const char *answer);
/// Search the step again by the complete preset, with exact decisions, and compare the contacts pair by pair.
/// @param query of the search; @param found its contacts.
toc_status tool_against_find(toc_scene *scene, const toc_query *query, const char *preset, const toc_contacts *found,
                             tool_against *out);
void tool_against_add(tool_against *sum, const tool_against *one);
void tool_against_print(FILE *out, const tool_against *against);
void tool_against_print_short(FILE *out, const tool_against *against);
void tool_against_to_json(cJSON *object, const tool_against *against);

#endif
