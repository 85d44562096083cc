// SPDX-License-Identifier: Apache-2.0
// The distributed scene as its modules see it.
//
// Three distributions: the caller's (home.c), regions of space of about equal work (partition.c), and the elements that
// each rank searches (work.c): those that reach into its region. A pair of features is decided by the rank whose region
// has the lowest corner of the intersection of their boxes. Every element around these features reaches there, so that
// rank knows all there is to know about them (docs/mpi.md).
#ifndef MPI_SCENE_H
#define MPI_SCENE_H

#include <stdatomic.h>

#include "base/result.h"
#include "mpi/ids.h"
#include "mpi/link.h"
#include "toccata/mpi.h"

enum { DIST_CORNERS = 8 };

/// An element of this rank; corners are places in the vertices of its body.
typedef struct dist_element {
    uint64_t id;
    double thickness;
    int32_t group;
    uint32_t shape; // toc_shape
    uint32_t corner[DIST_CORNERS];
} dist_element;

/// A body as this rank has it, in the order of the caller.
typedef struct dist_body {
    TOC_ARRAY(uint64_t) ids;
    TOC_ARRAY(uint8_t) gone; // removed vertices
    TOC_ARRAY(double) x0;
    TOC_ARRAY(double) x1;
    TOC_ARRAY(double) acceleration; // empty on straight paths
    TOC_ARRAY(dist_element) elements;
    dist_ids vertex_places, element_places; // by id; only between an edit and the next question
    bool has_places;
    uint64_t layers, mask;
    bool self;
    double thickness;
} dist_body;

typedef struct dist_group_pair {
    int32_t low, high;
} dist_group_pair;

/// A vertex of this rank in the order of ids.
typedef struct dist_flat_vertex {
    uint64_t id;
    uint32_t body, place;
    int32_t owner; // the lowest rank that has it
} dist_flat_vertex;

/// An element that this rank owns, in the order of ids.
typedef struct dist_flat_element {
    uint32_t body, place;
} dist_flat_element;

/// All bodies of this rank in one order: by body, then id.
typedef struct dist_flat {
    TOC_ARRAY(dist_flat_vertex) vertices;
    TOC_ARRAY(dist_flat_element) elements;
    TOC_ARRAY(uint32_t) flat_of; // by body_first[body] + place: the vertex in `vertices`
    TOC_ARRAY(size_t) body_first;
    double thickest; // of the elements
    bool is_current;
} dist_flat;

/// The part of the step whose bounds count.
typedef enum dist_span { DIST_STEP = -1, DIST_START = TOC_AT_START, DIST_END = TOC_AT_END } dist_span;

/// A box that holds its low sides and not its high ones.
typedef struct dist_region {
    double low[3], high[3];
} dist_region;

/// Regions of all ranks.
typedef struct dist_partition {
    struct Zoltan_Struct *zoltan; // NULL with one rank
    TOC_ARRAY(dist_region) regions;
    TOC_ARRAY(int) found;     // room for the answers of Zoltan
    TOC_ARRAY(float) weights; // of the flat elements
    bool is_made;
    bool is_whole;                           // one region for all, that of rank 0
    bool is_weighted;                        // made with the work of a question
    bool is_unequal;                         // the last question was out of balance, and counted its pairs at vertices
    bool is_suspect;                         // the last question was out of balance, and did not
    int age;                                 // questions since it was made
    int cuts;                                // with weights, one after the other
    double balance_before, balance_when_new; // of the regions before these, and of these
} dist_partition;

/// The elements that each rank is sent, and the places of the vertices that come in.
typedef struct dist_plan {
    TOC_ARRAY(uint64_t) reach_first; // by flat element; one more
    TOC_ARRAY(int) reach;            // ranks that it is sent to, ascending
    TOC_ARRAY(dist_region) rims;     // of the elements that are sent to several ranks: the boxes that were asked for
    TOC_ARRAY(int32_t) inner_of;     // of vertices, as flat_of: the one rank that has an element of it; -1 for none
    dist_parcels vertex_out;         // of uint32_t: flat vertices for each rank
    dist_parcels element_out;        // of uint32_t: flat elements for each rank
    dist_parcels move_out, move_in;  // of dist_motion
    dist_transfer moving;
    TOC_ARRAY(uint64_t) element_from; // ranks + 1: the first element from each rank
    TOC_ARRAY(uint32_t) vertex_place; // of each vertex that comes in: its place in the work
    TOC_ARRAY(uint8_t) is_copy;       // whether a vertex before it has the same place
    TOC_ARRAY(uint32_t) element_place;
    bool is_made;
    int age;        // questions that it has served
    double ahead;   // steps of the same motion that it was made for, beside the step
    double trust;   // questions served for each step ahead, of the plans before; 0 at first
    double longest; // questions that it can serve, where edits end plans; infinite otherwise
    bool is_outrun; // the plan ended because elements reached farther
    double widest;  // the largest growth of bounds since the plan before it
    bool is_steady; // expected to serve several questions, as the plan before it did
} dist_plan;

