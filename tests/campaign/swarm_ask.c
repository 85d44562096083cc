// SPDX-License-Identifier: Apache-2.0
// Questions about scenes of the swarm, each compared with the exact answers for its pairs.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "campaign/swarm_scene.h"
#include "toccata/solver.h"

typedef struct question {
    swarm_scene *scene;
    swarm_image *image;
    toc_query query;
    char name[64];
} question;

static void fail_question(const question *q, const char *what, double got, double wanted) {
    swarm_fail(q->scene->counts, q->scene->seed, "%s, %s, filter %u, %d threads: %s: %.17g, %.17g", q->name,
               q->query.preset, q->scene->filter, q->query.threads, what, got, wanted);
}

static bool is_answered(const question *q, toc_status status) {
    q->scene->counts->calls++;
    if (status != TOC_OK)
        swarm_fail(q->scene->counts, q->scene->seed, "%s, %s: status %d: %s", q->name, q->query.preset, (int)status,
                   toc_message_get());
    return status == TOC_OK;
}

// ---- the filter: a third of the pairs is left out

static bool wants(uint32_t filter, const swarm_pair *p) {
    if (filter == 0) return true;
    const uint64_t who = ((uint64_t)p->kind << 60) ^ ((uint64_t)p->body[0] << 50) ^ ((uint64_t)p->body[1] << 40) ^
                         ((uint64_t)p->v[0] << 30) ^ ((uint64_t)p->v[1] << 20) ^ ((uint64_t)p->v[2] << 10) ^ p->v[3];
    return trial_hash(filter, who) % 3 != 0;
}

static bool wants_pair(void *user, toc_kind kind, const uint32_t body[2], const uint32_t v[4]) {
    swarm_scene *s = user;
    const swarm_pair *p = swarm_find_pair(s, kind, body, v);
    return !p || wants(s->filter, p); // that it is a pair is checked where it is reported
}

// ---- the truth

static bool touches(const question *q, const swarm_pair *p) { return p->truth.touches && wants(q->scene->filter, p); }

// Of all wanted pairs; 2 where nothing touches.
static lattice_answer first_of(const question *q) {
    lattice_answer first = {.touches = false, .low = 2, .high = 2};
    for (uint32_t i = 0; i < q->scene->pair_count; i++) {
        const swarm_pair *p = &q->scene->pairs[i];
        if (!touches(q, p)) continue;
        first.touches = true;
        first.low = fmin(first.low, p->truth.low);
        first.high = fmin(first.high, p->truth.high);
    }
    return first;
}

static void begin_answer(question *q) {
    for (uint32_t i = 0; i < q->scene->pair_count; i++) q->scene->pairs[i].seen = false;
}

// A pair of an answer: it must be one, be wanted, and come once. @return NULL if not.
static swarm_pair *take_pair(question *q, toc_kind kind, const uint32_t body[2], const uint32_t v[4]) {
    swarm_pair *p = swarm_find_pair(q->scene, kind, body, v);
    if (!p || p->seen || !wants(q->scene->filter, p)) {
        fail_question(q, !p ? "no pair" : p->seen ? "a pair twice" : "a pair that is not wanted", v[0], v[1]);
        return NULL;
    }
    p->seen = true;
    return p;
}

// ---- contacts

// Whether the box around the path of a feature meets the region.
static bool meets_region(const question *q, uint32_t body, int count, const uint32_t *v, double box[2][3]) {
    for (int k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        for (int i = 0; i < count; i++) {
            low = fmin(low, fmin(q->image->x0[body][v[i]][k], q->image->x1[body][v[i]][k]));
            high = fmax(high, fmax(q->image->x0[body][v[i]][k], q->image->x1[body][v[i]][k]));
        }
        if (high < box[0][k] || low > box[1][k]) return false;
    }
    return true;
}

static bool may_be_left_out(const question *q, const swarm_pair *p, double (*region)[3]) {
    const int first = p->kind == TOC_VF ? 1 : 2;
    return region && (!meets_region(q, p->body[0], first, p->v, region) ||
                      !meets_region(q, p->body[1], 4 - first, p->v + first, region));
}

