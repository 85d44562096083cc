// SPDX-License-Identifier: Apache-2.0
// Position based skinning: tets keep their shape and volume (the constraints of sim/constraint), vertices follow their
// bones, and colliding vertices are pushed out of the nearest face.
//
// Iterations are substeps, each with one solve (Macklin et al. 2019, "Small steps in physics simulation"); the targets
// move on straight lines through a frame. Vertices of one bone follow it; those between bones are free, so that linear
// blending does not thin them. After Abu Rumman and Fratarcangeli 2015, "Position based skinning for soft articulated
// characters"; the response is the next step that paper announces.
#include <string.h>

#include "sim/character/character.h"
#include "sim/constraint/constraint.h"
#include "sim/core/vector.h"
#include "toccata/convex.h"

// ---- the cage as a soft body

static toc_status add_upright_tets(const toc_character *c, toc_mesh *mesh) {
    for (uint32_t t = 0; t < c->bodies.items[0].tet_count; t++) {
        const uint32_t *v = c->tets.items[t].v;
        if (toc_character_tet_is_upright(c->bind.items, v)) SIM_TRY(toc_mesh_add_elements(mesh, TOC_TET, 1, v, NULL));
    }
    return TOC_OK;
}

static toc_status add_scaled_vertices(const toc_character *c, toc_mesh *mesh) {
    for (size_t v = 0; v < c->bodies.items[0].count; v++) {
        double x[3];
        for (size_t k = 0; k < 3; k++) x[k] = c->scale * c->bind.items[3 * v + k];
        SIM_TRY(toc_mesh_add_vertices(mesh, 1, x, NULL));
    }
    return TOC_OK;
}

static double cage_extent(const toc_character *c) {
    character_box box = character_box_empty();
    double extent = 0;
    for (size_t v = 0; v < c->bodies.items[0].count; v++) character_box_add(&box, c->bind.items + 3 * v);
    for (int k = 0; k < 3; k++) extent = fmax(extent, box.high[k] - box.low[k]);
    return c->scale * extent;
}

static toc_status add_flesh_body(toc_character *c) {
    toc_sim_material material = toc_sim_material_default();
    const double extent = cage_extent(c);
    toc_mesh *mesh;
    material.density = 1;
    material.young = c->settings.stiffness * extent * extent;
    material.poisson = 0.45; // flesh hardly changes its volume
    SIM_TRY(toc_mesh_create(&c->memory, &mesh));
    toc_status status = add_scaled_vertices(c, mesh);
    if (status == TOC_OK) status = add_upright_tets(c, mesh);
    if (status == TOC_OK) status = toc_sim_add_body(c->flesh, mesh, &material, NULL);
    if (status != TOC_OK) toc_mesh_destroy(mesh);
    return status;
}

/// How firmly a vertex follows its bones: 1 if it has one alone, 0 if two share it evenly.
// The power makes a vertex with nine tenths of its weight on a bone follow by a quarter.
static void find_holds(toc_character *c) {
    size_t first = 0;
    for (size_t v = 0; v < c->bodies.items[0].count; v++) {
        double most = 0;
        for (size_t i = first; i < c->weight_ends.items[v]; i++) most = fmax(most, c->weights.items[i]);
        const double alone = fmax(2 * most - 1, 0);
        c->hold.items[v] = pow(alone, 6);
        first = c->weight_ends.items[v];
    }
}

toc_status toc_character_flesh_make(toc_character *c) {
    const size_t count = c->bodies.items[0].count;
    toc_sim_settings settings = toc_sim_settings_default();
    memset(settings.gravity, 0, sizeof settings.gravity);
    settings.threads = 1;
    SIM_TRY(toc_sim_create(&settings, &c->memory, &c->flesh));
    SIM_TRY(add_flesh_body(c));
    SIM_TRY(toc_sim_colours_update(c->flesh));
    SIM_TRY(sim_array_reserve(&c->memory, &c->hold, count));
    SIM_TRY(sim_array_reserve(&c->memory, &c->loose, count));
    SIM_TRY(sim_array_reserve(&c->memory, &c->grip, count));
    SIM_TRY(sim_array_reserve(&c->memory, &c->give, count));
    SIM_TRY(sim_array_reserve(&c->memory, &c->pressed, count));
    SIM_TRY(sim_array_reserve(&c->memory, &c->target, 3 * count));
    SIM_TRY(sim_array_reserve(&c->memory, &c->before, 3 * count));
    find_holds(c);
    return TOC_OK;
}

