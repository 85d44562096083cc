// SPDX-License-Identifier: Apache-2.0
// A .pvd that lists numbered files, so that ParaView opens them as one sequence.
#ifndef TOOLS_LISTING_H
#define TOOLS_LISTING_H

#include "tools/command.h"

/// Write NAME.pvd beside NAME-0000.vtp, NAME-0001.vtp and so on. @param path NAME.vtp. @param times one a file.
toc_status tool_listing_write(const char *path, size_t count, const double *times);

#endif
