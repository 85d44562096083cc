// SPDX-License-Identifier: Apache-2.0
// Spatial hashing: the pairs left by each level of culling over three simulations; the time of a step on one and two
// threads, and its growth with the size of the scene, the size of the cells and the motion; grid against tree on every
// scene. The figures of Jung and Choi. The program counts contacts missed by voxel, and fails if voxel-safe misses one,
// or if near pairs of the grid and of the tree differ in a bit.
//
//     bench.hashing [PART]     pairs, simulated, time, size, cells, motion, scenes, new, boxes or near; two empty lines
//     separate tables
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/support/keys.h"
#include "bench/support/predicted.h"
#include "bench/support/rows.h"
#include "bound/dop.h"
#include "index/hash.h"
#include "scenes/simulated/simulation.h"

enum { ROUNDS = 4 };

static bool right = true;

static const toc_stage *stage(const toc_contacts *contacts, const char *name) {
    static const toc_stage none = {"none", 0, 0, 0};
    for (size_t i = 0; i < contacts->stage_count; i++)
        if (strcmp(contacts->stages[i].name, name) == 0) return &contacts->stages[i];
    return &none;
}

static toc_contacts *ask(bench_step *step, const char *preset, int threads) {
    const toc_query query = bench_query(preset, TOC_ANSWER_ALL, threads);
    bench_time unused = bench_time_none;
    return bench_ask_next(step, &query, &unused);
}

static size_t missed_by(const toc_contacts *truth, const toc_contacts *contacts) {
    bench_keys wanted = bench_keys_of(truth), found = bench_keys_of(contacts);
    const size_t missed = bench_keys_missing(&wanted, &found);
    bench_keys_free(&wanted);
    bench_keys_free(&found);
    return missed;
}

// Milliseconds, the best of some rounds: elapsed time on a number of threads, and CPU time.
typedef struct cost {
    double elapsed, computed, first;
} cost;

// In a sequence only.
static cost next_cost_of(bench_step *step, const char *preset, int threads, int rounds) {
    const toc_query query = bench_query(preset, TOC_ANSWER_ALL, threads);
    cost best = {INFINITY, INFINITY, INFINITY};
    for (int round = 0; round < rounds; round++) {
        bench_time time = bench_time_none;
        toc_contacts *contacts = bench_ask_next(step, &query, &time);
        best.elapsed = fmin(best.elapsed, 1e3 * contacts->seconds);
        best.computed = fmin(best.computed, 1e3 * time.next);
        toc_contacts_destroy(contacts);
    }
    return best;
}

static cost cost_of(bench_step *step, const char *preset, int threads, int rounds) {
    const toc_query query = bench_query(preset, TOC_ANSWER_ALL, threads);
    cost best = next_cost_of(step, preset, threads, rounds);
    bench_time time = bench_time_none;
    bench_ask_first(step, &query, &time);
    best.first = 1e3 * time.first;
    return best;
}

// The times of the grid, of the tree of auto, and of auto, which chooses one of them.
typedef struct rivals {
    cost hash, tree, automatic;
} rivals;

static rivals rivals_of(bench_step *step, int rounds) {
    rivals r;
    r.hash = cost_of(step, "voxel-safe", 1, rounds);
    r.automatic = cost_of(step, "auto", 1, rounds);
    const toc_query first = bench_query("auto", TOC_ANSWER_FIRST, 1);
    bench_time unused = bench_time_none;
    toc_contacts_destroy(bench_ask_next(step, &first, &unused)); // auto has a tree from then on
    r.tree = cost_of(step, "auto", 1, rounds);
    return r;
}

// ---- the simulations

// The number of steps of a simulation, and the interval of measured steps. The paper has 1,900 and 4,500 for the first
// two.
typedef struct plan {
    const char *scene;
    size_t size, steps, every;
} plan;

static const plan plans[] = {
    {"tori", 14, 59 * 32, 64}, {"cloth-bunny", 100, 59 * 16, 96}, {"letters", 1014, 59 * 6, 72}};
enum { PLANS = sizeof plans / sizeof *plans };

static bench_step step_of(const plan *p, size_t step) {
    toc_mesh *mesh;
    const double all = (double)p->steps;
    bench_check(scene_motion(scene_find(p->scene), p->size, (double)step / all, (double)(step + 1) / all, &mesh));
    return bench_step_of_mesh(p->scene, mesh);
}

