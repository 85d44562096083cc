// SPDX-License-Identifier: Apache-2.0
// The state of a trial that runs, and the helpers that all checks share.
#ifndef TOC_CAMPAIGN_STATE_H
#define TOC_CAMPAIGN_STATE_H

#include "campaign/check.h"
#include "campaign/image.h"
#include "campaign/truth.h"
#include "toccata/research.h"

/// Memory of a scene: counted, bounded, failing on demand.
typedef struct check_memory {
    toc_allocator allocator;
    size_t alive, peak, bound;
    uint64_t calls, fail_at;
    bool over; // an allocation was refused since it went over the bound
} check_memory;

typedef struct check_state {
    const trial *trial;
    model *model;
    toc_scene *scene;
    check_memory memory;
    check_report *report;
    uint64_t stamp; // of the model
    truth_list list;
    uint64_t list_stamp;
    double list_from, list_to;
    bool list_decided;
    uint32_t reports_left; // of progress, until it says stop
    uint32_t filter;       // of the present question, for the callback
    toc_research research; // likewise, for the query
    const image *image;    // the scene that is asked; NULL for the trial's own
} check_state;

enum { CHECK_PROBES = 5 };

/// The answer to any question; the fields of its kind are set after TOC_OK.
typedef struct check_answer {
    toc_contacts *contacts;
    toc_near *near;
    toc_overlaps *overlaps;
    double fraction;
    toc_room_step room;
    toc_candidates *candidates;
    toc_touches *touches; // of the contacts
    toc_scene_point closest[CHECK_PROBES];
    toc_segment_hit hits[CHECK_PROBES];
    uint32_t inside[CHECK_PROBES];
    toc_containments *containments;
    toc_conflict conflict;
    toc_touching *touching[2]; // before and after: of a part of the contacts and of all, or the other way round
    toc_pair_changes *changes;
} check_answer;

/// Results are doubles: this much is lost where they are subnormal.
#define CHECK_SUBNORMAL 0x1p-1070L

/// Note the first broken promise of the trial; later ones are left out.
void check_fail(check_state *s, const char *check, const char *format, ...) __attribute__((format(printf, 3, 4)));
/// Add to the digest of all answers.
void check_digest(check_state *s, const void *bytes, size_t count);

/// The query of a question. Its callbacks use the state.
toc_query check_query(check_state *s, const trial_question *q);
/// Ask; false after a failure, or where the library may refuse and does.
bool check_ask(check_state *s, toc_scene *scene, const trial_question *q, check_answer *a);
void check_free(check_answer *a);

/// Whether the question finds all contacts, and whether its method is exact.
bool check_is_complete(const trial_question *q);
bool check_is_exact(const trial_question *q);
/// Whether contacts of the question are distances, of some pair at least.
bool check_keeps_distance(const model *m, const trial_question *q);
/// The distance at which two features count as near or in contact.
double check_limit(const check_state *s, const trial_question *q, const truth_pair *p, double distance);
/// The pairs of the present model; decided in [from, to] when asked for.
truth_list *check_truth(check_state *s, const trial_question *q, bool decided, double from, double to);
/// The extent of the box around a pair over the step, and its largest coordinate.
void check_sizes(const model *m, const uint32_t body[2], int first, const uint32_t v[4], long double *extent,
                 long double *largest);
/// The largest coordinate of all pairs.
long double check_largest(const check_state *s, const truth_list *list);
bool check_same_contact(const toc_contact *a, const toc_contact *b);
bool check_weights(check_state *s, toc_kind kind, const double weights[4]);

#endif
