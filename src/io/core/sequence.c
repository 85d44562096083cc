// SPDX-License-Identifier: Apache-2.0
// Frames of one moving mesh: one file each, or many in one file. A frame is read on request, compared with the mesh and
// dropped again. Besides the mesh, one frame is in memory, and one file is open.
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "base/arithmetic.h"
#include "base/platform/platform.h"
#include "io/core/fields.h"
#include "io/core/follow.h"
#include "io/core/format.h"
#include "io/core/labels.h"
#include "io/core/memory_limit.h"
#include "io/core/renumber.h"
#include "io/exodus/decomposed.h"
#include "io/radioss/radioss.h"
#include "mesh/mesh.h"

/// A file of the sequence.
typedef struct piece {
    const char *path;
    const toc_format *format; // if it may hold several frames, else NULL
    double time;              // from a .pvd; NaN without one
    size_t first, count;      // its frames
} piece;

struct toc_sequence {
    toc_memory_limit limit; // of each call; the arena and all readers allocate through it
    toc_arena arena;        // of the paths
    TOC_ARRAY(piece) pieces;
    TOC_ARRAY(double) times; // by frame
    double rate;
    const char *clip;        // of the arena; NULL for the first that moves
    TOC_ARRAY(char *) clips; // names, of the first file
    const piece *open;       // the file whose frames are open
    void *frames;
    const piece *known; // the file whose mesh was read last, and its counts
    size_t vertices, elements;
    TOC_ARRAY(double) x; // of the frame being read
    bool takes_velocities;
    TOC_ARRAY(double) velocities; // of the frame read last, 3 for each vertex, or none
};

/// Default frames a second of continuous motion, as in most films and games.
static const double default_rate = 30;

/// Whether a file belongs to the family of the file before, which stands for all of them: d3plot01 after d3plot,
/// carA002 after carA001, or another part of a decomposed Exodus file.
static bool is_member(const toc_sequence *sequence, const char *path) {
    if (sequence->pieces.count == 0) return false;
    const piece *last = &sequence->pieces.at[sequence->pieces.count - 1];
    const size_t length = strlen(last->path);
    if (last->format == &toc_format_exodus) return toc_part_name_same(last->path, path);
    if (last->format == &toc_format_radioss) return toc_radioss_family_has(last->path, path);
    return last->format && strncmp(path, last->path, length) == 0 && path[length] &&
           path[length + strspn(path + length, "0123456789")] == 0;
}

static char *copy_text(toc_arena *arena, const char *text) {
    assert(text);
    const size_t size = strlen(text) + 1;
    char *copy = toc_arena_new(arena, size, 1);
    if (copy) memcpy(copy, text, size);
    return copy;
}

/// A missing file, a folder and a later file of a family would look like one frame until they are read.
static toc_status check_file(const toc_sequence *sequence, const char *path) {
    toc_file_facts about;
    if (!toc_path_facts(path, &about))
        return toc_fail(TOC_BAD_INPUT, "%s: cannot be opened: %s", path, strerror(errno));
    if (about.kind == TOC_FILE_FOLDER)
        return toc_fail(TOC_BAD_INPUT, "%s: is a folder, not a file; give the files in it", path);
    return toc_family_check(path, &sequence->arena.allocator);
}

static toc_status add_path(void *user, const char *path, double time) {
    toc_sequence *sequence = user;
    if (is_member(sequence, path)) return TOC_OK;
    TOC_TRY(check_file(sequence, path));
    char *copy = copy_text(&sequence->arena, path);
    if (!copy) return TOC_OUT_OF_MEMORY;
    TOC_TRY(toc_array_reserve(&sequence->arena.allocator, &sequence->pieces, 1));
    const toc_format *format;
    TOC_TRY(toc_format_of_frames(copy, &sequence->arena.allocator, &format));
    sequence->pieces.at[sequence->pieces.count++] = (piece){.path = copy, .format = format, .time = time};
    return TOC_OK;
}

