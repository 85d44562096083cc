// SPDX-License-Identifier: Apache-2.0
// glTF 2.0, as JSON (.gltf) or binary (.glb): the scene as one mesh, with a group for each primitive of each node.
//
// Vertices are in the order of the nodes and of the arrays of the file. At a seam of textures or normals the file has a
// vertex twice. Both stay, but elements use the first one, so that the surface is connected; otherwise each seam would
// be a contact. Two vertices are identical if they are of the same node and have the same position, bit for bit, in
// every morph target, and the same joints and weights.
// A single mesh is read in its bind pose; frames of an animation have the skins applied.
// After the glTF 2.0 specification, Khronos 2021.
#include "io/gltf/gltf.h"
#include "base/arithmetic.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

#include "io/core/builder.h"
#include "io/core/format.h"
#include "io/core/memory_limit.h"
#include "io/core/weld.h"
#include "io/gltf/animation.h"
#include "io/gltf/scene.h"
#include "io/gltf/vertex_data.h"
#include "io/gltf/write.h"

/// Vertices and elements on their way into a mesh.
typedef struct gltf_reader {
    toc_gltf_scene *scene;
    toc_builder builder;
    uint32_t *same; // by vertex: the one that elements use
    TOC_ARRAY(int64_t) labels;
    TOC_ARRAY(double) velocities; // 3 a vertex
} gltf_reader;

/// Find the identical vertices of a node; the array of positions is scratch until then.
static toc_status weld_node(gltf_reader *reader, const toc_gltf_node *node) {
    if (node->block_count == 0) return TOC_OK;
    const toc_json *json = &reader->scene->file->json;
    const toc_json_id wish = toc_json_member(json, toc_json_member(json, node->mesh, "extras"), "weld");
    const toc_gltf_block *blocks = reader->scene->blocks.at + node->blocks;
    const size_t first = blocks[0].first, count = toc_gltf_node_vertices(reader->scene, node);
    double *x = reader->builder.parts.positions.at + 3 * first;
    if (toc_json_kind_of(json, wish) == TOC_JSON_FALSE) {
        for (size_t i = 0; i < count; i++) reader->same[first + i] = (uint32_t)(first + i);
        return TOC_OK;
    }
    toc_weld weld;
    const toc_status status = toc_weld_begin(&reader->builder.source->allocator, count, &weld);
    for (size_t round = 0; round < toc_gltf_node_rounds(node) && status == TOC_OK; round++) {
        toc_gltf_scene_traits(reader->scene, node, round, x);
        toc_weld_refine(&weld, x);
    }
    for (size_t i = 0; i < count && status == TOC_OK; i++) reader->same[first + i] = (uint32_t)first + weld.same[i];
    toc_weld_free(&weld);
    return status;
}

static toc_status gltf_add_vertices(gltf_reader *reader) {
    toc_gltf_scene *scene = reader->scene;
    TOC_TRY(toc_builder_reserve(&reader->builder, scene->vertex_count, 0));
    for (size_t i = 0; i < scene->nodes.count; i++) TOC_TRY(weld_node(reader, &scene->nodes.at[i]));
    reader->builder.parts.positions.count = 3 * scene->vertex_count;
    return toc_gltf_scene_positions(scene, reader->builder.parts.positions.at);
}

enum { CORNER_ROOM = 512 };

/// The corners of a primitive.
typedef struct corner_list {
    gltf_reader *reader;
    const toc_gltf_block *block;
    toc_json_id primitive;
    toc_accessor indices; // its count is 0 if the vertices are taken in their order
    size_t count;
    size_t begin; // of the buffer; SIZE_MAX while it is empty
    double buffer[CORNER_ROOM];
} corner_list;

static toc_status fail_corner(const corner_list *list, size_t i, double vertex) {
    assert(i < list->count);
    char sentence[128];
    snprintf(sentence, sizeof sentence, "vertex %.0f is used, but there are %zu", vertex, list->block->positions.count);
    return toc_accessor_fail(list->reader->scene->file, &list->indices, i, sentence);
}

