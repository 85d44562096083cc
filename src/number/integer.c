// SPDX-License-Identifier: Apache-2.0
// Signed integers of any size in an arena.
//
// Written here rather than taken from GMP, which aborts the process when memory runs out and keeps its allocator in
// global state (docs/decisions/0005-exact-arithmetic.md). Schoolbook throughout: operands have 2 to 20 limbs.
#include "number/integer.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static uint64_t *new_limbs(toc_number_scope *numbers, size_t count) {
    uint64_t *limbs = toc_arena_new_words(numbers->arena, count);
    if (!limbs) numbers->failed = true;
    return limbs;
}

// Drop leading zeros.
static toc_integer trimmed(const uint64_t *limbs, size_t count, int32_t sign) {
    while (count && limbs[count - 1] == 0) count--;
    return (toc_integer){.limbs = limbs, .count = (uint32_t)count, .sign = count ? sign : 0};
}

toc_integer toc_integer_small(toc_number_scope *numbers, int64_t value) {
    if (value == 0) return (toc_integer){0};
    uint64_t *limb = new_limbs(numbers, 1);
    if (!limb) return (toc_integer){0};
    *limb = value < 0 ? -(uint64_t)value : (uint64_t)value;
    return trimmed(limb, 1, value < 0 ? -1 : 1);
}

int toc_double_lowest_bit(double value) {
    assert(isfinite(value) && value != 0);
    int exponent;
    const double mantissa = frexp(fabs(value), &exponent);
    const uint64_t bits = (uint64_t)ldexp(mantissa, 53);
    return exponent - 53 + __builtin_ctzll(bits);
}

toc_integer toc_integer_scaled(toc_number_scope *numbers, double value, int exponent) {
    if (value == 0) return (toc_integer){0};
    const int lowest = toc_double_lowest_bit(value);
    assert(lowest >= exponent);
    const int64_t bits = (int64_t)ldexp(value, -lowest);
    return toc_integer_shift(numbers, toc_integer_small(numbers, bits), (uint32_t)(lowest - exponent));
}

static int compare_magnitudes(toc_integer a, toc_integer b) {
    if (a.count != b.count) return a.count < b.count ? -1 : 1;
    for (size_t i = a.count; i-- > 0;)
        if (a.limbs[i] != b.limbs[i]) return a.limbs[i] < b.limbs[i] ? -1 : 1;
    return 0;
}

// |a| + |b|, where a is the longer one.
static toc_integer add_magnitudes(toc_number_scope *numbers, toc_integer a, toc_integer b, int32_t sign) {
    uint64_t *sum = new_limbs(numbers, (size_t)a.count + 1);
    if (!sum) return (toc_integer){0};
    uint64_t carry = 0;
    size_t i = 0;
    for (; i < b.count; i++) {
        const toc_limb_product limb = (toc_limb_product)a.limbs[i] + b.limbs[i] + carry;
        sum[i] = (uint64_t)limb;
        carry = (uint64_t)(limb >> 64);
    }
    for (; i < a.count; i++) {
        sum[i] = a.limbs[i] + carry;
        carry = sum[i] < carry;
    }
    sum[a.count] = carry;
    return trimmed(sum, (size_t)a.count + 1, sign);
}

// |a| - |b|, where a is the larger one.
static toc_integer subtract_magnitudes(toc_number_scope *numbers, toc_integer a, toc_integer b, int32_t sign) {
    uint64_t *difference = new_limbs(numbers, a.count);
    if (!difference) return (toc_integer){0};
    uint64_t borrow = 0;
    size_t i = 0;
    for (; i < b.count; i++) {
        const toc_limb_product limb = (toc_limb_product)a.limbs[i] - b.limbs[i] - borrow;
        difference[i] = (uint64_t)limb;
        borrow = (uint64_t)(limb >> 64) & 1;
    }
    for (; i < a.count; i++) {
        difference[i] = a.limbs[i] - borrow;
        borrow = borrow > a.limbs[i];
    }
    return trimmed(difference, a.count, sign);
}

toc_integer toc_integer_negate(toc_integer a) {
    a.sign = -a.sign;
    return a;
}

toc_integer toc_integer_add(toc_number_scope *numbers, toc_integer a, toc_integer b) {
    if (a.sign == 0) return b;
    if (b.sign == 0) return a;
    if (a.sign == b.sign)
        return a.count >= b.count ? add_magnitudes(numbers, a, b, a.sign) : add_magnitudes(numbers, b, a, a.sign);
    const int order = compare_magnitudes(a, b);
    if (order == 0) return (toc_integer){0};
    return order > 0 ? subtract_magnitudes(numbers, a, b, a.sign) : subtract_magnitudes(numbers, b, a, b.sign);
}

toc_integer toc_integer_subtract(toc_number_scope *numbers, toc_integer a, toc_integer b) {
    return toc_integer_add(numbers, a, toc_integer_negate(b));
}

toc_integer toc_integer_multiply(toc_number_scope *numbers, toc_integer a, toc_integer b) {
    if (a.sign == 0 || b.sign == 0) return (toc_integer){0};
    const size_t count = (size_t)a.count + b.count;
    uint64_t *product = new_limbs(numbers, count);
    if (!product) return (toc_integer){0};
    for (size_t i = 0; i < a.count; i++) {
        uint64_t carry = 0;
        for (size_t j = 0; j < b.count; j++) {
            const uint64_t before = i > 0 ? product[i + j] : 0;
            const toc_limb_product limb = (toc_limb_product)a.limbs[i] * b.limbs[j] + before + carry;
            product[i + j] = (uint64_t)limb;
            carry = (uint64_t)(limb >> 64);
        }
        product[i + b.count] = carry;
    }
    return trimmed(product, count, a.sign * b.sign);
}

