// SPDX-License-Identifier: Apache-2.0
// toccata view: a page that shows a mesh, its motion and its contacts in a browser.
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/platform/platform.h"
#include "base/status.h"
#include "tools/contacts_file.h"
#include "tools/extras.h"
#include "tools/frame_contacts.h"
#include "tools/frame_fields.h"
#include "tools/options.h"
#include "tools/page.h"
#include "tools/page_picture.h"
#include "tools/picture.h"
#include "tools/progress.h"
#include "tools/step_table.h"
#include "tools/up.h"
#include "view/coder.h"

static struct {
    const char *preset, *contacts, *out, *up, *png, *beside;
    size_t threads, port;
    double rate;
    const char *clip, *fields;
    uint64_t memory;
    bool surface, serve, plain;
    tool_extras_wanted extras;
    tool_page_picture picture;
    tool_look look; // its size is unused: that of `picture` counts
} settings = {.extras.near = -1, .picture = {.width = 1080, .height = 720}, .look = TOOL_LOOK_DEFAULT};

// One sequence of frames on its way into the page.
typedef struct view_run_state {
    const char *contacts; // those to show instead of new ones, or NULL
    toc_sequence *frames;
    toc_scene *scene;
    tool_page *page;
    view_coder *coder;
    size_t steps, found, overlaps, inside;
    bool one_step;                                // two files with one frame each
    size_t simulated_frames, simulated, left_out; // files of a simulation's contacts that fit, their contacts; others
} view_run_state;

static toc_query view_query(void) {
    toc_query query = toc_query_default();
    if (settings.preset) query.preset = settings.preset;
    query.surface_only = settings.surface;
    query.threads = (int)settings.threads;
    query.progress = tool_progress();
    return query;
}

// Contacts as check writes them: of a sequence one table, or one file for each step.
static toc_status read_step_contacts(const view_run_state *all, size_t step, const toc_features *features,
                                     toc_contacts **out) {
    assert(all->contacts && step < all->steps);
    const char *path = all->contacts;
    const bool fits = tool_step_table_fits(path) || (tool_path_ends(path, ".glb") && !tool_path_has_number(path));
    const bool is_table = fits && toc_path_exists(path);
    if (all->one_step && !tool_path_has_number(path)) return tool_contacts_read(path, NULL, features, out);
    if (is_table) return tool_contacts_read(path, &(uint64_t){step}, features, out);
    char *numbered;
    toc_status status = tool_path_number(path, step, &numbered);
    if (status != TOC_OK) return status;
    status = tool_contacts_read(numbered, NULL, features, out);
    free(numbered);
    return status;
}

static view_frame frame_of(const view_run_state *all, size_t frame) {
    const char *path = toc_sequence_get_path(all->frames, frame);
    return (view_frame){.name = path ? tool_path_name(path) : "", .time = toc_sequence_get_time(all->frames, frame)};
}

// The fields of the frame that the mesh is at.
static toc_status find_fields(const view_run_state *all, size_t frame, tool_frame_fields *out) {
    return tool_frame_fields_find(all->frames, frame, toc_scene_get_mesh(all->scene, 0), settings.fields, out);
}

static toc_status add_step(view_run_state *all, size_t step, const toc_contacts *contacts, bool given,
                           const tool_extras *extras) {
    view_step shown = {.count = contacts->count,
                       .contacts = contacts->contacts,
                       .result = given ? NULL : contacts,
                       .overlaps = extras->overlaps,
                       .inside = extras->inside,
                       .near = extras->near,
                       .distance = extras->thickness,
                       .frame = frame_of(all, all->steps ? step + 1 : 0)};
    tool_frame_fields fields;
    all->found += contacts->count;
    toc_status status = find_fields(all, all->steps ? step + 1 : 0, &fields);
    shown.frame.field_count = fields.count;
    shown.frame.fields = fields.fields;
    if (status == TOC_OK) status = toc_view_coder_add_step(all->coder, all->scene, &shown);
    tool_frame_fields_free(&fields);
    return status;
}

static toc_status begin_page(view_run_state *all, int up) {
    const toc_allocator memory = toc_allocator_get_default();
    view_frame first = frame_of(all, 0);
    tool_frame_fields fields;
    toc_status status = find_fields(all, 0, &fields);
    first.field_count = fields.count;
    first.fields = fields.fields;
    if (status == TOC_OK)
        status = toc_view_coder_create(&memory, tool_page_store(all->page), all->scene, up, NULL, &first, &all->coder);
    tool_frame_fields_free(&fields);
    return status;
}

