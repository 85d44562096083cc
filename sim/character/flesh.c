// SPDX-License-Identifier: Apache-2.0
// Flesh between the bones: a frame is one implicit step, the place where inertia, bones, elasticity and contacts
// together have the least energy (elastic.c). More iterations come closer to it; each is a sweep over the vertices
// (sweep.c).
//
// The bones move from the last pose to the next one in the first third of the iterations, so that contacts are met
// where they begin. Vertices of one bone follow it; those between bones follow weakly, so that linear blending does not
// thin them. After Abu Rumman and Fratarcangeli 2015, "Position based skinning for soft articulated characters"; the
// response is the next step that paper announces.
#include <string.h>

#include "sim/character/character.h"
#include "sim/core/vector.h"

// ---- making

static double cage_extent(const toc_character *c) {
    character_box box = character_box_empty();
    double extent = 0;
    for (size_t v = 0; v < c->bodies.at[0].count; v++) character_box_add(&box, c->bind.at + 3 * v);
    for (int k = 0; k < 3; k++) extent = fmax(extent, box.high[k] - box.low[k]);
    return c->scale * extent;
}

toc_status toc_character_flesh_make(toc_character *c) {
    const size_t count = c->bodies.at[0].count;
    const double extent = cage_extent(c);
    character_flesh *f = &c->flesh;
    TOC_TRY(toc_array_room(&c->memory, &f->pull, count));
    TOC_TRY(toc_array_room(&c->memory, &f->inertia, count));
    TOC_TRY(toc_array_room(&c->memory, &f->firm, count));
    TOC_TRY(toc_array_room(&c->memory, &f->target, 3 * count));
    TOC_TRY(toc_array_room(&c->memory, &f->before, 3 * count));
    TOC_TRY(toc_array_room(&c->memory, &f->last, 3 * count));
    TOC_TRY(toc_array_room(&c->memory, &f->anchor, 3 * count));
    TOC_TRY(toc_array_room(&c->memory, &f->way, 3 * count));
    TOC_TRY(toc_array_room(&c->memory, &f->old_matrices, 12 * c->joint_count));
    TOC_TRY(toc_array_room(&c->memory, &f->turns, 9 * c->joint_count));
    TOC_TRY(toc_array_room(&c->memory, &f->sizes, c->joint_count));
    for (size_t j = 0; j < c->joint_count; j++) f->sizes.at[j] = 1;
    TOC_TRY(toc_array_room(&c->memory, &f->push_heads, count));
    for (size_t v = 0; v < count; v++) f->push_heads.at[v] = CHARACTER_NONE;
    TOC_TRY(toc_character_elastic_make(c, c->settings.stiffness * extent * extent));
    return toc_character_sweep_make(c);
}

void toc_character_flesh_free(toc_character *c) {
    const toc_allocator *m = &c->memory;
    character_flesh *f = &c->flesh;
    toc_array_free(m, &f->tets);
    toc_array_free(m, &f->corner_ends);
    toc_array_free(m, &f->corners);
    toc_array_free(m, &f->mass);
    toc_array_free(m, &f->sizes);
    toc_array_free(m, &f->pull);
    toc_array_free(m, &f->inertia);
    toc_array_free(m, &f->stiff);
    toc_array_free(m, &f->firm);
    toc_array_free(m, &f->target);
    toc_array_free(m, &f->before);
    toc_array_free(m, &f->last);
    toc_array_free(m, &f->anchor);
    toc_array_free(m, &f->way);
    toc_array_free(m, &f->old_matrices);
    toc_array_free(m, &f->turns);
    toc_array_free(m, &f->terms);
    toc_array_free(m, &f->normals);
    toc_array_free(m, &f->prior);
    toc_array_free(m, &f->awake);
    toc_array_free(m, &f->colours);
    toc_array_free(m, &f->order);
    toc_array_free(m, &f->is_late);
    toc_array_free(m, &f->late);
    toc_array_free(m, &f->moving);
    toc_array_free(m, &f->steps);
    toc_array_free(m, &f->volumes);
    toc_array_free(m, &f->pushes);
    toc_array_free(m, &f->push_heads);
    toc_array_free(m, &f->push_next);
    toc_array_free(m, &f->push_of);
    toc_array_free(m, &f->pieces);
    *f = (character_flesh){0};
}

