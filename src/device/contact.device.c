// SPDX-License-Identifier: Apache-2.0
// The contacts of outcomes that are done, in the order of their entries.
#include "device/kernel.h"

#include "device/answer.h"

TOC_DEVICE_KERNEL(contact, toc_device_answer) {
    for (uint32_t i = thread; i < work->count; i += threads) {
        const uint32_t item = work->entries[i].item, kind = item >> TOC_DEVICE_KIND_SHIFT;
        const toc_device_outcome *outcome = &work->outcomes[kind][item & ((1u << TOC_DEVICE_KIND_SHIFT) - 1)];
        const int second = kind ? 2 : 1;
        toc_contact *contact = &work->contacts[i];
        uint32_t body[2];
        for (int k = 0; k < 2; k++)
            body[k] = toc_device_body(work->body_first, work->body_count, outcome->v[k ? second : 0]);
        contact->kind = kind ? TOC_EE : TOC_VF;
        contact->verdict = outcome->hit.verdict;
        for (int k = 0; k < 2; k++) contact->body[k] = body[k];
        for (int k = 0; k < 4; k++) contact->v[k] = outcome->v[k] - work->body_first[body[k >= second]];
        contact->toc = outcome->hit.toc;
        for (int k = 0; k < 4; k++) contact->weights[k] = outcome->hit.weights[k];
        for (int k = 0; k < 3; k++) contact->point[k] = outcome->hit.point[k];
        for (int k = 0; k < 3; k++) contact->normal[k] = outcome->hit.normal[k];
    }
}
