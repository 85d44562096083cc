# SPDX-License-Identifier: Apache-2.0
"""Characters: a cage of tetrahedra that a skeleton moves, and the places where it meets itself and other bodies."""
from __future__ import annotations

import os
from typing import Any

import numpy as np

from ._core import Array, BadInput, check, choose, count_of, doubles, indices, pointer_to, record, text, view
from ._native import ffi, lib
from .mesh import Mesh
from .sim import set_fields

_presets = {text(lib.toc_character_preset_get_name(i)): i for i in range(lib.TOC_CHARACTER_PRESET_COUNT)}
_skinnings = {"linear": lib.TOC_SKINNING_LINEAR, "dual": lib.TOC_SKINNING_DUAL}
NO_PARENT = 0xFFFFFFFF
"""The parent of a root joint."""


def _matrices(what: str, values: Any, count: int) -> Array:
    array = np.ascontiguousarray(values, np.float64)
    if array.shape != (count, 3, 4):
        raise BadInput(f"{what} must have the shape ({count}, 3, 4), not {array.shape}")
    return array


class Character:
    """A cage in the bind pose, joints with their parents and inverse bind matrices, and the weights of the vertices.

    `joints` and `weights` have a row for each vertex, as in glTF; weights of 0 do not count. Keywords are the fields of
    toc_character_settings; `preset` and `skinning` are names.

    >>> cage = Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], {"tet": [[0, 1, 2, 3]]})
    >>> identity = [[[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]]
    >>> character = Character(cage, [NO_PARENT], identity, [[0]] * 4, [[1]] * 4)
    >>> character.step([[[1, 0, 0, 5], [0, 1, 0, 0], [0, 0, 1, 0]]]).contacts
    0
    >>> character.positions()[0]
    array([5., 0., 0.])
    """

    def __init__(
        self, cage: Mesh, parents: Any, inverse_binds: Any, joints: Any, weights: Any, **settings: Any
    ) -> None:
        above, share = indices("parents", parents), np.asarray(weights, np.float64)
        which = indices("joints", joints)
        if share.ndim != 2 or share.shape != which.shape or len(share) != cage.vertex_count:
            raise BadInput(
                f"joints and weights must have a row for each of {cage.vertex_count} vertices; "
                f"their shapes are {which.shape} and {share.shape}"
            )
        counts = share != 0
        ends = np.cumsum(counts.sum(axis=1), dtype=np.uint64)
        binds = _matrices("inverse_binds", inverse_binds, len(above))
        packed, shares = which[counts].copy(), share[counts].copy()
        definition = ffi.new("toc_character_def *")
        definition.cage, definition.joint_count = cage._pointer, len(above)
        definition.parents = pointer_to(above, "uint32_t[]")
        definition.inverse_binds = pointer_to(binds, "double[]")
        definition.weight_ends = pointer_to(ends, "size_t[]")
        definition.joints, definition.weights = pointer_to(packed, "uint32_t[]"), pointer_to(shares, "double[]")
        chosen = ffi.new("toc_character_settings *")
        lib.toc_sim_defaults_write(lib.TOC_SIM_DEFAULTS_CHARACTER, chosen, ffi.sizeof("toc_character_settings"))
        chosen.preset = choose("preset", _presets, settings.pop("preset", "auto"))
        chosen.skinning = choose("skinning", _skinnings, settings.pop("skinning", "linear"))
        set_fields(chosen, settings, "setting")
        out = ffi.new("toc_character **")
        check(lib.toc_character_create(definition, chosen, ffi.NULL, out))
        self._pointer = ffi.gc(out[0], lib.toc_character_destroy)
        self._counts = [cage.vertex_count]
        self._joints = len(above)

    def __repr__(self) -> str:
        joints, bodies = count_of(self._joints, "joint", "joints"), count_of(len(self._counts), "body", "bodies")
        return f"<Character of {joints} and {bodies}>"

    def add(self, mesh: Mesh) -> int:
        """Add a body of tets that the caller moves; return its id, from 1 on."""
        body = ffi.new("uint32_t *")
        check(lib.toc_character_add_body(self._pointer, mesh._pointer, body))
        self._counts.append(mesh.vertex_count)
        return int(body[0])

    def _count(self, body: int) -> int:
        if not 0 <= body < len(self._counts):
            raise BadInput(f"there is no body {body}")
        return self._counts[body]

    def move(self, body: int, x: Any) -> None:
        """Place a body."""
        array = doubles("x", x)
        if len(array) != self._count(body):
            raise BadInput(f"x has {len(array)} rows, the body has {self._count(body)} vertices")
        check(lib.toc_character_move_body(self._pointer, body, len(array), pointer_to(array, "double[]")))

    def set_attachment(self, joint: int, attachment: float) -> None:
        """Stiffness of the attachment to a joint's bone, 0 to 1."""
        check(lib.toc_character_set_attachment(self._pointer, joint, attachment))

    def set_morph(self, ways: Any = None) -> None:
        """Displace the cage in its bind pose, before the joints move it; a row for each vertex, None for no morph.

        >>> cage = Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], {"tet": [[0, 1, 2, 3]]})
        >>> identity = [[[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]]
        >>> face = Character(cage, [NO_PARENT], identity, [[0]] * 4, [[1]] * 4)
        >>> face.set_morph([[0, 0, 0], [2, 0, 0], [0, 0, 0], [0, 0, 0]])
        >>> face.step(identity).contacts
        0
        >>> face.positions()[1]
        array([3., 0., 0.])
        """
        if ways is None:
            check(lib.toc_character_set_morph(self._pointer, 0, ffi.NULL))
            return
        array = doubles("ways", ways)
        check(lib.toc_character_set_morph(self._pointer, len(array), pointer_to(array, "double[]")))

    def step(self, matrices: Any) -> Any:
        """Move to a pose, matrices (joints, 3, 4) from the bind pose to the world, and find the contacts.

        Return a record with the fields of toc_character_report.
        """
        pose = pointer_to(_matrices("matrices", matrices, self._joints), "double[]")
        report = ffi.new("toc_character_report *")
        check(lib.toc_character_step_sized(self._pointer, self._joints, pose, report, ffi.sizeof("toc_character_report")))
        return record(report, "toc_character_report")

    @property
    def contacts(self) -> Array:
        """Vertices in tets in the last frame: records with the fields of toc_character_contact, a copy."""
        count = ffi.new("size_t *")
        found = lib.toc_character_get_contacts(self._pointer, count)
        return view(found, count[0], "toc_character_contact").copy()

    def is_awake(self, joint: int) -> bool:
        """Whether the part of a joint was searched in the last frame."""
        return bool(lib.toc_character_is_awake(self._pointer, joint))

    def positions(self, body: int = 0) -> Array:
        """Positions of a body in the last frame, 0 for the cage: a copy."""
        pointer = lib.toc_character_get_positions(self._pointer, body)
        return view(pointer, 3 * self._count(body), "double").reshape(-1, 3).copy()


