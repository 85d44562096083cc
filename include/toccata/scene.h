// SPDX-License-Identifier: Apache-2.0
#ifndef TOCCATA_SCENE_H
#define TOCCATA_SCENE_H

#include "toccata/device.h"
#include "toccata/mesh.h"
#include "toccata/pair.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Bodies that may touch each other and themselves.
typedef struct toc_scene toc_scene;

/// Make an empty scene.
/// @param allocator NULL for the default; must outlive the scene and all its results.
TOC_API toc_status toc_scene_create(const toc_allocator *allocator, toc_scene **out);
/// Destroy a scene and the meshes of its bodies; NULL is fine. A scene that is in use by another call stays as it is.
/// Results of its queries stay valid.
TOC_API void toc_scene_destroy(toc_scene *scene);

/// Add a body. The scene owns its mesh from then on. On failure the mesh stays the caller's, to add again or to
/// destroy. A mesh that is a body already, of this scene or another one, is TOC_BAD_INPUT.
/// @param body receives its id; may be NULL. Ids count up from 0, never change and are never given again: an array of
/// the caller's, by id, holds what belongs to a body.
TOC_API toc_status toc_scene_add_body(toc_scene *scene, toc_mesh *mesh, uint32_t *body);
/// Remove a body. Its id stays unused, the ids and the contacts of all others stay the same. A body that does not exist
/// is TOC_BAD_INPUT. The next query prepares its search structures anew.
/// @param mesh receives the mesh, which belongs to the caller again; NULL to destroy the mesh.
TOC_API toc_status toc_scene_remove_body(toc_scene *scene, uint32_t body, toc_mesh **mesh);
/// Begin a body anew: an empty mesh takes the place of its own, which is destroyed. Vertices and elements that are
/// added to it (toc_scene_edit_mesh) count from 0. Filters and thickness stay, and the scene keeps the memory
/// of its queries. A world, or a body that does not exist, is TOC_BAD_INPUT.
TOC_API toc_status toc_scene_empty_body(toc_scene *scene, uint32_t body);
/// Glue: append the mesh of `gone` to that of `kept` (toc_mesh_append) and remove the body `gone`. Its contacts with
/// `kept` are self-contacts from then on; thickness and filters are those of `kept`. Weld vertices with
/// toc_mesh_merge_vertices. For the reverse, toc_mesh_extract takes elements out of a mesh. Worlds are refused. On
/// failure the scene stays as it was.
TOC_API toc_status toc_scene_merge_bodies(toc_scene *scene, uint32_t kept, uint32_t gone, uint32_t *first_vertex,
                                          uint32_t *first_element);
/// Number of body ids given so far, removed ones among them: ids are 0 .. count-1.
TOC_API size_t toc_scene_get_body_count(const toc_scene *scene);
/// The mesh of a body, to read; NULL when there is no such body.
TOC_API const toc_mesh *toc_scene_get_mesh(const toc_scene *scene, uint32_t body);
/// False for the id of a body that was removed or never given.
TOC_INLINE_API bool toc_scene_has_body(const toc_scene *scene, uint32_t body) {
    return toc_scene_get_mesh(scene, body) != NULL;
}
/// The mesh of a body, to move or to edit; NULL when there is no such body.
TOC_API toc_mesh *toc_scene_edit_mesh(toc_scene *scene, uint32_t body);

/// The type of the coordinates in memory of the caller.
typedef enum toc_scalar { TOC_DOUBLE = 0, TOC_FLOAT } toc_scalar;

/// Positions in memory of the caller: x, y, z of each vertex id, removed ones too.
typedef struct toc_shared_positions {
    const void *at;    ///< The first coordinate of vertex 0. Any alignment.
    size_t stride;     ///< Bytes from a vertex to the next, at least 3 coordinates; 0 for no gap.
    toc_scalar scalar; ///< Floats are taken as the doubles of the same value.
} toc_shared_positions;

