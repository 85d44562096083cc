// SPDX-License-Identifier: Apache-2.0
// Pictures of steps: camera, light and colours.
#include "tools/picture.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/canvas.h"
#include "tools/output.h"
#include "view/skin.h"

enum { SAMPLES = 3, SMALLEST = 16, LARGEST = 8192 }; // of a pixel's side; pixels of a picture's side

const char *tool_look_colour(size_t i) {
    static const char *const choices[] = {"part", "time"};
    return i < 2 ? choices[i] : NULL;
}

// Position and orientation of the eye. right, up and back are unit vectors; x and y of the canvas are
// middle + zoom * (right, up) / depth.
typedef struct camera {
    double right[3], up[3], back[3];
    double target[3]; // the point at the centre of the picture
    double away;      // from the target to the eye
    double zoom;
    double middle[2]; // of the canvas, in samples
} camera;

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void cross(const double a[3], const double b[3], double out[3]) {
    for (int k = 0; k < 3; k++) out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static void normalise(double a[3]) {
    const double length = sqrt(dot(a, a));
    for (int k = 0; k < 3; k++) a[k] = length > 0 ? a[k] / length : 0;
}

// The coordinates of a point relative to the target, along right, up and back.
static void view(const camera *c, const double x[3], double out[3]) {
    const double from[3] = {x[0] - c->target[0], x[1] - c->target[1], x[2] - c->target[2]};
    out[0] = dot(from, c->right);
    out[1] = dot(from, c->up);
    out[2] = dot(from, c->back);
}

static void widen(double low[3], double high[3], const double x[3]) {
    for (int k = 0; k < 3; k++) {
        low[k] = fmin(low[k], x[k]);
        high[k] = fmax(high[k], x[k]);
    }
}

// The points that a picture must show: the vertices of a mesh, or the contacts.
typedef struct cloud {
    const toc_features *features; // NULL for contacts
    const double *x;
    const toc_contacts *contacts;
    size_t count;
} cloud;

static const double *cloud_point(const cloud *of, size_t i) {
    return of->features ? of->x + 3 * (size_t)of->features->vertices[i] : of->contacts->contacts[i].point;
}

// Aim at the centre of the bounds along the camera's own axes.
static void aim(camera *c, const cloud *of) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < of->count; i++) {
        double seen[3];
        view(c, cloud_point(of, i), seen);
        widen(low, high, seen);
    }
    if (!of->count) return;
    for (int k = 0; k < 3; k++) {
        c->target[k] =
            0.5 * ((low[0] + high[0]) * c->right[k] + (low[1] + high[1]) * c->up[k] + (low[2] + high[2]) * c->back[k]);
    }
}

// Step back until every point is inside the canvas, less a margin.
static void step_back(camera *c, const cloud *of) {
    const double margin = 0.90, half_x = margin * c->middle[0] / c->zoom, half_y = margin * c->middle[1] / c->zoom;
    c->away = 0;
    for (size_t i = 0; i < of->count; i++) {
        double seen[3];
        view(c, cloud_point(of, i), seen);
        c->away = fmax(c->away, seen[2] + fmax(fabs(seen[0]) / half_x, fabs(seen[1]) / half_y));
    }
    if (!(c->away > 0)) c->away = 1;
}

// The direction from the target to the eye.
static void set_back(camera *c, const tool_look *look) {
    const double degree = 3.14159265358979323846 / 180;
    const int up = look->up;
    c->back[(up + 1) % 3] = 0.62;
    c->back[(up + 2) % 3] = -0.70;
    c->back[up] = 0.42;
    normalise(c->back);
    const double azimuth =
        look->azimuth >= 0 ? look->azimuth * degree : atan2(c->back[(up + 2) % 3], c->back[(up + 1) % 3]);
    // Straight from above there is no horizon: stay a little below.
    const double elevation = look->elevation >= 0 ? fmin(look->elevation, 89.9) * degree : asin(c->back[up]);
    if (look->azimuth < 0 && look->elevation < 0) return;
    c->back[(up + 1) % 3] = cos(elevation) * cos(azimuth);
    c->back[(up + 2) % 3] = cos(elevation) * sin(azimuth);
    c->back[up] = sin(elevation);
}

