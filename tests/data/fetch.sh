#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fetch published data: sh fetch.sh MANIFEST FOLDER [ADDRESS]. Rows of MANIFEST are SUM BYTES PATH ADDRESS. With ADDRESS, files come from
# ADDRESS/PATH instead, as from file:///mnt/data. Files that are there with the right sum stay; a file gets its name once its
# sum is right. Exit status 1 if a file could not be fetched.
set -eu
manifest=$1 folder=$2 mirror=${3-}
there=0 fetched=0 failed=0 elsewhere=0
sum_of() { sha256sum "$1" | cut -d ' ' -f 1; }
part=
trap 'rm -f "$part"' EXIT
trap 'exit 130' INT TERM

while read -r sum bytes path address; do
    case $sum in '' | '#'*) continue ;; esac
    file=$folder/$path
    if [ -f "$file" ] && [ "$(sum_of "$file")" = "$sum" ]; then
        there=$((there + 1))
        continue
    fi
    [ -z "$mirror" ] || address=${mirror%/}/$path
    if [ "$address" = - ]; then
        elsewhere=$((elsewhere + 1))
        continue
    fi
    printf '%s, %s bytes\n' "$path" "$bytes"
    mkdir -p "$(dirname "$file")"
    part=$file.part
    why=
    curl --fail --location --silent --show-error --retry 2 --max-time 600 --output "$part" "$address" 2>"$folder/error" ||
        why=$(sed -n '$s/^curl: //p' "$folder/error")
    rm -f "$folder/error"
    if [ -z "$why" ] && [ "$(sum_of "$part")" != "$sum" ]; then
        why="its sum is $(sum_of "$part") ($(wc -c <"$part") bytes), not $sum ($bytes bytes)"
    fi
    if [ -z "$why" ]; then
        mv "$part" "$file"
        fetched=$((fetched + 1))
    else
        rm -f "$part"
        echo "data: $address: $why" >&2
        failed=$((failed + 1))
    fi
done <"$manifest"
[ "$elsewhere" = 0 ] || echo "$elsewhere files have no address of their own: $(dirname "$manifest")/README.md names their publishers"
echo "$fetched fetched, $there already there, $failed failed, in $folder"
[ "$failed" = 0 ]
