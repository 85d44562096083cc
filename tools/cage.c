// SPDX-License-Identifier: Apache-2.0
// The cage of a character. TetGen fills surfaces that are closed and do not cross themselves, and keeps their vertices;
// all others get a lattice. Cages lie in the user's cache, named by a hash of the surface and of the wish.
#include "tools/cage.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "toccata/solver.h"
#include "tools/lattice.h"
#include "tools/output.h"
#include "tools/tetgen.h"

const char *tool_cage_maker(size_t i) {
    static const char *const makers[] = {"auto", "tetgen", "lattice"};
    return i < 3 ? makers[i] : NULL;
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

/// Why TetGen would refuse a surface; NULL if it would not, or only by surprise.
static toc_status find_defect(toc_mesh *surface, const char **out) {
    toc_mesh_report report;
    toc_scene *scene;
    toc_overlaps *overlaps;
    toc_mesh *copy;
    *out = NULL;
    toc_status status = toc_mesh_inspect(surface, &report);
    if (status != TOC_OK) return status;
    if (report.boundary_edges) *out = "the surface is open";
    if (report.nonmanifold_edges) *out = "edges of the surface have more than two faces";
    if (*out) return TOC_OK;
    status = toc_mesh_copy(surface, &copy);
    if (status != TOC_OK) return status;
    status = toc_scene_create(NULL, &scene);
    if (status != TOC_OK) return toc_mesh_destroy(copy), status;
    status = toc_scene_add_body(scene, copy, NULL);
    if (status != TOC_OK) toc_mesh_destroy(copy);
    const toc_query query = toc_query_default();
    if (status == TOC_OK) status = toc_scene_find_overlaps(scene, &query, TOC_AT_END, &overlaps);
    if (status == TOC_OK) {
        if (overlaps->count > 0) *out = "faces of the surface cross each other";
        toc_overlaps_destroy(overlaps);
    }
    toc_scene_destroy(scene);
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
    (void)mkdir(out, 0777);
    length += snprintf(out + length, 4096 - (size_t)length, "/toccata");
    if (mkdir(out, 0777) != 0 && errno != EEXIST) return false;
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
    if (access(path, R_OK) != 0 || toc_mesh_read(path, NULL, &mesh) != TOC_OK) return false;
    if (!has_tets(mesh)) {
        toc_mesh_destroy(mesh);
        return false;
    }
    const char *name = toc_mesh_get_group_name(mesh, toc_mesh_get_element(mesh, 0).group);
    cage->mesh = mesh;
    cage->kept = true;
    cage->maker = name && strcmp(name, "lattice") == 0 ? "lattice" : "tetgen";
    return true;
}

// ---- making

static toc_status make_lattice(const toc_mesh *surface, const tool_cage_wish *wish, tool_cage *cage) {
    cage->maker = "lattice";
    return tool_lattice_make(surface, wish->tets, &cage->mesh);
}

static toc_status make_by_tetgen(const toc_mesh *surface, const tool_cage_wish *wish, tool_cage *cage) {
    const tool_tetgen_limits limits = {wish->seconds, wish->memory};
    cage->maker = "tetgen";
    return tool_tetgen_run(surface, wish->tets, &limits, &cage->mesh);
}

static toc_status make_by_either(toc_mesh *surface, const tool_cage_wish *wish, tool_cage *cage) {
    const char *why;
    char failure[400];
    toc_status status = find_defect(surface, &why);
    if (status != TOC_OK) return status;
    if (!why && !tool_tetgen_is_there()) why = "tetgen is not installed";
    if (!why) {
        status = make_by_tetgen(surface, wish, cage);
        if (status != TOC_BAD_INPUT) return status;
        tool_failure_forget(failure, sizeof failure);
        why = failure;
    }
    snprintf(cage->note, sizeof cage->note, "a lattice takes the place of tetgen: %s", why);
    return make_lattice(surface, wish, cage);
}

static toc_status name_maker(tool_cage *cage) {
    for (uint32_t e = 0; e < toc_mesh_get_element_count(cage->mesh); e++) {
        const toc_status status = toc_mesh_set_group(cage->mesh, e, 0);
        if (status != TOC_OK) return status;
    }
    return toc_mesh_set_group_name(cage->mesh, 0, cage->maker);
}

static toc_status make_or_take(toc_mesh *surface, const tool_cage_wish *wish, tool_cage *cage) {
    char path[4096];
    const bool kept = cache_path(surface, wish, path);
    if (kept && take_kept(path, cage)) return TOC_OK;
    toc_status status = strcmp(wish->maker, "lattice") == 0  ? make_lattice(surface, wish, cage)
                        : strcmp(wish->maker, "tetgen") == 0 ? make_by_tetgen(surface, wish, cage)
                                                             : make_by_either(surface, wish, cage);
    if (status == TOC_OK) status = name_maker(cage);
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
static toc_status find_places(const toc_rig *rig, const toc_mesh *cage, toc_scene_point *out) {
    toc_mesh *copy;
    toc_scene *scene;
    const toc_query query = toc_query_default();
    const toc_probe probe = {
        .count = toc_mesh_get_vertex_count(cage), .at = toc_mesh_get_x1(cage), .reach = INFINITY, .mask = UINT64_MAX};
    toc_status status = toc_mesh_copy(toc_rig_get_mesh(rig), &copy);
    if (status != TOC_OK) return status;
    status = toc_scene_create(NULL, &scene);
    if (status != TOC_OK) return toc_mesh_destroy(copy), status;
    status = toc_scene_add_body(scene, copy, NULL);
    if (status != TOC_OK) toc_mesh_destroy(copy);
    if (status == TOC_OK) status = toc_scene_find_closest(scene, &query, TOC_AT_END, &probe, out);
    toc_scene_destroy(scene);
    return status;
}

static toc_status take_weights(const toc_rig *rig, tool_cage *cage) {
    const size_t count = toc_mesh_get_vertex_count(cage->mesh);
    toc_scene_point *points = malloc(count * sizeof *points + 1);
    toc_status status = points ? find_places(rig, cage->mesh, points) : tool_fail_memory();
    if (status == TOC_OK) status = fill_weights(rig, count, points, cage);
    free(points);
    return status;
}

static toc_status take_skeleton(const toc_rig *rig, tool_cage *cage) {
    const size_t count = toc_rig_get_joint_count(rig);
    const toc_status status = skeleton_begin(cage->mesh, count, &cage->skeleton);
    for (size_t j = 0; j < count && status == TOC_OK; j++) {
        const toc_rig_joint joint = toc_rig_get_joint(rig, j);
        cage->skeleton.parents[j] = joint.parent;
        memcpy(cage->skeleton.inverse_binds + 12 * j, joint.inverse_bind, sizeof joint.inverse_bind);
    }
    return status;
}

toc_status tool_cage_make(const toc_rig *rig, const tool_cage_wish *wish, tool_cage *out) {
    toc_mesh *surface = NULL;
    *out = (tool_cage){0};
    toc_status status = make_surface(toc_rig_get_mesh(rig), &surface);
    if (status != TOC_OK) return status;
    status = make_or_take(surface, wish, out);
    toc_mesh_destroy(surface);
    if (status == TOC_OK) status = take_skeleton(rig, out);
    return status == TOC_OK ? take_weights(rig, out) : status;
}

void tool_cage_free(tool_cage *cage) {
    toc_mesh_destroy(cage->mesh);
    skeleton_free(&cage->skeleton);
}
