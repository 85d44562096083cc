# SPDX-License-Identifier: Apache-2.0
"""Scenes: bodies that may touch each other and themselves, and the questions about a step."""
from __future__ import annotations

import copy
import os
import weakref
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np

from . import _notebook
from ._core import (
    Array,
    BadInput,
    Question,
    Result,
    check,
    choose,
    count_of,
    doubles,
    dtype_of,
    ends,
    pointer_to,
    record,
    take,
    text,
    view,
)
from ._native import ffi, lib
from .device import DeviceContacts, move_there, positions_here, positions_there
from .mesh import Elements, Features, Mesh
from .potential import Potential, find_potential

if TYPE_CHECKING:
    from typing import Literal

    from typing_extensions import Self, Unpack

    from ._core import End, Settings

    Level = Literal["bodies", "groups", "features"]

_near_times = {"start": lib.TOC_NEAR_AT_START, "end": lib.TOC_NEAR_AT_END, "step": lib.TOC_NEAR_IN_STEP}
_levels = {"bodies": lib.TOC_LEVEL_BODIES, "groups": lib.TOC_LEVEL_GROUPS, "features": lib.TOC_LEVEL_FEATURES}
_conflicts = {
    lib.TOC_CONFLICT_CONTACT: "contact",
    lib.TOC_CONFLICT_CONTAINMENT: "containment",
    lib.TOC_CONFLICT_OVERLAP: "overlap",
}
NOTHING = 0xFFFFFFFF
"""The body of a probe that finds nothing."""


class Contacts(Result):
    """Contacts: records with the fields of toc_contact, sorted by kind, bodies and vertex ids.

    >>> x0 = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [.2, .2, 1]]
    >>> x1 = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [.2, .2, -1]]
    >>> found = contacts(x0, x1, {"triangle": [[0, 1, 2]], "point": [[3]]})
    >>> found["toc"], found["v"]
    (array([0.5]), array([[3, 0, 1, 2]], dtype=uint32))
    >>> found[0].point
    array([0.2, 0.2, 0. ])
    """

    @classmethod
    def _of(cls, pointer: Any) -> Contacts:
        return cls._over(view(pointer.contacts, pointer.count, "toc_contact", pointer), pointer, pointer.seconds)

    def _marks(self) -> Any:
        return self["point"]

    @property
    def chosen(self) -> str:
        """The pipeline that ran."""
        return text(self._pointer.chosen)

    @property
    def stages(self) -> list[tuple[str, int, int, float]]:
        """Name, input, output and seconds of each stage."""
        stages = self._pointer.stages
        each = [stages[i] for i in range(self._pointer.stage_count)]
        return [(text(stage.name), getattr(stage, "in"), stage.out, stage.seconds) for stage in each]

    def first(self) -> Any:
        """The earliest contact; None if there is none."""
        first = lib.toc_contacts_find_first(self._pointer)
        return None if first == ffi.NULL else view(first, 1, "toc_contact", self._pointer)[0]

    def vertex_times(self, mesh: Mesh, body: int = 0) -> Array:
        """The earliest contact of each vertex of a body; infinite where there is none."""
        times = np.empty(mesh.vertex_count)
        lib.toc_contacts_find_times(self._pointer, body, ffi.NULL, len(times), pointer_to(times, "double[]"))
        return times

    def element_times(self, mesh: Mesh, body: int = 0, features: Features | None = None) -> Array:
        """The earliest contact of each element of a body; infinite where there is none."""
        times = np.empty(mesh.element_count)
        known = features or mesh.features()
        lib.toc_contacts_find_times(self._pointer, body, known._pointer, len(times), pointer_to(times, "double[]"))
        return times

    def body_pairs(self) -> Array:
        """The bodies that touch: records with the fields of toc_body_pair."""
        pairs = np.empty(len(self), dtype_of("toc_body_pair"))
        room = ffi.cast("toc_body_pair *", ffi.from_buffer(pairs))
        return pairs[: lib.toc_contacts_find_body_pairs(self._pointer, room)]

    @classmethod
    def read(cls, path: Any, step: int | None = None) -> Contacts:
        """Read contacts of a .csv, .vtp, .json or .glb that this library or the command has written.

        `step` is that of the table of a sequence, with a column of steps.
        """
        name, options = os.fsencode(path), ffi.new("toc_read_options *")
        lib.toc_read_options_init(options, ffi.sizeof("toc_read_options"))
        number = ffi.NULL if step is None else ffi.new("uint64_t *", step)
        options.step = number
        return cls._of(
            take(lambda out: lib.toc_contacts_read(name, options, out), "toc_contacts", lib.toc_answer_destroy)
        )

    def write(self, path: Any) -> None:
        """Write the contacts as .csv, .vtp or .json."""
        check(lib.toc_contacts_write(os.fsencode(path), self._pointer, ffi.NULL))


