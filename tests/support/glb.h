// SPDX-License-Identifier: Apache-2.0
// A .glb put together from its JSON and its bytes.
#ifndef TOC_TEST_GLB_H
#define TOC_TEST_GLB_H

#include <stddef.h>

/// The JSON may leave out asset and buffers: they are put in front where it begins with ",". Free the bytes.
char *test_glb_make(const char *json, const void *bytes, size_t byte_count, size_t *count);

#endif
