// SPDX-License-Identifier: Apache-2.0
// The Alembic files of this folder, by the Alembic library itself (Debian's libalembic-graphics-dev, 1.8.9):
//
//     c++ -std=c++17 make.cpp -o make $(pkg-config --cflags Imath) -lAlembic -lImath-3_2 && ./make FOLDER
//
// Beside each NAME.abc stands NAME.txt: every polygon at every frame as the library reads it, world positions of
// corners in the order of the product, with the path of the mesh in front.
#include <Alembic/AbcCoreFactory/All.h>
#include <Alembic/AbcCoreHDF5/All.h>
#include <Alembic/AbcCoreOgawa/All.h>
#include <Alembic/AbcGeom/All.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <iomanip>
#include <map>
#include <set>
#include <string>
#include <vector>

using namespace Alembic::AbcGeom;

// ---- writing

struct Polygons {
    std::vector<V3f> points;
    std::vector<int32_t> corners, counts;
};

/// A grid of quads, whose last one is two triangles, and a pentagon beside it.
static Polygons grid(int n, float lift) {
    Polygons p;
    for (int i = 0; i <= n; i++)
        for (int k = 0; k <= n; k++) p.points.emplace_back(i, k, lift * float(i * k) / float(n * n));
    const auto quad = [&](int i, int k) {
        return std::vector<int32_t>{i * (n + 1) + k, i * (n + 1) + k + 1, (i + 1) * (n + 1) + k + 1,
                                    (i + 1) * (n + 1) + k};
    };
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            const auto q = quad(i, k);
            if (i == n - 1 && k == n - 1) {
                p.corners.insert(p.corners.end(), {q[0], q[1], q[2], q[0], q[2], q[3]});
                p.counts.insert(p.counts.end(), {3, 3});
            } else {
                p.corners.insert(p.corners.end(), q.begin(), q.end());
                p.counts.push_back(4);
            }
        }
    const int first = int(p.points.size());
    for (int i = 0; i < 5; i++) {
        p.points.emplace_back(3 + std::cos(-1.2566f * float(i)), -3 + std::sin(-1.2566f * float(i)), lift);
        p.corners.push_back(first + i);
    }
    p.counts.push_back(5);
    return p;
}

/// What exporters add: normals and texture coordinates, a set of faces, bounds, attributes.
static void decorate(OPolyMeshSchema &schema, const Polygons &p, OPolyMeshSchema::Sample &sample,
                     std::vector<N3f> &normals, std::vector<V2f> &uvs) {
    normals.assign(p.corners.size(), N3f(0, 0, 1));
    uvs.assign(p.corners.size(), V2f(0.5f, 0.25f));
    sample.setNormals(ON3fGeomParam::Sample(N3fArraySample(normals), kFacevaryingScope));
    sample.setUVs(OV2fGeomParam::Sample(V2fArraySample(uvs), kFacevaryingScope));
    (void)schema;
}

static void set(OPolyMesh &mesh, const Polygons &p, bool extras) {
    OPolyMeshSchema &schema = mesh.getSchema();
    OPolyMeshSchema::Sample sample{V3fArraySample(p.points), Int32ArraySample(p.corners), Int32ArraySample(p.counts)};
    std::vector<N3f> normals;
    std::vector<V2f> uvs;
    if (extras) decorate(schema, p, sample, normals, uvs);
    schema.set(sample);
}

static OArchive begin(const std::string &path, bool hdf5 = false) {
    return hdf5 ? CreateArchiveWithInfo(Alembic::AbcCoreHDF5::WriteArchive(), path, "Toccata's tests",
                                        "made by make.cpp")
                : CreateArchiveWithInfo(Alembic::AbcCoreOgawa::WriteArchive(), path, "Toccata's tests",
                                        "made by make.cpp");
}

