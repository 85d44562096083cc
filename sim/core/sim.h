// SPDX-License-Identifier: Apache-2.0
// The simulation as its modules see it: particles of all bodies in one array, rigid bodies, constraints, contacts.
//
// Positions of a step: x0 at its start, x now. Within a substep, `before` is its start. Vertices of rigid bodies take
// their place in x from the pose at the end of a step; within a step the pose alone is true.
#ifndef SIM_CORE_SIM_H
#define SIM_CORE_SIM_H

#include <stdatomic.h>

#include "base/memory.h"
#include "sim/core/colours.h"
#include "sim/core/loop.h"
#include "toccata/sim.h"

#define SIM_NONE UINT32_MAX

typedef struct sim_pose {
    double centre[3], turn[4]; // turn: a unit quaternion
} sim_pose;

/// A rigid body. Inertia in the frame of the body, about the centre of mass.
typedef struct sim_rigid {
    sim_pose now, before, start; // now; at the start of the substep; at the start of the step
    double velocity[3], angular[3];
    double start_velocity[3], start_angular[3]; // to undo a step
    double inverse_mass, inertia[3][3], inverse_inertia[3][3];
} sim_rigid;

typedef struct sim_body {
    uint32_t first, count; // particles
    uint32_t room;         // particles that it may grow to by splitting
    uint32_t rigid;        // index, SIM_NONE for others
    toc_sim_material material;
    double velocity[3], angular[3], point[3]; // of a guided body; the point moves with it
    double start_point[3];                    // to undo a step
    bool gone;                                // glued to a body of a lower id
} sim_body;

/// Constraints between particles. `v` are particles, unused ones SIM_NONE. Compliance is the inverse stiffness.
typedef struct sim_spring {
    uint32_t v[2];
    uint32_t id;     // counts up as they are made; colouring changes their order
    uint32_t origin; // the body it was made for, glued or not
    double rest, compliance;
} sim_spring;

typedef struct sim_hinge { // faces v0 v2 v3 and v1 v3 v2
    uint32_t v[4];
    uint32_t id, origin; // as of springs
    uint32_t element[2]; // of the mesh, of each face
    double rest, compliance;
} sim_hinge;

typedef struct sim_tet {
    uint32_t v[4];
    double inverse_rest[3][3];                        // of the matrix whose columns are the edges from v0
    double goal, shear_compliance, volume_compliance; // goal: det F at which the volume term rests
    double volume, mass;                              // at rest
    uint32_t element;                                 // of the mesh
    uint32_t origin;                                  // the body it was made for, glued or not
    uint32_t side;                                    // of the last cut, 1 or 2; 0 for none
    bool by_force;                                    // acts by explicit forces, not as a constraint
} sim_tet;

typedef struct sim_cluster { // members: a range of sim->members
    uint32_t first, count;
    double centre[3], mass; // at rest
    double turn[4];         // of the last match, where the next one begins
    double goal[3];         // the centre now
    double axes[3][3];      // the matrix of the turn, by rows
} sim_cluster;

typedef struct sim_bag { // a closed surface, faces: a range of sim->bag_faces
    uint32_t first, count;
    uint32_t origin; // the body it was made for, glued or not
    double volume, compliance;
} sim_bag;

typedef struct sim_joint { // vertices of any bodies
    uint32_t v[2];
    double rest, compliance;
} sim_joint;

/// Constraints of one type, in the order of colours: those of a colour share no particle.
typedef struct sim_colours {
    TOC_ARRAY(size_t) first; // of each colour, and the end
    bool stale;
} sim_colours;

/// Elements of a body from an id on that were those of another body, which was glued to it.
typedef struct sim_span {
    uint32_t body, first, origin;
} sim_span;

/// The side of its own surface on which the body lies that a vertex is glued to.
typedef enum sim_glue_side { SIM_GLUE_NONE, SIM_GLUE_FRONT, SIM_GLUE_BACK } sim_glue_side;

/// A pair of features that must keep a distance along a normal. Weights are those of the first feature, and the
/// negative ones of the second: the gap is the sum of weight * position * normal.
typedef struct sim_contact {
    uint32_t v[4];
    double weights[4];
    double normal[3];   // from the second feature to the first
    double target;      // gap to keep
    double friction;    // coefficient
    uint32_t rigid[2];  // of each feature, or SIM_NONE
    double local[2][3]; // point of a rigid feature in its body's frame
    uint8_t split;      // vertices of the first feature: 1 or 2
    bool pressed;       // pushed in this substep
    double restitution; // coefficient
    double leave;       // speed along the normal that a bounce gives, 0 for none
    double bounced;     // impulse that it has given
} sim_contact;
typedef TOC_ARRAY(sim_contact) sim_contacts;

