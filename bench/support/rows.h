// SPDX-License-Identifier: Apache-2.0
// Names of rows on the command line of a benchmark.
#ifndef BENCH_SUPPORT_ROWS_H
#define BENCH_SUPPORT_ROWS_H

#include <stdbool.h>
#include <stddef.h>

/// Whether each of the words is the name of a row. If not, standard error tells which, and the rows there are.
/// @param name the name of row i; NULL behind the last. @param beginnings accept the beginning of a name, too.
bool bench_rows_have(const char *(*name)(size_t i), bool beginnings, int count, char **words);

#endif
