// SPDX-License-Identifier: Apache-2.0
// The live view over a real socket: secrets, foreign pages, steps that wait and go, browsers that hang. Its thread and
// the threads of this program share the view.
#include "support/test.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "support/sockets.h"
#include "toccata/view.h"

// A triangle, and a point that falls through it.
static toc_scene *make_scene(uint32_t bodies) {
    const double start[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0.25, 0.25, 1},
                 end[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0.25, 0.25, -1};
    toc_scene *scene;
    assert_ok(toc_scene_create(NULL, &scene));
    for (uint32_t i = 0; i < bodies; i++) {
        toc_mesh *mesh;
        assert_ok(toc_mesh_create(NULL, &mesh));
        assert_ok(toc_mesh_add_vertices(mesh, 4, start, NULL));
        assert_ok(toc_mesh_add_elements(mesh, TOC_TRIANGLE, 1, (uint32_t[]){0, 1, 2}, NULL));
        assert_ok(toc_mesh_add_elements(mesh, TOC_POINT, 1, (uint32_t[]){3}, NULL));
        assert_ok(toc_mesh_move(mesh, 4, end));
        assert_ok(toc_scene_add_body(scene, mesh, NULL));
    }
    return scene;
}

static toc_view *open_view(uint64_t memory) {
    toc_view_options options = toc_view_options_default();
    toc_view *view = NULL;
    if (memory) options.memory = memory;
    const toc_status status = toc_view_open(&options, &view);
    if (status == TOC_BAD_INPUT && strstr(toc_message_get(), "no page")) {
        print_message("skipped: this build has no page\n");
        skip();
    }
    assert_ok(status);
    return view;
}

static unsigned port_of(const toc_view *view) {
    unsigned port;
    assert_int_equal(sscanf(toc_view_get_address(view), "http://127.0.0.1:%u/", &port), 1);
    return port;
}

static const char *path_of(const toc_view *view) { return strchr(toc_view_get_address(view) + 7, '/'); }

typedef struct answer {
    int status;
    size_t size;
    char *body;
    char text[1 << 22];
} answer;

static void receive(int from, answer *out) {
    size_t used = 0;
    for (;;) {
        const ptrdiff_t got = test_socket_receive(from, out->text + used, sizeof out->text - 1 - used);
        if (got <= 0) break;
        used += (size_t)got;
    }
    test_socket_close(from);
    out->text[used] = 0;
    assert_int_equal(sscanf(out->text, "HTTP/1.1 %d", &out->status), 1);
    out->body = strstr(out->text, "\r\n\r\n") + 4;
    out->size = used - (size_t)(out->body - out->text);
}

static int ask(const toc_view *view, const char *method, const char *path, const char *headers) {
    char request[2000];
    const int to = test_socket_connect(port_of(view));
    const int size = snprintf(request, sizeof request, "%s %s HTTP/1.1\r\n%s\r\n", method, path, headers);
    assert_int_equal(test_socket_send(to, request, (size_t)size), size);
    return to;
}

static const char own[] = "Host: 127.0.0.1\r\n";

// A path behind the secret.
static answer *get(const toc_view *view, const char *rest) {
    static answer out;
    char path[200];
    snprintf(path, sizeof path, "%s%s", path_of(view), rest);
    receive(ask(view, "GET", path, own), &out);
    return &out;
}

static void page_and_steps_need_the_secret(void **state) {
    (void)state;
    static answer out;
    toc_view *view = open_view(0);
    assert_int_equal(get(view, "")->status, 200);
    assert_non_null(strstr(get(view, "")->body, "id=\"toccata-live\""));
    char wrong[200];
    snprintf(wrong, sizeof wrong, "%s", path_of(view));
    wrong[5] = wrong[5] == '0' ? '1' : '0';
    const char *paths[] = {wrong, "/", "/blocks/0", "/steps/0/0", "//", "/../"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        receive(ask(view, "GET", paths[i], own), &out);
        assert_int_equal(out.status, 404);
    }
    toc_view_close(view);
}

