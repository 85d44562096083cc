#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Hyperelastic blocks with FEniCSx: python3 fenicsx.py TOCCATA. 200 steps, and no intersection in any iterate."""

import importlib.util
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.path.join(HERE, "..", "..", "integrations", "fenicsx", "blocks.py")


def main():
    for module, package in (("dolfinx", "python3-dolfinx"), ("scipy", "python3-scipy")):
        if importlib.util.find_spec(module) is None:
            print(f"skipped: no {module} (Debian: {package})")
            return 77
    site = os.path.join(os.path.dirname(os.path.abspath(sys.argv[1])), "python")
    if not os.path.isdir(os.path.join(site, "toccata")):
        print(f"skipped: no Python package of Toccata in {site}")
        return 77
    environment = dict(os.environ, PYTHONPATH=site, OMP_NUM_THREADS="1")
    run = subprocess.run(["/usr/bin/python3", PROGRAM, "--steps", "200"], env=environment, capture_output=True, text=True, check=False)
    print(run.stdout, run.stderr[-2000:])
    said = re.search(r"200 steps, (\d+) iterates, 0 crossing faces", run.stdout)
    return 0 if run.returncode == 0 and said and int(said[1]) > 200 else 1


sys.exit(main())
