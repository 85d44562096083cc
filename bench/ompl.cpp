// SPDX-License-Identifier: Apache-2.0
// Planning with OMPL: its planner, with the same seeds, asks Toccata, the continuous test of FCL, or OMPL's own
// discrete validator with FCL's overlaps, whether motions are free. Each answer is then compared with the truth: a
// motion is free where Toccata proves it with ever smaller tolerances, and blocked where faces cross, exactly, in a
// state on the way. Then the motions that a planner asks about in two scenes like those of Table II of local
// advancement, as straight steps between two states: R-Tri and local advancement, boolean and time of contact.
//
//     bench.ompl [PROBLEM]     window, shelf, corner, bar or organs alone
//
// The program fails if Toccata calls a motion free that is blocked, or a path of its plans is not free.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <optional>

#include <fcl/fcl.h>
#include <ompl/base/DiscreteMotionValidator.h>
#include <ompl/geometric/SimpleSetup.h>
#include <ompl/geometric/planners/rrt/RRTConnect.h>
#include <ompl/util/Console.h>
#include <ompl/util/RandomNumbers.h>

#include "integrations/ompl/problems.hpp"
#include "toccata/research.h"
extern "C" {
#include "scenes/scenes.h"
}

namespace tp = toccata::planning;
namespace ob = ompl::base;
namespace og = ompl::geometric;

namespace {

constexpr unsigned motions_most = 4000, truths_most = 400;

double cpu() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// ---- deforming problems: the scenes of the benchmark of plans (bench/planning.c)

// The faces of some groups of a scene, with their vertices numbered anew.
struct Part {
    std::vector<std::uint32_t> vertices, triangles;