static void foreign_pages_are_refused(void **state) {
    (void)state;
    static answer out;
    toc_view *view = open_view(0);
    char port[60], same[200];
    snprintf(port, sizeof port, "%u", port_of(view));
    snprintf(same, sizeof same, "Host: localhost:%s\r\nOrigin: %slocalhost:%s\r\n", port, "http://", port);
    const struct {
        const char *headers;
        int status;
    } cases[] = {{"Host: example.org\r\n", 403},
                 {"", 403},
                 {"Host: 127.0.0.1.example.org\r\n", 403},
                 {"Host: 127.0.0.1\r\nOrigin: https://example.org\r\n", 403},
                 {"Host: 127.0.0.1\r\nOrigin: null\r\n", 403},
                 {"Host: 127.0.0.1\r\nOrigin: http://127.0.0.1:1\r\n", 403},
                 {same, 200}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        receive(ask(view, "GET", path_of(view), cases[i].headers), &out);
        assert_int_equal(out.status, cases[i].status);
    }
    receive(ask(view, "POST", path_of(view), own), &out);
    assert_int_equal(out.status, 405);
    toc_view_close(view);
}

// The number behind a name in an object.
static unsigned long number_in(const char *text, const char *name) {
    const char *at = strstr(text, name);
    assert_non_null(at);
    return strtoul(at + strlen(name), NULL, 10);
}

static void a_step_has_its_contacts_and_fields(void **state) {
    (void)state;
    toc_view *view = open_view(0);
    toc_scene *scene = make_scene(2);
    toc_contacts *found;
    const toc_query query = toc_query_default();
    assert_ok(toc_scene_find_contacts(scene, &query, NULL, &found));
    assert_true(found->count >= 2);
    const double speed[8] = {0, 1, 2, 3, 4, 5, 6, NAN}, stress[4] = {1, 2, 3, 4};
    const toc_view_field fields[] = {
        {.name = "speed \"<", .components = 1, .count = 8, .values = speed},
        {.name = "stress", .components = 1, .of_elements = 1, .count = 4, .values = stress}};
    const toc_view_step step = {.contacts = found, .field_count = 2, .fields = fields, .time = 0.5};
    assert_ok(toc_view_add_step(view, scene, &step));
    assert_ok(toc_view_add_step(view, scene, NULL));
    const answer *out = get(view, "steps/0/0");
    assert_int_equal(out->status, 200);
    assert_non_null(strstr(out->body, "\"name\":\"speed \\u0022\\u003c\""));
    assert_non_null(strstr(out->body, "\"bodies\":[0,4]"));
    assert_non_null(strstr(out->body, "\"time\":0.5"));
    assert_null(strstr(out->body, "nan"));
    assert_int_equal(number_in(out->body, "\"contacts\":{\"count\":"), found->count);
    const unsigned long block = number_in(strstr(out->body, "\"times\":"), "\"block\":");
    char path[60];
    snprintf(path, sizeof path, "blocks/%lu", block);
    const answer *times = get(view, path);
    assert_int_equal(times->size, found->count * sizeof(double));
    double first;
    memcpy(&first, times->body, sizeof first);
    assert_double_same(first, found->contacts[0].toc);
    assert_int_equal(get(view, "blocks/99999")->status, 404);
    assert_int_equal(get(view, "blocks/-1")->status, 404);
    assert_int_equal(get(view, "blocks/1x")->status, 404);
    toc_contacts_destroy(found);
    toc_scene_destroy(scene);
    toc_view_close(view);
}

/// The legend says how near the pairs are.
static void near_pairs_have_their_distance(void **state) {
    (void)state;
    toc_view *view = open_view(0);
    toc_scene *scene = make_scene(2);
    toc_near *near;
    const toc_query query = toc_query_default();
    toc_near_query wanted = toc_near_query_default();
    wanted.distance = 12.5;
    assert_ok(toc_scene_find_near(scene, &query, &wanted, NULL, &near));
    assert_true(near->count > 0);
    assert_ok(toc_view_add_step(view, scene, &(toc_view_step){.near = near}));
    char words[60];
    snprintf(words, sizeof words, "\"near\":{\"count\":%zu,\"distance\":12.5,", near->count);
    assert_non_null(strstr(get(view, "steps/0/0")->body, words));
    toc_near_destroy(near);
    toc_scene_destroy(scene);
    toc_view_close(view);
}

