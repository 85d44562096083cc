// SPDX-License-Identifier: Apache-2.0
// The step that leaves room: every pair of features keeps some of its distance.
//
// A pair that falls below its distance L comes within L: the exact test with the separation L gives the first time,
// never late. L is below the distance at the start, so that this time is above 0. L is never more than the minimum
// distance and `most`, hence one search for the pairs within that distance finds all pairs that count
// (docs/guarantees.md, G16). O(n log n) and the pairs close by.

#include "ask/room.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "ask/candidates.h"
#include "ask/closest_approach.h"
#include "ask/query.h"
#include "base/arithmetic.h"
#include "base/settings.h"
#include "base/threads.h"
#include "convex/convex.h"
#include "pair/gap.h"
#include "pair/pair.h"
#include "pair/touches.h"
#include "scene/thickness.h"
#include "search/contacts.h"
#include "search/order.h"
#include "search/search.h"
#include "toccata/research.h"

enum {
    PAIRS_A_ROUND = 64,
    SHARPENED_MOST = 64 // pairs whose time is made exact on parabolas
};

// A pair within its minimum distance loses no more than this share of its distance in a step.
static const double CLOSE_LOSS = 0x1p-10;
// A pair at a distance that no number of steps may wear down loses no more than this share, or some roundings.
static const double FLOOR_LOSS = 0x1p-40;

// ---- settings

static toc_room make_default_room(void) { return (toc_room){.share = 0.2}; }

toc_status toc_room_begin(void *room, size_t size) {
    const toc_room defaults = make_default_room();
    return toc_settings_init(&(toc_settings){"toc_room_init", sizeof defaults, sizeof defaults, &defaults}, room, size);
}

static toc_status take_room(const toc_room *given, toc_room *room) {
    toc_room defaults = make_default_room();
    defaults.size = sizeof defaults;
    const toc_settings settings = {"toc_room_init", sizeof *room, sizeof *room, &defaults};
    TOC_TRY(toc_settings_take(&settings, given ? given : &defaults, room));
    if (!(room->share > 0 && room->share < 1))
        return toc_fail(TOC_BAD_INPUT, "the share of the distance to keep is %g; it must be above 0 and below 1",
                        room->share);
    if (!(room->most >= 0 && isfinite(room->most)))
        return toc_fail(TOC_BAD_INPUT, "the gap to keep is %g; it must be a number that is not negative", room->most);
    return TOC_OK;
}

// Copy a caller's settings and check them; a NULL room has the defaults. The query asks for all pairs by exact tests,
// with the minimum distance as its separation.
static toc_status take_room_query(const toc_query *query, const toc_room *room, toc_query *settings,
                                  const toc_preset **preset, toc_room *asked) {
    TOC_TRY(toc_query_take_listed(query, settings, preset));
    TOC_TRY(take_room(room, asked));
    toc_pair_test test = toc_pair_test_default();
    test.separation = settings->test.separation;
    settings->test = test;
    settings->answer = TOC_ANSWER_ALL;
    settings->sink = (toc_contact_sink){.take = NULL};
    return toc_pair_test_check(&settings->test);
}

// Half of the diagonal of the scene, all of its worlds included.
static double diagonal_of_scene(const toc_scene *scene) {
    const toc_box box = toc_scene_bounds(scene);
    if (box.low[0] > box.high[0]) return 0;
    const double *low = box.low, *high = box.high;
    const toc_vec half = {high[0] / 2 - low[0] / 2, high[1] / 2 - low[1] / 2, high[2] / 2 - low[2] / 2};
    return toc_vec_length(half);
}

// Distances that pairs keep.
typedef struct room_limits {
    double minimum; // distance, without the thickness of the features
    double share, most;
    bool thin; // whether all features are
} room_limits;

static room_limits limits_of_request(const toc_request *request, const toc_room *room) {
    const toc_scene *scene = request->scene;
    const toc_query *query = &request->query;
    return (room_limits){.minimum = query->test.separation,
                         .share = room->share,
                         .most = room->most > 0 ? room->most : 0x1p-9 * diagonal_of_scene(scene),
                         .thin = toc_thickness_most(scene, query) == 0};
}

// ---- one pair

