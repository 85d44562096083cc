// SPDX-License-Identifier: Apache-2.0
// The report of check and overlaps as one HTML file: the first contact of each pair of parts with a picture,
// penetrations, the contacts of each step, and what was asked. It needs no network, and prints on paper.
#ifndef TOOLS_CHECK_HTML_H
#define TOOLS_CHECK_HTML_H

#include "tools/check.h"
#include "tools/picture.h"

typedef struct check_html check_html;

/// Keep the words of the command line for the report.
void check_html_note_words(int count, char **words);

/// Refuse a path that is no .html.
toc_status check_html_check(const char *path);
toc_status check_html_create(check_html **out);
void check_html_destroy(check_html *html);
/// Note a step: pairs of parts that touch for the first time are drawn now, while the bodies are there.
/// @param query for the overlaps at the start.
toc_status check_html_step(check_html *html, const check_session *all, const toc_query *query,
                           const check_step_result *result);
/// Write the report. The file appears whole or not at all.
toc_status check_html_write(const char *path, const check_html *html, const check_session *all);

#endif
