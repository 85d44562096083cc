// SPDX-License-Identifier: Apache-2.0
// The frames of a simulation in a folder.
#include "tools/frames.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/platform/platform.h"
#include "base/status.h"
#include "tools/merge.h"
#include "tools/output.h"

/// The head of a state file; doubles follow.
typedef struct state_head {
    char magic[8];
    uint64_t hash;
    uint32_t frame, first; // of the state; the first one in the folder
    uint64_t count;
} state_head;

static const char state_magic[8] = "TOCSTA2";

// ---- one mesh of all bodies

static toc_status merge_bodies(toc_sim *sim, toc_mesh *mesh) {
    const toc_scene *scene = toc_sim_get_scene(sim);
    for (uint32_t b = 0; b < toc_scene_get_body_count(scene); b++) {
        const toc_mesh *body = toc_scene_get_mesh(scene, b);
        const int32_t group = (int32_t)b + 1;
        uint32_t first;
        if (!body) continue; // glued to another one
        toc_status status = toc_mesh_add_vertices(mesh, toc_mesh_get_vertex_count(body), toc_mesh_get_x1(body), &first);
        if (status == TOC_OK) status = tool_elements_merge(mesh, body, first, &group);
        if (status != TOC_OK) return status;
    }
    return TOC_OK;
}

// Number the vertices by body and vertex id. Vertices split off one body shift those of the bodies behind it: readers
// of frames recognise them by these numbers. A glued body has other ids; frames have no numbers from there on.
static toc_status number_vertices(toc_sim *sim, toc_mesh *mesh) {
    static const int64_t body_numbers = INT64_C(10000000000); // above all ids
    const toc_scene *scene = toc_sim_get_scene(sim);
    const uint32_t bodies = (uint32_t)toc_scene_get_body_count(scene);
    for (uint32_t b = 0; b < bodies; b++)
        if (bodies == 1 || !toc_scene_has_body(scene, b)) return TOC_OK;
    int64_t *labels = malloc(toc_mesh_get_vertex_count(mesh) * sizeof *labels + 1), *to = labels;
    if (!labels) return tool_fail_memory();
    for (uint32_t b = 0; b < bodies; b++) {
        const size_t count = toc_mesh_get_vertex_count(toc_scene_get_mesh(scene, b));
        for (size_t v = 0; v < count; v++) *to++ = (b + 1) * body_numbers + (int64_t)v;
    }
    const toc_status status = toc_mesh_set_vertex_labels(mesh, (size_t)(to - labels), labels);
    free(labels);
    return status;
}

static uint64_t count_body_edits(toc_sim *sim) {
    const toc_scene *scene = toc_sim_get_scene(sim);
    uint64_t edits = 0;
    for (uint32_t b = 0; b < toc_scene_get_body_count(scene); b++) {
        // A body that is glued to another one counts, too.
        edits += toc_scene_has_body(scene, b) ? toc_mesh_get_revision(toc_scene_get_mesh(scene, b)) : 1;
    }
    return edits;
}

// Merge the bodies, again if their topology changed.
static toc_status update_merged(tool_frames *frames, toc_sim *sim) {
    if (frames->mesh && frames->edits == count_body_edits(sim)) return TOC_OK;
    toc_mesh_destroy(frames->mesh);
    frames->mesh = NULL;
    TOC_TRY(toc_mesh_create(NULL, &frames->mesh));
    TOC_TRY(merge_bodies(sim, frames->mesh));
    TOC_TRY(number_vertices(sim, frames->mesh));
    frames->edits = count_body_edits(sim);
    double *positions = realloc(frames->positions, 6 * toc_mesh_get_vertex_count(frames->mesh) * sizeof *positions + 1);
    if (!positions) return tool_fail_memory();
    frames->positions = positions;
    return TOC_OK;
}

static toc_status move_merged(tool_frames *frames, toc_sim *sim) {
    const toc_scene *scene = toc_sim_get_scene(sim);
    double *to = frames->positions, *velocities = to + 3 * toc_mesh_get_vertex_count(frames->mesh);
    for (uint32_t b = 0; b < toc_scene_get_body_count(scene); b++) {
        const size_t count = 3 * toc_mesh_get_vertex_count(toc_scene_get_mesh(scene, b));
        if (count == 0) continue;
        memcpy(to, toc_sim_get_positions(sim, b), count * sizeof *to);
        memcpy(velocities, toc_sim_get_velocities(sim, b), count * sizeof *to);
        to += count, velocities += count;
    }
    return toc_mesh_set_motion(frames->mesh, toc_mesh_get_vertex_count(frames->mesh), frames->positions,
                               frames->positions);
}