/// The motion of a vertex as it is sent.
typedef struct dist_motion {
    double x0[3], x1[3];
} dist_motion;

/// The elements that this rank searches: a local scene whose ids are in the order of the caller's.
typedef struct dist_work {
    toc_scene *scene;
    TOC_ARRAY(size_t) vertex_first, element_first; // by body; one more
    TOC_ARRAY(uint64_t) ids;
    TOC_ARRAY(int32_t) owners;
    TOC_ARRAY(double) x0;
    TOC_ARRAY(double) x1;
    TOC_ARRAY(double) acceleration, control; // where the scene is accelerated
    TOC_ARRAY(uint64_t) element_ids;
    TOC_ARRAY(int32_t) homes;          // of elements: the rank that handed it in
    TOC_ARRAY(_Atomic uint32_t) tests; // pairs decided at each vertex
    TOC_ARRAY(uint8_t) inside;         // of vertices: whether features of these alone are this rank's to decide
    _Atomic uint64_t decided, turned_down;
    bool is_counted; // whether `tests` has the pairs of the question
    bool is_stale;   // the local scene ignores other groups than the scene does
    uint64_t ghosts;
} dist_work;

struct toc_mpi_scene {
    dist_link link;
    TOC_ARRAY(dist_body) bodies;
    TOC_ARRAY(dist_group_pair) ignored;
    dist_ids ignored_places; // by both groups
    toc_mpi_filter filter;
    bool is_accelerated; // a body of a rank, in the question under way: all paths have control points then
    dist_flat flat;
    dist_partition partition;
    dist_plan plan;
    dist_work work;
    toc_mpi_report report; // of the question under way
    toc_status failed;     // of a local call, for the next collective one
    char message[1024];
    double begun;
};

/// Compare the bodies and ids of flat vertices.
int toc_dist_compare_vertices(const void *a, const void *b);

/// Bring the flat order up to date, and find owners. Collective.
toc_status toc_dist_flatten(toc_mpi_scene *scene);
void toc_dist_home_free(toc_mpi_scene *scene);

// As fmin and fmax, without calls.
static inline double dist_lower(double a, double b) { return a < b ? a : b; }
static inline double dist_higher(double a, double b) { return a > b ? a : b; }

static inline const dist_element *dist_element_at(const toc_mpi_scene *scene, size_t flat) {
    const dist_flat_element *e = &scene->flat.elements.at[flat];
    return &scene->bodies.at[e->body].elements.at[e->place];
}

/// The flat vertex of a corner of an element of a body.
static inline uint32_t dist_corner(const toc_mpi_scene *scene, uint32_t body, uint32_t place) {
    return scene->flat.flat_of.at[scene->flat.body_first.at[body] + place];
}

/// The box of an element in a span, grown by a length to all sides.
dist_region toc_dist_bound(const toc_mpi_scene *scene, size_t flat, dist_span span, double growth);
/// A box that also holds the element while it goes on like this for some more steps, by a quarter faster or slower and
/// at least by `slack` to all sides.
dist_region toc_dist_bound_ahead(const toc_mpi_scene *scene, size_t flat, dist_span span, double growth, double ahead,
                                 double slack);

/// Make regions of about equal work where there are none, or where the last question was out of balance. Collective.
toc_status toc_dist_partition_update(toc_mpi_scene *scene, dist_span span);
void toc_dist_partition_free(toc_mpi_scene *scene);
/// Whether a further cut pays, after some with weights: @param before, @param now the balance of the last two.
bool toc_dist_cuts_pay(int cuts, double before, double now);
/// Take note of the balance of a question.
void toc_dist_partition_judge(toc_mpi_scene *scene, double balance);
/// Whether the next question must count its pairs, as weights for new regions.
static inline bool dist_partition_needs_counts(const dist_partition *p) {
    return !p->is_whole && (p->is_suspect || (!p->is_weighted && p->age == 0));
}
/// The ranks whose regions a box reaches, ascending. @return their number; -1 for a failure of Zoltan.
int toc_dist_partition_reach(dist_partition *partition, const dist_link *link, const dist_region *box, int **ranks);
/// Whether a region has a point.
static inline bool dist_region_has(const dist_region *r, const double p[3]) {
    return r->low[0] <= p[0] && p[0] < r->high[0] && r->low[1] <= p[1] && p[1] < r->high[1] && r->low[2] <= p[2] &&
           p[2] < r->high[2];
}
/// Whether a box is inside of a region, and reaches none of its sides.
static inline bool dist_region_holds(const dist_region *r, const dist_region *box) {
    return r->low[0] < box->low[0] && box->high[0] < r->high[0] && r->low[1] < box->low[1] &&
           box->high[1] < r->high[1] && r->low[2] < box->low[2] && box->high[2] < r->high[2];
}

/// Bring the local scene up to date for a question about a span, with bounds grown by a length. Collective.
toc_status toc_dist_work_update(toc_mpi_scene *scene, dist_span span, double growth);
/// The balance of the work of the question: the maximum over the mean of all ranks. Collective.
double toc_dist_work_balance(toc_mpi_scene *scene);
/// Send the work of each element back to its home. Collective.
toc_status toc_dist_work_weigh(toc_mpi_scene *scene);
void toc_dist_work_free(toc_mpi_scene *scene);

