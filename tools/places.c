// SPDX-License-Identifier: Apache-2.0
// Parts and places. The elements at each vertex are listed anew when the elements of a body have changed: O(n). A place
// is then found in the time that the elements around the feature take.
#include "tools/places.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/platform/platform.h"
#include "base/status.h"
#include "tools/guess.h"
#include "tools/output.h"

enum { MOST_SELECTIONS = 32, MOST_FILTERED = 3000 };

// A part with the selections that name it, a bit for each.
typedef struct known_part {
    tool_part part;
    char *label;
    bool selected, ignored;
    uint32_t between[2], apart[2];
} known_part;

typedef struct known_body {
    char *file;
    const toc_mesh *mesh;
    uint64_t revision;
    uint32_t *first, *elements; // the elements at each vertex, side by side
    uint32_t *parts;            // by element: the position of its part
    size_t element_count, vertex_count;
} known_body;

struct tool_places {
    known_body *bodies;
    size_t body_count;
    known_part *parts; // in the order of bodies; parts that come later are behind
    size_t part_count, capacity;
    uint32_t *slots; // a hash table: position + 1, 0 where free
    size_t slot_count;
    bool filtered, selects, no_self;
    uint32_t between, apart; // the selections that exist
};

toc_status tool_places_create(tool_places **out) {
    *out = calloc(1, sizeof **out);
    return *out ? TOC_OK : tool_fail_memory();
}

static void free_lists(known_body *body) {
    free(body->first);
    free(body->elements);
    free(body->parts);
    body->first = body->elements = body->parts = NULL;
}

void tool_places_destroy(tool_places *places) {
    if (!places) return;
    for (size_t i = 0; i < places->body_count; i++) {
        free(places->bodies[i].file);
        free_lists(&places->bodies[i]);
    }
    for (size_t i = 0; i < places->part_count; i++) free(places->parts[i].label);
    free(places->bodies);
    free(places->parts);
    free(places->slots);
    free(places);
}

size_t tool_places_body_count(const tool_places *places) { return places->body_count; }
const char *tool_places_file(const tool_places *places, uint32_t body) { return places->bodies[body].file; }
size_t tool_places_part_count(const tool_places *places) { return places->part_count; }
const tool_part *tool_places_part(const tool_places *places, size_t i) {
    assert(i < places->part_count);
    return &places->parts[i].part;
}

bool tool_places_have_labels(const tool_places *places) {
    for (size_t i = 0; i < places->body_count; i++)
        if (places->bodies[i].mesh && toc_mesh_get_vertex_label(places->bodies[i].mesh, 0, NULL)) return true;
    return false;
}

// ---- parts

// The slot of a part in the hash table, or the free one for it.
static size_t part_slot(const tool_places *places, uint32_t body, int32_t group) {
    assert(places->slot_count > 0);
    size_t i = ((uint64_t)body << 32 | (uint32_t)group) * UINT64_C(0x9e3779b97f4a7c15) >> 32;
    for (;; i++) {
        i &= places->slot_count - 1;
        if (places->slots[i] == 0) return i;
        const tool_part *part = &places->parts[places->slots[i] - 1].part;
        if (part->body == body && part->group == group) return i;
    }
}

// The position of a part; part_count if it is unknown.
static size_t find_part(const tool_places *places, uint32_t body, int32_t group) {
    const uint32_t found = places->slot_count ? places->slots[part_slot(places, body, group)] : 0;
    return found ? found - 1 : places->part_count;
}

// Twice as many parts have room. Half of the slots are free at least.
static toc_status grow_parts(tool_places *places) {
    const size_t capacity = 2 * places->capacity + 16;
    size_t slots = 64;
    while (slots < 2 * capacity) slots *= 2;
    known_part *parts = realloc(places->parts, capacity * sizeof *parts);
    if (parts) places->parts = parts;
    uint32_t *table = calloc(slots, sizeof *table);
    if (!parts || !table) return free(table), tool_fail_memory();
    free(places->slots);
    places->slots = table;
    places->slot_count = slots;
    places->capacity = capacity;
    for (size_t i = 0; i < places->part_count; i++)
        table[part_slot(places, parts[i].part.body, parts[i].part.group)] = (uint32_t)i + 1;
    return TOC_OK;
}

// Of very many parts, labels may be alike.
static bool is_label_taken(const tool_places *places, const char *label) {
    for (size_t i = 0; i < places->part_count && places->part_count <= MOST_FILTERED; i++)
        if (strcmp(places->parts[i].label, label) == 0) return true;
    return false;
}

