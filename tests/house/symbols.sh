#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What the library shows and needs, as the linker sees it: sh symbols.sh SOURCE_DIR SHARED_LIBRARY STATIC_LIBRARY.
set -eu
source=$1 shared=$2 static=$3
found=$(mktemp)
trap 'rm -f "$found"' EXIT

# Every symbol that others can see or clash with is ours by name.
nm -D --defined-only "$shared" | awk '$3 !~ /^toc_/ { print "exported: " $3 }' >>"$found"
nm -g --defined-only "$static" | awk 'NF == 3 && $3 !~ /^toc_/ { print "global: " $3 }' >>"$found"

# What the headers declare is what the shared library has: no less, no more.
work=$(mktemp -d)
trap 'rm -rf "$found" "$work"' EXIT
sed -n 's/^TOC_\(IO_\)*API .*[ *]\(toc_[a-z0-9_]*\)(.*/\2/p' "$source"/include/toccata/*.h | sort >"$work/declared"
nm -D --defined-only "$shared" | awk '{ print $3 }' | sort >"$work/exported"
comm -23 "$work/declared" "$work/exported" | sed 's/^/declared, not exported: /' >>"$found"
comm -13 "$work/declared" "$work/exported" | sed 's/^/exported, not declared: /' >>"$found"

# No state but the thread's own message: nothing in .data, .bss or common. One more thread-local object is allowed: it
# tells Expat's hooks, which get no argument of ours, the allocator for the time of a call. And three that a handler of
# signals looks at while files are mapped (io/core/mapping.c): it gets no argument of ours, either.
objdump -t "$static" | sed 's/\.hidden //' | awk '
    NF < 5 { next }
    $(NF - 2) ~ /^(\.data|\.bss|\.data\.[^r].*|\.bss\..*|\*COM\*)$/ && $(NF - 1) !~ /^0*$/ &&
        $NF !~ /^(mappings|busy|before)$/ { print "writable: " $NF }
    $(NF - 2) ~ /^\.t(bss|data)/ && $(NF - 1) !~ /^0*$/ && $NF !~ /^(message|expat_memory)$/ { print "thread-local: " $NF }' >>"$found"

# Nothing that prints, stops the program, changes its locale or draws random numbers. (An assert may stop a debug build.)
nm -u "$static" | awk '
    $2 ~ /^(_*v?printf(_chk)?|puts|putchar|perror|stdout|stderr|exit|_exit|abort|setlocale|rand|srand|random|strcpy|sprintf|atoi|atof|system)(@.*)?$/ {
        print "needed: " $2
    }' >>"$found"

sort -u "$found"
[ ! -s "$found" ]
