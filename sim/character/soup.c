// SPDX-License-Identifier: Apache-2.0
// A tree of boxes over triangles that need not be closed, oriented or free of crossings.
//
// Each connected component is wound so that it encloses a positive volume. After Jacobson et al. 2013, "Robust
// inside-outside segmentation using generalized winding numbers", and Barill et al. 2018, "Fast winding numbers for
// soups and clouds".
#include "sim/character/soup.h"

#include "sim/core/vector.h"

static const double pi = 3.14159265358979323846;
static const double far_away = 2; // radii, from where a node counts as a dipole: as in Barill et al.
enum { LEAF_TRIANGLES = 4, MOST_DEPTH = 64 };

static const double *soup_corner(const character_soup *s, uint32_t triangle, int k) {
    return s->x + 3 * (size_t)s->corners.at[3 * (size_t)triangle + (size_t)k];
}

// ---- triangles

static toc_status take_triangles(const toc_allocator *memory, const toc_mesh *mesh, character_soup *s) {
    for (uint32_t e = 0; e < toc_mesh_get_element_count(mesh); e++) {
        const toc_element t = toc_mesh_get_element(mesh, e);
        if (t.shape != TOC_TRIANGLE || t.corners[0] == t.corners[1] || t.corners[1] == t.corners[2] ||
            t.corners[2] == t.corners[0])
            continue;
        TOC_TRY(toc_array_reserve(memory, &s->corners, 3));
        memcpy(s->corners.at + s->corners.count, t.corners, 3 * sizeof *t.corners);
        s->corners.count += 3;
    }
    if (s->corners.count == 0) return toc_fail(TOC_BAD_INPUT, "the skin has no triangles");
    return TOC_OK;
}

static void find_soup_box(character_soup *s) {
    for (int k = 0; k < 3; k++) s->low[k] = INFINITY, s->high[k] = -INFINITY;
    for (size_t i = 0; i < s->corners.count; i++)
        for (int k = 0; k < 3; k++) {
            const double x = s->x[3 * (size_t)s->corners.at[i] + (size_t)k];
            s->low[k] = fmin(s->low[k], x), s->high[k] = fmax(s->high[k], x);
        }
}

// ---- orientation

static uint32_t soup_root(uint32_t *parents, uint32_t v) {
    while (parents[v] != v) v = parents[v] = parents[parents[v]];
    return v;
}

/// Six times the volume between a triangle and a point.
static double enclosed_by(const character_soup *s, uint32_t triangle, const double from[3]) {
    double d[3][3], n[3];
    for (int k = 0; k < 3; k++) sim_sub(soup_corner(s, triangle, k), from, d[k]);
    sim_cross(d[1], d[2], n);
    return sim_dot(d[0], n);
}

/// Swap the corners of components whose volume is negative.
static void wind_components(character_soup *s, uint32_t *parents, double *volumes, size_t vertices) {
    const uint32_t triangles = (uint32_t)(s->corners.count / 3);
    for (uint32_t v = 0; v < vertices; v++) parents[v] = v;
    for (uint32_t t = 0; t < triangles; t++)
        for (int k = 1; k < 3; k++)
            parents[soup_root(parents, s->corners.at[3 * t])] = soup_root(parents, s->corners.at[3 * t + (uint32_t)k]);
    for (uint32_t t = 0; t < triangles; t++) {
        const uint32_t root = soup_root(parents, s->corners.at[3 * t]);
        volumes[root] += enclosed_by(s, t, s->x + 3 * (size_t)root);
    }
    for (uint32_t t = 0; t < triangles; t++) {
        uint32_t *c = s->corners.at + 3 * (size_t)t;
        if (volumes[soup_root(parents, c[0])] >= 0) continue;
        const uint32_t swapped = c[1];
        c[1] = c[2], c[2] = swapped;
    }
}

static toc_status wind_outward(const toc_allocator *memory, character_soup *s, size_t vertices) {
    uint32_t *parents = toc_new(memory, vertices, sizeof *parents);
    double *volumes = toc_new(memory, vertices, sizeof *volumes);
    if (parents && volumes) wind_components(s, parents, volumes, vertices);
    const toc_status status = parents && volumes ? TOC_OK : TOC_OUT_OF_MEMORY;
    toc_free(memory, parents, vertices, sizeof *parents);
    toc_free(memory, volumes, vertices, sizeof *volumes);
    return status;
}

void toc_soup_find_normal(const character_soup *s, uint32_t triangle, double out[3]) {
    double ab[3], ac[3];
    sim_sub(soup_corner(s, triangle, 1), soup_corner(s, triangle, 0), ab);
    sim_sub(soup_corner(s, triangle, 2), soup_corner(s, triangle, 0), ac);
    sim_cross(ab, ac, out);
    sim_normalize(out);
}

// ---- the tree

