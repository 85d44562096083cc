// SPDX-License-Identifier: Apache-2.0
// Presets and the ways they take: facts about them as data, one row each (presets.c).
#ifndef TOC_SEARCH_PRESET_H
#define TOC_SEARCH_PRESET_H

#include "search/traversal.h"
#include "toccata/research.h"
#include "toccata/scene.h"

struct toc_answer_type;

/// How the index of a way sees the scene: which part of the step must be up to date before it is fitted.
typedef enum toc_way_input {
    TOC_INPUT_FEATURES, ///< Positions and the features that the query asks about.
    TOC_INPUT_SURFACE,  ///< Positions and the features of the boundary.
    TOC_INPUT_ELEMENTS  ///< Positions alone: the index follows the elements itself.
} toc_way_input;

/// The place of an index in toc_search.
typedef enum toc_index_slot {
    TOC_SLOT_SURFACE_TREE, ///< Of the motion of a step.
    TOC_SLOT_STATIC_TREE,  ///< A surface tree for questions other than contacts, most of them at an end of the step.
    TOC_SLOT_SURFACE_GRID,
    TOC_SLOT_STATIC_GRID, ///< A surface grid for near pairs.
    TOC_SLOT_ELEMENT_TREE,
    TOC_SLOT_SWEEP,
    TOC_SLOT_SOLID_TREE,
    TOC_SLOT_DEVICE,          ///< Of the primitives of surfaces.
    TOC_SLOT_DEVICE_ELEMENTS, ///< Of elements, so that near pairs between two steps change nothing there.
    TOC_SLOT_LISTED,          ///< Empty: the caller keeps listed pairs.
    TOC_SLOT_COUNT
} toc_index_slot;

/// A way through the pipeline: an index, its traversal and the stages behind it.
typedef struct toc_way {
    const char *name;        // as toc_contacts tells it
    const char *search_name; // of the search in the report
    toc_index_slot slot;     // of its index
    const toc_traversal *traversal;
    toc_way_input input;
    bool curved;         // takes accelerated bodies
    bool chords;         // on parabolas it bounds the straight paths between their ends, grown by toc_step_bend
    bool thin;           // features have no thickness, whatever the query says
    bool takes_worlds;   // all of each world, whatever the reach of the request
    bool reads_elements; // around features
    bool on_device;      // the device finds and tests the pairs: none is left for search/device_tests.h
    const struct toc_answer_type *answer; // of a question other than contacts: of its items; NULL for none
    /// Choose the stages for a query, and allocate its own data.
    toc_status (*plan)(struct toc_pipeline *pipeline);
    /// Prepare a worker. May be NULL.
    toc_status (*hire)(struct toc_worker *worker);
    /// Bring the index up to date with the step, or make it. Name its parts with toc_pipeline_enter. On failure the
    /// slot is empty.
    toc_status (*fit)(struct toc_pipeline *pipeline);
    /// Whether the way suits the step, once its index is fitted; asked where the policy has another way at hand. May be
    /// NULL: it does.
    toc_status (*accept)(struct toc_pipeline *pipeline, bool *suits);
    /// Work behind the search; complete the counts of the report. May be NULL.
    toc_status (*finish)(struct toc_pipeline *pipeline);
    /// Free the memory of the query outside of the arena. May be NULL.
    void (*free)(struct toc_pipeline *pipeline);
} toc_way;

extern const toc_way toc_tree_way, toc_grid_way, toc_elements_way, toc_interior_way, toc_brute_way;
extern const toc_way toc_device_way, toc_device_elements_way; // of surfaces, of volumes

/// A preset: a way with its settings. A query can override only the method, dop, height and skips.
typedef struct toc_preset {
    const char *name;
    const toc_way *way;   // NULL: the policy chooses (policy.h)
    toc_method method;    // where the query names none
    int dop;              // sides of its k-DOPs, where it has any
    uint32_t lower;       // leaves of the largest nodes of its tree's lower layer; 0 for no such layer
    double lower_from;    // sweep ratio from which that layer pays (sweep_ratio.h)
    bool hashes;          // of elements: a spatial hash instead of a tree
    uint32_t skip;        // stages it leaves out, as in toc_research
    bool culls_triangles; // of the tree: the culling steps for two triangles in place of the DOPs of features
    bool published;       // of the grid: as Jung and Choi have it; of elements: the axes of Tang et al.
    uint32_t lossy;       // stages of it that can miss a contact, as bits of skip
} toc_preset;

/// NULL when there is none of this name.
const toc_preset *toc_preset_find(const char *name);

static inline toc_method toc_preset_method(const toc_preset *preset, const toc_query *query) {
    return query->test.method == TOC_METHOD_OF_PRESET ? preset->method : query->test.method;
}

#endif