// ---- response

/// The closest point of a face to a point in the bind pose, as weights. @return the distance.
static double face_weights(const toc_character *c, const character_face *f, const double p[3], double w[3]) {
    double pair[12];
    toc_distance found;
    sim_copy(p, pair);
    for (int k = 0; k < 3; k++) sim_copy(c->bind.items + 3 * (size_t)f->v[k], pair + 3 + 3 * k);
    if (toc_distance_find(TOC_VF, pair, &found) != TOC_OK) return INFINITY;
    memcpy(w, found.weights + 1, 3 * sizeof *w);
    return found.distance;
}

/// The face through which a vertex leaves a tet: the nearest one in the bind pose, where nothing crosses, to the point
/// of the tet that it is at (after McAdams et al. 2011, "Efficient elasticity for character skinning").
static void find_exit(const toc_character *c, const character_hit *hit, character_push *push) {
    const character_tet *t = &c->tets.items[hit->tet];
    const character_body *b = &c->bodies.items[t->body];
    double point[3] = {0}, best = INFINITY, weights[3], gap[3];
    for (int k = 0; k < 4; k++) sim_add(hit->weights[k], c->bind.items + 3 * (size_t)t->v[k], point);
    for (uint32_t i = 0; i < c->faces.count; i++) {
        const character_face *f = &c->faces.items[i];
        if (f->v[0] < b->first || f->v[0] >= b->first + b->count) continue;
        if (f->v[0] == hit->vertex || f->v[1] == hit->vertex || f->v[2] == hit->vertex) continue;
        sim_sub(c->bind.items + 3 * (size_t)f->v[0], point, gap);
        if (sim_length(gap) - c->longest_edge > best) continue;
        const double distance = face_weights(c, f, point, weights);
        if (distance >= best) continue;
        best = distance;
        push->face = i;
        memcpy(push->weights, weights, sizeof weights);
    }
}

/// The gap between a vertex and the plane of its face, and the normal.
static double push_gap(const toc_character *c, const character_push *push, double normal[3]) {
    const uint32_t *v = c->faces.items[push->face].v;
    double a[3], b[3], gap[3];
    sim_sub(c->x.items + 3 * (size_t)v[1], c->x.items + 3 * (size_t)v[0], a);
    sim_sub(c->x.items + 3 * (size_t)v[2], c->x.items + 3 * (size_t)v[0], b);
    sim_cross(a, b, normal);
    sim_normalize(normal);
    sim_copy(c->x.items + 3 * (size_t)push->vertex, gap);
    for (int k = 0; k < 3; k++) sim_add(-push->weights[k], c->x.items + 3 * (size_t)v[k], gap);
    return sim_dot(gap, normal);
}

static character_push *find_push(toc_character *c, uint32_t vertex) {
    for (size_t i = 0; i < c->pushes.count; i++)
        if (c->pushes.items[i].vertex == vertex) return &c->pushes.items[i];
    return NULL;
}

/// A vertex that is in front of its face and still in a tet has the wrong face.
static toc_status add_pushes(toc_character *c) {
    for (size_t i = 0; i < c->hits.count; i++) {
        const character_hit *hit = &c->hits.items[i];
        character_push push = {.vertex = hit->vertex, .face = CHARACTER_NONE}, *old = find_push(c, hit->vertex);
        double normal[3];
        if (old && push_gap(c, old, normal) < 0) continue;
        find_exit(c, hit, &push);
        if (push.face == CHARACTER_NONE) continue;
        if (old) {
            *old = push;
            continue;
        }
        SIM_TRY(sim_array_reserve(&c->memory, &c->pushes, c->pushes.count + 1));
        c->pushes.items[c->pushes.count++] = push;
    }
    return TOC_OK;
}

