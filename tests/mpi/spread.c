// SPDX-License-Identifier: Apache-2.0
#include "mpi/spread.h"

#include <stdlib.h>
#include <string.h>

static uint64_t mix(uint64_t x) {
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

// Whether a rank gets an element: a function of the element alone, so that all ranks agree.
static bool is_given(const spread_options *o, int rank, int size, size_t count, uint64_t element) {
    const uint64_t random = mix(element + mix(o->seed));
    switch (o->kind) {
    case SPREAD_ONE:
        return rank == 0;
    case SPREAD_LAST:
        return rank == size - 1;
    case SPREAD_SLICES:
        return (int)(element * (uint64_t)size / count) == rank;
    case SPREAD_DEALT:
        return (int)(element % (uint64_t)size) == rank;
    case SPREAD_HALOS:
        if (mix(random + (uint64_t)rank) % 4 == 0) return true;
        break;
    default:
        break;
    }
    return (int)(random % (uint64_t)size) == rank;
}

// The vertices of this rank, in an order of its own.
static size_t list_own(const toc_mesh *mesh, MPI_Comm comm, const spread_options *o, uint32_t *own) {
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    const size_t vertices = toc_mesh_get_vertex_count(mesh), elements = toc_mesh_get_element_count(mesh);
    bool *used = calloc(vertices + 1, 1);
    for (uint32_t e = 0; e < elements; e++) {
        const toc_element at = toc_mesh_get_element(mesh, e);
        for (int k = 0; k < at.corner_count && is_given(o, rank, size, elements, e); k++) used[at.corners[k]] = true;
    }
    size_t count = 0;
    for (uint32_t v = 0; v < vertices; v++)
        if (used[v]) own[count++] = v;
    for (size_t i = count; i > 1; i--) {
        const size_t j = mix(i + o->seed + (uint64_t)rank) % i;
        const uint32_t swapped = own[i - 1];
        own[i - 1] = own[j];
        own[j] = swapped;
    }
    free(used);
    return count;
}

static void take_positions(const double *x, const uint32_t *own, size_t count, double *out) {
    for (size_t i = 0; i < count; i++) memcpy(out + 3 * i, x + 3 * (size_t)own[i], 3 * sizeof *x);
}

static void add_own_vertices(const toc_mesh *mesh, MPI_Comm comm, const spread_options *o, uint32_t body,
                             toc_mpi_scene *to) {
    const size_t room = toc_mesh_get_vertex_count(mesh) + 1;
    uint32_t *own = malloc(room * sizeof *own);
    uint64_t *ids = malloc(room * sizeof *ids);
    double *x = malloc(3 * room * sizeof *x);
    const size_t count = list_own(mesh, comm, o, own);
    for (size_t i = 0; i < count; i++) ids[i] = o->first + o->stride * own[i];
    take_positions(toc_mesh_get_x0(mesh), own, count, x);
    check_ok(toc_mpi_scene_add_vertices(to, body, count, ids, x));
    free(x);
    free(ids);
    free(own);
}

static void add_own_elements(const toc_mesh *mesh, MPI_Comm comm, const spread_options *o, uint32_t body,
                             toc_mpi_scene *to) {
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    const size_t elements = toc_mesh_get_element_count(mesh);
    for (uint32_t e = 0; e < elements; e++) {
        const toc_element at = toc_mesh_get_element(mesh, e);
        const uint64_t id = o->first + o->stride * e;
        uint64_t corners[8];
        if (at.shape == TOC_REMOVED || !is_given(o, rank, size, elements, e)) continue;
        for (int k = 0; k < at.corner_count; k++) corners[k] = o->first + o->stride * at.corners[k];
        check_ok(toc_mpi_scene_add_elements(to, body, at.shape, 1, &id, corners));
        if (at.group) check_ok(toc_mpi_scene_set_group(to, body, id, at.group));
        if (at.thickness > 0) check_ok(toc_mpi_scene_set_thickness(to, body, id, at.thickness));
    }
}

void spread_scene(const toc_scene *from, MPI_Comm comm, const spread_options *o, toc_mpi_scene *to) {
    for (uint32_t b = 0; b < toc_scene_get_body_count(from); b++) {
        check_ok(toc_mpi_scene_add_body(to, NULL));
        add_own_vertices(toc_scene_get_mesh(from, b), comm, o, b, to);
        add_own_elements(toc_scene_get_mesh(from, b), comm, o, b, to);
    }
    spread_motion(from, from, comm, o, to);
}

void spread_motion(const toc_scene *layout, const toc_scene *from, MPI_Comm comm, const spread_options *o,
                   toc_mpi_scene *to) {
    for (uint32_t b = 0; b < toc_scene_get_body_count(from); b++) {
        const toc_mesh *mesh = toc_scene_get_mesh(from, b), *old = toc_scene_get_mesh(layout, b);
        const size_t room = toc_mesh_get_vertex_count(old) + 1;
        uint32_t *own = malloc(room * sizeof *own);
        double *x0 = malloc(3 * room * sizeof *x0), *x1 = malloc(3 * room * sizeof *x1);
        const size_t count = list_own(old, comm, o, own);
        check_that(count == toc_mpi_scene_get_vertex_count(to, b));
        take_positions(toc_mesh_get_x0(mesh), own, count, x0);
        take_positions(toc_mesh_get_x1(mesh), own, count, x1);
        check_ok(toc_mpi_scene_set_motion(to, b, count, x0, x1));
        if (toc_mesh_get_acceleration(mesh)) {
            take_positions(toc_mesh_get_acceleration(mesh), own, count, x0);
            check_ok(toc_mpi_scene_set_acceleration(to, b, count, x0));
        }
        free(x1);
        free(x0);
        free(own);
    }
}

void spread_remove(const toc_scene *layout, MPI_Comm comm, const spread_options *o, uint32_t body, uint32_t element,
                   toc_mpi_scene *to) {
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    const uint64_t id = o->first + o->stride * element;
    if (is_given(o, rank, size, toc_mesh_get_element_count(toc_scene_get_mesh(layout, body)), element))
        check_ok(toc_mpi_scene_remove_elements(to, body, 1, &id));
}

static bool is_same_contact(const toc_mpi_contact *a, const toc_contact *b, const spread_options *o) {
    for (int i = 0; i < 4; i++)
        if (a->v[i] != o->first + o->stride * b->v[i]) return false;
    return a->kind == b->kind && a->verdict == b->verdict && a->body[0] == b->body[0] && a->body[1] == b->body[1] &&
           memcmp(&a->toc, &b->toc, sizeof a->toc) == 0 && memcmp(a->weights, b->weights, sizeof a->weights) == 0 &&
           memcmp(a->point, b->point, sizeof a->point) == 0 && memcmp(a->normal, b->normal, sizeof a->normal) == 0;
}

void check_same_contacts(toc_mpi_scene *scene, MPI_Comm comm, const toc_mpi_contacts *got, const toc_contacts *wanted,
                         const spread_options *o) {
    toc_mpi_contacts *all;
    int rank;
    MPI_Comm_rank(comm, &rank);
    check_ok(toc_mpi_contacts_gather(scene, got, 0, &all));
    check_that(all->count == (rank == 0 ? got->total : 0));
    if (rank == 0) check_that(all->count == wanted->count);
    for (size_t i = 0; i < all->count; i++) check_that(is_same_contact(&all->contacts[i], &wanted->contacts[i], o));
    toc_mpi_contacts_destroy(all);
}
