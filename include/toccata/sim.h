// SPDX-License-Identifier: Apache-2.0
/// Simulation: bodies that move by physics and never pass through each other. A library of its own, libtoccata-sim, on
/// the interface of libtoccata alone. Not part of toccata.h.
#ifndef TOCCATA_SIM_H
#define TOCCATA_SIM_H

#include "toccata/scene.h"

#ifdef TOC_SIM_BUILDING
#define TOC_SIM_API TOC_EXPORT_
#else
#define TOC_SIM_API TOC_IMPORT_
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// Bodies, their materials, and the state of their motion. One call at a time; different simulations may run in
/// different threads. Units are any that fit together; the defaults are SI.
///
/// Motion is extended position based dynamics with substeps (Macklin and Mueller). Each step, contacts within the
/// thickness become constraints with friction. Then the whole step is asked for contacts, and impacts are resolved
/// until the query finds none; impact zones and a shorter step are the last resorts. A scene that has no intersection
/// at the start never gets one, if the preset is complete: docs/simulation.md.
///
/// The same bits for any number of threads.
typedef struct toc_sim toc_sim;

/// The settings of this library that grow with its versions.
typedef enum toc_sim_defaults {
    TOC_SIM_DEFAULTS_SIMULATION = 0, ///< Of toc_sim_settings.
    TOC_SIM_DEFAULTS_MATERIAL,       ///< Of toc_sim_material.
    TOC_SIM_DEFAULTS_CHARACTER,      ///< Of toc_character_settings (toccata/character.h).
    TOC_SIM_DEFAULTS_CAGE            ///< Of toc_cage_settings (toccata/character.h).
} toc_sim_defaults;

/// Write the defaults of settings, as toc_sim_settings_init and its like do for one type.
/// @param size of the structure as the caller knows it; base.h, "Growth".
TOC_SIM_API toc_status toc_sim_defaults_write(toc_sim_defaults kind, void *settings, size_t size);

/// Settings of a simulation. Begin with toc_sim_settings_default or toc_sim_settings_init.
typedef struct toc_sim_settings {
    uint32_t size;         ///< Set by toc_sim_settings_init; do not change it.
    double gravity[3];     ///< Acceleration. Default 0, 0, -9.81.
    double step;           ///< Length of a step, time, > 0. Default 1/60.
    uint32_t substeps;     ///< Of the solver in a step, 1 to 1000. Default 10.
    const char *preset;    ///< Of the queries; copied. Default "auto". One that can miss lets bodies cross.
    bool surface_only;     ///< Contacts of boundary features only. Default true.
    int threads;           ///< As in toc_query. Default 0.
    bool continuous;       ///< Resolve the impacts of a step. Default true; without, fast bodies cross.
    uint32_t rounds;       ///< Queries of a step until impact zones begin, and again until the step is cut. Default 20.
    uint32_t pushes;       ///< Rounds at most in which bodies that cross at the start are pushed apart, 0 to 10000; 0
                           ///< refuses them. Default 200.
    toc_task_system tasks; ///< Threads of the caller, as in toc_query. Default none.
} toc_sim_settings;

/// Write the defaults named in toc_sim_settings.
/// @param size sizeof *settings as the caller knows it; base.h, "Growth".
TOC_INLINE_API toc_status toc_sim_settings_init(toc_sim_settings *settings, size_t size) {
    return toc_sim_defaults_write(TOC_SIM_DEFAULTS_SIMULATION, settings, size);
}
/// The same as a value.
TOC_INLINE_API toc_sim_settings toc_sim_settings_default(void) {
    toc_sim_settings settings;
    toc_sim_settings_init(&settings, sizeof settings);
    return settings;
}

/// How a body moves.
typedef enum toc_sim_motion {
    TOC_SIM_SOFT = 0, ///< By the forces on its vertices.
    TOC_SIM_RIGID,    ///< As a whole. A closed boundary makes it solid; else its mass is on its vertices.
    TOC_SIM_GUIDED    ///< As toc_sim_set_velocity says; at first at rest. Others give way.
} toc_sim_motion;

