// SPDX-License-Identifier: Apache-2.0
// The questions of include/toccata/solver.h in a trial.
#ifndef TOC_CAMPAIGN_SOLVER_H
#define TOC_CAMPAIGN_SOLVER_H

#include "campaign/state.h"

/// Ask once. `a` is left as it was on failure.
toc_status solver_ask(check_state *s, toc_scene *scene, const trial_question *q, const toc_query *query,
                      check_answer *a);
/// Whether an answer has anything in it.
bool solver_gave(const trial_question *q, const check_answer *a);
void solver_free(check_answer *a);
/// Whether the library says that it refuses the question: 1 surely, 0 surely not, -1 when nothing is said.
int solver_is_refused(const model *m, const trial_question *q);
/// Ask and compare with the truth.
void solver_question(check_state *s, toc_scene *scene, const trial_question *q);

/// Points, or segments of two points, on and around the scene at an end of the step.
void probe_points(const model *m, const trial_question *q, double (*at)[3], int count);
/// Bodies that a question about probes looks at.
uint64_t probe_mask(const trial_question *q);
double probe_reach(const trial_question *q);
/// Ask and compare: the closest points, the hits of segments, the bodies around points, the bodies inside of others.
void probe_question(check_state *s, toc_scene *scene, const trial_question *q);

#endif
