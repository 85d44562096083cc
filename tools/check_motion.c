// SPDX-License-Identifier: Apache-2.0
// Frames of toccata check, and the scene that is searched.
#include <assert.h>

#include "base/status.h"
#include "tools/check.h"
#include "tools/progress.h"
#include "tools/standard.h"
#include "tools/weld.h"

toc_status check_frame_read(check_session *all, size_t frame) {
    assert(frame < toc_sequence_get_frame_count(all->frames));
    toc_status status = tool_reading_begin();
    if (status == TOC_OK) status = toc_sequence_advance(all->frames, frame, toc_scene_edit_mesh(all->scene, 0));
    if (status == TOC_OK) status = tool_obstacles_advance(&all->obstacles, frame, all->scene);
    tool_reading_end();
    return status;
}

toc_status check_frame_rest(check_session *all) {
    for (uint32_t b = 0; b < toc_scene_get_body_count(all->scene); b++) {
        toc_mesh *mesh = toc_scene_edit_mesh(all->scene, b);
        TOC_TRY(toc_mesh_move(mesh, toc_mesh_get_vertex_count(mesh), toc_mesh_get_x1(mesh)));
    }
    return TOC_OK;
}

static toc_status read_session_frame(void *all, size_t frame) { return check_frame_read(all, frame); }

toc_status check_step_advance(check_session *all, size_t step) {
    assert(!all->by_frame && step < all->steps);
    return tool_paths_advance(
        &(tool_mover){&all->paths, all->frames, toc_scene_edit_mesh(all->scene, 0), read_session_frame, all}, step);
}

// A copy of a body for the search: shells made solid, vertices joined.
static toc_status prepare_mesh(const check_settings *settings, const toc_mesh *mesh, toc_mesh **out) {
    toc_status status = settings->thicken ? toc_mesh_thicken(mesh, out) : toc_mesh_copy(mesh, out);
    if (status != TOC_OK || !settings->weld) return status;
    status = tool_mesh_weld(*out);
    if (status != TOC_OK) toc_mesh_destroy(*out);
    return status;
}

static toc_status prepare_bodies(check_session *all) {
    for (uint32_t b = 0; b < toc_scene_get_body_count(all->scene); b++) {
        toc_mesh *mesh;
        TOC_TRY(prepare_mesh(all->settings, toc_scene_get_mesh(all->scene, b), &mesh));
        const toc_status status = toc_scene_add_body(all->prepared, mesh, NULL);
        if (status == TOC_OK) continue;
        toc_mesh_destroy(mesh);
        return status;
    }
    return TOC_OK;
}

toc_status check_step_prepare(check_session *all) {
    if (all->settings->thicken || all->settings->weld) {
        toc_scene_destroy(all->prepared);
        all->prepared = NULL;
        TOC_TRY(toc_scene_create(NULL, &all->prepared));
        TOC_TRY(prepare_bodies(all));
        tool_places_forget(all->places);
    }
    TOC_TRY(tool_places_follow(all->places, check_scene(all)));
    return tool_places_apply(all->places, check_scene(all));
}
