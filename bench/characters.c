// SPDX-License-Identifier: Apache-2.0
// Characters: Table 1 of Abu Rumman et al. 2015, the recall of its on-demand rule, and a fine surface in real time.
//
// Runs on one thread. Milliseconds are CPU time, split by the shares of the wall clock, the best of several plays of
// the clip, frame by frame. The safe rule must find the contacts of full hashing in every frame; the published rule
// must find no others. All scenes of the paper are built in; CesiumMan and Horse are shared files in lattices, beside
// the paper's human and horse, and left out where the data are missing. Run as bench.characters [table|recall|fine].
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "bench/support/measure.h"
#include "tools/actor.h"

/// A row of Table 1: the scene, the paper's figures, and ours.
typedef struct table_row {
    const char *name, *file, *clip; // a limb, or a character of the data
    size_t tets;
    uint32_t iterations;
    double skinning, ondemand, hashing; // ms in the paper
} table_row;

static const table_row rows[] = {{"human", NULL, NULL, 0, 12, 6.807, 3.93, 5.593},
                                 {"arm", NULL, NULL, 0, 8, 4.112, 1.702, 2.53},
                                 {"arm-box", NULL, NULL, 0, 8, 3.792, 2.52, 3.10},
                                 {"leg", NULL, NULL, 0, 8, 4.108, 1.7, 2.47},
                                 {"horse", NULL, NULL, 0, 12, 7.69, 2.1, 3.35},
                                 {"CesiumMan", "CesiumMan.glb", NULL, 4998, 12, 6.807, 3.93, 5.593},
                                 {"Horse Walk", "Horse.gltf", "Walk", 6126, 12, 7.69, 2.1, 3.35}};

static bool failed;

/// Open a limb or a character of the data; false if its file is missing.
static bool open_actor(const char *name, const char *file, const char *clip, size_t tets,
                       const toc_character_settings *settings, tool_actor *out) {
    char path[4096];
    FILE *there = NULL;
    snprintf(path, sizeof path, "%s/characters/%s", TOC_DATA_DIR, file ? file : "");
    if (file && !(there = fopen(path, "rb"))) return false;
    if (there) fclose(there);
    const tool_actor_wish wish = {.name = file ? path : name,
                                  .clip = clip,
                                  .rate = 30,
                                  .cage = {.maker = "lattice", .tets = tets ? tets : 5000},
                                  .settings = *settings};
    bench_check(tool_actor_make(&wish, out));
    return true;
}

/// Mean ms of a frame, each the best of several plays.
typedef struct play_cost {
    double skinning, detection;
    size_t contacts, missed, tets, awake, boundary;
} play_cost;

static void note_frame(play_cost *cost, const toc_character_report *report, toc_character *character) {
    size_t all;
    bench_check(toc_character_count_all(character, &all));
    cost->contacts += all;
    cost->missed += all - report->contacts;
    cost->tets = report->tets;
    cost->awake += report->awake_vertices;
    cost->boundary += report->boundary_vertices;
}

static play_cost play(tool_actor *actor, int plays) {
    play_cost cost = {0};
    double *best = bench_must(malloc(2 * actor->frames * sizeof *best));
    for (size_t i = 0; i < 2 * actor->frames; i++) best[i] = INFINITY;
    for (int k = 0; k < plays; k++)
        for (size_t i = 0; i < actor->frames; i++) {
            toc_character_report report;
            const double start = bench_seconds();
            bench_check(tool_actor_step(actor, i, &report));
            const double share = (bench_seconds() - start) / (report.skinning_seconds + report.detection_seconds);
            best[2 * i] = fmin(best[2 * i], share * report.skinning_seconds);
            best[2 * i + 1] = fmin(best[2 * i + 1], share * report.detection_seconds);
            if (k == 0) note_frame(&cost, &report, actor->character);
        }
    for (size_t i = 0; i < actor->frames; i++) {
        cost.skinning += 1e3 * best[2 * i] / (double)actor->frames;
        cost.detection += 1e3 * best[2 * i + 1] / (double)actor->frames;
    }
    free(best);
    return cost;
}

