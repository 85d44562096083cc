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
    TOC_SKINNING_DUAL        ///< Blend of dual quaternions (Kavan et al. 2007): bulges where a joint bends. Scale and
                             ///< shear of joints are split off and blended linearly.
} toc_skinning;

/// Settings of a character. Begin with toc_character_settings_default or toc_character_settings_init.
typedef struct toc_character_settings {
    uint32_t size;               ///< Set by toc_character_settings_init; do not change it.
    toc_character_preset preset; ///< Default TOC_CHARACTER_AUTO.
    double alpha;                ///< Of TOC_CHARACTER_ONDEMAND: the angle below which a joint can wake, radians, 0 to
                                 ///< pi. Default 2 pi / 3.
    double up[3];          ///< Of TOC_CHARACTER_ONDEMAND: the direction of the midline. Default 0 0 0: the longest
                           ///< side of the box in the bind pose, which turns with the root.
    toc_skinning skinning; ///< Default TOC_SKINNING_LINEAR.
    uint32_t iterations;   ///< Of position based skinning in a frame, up to 1000; 0 for skinning alone. More come
                           ///< closer to one answer. Up to twice as many follow where contacts or inverted tets
                           ///< are left. Default 0.
    double step;           ///< Time of a frame, > 0. Default 1/60.
    double stiffness;      ///< Of the flesh: Young's modulus over density, in extents of the cage squared per time
                           ///< squared, > 0. Default 20.
    double attachment;     ///< How firmly flesh follows its bones, 0 to 1: the share of the way that it makes in a
                           ///< sixtieth of a second where nothing else pulls. Default 0.9.
    double jiggle; ///< Share of its own velocity that the flesh keeps in a sixtieth of a second, 0 to 1. Default
                   ///< 0.5.
    bool respond;  ///< Push colliding vertices out, if there are iterations. The flesh then walks from the bind
                   ///< pose to the first one, which takes as long as nine frames. Default false.
    int threads;   ///< As in toc_query; the same bits for any number. Default 0.
} toc_character_settings;

/// Write the defaults named in toc_character_settings.
/// @param size sizeof *settings as the caller knows it; base.h, "Growth".
TOC_INLINE_API toc_status toc_character_settings_init(toc_character_settings *settings, size_t size) {
    return toc_sim_defaults_write(TOC_SIM_DEFAULTS_CHARACTER, settings, size);
}
/// The same as a value.
TOC_INLINE_API toc_character_settings toc_character_settings_default(void) {
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
    const double *weights;       ///< >= 0; those of a vertex of a tet are scaled to the sum 1, which 0 cannot be.
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
/// @param count vertices in the array; another number than the vertex ids of the mesh is TOC_BAD_INPUT.
TOC_SIM_API toc_status toc_character_move_body(toc_character *character, uint32_t body, size_t count, const double *x);
/// Displace the cage in its bind pose, before the joints move it, as morph targets do: 3 doubles a vertex id. Flesh
/// takes the displaced shape as that at rest. Stays until the next call. Tets that it turns over, or shrinks to less
/// than a tenth, keep their shape at rest.
/// @param count vertices in the array; another number than the vertex ids of the cage is TOC_BAD_INPUT.
/// @param ways NULL for none, whatever the count.
TOC_SIM_API toc_status toc_character_set_morph(toc_character *character, size_t count, const double *ways);
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
    size_t awake_joints;    ///< Joints whose part was searched in the last search of the frame.
    size_t awake_vertices;  ///< Vertices that it searched for, of `boundary_vertices`: with response, few.
    size_t boundary_vertices;
    size_t tested_tets; ///< Tets that it looked up, of `tets`.
    size_t tets;
    size_t passes;           ///< Searches in this frame: 1, and one for each iteration with response.
    double skinning_seconds; ///< Skinning and dynamics.
    double detection_seconds;
    double volume;      ///< Of the cage, signed.
    double distance;    ///< Mean distance of the vertices of the cage from the pose that skinning alone gives.
    double least_share; ///< The least volume of a tet of the cage over that at rest; below 0 for an inverted one.
    double energy;      ///< Of the flesh: in elements and springs to bones; 0 without iterations.
    double extent;      ///< The longest side of the box of the cage.
    double rest_volume; ///< Of the cage at rest, as large as its joints in this pose; 0 without iterations.
} toc_character_report;

