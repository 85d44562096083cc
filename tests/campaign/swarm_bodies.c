// SPDX-License-Identifier: Apache-2.0
// Simulations and characters of the swarm. After each step of a simulation no two faces share a point, and a character
// has exactly the vertices in tets that are there: both in rational numbers.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "campaign/swarm.h"
#include "campaign/truth.h"
#include "toccata/character.h"
#include "toccata/sim.h"

typedef struct body_case {
    uint64_t seed;
    trial_random random;
    swarm_counts *counts;
} body_case;

// ---- simulations

static toc_mesh *make_small_body(body_case *c, const double middle[3]) {
    static const uint32_t tets[] = {0, 1, 2, 3, 1, 4, 2, 3}, sheet[] = {0, 1, 2, 1, 4, 2};
    static const double corners[5][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.3, 0.3, 1}, {1, 1, 0.2}};
    const bool is_solid = trial_chance(&c->random, 0.6);
    double x[5][3];
    toc_mesh *mesh;
    for (int v = 0; v < 5; v++)
        for (int k = 0; k < 3; k++) x[v][k] = middle[k] + 0.5 * corners[v][k] + trial_between(&c->random, -0.05, 0.05);
    if (toc_mesh_create(NULL, &mesh) != TOC_OK || toc_mesh_add_vertices(mesh, 5, x[0], NULL) != TOC_OK ||
        toc_mesh_add_elements(mesh, is_solid ? TOC_TET : TOC_TRIANGLE, 2, is_solid ? tets : sheet, NULL) != TOC_OK)
        abort();
    return mesh;
}

// Bodies in a row of cells, thrown at each other.
static toc_sim *make_small_simulation(body_case *c) {
    toc_sim_settings settings = toc_sim_settings_default();
    toc_sim *sim;
    settings.threads = 1;
    settings.step = 0.01;
    settings.surface_only = trial_chance(&c->random, 0.7);
    if (toc_sim_create(&settings, NULL, &sim) != TOC_OK) abort();
    const uint32_t count = 2 + trial_below(&c->random, 3);
    for (uint32_t i = 0; i < count; i++) {
        const double middle[3] = {i % 2, i / 2, trial_between(&c->random, 0, 0.2)};
        const double towards[3] = {i % 2 ? -4 : 4, i / 2 ? -4 : 4, trial_between(&c->random, -2, 2)};
        const double spin[3] = {trial_between(&c->random, -9, 9), trial_between(&c->random, -9, 9), 0};
        toc_sim_material material = toc_sim_material_default();
        uint32_t body;
        material.motion = trial_chance(&c->random, 0.3) ? TOC_SIM_RIGID : TOC_SIM_SOFT;
        material.young = trial_chance(&c->random, 0.5) ? 1e4 : 1e6;
        if (toc_sim_add_body(sim, make_small_body(c, middle), &material, &body) != TOC_OK ||
            toc_sim_set_velocity(sim, body, towards, spin, middle) != TOC_OK)
            swarm_fail(c->counts, c->seed, "simulation: %s", toc_message_get());
    }
    return sim;
}

typedef struct face_list {
    size_t count;
    struct {
        uint32_t body, v[3];
        double x[8][3]; // of three corners
    } at[64];
} face_list;

static void list_faces(toc_sim *sim, face_list *out) {
    toc_scene *scene = toc_sim_get_scene(sim);
    out->count = 0;
    for (uint32_t b = 0; b < toc_scene_get_body_count(scene); b++) {
        toc_features *f;
        const double *x = toc_sim_get_positions(sim, b);
        if (!toc_scene_has_body(scene, b)) continue;
        if (toc_mesh_find_features(toc_scene_get_mesh(scene, b), &f) != TOC_OK) abort();
        for (size_t i = 0; i < f->face_count && out->count < 64; i++, out->count++) {
            out->at[out->count].body = b;
            memcpy(out->at[out->count].v, f->faces[i], sizeof f->faces[i]);
            for (int k = 0; k < 3; k++)
                memcpy(out->at[out->count].x[k], x + 3 * (size_t)f->faces[i][k], sizeof out->at[0].x[k]);
        }
        toc_features_destroy(f);
    }
}

