// SPDX-License-Identifier: Apache-2.0
// A window onto a running program, libtoccata-view: the page of `toccata view`, fed step by step.
#ifndef TOCCATA_VIEW_H
#define TOCCATA_VIEW_H

#include "toccata/scene.h"

#ifdef TOC_VIEW_BUILDING
#define TOC_VIEW_API TOC_EXPORT_
#else
#define TOC_VIEW_API TOC_IMPORT_
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// A page on a port of this machine, and the steps that it shows. A browser on this machine opens it: turn, scrub,
/// contacts, fields. A thread of the view serves it; the program goes on meanwhile and never waits for a browser.
typedef struct toc_view toc_view;

/// How to open a view. Begin with toc_view_options_default or toc_view_options_init.
typedef struct toc_view_options {
    uint32_t size;     ///< Set by toc_view_options_init; do not change it.
    uint32_t port;     ///< Default 0: any free one. One in use is TOC_BAD_INPUT.
    uint32_t up;       ///< The axis that points up: 0, 1 or 2. Default 2.
    uint64_t memory;   ///< Bytes of steps to keep; the oldest ones go, the newest one stays. Default 1 GiB.
    const char *title; ///< Default NULL: "live".
    const toc_allocator *allocator; ///< Default NULL: the C library's.
} toc_view_options;

/// Write the defaults named in toc_view_options.
/// @param size sizeof *options as the caller knows it; base.h, "Growth".
TOC_VIEW_API toc_status toc_view_options_init(toc_view_options *options, size_t size);
/// The same as a value.
TOC_INLINE_API toc_view_options toc_view_options_default(void) {
    toc_view_options options;
    toc_view_options_init(&options, sizeof options);
    return options;
}

/// Numbers of each vertex or element of all bodies, one body after the other: a colour, or arrows.
typedef struct toc_view_field {
    const char *name;
    uint32_t components;  ///< 1 for scalars, 3 for vectors.
    uint32_t of_elements; ///< 0: of each vertex id; 1: of each element id.
    uint64_t count;       ///< Of ids. A wrong count is TOC_BAD_INPUT, which gives both numbers.
    const double *values; ///< `components` numbers for each id. Not finite ones are shown grey, and without an arrow.
} toc_view_field;

/// The contents of a step besides the motion of the bodies; zeros show nothing more. Fixed (base.h, "Growth").
typedef struct toc_view_step {
    const toc_contacts *contacts; ///< Of this step. NULL: the page says that nobody looked for them.
    const toc_overlaps *overlaps;
    const toc_near *near;
    uint64_t field_count;
    const toc_view_field *fields; ///< At the end of the step.
    double time;                  ///< Of its end, in the unit of the caller; NaN for none.
} toc_view_step;

/// Open a view. Only this machine can connect, only with the secret in the address, and only from the page itself.
/// @param options NULL for the defaults.
/// @return TOC_OK, TOC_BAD_INPUT (a port in use; a build without the page) or TOC_OUT_OF_MEMORY.
TOC_VIEW_API toc_status toc_view_open(const toc_view_options *options, toc_view **out);
/// Show the step of a scene: bodies from the start to the end, in float, as they are now. The call copies and returns;
/// its cost does not depend on the browser. A page that is open follows, at the pace that it can draw.
/// @param step may be NULL.
/// @return TOC_OK, TOC_BAD_INPUT or TOC_OUT_OF_MEMORY; the view stays as it was then.
TOC_VIEW_API toc_status toc_view_add_step(toc_view *view, const toc_scene *scene, const toc_view_step *step);
/// The state of a view.
typedef struct toc_view_info {
    const char *address; ///< "http://127.0.0.1:PORT/SECRET/". Valid until the view is closed.
    bool is_watched;     ///< Whether a page is open. One that was closed counts for a second more, and one that is busy
                         ///< for 15.
} toc_view_info;
/// The state as it is now; no address for NULL.
TOC_VIEW_API toc_view_info toc_view_get_info(const toc_view *view);
/// The address alone.
TOC_INLINE_API const char *toc_view_get_address(const toc_view *view) { return toc_view_get_info(view).address; }
/// Whether a page is open, likewise.
TOC_INLINE_API bool toc_view_is_watched(const toc_view *view) { return toc_view_get_info(view).is_watched; }
/// Wait for a page to open, and then until the last one is closed.
/// @param seconds at most this long for each; infinite for ever. @return false when the time is over.
TOC_VIEW_API bool toc_view_wait(toc_view *view, double seconds);
/// Close the view; an open page keeps the steps that it has loaded, and says that the program has ended. NULL is fine.
TOC_VIEW_API void toc_view_close(toc_view *view);

#ifdef __cplusplus
}
#endif

#endif
