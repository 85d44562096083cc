// SPDX-License-Identifier: Apache-2.0
// The live view: a store of blocks that forgets the oldest steps, and a thread that serves them. The caller copies a
// step into the store and goes on; pages ask for what they show. After docs/decisions/0057-live-view.md.
#include "toccata/view.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/platform/platform.h"
#include "base/platform/sockets.h"
#include "base/settings.h"
#include "base/threads.h"
#include "view/coder.h"
#include "view/page_bytes.h"
#include "view/server.h"

static const char mark[] = "<!--toccata-data-->",
                  live[] = "<script type=\"text/plain\" id=\"toccata-live\">live</script>\n";
static const double grace = 15, reload = 1; // seconds without a request: of a slow page, and of one that loads anew
enum { SECRET_BYTES = 16, ADDRESS_SIZE = 80 };

// Numbers in memory, which a reply may still be sending when the view has forgotten them.
typedef struct kept_bytes {
    toc_allocator allocator;
    pthread_mutex_t *lock;
    int holders;
    size_t size;
    char bytes[];
} kept_bytes;

typedef struct kept_block {
    kept_bytes *kept; // NULL once it is forgotten
    view_role role;
    size_t number; // of the frame, the surface or the step
} kept_block;

struct toc_view {
    toc_allocator allocator;
    toc_view_options options;
    char secret[2 * SECRET_BYTES + 1], address[ADDRESS_SIZE], title[200];
    view_server *server;
    pthread_t thread;
    bool has_thread;
    pthread_mutex_t lock; // of all below
    view_coder *coder;    // NULL before the first step
    TOC_ARRAY(kept_block) blocks;
    size_t numbered;   // blocks of whole steps
    size_t first_live; // no block before is kept
    size_t first_step; // those before are forgotten
    uint64_t bytes;
    bool ended;
    double seen; // when a page asked last
    size_t waiting;
};

// ---- blocks

static void release_bytes(void *owner) {
    kept_bytes *kept = owner;
    pthread_mutex_t *lock = kept->lock;
    pthread_mutex_lock(lock);
    const bool last = --kept->holders == 0;
    pthread_mutex_unlock(lock);
    if (last) toc_free(&kept->allocator, kept, 1, sizeof *kept + kept->size);
}

// With the lock held.
static void forget_block(toc_view *view, kept_block *block) {
    kept_bytes *kept = block->kept;
    if (!kept) return;
    block->kept = NULL;
    view->bytes -= kept->size;
    if (--kept->holders == 0) toc_free(&kept->allocator, kept, 1, sizeof *kept + kept->size);
}

static toc_status put_block(void *user, view_role role, size_t size, const void *numbers, size_t *block) {
    toc_view *view = user;
    TOC_TRY(toc_array_reserve(&view->allocator, &view->blocks, 1));
    kept_bytes *kept = toc_new(&view->allocator, 1, sizeof *kept + size);
    if (!kept) return TOC_OUT_OF_MEMORY;
    *kept = (kept_bytes){.allocator = view->allocator, .lock = &view->lock, .holders = 1, .size = size};
    if (size) memcpy(kept->bytes, numbers, size);
    view->bytes += size;
    *block = view->blocks.count;
    view->blocks.at[view->blocks.count++] = (kept_block){.kept = kept, .role = role};
    return TOC_OK;
}

// The blocks of the step that was added last get their numbers.
static void number_blocks(toc_view *view) {
    const size_t steps = toc_view_coder_step_count(view->coder);
    for (; view->numbered < view->blocks.count; view->numbered++) {
        kept_block *block = &view->blocks.at[view->numbered];
        block->number = block->role == VIEW_OF_FRAME  ? steps
                        : steps == 0                  ? 0
                        : block->role == VIEW_OF_STEP ? steps - 1
                                                      : toc_view_coder_surface_of(view->coder, steps - 1);
    }
}

static void forget_steps_before(toc_view *view, size_t first) {
    const size_t surface = toc_view_coder_surface_of(view->coder, first);
    view->first_step = first;
    for (size_t i = view->first_live; i < view->blocks.count; i++) {
        kept_block *block = &view->blocks.at[i];
        if (block->number < (block->role == VIEW_OF_SURFACE ? surface : first)) forget_block(view, block);
    }
    while (view->first_live < view->blocks.count && !view->blocks.at[view->first_live].kept) view->first_live++;
}

