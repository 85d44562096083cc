// SPDX-License-Identifier: Apache-2.0
// The presets by name: each a way through the stages.
#include <string.h>

#include "query/preset.h"

static const toc_preset presets[] = {
    // Moving nodes pay where the motion is large (docs/decisions/0006-moving-dops.md).
    {"auto", toc_hierarchy_find, TOC_CERTIFIED, 16, 8, 1.8, 0, false},
    {"brute", toc_brute_find, TOC_EXACT, 0, 0, 0, 0, false},
    {"bvh", toc_hierarchy_find, TOC_CERTIFIED, 16, 0, 0, 0, false},
    // Tang, Kim and Manocha 2010; its lower layer is three nodes high.
    {"local", toc_hierarchy_find, TOC_CA_TRIANGLE, 16, 8, 0, 0, false},
    // Curtis, Tamstorf and Manocha 2008, what local advancement is compared with.
    {"rtri", toc_hierarchy_find, TOC_CUBIC, 16, 0, 0, 0, false},
    // Tang, Manocha, Yoon, Du, Heo and Tong 2011, and what they compare it with.
    {"volccd", toc_volumes_find, TOC_CERTIFIED, 16, 0, 0, 0, false},
    {"navccd", toc_volumes_find, TOC_CUBIC, 16, 0, 0,
     TOC_SKIP_ELEMENT_AXES | TOC_SKIP_FEATURE_DOPS | TOC_SKIP_ASSIGNMENT | TOC_SKIP_FEATURE_AXES, false},
    // Jung and Choi, and what is certified of it.
    {"voxel", toc_voxel_find, TOC_CUBIC, 26, 0, 0, 0, true},
    {"voxel-safe", toc_voxel_find, TOC_CERTIFIED, 16, 0, 0, 0, false},
};

enum { PRESET_COUNT = sizeof presets / sizeof *presets };

const char *toc_preset_name(size_t i) { return i < PRESET_COUNT ? presets[i].name : NULL; }

const toc_preset *toc_preset_named(const char *name) {
    for (size_t i = 0; i < PRESET_COUNT; i++)
        if (strcmp(presets[i].name, name) == 0) return &presets[i];
    return NULL;
}
