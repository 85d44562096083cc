// SPDX-License-Identifier: Apache-2.0
// Rank 0 packs the slices one after the other, so that it holds the mesh and one slice.
#include "tools/mpi/deal.h"

#include "base/status.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef struct dealt_element {
    uint64_t id;
    double thickness;
    int32_t group, shape;
    uint64_t corner[8];
} dealt_element;

typedef struct slice {
    uint64_t vertex_count, element_count;
    uint64_t *ids;
    double *x;
    dealt_element *elements;
} slice;

static void free_slice(slice *s) {
    free(s->ids);
    free(s->x);
    free(s->elements);
    *s = (slice){0};
}

static toc_status make_slice(slice *s) {
    s->ids = malloc((s->vertex_count + 1) * sizeof *s->ids);
    s->x = malloc((s->vertex_count + 1) * 3 * sizeof *s->x);
    s->elements = calloc(s->element_count + 1, sizeof *s->elements);
    return s->ids && s->x && s->elements ? TOC_OK
                                         : team_fail(TOC_OUT_OF_MEMORY, "out of memory for a slice of the mesh");
}

// ---- packing, on rank 0

// The vertices of the elements from first to end - 1, ascending; `used` is a byte for each vertex, 0.
static toc_status list_slice(const toc_mesh *mesh, uint32_t first, uint32_t end, char *used, deal *d, int rank) {
    assert(first <= end && 0 <= rank && rank < team_size());
    size_t count = 0;
    for (uint32_t e = first; e < end; e++) {
        const toc_element at = toc_mesh_get_element(mesh, e);
        for (int k = 0; k < at.corner_count; k++) {
            count += !used[at.corners[k]];
            used[at.corners[k]] = 1;
        }
    }
    uint32_t *list = malloc((count + 1) * sizeof *list);
    if (!list) return team_fail(TOC_OUT_OF_MEMORY, "out of memory for the vertices of a slice");
    d->counts[rank] = 0;
    for (uint32_t v = 0; v < toc_mesh_get_vertex_count(mesh); v++) {
        if (used[v]) list[d->counts[rank]++] = v;
        used[v] = 0;
    }
    d->vertices[rank] = list;
    return TOC_OK;
}

static toc_status pack_slice(const toc_mesh *mesh, uint32_t first, uint32_t end, const deal *d, int rank, slice *s) {
    assert(first <= end && 0 <= rank && rank < team_size());
    *s = (slice){.vertex_count = d->counts[rank], .element_count = end - first};
    TOC_TRY(make_slice(s));
    s->element_count = 0;
    for (uint32_t e = first; e < end; e++) {
        const toc_element at = toc_mesh_get_element(mesh, e);
        if (at.shape == TOC_REMOVED) continue;
        dealt_element *to = &s->elements[s->element_count++];
        *to = (dealt_element){.id = e, .thickness = at.thickness, .group = at.group, .shape = (int32_t)at.shape};
        for (int k = 0; k < at.corner_count; k++) to->corner[k] = at.corners[k];
    }
    for (size_t i = 0; i < d->counts[rank]; i++) {
        s->ids[i] = d->vertices[rank][i];
        memcpy(s->x + 3 * i, toc_mesh_get_x0(mesh) + 3 * (size_t)s->ids[i], 3 * sizeof *s->x);
    }
    return TOC_OK;
}

static void send_slice(const slice *s, int rank) {
    assert(0 < rank && rank < team_size());
    const uint64_t counts[2] = {s->vertex_count, s->element_count};
    team_send(counts, sizeof counts, rank);
    team_send(s->ids, s->vertex_count * sizeof *s->ids, rank);
    team_send(s->x, s->vertex_count * 3 * sizeof *s->x, rank);
    team_send(s->elements, s->element_count * sizeof *s->elements, rank);
}

// A rank that cannot take its slice still receives it: rank 0 must not wait.
static toc_status receive_slice(slice *s) {
    uint64_t counts[2];
    team_receive(counts, sizeof counts);
    *s = (slice){.vertex_count = counts[0], .element_count = counts[1]};
    const toc_status status = make_slice(s);
    team_receive(s->ids, s->vertex_count * sizeof *s->ids);
    team_receive(s->x, s->vertex_count * 3 * sizeof *s->x);
    team_receive(s->elements, s->element_count * sizeof *s->elements);
    return status;
}

// ---- adding, on each rank

static toc_status add_run(const dealt_element *elements, size_t count, uint32_t body, toc_mpi_scene *scene) {
    assert(count > 0);
    const toc_shape shape = (toc_shape)elements[0].shape;
    const size_t corners = (size_t)toc_shape_count_corners(shape);
    uint64_t *ids = malloc((corners + 1) * count * sizeof *ids), *at = ids + count;
    if (!ids) return team_fail(TOC_OUT_OF_MEMORY, "out of memory for %zu elements", count);
    for (size_t i = 0; i < count; i++) {
        ids[i] = elements[i].id;
        memcpy(at + i * corners, elements[i].corner, corners * sizeof *at);
    }
    toc_status status = toc_mpi_scene_add_elements(scene, body, shape, count, ids, at);
    for (size_t i = 0; i < count && status == TOC_OK; i++) {
        if (elements[i].group) status = toc_mpi_scene_set_group(scene, body, ids[i], elements[i].group);
        if (status == TOC_OK && elements[i].thickness > 0)
            status = toc_mpi_scene_set_thickness(scene, body, ids[i], elements[i].thickness);
    }
    free(ids);
    return status;
}

