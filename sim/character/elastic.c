// SPDX-License-Identifier: Apache-2.0
// The energy of the flesh, and the step of one vertex that makes it small.
//
// The sum over all vertices and tets of
//     m / (2 h^2) |x - y|^2      inertia, y the place that the vertex would reach by itself; m grows in a held pose
//     pull / 2 |x - goal|^2      the bones; linear from a distance on (Huber)
//     V (mu/2 (tr F'F - 3) + l/2 ((det F - g)^2 - (1 - g)^2))      stable neo-Hookean flesh (Smith et al. 2018)
//     V k/2 min(0, det F - least)^2      no tet turns over; for two values of least
//     c/2 min(0, gap - room - force / c)^2      a vertex that a face holds outside
// g is raised for all tets while the body has less volume than a share of that at rest, and lowered while it has more:
// the multiplier of one constraint, which a pose that squeezes one place meets by swelling elsewhere.
// det F and the gap are linear in one vertex, so in each vertex alone the energy is convex: its smallest place is that
// of a quadratic with few one-sided terms, and steps that go there, vertex by vertex, never raise the energy, however
// many, however stiff (Chen et al. 2024, "Vertex block descent"). O(corners) a sweep.
#include <assert.h>
#include <string.h>

#include "sim/character/character.h"
#include "sim/core/loop.h"
#include "sim/core/vector.h"

/// Shares of its volume at rest below which a tet is stiff, and how many times stiffer than flesh.
enum { LEVELS = 2 };
static const double least_shares[LEVELS] = {0.3, 0.1}, least_weights[LEVELS] = {100, 3000};

/// Tets whose volumes are summed in a row, and sums that are worth waking threads for.
enum { VOLUME_BLOCK = 512, LEAST_BLOCKS = 8 };

// Faces opposite to each corner, wound so that their area vectors point to it.
static const uint8_t opposite[4][3] = {{1, 3, 2}, {0, 2, 3}, {0, 3, 1}, {0, 1, 2}};

// ---- making

/// The gradients of the linear shape functions at rest: area vectors of the opposite faces over three volumes.
static double shape_gradients(double rest[4][3], double out[4][3]) {
    double a[3], b[3], c[3];
    for (int k = 0; k < 4; k++) {
        sim_sub(rest[opposite[k][1]], rest[opposite[k][0]], a);
        sim_sub(rest[opposite[k][2]], rest[opposite[k][0]], b);
        sim_cross(a, b, out[k]);
    }
    sim_sub(rest[3], rest[0], c);
    const double volume6 = sim_dot(out[3], c);
    for (int k = 0; k < 12; k++) out[k / 3][k % 3] /= volume6;
    return volume6 / 6;
}

/// Tets with less volume, in cubes of their longest edge, are flat but for rounding: they are left out.
static const double least_shape = 1e-10;

/// The cube of the longest edge.
static double longest_edge_cubed(double rest[4][3]) {
    double longest = 0, gap[3];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < i; j++) {
            sim_sub(rest[i], rest[j], gap);
            longest = fmax(longest, sim_length(gap));
        }
    return longest * longest * longest;
}

/// Give an element its shape at rest. @return its volume; 0 for one that is flat, whose element stays as it was.
static double shape_tet(const toc_character *c, bool morphed, flesh_tet *t) {
    const character_flesh *f = &c->flesh;
    double rest[4][3], gradients[4][3];
    for (int k = 0; k < 4; k++) {
        const size_t v = t->v[k];
        sim_copy(c->bind.at + 3 * v, rest[k]);
        if (morphed) sim_add(1, c->morph.at + 3 * v, rest[k]);
        for (int i = 0; i < 3; i++) rest[k][i] *= c->scale;
    }
    const double volume = shape_gradients(rest, gradients);
    if (!(volume > least_shape * longest_edge_cubed(rest))) return 0;
    t->bulk = f->lambda * volume;
    t->per_volume = 1 / (6 * volume);
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 4; i++) t->shear[k][i] = f->mu * volume * sim_dot(gradients[k], gradients[i]);
    return volume;
}

