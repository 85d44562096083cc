// SPDX-License-Identifier: Apache-2.0
// The scene of a glTF file. Nodes are visited once, breadth first, without recursion; a second parent is refused.
// A mesh of several nodes has its vertices once for each node. Positions are computed from the accessors for each pose,
// so that at most one frame is in memory.
#include "io/gltf/scene.h"

#include <assert.h>
#include <math.h>

#include "io/gltf/skin.h"

// Vertices that are read at a time.
enum { ROOM = 512 };

static const toc_allocator *memory_of(const toc_gltf_scene *scene) { return &scene->file->json.source->allocator; }

void toc_gltf_scene_free(toc_gltf_scene *scene) {
    const toc_allocator *memory = memory_of(scene);
    toc_array_free(memory, &scene->nodes);
    toc_array_free(memory, &scene->places);
    toc_array_free(memory, &scene->blocks);
    toc_array_free(memory, &scene->primitives);
    toc_array_free(memory, &scene->displacements);
    toc_array_free(memory, &scene->rest_weights);
    toc_array_free(memory, &scene->weights);
    toc_array_free(memory, &scene->skins);
    toc_array_free(memory, &scene->joints);
    toc_array_free(memory, &scene->influences);
    toc_array_free(memory, &scene->influence_ends);
}

// Nodes.

static const double identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};

static toc_status gltf_scene_read_placing(const toc_json *json, toc_gltf_node *node) {
    double m[16];
    node->rest = (toc_gltf_placing){.rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}};
    node->fixed = toc_json_member(json, node->id, "matrix") != TOC_JSON_NONE;
    TOC_TRY(toc_json_numbers(json, node->id, "matrix", 16, m));
    for (int i = 0; i < 12 && node->fixed; i++) node->matrix[i] = m[4 * (i % 4) + i / 4]; // stored by columns
    TOC_TRY(toc_json_numbers(json, node->id, "translation", 3, node->rest.translation));
    TOC_TRY(toc_json_numbers(json, node->id, "rotation", 4, node->rest.rotation));
    return toc_json_numbers(json, node->id, "scale", 3, node->rest.scale);
}

static toc_status add_node(toc_gltf_scene *scene, toc_json_id at, size_t index, uint32_t parent) {
    const toc_json *json = &scene->file->json;
    if (index >= scene->file->nodes.count)
        return toc_json_fail(json, at, "node %zu, but there are %zu", index, scene->file->nodes.count);
    if (scene->places.at[index] != UINT32_MAX) return toc_json_fail(json, at, "node %zu is in the scene twice", index);
    TOC_TRY(toc_array_reserve(memory_of(scene), &scene->nodes, 1));
    toc_gltf_node *node = &scene->nodes.at[scene->nodes.count];
    *node = (toc_gltf_node){.id = scene->file->nodes.at[index], .parent = parent};
    scene->places.at[index] = (uint32_t)scene->nodes.count++;
    node->skinned = toc_json_member(json, node->id, "skin") != TOC_JSON_NONE;
    const toc_json_id extensions = toc_json_member(json, node->id, "extensions");
    if (toc_json_member(json, extensions, "EXT_mesh_gpu_instancing") != TOC_JSON_NONE)
        return toc_json_fail(json, node->id, "a node with EXT_mesh_gpu_instancing, which is not read");
    if (toc_json_member(json, toc_json_member(json, node->id, "extras"), "toccata_steps") != TOC_JSON_NONE)
        return toc_json_fail(json, node->id,
                             "elements come and go in this animation, which was written to be looked "
                             "at; give the files that it was made of");
    TOC_TRY(toc_gltf_follow(scene->file, node->id, "mesh", &scene->file->meshes, &node->mesh));
    const toc_json_id extras = toc_json_member(json, node->mesh, "extras");
    if (toc_json_member(json, extras, "contacts") != TOC_JSON_NONE) node->mesh = TOC_JSON_NONE; // marks, not a body
    return gltf_scene_read_placing(json, node);
}

static toc_status gltf_scene_add_nodes(toc_gltf_scene *scene, toc_json_id list, uint32_t parent) {
    const toc_json *json = &scene->file->json;
    for (toc_json_id i = toc_json_first(json, list); i != TOC_JSON_NONE; i = toc_json_next(json, list, i)) {
        uint64_t index;
        TOC_TRY(toc_json_as_count(json, i, "node", &index));
        TOC_TRY(add_node(scene, i, (size_t)index, parent));
    }
    return TOC_OK;
}

