// SPDX-License-Identifier: Apache-2.0
// Begin and end events: the pairs that touch, as bodies, groups or features, and their changes from step to step.
//
// A list of touching pairs is sorted, each pair once, with its earliest contact. Two lists are compared by merging
// them: O(n). A list keeps no pointer to the scene, so that it stays right when topology changes.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/result.h"
#include "scene/scene.h"
#include "toccata/solver.h"

// ---- order

// Fields that a level does not have are 0. Groups are signed: the highest bit changes its sense.
static void touching_ids(const void *item, uint32_t ids[TOC_ORDER_IDS]) {
    const toc_touching_pair *pair = item;
    ids[0] = (uint32_t)pair->kind;
    memcpy(ids + 1, pair->body, sizeof pair->body);
    for (int i = 0; i < 2; i++) ids[3 + i] = (uint32_t)pair->group[i] ^ 0x80000000u;
    memcpy(ids + 5, pair->v, sizeof pair->v);
}

static const toc_answer_type touching_type = {.order = {sizeof(toc_touching_pair), 9, touching_ids},
                                              TOC_ANSWER_LIST(toc_touching, pairs)};

static int compare_touching(const toc_touching_pair *x, const toc_touching_pair *y) {
    return toc_order_compare(&touching_type.order, x, y);
}

static int compare_touching_times(const void *a, const void *b) {
    const toc_touching_pair *x = a, *y = b;
    const int order = compare_touching(x, y);
    if (order != 0 || x->toc == y->toc) return order;
    return x->toc < y->toc ? -1 : 1;
}

static void change_ids(const void *item, uint32_t ids[TOC_ORDER_IDS]) {
    touching_ids(&((const toc_pair_change *)item)->pair, ids);
}

static const toc_answer_type change_type = {.order = {sizeof(toc_pair_change), 9, change_ids},
                                            TOC_ANSWER_LIST(toc_pair_changes, changes)};

// ---- listing

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
static toc_status add_groups(toc_touching *r, const toc_scene *scene, const toc_contact *c, size_t number) {
    const int second = c->kind == TOC_VF ? 1 : 2;
    size_t count_a, count_b;
    uint32_t v[4];
    TOC_TRY(toc_contact_locate(scene, c, number, v));
    const toc_body *a = &scene->bodies.at[c->body[0]], *b = &scene->bodies.at[c->body[1]];
    const uint32_t *around_a = toc_elements_around(a, second, v, &count_a);
    const uint32_t *around_b = toc_elements_around(b, 4 - second, v + second, &count_b);
    for (size_t i = 0; i < count_a; i++)
        for (size_t j = 0; j < count_b; j++) {
            const int32_t group_a = toc_mesh_get_element(a->mesh, around_a[i]).group;
            const int32_t group_b = toc_mesh_get_element(b->mesh, around_b[j]).group;
            const toc_touching_pair pair = ordered_groups(c->body[0], group_a, c->body[1], group_b, c->toc);
            TOC_TRY(toc_result_add(r, &pair));
        }
    return TOC_OK;
}

static toc_status add_contact(toc_touching *r, const toc_scene *scene, toc_level level, const toc_contact *c,
                              size_t number) {
    if (level == TOC_LEVEL_GROUPS) return add_groups(r, scene, c, number);
    toc_touching_pair pair = ordered_groups(c->body[0], 0, c->body[1], 0, c->toc);
    if (level == TOC_LEVEL_FEATURES) {
        pair.kind = c->kind;
        memcpy(pair.body, c->body, sizeof pair.body);
        memcpy(pair.v, c->v, sizeof pair.v);
    }
    return toc_result_add(r, &pair);
}

// The earliest of each pair, in order.
static toc_status fill_touching(toc_touching *r, const toc_scene *scene, const toc_contacts *contacts,
                                toc_level level) {
    for (size_t i = 0; i < contacts->count; i++) TOC_TRY(add_contact(r, scene, level, &contacts->contacts[i], i));
    if (r->count) qsort(toc_result_items(r)->at, r->count, sizeof *r->pairs, compare_touching_times);
    toc_result_keep_distinct(r);
    r->level = level;
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
    TOC_SCOPED_ARITHMETIC;
    TOC_USE_SCENE(scene);
    TOC_NEED(contacts);
    TOC_NEED(out);
    if ((unsigned)level > TOC_LEVEL_FEATURES) return toc_fail(TOC_BAD_INPUT, "there is no level number %d", (int)level);
    TOC_TRY(check_bodies_of(scene, contacts));
    if (level == TOC_LEVEL_GROUPS) {
        TOC_TRY(toc_step_update(scene, &(toc_step_scope){INFINITY, scene->step.surface_only, 1, false}));
        TOC_TRY(toc_step_list_elements(scene, 1));
    }
    toc_touching *r = toc_result_new(&touching_type, &scene->allocator);
    if (!r) return TOC_OUT_OF_MEMORY;
    const toc_status status = fill_touching(r, scene, contacts, level);
    if (status == TOC_OK)
        *out = r;
    else
        toc_result_free(r);
    return status;
}

// ---- comparing

static toc_status merge_touching(const toc_touching *before, const toc_touching *after, toc_pair_changes *r) {
    const size_t before_count = before ? before->count : 0;
    size_t i = 0, j = 0;
    TOC_TRY(toc_result_reserve(r, before_count + after->count));
    while (i < before_count || j < after->count) {
        const int order = i == before_count   ? 1
                          : j == after->count ? -1
                                              : compare_touching(&before->pairs[i], &after->pairs[j]);
        const toc_change_kind kind = order < 0 ? TOC_CHANGE_ENDED : order > 0 ? TOC_CHANGE_BEGAN : TOC_CHANGE_PERSISTS;
        const toc_pair_change change = {kind, order < 0 ? before->pairs[i] : after->pairs[j]};
        r->counts[kind]++;
        TOC_TRY(toc_result_add(r, &change));
        i += order <= 0;
        j += order >= 0;
    }
    return TOC_OK;
}

toc_status toc_touching_compare(const toc_touching *before, const toc_touching *after, toc_pair_changes **out) {
    TOC_SCOPED_ARITHMETIC;
    TOC_NEED(after);
    TOC_NEED(out);
    if (before && before->level != after->level)
        return toc_fail(TOC_BAD_INPUT, "the lists have different levels: %d and %d", (int)before->level,
                        (int)after->level);
    toc_pair_changes *r = toc_result_new(&change_type, toc_result_allocator(after));
    if (!r) return TOC_OUT_OF_MEMORY;
    const toc_status status = merge_touching(before, after, r);
    if (status == TOC_OK)
        *out = r;
    else
        toc_result_free(r);
    return status;
}
