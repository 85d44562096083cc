// SPDX-License-Identifier: Apache-2.0
// The elements that a rank searches: all those that reach into its region, from wherever they were handed in.
//
// Elements are sent once, with some skin around their boxes, and kept: later questions send positions alone as long as
// every element reaches only where it was sent. The ids of the local scene are in the order of the caller's ids, so
// that features, their winding, the diagonals of quads and the order within pairs are those of one machine.
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "mpi/scene.h"
#include "toccata/convex.h"

static const double SKIN = 0.1;            // of the mean size of an element
static const double COST_OF_A_PAIR = 0.25; // in units of the cost of an element
static const double COST_OF_SENDING = 2;   // elements sent, a local scene and its tree built: in searches
static const double LEAST_AHEAD = 0.5, FIRST_AHEAD = 2, MOST_AHEAD = 64; // steps

// A vertex as it is sent.
typedef struct vertex_item {
    uint64_t id;
    uint32_t body;
    int32_t owner;
    dist_motion motion;
} vertex_item;

// An element as it is sent; corners are places in the vertices for the same rank.
typedef struct element_item {
    uint64_t id;
    double thickness;
    uint32_t body;
    int32_t group;
    uint32_t shape;
    uint32_t corner[DIST_CORNERS];
    uint32_t pad;
} element_item;

_Static_assert(sizeof(vertex_item) == 64 && sizeof(element_item) == 64, "no bytes between the fields");

// ---- where elements reach

// The mean size of an element, and how far it moves in a step, of all ranks.
typedef struct typical_lengths {
    double size, motion;
} typical_lengths;

static double motion_of_element(const toc_mpi_scene *scene, size_t flat) {
    const dist_body *body = &scene->bodies.at[scene->flat.elements.at[flat].body];
    const size_t at = 3 * (size_t)dist_element_at(scene, flat)->corner[0];
    double most = 0;
    for (size_t c = at; c < at + 3; c++) most = dist_higher(most, fabs(body->x1.at[c] - body->x0.at[c]));
    return most;
}

enum { SAMPLE = 8 }; // one element in so many tells the mean

static typical_lengths find_typical(toc_mpi_scene *scene, dist_span span) {
    double sums[3] = {0, 0, 0};
    for (size_t i = 0; i < scene->flat.elements.count; i += SAMPLE) {
        const dist_region box = toc_dist_bound(scene, i, span, 0);
        double size = 0;
        for (int c = 0; c < 3; c++) size = dist_higher(size, box.high[c] - box.low[c]);
        sums[0] += size;
        sums[1] += motion_of_element(scene, i);
        sums[2] += 1;
    }
    toc_dist_sum(&scene->link, 3, sums);
    if (!(sums[2] > 0 && isfinite(sums[0] + sums[1]))) return (typical_lengths){0, 0};
    return (typical_lengths){sums[0] / sums[2], sums[1] / sums[2]};
}

// Elements that are sent for more steps ahead stay longer where they are, and there are more copies of them. Twice the
// steps at most double the copies, and halve the share of sending. A plan that is much too short grows fourfold.
static void choose_ahead(dist_plan *plan) {
    const double sending = COST_OF_SENDING / plan->age;
    assert(plan->age > 0);
    if (sending > plan->share)
        plan->ahead = fmin((sending > 4 * plan->share ? 4 : 2) * plan->ahead, MOST_AHEAD);
    else if (sending < plan->share / 4)
        plan->ahead = fmax(plan->ahead / 2, LEAST_AHEAD);
}

// The vertices of an element with one rank are inside of its region: no vertex has two of these.
static void note_inner(toc_mpi_scene *scene, size_t flat, int rank) {
    const dist_element *e = dist_element_at(scene, flat);
    const size_t first = scene->flat.body_first.at[scene->flat.elements.at[flat].body];
    for (int k = 0; k < toc_shape_count_corners((toc_shape)e->shape); k++)
        scene->plan.inner_of.at[first + e->corner[k]] = rank;
}

static toc_status find_reach(toc_mpi_scene *scene, dist_span span, double growth, double slack) {
    dist_plan *plan = &scene->plan;
    const toc_allocator *memory = &scene->link.memory;
    const size_t count = scene->flat.elements.count;
    DIST_TRY(dist_array_renew(memory, &plan->reach_first, count + 1));
    DIST_TRY(dist_array_renew(memory, &plan->inner_of, scene->flat.flat_of.count));
    for (size_t i = 0; i < plan->inner_of.count; i++) plan->inner_of.at[i] = -1;
    plan->reach.count = plan->rims.count = 0;
    for (size_t i = 0; i < count; i++) {
        const dist_region box = toc_dist_bound_ahead(scene, i, span, growth, plan->ahead, slack);
        int *ranks;
        const int found = toc_dist_partition_reach(&scene->partition, &scene->link, &box, &ranks);
        if (found < 0) return toc_dist_fail(TOC_INTERNAL, "Zoltan does not know the regions of a box");
        DIST_TRY(dist_array_reserve(memory, &plan->reach, (size_t)found));
        DIST_TRY(dist_array_reserve(memory, &plan->rims, 1));
        if (found > 1) plan->rims.at[plan->rims.count++] = box;
        if (found == 1) note_inner(scene, i, ranks[0]);
        plan->reach_first.at[i] = plan->reach.count;
        for (int k = 0; k < found; k++) plan->reach.at[plan->reach.count++] = ranks[k];
    }
    plan->reach_first.at[count] = plan->reach.count;
    return TOC_OK;
}

// Whether ascending ranks are all among others.
static bool are_among(int count, const int *ranks, size_t other_count, const int *others) {
    size_t at = 0;
    for (int k = 0; k < count; k++) {
        while (at < other_count && others[at] < ranks[k]) at++;
        if (at == other_count || others[at] != ranks[k]) return false;
    }
    return true;
}

