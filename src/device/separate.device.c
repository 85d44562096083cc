// SPDX-License-Identifier: Apache-2.0
// Pairs of elements without a separating axis, and neighbours, which share a vertex: one pair a thread.
//
// The axes are those of cull/volume/csat.c, which has the derivation of their margin: the first one joins the centres,
// each further one is the previous one mirrored. Packed vertices have the same rounding errors as those there.
#define TOC_SINGLE
#include "device/kernel.h"

#include "base/wide3.h"
#include "device/search.h"

enum { AXES = 6 };

// An element at both ends of the step.
typedef struct moving_corners {
    wide3 at[2][TOC_DEVICE_CORNERS];
} moving_corners;

// The corner that lies farthest along an axis.
typedef struct farthest {
    wide3 corner;
    toc_wide along;
} farthest;

static TOC_INLINE wide3 place_of_corner(const float x[4]) {
    return (wide3){toc_wide_all(x[0]), toc_wide_all(x[1]), toc_wide_all(x[2])};
}

static TOC_INLINE void load_moving_corners(const toc_packed *packed, const uint32_t *ids, int corners,
                                           moving_corners *out) {
    for (int k = 0; k < corners; k++) {
        const toc_packed vertex = packed[ids[k]];
        out->at[0][k] = place_of_corner(vertex.x0), out->at[1][k] = place_of_corner(vertex.x1);
    }
}

static TOC_INLINE wide3 sum_corners(const moving_corners *of, int corners) {
    wide3 sum = wide3_add(of->at[0][0], of->at[1][0]);
    for (int k = 1; k < corners; k++) sum = wide3_add(sum, wide3_add(of->at[0][k], of->at[1][k]));
    return sum;
}

static TOC_INLINE farthest farthest_along(const wide3 *at, int corners, wide3 axis) {
    farthest most = {at[0], wide3_dot(at[0], axis)};
    for (int k = 1; k < corners; k++) {
        const toc_wide along = wide3_dot(at[k], axis);
        const toc_mask more = along > most.along;
        most.corner = wide3_select(more, at[k], most.corner);
        most.along = toc_wide_select(more, along, most.along);
    }
    return most;
}

static TOC_INLINE bool corners_are_apart(const moving_corners *a, const moving_corners *b, int corners,
                                         float distance) {
    wide3 axis = wide3_sub(sum_corners(b, corners), sum_corners(a, corners));
    TOC_DEVICE_ROLLED
    for (int i = 0; i < AXES; i++) {
        const float margin = (16 * 0x1p-24f * (1 + 0x1p-20f) + distance) * wide3_sum(wide3_abs(axis))[0] + 0x1p-100f;
        const wide3 back = wide3_scale(axis, toc_wide_all(-1));
        float least = INFINITY;
        wide3 between = axis;
        for (int end = 0; end < 2; end++) {
            const farthest s = farthest_along(a->at[end], corners, axis), t = farthest_along(b->at[end], corners, back);
            const float gap = -t.along[0] - s.along[0];
            if (!(gap < least)) continue;
            least = gap;
            between = wide3_sub(t.corner, s.corner);
        }
        if (least > margin) return true;
        const float square = wide3_dot(between, between)[0], twice = 2 * wide3_dot(between, axis)[0] / square;
        if (!(square > 0x1p-100f) || !(twice < 0)) return false; // no further axis
        axis = wide3_sub(axis, wide3_scale(between, toc_wide_all(twice)));
    }
    return false;
}

static TOC_INLINE bool corners_share(const uint32_t *a, const uint32_t *b, int corners) {
    bool shared = false;
    for (int i = 0; i < corners; i++)
        for (int j = 0; j < corners; j++) shared |= a[i] == b[j];
    return shared;
}

static TOC_INLINE bool elements_stay(const toc_device_search *work, toc_device_node_pair pair, int corners) {
    const uint32_t *ids_a = work->leaf_corners + pair.a * (uint64_t)corners;
    const uint32_t *ids_b = work->leaf_corners + pair.b * (uint64_t)corners;
    moving_corners a, b;
    if (corners_share(ids_a, ids_b, corners)) return true;
    load_moving_corners(work->packed, ids_a, corners, &a);
    load_moving_corners(work->packed, ids_b, corners, &b);
    return !corners_are_apart(&a, &b, corners, work->distance);
}

TOC_DEVICE_KERNEL(separate, toc_device_search) {
    const uint32_t count = toc_device_least(work->counts->pairs[0], work->pair_room);
    for (uint32_t i = thread; i < count; i += threads) {
        const toc_device_node_pair pair = work->from[i];
        const bool stays =
            work->corner_count == 4 ? elements_stay(work, pair, 4) : elements_stay(work, pair, TOC_DEVICE_CORNERS);
        if (stays) work->to[toc_thread_append(&work->counts->near)] = pair;
    }
}
