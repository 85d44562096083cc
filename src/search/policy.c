// SPDX-License-Identifier: Apache-2.0
// Choosing the way that was measured to be the fastest for the scene.
//
// Surfaces: a new scene is hashed, unless the cells are crowded; from the second query on a tree pays
// (docs/decisions/0011-hash-or-tree.md). Where more queries are known to follow, it pays from the first one on.
// Volumes: inside a volume every face has dozens of others around it, and a tree over elements skips most of them
// (docs/decisions/0008-elements-of-volumes.md). Once the elements were searched unchanged for some queries, it is
// enough to search the surface, and the interior behind it (docs/decisions/0015-inside-from-the-surface.md).
// Where a device is asked for, it searches either (docs/decisions/0063-volumes-on-a-device.md).
#include "search/policy.h"

#include "mesh/mesh.h"
#include "scene/thickness.h"
#include "search/device_search.h"
#include "search/element_tree.h"
#include "search/search.h"

enum {
    PATIENCE = 2,      // queries of unchanged elements before the interior is mapped, which takes as long as some steps
    INTERIOR_REST = 16 // queries before the interior is tried again once it declined
};

// Counts of a few shapes fit into bytes, which are added up in lanes: all elements are counted in every query.
static void count_shapes(const uint8_t *shapes, size_t count, size_t *volumes, size_t *others) {
    for (size_t i = 0, end; i < count; i = end) {
        uint8_t solid = 0, alive = 0;
        end = count - i < UINT8_MAX ? count : i + UINT8_MAX;
        for (size_t e = i; e < end; e++) {
            solid = (uint8_t)(solid + (shapes[e] >= TOC_TET));
            alive = (uint8_t)(alive + (shapes[e] != TOC_REMOVED));
        }
        *volumes += solid;
        *others += (size_t)(alive - solid);
    }
}

static bool is_mostly_volume(const toc_scene *scene) {
    size_t volumes = 0, others = 0;
    for (size_t b = 0; b < scene->bodies.count; b++) {
        const toc_mesh *mesh = scene->bodies.at[b].mesh;
        count_shapes(mesh->shapes.at, mesh->shapes.count, &volumes, &others);
    }
    return volumes > others;
}

_Static_assert(TOC_REMOVED < TOC_TET, "a volume is no removed element");

// The proof of the interior search holds for the certified test with default settings, over the whole step.
static bool interior_is_proven(const toc_request *request) {
    const toc_query *query = &request->query;
    const toc_pair_test *test = &query->test;
    return request->research.skip == 0 && test->separation == 0 && test->tolerance == 0 && test->from == 0 &&
           test->to == 1 && toc_request_method(request) == TOC_METHOD_CERTIFIED &&
           toc_thickness_most(request->scene, query) == 0;
}

static bool interior_is_ready(const toc_request *request) {
    const toc_scene *scene = request->scene;
    const toc_search *search = scene->search;
    if (request->thrifty || !search || search->policy.element_queries < PATIENCE) return false;
    const toc_element_tree *tree = (const toc_element_tree *)search->indexes[TOC_SLOT_ELEMENT_TREE];
    return tree && tree->has_orphans && !tree->surface_only && toc_element_tree_is_current(tree, scene);
}

static toc_choice choose_index(const toc_request *request) {
    const toc_scene *scene = request->scene;
    const bool is_known = scene->search && scene->search->policy.seen_features == scene->step.version;
    if (is_known || scene->is_steady || request->thrifty)
        return (toc_choice){.way = &toc_tree_way, .retires_grid = true};
    // The prefilter of the certified test costs less than comparing DOPs of features.
    return (toc_choice){.way = &toc_grid_way, .skip = TOC_SKIP_FEATURE_DOPS, .declines = true};
}

static toc_choice choose_surface(const toc_request *request) {
    if (toc_device_search_suits(request)) return (toc_choice){.way = &toc_device_way, .declines = true};
    return choose_index(request);
}

static toc_choice choose_way(const toc_request *request) {
    const toc_scene *scene = request->scene;
    if (request->preset->way) return (toc_choice){.way = request->preset->way};
    if (request->query.surface_only || !is_mostly_volume(scene)) return choose_surface(request);
    if (toc_device_search_suits(request)) return (toc_choice){.way = &toc_device_elements_way, .declines = true};
    if (!toc_scene_is_accelerated(scene) && interior_is_proven(request) && interior_is_ready(request))
        return (toc_choice){.way = &toc_interior_way, .declines = true};
    return (toc_choice){.way = &toc_elements_way};
}

static toc_choice with_skips(const toc_request *request, toc_choice choice) {
    choice.skip |= request->preset->skip | request->research.skip;
    return choice;
}

toc_choice toc_policy_choose(const toc_request *request) { return with_skips(request, choose_way(request)); }

toc_choice toc_policy_decline(const toc_request *request, const toc_choice *declined) {
    if (declined->way == &toc_device_way) return with_skips(request, (toc_choice){.way = &toc_tree_way});
    if (declined->way == &toc_grid_way)
        return with_skips(request, (toc_choice){.way = &toc_tree_way, .retires_grid = true});
    if (declined->way == &toc_interior_way) request->scene->search->policy.element_queries = -INTERIOR_REST;
    return with_skips(request, (toc_choice){.way = &toc_elements_way});
}

void toc_policy_note_elements(toc_policy *policy, bool changed) {
    if (changed) policy->element_queries = 0;
    policy->element_queries++;
}

void toc_policy_note_first(toc_policy *policy, bool soon) { policy->first_is_late = !soon; }

void toc_policy_note(const toc_request *request, const toc_choice *choice) {
    toc_scene *scene = request->scene;
    toc_search *search = scene->search;
    if (request->preset->way || choice->way->input != TOC_INPUT_FEATURES) return;
    search->policy.seen_features = scene->step.version;
    if (!choice->retires_grid || !search->indexes[TOC_SLOT_SURFACE_GRID]) return;
    toc_search_drop(search, TOC_SLOT_SURFACE_GRID);
    toc_pool_release(&scene->pool);
}
