# SPDX-License-Identifier: Apache-2.0
"""The package on top of the library. Tests are named after the trap that they guard."""
from __future__ import annotations

import base64
import copy
import gc
import importlib.util
import json
import os
import pickle
import signal
import subprocess
import sys
import threading
import zlib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import toccata
from toccata import Mesh, Scene, pair
from toccata._core import Question, doubles, indices
from toccata._native import ffi, lib

SHEET = np.array([[0, 0, 0], [2, 0, 0], [0, 2, 0], [2, 2, 0]], float)
SHEETS = np.concatenate((SHEET, SHEET + [0.3, 0.3, 1]))
FALLEN = np.concatenate((SHEET, SHEET + [0.3, 0.3, -1]))
FACES = np.array([[0, 1, 2], [1, 3, 2], [4, 5, 6], [5, 7, 6]])
CUBE = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]], float)


def soup(count: int = 60, seed: int = 1) -> tuple[Any, Any, Any]:
    """Random triangles that move."""
    random = np.random.default_rng(seed)
    x0 = (random.random((count, 1, 3)) * 3 + random.random((count, 3, 3))).reshape(-1, 3)
    return x0, x0 + random.normal(0, 0.3, x0.shape), np.arange(3 * count).reshape(-1, 3)


# Contacts


def test_contacts_are_those_of_brute_force() -> None:
    x0, x1, faces = soup()
    found, truth = toccata.contacts(x0, x1, faces), toccata.contacts(x0, x1, faces, preset="brute")
    assert len(found) > 20
    assert np.array_equal(found["v"], truth["v"]) and np.array_equal(found["kind"], truth["kind"])


def test_any_type_of_index_and_position() -> None:
    wanted = toccata.contacts(SHEETS, FALLEN, FACES)["toc"]
    for kind in (np.int32, np.uint32, np.int64, np.uint64, np.int16):
        assert np.array_equal(toccata.contacts(SHEETS, FALLEN, FACES.astype(kind))["toc"], wanted)
    assert np.array_equal(
        toccata.contacts(SHEETS.tolist(), np.asfortranarray(FALLEN), FACES[:, ::1].tolist())["toc"], wanted
    )
    every_second = np.repeat(SHEETS, 2, axis=0)[::2]
    assert np.array_equal(toccata.contacts(every_second, FALLEN, FACES)["toc"], wanted)


def test_arrays_are_views_that_outlive_scene_and_result() -> None:
    found = toccata.contacts(SHEETS, FALLEN, FACES)
    array, toc = found.array, found["toc"].copy()
    assert not array.flags.owndata and not array.flags.writeable
    assert array.__array_interface__["data"][0] == int(ffi.cast("uintptr_t", found._pointer.contacts))
    first = found.first()
    del found
    gc.collect()
    others = [toccata.contacts(SHEETS, FALLEN, FACES) for _ in range(100)]
    assert np.array_equal(array["toc"], toc) and first.toc == toc.min() and len(others) == 100


def test_contacts_are_a_structured_array() -> None:
    found = toccata.contacts(SHEETS, FALLEN, FACES)
    assert isinstance(found, np.ndarray) and found.ndim == 1 and not found.flags.writeable
    assert {"kind", "v", "toc", "point", "normal", "weights"} <= set(found.array.dtype.names or ())
    assert type(found["toc"]) is np.ndarray and type(found[:2]) is np.ndarray and found["v"].shape == (len(found), 4)
    assert np.array_equal(np.sort(found, order="toc")["toc"], np.sort(found["toc"]))
    with pytest.raises(toccata.BadInput, match="copy of a result"):
        found.copy().first()


def test_vertices_and_faces_of_a_mesh(tmp_path: Path) -> None:
    path = str(tmp_path / "sheets.ply")
    toccata.Mesh(SHEETS, FACES).write(path)
    mesh = toccata.read(path)
    assert np.array_equal(mesh.vertices, SHEETS) and np.array_equal(mesh.faces, FACES)
    assert len(toccata.contacts(mesh.vertices, FALLEN, mesh.faces)) == len(toccata.contacts(SHEETS, FALLEN, FACES))
    assert toccata.Mesh(CUBE, {"hex": [range(8)]}).faces.shape == (12, 3)


def test_no_contact_is_an_empty_array() -> None:
    found = toccata.contacts(SHEETS, SHEETS, FACES)
    assert len(found) == 0 and found["toc"].shape == (0,) and found["v"].shape == (0, 4) and found.first() is None
    assert toccata.first_contact(SHEETS, SHEETS, FACES) is None and toccata.safe_step(SHEETS, SHEETS, FACES) == 1


def test_first_contact_and_safe_step() -> None:
    first = toccata.first_contact(SHEETS, FALLEN, FACES)
    assert first.toc == pytest.approx(0.5) and first.normal == pytest.approx([0, 0, 1])
    fraction = toccata.safe_step(SHEETS, FALLEN, FACES)
    assert 0.499 < fraction < 0.5
    assert len(toccata.contacts(SHEETS, toccata.interpolate(fraction, SHEETS, FALLEN), FACES)) == 0


def test_settings_reach_the_question() -> None:
    near = toccata.contacts(SHEETS, FALLEN, FACES, separation=0.5)
    assert near["toc"].min() == pytest.approx(0.25)
    assert len(toccata.contacts(SHEETS, FALLEN, FACES, time=(0, 0.4))) == 0
    assert len(toccata.contacts(SHEETS, FALLEN, FACES, answer="any")) == 1
    found = toccata.contacts(SHEETS, FALLEN, FACES, preset="bvh", method="exact", threads=2)
    assert found.chosen and found.stages and found.seconds > 0


# Mistakes


def test_mistakes_are_exceptions_with_the_sentence() -> None:
    with pytest.raises(toccata.BadInput, match="vertex 7 .*nan|NaN|coordinate"):
        toccata.contacts(SHEETS * np.where(np.arange(24) == 21, np.nan, 1).reshape(8, 3), FALLEN, FACES)
    with pytest.raises(ValueError, match="8"):
        toccata.contacts(SHEETS, FALLEN, FACES + 1)
    with pytest.raises(toccata.BadInput, match="negative"):
        toccata.contacts(SHEETS, FALLEN, FACES - 1)
    with pytest.raises(toccata.BadInput, match="4294967303"):
        toccata.contacts(SHEETS, FALLEN, FACES + 2**32)
    with pytest.raises(toccata.BadInput, match="integers"):
        toccata.contacts(SHEETS, FALLEN, FACES * 1.0)
    with pytest.raises(toccata.BadInput, match="7 rows.*8 vertices"):
        toccata.contacts(SHEETS, FALLEN[:7], FACES)
    with pytest.raises(toccata.BadInput, match=r"\(n, 3\)"):
        toccata.contacts(SHEETS[:, :2], FALLEN, FACES)
    with pytest.raises(toccata.BadInput, match="quad or a tet"):
        toccata.contacts(SHEETS, FALLEN, [[0, 1, 2, 3]])
    with pytest.raises(toccata.BadInput, match="a tet has 4 corners, not 3"):
        toccata.contacts(SHEETS, FALLEN, {"tet": FACES})
    with pytest.raises(toccata.BadInput, match="no shape 'cube'.*hex"):
        toccata.contacts(SHEETS, FALLEN, {"cube": FACES})
    with pytest.raises(toccata.BadInput, match="fastest"):
        toccata.contacts(SHEETS, FALLEN, FACES, preset="fastest")
    with pytest.raises(toccata.BadInput, match="no method 'magic'"):
        toccata.contacts(SHEETS, FALLEN, FACES, method="magic")
    with pytest.raises(TypeError, match="seperation"):
        toccata.contacts(SHEETS, FALLEN, FACES, seperation=1.0)  # type: ignore[call-arg]
    with pytest.raises(toccata.OutOfMemory):
        toccata.contacts(*soup(2000), memory_limit=1000)
    with pytest.raises(toccata.BadInput, match="nowhere.ply"):
        toccata.read("nowhere.ply")


