// SPDX-License-Identifier: Apache-2.0
/// Toccata below the IPC Toolkit, versions 1.3 and 1.4: its broad phase and its narrow phase, one file to copy.
///
/// BroadPhase gives vertex-face and edge-edge candidates that come within twice the inflation radius during the step:
/// all of them, and no others, found by the trees and the certified tests of Toccata. The other kinds of candidates, of
/// meshes in the plane and of intersections, are pairs of boxes, as those of the toolkit. NarrowPhaseCCD decides each
/// question as toc_pair_find does: no contact is missed, and a time is never later than the true one. A failure throws
/// toccata::Error.
#ifndef TOCCATA_IPCTK_HPP
#define TOCCATA_IPCTK_HPP

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <ipc/broad_phase/broad_phase.hpp>
#include <ipc/ccd/narrow_phase_ccd.hpp>

#include "toccata/toccata.hpp"

namespace toccata::ipctk {

/// Whether one pair of vertices of two features may collide, and none is common.
template <class Filter, class A, class B> bool may_collide(const Filter &filter, const A &a, const B &b) {
    bool any = false;
    for (const auto i : a)
        for (const auto j : b) {
            if (i == j) return false;
            any = any || filter(static_cast<size_t>(i), static_cast<size_t>(j));
        }
    return any;
}

class BroadPhase : public ipc::BroadPhase {
  public:
    std::string name() const override { return "Toccata"; }

    void build(Eigen::ConstRef<Eigen::MatrixXd> vertices, Eigen::ConstRef<Eigen::MatrixXi> edges,
               Eigen::ConstRef<Eigen::MatrixXi> faces, const double inflation_radius = 0) override {
        build(vertices, vertices, edges, faces, inflation_radius);
    }

    void build(Eigen::ConstRef<Eigen::MatrixXd> vertices_t0, Eigen::ConstRef<Eigen::MatrixXd> vertices_t1,
               Eigen::ConstRef<Eigen::MatrixXi> edges, Eigen::ConstRef<Eigen::MatrixXi> faces,
               const double inflation_radius = 0) override {
        clear();
        is_flat_ = vertices_t0.cols() == 2;
        edges_ = rows_of<2>(edges);
        faces_ = rows_of<3>(faces);
        const std::vector<double> x0 = positions_of(vertices_t0), x1 = positions_of(vertices_t1);
        make_boxes(x0, x1, inflation_radius);
        if (!is_flat_) find_contacts(x0, x1, 2 * inflation_radius);
    }

    void clear() override {
        edges_.clear();
        faces_.clear();
        vertices_.clear();
        boxes_ = {};
        of_faces_.clear();
        of_edges_.clear();
    }

    void detect_face_vertex_candidates(std::vector<ipc::FaceVertexCandidate> &candidates) const override {
        for (const auto &[face, vertex] : of_faces_)
            if (may_collide(can_vertices_collide, faces_[static_cast<size_t>(face)], std::array<int, 1>{vertex}))
                candidates.emplace_back(face, vertex);
    }

    void detect_edge_edge_candidates(std::vector<ipc::EdgeEdgeCandidate> &candidates) const override {
        for (const auto &[a, b] : of_edges_)
            if (may_collide(can_vertices_collide, edges_[static_cast<size_t>(a)], edges_[static_cast<size_t>(b)]))
                candidates.emplace_back(a, b);
    }

    void detect_vertex_vertex_candidates(std::vector<ipc::VertexVertexCandidate> &candidates) const override {
        sweep(boxes_[0], boxes_[0], true, vertices_, vertices_, candidates);
    }
    void detect_edge_vertex_candidates(std::vector<ipc::EdgeVertexCandidate> &candidates) const override {
        sweep(boxes_[1], boxes_[0], false, edges_, vertices_, candidates);
    }
    void detect_edge_face_candidates(std::vector<ipc::EdgeFaceCandidate> &candidates) const override {
        sweep(boxes_[1], boxes_[2], false, edges_, faces_, candidates);
    }
    void detect_face_face_candidates(std::vector<ipc::FaceFaceCandidate> &candidates) const override {
        sweep(boxes_[2], boxes_[2], true, faces_, faces_, candidates);
    }

  private:
    struct Box {
        std::array<double, 3> low, high;
        int id;
    };
    template <size_t N> using Rows = std::vector<std::array<int, N>>;

