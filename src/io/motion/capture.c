// SPDX-License-Identifier: Apache-2.0
// A motion that was captured for one skeleton, played by another: joints of the same name turn alike.
//
// The skeleton of the motion without any rotation and the bind pose of the rig stand for the same pose. A joint with a
// name turns about its head in the bind pose as its namesake does in the world; its head stays where the joint above
// carries it, so bones keep their lengths. All other joints move with the joint above. Rotations between frames are
// blended as quaternions.
#include <assert.h>
#include <math.h>
#include <strings.h>

#include "base/arithmetic.h"
#include "io/core/memory_limit.h"
#include "io/motion/capture_file.h"
#include "toccata/io.h"

static const double degree = 0.017453292519943295;

/// A joint of the rig.
typedef struct motion_target {
    uint32_t parent;
    uint32_t source; // the joint of the motion; UINT32_MAX for none
    bool leads;      // the motion places its head
    double head[3];  // in the bind pose
    double rest[12]; // its matrix without an animation
} motion_target;

typedef struct motion_file {
    toc_limited head;
    toc_capture shown; // what the caller sees
    toc_capture_file file;
    TOC_ARRAY(const char *) names; // of the joints of the motion
    TOC_ARRAY(double) turns;       // 9 a joint of the motion, three rows: its rotation in the world
    TOC_ARRAY(motion_target) targets;
    TOC_ARRAY(uint32_t) order; // of targets: parents first
    double place[12];          // from the bind pose to the world, for the pose without rotations
    double scale;              // lengths of the rig over those of the motion
} motion_file;

static motion_file *capture_file_of(const toc_capture *shown) {
    return (motion_file *)(void *)((const char *)shown - offsetof(motion_file, shown));
}

// ---- reading

static toc_status fill_capture(motion_file *motion, const char *path) {
    toc_source source;
    TOC_TRY(toc_source_open(path, &motion->head.memory, &source));
    toc_status status = toc_capture_file_read(&source, &motion->file);
    if (status == TOC_OK) status = toc_source_is_settled(&source);
    toc_source_close(&source);
    return status == TOC_OK ? toc_array_reserve(&motion->head.memory, &motion->turns, 9 * motion->file.joints.count)
                            : status;
}

// Once all arrays are whole and stay in place.
static toc_status show_capture(motion_file *motion) {
    const toc_capture_file *file = &motion->file;
    TOC_TRY(toc_array_reserve(&motion->head.memory, &motion->names, file->joints.count));
    for (size_t i = 0; i < file->joints.count; i++)
        motion->names.at[motion->names.count++] = file->names.at + file->joints.at[i].name;
    motion->shown = (toc_capture){.joint_count = motion->names.count,
                                  .joints = motion->names.at,
                                  .end = (double)(file->frame_count - 1) * file->step};
    return TOC_OK;
}

toc_status toc_capture_read(const char *path, const toc_read_options *options, toc_capture **out) {
    TOC_SCOPED_ARITHMETIC;
    TOC_NEED(path);
    TOC_NEED(out);
    void *made;
    TOC_TRY(toc_memory_limited_new(options, sizeof(motion_file), &made));
    motion_file *motion = made;
    toc_status status = fill_capture(motion, path);
    if (status == TOC_OK) status = show_capture(motion);
    status = toc_memory_limit_explain(&motion->head.limit, status, path);
    if (status != TOC_OK) {
        toc_capture_destroy(&motion->shown);
        return status;
    }
    *out = &motion->shown;
    return TOC_OK;
}

void toc_capture_destroy(toc_capture *capture) {
    if (!capture) return;
    motion_file *motion = capture_file_of(capture);
    const toc_allocator inner = motion->head.limit.inner, *memory = &motion->head.memory;
    toc_capture_file_free(&motion->file, memory);
    toc_array_free(memory, &motion->turns);
    toc_array_free(memory, &motion->names);
    toc_array_free(memory, &motion->targets);
    toc_array_free(memory, &motion->order);
    toc_free(&inner, motion, 1, sizeof *motion);
}