static toc_status add_collection(toc_sequence *sequence, const char *path) {
    toc_source source;
    TOC_TRY(toc_source_open(path, &sequence->arena.allocator, &source));
    const size_t before = sequence->pieces.count;
    toc_status status = toc_pvd_list(&source, add_path, sequence);
    toc_source_close(&source);
    if (status == TOC_OK && sequence->pieces.count == before) {
        status = toc_fail(TOC_BAD_INPUT, "%s: holds no frames", path);
    }
    return status;
}

// ---- a folder stands for the result in it: the one .pvd, as simulations write it, or a d3plot

typedef struct folder_finder {
    toc_sequence *sequence;
    const char *folder;
    size_t found;
    const char *path; // of the first; NULL without memory for it
} folder_finder;

static bool take_result(void *user, const char *name) {
    folder_finder *f = user;
    const bool is_result = toc_path_has_extension(name, ".pvd") || strcmp(name, "d3plot") == 0;
    if (!is_result || f->found++ > 0) return true;
    const size_t length = strlen(f->folder), size = length + strlen(name) + 2;
    const bool ends = length > 0 && f->folder[length - 1] == '/';
    char *joined = toc_arena_new(&f->sequence->arena, size, 1);
    if (joined) snprintf(joined, size, "%s%s%s", f->folder, ends ? "" : "/", name);
    f->path = joined;
    return true;
}

/// The path of the result in the arena. A folder with none, or with several, is refused.
static toc_status find_result(toc_sequence *sequence, const char *path, const char **out) {
    folder_finder f = {.sequence = sequence, .folder = path};
    if (!toc_folder_list(path, take_result, &f))
        return toc_fail(TOC_BAD_INPUT, "%s: cannot be opened: %s", path, strerror(errno));
    *out = f.path;
    if (f.found == 1) return *out ? TOC_OK : TOC_OUT_OF_MEMORY;
    return toc_fail(TOC_BAD_INPUT,
                    "%s: is a folder, not a file; give the files in it, or a folder with one .pvd or d3plot", path);
}

static void sequence_close_frames(toc_sequence *sequence) {
    if (sequence->open) sequence->open->format->frames->close(sequence->frames);
    sequence->open = NULL;
}

/// Open the frames of a file, unless they are open.
static toc_status sequence_open_frames(toc_sequence *sequence, const piece *wanted) {
    if (sequence->open == wanted) return TOC_OK;
    sequence_close_frames(sequence);
    const toc_frame_wish wish = {sequence->rate, wanted->format->frames->clip ? sequence->clip : NULL,
                                 sequence->limit.share};
    const toc_status status =
        wanted->format->frames->open(wanted->path, &wish, &sequence->arena.allocator, &sequence->frames);
    if (status != TOC_OK) return toc_fail_file(status, wanted->path);
    sequence->open = wanted;
    return TOC_OK;
}

/// List the clips of the first file, which is open.
static toc_status add_clips(toc_sequence *sequence, const piece *of) {
    if (of->first > 0 || sequence->clips.count > 0 || !of->format->frames->clip) return TOC_OK;
    const char *name;
    for (size_t i = 0; (name = of->format->frames->clip(sequence->frames, i)); i++) {
        TOC_TRY(toc_array_reserve(&sequence->arena.allocator, &sequence->clips, 1));
        char *copy = copy_text(&sequence->arena, name);
        if (!copy) return TOC_OUT_OF_MEMORY;
        sequence->clips.at[sequence->clips.count++] = copy;
    }
    return TOC_OK;
}

static toc_status add_times(toc_sequence *sequence, piece *of) {
    of->first = sequence->times.count;
    of->count = 1;
    if (of->format) {
        TOC_TRY(sequence_open_frames(sequence, of));
        of->count = of->format->frames->count(sequence->frames);
        TOC_TRY(add_clips(sequence, of));
    }
    TOC_TRY(toc_array_reserve(&sequence->arena.allocator, &sequence->times, of->count));
    for (size_t i = 0; i < of->count; i++) {
        const double own = of->format ? of->format->frames->time(sequence->frames, i) : (double)of->first;
        sequence->times.at[sequence->times.count++] = of->count > 1 || isnan(of->time) ? own : of->time;
    }
    assert(sequence->times.count == of->first + of->count);
    return TOC_OK;
}

