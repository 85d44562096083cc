// SPDX-License-Identifier: Apache-2.0
// Common tests of file formats. Files given as bytes: read, truncated, garbled, starved of memory.
#ifndef TOC_TEST_READING_H
#define TOC_TEST_READING_H

#include "support/meshes.h"

/// Read bytes as the file of this name; the test fails if they cannot be read. Destroy the mesh.
toc_mesh *test_read(const char *name, const void *bytes, size_t count);
/// Reading must be refused with these words and the file's name, and leave nothing allocated.
void test_read_refused(const char *name, const void *bytes, size_t count, const char *words);
/// Truncate a small file after every byte, or a large one at about 200 places: each must be read or refused with
/// the file's name. @return the number of files that were read.
size_t test_read_cut(const char *name, const void *bytes, size_t count);
/// Change bytes at random, `rounds` times: each file must be read or refused likewise.
void test_read_garbled(const char *name, const void *bytes, size_t count, int rounds);
/// Fail each allocation in turn.
void test_read_starved(const char *name, const void *bytes, size_t count);

/// Read a whole file; free the bytes.
char *test_file_read(const char *path, size_t *count);
/// Read a file of a format's fuzzing corpus: its bytes, to be freed, or its mesh, to be destroyed.
char *test_corpus_read(const char *format, const char *name, size_t *count);
toc_mesh *test_corpus_mesh(const char *format, const char *name);

/// Write the mesh under this name, read it again, and compare everything, groups and thicknesses too.
void test_round_trip(const toc_mesh *mesh, const char *name);
/// A mesh of every shape, with coordinates that need all their digits; groups and thicknesses on request.
toc_mesh *test_every_shape(bool data);

/// An XML text with this beginning and deeper nesting than any real file; the next call overwrites it.
const char *test_nested_xml(const char *begin);

/// Open a file of frames with their velocities; the mesh of the first one.
toc_mesh *test_sequence_first(const char *path, toc_sequence **sequence);
/// Read a sequence from its first frame to its last, for test_every_allocation; user is its path.
toc_status test_play(const toc_allocator *allocator, void *user);
/// Change bytes of a sequence's file at random, `rounds` times: it must be read, or refused with the name of a file in
/// its folder.
void test_play_garbled(const char *path, const void *bytes, size_t count, int rounds);

#endif
