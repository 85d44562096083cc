#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Types are right, in strict mode: sh mypy.sh PYTHON_DIR.
command -v mypy >/dev/null || { echo "mypy is not there"; exit 77; }
cd "$1" && MYPYPATH=. mypy --cache-dir=/dev/null --config-file pyproject.toml toccata tests
