// SPDX-License-Identifier: Apache-2.0
// A character on its way through a clip.
#include "tools/actor.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "tools/merge.h"
#include "tools/output.h"

static const char *const with_box = "arm-box";

const char *tool_actor_name(size_t i) {
    if (i <= LIMB_KINDS) return i < LIMB_KINDS ? limb_name(i) : with_box;
    return creature_name(i - LIMB_KINDS - 1);
}

// ---- limbs

static toc_status add_box(tool_actor *actor) {
    toc_mesh *box;
    toc_status status = limb_prop_make(&box);
    if (status != TOC_OK) return status;
    status = toc_character_add_body(actor->character, box, NULL);
    uint32_t first;
    if (status == TOC_OK)
        status = toc_mesh_add_vertices(actor->shown, toc_mesh_get_vertex_count(box), toc_mesh_get_x1(box), &first);
    if (status == TOC_OK) status = tool_elements_merge(actor->shown, box, first, &(int32_t){TOOL_ACTOR_PROP});
    toc_mesh_destroy(box);
    return status == TOC_OK ? toc_mesh_set_group_name(actor->shown, TOOL_ACTOR_PROP, "box") : status;
}

static toc_status make_limb(size_t number, const toc_character_settings *settings, tool_actor *actor) {
    assert(number <= LIMB_KINDS);
    enum { ACROSS = 4, SECONDS = 2 };
    const bool box = number == LIMB_KINDS;
    toc_status status = limb_make(box ? LIMB_ARM : (limb_kind)number, ACROSS, &actor->limb);
    if (status != TOC_OK) return status;
    actor->clip_name = "bend";
    actor->end = SECONDS;
    actor->joints = LIMB_JOINTS;
    status = toc_character_create(&actor->limb.skeleton.def, settings, NULL, &actor->character);
    if (status == TOC_OK) status = toc_mesh_copy(actor->limb.cage, &actor->shown);
    return status == TOC_OK && box ? add_box(actor) : status;
}

/// Show a surface that moves with the cage.
static toc_status bind_surface(tool_actor *actor, const toc_mesh *mesh, const toc_mesh *cage) {
    assert(mesh && cage);
    TOC_TRY(toc_mesh_copy(mesh, &actor->shown));
    return toc_binding_create(cage, toc_mesh_get_vertex_count(mesh), toc_mesh_get_x1(mesh), NULL, &actor->binding);
}

// ---- creatures

static toc_status make_creature(creature_kind kind, const toc_character_settings *settings, tool_actor *actor) {
    toc_status status = creature_make(kind, 1, &actor->creature);
    actor->clip_name = "walk";
    actor->end = 1;
    actor->joints = actor->creature.joint_count;
    if (status == TOC_OK)
        status = toc_character_create(&actor->creature.skeleton.def, settings, NULL, &actor->character);
    return status == TOC_OK ? bind_surface(actor, actor->creature.skin, actor->creature.cage) : status;
}

// ---- files

static toc_status choose_clip(const char *path, const char *clip, tool_actor *actor) {
    if (actor->rig->clip_count == 0) return tool_fail(TOC_BAD_INPUT, "%s: there are no clips", path);
    actor->clip = 0;
    TOC_TRY(clip ? toc_rig_find_clip(actor->rig, clip, &actor->clip) : TOC_OK);
    actor->clip_name = actor->rig->clips[actor->clip];
    return toc_rig_find_times(actor->rig, actor->clip, &actor->start, &actor->end);
}

static toc_status take_motion(const tool_actor_wish *wish, const toc_read_options *options, tool_actor *actor) {
    if (wish->clip) return tool_fail(TOC_BAD_INPUT, "--clip and --motion: one of both plays");
    TOC_TRY(toc_capture_read(wish->motion, options, &actor->motion));
    TOC_TRY(toc_capture_attach(actor->motion, actor->rig, &actor->matched));
    actor->clip_name = wish->motion;
    actor->end = actor->motion->end;
    return TOC_OK;
}

/// Morph targets move the surface, and so the cage.
static toc_status bind_morphs(tool_actor *actor) {
    const size_t shown = toc_mesh_get_vertex_count(actor->shown), own = toc_mesh_get_vertex_count(actor->cage.mesh);
    actor->ways = calloc(3 * shown + 1, sizeof *actor->ways);
    actor->cage_ways = calloc(3 * own + 1, sizeof *actor->cage_ways);
    if (!actor->ways || !actor->cage_ways) return tool_fail_memory();
    return toc_skin_bind(&actor->cage.skin.def, &actor->cage.skeleton.def, NULL, &actor->back);
}