/// Find the frames of each file and their times.
static toc_status sequence_count_frames(toc_sequence *sequence) {
    sequence_close_frames(sequence);
    sequence->known = NULL;
    sequence->times.count = 0;
    for (size_t i = 0; i < sequence->pieces.count; i++) TOC_TRY(add_times(sequence, &sequence->pieces.at[i]));
    return TOC_OK;
}

static toc_status add_all(toc_sequence *sequence, size_t path_count, const char *const *paths) {
    for (size_t i = 0; i < path_count; i++) {
        const char *path = paths[i];
        if (toc_path_is_folder(path)) TOC_TRY(find_result(sequence, path, &path));
        const bool collection = toc_path_has_extension(path, ".pvd");
        TOC_TRY(collection ? add_collection(sequence, path) : add_path(sequence, path, NAN));
    }
    return sequence_count_frames(sequence);
}

static toc_status check_paths(size_t path_count, const char *const *paths) {
    if (path_count == 0) return toc_fail(TOC_BAD_INPUT, "a sequence needs one file at least");
    if (!paths) return toc_fail(TOC_BAD_INPUT, "toc_sequence_open: paths is NULL");
    for (size_t i = 0; i < path_count; i++)
        if (!paths[i]) return toc_fail(TOC_BAD_INPUT, "toc_sequence_open: path %zu is NULL", i);
    return TOC_OK;
}

static toc_status sequence_create(const toc_memory_limit *limit, toc_sequence **out) {
    toc_sequence *sequence = toc_new(&limit->inner, 1, sizeof *sequence);
    if (!sequence) return TOC_OUT_OF_MEMORY;
    sequence->limit.inner = limit->inner;
    sequence->limit.limit = limit->limit;
    sequence->limit.share = limit->share;
    const toc_allocator memory = toc_memory_limit_allocator(&sequence->limit);
    sequence->arena = toc_arena_make(&memory);
    sequence->rate = default_rate;
    *out = sequence;
    return TOC_OK;
}

toc_status toc_sequence_open(size_t path_count, const char *const *paths, const toc_read_options *options,
                             toc_sequence **out) {
    TOC_SCOPED_ARITHMETIC;
    if (!out) return toc_fail(TOC_BAD_INPUT, "toc_sequence_open: out is NULL");
    TOC_TRY(check_paths(path_count, paths));
    toc_memory_limit limit;
    toc_sequence *sequence;
    TOC_TRY(toc_memory_limit_begin(options, &limit));
    TOC_TRY(sequence_create(&limit, &sequence));
    const toc_status status =
        toc_memory_limit_explain(&sequence->limit, add_all(sequence, path_count, paths), paths[0]);
    if (status == TOC_OK)
        *out = sequence;
    else
        toc_sequence_close(sequence);
    return status;
}

void toc_sequence_close(toc_sequence *sequence) {
    if (!sequence) return;
    const toc_allocator memory = sequence->limit.inner;
    sequence_close_frames(sequence);
    toc_array_free(&memory, &sequence->pieces);
    toc_array_free(&memory, &sequence->times);
    toc_array_free(&memory, &sequence->clips);
    toc_array_free(&memory, &sequence->x);
    toc_array_free(&memory, &sequence->velocities);
    toc_arena_free(&sequence->arena);
    toc_free(&memory, sequence, 1, sizeof *sequence);
}

toc_status toc_sequence_sample(toc_sequence *sequence, double rate) {
    TOC_SCOPED_ARITHMETIC;
    if (!sequence) return toc_fail(TOC_BAD_INPUT, "toc_sequence_sample: sequence is NULL");
    if (!(rate > 0 && isfinite(rate)))
        return toc_fail(TOC_BAD_INPUT, "%g frames a second were asked for: not a number > 0", rate);
    sequence->rate = rate;
    toc_memory_limit_restart(&sequence->limit);
    return toc_memory_limit_explain(&sequence->limit, sequence_count_frames(sequence), sequence->pieces.at[0].path);
}

