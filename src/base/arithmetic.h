// SPDX-License-Identifier: Apache-2.0
// The floating-point state of a call: round to nearest, no flushing of subnormal numbers, no traps.
//
// Error bounds and exact arithmetic hold in this state only. A host may have another one: a program linked with
// -ffast-math flushes subnormal numbers, interval arithmetic rounds upward. Every public function that computes has a
// TOC_SCOPED_ARITHMETIC as its first line; so have helper threads, which may be the caller's. Callbacks run in the
// state of the call; one that leaves another state behind is corrected (toc_arithmetic_resume). A call in the right
// state reads one register, some nanoseconds, and writes none.
//
// WebAssembly has this state and no other. A build for the x87 unit, which rounds twice, is refused.
#ifndef TOC_BASE_ARITHMETIC_H
#define TOC_BASE_ARITHMETIC_H

#include <float.h>
#include <stdbool.h>
#include <stdint.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "Toccata needs a little-endian processor: binary files, packed ids and hashes are read in that order"
#endif
#if FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 16
#error "Toccata needs arithmetic in double precision: on 32-bit x86, compile with -msse2 -mfpmath=sse"
#endif

#if defined(__SSE2__)

#define TOC_ARITHMETIC_OWN UINT64_C(0x1f80)     // MXCSR: exceptions masked, to nearest, no FTZ, no DAZ
#define TOC_ARITHMETIC_CONTROL UINT64_C(0xffc0) // without the flags of past exceptions

static inline uint64_t toc_arithmetic_read(void) {
    uint32_t state;
    __asm__ volatile("stmxcsr %0" : "=m"(state) : : "memory");
    return state;
}

static inline void toc_arithmetic_write(uint64_t state) {
    const uint32_t word = (uint32_t)state;
    __asm__ volatile("ldmxcsr %0" : : "m"(word) : "memory");
}

#elif defined(__aarch64__)

#define TOC_ARITHMETIC_OWN UINT64_C(0)              // FPCR: to nearest, no flushing, no default NaN, no traps
#define TOC_ARITHMETIC_CONTROL UINT64_C(0x07ff9f07) // the bits that are defined

static inline uint64_t toc_arithmetic_read(void) {
    uint64_t state;
    __asm__ volatile("mrs %0, fpcr" : "=r"(state) : : "memory");
    return state;
}

static inline void toc_arithmetic_write(uint64_t state) { __asm__ volatile("msr fpcr, %0" : : "r"(state) : "memory"); }

#elif defined(__wasm__)

#define TOC_ARITHMETIC_OWN UINT64_C(0)
#define TOC_ARITHMETIC_CONTROL UINT64_C(0)

static inline uint64_t toc_arithmetic_read(void) { return 0; }
static inline void toc_arithmetic_write(uint64_t state) { (void)state; }

#else
#error "The floating-point state of this processor is unknown: add it to base/arithmetic.h"
#endif

static inline bool toc_arithmetic_is_own(uint64_t state) {
    return ((state ^ TOC_ARITHMETIC_OWN) & TOC_ARITHMETIC_CONTROL) == 0;
}

/// Set the state of the library. The accesses to memory behind it are not moved before it.
/// @return the state before.
static inline uint64_t toc_arithmetic_resume(void) {
    const uint64_t before = toc_arithmetic_read();
    if (!toc_arithmetic_is_own(before)) toc_arithmetic_write(TOC_ARITHMETIC_OWN);
    return before;
}

static inline void toc_arithmetic_restore(const uint64_t *before) {
    if (!toc_arithmetic_is_own(*before)) toc_arithmetic_write(*before);
}

/// The state of the library until the end of the scope, then the caller's again.
#define TOC_SCOPED_ARITHMETIC                                                                       \
    __attribute__((cleanup(toc_arithmetic_restore), unused)) const uint64_t toc_arithmetic_before = \
        toc_arithmetic_resume()

#endif
