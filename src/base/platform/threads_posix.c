// SPDX-License-Identifier: Apache-2.0
// Processors, limits of threads and signals, by Linux and POSIX.
//
// Threads count as processes: a control group may limit them (pids.max, of the group and of those around it), and so
// may RLIMIT_NPROC. Of the room that a limit leaves, half is for the library and half for its host. The limits are read
// only for a call that wants several threads.
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/platform/platform.h"
#include "base/threads.h"

// Address space that one thread takes: its stack, and 128 MiB that malloc of glibc reserves to align an arena.
#define SPACE_PER_THREAD ((size_t)160 << 20)

// Processors that this process may use; 0 if unknown.
static int allowed_processors(void) {
#ifdef __linux__
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
#else
    return 0;
#endif
}

int toc_processors_count(int most) {
    const int allowed = allowed_processors();
    if (allowed > 0) return allowed;
    const long online = sysconf(_SC_NPROCESSORS_ONLN); // more processors than the set has room for
    return online > most ? most : online > 0 ? (int)online : 1;
}

// Read a small file as text. @return whether there is any.
static bool read_small_file(const char *path, char *text, size_t size) {
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    const ssize_t got = read(file, text, size - 1);
    close(file);
    text[got > 0 ? got : 0] = 0;
    return got > 0;
}

// The address space in use, in bytes; 0 if unknown.
static size_t used_space(void) {
    char text[32];
    if (!read_small_file("/proc/self/statm", text, sizeof text)) return 0;
    return strtoul(text, NULL, 10) * (size_t)sysconf(_SC_PAGESIZE);
}

// Half of the space that a limit leaves is for threads; the other half is for the work.
static int fit_into_space(int threads) {
    struct rlimit limit;
    if (threads == 1 || getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return threads;
    const size_t used = used_space();
    const size_t room = limit.rlim_cur > used ? ((size_t)limit.rlim_cur - used) / 2 / SPACE_PER_THREAD : 0;
    return room < (size_t)threads - 1 ? (int)room + 1 : threads;
}

// ---- limits on processes

// The number in a file of a group's folder; -1 if there is none, as in "max".
static long read_group_number(const char *folder, const char *name) {
    char path[PATH_MAX], text[32], *end;
    const int length = snprintf(path, sizeof path, "%s/%s", folder, name);
    if (length < 0 || (size_t)length >= sizeof path || !read_small_file(path, text, sizeof text)) return -1;
    const long value = strtol(text, &end, 10);
    return end == text ? -1 : value;
}

// The room of a group and of all groups around it, up to `root`, the folder that is mounted. The path of the group as
// the kernel gives it may lie outside of what a container sees; the mounted folder is then the group's own.
static long room_of_group(const char *root, const char *group) {
    char folder[PATH_MAX];
    long least = LONG_MAX;
    const size_t stem = strlen(root);
    const int length = snprintf(folder, sizeof folder, "%s%s", root, group);
    if (length < 0 || (size_t)length >= sizeof folder) return least;
    for (;;) {
        const long most = read_group_number(folder, "pids.max"), used = read_group_number(folder, "pids.current");
        const long room = most < 0 || used < 0 ? LONG_MAX : most > used ? most - used : 0;
        if (room < least) least = room;
        char *slash = strrchr(folder, '/');
        if (strlen(folder) <= stem || !slash) return least;
        *slash = 0;
    }
}

long toc_threads_room(const char *groups, const char *mount) {
    char text[4096], root[PATH_MAX];
    long least = LONG_MAX;
    if (!read_small_file(groups, text, sizeof text)) return least;
    char *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        // number:controllers:path; version 2 has no controllers
        char *controllers = strchr(line, ':'), *path = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!path) continue;
        *path++ = 0;
        const bool unified = controllers[1] == 0;
        if (!unified && strcmp(controllers + 1, "pids") != 0) continue;
        if (strcmp(path, "/") == 0) path = "";
        const char *const folders[] = {unified ? "" : "/pids", "/unified"};
        for (int i = 0; i < 1 + unified; i++) {
            snprintf(root, sizeof root, "%s%s", mount, folders[i]);
            const long room = room_of_group(root, path);
            if (room < least) least = room;
        }
    }
    return least;
}

// Threads of this process, from the line of /proc/self/stat; 1 if unknown.
static long own_threads(void) {
    char text[1024];
    long count = 1;
    const char *after_name = read_small_file("/proc/self/stat", text, sizeof text) ? strrchr(text, ')') : NULL;
    for (int field = 2; after_name && field < 20; field++) {
        after_name = strchr(after_name + 1, ' ');
        if (field == 19 && after_name) count = strtol(after_name, NULL, 10);
    }
    return count > 0 ? count : 1;
}

// RLIMIT_NPROC counts all processes of the user, of which only the threads of this process are known here. It does not
// bind root.
static long room_of_user(void) {
    struct rlimit limit;
    if (geteuid() == 0 || getrlimit(RLIMIT_NPROC, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return LONG_MAX;
    const long most = limit.rlim_cur > LONG_MAX ? LONG_MAX : (long)limit.rlim_cur, own = own_threads();
    return most > own ? most - own : 0;
}

static int fit_into_processes(int threads) {
    if (threads == 1) return 1;
    const long group = toc_threads_room("/proc/self/cgroup", "/sys/fs/cgroup"), user = room_of_user();
    const long room = (group < user ? group : user) / 2;
    return room < threads - 1 ? (int)room + 1 : threads;
}

int toc_threads_fit(int threads) { return fit_into_processes(fit_into_space(threads)); }

// Only faults of a thread's own stay with it.
void toc_signals_block(toc_signals *signals) {
    _Static_assert(sizeof(sigset_t) <= sizeof signals->before, "the set of signals fits");
    sigset_t all;
    sigfillset(&all);
    const int own[] = {SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) sigdelset(&all, own[i]);
    pthread_sigmask(SIG_SETMASK, &all, (sigset_t *)(void *)signals->before);
}

void toc_signals_restore(const toc_signals *signals) {
    pthread_sigmask(SIG_SETMASK, (const sigset_t *)(const void *)signals->before, NULL);
}

// A system without huge pages, or without any left, uses others.
void toc_pages_want_huge(void *block, size_t bytes) {
#ifdef MADV_HUGEPAGE
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), first = (uintptr_t)block & ~(page - 1);
    const uintptr_t end = ((uintptr_t)block + bytes + page - 1) & ~(page - 1);
    const int error = errno;
    if (madvise((void *)first, end - first, MADV_HUGEPAGE) != 0) errno = error;
#else
    (void)block;
    (void)bytes;
#endif
}
