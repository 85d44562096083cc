// SPDX-License-Identifier: Apache-2.0
// What an elementary question costs with each method: on the published questions, and on the feature pairs of whole
// frames whose swept boxes overlap. Every answer is compared with exact arithmetic; a contact that a method without
// misses called apart makes the program fail.
//
//     bench.pairs [PAIRS]     how many pairs of a frame, of each kind, are asked one by one; default 50000
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "exact/certified.h"
#include "toccata/toccata.h"

enum { SWEEP_CHUNK = 4096, HISTOGRAM = 8 };

static void *must(void *block) {
    if (block) return block;
    fputs("bench.pairs: out of memory\n", stderr);
    exit(1);
}

static void check(toc_status status) {
    if (status == TOC_OK) return;
    fprintf(stderr, "bench.pairs: %s\n", toc_message());
    exit(1);
}

// ---- pairs and their truth

/// Pairs of one kind over common positions.
typedef struct pairs {
    toc_kind kind;
    size_t count, capacity;
    uint32_t (*vertices)[4];
    toc_verdict *truth;
    double *times;
} pairs;

/// Questions of both kinds.
typedef struct set {
    const double *x0, *x1;
    pairs of[2];
} set;

static void pairs_add(pairs *p, const uint32_t vertices[4]) {
    if (p->count == p->capacity) {
        p->capacity = p->capacity ? 2 * p->capacity : 1024;
        p->vertices = must(realloc(p->vertices, p->capacity * sizeof *p->vertices));
    }
    memcpy(p->vertices[p->count++], vertices, sizeof *p->vertices);
}

static void set_free(set *s) {
    for (int kind = 0; kind < 2; kind++) free(s->of[kind].vertices), free(s->of[kind].truth), free(s->of[kind].times);
}

static toc_pair_batch batch_of(const set *s, const pairs *p) {
    return (toc_pair_batch){.kind = p->kind,
                            .count = p->count,
                            .vertices = (const uint32_t(*)[4])p->vertices,
                            .body0 = {s->x0, s->x0},
                            .body1 = {s->x1, s->x1}};
}

static toc_pair pair_of(const set *s, const uint32_t vertices[4]) {
    toc_pair pair;
    for (int k = 0; k < 4; k++) {
        memcpy(pair.x0[k], s->x0 + 3 * (size_t)vertices[k], sizeof pair.x0[k]);
        memcpy(pair.x1[k], s->x1 + 3 * (size_t)vertices[k], sizeof pair.x1[k]);
    }
    return pair;
}

static void find_truth(const set *s, pairs *p) {
    p->truth = must(malloc((p->count + 1) * sizeof *p->truth));
    p->times = must(malloc((p->count + 1) * sizeof *p->times));
    toc_pair_test test = toc_pair_test_default();
    test.method = TOC_EXACT;
    const toc_pair_batch batch = batch_of(s, p);
    check(toc_pair_find_batch(&batch, &test, p->truth, p->times));
}

// ---- measuring

typedef struct score {
    size_t pairs, missed, false_alarms, undecided, late;
    double seconds, hit_seconds; // of all, and of the colliding ones alone
    size_t hits;
} score;

static void score_answer(score *sum, const pairs *p, size_t i, toc_verdict verdict, double time) {
    const bool collides = p->truth[i] != TOC_APART;
    sum->pairs++;
    sum->hits += collides;
    sum->missed += collides && verdict == TOC_APART;
    sum->false_alarms += !collides && verdict != TOC_APART;
    sum->undecided += verdict == TOC_UNDECIDED;
    sum->late += collides && verdict != TOC_APART && time > p->times[i] * (1 + 1e-9);
}

/// The colliding ones among the pairs, as pairs of their own.
static pairs colliding(const pairs *p) {
    pairs some = {.kind = p->kind};
    for (size_t i = 0; i < p->count; i++)
        if (p->truth[i] != TOC_APART) pairs_add(&some, p->vertices[i]);
    return some;
}

