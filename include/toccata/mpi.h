// SPDX-License-Identifier: Apache-2.0
#ifndef TOCCATA_MPI_H
#define TOCCATA_MPI_H

#include <mpi.h>

#include "toccata/scene.h"

#ifdef TOC_MPI_BUILDING
#define TOC_MPI_API TOC_EXPORT_
#else
#define TOC_MPI_API TOC_IMPORT_
#endif

#ifdef __cplusplus
extern "C" {
#endif

// A scene that is spread over the ranks of an MPI program. Every rank hands in its part of the meshes, and every
// contact comes back on one rank. Together the contacts are those of one machine, bit for bit, for any number of ranks,
// any distribution of the meshes and any number of threads on each rank (docs/mpi.md).
//
// Collective calls are marked so: all ranks of the communicator make them, in the same order and with the same
// settings. The other calls are local and communicate nothing. If a collective call fails on one rank, it fails on all:
// with the status and the message of the lowest rank that failed, and with all outputs as they were. A local call that
// fails also makes the next collective call fail, once, on all ranks.
//
// An error inside MPI ends the program as MPI_ERRORS_ARE_FATAL does: the other ranks would wait for ever. MPI must be
// initialised; calls come from one thread at a time (MPI_THREAD_FUNNELED is enough). MPI and Zoltan take memory of
// their own, beside the allocator.

/// A distributed scene.
typedef struct toc_mpi_scene toc_mpi_scene;

/// Make an empty scene. Collective.
/// @param comm is duplicated; not an inter-communicator. @param allocator NULL for the default; must outlive the scene
/// and all its results.
TOC_MPI_API toc_status toc_mpi_scene_create(MPI_Comm comm, const toc_allocator *allocator, toc_mpi_scene **out);
/// Destroy a scene; NULL is fine. Results stay valid. Collective, before MPI_Finalize.
TOC_MPI_API void toc_mpi_scene_destroy(toc_mpi_scene *scene);

/// Add an empty body. Every rank adds the same bodies, in the same order.
/// @param body receives its id: 0, 1, 2, ...; may be NULL.
TOC_MPI_API toc_status toc_mpi_scene_add_body(toc_mpi_scene *scene, uint32_t *body);
/// Add vertices of this rank, at rest at the given positions (3 doubles each). Ids are the caller's, any 64-bit
/// numbers; the ids of a body must differ on one rank. Several ranks may have copies of a vertex, with the same
/// positions bit for bit in every step. The lowest of them owns it.
TOC_MPI_API toc_status toc_mpi_scene_add_vertices(toc_mpi_scene *scene, uint32_t body, size_t count,
                                                  const uint64_t *ids, const double *positions);
/// Add elements of this rank, of one shape: vertex ids of their corners one after the other. This rank must have these
/// vertices. Several ranks may have copies of an element (a halo); that of the lowest rank counts.
TOC_MPI_API toc_status toc_mpi_scene_add_elements(toc_mpi_scene *scene, uint32_t body, toc_shape shape, size_t count,
                                                  const uint64_t *ids, const uint64_t *corners);
/// Set the group of an element of this rank; copies elsewhere must have the same.
TOC_MPI_API toc_status toc_mpi_scene_set_group(toc_mpi_scene *scene, uint32_t body, uint64_t element, int32_t group);
/// Set the thickness of an element of this rank; likewise.
TOC_MPI_API toc_status toc_mpi_scene_set_thickness(toc_mpi_scene *scene, uint32_t body, uint64_t element,
                                                   double thickness);
/// Remove vertices or elements of this rank.
TOC_MPI_API toc_status toc_mpi_scene_remove(toc_mpi_scene *scene, uint32_t body, toc_mesh_item item, size_t count,
                                            const uint64_t *ids);
/// Remove elements of this rank; so must every rank that has copies. An id may be added again, for example with other
/// corners: this is how meshes are torn.
TOC_INLINE_API toc_status toc_mpi_scene_remove_elements(toc_mpi_scene *scene, uint32_t body, size_t count,
                                                        const uint64_t *ids) {
    return toc_mpi_scene_remove(scene, body, TOC_MESH_ELEMENT, count, ids);
}
/// Remove vertices of this rank. The next question fails if elements of this rank still use them. Positions keep their
/// places for removed vertices.
TOC_INLINE_API toc_status toc_mpi_scene_remove_vertices(toc_mpi_scene *scene, uint32_t body, size_t count,
                                                        const uint64_t *ids) {
    return toc_mpi_scene_remove(scene, body, TOC_MESH_VERTEX, count, ids);
}
/// Number of vertices added to a body on this rank, removed ones among them.
TOC_MPI_API size_t toc_mpi_scene_get_vertex_count(const toc_mpi_scene *scene, uint32_t body);

/// Both ends of the step at once: 3 doubles for each vertex of this rank, in the order in which they were added,
/// removed ones too.
/// @param count vertices in each array, likewise below; another number than toc_mpi_scene_get_vertex_count is
/// TOC_BAD_INPUT.
/// @param x0 NULL for the old end, as in toc_mpi_scene_move.
TOC_MPI_API toc_status toc_mpi_scene_set_motion(toc_mpi_scene *scene, uint32_t body, size_t count, const double *x0,
                                                const double *x1);
/// Next step: the old end becomes the start, and x1 the end.
TOC_INLINE_API toc_status toc_mpi_scene_move(toc_mpi_scene *scene, uint32_t body, size_t count, const double *x1) {
    return toc_mpi_scene_set_motion(scene, body, count, NULL, x1);
}
/// As toc_mesh_set_acceleration, for the vertices of this rank: 3 doubles each, or NULL for straight paths, which
/// toc_mpi_scene_move and toc_mpi_scene_set_motion go back to. Copies of a vertex must have the same acceleration.
/// Contacts and safe steps of such bodies need a separation of 0, and `thin` where there is thickness: within a
/// distance, contacts on parabolas can be undecided.
TOC_MPI_API toc_status toc_mpi_scene_set_acceleration(toc_mpi_scene *scene, uint32_t body, size_t count,
                                                      const double *acceleration);

/// As toc_scene_set_body_layers; the same on every rank, likewise below.
TOC_MPI_API toc_status toc_mpi_scene_set_body_layers(toc_mpi_scene *scene, uint32_t body, uint64_t layers,
                                                     uint64_t mask);
/// As toc_scene_set_self_contact.
TOC_MPI_API toc_status toc_mpi_scene_set_self_contact(toc_mpi_scene *scene, uint32_t body, bool on);
/// As toc_scene_set_body_thickness.
TOC_MPI_API toc_status toc_mpi_scene_set_body_thickness(toc_mpi_scene *scene, uint32_t body, double thickness);
/// As toc_scene_set_group_contact.
TOC_MPI_API toc_status toc_mpi_scene_set_group_contact(toc_mpi_scene *scene, int32_t a, int32_t b, bool on);

/// The caller's own choice among pairs of features, as toc_pair_filter but with the ids of the caller. The answer must
/// not depend on the rank.
typedef struct toc_mpi_filter {
    /// NULL for none.
    bool (*wants)(void *user, toc_kind kind, const uint32_t body[2], const uint64_t v[4]);
    void *user;
} toc_mpi_filter;

/// Set the filter of later questions; at first none.
TOC_MPI_API toc_status toc_mpi_scene_set_filter(toc_mpi_scene *scene, toc_mpi_filter filter);

/// Two features that touch; as toc_contact, with the ids of the caller.
typedef struct toc_mpi_contact {
    toc_kind kind;
    toc_verdict verdict;
    uint32_t body[2];
    uint64_t v[4];
    double toc;
    double weights[4];
    double point[3];
    double normal[3];
} toc_mpi_contact;

/// The work of a question on this rank, and on all.
typedef struct toc_mpi_report {
    uint64_t elements;    ///< Handed in by this rank, without copies that a lower rank has.
    uint64_t searched;    ///< Elements that this rank searched.
    uint64_t ghosts;      ///< Those of them whose middle is in the region of another rank.
    uint64_t vertices;    ///< Vertices of the searched elements.
    uint64_t bytes;       ///< Sent to other ranks.
    uint64_t rounds;      ///< Collective operations.
    uint64_t pairs;       ///< Feature pairs that this rank tested.
    uint64_t turned_down; ///< Contacts, or feature pairs before their test, that are left to another rank.
    double balance;       ///< Of the work on all ranks: the maximum over the mean.
    bool partitioned;     ///< Whether the regions are new.
    bool sent_elements;   ///< Whether elements were sent; else only positions.
    double local_seconds; ///< The search on this rank.
    double seconds;       ///< The whole call.
} toc_mpi_report;

/// Free the list of a rank: contacts, near pairs or overlaps; NULL is fine. Not collective.
TOC_MPI_API void toc_mpi_answer_destroy(void *list);

/// The contacts of this rank: those whose first vertex, v[0] of body[0], it owns. For an edge pair this is the lower
/// end of the lower edge. A result: it may gain fields at the end.
typedef struct toc_mpi_contacts {
    size_t count;
    const toc_mpi_contact *contacts; ///< Sorted by kind, bodies and vertex ids.
    uint64_t total;                  ///< On all ranks.
    double first;                    ///< The earliest time of contact on all ranks; INFINITY where there is none.
    toc_mpi_report report;
} toc_mpi_contacts;

/// Find the contacts of this step, as toc_scene_find_contacts. Collective. All ranks together have the contacts of one
/// machine, bit for bit: the order of ids decides the order within pairs and of elements. TOC_ANSWER_FIRST gives the
/// one contact to the rank that owns its first vertex. With TOC_ANSWER_ANY each rank ends its search at a contact, and
/// the earliest of these is the answer, likewise; which one depends on the ranks and the threads.
/// @param query the same on every rank, but for threads, tasks, progress and memory_limit. The preset must be complete,
/// its method, too, `exact` true and the tolerance 0: else pairs are reported that do not touch, and these depend on
/// the distribution. `filter`, `sink` and `candidates` must be empty; see
/// toc_mpi_scene_set_filter.
/// @param out receives the contacts of this rank; free with toc_mpi_contacts_destroy. Untouched on failure.
/// @return as toc_scene_find_contacts. TOC_BAD_INPUT also if ranks ask different questions, or if copies of a vertex
/// have different positions. Never a partial list.
TOC_MPI_API toc_status toc_mpi_scene_find_contacts(toc_mpi_scene *scene, const toc_query *query,
                                                   toc_mpi_contacts **out);
/// Free the result; NULL is fine.
TOC_INLINE_API void toc_mpi_contacts_destroy(toc_mpi_contacts *contacts) { toc_mpi_answer_destroy(contacts); }
/// All contacts on one rank, in order; the other ranks receive none. Collective.
/// @param out receives a new result. Untouched on failure.
TOC_MPI_API toc_status toc_mpi_contacts_gather(toc_mpi_scene *scene, const toc_mpi_contacts *contacts, int root,
                                               toc_mpi_contacts **out);
/// The contacts spread anew so that all of rank 0 come before all of rank 1, and so on: to write them in order.
/// Collective.
TOC_MPI_API toc_status toc_mpi_contacts_sort(toc_mpi_scene *scene, const toc_mpi_contacts *contacts,
                                             toc_mpi_contacts **out);

/// As toc_scene_find_safe_step, the same fraction on every rank, bit for bit that of one machine. Collective. On
/// parabolas it is as safe, but its last bits may depend on the ranks.
TOC_MPI_API toc_status toc_mpi_scene_find_safe_step(toc_mpi_scene *scene, const toc_query *query, double *fraction);

/// As toc_near_pair, with the ids of the caller.
typedef struct toc_mpi_near_pair {
    toc_kind kind;
    uint32_t body[2];
    uint64_t v[4];
    double distance;
    double weights[4];
    double points[2][3];
    double normal[3];
    double time;
    double thickness;
} toc_mpi_near_pair;

/// The near pairs of this rank: those whose first vertex it owns. A result: it may gain fields at the end.
typedef struct toc_mpi_near {
    size_t count;
    const toc_mpi_near_pair *pairs; ///< Sorted by kind, bodies and vertex ids.
    uint64_t total;                 ///< On all ranks.
    toc_mpi_report report;
} toc_mpi_near;

/// As toc_scene_find_near. Collective. At an end of the step, pairs that are farther apart than the distance by
/// rounding only may be reported by one distribution and not by another.
/// @param near NULL for the defaults; the same on every rank.
TOC_MPI_API toc_status toc_mpi_scene_find_near(toc_mpi_scene *scene, const toc_query *query, const toc_near_query *near,
                                               toc_mpi_near **out);
/// Free the result; NULL is fine.
TOC_INLINE_API void toc_mpi_near_destroy(toc_mpi_near *near) { toc_mpi_answer_destroy(near); }

/// As toc_overlap_pair, with the ids of the caller; UINT64_MAX where that has UINT32_MAX.
typedef struct toc_mpi_overlap_pair {
    uint32_t body[2];
    uint64_t element[2];
    uint64_t v[2][3];
    double depth;
    double normal[3];
    double point[3];
} toc_mpi_overlap_pair;

/// The overlaps of this rank: those whose first element, element[0] of body[0], it handed in. A result: it may gain
/// fields at the end.
typedef struct toc_mpi_overlaps {
    size_t count;
    const toc_mpi_overlap_pair *pairs; ///< Sorted by bodies, vertex ids and elements.
    uint64_t total;                    ///< On all ranks.
    toc_mpi_report report;
} toc_mpi_overlaps;

/// As toc_scene_find_overlaps_of. Collective.
TOC_MPI_API toc_status toc_mpi_scene_find_overlaps_of(toc_mpi_scene *scene, const toc_query *query, toc_end end,
                                                      toc_overlaps_of of, toc_mpi_overlaps **out);
/// The same for faces.
TOC_INLINE_API toc_status toc_mpi_scene_find_overlaps(toc_mpi_scene *scene, const toc_query *query, toc_end end,
                                                      toc_mpi_overlaps **out) {
    return toc_mpi_scene_find_overlaps_of(scene, query, end, TOC_OVERLAPS_OF_FACES, out);
}
/// The same for volume elements.
TOC_INLINE_API toc_status toc_mpi_scene_find_element_overlaps(toc_mpi_scene *scene, const toc_query *query, toc_end end,
                                                              toc_mpi_overlaps **out) {
    return toc_mpi_scene_find_overlaps_of(scene, query, end, TOC_OVERLAPS_OF_ELEMENTS, out);
}
/// Free the result; NULL is fine.
TOC_INLINE_API void toc_mpi_overlaps_destroy(toc_mpi_overlaps *overlaps) { toc_mpi_answer_destroy(overlaps); }

#ifdef __cplusplus
}
#endif

#endif
