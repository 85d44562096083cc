// SPDX-License-Identifier: Apache-2.0
// Parts of a mesh: its groups if there are several, else its connected components.
#ifndef VIEW_PARTS_H
#define VIEW_PARTS_H

#include "base/memory.h"
#include "toccata/mesh.h"

enum { VIEW_PARTS_MOST = (1 << 24) - 1 };

/// Parts keep their numbers while elements are added, removed and torn.
typedef struct view_parts {
    toc_allocator allocator;
    bool by_group;
    size_t count;
    TOC_ARRAY(int32_t) groups;    // by part, ascending; empty without groups
    TOC_ARRAY(uint32_t) vertices; // the part by vertex id
    TOC_ARRAY(uint32_t) elements; // and by element id
} view_parts;

view_parts toc_view_parts_make(const toc_allocator *allocator);
/// Number the parts of a mesh. Call again after edits.
toc_status toc_view_parts_update(view_parts *parts, const toc_mesh *mesh);
void toc_view_parts_free(view_parts *parts);
enum { VIEW_PART_NAME = 40 };
/// The name of a part: that of its group, else its number. @param room VIEW_PART_NAME bytes. @return room, or a text of
/// the mesh.
const char *toc_view_part_name(const view_parts *parts, const toc_mesh *mesh, size_t part, char *room);

/// The connected component of each vertex id: 1, 2, ... in the order of the lowest vertices, 0 for unused vertices. One
/// item more than vertices; free it with toc_free. NULL when memory is out.
uint32_t *toc_view_components_find(const toc_allocator *allocator, const toc_mesh *mesh);

#endif
