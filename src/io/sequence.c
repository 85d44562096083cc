// SPDX-License-Identifier: Apache-2.0
// Frames of one moving mesh. A frame is read when it is asked for, compared with the mesh and dropped again: besides
// the mesh itself, one frame is in memory.
#include "io/format.h"

struct toc_sequence {
    toc_arena arena; // of the paths
    TOC_ARRAY(const char *) paths;
};

static toc_status add_path(void *user, const char *path) {
    toc_sequence *sequence = user;
    const size_t size = strlen(path) + 1;
    char *copy = toc_arena_new(&sequence->arena, size, 1);
    if (!copy) return TOC_OUT_OF_MEMORY;
    memcpy(copy, path, size);
    TOC_TRY(toc_array_reserve(&sequence->arena.allocator, &sequence->paths, 1));
    sequence->paths.at[sequence->paths.count++] = copy;
    return TOC_OK;
}

static toc_status add_collection(toc_sequence *sequence, const char *path) {
    toc_source source;
    TOC_TRY(toc_source_open(path, &sequence->arena.allocator, &source));
    const size_t before = sequence->paths.count;
    toc_status status = toc_pvd_list(&source, add_path, sequence);
    toc_source_close(&source);
    if (status == TOC_OK && sequence->paths.count == before) {
        status = toc_fail(TOC_BAD_INPUT, "%s: holds no frames", path);
    }
    return status;
}

static toc_status add_all(toc_sequence *sequence, size_t path_count, const char *const *paths) {
    for (size_t i = 0; i < path_count; i++) {
        const bool collection = toc_path_has_extension(paths[i], ".pvd");
        TOC_TRY(collection ? add_collection(sequence, paths[i]) : add_path(sequence, paths[i]));
    }
    return TOC_OK;
}

toc_status toc_sequence_open(size_t path_count, const char *const *paths, const toc_allocator *allocator,
                             toc_sequence **out) {
    if (path_count == 0) return toc_fail(TOC_BAD_INPUT, "a sequence needs one file at least");
    const toc_allocator memory = toc_allocator_or_default(allocator);
    toc_sequence *sequence = toc_new(&memory, 1, sizeof *sequence);
    if (!sequence) return TOC_OUT_OF_MEMORY;
    sequence->arena = toc_arena_make(&memory);
    const toc_status status = add_all(sequence, path_count, paths);
    if (status == TOC_OK) {
        *out = sequence;
    } else {
        toc_sequence_close(sequence);
    }
    return status;
}

void toc_sequence_close(toc_sequence *sequence) {
    if (!sequence) return;
    const toc_allocator memory = sequence->arena.allocator;
    toc_array_free(&memory, &sequence->paths);
    toc_arena_free(&sequence->arena);
    toc_free(&memory, sequence, 1, sizeof *sequence);
}

size_t toc_sequence_frame_count(const toc_sequence *sequence) { return sequence->paths.count; }

const char *toc_sequence_path(const toc_sequence *sequence, size_t frame) {
    return frame < sequence->paths.count ? sequence->paths.at[frame] : NULL;
}

toc_status toc_sequence_first(toc_sequence *sequence, toc_mesh **out) {
    return toc_mesh_read(sequence->paths.at[0], &sequence->arena.allocator, out);
}

static bool same_element(toc_element a, toc_element b) {
    return a.shape == b.shape && memcmp(a.corners, b.corners, (size_t)a.corner_count * sizeof *a.corners) == 0;
}

// Two meshes with the same ids and corners, or a sentence on the first difference.
static toc_status compare(const char *path, const toc_mesh *frame, const char *first_path, const toc_mesh *mesh) {
    const size_t vertices = toc_mesh_vertex_count(mesh), elements = toc_mesh_element_count(mesh);
    if (toc_mesh_vertex_count(frame) != vertices) {
        return toc_fail(TOC_BAD_INPUT, "%s: has %zu vertices, but %s has %zu", path, toc_mesh_vertex_count(frame),
                        first_path, vertices);
    }
    if (toc_mesh_element_count(frame) != elements) {
        return toc_fail(TOC_BAD_INPUT, "%s: has %zu elements, but %s has %zu", path, toc_mesh_element_count(frame),
                        first_path, elements);
    }
    for (size_t i = 0; i < elements; i++) {
        if (same_element(toc_mesh_element(frame, (uint32_t)i), toc_mesh_element(mesh, (uint32_t)i))) continue;
        return toc_fail(TOC_BAD_INPUT, "%s: element %zu is not the one of %s", path, i, first_path);
    }
    return TOC_OK;
}

toc_status toc_sequence_advance(toc_sequence *sequence, size_t frame, toc_mesh *mesh) {
    const char *path = toc_sequence_path(sequence, frame);
    if (!path) {
        return toc_fail(TOC_BAD_INPUT, "frame %zu was asked for, but there are %zu", frame, sequence->paths.count);
    }
    toc_mesh *next;
    TOC_TRY(toc_mesh_read(path, &sequence->arena.allocator, &next));
    toc_status status = compare(path, next, sequence->paths.at[0], mesh);
    if (status == TOC_OK) status = toc_mesh_move(mesh, toc_mesh_x0(next));
    toc_mesh_destroy(next);
    return status;
}
