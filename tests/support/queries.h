// SPDX-License-Identifier: Apache-2.0
// Elementary questions for tests of methods: random hard ones, and the published ones with their answers.
#ifndef TOC_TEST_QUERIES_H
#define TOC_TEST_QUERIES_H

#include "support/test.h"

/// A question of one of the families below, in turn.
typedef struct test_query {
    toc_kind kind;
    toc_pair pair;
} test_query;

enum {
    TEST_UNIFORM = 0,    ///< Corners anywhere at both ends.
    TEST_GRID,           ///< Whole numbers 0 .. 2: parallel, vanishing, coplanar and coinciding features.
    TEST_TOUCH_AT_START, ///< Exactly touching at time 0.
    TEST_TOUCH_AT_END,   ///< Exactly touching at time 1; before that only by chance.
    TEST_PLANAR,         ///< All in one plane all the time.
    TEST_NEEDLE,         ///< One edge of the second feature almost vanishes.
    TEST_SLOW,           ///< Small motions, close together.
    TEST_FAR,            ///< As slow, a thousand units from the origin.
    TEST_FAMILIES,
    TEST_PARALLEL = TEST_FAMILIES, ///< Nearly parallel edges, nearly coplanar corners.
    TEST_SLIDING,                  ///< Along an edge of the second feature, all but touching it.
    TEST_SHARED,                   ///< Corners that share coordinates or positions, at rest or not.
    TEST_ROTATING,                 ///< One turns past the other: coplanar several times.
    TEST_TINY,                     ///< Any of the others times 2^-1000.
    TEST_HUGE,                     ///< Any of the others times 2^1000.
    TEST_ALL_FAMILIES
};
test_query test_query_make(test_random *random, int family);

/// A scene whose only pair of features is this one: two bodies of one point, edge or triangle.
toc_scene *test_scene_of_pair(toc_kind kind, const toc_pair *pair);

/// The score of a method.
typedef struct test_score {
    uint64_t queries, hits;
    uint64_t missed;       ///< Contacts it called apart.
    uint64_t false_alarms; ///< Separate pairs it called a contact, or left undecided.
    uint64_t undecided;    ///< Pairs it left undecided, touching or not.
    uint64_t late;         ///< Contacts reported after the exact time.
} test_score;

/// Ask a method `count` questions of each of the first families, without exact arithmetic; the exact method gives the
/// truth.
test_score test_score_random(toc_method method, int families, uint64_t count);
/// Ask a method every `stride`-th of the published questions with their published answers; the data must be present.
test_score test_score_published(toc_method method, int stride);
/// Visit every `stride`-th of the published questions with its published answer.
void test_published(int stride, void (*see)(void *user, const test_query *query, bool collides), void *user);
/// The published questions need this file.
#define TEST_PUBLISHED "queries/unit-tests/vertex-face_data_0_0.csv"

/// Cases that every method must answer right: falling onto, resting on, arriving at, passing by, and parts of the step.
void test_method_basics(toc_method method);
/// One question to a method, without exact arithmetic, over a part of the step. Methods that approach a contact stop at
/// a tolerance of 1e-6.
toc_hit test_ask(const test_query *query, toc_method method, double from, double to);

/// A vertex that falls through a face of increasing size: when products of coordinates overflow, the answer is
/// unknown, which must not become "apart".
void assert_never_apart_when_huge(toc_method method);

#endif
