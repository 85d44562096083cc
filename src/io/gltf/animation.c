// SPDX-License-Identifier: Apache-2.0
// Animations of glTF: channels of keys for the placing of a node or the weights of its morph targets, held, mixed
// or along a cubic between them. Keys are looked up in the file's own arrays, O(log n) a channel.
// After appendix C of the glTF 2.0 specification; turns are mixed after Shoemake 1985, "Animating rotation with
// quaternion curves".
#include "io/gltf/animation.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

typedef enum channel_path { TRANSLATION, ROTATION, SCALE, WEIGHTS, PATHS } channel_path;
typedef enum channel_way { LINEAR, STEP, CUBIC, WAYS } channel_way;

/// The index of a name in a list, `otherwise` where the value is missing and -1 where it is another.
static int index_of(const toc_json *json, toc_json_id value, int count, const char *const *names, int otherwise) {
    if (value == TOC_JSON_NONE) return otherwise;
    for (int i = 0; i < count; i++)
        if (toc_json_is(json, value, names[i])) return i;
    return -1;
}

static toc_status check_times(const toc_gltf *file, const toc_accessor *times) {
    double before = -1, time;
    for (size_t i = 0; i < times->count; i++, before = time) {
        time = toc_accessor_at(times, i);
        if (!(time > before && isfinite(time)))
            return toc_accessor_fail(file, times, i, "the times of keys do not ascend from 0");
    }
    return TOC_OK;
}

static toc_status check_values(const toc_gltf *file, const toc_gltf_channel *channel) {
    const size_t per_key = (channel->path == WEIGHTS ? channel->components : 1) * (channel->way == CUBIC ? 3 : 1);
    double item[4];
    if (channel->times.count > SIZE_MAX / per_key || channel->values.count != per_key * channel->times.count)
        return toc_json_fail(&file->json, channel->values.id, "%zu values for %zu keys", channel->values.count,
                             channel->times.count);
    if (!channel->values.bytes) return TOC_OK; // all 0; sparse values are checked on use
    for (size_t i = 0; i < channel->values.count; i++) {
        toc_accessor_read(&channel->values, i, 1, item);
        for (size_t k = 0; k < channel->values.components; k++)
            if (!isfinite(item[k]))
                return toc_accessor_fail(file, &channel->values, i, "a value of a key is not a finite number");
    }
    return TOC_OK;
}

static bool is_felt(const toc_gltf_scene *scene, const toc_gltf_channel *channel) {
    const toc_gltf_node *node = &scene->nodes.at[channel->node];
    return channel->path == WEIGHTS ? node->targets > 0 : node->carries && !node->fixed;
}

static toc_status open_sampler(toc_gltf_scene *scene, toc_json_id sampler, toc_gltf_channel *channel) {
    static const char *const ways[WAYS] = {"LINEAR", "STEP", "CUBICSPLINE"};
    static const size_t components[PATHS] = {3, 4, 3, 1};
    const toc_json *json = &scene->file->json;
    const int way = index_of(json, toc_json_member(json, sampler, "interpolation"), WAYS, ways, LINEAR);
    if (way < 0) return toc_json_fail(json, sampler, "an interpolation that is not known");
    channel->way = (uint8_t)way;
    const size_t wanted = components[channel->path];
    channel->components = channel->path == WEIGHTS ? scene->nodes.at[channel->node].targets : wanted;
    TOC_TRY(toc_accessor_open(scene->file, sampler, "input", 1, &channel->times));
    TOC_TRY(toc_accessor_open(scene->file, sampler, "output", wanted, &channel->values));
    if (channel->times.count == 0 || channel->values.count == 0)
        return toc_json_fail(json, sampler, "a sampler without input or output");
    TOC_TRY(check_times(scene->file, &channel->times));
    return check_values(scene->file, channel);
}

static toc_status add_channel(toc_gltf_scene *scene, toc_gltf_animation *animation, const toc_gltf_list *samplers,
                              toc_json_id id) {
    static const char *const paths[PATHS] = {"translation", "rotation", "scale", "weights"};
    const toc_json *json = &scene->file->json;
    const toc_json_id target = toc_json_member(json, id, "target");
    uint64_t index;
    TOC_TRY(toc_json_count(json, target, "node", UINT64_MAX, &index));
    const int path = index_of(json, toc_json_member(json, target, "path"), PATHS, paths, -1);
    if (path < 0) return toc_json_fail(json, id, "a channel that moves something unknown");
    if (index >= scene->places.count || scene->places.at[index] == UINT32_MAX) return TOC_OK; // not in the scene
    toc_gltf_channel channel = {.node = scene->places.at[index], .path = (uint8_t)path};
    if (!is_felt(scene, &channel)) return TOC_OK;
    toc_json_id sampler;
    TOC_TRY(toc_gltf_follow(scene->file, id, "sampler", samplers, &sampler));
    if (sampler == TOC_JSON_NONE) return toc_json_fail(json, id, "a channel without a sampler");
    TOC_TRY(open_sampler(scene, sampler, &channel));
    TOC_TRY(toc_array_reserve(&json->source->allocator, &animation->channels, 1));
    animation->channels.at[animation->channels.count++] = channel;
    return TOC_OK;
}

