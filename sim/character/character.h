// SPDX-License-Identifier: Apache-2.0
// The character as its modules see it: vertices and tets of the cage and of all other bodies in one numbering, parts by
// joint, the hash, and the state of the flesh.
#ifndef SIM_CHARACTER_CHARACTER_H
#define SIM_CHARACTER_CHARACTER_H

#include <math.h>
#include <stdbool.h>

#include "base/memory.h"
#include "sim/character/flesh.h"
#include "sim/character/spot.h"
#include "toccata/character.h"

#define CHARACTER_NONE UINT32_MAX

typedef struct character_box {
    double low[3], high[3]; // empty if low > high
} character_box;

/// A body: its vertices and tets in a row.
typedef struct character_body {
    uint32_t first, count; // vertices
    uint32_t first_tet, tet_count;
    uint32_t first_face, end_face; // on its boundary
} character_body;

typedef struct character_tet {
    uint32_t v[4];    // wound so that the volume in the bind pose is >= 0
    uint32_t element; // id in its mesh
    uint32_t part;
    uint32_t body;
    uint32_t cluster;
    bool turned; // corners 2 and 3 are swapped
} character_tet;

typedef struct character_face {
    uint32_t v[3]; // wound outward in the bind pose
    uint32_t part;
    uint32_t next[3]; // across the edge that is opposite to each corner; CHARACTER_NONE without
} character_face;

/// An angle that the published rule watches: at a joint between its bones, or of a limb to the midline.
typedef struct character_angle {
    uint32_t joint;  // the vertex of the angle; its part moves
    uint32_t parent; // the other side; CHARACTER_NONE for the midline
    uint32_t child;  // the end of the moving bone; CHARACTER_NONE for the tip of the joint
    double now;      // in this frame
    double last;     // of the frame before
    bool touching;   // its parts touched in the frame before
} character_angle;

/// A part of the published rule: asleep, asleep but in the box of one that is awake, awake.
typedef enum character_part_state { PART_ASLEEP, PART_MET, PART_AWAKE } character_part_state;

/// A part in the present frame.
typedef struct character_part {
    uint32_t body;
    character_part_state state; // wake.c
    bool touches;               // has a contact (wake.c)
    character_spots skin;       // boundary vertices; low > high without (wake.c)
} character_part;

/// CLUSTER_TETS: of a cluster, at most. KEPT_CELLS: of the table of coarse cells (kept.c).
enum { CLUSTER_TETS = 24, KEPT_CELLS = 4096 };

/// Up to CLUSTER_TETS tets of a part that lie close together, and their corners, each once.
typedef struct character_cluster {
    uint32_t body, part;
    uint32_t first_tet, end_tet;       // in `cluster_tets`
    uint32_t first_vertex, end_vertex; // in `cluster_vertices`
    uint32_t first_weight, end_weight; // in `cluster_weights`: the mean of the corners
    uint32_t first_near, end_near;     // in `near`
    character_spots box;               // in the present frame
    bool rests;                        // no corner moved since the last search (kept.c)
    bool has_inverted;                 // a vertex was found in an inverted tet
    double reference[12];              // the blend of its matrices in the reference pose
} character_cluster;

/// The corners of a tet, from the first vertex of its cluster on.
typedef struct character_corners {
    uint8_t at[4];
} character_corners;

typedef struct character_weight {
    uint32_t joint;
    double weight;
} character_weight;

/// A boundary vertex that is close to a cluster in the reference pose, and none of its corners (reference.c).
typedef struct character_near {
    uint32_t vertex;
    float gap; // to its tets, rounded down
} character_near;

/// A row of cells along x, if the stamp is the present one. Cell i has the sorted vertices from starts[i] to
/// starts[i + 1].
enum { ROW_CELLS = 8 };
typedef struct character_row {
    uint64_t key;
    uint32_t stamp, starts[ROW_CELLS + 1];
} character_row;

/// A corner of a cluster: its place in `cluster_vertices`, if the stamp is that of the cluster.
typedef struct character_corner {
    uint32_t stamp, at;
} character_corner;

typedef struct character_grid {
    double per_step, low[3]; // of the raster
    uint32_t stamp;
    TOC_ARRAY(character_spot) spots; // by vertex
    TOC_ARRAY(character_row) rows;   // the hash; a power of two
    TOC_ARRAY(uint32_t) used;        // rows with vertices
    TOC_ARRAY(uint32_t) homes;       // by awake vertex: its row
    TOC_ARRAY(uint32_t) sorted;      // awake vertices by cell
    TOC_ARRAY(character_spot) sorted_spots;
    TOC_ARRAY(uint32_t) found;           // of toc_character_grid_find
    TOC_ARRAY(character_corner) corners; // by vertex
    uint32_t corner_stamp;               // of the present cluster (packed.c)
} character_grid;

