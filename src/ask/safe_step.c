// SPDX-License-Identifier: Apache-2.0
// The safe step: the largest fraction of the step that all bodies can move before a contact.
//
// With M the largest coordinate of the step and u = 2^-53: toc_positions_interpolate rounds a coordinate three times,
// by less than 6 u M in all, so that two features come closer by less than 2 sqrt(3) 6 u M < 2^-48 M. Rounded positions
// can thus have a contact where the features were within that distance, and nowhere else. Two searches are enough: the
// first contact, and all pairs that come within rounding of a contact before it. A fraction is then tried on these
// pairs alone, in exact arithmetic and with the positions that a caller will have, and shortened until all are free
// (docs/guarantees.md, G13).
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "ask/query.h"
#include "base/arithmetic.h"
#include "base/threads.h"
#include "pair/pair.h"
#include "scene/scene.h"
#include "scene/thickness.h"
#include "search/contacts.h"
#include "search/search.h"

void toc_positions_interpolate(double fraction, size_t count, const double *x0, const double *x1,
                               const double *acceleration, double *x) {
    TOC_SCOPED_ARITHMETIC;
    for (size_t i = 0; i < count; i++) {
        const double bend = acceleration && fraction < 1 ? acceleration[i] / 2 * fraction * (1 - fraction) : 0;
        const double way = x1[i] - x0[i], moved = x0[i] + fraction * way; // a vertex at rest stays
        const double straight = fraction == 1   ? x1[i]
                                : isfinite(way) ? moved
                                                : (1 - fraction) * x0[i] + fraction * x1[i];
        x[i] = straight - bend;
    }
}

// Times of sharp methods are at most 2^-29 of themselves early.
static const double LATEST = 1 + 0x1p-28;
// The part of the fraction up to which it is made as long as possible.
static const double RESOLUTION = 0x1p-44;

enum {
    PAIRS_ALONE = 64,  // so often a single pair shortens the fraction; after that all pairs together
    TESTS_A_POLL = 64, // tests between two calls of the progress function
};

typedef struct safe_search {
    const toc_scene *scene;
    toc_pair_test test;
    const toc_progress *progress;
    const toc_contacts *close; // pairs that come within rounding of a contact
    double until;              // times of these are parts of this fraction of the step
    toc_arena scratch;
    uint64_t tests;
    bool thin; // whether all features are
} safe_search;

// ---- the two searches

// Find contacts on the way to a fraction of the step, with rounded positions at its end.
static toc_status search_part_of_step(const toc_request *request, const toc_query *query, double fraction,
                                      toc_contacts *result) {
    const toc_request part = toc_request_change(request, query);
    toc_choice choice;
    TOC_TRY(toc_search_prepare(&part, &choice));
    toc_step *step = &request->scene->step;
    step->is_shortened = fraction < 1;
    if (fraction < 1) toc_positions_interpolate(fraction, 3 * step->vertex_count, step->x0, step->x1, NULL, step->x1);
    return toc_search_run(&part, choice, result);
}

// The first time of contact; 2 where there is none.
static toc_status find_first_time(const toc_request *request, double *time) {
    toc_contacts *contacts;
    toc_query query = request->query;
    query.answer = TOC_ANSWER_FIRST;
    TOC_TRY(toc_contacts_make(&request->scene->memory, &contacts));
    const toc_status status = search_part_of_step(request, &query, 1, contacts);
    if (status == TOC_OK) *time = contacts->count ? contacts->contacts[0].toc : 2;
    toc_result_free(contacts);
    return status;
}

// Find all pairs that rounding can bring to touch, whatever the fraction up to `until`. Both the positions of this
// search and those of the fraction are rounded, hence twice 2^-48 M; twice again for the rounding of the sum. A product
// that underflows is off by 2^-1075.
static toc_status find_close_pairs(const toc_request *request, double until, toc_contacts *close) {
    toc_query query = request->query;
    query.answer = TOC_ANSWER_ALL;
    query.test.separation += 0x1p-46 * toc_scene_largest_coordinate(request->scene) + 0x1p-1070;
    query.test.separation = fmin(query.test.separation, DBL_MAX);
    query.test.tolerance = 0;
    query.test.exact = true;
    query.test.method = toc_request_method(request);
    if (!toc_pair_test_is_sharp(&query.test)) query.test.method = TOC_METHOD_CERTIFIED;
    return search_part_of_step(request, &query, until, close);
}

