// SPDX-License-Identifier: Apache-2.0
// Pairs kept over several steps.
//
// A search finds all pairs that come within a distance R on a predicted motion: straight, over some steps. Let all
// vertices be within s of their predicted places at both ends of a step. They are so in between, since both motions are
// straight, and so are the points of features, which are means of vertices. Pairs that the search did not find are then
// farther apart than R - 2 s. So the pairs that it found are all that matter to a question up to that distance (G1):
// impacts of the step itself, and of later steps near pairs, too, where R is larger than their distance. The kept ones
// are tested as always. So the answer is that of a whole search, bit for bit, and states do not hold them.
#include "sim/response/kept.h"

#include <assert.h>
#include <stdatomic.h>

#include "sim/core/vector.h"
#include "sim/response/contact.h"
#include "toccata/solver.h"

// Steps that a search covers at most.
enum { LONGEST_SPAN = 16 };
// R of a search for several steps, in reaches of contacts. One for a single step has the reach alone.
static const double wide = 1.5;
// The motion is calm if vertices are this near to their predicted places after a step, in reaches.
static const double calm_share = 0.125;
// Accelerations beyond these many of gravity do not last.
static const double strongest_pull = 1.5;
// Positions are rounded by less than this share of a coordinate.
static const double rounding_share = 0x1p-45;

// ---- the predicted motion

// The place of a vertex after some steps. @return a bound of its rounding.
static double predict_place(const sim_kept *kept, size_t particle, double steps, double out[3]) {
    const double *from = kept->start.at + 3 * particle, *way = kept->way.at + 3 * particle;
    double size = 0;
    for (int k = 0; k < 3; k++) {
        out[k] = from[k] + steps * way[k];
        size = fmax(size, fabs(from[k]) + fabs(steps * way[k]));
    }
    return rounding_share * size;
}

/// The largest distance of a vertex from its predicted place.
typedef struct kept_look {
    const toc_sim *sim;
    double (*x)[3];
    double steps;
    _Atomic double farthest;
} kept_look;

static void look_at_vertices(void *user, size_t first, size_t last) {
    kept_look *look = user;
    double farthest = 0;
    for (size_t i = first; i < last; i++) {
        double place[3], away[3];
        const double rounding = predict_place(&look->sim->kept, i, look->steps, place);
        sim_sub(look->x[i], place, away);
        const double distance = sim_length(away) + rounding;
        farthest = distance <= farthest ? farthest : distance; // also a distance that is no number
    }
    double known = atomic_load(&look->farthest);
    while (!(farthest <= known) && !atomic_compare_exchange_weak(&look->farthest, &known, farthest)) {
    }
}

static double find_farthest(const toc_sim *sim, double (*x)[3], double steps) {
    kept_look look = {.sim = sim, .x = x, .steps = steps};
    toc_sim_loop_run(sim->threads, sim->particle_count, SIM_LEAST, look_at_vertices, &look);
    return look.farthest;
}

// Whether the kept pairs are all that a question about the motion from x0 to x1 needs.
static bool serves(toc_sim *sim, double (*x1)[3], double separation) {
    sim_kept *kept = &sim->kept;
    if (!kept->pairs || kept->age >= kept->span) return false;
    const double slack = 0.5 * (kept->distance - separation);
    if (!(find_farthest(sim, sim->x0, kept->age) <= slack)) return false;
    kept->farthest = find_farthest(sim, x1, kept->age + 1);
    return kept->farthest <= slack;
}

// ---- the search

static void drop_pairs(sim_kept *kept) {
    toc_candidates_destroy(kept->pairs);
    kept->pairs = NULL;
}

// A search for one step until the motion is calm, then for as many steps as the last one served, or for twice as many.
static void choose_span(sim_kept *kept, double reach) {
    const bool was_calm = kept->pairs && kept->farthest <= calm_share * reach;
    const uint32_t served = kept->age, span = kept->span;
    if (span <= 1) {
        kept->span = was_calm ? 2 : 1;
    } else {
        kept->span = served < span ? served : 2 * span < LONGEST_SPAN ? 2 * span : LONGEST_SPAN;
    }
    if (kept->span < 1) kept->span = 1;
    kept->distance = kept->span > 1 ? wide * reach : reach;
    kept->age = 0;
}

/// The motion to search: to x1 for one step, else as far as the velocities lead in all steps, with the acceleration of
/// the last one.
typedef struct kept_prediction {
    toc_sim *sim;
    double (*x1)[3], (*end)[3];
} kept_prediction;

