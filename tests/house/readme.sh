#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The first pages are correct: sh readme.sh SOURCE_DIR BUILD_DIR. README.md has at most 700 words and the right number of formats; its
# program compiles without a warning and prints the text below it. docs/ names every format and preset of the library, and no option that the command
# does not have.
set -eu
source=$1 build=$2
readme=$source/README.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "$*"; exit 1; }

words=$(wc -w <"$readme")
[ "$words" -le 700 ] || fail "README.md has $words words, more than 700; details belong to docs/"

block() { # block LANGUAGE: the first block of code in that language
    awk -v fence="\`\`\`$1" '$0 == "```" { inside = 0 } inside { print } $0 == fence && !done { inside = done = 1 }' "$readme"
}
compile() { # compile NAME, from standard input
    cc -x c -std=c11 -Wall -Wextra -Wpedantic -Werror -I"$source/include" -o "$work/$1" - \
        -L"$build" -ltoccata-io -ltoccata -lm "-Wl,-rpath,$build"
}

block c | compile example
"$work/example" >"$work/got"
block text >"$work/wanted"
diff "$work/wanted" "$work/got" || fail "README.md's program prints something else"

compile names <<'END'
#include <stdio.h>
#include <toccata/toccata.h>
int main(void) {
    toc_format_info format;
    for (size_t i = 0; toc_format_get(i, &format); i++) printf("formats %s\n", format.extensions);
    size_t read = 0;
    for (size_t i = 0; toc_format_get(i, &format); i++) read += format.reads;
    printf("count %zu\n", read);
    for (size_t i = 0; toc_preset_get(i).name; i++) printf("presets %s\n", toc_preset_get(i).name);
    return 0;
}
END
"$work/names" | grep -v '^count ' >"$work/names.txt"
count=$("$work/names" | sed -n 's/^count //p')
grep -q "Readers of \[$count file formats\]" "$readme" || fail "README.md has another number of formats than $count"
while read -r page names; do
    for name in $names; do
        grep -qF "\`$name\`" "$source/docs/$page.md" || fail "docs/$page.md does not name $name"
    done
done <"$work/names.txt"

# Blocks of text below "`toccata help NAME`:" are the text of the command.
command=$build/toccata
[ -x "$command" ] || exit 0
for page in check steps; do
    "$command" help "$page" >"$work/page"
    awk -v title="\`toccata help $page\`:" '$0 == "```" { inside = 0 } inside { print } $0 == title { next_one = 1 }
        $0 == "```text" && next_one { inside = 1; next_one = 0 }' "$source/docs/command.md" | diff - "$work/page" ||
        fail "docs/command.md has another text of toccata help $page"
done
"$command" help >"$work/help"
"$command" help steps >>"$work/help"
for name in $(sed -nE 's/^  ([a-z]+)  .*/\1/p' "$work/help"); do "$command" help "$name" >>"$work/help"; done
grep -oE '`--[a-z-]+' "$source/docs/command.md" | tr -d '`' | sort -u | while read -r option; do
    grep -qE -e "$option( |,|=|\$)" "$work/help" || fail "docs/command.md names $option, which the command does not have"
done
