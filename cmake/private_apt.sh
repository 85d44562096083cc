# SPDX-License-Identifier: Apache-2.0
# apt with lists of its own, which needs no root and leaves the machine's as they are; read by a script that has set `out`.
# private_apt TYPE [OPTION...]: `settings` for apt-get and apt-cache, with the machine's own package sources as TYPE, deb or deb-src.
private_apt() {
    type=$1
    shift
    apt=$out/apt.$$
    trap 'rm -rf "$apt"' EXIT
    mkdir -p "$apt/parts" "$apt/lists/partial" "$apt/cache/archives/partial" "$apt/unpacked"
    : >"$apt/sources.list"
    : >"$apt/status"
    for list in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
        [ ! -e "$list" ] || sed -n "s/^deb /$type /p" "$list" >>"$apt/sources.list"
    done
    for list in /etc/apt/sources.list.d/*.sources; do
        [ ! -e "$list" ] || sed "s/^Types:.*/Types: $type/" "$list" >"$apt/parts/${list##*/}"
    done
    settings="-o Dir::Etc::sourcelist=$apt/sources.list -o Dir::Etc::sourceparts=$apt/parts -o Dir::State::lists=$apt/lists
        -o Dir::State::status=$apt/status -o Dir::Cache=$apt/cache -o APT::Sandbox::User=$(id -un) $*"
}
