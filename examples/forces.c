// SPDX-License-Identifier: Apache-2.0
// Forces of proximity: a ball of tetrahedra sinks towards a plate, and pairs of features within a distance repel.
//
// Near pairs have the weights of their closest points: a force along the normal goes to the vertices by these weights,
// so that it balances in sum and in moment. The list is handed back in, so that a steady step allocates nothing.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <toccata/toccata.h>

static const double REACH = 0.05, STIFFNESS = 400, MASS = 0.05, DT = 0.005;

static void must(toc_status status) {
    if (status == TOC_OK) return;
    fprintf(stderr, "forces: %s\n", toc_message_get());
    exit(1);
}

static void add_body(toc_scene *scene, toc_shape shape, size_t vertices, const double *x, size_t count,
                     const uint32_t *corners) {
    toc_mesh *mesh;
    must(toc_mesh_create(NULL, &mesh));
    must(toc_mesh_add_vertices(mesh, vertices, x, NULL));
    must(toc_mesh_add_elements(mesh, shape, count, corners, NULL));
    must(toc_scene_add_body(scene, mesh, NULL));
}

// Add the force of each pair to the vertices of body 1; body 0 is fixed.
static void add_forces(const toc_near *near, double (*force)[3]) {
    for (const toc_near_pair *p = near->pairs; p < near->pairs + near->count; p++) {
        const double strength = STIFFNESS * (REACH - p->distance);
        for (int k = 0; k < 4; k++) {
            const int side = p->kind == TOC_VF ? k > 0 : k > 1;
            if (p->body[side] != 1) continue;
            for (int c = 0; c < 3; c++) force[p->v[k]][c] += (side ? -1 : 1) * strength * p->weights[k] * p->normal[c];
        }
    }
}

int main(void) {
    const double plate[4][3] = {{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}};
    double ball[7][3] = {{0, 0, 0.5},    {0.2, 0, 0.5}, {-0.2, 0, 0.5}, {0, 0.2, 0.5},
                         {0, -0.2, 0.5}, {0, 0, 0.7},   {0, 0, 0.3}};
    const uint32_t quad[] = {0, 1, 2, 3};
    const uint32_t tets[8][4] = {{0, 1, 3, 5}, {0, 3, 2, 5}, {0, 2, 4, 5}, {0, 4, 1, 5},
                                 {0, 3, 1, 6}, {0, 2, 3, 6}, {0, 4, 2, 6}, {0, 1, 4, 6}};
    toc_scene *scene;
    toc_near *near = NULL;
    must(toc_scene_create(NULL, &scene));
    add_body(scene, TOC_QUAD, 4, plate[0], 1, quad);
    add_body(scene, TOC_TET, 7, ball[0], 8, tets[0]);
    must(toc_scene_set_self_contact(scene, 1, false));

    toc_query query = toc_query_default();
    toc_near_query closer = toc_near_query_default();
    query.surface_only = true;
    closer.time = TOC_NEAR_AT_END;
    closer.distance = REACH;
    double speed = 0, lowest = 1;
    size_t most = 0;
    for (int step = 0; step < 600; step++) {
        double force[7][3] = {{0}}, push = 0;
        must(toc_scene_find_near(scene, &query, &closer, near, &near));
        add_forces(near, force);
        for (int i = 0; i < 7; i++) push += force[i][2];
        speed += DT * (push / MASS - 9.81); // the ball is rigid here: it moves as a whole
        speed *= 0.97;
        for (int i = 0; i < 7; i++) ball[i][2] += DT * speed;
        must(toc_mesh_move(toc_scene_edit_mesh(scene, 1), 7, ball[0]));
        if (ball[6][2] < lowest) lowest = ball[6][2];
        if (near->count > most) most = near->count;
    }
    printf("the ball rests %.4f above the plate, never lower than %.4f; %zu near pairs at most\n", ball[6][2], lowest,
           most);
    toc_near_destroy(near);
    toc_scene_destroy(scene);
    return lowest > 0 && ball[6][2] < REACH ? 0 : 1;
}
