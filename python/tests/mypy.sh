#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Types are right, in strict mode, and refuse wrong settings of a caller: sh mypy.sh PYTHON_DIR SITE. SITE is the installed
# package, which a caller's mypy sees without any option.
command -v mypy >/dev/null || { echo "mypy is not there"; exit 77; }
site=$2
cd "$1" && MYPYPATH=. mypy --cache-dir=/dev/null --config-file pyproject.toml toccata tests stubs.py || exit 1
MYPYPATH=$site mypy --cache-dir=/dev/null --config-file= --strict --follow-imports=silent tests/test_toccata.py || exit 1

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/wrong.py" <<'END'
import toccata

toccata.Scene().contacts(threads="two")
toccata.Scene().safe_step(thread=2)
toccata.contacts([], [], [], answer="some")
toccata.pair.find("vf", [], [], exact="no")
toccata.Scene().candidates().near(1.0, "middle")
toccata.Scene().near(1.0, device="tpu")
END
cat >"$work/right.py" <<'END'
import toccata

scene = toccata.Scene(toccata.Mesh())
fraction: float = scene.safe_step(threads=2, preset="auto", thin=True, filter=lambda kind, bodies, v: True)
found: toccata.Contacts = scene.contacts(answer="first", device="cpu", filter=None, progress=print)
nothing: int = toccata.NOTHING
mesh: toccata.Mesh = toccata.World(toccata.Mesh()).mesh
toccata.pair.find("vf", [], [], exact=True, time=(0.0, 0.5))
found.to_dict()["v0"]
END
check() { MYPYPATH=$1 mypy --cache-dir=/dev/null --config-file="$2" --strict --follow-imports=silent "$work/$3.py" >"$work/said"; }
for types in ". pyproject.toml" "$site "; do
    path=${types% *} config=${types#* }
    check "$path" "$config" right || { cat "$work/said"; exit 1; }
    check "$path" "$config" wrong && { echo "wrong settings pass: $path"; exit 1; }
    for line in 3 4 5 6 7 8; do grep -q "wrong.py:$line: error" "$work/said" || { cat "$work/said"; exit 1; }; done
done
