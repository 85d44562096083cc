// SPDX-License-Identifier: Apache-2.0
// All times at which the pairs of a result touch.
#include <assert.h>
#include <math.h>
#include <string.h>

#include "ask/query.h"
#include "base/arithmetic.h"
#include "base/threads.h"
#include "pair/pair.h"
#include "pair/touches.h"
#include "scene/scene.h"
#include "scene/thickness.h"
#include "toccata/solver.h"

enum { TOUCHES_A_ROUND = 16 };

typedef struct touch_rounds {
    const toc_scene *scene;
    const toc_query *query;
    const toc_contacts *contacts;
    bool thin;
    toc_arena *scratch; // by thread
    toc_touches *found;
} touch_rounds;

static toc_status touches_of_contact(const touch_rounds *r, const toc_contact *c, toc_arena *scratch,
                                     toc_touches *out) {
    const toc_step *step = &r->scene->step;
    double x0[12], control[12], x1[12], separation = r->query->test.separation;
    uint32_t v[4];
    for (int i = 0; i < 4; i++) {
        const uint32_t body = c->body[i >= (c->kind == TOC_VF ? 1 : 2)];
        const bool exists = toc_scene_find_vertex(r->scene, body, c->v[i], &v[i]);
        assert(exists); // check_contacts
        (void)exists;
        v[i] += step->body_first[body];
        memcpy(x0 + 3 * i, step->x0 + 3 * (size_t)v[i], 3 * sizeof *x0);
        memcpy(x1 + 3 * i, step->x1 + 3 * (size_t)v[i], 3 * sizeof *x1);
        if (step->control) memcpy(control + 3 * i, step->control + 3 * (size_t)v[i], 3 * sizeof *control);
    }
    if (!r->thin) separation = toc_thickness_add(separation, toc_thickness_of_pair(r->scene, c->kind, v));
    const toc_course course = {.count = 4, .x0 = x0, .control = step->control ? control : NULL, .x1 = x1};
    return toc_touches_find(c->kind, &course, separation, scratch, out);
}

static toc_status touch_round(void *user, size_t index, int thread) {
    const touch_rounds *r = user;
    const size_t first = index * TOUCHES_A_ROUND;
    for (size_t i = first; i < first + TOUCHES_A_ROUND && i < r->contacts->count; i++)
        TOC_TRY(touches_of_contact(r, &r->contacts->contacts[i], &r->scratch[thread], &r->found[i]));
    return TOC_OK;
}

static toc_status check_contacts(const toc_scene *scene, const toc_contacts *contacts) {
    uint32_t v[4];
    for (size_t i = 0; i < contacts->count; i++) TOC_TRY(toc_contact_locate(scene, &contacts->contacts[i], i, v));
    return TOC_OK;
}

static toc_status run_touch_rounds(touch_rounds *r, int threads, toc_touches *out) {
    const toc_allocator *allocator = &r->scene->memory;
    const size_t count = r->contacts->count;
    r->found = toc_new(allocator, count, sizeof *r->found);
    r->scratch = r->found ? toc_new(allocator, (size_t)threads, sizeof *r->scratch) : NULL;
    toc_status status = r->scratch ? TOC_OK : TOC_OUT_OF_MEMORY;
    for (int i = 0; r->scratch && i < threads; i++) r->scratch[i] = toc_arena_make(allocator);
    if (status == TOC_OK)
        status = toc_loop_run(&(toc_loop){.count = (count + TOUCHES_A_ROUND - 1) / TOUCHES_A_ROUND,
                                          .threads = threads,
                                          .progress = &r->query->progress,
                                          .round = touch_round,
                                          .user = r});
    if (status == TOC_OK && count) memcpy(out, r->found, count * sizeof *out);
    for (int i = 0; r->scratch && i < threads; i++) toc_arena_free(&r->scratch[i]);
    toc_free(allocator, r->scratch, (size_t)threads, sizeof *r->scratch);
    toc_free(allocator, r->found, count, sizeof *r->found);
    return status;
}

toc_status toc_scene_find_touches(toc_scene *scene, const toc_query *query, const toc_contacts *contacts,
                                  toc_touches *out) {
    TOC_SCOPED_ARITHMETIC;
    const toc_preset *preset;
    toc_query settings;
    TOC_USE_SCENE(scene);
    TOC_NEED(contacts);
    TOC_TRY(toc_query_take(query, &settings, &preset));
    if (contacts->count == 0) return TOC_OK;
    TOC_NEED(out);
    TOC_TRY(toc_pair_test_check(
        &(toc_pair_test){.size = sizeof(toc_pair_test), .separation = settings.test.separation, .to = 1}));
    toc_request request = toc_request_make(scene, &settings, preset);
    request.reach = INFINITY;
    TOC_TRY(toc_request_update_step(&request, scene->step.surface_only, false));
    TOC_TRY(check_contacts(scene, contacts));
    touch_rounds rounds = {
        .scene = scene, .query = &settings, .contacts = contacts, .thin = toc_thickness_most(scene, &settings) == 0};
    return run_touch_rounds(&rounds, toc_request_threads(&request), out);
}
