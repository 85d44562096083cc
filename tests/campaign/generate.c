// SPDX-License-Identifier: Apache-2.0
// Adversarial trials from a seed: soups, folds, lattices with many exact coincidences, collapsed and inverted elements,
// extreme and graded scales, rest and teleport, edits between the steps.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "campaign/image.h"
#include "toccata/research.h"

// How coordinates are drawn.
typedef enum place_kind { LATTICE, DYADIC, UNIFORM, POOL, FAR_LATTICE, GRADED, FLAT, PLACE_COUNT } place_kind;

typedef struct writer {
    trial *out;
    trial_random random;
    model *model; // the state of the trial so far, for edits that make sense
    place_kind place;
    double span, offset, scale; // coordinates are (offset + place in span) * scale
    double pool[6];
    bool volumes, curved;
    size_t solver_count; // questions of a solver so far
} writer;

static const char *const families[] = {"lattice", "dyadic", "uniform", "pool", "far", "graded", "flat"};

int trial_family_count(void) { return PLACE_COUNT; }
const char *trial_family_name(int family) { return families[family]; }

// ---- coordinates

static double coordinate(writer *w, int axis) {
    trial_random *r = &w->random;
    double x = 0;
    switch (w->place) {
    case LATTICE:
        x = trial_below(r, (uint32_t)w->span + 1);
        break;
    case FAR_LATTICE:
        x = w->offset + (double)trial_below(r, (uint32_t)w->span + 1) * (trial_chance(r, 0.5) ? 1 : 0x1p-10);
        break;
    case DYADIC:
        x = (double)trial_below(r, 8 * (uint32_t)w->span + 1) / 8;
        break;
    case UNIFORM:
        x = trial_between(r, 0, w->span);
        break;
    case POOL:
        x = w->pool[trial_below(r, 6)];
        break;
    case GRADED:
        x = ldexp(trial_between(r, -1, 1), -(int)trial_below(r, 30));
        break;
    default:
        x = axis == 2 ? 0 : trial_below(r, (uint32_t)w->span + 1);
        break;
    }
    return x * w->scale;
}

static void position(writer *w, double *x) {
    for (int k = 0; k < 3; k++) x[k] = coordinate(w, k);
}

static void choose_places(writer *w) {
    static const int exponents[] = {0, 0, 0, 0, 0, 0, 30, -30, 600, -600, 200, -300, 900, -900, -1060};
    trial_random *r = &w->random;
    w->place = (place_kind)trial_below(r, PLACE_COUNT);
    w->span = 1 + trial_below(r, 4);
    w->scale = ldexp(1, exponents[trial_below(r, sizeof exponents / sizeof *exponents)]);
    static const double offsets[] = {1000, 0x1p20, 1e6, -0x1p30, 1};
    w->offset = offsets[trial_below(r, 5)];
    for (int i = 0; i < 6; i++) w->pool[i] = trial_between(r, -1, 1);
    w->pool[5] = w->pool[4] + 0x1p-40;
    w->pool[0] = -w->pool[1];
    w->out->family = families[w->place];
}

// ---- bodies

enum { MOST_IDS = 9 * 40 };

typedef struct draft {
    uint32_t vertex_count;
    double x[3 * 64];
    size_t id_count;
    uint32_t ids[MOST_IDS];
} draft;

static void put_element(draft *d, int shape, const uint32_t *corners) {
    const int count = model_corners(shape);
    if (d->id_count + (size_t)count + 1 > MOST_IDS) return;
    d->ids[d->id_count++] = (uint32_t)shape;
    for (int i = 0; i < count; i++) d->ids[d->id_count++] = corners[i];
}

static int random_shape(writer *w) {
    static const int surface[] = {TOC_POINT, TOC_EDGE, TOC_TRIANGLE, TOC_TRIANGLE, TOC_TRIANGLE, TOC_QUAD};
    static const int volume[] = {TOC_TET, TOC_TET, TOC_PYRAMID, TOC_WEDGE, TOC_HEX};
    return w->volumes && trial_chance(&w->random, 0.8) ? volume[trial_below(&w->random, 5)]
                                                       : surface[trial_below(&w->random, 6)];
}