/// Other bodies do not give way.
static double push_mobility(const toc_character *c, uint32_t vertex) {
    return vertex < c->bodies.items[0].count ? c->flesh->w[vertex] : 0;
}

static void solve_push(toc_character *c, const character_push *push) {
    const uint32_t *v = c->faces.items[push->face].v;
    const double room = 0.02 * c->mean_edge; // from touching again by rounding
    double normal[3], sum = push_mobility(c, push->vertex);
    const double gap = push_gap(c, push, normal) - room;
    for (int k = 0; k < 3; k++) sum += push->weights[k] * push->weights[k] * push_mobility(c, v[k]);
    if (gap >= 0 || sum == 0) return;
    sim_add(-gap * push_mobility(c, push->vertex) / sum, normal, c->x.items + 3 * (size_t)push->vertex);
    for (int k = 0; k < 3; k++)
        sim_add(gap * push->weights[k] * push_mobility(c, v[k]) / sum, normal, c->x.items + 3 * (size_t)v[k]);
}

/// A push ends when its vertex has left by itself: a pose that is held keeps its pushes.
static void drop_pushes(toc_character *c) {
    size_t kept = 0;
    double normal[3];
    for (size_t i = 0; i < c->pushes.count; i++)
        if (push_gap(c, &c->pushes.items[i], normal) < 0.1 * c->mean_edge) c->pushes.items[kept++] = c->pushes.items[i];
    c->pushes.count = kept;
}

enum { PUSH_SWEEPS = 4 };

static toc_status respond(toc_character *c, size_t *passes, double *seconds) {
    const double start = toc_sim_seconds();
    SIM_TRY(toc_character_detect(c));
    *seconds += toc_sim_seconds() - start;
    ++*passes;
    SIM_TRY(add_pushes(c));
    for (int sweep = 0; sweep < PUSH_SWEEPS; sweep++) // a push of one vertex moves the faces of others
        for (size_t i = 0; i < c->pushes.count; i++) solve_push(c, &c->pushes.items[i]);
    return TOC_OK;
}

// ---- a frame

/// Vertices whose joints agree where they belong follow them, too: a joint that does not bend leaves no soft band.
static void find_grips(toc_character *c) {
    size_t first = 0;
    for (size_t v = 0; v < c->bodies.items[0].count; v++) {
        const size_t end = c->weight_ends.items[v];
        double spread = 0;
        for (size_t i = first; i < end; i++) {
            double at[3];
            character_map(c->matrices.items + 12 * (size_t)c->weight_joints.items[i], c->bind.items + 3 * v, at);
            sim_add(-1, c->target.items + 3 * v, at);
            spread += c->weights.items[i] * sim_length(at);
        }
        c->grip.items[v] = fmax(c->hold.items[v], 1 - 16 * spread / c->mean_edge);
        first = end;
    }
}

/// Vertices that are pushed, and the faces that push them, leave their bones: both sides give way.
static void loosen_pushed(toc_character *c) {
    memset(c->loose.items, 0, c->bodies.items[0].count);
    for (size_t i = 0; i < c->pushes.count; i++) {
        const character_push *push = &c->pushes.items[i];
        const uint32_t *v = c->faces.items[push->face].v, all[4] = {push->vertex, v[0], v[1], v[2]};
        for (int k = 0; k < 4; k++)
            if (all[k] < c->bodies.items[0].count) c->loose.items[all[k]] = 1;
    }
}

/// The least volume of the tets of each vertex, as a share of that at rest, to `pressed`.
static void measure_pressed(toc_character *c) {
    double *pressed = c->pressed.items;
    for (size_t v = 0; v < c->bodies.items[0].count; v++) pressed[v] = 1;
    for (size_t i = 0; i < c->flesh->tets.count; i++) {
        const sim_tet *t = &c->flesh->tets.items[i];
        double e[3][3];
        for (int k = 0; k < 3; k++)
            sim_sub(c->x.items + 3 * (size_t)t->v[k + 1], c->x.items + 3 * (size_t)t->v[0], e[k]);
        const double share = sim_determinant(e) / (6 * t->volume);
        for (int k = 0; k < 4; k++) pressed[t->v[k]] = fmin(pressed[t->v[k]], share);
    }
}

