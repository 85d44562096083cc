#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The examples run, and draw: sh examples.sh PYTHON EXAMPLES_DIR. Pictures go to the current folder.
set -eu
"$1" -c 'import matplotlib' 2>/dev/null || { echo "matplotlib is not there"; exit 77; }
for script in cloth contact_times line_search; do
    rm -f "$script.png"
    "$1" "$2/$script.py" "$script.png"
    [ -s "$script.png" ] || { echo "$script.py draws nothing"; exit 1; }
done
TOC_DEVICE=emulated "$1" "$2/device_loop.py" 20
