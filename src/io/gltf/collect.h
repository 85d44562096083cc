// SPDX-License-Identifier: Apache-2.0
// A motion on its way into a .glb, gathered frame by frame: surfaces with their steps, displacements, contacts.
//
// The displacements of one frame are in memory; those before it are in a temporary file until their bounds, which
// precede them in a .glb, are known.
#ifndef TOC_IO_GLTF_COLLECT_H
#define TOC_IO_GLTF_COLLECT_H

#include <stdio.h>

#include "io/core/sink.h"
#include "io/gltf/lifetimes.h"
#include "io/pairs/table.h"

/// Elements of one kind and group.
typedef struct toc_glb_primitive {
    int mode;
    int32_t group;
    size_t corners;
} toc_glb_primitive;

/// The steps in which a node is there.
typedef struct toc_glb_span {
    size_t birth, death;
} toc_glb_span;

/// Faces, edges and points that are there in the same steps: one mesh.
typedef struct toc_glb_body {
    toc_glb_span span;
    size_t first, count; // primitives
} toc_glb_body;

typedef struct toc_glb_box {
    float low[3], high[3];
} toc_glb_box;

/// The contacts of a step: one mesh of points.
typedef struct toc_glb_marks {
    size_t step, first, count;
    toc_glb_box box;
} toc_glb_marks;

/// The name of a group.
typedef struct toc_glb_name {
    int32_t group;
    const char *text;
} toc_glb_name;

struct toc_animation {
    toc_allocator allocator;
    toc_sink *sink;
    double rate;
    size_t vertices;      // so far
    size_t frames;        // the start, and the end of each step
    const toc_mesh *mesh; // of the last frame, to compare
    uint64_t revision;
    toc_lifetimes lifetimes;
    toc_arena arena; // of the names
    TOC_ARRAY(toc_glb_name) names;
    TOC_ARRAY(double) base;       // where each vertex came
    TOC_ARRAY(toc_glb_box) boxes; // of these positions, then of the displacements of each further frame
    TOC_ARRAY(size_t) counts;     // vertices of each further frame
    TOC_ARRAY(float) last;        // displacements of the last frame
    FILE *before;                 // of the frames before it
    // Contacts: floats for programs that show them, and exact arrays in the words of VTP.
    bool has_contacts, is_sequence;
    TOC_ARRAY(toc_contact) contacts;
    TOC_ARRAY(toc_place) places;    // by contact, or none
    TOC_ARRAY(toc_glb_marks) marks; // of the steps that have any
    TOC_ARRAY(size_t) by_step;      // contacts
    // Made at the end.
    TOC_ARRAY(uint32_t) corners; // of all primitives
    TOC_ARRAY(toc_glb_primitive) primitives;
    TOC_ARRAY(toc_glb_body) bodies;
    TOC_ARRAY(float) shown;   // keys of the nodes that are hidden at times, and their scale or translation
    const toc_mesh *labelled; // a single mesh with numbers of its vertices, or NULL
    const double *velocities; // of a single mesh, or NULL
    TOC_ARRAY(char) json;
    size_t sampler;  // of the animation, while it is written
    toc_table table; // of the contacts
    toc_table_array arrays[TOC_MOST_ARRAYS];
    size_t array_count;
};

/// A contact as the attributes of a point.
typedef struct toc_glb_mark {
    float point[3], normal[3], toc, time, kind;
} toc_glb_mark;

/// Begin with a mesh whose vertices are at x. Free with toc_glb_free, also on failure.
toc_status toc_glb_begin(toc_animation *to, const toc_mesh *mesh, const double *x);
/// Add the frame to which the mesh has moved; it may have gained vertices and gained or lost elements.
toc_status toc_glb_add_frame(toc_animation *to, const toc_mesh *mesh);
/// Add the contacts of the last step.
/// @param places may be NULL.
toc_status toc_glb_add_contacts(toc_animation *to, const toc_contacts *contacts, const toc_place *places);
void toc_glb_free(toc_animation *to);

/// Steps, at least 1.
static inline size_t toc_glb_count_steps(const toc_animation *of) { return of->frames > 1 ? of->frames - 1 : 1; }
/// The name of a group; NULL for none.
const char *toc_glb_find_name(const toc_animation *of, int32_t group);
/// Floats of the vertices from `first` on, less the base where there is one.
void toc_glb_make_floats(const double *x, const double *base, size_t first, size_t count, float *to);
toc_glb_mark toc_glb_make_mark(const toc_contact *c, const toc_place *place, size_t step, double rate);

#endif
