#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ./run shows the error of a build that fails, by CMake and by the compiler: sh run_errors.sh SOURCE_DIR. Runs a copy of
# ./run on a small project.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$1/run" "$work/run"
printf '%s\n' '{"version": 3, "configurePresets": [{"name": "release", "generator": "Ninja", "binaryDir": "${sourceDir}/build"}],' \
    '"buildPresets": [{"name": "release", "configurePreset": "release"}]}' >"$work/CMakePresets.json"
failures=0

# expect WORDS: ./run build fails and prints WORDS.
expect() {
    if said=$(sh "$work/run" build 2>&1) || ! printf '%s' "$said" | grep -qF "$1"; then
        printf '%s\n' "not shown: $1" "$said"
        failures=$((failures + 1))
    fi
}

printf 'cmake_minimum_required(VERSION 3.22)\nproject(small C)\nmessage(FATAL_ERROR "the library is missing")\n' \
    >"$work/CMakeLists.txt"
expect 'CMake Error at CMakeLists.txt:3'
expect 'the library is missing'
printf '%s\n' 'cmake_minimum_required(VERSION 3.22)' 'project(small C)' 'add_executable(small small.c)' \
    'add_custom_target(toccata_module)' >"$work/CMakeLists.txt"
printf 'int main(void) { return nothing; }\n' >"$work/small.c"
expect 'small.c:1'
expect 'nothing'
[ "$failures" = 0 ]
