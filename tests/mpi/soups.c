// SPDX-License-Identifier: Apache-2.0
// Random soups, handed in by one to seven ranks in every way: contacts bit for bit those of one machine, pairs those of
// brute force, in steps that follow each other, after edits, with thickness, groups and filters.
#include <stdlib.h>
#include <string.h>

#include "mpi/spread.h"
#include "support/grid.h"

typedef struct trial {
    test_random random;
    MPI_Comm comm;
    int rank;
    toc_scene *one, *layout; // the scene of one machine; the same as it was at first
    toc_mpi_scene *many;
    spread_options spread;
    toc_query query;
} trial;

static bool one_in(trial *t, uint32_t n) { return test_random_below(&t->random, n) == 0; }

// A filter by ids: of one machine, and of ranks.
static bool is_wanted(uint64_t a, uint64_t b) { return (a * 7 + b * 13) % 5 != 0; }

static bool wants_one(void *user, toc_kind kind, const uint32_t body[2], const uint32_t v[4]) {
    (void)kind, (void)body, (void)user;
    return is_wanted(v[0], v[3]);
}

static bool wants_many(void *user, toc_kind kind, const uint32_t body[2], const uint64_t v[4]) {
    (void)kind, (void)body;
    const spread_options *o = user;
    return is_wanted((v[0] - o->first) / o->stride, (v[3] - o->first) / o->stride);
}

// Triangles that are small beside the distances between them: contacts by separation reach far beyond their boxes.
static toc_mesh *make_specks(trial *t) {
    toc_mesh *mesh;
    check_ok(toc_mesh_create(NULL, &mesh));
    for (uint32_t e = 0; e < 30; e++) {
        const uint32_t corners[3] = {3 * e, 3 * e + 1, 3 * e + 2};
        double x[9];
        for (int i = 0; i < 9; i++)
            x[i] = i < 3 ? test_random_between(&t->random, 0, 1) : x[i % 3] + test_random_between(&t->random, 0, 1e-3);
        check_ok(toc_mesh_add_vertices(mesh, 3, x, NULL));
        check_ok(toc_mesh_add_elements(mesh, TOC_TRIANGLE, 1, corners, NULL));
    }
    return mesh;
}

static toc_mesh *make_mesh(trial *t) {
    if (one_in(t, 4)) return make_specks(t);
    const toc_shape shape = (toc_shape)test_random_below(&t->random, TOC_SHAPE_COUNT);
    const uint32_t elements = 1 + test_random_below(&t->random, 24), vertices = 4 + test_random_below(&t->random, 40);
    toc_mesh *mesh = test_soup(&t->random, shape, elements, vertices);
    test_shake(mesh, &t->random, 0.1, one_in(t, 3) ? 1 : 0.1);
    if (one_in(t, 3))
        for (uint32_t e = 0; e < elements; e++) {
            if (one_in(t, 2)) check_ok(toc_mesh_set_thickness(mesh, e, test_random_between(&t->random, 0, 0.05)));
            if (one_in(t, 2)) check_ok(toc_mesh_set_group(mesh, e, (int32_t)test_random_below(&t->random, 3)));
        }
    return mesh;
}

static void make_scenes(trial *t) {
    const uint32_t bodies = 1 + test_random_below(&t->random, 3);
    check_ok(toc_scene_create(NULL, &t->one));
    check_ok(toc_scene_create(NULL, &t->layout));
    for (uint32_t b = 0; b < bodies; b++) {
        toc_mesh *mesh = make_mesh(t), *copy;
        check_ok(toc_mesh_copy(mesh, &copy));
        check_ok(toc_scene_add_body(t->one, mesh, NULL));
        check_ok(toc_scene_add_body(t->layout, copy, NULL));
    }
    t->spread = (spread_options){(spread_kind)test_random_below(&t->random, SPREAD_COUNT), test_random_bits(&t->random),
                                 one_in(t, 2) ? 0 : (uint64_t)7 << 33, one_in(t, 2) ? 1 : (uint64_t)3 << 31};
    check_ok(toc_mpi_scene_create(t->comm, NULL, &t->many));
    spread_scene(t->one, t->comm, &t->spread, t->many);
}