static void add_flesh_tet(toc_character *c, const uint32_t v[4]) {
    character_flesh *f = &c->flesh;
    flesh_tet *t = &f->tets.at[f->tets.count];
    *t = (flesh_tet){.v = {v[0], v[1], v[2], v[3]}, .size = 1};
    const double volume = shape_tet(c, false, t);
    if (volume == 0) return;
    f->tets.count++;
    for (int k = 0; k < 4; k++) {
        f->mass.at[v[k]] += volume / 4;
        f->corner_ends.at[v[k]]++;
    }
}

/// The elements have new shapes or sizes.
static void fill_corner(const character_flesh *f, flesh_corner *corner) {
    const flesh_tet *t = &f->tets.at[corner->origin / 4];
    const uint32_t k = corner->origin % 4;
    for (int j = 0; j < 3; j++) corner->v[j] = t->v[opposite[k][j]];
    corner->shear[0] = t->size * t->shear[k][opposite[k][1]];
    corner->shear[1] = t->size * t->shear[k][opposite[k][2]];
    corner->shear[2] = t->size * t->shear[k][k];
    corner->per_volume = t->per_volume / (t->size * t->size * t->size);
}

static void fill_corners(const toc_character *c) {
    const character_flesh *f = &c->flesh;
    uint32_t i = 0;
    for (size_t v = 0; v < c->bodies.at[0].count; v++) {
        f->stiff.at[v] = 0;
        for (; i < f->corner_ends.at[v]; i++) {
            fill_corner(f, &f->corners.at[i]);
            f->stiff.at[v] += f->corners.at[i].shear[2];
        }
    }
}

/// A shape with less of the volume in the bind pose is refused: its stiffness would be that of a needle.
static const double least_morphed = 0.1;

void toc_character_elastic_reshape(toc_character *c) {
    for (size_t i = 0; i < c->flesh.tets.count; i++) {
        flesh_tet *t = &c->flesh.tets.at[i], shape = *t;
        const double volume = shape_tet(c, false, t);
        if (c->morph.count > 0 && shape_tet(c, true, &shape) > least_morphed * volume) *t = shape;
    }
    fill_corners(c);
}

/// Counts of corners become lists.
static toc_status list_tet_corners(toc_character *c) {
    character_flesh *f = &c->flesh;
    uint32_t sum = 0, most = 0;
    TOC_TRY(toc_array_room(&c->memory, &f->corners, 4 * f->tets.count));
    for (size_t v = 0; v < c->bodies.at[0].count; v++) {
        const uint32_t count = f->corner_ends.at[v];
        most = count > most ? count : most;
        f->corner_ends.at[v] = sum;
        sum += count;
    }
    for (uint32_t t = 0; t < f->tets.count; t++)
        for (uint32_t k = 0; k < 4; k++)
            f->corners.at[f->corner_ends.at[f->tets.at[t].v[k]]++] = (flesh_corner){.origin = 4 * t + k};
    assert(sum == 4 * f->tets.count);
    f->corners.count = sum;
    fill_corners(c);
    f->most_corners = most;
    return TOC_OK;
}

size_t toc_character_elastic_terms(size_t corners) { return LEVELS * corners; }

toc_status toc_character_elastic_make(toc_character *c, double young) {
    const double poisson = 0.47; // flesh hardly changes its volume
    const double mu = young / (2 * (1 + poisson));
    const double lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson)) + mu;
    character_flesh *f = &c->flesh;
    TOC_TRY(toc_array_room(&c->memory, &f->tets, c->bodies.at[0].tet_count));
    TOC_TRY(toc_array_room(&c->memory, &f->volumes, c->bodies.at[0].tet_count / VOLUME_BLOCK + 1));
    TOC_TRY(toc_array_room(&c->memory, &f->mass, c->bodies.at[0].count));
    TOC_TRY(toc_array_room(&c->memory, &f->stiff, c->bodies.at[0].count));
    TOC_TRY(toc_array_room(&c->memory, &f->corner_ends, c->bodies.at[0].count));
    f->goal = 1 + mu / lambda;
    f->mu = mu;
    f->lambda = lambda;
    for (uint32_t t = 0; t < c->bodies.at[0].tet_count; t++)
        if (toc_character_tet_is_upright(c->bind.at, c->tets.at[t].v)) add_flesh_tet(c, c->tets.at[t].v);
    return list_tet_corners(c);
}

