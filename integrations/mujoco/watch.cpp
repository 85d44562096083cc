// SPDX-License-Identifier: Apache-2.0
// Step a model of MuJoCo and count the contacts that it does not see: watch MODEL.xml SECONDS [--guard] [FOLDER]. With
// --guard such steps are taken again, with the contacts in MuJoCo's solver. The folder receives 10 frames.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

#include <toccata/io.h>

#include "toccata_mujoco.hpp"

namespace tmj = toccata::mujoco;

static void write(const tmj::Surfaces &surfaces, const mjData *d, const std::string &file) {
    toccata::Mesh all;
    for (std::size_t i = 0; i < surfaces.objects().size(); i++) {
        const toccata::Mesh part(surfaces.vertices(d, i), surfaces.shape(i), surfaces.corners(i));
        for (std::uint32_t e = 0; e < part.element_count(); e++) {
            toccata::check(toc_mesh_set_group(part.get(), e, static_cast<std::int32_t>(i)));
            toccata::check(toc_mesh_set_thickness(part.get(), e, surfaces.thickness(i)));
        }
        toccata::check(toc_mesh_append(all.get(), part.get(), nullptr, nullptr));
    }
    toccata::check(toc_mesh_write(file.c_str(), all.get(), TOC_AT_START));
}

static int run(const char *path, double seconds, bool guarded, const char *folder) {
    char problem[1000] = "";
    mjModel *m = mj_loadXML(path, nullptr, problem, sizeof problem);
    if (!m) {
        std::fprintf(stderr, "watch: %s: %s\n", path, problem);
        return 1;
    }
    mjData *d = mj_makeData(m);
    if (m->nkey > 0) mj_resetDataKeyframe(m, d, 0);
    tmj::Watch watch(m);
    tmj::Guard guard(m);
    const long steps = std::lround(seconds / m->opt.timestep);
    long missed = 0, skins = 0;
    std::map<std::pair<std::string, std::string>, double> first;
    for (long i = 0; i < steps; i++) {
        char name[32];
        std::snprintf(name, sizeof name, "/frame-%04ld.vtu", i * 10 / steps);
        if (folder && (i * 10) % steps < 10) {
            mj_kinematics(m, d);
            write(watch.surfaces(), d, folder + std::string(name));
        }
        for (const tmj::Touch &t : guarded ? guard.step(d) : watch.step(d)) {
            const bool skin = t.first.skin >= 0 || t.second.skin >= 0;
            (skin ? skins : missed)++;
            first.emplace(std::minmax(watch.name(t.first), watch.name(t.second)),
                          d->time - (1 - t.toc) * m->opt.timestep);
        }
    }
    std::printf("%s: %ld steps, %ld contacts of geoms and %ld of skins that MuJoCo does not see", path, steps, missed,
                skins);
    if (guarded) std::printf(", %ld steps taken again", guard.taken_back());
    std::printf("\n");
    for (const auto &[pair, time] : first)
        std::printf("  %s - %s, first at %.4f s\n", pair.first.c_str(), pair.second.c_str(), time);
    mj_deleteData(d);
    mj_deleteModel(m);
    return 0;
}

int main(int count, char **words) try {
    bool guarded = false;
    const char *folder = nullptr;
    if (count < 3) {
        std::fprintf(stderr, "usage: watch MODEL.xml SECONDS [--guard] [FOLDER]\n");
        return 2;
    }
    for (int i = 3; i < count; i++) {
        if (std::strcmp(words[i], "--guard") == 0)
            guarded = true;
        else
            folder = words[i];
    }
    return run(words[1], std::strtod(words[2], nullptr), guarded, folder);
} catch (const std::exception &problem) {
    std::fprintf(stderr, "watch: %s\n", problem.what());
    return 1;
}
