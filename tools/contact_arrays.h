// SPDX-License-Identifier: Apache-2.0
// Contacts from the arrays of a .vtp or .glb that check has written, or of a .vtp that simulate has written.
#ifndef TOOLS_CONTACT_ARRAYS_H
#define TOOLS_CONTACT_ARRAYS_H

#include "tools/command.h"

/// Read the contacts of a file; the caller frees them. Files of other programs, and truncated ones, are refused.
toc_status tool_contact_arrays_read(const char *path, toc_contact **out, size_t *count);
/// The same for near pairs: the contacts of simulate --contacts. `time` and `thickness` are not in the file: 0.
toc_status tool_near_arrays_read(const char *path, toc_near_pair **out, size_t *count);

#endif
