// SPDX-License-Identifier: Apache-2.0
// The pipeline of one query: an index finds pairs, stages cull them, the narrow phase tests the rest.
//
// Workers, rounds, timing, progress, cancelling and the report of the stages are here and nowhere else. Pairs go from
// stage to stage in batches, so memory does not grow with their number. A new stage is one toc_pipeline_stage and one
// line in the `plan` of a way. Questions other than contacts (ask/question.h) have a last stage that keeps their items
// (items.h) instead of the narrow phase.
#ifndef TOC_SEARCH_PIPELINE_H
#define TOC_SEARCH_PIPELINE_H

#include "cull/surface/features.h"
#include "cull/volume/cells.h"
#include "index/index.h"
#include "scene/motion.h"
#include "search/items.h"
#include "search/narrow_phase.h"
#include "search/preset.h"
#include "search/resting_pairs.h"

struct toc_search;

enum {
    TOC_SEARCH_PIECES = 1024, // rounds of a tree search; fixed, so that they are the same for any number of threads
    TOC_HELD_LEAVES = 512,    // pairs of leaves that a worker holds back, to pass them on in larger batches
    TOC_HELD_FIRST = 16,      // the same for the first batch of TOC_ANSWER_FIRST, and twice as many for each next one
    TOC_STAGES_MOST = 12,
    TOC_NOTES_MOST = 8
};

/// Pairs on their way: of leaves as the index numbers them, of cells, or of features of one kind.
typedef struct toc_batch {
    size_t count;
    union {
        const toc_leaf_pair *leaves;
        const toc_cell_pair *cells;
        const toc_feature_pair *features;
    };
    toc_kind kind; // of the features
} toc_batch;

/// The pairs into and out of a stage on one thread. The seconds exclude the stages it called.
typedef struct toc_stage_count {
    uint64_t in, out;
    double seconds;
} toc_stage_count;

/// A stage: pairs in, pairs out, counted.
typedef struct toc_pipeline_stage {
    const char *name; // in the report; NULL for none
    /// Cull a batch, count it in worker->stages[stage], pass the rest on with toc_worker_pass. NULL for a row of the
    /// report that another stage fills.
    toc_status (*run)(struct toc_worker *worker, size_t stage, const toc_batch *batch);
} toc_pipeline_stage;

/// The surface primitives as their index numbers them, for the stages.
typedef struct toc_surface_view {
    const uint32_t (*corners)[3]; // by leaf; vertices are repeated where a primitive has fewer than three
    const uint32_t *primitives;   // by leaf; NULL where leaf i is primitive i
    const toc_motion *motion;
    /// Write the feature pairs of up to worker->features->leaf_pairs pairs of leaves to worker->features.
    void (*cull)(struct toc_worker *worker, const toc_leaf_pair *pairs, size_t count);
    toc_rests *rests; // while resting pairs are searched
} toc_surface_view;

static inline toc_primitive_pair toc_surface_primitives(const toc_surface_view *surface, toc_leaf_pair leaves) {
    const uint32_t *primitives = surface->primitives;
    return primitives ? (toc_primitive_pair){primitives[leaves.a], primitives[leaves.b]}
                      : (toc_primitive_pair){leaves.a, leaves.b};
}

/// Pairs that the stages of a thread write, too large for its stack. No two stages of a pipeline use the same array.
typedef struct toc_worker_room {
    toc_leaf_pair kept[TOC_LEAF_PAIRS + 1];    // by a stage that culls pairs of leaves; one more to overwrite
    toc_feature_pair chosen[TOC_NARROW_CHUNK]; // by the filter
} toc_worker_room;

/// The data of one thread.
typedef struct toc_worker {
    struct toc_pipeline *pipeline;
    toc_narrow_worker *narrow;
    toc_stage_count search, stages[TOC_STAGES_MOST];
    double nested;               // seconds of the stages called by the one that runs
    double busy;                 // seconds in rounds of the search
    double read;                 // the clock after the last round, where the next one begins; 0 if that reads it itself
    toc_feature_pairs *features; // room for the feature pairs of a batch
    toc_worker_room *room;
    toc_resting_pairs resting; // found by this thread
    toc_items items;           // of toc_worker_keep
    size_t round;              // of the search
    size_t held_count;         // of toc_worker_hold_leaves
    size_t held_most;          // before they are passed on
    toc_leaf_pair held[TOC_HELD_LEAVES];
    union { // of the way
        struct toc_hash_search *cells;
        struct toc_element_worker *elements;
        struct toc_interior_worker *interior;
        struct toc_brute_worker *boxes;
        struct toc_probe_stack *probes;
        struct toc_column_worker *columns;
    };
    char apart[128]; // two threads do not write to the same cache lines
} toc_worker;

