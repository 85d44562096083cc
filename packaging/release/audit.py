# SPDX-License-Identifier: Apache-2.0
"""Check the files of a release: audit.py RELEASE_DIR PYTHON_SOURCES

Wheels by the rules of auditwheel (PEP 600, PEP 656): libraries that every system of the tag has, no version of a symbol after that of the
tag, no search path, and of Python the stable interface of version 3.9 alone. Programs for every Linux need no library. DLLs export names
of toccata only, and the C program of README runs with them, by wine. Packages of Debian have no search path. No file names the folder of
the build. Names hold the version, and SHA256SUMS fits.
"""
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

GLIBC = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "libgcc_s.so.1", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}
WINDOWS = {"kernel32.dll", "msvcrt.dll", "user32.dll", "advapi32.dll", "shell32.dll", "ws2_32.dll"}
MUSL = Path("/usr/lib/x86_64-linux-musl/libc.so")
failures: list[str] = []


def check(holds: object, text: str) -> None:
    if not holds:
        failures.append(text)


def run(*command: object) -> str:
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout


def stable_names(python: Path) -> set[str]:
    """Functions and data of the stable interface of Python 3.9 and before."""
    names, name = set(), ""
    for line in (python / "Misc/stable_abi.toml").read_text().splitlines():
        if match := re.match(r"\[(?:function|data)\.(\w+)\]", line):
            name = match[1]
        elif match := re.match(r"\s+added = '3\.(\d+)'", line):
            if name and int(match[1]) <= 9:
                names.add(name)
            name = ""
    return names


def undefined(module: Path) -> list[tuple[str, str]]:
    """Names of other libraries, with their versions."""
    found = re.findall(r" [Uw] (\w+)(?:@+(\S+))?", run("nm", "-D", "--undefined-only", module))
    return [(name, version) for name, version in found]


def audit_linux(module: Path, tag: str, stable: set[str]) -> str:
    dynamic = run("readelf", "-d", module)
    needed = set(re.findall(r"NEEDED.*\[(.*)\]", dynamic))
    check("RPATH" not in dynamic and "RUNPATH" not in dynamic, f"{module.name}: a search path")
    names = undefined(module)
    missing = sorted(name for name, _ in names if name.startswith("toc_"))
    check(not missing, f"{tag}: functions of Toccata are missing: {missing}")
    python = {name for name, _ in names if name.lstrip("_").startswith("Py")}
    check(python <= stable, f"{tag}: not in the stable interface of 3.9: {sorted(python - stable)}")
    if tag.startswith("musl"):
        check(needed <= {"libc.so"}, f"{tag}: needs {needed}")
        musl = set(re.findall(r" [TWVDBR] (\w+)", run("nm", "-D", "--defined-only", MUSL)))
        optional = {"_ITM_deregisterTMCloneTable", "_ITM_registerTMCloneTable", "__gmon_start__", "__cxa_finalize", "__deregister_frame_info", "__register_frame_info"}
        rest = {name for name, _ in names} - python - musl - optional
        check(not rest, f"{tag}: musl lacks {sorted(rest)}")
        return "musl 1.2"
    match = re.match(r"manylinux_2_(\d+)", tag)
    assert match
    check(needed <= GLIBC, f"{tag}: needs {needed - GLIBC}")
    versions = {version for _, version in names if version.startswith("GLIBC_")}
    newest = max(tuple(map(int, version[6:].split("."))) for version in versions)
    check(newest <= (2, int(match[1])), f"{tag}: needs glibc {newest}: {[n for n, v in names if v == 'GLIBC_' + '.'.join(map(str, newest))]}")
    return "glibc " + ".".join(map(str, newest))


def headers_of(module: Path) -> str:
    return run("x86_64-w64-mingw32-objdump", "-p", module)


def audit_windows(module: Path, stable: set[str]) -> str:
    text = headers_of(module)
    needed = {name.lower() for name in re.findall(r"DLL Name: (\S+)", text)}
    check(needed <= WINDOWS | {"python3.dll"}, f"{module.name}: needs {needed - WINDOWS}")
    imported = text.partition("DLL Name: python3.dll")[2].partition("\n\n")[0]
    python = set(re.findall(r"\b(_?Py\w+)", imported))
    check(python and python <= stable, f"{module.name}: not in the stable interface of 3.9: {sorted(python - stable)}")
    check(re.search(r"ImageBase\s+0*180000000\n", text), f"{module.name}: its address was chosen by the name of a folder")
    check(exports_of(module) == {"PyInit__native"}, f"{module.name}: exports {sorted(exports_of(module))[:5]}")
    return "Windows"


def exports_of(module: Path) -> set[str]:
    table = headers_of(module).partition("[Ordinal/Name Pointer] Table")[2].partition("\n\n")[0]
    return set(re.findall(r"\[ *\d+\].*?(\w+)$", table, re.M))


def audit_wheel(path: Path, work: Path, stable: set[str]) -> None:
    tag = path.stem.split("-")[4].split(".")[0]
    folder = work / path.stem
    zipfile.ZipFile(path).extractall(folder)
    for line in next(folder.glob("*.dist-info/RECORD")).read_text().splitlines():
        name, digest, size = line.rsplit(",", 2)
        check(not size or (folder / name).stat().st_size == int(size), f"{path.name}: RECORD does not fit {name}")
    modules = list(folder.glob("toccata/_native*"))
    check([m.name for m in modules if m.suffix != ".pyi"] == ["_native.pyd" if "win" in tag else "_native.abi3.so"], f"{path.name}: modules {modules}")
    module = next(m for m in modules if m.suffix != ".pyi")
    needs = audit_windows(module, stable) if tag.startswith("win") else audit_linux(module, tag, stable)
    print(f"{path.name}: {needs}")


