// SPDX-License-Identifier: Apache-2.0
// Decimal numbers: exact both ways and the same in every locale.
#ifndef TOC_IO_CORE_DECIMAL_H
#define TOC_IO_CORE_DECIMAL_H

#include <stddef.h>

/// The double nearest to the decimal number at `at`: infinity if it overflows; the words nan and inf give NaN and
/// infinity. Returns the first byte behind it, or NULL if there is no number. The text must end with a 0 byte.
const char *toc_decimal_read(const char *at, double *out);

enum { TOC_DECIMAL_SIZE = 40 };

/// Write a double in the fewest of 15, 16 or 17 digits that give the same double back, without trailing zeros.
/// Returns the length; the text is ended with a 0 byte.
size_t toc_decimal_write(char to[TOC_DECIMAL_SIZE], double x);

#endif
