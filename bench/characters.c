// SPDX-License-Identifier: Apache-2.0
// Characters: Table 1 of Abu Rumman et al. 2015, the recall of its on-demand rule, and a fine surface in real time.
//
// Runs on one thread, but for `threads`. Milliseconds are the best of several plays of the clip, frame by frame, with
// all presets in turn. The safe rule must find the contacts of full hashing in every frame; the published rule must
// find no others. All scenes of the paper are built in; CesiumMan and Horse are shared files in envelopes, beside the
// paper's human and horse, and left out where the data are missing. `loop` is Table 1 with response: a search in each
// iteration, on the poses that the solver makes. `converge` plays clips with more and more iterations, and with more
// frames a second: contacts and energy must approach one answer. `cages` makes the cage of every file as the command
// does, and fails if one breaks a bound. `respond` plays all clips at three rates and holds the last pose. `threads`
// plays cages of 20,000 tets on 1 to 16 threads, which must give the same bits. Run as
// bench.characters [table|recall|converge|cages|respond|loop|fine|threads [SCENE]].
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "bench/support/measure.h"
#include "sim/character/character.h"
#include "tests/support/data.h"
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
static bool open_actor_with(const char *name, const char *file, const char *clip, size_t tets, double rate,
                            const toc_character_settings *settings, tool_actor *out) {
    const char *path = file ? test_data("characters/%s", file) : name;
    if (!path) return false;
    const tool_actor_wish wish = {.name = path,
                                  .clip = clip,
                                  .rate = rate,
                                  .cage = {.maker = "envelope", .tets = tets ? tets : 5000},
                                  .settings = *settings};
    bench_check(tool_actor_make(&wish, out));
    return true;
}

static bool open_actor_at(const char *name, const char *file, const char *clip, size_t tets, double rate,
                          const toc_character_settings *settings, tool_actor *out) {
    toc_character_settings own = *settings;
    own.threads = 1;
    return open_actor_with(name, file, clip, tets, rate, &own, out);
}

static bool open_actor(const char *name, const char *file, const char *clip, size_t tets,
                       const toc_character_settings *settings, tool_actor *out) {
    return open_actor_at(name, file, clip, tets, 30, settings, out);
}

/// Mean ms of a frame, each the best of several plays.
typedef struct play_cost {
    double skinning, detection, clusters;
    size_t contacts, missed, tets, awake, boundary, passes;
} play_cost;

