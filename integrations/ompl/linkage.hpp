// SPDX-License-Identifier: Apache-2.0
/// Robots for toccata_ompl.hpp: rigid, articulated and flexible bodies, on the ground or moving freely.
#ifndef TOCCATA_INTEGRATIONS_LINKAGE_HPP
#define TOCCATA_INTEGRATIONS_LINKAGE_HPP

#include <array>
#include <stdexcept>

#include <ompl/base/spaces/SE3StateSpace.h>

#include "toccata_ompl.hpp"

namespace toccata::planning {

inline double length(const double *x) { return std::sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]); }

/// A rotation and a shift.
struct Frame {
    std::array<double, 9> turn{1, 0, 0, 0, 1, 0, 0, 0, 1};
    std::array<double, 3> at{};

    /// @param axis a unit vector.
    static Frame turning(const std::array<double, 3> &axis, double angle) {
        const double c = std::cos(angle), s = std::sin(angle), d = 1 - c;
        const auto [x, y, z] = axis;
        return {{c + d * x * x, d * x * y - s * z, d * x * z + s * y, //
                 d * x * y + s * z, c + d * y * y, d * y * z - s * x, //
                 d * x * z - s * y, d * y * z + s * x, c + d * z * z},
                {}};
    }
    static Frame sliding(const std::array<double, 3> &axis, double way) {
        Frame f;
        for (std::size_t k = 0; k < 3; k++) f.at[k] = way * axis[k];
        return f;
    }
    static Frame of(const base::SE3StateSpace::StateType &state) {
        const auto &q = state.rotation();
        const double vector[] = {q.x, q.y, q.z}, sine = length(vector);
        Frame f;
        if (sine > 0) f = turning({q.x / sine, q.y / sine, q.z / sine}, 2 * std::atan2(sine, q.w));
        f.at = {state.getX(), state.getY(), state.getZ()};
        return f;
    }
    std::array<double, 3> operator()(const double *x) const {
        std::array<double, 3> y = at;
        for (std::size_t r = 0; r < 3; r++)
            for (std::size_t k = 0; k < 3; k++) y[r] += turn[3 * r + k] * x[k];
        return y;
    }
    /// First the inner one, then this one.
    Frame operator*(const Frame &inner) const {
        Frame f{{}, (*this)(inner.at.data())};
        for (std::size_t r = 0; r < 3; r++)
            for (std::size_t c = 0; c < 3; c++)
                for (std::size_t k = 0; k < 3; k++) f.turn[3 * r + c] += turn[3 * r + k] * inner.turn[3 * k + c];
        return f;
    }
};

/// The bounds of a body with these bounds in its own frame that moves between two states of SE(3).
inline Bounds moved(const Bounds &inner, const base::SE3StateSpace::StateType &from,
                    const base::SE3StateSpace::StateType &to) {
    static constexpr double none = 1e-4; // SO3StateSpace takes turns below 9e-5 for none until their end
    const auto &a = from.rotation(), &b = to.rotation();
    const double dot = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
    const double cross[] = {a.w * b.x - a.x * b.w + a.z * b.y - a.y * b.z,
                            a.w * b.y - a.y * b.w + a.x * b.z - a.z * b.x,
                            a.w * b.z - a.z * b.w + a.y * b.x - a.x * b.y};
    const double angle = 2 * std::atan2(length(cross), std::fabs(dot));
    const double here[] = {from.getX(), from.getY(), from.getZ()}, there[] = {to.getX(), to.getY(), to.getZ()};
    const double way[] = {there[0] - here[0], there[1] - here[1], there[2] - here[2]};
    Bounds outer = inner.turned(angle).shifted(std::max(length(here), length(there)), length(way));
    if (angle < none) outer.jump += angle * inner.reach;
    return outer;
}

/// The joint between a link and its parent; its value is a coordinate of the state.
enum class Joint { fixed, revolute, prismatic };

/// Parents of links that are no links.
enum : int {
    on_base = -1,  ///< The part of the robot that moves freely, where there is one.
    on_ground = -2 ///< The place where the robot is.
};

