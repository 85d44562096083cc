// SPDX-License-Identifier: Apache-2.0
/// Three planning problems: a rigid body, an arm and a flexible bar.
#ifndef TOCCATA_INTEGRATIONS_PROBLEMS_HPP
#define TOCCATA_INTEGRATIONS_PROBLEMS_HPP

#include <functional>
#include <string>

#include "linkage.hpp"

namespace toccata::planning {

/// Triangles while they are put together.
struct Surface {
    std::vector<double> vertices;
    std::vector<std::uint32_t> triangles;

    /// A closed box with this many cells along its longest side.
    void add_box(const std::array<double, 3> &low, const std::array<double, 3> &high, std::uint32_t cells = 1) {
        std::size_t along = 0;
        for (std::size_t k = 1; k < 3; k++)
            if (high[k] - low[k] > high[along] - low[along]) along = k;
        const std::size_t side = (along + 1) % 3, up = (along + 2) % 3;
        const auto first = static_cast<std::uint32_t>(vertices.size() / 3);
        for (std::uint32_t i = 0; i <= cells; i++)
            for (const auto &[s, u] : {std::pair{0, 0}, {1, 0}, {1, 1}, {0, 1}}) {
                double x[3];
                x[along] = low[along] + (high[along] - low[along]) * i / cells;
                x[side] = s ? high[side] : low[side];
                x[up] = u ? high[up] : low[up];
                vertices.insert(vertices.end(), x, x + 3);
            }
        for (std::uint32_t i = 0; i < cells; i++)
            for (std::uint32_t k = 0; k < 4; k++) {
                const std::uint32_t a = first + 4 * i + k, b = first + 4 * i + (k + 1) % 4;
                add_quad(a, b, b + 4, a + 4);
            }
        const std::uint32_t last = first + 4 * cells;
        add_quad(first + 3, first + 2, first + 1, first);
        add_quad(last, last + 1, last + 2, last + 3);
    }
    Mesh mesh() const { return Mesh(vertices, TOC_TRIANGLE, triangles); }