static void note_frame(play_cost *cost, const toc_character_report *report, toc_character *character) {
    size_t all;
    bench_check(toc_character_count_all(character, &all));
    cost->contacts += all;
    cost->missed += all - report->contacts;
    cost->tets = report->tets;
    cost->awake += report->awake_vertices;
    cost->boundary += report->boundary_vertices;
    cost->passes += report->passes;
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

/// All scenes and files of the shared characters, and their clips; NULL for the first one.
static const struct {
    const char *name, *file, *clips[6];
} played[] = {{"arm", NULL, {NULL}},
              {"leg", NULL, {NULL}},
              {"human", NULL, {NULL}},
              {"horse", NULL, {NULL}},
              {"arm-box", NULL, {NULL}},
              {"RiggedFigure", "RiggedFigure.glb", {NULL}},
              {"RiggedSimple", "RiggedSimple.glb", {NULL}},
              {"CesiumMan", "CesiumMan.glb", {NULL}},
              {"Fox", "Fox.glb", {"Survey", "Walk", "Run"}},
              {"Horse", "Horse.gltf", {"Jump", "WalkSlow", "Death", "Walk", "Idle"}},
              {"mannequiny", "mannequiny.glb", {"run_root.001", "fight_punch_root.001", "fight_kick_root.001"}}};

// ---- inside the solver

enum { LOOP_HASH, LOOP_CLUSTERS, LOOP_ONDEMAND, LOOP_SAFE, LOOP_COUNT };

/// Open a player with response.
static void open_loop_player(const table_row *row, int which, player *out) {
    static const toc_character_preset presets[LOOP_COUNT] = {TOC_CHARACTER_HASH, TOC_CHARACTER_AUTO,
                                                             TOC_CHARACTER_ONDEMAND, TOC_CHARACTER_ONDEMAND_SAFE};
    toc_character_settings settings = toc_character_settings_default();
    *out = (player){0};
    settings.preset = presets[which];
    settings.iterations = row->iterations;
    settings.respond = true;
    settings.step = 1.0 / 30;
    open_actor(row->name, row->file, row->clip, row->tets, &settings, &out->actor);
    if (which == LOOP_CLUSTERS) out->actor.character->skip_safe = UINT32_MAX; // always full hashing, by clusters
}

static double searches_of(const player *p) { return (double)p->cost.passes / (double)p->actor.frames; }

/// Add the share of a frame's processor time that searches have: the best of several plays would be one that was
/// interrupted elsewhere.
static void time_loop_frame(player *p, size_t frame, bool first, double *seconds, size_t *searches) {
    toc_character_report report;
    const double start = bench_seconds();
    bench_check(tool_actor_step(&p->actor, frame, &report));
    const double all = report.skinning_seconds + report.detection_seconds;
    *seconds += (bench_seconds() - start) * report.detection_seconds / all;
    *searches += report.passes;
    if (first) note_frame(&p->cost, &report, p->actor.character);
}

/// Mean ms of a search.
static void play_loop(player players[LOOP_COUNT], int plays) {
    double seconds[LOOP_COUNT] = {0};
    size_t searches[LOOP_COUNT] = {0};
    for (int k = 0; k < plays; k++)
        for (size_t frame = 0; frame < players[0].actor.frames; frame++)
            for (int i = 0; i < LOOP_COUNT; i++) time_loop_frame(&players[i], frame, k == 0, &seconds[i], &searches[i]);
    for (int i = 0; i < LOOP_COUNT; i++) players[i].cost.detection = 1e3 * seconds[i] / (double)searches[i];
}

// A search in each iteration, on the poses that the solver makes. The published rule misses contacts, so its solver may
// end earlier: time counts by search. The same search on both sides gives the saving of its idea.
static void print_loop_row(const table_row *row) {
    enum { PLAYS = 4 };
    player all[LOOP_COUNT];
    for (int k = 0; k < LOOP_COUNT; k++) open_loop_player(row, k, &all[k]);
    play_loop(all, PLAYS);
    const play_cost *hash = &all[LOOP_HASH].cost, *clusters = &all[LOOP_CLUSTERS].cost;
    const play_cost *ondemand = &all[LOOP_ONDEMAND].cost, *safe = &all[LOOP_SAFE].cost;
    failed |= hash->missed + clusters->missed + safe->missed > 0;
    printf(
        "| %s | %zu | %.1f : %.1f | %.3f | %.3f | %.3f | %.3f | %.0f %% : %.0f %% | %.0f %% | %.0f %% | %zu : %zu |\n",
        row->name, hash->tets, searches_of(&all[LOOP_HASH]), searches_of(&all[LOOP_ONDEMAND]), hash->detection,
        clusters->detection, ondemand->detection, safe->detection, 100 * (1 - row->ondemand / row->hashing),
        saved(ondemand, hash), saved(ondemand, clusters), saved(safe, clusters), hash->contacts, ondemand->contacts);
    fflush(stdout);
    for (int k = 0; k < LOOP_COUNT; k++) tool_actor_free(&all[k].actor);
}

static void print_loop(const char *only) {
    enum { BUILT_IN = 5 };
    puts("| scene | tets | searches a frame, hash : ondemand | hash ms a search | by clusters | ondemand | safe "
         "| ondemand saves, paper : ours | with the same search | safe saves, same search | contacts left, hash : "
         "ondemand |");
    puts("|---|---|---|---|---|---|---|---|---|---|---|");
    for (int i = 0; i < BUILT_IN; i++)
        if (!only || strcmp(only, rows[i].name) == 0) print_loop_row(&rows[i]);
}

// ---- flesh

/// A clip with response.
typedef struct flesh_play {
    size_t contacts, inverted, tets;  // of all frames
    double energy, distance, least;   // mean of the frames, the distance in extents; the least of all
    double least_volume, most_volume; // of a frame, in volumes at rest
    double seconds;                   // CPU time of a frame
    double tremble;                   // the farthest that a vertex goes in a frame of the pose that is held, in extents
} flesh_play;

static void note_flesh(flesh_play *play, const toc_character_report *report, size_t frames) {
    const double volume = report->volume / report->rest_volume;
    play->contacts += report->contacts;
    play->inverted += report->inverted;
    play->energy += report->energy / (double)frames;
    play->distance += report->distance / report->extent / (double)frames;
    play->tets = report->tets;
    play->least = fmin(play->least, report->least_share);
    play->least_volume = fmin(play->least_volume, volume);
    play->most_volume = fmax(play->most_volume, volume);
}

/// Hold the last pose for a second, and see what still moves in the last tenth of it.
static double find_tremble(tool_actor *actor) {
    const size_t count = 3 * toc_mesh_get_vertex_count(tool_actor_cage(actor)), frames = (size_t)actor->rate;
    double *before = bench_must(malloc(count * sizeof *before)), most = 0;
    for (size_t i = 1; i <= frames; i++) {
        toc_character_report report;
        memcpy(before, toc_character_get_positions(actor->character, 0), count * sizeof *before);
        bench_check(tool_actor_step(actor, actor->frames - 1, &report));
        const double *now = toc_character_get_positions(actor->character, 0);
        for (size_t k = 0; k < count && 10 * (frames - i) < frames; k++)
            most = fmax(most, fabs(now[k] - before[k]) / report.extent);
    }
    free(before);
    return most;
}

/// @param rate of the clip and of the steps, a second. @param hold also the last pose. False without the file.
static bool play_flesh(const char *name, const char *file, const char *clip, uint32_t iterations, double rate,
                       bool hold, flesh_play *out) {
    toc_character_settings settings = toc_character_settings_default();
    flesh_play play = {.least = INFINITY, .least_volume = INFINITY};
    tool_actor actor;
    settings.iterations = iterations;
    settings.respond = true;
    settings.step = 1 / rate;
    if (!open_actor_at(name, file, clip, 0, rate, &settings, &actor)) return false;
    const double start = bench_cpu();
    for (size_t i = 0; i < actor.frames; i++) {
        toc_character_report report;
        bench_check(tool_actor_step(&actor, i, &report));
        note_flesh(&play, &report, actor.frames);
    }
    play.seconds = (bench_cpu() - start) / (double)actor.frames;
    if (hold) play.tremble = find_tremble(&actor);
    tool_actor_free(&actor);
    *out = play;
    return true;
}

// ---- convergence

static void print_converge(const char *only) {
    static const char *const names[] = {"arm", "leg", "arm-box", "human", "horse"};
    puts("scene rate iterations contacts energy distance least volume inverted"); // the volume that is least, of that
                                                                                  // at rest
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        double energy[8] = {0};
        if (only && strcmp(only, names[i]) != 0) continue;
        for (int k = 0; k < 8; k++) {
            const uint32_t iterations = k < 5 ? 8u << k : 32;
            const double rate = k < 5 ? 30 : k == 5 ? 60 : k == 6 ? 120 : 240;
            flesh_play play;
            play_flesh(names[i], NULL, NULL, iterations, rate, false, &play);
            printf("%s %g %u %zu %.4g %.5f %.3f %.4f %zu\n", names[i], rate, iterations, play.contacts, play.energy,
                   play.distance, play.least, play.least_volume, play.inverted);
            fflush(stdout);
            energy[k] = play.energy;
        }
        failed |= !(fabs(energy[4] - energy[3]) <= 0.1 * energy[4]); // 128 and 64 iterations
    }
}