static bool are_boxes_apart(double (*a)[3], double (*b)[3]) {
    for (int k = 0; k < 3; k++) {
        const double low_a = fmin(a[0][k], fmin(a[1][k], a[2][k])), high_a = fmax(a[0][k], fmax(a[1][k], a[2][k]));
        const double low_b = fmin(b[0][k], fmin(b[1][k], b[2][k])), high_b = fmax(b[0][k], fmax(b[1][k], b[2][k]));
        if (low_a > high_b || low_b > high_a) return true;
    }
    return false;
}

static void check_crossings(body_case *c, toc_sim *sim, int step) {
    static face_list faces;
    list_faces(sim, &faces);
    for (size_t i = 0; i < faces.count; i++)
        for (size_t j = 0; j < i; j++) {
            bool common = false;
            for (int k = 0; k < 9; k++)
                common =
                    common || (faces.at[i].body == faces.at[j].body && faces.at[i].v[k / 3] == faces.at[j].v[k % 3]);
            if (common || are_boxes_apart(faces.at[i].x, faces.at[j].x)) continue;
            c->counts->decided++;
            c->counts->by_oracle++;
            if (truth_hulls_meet(3, faces.at[i].x, 3, faces.at[j].x))
                swarm_fail(c->counts, c->seed, "simulation: faces of bodies %u and %u cross after step %d",
                           faces.at[i].body, faces.at[j].body, step);
        }
}

static void run_small_simulation(body_case *c) {
    enum { STEPS = 25 };
    toc_sim *sim = make_small_simulation(c);
    for (int step = 1; step <= STEPS; step++) {
        c->counts->calls++;
        c->counts->steps++;
        const toc_status status = toc_sim_step(sim, NULL);
        if (status == TOC_UNSTABLE) break; // told, not hidden
        if (status != TOC_OK) {
            swarm_fail(c->counts, c->seed, "simulation: %s", toc_message_get());
            break;
        }
        check_crossings(c, sim, step);
    }
    toc_sim_destroy(sim);
}

// ---- characters

enum { TETS = 6, CAGE_VERTICES = 12 };

typedef struct small_cage {
    toc_mesh *mesh;
    uint32_t tets[TETS][4];
    size_t ends[CAGE_VERTICES];
    uint32_t joints[CAGE_VERTICES];
    double weights[CAGE_VERTICES];
} small_cage;

static void sort_corners(const double x[CAGE_VERTICES][3], uint32_t v[4]) {
    if (truth_orientation(x[v[0]], x[v[1]], x[v[2]], x[v[3]]) > 0) return;
    const uint32_t swapped = v[0];
    v[0] = v[1];
    v[1] = swapped;
}

static void make_small_cage(body_case *c, small_cage *cage) {
    double x[CAGE_VERTICES][3];
    for (int i = 0; i < 3 * CAGE_VERTICES; i++) x[i / 3][i % 3] = trial_between(&c->random, -1, 1);
    for (int t = 0; t < TETS; t++) {
        const uint32_t first = trial_below(&c->random, CAGE_VERTICES - 3);
        for (uint32_t k = 0; k < 4; k++) cage->tets[t][k] = t < 3 ? 4 * (uint32_t)t + k : first + k;
        sort_corners((const double(*)[3])x, cage->tets[t]);
    }
    for (size_t v = 0; v < CAGE_VERTICES; v++) {
        cage->ends[v] = v + 1;
        cage->joints[v] = trial_below(&c->random, 2);
        cage->weights[v] = 1;
    }
    if (toc_mesh_create(NULL, &cage->mesh) != TOC_OK ||
        toc_mesh_add_vertices(cage->mesh, CAGE_VERTICES, x[0], NULL) != TOC_OK ||
        toc_mesh_add_elements(cage->mesh, TOC_TET, TETS, cage->tets[0], NULL) != TOC_OK)
        abort();
}

