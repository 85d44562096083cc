// SPDX-License-Identifier: Apache-2.0
// The adapter of the IPC Toolkit: candidates are all pairs of features that the single test finds, and no others; times
// of points and edges against their formulas.
#include "toccata_ipctk.hpp"

#include <cstdio>
#include <cstdlib>
#include <random>
#include <set>

namespace {

void need(bool holds, const char *what) {
    if (holds) return;
    std::fprintf(stderr, "%s\n", what);
    std::exit(1);
}

using Pairs = std::set<std::array<int, 2>>;

struct Soup {
    Eigen::MatrixXd x0, x1;
    Eigen::MatrixXi edges, faces;
};

/// Triangles that move at random with their edges, edges by themselves, and points.
Soup make_soup(std::mt19937_64 &random, int triangles, int edges, int points, double motion) {
    const int count = 3 * triangles + 2 * edges + points;
    Soup soup{Eigen::MatrixXd(count, 3), Eigen::MatrixXd(count, 3), Eigen::MatrixXi(3 * triangles + edges, 2),
              Eigen::MatrixXi(triangles, 3)};
    std::uniform_real_distribution<double> place(0, 1.2), step(-motion, motion), near(-0.5, 0.5);
    const auto put = [&](int first, int corners) {
        const double at[3] = {place(random), place(random), place(random)};
        for (int i = first; i < first + corners; i++)
            for (int k = 0; k < 3; k++) {
                soup.x0(i, k) = at[k] + near(random);
                soup.x1(i, k) = soup.x0(i, k) + step(random);
            }
    };
    for (int t = 0; t < triangles; t++) {
        put(3 * t, 3);
        soup.faces.row(t) << 3 * t, 3 * t + 1, 3 * t + 2;
        for (int k = 0; k < 3; k++) soup.edges.row(3 * t + k) << 3 * t + k, 3 * t + (k + 1) % 3;
    }
    for (int e = 0; e < edges; e++) {
        put(3 * triangles + 2 * e, 2);
        soup.edges.row(3 * triangles + e) << 3 * triangles + 2 * e, 3 * triangles + 2 * e + 1;
    }
    for (int p = 0; p < points; p++) put(3 * triangles + 2 * edges + p, 1);
    return soup;
}

Eigen::Vector3d at(const Eigen::MatrixXd &x, int i) { return x.row(i).transpose(); }

bool face_meets(const Soup &s, const ipc::NarrowPhaseCCD &ccd, int f, int v, double distance) {
    double toi;
    const auto c = s.faces.row(f);
    return ccd.point_triangle_ccd(at(s.x0, v), at(s.x0, c[0]), at(s.x0, c[1]), at(s.x0, c[2]), at(s.x1, v),
                                  at(s.x1, c[0]), at(s.x1, c[1]), at(s.x1, c[2]), toi, distance);
}

bool edges_meet(const Soup &s, const ipc::NarrowPhaseCCD &ccd, int a, int b, double distance) {
    double toi;
    const auto p = s.edges.row(a), q = s.edges.row(b);
    return ccd.edge_edge_ccd(at(s.x0, p[0]), at(s.x0, p[1]), at(s.x0, q[0]), at(s.x0, q[1]), at(s.x1, p[0]),
                             at(s.x1, p[1]), at(s.x1, q[0]), at(s.x1, q[1]), toi, distance);
}

/// Every pair by the single test; common vertices and pairs that the filter forbids are none.
void compare(const Soup &s, const toccata::ipctk::BroadPhase &broad, double distance, size_t *total) {
    const toccata::ipctk::NarrowPhaseCCD ccd;
    std::vector<ipc::FaceVertexCandidate> of_faces;
    std::vector<ipc::EdgeEdgeCandidate> of_edges;
    broad.detect_face_vertex_candidates(of_faces);
    broad.detect_edge_edge_candidates(of_edges);
    Pairs faces, edges, all_faces, all_edges;
    for (const auto &c : of_faces) faces.insert({static_cast<int>(c.face_id), static_cast<int>(c.vertex_id)});
    for (const auto &c : of_edges) edges.insert({static_cast<int>(c.edge0_id), static_cast<int>(c.edge1_id)});
    need(faces.size() == of_faces.size() && edges.size() == of_edges.size(), "a candidate is listed twice");
    const auto may = [&](int a, int b) {
        return broad.can_vertices_collide(static_cast<size_t>(a), static_cast<size_t>(b));
    };
    for (int f = 0; f < s.faces.rows(); f++)
        for (int v = 0; v < s.x0.rows(); v++) {
            const auto c = s.faces.row(f);
            if (v == c[0] || v == c[1] || v == c[2] || !(may(c[0], v) || may(c[1], v) || may(c[2], v))) continue;
            if (face_meets(s, ccd, f, v, distance)) all_faces.insert({f, v});
        }
    for (int a = 0; a < s.edges.rows(); a++)
        for (int b = a + 1; b < s.edges.rows(); b++) {
            const auto p = s.edges.row(a), q = s.edges.row(b);
            if (p[0] == q[0] || p[0] == q[1] || p[1] == q[0] || p[1] == q[1]) continue;
            if (!(may(p[0], q[0]) || may(p[0], q[1]) || may(p[1], q[0]) || may(p[1], q[1]))) continue;
            if (edges_meet(s, ccd, a, b, distance)) all_edges.insert({a, b});
        }
    need(faces == all_faces, "vertex-face candidates differ from the pairs that meet");
    need(edges == all_edges, "edge-edge candidates differ from the pairs that meet");
    *total += faces.size() + edges.size();
}

/// Boxes hold what they bound: an edge within the distance of a vertex at the start is a candidate.
void check_boxes(const Soup &s, const toccata::ipctk::BroadPhase &broad, std::array<size_t, 4> *totals) {
    std::vector<ipc::EdgeVertexCandidate> edges;
    std::vector<ipc::VertexVertexCandidate> vertices;
    std::vector<ipc::EdgeFaceCandidate> crossings;
    std::vector<ipc::FaceFaceCandidate> faces;
    broad.detect_edge_vertex_candidates(edges);
    broad.detect_vertex_vertex_candidates(vertices);
    broad.detect_edge_face_candidates(crossings);
    broad.detect_face_face_candidates(faces);
    Pairs found;
    for (const auto &c : edges) found.insert({static_cast<int>(c.edge_id), static_cast<int>(c.vertex_id)});
    for (int e = 0; e < s.edges.rows(); e++)
        for (int v = 0; v < s.x0.rows(); v++) {
            const auto c = s.edges.row(e);
            if (v == c[0] || v == c[1]) continue;
            const Eigen::Array3d a = at(s.x0, c[0]).array(), b = at(s.x0, c[1]).array(), p = at(s.x0, v).array();
            if ((p >= a.min(b)).all() && (p <= a.max(b)).all())
                need(found.count({e, v}) == 1, "a pair of boxes is missing");
        }
    const size_t more[] = {vertices.size(), edges.size(), crossings.size(), faces.size()};
    for (size_t k = 0; k < 4; k++) (*totals)[k] += more[k];
}

ipc::Candidates candidates_of(const ipc::BroadPhase &broad, [[maybe_unused]] int dimension) {
    ipc::Candidates all;
#ifdef TEST_IPC_BOXES
    broad.detect_collision_candidates(all);
#else
    broad.detect_collision_candidates(dimension, all);
#endif
    return all;
}

/// What the toolkit itself asks: lists that are full before are those of this step after; in the plane the edges and
/// vertices, and the edges that cross.
void check_base(const Soup &s, const toccata::ipctk::BroadPhase &broad) {
    const ipc::Candidates all = candidates_of(broad, 3);
    std::vector<ipc::EdgeEdgeCandidate> edges(7, ipc::EdgeEdgeCandidate(0, 0));
    broad.detect_edge_edge_candidates(edges);
    need(edges.size() == all.ee_candidates.size() && all.ev_candidates.empty(), "candidates of a step");
    Soup flat{s.x0.leftCols(2), s.x1.leftCols(2), s.edges, Eigen::MatrixXi(0, 3)};
    toccata::ipctk::BroadPhase plane;
    plane.build(flat.x0, flat.edges, flat.faces, 0);
    const ipc::Candidates of_plane = candidates_of(plane, 2);
    need(of_plane.ev_candidates.size() > 10 && of_plane.ee_candidates.empty(), "candidates in the plane");
    plane.detect_edge_edge_candidates(edges);
    Pairs found;
    for (const auto &c : edges) found.insert({static_cast<int>(c.edge0_id), static_cast<int>(c.edge1_id)});
    size_t crossing = 0;
    for (int a = 0; a < flat.edges.rows(); a++)
        for (int b = a + 1; b < flat.edges.rows(); b++) {
            const auto side = [&](int e, int v) {
                const Eigen::Vector2d p = flat.x0.row(flat.edges(e, 0)), q = flat.x0.row(flat.edges(e, 1)),
                                      r = flat.x0.row(v);
                return (q - p).x() * (r - p).y() - (q - p).y() * (r - p).x();
            };
            const auto p = flat.edges.row(a), q = flat.edges.row(b);
            if (side(a, q[0]) * side(a, q[1]) >= 0 || side(b, p[0]) * side(b, p[1]) >= 0) continue;
            crossing++;
            need(found.count({a, b}) == 1, "edges that cross in the plane are no candidate");
        }
    need(crossing > 10, "no edges cross in the plane");
#ifdef TEST_IPC_BOXES
    toccata::ipctk::BroadPhase boxes;
    ipc::AABBs own;
    for (int i = 0; i < s.x0.rows(); i++) own.emplace_back(at(s.x0, i).array() - 0.1, at(s.x0, i).array() + 0.1);
    boxes.build(own, s.edges, s.faces, 3);
    const ipc::Candidates of_boxes = candidates_of(boxes, 3);
    need(of_boxes.ee_candidates.size() > edges.size() / 4 && !of_boxes.fv_candidates.empty(), "candidates of boxes");
#endif
}

void check_points() {
    const toccata::ipctk::NarrowPhaseCCD ccd;
    double toi = -1;
    const Eigen::Vector3d o(0, 0, 0), high(0, 0, 2), low(0, 0, -2), a(-1, 0, 0), b(1, 0, 0);
    need(ccd.point_point_ccd(high, o, low, o, toi) && std::abs(toi - 0.5) < 1e-6 && toi <= 0.5, "two points");
    need(ccd.point_point_ccd(high, o, low, o, toi, 1.0) && std::abs(toi - 0.25) < 1e-6, "two points at a distance");
    need(!ccd.point_point_ccd(high, o, low, o, toi, 0.0, 0.4), "two points before they meet");
    need(!ccd.point_point_ccd(high, o, low, o, toi, 0.0, 0.0), "two points at the start");
    need(ccd.point_edge_ccd(high, a, b, low, a, b, toi) && std::abs(toi - 0.5) < 1e-6, "a point and an edge");
    const Eigen::Vector2d p0(0.25, 1), p1(0.25, -1), e0(0, 0), e1(1, 0);
    need(ccd.point_edge_ccd(p0, e0, e1, p1, e0, e1, toi) && std::abs(toi - 0.5) < 1e-6,
         "a point and an edge in the plane");
    need(!ccd.point_edge_ccd(p0, e0, -e1, p1, e0, -e1, toi), "a point beside an edge");
}

} // namespace

int main() {
    std::mt19937_64 random(1);
    size_t total = 0;
    std::array<size_t, 4> boxes{};
    for (int round = 0; round < 40; round++) {
        const double radius = round % 4 == 0 ? 0 : 0.02 * (round % 5), motion = round % 3 == 0 ? 0 : 0.4;
        const Soup soup = make_soup(random, 12, 5, 6, motion);
        toccata::ipctk::BroadPhase broad;
        if (round % 2) broad.can_vertices_collide = [](size_t i, size_t j) { return (i + j) % 3 != 0; };
        if (motion == 0)
            broad.build(soup.x0, soup.edges, soup.faces, radius);
        else
            broad.build(soup.x0, soup.x1, soup.edges, soup.faces, radius);
        compare(soup, broad, 2 * radius, &total);
        check_boxes(soup, broad, &boxes);
        check_base(soup, broad);
    }
    need(total > 1000, "too few candidates for a test");
    for (const size_t count : boxes) need(count > 0, "there are no pairs of boxes of some kind");
    check_points();
    std::printf("%zu candidates, all of them and no others\n", total);
    return 0;
}
