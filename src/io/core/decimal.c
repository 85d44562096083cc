// SPDX-License-Identifier: Apache-2.0
// Decimal numbers to doubles and back, exactly.
//
// Up to 19 digits times a power of ten of at most 27 is one product or quotient of integers: 10^k is 5^k times a power
// of two, and 5^27 fits 64 bits. Rounding looks at all bits, so no fast path is ever off by one. The rest, which files
// seldom hold, goes to the C library in the "C" locale. After W. D. Clinger 1990, "How to read floating point numbers
// accurately", with integers in place of his floats.
#include "io/core/decimal.h"

#include "base/platform/platform.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

__extension__ typedef unsigned __int128 uint128;

enum { POWER_MAX = 27, DIGITS_MAX = 19 };

static const uint64_t power_of_5[POWER_MAX + 1] = {
    1u,
    5u,
    25u,
    125u,
    625u,
    3125u,
    15625u,
    78125u,
    390625u,
    1953125u,
    9765625u,
    48828125u,
    244140625u,
    1220703125u,
    6103515625u,
    30517578125u,
    152587890625u,
    762939453125u,
    3814697265625u,
    19073486328125u,
    95367431640625u,
    476837158203125u,
    2384185791015625u,
    11920928955078125u,
    59604644775390625u,
    298023223876953125u,
    1490116119384765625u,
    7450580596923828125u,
};

// mantissa * 2^exponent to the nearest double, ties to even. The top bit of the mantissa is set; `more` means that bits
// below it were cut off. For exponents far inside the range of doubles.
static double round_to_double(uint64_t mantissa, int exponent, bool more) {
    const uint64_t kept = mantissa >> 11, cut = mantissa & 0x7ff;
    const bool up = cut > 0x400 || (cut == 0x400 && (more || (kept & 1)));
    const uint64_t bits = ((uint64_t)(exponent + 1085) << 52) + kept + up;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static double times_power(uint64_t digits, int power) {
    uint128 product = (uint128)digits * power_of_5[power];
    const uint64_t high = (uint64_t)(product >> 64);
    const int shift = high ? __builtin_clzll(high) : 64 + __builtin_clzll((uint64_t)product);
    product <<= shift;
    return round_to_double((uint64_t)(product >> 64), 64 - shift + power, (uint64_t)product != 0);
}

static double over_power(uint64_t digits, int power) {
    const int shift = __builtin_clzll(digits), power_shift = __builtin_clzll(power_of_5[power]);
    const uint128 above = (uint128)(digits << shift) << 63;
    const uint64_t below = power_of_5[power] << power_shift;
    const uint64_t quotient = (uint64_t)(above / below); // between 2^62 and 2^64
    const bool more = (uint128)quotient * below != above;
    const int last = !(quotient >> 63);
    return round_to_double(quotient << last, power_shift - shift - power - 63 - last, more);
}

// digits * 10^power; the power is at most POWER_MAX either way.
static double decimal_scale(uint64_t digits, int power) {
    if (digits == 0) return 0.0;
    return power < 0 ? over_power(digits, -power) : times_power(digits, power);
}

static bool decimal_is_digit(char c) { return (unsigned char)(c - '0') < 10; }

// Past the exponent at `at`, if there is one; far out ones stop growing, long past overflow.
static const char *read_exponent(const char *at, int *exponent) {
    if ((*at | 0x20) != 'e') return at;
    const char *sign = at + 1, *digit = sign + (*sign == '-' || *sign == '+');
    if (!decimal_is_digit(*digit)) return at;
    int e = 0;
    for (; decimal_is_digit(*digit); digit++) {
        if (e < 100000) e = 10 * e + (*digit - '0');
    }
    *exponent = *sign == '-' ? -e : e;
    return digit;
}

static const char *read_word(const char *at, double *out) {
    const bool negative = *at == '-';
    const char *word = at + (*at == '-' || *at == '+');
    static const char *const words[] = {"infinity", "inf", "nan"};
    for (int i = 0; i < 3; i++) {
        if (strncasecmp(word, words[i], strlen(words[i])) != 0) continue;
        *out = i == 2 ? (double)NAN : negative ? -HUGE_VAL : HUGE_VAL;
        return word + strlen(words[i]);
    }
    return NULL;
}

static double read_slowly(const char *at) {
    const toc_plain_locale plain = toc_plain_locale_begin();
    const double x = strtod(at, NULL);
    toc_plain_locale_end(&plain);
    return x;
}

const char *toc_decimal_read(const char *at, double *out) {
    const char *start = at;
    const bool negative = *at == '-';
    at += *at == '-' || *at == '+';
    uint64_t digits = 0; // wraps for too many digits; their count shows it
    const char *whole = at;
    for (; decimal_is_digit(*at); at++) digits = 10 * digits + (uint64_t)(*at - '0');
    ptrdiff_t count = at - whole, places = 0;
    if (*at == '.') {
        const char *point = ++at;
        for (; decimal_is_digit(*at); at++) digits = 10 * digits + (uint64_t)(*at - '0');
        places = at - point;
        count += places;
    }
    if (count == 0) return read_word(start, out);
    int exponent = 0;
    at = read_exponent(at, &exponent);
    const ptrdiff_t power = exponent - places;
    if (count <= DIGITS_MAX && power >= -POWER_MAX && power <= POWER_MAX) {
        const double x = decimal_scale(digits, (int)power);
        *out = negative ? -x : x;
    } else {
        *out = read_slowly(start);
    }
    return at;
}

// As printf does, for numbers that the fast way leaves out: very large, very small, denormal.
static size_t write_slowly(char to[TOC_DECIMAL_SIZE], double x) {
    const toc_plain_locale plain = toc_plain_locale_begin();
    int length = 0;
    for (int precision = 15; precision <= 17; precision++) {
        double back = 0;
        length = snprintf(to, TOC_DECIMAL_SIZE, "%.*g", precision, x);
        toc_decimal_read(to, &back);
        if (back == x) break;
    }
    toc_plain_locale_end(&plain);
    return (size_t)length;
}

// |x| to 17 digits, rounded exactly: digits * 10^(magnitude - 16), for x between 1e-11 and 1e16.
static uint64_t find_digits(double x, int *magnitude) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    const int exponent = (int)(bits >> 52 & 0x7ff) - 1075;
    const uint64_t mantissa = (bits & 0xfffffffffffffu) | 0x10000000000000u;
    const uint64_t low = 10000000000000000u, high = 100000000000000000u;
    for (int guess = (int)floor((exponent + 52) * 0.30102999566398120);; guess++) {
        const int power = 16 - guess, shift = -(exponent + power);
        const uint128 product = (uint128)mantissa * power_of_5[power];
        const uint64_t digits =
            (uint64_t)(shift > 0 ? (product + ((uint128)1 << (shift - 1))) >> shift : product << -shift);
        *magnitude = guess;
        if (digits >= low && digits < high) return digits;
    }
}