// Different corners mostly; now and then one is used twice.
static void random_corners(writer *w, uint32_t vertex_count, int shape, uint32_t corners[8]) {
    const int count = model_corners(shape);
    const bool collapsed = (uint32_t)count > vertex_count || trial_chance(&w->random, 0.06);
    for (int i = 0; i < count; i++) {
        bool again = true;
        while (again) {
            corners[i] = trial_below(&w->random, vertex_count);
            again = false;
            for (int j = 0; j < i && !collapsed; j++) again = again || corners[j] == corners[i];
        }
    }
}

static void make_soup(writer *w, draft *d) {
    d->vertex_count = 3 + trial_below(&w->random, w->volumes ? 14 : 16);
    for (uint32_t v = 0; v < d->vertex_count; v++) position(w, &d->x[3 * v]);
    const uint32_t elements = 1 + trial_below(&w->random, w->volumes ? 5 : 10);
    for (uint32_t e = 0; e < elements; e++) {
        uint32_t corners[8];
        const int shape = random_shape(w);
        random_corners(w, d->vertex_count, shape, corners);
        put_element(d, shape, corners);
    }
}

// Elements that share no vertex.
static void make_loose(writer *w, draft *d) {
    const uint32_t elements = 1 + trial_below(&w->random, 5);
    for (uint32_t e = 0; e < elements; e++) {
        uint32_t corners[8];
        const int shape = random_shape(w), count = model_corners(shape);
        if (d->vertex_count + (uint32_t)count > 60) return;
        for (int i = 0; i < count; i++) {
            corners[i] = d->vertex_count;
            position(w, &d->x[3 * d->vertex_count++]);
        }
        put_element(d, shape, corners);
    }
}

// A sheet that lies flat, is folded or crumpled.
static void make_sheet(writer *w, draft *d) {
    const uint32_t nx = 1 + trial_below(&w->random, 4), ny = 1 + trial_below(&w->random, 3);
    const int fold = (int)trial_below(&w->random, 4);
    const bool quads = trial_chance(&w->random, 0.3);
    const double z = (double)trial_below(&w->random, 3) / 2;
    for (uint32_t j = 0; j <= ny; j++)
        for (uint32_t i = 0; i <= nx; i++) {
            double *x = &d->x[3 * d->vertex_count++];
            x[0] = fold == 1 && i > 1 ? 2.0 - i : fold == 2 ? (double)(i % 2) : (double)i;
            x[1] = j;
            x[2] = fold == 1 && i > 1 ? z : fold == 3 ? coordinate(w, 2) / w->scale : 0;
            for (int k = 0; k < 3; k++) x[k] = (x[k] * 0.5 + (w->place == FAR_LATTICE ? w->offset : 0)) * w->scale;
        }
    for (uint32_t j = 0; j < ny; j++)
        for (uint32_t i = 0; i < nx; i++) {
            const uint32_t a = j * (nx + 1) + i, b = a + 1, c = b + nx + 1, e = a + nx + 1;
            if (quads) {
                put_element(d, TOC_QUAD, (const uint32_t[]){a, b, c, e});
            } else {
                put_element(d, TOC_TRIANGLE, (const uint32_t[]){a, b, c});
                put_element(d, TOC_TRIANGLE, (const uint32_t[]){a, c, e});
            }
        }
}

