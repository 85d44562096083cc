// SPDX-License-Identifier: Apache-2.0
// A z-buffer. Loops over samples: a picture of a hundred thousand triangles takes about a second.
#include "tools/canvas.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "tools/output.h"

#if __has_include(<stb/stb_image_write.h>)
#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STBI_WRITE_NO_STDIO
#include <stb/stb_image_write.h>
#define HAVE_STB 1
#endif

struct tool_canvas {
    int width, height, samples;
    int across, down; // samples in all
    tool_colour *colour;
    float *depth; // INFINITY for the background
};

// Light grey, a little darker below.
static tool_colour background(float down) {
    const float shade = 1 - 0.10f * down * down;
    return (tool_colour){0.975f * shade, 0.98f * shade, 0.99f * shade};
}

static tool_colour mix_colours(tool_colour a, tool_colour b, float part) {
    return (tool_colour){a.r + (b.r - a.r) * part, a.g + (b.g - a.g) * part, a.b + (b.b - a.b) * part};
}

static tool_colour scale_colour(tool_colour a, float by) { return (tool_colour){a.r * by, a.g * by, a.b * by}; }

toc_status tool_canvas_create(int width, int height, int samples, tool_canvas **out) {
    assert(width > 0 && height > 0 && samples > 0);
    tool_canvas *canvas = calloc(1, sizeof *canvas);
    if (!canvas) return tool_fail_memory();
    *canvas = (tool_canvas){
        .width = width, .height = height, .samples = samples, .across = width * samples, .down = height * samples};
    const size_t count = (size_t)canvas->across * (size_t)canvas->down;
    canvas->colour = calloc(count, sizeof *canvas->colour);
    canvas->depth = calloc(count, sizeof *canvas->depth);
    if (!canvas->colour || !canvas->depth) {
        tool_canvas_destroy(canvas);
        return tool_fail_memory();
    }
    for (size_t i = 0; i < count; i++) {
        canvas->depth[i] = INFINITY;
        canvas->colour[i] = background((float)(i / (size_t)canvas->across) / (float)canvas->down);
    }
    *out = canvas;
    return TOC_OK;
}

void tool_canvas_destroy(tool_canvas *canvas) {
    if (!canvas) return;
    free(canvas->colour);
    free(canvas->depth);
    free(canvas);
}

static int clamp(float x, int low, int high) { return x < (float)low ? low : x > (float)high ? high : (int)x; }

static size_t sample_at(const tool_canvas *c, int x, int y) { return (size_t)y * (size_t)c->across + (size_t)x; }

// Twice the signed area of (a, b, (x, y)).
static float side(const tool_corner *a, const tool_corner *b, float x, float y) {
    return (b->x - a->x) * (y - a->y) - (b->y - a->y) * (x - a->x);
}

typedef struct triangle {
    const tool_corner *p;
    float area, height[3]; // twice the area; the height over the side opposite each corner, in samples
    tool_colour colour;
    float lines[3]; // of the side opposite each corner
} triangle;

static void draw_sample(tool_canvas *c, const triangle *t, int x, int y) {
    assert(0 <= x && x < c->across && 0 <= y && y < c->down);
    const float fx = (float)x + 0.5f, fy = (float)y + 0.5f;
    const float w[3] = {side(&t->p[1], &t->p[2], fx, fy) / t->area, side(&t->p[2], &t->p[0], fx, fy) / t->area,
                        side(&t->p[0], &t->p[1], fx, fy) / t->area};
    if (w[0] < 0 || w[1] < 0 || w[2] < 0) return;
    float nearness = 0, light = 0, dark = 0; // 1 / depth is linear in a picture with perspective, the depth is not
    for (int k = 0; k < 3; k++) {
        nearness += w[k] / t->p[k].depth;
        light += w[k] * t->p[k].light;
        dark = fmaxf(dark, t->lines[k] * (1 - w[k] * t->height[k] / (0.5f * (float)c->samples)));
    }
    const size_t i = sample_at(c, x, y);
    const float depth = 1 / nearness;
    if (!(depth < c->depth[i])) return;
    c->depth[i] = depth;
    c->colour[i] = scale_colour(t->colour, light * (1 - dark));
}

void tool_canvas_triangle(tool_canvas *c, const tool_corner p[3], tool_colour colour, const float lines[3]) {
    triangle t = {.p = p, .area = side(&p[0], &p[1], p[2].x, p[2].y), .colour = colour};
    float fade = 1;
    if (t.area == 0 || !isfinite(t.area)) return;
    for (int k = 0; k < 3; k++) {
        const tool_corner *a = &p[(k + 1) % 3], *b = &p[(k + 2) % 3];
        t.height[k] = fabsf(t.area) / hypotf(b->x - a->x, b->y - a->y);
        // Fade the lines of triangles a few pixels high: they would darken the whole surface.
        const float room = t.height[k] / (8 * (float)c->samples);
        fade = fminf(fade, room * room);
    }
    for (int k = 0; k < 3; k++) t.lines[k] = fade * lines[(k + 1) % 3];
    const int left = clamp(fminf(fminf(p[0].x, p[1].x), p[2].x), 0, c->across - 1);
    const int right = clamp(fmaxf(fmaxf(p[0].x, p[1].x), p[2].x), 0, c->across - 1);
    const int top = clamp(fminf(fminf(p[0].y, p[1].y), p[2].y), 0, c->down - 1);
    const int bottom = clamp(fmaxf(fmaxf(p[0].y, p[1].y), p[2].y), 0, c->down - 1);
    for (int y = top; y <= bottom; y++) {
        for (int x = left; x <= right; x++) draw_sample(c, &t, x, y);
    }
}

