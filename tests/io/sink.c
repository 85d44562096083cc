// SPDX-License-Identifier: Apache-2.0
// Files being written: whole or not at all.
#include "io/core/sink.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/core/base64.h"
#include "support/reading.h"

static void assert_content(const char *path, const char *wanted) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char text[256] = {0};
    fread(text, 1, sizeof text - 1, file);
    fclose(file);
    assert_string_equal(text, wanted);
}

static int count_files(const char *folder) {
    DIR *listing = opendir(folder);
    assert_non_null(listing);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(listing));) {
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    }
    closedir(listing);
    return count;
}

static int make_folder(void **state) {
    *state = test_folder_make();
    return 0;
}

static int remove_folder(void **state) {
    test_folder_remove(*state);
    return 0;
}

static void base64_is_the_same_however_the_bytes_are_cut(void **state) {
    enum { COUNT = 200000 };
    const char *path = test_path(*state, "a.b64");
    unsigned char *bytes = malloc(COUNT), *back = malloc(COUNT);
    uint32_t random = 1;
    for (size_t i = 0; i < COUNT; i++) bytes[i] = (unsigned char)((random = 1664525 * random + 1013904223) >> 24);
    for (size_t piece = 1; piece < COUNT; piece = 3 * piece + 1) {
        toc_sink *sink;
        size_t length;
        assert_ok(toc_sink_open(path, NULL, &sink));
        toc_sink_text(sink, "_");
        toc_sink_begin_base64(sink);
        for (size_t i = 0; i < COUNT; i += piece)
            toc_sink_write(sink, bytes + i, piece < COUNT - i ? piece : COUNT - i);
        toc_sink_end_base64(sink);
        toc_sink_text(sink, "_");
        assert_ok(toc_sink_commit(sink));
        char *text = test_file_read(path, &length);
        assert_int_equal(length, 2 + toc_base64_length(COUNT));
        assert_int_equal(text[0], '_');
        assert_memory_equal(text + length - 2, "=_", 2);
        assert_true(toc_base64_decode(text + 1, text + length, COUNT, back));
        assert_memory_equal(back, bytes, COUNT);
        free(text);
    }
    free(bytes);
    free(back);
}

static void known_base64_letters(void **state) {
    (void)state;
    static const char *const pairs[][2] = {
        {"", ""}, {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"}, {"foob", "Zm9vYg=="}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char letters[9] = {0};
        toc_base64_encode(pairs[i][0], strlen(pairs[i][0]), letters);
        assert_string_equal(letters, pairs[i][1]);
        assert_int_equal(toc_base64_length(strlen(pairs[i][0])), strlen(pairs[i][1]));
    }
}

static void nothing_is_seen_until_the_commit(void **state) {
    const char *path = test_path(*state, "a.txt");
    test_file_write(path, "old", 3);
    toc_sink *sink;
    assert_ok(toc_sink_open(path, NULL, &sink));
    toc_sink_text(sink, "new ");
    toc_sink_print(sink, "%d %.2f ", 7, 0.5);
    toc_sink_double(sink, 0.1);
    toc_sink_integer(sink, INT64_MIN);
    assert_content(path, "old");
    assert_ok(toc_sink_commit(sink));
    assert_content(path, "new 7 0.50 0.1-9223372036854775808");
    assert_int_equal(count_files(*state), 1);
}

static void cancelling_leaves_nothing(void **state) {
    toc_sink *sink;
    assert_ok(toc_sink_open(test_path(*state, "a.txt"), NULL, &sink));
    toc_sink_text(sink, "half");
    toc_sink_cancel(sink);
    assert_int_equal(count_files(*state), 0);
}

static void more_than_the_buffer_holds(void **state) {
    const char *path = test_path(*state, "a.bin");
    char *block = calloc(1, 300000);
    toc_sink *sink;
    assert_ok(toc_sink_open(path, NULL, &sink));
    for (int i = 0; i < 100000; i++) toc_sink_integer(sink, i % 10);
    toc_sink_write(sink, block, 300000);
    toc_sink_text(sink, "end");
    assert_ok(toc_sink_commit(sink));
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_size, 400003);
    free(block);
}

static void a_file_that_grows_too_large_leaves_the_old_one(void **state) {
    const char *path = test_path(*state, "a.txt");
    test_file_write(path, "old", 3);
    struct rlimit before;
    getrlimit(RLIMIT_FSIZE, &before);
    void (*old_handler)(int) = signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){100000, before.rlim_max});
    toc_sink *sink;
    assert_ok(toc_sink_open(path, NULL, &sink));
    for (int i = 0; i < 50000; i++) toc_sink_text(sink, "12345678");
    const toc_status status = toc_sink_commit(sink);
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, old_handler);
    assert_fails(status, TOC_DISK_FULL, "a.txt: cannot be written: File too large");
    assert_content(path, "old");
    assert_int_equal(count_files(*state), 1);
}

// A folder below /dev holds plain files like any other: the second one replaces the first.
static void a_plain_file_below_dev(void **state) {
    (void)state;
    char path[] = "/dev/shm/toccata-sink-XXXXXX";
    const int file = mkstemp(path);
    if (file < 0) skip();
    close(file);
    for (int i = 0; i < 2; i++) {
        toc_sink *sink;
        assert_ok(toc_sink_open(path, NULL, &sink));
        toc_sink_text(sink, "whole");
        assert_ok(toc_sink_commit(sink));
    }
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    unlink(path);
    assert_int_equal(about.st_size, 5);
}

