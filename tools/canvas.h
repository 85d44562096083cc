// SPDX-License-Identifier: Apache-2.0
// A z-buffer in memory: triangles and dots with depth, ambient occlusion, output as PNG.
#ifndef TOOLS_CANVAS_H
#define TOOLS_CANVAS_H

#include "tools/command.h"

typedef struct tool_canvas tool_canvas;

typedef struct tool_colour {
    float r, g, b;
} tool_colour;

/// A projected corner: samples from the top left, and the distance from the eye.
typedef struct tool_corner {
    float x, y, depth;
    float light; // 0 dark, 1 lit
} tool_corner;

/// @param samples along each side of a pixel; coordinates given to draw count samples.
toc_status tool_canvas_create(int width, int height, int samples, tool_canvas **out);
void tool_canvas_destroy(tool_canvas *canvas);

/// Nearer triangles hide farther ones, in any order. Sides get fine lines of the given strengths (0 for none): from
/// corner 0 to 1, from 1 to 2, from 2 to 0.
void tool_canvas_triangle(tool_canvas *canvas, const tool_corner corners[3], tool_colour colour, const float lines[3]);
/// Darken samples that lie deeper than their surroundings: `reach` in samples, `range` in depth.
void tool_canvas_shade(tool_canvas *canvas, float reach, float range);
/// Draw a glowing dot over the picture; fainter where a nearer surface hides it.
void tool_canvas_dot(tool_canvas *canvas, float x, float y, float depth, float radius, tool_colour colour);
/// Fill a rectangle over the picture, in samples from the top left.
void tool_canvas_box(tool_canvas *canvas, int left, int top, int right, int bottom, tool_colour colour);
/// The bytes of a PNG; free them.
typedef struct tool_png {
    void *bytes;
    size_t size;
} tool_png;

/// The picture, samples averaged.
toc_status tool_canvas_encode(const tool_canvas *canvas, tool_png *out);

#endif
