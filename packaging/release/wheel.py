# SPDX-License-Identifier: Apache-2.0
"""Make the wheel of another system from one of this machine: wheel.py WHEEL MODULE TAG OUT_DIR [LICENCE...]

The files of Python are the same everywhere; MODULE, the extension module of the other system, takes the place of this one's. Licences of
libraries in it go into the folder of the wheel's description. Prints the path of the new wheel.
"""
import base64
import hashlib
import shutil
import sys
import tempfile
import zipfile
from pathlib import Path

import archive


def main(wheel: Path, module: Path, tag: str, out: Path, licences: list[Path]) -> None:
    name, version = wheel.name.split("-")[:2]
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work) / "wheel"
        zipfile.ZipFile(wheel).extractall(folder)
        about = folder / f"{name}-{version}.dist-info"
        for old in folder.rglob("_native*.so"):
            old.unlink()
        shutil.copy(module, folder / name / module.name)
        for path in licences:
            shutil.copy(path, about / f"LICENSE.{path.parent.parent.name}")
        lines = (about / "WHEEL").read_text().splitlines()
        lines = [line for line in lines if line and not line.startswith("Tag:")]
        lines += [f"Tag: cp39-abi3-{one}" for one in tag.split(".")]
        (about / "WHEEL").write_text("\n".join(lines) + "\n")
        record = about / "RECORD"
        record.unlink()
        rows = []
        for path in archive.files_of(folder):
            path.chmod(0o755 if path.name == module.name else 0o644)
            digest = base64.urlsafe_b64encode(hashlib.sha256(path.read_bytes()).digest()).rstrip(b"=").decode()
            rows.append(f"{path.relative_to(folder).as_posix()},sha256={digest},{path.stat().st_size}\n")
        record.write_text("".join(rows) + f"{record.relative_to(folder).as_posix()},,\n")
        target = out / f"{name}-{version}-cp39-abi3-{tag}.whl"
        archive.pack(folder, target)
    print(target)


if __name__ == "__main__":
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], Path(sys.argv[4]), [Path(path) for path in sys.argv[5:]])
