// SPDX-License-Identifier: Apache-2.0
// Processors of Windows, which limits neither threads nor address space. Its threads get no signals.
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include <limits.h>

#include "base/platform/platform.h"
#include "base/threads.h"

int toc_processors_count(int most) {
    const DWORD count = GetActiveProcessorCount(ALL_PROCESSOR_GROUPS);
    return count < 1 ? 1 : count > (DWORD)most ? most : (int)count;
}

int toc_threads_fit(int threads) { return threads; }

long toc_threads_room(const char *groups, const char *mount) {
    (void)groups;
    (void)mount;
    return LONG_MAX;
}

void toc_signals_block(toc_signals *signals) { (void)signals; }
void toc_signals_restore(const toc_signals *signals) { (void)signals; }

void toc_pages_want_huge(void *block, size_t bytes) {
    (void)block;
    (void)bytes;
}
