// SPDX-License-Identifier: Apache-2.0
// The first contact of two tetrahedra in C++.
#include <array>
#include <cstdio>
#include <exception>
#include <toccata/toccata.hpp>
#include <vector>

namespace {

using Point = std::array<double, 3>;

// A tetrahedron that moves by a vector.
toccata::Mesh make_tet(const Point &corner, const Point &motion) {
    std::vector<double> x;
    for (std::size_t v = 0; v < 4; v++)
        for (std::size_t c = 0; c < 3; c++) x.push_back(corner[c] + (v == c + 1 ? 1 : 0));
    toccata::Mesh mesh(x, TOC_TET, std::array<std::uint32_t, 4>{0, 1, 2, 3});
    for (std::size_t i = 0; i < x.size(); i++) x[i] += motion[i % 3];
    mesh.move(x);
    return mesh;
}

} // namespace

int main() try {
    toccata::Scene scene;
    scene.add(make_tet({0, 0, 0}, {0, 0, 0}));
    scene.add(make_tet({0.2, 0.2, 2}, {0, 0, -2}));
    toccata::Query query;
    query.answer = TOC_ANSWER_FIRST;
    for (const toc_contact &c : scene.contacts(query))
        std::printf("bodies %u and %u touch at time %.3f\n", c.body[0], c.body[1], c.toc);
} catch (const std::exception &failure) {
    std::fprintf(stderr, "hello: %s\n", failure.what());
    return 1;
}
