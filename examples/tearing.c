// SPDX-License-Identifier: Apache-2.0
// Topology that changes: a sheet tears along its middle while a needle pushes through. Ids of vertices and elements
// stay, events tell what changed, and the scene follows by itself.
#include <stdio.h>
#include <stdlib.h>
#include <toccata/toccata.h>

enum { SIDE = 9, CELLS = SIDE - 1 };

static void must(toc_status status) {
    if (status == TOC_OK) return;
    fprintf(stderr, "tearing: %s\n", toc_message_get());
    exit(1);
}

static toc_mesh *make_sheet(void) {
    toc_mesh *mesh;
    must(toc_mesh_create(NULL, &mesh));
    for (int i = 0; i < SIDE * SIDE; i++)
        must(toc_mesh_add_vertices(mesh, 1, (double[]){i % SIDE, i / SIDE, 0},
                                   NULL)); // NOLINT(bugprone-integer-division)
    for (uint32_t j = 0; j < CELLS; j++)
        for (uint32_t i = 0; i < CELLS; i++) {
            const uint32_t a = i + j * SIDE;
            must(toc_mesh_add_elements(mesh, TOC_QUAD, 1, (uint32_t[]){a, a + 1, a + SIDE + 1, a + SIDE}, NULL));
        }
    return mesh;
}

static toc_mesh *make_needle(void) {
    const double x[] = {CELLS / 2 + 0.1, -0.5, 0.4, CELLS / 2 + 0.1, -0.5, 3};
    const uint32_t edge[] = {0, 1};
    toc_mesh *mesh;
    must(toc_mesh_create(NULL, &mesh));
    must(toc_mesh_add_vertices(mesh, 2, x, NULL));
    must(toc_mesh_add_elements(mesh, TOC_EDGE, 1, edge, NULL));
    return mesh;
}

// Split the vertex of a row in the middle: the quads right of it get the new one.
static void tear(toc_mesh *sheet, uint32_t row) {
    const uint32_t vertex = row * SIDE + CELLS / 2;
    uint32_t right[2], count = 0;
    if (row > 0) right[count++] = (row - 1) * CELLS + CELLS / 2;
    if (row < CELLS) right[count++] = row * CELLS + CELLS / 2;
    must(toc_mesh_split_vertex(sheet, vertex, count, right, NULL));
}

int main(void) {
    toc_scene *scene;
    toc_contacts *found = NULL;
    toc_query query = toc_query_default();
    must(toc_scene_create(NULL, &scene));
    must(toc_scene_add_body(scene, make_sheet(), NULL));
    must(toc_scene_add_body(scene, make_needle(), NULL));
    toc_mesh *sheet = toc_scene_edit_mesh(scene, 0), *needle = toc_scene_edit_mesh(scene, 1);
    must(toc_scene_set_self_contact(scene, 0, false)); // the two sides of a tear start at the same place

    uint64_t seen = toc_mesh_get_revision(sheet);
    uint32_t torn = 0;
    for (int step = 0; step <= CELLS; step++) {
        const double y = step - 0.5, x[] = {CELLS / 2 + 0.1, y, -1, CELLS / 2 + 0.1, y, 1};
        must(toc_mesh_move(needle, 2, x));
        must(toc_scene_find_contacts(scene, &query, found, &found));
        // The sheet tears up to the needle, wherever the needle touches it.
        if (found->count && torn < SIDE) tear(sheet, torn++);
        const toc_event *events;
        size_t count;
        must(toc_mesh_get_events(sheet, seen, &events, &count));
        printf("step %d: %zu contacts, %zu events, %zu vertex ids\n", step, found->count, count,
               toc_mesh_get_vertex_count(sheet));
        seen = toc_mesh_get_revision(sheet);
        must(toc_mesh_forget_events(sheet, seen));
    }
    toc_contacts_destroy(found);
    toc_scene_destroy(scene);
    return torn > 0 ? 0 : 1;
}
