// SPDX-License-Identifier: Apache-2.0
// The library and the model side by side: every answer is compared with exact arithmetic on every pair.
#include "campaign/check.h"

#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "campaign/solver.h"
#include "campaign/state.h"
#include "support/fold.h"
#include "toccata/research.h"

volatile uint32_t check_present_op;

// ---- memory: counted, bounded, failing on demand

// The stated bound of the memory of a scene and a question: the same for all presets and coordinates.
// Exact arithmetic takes most of the part for each thread.
enum { BYTES_ALWAYS = 16 << 20, BYTES_PER_THREAD = 48 << 20, BYTES_PER_ITEM = 20000, MOST_THREADS = 8 };

static pthread_mutex_t resize_lock = PTHREAD_MUTEX_INITIALIZER;

static void *check_resize(void *user, void *block, size_t old_size, size_t new_size) {
    check_memory *m = user;
    void *moved = NULL;
    pthread_mutex_lock(&resize_lock);
    const bool fails = new_size > old_size && ++m->calls == m->fail_at;
    const bool over = new_size > old_size && m->alive - old_size + new_size > 4 * m->bound;
    m->over = m->over || over;
    if (new_size == 0) {
        free(block);
        m->alive -= old_size;
    } else if (!fails && !over && (moved = realloc(block, new_size)) != NULL) {
        m->alive += new_size - old_size;
        if (m->alive > m->peak) m->peak = m->alive;
    }
    pthread_mutex_unlock(&resize_lock);
    return moved;
}

// ---- the run

void check_fail(check_state *s, const char *check, const char *format, ...) {
    check_report *r = s->report;
    if (r->failed) return;
    r->failed = true;
    r->op = check_present_op;
    snprintf(r->check, sizeof r->check, "%s", check);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(r->text, sizeof r->text, format, arguments);
    va_end(arguments);
}

void check_digest(check_state *s, const void *bytes, size_t count) {
    uint64_t word = 0;
    for (size_t i = 0; i < count; i += sizeof word) {
        memcpy(&word, (const char *)bytes + i, count - i < sizeof word ? count - i : sizeof word);
        s->report->digest = trial_hash(s->report->digest, word);
    }
}

// ---- operations

static const double *flat(double x[][3]) { return x[0]; }

static toc_status add_body(const model_body *b, const toc_allocator *allocator, toc_scene *scene) {
    toc_mesh *mesh;
    toc_status status = toc_mesh_create(allocator, &mesh);
    if (status != TOC_OK) return status;
    status = toc_mesh_add_vertices(mesh, b->vertex_count, b->x0[0], NULL);
    for (uint32_t e = 0; status == TOC_OK && e < b->element_count; e++)
        status = toc_mesh_add_elements(mesh, (toc_shape)b->elements[e].shape, 1, b->elements[e].c, NULL);
    if (status == TOC_OK) status = toc_scene_add_body(scene, mesh, NULL);
    if (status != TOC_OK) toc_mesh_destroy(mesh);
    return status;
}

static toc_status apply_to_mesh(model_body *b, const trial_op *op, toc_mesh *mesh) {
    uint32_t first;
    toc_status status;
    switch (op->verb) {
    case TRIAL_MOVE:
        return toc_mesh_move(mesh, b->vertex_count, flat(b->x1));
    case TRIAL_SET_MOTION:
        return toc_mesh_set_motion(mesh, b->vertex_count, flat(b->x0), flat(b->x1));
    case TRIAL_ACCELERATE:
        return toc_mesh_set_acceleration(mesh, b->vertex_count, flat(b->a));
    case TRIAL_ADD_VERTICES:
        status = toc_mesh_add_vertices(mesh, op->number_count / 3, op->numbers, &first);
        return status == TOC_OK && first + op->number_count / 3 != b->vertex_count ? TOC_INTERNAL : status;
    case TRIAL_ADD_ELEMENT:
        return toc_mesh_add_elements(mesh, (toc_shape)op->ids[0], 1, op->ids + 1, NULL);
    case TRIAL_REMOVE_ELEMENT:
        return toc_mesh_remove_element(mesh, op->ids[0]);
    case TRIAL_REMOVE_VERTEX:
        return toc_mesh_remove_vertex(mesh, op->ids[0]);
    case TRIAL_SPLIT:
        status = toc_mesh_split_vertex(mesh, op->ids[0], op->id_count - 1, op->ids + 1, &first);
        return status == TOC_OK && first + 1 != b->vertex_count ? TOC_INTERNAL : status;
    case TRIAL_MERGE:
        return toc_mesh_merge_vertices(mesh, op->ids[0], op->ids[1]);
    case TRIAL_GROUP:
        return toc_mesh_set_group(mesh, op->ids[0], (int32_t)op->ids[1]);
    default:
        return toc_mesh_set_thickness(mesh, op->ids[0], op->numbers[0]);
    }
}

// Apply the model's last edit to a scene.
static toc_status apply_to_scene(model *m, const trial_op *op, const toc_allocator *allocator, toc_scene *scene) {
    switch (op->verb) {
    case TRIAL_BODY:
        return add_body(&m->bodies[m->body_count - 1], allocator, scene);
    case TRIAL_BODY_THICKNESS:
        return toc_scene_set_body_thickness(scene, op->body, op->numbers[0]);
    case TRIAL_BODY_FILTER:
        return toc_scene_set_body_layers(scene, op->body, op->ids[0], op->ids[1]);
    case TRIAL_SELF_CONTACT:
        return toc_scene_set_self_contact(scene, op->body, op->ids[0] != 0);
    case TRIAL_REMOVE_BODY:
        return toc_scene_remove_body(scene, op->body, NULL);
    case TRIAL_GROUP_CONTACT:
        return toc_scene_set_group_contact(scene, (int32_t)op->ids[0], (int32_t)op->ids[1], op->ids[2] != 0);
    default:
        return apply_to_mesh(&m->bodies[op->body], op, toc_scene_edit_mesh(scene, op->body));
    }
}

static void set_bound(check_state *s, int threads) {
    size_t items = 0;
    s->memory.peak = s->memory.alive;
    for (uint32_t b = 0; b < s->model->body_count; b++)
        items += s->model->bodies[b].vertex_count + s->model->bodies[b].element_count;
    s->memory.bound = BYTES_ALWAYS + BYTES_PER_THREAD * (size_t)threads + BYTES_PER_ITEM * items;
}

// A scene that was never asked before, brought to the present operation.
static toc_scene *fresh_scene(check_state *s) {
    model *m = calloc(1, sizeof *m);
    toc_scene *scene;
    if (!m || toc_scene_create(&s->memory.allocator, &scene) != TOC_OK) abort();
    for (uint32_t i = 0; i < check_present_op; i++) {
        const trial_op *op = &s->trial->ops[i];
        if (op->verb == TRIAL_QUESTION || !model_accepts(m, op)) continue;
        model_apply(m, op);
        if (apply_to_scene(m, op, &s->memory.allocator, scene) != TOC_OK)
            check_fail(s, "status", "replay: %s", toc_message_get());
    }
    model_clear(m);
    free(m);
    return scene;
}

// ---- the checks that suit a question

static bool is_named(const trial_question *q, const char *name) {
    return strcmp(toc_preset_get((size_t)q->preset).name, name) == 0;
}

static int method_of(const trial_question *q) {
    if (q->method >= 0) return q->method;
    return (int)toc_preset_get((size_t)q->preset).method;
}

bool check_is_complete(const trial_question *q) {
    if (q->skip & TOC_SKIP_DIAGONALS) return false;
    return method_of(q) != TOC_METHOD_CUBIC && (!is_named(q, "voxel") || (q->skip & TOC_SKIP_NORMALS));
}

bool check_is_exact(const trial_question *q) {
    return check_is_complete(q) && (method_of(q) == TOC_METHOD_CERTIFIED || method_of(q) == TOC_METHOD_EXACT);
}