static void predict_vertices(void *user, size_t first, size_t last) {
    const kept_prediction *p = user;
    const sim_kept *kept = &p->sim->kept;
    const double step = p->sim->settings.step, middle = 0.5 * step * (kept->span + 1);
    for (size_t i = first; i < last; i++) {
        double *from = kept->start.at + 3 * i, *way = kept->way.at + 3 * i, *pull = kept->pull.at + 3 * i;
        for (int k = 0; k < 3; k++) {
            from[k] = p->sim->x0[i][k];
            way[k] = kept->span == 1 ? p->x1[i][k] - from[k] : step * (p->sim->v0[i][k] + middle * pull[k]);
        }
        predict_place(kept, i, kept->span, p->end[i]);
    }
}

static toc_status reserve_prediction(toc_sim *sim) {
    TOC_TRY(toc_array_room(&sim->memory, &sim->kept.start, 3 * sim->particle_count));
    TOC_TRY(toc_array_room(&sim->memory, &sim->kept.way, 3 * sim->particle_count));
    TOC_TRY(toc_array_room(&sim->memory, &sim->kept.pull, 3 * sim->particle_count));
    return toc_array_room(&sim->memory, &sim->kept.end, 3 * sim->particle_count);
}

static toc_status find_pairs(toc_sim *sim, double (*x1)[3], toc_contacts **found) {
    sim_kept *kept = &sim->kept;
    toc_query query = toc_sim_query_make(sim);
    TOC_TRY(reserve_prediction(sim));
    choose_span(kept, sim->reach);
    drop_pairs(kept);
    kept_prediction p = {.sim = sim, .x1 = x1, .end = (double(*)[3])(void *)kept->end.at};
    toc_sim_loop_run(sim->threads, sim->particle_count, SIM_LEAST, predict_vertices, &p);
    TOC_TRY(toc_sim_scene_move(sim, kept->span == 1 ? x1 : p.end));
    query.test.separation = kept->distance;
    TOC_TRY(toc_scene_find_contacts(sim->scene, &query, *found, found));
    return toc_scene_make_candidates(sim->scene, &query, (*found)->count, (*found)->contacts, &kept->pairs);
}

// ---- questions

toc_status toc_sim_kept_ask(toc_sim *sim, double (*x1)[3], double separation, toc_contacts **found) {
    toc_query query = toc_sim_query_make(sim);
    query.test.separation = separation;
    TOC_TRY(toc_sim_scene_move(sim, x1));
    if (serves(sim, x1, separation)) {
        query.candidates = sim->kept.pairs;
        const toc_status status = toc_scene_find_contacts(sim->scene, &query, *found, found);
        if (status != TOC_STALE) return status;
        query.candidates = NULL;
        drop_pairs(&sim->kept); // a body was edited
    }
    return toc_scene_find_contacts(sim->scene, &query, *found, found);
}

toc_status toc_sim_kept_begin(toc_sim *sim, double (*x1)[3], toc_contacts **found) {
    assert(sim->reach > 0);
    if (!serves(sim, x1, sim->reach)) {
        TOC_TRY(find_pairs(sim, x1, found));
        if (sim->kept.span == 1) return TOC_OK; // the search itself has answered
    }
    return toc_sim_kept_ask(sim, x1, sim->reach, found);
}

// A blow is no acceleration that lasts.
static void note_acceleration(void *user, size_t first, size_t last) {
    toc_sim *sim = user;
    const double most = strongest_pull * sim_length(sim->settings.gravity);
    for (size_t i = first; i < last; i++) {
        double *pull = sim->kept.pull.at + 3 * i;
        sim_sub(sim->v[i], sim->v0[i], pull);
        for (int k = 0; k < 3; k++) pull[k] /= sim->settings.step;
        if (!(sim_length(pull) <= most)) memset(pull, 0, 3 * sizeof *pull);
    }
}

void toc_sim_kept_advance(toc_sim *sim) {
    sim->kept.age++;
    if (sim->kept.pull.capacity >= 3 * sim->particle_count)
        toc_sim_loop_run(sim->threads, sim->particle_count, SIM_LEAST, note_acceleration, sim);
}

void toc_sim_kept_free(toc_sim *sim) {
    drop_pairs(&sim->kept);
    toc_array_free(&sim->memory, &sim->kept.start);
    toc_array_free(&sim->memory, &sim->kept.way);
    toc_array_free(&sim->memory, &sim->kept.end);
    toc_array_free(&sim->memory, &sim->kept.pull);
}
