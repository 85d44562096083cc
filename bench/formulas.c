// SPDX-License-Identifier: Apache-2.0
// Materials of simulations against closed forms: a cantilever, a hanging cloth, a bouncing ball, a block on a slope,
// and two contacts of Hertz; the error against resolution and substeps. The program fails if the finest row of a form
// is beyond its bound.
//
//     bench.formulas [FORM]     cantilever, cloth, ball, slope or hertz
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/support/measure.h"
#include "toccata/sim.h"

static bool right = true;
static const double pi = 3.14159265358979323846;

// ---- meshes: grids of unit squares and cubes, mapped

typedef void place(const void *user, const double unit[3], double out[3]);

typedef struct grid {
    uint32_t cells[3];
    place *at;
    const void *user;
} grid;

static uint32_t grid_id(const grid *g, uint32_t i, uint32_t j, uint32_t k) {
    return (k * (g->cells[1] + 1) + j) * (g->cells[0] + 1) + i;
}

static void add_vertices(const grid *g, toc_mesh *mesh) {
    for (uint32_t k = 0; k <= g->cells[2]; k++)
        for (uint32_t j = 0; j <= g->cells[1]; j++)
            for (uint32_t i = 0; i <= g->cells[0]; i++) {
                const uint32_t at[3] = {i, j, k};
                double unit[3], x[3];
                for (int c = 0; c < 3; c++) unit[c] = g->cells[c] ? (double)at[c] / g->cells[c] : 0;
                g->at(g->user, unit, x);
                bench_check(toc_mesh_add_vertices(mesh, 1, x, NULL));
            }
}

static toc_mesh *make_sheet(const grid *g) {
    toc_mesh *mesh;
    bench_check(toc_mesh_create(NULL, &mesh));
    add_vertices(g, mesh);
    for (uint32_t j = 0; j < g->cells[1]; j++)
        for (uint32_t i = 0; i < g->cells[0]; i++) {
            const uint32_t a = grid_id(g, i, j, 0), b = grid_id(g, i + 1, j, 0), c = grid_id(g, i + 1, j + 1, 0),
                           d = grid_id(g, i, j + 1, 0);
            bench_check(toc_mesh_add_elements(mesh, TOC_TRIANGLE, 2, (uint32_t[]){a, b, c, a, c, d}, NULL));
        }
    return mesh;
}

// Six tets a cell, around its diagonal.
static toc_mesh *make_solid(const grid *g) {
    static const int paths[6][2] = {{0, 1}, {1, 2}, {2, 0}, {1, 0}, {2, 1}, {0, 2}};
    toc_mesh *mesh;
    bench_check(toc_mesh_create(NULL, &mesh));
    add_vertices(g, mesh);
    for (uint32_t k = 0; k < g->cells[2]; k++)
        for (uint32_t j = 0; j < g->cells[1]; j++)
            for (uint32_t i = 0; i < g->cells[0]; i++)
                for (int p = 0; p < 6; p++) {
                    uint32_t at[3] = {i, j, k}, tet[4] = {grid_id(g, i, j, k)};
                    for (int s = 0; s < 2; s++) {
                        at[paths[p][s]]++;
                        tet[s + 1] = grid_id(g, at[0], at[1], at[2]);
                    }
                    tet[3] = grid_id(g, i + 1, j + 1, k + 1);
                    if (p >= 3) {
                        const uint32_t swap = tet[1];
                        tet[1] = tet[2], tet[2] = swap;
                    }
                    bench_check(toc_mesh_add_elements(mesh, TOC_TET, 1, tet, NULL));
                }
    return mesh;
}

/// Corners of a box.
typedef struct box {
    double low[3], high[3];
} box;

static void place_box(const void *user, const double unit[3], double out[3]) {
    const box *b = user;
    for (int k = 0; k < 3; k++) out[k] = b->low[k] + unit[k] * (b->high[k] - b->low[k]);
}

