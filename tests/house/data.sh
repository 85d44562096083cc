#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ./run data fetches files and checks their sums: sh data.sh SOURCE_DIR. From a folder and from a server of this machine: good files,
# wrong ones, missing ones, a second run.
set -eu
fetch=$1/tests/data/fetch.sh
command -v curl >/dev/null || { echo "curl is not installed"; exit 77; }
work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server"; rm -rf "$work"' EXIT
fail() { echo "$*"; [ ! -e "$work/said" ] || cat "$work/said"; exit 1; }
mkdir -p "$work/from/a"
printf 'one' >"$work/from/a/one"
printf 'two' >"$work/from/two"
row() { printf '%s %s %s %s\n' "$(printf '%s' "$1" | sha256sum | cut -d ' ' -f 1)" "$(printf '%s' "$1" | wc -c)" "$2" "$3"; }
run() { sh "$fetch" "$work/manifest" "$work/to" "$@" >"$work/said" 2>&1; }
says() { grep -qF "$1" "$work/said" || fail "not said: $1"; }

{ echo '# a comment'; row one a/one "file://$work/from/a/one"; row two two "file://$work/from/two"; row three three -; } >"$work/manifest"
run || fail "good files are refused"
says '2 fetched, 0 already there, 0 failed'
says '1 files have no address of their own'
[ "$(cat "$work/to/a/one")" = one ] || fail "the file is another one"
run || fail "a second run fails"
says '0 fetched, 2 already there'

printf 'TWO' >"$work/to/two" # a damaged file is fetched again
run || fail "a damaged file stays"
[ "$(cat "$work/to/two")" = two ] || fail "the damaged file stays"

printf 'twofold' >"$work/from/two"
rm "$work/to/two"
if run; then fail "a wrong sum is accepted"; fi
says '(7 bytes), not'
says '1 failed'
rm "$work/from/two"
if run; then fail "a missing file is accepted"; fi
[ "$(find "$work/to" -type f | wc -l)" = 1 ] || fail "a part of a file stays"

# A server of this machine, as a mirror of all files.
printf 'two' >"$work/from/two"
printf 'three' >"$work/from/three"
rm -r "$work/to"
/usr/bin/python3 -u -m http.server 0 --bind 127.0.0.1 --directory "$work/from" >"$work/server" 2>&1 &
server=$!
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    port=$(sed -n 's/.*port \([0-9]*\).*/\1/p' "$work/server" | sed -n 1p)
    [ -z "$port" ] || break
    sleep 0.5
done
[ -n "$port" ] || fail "the server does not start"
run "http://127.0.0.1:$port/" || fail "a mirror fails"
says '3 fetched, 0 already there, 0 failed'
if run "http://127.0.0.1:$port/none/"; then :; else fail "files that are there are fetched again"; fi
rm "$work/to/three"
if run "http://127.0.0.1:$port/none"; then fail "a file that the server lacks is accepted"; fi
says '404'

# The manifest of the sources: sums of 64 digits, no path twice.
awk '!/^#/ { if (NF != 4 || length($1) != 64 || $2 !~ /^[0-9]+$/ || seen[$3]++) { print FILENAME ": " $0; bad = 1 } } END { exit bad }' \
    "$1/tests/data/manifest.txt"