static void fill_soup_node(const character_soup *s, soup_node *node) {
    double area = 0;
    for (int k = 0; k < 3; k++) node->low[k] = INFINITY, node->high[k] = -INFINITY;
    for (uint32_t t = node->first; t < node->first + node->count; t++) {
        const double *a = soup_corner(s, t, 0), *b = soup_corner(s, t, 1), *c = soup_corner(s, t, 2);
        double ab[3], ac[3], n[3];
        sim_sub(b, a, ab), sim_sub(c, a, ac), sim_cross(ab, ac, n);
        const double own = 0.5 * sim_length(n);
        sim_add(0.5, n, node->normal);
        area += own;
        for (int k = 0; k < 3; k++) {
            node->centre[k] += own * (a[k] + b[k] + c[k]) / 3;
            node->low[k] = fmin(node->low[k], fmin(a[k], fmin(b[k], c[k])));
            node->high[k] = fmax(node->high[k], fmax(a[k], fmax(b[k], c[k])));
        }
    }
    double radius2 = 0;
    for (int k = 0; k < 3; k++) {
        node->centre[k] = area > 0 ? node->centre[k] / area : 0.5 * (node->low[k] + node->high[k]);
        const double most = fmax(node->high[k] - node->centre[k], node->centre[k] - node->low[k]);
        radius2 += most * most;
    }
    node->radius = sqrt(radius2);
}

static double triangle_middle(const character_soup *s, uint32_t t, int axis) {
    return soup_corner(s, t, 0)[axis] + soup_corner(s, t, 1)[axis] + soup_corner(s, t, 2)[axis];
}

static void swap_triangles(character_soup *s, uint32_t a, uint32_t b) {
    for (size_t k = 0; k < 3; k++) {
        const uint32_t kept = s->corners.at[3 * (size_t)a + k];
        s->corners.at[3 * (size_t)a + k] = s->corners.at[3 * (size_t)b + k];
        s->corners.at[3 * (size_t)b + k] = kept;
    }
}

/// Quickselect: triangles below the middle one of an axis stand before it.
static void part_triangles(character_soup *s, uint32_t first, uint32_t count, int axis) {
    uint32_t low = first, high = first + count - 1;
    const uint32_t middle = first + count / 2;
    while (low < high) {
        const double pivot = triangle_middle(s, low + (high - low) / 2, axis);
        uint32_t i = low, j = high;
        for (;; i++, j--) {
            while (triangle_middle(s, i, axis) < pivot) i++;
            while (triangle_middle(s, j, axis) > pivot) j--;
            if (i >= j) break;
            swap_triangles(s, i, j);
        }
        if (middle <= j)
            high = j;
        else
            low = j + 1;
    }
}

/// Nodes stand depth first; those that are not divided yet wait in a list of the second children.
static toc_status build_soup(const toc_allocator *memory, character_soup *s) {
    uint32_t waiting[MOST_DEPTH][2]; // parent, first triangle
    uint32_t depth = 0, first = 0, count = (uint32_t)(s->corners.count / 3), parent = UINT32_MAX;
    for (;;) {
        TOC_TRY(toc_array_reserve(memory, &s->nodes, 1));
        const uint32_t at = (uint32_t)s->nodes.count++;
        soup_node *node = &s->nodes.at[at];
        *node = (soup_node){.first = first, .count = count};
        if (parent != UINT32_MAX) s->nodes.at[parent].second = at;
        fill_soup_node(s, node);
        parent = UINT32_MAX;
        if (count > LEAF_TRIANGLES) {
            int axis = 0;
            for (int k = 1; k < 3; k++)
                if (node->high[k] - node->low[k] > node->high[axis] - node->low[axis]) axis = k;
            part_triangles(s, first, count, axis);
            waiting[depth][0] = at, waiting[depth++][1] = first + count / 2;
            count /= 2;
            continue;
        }
        if (depth == 0) return TOC_OK;
        parent = waiting[--depth][0], first = waiting[depth][1];
        count = s->nodes.at[parent].first + s->nodes.at[parent].count - first;
    }
}

toc_status toc_soup_make(const toc_allocator *memory, const toc_mesh *mesh, character_soup *out) {
    *out = (character_soup){.x = toc_mesh_get_x1(mesh)};
    TOC_TRY(take_triangles(memory, mesh, out));
    find_soup_box(out);
    TOC_TRY(wind_outward(memory, out, toc_mesh_get_vertex_count(mesh)));
    return build_soup(memory, out);
}

void toc_soup_free(const toc_allocator *memory, character_soup *s) {
    toc_array_free(memory, &s->corners);
    toc_array_free(memory, &s->nodes);
}

// ---- the nearest point

/// Weights of the point of a segment that is nearest to a point at `along` of its direction.
static double clamp_share(double along, double length2) { return length2 > 0 ? fmin(1, fmax(0, along / length2)) : 0; }

static void find_on_edges(const double a[3], const double b[3], const double c[3], const double p[3], double out[3]) {
    const double *corners[3] = {a, b, c};
    double best = INFINITY;
    for (int k = 0; k < 3; k++) {
        double edge[3], rest[3];
        sim_sub(corners[(k + 1) % 3], corners[k], edge);
        sim_sub(p, corners[k], rest);
        const double share = clamp_share(sim_dot(rest, edge), sim_dot(edge, edge));
        sim_add(-share, edge, rest);
        if (sim_dot(rest, rest) >= best) continue;
        best = sim_dot(rest, rest);
        out[k] = 1 - share, out[(k + 1) % 3] = share, out[(k + 2) % 3] = 0;
    }
}

