// SPDX-License-Identifier: Apache-2.0
// Probes of a scene: closest points, hits of segments, bodies around points and inside of others, by brute force.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "campaign/solver.h"

static const model_body *random_body(const model *m, trial_random *r) {
    const model_body *b = &m->bodies[trial_below(r, m->body_count)];
    return b->vertex_count ? b : NULL;
}

// A vertex, a place between some vertices, or a place around them.
static void place_probe(const model *m, const trial_question *q, trial_random *r, double at[3]) {
    const model_body *b = random_body(m, r);
    const uint32_t mixed = trial_below(r, 5); // so many more vertices
    memset(at, 0, 3 * sizeof *at);
    if (!b) return;
    const double(*x)[3] = q->end ? b->x1 : b->x0;
    memcpy(at, x[trial_below(r, b->vertex_count)], 3 * sizeof *at);
    for (uint32_t i = 0; i < mixed; i++) {
        const double *to = x[trial_below(r, b->vertex_count)];
        const double share = trial_chance(r, 0.6) ? 0.5 : trial_between(r, 0, 1);
        for (int k = 0; k < 3; k++) at[k] += share * (to[k] - at[k]);
    }
    if (trial_chance(r, 0.3)) {
        const double *from = x[trial_below(r, b->vertex_count)], *to = x[trial_below(r, b->vertex_count)];
        for (int k = 0; k < 3; k++) at[k] += trial_between(r, -1, 1) * (to[k] - from[k]);
    }
}

void probe_points(const model *m, const trial_question *q, double (*at)[3], int count) {
    trial_random r = {trial_hash(q->salt, 30)};
    for (int i = 0; i < count; i++) place_probe(m, q, &r, at[i]);
}

uint64_t probe_mask(const trial_question *q) {
    trial_random r = {trial_hash(q->salt, 31)};
    return trial_chance(&r, 0.8) ? UINT64_MAX : 1 + trial_below(&r, 3);
}

double probe_reach(const trial_question *q) {
    trial_random r = {trial_hash(q->salt, 32)};
    return trial_chance(&r, 0.6) ? INFINITY : q->thickness;
}

// ---- faces, loose edges and loose points

typedef struct probe_part {
    const model_feature *feature;
    double x[3][3]; // corners; a loose edge or point repeats its last one
} probe_part;

typedef struct probe_parts {
    size_t count;
    probe_part *at;
} probe_parts;

static bool is_part_of(const model_feature *small, const model_feature *large) {
    int found = 0;
    for (int i = 0; i < small->size; i++)
        for (int j = 0; j < large->size; j++) found += small->v[i] == large->v[j];
    return small->body == large->body && small->size < large->size && found == small->size;
}

static void put_part(const model *m, const trial_question *q, const model_feature *f, probe_parts *parts) {
    const model_body *b = &m->bodies[f->body];
    probe_part *p = &parts->at[parts->count++];
    p->feature = f;
    for (int i = 0; i < 3; i++) {
        const uint32_t v = f->v[i < f->size ? i : f->size - 1];
        memcpy(p->x[i], q->end ? b->x1[v] : b->x0[v], sizeof p->x[i]);
    }
}

static probe_parts list_parts(model *m, const trial_question *q) {
    model_derive(m);
    probe_parts parts = {.at = calloc(m->feature_count + 1, sizeof *parts.at)};
    if (!parts.at) abort();
    for (int size = 3; size > 0; size--) {
        const size_t larger = parts.count;
        for (size_t i = 0; i < m->feature_count; i++) {
            const model_feature *f = &m->features[i];
            bool covered = f->size != size || (q->surface_only && !f->boundary);
            for (size_t j = 0; j < larger && !covered; j++) covered = is_part_of(f, parts.at[j].feature);
            if (!covered) put_part(m, q, f, &parts);
        }
    }
    return parts;
}

