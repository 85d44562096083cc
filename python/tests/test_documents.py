# SPDX-License-Identifier: Apache-2.0
"""Blocks of code in the documents run: Python, programs of C, and the shell with the command."""
from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

root = Path(__file__).resolve().parents[2]
build = Path(os.environ.get("TOCCATA_BUILD", root / "build"))
documents = [root / "README.md", root / "python" / "README.md", *sorted((root / "docs").rglob("*.md"))]


def blocks(language: str) -> Any:
    """The blocks of a language in all documents, with a comment that says where."""
    return [
        pytest.param(block, id=f"{path.name}:{number}")
        for path in documents
        for number, block in enumerate(re.findall(rf"^```{language}\n(.*?)^```", path.read_text(), re.M | re.S))
    ]


# The blocks of a chapter of the tutorial are one program.
chapters = sorted((root / "docs" / "tutorial").glob("*.md"))


@pytest.mark.parametrize("chapter", chapters, ids=[each.name for each in chapters])
def test_tutorial(chapter: Path, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for block in re.findall(r"^```python\n(.*?)^```", chapter.read_text(), re.M | re.S):
        exec(compile(block, chapter.name, "exec"), names)


@pytest.mark.parametrize("block", [each for each in blocks("python") if each.id.split(":")[0] not in {c.name for c in chapters}])
def test_python(block: str, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(block, "document", "exec"), {})


@pytest.mark.parametrize("block", [each for each in blocks("c") if "int main" in each.values[0]])
def test_c(block: str, tmp_path: Path) -> None:
    (tmp_path / "block.c").write_text(block)
    options = ["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", f"-I{root / 'include'}", f"-L{build}"]
    libraries = ["-ltoccata-sim", "-ltoccata-io", "-ltoccata", "-lm", f"-Wl,-rpath,{build}"]
    subprocess.run(["cc", *options, "block.c", "-o", "block", *libraries], cwd=tmp_path, check=True)
    assert subprocess.run(["./block"], cwd=tmp_path, check=True, capture_output=True).stdout


@pytest.mark.skipif(not (build / "toccata").exists(), reason="the command is not built")
@pytest.mark.parametrize("block", blocks("sh"))
def test_shell(block: str, tmp_path: Path) -> None:
    environment = {**os.environ, "PATH": f"{build}:{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-euc", block], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