/// Nodes without a parent, for a file without scenes.
static toc_status add_roots(toc_gltf_scene *scene, bool *has_parent) {
    const toc_json *json = &scene->file->json;
    const toc_gltf_list *nodes = &scene->file->nodes;
    for (size_t i = 0; i < nodes->count; i++) {
        const toc_json_id list = toc_json_member(json, nodes->at[i], "children");
        for (toc_json_id k = toc_json_first(json, list); k != TOC_JSON_NONE; k = toc_json_next(json, list, k)) {
            uint64_t child;
            TOC_TRY(toc_json_as_count(json, k, "children", &child));
            if (child < nodes->count) has_parent[child] = true;
        }
    }
    for (size_t i = 0; i < nodes->count; i++)
        if (!has_parent[i]) TOC_TRY(add_node(scene, nodes->at[i], i, UINT32_MAX));
    return TOC_OK;
}

static toc_status add_every_root(toc_gltf_scene *scene) {
    const size_t count = scene->file->nodes.count;
    bool *has_parent = toc_new(memory_of(scene), count, sizeof *has_parent);
    if (!has_parent) return TOC_OUT_OF_MEMORY;
    const toc_status status = add_roots(scene, has_parent);
    toc_free(memory_of(scene), has_parent, count, sizeof *has_parent);
    return status;
}

/// All meshes, for a file without nodes.
static toc_status add_bare_meshes(toc_gltf_scene *scene) {
    const toc_gltf_list *meshes = &scene->file->meshes;
    TOC_TRY(toc_array_reserve(memory_of(scene), &scene->nodes, meshes->count));
    for (size_t i = 0; i < meshes->count; i++) {
        toc_gltf_node node = {.id = meshes->at[i], .mesh = meshes->at[i], .parent = UINT32_MAX};
        node.rest = (toc_gltf_placing){.rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}};
        scene->nodes.at[scene->nodes.count++] = node;
    }
    return TOC_OK;
}

/// The top nodes: of the file's default scene, else of the first scene.
static toc_status add_top(toc_gltf_scene *scene) {
    const toc_json *json = &scene->file->json;
    const toc_json_id scenes = toc_json_member(json, 0, "scenes");
    uint64_t wanted;
    TOC_TRY(toc_json_count(json, 0, "scene", 0, &wanted));
    toc_json_id shown = toc_json_first(json, scenes);
    if (shown == TOC_JSON_NONE) return scene->file->nodes.count > 0 ? add_every_root(scene) : add_bare_meshes(scene);
    for (uint64_t i = 0; i < wanted && shown != TOC_JSON_NONE; i++) shown = toc_json_next(json, scenes, shown);
    if (shown == TOC_JSON_NONE)
        return toc_json_fail(json, toc_json_member(json, 0, "scene"), "there is no scene of this number");
    return gltf_scene_add_nodes(scene, toc_json_member(json, shown, "nodes"), UINT32_MAX);
}

static toc_status walk_nodes(toc_gltf_scene *scene) {
    const size_t count = scene->file->nodes.count;
    TOC_TRY(toc_array_reserve(memory_of(scene), &scene->places, count));
    for (size_t i = 0; i < count; i++) scene->places.at[i] = UINT32_MAX;
    scene->places.count = count;
    TOC_TRY(add_top(scene));
    for (size_t i = 0; i < scene->nodes.count; i++)
        TOC_TRY(gltf_scene_add_nodes(scene, toc_json_member(&scene->file->json, scene->nodes.at[i].id, "children"),
                                     (uint32_t)i));
    return TOC_OK;
}

// Meshes.

/// The weights that the node gives its mesh, else the mesh itself, else 0.
static toc_status add_weights(toc_gltf_scene *scene, toc_gltf_node *node) {
    const toc_json *json = &scene->file->json;
    node->weights = scene->weights.count;
    if (node->targets == 0) return TOC_OK;
    TOC_TRY(toc_array_reserve(memory_of(scene), &scene->weights, node->targets));
    TOC_TRY(toc_array_reserve(memory_of(scene), &scene->rest_weights, node->targets));
    double *rest = scene->rest_weights.at + scene->rest_weights.count;
    for (size_t i = 0; i < node->targets; i++) rest[i] = 0;
    const bool own = toc_json_member(json, node->id, "weights") != TOC_JSON_NONE;
    TOC_TRY(toc_json_numbers(json, own ? node->id : node->mesh, "weights", node->targets, rest));
    scene->rest_weights.count += node->targets;
    scene->weights.count += node->targets;
    return TOC_OK;
}