static toc_status make_from_file(const tool_actor_wish *wish, tool_actor *actor) {
    assert(wish->name);
    toc_read_options options = toc_read_options_default();
    options.memory = wish->memory;
    toc_status status = toc_rig_read(wish->name, &options, &actor->rig);
    if (status == TOC_OK)
        status = wish->motion ? take_motion(wish, &options, actor) : choose_clip(wish->name, wish->clip, actor);
    if (status == TOC_OK) status = tool_cage_make(actor->rig, &wish->cage, &actor->cage);
    if (status == TOC_OK)
        status = toc_character_create(&actor->cage.skeleton.def, &wish->settings, NULL, &actor->character);
    if (status == TOC_OK) status = toc_mesh_copy(actor->rig->mesh, &actor->shown);
    if (status == TOC_OK)
        status = toc_cage_bind(&actor->cage.skeleton.def, &actor->cage.skin.def, NULL, &actor->binding);
    if (status == TOC_OK) actor->joints = actor->rig->joint_count;
    return status == TOC_OK && actor->rig->morph_count > 0 ? bind_morphs(actor) : status;
}

// ---- life

const toc_mesh *tool_actor_cage(const tool_actor *actor) {
    if (actor->rig) return actor->cage.mesh;
    return actor->creature.cage ? actor->creature.cage : actor->limb.cage;
}

static toc_status reserve_arrays(tool_actor *actor) {
    const size_t shown = 3 * toc_mesh_get_vertex_count(actor->shown);
    const toc_mesh *cage = tool_actor_cage(actor);
    actor->matrices = malloc(12 * actor->joints * sizeof *actor->matrices);
    actor->points = malloc((shown + 1) * sizeof *actor->points);
    actor->shares = malloc((shown + 1) * sizeof *actor->shares);
    actor->flags = malloc((3 * toc_mesh_get_vertex_count(cage) + 1) * sizeof *actor->flags);
    const bool all = actor->matrices && actor->points && actor->shares && actor->flags;
    return all ? TOC_OK : tool_fail_memory();
}

static toc_status make_built_in(size_t number, const tool_actor_wish *wish, tool_actor *out) {
    if (wish->motion) return tool_fail(TOC_BAD_INPUT, "--motion: %s has a motion of its own", wish->name);
    if (number <= LIMB_KINDS) return make_limb(number, &wish->settings, out);
    return make_creature((creature_kind)(number - LIMB_KINDS - 1), &wish->settings, out);
}

toc_status tool_actor_make(const tool_actor_wish *wish, tool_actor *out) {
    size_t number = 0;
    *out = (tool_actor){.rate = wish->rate};
    while (tool_actor_name(number) && strcmp(tool_actor_name(number), wish->name) != 0) number++;
    TOC_TRY(tool_actor_name(number) ? make_built_in(number, wish, out) : make_from_file(wish, out));
    TOC_TRY(toc_mesh_set_group_name(out->shown, 1, "touches"));
    const double steps = (out->end - out->start) * out->rate;
    if (!(steps < 1e6)) return tool_fail(TOC_BAD_INPUT, "%g frames at %g a second are too many", steps, out->rate);
    out->frames = (size_t)ceil(fmax(steps - 1e-6, 0)) + 1;
    return reserve_arrays(out);
}

void tool_actor_free(tool_actor *actor) {
    toc_character_destroy(actor->character);
    toc_binding_destroy(actor->binding);
    toc_binding_destroy(actor->back);
    free(actor->ways);
    free(actor->cage_ways);
    toc_mesh_destroy(actor->shown);
    toc_rig_destroy(actor->rig);
    toc_capture_destroy(actor->motion);
    tool_cage_free(&actor->cage);
    limb_free(&actor->limb);
    creature_free(&actor->creature);
    free(actor->matrices);
    free(actor->points);
    free(actor->flags);
    free(actor->shares);
}

// ---- frames

double tool_actor_time(const tool_actor *actor, size_t frame) {
    assert(actor->rate > 0);
    return fmin(actor->start + (double)frame / actor->rate, actor->end);
}

/// Let the morph targets of the clip move the cage.
static toc_status morph_cage(tool_actor *actor, double time) {
    const size_t shown = toc_mesh_get_vertex_count(actor->shown), own = toc_mesh_get_vertex_count(actor->cage.mesh);
    TOC_TRY(toc_rig_morph(actor->rig, actor->motion ? SIZE_MAX : actor->clip, time, shown, actor->ways));
    TOC_TRY(toc_binding_apply(actor->back, shown, actor->ways, own, actor->cage_ways));
    return toc_character_set_morph(actor->character, own, actor->cage_ways);
}

