// SPDX-License-Identifier: Apache-2.0
// Pairs of swept boxes go to the elementary test a few thousand at a time, as they are found. Boxes are in single
// precision. Embree: rtcCollide over user geometries, one for each kind of feature. Its trees have the default quality:
// cheaper ones are built faster but let four times as many pairs through, which costs more in total.
#include "bench/support/reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/support/linear.h"
#include "bench/support/measure.h"
#include "toccata/research.h"

enum { CHUNK = 4096 };

// Features of one kind: `corners` vertices each.
typedef struct features_of_kind {
    const uint32_t *vertices;
    size_t count, corners;
} features_of_kind;

// The motion of all vertices, and how much boxes are grown on every side.
typedef struct motion {
    const double *x0, *x1;
    double grow;
} motion;

typedef struct search {
    toc_kind kind;
    bench_reference_settings settings;
    motion motion;
    const features_of_kind *first, *second;
    bench_reference *out;
    size_t waiting;
    uint32_t pairs[CHUNK][4];
} search;

// ---- boxes

// Round outward.
static float down(double x) {
    const float f = (float)x;
    return (double)f > x ? nextafterf(f, -INFINITY) : f;
}

static float up(double x) { return -down(-x); }

// ---- pairs

static void test_pairs(search *s) {
    static toc_verdict verdicts[CHUNK];
    static double times[CHUNK];
    const double *x0 = s->motion.x0, *x1 = s->motion.x1, start = bench_cpu();
    const toc_pair_batch batch = {.kind = s->kind,
                                  .count = s->waiting,
                                  .vertices = (const uint32_t(*)[4])s->pairs,
                                  .body0 = {x0, x0},
                                  .body1 = {x1, x1}};
    toc_pair_test test = toc_pair_test_default();
    test.method = TOC_METHOD_ADDITIVE;
    test.tolerance = 1e-6;
    test.separation = s->settings.separation;
    test.exact = false;
    bench_check(toc_pair_find_batch(&batch, &test, verdicts, times));
    s->out->asked += s->waiting;
    s->out->test_seconds += bench_cpu() - start;
    for (size_t i = 0; i < s->waiting; i++)
        if (verdicts[i] != TOC_APART) bench_keys_add(&s->out->found, s->kind, s->pairs[i]);
    s->waiting = 0;
}

static bool make_pair(const search *s, uint32_t a, uint32_t b, uint32_t v[4]) {
    const size_t n = s->first->corners, m = s->second->corners;
    memcpy(v, s->first->vertices + a * n, n * sizeof *v);
    memcpy(v + n, s->second->vertices + b * m, m * sizeof *v);
    if (v[0] >= s->settings.still_from && v[n] >= s->settings.still_from) return false;
    for (size_t i = 0; i < n; i++)
        for (size_t j = n; j < 4; j++)
            if (v[i] == v[j]) return false;
    return true;
}

static void take_pair(search *s, uint32_t a, uint32_t b) {
    if (make_pair(s, a, b, s->pairs[s->waiting]) && ++s->waiting == CHUNK) test_pairs(s);
}

// Points, edges and faces.
typedef struct feature_kinds {
    features_of_kind points, edges, faces;
} feature_kinds;

static feature_kinds kinds_of(const toc_features *f) {
    return (feature_kinds){.points = {f->vertices, f->vertex_count, 1},
                           .edges = {f->edges[0], f->edge_count, 2},
                           .faces = {f->faces[0], f->face_count, 3}};
}

// A search of boxes with the given settings, or for contacts.
static search *begin_search(const double *x0, const double *x1, const bench_reference_settings *settings,
                            bench_reference *out) {
    search *s = bench_must(calloc(1, sizeof *s));
    s->settings = settings ? *settings : (bench_reference_settings){.separation = 0, .still_from = UINT32_MAX};
    s->motion = (motion){x0, x1, settings ? settings->separation / 2 + 1e-6 : 0}; // and the tolerance
    s->out = out;
    *out = (bench_reference){0};
    return s;
}

