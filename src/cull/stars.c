// SPDX-License-Identifier: Apache-2.0
// Elements around a vertex v against how they stood when they were last seen to fit together, or how they should.
//
// Let Y be places of the star's vertices from v in which the star fits together, and y(t) = M (x(t) - v(t)) for any
// linear maps M, another one at each time. With every y within r of its Y, the piecewise linear map of the star that
// takes Y to y is the identity and a part h that is linear in each tet, |h(a)| <= r q |a|, where q is the largest |+-g1
// +-g2 +-g3| over the rows g of the inverse of the tet's three edges from v: the coordinates of a are g a, and each
// moves by r at most.
//
// Take the way from Y to y on straight lines. As long as r q < 1 in each tet, none degenerates on it. Seen from v the
// tets are triangles on a sphere. Around a vertex inside the body they cover it: as often as they do for Y, since
// nothing can change that, which is once. On the boundary the outer faces of the star show a closed curve. As long as
// it does not meet itself it parts the sphere, the triangles cover one side once and the other never, as for Y. A
// point of the curve moves by an angle of at most asin(r q) with q of its face, so points that are an angle w apart do
// not meet while r q < sin(w) / 2 for both: it is enough to ask for the curve's corners and the sides they are not on,
// as those must be the first to meet. A cone over triangles that do not overlap is one whose tets do not; and of
// simplices that are disjoint in it none touch. What holds under a linear map holds for x.
//
// Stars turn in a step. Let d = x - v, M be the inverse of the map that best takes Y to d halfway, B the change of that
// map in the step, times M, and e0 = M d0 - Y + B Y / 2, e1 = M d1 - Y - B Y / 2 at the ends. Then M d(t) is
// (I + (t - 1/2) B) Y + (1 - t) e0 + t e1, and under the inverse of I + (t - 1/2) B it is as far from Y as the larger
// of |e0| and |e1|, over 1 - |B| / 2, at the most: that is r. Rounding in M and B does not matter; any would do.
//
// That Y fits together: each tet has a volume, tets on either side of a face are on different sides of it, and the
// solid angles add up to less than two spheres for a vertex inside, and less than one on the boundary, whose curve
// does not meet itself.
//
// Hexes are held against the cubes of a lattice, in which any two features that share no vertex are D apart: with
// 2 r < D none touch on the way from there, so faces never pass through each other, and hexes stay apart as cubes do.
// Cubes may bend in the middle: the vertices along the axes may be anywhere near, b off, if each other vertex is held
// against the sum of those along its axes. That bends the lattice by a map that is linear in each octant, the identity
// and what is at most q times as long, q the root of the sum of the larger |b|^2 of each axis; so nothing comes closer
// than (1 - q) D, and 2 r < (1 - |B| / 2 - q) D is enough, where r is not yet divided by 1 - |B| / 2.
//
// Rounding, u = 2^-24: a packed coordinate is off by u (they are 1 at the most), the difference of two by 4u with its
// own rounding; so a component of M d by 4u N + 6u N, N the sum of |M| in a row: M d by 24u |M| at most, with |M| the
// root of the sum of squares; B Y / 2 and what it is added to by 16u |Y|. Y is what it was rounded to.
//
// Ours, after the embedding theorems for piecewise linear maps (Lipman 2014, "Bijective mappings of meshes with
// boundary").
#include "cull/stars.h"

#include "base/lanes.h"
#include "base/vec.h"
#include "cull/lattice.h"

// ---- finding them

typedef struct finder {
    const toc_cells *cells;
    const toc_cell_body *body;
} finder;

static uint8_t position_of(const toc_star_vertex *vertices, uint8_t count, uint32_t v) {
    uint8_t i = 0;
    while (i < count && vertices[i].v != v) i++;
    return i;
}

