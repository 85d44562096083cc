// SPDX-License-Identifier: Apache-2.0
// The stack of readers and writers: every file of the corpus, every format that is written.
#include "support/stack.h"

#include <glob.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "support/answers.h"
#include "toccata/io.h"

typedef struct file_question {
    const char *path;
    const toc_mesh *mesh;
    const toc_contacts *contacts;
    bool *writes; // whether a mesh can be written as this format
} file_question;

// The corpus has broken files, too: any status will do.
static toc_status read_any(void *user) {
    const file_question *q = user;
    toc_mesh *mesh = NULL;
    toc_contacts *contacts = NULL;
    toc_near *near = NULL;
    toc_rig *rig = NULL;
    toc_capture *capture = NULL;
    (void)toc_mesh_read(q->path, NULL, &mesh);
    (void)toc_contacts_read(q->path, NULL, &contacts);
    (void)toc_near_read(q->path, NULL, &near);
    (void)toc_rig_read(q->path, NULL, &rig);
    (void)toc_capture_read(q->path, NULL, &capture);
    toc_mesh_destroy(mesh);
    toc_contacts_destroy(contacts);
    toc_near_destroy(near);
    toc_rig_destroy(rig);
    toc_capture_destroy(capture);
    return TOC_OK;
}

static toc_status read_frames(void *user) {
    enum { FRAMES_MOST = 3 };
    const file_question *q = user;
    toc_sequence *sequence = NULL;
    toc_mesh *mesh = NULL;
    if (toc_sequence_open(1, &q->path, NULL, &sequence) != TOC_OK) return TOC_OK;
    toc_status status = toc_sequence_read_first(sequence, &mesh);
    for (size_t i = 1; i < toc_sequence_get_frame_count(sequence) && i < FRAMES_MOST && status == TOC_OK; i++)
        status = toc_sequence_advance(sequence, i, mesh);
    toc_mesh_destroy(mesh);
    toc_sequence_close(sequence);
    return TOC_OK;
}

static void every_file_is_read_on_a_small_stack(void **state) {
    (void)state;
    static const char *const patterns[] = {"tests/fuzz/corpus/*/*", "tests/data/characters/*", "tests/data/volumes/*",
                                           "tests/io/files/*"};
    size_t read = 0;
    if (TEST_SANITIZED) skip(); // sanitizers make frames several times as large
    for (size_t p = 0; p < sizeof patterns / sizeof *patterns; p++) {
        char pattern[512];
        glob_t found;
        snprintf(pattern, sizeof pattern, "%s/%s", TOC_SOURCE_DIR, patterns[p]);
        if (glob(pattern, 0, NULL, &found) != 0) continue;
        for (size_t i = 0; i < found.gl_pathc; i++, read++) {
            file_question q = {.path = found.gl_pathv[i]};
            test_stack_measure(q.path, read_any, &q);
            test_stack_measure(q.path, read_frames, &q);
        }
        globfree(&found);
    }
    assert_true(read > 100);
}

static toc_status write_mesh(void *user) {
    const file_question *q = user;
    const toc_status status = toc_mesh_write(q->path, q->mesh, TOC_AT_START);
    *q->writes = status == TOC_OK;
    return TOC_OK; // formats that are read only, or of other shapes, refuse it
}

static toc_status write_frames(void *user) {
    const file_question *q = user;
    const char *path = q->path;
    toc_sequence *sequence;
    TOC_TRY(toc_sequence_open(1, &path, NULL, &sequence));
    const toc_status status = toc_sequence_write(test_path(test_folder, "frames.glb"), sequence);
    toc_sequence_close(sequence);
    TOC_TRY(status);
    return toc_sequence_write_pvd(test_path(test_folder, "frames.pvd"), 1, &path, &(double){0});
}

static toc_status write_contacts(void *user) {
    const file_question *q = user;
    static const char *const names[] = {"c.csv", "c.jsonl", "c.vtp", "c.json"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *path = test_path(test_folder, names[i]);
        TOC_TRY(toc_contacts_write(path, q->contacts, NULL));
        toc_contacts *read = NULL;
        (void)toc_contacts_read(path, NULL, &read);
        toc_contacts_destroy(read);
    }
    return toc_step_write(test_path(test_folder, "step.glb"), q->mesh, q->contacts, NULL);
}

static void every_format_is_written_on_a_small_stack(void **state) {
    (void)state;
    if (TEST_SANITIZED) skip();
    test_random random = test_random_make(3);
    toc_scene *scene = test_scene_of_soups(&random, TOC_TRIANGLE, 20, 60, 0.3);
    const toc_query query = toc_query_default();
    toc_contacts *contacts;
    toc_format_info format;
    size_t written = 0;
    assert_ok(toc_scene_find_contacts(scene, &query, NULL, &contacts));
    const toc_mesh *mesh = toc_scene_get_mesh(scene, 0);
    for (size_t i = 0; toc_format_get(i, &format); i++) {
        char name[64];
        bool writes;
        snprintf(name, sizeof name, "mesh.%s", format.name);
        file_question q = {.path = test_path(test_folder, name), .mesh = mesh, .writes = &writes};
        test_stack_measure(name, write_mesh, &q);
        written += writes;
    }
    assert_true(written >= 5);
    file_question q = {.path = test_path(test_folder, "mesh.vtu"), .mesh = mesh, .contacts = contacts};
    test_stack_measure("frames", write_frames, &q);
    toc_contacts_destroy(contacts);
    toc_scene_destroy(scene);
    scene = test_scene_of_soups(&random, TOC_TRIANGLE, 20, 60, 0.3);
    assert_ok(toc_scene_remove_body(scene, 1, NULL));
    assert_ok(toc_scene_find_contacts(scene, &query, NULL, &contacts));
    q.contacts = contacts;
    q.mesh = toc_scene_get_mesh(scene, 0);
    test_stack_measure("contacts", write_contacts, &q);
    toc_contacts_destroy(contacts);
    toc_scene_destroy(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_file_is_read_on_a_small_stack),
                                       cmocka_unit_test(every_format_is_written_on_a_small_stack)};
    return cmocka_run_group_tests(tests, test_folder_begin, test_folder_end);
}