// Whether the first contact and any contact are among all of them, bit for bit. Other methods advance in steps that
// depend on the part of the step they look at.
static bool is_consistent(const trial_question *q) {
    return check_is_exact(q) ||
           (check_is_complete(q) && q->method < 0 && (is_named(q, "local") || is_named(q, "culling")));
}

// Whether contacts of the question are distances, of some pair at least.
bool check_keeps_distance(const model *m, const trial_question *q) {
    bool thick = q->separation > 0;
    for (uint32_t b = 0; b < m->body_count && !q->thin; b++) {
        if (m->bodies[b].gone) continue;
        thick = thick || m->bodies[b].thickness > 0;
        for (uint32_t e = 0; e < m->bodies[b].element_count; e++)
            thick = thick || m->bodies[b].elements[e].thickness > 0;
    }
    return thick;
}

// Whether the library says that it refuses such a question: 1 surely, 0 surely not, -1 when nothing is said.
static int is_refused(const model *m, const trial_question *q) {
    const bool curved = model_is_curved(m);
    if (q->ask > TRIAL_FEATURES) return solver_is_refused(m, q);
    if (q->ask >= TRIAL_NEAR) return 0;
    if (check_keeps_distance(m, q) && method_of(q) == TOC_METHOD_CUBIC) return -1; // where a pair is asked about
    if (!curved) return 0;
    return method_of(q) == TOC_METHOD_CERTIFIED || method_of(q) == TOC_METHOD_EXACT ? 0 : -1;
}

// The distance at which two features count as near or in contact.
double check_limit(const check_state *s, const trial_question *q, const truth_pair *p, double distance) {
    if (q->thin) return distance;
    return distance + (model_thickness(s->model, p->a) / 2 + model_thickness(s->model, p->b) / 2);
}

// The pairs of the present model; decided in [from, to] when asked for.
truth_list *check_truth(check_state *s, const trial_question *q, bool decided, double from, double to) {
    truth_list *list = &s->list;
    if (s->list_stamp != s->stamp) {
        truth_free(list);
        truth_enumerate(s->model, list);
        s->list_stamp = s->stamp;
        s->list_decided = false;
    }
    if (decided && (!s->list_decided || s->list_from != from || s->list_to != to)) {
        truth_contacts(s->model, from, to, list);
        s->list_decided = true;
        s->list_from = from;
        s->list_to = to;
        s->report->counts.exact += list->questions;
        list->questions = 0;
    }
    s->report->counts.pairs += list->count;
    for (size_t i = 0; i < list->count; i++) {
        truth_pair *p = &list->pairs[i];
        const uint32_t body[2] = {p->a->body, p->b->body};
        uint32_t v[4];
        truth_vertices(p, v);
        p->limit = check_limit(s, q, p, q->separation);
        p->asked =
            (!q->surface_only || (p->a->boundary && p->b->boundary)) && model_callback(q->filter, p->kind, body, v);
    }
    return list;
}

// ---- asking

static bool wants_pair(void *user, toc_kind kind, const uint32_t body[2], const uint32_t v[4]) {
    const check_state *s = user;
    uint32_t bodies[2] = {body[0], body[1]}, vertices[4] = {v[0], v[1], v[2], v[3]};
    if (s->image) image_pair_back(s->image, kind, bodies, vertices);
    return model_callback(s->filter, kind, bodies, vertices);
}

static int report_progress(void *user, double done) {
    check_state *s = user;
    if (!(done >= 0 && done <= 1)) check_fail(s, "progress", "%g done", done);
    return s->reports_left && --s->reports_left == 0;
}

toc_query check_query(check_state *s, const trial_question *q) {
    toc_query query = toc_query_default();
    query.preset = toc_preset_get((size_t)q->preset).name;
    query.answer = q->ask == TRIAL_FIRST ? TOC_ANSWER_FIRST : q->ask == TRIAL_ANY ? TOC_ANSWER_ANY : TOC_ANSWER_ALL;
    query.test.method = (toc_method)q->method;
    query.test.separation = q->separation;
    query.thin = q->thin;
    query.test.from = q->from;
    query.test.to = q->to;
    query.surface_only = q->surface_only;
    query.threads = q->threads;
    if (getenv("TOC_DEVICE")) query.device = TOC_DEVICE_GPU;
    s->research = (toc_research){.skip = q->skip};
    if (q->skip) query.research = &s->research;
    query.progress = (toc_progress){report_progress, s};
    s->filter = q->filter;
    if (q->filter) query.filter = (toc_pair_filter){wants_pair, s};
    return query;
}

static double processor_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static toc_status call_library(check_state *s, toc_scene *scene, const trial_question *q, check_answer *a) {
    const toc_query query = check_query(s, q);
    const toc_end end = q->end ? TOC_AT_END : TOC_AT_START;
    toc_near_query near = toc_near_query_default();
    near.distance = q->thickness;
    switch (q->ask) {
    case TRIAL_SAFE_STEP:
        return toc_scene_find_safe_step(scene, &query, &a->fraction);
    case TRIAL_NEAR:
        near.time = (toc_near_time)end;
        return toc_scene_find_near(scene, &query, &near, NULL, &a->near);
    case TRIAL_NEAR_IN_STEP:
        near.time = TOC_NEAR_IN_STEP;
        return toc_scene_find_near(scene, &query, &near, NULL, &a->near);
    case TRIAL_OVERLAPS:
        return toc_scene_find_overlaps(scene, &query, end, NULL, &a->overlaps);
    case TRIAL_ELEMENT_OVERLAPS:
        return toc_scene_find_element_overlaps(scene, &query, end, NULL, &a->overlaps);
    case TRIAL_ALL:
    case TRIAL_FIRST:
    case TRIAL_ANY:
        return toc_scene_find_contacts(scene, &query, NULL, &a->contacts);
    default:
        return solver_ask(s, scene, q, &query, a);
    }
}

static toc_status ask_once(check_state *s, toc_scene *scene, const trial_question *q, check_answer *a) {
    check_counts *counts = &s->report->counts;
    const double start = processor_seconds();
    const toc_status status = call_library(s, scene, q, a);
    counts->questions++;
    counts->asked[q->ask]++;
    counts->slowest[q->ask] = fmax(counts->slowest[q->ask], processor_seconds() - start);
    return status;
}

static check_answer no_answer(void) { return (check_answer){.fraction = -1, .room.fraction = -1}; }

void check_free(check_answer *a) {
    toc_contacts_destroy(a->contacts);
    toc_near_destroy(a->near);
    toc_overlaps_destroy(a->overlaps);
    solver_free(a);
    *a = no_answer();
}

// Ask with a failing allocation or a stop: that status or an answer, and nothing given out with a failure.
static void ask_in_vain(check_state *s, toc_scene *scene, const trial_question *q) {
    check_answer a = no_answer();
    s->memory.calls = 0;
    s->memory.fail_at = q->fail_at;
    s->reports_left = q->stop_at;
    const toc_status status = ask_once(s, scene, q, &a);
    const bool failed = q->fail_at && s->memory.calls >= q->fail_at, stopped = q->stop_at && s->reports_left == 0;
    s->memory.fail_at = s->reports_left = 0;
    const bool gave = a.contacts || a.near || a.overlaps || a.fraction != -1 || solver_gave(q, &a);
    const bool fits = status == TOC_OK || (status == TOC_OUT_OF_MEMORY && failed) ||
                      (status == TOC_STOPPED && stopped) || (status == TOC_BAD_INPUT && is_refused(s->model, q) != 0);
    if (!fits) check_fail(s, "status in vain", "status %d: %s", status, toc_message_get());
    // Any contact is an answer, also if another worker could not allocate.
    if (status == TOC_OK && failed && q->ask != TRIAL_ANY)
        check_fail(s, "allocation ignored", "allocation %u failed, status 0", q->fail_at);
    if (status != TOC_OK && gave) check_fail(s, "output after failure", "status %d", status);
    check_free(&a);
}