static void choose_kind(search *s, toc_kind kind, const features_of_kind *first, const features_of_kind *second) {
    s->kind = kind;
    s->first = first;
    s->second = second;
}

static void end_search(search *s, double start) {
    s->out->search_seconds = bench_cpu() - start - s->out->test_seconds;
    bench_keys_sort(&s->out->found);
    free(s);
}

// ---- the linear hierarchy

static bench_linear_box *box_vertices(const motion *m, size_t count) {
    bench_linear_box *boxes = bench_must(malloc((count + 1) * sizeof *boxes));
    for (size_t i = 0; i < count; i++)
        for (size_t c = 0; c < 3; c++) {
            const double p = m->x0[3 * i + c], q = m->x1[3 * i + c];
            boxes[i].low[c] = down((p < q ? p : q) - m->grow);
            boxes[i].high[c] = up((p > q ? p : q) + m->grow);
        }
    return boxes;
}

static bench_linear_box *box_features(const bench_linear_box *vertices, const features_of_kind *f) {
    bench_linear_box *boxes = bench_must(malloc((f->count + 1) * sizeof *boxes));
    for (size_t i = 0; i < f->count; i++) {
        boxes[i] = vertices[f->vertices[i * f->corners]];
        for (size_t k = 1; k < f->corners; k++)
            boxes[i] = bench_linear_join(&boxes[i], &vertices[f->vertices[i * f->corners + k]]);
    }
    return boxes;
}

static void take_linear(void *user, uint32_t a, uint32_t b) {
    search *s = user;
    s->out->overlapping++;
    take_pair(s, a, b);
}

static void note_memory(search *s, size_t vertices, size_t boxes, size_t in_tree) {
    const size_t bytes = (vertices + boxes) * sizeof(bench_linear_box) + bench_linear_bytes(in_tree) + sizeof *s;
    if (bytes > s->out->memory) s->out->memory = bytes;
}

static void collide_points(search *s, const bench_linear_box *vertices, const feature_kinds *kinds) {
    bench_linear_box *faces = box_features(vertices, &kinds->faces), *points = box_features(vertices, &kinds->points);
    bench_linear tree = bench_linear_build(faces, kinds->faces.count);
    choose_kind(s, TOC_VF, &kinds->points, &kinds->faces);
    bench_linear_collide(&tree, points, kinds->points.count, take_linear, s);
    test_pairs(s);
    bench_linear_free(&tree);
    free(points);
    free(faces);
}

static void collide_edges(search *s, const bench_linear_box *vertices, const feature_kinds *kinds) {
    bench_linear_box *edges = box_features(vertices, &kinds->edges);
    bench_linear tree = bench_linear_build(edges, kinds->edges.count);
    choose_kind(s, TOC_EE, &kinds->edges, &kinds->edges);
    bench_linear_collide_itself(&tree, take_linear, s);
    test_pairs(s);
    bench_linear_free(&tree);
    free(edges);
}

void bench_linear_reference_run(const toc_features *f, const double *x0, const double *x1,
                                const bench_reference_settings *settings, bench_reference *out) {
    search *s = begin_search(x0, x1, settings, out);
    const feature_kinds kinds = kinds_of(f);
    size_t vertices = 0; // up to the highest one of a point: all points are vertices of features
    for (size_t i = 0; i < kinds.points.count; i++)
        if (kinds.points.vertices[i] >= vertices) vertices = (size_t)kinds.points.vertices[i] + 1;
    const double start = bench_cpu();
    bench_linear_box *boxes = box_vertices(&s->motion, vertices);
    collide_points(s, boxes, &kinds);
    collide_edges(s, boxes, &kinds);
    note_memory(s, vertices, kinds.points.count + kinds.faces.count, kinds.faces.count);
    note_memory(s, vertices, kinds.edges.count, kinds.edges.count);
    free(boxes);
    end_search(s, start);
}

