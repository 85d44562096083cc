// SPDX-License-Identifier: Apache-2.0
// Skins of glTF. Influences are kept by vertex, each joint once, without weights of 0, scaled to the sum 1: equal lists
// move equal vertices to equal places in every pose, so welding compares them. A pose costs O(influences).
// After section 3.7.3 of the glTF 2.0 specification.
#include "io/gltf/skin.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

// Influences of a vertex in the file: JOINTS_0 to JOINTS_7, four each.
enum { MOST_SETS = 8, MOST_INFLUENCES = 4 * MOST_SETS };

/// Weights of bytes are off by half a step each: 32 of them by 32 / 510 at most, four of them by 0.008. Writers of
/// floats are off by less. Sums that differ by more are counted.
static const double sum_slack = 0.02;

/// The joints and weights of one primitive.
typedef struct influence_reader {
    const toc_gltf *file;
    const toc_gltf_skin *skin;
    size_t sets;
    toc_accessor joints[MOST_SETS], weights[MOST_SETS];
} influence_reader;

static const toc_allocator *skin_memory(const toc_gltf_scene *scene) { return &scene->file->json.source->allocator; }

// Joints.

/// A product of row lengths times this is as good as 0: the inverse would lose all digits of a float.
static const double singular = 1e-9;

static bool is_singular(const double m[12]) {
    const double det =
        m[0] * (m[5] * m[10] - m[6] * m[9]) - m[1] * (m[4] * m[10] - m[6] * m[8]) + m[2] * (m[4] * m[9] - m[5] * m[8]);
    double size = 1;
    for (int row = 0; row < 3; row++)
        size *= sqrt(m[4 * row] * m[4 * row] + m[4 * row + 1] * m[4 * row + 1] + m[4 * row + 2] * m[4 * row + 2]);
    return !(fabs(det) > singular * size && isfinite(det + m[3] + m[7] + m[11]));
}

