# SPDX-License-Identifier: Apache-2.0
"""A solver loop whose arrays stay in memory of the graphics processor: a sticky cloth falls onto a ball.

Each step hands both ends of its motion to Toccata where they are, and reads the contacts where Toccata leaves them:
vertices that would touch stop, until the step has no contact. With CuPy the arrays are those of the graphics processor.
Without it, the program runs on Toccata's emulated device, whose memory numpy can see.

    python3 examples/device_loop.py [STEPS]
"""
import ctypes
import os
import sys

import numpy as np
from shapes import ball, grid

try:
    import cupy as xp
except ImportError:
    xp = None
    os.environ["TOC_DEVICE"] = "emulated"

import toccata

CELLS, STEP, GRAVITY, STIFFNESS, GAP = 16, 1 / 120, -9.81, 400.0, 1e-3


class Emulated(np.ndarray):
    """An array in memory of the emulated device, as packages for the graphics processor have them."""

    @property
    def __cuda_array_interface__(self):
        known = self.__array_interface__
        return {**{name: known[name] for name in ("shape", "typestr", "strides", "data")}, "version": 3, "stream": None}


def look(there):
    """An array of the solver over memory of the device, without a copy."""
    if xp:
        return xp.from_dlpack(there)
    memory = (ctypes.c_char * (there.shape[0] * there.strides[0])).from_address(there.pointer)
    memory.there = there  # which lives as long as the array
    return np.ndarray(there.shape, there.dtype, memory, 0, there.strides).view(Emulated)


def put(values):
    """A copy in memory of the device."""
    return xp.asarray(values) if xp else look(toccata.DeviceArray.of(values))


def main():
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    cloth, faces = grid(CELLS, 1.0, 0.32)
    sphere, triangles = ball(0.3)
    start = np.concatenate((cloth, sphere))
    scene = toccata.Scene(toccata.Mesh(start, np.concatenate((faces, triangles + len(cloth)))))
    x, x1, v = put(start), put(start), put(0 * cloth)
    sheet = (CELLS + 1, CELLS + 1, 3)
    settings = {"device": "gpu", "separation": GAP}
    touched = 0
    for _ in range(steps):
        p, force = x[: len(cloth)].reshape(sheet), 0 * v.reshape(sheet)
        for one, other in ((p[1:], p[:-1]), (p[:, 1:], p[:, :-1])):  # springs along both directions
            force[tuple(slice(1, None) if one.shape[i] < sheet[i] else slice(None) for i in (0, 1))] += other - one
            force[tuple(slice(None, -1) if one.shape[i] < sheet[i] else slice(None) for i in (0, 1))] += one - other
        v += STEP * (STIFFNESS * force.reshape(v.shape))
        v[:, 2] += STEP * GRAVITY
        x1[:] = x
        x1[: len(cloth)] += STEP * v
        while True:
            scene.move(0, x, x1)
            found = scene.contacts_on_device(**settings)
            if len(found) == 0:
                break
            touched += len(found)
            stopped = look(found["v"]).reshape(-1)
            x1[stopped] = x[stopped]
        v[:] = (x1 - x)[: len(cloth)] / STEP
        x[:] = x1
    where = "the graphics processor" if xp else "the emulated device"
    print(f"{steps} steps on {where}: {touched} contacts prevented, lowest vertex of the cloth at {float(x[:len(cloth), 2].min()):.3f}")
    assert touched > 0 or steps < 10


main()
