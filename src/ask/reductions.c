// SPDX-License-Identifier: Apache-2.0
// Contacts reduced to the earliest time of each vertex, body or pair of bodies. Passes over a list: no allocation, no
// failure.
#include <math.h>
#include <stdlib.h>

#include "toccata/scene.h"

static void fill_infinite(size_t count, double *times) {
    for (size_t i = 0; i < count; i++) times[i] = INFINITY;
}

static void lower_time(double *time, double toc) {
    if (toc < *time) *time = toc;
}

void toc_contacts_find_vertex_times(const toc_contacts *contacts, uint32_t body, size_t count, double *times) {
    if (!times) return;
    fill_infinite(count, times);
    for (size_t i = 0; contacts && i < contacts->count; i++) {
        const toc_contact *c = &contacts->contacts[i];
        const int second = c->kind == TOC_VF ? 1 : 2;
        for (int k = 0; k < 4; k++)
            if (c->body[k >= second] == body && c->v[k] < count) lower_time(&times[c->v[k]], c->toc);
    }
}

void toc_contacts_find_body_times(const toc_contacts *contacts, size_t count, double *times) {
    if (!times) return;
    fill_infinite(count, times);
    for (size_t i = 0; contacts && i < contacts->count; i++)
        for (int k = 0; k < 2; k++)
            if (contacts->contacts[i].body[k] < count)
                lower_time(&times[contacts->contacts[i].body[k]], contacts->contacts[i].toc);
}

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