/// Ask pair by pair, made ready in chunks beforehand so that only the asking is timed.
static double ask_singly(const set *s, const pairs *p, const toc_pair_test *test, toc_hit *hits) {
    static toc_pair chunk[256];
    double seconds = 0;
    for (size_t first = 0; first < p->count; first += 256) {
        const size_t count = p->count - first < 256 ? p->count - first : 256;
        for (size_t i = 0; i < count; i++) chunk[i] = pair_of(s, p->vertices[first + i]);
        const double start = bench_seconds();
        for (size_t i = 0; i < count; i++) check(toc_pair_find(p->kind, &chunk[i], test, &hits[first + i]));
        seconds += bench_seconds() - start;
    }
    return seconds;
}

static void measure_singly(const set *s, const toc_pair_test *test, score *sum) {
    for (int kind = 0; kind < 2; kind++) {
        const pairs *p = &s->of[kind];
        pairs some = colliding(p);
        toc_hit *hits = must(malloc((p->count + 1) * sizeof *hits));
        sum->hit_seconds += ask_singly(s, &some, test, hits);
        sum->seconds += ask_singly(s, p, test, hits);
        for (size_t i = 0; i < p->count; i++) score_answer(sum, p, i, hits[i].verdict, hits[i].toc);
        free(hits), free(some.vertices);
    }
}

static double ask_batch(const set *s, const pairs *p, const toc_pair_test *test, toc_verdict *verdicts, double *times) {
    const toc_pair_batch batch = batch_of(s, p);
    double best = INFINITY;
    for (int round = 0; round < 3; round++) {
        const double start = bench_seconds();
        check(toc_pair_find_batch(&batch, test, verdicts, times));
        best = fmin(best, bench_seconds() - start);
    }
    return best;
}

static void measure_batch(const set *s, const toc_pair_test *test, score *sum) {
    for (int kind = 0; kind < 2; kind++) {
        const pairs *p = &s->of[kind];
        pairs some = colliding(p);
        toc_verdict *verdicts = must(malloc((p->count + 1) * sizeof *verdicts));
        double *times = must(malloc((p->count + 1) * sizeof *times));
        sum->hit_seconds += ask_batch(s, &some, test, verdicts, times);
        sum->seconds += ask_batch(s, p, test, verdicts, times);
        for (size_t i = 0; i < p->count; i++) score_answer(sum, p, i, verdicts[i], times[i]);
        free(verdicts), free(times), free(some.vertices);
    }
}

// ---- tables

static bool never_misses(toc_method method) { return method == TOC_EXACT || method == TOC_CERTIFIED; }

static double ns(double seconds, size_t count) { return count ? 1e9 * seconds / (double)count : 0; }

/// Whether the method kept what it promises.
static bool print_score(const char *name, const score *s, bool strict) {
    printf("  %-22s %10.1f %12.1f %8zu %12zu %10zu %6zu\n", name, ns(s->seconds, s->pairs), ns(s->hit_seconds, s->hits),
           s->missed, s->false_alarms, s->undecided, s->late);
    return !strict || (s->missed == 0 && s->late == 0);
}

static bool is_built(toc_method method) {
    toc_pair_test test = toc_pair_test_default();
    test.method = method;
    return toc_pair_test_check(&test) == TOC_OK;
}