// A ball of radius 1 from a cube, finer at its poles.
static void place_ball(const void *user, const double unit[3], double out[3]) {
    double u[3], most = 0, square = 0;
    (void)user;
    for (int k = 0; k < 3; k++) {
        const double t = 2 * unit[k] - 1;
        u[k] = k < 2 ? 0.4 * t + 0.6 * t * t * t : 0.4 * t + 0.6 * (1.5 * t - 0.5 * t * t * t);
        most = fmax(most, fabs(u[k]));
        square += u[k] * u[k];
    }
    for (int k = 0; k < 3; k++) out[k] = square > 0 ? u[k] * most / sqrt(square) : 0;
}

// ---- simulations

static toc_sim *make_sim(const double gravity[3], double step, uint32_t substeps) {
    toc_sim_settings settings = toc_sim_settings_default();
    memcpy(settings.gravity, gravity, sizeof settings.gravity);
    settings.step = step;
    settings.substeps = substeps;
    settings.threads = 1;
    toc_sim *sim;
    bench_check(toc_sim_create(&settings, NULL, &sim));
    return sim;
}

static uint32_t add_body(toc_sim *sim, toc_mesh *mesh, const toc_sim_material *material) {
    uint32_t body;
    bench_check(toc_sim_add_body(sim, mesh, material, &body));
    return body;
}

static uint32_t add_floor(toc_sim *sim, toc_sim_material material, double height) {
    const box flat = {{-20, -20, height}, {20, 20, height}};
    material.motion = TOC_SIM_GUIDED;
    return add_body(sim, make_sheet(&(grid){{1, 1, 0}, place_box, &flat}), &material);
}

static double run_until(toc_sim *sim, double time) {
    while (toc_sim_get_time(sim) < time - 1e-9) bench_check(toc_sim_step(sim, NULL));
    return toc_sim_get_time(sim);
}

// The extreme of a coordinate, or its mean.
static double find_mean(const toc_sim *sim, uint32_t body, size_t vertices, int axis) {
    const double *x = toc_sim_get_positions(sim, body);
    double sum = 0;
    for (size_t i = 0; i < vertices; i++) sum += x[3 * i + (size_t)axis];
    return sum / (double)vertices;
}

static void print_row(const char *form, const char *resolution, double substep, double got, double wanted,
                      double bound) {
    const double error = 100 * (got - wanted) / wanted;
    printf("| %s | %s | %.4g | %.5g | %.5g | %+.1f |\n", form, resolution, 1e3 * substep, got, wanted, error);
    fflush(stdout);
    if (bound > 0 && !(fabs(error) <= bound)) {
        printf("%s: the error is above %g %%\n", form, bound);
        right = false;
    }
}

// ---- forms

/// Small strains of a mesh of tets, as finite elements: the stiffness is never put together.
typedef struct elastic {
    const toc_mesh *mesh;
    size_t vertices;
    double shear, bulk;  // Lame's moduli
    const bool *held;    // by vertex
    double (*slopes)[3]; // four a tet: gradients of the shares of its corners
    double *volumes;
} elastic;

static double find_slopes(const double *x, const uint32_t *v, double slopes[4][3]) {
    double edge[3][3], volume = 0;
    for (uint32_t k = 0; k < 9; k++) edge[k / 3][k % 3] = x[3 * v[k / 3 + 1] + k % 3] - x[3 * v[0] + k % 3];
    for (int k = 0; k < 3; k++) {
        const double *p = edge[(k + 1) % 3], *q = edge[(k + 2) % 3];
        for (int i = 0; i < 3; i++)
            slopes[k + 1][i] = p[(i + 1) % 3] * q[(i + 2) % 3] - p[(i + 2) % 3] * q[(i + 1) % 3];
    }
    for (int i = 0; i < 3; i++) volume += edge[0][i] * slopes[1][i];
    for (int i = 0; i < 3; i++) slopes[0][i] = 0;
    for (int k = 3; k < 12; k++) slopes[0][k % 3] -= slopes[k / 3][k % 3] /= volume;
    return volume / 6;
}

