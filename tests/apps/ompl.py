#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Plans with OMPL, and the tests of its validators: python3 ompl.py TOCCATA."""

import os
import re
import sys
import tempfile

import compiled


def main():
    flags = compiled.package("ompl")
    if flags is None or not compiled.links():
        print("skipped: no OMPL, or no C++ compiler (Debian: libompl-dev, g++)")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        build = compiled.Build(sys.argv[1], folder, [f"-I{compiled.SOURCE}/integrations/ompl", *flags])
        print(compiled.run(build.program("tests/apps/ompl.cpp", "-Wconversion")))
        plan = build.program("integrations/ompl/plan.cpp", "-Wconversion")
        for problem, seed in (("window", "1"), ("shelf", "2"), ("corner", "2")):
            frames = os.path.join(folder, problem)
            os.mkdir(frames)
            said = compiled.run(plan, problem, seed, frames)
            print(said)
            assert re.search(r"a path of \d+ states, .*proven free", said), said
            # The frames of the path, which the command checks as straight steps: contacts with the world are none.
            names = sorted(os.path.join(frames, name) for name in os.listdir(frames) if name.startswith("path-"))
            assert len(names) >= 100, names
            for link in range(1, 7 if problem == "shelf" else 2):
                found = compiled.run(build.command, "check", *names, "--no-self", "--between", f"0,{link}")
                assert "0 contacts in 0 of" in found, found
        compiled.refused([plan, "nowhere"], 1, "there is no problem nowhere")
    return 0


sys.exit(main())
