// SPDX-License-Identifier: Apache-2.0
// Near pairs at an end of the step on a device: what its kernels read and write.
//
// An outcome (device/pairs.h) that is done is a near pair: the time of its hit is the distance, the first coordinate of
// its point the distance that counts as near. One that is not done is left to the processor.
#ifndef TOC_DEVICE_NEAR_H
#define TOC_DEVICE_NEAR_H

#include "device/answer.h"
#include "device/pairs.h"

/// The test of pairs that the prefilter left. All pointers are of the device.
typedef struct toc_device_near_test {
    toc_device_pairs pairs;
    bool decides; // limits are those of the pairs; else all that are near are left to the processor
} toc_device_near_test;

/// The near pairs, complete and in order.
typedef struct toc_device_near_answer {
    toc_device_answer of; // without contacts
    const double *x;      // positions at the end asked about
    double time;          // that end
    toc_near_pair *pairs;
} toc_device_near_answer;

// clang for the device and the compiler of the library lay out the same.
_Static_assert(sizeof(void *) != 8 || sizeof(toc_device_near_test) == sizeof(toc_device_pairs) + 8,
               "work of near pairs");
_Static_assert(sizeof(void *) != 8 || sizeof(toc_near_pair) == 160, "a near pair");

#endif
