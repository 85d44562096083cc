# SPDX-License-Identifier: Apache-2.0
"""Points and edges that move in the plane: the same questions, as exact as in space.

A chain of two edges folds, and its first vertex meets the edge that it does not belong to:

>>> import toccata
>>> x0 = [[-1, 1], [0, 0], [2, 0]]
>>> x1 = [[1, -1], [0, 0], [2, 0]]
>>> found = toccata.plane.contacts(x0, x1, [[0, 1], [1, 2]])
>>> found.vertex, found.edge, found.toc.round(9), found.point
(array([0], dtype=uint32), array([[1, 2]], dtype=uint32), array([0.5]), array([[0., 0.]]))

A vertex is 2 numbers, an edge two vertices; a vertex without an edge is a point. Answers are arrays of records with the
fields of toc_plane_contact (toccata/plane.h, where the proof is). Several bodies, and all questions of a `Scene`: `mesh`,
`move` and `scene`.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._core import Array, BadInput, check, doubles, dtype_of, indices, pointer_to, take
from ._native import ffi, lib
from .mesh import Mesh
from .scene import NOTHING, Scene

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._core import Settings
    from .scene import Contacts, Near

__all__ = ["mesh", "move", "scene", "positions", "contacts_of", "contacts", "first_contact", "safe_step", "near_of", "near"]


def mesh(x0: Any, edges: Any, x1: Any = None) -> Mesh:
    """A body of points and edges. `move` moves it; a vertex v of the plane is the vertex 2 v of the mesh."""
    start, corners = doubles("x0", x0, 2), indices("edges", edges, 2)
    end = None if x1 is None else doubles("x1", x1, 2)
    if end is not None and len(end) != len(start):
        raise BadInput(f"x0 has {len(start)} rows, x1 has {len(end)}")
    body = ffi.new("toc_plane_body *", {"vertex_count": len(start), "edge_count": len(corners)})
    body.x0 = pointer_to(start, "double[]")
    body.x1 = ffi.NULL if end is None else pointer_to(end, "double[]")
    body.edges = ffi.cast("uint32_t (*)[2]", ffi.from_buffer(corners))
    return Mesh._wrap(
        take(lambda out: lib.toc_plane_mesh_create(ffi.NULL, body, out), "toc_mesh", lib.toc_mesh_destroy), None
    )


def move(mesh: Mesh, x1: Any) -> None:
    """Next step: the old end becomes the start, and x1 the end."""
    end = doubles("x1", x1, 2)
    check(lib.toc_plane_mesh_set_motion(mesh._editable, len(end), ffi.NULL, pointer_to(end, "double[]")))


def positions(mesh: Mesh) -> Array:
    """Positions in the plane at the end of the step: a copy.

    >>> positions(mesh([[0, 1], [2, 3]], [[0, 1]]))
    array([[0., 1.],
           [2., 3.]])
    """
    return np.array(mesh.x1[::2, :2])


def scene(*meshes: Mesh) -> Scene:
    """A scene in which vertices meet edges.

    Two edges that cross at the start are told, too, after `set_group_contact(1, 1, True)`: `vertex` is NOTHING then.
    """
    made = Scene(*meshes)
    for group in (lib.TOC_PLANE_EDGES, lib.TOC_PLANE_PINS):
        made.set_group_contact(group, group, False)
    return made


def _columns(v: Array) -> tuple[Array, Array, Array]:
    """Of pairs: whether they are two edges, the column of the vertex, and that of the edge."""
    pins = [(v[:, 2 * side + 1] == v[:, 2 * side] + 1) & (v[:, 2 * side] % 2 == 0) for side in (0, 1)]
    edge = np.where(pins[0], 1, np.where(pins[1], 0, 1))
    return ~(pins[0] | pins[1]), 2 * (1 - edge), 2 * edge


def contacts_of(found: Contacts) -> Any:
    """The contacts of a scene of such bodies, in the plane."""
    plain, rows = found.array, np.arange(len(found))
    out = np.zeros(len(found), dtype_of("toc_plane_contact")).view(np.recarray)
    crosses, vertex, edge = _columns(plain["v"])
    out.verdict, out.toc = plain["verdict"], plain["toc"]
    out.vertex = np.where(crosses, NOTHING, plain["v"][rows, vertex] // 2)
    out.edge = np.stack((plain["v"][rows, edge], plain["v"][rows, edge + 1]), 1) // 2
    out.body = np.stack((plain["body"][rows, vertex // 2], plain["body"][rows, edge // 2]), 1)
    out.weight = plain["weights"][rows, edge + 1]
    out.point = plain["point"][:, :2]
    out.normal = plain["normal"][:, :2] * np.where(crosses, 0, np.where(vertex == 0, 1, -1))[:, None]
    return out


def contacts(x0: Any, x1: Any, edges: Any, **settings: Unpack[Settings]) -> Any:
    """All vertices of one body that touch its edges, or the first, or any: records of toc_plane_contact."""
    return contacts_of(scene(mesh(x0, edges, x1)).contacts(**settings))


def first_contact(x0: Any, x1: Any, edges: Any, **settings: Unpack[Settings]) -> Any:
    """The earliest contact; None if there is none."""
    settings["answer"] = "first"
    found = contacts(x0, x1, edges, **settings)
    return found[0] if len(found) else None


def safe_step(x0: Any, x1: Any, edges: Any, **settings: Unpack[Settings]) -> float:
    """The largest fraction of the step without a contact.

    >>> round(safe_step([[0, 1], [-1, 0], [1, 0]], [[0, -1], [-1, 0], [1, 0]], [[1, 2]]), 9)
    0.5
    """
    return scene(mesh(x0, edges, x1)).safe_step(**settings)


_near = np.dtype([("vertex", "u4"), ("edge", "u4", 2), ("body", "u4", 2), ("distance", "f8"), ("weight", "f8"), ("points", "f8", (2, 2))])


def near_of(found: Near) -> Any:
    """The near pairs of a scene of such bodies, in the plane: `points` are the vertex and the nearest of the edge."""
    plain, rows = found.array, np.arange(len(found))
    out = np.zeros(len(found), _near).view(np.recarray)
    crosses, vertex, edge = _columns(plain["v"])
    out.vertex = np.where(crosses, NOTHING, plain["v"][rows, vertex] // 2)
    out.edge = np.stack((plain["v"][rows, edge], plain["v"][rows, edge + 1]), 1) // 2
    out.body = np.stack((plain["body"][rows, vertex // 2], plain["body"][rows, edge // 2]), 1)
    out.distance, out.weight = plain["distance"], plain["weights"][rows, edge + 1]
    out.points = np.stack((plain["points"][rows, vertex // 2], plain["points"][rows, edge // 2]), 1)[:, :, :2]
    return out


def near(x: Any, edges: Any, distance: float, **settings: Unpack[Settings]) -> Any:
    """The vertices and edges of one body within a distance: records with vertex, edge, distance, weight and points.

    >>> found = near([[0, 1], [-1, 0], [1, 0]], [[1, 2]], 2)
    >>> found.vertex, found.edge, found.distance, found.weight
    (array([0], dtype=uint32), array([[1, 2]], dtype=uint32), array([1.]), array([0.5]))
    """
    return near_of(scene(mesh(x, edges)).near(distance, **settings))