toc_status toc_sequence_play(toc_sequence *sequence, const char *clip) {
    TOC_SCOPED_ARITHMETIC;
    if (!sequence) return toc_fail(TOC_BAD_INPUT, "toc_sequence_play: sequence is NULL");
    if (clip && sequence->clips.count == 0)
        return toc_fail(TOC_BAD_INPUT, "%s: there are no clips, so none is called \"%.80s\"",
                        sequence->pieces.at[0].path, clip);
    sequence->clip = clip ? copy_text(&sequence->arena, clip) : NULL;
    if (clip && !sequence->clip) return TOC_OUT_OF_MEMORY;
    toc_memory_limit_restart(&sequence->limit);
    return toc_memory_limit_explain(&sequence->limit, sequence_count_frames(sequence), sequence->pieces.at[0].path);
}

toc_sequence_info toc_sequence_get_info(const toc_sequence *sequence) {
    if (!sequence) return (toc_sequence_info){.frame_count = 0};
    return (toc_sequence_info){.frame_count = sequence->times.count,
                               .times = sequence->times.at,
                               .clip_count = sequence->clips.count,
                               .clips = (const char *const *)sequence->clips.at,
                               .velocities = sequence->velocities.count > 0 ? sequence->velocities.at : NULL};
}

toc_status toc_sequence_take_velocities(toc_sequence *sequence, bool on) {
    TOC_SCOPED_ARITHMETIC;
    if (!sequence) return toc_fail(TOC_BAD_INPUT, "toc_sequence_take_velocities: sequence is NULL");
    sequence->takes_velocities = on;
    sequence->velocities.count = 0;
    return TOC_OK;
}

const toc_allocator *toc_sequence_allocator(const toc_sequence *sequence) { return &sequence->limit.inner; }
double toc_sequence_rate(const toc_sequence *sequence) { return sequence->rate; }

/// The file of a frame; the frame must exist.
static const piece *piece_of(const toc_sequence *sequence, size_t frame) {
    assert(frame < toc_sequence_get_frame_count(sequence));
    size_t low = 0, high = sequence->pieces.count;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (sequence->pieces.at[middle].first <= frame) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return &sequence->pieces.at[low];
}

const char *toc_sequence_get_path(const toc_sequence *sequence, size_t frame) {
    return frame < toc_sequence_get_frame_count(sequence) ? piece_of(sequence, frame)->path : NULL;
}

static toc_status check_velocities(const piece *from, size_t count, const double *velocities) {
    assert(velocities || count == 0);
    for (size_t i = 0; i < count; i++)
        if (!isfinite(velocities[i]))
            return toc_fail(TOC_BAD_INPUT, "%s: vertex %zu: the velocity is not finite", from->path, i / 3);
    return TOC_OK;
}

/// A mesh of a file of one frame, with its velocities.
static toc_status read_file_frame(toc_sequence *sequence, const piece *from, toc_mesh **out) {
    toc_mesh *mesh;
    TOC_TRY(toc_mesh_read_limited(from->path, &sequence->limit, sequence->takes_velocities, &mesh));
    const toc_status status = check_velocities(from, mesh->velocities.count, mesh->velocities.at);
    if (status == TOC_OK)
        *out = mesh;
    else
        toc_mesh_destroy(mesh);
    return status;
}

/// Take the velocities from such a mesh.
static void move_velocities(toc_sequence *sequence, toc_mesh *mesh) {
    assert(mesh->velocities.count == 0 || mesh->velocities.count == mesh->x1.count);
    toc_array_free(&sequence->limit.inner, &sequence->velocities);
    sequence->velocities.at = mesh->velocities.at;
    sequence->velocities.count = mesh->velocities.count;
    sequence->velocities.capacity = mesh->velocities.capacity;
    mesh->velocities.at = NULL;
    mesh->velocities.count = mesh->velocities.capacity = 0;
}

