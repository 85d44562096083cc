// SPDX-License-Identifier: Apache-2.0
// A glTF file as a character: its mesh in the bind pose, joints, weights, and poses of its clips.
//
// All skins share the bind pose of the first one. Another skin with a joint of it has its place relative to this joint;
// one without is placed as in the scene at rest. Joints that skins share are then the same. Nodes with a mesh and
// without a skin become joints: their bind pose is their place at rest. A file without skins is a character if morph
// targets move it. Clips are opened on first use and kept.
#include <assert.h>
#include <math.h>

#include "base/arithmetic.h"
#include "io/core/format.h"
#include "io/core/memory_limit.h"
#include "io/gltf/animation.h"
#include "io/gltf/gltf.h"
#include "io/gltf/skin.h"
#include "mesh/mesh.h"

/// Where a joint comes from: its node, and where its name begins among the names.
typedef struct rig_origin {
    uint32_t node;
    size_t name;
} rig_origin;

typedef struct rig_file {
    toc_limited head;
    toc_rig shown; // what the caller sees
    toc_source source;
    toc_gltf file;
    toc_gltf_scene scene;
    toc_gltf_clips clips;
    toc_mesh *mesh;
    TOC_ARRAY(toc_rig_joint) joints; // of skins, then of nodes
    TOC_ARRAY(rig_origin) origins;   // by joint
    TOC_ARRAY(char) names;
    TOC_ARRAY(const char *) clip_names;
    TOC_ARRAY(toc_rig_weight) weights;
    TOC_ARRAY(size_t) weight_ends;
    TOC_ARRAY(double) block_maps; // 12 a block of the scene: from its accessors to the bind pose
    toc_gltf_animation animation; // of the clip that is open
    size_t open_clip;             // SIZE_MAX for none
    bool source_is_open, file_is_open;
} rig_file;

static rig_file *rig_of(const toc_rig *shown) {
    return (rig_file *)(void *)((const char *)shown - offsetof(rig_file, shown));
}