/// Meshes that move under transformations of every operation, at the frames of a film; also a camera, curves and
/// points.
static void write_motion(const std::string &path) {
    OArchive archive = begin(path);
    const uint32_t film = archive.addTimeSampling(AbcA::TimeSampling(1.0 / 24, 1.0 / 24));
    OXform place(archive.getTop(), "place", film), turn(place, "turn", film), alone(turn, "alone", film);
    OPolyMesh sheet(turn, "sheetShape", film), rest(place, "rest"), free(alone, "free", film);
    OPolyMesh same(archive.getTop(), "same", film);
    OCamera camera(place, "camera");
    camera.getSchema().set(CameraSample());
    OPoints points(place, "points");
    const std::vector<V3f> at{V3f(0, 0, 0), V3f(1, 0, 0)};
    const std::vector<uint64_t> ids{0, 1};
    points.getSchema().set(OPointsSchema::Sample(V3fArraySample(at), UInt64ArraySample(ids)));
    OCurves curves(place, "curves");
    const std::vector<int32_t> two{2};
    curves.getSchema().set(OCurvesSchema::Sample(V3fArraySample(at), Int32ArraySample(two)));
    CreateVisibilityProperty(sheet, film);
    OFaceSet &faces = sheet.getSchema().createFaceSet("some");
    const std::vector<int32_t> chosen{0, 2};
    faces.getSchema().set(OFaceSetSchema::Sample(Int32ArraySample(chosen)));
    OFloatProperty(sheet.getSchema().getUserProperties(), "mass").set(3);
    set(rest, grid(2, 0), true);
    for (int f = 0; f < 5; f++) {
        XformSample s, t, u;
        s.addOp(XformOp(kTranslateOperation, kTranslateHint), V3d(f, 2, -1));
        s.addOp(XformOp(kRotateXOperation, kRotateHint), 10 * f);
        s.addOp(XformOp(kRotateYOperation, kRotateHint), 5 - f);
        s.addOp(XformOp(kRotateZOperation, kRotateHint), 20 * f);
        s.addOp(XformOp(kScaleOperation, kScaleHint), V3d(1, 2, 1 + 0.1 * f));
        s.addOp(XformOp(kTranslateOperation, kScalePivotPointHint), V3d(0.5, 0, 0));
        t.addOp(XformOp(kRotateOperation, kRotateHint), V3d(1, 1, f), 30 * f);
        M44d shear;
        shear[1][0] = 0.1 * f;
        shear[3][2] = 7;
        t.addOp(XformOp(kMatrixOperation, kMatrixHint), shear);
        u.setTranslation(V3d(100, 0, f));
        u.setInheritsXforms(false);
        place.getSchema().set(s);
        turn.getSchema().set(t);
        alone.getSchema().set(u);
        set(sheet, grid(3, 0.3f * float(f)), true);
        set(free, grid(2, float(f)), false);
        set(same, grid(2, f < 3 ? 1 : 2), false); // changes once: most samples are stored once
    }
}

/// Polygons that change: cut, kept, none, back.
static void write_topology(const std::string &path) {
    OArchive archive = begin(path);
    const uint32_t film = archive.addTimeSampling(AbcA::TimeSampling(0.04, 0.0));
    OXform above(archive.getTop(), "above", film);
    OPolyMesh fluid(above, "fluid", film);
    const int sizes[] = {2, 2, 3, 3, 1, 2};
    for (int f = 0; f < 6; f++) {
        XformSample s;
        s.setTranslation(V3d(0, 0, f));
        above.getSchema().set(s);
        set(fluid, f == 4 ? Polygons() : grid(sizes[f], 0.2f * float(f)), false);
    }
}

/// Times: some at will, some that repeat, some not at all; a subdivision surface; points alone that are set anew.
static void write_times(const std::string &path) {
    OArchive archive = begin(path);
    const uint32_t at_will = archive.addTimeSampling(AbcA::TimeSampling(
        AbcA::TimeSamplingType(AbcA::TimeSamplingType::kAcyclic), std::vector<double>{0.0, 0.1, 0.35, 1.0}));
    const uint32_t shutter =
        archive.addTimeSampling(AbcA::TimeSampling(AbcA::TimeSamplingType(2, 0.5), std::vector<double>{0.0, 0.125}));
    OXform node(archive.getTop(), "node", at_will);
    OSubD cage(node, "cage", shutter);
    OPolyMesh still(node, "still");
    set(still, grid(2, 1), true);
    const Polygons p = grid(2, 0);
    for (int f = 0; f < 4; f++) {
        XformSample s;
        s.setTranslation(V3d(f * f, 0, 0));
        node.getSchema().set(s);
    }
    for (int f = 0; f < 5; f++) {
        std::vector<V3f> points = p.points;
        for (auto &x : points) x.z += float(f);
        const V3fArraySample now(points);
        OSubDSchema::Sample whole(now, Int32ArraySample(p.corners), Int32ArraySample(p.counts)), moved;
        moved.setPositions(now);
        cage.getSchema().set(f == 0 ? whole : moved);
    }
}

