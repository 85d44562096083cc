// SPDX-License-Identifier: Apache-2.0
/// Toccata in OMPL: a state validity checker and a motion validator. A path that a planner returns is proven free.
///
/// Vertices move on straight lines within a step of Toccata; those of a robot that turns do not. Every motion is cut
/// into parts whose straight lines stay within a bound of the true paths (Bounds), and each part keeps this bound as a
/// separation: a free part is free for the robot itself. A part that is not free is halved until its bound is a share
/// of the tolerance of the caller, so a motion that keeps the tolerance as its distance is never refused.
///
/// linkage.hpp has rigid, articulated and flexible robots.
#ifndef TOCCATA_INTEGRATIONS_OMPL_HPP
#define TOCCATA_INTEGRATIONS_OMPL_HPP

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include <ompl/base/MotionValidator.h>
#include <ompl/base/SpaceInformation.h>
#include <ompl/base/StateValidityChecker.h>
#include <ompl/geometric/PathGeometric.h>
#include <toccata/toccata.hpp>

namespace toccata::planning {

namespace base = ::ompl::base;

/// Bounds of the paths x(t) of vertices, 0 <= t <= 1, as seen from one frame.
struct Bounds {
    double reach = 0; ///< Of |x|.
    double speed = 0; ///< Of |x'|.
    double bend = 0;  ///< Of |x''|: straight lines between the ends of a part of length h are within bend h^2 / 8.
    double jump = 0;  ///< Of sudden moves, which state spaces make where they take a small turn for none.

    /// The same from a frame in which this one turns about its origin, at a constant rate.
    Bounds turned(double angle) const {
        return {reach, speed + angle * reach, bend + angle * (2 * speed + angle * reach), jump};
    }
    /// The same from a frame in which the origin of this one is at most so far out, and slides at a constant rate.
    Bounds shifted(double distance, double slide = 0) const { return {reach + distance, speed + slide, bend, jump}; }
};

/// All that moves when the state of a planner changes. Used by several threads at a time, so its functions are const.
class Robot {
  public:
    virtual ~Robot() = default;
    /// The bodies, at any place. Called once for each thread.
    virtual std::vector<Mesh> bodies() const = 0;
    /// The vertices of all bodies, body after body, in a state: 3 doubles each.
    virtual void place(const base::State *state, double *x) const = 0;
    /// Bounds for each body, of the paths of its vertices on the way between two states as the state space
    /// interpolates.
    virtual std::vector<Bounds> bounds(const base::State *from, const base::State *to) const = 0;
    /// Whether two different bodies may touch.
    virtual bool ignores(std::size_t, std::size_t) const { return false; }
    /// Whether a body changes its shape and must not touch itself.
    virtual bool flexes(std::size_t) const { return false; }
    /// As place, but each body in a frame of its own in which its vertices move on straight lines. Of bodies that flex.
    virtual void shape(const base::State *, double *) const {}
    /// Whether the robot can go this way at all: time does not go back, for example.
    virtual bool allows(const base::State *, const base::State *) const { return true; }
};

/// Questions about states and motions of a robot beside a world. Threads may share one: each takes scenes of its own.
class Checker {
  public:
    /// @param tolerance length, > 0: a motion is refused only if it comes closer than that to a contact. Motions on
    /// straight lines are decided exactly. @param world NULL for none.
    Checker(std::shared_ptr<const Robot> robot, std::shared_ptr<const World> world, double tolerance)
        : robot_(std::move(robot)), world_(std::move(world)), tolerance_(tolerance) {
        if (!(tolerance > 0)) throw std::invalid_argument("the tolerance of a Checker is positive");
    }

    /// No faces that touch or cross, no body inside of another. Exact for the vertices that Robot::place gives.
    bool is_valid(const base::State *state) const {
        const Lease lease(*this);
        Workspace &w = *lease.workspace;
        robot_->place(state, w.x1.data());
        std::fill(w.grown.begin(), w.grown.end(), 0.0);
        w.all.grow(w.grown);
        w.all.move(w.x1, w.x1);
        if (w.all.touches() || w.all.crosses()) return false;
        if (w.own.first.size() == 1) return true;
        w.take_shapes(*robot_, state, w.shape1);
        w.own.move(w.shape1, w.shape1);
        return !w.own.touches() && !w.own.crosses();
    }

