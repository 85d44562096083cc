// SPDX-License-Identifier: Apache-2.0
// A search on several threads: each has a view of the character, with lists of its own for all that a search writes.
//
// Hits are sorted afterwards, numbers are sums, flags are joined: the outcome is the same for any number of threads.
#include <assert.h>
#include <string.h>

#include "base/threads.h"
#include "sim/character/character.h"

/// Clusters that a thread takes at a time, and those that are worth waking threads for.
enum { CREW_CLUSTERS = 8, LEAST_CLUSTERS = 64 };

typedef struct crew_search {
    toc_character *character;
    character_visit *visit;
    const void *user;
} crew_search;

/// Bring a view up to date; its own lists stay.
static toc_status begin_view(const toc_character *c, toc_character *view) {
    const toc_character own = *view;
    *view = *c;
    view->hits = own.hits;
    view->grid.found = own.grid.found;
    view->grid.corners = own.grid.corners;
    view->grid.corner_stamp = own.grid.corner_stamp;
    view->cleared = own.cleared;
    view->clearings = own.clearings;
    view->is_awake = own.is_awake;
    view->awake_joint = own.awake_joint;
    view->hits.count = view->inside_inverted = view->tested_tets = view->awake_count = 0;
    TOC_TRY(toc_array_room(&c->memory, &view->grid.found, c->boundary.count + 1));
    TOC_TRY(toc_array_room(&c->memory, &view->cleared, c->vertex_count));
    TOC_TRY(toc_array_room(&c->memory, &view->is_awake, c->vertex_count));
    TOC_TRY(toc_array_room(&c->memory, &view->awake_joint, c->joint_count));
    memset(view->is_awake.at, 0, c->vertex_count);
    memset(view->awake_joint.at, 0, c->joint_count);
    return TOC_OK;
}

static toc_status begin_views(toc_character *c) {
    const size_t threads = (size_t)c->threads;
    TOC_TRY(toc_array_room(&c->memory, &c->views, threads));
    c->views.count = threads;
    for (size_t i = 0; i < threads; i++) TOC_TRY(begin_view(c, &c->views.at[i]));
    return TOC_OK;
}

static toc_status visit_part(void *user, size_t part, int thread) {
    const crew_search *search = user;
    toc_character *view = &search->character->views.at[thread];
    const size_t first = part * CREW_CLUSTERS, count = search->character->clusters.count;
    assert(first < count);
    for (size_t i = first; i < first + CREW_CLUSTERS && i < count; i++)
        TOC_TRY(search->visit(view, &search->character->clusters.at[i], search->user));
    return TOC_OK;
}

static toc_status join_view(toc_character *c, const toc_character *view) {
    TOC_TRY(toc_array_reserve(&c->memory, &c->hits, view->hits.count));
    for (size_t i = 0; i < view->hits.count; i++) c->hits.at[c->hits.count++] = view->hits.at[i];
    c->inside_inverted += view->inside_inverted;
    c->tested_tets += view->tested_tets;
    for (size_t j = 0; j < c->joint_count; j++) c->awake_joint.at[j] |= view->awake_joint.at[j];
    for (size_t v = 0; v < c->vertex_count && view->awake_count > 0; v++) {
        c->awake_count += view->is_awake.at[v] && !c->is_awake.at[v];
        c->is_awake.at[v] |= view->is_awake.at[v];
    }
    return TOC_OK;
}

toc_status toc_character_visit_clusters(toc_character *c, character_visit *visit, const void *user) {
    crew_search search = {.character = c, .visit = visit, .user = user};
    if (c->threads == 1 || c->clusters.count < LEAST_CLUSTERS) {
        for (size_t i = 0; i < c->clusters.count; i++) TOC_TRY(visit(c, &c->clusters.at[i], user));
        return TOC_OK;
    }
    TOC_TRY(begin_views(c));
    const toc_loop loop = {.count = (c->clusters.count + CREW_CLUSTERS - 1) / CREW_CLUSTERS,
                           .threads = c->threads,
                           .in_order = true,
                           .round = visit_part,
                           .user = &search};
    TOC_TRY(toc_loop_run(&loop));
    for (size_t i = 0; i < c->views.count; i++) TOC_TRY(join_view(c, &c->views.at[i]));
    return TOC_OK;
}

void toc_character_crew_free(toc_character *c) {
    for (size_t i = 0; i < c->views.count; i++) {
        toc_character *view = &c->views.at[i];
        toc_array_free(&c->memory, &view->hits);
        toc_array_free(&c->memory, &view->grid.found);
        toc_array_free(&c->memory, &view->grid.corners);
        toc_array_free(&c->memory, &view->cleared);
        toc_array_free(&c->memory, &view->is_awake);
        toc_array_free(&c->memory, &view->awake_joint);
    }
    toc_array_free(&c->memory, &c->views);
}
