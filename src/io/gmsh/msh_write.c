// SPDX-License-Identifier: Apache-2.0
// Gmsh's files (.msh) written: binary, version 4.1, little-endian; doubles bit for bit.
//
// Elements keep their order: each run of one shape and group is a block. Every group is an entity of its own in each
// dimension it has elements of, and a physical group with its name; group 0 is an entity without. Nodes are numbered
// from 1, so that vertex ids come back, and all belong to one entity. O(n), and a list of the groups.
#include "io/gmsh/msh.h"

#include <assert.h>
#include <stdlib.h>

#include "mesh/shape.h"

/// A group of elements of one dimension: an entity, and a physical group unless it is group 0.
typedef struct msh_entity {
    int32_t dimension, group, tag;
} msh_entity;

typedef struct msh_writer {
    toc_sink *sink;
    const toc_mesh *mesh;
    const double *x;
    TOC_ARRAY(msh_entity) entities; // ascending by dimension and group
    size_t blocks, elements;        // the number of elements to write
} msh_writer;

static void put_int(msh_writer *writer, int32_t x) { toc_sink_little(writer->sink, &x, sizeof x, 1); }
static void put_count(msh_writer *writer, uint64_t x) { toc_sink_little(writer->sink, &x, sizeof x, 1); }

/// Elements next to each other, but for removed ones, that have one shape and group.
typedef struct msh_block {
    uint32_t first, end;
    size_t count;
    toc_shape shape;
    int32_t group;
} msh_block;

/// The next block from `from` on; false if there is none.
static bool next_block(const toc_mesh *mesh, uint32_t from, msh_block *out) {
    const uint32_t count = (uint32_t)toc_mesh_get_element_count(mesh);
    msh_block block = {.first = from, .end = from};
    for (; block.end < count; block.end++) {
        const toc_element e = toc_mesh_get_element(mesh, block.end);
        if (e.shape == TOC_REMOVED) continue;
        if (block.count > 0 && (e.shape != block.shape || e.group != block.group)) break;
        block.shape = e.shape;
        block.group = e.group;
        block.count++;
    }
    *out = block;
    return block.count > 0;
}

static int compare_entities(const void *a, const void *b) {
    const msh_entity *p = a, *q = b;
    if (p->dimension != q->dimension) return p->dimension < q->dimension ? -1 : 1;
    return (p->group > q->group) - (p->group < q->group);
}

static toc_status add_entity(msh_writer *writer, const msh_block *block) {
    const msh_entity entity = {toc_shape_infos[block->shape].dimension, block->group, block->group};
    const size_t count = writer->entities.count;
    writer->blocks++;
    writer->elements += block->count;
    if (block->group < 0)
        return toc_fail(TOC_BAD_INPUT, "group %d cannot be written: a .msh file numbers its groups from 1 on",
                        (int)block->group);
    if (count > 0 && compare_entities(&entity, &writer->entities.at[count - 1]) == 0) return TOC_OK;
    TOC_TRY(toc_array_reserve(toc_sink_allocator(writer->sink), &writer->entities, 1));
    writer->entities.at[writer->entities.count++] = entity;
    return TOC_OK;
}

/// Group 0, which comes first of its dimension, takes the lowest tag that no other group has.
static void number_entities(msh_writer *writer) {
    msh_entity *none = NULL;
    for (size_t i = 0; i < writer->entities.count; i++) {
        msh_entity *entity = &writer->entities.at[i];
        if (entity->group == 0) {
            entity->tag = 1;
            none = entity;
        } else if (none && none->dimension == entity->dimension && none->tag == entity->tag) {
            none->tag++;
        }
    }
}

static toc_status find_entities(msh_writer *writer) {
    msh_block block;
    for (uint32_t at = 0; next_block(writer->mesh, at, &block); at = block.end) TOC_TRY(add_entity(writer, &block));
    if (writer->entities.count == 0) return TOC_OK;
    qsort(writer->entities.at, writer->entities.count, sizeof *writer->entities.at, compare_entities);
    size_t kept = 1;
    for (size_t i = 1; i < writer->entities.count; i++)
        if (compare_entities(&writer->entities.at[i], &writer->entities.at[kept - 1]) != 0)
            writer->entities.at[kept++] = writer->entities.at[i];
    writer->entities.count = kept;
    number_entities(writer);
    return TOC_OK;
}

static void write_names(msh_writer *writer) {
    size_t named = 0;
    for (size_t pass = 0; pass < 2; pass++) {
        if (pass == 1 && named > 0) toc_sink_print(writer->sink, "$PhysicalNames\n%zu\n", named);
        for (size_t i = 0; i < writer->entities.count; i++) {
            const msh_entity *entity = &writer->entities.at[i];
            const char *name = entity->group > 0 ? toc_mesh_get_group_name(writer->mesh, entity->group) : NULL;
            if (!name) continue;
            named += pass == 0;
            if (pass == 1)
                toc_sink_print(writer->sink, "%d %d \"%.200s\"\n", (int)entity->dimension, (int)entity->group, name);
        }
    }
    if (named > 0) toc_sink_print(writer->sink, "$EndPhysicalNames\n");
}