// ---- joints of the same name

/// Behind the last colon: many programs put the name of the character before it.
static const char *bare_name(const char *name) {
    const char *colon = strrchr(name, ':');
    return colon ? colon + 1 : name;
}

static uint32_t find_namesake(const motion_file *motion, const char *name) {
    for (uint32_t i = 0; i < motion->file.joints.count && name[0]; i++)
        if (strcasecmp(bare_name(motion->names.at[i]), bare_name(name)) == 0) return i;
    return UINT32_MAX;
}

/// The point that an inverse bind matrix takes to 0, by Cramer's rule; 0 for a singular one.
static void bind_head(const double m[12], double head[3]) {
    double c[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const double *a = m + 4 * ((j + 1) % 3), *b = m + 4 * ((j + 2) % 3);
            c[i][j] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
        }
    const double det = m[0] * c[0][0] + m[1] * c[1][0] + m[2] * c[2][0];
    for (int i = 0; i < 3; i++) {
        head[i] = -(c[i][0] * m[3] + c[i][1] * m[7] + c[i][2] * m[11]) / det;
        if (!isfinite(head[i])) head[i] = 0;
    }
}

static void place_point(const double m[12], const double x[3], double out[3]) {
    for (int k = 0; k < 3; k++) out[k] = m[4 * k] * x[0] + m[4 * k + 1] * x[1] + m[4 * k + 2] * x[2] + m[4 * k + 3];
}

static size_t depth_of(const motion_file *motion, uint32_t target) {
    size_t depth = 0;
    for (uint32_t p = motion->targets.at[target].parent; p != UINT32_MAX; p = motion->targets.at[p].parent) depth++;
    return depth;
}

/// Parents before children: layer by layer.
static void order_targets(motion_file *motion) {
    motion->order.count = 0;
    for (size_t depth = 0; motion->order.count < motion->targets.count; depth++)
        for (uint32_t i = 0; i < motion->targets.count; i++)
            if (depth_of(motion, i) == depth) motion->order.at[motion->order.count++] = i;
}

static toc_status take_targets(motion_file *motion, toc_rig *rig, size_t *matched) {
    const size_t count = rig->joint_count;
    motion->targets.count = motion->order.count = 0;
    TOC_TRY(toc_array_reserve(&motion->head.memory, &motion->targets, count));
    TOC_TRY(toc_array_reserve(&motion->head.memory, &motion->order, count));
    double *rest = toc_new(&motion->head.memory, count, 12 * sizeof *rest);
    toc_status status = rest ? toc_rig_pose(rig, SIZE_MAX, 0, rig->joint_count, rest) : TOC_OUT_OF_MEMORY;
    *matched = 0;
    for (size_t i = 0; i < count && status == TOC_OK; i++) {
        const toc_rig_joint joint = rig->joints[i];
        motion_target *target = &motion->targets.at[motion->targets.count++];
        *target = (motion_target){.parent = joint.parent, .source = find_namesake(motion, joint.name)};
        bind_head(joint.inverse_bind, target->head);
        memcpy(target->rest, rest + 12 * i, sizeof target->rest);
        *matched += target->source != UINT32_MAX;
    }
    toc_free(&motion->head.memory, rest, count, 12 * sizeof *rest);
    return status;
}

static bool has_position(const toc_capture_joint *joint) {
    for (int i = 0; i < joint->channel_count; i++)
        if (joint->channels[i] < 3) return true;
    return false;
}

/// The first joint in the order with a namesake places the bind pose; roots of the motion with positions lead.
static void find_leaders(motion_file *motion) {
    bool placed = false;
    for (size_t k = 0; k < motion->order.count; k++) {
        motion_target *target = &motion->targets.at[motion->order.at[k]];
        if (target->source == UINT32_MAX) continue;
        const toc_capture_joint *source = &motion->file.joints.at[target->source];
        if (!placed) memcpy(motion->place, target->rest, sizeof motion->place);
        placed = true;
        target->leads = source->parent == UINT32_MAX && has_position(source);
    }
}

