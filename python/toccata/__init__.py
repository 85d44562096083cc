# SPDX-License-Identifier: Apache-2.0
"""Toccata: when and where deforming bodies touch.

A sheet of two triangles falls onto another one:

>>> import numpy, toccata
>>> sheet = numpy.array([[0, 0, 0], [2, 0, 0], [0, 2, 0.], [2, 2, 0]])
>>> x0 = numpy.concatenate((sheet, sheet + [.3, .3, 1]))
>>> x1 = numpy.concatenate((sheet, sheet + [.3, .3, -1]))
>>> found = toccata.contacts(x0, x1, [[0, 1, 2], [1, 3, 2], [4, 5, 6], [5, 7, 6]])
>>> round(found["toc"].min(), 9), found["kind"].max() == toccata.Kind.EE
(0.5, True)

One body: `contacts`, `first_contact`, `safe_step`, `collision_free_step`, `overlaps`, `near`, `barrier`, `friction`, on
arrays. Several bodies, edits, kept search structures: `Mesh` and `Scene`. Single pairs: `toccata.pair`. Points and edges
in the plane: `toccata.plane`. Files: `read`, `Sequence`. Physics: `Simulation`, `Character`. A window in the browser:
`show`.
The fields of records are those of the C structures, described in the headers of the library.
"""
from . import adapt, pair, plane
from ._core import (
    BadInput,
    Busy,
    DiskFull,
    Error,
    Internal,
    Kind,
    Mask,
    NoDevice,
    OutOfMemory,
    Result,
    Stale,
    Stopped,
    Unstable,
    Verdict,
    presets,
    version,
)
from .character import NO_PARENT, Character, Rig
from .device import DeviceArray, DeviceContacts
from .io import Field, Format, Sequence, formats, read
from .mesh import Features, Mesh
from .potential import Potential
from .scene import (
    NOTHING,
    Candidates,
    Containments,
    Contacts,
    Near,
    Overlaps,
    Scene,
    Touching,
    VertexPairs,
    World,
    barrier,
    collision_free_step,
    contacts,
    first_contact,
    friction,
    interpolate,
    near,
    overlaps,
    safe_step,
)
from .sim import Simulation
from .view import View, show

__version__ = version()
__all__ = [
    "BadInput",
    "Busy",
    "Candidates",
    "Character",
    "Contacts",
    "Containments",
    "DiskFull",
    "DeviceArray",
    "DeviceContacts",
    "Error",
    "Features",
    "Field",
    "Format",
    "Internal",
    "Kind",
    "Mask",
    "Mesh",
    "NOTHING",
    "NO_PARENT",
    "Near",
    "OutOfMemory",
    "Overlaps",
    "Potential",
    "Result",
    "Rig",
    "Scene",
    "Sequence",
    "Simulation",
    "Stale",
    "Stopped",
    "Touching",
    "NoDevice",
    "Unstable",
    "Verdict",
    "VertexPairs",
    "View",
    "World",
    "adapt",
    "barrier",
    "collision_free_step",
    "contacts",
    "first_contact",
    "formats",
    "friction",
    "interpolate",
    "near",
    "overlaps",
    "pair",
    "plane",
    "presets",
    "read",
    "safe_step",
    "show",
    "version",
]
