// SPDX-License-Identifier: Apache-2.0
// Bodies: check the material, append particles with their masses, constraints and the body of the scene. A failure
// takes everything back.
#include "sim/body/body.h"
#include "base/arithmetic.h"

#include <assert.h>

#include "sim/body/rigid.h"
#include "sim/constraint/constraint.h"
#include "sim/core/defaults.h"
#include "sim/core/particles.h"
#include "sim/core/vector.h"

static const toc_sim_material material_default = {.size = sizeof material_default,
                                                  .motion = TOC_SIM_SOFT,
                                                  .density = 1000,
                                                  .area_density = 0.2,
                                                  .line_density = 0.01,
                                                  .young = 1e5,
                                                  .poisson = 0.3,
                                                  .stretch = 1000,
                                                  .bend = 1e-4,
                                                  .lattice_stiffness = 0.5,
                                                  .inflation_stiffness = 1e6,
                                                  .damping = 0.1,
                                                  .friction = 0.3,
                                                  .thickness = 0.005};

const toc_settings toc_sim_material_kind = {"toc_sim_material_init", sizeof material_default, sizeof material_default,
                                            &material_default};

static toc_status check_material(const toc_sim_material *m) {
    if ((unsigned)m->motion > TOC_SIM_GUIDED)
        return toc_fail(TOC_BAD_INPUT, "the motion of the material is %d", (int)m->motion);
    const struct {
        const char *name;
        double value, low, high;
        bool open; // low itself is not possible
    } ranges[] = {{"density", m->density, 0, 1e300, true},
                  {"area_density", m->area_density, 0, 1e300, true},
                  {"line_density", m->line_density, 0, 1e300, true},
                  {"young", m->young, 0, 1e300, true},
                  {"poisson", m->poisson, 0, 0.49, false},
                  {"stretch", m->stretch, 0, 1e300, false},
                  {"bend", m->bend, 0, 1e300, false},
                  {"lattice", m->lattice, 0, 1e300, false},
                  {"lattice_stiffness", m->lattice_stiffness, 0, 1, false},
                  {"inflation", m->inflation, 0, 1e300, false},
                  {"inflation_stiffness", m->inflation_stiffness, 0, 1e300, true},
                  {"damping", m->damping, 0, 1e300, false},
                  {"friction", m->friction, 0, 1e300, false},
                  {"failure", m->failure, 0, 1e300, false},
                  {"erosion", m->erosion, 0, 1e300, false},
                  {"thickness", m->thickness, 0, 1e300, false},
                  {"adhesion", m->adhesion, 0, 1e300, false},
                  {"yield", m->yield, 0, 0.99, false},
                  {"bend_yield", m->bend_yield, 0, 1e300, false},
                  {"cut", m->cut, 0, 1e300, false},
                  {"adhesion_strength", m->adhesion_strength, 0, 1e300, false},
                  {"restitution", m->restitution, 0, 1, false},
                  {"adhesion_force", m->adhesion_force, 0, 1e300, false}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        const bool in = ranges[i].value <= ranges[i].high &&
                        (ranges[i].open ? ranges[i].value > ranges[i].low : ranges[i].value >= ranges[i].low);
        if (!in)
            return toc_fail(TOC_BAD_INPUT, "%s is %g; it must be %s %g and at most %g", ranges[i].name, ranges[i].value,
                            ranges[i].open ? "above" : "at least", ranges[i].low, ranges[i].high);
    }
    if (m->erosion > 0 && m->erosion <= 1)
        return toc_fail(TOC_BAD_INPUT, "erosion is %g; a stretch must be above 1, or 0 for never", m->erosion);
    if (m->adhesion_strength > 0 && !(m->adhesion > 0))
        return toc_fail(TOC_BAD_INPUT, "adhesion_strength is %g and adhesion 0; nothing would be glued",
                        m->adhesion_strength);
    if (m->adhesion_force > 0 && !(m->adhesion > 0))
        return toc_fail(TOC_BAD_INPUT, "adhesion_force is %g and adhesion 0; nothing would be glued",
                        m->adhesion_force);
    if (m->adhesion > 0 && m->lattice > 0)
        return toc_fail(TOC_BAD_INPUT, "adhesion is %g and lattice %g; a body with a lattice cannot be glued",
                        m->adhesion, m->lattice);
    if (m->adhesion > 0 && m->motion != TOC_SIM_SOFT)
        return toc_fail(TOC_BAD_INPUT, "adhesion is %g; only soft bodies can be glued", m->adhesion);
    if (m->sharp && m->motion == TOC_SIM_SOFT)
        return toc_fail(TOC_BAD_INPUT, "a soft body is sharp; only rigid and guided bodies cut");
    return TOC_OK;
}