// Whether an element reaches only where it was sent, asked of Zoltan.
static bool reaches_no_farther(toc_mpi_scene *scene, size_t flat, const dist_region *box) {
    const dist_plan *plan = &scene->plan;
    const uint64_t first = plan->reach_first.at[flat], count = plan->reach_first.at[flat + 1] - first;
    int *ranks;
    const int found = toc_dist_partition_reach(&scene->partition, &scene->link, box, &ranks);
    return found >= 0 && are_among(found, ranks, count, plan->reach.at + first);
}

// Whether a place, grown to all sides, is inside of a region. A box of such places is inside, too: its sides are
// theirs.
static inline bool holds_grown(const dist_region *r, const double *x, double growth) {
    return (r->low[0] < x[0] - growth) & (x[0] + growth < r->high[0]) & (r->low[1] < x[1] - growth) &
           (x[1] + growth < r->high[1]) & (r->low[2] < x[2] - growth) & (x[2] + growth < r->high[2]);
}

// Whether all elements with one rank are still inside of its region, by their vertices. Paths are straight.
static bool inner_stay(const toc_mpi_scene *scene, dist_span span, double growth) {
    bool stay = true;
    for (size_t b = 0; b < scene->bodies.count && stay; b++) {
        const dist_body *body = &scene->bodies.at[b];
        const int32_t *inner = scene->plan.inner_of.at + scene->flat.body_first.at[b];
        const double *first = span == DIST_END ? body->x1.at : body->x0.at;
        const double *last = span == DIST_START ? body->x0.at : body->x1.at;
        for (size_t i = 0; i < body->ids.count && stay; i++) {
            if (inner[i] < 0) continue;
            const dist_region *r = &scene->partition.regions.at[inner[i]];
            stay = holds_grown(r, first + 3 * i, growth) && holds_grown(r, last + 3 * i, growth);
        }
    }
    return stay;
}

// Whether every element reaches only where it was sent. Those with one rank are inside of its region; the boxes with
// which the others were sent are kept.
static bool is_covered(toc_mpi_scene *scene, dist_span span, double growth) {
    const dist_plan *plan = &scene->plan;
    const dist_region *rim = plan->rims.at;
    const bool bends = span == DIST_STEP && scene->is_accelerated;
    if (scene->partition.is_whole) return true;
    assert(plan->inner_of.count == scene->flat.flat_of.count);
    const bool rims_alone = !bends && inner_stay(scene, span, growth);
    for (size_t i = 0; i < scene->flat.elements.count; i++) {
        const uint64_t first = plan->reach_first.at[i];
        const bool is_rim = plan->reach_first.at[i + 1] - first > 1;
        if (rims_alone && !is_rim) continue;
        const dist_region box = toc_dist_bound(scene, i, span, growth);
        const dist_region *within = is_rim ? rim++ : &scene->partition.regions.at[plan->reach.at[first]];
        if (!dist_region_holds(within, &box) && !reaches_no_farther(scene, i, &box)) return false;
    }
    assert(rim == plan->rims.at + plan->rims.count);
    return true;
}

// ---- sending

static toc_status make_parcels(const dist_link *link, size_t item, uint64_t **first, dist_parcels *out) {
    const toc_status status = toc_dist_parcels_make(link, item, *first, out);
    if (status != TOC_OK) toc_dist_free(&link->memory, *first, (size_t)link->size + 1, sizeof **first);
    *first = NULL;
    return status;
}

static uint64_t *new_places(const dist_link *link) {
    return toc_dist_new(&link->memory, (size_t)link->size + 1, sizeof(uint64_t));
}

// Flat elements for each rank, ascending.
static toc_status list_elements_out(toc_mpi_scene *scene) {
    dist_plan *plan = &scene->plan;
    const dist_link *link = &scene->link;
    uint64_t *first = new_places(link), *next = new_places(link);
    toc_status status = first && next ? TOC_OK : TOC_OUT_OF_MEMORY;
    for (size_t i = 0; i < plan->reach.count && status == TOC_OK; i++) first[plan->reach.at[i]]++;
    if (status == TOC_OK) status = make_parcels(link, sizeof(uint32_t), &first, &plan->element_out);
    if (status == TOC_OK) {
        uint32_t *out = (uint32_t *)plan->element_out.items;
        memcpy(next, plan->element_out.first, ((size_t)link->size + 1) * sizeof *next);
        for (size_t i = 0; i < scene->flat.elements.count; i++)
            for (uint64_t k = plan->reach_first.at[i]; k < plan->reach_first.at[i + 1]; k++)
                out[next[plan->reach.at[k]]++] = (uint32_t)i;
    }
    toc_dist_free(&link->memory, first, (size_t)link->size + 1, sizeof *first);
    toc_dist_free(&link->memory, next, (size_t)link->size + 1, sizeof *next);
    return status;
}

// Mark the vertices of the elements for a rank; `stamp` holds rank + 1 for them.
static uint64_t mark_vertices(const toc_mpi_scene *scene, int rank, uint32_t *stamp) {
    const dist_parcels *elements = &scene->plan.element_out;
    uint64_t count = 0;
    for (uint64_t i = elements->first[rank]; i < elements->first[rank + 1]; i++) {
        const uint32_t flat = ((const uint32_t *)elements->items)[i];
        const dist_element *e = dist_element_at(scene, flat);
        for (int k = 0; k < toc_shape_count_corners((toc_shape)e->shape); k++) {
            const uint32_t v = dist_corner(scene, scene->flat.elements.at[flat].body, e->corner[k]);
            count += stamp[v] != (uint32_t)rank + 1;
            stamp[v] = (uint32_t)rank + 1;
        }
    }
    return count;
}