// ---- the guess

/// The linear map of each joint from the last pose to this one; 0 where there is none.
static void find_turns(toc_character *c) {
    for (size_t j = 0; j < c->joint_count; j++) {
        const double *from = c->flesh.old_matrices.at + 12 * j, *to = c->matrices.at + 12 * j;
        double a[3][3], inverse[3][3];
        for (int i = 0; i < 3; i++) memcpy(a[i], from + 4 * i, sizeof a[i]);
        sim_matrix_invert(a, inverse);
        for (int i = 0; i < 9; i++) {
            double sum = 0;
            for (int k = 0; k < 3; k++) sum += to[4 * (i / 3) + k] * inverse[k][i % 3];
            c->flesh.turns.at[9 * j + (size_t)i] = isfinite(sum) ? sum : 0;
        }
    }
}

static void limit_length(double v[3], double most) {
    const double length = sim_length(v);
    if (length > most)
        for (int k = 0; k < 3; k++) v[k] *= most / length;
}

/// The guess moves the way that the flesh is off its pose with the bone. Inertia alone keeps a share of the velocity
/// that differs from that of the pose, but no more than an edge: a clip may jump.
static void guess_vertex(toc_character *c, size_t v, double keep) {
    character_flesh *f = &c->flesh;
    const double *turn = f->turns.at + 9 * (size_t)c->part_of.at[v], *x = c->x.at + 3 * v;
    double off[3], swing[3], *way = f->way.at + 3 * v, *anchor = f->anchor.at + 3 * v;
    sim_sub(x, f->before.at + 3 * v, off);
    for (size_t k = 0; k < 3; k++) {
        anchor[k] = f->target.at[3 * v + k] + sim_dot(turn + 3 * k, off);
        swing[k] = keep * (x[k] - f->last.at[3 * v + k] - f->target.at[3 * v + k] + f->before.at[3 * v + k]);
    }
    sim_sub(anchor, x, way);
    limit_length(swing, c->mean_edge);
    sim_add(1, swing, anchor);
}

static void guess_frame(toc_character *c) {
    const double keep = c->flesh.calm > 1 ? 0 : pow(c->settings.jiggle, 60 * c->settings.step);
    find_turns(c);
    for (size_t v = 0; v < c->bodies.at[0].count; v++)
        if (c->flesh.mass.at[v] > 0) guess_vertex(c, v, keep);
    memcpy(c->flesh.last.at, c->x.at, 3 * (size_t)c->bodies.at[0].count * sizeof(double));
}

// ---- a frame

/// The largest way of a coordinate between two poses.
static double pose_change(const toc_character *c) {
    const character_flesh *f = &c->flesh;
    double most = 0;
    for (size_t i = 0; i < 3 * (size_t)c->bodies.at[0].count; i++)
        most = fmax(most, fabs(f->target.at[i] - f->before.at[i]));
    return most;
}

/// Where bones leave no room, contacts never end, and would shake the flesh for ever. In a pose that is held, once its
/// own velocity has faded to a hundredth, flesh grows twice as heavy every sixtieth of a second, and so comes to rest.
static void find_calm(toc_character *c) {
    const double rate = 60, pause = 0.25, same = 1e-6 * c->mean_edge;
    character_flesh *f = &c->flesh;
    const bool moves = !c->moved || c->nudged || c->reshaped || pose_change(c) > same;
    const double fading = log(0.01) / log(c->settings.jiggle) / rate; // infinite where it keeps its velocity
    f->held = moves ? 0 : f->held + c->settings.step;
    f->calm = f->held > pause + fading ? pow(2, fmin(rate * (f->held - pause - fading), 60)) : 1;
    c->nudged = false;
}