// ---- particles

static const uint8_t tet_tables[TOC_SHAPE_COUNT][6][4] = {
    [TOC_TET] = {{0, 1, 2, 3}},
    [TOC_PYRAMID] = {{0, 1, 2, 4}, {0, 2, 3, 4}},
    [TOC_WEDGE] = {{0, 1, 2, 3}, {1, 4, 2, 3}, {2, 4, 5, 3}},
    [TOC_HEX] = {{0, 1, 2, 6}, {0, 2, 3, 6}, {0, 3, 7, 6}, {0, 7, 4, 6}, {0, 4, 5, 6}, {0, 5, 1, 6}},
};
static const uint8_t tet_counts[TOC_SHAPE_COUNT] = {[TOC_TET] = 1, [TOC_PYRAMID] = 2, [TOC_WEDGE] = 3, [TOC_HEX] = 6};

// A tet this much smaller than the cube of its longest edge has no volume for the solver: the corner of a hex that
// stands for a wedge.
static const double flat_tet = 1e-9;

static double signed_volume(const uint32_t v[4], const double *x, double *edge) {
    double edges[3][3];
    *edge = 0;
    for (int k = 0; k < 3; k++) {
        sim_sub(x + 3 * (size_t)v[k + 1], x + 3 * (size_t)v[0], edges[k]);
        *edge = fmax(*edge, sim_length(edges[k]));
    }
    return sim_determinant(edges) / 6;
}

int toc_sim_element_split(toc_shape shape, const uint32_t *corners, const double *positions, uint32_t tets[6][4]) {
    int count = 0;
    for (int i = 0; i < tet_counts[shape]; i++) {
        uint32_t *v = tets[count];
        double edge;
        for (int k = 0; k < 4; k++) v[k] = corners[tet_tables[shape][i][k]];
        const double volume = signed_volume(v, positions, &edge);
        if (!(fabs(volume) > flat_tet * edge * edge * edge)) continue;
        if (volume < 0) {
            const uint32_t swap = v[2];
            v[2] = v[3];
            v[3] = swap;
        }
        count++;
    }
    return count;
}

static void share_mass(toc_sim *sim, uint32_t first, const uint32_t *corners, int count, double mass) {
    assert(count > 0);
    for (int k = 0; k < count; k++) sim->mass[first + corners[k]] += mass / count;
    for (int k = 0; k < count && count < 4; k++) sim->thin[first + corners[k]] += mass / count;
}

static double triangle_area(const double *x, uint32_t a, uint32_t b, uint32_t c) {
    return sim_triangle_area(x + 3 * (size_t)a, x + 3 * (size_t)b, x + 3 * (size_t)c);
}

static void add_element_mass(toc_sim *sim, const sim_build *b, const toc_element *e) {
    const double *x = toc_mesh_get_x1(b->mesh);
    const uint32_t *c = e->corners;
    const toc_sim_material *m = b->material;
    uint32_t tets[6][4];
    double edge[3];
    switch (e->shape) {
    case TOC_POINT:
        share_mass(sim, b->first, c, 1, m->line_density);
        break;
    case TOC_EDGE:
        sim_sub(x + 3 * (size_t)c[0], x + 3 * (size_t)c[1], edge);
        share_mass(sim, b->first, c, 2, m->line_density * sim_length(edge));
        break;
    case TOC_QUAD:
        share_mass(sim, b->first, (uint32_t[3]){c[0], c[2], c[3]}, 3,
                   m->area_density * triangle_area(x, c[0], c[2], c[3])); // fall through
    case TOC_TRIANGLE:
        share_mass(sim, b->first, c, 3, m->area_density * triangle_area(x, c[0], c[1], c[2]));
        break;
    default:
        for (int i = toc_sim_element_split(e->shape, c, x, tets) - 1; i >= 0; i--) {
            double length;
            share_mass(sim, b->first, tets[i], 4, m->density * signed_volume(tets[i], x, &length));
        }
    }
}

// Room for the vertices that splitting can make: at most one for each corner of an element, beside those that no
// element uses, and some for splits that crossed and were undone.
static size_t room_of(const toc_mesh *mesh, const toc_sim_material *material) {
    const size_t count = toc_mesh_get_vertex_count(mesh);
    size_t corners = 0;
    const bool splits = material->failure > 0 || material->cut > 0 || material->adhesion_strength > 0;
    if (!splits || material->motion != TOC_SIM_SOFT) return count;
    for (uint32_t e = 0; e < toc_mesh_get_element_count(mesh); e++)
        corners += (size_t)toc_mesh_get_element(mesh, e).corner_count;
    return count + corners;
}

