// SPDX-License-Identifier: Apache-2.0
// The safe step on all ranks: the same steps in the same order as src/ask/safe_step.c, which explains them, so that the
// fraction is the same bit for bit. Each rank keeps the close pairs that it decides. The next pair that shortens the
// fraction is the lowest one, in a circle, of all ranks.
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arithmetic.h"
#include "mpi/scene.h"

static const double LATEST = 1 + 0x1p-28;
static const double RESOLUTION = 0x1p-44;
enum { PAIRS_ALONE = 64 };

// A pair that comes within rounding of a contact.
typedef struct close_pair {
    toc_mpi_contact contact; // its order, and the time as a part of the fraction `until`
    toc_pair motion;
    double separation; // within which it touches
} close_pair;

typedef struct safe_ranks {
    dist_link *link;
    TOC_ARRAY(close_pair) pairs; // of this rank, sorted
    double until;
} safe_ranks;

// ---- the thickness of a pair

// Compare two features of the same number of corners, by sorted ids.
static void sort_corners(int count, const uint32_t *v, uint32_t *sorted) {
    for (int i = 0; i < count; i++) {
        int at = i;
        for (; at > 0 && sorted[at - 1] > v[i]; at--) sorted[at] = sorted[at - 1];
        sorted[at] = v[i];
    }
}

static int compare_corners(int count, const uint32_t *a, const uint32_t *b) {
    uint32_t x[3], y[3];
    sort_corners(count, a, x);
    sort_corners(count, b, y);
    for (int i = 0; i < count; i++)
        if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
    return 0;
}

static const uint32_t *feature_at(const toc_features *f, int corners, size_t i) {
    return corners == 1 ? &f->vertices[i] : corners == 2 ? f->edges[i] : f->faces[i];
}

// The position of a feature. Features ascend by their lowest corner, which comes first; beside others with the same one
// it may be anywhere: faces keep their winding.
static size_t position_of_feature(const toc_features *f, int corners, size_t count, const uint32_t *v) {
    uint32_t lowest = v[0];
    size_t low = 0, high = count;
    for (int i = 1; i < corners; i++) lowest = v[i] < lowest ? v[i] : lowest;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (feature_at(f, corners, middle)[0] < lowest)
            low = middle + 1;
        else
            high = middle;
    }
    while (low < count && compare_corners(corners, feature_at(f, corners, low), v) != 0) low++;
    assert(low < count);
    return low;
}

static double feature_thickness(const toc_mpi_scene *scene, const toc_features *f, uint32_t body, int corners,
                                const uint32_t *v) {
    const toc_lists *lists = corners == 1 ? &f->vertex_elements : corners == 2 ? &f->edge_elements : &f->face_elements;
    const size_t at = position_of_feature(f, corners, lists->count, v);
    double thickest = scene->bodies.at[body].thickness;
    for (uint32_t i = lists->first[at]; i < lists->first[at + 1]; i++)
        thickest = fmax(thickest,
                        toc_mesh_get_element(toc_scene_get_mesh(scene->work.scene, body), lists->items[i]).thickness);
    return thickest;
}

static toc_status need_features(const toc_mpi_scene *scene, toc_features **features, uint32_t body) {
    if (features[body]) return TOC_OK;
    return toc_mesh_find_features(toc_scene_get_mesh(scene->work.scene, body), &features[body]);
}

// As toc_scene_find_contacts adds them: half of each, then the separation.
static toc_status add_thicknesses(const toc_mpi_scene *scene, const toc_contact *c, toc_features **features,
                                  double *separation) {
    const int second = c->kind == TOC_VF ? 1 : 2;
    TOC_TRY(need_features(scene, features, c->body[0]));
    TOC_TRY(need_features(scene, features, c->body[1]));
    const double a = feature_thickness(scene, features[c->body[0]], c->body[0], second, c->v);
    const double b = feature_thickness(scene, features[c->body[1]], c->body[1], 4 - second, c->v + second);
    *separation = fmin(*separation + (a / 2 + b / 2), DBL_MAX);
    return TOC_OK;
}

// ---- close pairs