static const probe_part *find_part(const probe_parts *parts, uint32_t body, const uint32_t v[3]) {
    for (size_t i = 0; i < parts->count; i++) {
        const model_feature *f = parts->at[i].feature;
        int size = 0, found = 0;
        while (size < 3 && v[size] != UINT32_MAX) size++;
        for (int j = 0; j < size; j++)
            for (int k = 0; k < f->size; k++) found += v[j] == f->v[k];
        if (f->body == body && f->size == size && found == size) return &parts->at[i];
    }
    return NULL;
}

static bool body_counts(const model *m, const trial_question *q, uint32_t body) {
    const uint64_t mask = probe_mask(q);
    return mask == UINT64_MAX || (m->bodies[body].layers & mask);
}

static bool are_weights(const double weights[3]) {
    const double sum = weights[0] + weights[1] + weights[2];
    return weights[0] >= 0 && weights[1] >= 0 && weights[2] >= 0 && fabs(sum - 1) <= 0x1p-50;
}

// How far the point that weights name on a part is from another, along the worst axis. The vertices are as told.
static long double off_blend(const model *m, const trial_question *q, uint32_t body, const uint32_t v[3],
                             const double weights[3], const double point[3]) {
    const model_body *b = &m->bodies[body];
    long double most = 0;
    for (int k = 0; k < 3; k++) {
        long double sum = 0;
        for (int i = 0; i < 3; i++)
            if (v[i] != UINT32_MAX) sum += (long double)weights[i] * (q->end ? b->x1[v[i]][k] : b->x0[v[i]][k]);
        most = fmaxl(most, fabsl(sum - point[k]));
    }
    return most;
}

// ---- closest points

static void vertex_and_part(const double point[3], const probe_part *part, double x[4][3]) {
    memcpy(x[0], point, sizeof x[0]);
    memcpy(x[1], part->x, sizeof part->x);
}

static long double part_distance(const double point[3], const probe_part *part, bool exact) {
    double x[4][3];
    long double y[4][3];
    vertex_and_part(point, part, x);
    if (exact) return truth_exact_distance(TOC_VF, x, x, 0);
    truth_mix(x, x, 0, y);
    return truth_distance(TOC_VF, y);
}

// The extent of the box around the parts and a point, and the largest coordinate.
static void extents(const probe_parts *parts, const double point[3], long double *extent, long double *largest) {
    *extent = *largest = 0;
    for (int k = 0; k < 3; k++) {
        long double low = point[k], high = point[k];
        for (size_t i = 0; i < 3 * parts->count; i++) {
            low = fminl(low, parts->at[i / 3].x[i % 3][k]);
            high = fmaxl(high, parts->at[i / 3].x[i % 3][k]);
        }
        *extent = fmaxl(*extent, high - low);
        *largest = fmaxl(*largest, fmaxl(fabsl(low), fabsl(high)));
    }
}

// Extended precision rejects distant parts; rational numbers decide the rest.
static long double least_distance(const model *m, const trial_question *q, const probe_parts *parts,
                                  const double point[3], long double extent) {
    long double rough = INFINITY, least = INFINITY;
    for (int exact = 0; exact < 2; exact++)
        for (size_t i = 0; i < parts->count; i++) {
            if (!body_counts(m, q, parts->at[i].feature->body)) continue;
            const long double d = part_distance(point, &parts->at[i], false);
            if (!exact)
                rough = fminl(rough, d);
            else if (d <= rough + 1e-8L * extent)
                least = fminl(least, part_distance(point, &parts->at[i], true));
        }
    return least;
}

