// SPDX-License-Identifier: Apache-2.0
// toccata simulate: run a simulation and write its frames.
//
// After each frame the folder holds a complete sequence: the frame, then the state to go on from, then the list of
// frames. Each appears whole or not at all, so a run that is killed leaves its last frame and can be resumed.
#include "base/status.h"
#include "scenes/simulated/simulation.h"

#include <stdlib.h>
#include <string.h>

#include "scenes/simulated/measure.h"
#include "tools/command.h"
#include "tools/frames.h"
#include "tools/options.h"
#include "tools/output.h"
#include "tools/picture.h"
#include "tools/progress.h"

static struct {
    size_t size, frames, threads;
    const char *folder, *preset, *format, *picture, *from;
    bool list, surface_only, resume, states, check, contacts;
    tool_look look;
} settings = {.look = TOOL_LOOK_DEFAULT};

static const char *simulated_format(size_t i) {
    static const char *const formats[] = {"vtu", "vtk", "ply", "obj", "glb"};
    return i < sizeof formats / sizeof *formats ? formats[i] : NULL;
}

static toc_status list_simulations(void) {
    for (size_t i = 0; simulation_name(i); i++) {
        simulation s;
        const simulation_options options = {.threads = 1};
        const toc_status status = simulation_open(simulation_name(i), &options, &s);
        if (status != TOC_OK) return status;
        fprintf(tool_output(), "%-11s %s\n%12ssize: default %zu; frames: %zu, %g s apart\n", s.name, s.what, "", s.size,
                s.frames, s.frame_time);
        simulation_close(&s);
    }
    return TOC_OK;
}

/// The totals of a run, for the last lines.
typedef struct run_totals {
    toc_sim_report sum;
    size_t frames, pushed;
    size_t crossings, inside;  // face pairs of the surface that cross, and those inside as well
    measure_overlaps overlaps; // of volume elements
} run_totals;

static toc_status check_frame(toc_sim *sim, run_totals *totals) {
    const int threads = (int)settings.threads;
    TOC_TRY(measure_crossings(sim, threads, false, &totals->crossings));
    TOC_TRY(measure_crossings(sim, threads, true, &totals->inside));
    return measure_penetration(sim, threads, &totals->overlaps);
}

static toc_status make_frame(simulation *s, tool_frames *frames, size_t frame, run_totals *totals) {
    // The frame that --from names is there: it is written, not made.
    toc_status status = frames->begins ? TOC_OK : simulation_advance(s, frame, &totals->sum);
    if (status == TOC_OK) status = tool_frames_write(frames, s, frame);
    if (status == TOC_OK && settings.check) status = check_frame(s->sim, totals);
    totals->frames += status == TOC_OK;
    return status;
}

static toc_status print_measures(toc_sim *sim, const run_totals *t) {
    FILE *out = tool_output();
    measure_pieces p;
    TOC_TRY(measure_debris(sim, &p));
    fprintf(out, "crossings  %zu\n", t->crossings);
    fprintf(out, "inside     %zu face pairs cross, %zu pairs of volume elements overlap, the deepest by %g\n",
            t->inside, t->overlaps.pairs, t->overlaps.deepest);
    fprintf(out, "pieces     %zu of %zu bodies at the end, %zu elements; %zu elements are debris\n", p.pieces, p.bodies,
            p.elements, p.debris);
    return TOC_OK;
}

static void print_totals(const run_totals *t, const char *list) {
    FILE *out = tool_output();
    const double seconds = t->sum.dynamics_seconds + t->sum.detection_seconds;
    fprintf(out, "%s\n", list);
    if (t->frames == 0) return;
    fprintf(out, "frames     %zu, to time %g\n", t->frames, t->sum.time);
    if (t->pushed) fprintf(out, "start      %zu pairs of faces crossed and were pushed apart\n", t->pushed);
    fprintf(out, "seconds    %.3f: %.3f dynamics, %.3f detection (%.0f %%)\n", seconds, t->sum.dynamics_seconds,
            t->sum.detection_seconds, seconds > 0 ? 100 * t->sum.detection_seconds / seconds : 0);
    fprintf(out, "contacts   %zu near, %zu impacts resolved in %zu queries, %zu zones\n", t->sum.contacts,
            t->sum.impacts, t->sum.rounds, t->sum.zones);
    if (t->sum.splits || t->sum.eroded)
        fprintf(out, "failure    %zu vertices split, %zu elements eroded\n", t->sum.splits, t->sum.eroded);
    if (t->sum.glued || t->sum.unglued)
        fprintf(out, "adhesion   %zu vertices glued, %zu came apart\n", t->sum.glued, t->sum.unglued);
    if (t->sum.unsplit)
        fprintf(out,
                "warning    %zu times a vertex was to split, and its body had no vertex ids left: it stays whole\n",
                t->sum.unsplit);
}