  private:
    void add_quad(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
        for (const std::uint32_t v : {a, b, c, a, c, d}) triangles.push_back(v);
    }
};

/// A robot, its world, and where it shall go.
struct Problem {
    std::shared_ptr<const Linkage> robot;
    Surface world;
    base::RealVectorBounds room{3};
    double tolerance;
    std::function<void(base::State *)> set_start, set_goal;
};

inline void place_base(const Linkage &robot, base::State *state, double x, double y, double z) {
    robot.body(state).setXYZ(x, y, z);
    robot.body(state).rotation().setIdentity();
}

/// An L goes through a window that its arms do not fit through together.
inline Problem make_window() {
    Problem p;
    Surface body;
    body.add_box({-0.6, -0.1, -0.1}, {0.6, 0.1, 0.1}, 6);
    body.add_box({0.4, -0.1, 0.1}, {0.6, 0.1, 0.9}, 4);
    Link link;
    link.rest = body.vertices;
    link.triangles = body.triangles;
    p.robot = std::make_shared<Linkage>(std::vector{link});
    const double out = 2.5, hole = 0.4, thin = 0.01;
    p.world.add_box({-thin, -out, -out}, {thin, out, -hole});
    p.world.add_box({-thin, -out, hole}, {thin, out, out});
    p.world.add_box({-thin, -out, -hole}, {thin, -hole, hole});
    p.world.add_box({-thin, hole, -hole}, {thin, out, hole});
    p.room.setLow(-1.6);
    p.room.setHigh(1.6);
    p.tolerance = 0.01;
    p.set_start = [robot = p.robot](base::State *s) { place_base(*robot, s, -1.2, 0, 0); };
    p.set_goal = [robot = p.robot](base::State *s) { place_base(*robot, s, 1.2, 0, 0); };
    return p;
}

/// An arm with six joints reaches from one bay of a shelf into another, between thin boards.
inline Problem make_shelf() {
    Problem p;
    std::vector<Link> links;
    const auto add = [&links](double size, double thick, std::array<double, 3> origin, std::array<double, 3> axis,
                              double limit) {
        Surface body;
        Link link;
        body.add_box({0.02, -thick, -thick}, {size - 0.02, thick, thick}, 4);
        link.rest = body.vertices;
        link.triangles = body.triangles;
        link.parent = static_cast<int>(links.size()) - 1;
        link.joint = Joint::revolute;
        link.origin = origin;
        link.axis = axis;
        link.low = -limit, link.high = limit;
        links.push_back(link);
    };
    add(0.25, 0.06, {0, 0, 0}, {0, 0, 1}, 3);
    add(0.5, 0.05, {0.25, 0, 0}, {0, 1, 0}, 2.2);
    add(0.45, 0.045, {0.5, 0, 0}, {0, 1, 0}, 2.6);
    add(0.25, 0.04, {0.45, 0, 0}, {0, 0, 1}, 2);
    add(0.2, 0.035, {0.25, 0, 0}, {0, 1, 0}, 2);
    add(0.12, 0.03, {0.2, 0, 0}, {1, 0, 0}, 3);
    p.robot = std::make_shared<Linkage>(std::move(links), false);
    const double thin = 0.005;
    for (const double z : {-0.5, -0.05, 0.4, 0.85}) p.world.add_box({1, -0.6, z - thin}, {1.4, 0.6, z + thin});
    for (const double y : {-0.6, 0.0, 0.6}) p.world.add_box({1, y - thin, -0.5}, {1.4, y + thin, 0.85});
    p.tolerance = 0.01;
    // Shoulder and elbow that reach the middle of a bay: up or down, left or right.
    const auto reach = [robot = p.robot](base::State *s, double turn, double shoulder, double elbow, double wrist) {
        const double q[] = {turn, shoulder, elbow, 0, wrist, 0};
        std::copy(std::begin(q), std::end(q), robot->coordinates(s));
    };
    p.set_start = [reach](base::State *s) { reach(s, 0.28, -0.9, 1.0, 0.0); };
    p.set_goal = [reach](base::State *s) { reach(s, -0.28, 0.9, -1.0, 0.0); };
    return p;
}

/// A bar that bends goes round the corner of a passage that it is too long for while it is straight.
inline Problem make_corner() {
    Problem p;
    Surface body;
    Link link;
    body.add_box({-0.9, -0.06, -0.06}, {0.9, 0.06, 0.06}, 12);
    link.rest = body.vertices;
    link.triangles = body.triangles;
    link.touches_itself = false; // it bends too little
    link.modes.resize(1);
    for (std::size_t i = 0; i < body.vertices.size(); i += 3) {
        const double x = body.vertices[i];
        link.modes[0].insert(link.modes[0].end(), {0, 1.2 * (0.27 - x * x), 0});
    }
    p.robot = std::make_shared<Linkage>(std::vector{link});
    const double wide = 0.55, far = -2.3, thin = 0.02, top = 0.4;
    p.world.add_box({far, far, -top}, {0, 0, top});
    p.world.add_box({far, wide, -top}, {wide + thin, wide + thin, top});
    p.world.add_box({wide, far, -top}, {wide + thin, wide, top});
    for (const double z : {-top - thin, top}) p.world.add_box({far, far, z}, {wide + thin, wide + thin, z + thin});
    p.room.setLow(-1.35);
    p.room.setHigh(0.5);
    p.room.setLow(2, -top);
    p.room.setHigh(2, top);
    p.tolerance = 0.01;
    const auto at = [robot = p.robot](base::State *s, double x, double y, double angle) {
        place_base(*robot, s, x, y, 0);
        robot->body(s).rotation().setAxisAngle(0, 0, 1, angle);
        robot->coordinates(s)[0] = 0;
    };
    p.set_start = [at](base::State *s) { at(s, -1.3, 0.27, 0); };
    p.set_goal = [at](base::State *s) { at(s, 0.27, -1.3, -1.5707963267948966); };
    return p;
}

/// The problem with a name: window, shelf or corner.
inline Problem make_problem(const std::string &name) {
    if (name == "window") return make_window();
    if (name == "shelf") return make_shelf();
    if (name == "corner") return make_corner();
    throw std::invalid_argument("there is no problem " + name + ": use window, shelf or corner");
}

} // namespace toccata::planning

#endif
