// SPDX-License-Identifier: Apache-2.0
// Checks of netCDF files before their library opens them, since that library trusts the sizes in the file.
#ifndef TOC_IO_EXODUS_NETCDF_H
#define TOC_IO_EXODUS_NETCDF_H

#include "io/core/source.h"

/// Refuse files that are not netCDF, classic files whose header breaks a rule, and files that are shorter than their
/// header says (names, attributes, data of variables). HDF5 files are checked for their length only; the library checks
/// the rest.
toc_status toc_netcdf_check(toc_source *source);

#endif
