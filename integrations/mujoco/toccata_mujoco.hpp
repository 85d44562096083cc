// SPDX-License-Identifier: Apache-2.0
/// Toccata beside MuJoCo: every step of a model is checked for contacts between its states, which MuJoCo does not see.
///
/// MuJoCo finds contacts in single states: a body that is fast for its size, or smaller than the gaps between the
/// geoms of a cloth, passes through. Watch lists the pairs that touch within a step and have no contact of MuJoCo at
/// either end. Guard takes such a step back, hands these contacts to MuJoCo's own solver, and steps again.
#ifndef TOCCATA_INTEGRATIONS_MUJOCO_HPP
#define TOCCATA_INTEGRATIONS_MUJOCO_HPP

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <mujoco/mujoco.h>
#include <toccata/toccata.hpp>

namespace toccata::mujoco {

/// A geom that can collide, or a skin: the surface of a flexible body.
struct Object {
    int geom = -1; ///< Below 0 for a skin.
    int skin = -1;
};

/// A place where two objects touch within a step.
struct Touch {
    Object first, second;
    double toc;        ///< Of the step, 0 to 1.
    double point[3];   ///< Where.
    double from[2][3]; ///< The points of both features that touch there, at the start of the step.
    double normal[3];  ///< Unit, from the second object to the first one.
    double gap;        ///< The distance along the normal that the features come nearer until then; length, >= 0.
    bool known_before, known_after; ///< MuJoCo has a contact of the two at the start, at the end.
};

/// The surfaces of a model. Boxes, planes, meshes and height fields have triangles; spheres and capsules are an edge
/// with a thickness; cylinders and ellipsoids are inscribed polyhedra. Meshes have their own faces, not those of their
/// hull.
class Surfaces {
  public:
    explicit Surfaces(const mjModel *model) : m_(model) {
        for (int g = 0; g < m_->ngeom; g++)
            if (m_->geom_contype[g] || m_->geom_conaffinity[g]) add_geom(g);
        for (int s = 0; s < m_->nskin; s++) add_skin(s);
    }
    const std::vector<Object> &objects() const { return objects_; }
    /// Corners of an object: triangles, or one edge.
    toc_shape shape(std::size_t i) const { return parts_[i].thickness > 0 ? TOC_EDGE : TOC_TRIANGLE; }
    const std::vector<std::uint32_t> &corners(std::size_t i) const { return parts_[i].corners; }
    double thickness(std::size_t i) const { return parts_[i].thickness; }
    /// Vertices of an object at the present positions (mj_kinematics), 3 doubles each.
    std::vector<double> vertices(const mjData *d, std::size_t i) const {
        std::vector<double> x(parts_[i].rest.size());
        const Object o = objects_[i];
        if (o.skin >= 0) {
            place_skin(d, o.skin, x);
            return x;
        }
        for (std::size_t k = 0; k < x.size(); k += 3) {
            mju_rotVecMat(x.data() + k, parts_[i].rest.data() + k, d->geom_xmat + 9 * o.geom);
            mju_addTo3(x.data() + k, d->geom_xpos + 3 * o.geom);
        }
        return x;
    }
    /// Whether MuJoCo lets two objects collide. A skin collides as the geoms of its bodies do.
    bool collide(std::size_t a, std::size_t b) const {
        const Object p = objects_[a], q = objects_[b];
        if (p.skin >= 0 && q.skin >= 0) return p.skin != q.skin;
        if (p.skin >= 0) return geom_meets_skin(q.geom, p.skin);
        if (q.skin >= 0) return geom_meets_skin(p.geom, q.skin);
        return geoms_meet(p.geom, q.geom);
    }
    bool is_of_skin(int body, int skin) const {
        for (int b = 0; b < m_->skin_bonenum[skin]; b++)
            if (m_->skin_bonebodyid[m_->skin_boneadr[skin] + b] == body) return true;
        return false;
    }

