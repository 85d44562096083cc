// SPDX-License-Identifier: Apache-2.0
// Adhesion: vertices of different soft bodies that come near are welded, where a force is given under that force only,
// after Algorithm 1 of VolCCD (Tang et al. 2011).
//
// Two vertices become one at their centre of mass, with their mass and momentum. The first weld of two bodies merges
// them: the mesh of the higher id is appended to that of the lower one, and so are its particles. All welds of a step
// are tried on a copy of the scene first. A weld is left out if an element around it loses its volume there, or if a
// face or an element around it then crosses another one (decided exactly). So no weld makes faces cross.
#include <assert.h>
#include <stdlib.h>

#include "sim/core/edit.h"
#include "sim/core/vector.h"
#include "sim/fracture/fracture.h"
#include "sim/response/contact.h"

// Trials of a step. Each leaves out the welds that failed; after the last one nothing is welded.
enum { TRIALS = 8 };
// Share of its volume at rest that an element around a weld keeps, or of its volume before if that is less.
static const double least_volume = 0.1, kept_volume = 0.5;

/// Two particles that may become one. The first has the lower number.
typedef struct sim_weld {
    uint32_t v[2];
    double distance, place[3];
    sim_glue_side side[2]; // of the surface around each particle, on which the other one is
    bool left_out;
} sim_weld;
typedef TOC_ARRAY(sim_weld) sim_welds;

/// The welds of a step and their surroundings.
typedef struct sim_glue {
    sim_welds welds;
    TOC_ARRAY(uint32_t) weld_of; // by particle: its weld + 1, 0 for none
    TOC_ARRAY(uint32_t) map;     // by particle: its new number
    TOC_ARRAY(uint32_t) into;    // by body: the body that it belongs to then, the lowest of all that glue
    TOC_ARRAY(uint32_t) offset;  // by body: of its vertices in that one
    TOC_ARRAY(double) x;         // positions with all welds done, 3 a particle
} sim_glue;

static void free_glue(const toc_sim *sim, sim_glue *glue) {
    toc_array_free(&sim->memory, &glue->welds);
    toc_array_free(&sim->memory, &glue->weld_of);
    toc_array_free(&sim->memory, &glue->map);
    toc_array_free(&sim->memory, &glue->into);
    toc_array_free(&sim->memory, &glue->offset);
    toc_array_free(&sim->memory, &glue->x);
}

static toc_status reserve_glue(const toc_sim *sim, sim_glue *glue) {
    TOC_TRY(toc_array_room(&sim->memory, &glue->weld_of, sim->particle_count));
    TOC_TRY(toc_array_room(&sim->memory, &glue->map, sim->particle_count));
    TOC_TRY(toc_array_room(&sim->memory, &glue->into, sim->bodies.count));
    TOC_TRY(toc_array_room(&sim->memory, &glue->offset, sim->bodies.count));
    return toc_array_room(&sim->memory, &glue->x, 3 * sim->particle_count);
}

// ---- candidates

static double largest_adhesion(const toc_sim *sim) {
    double largest = 0;
    for (size_t b = 0; b < sim->bodies.count; b++)
        if (!sim->bodies.at[b].gone) largest = fmax(largest, sim->bodies.at[b].material.adhesion);
    return largest;
}

// The force on a vertex in the step: of its elements, gravity, contacts and impacts together.
static double force_on(const toc_sim *sim, uint32_t particle) {
    double change[3];
    sim_sub(sim->v[particle], sim->v0[particle], change);
    return sim->mass[particle] * sim_length(change) / sim->settings.step;
}

// Whether one of the vertices bears more than the mean threshold of their bodies.
static bool is_forced(const toc_sim *sim, const toc_vertex_pair *pair, const uint32_t v[2]) {
    const double a = sim->bodies.at[pair->body[0]].material.adhesion_force;
    const double b = sim->bodies.at[pair->body[1]].material.adhesion_force;
    return a + b == 0 || fmax(force_on(sim, v[0]), force_on(sim, v[1])) > 0.5 * (a + b);
}

