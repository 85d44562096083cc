// SPDX-License-Identifier: Apache-2.0
// The entry to every elementary method: check the question, call the method, pass its undecided pairs to exact
// arithmetic.
#include "pair/pair.h"
#include "base/arithmetic.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>

#include "base/research.h"
#include "base/settings.h"
#include "toccata/research.h"

#if TOC_RESEARCH
#define PAPER(find) (find)
#else
#define PAPER(find) NULL
#endif

// A new method is one file of this folder and one row here. A column that a row leaves out promises nothing.
static const toc_method_row methods[TOC_METHOD_COUNT] = {
    [TOC_METHOD_EXACT] = {"exact", toc_exact_pair, .complete = true, .convex = true, .sharp = TOC_SHARP_ALWAYS},
    [TOC_METHOD_CERTIFIED] = {"certified", toc_certified_pair, .complete = true, .convex = true, .in_lanes = true,
                              .sharp = TOC_SHARP_IF_EXACT},
    [TOC_METHOD_CUBIC] = {.name = "cubic", .find = toc_cubic_pair},
    // Of papers: named, but not found, in a build that leaves them out.
    [TOC_METHOD_CA_FEATURE] = {"ca-feature", PAPER(toc_ca_feature_pair), .complete = TOC_RESEARCH,
                               .sharp = TOC_SHARP_IF_EXACT},
    [TOC_METHOD_CA_TRIANGLE] = {"ca-triangle", PAPER(toc_ca_triangle_pair), .complete = TOC_RESEARCH,
                                .sharp = TOC_SHARP_IF_EXACT},
    [TOC_METHOD_CULLING] = {"culling", PAPER(toc_culling_pair), .complete = TOC_RESEARCH, .sharp = TOC_SHARP_IF_EXACT},
    [TOC_METHOD_INCLUSION] = {"inclusion", PAPER(toc_inclusion_pair), .complete = TOC_RESEARCH,
                              .sharp = TOC_SHARP_IF_EXACT},
    [TOC_METHOD_ADDITIVE] = {"additive", PAPER(toc_additive_pair), .complete = TOC_RESEARCH,
                             .sharp = TOC_SHARP_IF_EXACT},
};

static bool method_exists(toc_method method) { return (unsigned)method < TOC_METHOD_COUNT; }

const toc_method_row *toc_method_row_of(toc_method method) {
    assert(method_exists(method));
    return &methods[method];
}

toc_method_info toc_method_get(toc_method method) {
    if (!method_exists(method)) return (toc_method_info){.name = "unknown"};
    return (toc_method_info){.name = methods[method].name, .is_complete = methods[method].complete};
}

bool toc_pair_test_is_sharp(const toc_pair_test *test) {
    const toc_sharpness sharp = toc_method_row_of(test->method)->sharp;
    return sharp == TOC_SHARP_ALWAYS || (sharp == TOC_SHARP_IF_EXACT && test->exact && test->tolerance == 0);
}

static const toc_pair_test default_test = {.method = TOC_METHOD_CERTIFIED, .from = 0, .to = 1, .exact = true};
static const toc_settings test_settings = {.init = "toc_pair_test_init",
                                           .oldest = offsetof(toc_pair_test, reserved),
                                           .size = sizeof(toc_pair_test),
                                           .defaults = &default_test};

toc_status toc_pair_test_begin(void *test, size_t size) { return toc_settings_init(&test_settings, test, size); }

toc_status toc_pair_test_take(const toc_pair_test *given, toc_pair_test *out) {
    TOC_TRY(toc_settings_take(&test_settings, given, out));
    return toc_pair_test_check(out);
}

toc_status toc_kind_check(toc_kind kind) {
    if (kind == TOC_VF || kind == TOC_EE) return TOC_OK;
    return toc_fail(TOC_BAD_INPUT, "there is no pair kind number %d", (int)kind);
}

toc_status toc_pair_test_check(const toc_pair_test *test) {
    if (test->size != sizeof *test)
        return toc_fail(TOC_BAD_INPUT, "the test settings must come from toc_pair_test_init");
    for (size_t i = 0; i < sizeof test->reserved / sizeof *test->reserved; i++)
        if (test->reserved[i] != 0) return toc_fail(TOC_BAD_INPUT, "the reserved test settings must be 0");
    if (!method_exists(test->method))
        return toc_fail(TOC_BAD_INPUT, "there is no elementary method number %d", (int)test->method);
    if (!methods[test->method].find)
        return toc_fail(TOC_BAD_INPUT, "the method %s serves research, which this build leaves out (TOC_RESEARCH=OFF)",
                        methods[test->method].name);
    if (!(test->tolerance >= 0) || isinf(test->tolerance))
        return toc_fail(TOC_BAD_INPUT, "the tolerance must be a length of at least 0, not %g", test->tolerance);
    if (!(test->separation >= 0) || isinf(test->separation))
        return toc_fail(TOC_BAD_INPUT, "the separation must be a length of at least 0, not %g", test->separation);
    if (!(0 <= test->from && test->from <= test->to && test->to <= 1))
        return toc_fail(TOC_BAD_INPUT, "the part of the step must be 0 <= from <= to <= 1, not %g to %g", test->from,
                        test->to);
    return TOC_OK;
}

toc_status toc_pair_find_unchecked(toc_kind kind, const double x0[4][3], const double x1[4][3],
                                   const toc_pair_test *test, toc_arena *scratch, toc_hit *out) {
    assert(kind == TOC_VF || kind == TOC_EE);
    assert(0 <= test->from && test->from <= test->to && test->to <= 1);
    toc_hit hit;
    TOC_TRY(methods[test->method].find(kind, x0, x1, test, scratch, &hit));
    if (hit.verdict == TOC_UNDECIDED && test->exact) TOC_TRY(toc_exact_pair(kind, x0, x1, test, scratch, &hit));
    *out = hit;
    return TOC_OK;
}

static toc_status check_finite(const double x[4][3], int end) {
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++)
            if (!isfinite(x[i][k]))
                return toc_fail(TOC_BAD_INPUT, "coordinate %c of vertex %d at the %s is %g", "xyz"[k], i,
                                end ? "end" : "start", x[i][k]);
    return TOC_OK;
}

toc_status toc_pair_find(toc_kind kind, const toc_pair *pair, const toc_pair_test *test, toc_hit *out) {
    TOC_SCOPED_ARITHMETIC;
    toc_pair_test settings;
    TOC_NEED(pair);
    TOC_NEED(out);
    TOC_TRY(toc_kind_check(kind));
    TOC_TRY(toc_pair_test_take(test, &settings));
    TOC_TRY(check_finite(pair->x0, 0));
    TOC_TRY(check_finite(pair->x1, 1));
    toc_arena scratch = toc_arena_make(NULL);
    const toc_status status = toc_pair_find_unchecked(kind, pair->x0, pair->x1, &settings, &scratch, out);
    toc_arena_free(&scratch);
    return status;
}