static void put_cell(writer *w, draft *d, int shape, const uint32_t c[8]) {
    static const int tets[5][4] = {{0, 1, 3, 4}, {1, 2, 3, 6}, {1, 3, 4, 6}, {4, 5, 6, 1}, {4, 6, 7, 3}};
    static const int wedges[2][6] = {{0, 1, 3, 4, 5, 7}, {1, 2, 3, 5, 6, 7}};
    static const int pyramids[3][5] = {{0, 1, 2, 3, 4}, {1, 2, 6, 5, 4}, {2, 3, 7, 6, 4}};
    const int count = shape == TOC_TET ? 5 : shape == TOC_WEDGE ? 2 : shape == TOC_PYRAMID ? 3 : 1;
    for (int i = 0; i < count; i++) {
        uint32_t corners[8];
        for (int j = 0; j < model_corners(shape); j++)
            corners[j] = c[shape == TOC_TET       ? tets[i][j]
                           : shape == TOC_WEDGE   ? wedges[i][j]
                           : shape == TOC_PYRAMID ? pyramids[i][j]
                                                  : j];
        if (trial_chance(&w->random, 0.9)) put_element(d, shape, corners);
    }
}

// One to three cells of a lattice.
static void make_block(writer *w, draft *d) {
    static const int shapes[] = {TOC_TET, TOC_HEX, TOC_WEDGE, TOC_PYRAMID};
    const int shape = shapes[trial_below(&w->random, 4)];
    const uint32_t cells = 1 + trial_below(&w->random, 2);
    const double shift = (double)trial_below(&w->random, 5) / 4;
    for (uint32_t i = 0; i <= cells; i++)
        for (uint32_t k = 0; k < 4; k++) {
            double *x = &d->x[3 * d->vertex_count++];
            x[0] = i;
            x[1] = k == 1 || k == 2;
            x[2] = k >= 2;
            for (int c = 0; c < 3; c++) {
                x[c] += shift + (w->place == FAR_LATTICE ? w->offset : 0);
                if (w->place == UNIFORM) x[c] += trial_between(&w->random, -0.2, 0.2);
                x[c] *= w->scale;
            }
        }
    for (uint32_t i = 0; i < cells; i++) {
        const uint32_t a = 4 * i, b = a + 4;
        put_cell(w, d, shape, (const uint32_t[]){a, a + 1, a + 2, a + 3, b, b + 1, b + 2, b + 3});
    }
}

static void put(writer *w, trial_verb verb, uint32_t body, size_t number_count, const double *numbers, size_t id_count,
                const uint32_t *ids) {
    const trial_op *op = trial_add(w->out, verb, body, number_count, numbers, id_count, ids);
    if (model_accepts(w->model, op)) model_apply(w->model, op);
}

static void add_body(writer *w) {
    draft d = {0};
    const double which = trial_between(&w->random, 0, 1);
    if (which < 0.35)
        make_soup(w, &d);
    else if (which < 0.6)
        make_loose(w, &d);
    else if (which < 0.8 || !w->volumes)
        make_sheet(w, &d);
    else
        make_block(w, &d);
    put(w, TRIAL_BODY, 0, 3 * d.vertex_count, d.x, d.id_count, d.ids);
}

// ---- motion

typedef enum motion_kind { REST, JUMP, SHIFT, SOME_JUMP, TURN, COLLAPSE, BACK, NUDGE, SMALL, MOTION_COUNT } motion_kind;

static void move_vertex(writer *w, const model_body *b, uint32_t v, motion_kind kind, const double shift[3],
                        double *x) {
    const double *now = b->x1[v];
    memcpy(x, now, 3 * sizeof *x);
    switch (kind) {
    case JUMP:
        position(w, x);
        break;
    case SHIFT:
        for (int k = 0; k < 3; k++) x[k] += shift[k];
        break;
    case SOME_JUMP:
        if (trial_chance(&w->random, 0.3)) position(w, x);
        break;
    case TURN:
        x[0] = now[1], x[1] = now[2], x[2] = now[0];
        break;
    case COLLAPSE:
        x[v % 3] = shift[0];
        break;
    case BACK:
        memcpy(x, b->x0[v], 3 * sizeof *x);
        break;
    case NUDGE:
        x[trial_below(&w->random, 3)] += w->scale * (trial_chance(&w->random, 0.5) ? 0.5 : -0.5);
        break;
    case SMALL:
        for (int k = 0; k < 3; k++) x[k] += w->scale * trial_between(&w->random, -0.3, 0.3);
        break;
    default:
        break;
    }
}