// ---- cages

static size_t count_triangles(const toc_mesh *mesh) {
    size_t count = 0;
    for (uint32_t e = 0; e < toc_mesh_get_element_count(mesh); e++)
        count += toc_mesh_get_element(mesh, e).shape == TOC_TRIANGLE;
    return count;
}

/// The cage that the command makes.
static void print_cage(const char *name, const char *path) {
    const tool_cage_wish wish = {.maker = "envelope"};
    toc_rig *rig;
    tool_cage cage;
    toc_cage_report r;
    bench_check(toc_rig_read(path, NULL, &rig));
    const double start = bench_cpu();
    bench_check(tool_cage_make(rig, &wish, &cage));
    const double seconds = bench_cpu() - start;
    bench_check(toc_cage_inspect(&cage.skeleton.def, &cage.skin.def, &r));
    failed |= r.inward > 0.005 || r.outward > 0.005 || r.inverted + r.contacts > 0;
    printf("| %s | %zu | %zu | %.2f %% | %.2f %% | %zu | %zu | %zu | %.3f | %.2f |\n", name, count_triangles(rig->mesh),
           r.tets, 100 * r.inward, 100 * r.outward, r.components, r.contacts, r.inverted, r.worst, seconds);
    fflush(stdout);
    tool_cage_free(&cage);
    toc_rig_destroy(rig);
}