static double times_fewer(double before, uint64_t after) { return after ? before / (double)after : INFINITY; }

static void count_step(bench_step *step, size_t number) {
    toc_contacts *voxel = ask(step, "voxel", 2), *safe = ask(step, "voxel-safe", 2);
    const toc_stage *normals = stage(voxel, "normals"), *elements = stage(voxel, "elements");
    const uint64_t before = stage(voxel, "voxels")->in, after = normals->out;
    const uint64_t separable = stage(safe, "triangle axes")->out, left = stage(safe, "elements")->out;
    printf("%5zu %12llu %10llu %10llu %10.0f %12llu %10llu %8.1f %9zu %7zu %9llu %10.0f %9llu %8.1f\n", number,
           (unsigned long long)before, (unsigned long long)normals->in, (unsigned long long)after,
           times_fewer((double)before, after), 15 * (unsigned long long)after, (unsigned long long)elements->out,
           times_fewer(15.0 * (double)after, elements->out), safe->count, missed_by(safe, voxel),
           (unsigned long long)separable, times_fewer((double)stage(safe, "voxels")->in, separable),
           (unsigned long long)left, times_fewer(15.0 * (double)separable, left));
    fflush(stdout);
    toc_contacts_destroy(voxel);
    toc_contacts_destroy(safe);
    bench_step_free(step);
}

static void name_columns(const char *name) {
    printf("# %s: pairs of primitives in voxels, of overlapping DOPs, after the normal test, and how many times\n"
           "# fewer; pairs of elements, of overlapping DOPs, and how many times fewer; contacts, missed by voxel;\n"
           "# pairs of triangles and of elements that voxel-safe leaves, and how many times fewer\n",
           name);
}

// Figures 7 and 8.
static void count_pairs(void) {
    for (size_t i = 0; i < PLANS; i++) {
        name_columns(plans[i].scene);
        for (size_t number = 0; number < plans[i].steps; number += plans[i].every) {
            bench_step step = step_of(&plans[i], number);
            count_step(&step, number);
        }
        printf("\n\n");
    }
}

// The same for tori whose contacts are answered, so that no surface crosses another: 1,800 steps, as the paper has
// 1,900. The ground holds them up, but is no primitive: its two triangles would make the cells as large as itself.
static void count_simulated_pairs(void) {
    enum { STEPS = 10, EVERY = 9 }; // steps of a frame, and the interval of measured frames
    const simulation_options options = {.threads = 1};
    simulation s;
    bench_check(simulation_open("tori", &options, &s));
    name_columns("tori, simulated");
    for (size_t frame = 0; frame < s.frames; frame++) {
        if (frame) bench_check(simulation_advance(&s, frame, NULL));
        if (frame % EVERY) continue;
        bench_step step = bench_step_predicted("tori", s.sim, (uint32_t)s.size, s.frame_time / STEPS, NULL);
        count_step(&step, frame * STEPS);
    }
    simulation_close(&s);
    printf("\n\n");
}

// ---- the boxes of letters

static toc_status count_box_pairs(void *user, const toc_leaf_pair *pairs, size_t count) {
    enum { CELLS = 11 }; // of a letter
    uint64_t *others = user;
    for (size_t i = 0; i < count; i++) *others += pairs[i].a / CELLS != pairs[i].b / CELLS;
    return TOC_OK;
}

// Swept 26-DOPs of the hexes of a step.
static float *dops_of_hexes(const toc_mesh *mesh, const toc_dop_kind *kind) {
    const size_t vertices = toc_mesh_get_vertex_count(mesh), hexes = toc_mesh_get_element_count(mesh);
    const size_t bytes = toc_dop_floats(kind) * sizeof(float);
    float *points = bench_must(malloc(2 * vertices * bytes)), *dops = bench_must(malloc(hexes * bytes));
    const toc_frame frame = toc_frame_around(vertices, toc_mesh_get_x0(mesh), toc_mesh_get_x1(mesh), 1);
    toc_dop_of_moving_points(kind, &frame, vertices, toc_mesh_get_x0(mesh), toc_mesh_get_x1(mesh), 0, points);
    for (uint32_t e = 0; e < hexes; e++)
        toc_dop_of_swept(kind, points, toc_mesh_get_element(mesh, e).corners, 8, 1, dops + e * toc_dop_floats(kind));
    free(points);
    return dops;
}

