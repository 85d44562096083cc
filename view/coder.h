// SPDX-License-Identifier: Apache-2.0
// The data of the page: frames, surfaces, steps and parts as texts of JSON that refer to blocks of numbers. The command
// (tools/), the engine (wasm/) and the live view write it here; viewer/src/data.ts reads it.
#ifndef VIEW_CODER_H
#define VIEW_CODER_H

#include "toccata/scene.h"
#include "toccata/solver.h"
#include "toccata/view.h"
#include "view/text.h"

/// The type of the numbers in a block, little endian.
typedef enum view_numbers { VIEW_U8, VIEW_U16, VIEW_U32, VIEW_F32, VIEW_F64 } view_numbers;
size_t toc_view_numbers_size(view_numbers type);

/// The owner of a block.
typedef enum view_role { VIEW_OF_FRAME, VIEW_OF_SURFACE, VIEW_OF_STEP } view_role;

/// Where blocks go. The bytes may go when `put` returns. @param block receives its number.
typedef struct view_store {
    toc_status (*put)(void *user, view_role role, size_t bytes, const void *numbers, size_t *block);
    void *user;
} view_store;

typedef struct view_coder view_coder;

/// The name of a frame, and the arrays written with it.
typedef struct view_frame {
    const char *name;
    double time;        // NaN if it has none
    size_t field_count; // arrays of the file, or of the program
    const toc_view_field *fields;
} view_frame;

/// Begin with the first frame: the positions at the start of the step.
/// @param up the axis that points up: 0, 1 or 2. @param title may be NULL.
toc_status toc_view_coder_create(const toc_allocator *allocator, view_store store, const toc_scene *scene, int up,
                                 const char *title, const view_frame *frame, view_coder **out);
void toc_view_coder_destroy(view_coder *coder);

/// Add a step and the frame at its end. Contacts are those of the step; `result` also has their stages and times.
typedef struct view_step {
    size_t count;
    const toc_contact *contacts;
    bool unasked;               // nobody has looked for contacts
    const toc_contacts *result; // NULL for contacts of a file
    const toc_overlaps *overlaps;
    const toc_containments *inside; // at the start of the step
    const toc_near *near;           // NULL each for none
    double distance;                // of the near pairs
    view_frame frame;
} view_step;
/// After a failure nothing but toc_view_coder_destroy may follow.
toc_status toc_view_coder_add_step(view_coder *coder, const toc_scene *scene, const view_step *step);
/// Add contacts of a simulation to the last frame, of body 0.
toc_status toc_view_coder_add_frame_contacts(view_coder *coder, size_t count, const toc_near_pair *pairs);

size_t toc_view_coder_step_count(const view_coder *coder);
/// The features of a body as it is now, derived again after edits. Valid until the next call.
toc_status toc_view_coder_find_features(view_coder *coder, const toc_scene *scene, uint32_t body,
                                        const toc_features **out);
/// The surface of a step.
size_t toc_view_coder_surface_of(const view_coder *coder, size_t step);
/// Write the object: frames, steps and surfaces from these numbers on, all parts. @param more further fields, each
/// behind a comma, or "".
void toc_view_coder_write(const view_coder *coder, size_t first_frame, size_t first_step, size_t first_surface,
                          const char *more, view_text *to);

#endif
