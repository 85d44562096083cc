// SPDX-License-Identifier: Apache-2.0
// Read contacts and compare them with a mesh. O(n log n) for n contacts: each is looked up among the features.
#include "tools/contacts_file.h"

#include "tools/output.h"
#include "tools/skin.h"

// @param number of the contact: its line, behind the head of a CSV.
static toc_status match_contact(const char *path, size_t number, const toc_features *features, const toc_contact *c) {
    const uint32_t *v = c->v;
    const bool fits =
        c->kind == TOC_VF
            ? tool_features_have_vertex(features, v[0]) && tool_features_have_face(features, v + 1)
            : tool_features_have_edge(features, v[0], v[1]) && tool_features_have_edge(features, v[2], v[3]);
    if (fits && c->body[0] == 0 && c->body[1] == 0) return TOC_OK;
    return tool_fail(TOC_BAD_INPUT,
                     c->kind == TOC_VF ? "%s:%zu: vertex %u or face %u %u %u is not in the mesh; these contacts belong "
                                         "to another one"
                                       : "%s:%zu: edge %u %u or edge %u %u is not in the mesh; these contacts belong "
                                         "to another one",
                     path, number, v[0], v[1], v[2], v[3]);
}

toc_status tool_contacts_read(const char *path, const toc_features *features, toc_contacts **out) {
    const size_t first = tool_path_ends(path, ".csv") ? 2 : 1;
    toc_contacts *contacts;
    toc_status status = toc_contacts_read(path, NULL, &contacts);
    if (status != TOC_OK) return status;
    for (size_t i = 0; i < contacts->count && status == TOC_OK; i++)
        status = match_contact(path, first + i, features, &contacts->contacts[i]);
    if (status == TOC_OK)
        *out = contacts;
    else
        toc_contacts_destroy(contacts);
    return status;
}