// Flat vertices for each rank, ascending. O(vertices) for each rank that is sent some.
static toc_status list_vertices_out(toc_mpi_scene *scene, uint32_t *stamp) {
    dist_plan *plan = &scene->plan;
    const dist_link *link = &scene->link;
    uint64_t *first = new_places(link);
    if (!first) return TOC_OUT_OF_MEMORY;
    for (int r = 0; r < link->size; r++) first[r] = mark_vertices(scene, r, stamp);
    memset(stamp, 0, scene->flat.vertices.count * sizeof *stamp);
    DIST_TRY(make_parcels(link, sizeof(uint32_t), &first, &plan->vertex_out));
    uint32_t *out = (uint32_t *)plan->vertex_out.items;
    for (int r = 0; r < link->size; r++) {
        uint64_t at = plan->vertex_out.first[r];
        if (at == plan->vertex_out.first[r + 1]) continue;
        mark_vertices(scene, r, stamp);
        for (size_t v = 0; v < scene->flat.vertices.count; v++)
            if (stamp[v] == (uint32_t)r + 1) out[at++] = (uint32_t)v;
        assert(at == plan->vertex_out.first[r + 1]);
    }
    return TOC_OK;
}

static dist_motion motion_of_vertex(const toc_mpi_scene *scene, uint32_t flat) {
    const dist_flat_vertex *v = &scene->flat.vertices.at[flat];
    const dist_body *body = &scene->bodies.at[v->body];
    dist_motion motion;
    memcpy(motion.x0, body->x0.at + 3 * (size_t)v->place, sizeof motion.x0);
    memcpy(motion.x1, body->x1.at + 3 * (size_t)v->place, sizeof motion.x1);
    return motion;
}

// Parcels as large as others, of other items.
static toc_status copy_counts(const dist_link *link, const uint64_t *places, size_t item, dist_parcels *out) {
    uint64_t *first = new_places(link);
    if (!first) return TOC_OUT_OF_MEMORY;
    for (int r = 0; r < link->size; r++) first[r] = places[r + 1] - places[r];
    return make_parcels(link, item, &first, out);
}

static toc_status pack_vertices(const toc_mpi_scene *scene, dist_parcels *out) {
    const dist_parcels *list = &scene->plan.vertex_out;
    DIST_TRY(copy_counts(&scene->link, list->first, sizeof(vertex_item), out));
    vertex_item *items = (vertex_item *)out->items;
    for (uint64_t i = 0; i < dist_parcels_count(&scene->link, list); i++) {
        const uint32_t flat = ((const uint32_t *)list->items)[i];
        const dist_flat_vertex *v = &scene->flat.vertices.at[flat];
        items[i] = (vertex_item){v->id, v->body, v->owner, motion_of_vertex(scene, flat)};
    }
    return TOC_OK;
}

static element_item pack_element(const toc_mpi_scene *scene, uint32_t flat, const uint32_t *place_of) {
    const dist_element *e = dist_element_at(scene, flat);
    const uint32_t body = scene->flat.elements.at[flat].body;
    element_item item = {.id = e->id, .thickness = e->thickness, .body = body, .group = e->group, .shape = e->shape};
    for (int k = 0; k < toc_shape_count_corners((toc_shape)e->shape); k++)
        item.corner[k] = place_of[dist_corner(scene, body, e->corner[k])];
    return item;
}

// @param place_of room for a number for each flat vertex.
static toc_status pack_elements(const toc_mpi_scene *scene, uint32_t *place_of, dist_parcels *out) {
    const dist_parcels *list = &scene->plan.element_out, *vertices = &scene->plan.vertex_out;
    DIST_TRY(copy_counts(&scene->link, list->first, sizeof(element_item), out));
    element_item *items = (element_item *)out->items;
    for (int r = 0; r < scene->link.size; r++) {
        for (uint64_t i = vertices->first[r]; i < vertices->first[r + 1]; i++)
            place_of[((const uint32_t *)vertices->items)[i]] = (uint32_t)(i - vertices->first[r]);
        for (uint64_t i = list->first[r]; i < list->first[r + 1]; i++)
            items[i] = pack_element(scene, ((const uint32_t *)list->items)[i], place_of);
    }
    return TOC_OK;
}

static toc_status pack_all(toc_mpi_scene *scene, dist_span span, double growth, double slack, dist_parcels *vertices,
                           dist_parcels *elements) {
    const size_t count = scene->flat.vertices.count;
    DIST_TRY(find_reach(scene, span, growth, slack));
    DIST_TRY(list_elements_out(scene));
    uint32_t *scratch = toc_dist_new(&scene->link.memory, count, sizeof *scratch);
    if (!scratch) return TOC_OUT_OF_MEMORY;
    toc_status status = list_vertices_out(scene, scratch);
    if (status == TOC_OK) status = pack_vertices(scene, vertices);
    if (status == TOC_OK) status = pack_elements(scene, scratch, elements);
    toc_dist_free(&scene->link.memory, scratch, count, sizeof *scratch);
    return status;
}

// ---- receiving

// An item that came in, to be put in order.
typedef struct arrival {
    uint64_t id;
    uint32_t body, at;
} arrival;

static int compare_arrivals(const void *a, const void *b) {
    const arrival *x = a, *y = b;
    if (x->body != y->body) return x->body < y->body ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

// The rank whose part holds a place, by halving.
static int source_of(const dist_link *link, const uint64_t *first, uint64_t at) {
    int low = 0, high = link->size;
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        *(first[middle] <= at ? &low : &high) = middle;
    }
    return low;
}

static uint32_t body_of_element(const toc_mpi_scene *scene, size_t place) {
    uint32_t low = 0, high = (uint32_t)scene->bodies.count;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        *(scene->work.element_first.at[middle] <= place ? &low : &high) = middle;
    }
    return low;
}

static toc_status fail_copies(const dist_link *link, const uint64_t *first, const arrival *a, const arrival *b) {
    return toc_dist_fail(TOC_BAD_INPUT,
                         "copies of vertex %" PRIu64 " of body %u have different positions on ranks %d and %d", a->id,
                         a->body, source_of(link, first, a->at), source_of(link, first, b->at));
}

