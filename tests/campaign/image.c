// SPDX-License-Identifier: Apache-2.0
// Images of a scene, built from the model in its present state.
#include "campaign/image.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static trial_random random_of(const image *i, uint64_t what) { return (trial_random){trial_hash(i->seed, what)}; }

static void shuffle(trial_random *r, uint32_t count, uint32_t *ids) {
    for (uint32_t i = count; i > 1; i--) {
        const uint32_t j = trial_below(r, i), swapped = ids[j];
        ids[j] = ids[i - 1];
        ids[i - 1] = swapped;
    }
}

// ---- coordinates

// Call `is_fine` for each coordinate of the scene along an axis, or along all for -1.
static bool all_coordinates(const image *i, const model *m, int axis, bool (*is_fine)(const image *, int, double)) {
    for (uint32_t b = 0; b < m->body_count; b++) {
        const model_body *body = &m->bodies[b];
        for (uint32_t v = 0; !body->gone && v < body->vertex_count; v++)
            for (int k = 0; k < 3; k++) {
                if (axis >= 0 && k != axis) continue;
                if (!is_fine(i, k, body->x0[v][k]) || !is_fine(i, k, body->x1[v][k])) return false;
                if (body->accelerated && axis < 0 && !is_fine(i, k, body->a[v][k])) return false;
            }
    }
    return true;
}

static bool shifts_exactly(const image *i, int axis, double x) {
    const double s = i->shift[axis], y = x + s, back = y - s;
    return isfinite(4 * y) && back == x && (y - back) == s && (s - (y - back)) + (x - back) == 0;
}

static bool scales_exactly(const image *i, int axis, double x) {
    const double y = ldexp(x + i->shift[axis], i->exponent);
    return isfinite(4 * y) && ldexp(y, -i->exponent) == x + i->shift[axis];
}

// Halves and quarters of coordinates stay exact or round alike.
static bool stays_normal(const image *i, int axis, double x) {
    const double y = fabs(ldexp(x + i->shift[axis], i->exponent));
    return x == 0 || y > 0x1p-1000;
}

// Positions within the step round alike: neither they nor their differences are subnormal, here and in the image.
static bool rounds_alike(const image *i, int axis, double x) {
    const double y = fabs(ldexp(x + i->shift[axis], i->exponent));
    return x == 0 || (fabs(x) > 0x1p-900 && y > 0x1p-900);
}

static bool length_scales(const image *i, double x) {
    const double y = ldexp(x, i->exponent);
    return x == 0 || (isfinite(4 * y) && y > 0x1p-1000 && x > 0x1p-1000);
}

static bool lengths_scale(const image *i, const model *m, const trial_question *q) {
    bool good = length_scales(i, q->separation) && length_scales(i, q->thickness);
    for (uint32_t b = 0; b < m->body_count; b++) {
        good = good && length_scales(i, m->bodies[b].thickness);
        for (uint32_t e = 0; e < m->bodies[b].element_count; e++)
            good = good && length_scales(i, m->bodies[b].elements[e].thickness);
    }
    return good;
}

static double largest_of(const model *m) {
    double most = 0;
    for (uint32_t b = 0; b < m->body_count; b++)
        for (uint32_t v = 0; v < m->bodies[b].vertex_count; v++)
            for (int k = 0; k < 3; k++)
                most = fmax(most, fmax(fabs(m->bodies[b].x0[v][k]), fabs(m->bodies[b].x1[v][k])));
    return most;
}

// A power of two on each axis, from a little less than the scene to far away. Rounded control points of parabolas would
// move.
static void choose_shift(image *i, const model *m) {
    trial_random r = random_of(i, 1);
    int exponent;
    frexp(largest_of(m), &exponent);
    bool any = false;
    for (int k = 0; k < 3 && !model_is_curved(m); k++) {
        const double sign = trial_chance(&r, 0.5) ? 1 : -1;
        i->shift[k] = sign * ldexp(1, exponent - 4 + (int)trial_below(&r, 40));
        if (!isfinite(i->shift[k]) || !all_coordinates(i, m, k, shifts_exactly)) i->shift[k] = 0;
        any = any || i->shift[k] != 0;
    }
    if (!any) i->kinds &= ~(uint32_t)IMAGE_SHIFT;
}