static bool print_table(const set *s, const char *name) {
    printf("\n%s: %zu VF, %zu EE\n", name, s->of[0].count, s->of[1].count);
    printf("  %-22s %10s %12s %8s %12s %10s %6s\n", "method", "ns/pair", "ns/collision", "missed", "false alarms",
           "undecided", "late");
    toc_pair_test test = toc_pair_test_default();
    score batch = {0}, single = {0}, alone[TOC_METHOD_COUNT] = {0};
    measure_batch(s, &test, &batch);
    measure_singly(s, &test, &single);
    bool good = print_score("certified batch", &batch, true) && batch.false_alarms == 0;
    good = print_score("certified", &single, true) && single.false_alarms == 0 && good;
    test.exact = false;
    for (int method = 0; method < TOC_METHOD_COUNT; method++) {
        if (!is_built((toc_method)method)) continue;
        char label[64];
        test.method = (toc_method)method;
        snprintf(label, sizeof label, "%s%s", toc_method_name(test.method), method == TOC_EXACT ? "" : " alone");
        measure_singly(s, &test, &alone[method]);
        good = print_score(label, &alone[method], never_misses(test.method)) && good;
    }
    printf("  certified batch : certified : additive : inclusion = 1 : %.1f : %.1f : %.1f\n",
           single.seconds / batch.seconds, alone[TOC_ADDITIVE].seconds / batch.seconds,
           alone[TOC_INCLUSION].seconds / batch.seconds);
    return good;
}

// ---- the published questions

static bool read_row(FILE *file, double x[3]) {
    char line[4096], *at = line;
    if (!fgets(line, sizeof line, file)) return false;
    for (int k = 0; k < 3; k++, at++) {
        const double above = strtod(at, &at);
        x[k] = above / strtod(at + 1, &at);
    }
    return true;
}

/// Positions of the questions of a file, four vertices each, behind those that are there already.
static void read_questions(const char *path, double (**x0)[3], double (**x1)[3], size_t *count, pairs *p) {
    FILE *file = fopen(path, "r");
    if (!file) return;
    double rows[8][3];
    size_t row = 0;
    while (read_row(file, rows[row % 8])) {
        if (++row % 8) continue;
        *x0 = must(realloc(*x0, (*count + 4) * sizeof **x0));
        *x1 = must(realloc(*x1, (*count + 4) * sizeof **x1));
        memcpy(*x0 + *count, rows, 4 * sizeof **x0);
        memcpy(*x1 + *count, rows + 4, 4 * sizeof **x1);
        const uint32_t first = (uint32_t)*count;
        pairs_add(p, (uint32_t[4]){first, first + 1, first + 2, first + 3});
        *count += 4;
    }
    fclose(file);
}

static bool bench_questions(const char *data) {
    static const char *const folders[] = {"erleben-cube-cliff-edges", "erleben-sliding-spike", "erleben-spike-crack",
                                          "erleben-spikes",           "erleben-wedges",        "unit-tests"};
    set s = {.of = {{.kind = TOC_VF}, {.kind = TOC_EE}}};
    double(*x0)[3] = NULL, (*x1)[3] = NULL;
    size_t count = 0;
    for (size_t i = 0; i < 4 * sizeof folders / sizeof *folders; i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/queries/%s/%s_data_0_%zu.csv", data, folders[i / 4],
                 i % 2 ? "edge-edge" : "vertex-face", i / 2 % 2);
        read_questions(path, &x0, &x1, &count, &s.of[i % 2]);
    }
    bool good = true;
    if (count) {
        s.x0 = *x0, s.x1 = *x1;
        for (int kind = 0; kind < 2; kind++) find_truth(&s, &s.of[kind]);
        good = print_table(&s, "published questions");
    } else {
        puts("published questions: not there");
    }
    set_free(&s);
    free(x0), free(x1);
    return good;
}

// ---- frames

/// A feature's swept box. Vertices come first among the features of a kind.
typedef struct box {
    double low[3], high[3];
    uint32_t corner_count, corners[3];
} box;

static int by_low_x(const void *a, const void *b) {
    const double x = ((const box *)a)->low[0], y = ((const box *)b)->low[0];
    return (x > y) - (x < y);
}

static box box_of(const set *s, uint32_t count, const uint32_t *corners) {
    box b = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, count, {0}};
    for (uint32_t i = 0; i < count; i++) {
        b.corners[i] = corners[i];
        for (int k = 0; k < 3; k++) {
            const double x0 = s->x0[3 * (size_t)corners[i] + (size_t)k], x1 = s->x1[3 * (size_t)corners[i] + (size_t)k];
            b.low[k] = fmin(b.low[k], fmin(x0, x1));
            b.high[k] = fmax(b.high[k], fmax(x0, x1));
        }
    }
    return b;
}