// A pair of features, by its vertices as the step numbers them.
typedef struct room_pair {
    toc_kind kind;
    uint32_t v[4];
} room_pair;

// The time at which a pair limits the step; 2 for none.
typedef struct room_time {
    double time, start, kept;
    bool early; // floating point gave the time of parabolas: the pair may limit the step later
} room_time;

// Whether rounded positions of a pair may touch: not, because of a small distance to keep, or because it touches at the
// start.
typedef enum room_grip { GRIP_LOOSE, GRIP_TIGHT, GRIP_TOUCHING } room_grip;

// A pair with its limit.
typedef struct room_limit {
    room_pair pair;
    room_time at;
} room_limit;

// The state of a search, which takes pairs in portions. Its answer depends neither on the portions nor on their order.
typedef struct room_search {
    const toc_scene *scene;
    const room_limits *limits;
    int threads;
    toc_arena *scratch;          // by thread
    double rounding;             // pairs that keep more than this cannot touch when positions are rounded
    size_t count;                // pairs of the portion at hand
    const toc_contact *contacts; // by pair
    room_limit *found;           // by pair
    size_t first_count, first_most;
    room_limit first[SHARPENED_MOST + 1]; // the earliest limits of all portions; they can decide the step
    TOC_ARRAY(room_limit) tight;          // pairs of all portions that may touch when positions are rounded
    bool streams;                         // portions come through the sink
    toc_status status;                    // of the last one
} room_search;

static void take_positions(const double *from, const uint32_t v[4], double to[4][3]) {
    for (int i = 0; i < 4; i++) memcpy(to[i], from + 3 * (size_t)v[i], sizeof to[i]);
}

// The gap along an axis of the pair, less its rounding, over the length of the axis: a lower bound of the distance.
static double axis_bound(toc_kind kind, const toc_local_pair *local, toc_vec axis) {
    const double gap = toc_gap_least(kind, local, axis);
    if (!(gap > 0)) return 0;
    // The quotient is off by less than 8 roundings. A subnormal result is rounded once more.
    const double bound = ldexp(gap / toc_vec_length(axis) * (1 - 0x1p-48), local->exponent);
    return bound < DBL_MIN ? toc_larger(0, bound - 0x1p-1074) : toc_smaller(bound, DBL_MAX);
}

static toc_status starts_within(toc_kind kind, const double x[4][3], double distance, toc_arena *scratch,
                                bool *within) {
    toc_pair_test test = toc_pair_test_default();
    toc_hit hit;
    test.separation = distance;
    test.to = 0;
    TOC_TRY(toc_pair_find_unchecked(kind, x, x, &test, scratch, &hit));
    *within = hit.verdict != TOC_APART;
    return TOC_OK;
}

// The largest power of two that the pair is farther apart than; 0 below 2^-1074. A dozen exact tests.
static toc_status power_below(toc_kind kind, const double x[4][3], double guess, toc_arena *scratch, double *out) {
    int low = -1075, high = guess > 0 ? ilogb(guess) + 2 : -1073;
    high = high > 1023 ? 1023 : high;
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        bool within;
        TOC_TRY(starts_within(kind, x, ldexp(1, middle), scratch, &within));
        *(within ? &high : &low) = middle;
    }
    *out = low < -1074 ? 0 : ldexp(1, low);
    return TOC_OK;
}

// A lower bound of the distance at the start: by an axis, unless that loses half of it.
static toc_status start_distance(toc_kind kind, const double x[4][3], toc_arena *scratch, double *out) {
    toc_vec at[4];
    for (int i = 0; i < 4; i++) at[i] = toc_vec_of(x[i]);
    const toc_local_pair local = toc_local_pair_of(at);
    const toc_closest closest = toc_closest_local(kind, &local);
    const double distance = toc_smaller(ldexp(closest.distance, local.exponent), DBL_MAX);
    *out = axis_bound(kind, &local, toc_gap_axis(kind, local.x, &closest));
    return *out > 0 && *out >= distance / 2 ? TOC_OK : power_below(kind, x, distance, scratch, out);
}

