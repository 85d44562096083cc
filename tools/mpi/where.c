// SPDX-License-Identifier: Apache-2.0
#include "tools/mpi/where.h"

#include "base/status.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_ROOM = 252 };

typedef struct part_record {
    int32_t group;
    char name[NAME_ROOM];
} part_record;

_Static_assert(sizeof(part_record) == 256, "no bytes between the fields");

toc_status where_open(where *out) {
    *out = (where){0};
    const toc_status status = tool_places_create(&out->places);
    return team_agree(status == TOC_OK ? toc_scene_create(NULL, &out->emblems) : status);
}

void where_close(where *w) {
    tool_places_destroy(w->places);
    toc_scene_destroy(w->emblems);
    *w = (where){0};
}

// ---- the parts of all ranks

static int compare_records(const void *a, const void *b) {
    const part_record *x = a, *y = b;
    return (x->group > y->group) - (x->group < y->group);
}

static size_t keep_groups_once(part_record *records, size_t count) {
    size_t kept = 0;
    if (count) qsort(records, count, sizeof *records, compare_records);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || records[kept - 1].group != records[i].group) records[kept++] = records[i];
    return kept;
}

static toc_status note_record(const toc_mesh *mesh, int32_t group, part_record **list, size_t *count) {
    if (*count % 64 == 0) {
        part_record *grown = realloc(*list, (*count + 64) * sizeof *grown);
        if (!grown) return team_fail(TOC_OUT_OF_MEMORY, "out of memory for %zu parts", *count);
        *list = grown;
    }
    const char *name = toc_mesh_get_group_name(mesh, group);
    part_record *to = &(*list)[(*count)++];
    memset(to, 0, sizeof *to);
    to->group = group;
    snprintf(to->name, sizeof to->name, "%s", name ? name : "");
    return TOC_OK;
}

// The parts of this rank, each once.
static toc_status list_own_parts(const toc_mesh *mesh, part_record **out, size_t *count) {
    enum { MANY = 1 << 16 };
    toc_status status = TOC_OK;
    int32_t last = 0;
    bool any = false;
    *out = NULL;
    for (uint32_t e = 0; mesh && e < toc_mesh_get_element_count(mesh) && status == TOC_OK; e++) {
        const toc_element element = toc_mesh_get_element(mesh, e);
        if (element.shape == TOC_REMOVED || (any && element.group == last)) continue;
        if (*count && *count % MANY == 0) *count = keep_groups_once(*out, *count);
        status = note_record(mesh, element.group, out, count);
        last = element.group;
        any = true;
    }
    *count = keep_groups_once(*out, *count);
    return status;
}

// The parts of all ranks, ascending, each once. Collective.
static toc_status share_parts(const toc_mesh *mesh, part_record **out, size_t *count) {
    part_record *own = NULL, *all = NULL;
    int *bytes = calloc(2 * (size_t)team_size(), sizeof *bytes), *places = bytes ? bytes + team_size() : NULL,
        total = 0;
    size_t own_count = 0;
    toc_status status = bytes ? list_own_parts(mesh, &own, &own_count) : team_fail(TOC_OUT_OF_MEMORY, "out of memory");
    status = team_agree(status);
    const int own_bytes = (int)(own_count * sizeof *own);
    if (status == TOC_OK) {
        MPI_Allgather(&own_bytes, 1, MPI_INT, bytes, 1, MPI_INT, MPI_COMM_WORLD);
        for (int r = 0; r < team_size(); r++) places[r] = total, total += bytes[r];
        all = malloc((size_t)total + 1);
        status = team_agree(all ? TOC_OK : team_fail(TOC_OUT_OF_MEMORY, "out of memory for the names of parts"));
    }
    if (status == TOC_OK) {
        MPI_Allgatherv(own, own_bytes, MPI_BYTE, all, bytes, places, MPI_BYTE, MPI_COMM_WORLD);
        *count = keep_groups_once(all, (size_t)total / sizeof *all);
        *out = all;
    } else {
        free(all);
    }
    free(own);
    free(bytes);
    return status;
}

// ---- emblems

static toc_status add_emblem(toc_mesh *mesh, const part_record *part) {
    static const uint32_t triangle[3] = {0, 1, 2};
    uint32_t id;
    TOC_TRY(toc_mesh_add_elements(mesh, TOC_TRIANGLE, 1, triangle, &id));
    TOC_TRY(toc_mesh_set_group(mesh, id, part->group));
    if (part->name[0]) TOC_TRY(toc_mesh_set_group_name(mesh, part->group, part->name));
    return TOC_OK;
}