// The name in the file, else the number, or the name of a file without parts. A label that is taken gets an addition.
static char *make_label(const tool_places *places, uint32_t body, int32_t number, const char *name) {
    assert(body < places->body_count);
    const char *file = tool_path_name(places->bodies[body].file);
    char *label, *longer;
    if (!name && number == 0) {
        if (asprintf(&label, "%s", file) < 0) return NULL;
    } else if ((name ? asprintf(&label, "%s", name) : asprintf(&label, "part %d", (int)number)) < 0) {
        return NULL;
    }
    for (int additions = 0; is_label_taken(places, label); additions++) {
        const int length = additions == 0 ? asprintf(&longer, "%s (%d)", label, (int)number)
                                          : asprintf(&longer, "%s, %s", label, file);
        free(label);
        if (length < 0) return NULL;
        label = longer;
    }
    return label;
}

static toc_status add_part(tool_places *places, uint32_t body, int32_t group, int32_t number, const char *name) {
    if (places->part_count == places->capacity) {
        const toc_status status = grow_parts(places);
        if (status != TOC_OK) return status;
    }
    char *label = make_label(places, body, number, name);
    if (!label) return tool_fail_memory();
    places->slots[part_slot(places, body, group)] = (uint32_t)places->part_count + 1;
    places->parts[places->part_count++] =
        (known_part){.part = {.body = body, .group = group, .number = number, .label = label}, .label = label};
    return TOC_OK;
}

// Give the elements of a group another one that no body has.
static toc_status move_group(toc_mesh *mesh, int32_t group, int32_t to) {
    const size_t count = toc_mesh_get_element_count(mesh);
    TOC_TRY(toc_mesh_set_group_name(mesh, to, toc_mesh_get_group_name(mesh, group)));
    for (uint32_t e = 0; e < count; e++)
        if (toc_mesh_get_element(mesh, e).group == group) TOC_TRY(toc_mesh_set_group(mesh, e, to));
    return TOC_OK;
}

static int32_t free_group(const tool_places *places, const toc_mesh *mesh) {
    int32_t highest = 0;
    for (size_t i = 0; i < places->part_count; i++)
        if (places->parts[i].part.group > highest) highest = places->parts[i].part.group;
    for (uint32_t e = 0; e < toc_mesh_get_element_count(mesh); e++) {
        const int32_t group = toc_mesh_get_element(mesh, e).group;
        if (group > highest) highest = group;
    }
    return highest < INT32_MAX ? highest + 1 : INT32_MIN;
}