/// Make a frame: move the character to a pose and find its contacts.
/// @param joint_count matrices in the array; another number than the joints of the character is TOC_BAD_INPUT.
/// @param matrices by joint: 12 doubles, three rows, from the bind pose to the world (toc_rig_pose gives them).
/// @param report may be NULL.
/// @param size sizeof *report as the caller knows it.
/// @return TOC_OK; TOC_BAD_INPUT for matrices that are not finite; TOC_OUT_OF_MEMORY; TOC_UNSTABLE, with the frame, for
/// flesh whose energy is not finite, that has less than half or more than twice its volume at rest, or more than a
/// fiftieth of its tets inverted: a pose that no body can take, or too few iterations. The next frame starts anew.
TOC_SIM_API toc_status toc_character_step_sized(toc_character *character, size_t joint_count, const double *matrices,
                                                toc_character_report *report, size_t size);
/// The same for the structure of this header.
TOC_INLINE_API toc_status toc_character_step(toc_character *character, size_t joint_count, const double *matrices,
                                             toc_character_report *report) {
    return toc_character_step_sized(character, joint_count, matrices, report, sizeof *report);
}

/// The last frame of a character. Valid until the next call that changes the character.
typedef struct toc_character_frame {
    size_t contact_count;
    const toc_character_contact *contacts; ///< Sorted by bodies, vertex and element.
    size_t joint_count;
    const uint8_t *awake;    ///< By joint: 1 if its part was searched, else 0.
    const double *positions; ///< Of a body, 3 doubles a vertex id; NULL without such a body.
} toc_character_frame;
/// The last frame; all 0 for NULL.
/// @param body whose positions are asked for.
TOC_SIM_API toc_character_frame toc_character_get_frame(const toc_character *character, uint32_t body);
/// The contacts alone. @param count may be NULL.
TOC_INLINE_API const toc_character_contact *toc_character_get_contacts(const toc_character *character, size_t *count) {
    const toc_character_frame frame = toc_character_get_frame(character, 0);
    if (count) *count = frame.contact_count;
    return frame.contacts;
}
/// Whether the part of a joint was searched in the last frame; false past the last joint.
TOC_INLINE_API bool toc_character_is_awake(const toc_character *character, uint32_t joint) {
    const toc_character_frame frame = toc_character_get_frame(character, 0);
    return joint < frame.joint_count && frame.awake[joint];
}
/// The positions of a body alone.
TOC_INLINE_API const double *toc_character_get_positions(const toc_character *character, uint32_t body) {
    return toc_character_get_frame(character, body).positions;
}
/// Count the contacts of the last frame as TOC_CHARACTER_HASH finds them, for the recall of a preset.
TOC_SIM_API toc_status toc_character_count_all(toc_character *character, size_t *count);

/// A cage made around a skin, with the weights of its vertices.
typedef struct toc_cage toc_cage;

/// How a cage is made. Begin with toc_cage_settings_default or toc_cage_settings_init.
typedef struct toc_cage_settings {
    uint32_t size;   ///< Set by toc_cage_settings_init; do not change it.
    double distance; ///< Between skin and cage at most, in heights of the skin (its largest extent); 0.0005 to 0.1.
                     ///< Default 0.005.
    size_t tets;     ///< About so many, within a fifth; 0 for as many as the distance takes. Default 0.
} toc_cage_settings;

/// Write the defaults named in toc_cage_settings.
/// @param size sizeof *settings as the caller knows it; base.h, "Growth".
TOC_INLINE_API toc_status toc_cage_settings_init(toc_cage_settings *settings, size_t size) {
    return toc_sim_defaults_write(TOC_SIM_DEFAULTS_CAGE, settings, size);
}
/// The same as a value.
TOC_INLINE_API toc_cage_settings toc_cage_settings_default(void) {
    toc_cage_settings settings;
    toc_cage_settings_init(&settings, sizeof settings);
    return settings;
}

/// Make a cage around a skin in its bind pose. The triangles may be open, cross each other, and lie in each other: what
/// they enclose is filled, and open sheets become thin volumes. Limbs that touch stay apart: parts of the cage are
/// joined only where their joints are the same, or one above the other, or where flesh without skin is between them.
/// Characters whose joints do not hang together, by parents or by weights of a triangle, get cages of their own in the
/// same mesh, wherever they stand; the distance then counts in heights of each, or in tenths of all.
/// @param skin a definition with triangles in place of tets. Read once.
/// @param settings NULL for the defaults. @param allocator NULL for the default; must outlive the cage.
/// @return TOC_OK; TOC_BAD_INPUT for a skin without triangles or extent, or weights that are wrong; TOC_OUT_OF_MEMORY.
TOC_SIM_API toc_status toc_cage_create(const toc_character_def *skin, const toc_cage_settings *settings,
                                       const toc_allocator *allocator, toc_cage **out);
