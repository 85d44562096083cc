#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# References in documents and code exist: sh docs.sh SOURCE_DIR. Checks links between files, paths in `backticks`,
# guarantees cited in the code, and the tests of each guarantee.
set -eu
cd "$1"
found=$(mktemp)
trap 'rm -f "$found"' EXIT

documents=$(find . -maxdepth 1 -name '*.md'; find docs -name '*.md')
for document in $documents; do
    grep -oE '\]\([^)#]+|src="[^"]+' "$document" | sed -E 's/^(\]\(|src=")//' | grep -vE '^https?://' | while read -r link; do
        [ -e "$(dirname "$document")/$link" ] || echo "$document: a link to nothing: $link"
    done
    grep -oE '`(src|sim|mpi|include|tests|tools|scenes|bench|cmake|docs)/[A-Za-z0-9_./-]*`' "$document" | tr -d '`' | grep -v NAME |
        while read -r path; do
            [ -e "$path" ] || echo "$document: no such file: $path"
        done
done >>"$found"

# The hops of a walk: rows "| hop | `FILE` | `FUNCTION`... |" of a document. The file has the function.
for document in $documents; do
    sed -nE 's/^\| [a-z, ]+ \| `([a-z_/.]+)` \| (`.*)$/\1 \2/p' "$document" | while read -r file rest; do
        # Functions of another file are followed by its name: `function` (`file`).
        printf '%s\n' "$rest" | sed -E 's/`[a-z_]+` \(`[^`]*`\)//g' | grep -oE '`[a-z_]+`' | tr -d '`' | while read -r function; do
            grep -qE "[ *]$function\(" "$file" 2>/dev/null || echo "$document: $file has no function $function"
        done
    done
done >>"$found"

promised=$(sed -n 's/^\*\*\(G[0-9]*\)\..*/\1/p' docs/guarantees.md)
grep -rnoE '\bG[0-9]+\b' src sim mpi include tools --include='*.[ch]' | while IFS=: read -r file line number; do
    echo "$promised" | grep -qx "$number" || echo "$file:$line: no such guarantee: $number"
done >>"$found"
for number in $promised; do
    grep -q "^| $number |" docs/guarantees.md || echo "docs/guarantees.md: nothing shows $number"
done >>"$found"
# Each test of a guarantee exists in its file.
sed -n 's/^| G[0-9]* | \(.*\) |$/\1/p' docs/guarantees.md | tr '`' '\n' | grep -E '^[A-Za-z0-9_./]+$' |
    while read -r word; do
        case $word in
        */*) file=$word ;;
        *) grep -qsw "$word" "$file" || echo "docs/guarantees.md: no test $word in $file" ;;
        esac
    done >>"$found"

cat "$found"
[ ! -s "$found" ]