/// Let a body take its positions from memory of the caller, without a copy in its mesh: every question reads them
/// anew, straight into its own working memory. The answers are those of toc_mesh_set_motion with the same positions.
/// The memory must stay valid until other memory is set, sharing ends or the body is removed; it may change between
/// calls, but not during one. toc_mesh_move and toc_mesh_set_motion have no effect on questions meanwhile, and the
/// positions that the mesh gives are out of date; its elements and its acceleration count as always. O(1).
///
/// Questions check the positions: one that is not finite is TOC_BAD_INPUT then, and so is a mesh with another number of
/// vertex ids than `count`, as after an edit. A world, a stride that is too short, and merging a body that
/// shares are TOC_BAD_INPUT.
/// @param count vertex ids of the mesh. @param x0 both ends of the step, copied; both NULL to end sharing: the
/// positions of the mesh count again.
TOC_API toc_status toc_scene_share_positions(toc_scene *scene, uint32_t body, size_t count,
                                             const toc_shared_positions *x0, const toc_shared_positions *x1);

/// The same from memory of the device (toccata/device.h): each call copies the positions there, so that a solver on the
/// device hands in its own arrays, step by step. The copy reads them after the work that the stream has been given so
/// far; work that the stream is given later may change or free them. The call itself does not wait. Without a
/// stream (NULL) they must be complete, and are read when the call returns. The positions count until others are set or
/// sharing ends (toc_scene_share_positions with NULL twice); then those of the mesh count again. A question waits for
/// them, and checks that they are finite.
///
/// Memory that is not the device's, a pointer or a stride that is no multiple of the type's size, another number of
/// vertices than the mesh has, and a stream of another context are TOC_BAD_INPUT: the body then keeps the positions
/// that it had. If the device fails, questions tell it until the body is moved again.
/// @param stream of the device, as its maker's interface has it (a CUstream of the primary context); 1 for the default
/// stream, 2 for that of the calling thread; NULL for none.
/// @return TOC_OK, TOC_BAD_INPUT, TOC_OUT_OF_MEMORY or TOC_NO_DEVICE.
TOC_API toc_status toc_scene_move_on_device(toc_scene *scene, uint32_t body, size_t count,
                                            const toc_shared_positions *x0, const toc_shared_positions *x1,
                                            void *stream);

/// A body that rests for ever, with its tree: made once, never changed, shared by any number of scenes. Scenes in
/// different threads may use one world at the same time.
typedef struct toc_world toc_world;

/// Make a world of a mesh at rest, of any elements. O(n log n), on all processors. The world owns the mesh from then
/// on: it can be read as long as the world lives. On failure the mesh stays the caller's. Vertices that move and a mesh
/// that is a body of a scene are TOC_BAD_INPUT.
/// @param allocator NULL for the default; must outlive the world. Threads that give up the world use it at once.
TOC_API toc_status toc_world_create(const toc_allocator *allocator, toc_mesh *mesh, toc_world **out);
/// Give up a world; NULL is fine. It lives until the last scene that has it is destroyed or has removed it.
TOC_API void toc_world_destroy(toc_world *world);
/// Add a world as a body. It takes no copy: memory is one bit for an element, and the elements near moving bodies.
/// All questions take it, and answer with its vertex and element ids. The answers are those of a body with the same
/// mesh, except that a world touches neither itself nor another world. A step takes the time of the bodies that move
/// and of the part of the world within reach of them: elements whose box meets the box of the path of an element.
/// @param body receives its id; may be NULL. toc_scene_edit_mesh gives NULL for it, toc_scene_remove_body no mesh.
TOC_API toc_status toc_scene_add_world(toc_scene *scene, toc_world *world, uint32_t *body);
/// The collision layers of a body, and a mask of the layers that it can touch, a bit for each: two bodies can touch if
/// the mask of each has a bit in common with the layers of the other. A new body has the layers 1 and a mask of all
/// bits. A body that does not exist is TOC_BAD_INPUT.
TOC_API toc_status toc_scene_set_body_layers(toc_scene *scene, uint32_t body, uint64_t layers, uint64_t mask);
/// Turn contacts of a body with itself on or off; at first they are on. Layers and mask do not matter here.
TOC_API toc_status toc_scene_set_self_contact(toc_scene *scene, uint32_t body, bool on);
/// Turn contacts between elements of two groups (toc_mesh_set_group) on or off, in all bodies; at first all are on. The
/// two may be the same group: its elements ignore each other. A feature stands for the elements around it: a pair of
/// features is left out only when every element around the first ignores every element around the second.
TOC_API toc_status toc_scene_set_group_contact(toc_scene *scene, int32_t a, int32_t b, bool on);
/// Tell that many queries will follow each edit of the elements; at first the scene does not expect this. `auto` then
/// builds its tree in the first query after an edit, instead of the second. The answers are the same.
TOC_API toc_status toc_scene_set_steady(toc_scene *scene, bool on);
/// Search only a part of space: queries for contacts may leave out a pair if the box around the path of one of its
/// features does not meet this box. All other pairs are reported as before, and elements outside of the box cost
/// little. Questions other than toc_scene_find_contacts, and some presets, ignore the region.
/// @param low, high 3 doubles each, which may be infinite; NULL for all of space, as at first. NaN, and a low side
/// above the high one, are TOC_BAD_INPUT.
TOC_API toc_status toc_scene_set_region(toc_scene *scene, const double *low, const double *high);

