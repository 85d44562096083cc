// SPDX-License-Identifier: Apache-2.0
// Whole stars: tets around a vertex v that fit together, from step to step.
//
// Seen from v, tets are triangles on a sphere. While no tet loses its volume, no triangle turns over. Around a vertex
// inside the body the triangles cover the sphere a fixed number of times, which is once. Around a vertex on the
// boundary, the outer faces of the star appear as a closed curve. While the curve does not meet itself, it divides the
// sphere, and the triangles cover one side once and the other never. If the triangles do not overlap, neither do the
// tets of the cone over them, and disjoint simplices of the cone do not touch. So a whole star stays whole until a tet
// loses its volume (stars.kernel.c) or the curve meets itself.
//
// When the curve first meets itself, a corner x of it reaches a side c, d that x is not on: the edge v, x and the face
// v, c, d lie in one plane and overlap. Then x touches that face, or the edge v, x touches the edge c, d. All of these
// are features of the surface and share no vertex, so the search of the surface finds this contact. If in a step that
// search finds no contact whose four vertices are all of one star, no curve meets itself.
//
// A star is tested in its state at the start of the step if it is not known to have been whole at the end of the
// previous step, or if it was moved since. It is whole if each tet has a volume, tets on either side of a face are on
// different sides of it, the curve does not meet itself, and the solid angles sum to less than two spheres (for a
// vertex inside) or less than one (on the boundary), so that nothing is covered twice. Packed positions have an error
// of 2^-25 in each coordinate; the conditions must hold for all positions within that error. Let every vertex be within
// r of its position relative to v. This moves any point a of a tet by at most r q |a|, where q is the largest
// |+-g1 +-g2 +-g3| over the rows g of the inverse of the tet's three edges from v: the coordinates of a are g a, and
// each moves by r. So the tet has a volume if r q < 1. A point of the curve moves by an angle of at most asin(r q) with
// q of its face, so points at an angle w do not meet if r q < sin(w) / 2 for both. It is enough to test the curve's
// corners and the sides they are not on, as those must be the first to meet.
//
// Ours, after the embedding theorems for piecewise linear maps (Lipman 2014, "Bijective mappings of meshes with
// boundary").
#include "cull/volume/stars.h"

#include <assert.h>
#include <string.h>

#include "base/backend.h"
#include "base/vec.h"
#include "cull/volume/cells.h"

// ---- finding stars

enum { TETS = 1, OTHERS = 2 }; // kinds of elements around a vertex: volumes, others

// Elements that use a corner twice count as both kinds.
static uint8_t kind_of(const toc_cell *cell) { return cell->shape >= TOC_TET ? TETS : cell->shape ? OTHERS : 3; }

static toc_status list_tets(const toc_allocator *allocator, const toc_cells *cells, toc_stars *out) {
    TOC_TRY(toc_array_reserve(allocator, &out->tets, cells->count));
    for (size_t i = 0; i < cells->count; i++) {
        const toc_cell *cell = &cells->at[i];
        TOC_TRY(toc_array_reserve(allocator, &out->tets, (size_t)TOC_CELL_TETS));
        if (cell->corners > 0) out->tets.count += (size_t)toc_cell_tets(cell, out->tets.at + out->tets.count);
        for (int k = 0; k < cell->corners; k++) {
            assert(cell->v[k] < out->kinds.count);
            out->kinds.at[cell->v[k]] |= kind_of(cell);
        }
    }
    return TOC_OK;
}

// List the tets of each vertex.
static void list_around(toc_stars *stars, size_t vertex_count) {
    uint32_t *first = stars->around_first.at;
    memset(first, 0, (vertex_count + 2) * sizeof *first);
    for (size_t i = 0; i < stars->tets.count; i++)
        for (int k = 0; k < 4; k++) first[stars->tets.at[i].v[k] + 2]++;
    for (size_t v = 2; v < vertex_count + 2; v++) first[v] += first[v - 1];
    for (uint32_t i = 0; i < stars->tets.count; i++)
        for (int k = 0; k < 4; k++) stars->around.at[first[stars->tets.at[i].v[k] + 1]++] = i;
}

