#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The package installs without a network: sh install.sh PYTHON PYTHON_DIR BUILD_DIR. It goes to BUILD_DIR/wheel/site, from a wheel
# made of a copy of the sources, so that the checkout stays clean.
set -eu
python=$1 source=$2 build=$3/wheel
rm -rf "$build"
mkdir -p "$build/copy"
cp -R "$source" "$source/../include" "$build/copy/"
TOCCATA_BUILD=$3 "$python" -m pip wheel -q --no-build-isolation --no-deps --no-index -w "$build" "$build/copy/python"
"$python" -m pip install -q --root-user-action=ignore --no-deps --no-index --no-warn-script-location --target "$build/site" "$build"/toccata-*.whl
ls "$build"/toccata-*.whl
