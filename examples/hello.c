// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <toccata/toccata.h>

enum { SIDE = 50, VERTICES = SIDE * SIDE };

// A sheet of quads with a hill in the middle, which falls.
static toc_mesh *make_sheet(double hill, double lift, double fall) {
    double start[VERTICES][3], end[VERTICES][3];
    toc_mesh *mesh = NULL;
    for (int i = 0; i < VERTICES; i++) {
        const double x = 2.0 * (i % SIDE) / (SIDE - 1) - 1, y = 2.0 * (int)(i / SIDE) / (SIDE - 1) - 1;
        start[i][0] = end[i][0] = x;
        start[i][1] = end[i][1] = y;
        start[i][2] = lift + hill * exp(-4 * (x * x + y * y));
        end[i][2] = start[i][2] - fall;
    }
    if (toc_mesh_create(NULL, &mesh) || toc_mesh_add_vertices(mesh, VERTICES, start[0], NULL)) return mesh;
    for (uint32_t a = 0; a + SIDE + 1 < VERTICES; a++)
        if (a % SIDE + 1 < SIDE)
            toc_mesh_add_elements(mesh, TOC_QUAD, 1, (uint32_t[]){a, a + 1, a + SIDE + 1, a + SIDE}, NULL);
    toc_mesh_move(mesh, VERTICES, end[0]);
    return mesh;
}

int main(void) {
    toc_query query = toc_query_default();
    toc_contacts *found;
    toc_scene *scene;
    if (toc_scene_create(NULL, &scene) || toc_scene_add_body(scene, make_sheet(0.6, 0, 0), NULL) ||
        toc_scene_add_body(scene, make_sheet(0.1, 0.9, 0.8), NULL) ||
        toc_scene_find_contacts(scene, &query, NULL, &found))
        return fprintf(stderr, "%s\n", toc_message_get()), 1;
    const toc_contact *first = toc_contacts_find_first(found);
    printf("%zu contacts, the first at time %.3f, at (%.3f, %.3f, %.3f)\n", found->count, first->toc, first->point[0],
           first->point[1], first->point[2]);
    toc_contacts_destroy(found);
    toc_scene_destroy(scene);
    return 0;
}
