// SPDX-License-Identifier: Apache-2.0
// The mesh of an Abaqus assembly: the parts of a model, at the positions of their instances.
//
// A model of one part, as in CalculiX, is handed over without a copy. Each set of elements is a separate group in each
// instance, so that the groups tell the instances of one part apart. The memory of an assembly is checked against the
// limit before it is built.
#include <assert.h>
#include <math.h>
#include <strings.h>

#include "io/abaqus/abaqus.h"
#include "io/core/memory_limit.h"

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
    assert(name);
    for (size_t i = 0; i < part->sets.count; i++) {
        if (strcasecmp(part->sets.at[i].name, name) != 0) continue;
        *out = i;
        return TOC_OK;
    }
    TOC_TRY(toc_array_reserve(&model->allocator, &part->sets, 1));
    toc_abaqus_set set = {.first_range = TOC_ABAQUS_NONE, .last_range = TOC_ABAQUS_NONE};
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

/// A range may be longer than the part: then visit the elements of the part instead.
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

/// Visit the elements of a set and of the sets in it, each set once; sets below `lowest` are left out. The stack of
/// sets to visit is a list through the sets themselves.
static toc_status visit_set(toc_abaqus_part *part, size_t set, size_t lowest, element_visitor *visit, void *user) {
    assert(set < part->sets.count);
    const size_t walk = ++part->walks;
    size_t top = set;
    part->sets.at[set].seen = walk;
    part->sets.at[set].below = TOC_ABAQUS_NONE;
    while (top != TOC_ABAQUS_NONE) {
        const toc_abaqus_set *now = &part->sets.at[top];
        top = now->below;
        for (size_t i = now->first_range; i != TOC_ABAQUS_NONE; i = part->ranges.at[i].next) {
            const size_t other = part->ranges.at[i].other;
            if (other == TOC_ABAQUS_NONE) {
                TOC_TRY(visit_range(part, &part->ranges.at[i], visit, user));
            } else if (other >= lowest && part->sets.at[other].seen != walk) {
                part->sets.at[other].seen = walk;
                part->sets.at[other].below = top;
                top = other;
            }
        }
    }
    return TOC_OK;
}