static void fill_particles(toc_sim *sim, const sim_build *b, uint32_t body) {
    const size_t count = toc_mesh_get_vertex_count(b->mesh);
    const double *x = toc_mesh_get_x1(b->mesh);
    for (size_t i = 0; i < count; i++) {
        const size_t p = b->first + i;
        sim_copy(x + 3 * i, sim->x[p]);
        sim_copy(x + 3 * i, sim->rest[p]);
        memset(sim->v[p], 0, sizeof *sim->v);
        sim->mass[p] = sim->thin[p] = 0;
        sim->owner[p] = sim->origin[p] = body;
        sim->spent[p] = sim->side[p] = 0;
    }
    for (uint32_t e = 0; e < toc_mesh_get_element_count(b->mesh); e++) {
        const toc_element element = toc_mesh_get_element(b->mesh, e);
        if (element.shape != TOC_REMOVED) add_element_mass(sim, b, &element);
    }
    // Spare particles rest where the first one is.
    for (size_t p = b->first + count; p < b->first + room_of(b->mesh, b->material); p++) {
        sim_copy(x, sim->x[p]);
        sim_copy(x, sim->rest[p]);
        memset(sim->v[p], 0, sizeof *sim->v);
        sim->mass[p] = sim->thin[p] = sim->w[p] = 0;
        sim->owner[p] = sim->origin[p] = body;
        sim->spent[p] = sim->side[p] = 0;
    }
    for (size_t p = b->first; p < b->first + count; p++)
        sim->w[p] = b->material->motion == TOC_SIM_SOFT && sim->mass[p] > 0 ? 1 / sim->mass[p] : 0;
}

// Far from the origin, neighbouring doubles are further apart than vertices of a small body: its elements collapse.
static toc_status check_resolution(const toc_mesh *mesh, const toc_features *features) {
    const double *x = toc_mesh_get_x1(mesh), finest = 0.01; // of an edge
    double reach = 0, edges = 0;
    for (size_t i = 0; i < features->edge_count; i++) {
        const double *ends[2] = {x + 3 * (size_t)features->edges[i][0], x + 3 * (size_t)features->edges[i][1]};
        double edge[3];
        sim_sub(ends[1], ends[0], edge);
        edges += sim_length(edge);
        for (int k = 0; k < 6; k++) reach = fmax(reach, fabs(ends[k / 3][k % 3]));
    }
    const double spacing = nextafter(reach, INFINITY) - reach, mean = edges / (double)features->edge_count;
    if (features->edge_count == 0 || !(spacing > finest * mean)) return TOC_OK;
    return toc_fail(TOC_BAD_INPUT,
                    "coordinates of %g are at least %g apart, too coarse for edges of %g; move the body nearer to "
                    "the origin, or make it larger",
                    reach, spacing, mean);
}

// The first axis along which the bodies reach furthest gives the extent, which bounds a sound motion.
static void grow_extent(toc_sim *sim) {
    double low[3], high[3];
    sim_copy(sim->x[0], low);
    sim_copy(sim->x[0], high);
    for (size_t i = 0; i < sim->particle_count; i++)
        for (int k = 0; k < 3; k++) {
            low[k] = fmin(low[k], sim->x[i][k]);
            high[k] = fmax(high[k], sim->x[i][k]);
        }
    for (int k = 0; k < 3; k++) sim->extent = fmax(sim->extent, high[k] - low[k]);
}

// ---- constraints

static toc_status add_constraints(toc_sim *sim, const sim_build *build) {
    if (build->material->motion == TOC_SIM_RIGID) return toc_sim_rigid_add(sim, build);
    if (build->material->motion != TOC_SIM_SOFT) return TOC_OK;
    return toc_sim_constraints_add(sim, build);
}

// Bodies that are guided do not touch each other, and bodies that keep their shape do not touch themselves.
static toc_status add_to_scene(toc_sim *sim, toc_mesh *mesh, const toc_sim_material *material) {
    enum { FREE = 1, GUIDED = 2 };
    uint32_t id;
    TOC_TRY(toc_scene_add_body(sim->scene, mesh, &id));
    assert(id == sim->bodies.count);
    const bool guided = material->motion == TOC_SIM_GUIDED;
    TOC_TRY(toc_scene_set_body_layers(sim->scene, id, guided ? GUIDED : FREE, guided ? FREE : FREE | GUIDED));
    return toc_scene_set_self_contact(sim->scene, id, material->motion == TOC_SIM_SOFT);
}