/// Long names, more operations than a scalar property has numbers, more kinds of metadata than an index counts.
static void write_wide(const std::string &path) {
    OArchive archive = begin(path);
    const uint32_t film = archive.addTimeSampling(AbcA::TimeSampling(0.5, 0.0));
    OXform many(archive.getTop(), std::string(40, 'n'), film);
    XformSample s;
    for (int i = 0; i < 20; i++) {
        M44d m;
        m[3][0] = 1;
        s.addOp(XformOp(kMatrixOperation, kMatrixHint), m);
    }
    many.getSchema().set(s);
    for (int i = 0; i < 280; i++) {
        AbcA::MetaData data;
        data.set("number", std::to_string(i));
        OObject(archive.getTop(), "o" + std::to_string(i), data);
    }
    OPolyMesh mesh(many, "mesh", film);
    OFloatProperty(mesh.getProperties(), std::string(300, 'p')).set(1);
    for (int f = 0; f < 300; f++) { // a count beyond one byte; few samples are different
        Polygons p = grid(1, f == 299 ? 1 : 0);
        set(mesh, p, false);
    }
}

static void write_refused(const std::string &folder) {
    {
        OArchive archive = begin(folder + "/instances.abc");
        OXform one(archive.getTop(), "one");
        OPolyMesh mesh(one, "mesh");
        set(mesh, grid(1, 0), false);
        archive.getTop().addChildInstance(one, "again");
    }
    OArchive archive = begin(folder + "/hdf5.abc", true);
    OPolyMesh mesh(archive.getTop(), "mesh");
    set(mesh, grid(1, 0), false);
}

// ---- reading

/// A place between two samples.
struct Between {
    index_t low, high;
    double share;
};

static Between between(const AbcA::TimeSampling &times, size_t count, double time) {
    const auto floor = times.getFloorIndex(time + 1e-9, index_t(count));
    if (std::abs(floor.second - time) < 1e-9 || floor.first + 1 >= index_t(count) || time < floor.second)
        return {floor.first, floor.first, 0};
    const double next = times.getSampleTime(floor.first + 1);
    return {floor.first, floor.first + 1, (time - floor.second) / (next - floor.second)};
}

static void add_times(const AbcA::TimeSampling &times, size_t count, std::set<double> &all) {
    for (size_t i = 0; i < count; i++) {
        const double time = times.getSampleTime(index_t(i));
        const auto at = all.lower_bound(time - 1e-9);
        if (at == all.end() || *at > time + 1e-9) all.insert(time);
    }
}

static void find_times(const IObject &object, std::set<double> &times) {
    if (IXform::matches(object.getHeader())) {
        IXformSchema s = IXform(object).getSchema();
        if (!s.isConstant()) add_times(*s.getTimeSampling(), s.getNumSamples(), times);
    }
    if (IPolyMesh::matches(object.getHeader())) {
        IPolyMeshSchema s = IPolyMesh(object).getSchema();
        if (!s.isConstant()) add_times(*s.getTimeSampling(), s.getNumSamples(), times);
    }
    if (ISubD::matches(object.getHeader())) {
        ISubDSchema s = ISubD(object).getSchema();
        if (!s.isConstant()) add_times(*s.getTimeSampling(), s.getNumSamples(), times);
    }
    for (size_t i = 0; i < object.getNumChildren(); i++) find_times(object.getChild(i), times);
}