    Part(const toc_mesh *mesh, bool robot) {
        std::map<std::uint32_t, std::uint32_t> ids;
        for (std::uint32_t e = 0; e < toc_mesh_get_element_count(mesh); e++) {
            const toc_element element = toc_mesh_get_element(mesh, e);
            if ((element.group == 1) != robot) continue;
            for (int k = 0; k < 3; k++) {
                const auto [at, is_new] = ids.try_emplace(element.corners[k], static_cast<std::uint32_t>(ids.size()));
                if (is_new) vertices.push_back(element.corners[k]);
                triangles.push_back(at->second);
            }
        }
    }
    std::vector<double> positions(const double *x) const {
        std::vector<double> taken;
        for (const std::uint32_t v : vertices) taken.insert(taken.end(), x + 3 * v, x + 3 * v + 3);
        return taken;
    }
};

std::array<double, 3> middle_of(const std::vector<double> &x) {
    std::array<double, 3> sum{};
    for (std::size_t i = 0; i < x.size(); i++) sum[i % 3] += 3 * x[i] / static_cast<double>(x.size());
    return sum;
}

// The two positions of some vertices as a middle and a mode, which is added with weights from -1 to 1.
void set_mode(tp::Link &link, const std::vector<double> &a, const std::vector<double> &b) {
    link.rest = a;
    link.modes.assign(1, a);
    for (std::size_t i = 0; i < a.size(); i++) {
        link.rest[i] = (a[i] + b[i]) / 2;
        link.modes[0][i] = (b[i] - a[i]) / 2;
    }
}

void centre(std::vector<double> &x) {
    const auto middle = middle_of(x);
    for (std::size_t i = 0; i < x.size(); i++) x[i] -= middle[i % 3];
}

// Obstacles deform with the time of the plan; their last coordinate is the time.
class Timed : public tp::Linkage {
  public:
    using Linkage::Linkage;
    bool allows(const ob::State *from, const ob::State *to) const override {
        return coordinates(from)[1] <= coordinates(to)[1];
    }
};

struct Deforming {
    const char *scene;
    double robot_from, robot_to; // times of the two shapes of the robot
    double world_from, world_to; // and of the obstacles
    std::array<double, 3> goal;
    double start_time; // of the place of the robot
    double low, high;  // of the room
};

tp::Problem make_deforming(const Deforming &d) {
    tp::Problem p;
    const auto shapes = [&d](double from, double to) {
        toc_mesh *mesh = nullptr;
        toccata::check(scene_motion(scene_find(d.scene), 0, from, to, &mesh));
        return toccata::Mesh::take(mesh);
    };
    const toccata::Mesh robot = shapes(d.robot_from, d.robot_to), world = shapes(d.world_from, d.world_to);
    const toccata::Mesh start = shapes(d.start_time, d.start_time);
    const Part bar(robot.get(), true), balls(world.get(), false);
    std::vector<double> a = bar.positions(robot.x0().data()), b = bar.positions(robot.x1().data());
    const auto at = middle_of(bar.positions(start.x0().data()));
    centre(a);
    centre(b);
    tp::Link moving, deforming;
    moving.triangles = bar.triangles;
    set_mode(moving, a, b);
    deforming.parent = tp::on_ground;
    deforming.triangles = balls.triangles;
    set_mode(deforming, balls.positions(world.x0().data()), balls.positions(world.x1().data()));
    moving.touches_itself = deforming.touches_itself = false;
    p.robot = std::make_shared<Timed>(std::vector{moving, deforming});
    p.room.setLow(d.low);
    p.room.setHigh(d.high);
    p.tolerance = 0.01;
    const auto set = [robot = p.robot](ob::State *s, const std::array<double, 3> &place, double time) {
        tp::place_base(*robot, s, place[0], place[1], place[2]);
        robot->coordinates(s)[0] = 0;
        robot->coordinates(s)[1] = time;
    };
    p.set_start = [set, at](ob::State *s) { set(s, at, -1); };
    p.set_goal = [set, goal = d.goal](ob::State *s) { set(s, goal, 1); };
    return p;
}

// A bar whose bend is 0 in the first shape and 0.9 in the second, with the same tilt; a heart that beats.
constexpr Deforming bar{"bar", 0.98408, 0.35676, 0, 0.25, {0.33, 0, -1.7}, 0, -2, 2};
constexpr Deforming organs{"organs", 0.075, 0.025, 0, 0.25, {-0.1, -1.35, 0.2}, 0, -1.6, 1};

// ---- FCL

using Model = fcl::BVHModel<fcl::OBBRSSd>;
using FlexibleModel = fcl::BVHModel<fcl::AABBd>;

template <class M> std::shared_ptr<M> make_model(const double *x, std::size_t doubles, const toccata::MeshView &mesh) {
    auto model = std::make_shared<M>();
    std::vector<fcl::Vector3d> points;
    std::vector<fcl::Triangle> triangles;
    for (std::size_t i = 0; i < doubles; i += 3) points.emplace_back(x[i], x[i + 1], x[i + 2]);
    for (std::uint32_t e = 0; e < mesh.element_count(); e++) {
        const std::uint32_t *c = mesh.element(e).corners;
        triangles.emplace_back(c[0], c[1], c[2]);
    }
    model->beginModel();
    model->addSubModel(points, triangles);
    model->endModel();
    return model;
}

// The robot and its world in FCL: rigid bodies as models with a place, flexible ones as models whose vertices move.
class Fcl {
  public:
    explicit Fcl(const tp::Problem &p) : problem_(p), bodies_(p.robot->bodies()), world_(p.world.mesh()) {
        for (const auto &body : bodies_) flexible_ = flexible_ || p.robot->has_modes(&body - bodies_.data());
        for (const auto &body : bodies_) add(body, body.x0());
        if (world_.element_count()) add(world_, world_.x0());
        has_world_ = world_.element_count() > 0;
    }
    bool collides(const ob::State *state) { return flexible_ ? collides_flexible(state) : collides_rigid(state); }
    // From one state to another, in one piece.
    bool collides(const ob::State *from, const ob::State *to) {
        return flexible_ ? sweeps_flexible(from, to) : sweeps_rigid(from, to);
    }

  private:
    const tp::Problem &problem_;
    std::vector<toccata::Mesh> bodies_;
    toccata::Mesh world_;
    std::vector<std::shared_ptr<Model>> rigid_;
    std::vector<std::shared_ptr<FlexibleModel>> soft_;
    bool flexible_ = false, has_world_ = false;