/// The material of a body. Begin with toc_sim_material_default or toc_sim_material_init.
typedef struct toc_sim_material {
    uint32_t size;         ///< Set by toc_sim_material_init; do not change it.
    toc_sim_motion motion; ///< Default TOC_SIM_SOFT.
    double density;        ///< Of volume elements and solid rigid bodies, mass per volume, > 0. Default 1000.
    double area_density;   ///< Of triangles and quads, mass per area, > 0. Default 0.2.
    double line_density;   ///< Of loose edges, mass per length, > 0; of loose points, mass. Default 0.01.
    double young;          ///< Young's modulus of volume elements, force per area, > 0. Default 1e5.
    double poisson;        ///< Poisson's ratio of volume elements, 0 to 0.49. Default 0.3.
    double stretch;        ///< Stiffness of the edges of surfaces and of loose edges, force per length, >= 0; 0 for no
                           ///< such constraint. Default 1000.
    double bend;           ///< Stiffness of the angle between two faces of a surface, energy, >= 0; 0 for none. Default
                           ///< 1e-4.
    double lattice; ///< Cell length of a shape matching lattice around the vertices, >= 0; 0 for none. Default 0.
    double lattice_stiffness; ///< Share of the way to the matched shape in a substep, 0 to 1. Default 0.5.
    double inflation; ///< Volume that a closed surface strives for, in volumes at the start; 0 for none. Default 0.
    double inflation_stiffness; ///< Of that, pressure per volume, > 0. Default 1e6.
    double damping;             ///< Rate at which velocities fade, 1 / time, >= 0. Default 0.1.
    double friction;            ///< Coefficient of friction, >= 0; a pair takes the geometric mean. Default 0.3.
    bool forces; ///< Volume elements act by explicit forces, as finite elements, instead of constraints. Substeps must
                 ///< be shorter than sound takes through an element. Default false.
    double failure; ///< Largest principal stress that the elements around a vertex bear on average; beyond it the
                    ///< vertex splits. Of bodies of volume elements; 0 for never. Default 0.
    double erosion; ///< Largest stretch, > 1, that an element bears, a triangle or quad along its edges; beyond it the
                    ///< element is removed. 0 for never. Default 0.
    double thickness;  ///< Distance that contacts keep, length, >= 0; a pair takes the mean. Default 0.005.
    double adhesion;   ///< Distance at which vertices of two soft bodies glue, length, >= 0; a pair takes the mean, and
                       ///< both must be above 0. Not with a lattice. 0 for never. Default 0.
    double yield;      ///< Strain, < 1, that edges of surfaces and loose edges bear; beyond it they stay longer or
                       ///< shorter. 0 for never. Default 0.
    double bend_yield; ///< Angle in radians that two faces of a surface bear; beyond it they stay bent. 0 for never.
                       ///< Default 0.
    bool sharp; ///< Cuts: bodies of tets are divided along the plane that this body sweeps, other volume elements part
                ///< along the faces next to it, if the stress of the element in front exceeds its `cut`. Of rigid and
                ///< guided bodies. Default false.
    double cut; ///< Von Mises stress that an element bears where a sharp body touches it. 0 for a material that cannot
                ///< be cut. Default 0.
    bool carve; ///< Elements that a sharp body cuts are removed, instead of parted. Default false.
    double adhesion_strength; ///< Traction, force per area, at which glue breaks: tension and shear between the
                              ///< elements of the two bodies at a glued vertex. A pair takes the lower one above 0; 0
                              ///< for never. A vertex whose glue broke glues no more. A seam along edges of surfaces
                              ///< has their thickness. Default 0.
    double restitution;       ///< Share of the speed of approach with which a contact parts, 0 to 1; a pair takes the
                              ///< geometric mean. A contact that is slower than gravity makes it in two substeps rests.
                              ///< Default 0.
    double adhesion_force;    ///< Force on a vertex, all forces of a step together, beyond which it glues to a vertex
                              ///< within the adhesion; a pair takes the mean. 0 glues without force. Default 0.
} toc_sim_material;

/// Write the defaults named in toc_sim_material.
/// @param size sizeof *material as the caller knows it; base.h, "Growth".
TOC_INLINE_API toc_status toc_sim_material_init(toc_sim_material *material, size_t size) {
    return toc_sim_defaults_write(TOC_SIM_DEFAULTS_MATERIAL, material, size);
}
/// The same as a value.
TOC_INLINE_API toc_sim_material toc_sim_material_default(void) {
    toc_sim_material material;
    toc_sim_material_init(&material, sizeof material);
    return material;
}

