// SPDX-License-Identifier: Apache-2.0
// Obstacles: one sequence for each, beside that of the frames.
#include "tools/obstacles.h"

#include <assert.h>

#include "base/status.h"
#include "tools/output.h"

static toc_status add_obstacle(tool_obstacles *obstacles, const char *path, toc_scene *scene, tool_places *places) {
    toc_mesh *mesh;
    toc_status status = toc_sequence_read_first(obstacles->frames[obstacles->count - 1], &mesh);
    if (status != TOC_OK) return status;
    status = tool_places_add_body(places, path, mesh);
    if (status == TOC_OK) status = toc_scene_add_body(scene, mesh, NULL);
    if (status != TOC_OK) toc_mesh_destroy(mesh);
    return status;
}

static toc_status open_obstacle(tool_obstacles *obstacles, const char *const paths[2], const toc_read_options *options,
                                size_t frame_count) {
    assert(obstacles->count < TOOL_MOST_TEXTS && paths[0]);
    const size_t i = obstacles->count;
    TOC_TRY(toc_sequence_open(paths[1] ? 2 : 1, paths, options, &obstacles->frames[i]));
    obstacles->count++;
    obstacles->frame_counts[i] = toc_sequence_get_frame_count(obstacles->frames[i]);
    if (obstacles->frame_counts[i] == 1 || obstacles->frame_counts[i] == frame_count) return TOC_OK;
    return tool_fail(TOC_BAD_INPUT, "--with %s has %zu frames, but there are %zu to check; give one frame, or as many",
                     paths[0], obstacles->frame_counts[i], frame_count);
}

toc_status tool_obstacles_open(tool_obstacles *obstacles, const tool_files *files, const toc_read_options *options,
                               size_t frame_count, toc_scene *scene, tool_places *places) {
    for (size_t i = 0; i < files->count; i++) {
        TOC_TRY(open_obstacle(obstacles, files->at[i], options, frame_count));
        TOC_TRY(add_obstacle(obstacles, files->at[i][0], scene, places));
    }
    return TOC_OK;
}

toc_status tool_obstacles_advance(tool_obstacles *obstacles, size_t frame, toc_scene *scene) {
    assert(obstacles->count < toc_scene_get_body_count(scene));
    for (size_t i = 0; i < obstacles->count; i++) {
        if (obstacles->frame_counts[i] > 1)
            TOC_TRY(toc_sequence_advance(obstacles->frames[i], frame, toc_scene_edit_mesh(scene, (uint32_t)i + 1)));
    }
    return TOC_OK;
}

bool tool_obstacles_move(const tool_obstacles *obstacles) {
    for (size_t i = 0; i < obstacles->count; i++)
        if (obstacles->frame_counts[i] > 1) return true;
    return false;
}

void tool_obstacles_close(tool_obstacles *obstacles) {
    for (size_t i = 0; i < obstacles->count; i++) toc_sequence_close(obstacles->frames[i]);
    obstacles->count = 0;
}