/// Play a row. @param degrees alpha of the published rule.
static bool play_preset(const table_row *row, toc_character_preset preset, double degrees, uint32_t iterations,
                        play_cost *out, size_t *vertices, size_t *joints) {
    enum { PLAYS = 7 };
    toc_character_settings settings = toc_character_settings_default();
    tool_actor actor;
    settings.preset = preset;
    settings.iterations = iterations;
    settings.step = 1.0 / 30;
    settings.alpha = degrees * (3.14159265358979323846 / 180);
    if (!open_actor(row->name, row->file, row->clip, row->tets, &settings, &actor)) return false;
    *out = play(&actor, PLAYS);
    *vertices = toc_mesh_get_vertex_count(actor.shown);
    *joints = actor.joints;
    tool_actor_free(&actor);
    return true;
}

// Detection is one search a frame, on linear blend skinning: the same positions for all presets. The published rule
// has an alpha of 90 degrees; its share at the default of 120 degrees has a column of its own.
static void print_row(const table_row *row) {
    play_cost flesh, hash, ondemand, wide, safe;
    size_t vertices, joints;
    if (!play_preset(row, TOC_CHARACTER_HASH, 120, 0, &hash, &vertices, &joints)) {
        printf("| %s | missing data |\n", row->name);
        return;
    }
    play_preset(row, TOC_CHARACTER_ONDEMAND, 120, 0, &wide, &vertices, &joints);
    play_preset(row, TOC_CHARACTER_ONDEMAND, 90, 0, &ondemand, &vertices, &joints);
    play_preset(row, TOC_CHARACTER_ONDEMAND_SAFE, 120, 0, &safe, &vertices, &joints);
    play_preset(row, TOC_CHARACTER_ONDEMAND_SAFE, 120, row->iterations, &flesh, &vertices, &joints);
    failed |= safe.missed > 0 || hash.missed > 0 || flesh.missed > 0 || ondemand.missed > ondemand.contacts;
    const double total = flesh.skinning + ondemand.detection;
    printf("| %s | %zu | %zu | %zu | %.2f : %.2f | %.2f : %.2f | %.2f : %.2f | %.2f | %.0f : %.0f | %.0f %% : %.0f %% "
           "| %.0f %% | "
           "%.0f %% | %.0f %% | %zu | %.1f %% |\n",
           row->name, vertices, hash.tets, joints, row->skinning, flesh.skinning, row->hashing, hash.detection,
           row->ondemand, ondemand.detection, safe.detection, 1e3 / (row->skinning + row->ondemand), 1e3 / total,
           100 * (1 - row->ondemand / row->hashing), 100 * (1 - ondemand.detection / hash.detection),
           100 * (1 - wide.detection / hash.detection), 100 * (1 - safe.detection / hash.detection),
           100 * (double)safe.awake / (double)safe.boundary, hash.contacts,
           100 * (1 - (double)ondemand.missed / fmax((double)ondemand.contacts, 1)));
    fflush(stdout);
}