static void count_memory(check_state *s) {
    check_counts *c = &s->report->counts;
    if (s->memory.peak > c->most_bytes) c->most_bytes = s->memory.peak;
    const double share = (double)s->memory.peak / (double)s->memory.bound;
    if (share > c->most_share) c->most_share = share;
}

bool check_ask(check_state *s, toc_scene *scene, const trial_question *q, check_answer *a) {
    *a = no_answer();
    const int refused = is_refused(s->model, q);
    s->memory.over = false;
    set_bound(s, q->threads);
    const toc_status status = ask_once(s, scene, q, a);
    count_memory(s);
    if (status == TOC_BAD_INPUT && refused != 0) return false;
    if (s->memory.over)
        check_fail(s, "memory", "more than %zu bytes for %s", 4 * s->memory.bound,
                   toc_preset_get((size_t)q->preset).name);
    else if (status != TOC_OK || refused == 1)
        check_fail(s, "status", "status %d (%s), refused %d", status, toc_message_get(), refused);
    else if (s->memory.peak > s->memory.bound)
        check_fail(s, "memory", "%zu bytes, bound %zu", s->memory.peak, s->memory.bound);
    if (s->report->failed) check_free(a);
    return !s->report->failed;
}

// ---- contacts

static void place_contact(const model *m, const toc_contact *c, long double time, long double x[4][3]) {
    const int first = c->kind == TOC_VF ? 1 : 2;
    for (int i = 0; i < 4; i++) {
        double path[3][3];
        model_path(m, c->body[i >= first], c->v[i], path);
        for (int k = 0; k < 3; k++) {
            const long double x0 = path[0][k], control = path[1][k], x1 = path[2][k];
            x[i][k] = x0 + time * (x1 - x0);
            if (model_is_curved(m)) x[i][k] += time * (1 - time) * ((control - x0) + (control - x1));
        }
    }
}

// How far the coordinates of a pair go over the step, and how large they are.
void check_sizes(const model *m, const uint32_t body[2], int first, const uint32_t v[4], long double *extent,
                 long double *largest) {
    *extent = *largest = 0;
    for (int k = 0; k < 3; k++) {
        long double low = INFINITY, high = -INFINITY;
        for (int i = 0; i < 12; i++) {
            double path[3][3];
            model_path(m, body[i / 3 >= first], v[i / 3], path);
            const long double x = path[i % 3][k];
            low = fminl(low, x);
            high = fmaxl(high, x);
            *largest = fmaxl(*largest, fabsl(x));
        }
        *extent = fmaxl(*extent, high - low);
    }
}

bool check_weights(check_state *s, toc_kind kind, const double weights[4]) {
    const int first = kind == TOC_VF ? 1 : 2;
    double sums[2] = {0, 0};
    bool good = true;
    for (int i = 0; i < 4; i++) {
        sums[i >= first] += weights[i];
        good = good && weights[i] >= 0 && weights[i] <= 1;
    }
    good = good && fabs(sums[0] - 1) <= 0x1p-51 && fabs(sums[1] - 1) <= 0x1p-51;
    if (!good) check_fail(s, "weights", "%g %g %g %g", weights[0], weights[1], weights[2], weights[3]);
    return good;
}

// Where the weights put a feature's vertices: the first (side 0) or the second.
static void blend_of(const toc_contact *c, int side, long double x[4][3], long double blend[3]) {
    const int first = c->kind == TOC_VF ? 1 : 2;
    memset(blend, 0, 3 * sizeof *blend);
    for (int i = side ? first : 0; i < (side ? 4 : first); i++)
        for (int k = 0; k < 3; k++) blend[k] += c->weights[i] * x[i][k];
}

// The bound of docs/guarantees.md on the place of a contact, for each coordinate. The point, and the points that the
// weights name on both features, are that far from the true one, so at most twice as far from each other.
static void check_place(check_state *s, const toc_contact *c, const truth_pair *p) {
    const int first = c->kind == TOC_VF ? 1 : 2;
    long double x[4][3], extent, largest, point[3], blend[2][3];
    if (!check_weights(s, c->kind, c->weights)) return;
    check_sizes(s->model, c->body, first, c->v, &extent, &largest);
    const long double share = model_is_curved(s->model) ? 0x1p-28L : 0x1p-29L;
    const long double bound = sqrtl(3) * (share * extent + 0x1p-50L * largest) * 1.001L + CHECK_SUBNORMAL;
    place_contact(s->model, c, ((long double)p->low + p->high) / 2, x);
    for (int k = 0; k < 3; k++) point[k] = c->point[k];
    const long double from_a = truth_point_distance(point, first, x);
    const long double from_b = truth_point_distance(point, 4 - first, x + first);
    if (!(from_a <= bound && from_b <= bound))
        check_fail(s, "place", "point is %Lg and %Lg away, bound %Lg", from_a, from_b, bound);
    for (int side = 0; side < 2; side++) blend_of(c, side, x, blend[side]);
    for (int side = 0; side < 2; side++) {
        const long double off = truth_point_distance(point, 1, &blend[side]);
        if (!(off <= 2 * bound)) check_fail(s, "place", "weights of side %d are %Lg away, bound %Lg", side, off, bound);
    }
    const double length = sqrt(c->normal[0] * c->normal[0] + c->normal[1] * c->normal[1] + c->normal[2] * c->normal[2]);
    if (!(fabs(length - 1) <= 1e-9)) check_fail(s, "normal", "length %.17g", length);
}

static void describe_contact(const toc_contact *c, char text[96]) {
    snprintf(text, 96, "%s bodies %u %u vertices %u %u %u %u", c->kind == TOC_VF ? "VF" : "EE", c->body[0], c->body[1],
             c->v[0], c->v[1], c->v[2], c->v[3]);
}

static void check_time(check_state *s, const trial_question *q, const toc_contact *c, const truth_pair *p) {
    char text[96];
    describe_contact(c, text);
    if (!(c->toc >= q->from && c->toc <= q->to)) check_fail(s, "time outside", "%s: %.17g", text, c->toc);
    if (check_is_complete(q) && p->touches && c->toc > p->high)
        check_fail(s, check_is_exact(q) ? "late" : "method late", "%s: %.17g, truly %.17g", text, c->toc, p->high);
    if (!check_is_exact(q)) return;
    if (c->toc < p->low * (1 - 1e-9)) check_fail(s, "early", "%s: %.17g, truly %.17g", text, c->toc, p->low);
    if (c->toc == 0 && p->low > 0) check_fail(s, "zero time", "%s: truly %.17g", text, p->low);
}

static int compare_contacts(const toc_contact *a, const toc_contact *b) {
    if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
    for (int i = 0; i < 2; i++)
        if (a->body[i] != b->body[i]) return a->body[i] < b->body[i] ? -1 : 1;
    for (int i = 0; i < 4; i++)
        if (a->v[i] != b->v[i]) return a->v[i] < b->v[i] ? -1 : 1;
    return 0;
}

static void check_contact(check_state *s, const trial_question *q, const toc_contact *c, truth_list *list, bool *seen) {
    char text[96];
    describe_contact(c, text);
    truth_pair *p = truth_find(list, c->kind, c->body, c->v);
    if (!p || !p->asked) {
        check_fail(s, "no such pair", "%s", text);
        return;
    }
    if (seen[p - list->pairs]) check_fail(s, "twice", "%s", text);
    seen[p - list->pairs] = true;
    if (p->limit > 0) return;
    if (check_is_exact(q) && !p->touches) check_fail(s, "invented", "%s at %.17g", text, c->toc);
    if (check_is_exact(q) && c->verdict != TOC_HIT) check_fail(s, "undecided", "%s", text);
    check_time(s, q, c, p);
    if (check_is_exact(q) && p->touches) check_place(s, c, p);
}

