// SPDX-License-Identifier: Apache-2.0
// Feature pairs of two primitives: dispatch to the kernel of this machine.
#include "cull/surface/primitive_features.h"

#include <assert.h>

#include "base/backend.h"

void toc_primitive_features_cull(const toc_primitive_dops *dops, const toc_leaf_pair *pairs, size_t count,
                                 toc_feature_pairs *out) {
    assert(count <= out->leaf_pairs && !dops->faces == !dops->vertices);
    assert(!dops->vertices || dops->lanes == 8 || dops->lanes == 16);
    toc_backend_here()->primitive_features(dops, pairs, count, out);
}
