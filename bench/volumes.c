// SPDX-License-Identifier: Apache-2.0
// Contacts of volumes: the tables of VolCCD (Tang et al. 2011) on scenes like the paper's, and on real meshes pressed
// into each other. Table I: time beside the paper's baselines, with one test on all sides and all as published; Tables
// II and III: feature pairs of all steps after each
// culling; Figure 11: shares of the time; surface against volume; memory, two threads.
// Contacts of the presets are compared pair by pair, and on small scenes with exact arithmetic on all feature pairs
// with overlapping boxes. The program fails if a contact is missed.
//
//     bench.volumes [published] [SCENE...]     some scenes only, by their names as printed; `published`: the paper's
//                                              comparison, too: volccd-published, navccd and hashccd with the cubic
//     bench.volumes octopi-1 octopi-4 octopi-20 uneven-1 uneven-4 uneven-20 octopi-bent
//                                              feature pairs only: octopi with whole, quarter and twentieth steps, with
//                                              vertices moved off the planes of its lattice, and two steps as one, on
//                                              the parabolas through the middle
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "bench/support/keys.h"
#include "bench/support/measure.h"
#include "bench/support/rows.h"
#include "tests/support/data.h"
#include "toccata/research.h"

enum {
    STEPS = 5,              // measured steps of each motion, evenly spread
    ROUNDS = 3,             // the best counts
    MOST_FOR_BRUTE = 20000, // elements, to compare the middle step with exact arithmetic
    MOST_FOR_ALL = 100000 // elements: of more, only the middle step is measured, once, and no feature pairs are counted
};

// The paper's figures: ms of a query, speedup over navccd and hashccd, percent of the tests that are left.
typedef struct paper {
    double ms, over_nav, over_hash, left;
} paper;

typedef struct plan {
    const char *name, *scene, *file; // a scene, or a mesh below the data
    size_t size;
    paper paper;
    double share; // of the middle step, whose feature pairs are counted if the scene is named; 0 for other scenes
    bool uneven;  // vertices are moved off the planes of the lattice
    bool bent;    // parabolas through the middle of the step
} plan;

static const plan plans[] = {
    {.name = "octopi", .scene = "octopi", .size = 2, .paper = {75, 12, 18.3, 0.01}},
    {.name = "bullet", .scene = "bullet", .size = 4, .paper = {48, 21, 28, 0.69}},
    {.name = "airbag", .scene = "airbag", .size = 64, .paper = {88, 10.2, 13, 0.58}},
    {.name = "liver", .scene = "liver", .size = 5, .paper = {53, 10.3, 14.1, 0.72}},
    {.name = "car-10K", .scene = "car", .size = 16, .paper = {0}},
    {.name = "car-150K", .scene = "car", .size = 60, .paper = {0}},
    {.name = "car-1M", .scene = "car", .size = 165, .paper = {3300, 12.4, 17.4, 3.54}}, // 1.2M shells
    {.name = "octopi-1", .scene = "octopi", .size = 2, .share = 1},
    {.name = "octopi-4", .scene = "octopi", .size = 2, .share = 0.25},
    {.name = "octopi-20", .scene = "octopi", .size = 2, .share = 0.05},
    {.name = "uneven-1", .scene = "octopi", .size = 2, .share = 1, .uneven = true},
    {.name = "uneven-4", .scene = "octopi", .size = 2, .share = 0.25, .uneven = true},
    {.name = "uneven-20", .scene = "octopi", .size = 2, .share = 0.05, .uneven = true},
    {.name = "octopi-bent", .scene = "octopi", .size = 2, .share = 2, .bent = true},
    {.name = "octocat", .file = "octocat.msh"},
    {.name = "bunny", .file = "bunny.msh"},
    {.name = "armadillo", .file = "Armadillo13K.msh"},
    {.name = "liver-sofa", .file = "liver.vtk"},
    {.name = "torus", .file = "torus.vtk"},
    {.name = "hexa", .file = "hexa.vtk"},
};
enum { PLANS = sizeof plans / sizeof *plans };

// Pairs of features handed to the elementary test, by kind.
typedef struct tests {
    double of[2];
} tests;

static double total(const tests *t) { return t->of[0] + t->of[1]; }

