# SPDX-License-Identifier: Apache-2.0
# Libraries for a system for which Debian has no binaries, from the sources that cmake/sources.sh has fetched into
# TOC_SOURCES: targets of the names that find_package and pkg-config give.
foreach(file expat/expat/lib/xmlparse.c zlib/inflate.c cjson/cJSON.c)
  if(NOT EXISTS ${TOC_SOURCES}/${file})
    message(FATAL_ERROR "TOC_SOURCES lacks ${file}: run sh cmake/sources.sh ${TOC_SOURCES} expat zlib cjson; for tests also cmocka gmp")
  endif()
endforeach()

# add_sources(TARGET ALIAS INCLUDE_DIR SOURCE...)
function(add_sources target alias include)
  list(TRANSFORM ARGN PREPEND ${TOC_SOURCES}/)
  add_library(${target} STATIC EXCLUDE_FROM_ALL ${ARGN})
  add_library(${alias} ALIAS ${target})
  target_include_directories(${target} SYSTEM PUBLIC ${include})
  target_compile_options(${target} PRIVATE -w)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON C_EXTENSIONS ON)
endfunction()

# Headers of one file are found as <stb/...> and <cjson/...>. This machine has stb for every system.
set(sources_include ${PROJECT_BINARY_DIR}/sources)
configure_file(${TOC_SOURCES}/cjson/cJSON.h ${sources_include}/cjson/cJSON.h COPYONLY)
find_path(TOC_STB stb/stb_image_write.h PATHS /usr/include NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH REQUIRED)
configure_file(${TOC_STB}/stb/stb_image_write.h ${sources_include}/stb/stb_image_write.h COPYONLY)

set(expat expat/expat/lib)
add_sources(toccata_expat EXPAT::EXPAT ${TOC_SOURCES}/${expat} ${expat}/xmlparse.c ${expat}/xmlrole.c ${expat}/xmltok.c)
# Debian's settings. Its hash takes its seed from the system.
set(random HAVE_GETRANDOM)
if(WIN32)
  set(random TOC_RAND_S)
endif()
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/expat/expat_config.h CONTENT "#define BYTEORDER 1234
#define XML_CONTEXT_BYTES 1024
#define XML_DTD 1
#define XML_NS 1
#define ${random} 1
")
target_include_directories(toccata_expat PRIVATE ${PROJECT_BINARY_DIR}/expat)
target_compile_definitions(toccata_expat PRIVATE _GNU_SOURCE PUBLIC XML_STATIC)
set(EXPAT_FOUND ON)

add_sources(toccata_zlib ZLIB::ZLIB ${TOC_SOURCES}/zlib zlib/adler32.c zlib/compress.c zlib/crc32.c zlib/deflate.c
            zlib/gzclose.c zlib/gzlib.c zlib/gzread.c zlib/gzwrite.c zlib/inffast.c zlib/inflate.c zlib/inftrees.c
            zlib/trees.c zlib/uncompr.c zlib/zutil.c)
if(NOT WIN32)
  target_compile_definitions(toccata_zlib PRIVATE HAVE_UNISTD_H)
endif()
set(ZLIB_FOUND ON)

# netCDF's classic formats, for Exodus files; those of HDF5 are not read.
set(netcdf ${TOC_SOURCES}/netcdf)
if(EXISTS ${netcdf}/libsrc/attr.c)
  include(${CMAKE_CURRENT_LIST_DIR}/netcdf.cmake)
  add_library(toccata_netcdf STATIC EXCLUDE_FROM_ALL ${netcdf_sources})
  target_include_directories(toccata_netcdf SYSTEM PUBLIC ${netcdf}/include)
  target_include_directories(toccata_netcdf PRIVATE ${netcdf_includes})
  # Its version has no time of the build: an object kept from an earlier commit would have another one.
  target_compile_options(toccata_netcdf PRIVATE -w -Os -ffunction-sections [[-D__DATE__="this"]] [[-D__TIME__="build"]])
  target_link_options(toccata_netcdf INTERFACE -Wl,--gc-sections)
  target_compile_definitions(toccata_netcdf PRIVATE HAVE_CONFIG_H _GNU_SOURCE)
  set_target_properties(toccata_netcdf PROPERTIES POSITION_INDEPENDENT_CODE ON C_EXTENSIONS ON)
endif()

add_sources(toccata_cjson PkgConfig::CJSON ${sources_include} cjson/cJSON.c)
if(TOC_TESTS)
  add_sources(toccata_cmocka PkgConfig::CMOCKA ${TOC_SOURCES}/cmocka/include cmocka/src/cmocka.c)
  target_compile_definitions(toccata_cmocka PRIVATE HAVE_STDINT_H HAVE_STDARG_H HAVE_STDDEF_H HAVE_SETJMP_H HAVE_SIGNAL_H
    HAVE_STRINGS_H HAVE_TIME_H HAVE_UNISTD_H HAVE_MALLOC_H HAVE_INTTYPES_H HAVE_STRUCT_TIMESPEC HAVE_CLOCK_GETTIME
    HAVE_CLOCK_REALTIME HAVE_GCC_THREAD_LOCAL_STORAGE WORDS_SIZEOF_VOID_P=8)
  add_sources(toccata_gmp PkgConfig::GMP ${TOC_SOURCES}/gmp/mini-gmp gmp/mini-gmp/mini-gmp.c gmp/mini-gmp/mini-mpq.c)
  target_compile_definitions(toccata_gmp PRIVATE "GMP_LIMB_MAX=(~(mp_limb_t)0)") # missing in 6.2.1
  target_include_directories(toccata_gmp SYSTEM PUBLIC ${PROJECT_SOURCE_DIR}/tests/support/small_gmp)
endif()
