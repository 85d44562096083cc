// SPDX-License-Identifier: Apache-2.0
// Write an UnstructuredGrid of VTK's XML: arrays in base64, which every reader takes. One pass over the elements for
// each array.
#include "io/vtk/cells.h"

#include "io/vtk/data_array.h"
#include "io/vtk/vtu.h"
#include "mesh/mesh.h"
#include <assert.h>

/// Ids of vertices have 32 bits with a sign if that is enough: most readers prefer it.
static bool has_narrow_ids(const toc_mesh *mesh) { return toc_mesh_get_vertex_count(mesh) <= INT32_MAX; }

/// Names of groups as field data, which ParaView shows beside the arrays.
static void write_group_names(toc_sink *sink, const toc_mesh *mesh) {
    const size_t count = mesh->named.count;
    if (count == 0) return;
    toc_sink_text(sink, "<FieldData>\n");
    toc_field_integers_begin(sink, "group_ids", count);
    for (size_t i = 0; i < count; i++) toc_field_integers_add(sink, mesh->named.at[i].group);
    toc_field_integers_end(sink);
    toc_field_names_begin(sink, "group_names", count);
    for (size_t i = 0; i < count; i++) toc_field_names_add(sink, mesh->names.at + mesh->named.at[i].first);
    toc_field_names_end(sink);
    toc_sink_text(sink, "</FieldData>\n");
}

static void vtu_put_corners(toc_sink *sink, const toc_element *element, bool narrow) {
    if (narrow) {
        toc_sink_write(sink, element->corners, (size_t)element->corner_count * sizeof *element->corners);
        return;
    }
    for (int i = 0; i < element->corner_count; i++) toc_sink_write(sink, &(int64_t){element->corners[i]}, 8);
}

/// The arrays that are written for an element.
typedef enum element_part { CORNERS, END, TYPE, GROUP, THICKNESS, LABEL } element_part;

static void put_part(toc_sink *sink, const toc_mesh *mesh, element_part part, uint32_t i, const toc_element *element) {
    int64_t label = 0;
    switch (part) {
    case CORNERS:
        vtu_put_corners(sink, element, has_narrow_ids(mesh));
        break;
    case TYPE:
        toc_sink_write(sink, &(uint8_t){toc_vtk_cell_of_shape(element->shape)}, 1);
        break;
    case GROUP:
        toc_sink_write(sink, &element->group, sizeof element->group);
        break;
    case THICKNESS:
        toc_sink_write(sink, &element->thickness, sizeof element->thickness);
        break;
    case LABEL:
        toc_mesh_get_element_label(mesh, i, &label);
        toc_sink_write(sink, &label, sizeof label);
        break;
    case END:
        break;
    }
}

/// An array with a value for each element, or with its corners. @param values of `size` bytes each
static void write_part(toc_sink *sink, const toc_mesh *mesh, element_part part, const char *type, const char *name,
                       size_t values, size_t size) {
    const size_t count = toc_mesh_get_element_count(mesh);
    int64_t end = 0;
    toc_data_array_begin(sink, type, name, 1, (uint64_t)values * size);
    for (uint32_t i = 0; i < count; i++) {
        const toc_element element = toc_mesh_get_element(mesh, i);
        if (element.shape == TOC_REMOVED) continue;
        end += element.corner_count;
        assert(element.corner_count > 0);
        if (part == END) {
            toc_sink_write(sink, &end, sizeof end);
        } else {
            put_part(sink, mesh, part, i, &element);
        }
    }
    toc_data_array_end(sink);
}

static void write_vertices(toc_sink *sink, const toc_mesh *mesh, const double *x) {
    const size_t count = toc_mesh_get_vertex_count(mesh);
    toc_sink_text(sink, "<Points>\n");
    toc_data_array_begin(sink, "Float64", "Points", 3, (uint64_t)count * 3 * sizeof *x);
    toc_sink_write(sink, x, count * 3 * sizeof *x);
    toc_data_array_end(sink);
    toc_sink_text(sink, "</Points>\n");
}

static void write_cells(toc_sink *sink, const toc_mesh *mesh, const toc_vtk_cell_totals *totals) {
    const bool narrow = has_narrow_ids(mesh);
    const size_t cells = totals->cells;
    toc_sink_text(sink, "<Cells>\n");
    write_part(sink, mesh, CORNERS, narrow ? "Int32" : "Int64", "connectivity", totals->corners, narrow ? 4 : 8);
    write_part(sink, mesh, END, "Int64", "offsets", cells, 8);
    write_part(sink, mesh, TYPE, "UInt8", "types", cells, 1);
    toc_sink_text(sink, "</Cells>\n<CellData>\n");
    if (totals->grouped) write_part(sink, mesh, GROUP, "Int32", "group", cells, 4);
    if (totals->thick) write_part(sink, mesh, THICKNESS, "Float64", "thickness", cells, 8);
    if (mesh->element_labels.count) write_part(sink, mesh, LABEL, "Int64", "element_labels", cells, 8);
    toc_sink_text(sink, "</CellData>\n");
}

static void write_labels(toc_sink *sink, const toc_mesh *mesh, uint32_t count) {
    toc_data_array_begin(sink, "Int64", "vertex_labels", 1, (uint64_t)count * 8);
    for (uint32_t v = 0; v < count; v++) {
        int64_t label;
        toc_mesh_get_vertex_label(mesh, v, &label);
        toc_sink_write(sink, &label, sizeof label);
    }
    toc_data_array_end(sink);
}

static void write_vertex_data(toc_sink *sink, const toc_mesh *mesh) {
    const uint32_t count = (uint32_t)toc_mesh_get_vertex_count(mesh);
    const double *velocities = toc_sink_velocities(sink);
    if (count == 0 || (!velocities && mesh->vertex_labels.count == 0)) return;
    toc_sink_text(sink, "<PointData>\n");
    if (velocities) {
        toc_data_array_begin(sink, "Float64", "velocity", 3, (uint64_t)count * 3 * sizeof *velocities);
        toc_sink_write(sink, velocities, (size_t)count * 3 * sizeof *velocities);
        toc_data_array_end(sink);
    }
    if (mesh->vertex_labels.count > 0) write_labels(sink, mesh, count);
    toc_sink_text(sink, "</PointData>\n");
}

toc_status toc_vtu_write(toc_sink *sink, const toc_mesh *mesh, const double *x) {
    const toc_vtk_cell_totals totals = toc_vtk_cell_totals_of(mesh);
    toc_data_file_begin(sink, "UnstructuredGrid");
    toc_sink_text(sink, "<UnstructuredGrid>\n");
    write_group_names(sink, mesh);
    toc_sink_print(sink, "<Piece NumberOfPoints=\"%zu\" NumberOfCells=\"%zu\">\n", toc_mesh_get_vertex_count(mesh),
                   (size_t)totals.cells);
    write_vertices(sink, mesh, x);
    write_cells(sink, mesh, &totals);
    write_vertex_data(sink, mesh);
    toc_sink_text(sink, "</Piece>\n</UnstructuredGrid>\n");
    toc_data_file_end(sink);
    return TOC_OK;
}