// ---- one vertex

/// The energy as a function of the step of one vertex: gradient . d + 1/2 d' hessian d, and the terms.
typedef struct flesh_block {
    double gradient[3], hessian[3][3];
    flesh_term *terms;
    size_t count;
    double reach; // terms of tets that are 0 for all shorter steps are left out
} flesh_block;

/// The hessian below its diagonal is left out.
static inline void add_square(double weight, double value, const double along[3], flesh_block *b) {
    for (int i = 0; i < 3; i++) {
        const double part = weight * along[i];
        b->gradient[i] += part * value;
        for (int j = i; j < 3; j++) b->hessian[i][j] += part * along[j];
    }
}

static void mirror_hessian(double hessian[3][3]) {
    for (int i = 1; i < 3; i++)
        for (int j = 0; j < i; j++) hessian[i][j] = hessian[j][i];
}

static void add_spring(double weight, const double x[3], const double to[3], double shift_weight, const double way[3],
                       flesh_block *b) {
    for (int i = 0; i < 3; i++) {
        b->gradient[i] += weight * (x[i] - to[i] + shift_weight * way[i]);
        b->hessian[i][i] += weight;
    }
}

static inline void add_tet_corner(const toc_character *c, const double p[3], const flesh_corner *t, flesh_block *b) {
    const double *x = c->x.at, *from = x + 3 * (size_t)t->v[0];
    const double bulk = c->flesh.lambda / 6 / t->per_volume, goal = c->flesh.goal + c->flesh.swell;
    double e1[3], e2[3], gap[3], along[3];
    sim_sub(x + 3 * (size_t)t->v[1], from, e1);
    sim_sub(x + 3 * (size_t)t->v[2], from, e2);
    sim_sub(p, from, gap);
    sim_cross(e1, e2, along);
    for (int i = 0; i < 3; i++) along[i] *= t->per_volume;
    const double share = sim_dot(along, gap), room = share - least_shares[0];
    add_square(bulk, share - goal, along, b);
    for (int i = 0; i < 3; i++) { // the sum over all corners; differences to `from` suffice
        b->gradient[i] += t->shear[0] * e1[i] + t->shear[1] * e2[i] + t->shear[2] * gap[i];
        b->hessian[i][i] += t->shear[2];
    }
    if (room > 0 && room * room > b->reach * b->reach * sim_dot(along, along)) return;
    for (int i = 0; i < LEVELS; i++) {
        flesh_term *term = &b->terms[b->count++];
        *term = (flesh_term){.value = share - least_shares[i], .weight = least_weights[i] * bulk};
        memcpy(term->along, along, sizeof along);
    }
}

double toc_character_elastic_yielding(const toc_character *c) { return 0.2 * c->mean_edge; }

/// The stiffness of a spring to the pose: less from a distance on, so that its force stays (Huber). The quadratic that
/// has it is above the energy everywhere, so that its smallest place does not raise the energy.
static double spring_weight(const toc_character *c, size_t v, const double *x) {
    const character_flesh *f = &c->flesh;
    const double reach = toc_character_elastic_yielding(c);
    double gap[3];
    sim_sub(x + 3 * v, f->target.at + 3 * v, gap);
    sim_add(f->ahead, f->way.at + 3 * v, gap);
    const double distance = sim_length(gap);
    return distance <= reach ? f->pull.at[v] : f->pull.at[v] * reach / distance;
}

