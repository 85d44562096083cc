// SPDX-License-Identifier: Apache-2.0
// Features and filters derived a second time, in the simplest way: quadratic in everything.
#include "campaign/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// VTK's numbering: edges, and sides of three or four corners (-1 for no fourth).
typedef struct model_shape {
    int corners, volume, edge_count, side_count;
    int edges[12][2];
    int sides[6][4];
} model_shape;

static const model_shape shapes[TOC_SHAPE_COUNT] = {
    [TOC_POINT] = {1, 0, 0, 0, {{0}}, {{0}}},
    [TOC_EDGE] = {2, 0, 1, 0, {{0, 1}}, {{0}}},
    [TOC_TRIANGLE] = {3, 0, 3, 1, {{0, 1}, {1, 2}, {0, 2}}, {{0, 1, 2, -1}}},
    [TOC_QUAD] = {4, 0, 4, 1, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}, {{0, 1, 2, 3}}},
    [TOC_TET] = {4,
                 1,
                 6,
                 4,
                 {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}},
                 {{0, 1, 2, -1}, {0, 1, 3, -1}, {0, 2, 3, -1}, {1, 2, 3, -1}}},
    [TOC_PYRAMID] = {5,
                     1,
                     8,
                     5,
                     {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 4}, {1, 4}, {2, 4}, {3, 4}},
                     {{0, 1, 2, 3}, {0, 1, 4, -1}, {1, 2, 4, -1}, {2, 3, 4, -1}, {3, 0, 4, -1}}},
    [TOC_WEDGE] = {6,
                   1,
                   9,
                   5,
                   {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}, {0, 3}, {1, 4}, {2, 5}},
                   {{0, 1, 2, -1}, {3, 4, 5, -1}, {0, 1, 4, 3}, {1, 2, 5, 4}, {2, 0, 3, 5}}},
    [TOC_HEX] = {8,
                 1,
                 12,
                 6,
                 {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6}, {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}},
                 {{0, 1, 2, 3}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}}},
};

// Sides above that are wound inwards, as VTK orders the corners.
static const bool wound_inwards[TOC_SHAPE_COUNT][6] = {
    [TOC_TET] = {true, false, true, false},
    [TOC_PYRAMID] = {true},
    [TOC_WEDGE] = {false, true, true, true, true},
    [TOC_HEX] = {true},
};

int model_corners(int shape) { return shape > 0 && shape < TOC_SHAPE_COUNT ? shapes[shape].corners : 0; }

// ---- operations

static bool has_vertex(const model_body *b, uint32_t v) { return v < b->vertex_count && !b->vertex_gone[v]; }

static bool has_element(const model_body *b, uint32_t e) {
    return e < b->element_count && b->elements[e].shape != TOC_REMOVED;
}

static bool uses(const model_element *e, uint32_t v) {
    for (int i = 0; i < model_corners(e->shape); i++)
        if (e->c[i] == v) return true;
    return false;
}

static bool are_finite(const trial_op *op) {
    for (size_t i = 0; i < op->number_count; i++)
        if (!isfinite(op->numbers[i])) return false;
    return true;
}

// Shape and corners, as in the ids of an operation. Returns how many ids they take, 0 when they make no sense.
static size_t element_ids(const model_body *b, const uint32_t *ids, size_t count) {
    if (count < 1 || ids[0] == TOC_REMOVED || ids[0] >= TOC_SHAPE_COUNT) return 0;
    const size_t corners = (size_t)model_corners((int)ids[0]);
    if (count < corners + 1) return 0;
    for (size_t i = 0; i < corners; i++)
        if (!has_vertex(b, ids[1 + i])) return 0;
    return corners + 1;
}

static bool accepts_body(const model *m, const trial_op *op) {
    if (m->body_count == MODEL_BODIES || op->number_count > 3 * MODEL_VERTICES / 2) return false;
    model_body b = {.vertex_count = (uint32_t)(op->number_count / 3)};
    uint32_t elements = 0;
    for (size_t at = 0, taken; at < op->id_count; at += taken, elements++)
        if ((taken = element_ids(&b, op->ids + at, op->id_count - at)) == 0) return false;
    return elements <= MODEL_ELEMENTS / 2;
}

