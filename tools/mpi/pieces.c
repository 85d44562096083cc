// SPDX-License-Identifier: Apache-2.0
// Decomposed Exodus files and .pvtu. The numbers of nodes and elements in the parts are those of the whole file: they
// give the ids. Cells of a .pvtu without numbers count in the order of the pieces, as on one machine.
#include "tools/mpi/pieces.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// name.PARTS.PART: the place of ".PART", and the number of parts.
static bool split_name(const char *path, size_t *stem, int *width, int *parts) {
    const char *last = strrchr(path, '.');
    if (!last || last == path || !last[1]) return false;
    for (const char *c = last + 1; *c; c++)
        if (!isdigit((unsigned char)*c)) return false;
    const char *before = last - 1;
    while (before > path && isdigit((unsigned char)*before)) before--;
    if (before == last - 1 || *before != '.') return false;
    *parts = (int)strtol(before + 1, NULL, 10);
    *stem = (size_t)(last - path);
    *width = (int)strlen(last + 1);
    return *parts > 0;
}

static bool are_vtk(int count, char **paths) {
    for (int i = 0; i < count; i++)
        if (!tool_path_ends(paths[i], ".pvtu")) return false;
    return count > 0;
}

bool pieces_are(int count, char **paths) {
    size_t stem;
    int width, parts;
    return are_vtk(count, paths) || (count == 1 && split_name(paths[0], &stem, &width, &parts));
}

static toc_status open_piece(size_t count, const char *const *paths, const toc_read_options *options, piece *out) {
    const toc_status status = toc_sequence_open(count, paths, options, &out->frames);
    return status == TOC_OK ? toc_sequence_read_first(out->frames, &out->mesh) : status;
}

static int compare_piece_vertices(const void *a, const void *b) {
    const piece_vertex *x = a, *y = b;
    if (x->id != y->id) return x->id < y->id ? -1 : 1;
    return x->piece < y->piece ? -1 : x->piece > y->piece;
}

uint64_t pieces_vertex_id(const pieces *p, const toc_mesh *mesh, uint32_t vertex) {
    int64_t label = 0;
    return toc_mesh_get_vertex_label(mesh, vertex, &label) ? (uint64_t)label - (uint64_t)p->vertex_base : vertex;
}

uint64_t pieces_element_id(const pieces *p, const toc_mesh *mesh, uint32_t element) {
    int64_t label = 0;
    if (toc_mesh_get_element_label(mesh, element, &label)) return (uint64_t)label - (uint64_t)p->element_base;
    return p->first_element + element;
}

static int64_t lowest_label(const toc_mesh *mesh, size_t count,
                            bool (*get)(const toc_mesh *mesh, uint32_t id, int64_t *label)) {
    int64_t lowest = INT64_MAX, label;
    for (uint32_t i = 0; i < count; i++)
        if (get(mesh, i, &label) && label < lowest) lowest = label;
    return lowest;
}