# Callbacks


def test_ctrl_c_stops_a_query_and_the_scene_lives_on() -> None:
    x0, x1, faces = soup(3000)
    scene = Scene(Mesh(x0, faces, x1))
    with pytest.raises(KeyboardInterrupt):
        scene.contacts(progress=lambda done: os.kill(os.getpid(), signal.SIGINT))
    assert len(scene.contacts()) > 1000


def test_ctrl_c_without_a_progress_function() -> None:
    code = """if True:
        import os, signal, sys, threading, numpy, toccata
        sys.path.insert(0, sys.argv[1])
        from test_toccata import soup
        x0, x1, faces = soup(1000)
        scene = toccata.Scene(toccata.Mesh(x0, faces, x1))
        def interrupt():
            while True: os.kill(os.getpid(), signal.SIGINT)
        started = threading.Thread(target=interrupt, daemon=True)
        try:
            started.start()
            while True: scene.contacts(preset="brute", threads=1)
        except KeyboardInterrupt:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            print("stopped", flush=True)
            os._exit(0)
        """
    done = subprocess.run(
        [sys.executable, "-c", code, str(Path(__file__).parent)], capture_output=True, text=True, timeout=60
    )
    assert done.stdout == "stopped\n" and done.stderr == ""


def test_progress_can_stop_and_may_not_use_the_scene() -> None:
    x0, x1, faces = soup(1000)
    scene = Scene(Mesh(x0, faces, x1))
    with pytest.raises(toccata.Stopped):
        scene.contacts(progress=lambda done: True)
    with pytest.raises(toccata.Busy):
        scene.contacts(progress=lambda done: scene.contacts() and None)
    with pytest.raises(ZeroDivisionError):
        scene.contacts(progress=lambda done: 1 / 0)


def test_python_filters_run_in_the_threads_of_the_query() -> None:
    x0, x1, faces = soup(300)
    scene = Scene(Mesh(x0, faces, x1))
    every = scene.contacts()
    kept = scene.contacts(filter=lambda kind, body, v: kind == toccata.Kind.VF, threads=2)
    assert np.array_equal(kept["v"], every["v"][every["kind"] == toccata.Kind.VF])

    def broken(kind: object, body: object, v: object) -> bool:
        raise LookupError("filter")

    with pytest.raises(LookupError, match="filter"):
        scene.contacts(filter=broken, threads=2)


def test_masks_agree_with_the_filter_that_they_stand_for() -> None:
    x0, x1, faces = soup(100)
    scene = Scene(Mesh(x0, faces, x1))
    labels = np.random.default_rng(3).integers(0, 3, len(x0))
    allowed = np.array([[True, False, True], [False, False, False], [True, False, False]])

    def wants(kind: int, body: Any, v: Any) -> bool:
        cut = 1 if kind == toccata.Kind.VF else 2
        return bool(allowed[np.ix_(labels[list(v[:cut])], labels[list(v[cut:])])].any())

    by_mask, by_call = scene.contacts(filter=toccata.Mask(labels, allowed)), scene.contacts(filter=wants)
    assert 0 < len(by_mask) < len(scene.contacts()) and np.array_equal(by_mask["v"], by_call["v"])
    with pytest.raises(toccata.BadInput, match="label 2 is beyond the table of 2"):
        toccata.Mask(labels, np.ones((2, 2)))
    two = Scene(Mesh(SHEET, FACES[:2]), Mesh(SHEETS[4:], FACES[:2], FALLEN[4:]))
    assert len(two.contacts(filter=toccata.Mask([np.zeros(4), np.ones(4)], np.eye(2)))) == 0


def test_values_that_numpy_would_bend_are_refused() -> None:
    for wrong, sentence in (
        (SHEETS.astype(complex), "numbers, not complex128"),
        (SHEETS.astype(str), "numbers, not <U"),
        (None, "x0 is None"),
        ([[0, 0, 0], [1, 0]], "rows of one length"),
        ([[0, 0, None]] * 8, "numbers, not object"),
        (SHEETS.T, r"the shape \(n, 3\), not \(3, 8\)"),
    ):
        with pytest.raises(toccata.BadInput, match=sentence):
            toccata.contacts(wrong, FALLEN, FACES)
    with pytest.raises(toccata.BadInput, match="elements must be rows of one length"):
        toccata.contacts(SHEETS, FALLEN, [[0, 1, 2], [3, 4]])
    assert len(toccata.contacts(SHEETS.astype(object), FALLEN[::-1][::-1], FACES)) == len(toccata.contacts(SHEETS, FALLEN, FACES))
    assert len(toccata.contacts([], [], [])) == 0


def test_wrong_settings_are_named() -> None:
    for settings, kind, sentence in (
        ({"tolerence": 1}, TypeError, "unknown setting 'tolerence'; did you mean 'tolerance'"),
        ({"zzz": 1}, TypeError, "unknown setting 'zzz'; choose among: .*preset"),
        ({"preset": "fast"}, toccata.BadInput, "no preset 'fast'; choose one of: auto"),
        ({"threads": "4"}, TypeError, "threads is '4'"),
    ):
        with pytest.raises(kind, match=sentence):
            toccata.contacts(SHEETS, FALLEN, FACES, **settings)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="a body is a Mesh or a World, not ndarray"):
        Scene(SHEETS)
    assert repr(Scene(Mesh(SHEETS))) == "<Scene of 1 body: 8 vertices and 0 elements>"


def test_scenes_of_several_python_threads() -> None:
    answers: list[int] = []

    def work() -> None:
        answers.extend(len(toccata.contacts(*soup(200))) for _ in range(5))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 20 and len(set(answers)) == 1


# Bodies and scenes


def test_every_shape() -> None:
    mesh = Mesh(CUBE)
    for shape, corners in {
        "point": [0],
        "edge": [0, 1],
        "triangle": [0, 1, 2],
        "quad": [0, 1, 2, 3],
        "tet": [0, 1, 2, 5],
        "pyramid": [0, 1, 2, 3, 4],
        "wedge": [0, 1, 3, 4, 5, 7],
        "hex": list(range(8)),
    }.items():
        mesh.add_elements(shape, [corners])
        assert mesh.elements(shape)["corners"].tolist() == [corners]
    assert mesh.inspect().elements == 8 and mesh.inspect().shapes.tolist() == [0] + [1] * 8


def test_hexes_that_meet() -> None:
    scene = Scene(Mesh(CUBE, [list(range(8))]), Mesh(CUBE + [0, 0, 2], [list(range(8))]))
    scene[1].move(scene[1].x1 - [0, 0, 2])
    assert scene.first_contact().toc == pytest.approx(0.5)
    assert scene.contacts(surface_only=True).body_pairs()["body"].tolist() == [[0, 1]]
    assert len(scene.overlaps("end")) > 0 and len(scene.overlaps("start")) == 0
    assert len(scene.overlaps("end", elements=True)) == 1
    assert scene.conflict()[0] == "contact"  # type: ignore[index]


