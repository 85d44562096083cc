#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tests and benchmark on the graphics processor of this machine, from the programs in the folder of this script
# (./run device-pack). Fails where there is no device: a skip is no pass.
set -eu
cd "$(dirname "$0")"
LD_LIBRARY_PATH=$PWD TOC_DEVICE=real
export LD_LIBRARY_PATH TOC_DEVICE
if [ -d data ]; then export TOC_DATA="$PWD/data"; fi
./bench.device 1 none
./test.search.device
./bench.device