static box *make_boxes(const set *s, const toc_features *f, toc_kind kind, size_t *count) {
    *count = kind == TOC_VF ? f->vertex_count + f->face_count : f->edge_count;
    box *boxes = must(malloc((*count + 1) * sizeof *boxes)), *next = boxes;
    for (size_t i = 0; kind == TOC_VF && i < f->vertex_count; i++) *next++ = box_of(s, 1, &f->vertices[i]);
    for (size_t i = 0; kind == TOC_VF && i < f->face_count; i++) *next++ = box_of(s, 3, f->faces[i]);
    for (size_t i = 0; kind == TOC_EE && i < f->edge_count; i++) *next++ = box_of(s, 2, f->edges[i]);
    qsort(boxes, *count, sizeof *boxes, by_low_x);
    return boxes;
}

/// The pair of two features in the kind's order; false where they are no pair or share a vertex.
static bool make_pair(const box *a, const box *b, uint32_t v[4]) {
    if (a->corner_count == b->corner_count && a->corner_count != 2) return false;
    const box *first = a->corner_count <= b->corner_count ? a : b, *second = first == a ? b : a;
    memcpy(v, first->corners, first->corner_count * sizeof *v);
    memcpy(v + first->corner_count, second->corners, second->corner_count * sizeof *v);
    for (uint32_t i = 0; i < first->corner_count; i++)
        for (uint32_t j = first->corner_count; j < 4; j++)
            if (v[i] == v[j]) return false;
    return true;
}

static bool overlap(const box *a, const box *b) {
    return a->low[1] <= b->high[1] && b->low[1] <= a->high[1] && a->low[2] <= b->high[2] && b->low[2] <= a->high[2];
}

/// What all pairs of a frame came to, by the certified batch.
typedef struct whole {
    size_t pairs, hits, undecided, rounds[HISTOGRAM];
    double seconds, first;
    uint32_t first_vertices[4];
    toc_kind first_kind;
} whole;

/// One chunk of pairs: answered as a user would, then once more by the kernel alone to count its rounds.
static void see_chunk(const set *s, const pairs *chunk, whole *sum) {
    static toc_verdict verdicts[SWEEP_CHUNK];
    static double times[SWEEP_CHUNK];
    static uint32_t rounds[SWEEP_CHUNK];
    const toc_pair_test test = toc_pair_test_default();
    toc_pair_batch batch = batch_of(s, chunk);
    const double start = bench_seconds();
    check(toc_pair_find_batch(&batch, &test, verdicts, times));
    sum->seconds += bench_seconds() - start;
    sum->pairs += chunk->count;
    for (size_t i = 0; i < chunk->count; i++) {
        if (verdicts[i] == TOC_APART) continue;
        sum->hits++;
        if (times[i] >= sum->first) continue;
        sum->first = times[i], sum->first_kind = chunk->kind;
        memcpy(sum->first_vertices, chunk->vertices[i], sizeof sum->first_vertices);
    }
    for (size_t i = 0; i < chunk->count; i += TOC_CERTIFIED_CHUNK) {
        toc_certified_work work = {.pairs = batch, .to = 1, .verdicts = verdicts, .times = times, .rounds = rounds};
        work.pairs.vertices += i;
        work.pairs.count = chunk->count - i < TOC_CERTIFIED_CHUNK ? chunk->count - i : TOC_CERTIFIED_CHUNK;
        toc_certified_find_kernel(0)(&work);
        for (size_t j = 0; j < work.pairs.count; j++) {
            sum->undecided += verdicts[j] == TOC_UNDECIDED;
            sum->rounds[rounds[j] < HISTOGRAM - 1 ? rounds[j] : HISTOGRAM - 1]++;
        }
    }
}

