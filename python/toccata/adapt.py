# SPDX-License-Identifier: Apache-2.0
"""Meshes of other packages. None of them is imported: their objects are known by their attributes."""
from __future__ import annotations

from typing import Any

import numpy as np

from ._core import BadInput, indices
from .mesh import Mesh

# meshio's names and VTK's numbers. Cells of higher order count with their corners.
_meshio = {
    "vertex": "point",
    "line": "edge",
    "triangle": "triangle",
    "quad": "quad",
    "tetra": "tet",
    "pyramid": "pyramid",
    "wedge": "wedge",
    "hexahedron": "hex",
    "line3": "edge",
    "triangle6": "triangle",
    "quad8": "quad",
    "quad9": "quad",
    "tetra10": "tet",
    "hexahedron20": "hex",
    "hexahedron27": "hex",
}
_vtk = {1: "point", 3: "edge", 5: "triangle", 9: "quad", 10: "tet", 14: "pyramid", 13: "wedge", 12: "hex"}
_sizes = ({1: "point"}, {2: "edge"}, {3: "triangle", 4: "quad"})  # of vertices, lines and polygons
_corners = {"point": 1, "edge": 2, "triangle": 3, "quad": 4, "tet": 4, "pyramid": 5, "wedge": 6, "hex": 8}


def _points(points: Any) -> Any:
    array = np.asarray(points, np.float64)
    return np.pad(array, ((0, 0), (0, 3 - array.shape[1]))) if array.shape[1] < 3 else array


def from_meshio(mesh: Any) -> Mesh:
    """A mesh of meshio: `points` and `cells`, blocks with `type` and `data`. Each block is a group."""
    made = Mesh(_points(mesh.points))
    for group, block in enumerate(mesh.cells):
        if block.type not in _meshio:
            raise BadInput(
                f"cells of meshio's type {block.type!r} have no counterpart; there are: {', '.join(_meshio)}"
            )
        shape = _meshio[block.type]
        corners = np.asarray(block.data)[:, : _corners[shape]]
        first = made.add_elements(shape, corners)
        made.set_group(np.arange(first, first + len(corners)), group)
    return made


def to_meshio(mesh: Mesh, end: str = "start") -> Any:
    """A meshio.Mesh; this imports meshio."""
    import meshio

    names = {shape: name for name, shape in reversed(_meshio.items())}
    found = {shape: mesh.elements(shape) for shape in _corners}
    cells = [(names[shape], each["corners"].astype(np.int64)) for shape, each in found.items() if len(each["id"])]
    groups = [each["group"] for each in found.values() if len(each["id"])]
    return meshio.Mesh(mesh.x0 if end == "start" else mesh.x1, cells, cell_data={"group": groups})


def from_trimesh(mesh: Any) -> Mesh:
    """A mesh of trimesh, or anything with `vertices` and triangular `faces`."""
    return Mesh(_points(mesh.vertices), {"triangle": mesh.faces})


def from_pyvista(data: Any) -> Mesh:
    """A mesh of PyVista: an UnstructuredGrid (`cells`, `celltypes`) or a PolyData (`faces`, `lines`, `verts`)."""
    made = Mesh(_points(data.points))
    if hasattr(data, "celltypes"):
        _add_cells(made, np.asarray(data.cells), np.asarray(data.celltypes))
        return made
    for name, shapes in zip(("verts", "lines", "faces"), _sizes):
        _add_sized(made, np.asarray(getattr(data, name, ())), shapes)
    return made


def _starts(cells: Any, count: int | None = None) -> Any:
    """Where the cells of a list of (size, corners...) begin."""
    starts: list[int] = []
    at = 0
    while at < len(cells) if count is None else len(starts) < count:
        starts.append(at)
        at += int(cells[at]) + 1
    return np.array(starts, np.int64)


def _gather(made: Mesh, cells: Any, starts: Any, shape: str) -> None:
    rows = starts[:, None] + 1 + np.arange(_corners[shape])
    made.add_elements(shape, indices("cells", cells[rows]))


def _add_cells(made: Mesh, cells: Any, types: Any, starts: Any = None) -> None:
    starts = _starts(cells, len(types)) if starts is None else starts
    for number in np.unique(types):
        if int(number) not in _vtk:
            raise BadInput(f"cells of VTK's type {number} have no counterpart; there are: {', '.join(map(str, _vtk))}")
        _gather(made, cells, starts[types == number], _vtk[int(number)])


def _add_sized(made: Mesh, cells: Any, shapes: dict[int, str], starts: Any = None, sizes: Any = None) -> None:
    if len(cells) == 0:
        return
    starts = _starts(cells) if starts is None else starts
    sizes = cells[starts] if sizes is None else sizes
    for size in np.unique(sizes):
        if int(size) not in shapes:
            raise BadInput(f"cells of {size} points have no counterpart here: triangulate them first")
        _gather(made, cells, starts[sizes == size], shapes[int(size)])


def from_vtk(data: Any) -> Mesh:
    """A data set of VTK's own classes: a vtkUnstructuredGrid or a vtkPolyData."""
    made = Mesh(_points(data.GetPoints().GetData()))
    if hasattr(data, "GetCellTypesArray"):
        cells, ends = _vtk_cells(data.GetCells())
        if len(cells):
            _add_cells(made, cells, np.asarray(data.GetCellTypesArray()), ends[:-1] - 1)
        return made
    for array, shapes in ((data.GetVerts(), _sizes[0]), (data.GetLines(), _sizes[1]), (data.GetPolys(), _sizes[2])):
        cells, ends = _vtk_cells(array)
        _add_sized(made, cells, shapes, ends[:-1] - 1, np.diff(ends))
    return made


def _vtk_cells(array: Any) -> tuple[Any, Any]:
    """Points of cells one after the other, and where each cell begins and the last one ends."""
    if array.GetNumberOfCells() == 0:
        return np.empty(0, np.int64), np.zeros(1, np.int64)
    return np.asarray(array.GetConnectivityArray()), np.asarray(array.GetOffsetsArray())


def to_pyvista_cells(mesh: Mesh) -> tuple[Any, Any]:
    """`cells` and `celltypes` for pyvista.UnstructuredGrid(cells, celltypes, mesh.x0)."""
    numbers = {shape: number for number, shape in _vtk.items()}
    cells, types = [], []
    for shape, count in _corners.items():
        corners = mesh.elements(shape)["corners"]
        cells.append(np.column_stack((np.full(len(corners), count), corners)).ravel())
        types.append(np.full(len(corners), numbers[shape], np.uint8))
    return np.concatenate(cells).astype(np.int64), np.concatenate(types)
