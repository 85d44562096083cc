#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A deck run by CalculiX, and its results in text and binary: python3 calculix.py TOCCATA."""

import csv
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
DECK = os.path.join(HERE, "..", "..", "integrations", "calculix", "press.inp")


def solve(name, deck):
    with open(f"{name}.inp", "w", encoding="ascii") as out:
        out.write(deck)
    run = subprocess.run(["ccx", "-i", name], capture_output=True, text=True, check=False)
    assert run.returncode == 0 and os.path.exists(f"{name}.frd"), run.stdout[-2000:]
    return f"{name}.frd"


def main():
    if not shutil.which("ccx"):
        print("skipped: no ccx on the PATH (Debian: calculix-ccx)")
        return 77
    command = os.path.abspath(sys.argv[1])
    with open(DECK, encoding="ascii") as file:
        deck = file.read()

    def toccata(*words, code=0):
        run = subprocess.run([command, *words], capture_output=True, text=True, check=False)
        assert run.returncode == code, (words, run.returncode, run.stdout, run.stderr)
        return run.stdout

    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        text, binary = solve("text", deck), solve("binary", deck.replace("*NODE FILE", "*NODE OUTPUT"))
        info = toccata("info", text)
        assert re.search(r"frames +11;", info) and "RAIL" in info and re.search(r"inverted +0", info), info
        assert re.search(r"surface +closed", info), info
        for path in (text, binary):
            found = toccata("check", path)
            assert "PLATE - RAIL" in found and "PLATE - PUNCH" in found and "PUNCH - RAIL" not in found, found
            # The forgotten pair meets at half of the motion: the plate is 0.2 above the rail, and bends by 0.35 at most.
            first = float(re.search(r"PLATE - RAIL: \d+, first ([0-9.]+)", found)[1])
            assert 0.5 < first < 0.55, first
        toccata("check", text, "--ignore", "PLATE:PUNCH", "--fail-on-contact", code=4)
        toccata("check", text, "--between", "PUNCH,RAIL", "--fail-on-contact")
        toccata("overlaps", text, "--out", "depth.csv")
        deepest = {}
        for name in sorted(glob.glob("depth*.csv")):
            with open(name, encoding="utf-8") as file:
                for row in csv.DictReader(file):
                    parts = tuple(sorted((row["part0"], row["part1"])))
                    deepest[parts] = max(deepest.get(parts, 0), float(row["depth"]))
        assert set(deepest) == {("PLATE", "PUNCH"), ("PLATE", "RAIL")}, deepest
        assert deepest[("PLATE", "RAIL")] > 0.2 > 0.01 > deepest[("PLATE", "PUNCH")] > 0.001, deepest
        os.remove("text.inp")  # the materials are left
        assert "RUBBER" in toccata("info", text)
        os.chdir(HERE)
    print("contacts and penetrations by the parts of the deck")
    return 0


sys.exit(main())
