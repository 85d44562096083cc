// SPDX-License-Identifier: Apache-2.0
// Sequences of meshes, and steps with their contacts, as one .glb: collected frame by frame, written at the end.
#include <assert.h>
#include <math.h>

#include "base/arithmetic.h"
#include "io/core/format.h"
#include "io/gltf/collect.h"
#include "io/gltf/write.h"
#include "mesh/mesh.h"

// ---- sequences

static toc_status collect_frames(toc_animation *writer, toc_sequence *sequence, toc_mesh *mesh) {
    TOC_TRY(toc_glb_begin(writer, mesh, toc_mesh_get_x0(mesh)));
    for (size_t i = 1; i < toc_sequence_get_frame_count(sequence); i++) {
        TOC_TRY(toc_sequence_advance(sequence, i, mesh));
        const toc_status status = toc_glb_add_frame(writer, mesh);
        if (status != TOC_OK) return toc_fail_file(status, toc_sequence_get_path(sequence, i));
    }
    return TOC_OK;
}

toc_status toc_gltf_write_frames(toc_sink *sink, toc_sequence *sequence, double rate) {
    assert(rate > 0);
    toc_animation writer = {.allocator = *toc_sink_allocator(sink), .rate = rate};
    toc_mesh *mesh;
    TOC_TRY(toc_sequence_read_first(sequence, &mesh));
    toc_status status = collect_frames(&writer, sequence, mesh);
    toc_mesh_destroy(mesh);
    if (status == TOC_OK) status = toc_glb_write(&writer, sink);
    toc_glb_free(&writer);
    return status;
}

// ---- steps with contacts

static toc_status check_glb_path(const char *path) {
    if (toc_path_has_extension(path, ".glb")) return TOC_OK;
    return toc_fail(TOC_BAD_INPUT, "%s: a step with its contacts is written as .glb", path);
}

toc_status toc_animation_create(const char *path, const toc_mesh *mesh, double rate, toc_animation **out) {
    TOC_SCOPED_ARITHMETIC;
    TOC_NEED(path);
    TOC_NEED(mesh);
    TOC_NEED(out);
    if (!(rate > 0 && isfinite(rate))) return toc_fail(TOC_BAD_INPUT, "%g steps a second: not a number > 0", rate);
    TOC_TRY(check_glb_path(path));
    toc_animation *animation = toc_new(&mesh->allocator, 1, sizeof *animation);
    if (!animation) return TOC_OUT_OF_MEMORY;
    animation->allocator = mesh->allocator;
    animation->rate = rate;
    animation->is_sequence = true;
    toc_status status = toc_sink_open(path, &mesh->allocator, &animation->sink);
    if (status == TOC_OK) status = toc_fail_file(toc_glb_begin(animation, mesh, toc_mesh_get_x0(mesh)), path);
    if (status == TOC_OK)
        *out = animation;
    else
        toc_animation_destroy(animation);
    return status;
}

toc_status toc_animation_add(toc_animation *animation, const toc_mesh *mesh, const toc_contacts *contacts,
                             const toc_place *places) {
    TOC_SCOPED_ARITHMETIC;
    TOC_NEED(animation);
    TOC_NEED(mesh);
    TOC_NEED(contacts);
    TOC_TRY(toc_glb_add_frame(animation, mesh));
    return toc_glb_add_contacts(animation, contacts, places);
}

toc_status toc_animation_write(toc_animation *animation) {
    TOC_SCOPED_ARITHMETIC;
    TOC_NEED(animation);
    if (!animation->sink) return toc_fail(TOC_BAD_INPUT, "toc_animation_write: the file is written already");
    TOC_TRY(toc_glb_write(animation, animation->sink));
    toc_sink *sink = animation->sink;
    animation->sink = NULL;
    return toc_sink_commit(sink);
}

void toc_animation_destroy(toc_animation *animation) {
    if (!animation) return;
    const toc_allocator memory = animation->allocator;
    if (animation->sink) toc_sink_cancel(animation->sink);
    toc_glb_free(animation);
    toc_free(&memory, animation, 1, sizeof *animation);
}

static toc_status write_one_step(const char *path, toc_animation *animation, const toc_mesh *mesh,
                                 const toc_contacts *contacts, const toc_place *places) {
    animation->is_sequence = false;
    toc_status status = toc_animation_add(animation, mesh, contacts, places);
    if (status == TOC_OK) status = toc_animation_write(animation);
    return status == TOC_OK ? TOC_OK : toc_fail_file(status, path);
}

toc_status toc_step_write(const char *path, const toc_mesh *mesh, const toc_contacts *contacts,
                          const toc_place *places) {
    toc_animation *animation = NULL;
    TOC_NEED(contacts);
    TOC_TRY(toc_animation_create(path, mesh, 1, &animation));
    const toc_status status = write_one_step(path, animation, mesh, contacts, places);
    toc_animation_destroy(animation);
    return status;
}
