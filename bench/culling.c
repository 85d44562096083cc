// SPDX-License-Identifier: Apache-2.0
// The elementary tests of simulations in the setting of Zhang and Kim 2012, Figures 9 to 11: all triangle pairs without
// a common vertex whose swept boxes overlap, each asked for its first contact. They find culling faster than
// advancement of the 15 feature pairs, of whole triangles and 15 cubics by 5.4, 3.2 and 3.8 times on the cloth,
// by 1.8, 1.3 and 1.5 times on the explosion, and by 8.8, 4.3 and 6.3 times on the balls.
//
//     bench.culling [MOST [simulated]]     at most so many pairs a step, evenly chosen, default 100,000; the steps of
//                                          simulations only
//
// The steps: the published ones, generated ones, and those of simulations of the paper's three scenes, at a quarter, a
// half and three quarters: mild, the motion of one frame, and violent, as long as the published step of the scene in
// edges, or of an edge. The violent explosion has no response to contacts, so that its pieces are deep in each other.
// Motion is that of the vertices that move, in mean edges.
//
// Every way answers the same pairs through the same call, without exact arithmetic. Certified answers are the truth;
// the program fails if a way that promises it misses a contact.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/bench.h"
#include "bench/support/predicted.h"
#include "cull/shared.h"
#include "index/sweep.h"
#include "pair/triangle_pair.h"
#include "scenes/simulated/simulation.h"
#include "toccata/research.h"

enum { NO_STEPS = (1 << TOC_TRIANGLE_STEP_COUNT) - 1 };

typedef struct elementary_way {
    const char *name;
    toc_method method;
    uint32_t skip; // the culling steps that are left out
    bool misses;
} elementary_way;

static const elementary_way ways[] = {
    {"culling", TOC_METHOD_CULLING, 0, false},
    {"15 feature pairs", TOC_METHOD_CULLING, NO_STEPS, false},
    {"whole triangles", TOC_METHOD_CA_TRIANGLE, NO_STEPS, false},
    {"15 cubics", TOC_METHOD_CUBIC, NO_STEPS, true},
    {"culling, cubics", TOC_METHOD_CUBIC, 0, true},
    {"culling, certified", TOC_METHOD_CERTIFIED, 0, false},
};
enum { WAYS = sizeof ways / sizeof *ways };

// ---- pairs

typedef struct triangle_pairs {
    size_t all, count; // found, and kept
    toc_triangle_pair *at;
} triangle_pairs;

static bool share_a_vertex(const uint32_t a[3], const uint32_t b[3]) {
    return toc_vertex_in_face(a[0], b) || toc_vertex_in_face(a[1], b) || toc_vertex_in_face(a[2], b);
}

static void put_corners(const bench_step *step, const uint32_t v[3], int first, toc_triangle_pair *out) {
    for (int i = 0; i < 3; i++) {
        memcpy(out->x0[first + i], step->x0 + 3 * (size_t)v[i], sizeof out->x0[0]);
        memcpy(out->x1[first + i], step->x1 + 3 * (size_t)v[i], sizeof out->x1[0]);
    }
}

// Visit the pairs; keep every stride-th where there is room.
static void visit_pairs(const bench_step *step, const toc_features *f, const toc_sweep *sweep, size_t stride,
                        triangle_pairs *out) {
    const toc_allocator allocator = toc_allocator_get_default();
    toc_positions near = {0};
    out->all = out->count = 0;
    for (size_t i = 0; i < sweep->count; i++) {
        near.count = 0;
        bench_check(toc_sweep_from(&allocator, sweep, i, sweep, TOC_SWEEP_SELF, &near));
        for (size_t k = 0; k < near.count; k++) {
            const uint32_t *a = f->faces[sweep->ids[i]], *b = f->faces[sweep->ids[near.at[k]]];
            if (share_a_vertex(a, b) || out->all++ % stride || !out->at) continue;
            toc_triangle_pair *pair = &out->at[out->count++];
            *pair = (toc_triangle_pair){0};
            put_corners(step, a, 0, pair);
            put_corners(step, b, 3, pair);
        }
    }
    toc_array_free(&allocator, &near);
}

static triangle_pairs find_pairs(const bench_step *step, size_t most) {
    const toc_allocator allocator = toc_allocator_get_default();
    triangle_pairs pairs = {0};
    toc_features *f;
    toc_sweep sweep;
    bench_check(toc_mesh_find_features(toc_scene_get_mesh(step->scene, 0), &f));
    toc_box *boxes = bench_must(malloc((f->face_count + 1) * sizeof *boxes));
    toc_box_sweep(step->x0, step->x1, &f->faces[0][0], 3, f->face_count, boxes);
    bench_check(toc_sweep_sort(&allocator, f->face_count, boxes, &sweep));
    visit_pairs(step, f, &sweep, 1, &pairs);
    const size_t stride = pairs.all / most + 1;
    pairs.at = bench_must(malloc((pairs.all / stride + 1) * sizeof *pairs.at));
    visit_pairs(step, f, &sweep, stride, &pairs);
    toc_sweep_free(&allocator, &sweep);
    toc_features_destroy(f);
    free(boxes);
    return pairs;
}