// The difference in depth to a sample at an offset, in units of `range`, positive if that sample is nearer to the eye.
// A much nearer sample belongs to another body and counts less.
static float nearer_at(const tool_canvas *c, float x, float y, float here, float range) {
    const int nx = clamp(x, 0, c->across - 1), ny = clamp(y, 0, c->down - 1);
    const float depth = c->depth[sample_at(c, nx, ny)];
    const float nearer = isfinite(depth) ? (here - depth) / range : -1;
    return nearer > 0 ? nearer / (1 + nearer * nearer) : fmaxf(nearer, -1);
}

// Ambient occlusion of a sample, 0 to 1. Opposite directions are paired, so that a slanted plane is not dark. The
// directions form one spiral for all samples, so that the picture stays smooth.
static float occlusion_at(const tool_canvas *c, int x, int y, float reach, float range) {
    assert(0 <= x && x < c->across && 0 <= y && y < c->down);
    enum { TRIES = 14 };
    const float here = c->depth[sample_at(c, x, y)], fx = (float)x, fy = (float)y;
    float sum = 0;
    for (int i = 0; i < TRIES; i++) {
        const float out = reach * sqrtf(((float)i + 0.5f) / TRIES), angle = 2.39996f * (float)i;
        const float dx = out * cosf(angle), dy = out * sinf(angle);
        sum += fmaxf(0, nearer_at(c, fx + dx, fy + dy, here, range) + nearer_at(c, fx - dx, fy - dy, here, range));
    }
    return fminf(1, sum / (0.6f * TRIES));
}

void tool_canvas_shade(tool_canvas *c, float reach, float range) {
    for (int y = 0; y < c->down; y++) {
        for (int x = 0; x < c->across; x++) {
            const size_t i = sample_at(c, x, y);
            if (isfinite(c->depth[i]))
                c->colour[i] = scale_colour(c->colour[i], 1 - 0.6f * occlusion_at(c, x, y, reach, range));
        }
    }
}

void tool_canvas_dot(tool_canvas *c, float x, float y, float depth, float radius, tool_colour colour) {
    assert(radius > 0);
    const float halo = 1.9f * radius;
    const int left = clamp(x - halo, 0, c->across - 1), right = clamp(x + halo, 0, c->across - 1);
    const int top = clamp(y - halo, 0, c->down - 1), bottom = clamp(y + halo, 0, c->down - 1);
    for (int py = top; py <= bottom; py++) {
        for (int px = left; px <= right; px++) {
            const size_t i = sample_at(c, px, py);
            const float far_out = hypotf((float)px + 0.5f - x, (float)py + 0.5f - y) / radius;
            const float seen = depth <= c->depth[i] ? 1 : 0.45f;
            const float glow = 0.35f * fmaxf(0, 1 - (far_out - 1) / 0.9f);
            c->colour[i] = mix_colours(c->colour[i], colour, seen * (far_out <= 1 ? 1 : glow));
        }
    }
}

void tool_canvas_box(tool_canvas *c, int left, int top, int right, int bottom, tool_colour colour) {
    for (int y = top > 0 ? top : 0; y < bottom && y < c->down; y++) {
        for (int x = left > 0 ? left : 0; x < right && x < c->across; x++) c->colour[sample_at(c, x, y)] = colour;
    }
}

static unsigned char to_byte(float x) { return (unsigned char)lrintf(255 * fminf(fmaxf(x, 0), 1)); }

static void average_pixel(const tool_canvas *c, int x, int y, unsigned char out[3]) {
    assert(0 <= x && x < c->width && 0 <= y && y < c->height);
    float r = 0, g = 0, b = 0;
    for (int i = 0; i < c->samples * c->samples; i++) {
        const tool_colour *from =
            &c->colour[sample_at(c, x * c->samples + i % c->samples, y * c->samples + i / c->samples)];
        r += fminf(from->r, 1);
        g += fminf(from->g, 1);
        b += fminf(from->b, 1);
    }
    const float share = 1.0f / (float)(c->samples * c->samples);
    out[0] = to_byte(r * share);
    out[1] = to_byte(g * share);
    out[2] = to_byte(b * share);
}

#ifdef HAVE_STB

static void keep_png(void *context, void *bytes, int size) {
    tool_png *to = context;
    to->bytes = malloc((size_t)size);
    to->size = (size_t)size;
    if (to->bytes) memcpy(to->bytes, bytes, to->size);
}

toc_status tool_canvas_encode(const tool_canvas *c, tool_png *out) {
    *out = (tool_png){0};
    unsigned char *pixels = calloc((size_t)c->width * (size_t)c->height, 3);
    if (!pixels) return tool_fail_memory();
    for (int y = 0; y < c->height; y++) {
        for (int x = 0; x < c->width; x++)
            average_pixel(c, x, y, pixels + 3 * ((size_t)y * (size_t)c->width + (size_t)x));
    }
    stbi_write_png_compression_level = 12;
    stbi_write_png_to_func(keep_png, out, c->width, c->height, 3, pixels, 3 * c->width);
    free(pixels);
    return out->bytes ? TOC_OK : tool_fail_memory();
}

#else

toc_status tool_canvas_encode(const tool_canvas *c, tool_png *out) {
    assert(c && out);
    *out = (tool_png){0};
    return tool_fail(TOC_BAD_INPUT, "this build makes no pictures: install stb (Debian: libstb-dev), and build again");
}

#endif