/// Make a simulation without bodies.
/// @param settings NULL for the defaults; copied.
/// @param allocator NULL for the default; must outlive the simulation.
TOC_SIM_API toc_status toc_sim_create(const toc_sim_settings *settings, const toc_allocator *allocator, toc_sim **out);
/// Destroy a simulation with its bodies; NULL is fine.
TOC_SIM_API void toc_sim_destroy(toc_sim *sim);

/// Add a body, at rest where its mesh ends (x1), which is its shape without stress. The simulation owns the mesh from
/// then on; on failure it stays the caller's. Vertices without an element stay where they are. Hexes, wedges and
/// pyramids are taken apart into tets for the forces; contacts see them whole.
/// @param body receives its id, counted from 0: the id in the scene, too. May be NULL.
TOC_SIM_API toc_status toc_sim_add_body(toc_sim *sim, toc_mesh *mesh, const toc_sim_material *material, uint32_t *body);

/// Hold a vertex of a soft body where it is.
TOC_SIM_API toc_status toc_sim_pin_vertex(toc_sim *sim, uint32_t body, uint32_t vertex);
/// Join a vertex of a body to a point that moves with a vertex of another (or the same) body, as far apart as they are
/// now. Vertices of rigid and guided bodies are fine on one side each.
/// @param stiffness force per length, > 0; INFINITY for a rigid joint.
TOC_SIM_API toc_status toc_sim_join_vertices(toc_sim *sim, const uint32_t body[2], const uint32_t vertex[2],
                                             double stiffness);
/// Give a body a velocity and an angular velocity (radians per time) about a point. A guided body keeps them until the
/// next call; others begin with them.
TOC_SIM_API toc_status toc_sim_set_velocity(toc_sim *sim, uint32_t body, const double velocity[3],
                                            const double angular[3], const double point[3]);
/// Give every vertex of a soft body a velocity of its own, as after an explosion. Pinned vertices stay at rest.
/// @param count vertices in the array; another number than the vertex ids of the body is TOC_BAD_INPUT.
/// @param velocities 3 doubles a vertex id; copied.
TOC_SIM_API toc_status toc_sim_set_velocities(toc_sim *sim, uint32_t body, size_t count, const double *velocities);

/// Push bodies apart that cross, along the depth of their overlap, while time stands still. The first step does so,
/// too; call it to see the bodies where they start. Does nothing to bodies that do not cross.
///
/// A vertex inside of a closed body leaves it by the nearest point of its surface. A surface without volume elements
/// that is not rigid may be a room: where most of a body is inside of it, the rest is drawn in. Free bodies move as a
/// whole, by the shares of their masses; where that does not help, and for pinned bodies, vertices move, with the
/// forces of the material. Velocities stay. Bodies wholly inside of others do not cross.
/// @param crossing receives the number of face pairs that crossed; may be NULL.
/// @return TOC_OK; TOC_BAD_INPUT where toc_sim_settings.pushes rounds leave a crossing: the bodies are as before;
/// TOC_OUT_OF_MEMORY.
TOC_SIM_API toc_status toc_sim_push_apart(toc_sim *sim, size_t *crossing);

/// The result of a step. A report: it may gain fields at the end (base.h, "Growth").
typedef struct toc_sim_report {
    double time;              ///< At the end of the step, from 0.
    double fraction;          ///< Share of the step that was made: less than 1 if it was cut at a contact.
    size_t contacts;          ///< Pairs within the thickness that became constraints.
    size_t impacts;           ///< Contacts of the step that were resolved.
    size_t rounds;            ///< Queries for impacts, the last one without any included.
    size_t zones;             ///< Impact zones that moved as a whole.
    double dynamics_seconds;  ///< Real time for the motion and the response.
    double detection_seconds; ///< Real time for the queries.
    size_t splits;            ///< Vertices that split.
    size_t eroded;            ///< Elements that were removed.
    size_t glued;             ///< Vertices that were glued to others.
    size_t pushed;            ///< Face pairs that crossed before the first step and were pushed apart.
    size_t unglued;           ///< Glued vertices that came apart again.
    size_t unsplit;           ///< Vertices that were to split or to come apart, of bodies without vertex ids left.
    size_t divided;           ///< Edges of elements that blades divided, each with a new vertex.
} toc_sim_report;

