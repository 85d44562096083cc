// SPDX-License-Identifier: Apache-2.0
// Files of toccata check: contacts, overlaps, near pairs and the picture of a step.
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/platform/platform.h"
#include "base/status.h"
#include "tools/check.h"
#include "tools/check_html.h"
#include "tools/listing.h"
#include "tools/merge.h"
#include "tools/standard.h"
#include "tools/temporary.h"
#include "tools/up.h"

typedef toc_status file_writer(const char *path, const check_session *all, const check_step_result *result);

// A .glb shows the mesh, too. It holds one mesh: bodies are put together.
static toc_status write_glb(const char *path, const check_session *all, const check_step_result *result) {
    toc_scene *scene = check_scene(all);
    if (toc_scene_get_body_count(scene) == 1)
        return toc_step_write(path, toc_scene_get_mesh(scene, 0), result->contacts, result->places);
    toc_mesh *mesh;
    toc_status status = tool_scene_merge(scene, &mesh);
    if (status != TOC_OK) return status;
    status = toc_step_write(path, mesh, result->contacts, result->places);
    toc_mesh_destroy(mesh);
    return status;
}

toc_status check_contacts_get(const check_step_result *result, size_t first, const toc_contact **contacts,
                              size_t *count) {
    assert(result->store || result->contacts);
    if (result->store) return tool_contact_store_get(result->store, first, contacts, count);
    *contacts = result->contacts->contacts + first;
    *count = result->contacts->count - first;
    return TOC_OK;
}

void check_contact_place(const check_session *all, size_t step, const toc_contact *c, toc_place *to, size_t parts[2]) {
    tool_places_find(all->places, c->kind, c->body, c->v, to, parts);
    to->time = check_time(all, step, c->toc);
}

// Places of the contacts of a store are found once; a file that takes several passes has them kept in a temporary file.
typedef struct placed_contacts {
    const check_session *all;
    const check_step_result *result;
    toc_place *places; // of a portion of a store; NULL for a list
    FILE *kept;        // the places of the first `kept_count` contacts; NULL for one pass
    size_t kept_count;
} placed_contacts;

static toc_status find_places_once(placed_contacts *p, size_t first, const toc_contact *contacts, size_t count) {
    assert(p->places && count <= TOOL_STORE_PORTION);
    const bool known = first < p->kept_count;
    errno = 0;
    if (known && toc_stream_seek(p->kept, first * sizeof *p->places) &&
        fread(p->places, sizeof *p->places, count, p->kept) == count)
        return TOC_OK;
    if (known) return tool_fail(TOC_BAD_INPUT, "the temporary file for places cannot be read: %s", strerror(errno));
    for (size_t i = 0; i < count; i++) check_contact_place(p->all, p->result->step, &contacts[i], &p->places[i], NULL);
    if (!p->kept) return TOC_OK;
    p->kept_count += count;
    const bool last = p->kept_count == p->result->summary.count;
    if (fwrite(p->places, sizeof *p->places, count, p->kept) != count || (last && fflush(p->kept) != 0))
        return tool_fail(TOC_DISK_FULL, "the temporary file for places cannot be written: %s; TMPDIR names its folder",
                         strerror(errno));
    return TOC_OK;
}

static toc_status get_placed_contacts(void *user, size_t first, const toc_contact **contacts, const toc_place **places,
                                      size_t *count) {
    placed_contacts *p = user;
    toc_status status = check_contacts_get(p->result, first, contacts, count);
    if (status != TOC_OK || !places) return status;
    if (p->places) status = find_places_once(p, first, *contacts, *count);
    *places = p->places ? p->places : p->result->places + first;
    return status;
}

static toc_status write_contacts(const char *path, const check_session *all, const check_step_result *result) {
    assert(result->contacts);
    if (tool_path_ends(path, ".glb")) return write_glb(path, all, result);
    placed_contacts placed = {.all = all, .result = result};
    toc_status status = TOC_OK;
    if (result->store) {
        placed.places = calloc(TOOL_STORE_PORTION, sizeof *placed.places);
        if (!placed.places) return tool_fail_memory();
        if (tool_path_ends(path, ".vtp")) status = tool_temporary_file(&placed.kept);
    }
    if (status == TOC_OK)
        status = toc_contacts_write_source(
            path, &(toc_contact_source){
                      .count = result->summary.count, .has_places = true, .get = get_placed_contacts, .user = &placed});
    if (placed.kept) fclose(placed.kept);
    free(placed.places);
    return status;
}

static const toc_place *extra_places(const check_step_result *result) {
    assert(result->places);
    return result->places + (result->contacts ? result->contacts->count : 0);
}

