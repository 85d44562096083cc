// SPDX-License-Identifier: Apache-2.0
// Distance of words after Damerau and Levenshtein, with exchanges of neighbours only. O(n m) for words of n and m
// letters.
#include "tools/guess.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

enum { LONGEST = 40 };

static int least_of(int a, int b) { return a < b ? a : b; }

static int word_distance(const char *a, const char *b) {
    const int n = (int)strlen(a), m = (int)strlen(b);
    int rows[LONGEST + 1][LONGEST + 1];
    if (n > LONGEST || m > LONGEST) return LONGEST;
    for (int i = 0; i <= n; i++) {
        for (int j = 0; j <= m; j++) {
            if (i == 0 || j == 0) {
                rows[i][j] = i + j;
                continue;
            }
            int cost = rows[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            cost = least_of(cost, least_of(rows[i - 1][j], rows[i][j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                cost = least_of(cost, rows[i - 2][j - 2] + 1);
            rows[i][j] = cost;
        }
    }
    return rows[n][m];
}

// One letter in three may be wrong. The beginning of a single name counts as near, too.
const char *tool_guess(tool_names *names, const char *word) {
    assert(names && word);
    const size_t length = strlen(word);
    const char *best = NULL, *begun = NULL;
    int nearest = (int)length / 3 + 1, beginnings = 0;
    for (size_t i = 0; names(i); i++) {
        const int distance = word_distance(word, names(i));
        if (distance < nearest) {
            nearest = distance;
            best = names(i);
        }
        if (length > 1 && strncmp(word, names(i), length) == 0 && beginnings++ == 0) begun = names(i);
    }
    return beginnings == 1 && !best ? begun : best;
}

const char *tool_guess_text(tool_names *names, const char *before, const char *word, const char *then) {
    assert(before && then);
    static char text[160];
    const char *guess = tool_guess(names, word);
    if (guess) {
        snprintf(text, sizeof text, "; did you mean \"%s%.80s\"? %c%s", before, guess, toupper((unsigned char)*then),
                 then + 1);
    } else {
        snprintf(text, sizeof text, "; %s", then);
    }
    return text;
}
