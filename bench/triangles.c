// SPDX-License-Identifier: Apache-2.0
// Two moving triangles: culling and advancement against three baselines.
// Figures 7 and 8 of Zhang and Kim 2012. Figure 7: a thousand pairs that do not touch; the paper finds culling 30 times
// as fast as plain advancement of the 15 feature pairs, 5 to 6 times as fast as advancement of the triangles and 20
// times as fast as 15 cubics. Figure 8: the same with a part of the pairs touching; at 95 % that do not, 7, 2 and 6
// times.
//
// The paper does not say how its pairs are made, and the figure depends on it: as the motion grows from a hundredth of
// a triangle to a whole one, culling removes 12 feature pairs instead of all 15, and its lead falls (the table of steps
// shows the failing step). Hence several families.
#include <stdio.h>
#include <stdlib.h>

#include "bench/bench.h"
#include "pair/distance.h"
#include "toccata/pair.h"
#include "toccata/research.h"

enum { COUNT = 1000, NO_STEPS = (1 << TOC_TRIANGLE_STEP_COUNT) - 1 };

typedef struct way {
    const char *name;
    toc_method method;
    uint32_t skip;   // the culling steps that are left out
    double paper[2]; // the speedup of culling, in Figure 7 and in Figure 8 at 95 %
} way;

static const way ways[] = {
    {"culling", TOC_METHOD_CULLING, 0, {1, 1}},
    {"culling-1-4",
     TOC_METHOD_CULLING,
     1 << TOC_TRIANGLE_STEP_LINES_THIRD | 1 << TOC_TRIANGLE_STEP_CIRCLE | 1 << TOC_TRIANGLE_STEP_CIRCLES,
     {0, 0}},
    {"features", TOC_METHOD_CULLING, NO_STEPS, {30, 7}},
    {"features-by-speed", TOC_METHOD_CA_FEATURE, NO_STEPS, {0, 0}},
    {"triangles", TOC_METHOD_CA_TRIANGLE, NO_STEPS, {5.5, 2}},
    {"cubic", TOC_METHOD_CUBIC, NO_STEPS, {20, 6}},
};
enum { WAYS = sizeof ways / sizeof *ways };

// The recipe of a family of pairs. All are apart at the start; the swept boxes of a broad-phase family overlap.
typedef struct family {
    const char *name;
    double motion; // largest displacement of a corner; corners lie in the unit cube, moved apart by `offset`
    double offset;
    bool boxes_overlap;
} family;

static const family families[] = {
    {"far, motion 0.1", 0.1, 2, false},        {"anywhere, motion 0.01", 0.01, 0, false},
    {"anywhere, motion 0.1", 0.1, 0, false},   {"boxes overlap, motion 0.1", 0.1, 0.7, true},
    {"boxes overlap, motion 1", 1, 0.7, true},
};
enum { FAMILIES = sizeof families / sizeof *families };

static toc_triangle_pair draw(bench_random *random, const family *f) {
    toc_triangle_pair t = {0};
    for (int k = 0; k < 3; k++) {
        const double offset = bench_between(random, -f->offset, f->offset);
        for (int i = 0; i < 6; i++) {
            t.x0[i][k] = bench_between(random, 0, 1) + (i < 3 ? 0 : offset);
            t.x1[i][k] = t.x0[i][k] + bench_between(random, -f->motion, f->motion);
        }
    }
    return t;
}

static bool boxes_overlap(const toc_triangle_pair *t) {
    for (int k = 0; k < 3; k++) {
        double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
        for (int i = 0; i < 6; i++) {
            low[i / 3] = fmin(low[i / 3], fmin(t->x0[i][k], t->x1[i][k]));
            high[i / 3] = fmax(high[i / 3], fmax(t->x0[i][k], t->x1[i][k]));
        }
        if (low[0] > high[1] || low[1] > high[0]) return false;
    }
    return true;
}

static bool apart_at_start(const toc_triangle_pair *t) {
    toc_vec x[6];
    for (int i = 0; i < 6; i++) x[i] = toc_vec_of(t->x0[i]);
    return toc_closest_triangles(x).distance > 1e-6;
}

static toc_triangle_hit find_by(const way *w, const toc_triangle_pair *triangles) {
    toc_triangle_pair t = *triangles;
    toc_pair_test test = toc_pair_test_default();
    test.method = w->method;
    test.exact = false;
    t.skip = w->skip;
    toc_triangle_hit hit;
    if (toc_triangles_find(&t, &test, &hit) != TOC_OK) {
        fprintf(stderr, "triangles: %s\n", toc_message_get());
        exit(1);
    }
    return hit;
}

// COUNT touching pairs (by exact arithmetic), or COUNT that do not touch.
static void make_pool(const family *f, bool touching, toc_triangle_pair pool[COUNT]) {
    static const way truth = {"exact", TOC_METHOD_EXACT, NO_STEPS, {0, 0}};
    bench_random random = {touching ? 2 : 1};
    for (int count = 0; count < COUNT;) {
        const toc_triangle_pair t = draw(&random, f);
        const bool near = boxes_overlap(&t);
        if (!near && (touching || f->boxes_overlap)) continue;
        if (!apart_at_start(&t)) continue;
        if ((near && find_by(&truth, &t).hit.verdict == TOC_HIT) == touching) pool[count++] = t;
    }
}

// One method on a list of pairs.
typedef struct job {
    const toc_triangle_pair *const *pairs;
    const way *w;
    uint64_t hits, queries;
} job;

