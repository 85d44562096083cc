// SPDX-License-Identifier: Apache-2.0
// k-DOPs: slabs along k/2 fixed directions, in single precision rounded outward.
//
// A DOP is its lows, then its highs, each padded to 8 or 16 lanes with slabs that hold everything. Single precision
// halves the memory traffic of a traversal; rounding outward keeps every point inside (docs/guarantees.md, G1), and a
// frame around the scene keeps the rounding small relative to the features. Directions as in Tang et al. 2011 (VolCCD).
#ifndef TOC_BOUND_DOP_H
#define TOC_BOUND_DOP_H

#include "base/memory.h"
#include "bound/box.h"

/// The directions of the slabs.
typedef struct toc_dop_kind {
    int k;          // 6, 14, 16, 18 or 26
    int directions; // k / 2
    int lanes;      // directions, padded to a multiple of 8
    int8_t axes[13][3];
} toc_dop_kind;

/// Make the kind of a k. @return TOC_BAD_INPUT for other values of k.
toc_status toc_dop_kind_make(int k, toc_dop_kind *out);

enum { TOC_DOP_FLOATS_MOST = 32 };
/// Floats of one DOP.
static inline size_t toc_dop_floats(const toc_dop_kind *kind) { return 2 * (size_t)kind->lanes; }

/// Allocate DOPs, each of which takes one or two cache lines. NULL on failure.
float *toc_dops_new(toc_arena *arena, const toc_dop_kind *kind, size_t count);

/// The frame of single precision: positions are moved by -centre, then scaled by a power of two.
typedef struct toc_frame {
    double centre[3], scale;
} toc_frame;

/// A frame in which the coordinates of a box, or of all positions of a step, are at most about 1.
toc_frame toc_frame_of(const toc_box *box);
toc_frame toc_frame_around(size_t count, const double *x0, const double *x1, int threads);

/// DOPs of points, grown by a thickness in every direction (in the points' unit of length).
void toc_dop_of_points(const toc_dop_kind *kind, const toc_frame *frame, size_t count, const double *x,
                       double thickness, float *dops);
/// Moving DOPs of points: two each, at the start and at the end (bound/span.h).
void toc_dop_of_moving_points(const toc_dop_kind *kind, const toc_frame *frame, size_t count, const double *x0,
                              const double *x1, double thickness, float *dops);
/// Extend each DOP to hold the other one.
void toc_dop_join(const toc_dop_kind *kind, size_t count, const float *other, float *dops);
/// DOPs of features of `corners` points each.
void toc_dop_of_features(const toc_dop_kind *kind, const float *points, const uint32_t *vertices, int corners,
                         size_t count, float *dops);
/// The same from moving DOPs of points: moving DOPs of the features, or swept ones that hold the whole motion.
void toc_dop_of_moving(const toc_dop_kind *kind, const float *points, const uint32_t *vertices, int corners,
                       size_t count, float *dops);
void toc_dop_of_swept(const toc_dop_kind *kind, const float *points, const uint32_t *vertices, int corners,
                      size_t count, float *dops);

// ---- kernels, compiled for each instruction set

/// Features of `each` vertices.
typedef struct toc_corners {
    const uint32_t *vertices;
    int each;
    size_t count;
} toc_corners;

typedef void toc_dop_features(const toc_dop_kind *kind, const float *points, const toc_corners *of, float *dops);
typedef struct toc_dop_kernel {
    void (*of_points)(const toc_dop_kind *kind, const toc_frame *frame, size_t count, const double *x, double thickness,
                      size_t stride, float *dops);
    toc_dop_features *of_features, *of_moving, *of_swept;
} toc_dop_kernel;

extern const toc_dop_kernel toc_dop_kernel1, toc_dop_kernel4, toc_dop_kernel8;

#endif