// The corner of the other tet at the face of a tet without one of its corners.
static bool find_behind(const finder *f, const toc_cell *cell, int without, uint32_t *out) {
    const toc_incidence *in = &f->body->incidence;
    size_t count, others;
    const uint32_t *faces = toc_bag_items(&in->element_faces, cell->element, &count);
    *out = UINT32_MAX;
    for (size_t i = 0; i < count; i++) {
        const uint32_t *face = in->faces.at[faces[i]], gone = cell->v[without] - f->body->first_vertex;
        if (face[0] == gone || face[1] == gone || face[2] == gone) continue;
        const uint32_t *elements = toc_bag_items(&in->face_elements, faces[i], &others);
        if (others > 2) return false;
        if (others == 1) return true;
        const uint32_t *v = f->cells->at[f->body->first_cell + elements[elements[0] == cell->element]].v;
        uint32_t sum = v[0] + v[1] + v[2] + v[3]; // without the three of the face: the fourth
        for (int k = 0; k < 3; k++) sum -= f->body->first_vertex + face[k];
        *out = sum;
        return true;
    }
    return false;
}

static bool add_vertex(toc_star *star, toc_star_vertex *vertices, uint32_t v) {
    if (position_of(vertices, star->vertex_count, v) < star->vertex_count) return true;
    if (star->vertex_count == TOC_STAR_MOST) return false;
    vertices[star->vertex_count++] = (toc_star_vertex){.v = v};
    return true;
}

static bool gather_vertices(const finder *f, const toc_around *around, uint32_t middle, toc_star *star,
                            toc_star_vertex *vertices) {
    for (size_t i = 0; i < around->count; i++) {
        const toc_cell *cell = &f->cells->at[around->first_cell + around->elements[i]];
        if (cell->shape != TOC_TET) return false;
        for (int k = 0; k < 4; k++)
            if (cell->v[k] != middle && !add_vertex(star, vertices, cell->v[k])) return false;
    }
    return true;
}

static bool set_tet(const finder *f, const toc_cell *cell, uint32_t middle, const toc_star *star,
                    const toc_star_vertex *vertices, toc_star_tet *tet) {
    int n = 0;
    for (int k = 0; k < 4; k++) {
        uint32_t behind;
        if (cell->v[k] == middle) continue;
        if (!find_behind(f, cell, k, &behind)) return false;
        tet->corner[n] = position_of(vertices, star->vertex_count, cell->v[k]);
        tet->behind[n++] = behind == UINT32_MAX ? TOC_STAR_NONE : position_of(vertices, star->vertex_count, behind);
    }
    return true;
}

// Whether the outer sides of the tets form one closed curve, or there are none.
static bool has_one_curve(const toc_star *star, const toc_star_tet *tets, bool *closed) {
    uint8_t next[TOC_STAR_MOST][2], degree[TOC_STAR_MOST] = {0};
    int sides = 0, walked = 0;
    uint8_t start = 0;
    for (int i = 0; i < star->tet_count; i++)
        for (int k = 0; k < 3; k++) {
            if (tets[i].behind[k] != TOC_STAR_NONE) continue;
            const uint8_t a = tets[i].corner[(k + 1) % 3], b = tets[i].corner[(k + 2) % 3];
            if (degree[a] == 2 || degree[b] == 2) return false;
            next[a][degree[a]++] = b;
            next[b][degree[b]++] = a;
            start = a;
            sides++;
        }
    *closed = sides == 0;
    if (sides == 0) return true;
    for (uint8_t at = start, from = TOC_STAR_NONE; walked == 0 || at != start; walked++) {
        if (degree[at] != 2) return false;
        const uint8_t to = next[at][next[at][0] == from];
        from = at;
        at = to;
    }
    return walked == sides;
}

// A star is kept where it can be told at all, behind those that were found before.
static void find_tets(const finder *f, const toc_around *around, uint32_t middle, toc_stars *out) {
    toc_star star = {.first_vertex = (uint32_t)out->vertices.count, .first_tet = (uint32_t)out->tets.count};
    toc_star_vertex *vertices = out->vertices.at + out->vertices.count;
    toc_star_tet *tets = out->tets.at + out->tets.count;
    bool good = gather_vertices(f, around, middle, &star, vertices);
    for (size_t i = 0; i < around->count && good; i++)
        good = set_tet(f, &f->cells->at[around->first_cell + around->elements[i]], middle, &star, vertices,
                       &tets[star.tet_count++]);
    if (!good || !has_one_curve(&star, tets, &star.closed)) return;
    out->stars.at[middle] = star;
    out->vertices.count += star.vertex_count;
    out->tets.count += star.tet_count;
}