static void check_missing(check_state *s, const trial_question *q, const truth_list *list, const bool *seen) {
    for (size_t i = 0; i < list->count; i++) {
        const truth_pair *p = &list->pairs[i];
        if (p->touches && p->asked && !seen[i])
            check_fail(s, check_is_exact(q) ? "missed" : "method missed",
                       "%s bodies %u %u vertices %u %u %u .. %u %u %u at %.17g", p->kind == TOC_VF ? "VF" : "EE",
                       p->a->body, p->b->body, p->a->v[0], p->a->v[1], p->a->v[2], p->b->v[0], p->b->v[1], p->b->v[2],
                       p->low);
    }
}

// With a distance to keep: at the time told they are that close, and a pair that comes closer is there.
static void check_kept_contact(check_state *s, const trial_question *q, const toc_contact *c, double limit) {
    long double x[4][3], extent, largest;
    check_sizes(s->model, c->body, c->kind == TOC_VF ? 1 : 2, c->v, &extent, &largest);
    place_contact(s->model, c, c->toc, x);
    const long double d = truth_distance(c->kind, x);
    const long double off = 1e-8L * extent + 0x1p-60L * largest; // positions far away are rounded to long doubles
    if (check_is_exact(q) && c->verdict == TOC_HIT && d > limit + off)
        check_fail(s, "separation", "%Lg apart at %.17g, asked %g", d, c->toc, limit);
    if (d < limit - off && c->toc > q->from)
        check_fail(s, "separation late", "%Lg apart at %.17g, asked %g", d, c->toc, limit);
}

static void check_separations(check_state *s, const trial_question *q, const toc_contacts *got, const truth_list *list,
                              const bool *seen) {
    for (size_t i = 0; i < got->count; i++) {
        const toc_contact *c = &got->contacts[i];
        const truth_pair *p = truth_find(list, c->kind, c->body, c->v);
        if (p && p->limit > 0) check_kept_contact(s, q, c, p->limit);
    }
    for (size_t i = 0; i < list->count; i++) {
        const truth_pair *p = &list->pairs[i];
        truth_motion motion;
        long double x[4][3];
        if (seen[i] || !p->asked || p->limit == 0) continue;
        truth_motion_of(s->model, p, &motion);
        for (int t = 0; t <= 16; t++) {
            const long double time = q->from + (q->to - q->from) * (long double)t / 16;
            truth_motion_at(&motion, time, x);
            const long double d = truth_distance(p->kind, x);
            if (d < p->limit * (1 - 1e-9L) * (1 - 1e-9L)) check_fail(s, "separation missed", "%Lg apart", d);
        }
    }
}

static void check_contacts(check_state *s, const trial_question *q, const toc_contacts *got) {
    truth_list *list = check_truth(s, q, true, q->from, q->to);
    bool *seen = calloc(list->count + 1, sizeof *seen);
    if (!seen) abort();
    s->report->counts.contacts += got->count;
    for (size_t i = 0; i < got->count; i++) {
        if (i && compare_contacts(&got->contacts[i - 1], &got->contacts[i]) >= 0)
            check_fail(s, "order", "contact %zu", i);
        check_contact(s, q, &got->contacts[i], list, seen);
    }
    if (check_is_complete(q) && !s->report->failed) check_missing(s, q, list, seen);
    if (check_is_complete(q) && check_keeps_distance(s->model, q)) check_separations(s, q, got, list, seen);
    free(seen);
}

// The earliest; of several at one time that of the least x, then y, then z, then the first in order.
static const toc_contact *first_of(const toc_contacts *all) {
    const toc_contact *best = NULL;
    for (size_t i = 0; i < all->count; i++) {
        const toc_contact *c = &all->contacts[i];
        int order = !best ? -1 : c->toc < best->toc ? -1 : c->toc > best->toc;
        for (int k = 0; order == 0 && k < 3; k++)
            order = c->point[k] < best->point[k] ? -1 : c->point[k] > best->point[k];
        if (order < 0) best = c;
    }
    return best;
}

bool check_same_contact(const toc_contact *a, const toc_contact *b) {
    return compare_contacts(a, b) == 0 && a->verdict == b->verdict && memcmp(&a->toc, &b->toc, sizeof a->toc) == 0 &&
           memcmp(a->weights, b->weights, sizeof a->weights) == 0 && memcmp(a->point, b->point, sizeof a->point) == 0 &&
           memcmp(a->normal, b->normal, sizeof a->normal) == 0;
}

static void check_single(check_state *s, const trial_question *q, const toc_contacts *one, const toc_contacts *all) {
    const char *const check = q->ask == TRIAL_FIRST ? "first" : "any";
    if (one->count != (all->count > 0)) {
        check_fail(s, check, "%zu contacts, all has %zu", one->count, all->count);
        return;
    }
    if (one->count == 0) return;
    char got[96], wanted[96];
    describe_contact(one->contacts, got);
    if (q->ask == TRIAL_FIRST) {
        describe_contact(first_of(all), wanted);
        if (!check_same_contact(one->contacts, first_of(all)))
            check_fail(s, "first", "%s at %.17g, not %s at %.17g", got, one->contacts->toc, wanted, first_of(all)->toc);
        return;
    }
    for (size_t i = 0; i < all->count; i++)
        if (check_same_contact(one->contacts, &all->contacts[i])) return;
    check_fail(s, "any", "%s at %.17g is not among all", got, one->contacts->toc);
}

static void check_any_again(check_state *s, toc_scene *scene, const trial_question *q, const toc_contacts *one) {
    check_answer again;
    if (!check_ask(s, scene, q, &again)) return;
    const bool may_differ = q->ask == TRIAL_ANY; // the kept structures choose it
    if (again.contacts->count != one->count ||
        (one->count && !may_differ && !check_same_contact(one->contacts, again.contacts->contacts)))
        check_fail(s, may_differ ? "any again" : "first again", "another answer when asked again");
    check_free(&again);
}

static void digest_contacts(check_state *s, const toc_contacts *got) {
    for (size_t i = 0; i < got->count; i++) {
        const toc_contact *c = &got->contacts[i];
        const uint32_t who[7] = {c->kind, c->body[0], c->body[1], c->v[0], c->v[1], c->v[2], c->v[3]};
        check_digest(s, who, sizeof who);
        check_digest(s, &c->toc, sizeof c->toc);
        check_digest(s, c->weights, sizeof c->weights);
        check_digest(s, c->point, sizeof c->point);
        check_digest(s, c->normal, sizeof c->normal);
    }
}

static void question_contacts(check_state *s, toc_scene *scene, const trial_question *q) {
    check_answer a, all;
    if (!check_ask(s, scene, q, &a)) return;
    digest_contacts(s, a.contacts);
    if (q->ask == TRIAL_ALL) {
        check_contacts(s, q, a.contacts);
    } else {
        trial_question every = *q;
        every.ask = TRIAL_ALL;
        if (check_ask(s, scene, &every, &all)) {
            check_contacts(s, &every, all.contacts);
            if (is_consistent(q)) {
                check_single(s, q, a.contacts, all.contacts);
                check_any_again(s, scene, q, a.contacts);
            }
            check_free(&all);
        }
    }
    check_free(&a);
}

// ---- safe step

// Bounds of the true first time of contact; 2 and 2 where nothing touches.
typedef struct first_bounds {
    double low, high;
} first_bounds;

static first_bounds true_first(const truth_list *list) {
    first_bounds least = {2, 2};
    for (size_t i = 0; i < list->count; i++) {
        const truth_pair *p = &list->pairs[i];
        if (!p->touches || !p->asked) continue;
        least.low = fmin(least.low, p->low);
        least.high = fmin(least.high, p->high);
    }
    return least;
}

long double check_largest(const check_state *s, const truth_list *list) {
    long double largest = 0;
    for (size_t i = 0; i < list->count; i++) {
        double x0[4][3], x1[4][3];
        truth_place(s->model, &list->pairs[i], x0, x1);
        for (int j = 0; j < 12; j++) {
            largest = fmaxl(largest, fabsl((long double)x0[j / 3][j % 3]));
            largest = fmaxl(largest, fabsl((long double)x1[j / 3][j % 3]));
        }
    }
    return largest;
}

