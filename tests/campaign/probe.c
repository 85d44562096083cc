// SPDX-License-Identifier: Apache-2.0
// Probes of a scene: closest points, hits of segments, bodies around points and inside of others, by brute force.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "campaign/solver.h"

static const model_body *random_body(const model *m, trial_random *r) {
    const model_body *b = &m->bodies[trial_below(r, m->body_count)];
    return b->vertex_count ? b : NULL;
}

// A vertex, a place between some vertices, or a place around them.
static void place_probe(const model *m, const trial_question *q, trial_random *r, double at[3]) {
    const model_body *b = random_body(m, r);
    const uint32_t mixed = trial_below(r, 5); // so many more vertices
    memset(at, 0, 3 * sizeof *at);
    if (!b) return;
    const double(*x)[3] = q->end ? b->x1 : b->x0;
    memcpy(at, x[trial_below(r, b->vertex_count)], 3 * sizeof *at);
    for (uint32_t i = 0; i < mixed; i++) {
        const double *to = x[trial_below(r, b->vertex_count)];
        const double share = trial_chance(r, 0.6) ? 0.5 : trial_between(r, 0, 1);
        for (int k = 0; k < 3; k++) at[k] += share * (to[k] - at[k]);
    }
    if (trial_chance(r, 0.3)) {
        const double *from = x[trial_below(r, b->vertex_count)], *to = x[trial_below(r, b->vertex_count)];
        for (int k = 0; k < 3; k++) at[k] += trial_between(r, -1, 1) * (to[k] - from[k]);
    }
}

void probe_points(const model *m, const trial_question *q, double (*at)[3], int count) {
    trial_random r = {trial_hash(q->salt, 30)};
    for (int i = 0; i < count; i++) place_probe(m, q, &r, at[i]);
}

uint64_t probe_mask(const trial_question *q) {
    trial_random r = {trial_hash(q->salt, 31)};
    return trial_chance(&r, 0.8) ? UINT64_MAX : 1 + trial_below(&r, 3);
}

double probe_reach(const trial_question *q) {
    trial_random r = {trial_hash(q->salt, 32)};
    return trial_chance(&r, 0.6) ? INFINITY : q->thickness;
}

void probe_question(check_state *s, toc_scene *scene, const trial_question *q) {
    check_answer a;
    if (!check_ask(s, scene, q, &a)) return;
    check_free(&a);
}