static toc_status add_channels(toc_gltf_scene *scene, toc_gltf_animation *animation, toc_json_id id) {
    const toc_json *json = &scene->file->json;
    const toc_json_id list = toc_json_member(json, id, "channels");
    toc_gltf_list samplers = {0};
    toc_status status = toc_gltf_list_make(scene->file, toc_json_member(json, id, "samplers"), &samplers);
    for (toc_json_id i = toc_json_first(json, list); i != TOC_JSON_NONE && status == TOC_OK;
         i = toc_json_next(json, list, i))
        status = add_channel(scene, animation, &samplers, i);
    toc_array_free(&json->source->allocator, &samplers);
    return status;
}

/// Times in files are floats: two times are equal if they differ by less than the precision of a float.
static const double float_step = 0x1p-23;

static toc_status animation_count_frames(const toc_json *json, toc_gltf_animation *animation) {
    enum { MOST = 1000000 };
    animation->start = INFINITY;
    for (size_t i = 0; i < animation->channels.count; i++) {
        const toc_accessor *times = &animation->channels.at[i].times;
        animation->start = fmin(animation->start, toc_accessor_at(times, 0));
        animation->end = fmax(animation->end, toc_accessor_at(times, times->count - 1));
    }
    const double steps = (animation->end - animation->start) * animation->rate;
    if (!(steps < MOST)) return toc_json_fail(json, 0, "%g frames at %g a second are too many", steps, animation->rate);
    const double slack = animation->end * animation->rate * float_step;
    animation->frame_count = (size_t)ceil(fmax(steps - slack, 0)) + 1;
    return TOC_OK;
}

static toc_status add_clip(const toc_json *json, toc_json_id id, toc_gltf_clips *clips) {
    enum { MOST_OF_NAME = 256 };
    const toc_allocator *memory = &json->source->allocator;
    const toc_json_id name = toc_json_member(json, id, "name");
    const bool named = toc_json_kind_of(json, name) == TOC_JSON_STRING && toc_json_text(json, name, NULL) > 0 &&
                       toc_json_text(json, name, NULL) < MOST_OF_NAME;
    TOC_TRY(toc_array_reserve(memory, &clips->list, 1));
    TOC_TRY(toc_array_reserve(memory, &clips->names, MOST_OF_NAME));
    char *to = clips->names.at + clips->names.count;
    if (named)
        toc_json_text(json, name, to);
    else
        snprintf(to, MOST_OF_NAME, "%zu", clips->list.count);
    clips->list.at[clips->list.count++] = (toc_gltf_clip){.id = id, .name = clips->names.count};
    clips->names.count += strlen(to) + 1;
    return TOC_OK;
}

toc_status toc_gltf_animation_list(const toc_gltf *file, toc_gltf_clips *out) {
    const toc_json *json = &file->json;
    const toc_json_id list = toc_json_member(json, 0, "animations");
    for (toc_json_id i = toc_json_first(json, list); i != TOC_JSON_NONE; i = toc_json_next(json, list, i))
        TOC_TRY(add_clip(json, i, out));
    return TOC_OK;
}

void toc_gltf_clips_free(toc_gltf_clips *clips, const toc_allocator *allocator) {
    toc_array_free(allocator, &clips->list);
    toc_array_free(allocator, &clips->names);
}

static toc_status fail_clip(const toc_gltf_clips *clips, const char *wanted) {
    char known[512] = "";
    size_t length = 0;
    for (size_t i = 0; i < clips->list.count && length < sizeof known - 8; i++) {
        const int more = snprintf(known + length, sizeof known - 4 - length, "%s\"%s\"", i > 0 ? ", " : "",
                                  clips->names.at + clips->list.at[i].name);
        length += (size_t)more;
    }
    if (length > sizeof known - 8) memcpy(known + sizeof known - 6, " ...", 5);
    return toc_fail(TOC_BAD_INPUT, "there is no clip \"%.80s\"%s%s", wanted,
                    clips->list.count > 0 ? "; the file has " : ", and no other", known);
}

toc_status toc_gltf_clips_find(const toc_gltf_clips *clips, const char *name, size_t *out) {
    for (*out = 0; *out < clips->list.count; ++*out)
        if (strcmp(clips->names.at + clips->list.at[*out].name, name) == 0) return TOC_OK;
    return fail_clip(clips, name);
}

toc_status toc_gltf_animation_open(toc_gltf_scene *scene, const toc_gltf_clips *clips, const toc_frame_wish *wish,
                                   toc_gltf_animation *out) {
    size_t first = 0;
    *out = (toc_gltf_animation){.rate = wish->rate, .frame_count = 1};
    if (wish->clip) TOC_TRY(toc_gltf_clips_find(clips, wish->clip, &first));
    const size_t end = wish->clip ? first + 1 : clips->list.count;
    for (size_t i = first; i < end && out->channels.count == 0; i++)
        TOC_TRY(add_channels(scene, out, clips->list.at[i].id));
    return out->channels.count > 0 ? animation_count_frames(&scene->file->json, out) : TOC_OK;
}