// Sums over the steps that were measured.
typedef struct row {
    const plan *plan;
    size_t elements, contacts, steps, compared; // compared: steps checked with exact arithmetic
    double volccd, fresh, automatic, surface;   // seconds of CPU
    double slow[2], slow_volccd;                // navccd, hashccd with volccd's method; volccd there
    double as_published[3];                     // volccd-published, navccd, hashccd with the cubic, one step
    double slow_automatic;                      // auto there
    double elapsed[2];                          // auto with one thread, with two
    double shares[4];                           // of the time: Figure 11
    tests a, b, c, ours;                        // Tables II and III, and with all our culling
    double memory[2];                           // MiB beside the mesh: volccd, auto
    bool right;
} row;

static const char *const slow_presets[2] = {"navccd", "hashccd"};
static const char *const published_presets[3] = {"volccd-published", "navccd", "hashccd"};
static bool published; // whether these are measured with the cubic

static bool is_large(const row *r) { return r->elements > MOST_FOR_ALL; }

// ---- steps

static size_t count_elements(const toc_mesh *mesh) {
    toc_mesh_report report;
    bench_check(toc_mesh_inspect(mesh, &report));
    return report.elements;
}

// ---- a mesh off the planes of a lattice

// Every vertex is moved towards a point of a tet around it: the same point, by weights of the corners, at both ends.
typedef struct unevenness {
    const toc_mesh *mesh;
    size_t vertices;
    uint32_t *tets;       // by vertex
    double (*weights)[4]; // of its corners
    double *shares;       // of the way to that point
} unevenness;

static void pick_points(const unevenness *u) {
    bench_random random = {1};
    for (uint32_t e = 0; e < toc_mesh_get_element_count(u->mesh); e++)
        for (int i = 0; i < 4; i++) {
            const uint32_t v = toc_mesh_get_element(u->mesh, e).corners[i];
            if (u->shares[v] > 0 && bench_between(&random, 0, 1) < 0.7) continue;
            double sum = 0;
            u->tets[v] = e;
            u->shares[v] = 0.5;
            for (int k = 0; k < 4; k++) sum += u->weights[v][k] = -log(bench_between(&random, 0.001, 1));
            for (int k = 0; k < 4; k++) u->weights[v][k] /= sum;
        }
}

static void place_uneven(const unevenness *u, const double *x, uint32_t v, double out[3]) {
    const uint32_t *corners = toc_mesh_get_element(u->mesh, u->tets[v]).corners;
    for (size_t c = 0; c < 3; c++) {
        double target = 0;
        for (int k = 0; k < 4; k++) target += u->weights[v][k] * x[3 * corners[k] + c];
        out[c] = x[3 * v + c] + u->shares[v] * (target - x[3 * v + c]);
    }
}

static double volume_of(const double x[4][3]) {
    double e[3][3];
    for (int i = 0; i < 3; i++)
        for (int c = 0; c < 3; c++) e[i][c] = x[i + 1][c] - x[0][c];
    return e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) - e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
           e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
}

// Move the corners of tets less that would lose most of their volume. @return whether there are any.
static bool hold_back(const unevenness *u, const double *x) {
    bool any = false;
    for (uint32_t e = 0; e < toc_mesh_get_element_count(u->mesh); e++) {
        const uint32_t *v = toc_mesh_get_element(u->mesh, e).corners;
        double before[4][3], after[4][3];
        for (int i = 0; i < 4; i++) {
            memcpy(before[i], x + 3 * (size_t)v[i], sizeof before[i]);
            place_uneven(u, x, v[i], after[i]);
        }
        if (volume_of((const double(*)[3])after) > 0.15 * volume_of((const double(*)[3])before)) continue;
        for (int i = 0; i < 4; i++) u->shares[v[i]] *= 0.6;
        any = true;
    }
    return any;
}