static void choose_settings(trial *t) {
    static const char *const presets[] = {"auto", "auto", "bvh", "volccd", "voxel-safe", "brute"};
    const bool self = !one_in(t, 4), filtered = one_in(t, 4), groups = !one_in(t, 4);
    const double thickness = one_in(t, 4) ? 0.03 : 0;
    t->query = toc_query_default();
    t->query.preset = presets[test_random_below(&t->random, 6)];
    t->query.threads = 1 + (int)test_random_below(&t->random, 2);
    t->query.surface_only = one_in(t, 3);
    t->query.thin = one_in(t, 3);
    if (one_in(t, 3)) t->query.test.separation = one_in(t, 2) ? 0.02 : 0.3;
    if (one_in(t, 4)) t->query.answer = TOC_ANSWER_FIRST;
    check_ok(toc_scene_set_self_contact(t->one, 0, self));
    check_ok(toc_mpi_scene_set_self_contact(t->many, 0, self));
    check_ok(toc_scene_set_body_thickness(t->one, 0, thickness));
    check_ok(toc_mpi_scene_set_body_thickness(t->many, 0, thickness));
    check_ok(toc_scene_set_group_contact(t->one, 1, 2, groups));
    check_ok(toc_mpi_scene_set_group_contact(t->many, 1, 2, groups));
    check_ok(toc_mpi_scene_set_filter(t->many, (toc_mpi_filter){filtered ? wants_many : NULL, &t->spread}));
    t->query.filter.wants = filtered ? wants_one : NULL;
}

static void check_against_brute(trial *t, const toc_contacts *contacts) {
    toc_query query = t->query;
    toc_contacts *truth;
    if (query.answer != TOC_ANSWER_ALL || query.test.separation > 0.1) return; // exact and slow
    query.preset = "brute";
    check_ok(toc_scene_find_contacts(t->one, &query, NULL, &truth));
    check_that(truth->count == contacts->count);
    for (size_t i = 0; i < truth->count; i++) {
        check_that(truth->contacts[i].kind == contacts->contacts[i].kind);
        check_that(memcmp(truth->contacts[i].v, contacts->contacts[i].v, sizeof truth->contacts[i].v) == 0);
    }
    toc_contacts_destroy(truth);
}

static void ask_both(trial *t) {
    toc_contacts *wanted = NULL;
    toc_mpi_contacts *got;
    toc_query query = t->query;
    query.filter.wants = NULL;
    check_ok(toc_mpi_scene_find_contacts(t->many, &query, &got));
    if (t->rank == 0) {
        check_ok(toc_scene_find_contacts(t->one, &t->query, NULL, &wanted));
        check_against_brute(t, wanted);
    }
    check_same_contacts(t->many, t->comm, got, wanted, &t->spread);
    toc_contacts_destroy(wanted);
    toc_mpi_contacts_destroy(got);
}

// Any contact: one of all, or none where there is none.
static void ask_any(trial *t) {
    toc_contacts *all = NULL;
    toc_mpi_contacts *got;
    toc_query query = t->query;
    query.filter.wants = NULL;
    query.answer = TOC_ANSWER_ANY;
    check_ok(toc_mpi_scene_find_contacts(t->many, &query, &got));
    if (t->rank == 0) {
        size_t same = 0;
        query = t->query;
        query.answer = TOC_ANSWER_ALL;
        check_ok(toc_scene_find_contacts(t->one, &query, NULL, &all));
        for (size_t i = 0; i < all->count; i++) same += all->contacts[i].toc == got->first;
        check_that(got->total == (all->count > 0));
        check_that(got->total == 0 || same > 0);
    }
    toc_contacts_destroy(all);
    toc_mpi_contacts_destroy(got);
}

// ---- other questions

static void check_safe_step(trial *t) {
    double got, wanted;
    toc_query query = t->query;
    query.filter.wants = NULL;
    check_ok(toc_mpi_scene_find_safe_step(t->many, &query, &got));
    if (t->rank != 0) return;
    check_ok(toc_scene_find_safe_step(t->one, &t->query, &wanted));
    check_that(memcmp(&got, &wanted, sizeof got) == 0);
}

static uint64_t id_of(const trial *t, uint64_t v) { return t->spread.first + t->spread.stride * v; }

// The sum of hashes of all items: the same for any distribution.
static uint64_t hash_bytes(const void *bytes, size_t count) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < count; i++) hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3u;
    return hash;
}

