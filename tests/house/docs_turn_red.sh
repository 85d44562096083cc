#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# docs.sh refuses references to missing things: sh docs_turn_red.sh SOURCE_DIR.
set -eu
docs=$1/tests/house/docs.sh
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/docs" "$tree/src" "$tree/include" "$tree/tools" "$tree/tests/a"
echo 'static void falls(void);' >"$tree/tests/a/b.c"

fresh() {
    printf '**G1. So.** It is.\n\n| G1 | `tests/a/b.c`: `falls` |\n' >"$tree/docs/guarantees.md"
    printf 'See [this](docs/guarantees.md) and `tests/a/b.c`.\n' >"$tree/README.md"
    echo '// G1' >"$tree/src/a.c"
}
red() { # red WORDS FILE LINE: with this line added to FILE, docs.sh fails and says WORDS
    fresh
    printf '%s\n' "$3" >>"$tree/$2"
    if said=$(sh "$docs" "$tree") || ! printf '%s' "$said" | grep -qF "$1"; then
        echo "not refused ($1): $3; said: $said"
        exit 1
    fi
}

fresh
sh "$docs" "$tree"
red 'a link to nothing: docs/none.md' README.md 'See [that](docs/none.md).'
red 'a link to nothing: docs/none.png' README.md '<img src="docs/none.png" alt="none">'
red 'no such file: tests/a/none.c' README.md 'See `tests/a/none.c`.'
red 'no such guarantee: G2' src/a.c '// G2'
red 'nothing shows G2' docs/guarantees.md '**G2. And so.** It is.'
red 'no test flies in tests/a/b.c' docs/guarantees.md '| G1 | `tests/a/b.c`: `flies` |'
red 'src/a.c has no function find_it' README.md '| search | `src/a.c` | `find_it`: all of it |'
fresh
printf '%s\n' 'int find_it(int a) {' '}' >>"$tree/src/a.c"
printf '%s\n' '| search | `src/a.c` | `find_it`, by `other` (`tests/a/b.c`) |' >>"$tree/README.md"
sh "$docs" "$tree"