// The numbers of a .pvtu that become 0, of all ranks, and the elements of the ranks before. Collective.
static toc_status number_vtk(pieces *p) {
    const toc_mesh *mesh = p->at[0].mesh;
    const uint64_t vertices = toc_mesh_get_vertex_count(mesh), elements = toc_mesh_get_element_count(mesh);
    const bool has = elements && toc_mesh_get_element_label(mesh, 0, NULL);
    int64_t lowest[4] = {lowest_label(mesh, vertices, toc_mesh_get_vertex_label),
                         lowest_label(mesh, elements, toc_mesh_get_element_label), elements && has ? 0 : 1,
                         elements && !has ? 0 : 1};
    uint64_t before = 0;
    MPI_Allreduce(MPI_IN_PLACE, lowest, 4, MPI_INT64_T, MPI_MIN, MPI_COMM_WORLD);
    MPI_Exscan(&elements, &before, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    if (lowest[2] == 0 && lowest[3] == 0)
        return team_fail(TOC_BAD_INPUT, "%s: the cells of some pieces have global ids, and those of others have none",
                         p->name);
    p->vertex_base = lowest[0] == INT64_MAX ? 0 : lowest[0];
    p->element_base = lowest[2] == 0 ? lowest[1] : 0;
    p->first_element = team_rank() == 0 ? 0 : before; // MPI_Exscan leaves that of rank 0 undefined
    return TOC_OK;
}

// The vertices of all parts of this rank, each once.
static toc_status list_vertices(pieces *p) {
    size_t total = 0, kept = 0;
    for (size_t i = 0; i < p->count; i++) total += toc_mesh_get_vertex_count(p->at[i].mesh);
    free(p->vertices);
    p->vertices = calloc(total + 1, sizeof *p->vertices);
    if (!p->vertices) return team_fail(TOC_OUT_OF_MEMORY, "out of memory for %zu vertices", total);
    total = 0;
    for (uint32_t i = 0; i < p->count; i++)
        for (uint32_t v = 0; v < toc_mesh_get_vertex_count(p->at[i].mesh); v++) {
            p->vertices[total++] = (piece_vertex){pieces_vertex_id(p, p->at[i].mesh, v), i, v};
        }
    qsort(p->vertices, total, sizeof *p->vertices, compare_piece_vertices);
    for (size_t i = 0; i < total; i++)
        if (kept == 0 || p->vertices[kept - 1].id != p->vertices[i].id) p->vertices[kept++] = p->vertices[i];
    p->vertex_count = kept;
    return TOC_OK;
}

static toc_status open_share(int count, char **paths, uint64_t memory, pieces *out) {
    toc_read_options options = toc_read_options_default();
    options.memory = memory;
    options.share = (uint32_t)team_rank();
    options.shares = (uint32_t)team_size();
    out->at = calloc(1, sizeof *out->at);
    out->name = strdup(paths[0]);
    if (out->name && !out->is_vtk) {
        size_t stem;
        int width, parts;
        if (split_name(paths[0], &stem, &width, &parts)) out->name[stem] = 0;
        *strrchr(out->name, '.') = 0; // the number of parts
    }
    if (!out->at || !out->name) return team_fail(TOC_OUT_OF_MEMORY, "out of memory for %d frames", count);
    out->count = 1;
    return open_piece((size_t)count, (const char *const *)paths, &options, &out->at[0]);
}

toc_status pieces_open(int count, char **paths, uint64_t memory, pieces *out) {
    out->is_vtk = are_vtk(count, paths);
    out->vertex_base = out->element_base = 1;
    const toc_status status = team_agree(open_share(count, paths, memory, out));
    if (status != TOC_OK) return status;
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < out->count; i++) {
        const uint64_t frames = toc_sequence_get_frame_count(out->at[i].frames);
        least = frames < least ? frames : least;
    }
    MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD);
    out->frame_count = (size_t)least;
    return TOC_OK;
}

// ---- handing in

static void gather_pieces(const pieces *p, toc_end end, double *x) {
    for (size_t i = 0; i < p->vertex_count; i++) {
        const toc_mesh *mesh = p->at[p->vertices[i].piece].mesh;
        const double *from = end == TOC_AT_START ? toc_mesh_get_x0(mesh) : toc_mesh_get_x1(mesh);
        memcpy(x + 3 * i, from + 3 * (size_t)p->vertices[i].vertex, 3 * sizeof *x);
    }
}

static toc_status add_piece_element(const pieces *p, const toc_mesh *mesh, uint32_t element, toc_mpi_scene *scene) {
    const toc_element e = toc_mesh_get_element(mesh, element);
    uint64_t corners[8];
    if (e.shape == TOC_REMOVED) return TOC_OK;
    const uint64_t id = pieces_element_id(p, mesh, element);
    for (int k = 0; k < e.corner_count; k++) corners[k] = pieces_vertex_id(p, mesh, e.corners[k]);
    toc_status status = toc_mpi_scene_add_elements(scene, 0, e.shape, 1, &id, corners);
    if (status == TOC_OK && e.group) status = toc_mpi_scene_set_group(scene, 0, id, e.group);
    if (status == TOC_OK && e.thickness > 0) status = toc_mpi_scene_set_thickness(scene, 0, id, e.thickness);
    return status;
}

