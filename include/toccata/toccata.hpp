// SPDX-License-Identifier: Apache-2.0
/// Toccata for C++17, in headers alone: owners, spans that carry their counts, ranges of contacts, exceptions.
///
/// Every class is a thin owner of an object of the C interface, which get() gives; all of its functions can be called
/// with that. A failure throws toccata::Error with the sentence of toc_message_get. Programs without exceptions pass
/// out() of an owner to the C function and look at its status.
#ifndef TOCCATA_TOCCATA_HPP
#define TOCCATA_TOCCATA_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#if __cplusplus >= 202002L
#include <span>
#endif

#include "toccata/toccata.h"

namespace toccata {

/// A call that failed: what() is the sentence, status() its kind.
class Error : public std::runtime_error {
  public:
    explicit Error(toc_status status) : std::runtime_error(toc_message_get()), status_(status) {}
    toc_status status() const noexcept { return status_; }

  private:
    toc_status status_;
};

/// Throw Error unless the status is TOC_OK.
inline void check(toc_status status) {
    if (status != TOC_OK) throw Error(status);
}

#if __cplusplus >= 202002L
template <class T> using Span = std::span<T>;
#else
/// Items side by side, not owned: std::span where the language has it.
template <class T> class Span {
  public:
    constexpr Span() noexcept = default;
    constexpr Span(T *at, std::size_t count) noexcept : at_(at), count_(count) {}
    template <std::size_t N> constexpr Span(T (&items)[N]) noexcept : at_(items), count_(N) {}
    template <class Container, class = decltype(static_cast<T *>(std::declval<Container &>().data()))>
    constexpr Span(Container &&items) noexcept : at_(items.data()), count_(items.size()) {}
    constexpr T *data() const noexcept { return at_; }
    constexpr std::size_t size() const noexcept { return count_; }
    constexpr bool empty() const noexcept { return count_ == 0; }
    constexpr T *begin() const noexcept { return at_; }
    constexpr T *end() const noexcept { return at_ + count_; }
    constexpr T &operator[](std::size_t i) const { return at_[i]; }

  private:
    T *at_ = nullptr;
    std::size_t count_ = 0;
};
#endif

/// An object of the C interface and its end. Movable, not copyable.
template <class T, void (*Destroy)(T *)> class Owner {
  public:
    Owner() noexcept = default;
    explicit Owner(T *object) noexcept : object_(object) {}
    Owner(Owner &&other) noexcept : object_(other.release()) {}
    Owner &operator=(Owner &&other) noexcept {
        if (this != &other) reset(other.release());
        return *this;
    }
    Owner(const Owner &) = delete;
    Owner &operator=(const Owner &) = delete;
    ~Owner() { Destroy(object_); }

    T *get() const noexcept { return object_; }
    T *operator->() const noexcept { return object_; }
    explicit operator bool() const noexcept { return object_ != nullptr; }
    /// Give the object up: the caller destroys it.
    T *release() noexcept { return std::exchange(object_, nullptr); }
    void reset(T *object = nullptr) noexcept { Destroy(std::exchange(object_, object)); }
    /// The place for a new object, for a function of the C interface. The old one is destroyed.
    T **out() noexcept {
        reset();
        return &object_;
    }

  protected:
    T *object_ = nullptr;
};

/// A list that a question made, as a range of its items.
template <class T, class Item, const Item *T::*Items, void (*Destroy)(T *)> class List : public Owner<T, Destroy> {
  public:
    using value_type = Item;
    using Owner<T, Destroy>::Owner;
    std::size_t size() const noexcept { return this->object_ ? this->object_->count : 0; }
    bool empty() const noexcept { return size() == 0; }
    const Item *data() const noexcept { return this->object_ ? this->object_->*Items : nullptr; }
    const Item *begin() const noexcept { return data(); }
    const Item *end() const noexcept { return data() + size(); }
    const Item &operator[](std::size_t i) const { return data()[i]; }
};

using Overlaps = List<toc_overlaps, toc_overlap_pair, &toc_overlaps::pairs, toc_overlaps_destroy>;
using Near = List<toc_near, toc_near_pair, &toc_near::pairs, toc_near_destroy>;
using VertexPairs = List<toc_vertex_pairs, toc_vertex_pair, &toc_vertex_pairs::pairs, toc_vertex_pairs_destroy>;
using Containments = List<toc_containments, toc_containment, &toc_containments::pairs, toc_containments_destroy>;
using Candidates = Owner<toc_candidates, toc_candidates_destroy>;

/// The contacts of a step.
class Contacts : public List<toc_contacts, toc_contact, &toc_contacts::contacts, toc_contacts_destroy> {
  public:
    using List::List;
    /// The earliest one; nullptr where there is none.
    const toc_contact *first() const noexcept { return toc_contacts_find_first(get()); }
};

/// Settings of a question, at their defaults to begin with.
struct Query : toc_query {
    Query() : toc_query(toc_query_default()) {}
};

/// A mesh that somebody else owns: of a scene, or of a Mesh.
class MeshView {
  public:
    explicit MeshView(toc_mesh *mesh) noexcept : mesh_(mesh) {}
    toc_mesh *get() const noexcept { return mesh_; }
    std::size_t vertex_count() const noexcept { return toc_mesh_get_vertex_count(mesh_); }
    std::size_t element_count() const noexcept { return toc_mesh_get_element_count(mesh_); }
    Span<const double> x0() const noexcept { return {toc_mesh_get_x0(mesh_), 3 * vertex_count()}; }
    Span<const double> x1() const noexcept { return {toc_mesh_get_x1(mesh_), 3 * vertex_count()}; }
    toc_element element(std::uint32_t id) const noexcept { return toc_mesh_get_element(mesh_, id); }

