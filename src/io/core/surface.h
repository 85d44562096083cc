// SPDX-License-Identifier: Apache-2.0
// The parts of a mesh that a format for surfaces can hold: its surface elements, its loose edges and points, and the
// boundary of volume elements, in triangles.
#ifndef TOC_IO_CORE_SURFACE_H
#define TOC_IO_CORE_SURFACE_H

#include "base/memory.h"
#include "toccata/mesh.h"

typedef struct toc_surface_face {
    int32_t group;
    uint8_t corner_count; // 3 or 4
    uint32_t corners[4];
} toc_surface_face;

typedef struct toc_surface {
    toc_allocator allocator;
    TOC_ARRAY(toc_surface_face) faces;
    TOC_ARRAY(uint32_t) edges; // 2 each
    TOC_ARRAY(uint32_t) points;
} toc_surface;

/// Free with toc_surface_free, also on failure.
toc_status toc_surface_find(const toc_mesh *mesh, const toc_allocator *allocator, toc_surface *out);
void toc_surface_free(toc_surface *surface);

/// A face in triangles: a quad as the mesh splits it, along the diagonal through its lowest vertex id. Returns their
/// number.
int toc_surface_split(const toc_surface_face *face, uint32_t triangles[2][3]);

#endif