static bool accepts_split(const model_body *b, const trial_op *op) {
    if (op->id_count < 2 || !has_vertex(b, op->ids[0]) || b->vertex_count == MODEL_VERTICES) return false;
    for (size_t i = 1; i < op->id_count; i++)
        if (!has_element(b, op->ids[i]) || !uses(&b->elements[op->ids[i]], op->ids[0])) return false;
    for (size_t i = 2; i < op->id_count; i++)
        if (op->ids[i] <= op->ids[i - 1]) return false;
    return true;
}

static bool is_used(const model_body *b, uint32_t v) {
    for (uint32_t e = 0; e < b->element_count; e++)
        if (uses(&b->elements[e], v)) return true;
    return false;
}

static bool accepts_merge(const model_body *b, const trial_op *op) {
    if (op->id_count != 2 || op->ids[0] == op->ids[1]) return false;
    if (!has_vertex(b, op->ids[0]) || !has_vertex(b, op->ids[1])) return false;
    for (uint32_t e = 0; e < b->element_count; e++)
        if (uses(&b->elements[e], op->ids[0]) && uses(&b->elements[e], op->ids[1])) return false;
    return true;
}

static bool accepts_for_body(const model_body *b, const trial_op *op) {
    switch (op->verb) {
    case TRIAL_MOVE:
    case TRIAL_SET_MOTION:
    case TRIAL_ACCELERATE:
        return are_finite(op);
    case TRIAL_ADD_VERTICES:
        return are_finite(op) && b->vertex_count + op->number_count / 3 <= MODEL_VERTICES;
    case TRIAL_ADD_ELEMENT:
        return b->element_count < MODEL_ELEMENTS && element_ids(b, op->ids, op->id_count) == op->id_count;
    case TRIAL_REMOVE_ELEMENT:
        return op->id_count == 1 && has_element(b, op->ids[0]);
    case TRIAL_REMOVE_VERTEX:
        return op->id_count == 1 && has_vertex(b, op->ids[0]) && !is_used(b, op->ids[0]);
    case TRIAL_SPLIT:
        return accepts_split(b, op);
    case TRIAL_MERGE:
        return accepts_merge(b, op);
    case TRIAL_GROUP:
        return op->id_count == 2 && has_element(b, op->ids[0]);
    case TRIAL_THICKNESS:
        return op->id_count == 1 && op->number_count == 1 && has_element(b, op->ids[0]);
    case TRIAL_BODY_THICKNESS:
        return op->number_count == 1;
    case TRIAL_BODY_FILTER:
        return op->id_count == 2;
    case TRIAL_SELF_CONTACT:
        return op->id_count == 1;
    case TRIAL_REMOVE_BODY:
        return true;
    default:
        return false;
    }
}

bool model_accepts(const model *m, const trial_op *op) {
    if (op->verb == TRIAL_BODY) return are_finite(op) && accepts_body(m, op);
    if (op->verb == TRIAL_QUESTION) return m->body_count > 0;
    if (op->verb == TRIAL_GROUP_CONTACT) return op->id_count == 3 && m->ignored_count < MODEL_GROUP_PAIRS;
    return op->body < m->body_count && !m->bodies[op->body].gone && accepts_for_body(&m->bodies[op->body], op);
}

static void add_element(model_body *b, const uint32_t *ids) {
    model_element *e = &b->elements[b->element_count++];
    *e = (model_element){.shape = (int)ids[0]};
    for (int i = 0; i < model_corners(e->shape); i++) e->c[i] = ids[1 + i];
}

static void add_vertices(model_body *b, size_t number_count, const double *numbers) {
    for (size_t i = 0; i < number_count / 3; i++, b->vertex_count++) {
        memcpy(b->x0[b->vertex_count], numbers + 3 * i, sizeof b->x0[0]);
        memcpy(b->x1[b->vertex_count], numbers + 3 * i, sizeof b->x1[0]);
        memset(b->a[b->vertex_count], 0, sizeof b->a[0]);
    }
}

static void apply_body(model *m, const trial_op *op) {
    model_body *b = &m->bodies[m->body_count++];
    memset(b, 0, sizeof *b);
    b->layers = 1;
    b->mask = UINT64_MAX;
    add_vertices(b, op->number_count, op->numbers);
    for (size_t at = 0; at < op->id_count; at += (size_t)model_corners((int)op->ids[at]) + 1) {
        add_element(b, op->ids + at);
    }
}

