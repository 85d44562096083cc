// SPDX-License-Identifier: Apache-2.0
// BVH, the motion files of Biovision: a skeleton as nested blocks, then a line of numbers for each frame. End sites are
// skipped. Names go to the end of their line. After Meredith and Maddock 2001, "Motion capture file formats explained".
#include "io/motion/capture_file.h"

#include <assert.h>

#include "base/status.h"

static toc_status bvh_expect(toc_source *source, const char *word) {
    toc_source_skip_space(source);
    const toc_text found = toc_source_word(source);
    if (toc_text_is(found, word)) return TOC_OK;
    return toc_source_fail(source, "\"%.*s\" where \"%s\" is expected", found.count > 40 ? 40 : (int)found.count,
                           found.at, word);
}

static toc_status bvh_read_point(toc_source *source, double out[3]) {
    for (int k = 0; k < 3; k++) TOC_TRY(toc_source_double(source, &out[k]));
    return TOC_OK;
}

/// The rest of the line, up to a brace, as a name.
static toc_status bvh_add_name(toc_source *source, toc_capture_file *out, size_t *name) {
    toc_source_skip_blanks(source);
    const char *begin = source->at;
    while (source->at < source->end && *source->at != '\n' && *source->at != '{' && *source->at != 0) source->at++;
    const char *end = source->at;
    while (end > begin && toc_is_blank(end[-1])) end--;
    const size_t count = (size_t)(end - begin);
    if (count == 0) return toc_source_fail(source, "a joint without a name");
    TOC_TRY(toc_array_reserve(&source->allocator, &out->names, count + 1));
    memcpy(out->names.at + out->names.count, begin, count);
    out->names.at[out->names.count + count] = 0;
    *name = out->names.count;
    out->names.count += count + 1;
    return TOC_OK;
}

static toc_status bvh_begin_joint(toc_source *source, toc_capture_file *out, bool root, uint32_t *current) {
    if (root && *current != UINT32_MAX) return toc_source_fail(source, "a ROOT within a joint");
    if (!root && *current == UINT32_MAX) return toc_source_fail(source, "a JOINT outside of a ROOT");
    TOC_TRY(toc_array_reserve(&source->allocator, &out->joints, 1));
    toc_capture_joint *joint = &out->joints.at[out->joints.count];
    *joint = (toc_capture_joint){.parent = *current};
    TOC_TRY(bvh_add_name(source, out, &joint->name));
    *current = (uint32_t)out->joints.count++;
    return bvh_expect(source, "{");
}

static toc_status bvh_skip_end_site(toc_source *source) {
    double offset[3];
    TOC_TRY(bvh_expect(source, "Site"));
    TOC_TRY(bvh_expect(source, "{"));
    TOC_TRY(bvh_expect(source, "OFFSET"));
    TOC_TRY(bvh_read_point(source, offset));
    return bvh_expect(source, "}");
}

static toc_status bvh_read_channels(toc_source *source, toc_capture_file *out, toc_capture_joint *joint) {
    static const char *const names[6] = {"Xposition", "Yposition", "Zposition", "Xrotation", "Yrotation", "Zrotation"};
    int64_t count;
    TOC_TRY(toc_source_integer(source, &count));
    if (joint->channel_count > 0) return toc_source_fail(source, "a joint has CHANNELS twice");
    if (count < 0 || count > TOC_CAPTURE_MOST_CHANNELS)
        return toc_source_fail(source, "%lld channels of a joint; 0 to 6 are possible", (long long)count);
    joint->first_channel = out->channel_count;
    for (int64_t i = 0; i < count; i++) {
        const toc_text word = toc_source_word(source);
        uint8_t kind = 0;
        while (kind < 6 && !toc_text_is(word, names[kind])) kind++;
        if (kind == 6)
            return toc_source_fail(source,
                                   "\"%.*s\" is no channel; there are Xposition to Zposition and Xrotation to "
                                   "Zrotation",
                                   word.count > 40 ? 40 : (int)word.count, word.at);
        joint->channels[joint->channel_count++] = kind;
    }
    out->channel_count += (size_t)count;
    return TOC_OK;
}

