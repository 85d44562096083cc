// SPDX-License-Identifier: Apache-2.0
// Write a page: the viewer up to its mark, blocks as base64, the object, the rest of the viewer. O(bytes); no block is
// held in memory.
#include "tools/page.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/platform/platform.h"
#include "src/io/core/base64.h"
#include "tools/page_serve.h"
#include "tools/progress.h"
#include "view/page_bytes.h"

static const char mark[] = "<!--toccata-data-->", engine_element[] = "id=\"toccata-engine\">";

// Browsers hold a text of 2^29 characters at most, and a page of a gigabyte barely.
static const uint64_t most_of_block = (uint64_t)400 << 20, most_of_page = (uint64_t)1 << 30;

struct tool_page {
    char *path, *passing; // the name until the page is complete; the path itself for a device; NULL both if served
    FILE *file;
    const char *viewer, *rest; // the viewer; its rest behind the mark
    size_t viewer_size;
    uint64_t size;
    size_t count;
    tool_block *blocks; // of a served page
    char *head;         // of a served page: all but the blocks
    size_t head_size;
    toc_status status; // the first failure
};

static toc_status page_fail(tool_page *page) {
    const int error = errno;
    const bool full = toc_error_is_full(error);
    const char *name = page->path ? page->path : "a temporary file";
    return tool_fail(full ? TOC_DISK_FULL : TOC_BAD_INPUT, "%s: cannot be written: %s", name, strerror(error));
}

static void page_put(tool_page *page, const void *bytes, size_t count) {
    assert(bytes || count == 0);
    page->size += count;
    if (page->status == TOC_OK && fwrite(bytes, 1, count, page->file) != count) page->status = page_fail(page);
}

static void page_text(tool_page *page, const char *text) { page_put(page, text, strlen(text)); }

static toc_status find_viewer(tool_page *page) {
    page->viewer = toc_view_page_bytes(&page->viewer_size);
    if (!page->viewer)
        return tool_fail(TOC_BAD_INPUT, "this build has no viewer: install nodejs and npm, and run ./run build again");
    page->rest = toc_bytes_find(page->viewer, page->viewer_size, mark, sizeof mark - 1);
    return page->rest ? TOC_OK : tool_fail(TOC_INTERNAL, "the viewer has no mark for the data");
}

toc_status tool_page_check_engine(void) {
    size_t size;
    const char *viewer = toc_view_page_bytes(&size);
    if (!viewer || toc_bytes_find(viewer, size, engine_element, sizeof engine_element - 1)) return TOC_OK;
    return tool_fail(
        TOC_BAD_INPUT,
        "the page of this build has no engine, and without frames it could do nothing: give frames, or install "
        "clang-14, lld-14 and wasi-libc and run ./run build again");
}

static toc_status open_file(tool_page *page, const char *path) {
    toc_file_facts about;
    const bool device = toc_path_facts(path, &about) && about.kind != TOC_FILE_PLAIN;
    page->path = strdup(path);
    if (!page->path) return tool_fail_memory();
    if (asprintf(&page->passing, device ? "%s" : "%s.%lu~", path, toc_process_number()) < 0) {
        page->passing = NULL;
        return tool_fail_memory();
    }
    if (!device) tool_stop_removes(page->passing);
    page->file = toc_stream_open(page->passing, "wb");
    return page->file ? TOC_OK : page_fail(page);
}

static toc_status page_open(tool_page *page, const char *path) {
    toc_status status = find_viewer(page);
    if (status != TOC_OK) return status;
    if (path) {
        status = open_file(page, path);
        if (status == TOC_OK) page_put(page, page->viewer, (size_t)(page->rest - page->viewer));
    } else {
        page->file = toc_temporary_open_stream(NULL);
        if (!page->file) status = page_fail(page);
    }
    return status != TOC_OK ? status : page->status;
}

toc_status tool_page_begin(const char *path, tool_page **out) {
    assert(out);
    tool_page *page = calloc(1, sizeof *page);
    if (!page) return tool_fail_memory();
    const toc_status status = page_open(page, path);
    if (status == TOC_OK) {
        *out = page;
    } else {
        tool_page_destroy(page);
    }
    return status;
}

static void put_base64(tool_page *page, const uint8_t *bytes, size_t count) {
    enum { PIECE = 3072 };
    char text[PIECE / 3 * 4];
    for (size_t i = 0; i < count; i += PIECE) {
        const size_t left = count - i, taken = left < PIECE ? left : PIECE;
        toc_base64_encode(bytes + i, taken, text);
        page_put(page, text, toc_base64_length(taken));
    }
}

