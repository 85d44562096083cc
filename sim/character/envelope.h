// SPDX-License-Identifier: Apache-2.0
// The envelope of a skin as a cage: a field that tells inside from outside, a graded lattice that follows it, and the
// cut of the lattice along its surface.
#ifndef SIM_CHARACTER_ENVELOPE_H
#define SIM_CHARACTER_ENVELOPE_H

#include "sim/character/soup.h"

/// The field of an envelope: below 0 inside of the skin (winding number above a half) and closer to it than an offset.
typedef struct envelope_field {
    character_soup soup;
    const toc_character_def *skin;
    double height;               // the largest extent of the skin
    double offset, sheet_offset; // of skin that encloses something, of other skin
    TOC_ARRAY(uint8_t) sheet;    // by triangle: encloses nothing
    TOC_ARRAY(uint32_t) kin;     // by joint: the nearest joint above it that moves a vertex; CHARACTER_NONE for none
} envelope_field;

/// A vertex of the lattice, or of the cut.
typedef struct lattice_vertex {
    double x[3], value;
    double winding; // where it was needed, else a half
    soup_place place;
    bool used;    // a corner of a tet; others are middles of edges that are not divided yet
    bool outside; // reached from the border of the lattice
    uint32_t tet; // the first one in the list of its tets; CHARACTER_NONE for none
} lattice_vertex;

/// A tet of newest vertex bisection: its next edge to divide is that from v[0] to v[tag].
typedef struct lattice_tet {
    uint32_t v[4];
    uint8_t tag;
    bool settled;     // fine enough for the present tolerance
    uint32_t sample;  // the first point of the skin in it; CHARACTER_NONE for none
    uint32_t next[4]; // by corner: the next tet in its list
} lattice_tet;

/// A map from pairs of ids to ids: open addressing.
typedef struct pair_map {
    TOC_ARRAY(uint64_t) keys; // 0 where free
    TOC_ARRAY(uint32_t) items;
    size_t size, used; // a power of two
} pair_map;

/// A point of the skin.
typedef struct lattice_sample {
    double x[3];
    uint32_t next; // in the same tet
} lattice_sample;

enum { ENOUGH_TETS = 300000 }; // of a lattice: a skin of sheets alone could take more

typedef struct character_lattice {
    const toc_allocator *memory;
    const envelope_field *field;
    double finest; // edges are not divided below this length
    TOC_ARRAY(lattice_vertex) vertices;
    TOC_ARRAY(lattice_tet) tets;
    TOC_ARRAY(lattice_sample) samples;
    pair_map middles;
    TOC_ARRAY(uint32_t) queue; // tets with an edge that may be divided
} character_lattice;

/// A cage: the tets of the cut, and the place on the skin that each vertex follows.
typedef struct envelope_cut {
    TOC_ARRAY(lattice_vertex) vertices;
    TOC_ARRAY(uint32_t) tets;   // 4 corners each
    TOC_ARRAY(uint32_t) within; // by tet: that of the lattice
} envelope_cut;

/// A character of a skin: its triangles share no joint with those of another one, nor hang from the same joint.
typedef struct envelope_group {
    double area;
    character_box box;
} envelope_group;

typedef struct envelope_groups {
    TOC_ARRAY(envelope_group) groups; // in the order of their first triangles
    TOC_ARRAY(uint32_t) of_joint;     // the group that it moves; CHARACTER_NONE for none
    TOC_ARRAY(uint32_t) lead;         // of_joint under construction
} envelope_groups;

// groups.c
/// Whether the vertices of the triangles of a skin have weights.
toc_status toc_envelope_check_skin(const toc_allocator *memory, const toc_character_def *skin);
/// Find the characters of a skin whose weights are checked. Free with toc_envelope_free_groups, also on failure.
toc_status toc_envelope_find_groups(const toc_allocator *memory, const toc_character_def *skin, envelope_groups *out);
void toc_envelope_free_groups(const toc_allocator *memory, envelope_groups *groups);
/// The character that a triangle belongs to.
uint32_t toc_envelope_group_of(const envelope_groups *groups, const toc_character_def *skin, const uint32_t v[3]);

// envelope.c
/// @param distance in heights of the skin, that a cage may lie off
toc_status toc_envelope_make_field(const toc_allocator *memory, const toc_character_def *skin, double distance,
                                   envelope_field *out);
void toc_envelope_free_field(const toc_allocator *memory, envelope_field *field);
/// Fill in value and place of a vertex. `near` is a vertex whose value is known, or NULL.
void toc_envelope_measure(const envelope_field *field, const lattice_vertex *near, lattice_vertex *vertex);
/// The largest distance of the corners and the middle of a face of a cage from the skin, or from what the skin
/// encloses: where it has a hole, a cage closes it. 0 inside, and for distances up to the least.
/// @param x positions of the cage. @param tet the corners of the tet below the face.
double toc_envelope_find_face(const envelope_field *field, const double *x, const uint32_t face[3],
                              const uint32_t tet[4], double least);
/// Whether a point is inside of the skin, holes closed.
bool toc_envelope_is_enclosed(const envelope_field *field, const double at[3]);
/// Whether the skin at two places moves with joints that are the same, or one above the other.
bool toc_envelope_is_kin(const envelope_field *field, const soup_place *a, const soup_place *b);
/// The joints of a place with their weights, each once. @return how many, up to `room`; the largest are kept.
size_t toc_envelope_blend(const envelope_field *field, const soup_place *place, size_t room, uint32_t *joints,
                          double *weights);

// blend.c
enum { CAGE_JOINTS = 8 }; // of a vertex of a cage, at most

/// The joints of a vertex of a cage; the weights sum to 1.
typedef struct envelope_blend {
    uint32_t joints[CAGE_JOINTS];
    double weights[CAGE_JOINTS];
    size_t count;
} envelope_blend;

/// Replace the weights of vertices inside of a mesh of tets by the mean of their neighbours.
toc_status toc_envelope_smooth(const toc_allocator *memory, const toc_mesh *mesh, size_t joints,
                               envelope_blend *blends);

// pairs.c
/// The item of a pair, in any order; a new one is CHARACTER_NONE.
toc_status toc_pair_map_find(const toc_allocator *memory, pair_map *map, uint32_t a, uint32_t b, uint32_t **out);
/// The item of a pair; CHARACTER_NONE without one.
uint32_t toc_pair_map_get(const pair_map *map, uint32_t a, uint32_t b);
void toc_pair_map_free(const toc_allocator *memory, pair_map *map);

// lattice.c
/// A coarse lattice around the skin, with samples of the skin in its tets. Free with toc_lattice_free, also on failure.
toc_status toc_lattice_make(const toc_allocator *memory, const envelope_field *field, character_lattice *out);
/// Points of the skin, as close as a check needs them.
toc_status toc_lattice_sample(character_lattice *lattice);
void toc_lattice_free(character_lattice *lattice);
/// Divide tets until the field is linear within a tolerance wherever its surface passes.
toc_status toc_lattice_refine(character_lattice *lattice, double tolerance);
/// Divide some tets, and those that hold some samples, given by flags.
toc_status toc_lattice_divide(character_lattice *lattice, const uint8_t *tets, const uint8_t *samples);

// cut.c
/// Cut the lattice along the surface of the envelope, and between limbs. Free with toc_cut_free, also on failure.
toc_status toc_cut_make(const character_lattice *lattice, envelope_cut *out);
void toc_cut_free(const toc_allocator *memory, envelope_cut *cut);

#endif
