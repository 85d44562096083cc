// SPDX-License-Identifier: Apache-2.0
// Meshes of a description.
#include "scenes/simulated/shapes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenes/builder.h"
#include "scenes/scenes.h"

// Cells of a shape at most: a mistyped number is refused before it takes all memory, and ids fit into 32 bits.
static const double most_cells = 2e7;

static toc_status check_cells(const reader *r, const char *path, double cells) {
    if (cells <= most_cells) return TOC_OK;
    return reader_fail(r, path, "the shape has %.0f cells; at most %.0f are possible", cells, most_cells);
}

// ---- simple shapes

typedef struct box_shape {
    double low[3], high[3];
} box_shape;

static void map_box(const void *user, const double unit[3], double out[3]) {
    const box_shape *b = user;
    for (int k = 0; k < 3; k++) out[k] = 0.5 * ((1 - unit[k]) * b->low[k] + (1 + unit[k]) * b->high[k]);
}

static void add_cells(scene_builder *builder, scene_map *map, const void *user, const uint32_t n[3], toc_shape shape) {
    const uint32_t row = n[0] + 1, layer = row * (n[1] + 1);
    for (uint32_t v = 0; v < layer * (n[2] + 1); v++) {
        const double unit[3] = {2.0 * (v % row) / n[0] - 1, 2.0 * (v / row % (n[1] + 1)) / n[1] - 1,
                                2.0 * (v / layer) / n[2] - 1};
        double at[3];
        map(user, unit, at);
        scene_vertex(builder, at[0], at[1], at[2]);
    }
    for (uint32_t e = 0; e < n[0] * n[1] * n[2]; e++) {
        const uint32_t x = e % n[0], y = e / n[0] % n[1], z = e / n[0] / n[1];
        uint32_t cell[8];
        for (uint32_t c = 0; c < 8; c++) cell[c] = x + (c & 1) + row * (y + (c >> 1 & 1)) + layer * (z + (c >> 2));
        scene_cell(builder, shape, cell);
    }
}

static toc_status build_box(const reader *r, const cJSON *json, const char *path, scene_builder *builder) {
    box_shape b = {{0, 0, 0}, {1, 1, 1}};
    uint32_t cells[3] = {1, 1, 1};
    const char *elements = "triangle";
    READER_TRY(reader_keys(r, json, path, "low high cells elements"));
    READER_TRY(reader_vector(r, json, path, "low", b.low));
    READER_TRY(reader_vector(r, json, path, "high", b.high));
    READER_TRY(reader_counts(r, json, path, "cells", 3, cells));
    READER_TRY(reader_text(r, json, path, "elements", &elements));
    for (int k = 0; k < 3; k++)
        if (!(b.low[k] < b.high[k])) return reader_fail(r, path, "low must be below high on every axis");
    READER_TRY(check_cells(r, path, (double)cells[0] * cells[1] * cells[2]));
    if (strcmp(elements, "triangle") == 0) {
        scene_box(builder, cells, map_box, &b);
    } else if (strcmp(elements, "tet") == 0 || strcmp(elements, "hex") == 0) {
        add_cells(builder, map_box, &b, cells, *elements == 't' ? TOC_TET : TOC_HEX);
    } else {
        return reader_fail(r, path, "elements is \"%.40s\"; it can be triangle, tet or hex", elements);
    }
    return TOC_OK;
}

typedef struct ball_shape {
    double centre[3], radius;
} ball_shape;

static void map_ball(const void *user, const double unit[3], double out[3]) {
    const ball_shape *b = user;
    for (int k = 0; k < 3; k++) out[k] = b->centre[k] + b->radius * unit[k];
}

// A point of the cube [-1, 1]^3 to the ball: shells of the cube become shells of the ball, nearly. The corners of a
// full ball would be flat.
static void map_solid_ball(const void *user, const double unit[3], double out[3]) {
    const ball_shape *b = user;
    const double largest = fmax(fabs(unit[0]), fmax(fabs(unit[1]), fabs(unit[2])));
    const double length = sqrt(unit[0] * unit[0] + unit[1] * unit[1] + unit[2] * unit[2]);
    const double scale = length > 0 ? 0.8 * largest / length + 0.2 / sqrt(3) : 0;
    for (int k = 0; k < 3; k++) out[k] = b->centre[k] + b->radius * scale * unit[k];
}