static void put_motion(dist_work *work, size_t place, const dist_motion *motion) {
    memcpy(work->x0.at + 3 * place, motion->x0, sizeof motion->x0);
    memcpy(work->x1.at + 3 * place, motion->x1, sizeof motion->x1);
}

static bool has_motion(const dist_work *work, size_t place, const dist_motion *motion) {
    return memcmp(work->x0.at + 3 * place, motion->x0, sizeof motion->x0) == 0 &&
           memcmp(work->x1.at + 3 * place, motion->x1, sizeof motion->x1) == 0;
}

static toc_status reserve_work_vertices(toc_mpi_scene *scene, size_t incoming) {
    const toc_allocator *memory = &scene->link.memory;
    dist_work *work = &scene->work;
    if (incoming >= UINT32_MAX)
        return toc_dist_fail(TOC_OUT_OF_MEMORY, "a rank searches 2^32 - 2 vertices at most; %zu came in", incoming);
    DIST_TRY(dist_array_renew(memory, &scene->plan.vertex_place, incoming));
    DIST_TRY(dist_array_renew(memory, &scene->plan.is_copy, incoming));
    DIST_TRY(dist_array_renew(memory, &work->vertex_first, scene->bodies.count + 1));
    DIST_TRY(dist_array_renew(memory, &work->ids, incoming));
    DIST_TRY(dist_array_renew(memory, &work->owners, incoming));
    DIST_TRY(dist_array_renew(memory, &work->x0, 3 * incoming));
    return dist_array_renew(memory, &work->x1, 3 * incoming);
}

// Give the vertices that came in their places, in the order of ids; copies get one place.
static toc_status place_arrivals(toc_mpi_scene *scene, const dist_parcels *in, const arrival *order, size_t count) {
    const vertex_item *items = (const vertex_item *)in->items;
    dist_work *work = &scene->work;
    size_t places = 0;
    for (size_t i = 0; i < count; i++) {
        const vertex_item *item = &items[order[i].at];
        const bool is_copy = i > 0 && compare_arrivals(&order[i - 1], &order[i]) == 0;
        if (!is_copy) {
            work->ids.at[places] = item->id;
            work->owners.at[places] = item->owner;
            put_motion(work, places++, &item->motion);
        } else if (!has_motion(work, places - 1, &item->motion)) {
            return fail_copies(&scene->link, in->first, &order[i - 1], &order[i]);
        }
        scene->plan.vertex_place.at[order[i].at] = (uint32_t)(places - 1);
        scene->plan.is_copy.at[order[i].at] = is_copy;
        if (!is_copy) work->vertex_first.at[item->body + 1]++;
    }
    assert(places <= count && count == scene->plan.vertex_place.count);
    work->ids.count = work->owners.count = places;
    work->x0.count = work->x1.count = 3 * places;
    return TOC_OK;
}

static void sum_places(size_t count, size_t *first) {
    for (size_t b = 0; b < count; b++) first[b + 1] += first[b];
}

static arrival *new_arrivals(const dist_link *link, size_t count) {
    return toc_dist_new(&link->memory, count, sizeof(arrival));
}

static toc_status take_sent_vertices(toc_mpi_scene *scene, const dist_parcels *in) {
    const size_t count = dist_parcels_count(&scene->link, in);
    dist_work *work = &scene->work;
    DIST_TRY(reserve_work_vertices(scene, count));
    arrival *order = new_arrivals(&scene->link, count);
    if (!order) return TOC_OUT_OF_MEMORY;
    const vertex_item *items = (const vertex_item *)in->items;
    for (size_t i = 0; i < count; i++) order[i] = (arrival){items[i].id, items[i].body, (uint32_t)i};
    memset(work->vertex_first.at, 0, (scene->bodies.count + 1) * sizeof *work->vertex_first.at);
    toc_status status = toc_dist_sort(&scene->link.memory, order, count, sizeof *order, compare_arrivals);
    if (status == TOC_OK) status = place_arrivals(scene, in, order, count);
    sum_places(scene->bodies.count, work->vertex_first.at);
    toc_dist_free(&scene->link.memory, order, count, sizeof *order);
    return status;
}

// ---- the local scene

typedef struct mesh_run {
    toc_mesh *mesh;
    toc_shape shape;
    DIST_ARRAY(uint32_t) corners;
    size_t count;
} mesh_run;

static toc_status end_run(mesh_run *run) {
    if (run->count == 0) return TOC_OK;
    const toc_status status = toc_mesh_add_elements(run->mesh, run->shape, run->count, run->corners.at, NULL);
    run->count = run->corners.count = 0;
    return status;
}

// Elements of one shape in a row are added together.
static toc_status add_to_run(const toc_allocator *memory, mesh_run *run, toc_shape shape, const uint32_t *corners) {
    const int count = toc_shape_count_corners(shape);
    if (shape != run->shape) DIST_TRY(end_run(run));
    run->shape = shape;
    DIST_TRY(dist_array_reserve(memory, &run->corners, (size_t)count));
    for (int k = 0; k < count; k++) run->corners.at[run->corners.count++] = corners[k];
    run->count++;
    return TOC_OK;
}

static int source_of_element(const toc_mpi_scene *scene, uint64_t at) {
    return source_of(&scene->link, scene->plan.element_from.at, at);
}

// Add the elements of a body to its mesh.
static toc_status fill_run(toc_mpi_scene *scene, const element_item *items, const uint64_t *vertex_from,
                           const arrival *order, size_t count, mesh_run *run) {
    for (size_t i = 0; i < count; i++) {
        const element_item *e = &items[order[i].at];
        const uint64_t base = vertex_from[source_of_element(scene, order[i].at)];
        uint32_t corners[DIST_CORNERS];
        for (int k = 0; k < toc_shape_count_corners((toc_shape)e->shape); k++)
            corners[k] =
                (uint32_t)(scene->plan.vertex_place.at[base + e->corner[k]] - scene->work.vertex_first.at[e->body]);
        DIST_TRY(add_to_run(&scene->link.memory, run, (toc_shape)e->shape, corners));
    }
    return end_run(run);
}

