# SPDX-License-Identifier: Apache-2.0
"""Arrays of the graphics processor, on the emulated one: no package with such arrays is needed."""
from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest

import toccata
from toccata import DeviceArray, Mesh, Scene, device

SHEET = np.array([[0, 0, 0], [2, 0, 0], [0, 2, 0], [2, 2, 0]], float)
SHEETS = np.concatenate((SHEET, SHEET + [0.3, 0.3, 1]))
FALLEN = np.concatenate((SHEET, SHEET + [0.3, 0.3, -1]))
FACES = np.array([[0, 1, 2], [1, 3, 2], [4, 5, 6], [5, 7, 6]])


@pytest.fixture(autouse=True)
def emulated(monkeypatch: Any) -> Any:
    monkeypatch.setenv("TOC_DEVICE", "emulated")
    yield
    gc.collect()  # arrays go before the device does


class ByInterface:
    """An array of another package, which knows __cuda_array_interface__ alone."""

    def __init__(self, array: DeviceArray, **changes: Any) -> None:
        self._array, self._changes = array, changes

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {**self._array.__cuda_array_interface__, **self._changes}


class ByDlpack:
    """An array of another package, which knows DLPack alone, and notes what it is asked."""

    def __init__(self, array: DeviceArray, kind: int = 2) -> None:
        self._array, self._kind = array, kind
        self.streams: list[Any] = []

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._kind, 0

    def __dlpack__(self, stream: Any = None) -> Any:
        self.streams.append(stream)
        return self._array.__dlpack__(stream=stream)


def wanted(x0: Any = SHEETS, x1: Any = FALLEN) -> Any:
    return toccata.contacts(np.asarray(x0, float), np.asarray(x1, float), FACES).array


@pytest.mark.parametrize("kind", [ByInterface, ByDlpack, lambda a: a])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("stream", [None, 1, 2])
def test_arrays_of_any_kind_give_the_same_contacts(kind: Any, dtype: Any, stream: Any) -> None:
    scene = Scene(Mesh(SHEETS, FACES))
    x0, x1 = SHEETS.astype(dtype), FALLEN.astype(dtype)
    each: Any = ({"device": "cpu"}, {"device": "gpu"})
    for settings in each:
        scene.move(0, kind(DeviceArray.of(x0)), kind(DeviceArray.of(x1)), stream=stream)
        assert scene.contacts(**settings).array.tobytes() == wanted(x0, x1).tobytes()
    gc.collect()
    assert not device._lent  # every tensor was given back


def test_the_stream_goes_to_its_owner() -> None:
    scene = Scene(Mesh(SHEETS, FACES))
    x0, x1 = ByDlpack(DeviceArray.of(SHEETS)), ByDlpack(DeviceArray.of(FALLEN))
    scene.move(0, x0, x1)
    scene.move(0, x0, x1, stream=2)
    assert x0.streams == x1.streams == [1, 2]
    scene.move(0, ByInterface(DeviceArray.of(SHEETS), stream=1), ByInterface(DeviceArray.of(FALLEN), stream=2))
    assert scene.contacts().array.tobytes() == wanted().tobytes()


def test_rows_with_gaps_are_taken() -> None:
    wide = np.zeros((8, 5))
    wide[:, :3] = SHEETS
    there, end = DeviceArray.of(wide), DeviceArray.of(FALLEN)
    part = ByInterface(there, shape=(8, 3))
    scene = Scene(Mesh(SHEETS, FACES))
    scene.move(0, part, end)
    assert scene.contacts().array.tobytes() == wanted().tobytes()


