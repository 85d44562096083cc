// SPDX-License-Identifier: Apache-2.0
// The elements that a rank searches, as the modules see it that keep them: reach.c, pack.c, local.c, weights.c, work.c.
#ifndef MPI_WORK_H
#define MPI_WORK_H

#include <string.h>

#include "mpi/scene.h"
#include "toccata/convex.h"

/// A vertex as it is sent.
typedef struct dist_vertex_item {
    uint64_t id;
    uint32_t body;
    int32_t owner;
    dist_motion motion;
} dist_vertex_item;

/// An element as it is sent; corners are places in the vertices for the same rank.
typedef struct dist_element_item {
    uint64_t id;
    double thickness;
    uint32_t body;
    int32_t group;
    uint32_t shape;
    uint32_t corner[DIST_CORNERS];
    uint32_t pad;
} dist_element_item;

_Static_assert(sizeof(dist_vertex_item) == 64 && sizeof(dist_element_item) == 64, "no bytes between the fields");

static inline void dist_motion_put(dist_work *work, size_t place, const dist_motion *motion) {
    memcpy(work->x0.at + 3 * place, motion->x0, sizeof motion->x0);
    memcpy(work->x1.at + 3 * place, motion->x1, sizeof motion->x1);
}

static inline bool dist_motion_is(const dist_work *work, size_t place, const dist_motion *motion) {
    return memcmp(work->x0.at + 3 * place, motion->x0, sizeof motion->x0) == 0 &&
           memcmp(work->x1.at + 3 * place, motion->x1, sizeof motion->x1) == 0;
}

// ---- reach.c

/// The mean size of an element, and how far it moves in a step, of all ranks.
typedef struct dist_typical {
    double size, motion;
} dist_typical;
/// Collective.
dist_typical toc_dist_typical_find(toc_mpi_scene *scene, dist_span span);
enum { DIST_AHEADS = 8 };
/// The steps ahead of a choice: 0.5, 1, 2, ... 64.
double toc_dist_ahead_at(int choice);
/// The steps ahead that cost least. @param shares of copies, as copies : elements, for each choice; @param trust how
/// many questions a plan serves for each step ahead; @param longest the most questions that a plan can serve.
double toc_dist_ahead_choose(const double shares[DIST_AHEADS], double trust, double longest);
/// The least growth of boxes to all sides for some steps ahead.
double toc_dist_slack(double ahead, dist_typical typical);
/// Choose for how many steps ahead elements are sent next: by the copies that these would have, and by how long plans
/// before this one have held. Collective.
void toc_dist_reach_choose_ahead(toc_mpi_scene *scene, dist_span span, double growth, dist_typical typical);
/// Find the ranks that each element is sent to.
toc_status toc_dist_reach_find(toc_mpi_scene *scene, dist_span span, double growth, double slack);
/// Whether every element of this rank still reaches only where it was sent.
bool toc_dist_reach_covers(toc_mpi_scene *scene, dist_span span, double growth);

// ---- pack.c

dist_motion toc_dist_motion_of(const toc_mpi_scene *scene, uint32_t flat);
/// Parcels as large as others, of other items. @param places the first item for each rank, one more than ranks.
toc_status toc_dist_parcels_copy_counts(const dist_link *link, const uint64_t *places, size_t item, dist_parcels *out);
/// Find where elements reach, and pack them and their vertices for these ranks.
toc_status toc_dist_pack(toc_mpi_scene *scene, dist_span span, double growth, double slack, dist_parcels *vertices,
                         dist_parcels *elements);

// ---- local.c

/// Empty the local scene, or make one; its memory is kept.
toc_status toc_dist_local_clear(toc_mpi_scene *scene);
void toc_dist_local_drop(toc_mpi_scene *scene);
/// Take vertices that came in, in order and each once.
toc_status toc_dist_local_take_vertices(toc_mpi_scene *scene, const dist_parcels *in);
/// Take elements that came in, and build the local scene. @param vertex_from the first vertex from each rank.
toc_status toc_dist_local_take_elements(toc_mpi_scene *scene, const dist_parcels *in, const uint64_t *vertex_from);
/// The rank whose part holds a place, by halving.
int toc_dist_source_of(const dist_link *link, const uint64_t *first, uint64_t at);
/// The body of an element of the local scene, by its place among all.
uint32_t toc_dist_body_of_element(const toc_mpi_scene *scene, size_t place);
/// Whether an element of the local scene belongs to the region of another rank.
bool toc_dist_is_ghost(const toc_mpi_scene *scene, const toc_mesh *mesh, uint32_t element);

#endif