void toc_gltf_animation_free(toc_gltf_animation *animation, const toc_allocator *allocator) {
    toc_array_free(allocator, &animation->channels);
}

double toc_gltf_animation_time(const toc_gltf_animation *animation, size_t frame) {
    assert(animation->rate > 0);
    return fmin(animation->start + (double)frame / animation->rate, animation->end);
}

/// The last key that is not behind the time, and the fraction of the way to the next, from 0 to 1.
static size_t find_key(const toc_accessor *times, double time, double *part, double *span) {
    size_t low = 0, high = times->count;
    assert(high > 0);
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (toc_accessor_at(times, middle) <= time * (1 + float_step))
            low = middle;
        else
            high = middle;
    }
    const double here = toc_accessor_at(times, low);
    *part = 0;
    *span = 0;
    if (low + 1 == times->count || time <= here * (1 + float_step)) return low;
    *span = toc_accessor_at(times, low + 1) - here;
    *part = fmin((time - here) / *span, 1);
    return low;
}

/// A number of a key; a cubic has a tangent before its value and one behind it.
static double animation_value_at(const toc_gltf_channel *channel, size_t key, int which, size_t component) {
    const size_t groups = channel->way == CUBIC ? 3 : 1, group = groups * key + (groups == 3 ? (size_t)which : 0);
    double item[4] = {0};
    assert(channel->path == WEIGHTS || component < 4);
    if (channel->path == WEIGHTS) {
        toc_accessor_read(&channel->values, group * channel->components + component, 1, item);
        return item[0];
    }
    toc_accessor_read(&channel->values, group, 1, item);
    return item[component];
}

enum { TANGENT_IN, VALUE, TANGENT_OUT };

static double animation_cubic_at(const toc_gltf_channel *channel, size_t key, double t, double span, size_t component) {
    const double t2 = t * t, t3 = t2 * t;
    return (2 * t3 - 3 * t2 + 1) * animation_value_at(channel, key, VALUE, component) +
           span * (t3 - 2 * t2 + t) * animation_value_at(channel, key, TANGENT_OUT, component) +
           (3 * t2 - 2 * t3) * animation_value_at(channel, key + 1, VALUE, component) +
           span * (t3 - t2) * animation_value_at(channel, key + 1, TANGENT_IN, component);
}

/// sin(t angle) / sin(angle), as a power series in 1 - cosine: David Eberly, "A Fast and Accurate Algorithm for
/// Computing SLERP". For cosines from 0 to 1 all terms are positive, and each is less than half of the one before. The
/// series takes the four basic operations only, so that the bits are the same on every machine.
static double turn_share(double cosine, double t) {
    double sum = t, term = t;
    for (int i = 1; term > 0x1p-54 * sum; i++) {
        term *= (1 - cosine) * ((i - t) * (i + t)) / (i * (2 * i + 1));
        sum += term;
    }
    return sum;
}

/// On the shorter way between two turns, at constant speed.
static void mix_turns(const double a[4], const double b[4], double t, double to[4]) {
    double cosine = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
    const double sign = cosine < 0 ? -1 : 1;
    cosine = fmin(sign * cosine, 1);
    const double first = turn_share(cosine, 1 - t), second = turn_share(cosine, t);
    for (int i = 0; i < 4; i++) to[i] = first * a[i] + sign * second * b[i];
}

static void sample_turn(const toc_gltf_channel *channel, size_t key, double t, double to[4]) {
    double a[4], b[4];
    for (size_t i = 0; i < 4; i++) {
        a[i] = animation_value_at(channel, key, VALUE, i);
        b[i] = animation_value_at(channel, key + 1, VALUE, i);
    }
    mix_turns(a, b, t, to);
}

static void sample(const toc_gltf_channel *channel, double time, double *to) {
    double t, span;
    const size_t key = find_key(&channel->times, time, &t, &span);
    const bool held = t == 0 || channel->way == STEP;
    if (!held && channel->way == LINEAR && channel->path == ROTATION) {
        sample_turn(channel, key, t, to);
        return;
    }
    for (size_t i = 0; i < channel->components; i++) {
        if (!held && channel->way == CUBIC) {
            to[i] = animation_cubic_at(channel, key, t, span, i);
            continue;
        }
        to[i] = animation_value_at(channel, key, VALUE, i);
        if (!held) to[i] = (1 - t) * to[i] + t * animation_value_at(channel, key + 1, VALUE, i);
    }
}

void toc_gltf_animation_pose(const toc_gltf_animation *animation, double time, toc_gltf_scene *scene) {
    toc_gltf_scene_rest(scene);
    for (size_t i = 0; i < animation->channels.count; i++) {
        const toc_gltf_channel *channel = &animation->channels.at[i];
        toc_gltf_node *node = &scene->nodes.at[channel->node];
        double *const places[PATHS] = {node->now.translation, node->now.rotation, node->now.scale,
                                       channel->path == WEIGHTS ? scene->weights.at + node->weights : NULL};
        sample(channel, time, places[channel->path]);
    }
}
