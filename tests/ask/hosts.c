// SPDX-License-Identifier: Apache-2.0
// Programs around the library: forks, signals, libraries that come and go, callbacks that jump. Two threads at least.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/answers.h"
#include "toccata/io.h"

enum { THREADS = 3, PATIENCE = 60 };

static toc_scene *make_soups(void) {
    test_random random = test_random_make(5);
    return test_scene_of_soups(&random, TOC_TRIANGLE, 60, 120, 0.3);
}

static toc_contacts *find_contacts(toc_scene *scene, int threads) {
    toc_query query = toc_query_default();
    toc_contacts *found = NULL;
    query.threads = threads;
    return toc_scene_find_contacts(scene, &query, NULL, &found) == TOC_OK ? found : NULL;
}

static bool is_same(const toc_contacts *a, const toc_contacts *b) {
    return a && b && a->count == b->count && memcmp(a->contacts, b->contacts, a->count * sizeof *a->contacts) == 0;
}

// ---- fork

typedef struct other_thread {
    toc_scene *scene;
    atomic_bool ends;
    size_t asked;
} other_thread;

static void *ask_again(void *user) {
    other_thread *o = user;
    for (; !atomic_load(&o->ends); o->asked++) toc_contacts_destroy(find_contacts(o->scene, 2));
    return NULL;
}

// A child asks about a scene that no thread of the parent used, and about one of its own.
static int ask_in_child(toc_scene *scene, const toc_contacts *wanted) {
    toc_scene *own = make_soups();
    toc_contacts *of_scene = find_contacts(scene, THREADS), *of_own = find_contacts(own, THREADS);
    const bool good = is_same(of_scene, wanted) && is_same(of_own, wanted);
    toc_contacts_destroy(of_scene);
    toc_contacts_destroy(of_own);
    toc_scene_destroy(own);
    return good ? 0 : 1;
}

static void children_of_a_program_with_threads_ask(void **state) {
    (void)state;
    if (TEST_SANITIZED) skip(); // the sanitizers have threads of their own
    other_thread other = {.scene = make_soups()};
    toc_scene *scene = make_soups();
    toc_contacts *wanted = find_contacts(scene, 1);
    pthread_t thread;
    assert_true(wanted && wanted->count > 10);
    assert_int_equal(pthread_create(&thread, NULL, ask_again, &other), 0);
    for (int i = 0; i < 8; i++) {
        const pid_t child = fork();
        int status = -1;
        if (child == 0) {
            alarm(PATIENCE);
            _exit(ask_in_child(scene, wanted));
        }
        assert_true(child > 0);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
    atomic_store(&other.ends, true);
    pthread_join(thread, NULL);
    toc_contacts_destroy(wanted);
    toc_scene_destroy(scene);
    toc_scene_destroy(other.scene);
}

// ---- signals

static volatile sig_atomic_t signals_taken;
static volatile double taken_square;

// Handlers compute, and change errno; with the thread sanitizer they do not, as it reports each place where one does.
static void take_signal(int number) {
    (void)number;
    signals_taken++;
    taken_square = sqrt((double)signals_taken);
    if (!TEST_SANITIZED) errno = EINTR;
}

// A signal each fifth of a millisecond. Calls of the system are not restarted. With a sanitizer signals come less
// often, as one that reports something takes longer, and the test was cut off without a word of the report.
static void begin_signals(void) {
    enum { GAP = TEST_SANITIZED ? 2000 : 200 }; // microseconds
    const struct sigaction action = {.sa_handler = take_signal};
    const struct itimerval often = {{0, GAP}, {0, GAP}};
    signals_taken = 0;
    assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
    assert_int_equal(setitimer(ITIMER_REAL, &often, NULL), 0);
}

static void end_signals(void) {
    setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 0}}, NULL);
    signal(SIGALRM, SIG_DFL);
}

static void signals_change_no_answer(void **state) {
    (void)state;
    toc_scene *scene = make_soups();
    toc_contacts *wanted = find_contacts(scene, 1);
    bool same = true;
    int asked = 0;
    begin_signals();
    for (; asked < 4000 && (asked < 20 || signals_taken < 20); asked++) {
        toc_contacts *found = find_contacts(scene, 1 + asked % THREADS);
        same = same && is_same(found, wanted);
        toc_contacts_destroy(found);
    }
    end_signals();
    print_message("%d questions, %d signals\n", asked, (int)signals_taken);
    assert_true(same && signals_taken >= 20);
    toc_contacts_destroy(wanted);
    toc_scene_destroy(scene);
}

// The end of a pipe whose bytes come slowly: reading is interrupted again and again. It is a thread that takes no
// signals, as children of a program with threads are more than the thread sanitizer promises to run.
typedef struct slow_writer {
    const char *path;
    bool written;
} slow_writer;