static toc_status show_given_contacts(view_run_state *all, size_t step, const tool_extras *extras) {
    const toc_features *features;
    toc_contacts *contacts;
    TOC_TRY(toc_view_coder_find_features(all->coder, all->scene, 0, &features));
    TOC_TRY(read_step_contacts(all, step, features, &contacts));
    const toc_status status = add_step(all, step, contacts, true, extras);
    toc_contacts_destroy(contacts);
    return status;
}

static toc_status show_found_contacts(view_run_state *all, const toc_query *query, size_t step,
                                      const tool_extras *extras) {
    toc_contacts *contacts;
    TOC_TRY(toc_scene_find_contacts(all->scene, query, NULL, &contacts));
    const toc_status status = add_step(all, step, contacts, false, extras);
    toc_contacts_destroy(contacts);
    return status;
}

// Contacts that a simulation has written beside the frame. Given ones take their place.
static toc_status show_simulated_contacts(view_run_state *all, size_t frame, const double *x) {
    tool_frame_contacts beside;
    if (all->contacts) return TOC_OK;
    toc_status status = tool_frame_contacts_read(toc_sequence_get_path(all->frames, frame),
                                                 toc_scene_get_mesh(all->scene, 0), x, &beside);
    if (status != TOC_OK) return status;
    if (beside.found == TOOL_FOUND_BESIDE) {
        status = toc_view_coder_add_frame_contacts(all->coder, beside.count, beside.pairs);
        all->simulated_frames++;
        all->simulated += beside.count;
    }
    all->left_out += beside.found == TOOL_OTHER_RUN;
    tool_frame_contacts_free(&beside);
    return status;
}

static toc_status read_frame(view_run_state *all, size_t frame) {
    assert(frame <= all->steps);
    toc_status status = tool_reading_begin();
    if (status == TOC_OK) status = toc_sequence_advance(all->frames, frame, toc_scene_edit_mesh(all->scene, 0));
    tool_reading_end();
    return status;
}

static toc_status show_layers(view_run_state *all, const toc_query *query, size_t step) {
    tool_extras extras;
    toc_status status = tool_extras_find(all->scene, query, settings.extras, &extras);
    if (status == TOC_OK)
        status =
            all->contacts ? show_given_contacts(all, step, &extras) : show_found_contacts(all, query, step, &extras);
    if (status == TOC_OK) all->overlaps += tool_extras_count_overlaps(&extras);
    if (status == TOC_OK && extras.inside) all->inside += extras.inside->count;
    tool_extras_free(&extras);
    return status;
}

static toc_status show_step(view_run_state *all, const toc_query *query, size_t step) {
    TOC_TRY(read_frame(all, step + 1));
    TOC_TRY(show_layers(all, query, step));
    return show_simulated_contacts(all, step + 1, toc_mesh_get_x1(toc_scene_get_mesh(all->scene, 0)));
}

static bool wants_layers(void) { return settings.extras.overlaps || settings.extras.near >= 0; }

// Layers belong to a step: a single frame is shown as a step at rest.
static toc_status show_steps(view_run_state *all) {
    const toc_query query = view_query();
    toc_status status = TOC_OK;
    tool_progress_start("view", all->steps);
    if (all->steps == 0 && wants_layers()) status = show_layers(all, &query, 0);
    for (size_t step = 0; step < all->steps && status == TOC_OK; step++) {
        status = tool_progress_part(step);
        if (status == TOC_OK) status = show_step(all, &query, step);
    }
    tool_progress_end();
    return status;
}

static toc_status load_frames(view_run_state *all, int count, char **paths) {
    toc_read_options options = toc_read_options_default();
    options.memory = settings.memory;
    toc_status status = toc_sequence_open((size_t)count, (const char *const *)paths, &options, &all->frames);
    if (status == TOC_OK && settings.clip) status = toc_sequence_play(all->frames, settings.clip);
    if (status == TOC_OK && settings.rate > 0) status = toc_sequence_sample(all->frames, settings.rate);
    if (status != TOC_OK) return status;
    all->steps = toc_sequence_get_frame_count(all->frames) - 1;
    all->one_step = all->steps == 1 && count == 2;
    if (!settings.fields || strcmp(settings.fields, "none") != 0) TOC_TRY(tool_frame_fields_begin(all->frames));
    toc_mesh *mesh;
    status = toc_sequence_read_first(all->frames, &mesh);
    if (status != TOC_OK) return status;
    status = toc_scene_create(NULL, &all->scene);
    if (status == TOC_OK) status = toc_scene_add_body(all->scene, mesh, NULL);
    if (status != TOC_OK) toc_mesh_destroy(mesh);
    return status;
}

