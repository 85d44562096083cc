#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Packages of Debian are right: sh check.sh SOURCE_DIR BUILD_DIR, of a build with -DTOC_PACKAGES=ON. lintian finds nothing; dpkg
# installs them into an empty root, where the command, a program of C and Python work; removal leaves nothing behind. No file
# names the folder of the build. The source tarball makes the objects of libtoccata-io in another folder, the same in
# every byte.
set -eu
source=$1 build=$2
command -v lintian >/dev/null && command -v dpkg >/dev/null || { echo "dpkg and lintian are not there"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "$*"; exit 1; }
loud() { "$@" >"$work/log" 2>&1 || { cat "$work/log"; fail "failed: $*"; }; }

sh "$source/tests/packages/make.sh" "$build"
lintian --allow-root --fail-on error,warning "$build"/packages/*.deb || fail "lintian complains"

# A root of its own, with dpkg's own administration: nothing of this machine changes. Packages of other sources are not there.
# Scripts of the packages see an ldconfig that does nothing. Users who are not root can only unpack.
root=$work/root
mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates" "$root/usr/bin" "$work/bin"
touch "$root/var/lib/dpkg/status"
printf '#!/bin/sh\n' >"$work/bin/ldconfig"
chmod +x "$work/bin/ldconfig"
PATH=$work/bin:$PATH:/usr/sbin:/sbin
export PATH
in_root() { loud dpkg --root="$root" --force-depends --force-not-root --force-script-chrootless --force-bad-path --log=/dev/null "$@"; }
if [ "$(id -u)" = 0 ]; then
    in_root --install "$build"/packages/*.deb
else
    for package in "$build"/packages/*.deb; do loud dpkg-deb -x "$package" "$root"; done
fi
lib=$(dirname "$(find "$root/usr/lib" -name libtoccata.so)")
export LD_LIBRARY_PATH="$lib" PKG_CONFIG_PATH="$lib/pkgconfig" PYTHONPATH="$root/usr/lib/python3/dist-packages"
named=$(grep -rlF --exclude-dir=var -e "$source" -e "$build" "$root" || true)
[ -z "$named" ] || fail "these files name the folder of the build: $named"
! readelf -d "$lib"/*.so.* "$root/usr/bin/toccata" | grep -E 'R(UN)?PATH' || fail "a file has a search path of its own"
"$root/usr/bin/toccata" --version | grep -q . || fail "the command does not run"
gzip -dc "$root/usr/share/man/man1/toccata.1.gz" | grep -q '^\.TH' || fail "no manual page"
gzip -dc "$root/usr/share/man/man1/toccata-check.1.gz" | grep -q 'fail..on..contact' || fail "no manual page of check"
gzip -dc "$root/usr/share/man/man3/toc_scene_find_contacts.3.gz" | grep -q 'reuse' || fail "no manual page of section 3"
# shellcheck disable=SC2046
loud cc "$root/usr/share/doc/libtoccata-dev/examples/hello.c" -o "$work/hello" $(pkg-config --cflags --libs toccata) -lm
"$work/hello" | grep -q 'contacts, the first at' || fail "the program of C does not run"
/usr/bin/python3 -B -c 'import sys, toccata; assert toccata.__file__.startswith(sys.argv[1]); assert toccata.Mesh().vertex_count == 0' \
    "$root" || fail "Python does not find its package"
if [ "$(id -u)" = 0 ]; then
    env -u PYTHONDONTWRITEBYTECODE /usr/bin/python3 -c 'import toccata' || fail "Python does not find its package"
    [ -d "$root/usr/lib/python3/dist-packages/toccata/__pycache__" ] || fail "Python compiled nothing"
    in_root --purge python3-toccata toccata libtoccata-dev "$(sed -n 's/^Package: \(libtoccata[0-9].*\)/\1/p' "$root/var/lib/dpkg/status")"
    [ ! -d "$root/usr/lib/python3/dist-packages/toccata" ] || fail "the folder of the module is left"
    left=$(find "$root" -path "$root/var" -prune -o -type f -print)
    [ -z "$left" ] || fail "left behind: $left"
fi

mkdir "$work/tarball"
tar xzf "$build"/packages/toccata-*.tar.gz -C "$work/tarball" --strip-components 1
[ ! -e "$work/tarball/build" ] || fail "the tarball contains a build"
loud env CMAKE_C_COMPILER_LAUNCHER= cmake -S "$work/tarball" -B "$work/configured" -G Ninja -DTOC_TESTS=OFF -DTOC_BENCH=OFF -DTOC_PACKAGES=ON
loud env CCACHE_DISABLE=1 cmake --build "$work/configured" -j "$(nproc)" --target toccata_base_objects toccata_io_objects
objects=$(cd "$work/configured" && find CMakeFiles -path '*_objects.dir/*.o')
[ -n "$objects" ] || fail "no objects to compare"
for object in $objects; do cmp "$build/$object" "$work/configured/$object" || fail "two folders make another $object"; done
echo "$(find "$build/packages" -name '*.deb' | wc -l) packages, no complaint of lintian"
