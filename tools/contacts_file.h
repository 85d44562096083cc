// SPDX-License-Identifier: Apache-2.0
// Contacts from a file that check --contacts has written, compared with the mesh that they belong to.
#ifndef TOOLS_CONTACTS_FILE_H
#define TOOLS_CONTACTS_FILE_H

#include "tools/command.h"

typedef struct tool_contacts {
    size_t count, capacity;
    toc_contact *at;
} tool_contacts;

/// Read a .csv, .json, .vtp or .glb. Failures name the file and the line: a truncated line, a number out of range, or a
/// contact whose features the mesh does not have. Free with tool_contacts_free.
toc_status tool_contacts_read(const char *path, const toc_features *features, tool_contacts *out);
void tool_contacts_free(tool_contacts *contacts);

#endif
