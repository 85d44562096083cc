// SPDX-License-Identifier: Apache-2.0
// Files in the forms of other programs. Coordinates have six decimals: columns of LS-DYNA hold no more digits.
#include "bench/support/files.h"

#include <string.h>
#include <unistd.h>

static const uint32_t *corners_of(const toc_mesh *mesh, size_t i) {
    return toc_mesh_get_element(mesh, (uint32_t)i).corners;
}

// A line for each vertex and each triangle: optionally its number, from `first` on, then its coordinates or corners.
static void print_vertices(FILE *file, const toc_mesh *mesh, const char *format) {
    const double *x = toc_mesh_get_x0(mesh);
    for (size_t i = 0; i < toc_mesh_get_vertex_count(mesh); i++, x += 3) fprintf(file, format, i + 1, x[0], x[1], x[2]);
}

static void print_triangles(FILE *file, const toc_mesh *mesh, unsigned first, const char *format) {
    for (size_t i = 0; i < toc_mesh_get_element_count(mesh); i++) {
        const uint32_t *c = corners_of(mesh, i);
        fprintf(file, format, i + 1, c[0] + first, c[1] + first, c[2] + first);
    }
}

static void print_places(FILE *file, const toc_mesh *mesh) {
    const double *x = toc_mesh_get_x0(mesh);
    for (size_t i = 0; i < toc_mesh_get_vertex_count(mesh); i++, x += 3)
        fprintf(file, "%.6f %.6f %.6f\n", x[0], x[1], x[2]);
}

static void print_corners(FILE *file, const toc_mesh *mesh, const char *before) {
    for (size_t i = 0; i < toc_mesh_get_element_count(mesh); i++) {
        const uint32_t *c = corners_of(mesh, i);
        fprintf(file, "%s%u %u %u\n", before, c[0], c[1], c[2]);
    }
}

static void write_ply(FILE *file, const toc_mesh *mesh) {
    fprintf(file,
            "ply\nformat ascii 1.0\nelement vertex %zu\nproperty double x\nproperty double y\nproperty double z\n",
            toc_mesh_get_vertex_count(mesh));
    fprintf(file, "element face %zu\nproperty list uchar int vertex_indices\nend_header\n",
            toc_mesh_get_element_count(mesh));
    print_places(file, mesh);
    print_corners(file, mesh, "3 ");
}

static void write_vtk(FILE *file, const toc_mesh *mesh) {
    const size_t count = toc_mesh_get_element_count(mesh);
    fprintf(file, "# vtk DataFile Version 3.0\nsheet\nASCII\nDATASET POLYDATA\nPOINTS %zu double\n",
            toc_mesh_get_vertex_count(mesh));
    print_places(file, mesh);
    fprintf(file, "POLYGONS %zu %zu\n", count, 4 * count);
    print_corners(file, mesh, "3 ");
}

static void begin_array(FILE *file, const char *type, const char *name, int components) {
    fprintf(file, "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"ascii\">\n", type, name,
            components);
}

static void write_vtu(FILE *file, const toc_mesh *mesh) {
    const size_t count = toc_mesh_get_element_count(mesh);
    fprintf(file,
            "<VTKFile type=\"UnstructuredGrid\" version=\"0.1\" byte_order=\"LittleEndian\">\n<UnstructuredGrid>\n");
    fprintf(file, "<Piece NumberOfPoints=\"%zu\" NumberOfCells=\"%zu\">\n<Points>\n", toc_mesh_get_vertex_count(mesh),
            count);
    begin_array(file, "Float64", "Points", 3);
    print_places(file, mesh);
    fprintf(file, "</DataArray>\n</Points>\n<Cells>\n");
    begin_array(file, "Int64", "connectivity", 1);
    print_corners(file, mesh, "");
    fprintf(file, "</DataArray>\n");
    begin_array(file, "Int64", "offsets", 1);
    for (size_t i = 1; i <= count; i++) fprintf(file, "%zu ", 3 * i);
    fprintf(file, "</DataArray>\n");
    begin_array(file, "UInt8", "types", 1);
    for (size_t i = 0; i < count; i++) fprintf(file, "5 ");
    fprintf(file, "</DataArray>\n</Cells>\n</Piece>\n</UnstructuredGrid>\n</VTKFile>\n");
}

