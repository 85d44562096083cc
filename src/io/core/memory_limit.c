// SPDX-License-Identifier: Apache-2.0
// The memory that reading a file may take: a counting allocator, and the default limit of this machine.
#include "io/core/memory_limit.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/platform/platform.h"
#include "base/settings.h"

/// The part of the available memory that one call may take by default. Queries need several times the memory of a mesh.
enum { DEFAULT_SHARE = 4 };

/// The default limit where the system tells nothing about its memory.
static const uint64_t fallback_limit = (uint64_t)1 << 30;

static bool read_text_file(const char *path, char *text, size_t size) {
    assert(size > 0);
    FILE *file = toc_stream_open(path, "r");
    if (!file) return false;
    const size_t count = fread(text, 1, size - 1, file);
    fclose(file);
    text[count] = 0;
    return count > 0;
}

/// The number in a file that holds one number; UINT64_MAX if there is none ("max").
static uint64_t read_number_file(const char *path) {
    char text[64];
    uint64_t value;
    return read_text_file(path, text, sizeof text) && sscanf(text, "%" SCNu64, &value) == 1 ? value : UINT64_MAX;
}

/// Memory that the system could give without swapping; UINT64_MAX if it does not tell.
static uint64_t system_memory(void) {
    char text[4096];
    uint64_t kilobytes;
    const char *line = read_text_file("/proc/meminfo", text, sizeof text) ? strstr(text, "MemAvailable:") : NULL;
    if (line && sscanf(line, "MemAvailable: %" SCNu64, &kilobytes) == 1) return kilobytes * 1024;
    return toc_memory_installed();
}

