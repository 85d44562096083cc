#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The command for Windows (by wine) and that in one file for Linux, beside that of this machine: sh systems.sh FOLDER [RUNS]. One thread,
# the search of one step, without reading files. Runs take turns, and the least time of each counts, for machines are busy. Contacts must
# be the same in every byte.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
folder=$1 runs=${2:-15}
mkdir -p "$folder"
cd "$folder"
command_of() {
    case $1 in
    here) echo "$top/build/toccata" ;;
    static) echo "$top/build/static/toccata" ;;
    windows) echo "sh $top/tests/everywhere/wine.sh $top/build/windows/toccata.exe" ;;
    esac
}

measure() { # SCENE FIRST SECOND: the least time of each system, in times
    rm -f times
    for run in $(seq "$runs"); do
        for system in here static windows; do
            # shellcheck disable=SC2046
            $(command_of $system) check "$2" "$3" --threads 1 --json --contacts "$system.csv" >said
            sed -n "/^\t\"ms\":/ { s/.*:[^0-9]*\([0-9.]*\).*/$system \1/p; q; }" said >>times
            [ $system = here ] || cmp here.csv $system.csv
        done
    done
    [ "$(wc -l <times)" = $((3 * runs)) ] || { echo "systems: no times in what the commands said" >&2 && exit 1; }
}

echo "| scene | contacts | gcc, glibc ms | one file, musl | Windows, wine |"
echo "|---|---|---|---|---|"
row() { # SCENE OPTIONS...
    scene=$1
    shift
    rm -rf "$scene"
    "$top/build/toccata" scene "$scene" --out "$scene" "$@" >/dev/null
    first=$(find "$scene" -type f | sort | tail -n 2 | head -n 1)
    measure "$scene" "$first" "$(find "$scene" -type f | sort | tail -n 1)"
    awk -v scene="$scene $*" -v contacts="$(($(wc -l <here.csv) - 1))" '
        !($1 in least) || $2 < least[$1] { least[$1] = $2 }
        END {
            printf "| %s | %d | %.1f | %.2f | %.2f |\n", scene, contacts, least["here"], least["here"] / least["static"],
                least["here"] / least["windows"]
        }' times
}
row cloth-ball --size 150 --frames 18
row n-body --size 20 --frames 10
row tets --size 12
echo
echo "Speed as a multiple of the first column's; the least of $runs runs each."
