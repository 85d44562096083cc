// SPDX-License-Identifier: Apache-2.0
// Small symmetric matrices.
#ifndef TOC_POTENTIAL_SYMMETRIC_H
#define TOC_POTENTIAL_SYMMETRIC_H

enum { TOC_SYMMETRIC_MOST = 12 };

/// Replace a symmetric matrix by the nearest positive semidefinite one: negative eigenvalues become 0.
/// @param a n rows of n numbers, n up to TOC_SYMMETRIC_MOST.
void toc_symmetric_project(int n, double *a);

#endif
