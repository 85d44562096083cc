#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fuzz every reader for its share of the time: sh fuzz.sh PROGRAM FOUND HOURS JOBS, with the program fuzz.readers. The corpus
# is beside this script. New inputs go to FOUND/FORMAT. Ends with a table, and with 1 if a reader failed; the input that made
# it fail is kept and named. FORMATS: some formats only; FUZZ_RUNNER: words before the program.
set -eu
program=$1 found=$2 hours=$3 jobs=$4
corpus=$(dirname "$0")/corpus
formats=${FORMATS:-$(ls "$corpus")}
# shellcheck disable=SC2086
count=$(printf '%s\n' $formats | wc -l)
share=$(awk -v h="$hours" -v n="$count" -v j="$jobs" 'BEGIN {
    rounds = int((n + j - 1) / j); s = h * 3600 / rounds; print s < 1 ? 1 : int(s) }')
children=
trap 'for child in $children; do kill "$child" 2>/dev/null || true; done' EXIT
trap 'exit 130' INT TERM

entries() { find "$found/$1" -type f | wc -l; }

# Short inputs run more often: half as long again as the longest sample, at least 1,024 bytes.
longest() {
    find "$corpus/$1" -type f -exec wc -c {} + | awk '$2 != "total" && $1 > most { most = $1 }
        END { most *= 1.5; print most < 1024 ? 1024 : int(most) }'
}

start() {
    mkdir -p "$found/$1"
    entries "$1" >"$found/$1.before"
    # shellcheck disable=SC2086
    ${FUZZ_RUNNER-} "$program" "--format=$1" -max_total_time="$share" -max_len="$(longest "$1")" -timeout=20 \
        -print_final_stats=1 -artifact_prefix="$found/$1-" "$found/$1" "$corpus/$1" >"$found/$1.log" 2>&1 &
    children="$children $!"
}

# One row: executions, seconds, and edges that were reached, of those of all readers together, as libFuzzer tells them; new
# inputs, and the input that failed.
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
awk '{ runs += $2; seconds += $3 } END { printf "%-8s %14d %9d\n", "all", runs, seconds }' "$rows"
edges=$(sed -n 's/^INFO: Loaded 1 modules *(\([0-9]*\) inline.*/\1/p' "$found"/*.log | head -n 1)
printf '\nedges of the code of all readers together: %s\n' "${edges:--}"
sed -n 's/^model name[[:space:]]*: /processor: /p' /proc/cpuinfo | head -n 1
if [ "$failed" = 0 ]; then
    printf '%d targets, none failed; new inputs are in %s\n' "$count" "$found"
else
    printf '%d of %d targets failed; the inputs are named above\n' "$failed" "$count"
    exit 1
fi
