#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# toccata-mpi as a user runs it: sh command.sh BUILD_DIR MPIRUN FAILURES_PROGRAM. The contacts files must be those of
# toccata check, byte for byte, for any number of ranks and threads; failures leave no file and no rank waiting.
set -eu
build=$1 mpirun=$2 failures=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() { echo "$*"; exit 1; }
ranks() { # ranks N ARGUMENTS...: in bounded time
    n=$1
    shift
    timeout 120 "$mpirun" --oversubscribe --allow-run-as-root -n "$n" "$build/toccata-mpi" "$@"
}
same() { cmp "$1" "$2" || fail "$3: other bytes than those of one machine"; }

"$build/toccata" scene cloth-ball --size 20 --frames 25 --out cloth >/dev/null
"$build/toccata" scene hexes --size 3 --out hexes >/dev/null
# shellcheck disable=SC2012
cloth=$(ls cloth/* | sed -n '20,22p') hexes=$(ls hexes/* | sed -n '4,5p')

# One step, in every form.
for form in csv json vtp; do
    # shellcheck disable=SC2086
    "$build/toccata" check $hexes --contacts one.$form >/dev/null
done
for n in 1 2 3 4 7 16; do
    # shellcheck disable=SC2086
    ranks "$n" check $hexes --threads $((1 + n % 2)) --contacts many.csv >said
    same one.csv many.csv "$n ranks"
    grep -q "^contacts" said || fail "$n ranks: no number of contacts"
done
for form in json vtp; do
    # shellcheck disable=SC2086
    ranks 3 check $hexes --contacts many.$form >/dev/null
    same one.$form many.$form "3 ranks, .$form"
done
# shellcheck disable=SC2086
ranks 2 check $hexes --contacts many.pvtp >/dev/null
grep -c 'Piece Source="many-[01].vtp"' many.pvtp | grep -qx 2 || fail "a .pvtp without its pieces"

# A sequence: one file for each step; and the first contact.
# shellcheck disable=SC2086
"$build/toccata" check $cloth --contacts one.csv >/dev/null
# shellcheck disable=SC2086
ranks 3 check $cloth --contacts many.csv --json >said
for step in 0000 0001; do same one-$step.csv many-$step.csv "step $step"; done
grep -q '"steps"' said || fail "no steps in the JSON object"
# shellcheck disable=SC2086
"$build/toccata" check $hexes --answer first --contacts one.csv >/dev/null
# shellcheck disable=SC2086
ranks 4 check $hexes --answer first --contacts many.csv >/dev/null
same one.csv many.csv "the first contact"

# Failures: one line, the exit status of toccata, nothing left behind.
code=0
ranks 3 check missing-0.ply missing-1.ply --contacts none.csv >out 2>err || code=$?
[ "$code" = 1 ] || fail "a missing file: exit status $code, not 1"
[ "$(grep -c '^toccata:' err)" = 1 ] || fail "a missing file: not one line"
code=0
# shellcheck disable=SC2086
ranks 2 check $hexes --contacts nowhere/none.csv >out 2>err || code=$?
[ "$code" = 1 ] || [ "$code" = 3 ] || fail "a missing folder: exit status $code"
# shellcheck disable=SC2086
! ls | grep -E 'none|part-|whole' || fail "files are left behind"
code=0
# shellcheck disable=SC2086
ranks 2 check $hexes --preset rtri >out 2>err || code=$?
[ "$code" = 1 ] && grep -q "can miss" err || fail "a preset that can miss is not refused"

# A rank that is killed: mpirun ends the others.
code=0
timeout 120 "$mpirun" --oversubscribe --allow-run-as-root -n 3 "$failures" killed >out 2>err || code=$?
[ "$code" != 0 ] && [ "$code" != 124 ] || fail "a killed rank: status $code"
