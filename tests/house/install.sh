#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# External programs can use the installed library: sh install.sh SOURCE_DIR BUILD_DIR. Installs into a temporary folder,
# moves that folder, and builds tests/consumer against it through CMake and pkg-config, shared and static.
set -eu
source=$1 build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
loud() { "$@" >"$work/log" 2>&1 || { cat "$work/log"; echo "failed: $*"; exit 1; }; }

loud cmake --install "$build" --prefix "$work/first"
mv "$work/first" "$work/moved"
wanted=$(sed -n 's/^#define TOC_VERSION_[A-Z]* \([0-9]*\)$/\1/p' "$source/include/toccata/version.h" | paste -sd.)
same() { # same WHAT GOT: the version of the header, compiled in and linked
    [ "$2" = "$wanted $wanted" ] || { echo "$1 says '$2', not '$wanted $wanted'"; exit 1; }
}

loud cmake -S "$source/tests/consumer" -B "$work/consumer" -G Ninja -DCMAKE_PREFIX_PATH="$work/moved"
loud cmake --build "$work/consumer"
same "CMake, shared" "$("$work/consumer/consumer_toccata")"
same "CMake, static" "$("$work/consumer/consumer_static")"
if ldd "$work/consumer/consumer_static" | grep -q libtoccata; then echo "toccata::static is not static"; exit 1; fi

pc=$(find "$work/moved" -name toccata.pc)
PKG_CONFIG_PATH=$(dirname "$pc")
export PKG_CONFIG_PATH
lib=$(pkg-config --variable=libdir toccata)
[ "$(pkg-config --modversion toccata)" = "$wanted" ] || { echo "toccata.pc has another version"; exit 1; }
# shellcheck disable=SC2046
loud cc "$source/tests/consumer/main.c" -o "$work/shared" $(pkg-config --cflags --libs toccata) "-Wl,-rpath,$lib"
same "pkg-config, shared" "$("$work/shared")"
# shellcheck disable=SC2046
loud cc "$source/tests/consumer/main.c" -o "$work/static" $(pkg-config --cflags toccata) "$lib/libtoccata.a" \
    $(pkg-config --static --libs-only-l --libs-only-other toccata | sed 's/-ltoccata//')
same "pkg-config, static" "$("$work/static")"

if [ -e "$build/toccata" ]; then
    "$work/moved/bin/toccata" --version | grep -qF "$wanted" || { echo "the installed command is not $wanted"; exit 1; }
    grep -q '^\.TH' "$work/moved/share/man/man1/toccata.1" || { echo "no manual page"; exit 1; }
    grep -q toccata "$work/moved/share/bash-completion/completions/toccata" || { echo "no completion"; exit 1; }
fi
