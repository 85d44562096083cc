#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Break the library on purpose and see whether the campaign's slice finds it: sh mutants.sh SOURCE_DIR WORK_DIR [NAME...].
# Each line of mutants.txt is a name, a file and a sed expression. A mutant that changes nothing, does not build or is not
# found fails the script. TRIALS makes the slice shorter. Not part of ./run test: each mutant is a build and a run.
set -eu
source=$1 work=$2
shift 2
mkdir -p "$work/tree"
(cd "$source" && git ls-files -z | xargs -0 tar cf -) | tar xf - -C "$work/tree"
cd "$work/tree"
cmake -S . -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DTOC_TESTS=ON -DTOC_BENCH=OFF -DTOC_TOOLS=OFF >"$work/log"
cmake --build "$work/build" --target campaign >"$work/log"
slice() { "$work/build/tests/campaign/campaign" --brief --first --seed 1 --trials "${TRIALS:-600}" >"$work/out" 2>/dev/null; }
slice || { echo "the slice fails without a mutant"; exit 1; }
survived=0
tab=$(printf '\t')
while IFS="$tab" read -r name file expression; do
    case $name in '' | '#'*) continue ;; esac
    case " $* " in *" $name "* | '  ') ;; *) continue ;; esac
    cp "$file" "$work/original"
    sed -i "$expression" "$file"
    verdict=found
    if cmp -s "$file" "$work/original"; then
        verdict='CHANGES NOTHING'
    elif ! cmake --build "$work/build" --target campaign >"$work/log" 2>&1; then
        verdict='DOES NOT BUILD'
    elif slice; then
        verdict='NOT FOUND'
    fi
    how=$(grep FAILED "$work/out" 2>/dev/null | tail -n 1 | sed 's/^FAILED //' | cut -c 1-80)
    printf '%-24s %-16s %s\n' "$name" "$verdict" "$how"
    [ "$verdict" = found ] || survived=$((survived + 1))
    rm -f "$work/out"
    cp "$work/original" "$file"
done <tests/campaign/mutants.txt
[ "$survived" = 0 ]
