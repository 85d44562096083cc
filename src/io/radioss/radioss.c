// SPDX-License-Identifier: Apache-2.0
// Results of OpenRadioss: each animation file is a whole model at one time. A file whose name ends in A and a number
// stands for itself and all that follow it by number. A state is read on request.
#include "io/radioss/radioss.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

#include "base/platform/platform.h"
#include "io/core/format.h"
#include "io/radioss/state.h"

enum { NUMBER_ROOM = 16, FEWEST_DIGITS = 3, MOST_DIGITS = 9 };

/// A family, its first file, and the file that is open. The first stays open: the others are compared with it.
typedef struct radioss {
    toc_allocator allocator;
    char *path, *member; // of the first file, and room for the names of the others
    size_t path_size, stem;
    uint32_t number; // of the first file; the stem is the path in front of it
    toc_source first, other;
    size_t open; // the frame of `other`; 0 for none
    bool is_open;
    toc_radioss_state first_state, state;
    TOC_ARRAY(double) times;
} radioss;

// ---- names

/// The length of a path up to its number, 0 where it has none: "carA" of "carA001".
static size_t find_number(const char *path, uint32_t *number) {
    const size_t length = strlen(path);
    size_t stem = length;
    *number = 0;
    while (stem > 0 && path[stem - 1] >= '0' && path[stem - 1] <= '9') stem--;
    const size_t digits = length - stem;
    if (stem == 0 || path[stem - 1] != 'A' || digits < FEWEST_DIGITS || digits > MOST_DIGITS) return 0;
    for (size_t i = stem; i < length; i++) *number = 10 * *number + (uint32_t)(path[i] - '0');
    return stem;
}

static void make_member(const char *path, size_t stem, uint32_t number, char *member) {
    memcpy(member, path, stem);
    snprintf(member + stem, NUMBER_ROOM, "%03u", number);
}

bool toc_radioss_family_has(const char *first, const char *path) {
    uint32_t from, to;
    char member[4096];
    const size_t stem = find_number(first, &from);
    if (stem == 0 || stem + NUMBER_ROOM > sizeof member || find_number(path, &to) != stem || to <= from) return false;
    if (memcmp(first, path, stem) != 0) return false;
    for (uint32_t i = from + 1; i <= to; i++) {
        make_member(first, stem, i, member);
        if (!toc_path_exists(member)) return false;
    }
    return true;
}

static const char *radioss_path_of(const radioss *f, size_t frame) {
    if (frame == 0) return f->path;
    make_member(f->path, f->stem, f->number + (uint32_t)frame, f->member);
    return f->member;
}

// ---- opening

static toc_status add_time(radioss *f, double time) {
    TOC_TRY(toc_array_reserve(&f->allocator, &f->times, 1));
    f->times.at[f->times.count++] = time;
    return TOC_OK;
}

/// The time of a later file, from its head.
static toc_status scan_member(radioss *f, const char *path) {
    toc_source head;
    TOC_TRY(toc_source_open_part(path, 0, TOC_RADIOSS_HEAD, &f->allocator, &head));
    const bool whole = toc_source_left(&head) == TOC_RADIOSS_HEAD;
    const double time = whole ? toc_radioss_time(head.begin) : NAN;
    toc_source_close(&head);
    if (!isfinite(time)) return toc_fail(TOC_BAD_INPUT, "%s: byte 4: the time is no number", path);
    return add_time(f, time);
}

static toc_status scan_family(radioss *f) {
    TOC_TRY(add_time(f, f->first_state.time));
    while (f->stem > 0 && toc_path_exists(radioss_path_of(f, f->times.count)))
        TOC_TRY(scan_member(f, radioss_path_of(f, f->times.count)));
    return TOC_OK;
}

static void close_other(radioss *f) {
    if (f->open > 0) toc_source_close(&f->other);
    f->open = 0;
}

static void close_radioss(void *frames) {
    radioss *f = frames;
    const toc_allocator memory = f->allocator;
    close_other(f);
    if (f->is_open) toc_source_close(&f->first);
    toc_array_free(&memory, &f->times);
    toc_free(&memory, f->path, f->path_size, 1);
    toc_free(&memory, f->member, f->path_size + NUMBER_ROOM, 1);
    toc_free(&memory, f, 1, sizeof *f);
}

