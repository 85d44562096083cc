#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# recipes.sh refuses broken recipes: sh recipes_turn_red.sh SOURCE_DIR. Each case changes one recipe by one word.
set -eu
cd "$1"
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/include" "$tree/tests"
cp -R packaging cmake CMakeLists.txt LICENSE "$tree"
cp -R include/toccata "$tree/include"
cp -R tests/house "$tree/tests"

red() { # red FILE SED_SCRIPT [PROGRAM]: with this change recipes.sh fails; only where PROGRAM is installed
    [ -z "${3-}" ] || command -v "$3" >/dev/null 2>&1 || { echo "left out: $3 is not installed" && return; }
    sed "$2" "packaging/$1" >"$tree/packaging/$1"
    ! cmp -s "packaging/$1" "$tree/packaging/$1" || { echo "nothing changed: $2" && exit 1; }
    ! sh "$tree/tests/house/recipes.sh" "$tree" "${1%/*}" >"$tree/said" 2>&1 || { echo "not refused: $1, $2" && exit 1; }
    cp "packaging/$1" "$tree/packaging/$1"
}

sh "$tree/tests/house/recipes.sh" "$tree"
red conan/conanfile.py '/toccata-view/d'
red conan/conanfile.py 's/expat::expat/expat2::expat/'
red conan/conanfile.py 's/^from conan import ConanFile/import os\n&/' pyflakes3
red vcpkg/vcpkg.json 's/"license"/"licence"/'
red vcpkg/vcpkg.json 's/x64 /x65 /'
red vcpkg/portfile.cmake 's/TOC_MPI=OFF/TOC_MPJ=OFF/'
red vcpkg/portfile.cmake 's/vcpkg_cmake_install()/vcpkg_cmake_instal()/'
red conda-forge/meta.yaml 's/license_file: LICENSE/license_file: LICENCE/'
red conda-forge/meta.yaml 's/^  number: 0/  numbers: 0/'
red conda-forge/meta.yaml 's/^    - cmake$/   - cmake/' yamllint
red homebrew/toccata.rb 's/uses_from_macos "zlib"/uses_from_mac "zlib"/' ruby
red homebrew/toccata.rb "s/\"Apache-2.0\"/'Apache-2.0'/" rubocop
red nixpkgs/package.nix 's/^  zlib,$//' nix-instantiate
red nixpkgs/package.nix 's/licenses.asl20/licenses.asl30/' nix-instantiate