/// Free a cage; NULL is fine.
TOC_SIM_API void toc_cage_destroy(toc_cage *cage);
/// The cage with its weights, for toc_character_create. It belongs to the cage; its joints are those of the skin.
TOC_SIM_API const toc_character_def *toc_cage_get_def(const toc_cage *cage);

/// How well a cage fits a skin in the bind pose. Lengths are in heights of the skin. A report: it may gain fields at
/// the end (base.h, "Growth").
typedef struct toc_cage_report {
    size_t tets;
    size_t components; ///< Sets of tets that share vertices.
    size_t inverted;   ///< Tets that are inverted or flat.
    size_t contacts;   ///< Vertices of the boundary in tets of the same character.
    double inward;     ///< The largest distance by which the skin sticks out of the cage.
    double outward;    ///< The largest distance by which the boundary of the cage lies outside of the skin.
    double worst;      ///< The least quality of a tet: 1 for a regular one, 0 for a flat one.
    double height;     ///< Of the skin: its largest extent, a length.
    size_t characters; ///< Sets of triangles of the skin whose joints do not hang together.
    size_t between;    ///< Contacts between characters, where the skin puts one into another.
} toc_cage_report;

/// Inspect a cage.
/// @param cage, skin definitions with the same joints: of tets and of triangles.
/// @param size sizeof *report as the caller knows it.
TOC_SIM_API toc_status toc_cage_inspect_sized(const toc_character_def *cage, const toc_character_def *skin,
                                              toc_cage_report *report, size_t size);
/// The same for the structure of this header.
TOC_INLINE_API toc_status toc_cage_inspect(const toc_character_def *cage, const toc_character_def *skin,
                                           toc_cage_report *report) {
    return toc_cage_inspect_sized(cage, skin, report, sizeof *report);
}

/// Points that move with a cage: a fine surface, each point a blend of the corners of a tet. Or a cage that moves with
/// a surface (toc_skin_bind).
typedef struct toc_binding toc_binding;
/// Bind points to the tets of a mesh in its rest (x1). A point outside of all tets takes the nearest tet; its weights
/// then lie outside of 0 .. 1.
/// @param points 3 doubles each. @param allocator NULL for the default; must outlive the binding.
TOC_SIM_API toc_status toc_binding_create(const toc_mesh *cage, size_t count, const double *points,
                                          const toc_allocator *allocator, toc_binding **out);
/// Bind a skin to its cage: as toc_binding_create, but each vertex to a tet that moves with a joint of its own, so that
/// no limb carries the skin of another one beside it.
/// @param cage, skin definitions with the same joints: of tets and of triangles.
TOC_SIM_API toc_status toc_cage_bind(const toc_character_def *cage, const toc_character_def *skin,
                                     const toc_allocator *allocator, toc_binding **out);
/// Bind a cage to its skin, the other way round: toc_binding_apply then takes the ways of the vertices of the skin,
/// such as those of toc_rig_morph, and gives the cage those of toc_character_set_morph. Each vertex of the cage takes
/// the nearest point of the skin that moves with a joint of its own.
/// @param skin, cage definitions with the same joints: of triangles and of tets.
TOC_SIM_API toc_status toc_skin_bind(const toc_character_def *skin, const toc_character_def *cage,
                                     const toc_allocator *allocator, toc_binding **out);
/// Free a binding; NULL is fine.
TOC_SIM_API void toc_binding_destroy(toc_binding *binding);
/// Place the points for positions of the cage, 3 doubles a vertex id.
/// @param cage_count vertices in `cage`; another number than the vertex ids of the mesh it was bound to is
/// TOC_BAD_INPUT.
/// @param count points that there is room for; another number than the points bound is TOC_BAD_INPUT.
TOC_SIM_API toc_status toc_binding_apply(const toc_binding *binding, size_t cage_count, const double *cage,
                                         size_t count, double *points);
/// The largest distance of a point from its tet at rest; 0 if all are inside.
TOC_SIM_API double toc_binding_get_distance(const toc_binding *binding);

#ifdef __cplusplus
}
#endif

#endif
