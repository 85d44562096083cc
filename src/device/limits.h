// SPDX-License-Identifier: Apache-2.0
// The distance within which two features touch or are near, for the kernels of a device: that of the question, and half
// of the thickness of either body.
#ifndef TOC_DEVICE_LIMITS_H
#define TOC_DEVICE_LIMITS_H

#include <float.h>
#include <stdint.h>

/// All pointers are of the device.
typedef struct toc_device_limits {
    double distance;            // of the question
    const double *thickness;    // by body; NULL where all pairs have this distance
    const uint32_t *body_first; // body_count + 1 of them
    uint32_t body_count;
} toc_device_limits;

/// The body of a vertex, as toc_step_body.
static inline uint32_t toc_device_body(const uint32_t *body_first, uint32_t body_count, uint32_t vertex) {
    uint32_t low = 0, high = body_count;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (body_first[middle] <= vertex)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/// As toc_thickness_add of toc_thickness_of_pair, where no element is thicker than its body.
/// @param second the first vertex of the second feature.
static inline double toc_device_limit(const toc_device_limits *limits, const uint32_t v[4], int second) {
    if (!limits->thickness) return limits->distance;
    const double a = limits->thickness[toc_device_body(limits->body_first, limits->body_count, v[0])];
    const double b = limits->thickness[toc_device_body(limits->body_first, limits->body_count, v[second])];
    const double sum = limits->distance + (a / 2 + b / 2);
    return sum < DBL_MAX ? sum : DBL_MAX;
}

#endif