// ---- answers

typedef struct way_score {
    double seconds;
    size_t missed, alarms;
    uint64_t tested, removed[TOC_TRIANGLE_STEP_COUNT];
} way_score;

static void ask_pairs(const triangle_pairs *pairs, const elementary_way *way, bool exact, uint8_t *touches,
                      way_score *score) {
    toc_arena scratch = toc_arena_make(NULL);
    toc_pair_test test = toc_pair_test_default();
    test.method = way->method;
    test.exact = exact;
    *score = (way_score){0};
    const double start = bench_seconds();
    for (size_t i = 0; i < pairs->count; i++) {
        toc_triangle_hit hit;
        pairs->at[i].skip = way->skip;
        bench_check(toc_triangles_find_unchecked(&pairs->at[i], &test, &scratch, &hit));
        touches[i] = hit.hit.verdict != TOC_APART;
        score->tested += hit.tested;
        for (int s = 0; s < TOC_TRIANGLE_STEP_COUNT; s++) score->removed[s] += hit.removed[s];
    }
    score->seconds = bench_seconds() - start;
    toc_arena_free(&scratch);
}

static void compare_answers(const triangle_pairs *pairs, const uint8_t *touches, const uint8_t *truth,
                            way_score *score) {
    for (size_t i = 0; i < pairs->count; i++) {
        score->missed += truth[i] && !touches[i];
        score->alarms += touches[i] && !truth[i];
    }
}

static void print_culling_steps(const way_score *s, size_t count) {
    static const char *const names[] = {"4.3", "6.2", "6.1", "5.1", "6.3", "4.4", "5.2"};
    printf("  feature pairs removed, %%:");
    for (int i = 0; i < TOC_TRIANGLE_STEP_COUNT; i++)
        printf("  %s %.1f", names[i], 100.0 * (double)s->removed[i] / (15.0 * (double)count));
    printf(";  left %.1f\n", 100.0 * (double)s->tested / (15.0 * (double)count));
}

// The mean way of a vertex that moves, in mean edges.
static double motion_of(const bench_step *step) {
    toc_features *f;
    double edges = 0, sum = 0;
    size_t moving = 0;
    bench_check(toc_mesh_find_features(toc_scene_get_mesh(step->scene, 0), &f));
    for (size_t i = 0; i < f->edge_count; i++) {
        const double *a = step->x0 + 3 * (size_t)f->edges[i][0], *b = step->x0 + 3 * (size_t)f->edges[i][1];
        edges += hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]) / (double)f->edge_count;
    }
    for (size_t i = 0; i < 3 * step->vertices; i += 3) {
        const double *a = step->x0 + i, *b = step->x1 + i, way = hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
        moving += way > 0;
        sum += way;
    }
    toc_features_destroy(f);
    return moving ? sum / (double)moving / edges : 0;
}

static bool bench_simulation_step(bench_step *step, const double paper[3], size_t most) {
    triangle_pairs pairs = find_pairs(step, most);
    uint8_t *truth = bench_must(malloc(pairs.count + 1)), *touches = bench_must(malloc(pairs.count + 1));
    way_score scores[WAYS], unused;
    size_t touching = 0;
    bool right = true;
    ask_pairs(&pairs, &ways[WAYS - 1], true, truth, &unused);
    for (size_t i = 0; i < pairs.count; i++) touching += truth[i];
    printf("%s: %zu triangles, a motion of %.3f edges, %zu pairs, %zu asked, %.2f %% of them touch\n", step->name,
           step->triangles, motion_of(step), pairs.all, pairs.count, 100.0 * (double)touching / (double)pairs.count);
    printf("  %-20s %12s %12s %10s %10s %8s %8s\n", "way", "ns a pair", "tests a pair", "x culling", "the paper",
           "missed", "alarms");
    for (int w = 0; w < WAYS; w++) {
        ask_pairs(&pairs, &ways[w], false, touches, &scores[w]);
        compare_answers(&pairs, touches, truth, &scores[w]);
        right = right && (ways[w].misses || scores[w].missed == 0);
        printf("  %-20s %12.1f %12.2f %10.2f ", ways[w].name, 1e9 * scores[w].seconds / (double)pairs.count,
               (double)scores[w].tested / (double)pairs.count, scores[w].seconds / scores[0].seconds);
        w >= 1 && w <= 3 ? printf("%10.1f", paper[w - 1]) : printf("%10s", "");
        printf(" %8zu %8zu\n", scores[w].missed, scores[w].alarms);
    }
    print_culling_steps(&scores[0], pairs.count);
    puts("");
    fflush(stdout);
    free(truth), free(touches), free(pairs.at);
    return right;
}

static bool bench_published(const char *folder, const double paper[3], size_t most) {
    bench_step step;
    if (!bench_step_of_frames(folder, &step)) {
        printf("%s: missing\n\n", folder);
        return true;
    }
    const bool right = bench_simulation_step(&step, paper, most);
    bench_step_free(&step);
    return right;
}

