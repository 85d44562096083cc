// SPDX-License-Identifier: Apache-2.0
// Running a trial: the library and the model side by side, every answer compared with the truth.
#ifndef TOC_CAMPAIGN_CHECK_H
#define TOC_CAMPAIGN_CHECK_H

#include "campaign/trial.h"

typedef struct check_counts {
    uint64_t trials, questions, contacts, pairs, exact; // pairs: decided; exact: of these by rational numbers
    uint64_t images;                                    // questions that were asked of an image of the scene, too
    uint64_t asked[TRIAL_ASK_COUNT];
    double slowest[TRIAL_ASK_COUNT]; // processor seconds of a call
    uint64_t most_bytes;             // the largest peak of a trial
    double most_share;               // the largest peak as a share of the bound
} check_counts;

/// The outcome of a trial. Plain data, sent through a pipe.
typedef struct check_report {
    bool failed;
    char check[40];  // which promise: a word or two
    char text[400];  // a description of the failure
    uint32_t op;     // the operation at which it did
    uint64_t digest; // of all answers, for runs that must answer alike
    check_counts counts;
} check_report;

/// Run a trial to its end or to the first failure.
void check_run(const trial *t, check_report *report);
/// The operation and question that is being run, for a watchdog.
extern volatile uint32_t check_present_op;

#endif