static toc_status reserve_vertices(const toc_allocator *allocator, size_t count, toc_stars *out) {
    TOC_TRY(toc_array_reserve(allocator, &out->kinds, count + 1));
    TOC_TRY(toc_array_reserve(allocator, &out->whole, count + 1));
    TOC_TRY(toc_array_reserve(allocator, &out->ends, 3 * count + 1));
    TOC_TRY(toc_array_reserve(allocator, &out->around_first, count + 2));
    memset(out->kinds.at, 0, count);
    memset(out->whole.at, 0, count);
    memset(out->ends.at, 0, 3 * count * sizeof *out->ends.at);
    out->kinds.count = out->whole.count = count;
    return TOC_OK;
}

toc_status toc_stars_find(const toc_allocator *allocator, const toc_cells *cells, toc_stars *out) {
    size_t count = 0;
    *out = (toc_stars){.tets = {0}};
    for (size_t b = 0; b < cells->body_count; b++) count += cells->bodies[b].incidence.vertex_elements.runs.count;
    TOC_TRY(reserve_vertices(allocator, count, out));
    TOC_TRY(list_tets(allocator, cells, out));
    TOC_TRY(toc_array_reserve(allocator, &out->turns, out->tets.count + 1));
    TOC_TRY(toc_array_reserve(allocator, &out->around, 4 * out->tets.count + 1));
    list_around(out, count);
    return TOC_OK;
}

void toc_stars_free(const toc_allocator *allocator, toc_stars *stars) {
    toc_array_free(allocator, &stars->tets);
    toc_array_free(allocator, &stars->around_first);
    toc_array_free(allocator, &stars->around);
    toc_array_free(allocator, &stars->turns);
    toc_array_free(allocator, &stars->kinds);
    toc_array_free(allocator, &stars->whole);
    toc_array_free(allocator, &stars->ends);
}

// ---- a star at the start of a step

// A tet: its three corners other than the middle, and for each of them the corner of the tet on the other side of the
// opposite face. Both are places among the vertices of the star; NONE for a face without a second tet.
enum { NONE = 255 };
typedef struct star_tet {
    uint8_t corner[3], behind[3];
} star_tet;

typedef struct star {
    int vertex_count, tet_count;
    bool closed; // none of the faces around the vertex is on the boundary
    uint32_t v[TOC_STAR_MOST];
    toc_vec at[TOC_STAR_MOST]; // relative to the middle
    star_tet tets[TOC_STAR_MOST];
} star;

static uint8_t star_place(star *s, uint32_t v) {
    int i = 0;
    while (i < s->vertex_count && s->v[i] != v) i++;
    if (i == s->vertex_count && i < TOC_STAR_MOST) s->v[s->vertex_count++] = v;
    return (uint8_t)i;
}

static bool gather_tets(const toc_stars *stars, uint32_t middle, star *s) {
    const uint32_t first = stars->around_first.at[middle], last = stars->around_first.at[middle + 1];
    s->vertex_count = 0;
    s->tet_count = (int)(last - first);
    if (last - first > TOC_STAR_MOST) return false;
    for (uint32_t i = first; i < last; i++) {
        const toc_tet *tet = &stars->tets.at[stars->around.at[i]];
        for (int k = 0, n = 0; k < 4; k++) {
            if (tet->v[k] == middle) continue;
            const uint8_t place = star_place(s, tet->v[k]);
            if (place == TOC_STAR_MOST) return false;
            s->tets[i - first].corner[n++] = place;
        }
    }
    return true;
}

