// SPDX-License-Identifier: Apache-2.0
// Errors inside MPI end the program (MPI_ERRORS_ARE_FATAL on the scene's own communicator), so calls need no check.
#include "mpi/link.h"

#include <assert.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

typedef struct failure_note {
    int status;
    char text[1024];
} failure_note;

toc_status toc_dist_agree(dist_link *link, toc_status mine) {
    int first = mine == TOC_OK ? INT_MAX : link->rank;
    if (link->size == 1) return mine;
    link->rounds++;
    MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, link->comm);
    if (first == INT_MAX) return TOC_OK;
    failure_note note = {0};
    if (first == link->rank) {
        note.status = (int)mine;
        snprintf(note.text, sizeof note.text, "rank %d: %.1000s", link->rank, toc_message_get());
    }
    MPI_Bcast(&note, (int)sizeof note, MPI_BYTE, first, link->comm);
    return toc_message_set((toc_status)note.status, note.text);
}

void toc_dist_sum(dist_link *link, int count, double *values) {
    if (link->size == 1) return;
    link->rounds++;
    MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_DOUBLE, MPI_SUM, link->comm);
}

void toc_dist_most(dist_link *link, int count, double *values) {
    if (link->size == 1) return;
    link->rounds++;
    MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_DOUBLE, MPI_MAX, link->comm);
}

void toc_dist_sum_counts(dist_link *link, int count, uint64_t *values) {
    if (link->size == 1) return;
    link->rounds++;
    MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_UINT64_T, MPI_SUM, link->comm);
}

bool toc_dist_all(dist_link *link, bool mine) {
    double no = !mine;
    toc_dist_most(link, 1, &no);
    return no == 0;
}

// ---- parcels

toc_status toc_dist_parcels_make(const dist_link *link, size_t item, uint64_t *first, dist_parcels *out) {
    uint64_t place = 0;
    for (int r = 0; r <= link->size; r++) {
        const uint64_t count = r < link->size ? first[r] : 0;
        first[r] = place;
        place += count;
    }
    *out = (dist_parcels){.first = first, .item = item};
    out->items = toc_new(&link->memory, place, item);
    if (!out->items) {
        out->first = NULL;
        return TOC_OUT_OF_MEMORY;
    }
    out->capacity = place;
    return TOC_OK;
}

void toc_dist_parcels_empty(const dist_link *link, dist_parcels *parcels) {
    toc_free(&link->memory, parcels->items, parcels->capacity, parcels->item);
    parcels->items = NULL;
    parcels->capacity = 0;
}

void toc_dist_parcels_free(const dist_link *link, dist_parcels *parcels) {
    toc_free(&link->memory, parcels->items, parcels->capacity, parcels->item);
    toc_free(&link->memory, parcels->first, (size_t)link->size + 1, sizeof *parcels->first);
    *parcels = (dist_parcels){0};
}

// ---- transfers

enum { MESSAGE = 1 << 30 }; // bytes of a message at most: MPI counts with an int

static size_t message_count(const dist_parcels *p, int rank) {
    const uint64_t bytes = (p->first[rank + 1] - p->first[rank]) * p->item;
    return (bytes + MESSAGE - 1) / MESSAGE;
}

toc_status toc_dist_transfer_make(const dist_link *link, const dist_parcels *in, const dist_parcels *out,
                                  dist_transfer *t) {
    *t = (dist_transfer){0};
    for (int r = 0; r < link->size; r++)
        if (r != link->rank) t->capacity += message_count(in, r) + message_count(out, r);
    t->requests = toc_new(&link->memory, t->capacity, sizeof *t->requests);
    return t->requests ? TOC_OK : TOC_OUT_OF_MEMORY;
}

void toc_dist_transfer_free(const dist_link *link, dist_transfer *t) {
    toc_free(&link->memory, t->requests, t->capacity, sizeof *t->requests);
    *t = (dist_transfer){0};
}

// The bytes of message i to or from a rank.
static char *message_at(const dist_parcels *p, int rank, size_t i, int *size) {
    const uint64_t bytes = (p->first[rank + 1] - p->first[rank]) * p->item, begin = i * (uint64_t)MESSAGE;
    *size = (int)(bytes - begin < MESSAGE ? bytes - begin : MESSAGE);
    return p->items + p->first[rank] * p->item + begin;
}

