// SPDX-License-Identifier: Apache-2.0
// A mesh out of the parts of an Abaqus model, each where its instance puts it.
//
// A model of one part, as CalculiX has it, is handed over without a copy. Each set that elements belong to is a group
// of its own in each instance, so that instances of one part can be told apart.
#include <math.h>
#include <strings.h>

#include "io/abaqus/abaqus.h"

static void free_part(const toc_allocator *memory, toc_abaqus_part *part) {
    toc_labels_free(&part->nodes);
    toc_labels_free(&part->elements);
    toc_parts_free(&part->content, memory);
    toc_array_free(memory, &part->sets);
    toc_array_free(memory, &part->ranges);
}

void toc_abaqus_free(toc_abaqus *model) {
    for (size_t i = 0; i < model->parts.count; i++) free_part(&model->allocator, &model->parts.at[i]);
    toc_array_free(&model->allocator, &model->parts);
    toc_array_free(&model->allocator, &model->instances);
}

toc_status toc_abaqus_find_set(const toc_abaqus *model, toc_abaqus_part *part, const char *name, size_t *out) {
    for (size_t i = 0; i < part->sets.count; i++) {
        if (strcasecmp(part->sets.at[i].name, name) != 0) continue;
        *out = i;
        return TOC_OK;
    }
    TOC_TRY(toc_array_reserve(&model->allocator, &part->sets, 1));
    toc_abaqus_set set = {.thickness = 0};
    memcpy(set.name, name, strlen(name) + 1);
    *out = part->sets.count;
    part->sets.at[part->sets.count++] = set;
    return TOC_OK;
}

/// Call for each element of a set, as its place in the part; labels that are no elements are passed over.
typedef toc_status element_visitor(void *user, size_t element);

static int64_t label_of(const toc_labels *labels, size_t i) {
    return labels->labels.count > 0 ? labels->labels.at[i] : (int64_t)((uint64_t)labels->first + i);
}

/// A range may be longer than the part: then it is the elements that are gone through.
static toc_status visit_range(const toc_abaqus_part *part, const toc_abaqus_range *r, element_visitor *visit,
                              void *user) {
    const size_t count = part->elements.count;
    if (r->last >= r->first && (uint64_t)(r->last - r->first) / (uint64_t)r->step > count) {
        for (size_t i = 0; i < count; i++) {
            const int64_t label = label_of(&part->elements, i);
            if (label >= r->first && label <= r->last && (label - r->first) % r->step == 0) TOC_TRY(visit(user, i));
        }
        return TOC_OK;
    }
    for (int64_t label = r->first; label <= r->last; label += r->step) {
        const int64_t element = count > 0 ? toc_labels_find(&part->elements, label) : TOC_LABEL_MISSING;
        if (element != TOC_LABEL_MISSING) TOC_TRY(visit(user, (size_t)element));
    }
    return TOC_OK;
}

static toc_status visit_set(const toc_abaqus_part *part, size_t set, element_visitor *visit, void *user) {
    for (size_t i = 0; i < part->ranges.count; i++)
        if (part->ranges.at[i].set == set) TOC_TRY(visit_range(part, &part->ranges.at[i], visit, user));
    return TOC_OK;
}

/// What of a part goes into the mesh, and from which element on.
typedef struct placing {
    const toc_abaqus_part *part;
    toc_mesh *mesh;
    uint32_t first;
    int32_t base; // group 0 of the part
    int32_t group;
    double thickness;
} placing;

static toc_status give_group(void *user, size_t element) {
    const placing *p = user;
    const uint32_t id = p->first + (uint32_t)element;
    const toc_element e = toc_mesh_get_element(p->mesh, id);
    return e.group == p->base ? toc_mesh_set_group(p->mesh, id, p->group) : TOC_OK;
}

static toc_status give_thickness(void *user, size_t element) {
    const placing *p = user;
    return toc_mesh_set_thickness(p->mesh, p->first + (uint32_t)element, p->thickness);
}

/// Elements whose *ELEMENT names no set belong to the first set that lists them.
static toc_status give_groups(placing *p) {
    for (size_t set = 0; set < p->part->sets.count; set++) {
        p->group = p->base + 1 + (int32_t)set;
        TOC_TRY(visit_set(p->part, set, give_group, p));
    }
    return TOC_OK;
}

static toc_status give_thicknesses(placing *p) {
    const toc_abaqus_part *part = p->part;
    const size_t count = toc_mesh_get_element_count(p->mesh) - p->first;
    for (size_t i = 0; i < part->sets.count; i++) {
        p->thickness = part->sets.at[i].thickness;
        if (p->thickness > 0) TOC_TRY(visit_set(part, i, give_thickness, p));
    }
    for (size_t i = 0; i < count; i++) {
        const int32_t set = toc_mesh_get_element(p->mesh, p->first + (uint32_t)i).group - p->base - 1;
        p->thickness = set >= 0 ? part->sets.at[set].thickness : 0;
        if (p->thickness > 0) TOC_TRY(give_thickness(p, i));
    }
    return TOC_OK;
}

static toc_status name_groups(const placing *p, const char *instance) {
    char name[2 * TOC_ABAQUS_NAME + 2];
    const size_t length = strlen(instance);
    memcpy(name, instance, length + 1);
    TOC_TRY(toc_mesh_set_group_name(p->mesh, p->base, name));
    if (length > 0) name[length] = '.';
    for (size_t i = 0; i < p->part->sets.count; i++) {
        const char *set = p->part->sets.at[i].name;
        memcpy(name + length + (length > 0), set, strlen(set) + 1);
        TOC_TRY(toc_mesh_set_group_name(p->mesh, p->base + 1 + (int32_t)i, name));
    }
    return TOC_OK;
}

