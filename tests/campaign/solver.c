// SPDX-License-Identifier: Apache-2.0
// Steps that leave room, candidates, touches, conflicts and changes, each against exact arithmetic or against the
// scene's own questions.
#include "campaign/solver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static trial_random salted(const trial_question *q, uint64_t what) { return (trial_random){trial_hash(q->salt, what)}; }

// ---- settings of a question, from its salt

static toc_room room_of(const trial_question *q) {
    static const double shares[] = {0.2, 0.2, 0.5, 0.01, 0.999};
    trial_random r = salted(q, 1);
    toc_room room = toc_room_default();
    room.share = shares[trial_below(&r, 5)];
    room.most = q->thickness;
    return room;
}

static double slack_of(const trial_question *q) {
    static const double shares[] = {0, 0, 0.25, 1};
    trial_random r = salted(q, 2);
    return q->thickness * shares[trial_below(&r, 4)];
}

// The part of the step whose contacts are those before, for changes.
static double part_of(const trial_question *q) {
    trial_random r = salted(q, 3);
    return (double)trial_below(&r, 5) / 4;
}

static toc_level level_of(const trial_question *q) {
    trial_random r = salted(q, 4);
    return (toc_level)trial_below(&r, 3);
}

// ---- asking

static toc_status ask_touches(toc_scene *scene, const toc_query *query, check_answer *a) {
    toc_contacts *contacts;
    toc_status status = toc_scene_find_contacts(scene, query, NULL, &contacts);
    if (status != TOC_OK) return status;
    toc_touches *touches = calloc(contacts->count + 1, sizeof *touches);
    if (!touches) abort();
    status = toc_scene_find_touches(scene, query, contacts, touches);
    if (status == TOC_OK) {
        a->contacts = contacts;
        a->touches = touches;
        return status;
    }
    toc_contacts_destroy(contacts);
    free(touches);
    return status;
}

// Half of the questions go back in time: from all contacts to those of a part of the step, so that pairs end.
static bool goes_back(const trial_question *q) {
    trial_random r = salted(q, 5);
    return trial_chance(&r, 0.5);
}

static toc_status ask_touching(toc_scene *scene, const toc_query *query, const trial_question *q, check_answer *a,
                               bool is_part) {
    toc_query asked = *query;
    toc_contacts *contacts;
    if (is_part) asked.test.to = part_of(q);
    toc_status status = toc_scene_find_contacts(scene, &asked, NULL, &contacts);
    if (status != TOC_OK) return status;
    status = toc_scene_find_touching(scene, contacts, level_of(q), &a->touching[is_part == goes_back(q)]);
    if (is_part || status != TOC_OK)
        toc_contacts_destroy(contacts);
    else
        a->contacts = contacts;
    return status;
}

static toc_status ask_changes(toc_scene *scene, const toc_query *query, const trial_question *q, check_answer *a) {
    toc_status status = ask_touching(scene, query, q, a, true);
    if (status == TOC_OK) status = ask_touching(scene, query, q, a, false);
    if (status == TOC_OK) status = toc_touching_compare(a->touching[0], a->touching[1], &a->changes);
    if (status == TOC_OK) return status;
    toc_contacts_destroy(a->contacts);
    a->contacts = NULL;
    solver_free(a);
    return status;
}

static toc_status ask_probes(toc_scene *scene, const trial_question *q, const toc_query *query, const model *m,
                             check_answer *a) {
    double at[2 * CHECK_PROBES][3];
    const bool segments = q->ask == TRIAL_HITS;
    const toc_end end = q->end ? TOC_AT_END : TOC_AT_START;
    probe_points(m, q, at, (segments ? 2 : 1) * CHECK_PROBES);
    const toc_probe probe = {CHECK_PROBES, at[0], probe_reach(q), probe_mask(q)};
    if (segments) return toc_scene_find_hits(scene, query, end, &probe, a->hits);
    if (q->ask == TRIAL_CLOSEST) return toc_scene_find_closest(scene, query, end, &probe, a->closest);
    return toc_scene_find_containing(scene, query, end, &probe, a->inside);
}

toc_status solver_ask(check_state *s, toc_scene *scene, const trial_question *q, const toc_query *query,
                      check_answer *a) {
    const toc_room room = room_of(q);
    switch (q->ask) {
    case TRIAL_ROOM_STEP:
        return toc_scene_find_room_step(scene, query, &room, &a->room);
    case TRIAL_CANDIDATES:
        return toc_scene_find_candidates(scene, query, slack_of(q), q->thickness, &a->candidates);
    case TRIAL_TOUCHES:
        return ask_touches(scene, query, a);
    case TRIAL_CHANGES:
        return ask_changes(scene, query, q, a);
    case TRIAL_CONFLICT:
        return toc_scene_find_conflict(scene, query, &a->conflict);
    case TRIAL_CONTAINMENTS:
        return toc_scene_find_containments(scene, query, q->end ? TOC_AT_END : TOC_AT_START, &a->containments);
    default:
        return ask_probes(scene, q, query, s->model, a);
    }
}

