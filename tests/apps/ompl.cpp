// SPDX-License-Identifier: Apache-2.0
// The validators of integrations/ompl: bounds hold for the paths as the state space interpolates them, free motions
// have valid states only, thin walls are seen, threads agree, and mistakes are refused.
#include <cstdio>
#include <string>
#include <thread>

#include <ompl/base/DiscreteMotionValidator.h>
#include <ompl/base/ScopedState.h>
#include <ompl/util/Console.h>
#include <ompl/util/RandomNumbers.h>

#include "problems.hpp"

namespace tp = toccata::planning;
namespace ob = ompl::base;

namespace {

int failures = 0;

void expect(bool holds, const std::string &claim) {
    if (holds) return;
    std::printf("not so: %s\n", claim.c_str());
    failures++;
}

struct Setting {
    tp::Problem problem;
    ob::SpaceInformationPtr si;
    std::shared_ptr<tp::Checker> checker;

    explicit Setting(const std::string &name) : problem(tp::make_problem(name)) {
        const auto world = std::make_shared<toccata::World>(problem.world.mesh());
        checker = std::make_shared<tp::Checker>(problem.robot, world, problem.tolerance);
        si = std::make_shared<ob::SpaceInformation>(problem.robot->space(problem.room));
        tp::install(si, checker);
        si->setup();
    }
};

// Straight lines between the ends of a part are within bend h^2 / 8, and the bound is not idle: some path uses a part
// of it.
void bounds_hold(const std::string &name) {
    const Setting s(name);
    const ob::StateSpacePtr &space = s.si->getStateSpace();
    const auto sampler = space->allocStateSampler();
    ob::ScopedState<> from(space), to(space), a(space), b(space), middle(space);
    std::vector<double> x[3];
    std::size_t doubles = 0;
    for (const auto &body : s.problem.robot->bodies()) doubles += body.x0().size();
    for (auto &each : x) each.resize(doubles);
    double worst = 0;
    for (int round = 0; round < 200; round++) {
        sampler->sampleUniform(from.get());
        if (round % 4)
            sampler->sampleUniform(to.get());
        else
            sampler->sampleUniformNear(to.get(), from.get(), round % 8 ? 1e-5 : 0.3); // turns too small for OMPL, too
        const double low = 0.25 * (round % 3), high = low + 0.5 / (1 + round % 2), t = 0.3 + 0.1 * (round % 5);
        space->interpolate(from.get(), to.get(), low, a.get());
        space->interpolate(from.get(), to.get(), high, b.get());
        space->interpolate(from.get(), to.get(), low + t * (high - low), middle.get());
        s.problem.robot->place(a.get(), x[0].data());
        s.problem.robot->place(b.get(), x[1].data());
        s.problem.robot->place(middle.get(), x[2].data());
        const auto bounds = s.problem.robot->bounds(from.get(), to.get());
        std::size_t i = 0;
        for (std::size_t k = 0; k < bounds.size(); k++) {
            const double bound = bounds[k].bend * (high - low) * (high - low) / 8 + bounds[k].jump + 1e-12;
            const std::size_t end = i + s.problem.robot->bodies()[k].x0().size();
            for (; i < end; i += 3) {
                double off[3];
                for (std::size_t c = 0; c < 3; c++) off[c] = x[2][i + c] - (1 - t) * x[0][i + c] - t * x[1][i + c];
                expect(tp::length(off) <= bound, name + ": a path leaves its bound");
                if (bounds[k].jump == 0) worst = std::max(worst, tp::length(off) / bound);
            }
        }
    }
    expect(worst > 0.2, name + ": the bounds are idle");
}

// Free motions and parts have valid states only; the last valid state is valid.
void free_is_free(const std::string &name) {
    const Setting s(name);
    const ob::StateSpacePtr &space = s.si->getStateSpace();
    const auto sampler = space->allocStateSampler();
    ob::ScopedState<> from(space), to(space), at(space), last(space);
    int free = 0, blocked = 0;
    for (int round = 0; round < 40000 && (free < 8 || blocked < 8); round++) {
        sampler->sampleUniform(from.get());
        if (!s.si->isValid(from.get())) continue;
        sampler->sampleUniformNear(to.get(), from.get(), free < 8 ? 0.4 : 2);
        std::pair<ob::State *, double> until(last.get(), 1);
        const bool is_free = s.si->checkMotion(from.get(), to.get(), until);
        expect(is_free == s.si->checkMotion(from.get(), to.get()), name + ": the two forms of the question differ");
        expect(is_free || s.si->isValid(last.get()), name + ": the last valid state is not valid");
        is_free ? free++ : blocked++;
        for (int i = 0; i <= 60; i++) {
            space->interpolate(from.get(), to.get(), until.second * i / 60, at.get());
            if (!s.si->isValid(at.get())) {
                expect(false, name + ": a state of a free motion is not valid");
                break;
            }
        }
    }
    expect(free >= 8 && blocked >= 8, name + ": too few motions");
}

// OMPL's own validator steps over a thin wall.
void thin_walls_are_seen() {
    const Setting s("window");
    const ob::StateSpacePtr &space = s.si->getStateSpace();
    ob::ScopedState<> from(space), to(space);
    tp::place_base(*s.problem.robot, from.get(), -1.5, 1, 1);
    tp::place_base(*s.problem.robot, to.get(), 1.5, 1, 1);
    for (ob::State *state : {from.get(), to.get()}) // the L is thin along x
        s.problem.robot->body(state).rotation().setAxisAngle(0, 0, 1, 1.5707963267948966);
    expect(s.si->isValid(from.get()) && s.si->isValid(to.get()), "both sides of the wall are free");
    expect(!s.si->checkMotion(from.get(), to.get()), "the wall is in between");
    space->setLongestValidSegmentFraction(0.2);
    space->setup();
    const ob::DiscreteMotionValidator discrete(s.si);
    expect(discrete.checkMotion(from.get(), to.get()), "states at a coarse resolution miss the wall");
}

// A state inside of a closed body, and one that holds a body inside, touch nothing.
void insides_are_not_free() {
    tp::Surface small, large;
    small.add_box({-0.1, -0.1, -0.1}, {0.1, 0.1, 0.1});
    large.add_box({-1, -1, -1}, {1, 1, 1});
    for (const auto &[robot, world] : {std::pair{small, large}, {large, small}}) {
        tp::Link link;
        link.rest = robot.vertices;
        link.triangles = robot.triangles;
        const auto body = std::make_shared<tp::Linkage>(std::vector{link});
        const tp::Checker checker(body, std::make_shared<toccata::World>(world.mesh()), 0.01);
        ob::RealVectorBounds room(3);
        room.setLow(-9);
        room.setHigh(9);
        ob::ScopedState<> at(body->space(room));
        tp::place_base(*body, at.get(), 0.05, 0.02, 0.01);
        expect(!checker.is_valid(at.get()), "inside");
        tp::place_base(*body, at.get(), 3, 0, 0);
        expect(checker.is_valid(at.get()), "outside");
    }
}

// A bar that folds onto itself.
void flexible_bodies_touch_themselves() {
    tp::Surface body;
    tp::Link link;
    body.add_box({-1, -0.05, -0.05}, {1, 0.05, 0.05}, 10);
    link.rest = body.vertices;
    link.triangles = body.triangles;
    link.modes.resize(1);
    for (std::size_t i = 0; i < body.vertices.size(); i += 3) // both ends go to the middle, and past each other
        link.modes[0].insert(link.modes[0].end(), {-1.3 * body.vertices[i], 0, 0});
    const auto robot = std::make_shared<tp::Linkage>(std::vector{link}, false);
    const tp::Checker checker(robot, nullptr, 0.01);
    const auto space = robot->space();
    ob::ScopedState<> from(space), to(space);
    robot->coordinates(from.get())[0] = 0;
    robot->coordinates(to.get())[0] = 0.5;
    expect(checker.is_free(*space, from.get(), to.get()), "a shorter bar");
    robot->coordinates(to.get())[0] = 1;
    expect(!checker.is_free(*space, from.get(), to.get()), "a bar turned inside out");
}

void threads_agree() {
    const Setting s("shelf");
    const ob::StateSpacePtr &space = s.si->getStateSpace();
    const auto sampler = space->allocStateSampler();
    constexpr std::size_t count = 200;
    std::vector<ob::State *> states;
    for (std::size_t i = 0; i < 2 * count; i++) {
        states.push_back(space->allocState());
        if (i % 2)
            sampler->sampleUniformNear(states[i], states[i - 1], 0.3);
        else
            sampler->sampleUniform(states[i]);
    }
    std::vector<double> alone(count), together(count);
    const auto ask = [&](std::size_t first, std::size_t stride, std::vector<double> &out) {
        for (std::size_t i = first; i < count; i += stride)
            out[i] = s.checker->free_part(*space, states[2 * i], states[2 * i + 1]);
    };
    ask(0, 1, alone);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < 4; t++) threads.emplace_back(ask, t, 4, std::ref(together));
    for (auto &t : threads) t.join();
    expect(alone == together, "threads agree");
    for (ob::State *state : states) space->freeState(state);
}

