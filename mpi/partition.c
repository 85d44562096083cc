// SPDX-License-Identifier: Apache-2.0
// Regions of space with about equal work, by Zoltan's recursive coordinate bisection.
//
// Zoltan gets the middles of the boxes of elements, weighted with the work of the last question, and returns cuts. The
// regions tile space: each cut is the high side of one and the low side of the other. The first cuts have no weights.
// Cuts are made anew after a question whose balance was above TOO_UNEQUAL; cuts with weights only if they have served
// KEPT_LEAST questions and have become worse by MUCH_WORSE, or if the last cut made the balance better by LEAST_GAIN.
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>
#include <zoltan.h>

#include "mpi/scene.h"
#include "toccata/convex.h"

static const double FARTHEST = 1e150; // coordinates whose differences and products Zoltan can handle
static const char *const PARAMETERS[][2] = {
    {"DEBUG_LEVEL", "0"},      {"LB_METHOD", "RCB"}, {"NUM_GID_ENTRIES", "2"}, {"NUM_LID_ENTRIES", "1"},
    {"OBJ_WEIGHT_DIM", "1"},   {"KEEP_CUTS", "1"},   {"RETURN_LISTS", "NONE"}, {"IMBALANCE_TOL", "1.02"},
    {"RCB_OUTPUT_LEVEL", "0"}, {"CHECK_GEOM", "0"},
};

typedef struct cut_input {
    const toc_mpi_scene *scene;
    dist_span span;
} cut_input;

// A parabola is in the hull of its ends and its control point. Rounded, those of straight paths can be outside of the
// box of the ends.
static void bound_control(const dist_body *body, const dist_element *e, dist_region *box) {
    static const double none[3];
    for (int k = 0; k < toc_shape_count_corners((toc_shape)e->shape); k++) {
        const size_t at = 3 * (size_t)e->corner[k];
        // Vertices that were added since the acceleration was set have none.
        const double *a = at < body->acceleration.count ? body->acceleration.at + at : none;
        double control[3];
        toc_path_find_control(1, body->x0.at + at, body->x1.at + at, a, control);
        for (int c = 0; c < 3; c++) {
            box->low[c] = dist_lower(box->low[c], control[c]);
            box->high[c] = dist_higher(box->high[c], control[c]);
        }
    }
}

dist_region toc_dist_bound(const toc_mpi_scene *scene, size_t flat, dist_span span, double growth) {
    const dist_flat_element *at = &scene->flat.elements.at[flat];
    const dist_body *body = &scene->bodies.at[at->body];
    const dist_element *e = &body->elements.at[at->place];
    const double *first = span == DIST_END ? body->x1.at : body->x0.at;
    const double *last = span == DIST_START ? body->x0.at : body->x1.at;
    const int corners = toc_shape_count_corners((toc_shape)e->shape);
    dist_region box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int k = 0; k < corners; k++) {
        const double *x0 = first + 3 * (size_t)e->corner[k], *x1 = last + 3 * (size_t)e->corner[k];
        for (int c = 0; c < 3; c++) {
            box.low[c] = dist_lower(box.low[c], dist_lower(x0[c], x1[c]));
            box.high[c] = dist_higher(box.high[c], dist_higher(x0[c], x1[c]));
        }
    }
    if (span == DIST_STEP && scene->is_accelerated) bound_control(body, e, &box);
    for (int c = 0; c < 3; c++) {
        box.low[c] -= growth;
        box.high[c] += growth;
    }
    return box;
}

dist_region toc_dist_bound_ahead(const toc_mpi_scene *scene, size_t flat, dist_span span, double growth, double ahead,
                                 double slack) {
    const dist_flat_element *at = &scene->flat.elements.at[flat];
    const dist_body *body = &scene->bodies.at[at->body];
    const dist_element *e = &body->elements.at[at->place];
    dist_region box = toc_dist_bound(scene, flat, span, growth);
    for (int c = 0; c < 3; c++) {
        double low = 0, high = 0;
        for (int k = 0; k < toc_shape_count_corners((toc_shape)e->shape); k++) {
            const size_t i = 3 * (size_t)e->corner[k] + (size_t)c;
            const double way = ahead * (body->x1.at[i] - body->x0.at[i]);
            low = dist_lower(low, way);
            high = dist_higher(high, way);
        }
        const double more = dist_higher(slack, (high - low) / 4);
        box.low[c] += low - more;
        box.high[c] += high + more;
    }
    return box;
}

// ---- Zoltan's questions

static int count_objects(void *data, int *error) {
    const cut_input *input = data;
    *error = ZOLTAN_OK;
    return (int)input->scene->flat.elements.count;
}

static void list_objects(void *data, int gids, int lids, ZOLTAN_ID_PTR global, ZOLTAN_ID_PTR local, int weights,
                         float *weight, int *error) {
    const cut_input *input = data;
    const toc_mpi_scene *scene = input->scene;
    assert(gids == 2 && lids == 1 && weights == 1);
    (void)weights;
    for (size_t i = 0; i < scene->flat.elements.count; i++) {
        global[i * (size_t)gids] = (ZOLTAN_ID_TYPE)scene->link.rank;
        global[i * (size_t)gids + 1] = local[i * (size_t)lids] = (ZOLTAN_ID_TYPE)i;
        weight[i] = scene->partition.weights.count ? scene->partition.weights.at[i] : 1;
    }
    *error = ZOLTAN_OK;
}