static void *write_slowly(void *user) {
    static const char text[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    slow_writer *w = user;
    usleep(20000); // the reader waits, and is interrupted
    const int pipe = open(w->path, O_WRONLY);
    w->written = pipe >= 0;
    for (size_t i = 0; w->written && text[i]; i++) {
        w->written = write(pipe, &text[i], 1) == 1;
        usleep(1000);
    }
    if (pipe >= 0) close(pipe);
    return NULL;
}

static pthread_t start_without_signals(void *(*run)(void *), void *user) {
    sigset_t all, before;
    pthread_t thread;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int error = pthread_create(&thread, NULL, run, user);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    assert_int_equal(error, 0);
    return thread;
}

// A writer whose pipe was never read waits for a reader: this one takes nothing. @return whether it wrote all.
static bool end_writer(pthread_t thread, slow_writer *writer, bool was_read) {
    const int reader = was_read ? -1 : open(writer->path, O_RDONLY | O_NONBLOCK);
    pthread_join(thread, NULL);
    if (reader >= 0) close(reader);
    return writer->written;
}

static void files_are_read_and_written_between_signals(void **state) {
    (void)state;
    toc_mesh *mesh = NULL, *again = NULL;
    slow_writer writer = {.path = test_path(test_folder, "slow.obj")};
    const char *copy = test_path(test_folder, "fast.ply");
    assert_int_equal(mkfifo(writer.path, 0600), 0);
    const pthread_t thread = start_without_signals(write_slowly, &writer);
    begin_signals();

    const toc_status read = toc_mesh_read(writer.path, NULL, &mesh);
    toc_status written = TOC_OK;
    for (int i = 0; i < 50 && read == TOC_OK && written == TOC_OK; i++)
        written = toc_mesh_write(copy, mesh, TOC_AT_START);
    end_signals();
    assert_true(end_writer(thread, &writer, read == TOC_OK));
    assert_ok(read);
    assert_ok(written);
    assert_true(signals_taken > 10);
    assert_ok(toc_mesh_read(copy, NULL, &again));
    assert_int_equal(toc_mesh_get_vertex_count(again), 3);
    toc_mesh_destroy(mesh);
    toc_mesh_destroy(again);
}

// ---- files

static void a_new_file_has_the_permissions_of_the_umask(void **state) {
    (void)state;
    static const mode_t masks[] = {022, 077, 0, 0137};
    toc_mesh *mesh = test_grid_sheet(TOC_TRIANGLE, 2, 2);
    for (size_t i = 0; i < sizeof masks / sizeof *masks; i++) {
        char name[32];
        struct stat info;
        snprintf(name, sizeof name, "mask-%zu.ply", i);
        const mode_t before = umask(masks[i]);
        const toc_status status = toc_mesh_write(test_path(test_folder, name), mesh, TOC_AT_START);
        umask(before);
        assert_ok(status);
        assert_int_equal(stat(test_path(test_folder, name), &info), 0);
        assert_int_equal(info.st_mode & 0777, 0666 & ~masks[i]);
    }
    toc_mesh_destroy(mesh);
}

static void names_with_line_ends_are_names(void **state) {
    (void)state;
    toc_mesh *mesh = test_grid_sheet(TOC_TRIANGLE, 2, 2), *read;
    const char *path = test_path(test_folder, "two\nlines.ply");
    assert_ok(toc_mesh_write(path, mesh, TOC_AT_START));
    assert_ok(toc_mesh_read(path, NULL, &read));
    assert_int_equal(toc_mesh_get_vertex_count(read), 9);
    toc_mesh_destroy(read);
    assert_fails(toc_mesh_read(test_path(test_folder, "no\nfile.ply"), NULL, &read), TOC_BAD_INPUT, "no\nfile.ply");
    toc_mesh_destroy(mesh);
}

// ---- a library that comes and goes

static size_t threads_of_the_process(void) {
    size_t threads = 0;
    char line[256];
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file)) (void)sscanf(line, "Threads: %zu", &threads);
    if (file) fclose(file);
    return threads;
}

static bool is_mapped(const char *name) {
    bool found = false;
    char line[4096];
    FILE *file = fopen("/proc/self/maps", "r");
    while (file && fgets(line, sizeof line, file)) found = found || strstr(line, name);
    if (file) fclose(file);
    return found;
}

