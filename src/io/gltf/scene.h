// SPDX-License-Identifier: Apache-2.0
// The scene of a glTF file: its nodes and their meshes, as vertices in one row, and the positions of these in a pose.
#ifndef TOC_IO_GLTF_SCENE_H
#define TOC_IO_GLTF_SCENE_H

#include "io/gltf/accessor.h"

/// The placing of a node in its parent.
typedef struct toc_gltf_placing {
    double translation[3], rotation[4], scale[3]; // the rotation is a quaternion, x y z w
} toc_gltf_placing;

typedef struct toc_gltf_node {
    toc_json_id id;
    uint32_t parent;   // UINT32_MAX for none; parents stand before their children
    bool fixed;        // `matrix` counts, not the placing
    double matrix[12]; // of the file, in rows
    toc_gltf_placing rest, now;
    double world[12]; // of the present pose
    toc_json_id mesh; // TOC_JSON_NONE for none
    bool carries;     // it or a node below has vertices that move with it
    bool skinned;     // a skin places the vertices, not the node
    size_t weights;   // the first vertex of its mesh
    size_t targets;   // and their number
    size_t blocks, block_count;
    size_t influences; // of a vertex, at most
} toc_gltf_node;

/// Vertices of one accessor in one node.
typedef struct toc_gltf_block {
    uint32_t node;
    size_t first; // vertex
    toc_accessor positions;
    size_t targets; // where its displacements begin, one for each weight of the node; those without any have count 0
    toc_json_id attributes; // of its primitive
} toc_gltf_block;

/// A list of elements and the block their corners are in.
typedef struct toc_gltf_primitive {
    toc_json_id id;
    size_t block;
} toc_gltf_primitive;

/// A joint of a skin.
typedef struct toc_gltf_joint {
    uint32_t node;
    double inverse_bind[12];
    double matrix[12]; // of the present pose: the node's, after the inverse bind matrix
} toc_gltf_joint;

/// The joints of a skin, in a row.
typedef struct toc_gltf_skin {
    toc_json_id id;
    size_t first, count;
} toc_gltf_skin;

/// A joint that moves a vertex.
typedef struct toc_gltf_influence {
    uint32_t joint; // of the scene
    double weight;
} toc_gltf_influence;

typedef struct toc_gltf_scene {
    toc_gltf *file;
    TOC_ARRAY(toc_gltf_node) nodes;
    TOC_ARRAY(uint32_t) places; // by index of a node in the file: its place among the nodes, UINT32_MAX for none
    TOC_ARRAY(toc_gltf_block) blocks;
    TOC_ARRAY(toc_gltf_primitive) primitives;
    TOC_ARRAY(toc_accessor) displacements;
    TOC_ARRAY(double) rest_weights, weights;
    size_t vertex_count;
    TOC_ARRAY(toc_gltf_skin) skins;
    TOC_ARRAY(toc_gltf_joint) joints;
    TOC_ARRAY(toc_gltf_influence) influences; // by vertex, by joint
    size_t scaled_weights;                    // vertices of the file whose weights did not sum to 1
    TOC_ARRAY(size_t) influence_ends;         // by vertex: behind its last one. Empty in a scene without skins.
    bool bind_pose;                           // skins are not applied
} toc_gltf_scene;

/// Build the default scene; without one the first scene, all nodes or all meshes. Free with toc_gltf_scene_free, also
/// on failure.
toc_status toc_gltf_scene_build(toc_gltf *file, toc_gltf_scene *out);
void toc_gltf_scene_free(toc_gltf_scene *scene);

/// Vertices that a node carries.
static inline size_t toc_gltf_node_vertices(const toc_gltf_scene *scene, const toc_gltf_node *node) {
    if (node->block_count == 0) return 0;
    const toc_gltf_block *first = &scene->blocks.at[node->blocks], *last = first + node->block_count - 1;
    return last->first + last->positions.count - first->first;
}

/// Back to the pose without an animation.
void toc_gltf_scene_rest(toc_gltf_scene *scene);
/// The matrices of all nodes and joints for the present placings.
void toc_gltf_scene_place(toc_gltf_scene *scene);
/// The positions of the vertices for the present placings and weights: 3 doubles each.
toc_status toc_gltf_scene_positions(toc_gltf_scene *scene, double *x);
/// The ways of the vertices of a block by its morph targets, from rest to the present weights, in its node: 3 doubles
/// each.
toc_status toc_gltf_block_morph(const toc_gltf_scene *scene, const toc_gltf_block *block, double *x);
/// The number of rounds of toc_gltf_scene_traits for a node.
static inline size_t toc_gltf_node_rounds(const toc_gltf_node *node) { return 1 + node->targets + node->influences; }
/// Values that distinguish the vertices of a node in any pose: positions (round 0), displacements (rounds 1 to
/// targets), then joints and their weights; 3 doubles for each vertex of its blocks.
void toc_gltf_scene_traits(const toc_gltf_scene *scene, const toc_gltf_node *node, size_t round, double *x);

/// Matrices of three rows: m x, and a after b.
void toc_gltf_matrix_apply(const double m[12], const double x[3], double to[3]);
void toc_gltf_matrix_multiply(const double a[12], const double b[12], double to[12]);

#endif
