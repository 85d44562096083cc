// SPDX-License-Identifier: Apache-2.0
// The contacts of the last step as a list, for drawing and writing.
#include <stdlib.h>
#include <string.h>

#include "base/answer.h"
#include "sim/core/vector.h"
#include "sim/response/contact.h"

static toc_near_pair report_contact(const toc_sim *sim, const sim_contact *c) {
    toc_near_pair pair = {.kind = c->split == 1 ? TOC_VF : TOC_EE, .time = 1, .thickness = c->target};
    double gap[3];
    for (int k = 0; k < 4; k++) {
        const int side = k >= c->split;
        pair.body[side] = sim->owner[c->v[k]];
        pair.v[k] = c->v[k] - sim->bodies.at[pair.body[side]].first;
        pair.weights[k] = fabs(c->weights[k]);
        sim_add(pair.weights[k], sim->x[c->v[k]], pair.points[side]);
    }
    sim_copy(c->normal, pair.normal);
    sim_sub(pair.points[0], pair.points[1], gap);
    pair.distance = sim_length(gap);
    return pair;
}

static int compare_ids(const toc_near_pair *p, const toc_near_pair *q) {
    if (p->kind != q->kind) return p->kind < q->kind ? -1 : 1;
    for (int i = 0; i < 2; i++)
        if (p->body[i] != q->body[i]) return p->body[i] < q->body[i] ? -1 : 1;
    for (int i = 0; i < 4; i++)
        if (p->v[i] != q->v[i]) return p->v[i] < q->v[i] ? -1 : 1;
    return 0;
}

static int compare_pairs(const void *a, const void *b) {
    const toc_near_pair *p = a, *q = b;
    const int by_ids = compare_ids(p, q);
    if (by_ids) return by_ids;
    // The same pair found again: an order by the bits, so that the choice does not depend on the sort.
    const int by_target = memcmp(&p->thickness, &q->thickness, sizeof p->thickness);
    return by_target ? by_target : memcmp(p->normal, q->normal, sizeof p->normal);
}

size_t toc_sim_get_contacts(const toc_sim *sim, toc_near_pair *pairs) {
    if (!sim) return 0;
    const size_t all = sim->contacts.count + sim->impacts.count;
    if (!pairs || all == 0) return all;
    for (size_t i = 0; i < sim->contacts.count; i++) pairs[i] = report_contact(sim, &sim->contacts.at[i]);
    for (size_t i = 0; i < sim->impacts.count; i++)
        pairs[sim->contacts.count + i] = report_contact(sim, &sim->impacts.at[i]);
    qsort(pairs, all, sizeof *pairs, compare_pairs);
    size_t kept = 1;
    for (size_t i = 1; i < all; i++)
        if (compare_ids(&pairs[i], &pairs[kept - 1]) != 0) pairs[kept++] = pairs[i];
    return kept;
}