/// A statement within a joint.
static toc_status bvh_read_statement(toc_source *source, toc_capture_file *out, toc_text word, uint32_t *current) {
    if (*current == UINT32_MAX)
        return toc_source_fail(source, "\"%.*s\" where ROOT or MOTION is expected",
                               word.count > 40 ? 40 : (int)word.count, word.at);
    assert(*current < out->joints.count);
    toc_capture_joint *joint = &out->joints.at[*current];
    if (toc_text_is(word, "End")) return bvh_skip_end_site(source);
    if (toc_text_is(word, "OFFSET")) return bvh_read_point(source, joint->offset);
    if (toc_text_is(word, "CHANNELS")) return bvh_read_channels(source, out, joint);
    if (!toc_text_is(word, "}"))
        return toc_source_fail(source, "\"%.*s\" where OFFSET, CHANNELS, JOINT, End Site or } is expected",
                               word.count > 40 ? 40 : (int)word.count, word.at);
    *current = joint->parent;
    return TOC_OK;
}

static toc_status bvh_read_hierarchy(toc_source *source, toc_capture_file *out) {
    uint32_t current = UINT32_MAX;
    TOC_TRY(bvh_expect(source, "HIERARCHY"));
    for (;;) {
        if (!toc_source_skip_space(source)) return toc_source_fail(source, "the file ends before MOTION");
        const toc_text word = toc_source_word(source);
        if (toc_text_is(word, "MOTION")) break;
        const bool root = toc_text_is(word, "ROOT");
        TOC_TRY(root || toc_text_is(word, "JOINT") ? bvh_begin_joint(source, out, root, &current)
                                                   : bvh_read_statement(source, out, word, &current));
    }
    if (current != UINT32_MAX)
        return toc_source_fail(source, "MOTION within the joint \"%s\"; a } is missing",
                               out->names.at + out->joints.at[current].name);
    if (out->channel_count == 0) return toc_source_fail(source, "no joint has channels");
    return TOC_OK;
}

static toc_status bvh_read_values(toc_source *source, toc_capture_file *out) {
    const size_t count = out->frame_count * out->channel_count;
    assert(out->values.count == 0);
    TOC_TRY(toc_array_reserve(&source->allocator, &out->values, count));
    for (size_t i = 0; i < count; i++) {
        if (!toc_source_skip_space(source))
            return toc_source_fail(source, "%zu values; %zu frames of %zu channels need %zu", i, out->frame_count,
                                   out->channel_count, count);
        TOC_TRY(toc_source_double(source, &out->values.at[i]));
    }
    out->values.count = count;
    if (toc_source_skip_space(source))
        return toc_source_fail(source, "more values than %zu frames of %zu channels need", out->frame_count,
                               out->channel_count);
    return TOC_OK;
}

static toc_status bvh_read_motion(toc_source *source, toc_capture_file *out) {
    int64_t frames;
    TOC_TRY(bvh_expect(source, "Frames:"));
    TOC_TRY(toc_source_integer(source, &frames));
    if (frames < 1) return toc_source_fail(source, "%lld frames; one at least is needed", (long long)frames);
    TOC_TRY(bvh_expect(source, "Frame"));
    TOC_TRY(bvh_expect(source, "Time:"));
    TOC_TRY(toc_source_double(source, &out->step));
    if (!(out->step > 0)) return toc_source_fail(source, "a frame time of %g; it must be above 0", out->step);
    // Before the product: each number takes two bytes at least.
    TOC_TRY(toc_source_check_count(source, (uint64_t)frames, out->channel_count, "frames"));
    out->frame_count = (size_t)frames;
    return bvh_read_values(source, out);
}

toc_status toc_capture_file_read(toc_source *source, toc_capture_file *out) {
    *out = (toc_capture_file){0};
    TOC_TRY(bvh_read_hierarchy(source, out));
    return bvh_read_motion(source, out);
}

void toc_capture_file_free(toc_capture_file *capture, const toc_allocator *allocator) {
    toc_array_free(allocator, &capture->joints);
    toc_array_free(allocator, &capture->names);
    toc_array_free(allocator, &capture->values);
}