bool solver_gave(const trial_question *q, const check_answer *a) {
    (void)q;
    return a->room.fraction != -1 || a->candidates || a->touches || a->containments || a->changes;
}

void solver_free(check_answer *a) {
    toc_candidates_destroy(a->candidates);
    free(a->touches);
    toc_containments_destroy(a->containments);
    for (int i = 0; i < 2; i++) toc_touching_destroy(a->touching[i]);
    toc_pair_changes_destroy(a->changes);
    a->candidates = NULL;
    a->touches = NULL;
    a->containments = NULL;
    a->touching[0] = a->touching[1] = NULL;
    a->changes = NULL;
}

// The elementary test of contacts on parabolas, and of thick features, is not that of every preset.
static bool needs_another_test(const model *m, const trial_question *q) {
    return !check_is_exact(q) && (model_is_curved(m) || check_keeps_distance(m, q));
}

int solver_is_refused(const model *m, const trial_question *q) {
    const bool curved = model_is_curved(m);
    switch (q->ask) {
    case TRIAL_ROOM_STEP:
        return curved ? -1 : 0;
    case TRIAL_CANDIDATES:
        return curved;
    case TRIAL_TOUCHES:
        if (curved && check_keeps_distance(m, q)) return -1; // where there is a contact
        return needs_another_test(m, q) ? -1 : 0;
    case TRIAL_CHANGES:
    case TRIAL_CONFLICT:
        return needs_another_test(m, q) ? -1 : 0;
    default:
        return 0;
    }
}

// ---- room

typedef struct room_check {
    check_state *state;
    const trial_question *question;
    const truth_list *list;
    const toc_room_step *got;
    long double share, least_most, most; // bounds of `most`: the default depends on the scene
    long double largest;
    bool tight; // some pair keeps so little that rounded positions decide
} room_check;

static long double kept_of(long double minimum, long double start, long double share, long double most) {
    if (!(start > minimum)) return start * (1 - 0x1p-10L);
    return minimum + fminl(share * (start - minimum), most);
}

static long double scene_diagonal(const model *m) {
    long double sum = 0;
    for (int k = 0; k < 3; k++) {
        long double low = INFINITY, high = -INFINITY;
        for (uint32_t b = 0; b < m->body_count; b++)
            for (uint32_t v = 0; v < m->bodies[b].vertex_count; v++) {
                low = fminl(low, fminl(m->bodies[b].x0[v][k], m->bodies[b].x1[v][k]));
                high = fmaxl(high, fmaxl(m->bodies[b].x0[v][k], m->bodies[b].x1[v][k]));
            }
        if (high > low) sum += (high - low) * (high - low);
    }
    return sqrtl(sum);
}

// Positions at the fraction, rounded as a caller rounds them.
static void place_until(const room_check *c, const truth_pair *p, double x0[4][3], double x1[4][3]) {
    truth_place(c->state->model, p, x0, x1);
    for (int j = 0; j < 4; j++) toc_positions_interpolate(c->got->fraction, 3, x0[j], x1[j], NULL, x1[j]);
}

// No contact on the way to the rounded positions; a pair that touches at the start leaves at once.
static void check_room_free(room_check *c, const truth_pair *p, long double start) {
    truth_motion motion = {.curved = false};
    double low, high;
    place_until(c, p, motion.at.x0, motion.at.x1);
    if (c->got->fraction > 0 && truth_first(p->kind, &motion, start > 0 ? 0 : 0x1p-40, 1, &low, &high))
        check_fail(c->state, "room not free", "%.17g, contact at %.17g of it, %Lg apart at the start", c->got->fraction,
                   low, start);
}

// The distance is kept at all times up to the fraction. Half of the distance at the start may be unknown.
static void check_room_pair(room_check *c, const truth_pair *p) {
    const long double slack = 0x1p-45L * c->largest + CHECK_SUBNORMAL, widest = p->limit + c->most;
    double x0[4][3], x1[4][3];
    long double low, high;
    place_until(c, p, x0, x1);
    truth_closest(p->kind, x0, x1, widest + slack, fmaxl(widest / 64, slack / 8), &low, &high);
    if (low > widest + slack) return;
    const long double start = truth_exact_distance(p->kind, x0, x0, 0);
    const long double kept = kept_of(p->limit, start / 2 * (1 - 1e-9L), c->share, c->least_most);
    if (kept < 0x1p-45L * c->largest + 2 * CHECK_SUBNORMAL) c->tight = true;
    if (high < kept - slack)
        check_fail(c->state, "room not kept", "%Lg apart on the way to %.17g, %Lg at the start, at least %Lg to keep",
                   high, c->got->fraction, start, kept);
    check_room_free(c, p, start);
}