static void gather_block(const toc_character *c, size_t v, double reach, flesh_term *terms, flesh_block *b) {
    const character_flesh *f = &c->flesh;
    const double *x = c->x.at;
    memset(b, 0, sizeof *b);
    b->terms = terms;
    b->reach = reach;
    add_spring(f->inertia.at[v], x + 3 * v, f->anchor.at + 3 * v, f->ahead, f->way.at + 3 * v, b);
    add_spring(spring_weight(c, v, x), x + 3 * v, f->target.at + 3 * v, f->ahead, f->way.at + 3 * v, b);
    for (uint32_t i = v > 0 ? f->corner_ends.at[v - 1] : 0; i < f->corner_ends.at[v]; i++)
        add_tet_corner(c, x + 3 * v, &f->corners.at[i], b);
    mirror_hessian(b->hessian);
    for (uint32_t i = f->push_heads.at[v]; i != CHARACTER_NONE; i = f->push_next.at[i])
        b->terms[b->count++] = toc_character_push_term(c, &f->pushes.at[i / 4], i % 4);
}

/// The gradient and the derivative at a step.
static void evaluate_block(const flesh_block *b, const double d[3], double gradient[3], double hessian[3][3]) {
    flesh_block sum = {0};
    memcpy(sum.gradient, b->gradient, sizeof sum.gradient);
    memcpy(sum.hessian, b->hessian, sizeof sum.hessian);
    for (int i = 0; i < 3; i++) sum.gradient[i] += sim_dot(b->hessian[i], d);
    for (size_t i = 0; i < b->count; i++) {
        const flesh_term *t = &b->terms[i];
        const double value = t->value + sim_dot(t->along, d);
        if (value < 0) add_square(t->weight, value, t->along, &sum);
    }
    mirror_hessian(sum.hessian);
    memcpy(gradient, sum.gradient, sizeof sum.gradient);
    memcpy(hessian, sum.hessian, sizeof sum.hessian);
}

/// The energy at a step, less that of no step.
static double block_energy(const flesh_block *b, const double d[3]) {
    double sum = sim_dot(b->gradient, d);
    for (int i = 0; i < 3; i++) sum += 0.5 * d[i] * sim_dot(b->hessian[i], d);
    for (size_t i = 0; i < b->count; i++) {
        const flesh_term *t = &b->terms[i];
        const double from = fmin(t->value, 0), to = fmin(t->value + sim_dot(t->along, d), 0);
        sum += 0.5 * t->weight * (to * to - from * from);
    }
    return sum;
}

/// Whether all terms are 0 at a step, and without one.
static bool terms_are_idle(const flesh_block *b, const double d[3]) {
    for (size_t i = 0; i < b->count; i++)
        if (b->terms[i].value < 0 || b->terms[i].value + sim_dot(b->terms[i].along, d) < 0) return false;
    return true;
}

/// Newton's steps, each halved until the energy falls. Without terms the first one arrives.
static void solve_block(const flesh_block *b, double d[3]) {
    enum { STEPS = 6, HALVINGS = 8 };
    double energy = 0, start[3][3], first[3][3];
    memcpy(start, b->hessian, sizeof start);
    if (sim_matrix_invert(start, first) == 0) {
        memset(d, 0, 3 * sizeof *d);
        return;
    }
    sim_matrix_apply(first, b->gradient, d);
    for (int i = 0; i < 3; i++) d[i] = -d[i];
    if (terms_are_idle(b, d)) return;
    memset(d, 0, 3 * sizeof *d);
    for (int k = 0; k < STEPS; k++) {
        double gradient[3], hessian[3][3], inverse[3][3], step[3], next[3], found;
        evaluate_block(b, d, gradient, hessian);
        if (sim_matrix_invert(hessian, inverse) == 0) return;
        sim_matrix_apply(inverse, gradient, step);
        for (int half = 0; half < HALVINGS; half++) {
            sim_sub(d, step, next);
            if ((found = block_energy(b, next)) <= energy) break;
            for (int i = 0; i < 3; i++) step[i] /= 2;
        }
        if (!(found < energy)) return;
        const bool settled = energy - found < 1e-6 * -found;
        energy = found;
        sim_copy(next, d);
        if (settled) return;
    }
}

