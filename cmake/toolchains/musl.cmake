# SPDX-License-Identifier: Apache-2.0
# Linux on x86-64 with musl, by Debian's musl-tools. Programs are static: they run on every distribution.
set(CMAKE_C_COMPILER musl-gcc)
set(CMAKE_EXE_LINKER_FLAGS_INIT -static)