/// Flesh that is pressed lets go of its bones: they would hold inner vertices where the outer ones have to give way,
/// and turn the tets between over. They take hold again slowly, so that a pose that is
/// held comes to rest.
static void ease_pressed(toc_character *c) {
    const double whole = 0.98, gone = 0.8;   // shares of the volume: held as ever, and let go
    const double loosen = 0.1, tight = 0.01; // of the way in a substep
    measure_pressed(c);
    for (size_t v = 0; v < c->bodies.items[0].count; v++) {
        const double goal = fmin(fmax((whole - c->pressed.items[v]) / (whole - gone), 0), 1);
        double *give = &c->give.items[v];
        *give += (goal > *give ? loosen : tight) * (goal - *give);
    }
}

static double hold_of(const toc_character *c, size_t vertex) {
    if (c->loose.items[vertex]) return 0;
    return (1 - c->give.items[vertex]) * c->grip.items[vertex] * c->attachment.items[c->part_of.items[vertex]];
}

/// Pull vertices towards a point of the way from the last targets to the next.
static void follow_bones(toc_character *c, double done) {
    for (size_t v = 0; v < c->bodies.items[0].count; v++) {
        if (c->part_of.items[v] == CHARACTER_NONE) continue;
        const double hold = hold_of(c, v);
        for (size_t i = 3 * v; i < 3 * v + 3; i++) {
            const double goal = (1 - done) * c->before.items[i] + done * c->target.items[i];
            c->x.items[i] += hold * (goal - c->x.items[i]);
        }
    }
}

/// The flesh solves in its own array. One solve of stiff tets in a long substep turns some of them over, so long
/// substeps solve with the stiffness of a shorter one.
static void solve_flesh(toc_character *c, double h) {
    const double longest = 1.0 / 480; // eight iterations of 60 frames a second
    const size_t bytes = 3 * (size_t)c->bodies.items[0].count * sizeof(double);
    memcpy(c->flesh->x, c->x.items, bytes);
    toc_sim_tets_solve(c->flesh, fmin(h, longest));
    if (c->settings.respond) toc_sim_tets_uphold(c->flesh);
    memcpy(c->x.items, c->flesh->x, bytes);
}

static toc_status run_flesh_substep(toc_character *c, double h, double done, size_t *passes, double *seconds) {
    const size_t count = c->bodies.items[0].count;
    double(*v)[3] = c->flesh->v, (*start)[3] = c->flesh->before;
    memcpy(start, c->x.items, count * sizeof *start);
    for (size_t i = 0; i < count; i++) sim_add(h, v[i], c->x.items + 3 * i);
    loosen_pushed(c);
    if (c->settings.respond) ease_pressed(c);
    follow_bones(c, done);
    solve_flesh(c, h);
    if (c->settings.respond) SIM_TRY(respond(c, passes, seconds));
    const double keep = pow(c->settings.jiggle, 1.0 / c->settings.iterations);
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) v[i][k] = keep * (c->x.items[3 * i + (size_t)k] - start[i][k]) / h;
    return TOC_OK;
}

toc_status toc_character_flesh_step(toc_character *c, size_t *passes, double *seconds) {
    const size_t numbers = 3 * (size_t)c->bodies.items[0].count;
    const double h = c->settings.step / c->settings.iterations;
    if (!c->moved) {
        memcpy(c->x.items, c->target.items, numbers * sizeof(double));
        memcpy(c->before.items, c->target.items, numbers * sizeof(double));
    }
    find_grips(c);
    for (uint32_t i = 1; i <= c->settings.iterations; i++)
        SIM_TRY(run_flesh_substep(c, h, (double)i / c->settings.iterations, passes, seconds));
    drop_pushes(c);
    memcpy(c->before.items, c->target.items, numbers * sizeof(double));
    for (size_t i = 0; i < numbers; i++)
        if (!isfinite(c->x.items[i]))
            return toc_sim_fail(TOC_UNSTABLE, "vertex %zu of the cage left all bounds; more iterations may help",
                                i / 3);
    return TOC_OK;
}
