#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every header compiles alone, without a warning: the public ones as C11 and as C++17, the inner ones as C17.
# sh headers.sh SOURCE_DIR
set -eu
cd "$1"
strict='-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -fsyntax-only'
alone() { # alone HEADER COMPILER...
    header=$1
    shift
    # shellcheck disable=SC2086
    printf '#include "%s"\ntypedef int not_empty;\n' "$header" | "$@" $strict - || { echo "$header: $*"; exit 1; }
}
# mpi.h needs the header of MPI; where it is absent, the folder mpi/ is not built either.
mpi=$(mpicc --showme:compile 2>/dev/null | tr ' ' '\n' | sed -n 's/^-I/-isystem /p' | tr '\n' ' ') || mpi=
for header in include/toccata/*.h; do
    if [ "$header" = include/toccata/mpi.h ]; then
        # shellcheck disable=SC2086
        [ -z "$mpi" ] || alone toccata/mpi.h cc -x c -std=c11 -Iinclude $mpi
        # shellcheck disable=SC2086
        [ -z "$mpi" ] || alone toccata/mpi.h c++ -x c++ -std=c++17 -Iinclude -DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX $mpi
        continue
    fi
    alone "${header#include/}" cc -x c -std=c11 -Iinclude
    alone "${header#include/}" c++ -x c++ -std=c++17 -Iinclude
done
for header in $(find src -name '*.h'); do
    alone "${header#src/}" cc -x c -std=c17 -Iinclude -Isrc -D_GNU_SOURCE -Wno-unused-function
done
for header in $(find mpi -name '*.h'); do
    # shellcheck disable=SC2086
    [ -z "$mpi" ] || alone "$header" cc -x c -std=c17 -Iinclude -Isrc -I. -D_GNU_SOURCE -Wno-unused-function $mpi
done
for header in $(find sim -name '*.h'); do
    alone "$header" cc -x c -std=c17 -Iinclude -Isrc -I. -D_GNU_SOURCE -Wno-unused-function
done
