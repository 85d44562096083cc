// SPDX-License-Identifier: Apache-2.0
// Characters: Table 1 of Abu Rumman et al. 2015, the recall of its on-demand rule, and a fine surface in real time.
//
// Runs on one thread. Milliseconds are the best of several plays of the clip, frame by frame, with all presets in turn.
// The safe rule must find the contacts of full hashing in every frame; the published rule
// must find no others. All scenes of the paper are built in; CesiumMan and Horse are shared files in lattices, beside
// the paper's human and horse, and left out where the data are missing. Run as bench.characters [table|recall|fine
// [SCENE]].
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "bench/support/measure.h"
#include "sim/character/character.h"
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
    double skinning, detection, clusters;
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

/// A character on its way, and the best times of its frames.
typedef struct player {
    tool_actor actor;
    bool clusters; // also time full hashing by clusters
    double *best;  // TIMES a frame
    play_cost cost;
} player;

enum { TIME_SKINNING, TIME_DETECTION, TIME_CLUSTERS, TIMES };

// Full hashing with the search of the on-demand presets, which compares clusters of tets: their other savings
// come from their rules.
static double time_clusters(toc_character *character) {
    const double start = bench_seconds();
    bench_check(toc_character_detect_clusters(character));
    return bench_seconds() - start;
}

static void keep_best(double *best, double seconds, bool first) { *best = first ? seconds : fmin(*best, seconds); }

// Skinning with iterations takes long enough to be interrupted: its time is the share of the processor time.
static void play_frame(player *p, size_t frame, bool first) {
    toc_character_report report;
    double *best = p->best + TIMES * frame;
    const double start = bench_seconds();
    bench_check(tool_actor_step(&p->actor, frame, &report));
    const double share = (bench_seconds() - start) / (report.skinning_seconds + report.detection_seconds);
    keep_best(&best[TIME_SKINNING], fmin(share, 1) * report.skinning_seconds, first);
    keep_best(&best[TIME_DETECTION], report.detection_seconds, first);
    if (first) note_frame(&p->cost, &report, p->actor.character);
    keep_best(&best[TIME_CLUSTERS], p->clusters ? time_clusters(p->actor.character) : 0, first);
}

/// Mean ms of a frame.
static double mean_time(const player *p, int which) {
    double sum = 0;
    for (size_t frame = 0; frame < p->actor.frames; frame++) sum += p->best[TIMES * frame + (size_t)which];
    return 1e3 * sum / (double)p->actor.frames;
}

/// Play the clip several times, frame by frame with all players in turn: other work on the machine meets all of them.
static void play(player *players, size_t count, int plays) {
    const size_t frames = players[0].actor.frames;
    for (size_t i = 0; i < count; i++) players[i].best = bench_must(malloc(TIMES * frames * sizeof(double)));
    for (int k = 0; k < plays; k++)
        for (size_t frame = 0; frame < frames; frame++)
            for (size_t i = 0; i < count; i++) play_frame(&players[i], frame, k == 0);
    for (size_t i = 0; i < count; i++) {
        players[i].cost.skinning = mean_time(&players[i], TIME_SKINNING);
        players[i].cost.detection = mean_time(&players[i], TIME_DETECTION);
        players[i].cost.clusters = mean_time(&players[i], TIME_CLUSTERS);
        free(players[i].best);
    }
}

/// Open a player of a row. @param degrees alpha of the published rule.
static bool open_player(const table_row *row, toc_character_preset preset, double degrees, uint32_t iterations,
                        player *out) {
    toc_character_settings settings = toc_character_settings_default();
    *out = (player){0};
    settings.preset = preset;
    settings.iterations = iterations;
    settings.step = 1.0 / 30;
    settings.alpha = degrees * (3.14159265358979323846 / 180);
    return open_actor(row->name, row->file, row->clip, row->tets, &settings, &out->actor);
}

enum { PLAY_HASH, PLAY_ONDEMAND, PLAY_NARROW, PLAY_SAFE, PLAY_FLESH, PLAY_COUNT };

static bool open_players(const table_row *row, player all[PLAY_COUNT]) {
    if (!open_player(row, TOC_CHARACTER_HASH, 120, 0, &all[PLAY_HASH])) return false;
    all[PLAY_HASH].clusters = true;
    open_player(row, TOC_CHARACTER_ONDEMAND, 120, 0, &all[PLAY_ONDEMAND]);
    open_player(row, TOC_CHARACTER_ONDEMAND, 90, 0, &all[PLAY_NARROW]);
    open_player(row, TOC_CHARACTER_ONDEMAND_SAFE, 120, 0, &all[PLAY_SAFE]);
    open_player(row, TOC_CHARACTER_ONDEMAND_SAFE, 120, row->iterations, &all[PLAY_FLESH]);
    return true;
}