static toc_pair motion_in_work(const dist_work *work, const toc_contact *c) {
    toc_pair pair;
    for (int i = 0; i < 4; i++) {
        const size_t at = 3 * (work->vertex_first.at[c->body[i >= (c->kind == TOC_VF ? 1 : 2)]] + c->v[i]);
        memcpy(pair.x0[i], work->x0.at + at, sizeof pair.x0[i]);
        memcpy(pair.x1[i], work->x1.at + at, sizeof pair.x1[i]);
    }
    return pair;
}

static toc_status list_close(toc_mpi_scene *scene, const toc_contacts *contacts, double separation, bool thin,
                             toc_features **features, safe_ranks *s) {
    TOC_TRY(toc_array_reserve(&scene->link.memory, &s->pairs, contacts->count));
    for (size_t i = 0; i < contacts->count; i++) {
        const toc_contact *c = &contacts->contacts[i];
        close_pair *pair = &s->pairs.at[s->pairs.count++];
        pair->separation = separation;
        pair->motion = motion_in_work(&scene->work, c);
        toc_dist_name_contact(scene, c, &pair->contact);
        if (!thin) TOC_TRY(add_thicknesses(scene, c, features, &pair->separation));
    }
    return TOC_OK;
}

static toc_status keep_close(toc_mpi_scene *scene, const toc_contacts *contacts, double separation, bool thin,
                             safe_ranks *s) {
    const size_t bodies = scene->bodies.count;
    toc_features **features = toc_new(&scene->link.memory, bodies, sizeof(toc_features *));
    if (!features) return TOC_OUT_OF_MEMORY;
    const toc_status status = list_close(scene, contacts, separation, thin, features, s);
    for (size_t b = 0; b < bodies; b++) toc_features_destroy(features[b]);
    toc_free(&scene->link.memory, features, bodies, sizeof(toc_features *));
    return status;
}

// Let the local meshes move to rounded positions at a fraction.
static toc_status shorten_motion(toc_mpi_scene *scene, double fraction) {
    const dist_work *work = &scene->work;
    double *x = toc_new(&scene->link.memory, work->x0.count, sizeof *x);
    if (!x) return TOC_OUT_OF_MEMORY;
    toc_status status = TOC_OK;
    toc_positions_interpolate(fraction, work->x0.count, work->x0.at, work->x1.at, NULL, x);
    for (uint32_t b = 0; b < scene->bodies.count && status == TOC_OK; b++) {
        const size_t first = work->vertex_first.at[b], count = work->vertex_first.at[b + 1] - first;
        if (count > 0)
            status =
                toc_mesh_set_motion(toc_scene_edit_mesh(work->scene, b), count, work->x0.at + 3 * first, x + 3 * first);
    }
    toc_free(&scene->link.memory, x, work->x0.count, sizeof *x);
    return status;
}

static double largest_on_ranks(toc_mpi_scene *scene) {
    double most = 0;
    for (size_t b = 0; b < scene->bodies.count; b++) {
        const dist_body *body = &scene->bodies.at[b];
        for (size_t i = 0; i < body->x0.count; i++) most = fmax(most, fmax(fabs(body->x0.at[i]), fabs(body->x1.at[i])));
    }
    toc_dist_most(&scene->link, 1, &most);
    return most;
}

static toc_status search_close(dist_question *q, double separation, safe_ranks *s) {
    toc_mpi_scene *scene = q->scene;
    toc_contacts *contacts;
    if (s->until < 1) TOC_TRY(shorten_motion(scene, s->until));
    // The lowest corner is that of whole paths: shortened ones can be outside of the region.
    TOC_TRY(toc_scene_set_region(scene->work.scene, NULL, NULL));
    toc_dist_use_filter(q);
    TOC_TRY(toc_scene_find_contacts(scene->work.scene, &q->query, NULL, &contacts));
    const toc_status status = keep_close(scene, contacts, separation, q->thin, s);
    toc_contacts_destroy(contacts);
    return status;
}

