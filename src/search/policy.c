// SPDX-License-Identifier: Apache-2.0
// The preset auto: the way that was measured to be the fastest for what the scene is made of.
//
// Faces that are new are hashed; once they were asked about as they are, a tree over them is worth building
// (docs/decisions/0011-hash-or-tree.md). Inside a volume every face has dozens of others beside it, which a tree
// over elements, a fourth of them or fewer, mostly need not look at (docs/decisions/0008-elements-of-volumes.md); and
// once these were asked about as they are, it is enough to look at the surface, and inside where that may touch
// (docs/decisions/0015-inside-from-the-surface.md).
#include "base/threads.h"
#include "mesh/mesh.h"
#include "search/interior.h"
#include "search/surface_grid.h"

static bool is_mostly_volume(const toc_scene *scene) {
    size_t volumes = 0, others = 0;
    for (size_t b = 0; b < scene->bodies.count; b++) {
        const toc_mesh *mesh = scene->bodies.at[b].mesh;
        for (size_t e = 0; e < mesh->shapes.count; e++) {
            volumes += mesh->shapes.at[e] >= TOC_TET;
            others += mesh->shapes.at[e] < TOC_TET && mesh->shapes.at[e] != TOC_REMOVED;
        }
    }
    return volumes > others;
}

static bool is_accelerated(const toc_scene *scene) {
    for (size_t b = 0; b < scene->bodies.count; b++)
        if (toc_mesh_get_acceleration(scene->bodies.at[b].mesh)) return true;
    return false;
}

toc_status toc_scene_need_straight(const toc_scene *scene) {
    if (!is_accelerated(scene)) return TOC_OK;
    return toc_fail(TOC_BAD_INPUT, "this takes straight paths only, and bodies are accelerated");
}

static bool takes_elements(const toc_scene *scene, const toc_query *query) {
    return is_accelerated(scene) || (!query->surface_only && is_mostly_volume(scene));
}

// Hash what was not asked about before, as there is no tree yet; once there is one, what was hashed is of no more use.
// The certified test's own first look takes less than comparing DOPs of features.
static toc_status find_faces(const toc_preset *preset, toc_scene *scene, const toc_query *query, toc_contacts **out) {
    const bool known = scene->asked_version == scene->step.version;
    toc_query hashing = *query;
    hashing.skip |= TOC_SKIP_FEATURE_DOPS;
    scene->asked_version = scene->step.version;
    if (!known) {
        TOC_TRY(toc_grid_find(preset, scene, &hashing, out));
        (*out)->chosen = "surface-grid";
        return TOC_OK;
    }
    toc_surface_grid_free(scene->hashed);
    scene->hashed = NULL;
    TOC_TRY(toc_tree_find(preset, scene, query, out));
    (*out)->chosen = "surface-tree";
    return TOC_OK;
}

// Elements that were asked about before, as they are, are searched from their surface; what takes as long as some steps
// to prepare is not done for those that change all the time.
static bool takes_inside(const toc_preset *preset, const toc_scene *scene, const toc_query *query) {
    enum { PATIENCE = 2 };
    const toc_pair_test *test = &query->test;
    const toc_element_tree *volume = scene->volume;
    return takes_elements(scene, query) && !is_accelerated(scene) && query->skip == 0 && test->separation == 0 &&
           test->tolerance == 0 && test->from == 0 && test->to == 1 &&
           toc_preset_method(preset, query) == TOC_METHOD_CERTIFIED && volume && volume->asked >= PATIENCE &&
           volume->has_osets && !volume->surface_only && toc_element_tree_is_current(volume, scene);
}

static toc_status find_elements(const toc_preset *preset, toc_scene *scene, const toc_query *query,
                                toc_contacts **out) {
    enum { REST = 16 }; // steps before the surface is tried again
    toc_contacts *contacts = NULL;
    if (takes_inside(preset, scene, query)) {
        TOC_TRY(toc_tree_find_interior(preset, scene, scene->volume, query, &contacts));
        if (!contacts) scene->volume->asked = -REST;
    }
    if (!contacts) return toc_elements_find(preset, scene, query, out);
    contacts->chosen = "interior";
    *out = contacts;
    return TOC_OK;
}

toc_status toc_auto_find(const toc_preset *preset, toc_scene *scene, const toc_query *query, toc_contacts **out) {
    return (takes_elements(scene, query) ? find_elements : find_faces)(preset, scene, query, out);
}

// Volumes follow edits by themselves, and only the filter of groups asks who is around a feature.
toc_status toc_preset_update(const toc_preset *preset, toc_scene *scene, const toc_query *query) {
    const int threads = toc_threads_resolve(query->threads);
    const bool curved =
        preset->find == toc_elements_find || preset->find == toc_auto_find || preset->find == toc_brute_find;
    if (!curved && is_accelerated(scene))
        return toc_fail(
            TOC_BAD_INPUT,
            "the preset %s takes straight paths only, and bodies are accelerated; ask auto, volccd or brute",
            preset->name);
    if (preset->find == toc_auto_find && takes_inside(preset, scene, query))
        return toc_step_update(scene, true, threads);
    const bool volumes =
        preset->find == toc_elements_find || (preset->find == toc_auto_find && takes_elements(scene, query));
    if (volumes && scene->ignored.count == 0) return toc_step_place(scene);
    return toc_step_update(scene, query->surface_only, threads);
}

void toc_search_free_kept(toc_scene *scene) {
    toc_surface_tree_free(scene->tree);
    toc_surface_tree_free(scene->static_tree);
    toc_element_tree_free(scene->volume);
    toc_surface_grid_free(scene->hashed);
}
