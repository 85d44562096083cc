#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Build the page of `toccata view`: sh viewer/build.sh OUT_DIR [ENGINE.wasm]. Makes OUT_DIR/page.html, one file with all
# code inside, and the engine if there is one; with it also lesson.js and engine.js, for runnable code in the documentation.
set -eu
mkdir -p "$1"
out=$(cd "$1" && pwd)
engine=
[ -z "${2-}" ] || engine=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
cd "$(dirname "$0")"

# Nothing to do if no source is newer than the last build.
newer=$(find . ${engine:+"$engine"} -name node_modules -prune -o -type f -newer "$out/stamp" -print 2>/dev/null || echo all)
[ -n "$newer" ] || exit 0

sh fetch.sh "$out"
node node_modules/typescript/bin/tsc -p .
passing=$out/passing.$$
trap 'rm -rf "$passing"' EXIT
TOC_PAGE_OUT=$passing node node_modules/vite/bin/vite.js build --logLevel error >"$out/vite.log"
# The licences of the libraries in the engine go with it.
node finish.mjs "$passing/index.html" "$passing/page.html" ${engine:+"$engine" "$(dirname "$engine")"/package/LICENSE.*}
if [ -n "$engine" ]; then
    TOC_PAGE_OUT=$passing node node_modules/vite/bin/vite.js build --config vite.lesson.config.ts --logLevel error >>"$out/vite.log"
    mv "$passing/lesson.js" "$out/lesson.js"
    node finish.mjs --script "$engine" "$out/engine.js"
fi
# An unchanged page keeps its time, so that the command is not linked again.
cmp -s "$passing/page.html" "$out/page.html" || mv "$passing/page.html" "$out/page.html"
touch "$out/stamp"
