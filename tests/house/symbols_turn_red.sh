#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Each check of symbols.sh can fail, shown on libraries of one function: sh symbols_turn_red.sh SOURCE_DIR.
set -eu
symbols=$1/tests/house/symbols.sh
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/include/toccata" "$tree/tests/house"
declaration='__attribute__((visibility("default"))) int toc_make(int a)'
echo "TOC_API int toc_make(int a);" >"$tree/include/toccata/thing.h"
echo "toccata toc_make" >"$tree/tests/house/interface.txt"

check() { # check SOURCE: what symbols.sh says to a library of this source
    printf '%s\n' "$1" | cc -x c -fPIC -fvisibility=hidden -c -o "$tree/thing.o" -
    rm -f "$tree/libthing.a"
    ar rc "$tree/libthing.a" "$tree/thing.o"
    cc -shared -o "$tree/libthing.so" "$tree/thing.o"
    sh "$symbols" "$tree" toccata "$tree/libthing.so" "$tree/libthing.a"
}
red() { # red WORDS SOURCE
    if said=$(check "$2") || ! printf '%s' "$said" | grep -qF "$1"; then
        echo "not refused ($1): $2; said: $said"
        exit 1
    fi
}

check "$declaration { static const char *const names[] = {\"a\", \"b\"}; return names[a][0]; }"
red 'global: helper' "int helper(int a) { return a; } $declaration { return helper(a); }"
red 'exported: loud' "__attribute__((visibility(\"default\"))) int loud(int a) { return a; } $declaration { return a; }"
red 'writable: count' "static int count; $declaration { return count += a; }"
red 'writable: toc_count' "int toc_count = 3; $declaration { return toc_count += a; }"
red 'thread-local: mine' "static _Thread_local int mine; $declaration { return mine += a; }"
red 'needed: puts' "#include <stdio.h>
$declaration { return puts(\"hello\") + a; }"
red 'needed: stderr' "#include <stdio.h>
$declaration { return fputs(\"hello\", stderr) + a; }"
red 'needed: exit' "#include <stdlib.h>
$declaration { exit(a); }"
red 'declared, not exported: toc_make' "__attribute__((visibility(\"default\"))) int toc_other(int a) { return a; }"
red 'exported, not declared: toc_other' "__attribute__((visibility(\"default\"))) int toc_other(int a) { return a; }"
echo "toccata toc_make_more" >>"$tree/tests/house/interface.txt"
red 'listed in interface.txt, not declared: toc_make_more' "$declaration { return a; }"
: >"$tree/tests/house/interface.txt"
red 'declared, not listed in interface.txt: toc_make' "$declaration { return a; }"