  private:
    struct Part {
        std::vector<double> rest;
        std::vector<std::uint32_t> corners;
        double thickness = 0;
    };
    static constexpr double far = 1000; // of a plane without a size, in extents of the model
    static constexpr int around = 32;   // vertices around a cylinder or an ellipsoid

    const mjModel *m_;
    std::vector<Object> objects_;
    std::vector<Part> parts_;

    static void add_vertex(Part &p, double x, double y, double z) { p.rest.insert(p.rest.end(), {x, y, z}); }
    static void add_triangle(Part &p, int a, int b, int c) {
        for (const int v : {a, b, c}) p.corners.push_back(static_cast<std::uint32_t>(v));
    }
    static void add_quad(Part &p, int a, int b, int c, int d) {
        add_triangle(p, a, b, c);
        add_triangle(p, a, c, d);
    }
    void add_geom(int g) {
        Part p;
        const mjtNum *s = m_->geom_size + 3 * g;
        switch (m_->geom_type[g]) {
        case mjGEOM_PLANE:
            make_plane(p, s);
            break;
        case mjGEOM_HFIELD:
            make_field(p, m_->geom_dataid[g]);
            break;
        case mjGEOM_SPHERE:
            make_rod(p, 0, s[0]);
            break;
        case mjGEOM_CAPSULE:
            make_rod(p, s[1], s[0]);
            break;
        case mjGEOM_ELLIPSOID:
            make_round(p, {s[0], s[1], s[2]}, around / 2);
            break;
        case mjGEOM_CYLINDER:
            make_round(p, {s[0], s[0], s[1]}, 1);
            break;
        case mjGEOM_BOX:
            make_box(p, s);
            break;
        case mjGEOM_MESH:
            make_mesh(p, m_->geom_dataid[g]);
            break;
        default:
            return;
        }
        objects_.push_back({g, -1});
        parts_.push_back(std::move(p));
    }
    void make_plane(Part &p, const mjtNum *size) const {
        const double x = size[0] > 0 ? size[0] : far * m_->stat.extent,
                     y = size[1] > 0 ? size[1] : far * m_->stat.extent;
        for (const auto &[i, j] : {std::pair{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}) add_vertex(p, i * x, j * y, 0);
        add_quad(p, 0, 1, 2, 3);
    }
    void make_field(Part &p, int field) const {
        const int rows = m_->hfield_nrow[field], columns = m_->hfield_ncol[field];
        const mjtNum *s = m_->hfield_size + 4 * field;
        for (int r = 0; r < rows; r++)
            for (int c = 0; c < columns; c++)
                add_vertex(p, s[0] * (2. * c / (columns - 1) - 1), s[1] * (2. * r / (rows - 1) - 1),
                           s[2] * static_cast<double>(m_->hfield_data[m_->hfield_adr[field] + r * columns + c]));
        for (int r = 0; r + 1 < rows; r++)
            for (int c = 0; c + 1 < columns; c++) {
                const int a = r * columns + c;
                add_quad(p, a, a + 1, a + columns + 1, a + columns);
            }
    }
    // A sphere is a capsule without a length.
    static void make_rod(Part &p, double half, double radius) {
        add_vertex(p, 0, 0, -half);
        add_vertex(p, 0, 0, half);
        p.corners = {0, 1};
        p.thickness = 2 * radius;
    }
    static void make_box(Part &p, const mjtNum *s) {
        for (int i = 0; i < 8; i++) add_vertex(p, i & 1 ? s[0] : -s[0], i & 2 ? s[1] : -s[1], i & 4 ? s[2] : -s[2]);
        add_quad(p, 0, 2, 3, 1);
        add_quad(p, 4, 5, 7, 6);
        add_quad(p, 0, 1, 5, 4);
        add_quad(p, 2, 6, 7, 3);
        add_quad(p, 0, 4, 6, 2);
        add_quad(p, 1, 3, 7, 5);
    }
    // Rings of vertices from pole to pole: those of an ellipsoid, or the two ends of a cylinder.
    static void make_round(Part &p, const std::array<double, 3> &size, int rings) {
        const double pi = 3.14159265358979323846;
        const int count = rings == 1 ? 2 : rings - 1;
        for (int r = 0; r < count; r++) {
            const double tilt = pi * (r + 1) / rings, wide = rings == 1 ? 1 : std::sin(tilt);
            const double up = rings == 1 ? 2 * r - 1 : -std::cos(tilt);
            for (int k = 0; k < around; k++)
                add_vertex(p, size[0] * wide * std::cos(2 * pi * k / around),
                           size[1] * wide * std::sin(2 * pi * k / around), size[2] * up);
        }
        add_vertex(p, 0, 0, -size[2]);
        add_vertex(p, 0, 0, size[2]);
        for (int k = 0; k < around; k++) {
            const int next = (k + 1) % around, last = (count - 1) * around;
            add_triangle(p, next, k, count * around);
            add_triangle(p, last + k, last + next, count * around + 1);
            for (int r = 0; r + 1 < count; r++)
                add_quad(p, r * around + k, r * around + next, (r + 1) * around + next, (r + 1) * around + k);
        }
    }
    void make_mesh(Part &p, int mesh) const {
        const float *v = m_->mesh_vert + 3 * m_->mesh_vertadr[mesh];
        for (int i = 0; i < m_->mesh_vertnum[mesh]; i++) add_vertex(p, v[3 * i], v[3 * i + 1], v[3 * i + 2]);
        const int *f = m_->mesh_face + 3 * m_->mesh_faceadr[mesh];
        for (int i = 0; i < m_->mesh_facenum[mesh]; i++) add_triangle(p, f[3 * i], f[3 * i + 1], f[3 * i + 2]);
    }
    void add_skin(int s) {
        Part p;
        p.rest.resize(3 * static_cast<std::size_t>(m_->skin_vertnum[s]));
        const int *f = m_->skin_face + 3 * m_->skin_faceadr[s];
        for (int i = 0; i < m_->skin_facenum[s]; i++) add_triangle(p, f[3 * i], f[3 * i + 1], f[3 * i + 2]);
        objects_.push_back({-1, s});
        parts_.push_back(std::move(p));
    }
    // Each bone carries its vertices along from where they were bound; weights of a vertex sum to 1.
    void place_skin(const mjData *d, int s, std::vector<double> &x) const {
        std::fill(x.begin(), x.end(), 0.0);
        const float *rest = m_->skin_vert + 3 * m_->skin_vertadr[s];
        for (int b = m_->skin_boneadr[s]; b < m_->skin_boneadr[s] + m_->skin_bonenum[s]; b++) {
            const int body = m_->skin_bonebodyid[b];
            mjtNum bound[4], unbound[4], turn[4];
            for (int k = 0; k < 4; k++) bound[k] = m_->skin_bonebindquat[4 * b + k];
            mju_negQuat(unbound, bound);
            mju_mulQuat(turn, d->xquat + 4 * body, unbound);
            for (int i = m_->skin_bonevertadr[b]; i < m_->skin_bonevertadr[b] + m_->skin_bonevertnum[b]; i++) {
                const int v = m_->skin_bonevertid[i];
                mjtNum arm[3], at[3];
                for (int k = 0; k < 3; k++) arm[k] = rest[3 * v + k] - m_->skin_bonebindpos[3 * b + k];
                mju_rotVecQuat(at, arm, turn);
                mju_addTo3(at, d->xpos + 3 * body);
                mju_addToScl3(x.data() + 3 * v, at, m_->skin_bonevertweight[i]);
            }
        }
    }
    bool geoms_meet(int a, int b) const {
        const int p = m_->geom_bodyid[a], q = m_->geom_bodyid[b];
        const int first = m_->body_weldid[p], second = m_->body_weldid[q];
        if (first == second) return false;
        const int up = m_->body_weldid[m_->body_parentid[first]], other = m_->body_weldid[m_->body_parentid[second]];
        if (!(m_->opt.disableflags & mjDSBL_FILTERPARENT) && first && second && (first == other || second == up))
            return false;
        const int signature = ((std::min(p, q) + 1) << 16) + std::max(p, q) + 1;
        for (int i = 0; i < m_->nexclude; i++)
            if (m_->exclude_signature[i] == signature) return false;
        return (m_->geom_contype[a] & m_->geom_conaffinity[b]) || (m_->geom_contype[b] & m_->geom_conaffinity[a]);
    }
    bool geom_meets_skin(int geom, int skin) const {
        if (is_of_skin(m_->geom_bodyid[geom], skin)) return false;
        for (int g = 0; g < m_->ngeom; g++)
            if (is_of_skin(m_->geom_bodyid[g], skin) && geoms_meet(g, geom)) return true;
        return false;
    }
};

/// Checks the steps of a model.
class Watch {
  public:
    /// The model must stay as it is.
    explicit Watch(const mjModel *model) : m_(model), surfaces_(model) {
        const std::size_t count = surfaces_.objects().size();
        wanted_.resize(count * count);
        mjData *d = mj_makeData(m_);
        mj_kinematics(m_, d);
        for (std::size_t i = 0; i < count; i++) {
            const std::uint32_t body =
                scene_.add(Mesh(surfaces_.vertices(d, i), surfaces_.shape(i), surfaces_.corners(i)));
            check(toc_scene_set_body_thickness(scene_.get(), body, surfaces_.thickness(i)));
            check(toc_scene_set_self_contact(scene_.get(), body, false));
            for (std::size_t k = 0; k < i; k++)
                wanted_[i * count + k] = wanted_[k * count + i] = surfaces_.collide(i, k);
        }
        mj_deleteData(d);
        query_.filter.user = this;
        query_.filter.wants = [](void *user, toc_kind, const std::uint32_t body[2], const std::uint32_t *) {
            const auto *w = static_cast<const Watch *>(user);
            return static_cast<bool>(w->wanted_[body[0] * w->surfaces_.objects().size() + body[1]]);
        };
    }
    Watch(const Watch &) = delete;
    Watch &operator=(const Watch &) = delete;