def test_a_mesh_stays_usable_as_a_body_and_comes_back() -> None:
    mesh = Mesh(SHEETS, FACES)
    scene = Scene(mesh)
    for other in (Scene().add, toccata.World, toccata.Simulation().add):
        with pytest.raises(toccata.BadInput):
            other(mesh)  # type: ignore[operator]
    mesh.move(FALLEN)
    assert len(scene.contacts()) > 0
    assert scene.remove(0) is mesh and len(scene.contacts()) == 0
    del scene
    gc.collect()
    assert np.array_equal(mesh.x1, FALLEN) and Scene(mesh).first_contact() is not None


def test_a_body_keeps_its_scene() -> None:
    mesh = Scene(Mesh(SHEETS, FACES))[0]
    gc.collect()
    mesh.move(FALLEN)
    assert np.array_equal(mesh.x1, FALLEN)


def test_positions_are_copies_that_edits_do_not_reach() -> None:
    mesh = Mesh(SHEETS, FACES)
    before = mesh.x0
    mesh.add_vertices(np.zeros((10000, 3)))
    assert np.array_equal(before, SHEETS)


def test_filters_of_bodies_and_groups() -> None:
    scene = Scene(Mesh(SHEET, FACES[:2]), Mesh(SHEETS[4:], FACES[:2], FALLEN[4:]))
    assert len(scene.contacts()) > 0
    scene.set_filter(0, groups=1, mask=2)
    assert len(scene.contacts()) == 0
    scene.set_filter(0)
    scene[1].set_group([0, 1], 7)
    scene.set_group_contact(0, 7, False)
    assert len(scene.contacts()) == 0
    one = Scene(Mesh(SHEETS, FACES, FALLEN))
    one.set_self_contact(0, False)
    assert len(one.contacts()) == 0


def test_thickness_counts_and_thin_leaves_it_out() -> None:
    scene = Scene(Mesh(SHEETS, FACES, FALLEN))
    scene.set_thickness(0, 0.5)
    assert scene.first_contact().toc == pytest.approx(0.25) and scene.first_contact(thin=True).toc == pytest.approx(0.5)


def test_edits_and_their_events() -> None:
    mesh = Mesh(SHEET, FACES[:2])
    seen = mesh.revision
    new = mesh.split_vertex(1, [1])
    assert new == 4 and mesh.elements("triangle")["corners"].tolist() == [[0, 1, 2], [4, 3, 2]]
    mesh.merge_vertices(1, 4)
    mesh.remove_elements([1])
    mesh.remove_vertex(3)
    assert not mesh.has_vertex(3) and len(mesh.events(seen)) >= 4
    assert mesh.elements("triangle")["id"].tolist() == [0]
    mesh.set_group_name(3, "plate")
    assert mesh.group_name(3) == "plate" and mesh.group_name(4) is None
    mesh.vertex_labels = np.array([10, 20, 30])
    assert mesh.vertex_labels.tolist()[:4] == [10, 20, 30, 3] and mesh.element_labels.tolist() == [0, 1]
    mesh.add_vertices([[0, 0, 1]], velocities=[[0, 0, 2]], step=0.5)
    assert mesh.x0[-1].tolist() == [0, 0, 0]
    with pytest.raises(toccata.BadInput):
        mesh.remove_vertex(0)


def test_acceleration_bends_the_path() -> None:
    mesh = Mesh([[0, 0, 0], [2, 0, 0], [0, 2, 0], [0.2, 0.2, 0.1]], {"triangle": [[0, 1, 2]], "point": [[3]]})
    scene = Scene(mesh)
    assert mesh.acceleration is None and scene.first_contact() is None
    mesh.acceleration = np.array([[0, 0, 0]] * 3 + [[0, 0, 4]])
    assert scene.first_contact() is not None and mesh.acceleration.tolist()[3] == [0, 0, 4]


def test_thick_shells_copies_and_features() -> None:
    mesh = Mesh(SHEET, FACES[:2])
    mesh.set_thickness([0, 1], [0.1, 0.1])
    assert len(mesh.thicken().elements("wedge")["id"]) == 2
    assert mesh.copy().elements("triangle")["thickness"].tolist() == [0.1, 0.1]
    features = mesh.features()
    assert features.edges.tolist() == [[0, 1], [0, 2], [1, 2], [1, 3], [2, 3]] and len(features.boundary_faces) == 2
    times = toccata.contacts(SHEETS, FALLEN, FACES).vertex_times(Mesh(SHEETS, FACES))
    assert np.isfinite(times).any()
    assert len(toccata.contacts(SHEETS, FALLEN, FACES).element_times(Mesh(SHEETS, FACES))) == 4


