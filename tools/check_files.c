// SPDX-License-Identifier: Apache-2.0
// Files of toccata check: contacts, overlaps, near pairs and the picture of a step.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/check.h"
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
    const bool known = first < p->kept_count;
    errno = 0;
    if (known && fseeko(p->kept, (off_t)(first * sizeof *p->places), SEEK_SET) == 0 &&
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
    return result->places + (result->contacts ? result->contacts->count : 0);
}

static toc_status write_overlaps(const char *path, const check_session *all, const check_step_result *result) {
    const tool_extras *extras = result->extras;
    const size_t count = tool_extras_count_overlaps(extras), faces = extras->overlaps->count;
    toc_overlap_pair *pairs = calloc(count + 1, sizeof *pairs);
    (void)all;
    if (!pairs) return tool_fail_memory();
    memcpy(pairs, extras->overlaps->pairs, faces * sizeof *pairs);
    if (extras->elements) memcpy(pairs + faces, extras->elements->pairs, (count - faces) * sizeof *pairs);
    const toc_status status = toc_overlaps_write(path, count, pairs, extra_places(result));
    free(pairs);
    return status;
}

static toc_status write_near(const char *path, const check_session *all, const check_step_result *result) {
    const toc_near *near = result->extras->near;
    (void)all;
    return toc_near_write(path, near->count, near->pairs,
                          extra_places(result) + tool_extras_count_overlaps(result->extras));
}

static toc_status write_picture(const char *path, const check_session *all, const check_step_result *result) {
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

static toc_status write_standard(const check_session *all, const char *path, file_writer *writer,
                                 const check_step_result *result) {
    const char *written;
    toc_status status = tool_standard_output(path, ".csv", &written);
    if (status == TOC_OK) status = writer(written, all, result);
    return status == TOC_OK ? tool_standard_flush(path, written, result->step > 0 && tool_path_ends(written, ".csv"))
                            : status;
}

// A sequence gets one file for each step, with the number of the step in its name.
static toc_status write_file(const check_session *all, const char *path, file_writer *writer,
                             const check_step_result *result) {
    if (!path) return TOC_OK;
    if (tool_is_standard(path)) return write_standard(all, path, writer, result);
    if (all->one_step || all->one_frame) return writer(path, all, result);
    char *numbered;
    toc_status status = tool_path_number(path, result->step, &numbered);
    if (status != TOC_OK) return status;
    status = writer(numbered, all, result);
    free(numbered);
    return status;
}

toc_status check_files_write(const check_session *all, const check_step_result *result) {
    toc_status status = TOC_OK;
    if (result->contacts) status = write_file(all, all->settings->contacts, write_contacts, result);
    if (status == TOC_OK && result->contacts) status = write_file(all, all->settings->picture, write_picture, result);
    if (status == TOC_OK) status = write_file(all, all->settings->overlaps_out, write_overlaps, result);
    return status == TOC_OK ? write_file(all, all->settings->near_out, write_near, result) : status;
}