static toc_status add_pieces(pieces *p, toc_mpi_scene *scene, double *x) {
    toc_status status = toc_mpi_scene_add_body(scene, NULL);
    uint64_t *ids = malloc((p->vertex_count + 1) * sizeof *ids);
    if (!ids) return team_fail(TOC_OUT_OF_MEMORY, "out of memory for %zu vertices", p->vertex_count);
    for (size_t i = 0; i < p->vertex_count; i++) ids[i] = p->vertices[i].id;
    gather_pieces(p, TOC_AT_START, x);
    if (status == TOC_OK) status = toc_mpi_scene_add_vertices(scene, 0, p->vertex_count, ids, x);
    free(ids);
    for (size_t i = 0; i < p->count && status == TOC_OK; i++)
        for (uint32_t e = 0; e < toc_mesh_get_element_count(p->at[i].mesh) && status == TOC_OK; e++)
            status = add_piece_element(p, p->at[i].mesh, e, scene);
    return status;
}

static uint64_t sum_revisions(const pieces *p) {
    uint64_t sum = 0;
    for (size_t i = 0; i < p->count; i++) sum += toc_mesh_get_revision(p->at[i].mesh);
    return sum;
}

static toc_status hand_in_pieces(pieces *p, bool anew, toc_mpi_scene *scene) {
    toc_status status = anew ? list_vertices(p) : TOC_OK;
    double *x = status == TOC_OK ? malloc((p->vertex_count + 1) * 6 * sizeof *x) : NULL;
    if (status != TOC_OK) return status;
    if (!x) return team_fail(TOC_OUT_OF_MEMORY, "out of memory for %zu vertices", p->vertex_count);
    if (anew) status = add_pieces(p, scene, x);
    gather_pieces(p, TOC_AT_START, x);
    gather_pieces(p, TOC_AT_END, x + 3 * p->vertex_count);
    if (status == TOC_OK) status = toc_mpi_scene_set_motion(scene, 0, x, x + 3 * p->vertex_count);
    p->revision = sum_revisions(p);
    free(x);
    return status;
}

// Rank 0 has a part. Collective.
static void share_times(pieces *p, size_t frame) {
    double times[2] = {0, 0};
    if (p->count) times[0] = toc_sequence_get_time(p->at[0].frames, frame - 1);
    if (p->count) times[1] = toc_sequence_get_time(p->at[0].frames, frame);
    MPI_Bcast(times, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    p->start = times[0];
    p->end = times[1];
}

toc_status pieces_advance(pieces *p, size_t frame, toc_mpi_scene **scene) {
    toc_status status = TOC_OK;
    for (size_t i = 0; i < p->count && status == TOC_OK; i++)
        status = toc_sequence_advance(p->at[i].frames, frame, p->at[i].mesh);
    status = team_agree(status);
    if (status != TOC_OK) return status;
    share_times(p, frame);
    int anew = !*scene || sum_revisions(p) != p->revision;
    MPI_Allreduce(MPI_IN_PLACE, &anew, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (anew) {
        toc_mpi_scene_destroy(*scene);
        *scene = NULL;
        if (p->is_vtk) status = number_vtk(p);
        if (status == TOC_OK) status = toc_mpi_scene_create(MPI_COMM_WORLD, NULL, scene);
    }
    return status == TOC_OK ? team_agree(hand_in_pieces(p, anew, *scene)) : status;
}

void pieces_close(pieces *p) {
    for (size_t i = 0; i < p->count; i++) {
        toc_mesh_destroy(p->at[i].mesh);
        toc_sequence_close(p->at[i].frames);
    }
    free(p->at);
    free(p->vertices);
    free(p->name);
    *p = (pieces){0};
}