/// A part in the mesh, from element `first` on.
typedef struct placing {
    toc_abaqus_part *part;
    toc_mesh *mesh;
    uint32_t first;
    size_t count; // elements
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

/// Elements whose *ELEMENT names no set belong to the first set that lists them. Those of earlier sets have a group.
static toc_status give_groups(placing *p) {
    for (size_t set = 0; set < p->part->sets.count; set++) {
        p->group = p->base + 1 + (int32_t)set;
        TOC_TRY(visit_set(p->part, set, set, give_group, p));
    }
    return TOC_OK;
}

static toc_status give_thicknesses(placing *p) {
    toc_abaqus_part *part = p->part;
    for (size_t i = 0; i < part->sets.count; i++) {
        p->thickness = part->sets.at[i].thickness;
        if (p->thickness > 0) TOC_TRY(visit_set(part, i, 0, give_thickness, p));
    }
    for (size_t i = 0; i < p->count; i++) {
        const int32_t set = toc_mesh_get_element(p->mesh, p->first + (uint32_t)i).group - p->base - 1;
        p->thickness = set >= 0 ? part->sets.at[set].thickness : 0;
        if (p->thickness > 0) TOC_TRY(give_thickness(p, i));
    }
    return TOC_OK;
}

static toc_status assembly_name_groups(const placing *p, const char *instance) {
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
    return assembly_name_groups(p, instance);
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

/// Append the vertices of an instance.
static void assembly_place_vertices(const toc_abaqus_part *part, const toc_abaqus_instance *instance,
                                    toc_mesh_parts *to) {
    assert(to->positions.capacity - to->positions.count >= part->content.positions.count);
    for (size_t i = 0; i < part->content.positions.count; i += 3) {
        double *x = to->positions.at + to->positions.count;
        for (size_t k = 0; k < 3; k++) x[k] = part->content.positions.at[i + k] + instance->shift[k];
        if (instance->angle != 0) turn(instance, x);
        to->positions.count += 3;
    }
}

/// Append the elements of an instance; group `base` + g stands for group g of the part.
static void assembly_place_elements(const toc_abaqus_part *part, uint32_t first_vertex, int32_t base,
                                    toc_mesh_parts *to) {
    assert(to->corners.capacity - to->corners.count >= part->content.corners.count);
    assert(to->runs.capacity - to->runs.count >= part->content.runs.count);
    for (size_t i = 0; i < part->content.corners.count; i++)
        to->corners.at[to->corners.count++] = part->content.corners.at[i] + first_vertex;
    for (size_t i = 0; i < part->content.runs.count; i++) {
        toc_run run = part->content.runs.at[i];
        run.group += base;
        to->runs.at[to->runs.count++] = run;
    }
}

static size_t part_elements(const toc_abaqus_part *part) {
    size_t count = 0;
    for (size_t i = 0; i < part->content.runs.count; i++) count += part->content.runs.at[i].count;
    return count;
}

/// Sizes of the mesh of an assembly. The sums cannot overflow: a file has more bytes than instances.
typedef struct assembly_size {
    uint64_t vertices, elements, corners, runs, groups;
} assembly_size;

static assembly_size assembly_measure(const toc_abaqus *model) {
    assembly_size sum = {0};
    for (size_t i = 0; i < model->instances.count; i++) {
        const toc_abaqus_part *part = &model->parts.at[model->instances.at[i].part];
        sum.vertices += part->content.positions.count / 3;
        sum.elements += part->elements.count;
        sum.corners += part->content.corners.count;
        sum.runs += part->content.runs.count;
        sum.groups += 1 + part->sets.count;
    }
    return sum;
}

/// Refuse an assembly that no mesh can hold, or that takes more memory than is allowed, before it is built.
static toc_status assembly_check(const toc_abaqus *model, const char *path, const assembly_size *size) {
    enum { RUN = sizeof(toc_run) + sizeof(toc_event), GROUP = sizeof(toc_group_name) + 2 * TOC_ABAQUS_NAME + 2 };
    TOC_TRY(toc_mesh_check_room("vertices", 0, size->vertices));
    TOC_TRY(toc_mesh_check_room("elements", 0, size->elements));
    TOC_TRY(toc_mesh_check_room("corners", 0, size->corners));
    if (size->groups > INT32_MAX)
        return toc_fail(TOC_BAD_INPUT, "%s: the instances have %llu sets, more than %d", path,
                        (unsigned long long)size->groups, INT32_MAX);
    const uint64_t labels = sizeof(int64_t) * (size->vertices + size->elements); // both are below 2^32
    const uint64_t bytes = toc_memory_of_mesh(size->vertices, size->elements, size->corners) + labels;
    return toc_memory_limit_check(&model->allocator, path, bytes + size->runs * RUN + size->groups * GROUP);
}

static toc_status assembly_reserve(const toc_allocator *memory, const assembly_size *size, toc_mesh_parts *to) {
    TOC_TRY(toc_array_reserve(memory, &to->positions, 3 * size->vertices));
    TOC_TRY(toc_array_reserve(memory, &to->corners, size->corners));
    return toc_array_reserve(memory, &to->runs, size->runs);
}

/// All instances, one behind the other, as one mesh.
static toc_status assembly_place(const toc_abaqus *model, toc_mesh *mesh) {
    const assembly_size size = assembly_measure(model);
    toc_mesh_parts parts = {0};
    toc_status status = assembly_reserve(&model->allocator, &size, &parts);
    int32_t base = 0;
    for (size_t i = 0; i < model->instances.count && status == TOC_OK; i++) {
        const toc_abaqus_part *part = &model->parts.at[model->instances.at[i].part];
        const uint32_t first_vertex = (uint32_t)(parts.positions.count / 3);
        assembly_place_vertices(part, &model->instances.at[i], &parts);
        assembly_place_elements(part, first_vertex, base, &parts);
        base += 1 + (int32_t)part->sets.count;
    }
    if (status == TOC_OK) status = toc_mesh_adopt(mesh, &parts);
    toc_parts_free(&parts, &model->allocator);
    return status;
}

/// Groups, thicknesses and names of all instances.
static toc_status assembly_finish(const toc_abaqus *model, toc_mesh *mesh) {
    placing p = {.mesh = mesh};
    for (size_t i = 0; i < model->instances.count; i++) {
        p.part = &model->parts.at[model->instances.at[i].part];
        p.count = part_elements(p.part);
        TOC_TRY(finish_part(&p, model->instances.at[i].name));
        p.first += (uint32_t)p.count;
        p.base += 1 + (int32_t)p.part->sets.count;
    }
    assert(p.first == toc_mesh_get_element_count(mesh));
    return TOC_OK;
}

static void append_labels(const toc_labels *labels, toc_id_labels *to) {
    assert(to->each.capacity - to->each.count >= labels->count);
    for (size_t i = 0; i < labels->count; i++) to->each.at[to->each.count++] = label_of(labels, i);
    to->count = to->each.count;
}

/// Labels of all instances: those of an instance are the labels of its part.
static toc_status assembly_label(const toc_abaqus *model, toc_mesh *mesh) {
    toc_id_labels *nodes = &mesh->vertex_labels, *elements = &mesh->element_labels;
    TOC_TRY(toc_array_reserve(&mesh->allocator, &nodes->each, toc_mesh_get_vertex_count(mesh)));
    TOC_TRY(toc_array_reserve(&mesh->allocator, &elements->each, toc_mesh_get_element_count(mesh)));
    for (size_t i = 0; i < model->instances.count; i++) {
        const toc_abaqus_part *part = &model->parts.at[model->instances.at[i].part];
        append_labels(&part->nodes, nodes);
        append_labels(&part->elements, elements);
    }
    return TOC_OK;
}

/// All labels can be searched afterwards, repeated ones included.
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
    placing p = {.part = part, .mesh = mesh, .count = part_elements(part)};
    TOC_TRY(toc_mesh_adopt(mesh, &part->content));
    TOC_TRY(finish_part(&p, ""));
    toc_labels_hand_over(&part->nodes, &mesh->vertex_labels);
    toc_labels_hand_over(&part->elements, &mesh->element_labels);
    return TOC_OK;
}

/// Parts without an instance stand where they are: all of them in a model without instances, else the nodes and
/// elements outside any part.
static toc_status add_own_instances(toc_abaqus *model) {
    const size_t instances = model->instances.count;
    for (size_t i = 0; i < instances; i++) model->parts.at[model->instances.at[i].part].placed = true;
    for (size_t i = 0; i < model->parts.count; i++) {
        toc_abaqus_instance as_it_is = {.part = i};
        if (model->parts.at[i].placed || (i > 0 && instances > 0)) continue;
        memcpy(as_it_is.name, model->parts.at[i].name, sizeof as_it_is.name);
        TOC_TRY(toc_array_reserve(&model->allocator, &model->instances, 1));
        model->instances.at[model->instances.count++] = as_it_is;
    }
    return TOC_OK;
}

toc_status toc_abaqus_build(toc_abaqus *model, const char *path, toc_mesh *mesh, bool *lines) {
    TOC_TRY(resolve(model, lines));
    if (model->parts.count == 1 && model->instances.count == 0) return adopt(&model->parts.at[0], mesh);
    TOC_TRY(add_own_instances(model));
    const assembly_size size = assembly_measure(model);
    TOC_TRY(assembly_check(model, path, &size));
    TOC_TRY(assembly_place(model, mesh));
    TOC_TRY(assembly_label(model, mesh));
    return assembly_finish(model, mesh);
}
