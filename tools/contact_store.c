// SPDX-License-Identifier: Apache-2.0
// External merge sort of contacts: runs of equal length, one heap of runs, two temporary files without a name.
#include "tools/contact_store.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/platform/platform.h"
#include "tools/output.h"
#include "tools/temporary.h"

enum { LEAST_BYTES = 1 << 18, LEAST_SHARE = 4 }; // of the buffer; contacts of a run that is merged

struct tool_contact_store {
    size_t count;
    size_t room, held; // contacts of the buffer, and those in it
    toc_contact *buffer;
    FILE *runs;   // each has `room` contacts, the last one maybe fewer; NULL as long as all fit the buffer
    FILE *sorted; // all of them in order; NULL before tool_contact_store_sort, and without runs
    toc_status status;
    toc_contact portion[TOOL_STORE_PORTION];
};

toc_status tool_contact_store_open(uint64_t memory, tool_contact_store **out) {
    assert(out);
    tool_contact_store *store = calloc(1, sizeof *store);
    if (!store) return tool_fail_memory();
    if (memory > SIZE_MAX / 2) memory = SIZE_MAX / 2;
    store->room = (size_t)(memory < LEAST_BYTES ? LEAST_BYTES : memory) / sizeof *store->buffer;
    store->buffer = malloc(store->room * sizeof *store->buffer);
    if (!store->buffer) {
        free(store);
        return tool_fail_memory();
    }
    *out = store;
    return TOC_OK;
}

void tool_contact_store_close(tool_contact_store *store) {
    if (!store) return;
    if (store->runs) fclose(store->runs);
    if (store->sorted) fclose(store->sorted);
    free(store->buffer);
    free(store);
}

size_t tool_contact_store_count(const tool_contact_store *store) { return store->count; }

// ---- files

static toc_status refuse_writing(void) {
    return tool_fail(TOC_DISK_FULL, "the temporary file for contacts cannot be written: %s; TMPDIR names its folder",
                     strerror(errno));
}

static toc_status write_block(FILE *file, const toc_contact *contacts, size_t count) {
    errno = 0;
    return fwrite(contacts, sizeof *contacts, count, file) == count ? TOC_OK : refuse_writing();
}

static toc_status flush_file(FILE *file) {
    errno = 0;
    return fflush(file) == 0 ? TOC_OK : refuse_writing();
}

static toc_status read_block(FILE *file, size_t first, toc_contact *contacts, size_t count) {
    assert(count > 0);
    errno = 0;
    if (toc_stream_seek(file, first * sizeof *contacts) && fread(contacts, sizeof *contacts, count, file) == count)
        return TOC_OK;
    return tool_fail(TOC_BAD_INPUT, "the temporary file for contacts cannot be read: %s", strerror(errno));
}

// ---- runs

static int compare_contacts(const void *a, const void *b) { return toc_contact_compare(a, b); }

static toc_status write_run(tool_contact_store *store) {
    toc_status status = store->runs ? TOC_OK : tool_temporary_file(&store->runs);
    if (status != TOC_OK) return status;
    qsort(store->buffer, store->held, sizeof *store->buffer, compare_contacts);
    status = write_block(store->runs, store->buffer, store->held);
    store->held = 0;
    return status;
}

static toc_status add_contacts(tool_contact_store *store, const toc_contact *contacts, size_t count) {
    while (count > 0) {
        if (store->held == store->room) {
            const toc_status status = write_run(store);
            if (status != TOC_OK) return status;
        }
        const size_t left = store->room - store->held, taken = count < left ? count : left;
        memcpy(store->buffer + store->held, contacts, taken * sizeof *contacts);
        store->held += taken;
        store->count += taken;
        contacts += taken;
        count -= taken;
    }
    return TOC_OK;
}

static int take_contacts(void *user, const toc_contact *contacts, size_t count) {
    tool_contact_store *store = user;
    store->status = add_contacts(store, contacts, count);
    return store->status != TOC_OK;
}

toc_contact_sink tool_contact_store_sink(tool_contact_store *store) { return (toc_contact_sink){take_contacts, store}; }

// ---- merging

// A run being merged: its contacts at hand begin at its share of the buffer.
typedef struct merge_run {
    size_t next, end;  // contacts of the file that are not at hand
    size_t at, loaded; // the first contact that is left, and the number at hand
} merge_run;

typedef struct run_merge {
    tool_contact_store *store;
    size_t share; // contacts at hand, of each run
    merge_run *runs;
    size_t *heap, heap_count; // runs with contacts left; the earliest contact first
} run_merge;

static const toc_contact *head_of(const run_merge *m, size_t run) {
    return m->store->buffer + run * m->share + m->runs[run].at;
}

