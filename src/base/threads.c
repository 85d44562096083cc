// SPDX-License-Identifier: Apache-2.0
// The number of threads that this machine and its limits allow, and a clock.
#include "base/threads.h"
#include "base/shared.h"

#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

// More threads than processors are useful for tests only; this many are always allowed.
enum { ALWAYS_ALLOWED = 16 };

// Address space that one thread takes: its stack, and 128 MiB that malloc of glibc reserves to align an arena.
#define SPACE_PER_THREAD ((size_t)160 << 20)

static int count_processors(void) {
    cpu_set_t set;
    const int allowed = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
    if (allowed > 0) return allowed;
    const long online = sysconf(_SC_NPROCESSORS_ONLN); // more processors than the set has room for
    return online > TOC_THREADS_MOST ? TOC_THREADS_MOST : online > 0 ? (int)online : 1;
}

// The address space in use, in bytes; 0 if unknown.
static size_t used_space(void) {
    char text[32] = {0};
    const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    const ssize_t got = read(file, text, sizeof text - 1);
    close(file);
    return got > 0 ? strtoul(text, NULL, 10) * (size_t)sysconf(_SC_PAGESIZE) : 0;
}

// Half of the space that a limit leaves is for threads; the other half is for the work.
static int fit_into_space(int threads) {
    struct rlimit limit;
    if (threads == 1 || getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return threads;
    const size_t used = used_space();
    const size_t room = limit.rlim_cur > used ? ((size_t)limit.rlim_cur - used) / 2 / SPACE_PER_THREAD : 0;
    return room < (size_t)threads - 1 ? (int)room + 1 : threads;
}

int toc_threads_resolve(int threads) {
    const int processors = count_processors();
    const int most = processors > TOC_THREADS_MOST ? TOC_THREADS_MOST
                     : processors > ALWAYS_ALLOWED ? processors
                                                   : ALWAYS_ALLOWED;
    if (threads <= 0) threads = processors;
    return fit_into_space(threads < most ? threads : most);
}

TOC_SHARED double toc_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
