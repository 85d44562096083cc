#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Sources of libraries for systems for which Debian has no binaries: sh cmake/sources.sh OUT_DIR NAME... makes each
# OUT_DIR/NAME from Debian's source package, with its security patches. It needs no root: the lists of packages are kept in
# OUT_DIR while it runs. Exit status 2, and a sentence, if that is not possible.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
out=$(cd "$1" && pwd)
shift
names=$*

have_all() {
    for name in $names; do [ -e "$out/$name/debian/copyright" ] || return 1; done
}
! have_all || exit 0

missing() {
    echo "sources.sh: $*" >&2
    exit 2
}
command -v apt-get >/dev/null && command -v dpkg-source >/dev/null || missing "apt-get or dpkg-source is missing"
. "$here/private_apt.sh"
private_apt deb-src

# The newest version that the servers have: an index may name one that is gone.
fetch() {
    # shellcheck disable=SC2086
    for version in $(apt-cache $settings showsrc --only-source "$1" | sed -n 's/^Version: //p' | sort -rV); do
        rm -rf "$apt/unpacked" && mkdir "$apt/unpacked" && cd "$apt/unpacked"
        apt-get $settings source "$1=$version" && rm -rf "${out:?}/$1" && mv "$1"-*/ "$out/$1" && return 0
    done
    return 1
}

log=$out/sources.log
# shellcheck disable=SC2086
apt-get $settings update >"$log" 2>&1 || true
failed=
for name in $names; do
    [ -e "$out/$name/debian/copyright" ] || fetch "$name" >>"$log" 2>&1 || failed="$failed $name"
done
[ -z "$failed" ] || missing "these source packages of Debian cannot be fetched:$failed; see $log"
