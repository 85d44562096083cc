// SPDX-License-Identifier: Apache-2.0
// A picture of a step: the surface at the end, shaded, and a bright dot at each contact.
#ifndef TOOLS_PICTURE_H
#define TOOLS_PICTURE_H

#include "tools/command.h"

/// The look of a picture; begin with TOOL_LOOK_DEFAULT.
typedef struct tool_look {
    int up;                    // the axis that points up: 0, 1 or 2
    size_t width, height;      // pixels
    double azimuth, elevation; // degrees of the eye around the up axis and above the ground; below 0 for the default
    double zoom;
    bool fit_contacts;  // aim at the contacts instead of the whole mesh
    const char *colour; // "part" or "time"
} tool_look;

#define TOOL_LOOK_DEFAULT \
    { .width = 1080, .height = 720, .azimuth = -1, .elevation = -1, .zoom = 1, .colour = "part" }

/// The choices of tool_look.colour.
tool_names tool_look_colour;

// clang-format off
/// The options of a subcommand that draws a mesh, for a tool_look.
#define TOOL_OPTIONS_VIEW(look)                                                                                        \
    {TOOL_COUNT, "width", "N", "pixels across of the picture (default 1080)", &(look).width, NULL},                    \
    {TOOL_COUNT, "height", "N", "pixels down of the picture (default 720)", &(look).height, NULL},                     \
    {TOOL_LENGTH, "azimuth", "D", "direction of the eye around the axis that points up, in degrees",                   \
     &(look).azimuth, NULL},                                                                                           \
    {TOOL_LENGTH, "elevation", "D", "degrees of the eye above the ground", &(look).elevation, NULL},                   \
    {TOOL_LENGTH, "zoom", "F", "enlarge the picture by a factor (default 1)", &(look).zoom, NULL}
/// The same where it draws contacts, too.
#define TOOL_OPTIONS_LOOK(look)                                                                                        \
    TOOL_OPTIONS_VIEW(look),                                                                                           \
    {TOOL_ON, "fit-contacts", NULL, "aim the picture at the contacts", &(look).fit_contacts, NULL},                    \
    {TOOL_CHOICE, "colour", "BY", "colour parts, or contacts by their time with a legend (default part)",              \
     &(look).colour, tool_look_colour}
// clang-format on

/// Draw the mesh at the end of the step and its contacts; contacts behind a surface shine through. Quads have no
/// diagonals. Writes a complete PNG or none.
toc_status tool_picture_write(const char *path, const toc_mesh *mesh, const toc_contacts *contacts,
                              const tool_look *look);

#endif
