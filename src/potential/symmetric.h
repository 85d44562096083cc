// SPDX-License-Identifier: Apache-2.0
// Small symmetric matrices.
#ifndef TOC_POTENTIAL_SYMMETRIC_H
#define TOC_POTENTIAL_SYMMETRIC_H

enum { TOC_SYMMETRIC_MOST = 12 };

/// Find the eigenvalues of a symmetric matrix, in no order, and its eigenvectors, of length 1.
/// @param a n rows of n numbers, n up to TOC_SYMMETRIC_MOST; destroyed.
/// @param values receives n numbers. @param vectors receives n rows: row i belongs to value i.
void toc_symmetric_diagonalize(int n, double *a, double *values, double *vectors);

#endif
