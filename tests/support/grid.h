// SPDX-License-Identifier: Apache-2.0
// Meshes for tests: regular grids, perturbed grids, and random soups.
#ifndef TOC_TEST_GRID_H
#define TOC_TEST_GRID_H

#include "support/test.h"

/// A box of nx * ny * nz unit cells with a corner at the origin, of hexes, wedges (2 a cell), pyramids (6 a cell, with
/// a vertex in its middle) or tets (6 a cell). Conforming, all volumes positive. The vertex at (x, y, z) has the id
/// x + (nx + 1) * (y + (ny + 1) * z). Destroy with toc_mesh_destroy, likewise below.
toc_mesh *test_grid_volume(toc_shape shape, uint32_t nx, uint32_t ny, uint32_t nz);

/// A sheet of nx * ny unit cells in the plane z = 0, facing up, of quads, triangles (2 a cell), edges (the sides of the
/// cells) or points. Ids as above.
toc_mesh *test_grid_sheet(toc_shape shape, uint32_t nx, uint32_t ny);

/// A closed surface of triangles near the unit sphere around the origin: an octahedron whose faces were cut in four,
/// `cuts` times. Faces outward.
toc_mesh *test_sphere(int cuts);

/// Elements between random vertices in the unit cube, at rest: mostly non-manifold, sometimes with repeated
/// corners. shape TOC_REMOVED means a mix of all shapes.
toc_mesh *test_soup(test_random *random, toc_shape shape, uint32_t elements, uint32_t vertices);

/// Move every coordinate of the start by up to `start`; the end is up to `end` away from it.
void test_shake(toc_mesh *mesh, test_random *random, double start, double end);

/// Apply a random edit to a mesh of volumes: remove an element, add one of any shape between near vertices, tear a
/// vertex or weld two. May do nothing.
void test_random_edit(toc_mesh *mesh, test_random *random);

/// A scene of one body, or of two where the second is not NULL. Destroy with toc_scene_destroy.
toc_scene *test_scene_of(toc_mesh *a, toc_mesh *b);

#endif