static void check_contacts(question *q, const toc_contacts *found, double (*region)[3]) {
    begin_answer(q);
    for (size_t i = 0; i < found->count; i++) {
        const toc_contact *c = &found->contacts[i];
        const swarm_pair *p = take_pair(q, c->kind, c->body, c->v);
        if (!p) continue;
        if (!p->truth.touches) fail_question(q, "invented", c->toc, (double)i);
        if (p->truth.touches && !swarm_time_is_right(&p->truth, c->toc)) fail_question(q, "time", c->toc, p->truth.low);
    }
    for (uint32_t i = 0; i < q->scene->pair_count; i++) {
        const swarm_pair *p = &q->scene->pairs[i];
        if (touches(q, p) && !p->seen && !may_be_left_out(q, p, region)) fail_question(q, "missed", i, p->truth.low);
    }
    q->scene->counts->contacts += found->count;
}

static toc_contacts *find_contacts(question *q) {
    toc_contacts *found = NULL;
    return is_answered(q, toc_scene_find_contacts(q->image->scene, &q->query, NULL, &found)) ? found : NULL;
}

static void ask_all(question *q) {
    toc_contacts *found = find_contacts(q);
    if (found) check_contacts(q, found, NULL);
    toc_contacts_destroy(found);
}

static void ask_region(question *q) {
    double box[2][3];
    trial_random *r = &q->scene->random;
    const swarm_body *b = &q->scene->bodies[0];
    const uint32_t one = trial_below(r, b->vertex_count), other = trial_below(r, b->vertex_count);
    for (int k = 0; k < 3; k++) {
        box[0][k] = fmin(q->image->x0[0][one][k], q->image->x1[0][other][k]);
        box[1][k] = fmax(q->image->x0[0][one][k], q->image->x1[0][other][k]);
    }
    if (!is_answered(q, toc_scene_set_region(q->image->scene, box[0], box[1]))) return;
    toc_contacts *found = find_contacts(q);
    if (found) check_contacts(q, found, box);
    toc_contacts_destroy(found);
    is_answered(q, toc_scene_set_region(q->image->scene, NULL, NULL));
}

static void ask_first(question *q) {
    const lattice_answer truth = first_of(q);
    q->query.answer = trial_chance(&q->scene->random, 0.7) ? TOC_ANSWER_FIRST : TOC_ANSWER_ANY;
    toc_contacts *found = find_contacts(q);
    if (!found) return;
    if ((found->count == 1) != truth.touches || found->count > 1)
        fail_question(q, "first or any contact", (double)found->count, truth.low);
    if (found->count == 1) {
        const toc_contact *c = found->contacts;
        const swarm_pair *p = swarm_find_pair(q->scene, c->kind, c->body, c->v);
        if (!p || !touches(q, p) || !swarm_time_is_right(&p->truth, c->toc))
            fail_question(q, "contact that is none", c->toc, truth.low);
        if (q->query.answer == TOC_ANSWER_FIRST && !swarm_time_is_right(&truth, c->toc))
            fail_question(q, "not the first contact", c->toc, truth.low);
    }
    toc_contacts_destroy(found);
}

// Candidates without slack answer as the scene.
static void ask_candidates(question *q) {
    toc_candidates *candidates = NULL;
    if (!is_answered(q, toc_scene_find_candidates(q->image->scene, &q->query, 0, 0, &candidates))) return;
    q->query.candidates = candidates;
    ask_all(q);
    toc_candidates_destroy(candidates);
}

static void ask_touches(question *q) {
    toc_contacts *found = find_contacts(q);
    if (!found) return;
    toc_touches *all = calloc(found->count + 1, sizeof *all);
    if (!all) abort();
    if (is_answered(q, toc_scene_find_touches(q->image->scene, &q->query, found, all)))
        for (size_t i = 0; i < found->count; i++) {
            const toc_contact *c = &found->contacts[i];
            const swarm_pair *p = swarm_find_pair(q->scene, c->kind, c->body, c->v);
            if (!p || all[i].count == 0 || all[i].at[0].enter > p->truth.high ||
                all[i].at[0].enter < nextafter(p->truth.low, -1))
                fail_question(q, "touches", (double)all[i].count, p ? p->truth.low : -1);
        }
    free(all);
    toc_contacts_destroy(found);
}

// ---- steps

// Small lattices have no contact that is close for long: rounding costs little of the step.
static const double SHORTER = 0x1p-18;

// Whether an image has the proportions of the lattice also after rounding. A lattice whose unit is a few of the least
// subnormal numbers has not.
static bool keeps_proportions(const question *q) {
    return q->image->map.is_even && q->image->map.exponent[0] > DBL_MIN_EXP;
}

