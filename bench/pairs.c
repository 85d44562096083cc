// SPDX-License-Identifier: Apache-2.0
// The cost of an elementary question with each method, on the published questions and on all feature pairs of whole
// frames that share no vertex and whose swept boxes overlap, in the order in which a tree of boxes finds them. Every
// method answers the same pairs in the same order through the same call, and every answer is compared with exact
// arithmetic. The program fails if a method that promises no misses calls a contact apart.
//
//     bench.pairs [N]     every N-th row of 65,536 pairs of a frame; default 1, all of them
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "index/bvh.h"
#include "pair/certified.h"
#include "tests/support/data.h"
#include "toccata/research.h"
#include "toccata/toccata.h"

enum { ROW = 65536, HISTOGRAM = 8 };

static void *must(void *block) {
    if (block) return block;
    fputs("bench.pairs: out of memory\n", stderr);
    exit(1);
}

static void check(toc_status status) {
    if (status == TOC_OK) return;
    fprintf(stderr, "bench.pairs: %s\n", toc_message_get());
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
    size_t vertex_count;
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
                            .body1 = {s->x1, s->x1},
                            .vertex_count = {s->vertex_count, s->vertex_count}};
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
    test.method = TOC_METHOD_EXACT;
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

/// A copy of the colliding pairs only.
static pairs colliding(const pairs *p) {
    pairs some = {.kind = p->kind};
    for (size_t i = 0; i < p->count; i++)
        if (p->truth[i] != TOC_APART) pairs_add(&some, p->vertices[i]);
    return some;
}

/// Answer pair by pair. Chunks are prepared beforehand, outside of the measured time.
static double ask_singly(const set *s, const pairs *p, const toc_pair_test *test, toc_verdict *verdicts,
                         double *times) {
    static toc_pair chunk[256];
    static toc_hit hits[256];
    double seconds = 0;
    for (size_t first = 0; first < p->count; first += 256) {
        const size_t count = p->count - first < 256 ? p->count - first : 256;
        for (size_t i = 0; i < count; i++) chunk[i] = pair_of(s, p->vertices[first + i]);
        const double start = bench_seconds();
        for (size_t i = 0; i < count; i++) check(toc_pair_find(p->kind, &chunk[i], test, &hits[i]));
        seconds += bench_seconds() - start;
        for (size_t i = 0; i < count; i++) verdicts[first + i] = hits[i].verdict, times[first + i] = hits[i].toc;
    }
    return seconds;
}

/// Answer all pairs in one call. The best of three runs, or of fewer if a run takes long.
static double ask_batch(const set *s, const pairs *p, const toc_pair_test *test, toc_verdict *verdicts, double *times) {
    const toc_pair_batch batch = batch_of(s, p);
    double best = INFINITY, spent = 0;
    for (int round = 0; round < 3 && spent < 2; round++) {
        const double start = bench_seconds();
        check(toc_pair_find_batch(&batch, test, verdicts, times));
        const double seconds = bench_seconds() - start;
        best = fmin(best, seconds), spent += seconds;
    }
    return best;
}

typedef double asking(const set *s, const pairs *p, const toc_pair_test *test, toc_verdict *verdicts, double *times);

static score measure(const set *s, asking *ask, const toc_pair_test *test) {
    score sum = {0};
    for (int kind = 0; kind < 2; kind++) {
        const pairs *p = &s->of[kind];
        pairs some = colliding(p);
        toc_verdict *verdicts = must(malloc((p->count + 1) * sizeof *verdicts));
        double *times = must(malloc((p->count + 1) * sizeof *times));
        memset(verdicts, 0, p->count * sizeof *verdicts), memset(times, 0, p->count * sizeof *times);
        sum.hit_seconds += ask(s, &some, test, verdicts, times);
        sum.seconds += ask(s, p, test, verdicts, times);
        for (size_t i = 0; i < p->count; i++) score_answer(&sum, p, i, verdicts[i], times[i]);
        free(verdicts), free(times), free(some.vertices);
    }
    return sum;
}

// ---- tables

static bool never_misses(toc_method method) { return method == TOC_METHOD_EXACT || method == TOC_METHOD_CERTIFIED; }

static double ns(double seconds, size_t count) { return count ? 1e9 * seconds / (double)count : 0; }

/// Whether the method keeps its promise.
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

