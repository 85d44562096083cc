// SPDX-License-Identifier: Apache-2.0
// Sums of the terms of pairs by vertex.
//
// A vertex adds up the pairs around it in their order, so the sums do not depend on the threads (G4), and no two
// threads write to one place. O(pairs log(pairs around a vertex)).
#include "potential/assembly.h"

#include <assert.h>
#include <string.h>

enum { VERTICES_A_ROUND = 256 };

toc_status toc_pairs_around_make(const toc_assembly *a, toc_pairs_around *out) {
    *out = (toc_pairs_around){.vertex_count = a->vertex_count};
    out->first = toc_new(a->allocator, a->vertex_count + 2, sizeof *out->first);
    if (!out->first) return TOC_OUT_OF_MEMORY;
    // Shifted by two: after the sums, first[v + 1] is where the list of v begins, and filling moves it to its end.
    for (size_t i = 0; i < 4 * a->pair_count; i++) {
        const uint32_t v = a->pairs[i / 4].vertex[i % 4];
        if (v != TOC_NO_ROW) out->first[v + 2]++, out->count++;
    }
    for (size_t v = 2; v < a->vertex_count + 2; v++) out->first[v] += out->first[v - 1];
    out->at = toc_new(a->allocator, out->count, sizeof *out->at);
    if (!out->at) {
        toc_pairs_around_free(a->allocator, out);
        return TOC_OUT_OF_MEMORY;
    }
    for (size_t i = 0; i < 4 * a->pair_count; i++) {
        const uint32_t v = a->pairs[i / 4].vertex[i % 4];
        if (v != TOC_NO_ROW) out->at[out->first[v + 1]++] = i;
    }
    return TOC_OK;
}

void toc_pairs_around_free(const toc_allocator *allocator, toc_pairs_around *around) {
    toc_free(allocator, around->first, around->vertex_count + 2, sizeof *around->first);
    toc_free(allocator, around->at, around->count, sizeof *around->at);
    *around = (toc_pairs_around){0};
}

// One loop over the vertices.
typedef struct vertex_rounds {
    const toc_assembly *assembly;
    const toc_pairs_around *around;
    double *gradient;
    toc_block_rows *blocks;
    const size_t *rows;
    uint32_t *columns;
    double *values;
    void (*vertex)(const struct vertex_rounds *r, size_t v);
} vertex_rounds;

static toc_status vertex_round(void *user, size_t index, int thread) {
    const vertex_rounds *r = user;
    (void)thread;
    const size_t first = index * VERTICES_A_ROUND, count = r->assembly->vertex_count;
    for (size_t v = first; v < first + VERTICES_A_ROUND && v < count; v++) r->vertex(r, v);
    return TOC_OK;
}

static toc_status run_vertex_rounds(vertex_rounds *r) {
    const toc_assembly *a = r->assembly;
    return toc_loop_run(&(toc_loop){.count = (a->vertex_count + VERTICES_A_ROUND - 1) / VERTICES_A_ROUND,
                                    .threads = a->threads,
                                    .progress = a->progress,
                                    .round = vertex_round,
                                    .user = r});
}

// ---- the gradient

static void sum_gradient(const vertex_rounds *r, size_t v) {
    double *sum = r->gradient + 3 * v;
    sum[0] = sum[1] = sum[2] = 0;
    for (size_t i = r->around->first[v]; i < r->around->first[v + 1]; i++) {
        const size_t at = r->around->at[i];
        const double *part = r->assembly->pairs[at / 4].gradient[at % 4];
        for (int c = 0; c < 3; c++) sum[c] += part[c];
    }
}

toc_status toc_assembly_gradient(const toc_assembly *a, const toc_pairs_around *around, double *gradient) {
    vertex_rounds r = {.assembly = a, .around = around, .gradient = gradient, .vertex = sum_gradient};
    return run_vertex_rounds(&r);
}

// ---- the Hessian

// The place of an id in an ascending list, or where it belongs.
static size_t column_place(const uint32_t *ids, size_t count, uint32_t id) {
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        *(ids[middle] < id ? &low : &high) = ids[middle] < id ? middle + 1 : middle;
    }
    return low;
}

