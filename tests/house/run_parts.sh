#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ./run names packages for every manager, and says before a build what it will lack: sh run_parts.sh SOURCE_DIR. Runs a copy of
# ./run on a small project, with few programs on the path.
set -eu
unset CMAKE_C_COMPILER_LAUNCHER CMAKE_CXX_COMPILER_LAUNCHER
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
fail() { echo "$*"; failures=$((failures + 1)); }

# Each package of ./run has one row, and each row a name or a dash for each manager.
sed -n "/^packages_[a-z_]*=/,/^['\"]\$/p" "$1/run" | awk '/^[a-z0-9+.-]+ +[a-z/]/ || /^packages_.*\$[a-z_]+"?$/ { print $1 }' |
    grep -v = | sort -u >"$work/used"
awk '!/^#/ { print $1 }' "$1/cmake/packages.txt" | sort >"$work/named"
[ "$(wc -l <"$work/used")" -gt 30 ] || fail "only $(wc -l <"$work/used") packages found in ./run"
diff "$work/used" "$work/named" || fail "cmake/packages.txt and ./run name different packages"
awk '!/^#/ && (NF != 5 || $0 !~ /^[A-Za-z0-9+._ -]+$/) { print "cmake/packages.txt:" FNR ": " $0; bad = 1 } END { exit bad }' \
    "$1/cmake/packages.txt" || fail "a row needs five names"

# A small project without node and clang.
mkdir -p "$work/top/cmake" "$work/bin"
cp "$1/run" "$work/top/run"
cp "$1/cmake/packages.txt" "$work/top/cmake"
printf '%s\n' '{"version": 3, "configurePresets": [{"name": "release", "generator": "Ninja", "binaryDir": "${sourceDir}/build"}],' \
    '"buildPresets": [{"name": "release", "configurePreset": "release"}]}' >"$work/top/CMakePresets.json"
printf 'cmake_minimum_required(VERSION 3.22)\nproject(small C)\nmessage(FATAL_ERROR "the build has begun")\n' >"$work/top/CMakeLists.txt"
for program in awk c++ cc ar ranlib ld as cat cmake command cp date dirname echo env getconf grep head id mkdir mktemp ninja pkg-config printf \
    python3 rm sed sh tail touch tr uname; do
    found=$(command -v "$program") && [ -x "$found" ] && ln -sf "$found" "$work/bin/$program"
done
say() { said=$(PATH=$work/bin sh "$work/top/run" "$@" 2>&1) && code=0 || code=$?; }
expect() { # WHAT PATTERN: one that the output matches as a whole
    printf '%s' "$said" | tr '\n' '~' | grep -qE "$2" || fail "$1: /$2/ is not in: $said"
}

say build
expect "list before the build" '^run: this build will lack:~  toccata view  .*please install: apt-get install .*nodejs npm.*the build has begun'
[ "$code" != 0 ] || fail "a failed build exits 0"

# The command for another system has the page, too.
printf '#!/bin/sh\n' >"$work/top/cmake/sources.sh"
for program in dpkg-source x86_64-w64-mingw32-gcc-posix; do
    printf '#!/bin/sh\n' >"$work/bin/$program"
    chmod +x "$work/bin/$program"
done
say build windows
expect "list before the build for Windows" '^run: this build will lack:~  toccata view  .*please install: apt-get install .*nodejs npm'
rm "$work/top/cmake/sources.sh"

# Another manager: its words, and its names.
printf '#!/bin/sh\necho "$@" >>"%s/asked"\n' "$work" >"$work/bin/dnf"
printf '#!/bin/sh\n[ "$1" = -n ] && shift\nexec "$@"\n' >"$work/bin/sudo"
chmod +x "$work/bin/dnf" "$work/bin/sudo"
say build
grep -qE '^install -y( [a-z0-9_-]+)* nodejs nodejs-npm( |$)' "$work/asked" || fail "dnf was asked for: $(cat "$work/asked")"
expect "a manager without success" 'toccata view .*still not working after their installation: nodejs npm'

say packages
[ "$code" != 0 ] || fail "packages without the viewer exit 0"
[ "$failures" = 0 ]