double toc_character_elastic_relax(toc_character *c, size_t v, flesh_term *terms) {
    flesh_block b;
    double d[3];
    const double reach = 0.2 * c->mean_edge; // few steps are longer
    if (c->flesh.mass.at[v] == 0) return 0;
    gather_block(c, v, reach, terms, &b);
    solve_block(&b, d);
    if (!(sim_length(d) <= reach)) { // terms that were left out may count
        gather_block(c, v, INFINITY, terms, &b);
        solve_block(&b, d);
    }
    sim_add(1, d, c->x.at + 3 * v);
    return sim_length(d);
}

/// Steps that are longer are rare.
static const double usual_step = 0.05;

flesh_relax toc_character_elastic_relaxed(const toc_character *c) {
    const character_flesh *f = &c->flesh;
    return (flesh_relax){.x = c->x.at,
                         .anchor = f->anchor.at,
                         .target = f->target.at,
                         .way = f->way.at,
                         .inertia = f->inertia.at,
                         .pull = f->pull.at,
                         .stiff = f->stiff.at,
                         .corner_ends = f->corner_ends.at,
                         .push_heads = f->push_heads.at,
                         .corners = f->corners.at,
                         .bulk = f->lambda / 6,
                         .goal = f->goal + f->swell,
                         .ahead = f->ahead,
                         .yielding = toc_character_elastic_yielding(c),
                         .most_step = usual_step * c->mean_edge,
                         .least = least_shares[0]};
}

void toc_character_elastic_wake(toc_character *c, size_t v) {
    character_flesh *f = &c->flesh;
    atomic_store_explicit(&f->awake.at[v], true, memory_order_relaxed);
    for (uint32_t i = v > 0 ? f->corner_ends.at[v - 1] : 0; i < f->corner_ends.at[v]; i++)
        for (int k = 0; k < 3; k++)
            atomic_store_explicit(&f->awake.at[f->corners.at[i].v[k]], true, memory_order_relaxed);
}

// ---- measures

double toc_character_elastic_firmness(const toc_character *c, size_t v) {
    const character_flesh *f = &c->flesh;
    return f->mass.at[v] / (c->settings.step * c->settings.step) + f->pull.at[v] + f->stiff.at[v];
}

static double tet_share(const double *x, const flesh_tet *t) {
    double e[3][3];
    for (int k = 0; k < 3; k++) sim_sub(x + 3 * (size_t)t->v[k + 1], x + 3 * (size_t)t->v[0], e[k]);
    return sim_determinant(e) * t->per_volume / (t->size * t->size * t->size);
}

static void sum_volumes(void *user, size_t first, size_t last) {
    const toc_character *c = user;
    const character_flesh *f = &c->flesh;
    for (size_t block = first; block < last; block++) {
        flesh_volume sum = {0};
        const size_t end = (block + 1) * VOLUME_BLOCK;
        for (size_t t = block * VOLUME_BLOCK; t < end && t < f->tets.count; t++) {
            const flesh_tet *tet = &f->tets.at[t];
            const double rest = tet->size * tet->size * tet->size / tet->per_volume;
            sum.now += tet_share(c->x.at, tet) * rest;
            sum.rest += rest;
        }
        f->volumes.at[block] = sum;
    }
}

/// Shares of its volume at rest by which the body may be off, and the most that its tets swell for it.
static const double volume_slack = 0.02, most_swell = 0.5;

