// SPDX-License-Identifier: Apache-2.0
// The character as its modules see it: vertices and tets of the cage and of all other bodies in one numbering, parts by
// joint, the hash, and the state of the flesh.
#ifndef SIM_CHARACTER_CHARACTER_H
#define SIM_CHARACTER_CHARACTER_H

#include <math.h>
#include <stdbool.h>

#include "sim/core/memory.h"
#include "toccata/character.h"

#define CHARACTER_NONE UINT32_MAX

typedef struct character_box {
    double low[3], high[3]; // empty if low > high
} character_box;

/// A body: its vertices and tets in a row.
typedef struct character_body {
    uint32_t first, count; // vertices
    uint32_t first_tet, tet_count;
} character_body;

typedef struct character_tet {
    uint32_t v[4];    // wound so that the volume in the bind pose is >= 0
    uint32_t element; // id in its mesh
    uint32_t part;
    uint32_t body;
    bool turned; // corners 2 and 3 are swapped
} character_tet;

typedef struct character_face {
    uint32_t v[3]; // wound outward in the bind pose
    uint32_t part;
} character_face;

/// An angle that the published rule watches: at a joint between its bones, or of a limb to the midline.
typedef struct character_angle {
    uint32_t joint;  // the vertex of the angle; its part moves
    uint32_t parent; // the other side; CHARACTER_NONE for the midline
    uint32_t child;  // the end of the moving bone; CHARACTER_NONE for the tip of the joint
    double last;     // of the frame before
    bool touching;   // its parts touched in the frame before
} character_angle;

/// A part in the present frame.
typedef struct character_part {
    uint32_t body;
    character_box quiet; // tets that hardly changed their shape (safe.c)
    character_box skin;  // boundary vertices (wake.c)
    double map[12];      // from the world back to the reference pose
} character_part;

/// A grid with a word for each cell: of bits by part in the reference pose, or of noisy tets in the world (safe.c).
typedef struct character_mask {
    double per_width, low[3];
    uint32_t cells[3];
    SIM_ARRAY(uint64_t) bits;
} character_mask;

/// A cell of the hash: its vertices, if the stamp is the present one.
typedef struct character_cell {
    uint32_t stamp, head;
} character_cell;

typedef struct character_grid {
    double width, per_width, low[3];
    uint32_t size, stamp;         // size: a prime
    uint32_t most[3];             // the last cell with a vertex, along each axis
    uint32_t rows[2];             // of the occupied cells: words along x, rows along y
    int coarse;                   // bits of a cell's coordinates that the occupied cells leave out
    SIM_ARRAY(uint64_t) occupied; // a bit for each cell with a vertex, 64 along x in a word
    character_cell *cells;
    size_t capacity;
    SIM_ARRAY(uint32_t) next; // by vertex
    SIM_ARRAY(uint64_t) keys; // by vertex: its cell
} character_grid;

/// A vertex in a tet, in the numbering of the character.
typedef struct character_hit {
    uint32_t vertex, tet;
    double weights[4];
} character_hit;

/// A vertex to push out of a face.
typedef struct character_push {
    uint32_t vertex, face;
    double weights[3];
} character_push;

struct toc_character {
    toc_allocator memory;
    toc_character_settings settings;

    SIM_ARRAY(character_body) bodies;
    size_t vertex_count;
    SIM_ARRAY(double) x, bind;     // 3 a vertex
    SIM_ARRAY(uint32_t) part_of;   // by vertex: dominant joint, or behind the joints the body
    SIM_ARRAY(uint32_t) boundary;  // vertices
    SIM_ARRAY(double) shift;       // by vertex: from its reference pose, in the frame of its part (safe.c)
    SIM_ARRAY(character_tet) tets; // of all bodies
    SIM_ARRAY(character_face) faces;
    double mean_edge;    // of the cage: in the world from the first frame on, before in the bind pose
    double longest_edge; // of all bodies in the bind pose, or more
    double scale;        // of the world, in lengths of the bind pose
    bool begun;          // the scale is known

    size_t joint_count;
    SIM_ARRAY(uint32_t) parents;
    SIM_ARRAY(double) inverse_binds, matrices; // 12 a joint
    SIM_ARRAY(double) heads, tips;             // 3 a joint: of its bone, in the bind pose
    SIM_ARRAY(size_t) weight_ends;
    SIM_ARRAY(uint32_t) weight_joints;
    SIM_ARRAY(double) weights;
    SIM_ARRAY(double) duals; // 8 a joint

