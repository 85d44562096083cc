// SPDX-License-Identifier: Apache-2.0
// Pairs within the thickness on the predicted motion of a step, as constraints of its substeps. One query a step. Pairs
// that come near by forces within the step alone are not among them; impacts resolve those.
#include "sim/body/rigid.h"
#include "sim/core/vector.h"
#include "sim/response/contact.h"

// Share of the target by which a substep may widen a gap that began below it. A whole thickness at once would add
// speed.
static const double recovery = 0.02;

static double largest_thickness(const toc_sim *sim) {
    double largest = 0;
    for (size_t b = 0; b < sim->bodies.count; b++) largest = fmax(largest, sim->bodies.items[b].material.thickness);
    return largest;
}

// Where the bodies get to without forces but gravity.
static void predict_step(toc_sim *sim, double step, double (*x)[3]) {
    for (size_t i = 0; i < sim->particle_count; i++) {
        sim_copy(sim->x[i], x[i]);
        sim_add(step, sim->v[i], x[i]);
        if (sim->w[i] > 0) sim_add(step * step, sim->settings.gravity, x[i]);
    }
    for (size_t b = 0; b < sim->bodies.count; b++) {
        const uint32_t r = sim->bodies.items[b].rigid;
        if (r != SIM_NONE) toc_sim_rigid_predict(sim, &sim->rigids.items[r], 0, step);
    }
    toc_sim_rigids_place(sim, x);
    for (size_t i = 0; i < sim->rigids.count; i++) {
        sim_rigid *r = &sim->rigids.items[i];
        r->now = r->start;
        sim_copy(r->start_velocity, r->velocity);
        sim_copy(r->start_angular, r->angular);
    }
}

// The direction between the closest points when the pair comes within the thickness. Features that touch there, to
// rounding, have the normal of the query.
static double near_normal(const toc_sim *sim, double (*x1)[3], const toc_contact *contact, double normal[3]) {
    double gap[3] = {0, 0, 0};
    for (int k = 0; k < 4; k++) {
        const int side = k >= (contact->kind == TOC_VF ? 1 : 2);
        const uint32_t particle = sim->bodies.items[contact->body[side]].first + contact->v[k];
        const double weight = side ? -contact->weights[k] : contact->weights[k];
        sim_add(weight * (1 - contact->toc), sim->x0[particle], gap);
        sim_add(weight * contact->toc, x1[particle], gap);
    }
    const double distance = sim_length(gap);
    if (distance > 1e-9 * sim->extent) {
        for (int k = 0; k < 3; k++) normal[k] = gap[k] / distance;
    } else {
        sim_copy(contact->normal, normal);
    }
    return distance;
}

static toc_status keep_near(toc_sim *sim, double (*x1)[3], const toc_contacts *found) {
    SIM_TRY(sim_array_reserve(&sim->memory, &sim->contacts, found->count));
    for (size_t i = 0; i < found->count; i++) {
        double normal[3];
        const double distance = near_normal(sim, x1, &found->contacts[i], normal);
        const sim_contact c = toc_sim_contact_make(sim, &found->contacts[i], normal);
        // The query asks for the largest thickness of all bodies.
        if (distance <= c.target * (1 + 1e-6)) sim->contacts.items[sim->contacts.count++] = c;
    }
    return TOC_OK;
}

toc_status toc_sim_contacts_find(toc_sim *sim, double step) {
    sim->contacts.count = 0;
    const double thickness = largest_thickness(sim);
    if (thickness == 0) return TOC_OK;
    double(*x1)[3] = (double(*)[3])(void *)sim->scratch.items;
    predict_step(sim, step, x1);
    const double began = toc_sim_seconds();
    SIM_TRY(toc_sim_scene_move(sim, x1));
    toc_query query = toc_sim_query_make(sim);
    query.test.separation = thickness;
    toc_contacts *found;
    SIM_TRY(toc_scene_find_contacts(sim->scene, &query, &found));
    sim->detection_seconds += toc_sim_seconds() - began;
    const toc_status status = keep_near(sim, x1, found);
    toc_contacts_destroy(found);
    return status;
}

void toc_sim_contacts_solve(toc_sim *sim, double h) {
    (void)h;
    for (size_t i = 0; i < sim->contacts.count; i++) {
        const sim_contact *c = &sim->contacts.items[i];
        const double before = toc_sim_contact_gap(sim, c, sim->before, 1);
        const double goal = fmin(c->target, before + recovery * c->target);
        toc_sim_contact_solve(sim, c, goal, sim->before, 1);
    }
}
