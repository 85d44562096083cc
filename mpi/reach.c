// SPDX-License-Identifier: Apache-2.0
// Where elements reach: the ranks that each is sent to, for some steps ahead, and whether these still suffice.
#include <assert.h>
#include <math.h>

#include "mpi/work.h"

static double motion_of_element(const toc_mpi_scene *scene, size_t flat) {
    const dist_body *body = &scene->bodies.at[scene->flat.elements.at[flat].body];
    const size_t at = 3 * (size_t)dist_element_at(scene, flat)->corner[0];
    double most = 0;
    for (size_t c = at; c < at + 3; c++) most = dist_higher(most, fabs(body->x1.at[c] - body->x0.at[c]));
    return most;
}

enum { SAMPLE = 8 }; // the mean is that of one element in this many

dist_typical toc_dist_typical_find(toc_mpi_scene *scene, dist_span span) {
    double sums[3] = {0, 0, 0};
    for (size_t i = 0; i < scene->flat.elements.count; i += SAMPLE) {
        const dist_region box = toc_dist_bound(scene, i, span, 0);
        double size = 0;
        for (int c = 0; c < 3; c++) size = dist_higher(size, box.high[c] - box.low[c]);
        sums[0] += size;
        sums[1] += motion_of_element(scene, i);
        sums[2] += 1;
    }
    toc_dist_sum(&scene->link, 3, sums);
    if (!(sums[2] > 0 && isfinite(sums[0] + sums[1]))) return (dist_typical){0, 0};
    return (dist_typical){sums[0] / sums[2], sums[1] / sums[2]};
}

// ---- how far ahead

// In searches of the elements of a rank: to send them, to build a local scene and its tree; and to keep copies that do
// not reach the region yet, one for each element. These take a tenth of the time of an element, but all of its memory
// and traffic: with less than 1 here, two ranks were no faster, and had up to as many copies as elements.
static const double COST_OF_SENDING = 2, COST_OF_COPIES = 1;

double toc_dist_ahead_at(int choice) { return ldexp(0.5, choice); }

// Elements that are sent for more steps ahead stay longer where they are, and there are more copies of them.
double toc_dist_ahead_choose(const double shares[DIST_AHEADS], double trust, double longest) {
    double best = INFINITY, ahead = 0;
    for (int k = 0; k < DIST_AHEADS; k++) {
        const double served = fmin(1 + trust * toc_dist_ahead_at(k), longest);
        const double cost = COST_OF_COPIES * shares[k] + COST_OF_SENDING / served;
        if (cost < best) ahead = toc_dist_ahead_at(k);
        best = fmin(best, cost);
    }
    return ahead;
}

double toc_dist_slack(double ahead, dist_typical typical) { return ahead * typical.motion; }

// The copies of an element for each choice. Boxes of fewer steps are inside of those of more.
static bool add_copies(toc_mpi_scene *scene, size_t flat, dist_span span, double growth, dist_typical typical,
                       double *copies) {
    for (int k = DIST_AHEADS - 1; k >= 0; k--) {
        const double ahead = toc_dist_ahead_at(k);
        const dist_region box = toc_dist_bound_ahead(scene, flat, span, growth, ahead, toc_dist_slack(ahead, typical));
        int *ranks;
        const int found = toc_dist_partition_reach(&scene->partition, &scene->link, &box, &ranks);
        if (found < 0) return false;
        if (found == 1) break;
        copies[k] += found - 1;
    }
    return true;
}

// How long the plan that ends has held.
static void learn_from_last(dist_plan *plan) {
    static const double most = 4; // a pause says little about the motion after it
    if (plan->trust == 0) plan->trust = 1;
    if (plan->age > 0 && plan->is_outrun) plan->trust = (plan->trust + dist_lower(plan->age / plan->ahead, most)) / 2;
    plan->longest = plan->age > 0 && !plan->is_outrun ? (double)plan->age : INFINITY;
}

void toc_dist_reach_choose_ahead(toc_mpi_scene *scene, dist_span span, double growth, dist_typical typical) {
    dist_plan *plan = &scene->plan;
    double sums[DIST_AHEADS + 1] = {0};
    bool good = true;
    learn_from_last(plan);
    for (size_t i = 0; i < scene->flat.elements.count && good; i += SAMPLE) {
        good = add_copies(scene, i, span, growth, typical, sums);
        sums[DIST_AHEADS] += 1;
    }
    toc_dist_sum(&scene->link, DIST_AHEADS + 1, sums);
    for (int k = 0; k < DIST_AHEADS; k++) sums[k] /= dist_higher(sums[DIST_AHEADS], 1);
    plan->ahead = toc_dist_ahead_choose(sums, plan->trust, plan->longest);
    plan->is_steady = dist_lower(plan->trust * plan->ahead, plan->longest) >= 1;
}

// ---- ranks

// The vertices of an element with one rank are inside of its region: no vertex has two of these.
static void note_inner(toc_mpi_scene *scene, size_t flat, int rank) {
    const dist_element *e = dist_element_at(scene, flat);
    const size_t first = scene->flat.body_first.at[scene->flat.elements.at[flat].body];
    for (int k = 0; k < toc_shape_count_corners((toc_shape)e->shape); k++)
        scene->plan.inner_of.at[first + e->corner[k]] = rank;
}

