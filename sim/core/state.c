// SPDX-License-Identifier: Apache-2.0
// The state of a simulation as doubles.
//
// Its order: time; the length of the journal of edits, and the journal; positions, velocities, poses, points of guided
// bodies, turns of clusters. After an edit, and where materials yield, the structure follows: masses, the ranges of
// bodies, and all constraints in the order of the solver with their colours, since the order decides about the last
// bits.
#include <assert.h>
#include <string.h>

#include "base/arithmetic.h"
#include "sim/core/edit.h"
#include "sim/core/vector.h"
#include "sim/response/contact.h"

/// One walk that counts, writes (`out`) or reads (`in`).
typedef struct sim_walk {
    double *out;
    const double *in;
    size_t at;
    bool damaged; // a number that was read is no id, or beyond its limit
} sim_walk;

static void walk_doubles(sim_walk *walk, double *values, size_t count) {
    if (count == 0) return;
    if (walk->out) memcpy(walk->out + walk->at, values, count * sizeof *values);
    if (walk->in) memcpy(values, walk->in + walk->at, count * sizeof *values);
    walk->at += count;
}

static bool is_below(double number, double limit) { return number >= 0 && number < limit && number == floor(number); }

static void walk_ids(sim_walk *walk, uint32_t *ids, size_t count, size_t limit) {
    for (size_t i = 0; i < count; i++) {
        double number = ids[i];
        walk_doubles(walk, &number, 1);
        if (!walk->in) continue;
        if (!is_below(number, (double)limit)) walk->damaged = true;
        ids[i] = walk->damaged ? 0 : (uint32_t)number;
    }
}

static void walk_motion(toc_sim *sim, sim_walk *walk) {
    for (size_t i = 0; i < sim->particle_count; i++) walk_doubles(walk, sim->x[i], 3);
    for (size_t i = 0; i < sim->particle_count; i++) walk_doubles(walk, sim->v[i], 3);
    for (size_t i = 0; i < sim->rigids.count; i++) {
        sim_rigid *r = &sim->rigids.at[i];
        walk_doubles(walk, r->now.centre, 3);
        walk_doubles(walk, r->now.turn, 4);
        walk_doubles(walk, r->velocity, 3);
        walk_doubles(walk, r->angular, 3);
    }
    for (size_t i = 0; i < sim->bodies.count; i++) walk_doubles(walk, sim->bodies.at[i].point, 3);
    for (size_t i = 0; i < sim->clusters.count; i++) walk_doubles(walk, sim->clusters.at[i].turn, 4);
}

// ---- structure

enum { COUNT_SPRINGS, COUNT_HINGES, COUNT_TETS, COUNT_COLOURS, COUNTS = COUNT_COLOURS + 3 };
// Numbers of each in a state.
enum { PARTICLE_NUMBERS = 10, BODY_NUMBERS = 4, SPRING_NUMBERS = 6, HINGE_NUMBERS = 10, TET_NUMBERS = 22 };

static void walk_particles(toc_sim *sim, sim_walk *walk) {
    const size_t count = sim->particle_count;
    for (size_t i = 0; i < count; i++) walk_doubles(walk, sim->rest[i], 3);
    walk_doubles(walk, sim->w, count);
    walk_doubles(walk, sim->mass, count);
    walk_doubles(walk, sim->thin, count);
    walk_ids(walk, sim->owner, count, sim->bodies.count);
    walk_ids(walk, sim->origin, count, sim->bodies.count);
    walk_ids(walk, sim->spent, count, 2);
    walk_ids(walk, sim->side, count, SIM_GLUE_BACK + 1);
}

static void walk_bodies(toc_sim *sim, sim_walk *walk) {
    for (size_t i = 0; i < sim->bodies.count; i++) {
        sim_body *body = &sim->bodies.at[i];
        uint32_t gone = body->gone;
        walk_ids(walk, &body->first, 1, sim->particle_count);
        walk_ids(walk, &body->count, 1, sim->particle_count - body->first + 1);
        walk_ids(walk, &body->room, 1, sim->particle_count - body->first + 1);
        walk_ids(walk, &gone, 1, 2);
        body->gone = gone != 0;
    }
}

static void walk_tet(toc_sim *sim, sim_walk *walk, sim_tet *t) {
    uint32_t by_force = t->by_force;
    walk_ids(walk, t->v, 4, sim->particle_count);
    walk_doubles(walk, t->inverse_rest[0], 9);
    walk_doubles(walk, &t->goal, 1);
    walk_doubles(walk, &t->shear_compliance, 1);
    walk_doubles(walk, &t->volume_compliance, 1);
    walk_doubles(walk, &t->volume, 1);
    walk_doubles(walk, &t->mass, 1);
    walk_ids(walk, &t->element, 1, SIM_NONE);
    walk_ids(walk, &t->origin, 1, sim->bodies.count);
    walk_ids(walk, &t->side, 1, 3);
    walk_ids(walk, &by_force, 1, 2);
    t->by_force = by_force != 0;
}

