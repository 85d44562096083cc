// SPDX-License-Identifier: Apache-2.0
// Contacts as constraints between soft vertices and rigid bodies. Friction after Mueller et al. 2020: the tangential
// impulse is at most the coefficient times the normal one.
#include "sim/response/contact.h"

#include <assert.h>

#include "sim/body/rigid.h"
#include "sim/core/vector.h"
#include "toccata/convex.h"

toc_query toc_sim_query_make(const toc_sim *sim) {
    toc_query query = toc_query_default();
    query.preset = sim->settings.preset;
    query.surface_only = sim->settings.surface_only;
    query.threads = sim->settings.threads;
    query.tasks = sim->settings.tasks;
    query.thin = true; // the thickness of materials is a matter of the response
    return query;
}

toc_status toc_sim_scene_move(toc_sim *sim, double (*x1)[3]) {
    for (uint32_t b = 0; b < sim->bodies.count; b++) {
        const sim_body *body = &sim->bodies.at[b];
        if (!body->gone)
            TOC_TRY(toc_mesh_set_motion(toc_scene_edit_mesh(sim->scene, b), body->count, sim->x0[body->first],
                                        x1[body->first]));
    }
    return TOC_OK;
}

toc_status toc_sim_scene_rest(toc_sim *sim) {
    for (uint32_t b = 0; b < sim->bodies.count; b++) {
        const sim_body *body = &sim->bodies.at[b];
        const double *x = sim->x[body->first];
        if (!body->gone) TOC_TRY(toc_mesh_set_motion(toc_scene_edit_mesh(sim->scene, b), body->count, x, x));
    }
    return TOC_OK;
}

// Features of one body that are nearer than the thickness at rest, by its mesh, keep nine tenths of that distance.
static double limit_target(const toc_sim *sim, toc_kind kind, const sim_contact *c, double target) {
    double x[4][3];
    toc_distance rest;
    for (int k = 0; k < 4; k++) sim_copy(sim->rest[c->v[k]], x[k]);
    if (toc_distance_find(kind, x[0], &rest) != TOC_OK) return target;
    return fmin(target, 0.9 * rest.distance);
}

sim_contact toc_sim_contact_make(const toc_sim *sim, const toc_contact *contact, const double normal[3]) {
    assert(contact->kind == TOC_VF || contact->kind == TOC_EE);
    sim_contact c = {.split = contact->kind == TOC_VF ? 1 : 2};
    const sim_body *bodies[2];
    for (int side = 0; side < 2; side++) {
        bodies[side] = &sim->bodies.at[contact->body[side]];
        c.rigid[side] = bodies[side]->rigid;
    }
    for (int k = 0; k < 4; k++) {
        const int side = k >= c.split;
        c.v[k] = bodies[side]->first + contact->v[k];
        c.weights[k] = side ? -contact->weights[k] : contact->weights[k];
        if (c.rigid[side] != SIM_NONE) sim_add(contact->weights[k], sim->rest[c.v[k]], c.local[side]);
    }
    sim_copy(normal, c.normal);
    c.target = 0.5 * (bodies[0]->material.thickness + bodies[1]->material.thickness);
    c.friction = sqrt(bodies[0]->material.friction * bodies[1]->material.friction);
    c.restitution = sqrt(bodies[0]->material.restitution * bodies[1]->material.restitution);
    if (bodies[0] == bodies[1]) c.target = limit_target(sim, contact->kind, &c, c.target);
    return c;
}

static void side_point(const toc_sim *sim, const sim_contact *c, int side, double (*x)[3], int poses, double out[3]) {
    assert(side == 0 || side == 1);
    if (c->rigid[side] != SIM_NONE) {
        const sim_rigid *r = &sim->rigids.at[c->rigid[side]];
        toc_sim_pose_apply(poses == 0 ? &r->now : poses == 1 ? &r->before : &r->start, c->local[side], out);
        return;
    }
    out[0] = out[1] = out[2] = 0;
    for (int k = side ? c->split : 0; k < (side ? 4 : c->split); k++) sim_add(fabs(c->weights[k]), x[c->v[k]], out);
}

