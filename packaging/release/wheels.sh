#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Wheels for every system, from one of this machine and the static libraries of each: sh wheels.sh TOP WHEEL OUT_DIR. The code that
# cffi generates is the same everywhere and uses the stable interface of Python 3.9 alone.
set -eu
top=$1 wheel=$2 out=$3
here=$top/packaging/release
work=$top/build/wheels
sources=$top/build/sources
python=/usr/bin/python3
rm -rf "$work"
mkdir -p "$work" "$out"
(cd "$top/python/native" && "$python" -B -c "import sys; from build import builder; builder.emit_c_code(sys.argv[1])" "$work/native.c")
headers=$("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))')
flags="-std=gnu17 -O2 -w -DNDEBUG -I$top/include -I$top/python -fvisibility=hidden"

# Functions with a version later than glibc 2.17, as old_glibc.c has them.
wraps=
for name in pthread_create pthread_join pthread_attr_setstacksize pthread_sigmask dlopen dlsym dlclose log pow hypot stat fstat; do
    wraps="$wraps -Wl,--wrap=$name"
done

# expat and zlib for Linux with glibc: the other builds have them.
packages() { # COMPILER FOLDER
    mkdir -p "$2"
    sed 's/HAVE_GETRANDOM/HAVE_SYSCALL_GETRANDOM/' "$top/build/static/expat/expat_config.h" >"$2/expat_config.h" # glibc has it since 2.25
    for file in "$sources"/expat/expat/lib/xmlparse.c "$sources"/expat/expat/lib/xmlrole.c "$sources"/expat/expat/lib/xmltok.c \
        "$sources"/zlib/adler32.c "$sources"/zlib/crc32.c "$sources"/zlib/deflate.c "$sources"/zlib/inf*.c "$sources"/zlib/trees.c \
        "$sources"/zlib/uncompr.c "$sources"/zlib/compress.c "$sources"/zlib/zutil.c; do
        "$1" -O2 -w -DNDEBUG -fPIC -fvisibility=hidden -D_GNU_SOURCE -DHAVE_UNISTD_H -I"$2" -c "$file" -o "$2/$(basename "$file" .c).o"
    done
}

# build TAG COMPILER SUFFIX LIBRARIES "OPTIONS" FILE...: compile, link, strip, pack.
build() {
    tag=$1 compiler=$2 suffix=$3 libraries=$4 options=$5
    shift 5
    module=$work/$tag/_native.$suffix
    mkdir -p "$work/$tag"
    # shellcheck disable=SC2086
    "$compiler" $flags -shared -fPIC -s -o "$module" "$work/native.c" "$top/python/native/native.c" "$libraries"/libtoccata-view.a \
        "$libraries"/libtoccata-io.a "$libraries"/libtoccata-sim.a "$libraries"/libtoccata.a "$@" $options -static-libgcc -Wl,--exclude-libs,ALL -Wl,--gc-sections \
        -Wl,--build-id=none
    $python -B "$here/wheel.py" "$wheel" "$module" "$tag" "$out" "$sources"/expat/debian/copyright "$sources"/zlib/debian/copyright
}

old="$here/old_glibc.c $wraps -Wl,--no-as-needed -l:libpthread.so.0 -l:libdl.so.2 -lm"
packages cc "$work/packages-x86_64"
build manylinux_2_17_x86_64.manylinux2014_x86_64 cc abi3.so "$top/build" "-I$headers $old" "$work"/packages-x86_64/*.o
packages aarch64-linux-gnu-gcc "$work/packages-aarch64"
arm=$top/build/arm64/usr/include
build manylinux_2_17_aarch64.manylinux2014_aarch64 aarch64-linux-gnu-gcc abi3.so "$top/build/arm-debian" \
    "-I$arm/$(basename "$headers") -I$arm $old" "$work"/packages-aarch64/*.o

static=$top/build/static
mkdir -p "$work/musl-headers"
ln -sfn "$headers" "$work/musl-headers/python"
ln -sfn "/usr/include/$(cc -dumpmachine)" "$work/musl-headers/$(cc -dumpmachine | sed 's/-pc-/-/')"
build musllinux_1_2_x86_64 musl-gcc abi3.so "$static" "-I$work/musl-headers/python -I$work/musl-headers -lm" \
    "$static"/libtoccata_expat.a "$static"/libtoccata_zlib.a "$static"/libtoccata_netcdf.a

# Windows: the headers of the same Python, and an import library of the functions that are used. The linker would choose the address of
# the module by the name of its folder.
windows=$work/windows
mkdir -p "$windows"
cp -r "$headers"/. "$windows/include"
cp "$sources"/python3.11/PC/pyconfig.h "$windows/include/pyconfig.h"
x86_64-w64-mingw32-gcc-posix $flags -DMS_WIN64 -DTOC_STATIC -I"$windows/include" -c "$work/native.c" -o "$windows/native.o"
{
    echo 'LIBRARY "python3.dll"'
    echo EXPORTS
    x86_64-w64-mingw32-nm -u "$windows/native.o" | sed -n 's/.* U \(__imp_\)*\(_*Py[A-Za-z_0-9]*\)$/\2/p' | sort -u
} >"$windows/python3.def"
# Members have the name of the library, and the linker sorts by them: without folders, so that each build sorts alike.
(cd "$windows" && x86_64-w64-mingw32-dlltool -d python3.def -l libpython3.a -D python3.dll)
exe=$top/build/windows
build win_amd64 x86_64-w64-mingw32-gcc-posix pyd "$exe" \
    "-DMS_WIN64 -DTOC_STATIC -I$windows/include -L$windows -lpython3 -static -Wl,--no-insert-timestamp,--disable-auto-image-base" \
    "$exe"/libtoccata_expat.a "$exe"/libtoccata_zlib.a "$exe"/libtoccata_netcdf.a -lws2_32