static toc_status build_ball(const reader *r, const cJSON *json, const char *path, scene_builder *builder) {
    ball_shape b = {.radius = 1};
    size_t cells = 8;
    const char *elements = "triangle";
    READER_TRY(reader_keys(r, json, path, "centre radius cells elements"));
    READER_TRY(reader_text(r, json, path, "elements", &elements));
    READER_TRY(reader_vector(r, json, path, "centre", b.centre));
    READER_TRY(reader_number(r, json, path, "radius", &b.radius));
    READER_TRY(reader_count(r, json, path, "cells", 1, 1000, &cells));
    if (!(b.radius > 0)) return reader_fail(r, path, "the radius is %g; it must be above 0", b.radius);
    READER_TRY(check_cells(r, path, pow((double)cells, 3)));
    if (strcmp(elements, "tet") == 0 || strcmp(elements, "hex") == 0) {
        const uint32_t n = (uint32_t)cells;
        add_cells(builder, map_solid_ball, &b, (uint32_t[3]){n, n, n}, *elements == 't' ? TOC_TET : TOC_HEX);
    } else if (strcmp(elements, "triangle") == 0) {
        scene_sphere(builder, (uint32_t)cells, map_ball, &b);
    } else {
        return reader_fail(r, path, "elements is \"%.40s\"; it can be triangle, tet or hex", elements);
    }
    return TOC_OK;
}

typedef struct sheet_shape {
    double corner[3], along[3], across[3];
    uint32_t cells[2];
} sheet_shape;

// False where the sine of the angle between two vectors is tiny, or one of them is 0.
static bool spans_area(const double a[3], const double b[3]) {
    const double n[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    const double lengths = hypot(hypot(a[0], a[1]), a[2]) * hypot(hypot(b[0], b[1]), b[2]);
    return hypot(hypot(n[0], n[1]), n[2]) > 1e-9 * lengths;
}

static toc_status build_sheet(const reader *r, const cJSON *json, const char *path, scene_builder *builder) {
    sheet_shape s = {.along = {1, 0, 0}, .across = {0, 1, 0}, .cells = {10, 10}};
    READER_TRY(reader_keys(r, json, path, "corner along across cells"));
    READER_TRY(reader_vector(r, json, path, "corner", s.corner));
    READER_TRY(reader_vector(r, json, path, "along", s.along));
    READER_TRY(reader_vector(r, json, path, "across", s.across));
    READER_TRY(reader_counts(r, json, path, "cells", 2, s.cells));
    READER_TRY(check_cells(r, path, (double)s.cells[0] * s.cells[1]));
    if (!spans_area(s.along, s.across)) return reader_fail(r, path, "along and across have the same direction");
    const uint32_t row = s.cells[0] + 1;
    for (uint32_t v = 0; v < row * (s.cells[1] + 1); v++) {
        const double u = (double)(v % row) / s.cells[0], w = (double)(v / row) / s.cells[1];
        scene_vertex(builder, s.corner[0] + u * s.along[0] + w * s.across[0],
                     s.corner[1] + u * s.along[1] + w * s.across[1], s.corner[2] + u * s.along[2] + w * s.across[2]);
    }
    // Diagonals alternate, so that the sheet has no grain.
    for (uint32_t e = 0; e < s.cells[0] * s.cells[1]; e++) {
        const uint32_t x = e % s.cells[0], y = e / s.cells[0], a = x + row * y, b = a + 1, c = a + row, d = c + 1;
        const bool odd = (x + y) % 2;
        scene_element(builder, TOC_TRIANGLE, odd ? (uint32_t[3]){a, b, c} : (uint32_t[3]){a, b, d});
        scene_element(builder, TOC_TRIANGLE, odd ? (uint32_t[3]){b, d, c} : (uint32_t[3]){a, d, c});
    }
    return TOC_OK;
}

// ---- the mesh of a body

static toc_status read_mesh(const reader *r, const cJSON *body, const char *path, const char *file, toc_mesh **out) {
    char full[1024], at[READER_PATH];
    const char *slash = strrchr(r->file, '/');
    const int folder = *file == '/' || !slash ? 0 : (int)(slash + 1 - r->file);
    snprintf(full, sizeof full, "%.*s%s", folder, r->file, file);
    reader_path(at, path, "mesh");
    const char *unit = "m";
    READER_TRY(reader_text(r, body, path, "unit", &unit));
    static const struct {
        const char *name;
        double metres;
    } units[] = {{"m", 1}, {"dm", 0.1}, {"cm", 0.01}, {"mm", 0.001}, {"in", 0.0254}, {"ft", 0.3048}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strcmp(unit, units[i].name) != 0) continue;
        const toc_status status = toc_mesh_read(full, NULL, out);
        if (status != TOC_OK) return reader_fail_in(r, at, status);
        const size_t count = 3 * toc_mesh_get_vertex_count(*out);
        double *x = malloc(count * sizeof *x + 1);
        if (!x) return toc_message_set(TOC_OUT_OF_MEMORY, "out of memory");
        for (size_t k = 0; k < count; k++) x[k] = units[i].metres * toc_mesh_get_x1(*out)[k];
        const toc_status moved = toc_mesh_set_motion(*out, toc_mesh_get_vertex_count(*out), x, x);
        free(x);
        return moved;
    }
    reader_path(at, path, "unit");
    return reader_fail(r, at, "unknown unit \"%.40s\"; the units are m, dm, cm, mm, in and ft", unit);
}