    template <size_t N> static Rows<N> rows_of(Eigen::ConstRef<Eigen::MatrixXi> matrix) {
        Rows<N> rows(static_cast<size_t>(matrix.rows()));
        for (Eigen::Index i = 0; i < matrix.rows(); i++)
            for (size_t k = 0; k < N; k++) rows[static_cast<size_t>(i)][k] = matrix(i, static_cast<Eigen::Index>(k));
        return rows;
    }

    static std::vector<double> positions_of(Eigen::ConstRef<Eigen::MatrixXd> vertices) {
        std::vector<double> x(3 * static_cast<size_t>(vertices.rows()));
        for (Eigen::Index i = 0; i < vertices.rows(); i++)
            for (Eigen::Index k = 0; k < vertices.cols(); k++) x[static_cast<size_t>(3 * i + k)] = vertices(i, k);
        return x;
    }

    template <size_t N>
    static Box box_of(const std::array<int, N> &ids, int id, const std::vector<double> &x0,
                      const std::vector<double> &x1, double radius) {
        constexpr double inf = std::numeric_limits<double>::infinity();
        Box box{{inf, inf, inf}, {-inf, -inf, -inf}, id};
        for (size_t k = 0; k < 3; k++) {
            for (const int v : ids)
                for (const auto *x : {&x0, &x1}) {
                    const double at = (*x)[3 * static_cast<size_t>(v) + k];
                    box.low[k] = std::min(box.low[k], at);
                    box.high[k] = std::max(box.high[k], at);
                }
            box.low[k] = std::nextafter(box.low[k] - radius, -inf);
            box.high[k] = std::nextafter(box.high[k] + radius, inf);
        }
        return box;
    }

    template <size_t N>
    static void add_boxes(const Rows<N> &rows, const std::vector<double> &x0, const std::vector<double> &x1,
                          double radius, std::vector<Box> &to) {
        for (size_t i = 0; i < rows.size(); i++) to.push_back(box_of(rows[i], static_cast<int>(i), x0, x1, radius));
        std::sort(to.begin(), to.end(), [](const Box &a, const Box &b) { return a.low[0] < b.low[0]; });
    }

    void make_boxes(const std::vector<double> &x0, const std::vector<double> &x1, double radius) {
        for (size_t i = 0; 3 * i < x0.size(); i++) vertices_.push_back({static_cast<int>(i)});
        add_boxes(vertices_, x0, x1, radius, boxes_[0]);
        add_boxes(edges_, x0, x1, radius, boxes_[1]);
        add_boxes(faces_, x0, x1, radius, boxes_[2]);
    }

    /// Pairs of boxes that overlap, along the first axis.
    template <class A, class B, class Candidate>
    void sweep(const std::vector<Box> &a, const std::vector<Box> &b, bool same, const A &ids_a, const B &ids_b,
               std::vector<Candidate> &candidates) const {
        const auto overlap = [](const Box &s, const Box &t) {
            for (size_t k = 0; k < 3; k++)
                if (s.high[k] < t.low[k] || t.high[k] < s.low[k]) return false;
            return true;
        };
        const auto take = [&](const Box &s, const Box &t) {
            if (!overlap(s, t) ||
                !may_collide(can_vertices_collide, ids_a[static_cast<size_t>(s.id)], ids_b[static_cast<size_t>(t.id)]))
                return;
            if (same)
                candidates.emplace_back(std::min(s.id, t.id), std::max(s.id, t.id));
            else
                candidates.emplace_back(s.id, t.id);
        };
        size_t i = 0, j = 0;
        if (same) {
            for (; i < a.size(); i++)
                for (size_t k = i + 1; k < a.size() && a[k].low[0] <= a[i].high[0]; k++) take(a[i], a[k]);
            return;
        }
        while (i < a.size() && j < b.size()) {
            if (a[i].low[0] <= b[j].low[0]) {
                for (size_t k = j; k < b.size() && b[k].low[0] <= a[i].high[0]; k++) take(a[i], b[k]);
                i++;
            } else {
                for (size_t k = i; k < a.size() && a[k].low[0] <= b[j].high[0]; k++) take(a[k], b[j]);
                j++;
            }
        }
    }

