// SPDX-License-Identifier: Apache-2.0
// Files that text files name to be read in their place.
#ifndef TOC_IO_CORE_INCLUDE_H
#define TOC_IO_CORE_INCLUDE_H

#include "io/core/source.h"

/// The identity of a file, for any of its names; 0, 0 for none.
typedef struct toc_file_id {
    uint64_t device, number;
} toc_file_id;

/// A file being read, and the one that included it.
typedef struct toc_include {
    toc_source source;
    const struct toc_include *parent; // NULL for the first
    int depth;
    toc_file_id id;
    char *path;
    size_t path_size;
} toc_include;

enum { TOC_INCLUDE_DEPTH = 16, TOC_INCLUDE_MOST = 10000 };

/// The files that a model or deck included so far.
typedef struct toc_include_list {
    TOC_ARRAY(toc_file_id) files;
} toc_include_list;

/// Note an included file. A failure names the current position of `from`. More than TOC_INCLUDE_MOST are refused.
/// @param again set if the file was included before.
toc_status toc_include_note(toc_include_list *list, const toc_include *from, const toc_include *file, bool *again);

/// The first file, whose source stays the caller's.
toc_include toc_include_begin(const toc_source *source);

/// Open a file that `from` names: relative to the folder of `from`, else to that of the first file. A failure names the
/// current position of `from`. Files that include themselves, and more than TOC_INCLUDE_DEPTH within each other, are
/// refused.
toc_status toc_include_open(const toc_include *from, toc_text name, toc_include *out);
/// Close it after reading ended with `status`.
/// @return the status; TOC_BAD_INPUT if that was TOC_OK but another program has changed the file meanwhile.
toc_status toc_include_close(toc_include *include, toc_status status);

#endif
