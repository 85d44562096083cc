// SPDX-License-Identifier: Apache-2.0
// GMP's own small implementation, mini-gmp, under GMP's name: for systems for which Debian has no GMP. It lacks mpf.
#ifndef SMALL_GMP_H
#define SMALL_GMP_H

#include <stdarg.h>
#include <stddef.h>

#include <mini-gmp.h>
#include <mini-mpq.h>

// name(first, ..., NULL): call the function for one number on each.
#define SMALL_GMP_EACH(type, name, one)                         \
    static inline void name(type first, ...) {                  \
        va_list rest;                                           \
        va_start(rest, first);                                  \
        for (type x = first; x; x = va_arg(rest, type)) one(x); \
        va_end(rest);                                           \
    }
SMALL_GMP_EACH(mpz_ptr, mpz_inits, mpz_init)
SMALL_GMP_EACH(mpz_ptr, mpz_clears, mpz_clear)
SMALL_GMP_EACH(mpq_ptr, mpq_inits, mpq_init)
SMALL_GMP_EACH(mpq_ptr, mpq_clears, mpq_clear)
#undef SMALL_GMP_EACH

#endif
