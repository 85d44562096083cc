// SPDX-License-Identifier: Apache-2.0
// Detection: choose the vertices and tets to search, search them, and bring the contacts into their order.
#include <string.h>

#include "sim/character/character.h"

// ---- order: by vertex, then by tet. Ids of bodies ascend in both, so this is the order of the public list, too.

static bool hit_is_before(const character_hit *a, const character_hit *b) {
    return a->vertex != b->vertex ? a->vertex < b->vertex : a->tet < b->tet;
}

static void sift_hit(character_hit *hits, size_t root, size_t count) {
    for (size_t child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && hit_is_before(&hits[child], &hits[child + 1])) child++;
        if (!hit_is_before(&hits[root], &hits[child])) return;
        const character_hit other = hits[root];
        hits[root] = hits[child];
        hits[child] = other;
    }
}

// Heapsort: in place, without memory of its own.
static void sort_hits(character_hit *hits, size_t count) {
    for (size_t i = count / 2; i-- > 0;) sift_hit(hits, i, count);
    for (size_t end = count; end-- > 1;) {
        const character_hit last = hits[end];
        hits[end] = hits[0];
        hits[0] = last;
        sift_hit(hits, 0, end);
    }
}

static uint32_t body_of_vertex(const toc_character *c, uint32_t vertex) {
    uint32_t body = 0;
    while (body + 1 < c->bodies.count && vertex >= c->bodies.at[body + 1].first) body++;
    return body;
}

static toc_status publish_hits(toc_character *c) {
    sort_hits(c->hits.at, c->hits.count);
    TOC_TRY(toc_array_room(&c->memory, &c->contacts, c->hits.count));
    for (size_t i = 0; i < c->hits.count; i++) {
        const character_hit *hit = &c->hits.at[i];
        const character_tet *t = &c->tets.at[hit->tet];
        const uint32_t body = body_of_vertex(c, hit->vertex);
        const double *w = hit->weights;
        c->contacts.at[i] =
            (toc_character_contact){.body = {body, t->body},
                                    .vertex = hit->vertex - c->bodies.at[body].first,
                                    .element = t->element,
                                    .weights = {w[0], w[1], w[t->turned ? 3 : 2], w[t->turned ? 2 : 3]}};
    }
    c->contacts.count = c->hits.count;
    return TOC_OK;
}

// ---- presets

static toc_status wake_all(toc_character *c) {
    TOC_TRY(toc_array_room(&c->memory, &c->awake, c->boundary.count));
    memcpy(c->awake.at, c->boundary.at, c->boundary.count * sizeof *c->awake.at);
    c->awake_count = c->awake.count = c->boundary.count;
    memset(c->awake_joint.at, 1, c->joint_count);
    return TOC_OK;
}

static toc_status detect_safely(toc_character *c) {
    TOC_TRY(toc_character_grid_begin(c));
    TOC_TRY(wake_all(c));
    toc_character_grid_fill(c);
    TOC_TRY(toc_character_search_safely(c));
    return publish_hits(c);
}

toc_status toc_character_detect_all(toc_character *c) {
    TOC_TRY(toc_character_grid_begin(c));
    TOC_TRY(wake_all(c));
    toc_character_grid_fill(c);
    for (size_t i = 0; i < c->clusters.count; i++) TOC_TRY(toc_character_grid_search(c, &c->clusters.at[i]));
    return publish_hits(c);
}

static toc_status search_cluster(toc_character *c, character_cluster *cluster, const void *user) {
    (void)user;
    toc_character_place_cluster(c, cluster);
    if (toc_character_is_kept(c, cluster)) return TOC_OK;
    cluster->has_inverted = false;
    const size_t count = toc_character_grid_find(c, cluster->box, c->grid.found.at);
    return toc_character_test_found(c, cluster, toc_character_keep_found(c, cluster, c->grid.found.at, count));
}

toc_status toc_character_search_clusters(toc_character *c) {
    return toc_character_visit_clusters(c, search_cluster, NULL);
}

toc_status toc_character_detect_clusters(toc_character *c) {
    TOC_TRY(toc_character_grid_begin(c));
    TOC_TRY(wake_all(c));
    toc_character_grid_fill(c);
    TOC_TRY(toc_character_search_clusters(c));
    return publish_hits(c);
}

static toc_status detect_on_demand(toc_character *c) {
    TOC_TRY(toc_character_grid_begin(c));
    TOC_TRY(toc_character_wake_published(c));
    toc_character_grid_fill(c);
    TOC_TRY(toc_character_search_clusters(c));
    toc_character_note_contacts(c);
    return publish_hits(c);
}

// The safe preset pays if less than most of the character is awake; it is tried again now and then.
static toc_status detect_auto(toc_character *c) {
    enum { FRAMES_WITHOUT = 15 };
    const bool keeps = c->keeps; // little is awake then
    if (c->skip_safe > 0) {
        c->skip_safe--;
        return toc_character_detect_clusters(c);
    }
    TOC_TRY(detect_safely(c));
    if (!keeps && c->awake_count > c->boundary.count / 5 * 4) c->skip_safe = FRAMES_WITHOUT;
    return TOC_OK;
}

toc_status toc_character_detect(toc_character *c) {
    switch (c->settings.preset) {
    case TOC_CHARACTER_ONDEMAND:
        return detect_on_demand(c);
    case TOC_CHARACTER_ONDEMAND_SAFE:
        return detect_safely(c);
    case TOC_CHARACTER_AUTO:
        return detect_auto(c);
    default:
        return toc_character_detect_all(c);
    }
}
