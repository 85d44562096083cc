#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fetch the packages of the page's build, once: sh viewer/fetch.sh LOG_DIR. They are those of package-lock.json.
set -eu
mkdir -p "$1"
log=$(cd "$1" && pwd)/npm.log
cd "$(dirname "$0")"
! cmp -s package-lock.json node_modules/.lock || exit 0
# node trusts the certificates of the system, too, as all other programs on it do.
system_certificates=/etc/ssl/certs/ca-certificates.crt
[ ! -e "$system_certificates" ] || export NODE_EXTRA_CA_CERTS="${NODE_EXTRA_CA_CERTS:-$system_certificates}"
npm ci --no-audit --no-fund --loglevel=error >"$log" 2>&1
cp package-lock.json node_modules/.lock