/// The order in which contacts are solved: in blocks, and these by colours. Blocks of a colour share nothing that
/// moves.
typedef struct sim_order {
    TOC_ARRAY(uint32_t) items; // contacts, block by block
    TOC_ARRAY(uint32_t) first; // item of each block, and the end
    sim_colours colours;       // of blocks
} sim_order;

/// Vertices and rigid bodies that move as one: mass and moments about the centre, then the motion.
typedef struct sim_zone {
    uint32_t guide; // the guided body that it follows, or SIM_NONE
    double mass, centre[3], shift[3], spin[3], inertia[3][3];
    double rotation[3];
} sim_zone;

/// Pairs kept over several steps: sim/response/kept.h.
typedef struct sim_kept {
    toc_candidates *pairs;             // NULL for none
    TOC_ARRAY(double) start, way, end; // 3 a particle: the predicted motion, from its start, and in a step
    TOC_ARRAY(double) pull;            // the acceleration of the last step
    double distance;                   // within which all pairs on it are known
    double farthest;                   // of the vertices from it, at the end of the last step asked about
    uint32_t age, span;                // steps since, and those that were predicted
} sim_kept;

struct toc_sim {
    toc_allocator memory;
    toc_sim_settings settings;
    char preset[64];
    toc_scene *scene;
    int threads; // of loops

    size_t particle_count, particle_capacity;
    double (*x)[3], (*x0)[3], (*before)[3], (*v)[3], (*v0)[3], (*rest)[3];
    double *w;        // inverse masses: 0 for pinned, guided and unused ones, and for vertices of rigid bodies
    double *mass;     // of soft particles, pinned or not
    double *thin;     // the part of it that surfaces, loose edges and points have
    uint32_t *owner;  // body
    uint32_t *origin; // the body it was made for, glued or not
    uint32_t *spent;  // 1 where its glue broke: it glues no more
    uint32_t *side;   // sim_glue_side

    TOC_ARRAY(sim_body) bodies;
    TOC_ARRAY(sim_rigid) rigids;
    TOC_ARRAY(sim_spring) springs;
    TOC_ARRAY(sim_hinge) hinges;
    TOC_ARRAY(sim_tet) tets;
    TOC_ARRAY(sim_cluster) clusters;
    TOC_ARRAY(uint32_t) members;
    TOC_ARRAY(uint32_t) first_sharer, sharers; // clusters of each particle
    bool sharers_stale;
    TOC_ARRAY(sim_bag) bags;
    TOC_ARRAY(uint32_t) bag_faces; // three particles each
    TOC_ARRAY(sim_joint) joints;
    TOC_ARRAY(sim_span) spans; // of all bodies, as they were glued
    sim_colours spring_colours, hinge_colours, tet_colours;
    uint32_t springs_made, hinges_made; // the next ids
    atomic_bool upheld;                 // an element was too flat in this sweep: any thread sets it
    atomic_bool parted;                 // an impact was not apart in this sweep: likewise
    bool yields;                        // a material stays bent or stretched

    sim_contacts contacts, impacts;
    sim_order contact_order, impact_order;
    toc_contacts *near_found, *impacts_found; // results of the last questions, whose memory the next ones use
    TOC_ARRAY(uint64_t) used;                 // of colouring: bits by particle, then by rigid body
    TOC_ARRAY(uint8_t) colour_of;             // by item
    TOC_ARRAY(uint32_t) nodes, blocks;        // of ordering: four a contact; first items of the blocks
    sim_kept kept;
    double reach; // of contacts: the largest thickness
    bool bounces; // a material has a restitution
    TOC_ARRAY(sim_zone) zone_list;
    TOC_ARRAY(uint32_t) zone_of; // by particle, then by rigid body: union-find
    TOC_ARRAY(double) scratch;   // positions, 3 a particle
    TOC_ARRAY(double) journal;   // edits of the meshes: sim/core/edit.h
    double time, extent;         // extent: of the bodies at the start
    bool checked;                // no body crosses another at the start
    bool edited;                 // the topology changed in this step
    size_t splits, eroded;       // of this step
    size_t divided;              // edges that blades divided, of this step
    size_t glued, unglued;       // vertices, of this step
    size_t unsplit;              // vertices without an id to split, of this step
    size_t pushed;               // face pairs pushed apart since the last step
    uint32_t stalled;            // steps in a row that made no way
    double detection_seconds;    // of this step
    size_t rounds, zones;        // of this step
};

/// Whether a particle can be moved by a contact: soft and free, or a vertex of a rigid body.
static inline bool sim_is_movable(const toc_sim *sim, uint32_t particle) {
    return sim->w[particle] > 0 || sim->bodies.at[sim->owner[particle]].rigid != SIM_NONE;
}

/// Whether a soft particle is held where it is.
static inline bool sim_is_pinned(const toc_sim *sim, uint32_t particle) {
    return sim->w[particle] == 0 && sim->mass[particle] > 0;
}

#endif
