// SPDX-License-Identifier: Apache-2.0
// A file mapped into memory.
//
// Whole pages are mapped. The rest of the file is copied behind them, with a 0 byte, so that bytes appended by another
// program stay invisible. If another program truncates the file, the system sends SIGBUS for a missing page. While any
// file is mapped, a handler fills such a page with bytes 0xff, which no format accepts, and the reader fails as with
// any damaged file. Other SIGBUS signals go to the previous handler. The modification time shows writes of other
// programs.
#include "base/platform/mapping.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef __APPLE__
#define st_mtim st_mtimespec // the name before POSIX had one
#endif

// The first page of a mapping describes it; the bytes begin with the next.
struct toc_mapping {
    toc_mapping *next;
    size_t page, mapped, room; // bytes of a page, of the whole pages that are mapped, of everything
    atomic_bool cut;
    int file;
    off_t size;
    struct timespec written;
};

// All open mappings. A signal handler may take the lock: no holder touches mapped pages.
static toc_mapping *mappings;
static atomic_flag busy = ATOMIC_FLAG_INIT;
static struct sigaction before;

static void lock(void) {
    while (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire)) continue;
}

static void unlock(void) { atomic_flag_clear_explicit(&busy, memory_order_release); }

const char *toc_mapping_bytes(const toc_mapping *mapping) { return (const char *)mapping + mapping->page; }

bool toc_mapping_was_changed(const toc_mapping *mapping) {
    struct stat now;
    return mapping->cut || fstat(mapping->file, &now) != 0 || now.st_size != mapping->size ||
           now.st_mtim.tv_sec != mapping->written.tv_sec || now.st_mtim.tv_nsec != mapping->written.tv_nsec;
}

static toc_mapping *mapping_find(const char *address) {
    lock();
    toc_mapping *m = mappings;
    while (m && (uintptr_t)address - (uintptr_t)toc_mapping_bytes(m) >= m->mapped) m = m->next;
    unlock();
    return m;
}

static bool replace_page(char *address) {
    toc_mapping *mapping = mapping_find(address);
    if (!mapping) return false;
    char *page = address - (uintptr_t)address % mapping->page;
    if (mmap(page, mapping->page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
        return false;
    memset(page, 0xff, mapping->page);
    mapping->cut = true;
    return true;
}

// A foreign fault repeats itself and then reaches the previous handler.
static void on_signal(int number, siginfo_t *info, void *context) {
    (void)context;
    const int error = errno;
    if (info->si_code != BUS_ADRERR || !replace_page(info->si_addr)) {
        sigaction(SIGBUS, &before, NULL);
        if (info->si_code <= 0) raise(number);
    }
    errno = error;
}

static void enlist(toc_mapping *mapping) {
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_ONSTACK, .sa_sigaction = on_signal};
    lock();
    if (!mappings) sigaction(SIGBUS, &action, &before);
    mapping->next = mappings;
    mappings = mapping;
    unlock();
}

static void delist(const toc_mapping *mapping) {
    lock();
    toc_mapping **at = &mappings;
    while (*at != mapping) at = &(*at)->next;
    *at = mapping->next;
    if (!mappings) sigaction(SIGBUS, &before, NULL);
    unlock();
}

static bool mapping_fill(const toc_mapping *mapping, int file, size_t size) {
    assert(mapping->page > 0);
    char *bytes = (char *)mapping + mapping->page;
    const size_t rest = size - mapping->mapped;
    return mmap(bytes, mapping->mapped, PROT_READ, MAP_PRIVATE | MAP_FIXED, file, 0) != MAP_FAILED &&
           pread(file, bytes + mapping->mapped, rest, (off_t)mapping->mapped) == (ssize_t)rest;
}

// The file, and its size and time of modification.
static bool mapping_keep(toc_mapping *mapping, int file) {
    struct stat about;
    if (fstat(file, &about) != 0) return false;
    mapping->size = about.st_size;
    mapping->written = about.st_mtim;
    mapping->file = fcntl(file, F_DUPFD_CLOEXEC, 0);
    return mapping->file >= 0;
}

toc_mapping *toc_mapping_open(int file, size_t size) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), mapped = size - size % page, room = page + mapped + page;
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    toc_mapping *mapping = mmap(NULL, room, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (mapping == MAP_FAILED) return NULL;
    *mapping = (toc_mapping){.page = page, .mapped = mapped, .room = room};
    if (!mapping_fill(mapping, file, size) || !mapping_keep(mapping, file)) {
        munmap(mapping, room);
        return NULL;
    }
    enlist(mapping);
    return mapping;
}

// Replaced pages stay: the system would fill them with zeros.
void toc_mapping_let_go(const toc_mapping *mapping, const char *from, const char *to) {
    assert(from <= to);
    char *bytes = (char *)mapping + mapping->page;
    const size_t first = (size_t)(from - bytes) / mapping->page, end = (size_t)(to - bytes) / mapping->page;
    if (!mapping->cut) madvise(bytes + first * mapping->page, (end - first) * mapping->page, MADV_DONTNEED);
}

void toc_mapping_let_go_of(const char *from, const char *to) {
    const toc_mapping *mapping = mapping_find(from);
    if (mapping) toc_mapping_let_go(mapping, from, to);
}

void toc_mapping_close(toc_mapping *mapping) {
    delist(mapping);
    close(mapping->file);
    munmap(mapping, mapping->room);
}
