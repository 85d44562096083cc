#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# SHA256SUMS of the files in a folder, and its signature SHA256SUMS.asc by the key of gpg that TOC_SIGNING_KEY names: sums.sh FOLDER.
# sums.sh --key tells only whether that key can sign.
set -eu
key=${TOC_SIGNING_KEY-}
if [ -n "$key" ] && ! gpg --batch --list-secret-keys -- "$key" >/dev/null 2>&1; then
    echo "TOC_SIGNING_KEY: gpg has no secret key of this name: $key (gpg --list-secret-keys lists them)" >&2
    exit 1
fi
[ "$1" != --key ] || exit 0
cd "$1"
rm -f SHA256SUMS SHA256SUMS.asc
sums=$(sha256sum -- *)
printf '%s\n' "$sums" >SHA256SUMS
[ -z "$key" ] || gpg --batch --yes --armor --local-user "$key" --output SHA256SUMS.asc --detach-sign SHA256SUMS