static void write_msh(FILE *file, const toc_mesh *mesh) {
    fprintf(file, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%zu\n", toc_mesh_get_vertex_count(mesh));
    print_vertices(file, mesh, "%zu %.6f %.6f %.6f\n");
    fprintf(file, "$EndNodes\n$Elements\n%zu\n", toc_mesh_get_element_count(mesh));
    print_triangles(file, mesh, 1, "%zu 2 2 1 1 %u %u %u\n");
    fprintf(file, "$EndElements\n");
}

// Gmsh writes a header before each element.
static void write_binary_msh(FILE *file, const toc_mesh *mesh) {
    const double *x = toc_mesh_get_x0(mesh);
    const uint32_t one = 1;
    fprintf(file, "$MeshFormat\n2.2 1 8\n");
    fwrite(&one, sizeof one, 1, file);
    fprintf(file, "\n$EndMeshFormat\n$Nodes\n%zu\n", toc_mesh_get_vertex_count(mesh));
    for (uint32_t i = 1; i <= toc_mesh_get_vertex_count(mesh); i++, x += 3) {
        fwrite(&i, sizeof i, 1, file);
        fwrite(x, sizeof *x, 3, file);
    }
    fprintf(file, "\n$EndNodes\n$Elements\n%zu\n", toc_mesh_get_element_count(mesh));
    for (size_t i = 0; i < toc_mesh_get_element_count(mesh); i++) {
        const uint32_t *c = corners_of(mesh, i);
        const uint32_t record[] = {2, 1, 2, (uint32_t)i + 1, 1, 1, c[0] + 1, c[1] + 1, c[2] + 1};
        fwrite(record, sizeof record, 1, file);
    }
    fprintf(file, "\n$EndElements\n");
}

static void write_nodes(FILE *file, const toc_mesh *mesh) {
    fprintf(file, "%zu 3 0 0\n", toc_mesh_get_vertex_count(mesh));
    print_vertices(file, mesh, "%zu %.6f %.6f %.6f\n");
}

static void write_faces(FILE *file, const toc_mesh *mesh) {
    fprintf(file, "%zu 0\n", toc_mesh_get_element_count(mesh));
    print_triangles(file, mesh, 1, "%zu %u %u %u\n");
}

static void write_mfem(FILE *file, const toc_mesh *mesh) {
    fprintf(file, "MFEM mesh v1.0\n\ndimension\n2\n\nelements\n%zu\n", toc_mesh_get_element_count(mesh));
    print_corners(file, mesh, "1 2 ");
    fprintf(file, "\nboundary\n0\n\nvertices\n%zu\n3\n", toc_mesh_get_vertex_count(mesh));
    print_places(file, mesh);
}

static void write_inp(FILE *file, const toc_mesh *mesh) {
    fprintf(file, "*HEADING\nsheet\n*NODE\n");
    print_vertices(file, mesh, "%zu, %.6f, %.6f, %.6f\n");
    fprintf(file, "*ELEMENT, TYPE=S3, ELSET=SHEET\n");
    print_triangles(file, mesh, 1, "%zu, %u, %u, %u\n");
}

static void write_deck(FILE *file, const toc_mesh *mesh) {
    fprintf(file, "*KEYWORD\n*NODE\n");
    print_vertices(file, mesh, "%8zu%16.6f%16.6f%16.6f\n");
    fprintf(file, "*ELEMENT_SHELL\n");
    for (size_t i = 0; i < toc_mesh_get_element_count(mesh); i++) {
        const uint32_t *c = corners_of(mesh, i);
        fprintf(file, "%8zu%8u%8u%8u%8u%8u\n", i + 1, 1u, c[0] + 1, c[1] + 1, c[2] + 1, c[2] + 1);
    }
    fprintf(file, "*END\n");
}

static void write_obj(FILE *file, const toc_mesh *mesh) {
    const double *x = toc_mesh_get_x0(mesh);
    for (size_t i = 0; i < toc_mesh_get_vertex_count(mesh); i++, x += 3)
        fprintf(file, "v %.6f %.6f %.6f\n", x[0], x[1], x[2]);
    for (size_t i = 0; i < toc_mesh_get_element_count(mesh); i++) {
        const uint32_t *c = corners_of(mesh, i);
        fprintf(file, "f %u %u %u\n", c[0] + 1, c[1] + 1, c[2] + 1);
    }
}

static const bench_file files[] = {
    {.what = "ply, text", .name = "sheet.ply", .write = write_ply},
    {.what = "vtk, text", .name = "sheet.vtk", .write = write_vtk},
    {.what = "vtu, text", .name = "sheet.vtu", .write = write_vtu},
    {.what = "msh 2.2, text", .name = "sheet.msh", .write = write_msh},
    {.what = "msh 2.2, binary", .name = "sheet.msh", .write = write_binary_msh},
    {"tetgen .face", "sheet.face", write_faces, "sheet.node", write_nodes},
    {.what = "mfem", .name = "sheet.mesh", .write = write_mfem},
    {.what = "abaqus", .name = "sheet.inp", .write = write_inp},
    {.what = "dyna", .name = "sheet.k", .write = write_deck},
    {.what = "obj, gzip", .name = "sheet.obj.gz", .write = write_obj},
};

bool bench_file_list(size_t i, bench_file *out) {
    if (i >= sizeof files / sizeof *files) return false;
    *out = files[i];
    return true;
}

static bool write_one(const char *folder, const char *name, void (*write)(FILE *, const toc_mesh *),
                      const toc_mesh *mesh) {
    char path[4096], command[8192];
    const bool packed = strstr(name, ".gz") != NULL;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    snprintf(command, sizeof command, "gzip -c >'%s'", path);
    FILE *file = packed ? popen(command, "w") : fopen(path, "wb");
    if (!file) return false;
    write(file, mesh);
    return packed ? pclose(file) == 0 : fclose(file) == 0;
}

bool bench_file_write(const bench_file *file, const char *folder, const toc_mesh *mesh) {
    return write_one(folder, file->name, file->write, mesh) &&
           (!file->beside || write_one(folder, file->beside, file->write_beside, mesh));
}

static void remove_one(const char *folder, const char *name) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    unlink(path);
}

void bench_file_remove(const bench_file *file, const char *folder) {
    remove_one(folder, file->name);
    if (file->beside) remove_one(folder, file->beside);
}