static void choose_scale(image *i, const model *m, const trial_question *q) {
    static const int exponents[] = {1, -1, 7, -12, 60, -100, 300, -300, 700, -700};
    trial_random r = random_of(i, 2);
    i->exponent = exponents[trial_below(&r, sizeof exponents / sizeof *exponents)];
    const bool exact = all_coordinates(i, m, -1, scales_exactly) && lengths_scale(i, m, q) &&
                       (!model_is_curved(m) || all_coordinates(i, m, -1, stays_normal)) &&
                       (q->ask != TRIAL_SAFE_STEP || all_coordinates(i, m, -1, rounds_alike));
    if (exact) return;
    i->exponent = 0;
    i->kinds &= ~(uint32_t)IMAGE_SCALE;
}

static void choose_axes(image *i) {
    trial_random r = random_of(i, 3);
    uint32_t order[3] = {0, 1, 2};
    if (i->kinds & IMAGE_AXES) shuffle(&r, 3, order);
    for (int k = 0; k < 3; k++) {
        i->axis[k] = (int)order[k];
        i->sign[k] = i->kinds & IMAGE_AXES && trial_chance(&r, 0.5) ? -1 : 1;
    }
}

// ---- numbers

static bool has_quad_sides(const model_body *b) {
    for (uint32_t e = 0; e < b->element_count; e++) {
        const int shape = b->elements[e].shape;
        if (shape == TOC_QUAD || shape == TOC_PYRAMID || shape == TOC_WEDGE || shape == TOC_HEX) return true;
    }
    return false;
}

static void number_body(image *i, uint32_t at, const model_body *b) {
    trial_random r = random_of(i, 100 + i->bodies[at]);
    for (uint32_t v = 0; v < b->vertex_count; v++) i->vertices[at][v] = v;
    if (i->kinds & IMAGE_VERTICES && !has_quad_sides(b)) shuffle(&r, b->vertex_count, i->vertices[at]);
    for (uint32_t e = 0; e < b->element_count; e++)
        if (b->elements[e].shape != TOC_REMOVED) i->elements[at][i->element_counts[at]++] = e;
    if (i->kinds & IMAGE_ELEMENTS) shuffle(&r, i->element_counts[at], i->elements[at]);
}

static void number_bodies(image *i, const model *m) {
    trial_random r = random_of(i, 4);
    for (uint32_t b = 0; b < m->body_count; b++)
        if (!m->bodies[b].gone) i->bodies[i->body_count++] = b;
    if (i->kinds & IMAGE_BODIES) shuffle(&r, i->body_count, i->bodies);
    for (uint32_t at = 0; at < i->body_count; at++) number_body(i, at, &m->bodies[i->bodies[at]]);
}

void image_make(image *i, const model *m, const trial_question *q) {
    memset(i, 0, sizeof *i);
    i->kinds = q->image % IMAGE_KINDS;
    i->seed = q->image / IMAGE_KINDS;
    // Reversed time leaves the set of pairs; the first contact becomes the last.
    if (q->ask == TRIAL_FIRST || q->ask == TRIAL_SAFE_STEP) i->kinds &= ~(uint32_t)IMAGE_REVERSE;
    if (i->kinds & IMAGE_SHIFT) choose_shift(i, m);
    if (i->kinds & IMAGE_SCALE) choose_scale(i, m, q);
    choose_axes(i);
    number_bodies(i, m);
}

// ---- the scene

static void place_vertex(const image *i, const double x[3], bool is_place, double out[3]) {
    for (int k = 0; k < 3; k++) {
        const int from = i->axis[k];
        out[k] = i->sign[k] * ldexp(is_place ? x[from] + i->shift[from] : x[from], i->exponent);
    }
}

// Positions at one end of the step, or accelerations, in the order of the image.
static void place_vertices(const image *i, uint32_t at, const model_body *b, const double (*x)[3], bool are_places,
                           double out[][3]) {
    for (uint32_t v = 0; v < b->vertex_count; v++) place_vertex(i, x[i->vertices[at][v]], are_places, out[v]);
}

static void corners_of(const image *i, uint32_t at, const model_element *e, trial_random *r, uint32_t corners[8]) {
    const uint32_t count = (uint32_t)model_corners(e->shape);
    for (uint32_t c = 0; c < count; c++)
        for (uint32_t v = 0; v < MODEL_VERTICES; v++)
            if (i->vertices[at][v] == e->c[c]) {
                corners[c] = v;
                break;
            }
    const bool any_order = e->shape == TOC_EDGE || e->shape == TOC_TRIANGLE || e->shape == TOC_TET;
    if (i->kinds & IMAGE_ELEMENTS && any_order) shuffle(r, count, corners);
}