// Find the one or two tets at each face. @return false if a face has more.
static bool join_tets(star *s) {
    enum { UNSEEN = 0, FULL = 1 };
    uint16_t seen[TOC_STAR_MOST * TOC_STAR_MOST]; // by side: 2 + 3 * tet + k of the first one
    const size_t n = (size_t)s->vertex_count;
    memset(seen, 0, n * n * sizeof *seen);
    for (int i = 0; i < s->tet_count; i++)
        for (int k = 0; k < 3; k++) {
            const uint8_t a = s->tets[i].corner[(k + 1) % 3], b = s->tets[i].corner[(k + 2) % 3];
            uint16_t *side = &seen[a < b ? a * n + b : b * n + a];
            s->tets[i].behind[k] = NONE;
            if (*side == FULL) return false;
            if (*side != UNSEEN) {
                const int j = (*side - 2) / 3, l = (*side - 2) % 3;
                s->tets[i].behind[k] = s->tets[j].corner[l];
                s->tets[j].behind[l] = s->tets[i].corner[k];
            }
            *side = *side == UNSEEN ? (uint16_t)(2 + 3 * i + k) : (uint16_t)FULL;
        }
    return true;
}

// Whether the outer sides of the tets form one closed curve, or there are none.
static bool has_one_curve(star *s) {
    uint8_t next[TOC_STAR_MOST][2], degree[TOC_STAR_MOST] = {0};
    int sides = 0, walked = 0;
    uint8_t start = 0;
    for (int i = 0; i < s->tet_count; i++)
        for (int k = 0; k < 3; k++) {
            if (s->tets[i].behind[k] != NONE) continue;
            const uint8_t a = s->tets[i].corner[(k + 1) % 3], b = s->tets[i].corner[(k + 2) % 3];
            if (degree[a] == 2 || degree[b] == 2) return false;
            next[a][degree[a]++] = b;
            next[b][degree[b]++] = a;
            start = a;
            sides++;
        }
    s->closed = sides == 0;
    if (s->closed) return true;
    for (uint8_t at = start, from = NONE; walked == 0 || at != start; walked++) {
        if (degree[at] != 2) return false;
        const uint8_t to = next[at][next[at][0] == from];
        from = at;
        at = to;
    }
    return walked == sides;
}

// The largest |+-a +-b +-c|.
static double largest_sum(toc_vec a, toc_vec b, toc_vec c) {
    double most = 0;
    for (int signs = 0; signs < 4; signs++) {
        const toc_vec sum =
            toc_vec_add(a, toc_vec_add(toc_vec_scale(b, signs & 1 ? -1 : 1), toc_vec_scale(c, signs & 2 ? -1 : 1)));
        most = toc_larger(most, toc_vec_dot(sum, sum));
    }
    return sqrt(most);
}

// Six times the volume of a tet, and its solid angle at the middle (van Oosterom and Strackee 1983). The volume is far
// from 0: a tet without one has broken its stars (toc_stars_follow), and their reach is not asked for.
static double volume_of(const toc_vec v[3], double *angle) {
    const double a = toc_vec_length(v[0]), b = toc_vec_length(v[1]), c = toc_vec_length(v[2]);
    const double volume = toc_vec_dot(v[0], toc_vec_cross(v[1], v[2]));
    *angle = 2 * atan2(fabs(volume), a * b * c + toc_vec_dot(v[0], v[1]) * c + toc_vec_dot(v[0], v[2]) * b +
                                         toc_vec_dot(v[1], v[2]) * a);
    return volume;
}

// The allowed error of positions for a tet, and its solid angle; 0 if it does not fit its neighbours.
static double reach_of_tet(const star *s, const star_tet *tet, double *angle) {
    const toc_vec v[3] = {s->at[tet->corner[0]], s->at[tet->corner[1]], s->at[tet->corner[2]]};
    const toc_vec across[3] = {toc_vec_cross(v[1], v[2]), toc_vec_cross(v[2], v[0]), toc_vec_cross(v[0], v[1])};
    const double volume = volume_of(v, angle);
    for (int k = 0; k < 3; k++)
        if (tet->behind[k] != NONE && !(volume * toc_vec_dot(across[k], s->at[tet->behind[k]]) < 0)) return 0;
    return fabs(volume) / largest_sum(across[0], across[1], across[2]);
}