// Forces of displacements, 3 doubles a vertex; held vertices have none.
static void apply_stiffness(const elastic *body, const double *u, double *out) {
    memset(out, 0, 3 * body->vertices * sizeof *out);
    for (uint32_t e = 0; e < toc_mesh_get_element_count(body->mesh); e++) {
        const uint32_t *v = toc_mesh_get_element(body->mesh, e).corners;
        double(*slopes)[3] = body->slopes + 4 * (size_t)e, strain[3][3] = {{0}}, stress[3][3];
        for (uint32_t k = 0; k < 36; k++)
            strain[k % 9 / 3][k % 3] += 0.5 * (u[3 * v[k / 9] + k % 9 / 3] * slopes[k / 9][k % 3] +
                                               u[3 * v[k / 9] + k % 3] * slopes[k / 9][k % 9 / 3]);
        for (int k = 0; k < 9; k++) stress[k / 3][k % 3] = 2 * body->shear * strain[k / 3][k % 3];
        for (int k = 0; k < 3; k++) stress[k][k] += body->bulk * (strain[0][0] + strain[1][1] + strain[2][2]);
        for (uint32_t k = 0; k < 36; k++)
            out[3 * v[k / 9] + k % 9 / 3] += body->volumes[e] * stress[k % 9 / 3][k % 3] * slopes[k / 9][k % 3];
    }
    for (size_t i = 0; i < 3 * body->vertices; i++)
        if (body->held[i / 3]) out[i] = 0;
}

static double dot(size_t count, const double *a, const double *b) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += a[i] * b[i];
    return sum;
}

// Displacements under a load, by conjugate gradients; the load is used up.
static void solve_elastic(const elastic *body, double *load, double *u) {
    const size_t count = 3 * body->vertices;
    double *way = bench_must(malloc(count * sizeof *way)), *force = bench_must(malloc(count * sizeof *force));
    memset(u, 0, count * sizeof *u);
    memcpy(way, load, count * sizeof *way);
    double left = dot(count, load, load);
    for (const double end = 1e-20 * left; left > end;) {
        apply_stiffness(body, way, force);
        const double step = left / dot(count, way, force), before = left;
        for (size_t i = 0; i < count; i++) u[i] += step * way[i], load[i] -= step * force[i];
        left = dot(count, load, load);
        for (size_t i = 0; i < count; i++) way[i] = load[i] + left / before * way[i];
    }
    free(way);
    free(force);
}

// How far the end of the beam sinks as finite elements of its tets: held at one end, under its weight.
static double sink_elements(const toc_mesh *mesh, const toc_sim_material *m, double gravity, size_t row) {
    const size_t vertices = toc_mesh_get_vertex_count(mesh), tets = toc_mesh_get_element_count(mesh);
    bool *held = bench_must(calloc(vertices, sizeof *held));
    double *load = bench_must(calloc(3 * vertices, sizeof *load)), *u = bench_must(malloc(3 * vertices * sizeof *u));
    elastic body = {.mesh = mesh,
                    .vertices = vertices,
                    .shear = m->young / (2 * (1 + m->poisson)),
                    .bulk = m->young * m->poisson / ((1 + m->poisson) * (1 - 2 * m->poisson)),
                    .held = held,
                    .slopes = bench_must(malloc(4 * tets * sizeof *body.slopes)),
                    .volumes = bench_must(malloc(tets * sizeof *body.volumes))};
    for (size_t v = 0; v < vertices; v += row) held[v] = true;
    for (uint32_t e = 0; e < tets; e++) {
        const uint32_t *v = toc_mesh_get_element(mesh, e).corners;
        body.volumes[e] = find_slopes(toc_mesh_get_x1(mesh), v, body.slopes + 4 * (size_t)e);
        for (int k = 0; k < 4; k++)
            if (!held[v[k]]) load[3 * v[k] + 2] -= m->density * gravity * body.volumes[e] / 4;
    }
    solve_elastic(&body, load, u);
    double sum = 0, count = 0;
    for (size_t v = row - 1; v < vertices; v += row, count++) sum -= u[3 * v + 2];
    free(held);
    free(load);
    free(u);
    free(body.slopes);
    free(body.volumes);
    return sum / count;
}

