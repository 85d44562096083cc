// SPDX-License-Identifier: Apache-2.0
// The states of a d3plot family: d3plot, d3plot01, d3plot02, ... Each state is whole within one file, and a marker
// follows the last one of a file. Only the position and the time of a state are kept; coordinates and deletions are
// read on request.
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "base/platform/platform.h"
#include "io/core/format.h"
#include "io/dyna/d3plot.h"

typedef struct state {
    unsigned file; // 0 for the first of the family
    uint64_t first;
    double time;
} state;

typedef struct family {
    toc_d3plot plot;
    char *path, *member; // of the first file, and room for the names of the others
    size_t path_size;
    TOC_ARRAY(state) states;
} family;

enum { NUMBER_ROOM = 16 };

static const char *path_of(family *f, unsigned file) {
    if (file == 0) return f->path;
    snprintf(f->member, f->path_size + NUMBER_ROOM, "%s%02u", f->path, file);
    return f->member;
}

static toc_status fail_state(const family *f, const char *path, uint64_t first, const char *what) {
    return toc_fail(TOC_BAD_INPUT, "%s: byte %llu: state %zu %s", path, (unsigned long long)(first * f->plot.word_size),
                    f->states.count, what);
}

static toc_status add_state(family *f, unsigned file, uint64_t first, uint64_t words, double time) {
    const char *path = path_of(f, file);
    assert(first < words);
    const double before = f->states.count > 0 ? f->states.at[f->states.count - 1].time : -INFINITY;
    if (!isfinite(time) || time < before) return fail_state(f, path, first, "is not where the control words put it");
    if (words - first < f->plot.state_words) return fail_state(f, path, first, "is cut: the file ends before it does");
    TOC_TRY(toc_array_reserve(&f->plot.allocator, &f->states, 1));
    f->states.at[f->states.count++] = (state){file, first, time};
    return TOC_OK;
}

/// The states of a file, from a word on.
static toc_status scan_file(family *f, unsigned file, uint64_t first) {
    uint64_t words;
    TOC_TRY(toc_d3plot_size(&f->plot, path_of(f, file), &words));
    if (words == 0) return toc_fail(TOC_BAD_INPUT, "%s: is empty", path_of(f, file));
    for (; first < words; first += f->plot.state_words) {
        double time;
        TOC_TRY(toc_d3plot_reals(&f->plot, path_of(f, file), first, 1, &time));
        if (time == TOC_D3_MARKER) return TOC_OK;
        TOC_TRY(add_state(f, file, first, words, time));
    }
    return TOC_OK;
}

static bool exists(family *f, unsigned file) { return toc_path_exists(path_of(f, file)); }

static toc_status scan(family *f) {
    TOC_TRY(scan_file(f, 0, f->plot.behind));
    unsigned file = 1;
    for (; exists(f, file); file++) TOC_TRY(scan_file(f, file, 0));
    if (!exists(f, file + 1)) return TOC_OK;
    return toc_fail(TOC_BAD_INPUT, "%s: is missing, though the one behind it is there", path_of(f, file));
}

static void close_family(void *frames) {
    family *f = frames;
    const toc_allocator memory = f->plot.allocator;
    toc_array_free(&memory, &f->states);
    toc_free(&memory, f->path, f->path_size, 1);
    toc_free(&memory, f->member, f->path_size + NUMBER_ROOM, 1);
    toc_free(&memory, f, 1, sizeof *f);
}

static toc_status fill_family(family *f, const char *path) {
    const toc_allocator memory = f->plot.allocator;
    f->path_size = strlen(path) + 1;
    f->path = toc_new(&memory, f->path_size, 1);
    f->member = toc_new(&memory, f->path_size + NUMBER_ROOM, 1);
    if (!f->path || !f->member) return TOC_OUT_OF_MEMORY;
    memcpy(f->path, path, f->path_size);
    toc_d3plot plot;
    TOC_TRY(toc_d3plot_open(f->path, &memory, &plot));
    f->plot = plot;
    return scan(f);
}

