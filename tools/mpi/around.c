// SPDX-License-Identifier: Apache-2.0
// The ranks ask in turn, some contacts at a time. Of each feature all others tell the lowest element around it; the
// lowest of all ranks is the answer, as on one machine. O(elements) of memory while contacts are written.
#include "tools/mpi/around.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ASKED = 1 << 14, NAME_ROOM = 252 };

// An element at a vertex.
typedef struct piece_corner {
    uint64_t vertex;
    uint32_t piece, element;
} piece_corner;

// A contact whose elements a rank asks for.
typedef struct asked_contact {
    uint64_t v[4];
    uint64_t second; // the place of the second feature in v
} asked_contact;

typedef struct part_record {
    int32_t group;
    char name[NAME_ROOM];
} part_record;

_Static_assert(sizeof(part_record) == 256, "no bytes between the fields");

typedef struct around {
    const pieces *p;
    piece_corner *corners; // sorted
    size_t corner_count;
    asked_contact *asked;
    uint64_t *lowest, *own_lowest; // two for each contact
    int32_t *groups, *own_groups;
} around;

// ---- elements at vertices

static int compare_piece_corners(const void *a, const void *b) {
    const piece_corner *x = a, *y = b;
    return x->vertex < y->vertex ? -1 : x->vertex > y->vertex;
}

static size_t list_piece_corners(const pieces *p, piece_corner *out) {
    size_t count = 0;
    for (uint32_t i = 0; i < p->count; i++)
        for (uint32_t e = 0; e < toc_mesh_get_element_count(p->at[i].mesh); e++) {
            const toc_element element = toc_mesh_get_element(p->at[i].mesh, e);
            for (int k = 0; k < element.corner_count; k++, count++)
                if (out) out[count] = (piece_corner){pieces_vertex_id(p, p->at[i].mesh, element.corners[k]), i, e};
        }
    return count;
}

static void close_around(around *a) {
    free(a->corners);
    free(a->asked);
    free(a->lowest);
    free(a->own_lowest);
    free(a->groups);
    free(a->own_groups);
}

static toc_status open_around(const pieces *p, around *a) {
    *a = (around){.p = p, .corner_count = list_piece_corners(p, NULL)};
    a->corners = malloc((a->corner_count + 1) * sizeof *a->corners);
    a->asked = malloc(ASKED * sizeof *a->asked);
    a->lowest = malloc(2 * ASKED * sizeof *a->lowest);
    a->own_lowest = malloc(2 * ASKED * sizeof *a->own_lowest);
    a->groups = malloc(2 * ASKED * sizeof *a->groups);
    a->own_groups = malloc(2 * ASKED * sizeof *a->own_groups);
    if (!a->corners || !a->asked || !a->lowest || !a->own_lowest || !a->groups || !a->own_groups)
        return team_fail(TOC_OUT_OF_MEMORY, "out of memory for the elements of contacts");
    list_piece_corners(p, a->corners);
    qsort(a->corners, a->corner_count, sizeof *a->corners, compare_piece_corners);
    return TOC_OK;
}

static bool element_has(const pieces *p, const toc_mesh *mesh, const toc_element *element, uint64_t vertex) {
    for (int k = 0; k < element->corner_count; k++)
        if (pieces_vertex_id(p, mesh, element->corners[k]) == vertex) return true;
    return false;
}

// The lowest element of this rank around a feature, and its group; UINT64_MAX for none.
static uint64_t lowest_around(const around *a, size_t count, const uint64_t *v, int32_t *group) {
    uint64_t lowest = UINT64_MAX;
    size_t low = 0, high = a->corner_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        *(a->corners[middle].vertex < v[0] ? &low : &high) = a->corners[middle].vertex < v[0] ? middle + 1 : middle;
    }
    for (; low < a->corner_count && a->corners[low].vertex == v[0]; low++) {
        const toc_mesh *mesh = a->p->at[a->corners[low].piece].mesh;
        const toc_element element = toc_mesh_get_element(mesh, a->corners[low].element);
        const uint64_t id = pieces_element_id(a->p, mesh, a->corners[low].element);
        bool has_all = id < lowest;
        for (size_t k = 1; k < count && has_all; k++) has_all = element_has(a->p, mesh, &element, v[k]);
        if (!has_all) continue;
        lowest = id;
        *group = element.group;
    }
    return lowest;
}