static toc_status make_emblems(const part_record *parts, size_t count, toc_mesh **out) {
    static const double corners[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    toc_status status = toc_mesh_create(NULL, out);
    if (status != TOC_OK) return status;
    status = toc_mesh_add_vertices(*out, 3, corners, NULL);
    for (size_t i = 0; i < count && status == TOC_OK; i++) status = add_emblem(*out, &parts[i]);
    if (status != TOC_OK) toc_mesh_destroy(*out);
    return status;
}

// The groups of the file become those of the emblems, of which element i stands for part i.
static toc_status take_groups(toc_mesh *mesh, const part_record *parts, size_t count, const toc_mesh *emblems) {
    toc_status status = TOC_OK;
    bool same = true;
    for (uint32_t i = 0; i < count; i++) same &= toc_mesh_get_element(emblems, i).group == parts[i].group;
    for (uint32_t e = 0; mesh && !same && e < toc_mesh_get_element_count(mesh) && status == TOC_OK; e++) {
        const toc_element element = toc_mesh_get_element(mesh, e);
        const part_record wanted = {.group = element.group};
        const part_record *part = bsearch(&wanted, parts, count, sizeof *parts, compare_records);
        const int32_t group = part ? toc_mesh_get_element(emblems, (uint32_t)(part - parts)).group : element.group;
        if (group != element.group) status = toc_mesh_set_group(mesh, e, group);
    }
    return status;
}

static toc_status add_emblems(where *w, rank_file *f, const part_record *parts, size_t count) {
    toc_mesh *mesh;
    toc_status status = make_emblems(parts, count, &mesh);
    if (status != TOC_OK) return status;
    status = tool_places_add_body(w->places, f->name, mesh);
    if (status == TOC_OK) status = take_groups(f->mesh, parts, count, mesh);
    if (status == TOC_OK) status = toc_scene_add_body(w->emblems, mesh, NULL);
    if (status != TOC_OK) toc_mesh_destroy(mesh);
    return status;
}

toc_status where_add(where *w, rank_file *f) {
    part_record *parts = NULL;
    size_t count = 0;
    toc_status status = share_parts(f->mesh, &parts, &count);
    if (status == TOC_OK) status = add_emblems(w, f, parts, count);
    if (status == TOC_OK) status = tool_places_follow(w->places, w->emblems);
    free(parts);
    return team_agree(status);
}

toc_status where_regroup(const where *w, uint32_t body, toc_mesh *mesh) {
    toc_status status = TOC_OK;
    for (size_t i = 0; i < tool_places_part_count(w->places); i++) {
        const tool_part *part = tool_places_part(w->places, i);
        if (part->body != body || part->group == part->number) continue;
        for (uint32_t e = 0; e < toc_mesh_get_element_count(mesh) && status == TOC_OK; e++)
            if (toc_mesh_get_element(mesh, e).group == part->number) status = toc_mesh_set_group(mesh, e, part->group);
    }
    return status;
}

static bool has_emblem(const toc_mesh *mesh, int32_t group) {
    for (uint32_t e = 0; e < toc_mesh_get_element_count(mesh); e++)
        if (toc_mesh_get_element(mesh, e).group == group) return true;
    return false;
}

toc_status where_follow(where *w, uint32_t body, const rank_file *f) {
    part_record *parts = NULL;
    size_t count = 0;
    toc_status status = share_parts(f->mesh, &parts, &count);
    for (size_t i = 0; i < count && status == TOC_OK; i++)
        if (!has_emblem(toc_scene_get_mesh(w->emblems, body), parts[i].group))
            status = add_emblem(toc_scene_edit_mesh(w->emblems, body), &parts[i]);
    if (status == TOC_OK) status = tool_places_follow(w->places, w->emblems);
    free(parts);
    return team_agree(status);
}

toc_status where_apply(const where *w, toc_mpi_scene *scene) {
    toc_status status = TOC_OK;
    const size_t count = tool_places_part_count(w->places);
    for (size_t i = 0; i < count; i++)
        for (size_t j = i; j < count && status == TOC_OK; j++)
            if (!tool_places_meet(w->places, i, j))
                status = toc_mpi_scene_set_group_contact(scene, tool_places_part(w->places, i)->group,
                                                         tool_places_part(w->places, j)->group, false);
    return status;
}