// Bounds grow a little more than the separation: rounded ends may leave the boxes of the paths by 6 u M.
static toc_status find_close(toc_mpi_scene *scene, const toc_query *query, safe_ranks *s) {
    const double rounding = 0x1p-46 * largest_on_ranks(scene) + 0x1p-1070;
    dist_question q = {.query = *query, .span = DIST_STEP, .thin = query->thin, .question = 5};
    q.query.answer = TOC_ANSWER_ALL;
    q.query.test.separation = fmin(query->test.separation + rounding, DBL_MAX);
    q.distance = fmin(q.query.test.separation + rounding, DBL_MAX);
    TOC_TRY(toc_dist_begin(scene, TOC_OK, &q));
    return toc_dist_agree(&scene->link, search_close(&q, query->test.separation, s));
}

// ---- shortening

static toc_status is_apart_until(const close_pair *c, const toc_pair *pair, double to, bool *apart) {
    toc_pair_test test = toc_pair_test_default();
    toc_hit hit;
    test.to = to;
    test.separation = c->separation;
    TOC_TRY(toc_pair_find(c->contact.kind, pair, &test, &hit));
    *apart = hit.verdict == TOC_APART;
    return TOC_OK;
}

static toc_status is_free_at(const safe_ranks *s, const close_pair *c, double fraction, bool *is_free) {
    assert(fraction >= 0 && fraction <= 1);
    *is_free = true;
    if (fraction == 0 || c->contact.toc * s->until * (1 - 0x1p-50) > fraction) return TOC_OK;
    toc_pair rounded = c->motion;
    toc_positions_interpolate(fraction, 12, c->motion.x0[0], c->motion.x1[0], NULL, rounded.x1[0]);
    TOC_TRY(is_apart_until(c, &rounded, 1, is_free));
    return *is_free ? is_apart_until(c, &c->motion, fraction, is_free) : TOC_OK;
}

// Whether one pair, or for NULL all pairs of all ranks, are free. Collective for all pairs.
static toc_status are_free(const safe_ranks *s, const close_pair *one, double fraction, bool *free_all) {
    if (one) return is_free_at(s, one, fraction, free_all);
    toc_status mine = TOC_OK;
    *free_all = true;
    for (size_t i = 0; i < s->pairs.count && *free_all && mine == TOC_OK; i++)
        mine = is_free_at(s, &s->pairs.at[i], fraction, free_all);
    TOC_TRY(toc_dist_agree(s->link, mine));
    *free_all = toc_dist_all(s->link, *free_all);
    return TOC_OK;
}

static toc_status shorten_for(const safe_ranks *s, const close_pair *one, double *fraction) {
    const double resolution = RESOLUTION * *fraction;
    double taken = *fraction, good = 0;
    bool is_free = false;
    for (double less = resolution; !is_free && taken - less > 0; less *= 2) {
        good = taken - less;
        TOC_TRY(are_free(s, one, good, &is_free));
        if (!is_free) taken = good;
    }
    if (!is_free) good = 0;
    while (taken - good > resolution) {
        const double middle = good + (taken - good) / 2;
        if (!(good < middle && middle < taken)) break;
        TOC_TRY(are_free(s, one, middle, &is_free));
        *(is_free ? &good : &taken) = middle;
    }
    *fraction = good;
    return TOC_OK;
}

// The next pair in the circle that is not free: its order, and whether the circle begins anew before it.
typedef struct next_pair {
    int there, wrapped;
    toc_mpi_contact contact;
} next_pair;

static bool comes_sooner(const next_pair *a, const next_pair *b) {
    if (!a->there || !b->there) return a->there > b->there;
    if (a->wrapped != b->wrapped) return a->wrapped < b->wrapped;
    return toc_dist_compare_contacts(&a->contact, &b->contact) < 0;
}

// The first pair of this rank behind a place of the circle that is not free.
static toc_status next_of_rank(const safe_ranks *s, const toc_mpi_contact *behind, double fraction, next_pair *out,
                               const close_pair **pair) {
    size_t start = 0;
    memset(out, 0, sizeof *out);
    while (behind && start < s->pairs.count && toc_dist_compare_contacts(&s->pairs.at[start].contact, behind) <= 0)
        start++;
    for (size_t i = 0; i < s->pairs.count; i++) {
        const close_pair *c = &s->pairs.at[(start + i) % s->pairs.count];
        bool is_free;
        TOC_TRY(is_free_at(s, c, fraction, &is_free));
        if (is_free) continue;
        out->there = 1;
        out->wrapped = start + i >= s->pairs.count;
        out->contact = c->contact;
        *pair = c;
        return TOC_OK;
    }
    return TOC_OK;
}

