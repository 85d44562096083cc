#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Packages of Debian and the source tarball from a build with -DTOC_PACKAGES=ON: sh make.sh BUILD_DIR. They go to
# BUILD_DIR/packages.
set -eu
build=$1
rm -rf "$build/packages"
mkdir -p "$build/packages"
make() { cpack --config "$build/$1.cmake" -B "$build/packages" >"$build/packages.log" 2>&1 || { cat "$build/packages.log"; exit 1; }; }
make CPackSourceConfig
# The prefix is for packages only: the source tarball has none.
{ cat "$build/CPackConfig.cmake"; echo 'set(CPACK_PACKAGING_INSTALL_PREFIX /usr)'; } >"$build/CPackDebian.cmake"
make CPackDebian
rm -rf "$build/packages/_CPack_Packages"
ls "$build/packages"