static void make_uneven(toc_mesh *mesh) {
    const size_t count = toc_mesh_get_vertex_count(mesh);
    const double *ends[2] = {toc_mesh_get_x0(mesh), toc_mesh_get_x1(mesh)};
    unevenness u = {.mesh = mesh, .vertices = count};
    double *moved = bench_must(calloc(6 * count, sizeof *moved));
    u.tets = bench_must(calloc(count, sizeof *u.tets));
    u.weights = bench_must(calloc(count, sizeof *u.weights));
    u.shares = bench_must(calloc(count, sizeof *u.shares));
    pick_points(&u);
    for (int round = 0; round < 50; round++) {
        const bool start = hold_back(&u, ends[0]), end = hold_back(&u, ends[1]);
        if (!start && !end) break;
    }
    for (uint32_t v = 0; v < 2 * count; v++)
        place_uneven(&u, ends[v / count], (uint32_t)(v % count), moved + 3 * (size_t)v);
    bench_check(bench_mesh_set_motion(mesh, moved, moved + 3 * count));
    free(u.shares);
    free(u.weights);
    free(u.tets);
    free(moved);
}

// ---- scenes and files

// Paths through the positions at the middle of the step, too: x(1/2) = (x0 + x1) / 2 - a / 8.
static void bend(toc_mesh *mesh, const toc_mesh *middle) {
    const size_t count = toc_mesh_get_vertex_count(mesh);
    const double *x0 = toc_mesh_get_x0(mesh), *x1 = toc_mesh_get_x1(mesh), *at = toc_mesh_get_x0(middle);
    double *a = bench_must(calloc(3 * count, sizeof *a));
    for (size_t i = 0; i < 3 * count; i++) a[i] = 4 * (x0[i] - 2 * at[i] + x1[i]);
    bench_check(toc_mesh_set_acceleration(mesh, count, a));
    free(a);
}

// A finer mesh gets finer steps: vertices move a fraction of an element in both.
static toc_mesh *scene_at(const plan *p, size_t step) {
    const scene *s = scene_find(p->scene);
    const double from = ((double)step + 0.5) / STEPS, share = p->share > 0 ? p->share : 1,
                 length = share * (double)s->size / (double)p->size / (double)(s->frames - 1);
    toc_mesh *mesh;
    bench_check(scene_motion(s, p->size, from, from + length, &mesh));
    if (p->uneven) make_uneven(mesh);
    if (p->bent) {
        toc_mesh *middle;
        bench_check(scene_motion(s, p->size, from + length / 2, from + length / 2, &middle));
        bend(mesh, middle);
        toc_mesh_destroy(middle);
    }
    return mesh;
}

// Two copies of a body: one is turned and pressed into the other along its shortest side, and both are twisted.
typedef struct press {
    double low[3], high[3], edge;
    int axis;
    double time;
} press;

static void place_copy(const press *p, int copy, const double x[3], double out[3]) {
    const int a = p->axis, b = (a + 1) % 3, c = (a + 2) % 3;
    const double size = p->high[b] - p->low[b], along = (x[a] - p->low[a]) / (p->high[a] - p->low[a]);
    out[a] = x[a];
    out[b] = x[b] - 0.5 * (p->low[b] + p->high[b]);
    out[c] = x[c] - 0.5 * (p->low[c] + p->high[c]);
    const double angle = (copy ? 0.4 : 0) + 0.3 * p->time * (along - 0.5) + (copy ? 3.14159265358979323846 : 0);
    const double before = out[b];
    out[b] = cos(angle) * before - sin(angle) * out[c];
    out[c] = sin(angle) * before + cos(angle) * out[c];
    out[b] += copy ? size - p->edge * (1 + 3 * p->time) : 0;
}

static void add_copy(toc_mesh *out, const toc_mesh *body, const press *p, int copy) {
    const size_t count = toc_mesh_get_vertex_count(body);
    uint32_t first = 0, corners[8];
    for (size_t v = 0; v < count; v++) {
        double at[3];
        place_copy(p, copy, toc_mesh_get_x0(body) + 3 * v, at);
        bench_check(toc_mesh_add_vertices(out, 1, at, v == 0 ? &first : NULL));
    }
    for (uint32_t e = 0; e < toc_mesh_get_element_count(body); e++) {
        const toc_element element = toc_mesh_get_element(body, e);
        for (int i = 0; i < element.corner_count; i++) corners[i] = first + element.corners[i];
        if (element.shape != TOC_REMOVED) bench_check(toc_mesh_add_elements(out, element.shape, 1, corners, NULL));
    }
}

