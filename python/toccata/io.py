# SPDX-License-Identifier: Apache-2.0
"""Files: meshes, sequences of frames, and the formats there are."""
from __future__ import annotations

import math
import os
from typing import Any, Iterator, NamedTuple

from ._core import Array, check, count_of, take, text, view
from ._native import ffi, lib
from .mesh import Mesh


class Format(NamedTuple):
    """A file format."""

    name: str
    extensions: tuple[str, ...]
    what: str
    reads: bool
    writes: bool


class Field(NamedTuple):
    """Values that a file has for each vertex or element: temperature, stress, velocity."""

    name: str
    of_elements: bool
    values: Array  # a row for each id of the mesh; 3 columns of a vector. Removed elements have NaN


def formats() -> list[Format]:
    """The formats of this build.

    >>> "ply" in [each.name for each in formats()]
    True
    """
    found: list[Format] = []
    info = ffi.new("toc_format_info *")
    while lib.toc_format_get_sized(len(found), info, ffi.sizeof("toc_format_info")):
        found.append(
            Format(text(info.name), tuple(text(info.extensions).split()), text(info.what), info.reads, info.writes)
        )
    return found


def _options(memory: int) -> Any:
    options = ffi.new("toc_read_options *")
    lib.toc_read_options_init(options, ffi.sizeof("toc_read_options"))
    options.memory = memory
    return options


def read(path: Any, memory: int = 0) -> Mesh:
    """Read a mesh at rest. `memory` limits the bytes in use; 0 stands for a quarter of those available."""
    out = ffi.new("toc_mesh **")
    check(lib.toc_mesh_read(os.fsencode(path), _options(memory), out))
    return Mesh._wrap(ffi.gc(out[0], lib.toc_mesh_destroy), None)


class Sequence:
    """Frames of one moving mesh: files in order, or one file with many frames (.pvd, d3plot, Exodus, animated glTF).

    `for time, mesh in sequence` goes through the steps: it is always the same mesh, moved from frame to frame.
    """

    def __init__(self, *paths: Any, memory: int = 0, rate: float | None = None, clip: str | None = None) -> None:
        names = [ffi.new("char[]", os.fsencode(path)) for path in paths]
        out = ffi.new("toc_sequence **")
        check(lib.toc_sequence_open(len(names), ffi.new("char *[]", names), _options(memory), out))
        self._pointer = ffi.gc(out[0], lib.toc_sequence_close)
        if rate is not None:
            check(lib.toc_sequence_sample(self._pointer, rate))
        if clip is not None:
            check(lib.toc_sequence_play(self._pointer, clip.encode()))

    @property
    def clips(self) -> list[str]:
        """The names of the animations of a glTF."""
        info = lib.toc_sequence_get_info(self._pointer)
        return [text(info.clips[i]) for i in range(info.clip_count)]

    def __repr__(self) -> str:
        return f"<Sequence of {count_of(len(self), 'frame', 'frames')} from {self.path(0)}>"

    def __len__(self) -> int:
        return int(lib.toc_sequence_get_info(self._pointer).frame_count)

    def time(self, frame: int) -> float:
        """The time of a frame as the file says, else its number."""
        info = lib.toc_sequence_get_info(self._pointer)
        return float(info.times[frame]) if 0 <= frame < info.frame_count else math.nan

    def path(self, frame: int) -> str:
        """The file of a frame."""
        name = lib.toc_sequence_get_path(self._pointer, frame)
        if name == ffi.NULL:
            raise IndexError(f"frame {frame} of {len(self)}")
        return os.fsdecode(ffi.string(name))

    def first(self) -> Mesh:
        """Frame 0 as a mesh at rest."""
        out = ffi.new("toc_mesh **")
        check(lib.toc_sequence_read_first(self._pointer, out))
        return Mesh._wrap(ffi.gc(out[0], lib.toc_mesh_destroy), None)

    def advance(self, frame: int, mesh: Mesh) -> None:
        """Move the mesh to a frame: the old end becomes the start."""
        check(lib.toc_sequence_advance(self._pointer, frame, mesh._editable))

    def fields(self, frame: int, mesh: Mesh) -> list[Field]:
        """The fields of a frame, for the mesh that is at this frame: stresses of a d3plot, variables of an Exodus file."""
        found = take(
            lambda out: lib.toc_sequence_read_fields(self._pointer, frame, mesh._pointer, out),
            "toc_fields",
            lib.toc_fields_destroy,
        )
        fields = [found.fields[i] for i in range(found.count)]
        flat = [view(field.values, field.count * field.components, "double", found) for field in fields]
        shapes = [(field.count,) if field.components == 1 else (field.count, 3) for field in fields]
        return [
            Field(text(field.name), bool(field.of_elements), values.reshape(shape))
            for field, values, shape in zip(fields, flat, shapes)
        ]

    def __iter__(self) -> Iterator[tuple[float, Mesh]]:
        mesh = self.first()
        for frame in range(1, len(self)):
            self.advance(frame, mesh)
            yield self.time(frame), mesh

    def write(self, path: Any) -> None:
        """Write all frames to an animated .glb or to a .pvd."""
        check(lib.toc_sequence_write(os.fsencode(path), self._pointer))
