#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Models stepped by MuJoCo, and the tests of Watch and Guard: python3 mujoco.py TOCCATA."""

import os
import re
import sys
import tempfile

import compiled


def main():
    if not compiled.links("-lmujoco"):
        print("skipped: no libmujoco, or no C++ compiler (Debian: libmujoco-dev, g++)")
        return 77
    models = os.path.join(compiled.SOURCE, "integrations", "mujoco")
    with tempfile.TemporaryDirectory() as folder:
        build = compiled.Build(sys.argv[1], folder, [f"-I{models}", "-lmujoco"])
        os.chdir(folder)
        print(compiled.run(build.program("tests/apps/mujoco.cpp"), models))
        watch = build.program("integrations/mujoco/watch.cpp")
        said = compiled.run(watch, f"{models}/bullets.xml", "0.1")
        print(said)
        seen = re.search(r"50 steps, (\d+) contacts of geoms", said)
        assert seen and int(seen[1]) >= 10, said
        guarded = compiled.run(watch, f"{models}/bullets.xml", "0.1", "--guard", folder)
        assert " 0 contacts of geoms" in guarded and os.path.exists("frame-0009.vtu"), guarded
        assert "16 edge, 120 triangle" in compiled.run(build.command, "info", "frame-0009.vtu")
        compiled.refused([watch, "none.xml", "1"], 1, "none.xml")
        compiled.refused([watch], 2, "usage")
        os.chdir(compiled.SOURCE)
    return 0


sys.exit(main())