static toc_status fill_radioss(radioss *f, const char *path) {
    f->path_size = strlen(path) + 1;
    f->path = toc_new(&f->allocator, f->path_size, 1);
    f->member = f->path ? toc_new(&f->allocator, f->path_size + NUMBER_ROOM, 1) : NULL;
    if (!f->member) return TOC_OUT_OF_MEMORY;
    memcpy(f->path, path, f->path_size);
    f->stem = find_number(path, &f->number);
    TOC_TRY(toc_source_open_as_is(f->path, &f->allocator, &f->first));
    f->is_open = true;
    TOC_TRY(toc_radioss_scan(&f->first, &f->first_state));
    return scan_family(f);
}

static toc_status open_radioss(const char *path, const toc_frame_wish *wish, const toc_allocator *allocator,
                               void **frames) {
    (void)wish;
    const toc_allocator memory = toc_allocator_or_default(allocator);
    radioss *f = toc_new(&memory, 1, sizeof *f);
    if (!f) return TOC_OUT_OF_MEMORY;
    f->allocator = memory;
    const toc_status status = fill_radioss(f, path);
    if (status == TOC_OK)
        *frames = f;
    else
        close_radioss(f);
    return status;
}

// ---- frames

static size_t count_radioss(const void *frames) { return ((const radioss *)frames)->times.count; }

static double radioss_time_of(const void *frames, size_t frame) { return ((const radioss *)frames)->times.at[frame]; }

/// The file of a frame, open.
static toc_status open_state(radioss *f, size_t frame, toc_source **source, const toc_radioss_state **state) {
    assert(frame < f->times.count);
    *source = frame == 0 ? &f->first : &f->other;
    *state = frame == 0 ? &f->first_state : &f->state;
    if (frame == 0 || f->open == frame) return TOC_OK;
    close_other(f);
    TOC_TRY(toc_source_open_as_is(radioss_path_of(f, frame), &f->allocator, &f->other));
    f->open = frame;
    toc_status status = toc_radioss_scan(&f->other, &f->state);
    if (status == TOC_OK) status = toc_radioss_compare(&f->other, &f->state, &f->first_state);
    if (status != TOC_OK) close_other(f);
    return status;
}

static toc_status radioss_read_positions(void *frames, size_t frame, double *x) {
    const toc_radioss_state *state;
    toc_source *source;
    TOC_TRY(open_state(frames, frame, &source, &state));
    return toc_radioss_read_nodes(source, state->coordinates, state->nodes, x);
}

static toc_status radioss_read_velocities(void *frames, size_t frame, double *v, bool *known) {
    const toc_radioss_state *state;
    toc_source *source;
    TOC_TRY(open_state(frames, frame, &source, &state));
    *known = state->velocities != NULL;
    return *known ? toc_radioss_read_nodes(source, state->velocities, state->nodes, v) : TOC_OK;
}

static toc_status radioss_read_removals(void *frames, size_t frame, uint8_t *gone) {
    const toc_radioss_state *state;
    toc_source *source;
    TOC_TRY(open_state(frames, frame, &source, &state));
    for (int kind = 0; kind < TOC_RADIOSS_KINDS; kind++)
        for (size_t i = 0; i < state->blocks[kind].count; i++) *gone++ = state->blocks[kind].alive[i] == 0;
    return TOC_OK;
}

static toc_status remove_dead(radioss *f, toc_mesh *mesh) {
    uint32_t element = 0;
    for (int kind = 0; kind < TOC_RADIOSS_KINDS; kind++)
        for (size_t i = 0; i < f->first_state.blocks[kind].count; i++, element++)
            if (f->first_state.blocks[kind].alive[i] == 0) TOC_TRY(toc_mesh_remove_element(mesh, element));
    return TOC_OK;
}

/// A file alone is a mesh of the elements that are left. In a family each element keeps its id.
static toc_status radioss_read_first(void *frames, toc_mesh *mesh) {
    radioss *f = frames;
    const bool all = f->times.count > 1;
    TOC_TRY(toc_radioss_geometry(&f->first, &f->first_state, all, mesh));
    return all ? remove_dead(f, mesh) : TOC_OK;
}

static const toc_frame_methods radioss_methods = {
    .open = open_radioss,
    .close = close_radioss,
    .count = count_radioss,
    .time = radioss_time_of,
    .first = radioss_read_first,
    .positions = radioss_read_positions,
    .velocities = radioss_read_velocities,
    .removals = radioss_read_removals,
};

const toc_format toc_format_radioss = {
    .info = {.name = "radioss", .extensions = ".anim", .what = "results of OpenRadioss, file by file; binary"},
    .recognise = toc_radioss_is,
    .frames = &radioss_methods,
};
