// SPDX-License-Identifier: Apache-2.0
// An external program: prints the version it was compiled with and the version it runs with.
#include <stdio.h>
#include <toccata/toccata.h>

int main(void) {
    printf("%d.%d.%d %s\n", TOC_VERSION_MAJOR, TOC_VERSION_MINOR, TOC_VERSION_PATCH, toc_version_get());
    return 0;
}
