#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Exported and required symbols of the library: sh symbols.sh SOURCE_DIR SHARED_LIBRARY STATIC_LIBRARY.
set -eu
source=$1 shared=$2 static=$3
found=$(mktemp)
trap 'rm -f "$found"' EXIT

# Every visible symbol has our prefix.
nm -D --defined-only "$shared" | awk '$3 !~ /^toc_/ { print "exported: " $3 }' >>"$found"
nm -g --defined-only "$static" | awk 'NF == 3 && $3 !~ /^toc_/ { print "global: " $3 }' >>"$found"

# The shared library exports exactly the functions that the headers declare.
work=$(mktemp -d)
trap 'rm -rf "$found" "$work"' EXIT
sed -n 's/^TOC_\(IO_\)*API .*[ *]\(toc_[a-z0-9_]*\)(.*/\2/p' "$source"/include/toccata/*.h | sort >"$work/declared"
nm -D --defined-only "$shared" | awk '{ print $3 }' | sort >"$work/exported"
comm -23 "$work/declared" "$work/exported" | sed 's/^/declared, not exported: /' >>"$found"
comm -13 "$work/declared" "$work/exported" | sed 's/^/exported, not declared: /' >>"$found"

# No state except the message of each thread: .data, .bss and common are empty. Exceptions: a thread-local allocator for
# Expat's hooks, which take no argument of ours, and three objects for the signal handler of mapped files
# (io/core/mapping.c), which takes none either.
objdump -t "$static" | sed 's/\.hidden //' | awk '
    NF < 5 { next }
    $(NF - 2) ~ /^(\.data|\.bss|\.data\.[^r].*|\.bss\..*|\*COM\*)$/ && $(NF - 1) !~ /^0*$/ &&
        $NF !~ /^(mappings|busy|before)$/ { print "writable: " $NF }
    $(NF - 2) ~ /^\.t(bss|data)/ && $(NF - 1) !~ /^0*$/ && $NF !~ /^(message|expat_memory)$/ { print "thread-local: " $NF }' >>"$found"

# No function that prints, ends the program, changes its locale or draws random numbers. (Debug builds may assert.)
nm -u "$static" | awk '
    $2 ~ /^(_*v?printf(_chk)?|puts|putchar|perror|stdout|stderr|exit|_exit|abort|setlocale|rand|srand|random|strcpy|sprintf|atoi|atof|system)(@.*)?$/ {
        print "needed: " $2
    }' >>"$found"

sort -u "$found"
[ ! -s "$found" ]
