// SPDX-License-Identifier: Apache-2.0
// A scene: bodies, and the door to every query.
#include "query/scene.h"

#include "base/threads.h"
#include "exact/pair.h"
#include "query/hash.h"
#include "query/preset.h"
#include "query/tree.h"
#include "query/volume.h"

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
    toc_tree_free(scene->tree);
    toc_volume_free(scene->volume);
    toc_hashed_free(scene->hashed);
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

toc_query toc_query_default(void) {
    toc_query query = {.size = sizeof query, .preset = "auto", .answer = TOC_ALL, .test = toc_pair_test_default()};
    query.test.method = TOC_PRESET_METHOD;
    return query;
}

toc_status toc_query_check(const toc_query *query, const toc_preset **preset) {
    if (!query || query->size != sizeof *query)
        return toc_fail(TOC_BAD_INPUT, "the query settings must come from toc_query_default");
    *preset = query->preset ? toc_preset_named(query->preset) : NULL;
    if (!*preset) return toc_fail(TOC_BAD_INPUT, "there is no preset %s", query->preset ? query->preset : "NULL");
    if ((unsigned)query->answer > TOC_ANY)
        return toc_fail(TOC_BAD_INPUT, "there is no answer number %d", (int)query->answer);
    if (query->skip > TOC_SKIP_ALL)
        return toc_fail(TOC_BAD_INPUT, "there is nothing to skip for all bits of %#x", (unsigned)query->skip);
    if (query->threads < 0) return toc_fail(TOC_BAD_INPUT, "the number of threads is %d", query->threads);
    return TOC_OK;
}

toc_status toc_scene_find_contacts(toc_scene *scene, const toc_query *query, toc_contacts **out) {
    const double start = toc_seconds();
    const toc_preset *preset = NULL;
    toc_contacts *contacts;
    TOC_TRY(toc_query_check(query, &preset));
    TOC_TRY(toc_preset_update(preset, scene, query));
    TOC_TRY(preset->find(preset, scene, query, &contacts));
    contacts->preset = preset->name;
    contacts->seconds = toc_seconds() - start;
    *out = contacts;
    return TOC_OK;
}
