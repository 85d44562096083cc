// SPDX-License-Identifier: Apache-2.0
// The order of contacts: by kind, bodies and vertices.
#ifndef TOC_QUERY_ORDER_H
#define TOC_QUERY_ORDER_H

#include "base/memory.h"
#include "toccata/scene.h"

/// Below, at or above 0 as memcmp has it.
int toc_contact_compare(const toc_contact *a, const toc_contact *b);

/// A contact to be put in its place, and what comes first of its kind, bodies and vertices.
typedef struct toc_contact_entry {
    uint64_t key;
    const toc_contact *contact;
} toc_contact_entry;

/// Sort entries whose contacts are set. O(n), with as much memory again; contacts are looked at once, as a rule.
toc_status toc_contacts_sort(const toc_allocator *allocator, size_t count, toc_contact_entry *entries);

#endif