def test_a_world_serves_scenes_of_several_threads() -> None:
    world = toccata.World(Mesh(SHEET, FACES[:2]))
    found: list[float] = []

    def work(height: float) -> None:
        ball = Mesh(CUBE * 0.1 + [0.5, 0.5, height], [list(range(8))])
        scene = Scene()
        scene.add(world)
        scene.add(ball)
        ball.move(ball.x1 - [0, 0, 2 * height])
        found.append(scene.first_contact().toc)

    threads = [threading.Thread(target=work, args=(height,)) for height in (1.0, 1.0, 1.0)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [pytest.approx(0.5)] * 3 and world.mesh.vertex_count == 4


# Questions of solvers


def test_candidates_serve_a_line_search() -> None:
    x0, x1, faces = soup(100)
    mesh = Mesh(x0, faces, x0 + 0.1 * (x1 - x0))
    scene = Scene(mesh)
    kept = scene.candidates(distance=0.01)
    for fraction in (1.0, 0.5, 0.25):
        mesh.set_motion(x0, toccata.interpolate(fraction, x0, x0 + 0.1 * (x1 - x0)))
        assert np.array_equal(kept.contacts()["v"], scene.contacts()["v"]) and len(kept) > 0
        assert len(kept.near(0.01)) == len(scene.near(0.01))
        assert kept.room_step(most=0.01).fraction == scene.room_step(most=0.01).fraction
    mesh.move(x1 + 5)
    with pytest.raises(toccata.Stale):
        kept.contacts()


def test_room_step_names_its_pair() -> None:
    room = Scene(Mesh(SHEETS, FACES, FALLEN)).room_step(share=0.2, most=10)
    assert room.limited and room.fraction == pytest.approx(0.4) and room.start == pytest.approx(1)


def test_touches_and_changes() -> None:
    scene = Scene(Mesh(SHEETS, FACES, FALLEN))
    found = scene.contacts()
    touches = scene.touches(found)
    assert len(touches) == len(found) and all(len(each) == 1 and each["is_instant"][0] for each in touches)
    first = scene.touching(found, "features")
    assert (first.changes(None)["kind"] == 0).all() and (first.changes(first)["kind"] == 1).all()
    assert len(scene.touches(toccata.contacts(SHEETS, SHEETS, FACES))) == 0


def test_probes() -> None:
    scene = Scene(Mesh(CUBE, [list(range(8))]))
    assert scene.closest([[0.5, 0.5, 3]])[0].distance == pytest.approx(2)
    hit = scene.hits([[0.5, 0.5, 3, 0.5, 0.5, -1]])[0]
    assert hit.time == pytest.approx(0.5) and hit.normal == pytest.approx([0, 0, 1])
    assert scene.containing([[0.5, 0.5, 0.5], [2, 2, 2]]).tolist() == [0, toccata.NOTHING]
    assert len(scene.closest(np.empty((0, 3)))) == 0
    inner = Scene(Mesh(CUBE, [list(range(8))]), Mesh(CUBE * 0.1 + 0.4, [list(range(8))]))
    assert inner.containments()["body"].tolist() == [[1, 0]]
    assert inner.conflict() == ("containment", (1, 0), 0.0)


def test_near_at_the_ends_and_in_the_step() -> None:
    scene = Scene(Mesh(SHEETS, FACES, SHEETS - np.where(np.arange(8) > 3, 0.9, 0)[:, None] * [0, 0, 1]))
    assert len(scene.near(0.2)) == 0 and len(scene.near(0.2, "end")) > 0 and len(scene.near(0.2, "step")) > 0


def test_the_barrier_and_its_derivatives() -> None:
    x = SHEETS.copy()
    x[4:, 2] = 0.05 + 0.01 * np.arange(4)
    found = toccata.barrier(x, FACES, distance=0.2, stiffness=1e3, project=False)
    assert found.energy > 0 and found.gradient.shape == x.shape and sum(found.counts.values()) > 0
    assert np.abs(found.gradient.sum(axis=0)).max() < 1e-12 * np.abs(found.gradient).max()
    values, columns, rows = found.csr
    dense = np.zeros((24, 24))
    dense[np.repeat(np.arange(24), np.diff(rows)), columns] = values
    step = 1e-6 * np.random.default_rng(1).standard_normal(x.shape)
    ends = [toccata.barrier(x + sign * step, FACES, distance=0.2, stiffness=1e3, rest=x, order=1) for sign in (1, -1)]
    slope = (ends[0].energy - ends[1].energy) / 2
    bend = (ends[0].gradient - ends[1].gradient) / 2
    assert np.isclose(slope, (found.gradient * step).sum(), rtol=1e-6)
    assert np.allclose(bend.ravel(), dense @ step.ravel(), atol=1e-6 * np.abs(bend).max())
    with pytest.raises(toccata.BadInput, match="order is 1"):
        ends[0].csr
    with pytest.raises(toccata.BadInput, match="rest has 3 rows"):
        toccata.barrier(x, FACES, distance=0.2, rest=x[:3])
    with pytest.raises(toccata.BadInput, match="minimum distance"):
        toccata.barrier(SHEETS * [1, 1, 0], FACES, distance=0.2)
    with pytest.raises(toccata.BadInput, match="length above 0"):
        toccata.barrier(x, FACES, distance=0.0)


def test_the_hessian_is_a_matrix_of_scipy() -> None:
    x = SHEETS.copy()
    x[4:, 2] = 0.05
    found = toccata.barrier(x, FACES, distance=0.2, stiffness=1e3)
    if importlib.util.find_spec("scipy") is None:
        with pytest.raises(ImportError, match="python3-scipy"):
            found.hessian
        return
    dense = found.hessian.toarray()
    assert dense.shape == (24, 24) and np.allclose(dense, dense.T)
    assert np.linalg.eigvalsh(dense).min() > -1e-10 * np.abs(dense).max()


def test_shares_of_near_pairs_add_up() -> None:
    x = SHEETS.copy()
    x[4:, 2] = 0.05
    scene = Scene(Mesh(x, FACES))
    near = scene.near(0.2)
    whole = scene.barrier(0.2, near=near, order=1)
    shares = [near.share(i, 3) for i in range(3)]
    parts = [scene.barrier(0.2, near=share, order=1) for share in shares]
    assert sum(len(share) for share in shares) == len(near) > 3 and (shares[1].array == near.array[1::3]).all()
    assert np.isclose(sum(part.energy for part in parts), whole.energy)
    assert np.allclose(sum(part.gradient for part in parts), whole.gradient)
    assert len(near.share(len(near), len(near) + 1)) == 0
    for index, count in ((3, 3), (-1, 3), (0, 0)):
        with pytest.raises(toccata.BadInput, match="there is no share"):
            near.share(index, count)
    with pytest.raises(toccata.BadInput, match="a copy of a result"):
        scene.barrier(0.2, near=near.copy())


def test_friction_is_against_the_sliding() -> None:
    x0 = SHEETS.copy()
    x0[4:, 2] = 0.05
    x1 = x0 + np.where(np.arange(8) > 3, 0.1, 0)[:, None] * [1, 0, 0]
    pressed = toccata.barrier(x0, FACES, 0.2, stiffness=1e3, order=1)
    found = toccata.friction(x0, x1, FACES, 0.2, 1e-3, coefficient=0.5, stiffness=1e3)
    assert found.gradient[4:, 0].sum() > 0 and np.abs(found.gradient[:, 2]).max() < 1e-9
    assert found.gradient[4:, 0].sum() <= 0.5 * -pressed.gradient[4:, 2].sum() * (1 + 1e-12)


def test_a_step_free_of_collision_in_one_call() -> None:
    x1 = SHEETS - np.where(np.arange(8) > 3, 4, 0)[:, None] * [0, 0, 1]
    fraction = toccata.collision_free_step(SHEETS, x1, FACES)
    assert 0 < fraction < 1
    assert toccata.first_contact(SHEETS, toccata.interpolate(fraction, SHEETS, x1), FACES) is None


def test_vertices_to_weld() -> None:
    apart = Mesh(np.concatenate((SHEET, SHEET + [2, 0, 0])), FACES)
    pairs = Scene(apart).near_vertices(0.01)
    assert pairs["v"].tolist() == [[1, 4], [3, 6]] and pairs["distance"].tolist() == [0, 0]


# Pairs


def test_batches_answer_as_single_pairs_in_both_layouts() -> None:
    random = np.random.default_rng(5)
    x0, x1 = random.random((200, 4, 3)), random.random((200, 4, 3))
    for kind in ("vf", "ee"):
        verdicts, times = pair.find_many(kind, x0, x1)
        ids = np.arange(800).reshape(200, 4)
        again = pair.find_many(kind, x0.reshape(-1, 3), x1.reshape(-1, 3), ids)
        assert np.array_equal(verdicts, again[0]) and np.array_equal(times, again[1])
        for i in range(200):
            hit = pair.find(kind, x0[i], x1[i])
            assert hit.verdict == verdicts[i] and (verdicts[i] == 0 or hit.toc == times[i])
    with pytest.raises(toccata.BadInput, match="vertex 800"):
        pair.find_many("vf", x0.reshape(-1, 3), x1.reshape(-1, 3), ids + 1)
    assert len(pair.find_many("ee", x0[:0], x1[:0])[0]) == 0


def test_other_pair_questions() -> None:
    fall = [[0, 0, 0], [2, 0, 0], [0, 2, 0], [0.3, 0.3, 1], [2.3, 0.3, 1], [0.3, 2.3, 1]]
    end = np.array(fall) - np.array([[0, 0, 0]] * 3 + [[0, 0, 2]] * 3)
    assert pair.triangles(fall, end).hit.toc == pytest.approx(0.5)
    assert pair.inside("hex", CUBE, [0.5, 0.5, 0.5]).verdict == toccata.Verdict.HIT
    passing = [[0.2, 0.2, 1], [0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0.2, 0.2, -1], [0, 0, 0], [1, 0, 0], [0, 1, 0]]
    assert len(pair.touches("vf", *passing)) == 1 and pair.touches("vf", *passing, separation=0.1)[0].enter < 0.5
    straight = (np.array(passing[0]) + passing[1]) / 2
    assert pair.find("vf", *passing, straight).toc == pytest.approx(0.5)
    assert pair.overlap(CUBE, CUBE + 0.5).depth == pytest.approx(0.5)
    for wrong in (
        lambda: pair.find("vf", [[0, 0, 0]], [[0, 0, 0]]),
        lambda: pair.inside("tet", CUBE, [0, 0, 0]),
        lambda: pair.distance("ee", CUBE),
        lambda: pair.find("fv", *passing),
    ):
        with pytest.raises(toccata.BadInput):
            wrong()  # type: ignore[no-untyped-call]


# Files


def test_files_come_back_bit_for_bit(tmp_path: Path) -> None:
    x = np.random.default_rng(1).random((8, 3))
    mesh = Mesh(x, {"hex": [list(range(8))]})
    mesh.write(tmp_path / "cube.vtu")
    back = toccata.read(tmp_path / "cube.vtu")
    assert np.array_equal(back.x0, x) and back.elements("hex")["corners"].tolist() == [list(range(8))]
    found = toccata.contacts(SHEETS, FALLEN, FACES)
    found.write(tmp_path / "contacts.csv")
    assert (tmp_path / "contacts.csv").read_text().startswith("kind")
    assert np.array_equal(toccata.Contacts.read(tmp_path / "contacts.csv"), found)
    with pytest.raises(toccata.BadInput):
        mesh.write(tmp_path / "cube.inp")


def test_pairs_of_any_kind_are_written(tmp_path: Path) -> None:
    inner = Scene(Mesh(CUBE, [list(range(8))]), Mesh(CUBE * 0.1 + 0.4, [list(range(8))]))
    inner.containments().write(tmp_path / "inside.csv")
    assert (tmp_path / "inside.csv").read_text() == "body0,body1,v0\n1,0,0\n"
    weld = Scene(Mesh(np.concatenate((SHEET, SHEET + [2, 0, 0])), FACES)).near_vertices(0.01)
    weld.write(tmp_path / "weld.csv")
    assert (tmp_path / "weld.csv").read_text() == "v0,v1,distance,body0,body1\n1,4,0,0,0\n3,6,0,0,0\n"
    near = toccata.near(SHEETS, FACES, 2)
    near.write(tmp_path / "near.json")
    rows = [json.loads(line) for line in (tmp_path / "near.json").read_text().splitlines()]
    assert len(near) > 0 and [row["distance"] for row in rows] == near["distance"].tolist()
    assert [[row[f"v{k}"] for k in range(4)] for row in rows] == near["v"].tolist()
    near.write(tmp_path / "near.vtp")
    with pytest.raises(toccata.BadInput, match="vertex pairs are written as .csv or .json"):
        weld.write(tmp_path / "weld.vtp")


def test_sequences_are_gone_through_step_by_step(tmp_path: Path) -> None:
    for i, x in enumerate((SHEETS, SHEETS * 1.0 + [0, 0, 1], FALLEN)):
        Mesh(x, FACES).write(tmp_path / f"frame{i}.ply")
    frames = toccata.Sequence(*sorted(tmp_path.glob("*.ply")))
    scene, counts = None, []
    for _, mesh in frames:
        scene = scene or Scene(mesh)
        counts.append(len(scene.contacts()))
    assert len(frames) == 3 and counts[0] == 0 and counts[1] > 0 and frames.path(2).endswith("frame2.ply")
    frames.write(tmp_path / "all.glb")
    moving = toccata.Sequence(tmp_path / "all.glb", rate=10)
    assert len(moving.clips) == 1 and len(moving) > 1
    assert len(toccata.Sequence(tmp_path / "all.glb", clip=moving.clips[0])) > 1
    with pytest.raises(toccata.BadInput, match="walk"):
        toccata.Sequence(tmp_path / "all.glb", clip="walk")
    frames.write(tmp_path / "all.pvd")
    assert len(toccata.Sequence(tmp_path / "all.pvd")) == 3
    with pytest.raises(IndexError):
        frames.path(3)


def test_fields_of_a_frame_stay_after_the_sequence(tmp_path: Path) -> None:
    arrays = ("SCALARS heat double 1\nLOOKUP_TABLE default\n1 2 3\nVECTORS flow double\n1 2 3 4 5 6 7 8 9\n"
              "CELL_DATA 1\nSCALARS stress double 1\nLOOKUP_TABLE default\n7\n")
    for i in range(2):
        (tmp_path / f"{i}.vtk").write_text(
            "# vtk DataFile Version 3.0\nt\nASCII\nDATASET POLYDATA\nPOINTS 3 double\n"
            f"0 0 {i} 1 0 {i} 0 1 {i}\nPOLYGONS 1 4\n3 0 1 2\nPOINT_DATA 3\n{arrays}"
        )
    frames = toccata.Sequence(tmp_path / "0.vtk", tmp_path / "1.vtk")
    mesh = frames.first()
    frames.advance(1, mesh)
    fields = frames.fields(1, mesh)
    with pytest.raises(toccata.BadInput, match="frame 2 was asked for"):
        frames.fields(2, mesh)
    del frames, mesh
    gc.collect()
    assert [(each.name, each.of_elements) for each in fields] == [("heat", False), ("flow", False), ("stress", True)]
    assert fields[0].values.tolist() == [1, 2, 3] and fields[2].values.tolist() == [7]
    assert fields[1].values.tolist() == [[1, 2, 3], [4, 5, 6], [7, 8, 9]]


# Use that must not end the interpreter


def test_a_mask_keeps_the_labels_that_it_checked() -> None:
    labels = np.zeros(8, np.uint32)
    mask = toccata.Mask(labels, [[True]])
    labels[:] = 2**30
    assert mask._labels[0].tolist() == [0] * 8
    assert len(toccata.contacts(SHEETS, FALLEN, FACES, filter=mask)) == len(toccata.contacts(SHEETS, FALLEN, FACES))


def test_arrays_of_the_caller_are_not_those_that_are_checked() -> None:
    for kind in (np.uint32, np.int32, np.int64):
        ids = np.arange(12, dtype=kind).reshape(-1, 3)
        for columns in (None, 3):
            assert not np.shares_memory(indices("ids", ids, columns), ids)
    assert not np.shares_memory(doubles("x", SHEETS), SHEETS)


def test_a_filter_that_raises_leaves_no_result_behind() -> None:
    destroyed: list[int] = []

    def destroy(pointer: Any) -> None:
        destroyed.append(1)
        lib.toc_answer_destroy(pointer)

    question = Question({})
    question.failure = LookupError("filter")
    try:
        question.make("toc_contacts", destroy, lambda out: lib.toc_contacts_create(ffi.NULL, 0, ffi.NULL, out))
    except LookupError:
        pass
    gc.collect()
    assert destroyed == [1]


def tet_mesh(low: Any) -> Mesh:
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
    return Mesh(corners * 0.3 + low, {"tet": [[0, 1, 2, 3]]})


def test_a_mesh_that_was_glued_to_another_is_gone() -> None:
    sim = toccata.Simulation(step=0.01, gravity=[0, 0, 0])
    kept, gone = tet_mesh([0, 0, 0]), tet_mesh([0, 0, -0.301])
    sim.add(kept, adhesion=0.05)
    sim.add(gone, adhesion=0.05)
    assert sim.step().glued > 0
    for use in (lambda: gone.vertex_count, lambda: gone.x1, gone.features, gone.copy, gone.inspect):
        with pytest.raises(toccata.BadInput, match="the mesh is gone: the simulation glued body 1"):
            use()
    assert "gone" in repr(gone) and len(sim.positions(0)) == kept.vertex_count
    with pytest.raises(toccata.BadInput, match="no body 1"):
        sim.positions(1)
    with pytest.raises(KeyError):
        sim.scene[1]


def test_bodies_of_a_simulation_are_not_edited_behind_its_back() -> None:
    sim = toccata.Simulation(step=0.01)
    mesh = tet_mesh([0, 0, 1])
    sim.add(mesh)
    for edit in (
        lambda: sim.scene.add(tet_mesh([0, 0, 0])),
        lambda: sim.scene.remove(0),
        lambda: mesh.move(mesh.x1),
        lambda: mesh.add_vertices([[0, 0, 0]]),
        lambda: mesh.remove_elements(0),
    ):
        with pytest.raises(toccata.BadInput, match="belongs to a simulation"):
            edit()  # type: ignore[no-untyped-call]
    sim.add(tet_mesh([0, 0, 5]))
    assert sim.step().time == 0.01 and len(sim.scene) == 2


# Simulation


def test_a_simulation_goes_on_from_its_state() -> None:
    sim = toccata.Simulation(step=0.02, threads=1)
    floor = sim.add(Mesh(SHEET * 4 - [4, 4, 0], FACES[:2]), "guided")
    cloth = sim.add(Mesh(SHEET * 0.2 + [0, 0, 0.05], FACES[:2]), stretch=100.0)
    state = sim.state
    first = [sim.step().time for _ in range(10)]
    there = sim.positions(cloth)
    assert there[:, 2].min() > 0 and np.array_equal(sim.positions(floor), SHEET * 4 - [4, 4, 0])
    assert len(sim.scene.near(0.1)) > 0 and sim.scene.first_contact() is None
    sim.state = state
    assert [sim.step().time for _ in range(10)] == first and np.array_equal(sim.positions(cloth), there)
    assert sim.velocities(cloth).shape == (4, 3) and sim.time == pytest.approx(0.2)
    with pytest.raises(TypeError, match="colour"):
        sim.add(Mesh(SHEET, FACES[:2]), colour=1)
    scene = sim.scene
    del sim
    gc.collect()
    assert len(scene) == 2 and scene.first_contact() is None


def test_a_character_that_folds_onto_itself() -> None:
    # Two tets at the ends of a bar, each on a bone of its own; the second bone moves its tet into the first.
    tet = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], float)
    cage = Mesh(np.concatenate((tet, tet + [5, 0, 0])), {"tet": [[0, 1, 2, 3], [4, 5, 6, 7]]})
    rest = np.repeat([[[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]], 2, axis=0).astype(float)
    joints, weights = np.repeat([[0, 1], [1, 0]], 4, axis=0), np.repeat([[1.0, 0.0]], 8, axis=0)
    character = toccata.Character(cage, [toccata.NO_PARENT, 0], rest, joints, weights, preset="hash")
    assert character.step(rest).contacts == 0 and len(character.contacts) == 0
    folded = rest.copy()
    folded[1, :, 3] = [-4.9, 0.1, 0.1]
    assert character.step(folded).contacts == 1 and character.contacts["vertex"].tolist() == [4]
    prop = character.add(Mesh(tet + 9, {"tet": [[0, 1, 2, 3]]}))
    character.move(prop, tet + 0.2)
    assert character.step(rest).contacts > 0 and np.array_equal(character.positions(prop), tet + 0.2)
    with pytest.raises(toccata.BadInput, match="a row for each of 8"):
        toccata.Character(cage, [toccata.NO_PARENT], rest[:1], joints[:4], weights[:4])
    with pytest.raises(toccata.BadInput, match=r"\(2, 3, 4\)"):
        character.step(rest[:1])
    with pytest.raises(toccata.BadInput, match="no body 5"):
        character.move(5, tet)


CHARACTERS = Path(__file__).resolve().parents[3] / "shared" / "data" / "characters"


@pytest.mark.skipif(not list(CHARACTERS.rglob("*.glb")), reason="no characters")
def test_a_rig_moves_its_own_mesh() -> None:
    rig = toccata.Rig(min(CHARACTERS.rglob("*.glb"), key=lambda path: path.stat().st_size))
    assert len(rig.names) == len(rig.parents) == len(rig.inverse_binds) and rig.clips
    assert rig.weights.sum(axis=1) == pytest.approx(1, abs=0.02)
    start, end = rig.times(rig.clips[0])
    pose = rig.pose(rig.clips[0], (start + end) / 2)
    assert pose.shape == (len(rig.names), 3, 4) and np.isfinite(pose).all()
    assert not rig.morph(rig.clips[0], end).any()  # without targets
    with pytest.raises(toccata.BadInput, match="no such clip"):
        rig.pose("no such clip")


# Other packages


def test_meshes_of_meshio_trimesh_and_pyvista() -> None:
    blocks = [
        SimpleNamespace(type="triangle", data=FACES),
        SimpleNamespace(type="tetra10", data=np.arange(10)[None] % 8),
    ]
    mesh = toccata.adapt.from_meshio(SimpleNamespace(points=SHEETS, cells=blocks))
    assert mesh.elements("triangle")["corners"].tolist() == FACES.tolist()
    assert mesh.elements("tet")["group"].tolist() == [1]
    assert toccata.adapt.from_trimesh(SimpleNamespace(vertices=SHEETS, faces=FACES)).element_count == 4
    surface = SimpleNamespace(points=SHEETS, faces=np.array([3, 0, 1, 2, 4, 4, 5, 7, 6]), lines=np.array([2, 0, 3]))
    mesh = toccata.adapt.from_pyvista(surface)
    assert [len(mesh.elements(shape)["id"]) for shape in ("triangle", "quad", "edge")] == [1, 1, 1]
    cells, types = toccata.adapt.to_pyvista_cells(mesh)
    again = toccata.adapt.from_pyvista(SimpleNamespace(points=SHEETS, cells=cells, celltypes=types))
    assert again.elements("quad")["corners"].tolist() == [[4, 5, 7, 6]]
    with pytest.raises(toccata.BadInput, match="polygon"):
        toccata.adapt.from_meshio(SimpleNamespace(points=SHEETS, cells=[SimpleNamespace(type="polygon", data=FACES)]))
    with pytest.raises(toccata.BadInput, match="triangulate"):
        toccata.adapt.from_pyvista(SimpleNamespace(points=SHEETS, faces=np.array([5, 0, 1, 2, 3, 4])))


def test_vtk_itself() -> None:
    model = pytest.importorskip("vtkmodules.vtkCommonDataModel")
    points = pytest.importorskip("vtkmodules.vtkCommonCore").vtkPoints()
    for x in CUBE:
        points.InsertNextPoint(x)
    grid, surface = model.vtkUnstructuredGrid(), model.vtkPolyData()
    grid.SetPoints(points)
    surface.SetPoints(points)
    grid.InsertNextCell(12, 8, list(range(8)))
    grid.InsertNextCell(5, 3, [0, 1, 2])
    faces = model.vtkCellArray()
    faces.InsertNextCell(3, [0, 1, 2])
    faces.InsertNextCell(4, [4, 5, 6, 7])
    surface.SetPolys(faces)
    mesh = toccata.adapt.from_vtk(grid)
    assert mesh.elements("hex")["corners"].tolist() == [list(range(8))] and len(mesh.elements("triangle")["id"]) == 1
    mesh = toccata.adapt.from_vtk(surface)
    assert mesh.elements("quad")["corners"].tolist() == [[4, 5, 6, 7]] and np.array_equal(mesh.x0, CUBE)


def test_meshio_itself() -> None:
    meshio = pytest.importorskip("meshio")
    mesh = toccata.adapt.from_meshio(meshio.Mesh(SHEETS, [("triangle", FACES)]))
    back = toccata.adapt.to_meshio(mesh)
    assert np.array_equal(back.points, SHEETS) and np.array_equal(back.cells[0].data, FACES)


# Copies, data frames, words


def edited_mesh() -> Mesh:
    """A mesh with all that it can have: shapes in turn, gaps in the ids, groups, names, labels, acceleration."""
    mesh = Mesh(np.concatenate((CUBE, CUBE + 3)), {"hex": [range(8)], "triangle": [[0, 1, 8], [1, 2, 9]]})
    mesh.add_elements("hex", [range(8, 16)])
    mesh.add_elements("triangle", [[3, 4, 8]])
    mesh.remove_elements([1])
    mesh.add_vertices([[9, 9, 9]])
    mesh.remove_vertex(16)
    mesh.set_group([0, 3], [7, -2])
    mesh.set_group_name(7, "skin")
    mesh.set_thickness([2], 0.25)
    mesh.vertex_labels = np.arange(17) * 10
    mesh.move(mesh.x1 + 1)
    mesh.acceleration = np.ones((17, 3))
    return mesh


def assert_equal_meshes(a: Mesh, b: Mesh) -> None:
    for name in ("x0", "x1", "acceleration", "vertex_labels", "element_labels"):
        assert np.array_equal(getattr(a, name), getattr(b, name)), name
    for shape in ("point", "triangle", "hex"):
        for name, values in a.elements(shape).items():
            assert np.array_equal(values, b.elements(shape)[name]), (shape, name)
    assert [a.has_vertex(v) for v in range(17)] == [b.has_vertex(v) for v in range(17)]
    assert a.group_name(7) == b.group_name(7) == "skin"


def test_meshes_pickle_and_copy() -> None:
    mesh = edited_mesh()
    for other in (pickle.loads(pickle.dumps(mesh)), copy.deepcopy(mesh), copy.copy(mesh)):
        assert_equal_meshes(mesh, other)
        other.move(other.x1 + 1)
        assert not np.array_equal(mesh.x1, other.x1)
    assert pickle.loads(pickle.dumps(Mesh())).vertex_count == 0


def test_scenes_pickle_and_copy() -> None:
    scene = Scene(Mesh(SHEET, FACES[:2]), Mesh(SHEET), Mesh(SHEET + [0.3, 0.3, 1], FACES[:2]), edited_mesh())
    scene.remove(1)
    scene.set_filter(3, 2, 2)
    scene.set_thickness(2, 0.125)
    scene.set_group_contact(0, 7, False)
    scene[2].move(scene[2].x1 - [0, 0, 2])
    wanted = scene.contacts()
    assert len(wanted)
    for other in (pickle.loads(pickle.dumps(scene)), copy.deepcopy(scene), copy.copy(scene)):
        assert other.contacts().tobytes() == wanted.tobytes()
        assert repr(other) == repr(scene)
    world = toccata.World(Mesh(SHEET, FACES[:2]))
    both = Scene(Mesh(SHEET, FACES[:2]))
    both.add(world)
    assert len(both.contacts())
    assert len(pickle.loads(pickle.dumps(both)).contacts()) == len(both.contacts())


# mesh.vertices[0, 0] = 7 did nothing, silently.
def test_positions_are_read_only() -> None:
    mesh = edited_mesh()
    for name in ("vertices", "x0", "x1", "acceleration"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(mesh, name)[0, 0] = 7


def test_results_make_data_frames() -> None:
    pandas = pytest.importorskip("pandas")
    found = toccata.contacts(SHEETS, FALLEN, FACES)
    frame = pandas.DataFrame(found)
    assert len(frame) == len(found) and {"kind", "toc", "v3", "body0", "point2"} <= set(frame.columns)
    assert np.array_equal(frame["v3"], found["v"][:, 3]) and np.array_equal(found["point2"], found["point"][:, 2])
    near = toccata.near(SHEETS, FACES, 1.5)
    assert np.array_equal(pandas.DataFrame(near)["points12"], near["points"][:, 1, 2])
    with pytest.raises((KeyError, ValueError), match="v9"):
        found["v9"]


def test_words_of_objects_say_something() -> None:
    scene = Scene(Mesh(SHEETS, FACES, FALLEN))
    words = {
        scene: "<Scene of 1 body: 8 vertices and 4 elements>",
        scene[0]: "<Mesh of 8 vertices and 4 elements>",
        scene[0].features(): "<Features: 8 vertices, 10 edges and 4 faces>",
        toccata.World(Mesh(SHEET[:3], [[0, 1, 2]])): "<World of 3 vertices and 1 element>",
        toccata.Simulation(): "<Simulation of 0 bodies>",
        toccata.Mask([0, 1], np.ones((2, 2))): "<Mask of 2 labels for 2 bodies>",
    }
    for thing, wanted in words.items():
        assert repr(thing) == wanted
    assert repr(scene.contacts()).endswith(", the first at time 0.5>")
    assert repr(scene.candidates()).endswith(" pairs>")


# Notebooks and tables


def pixels(page: str) -> Any:
    """The picture of a page as an array; it has one."""
    data = base64.b64decode(page.split("data:image/png;base64,")[1].split('"')[0])
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")
    length = int.from_bytes(data[33:37], "big")
    lines = np.frombuffer(zlib.decompress(data[41 : 41 + length]), np.uint8).reshape(height, 3 * width + 1)
    return lines[:, 1:].reshape(height, width, 3)


def test_notebooks_show_the_bodies_and_the_contacts() -> None:
    floor, ball = Mesh([[-4, -4, 0], [4, -4, 0], [0, 4, 0]], [[0, 1, 2]]), Mesh(CUBE + [0, 0, 1], {"hex": [range(8)]})
    scene = Scene(floor, ball)
    ball.move(CUBE - [0, 0, 0.5])
    bare, found = pixels(scene._repr_html_()), scene.contacts()
    page = found._repr_html_()
    marked = pixels(page)
    # Both bodies have their colours, and the contacts are red where the bodies alone are not.
    red = (marked[:, :, 0] > 200) & (marked[:, :, 1] < 90)
    assert red.any() and not ((bare[:, :, 0] > 200) & (bare[:, :, 1] < 90)).any()
    blue, sand = bare[:, :, 2] > bare[:, :, 0] + 40, (bare[:, :, 0] > bare[:, :, 2] + 30)
    assert blue.sum() > 2000 and sand.sum() > 200
    assert page.count("<tr>") == 1 + len(found) and "<th scope" in page
    many = toccata.contacts(*soup())
    assert f"the first 8 of {len(many)}" in many._repr_html_() and many._repr_html_().count("<tr>") == 9
    assert "<img" in ball._repr_html_() and "Mesh of 8 vertices" in ball._repr_html_()
    assert "<img" in toccata.World(Mesh(SHEETS, FACES))._repr_html_()


def test_notebooks_show_what_has_no_picture() -> None:
    assert "<img" not in Mesh()._repr_html_() and "0 vertices" in Mesh()._repr_html_()
    assert "<img" in Mesh([[0, 0, 0.0]], {"point": [[0]]})._repr_html_()
    assert "<img" in Mesh(SHEET, {"edge": [[0, 1], [1, 2]]})._repr_html_()
    none = toccata.contacts(SHEETS, SHEETS + 1, FACES)
    assert len(none) == 0 and "<table" not in none._repr_html_() and "<img" in none._repr_html_()
    found = Scene(Mesh(SHEETS, FACES, FALLEN)).contacts()  # whose scene is gone
    assert "<img" not in found._repr_html_() and "<table" in found._repr_html_()
    assert "&lt;" not in found._repr_html_()
    for each in (toccata.near(SHEETS, FACES, 1.1), toccata.overlaps(SHEETS, FACES), toccata.contacts(SHEETS, FALLEN, FACES)):
        assert "<img" in each._repr_html_()
    huge = Mesh(np.array(SHEETS) * 1e300, FACES)
    assert "<img" in huge._repr_html_()
    sim = toccata.Simulation()
    sim.add(Mesh(CUBE, {"hex": [range(8)]}), "rigid")
    assert "<img" in sim._repr_html_()


def test_a_result_as_a_dict_of_columns() -> None:
    found = toccata.contacts(SHEETS, FALLEN, FACES)
    columns = found.to_dict()
    assert list(columns) == list(found.dtype.names)
    assert np.array_equal(columns["v2"], found["v"][:, 2]) and np.array_equal(columns["point0"], found["point"][:, 0])
    assert all(type(each) is np.ndarray and each.flags.c_contiguous for each in columns.values())
    columns["toc"][:] = 7  # a copy
    assert found["toc"].max() <= 1
    pandas = pytest.importorskip("pandas")
    assert pandas.DataFrame(found.to_dict()).equals(pandas.DataFrame(found))


def test_meshes_of_other_packages_work_or_name_the_adapter() -> None:
    other = SimpleNamespace(vertices=SHEET, faces=np.array([[0, 1, 2]]))  # as trimesh has it
    mesh = Mesh(other)
    assert mesh.vertex_count == 4 and mesh.faces.tolist() == [[0, 1, 2]]
    for given, adapter in (
        (SimpleNamespace(points=SHEET, cells=[]), "from_meshio"),
        (SimpleNamespace(points=SHEET, cells=[], celltypes=[]), "from_pyvista"),
        (SimpleNamespace(points=SHEET, n_points=4), "from_pyvista"),
        (SimpleNamespace(GetPoints=len), "from_vtk"),
    ):
        with pytest.raises(TypeError, match=rf"toccata\.adapt\.{adapter}\(mesh\)"):
            Mesh(given)
    with pytest.raises(TypeError, match="copy"):
        Mesh(mesh)


def test_a_step_of_a_table_is_read(tmp_path: Path) -> None:
    found = toccata.contacts(SHEETS, FALLEN, FACES)
    found.write(tmp_path / "one.csv")
    head, *rows = (tmp_path / "one.csv").read_text().splitlines()
    table = tmp_path / "all.csv"
    table.write_text("\n".join([f"step,{head}", *(f"0,{row}" for row in rows[1:]), *(f"2,{row}" for row in rows)]) + "\n")
    assert np.array_equal(toccata.Contacts.read(table, 2)["toc"], found["toc"])
    assert len(toccata.Contacts.read(table, step=0)) == len(found) - 1 and len(toccata.Contacts.read(table, 1)) == 0
    with pytest.raises(toccata.BadInput, match="the table of a sequence"):
        toccata.Contacts.read(table)
    with pytest.raises(toccata.BadInput, match="no column `step`"):
        toccata.Contacts.read(tmp_path / "one.csv", 0)


# The plane


def crossing_time(v: Any, a: Any, b: Any) -> float | None:
    """The first time at which a point meets a segment, in rational numbers where they decide: brute force."""
    from fractions import Fraction

    def at(rows: Any, t: Any) -> Any:
        return [Fraction(p) + t * (Fraction(q) - Fraction(p)) for p, q in zip(*rows)]

    def area(t: Any) -> Any:
        p, q, r = at(v, t), at(a, t), at(b, t)
        return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])

    c0, c1, half = area(Fraction(0)), area(Fraction(1)), area(Fraction(1, 2))
    roots = np.roots([float(2 * (c1 + c0 - 2 * half)), float(4 * half - 3 * c0 - c1), float(c0)])
    for t in sorted(roots[np.isreal(roots)].real):
        if 0 <= t <= 1:
            p, q, r = (np.array(at(each, t), float) for each in (v, a, b))
            if (p - q) @ (p - r) <= 0:
                return float(t)
    return None