    /// Before a step: take the positions and the contacts of the state.
    void begin(mjData *d) {
        const std::size_t count = surfaces_.objects().size();
        mj_kinematics(m_, d);
        mj_comPos(m_, d);
        mj_collision(m_, d);
        before_ = pairs_of(d);
        starts_.clear();
        for (std::size_t i = 0; i < count; i++) starts_.push_back(surfaces_.vertices(d, i));
    }
    /// After it: all touches on the straight way of the vertices from the state before, those of two objects side by
    /// side, the first one first.
    std::vector<Touch> end(mjData *d) {
        mj_kinematics(m_, d);
        mj_comPos(m_, d);
        mj_collision(m_, d);
        const GeomPairs after = pairs_of(d);
        for (std::size_t i = 0; i < starts_.size(); i++)
            scene_.mesh(static_cast<std::uint32_t>(i)).set_motion(starts_[i], surfaces_.vertices(d, i));
        scene_.contacts(query_, found_);
        std::vector<Touch> touches;
        for (const toc_contact *c : in_order()) touches.push_back(describe(*c, after));
        return touches;
    }
    /// mj_step, and the first touch of each two objects that MuJoCo does not know.
    std::vector<Touch> step(mjData *d) {
        begin(d);
        mj_step(m_, d);
        return firsts(unknown(end(d)));
    }
    /// The first touch of each two objects.
    static std::vector<Touch> firsts(std::vector<Touch> touches) {
        const auto same = [](const Object &a, const Object &b) { return a.geom == b.geom && a.skin == b.skin; };
        touches.erase(std::unique(touches.begin(), touches.end(),
                                  [&](const Touch &a, const Touch &b) {
                                      return same(a.first, b.first) && same(a.second, b.second);
                                  }),
                      touches.end());
        return touches;
    }
    static std::vector<Touch> unknown(std::vector<Touch> touches) {
        touches.erase(std::remove_if(touches.begin(), touches.end(),
                                     [](const Touch &t) { return t.known_before || t.known_after; }),
                      touches.end());
        return touches;
    }
    const Surfaces &surfaces() const { return surfaces_; }
    /// "wall", or "geom 3" for one without a name.
    std::string name(const Object &o) const {
        const int id = o.skin >= 0 ? o.skin : o.geom;
        const char *given = mj_id2name(m_, o.skin >= 0 ? mjOBJ_SKIN : mjOBJ_GEOM, id);
        return given && *given ? given : (o.skin >= 0 ? "skin " : "geom ") + std::to_string(id);
    }

