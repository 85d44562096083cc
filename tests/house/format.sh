#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every C file has the format of .clang-format: sh format.sh SOURCE_DIR. `./run format` formats all files.
set -eu
cd "$1"
command -v clang-format-14 >/dev/null || { echo "no clang-format-14"; exit 77; }
find src sim mpi include tests tools scenes bench wasm -name '*.[ch]' 2>/dev/null | xargs clang-format-14 --dry-run -Werror
