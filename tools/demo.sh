#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The demo: sh tools/demo.sh [TOCCATA]. Makes a moving scene, finds every contact of one step, shows them in a picture
# and in files for other programs, and compares the answer with the known one.
set -eu
cd "$(dirname "$0")/.."
toccata=${1:-build/toccata}
out=build/demo
start=$out/cloth-ball-0017.ply end=$out/cloth-ball-0018.ply
known_contacts=414 known_first=0.003967209969658318

show() {
    printf '\n$ toccata %s\n' "$*"
    "$toccata" "$@"
}

show scene cloth-ball --size 40 --frames 19 --out "$out" | sed '5,$d'
echo '...'
show info "$end"
show check "$start" "$end" --preset brute --contacts "$out/contacts.csv" --picture "$out/contacts.png"
"$toccata" check "$start" "$end" --preset brute --contacts "$out/contacts.vtp" --json >"$out/answer.json"

# The first one of a name: those of the pairs of parts follow it.
value() { sed -n "s/.*\"$1\":[[:space:]]*\([^,]*\),\{0,1\}$/\1/p" "$out/answer.json" | sed 1q; }
echo
printf 'picture   %s\ncontacts  %s, and %s for ParaView\n\n' "$out/contacts.png" "$out/contacts.csv" "$out/contacts.vtp"
head -n 4 "$out/contacts.csv"
echo '...'
# The time to 12 digits: the last ones may differ with the C library's sine.
same=$(awk -v a="$(value first)" -v b=$known_first 'BEGIN { print (a - b < 1e-12 && b - a < 1e-12) }')
lines=$(($(wc -l <"$out/contacts.csv") - 1))
if [ "$(value contacts)" != $known_contacts ] || [ "$lines" != $known_contacts ] || [ "$same" != 1 ]; then
    echo "demo: $(value contacts) contacts, $lines in the file, first at $(value first)" >&2
    echo "demo: it should be $known_contacts, first at $known_first" >&2
    exit 1
fi
printf '\nThe answer is right: %s contacts, first at t = %s.\n' "$known_contacts" "$(value first)"
