// SPDX-License-Identifier: Apache-2.0
// Images of a scene: the same bodies in other units, at another place, with other axes, numbered in another order, or
// with time reversed. Every coordinate of an image is exact, so that the answers to a question are the same.
#ifndef TOC_CAMPAIGN_IMAGE_H
#define TOC_CAMPAIGN_IMAGE_H

#include "campaign/model.h"

/// The low bits of trial_question.image choose the kinds, the bits above them are a seed.
typedef enum image_kind {
    IMAGE_SCALE = 1,     // by a power of two
    IMAGE_SHIFT = 2,     // by powers of two
    IMAGE_AXES = 4,      // permuted and mirrored
    IMAGE_VERTICES = 8,  // renumbered, in bodies without quadrilateral sides: the lowest id chooses their diagonal
    IMAGE_ELEMENTS = 16, // renumbered, with permuted corners of triangles and tets
    IMAGE_BODIES = 32,   // renumbered
    IMAGE_REVERSE = 64,  // start and end exchanged
    IMAGE_KINDS = 128
} image_kind;

typedef struct image {
    uint32_t kinds; // those in effect: a kind that would round a coordinate is left out
    uint32_t seed;
    int exponent;
    double shift[3], sign[3];
    int axis[3];                                     // which coordinate of the original
    uint32_t body_count;                             // of the image: removed bodies are left out
    uint32_t bodies[MODEL_BODIES];                   // ids in the original
    uint32_t vertices[MODEL_BODIES][MODEL_VERTICES]; // by body of the image: ids in the original
    uint32_t elements[MODEL_BODIES][MODEL_ELEMENTS]; // likewise; removed elements are left out
    uint32_t element_counts[MODEL_BODIES];
} image;

/// Choose an image for a question.
void image_make(image *i, const model *m, const trial_question *q);
/// Build its scene. NULL on failure.
toc_scene *image_scene(const image *i, const model *m);
/// The question that asks the image for the same.
trial_question image_question(const image *i, const trial_question *q);
/// Turn bodies and vertices of a pair of the image into those of the original.
void image_pair_back(const image *i, toc_kind kind, uint32_t body[2], uint32_t v[4]);
/// A length of the image in the units of the original.
double image_length_back(const image *i, double length);
/// Names of the kinds in effect.
void image_describe(const image *i, char text[120]);

#endif