/// The amount to report.
typedef enum toc_answer {
    TOC_ANSWER_ALL = 0, ///< Every contact.
    /// The earliest contact; of several at one time, the one with the least x, then y, then z, then in order. With a
    /// method other than TOC_METHOD_CERTIFIED and TOC_METHOD_EXACT, the earliest of its hits; its undecided pairs count
    /// as found.
    TOC_ANSWER_FIRST,
    /// Whether there is a contact: one of them, the same for any number of threads. A later query of the same step may
    /// report another one, since the kept search structures have changed.
    TOC_ANSWER_ANY
} toc_answer;

/// The caller's own choice among pairs of features, after that of the scene.
typedef struct toc_pair_filter {
    /// False to leave a pair out. Bodies and vertex ids as in toc_contact. Called by many threads at a time, in no
    /// order: the answer must depend on the arguments alone. It may call getters, but no function that queries or
    /// changes the scene: TOC_BUSY. NULL for none.
    bool (*wants)(void *user, toc_kind kind, const uint32_t body[2], const uint32_t v[4]);
    void *user;
} toc_pair_filter;

/// Two features that touch.
typedef struct toc_contact {
    toc_kind kind;
    toc_verdict verdict; ///< TOC_HIT or TOC_UNDECIDED.
    uint32_t body[2];    ///< Of the first and of the second feature.
    uint32_t v[4];       ///< Vertex ids in their bodies. VF: v, f0, f1, f2. EE: ea0, ea1, eb0, eb1.
    double toc;          ///< This and the fields below: as in toc_hit.
    double weights[4];
    double point[3];
    double normal[3];
} toc_contact;

/// Compare two contacts in the order of a result, by kind, bodies and vertex ids: below, at or above 0.
TOC_API int toc_contact_compare(const toc_contact *a, const toc_contact *b);
/// Compare them by time, then by x, y, z, then as above: TOC_ANSWER_FIRST takes the least.
TOC_INLINE_API int toc_contact_compare_times(const toc_contact *a, const toc_contact *b) {
    if (a->toc != b->toc) return a->toc < b->toc ? -1 : 1;
    for (int c = 0; c < 3; c++)
        if (a->point[c] != b->point[c]) return a->point[c] < b->point[c] ? -1 : 1;
    return toc_contact_compare(a, b);
}

/// Pairs of features that may come near, kept for many questions about similar steps (toccata/solver.h).
typedef struct toc_candidates toc_candidates;

/// Receives the contacts of a query in batches while they are found, in place of the list of the result.
typedef struct toc_contact_sink {
    /// Each contact comes once, in no order. The array is the library's and valid during the call. Called by one thread
    /// at a time, not always the same one. Return 0 to go on, anything else to stop with TOC_STOPPED: it is not called
    /// again. It must not use the scene: TOC_BUSY. NULL for none.
    int (*take)(void *user, const toc_contact *contacts, size_t count);
    void *user;
} toc_contact_sink;