// ---- Embree

#ifdef TOC_HAVE_EMBREE
#include <embree3/rtcore.h>

typedef struct geometry {
    const features_of_kind *features;
    const motion *motion;
    RTCScene scene;
} geometry;

const char *bench_reference_name(void) { return "Embree " RTC_VERSION_STRING; }

static void tell_bounds(const struct RTCBoundsFunctionArguments *arguments) {
    const geometry *b = arguments->geometryUserPtr;
    const features_of_kind *f = b->features;
    const motion *m = b->motion;
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t c = 0; c < f->corners; c++) {
        const size_t at = 3 * (size_t)f->vertices[arguments->primID * f->corners + c];
        for (size_t k = 0; k < 3; k++) {
            const double p = m->x0[at + k], q = m->x1[at + k];
            low[k] = fmin(low[k], fmin(p, q));
            high[k] = fmax(high[k], fmax(p, q));
        }
    }
    *arguments->bounds_o = (struct RTCBounds){.lower_x = down(low[0] - m->grow),
                                              .lower_y = down(low[1] - m->grow),
                                              .lower_z = down(low[2] - m->grow),
                                              .upper_x = up(high[0] + m->grow),
                                              .upper_y = up(high[1] + m->grow),
                                              .upper_z = up(high[2] + m->grow)};
}

static void build(RTCDevice device, geometry *b) {
    RTCGeometry built = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_USER);
    rtcSetGeometryUserPrimitiveCount(built, (unsigned)b->features->count);
    rtcSetGeometryUserData(built, b);
    rtcSetGeometryBoundsFunction(built, tell_bounds, NULL);
    rtcCommitGeometry(built);
    b->scene = rtcNewScene(device);
    rtcAttachGeometry(b->scene, built);
    rtcReleaseGeometry(built);
    rtcCommitScene(b->scene);
}

static void take_embree(void *user, struct RTCCollision *collisions, unsigned count) {
    search *s = user;
    s->out->overlapping += count;
    for (unsigned i = 0; i < count; i++)
        if (s->kind == TOC_VF || collisions[i].primID0 < collisions[i].primID1) // edges come in both orders
            take_pair(s, collisions[i].primID0, collisions[i].primID1);
}

static void collide(search *s, toc_kind kind, const geometry *first, const geometry *second) {
    choose_kind(s, kind, first->features, second->features);
    rtcCollide(first->scene, second->scene, take_embree, s);
    test_pairs(s);
}

void bench_reference_run(const toc_features *f, const double *x0, const double *x1,
                         const bench_reference_settings *settings, bench_reference *out) {
    search *s = begin_search(x0, x1, settings, out);
    const feature_kinds kinds = kinds_of(f);
    RTCDevice device = rtcNewDevice("threads=1");
    const double start = bench_cpu();
    geometry points = {&kinds.points, &s->motion, NULL}, edges = {&kinds.edges, &s->motion, NULL};
    geometry faces = {&kinds.faces, &s->motion, NULL}, *const all[3] = {&points, &edges, &faces};
    for (int i = 0; i < 3; i++) build(device, all[i]);
    collide(s, TOC_VF, &points, &faces);
    collide(s, TOC_EE, &edges, &edges);
    for (int i = 0; i < 3; i++) rtcReleaseScene(all[i]->scene);
    end_search(s, start);
    rtcReleaseDevice(device);
}

#else

const char *bench_reference_name(void) { return NULL; }

void bench_reference_run(const toc_features *features, const double *x0, const double *x1,
                         const bench_reference_settings *settings, bench_reference *out) {
    (void)features, (void)x0, (void)x1, (void)settings;
    *out = (bench_reference){0};
}

#endif

void bench_reference_free(bench_reference *reference) { bench_keys_free(&reference->found); }