static toc_status write_overlaps(const char *path, const check_session *all, const check_step_result *result) {
    assert(result->extras->overlaps);
    const tool_extras *extras = result->extras;
    const size_t count = tool_extras_count_overlaps(extras), faces = extras->overlaps->count;
    toc_overlap_pair *pairs = calloc(count + 1, sizeof *pairs);
    (void)all;
    if (!pairs) return tool_fail_memory();
    if (faces > 0) memcpy(pairs, extras->overlaps->pairs, faces * sizeof *pairs);
    if (count > faces) memcpy(pairs + faces, extras->elements->pairs, (count - faces) * sizeof *pairs);
    const toc_status status = toc_answer_write(path, TOC_ITEM_OVERLAP, count, pairs, extra_places(result));
    free(pairs);
    return status;
}

static toc_status write_near(const char *path, const check_session *all, const check_step_result *result) {
    assert(result->extras->near);
    const toc_near *near = result->extras->near;
    (void)all;
    return toc_answer_write(path, TOC_ITEM_NEAR, near->count, near->pairs,
                            extra_places(result) + tool_extras_count_overlaps(result->extras));
}

static toc_status write_picture(const char *path, const check_session *all, const check_step_result *result) {
    assert(result->contacts);
    const char *first = toc_sequence_get_path(all->frames, 0);
    tool_look look = all->settings->look;
    look.up = all->settings->up ? tool_up_index(all->settings->up) : tool_up_guess(first);
    if (toc_scene_get_body_count(check_scene(all)) == 1)
        return tool_picture_write(path, toc_scene_get_mesh(check_scene(all), 0), result->contacts, &look);
    toc_mesh *mesh;
    toc_status status = tool_scene_merge(check_scene(all), &mesh);
    if (status != TOC_OK) return status;
    status = tool_picture_write(path, mesh, result->contacts, &look);
    toc_mesh_destroy(mesh);
    return status;
}

// ---- the files of a step

static const char *path_of(const check_session *all, check_file which) {
    const check_settings *s = all->settings;
    const char *const paths[CHECK_FILES] = {[CHECK_FILE_CONTACTS] = s->contacts,
                                            [CHECK_FILE_OVERLAPS] = s->overlaps_out,
                                            [CHECK_FILE_NEAR] = s->near_out,
                                            [CHECK_FILE_PICTURE] = s->picture};
    return paths[which];
}

toc_status check_files_open(check_session *all) {
    for (check_file which = 0; (int)which < CHECK_FILES; which++) {
        const char *path = path_of(all, which);
        if (path && !check_is_one(all) && tool_step_table_fits(path))
            TOC_TRY(tool_step_table_open(path, all->by_frame ? "frame" : "step", &all->tables[which]));
    }
    return TOC_OK;
}

static toc_status write_standard(const check_session *all, const char *path, file_writer *writer,
                                 const check_step_result *result) {
    const char *written;
    TOC_TRY(tool_standard_output(path, ".csv", &written));
    TOC_TRY(writer(written, all, result));
    return tool_standard_flush(path, written);
}

static toc_status write_rows(const check_session *all, tool_step_table *table, file_writer *writer,
                             const check_step_result *result) {
    TOC_TRY(writer(table->rows, all, result));
    return tool_step_table_add(table, result->step);
}

// ---- the .glb of a sequence

static bool is_animation(const check_session *all, const char *path) {
    return path && !check_is_one(all) && tool_path_ends(path, ".glb") && !tool_path_has_number(path);
}

// Continuous motion is shown as it is; other steps last a tenth of a second.
static double steps_a_second(const check_session *all) {
    if (toc_sequence_get_clip_count(all->frames) == 0) return 10;
    return all->settings->rate > 0 ? all->settings->rate : 30;
}

// Several bodies are put together; their vertices keep their ids as long as none comes.
static toc_status merge_for_animation(check_session *all, const toc_mesh **out) {
    toc_mesh *mesh;
    TOC_TRY(tool_scene_merge(check_scene(all), &mesh));
    const size_t count = toc_mesh_get_vertex_count(mesh);
    const size_t before = all->animated ? toc_mesh_get_vertex_count(all->animated) : count;
    all->animated = mesh;
    *out = mesh;
    if (count != before)
        return tool_fail(TOC_BAD_INPUT,
                         "a .glb of several bodies has the same vertices in all steps, not %zu and then %zu; leave out "
                         "--with, --thicken and --weld, or write c-%%04d.glb",
                         before, count);
    return TOC_OK;
}

static toc_status add_to_animation(check_session *all, const char *path, const toc_mesh *mesh,
                                   const check_step_result *result) {
    if (!all->animation) TOC_TRY(toc_animation_create(path, mesh, steps_a_second(all), &all->animation));
    return toc_animation_add(all->animation, mesh, result->contacts, result->places);
}