// 1 in the tet or on it, 0 outside, 2 for a tet that is nearly flat or inverted: rounding may decide.
static int is_in_tet(const double *x, const uint32_t v[4], const double p[3]) {
    double corner[4][3], edge[3][3];
    for (int i = 0; i < 4; i++) memcpy(corner[i], x + 3 * (size_t)v[i], sizeof corner[i]);
    for (int i = 0; i < 9; i++) edge[i / 3][i % 3] = corner[1 + i / 3][i % 3] - corner[0][i % 3];
    double volume = 0;
    for (int k = 0; k < 3; k++)
        volume +=
            edge[0][k] * (edge[1][(k + 1) % 3] * edge[2][(k + 2) % 3] - edge[1][(k + 2) % 3] * edge[2][(k + 1) % 3]);
    if (volume < 0x1p-30) return volume < -0x1p-30 ? 0 : 2;
    const int whole = truth_orientation(corner[0], corner[1], corner[2], corner[3]);
    for (int i = 0; i < 4; i++) {
        double moved[4][3];
        memcpy(moved, corner, sizeof moved);
        memcpy(moved[i], p, sizeof moved[i]);
        if (truth_orientation(moved[0], moved[1], moved[2], moved[3]) == -whole) return 0;
    }
    return 1;
}

static bool has_contact(const toc_character_contact *all, size_t count, uint32_t vertex, uint32_t element) {
    for (size_t i = 0; i < count; i++)
        if (all[i].vertex == vertex && all[i].element == element) return true;
    return false;
}

static void check_character(body_case *c, const small_cage *cage, const toc_character *character, const char *preset) {
    const double *x = toc_character_get_positions(character, 0);
    size_t count;
    const toc_character_contact *found = toc_character_get_contacts(character, &count);
    toc_features *f;
    if (toc_mesh_find_features(cage->mesh, &f) != TOC_OK) abort();
    for (size_t i = 0; i < f->vertex_count; i++)
        for (uint32_t t = 0; t < TETS; t++) {
            const uint32_t v = f->vertices[i], *tet = cage->tets[t];
            if (v == tet[0] || v == tet[1] || v == tet[2] || v == tet[3]) continue;
            const bool told = has_contact(found, count, v, t);
            const int truly = f->vertex_flags[i] & TOC_FEATURE_ON_BOUNDARY ? is_in_tet(x, tet, x + 3 * (size_t)v) : 0;
            c->counts->decided++;
            c->counts->by_oracle++;
            if (truly != 2 && told != (truly == 1))
                swarm_fail(c->counts, c->seed, "character, %s: vertex %u in tet %u: %d, truly %d", preset, v, t, told,
                           truly);
        }
    c->counts->contacts += count;
    toc_features_destroy(f);
}

static void make_matrices(body_case *c, double matrices[24]) {
    for (int i = 0; i < 24; i++) matrices[i] = (i % 12 % 5 == 0) + trial_between(&c->random, -0.4, 0.4);
}

static void run_small_character(body_case *c) {
    static const toc_character_preset presets[] = {TOC_CHARACTER_HASH, TOC_CHARACTER_ONDEMAND_SAFE, TOC_CHARACTER_AUTO};
    static const uint32_t parents[2] = {UINT32_MAX, 0};
    static const double bind[24] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    toc_character_settings settings = toc_character_settings_default();
    small_cage cage;
    toc_character *character;
    double matrices[24];
    make_small_cage(c, &cage);
    settings.preset = presets[trial_below(&c->random, 3)];
    const toc_character_def def = {cage.mesh, 2, parents, bind, cage.ends, cage.joints, cage.weights};
    if (toc_character_create(&def, &settings, NULL, &character) != TOC_OK) abort();
    for (int step = 0; step < 4; step++) {
        make_matrices(c, matrices);
        c->counts->calls++;
        if (toc_character_step(character, 2, matrices, NULL) != TOC_OK)
            swarm_fail(c->counts, c->seed, "character: %s", toc_message_get());
        else
            check_character(c, &cage, character, toc_character_preset_get_name(settings.preset));
    }
    toc_character_destroy(character);
    toc_mesh_destroy(cage.mesh);
}

void swarm_bodies(uint64_t seed, swarm_counts *counts) {
    body_case c = {.seed = seed, .random = {trial_hash(seed, 0x626f6479)}, .counts = counts};
    if (seed % 8 == 0) run_small_simulation(&c);
    run_small_character(&c);
}