static void move_body(writer *w, uint32_t body) {
    const model_body *b = &w->model->bodies[body];
    double x[3 * MODEL_VERTICES], shift[3];
    const motion_kind kind = (motion_kind)trial_below(&w->random, MOTION_COUNT);
    for (int k = 0; k < 3; k++) shift[k] = w->scale * ((double)trial_below(&w->random, 9) - 4) / 4;
    for (uint32_t v = 0; v < b->vertex_count; v++) move_vertex(w, b, v, kind, shift, &x[3 * v]);
    if (trial_chance(&w->random, 0.1)) { // both ends at once
        double both[6 * MODEL_VERTICES];
        memcpy(both, b->x1, 3 * b->vertex_count * sizeof *both);
        memcpy(both + 3 * b->vertex_count, x, 3 * b->vertex_count * sizeof *both);
        put(w, TRIAL_SET_MOTION, body, 6 * b->vertex_count, both, 0, NULL);
    } else {
        put(w, TRIAL_MOVE, body, 3 * b->vertex_count, x, 0, NULL);
    }
    if (!w->curved || trial_chance(&w->random, 0.3)) return;
    for (uint32_t i = 0; i < 3 * b->vertex_count; i++)
        x[i] = trial_chance(&w->random, 0.3) ? 0 : w->scale * ((double)trial_below(&w->random, 17) - 8) / 2;
    put(w, TRIAL_ACCELERATE, body, 3 * b->vertex_count, x, 0, NULL);
}

// ---- edits

static void split_vertex(writer *w, uint32_t body) {
    const model_body *b = &w->model->bodies[body];
    uint32_t ids[1 + MODEL_ELEMENTS];
    size_t count = 1;
    ids[0] = trial_below(&w->random, b->vertex_count);
    for (uint32_t e = 0; e < b->element_count; e++)
        for (int i = 0; i < model_corners(b->elements[e].shape); i++)
            if (b->elements[e].c[i] == ids[0] && trial_chance(&w->random, 0.5) && (count == 1 || ids[count - 1] != e))
                ids[count++] = e;
    if (count > 1) put(w, TRIAL_SPLIT, body, 0, NULL, count, ids);
}

static void edit_elements(writer *w, uint32_t body, uint32_t which) {
    const model_body *b = &w->model->bodies[body];
    uint32_t ids[9], corners[8];
    double x[9];
    if (which == 0) {
        ids[0] = trial_below(&w->random, b->element_count);
        put(w, TRIAL_REMOVE_ELEMENT, body, 0, NULL, 1, ids);
    } else if (which == 1) {
        const int shape = random_shape(w);
        random_corners(w, b->vertex_count, shape, corners);
        ids[0] = (uint32_t)shape;
        memcpy(ids + 1, corners, sizeof corners);
        put(w, TRIAL_ADD_ELEMENT, body, 0, NULL, 1 + (size_t)model_corners(shape), ids);
    } else {
        const uint32_t first = b->vertex_count;
        for (int i = 0; i < 3; i++) position(w, x + 3 * i);
        put(w, TRIAL_ADD_VERTICES, body, 9, x, 0, NULL);
        put(w, TRIAL_ADD_ELEMENT, body, 0, NULL, 4, (const uint32_t[]){TOC_TRIANGLE, first, first + 1, first + 2});
    }
}

static void edit_body(writer *w, uint32_t body) {
    const model_body *b = &w->model->bodies[body];
    if (b->element_count == 0 || b->vertex_count == 0 || b->gone) return;
    const uint32_t which = trial_below(&w->random, 6);
    if (which < 3) {
        edit_elements(w, body, which);
    } else if (which == 3) {
        split_vertex(w, body);
    } else {
        const uint32_t ids[2] = {trial_below(&w->random, b->vertex_count), trial_below(&w->random, b->vertex_count)};
        put(w, which == 4 ? TRIAL_MERGE : TRIAL_REMOVE_VERTEX, body, 0, NULL, which == 4 ? 2 : 1, ids);
    }
}

