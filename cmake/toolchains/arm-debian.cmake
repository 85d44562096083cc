# SPDX-License-Identifier: Apache-2.0
# Debian on ARM 64, for its packages: shared libraries, with those of Debian that cmake/binaries.sh has unpacked.
include(${CMAKE_CURRENT_LIST_DIR}/arm.cmake)
get_filename_component(arm64 ${CMAKE_CURRENT_LIST_DIR}/../../build/arm64 ABSOLUTE)
set(CMAKE_EXE_LINKER_FLAGS_INIT "-Wl,-rpath-link,${arm64}/lib/aarch64-linux-gnu:${arm64}/usr/lib/aarch64-linux-gnu")
list(APPEND CMAKE_FIND_ROOT_PATH ${arm64})
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(ENV{PKG_CONFIG_LIBDIR} ${arm64}/usr/lib/aarch64-linux-gnu/pkgconfig)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${arm64})
# No search path, which packages do not have: that of this build would leave its length in the files.
set(CMAKE_SKIP_RPATH ON)
