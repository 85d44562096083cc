// SPDX-License-Identifier: Apache-2.0
// A .pvd that lists numbered files, so that ParaView opens them as one sequence.
#ifndef TOOLS_LISTING_H
#define TOOLS_LISTING_H

#include "tools/command.h"

/// Write NAME.pvd beside NAME-0000.vtp, NAME-0001.vtp and so on.
/// @param path NAME.vtp, or NAME-%04d.vtp. @param first the number of the first file. @param times one a file.
/// @param name receives the path of the .pvd, which the caller frees; may be NULL.
toc_status tool_listing_write(const char *path, size_t first, size_t count, const double *times, char **name);

#endif