static void set_filters(writer *w, uint32_t body) {
    const model_body *b = &w->model->bodies[body];
    trial_random *r = &w->random;
    const double thickness = w->scale * (double)trial_below(r, 4) / 8;
    if (b->element_count == 0) return;
    const uint32_t element = trial_below(r, b->element_count);
    switch (trial_below(r, 6)) {
    case 0:
        put(w, TRIAL_BODY_FILTER, body, 0, NULL, 2, (const uint32_t[]){1 + trial_below(r, 3), 1 + trial_below(r, 3)});
        break;
    case 1:
        put(w, TRIAL_SELF_CONTACT, body, 0, NULL, 1, (const uint32_t[]){trial_below(r, 2)});
        break;
    case 2:
        put(w, TRIAL_GROUP, body, 0, NULL, 2, (const uint32_t[]){element, trial_below(r, 3)});
        break;
    case 3:
        put(w, TRIAL_GROUP_CONTACT, 0, 0, NULL, 3,
            (const uint32_t[]){trial_below(r, 3), trial_below(r, 3), trial_below(r, 3) == 0});
        break;
    case 4:
        put(w, TRIAL_THICKNESS, body, 1, &thickness, 1, &element);
        break;
    default:
        put(w, TRIAL_BODY_THICKNESS, body, 1, &thickness, 0, NULL);
        break;
    }
}

// ---- questions

static int preset_count(void) {
    int count = 0;
    while (toc_preset_get((size_t)count).name) count++;
    return count;
}

static double random_length(writer *w) {
    static const double lengths[] = {0, 0.125, 0.25, 0.5, 1, 0.1, 0x1p-20, 2};
    return w->scale * lengths[trial_below(&w->random, 8)];
}

static trial_question random_question(writer *w) {
    static const trial_ask asks[] = {
        TRIAL_ALL,       TRIAL_ALL,  TRIAL_ALL,          TRIAL_FIRST,    TRIAL_FIRST,
        TRIAL_ANY,       TRIAL_NEAR, TRIAL_NEAR_IN_STEP, TRIAL_OVERLAPS, TRIAL_ELEMENT_OVERLAPS,
        TRIAL_SAFE_STEP, TRIAL_ALL,  TRIAL_FEATURES};
    trial_random *r = &w->random;
    trial_question q = {.ask = asks[trial_below(r, sizeof asks / sizeof *asks)], .method = -1, .to = 1};
    q.preset = (int)trial_below(r, (uint32_t)preset_count());
    if (trial_chance(r, 0.6)) q.method = trial_chance(r, 0.8) ? TOC_METHOD_CERTIFIED : TOC_METHOD_EXACT;
    if (trial_chance(r, 0.05)) q.method = (int)trial_below(r, TOC_METHOD_COUNT);
    if (q.method == TOC_METHOD_INCLUSION) q.method = TOC_METHOD_CULLING; // a million boxes for a pair: too slow here
    q.threads = trial_chance(r, 0.7) ? 1 : 1 + (int)trial_below(r, 8);
    q.end = (int)trial_below(r, 2);
    q.thickness = random_length(w);
    if (trial_chance(r, 0.12)) q.separation = random_length(w);
    if (trial_chance(r, 0.06)) {
        q.from = (double)trial_below(r, 5) / 4;
        q.to = q.from + (1 - q.from) * (double)trial_below(r, 5) / 4;
    }
    q.surface_only = trial_chance(r, 0.3);
    q.fresh = trial_chance(r, 0.1);
    q.skip = trial_chance(r, 0.1) ? trial_below(r, TOC_SKIP_ALL + 1) & ~(uint32_t)TOC_SKIP_DIAGONALS : 0;
    q.filter = trial_chance(r, 0.1) ? 1 + trial_below(r, 1000) : 0;
    if (trial_chance(r, 0.05)) q.fail_at = 1 + trial_below(r, 60);
    if (trial_chance(r, 0.03)) q.stop_at = 1 + trial_below(r, 4);
    return q;
}