/// The settings of a question. Begin with toc_query_default or toc_query_init.
typedef struct toc_query {
    uint32_t size;      ///< Set by toc_query_init; do not change it.
    const char *preset; ///< A name of toc_preset_get. Default "auto".
    toc_answer answer;  ///< Default TOC_ANSWER_ALL.
    /// The elementary test. Default as toc_pair_test_default, but TOC_METHOD_OF_PRESET.
    toc_pair_test test;
    bool surface_only; ///< Boundary features only. Default false: the inside of volumes too.
    /// 0 = as many as the size of the scene keeps busy, at most one per processor. Default 0. The answer is the same
    /// for any number. At most max(processors, 16) threads are started. If the system refuses a thread, the call is
    /// only slower.
    int threads;
    toc_progress progress;  ///< Default none.
    toc_pair_filter filter; ///< Default none.
    /// Settings for research (toccata/research.h), which must stay during the call; NULL for none. Default NULL.
    const struct toc_research *research;
    bool thin; ///< Leave out the thickness of bodies and elements. Default false: it counts, for contacts,
               ///< the safe step and near pairs alike (toc_scene_set_body_thickness).
    /// Of toc_scene_find_contacts. Default none. With TOC_ANSWER_ALL memory does not grow with the contacts, except for
    /// volumes with `auto` and some methods of research, whose contacts come at the end.
    toc_contact_sink sink;
    /// Bytes that the scene may hold for its queries: the step, the kept search structures, the work of this query.
    /// Meshes, the lists of their features (some 70 bytes a triangle) and results are not counted. A query that would
    /// pass the limit drops the structures that the scene keeps for others, and begins again. If that is not enough, it
    /// searches in rounds on one thread, with a tree that takes the least memory, and moves the answer of each round
    /// out: the answer is the same, bit for bit. A query that still needs more fails with TOC_OUT_OF_MEMORY; the
    /// message gives both numbers. A sink that has received contacts ends the query at the limit. Default 0: none.
    uint64_t memory_limit;
    toc_task_system tasks; ///< Default none. At most `threads` - 1 tasks at a time, beside the calling thread.
    /// Search these pairs alone (toc_scene_find_candidates): of toc_scene_find_contacts, toc_scene_find_near and
    /// toc_scene_find_room_step. Other questions refuse them. Default NULL: all pairs of the scene.
    const toc_candidates *candidates;
    toc_device_choice device; ///< The graphics processor, for contacts, steps and near pairs. Default TOC_DEVICE_AUTO.
} toc_query;

/// Write the defaults named in toc_query.
/// @param size sizeof *query as the caller knows it; base.h, "Growth".
TOC_INLINE_API toc_status toc_query_init(toc_query *query, size_t size) {
    return toc_defaults_write(TOC_DEFAULTS_QUERY, query, size);
}
/// The same as a value.
TOC_INLINE_API toc_query toc_query_default(void) {
    toc_query query;
    toc_query_init(&query, sizeof query);
    return query;
}

/// A preset of queries.
typedef struct toc_preset_info {
    const char *name;  ///< NULL past the last.
    toc_method method; ///< Its elementary test, unless a query names another.
    bool is_complete;  ///< It misses no contact with this method. False for published methods that can miss one.
} toc_preset_info;

/// The i-th preset; without a name past the last. Those of research are the last ones (toccata/research.h).
TOC_API toc_preset_info toc_preset_get(size_t i);

/// The input and the output of a stage of the pipeline. For TOC_ANSWER_FIRST and TOC_ANSWER_ANY it depends on the
/// threads.
typedef struct toc_stage {
    const char *name;
    uint64_t in, out;
    double seconds;
} toc_stage;

