// SPDX-License-Identifier: Apache-2.0
// The rule that cannot miss: leave out a vertex and a cluster of tets only where a proof says that they are apart.
//
// A vertex in a tet is in the box of its cluster. A vertex there is left out if a gap is left: let G be an affine map,
// the motion of the cluster's mean weights back to the reference pose, the first frame. If the vertex x is in a tet, it
// is a blend of the corners x_i with weights >= 0 that sum to 1, and Gx is the same blend of the Gx_i. Each Gx_i is
// within a shift s of its place in the reference pose, so Gx is within s of the tet there; and Gx is within a shift t
// of the place of the vertex. So the vertex and the tet are at most s + t apart in the reference pose. If their
// distance there is more, the vertex is in no tet of the cluster: docs/guarantees.md, G21. Twist and motion of the root
// need no case of their own: only positions count. O(n) a frame, and the search.
#include <assert.h>
#include <string.h>

#include "sim/character/character.h"
#include "sim/core/vector.h"

/// The way back of a cluster in the present frame.
typedef struct cluster_map {
    double map[12];
    double error;                     // of a distance after the map
    double shift;                     // the largest of the corners, and not less than the exact one
    double shifts2[4 * CLUSTER_TETS]; // of each corner, squared and rounded
} cluster_map;

/// Back from a matrix, and on to that of the reference pose. A matrix without an inverse gets 0, which is an affine
/// map, too.
static void find_way_back(const double m[12], const double reference[12], double map[12]) {
    double a[3][3], b[3][3], shift[3] = {m[3], m[7], m[11]};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) a[i][j] = m[4 * i + j];
    sim_matrix_invert(a, b);
    sim_matrix_apply(b, shift, shift);
    for (int i = 0; i < 12; i++) {
        const double *row = reference + i / 4 * 4;
        const int j = i % 4;
        map[i] = j < 3 ? row[0] * b[0][j] + row[1] * b[1][j] + row[2] * b[2][j]
                       : row[3] - row[0] * shift[0] - row[1] * shift[1] - row[2] * shift[2];
        if (!isfinite(map[i])) map[i] = 0;
    }
}

/// The squared distance between Gx and a place.
static double find_shift2(const double map[12], const double *x, const double *place) {
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        const double gap =
            map[4 * k] * x[0] + map[4 * k + 1] * x[1] + map[4 * k + 2] * x[2] + map[4 * k + 3] - place[k];
        sum += gap * gap;
    }
    return sum;
}

// Each coordinate of Gx minus a place has three products and four sums: an error below 2^-50 of the sum of absolute
// terms, of which `most` bounds the positions. The square and its root add less than 2^-49 of the distance.
static double bound_error(const toc_character *c, const double map[12], const double most[3]) {
    double sum = 0;
    for (int k = 0; k < 3; k++)
        sum += fabs(map[4 * k]) * most[0] + fabs(map[4 * k + 1]) * most[1] + fabs(map[4 * k + 2]) * most[2] +
               fabs(map[4 * k + 3]) + c->reference_most[k];
    return 0x1p-49 * sum;
}

static void make_cluster_map(const toc_character *c, const character_cluster *cluster, const double most[3],
                             cluster_map *out) {
    double now[12], shift2 = 0;
    toc_character_blend_cluster(c, cluster, c->matrices.at, now);
    find_way_back(now, cluster->reference, out->map);
    out->error = bound_error(c, out->map, most);
    for (uint32_t i = cluster->first_vertex; i < cluster->end_vertex; i++) {
        const size_t v = c->cluster_vertices.at[i];
        const double found = find_shift2(out->map, c->x.at + 3 * v, c->reference.at + 3 * v);
        out->shifts2[i - cluster->first_vertex] = found;
        if (!(found <= shift2)) shift2 = found; // also one that is no number
    }
    out->shift = sqrt(shift2) * (1 + 0x1p-48) + out->error;
}

/// Whether a gap of the reference pose is certainly left. Rounding of the sums and the square: below 2^-48.
static bool gap_is_left(const cluster_map *m, float gap, double shift2) {
    const double room = (1 - 0x1p-40) * (double)gap - m->shift - m->error;
    return room > 0 && shift2 < (1 - 0x1p-40) * room * room;
}