static void keep_limit(toc_view *view) {
    const size_t steps = toc_view_coder_step_count(view->coder);
    while (view->bytes > view->options.memory && view->first_step + 1 < steps)
        forget_steps_before(view, view->first_step + 1);
}

// ---- steps

/// The distance below which all near pairs are: the largest that counted as near, since a result does not tell that of
/// its question.
static double largest_distance(const toc_near *near) {
    double largest = 0;
    for (size_t i = 0; near && i < near->count; i++)
        if (near->pairs[i].thickness > largest) largest = near->pairs[i].thickness;
    return largest;
}

static view_step step_of(const toc_view *view, const toc_view_step *step) {
    view_step out = {.unasked = !step || !step->contacts, .frame = {.name = view->title, .time = NAN}};
    if (!step) return out;
    if (step->contacts) {
        out.count = step->contacts->count;
        out.contacts = step->contacts->contacts;
        out.result = step->contacts;
    }
    out.overlaps = step->overlaps;
    out.near = step->near;
    out.distance = largest_distance(step->near);
    out.frame.time = step->time;
    out.frame.field_count = (size_t)step->field_count;
    out.frame.fields = step->fields;
    return out;
}

static toc_status begin_coder(toc_view *view, const toc_scene *scene) {
    const view_store store = {.put = put_block, .user = view};
    const view_frame first = {.name = view->title, .time = NAN};
    if (view->coder) return TOC_OK;
    TOC_TRY(toc_view_coder_create(&view->allocator, store, scene, (int)view->options.up, view->title, &first,
                                  &view->coder));
    number_blocks(view);
    return TOC_OK;
}

static toc_status add_step(toc_view *view, const toc_scene *scene, const view_step *step) {
    const bool is_first = !view->coder;
    toc_status status = begin_coder(view, scene);
    if (status == TOC_OK) status = toc_view_coder_add_step(view->coder, scene, step);
    if (status == TOC_OK) {
        number_blocks(view);
        keep_limit(view);
        return TOC_OK;
    }
    if (is_first) {
        toc_view_coder_destroy(view->coder);
        view->coder = NULL;
        view->numbered = 0;
    }
    while (view->blocks.count > view->numbered) forget_block(view, &view->blocks.at[--view->blocks.count]);
    return status;
}

toc_status toc_view_add_step(toc_view *view, const toc_scene *scene, const toc_view_step *step) {
    TOC_NEED(view);
    TOC_NEED(scene);
    if (step && step->field_count && !step->fields) return toc_fail(TOC_BAD_INPUT, "the fields are NULL");
    const view_step shown = step_of(view, step);
    pthread_mutex_lock(&view->lock);
    const toc_status status = add_step(view, scene, &shown);
    pthread_mutex_unlock(&view->lock);
    if (status == TOC_OK) toc_view_server_wake(view->server);
    return status;
}

// ---- answers

static void release_text(void *owner) {
    view_text *text = owner;
    const toc_allocator allocator = text->allocator;
    toc_view_text_free(text);
    toc_free(&allocator, text, 1, sizeof *text);
}

// The steps that a page does not have yet. With the lock held.
static void write_steps(const toc_view *view, size_t steps, size_t surfaces, view_text *to) {
    if (!view->coder) {
        toc_view_text_print(to, "{\"layout\":2,\"live\":{\"ended\":%s}}", view->ended ? "true" : "false");
        return;
    }
    const size_t first = view->first_step, step = steps > first ? steps : first;
    const size_t frame = steps > 0 && steps + 1 > first ? steps + 1 : first;
    const size_t oldest = toc_view_coder_step_count(view->coder) ? toc_view_coder_surface_of(view->coder, first) : 0;
    const size_t surface = surfaces > oldest ? surfaces : oldest;
    char more[200];
    snprintf(more, sizeof more, ",\"live\":{\"first\":%zu,\"frame\":%zu,\"step\":%zu,\"surface\":%zu,\"ended\":%s}",
             first, frame, step, surface, view->ended ? "true" : "false");
    toc_view_coder_write(view->coder, frame, step, surface, more, to);
}