static double saved(const play_cost *cost, const play_cost *hash) {
    return 100 * (1 - cost->detection / hash->detection);
}

static double awake_share(const play_cost *cost) { return 100 * (double)cost->awake / (double)cost->boundary; }

static double recall_of(const play_cost *cost) {
    return cost->contacts ? 100 * (1 - (double)cost->missed / (double)cost->contacts) : 100;
}

// Detection is one search a frame, on linear blend skinning: the same positions for all presets.
static void print_row(const table_row *row) {
    enum { PLAYS = 11 };
    player all[PLAY_COUNT];
    if (!open_players(row, all)) {
        printf("| %s | missing data |\n", row->name);
        return;
    }
    play(all, PLAY_FLESH, PLAYS);
    play(&all[PLAY_FLESH], 1, 3);
    const play_cost *hash = &all[PLAY_HASH].cost, *ondemand = &all[PLAY_ONDEMAND].cost,
                    *narrow = &all[PLAY_NARROW].cost;
    const play_cost *safe = &all[PLAY_SAFE].cost, *flesh = &all[PLAY_FLESH].cost;
    failed |= safe->missed > 0 || hash->missed > 0 || flesh->missed > 0 || ondemand->missed > ondemand->contacts;
    printf("| %s | %zu | %zu | %zu | %.2f : %.2f | %.2f : %.2f | %.2f | %.2f : %.2f | %.2f | %.0f : %.0f "
           "| %.0f %% : %.0f %% | %.0f %% | %.0f %% | %.0f, %.0f %% | %zu | %.1f %% | %.1f %% |\n",
           row->name, toc_mesh_get_vertex_count(all[0].actor.shown), hash->tets, all[0].actor.joints, row->skinning,
           flesh->skinning, row->hashing, hash->detection, hash->clusters, row->ondemand, ondemand->detection,
           safe->detection, 1e3 / (row->skinning + row->ondemand), 1e3 / (flesh->skinning + ondemand->detection),
           100 * (1 - row->ondemand / row->hashing), saved(ondemand, hash), saved(narrow, hash), saved(safe, hash),
           awake_share(ondemand), awake_share(safe), hash->contacts, recall_of(ondemand), recall_of(narrow));
    fflush(stdout);
    for (int i = 0; i < PLAY_COUNT; i++) tool_actor_free(&all[i].actor);
}

// @param only the scene to show; all if NULL.
static void print_table(const char *only) {
    puts(
        "| scene | vertices | tets | bones | skinning ms, paper : ours | hash ms | by clusters | ondemand ms | safe ms "
        "| fps | ondemand saves | at 90 degrees | safe saves | awake, ondemand and safe | contacts | recall "
        "| at 90 degrees |");
    puts("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!only || strcmp(only, rows[i].name) == 0) print_row(&rows[i]);
}

// ---- recall

static const double alphas[] = {180, 120, 90, 60};

static double recall_at(const char *name, const char *file, const char *clip, double degrees, size_t *contacts) {
    toc_character_settings settings = toc_character_settings_default();
    player p = {0};
    settings.preset = TOC_CHARACTER_ONDEMAND;
    settings.alpha = degrees * (3.14159265358979323846 / 180);
    if (!open_actor(name, file, clip, 0, &settings, &p.actor)) return NAN;
    play(&p, 1, 1);
    tool_actor_free(&p.actor);
    *contacts = p.cost.contacts;
    failed |= p.cost.missed > p.cost.contacts;
    return recall_of(&p.cost);
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

static void print_recall(const char *only) {
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
        for (size_t k = 0; (!only || strcmp(only, all[i].name) == 0) && (k == 0 || all[i].clips[k]); k++)
            print_recall_of(all[i].name, all[i].file, all[i].clips[k]);
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
    bench_check(toc_character_create(&human.skeleton.def, &settings, NULL, &character));
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
    const char *only = count > 1 ? words[1] : NULL, *name = count > 2 ? words[2] : NULL;
    if (!only || strcmp(only, "table") == 0) print_table(name);
    if (!only) puts("\n");
    if (!only || strcmp(only, "recall") == 0) print_recall(name);
    if (!only || strcmp(only, "fine") == 0) print_fine();
    return failed;
}