static void walk_constraints(toc_sim *sim, sim_walk *walk) {
    for (size_t i = 0; i < sim->springs.count; i++) {
        sim_spring *s = &sim->springs.at[i];
        walk_ids(walk, s->v, 2, sim->particle_count);
        walk_ids(walk, &s->id, 1, SIM_NONE);
        walk_ids(walk, &s->origin, 1, sim->bodies.count);
        walk_doubles(walk, &s->rest, 1);
        walk_doubles(walk, &s->compliance, 1);
    }
    for (size_t i = 0; i < sim->hinges.count; i++) {
        sim_hinge *h = &sim->hinges.at[i];
        walk_ids(walk, h->v, 4, sim->particle_count);
        walk_ids(walk, &h->id, 1, SIM_NONE);
        walk_ids(walk, &h->origin, 1, sim->bodies.count);
        walk_ids(walk, h->element, 2, SIM_NONE);
        walk_doubles(walk, &h->rest, 1);
        walk_doubles(walk, &h->compliance, 1);
    }
    for (size_t i = 0; i < sim->tets.count; i++) walk_tet(sim, walk, &sim->tets.at[i]);
    for (size_t i = 0; i < sim->joints.count; i++) walk_ids(walk, sim->joints.at[i].v, 2, sim->particle_count);
    walk_ids(walk, sim->members.at, sim->members.count, sim->particle_count);
    walk_ids(walk, sim->bag_faces.at, sim->bag_faces.count, sim->particle_count);
}

// The first constraint of each colour; none where they wait to be coloured. They rise to the number of constraints.
static void walk_colours(sim_walk *walk, sim_colours *colours, size_t items) {
    size_t last = 0;
    for (size_t i = 0; i < colours->first.count && !colours->stale; i++) {
        double first = (double)colours->first.at[i];
        walk_doubles(walk, &first, 1);
        if (!walk->in) continue;
        const bool ends = i + 1 < colours->first.count || first == (double)items;
        if (!is_below(first, (double)items + 1) || first < (double)last || !ends) walk->damaged = true;
        last = colours->first.at[i] = walk->damaged ? 0 : (size_t)first;
    }
}

static void walk_structure(toc_sim *sim, sim_walk *walk) {
    walk_particles(sim, walk);
    walk_bodies(sim, walk);
    walk_constraints(sim, walk);
    walk_colours(walk, &sim->spring_colours, sim->springs.count);
    walk_colours(walk, &sim->hinge_colours, sim->hinges.count);
    walk_colours(walk, &sim->tet_colours, sim->tets.count);
}

static void count_structure(const toc_sim *sim, double counts[COUNTS]) {
    const sim_colours *colours[] = {&sim->spring_colours, &sim->hinge_colours, &sim->tet_colours};
    counts[COUNT_SPRINGS] = (double)sim->springs.count;
    counts[COUNT_HINGES] = (double)sim->hinges.count;
    counts[COUNT_TETS] = (double)sim->tets.count;
    for (int k = 0; k < 3; k++) counts[COUNT_COLOURS + k] = colours[k]->stale ? 0 : (double)colours[k]->first.count;
}

// Springs and hinges are only ever dropped, so that their arrays have room; tets are divided, too.
static toc_status resize_structure(toc_sim *sim, const double counts[COUNTS]) {
    sim_colours *colours[] = {&sim->spring_colours, &sim->hinge_colours, &sim->tet_colours};
    for (int k = 0; k < 3; k++) {
        const size_t count = (size_t)counts[COUNT_COLOURS + k];
        TOC_TRY(toc_array_room(&sim->memory, &colours[k]->first, count));
        colours[k]->first.count = count;
        colours[k]->stale = count == 0;
    }
    const size_t tets = (size_t)counts[COUNT_TETS];
    if (tets > sim->tets.count) TOC_TRY(toc_array_reserve(&sim->memory, &sim->tets, tets - sim->tets.count));
    sim->springs.count = (size_t)counts[COUNT_SPRINGS];
    sim->hinges.count = (size_t)counts[COUNT_HINGES];
    sim->tets.count = tets;
    return TOC_OK;
}

// @param edits numbers of the journal: each tet that an edit adds is one of them.
static bool are_counts(const toc_sim *sim, const double counts[COUNTS], size_t edits) {
    const size_t most[COUNTS] = {sim->springs.count, sim->hinges.count, sim->tets.count + edits,
                                 SIM_COLOURS + 2,    SIM_COLOURS + 2,   SIM_COLOURS + 2};
    for (int k = 0; k < COUNTS; k++)
        if (!is_below(counts[k], (double)most[k] + 1)) return false;
    return true;
}

