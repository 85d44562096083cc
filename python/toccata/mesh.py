# SPDX-License-Identifier: Apache-2.0
"""Bodies: vertices that move in a step, and elements of any shapes between them."""
from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Iterator, Mapping, Union

import numpy as np

from . import _notebook
from ._core import (
    Array,
    BadInput,
    check,
    choose,
    corner_counts,
    count_of,
    doubles,
    ends,
    indices,
    pointer_to,
    record,
    rows,
    shapes,
    take,
    text,
    view,
)
from ._native import ffi, lib

if TYPE_CHECKING:
    from ._core import End

Elements = Union[Mapping[str, Any], Any]
"""Corners of elements: an array whose columns tell the shape, or arrays by the names of their shapes."""

_by_columns = {1: "point", 2: "edge", 3: "triangle", 5: "pyramid", 6: "wedge", 8: "hex"}


_adapters = (
    ("celltypes", "from_pyvista"),
    ("n_points", "from_pyvista"),
    ("GetPoints", "from_vtk"),
    ("cells", "from_meshio"),
)


def _take_surface(given: Any, elements: Elements) -> tuple[Any, Elements]:
    """The arrays of an object with vertices and faces, such as a mesh of trimesh; others have an adapter."""
    if isinstance(given, Mesh):
        raise TypeError("this is a Mesh already: mesh.copy() makes another one")
    if hasattr(given, "vertices") and hasattr(given, "faces") and elements is None:
        return given.vertices, {"triangle": given.faces}
    for attribute, adapter in _adapters:
        if hasattr(given, attribute):
            raise TypeError(f"a mesh is made of arrays; of this {type(given).__name__}: toccata.adapt.{adapter}(mesh)")
    return given, elements


def by_shape(elements: Elements) -> Iterator[tuple[str, Any]]:
    """Shapes and corners of elements. Four columns are refused, since a quad and a tet have four corners."""
    if isinstance(elements, Mapping):
        yield from elements.items()
        return
    corners = rows("elements", elements)
    columns = corners.shape[1] if corners.ndim == 2 else 0
    if corners.size == 0:
        return
    if columns == 4:
        raise BadInput('four corners are a quad or a tet: write {"quad": elements} or {"tet": elements}')
    if columns not in _by_columns:
        raise BadInput(f"elements are an array with a row for each, or a mapping by shapes, not {corners.shape}")
    yield _by_columns[columns], corners