/// The result of a query.
typedef struct toc_contacts {
    size_t count;
    const toc_contact *contacts; ///< Sorted by kind, bodies and vertex ids.
    size_t stage_count;
    const toc_stage *stages; ///< In the order of the pipeline.
    double seconds;          ///< The whole query.
    const char *preset;      ///< The preset of the query.
    const char *chosen;      ///< The pipeline that ran, for "auto" the one it chose: "surface-grid", "surface-tree",
                             ///< "elements", "interior", "brute", or on a device "device" and "device-elements".
    uint64_t found;          ///< The number of contacts: `count`, or those that the sink of the query received.
} toc_contacts;

/// Find the contacts of this step. Complete: every pair of features that touches in exact arithmetic is reported,
/// except pairs that the filters of the scene or the query leave out. Sorted, and the same for any number of threads.
/// Accelerated bodies (toc_mesh_set_acceleration) need TOC_METHOD_CERTIFIED or TOC_METHOD_EXACT; presets with another
/// method of their own refuse them unless the query names one of these.
///
/// A loop that hands in the result of the step before, `toc_scene_find_contacts(scene, &query, contacts, &contacts)`,
/// allocates nothing once its steps need no more memory than those before them. With several threads the work of each
/// varies from call to call, so that one of them may still need more now and then.
/// @param reuse NULL, or a result of an earlier call, whose contacts and memory this one replaces: `out` receives it
/// again. On failure it stays as it was.
/// @param out receives the contacts; free with toc_contacts_destroy. Untouched on failure.
/// @return TOC_OK, TOC_BAD_INPUT, TOC_OUT_OF_MEMORY, TOC_STOPPED, or TOC_STALE where the candidates of the query do not
/// cover the step. Never a partial list.
TOC_API toc_status toc_scene_find_contacts(toc_scene *scene, const toc_query *query, toc_contacts *reuse,
                                           toc_contacts **out);
/// Make a result of contacts from elsewhere, as toc_answer_create says.
TOC_INLINE_API toc_status toc_contacts_create(const toc_allocator *allocator, size_t count, const toc_contact *contacts,
                                              toc_contacts **out) {
    return toc_answer_create(allocator, TOC_ITEM_CONTACT, count, contacts, out);
}
/// Free the result of a query; NULL is fine.
TOC_INLINE_API void toc_contacts_destroy(toc_contacts *contacts) { toc_answer_destroy(contacts); }
/// The earliest contact, chosen as TOC_ANSWER_FIRST does; NULL when there is none.
TOC_API const toc_contact *toc_contacts_find_first(const toc_contacts *contacts);

/// Contacts in memory of the device (toccata/device.h).
typedef struct toc_device_contacts {
    size_t count;
    const toc_contact
        *contacts;  ///< There, in the order of toc_contacts. The processor cannot read them. NULL for none.
    double seconds; ///< The search.
} toc_device_contacts;

/// Find the contacts of this step as toc_scene_find_contacts does, for a solver on the device: the same bytes are in
/// memory there. Contacts that a search on the device finds complete do not leave it.
/// @param query without a sink. `device` says where the search is, as always.
/// @param stream as in toc_scene_move_on_device. Work that it is given after the call reads these contacts; work that
/// it was given before has those of `reuse`. NULL: the caller has waited for its readers of `reuse`.
/// @param reuse NULL or an earlier result, whose memory this one takes. On failure its contacts stay, unless the device
/// was lost. @param out free with toc_device_contacts_destroy. Untouched on failure.
/// @return as toc_scene_find_contacts, or TOC_NO_DEVICE.
TOC_API toc_status toc_scene_find_contacts_on_device(toc_scene *scene, const toc_query *query, void *stream,
                                                     toc_device_contacts *reuse, toc_device_contacts **out);
/// The same contacts in memory of the processor, until the list is used again or freed; the first call copies them.
/// NULL for NULL, and where the copy fails.
TOC_API const toc_contacts *toc_device_contacts_get(const toc_device_contacts *contacts);
/// Free the result, once no work on the device reads it; NULL is fine.
TOC_API void toc_device_contacts_destroy(toc_device_contacts *contacts);