// The first frame to write.
static toc_status begin_frames(simulation *s, tool_frames *frames, size_t last, size_t *frame) {
    frames->states = settings.states;
    if (settings.resume) return tool_frames_resume(frames, s, frame);
    if (!settings.from) return TOC_OK;
    TOC_TRY(tool_frames_start(frames, s, settings.from, frame));
    if (*frame < last) return TOC_OK;
    return tool_fail(TOC_BAD_INPUT, "%s: the run would end at frame %zu; --frames must be above %zu", settings.from,
                     last, *frame + 1);
}

static toc_status run_frames(simulation *s, tool_frames *frames) {
    const size_t last = settings.frames ? settings.frames - 1 : s->frames;
    run_totals totals = {0};
    size_t frame = 0;
    toc_status status = begin_frames(s, frames, last, &frame);
    // The first frame shows the bodies where they start.
    if (status == TOC_OK && frame == 0) status = toc_sim_push_apart(s->sim, &totals.pushed);
    tool_progress_start(s->name, last + 1);
    for (; frame <= last && status == TOC_OK; frame++) {
        status = tool_progress_part(frame);
        if (status == TOC_OK) status = make_frame(s, frames, frame, &totals);
    }
    const toc_contacts none = {0};
    settings.look.up = 2;
    if (status == TOC_OK && settings.picture)
        status = tool_picture_write(settings.picture, frames->mesh, &none, &settings.look);
    if (status == TOC_OK) print_totals(&totals, frames->list);
    if (status == TOC_OK && settings.check) status = print_measures(s->sim, &totals);
    return status;
}

static toc_status simulate_run(int count, char **names) {
    if (settings.list) return list_simulations();
    if (count != 1)
        return tool_fail(TOC_BAD_INPUT, "simulate needs one name or file, not %d; see toccata simulate --list", count);
    if (settings.resume && settings.from)
        return tool_fail(TOC_BAD_INPUT, "--resume goes on in its folder, --from begins another one: give one of them");
    if (!settings.folder) return tool_fail(TOC_BAD_INPUT, "simulate needs a folder for its frames: give --out DIR");
    const simulation_options options = {.size = settings.size,
                                        .preset = settings.preset,
                                        .surface_only = settings.surface_only,
                                        .threads = (int)settings.threads};
    simulation s;
    toc_status status = simulation_open(names[0], &options, &s);
    if (status != TOC_OK) return status;
    tool_frames frames = {0};
    status = tool_folder_make(settings.folder);
    if (status == TOC_OK) status = tool_frames_make(settings.folder, settings.format, settings.contacts, &s, &frames);
    if (status == TOC_OK) status = run_frames(&s, &frames);
    tool_frames_free(&frames);
    simulation_close(&s);
    return status;
}

const tool_command tool_simulate = {
    .name = "simulate",
    .forms = (const char *const[]){"NAME|FILE.json --out DIR [--frames N] [--size N] [--resume] [OPTION...]", "--list",
                                   NULL},
    .what = "Simulate bodies that never pass through each other, and write the frames.",
    .more =
        "NAME is one of --list; FILE.json describes bodies, materials and time (docs/simulation.md).\n"
        "Every run writes the same frames for the same description and size. A run that was stopped or killed leaves "
        "the frames it finished; --resume goes on after the last one. --from FRAME goes on from a frame of another "
        "folder: its last one, or any if that run had --states.",
    .options =
        (const tool_option[]){
            {TOOL_FOLDER, "out", "DIR", "the output folder; created if missing", &settings.folder, NULL},
            {TOOL_COUNT, "frames", "N", "the number of frames (default: as described)", &settings.frames, NULL},
            {TOOL_COUNT, "size", "N", "the resolution (default: as described)", &settings.size, NULL},
            {TOOL_CHOICE, "preset", "NAME", "the preset of the queries (default auto)", &settings.preset,
             tool_preset_name},
            {TOOL_ON, "surface-only", NULL, "contacts of the surface only, not of the inside of volumes",
             &settings.surface_only, NULL},
            {TOOL_ON, "resume", NULL, "go on after the last frame in the folder", &settings.resume, NULL},
            {TOOL_FILE, "from", "FRAME", "begin at this frame of another run, with the same bits", &settings.from,
             NULL},
            {TOOL_ON, "states", NULL, "keep the state of every frame for --from, not the last one only",
             &settings.states, NULL},
            {TOOL_ON, "check", NULL,
             "count the face pairs that cross and the overlaps of elements, at every frame; pieces at the end",
             &settings.check, NULL},
            {TOOL_CHOICE, "format", "NAME", "the format of the frames (default vtu); glb has floats", &settings.format,
             simulated_format},
            {TOOL_ON, "contacts", NULL, "also write the contacts at each frame: contacts/NAME.pvd in the folder",
             &settings.contacts, NULL},
            {TOOL_FILE, "picture", "FILE.png", "draw the last frame", &settings.picture, NULL},
            TOOL_OPTIONS_VIEW(settings.look),
            {TOOL_COUNT, "threads", "N", "the number of threads (default: as many as useful)", &settings.threads, NULL},
            {TOOL_ON, "list", NULL, "list the simulations that are built in", &settings.list, NULL},
            {0},
        },
    .words = simulation_name,
    .run = simulate_run,
};
