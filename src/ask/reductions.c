// SPDX-License-Identifier: Apache-2.0
// Contacts reduced to the earliest time of each vertex, element, body or pair of bodies. Passes over a list: no
// allocation, no failure.
#include <math.h>
#include <stdlib.h>

#include "base/arithmetic.h"
#include "toccata/scene.h"

static void lower_time(double *time, double toc) {
    if (toc < *time) *time = toc;
}

static void find_vertex_times(const toc_contacts *contacts, uint32_t body, size_t count, double *times) {
    for (size_t i = 0; i < contacts->count; i++) {
        const toc_contact *c = &contacts->contacts[i];
        const int second = c->kind == TOC_VF ? 1 : 2;
        for (int k = 0; k < 4; k++)
            if (c->body[k >= second] == body && c->v[k] < count) lower_time(&times[c->v[k]], c->toc);
    }
}

// ---- elements

typedef struct id_list {
    size_t count;
    const uint32_t *at;
} id_list;

static id_list list_at(const toc_lists *lists, size_t i) {
    return (id_list){lists->first[i + 1] - lists->first[i], lists->items + lists->first[i]};
}

static id_list elements_of_vertex(const toc_features *f, uint32_t v) {
    size_t low = 0, high = f->vertex_count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (f->vertices[middle] < v)
            low = middle + 1;
        else
            high = middle;
    }
    return low < f->vertex_count && f->vertices[low] == v ? list_at(&f->vertex_elements, low) : (id_list){0, NULL};
}

static id_list elements_of_edge(const toc_features *f, const uint32_t v[2]) {
    const uint32_t a = v[0] < v[1] ? v[0] : v[1], b = v[0] < v[1] ? v[1] : v[0];
    size_t low = 0, high = f->edge_count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        const uint32_t *edge = f->edges[middle];
        if (edge[0] < a || (edge[0] == a && edge[1] < b))
            low = middle + 1;
        else
            high = middle;
    }
    const bool found = low < f->edge_count && f->edges[low][0] == a && f->edges[low][1] == b;
    return found ? list_at(&f->edge_elements, low) : (id_list){0, NULL};
}

static bool has_id(id_list list, uint32_t id) {
    size_t low = 0, high = list.count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (list.at[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < list.count && list.at[low] == id;
}

static void lower_elements(id_list elements, id_list also, double toc, size_t count, double *times) {
    for (size_t i = 0; i < elements.count; i++)
        if (elements.at[i] < count && (!also.at || has_id(also, elements.at[i])))
            lower_time(&times[elements.at[i]], toc);
}

// A feature of 1, 2 or 3 vertices. The elements of a face have an edge of it and its third vertex.
static void lower_feature(const toc_features *f, const uint32_t *v, int corners, double toc, size_t count,
                          double *times) {
    const id_list all = {0, NULL};
    if (corners == 1)
        lower_elements(elements_of_vertex(f, v[0]), all, toc, count, times);
    else
        lower_elements(elements_of_edge(f, v), corners == 3 ? elements_of_vertex(f, v[2]) : all, toc, count, times);
}

static void find_element_times(const toc_contacts *contacts, uint32_t body, const toc_features *features, size_t count,
                               double *times) {
    for (size_t i = 0; i < contacts->count; i++) {
        const toc_contact *c = &contacts->contacts[i];
        const int second = c->kind == TOC_VF ? 1 : 2;
        if (c->body[0] == body) lower_feature(features, c->v, second, c->toc, count, times);
        if (c->body[1] == body) lower_feature(features, c->v + second, 4 - second, c->toc, count, times);
    }
}

void toc_contacts_find_times(const toc_contacts *contacts, uint32_t body, const toc_features *features, size_t count,
                             double *times) {
    TOC_SCOPED_ARITHMETIC;
    if (!times) return;
    for (size_t i = 0; i < count; i++) times[i] = INFINITY;
    if (!contacts) return;
    if (features)
        find_element_times(contacts, body, features, count, times);
    else
        find_vertex_times(contacts, body, count, times);
}

// ---- bodies

static int by_bodies_and_time(const void *a, const void *b) {
    const toc_body_pair *x = a, *y = b;
    for (int k = 0; k < 2; k++)
        if (x->body[k] != y->body[k]) return x->body[k] < y->body[k] ? -1 : 1;
    return (x->toc > y->toc) - (x->toc < y->toc);
}

static toc_body_pair body_pair_of(const toc_contact *c) {
    const int low = c->body[0] > c->body[1];
    return (toc_body_pair){{c->body[low], c->body[!low]}, c->toc};
}

size_t toc_contacts_find_body_pairs(const toc_contacts *contacts, toc_body_pair *pairs) {
    TOC_SCOPED_ARITHMETIC;
    size_t kept = 0;
    if (!contacts || !pairs) return 0;
    for (size_t i = 0; i < contacts->count; i++) pairs[i] = body_pair_of(&contacts->contacts[i]);
    qsort(pairs, contacts->count, sizeof *pairs, by_bodies_and_time);
    for (size_t i = 0; i < contacts->count; i++) {
        const toc_body_pair *last = kept ? &pairs[kept - 1] : NULL;
        if (last && last->body[0] == pairs[i].body[0] && last->body[1] == pairs[i].body[1]) continue;
        pairs[kept++] = pairs[i];
    }
    return kept;
}
