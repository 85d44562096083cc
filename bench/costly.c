// SPDX-License-Identifier: Apache-2.0
// Questions that take long: exact decisions about coordinates of mixed sizes, the closest approach of slivers, and all
// contacts of a sheet whose vertices move at random by up to 20 edge lengths.
//
//     bench.costly        all tables, with sheets of 1,800 and 5,000 triangles
//     bench.costly N      a sheet of N by N squares alone
//
// Exact decisions are compared with those of the certified test, distances with samples of the motion, and contacts
// with those of another preset; of a large sheet every thousandth contact is asked about again, alone.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "bench/support/sheet.h"
#include "toccata/toccata.h"

static void need(toc_status status) {
    if (status == TOC_OK) return;
    fprintf(stderr, "costly: %s\n", toc_message_get());
    exit(1);
}

static void fail(const char *what) {
    fprintf(stderr, "costly: %s\n", what);
    exit(1);
}

// ---- exact decisions

static double mixed(bench_random *random, int spread) {
    const double digits = bench_between(random, -1, 1);
    return ldexp(digits, (int)bench_between(random, -spread, spread + 1));
}

static toc_pair mixed_pair(bench_random *random, int spread) {
    toc_pair pair;
    for (int i = 0; i < 12; i++) pair.x0[i / 3][i % 3] = mixed(random, spread);
    for (int i = 0; i < 12; i++) pair.x1[i / 3][i % 3] = mixed(random, spread);
    return pair;
}

static void check_verdict(toc_kind kind, const toc_pair *pair, const toc_hit *exact) {
    const toc_pair_test test = toc_pair_test_default();
    toc_hit hit;
    need(toc_pair_find(kind, pair, &test, &hit));
    if (hit.verdict != exact->verdict) fail("exact and certified verdicts differ");
    if (hit.verdict == TOC_HIT && fabs(hit.toc - exact->toc) > 1e-9 * exact->toc)
        fail("exact and certified times differ");
}

static void exact_pairs(int spread, int count) {
    bench_random random = {(uint64_t)spread + 1};
    toc_pair_test test = toc_pair_test_default();
    double sum = 0, most = 0;
    int hits = 0;
    test.method = TOC_METHOD_EXACT;
    for (int i = 0; i < count; i++) {
        const toc_kind kind = i % 2 ? TOC_EE : TOC_VF;
        const toc_pair pair = mixed_pair(&random, spread);
        toc_hit hit;
        const double start = bench_seconds();
        need(toc_pair_find(kind, &pair, &test, &hit));
        const double seconds = bench_seconds() - start;
        sum += seconds;
        most = fmax(most, seconds);
        hits += hit.verdict == TOC_HIT;
        check_verdict(kind, &pair, &hit);
    }
    printf("2^-%-3d to 2^%-3d %8d %8d %12.2f %12.1f\n", spread, spread, count, hits, 1e6 * sum / count, 1e6 * most);
}

// ---- slivers in the step

static void add_feature(toc_scene *scene, size_t count, double (*x0)[3], double (*x1)[3]) {
    static const toc_shape shapes[] = {TOC_POINT, TOC_EDGE, TOC_TRIANGLE};
    const uint32_t corners[3] = {0, 1, 2};
    toc_mesh *mesh;
    need(toc_mesh_create(NULL, &mesh));
    need(toc_mesh_add_vertices(mesh, count, x0[0], NULL));
    need(toc_mesh_add_elements(mesh, shapes[count - 1], 1, corners, NULL));
    need(toc_mesh_move(mesh, toc_mesh_get_vertex_count(mesh), x1[0]));
    need(toc_scene_add_body(scene, mesh, NULL));
}

// Two features, thin along x and z and long along y, that turn, stretch or move by one vector.
static toc_scene *slivers(toc_kind kind, double extent, bool by_one_vector, bench_random *random) {
    const size_t first = kind == TOC_VF ? 1 : 2;
    toc_scene *scene;
    double x0[4][3], x1[4][3];
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++) {
            const double size = k == 1 ? extent : pow(10, bench_between(random, -5, 0));
            x0[i][k] = size * bench_between(random, -1, 1);
            x1[i][k] = x0[i][k] + (by_one_vector ? 0.1 * k : bench_between(random, -0.1, 0.1));
        }
    need(toc_scene_create(NULL, &scene));
    add_feature(scene, first, x0, x1);
    add_feature(scene, 4 - first, x0 + first, x1 + first);
    return scene;
}

// The distance at a time of the step is not less than the one told, but for its accuracy.
static void check_near(const toc_scene *scene, const toc_near_pair *n, double thickness) {
    const int first = n->kind == TOC_VF ? 1 : 2;
    double extent = 0;
    for (int t = 0; t <= 16; t++) {
        double x[12];
        toc_distance found;
        for (int i = 0; i < 4; i++) {
            const toc_mesh *mesh = toc_scene_get_mesh(scene, n->body[i >= first]);
            toc_positions_interpolate(t / 16.0, 3, toc_mesh_get_x0(mesh) + 3 * n->v[i],
                                      toc_mesh_get_x1(mesh) + 3 * n->v[i], NULL, x + 3 * i);
        }
        for (int i = 0; i < 12; i++) extent = fmax(extent, fabs(x[i] - x[i % 3]));
        need(toc_distance_find(n->kind, x, &found));
        if (found.distance < n->distance - fmax(0x1p-20 * thickness, 0x1p-35 * extent))
            fail("a pair comes nearer than told");
    }
}

