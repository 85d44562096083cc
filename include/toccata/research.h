// SPDX-License-Identifier: Apache-2.0
/// Presets, methods and parameters of papers, to compare them with ours, and single stages to leave out. For research,
/// not for solvers: they may change with any version. Not part of toccata.h. A library that was built with
/// TOC_RESEARCH=OFF refuses all of them: TOC_BAD_INPUT.
#ifndef TOCCATA_RESEARCH_H
#define TOCCATA_RESEARCH_H

#include "toccata/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Methods of papers, values of toc_method.
#define TOC_METHOD_CA_FEATURE \
    ((toc_method)3) ///< Conservative advancement by the largest relative speed (Mirtich 1996).
#define TOC_METHOD_CA_TRIANGLE \
    ((toc_method)4)                          ///< Local advancement: by the speed along the closest direction (Tang et
                                             ///< al. 2010).
#define TOC_METHOD_CULLING ((toc_method)5)   ///< Zhang and Kim's culling steps, then conservative advancement.
#define TOC_METHOD_INCLUSION ((toc_method)6) ///< Interval root finding in (t, u, v).
#define TOC_METHOD_ADDITIVE ((toc_method)7)  ///< Additive advancement (Li et al. 2021).

/// Settings of toc_query.research. Zeros are the defaults.
typedef struct toc_research {
    uint32_t skip;       ///< Stages to leave out, bits TOC_SKIP_...; 0 for none.
    int dop;             ///< Sides of the k-DOPs: 6, 14, 16, 18 or 26; 0 for those of the preset.
    int lower_height;    ///< Surface trees: height of the lower nodes, which bound the motion at both ends: 1 to 30;
                         ///< 0 for that of the preset, 3 for `local`, as in its paper.
    double normal_limit; ///< `voxel`: neighbours are tested if the cosine of the angle of their normals is at most
                         ///< this, -1 to 1, or if a thickness asks for it; 0 stands for the paper's -0.9.
} toc_research;

/// Stages that a query leaves out: bits of toc_research.skip. A preset without that stage ignores the bit.
enum {
    TOC_SKIP_ELEMENT_AXES = 1, ///< Volumes: continuous separating axes for pairs of elements.
    TOC_SKIP_FEATURE_DOPS = 2, ///< k-DOPs of features: all pairs of two elements' features go on.
    TOC_SKIP_ASSIGNMENT = 4,   ///< Orphan pairs and dynamic assignment: a feature pair is tested for each element pair
                               ///< that contains it.
    TOC_SKIP_DYNAMIC_ASSIGNMENT = 8, ///< Static assignment instead of both.
    TOC_SKIP_FEATURE_AXES = 16,      ///< Continuous separating axes for pairs of features.
    TOC_SKIP_DIAGONALS = 32,         ///< Edges that only split quads, which the paper does not count: can miss.
    TOC_SKIP_ELEMENT_DOPS = 64,      ///< Voxels: k-DOPs of elements: all pairs that share a cell go on.
    TOC_SKIP_NORMALS = 128,          ///< The surface normal test of neighbours, which can miss. Only `voxel` has it.
    TOC_SKIP_TRIANGLE_AXES = 256,    ///< Separating axes for pairs of triangles, and flat rings of triangles.
    TOC_SKIP_INTACT = 512,           ///< Volumes: intact elements, whose own features cannot touch each other.
    /// The steps of the preset `culling`: bits TOC_SKIP_TRIANGLE_PLANE << toc_triangle_step.
    TOC_SKIP_TRIANGLE_PLANE = 1024,
    TOC_SKIP_TRIANGLE_THREE = 2048,
    TOC_SKIP_TRIANGLE_TWO = 4096,
    TOC_SKIP_TRIANGLE_LINES = 8192,
    TOC_SKIP_TRIANGLE_LINES_THIRD = 16384,
    TOC_SKIP_TRIANGLE_CIRCLE = 32768,
    TOC_SKIP_TRIANGLE_CIRCLES = 65536,
    TOC_SKIP_ALL = 131071
};

/// The names of this header in the library. It has them without research, too.
typedef struct toc_research_names {
    bool is_built; ///< Whether the library was built with presets and methods of papers.
    size_t preset_count, stage_count;
    const char *const *presets; ///< That repeat a paper.
    const char *const *stages;  ///< Of bit 1 << i, as the command takes it: "element-axes", ...
} toc_research_names;
/// The names.
TOC_API toc_research_names toc_research_get_names(void);
/// Name of the stage of bit 1 << i; NULL past the last.
TOC_INLINE_API const char *toc_skip_get_name(size_t i) {
    const toc_research_names names = toc_research_get_names();
    return i < names.stage_count ? names.stages[i] : NULL;
}
/// Name of the i-th preset that repeats a paper; NULL past the last.
TOC_INLINE_API const char *toc_research_get_preset(size_t i) {
    const toc_research_names names = toc_research_get_names();
    return i < names.preset_count ? names.presets[i] : NULL;
}
/// Whether the library was built with presets and methods of papers.
TOC_INLINE_API bool toc_research_is_built(void) { return toc_research_get_names().is_built; }

#ifdef __cplusplus
}
#endif

#endif