static toc_status load_run(const run_merge *m, size_t run) {
    merge_run *r = &m->runs[run];
    const size_t left = r->end - r->next;
    r->at = 0;
    r->loaded = left < m->share ? left : m->share;
    if (r->loaded == 0) return TOC_OK;
    const toc_status status = read_block(m->store->runs, r->next, m->store->buffer + run * m->share, r->loaded);
    r->next += r->loaded;
    return status;
}

static void sink_run(run_merge *m, size_t i) {
    assert(i <= m->heap_count);
    for (size_t child; (child = 2 * i + 1) < m->heap_count; i = child) {
        if (child + 1 < m->heap_count &&
            compare_contacts(head_of(m, m->heap[child + 1]), head_of(m, m->heap[child])) < 0)
            child++;
        if (compare_contacts(head_of(m, m->heap[i]), head_of(m, m->heap[child])) <= 0) break;
        const size_t run = m->heap[i];
        m->heap[i] = m->heap[child];
        m->heap[child] = run;
    }
}

// Go to the next contact of the earliest run.
static toc_status pass_head(run_merge *m) {
    merge_run *r = &m->runs[m->heap[0]];
    toc_status status = TOC_OK;
    if (++r->at == r->loaded) status = load_run(m, m->heap[0]);
    if (r->loaded == 0) m->heap[0] = m->heap[--m->heap_count];
    if (m->heap_count > 0) sink_run(m, 0);
    return status;
}

static toc_status write_merged(run_merge *m) {
    tool_contact_store *store = m->store;
    toc_status status = TOC_OK;
    for (size_t held = 0; status == TOC_OK && m->heap_count > 0;) {
        store->portion[held++] = *head_of(m, m->heap[0]);
        status = pass_head(m);
        if (status != TOC_OK || (held < TOOL_STORE_PORTION && m->heap_count > 0)) continue;
        status = write_block(store->sorted, store->portion, held);
        held = 0;
    }
    return status;
}

static toc_status start_runs(run_merge *m, size_t run_count) {
    const tool_contact_store *store = m->store;
    toc_status status = TOC_OK;
    for (size_t i = 0; i < run_count && status == TOC_OK; i++) {
        const size_t first = i * store->room, left = store->count - first;
        m->runs[i] = (merge_run){.next = first, .end = first + (left < store->room ? left : store->room)};
        status = load_run(m, i);
        m->heap[m->heap_count++] = i;
    }
    for (size_t i = m->heap_count / 2; status == TOC_OK && i-- > 0;) sink_run(m, i);
    return status;
}

// The buffer holds the contacts at hand of all runs; it grows only for very many runs.
static toc_status share_buffer(run_merge *m, size_t run_count) {
    tool_contact_store *store = m->store;
    m->share = store->room / run_count;
    if (m->share >= LEAST_SHARE) return TOC_OK;
    m->share = LEAST_SHARE;
    toc_contact *grown = realloc(store->buffer, run_count * m->share * sizeof *grown);
    if (!grown) return tool_fail_memory();
    store->buffer = grown;
    return TOC_OK;
}

static toc_status merge_runs(tool_contact_store *store) {
    const size_t run_count = (store->count + store->room - 1) / store->room;
    run_merge m = {.store = store};
    m.runs = calloc(run_count, sizeof *m.runs);
    m.heap = calloc(run_count, sizeof *m.heap);
    toc_status status = m.runs && m.heap ? share_buffer(&m, run_count) : tool_fail_memory();
    if (status == TOC_OK) status = tool_temporary_file(&store->sorted);
    if (status == TOC_OK) status = start_runs(&m, run_count);
    if (status == TOC_OK) status = write_merged(&m);
    free(m.heap);
    free(m.runs);
    if (status == TOC_OK) status = flush_file(store->sorted);
    fclose(store->runs);
    store->runs = NULL;
    return status;
}

toc_status tool_contact_store_sort(tool_contact_store *store, toc_status status) {
    if (store->status != TOC_OK) return store->status;
    if (status != TOC_OK) return status;
    if (!store->runs) {
        qsort(store->buffer, store->held, sizeof *store->buffer, compare_contacts);
        return TOC_OK;
    }
    status = store->held > 0 ? write_run(store) : TOC_OK;
    return status == TOC_OK ? merge_runs(store) : status;
}

toc_status tool_contact_store_get(tool_contact_store *store, size_t first, const toc_contact **contacts,
                                  size_t *count) {
    assert(first < store->count);
    const size_t left = store->count - first;
    *count = left < TOOL_STORE_PORTION ? left : TOOL_STORE_PORTION;
    *contacts = store->sorted ? store->portion : store->buffer + first;
    return store->sorted ? read_block(store->sorted, first, store->portion, *count) : TOC_OK;
}
