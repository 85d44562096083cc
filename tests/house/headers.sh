#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every public header compiles alone, as C11 and as C++17, without a warning: sh headers.sh SOURCE_DIR.
set -eu
cd "$1/include"
strict='-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -fsyntax-only -I.'
for header in toccata/*.h; do
    for compiler in 'cc -x c -std=c11' 'c++ -x c++ -std=c++17'; do
        # shellcheck disable=SC2086
        printf '#include "%s"\ntypedef int not_empty;\n' "$header" | $compiler $strict - || { echo "$header: $compiler"; exit 1; }
    done
done