static void count_boxes_in(size_t number, const toc_mesh *mesh, const toc_dop_kind *kind, toc_hash_form *form) {
    const toc_allocator allocator = toc_allocator_get_default();
    float *dops = dops_of_hexes(mesh, kind);
    toc_hash hash = toc_hash_make(&allocator);
    const toc_hash_input input = {.kind = kind, .dops = dops, .count = toc_mesh_get_element_count(mesh)};
    uint64_t others = 0;
    if (form->cell == 0) form->cell = toc_hash_longest(&input);
    bench_check(toc_hash_build(&hash, form, &input, 1));
    toc_hash_search s = {.hash = &hash, .overlap = TOC_HASH_DOPS, .take = count_box_pairs, .user = &others};
    for (size_t i = 0; i < toc_hash_pieces(&hash); i++) bench_check(toc_hash_run(&s, i));
    printf("%5zu %12llu %10llu %10.0f %10llu %10.0f\n", number, (unsigned long long)s.counts.voxel_pairs,
           (unsigned long long)s.counts.found, times_fewer((double)s.counts.voxel_pairs, s.counts.found),
           (unsigned long long)others, times_fewer((double)s.counts.voxel_pairs, others));
    toc_hash_free(&hash);
    free(dops);
}

// The primitive level of the paper's third scene, whose primitives are these boxes.
static void count_boxes(void) {
    const plan *p = &plans[2];
    toc_dop_kind kind;
    toc_hash_form form = {.table = TOC_HASH_PRIME, .voxels = 0.2};
    bench_check(toc_dop_kind_make(26, &kind));
    printf("# boxes of letters: pairs in voxels, of overlapping DOPs, how many times fewer; of different letters, "
           "likewise\n");
    for (size_t step = 0; step < p->steps; step += p->every / 4) {
        toc_mesh *mesh;
        const double all = (double)p->steps;
        bench_check(scene_motion(&scene_lattices, p->size, (double)step / all, (double)(step + 1) / all, &mesh));
        count_boxes_in(step, mesh, &kind, &form);
        toc_mesh_destroy(mesh);
    }
    printf("\n\n");
}

// ---- time

// Milliseconds of a step: elapsed on one thread, on two and on one per processor, and CPU time on one. Large scenes are
// measured once.
enum { ON_ONE, ON_TWO, ON_ALL, COMPUTED, TIMES };

static int count_processors(void) {
    const long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 1 ? (int)count : 1;
}

static void time_step(bench_step *step, const char *preset, double ms[TIMES]) {
    const int rounds = step->triangles > 100000 ? 1 : ROUNDS, threads[] = {1, 2, count_processors()};
    for (int i = ON_ONE; i <= ON_ALL; i++) {
        const cost found = next_cost_of(step, preset, threads[i], rounds);
        ms[i] = found.elapsed;
        if (i == ON_ONE) ms[COMPUTED] = found.computed;
    }
}

// Figure 9.
static void time_steps(void) {
    static const char *const presets[] = {"voxel", "voxel-safe", "auto"};
    printf("# ms a step over the simulation, and their mean: elapsed on one, two and %d threads, computed on one\n",
           count_processors());
    for (size_t i = 0; i < PLANS * 3; i++) {
        const plan *p = &plans[i / 3];
        double sums[TIMES] = {0}, ms[TIMES], steps = 0;
        for (size_t number = p->every / 2; number < p->steps; number += 4 * p->every, steps++) {
            bench_step step = step_of(p, number);
            time_step(&step, presets[i % 3], ms);
            printf("# %-12s %-10s %6zu %9.2f %9.2f %9.2f %9.2f\n", p->scene, presets[i % 3], number, ms[ON_ONE],
                   ms[ON_TWO], ms[ON_ALL], ms[COMPUTED]);
            fflush(stdout);
            for (int j = 0; j < TIMES; j++) sums[j] += ms[j];
            bench_step_free(&step);
        }
        printf("%-12s %-10s %9.2f %9.2f %9.2f %9.2f   1 : %.2f : %.2f\n", p->scene, presets[i % 3],
               sums[ON_ONE] / steps, sums[ON_TWO] / steps, sums[ON_ALL] / steps, sums[COMPUTED] / steps,
               sums[ON_ONE] / sums[ON_TWO], sums[ON_ONE] / sums[ON_ALL]);
    }
    printf("\n\n");
}

