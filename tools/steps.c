// SPDX-License-Identifier: Apache-2.0
#include "tools/steps.h"

#include <ctype.h>
#include <stdlib.h>

#include "tools/output.h"

static bool take_number(const char **at, size_t *out) {
    char *behind;
    if (!isdigit((unsigned char)**at)) return false;
    const unsigned long long number = strtoull(*at, &behind, 10);
    *out = number < SIZE_MAX ? (size_t)number : SIZE_MAX - 1;
    *at = behind;
    return true;
}

// "A", "A-B" or "A-". @param last receives the number of the last step; untouched for "A-".
static bool take_range(const char *at, size_t *first, size_t *last) {
    if (!take_number(&at, first)) return false;
    if (*at == 0) return *last = *first, true;
    if (*at++ != '-') return false;
    return *at == 0 || (take_number(&at, last) && *at == 0);
}

toc_status tool_steps_read(const char *text, size_t count, const char *what, tool_steps *out) {
    size_t first = 0, last = count - 1;
    if (count == 0) return *out = (tool_steps){0, 0}, TOC_OK;
    if (text && !take_range(text, &first, &last))
        return tool_fail(TOC_BAD_INPUT, "--steps takes A, A-B or A-, counted from 0, not \"%s\"", text);
    if (first > last || last >= count)
        return tool_fail(TOC_BAD_INPUT, "--steps %s: the %s are 0 to %zu", text, what, count - 1);
    *out = (tool_steps){first, last + 1};
    return TOC_OK;
}