static bool can_glue(const toc_sim *sim, const toc_vertex_pair *pair, const uint32_t v[2]) {
    const double a = sim->bodies.at[pair->body[0]].material.adhesion;
    const double b = sim->bodies.at[pair->body[1]].material.adhesion;
    if (!(a > 0) || !(b > 0) || pair->distance > 0.5 * (a + b)) return false;
    if (!(sim->mass[v[0]] > 0) || !(sim->mass[v[1]] > 0) || sim->origin[v[0]] == sim->origin[v[1]]) return false;
    if (!is_forced(sim, pair, v)) return false;
    return !sim->spent[v[0]] && !sim->spent[v[1]] && !(sim_is_pinned(sim, v[0]) && sim_is_pinned(sim, v[1]));
}

// The centre of mass; a pinned vertex stays.
static void place_weld(const toc_sim *sim, sim_weld *weld) {
    double share = sim->mass[weld->v[0]] / (sim->mass[weld->v[0]] + sim->mass[weld->v[1]]);
    if (sim_is_pinned(sim, weld->v[0])) share = 1;
    if (sim_is_pinned(sim, weld->v[1])) share = 0;
    for (int k = 0; k < 3; k++) weld->place[k] = share * sim->x[weld->v[0]][k] + (1 - share) * sim->x[weld->v[1]][k];
}

static int compare_welds(const void *a, const void *b) {
    const sim_weld *x = a, *y = b;
    if (x->distance != y->distance) return x->distance < y->distance ? -1 : 1;
    if (x->v[0] != y->v[0]) return x->v[0] < y->v[0] ? -1 : 1;
    return (x->v[1] > y->v[1]) - (x->v[1] < y->v[1]);
}

// The nearest pairs first; a vertex takes part in one weld of a step.
static void choose_welds(sim_glue *glue) {
    size_t kept = 0;
    if (glue->welds.count > 0) qsort(glue->welds.at, glue->welds.count, sizeof *glue->welds.at, compare_welds);
    for (size_t i = 0; i < glue->welds.count; i++) {
        const sim_weld weld = glue->welds.at[i];
        if (glue->weld_of.at[weld.v[0]] || glue->weld_of.at[weld.v[1]]) continue;
        glue->welds.at[kept++] = weld;
        glue->weld_of.at[weld.v[0]] = glue->weld_of.at[weld.v[1]] = (uint32_t)kept;
    }
    glue->welds.count = kept;
}

static toc_status find_welds(toc_sim *sim, sim_glue *glue, double distance) {
    toc_query query = toc_sim_query_make(sim);
    query.surface_only = true;
    const double began = toc_seconds();
    toc_near_query near = toc_near_query_default();
    toc_vertex_pairs *pairs;
    near.time = TOC_NEAR_AT_END;
    near.distance = distance;
    TOC_TRY(toc_scene_find_near_vertices(sim->scene, &query, &near, &pairs));
    sim->detection_seconds += toc_seconds() - began;
    toc_status status = toc_array_room(&sim->memory, &glue->welds, pairs->count);
    for (size_t i = 0; i < pairs->count && status == TOC_OK; i++) {
        const toc_vertex_pair *pair = &pairs->pairs[i];
        const uint32_t a = sim->bodies.at[pair->body[0]].first + pair->v[0];
        const uint32_t b = sim->bodies.at[pair->body[1]].first + pair->v[1];
        sim_weld weld = {.v = {a < b ? a : b, a < b ? b : a}, .distance = pair->distance};
        if (!can_glue(sim, pair, (uint32_t[2]){a, b})) continue;
        place_weld(sim, &weld);
        glue->welds.at[glue->welds.count++] = weld;
    }
    toc_vertex_pairs_destroy(pairs);
    if (status == TOC_OK) status = reserve_glue(sim, glue);
    if (status == TOC_OK) choose_welds(glue);
    return status;
}

