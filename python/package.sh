#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Make a wheel and install it into a folder, without a network: sh package.sh PYTHON PYTHON_DIR BUILD_DIR OUT SITE. The wheel
# goes to OUT, the package to SITE. A copy of the sources is built, so that the checkout stays clean.
set -eu
python=$1 source=$2 build=$4 site=$5
rm -rf "$build" "$site/toccata" "$site"/toccata-*.dist-info
mkdir -p "$build/copy"
cp -R "$source" "$source/../include" "$build/copy/"
TOCCATA_BUILD=$3 "$python" -m pip wheel -q --no-build-isolation --no-deps --no-index -w "$build" "$build/copy/python"
"$python" -m pip install -q --root-user-action=ignore --no-deps --no-index --no-compile --target "$site" "$build"/toccata-*.whl
ls "$build"/toccata-*.whl