static toc_mesh *pressed(const toc_mesh *body, press *p, double time) {
    toc_mesh *mesh;
    p->time = time;
    bench_check(toc_mesh_create(NULL, &mesh));
    for (int copy = 0; copy < 2; copy++) add_copy(mesh, body, p, copy);
    return mesh;
}

static toc_mesh *file_at(const plan *p, size_t step) {
    toc_mesh *body;
    if (toc_mesh_read(test_data_path("volumes/%s", p->file), NULL, &body) != TOC_OK) return NULL;
    toc_mesh_report report;
    bench_check(toc_mesh_inspect(body, &report));
    press both = {.edge = report.mean_edge};
    memcpy(both.low, report.low, sizeof both.low);
    memcpy(both.high, report.high, sizeof both.high);
    for (int k = 1; k < 3; k++)
        if (both.high[k] - both.low[k] > both.high[both.axis] - both.low[both.axis]) both.axis = k;
    const double from = ((double)step + 0.5) / STEPS;
    toc_mesh *mesh = pressed(body, &both, from), *end = pressed(body, &both, from + 0.1 / STEPS);
    bench_check(bench_mesh_move(mesh, toc_mesh_get_x0(end)));
    toc_mesh_destroy(end);
    toc_mesh_destroy(body);
    return mesh;
}

// ---- measuring

static double best(bench_step *step, const row *r, const toc_query *query) {
    bench_time time = bench_time_none;
    for (int round = 0; round < (is_large(r) ? 1 : ROUNDS); round++)
        toc_contacts_destroy(bench_ask_next(step, query, &time));
    return time.next;
}

// Whether two presets find the same pairs.
static bool same_contacts(bench_step *step, const toc_query *query, const bench_keys *wanted, double *seconds) {
    bench_time time = bench_time_none;
    toc_contacts *contacts = bench_ask_next(step, query, &time);
    bench_keys found = bench_keys_of(contacts);
    const bool same = bench_keys_missing(wanted, &found) == 0 && bench_keys_missing(&found, wanted) == 0;
    *seconds += time.next;
    bench_keys_free(&found);
    toc_contacts_destroy(contacts);
    return same;
}

static const toc_stage *stage_of(const toc_contacts *contacts, const char *name) {
    for (size_t i = 0; i < contacts->stage_count; i++)
        if (strcmp(contacts->stages[i].name, name) == 0) return &contacts->stages[i];
    return NULL;
}

// The feature pairs left to test when some culling is skipped. The stage of feature axes always runs, to count its
// input; `behind` selects its output instead.
static void count_tests(bench_step *step, const char *preset, uint32_t skip, bool behind, tests *sum) {
    toc_query query = bench_query(preset, TOC_ANSWER_ALL, 1);
    query.test.method = TOC_METHOD_CERTIFIED;
    query.research = &(toc_research){.skip = skip};
    toc_contacts *contacts;
    bench_check(toc_scene_find_contacts(step->scene, &query, NULL, &contacts));
    const char *const names[2] = {"axes VF", "axes EE"};
    for (int kind = 0; kind < 2; kind++) {
        const toc_stage *stage = stage_of(contacts, names[kind]);
        if (stage) sum->of[kind] += (double)(behind ? stage->out : stage->in);
    }
    toc_contacts_destroy(contacts);
}

// The paper has no diagonals.
static void count_all_tests(bench_step *step, row *r) {
    const uint32_t plain = TOC_SKIP_DIAGONALS;
    count_tests(step, "volccd-published", plain | TOC_SKIP_ELEMENT_AXES | TOC_SKIP_ASSIGNMENT, false, &r->a);
    count_tests(step, "volccd-published", plain | TOC_SKIP_ELEMENT_AXES, false, &r->b);
    count_tests(step, "volccd-published", plain, true, &r->c);
    count_tests(step, "volccd", plain, true, &r->ours);
}

// Bounds, tree, search and culling, elementary tests.
static void add_shares(const toc_contacts *contacts, double shares[4]) {
    for (size_t i = 0; i < contacts->stage_count; i++) {
        const toc_stage *s = &contacts->stages[i];
        const int part = i + 1 == contacts->stage_count  ? 3
                         : strcmp(s->name, "bound") == 0 ? 0
                                                         : //
                             strcmp(s->name, "build") == 0 ? 1
                                                           : 2;
        shares[part] += s->seconds;
    }
}