/// Groups of the part as groups of the mesh, thicknesses, names.
static toc_status finish_part(placing *p, const char *instance) {
    TOC_TRY(give_groups(p));
    TOC_TRY(give_thicknesses(p));
    p->mesh->higher_order += p->part->higher_order;
    return name_groups(p, instance);
}

static void turn(const toc_abaqus_instance *instance, double x[3]) {
    double axis[3], length = 0, along = 0, r[3];
    for (int k = 0; k < 3; k++) {
        axis[k] = instance->to[k] - instance->from[k];
        length += axis[k] * axis[k];
        r[k] = x[k] - instance->from[k];
    }
    if (!(length > 0)) return;
    for (int k = 0; k < 3; k++) axis[k] /= sqrt(length);
    for (int k = 0; k < 3; k++) along += axis[k] * r[k];
    const double angle = instance->angle * (3.14159265358979323846 / 180), c = cos(angle), s = sin(angle);
    for (int k = 0; k < 3; k++) {
        const int m = (k + 1) % 3, n = (k + 2) % 3;
        const double across = axis[m] * r[n] - axis[n] * r[m];
        x[k] = instance->from[k] + c * r[k] + s * across + (1 - c) * along * axis[k];
    }
}

static toc_status add_vertices(const toc_abaqus_part *part, const toc_abaqus_instance *instance, toc_mesh *mesh) {
    const double *from = part->content.positions.at;
    for (size_t i = 0; i < part->content.positions.count; i += 3) {
        double x[3];
        for (int k = 0; k < 3; k++) x[k] = from[i + (size_t)k] + instance->shift[k];
        if (instance->angle != 0) turn(instance, x);
        TOC_TRY(toc_mesh_add_vertices(mesh, 1, x, NULL));
    }
    return TOC_OK;
}

static toc_status add_elements(const placing *p, uint32_t first_vertex) {
    const uint32_t *from = p->part->content.corners.at;
    for (size_t i = 0; i < p->part->content.runs.count; i++) {
        const toc_run *run = &p->part->content.runs.at[i];
        const int count = toc_shape_count_corners(run->shape);
        for (size_t k = 0; k < run->count; k++, from += count) {
            uint32_t corners[8], id;
            for (int c = 0; c < count; c++) corners[c] = from[c] + first_vertex;
            TOC_TRY(toc_mesh_add_elements(p->mesh, run->shape, 1, corners, &id));
            TOC_TRY(toc_mesh_set_group(p->mesh, id, p->base + run->group));
        }
    }
    return TOC_OK;
}

static toc_status place(const toc_abaqus_part *part, const toc_abaqus_instance *instance, toc_mesh *mesh,
                        int32_t *base) {
    placing p = {.part = part, .mesh = mesh, .first = (uint32_t)toc_mesh_get_element_count(mesh), .base = *base};
    const uint32_t first_vertex = (uint32_t)toc_mesh_get_vertex_count(mesh);
    TOC_TRY(add_vertices(part, instance, mesh));
    TOC_TRY(add_elements(&p, first_vertex));
    *base += 1 + (int32_t)part->sets.count;
    return finish_part(&p, instance->name);
}

/// All labels can be looked up afterwards, even where some are there twice.
static toc_status finish_labels(toc_abaqus *model) {
    toc_status worst = TOC_OK;
    for (size_t i = 0; i < model->parts.count; i++) {
        const toc_status nodes = toc_labels_finish(&model->parts.at[i].nodes);
        const toc_status elements = toc_labels_finish(&model->parts.at[i].elements);
        if (nodes == TOC_OUT_OF_MEMORY || elements == TOC_OUT_OF_MEMORY) return TOC_OUT_OF_MEMORY;
        if (nodes != TOC_OK || elements != TOC_OK) worst = TOC_BAD_INPUT;
    }
    return worst;
}

/// Labels become vertices of the part.
static toc_status resolve(toc_abaqus *model, bool *lines) {
    toc_status status = finish_labels(model);
    for (size_t i = 0; i < model->parts.count && status == TOC_OK; i++)
        if (!toc_parts_resolve(&model->parts.at[i].content, &model->parts.at[i].nodes)) status = TOC_BAD_INPUT;
    *lines = status == TOC_BAD_INPUT;
    return status;
}

/// The model outside any part, if there is nothing else: its arrays become the mesh's.
static toc_status adopt(toc_abaqus_part *part, toc_mesh *mesh) {
    placing p = {.part = part, .mesh = mesh};
    TOC_TRY(toc_mesh_adopt(mesh, &part->content));
    return finish_part(&p, "");
}

toc_status toc_abaqus_build(toc_abaqus *model, toc_mesh *mesh, bool *lines) {
    TOC_TRY(resolve(model, lines));
    if (model->parts.count == 1 && model->instances.count == 0) return adopt(&model->parts.at[0], mesh);
    int32_t base = 0;
    for (size_t i = 0; i < model->instances.count; i++) {
        const toc_abaqus_instance *instance = &model->instances.at[i];
        model->parts.at[instance->part].placed = true;
        TOC_TRY(place(&model->parts.at[instance->part], instance, mesh, &base));
    }
    for (size_t i = 0; i < model->parts.count; i++) {
        toc_abaqus_instance as_it_is = {.part = i};
        if (model->parts.at[i].placed || (i > 0 && model->instances.count > 0)) continue;
        memcpy(as_it_is.name, model->parts.at[i].name, sizeof as_it_is.name);
        TOC_TRY(place(&model->parts.at[i], &as_it_is, mesh, &base));
    }
    return TOC_OK;
}