/// A spring to the pose makes its share of the way in a sixtieth of a second where nothing else pulls.
static void find_pulls(toc_character *c) {
    const double rate = 60, h = c->settings.step;
    character_flesh *f = &c->flesh;
    for (size_t v = 0; v < c->bodies.at[0].count; v++) {
        if (f->mass.at[v] == 0) continue;
        const double share = fmin(c->attachment.at[c->part_of.at[v]], 1 - 1e-6);
        f->pull.at[v] = f->mass.at[v] * rate * rate * share / (1 - share);
        f->inertia.at[v] = f->calm * f->mass.at[v] / (h * h);
        f->firm.at[v] = toc_character_elastic_firmness(c, v);
    }
}

/// Joints that grow or shrink take the size of their flesh at rest along.
static void find_sizes(toc_character *c) {
    bool changed = false;
    for (size_t j = 0; j < c->joint_count; j++) {
        const double size = character_scale(c->matrices.at + 12 * j) / c->scale;
        changed |= fabs(size - c->flesh.sizes.at[j]) > 1e-9;
        c->flesh.sizes.at[j] = size;
    }
    if (changed) toc_character_elastic_resize(c);
}

static void go_ahead(toc_character *c, double ahead) {
    const double share = c->flesh.ahead - ahead;
    for (size_t v = 0; v < c->bodies.at[0].count && share > 0; v++)
        if (c->flesh.mass.at[v] > 0) sim_add(share, c->flesh.way.at + 3 * v, c->x.at + 3 * v);
    c->flesh.ahead = ahead;
}

static toc_status begin_flesh(toc_character *c) {
    character_flesh *f = &c->flesh;
    const size_t bytes = 3 * (size_t)c->bodies.at[0].count * sizeof(double);
    TOC_TRY(toc_character_skin(c, f->target.at));
    if (!c->moved) {
        toc_character_push_forget(c);
        f->swell = 0;
        memcpy(c->x.at, f->target.at, bytes);
        memcpy(f->before.at, f->target.at, bytes);
        memcpy(f->last.at, f->target.at, bytes);
        memcpy(f->old_matrices.at, c->matrices.at, 12 * c->joint_count * sizeof(double));
    }
    for (size_t v = 0; v < c->bodies.at[0].count; v++) // without flesh
        if (f->mass.at[v] == 0) sim_copy(f->target.at + 3 * v, c->x.at + 3 * v);
    find_calm(c);
    guess_frame(c);
    if (c->reshaped) toc_character_elastic_reshape(c);
    c->reshaped = false;
    find_sizes(c);
    find_pulls(c);
    return TOC_OK;
}

enum { MOST_ROUNDS = 3 };

static toc_status search_pushes(toc_character *c, size_t *passes, double *seconds) {
    if (!c->settings.respond) return TOC_OK;
    ++*passes;
    return toc_character_push_find(c, seconds);
}

/// Whether contacts were found in the last search, or tets are inverted.
static bool needs_more(toc_character *c) {
    return (c->settings.respond && c->hits.count > 0) || toc_character_elastic_is_inverted(c);
}

/// Iterations of a frame, and up to twice as many again where a search finds contacts, or tets are inverted: few
/// vertices still move there.
/// @param searched whether the frame ends with a search, whose contacts are those of the frame.
static toc_status run_flesh(toc_character *c, size_t *passes, double *seconds, bool *searched) {
    const uint32_t count = c->settings.iterations, arrival = (count + 2) / 3;
    c->flesh.ahead = 1;
    for (uint32_t i = 1; i <= MOST_ROUNDS * count; i++) {
        go_ahead(c, i < arrival ? 1 - (double)i / arrival : 0);
        if (i == 1 || i == arrival) toc_character_sweep_wake(c);
        TOC_TRY(search_pushes(c, passes, seconds));
        if (i > count && !needs_more(c)) {
            *searched = c->settings.respond;
            return TOC_OK;
        }
        toc_character_sweep_run(c, i % 2);
        if (i <= count) toc_character_elastic_swell(c);
        if (c->settings.respond) toc_character_push_press(c);
    }
    *searched = false;
    return TOC_OK;
}