/// A vertex in a tet, in the numbering of the character.
typedef struct character_hit {
    uint32_t vertex, tet;
    double weights[4];
} character_hit;

struct toc_character {
    toc_allocator memory;
    toc_character_settings settings;
    int threads; // of loops
    int lanes;   // of kernels

    TOC_ARRAY(character_body) bodies;
    size_t vertex_count;
    TOC_ARRAY(double) x, bind;     // 3 a vertex
    TOC_ARRAY(uint32_t) part_of;   // by vertex: dominant joint, or behind the joints the body
    TOC_ARRAY(uint32_t) boundary;  // vertices
    TOC_ARRAY(character_tet) tets; // of all bodies
    TOC_ARRAY(character_face) faces;
    double mean_edge;    // of the cage: in the world from the first frame on, before in the bind pose
    double longest_edge; // of all bodies in the bind pose, or more
    double scale;        // of the world, in lengths of the bind pose
    bool begun;          // the scale is known

    size_t joint_count;
    TOC_ARRAY(uint32_t) parents;
    TOC_ARRAY(double) inverse_binds, matrices; // 12 a joint
    TOC_ARRAY(double) heads, tips;             // 3 a joint: of its bone, in the bind pose
    TOC_ARRAY(size_t) weight_ends;
    TOC_ARRAY(uint32_t) weight_joints;
    TOC_ARRAY(double) weights;
    TOC_ARRAY(double) duals;     // 8 a joint
    TOC_ARRAY(double) stretches; // 9 a joint: what its rotation leaves of its matrix

    TOC_ARRAY(character_part) parts; // joints, then bodies
    TOC_ARRAY(character_angle) angles;
    double midline[3]; // of the box in the bind pose
    uint32_t root;     // the first joint without a parent
    TOC_ARRAY(uint8_t) awake_joint;
    TOC_ARRAY(uint32_t) awake;             // vertices
    size_t awake_count;                    // boundary vertices that were searched for
    TOC_ARRAY(character_spots) boxes;      // of the published rule
    TOC_ARRAY(character_cluster) clusters; // of all bodies
    TOC_ARRAY(uint32_t) cluster_tets, cluster_vertices;
    TOC_ARRAY(character_corners) cluster_corners; // by cluster tet
    TOC_ARRAY(uint32_t) corner_tets;              // by cluster vertex: a bit for each tet that it is a corner of
    TOC_ARRAY(character_weight) cluster_weights;
    TOC_ARRAY(float) corner_gaps; // by cluster vertex: as of `near`; 0 where a vertex has none
    TOC_ARRAY(double) reference;  // positions of the cage in the first frame (safe.c)
    double reference_most[3];     // its largest coordinates, without sign
    bool has_reference;
    uint32_t frames_without; // frames without a reference
    TOC_ARRAY(character_near) near;
    TOC_ARRAY(uint32_t) cleared; // by vertex: the last search of a cluster that left it out
    uint32_t clearings;
    TOC_ARRAY(uint8_t) is_awake; // by vertex, with the safe rule
    uint32_t skip_safe;          // frames until the safe preset is tried again (auto)

    character_grid grid;
    TOC_ARRAY(character_hit) hits;
    TOC_ARRAY(toc_character_contact) contacts; // of the hits
    size_t inside_inverted, tested_tets;
    TOC_ARRAY(toc_character) views; // of the threads of a search (crew.c)
    bool keeps;                     // the next search reuses contacts of the last one (kept.c)
    TOC_ARRAY(uint8_t) has_moved;   // by vertex, since the last search
    uint64_t moved_cells[KEPT_CELLS / 64];

    character_flesh flesh;        // of position based skinning
    bool soft;                    // it was made
    TOC_ARRAY(double) attachment; // by joint
    TOC_ARRAY(double) morph;      // ways in the bind pose, 3 a vertex of the cage; empty without
    bool reshaped;                // the morph changed since the last frame
    bool nudged;                  // another body, or an attachment, did
    bool moved;                   // a frame was made
    size_t frame;                 // frames that were asked for before this one
};

// character.c
/// Whether the joints of a definition are complete and without a cycle.
toc_status toc_character_check_joints(const toc_character_def *def);
/// Whether the weights are; those of vertices with a flag must sum to 1.
toc_status toc_character_check_weights(const toc_character_def *def, const uint8_t *used);

