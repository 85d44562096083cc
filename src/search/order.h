// SPDX-License-Identifier: Apache-2.0
// The order of contacts: by kind, bodies and vertices.
#ifndef TOC_SEARCH_ORDER_H
#define TOC_SEARCH_ORDER_H

#include "base/memory.h"
#include "toccata/scene.h"

/// Compare by kind, bodies and vertices: below, at or above 0 as memcmp has it.
int toc_contact_compare(const toc_contact *a, const toc_contact *b);
/// Compare by time, then by place (x, y, z), then as above: TOC_ANSWER_FIRST takes the least.
int toc_contact_compare_times(const toc_contact *a, const toc_contact *b);

/// Copy contacts in order; the same for any number of threads. O(n log n), with 40 bytes of scratch memory a contact.
toc_status toc_contacts_sort(const toc_allocator *allocator, int threads, size_t count,
                             const toc_contact *const *contacts, toc_contact *sorted);

#endif