def test_contacts_stay_on_the_device() -> None:
    scene = Scene(Mesh(SHEETS, FACES))
    scene.move(0, DeviceArray.of(SHEETS), DeviceArray.of(FALLEN))
    found = scene.contacts_on_device(device="gpu", stream=1)
    expected = wanted()
    assert len(found) == len(expected) > 0
    assert found.numpy().tobytes() == expected.tobytes()
    assert found.get().array.tobytes() == expected.tobytes()
    for field in ("toc", "v", "body", "point", "weights", "kind"):
        assert np.array_equal(found[field].numpy(), expected[field])
    interface = found["point"].__cuda_array_interface__
    assert interface["shape"] == (len(found), 3) and interface["version"] == 3
    assert interface["strides"] == (expected.dtype.itemsize, 8) and interface["data"][0] % 8 == 0
    points = device._by_dlpack("points", found["point"], None)
    assert points.count == len(found) and points.shared.stride == expected.dtype.itemsize
    with pytest.raises(toccata.BadInput, match="no field 'time'"):
        found["time"]
    keep = found["toc"]
    del found
    gc.collect()
    assert np.array_equal(keep.numpy(), expected["toc"])  # a field keeps its contacts


def test_no_contacts_are_an_empty_array() -> None:
    scene = Scene(Mesh(SHEETS, FACES))
    found = scene.contacts_on_device()
    assert len(found) == 0 and found.numpy().shape == (0,) and found["v"].numpy().shape == (0, 4)
    assert found.__cuda_array_interface__["data"][0] == 0
    assert len(found.get()) == 0


def test_a_capsule_is_taken_once() -> None:
    capsule = DeviceArray.of(SHEETS).__dlpack__()
    taken = device._Taken(capsule)
    with pytest.raises(toccata.BadInput, match="not been taken"):
        device._Taken(capsule)
    assert len(device._lent) == 1
    del taken, capsule
    unused = DeviceArray.of(SHEETS).__dlpack__()
    del unused
    gc.collect()
    assert not device._lent


def test_arrays_of_the_processor_are_taken() -> None:
    class Here:
        def __init__(self, array: Any) -> None:
            self._array = array

        def __dlpack_device__(self) -> Any:
            return self._array.__dlpack_device__()

        def __dlpack__(self, stream: Any = None) -> Any:
            return self._array.__dlpack__()

    scene = Scene(Mesh(SHEETS, FACES))
    scene.move(0, DeviceArray.of(SHEETS), DeviceArray.of(SHEETS))
    assert len(scene.contacts()) == 0
    scene.move(0, Here(SHEETS.copy()), Here(FALLEN.copy()))
    assert scene.contacts().array.tobytes() == wanted().tobytes()
    scene.move(0, SHEETS, SHEETS)
    assert len(scene.contacts()) == 0


def test_mistakes_are_told() -> None:
    scene = Scene(Mesh(SHEETS, FACES))
    good = DeviceArray.of(SHEETS)
    for x1, words in (
        (DeviceArray.of(SHEETS[:7]), "8 vertices and x1 has 7"),
        (DeviceArray.of(SHEETS.astype(int)), "doubles or floats"),
        (DeviceArray.of(SHEETS[:, :2]), "shape"),
        (SHEETS, "one of x0 and x1"),
        (ByInterface(good, stream=0), "stream 0"),
        (ByInterface(good, mask=good), "mask"),
        (ByInterface(good, strides=(8, 64)), "next to each other"),
        (ByInterface(good, data=(good.pointer + 4, False)), "multiples of 8"),
        (ByInterface(good, data=(0, False)), "NULL"),
        (ByInterface(good, data=(SHEETS.ctypes.data, False)), "not that of"),
        (ByInterface(good, data=(good.pointer + 8, False)), "are needed"),
        (ByDlpack(good, kind=10), "kind 10"),
    ):
        with pytest.raises(toccata.BadInput, match=words):
            scene.move(0, good, x1)
    with pytest.raises(toccata.BadInput, match="stream"):
        scene.move(0, good, good, stream=77)
    with pytest.raises(toccata.BadInput, match="8 vertices, and positions of 4"):
        scene.move(0, DeviceArray.of(SHEET), DeviceArray.of(SHEET))
    bad = SHEETS.copy()
    bad[5, 1] = np.nan
    scene.move(0, good, DeviceArray.of(bad))
    with pytest.raises(toccata.BadInput, match="x1, vertex 5: coordinate y"):
        scene.contacts(device="gpu")
    scene.move(0, good, DeviceArray.of(FALLEN))
    assert scene.contacts(device="gpu").array.tobytes() == wanted().tobytes()