// Whether no pair that is asked about comes within its limit and `more` on the way to a fraction of the step: surely
// not, by the lower bound of its distance (`surely`), or by the upper bound. Where there is a limit, a share of the
// pair's extent widens it.
static bool stays_clear(const check_state *s, const truth_list *list, double fraction, long double more,
                        long double share, bool surely) {
    for (size_t i = 0; i < list->count; i++) {
        const truth_pair *p = &list->pairs[i];
        const uint32_t body[2] = {p->a->body, p->b->body};
        double x0[4][3], x1[4][3];
        long double low, high, extent, largest;
        uint32_t v[4];
        if (!p->asked) continue;
        truth_vertices(p, v);
        check_sizes(s->model, body, p->a->size, v, &extent, &largest);
        truth_place(s->model, p, x0, x1);
        for (int j = 0; j < 4; j++) toc_positions_interpolate(fraction, 3, x0[j], x1[j], NULL, x1[j]);
        const long double wide = p->limit + more + (p->limit > 0 ? share * extent : 0);
        truth_closest(p->kind, x0, x1, wide, fmaxl(wide / 64, 0x1p-1070L), &low, &high);
        if ((surely ? low : high) <= wide) return false;
    }
    return true;
}

// Two features that stay farther apart than their limit and 2^-48 of the largest coordinate cannot touch with rounded
// positions, so the safe step must be longer.
static void check_long(check_state *s, const truth_list *list, double f, double behind) {
    const double later = fmin(1, f + 0x1.01p-44 * behind);
    if (stays_clear(s, list, later, 0x1.01p-48L * check_largest(s, list), 1e-8L, true))
        check_fail(s, "safe step short", "%.17g, all is clear up to %.17g", f, later);
}

// With a distance to keep there is no exact first time: bounds of the distances decide, but for 1e-8 of the extent.
static void check_kept_distance(check_state *s, const trial_question *q, double f) {
    const truth_list *list = check_truth(s, q, false, 0, 1);
    if (f > 0 && !stays_clear(s, list, f, -0x1p-1070L, -1e-8L, false)) check_fail(s, "safe step not free", "%.17g", f);
    if (f < 1) check_long(s, list, f, 1);
}

// On parabolas distances are looked at in samples.
static void check_curved_distances(check_state *s, const trial_question *q, double f) {
    const truth_list *list = check_truth(s, q, false, 0, 1);
    for (size_t i = 0; i < list->count; i++) {
        const truth_pair *p = &list->pairs[i];
        const uint32_t body[2] = {p->a->body, p->b->body};
        truth_motion motion;
        long double x[4][3], extent, largest;
        uint32_t v[4];
        if (!p->asked) continue;
        truth_vertices(p, v);
        check_sizes(s->model, body, p->a->size, v, &extent, &largest);
        truth_motion_of(s->model, p, &motion);
        for (int t = 0; t <= 8; t++) {
            truth_motion_at(&motion, f * (long double)t / 8, x);
            const long double d = truth_distance(p->kind, x);
            if (d < p->limit - 1e-8L * extent && f > 0)
                check_fail(s, "safe step not free", "%Lg apart on the way to %.17g, asked %g", d, f, p->limit);
        }
    }
}

static void check_curved_fraction(check_state *s, const first_bounds *bounds, double f) {
    if (f >= bounds->high && bounds->high > 0)
        check_fail(s, "safe step late", "%.17g, first contact %.17g", f, bounds->high);
    if (f < bounds->low * (1 - 0x1p-19)) check_fail(s, "safe step short", "%.17g, first contact %.17g", f, bounds->low);
}

static void check_fraction(check_state *s, const trial_question *q, double f) {
    const bool curved = model_is_curved(s->model);
    if (!(f >= 0 && f <= 1)) check_fail(s, "safe step", "fraction %g", f);
    if (!check_is_exact(q)) return;
    if (curved && check_keeps_distance(s->model, q)) {
        check_curved_distances(s, q, f);
        return;
    }
    if (check_keeps_distance(s->model, q)) {
        check_kept_distance(s, q, f);
        return;
    }
    const truth_list *list = check_truth(s, q, true, 0, 1);
    const first_bounds bounds = true_first(list);
    const double first = bounds.low;
    if (first > 1 && f != 1) check_fail(s, "safe step", "%.17g, but nothing touches", f);
    if (first == 0 && f != 0) check_fail(s, "safe step", "%.17g, but features touch at the start", f);
    if (first > 1 || first == 0 || s->report->failed) return;
    if (curved) {
        check_curved_fraction(s, &bounds, f);
        return;
    }
    if (f > bounds.high) check_fail(s, "safe step late", "%.17g, first contact %.17g", f, bounds.high);
    if (f > 0 && !truth_is_free(s->model, list, f)) check_fail(s, "safe step not free", "%.17g", f);
    if (f < first * (1 - 0x1p-44)) check_long(s, list, f, first);
}

static void question_safe_step(check_state *s, toc_scene *scene, const trial_question *q) {
    check_answer a;
    if (!check_ask(s, scene, q, &a)) return;
    check_digest(s, &a.fraction, sizeof a.fraction);
    check_fraction(s, q, a.fraction);
}

// ---- near

typedef struct near_truth {
    double limit;
    long double low, high, size; // of the distance; of the four vertices
    bool must, may;
} near_truth;

// The smallest distance on parabolas, of samples and of the time told, if any: pairs below the limit must be there.
static near_truth curved_near_truth(const check_state *s, const trial_question *q, const truth_pair *p,
                                    const toc_near_pair *told) {
    near_truth t = {.limit = check_limit(s, q, p, q->thickness), .may = true, .high = INFINITY};
    const uint32_t body[2] = {p->a->body, p->b->body};
    truth_motion motion;
    long double x[4][3], largest;
    uint32_t v[4];
    truth_vertices(p, v);
    check_sizes(s->model, body, p->a->size, v, &t.size, &largest);
    truth_motion_of(s->model, p, &motion);
    for (int i = 0; i <= 16; i++) {
        truth_motion_at(&motion, (long double)i / 16, x);
        t.high = fminl(t.high, truth_distance(p->kind, x));
    }
    t.must = t.high < t.limit - 1e-8L * t.size - CHECK_SUBNORMAL;
    if (!told) return t;
    truth_motion_at(&motion, told->time, x);
    const long double at_time = truth_distance(p->kind, x);
    t.low = fminl(at_time, t.limit) - 1e-8L * t.size;
    t.high = at_time;
    return t;
}

static bool is_curved_near(const check_state *s, const trial_question *q) {
    return q->ask == TRIAL_NEAR_IN_STEP && model_is_curved(s->model);
}

static near_truth near_truth_of(const check_state *s, const trial_question *q, const truth_pair *p) {
    if (is_curved_near(s, q)) return curved_near_truth(s, q, p, NULL);
    near_truth t = {.limit = check_limit(s, q, p, q->thickness)};
    const uint32_t body[2] = {p->a->body, p->b->body};
    double x0[4][3], x1[4][3];
    long double x[4][3], largest;
    uint32_t v[4];
    truth_vertices(p, v);
    check_sizes(s->model, body, p->a->size, v, &t.size, &largest);
    truth_place(s->model, p, x0, x1);
    const bool in_step = q->ask == TRIAL_NEAR_IN_STEP;
    if (in_step) {
        const long double slack = fmaxl(0x1p-20L * t.limit, 0x1p-40L * t.size);
        truth_closest(p->kind, x0, x1, t.limit + 4 * slack, slack / 2, &t.low, &t.high);
        t.must = t.high < t.limit - 4e-9L * t.size - CHECK_SUBNORMAL;
        t.may = t.low <= t.limit + 2 * slack + 4e-9L * t.size + CHECK_SUBNORMAL;
        if (p->touches) t.low = 0;
        t.must = t.must || p->touches;
        t.may = t.limit > 0 ? t.may || p->touches : p->touches;
        t.high += slack;
    } else {
        double(*at)[3] = q->end ? x1 : x0;
        truth_mix(at, at, 0, x);
        t.low = t.high = truth_distance(p->kind, x);
        t.must = t.high < t.limit - 4e-9L * t.size;
        t.may = t.low <= t.limit + 1e-8L * (t.size + t.limit) + 0x1p-1060L;
        if (!t.must && t.low <= t.limit + 4e-9L * t.size) t.must = truth_is_within(p->kind, at, t.limit);
    }
    return t;
}