class Pairs(Result):
    """A list of pairs."""

    _list: ClassVar[str]
    _item: ClassVar[str]
    _kind: ClassVar[int]
    _destroy: ClassVar[Any]

    @classmethod
    def _of(cls, pointer: Any) -> Self:
        return cls._over(view(pointer.pairs, pointer.count, cls._item, pointer), pointer, pointer.seconds)

    def write(self, path: Any) -> None:
        """Write the pairs as .csv or .json; overlaps and near pairs, which have points, as .vtp, too."""
        check(lib.toc_answer_write(os.fsencode(path), self._kind, len(self), self._pointer.pairs, ffi.NULL))


class Overlaps(Pairs):
    """Overlapping faces or elements: records with the fields of toc_overlap_pair."""

    def _marks(self) -> Any:
        return self["point"]

    _list, _item, _destroy = "toc_overlaps", "toc_overlap_pair", lib.toc_answer_destroy
    _kind = lib.TOC_ITEM_OVERLAP


class Near(Pairs):
    """Near pairs: records with the fields of toc_near_pair."""

    def _marks(self) -> Any:
        return self["points"]

    def share(self, index: int, count: int) -> Near:
        """Every count-th pair from the index on, as near pairs of their own: the share of one process of many.

        >>> near = Scene(Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [.2, .2, .1]], {"triangle": [[0, 1, 2]], "point": [[3]]})).near(1)
        >>> len(near.share(0, 2)), len(near.share(1, 2))
        (1, 0)
        """
        if not 0 <= index < count:
            raise BadInput(f"there is no share {index} of {count}")
        pairs = np.ascontiguousarray(self.array[index::count])
        items = ffi.from_buffer("toc_near_pair[]", pairs) if len(pairs) else ffi.NULL
        pointer = take(lambda out: lib.toc_near_create(ffi.NULL, len(pairs), items, out), "toc_near", lib.toc_answer_destroy)
        return Near._of(pointer)._drawn_with(self._scene)

    _list, _item, _destroy = "toc_near", "toc_near_pair", lib.toc_answer_destroy
    _kind = lib.TOC_ITEM_NEAR


class VertexPairs(Pairs):
    """Near vertices: records with the fields of toc_vertex_pair."""

    _list, _item, _destroy = "toc_vertex_pairs", "toc_vertex_pair", lib.toc_answer_destroy
    _kind = lib.TOC_ITEM_VERTICES


class Containments(Pairs):
    """Bodies inside of others: records with the fields of toc_containment."""

    _list, _item, _destroy = "toc_containments", "toc_containment", lib.toc_answer_destroy
    _kind = lib.TOC_ITEM_CONTAINMENT


PairsKind = TypeVar("PairsKind", bound=Pairs)


def _find_pairs(kind: type[PairsKind], settings: Any, function: Any, scene: Scene, *arguments: Any) -> PairsKind:
    question = Question(settings)
    found = kind._of(question.make(kind._list, kind._destroy, function, scene._pointer, question.query, *arguments))
    return found._drawn_with(weakref.ref(scene))