static double distance_between(const double a[3], const double b[3]) {
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

/// From the bones that both skeletons have.
static void find_motion_scale(motion_file *motion) {
    static const double zero[3];
    double ours = 0, theirs = 0;
    for (size_t i = 0; i < motion->targets.count; i++) {
        const motion_target *t = &motion->targets.at[i];
        if (t->source == UINT32_MAX || t->parent == UINT32_MAX) continue;
        const toc_capture_joint *source = &motion->file.joints.at[t->source];
        const motion_target *above = &motion->targets.at[t->parent];
        if (above->source == UINT32_MAX || above->source != source->parent) continue;
        double head[3], other[3];
        place_point(motion->place, t->head, head);
        place_point(motion->place, above->head, other);
        ours += distance_between(head, other);
        theirs += distance_between(source->offset, zero);
    }
    motion->scale = ours > 0 && theirs > 0 ? ours / theirs : 1;
}

toc_status toc_capture_attach(toc_capture *capture, toc_rig *rig, size_t *matched) {
    TOC_SCOPED_ARITHMETIC;
    TOC_NEED(capture);
    TOC_NEED(rig);
    motion_file *motion = capture_file_of(capture);
    size_t found;
    toc_memory_limit_restart(&motion->head.limit);
    TOC_TRY(take_targets(motion, rig, &found));
    if (matched) *matched = found;
    if (found == 0) {
        motion->targets.count = 0;
        return toc_fail(TOC_BAD_INPUT,
                        "no joint of the motion (\"%s\", ...) has the name of a joint of the character (\"%s\", ...)",
                        capture->joints[0], rig->joints[0].name);
    }
    order_targets(motion);
    find_leaders(motion);
    find_motion_scale(motion);
    return TOC_OK;
}

// ---- poses

/// The rotation of a joint in a frame: its channels in the order of the file, the first one outermost.
static void frame_rotation(const toc_capture_file *file, const toc_capture_joint *joint, size_t frame, double q[4]) {
    assert(frame < file->frame_count);
    const double *values = file->values.at + frame * file->channel_count + joint->first_channel;
    q[0] = q[1] = q[2] = 0;
    q[3] = 1;
    for (int i = 0; i < joint->channel_count; i++) {
        if (joint->channels[i] < 3) continue;
        const int a = joint->channels[i] - 3, b = (a + 1) % 3, c = (a + 2) % 3;
        const double s = sin(0.5 * degree * values[i]), w = cos(0.5 * degree * values[i]);
        const double p[4] = {q[0], q[1], q[2], q[3]}; // q times s along the axis a and w
        q[a] = p[a] * w + p[3] * s;
        q[b] = p[b] * w + p[c] * s;
        q[c] = p[c] * w - p[b] * s;
        q[3] = p[3] * w - p[a] * s;
    }
}

static void blend_rotations(double q[4], const double other[4], double share) {
    assert(0 <= share && share <= 1);
    const double dot = q[0] * other[0] + q[1] * other[1] + q[2] * other[2] + q[3] * other[3];
    double length = 0;
    for (int k = 0; k < 4; k++) {
        q[k] = (1 - share) * q[k] + (dot < 0 ? -share : share) * other[k];
        length += q[k] * q[k];
    }
    for (int k = 0; k < 4; k++) q[k] = length > 0 ? q[k] / sqrt(length) : k == 3;
}

static void rotation_matrix(const double q[4], double m[9]) {
    const double x = q[0], y = q[1], z = q[2], w = q[3];
    const double rows[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - z * w),     2 * (x * z + y * w),
                            2 * (x * y + z * w),     1 - 2 * (x * x + z * z), 2 * (y * z - x * w),
                            2 * (x * z - y * w),     2 * (y * z + x * w),     1 - 2 * (x * x + y * y)};
    memcpy(m, rows, sizeof rows);
}

/// A time between two frames.
typedef struct motion_time {
    size_t frame, next;
    double share;
} motion_time;

