// SPDX-License-Identifier: Apache-2.0
// Rigid bodies: mass from the boundary by the divergence theorem, motion of the pose.
//
// Positional impulses after Mueller et al. 2020, "Detailed rigid body simulation with extended position based
// dynamics".
#include "sim/body/rigid.h"

#include <assert.h>

#include "sim/core/vector.h"

/// Mass, first and second moments about the origin of the coordinates.
typedef struct sim_moments {
    double mass, first[3], second[3][3];
} sim_moments;

// Moments of the tet from an origin to a face, with density 1: signed, so that a closed boundary adds up to its inside.
static void add_face_moments(const double a[3], const double b[3], const double c[3], sim_moments *m) {
    double normal[3], sum[3];
    sim_cross(b, c, normal);
    const double volume = sim_dot(a, normal) / 6;
    for (int k = 0; k < 3; k++) sum[k] = a[k] + b[k] + c[k];
    m->mass += volume;
    sim_add(volume / 4, sum, m->first);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            m->second[i][j] += volume / 20 * (a[i] * a[j] + b[i] * b[j] + c[i] * c[j] + sum[i] * sum[j]);
}

static void add_point_moments(const double x[3], double mass, sim_moments *m) {
    m->mass += mass;
    sim_add(mass, x, m->first);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) m->second[i][j] += mass * x[i] * x[j];
}

// About the first vertex, for accuracy far from the origin.
static sim_moments find_moments(const toc_sim *sim, const sim_build *build) {
    const toc_features *f = build->features;
    const double *origin = sim->x[build->first];
    sim_moments m = {0};
    toc_mesh_report report;
    if (toc_mesh_inspect(build->mesh, &report) == TOC_OK && report.boundary_edges == 0) {
        for (size_t i = 0; i < f->face_count; i++) {
            if (!(f->face_flags[i] & TOC_FEATURE_ON_BOUNDARY)) continue;
            double x[3][3];
            for (int k = 0; k < 3; k++) sim_sub(sim->x[build->first + f->faces[i][k]], origin, x[k]);
            add_face_moments(x[0], x[1], x[2], &m);
        }
    }
    if (m.mass > 0) {
        const double density = build->material->density;
        m.mass *= density;
        for (int i = 0; i < 3; i++) {
            m.first[i] *= density;
            for (int j = 0; j < 3; j++) m.second[i][j] *= density;
        }
        return m;
    }
    m = (sim_moments){0};
    for (size_t i = 0; i < f->vertex_count; i++) {
        const uint32_t v = build->first + f->vertices[i];
        double x[3];
        sim_sub(sim->x[v], origin, x);
        add_point_moments(x, sim->mass[v], &m);
    }
    return m;
}

// Inertia about the centre of mass: the trace times 1 minus the covariance.
static void find_inertia(const sim_moments *m, const double centre[3], double inertia[3][3]) {
    double trace = 0, covariance[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) covariance[i][j] = m->second[i][j] - m->mass * centre[i] * centre[j];
    for (int i = 0; i < 3; i++) trace += covariance[i][i];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) inertia[i][j] = (i == j ? trace : 0) - covariance[i][j];
}

toc_status toc_sim_rigid_add(toc_sim *sim, const sim_build *build) {
    TOC_TRY(toc_array_reserve(&sim->memory, &sim->rigids, 1));
    const sim_moments m = find_moments(sim, build);
    if (!(m.mass > 0) || !isfinite(m.mass))
        return toc_fail(TOC_BAD_INPUT, "the mass of a rigid body is %g; it must be above 0 and finite", m.mass);
    sim_rigid r = {.now.turn = {0, 0, 0, 1}, .inverse_mass = 1 / m.mass};
    double centre[3];
    for (int k = 0; k < 3; k++) centre[k] = m.first[k] / m.mass;
    find_inertia(&m, centre, r.inertia);
    // A body on a line or in a point has no inverse inertia: it does not turn.
    sim_matrix_invert(r.inertia, r.inverse_inertia);
    sim_add(1, sim->x[build->first], centre);
    sim_copy(centre, r.now.centre);
    r.before = r.start = r.now;
    const size_t count = toc_mesh_get_vertex_count(build->mesh);
    for (size_t i = build->first; i < build->first + count; i++) {
        sim_sub(sim->x[i], centre, sim->rest[i]);
        sim->w[i] = 0;
    }
    sim->rigids.at[sim->rigids.count++] = r;
    return TOC_OK;
}

