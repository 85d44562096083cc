// SPDX-License-Identifier: Apache-2.0
// A question other than contacts: a way through the pipeline whose last stage keeps items of its own.
//
// The way plans its index and stages as those of contacts do (search/preset.h), and finishes the answer. Workers,
// timing, progress and cancelling are those of the pipeline. The test of the pipeline has its default settings, with
// `distance` as its separation, whatever the query says about contacts.
#ifndef TOC_ASK_QUESTION_H
#define TOC_ASK_QUESTION_H

#include "ask/query.h"
#include "search/pipeline.h"

/// The settings of such a question beside those of the query.
typedef struct toc_question_settings {
    const toc_preset *preset; // whose bounds and cells the way takes; NULL for those of all questions
    const toc_end *end;       // of the step, as an instant: x0 and x1 are the same array; NULL for all of the step
    double distance;          // features this far apart count, beside their thickness
} toc_question_settings;

/// Ask a question with a way: check the query, begin it, bring the scene's step up to date, run the pipeline. The
/// caller holds the scene.
/// @return the status of the way, with a message of its own where the memory limit was too low.
toc_status toc_question_ask(toc_scene *scene, const toc_query *query, const toc_question_settings *settings,
                            toc_scene_question *question);

/// Ask a question whose answer is a result, and note the time.
/// @param list the result of an earlier question, whose memory is used again, or NULL, for a new one of the type of the
/// way. On failure it is as before.
toc_status toc_question_update(toc_scene *scene, const toc_query *query, const toc_question_settings *settings,
                               const toc_scene_question *question, void **list);

#endif
