// SPDX-License-Identifier: Apache-2.0
// A glTF file as a character: its mesh in the bind pose, joints, weights, and poses of its clips.
//
// Nodes with a mesh and without a skin become joints: their bind pose is their place in the scene at rest. Clips are
// opened on first use and kept.
#include <math.h>

#include "io/core/format.h"
#include "io/core/memory_limit.h"
#include "io/gltf/animation.h"
#include "io/gltf/gltf.h"
#include "io/gltf/skin.h"
#include "mesh/mesh.h"

/// A joint of the rig: of a skin, or a node.
typedef struct rig_joint {
    toc_rig_joint public;
    uint32_t node;
    size_t name; // where it begins among the names
} rig_joint;

struct toc_rig {
    toc_limited head;
    toc_source source;
    toc_gltf file;
    toc_gltf_scene scene;
    toc_gltf_clips clips;
    toc_mesh *mesh;
    TOC_ARRAY(rig_joint) joints;
    TOC_ARRAY(char) names;
    TOC_ARRAY(toc_rig_weight) weights;
    TOC_ARRAY(size_t) weight_ends;
    toc_gltf_animation animation; // of the clip that is open
    size_t open_clip;             // SIZE_MAX for none
    bool source_is_open, file_is_open;
};

static toc_status add_joint_name(toc_rig *rig, toc_json_id node, size_t *out) {
    enum { MOST_OF_NAME = 256 };
    const toc_json *json = &rig->file.json;
    const toc_json_id name = toc_json_member(json, node, "name");
    const bool named =
        toc_json_kind_of(json, name) == TOC_JSON_STRING && toc_json_text(json, name, NULL) < MOST_OF_NAME;
    TOC_TRY(toc_array_reserve(&rig->head.memory, &rig->names, MOST_OF_NAME));
    char *to = rig->names.at + rig->names.count;
    to[0] = 0;
    if (named) toc_json_text(json, name, to);
    *out = rig->names.count;
    rig->names.count += strlen(to) + 1;
    return TOC_OK;
}

static toc_status add_rig_joint(toc_rig *rig, uint32_t node, const double inverse_bind[12]) {
    TOC_TRY(toc_array_reserve(&rig->head.memory, &rig->joints, 1));
    rig_joint *joint = &rig->joints.at[rig->joints.count];
    *joint = (rig_joint){.node = node};
    memcpy(joint->public.inverse_bind, inverse_bind, 12 * sizeof *inverse_bind);
    TOC_TRY(add_joint_name(rig, rig->scene.nodes.at[node].id, &joint->name));
    rig->joints.count++;
    return TOC_OK;
}

/// The inverse of an affine matrix. False for one without.
static bool invert_matrix(const double m[12], double out[12]) {
    double c[9];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const double *a = m + 4 * ((j + 1) % 3), *b = m + 4 * ((j + 2) % 3);
            c[3 * i + j] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
        }
    const double det = m[0] * c[0] + m[1] * c[3] + m[2] * c[6];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) out[4 * i + j] = c[3 * i + j] / det;
        out[4 * i + 3] = -(c[3 * i] * m[3] + c[3 * i + 1] * m[7] + c[3 * i + 2] * m[11]) / det;
    }
    double all = 0;
    for (int i = 0; i < 12; i++) all += out[i] - out[i];
    return det != 0 && all == 0;
}

/// Nodes without a skin, each a joint that moves its vertices alone.
static toc_status add_node_joints(toc_rig *rig, uint32_t *joint_of) {
    toc_gltf_scene *scene = &rig->scene;
    for (uint32_t i = 0; i < scene->nodes.count; i++) {
        double inverse[12];
        joint_of[i] = UINT32_MAX;
        if (scene->nodes.at[i].skinned || scene->nodes.at[i].block_count == 0) continue;
        if (!invert_matrix(scene->nodes.at[i].world, inverse))
            return toc_json_fail(&rig->file.json, scene->nodes.at[i].id, "a node with a singular matrix");
        joint_of[i] = (uint32_t)rig->joints.count;
        TOC_TRY(add_rig_joint(rig, i, inverse));
    }
    return TOC_OK;
}

static toc_status add_rig_weights(toc_rig *rig, const uint32_t *joint_of) {
    const toc_gltf_scene *scene = &rig->scene;
    TOC_TRY(toc_array_reserve(&rig->head.memory, &rig->weight_ends, scene->vertex_count));
    TOC_TRY(toc_array_reserve(&rig->head.memory, &rig->weights, scene->influences.count + scene->vertex_count));
    for (size_t b = 0; b < scene->blocks.count; b++) {
        const toc_gltf_block *block = &scene->blocks.at[b];
        for (size_t v = block->first; v < block->first + block->positions.count; v++) {
            const uint32_t own = joint_of[block->node];
            if (own != UINT32_MAX) rig->weights.at[rig->weights.count++] = (toc_rig_weight){own, 1};
            const size_t end = scene->influence_ends.at[v];
            for (size_t i = v > 0 ? scene->influence_ends.at[v - 1] : 0; i < end; i++)
                rig->weights.at[rig->weights.count++] =
                    (toc_rig_weight){scene->influences.at[i].joint, scene->influences.at[i].weight};
            rig->weight_ends.at[rig->weight_ends.count++] = rig->weights.count;
        }
    }
    return TOC_OK;
}