// ---- near pairs

static double mean_edge(const bench_step *step) {
    toc_features *features;
    double sum = 0;
    bench_check(toc_mesh_find_features(toc_scene_edit_mesh(step->scene, 0), &features));
    for (size_t i = 0; i < features->edge_count; i++) {
        const double *a = step->x0 + 3 * (size_t)features->edges[i][0],
                     *b = step->x0 + 3 * (size_t)features->edges[i][1];
        sum += sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
    }
    sum /= features->edge_count ? (double)features->edge_count : 1;
    toc_features_destroy(features);
    return sum;
}

// CPU ms, the best of some rounds. The ends take turns, as in a sequence, so that every round has moved vertices.
static toc_near *ask_near(bench_step *step, const char *preset, double thickness, double *ms) {
    const toc_query query = bench_query(preset, TOC_ANSWER_ALL, 1);
    toc_near *near = NULL, *other = NULL;
    *ms = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        bench_check(bench_find_near(step->scene, &query, TOC_NEAR_AT_END, thickness, &other));
        const double start = bench_cpu();
        bench_check(bench_find_near(step->scene, &query, TOC_NEAR_AT_START, thickness, &near));
        *ms = fmin(*ms, 1e3 * (bench_cpu() - start));
    }
    toc_near_destroy(other);
    return near;
}

static void compare_near_step(const plan *p, size_t number, double share) {
    static const char *const presets[] = {"auto", "voxel", "voxel-safe"};
    bench_step step = step_of(p, number);
    const double thickness = share * mean_edge(&step);
    toc_near *near[3];
    double ms[3];
    for (int i = 0; i < 3; i++) near[i] = ask_near(&step, presets[i], thickness, &ms[i]);
    for (int i = 1; i < 3; i++)
        right = right && near[i]->count == near[0]->count &&
                memcmp(near[i]->pairs, near[0]->pairs, near[0]->count * sizeof *near[0]->pairs) == 0;
    printf("%-12s %6zu %6.2f %8zu %9.2f %9.2f %9.2f\n", p->scene, number, share, near[0]->count, ms[0], ms[1], ms[2]);
    fflush(stdout);
    for (int i = 0; i < 3; i++) toc_near_destroy(near[i]);
    bench_step_free(&step);
}

static void compare_near(void) {
    printf("# scene, step, thickness in mean edges, near pairs; CPU ms of the tree, voxel and voxel-safe\n");
    for (size_t i = 0; i < 2; i++)
        for (double share = 0.05; share < 1; share *= 4) compare_near_step(&plans[i], plans[i].steps / 2, share);
    printf("\n\n");
}

// ---- cost against size and motion

static void grow_scene(void) {
    printf("# tori in the heap: triangles; ms computed in a sequence by voxel-safe, by a tree, by auto; in a new scene "
           "by\n"
           "# voxel-safe, by auto\n");
    for (size_t tori = 2; tori <= 1250; tori *= 5) {
        bench_step step = bench_step_of_scene("tori", tori, 40);
        const rivals r = rivals_of(&step, 3);
        printf("%8zu %10.2f %10.2f %10.2f %10.2f %10.2f\n", step.triangles, r.hash.computed, r.tree.computed,
               r.automatic.computed, r.hash.first, r.automatic.first);
        fflush(stdout);
        bench_step_free(&step);
    }
    printf("\n\n");
}

static void grow_motion(void) {
    printf("# tori: times the motion; contacts; pairs of triangles that may meet; items of the table a triangle;\n"
           "# ms computed by voxel-safe, by a tree, by auto\n");
    for (double times = 1; times <= 101; times *= sqrt(10)) {
        bench_step step = bench_step_of_scene("tori", 14, 30);
        for (size_t i = 0; i < 3 * step.vertices; i++) step.x1[i] = step.x0[i] + times * (step.x1[i] - step.x0[i]);
        const rivals r = rivals_of(&step, 2);
        toc_contacts *contacts = ask(&step, "voxel-safe", 1);
        printf("%6.1f %9zu %9llu %6.1f %10.2f %10.2f %10.2f\n", times, contacts->count,
               (unsigned long long)stage(contacts, "primitives")->out,
               (double)stage(contacts, "hash")->out / (double)step.triangles, r.hash.computed, r.tree.computed,
               r.automatic.computed);
        fflush(stdout);
        toc_contacts_destroy(contacts);
        bench_step_free(&step);
    }
    printf("\n\n");
}