/// Begin a question: report failures of local calls, check the settings, bring the local scene up to date. Collective.
typedef struct dist_question {
    toc_query query;   // for the local scene
    dist_span span;    // whose bounds count
    double distance;   // within which features count, beside their thickness
    bool thin;         // thickness does not count
    uint64_t question; // a number of its own for each kind of question
    double growth;     // of bounds: set by toc_dist_begin
    toc_mpi_scene *scene;
} dist_question;
/// @param mine the check of the settings by the caller.
toc_status toc_dist_begin(toc_mpi_scene *scene, toc_status mine, dist_question *q);
/// Check the settings that all questions have, and copy all of them.
toc_status toc_dist_take_plain(const toc_query *query, toc_query *out);
/// The same for a question about contacts.
toc_status toc_dist_take_query(const toc_query *query, toc_query *out);
/// Let the local scene decide only the pairs of this rank, and count them at their vertices. @param q must stay in
/// place during the query.
void toc_dist_use_filter(dist_question *q);
/// Whether a pair of features in the local scene is this rank's to decide.
bool toc_dist_is_own_pair(const dist_question *q, toc_kind kind, const uint32_t body[2], const uint32_t v[4]);
/// Whether two boxes of features are a pair of this rank: by the lowest corner of their intersection.
bool toc_dist_is_mine(const dist_question *q, const double low_a[3], const double low_b[3]);
/// The low corner of the box of vertices of a body in the span.
void toc_dist_low_corner(const dist_question *q, uint32_t body, int count, const uint32_t *v, double low[3]);
/// Complete the report. Collective.
void toc_dist_end(toc_mpi_scene *scene);

/// Items of one size, a result of a question.
typedef struct dist_items {
    size_t item;
    dist_compare *compare;
    char *at;
    int32_t *ranks; // where each goes
    size_t count, capacity;
} dist_items;
/// Make room for more items.
toc_status toc_dist_items_reserve(const dist_link *link, dist_items *items, size_t extra);
/// Append an item for a rank.
toc_status toc_dist_items_add(const dist_link *link, dist_items *items, const void *item, int rank);
void toc_dist_items_free(const dist_link *link, dist_items *items);
/// Send items to their ranks; each receives its own in order. Collective.
toc_status toc_dist_items_send(dist_link *link, toc_status mine, const dist_items *items, dist_items *out);

/// A kind of answer: its list (base/result.h), and how its items are found and ordered.
typedef struct dist_answer_type {
    toc_answer_type list; // without an order of its own: ids of the caller have 64 bits
    dist_compare *compare;
    size_t total_at, report_at; // in the list
    /// Find the items of this rank, each with the rank that owns it.
    toc_status (*search)(dist_question *q, dist_items *found);
    /// Drop items that the query does not want, once those of all ranks are known. May be NULL. Collective.
    toc_status (*choose)(dist_question *q, toc_status mine, dist_items *found);
    /// Fill in the fields of the list that all ranks have in common, beside `total`. May be NULL. Collective.
    void (*complete)(dist_link *link, void *list);
} dist_answer_type;
/// No items of a type.
dist_items toc_dist_items_of(const dist_answer_type *type);
/// Send items to their owners, and make a list of those of this rank; free it with toc_result_free. Collective.
toc_status toc_dist_answer_send(dist_link *link, toc_status mine, const dist_answer_type *type, const dist_items *found,
                                void **out);
/// Ask a question: begin it, search, send the items to their owners, count and report. Collective.
/// @param mine the check of the settings by the caller. @param out untouched on failure.
toc_status toc_dist_answer_ask(toc_mpi_scene *scene, toc_status mine, const dist_answer_type *type, dist_question *q,
                               void **out);

/// A pair of features with the ids of the caller. @return the rank that owns it.
int toc_dist_name_pair(const toc_mpi_scene *scene, toc_kind kind, const uint32_t body[2], const uint32_t v[4],
                       uint64_t out[4]);
/// The order of pairs of features: by kind, bodies and vertices.
static inline int dist_compare_pairs(const toc_kind kind[2], const uint32_t *const body[2],
                                     const uint64_t *const v[2]) {
    if (kind[0] != kind[1]) return kind[0] < kind[1] ? -1 : 1;
    for (int i = 0; i < 2; i++)
        if (body[0][i] != body[1][i]) return body[0][i] < body[1][i] ? -1 : 1;
    for (int i = 0; i < 4; i++)
        if (v[0][i] != v[1][i]) return v[0][i] < v[1][i] ? -1 : 1;
    return 0;
}
int toc_dist_compare_contacts(const void *a, const void *b);
/// The contact of a local scene with the ids of the caller. @return the rank that owns it.
int toc_dist_name_contact(const toc_mpi_scene *scene, const toc_contact *c, toc_mpi_contact *out);

#endif