/// The first joint of the nearest node above that has one.
static void find_rig_parents(toc_rig *rig, uint32_t *joint_of) {
    const toc_gltf_scene *scene = &rig->scene;
    for (size_t i = 0; i < scene->nodes.count; i++) joint_of[i] = UINT32_MAX;
    for (size_t i = rig->joints.count; i-- > 0;) joint_of[rig->joints.at[i].node] = (uint32_t)i;
    for (size_t i = 0; i < rig->joints.count; i++) {
        uint32_t node = scene->nodes.at[rig->joints.at[i].node].parent;
        while (node != UINT32_MAX && joint_of[node] == UINT32_MAX) node = scene->nodes.at[node].parent;
        rig->joints.at[i].public.parent = node == UINT32_MAX ? UINT32_MAX : joint_of[node];
    }
}

static toc_status fill_skeleton(toc_rig *rig) {
    toc_gltf_scene *scene = &rig->scene;
    uint32_t *joint_of = toc_new(&rig->head.memory, scene->nodes.count, sizeof *joint_of);
    toc_status status = joint_of ? TOC_OK : TOC_OUT_OF_MEMORY;
    for (size_t i = 0; i < scene->joints.count && status == TOC_OK; i++)
        status = add_rig_joint(rig, scene->joints.at[i].node, scene->joints.at[i].inverse_bind);
    if (status == TOC_OK) status = add_node_joints(rig, joint_of);
    if (status == TOC_OK) status = add_rig_weights(rig, joint_of);
    if (status == TOC_OK) find_rig_parents(rig, joint_of);
    toc_free(&rig->head.memory, joint_of, scene->nodes.count, sizeof *joint_of);
    return status;
}

static toc_status fill_rig(toc_rig *rig, const char *path) {
    TOC_TRY(toc_source_open(path, &rig->head.memory, &rig->source));
    rig->source_is_open = true;
    // The asset of a .gltf may stand far behind its beginning: the extension is enough.
    if (!toc_gltf_recognise(&rig->source) && toc_format_of_packed_path(path) != &toc_format_gltf)
        return toc_fail(TOC_BAD_INPUT, "%s: not glTF; characters are read from .glb and .gltf", path);
    rig->file_is_open = true;
    TOC_TRY(toc_gltf_open(&rig->source, &rig->file));
    TOC_TRY(toc_gltf_scene_build(&rig->file, &rig->scene));
    TOC_TRY(toc_gltf_animation_list(&rig->file, &rig->clips));
    if (rig->scene.joints.count == 0) return toc_fail(TOC_BAD_INPUT, "%s: has no skin, so no skeleton moves it", path);
    rig->scene.bind_pose = true;
    TOC_TRY(toc_mesh_create(&rig->head.memory, &rig->mesh));
    TOC_TRY(toc_gltf_mesh_make(&rig->scene, true, rig->mesh));
    rig->mesh->allocator = rig->head.limit.inner; // copies of the mesh take it over, and outlive the rig
    TOC_TRY(fill_skeleton(rig));
    return toc_gltf_is_settled(&rig->file);
}

toc_status toc_rig_read(const char *path, const toc_read_options *options, toc_rig **out) {
    TOC_NEED(path);
    TOC_NEED(out);
    void *made;
    TOC_TRY(toc_memory_limited_new(options, sizeof(toc_rig), &made));
    toc_rig *rig = made;
    rig->open_clip = SIZE_MAX;
    const toc_status status = toc_memory_limit_explain(&rig->head.limit, fill_rig(rig, path), path);
    if (status != TOC_OK) {
        toc_rig_destroy(rig);
        return toc_fail_file(status, path);
    }
    *out = rig;
    return TOC_OK;
}

void toc_rig_destroy(toc_rig *rig) {
    if (!rig) return;
    const toc_allocator inner = rig->head.limit.inner, *memory = &rig->head.memory;
    toc_mesh_destroy(rig->mesh);
    toc_gltf_animation_free(&rig->animation, memory);
    toc_gltf_clips_free(&rig->clips, memory);
    toc_array_free(memory, &rig->joints);
    toc_array_free(memory, &rig->names);
    toc_array_free(memory, &rig->weights);
    toc_array_free(memory, &rig->weight_ends);
    if (rig->scene.file) toc_gltf_scene_free(&rig->scene);
    if (rig->file_is_open) toc_gltf_free(&rig->file);
    if (rig->source_is_open) toc_source_close(&rig->source);
    toc_free(&inner, rig, 1, sizeof *rig);
}

