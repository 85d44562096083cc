// SPDX-License-Identifier: Apache-2.0
// Compose a .glb from its JSON and its bytes.
#ifndef TOC_TEST_GLB_H
#define TOC_TEST_GLB_H

#include <stddef.h>

/// If the JSON begins with ",", asset and buffers are inserted before it. Free the bytes.
char *test_glb_make(const char *json, const void *bytes, size_t byte_count, size_t *count);

#endif