static void list_others(const vertex_rounds *r, size_t v) {
    uint32_t *ids = r->blocks->columns + r->blocks->first[v];
    size_t count = 0;
    for (size_t i = r->around->first[v]; i < r->around->first[v + 1]; i++)
        for (int k = 0; k < 4; k++) {
            const uint32_t id = r->assembly->pairs[r->around->at[i] / 4].vertex[k];
            const size_t place = column_place(ids, count, id);
            if (id == TOC_NO_ROW || (place < count && ids[place] == id)) continue;
            memmove(ids + place + 1, ids + place, (count - place) * sizeof *ids);
            ids[place] = id;
            count++;
        }
    r->blocks->counts[v] = (uint32_t)count;
}

// Room for the others of each vertex: the vertices of all pairs around it, repeated ones counted.
static void count_rooms(const toc_assembly *a, const toc_pairs_around *around, toc_block_rows *out) {
    for (size_t v = 0; v < a->vertex_count; v++) {
        size_t room = 0;
        for (size_t i = around->first[v]; i < around->first[v + 1]; i++)
            for (int k = 0; k < 4; k++) room += a->pairs[around->at[i] / 4].vertex[k] != TOC_NO_ROW;
        out->first[v + 1] = out->first[v] + room;
    }
    out->room = out->first[a->vertex_count];
}

toc_status toc_block_rows_make(const toc_assembly *a, const toc_pairs_around *around, toc_block_rows *out) {
    *out = (toc_block_rows){0};
    out->first = toc_new(a->allocator, a->vertex_count + 1, sizeof *out->first);
    out->counts = out->first ? toc_new(a->allocator, a->vertex_count, sizeof *out->counts) : NULL;
    if (out->counts) count_rooms(a, around, out);
    out->columns = out->counts ? toc_new(a->allocator, out->room, sizeof *out->columns) : NULL;
    vertex_rounds r = {.assembly = a, .around = around, .blocks = out, .vertex = list_others};
    const toc_status status = out->columns ? run_vertex_rounds(&r) : TOC_OUT_OF_MEMORY;
    if (status != TOC_OK) toc_block_rows_free(a, out);
    return status;
}

void toc_block_rows_free(const toc_assembly *a, toc_block_rows *rows) {
    toc_free(a->allocator, rows->columns, rows->room, sizeof *rows->columns);
    toc_free(a->allocator, rows->counts, a->vertex_count, sizeof *rows->counts);
    toc_free(a->allocator, rows->first, a->vertex_count + 1, sizeof *rows->first);
    *rows = (toc_block_rows){0};
}

static void name_columns(const vertex_rounds *r, size_t v) {
    const uint32_t *ids = r->blocks->columns + r->blocks->first[v];
    for (size_t row = 0; row < 3; row++)
        for (size_t k = 0; k < 3 * (size_t)r->blocks->counts[v]; k++)
            r->columns[r->rows[3 * v + row] + k] = 3 * ids[k / 3] + (uint32_t)(k % 3);
}

static void sum_hessian(const vertex_rounds *r, size_t v) {
    const uint32_t *ids = r->blocks->columns + r->blocks->first[v];
    const size_t count = r->blocks->counts[v];
    name_columns(r, v);
    for (size_t i = r->around->first[v]; i < r->around->first[v + 1]; i++) {
        const size_t at = r->around->at[i] / 4;
        const toc_pair_terms *pair = &r->assembly->pairs[at];
        const int a = (int)(r->around->at[i] % 4);
        for (int b = 0; b < 4; b++) {
            if (pair->vertex[b] == TOC_NO_ROW) continue;
            const size_t place = 3 * column_place(ids, count, pair->vertex[b]);
            const double(*block)[3] =
                r->assembly->hessians[at].block[a <= b ? toc_terms_block(a, b) : toc_terms_block(b, a)];
            for (size_t row = 0; row < 3; row++)
                for (size_t c = 0; c < 3; c++)
                    r->values[r->rows[3 * v + row] + place + c] += a <= b ? block[row][c] : block[c][row];
        }
    }
}

toc_status toc_assembly_hessian(const toc_assembly *a, const toc_pairs_around *around, const toc_block_rows *blocks,
                                const size_t *rows, uint32_t *columns, double *values) {
    toc_block_rows known = *blocks;
    vertex_rounds r = {.assembly = a,
                       .around = around,
                       .blocks = &known,
                       .rows = rows,
                       .columns = columns,
                       .values = values,
                       .vertex = sum_hessian};
    return run_vertex_rounds(&r);
}