// Of a pair within its minimum distance. A loss of a share in each step has no end: a pair that is pushed at its
// minimum distance falls below it by a rounding, and then on. So half, a quarter ... of the minimum are floors: a pair
// keeps a share of its gap to the floor below it, and at a floor all but roundings.
static double keep_within_minimum(const room_search *s, double least, double start) {
    double floor = least;
    while (floor > 0 && !(start > floor * (1 - CLOSE_LOSS))) floor /= 2;
    const double low = start * (1 - CLOSE_LOSS);
    if (start > floor)
        return toc_smaller(toc_larger(low, floor + s->limits->share * (start - floor)), start * (1 - 0x1p-50));
    return toc_larger(low, start - toc_larger(FLOOR_LOSS * start, 4 * s->rounding));
}

static double distance_to_keep(const room_search *s, const room_pair *pair, double start) {
    const room_limits *limits = s->limits;
    double least = limits->minimum;
    if (!limits->thin) least = toc_thickness_add(least, toc_thickness_of_pair(s->scene, pair->kind, pair->v));
    if (!(start > least)) return keep_within_minimum(s, least, start);
    return toc_smaller(least + toc_smaller(limits->share * (start - least), limits->most), start * (1 - 0x1p-50));
}

static toc_quadratic_pair path_of_pair(const toc_step *step, const room_pair *pair) {
    toc_quadratic_pair path;
    take_positions(step->x0, pair->v, path.x0);
    take_positions(step->x1, pair->v, path.x1);
    take_positions(step->control ? step->control : step->x0, pair->v, path.control);
    return path;
}

static toc_course course_of_path(const toc_step *step, const toc_quadratic_pair *path) {
    return (toc_course){
        .count = 4, .x0 = path->x0[0], .control = step->control ? path->control[0] : NULL, .x1 = path->x1[0]};
}

// When the pair comes within a distance; never late. 2 if it does not.
static toc_status time_within(const room_search *s, const room_pair *pair, double distance, toc_arena *scratch,
                              double *time) {
    const toc_step *step = &s->scene->step;
    const toc_quadratic_pair path = path_of_pair(step, pair), *moving = &path;
    toc_pair_test test = toc_pair_test_default();
    toc_hit hit;
    test.separation = distance;
    TOC_TRY(step->control ? toc_quadratic_find_unchecked(pair->kind, moving, &test, scratch, &hit)
                          : toc_pair_find_unchecked(pair->kind, moving->x0, moving->x1, &test, scratch, &hit));
    *time = hit.verdict == TOC_APART ? 2 : hit.toc;
    return TOC_OK;
}

// When a pair that touches at the start touches again after it has left at once: half of that time. 2 if it never
// does, 0 if it does not leave.
static toc_status time_of_return(toc_kind kind, const toc_course *course, toc_arena *scratch, double *time) {
    toc_touches touches;
    TOC_TRY(toc_touches_find(kind, course, 0, scratch, &touches));
    assert(touches.count == 0 || (touches.at[0].enter >= 0 && touches.at[0].enter <= 1));
    const bool leaves = touches.count > 0 && touches.at[0].is_instant && touches.at[0].leave == 0;
    const size_t next = leaves ? 1 : 0;
    *time = next < touches.count ? touches.at[next].enter / 2 : 2;
    return TOC_OK;
}

static toc_status limit_of_touching(const room_search *s, const room_pair *pair, toc_arena *scratch, double *time) {
    const toc_quadratic_pair path = path_of_pair(&s->scene->step, pair);
    const toc_course course = course_of_path(&s->scene->step, &path);
    return time_of_return(pair->kind, &course, scratch, time);
}

static toc_status limit_of_pair(const room_search *s, const room_pair *pair, toc_arena *scratch, room_time *out) {
    double x[4][3];
    take_positions(s->scene->step.x0, pair->v, x);
    const double(*at)[3] = (const double(*)[3])x;
    TOC_TRY(start_distance(pair->kind, at, scratch, &out->start));
    out->kept = distance_to_keep(s, pair, out->start);
    out->early = s->scene->step.control && out->kept > 0;
    return out->kept > 0 ? time_within(s, pair, out->kept, scratch, &out->time)
                         : limit_of_touching(s, pair, scratch, &out->time);
}

// ---- the earliest limits