static void compare_step(bench_step *step, const char *name) {
    const rivals r = rivals_of(step, ROUNDS);
    toc_contacts *others = ask(step, "auto", 1), *contacts = ask(step, "voxel-safe", 1);
    const bool same = missed_by(others, contacts) == 0 && missed_by(contacts, others) == 0;
    right = right && same;
    printf("%-12s %8zu %9zu %6.0f %10.2f %10.2f %10.2f %10.2f %10.2f%s\n", name, step->triangles, contacts->count,
           (double)stage(contacts, "voxels")->in / (double)stage(contacts, "hash")->in, r.hash.computed,
           r.tree.computed, r.automatic.computed, r.hash.first, r.automatic.first, same ? "" : "   WRONG");
    fflush(stdout);
    toc_contacts_destroy(contacts);
    toc_contacts_destroy(others);
    bench_step_free(step);
}

static void compare_scenes(void) {
    static const char *const published[] = {"cloth-ball", "n-body"};
    const scene *s;
    bench_step step;
    printf("# every scene, and published steps: triangles, contacts, pairs in voxels for each that was hashed; ms "
           "computed\n"
           "# in a sequence by voxel-safe, by a tree, by auto; in a new scene by voxel-safe, by auto\n");
    for (size_t i = 0; (s = scene_list(i)) != NULL; i++) {
        const size_t size = strcmp(s->name, "letters") == 0 ? 100 : s->size;
        step = bench_step_of_scene(s->name, size, s->frames * 2 / 3);
        compare_step(&step, s->name);
    }
    for (int i = 0; i < 2; i++)
        if (bench_step_of_frames(published[i], &step)) compare_step(&step, published[i]);
    printf("\n\n");
}

static void compare_new(bench_step *step, const char *name, double times) {
    static const char *const presets[] = {"voxel-safe", "bvh", "auto"};
    double ms[3];
    toc_contacts *truth = ask(step, "bvh", 1), *contacts = ask(step, "voxel-safe", 1);
    const bool same = missed_by(truth, contacts) == 0 && missed_by(contacts, truth) == 0;
    right = right && same;
    for (int i = 0; i < 3; i++) ms[i] = cost_of(step, presets[i], 1, 1).first;
    printf("%-12s %5.0f %8zu %9zu %8.0f %9.2f %9.2f %9.2f %6.2f%s\n", name, times, step->triangles, contacts->count,
           (double)stage(contacts, "voxels")->in / (double)step->triangles, ms[0], ms[1], ms[2], ms[1] / ms[0],
           same ? "" : "   WRONG");
    fflush(stdout);
    toc_contacts_destroy(truth);
    toc_contacts_destroy(contacts);
    bench_step_free(step);
}

static void compare_new_scenes(void) {
    static const char *const names[] = {"cloth-ball", "n-body", "tori", "organs", "explosion", "cloth-bunny", "car"};
    bench_step step;
    printf(
        "# new scenes: times the motion; triangles; contacts; pairs in voxels a triangle; ms computed by voxel-safe, "
        "by\n"
        "# bvh, by auto; bvh : voxel-safe\n");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (double times = 1; times <= 10; times *= 3) {
            const scene *s = scene_find(names[i]);
            step = bench_step_of_scene(s->name, s->size, s->frames * 2 / 3);
            for (size_t k = 0; k < 3 * step.vertices; k++) step.x1[k] = step.x0[k] + times * (step.x1[k] - step.x0[k]);
            compare_new(&step, s->name, times);
        }
    for (int i = 0; i < 2; i++)
        if (bench_step_of_frames(names[i], &step)) compare_new(&step, names[i], 1);
    printf("\n\n");
}

// ---- the table alone

static toc_status drop(void *user, const toc_leaf_pair *pairs, size_t count) {
    (void)user;
    (void)pairs;
    (void)count;
    return TOC_OK;
}