static size_t structure_length(const toc_sim *sim, const double counts[COUNTS]) {
    size_t length = PARTICLE_NUMBERS * sim->particle_count + BODY_NUMBERS * sim->bodies.count + 2 * sim->joints.count +
                    sim->members.count + sim->bag_faces.count + SPRING_NUMBERS * (size_t)counts[COUNT_SPRINGS] +
                    HINGE_NUMBERS * (size_t)counts[COUNT_HINGES] + TET_NUMBERS * (size_t)counts[COUNT_TETS];
    for (int k = 0; k < 3; k++) length += (size_t)counts[COUNT_COLOURS + k];
    return length;
}

// ---- the whole

enum { STATE_HEAD = 2 };

static bool has_structure(const toc_sim *sim, size_t edits) { return edits > 0 || sim->yields; }

size_t toc_sim_get_state(const toc_sim *sim, double *state) {
    if (!sim) return 0;
    toc_sim *s = (toc_sim *)sim; // a walk without `in` writes nothing into it
    sim_walk walk = {.out = state};
    double edits = (double)sim->journal.count, counts[COUNTS];
    walk_doubles(&walk, &s->time, 1);
    walk_doubles(&walk, &edits, 1);
    walk_doubles(&walk, sim->journal.at, sim->journal.count);
    walk_motion(s, &walk);
    if (has_structure(sim, sim->journal.count)) {
        count_structure(sim, counts);
        walk_doubles(&walk, counts, COUNTS);
        const size_t end = walk.at + structure_length(sim, counts);
        walk_structure(s, &walk);
        assert(walk.at == end);
        (void)end;
    }
    return walk.at;
}

static toc_status fail_count(size_t count, size_t wanted) {
    return toc_fail(TOC_BAD_INPUT, "the state has %zu doubles; the bodies of this simulation have %zu", count, wanted);
}

static toc_status check_state(toc_sim *sim, const double *state, size_t count) {
    sim_walk walk = {.at = STATE_HEAD};
    if (count < STATE_HEAD) return fail_count(count, toc_sim_get_state(sim, NULL));
    for (size_t i = 0; i < count; i++)
        if (!isfinite(state[i])) return toc_fail(TOC_BAD_INPUT, "number %zu of the state is not finite", i);
    if (!is_below(state[1], (double)(count - STATE_HEAD) + 1))
        return toc_fail(TOC_BAD_INPUT, "the state is damaged: %g numbers of edits", state[1]);
    TOC_TRY(toc_sim_journal_check(sim, state + STATE_HEAD, (size_t)state[1]));
    walk.at += (size_t)state[1];
    walk_motion(sim, &walk);
    if (!has_structure(sim, (size_t)state[1])) return count == walk.at ? TOC_OK : fail_count(count, walk.at);
    if (count < walk.at + COUNTS) return fail_count(count, walk.at + COUNTS);
    if (!are_counts(sim, state + walk.at, (size_t)state[1]))
        return toc_fail(TOC_BAD_INPUT, "the state is damaged: numbers of constraints");
    walk.at += COUNTS + structure_length(sim, state + walk.at);
    return count == walk.at ? TOC_OK : fail_count(count, walk.at);
}

static toc_status read_structure(toc_sim *sim, sim_walk *walk) {
    TOC_TRY(resize_structure(sim, walk->in + walk->at));
    walk->at += COUNTS;
    walk_structure(sim, walk);
    return walk->damaged ? toc_fail(TOC_BAD_INPUT, "the state is damaged: a constraint of other particles") : TOC_OK;
}

toc_status toc_sim_set_state(toc_sim *sim, const double *state, size_t count) {
    TOC_SCOPED_ARITHMETIC;
    TOC_NEED(sim);
    TOC_NEED(state);
    TOC_TRY(check_state(sim, state, count));
    const size_t edits = (size_t)state[1];
    TOC_TRY(toc_sim_journal_replay(sim, state + STATE_HEAD, edits));
    sim_walk walk = {.in = state, .at = STATE_HEAD + edits};
    sim->time = state[0];
    walk_motion(sim, &walk);
    if (has_structure(sim, edits)) TOC_TRY(read_structure(sim, &walk));
    for (uint32_t b = 0; b < sim->bodies.count; b++) {
        const sim_body *body = &sim->bodies.at[b];
        const bool fits = body->gone ? !toc_scene_has_body(sim->scene, b)
                                     : toc_mesh_get_vertex_count(toc_scene_get_mesh(sim->scene, b)) == body->count;
        if (!fits) return toc_fail(TOC_BAD_INPUT, "the state is damaged: the vertices of body %u", b);
    }
    sim->checked = false;
    sim->sharers_stale = true;
    return toc_sim_scene_rest(sim);
}
