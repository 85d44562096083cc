// SPDX-License-Identifier: Apache-2.0
// A look at netCDF files before their library gets them, since it believes what they promise.
#ifndef TOC_IO_EXODUS_NETCDF_H
#define TOC_IO_EXODUS_NETCDF_H

#include "io/core/source.h"

/// Refuse what is no netCDF file, a classic one whose head breaks a rule or that is shorter than its head promises, be
/// it names, attributes or the data of variables, and one in HDF5 that is shorter than it says. What else is wrong
/// within HDF5 is left to the library.
toc_status toc_netcdf_check(toc_source *source);

#endif