class Mesh:
    """A body. Corners are in the order of VTK; ids of vertices and elements never change.

    >>> mesh = Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    >>> mesh.move(mesh.x1 + [0, 0, 1])
    >>> mesh.x1[0]
    array([0., 0., 1.])
    >>> mesh.inspect().boundary_edges
    3

    Anything with `vertices` and triangular `faces`, such as a mesh of trimesh, makes one, too; `toccata.adapt` takes those
    of meshio, PyVista and VTK. A mesh that becomes a body of a scene stays usable: move it and edit it between questions.
    """

    def __init__(self, vertices: Any = None, elements: Elements = None, x1: Any = None) -> None:
        self._handle = take(lambda out: lib.toc_mesh_create(ffi.NULL, out), "toc_mesh", lib.toc_mesh_destroy)
        self._owner: Any = None
        self._body: Any = None
        if vertices is not None:
            vertices, elements = _take_surface(vertices, elements)
            self.add_vertices(vertices)
        if elements is not None:
            for shape, corners in by_shape(elements):
                self.add_elements(shape, corners)
        if x1 is not None:
            self.move(x1)

    @classmethod
    def _wrap(cls, pointer: Any, owner: Any) -> Mesh:
        mesh = cls.__new__(cls)
        mesh._handle = pointer
        mesh._owner = owner
        mesh._body = None
        return mesh

    def _give(self, owner: Any, body: Any = None) -> None:
        """The owner destroys the mesh from now on. A simulation also says which body of which scene it is."""
        ffi.gc(self._handle, None)
        self._owner = owner
        self._body = body

    def _take_back(self) -> None:
        self._handle = ffi.gc(self._handle, lib.toc_mesh_destroy)
        self._owner = None

    @property
    def _pointer(self) -> Any:
        """The mesh of the library, to read."""
        if self._body is not None and not lib.toc_scene_get_mesh(*self._body):
            raise BadInput(f"the mesh is gone: the simulation glued body {self._body[1]} to another one")
        return self._handle

    @property
    def _editable(self) -> Any:
        """The mesh of the library, to move and to edit."""
        if self._body is not None:
            raise BadInput("the mesh belongs to a simulation, which moves it: edit it before, or a copy of it")
        return self._handle

    def __repr__(self) -> str:
        if self._body is not None and not lib.toc_scene_get_mesh(*self._body):
            return "<Mesh that is gone>"
        vertices = count_of(self.vertex_count, "vertex", "vertices")
        elements = count_of(self.element_count, "element", "elements")
        return f"<Mesh of {vertices} and {elements}>"

    def _repr_html_(self) -> str:
        """A notebook shows a still picture of the end of the step."""
        gone = self._body is not None and not lib.toc_scene_get_mesh(*self._body)
        return _notebook.page(repr(self), None if gone else [self])

    # Contents

    @property
    def vertex_count(self) -> int:
        """Number of vertex ids given so far, removed ones among them."""
        return int(lib.toc_mesh_get_vertex_count(self._pointer))

    @property
    def element_count(self) -> int:
        """Number of element ids given so far, removed ones among them."""
        return int(lib.toc_mesh_get_element_count(self._pointer))

    def _rows(self, pointer: Any) -> Array:
        copy = view(pointer, 3 * self.vertex_count, "double").reshape(-1, 3).copy()
        copy.flags.writeable = False  # a change would have no effect on the mesh
        return copy

    @property
    def x0(self) -> Array:
        """Positions at the start of the step: a read only copy; set_motion changes them."""
        return self._rows(lib.toc_mesh_get_x0(self._pointer))

    @property
    def x1(self) -> Array:
        """Positions at the end of the step: a read only copy; move changes them."""
        return self._rows(lib.toc_mesh_get_x1(self._pointer))

    @property
    def vertices(self) -> Array:
        """Positions of the vertices now, which are those at the end of the step: a read only copy."""
        return self.x1

    @property
    def faces(self) -> Array:
        """Triangles of the surface: the elements in their order if all are triangles, else the boundary faces.

        >>> Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], {"quad": [[0, 1, 3, 2]]}).faces
        array([[0, 1, 3],
               [0, 3, 2]], dtype=uint32)
        """
        triangles = self.elements("triangle")["corners"]
        # The features of other meshes are sorted by ids.
        return triangles if len(triangles) == self.element_count else self.features().boundary_faces

    def elements(self, shape: str) -> dict[str, Array]:
        """The elements of a shape: arrays "id", "corners", "group" and "thickness".

        >>> Mesh([[0, 0, 0], [1, 0, 0]], [[0, 1]]).elements("edge")["corners"]
        array([[0, 1]], dtype=uint32)
        """
        which = choose("shape", shapes, shape)
        null = ffi.NULL
        count = lib.tocpy_mesh_collect(self._pointer, which, null, null, null, null)
        found: dict[str, Array] = {
            "id": np.empty(count, np.uint32),
            "corners": np.empty((count, corner_counts[shape]), np.uint32),
            "group": np.empty(count, np.int32),
            "thickness": np.empty(count, np.float64),
        }
        if count:
            lib.tocpy_mesh_collect(
                self._pointer,
                which,
                *map(ffi.from_buffer, ("uint32_t[]", "uint32_t[]", "int32_t[]", "double[]"), found.values()),
            )
        return found

    def has_vertex(self, vertex: int) -> bool:
        """False for the id of a vertex that is gone or was never given."""
        return bool(lib.toc_mesh_has_vertex(self._pointer, vertex))

    def inspect(self) -> Any:
        """Counts of the parts and of the defects: a record with the fields of toc_mesh_report."""
        report = ffi.new("toc_mesh_report *")
        check(lib.toc_mesh_inspect_sized(self._pointer, report, ffi.sizeof("toc_mesh_report")))
        return record(report, "toc_mesh_report")

    def features(self) -> Features:
        """The vertices, edges and faces, each once."""
        return Features(self)

    def copy(self) -> Mesh:
        """An independent copy with the same ids."""
        return Mesh._wrap(
            take(lambda out: lib.toc_mesh_copy(self._pointer, out), "toc_mesh", lib.toc_mesh_destroy), None
        )

    def __copy__(self) -> Mesh:
        return self.copy()

    def __deepcopy__(self, known: Any) -> Mesh:
        return self.copy()

    def __reduce__(self) -> Any:
        return _mesh_of, (self._contents(),)

    def _contents(self) -> dict[str, Any]:
        """All that a mesh is, but for its events, in arrays."""
        pointer = self._pointer
        vertices = range(self.vertex_count)
        found = [(shape, self.elements(shape)) for shape in shapes]
        groups = np.unique(np.concatenate([each["group"] for _, each in found]))
        labels = {
            "vertex_labels": lib.TOC_MESH_VERTEX,
            "element_labels": lib.TOC_MESH_ELEMENT,
        }
        return {
            "motion": (self.x0, self.x1),
            "acceleration": self.acceleration,
            "elements": [(shape, each) for shape, each in found if len(each["id"])],
            "element_count": self.element_count,
            "gone": [v for v in vertices if not lib.toc_mesh_has_vertex(pointer, v)],
            "names": {int(g): name for g in groups if (name := self.group_name(int(g))) is not None},
            "labels": {n: getattr(self, n) for n, item in labels.items() if lib.toc_mesh_get_label(pointer, item, 0, ffi.NULL)},
        }

    def thicken(self) -> Mesh:
        """A copy in which shells with a thickness are solid elements."""
        return Mesh._wrap(
            take(lambda out: lib.toc_mesh_thicken(self._pointer, out), "toc_mesh", lib.toc_mesh_destroy), None
        )

    # Motion

    def _positions(self, what: str, values: Any) -> Any:
        array = doubles(what, values)
        if len(array) != self.vertex_count:
            raise BadInput(f"{what} has {len(array)} rows, the mesh has {self.vertex_count} vertices")
        return pointer_to(array, "double[]")

    def move(self, x1: Any) -> None:
        """Next step: the old end becomes the start, and x1 the end."""
        check(lib.toc_mesh_move(self._editable, self.vertex_count, self._positions("x1", x1)))

    def set_motion(self, x0: Any, x1: Any) -> None:
        """Both ends of the step."""
        ends = self._positions("x0", x0), self._positions("x1", x1)
        check(lib.toc_mesh_set_motion(self._editable, self.vertex_count, *ends))

    @property
    def acceleration(self) -> Array | None:
        """Constant acceleration over the step, length per step squared, a row a vertex; None for straight paths."""
        pointer = lib.toc_mesh_get_acceleration(self._pointer)
        return None if pointer == ffi.NULL else self._rows(pointer)

    @acceleration.setter
    def acceleration(self, value: Any) -> None:
        given = ffi.NULL if value is None else self._positions("acceleration", value)
        check(lib.toc_mesh_set_acceleration(self._editable, self.vertex_count, given))

    # Edits

    def add_vertices(self, positions: Any, velocities: Any = None, step: float = 1.0) -> int:
        """Add vertices at rest, or with velocities: then they arrive at the positions at the end of the step.

        Return the first id.
        """
        array = doubles("positions", positions)
        first = ffi.new("uint32_t *")
        at = pointer_to(array, "double[]")
        if velocities is None:
            check(lib.toc_mesh_add_vertices(self._editable, len(array), at, first))
        else:
            speeds = doubles("velocities", velocities)
            if len(speeds) != len(array):
                raise BadInput(f"there are {len(array)} positions and {len(speeds)} velocities")
            check(
                lib.toc_mesh_add_moving_vertices(
                    self._editable, len(array), at, pointer_to(speeds, "double[]"), step, first
                )
            )
        return int(first[0])

    def add_elements(self, shape: str, corners: Any) -> int:
        """Add elements of one shape; return the first id."""
        which = choose("shape", shapes, shape)
        array = indices("corners", corners)
        if array.ndim == 2 and array.size and array.shape[1] != corner_counts[shape]:
            raise BadInput(f"a {shape} has {corner_counts[shape]} corners, not {array.shape[1]}")
        if array.size % corner_counts[shape]:
            raise BadInput(f"{array.size} corners do not make whole elements of {corner_counts[shape]}")
        first = ffi.new("uint32_t *")
        count = array.size // corner_counts[shape]
        check(lib.toc_mesh_add_elements(self._editable, which, count, pointer_to(array, "uint32_t[]"), first))
        return int(first[0])

    def remove_elements(self, elements: Any) -> None:
        """Remove elements; their vertices stay."""
        array = indices("elements", np.atleast_1d(elements))
        check(lib.tocpy_mesh_remove_elements(self._editable, len(array), pointer_to(array, "uint32_t[]")))

    def remove_vertex(self, vertex: int) -> None:
        """Remove a vertex that no element uses."""
        check(lib.toc_mesh_remove_vertex(self._editable, vertex))

    def split_vertex(self, vertex: int, elements: Any) -> int:
        """Tear: the elements get a new vertex in place of this one. Return its id."""
        array = indices("elements", np.atleast_1d(elements))
        new = ffi.new("uint32_t *")
        check(lib.toc_mesh_split_vertex(self._editable, vertex, len(array), pointer_to(array, "uint32_t[]"), new))
        return int(new[0])

    def merge_vertices(self, kept: int, gone: int) -> None:
        """Weld: every element that uses `gone` uses `kept` instead."""
        check(lib.toc_mesh_merge_vertices(self._editable, kept, gone))

    def _spread(self, elements: Any, values: Any, kind: Any) -> tuple[Array, Array]:
        ids = indices("elements", np.atleast_1d(elements))
        return ids, np.ascontiguousarray(np.broadcast_to(np.asarray(values, kind), ids.shape))

    def set_group(self, elements: Any, groups: Any) -> None:
        """Set the group (part, material) of elements: one for all, or one for each."""
        ids, each = self._spread(elements, groups, np.int32)
        check(
            lib.tocpy_mesh_set_groups(
                self._editable, len(ids), pointer_to(ids, "uint32_t[]"), pointer_to(each, "int32_t[]")
            )
        )

    def set_thickness(self, elements: Any, thickness: Any) -> None:
        """Set the thickness of elements: one for all, or one for each."""
        ids, each = self._spread(elements, thickness, np.float64)
        check(
            lib.tocpy_mesh_set_thicknesses(
                self._editable, len(ids), pointer_to(ids, "uint32_t[]"), pointer_to(each, "double[]")
            )
        )

    def group_name(self, group: int) -> str | None:
        """The name of a group; None if it has none."""
        name = lib.toc_mesh_get_group_name(self._pointer, group)
        return None if name == ffi.NULL else text(name)

    def set_group_name(self, group: int, name: str) -> None:
        """Give a group a name; "" takes it away."""
        check(lib.toc_mesh_set_group_name(self._pointer, group, name.encode()))

    def _labels(self, elements: bool, count: int) -> Array:
        labels = np.empty(count, np.int64)
        lib.tocpy_mesh_get_labels(self._pointer, elements, pointer_to(labels, "int64_t[]"))
        return labels

    @property
    def vertex_labels(self) -> Array:
        """The numbers of the vertices in their file (LS-DYNA, Abaqus, Exodus, Gmsh); ids where it has none."""
        return self._labels(False, self.vertex_count)

    @vertex_labels.setter
    def vertex_labels(self, labels: Any) -> None:
        array = np.ascontiguousarray(labels, np.int64)
        check(lib.toc_mesh_set_labels(self._pointer, lib.TOC_MESH_VERTEX, len(array), pointer_to(array, "int64_t[]")))

    @property
    def element_labels(self) -> Array:
        """The numbers of the elements in their file, likewise."""
        return self._labels(True, self.element_count)

    @element_labels.setter
    def element_labels(self, labels: Any) -> None:
        array = np.ascontiguousarray(labels, np.int64)
        check(lib.toc_mesh_set_labels(self._pointer, lib.TOC_MESH_ELEMENT, len(array), pointer_to(array, "int64_t[]")))

    @property
    def revision(self) -> int:
        """Number of events since the mesh was made."""
        return int(lib.toc_mesh_get_revision(self._pointer))

    def events(self, since: int = 0) -> Array:
        """The edits from a revision to now: records with the fields of toc_event, a copy."""
        events, count = ffi.new("toc_event **"), ffi.new("size_t *")
        check(lib.toc_mesh_get_events(self._pointer, since, events, count))
        return view(events[0], count[0], "toc_event").copy()

    # Files

    def write(self, path: Any, end: End = "start") -> None:
        """Write the mesh, as it is at an end of the step, in the format of the extension."""
        check(lib.toc_mesh_write(os.fsencode(path), self._pointer, choose("end", ends, end)))