static long double speed_of(double x0[4][3], double x1[4][3]) {
    long double most = 0;
    for (int i = 0; i < 4; i++) {
        long double sum = 0;
        for (int k = 0; k < 3; k++) {
            const long double way = (long double)x1[i][k] - x0[i][k];
            sum += way * way;
        }
        most = fmaxl(most, sqrtl(sum));
    }
    return 2 * most;
}

// The distance to keep is the one of the rule. A pair within its minimum distance keeps all but 2^-10 of its distance,
// and nearly all of it at half, a quarter ... of the minimum.
static void check_kept(room_check *c, const truth_pair *p) {
    const toc_room_step *got = c->got;
    const long double kept = kept_of(p->limit, got->start, c->share, c->most), slack = 1e-12L * kept + CHECK_SUBNORMAL;
    long double least = kept, most = kept;
    if (!(got->start > p->limit)) {
        long double floor = p->limit;
        while (floor > got->start) floor /= 2;
        least = fmaxl(kept, floor - 0x1p-40L * floor - 0x1p-45L * c->largest);
        most = got->start;
    }
    if (got->kept < least - slack || got->kept > most + slack)
        check_fail(c->state, "room kept", "%.17g told, %.20Lg to %.20Lg by the rule", got->kept, least, most);
}

// The pair that limits the step is near its distance at the fraction.
static void check_limiting_pair(room_check *c) {
    const toc_room_step *got = c->got;
    const truth_pair *p = truth_find(c->list, got->kind, got->body, got->v);
    double x0[4][3], x1[4][3];
    if (!p || !p->asked) {
        check_fail(c->state, "room pair", "bodies %u %u vertices %u %u %u %u", got->body[0], got->body[1], got->v[0],
                   got->v[1], got->v[2], got->v[3]);
        return;
    }
    truth_place(c->state->model, p, x0, x1);
    const long double start = truth_exact_distance(p->kind, x0, x0, 0);
    if (!(got->start <= start * (1 + 0x1p-50L) && got->start >= start / 2 * (1 - 1e-9L) - 0x1p-1074L))
        check_fail(c->state, "room start", "%.17g told, %.20Lg truly", got->start, start);
    if (c->least_most == c->most) check_kept(c, p);
    const long double then = truth_exact_distance(p->kind, x0, x1, got->fraction);
    const long double nearly = got->kept * (1 + 0x1p-45L) + 1.1e-9L * got->fraction * speed_of(x0, x1);
    if (!c->tight && got->fraction < 1 && then > nearly + CHECK_SUBNORMAL)
        check_fail(c->state, "room step short", "%.17g: %Lg apart, %g to keep", got->fraction, then, got->kept);
}

// On parabolas only samples are taken, in extended precision.
static void check_curved_room(room_check *c) {
    for (size_t i = 0; i < c->list->count; i++) {
        const truth_pair *p = &c->list->pairs[i];
        truth_motion motion;
        long double x[4][3];
        if (!p->asked) continue;
        truth_motion_of(c->state->model, p, &motion);
        truth_motion_at(&motion, 0, x);
        const long double start = truth_distance(p->kind, x);
        const long double kept = kept_of(p->limit, start / 2 * (1 - 1e-6L), c->share, c->least_most);
        for (int t = 1; t <= 8; t++) {
            truth_motion_at(&motion, c->got->fraction * (long double)t / 8, x);
            const long double d = truth_distance(p->kind, x);
            if (d < kept - 0x1p-44L * c->largest - CHECK_SUBNORMAL)
                check_fail(c->state, "room not kept", "%Lg apart on a parabola, %Lg at the start", d, start);
        }
    }
}

static void digest_room(check_state *s, const toc_room_step *r) {
    check_digest(s, &r->fraction, sizeof r->fraction);
    if (!r->limited) return;
    check_digest(s, r->v, sizeof r->v);
    check_digest(s, &r->start, sizeof r->start);
    check_digest(s, &r->kept, sizeof r->kept);
}

