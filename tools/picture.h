// SPDX-License-Identifier: Apache-2.0
// A picture of a step: the surface at the end, shaded, and a bright dot at each contact.
#ifndef TOOLS_PICTURE_H
#define TOOLS_PICTURE_H

#include "tools/canvas.h"

/// The look of a picture; begin with TOOL_LOOK_DEFAULT.
typedef struct tool_look {
    int up;                    // the axis that points up: 0, 1 or 2
    size_t width, height;      // pixels
    double azimuth, elevation; // degrees of the eye around the up axis and above the ground; below 0 for the default
    double zoom;
    bool fit_contacts;  // aim at the contacts instead of the whole mesh
    double dot;         // size of the contacts, as a factor; 0 for 1
    double around;      // length above and below the point that the picture is aimed at; 0 to fit all points
    const char *colour; // "part" or "time"
} tool_look;

#define TOOL_LOOK_DEFAULT \
    { .width = 1080, .height = 720, .azimuth = -1, .elevation = -1, .zoom = 1, .colour = "part" }

/// The choices of tool_look.colour.
tool_names tool_look_colour;

// clang-format off
/// The options of a subcommand that draws a mesh, for a tool_look: its size, and the eye.
#define TOOL_OPTIONS_VIEW(look)                                                                                        \
    {TOOL_COUNT, "width", "N", "pixels across of the picture (default 1080)", &(look).width, NULL},                    \
    {TOOL_COUNT, "height", "N", "pixels down of the picture (default 720)", &(look).height, NULL},                     \
    TOOL_OPTIONS_EYE(look)
#define TOOL_OPTIONS_EYE(look)                                                                                         \
    {TOOL_LENGTH, "azimuth", "D", "direction of the eye around the axis that points up, in degrees",                   \
     &(look).azimuth, NULL},                                                                                           \
    {TOOL_LENGTH, "elevation", "D", "degrees of the eye above the ground", &(look).elevation, NULL},                   \
    {TOOL_LENGTH, "zoom", "F", "enlarge the picture by a factor (default 1)", &(look).zoom, NULL}
/// Of one that draws contacts: how.
#define TOOL_OPTIONS_MARKS(look)                                                                                       \
    {TOOL_ON, "fit-contacts", NULL, "aim the picture at the contacts", &(look).fit_contacts, NULL},                    \
    {TOOL_CHOICE, "colour", "BY", "colour parts, or contacts by their time with a legend (default part)",              \
     &(look).colour, tool_look_colour}
/// All of these.
#define TOOL_OPTIONS_LOOK(look) TOOL_OPTIONS_VIEW(look), TOOL_OPTIONS_MARKS(look)
// clang-format on

/// Draw the mesh at the end of the step and its contacts; contacts behind a surface shine through. Quads have no
/// diagonals.
toc_status tool_picture_draw(const toc_mesh *mesh, const toc_contacts *contacts, const tool_look *look, tool_png *out);
/// The same in a file. Writes a complete PNG or none.
toc_status tool_picture_write(const char *path, const toc_mesh *mesh, const toc_contacts *contacts,
                              const tool_look *look);

#endif
