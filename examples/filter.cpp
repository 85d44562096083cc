// SPDX-License-Identifier: Apache-2.0
// A filter of one's own in C++: pairs that were found before are left out, so that each step reports only new contacts.
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <toccata/toccata.h>
#include <tuple>

namespace {

using Key = std::tuple<toc_kind, std::array<std::uint32_t, 6>>;

Key key_of(toc_kind kind, const std::uint32_t *body, const std::uint32_t *v) {
    return {kind, {body[0], body[1], v[0], v[1], v[2], v[3]}};
}

// Many threads call it at once: it only reads.
bool is_new(void *user, toc_kind kind, const std::uint32_t body[2], const std::uint32_t v[4]) {
    return static_cast<const std::set<Key> *>(user)->count(key_of(kind, body, v)) == 0;
}

void must(toc_status status) {
    if (status == TOC_OK) return;
    std::fprintf(stderr, "filter: %s\n", toc_message_get());
    std::exit(1);
}

} // namespace

int main() {
    // Points that fall through a triangle one after the other, each again and again.
    double x[11][3] = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}};
    std::uint32_t triangle[] = {0, 1, 2}, points[8];
    for (std::uint32_t i = 0; i < 8; i++) {
        points[i] = 3 + i;
        x[3 + i][0] = 0.2 + 0.2 * i;
        x[3 + i][1] = 1;
        x[3 + i][2] = 0.5 + i;
    }
    toc_mesh *mesh;
    toc_scene *scene;
    must(toc_mesh_create(nullptr, &mesh));
    must(toc_mesh_add_vertices(mesh, 11, x[0], nullptr));
    must(toc_mesh_add_elements(mesh, TOC_TRIANGLE, 1, triangle, nullptr));
    must(toc_mesh_add_elements(mesh, TOC_POINT, 8, points, nullptr));
    must(toc_scene_create(nullptr, &scene));
    must(toc_scene_add_body(scene, mesh, nullptr));

    std::set<Key> seen;
    toc_query query = toc_query_default();
    query.filter.wants = is_new;
    query.filter.user = &seen;
    for (int step = 0; step < 8; step++) {
        const double sign = step % 2 ? 1 : -1;
        for (int i = 3; i < 11; i++) x[i][2] += sign * (step + 1);
        must(toc_mesh_move(mesh, 11, x[0]));
        toc_contacts *found;
        must(toc_scene_find_contacts(scene, &query, NULL, &found));
        for (std::size_t i = 0; i < found->count; i++) {
            const toc_contact &c = found->contacts[i];
            seen.insert(key_of(c.kind, c.body, c.v));
        }
        std::printf("step %d: %zu new contacts, %zu in all\n", step, found->count, seen.size());
        toc_contacts_destroy(found);
    }
    toc_scene_destroy(scene);
    return seen.size() > 1 ? 0 : 1;
}
