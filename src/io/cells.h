// SPDX-License-Identifier: Apache-2.0
// VTK's points and cells, gathered from a file and then made a mesh: what the VTK, VTU and VTP formats share.
#ifndef TOC_IO_CELLS_H
#define TOC_IO_CELLS_H

#include "io/numbers.h"
#include "toccata/mesh.h"

/// VTK's numbers of the cells that hold any number of corners, as PolyData has them.
enum { TOC_CELL_POINTS = 2, TOC_CELL_LINES = 4, TOC_CELL_STRIP = 6, TOC_CELL_POLYGON = 7 };

/// Zero but for the allocator to begin with. Failures of the functions below say which point or cell; the caller adds
/// the place in the file.
typedef struct toc_cells {
    toc_allocator allocator;
    TOC_ARRAY(double) points; // 3 each
    TOC_ARRAY(uint32_t) corners;
    TOC_ARRAY(size_t) ends; // where the corners of each cell end
    TOC_ARRAY(uint8_t) types;
    TOC_ARRAY(int32_t) groups;     // of the first cells; the rest has 0
    TOC_ARRAY(double) thicknesses; // likewise
} toc_cells;

void toc_cells_free(toc_cells *cells);

/// Add points: three coordinates each. They must come before the cells that use them.
toc_status toc_cells_add_points(toc_cells *cells, const toc_numbers *coordinates);
/// Add cells that come as "number of corners, corners" one after the other.
toc_status toc_cells_add_packed(toc_cells *cells, size_t count, const toc_numbers *packed);
/// Add cells whose corners end at the given offsets; with one more offset, the first one is where they begin, 0.
/// The corners are counted from point `base`, which is 0 unless the file is made of pieces.
toc_status toc_cells_add(toc_cells *cells, size_t count, const toc_numbers *offsets, const toc_numbers *corners,
                         size_t base);
/// Give the cells that have no type yet one each.
toc_status toc_cells_add_types(toc_cells *cells, const toc_numbers *types);
/// Give all cells that have no type yet this one.
toc_status toc_cells_fill_types(toc_cells *cells, uint8_t type);

/// What an array of cell data is to a mesh.
typedef enum toc_cell_data { TOC_CELL_OTHER = 0, TOC_CELL_MATERIAL, TOC_CELL_GROUP, TOC_CELL_THICKNESS } toc_cell_data;
/// Told by its name and type. TOC_CELL_MATERIAL is a group under a name that others use; TOC_CELL_GROUP goes before it.
toc_cell_data toc_cell_data_of(const char *name, size_t name_length, toc_number type, size_t components);
/// Take over the group or the thickness of the cells from `first` on.
toc_status toc_cells_add_data(toc_cells *cells, toc_cell_data what, size_t first, const toc_numbers *values);

/// Add it all to an empty mesh: a vertex a point, and elements in the order of the cells.
toc_status toc_cells_build(const toc_cells *cells, toc_mesh *mesh);

/// What writers need to know first: the elements that exist, their corners, and whether any has a group or a
/// thickness.
typedef struct toc_cell_totals {
    size_t cells, corners;
    bool grouped, thick;
} toc_cell_totals;
toc_cell_totals toc_cell_totals_of(const toc_mesh *mesh);

/// VTK's number of the cell that a shape is.
uint8_t toc_cell_of_shape(toc_shape shape);

#endif
