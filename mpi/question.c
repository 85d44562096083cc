// SPDX-License-Identifier: Apache-2.0
// The common part of all questions: settings, the local scene, and the pairs that are this rank's to decide.
//
// Bounds of elements and of features grow by h, at least half of the largest distance D at which features count. Let
// the features A and B come within D. Along each axis the low side of B is at most D above the high side of A, and so,
// with one rounding of each side, the grown boxes intersect. The lowest corner p of the intersection is the larger of
// the low sides. It is in the box of A, hence in the box of every element around A; likewise for B. The region of p is
// reached by all of these elements. So the rank of that region knows every element around A and B: flags, winding,
// groups and thickness of the two are those of the whole mesh. Other ranks that have A and B compute the same p, and
// leave the pair alone.
#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mpi/scene.h"

// ---- scene

toc_status toc_mpi_scene_create(MPI_Comm comm, const toc_allocator *allocator, toc_mpi_scene **out) {
    int ready = 0, is_inter = 0;
    MPI_Initialized(&ready);
    if (!ready) return toc_fail(TOC_BAD_INPUT, "MPI is not initialised: call MPI_Init first");
    if (comm == MPI_COMM_NULL) return toc_fail(TOC_BAD_INPUT, "the communicator is MPI_COMM_NULL");
    MPI_Comm_test_inter(comm, &is_inter);
    if (is_inter)
        return toc_fail(TOC_BAD_INPUT, "the communicator joins two groups: merge them with MPI_Intercomm_merge");
    const toc_allocator memory = toc_allocator_or_default(allocator);
    toc_mpi_scene *scene = toc_new(&memory, 1, sizeof *scene);
    dist_link link = {.memory = memory};
    MPI_Comm_dup(comm, &link.comm);
    MPI_Comm_set_errhandler(link.comm, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_rank(link.comm, &link.rank);
    MPI_Comm_size(link.comm, &link.size);
    toc_status status = scene ? TOC_OK : TOC_OUT_OF_MEMORY;
    if (!out) status = toc_fail(TOC_BAD_INPUT, "out is NULL");
    status = toc_dist_agree(&link, status);
    if (status != TOC_OK) {
        MPI_Comm_free(&link.comm);
        toc_free(&memory, scene, 1, sizeof *scene);
        return status;
    }
    scene->link = link;
    *out = scene;
    return TOC_OK;
}

void toc_mpi_scene_destroy(toc_mpi_scene *scene) {
    if (!scene) return;
    const toc_allocator memory = scene->link.memory;
    toc_dist_work_free(scene);
    toc_dist_partition_free(scene);
    toc_dist_home_free(scene);
    MPI_Comm_free(&scene->link.comm);
    toc_free(&memory, scene, 1, sizeof *scene);
}

// ---- settings

static toc_status find_preset(const char *name, size_t *index) {
    for (size_t i = 0; toc_preset_get(i).name; i++) {
        *index = i;
        if (strcmp(toc_preset_get(i).name, name) == 0) return TOC_OK;
    }
    char known[512] = "";
    for (size_t i = 0, length = 0; toc_preset_get(i).name && length < sizeof known; i++)
        length +=
            (size_t)snprintf(known + length, sizeof known - length, "%s%s", i ? ", " : "", toc_preset_get(i).name);
    return toc_fail(TOC_BAD_INPUT, "there is no preset %.100s; choose one of: %s", name, known);
}

static toc_status check_method(const toc_query *query) {
    size_t preset = 0;
    TOC_TRY(find_preset(query->preset ? query->preset : "auto", &preset));
    toc_method method = query->test.method;
    if (method == TOC_METHOD_OF_PRESET) method = toc_preset_get(preset).method;
    if (!toc_preset_get(preset).is_complete)
        return toc_fail(TOC_BAD_INPUT, "the preset %s can miss contacts: on ranks only complete presets run",
                        toc_preset_get(preset).name);
    if (!toc_method_get(method).is_complete)
        return toc_fail(TOC_BAD_INPUT, "the method %s can miss contacts: on ranks only complete methods run",
                        toc_method_get(method).name);
    if (method != TOC_METHOD_EXACT && (!query->test.exact || query->test.tolerance != 0))
        return toc_fail(TOC_BAD_INPUT, "on ranks the method %s needs a tolerance of 0, and `exact`",
                        toc_method_get(method).name);
    return TOC_OK;
}

toc_status toc_dist_take_plain(const toc_query *query, toc_query *out) {
    TOC_NEED(query);
    TOC_TRY(toc_query_init(out, sizeof *out));
    if (query->size != sizeof *query)
        return toc_fail(TOC_BAD_INPUT, "a query of %u bytes, not %zu: begin with toc_query_default", query->size,
                        sizeof *query);
    *out = *query;
    if (query->filter.wants)
        return toc_fail(TOC_BAD_INPUT, "the filter of the query has local ids: use toc_mpi_scene_set_filter");
    if (query->candidates) return toc_fail(TOC_BAD_INPUT, "candidates are those of a scene of one rank");
    if (query->sink.take) return toc_fail(TOC_BAD_INPUT, "contacts of ranks have no sink");
    return TOC_OK;
}

toc_status toc_dist_take_query(const toc_query *query, toc_query *out) {
    TOC_TRY(toc_dist_take_plain(query, out));
    const double separation = out->test.separation;
    if (!(separation >= 0 && isfinite(separation)))
        return toc_fail(TOC_BAD_INPUT, "a separation of %g: it must be finite and not negative", separation);
    return check_method(query);
}

// A number that is the same for the same question to the same bodies.
static uint64_t hash_question(const toc_mpi_scene *scene, const dist_question *q) {
    const toc_query *query = &q->query;
    const double numbers[5] = {q->distance, query->test.separation, query->test.from, query->test.to, 0};
    uint64_t hash = dist_mix(q->question + scene->bodies.count), bits;
    for (const char *c = query->preset; c && *c; c++) hash = dist_mix(hash + (unsigned char)*c);
    for (int i = 0; i < 5; i++) {
        memcpy(&bits, &numbers[i], sizeof bits);
        hash = dist_mix(hash ^ bits);
    }
    hash = dist_mix(hash + (uint64_t)query->answer + 16 * (uint64_t)(query->test.method + 1));
    hash = dist_mix(hash + query->surface_only + 2 * (uint64_t)q->thin + 4 * (uint64_t)(q->span + 1));
    hash = dist_mix(hash + (scene->filter.wants != NULL) + scene->ignored.count);
    for (size_t b = 0; b < scene->bodies.count; b++) {
        const dist_body *body = &scene->bodies.at[b];
        memcpy(&bits, &body->thickness, sizeof bits);
        hash = dist_mix(dist_mix(dist_mix(hash ^ bits) ^ body->layers) ^ (body->mask + body->self));
    }
    return hash;
}

static toc_status check_same(toc_mpi_scene *scene, const dist_question *q) {
    const uint64_t hash = hash_question(scene, q);
    uint64_t both[2] = {hash, ~hash};
    if (scene->link.size == 1) return TOC_OK;
    scene->link.rounds++;
    MPI_Allreduce(MPI_IN_PLACE, both, 2, MPI_UINT64_T, MPI_MAX, scene->link.comm);
    if (both[0] == ~both[1]) return TOC_OK;
    return toc_fail(TOC_BAD_INPUT, "the ranks ask different questions, or have different bodies or settings");
}

static toc_status failure_before(toc_mpi_scene *scene) {
    const toc_status status = scene->failed;
    scene->failed = TOC_OK;
    return status == TOC_OK ? TOC_OK : toc_message_set(status, scene->message);
}

static double thickest_of(const toc_mpi_scene *scene) {
    double most = scene->flat.thickest;
    for (size_t b = 0; b < scene->bodies.count; b++) most = fmax(most, scene->bodies.at[b].thickness);
    return most;
}

static bool is_rank_accelerated(const toc_mpi_scene *scene) {
    for (size_t b = 0; b < scene->bodies.count; b++)
        if (scene->bodies.at[b].acceleration.count) return true;
    return false;
}

// Settings that come from all ranks: how far bounds grow, and whether there are parabolas.
static void share_bounds(toc_mpi_scene *scene, dist_question *q) {
    double most[2] = {q->thin ? 0 : thickest_of(scene), is_rank_accelerated(scene)};
    toc_dist_most(&scene->link, 2, most);
    const double distance = fmin(q->distance + most[0], DBL_MAX);
    q->growth = distance > 0 ? nextafter(distance / 2, INFINITY) : 0;
    scene->is_accelerated = most[1] > 0;
}

// Contacts of parabolas within a distance can be undecided, which depends on the bounds of the search. The same on
// every rank.
static toc_status check_thin_paths(const toc_mpi_scene *scene, const dist_question *q) {
    if (!scene->is_accelerated || q->span != DIST_STEP || q->growth == 0) return TOC_OK;
    return toc_fail(TOC_BAD_INPUT,
                    "on ranks accelerated bodies are thin: ask without a separation, and with `thin` where elements "
                    "have a thickness");
}

toc_status toc_dist_begin(toc_mpi_scene *scene, toc_status mine, dist_question *q) {
    dist_link *link = &scene->link;
    scene->begun = MPI_Wtime();
    scene->report = (toc_mpi_report){0};
    link->bytes = link->rounds = 0;
    q->scene = scene;
    const toc_status before = failure_before(scene);
    TOC_TRY(toc_dist_agree(link, before != TOC_OK ? before : mine));
    TOC_TRY(check_same(scene, q));
    TOC_TRY(toc_dist_flatten(scene));
    share_bounds(scene, q);
    TOC_TRY(check_thin_paths(scene, q));
    TOC_TRY(toc_dist_partition_update(scene, q->span));
    return toc_dist_work_update(scene, q->span, q->growth);
}

void toc_dist_end(toc_mpi_scene *scene) {
    toc_mpi_report *r = &scene->report;
    const dist_work *work = &scene->work;
    r->balance = toc_dist_work_balance(scene);
    toc_dist_partition_judge(scene, r->balance);
    r->elements = scene->flat.elements.count;
    r->searched = work->element_ids.count;
    r->ghosts = work->ghosts;
    r->vertices = work->ids.count;
    r->bytes = scene->link.bytes;
    r->rounds = scene->link.rounds;
    r->pairs = work->decided;
    r->turned_down = work->turned_down;
    r->seconds = MPI_Wtime() - scene->begun;
}

// ---- pairs of this rank

void toc_dist_low_corner(const dist_question *q, uint32_t body, int count, const uint32_t *v, double low[3]) {
    const dist_work *work = &q->scene->work;
    assert(body < q->scene->bodies.count && count > 0);
    const bool bends = q->scene->is_accelerated && q->span == DIST_STEP;
    low[0] = low[1] = low[2] = INFINITY;
    for (int i = 0; i < count; i++) {
        const size_t at = 3 * (work->vertex_first.at[body] + v[i]);
        assert(at < 3 * work->vertex_first.at[body + 1]);
        for (int c = 0; c < 3; c++) {
            const double x0 = work->x0.at[at + (size_t)c], x1 = work->x1.at[at + (size_t)c];
            if (q->span != DIST_END && x0 < low[c]) low[c] = x0;
            if (q->span != DIST_START && x1 < low[c]) low[c] = x1;
            if (bends && work->control.at[at + (size_t)c] < low[c]) low[c] = work->control.at[at + (size_t)c];
        }
    }
}

bool toc_dist_is_mine(const dist_question *q, const double low_a[3], const double low_b[3]) {
    double corner[3];
    assert(q->scene->partition.is_made && q->scene->partition.regions.count == (size_t)q->scene->link.size);
    for (int c = 0; c < 3; c++) corner[c] = (low_a[c] > low_b[c] ? low_a[c] : low_b[c]) - q->growth;
    return dist_region_has(&q->scene->partition.regions.at[q->scene->link.rank], corner);
}

static bool caller_wants(const toc_mpi_scene *scene, toc_kind kind, const uint32_t body[2], const uint32_t v[4]) {
    uint64_t ids[4];
    toc_dist_name_pair(scene, kind, body, v, ids);
    return scene->filter.wants(scene->filter.user, kind, body, ids);
}

// The lowest corner of the intersection is the place of the work, so that the pair counts at the feature whose low
// corner it has along most axes: beside a wall of one large element, at the small feature.
static void count_pair(dist_work *work, uint32_t body, uint32_t v) {
    atomic_fetch_add_explicit(&work->tests.at[work->vertex_first.at[body] + v], 1, memory_order_relaxed);
}

static bool wants_pair(void *user, toc_kind kind, const uint32_t body[2], const uint32_t v[4]) {
    const dist_question *q = user;
    dist_work *work = &q->scene->work;
    const int second = kind == TOC_VF ? 1 : 2;
    double a[3], b[3];
    toc_dist_low_corner(q, body[0], second, v, a);
    toc_dist_low_corner(q, body[1], 4 - second, v + second, b);
    if (!toc_dist_is_mine(q, a, b)) {
        atomic_fetch_add_explicit(&work->turned_down, 1, memory_order_relaxed);
        return false;
    }
    const bool first = (a[0] >= b[0]) + (a[1] >= b[1]) + (a[2] >= b[2]) >= 2;
    count_pair(work, body[!first], first ? v[0] : v[second]);
    atomic_fetch_add_explicit(&work->decided, 1, memory_order_relaxed);
    return !q->scene->filter.wants || caller_wants(q->scene, kind, body, v);
}

void toc_dist_use_filter(dist_question *q) {
    q->query.filter = (toc_pair_filter){wants_pair, q};
    q->scene->work.is_counted = true;
}

bool toc_dist_is_own_pair(const dist_question *q, toc_kind kind, const uint32_t body[2], const uint32_t v[4]) {
    const dist_work *work = &q->scene->work;
    const int second = kind == TOC_VF ? 1 : 2;
    double a[3], b[3];
    bool inside = true;
    for (int i = 0; i < 4; i++) inside &= work->inside.at[work->vertex_first.at[body[i >= second]] + v[i]] != 0;
    if (inside) return true;
    toc_dist_low_corner(q, body[0], second, v, a);
    toc_dist_low_corner(q, body[1], 4 - second, v + second, b);
    return toc_dist_is_mine(q, a, b);
}

int toc_dist_name_pair(const toc_mpi_scene *scene, toc_kind kind, const uint32_t body[2], const uint32_t v[4],
                       uint64_t out[4]) {
    const dist_work *work = &scene->work;
    const int second = kind == TOC_VF ? 1 : 2;
    assert(body[0] < scene->bodies.count && body[1] < scene->bodies.count);
    for (int i = 0; i < 4; i++) out[i] = work->ids.at[work->vertex_first.at[body[i >= second]] + v[i]];
    return work->owners.at[work->vertex_first.at[body[0]] + v[0]];
}