static void a_full_device(void **state) {
    (void)state;
    if (access("/dev/full", W_OK) != 0) skip();
    toc_sink *sink;
    assert_ok(toc_sink_open("/dev/full", NULL, &sink));
    toc_sink_text(sink, "text");
    assert_fails(toc_sink_commit(sink), TOC_DISK_FULL, "/dev/full: cannot be written: No space left");
    assert_int_equal(access("/dev/full", W_OK), 0);
}

static void a_pipe_is_written_into(void **state) {
    (void)state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    char path[64], text[8] = {0};
    snprintf(path, sizeof path, "/dev/fd/%d", ends[1]);
    toc_sink *sink;
    assert_ok(toc_sink_open(path, NULL, &sink));
    toc_sink_text(sink, "hello");
    assert_ok(toc_sink_commit(sink));
    assert_int_equal(read(ends[0], text, sizeof text), 5);
    assert_string_equal(text, "hello");
    close(ends[0]);
    close(ends[1]);
}

static void a_link_stays_a_link_and_permissions_stay(void **state) {
    const char *path = test_path(*state, "real.txt"), *link = test_path(*state, "link.txt");
    test_file_write(path, "old", 3);
    assert_int_equal(chmod(path, 0640), 0);
    assert_int_equal(symlink("real.txt", link), 0);
    toc_sink *sink;
    assert_ok(toc_sink_open(link, NULL, &sink));
    toc_sink_text(sink, "new");
    assert_ok(toc_sink_commit(sink));
    struct stat about;
    assert_int_equal(lstat(link, &about), 0);
    assert_true(S_ISLNK(about.st_mode));
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_mode & 07777, 0640);
    assert_content(path, "new");
}

static void places_that_cannot_be_written(void **state) {
    toc_sink *sink;
    assert_fails(toc_sink_open(test_path(*state, "no/such/a.txt"), NULL, &sink), TOC_BAD_INPUT,
                 "a.txt: cannot be written: No such");
    assert_fails(toc_sink_open(*state, NULL, &sink), TOC_BAD_INPUT, "Is a directory");
    assert_fails(toc_sink_open("", NULL, &sink), TOC_BAD_INPUT, "without a name");
    char name[5000];
    memset(name, 'a', sizeof name - 1);
    name[sizeof name - 1] = 0;
    assert_fails(toc_sink_open(name, NULL, &sink), TOC_BAD_INPUT, "too long");
    const char *path = test_path(*state, "a.txt");
    test_file_write(path, "old", 3);
    if (geteuid() == 0) return; // root may write anywhere
    chmod(path, 0444);
    assert_fails(toc_sink_open(path, NULL, &sink), TOC_BAD_INPUT, "Permission denied");
    chmod(*state, 0555);
    assert_fails(toc_sink_open(test_path(*state, "b.txt"), NULL, &sink), TOC_BAD_INPUT, "Permission denied");
    chmod(*state, 0755);
}

// The name is too long for the folder, which only shows when the file gets its name.
static void a_name_that_is_refused_at_the_end(void **state) {
    char name[300];
    memset(name, 'a', 299);
    name[299] = 0;
    toc_sink *sink;
    assert_ok(toc_sink_open(test_path(*state, name), NULL, &sink));
    toc_sink_text(sink, "text");
    assert_fails(toc_sink_commit(sink), TOC_BAD_INPUT, "File name too long");
    assert_int_equal(count_files(*state), 0);
}

static toc_status write_one(const toc_allocator *allocator, void *user) {
    toc_sink *sink;
    const toc_status status = toc_sink_open(user, allocator, &sink);
    return status == TOC_OK ? toc_sink_commit(sink) : status;
}

static void out_of_memory(void **state) {
    assert_int_equal(test_every_allocation(write_one, (void *)test_path(*state, "a.txt")), 1);
    assert_int_equal(count_files(*state), 1);
}

// A new root without /proc, as in a bare container: an unnamed file could not get its name there.
static void a_root_without_proc(void **state) {
    const char *folder = *state;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        toc_sink *sink;
        if (chroot(folder) != 0 || chdir("/") != 0) _exit(77); // not allowed here
        if (toc_sink_open("a.txt", NULL, &sink) != TOC_OK) _exit(1);
        toc_sink_text(sink, "new");
        _exit(toc_sink_commit(sink) == TOC_OK ? 0 : 2);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) skip();
    assert_int_equal(status, 0);
    assert_content(test_path(folder, "a.txt"), "new");
    assert_int_equal(count_files(folder), 1);
}

#define folder_test(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void) {
    const struct CMUnitTest tests[] = {
        folder_test(base64_is_the_same_however_the_bytes_are_cut),
        cmocka_unit_test(known_base64_letters),
        folder_test(nothing_is_seen_until_the_commit),
        folder_test(cancelling_leaves_nothing),
        folder_test(more_than_the_buffer_holds),
        folder_test(a_file_that_grows_too_large_leaves_the_old_one),
        folder_test(a_plain_file_below_dev),
        folder_test(a_full_device),
        folder_test(a_pipe_is_written_into),
        folder_test(a_link_stays_a_link_and_permissions_stay),
        folder_test(places_that_cannot_be_written),
        folder_test(a_name_that_is_refused_at_the_end),
        folder_test(a_root_without_proc),
        folder_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