static void near_in_step(double extent, int count) {
    const double thickness = 0.1;
    bench_random random = {3};
    toc_query query = toc_query_default();
    double sum = 0, most = 0;
    size_t found = 0;
    toc_near_query asked = toc_near_query_default();
    query.threads = 1;
    asked.time = TOC_NEAR_IN_STEP;
    asked.distance = thickness;
    for (int round = 0; round < count; round++) {
        toc_scene *scene = slivers(round % 2 ? TOC_EE : TOC_VF, extent, round % 3 == 0, &random);
        toc_near *near;
        const double start = bench_seconds();
        need(toc_scene_find_near(scene, &query, &asked, NULL, &near));
        const double seconds = bench_seconds() - start;
        sum += seconds;
        most = fmax(most, seconds);
        found += near->count;
        for (size_t i = 0; i < near->count; i++) check_near(scene, &near->pairs[i], thickness);
        toc_near_destroy(near);
        toc_scene_destroy(scene);
    }
    printf("%-10g %8d %8zu %12.1f %12.1f\n", extent, count, found, 1e6 * sum / count, 1e6 * most);
}

// ---- random motion

typedef struct sampled {
    uint64_t count;
    const toc_mesh *mesh;
} sampled;

static int take_contacts(void *user, const toc_contact *contacts, size_t count) {
    sampled *s = user;
    for (size_t i = 0; i < count; i++) {
        if (++s->count % 1000 != 0) continue;
        toc_pair pair;
        toc_hit hit;
        toc_pair_test test = toc_pair_test_default();
        test.method = TOC_METHOD_EXACT;
        for (int j = 0; j < 4; j++) {
            memcpy(pair.x0[j], toc_mesh_get_x0(s->mesh) + 3 * contacts[i].v[j], sizeof pair.x0[j]);
            memcpy(pair.x1[j], toc_mesh_get_x1(s->mesh) + 3 * contacts[i].v[j], sizeof pair.x1[j]);
        }
        need(toc_pair_find(contacts[i].kind, &pair, &test, &hit));
        if (hit.verdict != TOC_HIT || contacts[i].toc > hit.toc * (1 + 1e-9)) fail("a contact is none, or late");
    }
    return 0;
}

static void show_stages(const toc_contacts *contacts) {
    for (size_t i = 0; i < contacts->stage_count; i++)
        printf("    %-16s %13llu %13llu %9.2f\n", contacts->stages[i].name, (unsigned long long)contacts->stages[i].in,
               (unsigned long long)contacts->stages[i].out, contacts->stages[i].seconds);
}

// @return CPU seconds a contact.
static double random_motion(uint32_t n, bench_degenerate how, bool compare) {
    toc_scene *scene = bench_degenerate_sheet(n, 20, how);
    sampled s = {.mesh = toc_scene_get_mesh(scene, 0)};
    toc_query query = toc_query_default();
    toc_contacts *contacts, *others;
    query.threads = 1;
    query.sink = (toc_contact_sink){take_contacts, &s};
    const double start = bench_seconds();
    need(toc_scene_find_contacts(scene, &query, NULL, &contacts));
    const double seconds = bench_seconds() - start;
    printf("%-10u %12llu %10.2f  %s\n", 2 * n * n, (unsigned long long)contacts->found, seconds, contacts->chosen);
    show_stages(contacts);
    fflush(stdout);
    query.preset = "bvh";
    if (compare) {
        need(toc_scene_find_contacts(scene, &query, NULL, &others));
        if (others->found != contacts->found) fail("auto and bvh find different contacts");
        toc_contacts_destroy(others);
    }
    const double each = seconds / (double)contacts->found;
    toc_contacts_destroy(contacts);
    toc_scene_destroy(scene);
    return each;
}

static const bench_degenerate any_motion = {.dimensions = 3};

enum { TIMES_USUAL = 30 }; // what a contact of a degenerate sheet may cost, beside one in general position

static void degenerate_motion(uint32_t n) {
    static const bench_degenerate all[] = {{64, 3}, {4, 3}, {1, 3},    {0, 2}, {1024, 2},
                                           {4, 2},  {1, 2}, {1024, 1}, {1, 1}};
    const double usual = random_motion(n, any_motion, true);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        printf("moves are multiples of 1/%d in %d dimensions:\n", all[i].parts, all[i].dimensions);
        const double each = random_motion(n, all[i], true);
        printf("    %.2f us a contact, %.1f times those of any motion\n", 1e6 * each, each / usual);
        if (each > TIMES_USUAL * usual) fail("a degenerate contact costs more than 30 times another one");
    }
}

static const char *const sheet_title =
    "# All contacts of a sheet, each vertex moved at random by up to 20 edge lengths: CPU s, one thread\n"
    "# triangles    contacts    seconds  pipeline; stages: in, out, s\n";

int main(int count, char **words) {
    if (count > 1) {
        printf("%s", sheet_title);
        random_motion((uint32_t)strtoul(words[1], NULL, 10), any_motion, false);
        return 0;
    }
    printf("# TOC_METHOD_EXACT on coordinates of mixed sizes: microseconds a pair\n"
           "# sizes             pairs     hits         mean         most\n");
    exact_pairs(0, 20000);
    exact_pairs(60, 2000);
    exact_pairs(600, 1000);
    printf("\n# toc_scene_find_near in the step, scenes of two slivers, thickness 0.1: microseconds a scene\n"
           "# extent      scenes     near         mean         most\n");
    for (double extent = 1; extent < 2e6; extent *= 100) near_in_step(extent, 300);
    printf("\n%s", sheet_title);
    degenerate_motion(10);
    random_motion(30, any_motion, true);
    random_motion(50, any_motion, true);
    return 0;
}