static toc_status set_properties(const element_item *items, const arrival *order, size_t count, toc_mesh *mesh) {
    for (uint32_t i = 0; i < count; i++) {
        const element_item *e = &items[order[i].at];
        if (e->group != 0) DIST_TRY(toc_mesh_set_group(mesh, i, e->group));
        if (e->thickness != 0) DIST_TRY(toc_mesh_set_thickness(mesh, i, e->thickness));
    }
    return TOC_OK;
}

static toc_status fill_mesh(toc_mpi_scene *scene, uint32_t body, const element_item *items, const uint64_t *vertex_from,
                            const arrival *order, size_t count, toc_mesh *mesh) {
    const dist_work *work = &scene->work;
    const size_t first = work->vertex_first.at[body], vertices = work->vertex_first.at[body + 1] - first;
    mesh_run run = {.mesh = mesh};
    if (vertices) DIST_TRY(toc_mesh_add_vertices(mesh, vertices, work->x0.at + 3 * first, NULL));
    toc_status status = fill_run(scene, items, vertex_from, order, count, &run);
    dist_array_free(&scene->link.memory, &run.corners);
    if (status == TOC_OK) status = set_properties(items, order, count, mesh);
    return status;
}

static toc_status ignore_groups(const toc_mpi_scene *scene) {
    for (size_t i = 0; i < scene->ignored.count; i++)
        DIST_TRY(
            toc_scene_set_group_contact(scene->work.scene, scene->ignored.at[i].low, scene->ignored.at[i].high, false));
    return TOC_OK;
}

static void drop_local_scene(toc_mpi_scene *scene) {
    toc_scene_destroy(scene->work.scene);
    scene->work.scene = NULL;
}

static toc_status add_empty_body(const toc_mpi_scene *scene) {
    toc_mesh *mesh;
    DIST_TRY(toc_mesh_create(&scene->link.memory, &mesh));
    const toc_status status = toc_scene_add_body(scene->work.scene, mesh, NULL);
    if (status != TOC_OK) toc_mesh_destroy(mesh);
    return status;
}

// Empty the bodies of the local scene, which keeps its memory: pages that the system gives again cost as much as a
// search. A new scene where there is none, or one with other bodies or groups.
static toc_status clear_local_scene(toc_mpi_scene *scene) {
    dist_work *work = &scene->work;
    if (work->scene && (work->is_stale || toc_scene_get_body_count(work->scene) != scene->bodies.count))
        drop_local_scene(scene);
    const bool is_new = !work->scene;
    if (is_new) DIST_TRY(toc_scene_create(&scene->link.memory, &work->scene));
    for (uint32_t b = 0; b < scene->bodies.count; b++)
        DIST_TRY(is_new ? add_empty_body(scene) : toc_scene_empty_body(work->scene, b));
    work->is_stale = false;
    DIST_TRY(toc_scene_set_steady(work->scene, scene->plan.is_steady));
    return is_new ? ignore_groups(scene) : TOC_OK;
}

static bool is_ghost(const toc_mpi_scene *scene, const toc_mesh *mesh, uint32_t element) {
    const toc_element e = toc_mesh_get_element(mesh, element);
    const double *x0 = toc_mesh_get_x0(mesh);
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, middle[3];
    for (int c = 0; c < 3; c++) {
        for (int k = 0; k < e.corner_count; k++) {
            low[c] = dist_lower(low[c], x0[3 * (size_t)e.corners[k] + (size_t)c]);
            high[c] = dist_higher(high[c], x0[3 * (size_t)e.corners[k] + (size_t)c]);
        }
        middle[c] = low[c] / 2 + high[c] / 2;
    }
    return !dist_region_has(&scene->partition.regions.at[scene->link.rank], middle);
}

static void count_ghosts(toc_mpi_scene *scene) {
    scene->work.ghosts = 0;
    for (uint32_t b = 0; b < scene->bodies.count; b++) {
        const toc_mesh *mesh = toc_scene_get_mesh(scene->work.scene, b);
        for (uint32_t e = 0; e < toc_mesh_get_element_count(mesh); e++) scene->work.ghosts += is_ghost(scene, mesh, e);
    }
}

// The order of the elements, and their places.
static toc_status order_elements(toc_mpi_scene *scene, const dist_parcels *in, arrival *order, size_t count) {
    const element_item *items = (const element_item *)in->items;
    dist_work *work = &scene->work;
    for (size_t i = 0; i < count; i++) order[i] = (arrival){items[i].id, items[i].body, (uint32_t)i};
    DIST_TRY(toc_dist_sort(&scene->link.memory, order, count, sizeof *order, compare_arrivals));
    memset(work->element_first.at, 0, (scene->bodies.count + 1) * sizeof *work->element_first.at);
    for (size_t i = 0; i < count; i++) {
        work->element_ids.at[i] = order[i].id;
        work->homes.at[i] = source_of_element(scene, order[i].at);
        scene->plan.element_place.at[order[i].at] = (uint32_t)i;
        work->element_first.at[order[i].body + 1]++;
    }
    sum_places(scene->bodies.count, work->element_first.at);
    return TOC_OK;
}

static toc_status build_scene(toc_mpi_scene *scene, const dist_parcels *in, const uint64_t *vertex_from, arrival *order,
                              size_t count) {
    dist_work *work = &scene->work;
    DIST_TRY(order_elements(scene, in, order, count));
    for (uint32_t b = 0; b < scene->bodies.count; b++) {
        const size_t first = work->element_first.at[b];
        DIST_TRY(fill_mesh(scene, b, (const element_item *)in->items, vertex_from, order + first,
                           work->element_first.at[b + 1] - first, toc_scene_edit_mesh(work->scene, b)));
    }
    count_ghosts(scene);
    return TOC_OK;
}