/// The earliest contact of each vertex or element of a body: times[i] for the ids below `count`, INFINITY where there
/// is none. All four vertices of a contact count. An element has the contacts of its vertices, edges and faces, shared
/// ones included. O(contacts) for vertices, O(log n) a contact for elements.
/// @param features NULL for vertices; for elements those of the body's mesh, without later edits
/// (toc_mesh_find_features).
TOC_API void toc_contacts_find_times(const toc_contacts *contacts, uint32_t body, const toc_features *features,
                                     size_t count, double *times);
/// The first contact of two bodies, or of a body with itself.
typedef struct toc_body_pair {
    uint32_t body[2]; ///< The lower one first.
    double toc;
} toc_body_pair;

/// The bodies that touch, with the earliest contact of each two, in ascending order. O(n log n) in the contacts.
/// @param pairs room for contacts->count of them. @return their number.
TOC_API size_t toc_contacts_find_body_pairs(const toc_contacts *contacts, toc_body_pair *pairs);

/// Find the largest safe step: a fraction f of the step, 0 to 1, that all bodies can move without a contact, its end
/// included. f is 1 if the step has no contact, and 0 if features touch at the start. Faces that cross at the start,
/// with no feature touching another, do not count: ask toc_scene_find_overlaps. In a loop, each step ends nearer to the
/// contact, or to the separation, than the one before, until pairs there stop it even if they move apart: a loop takes
/// toc_scene_find_room_step (toccata/solver.h).
///
/// Vertices that toc_positions_interpolate puts at f have come there without a contact, in exact arithmetic, and f is
/// less than the first time T of contact. It is at least T' - 2^-44 T, where T' is the first time at which two features
/// are within d = 2^-48 M + 2^-1072 of a contact, M being the largest coordinate of the step: rounded positions can
/// have a contact at that distance. Features that approach at w lengths a step thus lose d / w of the step. This holds
/// for exact methods (the default); with a method that can miss a contact or report it early, for the T that it
/// reports. Accelerated bodies have no contact on their parabolas up to f, in exact arithmetic. Rounded positions on
/// them are not covered, and f is at least T (1 - 2^-20) where T is known that well.
/// @param query `answer` and the part of the step are not used; test.separation is the distance to keep, in addition
/// to the thickness of the features.
/// @param fraction untouched on failure.
/// @return as toc_scene_find_contacts.
TOC_API toc_status toc_scene_find_safe_step(toc_scene *scene, const toc_query *query, double *fraction);
/// The coordinates after a fraction of the step: `count` doubles each, x may be any of the others. x0 for 0, x1 for 1.
/// @param acceleration of parabolas (toc_mesh_set_acceleration); NULL for straight paths.
TOC_API void toc_positions_interpolate(double fraction, size_t count, const double *x0, const double *x1,
                                       const double *acceleration, double *x);

/// Two faces, or two elements, that share a point at an instant.
typedef struct toc_overlap_pair {
    uint32_t body[2];
    uint32_t element[2]; ///< The elements; for faces the lowest element of each.
    uint32_t v[2][3];    ///< Vertex ids of the faces, as in toc_features; UINT32_MAX for elements.
    double depth;        ///< This and the fields below: as in toc_overlap.
    double normal[3];
    double point[3];
} toc_overlap_pair;

/// Overlapping pairs, the lower of two first, sorted by bodies, vertex ids and elements.
typedef struct toc_overlaps {
    size_t count;
    const toc_overlap_pair *pairs;
    double seconds; ///< The whole search.
} toc_overlaps;

/// The items that overlap.
typedef enum toc_overlaps_of {
    /// Faces that share a point but no vertex. A face inside a volume that touches none of its faces is not reported.
    TOC_OVERLAPS_OF_FACES = 0,
    /// Volume elements: the hulls of their corners, and the depth of each overlap. All elements count, also inside a
    /// body. Two tets that share a vertex overlap if their interiors meet, as where one is folded onto its neighbour or
    /// stands for it a second time. Pairs of other shapes that share a vertex are not reported.
    TOC_OVERLAPS_OF_ELEMENTS
} toc_overlaps_of;