static void question_room(check_state *s, toc_scene *scene, const trial_question *q) {
    check_answer a;
    if (!check_ask(s, scene, q, &a)) return;
    const toc_room room = room_of(q);
    room_check c = {.state = s, .question = q, .got = &a.room, .list = check_truth(s, q, false, 0, 1)};
    digest_room(s, &a.room);
    c.share = room.share;
    c.most = room.most > 0 ? room.most : 0x1.01p-10L * scene_diagonal(s->model);
    c.least_most = room.most > 0 ? room.most : 0;
    c.largest = check_largest(s, c.list);
    if (!(a.room.fraction >= 0 && a.room.fraction <= 1)) check_fail(s, "room step", "fraction %g", a.room.fraction);
    if (!a.room.limited && a.room.fraction != 1 && !model_is_curved(s->model))
        check_fail(s, "room step", "%.17g, and no pair limits it", a.room.fraction);
    if (model_is_curved(s->model)) {
        check_curved_room(&c);
        return;
    }
    for (size_t i = 0; i < c.list->count && !s->report->failed; i++)
        if (c.list->pairs[i].asked) check_room_pair(&c, &c.list->pairs[i]);
    if (a.room.limited && !s->report->failed) check_limiting_pair(&c);
}

// ---- candidates

typedef struct candidate_check {
    check_state *state;
    toc_scene *scene;
    const trial_question *question;
    const toc_candidates *candidates;
    toc_query query; // of the questions about them
} candidate_check;

// Change the motion of the scene: each vertex goes from one place to another, as `place` says.
static void set_steps(candidate_check *c, int step) {
    const model *m = c->state->model;
    static double y[2][MODEL_VERTICES][3];
    trial_random r = salted(c->question, 10 + (uint64_t)step);
    const double slack = 0.9 * slack_of(c->question), parts[2] = {trial_between(&r, 0, 1), trial_between(&r, 0, 1)};
    for (uint32_t b = 0; b < m->body_count; b++) {
        const model_body *body = &m->bodies[b];
        for (uint32_t v = 0; v < body->vertex_count; v++)
            for (int end = 0; end < 2; end++) {
                // Step 0 is the step itself, 1 a shorter one, 2 any places within the slack of the paths.
                const double part = step == 0 ? end : step == 1 ? end * parts[0] : trial_between(&r, 0, 1) * parts[end];
                toc_positions_interpolate(part, 3, body->x0[v], body->x1[v], NULL, y[end][v]);
                if (step == 2) y[end][v][trial_below(&r, 3)] += slack * trial_between(&r, -1, 1);
            }
        if (!body->gone &&
            toc_mesh_set_motion(toc_scene_edit_mesh(c->scene, b), body->vertex_count, y[0][0], y[1][0]) != TOC_OK)
            check_fail(c->state, "status", "%s", toc_message_get());
    }
}

static bool is_good(candidate_check *c, const char *what, toc_status here, toc_status there) {
    if (here == TOC_OK && there == TOC_OK) return true;
    check_fail(c->state, "candidates status", "%s: %d of candidates, %d of the scene: %s", what, here, there,
               toc_message_get());
    return false;
}

static void compare_candidate_contacts(candidate_check *c, toc_answer answer) {
    toc_query query = c->query;
    toc_contacts *here = NULL, *there = NULL;
    query.answer = answer;
    query.candidates = c->candidates;
    const toc_status status = toc_scene_find_contacts(c->scene, &query, NULL, &here);
    query.candidates = NULL;
    if (is_good(c, "contacts", status, toc_scene_find_contacts(c->scene, &query, NULL, &there))) {
        if (here->count != there->count)
            check_fail(c->state, "candidates", "%zu contacts, the scene has %zu", here->count, there->count);
        for (size_t i = 0; i < here->count && i < there->count; i++)
            if (!check_same_contact(&here->contacts[i], &there->contacts[i]))
                check_fail(c->state, "candidates", "contact %zu of %zu is another", i, here->count);
    }
    toc_contacts_destroy(here);
    toc_contacts_destroy(there);
}

static bool is_same_near(const toc_near_pair *a, const toc_near_pair *b) {
    return a->kind == b->kind && memcmp(a->body, b->body, sizeof a->body) == 0 &&
           memcmp(a->v, b->v, sizeof a->v) == 0 && memcmp(&a->distance, &b->distance, sizeof a->distance) == 0 &&
           memcmp(a->weights, b->weights, sizeof a->weights) == 0 &&
           memcmp(a->points, b->points, sizeof a->points) == 0 && a->thickness == b->thickness;
}

static void compare_candidate_near(candidate_check *c) {
    toc_near_query near = toc_near_query_default();
    toc_query query = c->query;
    toc_near *here = NULL, *there = NULL;
    near.time = c->question->end ? TOC_NEAR_AT_END : TOC_NEAR_AT_START;
    near.distance = c->question->thickness;
    query.candidates = c->candidates;
    const toc_status status = toc_scene_find_near(c->scene, &query, &near, NULL, &here);
    if (is_good(c, "near", status, toc_scene_find_near(c->scene, &c->query, &near, NULL, &there))) {
        if (here->count != there->count)
            check_fail(c->state, "candidates near", "%zu pairs, the scene has %zu", here->count, there->count);
        for (size_t i = 0; i < here->count && i < there->count; i++)
            if (!is_same_near(&here->pairs[i], &there->pairs[i]))
                check_fail(c->state, "candidates near", "pair %zu of %zu is another", i, here->count);
    }
    toc_near_destroy(here);
    toc_near_destroy(there);
}