// ---- trial on a copy

static void place_welds(const toc_sim *sim, sim_glue *glue) {
    double(*x)[3] = (double(*)[3])(void *)glue->x.at;
    memcpy(x, sim->x, sim->particle_count * sizeof *x);
    for (size_t i = 0; i < glue->welds.count; i++)
        for (int k = 0; k < 2 && !glue->welds.at[i].left_out; k++)
            sim_copy(glue->welds.at[i].place, x[glue->welds.at[i].v[k]]);
}

// The bodies that glue, each with the lowest one it belongs to: roots are passed on until nothing changes.
static void unite_bodies(const toc_sim *sim, sim_glue *glue) {
    uint32_t *into = glue->into.at;
    for (uint32_t b = 0; b < sim->bodies.count; b++) into[b] = b;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < glue->welds.count; i++) {
            const sim_weld *weld = &glue->welds.at[i];
            uint32_t *a = &into[sim->owner[weld->v[0]]], *b = &into[sim->owner[weld->v[1]]];
            if (weld->left_out || *a == *b) continue;
            *a = *b = *a < *b ? *a : *b;
            changed = true;
        }
    }
}

// The vertex of a particle in the merged mesh of its body.
static uint32_t merged_vertex(const toc_sim *sim, const sim_glue *glue, uint32_t particle) {
    const uint32_t owner = sim->owner[particle];
    return glue->offset.at[owner] + particle - sim->bodies.at[owner].first;
}

static toc_status merge_meshes(const toc_sim *sim, sim_glue *glue, toc_scene *scene) {
    memset(glue->offset.at, 0, sim->bodies.count * sizeof *glue->offset.at);
    for (uint32_t b = 0; b < sim->bodies.count; b++) {
        const uint32_t into = glue->into.at[b];
        if (into != b) TOC_TRY(toc_scene_merge_bodies(scene, into, b, &glue->offset.at[b], NULL));
    }
    return TOC_OK;
}

static toc_status weld_meshes(const toc_sim *sim, sim_glue *glue, toc_scene *scene) {
    for (size_t i = 0; i < glue->welds.count; i++) {
        const sim_weld *weld = &glue->welds.at[i];
        if (weld->left_out) continue;
        toc_mesh *mesh = toc_scene_edit_mesh(scene, glue->into.at[sim->owner[weld->v[0]]]);
        TOC_TRY(
            toc_mesh_merge_vertices(mesh, merged_vertex(sim, glue, weld->v[0]), merged_vertex(sim, glue, weld->v[1])));
    }
    return TOC_OK;
}

// A scene with copies of all bodies under their ids, the vertices at the places of the welds.
static toc_status copy_bodies(const toc_sim *sim, const sim_glue *glue, toc_scene *scene) {
    for (uint32_t b = 0; b < sim->bodies.count; b++) {
        const sim_body *body = &sim->bodies.at[b];
        toc_mesh *copy;
        if (body->gone) {
            TOC_TRY(toc_mesh_create(&sim->memory, &copy));
        } else {
            TOC_TRY(toc_mesh_copy(toc_scene_get_mesh(sim->scene, b), &copy));
        }
        const double *x = glue->x.at + 3 * (size_t)body->first;
        toc_status status = body->gone ? TOC_OK : toc_mesh_set_motion(copy, toc_mesh_get_vertex_count(copy), x, x);
        if (status == TOC_OK) status = toc_scene_add_body(scene, copy, NULL);
        if (status != TOC_OK) toc_mesh_destroy(copy);
        TOC_TRY(status);
        if (body->gone) TOC_TRY(toc_scene_remove_body(scene, b, NULL));
    }
    return TOC_OK;
}

static bool leave_out(sim_glue *glue, uint32_t particle) {
    const uint32_t weld = glue->weld_of.at[particle];
    if (weld == 0 || glue->welds.at[weld - 1].left_out) return false;
    return glue->welds.at[weld - 1].left_out = true;
}