// A beam sinks at its end by q L^4 / (8 E I), of Euler and Bernoulli. Its tets do by less: as static finite elements,
// too.
static void bend_cantilever(uint32_t across, uint32_t substeps, double bound) {
    const double step = 1.0 / 60, gravity = 0.0667, length = 1, side = 0.1, young = 1e6;
    const box beam = {{0, -side / 2, -side / 2}, {length, side / 2, side / 2}};
    toc_sim *sim = make_sim((double[]){0, 0, -gravity}, step, substeps);
    toc_sim_material material = toc_sim_material_default();
    material.young = young;
    material.damping = 5;
    const grid g = {{10 * across, across, across}, place_box, &beam};
    toc_mesh *mesh = make_solid(&g);
    const size_t vertices = toc_mesh_get_vertex_count(mesh);
    const double elements = sink_elements(mesh, &material, gravity, 10 * across + 1);
    const uint32_t body = add_body(sim, mesh, &material);
    for (uint32_t v = 0; v < vertices; v++)
        if (v % (10 * across + 1) == 0) bench_check(toc_sim_pin_vertex(sim, body, v));
    run_until(sim, 4);
    const double *x = toc_sim_get_positions(sim, body);
    double sum = 0, count = 0;
    for (size_t v = 10 * across; v < vertices; v += 10 * across + 1, count++) sum -= x[3 * v + 2];
    const double load = material.density * side * side * gravity;
    char cells[40];
    snprintf(cells, sizeof cells, "%u cells across", across);
    print_row("cantilever, sinks m", cells, step / substeps, sum / count,
              load * pow(length, 4) / (8 * young * pow(side, 4) / 12), bound);
    print_row("the same against static elements, m", cells, step / substeps, sum / count, elements, bound > 0 ? 4 : 0);
    toc_sim_destroy(sim);
}

// A strip of cloth of length 1 between supports that are nearer hangs as a catenary. It begins as a V.
static void place_strip(const void *user, const double unit[3], double out[3]) {
    const double half = *(const double *)user / 2, along = unit[0] < 0.5 ? unit[0] : 1 - unit[0];
    out[0] = (2 * unit[0] - 1) * half;
    out[1] = 0.1 * unit[1];
    out[2] = -along * sqrt(1 - 4 * half * half);
}

static double find_sag(double span) {
    double low = 0.01, high = 100;
    for (int i = 0; i < 200; i++) {
        const double a = sqrt(low * high);
        if (2 * a * sinh(span / (2 * a)) > 1) {
            low = a;
        } else {
            high = a;
        }
    }
    return low * (cosh(span / (2 * low)) - 1);
}

static void hang_cloth(uint32_t cells, uint32_t substeps, double bound) {
    const double step = 1.0 / 60, span = 0.7;
    toc_sim *sim = make_sim((double[]){0, 0, -9.81}, step, substeps);
    toc_sim_material material = toc_sim_material_default();
    material.stretch = 1e4;
    material.bend = 0;
    material.damping = 3;
    material.thickness = 1e-4;
    const grid g = {{cells, 2, 0}, place_strip, &span};
    const uint32_t body = add_body(sim, make_sheet(&g), &material);
    for (uint32_t j = 0; j <= 2; j++) {
        bench_check(toc_sim_pin_vertex(sim, body, grid_id(&g, 0, j, 0)));
        bench_check(toc_sim_pin_vertex(sim, body, grid_id(&g, cells, j, 0)));
    }
    run_until(sim, 6);
    char name[40];
    snprintf(name, sizeof name, "%u cells along", cells);
    print_row("hanging cloth, sag m", name, step / substeps,
              -toc_sim_get_positions(sim, body)[3 * grid_id(&g, cells / 2, 1, 0) + 2], find_sag(span), bound);
    toc_sim_destroy(sim);
}

