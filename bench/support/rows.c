// SPDX-License-Identifier: Apache-2.0
// Without this check a wrong name would select no row, and an empty table would look like a measured one.
#include "bench/support/rows.h"

#include <stdio.h>
#include <string.h>

static bool is_row(const char *(*name)(size_t i), bool beginnings, const char *word) {
    for (size_t i = 0; name(i); i++)
        if (beginnings ? strncmp(name(i), word, strlen(word)) == 0 : strcmp(name(i), word) == 0) return true;
    return false;
}

bool bench_rows_have(const char *(*name)(size_t i), bool beginnings, int count, char **words) {
    for (int k = 0; k < count; k++) {
        if (is_row(name, beginnings, words[k])) continue;
        fprintf(stderr, "no row \"%s\"; the rows are:\n", words[k]);
        for (size_t i = 0; name(i); i++) fprintf(stderr, "  %s\n", name(i));
        return false;
    }
    return true;
}
