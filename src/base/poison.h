// SPDX-License-Identifier: Apache-2.0
// Memory that nobody may touch, for the address sanitizer; nothing in other builds.
#ifndef TOC_BASE_POISON_H
#define TOC_BASE_POISON_H

#if defined(__SANITIZE_ADDRESS__)
#define TOC_POISONS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TOC_POISONS 1
#endif
#endif
#ifdef TOC_POISONS
#include <sanitizer/asan_interface.h>
#define TOC_POISON_GUARD 64 // bytes between blocks
#else
#define ASAN_POISON_MEMORY_REGION(at, bytes) ((void)(at), (void)(bytes))
#define ASAN_UNPOISON_MEMORY_REGION(at, bytes) ((void)(at), (void)(bytes))
#define TOC_POISON_GUARD 0
#endif

#endif
