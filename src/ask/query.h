// SPDX-License-Identifier: Apache-2.0
// The settings of a query, checked once for every question, and the run of a question.
#ifndef TOC_ASK_QUERY_H
#define TOC_ASK_QUERY_H

#include "base/threads.h"
#include "search/listed.h"
#include "search/request.h"
#include "toccata/solver.h"

/// Write the defaults into a caller's query of `size` bytes.
toc_status toc_query_begin(void *query, size_t size);
/// Copy a caller's query, of this version or an older one, and refuse settings that make no sense, and candidates.
/// @param preset receives the preset of the query.
toc_status toc_query_take(const toc_query *given, toc_query *query, const toc_preset **preset);
/// The same for a question that can search among candidates.
toc_status toc_query_take_listed(const toc_query *given, toc_query *query, const toc_preset **preset);

/// A question and its answer: the one shape in which all questions come to toc_query_run.
typedef struct toc_scene_question {
    /// Find the answer. It may run several times: only its success may change the answer.
    toc_status (*run)(const toc_request *request, struct toc_scene_question *question);
    const toc_room *room;      // settings beside the query; NULL for none
    const toc_way *way;        // of toc_question_ask
    const toc_way *device_way; // the same on a device, which may decline; NULL for none
    union {                    // the data of that way
        const toc_pair_list *pairs;
        struct candidate_search *found;
        struct named_pairs *named;
        struct probe_search *probes;
        struct column_search *columns;
    };
    union { // the answer
        toc_contacts *contacts;
        double fraction;
        toc_room_step step;
        void *list; // a result (base/result.h) of the type of the way
    };
} toc_scene_question;

/// Run a question that holds the scene. If it passes the memory limit, run it again: without the structures that the
/// scene keeps, then with the least memory (toc_request.thrifty). Once the sink of the query has received contacts, it
/// cannot run again.
/// @return the status of the question, with a message of its own where the memory limit was too low.
toc_status toc_query_run(const toc_request *asked, toc_scene_question *question);

#endif
