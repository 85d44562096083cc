#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Instructions of one step on one thread, by the commands in one file for x86-64 (build/static) and for ARM 64 (build/arm): sh
# instructions.sh FOLDER. There is no ARM machine here, and times by qemu say nothing; qemu's plugins count. Both commands must find the
# same contacts in every byte.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1"
cd "$1"
command -v qemu-aarch64 >/dev/null && command -v qemu-x86_64 >/dev/null || {
    echo "Instructions are not counted: qemu-user, which takes plugins, is not installed."
    exit 0
}
cc -std=c17 -O2 -shared -fPIC -fvisibility=hidden "$top/bench/qemu/instructions.c" -o count.so

count() { # KERNELS EMULATOR COMMAND FIRST SECOND CONTACTS: millions
    kernels=$1 emulator=$2 command=$3
    shift 3
    # shellcheck disable=SC2086
    TOC_SIMD=$kernels $emulator -plugin ./count.so "$command" check "$1" "$2" --threads 1 --contacts "$3" 2>&1 >/dev/null |
        awk '/^instructions/ { n = $2 } END { if (!n) exit 1; printf "%.1f", n / 1e6 }'
}
row() { # SCENE OPTIONS...
    name="$*" scene=$1
    shift
    rm -rf "$scene" && "$top/build/static/toccata" scene "$scene" --out "$scene" "$@" >/dev/null
    # shellcheck disable=SC2046
    set -- $(find "$scene" -type f | sort | tail -n 2)
    x86=$(count avx2 "qemu-x86_64 -cpu max" "$top/build/static/toccata" "$@" x86.csv)
    arm=$(count neon qemu-aarch64 "$top/build/arm/toccata" "$@" arm.csv)
    one=$(count scalar qemu-aarch64 "$top/build/arm/toccata" "$@" one.csv)
    cmp x86.csv arm.csv && cmp x86.csv one.csv
    ratio=$(awk -v x86="$x86" -v arm="$arm" 'BEGIN { printf "%.2f", x86 / arm }')
    echo "| $name | $(($(wc -l <x86.csv) - 1)) | $x86 | $arm | $one | $ratio |"
}

echo "| scene | contacts | AVX2, million | NEON, million | ARM, one lane | AVX2 / NEON |"
echo "|---|---|---|---|---|---|"
row cloth-ball --size 100 --frames 18
row n-body --size 20 --frames 10
row tets --size 12
echo
echo "Instructions of the whole command, reading included."
