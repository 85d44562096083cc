// SPDX-License-Identifier: Apache-2.0
// One animation file of OpenRadioss: a whole model at one time.
#ifndef TOC_IO_RADIOSS_STATE_H
#define TOC_IO_RADIOSS_STATE_H

#include "io/core/source.h"
#include "mesh/mesh.h"

/// Elements by kind, in the order of the file.
enum { TOC_RADIOSS_SHELLS, TOC_RADIOSS_SOLIDS, TOC_RADIOSS_BEAMS, TOC_RADIOSS_KINDS };

typedef struct toc_radioss_block {
    size_t count, parts;
    const char *corners; // of each element, counted from 0
    const char *alive;   // a byte each, 0 where the element is gone
    const char *ends;    // of each part: the element behind its last
    const char *names;   // of the parts
    const char *numbers; // of the user; NULL without
} toc_radioss_block;

/// Places in a source, which stays open.
typedef struct toc_radioss_state {
    double time;
    size_t nodes;
    const char *coordinates, *velocities, *numbers; // the latter two NULL without
    toc_radioss_block blocks[TOC_RADIOSS_KINDS];
} toc_radioss_state;

enum { TOC_RADIOSS_HEAD = 8 }; // bytes that tell the format and the time

bool toc_radioss_is(const toc_source *source);
static inline double toc_radioss_time(const char *head) { return (double)toc_load_f32(head + 4, true); }

/// Find the arrays of a file. Every length is checked against the bytes left.
toc_status toc_radioss_scan(toc_source *source, toc_radioss_state *out);

static inline size_t toc_radioss_element_count(const toc_radioss_state *state) {
    size_t sum = 0;
    for (int kind = 0; kind < TOC_RADIOSS_KINDS; kind++) sum += state->blocks[kind].count;
    return sum;
}

/// Refuse a state whose nodes or elements are not those of the first.
toc_status toc_radioss_compare(toc_source *source, const toc_radioss_state *state, const toc_radioss_state *first);

/// Three numbers of each node.
toc_status toc_radioss_read_nodes(toc_source *source, const char *from, size_t nodes, double *x);

/// Read nodes, elements, parts and the numbers of the user into an empty mesh: all elements, or those that are alive.
toc_status toc_radioss_geometry(toc_source *source, const toc_radioss_state *state, bool all, toc_mesh *mesh);

#endif
