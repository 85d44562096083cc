// SPDX-License-Identifier: Apache-2.0
// An independent oracle for elementary questions: rational numbers (GMP) and Sturm sequences, without any code of the
// library. Right for any finite input; about 0.2 ms a question, more if sizes differ by hundreds of binary orders.
#ifndef TOC_TEST_ORACLE_H
#define TOC_TEST_ORACLE_H

#include <gmp.h>
#include <stdbool.h>

#include "toccata/convex.h"
#include "toccata/pair.h"

/// Whether the features touch, and the first time as an interval [lower, upper], no wider than 2^-60 of itself.
typedef struct test_truth {
    bool touches;
    mpq_t lower, upper;
} test_truth;

void test_truth_init(test_truth *truth);
void test_truth_clear(test_truth *truth);

/// Look at the part [from, to] of the step, 0 <= from <= to <= 1.
void test_oracle_find(toc_kind kind, const toc_pair *pair, double from, double to, test_truth *truth);
/// The same on parabolas; a millisecond or more.
void test_oracle_find_curved(toc_kind kind, const toc_quadratic_pair *pair, double from, double to, test_truth *truth);

#endif