class Touching(Result):
    """The pairs that touch in a step: records with the fields of toc_touching_pair."""

    @classmethod
    def _of(cls, pointer: Any) -> Touching:
        return cls._over(view(pointer.pairs, pointer.count, "toc_touching_pair", pointer), pointer)

    def changes(self, before: Touching | None) -> Array:
        """Which pairs began (0), persist (1) or ended (2) since the step before: records of toc_pair_change."""
        old = ffi.NULL if before is None else before._pointer
        found = take(
            lambda out: lib.toc_touching_compare(old, self._pointer, out),
            "toc_pair_changes",
            lib.toc_answer_destroy,
        )
        return view(found.changes, found.count, "toc_pair_change", found)


class World:
    """A mesh that rests for ever, with its search tree: made once, shared by any number of scenes."""

    def __init__(self, mesh: Mesh) -> None:
        if mesh._owner is not None:
            raise BadInput("the mesh is a body of a scene, a world or a simulation already")
        self._pointer = take(
            lambda out: lib.toc_world_create(ffi.NULL, mesh._pointer, out), "toc_world", lib.toc_world_destroy
        )
        mesh._give(self._pointer)
        self.mesh = mesh

    def __repr__(self) -> str:
        return repr(self.mesh).replace("Mesh", "World")

    def _repr_html_(self) -> str:
        return _notebook.page(repr(self), [self.mesh])

    def __reduce__(self) -> Any:
        return World, (self.mesh.copy(),)


