// SPDX-License-Identifier: Apache-2.0
// The published rule: a joint wakes while the angle between its bones shrinks and is below alpha (flexion), a limb
// while its angle to the midline does (adduction). Vertices in the boxes of awake parts are hashed, and tets that meet
// these boxes looked up. Contacts elsewhere are missed, by design.
//
// The paper leaves open: a pose that is held (an angle stays awake below alpha while its parts touch), joints with
// several children (an angle for each), and the limb (a chain from below a joint with several children to the next).
// After Abu Rumman et al. 2015, section 4.2.
#include <string.h>

#include "sim/character/character.h"
#include "sim/core/vector.h"

static void bone_point(const toc_character *c, uint32_t joint, const double *point, double out[3]) {
    character_map(c->matrices.items + 12 * (size_t)joint, point + 3 * (size_t)joint, out);
}

static double angle_between(double a[3], double b[3]) {
    if (sim_normalize(a) == 0 || sim_normalize(b) == 0) return 3.14159265358979323846;
    return acos(fmin(fmax(sim_dot(a, b), -1), 1));
}

static double measure_angle(const toc_character *c, const character_angle *angle) {
    double at[3], end[3], other[3], bone[3], side[3];
    bone_point(c, angle->joint, c->heads.items, at);
    if (angle->child == CHARACTER_NONE)
        bone_point(c, angle->joint, c->tips.items, end);
    else
        bone_point(c, angle->child, c->heads.items, end);
    sim_sub(end, at, bone);
    if (angle->parent == CHARACTER_NONE) {
        for (int k = 0; k < 3; k++) side[k] = -c->settings.up[k];
    } else {
        bone_point(c, angle->parent, c->heads.items, other);
        sim_sub(other, at, side);
    }
    return angle_between(bone, side);
}

/// Whether a part belongs to the bones of an angle: those on both sides of a joint, or a limb.
static bool angle_has_part(const toc_character *c, const character_angle *angle, uint32_t part) {
    if (part >= c->joint_count) return false;
    if (angle->parent != CHARACTER_NONE) return part == angle->joint || part == angle->parent;
    return c->limb_of.items[part] == angle->joint;
}

static character_spots no_spots(void) { return (character_spots){spot_make(SPOT_MOST, SPOT_MOST, SPOT_MOST), 0}; }

static void add_spots(character_spots *to, character_spots other) {
    to->low = spot_order(to->low, other.low).low;
    to->high = spot_order(to->high, other.high).high;
}

static bool has_skin(const character_part *part) { return spot_get(part->skin.low, 0) <= spot_get(part->skin.high, 0); }

/// Wake the bones of an angle. One box around a bent limb would hold most of a character.
static void wake_angle(toc_character *c, const character_angle *angle) {
    c->awake_joint.items[angle->joint] = 1;
    for (uint32_t p = 0; p < c->joint_count; p++)
        if (angle_has_part(c, angle, p)) c->parts.items[p].state = PART_AWAKE;
}

/// A box for the skin of each bone that is awake. Other bodies have no angles: their parts always wake.
static toc_status list_awake_boxes(toc_character *c) {
    SIM_TRY(sim_array_reserve(&c->memory, &c->boxes, c->parts.count));
    c->boxes.count = 0;
    for (size_t p = 0; p < c->parts.count; p++) {
        character_part *part = &c->parts.items[p];
        if (p >= c->joint_count) part->state = PART_AWAKE;
        if (part->state == PART_AWAKE && has_skin(part)) c->boxes.items[c->boxes.count++] = part->skin;
    }
    return TOC_OK;
}

static bool is_in_boxes(const toc_character *c, character_spot s) {
    for (size_t b = 0; b < c->boxes.count; b++)
        if (spot_is_in(s, c->boxes.items[b])) return true;
    return false;
}

static void find_met_parts(toc_character *c) {
    for (size_t p = 0; p < c->parts.count; p++) {
        character_part *part = &c->parts.items[p];
        for (size_t b = 0; b < c->boxes.count && part->state == PART_ASLEEP && has_skin(part); b++)
            if (spots_meet(part->skin, c->boxes.items[b])) part->state = PART_MET;
    }
}

static toc_status wake_vertices_in_boxes(toc_character *c) {
    SIM_TRY(sim_array_reserve(&c->memory, &c->awake, c->boundary.count));
    c->awake.count = 0;
    find_met_parts(c);
    for (size_t i = 0; i < c->boundary.count; i++) {
        const uint32_t v = c->boundary.items[i];
        const character_part_state state = c->parts.items[c->part_of.items[v]].state;
        if (state == PART_AWAKE || (state == PART_MET && is_in_boxes(c, c->grid.spots.items[v])))
            c->awake.items[c->awake.count++] = v;
    }
    c->awake_count = c->awake.count;
    return TOC_OK;
}

static void find_skin_boxes(toc_character *c) {
    for (size_t p = 0; p < c->parts.count; p++) c->parts.items[p].skin = no_spots();
    for (size_t i = 0; i < c->boundary.count; i++) {
        const uint32_t v = c->boundary.items[i];
        const character_spot s = c->grid.spots.items[v];
        add_spots(&c->parts.items[c->part_of.items[v]].skin, (character_spots){s, s});
    }
}

toc_status toc_character_wake_published(toc_character *c) {
    find_skin_boxes(c);
    memset(c->awake_joint.items, 0, c->joint_count);
    for (size_t p = 0; p < c->parts.count; p++) c->parts.items[p].state = PART_ASLEEP;
    for (size_t i = 0; i < c->angles.count; i++) {
        character_angle *angle = &c->angles.items[i];
        const double now = measure_angle(c, angle);
        if (now < c->settings.alpha && (now < angle->last || angle->touching)) wake_angle(c, angle);
        angle->last = now;
    }
    SIM_TRY(list_awake_boxes(c));
    return wake_vertices_in_boxes(c);
}

/// Whether a contact is one of the bones that an angle moves.
static bool angle_has_hit(const toc_character *c, const character_angle *angle, const character_hit *hit) {
    const uint32_t vertex = c->part_of.items[hit->vertex], tet = c->tets.items[hit->tet].part;
    if (angle->parent != CHARACTER_NONE) return vertex == angle->joint || tet == angle->joint;
    return angle_has_part(c, angle, vertex) || angle_has_part(c, angle, tet);
}

void toc_character_note_contacts(toc_character *c) {
    for (size_t i = 0; i < c->angles.count; i++) {
        character_angle *angle = &c->angles.items[i];
        angle->touching = false;
        for (size_t k = 0; k < c->hits.count && !angle->touching; k++)
            angle->touching = angle_has_hit(c, angle, &c->hits.items[k]);
    }
}
