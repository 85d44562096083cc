// SPDX-License-Identifier: Apache-2.0
#ifndef TOCCATA_SOLVER_H
#define TOCCATA_SOLVER_H

#include "toccata/convex.h"
#include "toccata/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

// Questions of a solver's inner loop, beside contacts.

/// How much room a step leaves. Begin with toc_room_default or toc_room_init.
typedef struct toc_room {
    uint32_t size; ///< Set by toc_room_init; do not change it.
    double share;  ///< The least share of its initial gap that a pair keeps, above 0 and below 1. Default 0.2.
    double most;   ///< A gap that is enough for any share, length, >= 0. Default 0: a thousandth of the diagonal of the
                   ///< scene (2^-10), the usual reach of an IPC barrier.
} toc_room;

/// Write the defaults named in toc_room.
/// @param size sizeof *room as the caller knows it; base.h, "Growth".
TOC_INLINE_API toc_status toc_room_init(toc_room *room, size_t size) {
    return toc_defaults_write(TOC_DEFAULTS_ROOM, room, size);
}
/// The same as a value.
TOC_INLINE_API toc_room toc_room_default(void) {
    toc_room room;
    toc_room_init(&room, sizeof room);
    return room;
}

/// A step that leaves room.
typedef struct toc_room_step {
    double fraction;  ///< Of the step, 0 to 1.
    bool limited;     ///< True if a pair limits the step; the fields below are valid only then.
    toc_kind kind;    ///< The pair that limits it, as in toc_contact; the first in that order if several do.
    uint32_t body[2]; ///< Of the first and of the second feature.
    uint32_t v[4];    ///< Vertex ids.
    double start;     ///< The distance of the pair at the start, rounded down: below the true one by at most 2^-48 of
                      ///< the extent of the pair, or by half of it.
    double kept;      ///< The distance that the pair keeps.
} toc_room_step;

/// Find how far all bodies can move together so that every pair of features keeps some of its distance: for line
/// searches that must stay free of contact, as in incremental potential contact (Li et al. 2020).
///
/// Each pair has a minimum distance m: query->test.separation and the thickness of its features
/// (toc_scene_set_body_thickness). A pair that starts d apart (`start` says how exactly d is known) keeps, at all times
/// up to the fraction f,
/// - m + min(share (d - m), most) where d is above m;
/// - (1 - 2^-10) d where it is not, and more of it where d is close to m, m/2, m/4 ...: it may slide and leave, but
///   hardly come nearer. Pushed for any number of steps, a pair wears its distance down by half at most; one that
///   comes from above m stays at m to within 2^-40 m + 2^-45 M a step, where M is the step's largest coordinate.
/// Only pairs that fall below this limit the step: pairs that move apart do not. A pair that touches at the start and
/// leaves at once limits it to half of the time until it touches again. f is 0 only if a pair touches at the start and
/// does not leave. Certified in exact arithmetic (docs/guarantees.md, G16), and nearly as long as possible:
/// f is at most 1e-9 (relative) below the first time at which a pair falls to its distance. Vertices that
/// toc_positions_interpolate puts at f have moved there without a contact, and keep these distances to within 2^-46 M.
///
/// Accelerated bodies (presets auto, brute, volccd): the same along their parabolas. toc_positions_interpolate
/// gives the positions, to within 2^-46 M. Where more than 64 pairs may be the first, f can be earlier, as floating
/// point proves it. Use small steps and toc_mesh_set_acceleration with f^2 times the acceleration for the part up to f.
/// @param query `answer`, the part of the step, the method and the tolerance are not used. The separation and `most`
/// together must not reach farther than the candidates of the query.
/// @param room NULL for the defaults. @param out untouched on failure.
/// @return as toc_scene_find_contacts.
TOC_API toc_status toc_scene_find_room_step(toc_scene *scene, const toc_query *query, const toc_room *room,
                                            toc_room_step *out);

