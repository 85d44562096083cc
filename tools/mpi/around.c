// SPDX-License-Identifier: Apache-2.0
// The ranks ask in turn, some contacts at a time. All ranks tell the lowest element of each part around each feature.
// Of these the rank chooses the lowest pair whose parts may touch, as one machine does. O(elements) of memory while
// contacts are written.
#include "tools/mpi/around.h"

#include "base/status.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { ASKED = 1 << 12 };

// An element at a vertex.
typedef struct file_corner {
    uint64_t vertex;
    uint32_t body, element;
} file_corner;

// A contact whose elements a rank asks for.
typedef struct asked_contact {
    uint64_t v[4];
    uint32_t body[2];
    uint64_t second; // the place of the second feature in v
} asked_contact;

// The lowest element of a part around a feature of a contact, and labels.
typedef struct found_element {
    uint32_t contact, side;
    uint64_t part;
    uint64_t element;
    int64_t label, vertex_label[3];
} found_element;

_Static_assert(sizeof(asked_contact) == 48 && sizeof(found_element) == 56, "no bytes between the fields");

// The position of a part by its group.
typedef struct part_place {
    uint32_t body;
    int32_t group;
    size_t part;
} part_place;

typedef struct around {
    const rank_step *step;
    file_corner *corners; // sorted
    size_t corner_count;
    part_place *parts; // sorted
    size_t part_count;
    asked_contact *asked;
    found_element *own, *all; // of this rank; of all ranks, where this one asks
    size_t own_count, own_room, all_room;
    int *bytes, *places; // by rank
} around;

// ---- elements at vertices

static int compare_file_corners(const void *a, const void *b) {
    const file_corner *x = a, *y = b;
    if (x->body != y->body) return x->body < y->body ? -1 : 1;
    return x->vertex < y->vertex ? -1 : x->vertex > y->vertex;
}

static size_t list_file_corners(const rank_step *step, file_corner *out) {
    size_t count = 0;
    for (uint32_t b = 0; b < step->file_count; b++) {
        const rank_file *f = &step->files[b];
        for (uint32_t e = 0; f->mesh && e < toc_mesh_get_element_count(f->mesh); e++) {
            const toc_element element = toc_mesh_get_element(f->mesh, e);
            for (int k = 0; k < element.corner_count; k++, count++)
                if (out) out[count] = (file_corner){file_vertex_id(f, element.corners[k]), b, e};
        }
    }
    return count;
}

static int compare_part_places(const void *a, const void *b) {
    const part_place *x = a, *y = b;
    if (x->body != y->body) return x->body < y->body ? -1 : 1;
    return (x->group > y->group) - (x->group < y->group);
}

static void close_around(around *a) {
    free(a->corners);
    free(a->parts);
    free(a->asked);
    free(a->own);
    free(a->all);
    free(a->bytes);
}

static toc_status open_around(const rank_step *step, around *a) {
    const tool_places *places = step->where->places;
    *a = (around){.step = step, .corner_count = list_file_corners(step, NULL)};
    a->part_count = tool_places_part_count(places);
    a->corners = malloc((a->corner_count + 1) * sizeof *a->corners);
    a->parts = malloc((a->part_count + 1) * sizeof *a->parts);
    a->asked = malloc(ASKED * sizeof *a->asked);
    a->bytes = malloc(2 * (size_t)team_size() * sizeof *a->bytes);
    if (!a->corners || !a->parts || !a->asked || !a->bytes)
        return team_fail(TOC_OUT_OF_MEMORY, "out of memory for the elements of contacts");
    a->places = a->bytes + team_size();
    list_file_corners(step, a->corners);
    qsort(a->corners, a->corner_count, sizeof *a->corners, compare_file_corners);
    for (size_t i = 0; i < a->part_count; i++) {
        const tool_part *part = tool_places_part(places, i);
        a->parts[i] = (part_place){part->body, part->group, i};
    }
    qsort(a->parts, a->part_count, sizeof *a->parts, compare_part_places);
    return TOC_OK;
}

static size_t part_of_group(const around *a, uint32_t body, int32_t group) {
    assert(a->part_count > 0);
    const part_place wanted = {body, group, 0},
                     *found = bsearch(&wanted, a->parts, a->part_count, sizeof wanted, compare_part_places);
    return found ? found->part : 0;
}

// ---- answers

