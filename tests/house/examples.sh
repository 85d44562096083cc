#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The examples compile from an installed prefix and run: sh examples.sh SOURCE_DIR BUILD_DIR. CMake builds all of them, pkg-config
# the first in C and in C++. The installed tree has the licence, and `uninstall` removes every file.
set -eu
source=$1 build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "$*"; exit 1; }
loud() { "$@" >"$work/log" 2>&1 || { cat "$work/log"; fail "failed: $*"; }; }
command -v c++ >/dev/null || { echo "no C++ compiler"; exit 77; }

loud cmake --install "$build" --prefix "$work/prefix"
[ -s "$work/prefix/share/doc/toccata/LICENSE" ] || fail "no LICENSE in the prefix"
loud cmake -S "$source/examples" -B "$work/examples" -G Ninja -DCMAKE_PREFIX_PATH="$work/prefix" \
    -DCMAKE_C_FLAGS="-Wall -Wextra" -DCMAKE_CXX_FLAGS="-Wall -Wextra"
loud cmake --build "$work/examples"
! grep -q warning: "$work/log" || { cat "$work/log"; fail "an example has a warning"; }
loud ctest --test-dir "$work/examples" --output-on-failure --no-tests=error

lib=$(dirname "$(find "$work/prefix" -name libtoccata.so)")
export PKG_CONFIG_PATH="$lib/pkgconfig" LD_LIBRARY_PATH="$lib"
# shellcheck disable=SC2046
loud cc "$source/examples/hello.c" -o "$work/hello" $(pkg-config --cflags --libs toccata) -lm
# shellcheck disable=SC2046
loud c++ -std=c++17 "$source/examples/hello.cpp" -o "$work/hello++" $(pkg-config --cflags --libs toccata)
loud "$work/hello"
loud "$work/hello++"

cp "$build/install_manifest.txt" "$work/manifest"
loud cmake -D MANIFEST="$work/manifest" -P "$source/cmake/uninstall.cmake"
left=$(find "$work/prefix" ! -type d)
[ -z "$left" ] || fail "uninstall leaves: $left"
