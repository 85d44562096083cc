#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# README.md is correct: sh readme.sh SOURCE_DIR BUILD_DIR. Its program compiles without a warning and prints the text
# below it; its tables name every format and preset of the library.
set -eu
source=$1 build=$2
readme=$source/README.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

block() { # block LANGUAGE: the first block of code in that language
    awk -v fence="\`\`\`$1" '$0 == "```" { inside = 0 } inside { print } $0 == fence && !done { inside = done = 1 }' "$readme"
}
compile() { # compile NAME, from standard input
    cc -x c -std=c11 -Wall -Wextra -Wpedantic -Werror -I"$source/include" -o "$work/$1" - \
        -L"$build" -ltoccata-io -ltoccata -lm "-Wl,-rpath,$build"
}

block c | diff - "$source/examples/hello.c" | grep -v '^0a1$\|^1d0$\|SPDX' | grep . && { echo "README.md's program is not examples/hello.c"; exit 1; }
block c | compile example
"$work/example" >"$work/got"
block text >"$work/wanted"
diff "$work/wanted" "$work/got" || { echo "README.md's program prints something else"; exit 1; }

compile names <<'END'
#include <stdio.h>
#include <toccata/toccata.h>
int main(void) {
    toc_format_info format;
    for (size_t i = 0; toc_format_get(i, &format); i++) printf("%s\n", format.extensions);
    for (size_t i = 0; toc_preset_get_name(i); i++) printf("%s\n", toc_preset_get_name(i));
    return 0;
}
END
"$work/names" >"$work/names.txt"
for name in $(cat "$work/names.txt"); do
    grep -qF "\`$name\`" "$readme" || { echo "README.md does not name $name"; exit 1; }
done