// The corner of an element with an id; -1 for none.
static int corner_with(const rank_file *f, const toc_element *element, uint64_t vertex) {
    for (int k = 0; k < element->corner_count; k++)
        if (file_vertex_id(f, element->corners[k]) == vertex) return k;
    return -1;
}

// Whether an element is around a feature; with the labels of the vertices.
static bool read_feature(const rank_file *f, const toc_element *element, size_t count, const uint64_t *v,
                         int64_t labels[3]) {
    for (size_t k = 0; k < count; k++) {
        const int corner = corner_with(f, element, v[k]);
        if (corner < 0) return false;
        labels[k] = file_vertex_label(f, element->corners[corner]);
    }
    return true;
}

// Keep the lowest element of each part, behind the first records.
static toc_status keep_lowest(around *a, size_t first, const found_element *found) {
    for (size_t i = first; i < a->own_count; i++)
        if (a->own[i].part == found->part) {
            if (found->element < a->own[i].element) a->own[i] = *found;
            return TOC_OK;
        }
    if (a->own_count == a->own_room) {
        const size_t room = 2 * a->own_room + 1024;
        found_element *grown = realloc(a->own, room * sizeof *grown);
        if (!grown) return team_fail(TOC_OUT_OF_MEMORY, "out of memory for the elements of contacts");
        a->own = grown;
        a->own_room = room;
    }
    a->own[a->own_count++] = *found;
    return TOC_OK;
}

static toc_status find_elements_around(around *a, uint32_t contact, uint32_t side, size_t count, const uint64_t *v) {
    const uint32_t body = a->asked[contact].body[side];
    const rank_file *f = &a->step->files[body];
    const file_corner wanted = {v[0], body, 0};
    const size_t first = a->own_count;
    toc_status status = TOC_OK;
    size_t low = 0, high = a->corner_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const bool before = compare_file_corners(&a->corners[middle], &wanted) < 0;
        *(before ? &low : &high) = before ? middle + 1 : middle;
    }
    for (; low < a->corner_count && compare_file_corners(&a->corners[low], &wanted) == 0 && status == TOC_OK; low++) {
        const uint32_t e = a->corners[low].element;
        const toc_element element = toc_mesh_get_element(f->mesh, e);
        found_element found = {.contact = contact, .side = side, .element = file_element_id(f, e)};
        if (!read_feature(f, &element, count, v, found.vertex_label)) continue;
        found.part = part_of_group(a, body, element.group);
        found.label = file_element_label(f, e);
        status = keep_lowest(a, first, &found);
    }
    return status;
}

static toc_status answer_asked(around *a, uint32_t count) {
    toc_status status = TOC_OK;
    a->own_count = 0;
    for (uint32_t i = 0; i < count && status == TOC_OK; i++) {
        const asked_contact *c = &a->asked[i];
        const size_t second = (size_t)c->second;
        status = find_elements_around(a, i, 0, second, c->v);
        if (status == TOC_OK) status = find_elements_around(a, i, 1, 4 - second, c->v + second);
    }
    return status;
}

// Send the answers of all ranks to the one that asks. Collective.
static toc_status send_answers(around *a, toc_status status, int rank, size_t *count) {
    const size_t size = a->own_count * sizeof *a->own;
    const int own = (int)size;
    uint64_t total = 0;
    if (status == TOC_OK && size > INT32_MAX)
        status = team_fail(TOC_BAD_INPUT, "too many parts meet at the vertices of contacts");
    status = team_agree(status);
    if (status != TOC_OK) return status;
    MPI_Gather(&own, 1, MPI_INT, a->bytes, 1, MPI_INT, rank, MPI_COMM_WORLD);
    for (int r = 0; r < team_size() && rank == team_rank(); r++) {
        a->places[r] = (int)total;
        total += (uint64_t)a->bytes[r];
    }
    if (total > INT32_MAX) status = team_fail(TOC_BAD_INPUT, "too many parts meet at the vertices of contacts");
    if (status == TOC_OK && total > a->all_room) {
        free(a->all);
        a->all = malloc(total);
        a->all_room = a->all ? total : 0;
        if (!a->all) status = team_fail(TOC_OUT_OF_MEMORY, "out of memory for the elements of contacts");
    }
    status = team_agree(status);
    if (status == TOC_OK)
        MPI_Gatherv(a->own, own, MPI_BYTE, a->all, a->bytes, a->places, MPI_BYTE, rank, MPI_COMM_WORLD);
    *count = (size_t)total / sizeof *a->all;
    return status;
}

// ---- choice

