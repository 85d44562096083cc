// SPDX-License-Identifier: Apache-2.0
// Vertices and elements of a file on their way into a mesh.
#include "io/core/builder.h"

#include <assert.h>

toc_builder toc_builder_begin(toc_source *source) { return (toc_builder){.source = source}; }

void toc_builder_free(toc_builder *builder) {
    const toc_allocator *memory = &builder->source->allocator;
    toc_array_free(memory, &builder->parts.positions);
    toc_array_free(memory, &builder->parts.corners);
    toc_array_free(memory, &builder->parts.runs);
}

size_t toc_builder_element_count(const toc_builder *builder) {
    size_t count = 0;
    for (size_t i = 0; i < builder->parts.runs.count; i++) count += builder->parts.runs.at[i].count;
    return count;
}

toc_status toc_builder_reserve(toc_builder *builder, size_t vertices, size_t corners) {
    const toc_allocator *memory = &builder->source->allocator;
    if (vertices > SIZE_MAX / 3) return toc_fail_memory(SIZE_MAX);
    TOC_TRY(toc_array_reserve(memory, &builder->parts.positions, 3 * vertices));
    return toc_array_reserve(memory, &builder->parts.corners, corners);
}

toc_status toc_builder_add_vertex(toc_builder *builder, const double x[3]) {
    TOC_TRY(toc_array_reserve(&builder->source->allocator, &builder->parts.positions, 3));
    toc_builder_put_vertex(builder, x);
    return TOC_OK;
}

toc_status toc_builder_fail_corner(const toc_builder *builder, int64_t vertex) {
    const char *sentence = "vertex %lld is used, but there are %zu";
    const size_t count = toc_builder_vertex_count(builder);
    const long long number = (long long)vertex + builder->first;
    return builder->binary ? toc_source_fail_byte(builder->source, sentence, number, count)
                           : toc_source_fail(builder->source, sentence, number, count);
}

toc_status toc_builder_add_corner(toc_builder *builder, int64_t vertex) {
    TOC_TRY(toc_array_reserve(&builder->source->allocator, &builder->parts.corners, 1));
    return toc_builder_put_corner(builder, vertex) ? TOC_OK : toc_builder_fail_corner(builder, vertex);
}

static toc_status add_run(toc_builder *builder, toc_shape shape, size_t count) {
    assert(shape != TOC_REMOVED);
    toc_source_pass(builder->source);
    builder->closed = builder->parts.corners.count;
    if (builder->parts.runs.count > 0) {
        toc_run *last = &builder->parts.runs.at[builder->parts.runs.count - 1];
        if (last->shape == shape && last->group == builder->group) {
            last->count += count;
            return TOC_OK;
        }
    }
    TOC_TRY(toc_array_reserve(&builder->source->allocator, &builder->parts.runs, 1));
    builder->parts.runs.at[builder->parts.runs.count++] = (toc_run){shape, builder->group, count};
    return TOC_OK;
}

// n corners become n - 2 triangles around the first, in place from the back.
static toc_status split_fan(toc_builder *builder, size_t n) {
    TOC_TRY(toc_array_reserve(&builder->source->allocator, &builder->parts.corners, 2 * n));
    uint32_t *corners = builder->parts.corners.at + builder->closed;
    const uint32_t hub = corners[0];
    for (size_t i = n - 2; i-- > 0;) {
        const uint32_t a = corners[i + 1], b = corners[i + 2];
        corners[3 * i] = hub;
        corners[3 * i + 1] = a;
        corners[3 * i + 2] = b;
    }
    builder->parts.corners.count = builder->closed + 3 * (n - 2);
    return add_run(builder, TOC_TRIANGLE, n - 2);
}

toc_status toc_builder_close_polygon(toc_builder *builder) {
    static const toc_shape shapes[] = {TOC_REMOVED, TOC_POINT, TOC_EDGE, TOC_TRIANGLE, TOC_QUAD};
    const size_t n = builder->parts.corners.count - builder->closed;
    if (n > 4) return split_fan(builder, n);
    if (n > 0) return add_run(builder, shapes[n], 1);
    const char *sentence = "a face without corners";
    return builder->binary ? toc_source_fail_byte(builder->source, "%s", sentence)
                           : toc_source_fail(builder->source, "%s", sentence);
}

toc_status toc_builder_close_elements(toc_builder *builder, toc_shape shape, size_t count) {
    assert(shape != TOC_REMOVED);
    return count > 0 ? add_run(builder, shape, count) : TOC_OK;
}

toc_status toc_builder_close_points(toc_builder *builder) {
    const size_t n = builder->parts.corners.count - builder->closed;
    return n ? add_run(builder, TOC_POINT, n) : toc_source_fail(builder->source, "a vertex is missing");
}

// a b c d becomes a b, b c, c d, in place from the back.
toc_status toc_builder_close_line(toc_builder *builder) {
    const size_t n = builder->parts.corners.count - builder->closed;
    if (n < 2) return toc_source_fail(builder->source, "a line needs two corners at least");
    TOC_TRY(toc_array_reserve(&builder->source->allocator, &builder->parts.corners, n));
    uint32_t *corners = builder->parts.corners.at + builder->closed;
    for (size_t i = n - 1; i-- > 0;) {
        const uint32_t a = corners[i], b = corners[i + 1];
        corners[2 * i] = a;
        corners[2 * i + 1] = b;
    }
    builder->parts.corners.count = builder->closed + 2 * (n - 1);
    return add_run(builder, TOC_EDGE, n - 1);
}

static toc_status make_points(toc_builder *builder) {
    const size_t count = toc_builder_vertex_count(builder);
    for (size_t i = 0; i < count; i++) TOC_TRY(toc_builder_add_corner(builder, (int64_t)i));
    return count ? toc_builder_close_points(builder) : TOC_OK;
}

toc_status toc_builder_finish(toc_builder *builder, toc_mesh *mesh) {
    const size_t count = toc_builder_vertex_count(builder);
    if (builder->parts.corners.count > 0 && builder->highest >= count) {
        builder->source->at = builder->highest_at;
        return toc_builder_fail_corner(builder, builder->highest);
    }
    if (builder->parts.runs.count == 0) TOC_TRY(make_points(builder));
    if (!builder->shared) toc_source_close(builder->source);
    return toc_mesh_adopt(mesh, &builder->parts);
}
