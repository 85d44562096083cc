# SPDX-License-Identifier: Apache-2.0
# Windows, 64 bit, with Debian's gcc-mingw-w64-x86-64-posix. Programs need no DLL but those of Windows.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER x86_64-w64-mingw32-gcc-posix)
set(CMAKE_RC_COMPILER x86_64-w64-mingw32-windres)
# Warnings: mingw knows another printf, and its isfinite converts. gcc aligns the stack to 16 bytes here and spills registers of 32 and 64 bytes as if aligned (gcc bug 54412).
set(CMAKE_C_FLAGS_INIT "-Wa,-muse-unaligned-vector-move -D__USE_MINGW_ANSI_STDIO=1 -D_FILE_OFFSET_BITS=64 -Wno-format -Wno-float-conversion")
# Without the time of the link the same sources make the same bytes.
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static -Wl,--no-insert-timestamp")
set(CMAKE_SHARED_LINKER_FLAGS_INIT "-static -Wl,--no-insert-timestamp")
get_filename_component(wine ${CMAKE_CURRENT_LIST_DIR}/../../tests/everywhere/wine.sh ABSOLUTE)
set(CMAKE_CROSSCOMPILING_EMULATOR sh ${wine})
set(CMAKE_FIND_ROOT_PATH /usr/x86_64-w64-mingw32)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