static void compare_candidate_room(candidate_check *c) {
    const toc_room room = room_of(c->question);
    toc_query query = c->query;
    toc_room_step here = {.fraction = -1}, there = {.fraction = -1};
    query.test.separation = 0;
    if (!(room.most > 0)) return; // the default may reach farther than the candidates
    query.candidates = c->candidates;
    const toc_status status = toc_scene_find_room_step(c->scene, &query, &room, &here);
    query.candidates = NULL;
    if (!is_good(c, "room", status, toc_scene_find_room_step(c->scene, &query, &room, &there))) return;
    bool same = here.limited == there.limited && here.fraction == there.fraction;
    if (same && here.limited)
        same = here.kind == there.kind && memcmp(here.v, there.v, sizeof here.v) == 0 &&
               memcmp(here.body, there.body, sizeof here.body) == 0 && here.start == there.start &&
               here.kept == there.kept;
    if (!same) check_fail(c->state, "candidates room", "%.17g, the scene says %.17g", here.fraction, there.fraction);
}

static bool has_features(const model *m) {
    for (uint32_t b = 0; b < m->body_count; b++)
        for (uint32_t e = 0; !m->bodies[b].gone && e < m->bodies[b].element_count; e++)
            if (m->bodies[b].elements[e].shape != TOC_REMOVED) return true;
    return false;
}

// Far from all paths: stale.
static void leave_paths(candidate_check *c, double away) {
    const model *m = c->state->model;
    static double y[MODEL_VERTICES][3];
    toc_contacts *contacts = NULL;
    for (uint32_t b = 0; b < m->body_count; b++) {
        const model_body *body = &m->bodies[b];
        for (uint32_t v = 0; v < body->vertex_count; v++)
            for (int k = 0; k < 3; k++) y[v][k] = body->x1[v][k] + away;
        if (!body->gone) toc_mesh_set_motion(toc_scene_edit_mesh(c->scene, b), body->vertex_count, body->x0[0], y[0]);
    }
    toc_query query = c->query;
    query.candidates = c->candidates;
    const toc_status status = toc_scene_find_contacts(c->scene, &query, NULL, &contacts);
    if (status != TOC_STALE && has_features(m))
        check_fail(c->state, "candidates not stale", "status %d after a move by %g", status, away);
    toc_contacts_destroy(contacts);
}

static void restore_step(candidate_check *c) {
    const model *m = c->state->model;
    for (uint32_t b = 0; b < m->body_count; b++)
        if (!m->bodies[b].gone)
            toc_mesh_set_motion(toc_scene_edit_mesh(c->scene, b), m->bodies[b].vertex_count, m->bodies[b].x0[0],
                                m->bodies[b].x1[0]);
}

static double far_away(const candidate_check *c) {
    const model *m = c->state->model;
    double most = slack_of(c->question);
    for (uint32_t b = 0; b < m->body_count; b++)
        for (uint32_t i = 0; i < 3 * m->bodies[b].vertex_count; i++)
            most = fmax(most, fmax(fabs(m->bodies[b].x0[i / 3][i % 3]), fabs(m->bodies[b].x1[i / 3][i % 3])));
    return most > 0 ? 8 * most : 1;
}

// The scene's own questions are held to the truth elsewhere; candidates must answer as they do, bit for bit.
static void question_candidates(check_state *s, toc_scene *scene, const trial_question *q) {
    check_answer a;
    if (!check_ask(s, scene, q, &a)) return;
    candidate_check c = {.state = s, .scene = scene, .question = q, .candidates = a.candidates};
    c.query = check_query(s, q);
    if (c.query.test.separation > q->thickness) c.query.test.separation = 0;
    c.query.test.from = 0, c.query.test.to = 1;
    for (int step = 0; step < 3 && !s->report->failed; step++) {
        set_steps(&c, step);
        if (check_is_exact(q)) compare_candidate_contacts(&c, step == 1 ? TOC_ANSWER_FIRST : TOC_ANSWER_ALL);
        compare_candidate_near(&c);
        compare_candidate_room(&c);
    }
    leave_paths(&c, far_away(&c));
    restore_step(&c);
    check_free(&a);
}

// ---- touches

typedef struct touch_check {
    check_state *state;
    const truth_pair *pair;
    truth_motion motion;
    const toc_touches *got;
    char text[64];
} touch_check;