// A quarter, a half and three quarters through the simulation.
static bool bench_generated(const char *name, const double paper[3], size_t most) {
    const scene *s = scene_find(name);
    bool right = true;
    for (size_t quarter = 1; quarter < 4; quarter++) {
        const size_t frame = quarter * s->frames / 4;
        bench_step step = bench_step_of_scene(name, s->size, frame);
        printf("frame %zu of ", frame);
        right = bench_simulation_step(&step, paper, most) && right;
        bench_step_free(&step);
    }
    return right;
}

// A scene of the paper, simulated.
typedef struct simulated_scene {
    const char *name, *text; // built in, or described here
    double paper[3];
    double violent;  // edges that a vertex moves in a violent step
    bool penetrates; // in violent steps
} simulated_scene;

// Closed pieces beside each other are blown apart, and a ball falls onto them.
static const char exploding[] =
    "{\"what\": \"pieces fly apart\", \"size\": 7, \"step\": 0.005, \"frames\": 60, \"materials\": {\"piece\":"
    " {\"area_density\": 20, \"stretch\": 5000, \"bend\": 0.1, \"lattice\": 0.5, \"lattice_stiffness\": 0.3,"
    " \"damping\": 0, \"friction\": 0.2, \"thickness\": 0.002}}, \"bodies\": ["
    "{\"box\": {\"low\": [0, 0, 0], \"high\": [0.18, 0.18, 0.18], \"cells\": [3, 3, 3]}, \"material\": \"piece\","
    " \"scatter\": 6, \"blast\": {\"centre\": [0.6, 0.6, 0.6], \"speed\": 6, \"radius\": 2},"
    " \"repeat\": {\"counts\": [\"size\", \"size\", \"size\"], \"spacing\": [0.2, 0.2, 0.2]}},"
    "{\"sphere\": {\"centre\": [0.7, 0.6, 2], \"radius\": 0.4, \"cells\": 12}, \"material\": \"piece\","
    " \"velocity\": [0, 0, -6]}]}";

static const simulated_scene simulated[] = {
    {.name = "cloth-ball", .paper = {5.4, 3.2, 3.8}, .violent = 1.37},
    {.name = "n-body", .paper = {8.8, 4.3, 6.3}, .violent = 5.47},
    {.name = "explosion", .text = exploding, .paper = {1.8, 1.3, 1.5}, .violent = 1, .penetrates = true},
};

static simulation open_simulated(const simulated_scene *from, bool violent) {
    const simulation_options options = {.threads = 1, .careless = violent && from->penetrates};
    simulation s;
    char path[] = P_tmpdir "/culling-XXXXXX";
    if (from->text) {
        const int descriptor = mkstemp(path);
        FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
        bench_must(file);
        if (fputs(from->text, file) < 0 || fclose(file) != 0) bench_must(NULL);
    }
    const toc_status status = simulation_open(from->text ? path : from->name, &options, &s);
    if (from->text) unlink(path);
    bench_check(status);
    return s;
}

static bool bench_simulated(const simulated_scene *from, bool violent, size_t most) {
    simulation s = open_simulated(from, violent);
    bool right = true;
    for (size_t quarter = 1, frame = 0; quarter < 4; quarter++) {
        while (frame < quarter * s.frames / 4) bench_check(simulation_advance(&s, ++frame, NULL));
        bench_step step = bench_step_predicted(from->name, s.sim, 0, s.frame_time, NULL);
        if (violent) {
            const double longer = from->violent / motion_of(&step);
            bench_step_free(&step);
            step = bench_step_predicted(from->name, s.sim, 0, longer * s.frame_time, NULL);
        }
        printf("simulated, %s, frame %zu of ", violent ? "violent" : "mild", frame);
        right = bench_simulation_step(&step, from->paper, most) && right;
        bench_step_free(&step);
    }
    simulation_close(&s);
    return right;
}

// The published steps and the generated ones.
static bool bench_steps(size_t most) {
    static const double cloth[3] = {5.4, 3.2, 3.8}, balls[3] = {8.8, 4.3, 6.3}, explosion[3] = {1.8, 1.3, 1.5};
    bool right = bench_published("cloth-ball", cloth, most);
    right = bench_generated("cloth-ball", cloth, most) && right;
    right = bench_published("n-body", balls, most) && right;
    right = bench_generated("n-body", balls, most) && right;
    right = bench_generated("explosion", explosion, most) && right;
    return right;
}

int main(int count, char **arguments) {
    const size_t most = count > 1 ? strtoul(arguments[1], NULL, 10) : 100000;
    if (most == 0 || count > 3 || (count == 3 && strcmp(arguments[2], "simulated") != 0))
        return fputs("usage: bench.culling [MOST [simulated]], MOST being a number of pairs\n", stderr), 1;
    bool right = count > 2 || bench_steps(most);
    for (size_t i = 0; i < 2 * (sizeof simulated / sizeof *simulated); i++)
        right = bench_simulated(&simulated[i / 2], i % 2, most) && right;
    return right ? 0 : 1;
}
