// SPDX-License-Identifier: Apache-2.0
// A fraction of two whole numbers of any length, read as the double that it is.
#ifndef TOOLS_FRACTION_H
#define TOOLS_FRACTION_H

/// @param numerator, denominator digits, with a sign before them or not.
/// @param out the double that equals the fraction; untouched on failure.
/// @return NULL, or what is wrong: "is not exactly a double".
const char *tool_fraction_read(const char *numerator, const char *denominator, double *out);

#endif