template <class Call> void expect_refused(const char *words, Call &&call) {
    try {
        call();
    } catch (const std::exception &problem) {
        expect(std::string(problem.what()).find(words) != std::string::npos, problem.what());
        return;
    }
    expect(false, std::string("refused: ") + words);
}

void mistakes_are_refused() {
    const tp::Problem p = tp::make_problem("window");
    expect_refused("tolerance", [&] { tp::Checker(p.robot, nullptr, 0); });
    expect_refused("there is no problem x", [] { tp::make_problem("x"); });
    tp::Link link;
    link.parent = 0;
    expect_refused("parent", [&] { tp::Linkage(std::vector{link}); });
    link.parent = tp::on_base;
    link.axis = {1, 1, 0};
    expect_refused("unit vector", [&] { tp::Linkage(std::vector{link}); });
    link.axis = {1, 0, 0};
    link.modes = {{1, 2}};
    expect_refused("as many doubles", [&] { tp::Linkage(std::vector{link}); });
    const auto many = std::make_shared<tp::Linkage>(std::vector<tp::Link>(64), false);
    expect_refused("63 bodies", [&] { tp::Checker(many, nullptr, 1).is_valid(nullptr); });
    // A position that is no number is refused, not free.
    const Setting s("window");
    ob::ScopedState<> from(s.si->getStateSpace()), to(s.si->getStateSpace());
    tp::place_base(*s.problem.robot, from.get(), 0, 0, 0);
    tp::place_base(*s.problem.robot, to.get(), std::nan(""), 0, 0);
    expect_refused("nan", [&] { s.checker->free_part(*s.si->getStateSpace(), from.get(), to.get()); });
}

} // namespace

int main() {
    ompl::msg::setLogLevel(ompl::msg::LOG_ERROR);
    ompl::RNG::setSeed(1);
    for (const char *name : {"window", "shelf", "corner"}) {
        bounds_hold(name);
        free_is_free(name);
    }
    thin_walls_are_seen();
    insides_are_not_free();
    flexible_bodies_touch_themselves();
    threads_agree();
    mistakes_are_refused();
    if (!failures) std::puts("free motions are free");
    return failures != 0;
}
