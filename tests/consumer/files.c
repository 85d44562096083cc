// SPDX-License-Identifier: Apache-2.0
// A program of an external user that reads files: prints its two versions, and the message of a file that is missing.
#include <stdio.h>
#include <toccata/toccata.h>

int main(void) {
    toc_mesh *mesh;
    if (toc_mesh_read("missing.ply", NULL, &mesh) != TOC_BAD_INPUT) return 1;
    fprintf(stderr, "%s\n", toc_message_get());
    printf("%d.%d.%d %s\n", TOC_VERSION_MAJOR, TOC_VERSION_MINOR, TOC_VERSION_PATCH, toc_version_get());
    return 0;
}