static void print_table(void) {
    puts("| scene | vertices | tets | bones | skinning ms, paper : ours | hash ms | ondemand ms | safe ms | fps | "
         "ondemand saves | at 120 degrees | safe saves | awake | contacts | recall |");
    puts("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) print_row(&rows[i]);
}

// ---- recall

static const double alphas[] = {180, 120, 90, 60};

static double recall_at(const char *name, const char *file, const char *clip, double degrees, size_t *contacts) {
    toc_character_settings settings = toc_character_settings_default();
    tool_actor actor;
    settings.preset = TOC_CHARACTER_ONDEMAND;
    settings.alpha = degrees * (3.14159265358979323846 / 180);
    if (!open_actor(name, file, clip, 0, &settings, &actor)) return NAN;
    const play_cost cost = play(&actor, 1);
    tool_actor_free(&actor);
    *contacts = cost.contacts;
    failed |= cost.missed > cost.contacts;
    return cost.contacts ? 100 * (1 - (double)cost.missed / (double)cost.contacts) : 100;
}

static void print_recall_of(const char *name, const char *file, const char *clip) {
    double found[4];
    size_t contacts = 0;
    for (int i = 0; i < 4; i++) found[i] = recall_at(name, file, clip, alphas[i], &contacts);
    if (isnan(found[0])) return;
    printf("\"%s%s%s\" %zu %.1f %.1f %.1f %.1f\n", name, clip ? " " : "", clip ? clip : "", contacts, found[0],
           found[1], found[2], found[3]);
    fflush(stdout);
}

static void print_recall(void) {
    static const struct {
        const char *name, *file, *clips[6];
    } all[] = {{"arm", NULL, {NULL}},
               {"leg", NULL, {NULL}},
               {"human", NULL, {NULL}},
               {"horse", NULL, {NULL}},
               {"CesiumMan", "CesiumMan.glb", {NULL}},
               {"Fox", "Fox.glb", {"Survey", "Walk", "Run"}},
               {"Horse", "Horse.gltf", {"Jump", "WalkSlow", "Death", "Walk", "Idle"}},
               {"mannequiny", "mannequiny.glb", {"run_root.001", "fight_punch_root.001", "fight_kick_root.001"}}};
    puts("clip contacts 180 120 90 60");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (size_t k = 0; k == 0 || all[i].clips[k]; k++) print_recall_of(all[i].name, all[i].file, all[i].clips[k]);
}

// ---- a fine surface

// A human with a skin of more than 50,000 triangles.
static void print_fine(void) {
    enum { FRAMES = 60 };
    creature human;
    toc_character_settings settings = toc_character_settings_default();
    toc_character *character;
    toc_binding *binding;
    double step = 0, bind = 0;
    settings.preset = TOC_CHARACTER_ONDEMAND_SAFE;
    bench_check(creature_make(CREATURE_HUMAN, 1.67, &human));
    const size_t count = toc_mesh_get_vertex_count(human.skin);
    double *points = bench_must(malloc(3 * count * sizeof *points));
    double *matrices = bench_must(malloc(12 * human.joint_count * sizeof *matrices));
    memcpy(points, toc_mesh_get_x1(human.skin), 3 * count * sizeof *points);
    bench_check(toc_character_create(&human.def, &settings, NULL, &character));
    bench_check(toc_binding_create(human.cage, count, points, NULL, &binding));
    for (int i = 0; i <= FRAMES; i++) {
        size_t all, found;
        creature_pose(&human, (double)i / FRAMES, matrices);
        const double start = bench_seconds();
        bench_check(toc_character_step(character, matrices, NULL));
        const double between = bench_seconds();
        toc_binding_apply(binding, toc_character_get_positions(character, 0), points);
        const double end = bench_seconds();
        bench_check(toc_character_count_all(character, &all));
        toc_character_get_contacts(character, &found);
        failed |= all != found;
        if (i == 0) continue; // takes the reference pose
        step += between - start;
        bind += end - between;
    }
    printf("\n\nfine surface: %zu triangles, %zu vertices on %zu tets: %.2f ms skinning and ondemand-safe, %.2f ms "
           "binding, %.0f frames a second\n",
           toc_mesh_get_element_count(human.skin), count, toc_mesh_get_element_count(human.cage), 1e3 * step / FRAMES,
           1e3 * bind / FRAMES, FRAMES / (step + bind));
    toc_binding_destroy(binding);
    toc_character_destroy(character);
    free(points);
    free(matrices);
    creature_free(&human);
}

int main(int count, char **words) {
    const char *only = count > 1 ? words[1] : NULL;
    if (!only || strcmp(only, "table") == 0) print_table();
    if (!only) puts("\n");
    if (!only || strcmp(only, "recall") == 0) print_recall();
    if (!only || strcmp(only, "fine") == 0) print_fine();
    return failed;
}