static void check_closest(check_state *s, const trial_question *q, const probe_parts *parts, const double point[3],
                          const toc_scene_point *got) {
    long double extent, largest;
    extents(parts, point, &extent, &largest);
    const long double bound = 0x1p-36L * extent + 0x1p-1073L, reach = probe_reach(q);
    const long double least = least_distance(s->model, q, parts, point, extent);
    if (got->body == UINT32_MAX) {
        if (least < reach - bound) check_fail(s, "closest missed", "%Lg apart, reach %Lg", least, reach);
        return;
    }
    const probe_part *part = find_part(parts, got->body, got->v);
    if (!part || !body_counts(s->model, q, got->body)) {
        check_fail(s, "closest no such face", "body %u: %u %u %u", got->body, got->v[0], got->v[1], got->v[2]);
        return;
    }
    const long double own = part_distance(point, part, true);
    if (!(got->distance <= reach)) check_fail(s, "closest", "%.17g, reach %Lg", got->distance, reach);
    if (!(fabsl(got->distance - own) <= bound && got->distance - least <= bound))
        check_fail(s, "closest", "%.17g told, %.20Lg of that face, %.20Lg of the closest", got->distance, own, least);
    const long double off = off_blend(s->model, q, got->body, got->v, got->weights, got->point);
    if (!are_weights(got->weights) || !(off <= 0x1p-50L * largest + CHECK_SUBNORMAL))
        check_fail(s, "closest weights", "%g %g %g, point %Lg away", got->weights[0], got->weights[1], got->weights[2],
                   off);
    long double y[1][3], at[3];
    for (int k = 0; k < 3; k++) y[0][k] = got->point[k], at[k] = point[k];
    if (!(fabsl(truth_point_distance(at, 1, y) - got->distance) <= 4 * bound + 0x1p-49L * largest + CHECK_SUBNORMAL))
        check_fail(s, "closest point", "%Lg away, distance %g", truth_point_distance(at, 1, y), got->distance);
}

// ---- hits

static void check_hit_place(check_state *s, const trial_question *q, const double (*ends)[3],
                            const toc_segment_hit *got) {
    long double extent = 0, largest = 0, along = 0, length = 0;
    for (int k = 0; k < 3; k++) {
        const long double way = (long double)ends[1][k] - ends[0][k];
        along += way * got->normal[k];
        length += (long double)got->normal[k] * got->normal[k];
        extent = fmaxl(extent, fabsl(way));
        largest = fmaxl(largest, fmaxl(fabsl(ends[0][k]), fabsl(ends[1][k])));
    }
    const model_body *b = &s->model->bodies[got->body];
    for (int i = 0; i < 3 && got->v[i] != UINT32_MAX; i++)
        for (int k = 0; k < 3; k++) {
            const long double x = q->end ? b->x1[got->v[i]][k] : b->x0[got->v[i]][k];
            extent = fmaxl(extent, fmaxl(fabsl(x - ends[0][k]), fabsl(x - ends[1][k])));
            largest = fmaxl(largest, fabsl(x));
        }
    if (fabsl(length - 1) > 1e-9L || along > 1e-9L * extent) check_fail(s, "hit normal", "%Lg along", along);
    const long double bound = 2.1L * (0x1p-29L * extent + 0x1p-50L * largest) + CHECK_SUBNORMAL;
    const long double off = off_blend(s->model, q, got->body, got->v, got->weights, got->point);
    if (!are_weights(got->weights) || !(off <= bound))
        check_fail(s, "hit weights", "%g %g %g, point %Lg away", got->weights[0], got->weights[1], got->weights[2],
                   off);
}

