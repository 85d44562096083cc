// SPDX-License-Identifier: Apache-2.0
// Pairs of the swarm: decided once, asked in many images, in batches and one by one.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "campaign/swarm.h"
#include "toccata/toccata.h"

enum { PAIRS = 384, IMAGES = 48, ALONE = 8 };

typedef struct pair_block {
    uint64_t seed;
    trial_random random;
    swarm_counts *counts;
    toc_kind kind;
    lattice_pair pairs[PAIRS];
    lattice_answer truth[PAIRS];
    swarm_map map;
    toc_pair images[PAIRS];
} pair_block;

// ---- pairs

// Degenerate in many ways: vertices at rest, in one place, in a plane, moved alike, edges and faces without extent.
static void make_pair(pair_block *b, int size, lattice_pair *pair) {
    trial_random *r = &b->random;
    for (int i = 0; i < 24; i++)
        (i < 12 ? pair->x0 : pair->x1)[i % 12 / 3][i % 3] = (int)trial_below(r, (uint32_t)(2 * size + 1)) - size;
    const uint32_t special = trial_below(r, 8);
    for (int i = 0; i < 4; i++) {
        if (special == 0 || (special == 1 && i > 0)) pair->x0[i][2] = pair->x1[i][2] = 0;
        if (special == 2 && trial_chance(r, 0.5)) memcpy(pair->x1[i], pair->x0[i], sizeof pair->x0[i]);
        if (special == 3 && i > 1)
            for (int k = 0; k < 3; k++) pair->x1[i][k] = pair->x0[i][k];
        if (special == 4 && i > 0 && trial_chance(r, 0.4)) memcpy(pair->x0[i], pair->x0[i - 1], sizeof pair->x0[i]);
        if (special == 5 && i > 0 && trial_chance(r, 0.4)) memcpy(pair->x1[i], pair->x1[i - 1], sizeof pair->x0[i]);
    }
}

static void make_pairs(pair_block *b) {
    static const int sizes[] = {1, 2, 2, 4, 4, 8};
    const int size = sizes[trial_below(&b->random, 6)];
    b->kind = (toc_kind)trial_below(&b->random, 2);
    for (int i = 0; i < PAIRS; i++) {
        make_pair(b, size, &b->pairs[i]);
        swarm_decide(b->counts, b->kind, &b->pairs[i], &b->truth[i]);
    }
}

static void map_pairs(pair_block *b) {
    b->map = swarm_map_make(&b->random);
    for (int i = 0; i < PAIRS; i++)
        for (int k = 0; k < 4; k++) {
            swarm_map_point(&b->map, b->pairs[i].x0[k], 0, b->images[i].x0[k]);
            swarm_map_point(&b->map, b->pairs[i].x1[k], 1, b->images[i].x1[k]);
        }
}

// ---- questions

static void check_answer(pair_block *b, const char *asked, int i, toc_verdict verdict, double time) {
    const lattice_answer *truth = &b->truth[i];
    if ((verdict != TOC_APART) != truth->touches)
        swarm_fail(b->counts, b->seed, "%s: pair %d %s", asked, i, truth->touches ? "missed" : "invented");
    else if (verdict != TOC_APART && !swarm_time_is_right(truth, time))
        swarm_fail(b->counts, b->seed, "%s: pair %d at %.17g, truly in [%.17g, %.17g]", asked, i, time, truth->low,
                   truth->high);
    b->counts->contacts += truth->touches;
}

