// SPDX-License-Identifier: Apache-2.0
// Every pair of features of a scene, one by one: the truth for questions about pairs.
#ifndef TOC_TEST_EVERY_PAIR_H
#define TOC_TEST_EVERY_PAIR_H

#include "support/test.h"

/// A pair of features without a common vertex.
typedef struct test_feature_pair {
    toc_kind kind;
    uint32_t body[2], v[4]; // as in toc_contact
    toc_pair motion;
    double thickness; // sum of the halves of both features
} test_feature_pair;

/// Visit all pairs in the order of toc_contacts: by kind, bodies, vertex ids. Filters do not matter. At most 8 bodies.
void test_every_pair(const toc_scene *bodies, void (*visit)(void *user, const test_feature_pair *pair), void *user);

#endif