static void check_hit(check_state *s, const trial_question *q, const probe_parts *parts, const double (*ends)[3],
                      const toc_segment_hit *got) {
    double low = INFINITY, high = INFINITY, own = INFINITY;
    const probe_part *told = got->body == UINT32_MAX ? NULL : find_part(parts, got->body, got->v);
    for (size_t i = 0; i < parts->count; i++) {
        truth_motion motion = {.curved = false};
        double first[2];
        if (!body_counts(s->model, q, parts->at[i].feature->body)) continue;
        vertex_and_part(ends[0], &parts->at[i], motion.at.x0);
        vertex_and_part(ends[1], &parts->at[i], motion.at.x1);
        if (!truth_first(TOC_VF, &motion, 0, 1, &first[0], &first[1])) continue;
        low = fmin(low, first[0]);
        high = fmin(high, first[1]);
        if (&parts->at[i] == told) own = first[0];
    }
    if ((got->body == UINT32_MAX) != (low > 1)) {
        check_fail(s, low > 1 ? "hit invented" : "hit missed", "%.17g told, %.17g truly", got->time, low);
        return;
    }
    if (low > 1) return;
    if (!told || !(own <= got->time * (1 + 1.1e-9)))
        check_fail(s, "hit no such face", "body %u: %u %u %u at %.17g", got->body, got->v[0], got->v[1], got->v[2],
                   own);
    if (!(got->time <= high && got->time >= low * (1 - 1e-9)) || (got->time == 0 && low > 0))
        check_fail(s, "hit time", "%.17g told, %.17g truly", got->time, low);
    check_hit_place(s, q, ends, got);
}

// ---- inside

// The boundary of a body, by components: faces and loose features that share vertices.
typedef struct probe_surface {
    bool known;                         // its faces are wound as their elements say
    uint32_t component[MODEL_VERTICES]; // the lowest vertex; UINT32_MAX for vertices of no part
    bool closed[MODEL_VERTICES];        // by lowest vertex
    size_t count;
    uint32_t faces[12 * MODEL_ELEMENTS][3];
} probe_surface;

static void join_components(probe_surface *f, uint32_t a, uint32_t b) {
    const uint32_t x = f->component[a], y = f->component[b], low = x < y ? x : y, high = x < y ? y : x;
    for (uint32_t v = 0; v < MODEL_VERTICES; v++)
        if (f->component[v] == high) f->component[v] = low;
}

static void find_components(const probe_parts *parts, uint32_t body, probe_surface *f) {
    for (uint32_t v = 0; v < MODEL_VERTICES; v++) f->component[v] = UINT32_MAX;
    for (size_t i = 0; i < parts->count; i++) {
        const model_feature *g = parts->at[i].feature;
        for (int j = 0; j < g->size && g->body == body; j++) f->component[g->v[j]] = g->v[j];
    }
    for (size_t i = 0; i < parts->count; i++) {
        const model_feature *g = parts->at[i].feature;
        for (int j = 1; j < g->size && g->body == body; j++) join_components(f, g->v[0], g->v[j]);
    }
}

// A boundary face as the lowest element around it winds it.
static void put_wound(const model_body *b, const model_feature *g, probe_surface *f) {
    const model_element *e = &b->elements[g->around[0]];
    uint32_t faces[12][3];
    if (!model_is_whole(e)) {
        f->known = false;
        return;
    }
    const int count = model_wound_faces(e, faces);
    for (int i = 0; i < count; i++) {
        int found = 0;
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++) found += faces[i][j] == g->v[k];
        if (found != 3) continue;
        memcpy(f->faces[f->count++], faces[i], sizeof faces[i]);
        return;
    }
}

static int edge_balance(const probe_surface *f, uint32_t a, uint32_t b) {
    int sum = 0;
    for (size_t i = 0; i < f->count; i++)
        for (int j = 0; j < 3; j++) {
            sum += f->faces[i][j] == a && f->faces[i][(j + 1) % 3] == b;
            sum -= f->faces[i][j] == b && f->faces[i][(j + 1) % 3] == a;
        }
    return sum;
}

static void find_surface(model *m, const probe_parts *parts, uint32_t body, probe_surface *f) {
    *f = (probe_surface){.known = true};
    find_components(parts, body, f);
    for (size_t i = 0; i < m->feature_count; i++) {
        const model_feature *g = &m->features[i];
        if (g->size == 3 && g->body == body && g->boundary) put_wound(&m->bodies[body], g, f);
    }
    for (size_t i = 0; i < f->count; i++) f->closed[f->component[f->faces[i][0]]] = true;
    for (size_t i = 0; i < f->count; i++)
        for (int j = 0; j < 3; j++)
            if (edge_balance(f, f->faces[i][j], f->faces[i][(j + 1) % 3]) != 0)
                f->closed[f->component[f->faces[i][0]]] = false;
}