static M44d local(IXformSchema &schema, double time, bool &inherits) {
    const Between b = between(*schema.getTimeSampling(), schema.getNumSamples(), time);
    XformSample low, high, mixed;
    schema.get(low, ISampleSelector(b.low));
    schema.get(high, ISampleSelector(b.high));
    inherits = low.getInheritsXforms();
    for (size_t i = 0; i < low.getNumOps(); i++) {
        XformOp op = low.getOp(i);
        for (size_t k = 0; k < op.getNumChannels(); k++)
            op.setChannelValue(k, (1 - b.share) * low.getOp(i).getChannelValue(k) +
                                      b.share * high.getOp(i).getChannelValue(k));
        mixed.addOp(op);
    }
    return mixed.getMatrix();
}

template <class Schema>
static void print_mesh(std::ostream &to, Schema schema, const std::string &path, const M44d &world, double time) {
    const Between b = between(*schema.getTimeSampling(), schema.getNumSamples(), time);
    typename Schema::Sample low, high;
    schema.get(low, ISampleSelector(b.low));
    schema.get(high, ISampleSelector(b.high));
    const auto &x = *low.getPositions(), &y = *high.getPositions();
    const auto &counts = *low.getFaceCounts(), &corners = *low.getFaceIndices();
    std::vector<V3d> places;
    for (size_t i = 0; i < x.size(); i++) {
        const V3d now(x[i].x, x[i].y, x[i].z);
        V3d p = now;
        if (b.share > 0 && x.size() == y.size()) p = now + b.share * (V3d(y[i].x, y[i].y, y[i].z) - now);
        places.push_back(p * world);
    }
    size_t at = 0;
    const auto corner = [&](size_t k, size_t n) {
        return places[size_t(corners[at + (k == 0 ? 0 : n - k)])];
    }; // turned over
    for (size_t i = 0; i < counts.size(); i++) {
        const size_t n = size_t(counts[i]);
        for (size_t k = 1; k + 1 < n; k++) {
            const bool whole = n <= 4;
            to << path << " " << (whole ? n : 3);
            for (size_t c = 0; c < (whole ? n : 3); c++) {
                const V3d p = corner(whole || c == 0 ? c : k + c - 1, n);
                to << " " << p.x << " " << p.y << " " << p.z;
            }
            to << "\n";
            if (whole) break;
        }
        at += n;
    }
}

static void print_object(std::ostream &to, const IObject &object, const std::string &path, M44d world, double time) {
    if (IXform::matches(object.getHeader())) {
        IXformSchema schema = IXform(object).getSchema();
        bool inherits;
        const M44d own = local(schema, time, inherits);
        world = inherits ? own * world : own;
    }
    if (IPolyMesh::matches(object.getHeader())) print_mesh(to, IPolyMesh(object).getSchema(), path, world, time);
    if (ISubD::matches(object.getHeader())) print_mesh(to, ISubD(object).getSchema(), path, world, time);
    for (size_t i = 0; i < object.getNumChildren(); i++) {
        const IObject child = object.getChild(i);
        print_object(to, child, path.empty() ? child.getName() : path + "/" + child.getName(), world, time);
    }
}

static void print(const std::string &folder, const std::string &name, size_t every) {
    Alembic::AbcCoreFactory::IFactory factory;
    IArchive archive = factory.getArchive(folder + "/" + name + ".abc");
    std::set<double> times;
    find_times(archive.getTop(), times);
    std::ofstream to(folder + "/" + name + ".txt");
    to << std::setprecision(17);
    size_t frame = 0;
    for (const double time : times) {
        if (frame % every == 0 || frame + 1 == times.size()) {
            to << "frame " << frame << " " << time << "\n";
            print_object(to, archive.getTop(), "", M44d(), time);
        }
        frame++;
    }
}

int main(int, char **words) {
    const std::string folder = words[1];
    write_motion(folder + "/motion.abc");
    write_topology(folder + "/topology.abc");
    write_times(folder + "/times.abc");
    write_wide(folder + "/wide.abc");
    write_refused(folder);
    print(folder, "motion", 1);
    print(folder, "topology", 1);
    print(folder, "times", 1);
    print(folder, "wide", 100);
}
