// SPDX-License-Identifier: Apache-2.0
#ifndef TOCCATA_BASE_H
#define TOCCATA_BASE_H

#include <stddef.h>
#include <stdint.h>

#include "toccata/version.h"

// TOC_API marks the functions of libtoccata, TOC_IO_API those of libtoccata-io. On Windows a program that links the
// static libraries defines TOC_STATIC; the CMake targets and the pkg-config files do it. TOC_BUILDING and
// TOC_IO_BUILDING are for the build of the libraries only.
#if !defined(_WIN32) && !defined(__CYGWIN__)
#define TOC_EXPORT_ __attribute__((visibility("default")))
#define TOC_IMPORT_ TOC_EXPORT_
#elif defined(TOC_STATIC)
#define TOC_EXPORT_
#define TOC_IMPORT_
#else
#define TOC_EXPORT_ __declspec(dllexport)
#define TOC_IMPORT_ __declspec(dllimport)
#endif
#ifdef TOC_BUILDING
#define TOC_API TOC_EXPORT_
#else
#define TOC_API TOC_IMPORT_
#endif
#ifdef TOC_IO_BUILDING
#define TOC_IO_API TOC_EXPORT_
#else
#define TOC_IO_API TOC_IMPORT_
#endif

// windows.h, included before, defines this name of members and parameters as nothing. Include it first.
#ifdef _WIN32
#undef near
#endif

// Functions of the headers. In C++ they are one function for all files, so that templates can take them.
#ifdef __cplusplus
#define TOC_INLINE_API inline
#else
#define TOC_INLINE_API static inline
#endif

