// SPDX-License-Identifier: Apache-2.0
// A sweep: every vertex that is awake moves to the place of least energy, colour by colour.
//
// Vertices of a colour share no tet, so they move at the same time, on several threads, and each sees the same places
// whatever the number of threads: results have the same bits. A push may join two vertices of a colour; such vertices
// move alone, behind all colours. O(corners) a sweep.
#include <assert.h>
#include <string.h>

#include "sim/character/character.h"
#include "sim/core/loop.h"

/// Vertices that are worth waking threads for.
enum { LEAST_VERTICES = 24 };

// ---- colours

/// Each tet remembers the colours of its corners.
static void colour_vertices(character_flesh *f, size_t count, uint64_t *used) {
    for (size_t v = 0; v < count; v++) {
        const uint32_t first = v > 0 ? f->corner_ends.at[v - 1] : 0, end = f->corner_ends.at[v];
        uint64_t taken = 0;
        for (uint32_t i = first; i < end; i++) taken |= used[f->corners.at[i].origin / 4];
        f->colours.at[v] = sim_free_colour(taken);
        for (uint32_t i = first; i < end && f->colours.at[v] < SIM_COLOURS; i++)
            used[f->corners.at[i].origin / 4] |= (uint64_t)1 << f->colours.at[v];
    }
}

/// By colour, and in each by the number of corners, so that lanes of a kernel have equal ones: two stable sorts.
static void order_vertices(character_flesh *f, size_t count) {
    size_t next[SIM_COLOURS + 2];
    for (size_t v = 0; v < count; v++) {
        const uint32_t corners = f->corner_ends.at[v] - (v > 0 ? f->corner_ends.at[v - 1] : 0);
        f->is_late.at[v] = (uint8_t)(corners < SIM_COLOURS ? corners : SIM_COLOURS);
    }
    toc_sim_colours_sort(f->is_late.at, count, f->first, f->moving.at);
    memset(f->is_late.at, 0, count);
    toc_sim_colours_sort(f->colours.at, count, f->first, f->order.at);
    memcpy(next, f->first, sizeof next);
    for (size_t i = 0; i < count; i++) {
        const uint32_t v = f->moving.at[i];
        f->order.at[next[f->colours.at[v]]++] = v;
    }
}

toc_status toc_character_sweep_make(toc_character *c) {
    character_flesh *f = &c->flesh;
    const size_t count = c->bodies.at[0].count;
    TOC_TRY(toc_array_room(&c->memory, &f->awake, count));
    TOC_TRY(toc_array_room(&c->memory, &f->colours, count));
    TOC_TRY(toc_array_room(&c->memory, &f->order, count));
    TOC_TRY(toc_array_room(&c->memory, &f->moving, count));
    TOC_TRY(toc_array_room(&c->memory, &f->steps, count));
    TOC_TRY(toc_array_room(&c->memory, &f->is_late, count));
    TOC_TRY(toc_array_room(&c->memory, &f->late, count));
    uint64_t *used = toc_new(&c->memory, f->tets.count, sizeof *used);
    if (!used) return TOC_OUT_OF_MEMORY;
    colour_vertices(f, count, used);
    toc_free(&c->memory, used, f->tets.count, sizeof *used);
    order_vertices(f, count);
    return toc_character_sweep_prepare(c);
}

// ---- vertices that move alone

static void add_late(character_flesh *f, uint32_t v) {
    if (f->is_late.at[v]) return;
    f->is_late.at[v] = 1;
    f->late.at[f->late.count++] = v;
}

/// Of two vertices of a push with the same colour, the first one.
static void find_late(toc_character *c) {
    character_flesh *f = &c->flesh;
    const uint32_t own = c->bodies.at[0].count;
    for (size_t i = 0; i < f->late.count; i++) f->is_late.at[f->late.at[i]] = 0;
    f->late.count = 0;
    for (size_t i = 0; i < f->pushes.count; i++) {
        const uint32_t *v = c->faces.at[f->pushes.at[i].face].v, all[4] = {f->pushes.at[i].vertex, v[0], v[1], v[2]};
        for (int j = 0; j < 4; j++)
            for (int k = j + 1; k < 4; k++)
                if (all[j] < own && all[k] < own && f->colours.at[all[j]] == f->colours.at[all[k]]) add_late(f, all[j]);
    }
}