/// A body of a Linkage: triangles in a frame of its own.
struct Link {
    std::vector<double> rest; ///< 3 doubles for each vertex.
    std::vector<std::uint32_t> triangles;
    int parent = on_base; ///< An earlier link, the base or the ground.
    Joint joint = Joint::fixed;
    std::array<double, 3> origin{};         ///< Of its frame, in that of the parent.
    std::array<double, 3> axis{0, 0, 1};    ///< Of the joint, a unit vector.
    double low = -1, high = 1;              ///< Limits of the joint.
    std::vector<std::vector<double>> modes; ///< Displacements of all vertices, each with a coordinate from -1 to 1.
    bool touches_itself = true;             ///< Whether a link with modes must not touch itself.
};

/// A robot of rigid or flexible links in a tree.
class Linkage : public Robot {
  public:
    /// @param free whether the base moves; the state then begins with a state of SE(3). Links may touch their parents.
    explicit Linkage(std::vector<Link> links, bool free = true) : links_(std::move(links)), free_(free) {
        for (std::size_t i = 0; i < links_.size(); i++) {
            const Link &link = links_[i];
            if (link.parent < on_ground || link.parent >= static_cast<int>(i))
                throw std::invalid_argument("the parent of a link is an earlier one, on_base or on_ground");
            if (std::fabs(length(link.axis.data()) - 1) > 1e-9)
                throw std::invalid_argument("the axis of a joint is no unit vector");
            for (const auto &mode : link.modes)
                if (mode.size() != link.rest.size())
                    throw std::invalid_argument("a mode has as many doubles as the vertices of its link");
            first_.push_back(coordinates_);
            coordinates_ += (link.joint != Joint::fixed) + link.modes.size();
        }
    }

    /// The state space: SE(3) if the base moves, coordinates of joints and modes link by link, or both in this order.
    /// @param room of the base, in x, y and z.
    base::StateSpacePtr space(const base::RealVectorBounds &room = base::RealVectorBounds(3)) const {
        auto inner = std::make_shared<base::RealVectorStateSpace>();
        for (const Link &link : links_) {
            if (link.joint != Joint::fixed) inner->addDimension(link.low, link.high);
            for (std::size_t m = 0; m < link.modes.size(); m++) inner->addDimension(-1, 1);
        }
        if (!free_) return inner;
        auto body = std::make_shared<base::SE3StateSpace>();
        body->setBounds(room);
        if (coordinates_ == 0) return body;
        auto both = std::make_shared<base::CompoundStateSpace>();
        both->addSubspace(body, 1);
        both->addSubspace(inner, 1);
        both->lock();
        return both;
    }
    /// The state of the base.
    const base::SE3StateSpace::StateType &body(const base::State *state) const {
        return coordinates_ ? *state->as<base::CompoundState>()->as<base::SE3StateSpace::StateType>(0)
                            : *state->as<base::SE3StateSpace::StateType>();
    }
    base::SE3StateSpace::StateType &body(base::State *state) const {
        return const_cast<base::SE3StateSpace::StateType &>(body(static_cast<const base::State *>(state)));
    }
    /// Coordinates of joints and modes.
    const double *coordinates(const base::State *state) const {
        if (coordinates_ == 0) return nullptr;
        const base::State *own = free_ ? (*state->as<base::CompoundState>())[1] : state;
        return own->as<base::RealVectorStateSpace::StateType>()->values;
    }
    double *coordinates(base::State *state) const {
        return const_cast<double *>(coordinates(static_cast<const base::State *>(state)));
    }

