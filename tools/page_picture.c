// SPDX-License-Identifier: Apache-2.0
// Chromium draws the page as a person sees it, with its software renderer: the picture needs no screen and no graphics
// processor. Its clock is virtual, so that the picture is taken when nothing is left to do, not after a time.
#include "tools/page_picture.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/status.h"
#include "tools/output.h"
#include "tools/process.h"

static const double most_seconds = 600;
static const char *const browsers[] = {"chromium", "chromium-browser", "google-chrome-stable", "google-chrome"};

enum { LONGEST_LINK = 4000, MOST_PIXELS = 8192 };

// ---- the browser

static toc_status find_browser(char found[TOOL_PROCESS_PATH]) {
    const char *given = getenv("TOCCATA_BROWSER");
    if (given && *given) {
        snprintf(found, TOOL_PROCESS_PATH, "%s", given);
        if (access(found, X_OK) == 0) return TOC_OK;
        return tool_fail(TOC_BAD_INPUT, "%s, of TOCCATA_BROWSER: cannot be run: %s", given, strerror(errno));
    }
    for (size_t i = 0; i < sizeof browsers / sizeof *browsers; i++)
        if (tool_process_find(browsers[i], found)) return TOC_OK;
    return tool_fail(TOC_BAD_INPUT,
                     "--png needs Chromium or Chrome (Debian: apt-get install chromium); --plain draws without");
}

// The address of a file, with all but plain characters as %XX; the caller frees it.
static char *make_address(const char *path, const char *link) {
    static const char digits[] = "0123456789ABCDEF";
    char *encoded = malloc(3 * strlen(path) + 1), *to = encoded, *address = NULL;
    if (!encoded) return NULL;
    for (; *path; path++) {
        const unsigned char c = (unsigned char)*path;
        if (strchr("/-_.~", c) || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z')) {
            *to++ = *path;
        } else {
            *to++ = '%';
            *to++ = digits[c >> 4];
            *to++ = digits[c & 15];
        }
    }
    *to = 0;
    if (asprintf(&address, "file://%s#bare=1&%s", encoded, link ? link : "") < 0) address = NULL;
    free(encoded);
    return address;
}

// In the child: silence, a process group to end as a whole, and the program.
static void become_browser(const char *browser, const tool_page_picture *picture, const char *address) {
    char profile[TOOL_TEMPORARY_PATH + 40], size[60], out[TOOL_TEMPORARY_PATH + 40];
    const int nowhere = open("/dev/null", O_RDWR);
    if (nowhere < 0) _exit(126);
    dup2(nowhere, 0), dup2(nowhere, 1), dup2(nowhere, 2);
    setpgid(0, 0);
    signal(SIGINT, SIG_DFL);
    snprintf(profile, sizeof profile, "--user-data-dir=%s/profile", picture->folder);
    snprintf(size, sizeof size, "--window-size=%zu,%zu", picture->width, picture->height);
    snprintf(out, sizeof out, "--screenshot=%s/picture.png", picture->folder);
    // Root has no sandbox in Chromium. The page is our own.
    execl(browser, browser, "--headless", geteuid() == 0 ? "--no-sandbox" : "--no-first-run", profile, size, out,
          "--hide-scrollbars", "--force-device-scale-factor=1", "--use-angle=swiftshader",
          "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist", "--virtual-time-budget=5000", address, (char *)NULL);
    _exit(127);
}

static toc_status wait_for_browser(pid_t child, const char *browser) {
    tool_process_end end;
    const toc_status status = tool_process_wait(browser, child, most_seconds, &end);
    if (status != TOC_OK || tool_process_succeeded(&end)) return status;
    if (end.late) return tool_fail(TOC_BAD_INPUT, "%s took longer than %g s and was stopped", browser, most_seconds);
    return tool_fail(TOC_BAD_INPUT, "%s failed to draw the page; open the page of --out in a browser instead", browser);
}

// ---- the picture

toc_status tool_page_picture_begin(tool_page_picture *picture) {
    char browser[TOOL_PROCESS_PATH];
    if (picture->width < 16 || picture->height < 16 || picture->width > MOST_PIXELS || picture->height > MOST_PIXELS)
        return tool_fail(TOC_BAD_INPUT, "a picture of %zu x %zu pixels; --width and --height take 16 to %d",
                         picture->width, picture->height, MOST_PIXELS);
    const char *mark = picture->link ? strchr(picture->link, '#') : NULL;
    if (mark) picture->link = mark + 1; // a whole address
    if (picture->link && strlen(picture->link) > LONGEST_LINK)
        return tool_fail(TOC_BAD_INPUT, "--link has %zu characters; %d at most", strlen(picture->link), LONGEST_LINK);
    TOC_TRY(find_browser(browser));
    TOC_TRY(tool_temporary_make(picture->folder));
    snprintf(picture->page, sizeof picture->page, "%s/page.html", picture->folder);
    return TOC_OK;
}

static toc_status copy_picture(const char *from, const char *to, const char *browser) {
    static const char head[] = "\x89PNG";
    FILE *file = fopen(from, "rb");
    if (!file) return tool_fail(TOC_BAD_INPUT, "%s drew no picture", browser);
    fseek(file, 0, SEEK_END);
    const long size = ftell(file);
    rewind(file);
    char *bytes = malloc(size > 0 ? (size_t)size : 1);
    const bool whole = bytes && size > 8 && fread(bytes, 1, (size_t)size, file) == (size_t)size;
    toc_status status = bytes ? TOC_OK : tool_fail_memory();
    if (bytes && (!whole || memcmp(bytes, head, 4) != 0))
        status = tool_fail(TOC_BAD_INPUT, "%s drew no picture", browser);
    if (status == TOC_OK) status = tool_file_write(to, bytes, (size_t)size);
    free(bytes);
    fclose(file);
    return status;
}

static toc_status run_browser(const char *browser, const tool_page_picture *picture, const char *page) {
    char *whole = realpath(page, NULL);
    if (!whole) return tool_fail(TOC_BAD_INPUT, "%s: %s", page, strerror(errno));
    char *address = make_address(whole, picture->link);
    free(whole);
    if (!address) return tool_fail_memory();
    const pid_t child = fork();
    if (child == 0) become_browser(browser, picture, address);
    free(address);
    if (child < 0) return tool_fail(TOC_BAD_INPUT, "%s cannot be started: %s", browser, strerror(errno));
    return wait_for_browser(child, browser);
}

toc_status tool_page_picture_draw(const tool_page_picture *picture, const char *page, const char *path) {
    char browser[TOOL_PROCESS_PATH], drawn[TOOL_TEMPORARY_PATH + 16];
    toc_status status = find_browser(browser);
    if (status == TOC_OK) status = run_browser(browser, picture, page);
    snprintf(drawn, sizeof drawn, "%s/picture.png", picture->folder);
    return status == TOC_OK ? copy_picture(drawn, path, browser) : status;
}

static int remove_entry(const char *path, const struct stat *about, int kind, struct FTW *place) {
    (void)about, (void)kind, (void)place;
    remove(path);
    return 0;
}

void tool_page_picture_end(tool_page_picture *picture) {
    if (*picture->folder) nftw(picture->folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    *picture->folder = 0;
}
