// SPDX-License-Identifier: Apache-2.0
// A flag that detects a second call on the same object. It never waits (toccata/base.h, "Threads").
//
// Either one call owns the object, or any number share it. Entering and leaving order memory, so that a call sees the
// work of the call before it.
#ifndef TOC_BASE_GUARD_H
#define TOC_BASE_GUARD_H

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct toc_guard {
    atomic_int users; // > 0: that many share the object; -1: one owns it
} toc_guard;

/// Own the object. @return false while another call uses it.
static inline bool toc_guard_own(toc_guard *guard) {
    int nobody = 0;
    return atomic_compare_exchange_strong_explicit(&guard->users, &nobody, -1, memory_order_acquire,
                                                   memory_order_relaxed);
}

/// Share the object. @return false while another call owns it.
static inline bool toc_guard_share(toc_guard *guard) {
    int users = atomic_load_explicit(&guard->users, memory_order_relaxed);
    while (users >= 0)
        if (atomic_compare_exchange_weak_explicit(&guard->users, &users, users + 1, memory_order_acquire,
                                                  memory_order_relaxed))
            return true;
    return false;
}

/// Leave an object that the caller owns or shares.
static inline void toc_guard_leave(toc_guard *guard) {
    const int users = atomic_load_explicit(&guard->users, memory_order_relaxed);
    assert(users != 0);
    if (users < 0)
        atomic_store_explicit(&guard->users, 0, memory_order_release);
    else
        atomic_fetch_sub_explicit(&guard->users, 1, memory_order_release);
}

/// Guards that a scope holds: the object's own, and that of the object it is part of. NULL for none.
typedef struct toc_hold {
    toc_guard *own, *whole;
} toc_hold;

static inline void toc_hold_end(toc_hold *hold) {
    if (hold->own) toc_guard_leave(hold->own);
    if (hold->whole) toc_guard_leave(hold->whole);
}

/// A hold that ends with its scope.
#define TOC_SCOPED_HOLD(name) __attribute__((cleanup(toc_hold_end))) toc_hold name = {NULL, NULL}

#endif
