#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Put the output of a benchmark into its page: sh publish.sh NAME OUTPUT [FOLDER]. The page is FOLDER/NAME.md, FOLDER is bench/results by
# default. Text above the mark is written by people and kept; from the mark on, the page is the output, after a line that
# names the machine. Tables of Markdown stay as they are, other lines become blocks of text. The page is whole or unchanged.
set -eu
name=$1 output=$2
folder=${3:-$(dirname "$0")/results}
page=$folder/$name.md
mark="<!-- from here on written by ./run bench $name -->"
[ -s "$output" ] || { echo "publish: $output: no output of $name" >&2; exit 1; }

# The processor, its cores, the load and the commit, as far as the system tells.
machine() {
    sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo 2>/dev/null | sed -n 1p | tr -s ' '
    echo "$(getconf _NPROCESSORS_ONLN) cores"
    awk '{ print "load " $2 }' /proc/loadavg 2>/dev/null || true
    git -C "$(dirname "$0")" rev-parse --short HEAD 2>/dev/null | sed 's/^/commit /' || true
    date +%Y-%m-%d
}

mkdir -p "$folder"
{
    if grep -qxF "$mark" "$page" 2>/dev/null; then
        awk -v mark="$mark" '$0 == mark { exit } { print }' "$page"
    elif [ -s "$page" ]; then
        cat "$page"
        printf '\n## Table\n\n'
    else
        printf '# %s\n\n`./run bench %s`\n\n## Table\n\n' "$name" "$name"
    fi
    printf '%s\n\n%s\n' "$mark" "$(machine | paste -sd, - | sed 's/,/, /g')"
    awk 'function enter(next_kind) {
             if (kind == "text" && next_kind != "text") { sub(/\n+$/, "\n", block); printf "\n```text\n%s```\n", block; block = "" }
             if (next_kind == "table" && kind != "table") print ""
             kind = next_kind
         }
         /^\|/ { enter("table"); print; next }
         NF == 0 && kind != "text" { kind = ""; next }
         { enter("text"); block = block $0 "\n" }
         END { enter("") }' "$output"
} >"$page.part"
mv "$page.part" "$page"
echo "publish: $page" >&2
