// SPDX-License-Identifier: Apache-2.0
// A scene: its bodies, and what queries keep between steps.
#include "scene/scene.h"

toc_status toc_scene_create(const toc_allocator *allocator, toc_scene **out) {
    const toc_allocator memory = toc_allocator_or_default(allocator);
    toc_scene *scene = toc_new(&memory, 1, sizeof *scene);
    if (!scene) return TOC_OUT_OF_MEMORY;
    scene->allocator = memory;
    *out = scene;
    return TOC_OK;
}

void toc_scene_destroy(toc_scene *scene) {
    if (!scene) return;
    const toc_allocator allocator = scene->allocator;
    for (size_t i = 0; i < scene->bodies.count; i++) {
        toc_features_destroy(scene->bodies.at[i].features);
        toc_mesh_destroy(scene->bodies.at[i].mesh);
    }
    toc_array_free(&allocator, &scene->bodies);
    toc_array_free(&allocator, &scene->ignored);
    if (scene->free_kept) scene->free_kept(scene);
    toc_step_free(&scene->step);
    toc_free(&allocator, scene, 1, sizeof *scene);
}

toc_status toc_scene_add_body(toc_scene *scene, toc_mesh *mesh, uint32_t *body) {
    if (!mesh) return toc_fail(TOC_BAD_INPUT, "a body needs a mesh");
    TOC_TRY(toc_array_reserve(&scene->allocator, &scene->bodies, 1));
    if (body) *body = (uint32_t)scene->bodies.count;
    scene->bodies.at[scene->bodies.count++] =
        (toc_body){.mesh = mesh, .groups = TOC_DEFAULT_GROUPS, .mask = TOC_DEFAULT_MASK};
    return TOC_OK;
}

toc_mesh *toc_scene_body(toc_scene *scene, uint32_t body) {
    return body < scene->bodies.count ? scene->bodies.at[body].mesh : NULL;
}

size_t toc_scene_body_count(const toc_scene *scene) { return scene->bodies.count; }
