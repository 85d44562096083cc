// SPDX-License-Identifier: Apache-2.0
// A row of the table of kernels (base/backend.h): this processor, with TOC_LANES doubles at once.
#include "base/backend.h"
#include "base/simd.h"
#include "bound/block.h"
#include "cull/surface/features.h"
#include "cull/surface/flat_rings.h"
#include "cull/surface/primitive_features.h"
#include "cull/surface/triangle_axes.h"
#include "cull/volume/stars.h"
#include "index/bvh.h"
#include "index/hash.h"
#include "pair/certified.h"
#include "pair/place.h"
#include "pair/prefilter.h"

const toc_backend TOC_FOR_LANES(toc_backend) = {
    .lanes = TOC_LANES,
    .dop = &TOC_FOR_LANES(toc_dop_kernel),
    .block = &TOC_FOR_LANES(toc_block_kernel),
    .bvh = &TOC_FOR_LANES(toc_bvh_kernel),
    .hash = TOC_FOR_LANES(toc_hash_kernel),
    .triangle_axes = TOC_FOR_LANES(toc_triangle_axes_kernel),
    .features = TOC_FOR_LANES(toc_features_kernel),
    .primitive_features = TOC_FOR_LANES(toc_primitive_features_kernel),
    .flat_rings = TOC_FOR_LANES(toc_flat_rings_kernel),
    .stars = TOC_FOR_LANES(toc_stars_kernel),
    .prefilter = TOC_FOR_LANES(toc_prefilter_kernel),
    .certified = TOC_FOR_LANES(toc_certified_kernel),
    .tie = TOC_FOR_LANES(toc_tie_kernel),
    .place = TOC_FOR_LANES(toc_place_kernel),
};