static uint64_t hash_near(const trial *t, const toc_near *near) {
    uint64_t sum = 0;
    for (size_t i = 0; i < near->count; i++) {
        const toc_near_pair *p = &near->pairs[i];
        toc_mpi_near_pair named;
        memset(&named, 0, sizeof named);
        named.kind = p->kind;
        memcpy(named.body, p->body, sizeof named.body);
        for (int k = 0; k < 4; k++) named.v[k] = id_of(t, p->v[k]);
        named.distance = p->distance, named.time = p->time, named.thickness = p->thickness;
        memcpy(named.weights, p->weights, sizeof named.weights);
        memcpy(named.points, p->points, sizeof named.points);
        memcpy(named.normal, p->normal, sizeof named.normal);
        sum += hash_bytes(&named, sizeof named);
    }
    return sum;
}

static uint64_t hash_overlaps(const trial *t, const toc_overlaps *overlaps) {
    uint64_t sum = 0;
    for (size_t i = 0; i < overlaps->count; i++) {
        const toc_overlap_pair *p = &overlaps->pairs[i];
        toc_mpi_overlap_pair named;
        memset(&named, 0, sizeof named);
        for (int side = 0; side < 2; side++) {
            named.body[side] = p->body[side];
            named.element[side] = id_of(t, p->element[side]);
            for (int k = 0; k < 3; k++)
                named.v[side][k] = p->v[side][k] == UINT32_MAX ? UINT64_MAX : id_of(t, p->v[side][k]);
        }
        named.depth = p->depth;
        memcpy(named.normal, p->normal, sizeof named.normal);
        memcpy(named.point, p->point, sizeof named.point);
        sum += hash_bytes(&named, sizeof named);
    }
    return sum;
}

// Counts and hashes of all ranks together must be those of one machine.
static void check_sums(trial *t, uint64_t count, uint64_t hash, uint64_t wanted_count, uint64_t wanted_hash) {
    uint64_t sums[2] = {count, hash};
    MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_UINT64_T, MPI_SUM, t->comm);
    if (t->rank == 0) check_that(sums[0] == wanted_count);
    if (t->rank == 0) check_that(sums[1] == wanted_hash);
}

static void check_near(trial *t, bool in_step) {
    toc_near_query near = toc_near_query_default();
    toc_mpi_near *got;
    toc_near *wanted = NULL;
    toc_query query = t->query;
    uint64_t hash = 0;
    query.filter.wants = NULL;
    near.time = one_in(t, 2) ? TOC_NEAR_AT_START : TOC_NEAR_AT_END;
    if (in_step) near.time = TOC_NEAR_IN_STEP;
    near.distance = one_in(t, 2) ? 0 : 0.07;
    check_ok(toc_mpi_scene_find_near(t->many, &query, &near, &got));
    for (size_t i = 0; i < got->count; i++) hash += hash_bytes(&got->pairs[i], sizeof *got->pairs);
    if (t->rank == 0) check_ok(toc_scene_find_near(t->one, &t->query, &near, NULL, &wanted));
    check_sums(t, got->count, hash, wanted ? wanted->count : 0, wanted ? hash_near(t, wanted) : 0);
    toc_near_destroy(wanted);
    toc_mpi_near_destroy(got);
}

static void check_overlaps(trial *t, bool elements) {
    const toc_end end = one_in(t, 2) ? TOC_AT_START : TOC_AT_END;
    toc_mpi_overlaps *got;
    toc_overlaps *wanted = NULL;
    toc_query query = t->query;
    uint64_t hash = 0;
    query.filter.wants = NULL;
    check_ok(
        (elements ? toc_mpi_scene_find_element_overlaps : toc_mpi_scene_find_overlaps)(t->many, &query, end, &got));
    for (size_t i = 0; i < got->count; i++) hash += hash_bytes(&got->pairs[i], sizeof *got->pairs);
    if (t->rank == 0)
        check_ok((elements ? toc_scene_find_element_overlaps : toc_scene_find_overlaps)(t->one, &t->query, end, NULL,
                                                                                        &wanted));
    check_sums(t, got->count, hash, wanted ? wanted->count : 0, wanted ? hash_overlaps(t, wanted) : 0);
    toc_overlaps_destroy(wanted);
    toc_mpi_overlaps_destroy(got);
}

static void move_both(trial *t, double by) {
    for (uint32_t b = 0; b < toc_scene_get_body_count(t->one); b++) {
        toc_mesh *mesh = toc_scene_edit_mesh(t->one, b);
        const size_t count = 3 * toc_mesh_get_vertex_count(mesh);
        double *x = malloc((count + 1) * sizeof *x);
        for (size_t i = 0; i < count; i++) x[i] = toc_mesh_get_x1(mesh)[i] + test_random_between(&t->random, -by, by);
        check_ok(toc_mesh_move(mesh, toc_mesh_get_vertex_count(mesh), x));
        free(x);
    }
    spread_motion(t->layout, t->one, t->comm, &t->spread, t->many);
}