static void wrong_steps_leave_the_view_as_it_was(void **state) {
    (void)state;
    toc_view *view = open_view(0);
    toc_scene *scene = make_scene(1), *larger = make_scene(2);
    toc_contacts *found;
    const toc_query query = toc_query_default();
    const double values[8] = {0};
    assert_ok(toc_scene_find_contacts(larger, &query, NULL, &found));
    const struct {
        toc_view_field field;
        const char *words;
    } cases[] = {
        {{.name = "a", .components = 1, .count = 3, .values = values}, "field a: 3 values for 4 vertex ids"},
        {{.name = "a", .components = 1, .of_elements = 1, .count = 3, .values = values}, "3 values for 2 element ids"},
        {{.name = "a", .components = 2, .count = 4, .values = values}, "1 or 3 components"},
        {{.components = 1, .count = 4, .values = values}, "no name or no values"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const toc_view_step step = {.field_count = 1, .fields = &cases[i].field};
        assert_fails(toc_view_add_step(view, scene, &step), TOC_BAD_INPUT, cases[i].words);
        assert_ok(toc_view_add_step(view, scene, NULL));
    }
    const toc_view_step other = {.contacts = found};
    assert_fails(toc_view_add_step(view, scene, &other), TOC_BAD_INPUT, "of body 1 is not in the scene");
    assert_fails(toc_view_add_step(view, scene, &(toc_view_step){.field_count = 1}), TOC_BAD_INPUT,
                 "the fields are NULL");
    assert_fails(toc_view_add_step(NULL, scene, NULL), TOC_BAD_INPUT, "view is NULL");
    assert_fails(toc_view_add_step(view, NULL, NULL), TOC_BAD_INPUT, "scene is NULL");
    const answer *out = get(view, "steps/0/0");
    size_t steps = 0;
    for (const char *at = out->body; (at = strstr(at, "{\"surface\":")); at++) steps++;
    assert_int_equal(steps, 4);
    toc_contacts_destroy(found);
    toc_scene_destroy(larger);
    toc_scene_destroy(scene);
    toc_view_close(view);
}

typedef struct waiting {
    const toc_view *view;
    answer out;
} waiting;

static void *ask_for_steps(void *user) {
    waiting *w = user;
    char path[200];
    snprintf(path, sizeof path, "%ssteps/1/1", path_of(w->view));
    receive(ask(w->view, "GET", path, own), &w->out);
    return NULL;
}

static void a_page_waits_for_the_next_step_and_for_the_end(void **state) {
    (void)state;
    static waiting w;
    toc_view *view = open_view(0);
    toc_scene *scene = make_scene(1);
    w.view = view;
    assert_false(toc_view_is_watched(view));
    assert_ok(toc_view_add_step(view, scene, NULL));
    for (int round = 0; round < 2; round++) {
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, ask_for_steps, &w), 0);
        while (!toc_view_is_watched(view)) usleep(1000);
        usleep(50 * 1000);
        if (round == 0) {
            assert_ok(toc_view_add_step(view, scene, NULL));
            pthread_join(thread, NULL);
            assert_non_null(strstr(w.out.body, "\"step\":1"));
            assert_non_null(strstr(w.out.body, "\"ended\":false"));
            assert_false(toc_view_wait(view, 0.01)); // the page was there a moment ago
            continue;
        }
        // The step is there already: the answer comes at once.
        pthread_join(thread, NULL);
        assert_non_null(strstr(w.out.body, "\"step\":1"));
    }
    // One that waits when the view is closed hears of the end.
    char path[200];
    snprintf(path, sizeof path, "%ssteps/2/1", path_of(view));
    const int to = ask(view, "GET", path, own);
    usleep(100 * 1000);
    toc_view_close(view);
    receive(to, &w.out);
    assert_non_null(strstr(w.out.body, "\"ended\":true"));
    toc_scene_destroy(scene);
}

static void old_steps_go_and_the_newest_stays(void **state) {
    (void)state;
    toc_view *view = open_view(600);
    toc_scene *scene = make_scene(1);
    for (int i = 0; i < 40; i++) assert_ok(toc_view_add_step(view, scene, NULL));
    const answer *out = get(view, "steps/0/0");
    const unsigned long first = number_in(out->body, "\"live\":{\"first\":");
    assert_in_range(first, 30, 39);
    assert_int_equal(number_in(out->body, "\"step\":"), first);
    assert_int_equal(number_in(out->body, "\"frame\":"), first);
    // The surface is that of the first step, and stays as long as a step uses it.
    char path[60];
    snprintf(path, sizeof path, "blocks/%lu", number_in(strstr(out->body, "\"faces\":"), "\"block\":"));
    assert_int_equal(get(view, path)->status, 200);
    assert_int_equal(get(view, "blocks/8")->status, 410);
    // A page that knows steps which are gone goes on at the first that is left.
    assert_int_equal(number_in(get(view, "steps/3/1")->body, "\"step\":"), first);
    toc_scene_destroy(scene);
    toc_view_close(view);
}

