#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Film examples/live.ipynb in Chromium: sh film.sh SOURCE_DIR BUILD_DIR FILM.gif. Needs python3-notebook, python3-pil and the
# packages of the page's tests.
set -eu
source=$1 build=$(cd "$2" && pwd) film=$3
work=$(mktemp -d)
port=8899
cp "$source/examples/live.ipynb" "$source/examples/shapes.py" "$work"
mkdir "$work/frames"
(cd "$work" && HOME=$work PYTHONPATH=$build/python exec /usr/bin/python3 -m notebook --allow-root --no-browser --port=$port \
    --NotebookApp.token=film --NotebookApp.quit_button=False) >"$work/log" 2>&1 &
server=$!
trap 'kill $server; wait $server 2>/dev/null || true; rm -rf "$work"' EXIT
node "$source/viewer/tests/film.mjs" "http://127.0.0.1:$port/notebooks/live.ipynb?token=film" "$work/frames"
/usr/bin/python3 "$source/docs/site/film.py" "$work/frames" "$film"