    /// Add vertices, 3 doubles each. @return the id of the first.
    std::uint32_t add_vertices(Span<const double> positions) const {
        std::uint32_t first = 0;
        check(toc_mesh_add_vertices(mesh_, rows(positions, "positions"), positions.data(), &first));
        return first;
    }
    /// Add elements of one shape: their corners one after the other. @return the id of the first.
    std::uint32_t add_elements(toc_shape shape, Span<const std::uint32_t> corners) const {
        const auto each = static_cast<std::size_t>(toc_shape_count_corners(shape));
        if (each == 0 || corners.size() % each != 0)
            throw_bad_input(std::to_string(corners.size()) + " corners do not make whole elements of " +
                            std::to_string(each));
        std::uint32_t first = 0;
        check(toc_mesh_add_elements(mesh_, shape, corners.size() / each, corners.data(), &first));
        return first;
    }
    /// Next step: the old end becomes the start, and x1 the end.
    void move(Span<const double> x1) const { check(toc_mesh_move(mesh_, rows(x1, "x1"), x1.data())); }
    /// Both ends of the step at once.
    void set_motion(Span<const double> x0, Span<const double> x1) const {
        if (x0.size() != x1.size())
            throw_bad_input("x0 has " + std::to_string(x0.size()) + " doubles, x1 " + std::to_string(x1.size()));
        check(toc_mesh_set_motion(mesh_, rows(x0, "x0"), x0.data(), x1.data()));
    }

  protected:
    toc_mesh *mesh_;

  private:
    [[noreturn]] static void throw_bad_input(const std::string &text) {
        throw Error(toc_message_set(TOC_BAD_INPUT, text.c_str()));
    }
    static std::size_t rows(Span<const double> x, const char *name) {
        if (x.size() % 3 != 0)
            throw_bad_input(std::string(name) + " has " + std::to_string(x.size()) +
                            " doubles, which are no whole vertices of 3");
        return x.size() / 3;
    }
};

/// A mesh of its own, until a scene takes it.
class Mesh : public MeshView {
  public:
    explicit Mesh(const toc_allocator *allocator = nullptr) : MeshView(nullptr) {
        check(toc_mesh_create(allocator, &mesh_));
    }
    /// Vertices at rest, 3 doubles each, and elements of one shape.
    Mesh(Span<const double> positions, toc_shape shape, Span<const std::uint32_t> corners) : Mesh() {
        add_vertices(positions);
        add_elements(shape, corners);
    }
    /// Take a mesh of the C interface.
    static Mesh take(toc_mesh *mesh) noexcept { return Mesh(mesh, 0); }
    Mesh(Mesh &&other) noexcept : MeshView(other.release()) {}
    Mesh &operator=(Mesh &&other) noexcept {
        if (this != &other) {
            toc_mesh_destroy(mesh_);
            mesh_ = other.release();
        }
        return *this;
    }
    Mesh(const Mesh &) = delete;
    Mesh &operator=(const Mesh &) = delete;
    ~Mesh() { toc_mesh_destroy(mesh_); }
    /// Give the mesh up: the caller destroys it.
    toc_mesh *release() noexcept { return std::exchange(mesh_, nullptr); }

