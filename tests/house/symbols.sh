#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Symbols of a library, as the linker sees them: sh symbols.sh SOURCE_DIR LIBRARY SHARED_FILE STATIC_FILE. LIBRARY is
# toccata, toccata-io, toccata-sim, toccata-view or toccata-mpi. interface.txt lists the exported functions: a change there is a change of the interface.
set -eu
source=$1 library=$2 shared=$3 static=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
found=$work/found

# Every symbol that others can see or clash with is ours by name.
nm -D --defined-only "$shared" | awk '$3 !~ /^toc_/ { print "exported: " $3 }' >>"$found"
nm -g --defined-only "$static" | awk 'NF == 3 && $3 !~ /^toc_/ { print "global: " $3 }' >>"$found"

# The headers declare the functions of interface.txt: no less, no more. The shared library exports these and, for
# libtoccata-io only, the private ones.
macro=TOC_API
[ "$library" != toccata-io ] || macro=TOC_IO_API
[ "$library" != toccata-sim ] || macro=TOC_SIM_API
[ "$library" != toccata-mpi ] || macro=TOC_MPI_API
[ "$library" != toccata-view ] || macro=TOC_VIEW_API
sed -n "s/^$macro .*[ *]\(toc_[a-z0-9_]*\)(.*/\1/p" "$source"/include/toccata/*.h | sort >"$work/declared"
listed() { awk -v of="$1" '$1 == of { print $2 }' "$source/tests/house/interface.txt"; }
listed "$library" | sort >"$work/listed"
listed "$library-private" | sort - "$work/listed" >"$work/visible"
nm -D --defined-only "$shared" | awk '{ print $3 }' | sort >"$work/exported"
comm -23 "$work/listed" "$work/declared" | sed 's/^/listed in interface.txt, not declared: /' >>"$found"
comm -13 "$work/listed" "$work/declared" | sed 's/^/declared, not listed in interface.txt: /' >>"$found"
comm -23 "$work/visible" "$work/exported" | sed 's/^/declared, not exported: /' >>"$found"
comm -13 "$work/visible" "$work/exported" | sed 's/^/exported, not declared: /' >>"$found"

# No state except the message of each thread: .data, .bss and common are empty. Exceptions: a thread-local allocator for
# Expat's hooks, which take no argument of ours, and three objects for the signal handler of mapped files
# (base/platform/mapping_posix.c), which takes none either; and the team of the call under way (base/loop.c), none between calls.
# The table of kernels is chosen once (base/backend.c). The driver of a graphics processor is
# opened once for a process (device/driver.c); the emulated device has its random order, its queues and its memory (device/emulated.c).
# A benchmark times the launches of both (device/device.c).
objdump -t "$static" | sed 's/\.hidden //' | awk '
    NF < 5 { next }
    $(NF - 2) ~ /^(\.data|\.bss|\.data\.[^r].*|\.bss\..*|\*COM\*)$/ && $(NF - 1) !~ /^0*$/ &&
        $NF !~ /^(mappings|busy|before|chosen_row|driver|emulated|toc_emulated|toc_device_times)$/ { print "writable: " $NF }
    $(NF - 2) ~ /^\.t(bss|data)/ && $(NF - 1) !~ /^0*$/ && $NF !~ /^(message|expat_memory|current_team|is_in_round)$/ { print "thread-local: " $NF }' >>"$found"

# No function that prints, ends the program, changes its locale or draws random numbers. (Debug builds may assert.)
nm -u "$static" | awk '
    $2 ~ /^(_*v?printf(_chk)?|puts|putchar|perror|stdout|stderr|exit|_exit|abort|setlocale|rand|srand|random|strcpy|sprintf|atoi|atof|system)(@.*)?$/ {
        print "needed: " $2
    }' >>"$found"

sort -u "$found"
[ ! -s "$found" ]