/// Find the pairs of features that can come within a distance, and their thickness, in every step in which each vertex
/// stays within a slack of its straight path in this step: for a line search, which asks about many shorter steps
/// (slack 0), or for some iterations of a solver (a slack of the largest displacement).
///
/// A query that names them (toc_query.candidates) then looks at these pairs alone. Its answers are those of the whole
/// scene, bit for bit, as long as the promise holds: vertices are within the slack at both ends of the step asked about
/// (and so are the control points of accelerated bodies), topology is the same, and the question reaches no farther
/// than the distance. Each question checks this, O(n), and fails with TOC_STALE otherwise. Shorter steps by
/// toc_positions_interpolate are always within a slack of 0: positions may be off by 2^-46 of the largest coordinate.
/// Pairs that filters leave out now are not candidates; a filter that wants more later is not noticed. In a scene with
/// a world, other questions to the scene in between make them stale as well. The preset of a later query says which
/// method tests the pairs; the method and its tolerance must not reach farther than the distance. surface_only is that
/// of the query that found them, and separations do not count for near pairs.
/// @param query surface_only, threads, progress, filter and thin are used. Accelerated bodies are refused.
/// @param slack, distance lengths, >= 0.
/// @param out receives the candidates; free with toc_candidates_destroy before the scene's allocator goes. They take
/// memory for the pairs and the paths, and do not change. Untouched on failure.
/// @return as toc_scene_find_contacts. Never a partial list.
TOC_API toc_status toc_scene_find_candidates(toc_scene *scene, const toc_query *query, double slack, double distance,
                                             toc_candidates **out);
/// Make candidates of pairs that the caller knows to be all that matter, from a search of its own or from the contacts
/// of an earlier step with a larger separation. Queries that name them look at these pairs alone: that no other pair is
/// part of the answer is the promise of the caller, about every step and distance asked about. Topology must stay.
/// @param query surface_only and threads are used, as above.
/// @param pairs kinds, bodies and vertex ids are read, in the order of toc_contact_compare and each once; another
/// order, a body or a vertex that is not there, and a scene with a world are TOC_BAD_INPUT. Copied.
/// @param out as above.
/// @return TOC_OK, TOC_BAD_INPUT or TOC_OUT_OF_MEMORY.
TOC_API toc_status toc_scene_make_candidates(toc_scene *scene, const toc_query *query, size_t count,
                                             const toc_contact *pairs, toc_candidates **out);
/// The number of pairs; 0 for NULL.
TOC_API size_t toc_candidates_get_count(const toc_candidates *candidates);
/// Free candidates; NULL is fine.
TOC_API void toc_candidates_destroy(toc_candidates *candidates);

/// A time during which two features touch, its ends included.
typedef struct toc_touch {
    double enter;    ///< The largest double that is not later than the true entry.
    double leave;    ///< The smallest double that is not earlier than the true exit.
    bool is_instant; ///< Entry and exit are the same time, exactly: features that pass each other.
} toc_touch;

/// The largest number of touches of a pair.
#define TOC_TOUCHES_MOST 32

/// All touches of a pair in a step, ascending.
typedef struct toc_touches {
    size_t count;
    toc_touch at[TOC_TOUCHES_MOST];
} toc_touches;

/// Find every time of the step at which two features touch, or are within a separation: a vertex that passes a sheet
/// and comes back touches it twice. Exact: count, order, and which touches are instants are those of exact arithmetic;
/// different touches are told apart whatever the distance in time. Without a separation, features that are not in one
/// plane all the time touch at instants. 10 microseconds to some milliseconds a pair.
/// @return TOC_OK, TOC_BAD_INPUT or TOC_OUT_OF_MEMORY. `out` is untouched on failure.
TOC_API toc_status toc_pair_find_touches(toc_kind kind, const toc_pair *pair, double separation, toc_touches *out);
/// The same on parabolas; up to some tens of milliseconds a pair with a separation.
TOC_API toc_status toc_quadratic_find_touches(toc_kind kind, const toc_quadratic_pair *pair, double separation,
                                              toc_touches *out);
/// The same for contacts of the scene's step: of this query, or of any other while topology is the same. The separation
/// of the query and the thickness of the features count.
/// @param query test.separation, threads, progress and thin are used.
/// @param out room for contacts->count of them, in the order of the contacts. Untouched on failure.
/// @return TOC_OK, TOC_BAD_INPUT (also for a feature that the scene does not have), TOC_OUT_OF_MEMORY or TOC_STOPPED.
TOC_API toc_status toc_scene_find_touches(toc_scene *scene, const toc_query *query, const toc_contacts *contacts,
                                          toc_touches *out);