  private:
    Mesh(toc_mesh *mesh, int) noexcept : MeshView(mesh) {}
};

/// A body that rests for ever, which any number of scenes and threads can share.
class World {
  public:
    /// Take a mesh at rest. On failure it stays with the caller.
    explicit World(Mesh &&mesh, const toc_allocator *allocator = nullptr) {
        check(toc_world_create(allocator, mesh.get(), world_.out()));
        mesh.release();
    }
    toc_world *get() const noexcept { return world_.get(); }

  private:
    Owner<toc_world, toc_world_destroy> world_;
};

/// A scene of bodies that move, and its questions.
class Scene {
  public:
    explicit Scene(const toc_allocator *allocator = nullptr) { check(toc_scene_create(allocator, scene_.out())); }
    toc_scene *get() const noexcept { return scene_.get(); }

    /// Add a body, which the scene owns from then on. On failure it stays with the caller. @return its id.
    std::uint32_t add(Mesh &&mesh) {
        std::uint32_t body = 0;
        check(toc_scene_add_body(get(), mesh.get(), &body));
        mesh.release();
        return body;
    }
    /// Add a world, which other scenes may have, too. @return the id of its body.
    std::uint32_t add(const World &world) {
        std::uint32_t body = 0;
        check(toc_scene_add_world(get(), world.get(), &body));
        return body;
    }
    /// The mesh of a body, to move or to edit.
    MeshView mesh(std::uint32_t body) const {
        toc_mesh *found = toc_scene_edit_mesh(get(), body);
        if (!found) throw Error(toc_message_set(TOC_BAD_INPUT, ("there is no body " + std::to_string(body)).c_str()));
        return MeshView(found);
    }

    /// The contacts of the step.
    Contacts contacts(const toc_query &query = Query()) const {
        Contacts found;
        check(toc_scene_find_contacts(get(), &query, nullptr, found.out()));
        return found;
    }
    /// The same into an earlier result: a loop that does so allocates nothing. On failure it stays as it was.
    void contacts(const toc_query &query, Contacts &found) const {
        toc_contacts *again = nullptr;
        check(toc_scene_find_contacts(get(), &query, found.get(), &again));
        if (again != found.get()) found.reset(again);
    }
    /// The pairs of features within a distance.
    Near near_pairs(double distance, toc_near_time time = TOC_NEAR_AT_START, const toc_query &query = Query()) const {
        toc_near_query near = toc_near_query_default();
        near.distance = distance;
        near.time = time;
        Near found;
        check(toc_scene_find_near(get(), &query, &near, nullptr, found.out()));
        return found;
    }
    /// The faces, or the volume elements, that overlap at an end of the step.
    Overlaps overlaps(toc_end end = TOC_AT_START, toc_overlaps_of of = TOC_OVERLAPS_OF_FACES,
                      const toc_query &query = Query()) const {
        Overlaps found;
        check(toc_scene_find_overlaps_of(get(), &query, end, of, nullptr, found.out()));
        return found;
    }
    /// The bodies inside of others at an end of the step.
    Containments containments(toc_end end = TOC_AT_START, const toc_query &query = Query()) const {
        Containments found;
        check(toc_scene_find_containments(get(), &query, end, found.out()));
        return found;
    }
    /// How far all bodies can move without a contact: a fraction of the step.
    double safe_step(const toc_query &query = Query()) const {
        double fraction = 0;
        check(toc_scene_find_safe_step(get(), &query, &fraction));
        return fraction;
    }
    /// How far all bodies can move so that every pair keeps room.
    toc_room_step room_step(const toc_query &query = Query(), const toc_room &room = toc_room_default()) const {
        toc_room_step step{};
        check(toc_scene_find_room_step(get(), &query, &room, &step));
        return step;
    }
    /// The pairs that can come within a distance in a line search, for query.candidates.
    Candidates candidates(double slack, double distance, const toc_query &query = Query()) const {
        Candidates found;
        check(toc_scene_find_candidates(get(), &query, slack, distance, found.out()));
        return found;
    }

  private:
    Owner<toc_scene, toc_scene_destroy> scene_;
};

} // namespace toccata

#endif
