#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every header compiles alone, without a warning: the public ones as C11 and as C++17, the inner ones as C17.
# sh headers.sh SOURCE_DIR
set -eu
cd "$1"
strict='-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -fsyntax-only'
alone() { # alone HEADER COMPILER...
    header=$1
    shift
    # shellcheck disable=SC2086
    printf '#include "%s"\ntypedef int not_empty;\n' "$header" | "$@" $strict - || { echo "$header: $*"; exit 1; }
}
for header in include/toccata/*.h; do
    alone "${header#include/}" cc -x c -std=c11 -Iinclude
    alone "${header#include/}" c++ -x c++ -std=c++17 -Iinclude
done
for header in $(find src -name '*.h'); do
    alone "${header#src/}" cc -x c -std=c17 -Iinclude -Isrc -D_GNU_SOURCE -Wno-unused-function
done
for header in $(find sim -name '*.h'); do
    alone "$header" cc -x c -std=c17 -Iinclude -I. -D_GNU_SOURCE -Wno-unused-function
done