def test_the_plane_agrees_with_brute_force() -> None:
    random = np.random.default_rng(3)
    x0 = random.random((40, 2)) * 4
    x1 = x0 + random.normal(0, 0.6, x0.shape)
    edges = np.array([(i, i + 1) for i in range(0, 29)])
    found = toccata.plane.contacts(x0, x1, edges)
    got = {(int(c.vertex), *map(int, c.edge)): c.toc for c in found}
    wanted = {}
    for vertex in range(40):
        for a, b in edges:
            if vertex in (a, b):
                continue
            time = crossing_time((x0[vertex], x1[vertex]), (x0[a], x1[a]), (x0[b], x1[b]))
            if time is not None:
                wanted[(vertex, int(a), int(b))] = time
    assert len(wanted) > 30 and got.keys() == wanted.keys()
    assert all(abs(got[key] - time) < 1e-7 for key, time in wanted.items())
    directions = x0[found.edge[:, 1]] - x0[found.edge[:, 0]]
    assert np.allclose(np.linalg.norm(found.normal, axis=1), 1) and directions.shape == found.normal.shape
    first = toccata.plane.first_contact(x0, x1, edges)
    assert first.toc == found.toc.min() and toccata.plane.safe_step(x0, x1, edges) < first.toc
    assert toccata.plane.first_contact(x0, x0, edges, threads=1) is None