double toc_sim_contact_gap(const toc_sim *sim, const sim_contact *c, double (*x)[3], int poses) {
    double points[2][3], gap[3];
    for (int side = 0; side < 2; side++) side_point(sim, c, side, x, poses, points[side]);
    sim_sub(points[0], points[1], gap);
    return sim_dot(gap, c->normal);
}

static double side_inverse_mass(const toc_sim *sim, const sim_contact *c, int side, const double point[3],
                                const double direction[3]) {
    assert(side == 0 || side == 1);
    if (c->rigid[side] != SIM_NONE)
        return toc_sim_rigid_inverse_mass(&sim->rigids.at[c->rigid[side]], point, direction);
    double sum = 0;
    for (int k = side ? c->split : 0; k < (side ? 4 : c->split); k++)
        sum += sim->w[c->v[k]] * c->weights[k] * c->weights[k];
    return sum;
}

// Pinned vertices are not written: blocks of a colour share them.
static void push_side(toc_sim *sim, const sim_contact *c, int side, const double point[3], const double impulse[3]) {
    assert(side == 0 || side == 1);
    if (c->rigid[side] != SIM_NONE) {
        toc_sim_rigid_push(&sim->rigids.at[c->rigid[side]], point, impulse);
        return;
    }
    for (int k = side ? c->split : 0; k < (side ? 4 : c->split); k++) {
        const double w = sim->w[c->v[k]];
        if (w > 0) sim_add(w * fabs(c->weights[k]), impulse, sim->x[c->v[k]]);
    }
}

static void push_apart(toc_sim *sim, const sim_contact *c, double points[2][3], const double direction[3],
                       double impulse) {
    double vector[3] = {0, 0, 0};
    sim_add(impulse, direction, vector);
    push_side(sim, c, 0, points[0], vector);
    for (int k = 0; k < 3; k++) vector[k] = -vector[k];
    push_side(sim, c, 1, points[1], vector);
}

// Take tangential motion since the reference back, as far as the normal impulse allows.
static void hold_by_friction(toc_sim *sim, const sim_contact *c, double reference[2][3], double normal_impulse) {
    double points[2][3], slip[3];
    for (int side = 0; side < 2; side++) side_point(sim, c, side, sim->x, 0, points[side]);
    for (int k = 0; k < 3; k++) slip[k] = (points[0][k] - reference[0][k]) - (points[1][k] - reference[1][k]);
    sim_add(-sim_dot(slip, c->normal), c->normal, slip);
    const double length = sim_normalize(slip);
    if (length == 0) return;
    double inverse_mass = 0;
    for (int side = 0; side < 2; side++) inverse_mass += side_inverse_mass(sim, c, side, points[side], slip);
    if (inverse_mass > 0) push_apart(sim, c, points, slip, -fmin(length / inverse_mass, c->friction * normal_impulse));
}

bool toc_sim_contact_solve(toc_sim *sim, const sim_contact *c, double goal, double (*reference)[3], int poses) {
    double points[2][3], gap[3], inverse_mass = 0;
    for (int side = 0; side < 2; side++) side_point(sim, c, side, sim->x, 0, points[side]);
    sim_sub(points[0], points[1], gap);
    const double depth = goal - sim_dot(gap, c->normal);
    if (!(depth > 0)) return false;
    for (int side = 0; side < 2; side++) inverse_mass += side_inverse_mass(sim, c, side, points[side], c->normal);
    if (!(inverse_mass > 0)) return false;
    const double impulse = depth / inverse_mass;
    double before[2][3];
    for (int side = 0; side < 2; side++) side_point(sim, c, side, reference, poses, before[side]);
    push_apart(sim, c, points, c->normal, impulse);
    if (c->friction > 0) hold_by_friction(sim, c, before, impulse);
    return true;
}

// ---- velocities

// Now, or at the start of the step.
static void side_velocity(const toc_sim *sim, const sim_contact *c, int side, bool at_start, const double point[3],
                          double out[3]) {
    assert(side == 0 || side == 1);
    out[0] = out[1] = out[2] = 0;
    if (c->rigid[side] != SIM_NONE) {
        const sim_rigid *r = &sim->rigids.at[c->rigid[side]];
        double arm[3];
        sim_sub(point, r->now.centre, arm);
        sim_cross(at_start ? r->start_angular : r->angular, arm, out);
        sim_add(1, at_start ? r->start_velocity : r->velocity, out);
        return;
    }
    for (int k = side ? c->split : 0; k < (side ? 4 : c->split); k++)
        sim_add(fabs(c->weights[k]), at_start ? sim->v0[c->v[k]] : sim->v[c->v[k]], out);
}

