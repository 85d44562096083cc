// SPDX-License-Identifier: Apache-2.0
#include "mpi/sort.h"

#include <assert.h>
#include <string.h>

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
    char *scratch = toc_new(memory, count, item), *from = items, *to = scratch;
    if (!scratch) return TOC_OUT_OF_MEMORY;
    while (merge_pass(&m, from, count, to) > 2) {
        char *swapped = from;
        from = to;
        to = swapped;
    }
    if (to == scratch) memcpy(items, scratch, count * item);
    assert(run_end(&m, items, 0, count) == count);
    toc_free(memory, scratch, count, item);
    return TOC_OK;
}
