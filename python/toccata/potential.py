# SPDX-License-Identifier: Apache-2.0
"""Potentials over near pairs: energy, gradient, Hessian (include/toccata/potential.h)."""
from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ._core import Array, BadInput, Question, choose, count_of, doubles, ends, pointer_to, view
from ._native import ffi, lib

if TYPE_CHECKING:
    from typing import Mapping

_kinds = {"barrier": lib.TOC_POTENTIAL_BARRIER, "friction": lib.TOC_POTENTIAL_FRICTION}
_classes = ("vertex-vertex", "edge-vertex", "edge-edge", "face-vertex")


class Potential:
    """The energy of the near pairs, and its derivatives by the positions of all vertices, body after body.

    `order` 0 finds the energy alone, 1 the gradient too, 2 the Hessian too.
    """

    energy: float
    gradient: Array
    """Rows of three, one a vertex."""
    mollified: int
    """Pairs of nearly parallel edges."""

    def __init__(self, pointer: Any, order: int) -> None:
        self._pointer, self._order = pointer, order
        self.energy = float(pointer.energy)
        self.mollified = int(pointer.mollified)
        self.seconds = float(pointer.seconds)
        self.counts: dict[str, int] = {name: int(pointer.counts[i]) for i, name in enumerate(_classes)}
        if order > 0:
            self.gradient = view(pointer.gradient, 3 * pointer.vertex_count, "double", pointer).reshape(-1, 3)

    def __repr__(self) -> str:
        return f"<Potential of {count_of(sum(self.counts.values()), 'pair', 'pairs')}: energy {self.energy:g}>"

    @property
    def csr(self) -> tuple[Array, Array, Array]:
        """The Hessian in compressed rows: values, columns, and where each row begins. Row 3 v + c is of vertex v."""
        if self._order < 2:
            raise BadInput(f"the Hessian was not asked for: order is {self._order}, and 2 finds it")
        p = self._pointer
        return (
            view(p.values, p.value_count, "double", p),
            view(p.columns, p.value_count, "uint32_t", p).view("i4"),
            view(p.rows, 3 * p.vertex_count + 1, "size_t", p).view("i8"),
        )

    @property
    def hessian(self) -> Any:
        """The Hessian as a matrix of scipy; `csr` has its arrays without scipy."""
        values, columns, rows = self.csr
        try:
            sparse = importlib.import_module("scipy.sparse")
        except ImportError:
            raise ImportError("a sparse matrix needs scipy (Debian: python3-scipy); csr has its arrays") from None
        size = len(rows) - 1
        return sparse.csr_matrix((values, columns, rows), shape=(size, size))


def find_potential(scene: Any, near: Any, kind: str, fields: Mapping[str, Any], end: str, rest: Any, settings: Any) -> Potential:
    """Ask toc_scene_find_potential. `scene` and `near` are pointers."""
    asked, question = ffi.new("toc_potential_query *"), Question(settings)
    lib.toc_potential_query_init(asked, ffi.sizeof("toc_potential_query"))
    asked.kind, asked.end = choose("potential", _kinds, kind), choose("end", ends, end)
    for name, value in fields.items():
        setattr(asked, name, value)
    if rest is not None:
        array = doubles("rest", rest)
        asked.rest = pointer_to(array, "double[]")
        _check_rest(scene, len(array))
    found = question.make(
        "toc_potential", lib.toc_potential_destroy, lib.toc_scene_find_potential, scene, question.query, near, asked
    )
    return Potential(found, int(asked.order))


def _check_rest(scene: Any, count: int) -> None:
    """The library reads a row for each vertex of the meshes of the scene. Worlds have none."""
    wanted = 0
    for body in range(lib.toc_scene_get_body_count(scene)):
        mesh = lib.toc_scene_edit_mesh(scene, body)
        wanted += 0 if mesh == ffi.NULL else lib.toc_mesh_get_vertex_count(mesh)
    if count != wanted:
        raise BadInput(f"rest has {count_of(count, 'row', 'rows')}, and the bodies have {count_of(wanted, 'vertex', 'vertices')}")