    void add(const toccata::MeshView &mesh, toccata::Span<const double> x) {
        if (flexible_)
            soft_.push_back(make_model<FlexibleModel>(x.data(), x.size(), mesh));
        else
            rigid_.push_back(make_model<Model>(x.data(), x.size(), mesh));
    }
    // Pairs of bodies, the world being the last one.
    template <class Test> bool any_pair(std::size_t count, Test test) const {
        for (std::size_t a = 0; a < count; a++)
            for (std::size_t b = a + 1; b < count; b++) {
                const bool is_world = has_world_ && b + 1 == count;
                if ((is_world || !problem_.robot->ignores(a, b)) && test(a, b)) return true;
            }
        return false;
    }
    std::vector<fcl::Transform3d> places(const ob::State *state) const {
        std::vector<fcl::Transform3d> all;
        for (const tp::Frame &f : problem_.robot->frames(state)) {
            fcl::Transform3d t = fcl::Transform3d::Identity();
            for (int r = 0; r < 3; r++) {
                t.translation()[r] = f.at[static_cast<std::size_t>(r)];
                for (int c = 0; c < 3; c++) t.linear()(r, c) = f.turn[static_cast<std::size_t>(3 * r + c)];
            }
            all.push_back(t);
        }
        all.push_back(fcl::Transform3d::Identity());
        return all;
    }
    bool collides_rigid(const ob::State *state) const {
        const auto at = places(state);
        return any_pair(rigid_.size(), [&](std::size_t a, std::size_t b) {
            fcl::CollisionRequestd request;
            fcl::CollisionResultd result;
            return fcl::collide(rigid_[a].get(), at[a], rigid_[b].get(), at[b], request, result) > 0;
        });
    }
    bool sweeps_rigid(const ob::State *from, const ob::State *to) const {
        const auto at = places(from), end = places(to);
        return any_pair(rigid_.size(), [&](std::size_t a, std::size_t b) {
            const fcl::Vector3d origin = fcl::Vector3d::Zero();
            // The constructor without a centre leaves it uninitialised.
            const fcl::InterpMotion<double> first(at[a].linear(), at[a].translation(), end[a].linear(),
                                                  end[a].translation(), origin);
            const fcl::InterpMotion<double> second(at[b].linear(), at[b].translation(), end[b].linear(),
                                                   end[b].translation(), origin);
            fcl::ContinuousCollisionRequestd request(10, 1e-4, fcl::CCDM_LINEAR, fcl::GST_LIBCCD,
                                                     fcl::CCDC_CONSERVATIVE_ADVANCEMENT);
            fcl::ContinuousCollisionResultd result;
            fcl::continuousCollide(rigid_[a].get(), &first, rigid_[b].get(), &second, request, result);
            return result.is_collide;
        });
    }
    void move(const ob::State *state) {
        std::vector<double> x;
        for (const auto &body : bodies_) x.resize(x.size() + body.x0().size());
        problem_.robot->place(state, x.data());
        const double *at = x.data();
        for (std::size_t i = 0; i < bodies_.size(); i++) {
            std::vector<fcl::Vector3d> points;
            for (const double *end = at + bodies_[i].x0().size(); at != end; at += 3)
                points.emplace_back(at[0], at[1], at[2]);
            soft_[i]->beginUpdateModel();
            soft_[i]->updateSubModel(points);
            soft_[i]->endUpdateModel(true, true);
        }
        if (!has_world_) return;
        std::vector<fcl::Vector3d> points(soft_.back()->vertices, soft_.back()->vertices + soft_.back()->num_vertices);
        soft_.back()->beginUpdateModel();
        soft_.back()->updateSubModel(points);
        soft_.back()->endUpdateModel(true, true);
    }
    bool collides_flexible(const ob::State *state) {
        move(state);
        move(state);
        return any_pair(soft_.size(), [&](std::size_t a, std::size_t b) {
            fcl::CollisionRequestd request;
            fcl::CollisionResultd result;
            const fcl::Transform3d here = fcl::Transform3d::Identity();
            return fcl::collide(soft_[a].get(), here, soft_[b].get(), here, request, result) > 0;
        });
    }
    bool sweeps_flexible(const ob::State *from, const ob::State *to) {
        move(from);
        move(to);
        return any_pair(soft_.size(), [&](std::size_t a, std::size_t b) {
            fcl::detail::MeshContinuousCollisionTraversalNode<fcl::AABBd> node;
            const fcl::Transform3d here = fcl::Transform3d::Identity();
            fcl::detail::initialize(node, *soft_[a], here, *soft_[b], here, fcl::CollisionRequestd());
            fcl::detail::collide(&node);
            return !node.pairs.empty();
        });
    }
};

// ---- validators that keep the questions

struct Asked {
    ob::State *from, *to;
    bool free;
};

// Answers of a test of motions, its time, and copies of the questions.
class Keeper : public ob::MotionValidator {
  public:
    using Test = std::function<bool(const ob::State *, const ob::State *)>;
    Keeper(const ob::SpaceInformationPtr &si, Test test) : ob::MotionValidator(si), test_(std::move(test)) {}
    ~Keeper() override {
        for (const Asked &a : asked) si_->freeState(a.from), si_->freeState(a.to);
    }
    bool checkMotion(const ob::State *from, const ob::State *to) const override {
        const double begun = cpu();
        const bool free = test_(from, to);
        seconds += cpu() - begun;
        asked.push_back({si_->cloneState(from), si_->cloneState(to), free});
        (free ? valid_ : invalid_)++;
        return free;
    }
    bool checkMotion(const ob::State *from, const ob::State *to, std::pair<ob::State *, double> &last) const override {
        last.second = 0;
        if (last.first) si_->copyState(last.first, from);
        return checkMotion(from, to);
    }
    mutable std::vector<Asked> asked;
    mutable double seconds = 0;

