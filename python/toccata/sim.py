# SPDX-License-Identifier: Apache-2.0
"""Simulation: bodies that move by physics and never pass through each other."""
from __future__ import annotations

from typing import Any, Mapping

import numpy as np

from . import _notebook
from ._core import Array, BadInput, check, choose, count_of, doubles, indices, pointer_to, record, view
from ._native import ffi, lib
from .mesh import Mesh
from .scene import Scene, World

_motions = {"soft": lib.TOC_SIM_SOFT, "rigid": lib.TOC_SIM_RIGID, "guided": lib.TOC_SIM_GUIDED}


def set_fields(target: Any, settings: Mapping[str, Any], what: str) -> None:
    known = {name for name, _ in ffi.typeof(target).item.fields} - {"size"}
    for name, value in settings.items():
        if name not in known:
            raise TypeError(f"unknown {what} {name!r}; there are: {', '.join(sorted(known))}")
        setattr(target, name, value)


class Simulation:
    """Bodies, their materials and their motion. Keywords are the fields of toc_sim_settings.

    >>> sim = Simulation(step=0.01)
    >>> ball = Mesh([[0, 0, 1], [1, 0, 1], [0, 1, 1], [0, 0, 2]], {"tet": [[0, 1, 2, 3]]})
    >>> body = sim.add(ball, "rigid")
    >>> report = sim.step()
    >>> report.time, bool(sim.positions(body)[0, 2] < 1)
    (0.01, True)
    """

    def __init__(self, **settings: Any) -> None:
        chosen = ffi.new("toc_sim_settings *")
        lib.toc_sim_defaults_write(lib.TOC_SIM_DEFAULTS_SIMULATION, chosen, ffi.sizeof("toc_sim_settings"))
        preset = ffi.new("char[]", str(settings.pop("preset", "auto")).encode())
        chosen.preset = preset
        set_fields(chosen, settings, "setting")
        out = ffi.new("toc_sim **")
        check(lib.toc_sim_create(chosen, ffi.NULL, out))
        self._pointer = ffi.gc(out[0], lib.toc_sim_destroy)
        self._bodies: dict[int, Mesh | World] = {}

    def __repr__(self) -> str:
        return f"<Simulation of {count_of(len(self._bodies), 'body', 'bodies')}>"

    def _repr_html_(self) -> str:
        """A notebook shows a still picture of the bodies."""
        return _notebook.page(repr(self), self.scene._meshes())

    def add(self, mesh: Mesh, motion: str = "soft", **material: Any) -> int:
        """Add a body at rest: soft, rigid or guided. Keywords are the fields of toc_sim_material. Return its id."""
        if mesh._owner is not None:
            raise BadInput("the mesh is a body of a scene, a world or a simulation already")
        made = ffi.new("toc_sim_material *")
        lib.toc_sim_defaults_write(lib.TOC_SIM_DEFAULTS_MATERIAL, made, ffi.sizeof("toc_sim_material"))
        made.motion = choose("motion", _motions, motion)
        set_fields(made, material, "property of a material")
        body = ffi.new("uint32_t *")
        check(lib.toc_sim_add_body(self._pointer, mesh._pointer, made, body))
        mesh._give(self._pointer, (lib.toc_sim_get_scene(self._pointer), body[0]))
        self._bodies[body[0]] = mesh
        return int(body[0])

    def pin(self, body: int, vertices: Any) -> None:
        """Hold vertices of a soft body where they are."""
        for vertex in indices("vertices", np.atleast_1d(vertices)):
            check(lib.toc_sim_pin_vertex(self._pointer, body, int(vertex)))

    def join(self, bodies: tuple[int, int], vertices: tuple[int, int], stiffness: float = np.inf) -> None:
        """Join a vertex of a body to a vertex of another."""
        check(lib.toc_sim_join_vertices(self._pointer, list(bodies), list(vertices), stiffness))

    def set_velocity(self, body: int, velocity: Any, angular: Any = (0, 0, 0), point: Any = (0, 0, 0)) -> None:
        """Give a body a velocity, and an angular velocity about a point."""
        rows = [doubles("velocity", [each]) for each in (velocity, angular, point)]
        check(lib.toc_sim_set_velocity(self._pointer, body, *(pointer_to(row, "double[]") for row in rows)))

    def step(self) -> Any:
        """Make a step; return its report, a record with the fields of toc_sim_report."""
        report = ffi.new("toc_sim_report *")
        check(lib.toc_sim_step_sized(self._pointer, report, ffi.sizeof("toc_sim_report")))
        return record(report, "toc_sim_report")

    @property
    def time(self) -> float:
        """Time since the start."""
        return float(lib.toc_sim_get_motion(self._pointer, 0).time)

    @property
    def scene(self) -> Scene:
        """The scene with the motion of the last step, to question; do not move or edit its meshes."""
        # The scene belongs to the simulation: its handle keeps the simulation.
        pointer = ffi.gc(lib.toc_sim_get_scene(self._pointer), lambda _, owner=self._pointer: None)
        return Scene._wrap(pointer, self._find_bodies())

    def _find_bodies(self) -> dict[int, Mesh | World]:
        """The bodies there are: glued ones are gone, and broken ones have new pieces."""
        scene = lib.toc_sim_get_scene(self._pointer)
        for body in range(lib.toc_scene_get_body_count(scene)):
            if not lib.toc_scene_get_mesh(scene, body):
                self._bodies.pop(body, None)
            elif body not in self._bodies:
                piece = Mesh._wrap(lib.toc_scene_edit_mesh(scene, body), self._pointer)
                piece._body = (scene, body)
                self._bodies[body] = piece
        return self._bodies

    def _rows(self, pointer: Any, body: int) -> Array:
        if pointer == ffi.NULL:
            raise BadInput(f"there is no body {body}")
        return view(pointer, 3 * self.scene[body].vertex_count, "double").reshape(-1, 3).copy()

    def positions(self, body: int) -> Array:
        """Positions of a body: a copy."""
        return self._rows(lib.toc_sim_get_motion(self._pointer, body).positions, body)

    def velocities(self, body: int) -> Array:
        """Velocities of a body: a copy."""
        return self._rows(lib.toc_sim_get_motion(self._pointer, body).velocities, body)

    @property
    def state(self) -> Array:
        """The state of the motion, to go on later from the same bits."""
        doubles_of_it = np.empty(lib.toc_sim_get_state(self._pointer, ffi.NULL))
        lib.toc_sim_get_state(self._pointer, pointer_to(doubles_of_it, "double[]"))
        return doubles_of_it

    @state.setter
    def state(self, value: Any) -> None:
        array = np.ascontiguousarray(value, np.float64).ravel()
        check(lib.toc_sim_set_state(self._pointer, pointer_to(array, "double[]"), len(array)))