// skinning.c
/// Place the cage by the matrices of the present pose.
toc_status toc_character_skin(toc_character *character, double *x);

// parts.c
/// Parts, bones and angles of the cage, from the bind pose.
toc_status toc_character_find_parts(toc_character *character);
/// Distance between a point and a tet, 0 inside. Rounded.
double toc_character_distance(const double p[3], const double *x, const uint32_t v[4]);

// reference.c
/// Make the present positions the reference pose of the safe rule.
toc_status toc_character_take_reference(toc_character *character);

// cluster.c
/// Divide the tets of a body into clusters. `part_of` and the weights are known.
toc_status toc_character_add_clusters(toc_character *character, uint32_t body);
/// The blend of matrices by the mean weights of a cluster.
void toc_character_blend_cluster(const toc_character *character, const character_cluster *cluster,
                                 const double *matrices, double out[12]);
/// Find the box of a cluster in the present frame. After toc_character_grid_begin.
void toc_character_place_cluster(toc_character *character, character_cluster *cluster);

// kept.c
/// Begin a search: keep the contacts of the last one that are as they were, if `keeps` is set, and clear it. Otherwise
/// drop all.
toc_status toc_character_keep(toc_character *character);
/// Whether all contacts of a cluster, whose box is known, were kept.
bool toc_character_is_kept(const toc_character *character, const character_cluster *cluster);
/// Of vertices in the box of a cluster, bring those to the front that have to be tested. @return how many.
size_t toc_character_keep_found(const toc_character *character, const character_cluster *cluster, uint32_t *found,
                                size_t count);

// grid.c
/// Forget all vertices, without touching the rows; round all positions to the raster.
toc_status toc_character_grid_begin(toc_character *character);
/// Hash the vertices of `awake`.
void toc_character_grid_fill(toc_character *character);
/// The hashed vertices in a box, to `found`, which has room for all. @return how many.
size_t toc_character_grid_find(const toc_character *character, character_spots box, uint32_t *found);
character_spots toc_character_grid_box(const toc_character *character, const character_box *box);
/// Look up all tets of a cluster, and add the contacts.
toc_status toc_character_grid_search(toc_character *character, const character_cluster *cluster);
/// Test a vertex against a tet, and add the contact.
toc_status toc_character_grid_test(toc_character *character, uint32_t vertex, uint32_t tet);
/// Whether a vertex is in a tet: 1 inside, 0 outside, -1 inside of one that is inverted or flat.
int toc_character_test(const double *x, uint32_t vertex, const uint32_t v[4], double weights[4]);
/// Whether the volume of a tet is certainly above 0.
bool toc_character_tet_is_upright(const double *x, const uint32_t v[4]);

// crew.c
/// Visit a cluster: writes to the lists of its character only.
typedef toc_status character_visit(toc_character *character, character_cluster *cluster, const void *user);
/// Visit all clusters, on the threads of the character. With the states of the safe rule, whose flags are clear.
toc_status toc_character_visit_clusters(toc_character *character, character_visit *visit, const void *user);
void toc_character_crew_free(toc_character *character);

// packed.c
/// Test the first vertices of `found`, which are in the box of a cluster, against its tets, and add the contacts.
toc_status toc_character_test_found(toc_character *character, character_cluster *cluster, size_t count);

// wake.c
/// Measure all angles, once a frame: all searches of the frame see the same change.
void toc_character_measure_angles(toc_character *character);
/// Choose the vertices to hash, and the boxes whose tets are looked up. After toc_character_grid_begin.
toc_status toc_character_wake_published(toc_character *character);
/// Remember which angles have contacts in their parts.
void toc_character_note_contacts(toc_character *character);

// safe.c
/// Find all contacts of hashed vertices, without the pairs that are provably apart.
toc_status toc_character_search_safely(toc_character *character);

// detection.c
/// Find the contacts of the present positions.
toc_status toc_character_detect(toc_character *character);
/// The same by hashing everything, tet by tet as published, without the states of other presets.
toc_status toc_character_detect_all(toc_character *character);
/// The same, cluster by cluster.
toc_status toc_character_detect_clusters(toc_character *character);
/// Find all contacts of hashed vertices, cluster by cluster.
toc_status toc_character_search_clusters(toc_character *character);

// binding.c
/// The distance of a point from its tet at rest.
double toc_binding_get_distance_of(const toc_binding *binding, size_t point);