  private:
    Test test_;
};

// ---- truth

enum class Truth { free, blocked, undecided };

Truth find_truth(const tp::Problem &p, const std::shared_ptr<const toccata::World> &world, const ob::StateSpace &space,
                 const ob::State *from, const ob::State *to) {
    if (!p.robot->allows(from, to)) return Truth::blocked;
    ob::State *between = space.allocState();
    Truth truth = Truth::undecided;
    for (double tolerance = p.tolerance; tolerance > 1e-7 && truth == Truth::undecided; tolerance /= 8) {
        const tp::Checker checker(p.robot, world, tolerance);
        const double part = checker.free_part(space, from, to);
        if (part == 1) truth = Truth::free;
        for (double ahead = 1e-6; ahead < 1 && truth == Truth::undecided; ahead *= 1.6) {
            if (part + ahead > 1) break;
            space.interpolate(from, to, part + ahead, between);
            if (!checker.is_valid(between)) truth = Truth::blocked;
        }
    }
    space.freeState(between);
    return truth;
}

// ---- the table

enum class With { toccata, fcl, discrete };

struct Row {
    unsigned solved = 0, wrong_paths = 0;
    std::size_t motions = 0, compared = 0, said_free = 0, false_free = 0, false_blocked = 0, undecided = 0;
    double seconds = 0;
};

struct Contest {
    const char *name;
    tp::Problem problem;
    std::shared_ptr<const toccata::World> world;
    double range;   // of a motion; 0 for that of the planner
    unsigned seeds; // plans
};

std::size_t count_segments(const ob::StateSpace &space, const ob::State *from, const ob::State *to) {
    return std::max(1u, space.validSegmentCount(from, to));
}

// Whether a test finds all segments of OMPL's resolution free; with one state, the state at its end.
template <class Test>
bool all_segments(const ob::StateSpace &space, const ob::State *from, const ob::State *to, Test test) {
    const std::size_t count = count_segments(space, from, to);
    ob::State *a = space.cloneState(from), *b = space.allocState();
    bool free = true;
    for (std::size_t i = 1; i <= count && free; i++) {
        space.interpolate(from, to, static_cast<double>(i) / static_cast<double>(count), b);
        free = test(a, b);
        space.copyState(a, b);
    }
    space.freeState(a);
    space.freeState(b);
    return free;
}

Keeper::Test make_test(With with, const Contest &c, const ob::StateSpacePtr &space,
                       const std::shared_ptr<tp::Checker> &checker, const std::shared_ptr<Fcl> &fcl) {
    const auto robot = c.problem.robot;
    if (with == With::toccata)
        return [=](const ob::State *a, const ob::State *b) { return checker->is_free(*space, a, b); };
    return [=](const ob::State *a, const ob::State *b) {
        return robot->allows(a, b) && all_segments(*space, a, b, [&](const ob::State *low, const ob::State *high) {
                   return with == With::fcl ? !fcl->collides(low, high) : !fcl->collides(high);
               });
    };
}

// The same number of questions for each seed.
void compare(const Contest &c, const ob::StateSpace &space, const std::vector<Asked> &asked, Row &row) {
    const std::size_t stride = std::max<std::size_t>(1, asked.size() * c.seeds / truths_most);
    for (std::size_t i = 0; i < asked.size(); i += stride) {
        const Truth truth = find_truth(c.problem, c.world, space, asked[i].from, asked[i].to);
        row.compared++;
        row.said_free += asked[i].free;
        row.false_free += asked[i].free && truth == Truth::blocked;
        row.false_blocked += !asked[i].free && truth == Truth::free;
        row.undecided += truth == Truth::undecided;
    }
}

// Plan with one seed. @return the questions.
std::vector<std::array<std::vector<double>, 2>> plan(const Contest &c, With with, unsigned seed, Row &row, bool keep) {
    ompl::RNG::setSeed(seed);
    const tp::Problem &p = c.problem;
    const auto checker = std::make_shared<tp::Checker>(p.robot, c.world, p.tolerance);
    const auto fcl = std::make_shared<Fcl>(p);
    og::SimpleSetup setup(p.robot->space(p.room));
    const auto &si = setup.getSpaceInformation();
    const auto keeper = std::make_shared<Keeper>(si, make_test(with, c, setup.getStateSpace(), checker, fcl));
    si->setStateValidityChecker(std::make_shared<tp::StateValidityChecker>(si, checker));
    si->setMotionValidator(keeper);
    ob::ScopedState<> start(setup.getStateSpace()), goal(setup.getStateSpace());
    p.set_start(start.get());
    p.set_goal(goal.get());
    setup.setStartAndGoalStates(start, goal);
    const auto planner = std::make_shared<og::RRTConnect>(si);
    planner->setRange(c.range);
    setup.setPlanner(planner);
    const bool solved =
        setup.solve(ob::PlannerTerminationCondition([&] { return keeper->asked.size() >= motions_most; })) ==
        ob::PlannerStatus::EXACT_SOLUTION;
    row.solved += solved;
    row.motions += keeper->asked.size();
    row.seconds += keeper->seconds;
    if (solved) {
        const auto &path = setup.getSolutionPath();
        bool wrong = false;
        for (unsigned i = 1; i < path.getStateCount(); i++)
            wrong = wrong || find_truth(p, c.world, *setup.getStateSpace(), path.getState(i - 1), path.getState(i)) !=
                                 Truth::free;
        row.wrong_paths += wrong;
    }
    compare(c, *setup.getStateSpace(), keeper->asked, row);
    std::vector<std::array<std::vector<double>, 2>> steps;
    for (const Asked &a : keeper->asked) {
        if (!keep || steps.size() >= 200) break;
        steps.emplace_back();
        std::size_t doubles = 0;
        for (const auto &body : p.robot->bodies()) doubles += body.x0().size();
        for (auto &x : steps.back()) x.resize(doubles);
        p.robot->place(a.from, steps.back()[0].data());
        p.robot->place(a.to, steps.back()[1].data());
    }
    return steps;
}

// ---- Table II

struct Answer {
    double seconds = 0;
    std::size_t blocked = 0;
};

Answer ask(const tp::Problem &p, const std::vector<std::array<std::vector<double>, 2>> &steps, const char *preset,
           bool exact, toc_answer answer) {
    toccata::Scene scene;
    std::vector<toccata::Mesh> bodies = p.robot->bodies();
    std::vector<std::size_t> sizes;
    for (auto &body : bodies) {
        sizes.push_back(body.x0().size());
        scene.add(std::move(body));
    }
    toccata::Query query;
    query.preset = preset;
    query.test.exact = exact;
    query.answer = answer;
    query.threads = 1;
    toccata::Contacts found;
    Answer sum;
    for (const auto &[from, to] : steps) {
        const double begun = cpu();
        std::size_t at = 0;
        for (std::size_t i = 0; i < sizes.size(); at += sizes[i++])
            scene.mesh(static_cast<std::uint32_t>(i))
                .set_motion({from.data() + at, sizes[i]}, {to.data() + at, sizes[i]});
        scene.contacts(query, found);
        sum.seconds += cpu() - begun;
        sum.blocked += !found.empty();
    }
    return sum;
}

void print_table_two(const tp::Problem &p, const char *name,
                     const std::vector<std::array<std::vector<double>, 2>> &steps, const std::array<double, 4> &paper) {
    std::size_t triangles = 0;
    if (steps.empty()) return;
    for (const auto &body : p.robot->bodies()) triangles += body.element_count();
    const Answer truth = ask(p, steps, "brute", true, TOC_ANSWER_ANY);
    std::printf("| %s, %zu triangles, %zu motions, %zu blocked | | | |\n", name, triangles, steps.size(),
                truth.blocked);
    const struct {
        const char *what, *preset;
        bool exact;
    } rows[] = {
        {"auto", "auto", true}, {"local", "local", true}, {"rtri", "rtri", true}, {"rtri, cubic alone", "rtri", false}};
    double ms[4][2] = {};
    for (std::size_t r = 0; r < 4; r++) {
        Answer any, first;
        for (int round = 0; round < 2; round++) { // the second one counts
            any = ask(p, steps, rows[r].preset, rows[r].exact, TOC_ANSWER_ANY);
            first = ask(p, steps, rows[r].preset, rows[r].exact, TOC_ANSWER_FIRST);
        }
        ms[r][0] = 1e3 * any.seconds / static_cast<double>(steps.size());
        ms[r][1] = 1e3 * first.seconds / static_cast<double>(steps.size());
        std::printf("| %s | %.2f | %.2f | %zu |\n", rows[r].what, ms[r][0], ms[r][1], any.blocked);
    }
    std::printf("| rtri over local (the paper %.2f, %.2f) | %.2f | %.2f | |\n", paper[0] / paper[2],
                paper[1] / paper[3], ms[2][0] / ms[1][0], ms[2][1] / ms[1][1]);
    std::fflush(stdout);
}

} // namespace

