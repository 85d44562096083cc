// SPDX-License-Identifier: Apache-2.0
/// Characters: a cage of tetrahedra that a skeleton moves, and the places where it meets itself and other bodies. Part
/// of libtoccata-sim. Not part of toccata.h.
#ifndef TOCCATA_CHARACTER_H
#define TOCCATA_CHARACTER_H

#include "toccata/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A character in motion. One call at a time; different characters may be used in different threads.
///
/// A frame: the skeleton places the cage (linear blend or dual quaternion skinning); if asked for, position based
/// dynamics let the flesh follow with its volume kept; then all vertices of boundaries that lie in tetrahedra are
/// found. After Abu Rumman et al. 2015, "Collision detection for articulated deformable characters"; docs/papers.
typedef struct toc_character toc_character;

/// How vertices in tetrahedra are searched.
typedef enum toc_character_preset {
    TOC_CHARACTER_HASH = 0,      ///< All vertices and tets are hashed in every frame. Complete.
    TOC_CHARACTER_ONDEMAND,      ///< As published: parts of joints whose angle shrinks below alpha. Misses contacts.
    TOC_CHARACTER_ONDEMAND_SAFE, ///< All but pairs that provably stay apart: the contacts of TOC_CHARACTER_HASH (G21).
    TOC_CHARACTER_AUTO,          ///< The safe one, or all where most of the character is awake. Complete.
    TOC_CHARACTER_PRESET_COUNT
} toc_character_preset;
/// "hash", "ondemand", "ondemand-safe", "auto"; NULL past the last.
TOC_SIM_API const char *toc_character_preset_get_name(size_t preset);

/// How the skeleton moves a vertex.
typedef enum toc_skinning {
    TOC_SKINNING_LINEAR = 0, ///< Blend of matrices: thin where a joint twists.
    TOC_SKINNING_DUAL        ///< Blend of dual quaternions (Kavan et al. 2007): bulges where a joint bends. Joints that
                             ///< scale are taken as rigid.
} toc_skinning;

/// Settings of a character. Begin with toc_character_settings_default or toc_character_settings_init.
typedef struct toc_character_settings {
    uint32_t size;               ///< Set by toc_character_settings_init; do not change it.
    toc_character_preset preset; ///< Default TOC_CHARACTER_AUTO.
    double alpha;                ///< Of TOC_CHARACTER_ONDEMAND: the angle below which a joint can wake, radians, 0 to
                                 ///< pi. Default 2 pi / 3.
    double up[3];                ///< The direction of the midline; not 0. Default 0 1 0.
    toc_skinning skinning;       ///< Default TOC_SKINNING_LINEAR.
    uint32_t iterations; ///< Of position based skinning in a frame, up to 1000; 0 for skinning alone. Default 0.
    double step;         ///< Time of a frame, > 0. Default 1/60.
    double stiffness;    ///< Of the flesh: Young's modulus over density, in extents of the cage squared per time
                         ///< squared, > 0. Default 10.
    double attachment;   ///< Share of the way to its bone that a vertex makes in an iteration, 0 to 1. Default 0.9.
    double jiggle;       ///< Share of the velocity that the flesh keeps in a frame, 0 to 1. Default 0.5.
    bool respond;        ///< Push colliding vertices out, if there are iterations. Default false.
} toc_character_settings;

/// Write the defaults named in toc_character_settings.
/// @param size sizeof *settings as the caller knows it; base.h, "Growth".
TOC_SIM_API toc_status toc_character_settings_init(toc_character_settings *settings, size_t size);
/// The same as a value.
static inline toc_character_settings toc_character_settings_default(void) {
    toc_character_settings settings;
    toc_character_settings_init(&settings, sizeof settings);
    return settings;
}

/// A cage, a skeleton, and the weights between them. All arrays are copied.
typedef struct toc_character_def {
    const toc_mesh *cage;        ///< Tets in the bind pose (x1); other elements do not count.
    size_t joint_count;          ///< At least 1.
    const uint32_t *parents;     ///< By joint; UINT32_MAX for none. Any order, without cycles.
    const double *inverse_binds; ///< By joint: 12 doubles, three rows, from the bind pose into the joint's frame.
    const size_t *weight_ends;   ///< By vertex id of the cage: behind its last weight; the first one's begin at 0.
    const uint32_t *joints;      ///< Of each weight.
    const double *weights;       ///< >= 0; those of a vertex of a tet sum to 1 within 0.02.
} toc_character_def;

/// Make a character in its bind pose.
/// @param settings NULL for the defaults; copied.
/// @param allocator NULL for the default; must outlive the character.
/// @return TOC_OK; TOC_BAD_INPUT for a cage without tets, a skeleton with a cycle, weights that are wrong, each named;
/// TOC_OUT_OF_MEMORY.
TOC_SIM_API toc_status toc_character_create(const toc_character_def *def, const toc_character_settings *settings,
                                            const toc_allocator *allocator, toc_character **out);
