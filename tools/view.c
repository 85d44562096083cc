// SPDX-License-Identifier: Apache-2.0
// toccata view: a page that shows a mesh, its motion and its contacts in a browser.
#include <stdlib.h>
#include <string.h>

#include "tools/contacts_file.h"
#include "tools/frame_contacts.h"
#include "tools/page_picture.h"
#include "tools/progress.h"
#include "tools/up.h"
#include "tools/view_data.h"

static struct {
    const char *preset, *contacts, *out, *up, *png;
    size_t threads, port;
    double rate;
    const char *clip;
    uint64_t memory;
    bool surface, serve;
    tool_extras_wanted extras;
    tool_page_picture picture;
} settings = {.extras.near = -1, .picture = {.width = 1080, .height = 720}};

typedef struct view_run_state {
    toc_sequence *frames;
    toc_scene *scene;
    tool_page *page;
    tool_view *view;
    size_t steps, contacts;
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

// Contacts of a file, for a sequence one file for each step as check writes them.
static toc_status read_step_contacts(const view_run_state *all, size_t step, const toc_features *features,
                                     toc_contacts **out) {
    if (all->steps == 1) return tool_contacts_read(settings.contacts, features, out);
    char *numbered;
    toc_status status = tool_path_number(settings.contacts, step, &numbered);
    if (status != TOC_OK) return status;
    status = tool_contacts_read(numbered, features, out);
    free(numbered);
    return status;
}

static toc_status show_given_contacts(view_run_state *all, size_t step, const tool_extras *extras) {
    const toc_mesh *mesh = toc_scene_get_mesh(all->scene, 0);
    const toc_features *features;
    toc_contacts *contacts;
    toc_status status = tool_view_follow(all->view, mesh, &features);
    if (status == TOC_OK) status = read_step_contacts(all, step, features, &contacts);
    if (status != TOC_OK) return status;
    status = tool_view_add_step(all->view, mesh, contacts->count, contacts->contacts, NULL, extras);
    all->contacts += contacts->count;
    toc_contacts_destroy(contacts);
    return status;
}

static toc_status show_found_contacts(view_run_state *all, const toc_query *query, const tool_extras *extras) {
    toc_contacts *contacts;
    toc_status status = toc_scene_find_contacts(all->scene, query, &contacts);
    if (status != TOC_OK) return status;
    status = tool_view_add_step(all->view, toc_scene_get_mesh(all->scene, 0), contacts->count, contacts->contacts,
                                contacts, extras);
    all->contacts += contacts->count;
    toc_contacts_destroy(contacts);
    return status;
}

// Contacts that a simulation has written beside the frame. Given ones take their place.
static toc_status show_simulated_contacts(view_run_state *all, size_t frame, const double *x) {
    tool_frame_contacts beside;
    if (settings.contacts) return TOC_OK;
    toc_status status = tool_frame_contacts_read(toc_sequence_get_path(all->frames, frame),
                                                 toc_scene_get_mesh(all->scene, 0), x, &beside);
    if (status != TOC_OK) return status;
    if (beside.found == TOOL_FOUND_BESIDE) {
        status = tool_view_add_frame_contacts(all->view, beside.count, beside.pairs);
        all->simulated_frames++;
        all->simulated += beside.count;
    }
    all->left_out += beside.found == TOOL_OTHER_RUN;
    tool_frame_contacts_free(&beside);
    return status;
}

static toc_status show_step(view_run_state *all, const toc_query *query, size_t step) {
    tool_extras extras;
    toc_status status = tool_reading_begin();
    if (status == TOC_OK) status = toc_sequence_advance(all->frames, step + 1, toc_scene_edit_mesh(all->scene, 0));
    tool_reading_end();
    if (status != TOC_OK) return status;
    status = tool_extras_find(all->scene, query, settings.extras, &extras);
    if (status == TOC_OK)
        status = settings.contacts ? show_given_contacts(all, step, &extras) : show_found_contacts(all, query, &extras);
    if (status == TOC_OK)
        status = show_simulated_contacts(all, step + 1, toc_mesh_get_x1(toc_scene_get_mesh(all->scene, 0)));
    tool_extras_free(&extras);
    return status;
}

static toc_status show_steps(view_run_state *all) {
    const toc_query query = view_query();
    toc_status status = TOC_OK;
    tool_progress_start("view", all->steps);
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
    toc_mesh *mesh;
    status = toc_sequence_read_first(all->frames, &mesh);
    if (status != TOC_OK) return status;
    status = toc_scene_create(NULL, &all->scene);
    if (status == TOC_OK) status = toc_scene_add_body(all->scene, mesh, NULL);
    if (status != TOC_OK) toc_mesh_destroy(mesh);
    return status;
}

static toc_status check_contacts_option(const view_run_state *all, const char *path) {
    if (!settings.contacts || all->steps > 0) return TOC_OK;
    return tool_fail(TOC_BAD_INPUT, "%s: only one frame; --contacts needs two or more", path);
}

static toc_status fill_page(view_run_state *all, int count, char **paths) {
    toc_status status = load_frames(all, count, paths);
    if (status == TOC_OK) status = check_contacts_option(all, paths[0]);
    if (status == TOC_OK)
        status = tool_view_begin(all->page, all->frames, toc_scene_get_mesh(all->scene, 0),
                                 settings.up ? tool_up_index(settings.up) : tool_up_guess(paths[0]), &all->view);
    if (status == TOC_OK) status = show_simulated_contacts(all, 0, toc_mesh_get_x0(toc_scene_get_mesh(all->scene, 0)));
    if (status == TOC_OK) status = show_steps(all);
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

static toc_status write_page(view_run_state *all, int count, char **paths) {
    // Without input the page waits for files that are dropped onto it.
    toc_status status = count ? fill_page(all, count, paths) : TOC_OK;
    if (status != TOC_OK) return status;
    status = tool_page_write(all->page, count ? tool_view_finish(all->view) : tool_json_start());
    if (status != TOC_OK) return status;
    if (settings.serve) return tool_page_serve(all->page, settings.port);
    if (settings.out)
        fprintf(tool_output(), "%s: %zu steps, %zu contacts, %.1f MB\n", settings.out, all->steps, all->contacts,
                1e-6 * (double)tool_page_size(all->page));
    print_simulated(all);
    if (!settings.png) return TOC_OK;
    status =
        tool_page_picture_draw(&settings.picture, settings.out ? settings.out : settings.picture.page, settings.png);
    if (status == TOC_OK) fprintf(tool_output(), "%s\n", settings.png);
    return status;
}

static toc_status check_view_options(int count) {
    if (settings.serve ? settings.out || settings.png : !settings.out && !settings.png)
        return tool_fail(TOC_BAD_INPUT, "view needs --out page.html, --png picture.png, or --serve without these");
    if (settings.out && !tool_path_ends(settings.out, ".html"))
        return tool_fail(TOC_BAD_INPUT, "%s: unknown extension; --out writes .html", settings.out);
    if (settings.png && !tool_path_ends(settings.png, ".png"))
        return tool_fail(TOC_BAD_INPUT, "%s: unknown extension; --png writes .png", settings.png);
    if (settings.png && count == 0) return tool_fail(TOC_BAD_INPUT, "--png needs frames to draw");
    if (settings.contacts && count == 0)
        return tool_fail(TOC_BAD_INPUT, "--contacts needs the frames that the contacts belong to");
    return TOC_OK;
}

static toc_status view_run(int count, char **paths) {
    view_run_state all = {0};
    toc_status status = check_view_options(count);
    if (status == TOC_OK && settings.png) status = tool_page_picture_begin(&settings.picture);
    // A picture needs a page, too.
    const char *page = !settings.out && settings.png ? settings.picture.page : settings.out;
    if (status == TOC_OK) status = tool_page_begin(page, &all.page);
    if (status == TOC_OK) status = write_page(&all, count, paths);
    tool_view_destroy(all.view);
    tool_page_destroy(all.page);
    toc_scene_destroy(all.scene);
    toc_sequence_close(all.frames);
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
        "--png draws the page with an installed Chromium, without a window. The Link button of a page gives a --link, "
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
            {TOOL_FILE, "contacts", "FILE", "show the contacts of a .csv, .json, .vtp or .glb that check has written",
             &settings.contacts, NULL},
            {TOOL_CHOICE, "preset", "NAME", "the search to use (default auto)", &settings.preset, toc_preset_get_name},
            {TOOL_ON, "surface", NULL, "search only the surface of volumes", &settings.surface, NULL},
            {TOOL_ON, "overlaps", NULL, "also show crossing faces at the start of each step", &settings.extras.overlaps,
             NULL},
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
