// SPDX-License-Identifier: Apache-2.0
// k-DOPs: slabs along k/2 fixed directions, in single precision rounded outward.
//
// A DOP is lows then highs, each padded with slabs that hold everything to 8 or 16 lanes. Single precision halves the
// memory that traversal moves; rounding outward keeps every point in (docs/guarantees.md, G1), and a frame around
// the scene keeps the rounding small beside the features. Directions as in Tang et al. 2011 (VolCCD).
#ifndef TOC_BOUND_DOP_H
#define TOC_BOUND_DOP_H

#include "base/memory.h"
#include "bound/box.h"

/// Which slabs.
typedef struct toc_dop_kind {
    int k;          // 6, 14, 16, 18 or 26
    int directions; // k / 2
    int lanes;      // directions, padded to a multiple of 8
    int8_t axes[13][3];
} toc_dop_kind;

/// TOC_BAD_INPUT for any other k.
toc_status toc_dop_kind_make(int k, toc_dop_kind *out);

enum { TOC_DOP_FLOATS_MOST = 32 };
/// Floats of one DOP.
static inline size_t toc_dop_floats(const toc_dop_kind *kind) { return 2 * (size_t)kind->lanes; }

/// Room for DOPs, each of which is one or two lines of the cache. NULL on failure.
float *toc_dops_new(toc_arena *arena, const toc_dop_kind *kind, size_t count);

/// Where single precision counts: positions are moved by -centre, then scaled by a power of two.
typedef struct toc_frame {
    double centre[3], scale;
} toc_frame;

/// A frame in which all of a box, or all positions of a step, are about 1 or less.
toc_frame toc_frame_of(const toc_box *box);
toc_frame toc_frame_around(size_t count, const double *x0, const double *x1);

/// DOPs of points at an instant, grown by a thickness in every direction (of the points' unit of length).
void toc_dop_of_points(const toc_dop_kind *kind, const toc_frame *frame, size_t count, const double *x,
                       double thickness, float *dops);
/// Moving DOPs of points: two each, at the start and at the end (bound/span.h).
void toc_dop_of_moving_points(const toc_dop_kind *kind, const toc_frame *frame, size_t count, const double *x0,
                              const double *x1, double thickness, float *dops);
/// Let each DOP hold the other one, too.
void toc_dop_join(const toc_dop_kind *kind, size_t count, const float *other, float *dops);
/// DOPs of features of `corners` points each.
void toc_dop_of_features(const toc_dop_kind *kind, const float *points, const uint32_t *vertices, int corners,
                         size_t count, float *dops);
/// The same of moving points: moving DOPs of the features, or single ones that hold all of the motion.
void toc_dop_of_moving(const toc_dop_kind *kind, const float *points, const uint32_t *vertices, int corners,
                       size_t count, float *dops);
void toc_dop_of_swept(const toc_dop_kind *kind, const float *points, const uint32_t *vertices, int corners,
                      size_t count, float *dops);

// ---- what is compiled for each instruction set

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