/// Mark the vertices in the box that are provably in no tet of the cluster: its own corners, which all are in the box,
/// then others.
static void clear_vertices(toc_character *c, const character_cluster *cluster, const double most[3]) {
    cluster_map m;
    make_cluster_map(c, cluster, most, &m);
    for (uint32_t i = cluster->first_vertex; i < cluster->end_vertex; i++)
        if (gap_is_left(&m, c->corner_gaps.at[i], m.shifts2[i - cluster->first_vertex]))
            c->cleared.at[c->cluster_vertices.at[i]] = c->clearings;
    for (uint32_t i = cluster->first_near; i < cluster->end_near; i++) {
        const character_near *near = &c->near.at[i];
        const size_t v = near->vertex;
        if (!spot_is_in(c->grid.spots.at[v], cluster->box)) continue;
        if (gap_is_left(&m, near->gap, find_shift2(m.map, c->x.at + 3 * v, c->reference.at + 3 * v)))
            c->cleared.at[v] = c->clearings;
    }
}

static void begin_clearing(toc_character *c) {
    if (++c->clearings > 0) return;
    memset(c->cleared.at, 0, c->vertex_count * sizeof *c->cleared.at);
    c->clearings = 1;
}

static void wake_vertex(toc_character *c, uint32_t vertex) {
    if (c->is_awake.at[vertex]) return;
    c->is_awake.at[vertex] = 1;
    c->awake_count++;
    if (c->part_of.at[vertex] < c->joint_count) c->awake_joint.at[c->part_of.at[vertex]] = 1;
}

/// Vertices in the box that have to be tested, at the front of `found`. @return how many.
static size_t find_suspects(toc_character *c, const character_cluster *cluster, const double most[3]) {
    uint32_t *found = c->grid.found.at;
    const size_t count = toc_character_keep_found(c, cluster, found, toc_character_grid_find(c, cluster->box, found));
    size_t kept = 0;
    if (count == 0) return 0;
    begin_clearing(c);
    if (cluster->body == 0) clear_vertices(c, cluster, most);
    for (size_t i = 0; i < count; i++) {
        const uint32_t v = found[i];
        const bool own = cluster->body > 0 && c->part_of.at[v] == cluster->part;
        if (c->cleared.at[v] == c->clearings || own) continue;
        found[kept++] = v;
        wake_vertex(c, v);
    }
    return kept;
}

static toc_status test_suspects(toc_character *c, character_cluster *cluster, size_t count) {
    if (cluster->part < c->joint_count) c->awake_joint.at[cluster->part] = 1;
    return toc_character_test_found(c, cluster, count);
}

/// @param user the largest coordinates of the cage.
static toc_status search_safely(toc_character *c, character_cluster *cluster, const void *user) {
    toc_character_place_cluster(c, cluster);
    if (toc_character_is_kept(c, cluster)) return TOC_OK;
    cluster->has_inverted = false;
    const size_t count = find_suspects(c, cluster, user);
    return count > 0 ? test_suspects(c, cluster, count) : TOC_OK;
}

/// The largest coordinates of the cage, without sign.
static void measure_most(const toc_character *c, double most[3]) {
    character_box box = character_box_empty();
    for (size_t v = 0; v < c->bodies.at[0].count; v++) character_box_add(&box, c->x.at + 3 * v);
    for (int k = 0; k < 3; k++) most[k] = fmax(fabs(box.low[k]), fabs(box.high[k]));
}

toc_status toc_character_search_safely(toc_character *c) {
    enum { FRAMES_BETWEEN = 32 }; // attempts to take a reference
    double most[3];
    if (!c->has_reference && c->frames_without++ % FRAMES_BETWEEN == 0) TOC_TRY(toc_character_take_reference(c));
    if (!c->has_reference) return toc_character_search_clusters(c);
    memset(c->awake_joint.at, 0, c->joint_count);
    memset(c->is_awake.at, 0, c->vertex_count);
    c->awake_count = 0;
    measure_most(c, most);
    return toc_character_visit_clusters(c, search_safely, most);
}
