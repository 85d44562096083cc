#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# External programs can use the installed libraries: sh install.sh SOURCE_DIR BUILD_DIR. Installs into a temporary folder,
# moves that folder, and builds tests/consumer against it through CMake and pkg-config, in C and C++, shared and static.
set -eu
source=$1 build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
loud() { "$@" >"$work/log" 2>&1 || { cat "$work/log"; echo "failed: $*"; exit 1; }; }
fail() { echo "$*"; exit 1; }

loud cmake --install "$build" --prefix "$work/first"
mv "$work/first" "$work/moved"
wanted=$(sed -n 's/^#define TOC_VERSION_[A-Z]* \([0-9]*\)$/\1/p' "$source/include/toccata/version.h" | paste -sd.)
same() { # same WHAT PROGRAM: it prints the version of the header twice, compiled in and linked
    got=$("$2" 2>"$work/said") || fail "$1: the program failed"
    [ "$got" = "$wanted $wanted" ] || fail "$1 prints '$got', not '$wanted $wanted'"
}
needs() { readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'; }

for language in C CXX; do
    consumer=$work/$language
    loud cmake -S "$source/tests/consumer" -B "$consumer" -G Ninja -DLANGUAGE=$language -DCMAKE_PREFIX_PATH="$work/moved"
    loud cmake --build "$consumer"
    for kind in toccata static io io_static; do same "CMake, $language, $kind" "$consumer/consumer_$kind"; done
    for program in "$consumer"/consumer_owners* "$consumer"/consumer_callbacks; do
        [ ! -x "$program" ] || loud "$program"
    done
    grep -q missing.ply "$work/said" || fail "the libraries do not share the message"
    for kind in static io_static; do
        ! needs "$consumer/consumer_$kind" | grep -q toccata || fail "toccata::$kind is not static"
    done
    ! needs "$consumer/consumer_toccata" | grep -q toccata-io || fail "a solver links libtoccata-io"
done

# The SONAME is the major version; a solver needs neither an XML parser nor zlib.
lib=$(dirname "$(find "$work/moved" -name libtoccata.so)")
for name in toccata toccata-io; do
    readelf -d "$lib/lib$name.so" | grep -qF "SONAME" || fail "lib$name.so has no SONAME"
    readelf -d "$lib/lib$name.so" | grep -F SONAME | grep -qF "[lib$name.so.${wanted%%.*}]" || fail "lib$name.so: wrong SONAME"
done
! needs "$lib/libtoccata.so" | grep -E 'expat|libz|netcdf|toccata-io' || fail "libtoccata needs a library of the readers"

PKG_CONFIG_PATH=$lib/pkgconfig
export PKG_CONFIG_PATH
pc() { # pc MODULE SOURCE: build with pkg-config, shared and static
    [ "$(pkg-config --modversion "$1")" = "$wanted" ] || fail "$1.pc has another version"
    # shellcheck disable=SC2046
    loud cc "$source/tests/consumer/$2" -o "$work/shared" $(pkg-config --cflags --libs "$1") "-Wl,-rpath,$lib"
    same "pkg-config, $1, shared" "$work/shared"
    # shellcheck disable=SC2046
    loud cc "$source/tests/consumer/$2" -o "$work/static" $(pkg-config --cflags "$1") \
        $(pkg-config --static --libs "$1" | sed "s|-ltoccata-io|$lib/libtoccata-io.a|; s|-ltoccata|$lib/libtoccata.a|g")
    same "pkg-config, $1, static" "$work/static"
}
pc toccata scene.c
pc toccata-io files.c

if [ -e "$build/toccata" ]; then
    "$work/moved/bin/toccata" --version | grep -qF "$wanted" || fail "the installed command is not $wanted"
    grep -q '^\.TH' "$work/moved/share/man/man1/toccata.1" || fail "no manual page"
    grep -q toccata "$work/moved/share/bash-completion/completions/toccata" || fail "no completion"
fi