void toc_sim_pose_apply(const sim_pose *pose, const double local[3], double out[3]) {
    sim_quaternion_rotate(pose->turn, local, out);
    sim_add(1, pose->centre, out);
}

// Inertia of the world, or its inverse, times a vector.
static void apply_inertia(const sim_rigid *r, bool inverted, const double a[3], double out[3]) {
    const double inverse[4] = {-r->now.turn[0], -r->now.turn[1], -r->now.turn[2], r->now.turn[3]};
    double local[3], result[3];
    sim_quaternion_rotate(inverse, a, local);
    for (int k = 0; k < 3; k++) result[k] = sim_dot(inverted ? r->inverse_inertia[k] : r->inertia[k], local);
    sim_quaternion_rotate(r->now.turn, result, out);
}

void toc_sim_rigid_invert(const sim_rigid *rigid, const double a[3], double out[3]) {
    apply_inertia(rigid, true, a, out);
}

void toc_sim_rigid_predict(const toc_sim *sim, sim_rigid *rigid, double damping, double h) {
    assert(h > 0);
    double spin[3], moment[3], change[3];
    apply_inertia(rigid, false, rigid->angular, spin);
    sim_cross(spin, rigid->angular, moment);
    toc_sim_rigid_invert(rigid, moment, change);
    sim_add(h, change, rigid->angular);
    sim_add(h, sim->settings.gravity, rigid->velocity);
    for (int k = 0; k < 3; k++) {
        rigid->velocity[k] /= 1 + h * damping;
        rigid->angular[k] /= 1 + h * damping;
    }
    double rotation[3] = {0, 0, 0};
    sim_add(h, rigid->angular, rotation);
    sim_add(h, rigid->velocity, rigid->now.centre);
    sim_quaternion_turn(rigid->now.turn, rotation);
}

void toc_sim_rigid_update(sim_rigid *rigid, double h) {
    assert(h > 0);
    double rotation[3];
    sim_quaternion_between(rigid->before.turn, rigid->now.turn, rotation);
    for (int k = 0; k < 3; k++) {
        rigid->velocity[k] = (rigid->now.centre[k] - rigid->before.centre[k]) / h;
        rigid->angular[k] = rotation[k] / h;
    }
}

/// Where the vertices of rigid bodies go.
typedef struct rigid_places {
    const toc_sim *sim;
    double (*x)[3];
} rigid_places;

static void place_rigid_vertices(void *user, size_t first, size_t last) {
    const rigid_places *places = user;
    const toc_sim *sim = places->sim;
    for (size_t i = first; i < last; i++) {
        const uint32_t rigid = sim->bodies.at[sim->owner[i]].rigid;
        if (rigid != SIM_NONE) toc_sim_pose_apply(&sim->rigids.at[rigid].now, sim->rest[i], places->x[i]);
    }
}

void toc_sim_rigids_place(toc_sim *sim, double (*x)[3]) {
    if (sim->rigids.count > 0)
        toc_sim_loop_run(sim->threads, sim->particle_count, SIM_LEAST, place_rigid_vertices, &(rigid_places){sim, x});
}

double toc_sim_rigid_inverse_mass(const sim_rigid *rigid, const double point[3], const double direction[3]) {
    double arm[3], lever[3], turned[3];
    sim_sub(point, rigid->now.centre, arm);
    sim_cross(arm, direction, lever);
    toc_sim_rigid_invert(rigid, lever, turned);
    return rigid->inverse_mass + sim_dot(lever, turned);
}

void toc_sim_rigid_push(sim_rigid *rigid, const double point[3], const double impulse[3]) {
    double arm[3], lever[3], turned[3];
    sim_sub(point, rigid->now.centre, arm);
    sim_cross(arm, impulse, lever);
    toc_sim_rigid_invert(rigid, lever, turned);
    sim_add(rigid->inverse_mass, impulse, rigid->now.centre);
    sim_quaternion_turn(rigid->now.turn, turned);
}