static toc_status build_body(toc_sim *sim, toc_mesh *mesh, const toc_sim_material *material) {
    const size_t count = room_of(mesh, material);
    if (count == 0) return toc_fail(TOC_BAD_INPUT, "the mesh has no vertices");
    if (sim->particle_count + count > UINT32_MAX - 1)
        return toc_fail(TOC_BAD_INPUT, "%zu vertices in all; at most %u are possible", sim->particle_count + count,
                        UINT32_MAX - 1);
    TOC_TRY(toc_array_reserve(&sim->memory, &sim->bodies, 1));
    TOC_TRY(toc_sim_particles_reserve(sim, sim->particle_count + count));
    toc_features *features;
    TOC_TRY(toc_mesh_find_features(mesh, &features));
    toc_status status = check_resolution(mesh, features);
    if (status != TOC_OK) return toc_features_destroy(features), status;
    const sim_build build = {
        .mesh = mesh, .features = features, .material = material, .first = (uint32_t)sim->particle_count};
    fill_particles(sim, &build, (uint32_t)sim->bodies.count);
    sim->particle_count += count;
    status = add_constraints(sim, &build);
    if (status == TOC_OK) status = add_to_scene(sim, mesh, material);
    toc_features_destroy(features);
    return status;
}

/// The sizes of a simulation, to take back a body that failed.
typedef struct sim_sizes {
    size_t particles, rigids, springs, hinges, tets, clusters, members, bags, bag_faces;
} sim_sizes;

static sim_sizes sizes_of(const toc_sim *sim) {
    return (sim_sizes){sim->particle_count, sim->rigids.count, sim->springs.count,
                       sim->hinges.count,   sim->tets.count,   sim->clusters.count,
                       sim->members.count,  sim->bags.count,   sim->bag_faces.count};
}

static void restore_sizes(toc_sim *sim, const sim_sizes *sizes) {
    sim->particle_count = sizes->particles;
    sim->rigids.count = sizes->rigids;
    sim->springs.count = sizes->springs;
    sim->hinges.count = sizes->hinges;
    sim->tets.count = sizes->tets;
    sim->clusters.count = sizes->clusters;
    sim->members.count = sizes->members;
    sim->bags.count = sizes->bags;
    sim->bag_faces.count = sizes->bag_faces;
}

toc_status toc_sim_add_body(toc_sim *sim, toc_mesh *mesh, const toc_sim_material *given, uint32_t *body) {
    TOC_SCOPED_ARITHMETIC;
    TOC_NEED(sim);
    TOC_NEED(mesh);
    TOC_NEED(given);
    toc_sim_material taken;
    const toc_sim_material *material = &taken;
    TOC_TRY(toc_settings_take(&toc_sim_material_kind, given, &taken));
    TOC_TRY(check_material(material));
    const sim_sizes sizes = sizes_of(sim);
    const toc_status status = build_body(sim, mesh, material);
    if (status != TOC_OK) {
        restore_sizes(sim, &sizes);
        return status;
    }
    const bool rigid = material->motion == TOC_SIM_RIGID;
    sim_body *added = &sim->bodies.at[sim->bodies.count];
    *added = (sim_body){.first = (uint32_t)sizes.particles,
                        .count = (uint32_t)toc_mesh_get_vertex_count(mesh),
                        .room = (uint32_t)(sim->particle_count - sizes.particles),
                        .rigid = rigid ? (uint32_t)sim->rigids.count - 1 : SIM_NONE,
                        .material = *material};
    if (body) *body = (uint32_t)sim->bodies.count;
    sim->bodies.count++;
    sim->spring_colours.stale = sim->hinge_colours.stale = sim->tet_colours.stale = sim->sharers_stale = true;
    sim->checked = false;
    if (material->yield > 0 || material->bend_yield > 0) sim->yields = true;
    grow_extent(sim);
    return TOC_OK;
}

// ---- changes by the user

static toc_status check_body_vertex(const toc_sim *sim, uint32_t body, uint32_t vertex) {
    if (body >= sim->bodies.count) return toc_fail(TOC_BAD_INPUT, "there is no body %u", body);
    if (sim->bodies.at[body].gone) return toc_fail(TOC_BAD_INPUT, "body %u was glued to another one", body);
    if (vertex >= sim->bodies.at[body].count) return toc_fail(TOC_BAD_INPUT, "body %u has no vertex %u", body, vertex);
    return TOC_OK;
}

