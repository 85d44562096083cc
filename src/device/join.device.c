// SPDX-License-Identifier: Apache-2.0
// Two lists of contacts in order become one: each contact goes behind all smaller ones of both lists.
#include "device/kernel.h"

#include "device/answer.h"

static TOC_INLINE bool contact_is_less(const toc_contact *a, const toc_contact *b) {
    if (a->kind != b->kind) return a->kind < b->kind;
    for (int i = 0; i < 2; i++)
        if (a->body[i] != b->body[i]) return a->body[i] < b->body[i];
    for (int i = 0; i < 4; i++)
        if (a->v[i] != b->v[i]) return a->v[i] < b->v[i];
    return false;
}

static TOC_INLINE uint32_t contacts_before(const toc_contact *list, uint32_t count, const toc_contact *than) {
    uint32_t low = 0;
    while (count > 0) {
        const uint32_t half = count / 2;
        const bool less = contact_is_less(&list[low + half], than);
        low += less ? half + 1 : 0;
        count = less ? count - half - 1 : half;
    }
    return low;
}

TOC_DEVICE_KERNEL(join, toc_device_joining) {
    for (uint32_t i = thread; i < work->many_count + work->few_count; i += threads) {
        const bool is_many = i < work->many_count;
        const uint32_t own = is_many ? i : i - work->many_count;
        const toc_contact contact = is_many ? work->many[own] : work->few[own];
        const uint32_t others = is_many ? contacts_before(work->few, work->few_count, &contact)
                                        : contacts_before(work->many, work->many_count, &contact);
        work->to[own + others] = contact;
    }
}
