// SPDX-License-Identifier: Apache-2.0
// Trials in processes of their own, so that a crash or a question without end is a failure like others.
#ifndef TOC_CAMPAIGN_RUNNER_H
#define TOC_CAMPAIGN_RUNNER_H

#include "campaign/check.h"

/// Run the trials of `count` seeds from `first` on. A child process runs them one after the other; after a crash
/// another one goes on behind it. @param lanes value of TOC_SIMD, or NULL. @param reports one for each.
void runner_batch(uint64_t first, size_t count, const char *lanes, check_report *reports);
/// The name of an operation or of a question that batches look for: trials without it are left out. NULL for all.
extern const char *runner_with;
/// Run one trial in a child process.
void runner_one(const trial *t, const char *lanes, check_report *report);
/// Shrink a failing trial: the smallest one found that fails in the same way.
trial shrink_trial(const trial *t, const char *check);

#endif