int main(int count, char **words) try {
    ompl::msg::setLogLevel(ompl::msg::LOG_NONE);
    bool right = true;
    std::vector<Contest> contests;
    for (const char *name : {"window", "shelf", "corner"}) {
        contests.push_back({name, tp::make_problem(name), nullptr, 0, 5});
        contests.back().world = std::make_shared<toccata::World>(contests.back().problem.world.mesh());
    }
    contests.push_back({"bar", make_deforming(bar), nullptr, 0.3, 20});
    contests.push_back({"organs", make_deforming(organs), nullptr, 0.3, 5});
    std::vector<std::array<std::vector<double>, 2>> steps[2];
    std::puts("| problem | motions by | plans | that touch | motions | ms a motion | said free | falsely | falsely "
              "blocked |");
    std::puts("|---|---|---|---|---|---|---|---|---|");
    for (const Contest &c : contests)
        for (const With with : {With::toccata, With::fcl, With::discrete}) {
            Row row;
            if (count > 1 && std::string(words[1]) != c.name) continue;
            const auto at = static_cast<std::size_t>(&c - contests.data());
            for (unsigned seed = 1; seed <= c.seeds; seed++) {
                const bool keep = at >= 3 && with == With::toccata && seed == 1;
                auto kept = plan(c, with, seed, row, keep);
                if (keep) steps[at - 3] = std::move(kept);
            }
            static const char *const names[] = {"Toccata", "FCL, continuous", "OMPL's states, FCL"};
            std::printf("| %s | %s | %u of %u | %u | %zu | %.3f | %zu of %zu | %zu | %zu |\n", c.name,
                        names[static_cast<int>(with)], row.solved, c.seeds, row.wrong_paths, row.motions,
                        1e3 * row.seconds / static_cast<double>(row.motions), row.said_free, row.compared,
                        row.false_free, row.false_blocked);
            if (row.undecided) std::printf("%zu of these motions are undecided.\n", row.undecided);
            std::fflush(stdout);
            if (with == With::toccata && (row.false_free || row.wrong_paths)) right = false;
        }
    std::puts("\n| CPU ms a step | boolean | time of contact | called blocked |\n|---|---|---|---|");
    print_table_two(contests[3].problem, "bar", steps[0], {7.2, 14.9, 3.4, 10.6});
    print_table_two(contests[4].problem, "organs", steps[1], {27.5, 2986.3, 22.5, 727.5});
    return right ? 0 : 1;
} catch (const std::exception &problem) {
    std::fprintf(stderr, "bench.ompl: %s\n", problem.what());
    return 1;
}