static bool touches_then(touch_check *c, double time) {
    if (c->motion.curved) return truth_is_within_on_parabolas(c->pair->kind, &c->motion.at, time, c->pair->limit);
    return truth_is_within_then(c->pair->kind, c->motion.at.x0, c->motion.at.x1, time, c->pair->limit);
}

static void check_then(touch_check *c, double time, bool wanted) {
    if (!(time >= 0 && time <= 1) || touches_then(c, time) == wanted) return;
    check_fail(c->state, "touches", "%s: %s at %.17g", c->text, wanted ? "apart" : "in contact", time);
}

// No contact in [from, to], the ends included. Within a distance five times are looked at, none beyond the end by
// rounding.
static void check_between(touch_check *c, double from, double to) {
    double low, high;
    if (!(from <= to) || from < 0 || to > 1) return;
    if (c->pair->limit > 0)
        for (int i = 0; i <= 4; i++) check_then(c, fmin(to, from + (to - from) * i / 4), false);
    else if (truth_first(c->pair->kind, &c->motion, from, to, &low, &high))
        check_fail(c->state, "touch missed", "%s: contact at %.17g", c->text, low);
}

static void check_touch(touch_check *c, const toc_touch *t) {
    const double in = nextafter(t->enter, 2), out = nextafter(t->leave, -1);
    if (!(0 <= t->enter && t->enter <= t->leave && t->leave <= 1))
        check_fail(c->state, "touches", "%s: from %.17g to %.17g", c->text, t->enter, t->leave);
    if (t->is_instant) {
        if (t->leave > in)
            check_fail(c->state, "touches", "%s: an instant from %.17g to %.17g", c->text, t->enter, t->leave);
        return;
    }
    if (in > out) return;
    check_then(c, in, true);
    check_then(c, out, true);
    check_then(c, in + (out - in) * 0.375, true);
}

// Touches that doubles cannot tell apart are not looked between.
static void check_touches(touch_check *c, const toc_contact *contact) {
    const toc_touches *got = c->got;
    // Within a distance on parabolas a contact may be undecided, and is then none, or earlier than the truth.
    const bool decided = contact->verdict != TOC_UNDECIDED;
    if (got->count == 0 && !decided) {
        check_between(c, 0, 1);
        return;
    }
    if (got->count == 0) {
        check_fail(c->state, "touches", "%s: none, contact at %.17g", c->text, contact->toc);
        return;
    }
    const double first = got->at[0].enter;
    if (contact->toc > nextafter(first, 2) || (decided && contact->toc < first * (1 - 1.1e-9)))
        check_fail(c->state, "touches", "%s: contact at %.17g, first touch %.17g", c->text, contact->toc, first);
    check_between(c, 0, nextafter(first, -1));
    for (size_t i = 0; i < got->count; i++) {
        check_touch(c, &got->at[i]);
        const double next = i + 1 < got->count ? nextafter(got->at[i + 1].enter, -1) : 1;
        if (i + 1 < got->count && got->at[i + 1].enter < got->at[i].enter)
            check_fail(c->state, "touches", "%s: touch %zu is before the one before it", c->text, i + 1);
        check_between(c, nextafter(got->at[i].leave, 2), next);
    }
    // A touch is real: the first contact from just before it is there.
    for (size_t i = 0; i < got->count && c->pair->limit == 0; i++) {
        double low, high;
        if (!truth_first(c->pair->kind, &c->motion, got->at[i].enter, fmin(1, nextafter(got->at[i].leave, 2)), &low,
                         &high))
            check_fail(c->state, "touch invented", "%s: %.17g to %.17g", c->text, got->at[i].enter, got->at[i].leave);
    }
}

enum { MOST_TOUCHES_CHECKED = 12 };

static void question_touches(check_state *s, toc_scene *scene, const trial_question *q) {
    check_answer a;
    if (!check_ask(s, scene, q, &a)) return;
    const truth_list *list = check_truth(s, q, false, 0, 1);
    const size_t stride = a.contacts->count / MOST_TOUCHES_CHECKED + 1;
    trial_random r = salted(q, 20);
    for (size_t i = 0; i < a.contacts->count; i++) {
        check_digest(s, &a.touches[i].count, sizeof a.touches[i].count);
        for (size_t k = 0; k < a.touches[i].count; k++) {
            check_digest(s, &a.touches[i].at[k].enter, sizeof(double));
            check_digest(s, &a.touches[i].at[k].leave, sizeof(double));
        }
    }
    // Methods that are not exact report contacts early, and some that are none.
    for (size_t i = trial_below(&r, (uint32_t)stride); check_is_exact(q) && i < a.contacts->count && !s->report->failed;
         i += stride) {
        const toc_contact *contact = &a.contacts->contacts[i];
        touch_check c = {.state = s, .got = &a.touches[i]};
        c.pair = truth_find(list, contact->kind, contact->body, contact->v);
        snprintf(c.text, sizeof c.text, "%s %u %u: %u %u %u %u", contact->kind == TOC_VF ? "VF" : "EE",
                 contact->body[0], contact->body[1], contact->v[0], contact->v[1], contact->v[2], contact->v[3]);
        if (!c.pair) continue; // a failure of all contacts
        truth_motion_of(s->model, c.pair, &c.motion);
        check_touches(&c, contact);
        s->report->counts.exact++;
    }
    check_free(&a);
}

