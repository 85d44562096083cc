// SPDX-License-Identifier: Apache-2.0
// Bytes written with 64 letters, four letters for three bytes (RFC 4648).
#include "io/core/base64.h"

#include <assert.h>
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

/// Groups of four plain letters, up to the first that holds a blank or padding. @return the bytes that they hold.
static size_t base64_take_plain(letters *text, size_t count, unsigned char *out) {
    size_t taken = 0;
    for (; count - taken >= 3 && text->end - text->at >= 4; taken += 3, text->at += 4) {
        uint32_t bits = 0, all = 0;
        for (int i = 0; i < 4; i++) {
            const uint32_t value = text->values[(unsigned char)text->at[i]];
            bits = bits << 6 | value;
            all |= value;
        }
        if (all > 63) break;
        for (int i = 0; i < 3; i++) out[taken + (size_t)i] = (unsigned char)(bits >> (16 - 8 * i));
    }
    return taken;
}

bool toc_base64_decode(const char *at, const char *end, size_t count, void *to) {
    assert(at <= end);
    unsigned char *out = to, bytes[3];
    letters text = {.at = at, .end = end};
    for (int i = 0; i < 256; i++) text.values[i] = (unsigned char)base64_value((char)i);
    const size_t plain = base64_take_plain(&text, count, out);
    out += plain;
    count -= plain;
    while (count > 0) {
        size_t got = base64_take_group(&text, bytes);
        if (got == 0) return false;
        if (got > count) got = count;
        for (size_t i = 0; i < got; i++) *out++ = bytes[i];
        count -= got;
    }
    return true;
}

size_t toc_base64_length(size_t count) { return (count + 2) / 3 * 4; }

static void base64_put_group(uint32_t bits, char to[4]) {
    static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (int i = 0; i < 4; i++) to[i] = alphabet[bits >> (18 - 6 * i) & 63];
}

void toc_base64_encode(const void *bytes, size_t count, char *to) {
    assert(bytes || count == 0);
    const unsigned char *at = bytes;
    for (; count >= 3; count -= 3, at += 3, to += 4)
        base64_put_group((uint32_t)at[0] << 16 | (uint32_t)at[1] << 8 | at[2], to);
    if (count == 0) return;
    base64_put_group((uint32_t)at[0] << 16 | (count == 2 ? (uint32_t)at[1] << 8 : 0), to);
    to[3] = '=';
    if (count == 1) to[2] = '=';
}
