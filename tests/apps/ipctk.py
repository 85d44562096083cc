#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The adapter of the IPC Toolkit: python3 ipctk.py TOCCATA. It is compiled with the toolkit's headers where IPC_TOOLKIT_DIR names their
folder, and with declarations of the same names, as in version 1.4 and as in later ones; and compared with every single pair."""

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
    adapter = f"-I{compiled.SOURCE}/integrations/ipctk"
    with tempfile.TemporaryDirectory() as folder:
        for version in ([], ["-DTEST_IPC_BOXES"]):
            flags = [adapter, f"-I{compiled.SOURCE}/tests/apps/ipctk", *eigen, *version]
            said = compiled.run(compiled.Build(sys.argv[1], folder, flags).program("tests/apps/ipctk.cpp"))
            print(said)
            assert "all of them and no others" in said, said
        if toolkit:
            source = "tests/apps/ipctk_header.cpp"
            compiled.Build(sys.argv[1], folder, [adapter, f"-isystem{toolkit}", *eigen]).object(source)
            print("the adapter compiles with the headers of", toolkit)
    return 0


sys.exit(main())
