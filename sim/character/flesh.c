// SPDX-License-Identifier: Apache-2.0
// Flesh between the bones: a frame is one implicit step, the place where inertia, bones, elasticity and contacts
// together have the least energy (elastic.c). More iterations come closer to it.
//
// The bones move from the last pose to the next one in the first half of the iterations, so that contacts are met where
// they begin. Vertices of one bone follow it; those between bones follow weakly, so that linear blending does not thin
// them. After Abu Rumman and Fratarcangeli 2015, "Position based skinning for soft articulated characters"; the
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
    TOC_TRY(toc_array_room(&c->memory, &f->awake, count));
    TOC_TRY(toc_character_elastic_make(c, c->settings.stiffness * extent * extent));
    for (size_t v = 0; v < count; v++) f->push_heads.at[v] = CHARACTER_NONE;
    return TOC_OK;
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
    const double rate = 60;
    character_flesh *f = &c->flesh;
    for (size_t v = 0; v < c->bodies.at[0].count; v++) {
        if (f->mass.at[v] == 0) continue;
        const double share = fmin(c->attachment.at[c->part_of.at[v]], 1 - 1e-6);
        f->pull.at[v] = f->mass.at[v] * rate * rate * share / (1 - share);
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

static void sweep(toc_character *c, bool forward) {
    const size_t count = c->bodies.at[0].count;
    const double still = 1e-5 * c->mean_edge;
    for (size_t i = 0; i < count; i++) {
        const size_t v = forward ? i : count - 1 - i;
        if (!c->flesh.awake.at[v]) continue;
        c->flesh.awake.at[v] = 0;
        if (toc_character_elastic_relax(c, v) > still) toc_character_elastic_wake(c, v);
    }
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

static toc_status iterate(toc_character *c, bool forward, size_t *passes, double *seconds) {
    if (c->settings.respond) {
        TOC_TRY(toc_character_push_find(c, seconds));
        ++*passes;
    }
    sweep(c, forward);
    if (c->settings.respond) toc_character_push_press(c);
    return TOC_OK;
}

/// Whether contacts were left before the last sweep, or tets are inverted.
static bool needs_more(toc_character *c) {
    return (c->settings.respond && c->hits.count > 0) || toc_character_elastic_is_inverted(c);
}

/// Iterations of a frame, and as many again where contacts or inverted tets are left: few vertices still move there.
static toc_status run_flesh(toc_character *c, size_t *passes, double *seconds) {
    const uint32_t count = c->settings.iterations, arrival = (count + 1) / 2;
    c->flesh.ahead = 1;
    for (uint32_t i = 1; i <= MOST_ROUNDS * count && (i <= count || needs_more(c)); i++) {
        go_ahead(c, i < arrival ? 1 - (double)i / arrival : 0);
        if (i == 1 || i == arrival) memset(c->flesh.awake.at, 1, c->bodies.at[0].count);
        TOC_TRY(iterate(c, i % 2, passes, seconds));
    }
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

toc_status toc_character_flesh_step(toc_character *c, size_t *passes, double *seconds) {
    character_flesh *f = &c->flesh;
    TOC_TRY(begin_flesh(c));
    TOC_TRY(run_flesh(c, passes, seconds));
    toc_character_elastic_measure(c);
    memcpy(f->before.at, f->target.at, 3 * (size_t)c->bodies.at[0].count * sizeof(double));
    memcpy(f->old_matrices.at, c->matrices.at, 12 * c->joint_count * sizeof(double));
    return watch_flesh(c);
}
