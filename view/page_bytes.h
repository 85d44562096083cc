// SPDX-License-Identifier: Apache-2.0
// The built viewer, carried inside the library.
#ifndef VIEW_PAGE_BYTES_H
#define VIEW_PAGE_BYTES_H

#include <stddef.h>

/// The bytes of viewer/'s page; NULL, with a size of 0, in a build without node.
const char *toc_view_page_bytes(size_t *size);

#endif
