// SPDX-License-Identifier: Apache-2.0
// Begin and end events: the pairs that touch, as bodies, groups or features, and their changes from step to step.
//
// A list of touching pairs is sorted, each pair once, with its earliest contact. Two lists are compared by merging
// them: O(n). A list keeps no pointer to the scene, so that it stays right when topology changes.
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "scene/scene.h"
#include "toccata/solver.h"

typedef struct touching_result {
    toc_touching list; // the first field
    toc_allocator allocator;
    TOC_ARRAY(toc_touching_pair) pairs;
} touching_result;

typedef struct changes_result {
    toc_pair_changes list; // the first field
    toc_allocator allocator;
    toc_pair_change *changes;
    size_t room;
} changes_result;

// ---- order

#define COMPARE_FIELD(a, b) \
    if ((a) != (b)) return (a) < (b) ? -1 : 1

// Fields that a level does not have are 0.
static int compare_touching(const toc_touching_pair *x, const toc_touching_pair *y) {
    COMPARE_FIELD(x->kind, y->kind);
    for (int i = 0; i < 2; i++) COMPARE_FIELD(x->body[i], y->body[i]);
    for (int i = 0; i < 2; i++) COMPARE_FIELD(x->group[i], y->group[i]);
    for (int i = 0; i < 4; i++) COMPARE_FIELD(x->v[i], y->v[i]);
    return 0;
}

static int compare_touching_times(const void *a, const void *b) {
    const toc_touching_pair *x = a, *y = b;
    const int order = compare_touching(x, y);
    if (order != 0) return order;
    COMPARE_FIELD(x->toc, y->toc);
    return 0;
}

// ---- listing

static toc_status add_touching(touching_result *r, const toc_touching_pair *pair) {
    TOC_TRY(toc_array_reserve(&r->allocator, &r->pairs, 1));
    r->pairs.at[r->pairs.count++] = *pair;
    return TOC_OK;
}

// The lower body first; in one body, the lower group.
static toc_touching_pair ordered_groups(uint32_t body_a, int32_t a, uint32_t body_b, int32_t b, double toc) {
    toc_touching_pair pair;
    memset(&pair, 0, sizeof pair);
    const bool swap = body_a > body_b || (body_a == body_b && a > b);
    pair.body[0] = swap ? body_b : body_a, pair.body[1] = swap ? body_a : body_b;
    pair.group[0] = swap ? b : a, pair.group[1] = swap ? a : b;
    pair.toc = toc;
    return pair;
}

// All groups around one feature with all around the other.
static toc_status add_groups(touching_result *r, const toc_scene *scene, const toc_contact *c) {
    const int second = c->kind == TOC_VF ? 1 : 2;
    const toc_body *a = &scene->bodies.at[c->body[0]], *b = &scene->bodies.at[c->body[1]];
    size_t count_a, count_b;
    uint32_t v[4];
    for (int i = 0; i < 4; i++)
        if (!toc_scene_find_vertex(scene, c->body[i >= second], c->v[i], &v[i]))
            return toc_fail(TOC_BAD_INPUT, "body %u has no vertex %u any more", c->body[i >= second], c->v[i]);
    const uint32_t *around_a = toc_elements_around(a, second, v, &count_a);
    const uint32_t *around_b = toc_elements_around(b, 4 - second, v + second, &count_b);
    for (size_t i = 0; i < count_a; i++)
        for (size_t j = 0; j < count_b; j++) {
            const int32_t group_a = toc_mesh_get_element(a->mesh, around_a[i]).group;
            const int32_t group_b = toc_mesh_get_element(b->mesh, around_b[j]).group;
            const toc_touching_pair pair = ordered_groups(c->body[0], group_a, c->body[1], group_b, c->toc);
            TOC_TRY(add_touching(r, &pair));
        }
    return TOC_OK;
}

static toc_status add_contact(touching_result *r, const toc_scene *scene, toc_level level, const toc_contact *c) {
    if (level == TOC_LEVEL_GROUPS) return add_groups(r, scene, c);
    toc_touching_pair pair = ordered_groups(c->body[0], 0, c->body[1], 0, c->toc);
    if (level == TOC_LEVEL_FEATURES) {
        pair.kind = c->kind;
        memcpy(pair.body, c->body, sizeof pair.body);
        memcpy(pair.v, c->v, sizeof pair.v);
    }
    return add_touching(r, &pair);
}

// Keep the earliest of each pair, in order.
static void sort_touching(touching_result *r) {
    size_t kept = 0;
    if (r->pairs.count) qsort(r->pairs.at, r->pairs.count, sizeof *r->pairs.at, compare_touching_times);
    for (size_t i = 0; i < r->pairs.count; i++)
        if (kept == 0 || compare_touching(&r->pairs.at[kept - 1], &r->pairs.at[i]) != 0)
            r->pairs.at[kept++] = r->pairs.at[i];
    r->pairs.count = kept;
}