// Whether times are at most 2^-29 of themselves early.
static bool request_has_sharp_times(const toc_request *request) {
    toc_pair_test test = request->query.test;
    test.method = toc_request_method(request);
    return toc_pair_test_is_sharp(&test);
}

// ---- shortening

static toc_status poll_safe_search(safe_search *s) {
    return ++s->tests % TESTS_A_POLL != 0 ? TOC_OK : toc_progress_report(s->progress, 1);
}

// Of the whole step, of which the search may have seen a part only.
static toc_pair motion_of_contact(const toc_scene *scene, const toc_contact *c) {
    const int second = c->kind == TOC_VF ? 1 : 2;
    toc_pair pair;
    for (int i = 0; i < 4; i++) {
        const uint32_t body = c->body[i >= second];
        assert(body < scene->bodies.count);
        toc_body_read_motion(&scene->bodies.at[body], c->v[i], pair.x0[i], pair.x1[i]);
    }
    return pair;
}

// The distance within which the features of a contact touch.
static double separation_of_contact(const safe_search *s, const toc_contact *c) {
    uint32_t v[4];
    if (s->thin) return s->test.separation;
    for (int i = 0; i < 4; i++) v[i] = s->scene->step.body_first[c->body[i >= (c->kind == TOC_VF ? 1 : 2)]] + c->v[i];
    return toc_thickness_add(s->test.separation, toc_thickness_of_pair(s->scene, c->kind, v));
}

static toc_status is_apart(safe_search *s, const toc_contact *c, const toc_pair *pair, double to, bool *apart) {
    toc_pair_test test = s->test;
    toc_hit hit;
    test.to = to;
    test.separation = separation_of_contact(s, c);
    TOC_TRY(poll_safe_search(s));
    TOC_TRY(toc_pair_find_unchecked(c->kind, pair->x0, pair->x1, &test, &s->scratch, &hit));
    *apart = hit.verdict == TOC_APART;
    return TOC_OK;
}

// Whether a pair has no contact up to a fraction of the step, neither on its true path nor on that to rounded
// positions.
static toc_status is_pair_free(safe_search *s, const toc_contact *c, double fraction, bool *is_free) {
    *is_free = true;
    if (fraction == 0 || c->toc * s->until * (1 - 0x1p-50) > fraction) return TOC_OK;
    const toc_pair pair = motion_of_contact(s->scene, c);
    toc_pair rounded = pair;
    toc_positions_interpolate(fraction, 12, pair.x0[0], pair.x1[0], NULL, rounded.x1[0]);
    TOC_TRY(is_apart(s, c, &rounded, 1, is_free));
    return *is_free ? is_apart(s, c, &pair, fraction, is_free) : TOC_OK;
}

static toc_status are_pairs_free(safe_search *s, size_t first, size_t count, double fraction, bool *are_free) {
    *are_free = true;
    for (size_t i = first; i < first + count && *are_free; i++)
        TOC_TRY(is_pair_free(s, &s->close->contacts[i], fraction, are_free));
    return TOC_OK;
}

// Shorten a fraction that some pairs do not allow to one that they do: by ever larger steps, then halving the last one.
// All fractions before the time at which the pairs come within rounding of a contact are free, so that the result is at
// most RESOLUTION below that time.
static toc_status shorten_fraction(safe_search *s, size_t first, size_t count, double *fraction) {
    const double resolution = RESOLUTION * *fraction;
    double taken = *fraction, good = 0;
    bool is_free = false;
    for (double less = resolution; !is_free && taken - less > 0; less *= 2) {
        good = taken - less;
        TOC_TRY(are_pairs_free(s, first, count, good, &is_free));
        if (!is_free) taken = good;
    }
    if (!is_free) good = 0;
    while (taken - good > resolution) {
        const double middle = good + (taken - good) / 2;
        if (!(good < middle && middle < taken)) break;
        TOC_TRY(are_pairs_free(s, first, count, middle, &is_free));
        *(is_free ? &good : &taken) = middle;
    }
    *fraction = good;
    return TOC_OK;
}