const toc_mesh *toc_rig_get_mesh(const toc_rig *rig) { return rig ? rig->mesh : NULL; }
size_t toc_rig_get_joint_count(const toc_rig *rig) { return rig ? rig->joints.count : 0; }

size_t toc_rig_get_morph_count(const toc_rig *rig) {
    size_t count = 0;
    for (size_t i = 0; rig && i < rig->scene.nodes.count; i++) count += rig->scene.nodes.at[i].targets;
    return count;
}

toc_rig_joint toc_rig_get_joint(const toc_rig *rig, size_t joint) {
    if (joint >= toc_rig_get_joint_count(rig)) return (toc_rig_joint){.name = "", .parent = UINT32_MAX};
    toc_rig_joint found = rig->joints.at[joint].public;
    found.name = rig->names.at + rig->joints.at[joint].name;
    return found;
}

const toc_rig_weight *toc_rig_get_weights(const toc_rig *rig, size_t vertex, size_t *count) {
    if (count) *count = 0;
    if (!rig || vertex >= rig->weight_ends.count) return NULL;
    const size_t first = vertex > 0 ? rig->weight_ends.at[vertex - 1] : 0;
    if (count) *count = rig->weight_ends.at[vertex] - first;
    return rig->weights.at + first;
}

/// Open a clip, unless it is open.
static toc_status open_clip(toc_rig *rig, size_t clip) {
    if (rig->open_clip == clip) return TOC_OK;
    const toc_frame_wish wish = {.rate = 1, .clip = rig->clips.names.at + rig->clips.list.at[clip].name};
    toc_gltf_animation_free(&rig->animation, &rig->head.memory);
    rig->animation = (toc_gltf_animation){0};
    rig->open_clip = SIZE_MAX;
    TOC_TRY(toc_gltf_animation_open(&rig->scene, &rig->clips, &wish, &rig->animation));
    rig->open_clip = clip;
    return TOC_OK;
}

size_t toc_rig_get_clip_count(const toc_rig *rig) { return rig ? rig->clips.list.count : 0; }

const char *toc_rig_get_clip(const toc_rig *rig, size_t clip) {
    return clip < toc_rig_get_clip_count(rig) ? rig->clips.names.at + rig->clips.list.at[clip].name : NULL;
}

toc_status toc_rig_find_clip(const toc_rig *rig, const char *name, size_t *clip) {
    TOC_NEED(rig);
    TOC_NEED(name);
    TOC_NEED(clip);
    size_t found;
    TOC_TRY(toc_gltf_clips_find(&rig->clips, name, &found));
    *clip = found;
    return TOC_OK;
}

static toc_status check_clip(const toc_rig *rig, size_t clip) {
    if (clip < rig->clips.list.count) return TOC_OK;
    return toc_fail(TOC_BAD_INPUT, "there is no clip %zu; there are %zu", clip, rig->clips.list.count);
}

toc_status toc_rig_find_times(toc_rig *rig, size_t clip, double *start, double *end) {
    TOC_NEED(rig);
    TOC_NEED(start);
    TOC_NEED(end);
    TOC_TRY(check_clip(rig, clip));
    toc_memory_limit_restart(&rig->head.limit);
    TOC_TRY(open_clip(rig, clip));
    *start = rig->animation.channels.count > 0 ? rig->animation.start : 0;
    *end = rig->animation.channels.count > 0 ? rig->animation.end : 0;
    return TOC_OK;
}

toc_status toc_rig_pose(toc_rig *rig, size_t clip, double time, double *matrices) {
    TOC_NEED(rig);
    TOC_NEED(matrices);
    toc_gltf_scene *scene = &rig->scene;
    if (clip == SIZE_MAX) {
        toc_gltf_scene_rest(scene);
    } else {
        TOC_TRY(check_clip(rig, clip));
        if (!isfinite(time)) return toc_fail(TOC_BAD_INPUT, "the time of a pose is not finite");
        toc_memory_limit_restart(&rig->head.limit);
        TOC_TRY(open_clip(rig, clip));
        toc_gltf_animation_pose(&rig->animation, time, scene);
    }
    toc_gltf_scene_place(scene);
    for (size_t i = 0; i < rig->joints.count; i++) {
        const rig_joint *joint = &rig->joints.at[i];
        toc_gltf_matrix_multiply(scene->nodes.at[joint->node].world, joint->public.inverse_bind, matrices + 12 * i);
    }
    return toc_gltf_is_settled(&rig->file);
}
