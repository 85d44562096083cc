// SPDX-License-Identifier: Apache-2.0
// Functions of POSIX that wasi-libc lacks; wasm/stand_ins.c defines them. Included before every file.
#ifndef WASM_MISSING_H
#define WASM_MISSING_H

#include <sys/types.h>

int fchmod(int file, mode_t mode);
char *realpath(const char *path, char *out);
int mkostemp(char *path, int flags);
char *mkdtemp(char *path);
#define P_tmpdir "/tmp"

#endif
