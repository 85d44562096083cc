#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# workflows.py refuses broken workflows: sh workflows_turn_red.sh SOURCE_DIR. Each case changes one line of a good one.
set -eu
source=$1
/usr/bin/python3 -c 'import yaml' 2>/dev/null || { echo "PyYAML is not installed (Debian: python3-yaml)"; exit 77; }
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/.github"

check() { /usr/bin/python3 -B "$source/tests/house/workflows.py" "$tree"; }
red() { # red WORDS SED_SCRIPT: with this change to the workflow, workflows.py fails and says WORDS
    rm -rf "$tree/.github"
    cp -R "$source/.github" "$tree"
    sed -i "$2" "$tree/.github/workflows/test.yml"
    ! cmp -s "$tree/.github/workflows/test.yml" "$source/.github/workflows/test.yml" || { echo "nothing changed: $2"; exit 1; }
    if said=$(check) || ! printf '%s' "$said" | grep -qF "$1"; then
        echo "not refused ($1): $2; said: $said"
        exit 1
    fi
}

cp -R "$source/.github" "$tree"
check
red 'unknown key: jbos' 's/^jobs:/jbos:/'
red 'no timeout-minutes' '/timeout-minutes: 120/d'
red 'unknown runner: ubuntu-newest' 's/ubuntu-latest/ubuntu-newest/'
red 'no fixed version: actions/checkout' 's/checkout@v4/checkout/'
red 'a row of the matrix has no shells' 's/matrix.shell }}/matrix.shells }}/'
red 'unknown context: matirx' 's/matrix.install }}/matirx.install }}/'
red 'an expression is not closed' 's/matrix.shell }}/matrix.shell }/'
red 'the script is not correct' 's/run: .\/run test/run: if .\/run test; then/'
red 'unknown event: pushed' 's/^  push:/  pushed:/'
red 'either run or uses' 's/^        run: .\/run test/        id: tests/'