// Memory of a scene, without its mesh.
typedef struct meter {
    size_t now, most;
} meter;

static void *resize(void *user, void *block, size_t old_size, size_t new_size) {
    meter *m = user;
    m->now += new_size - old_size;
    if (m->now > m->most) m->most = m->now;
    if (new_size) return bench_must(realloc(block, new_size));
    free(block);
    return NULL;
}

static double memory_of(const bench_step *step, const char *preset) {
    enum { ASKS = 4 }; // auto prepares its interior search after some queries
    meter m = {0, 0};
    toc_scene *bodies;
    toc_mesh *mesh;
    const toc_query query = bench_query(preset, TOC_ANSWER_ALL, 1);
    bench_check(toc_mesh_copy(toc_scene_edit_mesh(step->scene, 0), &mesh));
    bench_check(toc_scene_create(&(toc_allocator){resize, &m}, &bodies));
    bench_check(toc_scene_add_body(bodies, mesh, NULL));
    for (int i = 0; i < ASKS; i++) {
        toc_contacts *contacts;
        bench_check(toc_scene_find_contacts(bodies, &query, NULL, &contacts));
        toc_contacts_destroy(contacts);
    }
    toc_scene_destroy(bodies);
    return (double)m.most / (1 << 20);
}

// Repeat the step just measured, once: a query of a minute is not repeated three times.
static double seconds_again(bench_step *step, const toc_query *query) {
    toc_contacts *contacts;
    const double start = bench_cpu();
    bench_check(toc_scene_find_contacts(step->scene, query, NULL, &contacts));
    const double seconds = bench_cpu() - start;
    toc_contacts_destroy(contacts);
    return seconds;
}

// The paper's baselines with volccd's elementary test, on one step.
static void measure_slow(bench_step *step, row *r, const bench_keys *wanted, double volccd, double automatic) {
    if (is_large(r)) return;
    r->slow_volccd = volccd;
    r->slow_automatic = automatic;
    for (int i = 0; i < 2; i++) {
        if (!bench_has_preset(slow_presets[i])) continue;
        toc_query query = bench_query(slow_presets[i], TOC_ANSWER_ALL, 1);
        query.test.method = TOC_METHOD_CERTIFIED;
        r->right = same_contacts(step, &query, wanted, &r->slow[i]) && r->right;
    }
}

// The cubic alone, as published. Its contacts are not compared: it may miss and invent some. The first query of each
// preset prepares its tree.
static void measure_published(bench_step *step, row *r) {
    for (int i = 0; i < 3 && published && !is_large(r); i++) {
        toc_query query = bench_query(published_presets[i], TOC_ANSWER_ALL, 1);
        query.test.exact = false;
        bench_time time = bench_time_none;
        toc_contacts_destroy(bench_ask_next(step, &query, &time));
        r->as_published[i] = fmin(time.next, seconds_again(step, &query));
    }
}

static void compare_exactly(bench_step *step, row *r, const bench_keys *found) {
    double unused = 0;
    const toc_query query = bench_query("brute", TOC_ANSWER_ALL, 1);
    if (r->elements > MOST_FOR_BRUTE || r->compared) return;
    r->right = same_contacts(step, &query, found, &unused) && r->right;
    r->compared++;
}

static void measure_threads(bench_step *step, row *r) {
    for (int threads = 1; threads <= 2; threads++) {
        const toc_query query = bench_query("auto", TOC_ANSWER_ALL, threads);
        bench_time time = bench_time_none;
        double least = INFINITY;
        for (int round = 0; round < (is_large(r) ? 1 : ROUNDS); round++) {
            toc_contacts *contacts = bench_ask_next(step, &query, &time);
            least = fmin(least, contacts->seconds);
            toc_contacts_destroy(contacts);
        }
        r->elapsed[threads - 1] += least;
    }
}

// Feature pairs, and whether auto and volccd find the same contacts.
static void count_step(bench_step *step, row *r) {
    const toc_query query = bench_query("volccd", TOC_ANSWER_ALL, 1), other = bench_query("auto", TOC_ANSWER_ALL, 1);
    bench_time time = bench_time_none;
    double unused = 0;
    toc_contacts *contacts = bench_ask_next(step, &query, &time);
    bench_keys found = bench_keys_of(contacts);
    r->right = same_contacts(step, &other, &found, &unused) && r->right;
    r->steps++;
    r->contacts += contacts->count;
    count_all_tests(step, r);
    bench_keys_free(&found);
    toc_contacts_destroy(contacts);
}