// The inverse of the sum of y y^T, for the map that fits best.
static void invert_moments(const toc_star_vertex *vertices, int count, float inverse[6]) {
    double xx = 0, yy = 0, zz = 0, xy = 0, xz = 0, yz = 0;
    for (int i = 0; i < count; i++) {
        const toc_vec y = {(double)vertices[i].y[0], (double)vertices[i].y[1], (double)vertices[i].y[2]};
        xx += y.x * y.x, yy += y.y * y.y, zz += y.z * y.z;
        xy += y.x * y.y, xz += y.x * y.z, yz += y.y * y.z;
    }
    const double a = yy * zz - yz * yz, b = xz * yz - xy * zz, c = xy * yz - xz * yy;
    const double scale = 1 / (xx * a + xy * b + xz * c);
    const double result[6] = {a, xx * zz - xz * xz, xx * yy - xy * xy, b, c, xy * xz - xx * yz};
    for (int i = 0; i < 6; i++) inverse[i] = (float)(scale * result[i]);
}

// A star of hexes, if it is one.
static void find_hexes(const finder *f, const toc_around *around, uint32_t middle, toc_stars *out) {
    toc_lattice lattice;
    if (!toc_lattice_find(f->cells, around, middle, &lattice)) return;
    toc_star star = {.first_vertex = (uint32_t)out->vertices.count,
                     .vertex_count = (uint8_t)lattice.count,
                     .size = 1.75f,
                     .reach = TOC_LATTICE_DISTANCE / 2};
    toc_star_vertex *vertices = out->vertices.at + out->vertices.count;
    for (int i = 0; i < lattice.count; i++)
        vertices[i] = (toc_star_vertex){{(float)lattice.at[i][0], (float)lattice.at[i][1], (float)lattice.at[i][2]},
                                        lattice.v[i]};
    invert_moments(vertices, lattice.count, star.inverse);
    out->stars.at[middle] = star;
    out->vertices.count += (size_t)lattice.count;
}

// Elements that use a corner twice may be anything.
static bool has_volume(const toc_cells *cells, const toc_around *around) {
    for (size_t i = 0; i < around->count; i++) {
        const uint8_t shape = cells->at[around->first_cell + around->elements[i]].shape;
        if (shape >= TOC_TET || shape == TOC_REMOVED) return true;
    }
    return false;
}

static toc_status find_body(const toc_allocator *allocator, const finder *f, toc_stars *out) {
    const toc_bag *bag = &f->body->incidence.vertex_elements;
    for (uint32_t v = 0; v < bag->runs.count; v++) {
        const toc_around around = toc_around_of(f->body, bag, v);
        out->stars.at[f->body->first_vertex + v] = (toc_star){.empty = !has_volume(f->cells, &around)};
        if (around.count == 0 || around.count > TOC_STAR_MOST) continue;
        TOC_TRY(toc_array_reserve(allocator, &out->vertices, (size_t)TOC_STAR_MOST));
        TOC_TRY(toc_array_reserve(allocator, &out->tets, around.count));
        const bool hexes = f->cells->at[around.first_cell + around.elements[0]].shape == TOC_HEX;
        (hexes ? find_hexes : find_tets)(f, &around, f->body->first_vertex + v, out);
    }
    return TOC_OK;
}

toc_status toc_stars_find(const toc_allocator *allocator, const toc_cells *cells, toc_stars *out) {
    size_t count = 0;
    *out = (toc_stars){.stars = {0}};
    for (size_t b = 0; b < cells->body_count; b++) count += cells->bodies[b].incidence.vertex_elements.runs.count;
    TOC_TRY(toc_array_reserve(allocator, &out->stars, count));
    TOC_TRY(toc_array_reserve(allocator, &out->whole, count));
    out->stars.count = out->whole.count = count;
    for (size_t b = 0; b < cells->body_count; b++)
        TOC_TRY(find_body(allocator, &(finder){cells, &cells->bodies[b]}, out));
    return TOC_OK;
}