/// Read the velocities of this many vertices from a frame of the open file.
static toc_status read_velocities(toc_sequence *sequence, const piece *from, size_t frame, size_t vertices) {
    const toc_frame_methods *methods = from->format->frames;
    bool known = false;
    sequence->velocities.count = 0;
    if (!sequence->takes_velocities || !methods->velocities) return TOC_OK;
    TOC_TRY(toc_array_reserve(&sequence->arena.allocator, &sequence->velocities, 3 * vertices));
    TOC_TRY(methods->velocities(sequence->frames, frame, sequence->velocities.at, &known));
    if (!known) return TOC_OK;
    TOC_TRY(check_velocities(from, 3 * vertices, sequence->velocities.at));
    sequence->velocities.count = 3 * vertices;
    return TOC_OK;
}

/// The mesh of the first frame of a file that holds several.
static toc_status read_frames(toc_sequence *sequence, const piece *from, toc_mesh **out) {
    toc_mesh *mesh;
    TOC_TRY(sequence_open_frames(sequence, from));
    TOC_TRY(toc_mesh_create(&sequence->arena.allocator, &mesh));
    toc_status status = from->format->frames->first(sequence->frames, mesh);
    if (status == TOC_OK) status = read_velocities(sequence, from, 0, toc_mesh_get_vertex_count(mesh));
    if (status != TOC_OK) {
        toc_mesh_destroy(mesh);
        return toc_fail_file(status, from->path);
    }
    mesh->allocator = sequence->limit.inner;
    sequence->known = from;
    sequence->vertices = toc_mesh_get_vertex_count(mesh);
    sequence->elements = toc_mesh_get_element_count(mesh);
    *out = mesh;
    return TOC_OK;
}

static toc_status fail_other(const toc_sequence *sequence, const piece *from) {
    return toc_fail_in(TOC_BAD_INPUT, "%s: is no frame of the mesh of %s", from->path, sequence->pieces.at[0].path);
}

static toc_status find_strangers(const toc_mesh *mesh, const toc_mesh *next, toc_labels *labels) {
    int64_t label;
    for (uint32_t v = 0; v < toc_mesh_get_vertex_count(mesh); v++) {
        toc_mesh_get_vertex_label(mesh, v, &label);
        TOC_TRY(toc_labels_add(labels, label));
    }
    TOC_TRY(toc_labels_finish(labels));
    for (uint32_t v = 0; v < toc_mesh_get_vertex_count(next); v++) {
        toc_mesh_get_vertex_label(next, v, &label);
        if (toc_labels_find(labels, label) == TOC_LABEL_MISSING)
            return toc_fail(TOC_BAD_INPUT, "the share of its pieces has a vertex %lld that was in another share",
                            (long long)label);
    }
    return TOC_OK;
}

/// A share of a file in pieces has vertices of its first frame alone: others were in other shares before. As a whole
/// file it could pass for one that numbers its vertices anew.
static toc_status check_share_vertices(const toc_sequence *sequence, const toc_mesh *mesh, const toc_mesh *next) {
    if (sequence->limit.share.count == 0 || !toc_mesh_is_labelled(mesh) || !toc_mesh_is_labelled(next)) return TOC_OK;
    if (toc_mesh_get_vertex_count(mesh) == toc_mesh_get_vertex_count(next) && toc_labels_agree(mesh, next))
        return TOC_OK;
    toc_labels labels = toc_labels_begin(&next->allocator);
    const toc_status status = find_strangers(mesh, next, &labels);
    toc_labels_free(&labels);
    return status;
}

/// A file that is one frame.
static toc_status advance_file(toc_sequence *sequence, const piece *from, toc_mesh *mesh) {
    toc_mesh *next;
    TOC_TRY(read_file_frame(sequence, from, &next));
    toc_status status = check_share_vertices(sequence, mesh, next);
    if (status == TOC_OK) status = toc_mesh_follow(mesh, next);
    if (status == TOC_BAD_INPUT) fail_other(sequence, from);
    if (status == TOC_OK) move_velocities(sequence, next);
    if (status == TOC_OK) status = toc_mesh_move(mesh, toc_mesh_get_vertex_count(mesh), toc_mesh_get_x0(next));
    toc_mesh_destroy(next);
    return status;
}