// The ids of a pair as a contact has them; the rest is 0.
static toc_contact contact_of_pair(const toc_step *step, const room_pair *pair) {
    const int second = pair->kind == TOC_VF ? 1 : 2;
    toc_contact contact = {.kind = pair->kind};
    contact.body[0] = toc_step_body(step, pair->v[0]);
    contact.body[1] = toc_step_body(step, pair->v[second]);
    for (int i = 0; i < 4; i++) contact.v[i] = pair->v[i] - step->body_first[contact.body[i >= second]];
    return contact;
}

// By time, then in the order of contacts.
static bool limits_before(const toc_step *step, const room_limit *a, const room_limit *b) {
    if (a->at.time != b->at.time) return a->at.time < b->at.time;
    const toc_contact x = contact_of_pair(step, &a->pair), y = contact_of_pair(step, &b->pair);
    return toc_contact_compare(&x, &y) < 0;
}

// Put a limit to its place among the earliest ones, and drop the last of them where there is no room.
static void insert_limit(room_search *s, const room_limit *limit) {
    const toc_step *step = &s->scene->step;
    size_t at = s->first_count;
    while (at > 0 && limits_before(step, limit, &s->first[at - 1])) at--;
    if (at == s->first_most) return;
    if (s->first_count < s->first_most) s->first_count++;
    memmove(&s->first[at + 1], &s->first[at], (s->first_count - 1 - at) * sizeof *s->first);
    s->first[at] = *limit;
}

// On parabolas floating point gives a time that is not late, but may be early. Exact roots, which take milliseconds,
// give that of the earliest pair, until no other is earlier. Each try reaches at most one more pair in the order of the
// first times: the SHARPENED_MOST + 1 first ones are enough.
static toc_status sharpen_limits(room_search *s) {
    for (int tries = 0; tries < SHARPENED_MOST && s->first_count > 0 && s->first[0].at.early; tries++) {
        room_limit limit = s->first[0];
        const toc_quadratic_pair path = path_of_pair(&s->scene->step, &limit.pair);
        const toc_course course = course_of_path(&s->scene->step, &path);
        toc_touches touches;
        TOC_TRY(toc_touches_find(limit.pair.kind, &course, limit.at.kept, &s->scratch[0], &touches));
        limit.at.time = touches.count ? touches.at[0].enter : 2;
        limit.at.early = false;
        s->first_count--;
        memmove(&s->first[0], &s->first[1], s->first_count * sizeof *s->first);
        if (limit.at.time <= 1) insert_limit(s, &limit);
    }
    return TOC_OK;
}

static void name_pair(const toc_step *step, const room_limit *limit, toc_room_step *out) {
    const toc_contact contact = contact_of_pair(step, &limit->pair);
    out->limited = true;
    out->kind = contact.kind;
    memcpy(out->body, contact.body, sizeof out->body);
    memcpy(out->v, contact.v, sizeof out->v);
    out->start = limit->at.start;
    out->kept = limit->at.kept;
}

// ---- rounded positions

static room_grip grip_of_limit(const room_search *s, const room_limit *limit) {
    const double kept = limit->at.kept;
    return kept >= s->rounding ? GRIP_LOOSE : kept > 0 ? GRIP_TIGHT : GRIP_TOUCHING;
}

// Whether a pair that keeps less than rounding can take has a contact on the way to the rounded positions.
static toc_status touches_when_rounded(const room_search *s, const room_limit *limit, double fraction, bool *touches) {
    const room_pair *pair = &limit->pair;
    toc_arena *scratch = &s->scratch[0];
    const toc_step *step = &s->scene->step;
    const toc_pair_test test = toc_pair_test_default();
    toc_pair path;
    toc_hit hit;
    take_positions(step->x0, pair->v, path.x0);
    take_positions(step->x1, pair->v, path.x1);
    toc_positions_interpolate(fraction, 12, path.x0[0], path.x1[0], NULL, path.x1[0]);
    if (grip_of_limit(s, limit) == GRIP_TOUCHING) {
        double time;
        const toc_course course = {.count = 4, .x0 = path.x0[0], .x1 = path.x1[0]};
        TOC_TRY(time_of_return(pair->kind, &course, scratch, &time));
        *touches = time <= 1;
        return TOC_OK;
    }
    const toc_pair *moving = &path;
    TOC_TRY(toc_pair_find_unchecked(pair->kind, moving->x0, moving->x1, &test, scratch, &hit));
    *touches = hit.verdict != TOC_APART;
    return TOC_OK;
}