static int count_dimensions(void *data, int *error) {
    (void)data;
    *error = ZOLTAN_OK;
    return 3;
}

static void list_middles(void *data, int gids, int lids, int count, ZOLTAN_ID_PTR global, ZOLTAN_ID_PTR local,
                         int dimensions, double *middles, int *error) {
    const cut_input *input = data;
    (void)gids, (void)global, (void)dimensions;
    for (int i = 0; i < count; i++) {
        const dist_region box = toc_dist_bound(input->scene, local[(size_t)i * (size_t)lids], input->span, 0);
        for (int c = 0; c < 3; c++) middles[3 * (size_t)i + (size_t)c] = box.low[c] / 2 + box.high[c] / 2;
    }
    *error = ZOLTAN_OK;
}

// ---- making

static toc_status make_zoltan(toc_mpi_scene *scene) {
    dist_partition *p = &scene->partition;
    float version;
    if (Zoltan_Initialize(0, NULL, &version) != ZOLTAN_OK || !(p->zoltan = Zoltan_Create(scene->link.comm)))
        return toc_fail(TOC_OUT_OF_MEMORY, "Zoltan could not start");
    for (size_t i = 0; i < sizeof PARAMETERS / sizeof *PARAMETERS; i++)
        if (Zoltan_Set_Param(p->zoltan, PARAMETERS[i][0], PARAMETERS[i][1]) == ZOLTAN_FATAL)
            return toc_fail(TOC_INTERNAL, "Zoltan refuses %s = %s", PARAMETERS[i][0], PARAMETERS[i][1]);
    return TOC_OK;
}

static toc_status reserve_regions(toc_mpi_scene *scene) {
    dist_partition *p = &scene->partition;
    const size_t size = (size_t)scene->link.size;
    TOC_TRY(dist_array_renew(&scene->link.memory, &p->regions, size));
    TOC_TRY(dist_array_renew(&scene->link.memory, &p->found, 2 * size));
    memset(p->found.at, 0, 2 * size * sizeof *p->found.at);
    return TOC_OK;
}

// One region for all of space, that of rank 0.
static void make_whole(toc_mpi_scene *scene) {
    dist_partition *p = &scene->partition;
    const double low = -INFINITY, high = INFINITY;
    for (size_t r = 0; r < p->regions.count; r++)
        p->regions.at[r] = r == 0 ? (dist_region){{low, low, low}, {high, high, high}} : (dist_region){{0}, {0}};
    p->is_whole = true;
}

// Zoltan's outermost sides are the largest doubles; a coordinate can be equal to one of them.
static void open_sides(dist_region *r) {
    for (int c = 0; c < 3; c++) {
        if (r->low[c] <= -DBL_MAX) r->low[c] = -INFINITY;
        if (r->high[c] >= DBL_MAX) r->high[c] = INFINITY;
    }
}

static bool read_regions(toc_mpi_scene *scene) {
    dist_partition *p = &scene->partition;
    bool good = true;
    for (int r = 0; r < scene->link.size && good; r++) {
        dist_region *at = &p->regions.at[r];
        int dimensions;
        good = Zoltan_RCB_Box(p->zoltan, r, &dimensions, &at->low[0], &at->low[1], &at->low[2], &at->high[0],
                              &at->high[1], &at->high[2]) == ZOLTAN_OK &&
               dimensions == 3;
        for (int c = 0; c < 3 && good; c++) good = at->low[c] <= at->high[c]; // and no NaN
        open_sides(at);
    }
    return good;
}

static bool cut_space(toc_mpi_scene *scene, dist_span span) {
    struct Zoltan_Struct *zoltan = scene->partition.zoltan;
    cut_input input = {scene, span};
    int changes, gids, lids, imports, exports, *a, *b, *c, *d;
    ZOLTAN_ID_PTR ig, il, eg, el;
    Zoltan_Set_Num_Obj_Fn(zoltan, count_objects, &input);
    Zoltan_Set_Obj_List_Fn(zoltan, list_objects, &input);
    Zoltan_Set_Num_Geom_Fn(zoltan, count_dimensions, &input);
    Zoltan_Set_Geom_Multi_Fn(zoltan, list_middles, &input);
    const int code =
        Zoltan_LB_Partition(zoltan, &changes, &gids, &lids, &imports, &ig, &il, &a, &b, &exports, &eg, &el, &c, &d);
    return code != ZOLTAN_FATAL && code != ZOLTAN_MEMERR && read_regions(scene);
}

static double farthest_coordinate(const toc_mpi_scene *scene) {
    double most = 0;
    for (size_t b = 0; b < scene->bodies.count; b++) {
        const dist_body *body = &scene->bodies.at[b];
        for (size_t i = 0; i < body->x0.count; i++) most = fmax(most, fmax(fabs(body->x0.at[i]), fabs(body->x1.at[i])));
        for (size_t i = 0; i < body->acceleration.count; i++) most = fmax(most, fabs(body->acceleration.at[i]));
    }
    return most;
}

