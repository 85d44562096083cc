// SPDX-License-Identifier: Apache-2.0
// Options of check, overlaps and near: one row each, read by toccata and toccata-mpi.
#include "tools/check_options.h"

#include <assert.h>
#include <math.h>

#include "toccata/research.h"
#include "tools/options.h"
#include "tools/up.h"

check_settings check_given = {.answer = "all",
                              .device = "auto",
                              .threads = SIZE_MAX,
                              .exact = true,
                              .dt = -1,
                              .extras.near = -1,
                              .look = TOOL_LOOK_DEFAULT};

enum {
    CHECKS = TOOL_CHECK | TOOL_MPI,
    PAIRS = TOOL_OVERLAPS | TOOL_NEAR,
    ALONE = TOOL_CHECK | PAIRS, // on one machine
    EVERY = ALONE | TOOL_MPI,
    MOVING = TOOL_CHECK | TOOL_NEAR | TOOL_MPI
};

#define PICTURE "toccata view START END --png OUT"

// clang-format off
const tool_option check_options[] = {
    {TOOL_FILE, "contacts", "OUT", "write contacts: .csv, .json, .vtp, .glb; MPI also .pvtp", &check_given.contacts,
     .who = CHECKS},
    {TOOL_LENGTH, "distance", "D", "how near: a length", &check_given.extras.near, .who = TOOL_NEAR | TOOL_MPI},
    {TOOL_ON, "in-step", NULL, "at any time of the step, not at its start", &check_given.extras.in_step,
     .who = TOOL_NEAR},
    {TOOL_FILE, "out", "OUT", "write the pairs to a .csv, .json or .vtp", &check_given.out, .who = PAIRS},
    {TOOL_FILE, "parts-out", "OUT", "write the pairs of parts: .csv, .json", &check_given.parts_out, .who = CHECKS},
    {TOOL_FILE, "parts-out", "OUT", "write the pairs of parts: .csv, .json", &check_given.parts_out, .who = PAIRS},
    {TOOL_FILE, "report", "OUT", "write a report with pictures, one .html", &check_given.report,
     .who = TOOL_CHECK | TOOL_OVERLAPS},
    {TOOL_FILE, "picture", "OUT", "draw each step and its contacts to a .png", &check_given.picture,
     .who = TOOL_CHECK},
    {TOOL_TEXT, "steps", "A-B", "only these frames, counted from 0; with --in-step, steps", &check_given.steps,
     .who = PAIRS},
    {TOOL_CHOICE, "answer", "WHICH", "which contacts", &check_given.answer, tool_answer_name, .who = CHECKS},
    {TOOL_CHOICE, "preset", "NAME", "the search", &check_given.preset, tool_preset_name, .who = MOVING,
     .rare = tool_paper_preset_name},
    {TOOL_FILES, "with", "FILE [END]", "a further body, at rest or moving; behind the frames", &check_given.with,
     .who = EVERY},
    {TOOL_TEXTS, "parts", "A,B,...", "only among these parts, by number or name", &check_given.filter.parts,
     .who = EVERY},
    {TOOL_TEXTS, "between", "A,B", "only between the two parts", &check_given.filter.between, .who = EVERY},
    {TOOL_TEXTS, "ignore", "A,B|A:B", "none of these parts, or none between the two", &check_given.filter.ignore,
     .who = EVERY},
    {TOOL_ON, "no-self", NULL, "none of a part with itself", &check_given.filter.no_self, .who = EVERY},
    {TOOL_ON, "surface", NULL, "only the surface of volumes", &check_given.surface, .who = EVERY},
    {TOOL_LENGTH, "separation", "D", "distance that counts as contact, beside thickness", &check_given.separation,
     .who = CHECKS},
    {TOOL_ON, "thin", NULL, "leave out the thickness of shells", &check_given.thin, .who = MOVING},
    {TOOL_ON, "thicken", NULL, "make shells with a thickness solid: wedges and hexes", &check_given.thicken,
     .who = ALONE},
    {TOOL_ON, "weld", NULL, "join vertices that are at one place in both frames", &check_given.weld, .who = ALONE},
    {TOOL_ON, "fail-on-contact", NULL, "exit with 4 if anything is found", &check_given.fail_on_contact, .who = EVERY},
    {TOOL_COUNT, "threads", "N", "use N threads, 0 for all cores; the same answer", &check_given.threads, .who = EVERY},
    {TOOL_CHOICE, "device", "NAME", "where the search runs; the same answer", &check_given.device, tool_device_name,
     .section = TOOL_STEPS, .who = CHECKS},
    {TOOL_SIZE, "memory", "SIZE", "memory to read a file, then to search, such as 4G", &check_given.memory,
     .who = EVERY},
    {TOOL_ON, "json", NULL, "print one JSON object", &check_given.json, .who = EVERY},

    {TOOL_TEXT, "steps", "A-B", "only these steps of a sequence, counted from 0", &check_given.steps,
     .section = TOOL_STEPS, .who = CHECKS},
    {TOOL_TEXT, "clip", "NAME", "play this animation (default the first that moves)", &check_given.clip,
     .section = TOOL_STEPS, .who = EVERY},
    {TOOL_LENGTH, "rate", "N", "sample animations at N frames a second (default 30)", &check_given.rate,
     .section = TOOL_STEPS, .who = EVERY},
    {TOOL_ON, "parabolas", NULL,
     "paths with an acceleration: through a middle frame, or along the velocities of the files",
     &check_given.parabolas, .section = TOOL_STEPS, .who = MOVING},
    {TOOL_ON, "velocities", NULL, "begin each path with the velocity that the file has", &check_given.velocities,
     .section = TOOL_STEPS, .who = MOVING},
    {TOOL_LENGTH, "dt", "TIME", "time of a step along velocities (default by the files)", &check_given.dt,
     .section = TOOL_STEPS, .who = MOVING},
    {TOOL_ON, "safe-step", NULL, "also the largest part of the step without a contact", &check_given.extras.safe_step,
     .section = TOOL_STEPS, .who = CHECKS},
    {TOOL_LENGTH, "room", "SHARE", "also the part of the step that keeps this share of all distances",
     &check_given.extras.room, .section = TOOL_STEPS, .who = TOOL_CHECK},
    {TOOL_ON, "touches", NULL, "also all times at which each pair touches, counted", &check_given.extras.touches,
     .section = TOOL_STEPS, .who = TOOL_CHECK},
    {TOOL_CHOICE, "changes", "LEVEL", "also the pairs that started, go on or stopped touching",
     &check_given.extras.changes, tool_level_name, .section = TOOL_STEPS, .who = TOOL_CHECK},

    {TOOL_CHOICE, "method", "NAME", "the elementary test (default the preset's own)", &check_given.method,
     tool_method_name, .section = TOOL_RESEARCH, .who = CHECKS},
    {TOOL_LENGTH, "tolerance", "D", "distance that the method may take for touching", &check_given.tolerance,
     .section = TOOL_RESEARCH, .who = TOOL_CHECK},
    {TOOL_ON, "exact", NULL, "decide undecided pairs in exact arithmetic (default)", &check_given.exact,
     .section = TOOL_RESEARCH, .who = TOOL_CHECK},
    {TOOL_OFF, "no-exact", NULL, "the method alone decides; undecided pairs are contacts", &check_given.exact,
     .section = TOOL_RESEARCH, .who = TOOL_CHECK},
    {TOOL_COUNT, "dop", "K", "sides of the k-DOPs: 6, 14, 16, 18 or 26 (default the preset's own)", &check_given.dop,
     .section = TOOL_RESEARCH, .who = TOOL_CHECK},
    {TOOL_COUNT, "lower-height", "N", "height of the nodes with moving bounds (default the preset's own)",
     &check_given.lower_height, .section = TOOL_RESEARCH, .who = TOOL_CHECK},
    {TOOL_LENGTH, "fold", "DEGREES",
     "voxel: test neighbours whose normals are at least so far apart (default 154.2, a cosine of -0.9)",
     &check_given.fold, .section = TOOL_RESEARCH, .who = TOOL_CHECK},
    {TOOL_CHOICES, "skip", "STAGES", "leave out stages of the preset, with commas between them", &check_given.skip,
     toc_skip_get_name, .section = TOOL_RESEARCH, .who = TOOL_CHECK},
    {TOOL_CHOICE, "against", "NAME", "count the contacts that NAME alone has, and those it has not: auto, brute",
     &check_given.against, tool_preset_name, .section = TOOL_RESEARCH, .who = TOOL_CHECK},
    {TOOL_ON, "csv", NULL, "print the stages as CSV", &check_given.csv, .section = TOOL_RESEARCH, .who = TOOL_CHECK},

    {TOOL_ON, "overlaps", NULL, "also overlaps at the start", &check_given.extras.overlaps, .section = TOOL_FORMER,
     .who = CHECKS, .now = "toccata overlaps FRAME"},
    {TOOL_LENGTH, "near", "D", "also near pairs at the start", &check_given.extras.near, .section = TOOL_FORMER,
     .who = CHECKS, .now = "toccata near FRAME --distance D"},
    {TOOL_FILE, "overlaps-out", "OUT", "write the overlaps", &check_given.overlaps_out, .section = TOOL_FORMER,
     .who = TOOL_CHECK, .now = "toccata overlaps FRAME --out OUT"},
    {TOOL_FILE, "near-out", "OUT", "write the near pairs", &check_given.near_out, .section = TOOL_FORMER,
     .who = TOOL_CHECK, .now = "toccata near FRAME --distance D --out OUT"},
    {TOOL_ON, "in-step", NULL, "near pairs at any time of the step", &check_given.extras.in_step,
     .section = TOOL_FORMER, .who = CHECKS, .now = "toccata near START END --distance D --in-step"},
    {TOOL_CHOICE, "up", "AXIS", "the axis that points up in the picture", &check_given.up, tool_up_name,
     .section = TOOL_FORMER, .who = TOOL_CHECK, .now = PICTURE " --up AXIS"},
    {TOOL_COUNT, "width", "N", "pixels across", &check_given.look.width, .section = TOOL_FORMER, .who = TOOL_CHECK,
     .now = PICTURE " --width N"},
    {TOOL_COUNT, "height", "N", "pixels down", &check_given.look.height, .section = TOOL_FORMER, .who = TOOL_CHECK,
     .now = PICTURE " --height N"},
    {TOOL_LENGTH, "azimuth", "D", "direction of the eye", &check_given.look.azimuth, .section = TOOL_FORMER,
     .who = TOOL_CHECK, .now = PICTURE " --azimuth D"},
    {TOOL_LENGTH, "elevation", "D", "height of the eye", &check_given.look.elevation, .section = TOOL_FORMER,
     .who = TOOL_CHECK, .now = PICTURE " --elevation D"},
    {TOOL_LENGTH, "zoom", "F", "enlarge the picture", &check_given.look.zoom, .section = TOOL_FORMER,
     .who = TOOL_CHECK, .now = PICTURE " --zoom F"},
    {TOOL_ON, "fit-contacts", NULL, "aim at the contacts", &check_given.look.fit_contacts, .section = TOOL_FORMER,
     .who = TOOL_CHECK, .now = PICTURE " --fit-contacts"},
    {TOOL_CHOICE, "colour", "BY", "colour parts, or contacts by time", &check_given.look.colour, tool_look_colour,
     .section = TOOL_FORMER, .who = TOOL_CHECK, .now = PICTURE " --colour BY"},
    {0},
};
// clang-format on

