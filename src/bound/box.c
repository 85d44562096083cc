// SPDX-License-Identifier: Apache-2.0
// Boxes of swept features. O(n), no allocation.
#include "bound/box.h"

#include <assert.h>
#include <math.h>

void toc_box_sweep(const double *x0, const double *x1, const uint32_t *vertices, int corners, size_t count,
                   toc_box *boxes) {
    for (size_t i = 0; i < count; i++) {
        boxes[i] = toc_box_empty();
        for (size_t j = 0; j < (size_t)corners; j++) {
            const size_t v = vertices[i * (size_t)corners + j];
            toc_box_put(&boxes[i], x0 + 3 * v);
            toc_box_put(&boxes[i], x1 + 3 * v);
        }
    }
}

void toc_box_grow(const double *control, const uint32_t *vertices, int corners, size_t count, toc_box *boxes) {
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < (size_t)corners; j++)
            toc_box_put(&boxes[i], control + 3 * (size_t)vertices[i * (size_t)corners + j]);
}

void toc_box_thicken(double distance, size_t count, toc_box *boxes) {
    assert(distance >= 0);
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) {
            boxes[i].low[k] = nextafter(boxes[i].low[k] - distance, -INFINITY);
            boxes[i].high[k] = nextafter(boxes[i].high[k] + distance, INFINITY);
        }
}