static void place_face(const model_body *b, int end, const uint32_t v[3], double x[3][3]) {
    for (int i = 0; i < 3; i++) memcpy(x[i], end ? b->x1[v[i]] : b->x0[v[i]], sizeof x[i]);
}

// The crossing of a face by the ray from a point: 1, -1 or 0; 2 where the direction is no good.
static int crossing(const double point[3], double x[3][3], const double direction[3]) {
    const int side = truth_orientation(point, x[0], x[1], x[2]);
    int signs[3];
    if (side == 0) return 0; // in one plane: on the face, or never crossed
    for (int i = 0; i < 3; i++) {
        signs[i] = truth_side(point, x[i], x[(i + 1) % 3], direction);
        if (signs[i] == 0) return 2;
    }
    if (signs[0] != signs[1] || signs[1] != signs[2]) return 0;
    return signs[0] == side ? side : 0;
}

typedef enum probe_where { OUTSIDE, ON_SURFACE, INSIDE } probe_where;

// Winding of the closed components of a body around a point, but for one of them. Any ray will do that meets no edge.
static probe_where where_is(const model_body *b, int end, const probe_surface *f, const double point[3],
                            uint32_t without) {
    for (uint64_t round = 0;; round++) {
        trial_random r = {trial_hash(round, 77)};
        const double direction[3] = {trial_between(&r, -1, 1), trial_between(&r, -1, 1), trial_between(&r, -1, 1)};
        int winding = 0, crossed = 0;
        for (size_t i = 0; i < f->count && crossed != 2; i++) {
            const uint32_t component = f->component[f->faces[i][0]];
            double x[3][3], y[4][3];
            if (!f->closed[component] || component == without) continue;
            place_face(b, end, f->faces[i], x);
            memcpy(y[0], point, sizeof y[0]);
            memcpy(y[1], x, sizeof x);
            if (truth_is_within(TOC_VF, y, 0)) return ON_SURFACE;
            crossed = crossing(point, x, direction);
            winding += crossed;
        }
        if (crossed != 2) return winding ? INSIDE : OUTSIDE;
    }
}

static void check_containing(check_state *s, const trial_question *q, const probe_surface *surfaces,
                             const double point[3], uint32_t got) {
    const model *m = s->model;
    for (uint32_t b = 0; b < m->body_count; b++) {
        if (m->bodies[b].gone || !surfaces[b].known || !body_counts(m, q, b)) {
            if (got == b && (m->bodies[b].gone || !body_counts(m, q, b)))
                check_fail(s, "containing", "body %u does not count", b);
            if (got == b) return;
            continue;
        }
        const probe_where where = where_is(&m->bodies[b], q->end, &surfaces[b], point, UINT32_MAX);
        s->report->counts.exact++;
        if ((where != OUTSIDE) == (got == b)) {
            if (got == b) return;
            continue;
        }
        check_fail(s, "containing", "body %u told, body %u truly %s", got, b,
                   where == OUTSIDE ? "is around" : "contains");
        return;
    }
}

// Six times the volume of a closed component: the sign.
static int volume_sign(const model_body *b, int end, const probe_surface *f, uint32_t component) {
    static double triangles[12 * MODEL_ELEMENTS][3][3];
    size_t count = 0;
    for (size_t i = 0; i < f->count; i++)
        if (f->component[f->faces[i][0]] == component) place_face(b, end, f->faces[i], triangles[count++]);
    return truth_volume_sign(count, triangles);
}

static bool is_told(const toc_containments *got, uint32_t inner, uint32_t vertex, uint32_t outer) {
    for (size_t i = 0; i < got->count; i++)
        if (got->pairs[i].body[0] == inner && got->pairs[i].body[1] == outer && got->pairs[i].vertex == vertex)
            return true;
    return false;
}