/// The pipeline of one query.
typedef struct toc_pipeline {
    const toc_request *request;
    struct toc_search *kept; // kept from query to query
    const toc_step *step;    // of the scene, or one end of it
    const toc_way *way;
    uint32_t skip;   // stages left out by the preset, the query, the policy or the way
    bool declines;   // the way may decline the step
    double distance; // features within it may count as touching: the reach of the narrow phase, and the bend of paths
    int threads;
    toc_index **index;        // its slot
    toc_surface_view surface; // of ways over surface primitives; set by the fit
    size_t resting_most;      // of toc_resting_pairs_find
    _Atomic size_t resting_found;
    toc_narrow_phase narrow;
    toc_arena arena; // of the workers and of the way during this query
    toc_worker *workers;
    size_t stage_count, note_count, notes_before; // notes of the fit stand before the stages in the report
    const toc_pipeline_stage *stages[TOC_STAGES_MOST];
    toc_stage notes[TOC_NOTES_MOST];
    double gather_seconds; // until the index is fitted: positions, features, workers
    double search_seconds; // of the search, with its split into rounds, on the clock
    toc_stage *part;       // the row of the fit that the clock runs for; NULL for none
    double part_start;
    bool reports;  // whether the stages are timed, for a result
    size_t rounds; // of the search
    union {        // the plan of the way
        struct toc_tree_query *tree;
        struct toc_grid_query *grid;
        struct toc_element_query *elements;
        const struct toc_pair_list *pairs; // listed ones
    };
    struct toc_scene_question *question; // other than contacts (ask/query.h); NULL for contacts
    void *answer;                        // its result (base/result.h), or NULL if no list is kept
    toc_items spilled;                   // items of a thrifty query, in memory of the caller's allocator
} toc_pipeline;

/// Run a query: make the workers, fit the index, search, report; then free everything but a kept index, on failure too.
/// @param result filled with the contacts; as it was on failure and where the way declines. NULL for a question whose
/// way finishes its answer.
/// @param declined whether the way does (toc_way.accept).
toc_status toc_pipeline_run(toc_pipeline *pipeline, toc_contacts *result, bool *declined);

/// Add a stage behind those there are. @return its number.
size_t toc_pipeline_add_stage(toc_pipeline *pipeline, const toc_pipeline_stage *stage);

/// Begin a part of the fit: until the next part begins, the time goes to its row in the report. A part may come again.
/// @param name NULL for none.
void toc_pipeline_enter(toc_pipeline *pipeline, const char *name);
/// Set the counts of a part of the fit, or of other work outside of the stages.
void toc_pipeline_count(toc_pipeline *pipeline, const char *name, uint64_t in, uint64_t out);
/// Search on the first worker alone, during the fit. The time counts as that of the search.
toc_status toc_pipeline_search_alone(toc_pipeline *pipeline, toc_status (*search)(toc_worker *worker));
/// A part of a query outside of the search: runs its own rounds, and fills the counts of its row in the report.
typedef toc_status toc_pipeline_part(toc_pipeline *pipeline, toc_stage *row);
/// Run a part and add its row. The pipeline takes the time, which excludes the narrow phase of the rounds.
toc_status toc_pipeline_run_part(toc_pipeline *pipeline, const char *name, toc_pipeline_part *part);
/// Run rounds on all threads. @param round takes the worker of its thread. @param progress NULL for none.
toc_status toc_pipeline_loop(toc_pipeline *pipeline, size_t rounds, toc_status (*round)(toc_worker *, size_t),
                             const toc_progress *progress);

/// Pass a batch to a stage; behind the last one to the narrow phase. An empty batch ends here.
toc_status toc_worker_pass(toc_worker *worker, size_t stage, const toc_batch *batch);
/// The same for a stage that finds its pairs itself: it takes an empty batch too.
toc_status toc_worker_run(toc_worker *worker, size_t stage, const toc_batch *batch);
/// Pass the feature pairs in worker->features to a stage.
toc_status toc_worker_pass_features(toc_worker *worker, size_t stage);
/// Ask the caller's progress function whether to go on, for stages that take long within a round. Only the worker of
/// the calling thread asks. @return TOC_OK or TOC_STOPPED.
toc_status toc_worker_poll(const toc_worker *worker);
/// Take pairs of leaves from an index: a toc_leaf_pairs_take whose user is a worker.
toc_status toc_worker_take_leaves(void *worker, const toc_leaf_pair *pairs, size_t count);
/// Likewise, but small batches wait for those of later rounds: batches of full lanes, fewer clocks. The pipeline passes
/// the last ones on behind the search. Not for TOC_ANSWER_ANY: there a contact ends the search.
toc_status toc_worker_hold_leaves(void *worker, const toc_leaf_pair *pairs, size_t count);

#endif