static double index_at(corner_list *list, size_t i) {
    assert(i < list->count);
    if (list->indices.count == 0) return (double)i;
    const size_t begin = i - i % CORNER_ROOM, left = list->count - begin;
    if (list->begin != begin)
        toc_accessor_read(&list->indices, begin, left < CORNER_ROOM ? left : CORNER_ROOM, list->buffer);
    list->begin = begin;
    return list->buffer[i - begin];
}

/// Add the element between some of the corners, for which there is room.
static toc_status gltf_add_element(corner_list *list, size_t count, size_t a, size_t b, size_t c) {
    assert(0 < count && count <= 3);
    toc_builder *builder = &list->reader->builder;
    const size_t places[] = {a, b, c};
    for (size_t i = 0; i < count; i++) {
        const double index = index_at(list, places[i]);
        if (!(index >= 0 && index < (double)list->block->positions.count)) return fail_corner(list, places[i], index);
        toc_builder_put_corner(builder, list->reader->same[list->block->first + (size_t)index]);
    }
    return toc_builder_close_polygon(builder);
}

/// Elements of a list of corners: each has `corners` of them and begins `step` behind the one before.
typedef enum gltf_mode {
    POINTS,
    LINES,
    LINE_LOOP,
    LINE_STRIP,
    TRIANGLES,
    TRIANGLE_STRIP,
    TRIANGLE_FAN,
    MODES
} gltf_mode;
static const struct { uint8_t corners, step; } modes[MODES] = {{1, 1}, {2, 2}, {2, 1}, {2, 1}, {3, 3}, {3, 1}, {3, 1}};

static toc_status gltf_add_elements(corner_list *list, gltf_mode mode) {
    const size_t n = list->count, corners = modes[mode].corners, step = modes[mode].step;
    const toc_json *json = &list->reader->scene->file->json;
    if (n < corners || (step > 1 && n % step != 0))
        return toc_json_fail(json, list->primitive, "%zu corners are no whole number of elements", n);
    for (size_t i = 0; i + corners <= n; i += step) {
        const bool fan = mode == TRIANGLE_FAN, turned = mode == TRIANGLE_STRIP && i % 2 == 1;
        TOC_TRY(gltf_add_element(list, corners, fan ? 0 : i + turned, i + 1 - turned, i + 2));
    }
    return mode == LINE_LOOP && n > 2 ? gltf_add_element(list, 2, n - 1, 0, 0) : TOC_OK;
}

/// The group number that Toccata wrote into the file, else the index of the primitive.
static int32_t choose_group(const toc_json *json, toc_json_id primitive, size_t place) {
    const toc_json_id own = toc_json_member(json, toc_json_member(json, primitive, "extras"), "group");
    double group;
    if (toc_json_kind_of(json, own) != TOC_JSON_NUMBER || toc_json_as_number(json, own, "group", &group) != TOC_OK)
        return (int32_t)place;
    return group >= INT32_MIN && group <= INT32_MAX && group == floor(group) ? (int32_t)group : (int32_t)place;
}

static toc_status read_primitive(gltf_reader *reader, size_t place) {
    assert(place < reader->scene->primitives.count);
    const toc_gltf_primitive *primitive = &reader->scene->primitives.at[place];
    toc_gltf *file = reader->scene->file;
    corner_list list = {.reader = reader,
                        .block = &reader->scene->blocks.at[primitive->block],
                        .primitive = primitive->id,
                        .begin = SIZE_MAX};
    uint64_t mode;
    TOC_TRY(toc_json_count(&file->json, primitive->id, "mode", TRIANGLES, &mode));
    if (mode >= MODES) return toc_json_fail(&file->json, primitive->id, "a primitive of an unknown mode");
    TOC_TRY(toc_accessor_open(file, primitive->id, "indices", 1, &list.indices));
    if (list.indices.count > 0 && !list.indices.bytes)
        return toc_json_fail(&file->json, list.indices.id, "indices without bytes");
    list.count = list.indices.count > 0 ? list.indices.count : list.block->positions.count;
    reader->builder.group = choose_group(&file->json, primitive->id, place);
    TOC_TRY(toc_builder_reserve(&reader->builder, 0, list.count / modes[mode].step * modes[mode].corners));
    return gltf_add_elements(&list, (gltf_mode)mode);
}

