// SPDX-License-Identifier: Apache-2.0
// Whether presets and methods of papers are part of the build: the CMake option TOC_RESEARCH.
#ifndef TOC_BASE_RESEARCH_H
#define TOC_BASE_RESEARCH_H

#ifndef TOC_RESEARCH
#define TOC_RESEARCH 1
#endif

#endif