static double volume_at(double (*x)[3], const sim_tet *tet) {
    double edges[3][3];
    for (int k = 0; k < 3; k++) sim_sub(x[tet->v[k + 1]], x[tet->v[0]], edges[k]);
    return sim_determinant(edges) / 6;
}

// Leave out the welds that would flatten an element. @return whether there was one.
static bool leave_out_flat(const toc_sim *sim, sim_glue *glue) {
    double(*x)[3] = (double(*)[3])(void *)glue->x.at;
    bool found = false;
    for (size_t i = 0; i < sim->tets.count; i++) {
        const sim_tet *tet = &sim->tets.at[i];
        bool moved = false;
        for (int k = 0; k < 4; k++) moved = moved || glue->weld_of.at[tet->v[k]] > 0;
        if (!moved || volume_at(x, tet) >= fmin(least_volume * tet->volume, kept_volume * volume_at(sim->x, tet)))
            continue;
        for (int k = 0; k < 4; k++) found = leave_out(glue, tet->v[k]) || found;
    }
    return found;
}

// Leave out the welds at the corners of elements that overlap. @return whether there was one.
static bool leave_out_crossing(const toc_sim *sim, sim_glue *glue, const toc_scene *trial, const toc_overlaps *found) {
    bool any = false;
    // Particles by vertex: welds are few, so each weld is compared with the corners.
    for (size_t i = 0; i < found->count; i++)
        for (int side = 0; side < 2; side++) {
            const toc_overlap_pair *pair = &found->pairs[i];
            const toc_element e =
                toc_mesh_get_element(toc_scene_get_mesh(trial, pair->body[side]), pair->element[side]);
            for (size_t w = 0; w < glue->welds.count; w++) {
                sim_weld *weld = &glue->welds.at[w];
                if (weld->left_out || glue->into.at[sim->owner[weld->v[0]]] != pair->body[side]) continue;
                const uint32_t vertex = merged_vertex(sim, glue, weld->v[0]);
                for (int k = 0; k < e.corner_count && !weld->left_out; k++) weld->left_out = e.corners[k] == vertex;
                any = any || weld->left_out;
            }
        }
    return any;
}

static toc_status ask_trial(const toc_sim *sim, sim_glue *glue, toc_scene *trial, bool *again) {
    const toc_query query = toc_sim_query_make(sim);
    toc_overlaps *overlaps;
    TOC_TRY(toc_scene_find_overlaps(trial, &query, TOC_AT_END, NULL, &overlaps));
    *again = leave_out_crossing(sim, glue, trial, overlaps);
    toc_overlaps_destroy(overlaps);
    TOC_TRY(toc_scene_find_element_overlaps(trial, &query, TOC_AT_END, NULL, &overlaps));
    *again = leave_out_crossing(sim, glue, trial, overlaps) || *again;
    toc_overlaps_destroy(overlaps);
    return TOC_OK;
}

static toc_status try_welds(toc_sim *sim, sim_glue *glue, bool *again) {
    place_welds(sim, glue);
    *again = leave_out_flat(sim, glue);
    if (*again) return TOC_OK;
    unite_bodies(sim, glue);
    toc_scene *trial;
    TOC_TRY(toc_scene_create(&sim->memory, &trial));
    toc_status status = copy_bodies(sim, glue, trial);
    if (status == TOC_OK) status = merge_meshes(sim, glue, trial);
    if (status == TOC_OK) status = weld_meshes(sim, glue, trial);
    const double began = toc_seconds();
    if (status == TOC_OK) status = ask_trial(sim, glue, trial, again);
    sim->detection_seconds += toc_seconds() - began;
    toc_scene_destroy(trial);
    return status;
}

static size_t count_welds(const sim_glue *glue) {
    size_t count = 0;
    for (size_t i = 0; i < glue->welds.count; i++) count += !glue->welds.at[i].left_out;
    return count;
}

// ---- sides