// As many vertices as the operation has numbers for; the others rest.
static void set_positions(model_body *b, const double *numbers, size_t count, double x[][3]) {
    for (uint32_t v = 0; v < b->vertex_count; v++)
        for (size_t c = 0; c < 3; c++)
            if (3 * v + c < count) x[v][c] = numbers[3 * v + c];
}

static void apply_move(model_body *b, const trial_op *op) {
    memcpy(b->x0, b->x1, sizeof b->x0);
    set_positions(b, op->numbers, op->number_count, b->x1);
    b->accelerated = false;
}

static void apply_motion(model_body *b, const trial_op *op) {
    const size_t half = op->number_count / 2;
    set_positions(b, op->numbers, half, b->x0);
    set_positions(b, op->numbers + half, half, b->x1);
    b->accelerated = false;
}

static void apply_acceleration(model_body *b, const trial_op *op) {
    memset(b->a, 0, sizeof b->a);
    set_positions(b, op->numbers, op->number_count, b->a);
    b->accelerated = true;
}

static void replace(model_element *e, uint32_t before, uint32_t after) {
    for (int i = 0; i < model_corners(e->shape); i++)
        if (e->c[i] == before) e->c[i] = after;
}

static void apply_split(model_body *b, const trial_op *op) {
    const uint32_t v = op->ids[0], fresh = b->vertex_count++;
    memcpy(b->x0[fresh], b->x0[v], sizeof b->x0[0]);
    memcpy(b->x1[fresh], b->x1[v], sizeof b->x1[0]);
    memcpy(b->a[fresh], b->a[v], sizeof b->a[0]);
    for (size_t i = 1; i < op->id_count; i++) replace(&b->elements[op->ids[i]], v, fresh);
}

static void apply_merge(model_body *b, const trial_op *op) {
    for (uint32_t e = 0; e < b->element_count; e++) replace(&b->elements[e], op->ids[1], op->ids[0]);
    b->vertex_gone[op->ids[1]] = true;
}

static void apply_group_contact(model *m, const trial_op *op) {
    const int32_t a = (int32_t)op->ids[0], b = (int32_t)op->ids[1];
    uint32_t kept = 0;
    for (uint32_t i = 0; i < m->ignored_count; i++) {
        const bool same =
            (m->ignored[i][0] == a && m->ignored[i][1] == b) || (m->ignored[i][0] == b && m->ignored[i][1] == a);
        if (!same) memcpy(m->ignored[kept++], m->ignored[i], sizeof m->ignored[0]);
    }
    m->ignored_count = kept;
    if (op->ids[2]) return;
    m->ignored[m->ignored_count][0] = a;
    m->ignored[m->ignored_count++][1] = b;
}

static void apply_edit(model_body *b, const trial_op *op) {
    switch (op->verb) {
    case TRIAL_ADD_VERTICES:
        add_vertices(b, op->number_count, op->numbers);
        break;
    case TRIAL_ADD_ELEMENT:
        add_element(b, op->ids);
        break;
    case TRIAL_REMOVE_ELEMENT:
        b->elements[op->ids[0]].shape = TOC_REMOVED;
        break;
    case TRIAL_REMOVE_VERTEX:
        b->vertex_gone[op->ids[0]] = true;
        break;
    case TRIAL_SPLIT:
        apply_split(b, op);
        break;
    case TRIAL_MERGE:
        apply_merge(b, op);
        break;
    case TRIAL_GROUP:
        b->elements[op->ids[0]].group = (int32_t)op->ids[1];
        break;
    case TRIAL_THICKNESS:
        b->elements[op->ids[0]].thickness = op->numbers[0];
        break;
    case TRIAL_BODY_THICKNESS:
        b->thickness = op->numbers[0];
        break;
    case TRIAL_BODY_FILTER:
        b->layers = op->ids[0], b->mask = op->ids[1];
        break;
    case TRIAL_SELF_CONTACT:
        b->ignores_itself = !op->ids[0];
        break;
    case TRIAL_REMOVE_BODY:
        b->gone = true;
        break;
    default:
        break;
    }
}