static toc_status check_contacts_option(const view_run_state *all, const char *path) {
    if (!all->contacts || all->steps > 0) return TOC_OK;
    return tool_fail(TOC_BAD_INPUT, "%s: only one frame; --contacts needs two or more", path);
}

// ---- a picture without a browser

// Settings of the eye are those of the plain picture; the page has a link.
static bool is_plain(void) {
    const tool_look usual = TOOL_LOOK_DEFAULT, *look = &settings.look;
    return settings.plain || look->azimuth >= 0 || look->elevation >= 0 || look->zoom != usual.zoom ||
           look->fit_contacts || strcmp(look->colour, usual.colour) != 0;
}

static toc_status plain_contacts(const view_run_state *all, const toc_query *query, size_t step, toc_contacts **out) {
    if (all->steps == 0) return toc_contacts_create(NULL, 0, NULL, out);
    if (!all->contacts) return toc_scene_find_contacts(all->scene, query, NULL, out);
    toc_features *features;
    TOC_TRY(toc_mesh_find_features(toc_scene_get_mesh(all->scene, 0), &features));
    const toc_status status = read_step_contacts(all, step, features, out);
    toc_features_destroy(features);
    return status;
}

static toc_status draw_contacts(const view_run_state *all, size_t step, const toc_contacts *contacts) {
    assert(settings.png);
    char *numbered = NULL;
    if (all->steps > 1) TOC_TRY(tool_path_number(settings.png, step, &numbered));
    const toc_status status = tool_picture_write(numbered ? numbered : settings.png, toc_scene_get_mesh(all->scene, 0),
                                                 contacts, &settings.look);
    free(numbered);
    return status;
}

static toc_status draw_step(view_run_state *all, const toc_query *query, size_t step) {
    toc_contacts *contacts;
    if (all->steps > 0) TOC_TRY(read_frame(all, step + 1));
    TOC_TRY(plain_contacts(all, query, step, &contacts));
    const toc_status status = draw_contacts(all, step, contacts);
    toc_contacts_destroy(contacts);
    return status;
}

static toc_status draw_plainly(view_run_state *all, int count, char **paths) {
    const toc_query query = view_query();
    TOC_TRY(load_frames(all, count, paths));
    TOC_TRY(check_contacts_option(all, paths[0]));
    settings.look.up = settings.up ? tool_up_index(settings.up) : tool_up_guess(paths[0]);
    settings.look.width = settings.picture.width;
    settings.look.height = settings.picture.height;
    tool_progress_start("view", all->steps);
    for (size_t step = 0; step < (all->steps ? all->steps : 1); step++) {
        TOC_TRY(tool_progress_part(step));
        TOC_TRY(draw_step(all, &query, step));
    }
    fprintf(tool_output(), "%s\n", settings.png);
    return TOC_OK;
}

// ---- the page

static toc_status fill_page(view_run_state *all, int count, char **paths) {
    TOC_TRY(load_frames(all, count, paths));
    TOC_TRY(check_contacts_option(all, paths[0]));
    TOC_TRY(begin_page(all, settings.up ? tool_up_index(settings.up) : tool_up_guess(paths[0])));
    TOC_TRY(show_simulated_contacts(all, 0, toc_mesh_get_x0(toc_scene_get_mesh(all->scene, 0))));
    return show_steps(all);
}

// The object of the page. That of the run beside it is a part of it.
static toc_status describe_page(const view_run_state *all, const view_run_state *beside, view_text *out) {
    view_text other = toc_view_text_make(&out->allocator);
    toc_view_text_print(&other, beside->coder ? ",\"beside\":" : "");
    if (beside->coder) toc_view_coder_write(beside->coder, 0, 0, 0, "", &other);
    if (other.status == TOC_OK) toc_view_coder_write(all->coder, 0, 0, 0, other.bytes.at, out);
    const toc_status status = other.status == TOC_OK ? out->status : other.status;
    toc_view_text_free(&other);
    return status;
}