// The sine of the angle between a direction and the nearest direction between two others; 1 for a right angle or more.
static double sine_to_side(toc_vec x, toc_vec a, toc_vec b) {
    const toc_vec n = toc_vec_cross(a, b), p = toc_vec_cross(n, a), q = toc_vec_cross(b, n);
    x = toc_vec_unit(x);
    if (toc_vec_dot(p, x) > 0 && toc_vec_dot(q, x) > 0) return fabs(toc_vec_dot(n, x)) / toc_vec_length(n);
    double least = 1;
    for (int k = 0; k < 2; k++) {
        const toc_vec u = toc_vec_unit(k ? b : a);
        if (toc_vec_dot(u, x) > 0) least = toc_smaller(least, toc_vec_length(toc_vec_cross(u, x)));
    }
    return least;
}

// The allowed error of positions for a corner of the curve and a side that it is not on; `own` is that of the side's
// corners.
static double reach_of_corner(const star *s, uint8_t corner, toc_vec u, toc_vec v, double own) {
    const toc_vec x = s->at[corner];
    return sine_to_side(x, u, v) / 2 * toc_smaller(own, toc_vec_length(x));
}

// Whether two sides cross. Their great circles cross at two opposite points of the sphere.
static bool sides_cross(toc_vec a, toc_vec b, toc_vec c, toc_vec d) {
    const toc_vec n = toc_vec_cross(a, b), m = toc_vec_cross(c, d), p = toc_vec_cross(n, m);
    return toc_vec_dot(n, c) * toc_vec_dot(n, d) < 0 && toc_vec_dot(m, a) * toc_vec_dot(m, b) < 0 &&
           toc_vec_dot(p, toc_vec_add(a, b)) * toc_vec_dot(p, toc_vec_add(c, d)) >= 0;
}

// The allowed error of positions, so that a side of the curve does not meet corners that are not its own.
static double reach_of_side(const star *s, uint8_t a, uint8_t b) {
    const toc_vec u = s->at[a], v = s->at[b], n = toc_vec_cross(u, v);
    const toc_vec sum = toc_vec_add(u, v), difference = toc_vec_sub(u, v);
    const double own = toc_vec_length(n) / toc_larger(toc_vec_length(sum), toc_vec_length(difference));
    double reach = INFINITY;
    for (int i = 0; i < s->tet_count; i++)
        for (int k = 0; k < 3; k++) {
            const uint8_t c = s->tets[i].corner[(k + 1) % 3], d = s->tets[i].corner[(k + 2) % 3];
            if (s->tets[i].behind[k] != NONE) continue;
            const bool c_is_other = c != a && c != b, d_is_other = d != a && d != b;
            if (c_is_other) reach = toc_smaller(reach, reach_of_corner(s, c, u, v, own));
            if (d_is_other) reach = toc_smaller(reach, reach_of_corner(s, d, u, v, own));
            if (c_is_other && d_is_other && sides_cross(u, v, s->at[c], s->at[d])) return 0;
        }
    return reach;
}

// The allowed error of positions relative to the middle; 0 if the tets do not fit together.
static double reach_of(const star *s) {
    const double sphere = 12.566370614359172;
    double reach = INFINITY, angles = 0, angle;
    for (int i = 0; i < s->tet_count; i++) {
        const star_tet *tet = &s->tets[i];
        reach = toc_smaller(reach, reach_of_tet(s, tet, &angle));
        angles += angle;
        for (int k = 0; k < 3 && reach > 0; k++)
            if (tet->behind[k] == NONE)
                reach = toc_smaller(reach, reach_of_side(s, tet->corner[(k + 1) % 3], tet->corner[(k + 2) % 3]));
    }
    return angles < (s->closed ? 1.5 : 0.999) * sphere ? reach : 0;
}

