// SPDX-License-Identifier: Apache-2.0
// Contacts of a query in their order, in memory that does not grow with their number: a query hands them to a sink in
// no order; contacts beyond some memory go to a temporary file in sorted runs, which are merged at the end.
#ifndef TOOLS_CONTACT_STORE_H
#define TOOLS_CONTACT_STORE_H

#include "tools/command.h"

typedef struct tool_contact_store tool_contact_store;

/// Contacts of tool_contact_store_get at most.
enum { TOOL_STORE_PORTION = 4096 };

/// @param memory bytes for contacts in memory; less than 256 kB count as that.
toc_status tool_contact_store_open(uint64_t memory, tool_contact_store **out);
/// The sink for the query.
toc_contact_sink tool_contact_store_sink(tool_contact_store *store);
/// After the query: put all contacts in order. O(n log n); it reads and writes the temporary file once.
/// @param status of the query. @return it, or the failure of the store, which stops the query.
toc_status tool_contact_store_sort(tool_contact_store *store, toc_status status);
/// Number of contacts.
size_t tool_contact_store_count(const tool_contact_store *store);
/// Contacts from number `first` on, at least one and at most TOOL_STORE_PORTION; valid until the next call.
toc_status tool_contact_store_get(tool_contact_store *store, size_t first, const toc_contact **contacts, size_t *count);
/// Free it and its temporary files; NULL is fine.
void tool_contact_store_close(tool_contact_store *store);

#endif