static void receive_from(dist_link *link, const dist_parcels *out, int rank, dist_transfer *t) {
    for (size_t i = 0; i < message_count(out, rank); i++) {
        int size;
        char *at = message_at(out, rank, i, &size);
        MPI_Irecv(at, size, MPI_BYTE, rank, 0, link->comm, &t->requests[t->count++]);
    }
}

static void send_to(dist_link *link, const dist_parcels *in, int rank, dist_transfer *t) {
    for (size_t i = 0; i < message_count(in, rank); i++) {
        int size;
        const char *at = message_at(in, rank, i, &size);
        MPI_Isend(at, size, MPI_BYTE, rank, 0, link->comm, &t->requests[t->count++]);
        link->bytes += (uint64_t)size;
    }
}

toc_status toc_dist_transfer_start(dist_link *link, const dist_parcels *in, dist_parcels *out, dist_transfer *t) {
    const int me = link->rank;
    const uint64_t own = in->first[me + 1] - in->first[me];
    assert(out->first[me + 1] - out->first[me] == own && in->item == out->item);
    t->count = 0;
    link->rounds++;
    // Each rank begins with its neighbours, so that not all send to the same one.
    for (int i = 1; i < link->size; i++) receive_from(link, out, (me + link->size - i) % link->size, t);
    for (int i = 1; i < link->size; i++) send_to(link, in, (me + i) % link->size, t);
    memcpy(out->items + out->first[me] * out->item, in->items + in->first[me] * in->item, own * in->item);
    assert(t->count == t->capacity);
    return TOC_OK;
}

void toc_dist_transfer_wait(dist_link *link, dist_transfer *t) {
    (void)link;
    assert(t->count <= INT_MAX);
    if (t->count) MPI_Waitall((int)t->count, t->requests, MPI_STATUSES_IGNORE);
    t->count = 0;
}

// ---- exchange

static toc_status count_for_all(dist_link *link, const dist_parcels *in, uint64_t **sent, uint64_t **received) {
    *sent = toc_new(&link->memory, (size_t)link->size + 1, sizeof **sent);
    *received = toc_new(&link->memory, (size_t)link->size + 1, sizeof **received);
    if (!*sent || !*received) return TOC_OUT_OF_MEMORY;
    for (int r = 0; r < link->size && in->first; r++) (*sent)[r] = in->first[r + 1] - in->first[r];
    return TOC_OK;
}

// Make the room, then transfer. @param first the numbers of items from each rank, taken over.
static toc_status exchange_counted(dist_link *link, const dist_parcels *in, uint64_t *first, dist_parcels *out) {
    dist_parcels got;
    dist_transfer t = {0};
    toc_status status = toc_dist_parcels_make(link, in->item, first, &got);
    if (status != TOC_OK) toc_free(&link->memory, first, (size_t)link->size + 1, sizeof *first);
    if (status == TOC_OK) status = toc_dist_transfer_make(link, in, &got, &t);
    status = toc_dist_agree(link, status);
    if (status == TOC_OK) {
        toc_dist_transfer_start(link, in, &got, &t);
        toc_dist_transfer_wait(link, &t);
        *out = got;
    } else if (got.items) {
        toc_dist_parcels_free(link, &got);
    }
    toc_dist_transfer_free(link, &t);
    return status;
}

toc_status toc_dist_exchange(dist_link *link, toc_status mine, const dist_parcels *in, dist_parcels *out) {
    uint64_t *sent = NULL, *received = NULL;
    const size_t places = (size_t)link->size + 1;
    if (mine == TOC_OK) mine = count_for_all(link, in, &sent, &received);
    toc_status status = toc_dist_agree(link, mine);
    if (status == TOC_OK) {
        link->rounds++;
        MPI_Alltoall(sent, 1, MPI_UINT64_T, received, 1, MPI_UINT64_T, link->comm);
        status = exchange_counted(link, in, received, out);
        received = NULL;
    }
    toc_free(&link->memory, sent, places, sizeof *sent);
    toc_free(&link->memory, received, places, sizeof *received);
    return status;
}