static toc_status add_joint_name(rig_file *rig, toc_json_id node, size_t *out) {
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

static toc_status add_rig_joint(rig_file *rig, uint32_t node, const double inverse_bind[12]) {
    TOC_TRY(toc_array_reserve(&rig->head.memory, &rig->joints, 1));
    TOC_TRY(toc_array_reserve(&rig->head.memory, &rig->origins, 1));
    rig_origin origin = {.node = node};
    assert(node < rig->scene.nodes.count);
    TOC_TRY(add_joint_name(rig, rig->scene.nodes.at[node].id, &origin.name));
    toc_rig_joint *joint = &rig->joints.at[rig->joints.count++];
    *joint = (toc_rig_joint){.parent = UINT32_MAX};
    memcpy(joint->inverse_bind, inverse_bind, 12 * sizeof *inverse_bind);
    rig->origins.at[rig->origins.count++] = origin;
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
static toc_status add_node_joints(rig_file *rig, const double scene_map[12], uint32_t *joint_of) {
    toc_gltf_scene *scene = &rig->scene;
    for (uint32_t i = 0; i < scene->nodes.count; i++) {
        double inverse[12], placed[12];
        joint_of[i] = UINT32_MAX;
        if (scene->nodes.at[i].skinned || scene->nodes.at[i].block_count == 0) continue;
        toc_gltf_matrix_multiply(scene_map, scene->nodes.at[i].world, placed);
        if (!invert_matrix(placed, inverse))
            return toc_json_fail(&rig->file.json, scene->nodes.at[i].id, "a node with a singular matrix");
        joint_of[i] = (uint32_t)rig->joints.count;
        TOC_TRY(add_rig_joint(rig, i, inverse));
    }
    return TOC_OK;
}

// ---- one bind pose for all skins

static const double unit_matrix[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};

/// Matrices that differ by rounding alone.
static bool same_matrix(const double a[12], const double b[12]) {
    static const double slack = 1e-5; // files store single precision
    double most = 0, apart = 0;
    for (int i = 0; i < 12; i++) {
        most = fmax(most, fmax(fabs(a[i]), fabs(b[i])));
        apart = fmax(apart, fabs(a[i] - b[i]));
    }
    return apart <= slack * most;
}

/// From the scene at rest into the bind pose of the first skin.
static void find_scene_map(const toc_gltf_scene *scene, double out[12]) {
    memcpy(out, unit_matrix, sizeof unit_matrix);
    if (scene->joints.count == 0) return;
    const toc_gltf_joint *first = &scene->joints.at[0];
    double placed[12];
    toc_gltf_matrix_multiply(scene->nodes.at[first->node].world, first->inverse_bind, placed);
    if (!invert_matrix(placed, out) || same_matrix(out, unit_matrix)) memcpy(out, unit_matrix, sizeof unit_matrix);
}

/// A joint of an earlier skin that is the same node; SIZE_MAX for none.
static size_t find_shared_joint(const toc_gltf_scene *scene, const toc_gltf_skin *skin, size_t *own) {
    for (size_t i = 0; i < skin->first; i++)
        for (*own = skin->first; *own < skin->first + skin->count; ++*own)
            if (scene->joints.at[*own].node == scene->joints.at[i].node) return i;
    return SIZE_MAX;
}

static size_t skin_of_joint(const toc_gltf_scene *scene, size_t joint) {
    size_t s = 0;
    assert(joint < scene->joints.count);
    while (joint >= scene->skins.at[s].first + scene->skins.at[s].count) s++;
    return s;
}

/// From the bind pose of each skin into that of the first one, 12 numbers each.
static void find_skin_maps(const toc_gltf_scene *scene, const double scene_map[12], double *maps) {
    for (size_t s = 0; s < scene->skins.count; s++) {
        size_t own = scene->skins.at[s].first;
        double *map = maps + 12 * s, inverse[12], step[12];
        const size_t shared = find_shared_joint(scene, &scene->skins.at[s], &own);
        memcpy(map, unit_matrix, sizeof unit_matrix);
        if (s == 0) continue;
        if (shared != SIZE_MAX && invert_matrix(scene->joints.at[shared].inverse_bind, inverse)) {
            toc_gltf_matrix_multiply(inverse, scene->joints.at[own].inverse_bind, step);
            toc_gltf_matrix_multiply(maps + 12 * skin_of_joint(scene, shared), step, map);
        } else {
            const toc_gltf_joint *first = &scene->joints.at[scene->skins.at[s].first];
            toc_gltf_matrix_multiply(scene->nodes.at[first->node].world, first->inverse_bind, step);
            toc_gltf_matrix_multiply(scene_map, step, map);
        }
        if (same_matrix(map, unit_matrix)) memcpy(map, unit_matrix, sizeof unit_matrix);
    }
}

/// The inverse bind matrix behind a map of the bind pose.
static void map_inverse_bind(const double map[12], const double inverse_bind[12], double out[12]) {
    double back[12];
    if (memcmp(map, unit_matrix, sizeof unit_matrix) != 0 && invert_matrix(map, back))
        toc_gltf_matrix_multiply(inverse_bind, back, out);
    else
        memcpy(out, inverse_bind, sizeof unit_matrix);
}

/// The joints of all skins, each node once: `rig_joint_of` by joint of the scene.
static toc_status add_skin_joints(rig_file *rig, const double *maps, uint32_t *rig_joint_of) {
    const toc_gltf_scene *scene = &rig->scene;
    for (size_t i = 0; i < scene->joints.count; i++) {
        double inverse_bind[12];
        size_t same = 0;
        map_inverse_bind(maps + 12 * skin_of_joint(scene, i), scene->joints.at[i].inverse_bind, inverse_bind);
        while (same < rig->joints.count && (rig->origins.at[same].node != scene->joints.at[i].node ||
                                            !same_matrix(rig->joints.at[same].inverse_bind, inverse_bind)))
            same++;
        rig_joint_of[i] = (uint32_t)same;
        if (same == rig->joints.count) TOC_TRY(add_rig_joint(rig, scene->joints.at[i].node, inverse_bind));
    }
    return TOC_OK;
}

/// Behind the last influence of a vertex; 0 in a scene without skins.
static size_t influence_end(const toc_gltf_scene *scene, size_t vertex) {
    return scene->influence_ends.count > 0 ? scene->influence_ends.at[vertex] : 0;
}

static size_t influence_begin(const toc_gltf_scene *scene, size_t vertex) {
    return vertex > 0 ? influence_end(scene, vertex - 1) : 0;
}

/// From the scene or the skin of a block into the bind pose of the first skin. All its vertices have one skin, or none.
static const double *map_of_block(const toc_gltf_scene *scene, const toc_gltf_block *block, const double scene_map[12],
                                  const double *maps) {
    const size_t begin = influence_begin(scene, block->first);
    if (begin == influence_end(scene, block->first)) return scene_map;
    return maps + 12 * skin_of_joint(scene, scene->influences.at[begin].joint);
}

/// Move the vertices of a block into the bind pose of the first skin.
static void place_block(const toc_gltf_block *block, const double map[12], double *x) {
    if (memcmp(map, unit_matrix, sizeof unit_matrix) == 0) return;
    for (size_t v = block->first; v < block->first + block->positions.count; v++) {
        double from[3];
        memcpy(from, x + 3 * v, sizeof from);
        toc_gltf_matrix_apply(map, from, x + 3 * v);
    }
}

/// Remember how displacements of a block come into the bind pose.
static toc_status keep_block_map(rig_file *rig, const toc_gltf_block *block, const double map[12]) {
    const toc_gltf_node *node = &rig->scene.nodes.at[block->node];
    TOC_TRY(toc_array_reserve(&rig->head.memory, &rig->block_maps, 12));
    toc_gltf_matrix_multiply(map, node->skinned ? unit_matrix : node->world,
                             rig->block_maps.at + rig->block_maps.count);
    rig->block_maps.count += 12;
    return TOC_OK;
}

static toc_status place_mesh(rig_file *rig, const double scene_map[12], const double *maps) {
    const size_t count = toc_mesh_get_vertex_count(rig->mesh);
    double *x = toc_new(&rig->head.memory, count, 3 * sizeof *x);
    if (!x) return TOC_OUT_OF_MEMORY;
    assert(count == rig->scene.vertex_count);
    memcpy(x, toc_mesh_get_x1(rig->mesh), 3 * count * sizeof *x);
    toc_status status = TOC_OK;
    for (size_t b = 0; b < rig->scene.blocks.count && status == TOC_OK; b++) {
        const toc_gltf_block *block = &rig->scene.blocks.at[b];
        const double *map = map_of_block(&rig->scene, block, scene_map, maps);
        place_block(block, map, x);
        status = keep_block_map(rig, block, map);
    }
    if (status == TOC_OK) status = toc_mesh_set_motion(rig->mesh, count, x, x);
    toc_free(&rig->head.memory, x, count, 3 * sizeof *x);
    return status;
}

static toc_status add_rig_weights(rig_file *rig, const uint32_t *joint_of, const uint32_t *rig_joint_of) {
    const toc_gltf_scene *scene = &rig->scene;
    TOC_TRY(toc_array_reserve(&rig->head.memory, &rig->weight_ends, scene->vertex_count));
    TOC_TRY(toc_array_reserve(&rig->head.memory, &rig->weights, scene->influences.count + scene->vertex_count));
    for (size_t b = 0; b < scene->blocks.count; b++) {
        const toc_gltf_block *block = &scene->blocks.at[b];
        for (size_t v = block->first; v < block->first + block->positions.count; v++) {
            const uint32_t own = joint_of[block->node];
            assert(v == rig->weight_ends.count);
            if (own != UINT32_MAX) rig->weights.at[rig->weights.count++] = (toc_rig_weight){own, 1};
            const size_t end = influence_end(scene, v);
            for (size_t i = influence_begin(scene, v); i < end; i++)
                rig->weights.at[rig->weights.count++] =
                    (toc_rig_weight){rig_joint_of[scene->influences.at[i].joint], scene->influences.at[i].weight};
            rig->weight_ends.at[rig->weight_ends.count++] = rig->weights.count;
        }
    }
    return TOC_OK;
}

/// The first joint of the nearest node above that has one.
static void find_rig_parents(rig_file *rig, uint32_t *joint_of) {
    const toc_gltf_scene *scene = &rig->scene;
    for (size_t i = 0; i < scene->nodes.count; i++) joint_of[i] = UINT32_MAX;
    for (size_t i = rig->joints.count; i-- > 0;) joint_of[rig->origins.at[i].node] = (uint32_t)i;
    for (size_t i = 0; i < rig->joints.count; i++) {
        uint32_t node = scene->nodes.at[rig->origins.at[i].node].parent;
        while (node != UINT32_MAX && joint_of[node] == UINT32_MAX) node = scene->nodes.at[node].parent;
        rig->joints.at[i].parent = node == UINT32_MAX ? UINT32_MAX : joint_of[node];
    }
}

/// The maps that bring the skins and the scene into one bind pose, and the numbers of joints by node.
typedef struct rig_spaces {
    double scene_map[12], *maps;
    uint32_t *rig_joint_of, *joint_of;
} rig_spaces;

static toc_status fill_skeleton(rig_file *rig, rig_spaces *to) {
    toc_gltf_scene_rest(&rig->scene);
    toc_gltf_scene_place(&rig->scene);
    find_scene_map(&rig->scene, to->scene_map);
    find_skin_maps(&rig->scene, to->scene_map, to->maps);
    TOC_TRY(add_skin_joints(rig, to->maps, to->rig_joint_of));
    TOC_TRY(add_node_joints(rig, to->scene_map, to->joint_of));
    TOC_TRY(add_rig_weights(rig, to->joint_of, to->rig_joint_of));
    find_rig_parents(rig, to->joint_of);
    return place_mesh(rig, to->scene_map, to->maps);
}

static toc_status make_skeleton(rig_file *rig) {
    const toc_gltf_scene *scene = &rig->scene;
    const toc_allocator *memory = &rig->head.memory;
    rig_spaces spaces = {.maps = toc_new(memory, scene->skins.count, 12 * sizeof *spaces.maps),
                         .rig_joint_of = toc_new(memory, scene->joints.count, sizeof *spaces.rig_joint_of),
                         .joint_of = toc_new(memory, scene->nodes.count, sizeof *spaces.joint_of)};
    const bool all = spaces.maps && spaces.rig_joint_of && spaces.joint_of;
    const toc_status status = all ? fill_skeleton(rig, &spaces) : TOC_OUT_OF_MEMORY;
    toc_free(memory, spaces.maps, scene->skins.count, 12 * sizeof *spaces.maps);
    toc_free(memory, spaces.rig_joint_of, scene->joints.count, sizeof *spaces.rig_joint_of);
    toc_free(memory, spaces.joint_of, scene->nodes.count, sizeof *spaces.joint_of);
    return status;
}

static size_t count_morphs(const toc_gltf_scene *scene) {
    size_t morphs = 0;
    for (size_t i = 0; i < scene->nodes.count; i++) morphs += scene->nodes.at[i].targets;
    return morphs;
}

// Once all arrays are whole and stay in place.
static toc_status show_rig(rig_file *rig) {
    TOC_TRY(toc_array_reserve(&rig->head.memory, &rig->clip_names, rig->clips.list.count));
    for (size_t i = 0; i < rig->clips.list.count; i++)
        rig->clip_names.at[rig->clip_names.count++] = rig->clips.names.at + rig->clips.list.at[i].name;
    for (size_t i = 0; i < rig->joints.count; i++) rig->joints.at[i].name = rig->names.at + rig->origins.at[i].name;
    rig->shown = (toc_rig){.mesh = rig->mesh,
                           .joint_count = rig->joints.count,
                           .joints = rig->joints.at,
                           .clip_count = rig->clip_names.count,
                           .clips = rig->clip_names.at,
                           .morph_count = count_morphs(&rig->scene),
                           .scaled_count = rig->scene.scaled_weights};
    return TOC_OK;
}

static toc_status fill_rig(rig_file *rig, const char *path) {
    TOC_TRY(toc_source_open(path, &rig->head.memory, &rig->source));
    rig->source_is_open = true;
    // The asset of a .gltf may stand far behind its beginning: the extension is enough.
    if (!toc_gltf_recognise(&rig->source) && toc_format_of_packed_path(path) != &toc_format_gltf)
        return toc_fail(TOC_BAD_INPUT, "%s: not glTF; characters are read from .glb and .gltf", path);
    rig->file_is_open = true;
    TOC_TRY(toc_gltf_open(&rig->source, &rig->file));
    TOC_TRY(toc_gltf_scene_build(&rig->file, &rig->scene));
    TOC_TRY(toc_gltf_animation_list(&rig->file, &rig->clips));
    if (rig->scene.joints.count == 0 && count_morphs(&rig->scene) == 0)
        return toc_fail(TOC_BAD_INPUT, "%s: has no skin and no morph targets, so nothing bends it", path);
    rig->scene.bind_pose = true;
    TOC_TRY(toc_mesh_create(&rig->head.memory, &rig->mesh));
    TOC_TRY(toc_gltf_mesh_make(&rig->scene, true, rig->mesh));
    if (toc_mesh_get_element_count(rig->mesh) == 0) return toc_fail(TOC_BAD_INPUT, "%s: holds no elements", path);
    rig->mesh->allocator = rig->head.limit.inner; // copies of the mesh take it over, and outlive the rig
    TOC_TRY(make_skeleton(rig));
    TOC_TRY(show_rig(rig));
    return toc_gltf_is_settled(&rig->file);
}

toc_status toc_rig_read(const char *path, const toc_read_options *options, toc_rig **out) {
    TOC_SCOPED_ARITHMETIC;
    TOC_NEED(path);
    TOC_NEED(out);
    void *made;
    TOC_TRY(toc_memory_limited_new(options, sizeof(rig_file), &made));
    rig_file *rig = made;
    rig->open_clip = SIZE_MAX;
    const toc_status status = toc_memory_limit_explain(&rig->head.limit, fill_rig(rig, path), path);
    if (status != TOC_OK) {
        toc_rig_destroy(&rig->shown);
        return toc_fail_file(status, path);
    }
    *out = &rig->shown;
    return TOC_OK;
}

void toc_rig_destroy(toc_rig *shown) {
    if (!shown) return;
    rig_file *rig = rig_of(shown);
    const toc_allocator inner = rig->head.limit.inner, *memory = &rig->head.memory;
    toc_mesh_destroy(rig->mesh);
    toc_gltf_animation_free(&rig->animation, memory);
    toc_gltf_clips_free(&rig->clips, memory);
    toc_array_free(memory, &rig->joints);
    toc_array_free(memory, &rig->origins);
    toc_array_free(memory, &rig->clip_names);
    toc_array_free(memory, &rig->names);
    toc_array_free(memory, &rig->weights);
    toc_array_free(memory, &rig->weight_ends);
    toc_array_free(memory, &rig->block_maps);
    if (rig->scene.file) toc_gltf_scene_free(&rig->scene);
    if (rig->file_is_open) toc_gltf_free(&rig->file);
    if (rig->source_is_open) toc_source_close(&rig->source);
    toc_free(&inner, rig, 1, sizeof *rig);
}

const toc_rig_weight *toc_rig_get_weights(const toc_rig *rig, size_t vertex, size_t *count) {
    if (count) *count = 0;
    const rig_file *file = rig ? rig_of(rig) : NULL;
    if (!file || vertex >= file->weight_ends.count) return NULL;
    const size_t first = vertex > 0 ? file->weight_ends.at[vertex - 1] : 0;
    if (count) *count = file->weight_ends.at[vertex] - first;
    return file->weights.at + first;
}

/// Open a clip, unless it is open.
static toc_status open_clip(rig_file *rig, size_t clip) {
    if (rig->open_clip == clip) return TOC_OK;
    const toc_frame_wish wish = {.rate = 1, .clip = rig->clips.names.at + rig->clips.list.at[clip].name};
    toc_gltf_animation_free(&rig->animation, &rig->head.memory);
    rig->animation = (toc_gltf_animation){0};
    rig->open_clip = SIZE_MAX;
    TOC_TRY(toc_gltf_animation_open(&rig->scene, &rig->clips, &wish, &rig->animation));
    rig->open_clip = clip;
    return TOC_OK;
}

toc_status toc_rig_find_clip(const toc_rig *rig, const char *name, size_t *clip) {
    TOC_NEED(rig);
    const rig_file *file = rig_of(rig);
    TOC_NEED(name);
    TOC_NEED(clip);
    size_t found;
    TOC_TRY(toc_gltf_clips_find(&file->clips, name, &found));
    *clip = found;
    return TOC_OK;
}

static toc_status check_clip(const rig_file *rig, size_t clip) {
    if (clip < rig->clips.list.count) return TOC_OK;
    return toc_fail(TOC_BAD_INPUT, "there is no clip %zu; there are %zu", clip, rig->clips.list.count);
}

toc_status toc_rig_find_times(toc_rig *rig, size_t clip, double *start, double *end) {
    TOC_SCOPED_ARITHMETIC;
    TOC_NEED(rig);
    rig_file *file = rig_of(rig);
    TOC_NEED(start);
    TOC_NEED(end);
    TOC_TRY(check_clip(file, clip));
    toc_memory_limit_restart(&file->head.limit);
    TOC_TRY(open_clip(file, clip));
    *start = file->animation.channels.count > 0 ? file->animation.start : 0;
    *end = file->animation.channels.count > 0 ? file->animation.end : 0;
    return TOC_OK;
}

/// Bring the nodes and the weights of morph targets into a pose.
static toc_status pose_scene(rig_file *rig, size_t clip, double time) {
    if (clip == SIZE_MAX) {
        toc_gltf_scene_rest(&rig->scene);
        return TOC_OK;
    }
    TOC_TRY(check_clip(rig, clip));
    if (!isfinite(time)) return toc_fail(TOC_BAD_INPUT, "the time of a pose is not finite");
    toc_memory_limit_restart(&rig->head.limit);
    TOC_TRY(open_clip(rig, clip));
    toc_gltf_animation_pose(&rig->animation, time, &rig->scene);
    return TOC_OK;
}

toc_status toc_rig_pose(toc_rig *rig, size_t clip, double time, size_t joint_count, double *matrices) {
    TOC_SCOPED_ARITHMETIC;
    TOC_NEED(rig);
    rig_file *file = rig_of(rig);
    TOC_NEED(matrices);
    if (joint_count != file->joints.count)
        return toc_fail(TOC_BAD_INPUT, "room for %zu matrices given, the rig has %zu joints", joint_count,
                        file->joints.count);
    toc_gltf_scene *scene = &file->scene;
    TOC_TRY(pose_scene(file, clip, time));
    toc_gltf_scene_place(scene);
    for (size_t i = 0; i < file->joints.count; i++) {
        toc_gltf_matrix_multiply(scene->nodes.at[file->origins.at[i].node].world, file->joints.at[i].inverse_bind,
                                 matrices + 12 * i);
    }
    return toc_gltf_is_settled(&file->file);
}

toc_status toc_rig_morph(toc_rig *rig, size_t clip, double time, size_t vertex_count, double *ways) {
    TOC_SCOPED_ARITHMETIC;
    TOC_NEED(rig);
    TOC_NEED(ways);
    rig_file *file = rig_of(rig);
    if (vertex_count != file->scene.vertex_count)
        return toc_fail(TOC_BAD_INPUT, "room for %zu vertices given, the rig has %zu", vertex_count,
                        file->scene.vertex_count);
    TOC_TRY(pose_scene(file, clip, time));
    for (size_t b = 0; b < file->scene.blocks.count; b++) {
        const toc_gltf_block *block = &file->scene.blocks.at[b];
        const double *map = file->block_maps.at + 12 * b;
        double turn[12], way[3], *to = ways + 3 * block->first;
        memcpy(turn, map, sizeof turn);
        for (int row = 0; row < 3; row++) turn[4 * row + 3] = 0;
        TOC_TRY(toc_gltf_block_morph(&file->scene, block, to));
        for (size_t i = 0; i < block->positions.count; i++) {
            memcpy(way, to + 3 * i, sizeof way);
            toc_gltf_matrix_apply(turn, way, to + 3 * i);
        }
    }
    return toc_gltf_is_settled(&file->file);
}