// Some bodies on parabolas: straight ones have control points then, too, on one machine and on every rank.
static void accelerate_both(trial *t) {
    const uint32_t bodies = (uint32_t)toc_scene_get_body_count(t->one), last = test_random_below(&t->random, bodies);
    for (uint32_t b = 0; b < bodies; b++) {
        toc_mesh *mesh = toc_scene_edit_mesh(t->one, b);
        const size_t count = 3 * toc_mesh_get_vertex_count(mesh);
        double *a = malloc((count + 1) * sizeof *a);
        const bool bends = b == last || one_in(t, 2);
        for (size_t i = 0; i < count; i++) a[i] = test_random_between(&t->random, -1, 1);
        if (bends) check_ok(toc_mesh_set_acceleration(mesh, toc_mesh_get_vertex_count(mesh), a));
        free(a);
    }
    spread_motion(t->layout, t->one, t->comm, &t->spread, t->many);
}

// On parabolas the time of a contact, from which the fraction follows, is not known to the last bit.
static void check_safe_part(trial *t) {
    double got, wanted;
    toc_contacts *before;
    toc_query query = t->query;
    query.filter.wants = NULL;
    check_ok(toc_mpi_scene_find_safe_step(t->many, &query, &got));
    if (t->rank != 0) return;
    check_ok(toc_scene_find_safe_step(t->one, &t->query, &wanted));
    check_that(got <= 1 && got >= 0.99 * wanted);
    if (got == 0) return;
    query = t->query;
    query.answer = TOC_ANSWER_ALL;
    query.test.to = got;
    check_ok(toc_scene_find_contacts(t->one, &query, NULL, &before));
    check_that(before->count == 0);
    toc_contacts_destroy(before);
}

static void check_parabolas(trial *t) {
    toc_mpi_contacts *refused;
    toc_query query = toc_query_default();
    accelerate_both(t);
    query.test.separation = 0.01;
    check_that(toc_mpi_scene_find_contacts(t->many, &query, &refused) == TOC_BAD_INPUT);
    t->query.test.separation = 0;
    t->query.thin = true;
    ask_both(t);
    ask_any(t);
    check_safe_part(t);
    check_overlaps(t, true);
}

static void remove_from_both(trial *t) {
    const toc_mesh *mesh = toc_scene_get_mesh(t->one, 0);
    const uint32_t element = test_random_below(&t->random, (uint32_t)toc_mesh_get_element_count(mesh));
    if (toc_mesh_get_element(mesh, element).shape == TOC_REMOVED) return;
    check_ok(toc_mesh_remove_element(toc_scene_edit_mesh(t->one, 0), element));
    spread_remove(t->layout, t->comm, &t->spread, 0, element, t->many);
}

static void run_trial(uint64_t seed, MPI_Comm comm) {
    trial t = {.random = {seed}, .comm = comm};
    MPI_Comm_rank(comm, &t.rank);
    make_scenes(&t);
    choose_settings(&t);
    ask_both(&t);
    check_safe_step(&t);
    ask_any(&t);
    check_overlaps(&t, seed % 2);
    move_both(&t, 0.002);
    check_near(&t, seed % 4 == 0);
    check_safe_step(&t);
    ask_both(&t);
    remove_from_both(&t);
    move_both(&t, 0.3);
    choose_settings(&t);
    ask_both(&t);
    if (seed % 3 == 0) check_parabolas(&t);
    toc_mpi_scene_destroy(t.many);
    toc_scene_destroy(t.one);
    toc_scene_destroy(t.layout);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1,
                   count = argc > 2 ? strtoull(argv[2], NULL, 10) : 21;
    for (int ranks = 1; ranks <= size; ranks++) {
        MPI_Comm comm;
        MPI_Comm_split(MPI_COMM_WORLD, rank < ranks ? 0 : MPI_UNDEFINED, rank, &comm);
        if (comm == MPI_COMM_NULL) continue;
        for (uint64_t i = 0; i < count / (uint64_t)size; i++) run_trial((first + i) * 1000003 + (uint64_t)ranks, comm);
        if (ranks == 2) run_trial(5074015224, comm); // a thick face whose winding is not in the order of its ids
        MPI_Comm_free(&comm);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) printf("%llu soups, 9 to 13 questions each, on 1 to %d ranks\n", (unsigned long long)count, size);
    MPI_Finalize();
    return 0;
}
