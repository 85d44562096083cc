#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Sources of the libraries that the engine links, of which Debian has no WebAssembly: sh wasm/sources.sh OUT_DIR
# makes OUT_DIR/expat, OUT_DIR/zlib and OUT_DIR/netcdf from Debian's source packages, with its security patches. It needs
# no root: the lists of packages are kept in OUT_DIR while it runs. Exit status 2, and a sentence, if that is not possible.
set -eu
names='expat zlib netcdf'
mkdir -p "$1"
out=$(cd "$1" && pwd)

have_all() {
    for name in $names; do [ -e "$out/$name/debian/copyright" ] || return 1; done
}
! have_all || exit 0

missing() {
    echo "the engine of the page will not read .vtu, .pvd, Exodus and compressed files: $*" >&2
    exit 2
}
command -v apt-get >/dev/null && command -v dpkg-source >/dev/null || missing "apt-get or dpkg-source is missing"

# The machine's own package sources, asked for source packages instead.
apt=$out/apt.$$
trap 'rm -rf "$apt"' EXIT
mkdir -p "$apt/parts" "$apt/lists/partial" "$apt/cache/archives/partial" "$apt/unpacked"
: >"$apt/sources.list"
for list in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [ ! -e "$list" ] || sed -n 's/^deb /deb-src /p' "$list" >>"$apt/sources.list"
done
for list in /etc/apt/sources.list.d/*.sources; do
    [ ! -e "$list" ] || sed 's/^Types:.*/Types: deb-src/' "$list" >"$apt/parts/${list##*/}"
done
settings="-o Dir::Etc::sourcelist=$apt/sources.list -o Dir::Etc::sourceparts=$apt/parts
    -o Dir::State::lists=$apt/lists -o Dir::Cache=$apt/cache -o APT::Sandbox::User=$(id -un)"

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
for name in $names; do
    fetch "$name" >>"$log" 2>&1 || missing "Debian's source package $name cannot be fetched; see $log"
done
