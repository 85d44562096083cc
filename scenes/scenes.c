// SPDX-License-Identifier: Apache-2.0
// The list of scenes, and frames made from them.
#include "scenes/scenes.h"

#include <string.h>

#include "scenes/builder.h"

static const scene *const scenes[] = {
    &scene_cloth_ball, &scene_n_body,      &scene_explosion, &scene_bar,      &scene_organs, &scene_tets,
    &scene_hexes,      &scene_octopi,      &scene_bullet,    &scene_airbag,   &scene_liver,  &scene_car,
    &scene_tori,       &scene_cloth_bunny, &scene_letters,   &scene_lattices, &scene_rods,   &scene_funnel};

const scene *scene_list(size_t i) { return i < sizeof scenes / sizeof *scenes ? scenes[i] : NULL; }

const scene *scene_find(const char *name) {
    for (size_t i = 0; scene_list(i); i++) {
        if (strcmp(scenes[i]->name, name) == 0) return scenes[i];
    }
    return NULL;
}

static double frame_time(const scene *s, size_t frame) {
    const double time = (double)frame / (double)(s->frames - 1);
    return time < 1 ? time : 1;
}

// The mesh with the topology of one time and the positions of another.
static toc_status make_scene(const scene *s, size_t size, double until, double time, toc_mesh **out) {
    if (size > s->largest) return TOC_BAD_INPUT;
    if (size == 0) size = s->size;
    toc_mesh *mesh;
    toc_status status = toc_mesh_create(NULL, &mesh);
    if (status != TOC_OK) return status;
    scene_builder builder = scene_builder_make(mesh);
    s->build(&builder, size, time);
    status = scene_builder_finish(&builder);
    if (status == TOC_OK && s->happen) status = s->happen(mesh, size, until, time);
    if (status == TOC_OK) {
        *out = mesh;
    } else {
        toc_mesh_destroy(mesh);
    }
    return status;
}

toc_status scene_frame(const scene *s, size_t size, size_t frame, toc_mesh **out) {
    return make_scene(s, size, frame_time(s, frame), frame_time(s, frame), out);
}

toc_status scene_step(const scene *s, size_t size, size_t frame, toc_mesh **out) {
    return scene_motion(s, size, frame_time(s, frame), frame_time(s, frame + 1), out);
}

toc_status scene_motion(const scene *s, size_t size, double from, double to, toc_mesh **out) {
    toc_mesh *start, *end;
    toc_status status = make_scene(s, size, to, from, &start);
    if (status != TOC_OK) return status;
    status = make_scene(s, size, to, to, &end);
    if (status == TOC_OK) {
        status = toc_mesh_move(start, toc_mesh_get_vertex_count(start), toc_mesh_get_x1(end));
        toc_mesh_destroy(end);
    }
    if (status == TOC_OK) {
        *out = start;
    } else {
        toc_mesh_destroy(start);
    }
    return status;
}