void model_apply(model *m, const trial_op *op) {
    model_body *b = &m->bodies[op->body < MODEL_BODIES ? op->body : 0];
    m->derived = false;
    switch (op->verb) {
    case TRIAL_BODY:
        apply_body(m, op);
        break;
    case TRIAL_MOVE:
        apply_move(b, op);
        break;
    case TRIAL_SET_MOTION:
        apply_motion(b, op);
        break;
    case TRIAL_ACCELERATE:
        apply_acceleration(b, op);
        break;
    case TRIAL_GROUP_CONTACT:
        apply_group_contact(m, op);
        break;
    default:
        apply_edit(b, op);
        break;
    }
}

// ---- features

static int distinct(const uint32_t *ids, int count, uint32_t *to) {
    int found = 0;
    for (int i = 0; i < count; i++) {
        bool seen = false;
        for (int j = 0; j < found; j++) seen = seen || to[j] == ids[i];
        if (!seen) to[found++] = ids[i];
    }
    return found;
}

static void sort_ids(uint32_t *ids, int count) {
    for (int i = 1; i < count; i++)
        for (int j = i; j > 0 && ids[j - 1] > ids[j]; j--) {
            const uint32_t swapped = ids[j];
            ids[j] = ids[j - 1];
            ids[j - 1] = swapped;
        }
}

static void put_face(uint32_t face[3], uint32_t a, uint32_t b, uint32_t c) {
    face[0] = a;
    face[1] = b;
    face[2] = c;
    sort_ids(face, 3);
}

// The triangles of a side, and the diagonal of a quad that splits it.
static int side_faces(const uint32_t *side, int count, uint32_t faces[2][3], uint32_t diagonal[2]) {
    uint32_t ids[4];
    diagonal[0] = diagonal[1] = 0;
    if (count == 4 && (side[0] == side[2] || side[1] == side[3])) return 0;
    const int left = distinct(side, count, ids);
    if (left < 3) return 0;
    if (left == 3) {
        put_face(faces[0], ids[0], ids[1], ids[2]);
        return 1;
    }
    int low = 0;
    for (int i = 1; i < 4; i++)
        if (ids[i] < ids[low]) low = i;
    put_face(faces[0], ids[low], ids[(low + 1) % 4], ids[(low + 2) % 4]);
    put_face(faces[1], ids[low], ids[(low + 2) % 4], ids[(low + 3) % 4]);
    diagonal[0] = ids[low];
    diagonal[1] = ids[(low + 2) % 4];
    return 2;
}

// Whether a side of the shape as given is a face. A volume without any bounds nothing, even where its corners make a
// tet.
static bool has_side(const model_element *e) {
    const model_shape *s = &shapes[e->shape];
    for (int i = 0; i < s->side_count; i++) {
        uint32_t ids[4], faces[2][3], diagonal[2];
        const int count = s->sides[i][3] < 0 ? 3 : 4;
        for (int j = 0; j < count; j++) ids[j] = e->c[s->sides[i][j]];
        if (side_faces(ids, count, faces, diagonal) > 0) return true;
    }
    return false;
}

// The element with its collapsed shape: a volume of four different corners is a tet.
static model_element reduced(const model_element *e) {
    uint32_t ids[8];
    model_element r = *e;
    if (!shapes[e->shape].volume || distinct(e->c, model_corners(e->shape), ids) != 4) return r;
    r.shape = TOC_TET;
    memcpy(r.c, ids, 4 * sizeof *ids);
    return r;
}

typedef struct element_parts {
    int edge_count, face_count;
    uint32_t edges[24][2], faces[12][3];
} element_parts;

static void put_edge(element_parts *p, uint32_t a, uint32_t b) {
    if (a == b) return;
    p->edges[p->edge_count][0] = a < b ? a : b;
    p->edges[p->edge_count++][1] = a < b ? b : a;
}