toc_status toc_character_sweep_prepare(toc_character *c) {
    character_flesh *f = &c->flesh;
    size_t most = 0;
    find_late(c);
    for (size_t v = 0; v < c->bodies.at[0].count; v++) {
        size_t count = 0;
        for (uint32_t i = f->push_heads.at[v]; i != CHARACTER_NONE; i = f->push_next.at[i]) count++;
        most = count > most ? count : most;
    }
    f->most_terms = toc_character_elastic_terms(f->most_corners) + most;
    return toc_array_room(&c->memory, &f->terms, SIM_PARTS * f->most_terms);
}

// ---- the sweep

typedef struct flesh_sweep {
    toc_character *character;
    flesh_relax_kernel *kernel;
    flesh_relax work;
    atomic_size_t parts; // that have begun: each has terms of its own
} flesh_sweep;

/// A vertex has moved; all around it are awake if that counts.
static void end_step(toc_character *c, uint32_t v, double length) {
    const double still = 0.036 / c->settings.iterations * c->mean_edge;
    atomic_store_explicit(&c->flesh.awake.at[v], false, memory_order_relaxed);
    if (length > still) toc_character_elastic_wake(c, v);
}

static void relax_vertex(toc_character *c, uint32_t v, flesh_term *terms) {
    end_step(c, v, toc_character_elastic_relax(c, v, terms));
}

static void relax_vertices(void *user, size_t first, size_t last) {
    flesh_sweep *sweep = user;
    const character_flesh *f = &sweep->character->flesh;
    const size_t part = atomic_fetch_add(&sweep->parts, 1);
    flesh_relax work = sweep->work;
    assert(part < SIM_PARTS);
    work.vertices += first;
    work.steps += first;
    work.count = last - first;
    sweep->kernel(&work);
    for (size_t i = 0; i < work.count; i++) {
        if (work.steps[i] >= 0)
            end_step(sweep->character, work.vertices[i], work.steps[i]);
        else
            relax_vertex(sweep->character, work.vertices[i], f->terms.at + part * f->most_terms);
    }
}

static bool is_awake(const character_flesh *f, uint32_t v) {
    return atomic_load_explicit(&f->awake.at[v], memory_order_relaxed);
}

/// A vertex of a colour wakes others of other colours only, so those that are awake are known before.
static void sweep_colour(toc_character *c, size_t colour) {
    character_flesh *f = &c->flesh;
    flesh_sweep sweep = {
        .character = c, .kernel = toc_relax_kernel_of(c->lanes), .work = toc_character_elastic_relaxed(c)};
    size_t count = 0;
    for (size_t i = f->first[colour]; i < f->first[colour + 1]; i++) {
        const uint32_t v = f->order.at[i];
        f->moving.at[count] = v;
        count += is_awake(f, v) && !f->is_late.at[v];
    }
    sweep.work.vertices = f->moving.at;
    sweep.work.steps = f->steps.at;
    toc_sim_loop_run(colour < SIM_COLOURS ? c->threads : 1, count, LEAST_VERTICES, relax_vertices, &sweep);
}

static void sweep_late(toc_character *c, bool forward) {
    const character_flesh *f = &c->flesh;
    for (size_t i = 0; i < f->late.count; i++) {
        const uint32_t v = f->late.at[forward ? i : f->late.count - 1 - i];
        if (is_awake(f, v)) relax_vertex(c, v, f->terms.at);
    }
}

void toc_character_sweep_run(toc_character *c, bool forward) {
    if (!forward) sweep_late(c, false);
    for (size_t i = 0; i <= SIM_COLOURS; i++) sweep_colour(c, forward ? i : SIM_COLOURS - i);
    if (forward) sweep_late(c, true);
}

void toc_character_sweep_wake(toc_character *c) {
    const character_flesh *f = &c->flesh;
    for (size_t v = 0; v < c->bodies.at[0].count; v++) atomic_init(&f->awake.at[v], f->mass.at[v] > 0);
}