/// Find the faces or elements that overlap at one end of the step. At the start, these are the faces that cross or
/// touch before the motion; contacts during the step are not among them. Exact for any coordinates: the list is the
/// true one, except for pairs that the scene's filters ignore.
/// @param query surface_only, threads and progress count, as for contacts; other settings do not.
/// @param reuse NULL or an earlier result, as in toc_scene_find_contacts.
/// @param out receives the pairs; free with toc_overlaps_destroy. Untouched on failure.
/// @return as toc_scene_find_contacts. Never a partial list.
TOC_API toc_status toc_scene_find_overlaps_of(toc_scene *scene, const toc_query *query, toc_end end, toc_overlaps_of of,
                                              toc_overlaps *reuse, toc_overlaps **out);
/// The same for faces.
TOC_INLINE_API toc_status toc_scene_find_overlaps(toc_scene *scene, const toc_query *query, toc_end end,
                                                  toc_overlaps *reuse, toc_overlaps **out) {
    return toc_scene_find_overlaps_of(scene, query, end, TOC_OVERLAPS_OF_FACES, reuse, out);
}
/// The same for volume elements.
TOC_INLINE_API toc_status toc_scene_find_element_overlaps(toc_scene *scene, const toc_query *query, toc_end end,
                                                          toc_overlaps *reuse, toc_overlaps **out) {
    return toc_scene_find_overlaps_of(scene, query, end, TOC_OVERLAPS_OF_ELEMENTS, reuse, out);
}
/// Free the result; NULL is fine.
TOC_INLINE_API void toc_overlaps_destroy(toc_overlaps *overlaps) { toc_answer_destroy(overlaps); }

/// Set the thickness of a body, length, >= 0; at first 0. An element may be thicker (toc_mesh_set_thickness): a feature
/// has the largest thickness of the elements around it and of its body. Half of it is on either side.
/// Two features touch, or are near, when they are within the sum of their halves and the distance of the question:
/// toc_pair_test.separation for contacts and the safe step, toc_near_query.distance for near pairs. The sum is rounded
/// to doubles, then compared exactly. toc_query.thin leaves all thickness out. Overlaps are those of thin faces and of
/// elements; toc_mesh_thicken makes shells solid for them. TOC_METHOD_CUBIC can miss pairs that come near without
/// touching.
TOC_API toc_status toc_scene_set_body_thickness(toc_scene *scene, uint32_t body, double thickness);

/// Two features within a distance of each other.
typedef struct toc_near_pair {
    toc_kind kind;
    uint32_t body[2]; ///< As in toc_contact, likewise the vertex ids and the weights.
    uint32_t v[4];
    double distance;     ///< At an end of the step, as accurate as toc_distance_find: off by at most 2^-36 R + 2^-1074,
                         ///< R the extent of the pair. Over the step, TOC_NEAR_IN_STEP states the accuracy.
    double weights[4];   ///< Of the closest points.
    double points[2][3]; ///< The closest points, on the first and on the second feature.
    double normal[3];    ///< Unit, from the second towards the first; 0 where they touch.
    double time;         ///< The end asked about, or the time at which the two are closest.
    double thickness;    ///< The distance that counted as near: that of the question, and half of the
                         ///< thickness of each feature.
} toc_near_pair;

/// Near pairs, sorted by kind, bodies and vertex ids.
typedef struct toc_near {
    size_t count;
    const toc_near_pair *pairs;
    double seconds; ///< The whole search.
} toc_near;

/// When features must be near.
typedef enum toc_near_time {
    TOC_NEAR_AT_START = 0,
    TOC_NEAR_AT_END,
    /// At any time of the step. Exact: a pair is reported if and only if it comes within its `thickness` in exact
    /// arithmetic. `distance` is the smallest distance of the step to within 2^-20 of the thickness, or 2^-40 of the
    /// extent of the pair where that is more; the extent is the largest difference of a coordinate between two of its
    /// vertices at one end of the step. `time` is the time of that closest approach. The work for a pair is bounded,
    /// and progress can stop it within a pair.
    ///
    /// Accelerated bodies (toc_mesh_set_acceleration): complete along their parabolas. A pair that floating point
    /// cannot decide is reported as well, unless the thickness is 0, where exact arithmetic decides. `distance` is that
    /// at `time`, and within 2^-12 of the thickness of the smallest one, but for slivers.
    TOC_NEAR_IN_STEP
} toc_near_time;