static element_parts parts_of(const model_element *given) {
    const model_element e = reduced(given);
    const model_shape *s = &shapes[e.shape];
    element_parts p = {0};
    for (int i = 0; i < s->edge_count; i++) put_edge(&p, e.c[s->edges[i][0]], e.c[s->edges[i][1]]);
    for (int i = 0; i < s->side_count; i++) {
        uint32_t ids[4], diagonal[2];
        const int count = s->sides[i][3] < 0 ? 3 : 4;
        for (int j = 0; j < count; j++) ids[j] = e.c[s->sides[i][j]];
        p.face_count += side_faces(ids, count, &p.faces[p.face_count], diagonal);
        put_edge(&p, diagonal[0], diagonal[1]);
    }
    return p;
}

int model_faces(const model_element *e, uint32_t faces[12][3]) {
    const element_parts p = parts_of(e);
    memcpy(faces, p.faces, sizeof p.faces);
    return p.face_count;
}

bool model_is_whole(const model_element *e) {
    uint32_t ids[8];
    return distinct(e->c, model_corners(e->shape), ids) == model_corners(e->shape);
}

int model_wound_faces(const model_element *e, uint32_t faces[12][3]) {
    const model_shape *s = &shapes[e->shape];
    int found = 0;
    for (int i = 0; i < s->side_count; i++) {
        const int count = s->sides[i][3] < 0 ? 3 : 4;
        uint32_t ids[4];
        int low = 0;
        for (int j = 0; j < count; j++) {
            ids[j] = e->c[s->sides[i][wound_inwards[e->shape][i] ? count - 1 - j : j]];
            if (ids[j] < ids[low]) low = j;
        }
        for (int j = 1; j + 1 < count; j++, found++) {
            faces[found][0] = ids[low];
            faces[found][1] = ids[(low + j) % count];
            faces[found][2] = ids[(low + j + 1) % count];
        }
    }
    return found;
}

static model_feature *feature_at(model *m, uint32_t body, int size, const uint32_t *v) {
    for (size_t i = 0; i < m->feature_count; i++) {
        model_feature *f = &m->features[i];
        if (f->size == size && f->body == body && memcmp(f->v, v, (size_t)size * sizeof *v) == 0) return f;
    }
    if ((m->feature_count & (m->feature_count - 1)) == 0) {
        m->features = realloc(m->features, (2 * m->feature_count + 1) * sizeof *m->features);
        if (!m->features) abort();
    }
    model_feature *f = &m->features[m->feature_count++];
    memset(f, 0, sizeof *f);
    f->size = size;
    f->body = body;
    memcpy(f->v, v, (size_t)size * sizeof *v);
    return f;
}

static void put_around(model_feature *f, uint32_t element) {
    if (f->around_count && f->around[f->around_count - 1] == element) return;
    f->around[f->around_count++] = element;
}

static void derive_element(model *m, uint32_t body, uint32_t element) {
    const model_element *e = &m->bodies[body].elements[element];
    if (e->shape == TOC_REMOVED) return;
    const element_parts p = parts_of(e);
    for (int i = 0; i < model_corners(e->shape); i++) put_around(feature_at(m, body, 1, &e->c[i]), element);
    for (int i = 0; i < p.edge_count; i++) put_around(feature_at(m, body, 2, p.edges[i]), element);
    for (int i = 0; i < p.face_count; i++) put_around(feature_at(m, body, 3, p.faces[i]), element);
}

// The same vertices in any shape: a hex may stand for a tet.
static bool has_all(const model_element *a, const model_element *b) {
    for (int i = 0; i < model_corners(b->shape); i++)
        if (!uses(a, b->c[i])) return false;
    return true;
}

static bool are_duplicates(const model_element *a, const model_element *b) { return has_all(a, b) && has_all(b, a); }

// A face is on the boundary where a surface element has it, or one volume only, its duplicates aside.
static bool is_outer(const model_body *b, const model_feature *face) {
    const model_element *first = &b->elements[face->around[0]];
    for (uint32_t i = 0; i < face->around_count; i++)
        if (!shapes[b->elements[face->around[i]].shape].volume || !has_side(&b->elements[face->around[i]])) return true;
    for (uint32_t i = 1; i < face->around_count; i++)
        if (!are_duplicates(first, &b->elements[face->around[i]])) return false;
    return true;
}

static void mark_face(model *m, size_t index) {
    const model_feature face = m->features[index];
    m->features[index].boundary = true;
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t edge[2] = {face.v[i == 0 ? 1 : 0], face.v[i == 2 ? 1 : 2]};
        feature_at(m, face.body, 1, &face.v[i])->boundary = true;
        feature_at(m, face.body, 2, edge)->boundary = true;
    }
}