// ---- asking

static void answer_asked(around *a, size_t count, int rank) {
    for (size_t i = 0; i < count; i++) {
        const asked_contact *c = &a->asked[i];
        const size_t second = (size_t)c->second;
        a->own_lowest[2 * i] = lowest_around(a, second, c->v, &a->own_groups[2 * i]);
        a->own_lowest[2 * i + 1] = lowest_around(a, 4 - second, c->v + second, &a->own_groups[2 * i + 1]);
    }
    const int numbers = (int)(2 * count);
    MPI_Allreduce(a->own_lowest, a->lowest, numbers, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD);
    for (size_t i = 0; i < 2 * count; i++)
        if (a->own_lowest[i] != a->lowest[i] || a->lowest[i] == UINT64_MAX) a->own_groups[i] = INT32_MIN;
    MPI_Reduce(a->own_groups, a->groups, numbers, MPI_INT32_T, MPI_MAX, rank, MPI_COMM_WORLD);
}

static void put_asked(const toc_contact *contacts, size_t count, asked_contact *out) {
    for (size_t i = 0; i < count; i++) {
        out[i].second = contacts[i].kind == TOC_VF ? 1 : 2;
        for (int k = 0; k < 4; k++) out[i].v[k] = contacts[i].v[k];
    }
}

static void put_places(const around *a, size_t count, const toc_contact *contacts, toc_place *out) {
    const double start = a->p->start, end = a->p->end;
    for (size_t i = 0; i < count; i++) {
        out[i] = (toc_place){.time = isfinite(end) ? start + contacts[i].toc * (end - start) : start};
        for (int k = 0; k < 2; k++) {
            out[i].element[k] = (uint32_t)a->lowest[2 * i + (size_t)k];
            out[i].element_label[k] = (int64_t)a->lowest[2 * i + (size_t)k] + a->p->element_base;
            out[i].part[k] = a->groups[2 * i + (size_t)k];
        }
        for (int k = 0; k < 4; k++) out[i].vertex_label[k] = (int64_t)contacts[i].v[k] + a->p->vertex_base;
    }
}

// One rank after the other asks all. Collective.
static void ask_in_turn(around *a, size_t own_count, const toc_contact *contacts, toc_place *places) {
    for (int rank = 0; rank < team_size(); rank++) {
        const bool asks = rank == team_rank();
        uint64_t count = own_count;
        MPI_Bcast(&count, 1, MPI_UINT64_T, rank, MPI_COMM_WORLD);
        for (uint64_t first = 0; first < count; first += ASKED) {
            const size_t some = count - first < ASKED ? (size_t)(count - first) : ASKED;
            if (asks) put_asked(contacts + first, some, a->asked);
            MPI_Bcast(a->asked, (int)(some * sizeof *a->asked), MPI_BYTE, rank, MPI_COMM_WORLD);
            answer_asked(a, some, rank);
            if (asks) put_places(a, some, contacts + first, places + first);
        }
    }
}

// ---- names of parts

static int compare_records(const void *a, const void *b) {
    const part_record *x = a, *y = b;
    return (x->group > y->group) - (x->group < y->group);
}

static size_t keep_groups_once(part_record *records, size_t count) {
    size_t kept = 0;
    qsort(records, count, sizeof *records, compare_records);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || records[kept - 1].group != records[i].group) records[kept++] = records[i];
    return kept;
}

// The parts of this rank, each once.
static toc_status list_own_parts(const pieces *p, part_record **out, size_t *count) {
    size_t elements = 0, used = 0;
    int32_t last = INT32_MIN;
    for (size_t i = 0; i < p->count; i++) elements += toc_mesh_get_element_count(p->at[i].mesh);
    *out = NULL;
    for (size_t i = 0; i < p->count; i++)
        for (uint32_t e = 0; e < toc_mesh_get_element_count(p->at[i].mesh); e++) {
            const toc_element element = toc_mesh_get_element(p->at[i].mesh, e);
            if (element.shape == TOC_REMOVED || (used && element.group == last)) continue;
            if (used % 64 == 0) {
                part_record *grown = realloc(*out, (used + 64) * sizeof *grown);
                if (!grown)
                    return team_fail(TOC_OUT_OF_MEMORY, "out of memory for the parts of %zu elements", elements);
                *out = grown;
            }
            const char *name = toc_mesh_get_group_name(p->at[i].mesh, element.group);
            part_record *to = &(*out)[used++];
            memset(to, 0, sizeof *to);
            to->group = last = element.group;
            snprintf(to->name, sizeof to->name, "%s", name ? name : "");
        }
    *count = keep_groups_once(*out, used);
    return TOC_OK;
}

