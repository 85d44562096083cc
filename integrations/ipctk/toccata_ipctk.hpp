// SPDX-License-Identifier: Apache-2.0
/// Toccata below the IPC Toolkit, versions 1.4 to 2.0 (alpha): its broad phase and its narrow phase, one file to copy.
///
/// BroadPhase gives vertex-face and edge-edge candidates that come within twice the inflation radius during the step:
/// all of them, and no others, found by the trees and the certified tests of Toccata. The other kinds of candidates, of
/// meshes in the plane, of intersections, and of boxes that the caller gives, are pairs of boxes, as those of the
/// toolkit. NarrowPhaseCCD decides each question as toc_pair_find does: no contact is missed, and a time is never later
/// than the true one. A failure throws toccata::Error.
#ifndef TOCCATA_IPCTK_HPP
#define TOCCATA_IPCTK_HPP

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <ipc/broad_phase/broad_phase.hpp>
#include <ipc/ccd/narrow_phase_ccd.hpp>

#include "toccata/toccata.hpp"

namespace toccata::ipctk {

class BroadPhase : public ipc::BroadPhase {
  public:
    std::string name() const override { return "Toccata"; }

    using ipc::BroadPhase::build; // since version 1.5 also from boxes of vertices

    void build(Eigen::ConstRef<Eigen::MatrixXd> vertices, Eigen::ConstRef<Eigen::MatrixXi> edges,
               Eigen::ConstRef<Eigen::MatrixXi> faces, const double inflation_radius = 0) override {
        build(vertices, vertices, edges, faces, inflation_radius);
    }

    void build(Eigen::ConstRef<Eigen::MatrixXd> vertices_t0, Eigen::ConstRef<Eigen::MatrixXd> vertices_t1,
               Eigen::ConstRef<Eigen::MatrixXi> edges, Eigen::ConstRef<Eigen::MatrixXi> faces,
               const double inflation_radius = 0) override {
        clear();
        if (vertices_t0.rows() == 0) return;
        ipc::BroadPhase::build(vertices_t0, vertices_t1, edges, faces, inflation_radius); // boxes, and the dimension
        if (vertices_t0.cols() != 3) return;
        find_contacts({positions_of(vertices_t0), positions_of(vertices_t1), rows_of<2>(edges), rows_of<3>(faces)},
                      2 * inflation_radius);
        is_decided_ = true;
    }

    void clear() override {
        ipc::BroadPhase::clear();
        is_decided_ = false;
        of_faces_.clear();
        of_edges_.clear();
    }

    void detect_face_vertex_candidates(std::vector<ipc::FaceVertexCandidate> &candidates) const override {
        const auto may = [this](size_t face, size_t vertex) { return can_face_vertex_collide(face, vertex); };
        if (is_decided_)
            keep(of_faces_, may, candidates);
        else
            sweep(face_boxes, vertex_boxes, may, candidates);
    }

    void detect_edge_edge_candidates(std::vector<ipc::EdgeEdgeCandidate> &candidates) const override {
        const auto may = [this](size_t a, size_t b) { return can_edges_collide(a, b); };
        if (is_decided_)
            keep(of_edges_, may, candidates);
        else
            sweep(edge_boxes, edge_boxes, may, candidates);
    }

    void detect_vertex_vertex_candidates(std::vector<ipc::VertexVertexCandidate> &candidates) const override {
        sweep(
            vertex_boxes, vertex_boxes, [this](size_t a, size_t b) { return can_vertices_collide(a, b); }, candidates);
    }
    void detect_edge_vertex_candidates(std::vector<ipc::EdgeVertexCandidate> &candidates) const override {
        sweep(
            edge_boxes, vertex_boxes, [this](size_t e, size_t v) { return can_edge_vertex_collide(e, v); }, candidates);
    }
    void detect_edge_face_candidates(std::vector<ipc::EdgeFaceCandidate> &candidates) const override {
        sweep(
            edge_boxes, face_boxes, [this](size_t e, size_t f) { return can_edge_face_collide(e, f); }, candidates);
    }
    void detect_face_face_candidates(std::vector<ipc::FaceFaceCandidate> &candidates) const override {
        sweep(
            face_boxes, face_boxes, [this](size_t a, size_t b) { return can_faces_collide(a, b); }, candidates);
    }

  private:
    template <size_t N> using Rows = std::vector<std::array<int, N>>;

    struct Step {
        std::vector<double> x0, x1;
        Rows<2> edges;
        Rows<3> faces;
    };

    template <size_t N> static Rows<N> rows_of(Eigen::ConstRef<Eigen::MatrixXi> matrix) {
        Rows<N> rows(static_cast<size_t>(matrix.rows()));
        for (Eigen::Index i = 0; i < matrix.rows(); i++)
            for (size_t k = 0; k < N; k++) rows[static_cast<size_t>(i)][k] = matrix(i, static_cast<Eigen::Index>(k));
        return rows;
    }