static toc_status open_family(const char *path, const toc_frame_wish *wish, const toc_allocator *allocator,
                              void **frames) {
    (void)wish;
    const toc_allocator memory = toc_allocator_or_default(allocator);
    family *f = toc_new(&memory, 1, sizeof *f);
    if (!f) return TOC_OUT_OF_MEMORY;
    f->plot.allocator = memory;
    const toc_status status = fill_family(f, path);
    if (status == TOC_OK) {
        *frames = f;
    } else {
        close_family(f);
    }
    return status;
}

static size_t count_states(const void *frames) {
    const family *f = frames;
    return f->states.count > 0 ? f->states.count : 1; // the geometry alone
}

static double states_time_of(const void *frames, size_t frame) {
    const family *f = frames;
    assert(frame < count_states(frames));
    return f->states.count > 0 ? f->states.at[frame].time : 0;
}

static toc_status states_read_positions(void *frames, size_t frame, double *x) {
    family *f = frames;
    assert(frame < f->states.count);
    const state *s = &f->states.at[frame];
    return toc_d3plot_reals(&f->plot, path_of(f, s->file), s->first + f->plot.coordinates, 3 * f->plot.nodes, x);
}

static toc_status states_read_velocities(void *frames, size_t frame, double *v, bool *known) {
    family *f = frames;
    *known = f->plot.velocities > 0 && f->states.count > 0;
    if (!*known) return TOC_OK;
    assert(frame < f->states.count);
    const state *s = &f->states.at[frame];
    return toc_d3plot_reals(&f->plot, path_of(f, s->file), s->first + f->plot.velocities, 3 * f->plot.nodes, v);
}

enum { SOME = 4096 };

/// The distance of the first state from the geometry if its coordinates begin `extras` words later.
static toc_status distance_to(family *f, size_t extras, const double *geometry, double *sum) {
    assert(f->states.count > 0);
    const state *s = &f->states.at[0];
    const uint64_t first = s->first + f->plot.coordinates + extras;
    const size_t count = 3 * f->plot.nodes;
    double x[SOME];
    *sum = 0;
    for (size_t i = 0; i < count; i += SOME) {
        const size_t some = count - i < SOME ? count - i : SOME;
        TOC_TRY(toc_d3plot_reals(&f->plot, path_of(f, s->file), first + i, some, x));
        for (size_t k = 0; k < some; k++) *sum += fabs(x[k] - geometry[i + k]);
    }
    return TOC_OK;
}

/// Temperatures and other data follow the coordinates, but precede them in the files of some versions. The reading that
/// is nearer to the geometry in the first state is taken.
static toc_status states_find_coordinates(family *f, const double *geometry) {
    const size_t extras = f->plot.node_extras;
    double before = 0, behind = 0;
    if (extras == 0) return TOC_OK;
    TOC_TRY(distance_to(f, 0, geometry, &before));
    TOC_TRY(distance_to(f, extras, geometry, &behind));
    if (f->plot.has_temperature) f->plot.temperatures = f->plot.coordinates + (behind < before ? 0 : 3 * f->plot.nodes);
    if (behind < before) f->plot.coordinates += extras;
    f->plot.node_extras = 0; // decided
    return TOC_OK;
}

/// Results of a state; of a file that has just been opened its coordinates are found first.
static toc_status states_read_fields(void *frames, size_t frame, struct toc_field_list *list) {
    family *f = frames;
    const size_t count = 3 * f->plot.nodes;
    if (f->states.count == 0) return TOC_OK;
    assert(frame < f->states.count);
    const state *s = &f->states.at[frame];
    if (f->plot.node_extras > 0) {
        double *x = toc_new(&f->plot.allocator, count, sizeof *x);
        if (!x) return TOC_OUT_OF_MEMORY;
        toc_status status = toc_d3plot_reals(&f->plot, f->path, f->plot.geometry, count, x);
        if (status == TOC_OK) status = states_find_coordinates(f, x);
        toc_free(&f->plot.allocator, x, count, sizeof *x);
        TOC_TRY(status);
    }
    return toc_d3plot_fields(&f->plot, path_of(f, s->file), s->first, list);
}

