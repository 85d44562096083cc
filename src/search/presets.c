// SPDX-License-Identifier: Apache-2.0
// The presets by name: each a way through the pipeline with its settings.
#include <string.h>

#include "base/research.h"
#include "search/preset.h"
#include "search/sweep_ratio.h"
#include "toccata/research.h"

enum {
    NO_CULLING =
        TOC_SKIP_ELEMENT_AXES | TOC_SKIP_FEATURE_DOPS | TOC_SKIP_ASSIGNMENT | TOC_SKIP_FEATURE_AXES | TOC_SKIP_INTACT
};

// Those for users come first, those of papers last.
static const toc_preset presets[] = {
    // Moving nodes pay where the motion is large (docs/decisions/0006-moving-dops.md).
    {"auto", NULL, TOC_METHOD_CERTIFIED, .dop = 16, .lower = 8, .lower_from = TOC_SWEEP_FAR,
     .skip = TOC_SKIP_FEATURE_AXES},
    {"bvh", &toc_tree_way, TOC_METHOD_CERTIFIED, .dop = 16, .skip = TOC_SKIP_TRIANGLE_AXES},
    {"voxel-safe", &toc_grid_way, TOC_METHOD_CERTIFIED, .dop = 16},
    // Tang, Manocha, Yoon, Du, Heo and Tong 2011; volccd-published and its baselines are below.
    {"volccd", &toc_elements_way, TOC_METHOD_CERTIFIED, .dop = 16},
    {"brute", &toc_brute_way, TOC_METHOD_EXACT, .dop = 0},
#if TOC_RESEARCH
    // Tang, Kim and Manocha 2010; its lower layer is three nodes high.
    {"local", &toc_tree_way, TOC_METHOD_CA_TRIANGLE, .dop = 16, .lower = 8, .skip = TOC_SKIP_TRIANGLE_AXES},
    // Zhang and Kim 2012: every two triangles are culled, the feature pairs that are left advance.
    {"culling", &toc_tree_way, TOC_METHOD_CA_TRIANGLE, .dop = 16, .culls_triangles = true,
     .skip = TOC_SKIP_TRIANGLE_AXES},
    // Curtis, Tamstorf and Manocha 2008, which local advancement is compared with.
    {"rtri", &toc_tree_way, TOC_METHOD_CUBIC, .dop = 16, .skip = TOC_SKIP_TRIANGLE_AXES},
    // Tang et al. 2011, and the methods they compare it with.
    {"volccd-published", &toc_elements_way, TOC_METHOD_CUBIC, .dop = 16, .published = true,
     .skip = TOC_SKIP_FEATURE_DOPS | TOC_SKIP_INTACT},
    {"navccd", &toc_elements_way, TOC_METHOD_CUBIC, .dop = 16, .skip = NO_CULLING},
    {"hashccd", &toc_elements_way, TOC_METHOD_CUBIC, .dop = 6, .hashes = true, .skip = NO_CULLING},
    // Jung and Choi.
    {"voxel", &toc_grid_way, TOC_METHOD_CUBIC, .dop = 26, .published = true, .lossy = TOC_SKIP_NORMALS},
#endif
};

// Their names, as other builds tell them, too.
static const char *const papers[] = {"local", "culling", "rtri", "volccd-published", "navccd", "hashccd", "voxel"};

enum { PRESET_COUNT = sizeof presets / sizeof *presets, PAPER_COUNT = sizeof papers / sizeof *papers };
_Static_assert(PRESET_COUNT == 5 + TOC_RESEARCH * PAPER_COUNT, "each preset of a paper has a name");

static const char *const skips[] = {
    "element-axes",  "feature-dops", "assignment",     "dynamic-assignment",
    "feature-axes",  "diagonals",    "element-dops",   "normals",
    "triangle-axes", "intact",       "triangle-plane", "triangle-three",
    "triangle-two",  "lines",        "lines-third",    "circle",
    "circles",
};

enum { SKIP_COUNT = sizeof skips / sizeof *skips };
_Static_assert(TOC_SKIP_ALL == (1 << SKIP_COUNT) - 1, "each stage has a name");
_Static_assert(TOC_SKIP_TRIANGLE_CIRCLES == TOC_SKIP_TRIANGLE_PLANE << TOC_TRIANGLE_STEP_CIRCLES, "in order");

toc_research_names toc_research_get_names(void) {
    return (toc_research_names){.is_built = TOC_RESEARCH,
                                .preset_count = PAPER_COUNT,
                                .stage_count = SKIP_COUNT,
                                .presets = papers,
                                .stages = skips};
}

toc_preset_info toc_preset_get(size_t i) {
    if (i >= PRESET_COUNT) return (toc_preset_info){.method = TOC_METHOD_OF_PRESET};
    const toc_preset *preset = &presets[i];
    return (toc_preset_info){.name = preset->name,
                             .method = preset->method,
                             .is_complete = toc_method_get(preset->method).is_complete && !preset->lossy};
}

const toc_preset *toc_preset_find(const char *name) {
    for (size_t i = 0; i < PRESET_COUNT; i++)
        if (strcmp(presets[i].name, name) == 0) return &presets[i];
    return NULL;
}