/// Points or segments to ask about.
typedef struct toc_probe {
    size_t count;
    const double *at; ///< 3 doubles a point; 6 a segment: its start, then its end.
    double reach;     ///< For toc_scene_find_closest: the largest distance, length, >= 0; may be INFINITY.
    uint64_t mask;    ///< Ask only bodies in one of these layers (toc_scene_set_body_layers); UINT64_MAX for all.
} toc_probe;

/// The closest point of a scene.
typedef struct toc_scene_point {
    uint32_t body;     ///< UINT32_MAX if nothing is within reach.
    uint32_t v[3];     ///< Vertex ids of the face; a loose edge has two of them, a loose point one, then UINT32_MAX.
    double weights[3]; ///< Of these vertices; they sum to 1.
    double point[3];
    double distance; ///< INFINITY where nothing is within reach.
} toc_scene_point;

/// Find the closest points of the scene to points, at one end of the step; the lowest ids of several. Faces, loose
/// edges and loose points count, thin. The distance is off by at most 2^-36 R + 2^-1074, and no point of the scene is
/// closer by more: R is the extent of the box around the point and the scene. From the kept tree of near pairs: O(n) to
/// fit it, then O(log n) a point, so ask about many points at once. The same for any number of threads.
/// @param query surface_only, threads and progress are used.
/// @param out room for probe->count of them. Untouched on failure.
/// @return TOC_OK, TOC_BAD_INPUT, TOC_OUT_OF_MEMORY or TOC_STOPPED.
TOC_API toc_status toc_scene_find_closest(toc_scene *scene, const toc_query *query, toc_end end, const toc_probe *probe,
                                          toc_scene_point *out);

/// The first hit of a segment.
typedef struct toc_segment_hit {
    uint32_t body;     ///< As in toc_scene_point; UINT32_MAX where nothing is hit.
    uint32_t v[3];     ///< Likewise.
    double weights[3]; ///< Of the point that is hit.
    double point[3];
    double time;      ///< The place along the segment, 0 to 1; INFINITY if nothing is hit.
    double normal[3]; ///< Unit, against the direction of the segment.
} toc_segment_hit;

/// Find the first hits of segments, at one end of the step: the lowest ids where several are hit at the same time.
/// Whether there is a hit is exact, a touch at an end or along a face included; the time is never later than the true
/// first one, and at most 1e-9 of it early. For a ray give an end beyond the scene. Cost, query, out and failure as
/// above; `reach` is not used.
TOC_API toc_status toc_scene_find_hits(toc_scene *scene, const toc_query *query, toc_end end, const toc_probe *probe,
                                       toc_segment_hit *out);

/// Find which body each point is inside of, at one end of the step: the lowest such body, or UINT32_MAX. Exact: a point
/// is inside where the closed surfaces of a body (its boundary faces) wind around it, or on such a surface. Components
/// that are open, or not wound alike, contain nothing. Query, out and failure as for toc_scene_find_closest.
TOC_API toc_status toc_scene_find_containing(toc_scene *scene, const toc_query *query, toc_end end,
                                             const toc_probe *probe, uint32_t *out);

/// A body, or a component of it, inside of a body.
typedef struct toc_containment {
    uint32_t body[2]; ///< The inner and the outer one; the same for two components of one body.
    uint32_t vertex;  ///< The lowest vertex id of the inner component.
} toc_containment;

/// Containments, sorted by inner body, vertex and outer body. A result: it may gain fields at the end.
typedef struct toc_containments {
    size_t count;
    const toc_containment *pairs;
    double seconds; ///< The whole search.
} toc_containments;

/// Find the bodies inside of others at one end of the step: components (elements connected by vertices) whose lowest
/// vertex is inside of a body, and not on its surface. Exact, and complete for components whose surfaces do not cross:
/// those are overlaps (toc_scene_find_overlaps). Cavities - closed components that are wound inwards - are no bodies of
/// their own. Bodies that ignore each other (toc_scene_set_body_layers, toc_scene_set_self_contact) are left out.
/// @param query surface_only, threads and progress are used.
/// @param out receives the containments; free with toc_containments_destroy. Untouched on failure.
/// @return TOC_OK, TOC_BAD_INPUT, TOC_OUT_OF_MEMORY or TOC_STOPPED.
TOC_API toc_status toc_scene_find_containments(toc_scene *scene, const toc_query *query, toc_end end,
                                               toc_containments **out);
/// Free the result; NULL is fine.
TOC_INLINE_API void toc_containments_destroy(toc_containments *containments) { toc_answer_destroy(containments); }