    struct Destroy {
        void operator()(toc_scene *scene) const { toc_scene_destroy(scene); }
        void operator()(toc_mesh *mesh) const { toc_mesh_destroy(mesh); }
        void operator()(toc_contacts *contacts) const { toc_contacts_destroy(contacts); }
    };

    template <size_t N> static void add_elements(toc_mesh *mesh, toc_shape shape, const Rows<N> &rows) {
        std::vector<uint32_t> corners;
        for (const auto &row : rows)
            for (const int v : row) corners.push_back(static_cast<uint32_t>(v));
        if (!rows.empty()) check(toc_mesh_add_elements(mesh, shape, rows.size(), corners.data(), nullptr));
    }

    /// Faces, the edges that no face has, and the vertices that neither has.
    void fill_mesh(toc_mesh *mesh, const std::vector<double> &x0) const {
        std::vector<bool> used(x0.size() / 3);
        std::map<std::array<int, 2>, bool> of_faces;
        Rows<2> loose;
        Rows<1> alone;
        for (const auto &f : faces_)
            for (size_t k = 0; k < 3; k++) {
                used[static_cast<size_t>(f[k])] = true;
                of_faces[sorted(std::array<int, 2>{f[k], f[(k + 1) % 3]})] = true;
            }
        for (const auto &e : edges_) {
            for (const int v : e) used[static_cast<size_t>(v)] = true;
            if (of_faces.count(sorted(e)) == 0) loose.push_back(e);
        }
        for (const auto &v : vertices_)
            if (!used[static_cast<size_t>(v[0])]) alone.push_back(v);
        check(toc_mesh_add_vertices(mesh, vertices_.size(), x0.data(), nullptr));
        add_elements(mesh, TOC_TRIANGLE, faces_);
        add_elements(mesh, TOC_EDGE, loose);
        add_elements(mesh, TOC_POINT, alone);
    }

    template <size_t N> static std::array<int, N> sorted(std::array<int, N> ids) {
        std::sort(ids.begin(), ids.end());
        return ids;
    }

    template <size_t N> static std::multimap<std::array<int, N>, int> index_of(const Rows<N> &rows) {
        std::multimap<std::array<int, N>, int> index;
        for (size_t i = 0; i < rows.size(); i++) index.emplace(sorted(rows[i]), static_cast<int>(i));
        return index;
    }

    void find_contacts(const std::vector<double> &x0, const std::vector<double> &x1, double separation) {
        toc_mesh *mesh = nullptr;
        check(toc_mesh_create(nullptr, &mesh));
        std::unique_ptr<toc_mesh, Destroy> owner(mesh);
        toc_scene *made = nullptr;
        fill_mesh(mesh, x0);
        check(toc_mesh_set_motion(mesh, vertices_.size(), x0.data(), x1.data()));
        check(toc_scene_create(nullptr, &made));
        std::unique_ptr<toc_scene, Destroy> scene(made);
        check(toc_scene_add_body(scene.get(), mesh, nullptr));
        owner.release(); // the scene's now
        toc_query query = toc_query_default();
        query.test.separation = separation;
        toc_contacts *found = nullptr;
        check(toc_scene_find_contacts(scene.get(), &query, nullptr, &found));
        std::unique_ptr<toc_contacts, Destroy> contacts(found);
        const auto faces = index_of(faces_);
        const auto edges = index_of(edges_);
        for (size_t i = 0; i < contacts->count; i++) {
            const uint32_t *v = contacts->contacts[i].v;
            const auto id = [v](size_t k) { return static_cast<int>(v[k]); };
            if (contacts->contacts[i].kind == TOC_VF) {
                const auto [begin, end] = faces.equal_range(sorted(std::array<int, 3>{id(1), id(2), id(3)}));
                for (auto at = begin; at != end; ++at) of_faces_.push_back({at->second, id(0)});
                continue;
            }
            const auto [begin, end] = edges.equal_range(sorted(std::array<int, 2>{id(0), id(1)}));
            const auto [first, last] = edges.equal_range(sorted(std::array<int, 2>{id(2), id(3)}));
            for (auto a = begin; a != end; ++a)
                for (auto b = first; b != last; ++b)
                    of_edges_.push_back({std::min(a->second, b->second), std::max(a->second, b->second)});
        }
    }