/// The certified test followed by exact arithmetic. Only a tolerance excuses a false alarm.
static bool print_certified(const set *s, const char *name, asking *ask, double tolerance, score *sum) {
    toc_pair_test test = toc_pair_test_default();
    test.tolerance = tolerance;
    *sum = measure(s, ask, &test);
    return print_score(name, sum, true) && (tolerance > 0 || sum->false_alarms == 0);
}

static bool print_table(const set *s, const char *name) {
    printf("\n%s: %zu VF, %zu EE\n", name, s->of[0].count, s->of[1].count);
    printf("  %-22s %10s %12s %8s %12s %10s %6s\n", "method", "ns/pair", "ns/collision", "missed", "false alarms",
           "undecided", "late");
    score certified, sharp, single, alone[TOC_METHOD_COUNT] = {0};
    bool good = print_certified(s, "certified, 1e-6", ask_batch, 1e-6, &certified);
    good = print_certified(s, "certified, 0", ask_batch, 0, &sharp) && good;
    good = print_certified(s, "certified, 0, singly", ask_singly, 0, &single) && good;
    toc_pair_test test = toc_pair_test_default();
    test.exact = false;
    test.tolerance = 1e-6;
    for (int method = 0; method < TOC_METHOD_COUNT; method++) {
        test.method = (toc_method)method;
        if (method == TOC_METHOD_CERTIFIED || !is_built(test.method)) continue;
        alone[method] = measure(s, ask_batch, &test);
        good = print_score(toc_method_get(test.method).name, &alone[method], never_misses(test.method)) && good;
    }
    printf("  certified at 1e-6 : additive : inclusion = 1 : %.1f : %.1f\n",
           alone[TOC_METHOD_ADDITIVE].seconds / certified.seconds,
           alone[TOC_METHOD_INCLUSION].seconds / certified.seconds);
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

/// Append the positions of the questions of a file, four vertices each.
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

static bool bench_questions(void) {
    static const char *const folders[] = {"erleben-cube-cliff-edges", "erleben-sliding-spike", "erleben-spike-crack",
                                          "erleben-spikes",           "erleben-wedges",        "unit-tests"};
    set s = {.of = {{.kind = TOC_VF}, {.kind = TOC_EE}}};
    double(*x0)[3] = NULL, (*x1)[3] = NULL;
    size_t count = 0;
    for (size_t i = 0; i < 4 * sizeof folders / sizeof *folders; i++) {
        const char *path = test_data_path("queries/%s/%s_data_0_%zu.csv", folders[i / 4],
                                          i % 2 ? "edge-edge" : "vertex-face", i / 2 % 2);
        read_questions(path, &x0, &x1, &count, &s.of[i % 2]);
    }
    bool good = true;
    if (count) {
        s.x0 = *x0, s.x1 = *x1, s.vertex_count = count;
        for (int kind = 0; kind < 2; kind++) find_truth(&s, &s.of[kind]);
        good = print_table(&s, "published questions");
    } else {
        puts("published questions: missing");
    }
    set_free(&s);
    free(x0), free(x1);
    return good;
}

// ---- frames

typedef struct feature {
    uint32_t count, corners[3];
} feature;

/// Features of a kind, their swept boxes and the tree that finds overlapping boxes.
typedef struct crowd {
    feature *features;
    toc_box *boxes;
    toc_bvh tree;
    pairs *out;
    size_t seen, stride; // every stride-th row of pairs is kept
} crowd;

/// Vertices and faces, or edges.
static size_t list_features(const toc_features *f, toc_kind kind, feature **out) {
    const size_t count = kind == TOC_VF ? f->vertex_count + f->face_count : f->edge_count;
    feature *next = *out = must(calloc(count + 1, sizeof **out));
    for (size_t i = 0; kind == TOC_VF && i < f->vertex_count; i++) *next++ = (feature){1, {f->vertices[i]}};
    for (size_t i = 0; kind == TOC_VF && i < f->face_count; i++, next++)
        next->count = 3, memcpy(next->corners, f->faces[i], sizeof f->faces[i]);
    for (size_t i = 0; kind == TOC_EE && i < f->edge_count; i++, next++)
        next->count = 2, memcpy(next->corners, f->edges[i], sizeof f->edges[i]);
    return count;
}

/// Boxes for the tree: in single precision, rounded outward.
static float *make_dops(const set *s, const crowd *c, const toc_dop_kind *kind, size_t count) {
    const size_t floats = toc_dop_floats(kind);
    const toc_frame frame = toc_frame_around(s->vertex_count, s->x0, s->x1, 1);
    float *points = must(malloc(s->vertex_count * floats * sizeof *points));
    float *ends = must(malloc(s->vertex_count * floats * sizeof *ends));
    toc_dop_of_points(kind, &frame, s->vertex_count, s->x0, 0, points);
    toc_dop_of_points(kind, &frame, s->vertex_count, s->x1, 0, ends);
    toc_dop_join(kind, s->vertex_count, ends, points);
    float *dops = must(malloc((count + 1) * floats * sizeof *dops));
    for (size_t i = 0; i < count; i++)
        toc_dop_of_features(kind, points, c->features[i].corners, (int)c->features[i].count, 1, dops + i * floats);
    free(points), free(ends);
    return dops;
}

/// The pair of two features in the kind's order; false if they are not a pair or share a vertex.
static bool make_pair(const feature *a, const feature *b, uint32_t v[4]) {
    if (a->count == b->count && a->count != 2) return false;
    const feature *first = a->count <= b->count ? a : b, *second = first == a ? b : a;
    memcpy(v, first->corners, first->count * sizeof *v);
    memcpy(v + first->count, second->corners, second->count * sizeof *v);
    for (uint32_t i = 0; i < first->count; i++)
        for (uint32_t j = first->count; j < 4; j++)
            if (v[i] == v[j]) return false;
    return true;
}

static toc_status take(void *user, const toc_leaf_pair *found, size_t count) {
    crowd *c = user;
    for (size_t i = 0; i < count; i++) {
        const uint32_t a = c->tree.order[found[i].a], b = c->tree.order[found[i].b];
        uint32_t v[4];
        if (!toc_box_overlaps(&c->boxes[a], &c->boxes[b]) || !make_pair(&c->features[a], &c->features[b], v)) continue;
        if (c->seen++ / ROW % c->stride == 0) pairs_add(c->out, v);
    }
    return TOC_OK;
}

static void find_pairs(set *s, const toc_features *f, toc_kind kind, size_t stride) {
    const toc_allocator allocator = toc_allocator_or_default(NULL);
    toc_dop_kind boxes;
    crowd c = {.out = &s->of[kind], .stride = stride};
    const size_t count = list_features(f, kind, &c.features);
    c.boxes = must(malloc((count + 1) * sizeof *c.boxes));
    for (size_t i = 0; i < count; i++)
        toc_box_sweep(s->x0, s->x1, c.features[i].corners, (int)c.features[i].count, 1, &c.boxes[i]);
    check(toc_dop_kind_make(6, &boxes));
    float *dops = make_dops(s, &c, &boxes, count);
    toc_bvh_dops of = {&boxes, dops};
    const toc_bvh_source source = toc_bvh_source_of(&of);
    uint64_t visited = 0;
    check(toc_bvh_build(&allocator, &(toc_bvh_input){.kind = &boxes, .count = count, .source = &source}, 1, &c.tree));
    check(toc_bvh_search(&c.tree, &(toc_bvh_scope){0}, (toc_node_pair){0, 0}, take, &c, &visited));
    toc_bvh_free(&c.tree);
    free(dops), free(c.boxes), free(c.features);
}

/// The totals over all pairs of a frame.
typedef struct whole {
    size_t pairs, hits, left, undecided, rounds[HISTOGRAM];
    double first;
    uint32_t first_vertices[4];
    toc_kind first_kind;
} whole;

static void see_truth(const pairs *p, whole *sum) {
    sum->pairs += p->count;
    for (size_t i = 0; i < p->count; i++) {
        if (p->truth[i] == TOC_APART) continue;
        sum->hits++;
        if (p->times[i] >= sum->first) continue;
        sum->first = p->times[i], sum->first_kind = p->kind;
        memcpy(sum->first_vertices, p->vertices[i], sizeof sum->first_vertices);
    }
}

/// The number of pairs that the prefilter leaves, and their rounds in the kernel.
static void see_rounds(const set *s, const pairs *p, whole *sum) {
    static uint32_t rest[TOC_CERTIFIED_CHUNK], rounds[TOC_CERTIFIED_CHUNK], vertices[TOC_CERTIFIED_CHUNK][4];
    static toc_verdict verdicts[TOC_CERTIFIED_CHUNK];
    static double times[TOC_CERTIFIED_CHUNK];
    const toc_pair_test test = toc_pair_test_default();
    const toc_pair_batch all = batch_of(s, p);
    toc_arena arena = toc_arena_make(NULL);
    toc_prefilter prefilter;
    check(toc_prefilter_make_for(&arena, &all, &prefilter));
    for (size_t first = 0; first < p->count; first += TOC_CERTIFIED_CHUNK) {
        toc_certified_work work = {.pairs = all, .to = 1, .verdicts = verdicts, .times = times, .rounds = rounds};
        work.pairs.vertices += first;
        work.pairs.count = p->count - first < TOC_CERTIFIED_CHUNK ? p->count - first : TOC_CERTIFIED_CHUNK;
        const size_t left = toc_prefilter_at(toc_backend_here(), &prefilter, &work.pairs, &test, rest);
        for (size_t i = 0; i < left; i++) memcpy(vertices[i], work.pairs.vertices[rest[i]], sizeof vertices[i]);
        work.pairs.vertices = (const uint32_t(*)[4])vertices, work.pairs.count = left;
        toc_backend_here()->certified(&work);
        sum->left += left;
        for (size_t i = 0; i < left; i++) {
            sum->undecided += verdicts[i] == TOC_UNDECIDED;
            sum->rounds[rounds[i] < HISTOGRAM - 1 ? rounds[i] : HISTOGRAM - 1]++;
        }
    }
    toc_arena_free(&arena);
}

static void print_whole(const char *name, const whole *w) {
    printf("\n%s: %zu pairs whose swept boxes overlap, %zu collide, %zu go to exact arithmetic\n", name, w->pairs,
           w->hits, w->undecided);
    printf("  first contact %.17g, %s %u %u %u %u\n", w->first, w->first_kind == TOC_VF ? "vf" : "ee",
           w->first_vertices[0], w->first_vertices[1], w->first_vertices[2], w->first_vertices[3]);
    printf("  the prefilter leaves %zu; rounds of those:", w->left);
    for (int i = 0; i < HISTOGRAM; i++) printf(" %d%s %zu", i, i == HISTOGRAM - 1 ? "+" : "", w->rounds[i]);
    puts("");
}

static bool bench_meshes(const char *name, toc_mesh *start, const toc_mesh *end, size_t expected, size_t stride) {
    set s = {.x0 = toc_mesh_get_x0(start),
             .x1 = toc_mesh_get_x0(end),
             .vertex_count = toc_mesh_get_vertex_count(start),
             .of = {{.kind = TOC_VF}, {.kind = TOC_EE}}};
    toc_features *f;
    check(toc_mesh_find_features(start, &f));
    whole sum = {.first = INFINITY};
    for (int kind = 0; kind < 2; kind++) {
        find_pairs(&s, f, (toc_kind)kind, stride);
        find_truth(&s, &s.of[kind]);
        see_truth(&s.of[kind], &sum);
        see_rounds(&s, &s.of[kind], &sum);
    }
    toc_features_destroy(f);
    print_whole(name, &sum);
    bool good = stride > 1 || sum.hits == expected;
    if (!good) printf("  WRONG: %zu should collide\n", expected);
    good = print_table(&s, name) && good;
    set_free(&s);
    return good;
}

static bool bench_frame(const char *name, size_t expected, size_t stride) {
    toc_mesh *start, *end;
    if (toc_mesh_read(test_data_path("frames/%s/start.ply", name), NULL, &start) != TOC_OK) {
        printf("%s: missing\n", name);
        return true;
    }
    check(toc_mesh_read(test_data_path("frames/%s/end.ply", name), NULL, &end));
    const bool good = bench_meshes(name, start, end, expected, stride);
    toc_mesh_destroy(start), toc_mesh_destroy(end);
    return good;
}

int main(int argc, char **argv) {
    const size_t stride = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    bool good = bench_questions();
    good = bench_frame("cloth-ball", 113854, stride ? stride : 1) && good;
    good = bench_frame("n-body", 50490, stride ? stride : 1) && good;
    return good ? 0 : 1;
}