static void run(void *user) {
    job *j = user;
    j->hits = j->queries = 0;
    for (int i = 0; i < COUNT; i++) {
        const toc_triangle_hit hit = find_by(j->w, j->pairs[i]);
        j->hits += hit.hit.verdict != TOC_APART;
        j->queries += hit.tested;
    }
}

// Every method must find every touching pair. The cubic does not promise it; its misses are counted.
static uint64_t count_wrong(const way *w, const toc_triangle_pair pool[COUNT], bool touching) {
    uint64_t wrong = 0;
    for (int i = 0; i < COUNT; i++) wrong += (find_by(w, &pool[i]).hit.verdict != TOC_APART) != touching;
    if (touching && wrong && w->method != TOC_METHOD_CUBIC) {
        fprintf(stderr, "triangles: %s missed %d of %d contacts\n", w->name, (int)wrong, COUNT);
        exit(1);
    }
    return wrong;
}

static toc_triangle_pair apart[COUNT], touching[COUNT];

static void print_figure_7(void) {
    printf(
        "# Figure 7: %d pairs that do not touch; ns a triangle pair, feature pairs advanced or solved, times culling\n",
        COUNT);
    printf("%-27s %-17s %8s %8s %7s %6s %7s %7s\n", "# family", "way", "ns", "queries", "times", "paper", "missed",
           "alarms");
    const toc_triangle_pair *list[COUNT];
    for (int i = 0; i < COUNT; i++) list[i] = &apart[i];
    for (int f = 0; f < FAMILIES; f++) {
        make_pool(&families[f], false, apart);
        make_pool(&families[f], true, touching);
        double culling = 0;
        for (int w = 0; w < WAYS; w++) {
            job j = {list, &ways[w], 0, 0};
            const double ns = bench_ns(run, &j, COUNT);
            if (w == 0) culling = ns;
            printf("\"%s\"%*s %-17s %8.0f %8.2f %7.1f %6.1f %7d %7d\n", families[f].name,
                   (int)(25 - snprintf(NULL, 0, "%s", families[f].name)), "", ways[w].name, ns,
                   (double)j.queries / COUNT, ns / culling, ways[w].paper[0],
                   (int)count_wrong(&ways[w], touching, true), (int)count_wrong(&ways[w], apart, false));
        }
    }
}

// The share of the 15 feature pairs that each step removes, on triangle pairs that do not touch.
static void print_steps(void) {
    static const char *const names[] = {"cor-4.3", "cor-6.2",   "cor-6.1",  "lemma-5.1",
                                        "cor-6.3", "lemma-4.4", "lemma-5.2"};
    printf("\n\n# Table 2: percent of the feature pairs that each step removes\n%-27s", "# family");
    for (int step = 0; step < TOC_TRIANGLE_STEP_COUNT; step++) printf(" %9s", names[step]);
    printf(" %9s\n", "left");
    for (int f = 0; f < FAMILIES; f++) {
        make_pool(&families[f], false, apart);
        uint64_t removed[TOC_TRIANGLE_STEP_COUNT] = {0};
        for (int i = 0; i < COUNT; i++) {
            const toc_triangle_hit hit = find_by(&ways[0], &apart[i]);
            for (int step = 0; step < TOC_TRIANGLE_STEP_COUNT; step++) removed[step] += hit.removed[step];
        }
        printf("\"%s\"%*s", families[f].name, (int)(25 - snprintf(NULL, 0, "%s", families[f].name)), "");
        double left = 100;
        for (int step = 0; step < TOC_TRIANGLE_STEP_COUNT; step++) {
            const double part = 100.0 * (double)removed[step] / (15.0 * COUNT);
            left -= part;
            printf(" %9.2f", part);
        }
        printf(" %9.2f\n", left);
    }
}

// `percent` of the list do not touch.
static void mix(const toc_triangle_pair *list[COUNT], int percent) {
    for (int i = 0; i < COUNT; i++) list[i] = i * 100 / COUNT < percent ? &apart[i] : &touching[i];
    bench_random random = {3};
    for (int i = COUNT - 1; i > 0; i--) {
        const int j = (int)(bench_bits(&random) % (uint64_t)(i + 1));
        const toc_triangle_pair *other = list[j];
        list[j] = list[i];
        list[i] = other;
    }
}

static void print_figure_8(const family *f) {
    make_pool(f, false, apart);
    make_pool(f, true, touching);
    printf("\n\n# Figure 8: ns a triangle pair by the percentage of pairs that do not touch (%s)\n# percent", f->name);
    for (int w = 0; w < WAYS; w++) printf(" %16s", ways[w].name);
    printf("\n");
    static const int percents[] = {0, 20, 40, 60, 80, 90, 95, 100};
    double at_95[WAYS];
    for (size_t p = 0; p < sizeof percents / sizeof *percents; p++) {
        const toc_triangle_pair *list[COUNT];
        mix(list, percents[p]);
        printf("%9d", percents[p]);
        for (int w = 0; w < WAYS; w++) {
            job j = {list, &ways[w], 0, 0};
            const double ns = bench_ns(run, &j, COUNT);
            if (percents[p] == 95) at_95[w] = ns;
            printf(" %16.0f", ns);
        }
        printf("\n");
    }
    printf("# times culling at 95 percent, and the paper's:");
    for (int w = 1; w < WAYS; w++)
        if (ways[w].paper[1] > 0) printf(" %s %.1f (%.0f)", ways[w].name, at_95[w] / at_95[0], ways[w].paper[1]);
    printf("\n");
}

int main(void) {
    print_figure_7();
    print_steps();
    print_figure_8(&families[2]);
    print_figure_8(&families[3]);
    return 0;
}