  private:
    using GeomPairs = std::set<std::pair<int, int>>; // with a contact of MuJoCo

    const mjModel *m_;
    Surfaces surfaces_;
    Scene scene_;
    Query query_;
    Contacts found_;
    std::vector<char> wanted_; // by the two objects
    std::vector<std::vector<double>> starts_;
    GeomPairs before_;

    static GeomPairs pairs_of(const mjData *d) {
        GeomPairs pairs;
        for (int i = 0; i < d->ncon; i++) pairs.emplace(std::minmax(d->contact[i].geom1, d->contact[i].geom2));
        return pairs;
    }
    // A skin is known by the contacts of the geoms of its bodies.
    bool is_known(const GeomPairs &pairs, const Object &a, const Object &b) const {
        if (a.skin < 0 && b.skin < 0) return pairs.count(std::minmax(a.geom, b.geom)) > 0;
        const auto is_of = [this](int geom, const Object &o) {
            return o.skin < 0 ? geom == o.geom : surfaces_.is_of_skin(m_->geom_bodyid[geom], o.skin);
        };
        for (const auto &[g, h] : pairs)
            if ((is_of(g, a) && is_of(h, b)) || (is_of(h, a) && is_of(g, b))) return true;
        return false;
    }
    std::vector<const toc_contact *> in_order() const {
        std::vector<const toc_contact *> order;
        for (const toc_contact &c : found_) order.push_back(&c);
        const auto pair = [](const toc_contact *c) { return std::minmax(c->body[0], c->body[1]); };
        std::sort(order.begin(), order.end(), [&](const toc_contact *a, const toc_contact *b) {
            return pair(a) != pair(b) ? pair(a) < pair(b) : toc_contact_compare_times(a, b) < 0;
        });
        return order;
    }
    Touch describe(const toc_contact &c, const GeomPairs &after) const {
        const bool turned = c.body[1] < c.body[0]; // always the same order
        Touch t{};
        t.first = surfaces_.objects()[c.body[turned]];
        t.second = surfaces_.objects()[c.body[!turned]];
        t.toc = c.toc;
        const std::size_t split = c.kind == TOC_VF ? 1 : 2;
        std::array<double, 3> way{}; // of the first object relative to the second one
        for (std::size_t i = 0; i < 4; i++) {
            const std::size_t side = (i >= split) != turned;
            const MeshView mesh = scene_.mesh(c.body[i >= split]);
            const double *x0 = mesh.x0().data() + 3 * c.v[i], *x1 = mesh.x1().data() + 3 * c.v[i];
            mju_addToScl3(t.from[side], x0, c.weights[i]);
            mju_addToScl3(way.data(), x1, side ? -c.weights[i] : c.weights[i]);
            mju_addToScl3(way.data(), x0, side ? c.weights[i] : -c.weights[i]);
        }
        std::copy(c.point, c.point + 3, t.point);
        mju_scl3(t.normal, c.normal, turned ? -1 : 1);
        if (surfaces_.thickness(c.body[0]) + surfaces_.thickness(c.body[1]) > 0) { // apart when they touch
            mju_sub3(t.normal, t.from[0], t.from[1]);
            mju_addToScl3(t.normal, way.data(), c.toc);
            mju_normalize3(t.normal);
        }
        t.gap = std::max(0.0, -c.toc * mju_dot3(way.data(), t.normal));
        t.known_before = is_known(before_, t.first, t.second);
        t.known_after = is_known(after, t.first, t.second);
        return t;
    }
};

/// Steps of a model in which no geoms pass through each other.
class Guard {
  public:
    explicit Guard(const mjModel *model) : m_(model), watch_(model), before_(mj_makeData(model)) {}
    Guard(const Guard &) = delete;
    Guard &operator=(const Guard &) = delete;
    ~Guard() { mj_deleteData(before_); }