/// The memory of the mesh. Nodes that share a mesh multiply the content of the file.
static toc_status estimate_mesh(const toc_gltf_scene *scene, uint64_t *bytes) {
    uint64_t elements = 0, corners = 0, most_of_node = 0;
    for (size_t i = 0; i < scene->primitives.count; i++) {
        const toc_gltf_primitive *primitive = &scene->primitives.at[i];
        toc_accessor indices;
        uint64_t mode;
        TOC_TRY(toc_json_count(&scene->file->json, primitive->id, "mode", TRIANGLES, &mode));
        TOC_TRY(toc_accessor_open(scene->file, primitive->id, "indices", 1, &indices));
        if (mode >= MODES || (indices.count > 0 && !indices.bytes)) continue; // refused when it is read
        const size_t count = indices.count > 0 ? indices.count : scene->blocks.at[primitive->block].positions.count;
        elements += count / modes[mode].step;
        corners += count / modes[mode].step * modes[mode].corners;
    }
    for (size_t i = 0; i < scene->nodes.count; i++) {
        const uint64_t size = toc_gltf_node_vertices(scene, &scene->nodes.at[i]);
        if (size > most_of_node) most_of_node = size;
    }
    const uint64_t same = scene->vertex_count * sizeof(uint32_t), weld = most_of_node * 4 * sizeof(uint32_t);
    *bytes = toc_memory_of_mesh(scene->vertex_count, elements, corners);
    *bytes = *bytes > UINT64_MAX - same - weld ? UINT64_MAX : *bytes + same + weld;
    return TOC_OK;
}

static toc_status check_memory(const toc_gltf_scene *scene) {
    const toc_source *source = scene->file->json.source;
    uint64_t bytes;
    TOC_TRY(estimate_mesh(scene, &bytes));
    return toc_memory_limit_check(&source->allocator, source->path, bytes);
}

// Names.

enum { NAME_ROOM = 256 };

static bool gltf_take_name(const toc_json *json, toc_json_id object, char to[NAME_ROOM]) {
    const toc_json_id name = toc_json_member(json, object, "name");
    if (toc_json_kind_of(json, name) != TOC_JSON_STRING || toc_json_text(json, name, NULL) >= NAME_ROOM) return false;
    return toc_json_text(json, name, to) > 0;
}

/// The name of the primitive itself, or of its node or mesh, with the material if there are several primitives.
static toc_status gltf_name_group(const toc_gltf_scene *scene, const toc_gltf_primitive *primitive, int32_t group,
                                  toc_mesh *mesh) {
    const toc_json *json = &scene->file->json;
    const toc_gltf_node *node = &scene->nodes.at[scene->blocks.at[primitive->block].node];
    char name[NAME_ROOM] = "", material[NAME_ROOM] = "", both[2 * NAME_ROOM];
    if (gltf_take_name(json, toc_json_member(json, primitive->id, "extras"), name))
        return toc_mesh_set_group_name(mesh, group, name);
    if (!gltf_take_name(json, node->id, name)) gltf_take_name(json, node->mesh, name);
    toc_json_id worn;
    TOC_TRY(toc_gltf_follow(scene->file, primitive->id, "material", &scene->file->materials, &worn));
    const bool several = toc_json_length(json, toc_json_member(json, node->mesh, "primitives")) > 1;
    if (several) gltf_take_name(json, worn, material);
    snprintf(both, sizeof both, "%s%s%s", name, name[0] && material[0] ? " " : "", material);
    return both[0] ? toc_mesh_set_group_name(mesh, group, both) : TOC_OK;
}