class Scene:
    """Bodies and questions about their step. Every question takes the settings of toc_query as keywords.

    >>> floor = Mesh([[-9, -9, 0], [9, -9, 0], [0, 9, 0]], [[0, 1, 2]])
    >>> ball = Mesh([[0, 0, 1], [1, 0, 2], [0, 1, 2], [0, 0, 2]], {"tet": [[0, 1, 2, 3]]})
    >>> scene = Scene(floor, ball)
    >>> ball.move(ball.x1 - [0, 0, 4])
    >>> round(scene.first_contact().toc, 9)
    0.25
    >>> 0.249 < scene.safe_step() < 0.25
    True

    Questions run without Python's lock, on as many threads as the scene keeps busy. Ctrl-C stops them in the main
    thread.
    """

    def __init__(self, *meshes: Mesh) -> None:
        self._pointer = take(lambda out: lib.toc_scene_create(ffi.NULL, out), "toc_scene", lib.toc_scene_destroy)
        self._bodies: dict[int, Mesh | World] = {}
        self._simulated = False
        self._settings: dict[Any, Any] = {}
        for mesh in meshes:
            self.add(mesh)

    @classmethod
    def _wrap(cls, pointer: Any, bodies: dict[int, Mesh | World]) -> Scene:
        scene = cls.__new__(cls)
        scene._pointer = pointer
        scene._bodies = bodies
        scene._simulated = True
        scene._settings = {}
        return scene

    def _check_open(self) -> None:
        if self._simulated:
            raise BadInput("the scene belongs to a simulation, which has its bodies: Simulation.add adds one")

    def __repr__(self) -> str:
        bodies = count_of(len(self._bodies), "body", "bodies")
        meshes = self._meshes()
        vertices, elements = sum(m.vertex_count for m in meshes), sum(m.element_count for m in meshes)
        return f"<Scene of {bodies}: {vertices} vertices and {elements} elements>"

    def _repr_html_(self) -> str:
        """A notebook shows a still picture of the end of the step."""
        return _notebook.page(repr(self), self._meshes())

    def __reduce__(self) -> Any:
        """Bodies with their ids, and the settings made by this class; not the search structures."""
        if self._simulated:
            raise BadInput("the scene of a simulation is no copy of itself: copy its meshes")
        return _scene_of_bodies, (len(self), dict(self._bodies), dict(self._settings))

    def __copy__(self) -> Scene:
        return copy.deepcopy(self)

    def _set(self, name: str, *values: Any, of: int) -> None:
        """Make a setting and keep it: the first values say of what it is."""
        check(getattr(lib, f"toc_scene_set_{name}")(self._pointer, *values))
        self._settings[(name, *values[:of])] = values[of:]

    # Bodies

    def __len__(self) -> int:
        """Number of body ids given so far, removed ones among them."""
        return int(lib.toc_scene_get_body_count(self._pointer))

    def __getitem__(self, body: int) -> Mesh:
        """The mesh of a body."""
        found = self._bodies[body]
        return found.mesh if isinstance(found, World) else found

    def _meshes(self) -> list[Mesh]:
        return [self[body] for body in self._bodies]

    def add(self, body: Mesh | World, *, thickness: float = 0.0) -> int:
        """Add a mesh or a world as a body; return its id."""
        self._check_open()
        which = ffi.new("uint32_t *")
        if isinstance(body, World):
            check(lib.toc_scene_add_world(self._pointer, body._pointer, which))
        else:
            if not isinstance(body, Mesh):
                raise TypeError(f"a body is a Mesh or a World, not {type(body).__name__}; Mesh(vertices, elements) makes one")
            check(lib.toc_scene_add_body(self._pointer, body._pointer, which))
            body._give(self._pointer)
        self._bodies[which[0]] = body
        if thickness:
            self.set_thickness(which[0], thickness)
        return int(which[0])

    def remove(self, body: int) -> Mesh | World:
        """Remove a body. Its mesh is free again."""
        self._check_open()
        gone = ffi.new("toc_mesh **")
        check(lib.toc_scene_remove_body(self._pointer, body, gone))
        mesh = self._bodies.pop(body)
        self._settings = {key: value for key, value in self._settings.items() if key[1:] != (body,)}
        if isinstance(mesh, Mesh):
            mesh._take_back()
        return mesh

    def set_filter(self, body: int, groups: int = 1, mask: int = 2**64 - 1) -> None:
        """Which other bodies a body can touch: those whose layers (`groups`) are in its mask, and the other way round."""
        self._set("body_layers", body, groups, mask, of=1)

    def set_self_contact(self, body: int, on: bool) -> None:
        """Whether a body can touch itself."""
        self._set("self_contact", body, on, of=1)

    def set_group_contact(self, a: int, b: int, on: bool) -> None:
        """Whether elements of two groups can touch."""
        self._set("group_contact", min(a, b), max(a, b), on, of=2)

    def set_thickness(self, body: int, thickness: float) -> None:
        """Set the thickness of a body; half of it is on either side."""
        self._set("body_thickness", body, thickness, of=1)

    def move(self, body: int, x0: Any, x1: Any, *, stream: int | None = None) -> None:
        """Both ends of a body's step, from arrays of numpy or of any package with DLPack.

        Arrays in memory of the graphics processor (`__cuda_array_interface__`, `__dlpack__`) are copied there. With
        the stream that the caller works on, the call does not wait: work given to the stream before is read, work given
        later is not. Without one, it waits for the streams that the arrays name, and for the copy.
        """
        there = positions_there("x0", x0, stream), positions_there("x1", x1, stream)
        if there[0] is not None and there[1] is not None:
            move_there(self._pointer, body, there[0], there[1], stream)
            return
        if there[0] is not None or there[1] is not None:
            raise BadInput("one of x0 and x1 is in memory of the graphics processor, the other is not")
        mesh = self[body]
        mesh.set_motion(positions_here(x0), positions_here(x1))
        check(lib.toc_scene_share_positions(self._pointer, body, 0, ffi.NULL, ffi.NULL))

    # Questions about the step

    def contacts_on_device(self, *, stream: int | None = None, **settings: Unpack[Settings]) -> DeviceContacts:
        """The same contacts in memory of the graphics processor, for a solver there; `stream` is the caller's."""
        question = Question(settings)
        made = question.make(
            "toc_device_contacts",
            lib.toc_device_contacts_destroy,
            lib.toc_scene_find_contacts_on_device,
            self._pointer,
            question.query,
            ffi.cast("void *", stream or 0),
            ffi.NULL,
        )
        at = int(ffi.cast("uintptr_t", made.contacts))
        found = DeviceContacts(at, (int(made.count),), dtype_of("toc_contact"), made)
        found._list = made
        return found

    def contacts(self, **settings: Unpack[Settings]) -> Contacts:
        """All contacts of the step (or the first, or any: setting `answer`). Complete: none is missed."""
        return _find_contacts(self, settings)

    def first_contact(self, **settings: Unpack[Settings]) -> Any:
        """The earliest contact, a record with the fields of toc_contact; None if there is none."""
        settings["answer"] = "first"
        return self.contacts(**settings).first()

    def safe_step(self, **settings: Unpack[Settings]) -> float:
        """The largest fraction of the step that all bodies can move without a contact."""
        question, fraction = Question(settings), ffi.new("double *")
        question.ask(lib.toc_scene_find_safe_step, self._pointer, question.query, fraction)
        return float(fraction[0])

    def room_step(self, share: float = 0.2, most: float = 0.0, **settings: Unpack[Settings]) -> Any:
        """The largest step in which every pair keeps a share of its distance: a record of toc_room_step."""
        return _find_room_step(self, share, most, settings)

    def candidates(self, slack: float = 0.0, distance: float = 0.0, **settings: Unpack[Settings]) -> Candidates:
        """The pairs that can come within a distance in this step and in similar ones: for a line search."""
        return Candidates(self, slack, distance, settings)

    def conflict(self, **settings: Unpack[Settings]) -> tuple[str, tuple[int, int], float] | None:
        """Why a motion is not free: "contact", "containment" or "overlap", bodies and time; None if it is free."""
        question, found = Question(settings), ffi.new("toc_conflict *")
        question.ask(lib.toc_scene_find_conflict, self._pointer, question.query, found)
        if found.kind == lib.TOC_CONFLICT_NONE:
            return None
        return _conflicts[found.kind], (found.body[0], found.body[1]), found.toc

    def touches(self, contacts: Contacts, **settings: Unpack[Settings]) -> list[Array]:
        """Every time at which each contact begins and ends: for each an array of records of toc_touch."""
        question, found = Question(settings), ffi.new("toc_touches[]", max(len(contacts), 1))
        question.ask(lib.toc_scene_find_touches, self._pointer, question.query, contacts._pointer, found)
        return [view(found[i].at, found[i].count, "toc_touch", found) for i in range(len(contacts))]

    def touching(self, contacts: Contacts, level: Level = "bodies") -> Touching:
        """The bodies, groups or features that touch; compare the lists of two steps by their `changes`."""
        which = choose("level", _levels, level)
        return Touching._of(
            take(
                lambda out: lib.toc_scene_find_touching(self._pointer, contacts._pointer, which, out),
                "toc_touching",
                lib.toc_answer_destroy,
            )
        )

    # Questions about an instant

    def overlaps(self, end: End = "start", elements: bool = False, **settings: Unpack[Settings]) -> Overlaps:
        """The faces that share a point at an end of the step, or the volume elements. Exact."""
        which = choose("end", ends, end)
        of = lib.TOC_OVERLAPS_OF_ELEMENTS if elements else lib.TOC_OVERLAPS_OF_FACES
        return _find_pairs(Overlaps, settings, lib.toc_scene_find_overlaps_of, self, which, of, ffi.NULL)

    def near(
        self, distance: float, end: Literal["start", "end", "step"] = "start", **settings: Unpack[Settings]
    ) -> Near:
        """The pairs of features within a distance at an end of the step, or at any time of the "step"."""
        return _find_near(self, settings, choose("end", _near_times, end), distance)

    def barrier(
        self,
        distance: float,
        end: End = "start",
        *,
        near: Near | None = None,
        stiffness: float = 1.0,
        rest: Any = None,
        project: bool = True,
        order: int = 2,
        **settings: Unpack[Settings],
    ) -> Potential:
        """The barrier of the pairs within a distance at an end of the step: energy, gradient, Hessian.

        `near` are pairs that are known already. `rest` are the positions at rest of all vertices, of nearly parallel
        edges. `project` makes the Hessian of each pair positive semidefinite.
        """
        pairs = self.near(distance, end, **settings) if near is None else near
        fields = {"distance": distance, "stiffness": stiffness, "indefinite": not project, "order": order}
        return find_potential(self._pointer, pairs._pointer, "barrier", fields, end, rest, settings)

    def friction(
        self,
        near: Near,
        distance: float,
        slip: float,
        *,
        coefficient: float = 0.3,
        stiffness: float = 1.0,
        rest: Any = None,
        order: int = 2,
        **settings: Unpack[Settings],
    ) -> Potential:
        """The friction of the step, start to end: its forces and directions are those of pairs found before.

        `distance` and `stiffness` are those of the barrier; sliding by less than `slip` is smoothed.
        """
        fields = {
            "distance": distance,
            "stiffness": stiffness,
            "coefficient": coefficient,
            "slip": slip,
            "order": order,
        }
        return find_potential(self._pointer, near._pointer, "friction", fields, "start", rest, settings)

    def near_vertices(self, distance: float, end: End = "start", **settings: Unpack[Settings]) -> VertexPairs:
        """The vertices without a common element within a distance: those to weld with Mesh.merge_vertices."""
        near = _near_query(choose("end", ends, end), distance)
        return _find_pairs(VertexPairs, settings, lib.toc_scene_find_near_vertices, self, near)

    def containments(self, end: End = "start", **settings: Unpack[Settings]) -> Containments:
        """The bodies, or components of them, inside of others."""
        return _find_pairs(
            Containments, settings, lib.toc_scene_find_containments, self, choose("end", ends, end)
        )

    def _probe(
        self, function: Any, settings: Any, end: End, at: Any, columns: int, name: str, mask: int, reach: float = 0.0
    ) -> Array:
        array = doubles("probes", np.reshape(at, (-1, columns)), columns)
        found = np.empty(len(array), dtype_of(name))
        if len(array):
            question = Question(settings)
            probe = ffi.new(
                "toc_probe *", {"count": len(array), "at": pointer_to(array, "double[]"), "reach": reach, "mask": mask}
            )
            question.ask(
                function,
                self._pointer,
                question.query,
                choose("end", ends, end),
                probe,
                ffi.cast(f"{name} *", ffi.from_buffer(found)),
            )
        return found

    def closest(
        self,
        points: Any,
        reach: float = np.inf,
        end: End = "start",
        mask: int = 2**64 - 1,
        **settings: Unpack[Settings],
    ) -> Array:
        """The closest points of the scene to points: records with the fields of toc_scene_point."""
        return self._probe(lib.toc_scene_find_closest, settings, end, points, 3, "toc_scene_point", mask, reach)

    def hits(self, segments: Any, end: End = "start", mask: int = 2**64 - 1, **settings: Unpack[Settings]) -> Array:
        """The first hits of segments, rows of start and end: records with the fields of toc_segment_hit."""
        return self._probe(lib.toc_scene_find_hits, settings, end, segments, 6, "toc_segment_hit", mask)

    def containing(
        self, points: Any, end: End = "start", mask: int = 2**64 - 1, **settings: Unpack[Settings]
    ) -> Array:
        """The body that each point is inside of; NOTHING where there is none. Exact."""
        return self._probe(lib.toc_scene_find_containing, settings, end, points, 3, "uint32_t", mask)