static void ask_safe_step(question *q) {
    const lattice_answer truth = first_of(q);
    double f;
    if (!is_answered(q, toc_scene_find_safe_step(q->image->scene, &q->query, &f))) return;
    if (!(f >= 0 && f <= 1) || (!truth.touches && f != 1)) fail_question(q, "safe step", f, truth.low);
    if (truth.touches && (f > truth.high || (truth.high == 0 && f != 0)))
        fail_question(q, "safe step late", f, truth.high);
    if (truth.touches && keeps_proportions(q) && f < truth.low - SHORTER)
        fail_question(q, "safe step short", f, truth.low);
}

static void ask_room_step(question *q) {
    const lattice_answer truth = first_of(q);
    toc_room_step room;
    if (!is_answered(q, toc_scene_find_room_step(q->image->scene, &q->query, NULL, &room))) return;
    if (!(room.fraction >= 0 && room.fraction <= 1)) fail_question(q, "room step", room.fraction, truth.low);
    if (truth.low > 0 && truth.touches && room.fraction >= truth.high)
        fail_question(q, "room step late", room.fraction, truth.high);
    if (keeps_proportions(q) && truth.low > 0 && room.fraction == 0)
        fail_question(q, "room step 0", room.fraction, truth.low);
}

static void ask_conflict(question *q) {
    const lattice_answer truth = first_of(q);
    toc_conflict conflict;
    if (!is_answered(q, toc_scene_find_conflict(q->image->scene, &q->query, &conflict))) return;
    if ((conflict.kind == TOC_CONFLICT_CONTACT) != truth.touches)
        fail_question(q, "conflict", conflict.kind, truth.low);
}

// ---- near

// Within the step, near at the distance 0 is contact; at the start, contact at the start.
static void ask_near(question *q) {
    toc_near_query near = toc_near_query_default();
    toc_near *found = NULL;
    near.time = trial_chance(&q->scene->random, 0.5) ? TOC_NEAR_IN_STEP : TOC_NEAR_AT_START;
    if (!is_answered(q, toc_scene_find_near(q->image->scene, &q->query, &near, NULL, &found))) return;
    begin_answer(q);
    for (size_t i = 0; i < found->count; i++) {
        const toc_near_pair *n = &found->pairs[i];
        const swarm_pair *p = take_pair(q, n->kind, n->body, n->v);
        const bool is_right = p && p->truth.touches && (near.time == TOC_NEAR_IN_STEP || p->truth.low <= 0);
        if (p && !is_right && (near.time == TOC_NEAR_IN_STEP || keeps_proportions(q)))
            fail_question(q, "near pair that is none", n->distance, p->truth.low);
    }
    for (uint32_t i = 0; i < q->scene->pair_count; i++) {
        const swarm_pair *p = &q->scene->pairs[i];
        if (touches(q, p) && !p->seen && (near.time == TOC_NEAR_IN_STEP || p->truth.high <= 0))
            fail_question(q, "near pair missed", near.time, p->truth.low);
    }
    toc_near_destroy(found);
}

// ---- all of them

void swarm_ask(swarm_scene *s, swarm_image *image) {
    static const struct {
        const char *name;
        void (*ask)(question *);
    } kinds[] = {{"contacts", ask_all},
                 {"contacts", ask_all},
                 {"contacts", ask_all},
                 {"first contact", ask_first},
                 {"first contact", ask_first},
                 {"region", ask_region},
                 {"candidates", ask_candidates},
                 {"touches", ask_touches},
                 {"safe step", ask_safe_step},
                 {"safe step", ask_safe_step},
                 {"room step", ask_room_step},
                 {"conflict", ask_conflict},
                 {"near", ask_near},
                 {"near", ask_near}};
    static const char *const presets[] = {"auto", "auto", "bvh", "voxel-safe", "volccd", "brute", "local"};
    trial_random *r = &s->random;
    const uint32_t kind = trial_below(r, sizeof kinds / sizeof *kinds);
    question q = {.scene = s, .image = image, .query = toc_query_default()};
    snprintf(q.name, sizeof q.name, "%s", kinds[kind].name);
    q.query.preset = presets[trial_below(r, sizeof presets / sizeof *presets)];
    q.query.threads = trial_chance(r, 0.95) ? 1 : 2 + (int)trial_below(r, 2);
    if (getenv("TOC_DEVICE")) q.query.device = TOC_DEVICE_GPU;
    q.query.test.method = trial_chance(r, 0.9) ? TOC_METHOD_CERTIFIED : TOC_METHOD_EXACT;
    s->filter = trial_chance(r, 0.25) ? 1 + trial_below(r, 1000) : 0;
    if (s->filter) q.query.filter = (toc_pair_filter){wants_pair, s};
    kinds[kind].ask(&q);
}
