// SPDX-License-Identifier: Apache-2.0
// The table of constraints. A material has its constraints in a file of its own, and a row here.
#include "sim/constraint/constraint.h"

#include <assert.h>

#include "sim/body/body.h"

/// A kind of constraint: how a body gets it, how a substep solves it, how the material changes at the end of a step.
typedef struct sim_constraint_kind {
    toc_status (*add)(toc_sim *sim, const sim_build *build); // NULL: not made from a body
    void (*solve)(toc_sim *sim, double h);
    void (*yield)(toc_sim *sim); // NULL: never
} sim_constraint_kind;

// In the order in which a substep solves them.
static const sim_constraint_kind kinds[] = {
    {toc_sim_springs_add, toc_sim_springs_solve, toc_sim_springs_yield},
    {toc_sim_hinges_add, toc_sim_hinges_solve, toc_sim_hinges_yield},
    {toc_sim_tets_add, toc_sim_tets_solve, NULL},
    {toc_sim_clusters_add, toc_sim_clusters_solve, NULL},
    {toc_sim_bag_add, toc_sim_bags_solve, NULL},
    {NULL, toc_sim_joints_solve, NULL},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

toc_status toc_sim_constraints_add(toc_sim *sim, const sim_build *build) {
    assert(build->material->motion == TOC_SIM_SOFT && build->first <= sim->particle_count);
    for (int i = 0; i < KINDS; i++)
        if (kinds[i].add) TOC_TRY(kinds[i].add(sim, build));
    return TOC_OK;
}

void toc_sim_constraints_solve(toc_sim *sim, double h) {
    assert(h > 0);
    for (int i = 0; i < KINDS; i++) kinds[i].solve(sim, h);
}

void toc_sim_constraints_yield(toc_sim *sim) {
    for (int i = 0; i < KINDS && sim->yields; i++)
        if (kinds[i].yield) kinds[i].yield(sim);
}