static toc_status fill_touching(touching_result *r, const toc_scene *scene, const toc_contacts *contacts,
                                toc_level level) {
    for (size_t i = 0; i < contacts->count; i++) TOC_TRY(add_contact(r, scene, level, &contacts->contacts[i]));
    sort_touching(r);
    r->list = (toc_touching){.level = level, .count = r->pairs.count, .pairs = r->pairs.at};
    return TOC_OK;
}

// Groups are read from the elements around features, which must be those of the contacts.
static toc_status check_bodies_of(const toc_scene *scene, const toc_contacts *contacts) {
    for (size_t i = 0; i < contacts->count; i++)
        for (int k = 0; k < 2; k++)
            if (contacts->contacts[i].body[k] >= scene->bodies.count)
                return toc_fail(TOC_BAD_INPUT, "contact %zu: there is no body %u", i, contacts->contacts[i].body[k]);
    return TOC_OK;
}

toc_status toc_scene_find_touching(toc_scene *scene, const toc_contacts *contacts, toc_level level,
                                   toc_touching **out) {
    TOC_USE_SCENE(scene);
    TOC_NEED(contacts);
    TOC_NEED(out);
    if ((unsigned)level > TOC_LEVEL_FEATURES) return toc_fail(TOC_BAD_INPUT, "there is no level number %d", (int)level);
    TOC_TRY(check_bodies_of(scene, contacts));
    if (level == TOC_LEVEL_GROUPS) {
        TOC_TRY(toc_step_update(scene, scene->step.surface_only, 1));
        TOC_TRY(toc_step_list_elements(scene, 1));
    }
    touching_result *r = toc_new(&scene->allocator, 1, sizeof *r);
    if (!r) return TOC_OUT_OF_MEMORY;
    r->allocator = scene->allocator;
    const toc_status status = fill_touching(r, scene, contacts, level);
    if (status == TOC_OK)
        *out = &r->list;
    else
        toc_touching_destroy(&r->list);
    return status;
}

void toc_touching_destroy(toc_touching *touching) {
    if (!touching) return;
    touching_result *r = (touching_result *)touching;
    const toc_allocator allocator = r->allocator;
    toc_array_free(&allocator, &r->pairs);
    toc_free(&allocator, r, 1, sizeof *r);
}

// ---- comparing

static void merge_touching(const toc_touching *before, const toc_touching *after, changes_result *r) {
    const size_t before_count = before ? before->count : 0;
    size_t i = 0, j = 0;
    while (i < before_count || j < after->count) {
        const int order = i == before_count   ? 1
                          : j == after->count ? -1
                                              : compare_touching(&before->pairs[i], &after->pairs[j]);
        const toc_change_kind kind = order < 0 ? TOC_CHANGE_ENDED : order > 0 ? TOC_CHANGE_BEGAN : TOC_CHANGE_PERSISTS;
        r->list.counts[kind]++;
        r->changes[r->list.count++] = (toc_pair_change){kind, order < 0 ? before->pairs[i] : after->pairs[j]};
        i += order <= 0;
        j += order >= 0;
    }
}

toc_status toc_touching_compare(const toc_touching *before, const toc_touching *after, toc_pair_changes **out) {
    TOC_NEED(after);
    TOC_NEED(out);
    if (before && before->level != after->level)
        return toc_fail(TOC_BAD_INPUT, "the lists have different levels: %d and %d", (int)before->level,
                        (int)after->level);
    const toc_allocator allocator = ((const touching_result *)after)->allocator;
    changes_result *r = toc_new(&allocator, 1, sizeof *r);
    if (!r) return TOC_OUT_OF_MEMORY;
    *r = (changes_result){.allocator = allocator, .room = (before ? before->count : 0) + after->count};
    r->changes = toc_new(&allocator, r->room, sizeof *r->changes);
    if (!r->changes) {
        toc_free(&allocator, r, 1, sizeof *r);
        return TOC_OUT_OF_MEMORY;
    }
    merge_touching(before, after, r);
    r->list.changes = r->changes;
    *out = &r->list;
    return TOC_OK;
}

void toc_pair_changes_destroy(toc_pair_changes *changes) {
    if (!changes) return;
    changes_result *r = (changes_result *)changes;
    const toc_allocator allocator = r->allocator;
    toc_free(&allocator, r->changes, r->room, sizeof *r->changes);
    toc_free(&allocator, r, 1, sizeof *r);
}