static motion_time find_motion_time(const toc_capture_file *file, double time) {
    assert(file->step > 0 && file->frame_count > 0);
    const double at = fmin(fmax(time / file->step, 0), (double)(file->frame_count - 1));
    const size_t frame = (size_t)at;
    return (motion_time){frame, frame + 1 < file->frame_count ? frame + 1 : frame, at - (double)frame};
}

/// The rotations of all joints in the world.
static void turn_joints(motion_file *motion, motion_time time) {
    const toc_capture_file *file = &motion->file;
    for (size_t i = 0; i < file->joints.count; i++) {
        const toc_capture_joint *joint = &file->joints.at[i];
        double q[4], next[4], own[9], *turn = motion->turns.at + 9 * i;
        frame_rotation(file, joint, time.frame, q);
        frame_rotation(file, joint, time.next, next);
        blend_rotations(q, next, time.share);
        rotation_matrix(q, own);
        const double *above = joint->parent == UINT32_MAX ? NULL : motion->turns.at + 9 * (size_t)joint->parent;
        for (int k = 0; k < 9; k++)
            turn[k] = !above ? own[k]
                             : above[k / 3 * 3] * own[k % 3] + above[k / 3 * 3 + 1] * own[k % 3 + 3] +
                                   above[k / 3 * 3 + 2] * own[k % 3 + 6];
    }
}

/// The position of a root, in lengths of the rig.
static void root_position(const motion_file *motion, const toc_capture_joint *joint, motion_time time, double out[3]) {
    const size_t count = motion->file.channel_count;
    const double *now = motion->file.values.at + time.frame * count + joint->first_channel;
    const double *next = motion->file.values.at + time.next * count + joint->first_channel;
    for (int k = 0; k < 3; k++) out[k] = motion->scale * joint->offset[k];
    for (int i = 0; i < joint->channel_count; i++)
        if (joint->channels[i] < 3)
            out[joint->channels[i]] = motion->scale * ((1 - time.share) * now[i] + time.share * next[i]);
}

/// The matrix of a joint that turns about its head.
static void turn_target(const motion_file *motion, const motion_target *target, const double at[3], double out[12]) {
    const double *turn = motion->turns.at + 9 * (size_t)target->source;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            out[4 * i + j] = turn[3 * i] * motion->place[j] + turn[3 * i + 1] * motion->place[4 + j] +
                             turn[3 * i + 2] * motion->place[8 + j];
        out[4 * i + 3] =
            at[i] - out[4 * i] * target->head[0] - out[4 * i + 1] * target->head[1] - out[4 * i + 2] * target->head[2];
    }
}

toc_status toc_capture_pose(toc_capture *capture, double time, size_t joint_count, double *matrices) {
    TOC_SCOPED_ARITHMETIC;
    TOC_NEED(capture);
    TOC_NEED(matrices);
    motion_file *motion = capture_file_of(capture);
    if (motion->targets.count == 0) return toc_fail(TOC_BAD_INPUT, "the motion is attached to no rig");
    if (joint_count != motion->targets.count)
        return toc_fail(TOC_BAD_INPUT, "room for %zu matrices given, the rig has %zu joints", joint_count,
                        motion->targets.count);
    if (!isfinite(time)) return toc_fail(TOC_BAD_INPUT, "the time of a pose is not finite");
    const motion_time when = find_motion_time(&motion->file, time);
    turn_joints(motion, when);
    for (size_t k = 0; k < motion->order.count; k++) {
        const uint32_t i = motion->order.at[k];
        const motion_target *target = &motion->targets.at[i];
        const double *above = target->parent == UINT32_MAX ? NULL : matrices + 12 * (size_t)target->parent;
        double at[3];
        if (target->source == UINT32_MAX) {
            memcpy(matrices + 12 * (size_t)i, above ? above : target->rest, sizeof target->rest);
            continue;
        }
        place_point(above ? above : motion->place, target->head, at);
        if (target->leads) root_position(motion, &motion->file.joints.at[target->source], when, at);
        turn_target(motion, target, at, matrices + 12 * (size_t)i);
    }
    return TOC_OK;
}