def _question(settings: Any, candidates: Any) -> Question:
    question = Question(settings)
    if candidates is not None:
        question.query.candidates = candidates
    return question


def _find_contacts(scene: Scene, settings: Any, candidates: Any = None) -> Contacts:
    question = _question(settings, candidates)
    arguments = (scene._pointer, question.query, ffi.NULL)
    found = Contacts._of(
        question.make("toc_contacts", lib.toc_answer_destroy, lib.toc_scene_find_contacts, *arguments)
    )
    return found._drawn_with(weakref.ref(scene))


def _near_query(time: int, distance: float) -> Any:
    near = ffi.new("toc_near_query *")
    lib.toc_defaults_write(lib.TOC_DEFAULTS_NEAR_QUERY, near, ffi.sizeof("toc_near_query"))
    near.time, near.distance = time, distance
    return near


def _find_near(scene: Scene, settings: Any, time: int, distance: float, candidates: Any = None) -> Near:
    question, near = _question(settings, candidates), _near_query(time, distance)
    arguments = (scene._pointer, question.query, near, ffi.NULL)
    found = Near._of(question.make("toc_near", lib.toc_answer_destroy, lib.toc_scene_find_near, *arguments))
    return found._drawn_with(weakref.ref(scene))


def _find_room_step(scene: Scene, share: float, most: float, settings: Any, candidates: Any = None) -> Any:
    room, found, question = ffi.new("toc_room *"), ffi.new("toc_room_step *"), _question(settings, candidates)
    lib.toc_defaults_write(lib.TOC_DEFAULTS_ROOM, room, ffi.sizeof("toc_room"))
    room.share, room.most = share, most
    question.ask(lib.toc_scene_find_room_step, scene._pointer, question.query, room, found)
    return record(found, "toc_room_step")


