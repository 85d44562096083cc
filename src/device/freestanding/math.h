// SPDX-License-Identifier: Apache-2.0
#ifndef TOC_DEVICE_FREESTANDING_MATH_H
#define TOC_DEVICE_FREESTANDING_MATH_H
#define INFINITY __builtin_inff()
#define sqrt(x) __builtin_sqrt(x)
#define fabs(x) __builtin_fabs(x)
#define isfinite(x) __builtin_isfinite(x)
#endif