// The parts of all ranks, ascending, each once. Collective.
static toc_status share_parts(const pieces *p, part_record **out, size_t *count) {
    part_record *own = NULL, *all = NULL;
    int *bytes = calloc(2 * (size_t)team_size(), sizeof *bytes), *places = bytes ? bytes + team_size() : NULL,
        total = 0;
    size_t own_count = 0;
    toc_status status = bytes ? list_own_parts(p, &own, &own_count) : team_fail(TOC_OUT_OF_MEMORY, "out of memory");
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

// Labels are those of one machine: a mesh with an element of each part gives them.
static toc_status label_parts(const char *file, const part_record *parts, size_t count, tool_places **out) {
    static const double corners[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    static const uint32_t triangle[3] = {0, 1, 2};
    toc_mesh *mesh;
    toc_status status = toc_mesh_create(NULL, &mesh);
    if (status != TOC_OK) return status;
    status = toc_mesh_add_vertices(mesh, 3, corners, NULL);
    for (uint32_t i = 0; i < count && status == TOC_OK; i++) {
        status = toc_mesh_add_elements(mesh, TOC_TRIANGLE, 1, triangle, NULL);
        if (status == TOC_OK) status = toc_mesh_set_group(mesh, i, parts[i].group);
        if (status == TOC_OK && parts[i].name[0]) status = toc_mesh_set_group_name(mesh, parts[i].group, parts[i].name);
    }
    if (status == TOC_OK) status = tool_places_create(out);
    if (status == TOC_OK) status = tool_places_add_body(*out, file, mesh);
    toc_mesh_destroy(mesh);
    return status;
}

static const char *name_of_group(const tool_places *labels, char *const *names, int32_t group) {
    size_t low = 0, high = tool_places_part_count(labels);
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        *(tool_places_part(labels, middle)->group <= group ? &low : &high) = middle;
    }
    return names[low];
}

// Names in a block of the result, each once.
static toc_status put_names(const tool_places *labels, size_t count, located *out) {
    const size_t parts = tool_places_part_count(labels);
    char **table = calloc(parts + 1, sizeof *table);
    size_t size = 1;
    for (size_t i = 0; i < parts; i++) size += strlen(tool_places_part(labels, i)->label) + 1;
    out->names = calloc(size, 1);
    if (!table || !out->names) return free(table), team_fail(TOC_OUT_OF_MEMORY, "out of memory for %zu names", parts);
    char *at = out->names;
    for (size_t i = 0; i < parts; i++, at += strlen(at) + 1) {
        table[i] = at;
        memcpy(at, tool_places_part(labels, i)->label, strlen(tool_places_part(labels, i)->label) + 1);
    }
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < 2; k++) out->places[i].part_name[k] = name_of_group(labels, table, out->places[i].part[k]);
    free(table);
    return TOC_OK;
}

static toc_status find_names(const pieces *p, size_t count, located *out) {
    part_record *parts = NULL;
    size_t part_count = 0;
    tool_places *labels = NULL;
    toc_status status = share_parts(p, &parts, &part_count);
    if (status != TOC_OK) return status;
    if (part_count) status = label_parts(p->name, parts, part_count, &labels);
    if (status == TOC_OK && part_count) status = put_names(labels, count, out);
    tool_places_destroy(labels);
    free(parts);
    return team_agree(status);
}

toc_status around_find(const pieces *p, size_t count, const toc_contact *contacts, located *out) {
    around a;
    *out = (located){0};
    toc_status status = open_around(p, &a);
    out->places = calloc(count + 1, sizeof *out->places);
    if (status == TOC_OK && !out->places) status = team_fail(TOC_OUT_OF_MEMORY, "out of memory for %zu places", count);
    status = team_agree(status);
    if (status == TOC_OK) ask_in_turn(&a, count, contacts, out->places);
    close_around(&a);
    return status == TOC_OK ? find_names(p, count, out) : status;
}