static int compare_found(const void *a, const void *b) {
    const found_element *x = a, *y = b;
    if (x->contact != y->contact) return x->contact < y->contact ? -1 : 1;
    if (x->side != y->side) return x->side < y->side ? -1 : 1;
    return x->element < y->element ? -1 : x->element > y->element;
}

// The lowest elements around both features whose parts may touch; else the lowest.
static void choose_found(const tool_places *places, const found_element *found, size_t second, size_t count,
                         const found_element *out[2]) {
    out[0] = &found[0];
    out[1] = &found[second];
    for (size_t i = 0; i < second; i++)
        for (size_t j = second; j < count; j++) {
            if (!tool_places_meet(places, found[i].part, found[j].part)) continue;
            out[0] = &found[i];
            out[1] = &found[j];
            return;
        }
}

static void fill_found_place(const tool_places *places, size_t second, const found_element *const chosen[2],
                             toc_place *out) {
    for (size_t k = 0; k < 2; k++) {
        const tool_part *part = tool_places_part(places, chosen[k]->part);
        out->element[k] = (uint32_t)chosen[k]->element;
        out->element_label[k] = chosen[k]->label;
        out->part[k] = part->number;
        out->part_name[k] = part->label;
    }
    for (size_t k = 0; k < 4; k++)
        out->vertex_label[k] = chosen[k >= second]->vertex_label[k < second ? k : k - second];
}

// @param count answers, to the contacts asked.
static void place_asked(around *a, size_t count, const toc_contact *contacts, toc_place *out) {
    const tool_places *places = a->step->where->places;
    if (count) qsort(a->all, count, sizeof *a->all, compare_found);
    for (size_t first = 0, end; first < count; first = end) {
        const uint32_t contact = a->all[first].contact;
        const found_element *chosen[2];
        size_t second = first;
        for (end = first; end < count && a->all[end].contact == contact; end++) second += a->all[end].side == 0;
        out[contact].time = tool_time_between(a->step->start, a->step->end, contacts[contact].toc);
        if (second == first || second == end) continue; // no rank has the element
        choose_found(places, a->all + first, second - first, end - first, chosen);
        fill_found_place(places, contacts[contact].kind == TOC_VF ? 1 : 2, chosen, &out[contact]);
    }
}

// ---- asking

static void put_asked(const toc_contact *contacts, size_t count, asked_contact *out) {
    for (size_t i = 0; i < count; i++) {
        out[i].second = contacts[i].kind == TOC_VF ? 1 : 2;
        for (int k = 0; k < 4; k++) out[i].v[k] = contacts[i].v[k];
        for (int k = 0; k < 2; k++) out[i].body[k] = contacts[i].body[k];
    }
}

static toc_status ask_some(around *a, int rank, size_t count, const toc_contact *contacts, toc_place *places) {
    const bool asks = rank == team_rank();
    size_t answers = 0;
    if (asks) put_asked(contacts, count, a->asked);
    MPI_Bcast(a->asked, (int)(count * sizeof *a->asked), MPI_BYTE, rank, MPI_COMM_WORLD);
    const toc_status status = send_answers(a, answer_asked(a, (uint32_t)count), rank, &answers);
    if (status == TOC_OK && asks) place_asked(a, answers, contacts, places);
    return status;
}

// One rank after the other asks all. Collective.
static toc_status ask_in_turn(around *a, size_t own_count, const toc_contact *contacts, toc_place *places) {
    for (int rank = 0; rank < team_size(); rank++) {
        uint64_t count = own_count;
        MPI_Bcast(&count, 1, MPI_UINT64_T, rank, MPI_COMM_WORLD);
        for (uint64_t first = 0; first < count; first += ASKED) {
            const size_t some = count - first < ASKED ? (size_t)(count - first) : ASKED,
                         own = rank == team_rank() ? first : 0;
            TOC_TRY(ask_some(a, rank, some, contacts + own, places + own));
        }
    }
    return TOC_OK;
}

toc_status around_find(const rank_step *step, size_t count, const toc_contact *contacts, toc_place **out) {
    around a;
    toc_status status = open_around(step, &a);
    *out = calloc(count + 1, sizeof **out);
    if (status == TOC_OK && !*out) status = team_fail(TOC_OUT_OF_MEMORY, "out of memory for %zu places", count);
    status = team_agree(status);
    if (status == TOC_OK) status = ask_in_turn(&a, count, contacts, *out);
    close_around(&a);
    return status;
}
