// SPDX-License-Identifier: Apache-2.0
// Loops of the Python package over the public interface that would be slow in Python.
#ifndef TOCPY_NATIVE_H
#define TOCPY_NATIVE_H

#include <toccata/scene.h>

/// Which pairs of vertices can touch: labels of the vertices of each body, and a square table of the labels.
typedef struct tocpy_mask {
    size_t body_count;
    const uint32_t *const *labels; ///< For each body its labels, by vertex id.
    const size_t *label_counts;    ///< The number of vertices with a label in each body; others may touch anything.
    size_t label_count;
    const uint8_t *allowed; ///< label_count rows of label_count.
} tocpy_mask;

/// A filter of pairs (toc_pair_filter.wants) with a tocpy_mask as its user: a pair of features is wanted if a vertex of
/// the first may touch a vertex of the second.
bool tocpy_mask_wants(void *user, toc_kind kind, const uint32_t body[2], const uint32_t v[4]);

/// The elements of one shape: ids, corners, groups and thicknesses. @return their number. NULL pointers are left out.
size_t tocpy_mesh_collect(const toc_mesh *mesh, toc_shape shape, uint32_t *ids, uint32_t *corners, int32_t *groups,
                          double *thickness);
/// The numbers of all vertices, or of all elements, in their file; ids where it has none.
void tocpy_mesh_get_labels(const toc_mesh *mesh, bool elements, int64_t *labels);
/// Set the group of many elements, up to the first failure.
toc_status tocpy_mesh_set_groups(toc_mesh *mesh, size_t count, const uint32_t *elements, const int32_t *groups);
/// Set the thickness of many elements, up to the first failure.
toc_status tocpy_mesh_set_thicknesses(toc_mesh *mesh, size_t count, const uint32_t *elements, const double *thickness);
/// Remove many elements, up to the first failure.
toc_status tocpy_mesh_remove_elements(toc_mesh *mesh, size_t count, const uint32_t *elements);

#endif