static toc_status add_displacements(toc_gltf_scene *scene, toc_json_id targets, const toc_gltf_block *block) {
    const toc_json *json = &scene->file->json;
    TOC_TRY(toc_array_reserve(memory_of(scene), &scene->displacements, scene->nodes.at[block->node].targets));
    for (toc_json_id i = toc_json_first(json, targets); i != TOC_JSON_NONE; i = toc_json_next(json, targets, i)) {
        toc_accessor *to = &scene->displacements.at[scene->displacements.count];
        TOC_TRY(toc_accessor_open(scene->file, i, "POSITION", 3, to));
        if (to->count != 0 && to->count != block->positions.count)
            return toc_json_fail(json, i, "a morph target of %zu vertices for %zu", to->count, block->positions.count);
        scene->displacements.count++;
    }
    return TOC_OK;
}

/// Whether a block has the same positions and displacements as one of the same node: then they share their vertices.
static bool same_block(const toc_gltf_scene *scene, const toc_gltf_block *a, const toc_gltf_block *b, size_t targets) {
    if (a->positions.id != b->positions.id) return false;
    if (scene->nodes.at[a->node].skinned && !toc_gltf_skin_is_same(scene->file, a->attributes, b->attributes))
        return false;
    for (size_t i = 0; i < targets; i++) {
        const toc_accessor *p = &scene->displacements.at[a->targets + i], *q = &scene->displacements.at[b->targets + i];
        if (p->count != q->count || (p->count > 0 && p->id != q->id)) return false;
    }
    return true;
}

/// An accessor without bytes may not have more positions than the file has bytes.
static toc_status check_positions(const toc_gltf_scene *scene, const toc_gltf_block *block) {
    const toc_json *json = &scene->file->json;
    const size_t count = block->positions.count, bytes = (size_t)(json->source->end - json->source->begin);
    if (!block->positions.bytes && count > bytes)
        return toc_json_fail(json, block->positions.id, "%zu vertices without any bytes", count);
    if (count < UINT32_MAX - scene->vertex_count) return TOC_OK;
    return toc_json_fail(json, block->positions.id, "more vertices than a mesh can hold");
}

/// Add the block of a primitive, unless one like it is there.
static toc_status gltf_scene_add_block(toc_gltf_scene *scene, toc_json_id primitive, toc_gltf_block block,
                                       size_t *out) {
    toc_gltf_node *node = &scene->nodes.at[block.node];
    block.targets = scene->displacements.count;
    TOC_TRY(add_displacements(scene, toc_json_member(&scene->file->json, primitive, "targets"), &block));
    for (*out = node->blocks; *out < scene->blocks.count; ++*out)
        if (same_block(scene, &scene->blocks.at[*out], &block, node->targets)) {
            scene->displacements.count = block.targets;
            return TOC_OK;
        }
    TOC_TRY(check_positions(scene, &block));
    block.first = scene->vertex_count;
    scene->vertex_count += block.positions.count;
    TOC_TRY(toc_array_reserve(memory_of(scene), &scene->blocks, 1));
    scene->blocks.at[scene->blocks.count++] = block;
    node->block_count++;
    return TOC_OK;
}

static toc_status add_primitive(toc_gltf_scene *scene, uint32_t place, toc_json_id id) {
    const toc_json *json = &scene->file->json;
    toc_gltf_node *node = &scene->nodes.at[place];
    const size_t targets = toc_json_length(json, toc_json_member(json, id, "targets"));
    if (targets != node->targets)
        return toc_json_fail(json, id, "%zu morph targets, but the primitive before has %zu", targets, node->targets);
    toc_gltf_block block = {.node = place, .attributes = toc_json_member(json, id, "attributes")};
    TOC_TRY(toc_accessor_open(scene->file, block.attributes, "POSITION", 3, &block.positions));
    if (block.positions.count == 0) return TOC_OK; // nothing visible
    toc_gltf_primitive primitive = {.id = id};
    TOC_TRY(gltf_scene_add_block(scene, id, block, &primitive.block));
    TOC_TRY(toc_array_reserve(memory_of(scene), &scene->primitives, 1));
    scene->primitives.at[scene->primitives.count++] = primitive;
    return TOC_OK;
}

