# SPDX-License-Identifier: Apache-2.0
"""Pack a folder into a .zip, .whl or .tar.gz whose bytes depend on the files alone: archive.py FOLDER OUT.

Names are sorted, owners are root, and times are SOURCE_DATE_EPOCH. An archive of tar begins with the folder's name, a zip does not.
"""
import gzip
import os
import sys
import tarfile
import time
import zipfile
from pathlib import Path


def files_of(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if not path.is_dir() or path.is_symlink())


def mode_of(path: Path) -> int:
    return 0o755 if os.access(path, os.X_OK) and not path.is_symlink() else 0o644


def write_zip(folder: Path, out: Path, epoch: int) -> None:
    date = time.gmtime(max(epoch, 315532800))[:6]  # zip begins in 1980
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path in files_of(folder):
            entry = zipfile.ZipInfo(path.relative_to(folder).as_posix(), date)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3
            entry.external_attr = (0o100000 | mode_of(path)) << 16
            archive.writestr(entry, path.read_bytes())


def write_tar(folder: Path, out: Path, epoch: int) -> None:
    with open(out, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, epoch) as packed, tarfile.open(
        fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT
    ) as archive:
        for path in files_of(folder):
            entry = archive.gettarinfo(path, f"{folder.name}/{path.relative_to(folder).as_posix()}")
            entry.uid = entry.gid = 0
            entry.uname = entry.gname = ""
            entry.mtime = epoch
            entry.mode = 0o777 if path.is_symlink() else mode_of(path)
            if entry.isfile():
                with open(path, "rb") as file:
                    archive.addfile(entry, file)
            else:
                archive.addfile(entry)


def pack(folder: Path, out: Path) -> None:
    epoch = int(os.environ["SOURCE_DATE_EPOCH"])
    (write_zip if out.suffix in (".zip", ".whl") else write_tar)(folder, out, epoch)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    pack(Path(sys.argv[1]).resolve(), Path(sys.argv[2]))