static bool answer_steps(toc_view *view, size_t steps, size_t surfaces, bool now, view_reply *out) {
    const size_t known = view->coder ? toc_view_coder_step_count(view->coder) : 0;
    if (known <= steps && !view->ended && !now) return false;
    *out = toc_view_reply_words("500 Internal Server Error");
    view_text *text = toc_new(&view->allocator, 1, sizeof *text);
    if (!text) return true;
    *text = toc_view_text_make(&view->allocator);
    write_steps(view, steps < known ? steps : known, surfaces, text);
    if (text->status != TOC_OK) {
        release_text(text);
        return true;
    }
    *out = (view_reply){.status = "200 OK",
                        .type = "application/json",
                        .bytes = text->bytes.at,
                        .file = -1,
                        .size = text->bytes.count,
                        .release = release_text,
                        .owner = text};
    return true;
}

static view_reply answer_block(const toc_view *view, size_t number) {
    if (number >= view->blocks.count) return toc_view_reply_words("404 Not Found");
    kept_bytes *kept = view->blocks.at[number].kept;
    if (!kept) return toc_view_reply_words("410 Gone");
    kept->holders++;
    return (view_reply){.status = "200 OK",
                        .type = "application/octet-stream",
                        .bytes = kept->bytes,
                        .file = -1,
                        .size = kept->size,
                        .release = release_bytes,
                        .owner = kept};
}

// The page with a word that makes it ask for steps.
static view_reply answer_page(const toc_view *view) {
    size_t size;
    const char *page = toc_view_page_bytes(&size), *rest = toc_bytes_find(page, size, mark, sizeof mark - 1);
    view_text *text = toc_new(&view->allocator, 1, sizeof *text);
    if (!text) return toc_view_reply_words("500 Internal Server Error");
    *text = toc_view_text_make(&view->allocator);
    toc_view_text_put(text, page, (size_t)(rest - page));
    toc_view_text_put(text, live, sizeof live - 1);
    toc_view_text_put(text, rest, size - (size_t)(rest - page));
    return (view_reply){.status = text->status == TOC_OK ? "200 OK" : "500 Internal Server Error",
                        .type = "text/html; charset=utf-8",
                        .bytes = text->bytes.at,
                        .file = -1,
                        .size = text->status == TOC_OK ? text->bytes.count : 0,
                        .release = release_text,
                        .owner = text};
}

// Whether a path begins with the secret. All its characters are compared, so that time tells nothing of them.
static bool has_secret(const toc_view *view, const char *path) {
    const size_t length = 2 * SECRET_BYTES;
    if (strlen(path) < length + 2 || path[0] != '/' || path[length + 1] != '/') return false;
    int different = 0;
    for (size_t i = 0; i < length; i++) different |= path[i + 1] ^ view->secret[i];
    return different == 0;
}

// Two numbers, or one, and nothing behind them.
static bool read_numbers(const char *text, int count, size_t *out) {
    for (int i = 0; i < count; i++) {
        char *end;
        out[i] = strtoull(text, &end, 10);
        if (end == text || *text < '0' || *text > '9' || *end != (i + 1 < count ? '/' : 0)) return false;
        text = end + 1;
    }
    return true;
}

static bool answer_path(void *user, const char *path, bool now, view_reply *out) {
    toc_view *view = user;
    size_t numbers[2];
    bool answered = true;
    *out = toc_view_reply_words("404 Not Found");
    if (!has_secret(view, path)) return true;
    const char *rest = path + 2 * SECRET_BYTES + 2;
    pthread_mutex_lock(&view->lock);
    view->seen = toc_seconds();
    if (*rest == 0)
        *out = answer_page(view);
    else if (strncmp(rest, "blocks/", 7) == 0 && read_numbers(rest + 7, 1, numbers))
        *out = answer_block(view, numbers[0]);
    else if (strncmp(rest, "steps/", 6) == 0 && read_numbers(rest + 6, 2, numbers))
        answered = answer_steps(view, numbers[0], numbers[1], now, out);
    pthread_mutex_unlock(&view->lock);
    return answered;
}

static void watch_pages(void *user, size_t waiting, bool left) {
    toc_view *view = user;
    const double now = toc_seconds();
    pthread_mutex_lock(&view->lock);
    if (waiting)
        view->seen = now;
    else if (left)
        view->seen = fmin(view->seen, now - grace + reload);
    view->waiting = waiting;
    pthread_mutex_unlock(&view->lock);
}

toc_view_info toc_view_get_info(const toc_view *view) {
    if (!view) return (toc_view_info){.address = NULL};
    pthread_mutex_t *lock = (pthread_mutex_t *)&view->lock;
    pthread_mutex_lock(lock);
    const bool is_watched = view->waiting > 0 || toc_seconds() - view->seen < grace;
    pthread_mutex_unlock(lock);
    return (toc_view_info){.address = view->address, .is_watched = is_watched};
}

