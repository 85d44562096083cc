# SPDX-License-Identifier: Apache-2.0
"""Build the package: one extension module that contains the static libraries.

CMake builds the libraries, which takes a minute. Two variables avoid that:
TOCCATA_BUILD=DIR takes them from a folder in which CMake has built them, and TOCCATA_SHARED=1 links shared libraries, as
packages of distributions do: those of TOCCATA_BUILD, else the installed ones that pkg-config finds.
"""
import os
import re
import subprocess
import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py

here = Path(__file__).resolve().parent
sys.path.insert(0, str(here))
import stubs  # noqa: E402

root = here.parent
libraries = ("toccata-view", "toccata-io", "toccata-sim", "toccata")


def version() -> str:
    text = (root / "include/toccata/version.h").read_text()
    return ".".join(re.findall(r"^#define TOC_VERSION_[A-Z]+ (\d+)", text, re.M))


def run_cmake(folder: Path) -> None:
    options = [f"-DTOC_{name}=OFF" for name in ("TESTS", "BENCH", "TOOLS")]
    subprocess.check_call(["cmake", "-S", root, "-B", folder, "-DCMAKE_BUILD_TYPE=Release", *options])
    targets = [name.replace("-", "_") + "_static" for name in libraries]
    subprocess.check_call(["cmake", "--build", folder, "-j", str(os.cpu_count() or 1), "--target", *targets])


def link_options(folder: Path, static: bool) -> list[str]:
    """Options for the linker; the files of pkg-config name the libraries that ours need."""
    if not static and "TOCCATA_BUILD" in os.environ:
        return [f"-L{folder}", *(f"-l{name}" for name in libraries)]
    environment = dict(os.environ)
    if static:
        environment["PKG_CONFIG_PATH"] = f"{folder}:{environment.get('PKG_CONFIG_PATH', '')}"
    command = ["pkg-config", "--libs", *(["--static"] if static else []), *libraries]
    options = subprocess.check_output(command, env=environment, text=True).split()
    if not static:
        return options
    archives = [str(folder / f"lib{name}.a") for name in libraries]
    others = [option for option in options if not option.startswith(("-ltoccata", "-L"))]
    return archives + list(dict.fromkeys(others))


class Build(build_ext):
    def build_extension(self, extension):  # type: ignore[no-untyped-def]
        shared = bool(os.environ.get("TOCCATA_SHARED"))
        folder = Path(os.environ.get("TOCCATA_BUILD") or Path(self.build_temp).resolve() / "cmake").resolve()
        if not shared and "TOCCATA_BUILD" not in os.environ:
            run_cmake(folder)
        extension.extra_link_args += link_options(folder, not shared)
        super().build_extension(extension)


class Sources(build_py):
    """The sources, and the types of their settings for older type checkers."""

    def run(self):  # type: ignore[no-untyped-def]
        super().run()
        if not getattr(self, "editable_mode", False):
            stubs.write(Path(self.build_lib) / "toccata")


setup(
    version=version(),
    cffi_modules=["native/build.py:builder"],
    cmdclass={"build_ext": Build, "build_py": Sources},
    options={"bdist_wheel": {"py_limited_api": "cp39"}},
)
