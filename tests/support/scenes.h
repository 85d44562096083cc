// SPDX-License-Identifier: Apache-2.0
// The benchmark scenes, small enough for tests.
#ifndef TOC_TEST_SCENES_H
#define TOC_TEST_SCENES_H

#include "scenes/scenes.h"
#include "support/test.h"

/// A step of a scene with up to `most` elements: the first one, or one half way where the scene must be smaller.
toc_mesh *test_scene_step(const scene *s, uint32_t most);

#endif
