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
    struct later_vertices *later;
    const toc_block_rows *blocks;
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

// ---- the blocks of the Hessian

// The place of an id in an ascending list, or where it belongs.
static size_t column_place(const uint32_t *ids, size_t count, uint32_t id) {
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        *(ids[middle] < id ? &low : &high) = ids[middle] < id ? middle + 1 : middle;
    }
    return low;
}

// Vertices after each vertex that have a pair with it, ascending: counts[v] at ids[first[v]].
typedef struct later_vertices {
    size_t room; // of ids
    size_t *first;
    uint32_t *counts, *ids;
} later_vertices;

static bool is_later(uint32_t id, size_t v) { return id != TOC_NO_ROW && id > v; }

static void list_later(const vertex_rounds *r, size_t v) {
    uint32_t *ids = r->later->ids + r->later->first[v];
    size_t count = 0;
    for (size_t i = r->around->first[v]; i < r->around->first[v + 1]; i++)
        for (int k = 0; k < 4; k++) {
            const uint32_t id = r->assembly->pairs[r->around->at[i] / 4].vertex[k];
            if (!is_later(id, v)) continue;
            const size_t place = column_place(ids, count, id);
            if (place < count && ids[place] == id) continue;
            memmove(ids + place + 1, ids + place, (count - place) * sizeof *ids);
            ids[place] = id;
            count++;
        }
    r->later->counts[v] = (uint32_t)count;
}

// Room for the later vertices of all pairs around each vertex, repeated ones counted.
static void count_rooms(const toc_assembly *a, const toc_pairs_around *around, later_vertices *out) {
    for (size_t v = 0; v < a->vertex_count; v++) {
        size_t room = 0;
        for (size_t i = around->first[v]; i < around->first[v + 1]; i++)
            for (int k = 0; k < 4; k++) room += is_later(a->pairs[around->at[i] / 4].vertex[k], v);
        out->first[v + 1] = out->first[v] + room;
    }
    out->room = out->first[a->vertex_count];
}

static void free_later(const toc_assembly *a, later_vertices *later) {
    toc_free(a->allocator, later->ids, later->room, sizeof *later->ids);
    toc_free(a->allocator, later->counts, a->vertex_count, sizeof *later->counts);
    toc_free(a->allocator, later->first, a->vertex_count + 1, sizeof *later->first);
}

static toc_status make_later(const toc_assembly *a, const toc_pairs_around *around, later_vertices *out) {
    *out = (later_vertices){0};
    out->first = toc_new(a->allocator, a->vertex_count + 1, sizeof *out->first);
    out->counts = out->first ? toc_new(a->allocator, a->vertex_count, sizeof *out->counts) : NULL;
    if (out->counts) count_rooms(a, around, out);
    out->ids = out->counts ? toc_new(a->allocator, out->room, sizeof *out->ids) : NULL;
    vertex_rounds r = {.assembly = a, .around = around, .later = out, .vertex = list_later};
    const toc_status status = out->ids ? run_vertex_rounds(&r) : TOC_OUT_OF_MEMORY;
    if (status != TOC_OK) free_later(a, out);
    return status;
}

// Rows, from their upper halves. O(blocks).
static toc_status fill_rows(const toc_assembly *a, const toc_pairs_around *around, const later_vertices *later,
                            toc_block_rows *out) {
    for (size_t v = 0; v < a->vertex_count; v++)
        for (size_t i = 0; i < later->counts[v]; i++) out->before[later->ids[later->first[v] + i]]++;
    for (size_t v = 0; v < a->vertex_count; v++) {
        const bool own = around->first[v] < around->first[v + 1];
        out->first[v + 1] = out->first[v] + out->before[v] + own + later->counts[v];
    }
    out->count = out->first[a->vertex_count];
    out->columns = toc_new(a->allocator, out->count, sizeof *out->columns);
    if (!out->columns) return TOC_OUT_OF_MEMORY;
    // Counted again while they are filled.
    memset(out->before, 0, a->vertex_count * sizeof *out->before);
    for (size_t v = 0; v < a->vertex_count; v++) {
        const uint32_t *ids = later->ids + later->first[v];
        uint32_t *own = out->columns + out->first[v] + out->before[v];
        if (around->first[v] == around->first[v + 1]) continue;
        own[0] = (uint32_t)v;
        memcpy(own + 1, ids, later->counts[v] * sizeof *own);
        for (size_t i = 0; i < later->counts[v]; i++)
            out->columns[out->first[ids[i]] + out->before[ids[i]]++] = (uint32_t)v;
    }
    return TOC_OK;
}