// Normals of the vertices, by the shells of their own bodies, 3 a particle.
static toc_status find_shell_normals(const toc_sim *sim, sim_shells *shells, double (*normals)[3]) {
    memset(normals, 0, sim->particle_count * sizeof *normals);
    for (uint32_t b = 0; b < sim->bodies.count; b++)
        if (!sim->bodies.at[b].gone && sim->bodies.at[b].material.adhesion > 0)
            TOC_TRY(toc_sim_shells_find(sim, b, shells));
    for (size_t i = 0; i < shells->count; i++) {
        const sim_shell *shell = &shells->at[i];
        for (int k = 0; k < shell->corners && shell->corners > 2; k++) {
            double normal[3];
            if (sim->origin[shell->v[k]] != shell->origin) continue;
            toc_sim_shell_normal(sim, shell, k, normal);
            sim_add(1, normal, normals[shell->v[k]]);
        }
    }
    return TOC_OK;
}

static toc_status find_sides(toc_sim *sim, sim_glue *glue) {
    double(*normals)[3] = (double(*)[3])(void *)sim->scratch.at;
    sim_shells shells = {0};
    const toc_status status = find_shell_normals(sim, &shells, normals);
    for (size_t i = 0; i < glue->welds.count && status == TOC_OK; i++)
        for (int k = 0; k < 2; k++) {
            sim_weld *weld = &glue->welds.at[i];
            double way[3];
            sim_sub(sim->x[weld->v[!k]], sim->x[weld->v[k]], way);
            const double beyond = sim_dot(way, normals[weld->v[k]]);
            weld->side[k] = beyond > 0 ? SIM_GLUE_FRONT : beyond < 0 ? SIM_GLUE_BACK : SIM_GLUE_NONE;
        }
    toc_array_free(&sim->memory, &shells);
    return status;
}

// ---- particles and constraints

// Give every constraint and contact the new numbers of its particles.
static void renumber_particles(toc_sim *sim, const uint32_t *map) {
    for (size_t i = 0; i < sim->springs.count; i++)
        for (int k = 0; k < 2; k++) sim->springs.at[i].v[k] = map[sim->springs.at[i].v[k]];
    for (size_t i = 0; i < sim->hinges.count; i++)
        for (int k = 0; k < 4; k++) sim->hinges.at[i].v[k] = map[sim->hinges.at[i].v[k]];
    for (size_t i = 0; i < sim->tets.count; i++)
        for (int k = 0; k < 4; k++) sim->tets.at[i].v[k] = map[sim->tets.at[i].v[k]];
    for (size_t i = 0; i < sim->joints.count; i++)
        for (int k = 0; k < 2; k++) sim->joints.at[i].v[k] = map[sim->joints.at[i].v[k]];
    for (size_t i = 0; i < sim->members.count; i++) sim->members.at[i] = map[sim->members.at[i]];
    sim->sharers_stale = true;
    for (size_t i = 0; i < sim->bag_faces.count; i++) sim->bag_faces.at[i] = map[sim->bag_faces.at[i]];
    sim_contacts *lists[2] = {&sim->contacts, &sim->impacts};
    for (int l = 0; l < 2; l++)
        for (size_t i = 0; i < lists[l]->count; i++)
            for (int k = 0; k < 4; k++) lists[l]->at[i].v[k] = map[lists[l]->at[i].v[k]];
}

static void permute_particles(toc_sim *sim, const uint32_t *map) {
    double(*triples[])[3] = {sim->x, sim->x0, sim->before, sim->v, sim->v0, sim->rest};
    double(*copy)[3] = (double(*)[3])(void *)sim->scratch.at;
    for (int a = 0; a < 6; a++) {
        memcpy(copy, triples[a], sim->particle_count * sizeof *copy);
        for (size_t i = 0; i < sim->particle_count; i++) sim_copy(copy[i], triples[a][map[i]]);
    }
    double *singles[] = {sim->w, sim->mass, sim->thin}, *numbers = sim->scratch.at;
    for (int a = 0; a < 3; a++) {
        memcpy(numbers, singles[a], sim->particle_count * sizeof *numbers);
        for (size_t i = 0; i < sim->particle_count; i++) singles[a][map[i]] = numbers[i];
    }
    uint32_t *bodies[] = {sim->owner, sim->origin, sim->spent, sim->side};
    uint32_t *ids = (uint32_t *)(void *)sim->scratch.at;
    for (int a = 0; a < 4; a++) {
        memcpy(ids, bodies[a], sim->particle_count * sizeof *ids);
        for (size_t i = 0; i < sim->particle_count; i++) bodies[a][map[i]] = ids[i];
    }
}