    /// The part of a motion, 0 to 1, that is proven free, if the motion begins in a valid state.
    double free_part(const base::StateSpace &space, const base::State *from, const base::State *to) const {
        if (!robot_->allows(from, to)) return 0;
        const Lease lease(*this);
        Workspace &w = *lease.workspace;
        if (!keeps_shape_free(w, from, to)) return 0;
        Motion motion(space, from, to, robot_->bounds(from, to));
        robot_->place(from, w.x0.data());
        robot_->place(to, w.x1.data());
        motion.rounding = rounding * largest(w);
        const std::vector<double> end = w.x1;
        double proven = 0;
        advance(w, motion, 0, 1, end, proven);
        return proven;
    }
    /// Whether the whole motion is free.
    bool is_free(const base::StateSpace &space, const base::State *from, const base::State *to) const {
        return free_part(space, from, to) == 1;
    }
    /// Whether a path is free: its first state, and all motions between its states.
    bool is_free(const ::ompl::geometric::PathGeometric &path) const {
        const auto &space = *path.getSpaceInformation()->getStateSpace();
        if (path.getStateCount() == 0 || !is_valid(path.getState(0))) return false;
        for (unsigned i = 1; i < path.getStateCount(); i++)
            if (!is_free(space, path.getState(i - 1), path.getState(i))) return false;
        return true;
    }
    /// Steps of Toccata so far.
    std::uint64_t steps() const {
        const std::lock_guard<std::mutex> lock(mutex_);
        return steps_;
    }

  private:
    static constexpr double rounding = 0x1p-40; // of placed vertices, relative to the largest coordinate
    static constexpr double coarse = 4;         // times the bound that is enough: larger parts are halved unasked

    // Bodies and the questions to them.
    struct Bodies {
        Scene scene;
        Query query;
        std::vector<std::size_t> first{0}; // of each body, in doubles; then the end
        Contacts found;
        std::uint64_t steps = 0;

        Bodies() {
            query.threads = 1;
            query.answer = TOC_ANSWER_ANY;
        }
        void add(Mesh &&mesh, std::uint64_t layers, std::uint64_t mask, bool touches_itself) {
            first.push_back(first.back() + mesh.x0().size());
            const std::uint32_t body = scene.add(std::move(mesh));
            check(toc_scene_set_body_layers(scene.get(), body, layers, mask));
            check(toc_scene_set_self_contact(scene.get(), body, touches_itself));
        }
        void move(const std::vector<double> &from, const std::vector<double> &to) {
            for (std::size_t i = 0; i + 1 < first.size(); i++) {
                const std::size_t count = first[i + 1] - first[i];
                scene.mesh(static_cast<std::uint32_t>(i))
                    .set_motion(Span<const double>(from.data() + first[i], count),
                                Span<const double>(to.data() + first[i], count));
            }
        }
        // Grow bodies by a distance.
        void grow(const std::vector<double> &distances) {
            for (std::size_t i = 0; i < distances.size(); i++)
                check(toc_scene_set_body_thickness(scene.get(), static_cast<std::uint32_t>(i), 2 * distances[i]));
        }
        bool touches() {
            scene.contacts(query, found);
            steps++;
            return !found.empty();
        }
        bool crosses() const {
            return !scene.overlaps(TOC_AT_START, TOC_OVERLAPS_OF_FACES, query).empty() ||
                   !scene.containments(TOC_AT_START, query).empty();
        }
    };
    struct Workspace {
        Bodies all; // beside each other and the world
        Bodies own; // those that flex, beside themselves
        std::vector<std::size_t> flexing;
        std::vector<double> x0, x1, shape0, shape1;
        std::vector<double> grown; // bounds of a part, for each body
        double movers = 1;         // bodies of a pair that move: each can be off its straight path

        Workspace(const Robot &robot, const World *world) {
            std::vector<Mesh> bodies = robot.bodies(), copies = robot.bodies();
            if (bodies.size() > 63) throw std::invalid_argument("a robot has 63 bodies at most");
            for (std::size_t i = 0; i < bodies.size(); i++) {
                std::uint64_t mask = 1; // the layer of the world
                for (std::size_t k = 0; k < bodies.size(); k++)
                    if (k != i && !robot.ignores(i, k)) mask |= std::uint64_t{2} << k;
                if (mask != 1) movers = 2;
                all.add(std::move(bodies[i]), std::uint64_t{2} << i, mask, false);
                if (!robot.flexes(i)) continue;
                flexing.push_back(i);
                own.add(std::move(copies[i]), 1, 0, true);
            }
            if (world) all.scene.add(*world);
            grown.resize(bodies.size());
            x0.resize(all.first.back());
            x1.resize(all.first.back());
            shape0.resize(own.first.back());
            shape1.resize(own.first.back());
        }
        // Those of the bodies that flex.
        void take_shapes(const Robot &robot, const base::State *state, std::vector<double> &shapes) const {
            std::vector<double> every(x0.size());
            robot.shape(state, every.data());
            auto to = shapes.begin();
            for (const std::size_t i : flexing)
                to = std::copy(every.begin() + static_cast<std::ptrdiff_t>(all.first[i]),
                               every.begin() + static_cast<std::ptrdiff_t>(all.first[i + 1]), to);
        }
    };
    struct Motion {
        const base::StateSpace &space;
        const base::State *from, *to;
        std::vector<Bounds> bounds;
        base::State *between; // room for the places between the ends
        double most = 0;      // the largest bound of |x''|
        double rounding = 0;  // of placed vertices