def _scene_of_bodies(count: int, bodies: dict[int, Mesh | World], settings: dict[Any, Any]) -> Scene:
    """The scene of Scene.__reduce__. Bodies that are gone keep their ids."""
    scene = Scene()
    for body in range(count):
        scene.add(bodies.get(body, Mesh()))
        if body not in bodies:
            scene.remove(body)
    for (name, *of), values in settings.items():
        scene._set(name, *of, *values, of=len(of))
    return scene


class Candidates:
    """Pairs that may come near, kept for the many questions of a line search.

    Answers are those of the scene, bit for bit; a step that they do not cover raises Stale.
    """

    def __init__(self, scene: Scene, slack: float, distance: float, settings: Any) -> None:
        question = Question(settings)
        arguments = (scene._pointer, question.query, slack, distance)
        self._pointer = question.make(
            "toc_candidates", lib.toc_candidates_destroy, lib.toc_scene_find_candidates, *arguments
        )
        self._scene = scene

    def __repr__(self) -> str:
        return f"<Candidates of {count_of(len(self), 'pair', 'pairs')}>"

    def __len__(self) -> int:
        return int(lib.toc_candidates_get_count(self._pointer))

    def contacts(self, **settings: Unpack[Settings]) -> Contacts:
        """As Scene.contacts, among the candidates."""
        return _find_contacts(self._scene, settings, self._pointer)

    def near(self, distance: float, end: End = "start", **settings: Unpack[Settings]) -> Near:
        """As Scene.near, among the candidates."""
        return _find_near(self._scene, settings, choose("end", ends, end), distance, self._pointer)

    def room_step(self, share: float = 0.2, most: float = 0.0, **settings: Unpack[Settings]) -> Any:
        """As Scene.room_step, among the candidates."""
        return _find_room_step(self._scene, share, most, settings, self._pointer)


