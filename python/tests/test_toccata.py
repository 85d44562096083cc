# SPDX-License-Identifier: Apache-2.0
"""The package on top of the library. Tests are named after the trap that they guard."""
from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import toccata
from toccata import Mesh, Scene, pair
from toccata._native import ffi

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
    assert {"kind", "v", "toc", "point", "normal", "weights"} <= set(found.dtype.names or ())
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
    assert repr(Scene(Mesh(SHEETS))) == "<Scene of 1 body>"


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