// The first of all ranks; -1 where all pairs are free. Collective.
static toc_status next_of_all(const safe_ranks *s, next_pair *own, int *rank) {
    dist_link *link = s->link;
    next_pair *all = toc_new(&link->memory, (size_t)link->size, sizeof *all);
    const toc_status status = toc_dist_agree(link, all ? TOC_OK : TOC_OUT_OF_MEMORY);
    if (status == TOC_OK) {
        link->rounds++;
        MPI_Allgather(own, (int)sizeof *own, MPI_BYTE, all, (int)sizeof *own, MPI_BYTE, link->comm);
        *rank = -1;
        for (int r = 0; r < link->size; r++)
            if (all[r].there && (*rank < 0 || comes_sooner(&all[r], &all[*rank]))) *rank = r;
        if (*rank >= 0) *own = all[*rank];
    }
    toc_free(&link->memory, all, (size_t)link->size, sizeof *all);
    return status;
}

static toc_status free_pairs(safe_ranks *s, double *fraction) {
    toc_mpi_contact behind;
    bool begun = false;
    for (int alone = 0;; alone++) {
        next_pair next;
        const close_pair *pair = NULL;
        int rank;
        TOC_TRY(toc_dist_agree(s->link, next_of_rank(s, begun ? &behind : NULL, *fraction, &next, &pair)));
        TOC_TRY(next_of_all(s, &next, &rank));
        if (rank < 0) return TOC_OK;
        if (alone == PAIRS_ALONE) return shorten_for(s, NULL, fraction);
        toc_status mine = TOC_OK;
        if (rank == s->link->rank) mine = shorten_for(s, pair, fraction);
        TOC_TRY(toc_dist_agree(s->link, mine));
        MPI_Bcast(fraction, 1, MPI_DOUBLE, rank, s->link->comm);
        s->link->rounds++;
        behind = next.contact;
        begun = true;
    }
}

// ---- parabolas

// Fractions below the first contact, less and less of it, until a search finds none before.
static toc_status find_safe_part(toc_mpi_scene *scene, toc_query query, double time, double *fraction) {
    bool is_free = false;
    double found = 0;
    query.answer = TOC_ANSWER_ANY;
    for (double less = RESOLUTION; !is_free && less < 1; less *= 256) {
        toc_mpi_contacts *contacts;
        found = query.test.to = time * (1 - less);
        TOC_TRY(toc_mpi_scene_find_contacts(scene, &query, &contacts));
        is_free = contacts->total == 0;
        toc_mpi_contacts_destroy(contacts);
    }
    *fraction = is_free ? found : 0;
    return TOC_OK;
}

toc_status toc_mpi_scene_find_safe_step(toc_mpi_scene *scene, const toc_query *query, double *fraction) {
    TOC_SCOPED_ARITHMETIC;
    TOC_NEED(scene);
    toc_query settings;
    toc_mpi_contacts *contacts;
    toc_status mine = toc_dist_take_query(query, &settings);
    if (mine == TOC_OK && !fraction) mine = toc_fail(TOC_BAD_INPUT, "fraction is NULL");
    TOC_TRY(toc_dist_agree(&scene->link, mine));
    settings.answer = TOC_ANSWER_FIRST;
    settings.test.from = 0;
    settings.test.to = 1;
    TOC_TRY(toc_mpi_scene_find_contacts(scene, &settings, &contacts));
    const double time = contacts->first;
    toc_mpi_contacts_destroy(contacts);
    if (time > 1 || time == 0) {
        *fraction = time == 0 ? 0 : 1;
        return TOC_OK;
    }
    if (scene->is_accelerated) return find_safe_part(scene, settings, time, fraction);
    safe_ranks s = {.link = &scene->link, .until = fmin(time * LATEST, 1)};
    double found = s.until;
    toc_status status = find_close(scene, &settings, &s);
    if (status == TOC_OK) status = free_pairs(&s, &found);
    toc_array_free(&scene->link.memory, &s.pairs);
    if (status == TOC_OK) *fraction = found;
    return status;
}
