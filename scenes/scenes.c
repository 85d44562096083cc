// SPDX-License-Identifier: Apache-2.0
// The list of scenes, and frames made from them.
#include "scenes/scenes.h"

#include <string.h>

#include "scenes/builder.h"

static const scene *const scenes[] = {&scene_cloth_ball, &scene_n_body, &scene_explosion, &scene_bar,
                                      &scene_organs,     &scene_tets,   &scene_hexes};

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

toc_status scene_frame(const scene *s, size_t size, size_t frame, toc_mesh **out) {
    if (size > s->largest) return TOC_BAD_INPUT;
    toc_mesh *mesh;
    toc_status status = toc_mesh_create(NULL, &mesh);
    if (status != TOC_OK) return status;
    scene_builder builder = scene_builder_make(mesh);
    s->build(&builder, size ? size : s->size, frame_time(s, frame));
    status = scene_builder_finish(&builder);
    if (status == TOC_OK) {
        *out = mesh;
    } else {
        toc_mesh_destroy(mesh);
    }
    return status;
}

toc_status scene_step(const scene *s, size_t size, size_t frame, toc_mesh **out) {
    toc_mesh *from, *to;
    toc_status status = scene_frame(s, size, frame, &from);
    if (status != TOC_OK) return status;
    status = scene_frame(s, size, frame + 1, &to);
    if (status == TOC_OK) {
        status = toc_mesh_move(from, toc_mesh_x1(to));
        toc_mesh_destroy(to);
    }
    if (status == TOC_OK) {
        *out = from;
    } else {
        toc_mesh_destroy(from);
    }
    return status;
}