static toc_status take_scene(const reader *r, const cJSON *body, const char *path, const char *name, toc_mesh **out) {
    char at[READER_PATH];
    size_t frame = 0;
    const scene *s = scene_find(name);
    reader_path(at, path, "scene");
    if (!s) return reader_fail(r, at, "there is no scene \"%.60s\"; see toccata scene --list", name);
    READER_TRY(reader_count(r, body, path, "frame", 0, 100000, &frame));
    if (r->size > s->largest)
        return reader_fail(r, at, "the size is %zu; %s goes up to %zu", r->size, name, s->largest);
    return scene_frame(s, r->size, frame, out);
}

typedef toc_status shape_builder(const reader *r, const cJSON *json, const char *path, scene_builder *builder);

static toc_status build_shape(const reader *r, const cJSON *json, const char *path, shape_builder *build,
                              toc_mesh **out) {
    toc_mesh *mesh;
    READER_TRY(toc_mesh_create(NULL, &mesh));
    scene_builder builder = scene_builder_make(mesh);
    toc_status status = build(r, json, path, &builder);
    if (status == TOC_OK) status = scene_builder_finish(&builder);
    if (status == TOC_OK) {
        *out = mesh;
    } else {
        toc_mesh_destroy(mesh);
    }
    return status;
}

/// Scale, then turn about the origin, then move.
typedef struct placement {
    double scale, turn[3], move[3];
} placement;

static void place_vertex(const void *user, uint32_t vertex, double x[3]) {
    const placement *p = user;
    (void)vertex;
    const double angle = sqrt(p->turn[0] * p->turn[0] + p->turn[1] * p->turn[1] + p->turn[2] * p->turn[2]);
    for (int k = 0; k < 3; k++) x[k] *= p->scale;
    if (angle > 0) { // Rodrigues' formula
        const double u[3] = {p->turn[0] / angle, p->turn[1] / angle, p->turn[2] / angle};
        const double along = u[0] * x[0] + u[1] * x[1] + u[2] * x[2], c = cos(angle), s = sin(angle);
        const double cross[3] = {u[1] * x[2] - u[2] * x[1], u[2] * x[0] - u[0] * x[2], u[0] * x[1] - u[1] * x[0]};
        for (int k = 0; k < 3; k++) x[k] = c * x[k] + s * cross[k] + (1 - c) * along * u[k];
    }
    for (int k = 0; k < 3; k++) x[k] += p->move[k];
}

static toc_status check_one_shape(const reader *r, const cJSON *body, const char *path) {
    static const char *const keys[] = {"mesh", "scene", "box", "sphere", "sheet"};
    const char *found = NULL;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (!cJSON_GetObjectItemCaseSensitive(body, keys[i])) continue;
        if (found) return reader_fail(r, path, "a body has one shape; this one has %s and %s", found, keys[i]);
        found = keys[i];
    }
    if (!found) return reader_fail(r, path, "a body needs one of mesh, scene, box, sphere and sheet");
    if (strcmp(found, "mesh") != 0 && cJSON_GetObjectItemCaseSensitive(body, "unit"))
        return reader_fail(r, path, "unit is of a mesh; the shape is a %s, in metres", found);
    if (strcmp(found, "scene") != 0 && cJSON_GetObjectItemCaseSensitive(body, "frame"))
        return reader_fail(r, path, "frame is of a scene; the shape is a %s", found);
    return TOC_OK;
}

static toc_status choose_shape(const reader *r, const cJSON *body, const char *path, toc_mesh **out) {
    static const struct {
        const char *key;
        shape_builder *build;
    } builders[] = {{"box", build_box}, {"sphere", build_ball}, {"sheet", build_sheet}};
    const char *file = NULL, *name = NULL;
    READER_TRY(check_one_shape(r, body, path));
    READER_TRY(reader_text(r, body, path, "mesh", &file));
    READER_TRY(reader_text(r, body, path, "scene", &name));
    if (file) return read_mesh(r, body, path, file, out);
    if (name) return take_scene(r, body, path, name, out);
    for (size_t i = 0; i < 3; i++) {
        const cJSON *json = cJSON_GetObjectItemCaseSensitive(body, builders[i].key);
        char at[READER_PATH];
        reader_path(at, path, builders[i].key);
        if (json) return build_shape(r, json, at, builders[i].build, out);
    }
    return TOC_BAD_INPUT; // not reached: there is one shape
}

