#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Build the page of `toccata view`: sh viewer/build.sh OUT_DIR [ENGINE.wasm]. Makes OUT_DIR/page.html, one file with all
# code inside, and the engine if there is one. Exit status 2, and a sentence, if node or its packages are missing.
set -eu
mkdir -p "$1"
out=$(cd "$1" && pwd)
engine=
[ -z "${2-}" ] || engine=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
cd "$(dirname "$0")"

# Nothing to do if no source is newer than the last build.
newer=$(find . ${engine:+"$engine"} -name node_modules -prune -o -type f -newer "$out/stamp" -print 2>/dev/null || echo all)
[ -n "$newer" ] || exit 0

missing() {
    echo "$*" >&2
    exit 2
}

# node trusts the certificates of the system, too, as all other programs on it do.
system_certificates=/etc/ssl/certs/ca-certificates.crt
[ ! -e "$system_certificates" ] || export NODE_EXTRA_CA_CERTS="${NODE_EXTRA_CA_CERTS:-$system_certificates}"
command -v npm >/dev/null 2>&1 || missing "the page of toccata view is not built: npm is missing (Debian: nodejs npm)"
if ! cmp -s package-lock.json node_modules/.lock; then
    npm ci --no-audit --no-fund --loglevel=error >"$out/npm.log" 2>&1 ||
        missing "the page of toccata view is not built: npm could not install its packages; see $out/npm.log"
    cp package-lock.json node_modules/.lock
fi
node node_modules/typescript/bin/tsc -p .
passing=$out/passing.$$
trap 'rm -rf "$passing"' EXIT
TOC_PAGE_OUT=$passing node node_modules/vite/bin/vite.js build --logLevel error >"$out/vite.log"
# The licences of the libraries in the engine go with it.
node finish.mjs "$passing/index.html" "$passing/page.html" ${engine:+"$engine" "$(dirname "$engine")"/package/LICENSE.*}
# An unchanged page keeps its time, so that the command is not linked again.
cmp -s "$passing/page.html" "$out/page.html" || mv "$passing/page.html" "$out/page.html"
touch "$out/stamp"
