// SPDX-License-Identifier: Apache-2.0
// A solver that shows its steps while it runs: a sheet falls onto a floor with waves and stays above it.
//
//     ./live 200 wait     # open the address that it prints in a browser on this machine
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <toccata/toccata.h>
#include <toccata/view.h>

enum { SIDE = 24, COUNT = SIDE * SIDE };

static double wave(double x, double y) { return 0.12 * sin(5 * x) * cos(4 * y); }

// A grid of triangles over a square, at a height above the waves.
static toc_status make_sheet(double size, double height, toc_mesh **out) {
    double *x = malloc(3 * COUNT * sizeof *x);
    uint32_t *corners = malloc(6 * COUNT * sizeof *corners);
    size_t count = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        x[3 * i] = size * (i % SIDE / (SIDE - 1.0) - 0.5);
        x[3 * i + 1] = size * (i / SIDE / (SIDE - 1.0) - 0.5);
        x[3 * i + 2] = height > 0 ? height : wave(x[3 * i], x[3 * i + 1]);
    }
    for (uint32_t i = 0; i + SIDE < COUNT; i++) {
        if (i % SIDE == SIDE - 1) continue;
        const uint32_t cell[] = {i, i + 1, i + SIDE + 1, i, i + SIDE + 1, i + SIDE};
        memcpy(corners + count, cell, sizeof cell);
        count += 6;
    }
    toc_status status = toc_mesh_create(NULL, out);
    if (status == TOC_OK) status = toc_mesh_add_vertices(*out, COUNT, x, NULL);
    if (status == TOC_OK) status = toc_mesh_add_elements(*out, TOC_TRIANGLE, count / 3, corners, NULL);
    free(corners);
    free(x);
    return status;
}

// Where the vertices would go: springs between neighbours, gravity, air.
static void propose(const double *x, double *v, double *wanted) {
    const double rest = 1.6 / (SIDE - 1), dt = 0.004;
    for (int sweep = 0; sweep < 4; sweep++) {
        for (int i = 0; i < COUNT; i++) {
            double force[3] = {0, 0, -9.81};
            const int beside[] = {i % SIDE ? i - 1 : -1, i % SIDE < SIDE - 1 ? i + 1 : -1, i - SIDE, i + SIDE};
            for (int k = 0; k < 4; k++) {
                const int j = beside[k];
                if (j < 0 || j >= COUNT) continue;
                const double d[3] = {x[3 * j] - x[3 * i], x[3 * j + 1] - x[3 * i + 1], x[3 * j + 2] - x[3 * i + 2]};
                const double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
                for (int c = 0; c < 3; c++) force[c] += 4000 * (length - rest) * d[c] / length;
            }
            for (int c = 0; c < 3; c++) v[3 * i + c] = 0.997 * (v[3 * i + c] + 0.25 * dt * force[c]);
        }
    }
    for (int k = 0; k < 3 * COUNT; k++) wanted[k] = x[k] + dt * v[k];
}

// One step: as far as no pair loses more than a fifth of its distance. Vertices held back lose their speed.
static toc_status advance(toc_scene *scene, double *v, double *wanted) {
    toc_mesh *sheet = toc_scene_edit_mesh(scene, 0);
    const toc_query query = toc_query_default();
    const toc_room room = toc_room_default();
    double start[3 * COUNT];
    toc_room_step step;
    memcpy(start, toc_mesh_get_x1(sheet), sizeof start);
    propose(start, v, wanted);
    toc_status status = toc_mesh_set_motion(sheet, COUNT, start, wanted);
    if (status == TOC_OK) status = toc_scene_find_room_step(scene, &query, &room, &step);
    if (status != TOC_OK) return status;
    for (int k = 0; k < 3 * COUNT; k++) {
        wanted[k] = start[k] + step.fraction * (wanted[k] - start[k]);
        v[k] *= 0.2 + 0.8 * step.fraction;
    }
    return toc_mesh_set_motion(sheet, COUNT, start, wanted);
}

// The contacts of the step, which there are none, and the fields of the solver: of the sheet, then of the floor.
static toc_status show(toc_view *view, toc_scene *scene, const double *v, int number) {
    static double speeds[2 * COUNT], velocities[6 * COUNT];
    const toc_query query = toc_query_default();
    toc_contacts *found;
    for (int i = 0; i < COUNT; i++)
        speeds[i] = sqrt(v[3 * i] * v[3 * i] + v[3 * i + 1] * v[3 * i + 1] + v[3 * i + 2] * v[3 * i + 2]);
    memcpy(velocities, v, 3 * COUNT * sizeof *v);
    const toc_view_field fields[] = {{.name = "speed", .components = 1, .count = 2 * COUNT, .values = speeds},
                                     {.name = "velocity", .components = 3, .count = 2 * COUNT, .values = velocities}};
    toc_status status = toc_scene_find_contacts(scene, &query, NULL, &found);
    if (status != TOC_OK) return status;
    const toc_view_step step = {.contacts = found, .field_count = 2, .fields = fields, .time = 0.004 * (number + 1)};
    status = toc_view_add_step(view, scene, &step);
    if (found->count) status = toc_message_set(TOC_INTERNAL, "the sheet went through the floor");
    toc_contacts_destroy(found);
    return status;
}

int main(int argc, char **argv) {
    const int steps = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 20;
    static double v[3 * COUNT], wanted[3 * COUNT];
    toc_view_options options = toc_view_options_default();
    toc_mesh *sheet, *floor;
    toc_scene *scene = NULL;
    toc_view *view = NULL;
    options.title = "a sheet on waves";
    toc_status status = toc_view_open(&options, &view);
    if (status == TOC_BAD_INPUT) return printf("%s\n", toc_message_get()), 0; // a build without the page
    if (status == TOC_OK) status = toc_scene_create(NULL, &scene);
    if (status == TOC_OK) status = make_sheet(1.6, 0.4, &sheet);
    if (status == TOC_OK) status = toc_scene_add_body(scene, sheet, NULL);
    if (status == TOC_OK) status = make_sheet(2.4, 0, &floor);
    if (status == TOC_OK) status = toc_scene_add_body(scene, floor, NULL);
    if (status == TOC_OK) printf("%s\n", toc_view_get_address(view)), fflush(stdout);
    for (int i = 0; i < steps && status == TOC_OK; i++) {
        status = advance(scene, v, wanted);
        if (status == TOC_OK) status = show(view, scene, v, i);
    }
    if (status == TOC_OK && argc > 2 && strcmp(argv[2], "wait") == 0) toc_view_wait(view, 600);
    if (status != TOC_OK) fprintf(stderr, "%s\n", toc_message_get());
    toc_view_close(view);
    toc_scene_destroy(scene);
    return status != TOC_OK;
}
