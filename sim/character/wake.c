// SPDX-License-Identifier: Apache-2.0
// The published rule: a joint wakes while the angle between its bones shrinks and is below alpha (flexion), a limb
// while its angle to the midline does (adduction). Vertices in the boxes of awake parts are hashed, and tets that meet
// these boxes looked up. Contacts elsewhere are missed, by design.
//
// The paper leaves open: a pose that is held (an angle stays awake below alpha while its parts touch), joints with
// several children (an angle for each), the box (that of the skin of all bones of an angle), the limb (a child of
// a joint with several children, and all below), and the midline (the longest side of the box in the bind pose, which
// turns with the root).
// After Abu Rumman et al. 2015, section 4.2.
#include <string.h>

#include "sim/character/character.h"
#include "sim/core/vector.h"

static void bone_point(const toc_character *c, uint32_t joint, const double *point, double out[3]) {
    character_map(c->matrices.at + 12 * (size_t)joint, point + 3 * (size_t)joint, out);
}

static double angle_between(double a[3], double b[3]) {
    if (sim_normalize(a) == 0 || sim_normalize(b) == 0) return 3.14159265358979323846;
    return acos(fmin(fmax(sim_dot(a, b), -1), 1));
}

/// The direction of the midline: as set, or that of the box, which turns with the root.
static void find_up(const toc_character *c, double up[3]) {
    const double *m = c->matrices.at + 12 * (size_t)c->root;
    if (sim_length(c->settings.up) > 0)
        sim_copy(c->settings.up, up);
    else
        for (int k = 0; k < 3; k++) up[k] = sim_dot(m + 4 * k, c->midline);
}

static double measure_angle(const toc_character *c, const character_angle *angle) {
    double at[3], end[3], other[3], bone[3], side[3];
    bone_point(c, angle->joint, c->heads.at, at);
    if (angle->child == CHARACTER_NONE)
        bone_point(c, angle->joint, c->tips.at, end);
    else
        bone_point(c, angle->child, c->heads.at, end);
    sim_sub(end, at, bone);
    if (angle->parent == CHARACTER_NONE) {
        find_up(c, side);
        for (int k = 0; k < 3; k++) side[k] = -side[k];
    } else {
        bone_point(c, angle->parent, c->heads.at, other);
        sim_sub(other, at, side);
    }
    return angle_between(bone, side);
}

/// Whether a part belongs to the bones of an angle: those on both sides of a joint, or a limb with all below.
static bool angle_has_part(const toc_character *c, const character_angle *angle, uint32_t part) {
    if (part >= c->joint_count) return false;
    if (angle->parent != CHARACTER_NONE) return part == angle->joint || part == angle->parent;
    while (part != CHARACTER_NONE && part != angle->joint) part = c->parents.at[part];
    return part == angle->joint;
}

static character_spots no_spots(void) { return (character_spots){spot_make(SPOT_MOST, SPOT_MOST, SPOT_MOST), 0}; }

static bool box_is_empty(character_spots box) { return spot_get(box.low, 0) > spot_get(box.high, 0); }

/// Wake the bones of an angle: a box around their skin.
static void wake_angle(toc_character *c, const character_angle *angle) {
    character_spots box = no_spots();
    c->awake_joint.at[angle->joint] = 1;
    for (uint32_t p = 0; p < c->joint_count; p++) {
        if (!angle_has_part(c, angle, p)) continue;
        c->parts.at[p].state = PART_AWAKE;
        box = spots_join(box, c->parts.at[p].skin);
    }
    if (!box_is_empty(box)) c->boxes.at[c->boxes.count++] = box;
}

/// Other bodies have no angles: their parts always wake.
static void wake_bodies(toc_character *c) {
    for (size_t p = c->joint_count; p < c->parts.count; p++) {
        c->parts.at[p].state = PART_AWAKE;
        c->boxes.at[c->boxes.count++] = c->parts.at[p].skin;
    }
}

static bool is_in_boxes(const toc_character *c, character_spot s) {
    for (size_t b = 0; b < c->boxes.count; b++)
        if (spot_is_in(s, c->boxes.at[b])) return true;
    return false;
}

static void find_met_parts(toc_character *c) {
    for (size_t p = 0; p < c->parts.count; p++) {
        character_part *part = &c->parts.at[p];
        for (size_t b = 0; b < c->boxes.count && part->state == PART_ASLEEP && !box_is_empty(part->skin); b++)
            if (spots_meet(part->skin, c->boxes.at[b])) part->state = PART_MET;
    }
}

static toc_status wake_vertices_in_boxes(toc_character *c) {
    TOC_TRY(toc_array_room(&c->memory, &c->awake, c->boundary.count));
    c->awake.count = 0;
    find_met_parts(c);
    for (size_t i = 0; i < c->boundary.count; i++) {
        const uint32_t v = c->boundary.at[i];
        const character_part_state state = c->parts.at[c->part_of.at[v]].state;
        if (state == PART_AWAKE || (state == PART_MET && is_in_boxes(c, c->grid.spots.at[v])))
            c->awake.at[c->awake.count++] = v;
    }
    c->awake_count = c->awake.count;
    return TOC_OK;
}

static void find_skin_boxes(toc_character *c) {
    for (size_t p = 0; p < c->parts.count; p++) c->parts.at[p].skin = no_spots();
    for (size_t i = 0; i < c->boundary.count; i++) {
        const uint32_t v = c->boundary.at[i];
        const character_spot s = c->grid.spots.at[v];
        character_spots *skin = &c->parts.at[c->part_of.at[v]].skin;
        *skin = spots_join(*skin, (character_spots){s, s});
    }
}

void toc_character_measure_angles(toc_character *c) {
    for (size_t i = 0; i < c->angles.count; i++) {
        character_angle *angle = &c->angles.at[i];
        angle->last = angle->now;
        angle->now = measure_angle(c, angle);
    }
}

toc_status toc_character_wake_published(toc_character *c) {
    TOC_TRY(toc_array_room(&c->memory, &c->boxes, c->angles.count + c->parts.count));
    c->boxes.count = 0;
    find_skin_boxes(c);
    memset(c->awake_joint.at, 0, c->joint_count);
    for (size_t p = 0; p < c->parts.count; p++) c->parts.at[p].state = PART_ASLEEP;
    for (size_t i = 0; i < c->angles.count; i++) {
        character_angle *angle = &c->angles.at[i];
        if (angle->now < c->settings.alpha && (angle->now < angle->last || angle->touching)) wake_angle(c, angle);
    }
    wake_bodies(c);
    return wake_vertices_in_boxes(c);
}

void toc_character_note_contacts(toc_character *c) {
    for (size_t p = 0; p < c->parts.count; p++) c->parts.at[p].touches = false;
    for (size_t k = 0; k < c->hits.count; k++) {
        const character_hit *hit = &c->hits.at[k];
        c->parts.at[c->part_of.at[hit->vertex]].touches = true;
        c->parts.at[c->tets.at[hit->tet].part].touches = true;
    }
    for (size_t i = 0; i < c->angles.count; i++) {
        character_angle *angle = &c->angles.at[i];
        angle->touching = false;
        for (uint32_t p = 0; p < c->joint_count && !angle->touching; p++)
            angle->touching = c->parts.at[p].touches && angle_has_part(c, angle, p);
    }
}