#ifdef __cplusplus
extern "C" {
#endif

// Failure. A function that can fail returns a toc_status. Anything but TOC_OK leaves its outputs as they were and a
// sentence in toc_message_get(). A NULL where a pointer is needed is TOC_BAD_INPUT. Getters without a status answer
// NULL with 0, NULL or false, and functions that destroy accept NULL.
//
// Threads. The library starts threads of its own inside a query only. They are gone from the caller's view when the
// call returns.
// - Different scenes, and different meshes, may be used in different threads at once.
// - One scene serves one call at a time. A second call that queries or changes the scene meanwhile returns TOC_BUSY and
//   does nothing: from another thread, or from a filter or a progress function of the running query. Every build
//   detects this.
// - A mesh of a scene cannot be changed while a query of the scene runs: TOC_BUSY. Different meshes of one scene may be
//   changed in different threads at once; two changes of one mesh at once are TOC_BUSY as well.
// - Getters (toc_scene_get_..., toc_mesh_get_...) take no lock. Any thread may call them, callbacks included, as long
//   as no other thread changes that scene or mesh at the same time. This is the caller's duty; nothing detects it.
// - The message of toc_message_get() belongs to the thread. A result (toc_contacts, toc_near, toc_overlaps,
//   toc_features) never changes: any thread may read it, and one destroys it once.
//
// Arithmetic. Every call computes with rounding to nearest, subnormal numbers and masked exceptions, whatever the state
// of the calling thread, which has its own state again when the call returns. Callbacks run in the state of the call.
//
// Callbacks. A callback returns to the library: neither a C++ exception nor a longjmp may leave it. The call would
// never end: its scene stays TOC_BUSY, its memory and its threads are lost, and its thread must ask nothing any more.
// Within a callback both are fine. Catch what is thrown and keep it (std::current_exception), return, and throw it
// again behind the call; a progress function that returns 1 ends the call soon. Filters and sinks run on threads of the
// library, too.
//
// Signals, forks. Signals change no answer; they go to the host's threads, those of the library block them. A child of
// fork may use all scenes that no other thread of its parent was using. A library may be unloaded (dlclose) when no
// call runs.
//
// Stack. A call takes at most 64 KiB of the calling thread's stack, and as much of a task's (toc_task_system).
//
// Growth. Within a SONAME no structure changes the offset of a field, and no function its meaning.
// - Settings (toc_query, toc_pair_test, toc_room, toc_read_options) begin with their size, and toc_..._init writes the
// defaults for the size that
//   the caller was compiled with. A library that knows more fields takes the defaults for those that are missing. One
//   that knows fewer refuses the settings, unless all fields that it does not know are 0.
// - Results that the library allocates (toc_contacts, toc_near, toc_overlaps, toc_features) may gain fields at the end:
//   use them by the pointer, do not copy them and do not take their size.
// - Reports that the caller allocates (toc_mesh_report, toc_format_info, toc_triangle_hit) may gain fields at the end,
//   too: the function that fills them is told how much room there is.
// - All other structures are fixed, since they are items of arrays, parts of others or returned by value.

/// The outcome of a call.
typedef enum toc_status {
    TOC_OK = 0,
    TOC_BAD_INPUT,     ///< The caller's fault: a wrong index, a NaN, a NULL, a broken file, a missing file.
    TOC_INTERNAL,      ///< A defect of Toccata that it noticed itself; please report it.
    TOC_OUT_OF_MEMORY, ///< The allocator returned NULL.
    TOC_DISK_FULL,     ///< A file could not be written whole; nothing of it is left behind.
    TOC_STOPPED,       ///< The caller's progress function asked to stop.
    TOC_BUSY,          ///< The scene or the mesh is in use by another call; see "Threads" above.
    TOC_STALE,         ///< Kept candidates do not cover the question any more: find them again (toccata/solver.h).
    TOC_UNSTABLE,      ///< A simulation (toccata/sim.h) left all bounds: shorter steps or softer materials may help.
    TOC_NO_DEVICE      ///< The query asks for a device (toccata/device.h) that is not there, or that failed.
} toc_status;

/// One sentence on the last failure of this thread: the mistake and its place. Never NULL; "" before the first failure.
/// Valid until the next failing call of the same thread. libtoccata and libtoccata-io share it.
TOC_API const char *toc_message_get(void);
/// Store a sentence for toc_message_get in this thread, for libraries on top of this one: `return
/// toc_message_set(TOC_BAD_INPUT, "...")`. It is copied; beyond 1,023 bytes it is cut. NULL stands for "".
/// @return the status given.
TOC_API toc_status toc_message_set(toc_status status, const char *text);

/// "1.0.0": the version of the library in use, which may differ from the header's TOC_VERSION_*.
TOC_API const char *toc_version_get(void);

/// The source of memory. Must be safe to call from several threads at once.
typedef struct toc_allocator {
    /// Like realloc: block NULL allocates, new_size 0 frees and returns NULL. Otherwise NULL means out of memory and
    /// leaves the block as it was. Blocks are aligned to 16 bytes at least.
    void *(*resize)(void *user, void *block, size_t old_size, size_t new_size);
    void *user; ///< Passed back to resize.
} toc_allocator;

/// The allocator for a NULL argument: the C library's. It asks the system for huge pages for large blocks.
TOC_API toc_allocator toc_allocator_get_default(void);

/// Receives the progress of a long call, in [0, 1], now and then. Return 0 to go on, anything else to stop with
/// TOC_STOPPED. Called in the thread of the call. It must not use the scene of the call: TOC_BUSY.
typedef struct toc_progress {
    int (*report)(void *user, double done);
    void *user;
} toc_progress;

/// The caller's threads, in place of threads that the library starts. Calls come from the thread of the query only.
typedef struct toc_task_system {
    /// Run work(data) once, in another thread if there is a free one, and return at once. The result goes to `finish`;
    /// NULL if the work was not taken: it is then done elsewhere. NULL for none: the library starts its own threads.
    void *(*start)(void *user, void (*work)(void *data), void *data);
    /// Wait until a started work has run. It must run, though it may begin within this call: it then ends at once.
    void (*finish)(void *user, void *task);
    void *user;
} toc_task_system;

/// The settings of libtoccata that grow with its versions.
typedef enum toc_defaults {
    TOC_DEFAULTS_PAIR_TEST = 0, ///< Of toc_pair_test.
    TOC_DEFAULTS_QUERY,         ///< Of toc_query.
    TOC_DEFAULTS_NEAR_QUERY,    ///< Of toc_near_query.
    TOC_DEFAULTS_ROOM,          ///< Of toc_room.
    TOC_DEFAULTS_POTENTIAL      ///< Of toc_potential_query.
} toc_defaults;

/// Write the defaults of settings, as toc_query_init and its like do for one type.
/// @param size of the structure as the caller knows it; see "Growth" above.
TOC_API toc_status toc_defaults_write(toc_defaults kind, void *settings, size_t size);

/// The kinds of items in the lists of answers; toc_answer_write (toccata/io.h) writes any.
typedef enum toc_item {
    TOC_ITEM_CONTACT = 0, ///< toc_contact of toc_contacts.
    TOC_ITEM_NEAR,        ///< toc_near_pair of toc_near.
    TOC_ITEM_OVERLAP,     ///< toc_overlap_pair of toc_overlaps.
    TOC_ITEM_VERTICES,    ///< toc_vertex_pair of toc_vertex_pairs.
    TOC_ITEM_CONTAINMENT, ///< toc_containment of toc_containments.
    TOC_ITEM_COUNT
} toc_item;

/// Make a list of items from elsewhere, a file or a sink, for the functions that take one: toc_contacts_create and
/// toc_near_create do this for one kind. The items are copied in this order; a query has them sorted. A pair of
/// features of a kind that does not exist is TOC_BAD_INPUT.
/// @param allocator NULL for the default. @param items `count` of them; NULL is fine for none.
/// @param out the address of a pointer to a list of the kind, such as a toc_overlaps **; receives a list without
/// stages. Free with toc_answer_destroy. Untouched on failure.
TOC_API toc_status toc_answer_create(const toc_allocator *allocator, toc_item item, size_t count, const void *items,
                                     void *out);
/// Free a list that a question made: contacts, near pairs, overlaps, vertex pairs, containments, touching pairs or
/// changes; NULL is fine. toc_contacts_destroy and its like do this for one type of list.
TOC_API void toc_answer_destroy(void *list);

#ifdef __cplusplus
}
#endif

#endif
