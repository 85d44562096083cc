// SPDX-License-Identifier: Apache-2.0
// wasi-libc has the types of threads, but no threads: a mutex is always free.
#ifndef WASM_PTHREAD_H
#define WASM_PTHREAD_H

#include <sys/types.h>

#define PTHREAD_MUTEX_INITIALIZER \
    { 0 }

static inline int pthread_mutex_lock(pthread_mutex_t *mutex) {
    (void)mutex;
    return 0;
}

static inline int pthread_mutex_unlock(pthread_mutex_t *mutex) {
    (void)mutex;
    return 0;
}

static inline int pthread_mutex_destroy(pthread_mutex_t *mutex) {
    (void)mutex;
    return 0;
}

#endif
