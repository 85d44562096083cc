// SPDX-License-Identifier: Apache-2.0
// The campaign's own idea of a scene: element lists, positions, filters, features. It shares no code with the library.
#ifndef TOC_CAMPAIGN_MODEL_H
#define TOC_CAMPAIGN_MODEL_H

#include "campaign/trial.h"

enum { MODEL_BODIES = 6, MODEL_VERTICES = 160, MODEL_ELEMENTS = 160, MODEL_GROUP_PAIRS = 16 };

typedef struct model_element {
    int shape; // TOC_REMOVED when it is gone
    uint32_t c[8];
    int32_t group;
    double thickness;
} model_element;

/// A vertex, an edge or a face, with the elements around it.
typedef struct model_feature {
    int size; // 1, 2, 3
    uint32_t body;
    uint32_t v[3]; // ascending
    bool boundary;
    uint32_t around[MODEL_ELEMENTS]; // elements, ascending
    uint32_t around_count;
} model_feature;

typedef struct model_body {
    uint32_t vertex_count, element_count;
    bool gone, accelerated, ignores_itself;
    bool vertex_gone[MODEL_VERTICES];
    double x0[MODEL_VERTICES][3], x1[MODEL_VERTICES][3], a[MODEL_VERTICES][3];
    model_element elements[MODEL_ELEMENTS];
    uint64_t layers, mask;
    double thickness;
} model_body;

typedef struct model {
    uint32_t body_count;
    model_body bodies[MODEL_BODIES];
    uint32_t ignored_count;
    int32_t ignored[MODEL_GROUP_PAIRS][2];
    // Derived by model_derive.
    bool derived;
    size_t feature_count;
    model_feature *features;
} model;

int model_corners(int shape);
/// Whether the operation makes sense now.
bool model_accepts(const model *m, const trial_op *op);
/// Apply an operation that makes sense.
void model_apply(model *m, const trial_op *op);
/// List all features, from the element lists.
void model_derive(model *m);
void model_clear(model *m);
/// Whether a body is accelerated.
bool model_is_curved(const model *m);
/// Start, control point and end of a vertex. In a scene with an accelerated body all paths are parabolas, with control
/// points as toc_path_find_control rounds them; else the control point is the start.
void model_path(const model *m, uint32_t body, uint32_t v, double path[3][3]);

/// Whether the filters of two bodies let them touch; of one body: itself.
bool model_bodies_meet(const model *m, uint32_t a, uint32_t b);
/// Whether two features may touch: they share no vertex, and the scene's filters allow it.
bool model_wants(const model *m, const model_feature *a, const model_feature *b);
/// Whether the callback of a question allows a pair: by vertices in ascending order within each feature.
bool model_callback(uint32_t filter, toc_kind kind, const uint32_t body[2], const uint32_t v[4]);
/// As thick as the thickest element around it, and as its body at least.
double model_thickness(const model *m, const model_feature *f);
/// Faces of an element; triangles, ascending ids. Returns their number.
int model_faces(const model_element *e, uint32_t faces[12][3]);
/// Whether no corner of an element is used twice.
bool model_is_whole(const model_element *e);
/// Faces of a whole element as it winds them, outward for a volume. Returns their number.
int model_wound_faces(const model_element *e, uint32_t faces[12][3]);

#endif