void toc_stars_free(const toc_allocator *allocator, toc_stars *stars) {
    toc_array_free(allocator, &stars->stars);
    toc_array_free(allocator, &stars->vertices);
    toc_array_free(allocator, &stars->tets);
    toc_array_free(allocator, &stars->whole);
}

// ---- the reference

// A star that is being taken for the reference: where its vertices are, from the middle.
typedef struct taking {
    const toc_star *star;
    const toc_star_tet *tets;
    toc_vec at[TOC_STAR_MOST];
} taking;

static const double flat = 0x1p-20; // the least volume of three unit vectors, or area of two, that is trusted

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

// Six times the volume of a tet, and the solid angle that it has at the middle (van Oosterom and Strackee 1983).
static double volume_of(const toc_vec v[3], double *angle) {
    const double a = toc_vec_length(v[0]), b = toc_vec_length(v[1]), c = toc_vec_length(v[2]);
    const double volume = toc_vec_dot(v[0], toc_vec_cross(v[1], v[2]));
    *angle = 2 * atan2(fabs(volume), a * b * c + toc_vec_dot(v[0], v[1]) * c + toc_vec_dot(v[0], v[2]) * b +
                                         toc_vec_dot(v[1], v[2]) * a);
    return fabs(volume) > flat * a * b * c ? volume : 0;
}

// How far the corners of a tet may go, and what it sees; 0 where it does not fit to those beside it.
static double reach_of_tet(const taking *t, const toc_star_tet *tet, double *angle) {
    const toc_vec v[3] = {t->at[tet->corner[0]], t->at[tet->corner[1]], t->at[tet->corner[2]]};
    const toc_vec across[3] = {toc_vec_cross(v[1], v[2]), toc_vec_cross(v[2], v[0]), toc_vec_cross(v[0], v[1])};
    const double volume = volume_of(v, angle);
    for (int k = 0; k < 3; k++)
        if (tet->behind[k] != TOC_STAR_NONE && !(volume * toc_vec_dot(across[k], t->at[tet->behind[k]]) < 0)) return 0;
    return fabs(volume) / largest_sum(across[0], across[1], across[2]);
}

// The sine of the angle between a direction and the nearest one between two others; 1 for a right angle and more.
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

// How far a corner of the curve, and a side that it is not on, may go; the side's own corners make it move so much
// less.
static double reach_of_corner(const taking *t, uint8_t corner, toc_vec u, toc_vec v, double own) {
    const toc_vec x = t->at[corner];
    return sine_to_side(x, u, v) / 2 * toc_smaller(own, toc_vec_length(x));
}

// Whether two sides cross: their great circles do so twice, on opposite sides of the sphere.
static bool sides_cross(toc_vec a, toc_vec b, toc_vec c, toc_vec d) {
    const toc_vec n = toc_vec_cross(a, b), m = toc_vec_cross(c, d), p = toc_vec_cross(n, m);
    return toc_vec_dot(n, c) * toc_vec_dot(n, d) < 0 && toc_vec_dot(m, a) * toc_vec_dot(m, b) < 0 &&
           toc_vec_dot(p, toc_vec_add(a, b)) * toc_vec_dot(p, toc_vec_add(c, d)) >= 0;
}

