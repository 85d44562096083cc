// SPDX-License-Identifier: Apache-2.0
// integrations/mujoco with the real library: surfaces are those of MuJoCo, touches are where and when bodies meet,
// pairs that MuJoCo leaves out are left out, and guarded bodies stay on their side. The argument is the folder of the
// models.
#include <cstdio>
#include <fstream>

#include "toccata_mujoco.hpp"

namespace tmj = toccata::mujoco;

namespace {

int failures = 0;

void expect(bool holds, const std::string &claim) {
    if (holds) return;
    std::printf("not so: %s\n", claim.c_str());
    failures++;
}

bool near(double a, double b, double off = 1e-9) { return std::fabs(a - b) <= off; }

// A model and its state, from a file or from the text of its bodies.
struct Model {
    mjModel *m = nullptr;
    mjData *d = nullptr;

    explicit Model(const std::string &path) {
        char problem[1000] = "";
        m = mj_loadXML(path.c_str(), nullptr, problem, sizeof problem);
        if (!m) throw std::runtime_error(path + ": " + problem);
        d = mj_makeData(m);
        if (m->nkey > 0) mj_resetDataKeyframe(m, d, 0);
        mj_kinematics(m, d);
    }
    static Model of(const std::string &bodies, const std::string &assets = "") {
        std::ofstream("model.xml")
            << "<mujoco><option timestep='0.01' gravity='0 0 0'/><size nconmax='200' njmax='900'/>" << assets
            << "<worldbody>" << bodies << "</worldbody></mujoco>";
        return Model("model.xml");
    }
    Model(const Model &) = delete;
    Model &operator=(const Model &) = delete;
    ~Model() {
        mj_deleteData(d);
        mj_deleteModel(m);
    }
};

const char *const bullet = "<body pos='0 0 1'><freejoint/><geom name='bullet' type='sphere' size='0.02'/></body>";

// Two spheres of 0.02 and 0.03 meet head on: their middles are 1 apart, and they close in by 2 in a step.
void spheres_meet_when_and_where_they_should() {
    Model a = Model::of(std::string(bullet) +
                        "<body pos='0 0 2'><freejoint/><geom name='other' type='sphere' size='0.03'/></body>");
    tmj::Watch watch(a.m);
    a.d->qvel[2] = 150;
    a.d->qvel[6 + 2] = -50;
    const auto found = watch.step(a.d);
    expect(found.size() == 1, "one touch");
    if (found.empty()) return;
    expect(near(found[0].toc, 0.95 / 2) && near(found[0].gap, 0.95), "time and gap of two spheres");
    expect(near(std::fabs(found[0].normal[2]), 1), "the normal of two spheres");
    expect(watch.name(found[0].first) == "bullet" && watch.name(found[0].second) == "other", "names");
    expect(near(found[0].from[0][2], 1) && near(found[0].from[1][2], 2), "places at the start");
}

void every_shape_is_met() {
    // Not a plane: below it is all of its inside, where MuJoCo has a contact.
    const char *const targets[] = {"type='box' size='0.3 0.3 0.001'",
                                   "type='sphere' size='0.05'",
                                   "type='capsule' size='0.02 0.2' euler='0 90 0'",
                                   "type='cylinder' size='0.2 0.002'",
                                   "type='ellipsoid' size='0.3 0.2 0.01'",
                                   "type='mesh' mesh='tet'",
                                   "type='hfield' hfield='hill'"};
    for (const char *target : targets) {
        Model a = Model::of(std::string(bullet) + "<geom name='target' " + target + "/>",
                            "<asset><mesh name='tet' vertex='0 0 .1  .1 0 -.1  -.1 .1 -.1  -.1 -.1 -.1'/>"
                            "<hfield name='hill' nrow='5' ncol='7' size='1 1 .1 .1'/></asset>");
        for (int i = 0; i < a.m->nhfielddata; i++) a.m->hfield_data[i] = static_cast<float>(i % 3) / 2;
        tmj::Watch watch(a.m);
        a.d->qvel[2] = -200; // from 1 above to 1 below in a step
        const auto found = watch.step(a.d);
        expect(found.size() == 1 && found[0].toc > 0.3 && found[0].toc < 0.5, std::string("a bullet meets ") + target);
    }
}

// Vertices are on the surfaces of MuJoCo: no farther out than its bounding spheres, and touch them.
void surfaces_have_the_size_of_geoms() {
    Model a = Model::of("<geom type='box' size='.1 .2 .3' pos='1 2 3' euler='10 20 30'/>"
                        "<geom type='cylinder' size='.1 .2'/><geom type='ellipsoid' size='.1 .3 .2' pos='0 0 4'/>");
    const tmj::Surfaces surfaces(a.m);
    for (std::size_t i = 0; i < surfaces.objects().size(); i++) {
        const int g = surfaces.objects()[i].geom;
        double most = 0;
        const auto x = surfaces.vertices(a.d, i);
        for (std::size_t k = 0; k < x.size(); k += 3)
            most = std::max(most, mju_dist3(x.data() + k, a.d->geom_xpos + 3 * g));
        expect(near(most, a.m->geom_rbound[g], 1e-2 * most), "a surface reaches as far as its geom");
        expect(most <= a.m->geom_rbound[g] * (1 + 1e-12), "a surface is inside of its bounding sphere");
    }
}

void pairs_that_mujoco_leaves_out() {
    const struct {
        const char *model, *assets;
    } models[] = {
        {"<geom type='box' size='1 1 .001' contype='2' conaffinity='2'/>", ""},
        {"<geom type='box' size='1 1 .001' contype='0' conaffinity='0'/>", ""},
        {"<body name='wall'><joint type='slide' axis='0 0 1'/><geom type='box' size='1 1 .001'/></body>",
         "<contact><exclude body1='wall' body2='bullet'/></contact>"},
    };
    for (const auto &each : models) {
        Model a = Model::of("<body name='bullet' pos='0 0 1'><freejoint/><geom type='sphere' size='0.02'/></body>" +
                                std::string(each.model),
                            each.assets);
        tmj::Watch watch(a.m);
        a.d->qvel[2] = -200;
        expect(watch.step(a.d).empty(), std::string("left out: ") + each.model);
    }
    // A parent and its child.
    Model a = Model::of(
        "<body pos='0 0 1'><freejoint/><geom type='sphere' size='.02'/><body pos='0 0 .1'><joint type='slide' "
        "axis='0 0 1'/><geom type='sphere' size='.02'/></body></body>");
    tmj::Watch watch(a.m);
    a.d->qvel[6] = -20;
    expect(watch.step(a.d).empty(), "left out: a parent and its child");
}

// A contact that MuJoCo has at the end is known.
void known_contacts_are_not_counted() {
    Model a = Model::of(std::string(bullet) + "<geom type='plane' size='1 1 1'/>");
    tmj::Watch watch(a.m);
    a.d->qvel[2] = -99; // 0.01 above the plane at the end of the step
    watch.begin(a.d);
    mj_step(a.m, a.d);
    const auto found = watch.end(a.d);
    expect(!found.empty() && found[0].known_after && !found[0].known_before, "known at the end");
    expect(tmj::Watch::unknown(found).empty(), "known contacts are not counted");
}

void guarded_bodies_stay_on_their_side() {
    for (const char *shape :
         {"type='sphere' size='.01'", "type='box' size='.02 .01 .03'", "type='capsule' size='.005 .02'"}) {
        Model free = Model::of(std::string("<body pos='0 0 1'><freejoint/><geom ") + shape +
                               "/></body><geom type='box' size='1 1 .001'/>");
        tmj::Watch watch(free.m);
        free.d->qvel[2] = -170;
        expect(watch.step(free.d).size() == 1 && free.d->qpos[2] < -0.5, "without a guard it passes");
        mj_resetData(free.m, free.d);
        tmj::Guard guard(free.m);
        free.d->qvel[2] = -170;
        for (int i = 0; i < 200; i++) expect(guard.step(free.d).empty(), "nothing is left");
        expect(free.d->qpos[2] > 0 && free.d->qpos[2] < 1 && std::fabs(free.d->qvel[2]) < 1,
               std::string("guarded: ") + shape);
        expect(guard.taken_back() > 0, "steps are taken again");
    }
}

// Without touches a guarded step is a step of MuJoCo, bit for bit.
void guard_changes_nothing_else() {
    Model a = Model::of(
        "<body pos='0 0 1'><freejoint/><geom type='box' size='.1 .2 .3'/></body><geom type='plane' size='9 9 1' "
        "pos='0 0 -9'/>");
    Model b = Model::of(
        "<body pos='0 0 1'><freejoint/><geom type='box' size='.1 .2 .3'/></body><geom type='plane' size='9 9 1' "
        "pos='0 0 -9'/>");
    tmj::Guard guard(a.m);
    for (int k = 0; k < 6; k++) a.d->qvel[k] = b.d->qvel[k] = k - 2.5;
    for (int i = 0; i < 50; i++) {
        guard.step(a.d);
        mj_step(b.m, b.d);
    }
    for (int k = 0; k < 7; k++) expect(a.d->qpos[k] == b.d->qpos[k], "the same position");
}

void bullets_of_the_example(const std::string &folder) {
    Model a(folder + "/bullets.xml");
    tmj::Guard guard(a.m);
    for (int i = 0; i < 100; i++) expect(guard.step(a.d).empty(), "nothing is left");
    int past = 0;
    for (int b = 2; b < a.m->nbody; b++) past += a.d->xpos[3 * b] > (a.d->xpos[3 * b + 2] < 0 ? 0.5 : 1.1);
    expect(past == 0, "no bullet is past its wall");
    expect(guard.taken_back() > 10, "bullets are stopped");
}

// Skins are where MuJoCo draws them, and its contacts do not know them.
void cloth_of_the_example(const std::string &folder) {
    Model a(folder + "/cloth.xml");
    a.m->skin_inflate[0] = 0;
    tmj::Watch watch(a.m);
    mjvScene drawn;
    mjv_defaultScene(&drawn);
    mjv_makeScene(a.m, &drawn, 1000);
    long missed = 0;
    for (int i = 0; i < 110; i++)
        for (const auto &t : watch.step(a.d)) missed += t.first.skin >= 0 || t.second.skin >= 0;
    expect(missed > 5, "spikes go through the cloth");
    mj_kinematics(a.m, a.d);
    mjvOption option;
    mjvCamera camera;
    mjv_defaultOption(&option);
    mjv_defaultCamera(&camera);
    mjv_updateScene(a.m, a.d, &option, nullptr, &camera, mjCAT_ALL, &drawn);
    const auto &surfaces = watch.surfaces();
    const std::size_t skin = surfaces.objects().size() - 1;
    const auto x = surfaces.vertices(a.d, skin);
    double off = 0;
    for (std::size_t k = 0; k < x.size(); k++) off = std::max(off, std::fabs(x[k] - drawn.skinvert[k]));
    expect(surfaces.objects()[skin].skin == 0 && off < 1e-6, "the skin is where MuJoCo draws it");
    mjv_freeScene(&drawn);
}

} // namespace

int main(int count, char **words) {
    const std::string folder = count > 1 ? words[1] : ".";
    spheres_meet_when_and_where_they_should();
    every_shape_is_met();
    surfaces_have_the_size_of_geoms();
    pairs_that_mujoco_leaves_out();
    known_contacts_are_not_counted();
    guarded_bodies_stay_on_their_side();
    guard_changes_nothing_else();
    bullets_of_the_example(folder);
    cloth_of_the_example(folder);
    if (!failures) std::puts("nothing passes that is guarded");
    return failures != 0;
}