toc_status toc_block_rows_make(const toc_assembly *a, const toc_pairs_around *around, toc_block_rows *out) {
    later_vertices later;
    *out = (toc_block_rows){.vertex_count = a->vertex_count};
    TOC_TRY(make_later(a, around, &later));
    out->first = toc_new(a->allocator, a->vertex_count + 1, sizeof *out->first);
    out->before = out->first ? toc_new(a->allocator, a->vertex_count, sizeof *out->before) : NULL;
    const toc_status status = out->before ? fill_rows(a, around, &later, out) : TOC_OUT_OF_MEMORY;
    free_later(a, &later);
    if (status != TOC_OK) toc_block_rows_free(a->allocator, out);
    return status;
}

void toc_block_rows_free(const toc_allocator *allocator, toc_block_rows *rows) {
    toc_free(allocator, rows->columns, rows->count, sizeof *rows->columns);
    toc_free(allocator, rows->before, rows->vertex_count, sizeof *rows->before);
    toc_free(allocator, rows->first, rows->vertex_count + 1, sizeof *rows->first);
    *rows = (toc_block_rows){0};
}

// ---- the Hessian

static void name_columns(const vertex_rounds *r, size_t v) {
    const uint32_t *ids = r->blocks->columns + r->blocks->first[v];
    const size_t count = r->blocks->first[v + 1] - r->blocks->first[v];
    for (size_t row = 0; row < 3; row++)
        for (size_t k = 0; k < 3 * count; k++)
            r->columns[r->rows[3 * v + row] + k] = 3 * ids[k / 3] + (uint32_t)(k % 3);
}

// Add the squares of a pair, at two of its vertices, to three lines of numbers.
static void add_squares(const toc_pair_terms *pair, size_t size, size_t row, size_t column, double *lines[3]) {
    double block[3][3] = {{0}};
    const double *square = pair->square;
    for (int k = 0; k < pair->squares; k++, square += size) {
        const double *a = square + row, *b = square + column;
        for (int i = 0; i < 3; i++) {
            const double factor = square[0] * a[i];
            for (int j = 0; j < 3; j++) block[i][j] += factor * b[j];
        }
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) lines[i][j] += block[i][j];
}

// The diagonal block of a vertex and those after it.
static void sum_later(const vertex_rounds *r, size_t v) {
    const size_t before = r->blocks->before[v], own = r->blocks->first[v] + before;
    const uint32_t *ids = r->blocks->columns + own;
    const size_t count = r->blocks->first[v + 1] - own;
    double *to = r->values + r->rows[3 * v] + 3 * before;
    const size_t stride = r->rows[3 * v + 1] - r->rows[3 * v];
    for (size_t i = r->around->first[v]; i < r->around->first[v + 1]; i++) {
        const toc_pair_terms *pair = &r->assembly->pairs[r->around->at[i] / 4];
        size_t place[4], size = 1; // of the vertices in a square
        for (int k = 0; k < 4; k++) {
            place[k] = size;
            size += pair->vertex[k] == TOC_NO_ROW ? 0 : 3;
        }
        for (int k = 0; k < 4; k++) {
            const uint32_t id = pair->vertex[k];
            if (id == TOC_NO_ROW || id < v) continue;
            double *line = to + (id == v ? 0 : 3 * column_place(ids, count, id));
            add_squares(pair, size, place[r->around->at[i] % 4], place[k],
                        (double *[3]){line, line + stride, line + 2 * stride});
        }
    }
}

// The blocks before each vertex are the transposes of blocks of others.
static void copy_earlier(const vertex_rounds *r, size_t v) {
    const toc_block_rows *b = r->blocks;
    const size_t first = b->first[v];
    for (size_t i = 0; i < b->before[v]; i++) {
        const size_t u = b->columns[first + i];
        const size_t place = column_place(b->columns + b->first[u], b->first[u + 1] - b->first[u], (uint32_t)v);
        for (size_t k = 0; k < 9; k++)
            r->values[r->rows[3 * v + k / 3] + 3 * i + k % 3] = r->values[r->rows[3 * u + k % 3] + 3 * place + k / 3];
    }
    name_columns(r, v);
}

toc_status toc_assembly_hessian(const toc_assembly *a, const toc_pairs_around *around, const toc_block_rows *blocks,
                                const size_t *rows, uint32_t *columns, double *values) {
    vertex_rounds r = {.assembly = a,
                       .around = around,
                       .blocks = blocks,
                       .rows = rows,
                       .columns = columns,
                       .values = values,
                       .vertex = sum_later};
    TOC_TRY(run_vertex_rounds(&r));
    r.vertex = copy_earlier;
    return run_vertex_rounds(&r);
}
