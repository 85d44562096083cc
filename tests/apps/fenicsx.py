#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Hyperelastic blocks with FEniCSx: python3 fenicsx.py TOCCATA. 200 steps, and no intersection in any iterate; fewer with two processes. And
an XDMF file that FEniCSx writes is read."""

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.path.join(HERE, "..", "..", "integrations", "fenicsx", "blocks.py")


# A cube whose top comes down through its bottom, linearly: all of it is flat after the first half of the second step.
SQUASH = """
import sys
import numpy as np
from mpi4py import MPI
from dolfinx import fem, io, mesh
cube = mesh.create_unit_cube(MPI.COMM_WORLD, 2, 2, 2)
u = fem.Function(fem.VectorFunctionSpace(cube, ("CG", 1)), name="displacement")
with io.XDMFFile(cube.comm, sys.argv[1], "w") as file:
    file.write_mesh(cube)
    for step in range(3):
        u.interpolate(lambda x: np.vstack([0 * x[0], 0 * x[0], -2 / 3 * step * x[2]]))
        file.write_function(u, 0.5 * step)
"""


def check_xdmf(command):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "squash.xdmf")
        environment = dict(os.environ, XDG_CACHE_HOME=folder)
        subprocess.run(["/usr/bin/python3", "-c", SQUASH, path], env=environment, check=True, capture_output=True)
        run = subprocess.run([command, "check", path, "--json"], check=True, capture_output=True, text=True)
    steps = json.loads(run.stdout)["steps"]
    assert [s["contacts"] > 0 for s in steps] == [False, True], steps
    assert abs(steps[1]["first_time"] - 0.75) < 1e-6, steps[1]["first_time"]


def run_blocks(words, steps, environment):
    run = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    print(run.stdout, run.stderr[-2000:])
    said = re.search(rf"{steps} steps, (\d+) iterates, 0 crossing faces", run.stdout)
    return run.returncode == 0 and said and int(said[1]) > steps


def main():
    for module, package in (("dolfinx", "python3-dolfinx"), ("scipy", "python3-scipy")):
        if importlib.util.find_spec(module) is None:
            print(f"skipped: no {module} (Debian: {package})")
            return 77
    check_xdmf(os.path.abspath(sys.argv[1]))
    site = os.path.join(os.path.dirname(os.path.abspath(sys.argv[1])), "python")
    if not os.path.isdir(os.path.join(site, "toccata")):
        print(f"skipped: no Python package of Toccata in {site}")
        return 77
    environment = dict(os.environ, PYTHONPATH=site, OMP_NUM_THREADS="1")
    blocks = ["/usr/bin/python3", PROGRAM, "--steps"]
    done = run_blocks([*blocks, "200"], 200, environment)
    if not shutil.which("mpirun"):
        print("one process only: no mpirun on the PATH (Debian: openmpi-bin)")
        return 0 if done else 1
    ranks = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "2"]
    return 0 if done and run_blocks([*ranks, *blocks, "15"], 15, environment) else 1


sys.exit(main())