class Rig:
    """The skeleton of a glTF with a skin or morph targets: the mesh in its bind pose, joints, weights, clips and poses.

    `parents`, `inverse_binds`, `joints` and `weights` are those that `Character` takes, for the vertices of `mesh`.
    """

    def __init__(self, path: Any) -> None:
        out = ffi.new("toc_rig **")
        check(lib.toc_rig_read(os.fsencode(path), ffi.NULL, out))
        self._pointer = rig = ffi.gc(out[0], lib.toc_rig_destroy)
        made = [rig.joints[i] for i in range(rig.joint_count)]
        self.names: list[str] = [text(joint.name) for joint in made]
        self.parents: Array = np.array([joint.parent for joint in made], np.uint32)
        self.inverse_binds: Array = np.array([list(joint.inverse_bind) for joint in made]).reshape(-1, 3, 4)
        self.clips: list[str] = [text(rig.clips[i]) for i in range(rig.clip_count)]
        self.mesh = Mesh._wrap(rig.mesh, rig).copy()
        self.joints, self.weights = self._read_weights()

    def __repr__(self) -> str:
        joints, clips = count_of(len(self.names), "joint", "joints"), count_of(len(self.clips), "clip", "clips")
        return f"<Rig of {joints} and {clips}>"

    def _read_weights(self) -> tuple[Array, Array]:
        count = ffi.new("size_t *")
        lists = []
        for vertex in range(self.mesh.vertex_count):
            found = lib.toc_rig_get_weights(self._pointer, vertex, count)
            lists.append([(found[i].joint, found[i].weight) for i in range(count[0])])
        most = max(map(len, lists), default=0)
        rows = np.array([each + [(0, 0.0)] * (most - len(each)) for each in lists]).reshape(len(lists), most, 2)
        return rows[:, :, 0].astype(np.uint32), rows[:, :, 1].copy()

    def _clip(self, name: str) -> int:
        clip = ffi.new("size_t *")
        check(lib.toc_rig_find_clip(self._pointer, name.encode(), clip))
        return int(clip[0])

    def times(self, clip: str) -> tuple[float, float]:
        """The time of the first and of the last key of a clip, in seconds."""
        start, end = ffi.new("double *"), ffi.new("double *")
        check(lib.toc_rig_find_times(self._pointer, self._clip(clip), start, end))
        return start[0], end[0]

    def pose(self, clip: str | None = None, time: float = 0.0) -> Array:
        """The matrices (joints, 3, 4) of a pose, from the bind pose to the world; without a clip, that of the file."""
        matrices = np.empty((len(self.names), 3, 4))
        which = 2**64 - 1 if clip is None else self._clip(clip)
        check(lib.toc_rig_pose(self._pointer, which, time, len(matrices), pointer_to(matrices, "double[]")))
        return matrices

    def morph(self, clip: str | None = None, time: float = 0.0) -> Array:
        """The ways of the vertices of `mesh` by morph targets in a pose, in the bind pose: (vertices, 3)."""
        ways = np.empty((self.mesh.vertex_count, 3))
        which = 2**64 - 1 if clip is None else self._clip(clip)
        check(lib.toc_rig_morph(self._pointer, which, time, len(ways), pointer_to(ways, "double[]")))
        return ways