// ---- life

toc_status tool_folder_make(const char *folder) {
    if (toc_folder_make(folder)) return TOC_OK;
    const toc_status status = errno == ENOSPC ? TOC_DISK_FULL : TOC_BAD_INPUT;
    return tool_fail(status, "%s: the folder cannot be created: %s", folder, strerror(errno));
}

toc_status tool_frames_make(const char *folder, const char *format, bool contacts, simulation *s, tool_frames *out) {
    assert(folder && s && out);
    out->format = format ? format : "vtu";
    out->folder = strdup(folder);
    if (contacts) {
        if (asprintf(&out->contacts, "%s/contacts", folder) < 0) out->contacts = NULL;
        if (!out->contacts) return tool_fail_memory();
        const toc_status status = tool_folder_make(out->contacts);
        if (status != TOC_OK) return status;
    }
    if (asprintf(&out->list, "%s/%s.pvd", folder, s->name) < 0) out->list = NULL;
    if (asprintf(&out->state, "%s/%s.state", folder, s->name) < 0) out->state = NULL;
    if (!out->folder || !out->list || !out->state) return tool_fail_memory();
    return update_merged(out, s->sim);
}

void tool_frames_free(tool_frames *frames) {
    for (size_t i = 0; i < frames->count; i++) free(frames->names[i]);
    free(frames->names);
    free(frames->times);
    free(frames->positions);
    free(frames->folder);
    free(frames->list);
    free(frames->state);
    free(frames->contacts);
    toc_mesh_destroy(frames->mesh);
}

// ---- writing

static toc_status add_name(tool_frames *frames, const simulation *s, size_t frame) {
    if (frames->count == frames->capacity) {
        const size_t room = 2 * frames->capacity + 64;
        char **names = realloc(frames->names, room * sizeof *names);
        if (names) frames->names = names;
        double *times = realloc(frames->times, room * sizeof *times);
        if (times) frames->times = times;
        if (!names || !times) return tool_fail_memory();
        frames->capacity = room;
    }
    if (asprintf(&frames->names[frames->count], "%s-%04zu.%s", s->name, frame, frames->format) < 0)
        return tool_fail_memory();
    frames->times[frames->count++] = (double)frame * s->frame_time;
    return TOC_OK;
}

static toc_status write_mesh(const tool_frames *frames, const char *name) {
    assert(frames->mesh && name);
    char *path;
    if (asprintf(&path, "%s/%s", frames->folder, name) < 0) return tool_fail_memory();
    const double *velocities = frames->positions + 3 * toc_mesh_get_vertex_count(frames->mesh);
    const toc_status status = toc_mesh_write_moving(path, frames->mesh, TOC_AT_END, velocities);
    free(path);
    return status;
}

// ---- contacts, in the vertex ids of the merged mesh: that of the frames

static void merge_ids(toc_sim *sim, toc_near_pair *pairs, size_t count) {
    const toc_scene *scene = toc_sim_get_scene(sim);
    for (size_t i = 0; i < count; i++) {
        toc_near_pair *pair = &pairs[i];
        for (int k = 0; k < 4; k++) {
            const uint32_t body = pair->body[k >= (pair->kind == TOC_VF ? 1 : 2)];
            for (uint32_t b = 0; b < body; b++)
                pair->v[k] += (uint32_t)toc_mesh_get_vertex_count(toc_scene_get_mesh(scene, b));
        }
    }
}

static toc_status write_contacts(const tool_frames *frames, simulation *s, size_t frame) {
    assert(frames->contacts);
    toc_near_pair *pairs = malloc(toc_sim_get_contacts(s->sim, NULL) * sizeof *pairs + 1);
    char *path;
    if (asprintf(&path, "%s/%s-%04zu.vtp", frames->contacts, s->name, frame) < 0) path = NULL;
    toc_status status = pairs && path ? TOC_OK : tool_fail_memory();
    if (status == TOC_OK) {
        const size_t count = toc_sim_get_contacts(s->sim, pairs);
        merge_ids(s->sim, pairs, count);
        status = toc_answer_write(path, TOC_ITEM_NEAR, count, pairs, NULL);
    }
    free(pairs);
    free(path);
    return status;
}