const char *const check_forms[] = {"START END [OPTIONS]", "SEQUENCE... [OPTIONS]", NULL};

static bool asks_of_research(const check_settings *s) { return s->skip || s->dop || s->lower_height || s->fold > 0; }

static const toc_research *research_of(const check_settings *settings) {
    static toc_research research;
    research =
        (toc_research){.skip = settings->skip, .dop = (int)settings->dop, .lower_height = (int)settings->lower_height};
    if (settings->fold > 0) research.normal_limit = cos(settings->fold * (3.14159265358979323846 / 180));
    return &research;
}

toc_query check_query(const check_settings *settings, int threads) {
    toc_query query = toc_query_default();
    assert(settings->answer && threads >= 0);
    if (settings->preset) query.preset = settings->preset;
    if (settings->method) query.test.method = (toc_method)tool_names_find(tool_method_name, settings->method);
    query.answer = (toc_answer)tool_names_find(tool_answer_name, settings->answer);
    query.test.tolerance = settings->tolerance;
    query.test.separation = settings->separation;
    query.test.exact = settings->exact;
    query.thin = settings->thin || settings->thicken;
    query.surface_only = settings->surface;
    if (asks_of_research(settings)) query.research = research_of(settings);
    query.threads = settings->threads == SIZE_MAX ? threads : (int)settings->threads;
    query.memory_limit = settings->memory;
    query.device = (toc_device_choice)tool_names_find(tool_device_name, settings->device);
    return query;
}