    SIM_ARRAY(character_part) parts; // joints, then bodies
    SIM_ARRAY(character_angle) angles;
    SIM_ARRAY(uint8_t) awake_joint;
    SIM_ARRAY(uint32_t) awake;                       // vertices
    SIM_ARRAY(character_box) boxes;                  // of the published rule
    SIM_ARRAY(double) reference, reference_matrices; // of the first frame: positions of the cage, matrices (safe.c)
    bool has_reference;
    uint32_t frames_without;     // frames without a reference
    SIM_ARRAY(size_t) near_ends; // by tet of the cage: behind its vertices in `near`
    SIM_ARRAY(uint32_t) near;    // vertices within near_distance of the tet in the reference pose, none of its corners
    SIM_ARRAY(float) near_gaps;  // their distances there, rounded down
    SIM_ARRAY(double) tet_shift; // by tet: the largest of its corners, in the frame of its part
    double near_distance, quiet_shift; // tets that moved less than the shift are quiet
    character_mask homes, noise;       // the places of parts in the reference pose; cells with noisy tets
    SIM_ARRAY(uint8_t) is_awake;       // by vertex
    uint32_t skip_safe;                // frames until the safe preset is tried again (auto)

    character_grid grid;
    SIM_ARRAY(character_hit) hits;
    SIM_ARRAY(toc_character_contact) contacts; // of the hits
    size_t inside_inverted, tested_tets;
    uint32_t last_tested; // the last tet with an occupied cell

    toc_sim *flesh;                   // constraints of position based skinning; NULL without
    SIM_ARRAY(double) attachment;     // by joint
    SIM_ARRAY(double) grip;           // by vertex of the cage: as `hold`, in this frame
    SIM_ARRAY(double) hold;           // by vertex of the cage
    SIM_ARRAY(double) target, before; // of this frame and of the one before, 3 a vertex of the cage
    SIM_ARRAY(character_push) pushes;
    SIM_ARRAY(uint8_t) loose; // by vertex of the cage: pushed
    bool moved;               // a frame was made
};

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

// grid.c
/// Forget all vertices, without touching the cells; the grid covers the present positions.
toc_status toc_character_grid_begin(toc_character *character);
void toc_character_grid_add(toc_character *character, uint32_t vertex);
/// Look up all tets, and add the contacts. A tet without an added vertex in its cells costs little.
toc_status toc_character_grid_search(toc_character *character);
/// Test a vertex against a tet with this box, and add the contact.
toc_status toc_character_grid_test(toc_character *character, uint32_t vertex, uint32_t tet, const character_box *box);
/// Whether a vertex is in a tet: 1 inside, 0 outside, -1 inside of one that is inverted or flat.
int toc_character_test(const double *x, uint32_t vertex, const uint32_t v[4], double weights[4]);
/// Whether the volume of a tet is certainly above 0.
bool toc_character_tet_is_upright(const double *x, const uint32_t v[4]);

/// Set bits in all cells of a box.
static inline uint32_t character_mask_cell(const character_mask *m, double x, int k) {
    const double at = (x - m->low[k]) * m->per_width;
    return at <= 0 ? 0 : at >= m->cells[k] ? m->cells[k] - 1 : (uint32_t)at;
}
void toc_character_mask_add(character_mask *mask, const character_box *box, uint64_t bits);

// wake.c, safe.c
/// Choose the vertices to hash.
toc_status toc_character_wake_published(toc_character *character);
toc_status toc_character_wake_all(toc_character *character);
toc_status toc_character_wake_safe(toc_character *character);
/// After the search of awake vertices: the pairs that were close in the reference pose, of vertices that sleep.
toc_status toc_character_test_near(toc_character *character);
/// Remember which angles have contacts in their parts.
void toc_character_note_contacts(toc_character *character);

// detection.c
/// Find the contacts of the present positions.
toc_status toc_character_detect(toc_character *character);
/// The same by hashing everything, without the states of other presets.
toc_status toc_character_detect_all(toc_character *character);

// flesh.c
/// Prepare position based skinning.
toc_status toc_character_flesh_make(toc_character *character);
/// Let the flesh follow its targets for a frame. Detection within is timed in `seconds`.
toc_status toc_character_flesh_step(toc_character *character, size_t *passes, double *seconds);

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
/// Three rows times a point.
static inline void character_map(const double m[12], const double x[3], double out[3]) {
    for (int k = 0; k < 3; k++) out[k] = m[4 * k] * x[0] + m[4 * k + 1] * x[1] + m[4 * k + 2] * x[2] + m[4 * k + 3];
}

#endif