static void a_browser_that_hangs_holds_up_nobody(void **state) {
    (void)state;
    toc_view *view = open_view(0);
    int silent[70];
    for (int i = 0; i < 60; i++) silent[i] = test_socket_connect(port_of(view));
    assert_int_equal(get(view, "")->status, 200);
    char large[20000];
    memset(large, 'a', sizeof large);
    const int to = test_socket_connect(port_of(view));
    test_socket_send(to, large, sizeof large);
    static answer out;
    receive(to, &out);
    assert_int_equal(out.status, 431);
    for (int i = 0; i < 60; i++) test_socket_close(silent[i]);
    toc_view_close(view);
}

static void a_port_in_use_is_named(void **state) {
    (void)state;
    toc_view *view = open_view(0), *second = NULL;
    toc_view_options options = toc_view_options_default();
    options.port = port_of(view);
    char words[60];
    snprintf(words, sizeof words, "port %u is in use; choose another one, or 0", options.port);
    assert_fails(toc_view_open(&options, &second), TOC_BAD_INPUT, words);
    options.port = 70000;
    assert_fails(toc_view_open(&options, &second), TOC_BAD_INPUT, "0 to 65535, not 70000");
    options = toc_view_options_default();
    options.up = 3;
    assert_fails(toc_view_open(&options, &second), TOC_BAD_INPUT, "up is 0, 1 or 2, not 3");
    assert_fails(toc_view_open(NULL, NULL), TOC_BAD_INPUT, "out is NULL");
    assert_null(second);
    toc_view_close(view);
    toc_view_close(NULL);
    assert_null(toc_view_get_address(NULL));
    assert_false(toc_view_is_watched(NULL));
}

typedef struct feeder {
    toc_view *view;
    toc_scene *scene;
} feeder;

static void *feed(void *user) {
    feeder *f = user;
    for (int i = 0; i < 100; i++) assert_ok(toc_view_add_step(f->view, f->scene, NULL));
    return NULL;
}

static void several_threads_may_feed_and_ask(void **state) {
    (void)state;
    toc_view *view = open_view(20000);
    feeder feeders[2] = {{view, make_scene(1)}, {view, make_scene(1)}};
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) assert_int_equal(pthread_create(&threads[i], NULL, feed, &feeders[i]), 0);
    for (int i = 0; i < 20; i++) {
        assert_int_equal(get(view, "steps/0/0")->status, 200);
        const int status = get(view, "blocks/3")->status;
        assert_true(status == 200 || status == 404 || status == 410);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
        toc_scene_destroy(feeders[i].scene);
    }
    toc_view_close(view);
}

static toc_status show_two_steps(const toc_allocator *allocator, void *user) {
    toc_view_options options = toc_view_options_default();
    toc_view *view;
    options.allocator = allocator;
    toc_status status = toc_view_open(&options, &view);
    if (status != TOC_OK) return status;
    for (int i = 0; i < 2 && status == TOC_OK; i++) status = toc_view_add_step(view, user, NULL);
    toc_view_close(view);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    toc_view_close(open_view(0)); // skipped without a page
    toc_scene *scene = make_scene(2);
    assert_true(test_every_allocation(show_two_steps, scene) > 20);
    toc_scene_destroy(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(page_and_steps_need_the_secret),
        cmocka_unit_test(foreign_pages_are_refused),
        cmocka_unit_test(a_step_has_its_contacts_and_fields),
        cmocka_unit_test(near_pairs_have_their_distance),
        cmocka_unit_test(wrong_steps_leave_the_view_as_it_was),
        cmocka_unit_test(a_page_waits_for_the_next_step_and_for_the_end),
        cmocka_unit_test(old_steps_go_and_the_newest_stays),
        cmocka_unit_test(a_browser_that_hangs_holds_up_nobody),
        cmocka_unit_test(a_port_in_use_is_named),
        cmocka_unit_test(several_threads_may_feed_and_ask),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
