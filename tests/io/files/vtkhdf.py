# SPDX-License-Identifier: Apache-2.0
"""VTKHDF files by HDF5's library, after VTK's description: python3 vtkhdf.py KIND OUT. A tet falls on a quad from a height of 1, by 1 a
step of 0.25."""

import sys

import h5py
import numpy as np

QUAD = np.array([[-4, -4, 0], [4, -4, 0], [4, 4, 0], [-4, 4, 0]], "f8")
TET = np.array([[0.2, 0.2, 1], [0.6, 0.2, 1.5], [0.2, 0.6, 1.5], [0.2, 0.2, 2]])


def begin(file, kind):
    group = file.create_group("VTKHDF")
    group.attrs["Version"] = np.array([2, 0])
    group.attrs.create("Type", np.bytes_(kind))
    for name in ("PointData", "CellData", "FieldData"):
        group.create_group(name)
    return group


def put_steps(group, steps, points, parts, kinds):
    of = group.create_group("Steps")
    of.attrs["NSteps"] = steps
    of["Values"] = 0.25 * np.arange(steps)
    of["PartOffsets"] = np.zeros(steps, int)
    of["NumberOfParts"] = np.full(steps, parts)
    of["PointOffsets"] = points * np.arange(steps)
    of["CellOffsets"] = np.zeros((steps, kinds), int)
    of["ConnectivityIdOffsets"] = np.zeros((steps, kinds), int)


def grid(path, steps=3, parts=1, ids=False, packed=False, other=False, wide=False, **how):
    """In one part, or in two that share an edge of the quad, which is two triangles then."""
    place = {"chunks": True, "compression": "gzip", "shuffle": True} if packed else {}
    with h5py.File(path, "w", **how) as file:
        group = begin(file, "UnstructuredGrid")
        positions = []
        for step in range(steps):
            tet = TET - [0, 0, step]
            positions += [QUAD, tet] if parts == 1 else [QUAD[[0, 1, 2]], QUAD[[0, 2, 3]], tet]
        if parts == 1:
            points, corners, types = [8], [[0, 1, 2, 3, 4, 5, 6, 7]], [[9, 10]]
            offsets, of_cells, of_points = [[0, 4, 8]], [[1, 2]], [list(range(10, 18))]
        else:
            points, corners, types = [3, 7], [[0, 1, 2], [0, 1, 2, 3, 4, 5, 6]], [[5], [5, 10]]
            offsets, of_cells, of_points = [[0, 3], [0, 3, 7]], [[1], [1, 2]], [[10, 11, 12], [10, 12, 13, 14, 15, 16, 17]]
        group.create_dataset("Points", data=np.vstack(positions), **place)
        group.create_dataset("Connectivity", data=np.concatenate(corners), **place)
        group.create_dataset("Offsets", data=np.concatenate(offsets), **place)
        group.create_dataset("Types", data=np.concatenate(types).astype("u1"), **place)
        group["NumberOfPoints"] = np.array(points)
        group["NumberOfCells"] = np.array([len(t) for t in types])
        group["NumberOfConnectivityIds"] = np.array([len(c) for c in corners])
        group["CellData"]["part_id"] = np.concatenate(of_cells)
        group["PointData"]["velocity"] = np.tile([0.0, 0, -4], (len(np.vstack(positions)), 1))
        group["PointData"]["heat"] = np.arange(len(np.vstack(positions)), dtype="f4")
        group["CellData"]["stress"] = np.arange(len(np.concatenate(of_cells))) + 0.5
        group["CellData"]["tensor"] = np.zeros((len(np.concatenate(of_cells)), 9))
        if ids:
            group["PointData"]["GlobalPointIds"] = np.tile(np.concatenate(of_points), steps)
        if steps > 1:
            put_steps(group, steps, sum(points), parts, 1)
        if wide:  # a row of offsets has more numbers than the one
            group["Steps/PointDataOffsets/velocity"] = np.full((steps, 4096), 7)
        if other:  # the second step has a third part's cells
            group["Steps/NumberOfParts"][1] = 1


def polygons(path):
    """The quad, a triangle that falls through it, and an edge of that triangle as a line."""
    with h5py.File(path, "w") as file:
        group = begin(file, "PolyData")
        before = np.vstack([QUAD, [[0, 0, 1], [1, 0, 2], [0, 1, 2]]])
        after = before - np.vstack([np.zeros((4, 3)), np.tile([0, 0, 1.5], (3, 1))])
        group["Points"] = np.vstack([before, after])
        group["NumberOfPoints"] = np.array([7])
        cells = {"Vertices": ([], [0]), "Lines": ([5, 6], [0, 2]), "Polygons": ([0, 1, 2, 3, 4, 5, 6], [0, 4, 7])}
        for name, (corners, offsets) in {**cells, "Strips": ([], [0])}.items():
            of = group.create_group(name)
            of["Connectivity"] = np.array(corners, "i8")
            of["Offsets"] = np.array(offsets, "i8")
            of["NumberOfCells"] = np.array([len(offsets) - 1])
            of["NumberOfConnectivityIds"] = np.array([len(corners)])
        put_steps(group, 2, 7, 1, 4)


def image(path):
    with h5py.File(path, "w") as file:
        begin(file, "ImageData")["NumberOfPoints"] = np.array([1])
        file["VTKHDF/Points"] = np.zeros((1, 3))


KINDS = {
    "still": lambda path: grid(path, 1, libver=("v108", "v108")),
    "steps": grid,
    "packed": lambda path: grid(path, packed=True),
    "new": lambda path: grid(path, libver="latest"),
    "parts": lambda path: grid(path, parts=2, ids=True),
    "loose": lambda path: grid(path, parts=2),
    "other": lambda path: grid(path, parts=2, other=True),
    "wide": lambda path: grid(path, wide=True),
    "polygons": polygons,
    "image": image,
}

if __name__ == "__main__":
    KINDS[sys.argv[1]](sys.argv[2])