/// A removed element must not come back: its id is used once.
static toc_status check_gone(const toc_mesh *mesh, const uint8_t *gone, size_t *count) {
    const size_t elements = toc_mesh_get_element_count(mesh);
    *count = 0;
    for (size_t i = 0; i < elements; i++) {
        const bool removed = toc_mesh_shape(mesh, (uint32_t)i) == TOC_REMOVED;
        if (removed && !gone[i]) return toc_fail(TOC_BAD_INPUT, "element %zu is there again, after it was gone", i);
        *count += !removed && gone[i];
    }
    return TOC_OK;
}

/// Move the mesh and remove the elements that the frame lacks. The mesh is unchanged on failure.
static toc_status move_and_remove(toc_mesh *mesh, const double *x, const uint8_t *gone) {
    const size_t elements = toc_mesh_get_element_count(mesh);
    size_t count;
    TOC_TRY(check_gone(mesh, gone, &count));
    TOC_TRY(toc_array_reserve(&mesh->allocator, &mesh->events, count));
    TOC_TRY(toc_mesh_move(mesh, toc_mesh_get_vertex_count(mesh), x));
    for (size_t i = 0; i < elements; i++) {
        if (gone[i] && toc_mesh_shape(mesh, (uint32_t)i) != TOC_REMOVED)
            TOC_TRY(toc_mesh_remove_element(mesh, (uint32_t)i));
    }
    return TOC_OK;
}

/// Add the vertices and elements that begin at a frame.
static toc_status grow_mesh(toc_sequence *sequence, const piece *from, size_t frame, toc_mesh *mesh) {
    if (!from->format->frames->grow) return TOC_OK;
    TOC_TRY(from->format->frames->grow(sequence->frames, frame, mesh));
    sequence->vertices = toc_mesh_get_vertex_count(mesh);
    sequence->elements = toc_mesh_get_element_count(mesh);
    return TOC_OK;
}

static toc_status advance_frame(toc_sequence *sequence, const piece *from, size_t frame, toc_mesh *mesh) {
    assert(from && mesh);
    const toc_frame_methods *methods = from->format->frames;
    const toc_allocator *memory = &sequence->arena.allocator;
    TOC_TRY(grow_mesh(sequence, from, frame, mesh));
    const size_t elements = toc_mesh_get_element_count(mesh);
    TOC_TRY(toc_array_reserve(memory, &sequence->x, mesh->x1.count));
    TOC_TRY(methods->positions(sequence->frames, frame, sequence->x.at));
    TOC_TRY(read_velocities(sequence, from, frame, toc_mesh_get_vertex_count(mesh)));
    if (!methods->removals) return toc_mesh_move(mesh, toc_mesh_get_vertex_count(mesh), sequence->x.at);
    uint8_t *gone = toc_new(memory, elements, 1);
    if (!gone) return TOC_OUT_OF_MEMORY;
    toc_status status = methods->removals(sequence->frames, frame, gone);
    if (status == TOC_OK) status = move_and_remove(mesh, sequence->x.at, gone);
    toc_free(memory, gone, elements, 1);
    return status;
}

/// The ids of the mesh must be those of the file, removed ones among them.
static toc_status check_counts(const toc_sequence *sequence, const toc_mesh *mesh) {
    const size_t vertices = toc_mesh_get_vertex_count(mesh), elements = toc_mesh_get_element_count(mesh);
    if (vertices == sequence->vertices && elements == sequence->elements) return TOC_OK;
    return toc_fail(TOC_BAD_INPUT, "%zu vertices and %zu elements in place of %zu and %zu", sequence->vertices,
                    sequence->elements, vertices, elements);
}

static toc_status check_elements(const toc_sequence *sequence, const toc_mesh *mesh, const toc_mesh *first) {
    TOC_TRY(check_counts(sequence, mesh));
    for (size_t i = 0; i < sequence->elements; i++) {
        const toc_element a = toc_mesh_get_element(mesh, (uint32_t)i), b = toc_mesh_get_element(first, (uint32_t)i);
        // The frame is without the elements that are gone in the first of its file; removals tell it.
        if (a.shape != TOC_REMOVED && b.shape != TOC_REMOVED && !toc_element_is(a, b))
            return toc_fail(TOC_BAD_INPUT, "element %zu differs: a %s of %d corners in place of a %s of %d", i,
                            toc_shape_get_name(b.shape), b.corner_count, toc_shape_get_name(a.shape), a.corner_count);
    }
    return TOC_OK;
}

