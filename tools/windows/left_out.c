// SPDX-License-Identifier: Apache-2.0
// Parts of the command that Windows does not get: other programs as child processes.
#include <math.h>

#include "tools/output.h"
#include "tools/page_picture.h"
#include "tools/tetgen.h"

static toc_status leave_out(const char *what) {
    return tool_fail(TOC_BAD_INPUT, "%s is not in the command for Windows; see docs/platforms.md", what);
}

toc_status tool_page_picture_begin(tool_page_picture *picture) {
    (void)picture;
    return leave_out("--png");
}

toc_status tool_page_picture_draw(const tool_page_picture *picture, const char *page, const char *path) {
    (void)picture;
    (void)page;
    (void)path;
    return leave_out("--png");
}

void tool_page_picture_end(tool_page_picture *picture) { (void)picture; }

bool tool_tetgen_is_there(void) { return false; }

toc_status tool_tetgen_run(const toc_mesh *surface, size_t tets, const tool_tetgen_limits *limits, toc_mesh **out) {
    (void)surface;
    (void)tets;
    (void)limits;
    (void)out;
    return leave_out("TetGen");
}

static toc_status bench_run(int count, char **names) {
    (void)count;
    (void)names;
    return leave_out("bench");
}

const tool_command tool_bench = {
    .name = "bench",
    .forms = (const char *const[]){"", NULL},
    .what = "Measure tables of benchmarks; in the command for Linux alone.",
    .options = (const tool_option[]){{0}},
    .run = bench_run,
};