// Aim at some points of a whole. The eye stays outside of the whole where only the surroundings of a point are shown.
static camera make_camera(const cloud *of, const cloud *whole, const tool_look *look) {
    camera c = {.middle = {0.5 * (double)look->width * SAMPLES, 0.5 * (double)look->height * SAMPLES}};
    double vertical[3] = {0, 0, 0};
    vertical[look->up] = 1;
    set_back(&c, look);
    cross(vertical, c.back, c.right);
    normalise(c.right);
    cross(c.back, c.right, c.up);
    c.zoom = 3.4 * c.middle[1];
    aim(&c, of);
    step_back(&c, look->around > 0 ? whole : of);
    if (look->around > 0) c.zoom = c.middle[1] * c.away / look->around;
    c.zoom *= look->zoom;
    return c;
}

static tool_corner project(const camera *c, const double x[3]) {
    double seen[3];
    view(c, x, seen);
    const double depth = c->away - seen[2], scale = c->zoom / depth;
    return (tool_corner){.x = (float)(c->middle[0] + scale * seen[0]),
                         .y = (float)(c->middle[1] - scale * seen[1]),
                         .depth = (float)depth};
}

static void face_normal(const double *x, const uint32_t face[3], double out[3]) {
    const double *a = x + 3 * (size_t)face[0], *b = x + 3 * (size_t)face[1], *c = x + 3 * (size_t)face[2];
    const double ab[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, ac[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
    cross(ab, ac, out);
}

// Vertex normals by vertex id: the area-weighted mean of the faces around. The caller frees them.
static double (*make_normals(const toc_mesh *mesh, const toc_features *f))[3] {
    double(*normals)[3] = calloc(toc_mesh_get_vertex_count(mesh) + 1, sizeof *normals);
    if (!normals) return NULL;
    for (size_t i = 0; i < f->face_count; i++) {
        if (!(f->face_flags[i] & TOC_FEATURE_ON_BOUNDARY)) continue;
        double n[3];
        face_normal(toc_mesh_get_x1(mesh), f->faces[i], n);
        for (int k = 0; k < 9; k++) normals[f->faces[i][k / 3]][k % 3] += n[k % 3];
    }
    for (size_t i = 0; i < toc_mesh_get_vertex_count(mesh); i++) normalise(normals[i]);
    return normals;
}

// A main light from above on the left, a faint one from the right; both sides of a surface are lit alike.
static float light_at(const camera *c, const double normal[3]) {
    const double flip = dot(normal, c->back) < 0 ? -1 : 1;
    const double n[3] = {flip * dot(normal, c->right), flip * dot(normal, c->up), flip * dot(normal, c->back)};
    const double main_light[3] = {-0.50, 0.66, 0.56}, side_light[3] = {0.85, 0.10, 0.50};
    const double light = 0.44 + 0.60 * fmax(0, dot(n, main_light)) + 0.16 * fmax(0, dot(n, side_light));
    // A bright rim of reflected light where the surface faces the lamp half way.
    const double half[3] = {-0.28, 0.37, 0.88};
    return (float)(light + 0.16 * pow(fmax(0, dot(n, half)), 24));
}

// The colours repeat for successive groups or parts.
static tool_colour colour_of(uint32_t number) {
    static const tool_colour colours[] = {{0.62f, 0.68f, 0.74f}, {0.25f, 0.50f, 0.78f}, {0.93f, 0.80f, 0.58f},
                                          {0.48f, 0.72f, 0.62f}, {0.72f, 0.58f, 0.78f}, {0.80f, 0.62f, 0.55f}};
    return colours[number % (sizeof colours / sizeof *colours)];
}

/// Whether elements are of several groups, or of group 0 beside an empty one with a name, such as a character that
/// touches nothing.
static bool has_groups(const toc_mesh *mesh) {
    const size_t count = toc_mesh_get_element_count(mesh);
    const int32_t first = count > 0 ? toc_mesh_get_element(mesh, 0).group : 0;
    for (uint32_t e = 1; e < count; e++)
        if (toc_mesh_get_element(mesh, e).group != first) return true;
    return first == 0 && toc_mesh_get_group_name(mesh, 1);
}

// The mesh to draw and the data derived from it.
typedef struct sitter {
    const toc_mesh *mesh;
    toc_features *features;
    double (*normals)[3]; // by vertex id
    uint32_t *parts;      // by vertex id
} sitter;

static void draw_face(tool_canvas *canvas, const camera *c, const sitter *s, size_t i, tool_colour colour) {
    assert(i < s->features->face_count);
    const double *x = toc_mesh_get_x1(s->mesh), crease = 0.8; // cosine below which a corner is shaded as an edge
    const uint32_t *face = s->features->faces[i];
    double flat[3];
    face_normal(x, face, flat);
    normalise(flat);
    tool_corner corners[3];
    for (int k = 0; k < 3; k++) {
        const double *normal = s->normals[face[k]];
        corners[k] = project(c, x + 3 * (size_t)face[k]);
        corners[k].light = light_at(c, fabs(dot(flat, normal)) > crease ? normal : flat);
    }
    const uint32_t sides = toc_view_face_sides(s->features, face);
    const float lines[3] = {sides & VIEW_SIDE_01 ? 0.22f : 0, sides & VIEW_SIDE_12 ? 0.22f : 0,
                            sides & VIEW_SIDE_20 ? 0.22f : 0};
    tool_canvas_triangle(canvas, corners, colour, lines);
}

// Colour by group, or by part if there is only one group.
static void draw_faces(tool_canvas *canvas, const camera *c, const sitter *s) {
    const toc_features *f = s->features;
    const bool by_group = has_groups(s->mesh);
    for (size_t i = 0; i < f->face_count; i++) {
        if (!(f->face_flags[i] & TOC_FEATURE_ON_BOUNDARY)) continue;
        const uint32_t element = f->face_elements.items[f->face_elements.first[i]];
        const uint32_t number =
            by_group ? (uint32_t)toc_mesh_get_element(s->mesh, element).group : s->parts[f->faces[i][0]];
        draw_face(canvas, c, s, i, colour_of(number));
    }
}

// The colours of times, as on the page: early contacts are yellow, late ones blue.
static tool_colour colour_of_time(double t) {
    static const tool_colour ramp[] = {{0.98f, 0.86f, 0.15f},
                                       {0.96f, 0.53f, 0.22f},
                                       {0.84f, 0.26f, 0.45f},
                                       {0.53f, 0.11f, 0.63f},
                                       {0.14f, 0.15f, 0.58f}};
    const float s = (float)fmin(fmax(t, 0), 1) * 4;
    const int i = s < 3 ? (int)s : 3;
    const float part = s - (float)i;
    const tool_colour a = ramp[i], b = ramp[i + 1];
    return (tool_colour){a.r + (b.r - a.r) * part, a.g + (b.g - a.g) * part, a.b + (b.b - a.b) * part};
}

// A digit 0 or 1, eight pixels high, in lines of a pixel.
static void draw_digit(tool_canvas *canvas, int left, int top, int digit) {
    assert(0 <= digit && digit <= 10);
    static const int zero[4][4] = {{0, 0, 5, 1}, {0, 7, 5, 8}, {0, 0, 1, 8}, {4, 0, 5, 8}}, one[4] = {2, 0, 3, 8};
    const tool_colour ink = {0.15f, 0.17f, 0.20f};
    for (int i = 0; i < (digit ? 1 : 4); i++) {
        const int *b = digit ? one : zero[i];
        tool_canvas_box(canvas, left + b[0] * SAMPLES, top + b[1] * SAMPLES, left + b[2] * SAMPLES,
                        top + b[3] * SAMPLES, ink);
    }
}

// A bar with the colours of the times from 0 to 1, at the lower left.
static void draw_legend(tool_canvas *canvas, const tool_look *look) {
    enum { LEFT = 30, LENGTH = 160, TALL = 12, ABOVE = 34 };
    const int top = ((int)look->height - ABOVE) * SAMPLES;
    for (int i = 0; i < LENGTH * SAMPLES; i++) {
        const int x = LEFT * SAMPLES + i;
        tool_canvas_box(canvas, x, top, x + 1, top + TALL * SAMPLES, colour_of_time((double)i / (LENGTH * SAMPLES)));
    }
    draw_digit(canvas, (LEFT - 12) * SAMPLES, top + 2 * SAMPLES, 0);
    draw_digit(canvas, (LEFT + LENGTH + 6) * SAMPLES, top + 2 * SAMPLES, 1);
}

static void draw_contacts(tool_canvas *canvas, const camera *c, const toc_contacts *contacts, const tool_look *look) {
    const bool by_time = strcmp(look->colour, "time") == 0;
    // Draw smaller dots if there are many.
    const float radius = (float)(look->dot > 0 ? look->dot : 1) * SAMPLES *
                         (contacts->count > 20000  ? 0.8f
                          : contacts->count > 2000 ? 1.4f
                          : contacts->count > 100  ? 2.2f
                                                   : 3.5f);
    // A contact lies in the surface it touches. Move its dot a little towards the eye, in front of the surface.
    const double front = 0.004 * c->away;
    for (size_t i = 0; i < contacts->count; i++) {
        const tool_corner at = project(c, contacts->contacts[i].point);
        const tool_colour colour =
            by_time ? colour_of_time(contacts->contacts[i].toc) : (tool_colour){0.96f, 0.22f, 0.12f};
        tool_canvas_dot(canvas, at.x, at.y, at.depth - (float)front, radius, colour);
    }
}

static toc_status draw_picture(const sitter *s, const toc_contacts *contacts, const tool_look *look, tool_png *out) {
    tool_canvas *canvas;
    toc_status status = tool_canvas_create((int)look->width, (int)look->height, SAMPLES, &canvas);
    if (status != TOC_OK) return status;
    const bool by_time = strcmp(look->colour, "time") == 0;
    const cloud all = {.features = s->features, .x = toc_mesh_get_x1(s->mesh), .count = s->features->vertex_count};
    const cloud marks = {.contacts = contacts, .count = contacts->count};
    const camera c = make_camera(look->fit_contacts && contacts->count ? &marks : &all, &all, look);
    draw_faces(canvas, &c, s);
    tool_canvas_shade(canvas, 24 * SAMPLES, (float)(0.02 * c.away));
    draw_contacts(canvas, &c, contacts, look);
    if (by_time) draw_legend(canvas, look);
    status = tool_canvas_encode(canvas, out);
    tool_canvas_destroy(canvas);
    return status;
}

static toc_status check_look(const tool_look *look) {
    if (look->width < SMALLEST || look->height < SMALLEST || look->width > LARGEST || look->height > LARGEST)
        return tool_fail(TOC_BAD_INPUT, "a picture has %d to %d pixels a side, not %zu x %zu", SMALLEST, LARGEST,
                         look->width, look->height);
    if (!(look->zoom > 0)) return tool_fail(TOC_BAD_INPUT, "--zoom takes a number above 0");
    return TOC_OK;
}

toc_status tool_picture_draw(const toc_mesh *mesh, const toc_contacts *contacts, const tool_look *look, tool_png *out) {
    const toc_allocator memory = toc_allocator_get_default();
    sitter s = {.mesh = mesh};
    toc_status status = check_look(look);
    if (status == TOC_OK) status = toc_mesh_find_features(mesh, &s.features);
    if (status != TOC_OK) return status;
    s.normals = make_normals(mesh, s.features);
    s.parts = toc_view_components_find(&memory, mesh);
    status = s.normals && s.parts ? draw_picture(&s, contacts, look, out) : tool_fail_memory();
    toc_free(&memory, s.parts, toc_mesh_get_vertex_count(mesh) + 1, sizeof *s.parts);
    free(s.normals);
    toc_features_destroy(s.features);
    return status;
}

toc_status tool_picture_write(const char *path, const toc_mesh *mesh, const toc_contacts *contacts,
                              const tool_look *look) {
    tool_png png;
    toc_status status = tool_picture_draw(mesh, contacts, look, &png);
    if (status != TOC_OK) return status;
    status = tool_file_write(path, png.bytes, png.size);
    free(png.bytes);
    return status;
}
