// SPDX-License-Identifier: Apache-2.0
// Separating axes for two convex sets whose vertices move on straight lines or on parabolas.
//
// The gap of two vertices along a fixed axis is linear in time, so elements with positive gaps between all their
// vertices at both ends never touch, and neither do their hulls (Tang et al. 2011, "VolCCD", Theorem 1 and Algorithm
// 2). Any axis is valid. The first one joins the centres; each further one is the previous one, mirrored so that the
// two vertices that came closest, or crossed, are on the right sides of it (Chung and Wang 1996, "Quick collision
// detection of polytopes in virtual environments", here over both ends at once). This takes no normals and no random
// face, and finds an axis in two or three tries if there is room for one.
//
// On a parabola the gap is quadratic in time, and its values with the starts, the control points and the ends are its
// Bernstein coefficients: if all three are positive, so is the gap at every time between.
//
// A sign counts if the gap exceeds its rounding error. Let u = 2^-24, R the reach, N = |n|_1. A coordinate in the frame
// has an error of u R (and of 2^-53 R, and a subnormal), so a projection has u R N; the three products and two sums add
// 3 u R N (1 + 2u). The difference of two projections has 8 u R N, and its own rounding, at most 2 u R N: 10 u R N in
// all. The code takes 16 u R N, and 2^-100 for underflow. If anything overflows, the margin does, too, and the elements
// count as not apart.
#include "cull/volume/csat.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "bound/overlap.h"
#include "bound/span.h"

void toc_vertex4_fill(const toc_frame *frame, const double *x0, const double *x1, const uint32_t v[4],
                      toc_vertex4 *out) {
    for (int i = 0; i < 4; i++)
        for (int c = 0; c < 3; c++) {
            const size_t at = 3 * (size_t)v[i] + (size_t)c;
            out->at[0][c][i] = (float)((x0[at] - frame->centre[c]) * frame->scale);
            out->at[1][c][i] = (float)((x1[at] - frame->centre[c]) * frame->scale);
        }
}

enum { AXES = 6 };

toc_csat toc_csat_make(const toc_frame *frame, double separation) {
    // Coordinates in a frame are at most 1 plus rounding, except for scenes too large to be scaled down.
    assert(separation >= 0);
    return (toc_csat){.reach = frame->scale > 0x1p-1000 ? 1 + 0x1p-20f : INFINITY,
                      .separation = (float)(separation * frame->scale * (1 + 0x1p-20)), // rounded up
                      .axes = AXES};
}

typedef struct csat_axis {
    float x, y, z;
} csat_axis;