void toc_character_elastic_swell(toc_character *c) {
    character_flesh *f = &c->flesh;
    const size_t blocks = (f->tets.count + VOLUME_BLOCK - 1) / VOLUME_BLOCK;
    const double same = 1e-4;
    flesh_volume sum = {0};
    toc_sim_loop_run(c->threads, blocks, LEAST_BLOCKS, sum_volumes, c);
    for (size_t i = 0; i < blocks; i++) {
        sum.now += f->volumes.at[i].now;
        sum.rest += f->volumes.at[i].rest;
    }
    if (blocks == 0) return;
    const double missing = 1 - sum.now / sum.rest, swell = f->swell;
    const double least = fmin(swell + missing - volume_slack, most_swell);
    const double most = fmax(swell + missing + volume_slack, -most_swell);
    f->swell = least > 0 ? least : most < 0 ? most : 0;
    if (fabs(f->swell - swell) > same) toc_character_sweep_wake(c);
}

bool toc_character_elastic_is_inverted(toc_character *c) {
    bool any = false;
    for (size_t t = 0; t < c->flesh.tets.count; t++) {
        const flesh_tet *tet = &c->flesh.tets.at[t];
        if (tet_share(c->x.at, tet) > 0) continue;
        for (int k = 0; k < 4; k++) atomic_init(&c->flesh.awake.at[tet->v[k]], true);
        any = true;
    }
    return any;
}

static double tet_energy(const double *x, const flesh_tet *t, double goal, double share) {
    const double cube = t->size * t->size * t->size;
    const double trace = 3 * t->bulk * (goal - 1) * cube; // at rest: bulk (goal - 1) is mu times the volume
    double shear = 0, e[4][3];
    for (int k = 0; k < 4; k++) sim_sub(x + 3 * (size_t)t->v[k], x + 3 * (size_t)t->v[0], e[k]);
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 4; i++) shear += t->shear[k][i] * sim_dot(e[k], e[i]);
    double bulk = (share - goal) * (share - goal) - (1 - goal) * (1 - goal);
    for (int i = 0; i < LEVELS; i++) bulk += least_weights[i] * pow(fmin(share - least_shares[i], 0), 2);
    return 0.5 * (t->size * shear - trace + t->bulk * cube * bulk);
}

void toc_character_elastic_measure(toc_character *c) {
    character_flesh *f = &c->flesh;
    double energy = 0, distance = 0, least = INFINITY, rest = 0, volume = 0;
    size_t used = 0, inverted = 0;
    for (size_t t = 0; t < f->tets.count; t++) {
        const double share = tet_share(c->x.at, &f->tets.at[t]), size = f->tets.at[t].size;
        least = share < least ? share : least;
        rest += size * size * size / f->tets.at[t].per_volume;
        volume += share * size * size * size / f->tets.at[t].per_volume;
        inverted += share > 0 ? 0 : 1;
        energy += tet_energy(c->x.at, &f->tets.at[t], f->goal, share);
    }
    for (size_t v = 0; v < c->bodies.at[0].count; v++) {
        double gap[3];
        if (f->mass.at[v] == 0) continue;
        sim_sub(c->x.at + 3 * v, f->target.at + 3 * v, gap);
        distance += sim_length(gap);
        energy += 0.5 * spring_weight(c, v, c->x.at) * sim_dot(gap, gap);
        used++;
    }
    f->energy = energy;
    f->distance = used > 0 ? distance / (double)used : 0;
    f->least = least;
    f->volume = volume / rest;
    f->rest = rest / 6;
    f->inverted = inverted;
}

void toc_character_elastic_resize(toc_character *c) {
    for (size_t i = 0; i < c->flesh.tets.count; i++) {
        flesh_tet *t = &c->flesh.tets.at[i];
        t->size = 0;
        for (int k = 0; k < 4; k++) {
            const size_t v = t->v[k];
            for (size_t w = v > 0 ? c->weight_ends.at[v - 1] : 0; w < c->weight_ends.at[v]; w++)
                t->size += 0.25 * c->weights.at[w] * c->flesh.sizes.at[c->weight_joints.at[w]];
        }
    }
    fill_corners(c);
}
