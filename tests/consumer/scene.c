// SPDX-License-Identifier: Apache-2.0
// A solver of an external user: prints the version it was compiled with and the one it runs with. Needs libtoccata
// only.
#include <stdio.h>
#include <toccata/scene.h>

int main(void) {
    toc_query query = toc_query_default();
    toc_scene *scene;
    toc_contacts *contacts;
    if (toc_scene_create(NULL, &scene) || toc_scene_find_contacts(scene, &query, NULL, &contacts)) return 1;
    toc_contacts_destroy(contacts);
    toc_scene_destroy(scene);
    printf("%d.%d.%d %s\n", TOC_VERSION_MAJOR, TOC_VERSION_MINOR, TOC_VERSION_PATCH, toc_version_get());
    return 0;
}