bool toc_view_wait(toc_view *view, double seconds) {
    if (!view) return false;
    for (int open = 1; open >= 0; open--) {
        const double end = toc_seconds() + seconds;
        while (toc_view_is_watched(view) != (open == 1)) {
            if (toc_seconds() >= end) return false;
            nanosleep(&(struct timespec){.tv_nsec = 50 * 1000 * 1000}, NULL);
        }
    }
    return true;
}

// ---- life

static const toc_view_options default_options = {.up = 2, .memory = (uint64_t)1 << 30};
static const toc_settings options_settings = {.init = "toc_view_options_init",
                                              .oldest = sizeof(toc_view_options),
                                              .size = sizeof(toc_view_options),
                                              .defaults = &default_options};

toc_status toc_view_options_init(toc_view_options *options, size_t size) {
    return toc_settings_init(&options_settings, options, size);
}

static toc_status make_secret(toc_view *view) {
    unsigned char bytes[SECRET_BYTES];
    if (!toc_random_bytes(bytes, sizeof bytes)) return toc_fail(TOC_INTERNAL, "the system gives no random numbers");
    for (size_t i = 0; i < sizeof bytes; i++) snprintf(view->secret + 2 * i, 3, "%02x", bytes[i]);
    return TOC_OK;
}

static void *serve(void *user) {
    toc_view *view = user;
    toc_view_server_run(view->server);
    return NULL;
}

static toc_status start_thread(toc_view *view) {
    toc_signals signals;
    toc_signals_block(&signals);
    const int error = pthread_create(&view->thread, NULL, serve, view);
    toc_signals_restore(&signals);
    if (error) return toc_fail(TOC_OUT_OF_MEMORY, "no thread can be started: error %d", error);
    view->has_thread = true;
    return TOC_OK;
}

static toc_status open_view(toc_view *view) {
    const view_site site = {.answer = answer_path, .watch = watch_pages, .user = view};
    size_t size;
    const char *page = toc_view_page_bytes(&size);
    if (!page || !toc_bytes_find(page, size, mark, sizeof mark - 1))
        return toc_fail(TOC_BAD_INPUT, "this build has no page: install nodejs and npm, and run ./run build again");
    if (view->options.up > 2) return toc_fail(TOC_BAD_INPUT, "up is 0, 1 or 2, not %u", view->options.up);
    TOC_TRY(make_secret(view));
    TOC_TRY(toc_view_server_open(&view->allocator, view->options.port, &site, &view->server));
    snprintf(view->address, sizeof view->address, "http://127.0.0.1:%u/%s/", toc_view_server_port(view->server),
             view->secret);
    return start_thread(view);
}

toc_status toc_view_open(const toc_view_options *options, toc_view **out) {
    TOC_NEED(out);
    toc_view_options taken = default_options;
    if (options) TOC_TRY(toc_settings_take(&options_settings, options, &taken));
    const toc_allocator allocator = toc_allocator_or_default(taken.allocator);
    toc_view *view = toc_new(&allocator, 1, sizeof *view);
    if (!view) return TOC_OUT_OF_MEMORY;
    view->allocator = allocator;
    view->options = taken;
    view->seen = -INFINITY;
    snprintf(view->title, sizeof view->title, "%s", taken.title ? taken.title : "live");
    view->options.title = view->title;
    pthread_mutex_init(&view->lock, NULL);
    const toc_status status = open_view(view);
    if (status == TOC_OK)
        *out = view;
    else
        toc_view_close(view);
    return status;
}

void toc_view_close(toc_view *view) {
    if (!view) return;
    pthread_mutex_lock(&view->lock);
    view->ended = true;
    pthread_mutex_unlock(&view->lock);
    if (view->has_thread) {
        toc_view_server_stop(view->server);
        pthread_join(view->thread, NULL);
    }
    toc_view_server_close(view->server);
    toc_view_coder_destroy(view->coder);
    for (size_t i = 0; i < view->blocks.count; i++) forget_block(view, &view->blocks.at[i]);
    const toc_allocator allocator = view->allocator;
    toc_array_free(&allocator, &view->blocks);
    pthread_mutex_destroy(&view->lock);
    toc_free(&allocator, view, 1, sizeof *view);
}
