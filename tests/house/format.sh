#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every C file is formatted as .clang-format says: sh format.sh SOURCE_DIR. `./run format` puts it right.
set -eu
cd "$1"
command -v clang-format-14 >/dev/null || { echo "no clang-format-14"; exit 77; }
find src include tests tools scenes bench -name '*.[ch]' 2>/dev/null | xargs clang-format-14 --dry-run -Werror
