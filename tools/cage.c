// SPDX-License-Identifier: Apache-2.0
// The cage of a character: an envelope, which the library makes of any triangles, or on request the tets of TetGen,
// which fills surfaces that are closed and do not cross themselves and keeps their vertices. Those of TetGen lie in the
// user's cache, named by a hash of the surface and of the wish.
#include "tools/cage.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/platform/platform.h"
#include "toccata/solver.h"
#include "tools/output.h"
#include "tools/tetgen.h"

const char *tool_cage_maker(size_t i) {
    static const char *const makers[] = {"envelope", "tetgen"};
    return i < 2 ? makers[i] : NULL;
}

// ---- the surface: triangles alone, without unused vertices

static toc_status copy_triangles(const toc_mesh *from, uint32_t *ids, toc_mesh *to) {
    const double *x = toc_mesh_get_x1(from);
    toc_status status = TOC_OK;
    for (uint32_t e = 0; e < toc_mesh_get_element_count(from) && status == TOC_OK; e++) {
        const toc_element t = toc_mesh_get_element(from, e);
        uint32_t corners[3];
        if (t.shape != TOC_TRIANGLE || t.corners[0] == t.corners[1] || t.corners[1] == t.corners[2] ||
            t.corners[2] == t.corners[0])
            continue;
        for (int k = 0; k < 3 && status == TOC_OK; k++) {
            uint32_t *id = &ids[t.corners[k]];
            if (*id == UINT32_MAX) status = toc_mesh_add_vertices(to, 1, x + 3 * (size_t)t.corners[k], id);
            corners[k] = *id;
        }
        if (status == TOC_OK) status = toc_mesh_add_elements(to, TOC_TRIANGLE, 1, corners, NULL);
    }
    return status;
}

static toc_status make_surface(const toc_mesh *from, toc_mesh **out) {
    const size_t count = toc_mesh_get_vertex_count(from);
    uint32_t *ids = malloc(count * sizeof *ids + 1);
    toc_mesh *mesh = NULL;
    if (!ids) return tool_fail_memory();
    memset(ids, 0xff, count * sizeof *ids);
    toc_status status = toc_mesh_create(NULL, &mesh);
    if (status == TOC_OK) status = copy_triangles(from, ids, mesh);
    free(ids);
    if (status == TOC_OK && toc_mesh_get_element_count(mesh) == 0)
        status = tool_fail(TOC_BAD_INPUT, "the character has no triangles");
    if (status == TOC_OK)
        *out = mesh;
    else
        toc_mesh_destroy(mesh);
    return status;
}

// ---- the cache

static uint64_t hash_bytes(uint64_t h, const void *bytes, size_t count) {
    const unsigned char *at = bytes;
    for (size_t i = 0; i < count; i++) h = (h ^ at[i]) * UINT64_C(0x100000001b3);
    return h;
}

static uint64_t hash_surface(const toc_mesh *surface, const tool_cage_wish *wish) {
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    h = hash_bytes(h, toc_mesh_get_x1(surface), 3 * toc_mesh_get_vertex_count(surface) * sizeof(double));
    for (uint32_t e = 0; e < toc_mesh_get_element_count(surface); e++)
        h = hash_bytes(h, toc_mesh_get_element(surface, e).corners, 3 * sizeof(uint32_t));
    h = hash_bytes(h, wish->maker, strlen(wish->maker) + 1);
    h = hash_bytes(h, toc_version_get(), strlen(toc_version_get()));
    return hash_bytes(h, &wish->tets, sizeof wish->tets);
}

/// The file of a cage, with its folder made; false where there is no place for it.
static bool cache_path(const toc_mesh *surface, const tool_cage_wish *wish, char out[4096]) {
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (!wish->cache || (!(cache && *cache) && !(home && *home))) return false;
    int length = snprintf(out, 4096, "%s%s", cache && *cache ? cache : home, cache && *cache ? "" : "/.cache");
    if (length < 0 || length > 3900) return false;
    (void)toc_folder_make(out);
    length += snprintf(out + length, 4096 - (size_t)length, "/toccata");
    if (!toc_folder_make(out)) return false;
    snprintf(out + length, 4096 - (size_t)length, "/cage-%016llx.vtu", (unsigned long long)hash_surface(surface, wish));
    return true;
}