// Extended precision never gives too small a distance, but for thin features one that is too large. A distance told
// that is smaller counts where rational numbers give it for the time told.
static void doubt_near_truth(const check_state *s, const truth_pair *p, const toc_near_pair *n, near_truth *t) {
    double x0[4][3], x1[4][3];
    if (t->may && n->distance >= t->low) return;
    truth_place(s->model, p, x0, x1);
    const long double exact = truth_exact_distance(p->kind, x0, x1, n->time);
    if (exact < t->low) t->low = exact;
    t->may = t->may || (t->limit > 0 && exact <= t->limit * (1 + 0x1p-19L) + 1e-8L * t->size);
}

static void check_near_pair(check_state *s, const toc_near_pair *n, const near_truth *t) {
    const long double slack = 4e-9L * t->size + CHECK_SUBNORMAL;
    if (n->thickness != t->limit) check_fail(s, "near thickness", "%.17g, not %.17g", n->thickness, t->limit);
    if (!t->may) check_fail(s, "near invented", "%g told, %Lg truly, limit %g", n->distance, t->low, t->limit);
    if (!(n->distance >= t->low - slack && n->distance <= t->high + slack))
        check_fail(s, "near distance", "%.17g told, %Lg to %Lg truly, limit %g", n->distance, t->low, t->high,
                   t->limit);
    if (!(n->time >= 0 && n->time <= 1)) check_fail(s, "near time", "%g", n->time);
    check_weights(s, n->kind, n->weights);
}

static void question_near(check_state *s, toc_scene *scene, const trial_question *q) {
    check_answer a;
    if (!check_ask(s, scene, q, &a)) return;
    const bool curved = is_curved_near(s, q);
    const truth_list *list = check_truth(s, q, q->ask == TRIAL_NEAR_IN_STEP && !curved, 0, 1);
    const toc_near *got = a.near;
    bool *seen = calloc(list->count + 1, sizeof *seen);
    if (!seen) abort();
    s->report->counts.contacts += got->count;
    for (size_t i = 0; i < got->count && !s->report->failed; i++) {
        const toc_near_pair *n = &got->pairs[i];
        const truth_pair *p = truth_find(list, n->kind, n->body, n->v);
        check_digest(s, n->v, sizeof n->v);
        check_digest(s, &n->distance, sizeof n->distance);
        if (!p || !p->asked || seen[p - list->pairs]) {
            const bool gone = s->model->bodies[n->body[0]].gone || s->model->bodies[n->body[1]].gone;
            check_fail(s, gone ? "removed body" : "near no such pair", "%u %u: %u %u %u %u", n->body[0], n->body[1],
                       n->v[0], n->v[1], n->v[2], n->v[3]);
            break;
        }
        seen[p - list->pairs] = true;
        near_truth t = curved ? curved_near_truth(s, q, p, n) : near_truth_of(s, q, p);
        if (!curved) doubt_near_truth(s, p, n, &t);
        check_near_pair(s, n, &t);
    }
    for (size_t i = 0; i < list->count && !s->report->failed; i++) {
        if (seen[i] || !list->pairs[i].asked) continue;
        const near_truth t = near_truth_of(s, q, &list->pairs[i]);
        if (t.must) check_fail(s, "near missed", "%Lg to %Lg apart, limit %g", t.low, t.high, t.limit);
    }
    free(seen);
    check_free(&a);
}

// ---- overlaps

typedef struct solid {
    uint32_t body, element, v[3];
    int count;
    bool adjacent; // to the other one, by a common vertex
    double x[8][3];
} solid;

static void place_solid(const model *m, int end, const uint32_t *ids, solid *o) {
    const model_body *b = &m->bodies[o->body];
    for (int i = 0; i < o->count; i++) memcpy(o->x[i], end ? b->x1[ids[i]] : b->x0[ids[i]], sizeof o->x[i]);
}

static bool boxes_meet(const solid *a, const solid *b) {
    for (int k = 0; k < 3; k++) {
        double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
        for (int i = 0; i < a->count; i++) low[0] = fmin(low[0], a->x[i][k]), high[0] = fmax(high[0], a->x[i][k]);
        for (int i = 0; i < b->count; i++) low[1] = fmin(low[1], b->x[i][k]), high[1] = fmax(high[1], b->x[i][k]);
        if (high[0] < low[1] || high[1] < low[0]) return false;
    }
    return true;
}

// Tets with a common vertex meet if their interiors do.
static bool tets_are_folded(const solid *a, const solid *b) {
    const double *x[4], *y[4];
    for (int i = 0; i < 4; i++) x[i] = a->x[i], y[i] = b->x[i];
    return test_tets_are_folded(x, y);
}

static bool solids_meet(check_state *s, solid *a, solid *b) {
    s->report->counts.pairs++;
    if (!boxes_meet(a, b)) return false;
    s->report->counts.exact++;
    if (a->adjacent) return tets_are_folded(a, b);
    return truth_hulls_meet(a->count, a->x, b->count, b->x);
}

// The pair as told, whichever is first.
static bool is_told(const toc_overlaps *got, const solid *a, const solid *b) {
    for (size_t i = 0; i < got->count; i++) {
        const toc_overlap_pair *o = &got->pairs[i];
        for (int turn = 0; turn < 2; turn++) {
            const solid *x = turn ? b : a, *y = turn ? a : b;
            if (o->body[0] == x->body && o->body[1] == y->body && o->element[0] == x->element &&
                o->element[1] == y->element &&
                (a->count != 3 || (o->v[0][0] + o->v[0][1] + o->v[0][2] == x->v[0] + x->v[1] + x->v[2] &&
                                   o->v[1][0] + o->v[1][1] + o->v[1][2] == y->v[0] + y->v[1] + y->v[2])))
                return true;
        }
    }
    return false;
}

static void compare_solids(check_state *s, const toc_overlaps *got, solid *a, solid *b, size_t *true_count) {
    const bool meet = solids_meet(s, a, b);
    *true_count += meet;
    if (meet && !is_told(got, a, b))
        check_fail(s, "overlap missed", "bodies %u %u elements %u %u", a->body, b->body, a->element, b->element);
}

static size_t compare_faces(check_state *s, const trial_question *q, const toc_overlaps *got) {
    const model *m = s->model;
    size_t count = 0;
    for (size_t i = 0; i < m->feature_count; i++)
        for (size_t j = 0; j < i && m->features[i].size == 3; j++) {
            const model_feature *f = &m->features[j], *g = &m->features[i];
            if (f->size != 3 || !model_wants(m, f, g) || (q->surface_only && !(f->boundary && g->boundary))) continue;
            solid a = {.body = f->body, .element = f->around[0], .count = 3};
            solid b = {.body = g->body, .element = g->around[0], .count = 3};
            memcpy(a.v, f->v, sizeof a.v);
            memcpy(b.v, g->v, sizeof b.v);
            place_solid(m, q->end, f->v, &a);
            place_solid(m, q->end, g->v, &b);
            compare_solids(s, got, &a, &b, &count);
        }
    return count;
}

static bool is_volume(const model_element *e) { return e->shape >= TOC_TET; }

static bool are_adjacent(const model_element *e, const model_element *f) {
    for (int i = 0; i < model_corners(e->shape); i++)
        for (int j = 0; j < model_corners(f->shape); j++)
            if (e->c[i] == f->c[j]) return true;
    return false;
}

