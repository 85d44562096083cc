// SPDX-License-Identifier: Apache-2.0
// Can a gate turn by a right angle past a post? Vertices move on straight paths, so a body that turns shrinks a little
// within a step: the motion is cut into steps whose paths stay within a tolerance of the rotation, and each step keeps
// this distance. A free answer then holds for the rotation itself.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <toccata/toccata.h>

static const double TOLERANCE = 0.01, RIGHT_ANGLE = 1.5707963267948966;

static void must(toc_status status) {
    if (status == TOC_OK) return;
    fprintf(stderr, "turning: %s\n", toc_message_get());
    exit(1);
}

static const double gate[4][3] = {{0, 0, 0}, {2, 0, 0}, {2, 0, 1}, {0, 0, 1}};

static void add_quad(toc_scene *scene, const double x[4][3]) {
    toc_mesh *mesh;
    must(toc_mesh_create(NULL, &mesh));
    must(toc_mesh_add_vertices(mesh, 4, x[0], NULL));
    must(toc_mesh_add_elements(mesh, TOC_QUAD, 1, (uint32_t[]){0, 1, 2, 3}, NULL));
    must(toc_scene_add_body(scene, mesh, NULL));
}

// The fraction of the turn that is free, with a post at an angle of the gate.
static double turn(const toc_rotation *rotation, double angle) {
    const double c = cos(angle), s = sin(angle);
    const double post[4][3] = {
        {1.9 * c, 1.9 * s, -1}, {2.5 * c, 2.5 * s, -1}, {2.5 * c, 2.5 * s, 2}, {1.9 * c, 1.9 * s, 2}};
    toc_query query = toc_query_default();
    toc_conflict conflict = {.kind = TOC_CONFLICT_NONE};
    toc_scene *scene;
    uint32_t steps, step = 0;
    must(toc_scene_create(NULL, &scene));
    add_quad(scene, gate);
    add_quad(scene, post);
    must(toc_scene_set_self_contact(scene, 0, false));
    must(toc_rotation_find_steps(rotation, 4, gate[0], TOLERANCE, &steps));
    query.test.separation = TOLERANCE;
    for (; step < steps; step++) {
        double x[2][4][3];
        for (int end = 0; end < 2; end++)
            must(toc_rotation_place(rotation, (double)(step + (uint32_t)end) / steps, 4, gate[0], x[end][0]));
        must(toc_mesh_set_motion(toc_scene_edit_mesh(scene, 0), 4, x[0][0], x[1][0]));
        must(toc_scene_find_conflict(scene, &query, &conflict));
        if (conflict.kind != TOC_CONFLICT_NONE) break;
    }
    toc_scene_destroy(scene);
    return ((double)step + (conflict.kind == TOC_CONFLICT_CONTACT ? conflict.toc : 0)) / steps;
}

int main(void) {
    const toc_rotation rotation = {.axis = {0, 0, 1}, .angle = RIGHT_ANGLE};
    const double blocked = turn(&rotation, 1), past = turn(&rotation, 2);
    printf("a post at 1 radian ends the turn at %.2f; at 2 radians the gate turns by %.2f\n", blocked * RIGHT_ANGLE,
           past * RIGHT_ANGLE);
    return past == 1 && fabs(blocked * RIGHT_ANGLE - 1) < 0.02 ? 0 : 1;
}