#define TAKE(library, function)                                        \
    __typeof__(function) *own_##function;                              \
    *(void **)&own_##function = dlsym(library, #function); /* POSIX */ \
    assert_non_null(own_##function)

// One contact, found by functions of the library that was just loaded, on several threads.
static void ask_loaded(void *library) {
    TAKE(library, toc_defaults_write);
    TAKE(library, toc_scene_create);
    TAKE(library, toc_mesh_create);
    TAKE(library, toc_mesh_add_vertices);
    TAKE(library, toc_mesh_add_elements);
    TAKE(library, toc_mesh_set_motion);
    TAKE(library, toc_scene_add_body);
    TAKE(library, toc_scene_find_contacts);
    TAKE(library, toc_answer_destroy);
    TAKE(library, toc_scene_destroy);
    const double x0[] = {0, 0, 0, 2, 0, 0, 0, 2, 0, 0.3, 0.3, 1, 2.3, 0.3, 1, 0.3, 2.3, 1};
    const double x1[] = {0, 0, 0, 2, 0, 0, 0, 2, 0, 0.3, 0.3, -1, 2.3, 0.3, -1, 0.3, 2.3, -1};
    toc_query query;
    toc_mesh *mesh;
    toc_scene *scene;
    toc_contacts *found;
    assert_ok(own_toc_defaults_write(TOC_DEFAULTS_QUERY, &query, sizeof query));
    query.threads = THREADS;
    assert_ok(own_toc_scene_create(NULL, &scene));
    assert_ok(own_toc_mesh_create(NULL, &mesh));
    assert_ok(own_toc_mesh_add_vertices(mesh, 6, x0, NULL));
    assert_ok(own_toc_mesh_add_elements(mesh, TOC_TRIANGLE, 2, (const uint32_t[]){0, 1, 2, 3, 4, 5}, NULL));
    assert_ok(own_toc_mesh_set_motion(mesh, 6, NULL, x1));
    assert_ok(own_toc_scene_add_body(scene, mesh, NULL));
    assert_ok(own_toc_scene_find_contacts(scene, &query, NULL, &found));
    assert_int_equal(found->count, 3);
    own_toc_answer_destroy(found);
    own_toc_scene_destroy(scene);
    assert_int_equal(own_toc_scene_create(NULL, NULL), TOC_BAD_INPUT); // its message is gone with the library
}

static void the_library_is_loaded_again_and_again(void **state) {
    (void)state;
    const char *path = TOC_BINARY_DIR "/libtoccata.so";
    if (TEST_SANITIZED || access(path, R_OK) != 0) skip(); // the sanitizers keep libraries; others have none to share
    const size_t threads = threads_of_the_process();
    for (int i = 0; i < 40; i++) {
        void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (!library) print_error("%s\n", dlerror());
        assert_non_null(library);
        assert_true(is_mapped("libtoccata.so"));
        ask_loaded(library);
        assert_int_equal(dlclose(library), 0);
        assert_false(is_mapped("libtoccata.so"));
        assert_int_equal(threads_of_the_process(), threads);
    }
}

// ---- callbacks

static void fail_deep_inside(jmp_buf *to) { longjmp(*to, 1); }

// A jump that begins and ends in the callback.
static int jump_within(void *user, double done) {
    size_t *jumps = user;
    jmp_buf here;
    (void)done;
    if (setjmp(here) == 0) fail_deep_inside(&here);
    ++*jumps;
    return 0;
}

static void jumps_within_a_callback_are_allowed(void **state) {
    (void)state;
    toc_scene *scene = make_soups();
    toc_contacts *wanted = find_contacts(scene, 1), *found;
    toc_query query = toc_query_default();
    size_t jumps = 0;
    query.progress = (toc_progress){jump_within, &jumps};
    query.threads = 1;
    assert_ok(toc_scene_find_contacts(scene, &query, NULL, &found));
    assert_true(is_same(found, wanted) && jumps > 0);
    toc_contacts_destroy(wanted);
    toc_contacts_destroy(found);
    toc_scene_destroy(scene);
}

static int jump_out(void *user, double done) {
    (void)done;
    longjmp(*(jmp_buf *)user, 1);
}

// A callback that does not return (base.h, "Callbacks"): its scene stays busy, also for the thread that left it.
static void a_jump_out_of_a_callback_leaves_the_scene_busy(void **state) {
    (void)state;
    if (TEST_SANITIZED) skip(); // the memory of the call is lost
    toc_scene *volatile scene = make_soups();
    toc_contacts *found = NULL;
    toc_query query = toc_query_default();
    jmp_buf here;
    query.threads = 1;
    query.progress = (toc_progress){jump_out, &here};
    if (setjmp(here) == 0) {
        (void)toc_scene_find_contacts(scene, &query, NULL, &found);
        fail_msg("the callback returned");
    }
    query = toc_query_default();
    assert_fails(toc_scene_find_contacts(scene, &query, NULL, &found), TOC_BUSY, "");
    assert_null(found);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(children_of_a_program_with_threads_ask),
        cmocka_unit_test(signals_change_no_answer),
        cmocka_unit_test(files_are_read_and_written_between_signals),
        cmocka_unit_test(a_new_file_has_the_permissions_of_the_umask),
        cmocka_unit_test(names_with_line_ends_are_names),
        cmocka_unit_test(the_library_is_loaded_again_and_again),
        cmocka_unit_test(jumps_within_a_callback_are_allowed),
        cmocka_unit_test(a_jump_out_of_a_callback_leaves_the_scene_busy),
    };
    return cmocka_run_group_tests(tests, test_folder_begin, test_folder_end);
}