// From numbers of their own, so that the rest of a trial does not depend on them.
static void choose_image(const writer *w, trial_question *q) {
    trial_random r = {trial_hash(w->out->seed, 1000 + w->out->count - w->solver_count)};
    q->thin = trial_chance(&r, 0.5);
    if (!trial_chance(&r, 0.2)) return;
    const uint32_t kinds = trial_chance(&r, 0.5) ? 1u << trial_below(&r, 7) : 1 + trial_below(&r, IMAGE_KINDS - 1);
    q->image = kinds + IMAGE_KINDS * trial_below(&r, 1u << 20);
}

// Likewise, one question of a solver for each four others.
static void ask_solver(writer *w) {
    static const trial_ask asks[] = {TRIAL_ROOM_STEP,  TRIAL_CANDIDATES,   TRIAL_TOUCHES,  TRIAL_CLOSEST, TRIAL_HITS,
                                     TRIAL_CONTAINING, TRIAL_CONTAINMENTS, TRIAL_CONFLICT, TRIAL_CHANGES};
    const trial_random own = w->random;
    w->random = (trial_random){trial_hash(w->out->seed, 2000 + w->out->count)};
    trial_random *r = &w->random;
    if (trial_chance(r, 0.25)) {
        trial_question q = random_question(w);
        q.ask = asks[trial_below(r, sizeof asks / sizeof *asks)];
        q.method = trial_chance(r, 0.3) ? -1 : trial_chance(r, 0.7) ? TOC_METHOD_CERTIFIED : TOC_METHOD_EXACT;
        q.from = 0, q.to = 1;
        q.thin = trial_chance(r, 0.5);
        q.salt = 1 + trial_below(r, 1u << 30);
        w->solver_count++;
        trial_add(w->out, TRIAL_QUESTION, 0, 0, NULL, 0, NULL)->question = q;
    }
    w->random = own;
}

static void ask(writer *w) {
    trial_question q = random_question(w);
    choose_image(w, &q);
    ask_solver(w);
    trial_add(w->out, TRIAL_QUESTION, 0, 0, NULL, 0, NULL)->question = q;
    if (!trial_chance(&w->random, 0.1)) return; // and once more
    trial_add(w->out, TRIAL_QUESTION, 0, 0, NULL, 0, NULL)->question = q;
}

static void write_step(writer *w) {
    const model *m = w->model;
    for (uint32_t b = 0; b < m->body_count; b++) {
        while (trial_chance(&w->random, 0.15)) set_filters(w, b);
        while (trial_chance(&w->random, 0.2)) edit_body(w, b);
        if (trial_chance(&w->random, 0.85)) move_body(w, b);
    }
    if (m->body_count < 4 && trial_chance(&w->random, 0.06)) add_body(w);
    if (m->body_count > 1 && trial_chance(&w->random, 0.06))
        put(w, TRIAL_REMOVE_BODY, trial_below(&w->random, m->body_count), 0, NULL, 0, NULL);
    const uint32_t questions = 2 + trial_below(&w->random, 5);
    for (uint32_t i = 0; i < questions; i++) ask(w);
}

trial trial_generate(uint64_t seed) {
    trial t = {.seed = seed};
    writer w = {.out = &t, .random = {trial_hash(seed, 0x746f63)}, .model = calloc(1, sizeof(model))};
    if (!w.model) abort();
    choose_places(&w);
    w.volumes = trial_chance(&w.random, 0.35);
    w.curved = trial_chance(&w.random, 0.08);
    const uint32_t bodies = 1 + trial_below(&w.random, 3), steps = 1 + trial_below(&w.random, 4);
    for (uint32_t b = 0; b < bodies; b++) add_body(&w);
    for (uint32_t i = 0; i < steps; i++) write_step(&w);
    model_clear(w.model);
    free(w.model);
    return t;
}
