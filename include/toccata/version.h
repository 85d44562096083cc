// SPDX-License-Identifier: Apache-2.0
#ifndef TOCCATA_VERSION_H
#define TOCCATA_VERSION_H

// The one place where the version is written; the build, the packages and the command read it from here.
#define TOC_VERSION_MAJOR 1
#define TOC_VERSION_MINOR 0
#define TOC_VERSION_PATCH 0

#endif