static toc_status add_image_elements(const image *i, uint32_t at, const model_body *b, toc_mesh *mesh) {
    trial_random r = random_of(i, 200 + i->bodies[at]);
    toc_status status = TOC_OK;
    for (uint32_t k = 0; status == TOC_OK && k < i->element_counts[at]; k++) {
        const model_element *e = &b->elements[i->elements[at][k]];
        uint32_t corners[8];
        corners_of(i, at, e, &r, corners);
        status = toc_mesh_add_elements(mesh, (toc_shape)e->shape, 1, corners, NULL);
        if (status == TOC_OK) status = toc_mesh_set_group(mesh, k, e->group);
        if (status == TOC_OK) status = toc_mesh_set_thickness(mesh, k, ldexp(e->thickness, i->exponent));
    }
    return status;
}

static toc_status fill_image_mesh(const image *i, uint32_t at, const model_body *b, toc_mesh *mesh) {
    static double x0[MODEL_VERTICES][3], x1[MODEL_VERTICES][3], a[MODEL_VERTICES][3];
    const bool reverse = i->kinds & IMAGE_REVERSE;
    place_vertices(i, at, b, reverse ? b->x1 : b->x0, true, x0);
    place_vertices(i, at, b, reverse ? b->x0 : b->x1, true, x1);
    place_vertices(i, at, b, b->a, false, a);
    toc_status status = toc_mesh_add_vertices(mesh, b->vertex_count, x0[0], NULL);
    if (status == TOC_OK) status = add_image_elements(i, at, b, mesh);
    if (status == TOC_OK) status = toc_mesh_set_motion(mesh, toc_mesh_get_vertex_count(mesh), x0[0], x1[0]);
    if (status == TOC_OK && b->accelerated)
        status = toc_mesh_set_acceleration(mesh, toc_mesh_get_vertex_count(mesh), a[0]);
    return status;
}

static toc_status add_image_body(const image *i, const model *m, uint32_t at, toc_scene *scene) {
    const model_body *b = &m->bodies[i->bodies[at]];
    toc_mesh *mesh;
    toc_status status = toc_mesh_create(NULL, &mesh);
    if (status != TOC_OK) return status;
    status = fill_image_mesh(i, at, b, mesh);
    if (status == TOC_OK) status = toc_scene_add_body(scene, mesh, NULL);
    if (status != TOC_OK) {
        toc_mesh_destroy(mesh);
        return status;
    }
    status = toc_scene_set_body_thickness(scene, at, ldexp(b->thickness, i->exponent));
    if (status == TOC_OK) status = toc_scene_set_body_layers(scene, at, b->layers, b->mask);
    return status == TOC_OK ? toc_scene_set_self_contact(scene, at, !b->ignores_itself) : status;
}

toc_scene *image_scene(const image *i, const model *m) {
    toc_scene *scene;
    toc_status status = toc_scene_create(NULL, &scene);
    if (status != TOC_OK) return NULL;
    for (uint32_t at = 0; status == TOC_OK && at < i->body_count; at++) status = add_image_body(i, m, at, scene);
    for (uint32_t k = 0; status == TOC_OK && k < m->ignored_count; k++)
        status = toc_scene_set_group_contact(scene, m->ignored[k][0], m->ignored[k][1], false);
    if (status == TOC_OK) return scene;
    toc_scene_destroy(scene);
    return NULL;
}

// ---- questions and answers

trial_question image_question(const image *i, const trial_question *q) {
    trial_question asked = *q;
    asked.separation = ldexp(q->separation, i->exponent);
    asked.thickness = ldexp(q->thickness, i->exponent);
    if (!(i->kinds & IMAGE_REVERSE)) return asked;
    asked.end = !q->end;
    asked.from = 1 - q->to;
    asked.to = 1 - q->from;
    return asked;
}

void image_pair_back(const image *i, toc_kind kind, uint32_t body[2], uint32_t v[4]) {
    const int first = kind == TOC_VF ? 1 : 2;
    for (int c = 0; c < 4; c++) v[c] = i->vertices[body[c >= first]][v[c]];
    for (int side = 0; side < 2; side++) body[side] = i->bodies[body[side]];
}

double image_length_back(const image *i, double length) { return ldexp(length, -i->exponent); }

void image_describe(const image *i, char text[120]) {
    static const char *const names[] = {"scale", "shift", "axes", "vertices", "elements", "bodies", "reverse"};
    size_t used = 0;
    text[0] = 0;
    for (int k = 0; k < 7; k++)
        if (i->kinds >> k & 1) used += (size_t)snprintf(text + used, 120 - used, "%s%s", used ? " " : "", names[k]);
}