/// The bounds of all vertices, which are good for every entity.
static void find_bounds(const msh_writer *writer, double bounds[6]) {
    const size_t count = toc_mesh_get_vertex_count(writer->mesh);
    for (size_t i = 0; i < 3 * count; i++) {
        double *low = &bounds[i % 3], *high = &bounds[3 + i % 3];
        if (i < 3 || writer->x[i] < *low) *low = writer->x[i];
        if (i < 3 || writer->x[i] > *high) *high = writer->x[i];
    }
}

static void write_entities(msh_writer *writer) {
    uint64_t counts[4] = {0};
    double bounds[6] = {0};
    find_bounds(writer, bounds);
    for (size_t i = 0; i < writer->entities.count; i++) counts[writer->entities.at[i].dimension]++;
    toc_sink_print(writer->sink, "$Entities\n");
    toc_sink_little(writer->sink, counts, sizeof *counts, 4);
    for (size_t i = 0; i < writer->entities.count; i++) {
        const msh_entity *entity = &writer->entities.at[i];
        put_int(writer, entity->tag);
        toc_sink_little(writer->sink, bounds, sizeof *bounds, entity->dimension == 0 ? 3 : 6);
        put_count(writer, entity->group > 0 ? 1 : 0);
        if (entity->group > 0) put_int(writer, entity->group);
        if (entity->dimension > 0) put_count(writer, 0); // without a boundary
    }
    toc_sink_print(writer->sink, "\n$EndEntities\n");
}

/// All nodes in one block, of the last entity, which has the highest dimension.
static void write_nodes(msh_writer *writer) {
    const uint64_t count = toc_mesh_get_vertex_count(writer->mesh);
    const size_t entities = writer->entities.count;
    const msh_entity last = entities > 0 ? writer->entities.at[entities - 1] : (msh_entity){.tag = 1};
    toc_sink_print(writer->sink, "$Nodes\n");
    toc_sink_little(writer->sink, (const uint64_t[]){1, count, 1, count}, 8, 4);
    toc_sink_little(writer->sink, (const int32_t[]){last.dimension, last.tag, 0}, 4, 3);
    put_count(writer, count);
    for (uint64_t i = 1; i <= count; i++) put_count(writer, i);
    toc_sink_little(writer->sink, writer->x, sizeof *writer->x, 3 * (size_t)count);
    toc_sink_print(writer->sink, "\n$EndNodes\n");
}

static int32_t type_of_shape(toc_shape shape) {
    assert(shape != TOC_REMOVED);
    static const int32_t types[TOC_SHAPE_COUNT] = {
        [TOC_POINT] = 15, [TOC_EDGE] = 1,    [TOC_TRIANGLE] = 2, [TOC_QUAD] = 3,
        [TOC_TET] = 4,    [TOC_PYRAMID] = 7, [TOC_WEDGE] = 6,    [TOC_HEX] = 5};
    return types[shape];
}

static void write_element(msh_writer *writer, uint64_t tag, toc_element e) {
    assert(e.corner_count <= 8);
    uint64_t row[9] = {tag};
    for (int i = 0; i < e.corner_count; i++)
        row[1 + i] = (uint64_t)e.corners[e.shape == TOC_WEDGE ? toc_wedge_turn[i] : i] + 1;
    toc_sink_little(writer->sink, row, sizeof *row, 1 + (size_t)e.corner_count);
}

static void write_block(msh_writer *writer, const msh_block *block, uint64_t *tag) {
    const msh_entity key = {.dimension = toc_shape_infos[block->shape].dimension, .group = block->group};
    const msh_entity *entity = bsearch(&key, writer->entities.at, writer->entities.count, sizeof key, compare_entities);
    toc_sink_little(writer->sink, (const int32_t[]){key.dimension, entity->tag, type_of_shape(block->shape)}, 4, 3);
    put_count(writer, block->count);
    for (uint32_t i = block->first; i < block->end; i++) {
        const toc_element e = toc_mesh_get_element(writer->mesh, i);
        if (e.shape != TOC_REMOVED) write_element(writer, ++*tag, e);
    }
}

static void msh_write_elements(msh_writer *writer) {
    uint64_t tag = 0;
    msh_block block;
    toc_sink_print(writer->sink, "$Elements\n");
    toc_sink_little(writer->sink, (const uint64_t[]){writer->blocks, writer->elements, 1, writer->elements}, 8, 4);
    for (uint32_t at = 0; next_block(writer->mesh, at, &block); at = block.end) write_block(writer, &block, &tag);
    toc_sink_print(writer->sink, "\n$EndElements\n");
}

toc_status toc_msh_write(toc_sink *sink, const toc_mesh *mesh, const double *x) {
    msh_writer writer = {.sink = sink, .mesh = mesh, .x = x};
    const toc_status status = find_entities(&writer);
    if (status == TOC_OK) {
        toc_sink_print(sink, "$MeshFormat\n4.1 1 8\n");
        put_int(&writer, 1);
        toc_sink_print(sink, "\n$EndMeshFormat\n");
        write_names(&writer);
        write_entities(&writer);
        write_nodes(&writer);
        msh_write_elements(&writer);
    }
    toc_array_free(toc_sink_allocator(sink), &writer.entities);
    return status;
}
