#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The adapter of the IPC Toolkit: python3 ipctk.py TOCCATA. It is compiled with the toolkit's headers where IPC_TOOLKIT_DIR names their
folder, else with declarations of the same names, and compared with every single pair."""

import os
import sys
import tempfile

import compiled


def main():
    eigen = compiled.package("eigen3")
    if eigen is None or not compiled.links():
        print("skipped: no Eigen, or no C++ compiler (Debian: libeigen3-dev, g++)")
        return 77
    toolkit = os.environ.get("IPC_TOOLKIT_DIR")
    headers = f"-isystem{toolkit}" if toolkit else f"-I{compiled.SOURCE}/tests/apps/ipctk"
    with tempfile.TemporaryDirectory() as folder:
        flags = [f"-I{compiled.SOURCE}/integrations/ipctk", headers, *eigen]
        said = compiled.run(compiled.Build(sys.argv[1], folder, flags).program("tests/apps/ipctk.cpp"))
        print(said)
        assert "all of them and no others" in said, said
    return 0


sys.exit(main())