static void kick_side(toc_sim *sim, const sim_contact *c, int side, const double point[3], const double impulse[3]) {
    assert(side == 0 || side == 1);
    if (c->rigid[side] != SIM_NONE) {
        sim_rigid *r = &sim->rigids.at[c->rigid[side]];
        double arm[3], lever[3], turned[3];
        sim_sub(point, r->now.centre, arm);
        sim_cross(arm, impulse, lever);
        toc_sim_rigid_invert(r, lever, turned);
        sim_add(r->inverse_mass, impulse, r->velocity);
        sim_add(1, turned, r->angular);
        return;
    }
    for (int k = side ? c->split : 0; k < (side ? 4 : c->split); k++) {
        const double w = sim->w[c->v[k]];
        if (w > 0) sim_add(w * fabs(c->weights[k]), impulse, sim->v[c->v[k]]);
    }
}

/// The motion of a contact along its normal.
typedef struct contact_motion {
    double points[2][3], speed, inverse_mass;
} contact_motion;

static contact_motion find_motion(const toc_sim *sim, const sim_contact *c, bool at_start) {
    contact_motion out = {.inverse_mass = 0};
    double velocities[2][3], relative[3];
    for (int side = 0; side < 2; side++) {
        side_point(sim, c, side, sim->x, 0, out.points[side]);
        side_velocity(sim, c, side, at_start, out.points[side], velocities[side]);
        out.inverse_mass += side_inverse_mass(sim, c, side, out.points[side], c->normal);
    }
    sim_sub(velocities[0], velocities[1], relative);
    out.speed = sim_dot(relative, c->normal);
    return out;
}

static void kick_contact(toc_sim *sim, const sim_contact *c, const contact_motion *motion, double size) {
    double impulse[3] = {0, 0, 0};
    sim_add(size, c->normal, impulse);
    kick_side(sim, c, 0, motion->points[0], impulse);
    for (int k = 0; k < 3; k++) impulse[k] = -impulse[k];
    kick_side(sim, c, 1, motion->points[1], impulse);
}

void toc_sim_contact_stop(toc_sim *sim, sim_contact *c) {
    const contact_motion motion = find_motion(sim, c, false);
    if (motion.speed < 0 && motion.inverse_mass > 0) kick_contact(sim, c, &motion, -motion.speed / motion.inverse_mass);
}

// ---- bounces: Newton's law of restitution for all contacts together, by projected Gauss-Seidel

enum { BOUNCE_SWEEPS = 16 };
// A change of speed that is this small against the bounce ends the sweeps.
static const double bounce_accuracy = 1e-6;

void toc_sim_contact_meet(const toc_sim *sim, sim_contact *c, bool at_start, double time) {
    c->leave = c->bounced = 0;
    if (!(c->restitution > 0)) return;
    const double speed = find_motion(sim, c, at_start).speed;
    if (-speed > time * sim_length(sim->settings.gravity)) c->leave = -c->restitution * speed;
}

// The sum of the impulses of a contact never pulls.
static void bounce_contact(toc_sim *sim, sim_contact *c) {
    if (!(c->leave > 0)) return;
    const contact_motion motion = find_motion(sim, c, false);
    if (!(motion.inverse_mass > 0)) return;
    const double sum = fmax(0, c->bounced + (c->leave - motion.speed) / motion.inverse_mass), size = sum - c->bounced;
    if (size == 0) return;
    kick_contact(sim, c, &motion, size);
    c->bounced = sum;
    if (fabs(size) * motion.inverse_mass > bounce_accuracy * c->leave)
        atomic_store_explicit(&sim->parted, true, memory_order_relaxed);
}

void toc_sim_contacts_bounce(toc_sim *sim, sim_contacts *contacts, const sim_order *order) {
    bool moved = true;
    for (int sweep = 0; sweep < BOUNCE_SWEEPS && moved; sweep++) {
        sim->parted = false;
        toc_sim_contacts_visit(sim, contacts, order, bounce_contact);
        moved = sim->parted;
    }
}
