// SPDX-License-Identifier: Apache-2.0
// The car of VolCCD (Tang et al. 2011) by simulation: shells that stay bent run into a wall in steps shorter than an
// element, until the front has folded. Then one step of the motion that the velocities predict, without a response, is
// asked by every preset: ours with the certified test, those of the paper with the cubic alone. The feature pairs that
// are left after each culling are those of Tables I and III. The program fails if a complete preset misses or invents a
// contact.
//
//     bench.crash [CELLS [MILLIMETRES [THREADS]]]     cells a metre, default 40 (76,000 shells); 165 for the paper's
//                                                     1.2M; way that the car goes, default 150; threads of the queries
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/bench.h"
#include "bench/support/keys.h"
#include "bench/support/predicted.h"
#include "scenes/simulated/simulation.h"
#include "toccata/research.h"

// Without erosion, so that all shells are there at the end. A cell is 1 / size metres.
static const char *const description =
    "{\"what\": \"a car of fine shells runs into a wall\", \"size\": %zu, \"step\": %.9g, \"substeps\": 8,"
    " \"gravity\": [0, 0, 0], \"frames\": 100000, \"materials\": {"
    "\"panel\": {\"area_density\": 8, \"stretch\": 1e6, \"bend\": 60, \"damping\": 1, \"friction\": 0.2,"
    " \"yield\": 0.005, \"bend_yield\": 0.05, \"thickness\": %.9g},"
    "\"frame\": {\"area_density\": 20, \"stretch\": 4e6, \"bend\": 300, \"damping\": 1, \"friction\": 0.2,"
    " \"yield\": 0.005, \"bend_yield\": 0.05, \"thickness\": %.9g},"
    "\"engine\": {\"area_density\": 150, \"stretch\": 1e7, \"bend\": 1000, \"lattice\": 0.5,"
    " \"lattice_stiffness\": 0.8, \"friction\": 0.2, \"thickness\": %.9g},"
    "\"wall\": {\"motion\": \"guided\", \"friction\": 0.2, \"thickness\": %.9g}}, \"bodies\": ["
    "{\"scene\": \"car\", \"group\": 1, \"material\": \"panel\", \"velocity\": [-18, 0, 0]},"
    "{\"scene\": \"car\", \"group\": 2, \"material\": \"panel\", \"velocity\": [-18, 0, 0]},"
    "{\"scene\": \"car\", \"group\": 3, \"material\": \"frame\", \"velocity\": [-18, 0, 0]},"
    "{\"scene\": \"car\", \"group\": 4, \"material\": \"engine\", \"velocity\": [-18, 0, 0]},"
    "{\"scene\": \"car\", \"group\": 5, \"material\": \"wall\", \"move\": [0.2, 0, 0]}],"
    "\"joints\": {\"distance\": %.9g, \"stiffness\": 1e6}}";

static const double speed = 18;                     // metres a second
static const double share = 0.3;                    // of a cell that the car goes in a step
enum { PAPER_MS = 3300 };                           // of its query
static const double paper_over[] = {1, 12.4, 17.4}; // navccd and hashccd over it

static simulation open_crash(size_t cells, int threads) {
    const double cell = 1 / (double)cells, thick = 0.1 * cell;
    char path[] = P_tmpdir "/crash-XXXXXX";
    const int descriptor = mkstemp(path);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    bench_must(file);
    fprintf(file, description, cells, share * cell / speed, thick, thick, thick, thick, 1.2 * cell);
    if (fclose(file) != 0) bench_must(NULL);
    simulation s;
    const simulation_options options = {.threads = threads};
    const toc_status status = simulation_open(path, &options, &s);
    unlink(path);
    bench_check(status);
    return s;
}

// ---- the step

// Half the way first, so that trees are there and follow.
static toc_contacts *ask(bench_step *step, const toc_query *query) {
    toc_mesh *mesh = toc_scene_edit_mesh(step->scene, 0);
    toc_contacts *contacts;
    double *half = bench_must(malloc(3 * step->vertices * sizeof *half));
    for (size_t i = 0; i < 3 * step->vertices; i++) half[i] = 0.5 * (step->x0[i] + step->x1[i]);
    bench_check(bench_mesh_set_motion(mesh, step->x0, half));
    free(half);
    bench_check(toc_scene_find_contacts(step->scene, query, NULL, &contacts));
    toc_contacts_destroy(contacts);
    bench_check(bench_mesh_set_motion(mesh, step->x0, step->x1));
    bench_check(toc_scene_find_contacts(step->scene, query, NULL, &contacts));
    return contacts;
}

// ---- the tables

static double pairs_in(const toc_contacts *contacts, const char *name, bool behind) {
    for (size_t i = 0; i < contacts->stage_count; i++)
        if (strcmp(contacts->stages[i].name, name) == 0)
            return (double)(behind ? contacts->stages[i].out : contacts->stages[i].in);
    return 0;
}

