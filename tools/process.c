// SPDX-License-Identifier: Apache-2.0
// Other programs as child processes.
#include "tools/process.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tools/output.h"
#include "tools/progress.h"

bool tool_process_find(const char *program, char file[TOOL_PROCESS_PATH]) {
    assert(program && *program);
    const char *path = getenv("PATH");
    for (const char *end; path && *path; path = *end ? end + 1 : end) {
        end = path + strcspn(path, ":");
        snprintf(file, TOOL_PROCESS_PATH, "%.*s/%s", (int)(end - path), path, program);
        if (access(file, X_OK) == 0) return true;
    }
    return false;
}

toc_status tool_process_wait(const char *name, pid_t child, double seconds, tool_process_end *out) {
    assert(child > 0 && out);
    const double start = tool_seconds();
    pid_t ended;
    out->late = false;
    while ((ended = waitpid(child, &out->status, WNOHANG)) == 0) {
        out->late = tool_seconds() - start > seconds;
        if (out->late || tool_stop_signal()) {
            kill(-child, SIGKILL); // no such group for most
            kill(child, SIGKILL);
            waitpid(child, &out->status, 0);
            return tool_stop_signal() ? TOC_STOPPED : TOC_OK;
        }
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
    return ended < 0 ? tool_fail(TOC_BAD_INPUT, "%s: %s", name, strerror(errno)) : TOC_OK;
}

bool tool_process_succeeded(const tool_process_end *end) {
    return !end->late && WIFEXITED(end->status) && WEXITSTATUS(end->status) == 0;
}
