// SPDX-License-Identifier: Apache-2.0
// Numbers of twice the precision of a double, several at a time: the operations of double_double.h in their order.
#ifndef TOC_NUMBER_WIDE_DOUBLE_H
#define TOC_NUMBER_WIDE_DOUBLE_H

#include "base/simd.h"

/// high + low, where high is the sum rounded to a double.
typedef struct wide_dd {
    toc_wide high, low;
} wide_dd;

/// a + b for |a| >= |b| or a = 0, exactly.
static TOC_INLINE wide_dd wide_dd_sum_ordered(toc_wide a, toc_wide b) {
    const toc_wide high = a + b;
    return (wide_dd){high, b - (high - a)};
}

/// a + b exactly.
static TOC_INLINE wide_dd wide_dd_sum_of(toc_wide a, toc_wide b) {
    const toc_wide high = a + b, b_rounded = high - a, a_rounded = high - b_rounded;
    return (wide_dd){high, (a - a_rounded) + (b - b_rounded)};
}

/// The upper half of the digits, for sizes up to 2^990.
static TOC_INLINE toc_wide wide_dd_upper_half(toc_wide a) {
    const toc_wide spread = toc_wide_all(0x1.0000002p27) * a;
    return spread - (spread - a);
}

/// a * b exactly, in both forms: the bits are the same unless the lower part underflows.
static TOC_INLINE wide_dd wide_dd_product_of(toc_wide a, toc_wide b) {
#if defined(TOC_REGISTER) && defined(__FMA__)
    const toc_wide product = a * b;
    return (wide_dd){product, (toc_wide)TOC_REGISTER(fmsub)(a, b, product)};
#else
    const toc_wide high = a * b, a1 = wide_dd_upper_half(a), b1 = wide_dd_upper_half(b), a2 = a - a1, b2 = b - b1;
    return (wide_dd){high, ((a1 * b1 - high) + a1 * b2 + a2 * b1) + a2 * b2};
#endif
}

static TOC_INLINE wide_dd wide_dd_add(wide_dd a, wide_dd b) {
    const wide_dd high = wide_dd_sum_of(a.high, b.high), low = wide_dd_sum_of(a.low, b.low);
    const wide_dd sum = wide_dd_sum_ordered(high.high, high.low + low.high);
    return wide_dd_sum_ordered(sum.high, low.low + sum.low);
}

static TOC_INLINE wide_dd wide_dd_subtract(wide_dd a, wide_dd b) { return wide_dd_add(a, (wide_dd){-b.high, -b.low}); }

static TOC_INLINE wide_dd wide_dd_multiply(wide_dd a, wide_dd b) {
    const wide_dd product = wide_dd_product_of(a.high, b.high);
    return wide_dd_sum_ordered(product.high, product.low + (a.high * b.low + a.low * b.high));
}

/// Not below |a|.
static TOC_INLINE toc_wide wide_dd_size(wide_dd a) { return toc_wide_abs(a.high) * toc_wide_all(1 + 0x1p-52); }

#endif