toc_status shape_make(const reader *r, const cJSON *body, const char *path, toc_mesh **out) {
    placement p = {.scale = 1};
    READER_TRY(reader_number(r, body, path, "scale", &p.scale));
    if (p.scale == 0) return reader_fail(r, path, "scale is 0; the body would be a point");
    READER_TRY(reader_vector(r, body, path, "turn", p.turn));
    READER_TRY(reader_vector(r, body, path, "move", p.move));
    toc_mesh *mesh;
    READER_TRY(choose_shape(r, body, path, &mesh));
    const toc_status status = scene_place(mesh, place_vertex, &p);
    if (status == TOC_OK) {
        *out = mesh;
    } else {
        toc_mesh_destroy(mesh);
    }
    return status;
}

// ---- groups

static int compare_groups(const void *a, const void *b) {
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

size_t shape_groups(const toc_mesh *mesh, int32_t **out) {
    const uint32_t elements = (uint32_t)toc_mesh_get_element_count(mesh);
    int32_t *groups = malloc((elements + 1) * sizeof *groups);
    size_t count = 0, kept = 0;
    *out = groups;
    if (!groups) return 0;
    for (uint32_t e = 0; e < elements; e++) {
        const toc_element element = toc_mesh_get_element(mesh, e);
        if (element.shape != TOC_REMOVED) groups[count++] = element.group;
    }
    qsort(groups, count, sizeof *groups, compare_groups);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || groups[i] != groups[kept - 1]) groups[kept++] = groups[i];
    return kept;
}

// Number the vertices of a group's elements in `ids`, and add them.
static toc_status take_vertices(const toc_mesh *mesh, int32_t group, uint32_t *ids, scene_builder *builder) {
    const double *x = toc_mesh_get_x1(mesh);
    const size_t vertices = toc_mesh_get_vertex_count(mesh);
    memset(ids, 0, vertices * sizeof *ids);
    for (uint32_t e = 0; e < toc_mesh_get_element_count(mesh); e++) {
        const toc_element element = toc_mesh_get_element(mesh, e);
        for (int k = 0; k < element.corner_count && element.group == group; k++) ids[element.corners[k]] = 1;
    }
    for (size_t v = 0; v < vertices; v++)
        ids[v] = ids[v] ? scene_vertex(builder, x[3 * v], x[3 * v + 1], x[3 * v + 2]) : UINT32_MAX;
    return builder->status;
}

static toc_status copy_group(const toc_mesh *mesh, int32_t group, uint32_t *ids, toc_mesh *out) {
    scene_builder builder = scene_builder_make(out);
    READER_TRY(take_vertices(mesh, group, ids, &builder));
    scene_group(&builder, group);
    for (uint32_t e = 0; e < toc_mesh_get_element_count(mesh); e++) {
        const toc_element element = toc_mesh_get_element(mesh, e);
        uint32_t corners[8];
        if (element.group != group || element.shape == TOC_REMOVED) continue;
        for (int k = 0; k < element.corner_count; k++) corners[k] = ids[element.corners[k]];
        scene_element(&builder, element.shape, corners);
    }
    return scene_builder_finish(&builder);
}

toc_status shape_take_group(const toc_mesh *mesh, int32_t group, toc_mesh **out) {
    toc_mesh *copy;
    uint32_t *ids = malloc((toc_mesh_get_vertex_count(mesh) + 1) * sizeof *ids);
    if (!ids) return toc_message_set(TOC_OUT_OF_MEMORY, "out of memory");
    toc_status status = toc_mesh_create(NULL, &copy);
    if (status == TOC_OK) {
        status = copy_group(mesh, group, ids, copy);
        if (status == TOC_OK) {
            *out = copy;
        } else {
            toc_mesh_destroy(copy);
        }
    }
    free(ids);
    return status;
}

toc_status shape_spread(toc_mesh *mesh, double factor) {
    const double *x = toc_mesh_get_x1(mesh);
    double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    if (factor == 1 || toc_mesh_get_vertex_count(mesh) == 0) return TOC_OK;
    for (size_t i = 0; i < 3 * toc_mesh_get_vertex_count(mesh); i++) {
        low[i % 3] = fmin(low[i % 3], x[i]);
        high[i % 3] = fmax(high[i % 3], x[i]);
    }
    placement p = {.scale = 1};
    for (int k = 0; k < 3; k++) p.move[k] = (factor - 1) * 0.5 * (low[k] + high[k]);
    return scene_place(mesh, place_vertex, &p);
}

toc_status shape_copy(const toc_mesh *mesh, const double move[3], toc_mesh **out) {
    toc_mesh *copy;
    READER_TRY(toc_mesh_copy(mesh, &copy));
    placement p = {.scale = 1, .move = {move[0], move[1], move[2]}};
    const toc_status status = scene_place(copy, place_vertex, &p);
    if (status == TOC_OK) {
        *out = copy;
    } else {
        toc_mesh_destroy(copy);
    }
    return status;
}
