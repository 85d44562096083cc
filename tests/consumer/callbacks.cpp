// SPDX-License-Identifier: Apache-2.0
// Exceptions of callbacks: kept in the callback, which returns, and thrown again behind the call (base.h, "Callbacks").
#include <toccata/toccata.h>

#include <atomic>
#include <cstdio>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <vector>

namespace {

// What a filter threw first, on any thread; progress then ends the call.
struct Kept {
    std::mutex lock;
    std::exception_ptr thrown;
    std::atomic<bool> stops{false};
    bool throws = true;
};

bool wants(void *user, toc_kind, const std::uint32_t *, const std::uint32_t *) {
    auto &kept = *static_cast<Kept *>(user);
    try {
        if (kept.throws) throw std::runtime_error("the filter has no answer");
    } catch (...) {
        const std::lock_guard<std::mutex> guard(kept.lock);
        if (!kept.thrown) kept.thrown = std::current_exception();
        kept.stops = true;
    }
    return true;
}

int report(void *user, double) { return static_cast<Kept *>(user)->stops; }

toc_scene *make_scene() {
    const int count = 400;
    std::vector<double> x0, x1;
    std::vector<std::uint32_t> corners;
    for (int i = 0; i < 9 * count; i++) {
        x0.push_back((i * 37 % 101) / 101.0);
        x1.push_back((i * 53 % 103) / 103.0);
        if (i % 3 == 0) corners.push_back(static_cast<std::uint32_t>(i / 3));
    }
    toc_scene *scene = nullptr;
    toc_mesh *mesh = nullptr;
    if (toc_scene_create(nullptr, &scene) || toc_mesh_create(nullptr, &mesh) ||
        toc_mesh_add_vertices(mesh, 3 * count, x0.data(), nullptr) ||
        toc_mesh_add_elements(mesh, TOC_TRIANGLE, count, corners.data(), nullptr) ||
        toc_mesh_move(mesh, 3 * count, x1.data()) || toc_scene_add_body(scene, mesh, nullptr))
        throw std::runtime_error(toc_message_get());
    return scene;
}

toc_status ask(toc_scene *scene, Kept &kept, int threads) {
    toc_query query = toc_query_default();
    toc_contacts *found = nullptr;
    query.threads = threads;
    query.filter = {wants, &kept};
    query.progress = {report, &kept};
    const toc_status status = toc_scene_find_contacts(scene, &query, nullptr, &found);
    toc_contacts_destroy(found);
    if (kept.thrown) std::rethrow_exception(kept.thrown);
    return status;
}

} // namespace

int main() {
    toc_scene *scene = make_scene();
    for (int threads = 1; threads <= 3; threads++) {
        bool caught = false;
        Kept kept, again;
        again.throws = false;
        try {
            ask(scene, kept, threads);
        } catch (const std::runtime_error &) {
            caught = true;
        }
        if (!caught || ask(scene, again, threads) != TOC_OK) return std::puts("an exception is lost, or a scene"), 1;
    }
    toc_scene_destroy(scene);
    return 0;
}
