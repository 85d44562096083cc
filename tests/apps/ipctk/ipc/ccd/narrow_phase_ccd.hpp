// SPDX-License-Identifier: Apache-2.0
// As ipc/broad_phase/broad_phase.hpp of this folder.
#ifndef TEST_IPC_NARROW_PHASE_CCD_HPP
#define TEST_IPC_NARROW_PHASE_CCD_HPP

#include <ipc/broad_phase/broad_phase.hpp>

namespace ipc {

class NarrowPhaseCCD {
  public:
    NarrowPhaseCCD() = default;
    virtual ~NarrowPhaseCCD() = default;
    virtual bool point_point_ccd(Eigen::ConstRef<VectorMax3d>, Eigen::ConstRef<VectorMax3d>,
                                 Eigen::ConstRef<VectorMax3d>, Eigen::ConstRef<VectorMax3d>, double &toi,
                                 const double min_distance = 0.0, const double tmax = 1.0) const = 0;
    virtual bool point_edge_ccd(Eigen::ConstRef<VectorMax3d>, Eigen::ConstRef<VectorMax3d>,
                                Eigen::ConstRef<VectorMax3d>, Eigen::ConstRef<VectorMax3d>,
                                Eigen::ConstRef<VectorMax3d>, Eigen::ConstRef<VectorMax3d>, double &toi,
                                const double min_distance = 0.0, const double tmax = 1.0) const = 0;
    virtual bool point_triangle_ccd(Eigen::ConstRef<Eigen::Vector3d>, Eigen::ConstRef<Eigen::Vector3d>,
                                    Eigen::ConstRef<Eigen::Vector3d>, Eigen::ConstRef<Eigen::Vector3d>,
                                    Eigen::ConstRef<Eigen::Vector3d>, Eigen::ConstRef<Eigen::Vector3d>,
                                    Eigen::ConstRef<Eigen::Vector3d>, Eigen::ConstRef<Eigen::Vector3d>, double &toi,
                                    const double min_distance = 0.0, const double tmax = 1.0) const = 0;
    virtual bool edge_edge_ccd(Eigen::ConstRef<Eigen::Vector3d>, Eigen::ConstRef<Eigen::Vector3d>,
                               Eigen::ConstRef<Eigen::Vector3d>, Eigen::ConstRef<Eigen::Vector3d>,
                               Eigen::ConstRef<Eigen::Vector3d>, Eigen::ConstRef<Eigen::Vector3d>,
                               Eigen::ConstRef<Eigen::Vector3d>, Eigen::ConstRef<Eigen::Vector3d>, double &toi,
                               const double min_distance = 0.0, const double tmax = 1.0) const = 0;
};

} // namespace ipc

#endif