        Motion(const base::StateSpace &of, const base::State *start, const base::State *end, std::vector<Bounds> paths)
            : space(of), from(start), to(end), bounds(std::move(paths)), between(of.allocState()) {
            for (const Bounds &b : bounds) most = std::max(most, b.bend);
        }
        Motion(const Motion &) = delete;
        Motion &operator=(const Motion &) = delete;
        ~Motion() { space.freeState(between); }
    };
    // A workspace while it is in use.
    struct Lease {
        const Checker &owner;
        std::unique_ptr<Workspace> workspace;
        explicit Lease(const Checker &checker) : owner(checker) {
            {
                const std::lock_guard<std::mutex> lock(owner.mutex_);
                if (!owner.idle_.empty()) {
                    workspace = std::move(owner.idle_.back());
                    owner.idle_.pop_back();
                }
            }
            if (!workspace) workspace = std::make_unique<Workspace>(*owner.robot_, owner.world_.get());
        }
        Lease(const Lease &) = delete;
        Lease &operator=(const Lease &) = delete;
        ~Lease() {
            const std::lock_guard<std::mutex> lock(owner.mutex_);
            for (Bodies *b : {&workspace->all, &workspace->own}) owner.steps_ += std::exchange(b->steps, 0);
            owner.idle_.push_back(std::move(workspace));
        }
    };

    std::shared_ptr<const Robot> robot_;
    std::shared_ptr<const World> world_;
    double tolerance_;
    mutable std::mutex mutex_;
    mutable std::vector<std::unique_ptr<Workspace>> idle_;
    mutable std::uint64_t steps_ = 0;

    static double largest(const Workspace &w) {
        double most = 0;
        for (const auto *x : {&w.x0, &w.x1})
            for (const double v : *x) most = std::max(most, std::fabs(v));
        return most;
    }
    bool keeps_shape_free(Workspace &w, const base::State *from, const base::State *to) const {
        if (w.flexing.empty()) return true;
        w.take_shapes(*robot_, from, w.shape0);
        w.take_shapes(*robot_, to, w.shape1);
        if (w.shape0 == w.shape1) return true;
        w.own.move(w.shape0, w.shape1);
        return !w.own.touches();
    }
    // Goes on from `low`, whose vertices are in w.x0, to `high`. On success they are those at `high`.
    bool advance(Workspace &w, Motion &m, double low, double high, const std::vector<double> &end,
                 double &proven) const {
        const double share = (high - low) * (high - low) / 8 * (1 + rounding);
        const double enough = tolerance_ / (2 * w.movers); // grown bodies, and as much for the true paths
        if (m.most * share <= coarse * enough) {
            for (std::size_t i = 0; i < w.grown.size(); i++)
                w.grown[i] = m.bounds[i].jump + (m.bounds[i].bend > 0 ? m.bounds[i].bend * share + m.rounding : 0);
            w.all.grow(w.grown);
            w.all.move(w.x0, end);
            if (!w.all.touches()) {
                w.x0 = end;
                proven = high;
                return true;
            }
            if (m.most * share <= enough) return false;
        }
        const double middle = (low + high) / 2;
        m.space.interpolate(m.from, m.to, middle, m.between);
        std::vector<double> half(w.x0.size());
        robot_->place(m.between, half.data());
        return advance(w, m, low, middle, half, proven) && advance(w, m, middle, high, end, proven);
    }
};

/// States that touch nothing.
class StateValidityChecker : public base::StateValidityChecker {
  public:
    StateValidityChecker(const base::SpaceInformationPtr &si, std::shared_ptr<const Checker> checker)
        : base::StateValidityChecker(si), checker_(std::move(checker)) {}
    bool isValid(const base::State *state) const override {
        return si_->satisfiesBounds(state) && checker_->is_valid(state);
    }

  private:
    std::shared_ptr<const Checker> checker_;
};

/// Motions that are proven free.
class MotionValidator : public base::MotionValidator {
  public:
    MotionValidator(const base::SpaceInformationPtr &si, std::shared_ptr<const Checker> checker)
        : base::MotionValidator(si), checker_(std::move(checker)) {}
    bool checkMotion(const base::State *from, const base::State *to) const override { return count(part(from, to)); }
    bool checkMotion(const base::State *from, const base::State *to,
                     std::pair<base::State *, double> &last) const override {
        const double free = part(from, to);
        if (free < 1) {
            last.second = free;
            if (last.first) si_->getStateSpace()->interpolate(from, to, free, last.first);
        }
        return count(free);
    }

  private:
    std::shared_ptr<const Checker> checker_;
    mutable std::mutex mutex_;

    double part(const base::State *from, const base::State *to) const {
        return si_->satisfiesBounds(to) ? checker_->free_part(*si_->getStateSpace(), from, to) : 0;
    }
    bool count(double free) const {
        const std::lock_guard<std::mutex> lock(mutex_);
        (free == 1 ? valid_ : invalid_)++;
        return free == 1;
    }
};

/// Give a space both.
inline void install(const base::SpaceInformationPtr &si, const std::shared_ptr<const Checker> &checker) {
    si->setStateValidityChecker(std::make_shared<StateValidityChecker>(si, checker));
    si->setMotionValidator(std::make_shared<MotionValidator>(si, checker));
}

} // namespace toccata::planning

#endif