    static std::vector<double> positions_of(Eigen::ConstRef<Eigen::MatrixXd> vertices) {
        std::vector<double> x;
        for (Eigen::Index i = 0; i < vertices.rows(); i++)
            for (Eigen::Index k = 0; k < 3; k++) x.push_back(vertices(i, k));
        return x;
    }

    template <class May, class Candidate>
    static void keep(const Rows<2> &pairs, const May &may, std::vector<Candidate> &candidates) {
        candidates.clear();
        for (const auto &[a, b] : pairs)
            if (may(static_cast<size_t>(a), static_cast<size_t>(b))) candidates.emplace_back(a, b);
    }

    /// Ids of boxes along the first axis.
    template <class Boxes> static std::vector<int> order_of(const Boxes &boxes) {
        std::vector<int> ids(boxes.size());
        std::iota(ids.begin(), ids.end(), 0);
        std::sort(ids.begin(), ids.end(), [&boxes](int a, int b) {
            return boxes[static_cast<size_t>(a)].min[0] < boxes[static_cast<size_t>(b)].min[0];
        });
        return ids;
    }

    /// Pairs of boxes that overlap, along the first axis; each pair once where both lists are the same.
    template <class Boxes, class May, class Candidate>
    static void sweep(const Boxes &a, const Boxes &b, const May &may, std::vector<Candidate> &candidates) {
        const bool same = &a == &b;
        candidates.clear();
        const auto take = [&](int i, int j) {
            if (same && i > j) std::swap(i, j);
            const auto s = static_cast<size_t>(i), t = static_cast<size_t>(j);
            if (a[s].intersects(b[t]) && may(s, t)) candidates.emplace_back(i, j);
        };
        const std::vector<int> of_a = order_of(a), of_b = same ? std::vector<int>() : order_of(b);
        const auto low = [](const Boxes &boxes, int i) { return boxes[static_cast<size_t>(i)].min[0]; };
        const auto high = [](const Boxes &boxes, int i) { return boxes[static_cast<size_t>(i)].max[0]; };
        size_t i = 0, j = 0;
        if (same) {
            for (; i < of_a.size(); i++)
                for (size_t k = i + 1; k < of_a.size() && low(a, of_a[k]) <= high(a, of_a[i]); k++)
                    take(of_a[i], of_a[k]);
            return;
        }
        while (i < of_a.size() && j < of_b.size()) {
            if (low(a, of_a[i]) <= low(b, of_b[j])) {
                for (size_t k = j; k < of_b.size() && low(b, of_b[k]) <= high(a, of_a[i]); k++) take(of_a[i], of_b[k]);
                i++;
            } else {
                for (size_t k = i; k < of_a.size() && low(a, of_a[k]) <= high(b, of_b[j]); k++) take(of_a[k], of_b[j]);
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
    static void fill_mesh(toc_mesh *mesh, const Step &step) {
        const size_t count = step.x0.size() / 3;
        std::vector<bool> used(count);
        std::map<std::array<int, 2>, bool> of_faces;
        Rows<2> loose;
        Rows<1> alone;
        for (const auto &f : step.faces)
            for (size_t k = 0; k < 3; k++) {
                used[static_cast<size_t>(f[k])] = true;
                of_faces[sorted(std::array<int, 2>{f[k], f[(k + 1) % 3]})] = true;
            }
        for (const auto &e : step.edges) {
            for (const int v : e) used[static_cast<size_t>(v)] = true;
            if (of_faces.count(sorted(e)) == 0) loose.push_back(e);
        }
        for (size_t v = 0; v < count; v++)
            if (!used[v]) alone.push_back({static_cast<int>(v)});
        check(toc_mesh_add_vertices(mesh, count, step.x0.data(), nullptr));
        add_elements(mesh, TOC_TRIANGLE, step.faces);
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

    void find_contacts(const Step &step, double separation) {
        toc_mesh *mesh = nullptr;
        check(toc_mesh_create(nullptr, &mesh));
        std::unique_ptr<toc_mesh, Destroy> owner(mesh);
        toc_scene *made = nullptr;
        fill_mesh(mesh, step);
        check(toc_mesh_set_motion(mesh, step.x0.size() / 3, step.x0.data(), step.x1.data()));
        check(toc_scene_create(nullptr, &made));
        std::unique_ptr<toc_scene, Destroy> scene(made);
        check(toc_scene_add_body(scene.get(), mesh, nullptr));
        owner.release(); // the scene's now
        toc_query query = toc_query_default();
        query.test.separation = separation;
        toc_contacts *found = nullptr;
        check(toc_scene_find_contacts(scene.get(), &query, nullptr, &found));
        std::unique_ptr<toc_contacts, Destroy> contacts(found);
        const auto faces = index_of(step.faces);
        const auto edges = index_of(step.edges);
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

    bool is_decided_ = false;     // whether the two lists are those of the step
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