def _mesh_of(contents: dict[str, Any]) -> Mesh:
    """The mesh of Mesh._contents, with the same ids. Elements that are gone are points until all are there."""
    mesh = Mesh(contents["motion"][0])
    count, given = contents["element_count"], contents["elements"]
    which, row = np.full(count, -1), np.zeros(count, np.intp)
    for i, (_, elements) in enumerate(given):
        which[elements["id"]], row[elements["id"]] = i, np.arange(len(elements["id"]))
    runs = np.flatnonzero(np.diff(which, prepend=-2, append=-2))
    for begin, end in zip(runs[:-1], runs[1:]):
        shape, elements = given[which[begin]] if which[begin] >= 0 else ("point", None)
        corners = np.zeros((end - begin, 1), np.uint32) if elements is None else elements["corners"][row[begin:end]]
        mesh.add_elements(shape, corners)
    for _, elements in contents["elements"]:
        mesh.set_group(elements["id"], elements["group"])
        mesh.set_thickness(elements["id"], elements["thickness"])
    mesh.remove_elements(np.flatnonzero(which < 0))
    for vertex in contents["gone"]:
        mesh.remove_vertex(vertex)
    mesh.set_motion(*contents["motion"])
    mesh.acceleration = contents["acceleration"]
    for group, name in contents["names"].items():
        mesh.set_group_name(group, name)
    for name, labels in contents["labels"].items():
        setattr(mesh, name, labels)
    return mesh