// As columns, or as vertices of two bodies.
static void ask_batch(pair_block *b, bool listed) {
    static double columns[24][PAIRS];
    static uint32_t vertices[PAIRS][4];
    static toc_verdict verdicts[PAIRS];
    static double times[PAIRS], ends[2][PAIRS * 12];
    toc_pair_batch batch = {.kind = b->kind, .count = PAIRS};
    const toc_pair_test test = toc_pair_test_default();
    for (int i = 0; i < PAIRS; i++)
        for (int k = 0; k < 12; k++) {
            columns[k][i] = ends[0][12 * i + k] = b->images[i].x0[k / 3][k % 3];
            columns[12 + k][i] = ends[1][12 * i + k] = b->images[i].x1[k / 3][k % 3];
            if (k < 4) vertices[i][k] = (uint32_t)(4 * i + k);
        }
    for (int k = 0; k < 12; k++) batch.x0[k] = columns[k], batch.x1[k] = columns[12 + k];
    if (listed) batch.vertices = (const uint32_t(*)[4])vertices;
    for (int body = 0; body < 2; body++) batch.body0[body] = ends[0], batch.body1[body] = ends[1];
    if (toc_pair_find_batch(&batch, &test, verdicts, times) != TOC_OK)
        swarm_fail(b->counts, b->seed, "batch: %s", toc_message_get());
    for (int i = 0; i < PAIRS; i++) check_answer(b, listed ? "listed batch" : "batch", i, verdicts[i], times[i]);
    b->counts->pairs += PAIRS;
}

static void check_hit(pair_block *b, const char *asked, int i, const toc_hit *hit) {
    const int first = b->kind == TOC_VF ? 1 : 2;
    double sums[2] = {0, 0};
    check_answer(b, asked, i, hit->verdict, hit->toc);
    if (hit->verdict == TOC_APART) return;
    for (int k = 0; k < 4; k++) {
        sums[k >= first] += hit->weights[k];
        if (!(hit->weights[k] >= 0 && hit->weights[k] <= 1))
            swarm_fail(b->counts, b->seed, "%s: pair %d has a weight %g", asked, i, hit->weights[k]);
    }
    if (fabs(sums[0] - 1) > 0x1p-51 || fabs(sums[1] - 1) > 0x1p-51)
        swarm_fail(b->counts, b->seed, "%s: pair %d has weights that sum to %.17g and %.17g", asked, i, sums[0],
                   sums[1]);
}

// All touches begin with the first contact and do not overlap.
static void check_touches(pair_block *b, int i, const toc_touches *touches) {
    const lattice_answer *truth = &b->truth[i];
    if ((touches->count > 0) != truth->touches) {
        swarm_fail(b->counts, b->seed, "touches: %zu of pair %d", touches->count, i);
        return;
    }
    if (touches->count && (touches->at[0].enter > truth->high || touches->at[0].enter < nextafter(truth->low, -1)))
        swarm_fail(b->counts, b->seed, "touches: pair %d enters at %.17g", i, touches->at[0].enter);
    for (size_t k = 0; k < touches->count; k++) {
        const toc_touch *t = &touches->at[k];
        if (t->enter > t->leave || (k > 0 && t->leave <= touches->at[k - 1].enter))
            swarm_fail(b->counts, b->seed, "touches: those of pair %d are out of order", i);
    }
}

static void ask_alone(pair_block *b, int i) {
    toc_pair_test test = toc_pair_test_default();
    toc_touches touches;
    toc_hit hit;
    for (int m = 0; m < 2; m++) {
        test.method = m ? TOC_METHOD_EXACT : TOC_METHOD_CERTIFIED;
        if (toc_pair_find(b->kind, &b->images[i], &test, &hit) != TOC_OK)
            swarm_fail(b->counts, b->seed, "pair: %s", toc_message_get());
        else
            check_hit(b, m ? "exact" : "certified", i, &hit);
    }
    if (toc_pair_find_touches(b->kind, &b->images[i], 0, &touches) != TOC_OK)
        swarm_fail(b->counts, b->seed, "touches: %s", toc_message_get());
    else
        check_touches(b, i, &touches);
    b->counts->calls += 3;
}

void swarm_pairs(uint64_t seed, swarm_counts *counts) {
    static pair_block b;
    b.seed = seed;
    b.random = (trial_random){trial_hash(seed, 0x73776172)};
    b.counts = counts;
    make_pairs(&b);
    for (int image = 0; image < IMAGES; image++) {
        map_pairs(&b);
        ask_batch(&b, image % 2);
        for (int i = 0; i < ALONE && image == 0; i++) ask_alone(&b, (int)trial_below(&b.random, PAIRS));
    }
}