    /// A step by the integrator of Euler. Touches of geoms that have no contact of MuJoCo before become contacts of its
    /// solver, and the step is taken again, at most `rounds` times.
    /// @return the first touches that are left and that MuJoCo does not know; those of skins are all left, since
    /// contacts of MuJoCo are those of geoms.
    std::vector<Touch> step(mjData *d, int rounds = 8) {
        std::vector<mjContact> added;
        std::vector<Touch> touches;
        watch_.begin(d);
        mj_copyData(before_, m_, d);
        for (int round = 0; round <= rounds; round++) {
            if (round > 0) mj_copyData(d, m_, before_);
            advance(d, added);
            touches = watch_.end(d);
            const std::size_t count = added.size();
            for (const Touch &t : touches)
                if (!t.known_before && t.first.skin < 0 && t.second.skin < 0) added.push_back(contact_of(t));
            if (added.size() == count) break;
            taken_back_++;
        }
        return Watch::firsts(Watch::unknown(touches));
    }
    /// Steps that were taken again so far.
    long taken_back() const { return taken_back_; }
    const Watch &watch() const { return watch_; }

  private:
    const mjModel *m_;
    Watch watch_;
    mjData *before_;
    long taken_back_ = 0;

    // The parts of mj_step, with contacts put in behind those of MuJoCo.
    void advance(mjData *d, const std::vector<mjContact> &added) const {
        mj_fwdPosition(m_, d);
        for (const mjContact &c : added)
            if (mj_addContact(m_, d, &c))
                throw std::runtime_error("the model has no room for contacts: raise its nconmax");
        if (!added.empty()) {
            mj_makeConstraint(m_, d);
            mj_projectConstraint(m_, d);
        }
        mj_sensorPos(m_, d);
        mj_fwdVelocity(m_, d);
        mj_sensorVel(m_, d);
        if (mjcb_control) mjcb_control(m_, d);
        mj_fwdActuation(m_, d);
        mj_fwdAcceleration(m_, d);
        mj_fwdConstraint(m_, d);
        mj_sensorAcc(m_, d);
        mj_Euler(m_, d);
    }
    double weight(int geom) const {
        const int body = m_->geom_bodyid[geom];
        return m_->body_weldid[body] ? m_->body_mass[body] : HUGE_VAL;
    }
    static void make_tangents(mjtNum frame[9]) {
        const mjtNum side[] = {std::fabs(frame[0]) < 0.5 ? 1. : 0., std::fabs(frame[0]) < 0.5 ? 0. : 1., 0};
        mju_cross(frame + 3, frame, side);
        mju_normalize3(frame + 3);
        mju_cross(frame + 6, frame, frame + 3);
    }
    // Without friction, as stiff as a step allows: the speed that is left closes less than the gap.
    mjContact contact_of(const Touch &t) const {
        mjContact c{};
        // A force acts on both bodies at one point, but they meet within the step only: that of the lighter one.
        const int light = weight(t.first.geom) <= weight(t.second.geom) ? 0 : 1;
        c.dist = t.gap;
        std::copy(t.from[light], t.from[light] + 3, c.pos);
        for (int k = 0; k < 3; k++) c.frame[k] = -t.normal[k]; // MuJoCo's points from the first geom to the second one
        make_tangents(c.frame);
        for (mjtNum &f : c.friction) f = mjMINMU;
        c.solref[0] = 2 * m_->opt.timestep;
        c.solref[1] = 1;
        const mjtNum hard[] = {0.95, 0.99, 0.001, 0.5, 2};
        std::copy(hard, hard + mjNIMP, c.solimp);
        c.dim = 1;
        c.geom1 = t.first.geom;
        c.geom2 = t.second.geom;
        c.efc_address = -1;
        return c;
    }
};

} // namespace toccata::mujoco

#endif