static void measure_step(bench_step *step, row *r, bool whole) {
    if (r->plan->share > 0) {
        count_step(step, r);
        return;
    }
    toc_query query = bench_query("volccd", TOC_ANSWER_ALL, 1);
    bench_time time = bench_time_none;
    toc_contacts *contacts = bench_ask_next(step, &query, &time);
    bench_keys found = bench_keys_of(contacts);
    add_shares(contacts, r->shares);
    const double seconds = fmin(best(step, r, &query), time.next);
    r->steps++;
    r->contacts += contacts->count;
    r->volccd += seconds;
    bench_ask_first(step, &query, &time);
    r->fresh += time.first;
    double automatic = 0;
    const toc_query other = bench_query("auto", TOC_ANSWER_ALL, 1);
    r->right = same_contacts(step, &other, &found, &automatic) && r->right;
    automatic = fmin(automatic, best(step, r, &other));
    r->automatic += automatic;
    query.surface_only = true;
    r->surface += best(step, r, &query);
    measure_threads(step, r);
    if (!is_large(r)) count_all_tests(step, r);
    if (whole) {
        r->memory[0] = memory_of(step, "volccd");
        r->memory[1] = memory_of(step, "auto");
        measure_slow(step, r, &found, seconds, automatic);
        measure_published(step, r);
        compare_exactly(step, r, &found);
    }
    bench_keys_free(&found);
    toc_contacts_destroy(contacts);
}

// Slow measurements use the middle step only.
static bool measure(row *r) {
    for (size_t i = 0; i < STEPS; i++) {
        toc_mesh *mesh = r->plan->scene ? scene_at(r->plan, i) : file_at(r->plan, i);
        if (!mesh) {
            printf("# %s: missing\n", r->plan->name);
            return false;
        }
        r->elements = count_elements(mesh);
        if ((is_large(r) || r->plan->share > 0) && i != STEPS / 2) {
            toc_mesh_destroy(mesh);
            continue;
        }
        bench_step step = bench_step_of_mesh(r->plan->name, mesh);
        measure_step(&step, r, i == STEPS / 2);
        bench_step_free(&step);
    }
    return true;
}

// ---- printing: two empty lines separate tables, and lines of text start with #

// A ratio, or - if it was not measured.
static void print_ratio(int width, int digits, double a, double b) {
    a > 0 && b > 0 ? printf(" %*.*f", width, digits, a / b) : printf(" %*s", width, "-");
}

static void print_head(void) {
    puts("# Table I: CPU ms of a step in a sequence (volccd, auto) and of volccd in a new scene. How many times "
         "volccd's and");
    puts("# auto's time navccd and hashccd take on the middle step, all with the certified test. cubic: ms of "
         "volccd-published,");
    puts("# and how many times that navccd and hashccd take, all with the cubic alone (`published` measures that). % "
         "left:");
    puts("# feature pairs tested by volccd-published (C of A) and by volccd, of those of navccd");
    printf("%-11s %9s %8s %8s %8s %8s %8s %7s %8s %7s %8s %7s %7s %7s %7s %7s %7s   paper: ms, navccd, hashccd, %% "
           "left\n",
           "scene", "elements", "contacts", "volccd", "new", "auto", "navccd", "auto", "hashccd", "auto", "cubic",
           "navccd", "hashccd", "C/A %", "ours %", "MiB", "auto");
}

