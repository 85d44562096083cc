// SPDX-License-Identifier: Apache-2.0
// Sequences whose topology changes: the bullet (elements erode, nodes split), the cut liver, and a real penetration
// result of LS-DYNA. Each preset follows the whole sequence in one scene. VolCCD updates its O-Sets and hierarchy
// around a change only (Section 5.1); the paper has no table of that cost.
//
//     bench.topology [SCENE...]     bullet, liver, projectile; default all
//
// The contacts of every step are compared between the presets, and those of the middle step with exact arithmetic on
// all feature pairs with overlapping boxes. The program fails where they differ.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/support/keys.h"
#include "bench/support/measure.h"
#include "tests/support/data.h"
#include "toccata/io.h"

enum { MOST_FRAMES = 128 };

static const char *const presets[] = {"volccd", "auto", "bvh"};
enum { PRESETS = sizeof presets / sizeof *presets };

// One preset along a sequence.
typedef struct topology_run {
    size_t steps, edited_steps, contacts[MOST_FRAMES];
    uint64_t edited; // elements
    double quiet[MOST_FRAMES], changed[MOST_FRAMES], follow[MOST_FRAMES], first;
    bool right;
} topology_run;

static int compare_times(const void *a, const void *b) {
    return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

static double median_ms(double *seconds, size_t count) {
    qsort(seconds, count, sizeof *seconds, compare_times);
    return count ? 1e3 * seconds[count / 2] : 0;
}

static double worst_ms(const double *seconds, size_t count) { return count ? 1e3 * seconds[count - 1] : 0; }

static toc_stage stage_named(const toc_contacts *contacts, const char *name) {
    for (size_t i = 0; i < contacts->stage_count; i++)
        if (strcmp(contacts->stages[i].name, name) == 0) return contacts->stages[i];
    return (toc_stage){0};
}

// Whether a new scene and exact arithmetic find the same contacts.
static bool matches_brute_force(const toc_mesh *mesh, const toc_contacts *contacts) {
    toc_scene *bodies;
    toc_mesh *copy;
    toc_contacts *exact;
    const toc_query query = bench_query("brute", TOC_ANSWER_ALL, 2);
    bench_check(toc_mesh_copy(mesh, &copy));
    bench_check(toc_scene_create(NULL, &bodies));
    bench_check(toc_scene_add_body(bodies, copy, NULL));
    bench_check(toc_scene_find_contacts(bodies, &query, NULL, &exact));
    bench_keys wanted = bench_keys_of(exact), found = bench_keys_of(contacts);
    const bool same = bench_keys_missing(&wanted, &found) == 0 && bench_keys_missing(&found, &wanted) == 0;
    bench_keys_free(&wanted), bench_keys_free(&found);
    toc_contacts_destroy(exact);
    toc_scene_destroy(bodies);
    return same;
}

// Steps in which elements or vertices came or went.
static void note_step(topology_run *run, const toc_contacts *contacts, double seconds, size_t events) {
    run->contacts[run->steps] = contacts->count;
    if (run->steps++ == 0) {
        run->first = seconds;
    } else if (events == 0) {
        run->quiet[run->steps - run->edited_steps - 2] = seconds;
    } else {
        run->follow[run->edited_steps] = stage_named(contacts, "follow").seconds;
        run->changed[run->edited_steps++] = seconds;
        run->edited += events;
    }
}

static size_t count_edits(const toc_mesh *mesh, size_t *vertices, size_t *elements) {
    toc_mesh_report report;
    bench_check(toc_mesh_inspect(mesh, &report));
    const size_t changed = (size_t)llabs((long long)report.elements - (long long)*elements) +
                           (size_t)llabs((long long)toc_mesh_get_vertex_count(mesh) - (long long)*vertices);
    *vertices = toc_mesh_get_vertex_count(mesh);
    *elements = report.elements;
    return changed;
}

static topology_run follow_sequence(size_t count, const char *const *paths, const char *preset, bool check) {
    topology_run run = {.right = true};
    toc_sequence *frames;
    toc_mesh *mesh;
    toc_scene *bodies;
    size_t vertices = 0, elements = 0;
    const toc_query query = bench_query(preset, TOC_ANSWER_ALL, 1);
    bench_check(toc_sequence_open(count, paths, NULL, &frames));
    bench_check(toc_sequence_read_first(frames, &mesh));
    bench_check(toc_scene_create(NULL, &bodies));
    bench_check(toc_scene_add_body(bodies, mesh, NULL));
    count_edits(mesh, &vertices, &elements);
    const size_t frame_count = toc_sequence_get_frame_count(frames);
    for (size_t f = 1; f < frame_count && f <= MOST_FRAMES; f++) {
        toc_contacts *contacts;
        bench_check(toc_sequence_advance(frames, f, mesh));
        const size_t edits = count_edits(mesh, &vertices, &elements);
        const double start = bench_cpu();
        bench_check(toc_scene_find_contacts(bodies, &query, NULL, &contacts));
        note_step(&run, contacts, bench_cpu() - start, edits);
        if (check && f == frame_count / 2) run.right = matches_brute_force(mesh, contacts);
        toc_contacts_destroy(contacts);
    }
    toc_scene_destroy(bodies);
    toc_sequence_close(frames);
    return run;
}

static bool bench_sequence(const char *name, size_t count, const char *const *paths) {
    static topology_run runs[PRESETS];
    bool right = true;
    for (int i = 0; i < PRESETS; i++) {
        topology_run *r = &runs[i];
        *r = follow_sequence(count, paths, presets[i], i == 0);
        right = right && r->right && memcmp(r->contacts, runs[0].contacts, sizeof r->contacts) == 0;
        const size_t quiet = r->steps - 1 - r->edited_steps;
        const double middle = median_ms(r->quiet, quiet), changed = median_ms(r->changed, r->edited_steps);
        printf("%-11s %-10s %6zu %7zu %7llu %9.2f %9.2f %9.2f %9.2f %9.2f %9.2f%s\n", name, presets[i], r->steps,
               r->edited_steps, (unsigned long long)r->edited, 1e3 * r->first, middle, worst_ms(r->quiet, quiet),
               changed, worst_ms(r->changed, r->edited_steps), median_ms(r->follow, r->edited_steps),
               right ? "" : "   WRONG");
        fflush(stdout);
    }
    return right;
}

// Frames as files, as a simulation writes them.
static bool bench_scene_sequence(const char *name) {
    static char names[MOST_FRAMES][128];
    const char *paths[MOST_FRAMES];
    const scene *s = scene_find(name);
    const char *base = getenv("TMPDIR");
    char folder[64];
    snprintf(folder, sizeof folder, "%s/toccata-bench-XXXXXX", base ? base : P_tmpdir);
    if (!mkdtemp(folder)) return fputs("bench.topology: set TMPDIR to a short path for files\n", stderr), false;
    for (size_t f = 0; f < s->frames; f++) {
        toc_mesh *mesh;
        snprintf(names[f], sizeof names[f], "%s/%s-%03zu.vtk", folder, name, f);
        bench_check(scene_frame(s, s->size, f, &mesh));
        bench_check(toc_mesh_write(names[f], mesh, TOC_AT_START));
        toc_mesh_destroy(mesh);
        paths[f] = names[f];
    }
    const bool right = bench_sequence(name, s->frames, paths);
    for (size_t f = 0; f < s->frames; f++) unlink(names[f]);
    rmdir(folder);
    return right;
}

static bool bench_projectile(void) {
    const char *const paths[] = {test_data("crash/projectile/d3plot")};
    if (!paths[0]) return puts("# projectile: missing"), true;
    return bench_sequence("projectile", 1, paths);
}

static bool is_wanted_scene(const char *name, int count, char **names) {
    for (int i = 1; i < count; i++)
        if (strcmp(names[i], name) == 0) return true;
    return count == 1;
}

int main(int count, char **names) {
    bool right = true;
    puts("# CPU ms on one thread; edits: elements and vertices more or fewer. quiet, edited: median and worst of the");
    puts("# steps without and with edits; follow: the part of an edited step that follows the edits, elapsed");
    printf("%-11s %-10s %6s %7s %7s %9s %9s %9s %9s %9s %9s\n", "scene", "preset", "steps", "edited", "edits", "first",
           "quiet", "worst", "edited", "worst", "follow");
    if (is_wanted_scene("bullet", count, names)) right = bench_scene_sequence("bullet") && right;
    if (is_wanted_scene("liver", count, names)) right = bench_scene_sequence("liver") && right;
    if (is_wanted_scene("projectile", count, names)) right = bench_projectile() && right;
    return right ? 0 : 1;
}
