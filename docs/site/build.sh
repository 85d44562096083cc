#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Build the documentation site without a network: sh build.sh SOURCE_DIR BUILD_DIR, where BUILD_DIR has the command and the Python
# package (python/package.sh). The site goes to BUILD_DIR/docs/site. Code of the tutorial runs in it where BUILD_DIR/page has the
# engine (viewer/build.sh).
set -eu
source=$1 build=$2 out=$2/docs
python=/usr/bin/python3
rm -rf "$out"
mkdir -p "$out"
"$python" -B "$source/docs/site/stage.py" "$source" "$build" "$out"
mkdir -p "$out/pages/figures"
PYTHONPATH=$build/python MPLBACKEND=Agg
export PYTHONPATH MPLBACKEND
"$python" -B "$source/docs/site/figures.py" "$out/pages/figures"
for example in cloth contact_times; do "$python" -B "$source/examples/$example.py" "$out/pages/figures/$example.png" >"$out/$example.log"; done
(cd "$out" && "$python" -m mkdocs build -q)
if [ -e "$build/page/engine.js" ]; then
    mkdir "$out/site/lessons"
    cp "$build/page/lesson.js" "$build/page/engine.js" "$out/site/lessons"
fi
rm "$out/site/404.html" # for servers only: its links begin at the root of a host
doxygen "$out/Doxyfile" >"$out/doxygen.log" 2>&1 || { cat "$out/doxygen.log"; exit 1; }
"$python" -B "$source/docs/site/finish.py" "$out/site"
"$python" -B "$source/docs/site/links.py" "$out/site"