toc_integer toc_integer_shift(toc_number_scope *numbers, toc_integer a, uint32_t bits) {
    if (a.sign == 0 || bits == 0) return a;
    const size_t whole = bits / 64, part = bits % 64, count = a.count + whole + 1;
    uint64_t *shifted = new_limbs(numbers, count);
    if (!shifted) return (toc_integer){0};
    memset(shifted, 0, count * sizeof *shifted);
    for (size_t i = 0; i < a.count; i++) {
        shifted[i + whole] |= a.limbs[i] << part;
        if (part) shifted[i + whole + 1] = a.limbs[i] >> (64 - part);
    }
    return trimmed(shifted, count, a.sign);
}

toc_integer toc_integer_cut(toc_number_scope *numbers, toc_integer a, uint32_t bits) {
    const size_t whole = bits / 64, part = bits % 64;
    if (bits == 0) return a;
    if (whole >= a.count) return (toc_integer){0};
    const size_t count = a.count - whole;
    uint64_t *cut = new_limbs(numbers, count);
    if (!cut) return (toc_integer){0};
    for (size_t i = 0; i < count; i++) {
        const uint64_t above = i + 1 < count ? a.limbs[i + whole + 1] : 0;
        cut[i] = part ? a.limbs[i + whole] >> part | above << (64 - part) : a.limbs[i + whole];
    }
    return trimmed(cut, count, a.sign);
}

// The inverse of an odd number modulo 2^64; each of Newton's steps doubles the right bits, 5 at first.
static uint64_t inverse_of_odd(uint64_t odd) {
    uint64_t inverse = (3 * odd) ^ 2;
    for (int i = 0; i < 4; i++) inverse *= 2 - odd * inverse;
    return inverse;
}

// Subtract the product of a limb and b from the limbs `rest`, modulo 2^(64 count).
static void subtract_product(uint64_t *rest, size_t count, uint64_t limb, toc_integer b) {
    uint64_t carry = 0;
    for (size_t i = 0; i < count && (i < b.count || carry); i++) {
        const toc_limb_product product = (toc_limb_product)limb * (i < b.count ? b.limbs[i] : 0) + carry;
        const uint64_t low = (uint64_t)product;
        carry = (uint64_t)(product >> 64) + (rest[i] < low);
        rest[i] -= low;
    }
}

// From the lowest limb up, after Jebelean 1993, "An algorithm for exact division": an odd divisor has an inverse modulo
// 2^64, which gives each limb of the quotient from the lowest limb that is left.
toc_integer toc_integer_divide(toc_number_scope *numbers, toc_integer a, toc_integer b) {
    assert(b.sign || numbers->failed);
    const uint32_t zeros = toc_integer_trailing_zeros(b);
    const toc_integer whole = toc_integer_cut(numbers, a, zeros), odd = toc_integer_cut(numbers, b, zeros);
    if (!whole.sign || !odd.sign || whole.count < odd.count) return (toc_integer){0};
    const size_t count = whole.count - odd.count + 1;
    uint64_t *quotient = new_limbs(numbers, count);
    if (!quotient) return (toc_integer){0};
    memcpy(quotient, whole.limbs, count * sizeof *quotient);
    const uint64_t inverse = inverse_of_odd(odd.limbs[0]);
    for (size_t i = 0; i < count; i++) {
        const uint64_t limb = quotient[i] * inverse;
        subtract_product(quotient + i, count - i, limb, odd);
        assert(quotient[i] == 0);
        quotient[i] = limb;
    }
    return trimmed(quotient, count, a.sign * b.sign);
}

uint32_t toc_integer_bits(toc_integer a) {
    return a.count ? a.count * 64 - (uint32_t)__builtin_clzll(a.limbs[a.count - 1]) : 0;
}

uint32_t toc_integer_trailing_zeros(toc_integer a) {
    for (uint32_t i = 0; i < a.count; i++)
        if (a.limbs[i]) return i * 64 + (uint32_t)__builtin_ctzll(a.limbs[i]);
    return 0;
}

// The bits of the magnitude from position `from` up to 64 of them.
static uint64_t bits_from(toc_integer a, uint32_t from) {
    const size_t whole = from / 64, part = from % 64;
    const uint64_t low = whole < a.count ? a.limbs[whole] : 0;
    const uint64_t high = whole + 1 < a.count ? a.limbs[whole + 1] : 0;
    return part ? low >> part | high << (64 - part) : low;
}

double toc_integer_to_double(toc_integer a, int exponent) {
    if (a.sign == 0) return 0;
    // Keep 53 bits, and fewer where the result is so small that it has fewer.
    int drop = (int)toc_integer_bits(a) - 53;
    if (drop - exponent < -1074) drop = exponent - 1074;
    if (drop < 0) drop = 0;
    return a.sign * ldexp((double)bits_from(a, (uint32_t)drop), drop - exponent);
}

double toc_integer_ratio(toc_integer a, toc_integer b) {
    assert(b.sign != 0);
    if (a.sign == 0) return 0;
    // Both to 64 bits, which leaves errors of 2^-63, then the powers of two.
    const uint32_t bits_a = toc_integer_bits(a), bits_b = toc_integer_bits(b);
    const uint32_t drop_a = bits_a > 64 ? bits_a - 64 : 0, drop_b = bits_b > 64 ? bits_b - 64 : 0;
    const double quotient = (double)bits_from(a, drop_a) / (double)bits_from(b, drop_b);
    return a.sign * b.sign * ldexp(quotient, (int)drop_a - (int)drop_b);
}
