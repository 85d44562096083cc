// SPDX-License-Identifier: Apache-2.0
// OBJ, Wavefront's text format: v, f, l and p; positions only, so texture coordinates and normals are passed over, as
// is every other statement. Indices count from 1, negative ones from the latest vertex back.
//
// `g` and `o` tell groups: a name that is an integer is the group's number, any other starts the next number, unless
// no element came since the last one. After the format's description by Paul Bourke.
#include "io/core/builder.h"
#include "io/core/format.h"
#include "io/core/surface.h"

// Whether another word follows on the line, which a backslash at its end continues; goes there.
static bool more(toc_source *source) {
    for (;;) {
        if (toc_source_line_ends(source) || *source->at == '#') return false;
        if (*source->at != '\\') return true;
        toc_source ahead = *source;
        ahead.at++;
        if (!toc_source_line_ends(&ahead)) return true;
        toc_source_next_line(source);
    }
}

static toc_status obj_read_vertex(toc_builder *builder) {
    double x[3];
    for (int i = 0; i < 3; i++) {
        more(builder->source);
        TOC_TRY(toc_source_double(builder->source, &x[i]));
    }
    return toc_builder_add_vertex(builder, x);
}

// "7", "7/1", "7//3", "7/1/3": the part before the first slash.
static toc_status obj_read_corner(toc_builder *builder) {
    toc_source *source = builder->source;
    const char *start = source->at;
    int64_t index;
    if (!toc_source_digits(source, &index)) return toc_source_fail(source, "the index of a vertex was expected");
    if (*source->at == '/') source->at += strspn(source->at, "/-0123456789");
    if (!toc_is_blank(*source->at) && *source->at != '\n' && source->at != source->end) {
        source->at = start;
        return toc_source_fail(source, "a corner such as 7 or 7/1/3 was expected");
    }
    if (index == 0) return toc_source_fail(source, "vertex 0 is used, but indices count from 1");
    const int64_t latest = (int64_t)toc_builder_vertex_count(builder);
    if (index < -latest) {
        return toc_source_fail(source, "vertex %lld is used after %lld vertices", (long long)index, (long long)latest);
    }
    return toc_builder_add_corner(builder, index > 0 ? index - 1 : latest + index);
}

static toc_status obj_read_corners(toc_builder *builder) {
    while (more(builder->source)) TOC_TRY(obj_read_corner(builder));
    return TOC_OK;
}

static toc_status obj_read_element(toc_builder *builder, char statement) {
    TOC_TRY(obj_read_corners(builder));
    if (statement == 'f') return toc_builder_close_polygon(builder);
    if (statement == 'l') return toc_builder_close_line(builder);
    return toc_builder_close_points(builder);
}

static void read_group(toc_builder *builder) {
    toc_source *source = builder->source;
    const toc_run *last = builder->parts.runs.count ? &builder->parts.runs.at[builder->parts.runs.count - 1] : NULL;
    int64_t number;
    toc_source_skip_blanks(source);
    if (toc_source_digits(source, &number) && toc_source_line_ends(source) && number == (int32_t)number) {
        builder->group = (int32_t)number;
    } else if (last && last->group == builder->group && builder->group < INT32_MAX) {
        builder->group++;
    }
}

static toc_status read_statement(toc_builder *builder) {
    toc_source *source = builder->source;
    toc_source_skip_blanks(source);
    const char statement = *source->at;
    if (statement == 0 || !toc_is_blank(source->at[1])) return TOC_OK;
    source->at++;
    switch (statement) {
    case 'v':
        return obj_read_vertex(builder);
    case 'f':
    case 'l':
    case 'p':
        return obj_read_element(builder, statement);
    case 'g':
    case 'o':
        read_group(builder);
        return TOC_OK;
    default:
        return TOC_OK;
    }
}

static toc_status obj_read_body(toc_builder *builder) {
    do TOC_TRY(read_statement(builder));
    while (toc_source_next_line(builder->source));
    return TOC_OK;
}

static toc_status read_obj(toc_source *source, toc_mesh *mesh) {
    toc_builder builder = toc_builder_begin(source);
    builder.first = 1;
    toc_status status = obj_read_body(&builder);
    if (status == TOC_OK) status = toc_builder_finish(&builder, mesh);
    toc_builder_free(&builder);
    return status;
}

static void obj_write_elements(toc_sink *sink, const toc_surface *surface) {
    int32_t group = 0;
    for (size_t i = 0; i < surface->faces.count; i++) {
        const toc_surface_face *face = &surface->faces.at[i];
        if (face->group != group) toc_sink_print(sink, "g %d\n", (int)face->group);
        group = face->group;
        toc_sink_corners(sink, "f ", face->corner_count, face->corners, 1);
    }
    if (group != 0) toc_sink_text(sink, "g 0\n");
    for (size_t i = 0; i < surface->edges.count; i += 2) toc_sink_corners(sink, "l ", 2, &surface->edges.at[i], 1);
    for (size_t i = 0; i < surface->points.count; i++) toc_sink_corners(sink, "p ", 1, &surface->points.at[i], 1);
}

static toc_status write_obj(toc_sink *sink, const toc_mesh *mesh, const double *x) {
    toc_surface surface;
    const toc_status status = toc_surface_find(mesh, toc_sink_allocator(sink), &surface);
    if (status == TOC_OK) {
        for (size_t i = 0; i < toc_mesh_get_vertex_count(mesh); i++) toc_sink_point(sink, "v ", x + 3 * i);
        obj_write_elements(sink, &surface);
    }
    toc_surface_free(&surface);
    return status;
}

const toc_format toc_format_obj = {
    .info = {.name = "obj", .extensions = ".obj", .what = "surfaces, edges, points and groups; text"},
    .read = read_obj,
    .write = write_obj,
};
