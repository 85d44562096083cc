// SPDX-License-Identifier: Apache-2.0
// Pairs within the thickness on the predicted motion of a step, as constraints of its substeps. One query a step. Pairs
// that come near by forces within the step alone are not among them; impacts resolve those.
#include <assert.h>

#include "sim/body/rigid.h"
#include "sim/core/vector.h"
#include "sim/response/contact.h"
#include "sim/response/kept.h"

// Share of the target by which a substep may widen a gap that began below it. A whole thickness at once would add
// speed.
static const double recovery = 0.02;

// Parts of the pairs that threads take one by one.
enum { KEEP_PARTS = 64 };

static double largest_thickness(const toc_sim *sim) {
    double largest = 0;
    for (size_t b = 0; b < sim->bodies.count; b++) largest = fmax(largest, sim->bodies.at[b].material.thickness);
    return largest;
}

/// A motion that is predicted.
typedef struct near_prediction {
    const toc_sim *sim;
    double step, (*x)[3];
} near_prediction;

static void predict_near(void *user, size_t first, size_t last) {
    const near_prediction *p = user;
    const toc_sim *sim = p->sim;
    for (size_t i = first; i < last; i++) {
        sim_copy(sim->x[i], p->x[i]);
        sim_add(p->step, sim->v[i], p->x[i]);
        if (sim->w[i] > 0) sim_add(p->step * p->step, sim->settings.gravity, p->x[i]);
    }
}

// Where the bodies get to without forces but gravity.
static void predict_step(toc_sim *sim, double step, double (*x)[3]) {
    toc_sim_loop_run(sim->threads, sim->particle_count, SIM_LEAST, predict_near, &(near_prediction){sim, step, x});
    for (size_t b = 0; b < sim->bodies.count; b++) {
        const uint32_t r = sim->bodies.at[b].rigid;
        if (r != SIM_NONE) toc_sim_rigid_predict(sim, &sim->rigids.at[r], 0, step);
    }
    toc_sim_rigids_place(sim, x);
    for (size_t i = 0; i < sim->rigids.count; i++) {
        sim_rigid *r = &sim->rigids.at[i];
        r->now = r->start;
        sim_copy(r->start_velocity, r->velocity);
        sim_copy(r->start_angular, r->angular);
    }
}

// The direction between the closest points when the pair comes within the thickness. Features that touch there, to
// rounding, have the normal of the query.
static double near_normal(const toc_sim *sim, double (*x1)[3], const toc_contact *contact, double normal[3]) {
    double gap[3] = {0, 0, 0};
    assert(contact->body[0] < sim->bodies.count && contact->body[1] < sim->bodies.count);
    for (int k = 0; k < 4; k++) {
        const int side = k >= (contact->kind == TOC_VF ? 1 : 2);
        const uint32_t particle = sim->bodies.at[contact->body[side]].first + contact->v[k];
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

/// Pairs that a question found, as constraints. Each part of them writes where its own pairs would be.
typedef struct near_parts {
    toc_sim *sim;
    double (*x1)[3];
    const toc_contacts *found;
    size_t kept[KEEP_PARTS];
} near_parts;

static size_t first_of_part(const near_parts *parts, size_t part) { return parts->found->count * part / KEEP_PARTS; }

// The question is about the largest thickness of all bodies.
static void keep_part(near_parts *parts, size_t part) {
    toc_sim *sim = parts->sim;
    const size_t end = first_of_part(parts, part + 1);
    sim_contact *to = sim->contacts.at + first_of_part(parts, part);
    parts->kept[part] = 0;
    for (size_t i = first_of_part(parts, part); i < end; i++) {
        double normal[3];
        const double distance = near_normal(sim, parts->x1, &parts->found->contacts[i], normal);
        sim_contact *c = &to[parts->kept[part]];
        *c = toc_sim_contact_make(sim, &parts->found->contacts[i], normal);
        parts->kept[part] += distance <= c->target * (1 + 1e-6);
    }
}

static void keep_parts(void *user, size_t first, size_t last) {
    for (size_t part = first; part < last; part++) keep_part(user, part);
}

static toc_status keep_near(toc_sim *sim, double (*x1)[3], const toc_contacts *found) {
    near_parts parts = {.sim = sim, .x1 = x1, .found = found};
    TOC_TRY(toc_array_room(&sim->memory, &sim->contacts, found->count));
    toc_sim_loop_run(sim->threads, KEEP_PARTS, 1, keep_parts, &parts);
    for (size_t part = 0; part < KEEP_PARTS; part++) {
        const size_t first = first_of_part(&parts, part), kept = parts.kept[part];
        if (kept > 0 && first != sim->contacts.count)
            memmove(sim->contacts.at + sim->contacts.count, sim->contacts.at + first, kept * sizeof *sim->contacts.at);
        sim->contacts.count += kept;
    }
    return toc_sim_contacts_order(sim, &sim->contacts, &sim->contact_order);
}

toc_status toc_sim_contacts_find(toc_sim *sim, double step) {
    sim->contacts.count = sim->contact_order.colours.first.count = 0;
    sim->reach = largest_thickness(sim);
    sim->bounces = false;
    for (size_t b = 0; b < sim->bodies.count; b++)
        sim->bounces = sim->bounces || sim->bodies.at[b].material.restitution > 0;
    if (sim->reach == 0) return TOC_OK;
    double(*x1)[3] = (double(*)[3])(void *)sim->scratch.at;
    predict_step(sim, step, x1);
    const double began = toc_seconds();
    TOC_TRY(toc_sim_kept_begin(sim, x1, &sim->near_found));
    sim->detection_seconds += toc_seconds() - began;
    return keep_near(sim, x1, sim->near_found);
}

static void solve_contact(toc_sim *sim, sim_contact *c) {
    if (toc_sim_contact_gap(sim, c, sim->x, 0) >= c->target) return;
    const double before = toc_sim_contact_gap(sim, c, sim->before, 1);
    c->pressed = toc_sim_contact_solve(sim, c, fmin(c->target, before + recovery * c->target), sim->before, 1);
}

void toc_sim_contacts_solve(toc_sim *sim, double h) {
    (void)h;
    toc_sim_contacts_visit(sim, &sim->contacts, &sim->contact_order, solve_contact);
}

// ---- bounces

/// Contacts whose bounces begin or end.
typedef struct near_bounces {
    toc_sim *sim;
    double h;
} near_bounces;

static void meet_contacts(void *user, size_t first, size_t last) {
    const near_bounces *b = user;
    for (size_t i = first; i < last; i++) {
        sim_contact *c = &b->sim->contacts.at[i];
        c->pressed = false;
        toc_sim_contact_meet(b->sim, c, false, 2 * b->h);
    }
}

static void drop_unpressed(void *user, size_t first, size_t last) {
    const near_bounces *b = user;
    for (size_t i = first; i < last; i++)
        if (!b->sim->contacts.at[i].pressed) b->sim->contacts.at[i].leave = 0;
}

void toc_sim_contacts_meet(toc_sim *sim, double h) {
    if (sim->bounces)
        toc_sim_loop_run(sim->threads, sim->contacts.count, SIM_LEAST, meet_contacts, &(near_bounces){sim, h});
}

void toc_sim_contacts_leave(toc_sim *sim) {
    if (!sim->bounces) return;
    toc_sim_loop_run(sim->threads, sim->contacts.count, SIM_LEAST, drop_unpressed, &(near_bounces){sim, 0});
    toc_sim_contacts_bounce(sim, &sim->contacts, &sim->contact_order);
}
