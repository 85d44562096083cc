// SPDX-License-Identifier: Apache-2.0
// The place of a contact whose time is known: weights, point and normal, in floating point.
#include <assert.h>
#include <string.h>

#include "pair/distance.h"
#include "pair/hit_place.h"
#include "pair/pair.h"

void toc_hit_locate(toc_kind kind, const double x0[4][3], const double x1[4][3], toc_hit *hit) {
    assert(kind == TOC_VF || kind == TOC_EE);
    assert(hit->verdict != TOC_APART && 0 <= hit->toc && hit->toc <= 1);
    toc_vec p[4];
    vertices_at(x0, x1, hit->toc, p);
    const toc_closest closest = toc_closest_pair(kind, p);
    memcpy(hit->weights, closest.weights, sizeof hit->weights);
    place_hit(kind, x0, x1, hit);
}

void toc_weights_tidy(int count, double *weights) { tidy_weights(count, weights); }

void toc_hit_place(toc_kind kind, const double x0[4][3], const double x1[4][3], toc_hit *hit) {
    assert(kind == TOC_VF || kind == TOC_EE);
    assert(0 <= hit->toc && hit->toc <= 1);
    place_hit(kind, x0, x1, hit);
}