/// Refuse a state that is none of a body.
static toc_status watch_flesh(const toc_character *c) {
    const character_flesh *f = &c->flesh;
    const size_t most = f->tets.count / 50;
    if (!isfinite(f->energy)) return toc_fail(TOC_UNSTABLE, "frame %zu: the flesh left all bounds", c->frame);
    if (!(f->volume > 0.5 && f->volume < 2))
        return toc_fail(TOC_UNSTABLE, "frame %zu: the flesh has %.3g times its volume at rest; 0.5 to 2 are possible",
                        c->frame, f->volume);
    if (f->inverted > most)
        return toc_fail(TOC_UNSTABLE,
                        "frame %zu: %zu of %zu tets are inverted, more than %zu; more iterations may help", c->frame,
                        f->inverted, f->tets.count, most);
    return TOC_OK;
}

/// Move to the pose of the present matrices.
static toc_status move_flesh(toc_character *c, size_t *passes, double *seconds, bool *searched) {
    character_flesh *f = &c->flesh;
    TOC_TRY(begin_flesh(c));
    TOC_TRY(run_flesh(c, passes, seconds, searched));
    memcpy(f->before.at, f->target.at, 3 * (size_t)c->bodies.at[0].count * sizeof(double));
    memcpy(f->old_matrices.at, c->matrices.at, 12 * c->joint_count * sizeof(double));
    return TOC_OK;
}

/// Put each joint on a share of the way from where its root alone would bring it. Joints stay together: a point that
/// two of them place alike is placed alike on the way, too.
static void go_from_bind(toc_character *c, const double *pose, double share) {
    for (size_t j = 0; j < c->joint_count; j++) {
        size_t root = j;
        while (c->parents.at[root] != CHARACTER_NONE) root = c->parents.at[root];
        for (size_t k = 0; k < 12; k++)
            c->matrices.at[12 * j + k] = (1 - share) * pose[12 * root + k] + share * pose[12 * j + k];
    }
}

/// A clip may begin in a pose where skins cross, which the blended pose does not tell from others. The flesh walks
/// there from the bind pose, where nothing crosses.
static toc_status walk_from_bind(toc_character *c, const double *pose, size_t *passes, double *seconds) {
    enum { POSES = 8 };
    character_flesh *f = &c->flesh;
    bool searched;
    for (int i = 0; i < POSES; i++) {
        go_from_bind(c, pose, (double)i / POSES);
        TOC_TRY(move_flesh(c, passes, seconds, &searched));
        c->moved = true;
    }
    memcpy(c->matrices.at, pose, 12 * c->joint_count * sizeof *pose);
    memcpy(f->last.at, c->x.at, 3 * (size_t)c->bodies.at[0].count * sizeof(double));
    return TOC_OK;
}

static toc_status begin_clip(toc_character *c, size_t *passes, double *seconds) {
    const size_t numbers = 12 * c->joint_count;
    double *pose = toc_new(&c->memory, numbers, sizeof *pose);
    if (!pose) return TOC_OUT_OF_MEMORY;
    memcpy(pose, c->matrices.at, numbers * sizeof *pose);
    const toc_status status = walk_from_bind(c, pose, passes, seconds);
    toc_free(&c->memory, pose, numbers, sizeof *pose);
    return status;
}

toc_status toc_character_flesh_step(toc_character *c, size_t *passes, double *seconds, bool *searched) {
    if (!c->moved && c->settings.respond) TOC_TRY(begin_clip(c, passes, seconds));
    TOC_TRY(move_flesh(c, passes, seconds, searched));
    toc_character_elastic_measure(c);
    return watch_flesh(c);
}