    std::vector<Mesh> bodies() const override {
        std::vector<Mesh> meshes;
        for (const Link &link : links_) meshes.emplace_back(link.rest, TOC_TRIANGLE, link.triangles);
        return meshes;
    }
    /// The place of each link.
    std::vector<Frame> frames(const base::State *state) const {
        std::vector<Frame> all;
        for (std::size_t i = 0; i < links_.size(); i++) {
            const int parent = links_[i].parent;
            const Frame below = parent >= 0                  ? all[static_cast<std::size_t>(parent)]
                                : free_ && parent == on_base ? Frame::of(body(state))
                                                             : Frame();
            all.push_back(below * joined(links_[i], coordinates(state) + first_[i]));
        }
        return all;
    }
    void place(const base::State *state, double *x) const override {
        const std::vector<Frame> places = frames(state);
        shape(state, x);
        for (std::size_t i = 0; i < links_.size(); i++)
            for (const double *end = x + links_[i].rest.size(); x != end; x += 3) {
                const auto at = places[i](x);
                std::copy(at.begin(), at.end(), x);
            }
    }
    void shape(const base::State *state, double *x) const override {
        for (std::size_t i = 0; i < links_.size(); i++) {
            const double *weights = mode_weights(i, coordinates(state));
            for (std::size_t k = 0; k < links_[i].rest.size(); k++) *x++ = flexed(links_[i], weights, k);
        }
    }
    std::vector<Bounds> bounds(const base::State *from, const base::State *to) const override {
        const double *q0 = coordinates(from), *q1 = coordinates(to);
        std::vector<Bounds> all;
        for (std::size_t i = 0; i < links_.size(); i++) {
            Bounds b = flexed(links_[i], mode_weights(i, q0), mode_weights(i, q1));
            auto k = static_cast<int>(i);
            for (; k >= 0; k = links_[static_cast<std::size_t>(k)].parent) {
                const auto at = static_cast<std::size_t>(k);
                b = through(links_[at], b, q0 + first_[at], q1 + first_[at]);
            }
            all.push_back(free_ && k == on_base ? moved(b, body(from), body(to)) : b);
        }
        return all;
    }
    bool ignores(std::size_t a, std::size_t b) const override {
        const Link &low = links_[std::min(a, b)], &high = links_[std::max(a, b)];
        const bool still = low.parent == high.parent && is_fixed(low) && is_fixed(high);
        return still || high.parent == static_cast<int>(std::min(a, b));
    }
    bool has_modes(std::size_t link) const { return !links_[link].modes.empty(); }
    bool flexes(std::size_t link) const override { return has_modes(link) && links_[link].touches_itself; }

  private:
    std::vector<Link> links_;
    std::vector<std::size_t> first_; // coordinate of each link
    bool free_;
    std::size_t coordinates_ = 0;

    static bool is_fixed(const Link &link) { return link.joint == Joint::fixed && link.modes.empty(); }
    const double *mode_weights(std::size_t link, const double *q) const {
        return q + first_[link] + (links_[link].joint != Joint::fixed);
    }
    static Frame joined(const Link &link, const double *q) {
        Frame f = link.joint == Joint::revolute    ? Frame::turning(link.axis, *q)
                  : link.joint == Joint::prismatic ? Frame::sliding(link.axis, *q)
                                                   : Frame();
        for (std::size_t k = 0; k < 3; k++) f.at[k] += link.origin[k];
        return f;
    }
    static double flexed(const Link &link, const double *weights, std::size_t k) {
        double x = link.rest[k];
        for (std::size_t m = 0; m < link.modes.size(); m++) x += weights[m] * link.modes[m][k];
        return x;
    }
    // In the frame of the link itself: straight paths.
    static Bounds flexed(const Link &link, const double *w0, const double *w1) {
        Bounds b;
        for (std::size_t i = 0; i < link.rest.size(); i += 3) {
            double x0[3], x1[3], way[3];
            for (std::size_t k = 0; k < 3; k++) {
                x0[k] = flexed(link, w0, i + k), x1[k] = flexed(link, w1, i + k);
                way[k] = x1[k] - x0[k];
            }
            b.reach = std::max({b.reach, length(x0), length(x1)});
            b.speed = std::max(b.speed, length(way));
        }
        return b;
    }
    // From the frame of a link to that of its parent.
    static Bounds through(const Link &link, const Bounds &b, const double *q0, const double *q1) {
        const double out = length(link.origin.data());
        if (link.joint == Joint::revolute) return b.turned(std::fabs(*q1 - *q0)).shifted(out);
        if (link.joint == Joint::prismatic)
            return b.shifted(out + std::max(std::fabs(*q0), std::fabs(*q1)), std::fabs(*q1 - *q0));
        return b.shifted(out);
    }
};

} // namespace toccata::planning

#endif
