#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A program of Windows, by wine without a display: wine.sh PROGRAM [WORD...]. Its folder of settings is made once, beside the
# builds, so that the user's own stays as it is.
set -eu
: "${WINEPREFIX:=$(cd "$(dirname "$0")/../.." && pwd)/build/wine}"
export WINEPREFIX WINEDEBUG=-all LC_ALL=C.UTF-8 # names of files, which are bytes to this system
unset DISPLAY
mkdir -p "$WINEPREFIX"
if [ ! -e "$WINEPREFIX/made" ]; then
    flock "$WINEPREFIX" sh -c '[ -e "$WINEPREFIX/made" ] || { wine wineboot --init </dev/null; wineserver -w; } && touch "$WINEPREFIX/made"' >/dev/null 2>&1
fi
exec wine "$@"
