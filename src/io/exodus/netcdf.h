// SPDX-License-Identifier: Apache-2.0
// Checks of netCDF files before their library opens them, since that library trusts the sizes in the file.
#ifndef TOC_IO_EXODUS_NETCDF_H
#define TOC_IO_EXODUS_NETCDF_H

#include "io/core/source.h"

/// Refuse files that are not netCDF, classic files whose header breaks a rule or that are shorter than their header
/// says (names, attributes, data of variables), and HDF5 files that are shorter than they say. Other defects of HDF5
/// files are left to the library.
toc_status toc_netcdf_check(toc_source *source);

#endif