// Particles of `gone` move behind those of `kept`, the spare ones of both behind them.
static void number_joined(const sim_body *kept, const sim_body *gone, size_t count, uint32_t *map) {
    const uint32_t end = kept->first + kept->count, spare = kept->first + kept->room, last = gone->first + gone->count;
    for (uint32_t i = 0; i < count; i++) {
        map[i] = i;
        if (i >= end && i < spare) map[i] = i + gone->count;
        if (i >= spare && i < gone->first) map[i] = i + gone->room;
        if (i >= gone->first && i < last) map[i] = end + (i - gone->first);
        if (i >= last && i < gone->first + gone->room) map[i] = spare + gone->count + (i - last);
    }
}

static void join_particles(toc_sim *sim, uint32_t kept_id, uint32_t gone_id, uint32_t first_element, uint32_t *map) {
    sim_body *kept = &sim->bodies.at[kept_id], *gone = &sim->bodies.at[gone_id];
    assert(kept->first + kept->room <= gone->first);
    for (size_t i = 0; i < sim->tets.count; i++)
        if (sim->owner[sim->tets.at[i].v[0]] == gone_id) sim->tets.at[i].element += first_element;
    for (size_t i = 0; i < sim->hinges.count; i++)
        for (int k = 0; k < 2 && sim->owner[sim->hinges.at[i].v[0]] == gone_id; k++)
            sim->hinges.at[i].element[k] += first_element;
    number_joined(kept, gone, sim->particle_count, map);
    renumber_particles(sim, map);
    permute_particles(sim, map);
    for (uint32_t b = kept_id + 1; b < gone_id; b++) sim->bodies.at[b].first += gone->room;
    kept->count += gone->count;
    kept->room += gone->room;
    for (uint32_t i = kept->first; i < kept->first + kept->room; i++) sim->owner[i] = kept_id;
    gone->first = kept->first;
    gone->count = gone->room = 0;
    gone->gone = true;
}

// Remove springs and hinges with equal corners.
static void drop_folded(toc_sim *sim) {
    size_t kept = 0;
    for (size_t i = 0; i < sim->springs.count; i++)
        if (sim->springs.at[i].v[0] != sim->springs.at[i].v[1]) sim->springs.at[kept++] = sim->springs.at[i];
    sim->springs.count = kept;
    kept = 0;
    for (size_t i = 0; i < sim->hinges.count; i++)
        if (sim->hinges.at[i].v[0] != sim->hinges.at[i].v[1]) sim->hinges.at[kept++] = sim->hinges.at[i];
    sim->hinges.count = kept;
    sim->spring_colours.stale = sim->hinge_colours.stale = sim->tet_colours.stale = true;
}

