// SPDX-License-Identifier: Apache-2.0
// Frames of toccata check, and the scene that is searched.
#include "tools/check.h"
#include "tools/progress.h"
#include "tools/standard.h"
#include "tools/weld.h"

toc_status check_frame_read(check_session *all, size_t frame) {
    toc_status status = tool_reading_begin();
    if (status == TOC_OK) status = toc_sequence_advance(all->frames, frame, toc_scene_edit_mesh(all->scene, 0));
    if (status == TOC_OK) status = tool_obstacles_advance(&all->obstacles, frame, all->scene);
    tool_reading_end();
    return status;
}

static toc_status read_session_frame(void *all, size_t frame) { return check_frame_read(all, frame); }

toc_status check_step_advance(check_session *all, size_t step) {
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
    toc_status status = TOC_OK;
    for (uint32_t b = 0; b < toc_scene_get_body_count(all->scene) && status == TOC_OK; b++) {
        toc_mesh *mesh;
        status = prepare_mesh(all->settings, toc_scene_get_mesh(all->scene, b), &mesh);
        if (status != TOC_OK) break;
        status = toc_scene_add_body(all->prepared, mesh, NULL);
        if (status != TOC_OK) toc_mesh_destroy(mesh);
    }
    return status;
}

toc_status check_step_prepare(check_session *all) {
    toc_status status = TOC_OK;
    if (all->settings->thicken || all->settings->weld) {
        toc_scene_destroy(all->prepared);
        all->prepared = NULL;
        status = toc_scene_create(NULL, &all->prepared);
        if (status == TOC_OK) status = prepare_bodies(all);
        if (status == TOC_OK) tool_places_forget(all->places);
    }
    if (status == TOC_OK) status = tool_places_follow(all->places, check_scene(all));
    return status == TOC_OK ? tool_places_apply(all->places, check_scene(all)) : status;
}
