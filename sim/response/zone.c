// SPDX-License-Identifier: Apache-2.0
// Impact zones: sets of vertices and rigid bodies that touch, moved as one rigid body with their momentum, so that they
// do not meet within the zone. A zone that touches a guided or pinned vertex follows that one instead.
//
// Provot 1997; Bridson et al. 2002, section 7.5.
#include <assert.h>

#include "sim/body/rigid.h"
#include "sim/core/vector.h"
#include "sim/response/contact.h"

// Nodes of the union: particles, then rigid bodies.
static uint32_t node_of(const toc_sim *sim, uint32_t particle) {
    assert(particle < sim->particle_count);
    const uint32_t rigid = sim->bodies.at[sim->owner[particle]].rigid;
    return rigid == SIM_NONE ? particle : (uint32_t)sim->particle_count + rigid;
}

static uint32_t find_root(uint32_t *parent, uint32_t node) {
    while (parent[node] != node) node = parent[node] = parent[parent[node]];
    return node;
}

// The lower root stays, so that the zones do not depend on the order of the contacts.
static void unite(uint32_t *parent, uint32_t a, uint32_t b) {
    a = find_root(parent, a);
    b = find_root(parent, b);
    if (a < b) {
        parent[b] = a;
    } else {
        parent[a] = b;
    }
}

static void unite_impacts(const toc_sim *sim, size_t first, uint32_t *parent) {
    for (size_t i = first; i < sim->impacts.count; i++) {
        uint32_t last = SIM_NONE;
        for (int k = 0; k < 4; k++) {
            const uint32_t v = sim->impacts.at[i].v[k];
            if (!sim_is_movable(sim, v)) continue;
            if (last != SIM_NONE) unite(parent, last, node_of(sim, v));
            last = node_of(sim, v);
        }
    }
}

// The second half of zone_of numbers the zones of the roots from 1; 0 for nodes outside of all zones.
static uint32_t *zone_number(toc_sim *sim, uint32_t root) {
    assert(root < sim->particle_count + sim->rigids.count);
    return &sim->zone_of.at[sim->particle_count + sim->rigids.count + root];
}

static sim_zone *zone_with_root(toc_sim *sim, uint32_t root) {
    const uint32_t number = *zone_number(sim, root);
    return number == 0 ? NULL : &sim->zone_list.at[number - 1];
}

// One zone for each root among the impacts, with the guided body of the lowest id that it touches.
static toc_status list_zones(toc_sim *sim, size_t first, uint32_t *parent) {
    sim->zone_list.count = 0;
    for (size_t i = first; i < sim->impacts.count; i++) {
        const uint32_t *v = sim->impacts.at[i].v;
        uint32_t root = SIM_NONE, guide = SIM_NONE;
        for (int k = 0; k < 4; k++) {
            if (sim_is_movable(sim, v[k])) {
                root = find_root(parent, node_of(sim, v[k]));
            } else if (sim->owner[v[k]] < guide) {
                guide = sim->owner[v[k]];
            }
        }
        if (root == SIM_NONE) continue;
        sim_zone *zone = zone_with_root(sim, root);
        if (!zone) {
            TOC_TRY(toc_array_reserve(&sim->memory, &sim->zone_list, 1));
            zone = &sim->zone_list.at[sim->zone_list.count++];
            *zone = (sim_zone){.guide = SIM_NONE};
            *zone_number(sim, root) = (uint32_t)sim->zone_list.count;
        }
        if (guide < zone->guide) zone->guide = guide;
    }
    return TOC_OK;
}

/// The mass of a node, and its places at the start of the step and at the end that the solver wanted.
typedef struct sim_node {
    double mass, start[3], end[3];
} sim_node;

static sim_node look_at_node(const toc_sim *sim, uint32_t node) {
    sim_node n;
    if (node < sim->particle_count) {
        n.mass = 1 / sim->w[node];
        sim_copy(sim->x0[node], n.start);
        sim_copy(sim->before[node], n.end);
    } else {
        const sim_rigid *r = &sim->rigids.at[node - sim->particle_count];
        n.mass = 1 / r->inverse_mass;
        sim_copy(r->start.centre, n.start);
        sim_copy(r->before.centre, n.end);
    }
    return n;
}

static void add_linear(sim_zone *zone, const sim_node *n) {
    zone->mass += n->mass;
    sim_add(n->mass, n->start, zone->centre);
    sim_add(n->mass, n->end, zone->shift);
}

