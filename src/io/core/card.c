// SPDX-License-Identifier: Apache-2.0
// Lines of input decks.
#include "io/core/card.h"

#include <assert.h>

#include "io/core/decimal.h"

void toc_card_take(toc_source *source, toc_card *card) {
    toc_source_pass(source);
    const char *end = memchr(source->at, '\n', toc_source_left(source));
    if (!end) end = source->end;
    *card = (toc_card){.begin = source->at, .at = source->at, .end = end};
    source->at = end < source->end ? end + 1 : end;
    while (card->end > card->begin && toc_is_blank(card->end[-1])) card->end--;
    card->free = memchr(card->at, ',', (size_t)(card->end - card->at)) != NULL;
}

toc_text toc_card_field(toc_card *card, size_t width) {
    assert(card->at <= card->end);
    const size_t left = (size_t)(card->end - card->at);
    const char *begin = card->at, *end;
    if (card->free) {
        end = memchr(begin, ',', left);
        if (!end) end = card->end;
        card->at = end < card->end ? end + 1 : end;
    } else {
        card->at = end = begin + (width < left ? width : left);
    }
    while (begin < end && toc_is_blank(*begin)) begin++;
    while (end > begin && toc_is_blank(end[-1])) end--;
    return (toc_text){begin, (size_t)(end - begin)};
}

bool toc_field_integer(toc_text field, int64_t *out) {
    if (field.count == 0) return false;
    const bool negative = field.at[0] == '-';
    size_t i = negative || field.at[0] == '+';
    int64_t x = 0;
    if (i == field.count || field.count - i > 18) return false;
    for (; i < field.count; i++) {
        const unsigned digit = (unsigned char)(field.at[i] - '0');
        if (digit > 9) return false;
        x = 10 * x + digit;
    }
    *out = negative ? -x : x;
    return true;
}

/// A number that fills its columns runs into the next one, and Fortran writes 1.5D3: such are read from a copy.
static bool read_copy(toc_text field, double *out) {
    char text[64];
    if (field.count >= sizeof text) return false;
    for (size_t i = 0; i < field.count; i++) text[i] = field.at[i] == 'D' || field.at[i] == 'd' ? 'e' : field.at[i];
    text[field.count] = 0;
    return toc_decimal_read(text, out) == text + field.count;
}

bool toc_field_real(toc_text field, double *out) {
    if (field.count == 0) return false;
    return toc_decimal_read(field.at, out) == field.at + field.count || read_copy(field, out);
}

toc_status toc_field_fail(toc_source *source, toc_text field, const char *wanted) {
    source->at = field.at;
    if (field.count == 0) return toc_source_fail(source, "%s is missing here", wanted);
    return toc_source_fail(source, "%s was expected, not \"%.*s\"", wanted, field.count < 40 ? (int)field.count : 40,
                           field.at);
}
