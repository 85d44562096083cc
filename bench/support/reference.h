// SPDX-License-Identifier: Apache-2.0
// The references: Embree's rtcCollide or a linear hierarchy for the search, additive advancement for the elementary
// test.
#ifndef BENCH_SUPPORT_REFERENCE_H
#define BENCH_SUPPORT_REFERENCE_H

#include "bench/support/keys.h"

/// "Embree 3.13.5", or NULL for a build without Embree.
const char *bench_reference_name(void);

typedef struct bench_reference {
    size_t overlapping, asked;           // pairs of boxes found; those of them without a common vertex
    double search_seconds, test_seconds; // CPU time
    size_t memory;                       // the most at a time, beside the pairs found; 0: not known
    bench_keys found;
} bench_reference;

/// Settings of the reference.
typedef struct bench_reference_settings {
    double separation;   // 0 for contacts
    uint32_t still_from; // features of vertices from this one on do not touch each other
} bench_reference_settings;

/// Find the contacts of a step on one thread: swept boxes of vertices against those of faces, of edges against edges,
/// and the `additive` method with a tolerance of 1e-6 on the pairs. Trees are rebuilt; features are given.
/// @param settings NULL for contacts of all features.
void bench_reference_run(const toc_features *features, const double *x0, const double *x1,
                         const bench_reference_settings *settings, bench_reference *out);
/// The same with a linear bounding volume hierarchy (linear.h) in the place of Embree's trees, in every build.
void bench_linear_reference_run(const toc_features *features, const double *x0, const double *x1,
                                const bench_reference_settings *settings, bench_reference *out);
void bench_reference_free(bench_reference *reference);

#endif