static void put_element(tool_page *page, const void *bytes, size_t size) {
    char open[80];
    snprintf(open, sizeof open, "<script type=\"text/plain\" id=\"toccata-block-%zu\">", page->count);
    page_text(page, open);
    put_base64(page, bytes, size);
    page_text(page, "</script>\n");
}

// The numbers of the blocks grow by doubling.
static void keep_block(tool_page *page, const void *bytes, size_t size) {
    if ((page->count & (page->count - 1)) == 0) {
        tool_block *grown = realloc(page->blocks, 2 * (page->count + 1) * sizeof *grown);
        if (!grown) {
            page->status = tool_fail_memory();
            return;
        }
        page->blocks = grown;
    }
    page->blocks[page->count] = (tool_block){.first = page->size, .size = size};
    page_put(page, bytes, size);
}

static toc_status check_size(const tool_page *page, uint64_t size) {
    if (!page->path || (size <= most_of_block && page->size + size / 3 * 4 <= most_of_page)) return TOC_OK;
    return tool_fail(TOC_BAD_INPUT,
                     "%s: the page would take more than %.1f GB, which no browser opens; use --serve instead of --out",
                     page->path, 1e-9 * (double)(page->size + size / 3 * 4));
}

static toc_status put_block(void *user, view_role role, size_t size, const void *numbers, size_t *block) {
    tool_page *page = user;
    (void)role;
    assert(numbers || !size);
    if (page->status == TOC_OK) page->status = check_size(page, size);
    if (page->status != TOC_OK) return page->status;
    if (page->path) {
        put_element(page, numbers, size);
    } else {
        keep_block(page, numbers, size);
    }
    *block = page->count++;
    return page->status;
}

view_store tool_page_store(tool_page *page) { return (view_store){.put = put_block, .user = page}; }

uint64_t tool_page_size(const tool_page *page) { return page->size; }

static void write_object(FILE *out, const char *text) {
    if (text) fprintf(out, "<script type=\"application/json\" id=\"toccata-data\">%s</script>\n", text);
}

static toc_status write_rest(FILE *out, const tool_page *page) {
    const size_t before = (size_t)(page->rest - page->viewer) + sizeof mark - 1, size = page->viewer_size - before;
    return fwrite(page->viewer + before, 1, size, out) == size && !ferror(out) ? TOC_OK : TOC_BAD_INPUT;
}

static void forget_passing(tool_page *page) {
    tool_stop_removes(NULL);
    free(page->passing);
    page->passing = NULL;
}

static toc_status finish_file(tool_page *page, const char *text) {
    errno = 0;
    write_object(page->file, text);
    if (write_rest(page->file, page) != TOC_OK || fflush(page->file) != 0) return page_fail(page);
    page->size = (uint64_t)ftell(page->file);
    const int closed = fclose(page->file);
    page->file = NULL;
    if (closed != 0) return page_fail(page);
    if (strcmp(page->path, page->passing) != 0 && !toc_path_replace(page->passing, page->path)) return page_fail(page);
    forget_passing(page);
    return TOC_OK;
}

static toc_status finish_head(tool_page *page, const char *text) {
    FILE *out = toc_stream_open_text(&page->head, &page->head_size);
    if (!out) return tool_fail_memory();
    fwrite(page->viewer, 1, (size_t)(page->rest - page->viewer), out);
    write_object(out, text);
    const toc_status status = write_rest(out, page);
    if (!toc_stream_close_text(out, &page->head, &page->head_size) || status != TOC_OK) return tool_fail_memory();
    return fflush(page->file) == 0 ? TOC_OK : page_fail(page);
}

toc_status tool_page_write(tool_page *page, const char *object) {
    if (page->status != TOC_OK) return page->status;
    return page->path ? finish_file(page, object) : finish_head(page, object);
}

void tool_page_destroy(tool_page *page) {
    if (!page) return;
    if (page->file) fclose(page->file);
    if (page->passing && page->path && strcmp(page->path, page->passing) != 0) toc_path_remove(page->passing);
    forget_passing(page);
    free(page->path);
    free(page->blocks);
    free(page->head);
    free(page);
}

toc_status tool_page_serve(tool_page *page, size_t port) {
    assert(page->head && !page->path);
    const tool_site site = {.head = page->head,
                            .head_size = page->head_size,
                            .file = toc_stream_number(page->file),
                            .block_count = page->count,
                            .blocks = page->blocks};
    return tool_site_serve(&site, port);
}
