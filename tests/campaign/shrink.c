// SPDX-License-Identifier: Apache-2.0
// Shrinking a trial that fails: leave out operations, then elements, then round coordinates, as long as it still fails
// in the same way. Zeller and Hildebrandt 2002, "Simplifying and isolating failure-inducing input".
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "campaign/model.h"
#include "campaign/runner.h"

enum { MOST_RUNS = 2500, MOST_SECONDS = 30 };

typedef struct shrinker {
    const char *check;
    trial best;
    int runs;
    time_t start;
} shrinker;

static bool still_fails(shrinker *s, const trial *t) {
    check_report report;
    if (s->runs++ >= MOST_RUNS || time(NULL) - s->start > MOST_SECONDS) return false;
    runner_one(t, NULL, &report);
    return report.failed && strcmp(report.check, s->check) == 0;
}

// Take the candidate when it fails alike; else drop it.
static bool offer(shrinker *s, trial *candidate) {
    if (!still_fails(s, candidate)) {
        trial_free(candidate);
        return false;
    }
    trial_free(&s->best);
    s->best = *candidate;
    return true;
}

static bool leave_out(shrinker *s, size_t first, size_t count) {
    bool *keep = malloc(s->best.count * sizeof *keep);
    if (!keep) abort();
    for (size_t i = 0; i < s->best.count; i++) keep[i] = i < first || i >= first + count;
    trial candidate = trial_copy(&s->best, keep);
    free(keep);
    return offer(s, &candidate);
}

static void shrink_operations(shrinker *s) {
    for (size_t size = s->best.count / 2; size > 0; size /= 2)
        for (size_t at = 0; at < s->best.count;)
            if (!leave_out(s, at, size)) at += size;
}

// Elements of a body, one by one, from the last.
static void shrink_elements(shrinker *s, size_t index) {
    size_t starts[MODEL_ELEMENTS], count = 0;
    const trial_op *op = &s->best.ops[index];
    for (size_t at = 0; at < op->id_count && count < MODEL_ELEMENTS; at += 1 + (size_t)model_corners((int)op->ids[at]))
        starts[count++] = at;
    for (size_t i = count; i-- > 0;) {
        trial candidate = trial_copy(&s->best, NULL);
        trial_op *body = &candidate.ops[index];
        const size_t size = 1 + (size_t)model_corners((int)body->ids[starts[i]]), end = starts[i] + size;
        memmove(body->ids + starts[i], body->ids + end, (body->id_count - end) * sizeof *body->ids);
        body->id_count -= size;
        offer(s, &candidate);
    }
}

// A simpler number in place of one: 0, or fewer digits.
static void shrink_numbers(shrinker *s, size_t index) {
    for (size_t i = 0; i < s->best.ops[index].number_count; i++) {
        const double x = s->best.ops[index].numbers[i];
        const double simpler[] = {0, round(x), round(x * 8) / 8, round(x * 1024) / 1024};
        for (int j = 0; j < 4; j++) {
            if (simpler[j] == x) break;
            trial candidate = trial_copy(&s->best, NULL);
            candidate.ops[index].numbers[i] = simpler[j];
            if (offer(s, &candidate)) break;
        }
    }
}

static void shrink_question(shrinker *s, size_t index) {
    for (int i = 0; i < 17; i++) {
        trial candidate = trial_copy(&s->best, NULL);
        trial_question *q = &candidate.ops[index].question;
        switch (i) {
        case 0:
            q->threads = 1;
            break;
        case 1:
            q->filter = 0;
            break;
        case 2:
            q->skip = 0;
            break;
        case 3:
            q->surface_only = false;
            break;
        case 4:
            q->fresh = false;
            break;
        case 5:
            q->fail_at = q->stop_at = 0;
            break;
        case 6:
            q->separation = 0;
            q->thin = true;
            break;
        case 7:
            q->preset = 0;
            break;
        case 8:
            q->from = 0, q->to = 1;
            break;
        case 9:
            q->image = 0;
            break;
        default: // one kind of image less
            q->image &= ~(1u << (i - 10));
            break;
        }
        offer(s, &candidate);
    }
}

trial shrink_trial(const trial *t, const char *check) {
    shrinker s = {.check = check, .best = trial_copy(t, NULL), .start = time(NULL)};
    size_t before;
    do {
        before = s.best.count;
        shrink_operations(&s);
        for (size_t i = 0; i < s.best.count; i++)
            if (s.best.ops[i].verb == TRIAL_BODY) shrink_elements(&s, i);
        for (size_t i = 0; i < s.best.count; i++)
            if (s.best.ops[i].verb == TRIAL_QUESTION) shrink_question(&s, i);
    } while (s.best.count < before);
    if (strcmp(check, "no end") != 0)
        for (size_t i = 0; i < s.best.count; i++) shrink_numbers(&s, i);
    return s.best;
}
