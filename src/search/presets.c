// SPDX-License-Identifier: Apache-2.0
// The presets by name: each a way through the pipeline with its settings.
#include <string.h>

#include "search/preset.h"
#include "search/sweep_ratio.h"
#include "toccata/research.h"

enum {
    NO_CULLING =
        TOC_SKIP_ELEMENT_AXES | TOC_SKIP_FEATURE_DOPS | TOC_SKIP_ASSIGNMENT | TOC_SKIP_FEATURE_AXES | TOC_SKIP_INTACT
};

static const toc_preset presets[] = {
    // Moving nodes pay where the motion is large (docs/decisions/0006-moving-dops.md).
    {"auto", NULL, TOC_METHOD_CERTIFIED, .dop = 16, .lower = 8, .lower_from = TOC_SWEEP_FAR,
     .skip = TOC_SKIP_FEATURE_AXES},
    {"brute", &toc_brute_way, TOC_METHOD_EXACT, .dop = 0},
    {"bvh", &toc_tree_way, TOC_METHOD_CERTIFIED, .dop = 16, .skip = TOC_SKIP_TRIANGLE_AXES},
    // Tang, Kim and Manocha 2010; its lower layer is three nodes high.
    {"local", &toc_tree_way, TOC_METHOD_CA_TRIANGLE, .dop = 16, .lower = 8, .skip = TOC_SKIP_TRIANGLE_AXES},
    // Zhang and Kim 2012: every two triangles are culled, the feature pairs that are left advance.
    {"culling", &toc_tree_way, TOC_METHOD_CA_TRIANGLE, .dop = 16, .culls_triangles = true,
     .skip = TOC_SKIP_TRIANGLE_AXES},
    // Curtis, Tamstorf and Manocha 2008, which local advancement is compared with.
    {"rtri", &toc_tree_way, TOC_METHOD_CUBIC, .dop = 16, .skip = TOC_SKIP_TRIANGLE_AXES},
    // Tang, Manocha, Yoon, Du, Heo and Tong 2011, and the methods they compare it with.
    {"volccd", &toc_elements_way, TOC_METHOD_CERTIFIED, .dop = 16},
    {"volccd-published", &toc_elements_way, TOC_METHOD_CUBIC, .dop = 16, .published = true,
     .skip = TOC_SKIP_FEATURE_DOPS | TOC_SKIP_INTACT},
    {"navccd", &toc_elements_way, TOC_METHOD_CUBIC, .dop = 16, .skip = NO_CULLING},
    {"hashccd", &toc_elements_way, TOC_METHOD_CUBIC, .dop = 6, .hashes = true, .skip = NO_CULLING},
    // Jung and Choi, and a certified variant.
    {"voxel", &toc_grid_way, TOC_METHOD_CUBIC, .dop = 26, .published = true, .lossy = TOC_SKIP_NORMALS},
    {"voxel-safe", &toc_grid_way, TOC_METHOD_CERTIFIED, .dop = 16},
};

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

const char *toc_skip_get_name(size_t i) { return i < SKIP_COUNT ? skips[i] : NULL; }

enum { PRESET_COUNT = sizeof presets / sizeof *presets };

const char *toc_preset_get_name(size_t i) { return i < PRESET_COUNT ? presets[i].name : NULL; }

toc_method toc_preset_get_method(size_t i) { return i < PRESET_COUNT ? presets[i].method : TOC_METHOD_OF_PRESET; }

bool toc_preset_is_complete(size_t i) {
    return i < PRESET_COUNT && presets[i].method != TOC_METHOD_CUBIC && !presets[i].lossy;
}

const toc_preset *toc_preset_find(const char *name) {
    for (size_t i = 0; i < PRESET_COUNT; i++)
        if (strcmp(presets[i].name, name) == 0) return &presets[i];
    return NULL;
}