static void print_cages(const char *only) {
    puts("| file | triangles | tets | skin outside of the cage | cage outside of the skin | components | contacts at "
         "rest "
         "| inverted | worst tet | CPU s |");
    puts("|---|---|---|---|---|---|---|---|---|---|");
    for (size_t i = 0; i < sizeof played / sizeof *played; i++) {
        const char *path = played[i].file ? test_data("characters/%s", played[i].file) : NULL;
        if (path && (!only || strcmp(only, played[i].name) == 0)) print_cage(played[i].name, path);
    }
    const char *sheet = test_data("characters/SimpleSkin.gltf"); // too thin for the cages of 5,000 tets of other tables
    if (sheet && (!only || strcmp(only, "SimpleSkin") == 0)) print_cage("SimpleSkin", sheet);
}

// ---- response

static size_t count_before(const char *name, const char *file, const char *clip, double rate) {
    toc_character_settings settings = toc_character_settings_default();
    size_t sum = 0;
    tool_actor actor;
    open_actor_at(name, file, clip, 0, rate, &settings, &actor);
    for (size_t i = 0; i < actor.frames; i++) {
        toc_character_report report;
        bench_check(tool_actor_step(&actor, i, &report));
        sum += report.contacts;
    }
    tool_actor_free(&actor);
    return sum;
}

/// A clip that misses an aim is marked.
static bool keeps_aims(const flesh_play *play, size_t before) {
    return 100 * play->contacts <= before && play->inverted == 0 && play->distance <= 0.01 && play->tremble < 1e-4 &&
           play->least_volume >= 0.97 && play->most_volume <= 1.03;
}

static void print_response(const char *name, const char *file, const char *clip) {
    enum { ITERATIONS = 12 };
    for (double rate = 30; rate <= 120; rate *= 2) {
        flesh_play play;
        if (!play_flesh(name, file, clip, ITERATIONS, rate, true, &play)) return;
        const size_t before = count_before(name, file, clip, rate);
        printf("| %s%s%s | %zu | %g | %zu | %zu | %.2f %% | %.3f to %.3f | %.2f | %zu | %.1g | %.0f | %s |\n", name,
               clip ? " " : "", clip ? clip : "", play.tets, rate, before, play.contacts, 100 * play.distance,
               play.least_volume, play.most_volume, play.least, play.inverted, play.tremble, 1 / play.seconds,
               keeps_aims(&play, before) ? "" : "missed");
        fflush(stdout);
    }
}

static void print_responses(const char *only) {
    puts("| clip | tets | poses a second | contacts before | after | distance from the pose | volume | least tet "
         "| inverted | tremble | frames a CPU second | aims |");
    puts("|---|---|---|---|---|---|---|---|---|---|---|---|");
    for (size_t i = 0; i < sizeof played / sizeof *played; i++)
        for (size_t k = 0; (!only || strcmp(only, played[i].name) == 0) && (k == 0 || played[i].clips[k]); k++)
            print_response(played[i].name, played[i].file, played[i].clips[k]);
}

// ---- threads

enum { MOST_THREADS = 16, LARGE_TETS = 20000 };

/// A clip with response on some threads.
typedef struct thread_play {
    double seconds, first; // on the clock: of a frame behind the first one, and of the first one
    uint64_t bits;         // a hash of all positions
    size_t tets, contacts;
} thread_play;

static uint64_t hash_positions(uint64_t h, const tool_actor *actor) {
    const double *x = toc_character_get_positions(actor->character, 0);
    const size_t count = 3 * toc_mesh_get_vertex_count(tool_actor_cage(actor));
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &x[i], sizeof bits);
        h = (h ^ bits) * UINT64_C(0x100000001b3);
    }
    return h;
}