/// All pairs with overlapping boxes, by a sweep along x; every `stride`-th one is kept.
static void sweep(set *s, const toc_features *f, toc_kind kind, size_t stride, whole *sum) {
    size_t count, seen = 0;
    box *boxes = make_boxes(s, f, kind, &count);
    pairs chunk = {.kind = kind};
    uint32_t v[4];
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count && boxes[j].low[0] <= boxes[i].high[0]; j++) {
            if (!overlap(&boxes[i], &boxes[j]) || !make_pair(&boxes[i], &boxes[j], v)) continue;
            if (seen++ % stride == 0) pairs_add(&s->of[kind], v);
            pairs_add(&chunk, v);
            if (chunk.count < SWEEP_CHUNK) continue;
            see_chunk(s, &chunk, sum);
            chunk.count = 0;
        }
    see_chunk(s, &chunk, sum);
    free(chunk.vertices), free(boxes);
}

/// Take pairs evenly until there are few enough.
static void thin(pairs *p, size_t count) {
    const size_t stride = p->count / count;
    if (stride < 2) return;
    for (size_t i = 0; i * stride < p->count; i++) memcpy(p->vertices[i], p->vertices[i * stride], sizeof *p->vertices);
    p->count = (p->count - 1) / stride + 1;
}

static void print_whole(const char *name, const whole *w) {
    printf("\n%s, all pairs whose swept boxes overlap: %zu, certified batch %.1f ns a pair\n", name, w->pairs,
           ns(w->seconds, w->pairs));
    printf("  %zu collide, %zu went to exact arithmetic; first contact %.17g, %s %u %u %u %u\n", w->hits, w->undecided,
           w->first, w->first_kind == TOC_VF ? "vf" : "ee", w->first_vertices[0], w->first_vertices[1],
           w->first_vertices[2], w->first_vertices[3]);
    fputs("  rounds after the first look:", stdout);
    for (int i = 0; i < HISTOGRAM; i++) printf(" %d%s %zu", i, i == HISTOGRAM - 1 ? "+" : "", w->rounds[i]);
    puts("");
}

static bool bench_meshes(const char *name, toc_mesh *start, const toc_mesh *end, size_t expected, size_t count) {
    set s = {.x0 = toc_mesh_x0(start), .x1 = toc_mesh_x0(end), .of = {{.kind = TOC_VF}, {.kind = TOC_EE}}};
    toc_features *f;
    check(toc_mesh_find_features(start, &f));
    whole sum = {.first = INFINITY};
    sweep(&s, f, TOC_VF, 16, &sum);
    sweep(&s, f, TOC_EE, 16, &sum);
    toc_features_destroy(f);
    print_whole(name, &sum);
    bool good = sum.hits == expected;
    if (!good) printf("  WRONG: %zu should collide\n", expected);
    for (int kind = 0; kind < 2; kind++) thin(&s.of[kind], count), find_truth(&s, &s.of[kind]);
    good = print_table(&s, name) && good;
    set_free(&s);
    return good;
}

static bool bench_frame(const char *data, const char *name, size_t expected, size_t count) {
    char path[1024];
    toc_mesh *start, *end;
    snprintf(path, sizeof path, "%s/frames/%s/start.ply", data, name);
    if (toc_mesh_read(path, NULL, &start) != TOC_OK) {
        printf("%s: not there\n", name);
        return true;
    }
    snprintf(path, sizeof path, "%s/frames/%s/end.ply", data, name);
    check(toc_mesh_read(path, NULL, &end));
    const bool good = bench_meshes(name, start, end, expected, count);
    toc_mesh_destroy(start), toc_mesh_destroy(end);
    return good;
}

int main(int argc, char **argv) {
    const size_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 50000;
    bool good = bench_questions(TOC_DATA_DIR);
    good = bench_frame(TOC_DATA_DIR, "cloth-ball", 113854, count) && good;
    good = bench_frame(TOC_DATA_DIR, "n-body", 50490, count) && good;
    return good ? 0 : 1;
}