// flesh.c
/// Prepare position based skinning.
toc_status toc_character_flesh_make(toc_character *character);
/// Let the flesh follow the pose for a frame. Detection within is timed in `seconds`.
/// @param searched receives true if the last thing done was a search: its contacts are those of the frame.
toc_status toc_character_flesh_step(toc_character *character, size_t *passes, double *seconds, bool *searched);
void toc_character_flesh_free(toc_character *character);

// elastic.c
/// Make the elements of the cage.
toc_status toc_character_elastic_make(toc_character *character, double young);
/// Give the elements the shapes of the morph.
void toc_character_elastic_reshape(toc_character *character);
/// Give the elements the sizes of their joints.
void toc_character_elastic_resize(toc_character *character);
/// The terms of a vertex with so many corners, at most.
size_t toc_character_elastic_terms(size_t corners);
/// Move a vertex to the place of least energy. @param terms room for `most_terms`. @return how far.
double toc_character_elastic_relax(toc_character *character, size_t vertex, flesh_term *terms);
/// The state around many vertices, which are still to be named.
flesh_relax toc_character_elastic_relaxed(const toc_character *character);
/// The distance from the pose from which on the force of a spring stays.
double toc_character_elastic_yielding(const toc_character *character);
/// Wake a vertex and all that share a tet with it.
void toc_character_elastic_wake(toc_character *character, size_t vertex);
double toc_character_elastic_firmness(const toc_character *character, size_t vertex);
/// Adapt the pressure of all tets to the volume of the body.
void toc_character_elastic_swell(toc_character *character);
/// Whether a tet is inverted or flat. Wakes its vertices.
bool toc_character_elastic_is_inverted(toc_character *character);
/// Find the energy, the distance from the pose and the least volume.
void toc_character_elastic_measure(toc_character *character);

// sweep.c
/// Colour the vertices of the elements.
toc_status toc_character_sweep_make(toc_character *character);
/// Find the vertices that pushes join with one of their colour, and make room for the terms of all.
toc_status toc_character_sweep_prepare(toc_character *character);
/// Move each vertex that is awake to the place of least energy, in the order of the colours or against it.
void toc_character_sweep_run(toc_character *character, bool forward);
/// Wake all vertices of elements.
void toc_character_sweep_wake(toc_character *character);

// push.c
/// Search for contacts, and make a push of each.
toc_status toc_character_push_find(toc_character *character, double *seconds);
/// The energy of a push as a function of one of its vertices: 0 that which is pushed, 1 to 3 those of the face.
flesh_term toc_character_push_term(const toc_character *character, const flesh_push *push, uint32_t at);
/// Drop all pushes.
void toc_character_push_forget(toc_character *character);
/// Adapt the forces of all pushes after a sweep.
void toc_character_push_press(toc_character *character);

static inline character_box character_box_empty(void) {
    return (character_box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}
static inline void character_box_add(character_box *box, const double x[3]) {
    for (int k = 0; k < 3; k++) {
        box->low[k] = x[k] < box->low[k] ? x[k] : box->low[k];
        box->high[k] = x[k] > box->high[k] ? x[k] : box->high[k];
    }
}
static inline bool character_box_has(const character_box *box, const double x[3]) {
    bool inside = true;
    for (int k = 0; k < 3; k++) inside &= x[k] >= box->low[k] && x[k] <= box->high[k];
    return inside;
}
static inline bool character_boxes_meet(const character_box *a, const character_box *b) {
    for (int k = 0; k < 3; k++)
        if (a->low[k] > b->high[k] || b->low[k] > a->high[k]) return false;
    return true;
}
static inline character_box character_tet_box(const double *x, const uint32_t v[4]) {
    character_box box = character_box_empty();
    for (int k = 0; k < 4; k++) character_box_add(&box, x + 3 * (size_t)v[k]);
    return box;
}
/// The scale of a matrix; 1 for one without volume.
static inline double character_scale(const double m[12]) {
    const double det =
        m[0] * (m[5] * m[10] - m[6] * m[9]) - m[1] * (m[4] * m[10] - m[6] * m[8]) + m[2] * (m[4] * m[9] - m[5] * m[8]);
    const double scale = cbrt(fabs(det));
    return scale > 0 && isfinite(scale) ? scale : 1;
}
/// Three rows times a point.
static inline void character_map(const double m[12], const double x[3], double out[3]) {
    for (int k = 0; k < 3; k++) out[k] = m[4 * k] * x[0] + m[4 * k + 1] * x[1] + m[4 * k + 2] * x[2] + m[4 * k + 3];
}

#endif
