// SPDX-License-Identifier: Apache-2.0
// Families of animation files of OpenRadioss: carA001, carA002, ...
#ifndef TOC_IO_RADIOSS_RADIOSS_H
#define TOC_IO_RADIOSS_RADIOSS_H

#include <stdbool.h>

/// Whether a file is a frame of the family that begins with the first: all files between the two are there.
bool toc_radioss_family_has(const char *first, const char *path);

#endif