toc_status toc_sim_pin_vertex(toc_sim *sim, uint32_t body, uint32_t vertex) {
    TOC_SCOPED_ARITHMETIC;
    TOC_NEED(sim);
    TOC_TRY(check_body_vertex(sim, body, vertex));
    if (sim->bodies.at[body].rigid != SIM_NONE)
        return toc_fail(TOC_BAD_INPUT, "body %u is rigid; join its vertex to a guided body instead", body);
    const size_t particle = sim->bodies.at[body].first + vertex;
    sim->w[particle] = 0;
    memset(sim->v[particle], 0, sizeof *sim->v);
    return TOC_OK;
}

toc_status toc_sim_join_vertices(toc_sim *sim, const uint32_t body[2], const uint32_t vertex[2], double stiffness) {
    TOC_SCOPED_ARITHMETIC;
    TOC_NEED(sim);
    TOC_NEED(body);
    TOC_NEED(vertex);
    if (!(stiffness > 0)) return toc_fail(TOC_BAD_INPUT, "the stiffness is %g; it must be above 0", stiffness);
    sim_joint joint = {.compliance = isinf(stiffness) ? 0 : 1 / stiffness};
    for (int k = 0; k < 2; k++) {
        TOC_TRY(check_body_vertex(sim, body[k], vertex[k]));
        joint.v[k] = sim->bodies.at[body[k]].first + vertex[k];
    }
    if (joint.v[0] == joint.v[1]) return toc_fail(TOC_BAD_INPUT, "a vertex cannot be joined to itself");
    double gap[3];
    sim_sub(sim->x[joint.v[0]], sim->x[joint.v[1]], gap);
    joint.rest = sim_length(gap);
    TOC_TRY(toc_array_reserve(&sim->memory, &sim->joints, 1));
    sim->joints.at[sim->joints.count++] = joint;
    return TOC_OK;
}

toc_status toc_sim_set_velocity(toc_sim *sim, uint32_t body, const double velocity[3], const double angular[3],
                                const double point[3]) {
    TOC_SCOPED_ARITHMETIC;
    TOC_NEED(sim);
    TOC_NEED(velocity);
    TOC_NEED(angular);
    TOC_NEED(point);
    TOC_TRY(check_body_vertex(sim, body, 0));
    for (int k = 0; k < 3; k++)
        if (!isfinite(velocity[k]) || !isfinite(angular[k]) || !isfinite(point[k]))
            return toc_fail(TOC_BAD_INPUT, "the velocity of body %u is not finite", body);
    sim_body *b = &sim->bodies.at[body];
    sim_copy(velocity, b->velocity);
    sim_copy(angular, b->angular);
    sim_copy(point, b->point);
    for (uint32_t i = b->first; i < b->first + b->count; i++) {
        double arm[3];
        sim_sub(sim->x[i], point, arm);
        sim_cross(angular, arm, sim->v[i]);
        sim_add(1, velocity, sim->v[i]);
        if (b->material.motion == TOC_SIM_SOFT && sim->w[i] == 0) memset(sim->v[i], 0, sizeof *sim->v);
    }
    if (b->rigid != SIM_NONE) {
        sim_rigid *r = &sim->rigids.at[b->rigid];
        double arm[3];
        sim_sub(r->now.centre, point, arm);
        sim_cross(angular, arm, r->velocity);
        sim_add(1, velocity, r->velocity);
        sim_copy(angular, r->angular);
    }
    return TOC_OK;
}

toc_status toc_sim_set_velocities(toc_sim *sim, uint32_t body, size_t count, const double *velocities) {
    TOC_SCOPED_ARITHMETIC;
    TOC_NEED(sim);
    TOC_NEED(velocities);
    TOC_TRY(check_body_vertex(sim, body, 0));
    const sim_body *b = &sim->bodies.at[body];
    if (b->material.motion != TOC_SIM_SOFT)
        return toc_fail(TOC_BAD_INPUT, "body %u is not soft; its vertices have no velocities of their own", body);
    if (count != b->count)
        return toc_fail(TOC_BAD_INPUT, "the array has %zu vertices, body %u has %u", count, body, b->count);
    for (size_t i = 0; i < 3 * (size_t)b->count; i++)
        if (!isfinite(velocities[i]))
            return toc_fail(TOC_BAD_INPUT, "the velocity of vertex %zu of body %u is not finite", i / 3, body);
    for (uint32_t i = 0; i < b->count; i++)
        if (sim->w[b->first + i] > 0) sim_copy(velocities + 3 * (size_t)i, sim->v[b->first + i]);
    return TOC_OK;
}
