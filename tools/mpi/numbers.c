// SPDX-License-Identifier: Apache-2.0
// Ranges are chosen from samples of all ranks, in the first call. Each label goes to the rank of its range and comes
// back as a number: O(n log n) on each rank, two exchanges.
#include "tools/mpi/numbers.h"

#include <stdlib.h>
#include <string.h>

enum { SAMPLE_COUNT = 64 }; // of each rank

struct rank_number {
    int64_t label;
    uint64_t number;
};

static int compare_labels(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static toc_status fail_numbers(size_t count) {
    return team_fail(TOC_OUT_OF_MEMORY, "out of memory for the numbers of %zu vertices or elements", count);
}

// ---- ranges

// The highest label stands for the samples of ranks without labels.
static void sample_labels(size_t count, const int64_t *labels, int64_t *samples) {
    for (size_t i = 0; i < SAMPLE_COUNT; i++) samples[i] = count ? labels[count * i / SAMPLE_COUNT] : INT64_MAX;
}

static toc_status choose_label_ranges(rank_numbers *n, size_t count, const int64_t *labels) {
    const size_t size = (size_t)team_size();
    int64_t own[SAMPLE_COUNT], *all = malloc(size * sizeof own);
    int64_t *first = malloc(size * sizeof *first);
    toc_status status = team_agree(all && first ? TOC_OK : fail_numbers(count));
    if (status == TOC_OK) {
        sample_labels(count, labels, own);
        MPI_Allgather(own, SAMPLE_COUNT, MPI_INT64_T, all, SAMPLE_COUNT, MPI_INT64_T, MPI_COMM_WORLD);
        qsort(all, size * SAMPLE_COUNT, sizeof *all, compare_labels);
        size_t real = size * SAMPLE_COUNT;
        while (real > 1 && all[real - 1] == INT64_MAX) real--;
        for (size_t r = 1; r < size; r++) first[r - 1] = all[real * r / size];
        n->first = first;
        first = NULL;
    }
    free(first);
    free(all);
    return status;
}

static int rank_of_label(const rank_numbers *n, int64_t label) {
    int low = 0, high = team_size() - 1; // the number of firsts that are not above the label
    while (low < high) {
        const int middle = low + (high - low) / 2;
        *(n->first[middle] <= label ? &low : &high) = n->first[middle] <= label ? middle + 1 : middle;
    }
    return low;
}

// ---- exchange

typedef struct label_exchange {
    int *sent, *sent_at, *came, *came_at; // counts and places by rank
    int64_t *out, *in;                    // labels for others, and of others
    uint64_t *answers, *back;
    size_t in_count;
} label_exchange;

static void free_exchange(label_exchange *x) {
    free(x->sent);
    free(x->out);
    free(x->in);
    free(x->answers);
    free(x->back);
}

static size_t place_counts(const int *counts, int *places) {
    size_t total = 0;
    for (int r = 0; r < team_size(); r++) {
        places[r] = (int)total;
        total += (size_t)counts[r];
    }
    return total;
}

static toc_status open_exchange(label_exchange *x, size_t count) {
    const size_t size = (size_t)team_size();
    if (count > INT32_MAX) return team_fail(TOC_BAD_INPUT, "a rank reads 2^31 - 1 vertices or elements at most");
    x->sent = calloc(4 * size, sizeof *x->sent);
    x->out = malloc((count + 1) * sizeof *x->out);
    x->back = malloc((count + 1) * sizeof *x->back);
    if (!x->sent || !x->out || !x->back) return fail_numbers(count);
    x->sent_at = x->sent + size;
    x->came = x->sent_at + size;
    x->came_at = x->came + size;
    return TOC_OK;
}

// Labels by rank, each in the order of this rank. `sent_at` is then the end of each, until it is counted again.
static void pack_labels(const rank_numbers *n, label_exchange *x, size_t count, const int64_t *labels) {
    for (size_t i = 0; i < count; i++) x->sent[rank_of_label(n, labels[i])]++;
    place_counts(x->sent, x->sent_at);
    for (size_t i = 0; i < count; i++) x->out[x->sent_at[rank_of_label(n, labels[i])]++] = labels[i];
    place_counts(x->sent, x->sent_at);
}

static toc_status send_labels(label_exchange *x) {
    uint64_t total = 0;
    MPI_Alltoall(x->sent, 1, MPI_INT, x->came, 1, MPI_INT, MPI_COMM_WORLD);
    for (int r = 0; r < team_size(); r++) total += (uint64_t)x->came[r];
    x->in_count = total <= INT32_MAX ? place_counts(x->came, x->came_at) : 0;
    x->in = malloc((x->in_count + 1) * sizeof *x->in);
    x->answers = malloc((x->in_count + 1) * sizeof *x->answers);
    toc_status status = x->in && x->answers ? TOC_OK : fail_numbers(x->in_count);
    if (total > INT32_MAX) status = team_fail(TOC_BAD_INPUT, "too many vertices or elements for %d ranks", team_size());
    status = team_agree(status);
    if (status == TOC_OK)
        MPI_Alltoallv(x->out, x->sent, x->sent_at, MPI_INT64_T, x->in, x->came, x->came_at, MPI_INT64_T,
                      MPI_COMM_WORLD);
    return status;
}

static void receive_numbers(const rank_numbers *n, label_exchange *x, size_t count, const int64_t *labels,
                            uint64_t *out) {
    MPI_Alltoallv(x->answers, x->came, x->came_at, MPI_UINT64_T, x->back, x->sent, x->sent_at, MPI_UINT64_T,
                  MPI_COMM_WORLD);
    for (size_t i = 0; i < count; i++) out[i] = x->back[x->sent_at[rank_of_label(n, labels[i])]++];
}

// ---- the numbers of a range

static const rank_number *find_label(const rank_numbers *n, int64_t label) {
    size_t low = 0, high = n->known_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        *(n->known[middle].label < label ? &low : &high) = n->known[middle].label < label ? middle + 1 : middle;
    }
    return low < n->known_count && n->known[low].label == label ? &n->known[low] : NULL;
}

