# SPDX-License-Identifier: Apache-2.0
"""The live view, asked over its port as a browser does."""
from __future__ import annotations

import json
import pathlib
import urllib.error
import urllib.request
from typing import Any

import numpy as np
import pytest

import toccata
from toccata import Mesh, Scene

SHEET = np.array([[0, 0, 0], [2, 0, 0], [0, 2, 0], [2, 2, 0]], float)
SHEETS = np.concatenate((SHEET, SHEET + [0.3, 0.3, 1]))
FALLEN = np.concatenate((SHEET, SHEET + [0.3, 0.3, -1]))
FACES = np.array([[0, 1, 2], [1, 3, 2], [4, 5, 6], [5, 7, 6]])


def _get(address: str, headers: dict[str, str] | None = None) -> tuple[int, bytes]:
    try:
        with urllib.request.urlopen(urllib.request.Request(address, headers=headers or {}), timeout=20) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, b""


def test_the_notebook_of_the_examples(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its cells run, and its view has the steps with their fields."""
    examples = pathlib.Path(__file__).parents[2] / "examples"
    monkeypatch.syspath_prepend(str(examples))
    cells = json.loads((examples / "live.ipynb").read_text())["cells"]
    names: dict[str, Any] = {}
    try:
        for cell in cells:
            if cell["cell_type"] == "code":
                exec("".join(cell["source"]), names)
    except toccata.BadInput as error:
        pytest.skip(str(error))
    with names["view"] as view:
        data = json.loads(_get(view.address + "steps/0/0")[1])
        assert len(data["steps"]) == 46 and all(step["contacts"]["count"] == 0 for step in data["steps"])
        fields = {field["name"]: field["components"] for field in data["frames"][45]["fields"]}
        assert fields == {"speed": 1, "velocity": 3}


def test_a_view_serves_the_steps_of_a_scene() -> None:
    mesh = Mesh(SHEETS, FACES, FALLEN)
    scene = Scene(mesh)
    try:
        view = toccata.show(scene, open=False, title="two sheets", fields={"height": mesh.x1[:, 2]})
    except toccata.BadInput as error:
        pytest.skip(str(error))
    with view:
        found = scene.contacts()
        view.add_step(found, time=2.5, fields={"move": [mesh.x1 - mesh.x0]}, element_fields={"number": np.arange(4)})
        view.add_step(False)
        status, text = _get(view.address + "steps/0/0")
        data = json.loads(text)
        assert status == 200 and data["title"] == "two sheets" and len(data["steps"]) == 3
        assert [step["contacts"]["count"] for step in data["steps"]] == [len(found), len(found), 0]
        assert data["steps"][2]["contacts"]["unasked"] and data["frames"][2]["time"] == 2.5
        names = [(field["name"], field["components"], field["place"]) for field in data["frames"][2]["fields"]]
        assert names == [("move", 3, "vertex"), ("number", 1, "element")]
        times = data["steps"][1]["contacts"]["times"]
        assert np.array_equal(np.frombuffer(_get(f"{view.address}blocks/{times['block']}")[1]), found["toc"])
        assert _get(view.address[:-2] + "x/")[0] == 404
        assert _get(view.address, {"Origin": "http://example.org"})[0] == 403
        assert view.address in view._repr_html_() and "<iframe" in view._repr_html_()
        assert view.is_watched and not view.wait(0.05)
        with pytest.raises(toccata.BadInput, match="field height: 3 values for 8 vertex ids"):
            view.add_step(fields={"height": [1, 2, 3]})
        with pytest.raises(toccata.BadInput, match="a number or three for each id"):
            view.add_step(fields={"height": "high"})
        port = int(view.address.split(":")[2].split("/")[0])
        with pytest.raises(toccata.BadInput, match=f"port {port} is in use"):
            toccata.show(scene, open=False, port=port)
    assert repr(view) == "<View that is closed>" and "closed" in view._repr_html_()
    with pytest.raises(toccata.BadInput, match="the view is closed"):
        view.add_step()
    for wrong in (dict(up="w"), dict(port=-1), dict(port=70000)):
        with pytest.raises(toccata.BadInput):
            toccata.show(scene, open=False, **wrong)  # type: ignore[arg-type]


def test_a_view_takes_meshes_and_simulations() -> None:
    mesh = Mesh(SHEETS, FACES, FALLEN)
    sim = toccata.Simulation()
    sim.add(Mesh([[0, 0, 1], [1, 0, 1], [0, 1, 1], [0, 0, 2]], {"tet": [[0, 1, 2, 3]]}))
    sim.step()
    things: tuple[Any, ...] = (mesh, sim)
    for thing in things:
        try:
            view = toccata.show(thing, open=False)
        except toccata.BadInput as error:
            pytest.skip(str(error))
        assert len(json.loads(_get(view.address + "steps/0/0")[1])["steps"]) == 1
        view.close()
    mesh.move(mesh.x1)  # it is still free
