// SPDX-License-Identifier: Apache-2.0
// Parts of netCDF that its classic formats need only by name. Names in Exodus files are ASCII and need no tables of
// Unicode, which are larger than the rest of the library.
#include <config.h>
#include <nc4internal.h>
#include <ncutf8.h>
#include <string.h>

NCglobalstate *NC_getglobalstate(void) {
    static NCglobalstate state;
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
