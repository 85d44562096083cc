// SPDX-License-Identifier: Apache-2.0
// The language of device kernels: C over the numbers of a thread, compiled twice.
//
// A file NAME.device.c includes the kernels of one or more NAME.kernel.c, with one lane, and adds the loop over the
// threads of a launch. clang compiles it for the device (docs/decisions/0038-kernels-on-a-device.md), the compiler of
// the library for the emulated device (emulated.c). Threads of one launch share nothing but memory and the counters of
// toc_thread_append; the end of a launch is the only barrier. No answer may depend on their order.
#ifndef TOC_DEVICE_KERNEL_H
#define TOC_DEVICE_KERNEL_H

#define TOC_LANES 1
#define TOC_IN_DEVICE _in_device
#include "base/simd.h"

/// Before a loop: the compiler does not write out its rounds, so that the driver has less to assemble.
#ifdef __NVPTX__
#define TOC_DEVICE_ROLLED _Pragma("nounroll")
#else
#define TOC_DEVICE_ROLLED
#endif

/// Define a kernel: the body of one thread, with `work` (const), `thread` and `threads` (the number of all).
#ifdef __NVPTX__
#define TOC_DEVICE_KERNEL(name, work_type)                                                                  \
    static TOC_INLINE void name##_thread(const work_type *work, uint32_t thread, uint32_t threads);         \
    void toc_device_##name(work_type work);                                                                 \
    void toc_device_##name(work_type work) { name##_thread(&work, toc_thread_here(), toc_thread_count()); } \
    static TOC_INLINE void name##_thread(const work_type *work, uint32_t thread, uint32_t threads)

static TOC_INLINE uint32_t toc_thread_here(void) {
    return (uint32_t)(__nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x());
}

static TOC_INLINE uint32_t toc_thread_count(void) {
    return (uint32_t)(__nvvm_read_ptx_sreg_nctaid_x() * __nvvm_read_ptx_sreg_ntid_x());
}

/// A place at the end of an array: the counter before it is increased by 1. The threads of a warp that come together
/// with the same counter increase it once.
static TOC_INLINE uint32_t toc_thread_append(uint32_t *counter) {
    uint32_t together, below, base = 0;
    __asm__ volatile("{ .reg .b32 m; activemask.b32 m; match.any.sync.b64 %0, %1, m; }"
                     : "=r"(together)
                     : "l"((uint64_t)(uintptr_t)counter));
    __asm__("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
    const uint32_t leader = (uint32_t)__builtin_ctz(together), before = (uint32_t)__builtin_popcount(together & below);
    if (before == 0) base = (uint32_t)__nvvm_atom_add_gen_i((int *)counter, __builtin_popcount(together));
    __asm__ volatile("shfl.sync.idx.b32 %0, %1, %2, 31, %3;" : "=r"(base) : "r"(base), "r"(leader), "r"(together));
    return base + before;
}

/// Raise a number to at least `to`.
static TOC_INLINE void toc_thread_raise(uint64_t *number, uint64_t to) {
    uint64_t before;
    if (*(volatile uint64_t *)number >= to) return; // it never falls
    __asm__ volatile("atom.max.u64 %0, [%1], %2;" : "=l"(before) : "l"(number), "l"(to) : "memory");
}

/// The threads of a warp that come together with a truth, as bits.
static TOC_INLINE uint32_t toc_thread_ballot(uint32_t together, uint32_t truth) {
    uint32_t bits;
    __asm__ volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; vote.sync.ballot.b32 %0, p, %2; }"
                     : "=r"(bits)
                     : "r"(truth), "r"(together));
    return bits;
}

/// Places for up to 31 items of this thread at the end of an array, likewise, where all threads have the same counter.
/// Sums over the warp are made bit by bit.
static TOC_INLINE uint32_t toc_thread_append_some(uint32_t *counter, uint32_t count) {
    uint32_t together, below, base = 0, before = 0, sum = 0;
    __asm__ volatile("activemask.b32 %0;" : "=r"(together));
    __asm__("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
    for (uint32_t bit = 0; bit < 5; bit++) {
        const uint32_t have = toc_thread_ballot(together, count >> bit & 1);
        before += (uint32_t)__builtin_popcount(have & below) << bit;
        sum += (uint32_t)__builtin_popcount(have) << bit;
    }
    const uint32_t leader = (uint32_t)__builtin_ctz(together);
    if ((together & below) == 0 && sum > 0) base = (uint32_t)__nvvm_atom_add_gen_i((int *)counter, (int)sum);
    __asm__ volatile("shfl.sync.idx.b32 %0, %1, %2, 31, %3;" : "=r"(base) : "r"(base), "r"(leader), "r"(together));
    return base + before;
}
#else
#define TOC_DEVICE_KERNEL(name, work_type)                                                          \
    static TOC_INLINE void name##_thread(const work_type *work, uint32_t thread, uint32_t threads); \
    void toc_device_##name(const void *work, uint32_t thread, uint32_t threads);                    \
    void toc_device_##name(const void *work, uint32_t thread, uint32_t threads) {                   \
        name##_thread(work, thread, threads);                                                       \
    }                                                                                               \
    static TOC_INLINE void name##_thread(const work_type *work, uint32_t thread, uint32_t threads)

static TOC_INLINE uint32_t toc_thread_append(uint32_t *counter) { return (*counter)++; }
static TOC_INLINE uint32_t toc_thread_append_some(uint32_t *counter, uint32_t count) {
    *counter += count;
    return *counter - count;
}
static TOC_INLINE void toc_thread_raise(uint64_t *number, uint64_t to) { *number = *number < to ? to : *number; }
#endif

#endif