// The labels that came and are new, ascending, each once.
static toc_status list_new_labels(const rank_numbers *n, const label_exchange *x, int64_t **out, size_t *count) {
    size_t found = 0;
    *out = malloc((x->in_count + 1) * sizeof **out);
    *count = 0;
    if (!*out) return fail_numbers(x->in_count);
    for (size_t i = 0; i < x->in_count; i++)
        if (!find_label(n, x->in[i])) (*out)[found++] = x->in[i];
    qsort(*out, found, sizeof **out, compare_labels);
    for (size_t i = 0; i < found; i++)
        if (*count == 0 || (*out)[*count - 1] != (*out)[i]) (*out)[(*count)++] = (*out)[i];
    return TOC_OK;
}

static int compare_known(const void *a, const void *b) {
    return compare_labels(&((const rank_number *)a)->label, &((const rank_number *)b)->label);
}

// The first number of this rank's new labels; the ranges ascend with the ranks. Collective.
static uint64_t take_numbers(rank_numbers *n, uint64_t count) {
    uint64_t before = 0, all = count;
    MPI_Exscan(&count, &before, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    if (team_rank() == 0) before = 0; // MPI_Exscan leaves it undefined there
    n->total += all;
    return n->total - all + before;
}

static toc_status know_labels(rank_numbers *n, const label_exchange *x) {
    int64_t *added = NULL;
    size_t count = 0;
    toc_status status = list_new_labels(n, x, &added, &count);
    rank_number *known = status == TOC_OK ? realloc(n->known, (n->known_count + count + 1) * sizeof *known) : NULL;
    if (known) n->known = known;
    if (status == TOC_OK && !known) status = fail_numbers(count);
    status = team_agree(status);
    if (status == TOC_OK) {
        const uint64_t first = take_numbers(n, count);
        for (size_t i = 0; i < count; i++) n->known[n->known_count + i] = (rank_number){added[i], first + i};
        n->known_count += count;
        if (count) qsort(n->known, n->known_count, sizeof *n->known, compare_known);
    }
    free(added);
    return status;
}

// ---- all of it

toc_status numbers_give(rank_numbers *n, size_t count, const int64_t *labels, uint64_t *out) {
    label_exchange x = {0};
    toc_status status = n->first ? TOC_OK : choose_label_ranges(n, count, labels);
    if (status != TOC_OK) return status;
    status = team_agree(open_exchange(&x, count));
    if (status == TOC_OK) {
        pack_labels(n, &x, count, labels);
        status = send_labels(&x);
    }
    if (status == TOC_OK) status = know_labels(n, &x);
    for (size_t i = 0; i < x.in_count && status == TOC_OK; i++) x.answers[i] = find_label(n, x.in[i])->number;
    if (status == TOC_OK) receive_numbers(n, &x, count, labels, out);
    free_exchange(&x);
    return status;
}

void numbers_count(rank_numbers *n, size_t count, uint64_t *out) {
    const uint64_t first = take_numbers(n, count);
    for (size_t i = 0; i < count; i++) out[i] = first + i;
}

void numbers_free(rank_numbers *n) {
    free(n->first);
    free(n->known);
    *n = (rank_numbers){0};
}
