// SPDX-License-Identifier: Apache-2.0
// Parts of netCDF that its classic formats need only by name. Names in Exodus files are ASCII and need no tables of
// Unicode, which are larger than the rest of the library.
#include <config.h>
#include <nc4internal.h>
#include <ncrc.h>
#include <ncutf8.h>
#include <string.h>

// Files of settings in the user's folders are ignored.
NCglobalstate *NC_getglobalstate(void) {
    static NCRCinfo settings = {.ignore = 1};
    static NCglobalstate state = {.rcinfo = &settings};
    return &state;
}

int nc_utf8_validate(const unsigned char *name) {
    (void)name;
    return NC_NOERR;
}

int nc_utf8_normalize(const unsigned char *name, unsigned char **out) {
    *out = (unsigned char *)strdup((const char *)name);
    return *out ? NC_NOERR : NC_ENOMEM;
}

int toc_netcdf_no_file(const char *path, NCbytes *content);
int toc_netcdf_no_file(const char *path, NCbytes *content) {
    (void)path;
    (void)content;
    return NC_EACCESS;
}

// Functions of the format of HDF5 that others name.
void NC_freeglobalstate(void) {}

int nc_def_var_filter(int file, int variable, unsigned int id, size_t count, const unsigned int *values) {
    (void)file, (void)variable, (void)id, (void)count, (void)values;
    return NC_ENOTNC4;
}

int nc_inq_var_filter_info(int file, int variable, unsigned int id, size_t *count, unsigned int *values) {
    (void)file, (void)variable, (void)id, (void)count, (void)values;
    return NC_ENOTNC4;
}
