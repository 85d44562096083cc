#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ./run shows the error of a build that fails, by CMake and by the compiler, and ends a test by the names of what failed:
# sh run_errors.sh SOURCE_DIR. Runs a copy of ./run on a small project.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$1/run" "$work/run"
printf '%s\n' '{"version": 3, "configurePresets": [{"name": "release", "generator": "Ninja", "binaryDir": "${sourceDir}/build"}],' \
    '"buildPresets": [{"name": "release", "configurePreset": "release"}],' \
    '"testPresets": [{"name": "release", "configurePreset": "release"}]}' >"$work/CMakePresets.json"
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

# The last lines are the only ones that some systems show. Neither packages nor the page are fetched for the small project.
sed -i 's/^    need "$packages_test"$/    :/; s/^    fetch_page$/    engine= page=/' "$work/run"
ends() { # WORDS: ./run test quick fails, and names its failures below the table
    if said=$(sh "$work/run" test quick 2>&1) || ! printf '%s' "$said" | sed -n '/^failed:/,$p' | grep -qF "$1"; then
        printf '%s\n' "not at the end: $1" "$said"
        failures=$((failures + 1))
    fi
}
ends "not built: "
ends "small.c:1"
printf 'int main(void) { return 0; }\n' >"$work/small.c"
printf '%s\n' 'enable_testing()' 'add_test(NAME part.good COMMAND small)' 'add_test(NAME part.bad COMMAND small)' \
    'add_test(NAME part.slow COMMAND sleep 9)' 'set_tests_properties(part.bad PROPERTIES WILL_FAIL ON)' \
    'set_tests_properties(part.slow PROPERTIES TIMEOUT 1)' >>"$work/CMakeLists.txt"
ends "part.bad (Failed), part.slow (Timeout)"
ends "1 passed, 2 failed, 0 skipped"
[ "$failures" = 0 ]