static inline float dot(csat_axis a, csat_axis b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

static TOC_INLINE toc_slabs project_vertices(const float at[3][4], csat_axis n) {
    const toc_slabs *c = (const toc_slabs *)at;
    return c[0] * n.x + c[1] * n.y + c[2] * n.z;
}

// The largest of the four lanes, in every lane.
static TOC_INLINE toc_slabs spread_most(toc_slabs p) {
    p = toc_slabs_most(p, __builtin_shufflevector(p, p, 2, 3, 0, 1));
    return toc_slabs_most(p, __builtin_shufflevector(p, p, 1, 0, 3, 2));
}

// The support of a set along an axis at one end of the step: its largest projection, and the vertex that has it.
typedef struct support_vertex {
    float most;
    int four, lane;
} support_vertex;

// The first lane that is set; the last one if none is.
static inline int first_lane(toc_slab_mask mask) { return __builtin_ctz(toc_slabs_bits(mask) | 8u); }

static TOC_INLINE support_vertex support_of(const toc_vertex4 *set, int fours, int end, csat_axis n) {
    const toc_slabs first = project_vertices(set[0].at[end], n);
    toc_slabs most = spread_most(first);
    if (fours == 1) return (support_vertex){most[0], 0, first_lane(first == most)};
    const toc_slabs second = project_vertices(set[1].at[end], n), other = spread_most(second);
    if (other[0] > most[0]) return (support_vertex){other[0], 1, first_lane(second == other)};
    return (support_vertex){most[0], 0, first_lane(first == most)};
}

static inline csat_axis vertex(const toc_vertex4 *set, support_vertex s, int end) {
    const toc_vertex4 *b = &set[s.four];
    return (csat_axis){b->at[end][0][s.lane], b->at[end][1][s.lane], b->at[end][2][s.lane]};
}

static TOC_INLINE float sum_coordinate(const toc_vertex4 *set, int fours, int c) {
    toc_slabs total = {0};
    for (int i = 0; i < fours; i++) total += *(const toc_slabs *)set[i].at[0][c] + *(const toc_slabs *)set[i].at[1][c];
    return total[0] + total[1] + total[2] + total[3];
}

static TOC_INLINE csat_axis between_centres(const toc_vertex4 *a, const toc_vertex4 *b, int fours) {
    return (csat_axis){sum_coordinate(b, fours, 0) - sum_coordinate(a, fours, 0),
                       sum_coordinate(b, fours, 1) - sum_coordinate(a, fours, 1),
                       sum_coordinate(b, fours, 2) - sum_coordinate(a, fours, 2)};
}

static inline float margin_of(const toc_csat *csat, csat_axis n) {
    const float size = fabsf(n.x) + fabsf(n.y) + fabsf(n.z);
    return (16 * 0x1p-24f * csat->reach + csat->separation) * size + 0x1p-100f;
}

// The coefficient of the gaps along an axis: at the start, at the end, or with the control points. It comes with the
// two vertices that are closest along the axis.
typedef struct csat_gap {
    float size;
    int coefficient;
    support_vertex from, to;
} csat_gap;

enum { START, END, CONTROL };

static TOC_INLINE const toc_vertex4 *csat_vertices(int coefficient, int fours, const toc_vertex4 *set) {
    return coefficient == CONTROL ? set + fours : set;
}

static TOC_INLINE csat_gap gap_at(int coefficient, int fours, const toc_vertex4 *a, const toc_vertex4 *b, csat_axis n) {
    const csat_axis back = {-n.x, -n.y, -n.z};
    const int end = coefficient == END;
    const support_vertex s = support_of(csat_vertices(coefficient, fours, a), fours, end, n);
    const support_vertex t = support_of(csat_vertices(coefficient, fours, b), fours, end, back);
    return (csat_gap){-t.most - s.most, coefficient, s, t};
}

// From the one of its two vertices to the other.
static TOC_INLINE csat_axis across(const csat_gap *gap, int fours, const toc_vertex4 *a, const toc_vertex4 *b) {
    const int end = gap->coefficient == END;
    const csat_axis from = vertex(csat_vertices(gap->coefficient, fours, a), gap->from, end);
    const csat_axis to = vertex(csat_vertices(gap->coefficient, fours, b), gap->to, end);
    return (csat_axis){to.x - from.x, to.y - from.y, to.z - from.z};
}

static TOC_INLINE int find_axis(const toc_csat *csat, int fours, bool curved, const toc_vertex4 *a,
                                const toc_vertex4 *b) {
    csat_axis n = between_centres(a, b, fours);
    for (int i = 1; i <= csat->axes; i++) {
        const float margin = margin_of(csat, n);
        csat_gap least = gap_at(START, fours, a, b, n);
        bool is_apart = least.size > margin;
        for (int coefficient = END; coefficient <= (curved ? CONTROL : END); coefficient++) {
            const csat_gap gap = gap_at(coefficient, fours, a, b, n);
            is_apart = is_apart && gap.size > margin;
            if (gap.size < least.size) least = gap;
        }
        if (is_apart) return i;
        const csat_axis r = across(&least, fours, a, b);
        const float square = dot(r, r), twice = 2 * dot(r, n) / square;
        if (!(square > 0x1p-100f) || !(twice < 0)) return 0; // no further axis
        n = (csat_axis){n.x - twice * r.x, n.y - twice * r.y, n.z - twice * r.z};
    }
    return 0;
}

// A function of its own, so that straight paths save no registers for it.
static TOC_NOINLINE int find_axis_of_parabolas(const toc_csat *csat, int fours, const toc_vertex4 *a,
                                               const toc_vertex4 *b) {
    return find_axis(csat, fours, true, a, b);
}

// Compiled once for each number of fours, and for parabolas.
int toc_csat_apart(const toc_csat *csat, int fours, const toc_vertex4 *a, const toc_vertex4 *b) {
    assert(fours == 1 || fours == 2);
    if (csat->curved) return find_axis_of_parabolas(csat, fours, a, b);
    return fours == 1 ? find_axis(csat, 1, false, a, b) : find_axis(csat, 2, false, a, b);
}