static toc_status add_mesh(toc_gltf_scene *scene, uint32_t place) {
    const toc_json *json = &scene->file->json;
    assert(place < scene->nodes.count);
    toc_gltf_node *node = &scene->nodes.at[place];
    node->blocks = scene->blocks.count;
    if (node->mesh == TOC_JSON_NONE) return TOC_OK;
    const toc_json_id list = toc_json_member(json, node->mesh, "primitives");
    const toc_json_id first = toc_json_first(json, list);
    node->targets = toc_json_length(json, toc_json_member(json, first, "targets"));
    TOC_TRY(add_weights(scene, node));
    for (toc_json_id i = first; i != TOC_JSON_NONE; i = toc_json_next(json, list, i))
        TOC_TRY(add_primitive(scene, place, i));
    return TOC_OK;
}

static void find_carriers(toc_gltf_scene *scene) {
    for (size_t i = scene->nodes.count; i-- > 0;) {
        toc_gltf_node *node = &scene->nodes.at[i];
        node->carries |= node->block_count > 0 && !node->skinned;
        if (node->carries && node->parent != UINT32_MAX) scene->nodes.at[node->parent].carries = true;
    }
}

toc_status toc_gltf_scene_build(toc_gltf *file, toc_gltf_scene *out) {
    *out = (toc_gltf_scene){.file = file};
    TOC_TRY(walk_nodes(out));
    for (size_t i = 0; i < out->nodes.count; i++) TOC_TRY(add_mesh(out, (uint32_t)i));
    TOC_TRY(toc_gltf_skins_open(out));
    find_carriers(out);
    toc_gltf_scene_rest(out);
    return TOC_OK;
}

// Poses.

void toc_gltf_scene_rest(toc_gltf_scene *scene) {
    for (size_t i = 0; i < scene->nodes.count; i++) scene->nodes.at[i].now = scene->nodes.at[i].rest;
    for (size_t i = 0; i < scene->weights.count; i++) scene->weights.at[i] = scene->rest_weights.at[i];
}

/// Scaled, then turned, then moved. Quaternions are taken as if of length 1.
static void matrix_of(const toc_gltf_placing *at, double m[12]) {
    double x = at->rotation[0], y = at->rotation[1], z = at->rotation[2], w = at->rotation[3];
    const double length = sqrt(x * x + y * y + z * z + w * w);
    if (length > 0) x /= length, y /= length, z /= length, w /= length;
    const double turn[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - z * w),     2 * (x * z + y * w),
                            2 * (x * y + z * w),     1 - 2 * (x * x + z * z), 2 * (y * z - x * w),
                            2 * (x * z - y * w),     2 * (y * z + x * w),     1 - 2 * (x * x + y * y)};
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 3; column++) m[4 * row + column] = turn[3 * row + column] * at->scale[column];
        m[4 * row + 3] = at->translation[row];
    }
}

void toc_gltf_matrix_apply(const double m[12], const double x[3], double to[3]) {
    for (int row = 0; row < 3; row++)
        to[row] = m[4 * row] * x[0] + m[4 * row + 1] * x[1] + m[4 * row + 2] * x[2] + m[4 * row + 3];
}

void toc_gltf_matrix_multiply(const double a[12], const double b[12], double to[12]) {
    for (int i = 0; i < 12; i++) {
        const double *row = a + i / 4 * 4;
        to[i] = row[0] * b[i % 4] + row[1] * b[4 + i % 4] + row[2] * b[8 + i % 4] + (i % 4 == 3 ? row[3] : 0);
    }
}

static void place_nodes(toc_gltf_scene *scene) {
    for (size_t i = 0; i < scene->nodes.count; i++) {
        toc_gltf_node *node = &scene->nodes.at[i];
        double own[12];
        matrix_of(&node->now, own);
        if (node->fixed) memcpy(own, node->matrix, sizeof own);
        if (node->parent == UINT32_MAX)
            memcpy(node->world, own, sizeof own);
        else
            toc_gltf_matrix_multiply(scene->nodes.at[node->parent].world, own, node->world);
    }
}

static bool all_finite(const double *x, size_t count) {
    double all = 0; // x - x is 0 for a number, NaN for the rest, and NaN stays NaN in a sum
    for (size_t i = 0; i < count; i++) all += x[i] - x[i];
    return all == 0;
}

static toc_status read_finite(const toc_gltf *file, const toc_accessor *accessor, size_t first, size_t count,
                              double *to) {
    toc_accessor_read(accessor, first, count, to);
    if (all_finite(to, 3 * count)) return TOC_OK;
    size_t i = 0;
    while (isfinite(to[i])) i++;
    return toc_accessor_fail(file, accessor, first + i / 3, "a coordinate is not a finite number");
}

