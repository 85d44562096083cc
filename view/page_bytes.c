// SPDX-License-Identifier: Apache-2.0
// The assembler copies the built viewer into the library: quicker to build than an array in C.
#include "view/page_bytes.h"

#ifdef VIEW_PAGE_FILE

// Files of Windows and macOS have no stack of sections: the code that follows this is in .text. Names of C begin with _
// on macOS.
#ifdef _WIN32
#define BEGIN_CONSTANTS ".section .rdata,\"dr\"\n"
#define END_CONSTANTS ".text\n"
#elif defined(__APPLE__)
#define BEGIN_CONSTANTS ".section __TEXT,__const\n"
#define END_CONSTANTS ".text\n"
#else
#define BEGIN_CONSTANTS ".pushsection .rodata\n"
#define END_CONSTANTS ".popsection\n"
#endif
#define AS_TEXT_OF(name) #name
#define AS_TEXT(name) AS_TEXT_OF(name)
#define LABEL(name) AS_TEXT(__USER_LABEL_PREFIX__) name ":\n"

// clang-format off
__asm__(BEGIN_CONSTANTS
        ".balign 16\n"
        LABEL("view_page_first")
        ".incbin \"" VIEW_PAGE_FILE "\"\n"
        LABEL("view_page_last")
        END_CONSTANTS);
// clang-format on

extern const char view_page_first[], view_page_last[];

const char *toc_view_page_bytes(size_t *size) {
    *size = (size_t)(view_page_last - view_page_first);
    return view_page_first;
}

#else

const char *toc_view_page_bytes(size_t *size) {
    *size = 0;
    return NULL;
}

#endif