static void count_pairs(bench_step *step, const char *name, const char *preset, uint32_t skip, bool behind, int threads,
                        double *all) {
    toc_query query = bench_query(preset, TOC_ANSWER_ALL, threads);
    query.thin = true;
    query.test.method = TOC_METHOD_CERTIFIED;
    query.research = &(toc_research){.skip = skip};
    toc_contacts *contacts;
    bench_check(toc_scene_find_contacts(step->scene, &query, NULL, &contacts));
    const double vf = pairs_in(contacts, "axes VF", behind), ee = pairs_in(contacts, "axes EE", behind);
    if (*all == 0) *all = vf + ee;
    printf("| %s | %.0f | %.0f | %.0f | %.3g |\n", name, vf, ee, vf + ee, 100 * (vf + ee) / *all);
    fflush(stdout);
    toc_contacts_destroy(contacts);
}

static void count_tables(bench_step *step, int threads) {
    double all = 0;
    puts("\n| feature pairs | VF | EE | total | of A, % |\n|---|---|---|---|---|");
    count_pairs(step, "A, no culling", "volccd-published",
                TOC_SKIP_DIAGONALS | TOC_SKIP_ELEMENT_AXES | TOC_SKIP_ASSIGNMENT, false, threads, &all);
    count_pairs(step, "B, features", "volccd-published", TOC_SKIP_DIAGONALS | TOC_SKIP_ELEMENT_AXES, false, threads,
                &all);
    count_pairs(step, "C, elements and features", "volccd-published", TOC_SKIP_DIAGONALS, true, threads, &all);
    count_pairs(step, "ours, `volccd`", "volccd", TOC_SKIP_DIAGONALS, true, threads, &all);
}

static bool compare_presets(bench_step *step, int threads) {
    static const char *const presets[] = {"auto", "volccd", "volccd-published", "navccd", "hashccd"};
    bench_keys truth = {.count = 0};
    double first = 0;
    bool right = true;
    puts("| preset | ms | over `volccd-published` | the paper | contacts | missed | invented |");
    puts("|---|---|---|---|---|---|---|");
    for (size_t i = 0; i < sizeof presets / sizeof *presets; i++) {
        const bool ours = i < 2;
        toc_query query = bench_query(presets[i], TOC_ANSWER_ALL, threads);
        query.thin = true;
        query.test.exact = ours;
        query.research = ours ? NULL : &(toc_research){.skip = TOC_SKIP_DIAGONALS};
        toc_contacts *contacts = ask(step, &query);
        bench_keys found = bench_keys_of(contacts);
        const double ms = 1e3 * contacts->seconds;
        if (i == 0) truth = bench_keys_of(contacts);
        if (i == 2) first = ms;
        const size_t missed = bench_keys_missing(&truth, &found), invented = bench_keys_missing(&found, &truth);
        right = right && (!ours || missed + invented == 0);
        printf("| `%s` | %.0f | ", presets[i], ms);
        if (ours) {
            printf("| ");
        } else {
            printf("%.1f | %.1f", ms / first, paper_over[i - 2]);
        }
        printf(" | %zu | %zu | %zu |\n", contacts->count, missed, invented);
        fflush(stdout);
        bench_keys_free(&found);
        toc_contacts_destroy(contacts);
    }
    bench_keys_free(&truth);
    return right;
}

int main(int count, char **words) {
    const size_t cells = count > 1 ? strtoul(words[1], NULL, 10) : 40;
    const double way = count > 2 ? strtod(words[2], NULL) / 1e3 : 0.15;
    const int threads = count > 3 ? (int)strtoul(words[3], NULL, 10) : 1;
    simulation s = open_crash(cells, 0);
    const double step_time = share / ((double)cells * speed);
    toc_sim_report report = {.time = 0}, last;
    while (report.time * speed < way) {
        bench_check(toc_sim_step(s.sim, &last));
        report.impacts += last.impacts;
        report.contacts = last.contacts;
        report.time = last.time;
    }
    double motion;
    bench_step step = bench_step_predicted("car", s.sim, 0, 2 * step_time, &motion);
    simulation_close(&s);
    printf("%zu shells, %.0f mm on their way; %zu near pairs in the last step, %zu impacts on the way; "
           "a step of %.2f cells; %d threads; the paper's query takes %d ms\n\n",
           toc_mesh_get_element_count(toc_scene_get_mesh(step.scene, 0)), 1e3 * speed * report.time, report.contacts,
           report.impacts, motion * (double)cells, threads, PAPER_MS);
    const bool right = compare_presets(&step, threads);
    count_tables(&step, threads);
    bench_step_free(&step);
    return !right;
}