static void check_component(check_state *s, const trial_question *q, const probe_surface *surfaces, uint32_t inner,
                            uint32_t vertex, const toc_containments *got) {
    const model *m = s->model;
    const model_body *b = &m->bodies[inner];
    const double *point = q->end ? b->x1[vertex] : b->x0[vertex];
    const bool closed = surfaces[inner].closed[vertex];
    const int sign = closed ? volume_sign(b, q->end, &surfaces[inner], vertex) : 0;
    for (uint32_t outer = 0; outer < m->body_count; outer++) {
        if (m->bodies[outer].gone || !surfaces[outer].known || !surfaces[inner].known) continue;
        const probe_where where =
            where_is(&m->bodies[outer], q->end, &surfaces[outer], point, outer == inner ? vertex : UINT32_MAX);
        const bool wanted = where == INSIDE && model_bodies_meet(m, inner, outer) && !(closed && sign < 0);
        s->report->counts.exact++;
        if (wanted != is_told(got, inner, vertex, outer))
            check_fail(s, wanted ? "containment missed" : "containment invented", "vertex %u of body %u in body %u",
                       vertex, inner, outer);
    }
}

static void check_containments(check_state *s, const trial_question *q, const probe_surface *surfaces,
                               const toc_containments *got) {
    const model *m = s->model;
    for (uint32_t b = 0; b < m->body_count; b++)
        for (uint32_t v = 0; !m->bodies[b].gone && v < m->bodies[b].vertex_count; v++)
            if (surfaces[b].component[v] == v) check_component(s, q, surfaces, b, v, got);
    for (size_t i = 0; i < got->count; i++) {
        const toc_containment *c = &got->pairs[i];
        check_digest(s, c, sizeof *c);
        if (surfaces[c->body[0]].component[c->vertex] != c->vertex)
            check_fail(s, "containment", "vertex %u of body %u is not the lowest", c->vertex, c->body[0]);
        const toc_containment *p = i ? c - 1 : NULL;
        if (p && (p->body[0] > c->body[0] || (p->body[0] == c->body[0] && p->vertex > c->vertex)))
            check_fail(s, "containment order", "pair %zu", i);
    }
}

// ---- all of it

static void check_probes(check_state *s, const trial_question *q, const probe_parts *parts,
                         const probe_surface *surfaces, const check_answer *a) {
    double at[2 * CHECK_PROBES][3];
    const bool segments = q->ask == TRIAL_HITS;
    probe_points(s->model, q, at, (segments ? 2 : 1) * CHECK_PROBES);
    const double(*points)[3] = (const double(*)[3])at;
    for (int i = 0; i < CHECK_PROBES && !s->report->failed; i++) {
        s->report->counts.pairs += parts->count;
        if (segments) {
            check_digest(s, &a->hits[i].time, sizeof a->hits[i].time);
            check_hit(s, q, parts, points + 2 * i, &a->hits[i]);
        } else if (q->ask == TRIAL_CLOSEST) {
            check_digest(s, &a->closest[i].distance, sizeof a->closest[i].distance);
            check_closest(s, q, parts, points[i], &a->closest[i]);
        } else {
            check_digest(s, &a->inside[i], sizeof a->inside[i]);
            check_containing(s, q, surfaces, points[i], a->inside[i]);
        }
    }
}

void probe_question(check_state *s, toc_scene *scene, const trial_question *q) {
    static probe_surface surfaces[MODEL_BODIES];
    check_answer a;
    if (!check_ask(s, scene, q, &a)) return;
    probe_parts parts = list_parts(s->model, q);
    for (uint32_t b = 0; b < s->model->body_count && q->ask >= TRIAL_CONTAINING; b++)
        find_surface(s->model, &parts, b, &surfaces[b]);
    if (q->ask == TRIAL_CONTAINMENTS)
        check_containments(s, q, surfaces, a.containments);
    else
        check_probes(s, q, &parts, surfaces, &a);
    free(parts.at);
    check_free(&a);
}