/// Memory that is left to the container (control group, version 2 or 1); UINT64_MAX outside of any.
static uint64_t container_memory(void) {
    static const struct {
        const char *most, *used;
    } files[] = {{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"},
                 {"/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        const uint64_t most = read_number_file(files[i].most), used = read_number_file(files[i].used);
        if (most != UINT64_MAX && used != UINT64_MAX) return used < most ? most - used : 0;
    }
    return UINT64_MAX;
}

static uint64_t default_limit(void) {
    const uint64_t system = system_memory(), container = container_memory();
    const uint64_t available = system < container ? system : container;
    return available == UINT64_MAX ? fallback_limit : available / DEFAULT_SHARE;
}

static const toc_read_options default_options = {.size = sizeof default_options};

static const toc_settings read_settings = {.init = "toc_read_options_init",
                                           .oldest = sizeof(toc_read_options),
                                           .size = sizeof(toc_read_options),
                                           .defaults = &default_options};

toc_status toc_read_options_init(toc_read_options *options, size_t size) {
    return toc_settings_init(&read_settings, options, size);
}

toc_status toc_memory_limit_begin(const toc_read_options *options, toc_memory_limit *limit) {
    toc_read_options complete = default_options;
    if (options) TOC_TRY(toc_settings_take(&read_settings, options, &complete));
    if (complete.shares > 0 ? complete.share >= complete.shares : complete.share > 0)
        return toc_fail(TOC_BAD_INPUT, "share %u of %u: shares count from 0", complete.share, complete.shares);
    *limit = (toc_memory_limit){.inner = toc_allocator_or_default(complete.allocator),
                                .limit = complete.memory > 0 ? complete.memory : default_limit(),
                                .share = {complete.share, complete.shares}};
    return TOC_OK;
}

toc_status toc_memory_limited_new(const toc_read_options *options, size_t size, void **out) {
    toc_memory_limit limit;
    assert(size >= sizeof(toc_limited));
    TOC_TRY(toc_memory_limit_begin(options, &limit));
    toc_limited *object = toc_new(&limit.inner, 1, size);
    if (!object) return TOC_OUT_OF_MEMORY;
    object->limit.inner = limit.inner;
    object->limit.limit = limit.limit;
    object->memory = toc_memory_limit_allocator(&object->limit);
    *out = object;
    return TOC_OK;
}

void toc_memory_limit_restart(toc_memory_limit *limit) {
    assert(limit->limit > 0);
    atomic_store(&limit->used, 0);
    atomic_store(&limit->refused, 0);
}

static void *limited_resize(void *user, void *block, size_t old_size, size_t new_size) {
    toc_memory_limit *limit = user;
    const int64_t growth = (int64_t)new_size - (int64_t)old_size;
    const int64_t used = atomic_fetch_add(&limit->used, growth) + growth;
    if (growth > 0 && used > 0 && (uint64_t)used > limit->limit) {
        atomic_store(&limit->refused, new_size);
        atomic_fetch_sub(&limit->used, growth);
        return NULL;
    }
    void *result = limit->inner.resize(limit->inner.user, block, old_size, new_size);
    if (!result && new_size > 0) atomic_fetch_sub(&limit->used, growth);
    return result;
}

toc_allocator toc_memory_limit_allocator(toc_memory_limit *limit) {
    return (toc_allocator){.resize = limited_resize, .user = limit};
}

/// "9.6 GB".
static const char *size_text(uint64_t bytes, char text[16]) {
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB", "PB", "EB"};
    double value = (double)bytes;
    size_t unit = 0;
    for (; value >= 999.5 && unit + 1 < sizeof units / sizeof *units; unit++) value /= 1000;
    snprintf(text, 16, unit == 0 || value >= 99.5 ? "%.0f %s" : "%.1f %s", value, units[unit]);
    return text;
}

static toc_status fail_limit(const char *path, const char *least, uint64_t bytes, uint64_t limit) {
    char needed[16], allowed[16];
    return toc_fail(TOC_OUT_OF_MEMORY,
                    "%s: reading takes %s%s of memory, but the limit is %s; raise it with --memory "
                    "(toc_read_options.memory)",
                    path, least, size_text(bytes, needed), size_text(limit, allowed));
}

toc_status toc_memory_limit_check(const toc_allocator *allocator, const char *path, uint64_t bytes) {
    if (allocator->resize != limited_resize) return TOC_OK;
    const toc_memory_limit *limit = allocator->user;
    const int64_t used = atomic_load(&limit->used);
    const uint64_t before = used > 0 ? (uint64_t)used : 0;
    assert(before <= limit->limit);
    if (bytes <= limit->limit - before) return TOC_OK;
    return fail_limit(path, "", bytes > UINT64_MAX - before ? UINT64_MAX : before + bytes, limit->limit);
}

toc_status toc_memory_limit_explain(const toc_memory_limit *limit, toc_status status, const char *path) {
    const size_t refused = atomic_load(&limit->refused);
    if (status != TOC_OUT_OF_MEMORY || refused == 0) return status;
    const int64_t used = atomic_load(&limit->used);
    const uint64_t before = used > 0 ? (uint64_t)used : 0;
    return fail_limit(path, "at least ", refused > UINT64_MAX - before ? UINT64_MAX : before + refused, limit->limit);
}

uint64_t toc_memory_of_mesh(uint64_t vertices, uint64_t elements, uint64_t corners) {
    // Both ends of the step; the shape, first corner, group and thickness of an element; a corner.
    enum { VERTEX = 2 * 3 * sizeof(double), ELEMENT = 1 + 4 + 4 + 8, CORNER = sizeof(uint32_t) };
    uint64_t bytes, more;
    if (__builtin_mul_overflow(vertices, VERTEX, &bytes)) return UINT64_MAX;
    if (__builtin_mul_overflow(elements, ELEMENT, &more) || __builtin_add_overflow(bytes, more, &bytes))
        return UINT64_MAX;
    if (__builtin_mul_overflow(corners, CORNER, &more) || __builtin_add_overflow(bytes, more, &bytes))
        return UINT64_MAX;
    return bytes;
}