// DOPs of the triangles of a step.
static float *dops_of(const bench_step *step, const toc_dop_kind *kind, size_t *count) {
    toc_features *features;
    bench_check(toc_mesh_find_features(toc_scene_edit_mesh(step->scene, 0), &features));
    const size_t bytes = toc_dop_floats(kind) * sizeof(float);
    float *start = bench_must(malloc(step->vertices * bytes)), *end = bench_must(malloc(step->vertices * bytes));
    float *dops = bench_must(malloc(features->face_count * bytes));
    const toc_frame frame = toc_frame_around(step->vertices, step->x0, step->x1, 1);
    toc_dop_of_points(kind, &frame, step->vertices, step->x0, 0, start);
    toc_dop_of_points(kind, &frame, step->vertices, step->x1, 0, end);
    toc_dop_join(kind, step->vertices, end, start);
    *count = features->face_count;
    toc_dop_of_features(kind, start, (const uint32_t *)features->faces, 3, *count, dops);
    free(start);
    free(end);
    toc_features_destroy(features);
    return dops;
}

static void measure_table(toc_hash *hash, const toc_hash_form *form, const toc_hash_input *input, double relative) {
    double build = INFINITY, search = INFINITY;
    toc_hash_search s;
    for (int round = 0; round < 5; round++) {
        const double start = bench_cpu();
        bench_check(toc_hash_build(hash, form, input, 1));
        const double built = bench_cpu();
        s = (toc_hash_search){.hash = hash, .overlap = TOC_HASH_DOPS, .take = drop};
        for (size_t i = 0; i < toc_hash_pieces(hash); i++) bench_check(toc_hash_run(&s, i));
        search = fmin(search, bench_cpu() - built);
        build = fmin(build, built - start);
    }
    printf("%6.2f %8s %6.1f %9zu %10llu %9llu %8.2f %8.2f %8.2f\n", relative,
           form->table == TOC_HASH_PRIME ? "prime" : "blocks", form->voxels, hash->items.count,
           (unsigned long long)s.counts.voxel_pairs, (unsigned long long)s.counts.found, 1e3 * build, 1e3 * search,
           1e3 * (build + search));
}

static void vary_cells(void) {
    const toc_allocator allocator = toc_allocator_get_default();
    bench_step step = bench_step_of_scene("tori", 14, 40);
    toc_dop_kind kind;
    size_t count;
    bench_check(toc_dop_kind_make(16, &kind));
    float *dops = dops_of(&step, &kind, &count);
    toc_hash hash = toc_hash_make(&allocator);
    const toc_hash_input input = {.kind = &kind, .dops = dops, .count = count};
    const float ours = toc_hash_cell(&input), longest = toc_hash_longest(&input);
    printf(
        "# tori, cells beside ours (the paper's are %.2f), table, voxels a triangle; items, pairs in voxels, found;\n"
        "# ms to build, to search, both\n",
        (double)(longest / ours));
    for (double relative = 0.25; relative < 5; relative *= sqrt(2))
        measure_table(&hash, &(toc_hash_form){(float)relative * ours, true, TOC_HASH_BLOCKS, 1}, &input, relative);
    for (double voxels = 0.2; voxels < 5; voxels *= 2)
        for (int table = TOC_HASH_BLOCKS; table <= TOC_HASH_PRIME; table++)
            measure_table(&hash, &(toc_hash_form){ours, true, (toc_hash_table)table, voxels}, &input, 1);
    measure_table(&hash, &(toc_hash_form){longest, false, TOC_HASH_PRIME, 0.2}, &input, (double)(longest / ours));
    toc_hash_free(&hash);
    free(dops);
    bench_step_free(&step);
    printf("\n\n");
}

static const struct {
    const char *name;
    void (*run)(void);
} parts[] = {{"pairs", count_pairs},     {"simulated", count_simulated_pairs},
             {"time", time_steps},       {"size", grow_scene},
             {"cells", vary_cells},      {"motion", grow_motion},
             {"scenes", compare_scenes}, {"new", compare_new_scenes},
             {"boxes", count_boxes},     {"near", compare_near}};
enum { PARTS = sizeof parts / sizeof *parts };

static const char *part_name(size_t i) { return i < PARTS ? parts[i].name : NULL; }

int main(int argc, char **argv) {
    if (!bench_rows_have(part_name, false, argc > 1 ? 1 : 0, argv + 1)) return 1;
    for (size_t i = 0; i < PARTS; i++)
        if (argc < 2 || strcmp(argv[1], parts[i].name) == 0) parts[i].run();
    return right ? 0 : 1;
}