// Two elements as features of their own: their corners and themselves around them.
static bool elements_want(const model *m, uint32_t body_a, uint32_t a, uint32_t body_b, uint32_t b) {
    static model_feature x, y;
    x.body = body_a, x.size = 0, x.around[0] = a, x.around_count = 1;
    y.body = body_b, y.size = 0, y.around[0] = b, y.around_count = 1;
    return model_wants(m, &x, &y);
}

static size_t compare_elements(check_state *s, const trial_question *q, const toc_overlaps *got) {
    const model *m = s->model;
    size_t count = 0;
    for (uint32_t i = 0; i < m->body_count; i++)
        for (uint32_t e = 0; e < m->bodies[i].element_count; e++)
            for (uint32_t j = 0; j <= i; j++)
                for (uint32_t f = 0;
                     !m->bodies[i].gone && !m->bodies[j].gone && f < (i == j ? e : m->bodies[j].element_count); f++) {
                    const model_element *x = &m->bodies[j].elements[f], *y = &m->bodies[i].elements[e];
                    const bool adjacent = i == j && are_adjacent(x, y),
                               tets = x->shape == TOC_TET && y->shape == TOC_TET;
                    if (!is_volume(x) || !is_volume(y) || !elements_want(m, j, f, i, e)) continue;
                    if (adjacent && !tets) continue;
                    solid a = {.body = j, .element = f, .count = model_corners(x->shape), .adjacent = adjacent};
                    solid b = {.body = i, .element = e, .count = model_corners(y->shape)};
                    place_solid(m, q->end, x->c, &a);
                    place_solid(m, q->end, y->c, &b);
                    compare_solids(s, got, &a, &b, &count);
                }
    return count;
}

static void question_overlaps(check_state *s, toc_scene *scene, const trial_question *q) {
    check_answer a;
    if (!check_ask(s, scene, q, &a)) return;
    model_derive(s->model);
    const size_t count =
        q->ask == TRIAL_OVERLAPS ? compare_faces(s, q, a.overlaps) : compare_elements(s, q, a.overlaps);
    if (count != a.overlaps->count) check_fail(s, "overlap count", "%zu told, %zu truly", a.overlaps->count, count);
    s->report->counts.contacts += a.overlaps->count;
    for (size_t i = 0; i < a.overlaps->count; i++) {
        const toc_overlap_pair *o = &a.overlaps->pairs[i];
        check_digest(s, o->element, sizeof o->element);
        check_digest(s, o->v, sizeof o->v);
        if (!(o->depth >= 0)) check_fail(s, "overlap depth", "%g", o->depth);
    }
    check_free(&a);
}

// ---- features

static const model_feature *model_feature_of(const model *m, uint32_t body, int size, const uint32_t *v) {
    for (size_t i = 0; i < m->feature_count; i++) {
        const model_feature *f = &m->features[i];
        int found = 0;
        for (int j = 0; j < size; j++)
            for (int k = 0; k < size; k++) found += f->v[j] == v[k];
        if (f->body == body && f->size == size && found == size) return f;
    }
    return NULL;
}

static void compare_feature(check_state *s, uint32_t body, int size, const uint32_t *v, uint8_t flags) {
    const model_feature *f = model_feature_of(s->model, body, size, v);
    if (!f)
        check_fail(s, "feature", "body %u: %d vertices from %u on are none", body, size, v[0]);
    else if (f->boundary != ((flags & TOC_FEATURE_ON_BOUNDARY) != 0))
        check_fail(s, "feature boundary", "body %u: %d vertices from %u on", body, size, v[0]);
}

static void question_features(check_state *s, toc_scene *scene) {
    model_derive(s->model);
    s->report->counts.questions++;
    s->report->counts.asked[TRIAL_FEATURES]++;
    for (uint32_t b = 0; b < s->model->body_count; b++) {
        toc_features *f;
        if (s->model->bodies[b].gone) continue;
        if (toc_mesh_find_features(toc_scene_edit_mesh(scene, b), &f) != TOC_OK) {
            check_fail(s, "status", "%s", toc_message_get());
            return;
        }
        for (size_t i = 0; i < f->vertex_count; i++) compare_feature(s, b, 1, &f->vertices[i], f->vertex_flags[i]);
        for (size_t i = 0; i < f->edge_count; i++) compare_feature(s, b, 2, f->edges[i], f->edge_flags[i]);
        for (size_t i = 0; i < f->face_count; i++) compare_feature(s, b, 3, f->faces[i], f->face_flags[i]);
        size_t count = 0;
        for (size_t i = 0; i < s->model->feature_count; i++) count += s->model->features[i].body == b;
        if (count != f->vertex_count + f->edge_count + f->face_count)
            check_fail(s, "feature", "body %u: %zu truly", b, count);
        toc_features_destroy(f);
    }
}

// ---- images of the scene

typedef struct image_check {
    check_state *state;
    const image *image;
    const trial_question *question;
    char text[120]; // kinds
} image_check;

// Whether the promises say that an image answers alike.
static bool answers_alike(const check_state *s, const trial_question *q) {
    if (q->ask >= TRIAL_FEATURES || is_refused(s->model, q) != 0) return false;
    if (q->ask <= TRIAL_SAFE_STEP && !check_is_exact(q)) return false;
    return !check_keeps_distance(s->model, q) || !model_is_curved(s->model);
}

static void compare_contact_sets(const image_check *c, const toc_contacts *here, const toc_contacts *there) {
    const truth_list *list = check_truth(c->state, c->question, false, 0, 1);
    double *times = malloc((list->count + 1) * sizeof *times); // -1 for none
    if (!times) abort();
    for (size_t i = 0; i < list->count; i++) times[i] = -1;
    for (size_t i = 0; i < here->count; i++) {
        const toc_contact *a = &here->contacts[i];
        const truth_pair *p = truth_find(list, a->kind, a->body, a->v);
        if (p) times[p - list->pairs] = a->toc;
    }
    for (size_t i = 0; i < there->count; i++) {
        toc_contact b = there->contacts[i];
        image_pair_back(c->image, b.kind, b.body, b.v);
        const truth_pair *p = truth_find(list, b.kind, b.body, b.v);
        const double time = p ? times[p - list->pairs] : -1;
        char text[96];
        describe_contact(&b, text);
        if (time < 0)
            check_fail(c->state, "image pairs", "%s at %.17g in the image (%s) only", text, b.toc, c->text);
        else if (!(c->image->kinds & IMAGE_REVERSE) && p->limit == 0 && fabs(b.toc - time) > 1e-9 * time)
            check_fail(c->state, "image time", "%s at %.17g, in the image (%s) at %.17g", text, time, c->text, b.toc);
    }
    if (here->count != there->count)
        check_fail(c->state, "image pairs", "%zu contacts, in the image (%s) %zu", here->count, c->text, there->count);
    free(times);
}

static void compare_single_contacts(const image_check *c, const toc_contacts *here, const toc_contacts *there) {
    if (here->count != there->count)
        check_fail(c->state, "image pairs", "%zu contacts, in the image (%s) %zu", here->count, c->text, there->count);
    else if (c->question->ask == TRIAL_FIRST && here->count && !check_keeps_distance(c->state->model, c->question) &&
             fabs(here->contacts->toc - there->contacts->toc) > 1e-9 * here->contacts->toc)
        check_fail(c->state, "image time", "first at %.17g, in the image (%s) at %.17g", here->contacts->toc, c->text,
                   there->contacts->toc);
}

// At an end of the step rounding decides about pairs at the thickness itself; within the step nothing is rounded.
static void compare_near_pair(const image_check *c, const truth_pair *p, double here, double there) {
    const trial_question *q = c->question;
    near_truth t = {.limit = check_limit(c->state, q, p, q->thickness)};
    const uint32_t body[2] = {p->a->body, p->b->body};
    long double largest, slack;
    uint32_t v[4];
    truth_vertices(p, v);
    check_sizes(c->state->model, body, p->a->size, v, &t.size, &largest);
    const long double at_end = 1e-8L * (t.size + t.limit) + 0x1p-1060L;
    const long double in_step = 2 * fmaxl(0x1p-20L * t.limit, 0x1p-40L * t.size);
    slack = q->ask == TRIAL_NEAR ? at_end : at_end + in_step;
    if (here >= 0 && there >= 0) {
        if (fabsl((long double)here - there) > slack)
            check_fail(c->state, "image near", "%.17g, in the image (%s) %.17g, limit %g", here, c->text, there,
                       t.limit);
        return;
    }
    const double only = here >= 0 ? here : there;
    if (q->ask == TRIAL_NEAR_IN_STEP || fabsl((long double)only - t.limit) > slack)
        check_fail(c->state, "image near", "%.17g %s the image (%s) only, limit %g", only,
                   here >= 0 ? "outside of" : "in", c->text, t.limit);
}