# Questions about one body, given as arrays


def _scene_of(elements: Elements, **positions: Any) -> Scene:
    """A scene of one body, at rest or moving."""
    for name, values in positions.items():
        if values is None:
            raise BadInput(f"{name} is None; give the positions as an array of the shape (n, 3)")
    start, *end = positions.values()
    return Scene(Mesh(start, elements, *end))


def contacts(x0: Any, x1: Any, elements: Elements, **settings: Unpack[Settings]) -> Contacts:
    """All contacts of one body with itself: vertices move from x0 to x1.

    `elements` is an array of corners, such as triangles (n, 3), or a mapping from shapes to such arrays.
    """
    return _scene_of(elements, x0=x0, x1=x1).contacts(**settings)._drawn_with(lambda: Scene(Mesh(x1, elements)))


def first_contact(x0: Any, x1: Any, elements: Elements, **settings: Unpack[Settings]) -> Any:
    """The earliest contact of one body with itself; None if there is none."""
    return _scene_of(elements, x0=x0, x1=x1).first_contact(**settings)


def safe_step(x0: Any, x1: Any, elements: Elements, **settings: Unpack[Settings]) -> float:
    """The largest fraction of the step without a contact."""
    return _scene_of(elements, x0=x0, x1=x1).safe_step(**settings)