static void find_on_triangle(const double a[3], const double b[3], const double c[3], const double p[3],
                             double out[3]) {
    double ab[3], ac[3], ap[3], n[3], side[3];
    sim_sub(b, a, ab), sim_sub(c, a, ac), sim_sub(p, a, ap);
    sim_cross(ab, ac, n);
    const double area2 = sim_dot(n, n);
    sim_cross(ap, ac, side);
    out[1] = area2 > 0 ? sim_dot(side, n) / area2 : -1;
    sim_cross(ab, ap, side);
    out[2] = area2 > 0 ? sim_dot(side, n) / area2 : -1;
    out[0] = 1 - out[1] - out[2];
    if (out[0] < 0 || out[1] < 0 || out[2] < 0) find_on_edges(a, b, c, p, out);
}

void toc_soup_find_point(const character_soup *s, const soup_place *place, double out[3]) {
    const double *a = soup_corner(s, place->triangle, 0), *b = soup_corner(s, place->triangle, 1);
    const double *c = soup_corner(s, place->triangle, 2);
    for (int k = 0; k < 3; k++) out[k] = place->weights[0] * a[k] + place->weights[1] * b[k] + place->weights[2] * c[k];
}

/// The squared distance counts.
static void look_at_triangle(const character_soup *s, uint32_t t, const double p[3], soup_place *best) {
    soup_place here = {.triangle = t};
    double point[3];
    find_on_triangle(soup_corner(s, t, 0), soup_corner(s, t, 1), soup_corner(s, t, 2), p, here.weights);
    toc_soup_find_point(s, &here, point);
    sim_sub(point, p, point);
    here.distance = sim_dot(point, point);
    if (here.distance < best->distance) *best = here;
}

soup_place toc_soup_find_on(const character_soup *s, uint32_t triangle, const double p[3]) {
    soup_place place = {.distance = INFINITY};
    look_at_triangle(s, triangle, p, &place);
    place.distance = sqrt(place.distance);
    return place;
}

static double soup_box_distance2(const soup_node *node, const double p[3]) {
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        const double d = fmax(0, fmax(node->low[k] - p[k], p[k] - node->high[k]));
        sum += d * d;
    }
    return sum;
}

soup_place toc_soup_find_nearest(const character_soup *s, const double p[3], uint32_t hint) {
    soup_place best = {.distance = INFINITY};
    struct {
        uint32_t node;
        double distance;
    } stack[MOST_DEPTH];
    size_t depth = 0;
    look_at_triangle(s, hint, p, &best);
    stack[depth].node = 0, stack[depth++].distance = 0;
    while (depth > 0) {
        const uint32_t at = stack[--depth].node;
        const soup_node *node = &s->nodes.at[at];
        if (stack[depth].distance >= best.distance) continue;
        if (node->second == 0) {
            for (uint32_t t = node->first; t < node->first + node->count; t++) look_at_triangle(s, t, p, &best);
            continue;
        }
        const uint32_t children[2] = {at + 1, node->second};
        const double d[2] = {soup_box_distance2(&s->nodes.at[children[0]], p),
                             soup_box_distance2(&s->nodes.at[children[1]], p)};
        const int nearer = d[1] < d[0];
        stack[depth].node = children[!nearer], stack[depth++].distance = d[!nearer];
        stack[depth].node = children[nearer], stack[depth++].distance = d[nearer];
    }
    best.distance = sqrt(best.distance);
    return best;
}

// ---- the winding number

/// Van Oosterom and Strackee 1983.
static double solid_angle(const double a[3], const double b[3], const double c[3], const double p[3]) {
    double x[3], y[3], z[3], n[3];
    sim_sub(a, p, x), sim_sub(b, p, y), sim_sub(c, p, z);
    const double lx = sim_length(x), ly = sim_length(y), lz = sim_length(z);
    sim_cross(y, z, n);
    return 2 * atan2(sim_dot(x, n), lx * ly * lz + sim_dot(x, y) * lz + sim_dot(y, z) * lx + sim_dot(z, x) * ly);
}

double toc_soup_find_winding(const character_soup *s, const double p[3]) {
    uint32_t stack[MOST_DEPTH];
    size_t depth = 0;
    double sum = 0;
    stack[depth++] = 0;
    while (depth > 0) {
        const uint32_t at = stack[--depth];
        const soup_node *node = &s->nodes.at[at];
        double to[3];
        sim_sub(node->centre, p, to);
        const double distance2 = sim_dot(to, to);
        if (distance2 > far_away * far_away * node->radius * node->radius) {
            sum += sim_dot(node->normal, to) / (distance2 * sqrt(distance2));
        } else if (node->second == 0) {
            for (uint32_t t = node->first; t < node->first + node->count; t++)
                sum += solid_angle(soup_corner(s, t, 0), soup_corner(s, t, 1), soup_corner(s, t, 2), p);
        } else {
            stack[depth++] = node->second;
            stack[depth++] = at + 1;
        }
    }
    return sum / (4 * pi);
}