/// Reasons why a motion is not free.
typedef enum toc_conflict_kind {
    TOC_CONFLICT_NONE = 0,    ///< The motion is free.
    TOC_CONFLICT_CONTACT,     ///< Features touch during the step.
    TOC_CONFLICT_CONTAINMENT, ///< A body is inside of another at the start.
    TOC_CONFLICT_OVERLAP      ///< Faces cross at the start.
} toc_conflict_kind;

/// A reason, the first found in the order above.
typedef struct toc_conflict {
    toc_conflict_kind kind;
    uint32_t body[2];
    double toc; ///< Of a contact; else 0.
} toc_conflict;

/// Find whether a motion is free, as a planner asks: no contact during the step, and at its start no body inside of
/// another and no faces that cross. A motion without contact keeps bodies apart that are apart at the start.
/// @param query as for toc_scene_find_contacts; `answer` is not used.
/// @return as toc_scene_find_contacts. `out` is untouched on failure.
TOC_API toc_status toc_scene_find_conflict(toc_scene *scene, const toc_query *query, toc_conflict *out);

/// The kind of things that touch.
typedef enum toc_level {
    TOC_LEVEL_BODIES = 0, ///< Two bodies, or one with itself.
    TOC_LEVEL_GROUPS,     ///< Groups of elements (toc_mesh_set_group) of two bodies: all groups around the features.
    TOC_LEVEL_FEATURES    ///< Two features.
} toc_level;

/// A pair that touches. Fields that a level does not have are 0.
typedef struct toc_touching_pair {
    toc_kind kind;    ///< Of features.
    uint32_t body[2]; ///< The lower one first; for features as in toc_contact.
    int32_t group[2]; ///< Of groups; the lower one first in one body.
    uint32_t v[4];    ///< Of features: vertex ids.
    double toc;       ///< The earliest contact of the pair.
} toc_touching_pair;

/// The pairs that touch in a step, each once, sorted by kind, bodies, groups and vertex ids.
typedef struct toc_touching {
    toc_level level;
    size_t count;
    const toc_touching_pair *pairs;
} toc_touching;

/// List the pairs that touch, from the contacts of a query (TOC_ANSWER_ALL). Keep the list, and compare it with that of
/// the next step. O(n log n) in the contacts.
/// @param contacts of the scene as it is now: groups are read from its elements.
/// @param out receives the list; free with toc_touching_destroy. Untouched on failure.
/// @return TOC_OK, TOC_BAD_INPUT (also for a body, or with groups a feature, that the scene does not have) or
/// TOC_OUT_OF_MEMORY.
TOC_API toc_status toc_scene_find_touching(toc_scene *scene, const toc_contacts *contacts, toc_level level,
                                           toc_touching **out);
/// Free the list; NULL is fine.
TOC_INLINE_API void toc_touching_destroy(toc_touching *touching) { toc_answer_destroy(touching); }

/// A change of a pair from one step to the next.
typedef enum toc_change_kind {
    TOC_CHANGE_BEGAN = 0, ///< It touches, and did not before.
    TOC_CHANGE_PERSISTS,  ///< It touches in both steps.
    TOC_CHANGE_ENDED      ///< It touched before, and does not any more.
} toc_change_kind;

/// A pair and its change; the contact time is that of the later step, unless the pair ended.
typedef struct toc_pair_change {
    toc_change_kind kind;
    toc_touching_pair pair;
} toc_pair_change;

/// All changes, in the order of the pairs. A result: it may gain fields at the end.
typedef struct toc_pair_changes {
    size_t count;
    const toc_pair_change *changes;
    size_t counts[3]; ///< By toc_change_kind.
} toc_pair_changes;

/// Compare the pairs of two steps, of the same level. O(n).
/// @param before NULL for none: everything began.
/// @param out receives the changes; free with toc_pair_changes_destroy. Untouched on failure.
/// @return TOC_OK, TOC_BAD_INPUT or TOC_OUT_OF_MEMORY.
TOC_API toc_status toc_touching_compare(const toc_touching *before, const toc_touching *after, toc_pair_changes **out);
/// Free the changes; NULL is fine.
TOC_INLINE_API void toc_pair_changes_destroy(toc_pair_changes *changes) { toc_answer_destroy(changes); }

#ifdef __cplusplus
}
#endif

#endif