static toc_status animate(check_session *all, const char *path, const check_step_result *result) {
    const toc_scene *scene = check_scene(all);
    toc_mesh *before = all->animated; // alive until the next one is compared with it
    if (!all->prepared && toc_scene_get_body_count(scene) == 1)
        return add_to_animation(all, path, toc_scene_get_mesh(scene, 0), result);
    const toc_mesh *mesh;
    toc_status status = merge_for_animation(all, &mesh);
    if (status == TOC_OK) status = add_to_animation(all, path, mesh, result);
    toc_mesh_destroy(before);
    return status;
}

static toc_status write_animation(check_session *all) {
    const char *path = all->settings->contacts;
    if (!all->animation) return TOC_OK;
    TOC_TRY(toc_animation_write(all->animation));
    return tool_written_add(&all->written, path, path);
}

// A sequence gets one file for each step, with the number of the step in its name.
static toc_status write_own_file(check_session *all, const char *path, file_writer *writer,
                                 const check_step_result *result) {
    char *name;
    if (check_is_one(all) && !tool_path_has_number(path)) {
        TOC_TRY(writer(path, all, result));
        return tool_written_add(&all->written, path, path);
    }
    TOC_TRY(tool_path_number(path, result->step, &name));
    toc_status status = writer(name, all, result);
    if (status == TOC_OK) status = tool_written_add(&all->written, path, name);
    free(name);
    return status;
}

static toc_status write_file(check_session *all, check_file which, file_writer *writer,
                             const check_step_result *result) {
    const char *path = path_of(all, which);
    if (!path) return TOC_OK;
    if (is_animation(all, path)) return animate(all, path, result);
    if (all->tables[which].path) return write_rows(all, &all->tables[which], writer, result);
    if (tool_is_standard(path)) return write_standard(all, path, writer, result);
    return write_own_file(all, path, writer, result);
}

toc_status check_files_write(check_session *all, const check_step_result *result) {
    if (result->contacts) TOC_TRY(write_file(all, CHECK_FILE_CONTACTS, write_contacts, result));
    if (result->contacts) TOC_TRY(write_file(all, CHECK_FILE_PICTURE, write_picture, result));
    TOC_TRY(write_file(all, CHECK_FILE_OVERLAPS, write_overlaps, result));
    return write_file(all, CHECK_FILE_NEAR, write_near, result);
}

// ---- the files of a run

// A sequence of .vtp gets a .pvd with the time at which each step begins.
static toc_status list_files(check_session *all, const char *path) {
    const size_t count = all->wanted.end - all->wanted.first;
    if (!path || tool_is_standard(path) || !tool_path_ends(path, ".vtp")) return TOC_OK;
    double *times = calloc(count + 1, sizeof *times);
    char *listing = NULL;
    if (!times) return tool_fail_memory();
    for (size_t i = 0; i < count; i++) times[i] = check_time(all, all->wanted.first + i, 0);
    toc_status status = tool_listing_write(path, all->wanted.first, count, times, &listing);
    if (status == TOC_OK) status = tool_written_add(&all->written, ".pvd", listing);
    free(listing);
    free(times);
    return status;
}

static toc_status list_all_files(check_session *all) {
    for (check_file which = 0; which < CHECK_FILE_PICTURE && !check_is_one(all); which++)
        TOC_TRY(list_files(all, path_of(all, which)));
    return TOC_OK;
}

static toc_status close_table(check_session *all, tool_step_table *table, toc_status status) {
    const char *path = table->path;
    if (!path) return status;
    TOC_TRY(tool_step_table_close(table, status));
    return tool_is_standard(path) ? TOC_OK : tool_written_add(&all->written, path, path);
}

static toc_status write_pairs_of_parts(check_session *all) {
    const char *path = all->settings->parts_out;
    tool_part_table *table = check_pairs_of_parts(all);
    tool_part_table_sort(table);
    if (!path) return TOC_OK;
    TOC_TRY(tool_part_table_write(path, table, all->places));
    return tool_written_add(&all->written, path, path);
}

static toc_status write_html(check_session *all) {
    const char *path = all->settings->report;
    if (!path) return TOC_OK;
    TOC_TRY(check_html_write(path, all->html, all));
    return tool_written_add(&all->written, path, path);
}

toc_status check_files_close(check_session *all, toc_status status) {
    for (check_file which = 0; (int)which < CHECK_FILES; which++)
        status = close_table(all, &all->tables[which], status);
    if (status != TOC_OK) return status;
    TOC_TRY(write_animation(all));
    TOC_TRY(list_all_files(all));
    TOC_TRY(write_pairs_of_parts(all));
    return write_html(all);
}