static toc_status take_sent_elements(toc_mpi_scene *scene, const dist_parcels *in, const uint64_t *vertex_from) {
    const toc_allocator *memory = &scene->link.memory;
    const size_t count = dist_parcels_count(&scene->link, in), places = (size_t)scene->link.size + 1;
    dist_work *work = &scene->work;
    if (count >= UINT32_MAX)
        return toc_dist_fail(TOC_OUT_OF_MEMORY, "a rank searches 2^32 - 2 elements at most; %zu came in", count);
    DIST_TRY(dist_array_renew(memory, &scene->plan.element_place, count));
    DIST_TRY(dist_array_renew(memory, &scene->plan.element_from, places));
    DIST_TRY(dist_array_renew(memory, &work->element_ids, count));
    DIST_TRY(dist_array_renew(memory, &work->homes, count));
    DIST_TRY(dist_array_renew(memory, &work->element_first, scene->bodies.count + 1));
    DIST_TRY(dist_array_renew(memory, &work->tests, work->ids.count));
    memcpy(scene->plan.element_from.at, in->first, places * sizeof *in->first);
    arrival *order = new_arrivals(&scene->link, count);
    if (!order) return TOC_OUT_OF_MEMORY;
    const toc_status status = build_scene(scene, in, vertex_from, order, count);
    toc_dist_free(memory, order, count, sizeof *order);
    return status;
}

// ---- the plan

static void forget_plan(toc_mpi_scene *scene) {
    dist_plan *plan = &scene->plan;
    const dist_link *link = &scene->link;
    toc_dist_parcels_free(link, &plan->vertex_out);
    toc_dist_parcels_free(link, &plan->element_out);
    toc_dist_parcels_free(link, &plan->move_out);
    toc_dist_parcels_free(link, &plan->move_in);
    toc_dist_transfer_free(link, &plan->moving);
    plan->is_made = false;
}

// The memory of later steps, which send positions alone.
static toc_status prepare_moves(toc_mpi_scene *scene, const uint64_t *vertex_from) {
    dist_plan *plan = &scene->plan;
    DIST_TRY(copy_counts(&scene->link, plan->vertex_out.first, sizeof(dist_motion), &plan->move_out));
    DIST_TRY(copy_counts(&scene->link, vertex_from, sizeof(dist_motion), &plan->move_in));
    return toc_dist_transfer_make(&scene->link, &plan->move_out, &plan->move_in, &plan->moving);
}

static toc_status send_elements(toc_mpi_scene *scene, dist_span span, double growth) {
    dist_link *link = &scene->link;
    dist_parcels vertices = {0}, elements = {0}, vertices_in = {0}, elements_in = {0};
    forget_plan(scene);
    scene->report.sent_elements = true;
    const typical_lengths typical = scene->partition.is_whole ? (typical_lengths){0, 0} : find_typical(scene, span);
    growth = fmax(growth, scene->plan.widest) + SKIN * typical.size;
    const double slack = scene->plan.ahead / 2 * typical.motion;
    toc_status packed = clear_local_scene(scene);
    if (packed == TOC_OK) packed = pack_all(scene, span, growth, slack, &vertices, &elements);
    toc_status status = toc_dist_exchange(link, packed, &vertices, &vertices_in);
    toc_dist_parcels_free(link, &vertices);
    if (status == TOC_OK) {
        const toc_status taken = take_sent_vertices(scene, &vertices_in);
        toc_dist_parcels_empty(link, &vertices_in); // only their numbers count from here on
        status = toc_dist_exchange(link, taken, &elements, &elements_in);
        toc_dist_parcels_free(link, &elements);
    }
    if (status == TOC_OK) {
        toc_status mine = take_sent_elements(scene, &elements_in, vertices_in.first);
        if (mine == TOC_OK) mine = prepare_moves(scene, vertices_in.first);
        status = toc_dist_agree(link, mine);
    }
    toc_dist_parcels_free(link, &elements);
    toc_dist_parcels_free(link, &vertices_in);
    toc_dist_parcels_free(link, &elements_in);
    if (status != TOC_OK) {
        forget_plan(scene);
        drop_local_scene(scene);
    }
    scene->plan.is_made = status == TOC_OK;
    return status;
}

static void pack_moves(toc_mpi_scene *scene) {
    const dist_parcels *list = &scene->plan.vertex_out;
    dist_motion *out = (dist_motion *)scene->plan.move_out.items;
    for (uint64_t i = 0; i < dist_parcels_count(&scene->link, list); i++)
        out[i] = motion_of_vertex(scene, ((const uint32_t *)list->items)[i]);
}

static toc_status take_moves(toc_mpi_scene *scene) {
    const dist_plan *plan = &scene->plan;
    const dist_motion *in = (const dist_motion *)plan->move_in.items;
    for (size_t i = 0; i < plan->vertex_place.count; i++)
        if (!plan->is_copy.at[i]) put_motion(&scene->work, plan->vertex_place.at[i], &in[i]);
    for (size_t i = 0; i < plan->vertex_place.count; i++) {
        const uint32_t place = plan->vertex_place.at[i];
        if (plan->is_copy.at[i] && !has_motion(&scene->work, place, &in[i]))
            return toc_dist_fail(TOC_BAD_INPUT,
                                 "a copy of vertex %" PRIu64 " on rank %d has other positions than on other ranks",
                                 scene->work.ids.at[place], source_of(&scene->link, plan->move_in.first, i));
    }
    return TOC_OK;
}

// Send positions by the plan, and meanwhile look whether it still covers the question. @return whether it does.
static bool send_moves(toc_mpi_scene *scene, dist_span span, double growth) {
    dist_plan *plan = &scene->plan;
    assert(plan->is_made && plan->vertex_place.count == dist_parcels_count(&scene->link, &plan->move_in));
    pack_moves(scene);
    toc_dist_transfer_start(&scene->link, &plan->move_out, &plan->move_in, &plan->moving);
    const bool covered = is_covered(scene, span, growth);
    toc_dist_transfer_wait(&scene->link, &plan->moving);
    return toc_dist_all(&scene->link, covered);
}

