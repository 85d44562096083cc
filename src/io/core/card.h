// SPDX-License-Identifier: Apache-2.0
// A line of an input deck and its fields: in columns, or between commas.
#ifndef TOC_IO_CORE_CARD_H
#define TOC_IO_CORE_CARD_H

#include "io/core/source.h"

typedef struct toc_card {
    const char *begin, *at, *end; // the line without blanks at its end; the next field is at `at`
    bool free;                    // commas
} toc_card;

/// The current line of the source; moves the source to the next one.
void toc_card_take(toc_source *source, toc_card *card);
/// The next field without blanks around it: up to a comma, or of this number of columns. Empty past the end.
toc_text toc_card_field(toc_card *card, size_t width);

/// A field as an integer of up to 18 digits; false if it is not one.
bool toc_field_integer(toc_text field, int64_t *out);
/// A field as a number; false if it is not one. Infinite and NaN are numbers here.
bool toc_field_real(toc_text field, double *out);

/// Fail at a field: "... was expected, not ...".
toc_status toc_field_fail(toc_source *source, toc_text field, const char *wanted);

#endif