class Features:
    """The features of a mesh, as read only arrays without copies; later edits do not change them.

    >>> mesh = Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], {"tet": [[0, 1, 2, 3]]})
    >>> len(mesh.features().edges)
    6
    """

    def __init__(self, mesh: Mesh) -> None:
        self._pointer = pointer = take(
            lambda out: lib.toc_mesh_find_features(mesh._pointer, out), "toc_features", lib.toc_features_destroy
        )
        counts = {"vertex": pointer.vertex_count, "edge": pointer.edge_count, "face": pointer.face_count}
        self.vertices: Array = view(pointer.vertices, counts["vertex"], "uint32_t", pointer)
        self.edges: Array = view(
            ffi.cast("uint32_t *", pointer.edges), 2 * counts["edge"], "uint32_t", pointer
        ).reshape(-1, 2)
        self.faces: Array = view(
            ffi.cast("uint32_t *", pointer.faces), 3 * counts["face"], "uint32_t", pointer
        ).reshape(-1, 3)
        self.vertex_flags: Array = view(pointer.vertex_flags, counts["vertex"], "uint8_t", pointer)
        self.edge_flags: Array = view(pointer.edge_flags, counts["edge"], "uint8_t", pointer)
        self.face_flags: Array = view(pointer.face_flags, counts["face"], "uint8_t", pointer)

    def __repr__(self) -> str:
        return f"<Features: {len(self.vertices)} vertices, {len(self.edges)} edges and {len(self.faces)} faces>"

    @property
    def boundary_faces(self) -> Array:
        """The faces of the surface."""
        found: Array = self.faces[(self.face_flags & lib.TOC_FEATURE_ON_BOUNDARY) != 0]
        return found
