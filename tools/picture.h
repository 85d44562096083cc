// SPDX-License-Identifier: Apache-2.0
// A picture of a step: the surface at the end, shaded, and a bright dot at each contact.
#ifndef TOOLS_PICTURE_H
#define TOOLS_PICTURE_H

#include "tools/command.h"

/// Draw the mesh at the end of the step, seen from the side and a little above, and its contacts; contacts behind a
/// surface shine through. Writes a complete PNG or none.
/// @param up the axis that points up: 0, 1 or 2.
toc_status tool_picture_write(const char *path, const toc_mesh *mesh, const toc_contacts *contacts, int up);

#endif