static bool has_contacts(const tool_frames *frames, const char *name) {
    assert(frames->contacts && name);
    char *path;
    if (asprintf(&path, "%s/%s", frames->contacts, name) < 0) return false;
    const bool there = toc_path_exists(path);
    free(path);
    return there;
}

// The list has the files that are there: a run may have begun without contacts.
static toc_status list_contacts(const tool_frames *frames, const simulation *s) {
    assert(frames->contacts);
    char **names = calloc(frames->count, sizeof *names), *list = NULL;
    double *times = malloc(frames->count * sizeof *times);
    size_t count = 0;
    toc_status status = names && times ? TOC_OK : tool_fail_memory();
    for (size_t i = 0; i < frames->count && status == TOC_OK; i++) {
        if (asprintf(&names[count], "%s-%04zu.vtp", s->name, frames->first + i) < 0) status = tool_fail_memory();
        times[count] = frames->times[i];
        if (status != TOC_OK) names[count] = NULL;
        if (status == TOC_OK && has_contacts(frames, names[count])) {
            count++;
        } else {
            free(names[count]);
        }
    }
    if (status == TOC_OK && asprintf(&list, "%s/%s.pvd", frames->contacts, s->name) < 0) status = tool_fail_memory();
    if (status == TOC_OK && count > 0) status = toc_sequence_write_pvd(list, count, (const char *const *)names, times);
    for (size_t i = 0; i < count; i++) free(names[i]);
    free(names);
    free(times);
    free(list);
    return status;
}

static toc_status write_state(const tool_frames *frames, simulation *s, size_t frame) {
    state_head head = {.hash = s->hash,
                       .frame = (uint32_t)frame,
                       .first = (uint32_t)frames->first,
                       .count = toc_sim_get_state(s->sim, NULL)};
    memcpy(head.magic, state_magic, sizeof head.magic);
    const size_t bytes = sizeof head + head.count * sizeof(double);
    char *text = malloc(bytes), *kept = NULL;
    toc_status status = text ? TOC_OK : tool_fail_memory();
    if (status == TOC_OK && frames->states && asprintf(&kept, "%s/%s-%04zu.state", frames->folder, s->name, frame) < 0)
        status = tool_fail_memory();
    if (status == TOC_OK) {
        memcpy(text, &head, sizeof head);
        toc_sim_get_state(s->sim, (double *)(void *)(text + sizeof head));
    }
    if (status == TOC_OK && frames->states) status = tool_file_write(kept, text, bytes);
    if (status == TOC_OK) status = tool_file_write(frames->state, text, bytes);
    free(kept);
    free(text);
    return status;
}

toc_status tool_frames_write(tool_frames *frames, simulation *s, size_t frame) {
    assert(s->sim);
    TOC_TRY(update_merged(frames, s->sim));
    TOC_TRY(move_merged(frames, s->sim));
    TOC_TRY(add_name(frames, s, frame));
    TOC_TRY(write_mesh(frames, frames->names[frames->count - 1]));
    if (frames->contacts && !frames->begins) TOC_TRY(write_contacts(frames, s, frame));
    frames->begins = false;
    TOC_TRY(write_state(frames, s, frame));
    if (frames->contacts) TOC_TRY(list_contacts(frames, s));
    return toc_sequence_write_pvd(frames->list, frames->count, (const char *const *)frames->names, frames->times);
}

// ---- going on

// The bytes behind the head, all of the file: a count that is not theirs would ask for any memory.
static toc_status check_length(const char *path, FILE *file, const state_head *head) {
    if (head->count == (toc_stream_size(file) - sizeof *head) / sizeof(double)) return TOC_OK;
    return tool_fail(TOC_BAD_INPUT, "%s: the file has another length than its head tells", path);
}

static toc_status read_head(const char *path, FILE *file, state_head *head) {
    if (fread(head, sizeof *head, 1, file) != 1 || memcmp(head->magic, state_magic, sizeof head->magic) != 0)
        return tool_fail(TOC_BAD_INPUT, "%s: this is not the state of a simulation", path);
    if (head->first > head->frame)
        return tool_fail(TOC_BAD_INPUT, "%s: the state is damaged: it is of frame %u, and the first frame is %u", path,
                         head->frame, head->first);
    return TOC_OK;
}

