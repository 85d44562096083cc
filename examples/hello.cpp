// SPDX-License-Identifier: Apache-2.0
// The first contact of two tetrahedra in C++, with owners that destroy what the library makes.
#include <array>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <toccata/toccata.h>
#include <vector>

namespace {

void check(toc_status status) {
    if (status != TOC_OK) throw std::runtime_error(toc_message_get());
}

template <auto Destroy> struct Deleter {
    template <class T> void operator()(T *thing) const { Destroy(thing); }
};
template <class T, auto Destroy> using Owner = std::unique_ptr<T, Deleter<Destroy>>;
using Mesh = Owner<toc_mesh, toc_mesh_destroy>;
using Scene = Owner<toc_scene, toc_scene_destroy>;
using Contacts = Owner<toc_contacts, toc_contacts_destroy>;
using Point = std::array<double, 3>;

// A function that writes its result to a pointer, as a function that returns its owner.
template <class T, class Make> T make(Make &&call) {
    typename T::element_type *made = nullptr;
    check(call(&made));
    return T(made);
}

// A tetrahedron that moves by a vector.
void add_tet(const Scene &scene, const Point &corner, const Point &motion) {
    std::vector<Point> x(4, corner);
    for (std::size_t c = 0; c < 3; c++) x[c + 1][c] += 1;
    auto mesh = make<Mesh>([](auto out) { return toc_mesh_create(nullptr, out); });
    const std::uint32_t corners[] = {0, 1, 2, 3};
    check(toc_mesh_add_vertices(mesh.get(), x.size(), x[0].data(), nullptr));
    check(toc_mesh_add_elements(mesh.get(), TOC_TET, 1, corners, nullptr));
    for (Point &at : x)
        for (std::size_t c = 0; c < 3; c++) at[c] += motion[c];
    check(toc_mesh_move(mesh.get(), x[0].data()));
    check(toc_scene_add_body(scene.get(), mesh.get(), nullptr));
    mesh.release(); // the scene owns it from now on
}

} // namespace

int main() try {
    const auto scene = make<Scene>([](auto out) { return toc_scene_create(nullptr, out); });
    add_tet(scene, {0, 0, 0}, {0, 0, 0});
    add_tet(scene, {0.2, 0.2, 2}, {0, 0, -2});

    toc_query query = toc_query_default();
    query.answer = TOC_ANSWER_FIRST;
    const auto found = make<Contacts>([&](auto out) { return toc_scene_find_contacts(scene.get(), &query, out); });
    for (const toc_contact *c = found->contacts; c != found->contacts + found->count; c++)
        std::printf("bodies %u and %u touch at time %.3f\n", c->body[0], c->body[1], c->toc);
} catch (const std::exception &failure) {
    std::fprintf(stderr, "hello: %s\n", failure.what());
    return 1;
}
