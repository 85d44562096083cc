// SPDX-License-Identifier: Apache-2.0
// The contacts of a step on a device, complete and in order: what its kernels read and write.
//
// An entry for each outcome that is done has the ids of its contact in 128 bits, in the order of toc_contact_compare.
#ifndef TOC_DEVICE_ANSWER_H
#define TOC_DEVICE_ANSWER_H

#include "device/limits.h"
#include "device/pairs.h"
#include "device/sort.h"
#include "toccata/scene.h"

enum { TOC_DEVICE_KIND_SHIFT = 31 }; // of an entry's item: the kind, then the number of the outcome

typedef struct toc_device_answer {
    const toc_device_outcome *outcomes[TOC_DEVICE_KINDS];
    uint32_t outcome_count[TOC_DEVICE_KINDS];
    const uint32_t *body_first; // body_count + 1 of them
    uint32_t body_count, body_bits, vertex_bits;
    uint32_t *entry_count; // 0 before the launch that ranks
    toc_device_entry *entries;
    uint32_t count; // of the contacts
    toc_contact *contacts;
} toc_device_answer;

/// Two lists in order, and room for both in one.
typedef struct toc_device_joining {
    const toc_contact *many, *few;
    toc_contact *to;
    uint32_t many_count, few_count;
} toc_device_joining;

// clang for the device and the compiler of the library lay out the same.
_Static_assert(sizeof(void *) != 8 || sizeof(toc_device_answer) == 80, "work of the answer");
_Static_assert(sizeof(void *) != 8 || sizeof(toc_contact) == 120, "a contact");

#endif