toc_status tool_actor_step(tool_actor *actor, size_t frame, toc_character_report *report) {
    const double time = tool_actor_time(actor, frame);
    toc_status status = actor->back ? morph_cage(actor, time) : TOC_OK;
    if (status != TOC_OK) return status;
    if (actor->motion)
        status = toc_capture_pose(actor->motion, time, actor->joints, actor->matrices);
    else if (actor->rig)
        status = toc_rig_pose(actor->rig, actor->clip, time, actor->joints, actor->matrices);
    else if (actor->creature.cage)
        creature_pose(&actor->creature, time / actor->end, actor->matrices);
    else
        limb_pose(&actor->limb, limb_bend_at(time / actor->end), actor->matrices);
    return status == TOC_OK ? toc_character_step(actor->character, actor->joints, actor->matrices, report) : status;
}

/// Mark the vertices of the cage that touch, or whose tets do: 1 in the first of three numbers.
static void flag_cage(tool_actor *actor, const toc_mesh *cage) {
    size_t count;
    const toc_character_contact *list = toc_character_get_contacts(actor->character, &count);
    memset(actor->flags, 0, 3 * toc_mesh_get_vertex_count(cage) * sizeof *actor->flags);
    for (size_t i = 0; i < count; i++) {
        if (list[i].body[0] == 0) actor->flags[3 * (size_t)list[i].vertex] = 1;
        if (list[i].body[1] > 0) continue;
        const toc_element t = toc_mesh_get_element(cage, list[i].element);
        for (int k = 0; k < 4; k++) actor->flags[3 * (size_t)t.corners[k]] = 1;
    }
}

// Where the cage is shown, vertices of the box follow its own.
static bool is_prop(const tool_actor *actor, uint32_t vertex) {
    return !actor->binding && vertex >= toc_mesh_get_vertex_count(tool_actor_cage(actor));
}

static toc_status group_shown(tool_actor *actor) {
    for (uint32_t e = 0; e < toc_mesh_get_element_count(actor->shown); e++) {
        const toc_element element = toc_mesh_get_element(actor->shown, e);
        bool touches = false;
        if (element.shape == TOC_REMOVED || is_prop(actor, element.corners[0])) continue;
        for (int k = 0; k < element.corner_count; k++) touches |= actor->shares[3 * (size_t)element.corners[k]] > 0.5;
        const toc_status status = toc_mesh_set_group(actor->shown, e, touches);
        if (status != TOC_OK) return status;
    }
    return TOC_OK;
}

/// The cage moves like the skin next to it, but no finer than its tets: the rest of the ways of the morph
/// targets is added to the skin, turned by its joints.
static toc_status add_fine_ways(tool_actor *actor) {
    const size_t shown = toc_mesh_get_vertex_count(actor->shown), own = toc_mesh_get_vertex_count(actor->cage.mesh);
    const toc_character_def *skin = &actor->cage.skin.def;
    size_t i = 0;
    TOC_TRY(toc_binding_apply(actor->binding, own, actor->cage_ways, shown, actor->shares));
    for (size_t v = 0; v < shown; v++) {
        const double *all = actor->ways + 3 * v, *done = actor->shares + 3 * v;
        const double rest[3] = {all[0] - done[0], all[1] - done[1], all[2] - done[2]};
        for (; i < skin->weight_ends[v]; i++) {
            const double *m = actor->matrices + 12 * (size_t)skin->joints[i];
            for (int k = 0; k < 3; k++, m += 4)
                actor->points[3 * v + (size_t)k] +=
                    skin->weights[i] * (m[0] * rest[0] + m[1] * rest[1] + m[2] * rest[2]);
        }
    }
    return TOC_OK;
}

toc_status tool_actor_show(tool_actor *actor) {
    const double *cage = toc_character_get_positions(actor->character, 0);
    const size_t shown = toc_mesh_get_vertex_count(actor->shown),
                 own = toc_mesh_get_vertex_count(tool_actor_cage(actor));
    toc_status status = TOC_OK;
    flag_cage(actor, tool_actor_cage(actor));
    if (actor->binding) {
        status = toc_binding_apply(actor->binding, own, cage, shown, actor->points);
        if (status == TOC_OK && actor->back) status = add_fine_ways(actor);
        if (status == TOC_OK) status = toc_binding_apply(actor->binding, own, actor->flags, shown, actor->shares);
    } else {
        memcpy(actor->points, cage, 3 * own * sizeof *cage);
        memcpy(actor->shares, actor->flags, 3 * own * sizeof *cage);
        if (shown > own)
            memcpy(actor->points + 3 * own, toc_character_get_positions(actor->character, 1),
                   3 * (shown - own) * sizeof *cage);
    }
    if (status == TOC_OK) status = toc_mesh_set_motion(actor->shown, shown, actor->points, actor->points);
    return status == TOC_OK ? group_shown(actor) : status;
}