static void weld_particles(toc_sim *sim, const sim_weld *weld, uint32_t kept, uint32_t gone) {
    const double *place = weld->place;
    const bool pinned = sim_is_pinned(sim, kept) || sim_is_pinned(sim, gone);
    const double mass = sim->mass[kept] + sim->mass[gone];
    for (int k = 0; k < 3; k++)
        sim->v[kept][k] = (sim->mass[kept] * sim->v[kept][k] + sim->mass[gone] * sim->v[gone][k]) / mass;
    if (pinned) memset(sim->v[kept], 0, sizeof *sim->v);
    const uint32_t stays = sim_is_pinned(sim, gone) ? gone : kept; // with its body if the glue breaks
    sim->origin[kept] = sim->origin[stays];
    if (sim->side[kept] == SIM_GLUE_NONE) sim->side[kept] = weld->side[stays == weld->v[1]];
    sim_copy(place, sim->x[kept]);
    sim_copy(place, sim->x[gone]);
    sim->mass[kept] = mass;
    sim->thin[kept] += sim->thin[gone];
    sim->w[kept] = pinned ? 0 : 1 / mass;
    sim->mass[gone] = sim->thin[gone] = sim->w[gone] = 0;
    memset(sim->v[gone], 0, sizeof *sim->v);
}

// Particles of the welds follow the bodies that are joined.
static void follow_welds(sim_glue *glue) {
    for (size_t i = 0; i < glue->welds.count; i++)
        for (int k = 0; k < 2; k++) glue->welds.at[i].v[k] = glue->map.at[glue->welds.at[i].v[k]];
}

static toc_status join_bodies(toc_sim *sim, sim_glue *glue) {
    for (uint32_t b = 0; b < sim->bodies.count; b++) {
        const uint32_t into = glue->into.at[b];
        uint32_t first_vertex, first_element;
        if (into == b) continue;
        TOC_TRY(toc_sim_edit_join(sim, into, b, &first_vertex, &first_element));
        assert(first_vertex == sim->bodies.at[into].count);
        join_particles(sim, into, b, first_element, glue->map.at);
        follow_welds(glue);
    }
    return TOC_OK;
}

static toc_status apply_weld(toc_sim *sim, sim_glue *glue, const sim_weld *weld) {
    const uint32_t id = sim->owner[weld->v[0]], first = sim->bodies.at[id].first;
    const uint32_t kept = weld->v[0] < weld->v[1] ? weld->v[0] : weld->v[1], gone = weld->v[0] + weld->v[1] - kept;
    TOC_TRY(toc_sim_edit_merge(sim, id, kept - first, gone - first));
    weld_particles(sim, weld, kept, gone);
    glue->map.at[gone] = kept;
    sim->glued++;
    return TOC_OK;
}

// Contacts of a body with itself keep nine tenths of the distance at rest: for glued bodies that is the distance now.
static void rest_glued(toc_sim *sim, const sim_glue *glue) {
    for (size_t i = 0; i < glue->welds.count; i++) {
        const sim_body *body = &sim->bodies.at[sim->owner[glue->welds.at[i].v[0]]];
        if (glue->welds.at[i].left_out) continue;
        memcpy(sim->rest[body->first], sim->x[body->first], body->count * sizeof *sim->x);
    }
}

static toc_status apply_welds(toc_sim *sim, sim_glue *glue) {
    sim->edited = true;
    TOC_TRY(join_bodies(sim, glue));
    for (uint32_t i = 0; i < sim->particle_count; i++) glue->map.at[i] = i;
    toc_status status = TOC_OK;
    for (size_t i = 0; i < glue->welds.count && status == TOC_OK; i++)
        if (!glue->welds.at[i].left_out) status = apply_weld(sim, glue, &glue->welds.at[i]);
    renumber_particles(sim, glue->map.at);
    drop_folded(sim);
    rest_glued(sim, glue);
    return status;
}

toc_status toc_sim_bodies_glue(toc_sim *sim) {
    const double distance = largest_adhesion(sim);
    if (distance == 0) return TOC_OK;
    sim_glue glue = {0};
    toc_status status = find_welds(sim, &glue, distance);
    bool again = true;
    for (int i = 0; i < TRIALS && again && status == TOC_OK && count_welds(&glue) > 0; i++)
        status = try_welds(sim, &glue, &again);
    const bool welds = status == TOC_OK && !again && count_welds(&glue) > 0;
    if (welds) status = find_sides(sim, &glue);
    if (welds && status == TOC_OK) status = apply_welds(sim, &glue);
    free_glue(sim, &glue);
    return status;
}
