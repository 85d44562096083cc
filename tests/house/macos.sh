#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checks for macOS without its headers: sh macos.sh SOURCE_DIR BUILD_DIR.
# 1. The libraries and the command call no function of the system but those of system_calls.txt, which macOS has.
# 2. clang compiles every file that sees the system or the processor for arm64-apple-macos, with musl's headers in place of those of
#    macOS: functions of GNU and Linux are hidden there.
set -eu
cd "$1"
build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

# Words of gcc, of the linker and of this system's headers stand for functions of C.
nm -u "$build"/libtoccata.a "$build"/libtoccata-io.a "$build"/libtoccata-sim.a "$build"/libtoccata-view.a "$build"/libtoccata_scenes.a "$build"/libtoccata_simulated.a \
    "$build"/tools/CMakeFiles/toccata_command.dir/*.o 2>/dev/null | sed -n 's/^ *U //p' | sort -u >"$work/called"
nm --defined-only "$build"/*.a "$build"/tools/CMakeFiles/toccata_command.dir/*.o 2>/dev/null | sed -n 's/^[0-9a-f]* [A-Za-z] //p' | sort -u >"$work/ours"
comm -23 "$work/called" "$work/ours" |
    grep -vE '^(inflate|deflate|uncompress$|crc32|XML_|cJSON_|_GLOBAL_OFFSET_TABLE_$|__cpu_model$|__(div|udiv|mod|umod)ti3$|__popcountdi2$|__tls_get_addr$|_exit$)|^__(ctype|errno)|^sincosf?$' |
    sed -E 's/^__isoc(99|23)_//; s/^__getdelim$/getdelim/' | sort -u >"$work/system"
# Only Linux counts the processors of a process so (base/platform/threads_posix.c).
grep -vE '^(sched_getaffinity|__sched_cpucount|#.*)$' "$work/system" >"$work/calls"
grep -v '^#' tests/house/system_calls.txt | tr ' ' '\n' | sort -u >"$work/known"
[ "$(wc -l <"$work/calls")" -gt 100 ] || { echo "only $(wc -l <"$work/calls") functions of the system found" && failures=1; }
if comm -23 "$work/calls" "$work/known" | grep .; then
    echo "these functions are not in tests/house/system_calls.txt: does macOS have them?"
    failures=1
fi

command -v clang-14 >/dev/null && [ -e /usr/include/x86_64-linux-musl/stdio.h ] || exit "$failures"
headers="-nostdinc -isystem $(clang-14 -print-resource-dir)/include -isystem /usr/include/x86_64-linux-musl"
# shellcheck disable=SC2086
compile() {
    clang-14 --target=arm64-apple-macos13 $headers -std=c17 -D_BSD_SOURCE -DTOC_HAVE_NEON=1 -DTOC_RESEARCH=1 -Iinclude -Isrc -I. \
        -include "$work/shim.h" -fsyntax-only -Wall -Wno-psabi -Wno-unused -Werror "$@" || failures=1
}
# Names of macOS that musl lacks or hides.
cat >"$work/shim.h" <<'END'
#include <stddef.h>
#include <sys/stat.h>
void *memmem(const void *text, size_t size, const void *words, size_t length);
char *strcasestr(const char *text, const char *words);
#define st_mtimespec st_mtim
END
: >"$work/xlocale.h"
ln -s /usr/include/cjson /usr/include/stb "$work/" # headers that name no system
headers="$headers -isystem $work"
for file in $(grep -rlE '# *include <(unistd|fcntl|pthread|sched|signal|sys/|dirent|locale|poll|fnmatch|ftw)|__asm__' src sim view tools scenes --include='*.c' |
    grep -vE '_windows\.c$|tools/(mpi|windows)/|\.device\.c$'); do
    compile "$file"
done
for file in src/index/bvh.kernel.c src/pair/certified.kernel.c; do compile -DTOC_LANES=4 "$file"; done
exit "$failures"
