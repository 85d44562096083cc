// SPDX-License-Identifier: Apache-2.0
// rtcCollide over user geometries of swept boxes, one for each kind of feature. Pairs go to the elementary test a few
// thousand at a time, as they are found. Trees have Embree's default quality: cheaper trees are built faster but let
// four times as many pairs through, which costs more in total.
#include "bench/support/reference.h"

#include "bench/support/measure.h"
#include "toccata/research.h"

#ifdef TOC_HAVE_EMBREE
#include <embree3/rtcore.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 4096 };

// Features of one kind: `corners` vertices each.
typedef struct boxes {
    const uint32_t *vertices;
    size_t count, corners;
    const double *x0, *x1;
    double grow; // on every side
    RTCScene scene;
} boxes;

typedef struct search {
    toc_kind kind;
    bench_reference_settings settings;
    const boxes *first, *second;
    bench_reference *out;
    size_t waiting;
    uint32_t pairs[CHUNK][4];
} search;

const char *bench_reference_name(void) { return "Embree " RTC_VERSION_STRING; }

// Embree works in single precision: round outward.
static float down(double x) {
    const float f = (float)x;
    return (double)f > x ? nextafterf(f, -INFINITY) : f;
}

static float up(double x) { return -down(-x); }

static void tell_bounds(const struct RTCBoundsFunctionArguments *arguments) {
    const boxes *b = arguments->geometryUserPtr;
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t c = 0; c < b->corners; c++) {
        const size_t at = 3 * (size_t)b->vertices[arguments->primID * b->corners + c];
        for (size_t k = 0; k < 3; k++) {
            const double p = b->x0[at + k], q = b->x1[at + k];
            low[k] = fmin(low[k], fmin(p, q));
            high[k] = fmax(high[k], fmax(p, q));
        }
    }
    *arguments->bounds_o = (struct RTCBounds){.lower_x = down(low[0] - b->grow),
                                              .lower_y = down(low[1] - b->grow),
                                              .lower_z = down(low[2] - b->grow),
                                              .upper_x = up(high[0] + b->grow),
                                              .upper_y = up(high[1] + b->grow),
                                              .upper_z = up(high[2] + b->grow)};
}

static void build(RTCDevice device, boxes *b) {
    RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_USER);
    rtcSetGeometryUserPrimitiveCount(geometry, (unsigned)b->count);
    rtcSetGeometryUserData(geometry, b);
    rtcSetGeometryBoundsFunction(geometry, tell_bounds, NULL);
    rtcCommitGeometry(geometry);
    b->scene = rtcNewScene(device);
    rtcAttachGeometry(b->scene, geometry);
    rtcReleaseGeometry(geometry);
    rtcCommitScene(b->scene);
}

static void test_pairs(search *s) {
    static toc_verdict verdicts[CHUNK];
    static double times[CHUNK];
    const double *x0 = s->first->x0, *x1 = s->first->x1, start = bench_cpu();
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
    if (s->kind == TOC_EE && a >= b) return false; // each pair comes in both orders, and each edge with itself
    memcpy(v, s->first->vertices + a * n, n * sizeof *v);
    memcpy(v + n, s->second->vertices + b * m, m * sizeof *v);
    if (v[0] >= s->settings.still_from && v[n] >= s->settings.still_from) return false;
    for (size_t i = 0; i < n; i++)
        for (size_t j = n; j < 4; j++)
            if (v[i] == v[j]) return false;
    return true;
}

static void take(void *user, struct RTCCollision *collisions, unsigned count) {
    search *s = user;
    s->out->overlapping += count;
    for (unsigned i = 0; i < count; i++) {
        if (!make_pair(s, collisions[i].primID0, collisions[i].primID1, s->pairs[s->waiting])) continue;
        if (++s->waiting == CHUNK) test_pairs(s);
    }
}

static void collide(toc_kind kind, const bench_reference_settings *settings, const boxes *first, const boxes *second,
                    bench_reference *out) {
    search *s = bench_must(calloc(1, sizeof *s));
    s->kind = kind;
    s->settings = *settings;
    s->first = first;
    s->second = second;
    s->out = out;
    rtcCollide(first->scene, second->scene, take, s);
    test_pairs(s);
    free(s);
}

void bench_reference_run(const toc_features *f, const double *x0, const double *x1,
                         const bench_reference_settings *settings, bench_reference *out) {
    const bench_reference_settings plain = {.separation = 0, .still_from = UINT32_MAX},
                                   *used = settings ? settings : &plain;
    const double grow = used->separation / 2 + 1e-6; // and the tolerance
    *out = (bench_reference){0};
    RTCDevice device = rtcNewDevice("threads=1");
    const double start = bench_cpu();
    boxes points = {f->vertices, f->vertex_count, 1, x0, x1, settings ? grow : 0, NULL};
    boxes edges = {f->edges[0], f->edge_count, 2, x0, x1, settings ? grow : 0, NULL};
    boxes faces = {f->faces[0], f->face_count, 3, x0, x1, settings ? grow : 0, NULL};
    boxes *const all[3] = {&points, &edges, &faces};
    for (int i = 0; i < 3; i++) build(device, all[i]);
    collide(TOC_VF, used, &points, &faces, out);
    collide(TOC_EE, used, &edges, &edges, out);
    for (int i = 0; i < 3; i++) rtcReleaseScene(all[i]->scene);
    out->search_seconds = bench_cpu() - start - out->test_seconds;
    rtcReleaseDevice(device);
    bench_keys_sort(&out->found);
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
