#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Debian's packages for another architecture, unpacked but not installed: sh cmake/binaries.sh OUT_DIR ARCHITECTURE NAME... It
# needs no root. Exit status 2, and a sentence, if that is not possible.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
out=$(cd "$1" && pwd) architecture=$2
shift 2
[ "$(cat "$out/packages" 2>/dev/null)" != "$*" ] || exit 0
log=$out/binaries.log

missing() {
    echo "binaries.sh: $*" >&2
    exit 2
}
command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || missing "apt-get or dpkg-deb is missing"
. "$here/private_apt.sh"
private_apt deb -o "APT::Architecture=$architecture" -o "APT::Architectures=$architecture"
# shellcheck disable=SC2086
apt-get $settings update >"$log" 2>&1 || true
cd "$apt/unpacked"
# shellcheck disable=SC2086
apt-get $settings download "$@" >>"$log" 2>&1 || missing "these packages of Debian for $architecture cannot be fetched: $*; see $log"
for file in *.deb; do dpkg-deb -x "$file" "$out"; done
# Links to the root of the other machine.
find "$out" -type l -lname '/*' | while read -r link; do ln -sf "$out$(readlink "$link")" "$link"; done
echo "$*" >"$out/packages"