static toc_status gltf_name_groups(const toc_gltf_scene *scene, toc_mesh *mesh) {
    for (size_t i = 0; i < scene->primitives.count; i++) {
        const int32_t group = choose_group(&scene->file->json, scene->primitives.at[i].id, i);
        TOC_TRY(gltf_name_group(scene, &scene->primitives.at[i], group, mesh));
    }
    return TOC_OK;
}

static size_t count_skinned(const toc_gltf_scene *scene) {
    size_t count = 0;
    for (size_t i = 0; i < scene->blocks.count; i++)
        if (scene->nodes.at[scene->blocks.at[i].node].skinned) count += scene->blocks.at[i].positions.count;
    return count;
}

static toc_status fill_builder(gltf_reader *reader) {
    TOC_TRY(gltf_add_vertices(reader));
    for (size_t i = 0; i < reader->scene->primitives.count; i++) TOC_TRY(read_primitive(reader, i));
    return TOC_OK;
}

/// The source may be closed once the mesh is finished: velocities, on request, and numbers are read before.
static toc_status read_vertex_data(gltf_reader *reader) {
    const toc_source *source = reader->scene->file->json.source;
    const size_t count = reader->scene->vertex_count;
    bool known;
    TOC_TRY(toc_array_reserve(&source->allocator, &reader->labels, count));
    TOC_TRY(toc_gltf_labels_read(reader->scene, reader->labels.at, &known));
    reader->labels.count = known ? count : 0;
    if (!source->velocities) return TOC_OK;
    TOC_TRY(toc_array_reserve(&source->allocator, &reader->velocities, 3 * count));
    TOC_TRY(toc_gltf_velocities_read(reader->scene, reader->velocities.at, &known));
    reader->velocities.count = known ? 3 * count : 0;
    return TOC_OK;
}

static toc_status hand_over_vertex_data(const gltf_reader *reader, toc_mesh *mesh) {
    const size_t numbers = reader->velocities.count;
    if (reader->labels.count > 0) TOC_TRY(toc_mesh_set_vertex_labels(mesh, reader->labels.count, reader->labels.at));
    if (numbers == 0) return TOC_OK;
    TOC_TRY(toc_array_reserve(&mesh->allocator, &mesh->velocities, numbers));
    memcpy(mesh->velocities.at, reader->velocities.at, numbers * sizeof *mesh->velocities.at);
    mesh->velocities.count = numbers;
    return TOC_OK;
}

toc_status toc_gltf_mesh_make(toc_gltf_scene *scene, bool more, toc_mesh *mesh) {
    toc_source *source = scene->file->json.source;
    gltf_reader reader = {.scene = scene, .builder = toc_builder_begin(source)};
    reader.builder.shared = more;
    TOC_TRY(check_memory(scene));
    reader.same = toc_new(&source->allocator, scene->vertex_count, sizeof *reader.same);
    toc_status status = reader.same ? fill_builder(&reader) : TOC_OUT_OF_MEMORY;
    toc_free(&source->allocator, reader.same, scene->vertex_count, sizeof *reader.same);
    if (status == TOC_OK) status = gltf_name_groups(scene, mesh);
    if (status == TOC_OK) status = read_vertex_data(&reader);
    if (status == TOC_OK) status = toc_builder_finish(&reader.builder, mesh);
    if (status == TOC_OK) status = hand_over_vertex_data(&reader, mesh);
    toc_array_free(&source->allocator, &reader.labels);
    toc_array_free(&source->allocator, &reader.velocities);
    toc_builder_free(&reader.builder);
    mesh->skinned_vertices = count_skinned(scene);
    return status;
}

static toc_status read_scene(toc_gltf *file, toc_mesh *mesh) {
    toc_gltf_scene scene;
    toc_status status = toc_gltf_scene_build(file, &scene);
    scene.bind_pose = true;
    if (status == TOC_OK) status = toc_gltf_mesh_make(&scene, false, mesh);
    toc_gltf_scene_free(&scene);
    return status;
}

