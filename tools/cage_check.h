// SPDX-License-Identifier: Apache-2.0
// The check of the cage of a character.
#ifndef TOOLS_CAGE_CHECK_H
#define TOOLS_CAGE_CHECK_H

#include "tools/cage.h"

/// Make the cage of a file, print how well it fits, as text or JSON, and fail if a bound is broken.
/// @param memory for reading; 0 for the default
toc_status tool_cage_check(const char *path, const tool_cage_wish *wish, uint64_t memory, bool json);

#endif