static bool has_tets(const toc_mesh *mesh) {
    for (uint32_t e = 0; e < toc_mesh_get_element_count(mesh); e++)
        if (toc_mesh_get_element(mesh, e).shape == TOC_TET) return true;
    return false;
}

/// The cage of an earlier run. A file that cannot be read is made again.
static bool take_kept(const char *path, tool_cage *cage) {
    toc_mesh *mesh;
    if (!toc_path_exists(path) || toc_mesh_read(path, NULL, &mesh) != TOC_OK) return false;
    if (!has_tets(mesh)) {
        toc_mesh_destroy(mesh);
        return false;
    }
    cage->mesh = mesh;
    cage->kept = true;
    return true;
}

// ---- tetgen

static toc_status make_or_take(toc_mesh *surface, const tool_cage_wish *wish, tool_cage *cage) {
    enum { DEFAULT_TETS = 5000 };
    const tool_tetgen_limits limits = {wish->seconds, wish->memory};
    char path[4096];
    const bool kept = cache_path(surface, wish, path);
    if (kept && take_kept(path, cage)) return TOC_OK;
    const toc_status status = tool_tetgen_run(surface, wish->tets ? wish->tets : DEFAULT_TETS, &limits, &cage->mesh);
    if (status == TOC_OK && kept) (void)toc_mesh_write(path, cage->mesh, TOC_AT_END); // without it, next time again
    return status;
}

// ---- weights

enum { MOST_WEIGHTS = 96 }; // of a cage vertex: three surface vertices of 32 joints

/// The joints of a vertex of the cage.
typedef struct cage_weights {
    uint32_t joints[MOST_WEIGHTS];
    double weights[MOST_WEIGHTS];
    size_t count;
} cage_weights;

/// Add the joints of a surface vertex, in a share.
static void blend_weights(const toc_rig *rig, uint32_t vertex, double share, cage_weights *to) {
    size_t own;
    const toc_rig_weight *w = toc_rig_get_weights(rig, vertex, &own);
    for (size_t i = 0; i < own; i++) {
        size_t at = 0;
        while (at < to->count && to->joints[at] != w[i].joint) at++;
        if (at == to->count) to->joints[at] = w[i].joint, to->weights[to->count++] = 0;
        to->weights[at] += share * w[i].weight;
    }
}

static toc_status fill_weights(const toc_rig *rig, size_t count, const toc_scene_point *points, tool_cage *cage) {
    toc_status status = TOC_OK;
    for (size_t v = 0; v < count && status == TOC_OK; v++) {
        cage_weights all = {.count = 0};
        for (int k = 0; k < 3 && points[v].v[k] != UINT32_MAX; k++)
            blend_weights(rig, points[v].v[k], points[v].weights[k], &all);
        status = skeleton_add_vertex(&cage->skeleton, all.count, all.joints, all.weights);
    }
    return status;
}

/// The nearest point of the surface for each vertex of the cage.
static toc_status find_places(const toc_mesh *surface, tool_cage *cage) {
    toc_mesh *copy;
    toc_scene *scene;
    const toc_query query = toc_query_default();
    const toc_probe probe = {.count = toc_mesh_get_vertex_count(cage->mesh),
                             .at = toc_mesh_get_x1(cage->mesh),
                             .reach = INFINITY,
                             .mask = UINT64_MAX};
    cage->places = malloc(probe.count * sizeof *cage->places + 1);
    if (!cage->places) return tool_fail_memory();
    toc_status status = toc_mesh_copy(surface, &copy);
    if (status != TOC_OK) return status;
    status = toc_scene_create(NULL, &scene);
    if (status != TOC_OK) return toc_mesh_destroy(copy), status;
    status = toc_scene_add_body(scene, copy, NULL);
    if (status != TOC_OK) toc_mesh_destroy(copy);
    if (status == TOC_OK) status = toc_scene_find_closest(scene, &query, TOC_AT_END, &probe, cage->places);
    toc_scene_destroy(scene);
    return status;
}

