# SPDX-License-Identifier: Apache-2.0
"""Arrays in memory of the graphics processor, in and out without a copy through the processor.

In go arrays of PyTorch, CuPy, Warp, JAX and others: anything with `__cuda_array_interface__` or `__dlpack__`
(`Scene.move`). Out come contacts (`Scene.contacts_on_device`), which have both. `DeviceArray.of` makes arrays there
where no such package is at hand.
"""
from __future__ import annotations

import ctypes
import math
from typing import Any

import numpy as np

from ._core import Array, BadInput, check, fail
from ._native import ffi, lib

CPU, CUDA, MANAGED = 1, 2, 13
"""Kinds of devices of DLPack: those whose arrays are taken."""
_DEFAULT_STREAM = 1


# DLPack: the structures of version 0, in the capsules of Python's C interface.


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class _Managed(ctypes.Structure):
    _fields_ = [("tensor", _Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


_Deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_lent: dict[int, Any] = {}  # by the address of the structure: the structure and all that it points to


def _give_back(address: int) -> None:
    _lent.pop(address, None)


def _end_capsule(capsule: int) -> None:
    if _api.PyCapsule_IsValid(capsule, b"dltensor"):
        _give_back(_api.PyCapsule_GetPointer(capsule, b"dltensor"))


_api = ctypes.PyDLL(None)
_api.PyCapsule_New.restype = ctypes.py_object
_api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_api.PyCapsule_GetPointer.restype = ctypes.c_void_p
_api.PyCapsule_GetPointer.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
_api.PyCapsule_IsValid.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
_api.PyCapsule_SetName.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
_deleter = _Deleter(_give_back)
_destructor = _Deleter(_end_capsule)
_names = (b"dltensor", b"used_dltensor")  # capsules point to their names


class _Taken:
    """A tensor of another package: its memory is theirs again when this goes."""

    def __init__(self, capsule: Any) -> None:
        at = id(capsule)
        if not _api.PyCapsule_IsValid(at, _names[0]):
            raise BadInput("this is no capsule of DLPack that has not been taken yet")
        self._managed = ctypes.cast(_api.PyCapsule_GetPointer(at, _names[0]), ctypes.POINTER(_Managed))
        _api.PyCapsule_SetName(at, _names[1])
        self.tensor = self._managed.contents.tensor

    def __del__(self) -> None:
        if hasattr(self, "_managed") and self._managed.contents.deleter:
            _Deleter(self._managed.contents.deleter)(ctypes.addressof(self._managed.contents))


class DeviceArray:
    """An array in memory of the graphics processor, for any package that knows DLPack or `__cuda_array_interface__`.

    >>> values = DeviceArray.of([[1., 2, 3], [4, 5, 6]])  # doctest: +SKIP
    >>> values.numpy()[1]  # doctest: +SKIP
    array([4., 5., 6.])
    """

    def __init__(self, pointer: int, shape: tuple[int, ...], dtype: Any, owner: Any, strides: tuple[int, ...] | None = None) -> None:
        self.pointer, self.shape, self.dtype, self._owner = pointer, shape, np.dtype(dtype), owner
        tight = tuple(math.prod(shape[i + 1 :]) * self.dtype.itemsize for i in range(len(shape)))
        self.strides = strides or tight

    @classmethod
    def empty(cls, shape: tuple[int, ...], dtype: Any = float) -> DeviceArray:
        """New memory there, with any numbers."""
        made = ffi.new("void **")
        check(lib.toc_device_allocate(max(math.prod(shape) * np.dtype(dtype).itemsize, 1), made))
        owner = ffi.gc(made[0], lib.toc_device_release)
        return cls(int(ffi.cast("uintptr_t", owner)), tuple(shape), dtype, owner)

    @classmethod
    def of(cls, values: Any) -> DeviceArray:
        """A copy there of an array of the processor."""
        array = np.ascontiguousarray(values)
        made = cls.empty(array.shape, array.dtype)
        made.write(array)
        return made

    def write(self, values: Any, stream: int = 0) -> None:
        """Copy an array of the processor into this one, behind the work of a stream so far."""
        array = np.ascontiguousarray(np.broadcast_to(values, self.shape), self.dtype)
        if self.strides != array.strides:
            raise BadInput("only an array without gaps can be written")
        there = ffi.cast("void *", self.pointer)
        if array.size:
            check(lib.toc_device_copy(there, ffi.from_buffer(array), array.nbytes, ffi.cast("void *", stream)))

    def numpy(self, stream: int = 0) -> Array:
        """A copy in memory of the processor, behind the work of a stream so far."""
        if math.prod(self.shape) == 0:
            return np.empty(self.shape, self.dtype)
        size = sum((n - 1) * step for n, step in zip(self.shape, self.strides)) + self.dtype.itemsize
        room = np.empty(size, np.uint8)
        check(lib.toc_device_copy(ffi.from_buffer(room), ffi.cast("void *", self.pointer), size, ffi.cast("void *", stream)))
        return np.ndarray(self.shape, self.dtype, room, 0, self.strides).copy()

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of shape {self.shape}>"

    def __getitem__(self, field: str) -> DeviceArray:
        """A field of all records, without a copy."""
        if not isinstance(field, str) or field not in (self.dtype.names or ()):
            raise BadInput(f"there is no field {field!r}; the fields are: {', '.join(self.dtype.names or ())}")
        kind, offset = self.dtype.fields[field][:2]  # type: ignore[index]
        inner = tuple(math.prod(kind.shape[i + 1 :]) * kind.base.itemsize for i in range(len(kind.shape)))
        at = self.pointer + offset if len(self) else 0
        return DeviceArray(at, self.shape + kind.shape, kind.base, self, self.strides + inner)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """Version 3. Without a stream: the array is complete."""
        found = {"shape": self.shape, "typestr": self.dtype.str, "strides": self.strides, "version": 3, "stream": None}
        if self.dtype.names:
            found["descr"] = self.dtype.descr
        return {**found, "data": (self.pointer, isinstance(self, DeviceContacts))}

    def __dlpack_device__(self) -> tuple[int, int]:
        return CUDA, 0

    def __dlpack__(self, stream: int | None = None, **_: Any) -> Any:
        """A capsule; records are rows of bytes."""
        shape, strides, dtype = self.shape, self.strides, self.dtype
        if dtype.names:
            shape, strides, dtype = (*shape, dtype.itemsize), (*strides, 1), np.dtype(np.uint8)
        if dtype.kind not in "iuf" or any(step % dtype.itemsize for step in strides):
            raise BadInput(f"DLPack has no numbers of type {dtype}, or not in this layout")
        sizes = (ctypes.c_int64 * len(shape))(*shape)
        steps = (ctypes.c_int64 * len(shape))(*(step // dtype.itemsize for step in strides))
        code = "iuf".index(dtype.kind)
        tensor = _Tensor(self.pointer, CUDA, 0, len(shape), code, 8 * dtype.itemsize, 1, sizes, steps, 0)
        lent = _Managed(tensor, None, ctypes.cast(_deleter, ctypes.c_void_p))
        _lent[ctypes.addressof(lent)] = lent, sizes, steps, self
        return _api.PyCapsule_New(ctypes.addressof(lent), _names[0], ctypes.cast(_destructor, ctypes.c_void_p))


class DeviceContacts(DeviceArray):
    """Contacts in memory of the graphics processor: records with the fields of toc_contact, such as `found["toc"]`."""

    _list: Any

    def get(self) -> Any:
        """The same contacts in memory of the processor, copied by the first call."""
        from .scene import Contacts

        here = lib.toc_device_contacts_get(self._list)
        if here == ffi.NULL:
            fail(lib.TOC_NO_DEVICE)
        return Contacts._of(ffi.gc(here, lambda _, keep=self._list: None))


# Arrays that come in


class Positions:
    """Positions of vertices in memory of the graphics processor, as toc_shared_positions has them."""

    def __init__(self, what: str, pointer: int, shape: Any, steps: Any, dtype: Any, keep: Any, stream: int | None) -> None:
        dtype = np.dtype(dtype)
        if dtype not in (np.dtype(np.float64), np.dtype(np.float32)):
            raise BadInput(f"{what} must be doubles or floats, not {dtype}")
        if len(shape) != 2 or shape[1] != 3:
            raise BadInput(f"{what} must have the shape (n, 3), not {tuple(shape)}")
        steps = steps or (3 * dtype.itemsize, dtype.itemsize)
        if shape[0] > 1 and (steps[1] != dtype.itemsize or steps[0] < 3 * dtype.itemsize):
            raise BadInput(f"{what}: the coordinates of a vertex must be next to each other; the strides are {tuple(steps)} bytes")
        self.count, self.keep, self.stream = int(shape[0]), keep, stream
        stride = steps[0] if shape[0] > 1 else 0
        scalar = lib.TOC_FLOAT if dtype.itemsize == 4 else lib.TOC_DOUBLE
        self.shared = ffi.new("toc_shared_positions *", (ffi.cast("void *", pointer), stride, scalar))


def _by_interface(what: str, values: Any) -> Positions:
    found = values.__cuda_array_interface__
    if found.get("mask") is not None:
        raise BadInput(f"{what} has a mask; give an array without one")
    if found.get("stream") == 0:
        raise BadInput(f"{what} names the stream 0, which __cuda_array_interface__ does not allow")
    return Positions(what, found["data"][0], found["shape"], found.get("strides"), found["typestr"], values, found.get("stream"))


def _by_dlpack(what: str, values: Any, stream: int | None) -> Positions:
    # Its owner lets this stream wait for its own.
    taken = _Taken(values.__dlpack__(stream=stream or _DEFAULT_STREAM))
    t = taken.tensor
    if t.code != 2 or t.lanes != 1 or t.bits not in (32, 64):
        raise BadInput(f"{what} must be doubles or floats, not numbers of DLPack's code {t.code} with {t.bits} bits")
    size = t.bits // 8
    strides = tuple(t.strides[i] * size for i in range(t.ndim)) if t.strides else None
    shape = tuple(t.shape[i] for i in range(t.ndim))
    return Positions(what, (t.data or 0) + t.byte_offset, shape, strides, f"f{size}", taken, _DEFAULT_STREAM)


def positions_there(what: str, values: Any, stream: int | None) -> Positions | None:
    """Positions in memory of the graphics processor; None for those of the processor."""
    if hasattr(values, "__cuda_array_interface__"):
        return _by_interface(what, values)
    if hasattr(values, "__dlpack_device__") and int(values.__dlpack_device__()[0]) != CPU:
        kind = int(values.__dlpack_device__()[0])
        if kind not in (CUDA, MANAGED):
            raise BadInput(f"{what} is on a device of DLPack's kind {kind}; those of CUDA ({CUDA}) are taken")
        return _by_dlpack(what, values, stream)
    return None


def positions_here(values: Any) -> Any:
    """An array of numpy, of an array of the processor."""
    known = isinstance(values, (np.ndarray, list, tuple)) or hasattr(values, "__array__")
    return values if known or not hasattr(values, "__dlpack__") else np.from_dlpack(values)


def move_there(scene: Any, body: int, x0: Positions, x1: Positions, stream: int | None) -> None:
    """Hand positions to a scene, in the order of the caller's stream, or of those that the arrays name."""
    if x0.count != x1.count:
        raise BadInput(f"x0 has {x0.count} vertices and x1 has {x1.count}")
    if stream is None:
        for each in {x0.stream, x1.stream} - {None}:
            check(lib.toc_device_copy(ffi.NULL, ffi.NULL, 0, ffi.cast("void *", each)))
    check(lib.toc_scene_move_on_device(scene, body, x0.count, x0.shared, x1.shared, ffi.cast("void *", stream or 0)))