/// Add the displacements of a few vertices of a block, by the weights less those of `from`, which may be NULL.
static toc_status add_morphs(const toc_gltf_scene *scene, const toc_gltf_block *block, const double *from, size_t first,
                             size_t count, double *x) {
    const toc_gltf_node *node = &scene->nodes.at[block->node];
    double shift[3 * ROOM];
    for (size_t k = 0; k < node->targets; k++) {
        const toc_accessor *displacement = &scene->displacements.at[block->targets + k];
        const size_t at = node->weights + k;
        const double weight = scene->weights.at[at] - (from ? from[at] : 0);
        if (weight == 0 || displacement->count == 0) continue;
        TOC_TRY(read_finite(scene->file, displacement, first, count, shift));
        for (size_t i = 0; i < 3 * count; i++) x[i] += weight * shift[i];
    }
    return TOC_OK;
}

/// A few vertices of a block in their node.
static toc_status find_local(const toc_gltf_scene *scene, const toc_gltf_block *block, size_t first, size_t count,
                             double *x) {
    TOC_TRY(read_finite(scene->file, &block->positions, first, count, x));
    return add_morphs(scene, block, NULL, first, count, x);
}

toc_status toc_gltf_block_morph(const toc_gltf_scene *scene, const toc_gltf_block *block, double *x) {
    const size_t total = block->positions.count;
    memset(x, 0, 3 * total * sizeof *x);
    for (size_t first = 0; first < total; first += ROOM) {
        const size_t count = total - first < ROOM ? total - first : ROOM;
        TOC_TRY(add_morphs(scene, block, scene->rest_weights.at, first, count, x + 3 * first));
    }
    return TOC_OK;
}

static toc_status find_block(const toc_gltf_scene *scene, const toc_gltf_block *block, double *x) {
    assert(block->node < scene->nodes.count);
    const toc_gltf_node *node = &scene->nodes.at[block->node];
    const bool moved = !node->skinned && memcmp(node->world, identity, sizeof identity) != 0;
    const size_t total = block->positions.count;
    for (size_t first = 0; first < total; first += ROOM) {
        const size_t count = total - first < ROOM ? total - first : ROOM;
        double *to = x + 3 * (block->first + first), local[3];
        TOC_TRY(find_local(scene, block, first, count, to));
        if (node->skinned && !scene->bind_pose) toc_gltf_skin_apply(scene, block->first + first, count, to);
        for (size_t i = 0; i < count && moved; i++) {
            memcpy(local, to + 3 * i, sizeof local);
            toc_gltf_matrix_apply(node->world, local, to + 3 * i);
        }
    }
    return TOC_OK;
}

void toc_gltf_scene_place(toc_gltf_scene *scene) {
    place_nodes(scene);
    toc_gltf_skins_pose(scene);
}

toc_status toc_gltf_scene_positions(toc_gltf_scene *scene, double *x) {
    toc_gltf_scene_place(scene);
    for (size_t i = 0; i < scene->blocks.count; i++) TOC_TRY(find_block(scene, &scene->blocks.at[i], x));
    return TOC_OK;
}

/// The n-th joint of each vertex and its weight; 0 where there are fewer.
static void find_influence_traits(const toc_gltf_scene *scene, const toc_gltf_node *node, size_t n, double *x) {
    const size_t first = scene->blocks.at[node->blocks].first, count = toc_gltf_node_vertices(scene, node);
    for (size_t v = first; v < first + count; v++, x += 3) {
        const size_t begin = v > 0 ? scene->influence_ends.at[v - 1] : 0;
        const bool there = begin + n < scene->influence_ends.at[v];
        x[0] = there ? scene->influences.at[begin + n].joint : 0;
        x[1] = there ? scene->influences.at[begin + n].weight : 0;
        x[2] = 0;
    }
}

void toc_gltf_scene_traits(const toc_gltf_scene *scene, const toc_gltf_node *node, size_t round, double *x) {
    if (round > node->targets) {
        find_influence_traits(scene, node, round - node->targets - 1, x);
        return;
    }
    for (size_t i = 0; i < node->block_count; i++) {
        const toc_gltf_block *block = &scene->blocks.at[node->blocks + i];
        const size_t count = block->positions.count;
        const toc_accessor *from = &block->positions;
        if (round > 0) from = &scene->displacements.at[block->targets + round - 1];
        if (from->count > 0)
            toc_accessor_read(from, 0, count, x);
        else
            memset(x, 0, 3 * count * sizeof *x);
        x += 3 * count;
    }
}