// ---- parabolas

static void pack_bends(const toc_mpi_scene *scene, double *out) {
    const dist_parcels *list = &scene->plan.vertex_out;
    for (uint64_t i = 0; i < dist_parcels_count(&scene->link, list); i++) {
        const dist_flat_vertex *v = &scene->flat.vertices.at[((const uint32_t *)list->items)[i]];
        const dist_body *body = &scene->bodies.at[v->body];
        const size_t at = 3 * (size_t)v->place;
        if (at < body->acceleration.count) memcpy(out + 3 * i, body->acceleration.at + at, 3 * sizeof *out);
    }
}

static toc_status take_bends(toc_mpi_scene *scene, const dist_parcels *parcels) {
    const dist_plan *plan = &scene->plan;
    dist_work *work = &scene->work;
    const double *in = (const double *)parcels->items;
    DIST_TRY(dist_array_renew(&scene->link.memory, &work->acceleration, work->x0.count));
    DIST_TRY(dist_array_renew(&scene->link.memory, &work->control, work->x0.count));
    for (size_t i = 0; i < plan->vertex_place.count; i++)
        if (!plan->is_copy.at[i])
            memcpy(work->acceleration.at + 3 * (size_t)plan->vertex_place.at[i], in + 3 * i, 3 * sizeof *in);
    for (size_t i = 0; i < plan->vertex_place.count; i++) {
        const size_t place = plan->vertex_place.at[i];
        if (plan->is_copy.at[i] && memcmp(work->acceleration.at + 3 * place, in + 3 * i, 3 * sizeof *in) != 0)
            return toc_dist_fail(TOC_BAD_INPUT,
                                 "a copy of vertex %" PRIu64 " on rank %d has another acceleration than on other ranks",
                                 work->ids.at[place], source_of(&scene->link, parcels->first, i));
    }
    for (size_t i = 0; i < work->ids.count; i++)
        toc_path_find_control(1, work->x0.at + 3 * i, work->x1.at + 3 * i, work->acceleration.at + 3 * i,
                              work->control.at + 3 * i);
    return TOC_OK;
}

// Accelerations travel by the plan, behind the positions. Collective.
static toc_status send_bends(toc_mpi_scene *scene, toc_status mine) {
    dist_link *link = &scene->link;
    dist_parcels out = {0}, in = {0};
    if (mine == TOC_OK) mine = copy_counts(link, scene->plan.vertex_out.first, 3 * sizeof(double), &out);
    if (mine == TOC_OK) pack_bends(scene, (double *)out.items);
    toc_status status = toc_dist_exchange(link, mine, &out, &in);
    if (status == TOC_OK) status = toc_dist_agree(link, take_bends(scene, &in));
    toc_dist_parcels_free(link, &out);
    toc_dist_parcels_free(link, &in);
    return status;
}

// On one machine all bodies have control points where one is accelerated: so they have here, on every rank.
static toc_status bend_body(const toc_mpi_scene *scene, uint32_t b) {
    const size_t first = scene->work.vertex_first.at[b];
    if (!scene->is_accelerated || scene->work.vertex_first.at[b + 1] == first) return TOC_OK;
    return toc_mesh_set_acceleration(toc_scene_edit_mesh(scene->work.scene, b),
                                     scene->work.acceleration.at + 3 * first);
}

static toc_status set_up_bodies(toc_mpi_scene *scene) {
    const dist_work *work = &scene->work;
    for (uint32_t b = 0; b < scene->bodies.count; b++) {
        const dist_body *body = &scene->bodies.at[b];
        const size_t first = work->vertex_first.at[b];
        DIST_TRY(toc_scene_set_body_filter(work->scene, b, body->groups, body->mask));
        DIST_TRY(toc_scene_set_self_contact(work->scene, b, body->self));
        DIST_TRY(toc_scene_set_body_thickness(work->scene, b, body->thickness));
        if (work->vertex_first.at[b + 1] > first)
            DIST_TRY(toc_mesh_set_motion(toc_scene_edit_mesh(work->scene, b), work->x0.at + 3 * first,
                                         work->x1.at + 3 * first));
        DIST_TRY(bend_body(scene, b));
    }
    return TOC_OK;
}

// Mark the vertices whose paths, moved down by the growth, stay in the region of this rank. The lowest corner of the
// intersection of two boxes of such vertices is in it, too: along each axis it is one of these coordinates.
static toc_status mark_inside(toc_mpi_scene *scene, double growth) {
    dist_work *work = &scene->work;
    const dist_region *r = &scene->partition.regions.at[scene->link.rank];
    DIST_TRY(dist_array_renew(&scene->link.memory, &work->inside, work->ids.count));
    for (size_t i = 0; i < work->ids.count; i++) {
        bool inside = !scene->is_accelerated;
        for (size_t c = 0; c < 3; c++) {
            const double x0 = work->x0.at[3 * i + c] - growth, x1 = work->x1.at[3 * i + c] - growth;
            inside &= (r->low[c] <= x0) & (x0 < r->high[c]) & (r->low[c] <= x1) & (x1 < r->high[c]);
        }
        work->inside.at[i] = inside;
    }
    return TOC_OK;
}

static void reset_counts(toc_mpi_scene *scene) {
    dist_work *work = &scene->work;
    memset((void *)work->tests.at, 0, work->tests.count * sizeof *work->tests.at);
    work->decided = work->turned_down = 0;
    work->is_counted = false;
}