static toc_status take_state(const char *path, simulation *s, FILE *file, state_head *head) {
    TOC_TRY(read_head(path, file, head));
    if (head->hash != s->hash)
        return tool_fail(TOC_BAD_INPUT,
                         "%s: the state of another description, size or preset; run without --resume and --from", path);
    TOC_TRY(check_length(path, file, head));
    const size_t count = (size_t)head->count;
    double *state = malloc(count * sizeof *state + 1);
    toc_status status = state ? TOC_OK : tool_fail_memory();
    if (status == TOC_OK && fread(state, sizeof *state, count, file) != count)
        status = tool_fail(TOC_BAD_INPUT, "%s: the file is too short", path);
    if (status == TOC_OK) status = toc_sim_set_state(s->sim, state, count);
    free(state);
    return status;
}

static toc_status open_state(const char *path, FILE **out) {
    *out = toc_stream_open(path, "rb");
    return *out ? TOC_OK : tool_fail(TOC_BAD_INPUT, "%s: cannot be opened: %s", path, strerror(errno));
}

toc_status tool_frames_resume(tool_frames *frames, simulation *s, size_t *next) {
    state_head head;
    FILE *file;
    *next = 0;
    if (!toc_path_exists(frames->state)) return TOC_OK;
    TOC_TRY(open_state(frames->state, &file));
    toc_status status = take_state(frames->state, s, file, &head);
    fclose(file);
    if (status != TOC_OK) return status;
    frames->first = head.first;
    for (size_t i = head.first; status == TOC_OK && i <= head.frame; i++) status = add_name(frames, s, i);
    *next = (size_t)head.frame + 1;
    return status;
}

// ---- going on in another folder

static bool ends_with(const char *text, const char *end) {
    const size_t a = strlen(text), b = strlen(end);
    return a >= b && strcmp(text + a - b, end) == 0;
}

// The number at the end of "DIR/NAME-0007", and the length before the hyphen. @return false without one.
static bool find_number(const char *stem, size_t *length, size_t *number) {
    const char *hyphen = strrchr(stem, '-');
    if (!hyphen || hyphen[1] == 0 || strspn(hyphen + 1, "0123456789") != strlen(hyphen + 1)) return false;
    *length = (size_t)(hyphen - stem);
    *number = strtoul(hyphen + 1, NULL, 10);
    return true;
}

// The state of the last frame, if that is the wanted one.
static toc_status check_last(const char *frame, const char *state, size_t number) {
    state_head head;
    FILE *file = toc_stream_open(state, "rb");
    if (!file) return tool_fail(TOC_BAD_INPUT, "%s: there is no state beside this frame: %s", frame, state);
    toc_status status = read_head(state, file, &head);
    fclose(file);
    if (status == TOC_OK && head.frame != number)
        status = tool_fail(TOC_BAD_INPUT,
                           "%s: the state of this frame was not kept: %s is of frame %u, the last; --states keeps all",
                           frame, state, head.frame);
    return status;
}

// DIR/NAME-0007.state for a frame DIR/NAME-0007.vtu, or DIR/NAME.state if that is of frame 7.
static toc_status find_state(const char *frame, char **out) {
    const char *dot = strrchr(frame, '.');
    const size_t stem = dot ? (size_t)(dot - frame) : strlen(frame);
    size_t length, number;
    if (asprintf(out, "%.*s.state", (int)stem, frame) < 0) return *out = NULL, tool_fail_memory();
    if (ends_with(frame, ".state") || toc_path_exists(*out)) return TOC_OK;
    (*out)[stem] = 0;
    if (!find_number(*out, &length, &number))
        return tool_fail(TOC_BAD_INPUT, "%s: this is no frame of a simulation: their names end with a number", frame);
    memcpy(*out + length, ".state", sizeof ".state"); // shorter than before
    return check_last(frame, *out, number);
}

static toc_status take_start(const char *path, tool_frames *frames, simulation *s, size_t *next) {
    state_head head;
    FILE *file;
    TOC_TRY(open_state(path, &file));
    const toc_status status = take_state(path, s, file, &head);
    fclose(file);
    *next = frames->first = head.frame;
    frames->begins = true;
    return status;
}

toc_status tool_frames_start(tool_frames *frames, simulation *s, const char *frame, size_t *next) {
    assert(frame && next);
    *next = 0;
    if (toc_path_exists(frames->list))
        return tool_fail(TOC_BAD_INPUT, "%s: the folder has a run already; --from begins a folder of its own",
                         frames->list);
    char *path;
    toc_status status = find_state(frame, &path);
    if (status == TOC_OK) status = take_start(path, frames, s, next);
    free(path);
    return status;
}