/// Destroy a character; NULL is fine.
TOC_SIM_API void toc_character_destroy(toc_character *character);

/// Add a body of tets that the caller moves, such as a prop. Its contacts with the character and with other bodies are
/// found, those with itself are not.
/// @param body receives its id, from 1 on; 0 is the cage. May be NULL.
TOC_SIM_API toc_status toc_character_add_body(toc_character *character, const toc_mesh *mesh, uint32_t *body);
/// Place a body, 3 doubles a vertex id of its mesh.
TOC_SIM_API toc_status toc_character_move_body(toc_character *character, uint32_t body, const double *x);
/// Stiffness of the attachment to a joint's bone, in place of settings.attachment; 0 to 1.
TOC_SIM_API toc_status toc_character_set_attachment(toc_character *character, uint32_t joint, double attachment);

/// A vertex in a tet.
typedef struct toc_character_contact {
    uint32_t body[2];  ///< Of the vertex and of the tet.
    uint32_t vertex;   ///< Id in its mesh; on the boundary.
    uint32_t element;  ///< Id of the tet in its mesh; the vertex is no corner of it.
    double weights[4]; ///< The vertex as a blend of the tet's corners; sum 1, >= 0 but for rounding.
} toc_character_contact;

/// The outcome of a frame. A report: it may gain fields at the end (base.h, "Growth").
typedef struct toc_character_report {
    size_t contacts;        ///< Vertices in tets.
    size_t inverted;        ///< Tets that are inverted or flat; a vertex in such a tet is no contact.
    size_t inside_inverted; ///< Vertices found in inverted tets.
    size_t awake_joints;    ///< Joints whose part was searched.
    size_t awake_vertices;  ///< Vertices that were searched for, of `boundary_vertices`.
    size_t boundary_vertices;
    size_t tested_tets; ///< Tets that were looked up, of `tets`.
    size_t tets;
    size_t passes;           ///< Searches in this frame: 1, and one for each iteration with response.
    double skinning_seconds; ///< Skinning and dynamics.
    double detection_seconds;
    double volume; ///< Of the cage, signed.
} toc_character_report;

/// Make a frame: move the character to a pose and find its contacts.
/// @param matrices by joint: 12 doubles, three rows, from the bind pose to the world (toc_rig_pose gives them).
/// @param report may be NULL.
/// @param size sizeof *report as the caller knows it.
/// @return TOC_OK; TOC_BAD_INPUT for matrices that are not finite; TOC_OUT_OF_MEMORY; TOC_UNSTABLE.
TOC_SIM_API toc_status toc_character_step_sized(toc_character *character, const double *matrices,
                                                toc_character_report *report, size_t size);
/// The same for the structure of this header.
static inline toc_status toc_character_step(toc_character *character, const double *matrices,
                                            toc_character_report *report) {
    return toc_character_step_sized(character, matrices, report, sizeof *report);
}

/// The contacts of the last frame, sorted by bodies, vertex and element. Valid until the next call that changes the
/// character.
TOC_SIM_API const toc_character_contact *toc_character_get_contacts(const toc_character *character, size_t *count);
/// Whether the part of a joint was searched in the last frame; false past the last joint.
TOC_SIM_API bool toc_character_is_awake(const toc_character *character, uint32_t joint);
/// Positions of a body in the last frame, 3 doubles a vertex id; NULL without such a body. Valid likewise.
TOC_SIM_API const double *toc_character_get_positions(const toc_character *character, uint32_t body);
/// Count the contacts of the last frame as TOC_CHARACTER_HASH finds them, for the recall of a preset.
TOC_SIM_API toc_status toc_character_count_all(toc_character *character, size_t *count);

/// Points that move with a cage: a fine surface, each point a blend of the corners of a tet.
typedef struct toc_binding toc_binding;
/// Bind points to the tets of a mesh in its rest (x1). A point outside of all tets takes the nearest tet; its weights
/// then lie outside of 0 .. 1.
/// @param points 3 doubles each. @param allocator NULL for the default; must outlive the binding.
TOC_SIM_API toc_status toc_binding_create(const toc_mesh *cage, size_t count, const double *points,
                                          const toc_allocator *allocator, toc_binding **out);
/// Free a binding; NULL is fine.
TOC_SIM_API void toc_binding_destroy(toc_binding *binding);
/// Place the points for positions of the cage, 3 doubles a vertex id.
TOC_SIM_API void toc_binding_apply(const toc_binding *binding, const double *cage, double *points);
/// The largest distance of a point from its tet at rest; 0 if all are inside.
TOC_SIM_API double toc_binding_get_distance(const toc_binding *binding);

#ifdef __cplusplus
}
#endif

#endif
