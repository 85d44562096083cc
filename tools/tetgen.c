// SPDX-License-Identifier: Apache-2.0
// TetGen as a separate process, with limits of time and memory. Its licence (AGPL) forbids linking it.
#include "tools/tetgen.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/status.h"
#include "tools/output.h"
#include "tools/process.h"
#include "tools/temporary.h"

// ---- the temporary folder

static const char *const leavings[] = {"in.off",     "in.1.node", "in.1.ele", "in.1.face",       "in.1.edge",
                                       "in.1.smesh", "in.node",   "in.poly",  "in_skipped.node", "in_skipped.face"};

static void remove_folder(const char *folder) {
    char file[4096 + 32];
    for (size_t i = 0; i < sizeof leavings / sizeof *leavings; i++) {
        snprintf(file, sizeof file, "%s/%s", folder, leavings[i]);
        unlink(file);
    }
    rmdir(folder);
}

// ---- the process

/// In the child: limits, silence, and the program.
static void become_tetgen(const char *folder, const char *options, const tool_tetgen_limits *limits) {
    const rlim_t seconds = (rlim_t)ceil(limits->seconds);
    const int nowhere = open("/dev/null", O_RDWR);
    setrlimit(RLIMIT_AS, &(struct rlimit){limits->memory, limits->memory});
    setrlimit(RLIMIT_CPU, &(struct rlimit){seconds, seconds + 1});
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    if (chdir(folder) != 0 || nowhere < 0) _exit(126);
    dup2(nowhere, 0), dup2(nowhere, 1), dup2(nowhere, 2);
    signal(SIGINT, SIG_DFL);
    execlp("tetgen", "tetgen", options, "in.off", (char *)NULL);
    _exit(127);
}

static toc_status explain_end(const tool_process_end *end, const tool_tetgen_limits *limits) {
    const int status = end->status;
    if (end->late || (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU))
        return tool_fail(TOC_BAD_INPUT, "tetgen took longer than %g s and was stopped", limits->seconds);
    if (WIFSIGNALED(status))
        return tool_fail(TOC_BAD_INPUT,
                         "tetgen ended by signal %d: surfaces that cross themselves do that, and too "
                         "little memory (%g GB were allowed)",
                         WTERMSIG(status), 1e-9 * (double)limits->memory);
    if (WEXITSTATUS(status) == 127)
        return tool_fail(TOC_BAD_INPUT, "tetgen cannot be run; on Debian: apt-get install tetgen");
    return tool_fail(TOC_BAD_INPUT, "tetgen failed with the code %d: it takes closed surfaces that do not cross",
                     WEXITSTATUS(status));
}

static toc_status run_in(const char *folder, const char *options, const tool_tetgen_limits *limits) {
    const pid_t child = fork();
    if (child < 0) return tool_fail(TOC_BAD_INPUT, "tetgen cannot be started: %s", strerror(errno));
    if (child == 0) become_tetgen(folder, options, limits);
    tool_process_end end;
    const toc_status status = tool_process_wait("tetgen", child, limits->seconds, &end);
    if (status != TOC_OK || tool_process_succeeded(&end)) return status;
    return explain_end(&end, limits);
}

// ---- surface and tets

static double enclosed_volume(const toc_mesh *surface) {
    const double *x = toc_mesh_get_x1(surface);
    double six = 0;
    for (uint32_t e = 0; e < toc_mesh_get_element_count(surface); e++) {
        const toc_element t = toc_mesh_get_element(surface, e);
        if (t.shape != TOC_TRIANGLE) continue;
        const double *a = x + 3 * (size_t)t.corners[0], *b = x + 3 * (size_t)t.corners[1];
        const double *c = x + 3 * (size_t)t.corners[2];
        six += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
               a[2] * (b[0] * c[1] - b[1] * c[0]);
    }
    return fabs(six) / 6;
}

static size_t count_tets(const toc_mesh *mesh) {
    size_t count = 0;
    for (uint32_t e = 0; e < toc_mesh_get_element_count(mesh); e++)
        count += toc_mesh_get_element(mesh, e).shape == TOC_TET;
    return count;
}

static toc_status read_tets(const char *folder, toc_mesh **out) {
    char file[4096 + 16];
    toc_mesh *mesh;
    snprintf(file, sizeof file, "%s/in.1.ele", folder);
    if (access(file, R_OK) != 0) return tool_fail(TOC_BAD_INPUT, "tetgen wrote no tetrahedra");
    TOC_TRY(toc_mesh_read(file, NULL, &mesh));
    if (count_tets(mesh) == 0) {
        toc_mesh_destroy(mesh);
        return tool_fail(TOC_BAD_INPUT, "tetgen wrote no tetrahedra");
    }
    *out = mesh;
    return TOC_OK;
}

/// Fill the surface as it is (-pY); if that gives too few tets, again with a largest volume (-q -a).
static toc_status fill_surface(const char *folder, const toc_mesh *surface, size_t tets,
                               const tool_tetgen_limits *limits, toc_mesh **out) {
    assert(tets > 0);
    char options[64];
    toc_status status = run_in(folder, "-pYQ", limits);
    if (status == TOC_OK) status = read_tets(folder, out);
    if (status != TOC_OK || count_tets(*out) >= tets) return status;
    toc_mesh_destroy(*out);
    *out = NULL;
    // Tets of a volume bound are about half as large on average.
    snprintf(options, sizeof options, "-pYQq1.6a%.12f", 2 * enclosed_volume(surface) / (double)tets);
    status = run_in(folder, options, limits);
    return status == TOC_OK ? read_tets(folder, out) : status;
}

toc_status tool_tetgen_run(const toc_mesh *surface, size_t tets, const tool_tetgen_limits *limits, toc_mesh **out) {
    char folder[4096], file[4096 + 16];
    toc_status status = tool_temporary_make(folder);
    if (status != TOC_OK) return status;
    snprintf(file, sizeof file, "%s/in.off", folder);
    status = toc_mesh_write(file, surface, TOC_AT_END);
    if (status == TOC_OK) status = fill_surface(folder, surface, tets, limits, out);
    remove_folder(folder);
    return status;
}