// A ball falls from a height of 1 and bounces: after n bounces it rises to e^2n.
static void bounce_ball(uint32_t substeps, double bound) {
    const double step = 1.0 / 240, restitution = 0.8, radius = 0.1;
    const int bounces = 3;
    toc_sim *sim = make_sim((double[]){0, 0, -9.81}, step, substeps);
    toc_sim_material material = toc_sim_material_default();
    material.restitution = restitution;
    material.friction = material.damping = 0;
    add_floor(sim, material, 0);
    material.motion = TOC_SIM_RIGID;
    toc_mesh *ball = make_solid(&(grid){{6, 6, 6}, place_ball, NULL});
    const size_t vertices = toc_mesh_get_vertex_count(ball);
    double *x = bench_must(malloc(3 * vertices * sizeof *x));
    memcpy(x, toc_mesh_get_x1(ball), 3 * vertices * sizeof *x);
    const double rest = radius + material.thickness;
    for (size_t i = 0; i < vertices; i++)
        for (size_t k = 0; k < 3; k++) x[3 * i + k] = radius * x[3 * i + k] + (k == 2 ? rest + 1 : 0);
    bench_check(toc_mesh_set_motion(ball, vertices, x, x));
    free(x);
    const uint32_t body = add_body(sim, ball, &material);
    double before = 1, top = 0;
    int seen = 0;
    while (seen <= bounces) {
        bench_check(toc_sim_step(sim, NULL));
        const double height = find_mean(sim, body, vertices, 2) - rest;
        const bool rises = height > before;
        if (rises && top == 0) seen++; // just after a bounce
        top = rises ? height : 0;
        if (seen == bounces && !rises) break;
        before = height;
    }
    char name[40];
    snprintf(name, sizeof name, "%zu vertices", vertices);
    print_row("ball, height after 3 bounces", name, step / substeps, before, pow(restitution, 2 * bounces), bound);
    toc_sim_destroy(sim);
}

// A block slides by t^2 / 2 g (sin a - mu cos a) on a slope; gravity leans instead of the slope.
static double slide_block(double angle, double friction, bool soft, uint32_t cells, uint32_t substeps, double time) {
    const double g = 9.81;
    toc_sim *sim = make_sim((double[]){g * sin(angle), 0, -g * cos(angle)}, 1.0 / 60, substeps);
    toc_sim_material material = toc_sim_material_default();
    material.friction = friction;
    material.damping = 0;
    material.young = 1e6;
    add_floor(sim, material, 0);
    if (!soft) material.motion = TOC_SIM_RIGID;
    const double rest = material.thickness;
    const box block = {{-0.2, -0.2, rest}, {0.2, 0.2, rest + 0.1}};
    toc_mesh *mesh = make_solid(&(grid){{2 * cells, 2 * cells, cells}, place_box, &block});
    const size_t vertices = toc_mesh_get_vertex_count(mesh);
    const uint32_t body = add_body(sim, mesh, &material);
    run_until(sim, time);
    const double way = find_mean(sim, body, vertices, 0);
    toc_sim_destroy(sim);
    return way;
}

static void slope_block(bool soft, uint32_t cells, uint32_t substeps, double bound) {
    const double friction = 0.5, steep = 35 * pi / 180, time = 0.5;
    const char *name = soft ? "soft block" : "rigid block";
    char row[80];
    snprintf(row, sizeof row, "%s slides at 35 degrees, m in 0.5 s", name);
    char parts[40];
    snprintf(parts, sizeof parts, "%u cells high", cells);
    print_row(row, parts, 1.0 / 60 / substeps, slide_block(steep, friction, soft, cells, substeps, time),
              time * time / 2 * 9.81 * (sin(steep) - friction * cos(steep)), bound);
    double low = 15 * pi / 180, high = 45 * pi / 180; // it slides if it goes a millimetre in a second
    for (int i = 0; i < 8; i++) {
        const double middle = (low + high) / 2;
        if (slide_block(middle, friction, soft, cells, substeps, 1) > 1e-3) {
            high = middle;
        } else {
            low = middle;
        }
    }
    snprintf(row, sizeof row, "%s begins to slide, degrees", name);
    print_row(row, parts, 1.0 / 60 / substeps, (low + high) / 2 * 180 / pi, atan(friction) * 180 / pi, bound);
}

