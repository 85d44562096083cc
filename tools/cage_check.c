// SPDX-License-Identifier: Apache-2.0
// toccata character --check: the cage in the bind pose against its bounds.
#include "tools/cage_check.h"

#include <time.h>

#include "tools/output.h"

/// A figure and its upper bound.
typedef struct cage_bound {
    const char *name, *words; // in JSON, in text
    double value, most;
    bool share; // of the height, told in percent
} cage_bound;

enum { BOUNDS = 4 };

static void list_bounds(const toc_cage_report *r, cage_bound out[BOUNDS]) {
    static const double distance = 0.005; // that of toc_cage_settings
    out[0] = (cage_bound){"inward", "skin outside of the cage", r->inward, distance, true};
    out[1] = (cage_bound){"outward", "cage outside of the skin", r->outward, distance, true};
    out[2] = (cage_bound){"inverted", "inverted tets", (double)r->inverted, 0, false};
    out[3] = (cage_bound){"contacts", "contacts at rest", (double)r->contacts, 0, false};
}

static bool is_kept(const cage_bound *b) { return b->value <= b->most; }

static void print_check(const char *path, const tool_cage *cage, const toc_cage_report *r,
                        const cage_bound bounds[BOUNDS], double seconds) {
    FILE *out = tool_output();
    fprintf(out, "character %s\ncage      %zu tets by %s in %.2f s, %zu component%s, worst tet %.3f\n", path, r->tets,
            cage->maker, seconds, r->components, r->components == 1 ? "" : "s", r->worst);
    if (cage->note[0]) fprintf(out, "note      %s\n", cage->note);
    if (r->characters > 1)
        fprintf(out, "note      %zu characters, each in a cage of its own; %zu contacts between them at rest\n",
                r->characters, r->between);
    fputc('\n', out);
    for (int i = 0; i < BOUNDS; i++) {
        const cage_bound *b = &bounds[i];
        if (b->share)
            fprintf(out, "%-26s %8.2f %% of the height, at most %.1f %%", b->words, 100 * b->value, 100 * b->most);
        else
            fprintf(out, "%-26s %8.0f", b->words, b->value);
        fputs(is_kept(b) ? "\n" : "   broken\n", out);
    }
}

static toc_status print_check_json(const tool_cage *cage, const toc_cage_report *r, const cage_bound bounds[BOUNDS],
                                   double seconds) {
    cJSON *object = tool_json_start();
    bool kept = true;
    cJSON_AddStringToObject(object, "cage", cage->maker);
    if (cage->note[0]) cJSON_AddStringToObject(object, "note", cage->note);
    tool_json_count(object, "tets", r->tets);
    tool_json_count(object, "components", r->components);
    tool_json_count(object, "characters", r->characters);
    tool_json_count(object, "between", r->between);
    for (int i = 0; i < BOUNDS; i++) {
        tool_json_double(object, bounds[i].name, bounds[i].value);
        kept = kept && is_kept(&bounds[i]);
    }
    tool_json_double(object, "worst", r->worst);
    tool_json_double(object, "seconds", seconds);
    cJSON_AddBoolToObject(object, "fits", kept);
    return tool_json_print(object);
}

static toc_status fail_broken(const char *path, const cage_bound bounds[BOUNDS]) {
    int broken = 0, first = 0;
    for (int i = BOUNDS; i-- > 0;)
        if (!is_kept(&bounds[i])) broken++, first = i;
    if (broken == 0) return TOC_OK;
    return tool_fail(TOC_BAD_INPUT, "%s: the cage breaks %d of %d bounds; the first is: %s", path, broken, BOUNDS,
                     bounds[first].words);
}

static double read_clock(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static toc_status check_rig(const char *path, const toc_rig *rig, const tool_cage_wish *wish, bool json) {
    tool_cage cage;
    toc_cage_report report;
    cage_bound bounds[BOUNDS];
    const double start = read_clock();
    toc_status status = tool_cage_make(rig, wish, &cage);
    const double seconds = read_clock() - start;
    if (status == TOC_OK) status = toc_cage_inspect(&cage.skeleton.def, &cage.skin.def, &report);
    if (status == TOC_OK) {
        list_bounds(&report, bounds);
        if (json)
            status = print_check_json(&cage, &report, bounds, seconds);
        else
            print_check(path, &cage, &report, bounds, seconds);
    }
    tool_cage_free(&cage);
    return status == TOC_OK ? fail_broken(path, bounds) : status;
}

toc_status tool_cage_check(const char *path, const tool_cage_wish *wish, uint64_t memory, bool json) {
    toc_read_options options = toc_read_options_default();
    toc_rig *rig;
    options.memory = memory;
    toc_status status = toc_rig_read(path, &options, &rig);
    if (status != TOC_OK) return status;
    status = check_rig(path, rig, wish, json);
    toc_rig_destroy(rig);
    return status;
}
