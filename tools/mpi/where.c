// SPDX-License-Identifier: Apache-2.0
// Ranks send their contacts to rank 0 in turn, and receive the places.
#include "tools/mpi/where.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

toc_status where_open(const char *file, toc_mesh *mesh, where *out) {
    toc_status status = tool_places_create(&out->places);
    if (status == TOC_OK) status = tool_places_add_body(out->places, file, mesh);
    if (status == TOC_OK) status = toc_scene_create(NULL, &out->scene);
    if (status == TOC_OK) status = toc_scene_add_body(out->scene, mesh, NULL);
    if (status != TOC_OK) toc_mesh_destroy(mesh);
    return status;
}

void where_close(where *w) {
    tool_places_destroy(w->places);
    toc_scene_destroy(w->scene);
    *w = (where){0};
}

// The groups of pairs of parts that shall not touch, two numbers each; on rank 0. @return their number.
static size_t list_unwanted(const tool_places *places, int32_t *out) {
    size_t count = 0;
    for (size_t i = 0; i < tool_places_part_count(places); i++)
        for (size_t j = i; j < tool_places_part_count(places); j++) {
            if (tool_places_meet(places, i, j)) continue;
            if (out) out[2 * count] = tool_places_part(places, i)->group;
            if (out) out[2 * count + 1] = tool_places_part(places, j)->group;
            count++;
        }
    return count;
}

static toc_status ignore_unwanted(const where *w, toc_mpi_scene *scene) {
    const size_t count = (size_t)team_share(w->places ? list_unwanted(w->places, NULL) : 0);
    int32_t *groups = malloc((2 * count + 1) * sizeof *groups);
    toc_status status =
        team_agree(groups ? TOC_OK : team_fail(TOC_OUT_OF_MEMORY, "out of memory for %zu pairs of parts", count));
    if (status == TOC_OK && w->places) list_unwanted(w->places, groups);
    if (status == TOC_OK) team_share_bytes(groups, 2 * count * sizeof *groups);
    for (size_t i = 0; i < count && status == TOC_OK; i++)
        status = toc_mpi_scene_set_group_contact(scene, groups[2 * i], groups[2 * i + 1], false);
    free(groups);
    return team_agree(status);
}

toc_status where_apply(where *w, toc_mpi_scene *scene, bool anew) {
    const toc_status status = team_agree(w->places ? tool_places_follow(w->places, w->scene) : TOC_OK);
    if (status != TOC_OK) return status;
    const size_t parts = (size_t)team_share(w->places ? tool_places_part_count(w->places) : 0);
    if (!anew && parts == w->applied) return TOC_OK;
    w->applied = parts;
    return ignore_unwanted(w, scene);
}

// A place as it is sent: names by the positions of their parts.
typedef struct sent_place {
    toc_place place;
    uint64_t part[2];
} sent_place;

static void place_all(const where *w, size_t count, const toc_contact *contacts, sent_place *out) {
    for (size_t i = 0; i < count; i++) {
        const toc_contact *c = &contacts[i];
        size_t parts[2] = {0, 0};
        memset(&out[i], 0, sizeof out[i]);
        tool_places_find(w->places, c->kind, c->body, c->v, &out[i].place, parts);
        out[i].place.time = isfinite(w->end) ? w->start + c->toc * (w->end - w->start) : w->start;
        out[i].place.part_name[0] = out[i].place.part_name[1] = NULL;
        for (int k = 0; k < 2; k++) out[i].part[k] = parts[k];
    }
}

// Rank 0 answers one rank after the other; a rank for which it has no memory gets no places, and all fail.
static toc_status serve_ranks(const where *w) {
    toc_status status = TOC_OK;
    for (int r = 1; r < team_size(); r++) {
        uint64_t count;
        MPI_Recv(&count, 1, MPI_UINT64_T, r, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        toc_contact *contacts = malloc((count + 1) * sizeof *contacts);
        sent_place *places = malloc((count + 1) * sizeof *places);
        if (!contacts || !places) status = team_fail(TOC_OUT_OF_MEMORY, "out of memory for %zu places", (size_t)count);
        const uint64_t taken = contacts && places ? count : 0;
        MPI_Send(&taken, 1, MPI_UINT64_T, r, 2, MPI_COMM_WORLD);
        team_receive_from(contacts, taken * sizeof *contacts, r);
        if (taken) place_all(w, taken, contacts, places);
        team_send(places, taken * sizeof *places, r);
        free(places);
        free(contacts);
    }
    return status;
}

static void ask_rank_0(uint64_t count, const toc_contact *contacts, sent_place *places) {
    uint64_t taken;
    MPI_Send(&count, 1, MPI_UINT64_T, 0, 2, MPI_COMM_WORLD);
    MPI_Recv(&taken, 1, MPI_UINT64_T, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    team_send(contacts, taken * sizeof *contacts, 0);
    team_receive(places, taken * sizeof *places);
}

// The names of all parts, one after the other. Collective.
static toc_status share_names(const where *w, char **names, size_t *count, uint64_t *size) {
    *count = (size_t)team_share(w->places ? tool_places_part_count(w->places) : 0);
    *size = 0;
    for (size_t i = 0; w->places && i < *count; i++) *size += strlen(tool_places_part(w->places, i)->label) + 1;
    *size = team_share(*size);
    *names = calloc(*size + 1, 1);
    const toc_status status = team_agree(*names ? TOC_OK : team_fail(TOC_OUT_OF_MEMORY, "out of memory"));
    if (status != TOC_OK) return status;
    char *at = *names;
    for (size_t i = 0; w->places && i < *count; i++, at += strlen(at) + 1) {
        const char *label = tool_places_part(w->places, i)->label;
        memcpy(at, label, strlen(label) + 1);
    }
    team_share_bytes(*names, *size);
    return TOC_OK;
}

static toc_status set_names(const sent_place *sent, size_t count, char *names, size_t name_count, toc_place *out) {
    const char **table = calloc(name_count + 1, sizeof *table);
    if (!table) return team_fail(TOC_OUT_OF_MEMORY, "out of memory for the names of %zu parts", name_count);
    for (size_t i = 0; i < name_count; i++, names += strlen(names) + 1) table[i] = names;
    for (size_t i = 0; i < count; i++) {
        out[i] = sent[i].place;
        for (int k = 0; k < 2; k++) out[i].part_name[k] = table[sent[i].part[k]];
    }
    free(table);
    return TOC_OK;
}

toc_status where_find(const where *w, size_t count, const toc_contact *contacts, located *out) {
    size_t name_count;
    uint64_t name_bytes;
    *out = (located){0};
    toc_status status = w->places ? tool_places_follow(w->places, w->scene) : TOC_OK;
    status = team_agree(status);
    if (status == TOC_OK) status = share_names(w, &out->names, &name_count, &name_bytes);
    if (status != TOC_OK) return status;
    sent_place *sent = malloc((count + 1) * sizeof *sent);
    out->places = calloc(count + 1, sizeof *out->places);
    status =
        team_agree(sent && out->places ? TOC_OK : team_fail(TOC_OUT_OF_MEMORY, "out of memory for %zu places", count));
    if (status == TOC_OK && w->places) {
        place_all(w, count, contacts, sent);
        status = serve_ranks(w);
    } else if (status == TOC_OK) {
        ask_rank_0(count, contacts, sent);
    }
    status = team_agree(status);
    if (status == TOC_OK) status = team_agree(set_names(sent, count, out->names, name_count, out->places));
    free(sent);
    return status;
}

void located_free(located *l) {
    free(l->places);
    free(l->names);
    *l = (located){0};
}