static toc_status make_regions(toc_mpi_scene *scene, dist_span span) {
    dist_partition *p = &scene->partition;
    double far_and_elements[2] = {farthest_coordinate(scene), (double)scene->flat.elements.count};
    TOC_TRY(toc_dist_agree(&scene->link, reserve_regions(scene)));
    toc_dist_most(&scene->link, 2, far_and_elements);
    p->is_whole = scene->link.size == 1 || far_and_elements[0] > FARTHEST || far_and_elements[1] == 0;
    if (!p->is_whole && !p->zoltan) TOC_TRY(toc_dist_agree(&scene->link, make_zoltan(scene)));
    if (!p->is_whole) p->is_whole = !toc_dist_all(&scene->link, cut_space(scene, span));
    if (p->is_whole) make_whole(scene);
    p->is_made = true;
    p->age = 0;
    scene->plan.is_made = false;
    scene->plan.age = 0; // new regions say nothing about how long plans hold
    scene->report.partitioned = true;
    return TOC_OK;
}

enum { KEPT_LEAST = 4 };               // questions
enum { SETTLING = 2 };                 // questions in which a local scene learns which elements rest
static const double TOO_UNEQUAL = 1.1; // maximum over mean of the work
static const double MUCH_WORSE = 0.05; // than right after the cuts were made

enum { MOST_CUTS = 4 };
static const double LEAST_GAIN = 0.03; // of the balance, by the last cut

// Each cut with weights moves sides of regions, and with them copies: the next one knows their cost.
bool toc_dist_cuts_pay(int cuts, double before, double now) {
    return cuts < MOST_CUTS && now > TOO_UNEQUAL && now < before - LEAST_GAIN;
}

toc_status toc_dist_partition_update(toc_mpi_scene *scene, dist_span span) {
    dist_partition *p = &scene->partition;
    if (p->is_made && !p->is_unequal) return TOC_OK;
    if (p->is_made && toc_dist_all(&scene->link, scene->plan.is_made)) TOC_TRY(toc_dist_work_weigh(scene));
    p->is_made = p->is_unequal = p->is_suspect = false;
    p->is_weighted = p->weights.count > 0 || scene->flat.elements.count == 0;
    p->is_weighted = toc_dist_all(&scene->link, p->is_weighted);
    p->cuts = p->is_weighted ? p->cuts + 1 : 0;
    p->balance_before = p->balance_when_new;
    return make_regions(scene, span);
}

// The same on every rank: all have the same balance.
void toc_dist_partition_judge(toc_mpi_scene *scene, double balance) {
    dist_partition *p = &scene->partition;
    if (p->age++ == 0) p->balance_when_new = balance;
    const bool worse = p->age >= KEPT_LEAST && balance > p->balance_when_new + MUCH_WORSE;
    const bool pays = toc_dist_cuts_pay(p->cuts, p->balance_before, p->balance_when_new);
    const bool unequal = !p->is_whole && balance > TOO_UNEQUAL && (worse || pays || !p->is_weighted);
    if (worse) p->cuts = 0;
    p->is_unequal = unequal && scene->work.is_counted;
    p->is_suspect = unequal && !scene->work.is_counted && scene->plan.age > SETTLING;
}

void toc_dist_partition_free(toc_mpi_scene *scene) {
    dist_partition *p = &scene->partition;
    if (p->zoltan) Zoltan_Destroy(&p->zoltan);
    toc_array_free(&scene->link.memory, &p->regions);
    toc_array_free(&scene->link.memory, &p->found);
    toc_array_free(&scene->link.memory, &p->weights);
}

// ---- asking

static void sort_ranks(int *ranks, int count) {
    for (int i = 1; i < count; i++) {
        const int rank = ranks[i];
        int at = i;
        for (; at > 0 && ranks[at - 1] > rank; at--) ranks[at] = ranks[at - 1];
        ranks[at] = rank;
    }
}

int toc_dist_partition_reach(dist_partition *p, const dist_link *link, const dist_region *box, int **ranks) {
    int *parts = p->found.at + link->size, part_count = 0, rank_count = 0;
    *ranks = parts;
    if (p->is_whole) {
        parts[0] = 0;
        return 1;
    }
    // Elements come in an order in which neighbours are often in the same region: the answer before this one.
    if (parts[0] >= 0 && parts[0] < link->size && dist_region_holds(&p->regions.at[parts[0]], box)) return 1;
    const int code = Zoltan_LB_Box_PP_Assign(p->zoltan, box->low[0], box->low[1], box->low[2], box->high[0],
                                             box->high[1], box->high[2], p->found.at, &rank_count, parts, &part_count);
    if (code != ZOLTAN_OK || part_count < 1) return -1;
    sort_ranks(parts, part_count);
    assert(part_count <= link->size && parts[0] >= 0 && parts[part_count - 1] < link->size);
    return part_count;
}
