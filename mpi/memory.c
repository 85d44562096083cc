// SPDX-License-Identifier: Apache-2.0
#include "mpi/memory.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

toc_status toc_dist_fail(toc_status status, const char *format, ...) {
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return toc_message_set(status, text);
}

void *toc_dist_new(const toc_allocator *memory, size_t count, size_t item) {
    if (count == 0) count = 1;
    void *block = count > SIZE_MAX / item ? NULL : memory->resize(memory->user, NULL, 0, count * item);
    if (!block) {
        toc_dist_fail(TOC_OUT_OF_MEMORY, "out of memory: %zu items of %zu bytes", count, item);
        return NULL;
    }
    return memset(block, 0, count * item);
}

void toc_dist_free(const toc_allocator *memory, void *block, size_t count, size_t item) {
    if (block) memory->resize(memory->user, block, (count ? count : 1) * item, 0);
}

toc_status toc_dist_reserve_(const toc_allocator *memory, void **items, size_t count, size_t *capacity, size_t extra,
                             size_t item) {
    assert(count <= *capacity && item > 0);
    if (*items && extra <= *capacity - count) return TOC_OK;
    const size_t most = SIZE_MAX / item / 2;
    size_t wanted = *capacity + *capacity / 2 + 8;
    if (count > most || extra > most - count)
        return toc_dist_fail(TOC_OUT_OF_MEMORY, "out of memory: %zu more items of %zu bytes", extra, item);
    if (wanted < count + extra) wanted = count + extra;
    void *grown = memory->resize(memory->user, *items, *capacity * item, wanted * item);
    if (!grown) return toc_dist_fail(TOC_OUT_OF_MEMORY, "out of memory: %zu items of %zu bytes", wanted, item);
    *items = grown;
    *capacity = wanted;
    return TOC_OK;
}

// ---- sorting

typedef struct run_merger {
    size_t item;
    dist_compare *compare;
} run_merger;

// The end of the ascending run that begins at `first`.
static size_t run_end(const run_merger *m, const char *items, size_t first, size_t count) {
    size_t end = first + 1;
    while (end < count && m->compare(items + (end - 1) * m->item, items + end * m->item) <= 0) end++;
    return end < count ? end : count;
}

static void merge_runs(const run_merger *m, const char *a, size_t a_count, const char *b, size_t b_count, char *out) {
    const char *const a_end = a + a_count * m->item, *const b_end = b + b_count * m->item;
    while (a < a_end && b < b_end) {
        const char **const next = m->compare(b, a) < 0 ? &b : &a;
        memcpy(out, *next, m->item);
        *next += m->item;
        out += m->item;
    }
    memcpy(out, a, (size_t)(a_end - a));
    memcpy(out + (a_end - a), b, (size_t)(b_end - b));
}

// Merge neighbouring runs. @return the number of runs that were there.
static size_t merge_pass(const run_merger *m, const char *from, size_t count, char *to) {
    size_t runs = 0;
    for (size_t first = 0; first < count;) {
        const size_t middle = run_end(m, from, first, count);
        const size_t end = middle < count ? run_end(m, from, middle, count) : count;
        merge_runs(m, from + first * m->item, middle - first, from + middle * m->item, end - middle,
                   to + first * m->item);
        runs += middle < count ? 2 : 1;
        first = end;
    }
    return runs;
}

toc_status toc_dist_sort(const toc_allocator *memory, void *items, size_t count, size_t item, dist_compare *compare) {
    const run_merger m = {item, compare};
    if (count < 2 || run_end(&m, items, 0, count) == count) return TOC_OK;
    char *scratch = toc_dist_new(memory, count, item), *from = items, *to = scratch;
    if (!scratch) return TOC_OUT_OF_MEMORY;
    while (merge_pass(&m, from, count, to) > 2) {
        char *swapped = from;
        from = to;
        to = swapped;
    }
    if (to == scratch) memcpy(items, scratch, count * item);
    assert(run_end(&m, items, 0, count) == count);
    toc_dist_free(memory, scratch, count, item);
    return TOC_OK;
}
