#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# All files of a release in build/release: sh release.sh TOP, after `./run release` has built the command, the libraries and the page for
# each system. The same programs make the same bytes: times are SOURCE_DATE_EPOCH, names are sorted, no file names its machine.
set -eu
top=$1
here=$top/packaging/release
build=$top/build
out=$build/release
work=$build/release.work
rm -rf "$out" "$work"
mkdir -p "$out" "$work"
part() { sed -n "s/^#define TOC_VERSION_$1 //p" "$top/include/toccata/version.h"; }
version=$(part MAJOR).$(part MINOR).$(part PATCH)
pack() { /usr/bin/python3 -B "$here/archive.py" "$1" "$out/$2"; }

# The papers beside every program, with the licences of the libraries in it.
papers() {
    mkdir -p "$1"
    cp "$top/LICENSE" "$top/README.md" "$top/CHANGELOG.md" "$1"
    for library in expat zlib netcdf cjson; do cp "$build/sources/$library/debian/copyright" "$1/LICENSE.$library"; done
}

for system in linux-x86_64:static:strip linux-aarch64:arm:aarch64-linux-gnu-strip; do
    name=toccata-$version-${system%%:*} folder=${system#*:}
    papers "$work/$name"
    "${folder#*:}" -o "$work/$name/toccata" "$build/${folder%:*}/toccata"
    pack "$work/$name" "$name.tar.gz"
done

# Windows: the command needs no DLL of ours; libraries are for programs of others.
name=toccata-$version-windows-x86_64
DESTDIR=$work/$name.install cmake --install "$build/windows-dll" --prefix / >"$work/install.log"
mkdir -p "$work/$name"
cp -r "$work/$name.install"/. "$work/$name"
papers "$work/$name"
cp "$build/windows/toccata.exe" "$work/$name/bin/toccata.exe"
x86_64-w64-mingw32-strip "$work/$name"/bin/*.exe "$work/$name"/bin/*.dll
mkdir "$work/zip" # its one folder has the name of the archive, as those of tar have
mv "$work/$name" "$work/zip"
pack "$work/zip" "$name.zip"

sh "$here/wheels.sh" "$top" "$build"/wheel/toccata-"$version"-*.whl "$out"
(cd "$work" && npm pack --silent "$build/wasm/package" >/dev/null && mv toccata-"$version".tgz "$out/toccata-npm-$version.tgz")
mv "$build"/packages/*.deb "$out"
mkdir "$work/source"
tar xzf "$build/packages/toccata-$version.tar.gz" -C "$work/source"
pack "$work/source/toccata-$version" "toccata-$version.tar.gz"
if [ -n "${TOC_ADDRESS-}" ]; then
    /usr/bin/python3 -B "$top/packaging/recipes.py" "$work/toccata-recipes-$version" "$TOC_ADDRESS" "$out/toccata-$version.tar.gz"
    pack "$work/toccata-recipes-$version" "toccata-recipes-$version.tar.gz"
fi

sh "$here/sums.sh" "$out"
rm -rf "$work"
