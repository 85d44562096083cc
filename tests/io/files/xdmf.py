# SPDX-License-Identifier: Apache-2.0
"""XDMF files by meshio: python3 xdmf.py KIND OUT. The last point falls by 1 a step of 0.5."""

import sys

import meshio
import numpy as np

POINTS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0], [0.2, 0.2, 1]], float)
CELLS = [("triangle", np.array([[0, 1, 2]])), ("quad", np.array([[0, 1, 3, 2]])), ("tetra", np.array([[0, 1, 2, 4]]))]

if sys.argv[1] == "still":
    groups = [np.array([1]), np.array([2]), np.array([3])]
    meshio.write(sys.argv[2], meshio.Mesh(POINTS, CELLS, cell_data={"material": groups}))
else:
    with meshio.xdmf.TimeSeriesWriter(sys.argv[2]) as writer:
        writer.write_points_cells(POINTS, CELLS)
        for step in range(3):
            writer.write_data(0.5 * step, point_data={"u": np.vstack([np.zeros((4, 3)), [0, 0, -step]])})