// How far the corners of a side of the curve may go, for it not to meet corners that it does not have.
static double reach_of_side(const taking *t, uint8_t a, uint8_t b) {
    const toc_vec u = t->at[a], v = t->at[b], n = toc_vec_cross(u, v);
    const double area = toc_vec_length(n);
    if (!(area > flat * toc_vec_length(u) * toc_vec_length(v))) return 0;
    const toc_vec sum = toc_vec_add(u, v), difference = toc_vec_sub(u, v);
    const double own = area / toc_larger(toc_vec_length(sum), toc_vec_length(difference));
    double reach = INFINITY;
    for (int i = 0; i < t->star->tet_count; i++)
        for (int k = 0; k < 3; k++) {
            const uint8_t c = t->tets[i].corner[(k + 1) % 3], d = t->tets[i].corner[(k + 2) % 3];
            if (t->tets[i].behind[k] != TOC_STAR_NONE) continue;
            const bool c_is_other = c != a && c != b, d_is_other = d != a && d != b;
            if (c_is_other) reach = toc_smaller(reach, reach_of_corner(t, c, u, v, own));
            if (d_is_other) reach = toc_smaller(reach, reach_of_corner(t, d, u, v, own));
            if (c_is_other && d_is_other && sides_cross(u, v, t->at[c], t->at[d])) return 0;
        }
    return reach;
}

static double reach_of(const taking *t) {
    const double sphere = 12.566370614359172;
    double reach = INFINITY, angles = 0, angle;
    for (int i = 0; i < t->star->tet_count; i++) {
        const toc_star_tet *tet = &t->tets[i];
        reach = toc_smaller(reach, reach_of_tet(t, tet, &angle));
        angles += angle;
        for (int k = 0; k < 3 && reach > 0; k++)
            if (tet->behind[k] == TOC_STAR_NONE)
                reach = toc_smaller(reach, reach_of_side(t, tet->corner[(k + 1) % 3], tet->corner[(k + 2) % 3]));
    }
    return angles < (t->star->closed ? 1.5 : 0.999) * sphere ? reach * (1 - 0x1p-20) : 0;
}

// Take the star as it stands at the start of the step for the reference.
static void take_reference(toc_stars *stars, size_t middle, const toc_packed *packed) {
    toc_star *star = &stars->stars.at[middle];
    toc_star_vertex *vertices = stars->vertices.at + star->first_vertex;
    taking t = {.star = star, .tets = stars->tets.at + star->first_tet};
    for (int i = 0; i < star->vertex_count; i++) {
        for (int c = 0; c < 3; c++) vertices[i].y[c] = packed[vertices[i].v].x0[c] - packed[middle].x0[c];
        t.at[i] = (toc_vec){(double)vertices[i].y[0], (double)vertices[i].y[1], (double)vertices[i].y[2]};
    }
    double square = 0;
    for (int i = 0; i < star->vertex_count; i++) square = toc_larger(square, toc_vec_dot(t.at[i], t.at[i]));
    star->size = (float)sqrt(square);
    star->reach = (float)reach_of(&t);
    invert_moments(vertices, star->vertex_count, star->inverse);
}

// ---- each step

static bool keeps_shape(const toc_stars *stars, size_t v, const toc_packed *packed) {
    return stars->stars.at[v].reach > 0 && TOC_KERNEL_HERE(toc_stars_kernel)(stars, v, packed);
}

// Tets that do not keep the shape they had are looked at anew.
static bool is_whole(toc_stars *stars, size_t v, const toc_packed *packed) {
    const toc_star *star = &stars->stars.at[v];
    if (star->vertex_count == 0) return star->empty;
    if (keeps_shape(stars, v, packed)) return true;
    if (star->tet_count == 0) return false;
    take_reference(stars, v, packed);
    return keeps_shape(stars, v, packed);
}

static bool all_rest(const toc_stars *stars, size_t v, const uint8_t *rests) {
    const toc_star *star = &stars->stars.at[v];
    const toc_star_vertex *vertices = stars->vertices.at + star->first_vertex;
    bool all = rests[v] == 2;
    for (int i = 0; i < star->vertex_count && all; i++) all = rests[vertices[i].v] == 2;
    return all;
}

void toc_stars_tell(toc_stars *stars, size_t first, size_t last, const toc_packed *packed, const uint8_t *rests) {
    for (size_t v = first; v < last; v++)
        if (!rests || !all_rest(stars, v, rests)) stars->whole.at[v] = is_whole(stars, v, packed);
}
