// SPDX-License-Identifier: Apache-2.0
// An Abaqus or CalculiX model while it is read: parts, and how the assembly places them.
#ifndef TOC_IO_ABAQUS_ABAQUS_H
#define TOC_IO_ABAQUS_ABAQUS_H

#include <string.h>

#include "io/core/labels.h"
#include "io/core/solid.h"

enum { TOC_ABAQUS_NAME = 80 };

typedef char toc_abaqus_name[TOC_ABAQUS_NAME + 1];

/// An index of a set or a range that stands for none.
static const size_t TOC_ABAQUS_NONE = SIZE_MAX;

/// Labels of a set of elements: first, first + step, ... up to last. Or all of another set: a copy of its labels would
/// double with each set of two sets.
typedef struct toc_abaqus_range {
    size_t set;
    int64_t first, last, step;
    size_t other; // TOC_ABAQUS_NONE for labels
    size_t next;  // range of the same set
} toc_abaqus_range;

typedef struct toc_abaqus_set {
    toc_abaqus_name name;
    double thickness; // of its elements, if a shell section gives one
    size_t first_range, last_range;
    size_t seen, below; // the walk that came here last, and the set below this one on its stack
} toc_abaqus_set;

/// A part, or a model without any. Corners of its elements are labels of nodes; groups are places in `sets`, from 1.
typedef struct toc_abaqus_part {
    toc_abaqus_name name;
    bool placed; // by an instance
    toc_labels nodes, elements;
    toc_mesh_parts content;
    size_t higher_order;
    TOC_ARRAY(toc_abaqus_set) sets;
    TOC_ARRAY(toc_abaqus_range) ranges;
    size_t walks; // through sets of sets, so far
} toc_abaqus_part;

/// A part put into the assembly: moved, then turned around an axis.
typedef struct toc_abaqus_instance {
    toc_abaqus_name name;
    size_t part;
    double shift[3];
    double from[3], to[3], angle; // two points of the axis, degrees
} toc_abaqus_instance;

typedef struct toc_abaqus {
    toc_allocator allocator;
    TOC_ARRAY(toc_abaqus_part) parts; // the first is the model outside any part
    TOC_ARRAY(toc_abaqus_instance) instances;
} toc_abaqus;

/// The set of a name; made if there is none.
toc_status toc_abaqus_find_set(const toc_abaqus *model, toc_abaqus_part *part, const char *name, size_t *out);
void toc_abaqus_free(toc_abaqus *model);

/// Put the instances into an empty mesh; without any, each part as it is. Uses the model up. Fails with TOC_BAD_INPUT
/// and `*missing` set where an element uses a node that its part does not have or a label is there twice, and with
/// TOC_OUT_OF_MEMORY where the instances together take more memory than is allowed. `path` is for the message.
toc_status toc_abaqus_build(toc_abaqus *model, const char *path, toc_mesh *mesh, bool *missing);

#endif
