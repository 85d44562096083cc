# SPDX-License-Identifier: Apache-2.0
"""Blocks of Python in the documents run."""
from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest

root = Path(os.environ.get("TOCCATA_SOURCE", Path(__file__).resolve().parents[2]))
documents = [root / "python" / "README.md", *sorted((root / "docs").rglob("*.md"))]
blocks = [
    pytest.param(block, id=f"{path.name}:{number}")
    for path in documents
    for number, block in enumerate(re.findall(r"^```python\n(.*?)^```", path.read_text(), re.M | re.S))
]


@pytest.mark.parametrize("block", blocks)
def test_block(block: str, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(block, "document", "exec"), {})
