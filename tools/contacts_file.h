// SPDX-License-Identifier: Apache-2.0
// Contacts from a file that check --contacts has written, compared with the mesh that they belong to.
#ifndef TOOLS_CONTACTS_FILE_H
#define TOOLS_CONTACTS_FILE_H

#include "tools/command.h"

/// Read a .csv, .json, .vtp or .glb (toc_contacts_read). A contact whose features the mesh does not have is refused;
/// the message names its line. Free with toc_contacts_destroy.
/// @param step of the table of a sequence; NULL for other files.
toc_status tool_contacts_read(const char *path, const uint64_t *step, const toc_features *features, toc_contacts **out);

#endif