// The distance to the neighbours of x, in units of the last of its 17 digits; half of that below a power of two.
static double neighbour(uint64_t digits, double x) {
    int exponent;
    return (double)digits / (0x1p53 * frexp(x, &exponent));
}

// Replace the last digits by zeros where x is still the nearest double. A number nearer to x than to a neighbour, by
// more than the error of the digits, reads as x; a farther one does not. In between the decision is exact.
static uint64_t shorten(uint64_t digits, int *magnitude, double x) {
    const uint64_t high = 100000000000000000u;
    const double gap = neighbour(digits, x);
    for (int zeros = 2; zeros > 0; zeros--) {
        const uint64_t step = zeros == 2 ? 100 : 10, rounded = (digits + step / 2) / step;
        const double off = fabs((double)(int64_t)(rounded * step - digits));
        if (off > gap / 2 + 1 || (off > gap / 4 - 1 && decimal_scale(rounded, *magnitude - 16 + zeros) != x)) continue;
        if (rounded * step < high) return rounded * step;
        *magnitude += 1; // 9.99.. became 10
        return high / 10;
    }
    return digits;
}

enum { DIGITS = 17 };

// 0.00123, 1.23, 12300. All digits are copied behind the point; zeros replace those in excess.
static char *put_plain(char *at, const char text[2 * DIGITS], int count, int magnitude) {
    assert(0 < count && count <= 2 * DIGITS);
    const int whole = magnitude < 0 ? 0 : magnitude + 1;
    memcpy(at, "0.0000", 6);
    if (magnitude < 0) at += 1 - magnitude;
    for (int i = 0; i < whole; i++) *at++ = i < count ? text[i] : '0';
    if (whole >= count) return at;
    if (whole > 0) *at++ = '.';
    memcpy(at, text + whole, DIGITS);
    return at + count - whole;
}

// 1.23e-07; the magnitude is between -99 and -1.
static char *put_scientific(char *at, const char text[2 * DIGITS], int count, int magnitude) {
    at = put_plain(at, text, count, 0);
    *at++ = 'e';
    *at++ = '-';
    *at++ = (char)('0' + -magnitude / 10);
    *at++ = (char)('0' + -magnitude % 10);
    return at;
}

static void put_digits(char *to, uint32_t x, int count) {
    assert(count >= 0);
    for (; count > 0; x /= 10) to[--count] = (char)('0' + x % 10);
}

size_t toc_decimal_write(char to[TOC_DECIMAL_SIZE], double x) {
    assert(isfinite(x));
    const double size = fabs(x);
    if (size != 0 && !(size >= 1e-10 && size < 1e16)) return write_slowly(to, x);
    int magnitude = 0, count = DIGITS;
    uint64_t digits = 0;
    if (size != 0) {
        digits = find_digits(size, &magnitude);
        digits = shorten(digits, &magnitude, size);
    }
    char text[2 * DIGITS];
    put_digits(text, (uint32_t)(digits / 100000000), 9); // two halves at once
    put_digits(text + 9, (uint32_t)(digits % 100000000), 8);
    while (count > 1 && text[count - 1] == '0') count--;
    char *at = to;
    if (signbit(x)) *at++ = '-';
    at = magnitude < -5 ? put_scientific(at, text, count, magnitude) : put_plain(at, text, count, magnitude);
    *at = 0;
    return (size_t)(at - to);
}
