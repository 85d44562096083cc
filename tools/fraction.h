// SPDX-License-Identifier: Apache-2.0
// Read a fraction of two whole numbers of any length as the double equal to it.
#ifndef TOOLS_FRACTION_H
#define TOOLS_FRACTION_H

/// @param numerator, denominator digits, with a sign before them or not.
/// @param out the double that equals the fraction; untouched on failure.
/// @return NULL, or a description of the error: "is not exactly a double".
const char *tool_fraction_read(const char *numerator, const char *denominator, double *out);

#endif