// On parabolas looks in floating point find the distance, which differ in an image.
static void compare_near(const image_check *c, const toc_near *here, const toc_near *there) {
    if (is_curved_near(c->state, c->question)) return;
    const truth_list *list = check_truth(c->state, c->question, false, 0, 1);
    double *distances = malloc((list->count + 1) * 2 * sizeof *distances);
    if (!distances) abort();
    for (size_t i = 0; i < 2 * list->count; i++) distances[i] = -1;
    for (int side = 0; side < 2; side++) {
        const toc_near *from = side ? there : here;
        for (size_t i = 0; i < from->count; i++) {
            toc_near_pair n = from->pairs[i];
            if (side) image_pair_back(c->image, n.kind, n.body, n.v);
            const truth_pair *p = truth_find(list, n.kind, n.body, n.v);
            if (p)
                distances[2 * (p - list->pairs) + side] = side ? image_length_back(c->image, n.distance) : n.distance;
        }
    }
    for (size_t i = 0; i < list->count; i++)
        if (distances[2 * i] >= 0 || distances[2 * i + 1] >= 0)
            compare_near_pair(c, &list->pairs[i], distances[2 * i], distances[2 * i + 1]);
    free(distances);
}

// An overlap of the image in the numbers of the original.
static toc_overlap_pair overlap_back(const image *i, const toc_overlap_pair *there) {
    toc_overlap_pair o = *there;
    for (int side = 0; side < 2; side++) {
        const uint32_t body = there->body[side];
        o.body[side] = i->bodies[body];
        o.element[side] = i->elements[body][there->element[side]];
        for (int k = 0; k < 3; k++)
            if (o.v[side][k] != UINT32_MAX) o.v[side][k] = i->vertices[body][o.v[side][k]];
    }
    return o;
}

static bool is_same_side(const toc_overlap_pair *a, int of_a, const toc_overlap_pair *b, int of_b) {
    if (a->body[of_a] != b->body[of_b]) return false;
    if (a->v[of_a][0] == UINT32_MAX) return a->element[of_a] == b->element[of_b];
    int found = 0;
    for (int j = 0; j < 3; j++)
        for (int k = 0; k < 3; k++) found += a->v[of_a][j] == b->v[of_b][k];
    return found == 3;
}

static void compare_overlaps(const image_check *c, const toc_overlaps *here, const toc_overlaps *there) {
    for (size_t i = 0; i < there->count; i++) {
        const toc_overlap_pair o = overlap_back(c->image, &there->pairs[i]);
        bool found = false;
        for (size_t j = 0; j < here->count && !found; j++)
            for (int turn = 0; turn < 2; turn++)
                found = found ||
                        (is_same_side(&o, 0, &here->pairs[j], turn) && is_same_side(&o, 1, &here->pairs[j], !turn));
        if (!found)
            check_fail(c->state, "image overlap", "bodies %u %u elements %u %u in the image (%s) only", o.body[0],
                       o.body[1], o.element[0], o.element[1], c->text);
    }
    if (here->count != there->count)
        check_fail(c->state, "image overlap", "%zu pairs, in the image (%s) %zu", here->count, c->text, there->count);
}

static void compare_answers(const image_check *c, const check_answer *here, const check_answer *there) {
    const trial_ask ask = c->question->ask;
    if (ask == TRIAL_ALL)
        compare_contact_sets(c, here->contacts, there->contacts);
    else if (ask <= TRIAL_ANY)
        compare_single_contacts(c, here->contacts, there->contacts);
    else if (ask <= TRIAL_NEAR_IN_STEP)
        compare_near(c, here->near, there->near);
    else
        compare_overlaps(c, here->overlaps, there->overlaps);
}

// Ask the scene and an image of it. The safe step of the image is held to the truth of the scene, so that positions
// must round alike: a shift is left out, and a change of scale where coordinates are next to the subnormal ones.
static void question_image(check_state *s, toc_scene *scene, const trial_question *q) {
    static image made;
    if (!answers_alike(s, q)) return;
    image_make(&made, s->model, q);
    if (q->ask == TRIAL_SAFE_STEP && made.kinds & IMAGE_SHIFT) return;
    image_check c = {.state = s, .image = &made, .question = q};
    image_describe(&made, c.text);
    toc_scene *other = image_scene(&made, s->model);
    if (!other) {
        check_fail(s, "status", "image (%s): %s", c.text, toc_message_get());
        return;
    }
    check_answer here, there;
    const trial_question asked = image_question(&made, q);
    if (check_ask(s, scene, q, &here)) {
        s->image = &made;
        const bool answered = check_ask(s, other, &asked, &there);
        s->image = NULL;
        if (answered && q->ask == TRIAL_SAFE_STEP) check_fraction(s, q, there.fraction);
        if (answered && q->ask != TRIAL_SAFE_STEP) compare_answers(&c, &here, &there);
        if (answered) check_free(&there);
        check_free(&here);
        s->report->counts.images++;
    }
    toc_scene_destroy(other);
}

// ---- all of it

static void question(check_state *s, const trial_question *q) {
    toc_scene *scene = q->fresh ? fresh_scene(s) : s->scene;
    if ((q->fail_at || q->stop_at) && q->ask != TRIAL_FEATURES) ask_in_vain(s, scene, q);
    if (q->ask <= TRIAL_ANY)
        question_contacts(s, scene, q);
    else if (q->ask == TRIAL_SAFE_STEP)
        question_safe_step(s, scene, q);
    else if (q->ask <= TRIAL_NEAR_IN_STEP)
        question_near(s, scene, q);
    else if (q->ask <= TRIAL_ELEMENT_OVERLAPS)
        question_overlaps(s, scene, q);
    else if (q->ask == TRIAL_FEATURES)
        question_features(s, scene);
    else
        solver_question(s, scene, q);
    if (q->image % IMAGE_KINDS && !s->report->failed) question_image(s, scene, q);
    if (q->fresh) toc_scene_destroy(scene);
}

static void step_trial(check_state *s, const trial_op *op) {
    if (!model_accepts(s->model, op)) return;
    if (op->verb == TRIAL_QUESTION) {
        question(s, &op->question);
        return;
    }
    model_apply(s->model, op);
    s->stamp++;
    set_bound(s, MOST_THREADS);
    if (apply_to_scene(s->model, op, &s->memory.allocator, s->scene) != TOC_OK)
        check_fail(s, "status", "%s", toc_message_get());
}

static void finish(check_state *s) {
    toc_scene_destroy(s->scene);
    if (!s->report->failed && s->memory.alive != 0) check_fail(s, "leak", "%zu bytes", s->memory.alive);
    truth_free(&s->list);
    model_clear(s->model);
    free(s->model);
}

void check_run(const trial *t, check_report *report) {
    check_state s = {.trial = t, .model = calloc(1, sizeof(model)), .report = report, .stamp = 1};
    s.memory = (check_memory){.bound = BYTES_ALWAYS};
    s.memory.allocator = (toc_allocator){check_resize, &s.memory};
    if (!s.model || toc_scene_create(&s.memory.allocator, &s.scene) != TOC_OK) abort();
    report->counts.trials++;
    for (uint32_t i = 0; i < t->count && !report->failed; i++) {
        check_present_op = i;
        step_trial(&s, &t->ops[i]);
    }
    finish(&s);
}