// Pairs that keep little are tested, and the fraction is halved until none touches. It ends with the positions of the
// start.
static toc_status clear_rounding(const room_search *s, double *fraction) {
    for (size_t i = 0; i<s->tight.count && * fraction> 0; i++) {
        bool touches = false;
        TOC_TRY(touches_when_rounded(s, &s->tight.at[i], *fraction, &touches));
        if (!touches) continue;
        *fraction /= 2;
        i = SIZE_MAX; // from the first pair again
    }
    return TOC_OK;
}

// ---- portions of pairs

// The sink names vertices as the caller knows them.
static room_pair pair_of_contact(const toc_scene *scene, const toc_contact *c, bool is_named) {
    room_pair pair = {.kind = c->kind};
    for (int i = 0; i < 4; i++) {
        const uint32_t body = c->body[i >= (c->kind == TOC_VF ? 1 : 2)];
        uint32_t vertex = c->v[i];
        const bool exists = !is_named || toc_scene_find_vertex(scene, body, c->v[i], &vertex);
        assert(exists);
        (void)exists;
        pair.v[i] = scene->step.body_first[body] + vertex;
    }
    return pair;
}

static toc_status limit_round(void *user, size_t index, int thread) {
    const room_search *s = user;
    const size_t first = index * PAIRS_A_ROUND;
    assert(first < s->count);
    for (size_t i = first; i < first + PAIRS_A_ROUND && i < s->count; i++) {
        s->found[i].pair = pair_of_contact(s->scene, &s->contacts[i], s->streams);
        TOC_TRY(limit_of_pair(s, &s->found[i].pair, &s->scratch[thread], &s->found[i].at));
    }
    return TOC_OK;
}

static toc_status keep_limits(room_search *s) {
    for (size_t i = 0; i < s->count; i++) {
        const room_limit *limit = &s->found[i];
        if (limit->at.time <= 1) insert_limit(s, limit);
        if (s->scene->step.control || grip_of_limit(s, limit) == GRIP_LOOSE) continue;
        TOC_TRY(toc_array_reserve(&s->scene->memory, &s->tight, 1));
        s->tight.at[s->tight.count++] = *limit;
    }
    return TOC_OK;
}

static toc_status take_portion(room_search *s, const toc_contact *contacts, size_t count,
                               const toc_progress *progress) {
    s->contacts = contacts;
    s->count = count;
    s->found = toc_new(&s->scene->memory, count, sizeof *s->found);
    if (!s->found) return TOC_OUT_OF_MEMORY;
    toc_status status = toc_loop_run(&(toc_loop){.count = (count + PAIRS_A_ROUND - 1) / PAIRS_A_ROUND,
                                                 .threads = s->threads,
                                                 .progress = progress,
                                                 .round = limit_round,
                                                 .user = s});
    if (status == TOC_OK) status = keep_limits(s);
    toc_free(&s->scene->memory, s->found, count, sizeof *s->found);
    return status;
}

// A sink: the search itself asks for progress.
static int take_from_search(void *user, const toc_contact *contacts, size_t count) {
    room_search *s = user;
    s->status = take_portion(s, contacts, count, NULL);
    return s->status != TOC_OK;
}

static toc_status finish_room(room_search *s, toc_room_step *out) {
    TOC_TRY(sharpen_limits(s));
    const room_limit *first = s->first_count > 0 ? &s->first[0] : NULL;
    toc_room_step step = {.fraction = first ? first->at.time : 1};
    if (first) name_pair(&s->scene->step, first, &step);
    TOC_TRY(clear_rounding(s, &step.fraction));
    *out = step;
    return TOC_OK;
}

// The contacts of a request, which the answer is found from.
typedef struct room_source {
    const toc_request *request; // whose separation is the minimum distance and the largest gap to keep
    const toc_choice *choice;   // of the way; NULL for candidates
} room_source;

static toc_status search_source(const room_source *source, const toc_request *request, toc_contacts *result) {
    return !source->choice ? toc_candidates_search(request, result) : toc_search_run(request, *source->choice, result);
}