// ---- conflicts

static bool some_contact(const truth_list *list, const uint32_t body[2], bool any) {
    for (size_t i = 0; i < list->count; i++) {
        const truth_pair *p = &list->pairs[i];
        const bool same =
            (p->a->body == body[0] && p->b->body == body[1]) || (p->a->body == body[1] && p->b->body == body[0]);
        if (p->touches && p->asked && (any || same)) return true;
    }
    return false;
}

// Contacts are decided by rational numbers; containments and overlaps have questions of their own, which are.
static void question_conflict(check_state *s, toc_scene *scene, const trial_question *q) {
    check_answer a;
    if (!check_ask(s, scene, q, &a)) return;
    const toc_conflict *got = &a.conflict;
    check_digest(s, &got->kind, sizeof got->kind);
    if (!check_is_exact(q) || check_keeps_distance(s->model, q)) return;
    const truth_list *list = check_truth(s, q, true, 0, 1);
    const bool touches = some_contact(list, got->body, true);
    if (touches != (got->kind == TOC_CONFLICT_CONTACT) || (touches && !some_contact(list, got->body, false)))
        check_fail(s, "conflict", "kind %d, bodies %u %u, contact %d", (int)got->kind, got->body[0], got->body[1],
                   touches);
    if (touches || s->report->failed) return;
    const toc_query query = check_query(s, q);
    toc_containments *inside = NULL;
    toc_overlaps *overlaps = NULL;
    if (toc_scene_find_containments(scene, &query, TOC_AT_START, &inside) != TOC_OK ||
        toc_scene_find_overlaps(scene, &query, TOC_AT_START, NULL, &overlaps) != TOC_OK) {
        check_fail(s, "status", "%s", toc_message_get());
    } else {
        const toc_conflict_kind wanted = inside->count     ? TOC_CONFLICT_CONTAINMENT
                                         : overlaps->count ? TOC_CONFLICT_OVERLAP
                                                           : TOC_CONFLICT_NONE;
        if (got->kind != wanted) check_fail(s, "conflict", "kind %d, not %d", (int)got->kind, (int)wanted);
    }
    toc_containments_destroy(inside);
    toc_overlaps_destroy(overlaps);
}

// ---- changes

typedef struct touching_list {
    size_t count, capacity;
    toc_touching_pair *at;
} touching_list;

static bool is_same_touching(const toc_touching_pair *a, const toc_touching_pair *b) {
    return a->kind == b->kind && memcmp(a->body, b->body, sizeof a->body) == 0 &&
           memcmp(a->group, b->group, sizeof a->group) == 0 && memcmp(a->v, b->v, sizeof a->v) == 0;
}

static void put_touching(touching_list *list, const toc_touching_pair *pair) {
    for (size_t i = 0; i < list->count; i++)
        if (is_same_touching(&list->at[i], pair)) {
            if (pair->toc < list->at[i].toc) list->at[i].toc = pair->toc;
            return;
        }
    if (list->count == list->capacity) {
        list->capacity = 2 * list->capacity + 16;
        list->at = realloc(list->at, list->capacity * sizeof *list->at);
        if (!list->at) abort();
    }
    list->at[list->count++] = *pair;
}

// The pair of two groups, or of two bodies with groups of 0.
static toc_touching_pair touching_of(const toc_contact *c, int32_t a, int32_t b) {
    const bool turned = c->body[0] > c->body[1] || (c->body[0] == c->body[1] && a > b);
    toc_touching_pair pair;
    memset(&pair, 0, sizeof pair);
    pair.body[turned] = c->body[0], pair.body[!turned] = c->body[1];
    pair.group[turned] = a, pair.group[!turned] = b;
    pair.toc = c->toc;
    return pair;
}

