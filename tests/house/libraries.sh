#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A library that is missing costs its formats, not the build: sh libraries.sh SOURCE_DIR. Files that know of an optional library
# compile without it, and the engine of the page is configured with each library alone and with none.
set -eu
cd "$1"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
for file in $(grep -rlE 'TOC_HAVE_(EXPAT|ZLIB)|TOC_NETCDF_LIBRARY' src --include='*.c'); do
    cc -std=gnu17 -fsyntax-only -Wall -Werror -Wno-unused -Iinclude -Isrc "$file" || failures=$((failures + 1))
done

command -v clang-14 >/dev/null && command -v wasm-ld-14 >/dev/null && [ -e build/sources/netcdf ] || exit "$failures"
for names in none expat zlib netcdf; do
    mkdir -p "$work/$names.sources"
    [ "$names" = none ] || ln -s "$PWD/build/sources/$names" "$work/$names.sources/$names"
    cmake -S wasm -B "$work/$names" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$PWD/wasm/toolchain.cmake" -DTOC_SOURCES="$work/$names.sources" \
        >"$work/log" 2>&1 || { cat "$work/log" && failures=$((failures + 1)); }
done
# netCDF's header is made here; that of another version may be installed.
grep -qE 'NC_DISPATCH_VERSION [0-9]+' "$work/netcdf/packages/netcdf/netcdf_dispatch.h" || failures=$((failures + 1))
[ "$failures" = 0 ]
