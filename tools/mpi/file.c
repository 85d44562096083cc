// SPDX-License-Identifier: Apache-2.0
// Single files and files in pieces. The numbers of points or nodes in the pieces are those of the whole file; ids are
// their positions among all of them, without gaps, as on one machine.
#include "tools/mpi/file.h"

#include "base/status.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// ---- opening

// name.e.PARTS.PART
static bool is_part_name(const char *path) {
    size_t end = strlen(path);
    for (int numbers = 0; numbers < 2; numbers++) {
        size_t at = end;
        while (at > 0 && isdigit((unsigned char)path[at - 1])) at--;
        if (at == end || at < 2 || path[at - 1] != '.') return false;
        end = at - 1;
    }
    return true;
}

static bool is_in_pieces(const toc_sequence *frames) {
    const char *last = NULL;
    for (size_t i = 0; i < toc_sequence_get_frame_count(frames); i++) {
        const char *path = toc_sequence_get_path(frames, i);
        if (path != last && !tool_path_ends(path, ".pvtu") && !is_part_name(path)) return false;
        last = path;
    }
    return true;
}

static toc_status open_sequence(const rank_file_wish *wish, bool is_share, toc_sequence **out) {
    toc_read_options options = toc_read_options_default();
    options.memory = wish->memory;
    if (is_share) options.share = (uint32_t)team_rank();
    if (is_share) options.shares = (uint32_t)team_size();
    TOC_TRY(toc_sequence_open(wish->count, wish->paths, &options, out));
    if (wish->clip) TOC_TRY(toc_sequence_play(*out, wish->clip));
    if (wish->rate > 0) TOC_TRY(toc_sequence_sample(*out, wish->rate));
    return TOC_OK;
}

// The frames that all ranks have. Collective.
static toc_status count_shared_frames(rank_file *f) {
    uint64_t least = f->frames ? toc_sequence_get_frame_count(f->frames) : UINT64_MAX;
    MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD);
    f->frame_count = (size_t)least;
    return TOC_OK;
}

toc_status file_open(const rank_file_wish *wish, rank_file *out) {
    *out = (rank_file){0};
    toc_status status = team_agree(team_rank() == 0 ? open_sequence(wish, false, &out->frames) : TOC_OK);
    if (status != TOC_OK) return status;
    out->is_shared = team_share(out->frames && is_in_pieces(out->frames)) != 0;
    if (out->is_shared) {
        toc_sequence_close(out->frames);
        out->frames = NULL;
        status = team_agree(open_sequence(wish, true, &out->frames));
    }
    return status == TOC_OK ? count_shared_frames(out) : status;
}

static toc_status copy_name(rank_file *f) {
    uint64_t size = f->frames ? strlen(toc_sequence_get_path(f->frames, 0)) + 1 : 0;
    size = team_share(size);
    f->name = malloc(size);
    TOC_TRY(team_agree(f->name ? TOC_OK : team_fail(TOC_OUT_OF_MEMORY, "out of memory")));
    if (team_rank() == 0) memcpy(f->name, toc_sequence_get_path(f->frames, 0), size);
    team_share_bytes(f->name, size);
    return TOC_OK;
}

static toc_status read_first_frame(rank_file *f, bool velocities) {
    toc_status status = TOC_OK;
    if (f->frames) status = toc_sequence_take_velocities(f->frames, velocities);
    if (f->frames && status == TOC_OK) status = toc_sequence_read_first(f->frames, &f->mesh);
    return team_agree(status);
}

static void forget_share(rank_file *f) {
    free(f->vertex_ids);
    free(f->element_ids);
    free(f->element_hashes);
    f->vertex_ids = f->element_ids = f->element_hashes = NULL;
}

void file_close(rank_file *f) {
    toc_mesh_destroy(f->mesh);
    toc_sequence_close(f->frames);
    deal_free(&f->dealt);
    forget_share(f);
    free(f->name);
    *f = (rank_file){0};
}

// ---- ids of a share

int64_t file_vertex_label(const rank_file *f, uint32_t v) {
    int64_t label = 0;
    return toc_mesh_get_vertex_label(f->mesh, v, &label) ? label : (int64_t)file_vertex_id(f, v);
}