def audit_program(path: Path, work: Path) -> None:
    folder = work / path.name
    tarfile.open(path).extractall(folder)
    program = next(folder.glob("*/toccata"))
    check("NEEDED" not in run("readelf", "-d", program) and "INTERP" not in run("readelf", "-lW", program), f"{path.name}: needs libraries")
    print(f"{path.name}: no library, {program.stat().st_size} bytes")


def dlls_of(top: Path) -> set[str]:
    """One for each library that CMake builds."""
    match = re.search(r"^set\(libraries ([\w ]+)\)$", (top / "CMakeLists.txt").read_text(), re.M)
    assert match
    return {name.replace("_", "-") + ".dll" for name in match[1].split()}


def audit_program_with_dlls(folder: Path, top: Path) -> None:
    """The C program of README with the DLLs, by the flags of pkg-config: it prints what README says. Without toccata.dll it does not begin."""
    source, said = re.findall(r"```(?:c|text)\n(.*?)```", (top / "README.md").read_text(), re.S)[:2]
    (folder / "hello.c").write_text(source)
    os.environ["PKG_CONFIG_LIBDIR"] = str(folder / "lib/pkgconfig")
    flags = run("pkg-config", "--cflags", "--libs", "toccata").split()
    program = folder / "bin/hello.exe"
    run("x86_64-w64-mingw32-gcc-posix", folder / "hello.c", *flags, "-o", program)
    check("DLL Name: toccata.dll" in headers_of(program), "-ltoccata: not the DLL")
    if not shutil.which("wine"):
        print("wine is not installed: no program of Windows was run")
        return
    command = ["sh", str(top / "tests/everywhere/wine.sh"), str(program)]
    ran = subprocess.run(command, capture_output=True, text=True)
    check(ran.returncode == 0 and ran.stdout.split() == said.split(), f"with toccata.dll: {ran}")
    (folder / "bin/toccata.dll").unlink()
    ran = subprocess.run(command, capture_output=True, text=True)
    check(ran.returncode != 0 and not ran.stdout, f"without toccata.dll: {ran}")
    print("README's program runs with toccata.dll, and does not begin without it")


def audit_zip(path: Path, work: Path, top: Path, interface: set[str]) -> None:
    folder = work / path.stem
    zipfile.ZipFile(path).extractall(folder)
    ours = {dll.name.lower() for dll in folder.rglob("*.dll")}
    check(ours == dlls_of(top), f"{path.name}: {sorted(ours)}, not {sorted(dlls_of(top))}")
    for binary in [*folder.rglob("*.dll"), *folder.rglob("*.exe")]:
        needed = {name.lower() for name in re.findall(r"DLL Name: (\S+)", headers_of(binary))}
        check(needed <= WINDOWS | ours, f"{binary.name}: needs {needed - WINDOWS - ours}")
        if binary.suffix == ".dll":
            names = exports_of(binary)
            check(names and names <= interface, f"{binary.name}: exports {sorted(names - interface)[:5]}")
            print(f"{path.name}: {binary.name} exports {len(names)} functions")
    check(list(folder.rglob("toccata.h")) and list(folder.rglob("toccata.lib")), f"{path.name}: no header or import library")
    check([name.name for name in folder.iterdir()] == [path.stem], f"{path.name}: more than one folder")
    audit_program_with_dlls(folder / path.stem, top)


def audit_deb(path: Path, work: Path) -> None:
    run("dpkg-deb", "-x", path, work / path.stem)
    for file in (work / path.stem).rglob("*"):
        if file.is_file() and not file.is_symlink() and file.read_bytes()[:4] == b"\x7fELF":
            check("RUNPATH" not in run("readelf", "-d", file), f"{path.name}: {file.name} has a search path")


def main(release: Path, python: Path) -> None:
    top = Path(__file__).resolve().parents[2]
    version = ".".join(re.findall(r"^#define TOC_VERSION_[A-Z]+ (\d+)", (top / "include/toccata/version.h").read_text(), re.M))
    interface = set(re.findall(r"\b(toc_\w+)", (top / "tests/house/interface.txt").read_text()))
    stable = stable_names(python)
    check(len(stable) > 500, f"{python}: only {len(stable)} names of the stable interface")
    files = sorted(path for path in release.iterdir() if not path.name.startswith("SHA256SUMS"))
    check(all(version in path.name for path in files), "a name without the version")
    sums = {line.split()[1]: line.split()[0] for line in (release / "SHA256SUMS").read_text().splitlines()}
    check(sums == {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}, "SHA256SUMS does not fit")
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        for path in files:
            if path.suffix == ".whl":
                audit_wheel(path, work, stable)
            elif "-linux-" in path.name:
                audit_program(path, work)
            elif path.suffix == ".zip":
                audit_zip(path, work, top, interface)
            elif path.suffix == ".deb":
                audit_deb(path, work)
        for file in work.rglob("*"):
            named = file.is_file() and not file.is_symlink() and str(top).encode() in file.read_bytes()
            check(not named, f"{file.relative_to(work)}: names the folder of the build")
    kinds = {path.suffix for path in files}
    check(kinds == {".whl", ".gz", ".zip", ".deb", ".tgz"}, f"kinds of files: {kinds}")
    for text in failures:
        print(f"audit: {text}")
    sys.exit(bool(failures))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(Path(sys.argv[1]), Path(sys.argv[2]))
