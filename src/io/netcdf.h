// SPDX-License-Identifier: Apache-2.0
// A look at netCDF files before their library gets them, since it believes what they promise.
#ifndef TOC_IO_NETCDF_H
#define TOC_IO_NETCDF_H

#include "io/source.h"

/// Refuse a classic netCDF file that is shorter than its head promises, be it names, attributes or the data of
/// variables. Any other file is left to the library.
toc_status toc_netcdf_check(toc_source *source);

#endif
