// SPDX-License-Identifier: Apache-2.0
// Exact conversion of fractions to doubles: divide whole numbers of any length until the result is m 2^e with odd m.
#include "tools/fraction.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

// 2048 bits. The terms of a double in lowest terms have at most 1,075 bits, which is 324 digits.
enum { LIMBS = 64, MOST_DIGITS = 600 };

typedef struct big {
    uint32_t limb[LIMBS]; // lowest first
    int count;            // limbs in use; the highest is not 0
} big;

static void multiply_add(big *b, uint32_t factor, uint32_t plus) {
    uint64_t carry = plus;
    for (int i = 0; i < b->count; i++) {
        carry += (uint64_t)b->limb[i] * factor;
        b->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry) b->limb[b->count++] = (uint32_t)carry;
}

static const char *read_big(const char *text, big *out, bool *negative) {
    *negative = *text == '-';
    if (*text == '-' || *text == '+') text++;
    const size_t digits = strspn(text, "0123456789");
    if (digits == 0 || text[digits]) return "is not a fraction of whole numbers";
    if (digits > MOST_DIGITS) return "has more digits than any double";
    out->count = 0;
    for (; *text; text++) multiply_add(out, 10, (uint32_t)(*text - '0'));
    return NULL;
}

static bool bit_at(const big *b, int i) { return i / 32 < b->count && (b->limb[i / 32] >> (i % 32) & 1); }

static int low_zeros(const big *b) {
    int zeros = 0;
    while (!bit_at(b, zeros)) zeros++;
    return zeros;
}

static void shift_right(big *b, int bits) {
    assert(bits >= 0);
    const int limbs = bits / 32, rest = bits % 32;
    for (int i = 0; i + limbs < b->count; i++) {
        const uint64_t high = i + limbs + 1 < b->count ? b->limb[i + limbs + 1] : 0;
        b->limb[i] = (uint32_t)((high << 32 | b->limb[i + limbs]) >> rest);
    }
    b->count -= limbs;
    while (b->count && !b->limb[b->count - 1]) b->count--;
}

static bool is_below(const big *a, const big *b) {
    if (a->count != b->count) return a->count < b->count;
    int i = a->count - 1;
    while (i > 0 && a->limb[i] == b->limb[i]) i--;
    return a->limb[i] < b->limb[i];
}

static void subtract(big *a, const big *b) {
    int64_t borrow = 0;
    for (int i = 0; i < a->count; i++) {
        borrow += (int64_t)a->limb[i] - (i < b->count ? b->limb[i] : 0);
        a->limb[i] = (uint32_t)borrow;
        borrow >>= 32;
    }
    while (a->count && !a->limb[a->count - 1]) a->count--;
}

// a / b bit by bit; false if there is a remainder. Slow, and needed only for fractions not in lowest terms.
static bool divide(big *a, const big *b) {
    big quotient = {.count = 0}, rest = {.count = 0};
    for (int i = 32 * a->count - 1; i >= 0; i--) {
        multiply_add(&rest, 2, bit_at(a, i));
        const bool fits = !is_below(&rest, b);
        if (fits) subtract(&rest, b);
        multiply_add(&quotient, 2, fits);
    }
    *a = quotient;
    return rest.count == 0;
}

// Make both numbers odd. @return the exponent of two that was removed.
static int take_twos(big *n, big *d) {
    const int up = low_zeros(n), down = low_zeros(d);
    shift_right(n, up);
    shift_right(d, down);
    return up - down;
}

const char *tool_fraction_read(const char *numerator, const char *denominator, double *out) {
    static const char *const no_double = "is not exactly a double";
    big n, d;
    bool minus_n, minus_d;
    const char *wrong = read_big(numerator, &n, &minus_n);
    if (!wrong) wrong = read_big(denominator, &d, &minus_d);
    if (wrong) return wrong;
    if (d.count == 0) return "has a denominator of 0";
    if (n.count == 0) {
        *out = 0;
        return NULL;
    }
    const int exponent = take_twos(&n, &d);
    if ((d.count > 1 || d.limb[0] != 1) && !divide(&n, &d)) return no_double;
    if (n.count > 2) return no_double;
    const uint64_t odd = n.limb[0] | (n.count > 1 ? (uint64_t)n.limb[1] << 32 : 0);
    const double size = ldexp((double)odd, exponent);
    if (odd >> 53 || !isfinite(size) || ldexp(size, -exponent) != (double)odd) return no_double;
    *out = minus_n != minus_d ? -size : size;
    return NULL;
}