static int compare_numbers(const void *a, const void *b) {
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

// The groups of the elements of a mesh, ascending, each once.
static size_t list_groups(const toc_mesh *mesh, int32_t *groups) {
    size_t used = 0, count = 0;
    for (uint32_t e = 0; e < toc_mesh_get_element_count(mesh); e++) {
        const toc_element element = toc_mesh_get_element(mesh, e);
        if (element.shape != TOC_REMOVED) groups[used++] = element.group;
    }
    qsort(groups, used, sizeof *groups, compare_numbers);
    for (size_t i = 0; i < used; i++)
        if (i == 0 || groups[i] != groups[i - 1]) groups[count++] = groups[i];
    return count;
}

static toc_status add_parts_of(tool_places *places, uint32_t body, toc_mesh *mesh, size_t count,
                               const int32_t *groups) {
    const size_t before = places->part_count;
    toc_status status = TOC_OK;
    for (size_t i = 0; i < count && status == TOC_OK; i++) {
        int32_t group = groups[i];
        bool taken = false;
        for (size_t k = 0; k < before && !taken; k++) taken = places->parts[k].part.group == group;
        if (taken) {
            group = free_group(places, mesh);
            status = move_group(mesh, groups[i], group);
        }
        // The move names a group, so that names taken before are no longer valid.
        if (status == TOC_OK) status = add_part(places, body, group, groups[i], toc_mesh_get_group_name(mesh, group));
    }
    return status;
}

toc_status tool_places_add_body(tool_places *places, const char *file, toc_mesh *mesh) {
    known_body *bodies = realloc(places->bodies, (places->body_count + 1) * sizeof *bodies);
    int32_t *groups = calloc(toc_mesh_get_element_count(mesh) + 1, sizeof *groups);
    char *copy = strdup(file);
    if (bodies) places->bodies = bodies;
    if (!bodies || !groups || !copy) {
        free(groups);
        free(copy);
        return tool_fail_memory();
    }
    const uint32_t body = (uint32_t)places->body_count++;
    bodies[body] = (known_body){.file = copy};
    const toc_status status = add_parts_of(places, body, mesh, list_groups(mesh, groups), groups);
    free(groups);
    return status;
}

// ---- elements at vertices

static void count_corners(known_body *body) {
    memset(body->first, 0, (body->vertex_count + 2) * sizeof *body->first);
    for (uint32_t e = 0; e < body->element_count; e++) {
        const toc_element element = toc_mesh_get_element(body->mesh, e);
        for (int k = 0; k < element.corner_count; k++) body->first[element.corners[k] + 2]++;
    }
    for (size_t v = 2; v < body->vertex_count + 2; v++) body->first[v] += body->first[v - 1];
}

// Each list is filled through first[v + 1], which is then the end of the list of v.
static void fill_lists(known_body *body) {
    for (uint32_t e = 0; e < body->element_count; e++) {
        const toc_element element = toc_mesh_get_element(body->mesh, e);
        for (int k = 0; k < element.corner_count; k++) body->elements[body->first[element.corners[k] + 1]++] = e;
    }
}

static toc_status note_parts(tool_places *places, uint32_t b) {
    assert(b < places->body_count);
    known_body *body = &places->bodies[b];
    for (uint32_t e = 0; e < body->element_count; e++) {
        const toc_element element = toc_mesh_get_element(body->mesh, e);
        if (element.shape == TOC_REMOVED) continue;
        const size_t part = find_part(places, b, element.group);
        if (part == places->part_count) {
            const char *name = toc_mesh_get_group_name(body->mesh, element.group);
            const toc_status status = add_part(places, b, element.group, element.group, name);
            if (status != TOC_OK) return status;
        }
        body->parts[e] = (uint32_t)part;
    }
    return TOC_OK;
}

static toc_status follow_body(tool_places *places, uint32_t b, const toc_mesh *mesh) {
    assert(b < places->body_count && mesh);
    known_body *body = &places->bodies[b];
    size_t corners = 0;
    free_lists(body);
    body->mesh = mesh;
    body->revision = toc_mesh_get_revision(mesh);
    body->vertex_count = toc_mesh_get_vertex_count(mesh);
    body->element_count = toc_mesh_get_element_count(mesh);
    for (uint32_t e = 0; e < body->element_count; e++) corners += (size_t)toc_mesh_get_element(mesh, e).corner_count;
    body->first = calloc(body->vertex_count + 2, sizeof *body->first);
    body->elements = calloc(corners + 1, sizeof *body->elements);
    body->parts = calloc(body->element_count + 1, sizeof *body->parts);
    if (!body->first || !body->elements || !body->parts) return tool_fail_memory();
    count_corners(body);
    fill_lists(body);
    return note_parts(places, b);
}

toc_status tool_places_follow(tool_places *places, const toc_scene *scene) {
    for (uint32_t b = 0; b < places->body_count; b++) {
        const toc_mesh *mesh = toc_scene_get_mesh(scene, b);
        const known_body *body = &places->bodies[b];
        if (body->first && body->mesh == mesh && body->revision == toc_mesh_get_revision(mesh)) continue;
        TOC_TRY(follow_body(places, b, mesh));
    }
    return TOC_OK;
}

void tool_places_forget(tool_places *places) {
    for (size_t b = 0; b < places->body_count; b++) places->bodies[b].mesh = NULL;
}

// ---- places

static bool has_corner(const toc_element *element, uint32_t v) {
    for (int k = 0; k < element->corner_count; k++)
        if (element->corners[k] == v) return true;
    return false;
}

// Whether an element has all vertices of a feature but the first, at which it was found.
static bool has_feature(const known_body *body, uint32_t e, int corners, const uint32_t *v) {
    assert(e < body->element_count && corners > 0);
    const toc_element element = toc_mesh_get_element(body->mesh, e);
    for (int k = 1; k < corners; k++)
        if (!has_corner(&element, v[k])) return false;
    return true;
}

// The next element around a feature from a position in the list of its first vertex; UINT32_MAX past the last.
static uint32_t next_around(const known_body *body, int corners, const uint32_t *v, uint32_t *at) {
    for (; *at < body->first[v[0] + 1]; (*at)++) {
        const uint32_t e = body->elements[*at];
        if (has_feature(body, e, corners, v)) return (*at)++, e;
    }
    return UINT32_MAX;
}

static bool pairs_up(const uint32_t a[2], const uint32_t b[2]) { return (a[0] & b[1]) || (a[1] & b[0]); }

bool tool_places_meet(const tool_places *places, size_t i, size_t j) {
    assert(i < places->part_count && j < places->part_count);
    const known_part *a = &places->parts[i], *b = &places->parts[j];
    if (!places->filtered) return true;
    if (places->selects && !(a->selected && b->selected)) return false;
    if (a->ignored || b->ignored || (places->no_self && i == j)) return false;
    if (places->between && !pairs_up(a->between, b->between)) return false;
    return !pairs_up(a->apart, b->apart);
}

// Choose the lowest elements around both features whose parts may touch; else the lowest.
static void choose_elements(const tool_places *places, const known_body *const bodies[2], const int corners[2],
                            const uint32_t *const v[2], uint32_t chosen[2]) {
    uint32_t i = bodies[0]->first[v[0][0]];
    bool any = false;
    for (uint32_t a; (a = next_around(bodies[0], corners[0], v[0], &i)) != UINT32_MAX;) {
        uint32_t j = bodies[1]->first[v[1][0]];
        for (uint32_t b; (b = next_around(bodies[1], corners[1], v[1], &j)) != UINT32_MAX;) {
            const bool meet = tool_places_meet(places, bodies[0]->parts[a], bodies[1]->parts[b]);
            if (any && !meet) continue;
            any = true;
            chosen[0] = a;
            chosen[1] = b;
            if (meet) return;
        }
    }
}

static void fill_place(const tool_places *places, const uint32_t body[2], const uint32_t elements[2], toc_place *out,
                       size_t parts[2]) {
    for (int k = 0; k < 2; k++) {
        const known_body *in = &places->bodies[body[k]];
        const size_t part = elements[k] < in->element_count ? in->parts[elements[k]] : 0;
        out->element[k] = elements[k];
        toc_mesh_get_element_label(in->mesh, elements[k], &out->element_label[k]);
        out->part[k] = places->parts[part].part.number;
        out->part_name[k] = places->parts[part].label;
        if (parts) parts[k] = part;
    }
}

void tool_places_find(const tool_places *places, toc_kind kind, const uint32_t body[2], const uint32_t v[4],
                      toc_place *out, size_t parts[2]) {
    assert(kind == TOC_VF || kind == TOC_EE);
    const int second = kind == TOC_VF ? 1 : 2, corners[2] = {second, 4 - second};
    const known_body *const bodies[2] = {&places->bodies[body[0]], &places->bodies[body[1]]};
    const uint32_t *const features[2] = {v, v + second};
    uint32_t elements[2] = {0, 0};
    *out = (toc_place){0};
    choose_elements(places, bodies, corners, features, elements);
    for (int k = 0; k < 4; k++) toc_mesh_get_vertex_label(bodies[k >= second]->mesh, v[k], &out->vertex_label[k]);
    fill_place(places, body, elements, out, parts);
}

void tool_places_find_overlap(const tool_places *places, const toc_overlap_pair *pair, toc_place *out,
                              size_t parts[2]) {
    *out = (toc_place){0};
    uint32_t elements[2] = {pair->element[0], pair->element[1]};
    const known_body *const bodies[2] = {&places->bodies[pair->body[0]], &places->bodies[pair->body[1]]};
    if (pair->v[0][0] != UINT32_MAX) {
        choose_elements(places, bodies, (const int[]){3, 3}, (const uint32_t *const[]){pair->v[0], pair->v[1]},
                        elements);
        for (int k = 0; k < 6; k++)
            toc_mesh_get_vertex_label(bodies[k / 3]->mesh, pair->v[k / 3][k % 3], &out->vertex_label[k]);
    }
    fill_place(places, pair->body, elements, out, parts);
}

// ---- selection

static bool part_is(const known_part *part, const char *text) {
    char *end;
    const long number = strtol(text, &end, 10);
    if (end != text && !*end) return part->part.number == number;
    return strcmp(part->label, text) == 0 || toc_text_matches(text, part->label);
}

static const tool_places *listed;
static const char *listed_label(size_t i) { return i < listed->part_count ? listed->parts[i].label : NULL; }

static toc_status refuse_part(const tool_places *places, const char *option, const char *text) {
    char list[600];
    size_t length = 0;
    for (size_t i = 0; i < places->part_count && length + 80 < sizeof list; i++)
        length += (size_t)snprintf(list + length, sizeof list - length, "%s%d %.60s", i ? ", " : "",
                                   (int)places->parts[i].part.number, places->parts[i].label);
    listed = places;
    return tool_fail(TOC_BAD_INPUT, "--%s: no part \"%s\"%s %s%s", option, text,
                     tool_guess_text(listed_label, "", text, "the parts are"), list,
                     length + 80 < sizeof list ? "" : ", ...");
}

typedef void mark_part(known_part *part, unsigned bit);

static void mark_selected(known_part *part, unsigned bit) { (void)bit, part->selected = true; }
static void mark_ignored(known_part *part, unsigned bit) { (void)bit, part->ignored = true; }
static void mark_between_first(known_part *part, unsigned bit) { part->between[0] |= 1u << bit; }
static void mark_between_second(known_part *part, unsigned bit) { part->between[1] |= 1u << bit; }
static void mark_apart_first(known_part *part, unsigned bit) { part->apart[0] |= 1u << bit; }
static void mark_apart_second(known_part *part, unsigned bit) { part->apart[1] |= 1u << bit; }

static toc_status mark_parts(tool_places *places, const char *option, const char *text, mark_part *mark, unsigned bit) {
    bool found = false;
    for (size_t i = 0; i < places->part_count; i++) {
        if (!part_is(&places->parts[i], text)) continue;
        mark(&places->parts[i], bit);
        found = true;
    }
    return found ? TOC_OK : refuse_part(places, option, text);
}

// A list with commas between its items; a label that contains a comma is found whole.
static toc_status mark_list(tool_places *places, const char *option, const char *text, mark_part *mark) {
    assert(mark);
    char *copy = strdup(text), *at = copy;
    toc_status status = copy ? TOC_OK : tool_fail_memory();
    if (copy && is_label_taken(places, text)) return free(copy), mark_parts(places, option, text, mark, 0);
    while (at && status == TOC_OK) {
        char *comma = strchr(at, ',');
        if (comma) *comma++ = 0;
        status = mark_parts(places, option, at, mark, 0);
        at = comma;
    }
    free(copy);
    return status;
}

// Two parts with a separator between them. A part name may contain the separator: the first place where both sides
// name a part counts, else the first place.
static toc_status mark_pair(tool_places *places, const char *option, const char *text, char separator, mark_part *first,
                            mark_part *second, unsigned bit) {
    assert(first && second);
    char *copy = strdup(text), *at = copy ? strchr(copy, separator) : NULL;
    if (!copy) return tool_fail_memory();
    toc_status status = TOC_BAD_INPUT;
    if (!at) status = tool_fail(TOC_BAD_INPUT, "--%s takes two parts, A%cB, not \"%s\"", option, separator, text);
    for (; at && status == TOC_BAD_INPUT; at = strchr(at + 1, separator)) {
        *at = 0;
        status = mark_parts(places, option, copy, first, bit);
        if (status == TOC_OK) status = mark_parts(places, option, at + 1, second, bit);
        *at = separator;
    }
    free(copy);
    return status;
}

static toc_status select_ignored(tool_places *places, const tool_texts *ignore) {
    for (unsigned i = 0; i < ignore->count; i++) {
        const char *text = ignore->at[i];
        const bool pair = strchr(text, ':') && !is_label_taken(places, text);
        if (pair) places->apart |= 1u << i;
        TOC_TRY(pair ? mark_pair(places, "ignore", text, ':', mark_apart_first, mark_apart_second, i)
                     : mark_list(places, "ignore", text, mark_ignored));
    }
    return TOC_OK;
}

toc_status tool_places_select(tool_places *places, const tool_part_filter *filter) {
    toc_status status = TOC_OK;
    _Static_assert((int)TOOL_MOST_TEXTS <= (int)MOST_SELECTIONS, "each selection has a bit");
    places->no_self = filter->no_self;
    places->selects = filter->parts.count > 0;
    places->filtered = filter->no_self || filter->parts.count || filter->between.count || filter->ignore.count;
    for (unsigned i = 0; i < filter->parts.count && status == TOC_OK; i++)
        status = mark_list(places, "parts", filter->parts.at[i], mark_selected);
    for (unsigned i = 0; i < filter->between.count && status == TOC_OK; i++) {
        places->between |= 1u << i;
        status = mark_pair(places, "between", filter->between.at[i], ',', mark_between_first, mark_between_second, i);
    }
    if (status == TOC_OK) status = select_ignored(places, &filter->ignore);
    if (status == TOC_OK && places->filtered && places->part_count > MOST_FILTERED)
        status = tool_fail(TOC_BAD_INPUT,
                           "the files have %zu parts; --parts, --between, --ignore and --no-self take "
                           "%d at most",
                           places->part_count, MOST_FILTERED);
    return status;
}

toc_status tool_places_apply(const tool_places *places, toc_scene *scene) {
    toc_status status = TOC_OK;
    for (size_t i = 0; i < places->part_count && places->filtered; i++) {
        for (size_t j = i; j < places->part_count && status == TOC_OK; j++) {
            const int32_t a = places->parts[i].part.group, b = places->parts[j].part.group;
            if (!tool_places_meet(places, i, j)) status = toc_scene_set_group_contact(scene, a, b, false);
        }
    }
    return status;
}