// Loose points and edges, and the features of volumes without any face.
static void mark_loose(model *m, model_feature *f) {
    for (uint32_t i = 0; i < f->around_count; i++) {
        const model_element *e = &m->bodies[f->body].elements[f->around[i]];
        if (!shapes[e->shape].volume || !has_side(e)) f->boundary = true;
    }
}

void model_derive(model *m) {
    if (m->derived) return;
    free(m->features);
    m->features = NULL;
    m->feature_count = 0;
    m->derived = true;
    for (uint32_t b = 0; b < m->body_count; b++)
        for (uint32_t e = 0; !m->bodies[b].gone && e < m->bodies[b].element_count; e++) derive_element(m, b, e);
    const size_t count = m->feature_count;
    for (size_t i = 0; i < count; i++) mark_loose(m, &m->features[i]);
    for (size_t i = 0; i < count; i++)
        if (m->features[i].size == 3 && is_outer(&m->bodies[m->features[i].body], &m->features[i])) mark_face(m, i);
}

void model_clear(model *m) {
    free(m->features);
    m->features = NULL;
}

bool model_is_curved(const model *m) {
    for (uint32_t b = 0; b < m->body_count; b++)
        if (m->bodies[b].accelerated && !m->bodies[b].gone) return true;
    return false;
}

void model_path(const model *m, uint32_t body, uint32_t v, double path[3][3]) {
    static const double none[3];
    const model_body *b = &m->bodies[body];
    memcpy(path[0], b->x0[v], sizeof path[0]);
    memcpy(path[1], b->x0[v], sizeof path[1]);
    memcpy(path[2], b->x1[v], sizeof path[2]);
    if (model_is_curved(m)) toc_path_find_control(1, path[0], path[2], b->accelerated ? b->a[v] : none, path[1]);
}

// ---- filters

bool model_bodies_meet(const model *m, uint32_t a, uint32_t b) {
    const model_body *x = &m->bodies[a], *y = &m->bodies[b];
    if (a == b) return !x->ignores_itself;
    return (x->mask & y->layers) != 0 && (y->mask & x->layers) != 0;
}

static bool groups_meet(const model *m, int32_t a, int32_t b) {
    for (uint32_t i = 0; i < m->ignored_count; i++) {
        const int32_t *pair = m->ignored[i];
        if ((pair[0] == a && pair[1] == b) || (pair[0] == b && pair[1] == a)) return false;
    }
    return true;
}

bool model_wants(const model *m, const model_feature *a, const model_feature *b) {
    if (a->body == b->body)
        for (int i = 0; i < a->size; i++)
            for (int j = 0; j < b->size; j++)
                if (a->v[i] == b->v[j]) return false;
    if (!model_bodies_meet(m, a->body, b->body)) return false;
    if (m->ignored_count == 0) return true;
    for (uint32_t i = 0; i < a->around_count; i++)
        for (uint32_t j = 0; j < b->around_count; j++)
            if (groups_meet(m, m->bodies[a->body].elements[a->around[i]].group,
                            m->bodies[b->body].elements[b->around[j]].group))
                return true;
    return false;
}

bool model_callback(uint32_t filter, toc_kind kind, const uint32_t body[2], const uint32_t v[4]) {
    if (filter == 0) return true;
    const int first = kind == TOC_VF ? 1 : 2;
    uint64_t hashes[2] = {body[0] + 1, body[1] + 1};
    uint32_t ids[4];
    memcpy(ids, v, sizeof ids);
    sort_ids(ids, first);
    sort_ids(ids + first, 4 - first);
    for (int i = 0; i < 4; i++) hashes[i >= first] = trial_hash(hashes[i >= first], ids[i] + 7u);
    return trial_hash(hashes[0] + hashes[1], filter) % 3 != 0;
}

double model_thickness(const model *m, const model_feature *f) {
    double thickest = m->bodies[f->body].thickness;
    for (uint32_t i = 0; i < f->around_count; i++) {
        const double t = m->bodies[f->body].elements[f->around[i]].thickness;
        if (t > thickest) thickest = t;
    }
    return thickest;
}
