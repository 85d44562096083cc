// SPDX-License-Identifier: Apache-2.0
// Signed integers of any size, as values in an arena, for exact decisions.
//
// A calculation checks for lack of memory once, at its end: a failed operation gives 0 and is remembered. Loops that
// run until a sign is found must check `failed`, too.
#ifndef TOC_NUMBER_INTEGER_H
#define TOC_NUMBER_INTEGER_H

#include <stdbool.h>

#include "base/memory.h"

/// Holds the product of two limbs.
__extension__ typedef unsigned __int128 toc_limb_product;

/// The owner of results, and whether any could not be stored.
typedef struct toc_number_scope {
    toc_arena *arena;
    bool failed;
} toc_number_scope;

/// sign * magnitude; limbs from the lowest, none of them leading zeros. {0} is zero.
typedef struct toc_integer {
    const uint64_t *limbs;
    uint32_t count;
    int32_t sign; // -1, 0, 1
} toc_integer;

toc_integer toc_integer_small(toc_number_scope *numbers, int64_t value);
/// value / 2^exponent, which must be an integer (see toc_double_lowest_bit).
toc_integer toc_integer_scaled(toc_number_scope *numbers, double value, int exponent);
toc_integer toc_integer_add(toc_number_scope *numbers, toc_integer a, toc_integer b);
toc_integer toc_integer_subtract(toc_number_scope *numbers, toc_integer a, toc_integer b);
toc_integer toc_integer_multiply(toc_number_scope *numbers, toc_integer a, toc_integer b);
/// a * 2^bits.
toc_integer toc_integer_shift(toc_number_scope *numbers, toc_integer a, uint32_t bits);
/// a / 2^bits, which must be an integer or is cut towards zero.
toc_integer toc_integer_cut(toc_number_scope *numbers, toc_integer a, uint32_t bits);
/// a / b, which must be an integer; b is not zero.
toc_integer toc_integer_divide(toc_number_scope *numbers, toc_integer a, toc_integer b);
toc_integer toc_integer_negate(toc_integer a);

/// Number of bits of the magnitude; 0 for zero.
uint32_t toc_integer_bits(toc_integer a);
/// Number of zero bits below the lowest set one; 0 for zero.
uint32_t toc_integer_trailing_zeros(toc_integer a);
/// a / 2^exponent as a double, cut towards zero.
double toc_integer_to_double(toc_integer a, int exponent);
/// a / b to within a few units in the last place; b is not zero.
double toc_integer_ratio(toc_integer a, toc_integer b);

/// The exponent of the lowest set bit of a finite double that is not 0.
int toc_double_lowest_bit(double value);

#endif