/// Begin with the frames of a file other than the one the mesh was read from.
static toc_status enter(toc_sequence *sequence, const piece *from, const toc_mesh *mesh) {
    toc_mesh *first;
    TOC_TRY(read_frames(sequence, from, &first));
    toc_status status = check_elements(sequence, mesh, first);
    toc_mesh_destroy(first);
    if (status == TOC_OK) return TOC_OK;
    sequence->known = NULL;
    return fail_other(sequence, from);
}

toc_status toc_sequence_read_fields(toc_sequence *sequence, size_t frame, const toc_mesh *mesh, toc_fields **out) {
    TOC_SCOPED_ARITHMETIC;
    TOC_NEED(sequence);
    TOC_NEED(mesh);
    TOC_NEED(out);
    if (frame >= sequence->times.count)
        return toc_fail(TOC_BAD_INPUT, "frame %zu was asked for, but there are %zu", frame, sequence->times.count);
    const piece *from = piece_of(sequence, frame);
    toc_read_options options = toc_read_options_default();
    options.memory = sequence->limit.limit;
    options.allocator = &sequence->limit.inner;
    if (!from->format || !from->format->frames->fields) return toc_fields_read(from->path, &options, mesh, out);
    toc_memory_limit_restart(&sequence->limit);
    TOC_TRY(toc_memory_limit_explain(&sequence->limit, sequence_open_frames(sequence, from), from->path));
    const toc_open_frame open = {from->path, from->format->frames, sequence->frames, frame - from->first};
    return toc_fields_of_frame(&open, &options, mesh, out);
}

static toc_status advance_within(toc_sequence *sequence, const piece *from, size_t frame, toc_mesh *mesh) {
    assert(from && mesh);
    if (sequence->known != from) {
        TOC_TRY(enter(sequence, from, mesh));
    } else if (check_counts(sequence, mesh) != TOC_OK) {
        return fail_other(sequence, from);
    }
    TOC_TRY(sequence_open_frames(sequence, from));
    const toc_status status = advance_frame(sequence, from, frame, mesh);
    return status == TOC_OK ? TOC_OK : toc_fail_file(status, from->path);
}

toc_status toc_sequence_read_first(toc_sequence *sequence, toc_mesh **out) {
    TOC_SCOPED_ARITHMETIC;
    if (!sequence || !out)
        return toc_fail(TOC_BAD_INPUT, "toc_sequence_read_first: %s is NULL", sequence ? "out" : "sequence");
    const piece *from = &sequence->pieces.at[0];
    toc_memory_limit_restart(&sequence->limit);
    const toc_status status = from->count > 1 ? read_frames(sequence, from, out) : read_file_frame(sequence, from, out);
    if (status == TOC_OK && from->count == 1) move_velocities(sequence, *out);
    return toc_memory_limit_explain(&sequence->limit, status, from->path);
}

toc_status toc_sequence_advance(toc_sequence *sequence, size_t frame, toc_mesh *mesh) {
    TOC_SCOPED_ARITHMETIC;
    if (!sequence || !mesh)
        return toc_fail(TOC_BAD_INPUT, "toc_sequence_advance: %s is NULL", sequence ? "mesh" : "sequence");
    if (frame >= sequence->times.count)
        return toc_fail(TOC_BAD_INPUT, "frame %zu was asked for, but there are %zu", frame, sequence->times.count);
    const piece *from = piece_of(sequence, frame);
    toc_memory_limit_restart(&sequence->limit);
    const toc_status status = from->count > 1 ? advance_within(sequence, from, frame - from->first, mesh)
                                              : advance_file(sequence, from, mesh);
    return toc_memory_limit_explain(&sequence->limit, status, from->path);
}