/// A distance, and a time to keep within it. Begin with toc_near_query_default or toc_near_query_init.
typedef struct toc_near_query {
    uint32_t size;      ///< Set by toc_near_query_init; do not change it.
    toc_near_time time; ///< Default TOC_NEAR_AT_START.
    double distance;    ///< Near is this far apart at most, and half of the thickness of each; length, >= 0. Default 0.
} toc_near_query;

/// Write the defaults named in toc_near_query.
/// @param size sizeof *near as the caller knows it; base.h, "Growth".
TOC_INLINE_API toc_status toc_near_query_init(toc_near_query *near, size_t size) {
    return toc_defaults_write(TOC_DEFAULTS_NEAR_QUERY, near, size);
}
/// The same as a value.
TOC_INLINE_API toc_near_query toc_near_query_default(void) {
    toc_near_query near;
    toc_near_query_init(&near, sizeof near);
    return near;
}

/// Find the pairs of features that share no vertex and are near. Complete: every such pair is reported, except pairs
/// that the filters of the scene or the query ignore. At an end of the step, a pair farther apart by no more than
/// rounding may be reported as well. The same pairs, bit for bit, with any preset: `voxel` and `voxel-safe` search
/// their grid, the others a tree.
/// @param query preset, surface_only, threads, progress, filter, thin and candidates count, as for contacts; other
/// settings do not. Among candidates: at an end of the step, and no farther than they reach.
/// @param near NULL for the defaults.
/// @param reuse NULL or an earlier result, as in toc_scene_find_contacts.
/// @param out receives the pairs; free with toc_near_destroy. Untouched on failure.
/// @return as toc_scene_find_contacts. Never a partial list.
TOC_API toc_status toc_scene_find_near(toc_scene *scene, const toc_query *query, const toc_near_query *near,
                                       toc_near *reuse, toc_near **out);
/// Make a result of near pairs from elsewhere, as toc_answer_create says.
TOC_INLINE_API toc_status toc_near_create(const toc_allocator *allocator, size_t count, const toc_near_pair *pairs,
                                          toc_near **out) {
    return toc_answer_create(allocator, TOC_ITEM_NEAR, count, pairs, out);
}
/// Free the result; NULL is fine.
TOC_INLINE_API void toc_near_destroy(toc_near *near) { toc_answer_destroy(near); }

/// Two vertices within a distance of each other.
typedef struct toc_vertex_pair {
    uint32_t body[2]; ///< The lower one first, and the lower vertex of a body.
    uint32_t v[2];
    double distance; ///< Off by a few roundings.
} toc_vertex_pair;

/// Pairs of vertices, sorted by bodies and vertex ids.
typedef struct toc_vertex_pairs {
    size_t count;
    const toc_vertex_pair *pairs;
    double seconds; ///< The whole search.
} toc_vertex_pairs;

/// Find the vertices with no common element that are near at one end of the step: those to weld with
/// toc_mesh_merge_vertices. Complete, except for pairs that the filters of the scene ignore; a pair farther apart by a
/// few roundings may be reported as well.
/// @param query surface_only, threads, progress and thin count, as for contacts; other settings do not.
/// @param near NULL for the defaults. TOC_NEAR_IN_STEP is TOC_BAD_INPUT.
/// @param out receives the pairs; free with toc_vertex_pairs_destroy. Untouched on failure.
/// @return as toc_scene_find_contacts. Never a partial list.
TOC_API toc_status toc_scene_find_near_vertices(toc_scene *scene, const toc_query *query, const toc_near_query *near,
                                                toc_vertex_pairs **out);
/// Free the result; NULL is fine.
TOC_INLINE_API void toc_vertex_pairs_destroy(toc_vertex_pairs *pairs) { toc_answer_destroy(pairs); }

#ifdef __cplusplus
}
#endif

#endif
