#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Contacts of another system, byte for byte those of this one:
#   contacts.sh COMMAND FOLDER EMULATOR OTHER_COMMAND
# Surfaces, volumes and shells; all contacts and the first; the scalar and the widest kernels of the other processor.
set -eu
command=$1 folder=$2 emulator=$3 other=$4
[ -x "$command" ] || { echo "no command of this system ($command): ./run build"; exit 77; }
rm -rf "$folder"
mkdir -p "$folder"

failed=0
compare() { # NAME OPTIONS...
    here=$folder/here/$1 there=$folder/there/$1 name=$1
    mkdir -p "$here" "$there"
    shift
    "$command" check "$@" --contacts "$here/contacts.csv" >/dev/null
    for width in scalar widest; do
        # shellcheck disable=SC2086
        TOC_SIMD=$width $emulator "$other" check "$@" --contacts "$there/contacts.csv" >/dev/null
        diff -r "$here" "$there" || failed=1
    done
    rows=$(cat "$here"/*.csv | grep -c '^[0-9]*,*[ve][fevp],' || true)
    echo "$name: $rows contacts"
    found=$((found + rows))
}

found=0
scene() { # NAME OPTIONS...
    name=$1
    shift
    "$command" scene "$name" --out "$folder/$name" "$@" >/dev/null
    set -- "$folder/$name"/*
    compare "$name" "$@"
    compare "$name-first" "$@" --answer first
}

scene cloth-ball --size 24
scene tets --size 3
scene hexes --size 2
scene n-body --size 6 --frames 10
[ "$found" -gt 1000 ] || { echo "only $found contacts: the scenes test nothing"; exit 1; }
exit "$failed"