static void print_simulated(const view_run_state *all) {
    FILE *out = tool_output();
    if (all->simulated_frames)
        fprintf(out, "simulation  %zu contacts at %zu frames\n", all->simulated, all->simulated_frames);
    if (all->left_out)
        fprintf(
            out,
            "hint      files in the folder contacts that belong to other frames are left out: %zu; simulate again with "
            "--contacts\n",
            all->left_out);
}

static void print_page(const view_run_state *all, const view_run_state *beside) {
    FILE *out = tool_output();
    if (settings.out)
        fprintf(out, "%s: %zu steps, %zu contacts, %.1f MB\n", settings.out, all->steps, all->found,
                1e-6 * (double)tool_page_size(all->page));
    if (beside->coder) fprintf(out, "beside      %zu steps, %zu contacts\n", beside->steps, beside->found);
    if (settings.extras.overlaps) fprintf(out, "overlaps    %zu\n", all->overlaps);
    if (all->inside) fprintf(out, "inside      %zu components wholly inside of a body\n", all->inside);
    print_simulated(all);
}

static toc_status finish_page(view_run_state *all, const view_run_state *beside) {
    const toc_allocator memory = toc_allocator_get_default();
    view_text object = toc_view_text_make(&memory);
    toc_status status = all->coder ? describe_page(all, beside, &object) : TOC_OK;
    if (status == TOC_OK) status = tool_page_write(all->page, all->coder ? object.bytes.at : NULL);
    toc_view_text_free(&object);
    if (status != TOC_OK) return status;
    if (settings.serve) return tool_page_serve(all->page, settings.port);
    print_page(all, beside);
    if (!settings.png) return TOC_OK;
    status =
        tool_page_picture_draw(&settings.picture, settings.out ? settings.out : settings.picture.page, settings.png);
    if (status == TOC_OK) fprintf(tool_output(), "%s\n", settings.png);
    return status;
}

// Without input the page waits for files that are dropped onto it.
static toc_status write_page(view_run_state *all, view_run_state *beside, int count, char **paths) {
    if (count) TOC_TRY(fill_page(all, count, paths));
    char *other = (char *)settings.beside;
    beside->page = all->page;
    if (settings.beside) TOC_TRY(fill_page(beside, 1, &other));
    return finish_page(all, beside);
}

static toc_status check_view_options(int count) {
    if (settings.serve ? settings.out || settings.png : !settings.out && !settings.png)
        return tool_fail(TOC_BAD_INPUT, "view needs --out page.html, --png picture.png, or --serve without these");
    if (settings.out && !tool_path_ends(settings.out, ".html"))
        return tool_fail(TOC_BAD_INPUT, "%s: unknown extension; --out writes .html", settings.out);
    if (settings.png && !tool_path_ends(settings.png, ".png"))
        return tool_fail(TOC_BAD_INPUT, "%s: unknown extension; --png writes .png", settings.png);
    if (settings.png && count == 0) return tool_fail(TOC_BAD_INPUT, "--png needs frames to draw");
    if (is_plain() && !settings.png)
        return tool_fail(TOC_BAD_INPUT, "--plain, --azimuth and the like are those of a picture; give --png OUT");
    if (is_plain() && (settings.out || settings.picture.link))
        return tool_fail(TOC_BAD_INPUT, "a picture by --plain, --azimuth and the like has no page; leave out --%s",
                         settings.out ? "out" : "link");
    if (settings.contacts && count == 0)
        return tool_fail(TOC_BAD_INPUT, "--contacts needs the frames that the contacts belong to");
    if (settings.beside && (count == 0 || is_plain()))
        return tool_fail(TOC_BAD_INPUT, "--beside needs frames of its own side, and a page");
    return count ? TOC_OK : tool_page_check_engine();
}

static toc_status view_frames(view_run_state *all, view_run_state *beside, int count, char **paths) {
    TOC_TRY(check_view_options(count));
    if (is_plain()) return draw_plainly(all, count, paths);
    if (settings.png) TOC_TRY(tool_page_picture_begin(&settings.picture));
    // A picture needs a page, too.
    const char *page = !settings.out && settings.png ? settings.picture.page : settings.out;
    TOC_TRY(tool_page_begin(page, &all->page));
    return write_page(all, beside, count, paths);
}

