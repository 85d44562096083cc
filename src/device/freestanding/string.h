// SPDX-License-Identifier: Apache-2.0
#ifndef TOC_DEVICE_FREESTANDING_STRING_H
#define TOC_DEVICE_FREESTANDING_STRING_H
#define memcpy __builtin_memcpy
#define memset __builtin_memset
#endif
