// SPDX-License-Identifier: Apache-2.0
// The assembler copies the built viewer into the command: quicker to build than an array in C.
#include "tools/page_bytes.h"

#ifdef TOOLS_PAGE_FILE

// clang-format off
__asm__(".pushsection .rodata\n"
        ".balign 16\n"
        "tool_page_first:\n"
        ".incbin \"" TOOLS_PAGE_FILE "\"\n"
        "tool_page_last:\n"
        ".popsection\n");
// clang-format on

extern const char tool_page_first[], tool_page_last[];

const char *tool_page_bytes(size_t *size) {
    *size = (size_t)(tool_page_last - tool_page_first);
    return tool_page_first;
}

#else

const char *tool_page_bytes(size_t *size) {
    *size = 0;
    return NULL;
}

#endif
