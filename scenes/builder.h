// SPDX-License-Identifier: Apache-2.0
// A builder of meshes, vertex by vertex and element by element. It collects batches, keeps the first failure, and
// allocates no memory. This header also declares the shapes that several scenes share.
#ifndef SCENES_BUILDER_H
#define SCENES_BUILDER_H

#include "toccata/toccata.h"

enum { SCENE_BATCH = 512 };

typedef struct scene_builder {
    toc_mesh *mesh;
    toc_status status; // the first failure; nothing is added after it, and scenes give up
    int32_t group;     // of the next elements
    double thickness;  // of the next elements
    uint32_t vertices; // so far, the waiting ones included
    size_t waiting_vertices, waiting_elements;
    toc_shape shape; // of the waiting elements
    double positions[SCENE_BATCH][3];
    uint32_t corners[SCENE_BATCH * 8];
} scene_builder;

scene_builder scene_builder_make(toc_mesh *mesh);
/// Add the waiting vertices and elements. @return the first failure.
toc_status scene_builder_finish(scene_builder *builder);

/// The id of the new vertex.
uint32_t scene_vertex(scene_builder *builder, double x, double y, double z);
void scene_element(scene_builder *builder, toc_shape shape, const uint32_t *corners);
/// A cell of a lattice, by its corners (bits: x 1, y 2, z 4), as a hex or as the six tets around the diagonal from 0 to
/// 7. Neighbouring cells of tets agree on the diagonals of their common face, whichever two axes a cell swaps.
void scene_cell(scene_builder *builder, toc_shape shape, const uint32_t cell[8]);
/// Elements from here on belong to this group.
void scene_group(scene_builder *builder, int32_t group);
/// Elements from here on are shells of this thickness.
void scene_thickness(scene_builder *builder, double thickness);

/// Move every vertex of a finished mesh. @param place receives the position and changes it.
toc_status scene_place(toc_mesh *mesh, void (*place)(const void *user, uint32_t vertex, double x[3]), const void *user);

/// Maps a point of the unit sphere, or of the surface of the box [-1, 1]^3, to its position.
typedef void scene_map(const void *user, const double unit[3], double out[3]);
/// A sphere of 20 n^2 triangles (an icosahedron whose faces are split n times along each edge), every point mapped.
void scene_sphere(scene_builder *builder, uint32_t n, scene_map *map, const void *user);
/// A closed box with this many cells along x, y and z on its sides, two triangles each, every point mapped.
void scene_box(scene_builder *builder, const uint32_t cells[3], scene_map *map, const void *user);
/// The sides of a sheet that are joined.
typedef enum scene_joined {
    SCENE_FLAT, ///< None.
    SCENE_TUBE, ///< x = 0 and x = 1.
    SCENE_TORUS ///< y = 0 and y = 1, too.
} scene_joined;
/// A sheet of this many quads along x and y, every point of the unit square (z = 0) mapped.
void scene_sheet(scene_builder *builder, const uint32_t cells[2], scene_joined joined, scene_map *map,
                 const void *user);
/// The same with two triangles for each quad.
void scene_triangle_sheet(scene_builder *builder, const uint32_t cells[2], scene_joined joined, scene_map *map,
                          const void *user);

/// 0 before `from`, 1 after `to`, and a smooth way (slope 0 at both ends) between.
double scene_ease(double time, double from, double to);
/// Uniform in [low, high): the i-th number of a stream that is the same on every machine.
double scene_random(uint64_t stream, uint64_t i, double low, double high);
/// Turn (x, y) by an angle.
void scene_turn(double angle, double *x, double *y);

#endif
