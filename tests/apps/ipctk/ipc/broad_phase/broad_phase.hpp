// SPDX-License-Identifier: Apache-2.0
// What the adapter uses of the IPC Toolkit, written anew for its test: the toolkit is no package of Debian. Names,
// signatures and the behaviour of the base class are those of its public sources: version 1.4, or 1.5 to 2.0 with
// TEST_IPC_BOXES.
#ifndef TEST_IPC_BROAD_PHASE_HPP
#define TEST_IPC_BROAD_PHASE_HPP

#include <Eigen/Core>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace Eigen {
template <class T> using ConstRef = const Ref<const T> &;
} // namespace Eigen

namespace ipc {

using VectorMax3d = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, 3, 1>;

#ifdef TEST_IPC_BOXES
using index_t = int32_t;
using Corner = Eigen::Array3d;

/// A filter that is a class of its own since version 1.6.
class Filter {
  public:
    Filter() = default;
    template <class F> Filter &operator=(F f) {
        function_ = f;
        return *this;
    }
    bool operator()(size_t i, size_t j) const { return !function_ || function_(i, j); }

  private:
    std::function<bool(size_t, size_t)> function_;
};
#else
using index_t = long;
using Corner = Eigen::Array<double, Eigen::Dynamic, 1, Eigen::ColMajor, 3, 1>;
#endif

struct VertexVertexCandidate {
    VertexVertexCandidate(index_t a, index_t b) : vertex0_id(a), vertex1_id(b) {}
    index_t vertex0_id, vertex1_id;
};
struct EdgeVertexCandidate {
    EdgeVertexCandidate(index_t a, index_t b) : edge_id(a), vertex_id(b) {}
    index_t edge_id, vertex_id;
};
struct EdgeEdgeCandidate {
    EdgeEdgeCandidate(index_t a, index_t b) : edge0_id(a), edge1_id(b) {}
    index_t edge0_id, edge1_id;
};
struct FaceVertexCandidate {
    FaceVertexCandidate(index_t a, index_t b) : face_id(a), vertex_id(b) {}
    index_t face_id, vertex_id;
};
struct EdgeFaceCandidate {
    EdgeFaceCandidate(index_t a, index_t b) : edge_id(a), face_id(b) {}
    index_t edge_id, face_id;
};
struct FaceFaceCandidate {
    FaceFaceCandidate(index_t a, index_t b) : face0_id(a), face1_id(b) {}
    index_t face0_id, face1_id;
};

/// What a step has candidates of; in the plane only vertices and edges.
struct Candidates {
    std::vector<EdgeVertexCandidate> ev_candidates;
    std::vector<EdgeEdgeCandidate> ee_candidates;
    std::vector<FaceVertexCandidate> fv_candidates;
};

struct AABB {
    AABB(const Corner &low, const Corner &high) : min(low), max(high) {}
    bool intersects(const AABB &other) const { return (min <= other.max).all() && (other.min <= max).all(); }
    Corner min, max;
    std::array<index_t, 3> vertex_ids{{-1, -1, -1}};
};
using AABBs = std::vector<AABB>;

class BroadPhase {
  public:
    virtual ~BroadPhase() { clear(); }
    virtual std::string name() const = 0;

    virtual void build(Eigen::ConstRef<Eigen::MatrixXd> vertices, Eigen::ConstRef<Eigen::MatrixXi> edges,
                       Eigen::ConstRef<Eigen::MatrixXi> faces, const double inflation_radius = 0) {
        build(vertices, vertices, edges, faces, inflation_radius);
    }
    virtual void build(Eigen::ConstRef<Eigen::MatrixXd> vertices_t0, Eigen::ConstRef<Eigen::MatrixXd> vertices_t1,
                       Eigen::ConstRef<Eigen::MatrixXi> edges, Eigen::ConstRef<Eigen::MatrixXi> faces,
                       const double inflation_radius = 0) {
        clear();
        for (Eigen::Index i = 0; i < vertices_t0.rows(); i++) {
            const Corner x = corner_of(vertices_t0, i), y = corner_of(vertices_t1, i);
            add_box(AABB(x.min(y) - inflation_radius, x.max(y) + inflation_radius), {i, -1, -1}, vertex_boxes);
        }
        finish(edges, faces, vertices_t0.cols());
    }
#ifdef TEST_IPC_BOXES
    virtual void build(const AABBs &boxes, Eigen::ConstRef<Eigen::MatrixXi> edges,
                       Eigen::ConstRef<Eigen::MatrixXi> faces, const uint8_t dimension) {
        clear();
        vertex_boxes = boxes;
        finish(edges, faces, dimension);
    }
    virtual void detect_collision_candidates(Candidates &candidates) const {
        assert(dim == 2 || dim == 3);
        detect(dim, candidates);
    }
#else
    virtual void detect_collision_candidates(int dimension, Candidates &candidates) const {
        detect(dimension, candidates);
    }
#endif
    virtual void clear() {
        vertex_boxes.clear();
        edge_boxes.clear();
        face_boxes.clear();
        dim = 0;
    }

