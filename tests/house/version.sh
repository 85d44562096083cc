#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The version of include/toccata/version.h stands wherever a file has to repeat it: sh version.sh SOURCE_DIR.
set -eu
cd "$1"
part() { sed -n "s/^#define TOC_VERSION_$1 //p" include/toccata/version.h; }
version=$(part MAJOR).$(part MINOR).$(part PATCH)
has() { # has FILE REGEX: the first match in FILE holds the version
    got=$(grep -m 1 -E "$2" "$1" || true)
    case $got in *"$version"*) ;; *) echo "$1: \"$got\" is not version $version"; exit 1 ;; esac
}
has CITATION.cff '^version:'
has CHANGELOG.md '^## \[[0-9]'
has wasm/package.json '"version"'
has viewer/package.json '"version"'
has include/toccata/base.h 'the version of the library in use'
has python/toccata/_core.py 'The version of the library'