// A query with the least memory looks at the pairs while they are found, any other at the list of them.
static toc_status look_at_source(room_search *s, const room_source *source, toc_room_step *out) {
    toc_request request = *source->request;
    toc_contacts *contacts;
    if (s->streams) request.query.sink = (toc_contact_sink){take_from_search, s};
    TOC_TRY(toc_contacts_make(&s->scene->memory, &contacts));
    toc_status status = search_source(source, &request, contacts);
    if (s->status != TOC_OK) status = toc_fail(s->status, "no memory for the pairs that limit the step");
    if (status == TOC_OK && !s->streams)
        status = take_portion(s, contacts->contacts, contacts->count, &request.query.progress);
    toc_result_free(contacts);
    return status == TOC_OK ? finish_room(s, out) : status;
}

// Find the step for the pairs of a source. The answer does not depend on the number of threads.
static toc_status find_room(const room_source *source, const room_limits *limits, toc_room_step *out) {
    const toc_scene *scene = source->request->scene;
    const int threads = toc_request_threads(source->request);
    // Two features come closer by less than 2^-48 M through rounding (safe_step.c).
    room_search s = {.scene = scene,
                     .limits = limits,
                     .threads = threads,
                     .streams = source->request->thrifty,
                     .first_most = scene->step.control ? SHARPENED_MOST + 1 : 1,
                     .rounding = 0x1p-47 * toc_scene_largest_coordinate(scene) + 0x1p-1070};
    s.scratch = toc_new(&scene->memory, (size_t)threads, sizeof *s.scratch);
    if (!s.scratch) return TOC_OUT_OF_MEMORY;
    for (int i = 0; i < threads; i++) s.scratch[i] = toc_arena_make(&scene->memory);
    const toc_status status = look_at_source(&s, source, out);
    for (int i = 0; i < threads; i++) toc_arena_free(&s.scratch[i]);
    toc_array_free(&scene->memory, &s.tight);
    toc_free(&scene->memory, s.scratch, (size_t)threads, sizeof *s.scratch);
    return status;
}

// ---- the question

// All pairs that come within the minimum distance and the largest gap to keep.
static toc_status run_room_question(const toc_request *request, toc_scene_question *question) {
    const room_limits limits = limits_of_request(request, question->room);
    toc_query query = request->query;
    toc_choice choice;
    query.test.separation = toc_thickness_add(limits.minimum, toc_larger(limits.most, DBL_MIN));
    const toc_request wide = toc_request_change(request, &query);
    TOC_TRY(toc_search_prepare(&wide, &choice));
    return find_room(&(room_source){.request = &wide, .choice = &choice}, &limits, &question->step);
}

// The same among candidates, which must cover these pairs.
static toc_status run_listed_room(const toc_request *request, toc_scene_question *question) {
    toc_query query = request->query;
    TOC_TRY(toc_candidates_check(request, query.test.separation));
    const room_limits limits = limits_of_request(request, question->room);
    query.test.separation = toc_thickness_add(limits.minimum, limits.most);
    const toc_request wide = toc_request_change(request, &query);
    TOC_TRY(toc_candidates_check_reach(&wide, query.test.separation));
    return find_room(&(room_source){.request = &wide}, &limits, &question->step);
}

toc_status toc_scene_find_room_step(toc_scene *scene, const toc_query *query, const toc_room *room,
                                    toc_room_step *out) {
    TOC_SCOPED_ARITHMETIC;
    const toc_preset *preset;
    toc_query settings;
    toc_room wanted;
    TOC_USE_SCENE(scene);
    TOC_NEED(out);
    TOC_TRY(take_room_query(query, room, &settings, &preset, &wanted));
    toc_request request = toc_request_make(scene, &settings, preset);
    request.research.skip |= TOC_SKIP_NORMALS; // the only stage that can miss a contact
    toc_scene_question question = {.run = settings.candidates ? run_listed_room : run_room_question, .room = &wanted};
    TOC_TRY(toc_query_run(&request, &question));
    toc_room_step *step = &question.step;
    if (step->limited) toc_scene_name_vertices(scene, step->kind, step->body, step->v);
    *out = *step;
    return TOC_OK;
}
