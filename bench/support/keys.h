// SPDX-License-Identifier: Apache-2.0
// Comparable lists of feature pairs, independent of the order of features and vertices within a pair.
#ifndef BENCH_SUPPORT_KEYS_H
#define BENCH_SUPPORT_KEYS_H

#include <stdbool.h>

#include "toccata/toccata.h"

typedef struct bench_key {
    uint32_t kind, v[4];
} bench_key;

typedef struct bench_keys {
    size_t count, capacity;
    bench_key *at;
} bench_keys;

/// Add touching pairs of one body. Ends the program when memory is out.
void bench_keys_add(bench_keys *keys, toc_kind kind, const uint32_t v[4]);
void bench_keys_sort(bench_keys *keys);
void bench_keys_free(bench_keys *keys);

/// The pairs of a query, sorted.
bench_keys bench_keys_of(const toc_contacts *contacts);
/// The colliding pairs of a published frame (kind,v0,v1,v2,v3,collides; gzip), sorted. @return false if the file is
/// missing or this build cannot unpack it.
bool bench_keys_read(const char *path, bench_keys *out);

/// The number of pairs of `wanted` that are not in `found`; both are sorted.
size_t bench_keys_missing(const bench_keys *wanted, const bench_keys *found);

/// The differences of two lists of contacts, judged by exact arithmetic.
typedef struct bench_judged {
    size_t false_alarms; // of theirs: exact arithmetic calls the pair apart
    size_t missed;       // of theirs that we lack, and that exact arithmetic confirms
    size_t theirs_lacks; // of ours: confirmed
    size_t invented;     // of ours that they lack, and that exact arithmetic calls apart
} bench_judged;

/// Both lists are sorted; positions are those of the step.
bench_judged bench_keys_judge(const bench_keys *ours, const bench_keys *theirs, const double *x0, const double *x1,
                              double separation);

#endif
