#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tests and benchmark on the graphics processor of this machine, from the programs in the folder of this script
# (./run device-pack). Each has a limit of seconds; what it printed until then is shown. All run, whatever fails. Fails
# where there is no device: a skip is no pass.
#
#     sh device.sh [SECONDS]     of each test and benchmark; 120
set -u
cd "$(dirname "$0")" || exit 1
seconds=${1:-120} failed=0
LD_LIBRARY_PATH=$PWD
TOC_DEVICE=real # not the emulated one
export LD_LIBRARY_PATH TOC_DEVICE
if [ -d data ]; then export TOC_DATA="$PWD/data"; fi

limited() {
    echo "-- $*"
    timeout -k 5 "$seconds" "$@" 2>&1
    status=$?
    if [ $status -eq 124 ] || [ $status -eq 137 ]; then echo "device.sh: $1 did not end in $seconds seconds"; fi
    if [ $status -ne 0 ]; then failed=1; fi
    return $status
}

limited ./bench.device 1 none || exit 1
limited ./test.scene.device_share
limited ./test.search.device
limited ./test.search.device_volumes
limited ./test.ask.device
limited ./test.search.agreement 1e8 400
limited ./bench.device
limited ./bench.device_questions
if [ $failed -ne 0 ]; then echo "device.sh: something failed, see above"; fi
exit $failed
