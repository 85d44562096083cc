// SPDX-License-Identifier: Apache-2.0
// Plan a motion with OMPL, proven free by Toccata: plan [window|shelf|corner] [SEED [FOLDER]]. The folder receives the
// path as frames, path-0000.vtu and so on, to check or to look at with the command; all.vtu shows some places together.
#include <cstdio>
#include <cstdlib>

#include <ompl/geometric/SimpleSetup.h>
#include <ompl/geometric/planners/rrt/RRTConnect.h>
#include <ompl/util/Console.h>
#include <ompl/util/RandomNumbers.h>
#include <toccata/io.h>

#include "problems.hpp"

namespace tp = toccata::planning;
namespace ob = ompl::base;
namespace og = ompl::geometric;

// The bodies of the robot, in a state.
static std::vector<toccata::Mesh> placed(const tp::Problem &p, const ob::State *state) {
    std::vector<toccata::Mesh> bodies = p.robot->bodies();
    std::vector<double> x;
    for (const auto &body : bodies) x.resize(x.size() + body.x0().size());
    p.robot->place(state, x.data());
    const double *from = x.data();
    for (const auto &body : bodies) {
        const toccata::Span<const double> own(from, body.x0().size());
        body.set_motion(own, own);
        from += own.size();
    }
    return bodies;
}

static void append(const toccata::Mesh &to, const toccata::Mesh &part, std::int32_t group) {
    for (std::uint32_t e = 0; e < part.element_count(); e++) toccata::check(toc_mesh_set_group(part.get(), e, group));
    toccata::check(toc_mesh_append(to.get(), part.get(), nullptr, nullptr));
}

// Some states of a path, together with the world, in a file.
static void write(const tp::Problem &p, const og::PathGeometric &path, unsigned first, unsigned stride,
                  const std::string &file) {
    toccata::Mesh all;
    append(all, p.world.mesh(), 0);
    for (unsigned i = first; i < path.getStateCount(); i += stride) {
        std::int32_t group = 1;
        for (const auto &body : placed(p, path.getState(i))) append(all, body, group++);
    }
    toccata::check(toc_mesh_write(file.c_str(), all.get(), TOC_AT_START));
}

static void write_all(const tp::Problem &p, og::PathGeometric path, const std::string &folder) {
    path.interpolate(100);
    const auto count = static_cast<unsigned>(path.getStateCount());
    for (unsigned i = 0; i < count; i++) {
        char name[32];
        std::snprintf(name, sizeof name, "/path-%04u.vtu", i);
        write(p, path, i, count, folder + name);
    }
    write(p, path, 0, 9, folder + "/all.vtu");
}

static int plan(const std::string &name, unsigned seed, const std::string &folder) {
    ompl::msg::setLogLevel(ompl::msg::LOG_ERROR);
    ompl::RNG::setSeed(seed);
    const tp::Problem p = tp::make_problem(name);
    const auto world = std::make_shared<toccata::World>(p.world.mesh());
    const auto checker = std::make_shared<tp::Checker>(p.robot, world, p.tolerance);

    og::SimpleSetup setup(p.robot->space(p.room));
    tp::install(setup.getSpaceInformation(), checker);
    ob::ScopedState<> start(setup.getStateSpace()), goal(setup.getStateSpace());
    p.set_start(start.get());
    p.set_goal(goal.get());
    setup.setStartAndGoalStates(start, goal);
    setup.setPlanner(std::make_shared<og::RRTConnect>(setup.getSpaceInformation()));
    if (setup.solve(120.0) != ob::PlannerStatus::EXACT_SOLUTION) {
        std::printf("%s: no path in 120 seconds\n", name.c_str());
        return 1;
    }
    setup.simplifySolution(2.0);
    const og::PathGeometric &path = setup.getSolutionPath();
    const bool free = checker->is_free(path);
    std::printf("%s: a path of %zu states, found in %.2f s, %u motions, %llu steps; %s\n", name.c_str(),
                path.getStateCount(), setup.getLastPlanComputationTime(),
                setup.getSpaceInformation()->getMotionValidator()->getCheckedMotionCount(),
                static_cast<unsigned long long>(checker->steps()), free ? "proven free" : "NOT FREE");
    if (!folder.empty()) write_all(p, path, folder);
    return free ? 0 : 1;
}

int main(int count, char **words) try {
    const unsigned seed = count > 2 ? static_cast<unsigned>(std::strtoul(words[2], nullptr, 10)) : 2;
    return plan(count > 1 ? words[1] : "window", seed, count > 3 ? words[3] : "");
} catch (const std::exception &problem) {
    std::fprintf(stderr, "plan: %s\n", problem.what());
    return 1;
}
