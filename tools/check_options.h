// SPDX-License-Identifier: Apache-2.0
// The settings of check, overlaps and near, for one machine and for many, and the table of their options.
#ifndef TOOLS_CHECK_OPTIONS_H
#define TOOLS_CHECK_OPTIONS_H

#include "tools/extras.h"
#include "tools/picture.h"
#include "tools/places.h"

typedef struct check_settings {
    const char *preset, *against, *answer, *device, *method, *contacts, *picture, *up, *clip, *out;
    const char *overlaps_out, *near_out; // also from `out`
    const char *steps, *parts_out, *report;
    size_t dop, lower_height, threads; // threads: SIZE_MAX if not given
    double fold, tolerance, separation, rate;
    double dt; // -1 if it is not given
    uint64_t memory;
    uint32_t skip;
    bool exact, surface, thin, thicken, weld, parabolas, velocities, json, csv, fail_on_contact;
    tool_extras_wanted extras;
    tool_look look;
    tool_files with;
    tool_part_filter filter;
} check_settings;

/// As the user gives them.
extern check_settings check_given;
/// An option is one row of this table; tool_option.who names the commands that have it.
extern const tool_option check_options[];

/// The query of these settings, without progress. @param threads where the user names none.
toc_query check_query(const check_settings *settings, int threads);

/// The arguments of check.
extern const char *const check_forms[];

#endif