def overlaps(x: Any, elements: Elements, **settings: Unpack[Settings]) -> Overlaps:
    """The faces of one body that cross each other."""
    return _scene_of(elements, x=x).overlaps(**settings)._drawn_with(lambda: Scene(Mesh(x, elements)))


def near(x: Any, elements: Elements, distance: float, **settings: Unpack[Settings]) -> Near:
    """The pairs of features of one body within a distance.

    >>> len(near([[0, 0, 0], [1, 0, 0], [0, 1, 0], [.2, .2, .1]], {"triangle": [[0, 1, 2]], "point": [[3]]}, 0.2))
    1
    """
    return _scene_of(elements, x=x).near(distance, **settings)._drawn_with(lambda: Scene(Mesh(x, elements)))


def interpolate(fraction: float, x0: Any, x1: Any) -> Array:
    """The positions after a fraction of the step, rounded as safe_step and room_step expect.

    >>> interpolate(0.5, [[0, 0, 0]], [[2, 4, 6]])
    array([[1., 2., 3.]])
    """
    start, end = doubles("x0", x0), doubles("x1", x1)
    if start.shape != end.shape:
        raise BadInput(f"x0 has the shape {start.shape}, x1 has {end.shape}")
    x = np.empty_like(start)
    lib.toc_positions_interpolate(
        fraction, x.size, pointer_to(start, "double[]"), pointer_to(end, "double[]"), ffi.NULL, pointer_to(x, "double[]")
    )
    return x


def barrier(
    x: Any,
    elements: Elements,
    distance: float,
    *,
    stiffness: float = 1.0,
    rest: Any = None,
    project: bool = True,
    order: int = 2,
    **settings: Unpack[Settings],
) -> Potential:
    """The barrier of one body: energy, gradient (vertices x 3) and Hessian of the pairs within a distance.

    >>> x = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [.2, .2, .1]]
    >>> found = barrier(x, {"triangle": [[0, 1, 2]], "point": [[3]]}, distance=0.2)
    >>> found.counts["face-vertex"], found.gradient[3].round(4), found.csr[0].size
    (1, array([ 0.    ,  0.    , -0.0346]), 144)
    """
    scene = _scene_of(elements, x=x)
    return scene.barrier(distance, stiffness=stiffness, rest=rest, project=project, order=order, **settings)


def friction(
    x0: Any,
    x1: Any,
    elements: Elements,
    distance: float,
    slip: float,
    *,
    coefficient: float = 0.3,
    stiffness: float = 1.0,
    rest: Any = None,
    order: int = 2,
    **settings: Unpack[Settings],
) -> Potential:
    """The friction of one body that moves from x0 to x1, with the forces of the barrier at x0.

    >>> x0 = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [.2, .2, .1]]
    >>> x1 = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [.3, .2, .1]]
    >>> found = friction(x0, x1, {"triangle": [[0, 1, 2]], "point": [[3]]}, 0.2, slip=0.01)
    >>> found.gradient[3].round(4)
    array([0.0104, 0.    , 0.    ])
    """
    scene = _scene_of(elements, x0=x0, x1=x1)
    near = scene.near(distance, **settings)
    return scene.friction(
        near, distance, slip, coefficient=coefficient, stiffness=stiffness, rest=rest, order=order, **settings
    )


def collision_free_step(
    x0: Any, x1: Any, elements: Elements, share: float = 0.2, most: float = 0.0, **settings: Unpack[Settings]
) -> float:
    """The largest fraction of the step in which every pair of one body keeps a share of its distance, up to `most`.

    `interpolate` gives the positions there: they have come without a contact, in exact arithmetic.

    >>> x0 = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [.2, .2, 1]]
    >>> x1 = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [.2, .2, -1]]
    >>> round(collision_free_step(x0, x1, {"triangle": [[0, 1, 2]], "point": [[3]]}, most=0.01), 6)
    0.495
    """
    return float(_scene_of(elements, x0=x0, x1=x1).room_step(share, most, **settings).fraction)
