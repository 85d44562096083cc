// SPDX-License-Identifier: Apache-2.0
// netCDF's settings for its classic formats, without HDF5 and network, on every system.
#ifndef NETCDF_CONFIG_H
#define NETCDF_CONFIG_H

#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>

#define CHUNK_CACHE_NELEMS 1000
#define CHUNK_CACHE_PREEMPTION 0.75
#define CHUNK_CACHE_SIZE 4194304
#define CHUNK_CACHE_SIZE_NCZARR 4194304
#define DEFAULT_CHUNKS_IN_CACHE 10
#define DEFAULT_CHUNK_SIZE 4194304
#define ENABLE_CDF5 1
#ifdef _WIN32
#define HAVE_ALLOCA 1
#endif
#define HAVE_DIRENT_H 1
#define HAVE_FCNTL_H 1
#define HAVE_INTTYPES_H 1
#define HAVE_PTRDIFF_T 1
#define HAVE_SSIZE_T 1
#define HAVE_STDBOOL_H 1
#define HAVE_STDINT_H 1
#define HAVE_STRDUP 1
#define HAVE_STRINGS_H 1
#if !defined(__GLIBC__) && !defined(_WIN32)
#define HAVE_STRLCAT 1
#endif
#define HAVE_STRNDUP 1
#define HAVE_SYS_STAT_H 1
#define HAVE_SYS_TIME_H 1
#define HAVE_SYS_TYPES_H 1
#define HAVE_TIME_H 1
#define HAVE_UINT64_T 1
#define HAVE_UINTPTR_T 1
#define HAVE_UNISTD_H 1
#define MAX_DEFAULT_CACHE_SIZE 67108864
#define PACKAGE_VERSION "4.9.0"
#define SIZEOF_CHAR 1
#define SIZEOF_DOUBLE 8
#define SIZEOF_FLOAT 4
#define SIZEOF_INT 4
#define SIZEOF_INT64 8
#define SIZEOF_INT64_T 8
#define SIZEOF_LONG __SIZEOF_LONG__
#define SIZEOF_LONGLONG 8
#define SIZEOF_LONG_LONG 8
#define SIZEOF_OFF_T 8
#define SIZEOF_PTRDIFF_T __SIZEOF_PTRDIFF_T__
#define SIZEOF_SHORT 2
#define SIZEOF_SIZE_T __SIZEOF_SIZE_T__
#define SIZEOF_SSIZE_T __SIZEOF_SIZE_T__
#define SIZEOF_UCHAR 1
#define SIZEOF_UINT 4
#define SIZEOF_UINT64 8
#define SIZEOF_UINT64_T 8
#define SIZEOF_ULONGLONG 8
#define SIZEOF_UNSIGNED_INT 4
#define SIZEOF_UNSIGNED_LONG __SIZEOF_LONG__
#define SIZEOF_UNSIGNED_LONG_LONG 8
#define SIZEOF_UNSIGNED_SHORT_INT 2
#define SIZEOF_USHORT 2
#define SIZEOF_VOID_P __SIZEOF_POINTER__
#define USE_CDF5 1
#define VERSION "4.9.0"
#define _S_IREAD 0400
#define _S_IWRITE 0200

#include <ncconfigure.h>

#endif