def test_bodies_of_the_plane_move_and_meet() -> None:
    plane = toccata.plane
    floor, ball = plane.mesh([[-5, 0], [5, 0]], [[0, 1]]), plane.mesh([[0, 1], [1, 2]], [])
    scene = plane.scene(floor, ball)
    plane.move(ball, [[0, -1], [1, 0.5]])
    found = plane.contacts_of(scene.contacts())
    assert len(found) == 1 and found.body.tolist() == [[1, 0]] and found.vertex[0] == 0
    assert found.normal.tolist() == [[0, 1]] and abs(found.weight[0] - 0.5) < 1e-12
    assert plane.positions(ball).tolist() == [[0, -1], [1, 0.5]]
    near = plane.near_of(scene.near(1.5))
    assert near.distance.tolist() == [1.0] and near.points[0].tolist() == [[0, 1], [0, 0]]
    crossing = plane.scene(plane.mesh([[-1, 0], [1, 0], [0, -1], [0, 2]], [[0, 1], [2, 3]]))
    assert len(crossing.contacts()) == 0
    crossing.set_group_contact(1, 1, True)
    (told,) = plane.contacts_of(crossing.contacts())
    assert told.vertex == toccata.NOTHING and told.edge.tolist() == [2, 3] and told.normal.tolist() == [0, 0]


def test_the_plane_refuses_what_is_not_in_it() -> None:
    plane = toccata.plane
    with pytest.raises(toccata.BadInput, match=r"shape \(n, 2\)"):
        plane.mesh([[0, 0, 0]], [])
    with pytest.raises(toccata.BadInput, match="edge 0 has the vertex 7, but there are 2"):
        plane.mesh([[0, 0], [1, 0]], [[0, 7]])
    with pytest.raises(toccata.BadInput, match="x1 has 1"):
        plane.mesh([[0, 0], [1, 0]], [[0, 1]], [[0, 0]])
    with pytest.raises(toccata.BadInput, match="vertex 1: coordinate x is nan"):
        plane.contacts([[0, 0], [1, 0]], [[0, 0], [np.nan, 0]], [[0, 1]])
    with pytest.raises(toccata.BadInput, match="3 vertices of the plane were given, and the body has 2"):
        plane.move(plane.mesh([[0, 0], [1, 0]], [[0, 1]]), np.zeros((3, 2)))