// Shorten until all pairs are free, one after the other. A pair may undo the gain of another: then all
// together.
static toc_status free_all_pairs(safe_search *s, double *fraction) {
    const size_t count = s->close->count;
    size_t free_in_a_row = 0;
    int alone = 0;
    for (size_t i = 0; free_in_a_row < count; i = (i + 1) % count) {
        bool is_free;
        TOC_TRY(are_pairs_free(s, i, 1, *fraction, &is_free));
        free_in_a_row = is_free ? free_in_a_row + 1 : 1;
        if (is_free) continue;
        if (alone++ == PAIRS_ALONE) return shorten_fraction(s, 0, count, fraction);
        TOC_TRY(shorten_fraction(s, i, 1, fraction));
    }
    return TOC_OK;
}

static toc_status find_free_fraction(const toc_request *request, double until, double *fraction) {
    const toc_scene *scene = request->scene;
    const toc_query *query = &request->query;
    toc_contacts *close;
    TOC_TRY(toc_contacts_make(&scene->memory, &close));
    toc_status status = find_close_pairs(request, until, close);
    safe_search s = {.scene = scene,
                     .test = toc_pair_test_default(),
                     .progress = &query->progress,
                     .close = close,
                     .until = until,
                     .thin = toc_thickness_most(scene, query) == 0,
                     .scratch = toc_arena_make(&scene->memory)};
    s.test.separation = query->test.separation;
    double found = until;
    if (status == TOC_OK) status = free_all_pairs(&s, &found);
    toc_arena_free(&s.scratch);
    toc_result_free(close);
    if (status == TOC_OK) *fraction = found;
    return status;
}

// ---- parabolas

// Whether the part of the step up to a fraction has no contact.
static toc_status is_part_free(const toc_request *request, double fraction, bool *is_free) {
    toc_contacts *contacts;
    toc_query query = request->query;
    query.answer = TOC_ANSWER_ANY;
    query.test.to = fraction;
    TOC_TRY(toc_contacts_make(&request->scene->memory, &contacts));
    const toc_status status = search_part_of_step(request, &query, 1, contacts);
    if (status == TOC_OK) *is_free = contacts->count == 0;
    toc_result_free(contacts);
    return status;
}

// Try fractions below the first contact, less and less of it, until a search finds none before.
static toc_status search_safe_part(const toc_request *request, double time, double *fraction) {
    bool is_free = false;
    double found = 0;
    for (double less = RESOLUTION; !is_free && less < 1; less *= 256) {
        found = time * (1 - less);
        TOC_TRY(is_part_free(request, found, &is_free));
    }
    *fraction = is_free ? found : 0;
    return TOC_OK;
}

static toc_status search_safe_step(const toc_request *request, toc_scene_question *question) {
    double time;
    TOC_TRY(find_first_time(request, &time));
    if (time > 1 || time == 0) {
        question->fraction = time == 0 ? 0 : 1;
        return TOC_OK;
    }
    if (request->scene->step.control) return search_safe_part(request, time, &question->fraction);
    const double until = request_has_sharp_times(request) ? fmin(time * LATEST, 1) : time;
    return find_free_fraction(request, until, &question->fraction);
}

toc_status toc_scene_find_safe_step(toc_scene *scene, const toc_query *query, double *fraction) {
    TOC_SCOPED_ARITHMETIC;
    const toc_preset *preset;
    toc_query settings;
    TOC_USE_SCENE(scene);
    TOC_NEED(fraction);
    TOC_TRY(toc_query_take(query, &settings, &preset));
    settings.test.from = 0;
    settings.test.to = 1;
    settings.sink.take = NULL;
    const toc_request request = toc_request_make(scene, &settings, preset);
    toc_scene_question question = {.run = search_safe_step};
    TOC_TRY(toc_query_run(&request, &question));
    *fraction = question.fraction;
    return TOC_OK;
}
