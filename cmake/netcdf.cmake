# SPDX-License-Identifier: Apache-2.0
# The classic formats of netCDF, which need no HDF5, and its list of open files, from the sources in `netcdf`: sets netcdf_sources and
# netcdf_includes.
set(netcdf_here ${CMAKE_CURRENT_LIST_DIR}/netcdf)
set(netcdf_sources ${netcdf}/liblib/nc_initialize.c ${netcdf_here}/stand_ins.c)
foreach(name attr dim lookup3 memio nc3dispatch nc3internal ncio ncx posixio putget v1hpg var)
  list(APPEND netcdf_sources ${netcdf}/libsrc/${name}.c)
endforeach()
foreach(name datt dattget dattinq dauth dcrc32 dcrc64 ddim ddispatch derror dfile dgroup dinfermodel dinternal dnotnc4
             doffsets dpathmgr drc dreadonly ds3util dstring dtype dutil dvar dvarget dvarinq dvarput nc ncbytes
             nchashmap nclist nclistmgr nclog ncuri)
  list(APPEND netcdf_sources ${netcdf}/libdispatch/${name}.c)
endforeach()
# The header that netCDF's own build makes.
file(STRINGS ${netcdf}/CMakeLists.txt dispatch_line REGEX "NC_DISPATCH_VERSION [0-9]+")
string(REGEX REPLACE ".*NC_DISPATCH_VERSION ([0-9]+).*" "\\1" NC_DISPATCH_VERSION "${dispatch_line}")
configure_file(${netcdf}/include/netcdf_dispatch.h.in ${CMAKE_BINARY_DIR}/packages/netcdf/netcdf_dispatch.h @ONLY)
set(netcdf_includes ${CMAKE_BINARY_DIR}/packages/netcdf ${netcdf_here} ${netcdf}/include ${netcdf}/libsrc)
# A reader of meshes opens no file of credentials in the folder of the user.
set_source_files_properties(${netcdf}/libdispatch/drc.c PROPERTIES COMPILE_DEFINITIONS NC_readfile=toc_netcdf_no_file)
