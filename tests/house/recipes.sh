#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Recipes in packaging/ are filled in completely, pass the checkers that are installed, and set options that the build has:
# recipes.sh SOURCE_DIR.
set -eu
cd "$1"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
fail() { echo "$*"; failures=$((failures + 1)); }
check() { # PROGRAM WORD...
    command -v "$1" >/dev/null 2>&1 || { echo "left out: $1 is not installed" && return; }
    "$@" >"$work/log" 2>&1 || { cat "$work/log" && fail "failed: $*"; }
}

printf 'a tarball' >"$work/source.tar.gz"
/usr/bin/python3 -B packaging/recipes.py "$work" "https://example.org/toccata/" "$work/source.tar.gz"
part() { sed -n "s/^#define TOC_VERSION_$1 //p" include/toccata/version.h; }
version=$(part MAJOR).$(part MINOR).$(part PATCH)
sum=$(sha256sum "$work/source.tar.gz" | cut -d' ' -f1)
for name in conan/conanfile.py conda-forge/meta.yaml homebrew/toccata.rb nixpkgs/package.nix vcpkg/portfile.cmake vcpkg/vcpkg.json; do
    ! grep -nE '@[A-Z0-9]+@' "$work/$name" || fail "$name: a word is left"
    case $name in
    vcpkg/vcpkg.json) grep -q "\"$version\"" "$work/$name" || fail "$name: not version $version" ;;
    vcpkg/*) grep -q 'https://example.org/toccata/toccata-${VERSION}.tar.gz' "$work/$name" || fail "$name: another address" ;;
    *) grep -q "https://example.org/toccata/toccata-\(${version}\|\${version}\).tar.gz" "$work/$name" && grep -q "$sum" "$work/$name" ||
        fail "$name: another address or sum" ;;
    esac
    for option in $(grep -oE 'TOC_[A-Z]+' "$work/$name" | sort -u); do
        [ "$option" = TOC_STATIC ] || [ "$option" = TOC_ ] || grep -rqE "option\($option |set\($option " CMakeLists.txt cmake || fail "$name: no option $option"
    done
done
for name in $(sed -n 's/.*for name in (\(.*\)):$/\1/p; s/.*%w\[\(.*\)\].*/\1/p; s/.*-DTOC_${name}=OFF") \[\(.*\)\];/\1/p' "$work"/conan/conanfile.py \
    "$work"/homebrew/toccata.rb "$work"/nixpkgs/package.nix | tr -d '",'); do
    grep -rqE "option\(TOC_$name " CMakeLists.txt cmake || fail "no option TOC_$name"
done

check /usr/bin/python3 -m py_compile "$work/conan/conanfile.py"
check /usr/bin/python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$work/vcpkg/vcpkg.json"
check ruby -wc "$work/homebrew/toccata.rb"
check nix-instantiate --parse "$work/nixpkgs/package.nix"
check yamllint -d '{extends: relaxed, rules: {line-length: disable}}' "$work/conda-forge/meta.yaml"
echo 'cmake_minimum_required(VERSION 3.22)' >"$work/portfile.cmake"
for name in vcpkg_download_distfile vcpkg_extract_source_archive vcpkg_check_features vcpkg_cmake_configure vcpkg_cmake_install \
    vcpkg_cmake_config_fixup vcpkg_fixup_pkgconfig vcpkg_copy_tools vcpkg_install_copyright; do
    printf 'function(%s)\nendfunction()\n' "$name"
done >>"$work/portfile.cmake"
cat "$work/vcpkg/portfile.cmake" >>"$work/portfile.cmake"
check cmake -DCURRENT_PACKAGES_DIR="$work/none" -DFEATURES=tool -P "$work/portfile.cmake"
[ "$failures" = 0 ]
