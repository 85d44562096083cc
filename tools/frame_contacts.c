// SPDX-License-Identifier: Apache-2.0
// Contacts of a simulation, compared with the frame that they belong to.
//
// The vertex ids of a contact are those of the frame's file. A mesh that follows frames keeps the ids of its vertices
// instead, so the two differ once vertices were split. Contacts whose points do not lie on their features have other
// ids: these are found by their positions. O(c) for c contacts; with other ids also O(n log n) for n vertices.
#include "tools/frame_contacts.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/platform/platform.h"
#include "base/status.h"
#include "tools/output.h"

/// Vertices and their positions.
typedef struct placed_vertices {
    size_t count;
    const double *x;
} placed_vertices;

// DIR/contacts/NAME.vtp for DIR/NAME.EXT.
static toc_status path_beside(const char *frame, char **out) {
    const char *name = tool_path_name(frame), *dot = strrchr(name, '.');
    const int folder = (int)(name - frame), stem = (int)(dot ? (size_t)(dot - name) : strlen(name));
    if (asprintf(out, "%.*scontacts/%.*s.vtp", folder, frame, stem, name) >= 0) return TOC_OK;
    *out = NULL;
    return tool_fail_memory();
}

// ---- whether contacts fit positions

static double find_reach(const placed_vertices *at) {
    double reach = 0;
    for (size_t i = 0; i < 3 * at->count; i++) reach = fmax(reach, fabs(at->x[i]));
    return reach;
}

static bool lies_at(const placed_vertices *at, const toc_near_pair *pair, int first, int last, const double point[3],
                    double tolerance) {
    assert(0 <= first && first < last && last <= 4);
    for (int k = 0; k < 3; k++) {
        double sum = 0;
        for (int j = first; j < last; j++) sum += pair->weights[j] * at->x[3 * (size_t)pair->v[j] + (size_t)k];
        if (!(fabs(sum - point[k]) <= tolerance)) return false;
    }
    return true;
}

static bool pair_fits(const placed_vertices *at, const toc_near_pair *pair, double tolerance) {
    const int second = pair->kind == TOC_VF ? 1 : 2;
    for (int k = 0; k < 4; k++) {
        if (pair->v[k] >= at->count) return false;
    }
    return lies_at(at, pair, 0, second, pair->points[0], tolerance) &&
           lies_at(at, pair, second, 4, pair->points[1], tolerance);
}

// Frames may hold floats, off by 2^-24 of a coordinate: a sum of weights times floats is off by less than a millionth.
static bool pairs_fit(const placed_vertices *at, const tool_frame_contacts *contacts) {
    const double tolerance = 1e-6 * find_reach(at);
    for (size_t i = 0; i < contacts->count; i++) {
        if (!pair_fits(at, &contacts->pairs[i], tolerance)) return false;
    }
    return true;
}

// ---- other ids

static int compare_places(const void *a, const void *b) {
    const double *p = *(const double *const *)a, *q = *(const double *const *)b;
    for (int k = 0; k < 3; k++) {
        if (p[k] != q[k]) return p[k] < q[k] ? -1 : 1;
    }
    return 0;
}

// Give each id of the file the id of a vertex of the mesh at the same place. False if there is none.
static bool replace_ids(const placed_vertices *file, const placed_vertices *mesh, const double **sorted,
                        tool_frame_contacts *contacts) {
    for (size_t i = 0; i < mesh->count; i++) sorted[i] = &mesh->x[3 * i];
    qsort(sorted, mesh->count, sizeof *sorted, compare_places);
    for (size_t i = 0; i < contacts->count; i++) {
        for (int k = 0; k < 4; k++) {
            uint32_t *id = &contacts->pairs[i].v[k];
            const double *place = &file->x[3 * (size_t)*id];
            const double **found = bsearch(&place, sorted, mesh->count, sizeof *sorted, compare_places);
            if (!found) return false;
            *id = (uint32_t)((*found - mesh->x) / 3);
        }
    }
    return true;
}

// Take the ids over from the frame's own file.
static toc_status follow_ids(const char *frame, const placed_vertices *mesh, tool_frame_contacts *contacts) {
    toc_mesh *own;
    TOC_TRY(toc_mesh_read(frame, NULL, &own));
    const placed_vertices file = {toc_mesh_get_vertex_count(own), toc_mesh_get_x1(own)};
    const double **sorted = malloc(mesh->count * sizeof *sorted + 1);
    if (sorted && !(pairs_fit(&file, contacts) && replace_ids(&file, mesh, sorted, contacts)))
        contacts->found = TOOL_OTHER_RUN;
    toc_mesh_destroy(own);
    if (!sorted) return tool_fail_memory();
    free(sorted);
    return TOC_OK;
}

// ----

// Copy the pairs of a file: their ids may change.
static toc_status copy_pairs(const char *path, tool_frame_contacts *out) {
    toc_near *near;
    TOC_TRY(toc_near_read(path, NULL, &near));
    out->pairs = calloc(near->count + 1, sizeof *out->pairs);
    if (out->pairs && near->count) memcpy(out->pairs, near->pairs, near->count * sizeof *out->pairs);
    if (out->pairs) out->count = near->count;
    toc_near_destroy(near);
    return out->pairs ? TOC_OK : tool_fail_memory();
}

static toc_status read_beside(const char *path, const char *frame, const placed_vertices *mesh,
                              tool_frame_contacts *out) {
    toc_status status = copy_pairs(path, out);
    out->found = status == TOC_OK ? TOOL_FOUND_BESIDE : TOOL_OTHER_RUN;
    if (status == TOC_BAD_INPUT) {
        tool_failure_forget(NULL, 0);
        return TOC_OK;
    }
    if (status == TOC_OK && !pairs_fit(mesh, out)) status = follow_ids(frame, mesh, out);
    return status;
}

toc_status tool_frame_contacts_read(const char *frame, const toc_mesh *mesh, const double *x,
                                    tool_frame_contacts *out) {
    char *path;
    *out = (tool_frame_contacts){0};
    if (!frame) return TOC_OK;
    toc_status status = path_beside(frame, &path);
    if (status != TOC_OK) return status;
    if (toc_path_exists(path))
        status = read_beside(path, frame, &(placed_vertices){toc_mesh_get_vertex_count(mesh), x}, out);
    free(path);
    if (status != TOC_OK || out->found == TOOL_OTHER_RUN) {
        const tool_beside found = out->found;
        tool_frame_contacts_free(out);
        out->found = found;
    }
    return status;
}

void tool_frame_contacts_free(tool_frame_contacts *contacts) {
    free(contacts->pairs);
    *contacts = (tool_frame_contacts){0};
}
