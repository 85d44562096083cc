#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fuzz every reader for its share of the time: sh fuzz.sh BUILD_FOLDER HOURS JOBS, from the root of the repository.
# New inputs go to BUILD_FOLDER/found/FORMAT. Ends with a table, and with 1 if a reader failed; the input that made it fail is
# kept and named.
set -eu
build=$1 hours=$2 jobs=$3
programs=$build/tests/fuzz found=$build/found
formats=$(ls tests/fuzz/corpus)
# shellcheck disable=SC2086
count=$(printf '%s\n' $formats | wc -l)
share=$(awk -v h="$hours" -v n="$count" -v j="$jobs" 'BEGIN { if (j > n) j = n; s = h * 3600 * j / n; print s < 1 ? 1 : int(s) }')
children=
trap 'for child in $children; do kill "$child" 2>/dev/null || true; done' EXIT
trap 'exit 130' INT TERM

entries() { find "$found/$1" -type f | wc -l; }

start() {
    mkdir -p "$found/$1"
    entries "$1" >"$found/$1.before"
    "$programs/fuzz.$1" -max_total_time="$share" -max_len=16384 -timeout=20 -print_final_stats=1 \
        -artifact_prefix="$found/$1-" "$found/$1" "tests/fuzz/corpus/$1" >"$found/$1.log" 2>&1 &
    children="$children $!"
}

# One row: executions, seconds and edges of the program that were reached, as libFuzzer tells them; new inputs, and the input
# that failed.
report() {
    log=$found/$1.log
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    seconds=$(sed -n 's/^Done [0-9]* runs in \([0-9]*\) second.*/\1/p' "$log")
    failure=$(sed -n 's/^.*Test unit written to //p' "$log" | head -n 1)
    edges=$(sed -n 's/^#[0-9]*[[:space:]]*DONE *cov: \([0-9]*\).*/\1/p' "$log")
    new=$(($(entries "$1") - $(cat "$found/$1.before")))
    printf '%-8s %14s %9s %7s %6d  %s\n' "$1" "${runs:--}" "${seconds:--}" "${edges:--}" "$new" "${failure:-${2:+failed: $log}}"
}

mkdir -p "$found"
rows=$found/table.txt
: >"$rows"
begun=0 failed=0 running=
# Wait for the targets under way, and note how they ended.
finish() {
    for pair in $running; do
        code=0
        wait "${pair#*:}" || code=$?
        [ "$code" = 0 ] || failed=$((failed + 1))
        report "${pair%%:*}" "$([ "$code" = 0 ] || echo "$code")" >>"$rows"
    done
    running= children=
}

for format in $formats; do
    begun=$((begun + 1))
    echo "fuzz $begun of $count: $format, $share s"
    start "$format"
    running="$running $format:$!"
    [ $((begun % jobs)) != 0 ] || finish
done
finish
printf '\n%-8s %14s %9s %7s %6s  %s\n' target executions seconds edges new failure
cat "$rows"
if [ "$failed" = 0 ]; then
    printf '\n%d targets, none failed; new inputs are in %s\n' "$count" "$found"
else
    printf '\n%d of %d targets failed; the inputs are named above\n' "$failed" "$count"
    exit 1
fi
