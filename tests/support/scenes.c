// SPDX-License-Identifier: Apache-2.0
// Benchmark scenes for tests.
#include "support/scenes.h"

toc_mesh *test_scene_step(const scene *s, uint32_t most) {
    size_t size = s->size;
    toc_mesh *mesh;
    assert_ok(scene_step(s, size, 0, &mesh));
    while (toc_mesh_get_element_count(mesh) > most && size > 1) {
        toc_mesh_destroy(mesh);
        size /= 2;
        assert_ok(scene_step(s, size, s->frames / 2, &mesh));
    }
    return mesh;
}