toc_status toc_dist_work_update(toc_mpi_scene *scene, dist_span span, double growth) {
    dist_link *link = &scene->link;
    toc_status mine = TOC_OK;
    dist_plan *plan = &scene->plan;
    const bool was_made = toc_dist_all(link, plan->is_made);
    plan->widest = fmax(plan->widest, growth);
    if (was_made && send_moves(scene, span, growth)) {
        mine = take_moves(scene);
    } else {
        if (was_made) choose_ahead(plan);
        if (plan->ahead == 0) plan->ahead = FIRST_AHEAD;
        plan->is_steady = plan->age > 1;
        DIST_TRY(send_elements(scene, span, growth));
        plan->age = 0;
        plan->widest = growth;
    }
    plan->age++;
    if (scene->is_accelerated) DIST_TRY(send_bends(scene, mine));
    if (mine == TOC_OK) mine = mark_inside(scene, growth);
    if (mine == TOC_OK) mine = set_up_bodies(scene);
    if (mine == TOC_OK) reset_counts(scene);
    return toc_dist_agree(link, mine);
}

// ---- balance and weights

double toc_dist_work_balance(toc_mpi_scene *scene) {
    const double work = (double)scene->work.element_ids.count + COST_OF_A_PAIR * (double)scene->work.decided;
    double most = work, sums[3] = {work, (double)scene->work.element_ids.count, (double)scene->flat.elements.count};
    toc_dist_most(&scene->link, 1, &most);
    toc_dist_sum(&scene->link, 3, sums);
    scene->plan.share = sums[2] > 0 ? sums[1] / sums[2] - 1 : 0;
    return sums[0] > 0 ? most * scene->link.size / sums[0] : 1;
}

static void count_around(const toc_mpi_scene *scene, float *around) {
    for (uint32_t b = 0; b < scene->bodies.count; b++) {
        const toc_mesh *mesh = toc_scene_get_mesh(scene->work.scene, b);
        for (uint32_t e = 0; e < toc_mesh_get_element_count(mesh); e++) {
            const toc_element element = toc_mesh_get_element(mesh, e);
            for (int k = 0; k < element.corner_count; k++)
                around[scene->work.vertex_first.at[b] + element.corners[k]] += 1;
        }
    }
}

// The work of this rank, shared among its elements. Those of its region have all its copies to carry: to give
// copies a weight of their own, where they are not searched, would not make this region smaller. Pairs count at the
// vertices of an element, shared with the other elements around each vertex.
static void weigh_elements(const toc_mpi_scene *scene, const float *around, float *out) {
    const dist_work *work = &scene->work;
    const double searched = (double)work->element_ids.count, owned = searched - (double)work->ghosts;
    const float each = owned > 0 ? (float)(searched / owned) : 0;
    for (size_t i = 0; i < scene->plan.element_place.count; i++) {
        const uint32_t place = scene->plan.element_place.at[i];
        const uint32_t b = body_of_element(scene, place);
        const toc_mesh *mesh = toc_scene_get_mesh(work->scene, b);
        const uint32_t local = (uint32_t)(place - work->element_first.at[b]);
        const toc_element e = toc_mesh_get_element(mesh, local);
        if (!is_ghost(scene, mesh, local)) out[i] += each;
        for (int k = 0; k < e.corner_count; k++) {
            const size_t v = work->vertex_first.at[b] + e.corners[k];
            out[i] += (float)COST_OF_A_PAIR * (float)work->tests.at[v] / around[v];
        }
    }
}

static toc_status pack_weights(const toc_mpi_scene *scene, dist_parcels *out) {
    const size_t count = scene->work.ids.count;
    DIST_TRY(copy_counts(&scene->link, scene->plan.element_from.at, sizeof(float), out));
    float *around = toc_dist_new(&scene->link.memory, count, sizeof *around);
    if (!around) return TOC_OUT_OF_MEMORY;
    count_around(scene, around);
    weigh_elements(scene, around, (float *)out->items);
    toc_dist_free(&scene->link.memory, around, count, sizeof *around);
    return TOC_OK;
}

static toc_status add_element_weights(toc_mpi_scene *scene, const dist_parcels *in) {
    const dist_parcels *list = &scene->plan.element_out;
    DIST_TRY(dist_array_renew(&scene->link.memory, &scene->partition.weights, scene->flat.elements.count));
    float *weights = scene->partition.weights.at;
    for (size_t i = 0; i < scene->flat.elements.count; i++) weights[i] = 0;
    for (uint64_t i = 0; i < dist_parcels_count(&scene->link, list); i++)
        weights[((const uint32_t *)list->items)[i]] += ((const float *)in->items)[i];
    return TOC_OK;
}

toc_status toc_dist_work_weigh(toc_mpi_scene *scene) {
    dist_parcels out = {0}, in = {0};
    const toc_status mine = pack_weights(scene, &out);
    toc_status status = toc_dist_exchange(&scene->link, mine, &out, &in);
    if (status == TOC_OK) status = toc_dist_agree(&scene->link, add_element_weights(scene, &in));
    toc_dist_parcels_free(&scene->link, &out);
    toc_dist_parcels_free(&scene->link, &in);
    return status;
}

void toc_dist_work_free(toc_mpi_scene *scene) {
    const toc_allocator *memory = &scene->link.memory;
    dist_plan *plan = &scene->plan;
    dist_work *work = &scene->work;
    forget_plan(scene);
    drop_local_scene(scene);
    dist_array_free(memory, &plan->reach_first);
    dist_array_free(memory, &plan->reach);
    dist_array_free(memory, &plan->rims);
    dist_array_free(memory, &plan->inner_of);
    dist_array_free(memory, &plan->vertex_place);
    dist_array_free(memory, &plan->is_copy);
    dist_array_free(memory, &plan->element_place);
    dist_array_free(memory, &plan->element_from);
    dist_array_free(memory, &work->vertex_first);
    dist_array_free(memory, &work->element_first);
    dist_array_free(memory, &work->ids);
    dist_array_free(memory, &work->owners);
    dist_array_free(memory, &work->x0);
    dist_array_free(memory, &work->x1);
    dist_array_free(memory, &work->acceleration);
    dist_array_free(memory, &work->control);
    dist_array_free(memory, &work->element_ids);
    dist_array_free(memory, &work->homes);
    dist_array_free(memory, &work->tests);
    dist_array_free(memory, &work->inside);
}
