// SPDX-License-Identifier: Apache-2.0
// What a preset is to the rest: a way through the stages, one row in presets.c.
#ifndef TOC_SEARCH_PRESET_H
#define TOC_SEARCH_PRESET_H

#include "toccata/research.h"

typedef struct toc_preset {
    const char *name;
    /// Find the contacts of a scene, whose step is up to date. The settings are valid.
    toc_status (*find)(const struct toc_preset *preset, toc_scene *scene, const toc_query *query, toc_contacts **out);
    toc_method method; // where the query names none
    int dop;           // sides of its k-DOPs, where it has any
    uint32_t lower;    // leaves of the largest nodes of its tree's lower layer; 0 for no such layer
    double lower_from; // how many times their extent primitives must sweep for that layer to pay
    bool hashes;       // a spatial hash instead of a tree
    uint32_t skip;     // stages it leaves out, as in toc_query
    bool published;    // of those that hash: as Jung and Choi have it, misses and all
} toc_preset;

/// NULL when there is none of this name.
const toc_preset *toc_preset_named(const char *name);
/// Copy a caller's query, of this version or an older one, and refuse settings that make no sense.
/// @param preset receives the preset of the query.
toc_status toc_query_take(const toc_query *given, toc_query *query, const toc_preset **preset);

/// The name of the pipeline of a preset that has one only (toc_contacts.chosen).
const char *toc_preset_pipeline(const toc_preset *preset);

/// Bring the scene's step up to date as far as the preset that is asked for needs it.
toc_status toc_preset_update(const toc_preset *preset, toc_scene *scene, const toc_query *query);

/// Refuse bodies that are accelerated, for questions that take straight paths only.
toc_status toc_scene_need_straight(const toc_scene *scene);

/// Free what searches keep in a scene from step to step.
void toc_search_free_kept(toc_scene *scene);

static inline toc_method toc_preset_method(const toc_preset *preset, const toc_query *query) {
    return query->test.method == TOC_METHOD_OF_PRESET ? preset->method : query->test.method;
}

toc_status toc_auto_find(const toc_preset *preset, toc_scene *scene, const toc_query *query, toc_contacts **out);

toc_status toc_brute_find(const toc_preset *preset, toc_scene *scene, const toc_query *query, toc_contacts **out);

toc_status toc_grid_find(const toc_preset *preset, toc_scene *scene, const toc_query *query, toc_contacts **out);

toc_status toc_tree_find(const toc_preset *preset, toc_scene *scene, const toc_query *query, toc_contacts **out);

toc_status toc_elements_find(const toc_preset *preset, toc_scene *scene, const toc_query *query, toc_contacts **out);

#endif