// A ball between a floor and a heavy plate: each contact gives way by (9 F^2 / (16 R E*^2))^(1/3), of Hertz. The lower
// one bears the ball, too.
static double find_approach(double force, double young, double poisson) {
    const double both = young / (1 - poisson * poisson);
    return cbrt(9 * force * force / (16 * both * both));
}

static void press_ball(uint32_t cells, uint32_t substeps, double bound) {
    const double step = 1.0 / 60, gravity = 0.2, side = 1;
    toc_sim *sim = make_sim((double[]){0, 0, -gravity}, step, substeps);
    toc_sim_material material = toc_sim_material_default();
    material.density = 100;
    material.damping = 4;
    material.friction = 0;
    material.thickness = 1e-3;
    const double thick = material.thickness;
    add_floor(sim, material, -1 - thick);
    toc_mesh *ball = make_solid(&(grid){{cells, cells, cells}, place_ball, NULL});
    add_body(sim, ball, &material);
    const double force = 4.0 / 3 * material.young / (1 - 0.09) * pow(0.03, 1.5);
    toc_sim_material heavy = material;
    const box plate = {{-side, -side, 1 + thick}, {side, side, 1.02 + thick}};
    heavy.density = force / gravity / (4 * side * side * 0.02);
    heavy.motion = TOC_SIM_RIGID;
    toc_mesh *mesh = make_solid(&(grid){{2, 2, 1}, place_box, &plate});
    const size_t vertices = toc_mesh_get_vertex_count(mesh);
    const uint32_t body = add_body(sim, mesh, &heavy);
    const double start = find_mean(sim, body, vertices, 2);
    run_until(sim, 4);
    const double weight = toc_sim_find_energy(sim).volume * material.density * gravity;
    char name[40];
    snprintf(name, sizeof name, "%u cells across", cells);
    print_row("Hertz, approach m", name, step / substeps, start - find_mean(sim, body, vertices, 2),
              find_approach(force, material.young, material.poisson) +
                  find_approach(force + weight, material.young, material.poisson),
              bound);
    toc_sim_destroy(sim);
}

int main(int count, char **words) {
    const char *only = count > 1 ? words[1] : NULL;
    puts("| form | resolution | substep, ms | simulation | formula | error, % |\n|---|---|---|---|---|---|");
    if (!only || strcmp(only, "cantilever") == 0) {
        for (uint32_t across = 1; across <= 4; across *= 2) bend_cantilever(across, 40, across == 4 ? 20 : 0);
        for (uint32_t substeps = 5; substeps <= 80; substeps *= 4) bend_cantilever(2, substeps, 0);
    }
    if (!only || strcmp(only, "cloth") == 0) {
        for (uint32_t cells = 10; cells <= 40; cells *= 2) hang_cloth(cells, 40, cells == 40 ? 2 : 0);
        for (uint32_t substeps = 5; substeps <= 80; substeps *= 4) hang_cloth(20, substeps, 0);
    }
    if (!only || strcmp(only, "ball") == 0)
        for (uint32_t substeps = 1; substeps <= 64; substeps *= 4) bounce_ball(substeps, substeps == 64 ? 2 : 0);
    if (!only || strcmp(only, "slope") == 0) {
        for (uint32_t substeps = 5; substeps <= 80; substeps *= 4) slope_block(false, 1, substeps, 0);
        for (uint32_t cells = 1; cells <= 4; cells *= 2) slope_block(true, cells, 20, cells == 4 ? 10 : 0);
    }
    if (!only || strcmp(only, "hertz") == 0) {
        for (uint32_t cells = 4; cells <= 16; cells *= 2) press_ball(cells, 20, cells == 16 ? 8 : 0);
        press_ball(8, 10, 0);
        press_ball(8, 80, 0);
    }
    return !right;
}
