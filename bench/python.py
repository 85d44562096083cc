# SPDX-License-Identifier: Apache-2.0
"""Overhead of the Python package: each call of Python beside the same call of the library alone.

Run by `./run bench python`, in one thread. The answers are checked. Times of the processor, the best of 15 rounds.
"""
import os
import sys
import time

import numpy as np

import toccata
from toccata import pair
from toccata._native import ffi, lib


def best(repeat, *calls):
    """Microseconds of the processor for one call of each, in turns."""
    least = [float("inf")] * len(calls)
    for _ in range(15):
        for i, call in enumerate(calls):
            begun = time.thread_time()
            for _ in range(repeat):
                call()
            least[i] = min(least[i], 1e6 * (time.thread_time() - begun) / repeat)
    return least


def row(name, python, library):
    a, b = best(500, python, library)
    print(f"{name:<44} {a:10.2f} {b:10.2f} {a - b:10.2f}")


def small_calls():
    x0 = np.array([[0, 0, 0], [2, 0, 0], [0, 2, 0], [0.3, 0.3, 1], [2.3, 0.3, 1], [0.3, 2.3, 1.0]])
    x1 = x0 - np.repeat([[0, 0, 0], [0, 0, 2]], 3, axis=0)
    faces = np.array([[0, 1, 2], [3, 4, 5]], np.uint32)
    mesh = toccata.Mesh(x0, faces, x1)
    scene = toccata.Scene(mesh)
    assert len(scene.contacts()) == len(scene.contacts(preset="brute")) > 0 and 0.499 < scene.safe_step() < 0.5
    query, handle = ffi.new("toc_query *"), scene._pointer
    lib.toc_defaults_write(lib.TOC_DEFAULTS_QUERY, query, ffi.sizeof("toc_query"))
    query.threads = 1
    out, fraction = ffi.new("toc_contacts **"), ffi.new("double *")

    def contacts():
        lib.toc_scene_find_contacts(handle, query, out)
        lib.toc_answer_destroy(out[0])

    def safe_step():
        lib.toc_scene_find_safe_step(handle, query, fraction)

    pointer = ffi.from_buffer("double[]", x0), ffi.from_buffer("double[]", x1)

    def set_motion():
        lib.toc_mesh_set_motion(mesh._pointer, 6, *pointer)

    def from_arrays():
        made, held = ffi.new("toc_mesh **"), ffi.new("toc_scene **")
        lib.toc_mesh_create(ffi.NULL, made)
        lib.toc_mesh_add_vertices(made[0], 6, pointer[0], ffi.NULL)
        lib.toc_mesh_add_elements(made[0], lib.TOC_TRIANGLE, 2, ffi.from_buffer("uint32_t[]", faces), ffi.NULL)
        lib.toc_mesh_move(made[0], 6, pointer[1])
        lib.toc_scene_create(ffi.NULL, held)
        lib.toc_scene_add_body(held[0], made[0], ffi.NULL)
        lib.toc_scene_find_contacts(held[0], query, out)
        lib.toc_scene_destroy(held[0])
        lib.toc_answer_destroy(out[0])

    row("Scene.contacts, two triangles", lambda: scene.contacts(threads=1), contacts)
    row("Scene.contacts with four settings", lambda: scene.contacts(threads=1, preset="auto", separation=0.0, answer="all"),
        contacts)
    row("Scene.safe_step", lambda: scene.safe_step(threads=1), safe_step)
    row("Mesh.set_motion", lambda: mesh.set_motion(x0, x1), set_motion)
    row("contacts(x0, x1, faces): mesh, scene, query", lambda: toccata.contacts(x0, x1, faces, threads=1), from_arrays)

    corners = [3, 0, 1, 2]
    start, end = x0[corners], x1[corners]
    assert pair.find("vf", start, end).verdict == toccata.Verdict.HIT
    question, test, hit = ffi.new("toc_pair *"), ffi.new("toc_pair_test *"), ffi.new("toc_hit *")
    lib.toc_defaults_write(lib.TOC_DEFAULTS_PAIR_TEST, test, ffi.sizeof("toc_pair_test"))
    ffi.memmove(question.x0, start, 96)
    ffi.memmove(question.x1, end, 96)
    row("pair.find", lambda: pair.find("vf", start, end), lambda: lib.toc_pair_find(lib.TOC_VF, question, test, hit))


def a_million():
    count = 1_000_000
    random = np.random.default_rng(1).random((count, 2))
    points = np.column_stack((random / 2, np.ones(count)))
    x0 = np.concatenate(([[0, 0, 0], [2, 0, 0], [0, 2, 0]], points))
    x1 = x0 - np.where(np.arange(len(x0)) < 3, 0, 2)[:, None] * [0, 0, 1]
    mesh = toccata.Mesh(x0, {"triangle": [[0, 1, 2]], "point": np.arange(3, count + 3, dtype=np.uint32)[:, None]}, x1)
    found = toccata.Scene(mesh).contacts(preset="bvh")
    assert len(found) == count
    print(f"\n{count:,} contacts (query {1000 * found.seconds:.0f} ms)                    milliseconds")
    pointer = found._pointer

    def to_numpy():
        assert len(toccata.Contacts(pointer).array) == count

    print(f"{'to a numpy array of records (view)':<44} {best(200, to_numpy)[0] / 1000:10.4f}")
    print(f"{'earliest of one column':<44} {best(1, lambda: found['toc'].min())[0] / 1000:10.4f}")
    print(f"{'a column copied':<44} {best(1, lambda: found['toc'].copy())[0] / 1000:10.4f}")


# Memory stays with the process: page faults after each scene would hide the overhead.
if "MALLOC_TRIM_THRESHOLD_" not in os.environ:
    os.environ.update(MALLOC_TRIM_THRESHOLD_=str(2**28), MALLOC_TOP_PAD_=str(2**26))
    os.execv(sys.executable, [sys.executable, *sys.argv])
print(f"{'call':<44} {'Python us':>10} {'library us':>10} {'overhead':>10}")
small_calls()
a_million()