static bool fits_together(const toc_stars *stars, uint32_t middle, const toc_packed *packed) {
    const double rounding = 0x1p-22; // error of the difference of two packed positions, and of the reach itself
    star s;
    if (!gather_tets(stars, middle, &s) || !join_tets(&s) || !has_one_curve(&s)) return false;
    const float *from = packed[middle].x0;
    for (int i = 0; i < s.vertex_count; i++) {
        const float *x = packed[s.v[i]].x0;
        s.at[i] =
            (toc_vec){(double)x[0] - (double)from[0], (double)x[1] - (double)from[1], (double)x[2] - (double)from[2]};
    }
    return reach_of(&s) > rounding;
}

// ---- each step

void toc_stars_look(toc_stars *stars, size_t first, size_t last, const toc_stars_step *step) {
    assert(first <= last && last <= stars->tets.count);
    toc_backend_here()->stars(stars->tets.at + first, last - first, step->packed, stars->turns.at + first);
}

enum { BROKEN, WHOLE, UNKNOWN }; // values of `whole`; UNKNOWN only while a step begins

// Mark the stars that have a moved vertex as unknown.
static void forget_around(toc_stars *stars, size_t v) {
    for (uint32_t i = stars->around_first.at[v]; i < stars->around_first.at[v + 1]; i++)
        for (int k = 0; k < 4; k++) stars->whole.at[stars->tets.at[stars->around.at[i]].v[k]] = UNKNOWN;
}

void toc_stars_follow(toc_stars *stars, const toc_stars_step *step) {
    const size_t bytes = 3 * sizeof *step->x0;
    for (size_t v = 0; v < stars->whole.count; v++)
        if (!stars->whole.at[v]) stars->whole.at[v] = UNKNOWN;
    for (size_t v = 0; v < stars->whole.count; v++)
        if (memcmp(stars->ends.at + 3 * v, step->x0 + 3 * v, bytes) != 0) forget_around(stars, v);
    memcpy(stars->ends.at, step->x1, stars->whole.count * bytes);
    for (size_t i = 0; i < stars->tets.count; i++)
        for (int k = 0; k < 4 && stars->turns.at[i]; k++) stars->whole.at[stars->tets.at[i].v[k]] = BROKEN;
}

void toc_stars_forget(toc_stars *stars) { memset(stars->whole.at, BROKEN, stars->whole.count); }

static bool is_whole(const toc_stars *stars, size_t v, const toc_packed *packed) {
    if (!(stars->kinds.at[v] & TETS)) return true;
    return stars->kinds.at[v] == TETS && fits_together(stars, (uint32_t)v, packed);
}

void toc_stars_tell(toc_stars *stars, size_t first, size_t last, const toc_stars_step *step) {
    assert(first <= last && last <= stars->whole.count);
    for (size_t v = first; v < last; v++)
        if (stars->whole.at[v] == UNKNOWN) stars->whole.at[v] = is_whole(stars, v, step->packed);
}

static bool is_around(const toc_stars *stars, uint32_t middle, uint32_t v) {
    for (uint32_t i = stars->around_first.at[middle]; i < stars->around_first.at[middle + 1]; i++) {
        const uint32_t *tet = stars->tets.at[stars->around.at[i]].v;
        if (tet[0] == v || tet[1] == v || tet[2] == v || tet[3] == v) return true;
    }
    return false;
}

void toc_stars_touch(toc_stars *stars, const uint32_t v[4]) {
    for (int i = 0; i < 4; i++) {
        bool all = true;
        assert(v[i] < stars->whole.count);
        for (int k = 0; k < 4 && all; k++) all = is_around(stars, v[i], v[k]);
        if (all) stars->whole.at[v[i]] = BROKEN;
    }
}
