// SPDX-License-Identifier: Apache-2.0
// toccata.hpp as a user of C++ sees it: ranges, owners that move, spans of the right and of a wrong length, exceptions.
#include <cstdio>
#include <string>
#include <toccata/toccata.hpp>
#include <type_traits>
#include <vector>

namespace {

int failures = 0;

void expect(bool holds, const char *claim) {
    if (holds) return;
    std::printf("not so: %s\n", claim);
    failures++;
}

// The call throws, and its sentence has these words.
template <class Call> void expect_throw(const char *words, Call &&call) {
    try {
        call();
        std::printf("nothing was thrown: %s\n", words);
        failures++;
    } catch (const toccata::Error &error) {
        expect(error.status() == TOC_BAD_INPUT && std::string(error.what()).find(words) != std::string::npos, words);
    }
}

const double triangle[] = {0, 0, 0, 4, 0, 0, 0, 4, 0};
const std::uint32_t corners[] = {0, 1, 2};

toccata::Scene make_scene(double height) {
    toccata::Scene scene;
    toccata::Mesh floor(triangle, TOC_TRIANGLE, corners),
        point(std::vector<double>{1, 1, 1}, TOC_POINT, std::vector<std::uint32_t>{0});
    point.move(std::vector<double>{1, 1, height});
    expect(scene.add(std::move(floor)) == 0 && scene.add(std::move(point)) == 1, "ids count up");
    expect(!point.get() && point.vertex_count() == 0, "the scene owns the mesh");
    return scene;
}

void ask(toccata::Scene scene) {
    toccata::Contacts found = scene.contacts();
    std::size_t count = 0;
    for (const toc_contact &c : found) count += c.toc > 0.499999 && c.toc <= 0.5;
    expect(count == 1 && found.size() == 1 && !found.empty(), "the point falls through at half of the step");
    expect(found.first() == found.begin() && found[0].body[1] != found[0].body[0], "the first contact");
    const toc_contacts *before = found.get();
    scene.contacts(toccata::Query(), found);
    expect(found.get() == before && found.size() == 1, "an earlier result is used again");
    toccata::Contacts moved = std::move(found);
    expect(!found && found.size() == 0 && found.begin() == found.end() && moved.size() == 1, "owners move");
    expect(scene.safe_step() < 0.5 && scene.safe_step() > 0.499, "the safe step");
    expect(scene.room_step().fraction < 0.5, "the step with room");
    expect(scene.near_pairs(1).size() == 1 && scene.near_pairs(0.5).empty(), "near pairs");
    expect(scene.overlaps().empty() && scene.containments().empty(), "nothing overlaps");
    toccata::Query query;
    const toccata::Candidates candidates = scene.candidates(0, 0.1);
    query.candidates = candidates.get();
    expect(scene.contacts(query).size() == 1, "candidates have the contact");
    scene.mesh(1).move(std::vector<double>{1, 1, -2});
    expect(scene.contacts().empty(), "the next step has no contact");
}

void share_a_world() {
    const toccata::World world(toccata::Mesh(triangle, TOC_TRIANGLE, corners));
    for (int i = 0; i < 2; i++) {
        toccata::Scene scene;
        toccata::Mesh point(std::vector<double>{1, 1, 1}, TOC_POINT, std::vector<std::uint32_t>{0});
        point.move(std::vector<double>{1, 1, -1});
        expect(scene.add(world) == 0 && scene.add(std::move(point)) == 1, "a world is a body");
        expect(scene.contacts().size() == 1, "the point falls through the world");
    }
    toccata::Mesh moving(triangle, TOC_TRIANGLE, corners);
    moving.move(std::vector<double>(9, 1.0));
    expect_throw("", [&] { toccata::World(std::move(moving)); });
    expect(moving.vertex_count() == 3, "a mesh that moves stays with the caller");
}

void fail() {
    toccata::Mesh mesh(triangle, TOC_TRIANGLE, corners);
    expect_throw("2 vertices", [&] { mesh.move(std::vector<double>(6)); });
    expect_throw("7 doubles", [&] { mesh.move(std::vector<double>(7)); });
    expect_throw("x0 has 9 doubles, x1 6", [&] { mesh.set_motion(triangle, std::vector<double>(6)); });
    expect_throw("2 corners", [&] { mesh.add_elements(TOC_TRIANGLE, std::vector<std::uint32_t>(2)); });
    expect_throw("corner", [&] { mesh.add_elements(TOC_TRIANGLE, std::vector<std::uint32_t>{0, 1, 9}); });
    expect_throw("no body 3", [] { toccata::Scene().mesh(3); });
    toccata::Query query;
    query.preset = "nonsense";
    expect_throw("nonsense", [&] { toccata::Scene().contacts(query); });
    expect(mesh.vertex_count() == 3 && mesh.x1()[3] == 4 && mesh.element(0).shape == TOC_TRIANGLE, "nothing changed");
    toccata::Contacts found; // without exceptions: the status of the C function
    expect(toc_scene_find_contacts(toccata::Scene().get(), &query, nullptr, found.out()) == TOC_BAD_INPUT, "a status");
}

static_assert(!std::is_copy_constructible_v<toccata::Mesh> && !std::is_copy_assignable_v<toccata::Contacts>);
static_assert(std::is_nothrow_move_constructible_v<toccata::Scene> && std::is_nothrow_move_assignable_v<toccata::Mesh>);

} // namespace

int main() {
    ask(make_scene(-1));
    share_a_world();
    fail();
    return failures;
}