static toc_status read_bind_matrix(const toc_gltf *file, const toc_accessor *matrices, size_t joint, double to[12]) {
    static const double unit[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    double m[16];
    memcpy(to, unit, sizeof unit);
    if (matrices->count == 0) return TOC_OK;
    toc_accessor_read(matrices, joint, 1, m);
    for (int i = 0; i < 12; i++) to[i] = m[4 * (i % 4) + i / 4]; // stored by columns
    if (!is_singular(to)) return TOC_OK;
    return toc_accessor_fail(file, matrices, joint, "an inverse bind matrix that is singular or not finite");
}

static toc_status add_joint(toc_gltf_scene *scene, toc_json_id at, const toc_accessor *matrices, size_t joint) {
    const toc_json *json = &scene->file->json;
    uint64_t node;
    TOC_TRY(toc_json_as_count(json, at, "joint", &node));
    if (node >= scene->places.count)
        return toc_json_fail(json, at, "the joint is node %llu, but there are %zu", (unsigned long long)node,
                             scene->places.count);
    if (scene->places.at[node] == UINT32_MAX)
        return toc_json_fail(json, at, "the joint is node %llu, which is not in the scene", (unsigned long long)node);
    TOC_TRY(toc_array_reserve(skin_memory(scene), &scene->joints, 1));
    toc_gltf_joint *to = &scene->joints.at[scene->joints.count];
    to->node = scene->places.at[node];
    TOC_TRY(read_bind_matrix(scene->file, matrices, joint, to->inverse_bind));
    scene->joints.count++;
    return TOC_OK;
}

static toc_status open_skin(toc_gltf_scene *scene, toc_json_id id) {
    const toc_json *json = &scene->file->json;
    const toc_json_id list = toc_json_member(json, id, "joints");
    toc_gltf_skin skin = {.id = id, .first = scene->joints.count, .count = toc_json_length(json, list)};
    toc_accessor matrices;
    if (skin.count == 0) return toc_json_fail(json, id, "a skin without joints");
    TOC_TRY(toc_accessor_open(scene->file, id, "inverseBindMatrices", 16, &matrices));
    if (matrices.count > 0 && (matrices.count < skin.count || matrices.type != TOC_FLOAT32))
        return toc_json_fail(json, matrices.id, "%zu inverse bind matrices for %zu joints, or not of floats",
                             matrices.count, skin.count);
    size_t joint = 0;
    for (toc_json_id i = toc_json_first(json, list); i != TOC_JSON_NONE; i = toc_json_next(json, list, i))
        TOC_TRY(add_joint(scene, i, &matrices, joint++));
    TOC_TRY(toc_array_reserve(skin_memory(scene), &scene->skins, 1));
    scene->skins.at[scene->skins.count++] = skin;
    return TOC_OK;
}

/// The skin of a node, opened on first use.
static toc_status find_skin(toc_gltf_scene *scene, const toc_gltf_node *node, size_t *out) {
    toc_json_id id;
    TOC_TRY(toc_gltf_follow(scene->file, node->id, "skin", &scene->file->skins, &id));
    for (*out = 0; *out < scene->skins.count; ++*out)
        if (scene->skins.at[*out].id == id) return TOC_OK;
    return open_skin(scene, id);
}

// Influences.

static void set_names(int set, char joints[24], char weights[24]) {
    assert(set >= 0);
    snprintf(joints, 24, "JOINTS_%d", set);
    snprintf(weights, 24, "WEIGHTS_%d", set);
}

static toc_status check_set(const influence_reader *reader, toc_json_id attributes, size_t vertices,
                            const toc_accessor *joints, const toc_accessor *weights) {
    const toc_json *json = &reader->file->json;
    if (joints->count != vertices || weights->count != vertices)
        return toc_json_fail(json, attributes, "%zu joints and %zu weights for %zu vertices", joints->count,
                             weights->count, vertices);
    if (joints->normalized || (joints->type != TOC_UINT8 && joints->type != TOC_UINT16 && joints->type != TOC_UINT32))
        return toc_json_fail(json, joints->id, "joints are not unsigned integers");
    if (weights->type != TOC_FLOAT32 && !weights->normalized)
        return toc_json_fail(json, weights->id, "weights are neither floats nor normalized integers");
    return TOC_OK;
}

static toc_status open_sets(toc_gltf_scene *scene, toc_json_id attributes, size_t vertices, influence_reader *reader) {
    char joints[24], weights[24];
    for (int set = 0; set <= MOST_SETS; set++) {
        set_names(set, joints, weights);
        if (toc_json_member(&reader->file->json, attributes, joints) == TOC_JSON_NONE) break;
        if (set == MOST_SETS)
            return toc_json_fail(&reader->file->json, attributes, "more than %d joints a vertex", MOST_INFLUENCES);
        toc_accessor *j = &reader->joints[set], *w = &reader->weights[set];
        TOC_TRY(toc_accessor_open(scene->file, attributes, joints, 4, j));
        TOC_TRY(toc_accessor_open(scene->file, attributes, weights, 4, w));
        TOC_TRY(check_set(reader, attributes, vertices, j, w));
        reader->sets++;
    }
    if (reader->sets > 0) return TOC_OK;
    return toc_json_fail(&reader->file->json, attributes, "the node has a skin, but its mesh has no JOINTS_0");
}

/// Add a weight to a list in the order of joints.
static void insert_influence(toc_gltf_influence *list, size_t *count, toc_gltf_influence one) {
    assert(list && count);
    size_t i = *count;
    while (i > 0 && list[i - 1].joint > one.joint) i--;
    if (i > 0 && list[i - 1].joint == one.joint) {
        list[i - 1].weight += one.weight;
        return;
    }
    memmove(list + i + 1, list + i, (*count - i) * sizeof *list);
    list[i] = one;
    ++*count;
}

static toc_status read_influence_set(const influence_reader *reader, size_t set, size_t vertex,
                                     toc_gltf_influence *list, size_t *count) {
    double joints[4], weights[4];
    toc_accessor_read(&reader->joints[set], vertex, 1, joints);
    toc_accessor_read(&reader->weights[set], vertex, 1, weights);
    for (int k = 0; k < 4; k++) {
        if (!(weights[k] >= 0 && isfinite(weights[k])))
            return toc_accessor_fail(reader->file, &reader->weights[set], vertex, "a weight is negative or no number");
        if (weights[k] == 0) continue;
        if (joints[k] >= (double)reader->skin->count) {
            char sentence[96];
            snprintf(sentence, sizeof sentence, "joint %.0f is used, but the skin has %zu", joints[k],
                     reader->skin->count);
            return toc_accessor_fail(reader->file, &reader->joints[set], vertex, sentence);
        }
        const uint32_t joint = (uint32_t)(reader->skin->first + (size_t)joints[k]);
        insert_influence(list, count, (toc_gltf_influence){joint, weights[k]});
    }
    return TOC_OK;
}

/// @param scaled counts vertices whose weights did not sum to 1.
static toc_status read_vertex(const influence_reader *reader, size_t vertex, toc_gltf_influence *list, size_t *count,
                              size_t *scaled) {
    double sum = 0;
    *count = 0;
    for (size_t set = 0; set < reader->sets; set++) TOC_TRY(read_influence_set(reader, set, vertex, list, count));
    for (size_t i = 0; i < *count; i++) sum += list[i].weight;
    if (!(sum > 0 && isfinite(sum))) {
        char sentence[96];
        snprintf(sentence, sizeof sentence, "the weights of vertex %zu sum to %g, not to 1", vertex, sum);
        return toc_accessor_fail(reader->file, &reader->weights[0], vertex, sentence);
    }
    for (size_t i = 0; i < *count; i++) list[i].weight /= sum;
    *scaled += fabs(sum - 1) > sum_slack ? 1 : 0;
    return TOC_OK;
}

static toc_status read_influences(toc_gltf_scene *scene, toc_gltf_node *node, const toc_gltf_block *block,
                                  const toc_gltf_skin *skin) {
    influence_reader reader = {.file = scene->file, .skin = skin};
    TOC_TRY(open_sets(scene, block->attributes, block->positions.count, &reader));
    for (size_t i = 0; i < block->positions.count; i++) {
        size_t count;
        TOC_TRY(toc_array_reserve(skin_memory(scene), &scene->influences, MOST_INFLUENCES));
        TOC_TRY(
            read_vertex(&reader, i, scene->influences.at + scene->influences.count, &count, &scene->scaled_weights));
        scene->influences.count += count;
        scene->influence_ends.at[block->first + i] = scene->influences.count;
        if (count > node->influences) node->influences = count;
    }
    return TOC_OK;
}

static toc_status skin_node(toc_gltf_scene *scene, toc_gltf_node *node) {
    size_t skin = 0;
    if (node->skinned && node->block_count > 0) TOC_TRY(find_skin(scene, node, &skin));
    for (size_t i = 0; i < node->block_count; i++) {
        const toc_gltf_block *block = &scene->blocks.at[node->blocks + i];
        if (node->skinned) {
            TOC_TRY(read_influences(scene, node, block, &scene->skins.at[skin]));
            continue;
        }
        for (size_t k = 0; k < block->positions.count; k++)
            scene->influence_ends.at[block->first + k] = scene->influences.count;
    }
    return TOC_OK;
}

toc_status toc_gltf_skins_open(toc_gltf_scene *scene) {
    bool any = false;
    for (size_t i = 0; i < scene->nodes.count; i++) any |= scene->nodes.at[i].skinned;
    if (!any) return TOC_OK;
    TOC_TRY(toc_array_reserve(skin_memory(scene), &scene->influence_ends, scene->vertex_count));
    scene->influence_ends.count = scene->vertex_count;
    for (size_t i = 0; i < scene->nodes.count; i++) TOC_TRY(skin_node(scene, &scene->nodes.at[i]));
    for (size_t i = 0; i < scene->joints.count; i++) scene->nodes.at[scene->joints.at[i].node].carries = true;
    return TOC_OK;
}

/// The accessor of an attribute; UINT64_MAX without one.
static uint64_t attribute_of(const toc_gltf *file, toc_json_id attributes, const char *name) {
    uint64_t index;
    return toc_json_count(&file->json, attributes, name, UINT64_MAX, &index) == TOC_OK ? index : UINT64_MAX;
}

bool toc_gltf_skin_is_same(const toc_gltf *file, toc_json_id attributes, toc_json_id other) {
    char joints[24], weights[24];
    for (int set = 0; set < MOST_SETS; set++) {
        set_names(set, joints, weights);
        if (attribute_of(file, attributes, joints) != attribute_of(file, other, joints)) return false;
        if (attribute_of(file, attributes, weights) != attribute_of(file, other, weights)) return false;
    }
    return true;
}

// Poses.

void toc_gltf_skins_pose(toc_gltf_scene *scene) {
    for (size_t i = 0; i < scene->joints.count; i++) {
        toc_gltf_joint *joint = &scene->joints.at[i];
        toc_gltf_matrix_multiply(scene->nodes.at[joint->node].world, joint->inverse_bind, joint->matrix);
    }
}

void toc_gltf_skin_apply(const toc_gltf_scene *scene, size_t first, size_t count, double *x) {
    assert(first + count <= scene->influence_ends.count);
    for (size_t v = first; v < first + count; v++, x += 3) {
        double sum[12] = {0}, from[3];
        const size_t end = scene->influence_ends.at[v];
        for (size_t i = v > 0 ? scene->influence_ends.at[v - 1] : 0; i < end; i++) {
            const toc_gltf_influence *one = &scene->influences.at[i];
            for (int k = 0; k < 12; k++) sum[k] += one->weight * scene->joints.at[one->joint].matrix[k];
        }
        memcpy(from, x, sizeof from);
        toc_gltf_matrix_apply(sum, from, x);
    }
}
