// SPDX-License-Identifier: Apache-2.0
// Progress: a bar on standard error, shown only at a terminal and after one second. The same call stops the work after
// Ctrl-C.
#ifndef TOOLS_PROGRESS_H
#define TOOLS_PROGRESS_H

#include "tools/command.h"

/// Watch for Ctrl-C and SIGTERM. Between tool_progress_start and tool_progress_end they ask the work to stop, and a
/// second one ends the program; elsewhere, and while a file is read, they end the program at once.
void tool_stop_watch(void);
/// A file with a passing name, which goes if a signal ends the program; NULL for none. The text must stay.
void tool_stop_removes(const char *path);
/// A file that stays if the work stops or fails, because whole steps are in it; "" for none.
void tool_stop_keeps(const char *path);
/// The sentence after a stop, and the name that follows it, "" for none. Safe in a handler of signals.
const char *tool_stop_text(void);
const char *tool_stop_kept(void);
/// Reading begins, which may wait for a pipe. TOC_STOPPED if a signal came before.
toc_status tool_reading_begin(void);
void tool_reading_end(void);
/// The signal that asked to stop, or 0.
int tool_stop_signal(void);

/// Begin work in `parts` equal parts. @param what the label of the bar.
void tool_progress_start(const char *what, size_t parts);
/// Begin a part. @return TOC_STOPPED if the work should stop.
toc_status tool_progress_part(size_t part);
/// The library's callback for progress within the current part.
toc_progress tool_progress(void);
/// Wipe the bar until it is drawn again.
void tool_progress_hide(void);
/// Wipe the bar; the work has ended.
void tool_progress_end(void);

#endif