// ---- skeletons

static toc_status begin_skeleton(const toc_rig *rig, const toc_mesh *mesh, skeleton *out) {
    const size_t count = rig->joint_count;
    const toc_status status = skeleton_begin(mesh, count, out);
    for (size_t j = 0; j < count && status == TOC_OK; j++) {
        const toc_rig_joint joint = rig->joints[j];
        out->parents[j] = joint.parent;
        memcpy(out->inverse_binds + 12 * j, joint.inverse_bind, sizeof joint.inverse_bind);
    }
    return status;
}

static toc_status take_skin(const toc_rig *rig, skeleton *out) {
    toc_status status = begin_skeleton(rig, rig->mesh, out);
    for (uint32_t v = 0; v < toc_mesh_get_vertex_count(rig->mesh) && status == TOC_OK; v++) {
        cage_weights all = {.count = 0};
        blend_weights(rig, v, 1, &all);
        status = skeleton_add_vertex(out, all.count, all.joints, all.weights);
    }
    return status;
}

// ---- the envelope

static toc_status copy_weights(const toc_character_def *def, tool_cage *cage) {
    toc_status status = TOC_OK;
    size_t first = 0;
    for (size_t v = 0; v < toc_mesh_get_vertex_count(def->cage) && status == TOC_OK; v++) {
        status = skeleton_add_vertex(&cage->skeleton, def->weight_ends[v] - first, def->joints + first,
                                     def->weights + first);
        first = def->weight_ends[v];
    }
    return status;
}

static toc_status make_envelope(const toc_rig *rig, const tool_cage_wish *wish, tool_cage *out) {
    toc_cage_settings settings = toc_cage_settings_default();
    toc_cage *made = NULL;
    settings.tets = wish->tets;
    toc_status status = toc_cage_create(&out->skin.def, &settings, NULL, &made);
    if (status == TOC_OK) status = toc_mesh_copy(toc_cage_get_def(made)->cage, &out->mesh);
    if (status == TOC_OK) status = begin_skeleton(rig, out->mesh, &out->skeleton);
    if (status == TOC_OK) status = copy_weights(toc_cage_get_def(made), out);
    toc_cage_destroy(made);
    return status == TOC_OK ? find_places(rig->mesh, out) : status;
}

static toc_status make_by_tetgen(const toc_rig *rig, const tool_cage_wish *wish, tool_cage *out) {
    toc_mesh *surface = NULL;
    toc_status status = make_surface(rig->mesh, &surface);
    if (status != TOC_OK) return status;
    status = make_or_take(surface, wish, out);
    toc_mesh_destroy(surface);
    if (status == TOC_OK) status = begin_skeleton(rig, out->mesh, &out->skeleton);
    if (status == TOC_OK) status = find_places(rig->mesh, out);
    return status == TOC_OK ? fill_weights(rig, toc_mesh_get_vertex_count(out->mesh), out->places, out) : status;
}

/// A wish that is missed by more than a fifth is told.
static void note_count(const tool_cage_wish *wish, tool_cage *cage) {
    const double made = (double)toc_mesh_get_element_count(cage->mesh), wanted = (double)wish->tets;
    if (wish->tets == 0 || (made >= 0.8 * wanted && made <= 1.2 * wanted)) return;
    snprintf(cage->note, sizeof cage->note, "%zu tets were asked for, %s made %.0f", wish->tets, cage->maker, made);
}

toc_status tool_cage_make(const toc_rig *rig, const tool_cage_wish *wish, tool_cage *out) {
    *out = (tool_cage){.maker = wish->maker};
    toc_status status = take_skin(rig, &out->skin);
    if (status != TOC_OK) return status;
    status = strcmp(wish->maker, "tetgen") == 0 ? make_by_tetgen(rig, wish, out) : make_envelope(rig, wish, out);
    if (status == TOC_OK) note_count(wish, out);
    return status;
}

void tool_cage_free(tool_cage *cage) {
    toc_mesh_destroy(cage->mesh);
    skeleton_free(&cage->skeleton);
    skeleton_free(&cage->skin);
    free(cage->places);
}
