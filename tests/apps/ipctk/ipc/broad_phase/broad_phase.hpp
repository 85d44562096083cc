// SPDX-License-Identifier: Apache-2.0
// The names of the IPC Toolkit that the adapter uses, declared anew for its test: the toolkit is no package of Debian.
#ifndef TEST_IPC_BROAD_PHASE_HPP
#define TEST_IPC_BROAD_PHASE_HPP

#include <Eigen/Core>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace Eigen {
template <class T> using ConstRef = const Ref<const T> &;
} // namespace Eigen

namespace ipc {

using index_t = int;
using VectorMax3d = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, 3, 1>;

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

class BroadPhase {
  public:
    virtual ~BroadPhase() = default;
    virtual std::string name() const = 0;
    virtual void build(Eigen::ConstRef<Eigen::MatrixXd> vertices, Eigen::ConstRef<Eigen::MatrixXi> edges,
                       Eigen::ConstRef<Eigen::MatrixXi> faces, const double inflation_radius = 0) = 0;
    virtual void build(Eigen::ConstRef<Eigen::MatrixXd> vertices_t0, Eigen::ConstRef<Eigen::MatrixXd> vertices_t1,
                       Eigen::ConstRef<Eigen::MatrixXi> edges, Eigen::ConstRef<Eigen::MatrixXi> faces,
                       const double inflation_radius = 0) = 0;
    virtual void clear() = 0;
    virtual void detect_vertex_vertex_candidates(std::vector<VertexVertexCandidate> &candidates) const = 0;
    virtual void detect_edge_vertex_candidates(std::vector<EdgeVertexCandidate> &candidates) const = 0;
    virtual void detect_edge_edge_candidates(std::vector<EdgeEdgeCandidate> &candidates) const = 0;
    virtual void detect_face_vertex_candidates(std::vector<FaceVertexCandidate> &candidates) const = 0;
    virtual void detect_edge_face_candidates(std::vector<EdgeFaceCandidate> &candidates) const = 0;
    virtual void detect_face_face_candidates(std::vector<FaceFaceCandidate> &candidates) const = 0;

    std::function<bool(size_t, size_t)> can_vertices_collide = [](size_t, size_t) { return true; };
};

} // namespace ipc

#endif