static toc_status add_slice(const slice *s, uint32_t body, toc_mpi_scene *scene) {
    TOC_TRY(toc_mpi_scene_add_vertices(scene, body, s->vertex_count, s->ids, s->x));
    for (size_t first = 0, end; first < s->element_count; first = end) {
        for (end = first; end < s->element_count && s->elements[end].shape == s->elements[first].shape;) end++;
        TOC_TRY(add_run(s->elements + first, end - first, body, scene));
    }
    return TOC_OK;
}

// ---- dealing

static toc_status prepare_deal(const toc_mesh *mesh, deal *d, char **used) {
    const size_t size = (size_t)team_size();
    d->counts = calloc(size, sizeof *d->counts);
    d->vertices = calloc(size, sizeof *d->vertices);
    *used = calloc(toc_mesh_get_vertex_count(mesh) + 1, 1);
    if (!d->counts || !d->vertices || !*used) return team_fail(TOC_OUT_OF_MEMORY, "out of memory to deal the mesh");
    return TOC_OK;
}

static uint32_t slice_begin(const toc_mesh *mesh, int rank) {
    assert(0 <= rank && rank <= team_size());
    return (uint32_t)((uint64_t)toc_mesh_get_element_count(mesh) * (uint64_t)rank / (uint64_t)team_size());
}

static toc_status deal_from_here(const toc_mesh *mesh, deal *d, toc_mpi_scene *scene, char *used) {
    toc_status status = TOC_OK;
    for (int r = 0; r < team_size(); r++) {
        slice s = {0};
        const uint32_t first = slice_begin(mesh, r), end = slice_begin(mesh, r + 1);
        if (status == TOC_OK) status = list_slice(mesh, first, end, used, d, r);
        if (status == TOC_OK) status = pack_slice(mesh, first, end, d, r, &s);
        if (status != TOC_OK) s.vertex_count = s.element_count = 0; // the others still wait for a slice
        if (r > 0)
            send_slice(&s, r);
        else if (status == TOC_OK)
            status = add_slice(&s, d->body, scene);
        free_slice(&s);
    }
    return status;
}

static toc_status take_deal(toc_mpi_scene *scene, deal *d) {
    slice s;
    toc_status status = receive_slice(&s);
    d->own = s.vertex_count;
    if (status == TOC_OK) status = add_slice(&s, d->body, scene);
    free_slice(&s);
    return status;
}

toc_status deal_mesh(const toc_mesh *mesh, toc_mpi_scene *scene, deal *out) {
    char *used = NULL;
    *out = (deal){0};
    toc_status status = mesh ? prepare_deal(mesh, out, &used) : TOC_OK;
    if (status == TOC_OK) status = toc_mpi_scene_add_body(scene, &out->body);
    status = team_agree(status);
    if (status == TOC_OK) status = team_agree(mesh ? deal_from_here(mesh, out, scene, used) : take_deal(scene, out));
    if (mesh && status == TOC_OK) out->own = out->counts[0];
    free(used);
    return status;
}

// ---- motion

// Vectors of the vertices of a rank: all of x0, then all of x1, then the accelerations, if there are any.
static void gather_motion(const toc_mesh *mesh, const deal *d, int rank, double *x) {
    assert(0 <= rank && rank < team_size());
    const double *const from[3] = {toc_mesh_get_x0(mesh), toc_mesh_get_x1(mesh), toc_mesh_get_acceleration(mesh)};
    for (int k = 0; k < 3 && from[k]; k++)
        for (size_t i = 0; i < d->counts[rank]; i++, x += 3)
            memcpy(x, from[k] + 3 * (size_t)d->vertices[rank][i], 3 * sizeof *x);
}

static size_t largest_count(const deal *d) {
    size_t most = d->own;
    for (int r = 0; d->counts && r < team_size(); r++) most = d->counts[r] > most ? d->counts[r] : most;
    return most;
}

toc_status deal_motion(const toc_mesh *mesh, toc_mpi_scene *scene, const deal *d) {
    const bool bends = team_share(mesh && toc_mesh_get_acceleration(mesh)) != 0;
    const size_t vertex = (bends ? 9 : 6) * sizeof(double);
    double *x = malloc((largest_count(d) + 1) * vertex);
    toc_status status =
        team_agree(x ? TOC_OK : team_fail(TOC_OUT_OF_MEMORY, "out of memory for the motion of a slice"));
    for (int r = team_size() - 1; mesh && r > 0 && status == TOC_OK; r--) {
        gather_motion(mesh, d, r, x);
        team_send(x, d->counts[r] * vertex, r);
    }
    if (mesh && status == TOC_OK) gather_motion(mesh, d, 0, x);
    if (!mesh && status == TOC_OK) team_receive(x, d->own * vertex);
    if (status == TOC_OK) status = toc_mpi_scene_set_motion(scene, d->body, d->own, x, x + 3 * d->own);
    if (status == TOC_OK)
        status = toc_mpi_scene_set_acceleration(scene, d->body, d->own, bends ? x + 6 * d->own : NULL);
    free(x);
    return status;
}

void deal_free(deal *d) {
    for (int r = 0; d->vertices && r < team_size(); r++) free(d->vertices[r]);
    free(d->vertices);
    free(d->counts);
    *d = (deal){0};
}
