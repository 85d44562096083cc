// SPDX-License-Identifier: Apache-2.0
// Single files and files in pieces. The numbers of points or nodes in the pieces are those of the whole file; ids are
// their positions among all of them, without gaps, as on one machine.
#include "tools/mpi/file.h"

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
    toc_status status = toc_sequence_open(wish->count, wish->paths, &options, out);
    if (status == TOC_OK && wish->clip) status = toc_sequence_play(*out, wish->clip);
    if (status == TOC_OK && wish->rate > 0) status = toc_sequence_sample(*out, wish->rate);
    return status;
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
    const toc_status status = team_agree(f->name ? TOC_OK : team_fail(TOC_OUT_OF_MEMORY, "out of memory"));
    if (status != TOC_OK) return status;
    if (team_rank() == 0) memcpy(f->name, toc_sequence_get_path(f->frames, 0), size);
    team_share_bytes(f->name, size);
    return TOC_OK;
}

toc_status file_read_first(rank_file *f, bool velocities) {
    toc_status status = TOC_OK;
    if (f->frames) status = toc_sequence_take_velocities(f->frames, velocities);
    if (f->frames && status == TOC_OK) status = toc_sequence_read_first(f->frames, &f->mesh);
    status = team_agree(status);
    if (status != TOC_OK) return status;
    uint64_t elements = f->mesh ? toc_mesh_get_element_count(f->mesh) : 0;
    MPI_Allreduce(MPI_IN_PLACE, &elements, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    status = copy_name(f);
    if (status == TOC_OK && elements == 0) status = team_fail(TOC_BAD_INPUT, "%s: holds no elements", f->name);
    return status;
}

void file_close(rank_file *f) {
    toc_mesh_destroy(f->mesh);
    toc_sequence_close(f->frames);
    deal_free(&f->dealt);
    numbers_free(&f->vertex_numbers);
    numbers_free(&f->element_numbers);
    free(f->vertex_ids);
    free(f->element_ids);
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

// Numbers for what is new in the mesh since `known`. Collective.
static toc_status number_new(rank_numbers *numbers, const toc_mesh *mesh, label_getter *get, bool has_labels,
                             size_t known, size_t count, uint64_t *ids) {
    const size_t added = count - known;
    int64_t *labels = malloc((added + 1) * sizeof *labels);
    toc_status status =
        team_agree(labels ? TOC_OK : team_fail(TOC_OUT_OF_MEMORY, "out of memory for %zu numbers", added));
    for (size_t i = 0; i < added && status == TOC_OK; i++) {
        labels[i] = 0;
        get(mesh, (uint32_t)(known + i), &labels[i]);
    }
    if (status == TOC_OK && has_labels)
        status = numbers_give(numbers, added, labels, ids + known);
    else if (status == TOC_OK)
        numbers_count(numbers, added, ids + known);
    free(labels);
    return status;
}

// Whether the items of all ranks have labels: 1, or 0 for none; -1 where some have. Collective.
static int have_labels(const toc_mesh *mesh, size_t count, label_getter *get) {
    int both[2] = {count && get(mesh, 0, NULL), count && !get(mesh, 0, NULL)};
    MPI_Allreduce(MPI_IN_PLACE, both, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return both[0] && both[1] ? -1 : both[0];
}

static toc_status grow_ids(rank_file *f) {
    const size_t vertices = toc_mesh_get_vertex_count(f->mesh), elements = toc_mesh_get_element_count(f->mesh);
    uint64_t *v = realloc(f->vertex_ids, (vertices + 1) * sizeof *v);
    if (v) f->vertex_ids = v;
    uint64_t *e = realloc(f->element_ids, (elements + 1) * sizeof *e);
    if (e) f->element_ids = e;
    return v && e ? TOC_OK : team_fail(TOC_OUT_OF_MEMORY, "out of memory for the ids of %zu vertices", vertices);
}

static toc_status number_share(rank_file *f) {
    const size_t vertices = toc_mesh_get_vertex_count(f->mesh), elements = toc_mesh_get_element_count(f->mesh);
    toc_status status = team_agree(grow_ids(f));
    if (status != TOC_OK) return status;
    const int with = have_labels(f->mesh, elements, toc_mesh_get_element_label);
    if (with < 0)
        return team_fail(TOC_BAD_INPUT, "%s: the cells of some pieces have global ids, and those of others have none",
                         f->name);
    const bool named = have_labels(f->mesh, vertices, toc_mesh_get_vertex_label) != 0;
    status = number_new(&f->vertex_numbers, f->mesh, toc_mesh_get_vertex_label, named, f->vertex_count, vertices,
                        f->vertex_ids);
    if (status == TOC_OK)
        status = number_new(&f->element_numbers, f->mesh, toc_mesh_get_element_label, with > 0, f->element_count,
                            elements, f->element_ids);
    f->vertex_count = vertices;
    f->element_count = elements;
    return status;
}

// ---- handing in

bool file_is_handed_in(const rank_file *f) { return !f->mesh || toc_mesh_get_revision(f->mesh) == f->known; }

static toc_status add_share_element(const rank_file *f, uint32_t element, toc_mpi_scene *scene) {
    const toc_element e = toc_mesh_get_element(f->mesh, element);
    uint64_t corners[8];
    if (e.shape == TOC_REMOVED) return TOC_OK;
    const uint64_t id = f->element_ids[element];
    for (int k = 0; k < e.corner_count; k++) corners[k] = f->vertex_ids[e.corners[k]];
    toc_status status = toc_mpi_scene_add_elements(scene, f->body, e.shape, 1, &id, corners);
    if (status == TOC_OK && e.group) status = toc_mpi_scene_set_group(scene, f->body, id, e.group);
    if (status == TOC_OK && e.thickness > 0) status = toc_mpi_scene_set_thickness(scene, f->body, id, e.thickness);
    return status;
}

static toc_status add_share(rank_file *f, toc_mpi_scene *scene) {
    toc_status status = toc_mpi_scene_add_body(scene, &f->body);
    if (status == TOC_OK)
        status = toc_mpi_scene_add_vertices(scene, f->body, f->vertex_count, f->vertex_ids, toc_mesh_get_x0(f->mesh));
    for (uint32_t e = 0; e < f->element_count && status == TOC_OK; e++) status = add_share_element(f, e, scene);
    return status;
}

toc_status file_add(rank_file *f, toc_mpi_scene *scene) {
    toc_status status;
    if (f->is_shared) {
        status = number_share(f);
        if (status == TOC_OK) status = team_agree(add_share(f, scene));
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
    toc_status status = toc_mpi_scene_set_motion(scene, f->body, toc_mesh_get_x0(f->mesh), toc_mesh_get_x1(f->mesh));
    if (status == TOC_OK) status = toc_mpi_scene_set_acceleration(scene, f->body, toc_mesh_get_acceleration(f->mesh));
    return team_agree(status);
}
