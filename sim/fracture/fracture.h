// SPDX-License-Identifier: Apache-2.0
// Topology that follows the stress: vertices split, elements erode or are cut, bodies glue.
#ifndef SIM_FRACTURE_FRACTURE_H
#define SIM_FRACTURE_FRACTURE_H

#include "sim/core/sim.h"

/// Edit the bodies whose materials can fail, at the end of a step.
/// The meshes of the scene are edited through the public interface, so that the next query follows incrementally.
/// No edit makes faces cross: splits whose halves would are taken back.
/// @return TOC_OUT_OF_MEMORY and the like leave the edits so far.
toc_status toc_sim_topology_update(toc_sim *sim);

/// Remove the elements of a soft body that are stretched too far, and those that a sharp body carves.
toc_status toc_sim_body_erode(toc_sim *sim, uint32_t body);
/// Part the elements of a soft body along the faces next to the way of a sharp body.
toc_status toc_sim_body_cut(toc_sim *sim, uint32_t body);
/// Part glued vertices of a body whose glue bears more than its strength: of volume elements, shells, or both.
toc_status toc_sim_body_unglue(toc_sim *sim, uint32_t body);
/// Masses after an edit: sums over the remaining tets, so that rounding leaves no mass behind, and over thin elements.
void toc_sim_body_weigh(toc_sim *sim, uint32_t body);
/// Glue vertices of different soft bodies that are within the adhesion of both, and merge their bodies.
toc_status toc_sim_bodies_glue(toc_sim *sim);

/// Items around the vertices of a body: items[first[i]] .. for the i-th vertex.
typedef struct sim_stars {
    TOC_ARRAY(uint32_t) first;
    TOC_ARRAY(uint32_t) items;
} sim_stars;
/// Items of any type that begin with the particles of their corners, unused ones SIM_NONE.
typedef struct sim_items {
    const void *vertices;
    size_t count, stride; // stride in bytes
    int corners;
} sim_items;
toc_status toc_sim_stars_find(const toc_sim *sim, const sim_body *body, const sim_items *items, sim_stars *stars);
/// Those of the tets.
toc_status toc_sim_stars_make(const toc_sim *sim, const sim_body *body, sim_stars *stars);
void toc_sim_stars_free(const toc_sim *sim, sim_stars *stars);

/// Whether an element is in a short list.
static inline bool sim_has_element(const uint32_t *elements, size_t count, uint32_t element) {
    for (size_t i = 0; i < count; i++)
        if (elements[i] == element) return true;
    return false;
}

/// Whether a tet has a particle as a corner.
static inline bool sim_has_particle(const sim_tet *tet, uint32_t particle) {
    return tet->v[0] == particle || tet->v[1] == particle || tet->v[2] == particle || tet->v[3] == particle;
}

/// An element without a volume: a face, a loose edge or a point.
typedef struct sim_shell {
    uint32_t v[4]; // particles, unused ones SIM_NONE
    int corners;
    uint32_t element, origin; // of the mesh; the body it was made for, glued or not
} sim_shell;
typedef TOC_ARRAY(sim_shell) sim_shells;

/// Append the shells of a body.
toc_status toc_sim_shells_find(const toc_sim *sim, uint32_t body, sim_shells *shells);
/// The mass of a corner at rest, by the density of the body that the shell was made for.
double toc_sim_shell_mass(const toc_sim *sim, const sim_shell *shell, int corner);
double toc_sim_shell_area(const toc_sim *sim, const sim_shell *shell);
/// Twice the area vector of the triangle of a corner and its neighbours in a face.
void toc_sim_shell_normal(const toc_sim *sim, const sim_shell *shell, int corner, double out[3]);
/// The derivative of the area of that triangle by the corner: outward, half as long as the side against it.
void toc_sim_shell_outward(const toc_sim *sim, const sim_shell *shell, int corner, double out[3]);

/// The tets around a vertex, and the shells, by their numbers in a list.
typedef struct sim_around {
    const uint32_t *tets, *shells;
    uint32_t tet_count, shell_count;
    const sim_shell *list;
} sim_around;

/// A vertex that split: its elements on one side have a vertex of their own.
typedef struct sim_split {
    uint32_t vertex, made; // in the mesh
    double at[3];          // before the two moved apart
    bool undo;             // the halves cross something
} sim_split;
typedef TOC_ARRAY(sim_split) sim_splits;

/// Give these elements around a vertex a vertex of their own. The body must have room for it. Springs, hinges and the
/// mass of shells are the caller's.
/// @param around the vertex. @param direction in which the old vertex moves, the new one against it; NULL for both
/// towards the middles of their elements.
toc_status toc_sim_vertex_split(toc_sim *sim, uint32_t body, const sim_around *around, uint32_t vertex,
                                const uint32_t *elements, size_t element_count, const double *direction,
                                sim_splits *splits);
/// The direction in which the elements around a particle that are not named part from those that are, across the
/// faces between them. @return false if there is none that opens all these faces.
bool toc_sim_vertex_direction(const toc_sim *sim, const uint32_t *tets, uint32_t count, uint32_t particle,
                              const uint32_t *elements, size_t element_count, double out[3]);
/// @return TOC_UNSTABLE if a body that is cut has no vertex ids left.
toc_status toc_sim_vertex_afford(const toc_sim *sim, uint32_t body);
/// Take back the splits that make faces cross, and weigh the body anew. `splits` has the remaining ones.
toc_status toc_sim_splits_settle(toc_sim *sim, uint32_t body, sim_splits *splits);

/// A cut of a sharp body into a soft one at one of their contacts.
typedef struct sim_cut {
    double point[3], direction[3]; // on the soft body; of the motion of the blade
    double edge[3], normal[3];     // of the plane that the blade sweeps there: a point of the blade on it
    uint32_t blade;                // body
    uint32_t tet;                  // ahead of the blade; its stress exceeds `cut`
} sim_cut;
typedef TOC_ARRAY(sim_cut) sim_cuts;
/// Find the cuts into a body at the contacts of the step.
toc_status toc_sim_cuts_find(toc_sim *sim, uint32_t body, const sim_stars *stars, sim_cuts *cuts);
/// Whether a body can be cut, and a sharp body is there.
bool toc_sim_body_can_be_cut(const toc_sim *sim, uint32_t body);

/// The middle of a tet now.
void toc_sim_tet_middle(const toc_sim *sim, const sim_tet *tet, double out[3]);
/// Cauchy stress of a tet now.
void toc_sim_tet_stress(const toc_sim *sim, const sim_tet *tet, double out[3][3]);
/// The largest eigenvalue of a symmetric matrix, and its unit vector.
double toc_sim_largest_eigenvalue(double m[3][3], double vector[3]);

#endif
