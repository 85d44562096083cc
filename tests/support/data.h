// SPDX-License-Identifier: Apache-2.0
// Files of the published data, for tests and benchmarks. They lie in TOC_DATA if the environment has it, or in
// tests/data (small ones, part of the sources), data (fetched by `./run data`) or ../shared/data.
#ifndef TEST_DATA_H
#define TEST_DATA_H

/// The path of a file, by a name as in "frames/cloth-ball/end.ply", or NULL if it is absent. Valid for the next three
/// calls.
__attribute__((format(printf, 1, 2))) const char *test_data(const char *name, ...);
/// The same, but a path that cannot be opened for a file that is absent: for messages that name it.
__attribute__((format(printf, 1, 2))) const char *test_data_path(const char *name, ...);

#endif
