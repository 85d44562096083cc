// SPDX-License-Identifier: Apache-2.0
// The axis that points up, by name or by the format of a file.
#include "tools/up.h"

#include <assert.h>
#include <string.h>

#include "tools/output.h"

const char *tool_up_name(size_t i) {
    static const char *const axes[] = {"x", "y", "z"};
    return i < 3 ? axes[i] : NULL;
}

int tool_up_index(const char *name) {
    assert(name);
    int i = 0;
    while (strcmp(tool_up_name((size_t)i), name) != 0) i++;
    assert(i < 3);
    return i;
}

int tool_up_guess(const char *path) {
    static const char *const upright[] = {".glb", ".gltf", ".obj", ".obj.gz"};
    for (size_t i = 0; i < sizeof upright / sizeof *upright; i++) {
        if (tool_path_ends(path, upright[i])) return 1;
    }
    return 2;
}
