# SPDX-License-Identifier: Apache-2.0
"""A window onto a running program: the page of `toccata view` in a browser on this machine, fed step by step."""
from __future__ import annotations

import sys
import time as clock
import webbrowser
from html import escape
from typing import TYPE_CHECKING, Any, Mapping

import numpy as np

from ._core import BadInput, check, rows, take, text
from ._native import ffi, lib
from .mesh import Mesh
from .scene import Contacts, Near, Overlaps, Scene
from .sim import Simulation

if TYPE_CHECKING:
    from typing import Union

    Fields = Union[Mapping[str, Any], None]

_axes = {"x": 0, "y": 1, "z": 2}


def _in_notebook() -> bool:
    return "ipykernel" in sys.modules


def _joined(name: str, values: Any) -> Any:
    """Numbers of all bodies as doubles: an array, or a list with an array for each body."""
    parts = values if isinstance(values, (list, tuple)) and values and np.ndim(values[0]) else [values]
    joined = np.concatenate([np.atleast_1d(rows(name, part)) for part in parts])
    if joined.dtype.kind not in "fiub" or joined.ndim not in (1, 2):
        raise BadInput(f"field {name}: a number or three for each id, not {joined.dtype} of shape {joined.shape}")
    return np.ascontiguousarray(joined, np.float64)


def _fields_of(fields: Fields, of_elements: int) -> list[tuple[Any, Any, dict[str, Any]]]:
    """The arrays and names to keep alive, and the fields of the C structure."""
    made = []
    for name, values in (fields or {}).items():
        array, chars = _joined(name, values), ffi.new("char[]", name.encode())
        components = 1 if array.ndim == 1 else array.shape[1]
        numbers = ffi.from_buffer("double[]", array)
        field = dict(name=chars, components=components, of_elements=of_elements, count=len(array), values=numbers)
        made.append((array, chars, field))
    return made


class View:
    """A page on a port of this machine. `show` makes one; `add_step` adds the step that the scene is in.

    In a notebook the view is the page itself, in a frame. Only a browser on this machine can open the address, which
    contains a secret. The program never waits for a browser. Steps beyond `memory` bytes are forgotten, the oldest first.
    """

    def __init__(
        self, scene: Scene | Simulation | Mesh, *, port: int = 0, up: str = "z", title: str = "live", memory: int = 1 << 30
    ) -> None:
        if up not in _axes:
            raise BadInput(f"up is x, y or z, not {up!r}")
        self._scene = Scene(scene.copy()) if isinstance(scene, Mesh) else scene
        options = ffi.new("toc_view_options *")
        check(lib.toc_view_options_init(options, ffi.sizeof("toc_view_options")))
        name = ffi.new("char[]", title.encode())
        try:
            options.port, options.up, options.memory, options.title = port, _axes[up], memory, name
        except OverflowError as error:
            raise BadInput(f"port {port}, memory {memory}: {error}") from None
        self._pointer: Any = take(lambda out: lib.toc_view_open(options, out), "toc_view", lib.toc_view_close)

    def _open(self) -> Any:
        if self._pointer is None:
            raise BadInput("the view is closed")
        return self._pointer

    def add_step(
        self,
        contacts: Contacts | bool = True,
        *,
        time: float = np.nan,
        fields: Fields = None,
        element_fields: Fields = None,
        overlaps: Overlaps | None = None,
        near: Near | None = None,
    ) -> None:
        """Show the step that the scene is in.

        `contacts` are those that you have found; True finds them, False shows none. `fields` are a number or three for
        each vertex id of all bodies, one body after the other, or a list with an array for each body; `element_fields`
        for each element id. They are shown as colours, and vectors as arrows too.
        """
        pointer = self._open()
        scene = self._scene.scene if isinstance(self._scene, Simulation) else self._scene
        found = scene.contacts() if contacts is True else contacts
        made = _fields_of(fields, 0) + _fields_of(element_fields, 1)
        array = ffi.new("toc_view_field[]", [field for _, _, field in made]) if made else ffi.NULL
        step = ffi.new("toc_view_step *")
        step.contacts = found._pointer if isinstance(found, Contacts) else ffi.NULL
        step.overlaps = ffi.NULL if overlaps is None else overlaps._pointer
        step.near = ffi.NULL if near is None else near._pointer
        step.field_count, step.fields, step.time = len(made), array, time
        check(lib.toc_view_add_step(pointer, scene._pointer, step))

    @property
    def address(self) -> str:
        """Open it in a browser on this machine."""
        return text(lib.toc_view_get_address(self._open()))

    @property
    def is_watched(self) -> bool:
        """Whether a page is open. One that was closed counts for a second more, and one that is busy for 15."""
        return bool(lib.toc_view_is_watched(self._open()))

    def wait(self, seconds: float = np.inf) -> bool:
        """Wait until a page is open, and then until the last one is closed, each for so long at most.

        A script ends with it, so that its window stays. Ctrl-C ends the wait. False when the time is over.
        """
        for wanted in (True, False):
            end = clock.monotonic() + seconds
            while self.is_watched is not wanted:
                if clock.monotonic() >= end:
                    return False
                clock.sleep(0.05)
        return True

    def close(self) -> None:
        """Close the port. An open page keeps the steps that it has loaded."""
        pointer, self._pointer = self._pointer, None
        if pointer is not None:
            ffi.release(pointer)

    def __enter__(self) -> View:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return "<View that is closed>" if self._pointer is None else f"<View at {self.address}>"

    def _repr_html_(self) -> str:
        if self._pointer is None:
            return "<p>The view is closed.</p>"
        address = escape(self.address, quote=True)
        frame = f'<iframe src="{address}" title="Toccata" width="100%" height="600" style="border: 1px solid #ccc"></iframe>'
        return f'{frame}<p><a href="{address}" target="_blank" rel="noopener">Open in a window of its own</a></p>'


def show(
    scene: Scene | Simulation | Mesh,
    contacts: Contacts | bool = True,
    *,
    open: bool | None = None,
    port: int = 0,
    up: str = "z",
    title: str = "live",
    memory: int = 1 << 30,
    **step: Any,
) -> View:
    """Show the step of a scene in a browser, and go on: a running program feeds its steps to the view.

    >>> x0 = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [.2, .2, 1]]
    >>> mesh = Mesh(x0, {"triangle": [[0, 1, 2]], "point": [[3]]})
    >>> scene = Scene(mesh)
    >>> view = show(scene, open=False, fields={"height": mesh.x1[:, 2]})
    >>> mesh.move(mesh.x1 - [0, 0, .5])
    >>> view.add_step(time=0.1, fields={"height": mesh.x1[:, 2]})
    >>> view.close()

    `open` opens the browser of this machine; by default it does outside of notebooks, where the view itself is the page.
    Further keywords are those of View.add_step.
    """
    view = View(scene, port=port, up=up, title=title, memory=memory)
    try:
        view.add_step(contacts, **step)
    except BaseException:
        view.close()
        raise
    if open or (open is None and not _in_notebook()):
        webbrowser.open(view.address)
    return view