    virtual void detect_vertex_vertex_candidates(std::vector<VertexVertexCandidate> &candidates) const = 0;
    virtual void detect_edge_vertex_candidates(std::vector<EdgeVertexCandidate> &candidates) const = 0;
    virtual void detect_edge_edge_candidates(std::vector<EdgeEdgeCandidate> &candidates) const = 0;
    virtual void detect_face_vertex_candidates(std::vector<FaceVertexCandidate> &candidates) const = 0;
    virtual void detect_edge_face_candidates(std::vector<EdgeFaceCandidate> &candidates) const = 0;
    virtual void detect_face_face_candidates(std::vector<FaceFaceCandidate> &candidates) const = 0;

#ifdef TEST_IPC_BOXES
    Filter can_vertices_collide;
#else
    std::function<bool(size_t, size_t)> can_vertices_collide = [](size_t, size_t) { return true; };
#endif

  protected:
    virtual bool can_edge_vertex_collide(size_t ei, size_t vi) const {
        return may(edge_boxes[ei].vertex_ids, {static_cast<index_t>(vi), -1, -1});
    }
    virtual bool can_edges_collide(size_t eai, size_t ebi) const {
        return may(edge_boxes[eai].vertex_ids, edge_boxes[ebi].vertex_ids);
    }
    virtual bool can_face_vertex_collide(size_t fi, size_t vi) const {
        return may(face_boxes[fi].vertex_ids, {static_cast<index_t>(vi), -1, -1});
    }
    virtual bool can_edge_face_collide(size_t ei, size_t fi) const {
        return may(edge_boxes[ei].vertex_ids, face_boxes[fi].vertex_ids);
    }
    virtual bool can_faces_collide(size_t fai, size_t fbi) const {
        return may(face_boxes[fai].vertex_ids, face_boxes[fbi].vertex_ids);
    }

    AABBs vertex_boxes, edge_boxes, face_boxes;
    uint8_t dim = 0;

  private:
    using Ids = std::array<index_t, 3>;

    /// Whether no vertex is common, and one pair of vertices may meet.
    bool may(const Ids &a, const Ids &b) const {
        bool any = false;
        for (const index_t i : a)
            for (const index_t j : b) {
                if (i < 0 || j < 0) continue;
                if (i == j) return false;
                any = any || can_vertices_collide(static_cast<size_t>(i), static_cast<size_t>(j));
            }
        return any;
    }
    static Corner corner_of(Eigen::ConstRef<Eigen::MatrixXd> x, Eigen::Index i) {
        Corner corner = Corner::Zero(Corner::SizeAtCompileTime == 3 ? 3 : x.cols());
        for (Eigen::Index k = 0; k < x.cols(); k++) corner[k] = x(i, k);
        return corner;
    }
    static void add_box(AABB box, const std::array<Eigen::Index, 3> &ids, AABBs &to) {
        for (size_t k = 0; k < 3; k++) box.vertex_ids[k] = static_cast<index_t>(ids[k]);
        to.push_back(box);
    }
    void add_union(Eigen::ConstRef<Eigen::MatrixXi> rows, Eigen::Index i, AABBs &to) {
        std::array<Eigen::Index, 3> ids{-1, -1, -1};
        AABB box = vertex_boxes[static_cast<size_t>(rows(i, 0))];
        for (Eigen::Index k = 0; k < rows.cols(); k++) {
            const AABB &other = vertex_boxes[static_cast<size_t>(rows(i, k))];
            box.min = box.min.min(other.min).eval();
            box.max = box.max.max(other.max).eval();
            ids[static_cast<size_t>(k)] = rows(i, k);
        }
        add_box(box, ids, to);
    }
    void finish(Eigen::ConstRef<Eigen::MatrixXi> edges, Eigen::ConstRef<Eigen::MatrixXi> faces, Eigen::Index columns) {
        assert(!vertex_boxes.empty());
        for (Eigen::Index i = 0; i < edges.rows(); i++) add_union(edges, i, edge_boxes);
        for (Eigen::Index i = 0; i < faces.rows(); i++) add_union(faces, i, face_boxes);
        dim = static_cast<uint8_t>(columns);
    }
    void detect(int dimension, Candidates &candidates) const {
        if (dimension == 2) {
            detect_edge_vertex_candidates(candidates.ev_candidates);
            return;
        }
        detect_edge_edge_candidates(candidates.ee_candidates);
        detect_face_vertex_candidates(candidates.fv_candidates);
    }
};

} // namespace ipc

#endif