/// Deletions are in another order than elements: beams are last.
static const uint8_t deletion_order[] = {TOC_D3_SOLIDS, TOC_D3_THICK_SHELLS, TOC_D3_SHELLS, TOC_D3_BEAMS};

static toc_status read_kind(family *f, const state *s, uint64_t first, size_t count, uint8_t *gone) {
    double left[SOME];
    for (size_t i = 0; i < count; i += SOME) {
        const size_t some = count - i < SOME ? count - i : SOME;
        TOC_TRY(toc_d3plot_reals(&f->plot, path_of(f, s->file), first + i, some, left));
        for (size_t k = 0; k < some; k++) gone[i + k] = left[k] == 0;
    }
    return TOC_OK;
}

static toc_status read_removals(void *frames, size_t frame, uint8_t *gone) {
    family *f = frames;
    if (!f->plot.deletes || f->states.count == 0) return TOC_OK;
    assert(frame < f->states.count);
    const state *s = &f->states.at[frame];
    uint64_t first = s->first + f->plot.deletions;
    for (size_t i = 0; i < sizeof deletion_order; i++) {
        const int kind = deletion_order[i];
        TOC_TRY(read_kind(f, s, first, f->plot.elements[kind], gone + toc_d3plot_first_of(&f->plot, kind)));
        first += f->plot.elements[kind];
    }
    return TOC_OK;
}

static toc_status move_to_first(family *f, toc_mesh *mesh) {
    const size_t count = 3 * f->plot.nodes;
    TOC_TRY(states_find_coordinates(f, toc_mesh_get_x0(mesh)));
    double *x = toc_new(&f->plot.allocator, count, sizeof *x);
    if (!x) return TOC_OUT_OF_MEMORY;
    toc_status status = states_read_positions(f, 0, x);
    if (status == TOC_OK) status = toc_mesh_set_motion(mesh, toc_mesh_get_vertex_count(mesh), x, x);
    toc_free(&f->plot.allocator, x, count, sizeof *x);
    return status;
}

static toc_status remove_first(family *f, toc_mesh *mesh) {
    const size_t count = toc_mesh_get_element_count(mesh);
    uint8_t *gone = toc_new(&f->plot.allocator, count, 1);
    if (!gone) return TOC_OUT_OF_MEMORY;
    toc_status status = read_removals(f, 0, gone);
    for (size_t i = 0; i < count && status == TOC_OK; i++)
        if (gone[i]) status = toc_mesh_remove_element(mesh, (uint32_t)i);
    toc_free(&f->plot.allocator, gone, count, 1);
    return status;
}

static toc_status states_read_first(void *frames, toc_mesh *mesh) {
    family *f = frames;
    TOC_TRY(toc_d3plot_geometry(&f->plot, mesh));
    if (f->states.count == 0) return TOC_OK;
    TOC_TRY(move_to_first(f, mesh));
    return remove_first(f, mesh);
}

static bool states_recognise(const toc_source *source) {
    toc_d3plot plot;
    return toc_d3plot_recognise(source, &plot);
}

static const toc_frame_methods methods = {
    .open = open_family,
    .close = close_family,
    .count = count_states,
    .time = states_time_of,
    .first = states_read_first,
    .positions = states_read_positions,
    .velocities = states_read_velocities,
    .fields = states_read_fields,
    .removals = read_removals,
};

const toc_format toc_format_d3plot = {
    .info = {.name = "d3plot", .extensions = ".d3plot .ptf", .what = "results of LS-DYNA, state by state; binary"},
    .recognise = states_recognise,
    .frames = &methods,
};