static void end_run(view_run_state *run) {
    toc_view_coder_destroy(run->coder);
    toc_scene_destroy(run->scene);
    toc_sequence_close(run->frames);
}

static toc_status view_run(int count, char **paths) {
    view_run_state all = {.contacts = settings.contacts}, beside = {0};
    const toc_status status = view_frames(&all, &beside, count, paths);
    end_run(&beside);
    end_run(&all);
    tool_page_destroy(all.page);
    tool_page_picture_end(&settings.picture);
    return status;
}

const tool_command tool_view_command = {
    .name = "view",
    .forms = (const char *const[]){"START END --out PAGE [OPTIONS]", "SEQUENCE... --out PAGE [OPTIONS]",
                                   "SEQUENCE... --serve [OPTIONS]", "SEQUENCE... --png PICTURE [OPTIONS]", "--out PAGE",
                                   NULL},
    .what = "Show a mesh, its motion and its contacts in a browser.",
    .more =
        "The page is one file that needs no network and no server. It contains the frames and the contacts of every "
        "step, found anew or read from --contacts. Frames are given as for check; one frame is shown at rest. "
        "The frames of simulate --contacts also show the contacts of the simulation. "
        "Results too large for one file are shown with --serve, on this machine only, until Ctrl-C.\n"
        "--png draws the page with an installed Chromium, without a window, or without Chromium by --plain. The Link "
        "button of a page gives a --link, "
        "which "
        "restores camera, time, colours and filters.\n"
        "Without frames, the page waits for meshes that are dropped onto it.",
    .options =
        (const tool_option[]){
            {TOOL_FILE, "out", "PAGE", "the .html to write", &settings.out, NULL},
            {TOOL_ON, "serve", NULL, "serve the page to a browser on this machine", &settings.serve, NULL},
            {TOOL_COUNT, "port", "N", "the port of --serve, or any free one for 0 (default 0)", &settings.port, NULL},
            {TOOL_FILE, "png", "PICTURE", "the .png to write: the page drawn by an installed Chromium", &settings.png,
             NULL},
            {TOOL_TEXT, "link", "TEXT", "the view of the picture: a link of the page, or its part behind #",
             &settings.picture.link, NULL},
            {TOOL_COUNT, "width", "N", "pixels across of the picture (default 1080)", &settings.picture.width, NULL},
            {TOOL_COUNT, "height", "N", "pixels down of the picture (default 720)", &settings.picture.height, NULL},
            {TOOL_ON, "plain", NULL,
             "draw each step without a browser: the surface at its end, the contacts; so do the five options below",
             &settings.plain},
            TOOL_OPTIONS_EYE(settings.look),
            TOOL_OPTIONS_MARKS(settings.look),
            {TOOL_FILE, "contacts", "FILE", "show the contacts of a .csv, .json, .vtp or .glb that check has written",
             &settings.contacts, NULL},
            {TOOL_FILE, "beside", "SEQUENCE", "show a second run beside the first: a .pvd, a folder, a d3plot, ...",
             &settings.beside, NULL},
            {TOOL_TEXT, "fields", "A,B,...", "only these fields of the files, or none (default all)", &settings.fields,
             NULL},
            {TOOL_CHOICE, "preset", "NAME", "the search to use (default auto)", &settings.preset, tool_preset_name,
             .rare = tool_paper_preset_name},
            {TOOL_ON, "surface", NULL, "search only the surface of volumes", &settings.surface, NULL},
            {TOOL_ON, "overlaps", NULL,
             "also show crossing faces, and components inside of bodies, at the start of each step",
             &settings.extras.overlaps, NULL},
            {TOOL_LENGTH, "near", "D", "also show feature pairs within distance D at the start of each step",
             &settings.extras.near, NULL},
            {TOOL_CHOICE, "up", "AXIS", "the axis that points up (default by the format)", &settings.up, tool_up_name},
            TOOL_OPTION_CLIP(&settings.clip),
            {TOOL_LENGTH, "rate", "N", "sample animations at N frames a second (default 30)", &settings.rate, NULL},
            {TOOL_COUNT, "threads", "N", "use N threads, or all cores for 0 (default 0); does not change the answer",
             &settings.threads, NULL},
            TOOL_OPTION_MEMORY(&settings.memory),
            {0},
        },
    .run = view_run,
};
