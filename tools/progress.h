// SPDX-License-Identifier: Apache-2.0
// How far the work is: a bar on standard error, for work longer than a second and people at a terminal only. The same
// call tells the work to stop after Ctrl-C.
#ifndef TOOLS_PROGRESS_H
#define TOOLS_PROGRESS_H

#include "tools/command.h"

/// Ctrl-C and SIGTERM ask the work to stop from here on; a second one ends the program at once.
void tool_stop_watch(void);
/// The signal that asked to stop, or 0.
int tool_stop_signal(void);

/// Work in `parts` equal parts begins, told by a word or two.
void tool_progress_start(const char *what, size_t parts);
/// The given part begins. TOC_STOPPED when the work should stop.
toc_status tool_progress_part(size_t part);
/// For the library: how far the part that has begun is.
toc_progress tool_progress(void);
/// Wipe the bar.
void tool_progress_end(void);

#endif
