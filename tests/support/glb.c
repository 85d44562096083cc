// SPDX-License-Identifier: Apache-2.0
// Compose a .glb from its JSON and its bytes, on a little-endian machine.
#include "support/glb.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *test_glb_make(const char *json, const void *bytes, size_t byte_count, size_t *count) {
    const size_t room = strlen(json) + byte_count + 256;
    char *glb = calloc(room, 1), *text = glb + 20;
    if (json[0] == ',')
        snprintf(text, room - 20, "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":%zu}]%s}", byte_count,
                 json);
    else
        memcpy(text, json, strlen(json));
    uint32_t length = (uint32_t)strlen(text);
    while (length % 4 != 0) text[length++] = ' ';
    const uint32_t padded = (uint32_t)(byte_count + 3) / 4 * 4;
    const uint32_t whole = 12 + 8 + length + (byte_count ? 8 + padded : 0);
    const uint32_t head[] = {0x46546c67, 2, whole, length, 0x4e4f534a}, behind[] = {padded, 0x004e4942};
    memcpy(glb, head, sizeof head);
    if (byte_count) {
        memcpy(text + length, behind, sizeof behind);
        memcpy(text + length + 8, bytes, byte_count);
    }
    *count = whole;
    return glb;
}
