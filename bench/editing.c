// SPDX-License-Identifier: Apache-2.0
// Endless editing: 1,000 tets are alive, and 100 of them are replaced in each step, with new ids. The time of a step
// must not depend on the ids given before. At the end of each window the contacts are compared with exact arithmetic on
// every pair of a new scene; the program fails if they differ.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "bench/support/measure.h"

enum { ALIVE = 1000, REPLACED = 100, WINDOW = 50 };

// A tet at a random place of a box, with vertices of its own.
static uint32_t add_tet(toc_mesh *mesh, bench_random *random) {
    double x[12], at[3];
    uint32_t first, element;
    for (int c = 0; c < 3; c++) at[c] = bench_between(random, 0, 10);
    for (int i = 0; i < 12; i++) x[i] = at[i % 3] + bench_between(random, 0, 1);
    bench_check(toc_mesh_add_vertices(mesh, 4, x, &first));
    bench_check(
        toc_mesh_add_elements(mesh, TOC_TET, 1, (uint32_t[]){first, first + 1, first + 2, first + 3}, &element));
    return element;
}

typedef struct editor {
    toc_scene *bodies;
    toc_mesh *mesh;
    bench_random random;
    uint32_t alive[ALIVE];
    size_t next; // to be replaced
    double *x1;
} editor;

static editor begin_editing(void) {
    editor e = {.random = {1}};
    bench_check(toc_mesh_create(NULL, &e.mesh));
    for (int i = 0; i < ALIVE; i++) e.alive[i] = add_tet(e.mesh, &e.random);
    bench_check(toc_scene_create(NULL, &e.bodies));
    bench_check(toc_scene_add_body(e.bodies, e.mesh, NULL));
    return e;
}

static void edit_step(editor *e) {
    for (int i = 0; i < REPLACED; i++) {
        uint32_t *at = &e->alive[e->next++ % ALIVE];
        bench_check(toc_mesh_remove_element(e->mesh, *at));
        *at = add_tet(e->mesh, &e->random);
    }
    const size_t count = 3 * toc_mesh_get_vertex_count(e->mesh);
    const double *x = toc_mesh_get_x1(e->mesh);
    e->x1 = bench_must(realloc(e->x1, count * sizeof *e->x1));
    for (size_t i = 0; i < count; i++) e->x1[i] = x[i] + 0.02 * (double)(i % 7) - 0.06;
    bench_check(bench_mesh_move(e->mesh, e->x1));
}

static bool is_right(const editor *e, const toc_contacts *got) {
    toc_mesh *copy;
    toc_scene *fresh;
    toc_contacts *wanted;
    const toc_query query = bench_query("brute", TOC_ANSWER_ALL, 1);
    bench_check(toc_mesh_copy(e->mesh, &copy));
    bench_check(toc_scene_create(NULL, &fresh));
    bench_check(toc_scene_add_body(fresh, copy, NULL));
    bench_check(toc_scene_find_contacts(fresh, &query, NULL, &wanted));
    bool same = got->count == wanted->count;
    for (size_t i = 0; same && i < got->count; i++)
        same = memcmp(got->contacts[i].v, wanted->contacts[i].v, sizeof wanted->contacts[i].v) == 0;
    toc_contacts_destroy(wanted);
    toc_scene_destroy(fresh);
    return same;
}

// The mean and the largest CPU time of the last WINDOW steps up to a step.
static bool measure_until(editor *e, const char *preset, size_t *step, size_t until) {
    const toc_query query = bench_query(preset, TOC_ANSWER_ALL, 1);
    double sum = 0, most = 0;
    toc_contacts *contacts = NULL;
    for (; *step < until; ++*step) {
        toc_contacts_destroy(contacts);
        edit_step(e);
        const double start = bench_cpu();
        bench_check(toc_scene_find_contacts(e->bodies, &query, NULL, &contacts));
        const double taken = bench_cpu() - start;
        if (*step + WINDOW < until) continue;
        sum += taken;
        most = taken > most ? taken : most;
    }
    const bool right = is_right(e, contacts);
    printf("%-8s %8zu %10zu %10zu %10.2f %10.2f%s\n", preset, until, toc_mesh_get_element_count(e->mesh),
           contacts->count, 1e3 * sum / WINDOW, 1e3 * most, right ? "" : "   WRONG");
    fflush(stdout);
    toc_contacts_destroy(contacts);
    return right;
}

int main(void) {
    static const char *const presets[] = {"auto", "volccd", "bvh"};
    static const size_t ends[] = {100, 400, 1600};
    bool right = true;
    printf("%-8s %8s %10s %10s %10s %10s\n", "preset", "step", "ids", "contacts", "mean, ms", "worst, ms");
    for (size_t p = 0; p < sizeof presets / sizeof *presets; p++) {
        editor e = begin_editing();
        size_t step = 0;
        for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
            right = measure_until(&e, presets[p], &step, ends[i]) && right;
        toc_scene_destroy(e.bodies);
        free(e.x1);
    }
    return right ? 0 : 1;
}