static void add_angular(const toc_sim *sim, sim_zone *zone, uint32_t node, const sim_node *n) {
    double arm[3], motion[3], spin[3];
    sim_sub(n->start, zone->centre, arm);
    sim_sub(n->end, n->start, motion);
    sim_cross(arm, motion, spin);
    sim_add(n->mass, spin, zone->spin);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            zone->inertia[i][j] += n->mass * ((i == j ? sim_dot(arm, arm) : 0) - arm[i] * arm[j]);
    if (node < sim->particle_count) return;
    // The inertia of the rigid body itself, by its columns in the world.
    const sim_rigid *r = &sim->rigids.at[node - sim->particle_count];
    double rotation[3];
    sim_quaternion_between(r->start.turn, r->before.turn, rotation);
    const double inverse[4] = {-r->start.turn[0], -r->start.turn[1], -r->start.turn[2], r->start.turn[3]};
    for (int j = 0; j < 3; j++) {
        const double unit[3] = {j == 0, j == 1, j == 2};
        double local[3], turned[3], column[3];
        sim_quaternion_rotate(inverse, unit, local);
        for (int k = 0; k < 3; k++) turned[k] = sim_dot(r->inertia[k], local);
        sim_quaternion_rotate(r->start.turn, turned, column);
        for (int i = 0; i < 3; i++) zone->inertia[i][j] += column[i];
        sim_add(rotation[j], column, zone->spin);
    }
}

static void place_zone(const toc_sim *sim, sim_zone *zone, double step) {
    if (zone->guide != SIM_NONE) {
        const sim_body *guide = &sim->bodies.at[zone->guide];
        const bool moves = guide->material.motion == TOC_SIM_GUIDED;
        sim_copy(guide->start_point, zone->centre);
        for (int k = 0; k < 3; k++) {
            zone->shift[k] = moves ? guide->velocity[k] * step : 0;
            zone->rotation[k] = moves ? guide->angular[k] * step : 0;
        }
        return;
    }
    double inverse[3][3];
    const double size = zone->inertia[0][0] + zone->inertia[1][1] + zone->inertia[2][2];
    // A zone on a line does not turn.
    if (sim_matrix_invert(zone->inertia, inverse) > 1e-9 * size * size * size)
        sim_matrix_apply(inverse, zone->spin, zone->rotation);
}

static void move_point(const sim_zone *zone, const double turn[4], const double start[3], double out[3]) {
    double arm[3];
    sim_sub(start, zone->centre, arm);
    sim_quaternion_rotate(turn, arm, out);
    sim_add(1, zone->centre, out);
    sim_add(1, zone->shift, out);
}

static void move_node(toc_sim *sim, const sim_zone *zone, uint32_t node) {
    double turn[4] = {0, 0, 0, 1};
    sim_quaternion_turn(turn, zone->rotation);
    if (node < sim->particle_count) {
        move_point(zone, turn, sim->x0[node], sim->x[node]);
        return;
    }
    sim_rigid *r = &sim->rigids.at[node - sim->particle_count];
    move_point(zone, turn, r->start.centre, r->now.centre);
    sim_quaternion_multiply(turn, r->start.turn, r->now.turn);
    sim_quaternion_normalize(r->now.turn);
}

// Call for each node of each zone: a node is in a zone if its root is.
typedef enum zone_pass { PASS_LINEAR, PASS_ANGULAR, PASS_MOVE } zone_pass;

static void visit_nodes(toc_sim *sim, uint32_t *parent, zone_pass pass) {
    const size_t nodes = sim->particle_count + sim->rigids.count;
    for (uint32_t node = 0; node < nodes; node++) {
        if (node < sim->particle_count && sim->w[node] == 0) continue;
        sim_zone *zone = zone_with_root(sim, find_root(parent, node));
        if (!zone) continue;
        const sim_node n = look_at_node(sim, node);
        if (pass == PASS_LINEAR) add_linear(zone, &n);
        if (pass == PASS_ANGULAR) add_angular(sim, zone, node, &n);
        if (pass == PASS_MOVE) move_node(sim, zone, node);
    }
}

toc_status toc_sim_zones_move(toc_sim *sim, size_t first, double step) {
    const size_t nodes = sim->particle_count + sim->rigids.count;
    TOC_TRY(toc_array_room(&sim->memory, &sim->zone_of, 2 * nodes));
    uint32_t *parent = sim->zone_of.at;
    for (uint32_t i = 0; i < nodes; i++) parent[i] = i, parent[nodes + i] = 0;
    unite_impacts(sim, first, parent);
    TOC_TRY(list_zones(sim, first, parent));
    visit_nodes(sim, parent, PASS_LINEAR);
    for (size_t i = 0; i < sim->zone_list.count; i++) {
        sim_zone *zone = &sim->zone_list.at[i];
        for (int k = 0; k < 3; k++) {
            zone->centre[k] /= zone->mass;
            zone->shift[k] = zone->shift[k] / zone->mass - zone->centre[k];
        }
    }
    visit_nodes(sim, parent, PASS_ANGULAR);
    for (size_t i = 0; i < sim->zone_list.count; i++) place_zone(sim, &sim->zone_list.at[i], step);
    visit_nodes(sim, parent, PASS_MOVE);
    toc_sim_rigids_place(sim, sim->x);
    sim->zones += sim->zone_list.count;
    return TOC_OK;
}
