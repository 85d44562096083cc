// SPDX-License-Identifier: Apache-2.0
// wasi-libc has the types of threads, but no threads. The engine has structures with these types and does not use them.
#ifndef WASM_PTHREAD_H
#define WASM_PTHREAD_H

#include <sys/types.h>

#endif
