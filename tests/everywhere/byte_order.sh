#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A big-endian processor is refused by the compiler, with a sentence: byte_order.sh SOURCE_DIR. A little-endian one is not.
set -eu
command -v clang-14 >/dev/null || exit 77
compile() { echo '#include "base/arithmetic.h"' | clang-14 --target="$1" -ffreestanding -fsyntax-only -I "$2/src" -x c - 2>&1; }
compile aarch64-none-elf "$1"
said=$(compile aarch64_be-none-elf "$1") && { echo "big-endian was accepted"; exit 1; }
case $said in
*"needs a little-endian processor"*) ;;
*)
    echo "$said"
    exit 1
    ;;
esac