static void put_contact(const check_state *s, const truth_list *all, toc_level level, const toc_contact *c,
                        touching_list *list) {
    toc_touching_pair pair = touching_of(c, 0, 0);
    if (level == TOC_LEVEL_FEATURES) {
        pair.kind = c->kind;
        memcpy(pair.body, c->body, sizeof pair.body);
        memcpy(pair.v, c->v, sizeof pair.v);
    }
    if (level != TOC_LEVEL_GROUPS) {
        put_touching(list, &pair);
        return;
    }
    const truth_pair *p = truth_find(all, c->kind, c->body, c->v);
    if (!p) return; // a failure of all contacts
    const bool turned = p->a->body != c->body[0];
    const model_feature *a = turned ? p->b : p->a, *b = turned ? p->a : p->b;
    for (uint32_t i = 0; i < a->around_count; i++)
        for (uint32_t j = 0; j < b->around_count; j++) {
            pair = touching_of(c, s->model->bodies[a->body].elements[a->around[i]].group,
                               s->model->bodies[b->body].elements[b->around[j]].group);
            put_touching(list, &pair);
        }
}

static int order_touching(const toc_touching_pair *a, const toc_touching_pair *b) {
    if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
    for (int i = 0; i < 2; i++)
        if (a->body[i] != b->body[i]) return a->body[i] < b->body[i] ? -1 : 1;
    for (int i = 0; i < 2; i++)
        if (a->group[i] != b->group[i]) return a->group[i] < b->group[i] ? -1 : 1;
    for (int i = 0; i < 4; i++)
        if (a->v[i] != b->v[i]) return a->v[i] < b->v[i] ? -1 : 1;
    return 0;
}

static const toc_touching_pair *find_touching(const toc_touching_pair *at, size_t count, const toc_touching_pair *p) {
    for (size_t i = 0; i < count; i++)
        if (is_same_touching(&at[i], p)) return &at[i];
    return NULL;
}

static void compare_touching(check_state *s, const toc_touching *got, const touching_list *wanted) {
    if (got->count != wanted->count) check_fail(s, "touching", "%zu pairs told, %zu truly", got->count, wanted->count);
    for (size_t i = 0; i < got->count; i++) {
        const toc_touching_pair *p = find_touching(wanted->at, wanted->count, &got->pairs[i]);
        if (!p || p->toc != got->pairs[i].toc) check_fail(s, "touching", "pair %zu at %.17g", i, got->pairs[i].toc);
        if (i && order_touching(&got->pairs[i - 1], &got->pairs[i]) >= 0)
            check_fail(s, "touching order", "pair %zu", i);
    }
}

// Each pair of both lists once: began, persists or ended.
static void compare_changes(check_state *s, const check_answer *a) {
    const toc_touching *before = a->touching[0], *after = a->touching[1];
    size_t counts[3] = {0};
    for (size_t i = 0; i < a->changes->count; i++) {
        const toc_pair_change *c = &a->changes->changes[i];
        const toc_touching_pair *was = find_touching(before->pairs, before->count, &c->pair);
        const toc_touching_pair *is = find_touching(after->pairs, after->count, &c->pair);
        const toc_change_kind wanted = !was ? TOC_CHANGE_BEGAN : is ? TOC_CHANGE_PERSISTS : TOC_CHANGE_ENDED;
        if ((!was && !is) || c->kind != wanted || c->pair.toc != (is ? is->toc : was->toc))
            check_fail(s, "changes", "change %zu is %d, not %d", i, (int)c->kind, (int)wanted);
        if (i && order_touching(&a->changes->changes[i - 1].pair, &c->pair) >= 0)
            check_fail(s, "changes order", "change %zu", i);
        counts[wanted]++;
    }
    if (memcmp(counts, a->changes->counts, sizeof counts) != 0 || counts[0] + counts[1] != after->count ||
        counts[1] + counts[2] != before->count)
        check_fail(s, "changes", "%zu began, %zu persist, %zu ended", counts[0], counts[1], counts[2]);
}

static void question_changes(check_state *s, toc_scene *scene, const trial_question *q) {
    check_answer a;
    touching_list wanted = {0};
    if (!check_ask(s, scene, q, &a)) return;
    const truth_list *list = check_truth(s, q, false, 0, 1);
    for (size_t i = 0; i < a.contacts->count; i++) put_contact(s, list, level_of(q), &a.contacts->contacts[i], &wanted);
    compare_touching(s, a.touching[!goes_back(q)], &wanted);
    compare_changes(s, &a);
    free(wanted.at);
    check_free(&a);
}

// ---- all of it

void solver_question(check_state *s, toc_scene *scene, const trial_question *q) {
    if (q->ask == TRIAL_ROOM_STEP)
        question_room(s, scene, q);
    else if (q->ask == TRIAL_CANDIDATES)
        question_candidates(s, scene, q);
    else if (q->ask == TRIAL_TOUCHES)
        question_touches(s, scene, q);
    else if (q->ask <= TRIAL_CONTAINMENTS)
        probe_question(s, scene, q);
    else if (q->ask == TRIAL_CONFLICT)
        question_conflict(s, scene, q);
    else
        question_changes(s, scene, q);
}