static toc_status read_gltf(toc_source *source, toc_mesh *mesh) {
    toc_gltf file;
    toc_status status = toc_gltf_open(source, &file);
    if (status == TOC_OK) status = read_scene(&file, mesh);
    if (status == TOC_OK) status = toc_gltf_is_settled(&file);
    toc_gltf_free(&file);
    return status;
}

// Frames of an animation.

typedef struct gltf_frames {
    toc_source source;
    toc_gltf file;
    toc_gltf_scene scene;
    toc_gltf_clips clips;
    toc_gltf_animation animation;
} gltf_frames;

static void gltf_close_frames(void *user) {
    gltf_frames *frames = user;
    toc_gltf_animation_free(&frames->animation, &frames->source.allocator);
    toc_gltf_clips_free(&frames->clips, &frames->source.allocator);
    if (frames->scene.file) toc_gltf_scene_free(&frames->scene);
    if (frames->file.json.source) toc_gltf_free(&frames->file);
    const toc_allocator memory = frames->source.allocator;
    toc_source_close(&frames->source);
    toc_free(&memory, frames, 1, sizeof *frames);
}

static toc_status fill_frames(gltf_frames *frames, const toc_frame_wish *wish) {
    TOC_TRY(toc_gltf_open(&frames->source, &frames->file));
    TOC_TRY(toc_gltf_scene_build(&frames->file, &frames->scene));
    TOC_TRY(toc_gltf_animation_list(&frames->file, &frames->clips));
    return toc_gltf_animation_open(&frames->scene, &frames->clips, wish, &frames->animation);
}

static toc_status gltf_open_frames(const char *path, const toc_frame_wish *wish, const toc_allocator *allocator,
                                   void **out) {
    gltf_frames *frames = toc_new(allocator, 1, sizeof *frames);
    if (!frames) return TOC_OUT_OF_MEMORY;
    toc_status status = toc_source_open(path, allocator, &frames->source);
    if (status != TOC_OK) {
        toc_free(allocator, frames, 1, sizeof *frames);
        return status;
    }
    status = fill_frames(frames, wish);
    if (status == TOC_OK)
        *out = frames;
    else
        gltf_close_frames(frames);
    return status;
}

static size_t gltf_count_frames(const void *user) { return ((const gltf_frames *)user)->animation.frame_count; }

static double time_of_frame(const void *user, size_t frame) {
    return toc_gltf_animation_time(&((const gltf_frames *)user)->animation, frame);
}

static const char *gltf_clip_name(const void *user, size_t i) {
    const toc_gltf_clips *clips = &((const gltf_frames *)user)->clips;
    return i < clips->list.count ? clips->names.at + clips->list.at[i].name : NULL;
}

static void pose(gltf_frames *frames, size_t frame) {
    toc_gltf_animation_pose(&frames->animation, toc_gltf_animation_time(&frames->animation, frame), &frames->scene);
}

static toc_status gltf_read_first(void *user, toc_mesh *mesh) {
    gltf_frames *frames = user;
    pose(frames, 0);
    TOC_TRY(toc_gltf_mesh_make(&frames->scene, true, mesh));
    return toc_gltf_is_settled(&frames->file);
}

static toc_status gltf_read_positions(void *user, size_t frame, double *x) {
    gltf_frames *frames = user;
    pose(frames, frame);
    TOC_TRY(toc_gltf_scene_positions(&frames->scene, x));
    return toc_gltf_is_settled(&frames->file);
}

static const toc_frame_methods frames_of_gltf = {
    .unpacks = true,
    .open = gltf_open_frames,
    .close = gltf_close_frames,
    .count = gltf_count_frames,
    .time = time_of_frame,
    .clip = gltf_clip_name,
    .first = gltf_read_first,
    .positions = gltf_read_positions,
};

const toc_format toc_format_gltf = {
    .info = {.name = "gltf",
             .extensions = ".glb .gltf",
             .what = "triangles, edges, points, groups; morph and skin animation"},
    .recognise = toc_gltf_recognise,
    .read = read_gltf,
    .write = toc_gltf_write,
    .write_frames = toc_gltf_write_frames,
    .frames = &frames_of_gltf,
};
