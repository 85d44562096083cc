// SPDX-License-Identifier: Apache-2.0
// Bytes written with 64 letters, four letters for three bytes (RFC 4648).
#include "io/core/base64.h"

#include <stdint.h>

enum { BAD = 64, BLANK = 65, PADDING = 66 };

static unsigned base64_value(char c) {
    if (c >= 'A' && c <= 'Z') return (unsigned)(c - 'A');
    if (c >= 'a' && c <= 'z') return (unsigned)(c - 'a' + 26);
    if (c >= '0' && c <= '9') return (unsigned)(c - '0' + 52);
    if (c == '+') return 62;
    if (c == '/') return 63;
    if (c == '=') return PADDING;
    return c == ' ' || (c >= '\t' && c <= '\r') ? BLANK : BAD;
}

typedef struct letters {
    const char *at, *end;
    unsigned char values[256]; // by letter: a table is faster than comparisons
} letters;

/// The next letter that is not blank, BAD at the end.
static unsigned next_value(letters *text) {
    while (text->at < text->end) {
        const unsigned value = text->values[(unsigned char)*text->at++];
        if (value != BLANK) return value;
    }
    return BAD;
}

/// Four letters, of which the last two may be padding. @return the number of bytes they hold, 0 if they are invalid.
static size_t base64_take_group(letters *text, unsigned char bytes[3]) {
    unsigned v[4];
    for (int i = 0; i < 4; i++) v[i] = next_value(text);
    if (v[0] > 63 || v[1] > 63) return 0;
    size_t count = 3;
    if (v[3] == PADDING) count = v[2] == PADDING ? 1 : 2;
    if ((count > 1 && v[2] > 63) || (count > 2 && v[3] > 63)) return 0;
    const uint32_t bits = v[0] << 18 | v[1] << 12 | (v[2] & 63) << 6 | (v[3] & 63);
    bytes[0] = (unsigned char)(bits >> 16);
    bytes[1] = (unsigned char)(bits >> 8);
    bytes[2] = (unsigned char)bits;
    return count;
}

bool toc_base64_decode(const char *at, const char *end, size_t count, void *to) {
    unsigned char *out = to, bytes[3];
    letters text = {.at = at, .end = end};
    for (int i = 0; i < 256; i++) text.values[i] = (unsigned char)base64_value((char)i);
    while (count > 0) {
        size_t got = base64_take_group(&text, bytes);
        if (got == 0) return false;
        if (got > count) got = count;
        for (size_t i = 0; i < got; i++) *out++ = bytes[i];
        count -= got;
    }
    return true;
}
