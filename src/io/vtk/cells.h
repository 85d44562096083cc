// SPDX-License-Identifier: Apache-2.0
// VTK's points and cells, gathered for a mesh; shared by the formats VTK, VTU and VTP.
#ifndef TOC_IO_VTK_CELLS_H
#define TOC_IO_VTK_CELLS_H

#include "io/core/numbers.h"
#include "mesh/mesh.h"
#include "toccata/mesh.h"

/// VTK's numbers of the cells that hold any number of corners, as PolyData has them.
enum { TOC_CELL_POINTS = 2, TOC_CELL_LINES = 4, TOC_CELL_STRIP = 6, TOC_CELL_POLYGON = 7 };

/// The meaning of an array of cell data for a mesh, by its name and type. TOC_CELL_MATERIAL is a group under a name
/// that other programs use; TOC_CELL_GROUP takes precedence.
typedef enum toc_vtk_cell_data {
    TOC_CELL_OTHER = 0,
    TOC_CELL_MATERIAL,
    TOC_CELL_GROUP,
    TOC_CELL_THICKNESS
} toc_vtk_cell_data;
toc_vtk_cell_data toc_vtk_cell_data_of(const char *name, size_t name_length, toc_number type, size_t components);

/// Whether an array of point data is the velocity: `velocity`, `velocities`, `vel` or `v`, of three components.
bool toc_vtk_is_velocity(const char *name, size_t name_length, size_t components);

/// A block of cells of a file.
typedef struct toc_vtk_cell_section {
    const char *at; // its position, for messages
    size_t count;
    uint8_t type; // of all of them, or 0 if each has its own
    bool packed;  // corners are "number of corners, corners" one after the other, and there are no offsets
    toc_numbers offsets, corners;
} toc_vtk_cell_section;

/// A file, or a piece of one. It owns the arrays given to it, also on failure; toc_vtk_cells_build reads them. Failures
/// name the point or cell; the caller adds the position in the file.
typedef struct toc_vtk_cells {
    toc_allocator allocator;
    toc_mesh *mesh;
    size_t base, points; // vertices of the mesh before the first point, and points so far
    size_t count;        // cells of all sections
    TOC_ARRAY(toc_vtk_cell_section) sections;
    toc_numbers types, groups, thicknesses; // of all cells in their order, or none
    toc_vtk_cell_data group;                // the source of the groups
    toc_numbers ghosts;                     // bits of all cells, or none: cells with those of ghost_mask are left out
    int64_t ghost_mask;
} toc_vtk_cells;

toc_vtk_cells toc_vtk_cells_begin(const toc_allocator *allocator, toc_mesh *mesh);
void toc_vtk_cells_free(toc_vtk_cells *cells);

/// Add points, three coordinates each, as vertices of the mesh.
toc_status toc_vtk_cells_add_points(toc_vtk_cells *cells, toc_numbers coordinates);
/// The velocities of all points so far; taken once, the first ones.
toc_status toc_vtk_cells_add_velocities(toc_vtk_cells *cells, toc_numbers velocities);
/// Add a section. An offset is the end of a cell's corners; with one more offset, the first is the beginning, 0.
toc_status toc_vtk_cells_add(toc_vtk_cells *cells, toc_vtk_cell_section section);
/// The type of each cell so far.
toc_status toc_vtk_cells_set_types(toc_vtk_cells *cells, toc_numbers types);
/// Whether cell data is wanted in addition to the data read so far.
bool toc_vtk_cells_want(const toc_vtk_cells *cells, toc_vtk_cell_data what);
/// The group or thickness of each cell so far.
toc_status toc_vtk_cells_set_data(toc_vtk_cells *cells, toc_vtk_cell_data what, toc_numbers values);

/// The bits of each cell so far; cells with one of `mask` are left out.
toc_status toc_vtk_cells_set_ghosts(toc_vtk_cells *cells, toc_numbers bits, int64_t mask);

/// Add the elements to the mesh, in the order of the cells.
/// @param at receives the position of the section that failed.
toc_status toc_vtk_cells_build(const toc_vtk_cells *cells, const char **at);

/// After the last piece: points without any cell become a mesh of points.
toc_status toc_vtk_cells_finish(toc_mesh *mesh);

/// Whether an array of data is the numbers that an earlier file gave: `vertex_labels` or `element_labels`.
bool toc_vtk_is_label(const char *name, size_t name_length, const char *wanted, toc_number type, size_t components);
/// Make such numbers the labels of a mesh, for its first ids. Owns the numbers, also on failure.
toc_status toc_vtk_take_labels(const toc_allocator *memory, toc_numbers numbers, toc_id_labels *to);

/// Sizes for a writer: the elements that exist, their corners, and whether any has a group or a
/// thickness.
typedef struct toc_vtk_cell_totals {
    size_t cells, corners;
    bool grouped, thick;
} toc_vtk_cell_totals;
toc_vtk_cell_totals toc_vtk_cell_totals_of(const toc_mesh *mesh);

/// VTK's cell number of a shape.
uint8_t toc_vtk_cell_of_shape(toc_shape shape);

#endif