toc_status toc_dist_reach_find(toc_mpi_scene *scene, dist_span span, double growth, double slack) {
    dist_plan *plan = &scene->plan;
    const toc_allocator *memory = &scene->link.memory;
    const size_t count = scene->flat.elements.count;
    TOC_TRY(dist_array_renew(memory, &plan->reach_first, count + 1));
    TOC_TRY(dist_array_renew(memory, &plan->inner_of, scene->flat.flat_of.count));
    for (size_t i = 0; i < plan->inner_of.count; i++) plan->inner_of.at[i] = -1;
    plan->reach.count = plan->rims.count = 0;
    for (size_t i = 0; i < count; i++) {
        const dist_region box = toc_dist_bound_ahead(scene, i, span, growth, plan->ahead, slack);
        int *ranks;
        const int found = toc_dist_partition_reach(&scene->partition, &scene->link, &box, &ranks);
        if (found < 0) return toc_fail(TOC_INTERNAL, "Zoltan does not know the regions of a box");
        TOC_TRY(toc_array_reserve(memory, &plan->reach, (size_t)found));
        TOC_TRY(toc_array_reserve(memory, &plan->rims, 1));
        if (found > 1) plan->rims.at[plan->rims.count++] = box;
        if (found == 1) note_inner(scene, i, ranks[0]);
        plan->reach_first.at[i] = plan->reach.count;
        for (int k = 0; k < found; k++) plan->reach.at[plan->reach.count++] = ranks[k];
    }
    plan->reach_first.at[count] = plan->reach.count;
    return TOC_OK;
}

// Whether ascending ranks are all among others.
static bool are_among(int count, const int *ranks, size_t other_count, const int *others) {
    size_t at = 0;
    for (int k = 0; k < count; k++) {
        while (at < other_count && others[at] < ranks[k]) at++;
        if (at == other_count || others[at] != ranks[k]) return false;
    }
    return true;
}

// Whether an element reaches only where it was sent, asked of Zoltan.
static bool reaches_no_farther(toc_mpi_scene *scene, size_t flat, const dist_region *box) {
    const dist_plan *plan = &scene->plan;
    const uint64_t first = plan->reach_first.at[flat], count = plan->reach_first.at[flat + 1] - first;
    int *ranks;
    const int found = toc_dist_partition_reach(&scene->partition, &scene->link, box, &ranks);
    return found >= 0 && are_among(found, ranks, count, plan->reach.at + first);
}

// Whether a place, grown to all sides, is inside of a region. A box of such places is inside, too: its sides are
// theirs.
static inline bool holds_grown(const dist_region *r, const double *x, double growth) {
    return (r->low[0] < x[0] - growth) & (x[0] + growth < r->high[0]) & (r->low[1] < x[1] - growth) &
           (x[1] + growth < r->high[1]) & (r->low[2] < x[2] - growth) & (x[2] + growth < r->high[2]);
}

// Whether all elements with one rank are still inside of its region, by their vertices. Paths are straight.
static bool inner_stay(const toc_mpi_scene *scene, dist_span span, double growth) {
    bool stay = true;
    for (size_t b = 0; b < scene->bodies.count && stay; b++) {
        const dist_body *body = &scene->bodies.at[b];
        const int32_t *inner = scene->plan.inner_of.at + scene->flat.body_first.at[b];
        const double *first = span == DIST_END ? body->x1.at : body->x0.at;
        const double *last = span == DIST_START ? body->x0.at : body->x1.at;
        for (size_t i = 0; i < body->ids.count && stay; i++) {
            if (inner[i] < 0) continue;
            const dist_region *r = &scene->partition.regions.at[inner[i]];
            stay = holds_grown(r, first + 3 * i, growth) && holds_grown(r, last + 3 * i, growth);
        }
    }
    return stay;
}

// Whether every element reaches only where it was sent. Those with one rank are inside of its region; the boxes with
// which the others were sent are kept.
bool toc_dist_reach_covers(toc_mpi_scene *scene, dist_span span, double growth) {
    const dist_plan *plan = &scene->plan;
    const dist_region *rim = plan->rims.at;
    const bool bends = span == DIST_STEP && scene->is_accelerated;
    if (scene->partition.is_whole) return true;
    assert(plan->inner_of.count == scene->flat.flat_of.count);
    const bool rims_alone = !bends && inner_stay(scene, span, growth);
    for (size_t i = 0; i < scene->flat.elements.count; i++) {
        const uint64_t first = plan->reach_first.at[i];
        const bool is_rim = plan->reach_first.at[i + 1] - first > 1;
        if (rims_alone && !is_rim) continue;
        const dist_region box = toc_dist_bound(scene, i, span, growth);
        const dist_region *within = is_rim ? rim++ : &scene->partition.regions.at[plan->reach.at[first]];
        if (!dist_region_holds(within, &box) && !reaches_no_farther(scene, i, &box)) return false;
    }
    assert(rim == plan->rims.at + plan->rims.count);
    return true;
}