static bool play_threads(const char *name, const char *file, const char *clip, int threads, thread_play *out) {
    toc_character_settings settings = toc_character_settings_default();
    tool_actor actor;
    settings.iterations = 12;
    settings.respond = true;
    settings.step = 1.0 / 60;
    settings.threads = threads;
    *out = (thread_play){.bits = UINT64_C(0xcbf29ce484222325)};
    if (!open_actor_with(name, file, clip, LARGE_TETS, 60, &settings, &actor)) return false;
    for (size_t i = 0; i < actor.frames; i++) {
        toc_character_report report;
        const double start = bench_seconds();
        bench_check(tool_actor_step(&actor, i, &report));
        *(i == 0 ? &out->first : &out->seconds) += bench_seconds() - start;
        out->bits = hash_positions(out->bits, &actor);
        out->tets = report.tets;
        out->contacts += report.contacts;
    }
    out->seconds /= (double)(actor.frames - 1);
    tool_actor_free(&actor);
    return true;
}

static void print_thread_rows(const char *name, const char *file, const char *clip) {
    thread_play one, play;
    for (int threads = 1; threads <= MOST_THREADS; threads *= 2) {
        if (!play_threads(name, file, clip, threads, &play)) return;
        if (threads == 1) one = play;
        failed |= play.bits != one.bits || play.contacts != one.contacts;
        printf("| %s%s%s | %zu | %d | %.0f | %.2f | %.1f | %zu | %s |\n", name, clip ? " " : "", clip ? clip : "",
               play.tets, threads, 1 / play.seconds, one.seconds / play.seconds, 1e3 * play.first, play.contacts,
               play.bits == one.bits ? "same" : "other");
        fflush(stdout);
    }
}

static void print_threads(const char *only) {
    static const struct {
        const char *name, *file, *clip;
    } large[] = {{"CesiumMan", "CesiumMan.glb", NULL},
                 {"Fox", "Fox.glb", "Walk"},
                 {"mannequiny", "mannequiny.glb", "fight_kick_root.001"}};
    puts("| clip | tets | threads | frames a second | speed-up | first frame ms | contacts left | bits |");
    puts("|---|---|---|---|---|---|---|---|");
    for (size_t i = 0; i < sizeof large / sizeof *large; i++)
        if (!only || strcmp(only, large[i].name) == 0) print_thread_rows(large[i].name, large[i].file, large[i].clip);
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
    puts("clip contacts 180 120 90 60");
    for (size_t i = 0; i < sizeof played / sizeof *played; i++)
        for (size_t k = 0; (!only || strcmp(only, played[i].name) == 0) && (k == 0 || played[i].clips[k]); k++)
            print_recall_of(played[i].name, played[i].file, played[i].clips[k]);
}

// ---- a fine surface

// A human with a skin of more than 50,000 triangles.
static void print_fine(const char *only) {
    (void)only;
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
        bench_check(toc_character_step(character, human.joint_count, matrices, NULL));
        const double between = bench_seconds();
        bench_check(toc_binding_apply(binding, toc_mesh_get_vertex_count(human.cage),
                                      toc_character_get_positions(character, 0), count, points));
        const double end = bench_seconds();
        bench_check(toc_character_count_all(character, &all));
        toc_character_get_contacts(character, &found);
        failed |= all != found;
        if (i == 0) continue; // takes the reference pose
        step += between - start;
        bind += end - between;
    }
    printf("fine surface: %zu triangles, %zu vertices on %zu tets: %.2f ms skinning and ondemand-safe, %.2f ms "
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
    static const struct {
        const char *name;
        void (*print)(const char *scene);
    } all[] = {{"table", print_table}, {"recall", print_recall},     {"converge", print_converge},
               {"cages", print_cages}, {"respond", print_responses}, {"loop", print_loop},
               {"fine", print_fine},   {"threads", print_threads}};
    const char *only = count > 1 ? words[1] : NULL, *name = count > 2 ? words[2] : NULL;
    bool found = false;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (only && strcmp(only, all[i].name) != 0) continue;
        if (found) puts("\n"); // between tables
        all[i].print(name);
        found = true;
    }
    if (!found) fprintf(stderr, "bench.characters: there is no part %s\n", only);
    return failed || !found;
}