    bool is_flat_ = false;
    Rows<1> vertices_;
    Rows<2> edges_;
    Rows<3> faces_;
    std::array<std::vector<Box>, 3> boxes_;
    Rows<2> of_faces_, of_edges_; // face and vertex; two edges
};

class NarrowPhaseCCD : public ipc::NarrowPhaseCCD {
  public:
    bool point_point_ccd(Eigen::ConstRef<ipc::VectorMax3d> p0_t0, Eigen::ConstRef<ipc::VectorMax3d> p1_t0,
                         Eigen::ConstRef<ipc::VectorMax3d> p0_t1, Eigen::ConstRef<ipc::VectorMax3d> p1_t1, double &toi,
                         const double min_distance = 0.0, const double tmax = 1.0) const override {
        return find(TOC_EE, {p0_t0, p0_t0, p1_t0, p1_t0}, {p0_t1, p0_t1, p1_t1, p1_t1}, toi, min_distance, tmax);
    }
    bool point_edge_ccd(Eigen::ConstRef<ipc::VectorMax3d> p_t0, Eigen::ConstRef<ipc::VectorMax3d> e0_t0,
                        Eigen::ConstRef<ipc::VectorMax3d> e1_t0, Eigen::ConstRef<ipc::VectorMax3d> p_t1,
                        Eigen::ConstRef<ipc::VectorMax3d> e0_t1, Eigen::ConstRef<ipc::VectorMax3d> e1_t1, double &toi,
                        const double min_distance = 0.0, const double tmax = 1.0) const override {
        return find(TOC_EE, {p_t0, p_t0, e0_t0, e1_t0}, {p_t1, p_t1, e0_t1, e1_t1}, toi, min_distance, tmax);
    }
    bool point_triangle_ccd(Eigen::ConstRef<Eigen::Vector3d> p_t0, Eigen::ConstRef<Eigen::Vector3d> t0_t0,
                            Eigen::ConstRef<Eigen::Vector3d> t1_t0, Eigen::ConstRef<Eigen::Vector3d> t2_t0,
                            Eigen::ConstRef<Eigen::Vector3d> p_t1, Eigen::ConstRef<Eigen::Vector3d> t0_t1,
                            Eigen::ConstRef<Eigen::Vector3d> t1_t1, Eigen::ConstRef<Eigen::Vector3d> t2_t1, double &toi,
                            const double min_distance = 0.0, const double tmax = 1.0) const override {
        return find(TOC_VF, {p_t0, t0_t0, t1_t0, t2_t0}, {p_t1, t0_t1, t1_t1, t2_t1}, toi, min_distance, tmax);
    }
    bool edge_edge_ccd(Eigen::ConstRef<Eigen::Vector3d> ea0_t0, Eigen::ConstRef<Eigen::Vector3d> ea1_t0,
                       Eigen::ConstRef<Eigen::Vector3d> eb0_t0, Eigen::ConstRef<Eigen::Vector3d> eb1_t0,
                       Eigen::ConstRef<Eigen::Vector3d> ea0_t1, Eigen::ConstRef<Eigen::Vector3d> ea1_t1,
                       Eigen::ConstRef<Eigen::Vector3d> eb0_t1, Eigen::ConstRef<Eigen::Vector3d> eb1_t1, double &toi,
                       const double min_distance = 0.0, const double tmax = 1.0) const override {
        return find(TOC_EE, {ea0_t0, ea1_t0, eb0_t0, eb1_t0}, {ea0_t1, ea1_t1, eb0_t1, eb1_t1}, toi, min_distance,
                    tmax);
    }

  private:
    static bool find(toc_kind kind, const std::array<ipc::VectorMax3d, 4> &x0,
                     const std::array<ipc::VectorMax3d, 4> &x1, double &toi, double min_distance, double tmax) {
        toc_pair pair{};
        for (size_t i = 0; i < 4; i++)
            for (Eigen::Index k = 0; k < x0[i].size(); k++) {
                pair.x0[i][k] = x0[i][k];
                pair.x1[i][k] = x1[i][k];
            }
        toc_pair_test test = toc_pair_test_default();
        test.separation = min_distance;
        test.to = tmax;
        toc_hit hit;
        check(toc_pair_find(kind, &pair, &test, &hit));
        if (hit.verdict == TOC_APART) return false;
        toi = hit.toc;
        return true;
    }
};

} // namespace toccata::ipctk

#endif