/// Make a step. On failure the simulation is as before the step, and may go on; but if memory is out while a material
/// fails, the step is made, and some of the edits.
/// @param report may be NULL.
/// @param size sizeof *report as the caller knows it.
/// @return TOC_OK; TOC_BAD_INPUT, for a preset that is unknown or bodies that cross at the start and cannot be pushed
/// apart; TOC_OUT_OF_MEMORY; TOC_UNSTABLE for a motion that leaves all bounds, with body and vertex named, or for a
/// body that is to be cut and has no vertex ids left: the step is made then, and some of the edits.
TOC_SIM_API toc_status toc_sim_step_sized(toc_sim *sim, toc_sim_report *report, size_t size);
/// The same for the structure of this header.
TOC_INLINE_API toc_status toc_sim_step(toc_sim *sim, toc_sim_report *report) {
    return toc_sim_step_sized(sim, report, sizeof *report);
}

/// The scene, with the motion of the last step: to query, to read and to write. Bodies have the ids of the simulation.
/// A body that was glued to another one of a lower id is not there any more (toc_scene_has_body): its elements belong
/// to that one. After a change of topology the meshes rest at the end of the step. Do not move or edit them.
TOC_SIM_API toc_scene *toc_sim_get_scene(toc_sim *sim);
/// The motion of a body, 3 doubles a vertex id. Valid until the next step.
typedef struct toc_sim_body_motion {
    double time;                          ///< Since the start of the simulation.
    const double *positions, *velocities; ///< NULL without such a body.
} toc_sim_body_motion;
/// The motion of a body at the end of the last step; zeros for NULL.
TOC_SIM_API toc_sim_body_motion toc_sim_get_motion(const toc_sim *sim, uint32_t body);
/// Time since the start.
TOC_INLINE_API double toc_sim_get_time(const toc_sim *sim) { return toc_sim_get_motion(sim, UINT32_MAX).time; }
/// The positions alone.
TOC_INLINE_API const double *toc_sim_get_positions(const toc_sim *sim, uint32_t body) {
    return toc_sim_get_motion(sim, body).positions;
}
/// The velocities alone.
TOC_INLINE_API const double *toc_sim_get_velocities(const toc_sim *sim, uint32_t body) {
    return toc_sim_get_motion(sim, body).velocities;
}

/// The contacts of the last step: pairs within the thickness that became constraints, and impacts that were resolved,
/// with their points where the step ended. Each pair once, sorted by kind, bodies and vertex ids; `thickness` is the
/// distance that the pair keeps.
/// @param pairs receives them; NULL to learn how much room they need.
/// @return their number; without `pairs`, at least that.
TOC_SIM_API size_t toc_sim_get_contacts(const toc_sim *sim, toc_near_pair *pairs);

/// Sums over all bodies that are not guided.
typedef struct toc_sim_energy {
    double kinetic;
    double gravity;     ///< Against the origin.
    double momentum[3]; ///< Linear.
    double volume;      ///< Of volume elements, signed.
    double mass;        ///< Of the vertices that can move, and of rigid bodies.
} toc_sim_energy;
/// Find the sums at the end of the last step. 0 for NULL.
TOC_SIM_API toc_sim_energy toc_sim_find_energy(const toc_sim *sim);

/// The state of the motion as doubles, to go on later from the same bits: positions, velocities, poses, time, and the
/// edits of the meshes where a material failed or bodies were glued.
/// @param state receives them; NULL to learn how many there are.
/// @return their number.
TOC_SIM_API size_t toc_sim_get_state(const toc_sim *sim, double *state);
/// Take over a state of a simulation with the same bodies. Edits that the state has and this simulation has not are
/// made first. Another number of doubles, one that is not finite, or edits of this simulation that the state has not
/// are TOC_BAD_INPUT. A failure while edits are made leaves the simulation without use: destroy it.
TOC_SIM_API toc_status toc_sim_set_state(toc_sim *sim, const double *state, size_t count);

#ifdef __cplusplus
}
#endif

#endif
