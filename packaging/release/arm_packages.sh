#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Debian's packages for ARM 64 beside those of this machine, in build/packages: sh arm_packages.sh TOP JOBS. Documents, manual pages and
# Python files are the same; dependencies, too, since Debian has the same versions of its libraries for both.
set -eu
top=$1 jobs=$2
build=$top/build/arm-debian
arm=$top/build/arm64/usr
log=$top/build/arm-debian.log
loud() { "$@" >"$log" 2>&1 || { tail -n 30 "$log" >&2 && echo "release: the packages for ARM failed; see $log" >&2 && exit 1; }; }

configure() {
    loud cmake --preset arm-debian -DTOC_SHARE="$top/build/share" -DTOC_PYTHON_SITE="$build/site" -DTOC_PACKAGES_LIKE="$top/build/packages"
}
cd "$top"
mkdir -p "$build/site"
configure
loud cmake --build --preset arm-debian -j "$jobs"

# The Python package, on the shared libraries.
rm -rf "$build/site"
cp -r "$top/build/debian/wheel/site" "$build/site"
find "$build/site" -name direct_url.json -o -name REQUESTED -o -name RECORD -o -name '_native*.so' -o -name __pycache__ | xargs rm -rf
(cd python/native && /usr/bin/python3 -B -c "import sys; from build import builder; builder.emit_c_code(sys.argv[1])" "$build/native.c")
version=$(/usr/bin/python3 -c 'import sys; print("python%d.%d" % sys.version_info[:2])')
loud aarch64-linux-gnu-gcc -std=gnu17 -O2 -w -DNDEBUG -shared -fPIC -s -Iinclude -Ipython -I"$arm/include/$version" -I"$arm/include" \
    "$build/native.c" python/native/native.c -o "$build/site/toccata/_native.abi3.so" -L"$build" -ltoccata-io -ltoccata-sim -ltoccata \
    -Wl,-rpath-link,"$arm/lib/aarch64-linux-gnu:$arm/../lib/aarch64-linux-gnu" -Wl,--build-id=none
sed -i 's/linux_x86_64/linux_aarch64/' "$build"/site/toccata-*.dist-info/WHEEL

{ cat "$build/CPackConfig.cmake"; echo 'set(CPACK_PACKAGING_INSTALL_PREFIX /usr)'; } >"$build/CPackDebian.cmake"
loud cpack --config "$build/CPackDebian.cmake" -B "$build/packages"
mv "$build"/packages/*.deb "$top/build/packages"
