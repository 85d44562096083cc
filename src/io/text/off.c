// SPDX-License-Identifier: Apache-2.0
// OFF, the Object File Format of Geomview. Texture coordinates, colours and normals behind the position (STOFF, COFF,
// NOFF) are skipped, as are colours of faces; binary, 4D and nD files are refused. A face of two corners is an edge,
// one of one corner a point. After the description in Geomview's manual.
#include "io/core/builder.h"
#include "io/core/format.h"
#include "io/core/surface.h"

// The byte behind "OFF" and its prefixes, or NULL.
static const char *after_keyword(const char *at) {
    if (strncmp(at, "ST", 2) == 0) at += 2;
    if (*at == 'C') at++;
    if (*at == 'N') at++;
    if (strncmp(at, "OFF", 3) != 0) return NULL;
    at += 3;
    return toc_is_blank(*at) || *at == '\n' ? at : NULL;
}

static bool off_recognise(const toc_source *source) { return after_keyword(source->begin) != NULL; }

static toc_status off_read_vertex(toc_builder *builder) {
    double x[3];
    toc_source_skip_comments(builder->source);
    for (int i = 0; i < 3; i++) TOC_TRY(toc_source_double(builder->source, &x[i]));
    toc_source_next_line(builder->source);
    return toc_builder_add_vertex(builder, x);
}

static toc_status read_face(toc_builder *builder) {
    size_t corners;
    int64_t corner;
    TOC_TRY(toc_source_count(builder->source, 2, "corners", &corners));
    for (size_t i = 0; i < corners; i++) {
        TOC_TRY(toc_source_integer(builder->source, &corner));
        TOC_TRY(toc_builder_add_corner(builder, corner));
    }
    TOC_TRY(toc_builder_close_polygon(builder));
    toc_source_next_line(builder->source);
    return TOC_OK;
}

static toc_status off_read_body(toc_builder *builder) {
    toc_source *source = builder->source;
    size_t vertices, faces;
    TOC_TRY(toc_source_count(source, 6, "vertices", &vertices));
    TOC_TRY(toc_source_count(source, 4, "faces", &faces));
    toc_source_next_line(source); // the number of edges, which may be missing
    for (size_t i = 0; i < vertices; i++) TOC_TRY(off_read_vertex(builder));
    for (size_t i = 0; i < faces; i++) TOC_TRY(read_face(builder));
    return TOC_OK;
}

static toc_status read_off(toc_source *source, toc_mesh *mesh) {
    toc_source_skip_comments(source);
    const char *after = after_keyword(source->at);
    if (after) source->at = after; // the keyword is optional
    toc_builder builder = toc_builder_begin(source);
    toc_status status = off_read_body(&builder);
    if (status == TOC_OK) status = toc_builder_finish(&builder, mesh);
    toc_builder_free(&builder);
    return status;
}

static void off_write_face(toc_sink *sink, size_t count, const uint32_t *corners) {
    static const char *const counts[] = {"0 ", "1 ", "2 ", "3 ", "4 "};
    toc_sink_corners(sink, counts[count], count, corners, 0);
}

static void off_write_all(toc_sink *sink, size_t vertex_count, const double *x, const toc_surface *surface) {
    const size_t faces = surface->faces.count + surface->edges.count / 2 + surface->points.count;
    toc_sink_print(sink, "OFF\n%zu %zu 0\n", vertex_count, faces);
    for (size_t i = 0; i < vertex_count; i++) toc_sink_point(sink, "", x + 3 * i);
    for (size_t i = 0; i < surface->faces.count; i++) {
        off_write_face(sink, surface->faces.at[i].corner_count, surface->faces.at[i].corners);
    }
    for (size_t i = 0; i < surface->edges.count; i += 2) off_write_face(sink, 2, &surface->edges.at[i]);
    for (size_t i = 0; i < surface->points.count; i++) off_write_face(sink, 1, &surface->points.at[i]);
}

static toc_status write_off(toc_sink *sink, const toc_mesh *mesh, const double *x) {
    toc_surface surface;
    const toc_status status = toc_surface_find(mesh, toc_sink_allocator(sink), &surface);
    if (status == TOC_OK) off_write_all(sink, toc_mesh_get_vertex_count(mesh), x, &surface);
    toc_surface_free(&surface);
    return status;
}

const toc_format toc_format_off = {
    .info = {.name = "off", .extensions = ".off .coff .noff", .what = "surfaces, edges and points; text"},
    .recognise = off_recognise,
    .read = read_off,
    .write = write_off,
};