static void print_time(const row *r) {
    if (r->plan->share > 0) return;
    const double ms = 1e3 / (double)r->steps;
    const paper *p = &r->plan->paper;
    printf("%-11s %9zu %8zu %8.2f %8.2f %8.2f", r->plan->name, r->elements, r->contacts / r->steps, ms * r->volccd,
           ms * r->fresh, ms * r->automatic);
    for (int i = 0; i < 2; i++) {
        print_ratio(8, 1, r->slow[i], r->slow_volccd);
        print_ratio(7, 1, r->slow[i], r->slow_automatic);
    }
    print_ratio(8, 1, 1e3 * r->as_published[0], 1);
    print_ratio(7, 1, r->as_published[1], r->as_published[0]);
    print_ratio(7, 1, r->as_published[2], r->as_published[0]);
    print_ratio(7, 3, 100 * total(&r->c), total(&r->a));
    print_ratio(7, 3, 100 * total(&r->ours), total(&r->a));
    printf(" %7.1f %7.1f", r->memory[0], r->memory[1]);
    if (p->ms > 0) printf("   %g %g %g %g", p->ms, p->over_nav, p->over_hash, p->left);
    puts(r->right ? "" : "   WRONG");
    fflush(stdout);
}

static void print_count(const char *name, const char *what, const tests *t, double of) {
    printf("%-11s %-6s %13.0f %13.0f %13.0f %9.3f\n", name, what, t->of[0], t->of[1], total(t), 100 * total(t) / of);
}

static void print_counts(const row *rows, size_t count) {
    puts("\n");
    puts("# Tables II and III: feature pairs that are tested in all measured steps together, without diagonals of "
         "quads.");
    puts("# volccd-published, A: no culling, B: of features, C: of elements too; ours: volccd. Percent: B of A, C of "
         "B,");
    puts("# ours of A");
    puts("# The paper, octopi: A 26M 312M 339M; B 1.1M 6.4M 7.5M (2.23); C 7.9K 24K 32K (0.42)");
    puts("# The paper, car: A 8.24e9 1.6e10 2.43e10; B 9.8e7 3.8e8 4.76e8 (1.96); C 2.3e7 1.2e8 1.41e8 (29.61)");
    printf("%-11s %-6s %13s %13s %13s %9s\n", "scene", "", "VF", "EE", "total", "%");
    for (size_t i = 0; i < count; i++) {
        const row *r = &rows[i];
        if (total(&r->a) <= 0) continue;
        print_count(r->plan->name, "A", &r->a, total(&r->a));
        print_count(r->plan->name, "B", &r->b, total(&r->a));
        print_count(r->plan->name, "C", &r->c, total(&r->b));
        print_count(r->plan->name, "ours", &r->ours, total(&r->a));
        if (!r->right) puts("WRONG");
    }
    puts("\n");
}

static void print_shares(const row *rows, size_t count) {
    puts("# Figure 11: percent of volccd's time; volume against surface (the paper, bullet: 3.2); elapsed ms of auto "
         "by");
    puts("# threads");
    printf("%-11s %8s %8s %8s %8s %10s %10s %10s\n", "scene", "DOPs", "tree", "culling", "tests", "volume/surf",
           "1 thread", "2 threads");
    for (size_t i = 0; i < count; i++) {
        const row *r = &rows[i];
        if (r->plan->share > 0) continue;
        double sum = 0;
        for (int k = 0; k < 4; k++) sum += r->shares[k];
        printf("%-11s", r->plan->name);
        for (int k = 0; k < 4; k++) printf(" %8.1f", 100 * r->shares[k] / sum);
        printf(" %10.2f", r->volccd / r->surface);
        for (int k = 0; k < 2; k++) printf(" %10.2f", 1e3 * r->elapsed[k] / (double)r->steps);
        puts("");
    }
}

static bool is_wanted(const plan *p, int count, char **names) {
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], p->name) == 0) return true;
    return count == 0 && p->share == 0;
}

static const char *plan_name(size_t i) { return i < PLANS ? plans[i].name : NULL; }

int main(int argc, char **argv) {
    static row rows[PLANS];
    size_t count = 0;
    bool right = true;
    published = argc > 1 && strcmp(argv[1], "published") == 0;
    if (!bench_rows_have(plan_name, false, argc - 1 - published, argv + 1 + published)) return 1;
    print_head();
    for (size_t i = 0; i < PLANS; i++) {
        if (!is_wanted(&plans[i], argc - 1 - published, argv + 1 + published)) continue;
        rows[count] = (row){.plan = &plans[i], .right = true};
        if (!measure(&rows[count])) continue;
        print_time(&rows[count]);
        right = rows[count++].right && right;
    }
    print_counts(rows, count);
    print_shares(rows, count);
    return right ? 0 : 1;
}
