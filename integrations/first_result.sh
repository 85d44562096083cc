#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# From the page of an integration to its first result, as root on a bare Debian: bash integrations/first_result.sh NAME
#
# Runs the commands of integrations/NAME/README.md, its first block, one after the other; stops at the first that fails. Ends with a row
# of the table in integrations/README.md: seconds on the clock, and of the processor, to install, to build and to the result.
set -euo pipefail
cd "$(dirname "$0")/.."
mapfile -t commands < <(awk '/^    / { print substr($0, 5); begun = 1; next } begun { exit }' "integrations/$1/README.md" | sed 's/  *# .*//')
export DEBIAN_FRONTEND=noninteractive
times=$(mktemp)
trap 'rm -f "$times"' EXIT
TIMEFORMAT='%R %U %S'
declare -A clock processor
run() { # PART COMMAND
    echo "== $2" >&2
    { time bash -c "$2" >&3 2>&3; } 3>&2 2>"$times" || { echo "first_result: '$2' failed" >&2 && exit 1; }
    read -r real user system <"$times"
    clock[$1]=$(awk "BEGIN { print ${clock[$1]-0} + $real }")
    processor[$1]=$(awk "BEGIN { print ${processor[$1]-0} + $user + $system }")
}

run install "apt-get update -qq"
for command in "${commands[@]}"; do
    case $command in
    apt-get*) run install "${command/install/install -y -qq}" ;;
    *'./run build'* | cmake*) run build "$command" ;;
    *) run result "$command" ;;
    esac
done
row="| $1 |"
for part in install build result; do row="$row $(printf '%.0f, %.0f' "${clock[$part]-0}" "${processor[$part]-0}") |"; done
echo "$row"
