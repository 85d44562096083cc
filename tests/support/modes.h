// SPDX-License-Identifier: Apache-2.0
// The floating-point states of hosts: four rounding modes, with and without flushing of subnormal numbers.
#ifndef TOC_TEST_MODES_H
#define TOC_TEST_MODES_H

#include <fenv.h>

#include "base/arithmetic.h"
#include "support/test.h"

// Fields of the state of the unit that computes doubles. fegetround may ask another unit.
#if defined(__SSE2__)
enum { FLUSHING = 0x8040 };
static inline int rounding_now(void) { return (int)(toc_arithmetic_read() >> 3 & 0xc00); }
#else
enum { FLUSHING = 1 << 24 };
static inline int rounding_now(void) { return (int)(toc_arithmetic_read() & 0xc00000); }
#endif

static inline void flush_subnormals(bool on) {
    const uint64_t state = toc_arithmetic_read();
    toc_arithmetic_write(on ? state | FLUSHING : state & ~(uint64_t)FLUSHING);
}
static inline bool is_flushing(void) { return (toc_arithmetic_read() & FLUSHING) == FLUSHING; }

enum { MODES = 8 };

// The state of a host: one of four rounding modes, with and without flushing. 0 is the usual one.
static inline void enter_mode(int mode) {
    static const int rounding[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    fesetround(rounding[mode % 4]);
    flush_subnormals(mode >= 4);
}

static inline void leave_mode(int mode) {
    static const int rounding[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    const int is = rounding_now();
    const bool flushes = is_flushing();
    enter_mode(0);
    assert_int_equal(is, rounding[mode % 4]);
    assert_int_equal(flushes, mode >= 4);
}

#endif
