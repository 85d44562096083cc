// SPDX-License-Identifier: Apache-2.0
// Read contacts and compare them with a mesh. O(n log n) for n contacts: each is looked up among the features.
#include "tools/contacts_file.h"

#include <assert.h>

#include "tools/output.h"
#include "view/skin.h"

// "c.csv:7", or "c.csv: contact 5 of step 3", since a table of steps has rows of others between.
static void name_contact(const char *path, const uint64_t *step, size_t i, char *out, size_t size) {
    const size_t first = tool_path_ends(path, ".csv") ? 2 : 1; // a CSV has a head
    if (!step)
        snprintf(out, size, "%s:%zu", path, first + i);
    else
        snprintf(out, size, "%s: contact %zu of step %llu", path, i, (unsigned long long)*step);
}

static bool contact_fits(const toc_features *features, const toc_contact *c) {
    const uint32_t *v = c->v;
    if (c->body[0] != 0 || c->body[1] != 0) return false;
    if (c->kind == TOC_VF)
        return toc_view_features_have_vertex(features, v[0]) && toc_view_features_have_face(features, v + 1);
    return toc_view_features_have_edge(features, v[0], v[1]) && toc_view_features_have_edge(features, v[2], v[3]);
}

static toc_status refuse_contact(const char *where, const toc_contact *c) {
    const uint32_t *v = c->v;
    return tool_fail(TOC_BAD_INPUT,
                     c->kind == TOC_VF ? "%s: vertex %u or face %u %u %u is not in the mesh; these contacts belong "
                                         "to another one"
                                       : "%s: edge %u %u or edge %u %u is not in the mesh; these contacts belong "
                                         "to another one",
                     where, v[0], v[1], v[2], v[3]);
}

static toc_status match_contacts(const char *path, const uint64_t *step, const toc_features *features,
                                 const toc_contacts *contacts) {
    char where[1024];
    for (size_t i = 0; i < contacts->count; i++) {
        if (contact_fits(features, &contacts->contacts[i])) continue;
        name_contact(path, step, i, where, sizeof where);
        return refuse_contact(where, &contacts->contacts[i]);
    }
    return TOC_OK;
}

toc_status tool_contacts_read(const char *path, const uint64_t *step, const toc_features *features,
                              toc_contacts **out) {
    assert(path && features && out);
    toc_contacts *contacts;
    toc_read_options options = toc_read_options_default();
    options.step = step;
    toc_status status = toc_contacts_read(path, &options, &contacts);
    if (status != TOC_OK) return status;
    status = match_contacts(path, step, features, contacts);
    if (status == TOC_OK)
        *out = contacts;
    else
        toc_contacts_destroy(contacts);
    return status;
}