int64_t file_element_label(const rank_file *f, uint32_t e) {
    int64_t label = 0;
    return toc_mesh_get_element_label(f->mesh, e, &label) ? label : (int64_t)file_element_id(f, e);
}

typedef bool label_getter(const toc_mesh *mesh, uint32_t id, int64_t *label);

// Numbers for all labels, or in the order of ranks. Collective.
static toc_status number_items(const toc_mesh *mesh, label_getter *get, bool has_labels, size_t count, uint64_t *ids) {
    rank_numbers numbers = {0};
    int64_t *labels = malloc((count + 1) * sizeof *labels);
    toc_status status =
        team_agree(labels ? TOC_OK : team_fail(TOC_OUT_OF_MEMORY, "out of memory for %zu numbers", count));
    for (uint32_t i = 0; i < count && status == TOC_OK; i++) {
        labels[i] = 0;
        get(mesh, i, &labels[i]);
    }
    if (status == TOC_OK && has_labels)
        status = numbers_give(&numbers, count, labels, ids);
    else if (status == TOC_OK)
        numbers_count(&numbers, count, ids);
    numbers_free(&numbers);
    free(labels);
    return status;
}

// Whether the items of all ranks have labels: 1, or 0 for none; -1 where some have. Collective.
static int have_labels(const toc_mesh *mesh, size_t count, label_getter *get) {
    int both[2] = {count && get(mesh, 0, NULL), count && !get(mesh, 0, NULL)};
    MPI_Allreduce(MPI_IN_PLACE, both, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return both[0] && both[1] ? -1 : both[0];
}

static uint64_t hash_corners(const toc_mesh *mesh, uint32_t element) {
    const toc_element e = toc_mesh_get_element(mesh, element);
    uint64_t hash = (uint64_t)e.shape;
    for (int k = 0; k < e.corner_count; k++) hash = (hash ^ e.corners[k]) * UINT64_C(0x9e3779b97f4a7c15) + (hash >> 29);
    return hash;
}

static toc_status reserve_ids(rank_file *f) {
    f->vertex_count = toc_mesh_get_vertex_count(f->mesh);
    f->element_count = toc_mesh_get_element_count(f->mesh);
    f->vertex_ids = malloc((f->vertex_count + 1) * sizeof *f->vertex_ids);
    f->element_ids = malloc((f->element_count + 1) * sizeof *f->element_ids);
    f->element_hashes = malloc((f->element_count + 1) * sizeof *f->element_hashes);
    if (!f->vertex_ids || !f->element_ids || !f->element_hashes)
        return team_fail(TOC_OUT_OF_MEMORY, "out of memory for the ids of %zu vertices", f->vertex_count);
    for (uint32_t e = 0; e < f->element_count; e++) f->element_hashes[e] = hash_corners(f->mesh, e);
    f->compared = toc_mesh_get_revision(f->mesh);
    return TOC_OK;
}

static toc_status number_share(rank_file *f) {
    TOC_TRY(team_agree(reserve_ids(f)));
    const int with = have_labels(f->mesh, f->element_count, toc_mesh_get_element_label);
    if (with < 0)
        return team_fail(TOC_BAD_INPUT, "%s: the cells of some pieces have global ids, and those of others have none",
                         f->name);
    const bool named = have_labels(f->mesh, f->vertex_count, toc_mesh_get_vertex_label) != 0;
    TOC_TRY(number_items(f->mesh, toc_mesh_get_vertex_label, named, f->vertex_count, f->vertex_ids));
    return number_items(f->mesh, toc_mesh_get_element_label, with > 0, f->element_count, f->element_ids);
}

toc_status file_read_first(rank_file *f, bool velocities) {
    toc_status status = read_first_frame(f, velocities);
    if (status != TOC_OK) return status;
    uint64_t elements = f->mesh ? toc_mesh_get_element_count(f->mesh) : 0;
    MPI_Allreduce(MPI_IN_PLACE, &elements, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    status = copy_name(f);
    if (status == TOC_OK && elements == 0) status = team_fail(TOC_BAD_INPUT, "%s: holds no elements", f->name);
    return status == TOC_OK && f->is_shared ? number_share(f) : status;
}

// ---- frames with other elements

bool file_can_go_on(rank_file *f) {
    const uint64_t revision = toc_mesh_get_revision(f->mesh);
    if (revision == f->compared) return true;
    if (toc_mesh_get_vertex_count(f->mesh) != f->vertex_count ||
        toc_mesh_get_element_count(f->mesh) != f->element_count)
        return false;
    for (uint32_t e = 0; e < f->element_count; e++)
        if (toc_mesh_get_element(f->mesh, e).shape != TOC_REMOVED && hash_corners(f->mesh, e) != f->element_hashes[e])
            return false;
    f->compared = revision;
    return true;
}

toc_status file_read_whole(rank_file *f, const rank_file_wish *wish, bool velocities, size_t frame) {
    toc_mesh_destroy(f->mesh);
    toc_sequence_close(f->frames);
    forget_share(f);
    f->mesh = NULL;
    f->frames = NULL;
    f->is_shared = false;
    toc_status status = team_agree(team_rank() == 0 ? open_sequence(wish, false, &f->frames) : TOC_OK);
    if (status == TOC_OK) status = read_first_frame(f, velocities);
    for (size_t i = 1; i <= frame && status == TOC_OK && f->mesh; i++)
        status = toc_sequence_advance(f->frames, i, f->mesh);
    f->known = UINT64_MAX; // it has to be handed in
    return team_agree(status);
}

// ---- handing in

bool file_is_handed_in(const rank_file *f) { return !f->mesh || toc_mesh_get_revision(f->mesh) == f->known; }

static toc_status add_share_element(const rank_file *f, uint32_t element, toc_mpi_scene *scene) {
    assert(element < f->element_count);
    const toc_element e = toc_mesh_get_element(f->mesh, element);
    uint64_t corners[8];
    if (e.shape == TOC_REMOVED) return TOC_OK;
    const uint64_t id = f->element_ids[element];
    for (int k = 0; k < e.corner_count; k++) corners[k] = f->vertex_ids[e.corners[k]];
    TOC_TRY(toc_mpi_scene_add_elements(scene, f->body, e.shape, 1, &id, corners));
    if (e.group) TOC_TRY(toc_mpi_scene_set_group(scene, f->body, id, e.group));
    if (e.thickness > 0) TOC_TRY(toc_mpi_scene_set_thickness(scene, f->body, id, e.thickness));
    return TOC_OK;
}

static toc_status add_share(rank_file *f, toc_mpi_scene *scene) {
    assert(f->mesh);
    TOC_TRY(toc_mpi_scene_add_body(scene, &f->body));
    TOC_TRY(toc_mpi_scene_add_vertices(scene, f->body, f->vertex_count, f->vertex_ids, toc_mesh_get_x0(f->mesh)));
    for (uint32_t e = 0; e < f->element_count; e++) TOC_TRY(add_share_element(f, e, scene));
    return TOC_OK;
}

toc_status file_add(rank_file *f, toc_mpi_scene *scene) {
    toc_status status;
    if (f->is_shared) {
        status = team_agree(add_share(f, scene));
    } else {
        deal_free(&f->dealt);
        status = deal_mesh(f->mesh, scene, &f->dealt);
        f->body = f->dealt.body;
    }
    if (f->mesh) f->known = toc_mesh_get_revision(f->mesh);
    return status;
}

toc_status file_move(rank_file *f, toc_mpi_scene *scene) {
    if (!f->is_shared) return deal_motion(f->mesh, scene, &f->dealt);
    const size_t count = toc_mesh_get_vertex_count(f->mesh);
    toc_status status =
        toc_mpi_scene_set_motion(scene, f->body, count, toc_mesh_get_x0(f->mesh), toc_mesh_get_x1(f->mesh));
    if (status == TOC_OK)
        status = toc_mpi_scene_set_acceleration(scene, f->body, count, toc_mesh_get_acceleration(f->mesh));
    return team_agree(status);
}
