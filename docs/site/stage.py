# SPDX-License-Identifier: Apache-2.0
"""Pages of the documentation site: python3 stage.py SOURCE_DIR BUILD_DIR OUT_DIR.

Pages are the documents of the repository. A link to a file that is no page, such as a source, leads to a copy of the file in the site.
The references of the command, of C and of Python are made from the program, the headers and the package.
"""
from __future__ import annotations

import inspect
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

source, build, out = (Path(argument).resolve() for argument in sys.argv[1:4])
pages = out / "pages"
pictures = (".png", ".svg", ".gif")
# Where the documents of the repository are in the site: those of docs/ at its top.
outside = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "bench/README.md", "python/README.md", "wasm/README.md"]
for each in ("bench/results/*.md", "integrations/**/README.md"):
    outside += sorted(str(path.relative_to(source)) for path in source.glob(each))
place = {
    source / name: Path("overview.md" if name == "README.md" else name) for name in outside if (source / name).exists()
}
place |= {path: path.relative_to(source / "docs") for path in sorted((source / "docs").rglob("*.md"))}


def new_target(page: Path, target: str) -> str:
    """The target of a link of a page, as seen in the site."""
    name, _, anchor = target.partition("#")
    path = (page.parent / name).resolve()
    if not name or "://" in name or target.startswith("mailto:") or path == source:
        return target
    here = place[page].parent
    if path in place:
        there = place[path]
    elif path.is_dir():
        if path / "README.md" not in place:
            there = Path("files") / path.relative_to(source) / "index.txt"
            copy = pages / there
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text("\n".join(sorted(each.name for each in path.iterdir())) + "\n")
        else:
            there = place[path / "README.md"]
    elif path.suffix in pictures and path.is_relative_to(source / "docs"):
        there = path.relative_to(source / "docs")
    elif path.is_file():
        there = Path("files") / (str(path.relative_to(source)) + ("" if path.suffix in pictures else ".txt"))
        (pages / there).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, pages / there)
    else:
        return target
    return os.path.relpath(there, here) + (f"#{anchor}" if anchor else "")


def stage_documents() -> None:
    for path in (source / "docs").rglob("*"):
        if path.suffix in pictures:
            copy = pages / path.relative_to(source / "docs")
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
    for path, there in place.items():
        text = path.read_text()
        # Links outside of code.
        parts = re.split(r"(^```.*?^```|`[^`\n]*`)", text, flags=re.M | re.S)
        parts[::2] = [re.sub(r"\]\(([^)\s]+)\)", lambda m: f"]({new_target(path, m[1])})", part) for part in parts[::2]]
        parts[::2] = [re.sub(r'src="([^"]+)"', lambda m: f'src="{new_target(path, m[1])}"', part) for part in parts[::2]]
        (pages / there).parent.mkdir(parents=True, exist_ok=True)
        (pages / there).write_text("".join(parts))
    shutil.copyfile(source / "docs/site/style.css", pages / "style.css")


def write_command() -> None:
    """The help of the command and of its subcommands."""
    command = build / "toccata"

    def say(*arguments: str) -> str:
        return subprocess.run([command, *arguments], capture_output=True, text=True, check=True).stdout

    overview = say("help")
    names = re.findall(r"^  ([a-z]+)  ", overview, re.M)
    names.insert(names.index("check") + 1, "steps")
    text = f"# The command\n\nThis is what `toccata help` prints; `toccata man` has the same as a manual page.\n\n```text\n{overview}```\n"
    text += "".join(f"\n## {name}\n\n```text\n{say('help', name)}```\n" for name in names)
    (pages / "reference").mkdir(exist_ok=True)
    (pages / "reference/command.md").write_text(text)


def format_document(thing: object) -> str:
    """A docstring; examples of the interpreter become blocks of code."""
    block = r"((?:^>>>.*\n?(?:^(?!>>>)(?!\s*$).*\n?)*)+)"
    document = inspect.cleandoc(thing.__doc__ or "")
    return re.sub(block, lambda m: f"\n```pycon\n{m[1].rstrip()}\n```\n", document, flags=re.M)


def describe(thing: object, name: str, level: int) -> str:
    # Classes of results and errors have constructors of no interest.
    made = {"Mesh", "Scene", "World", "Mask", "Sequence", "Simulation", "Character", "Rig"}
    if inspect.isclass(thing) and name not in made:
        return f"\n{'#' * level} {name}\n\n{format_document(thing)}\n"
    try:
        signature = str(inspect.signature(thing)) if callable(thing) else ""  # type: ignore[arg-type]
    except ValueError:
        signature = ""
    signature = re.sub(r"\*\*settings: '?Unpack\[(\w+)\]'?", r"**settings: \1", signature).replace("'", "")
    return f"\n{'#' * level} {name}\n\n`{name.split('.')[-1]}{signature}`\n\n{format_document(thing)}\n"


def write_python() -> None:
    """The docstrings of the package."""
    sys.path.insert(0, str(build / "python"))
    import toccata

    text = f"# Python\n\n```text\n{inspect.cleandoc(toccata.__doc__ or '')}\n```\n"
    errors = [
        name
        for name in toccata.__all__
        if name == "Error"
        or issubclass(type(getattr(toccata, name)), type)
        and issubclass(getattr(toccata, name), toccata.Error)
    ]
    names = sorted(set(toccata.__all__) - set(errors), key=lambda name: (name[0].isupper(), name))
    for name in (
        *names,
        *(f"pair.{each}" for each in toccata.pair.__all__ if each != "Verdict"),
        *(f"plane.{each}" for each in toccata.plane.__all__),
        *(f"adapt.{each}" for each in vars(toccata.adapt) if each.startswith(("from_", "to_"))),
        *errors,
    ):
        thing = toccata
        for part in name.split("."):
            thing = getattr(thing, part)
        if inspect.ismodule(thing) or not (inspect.isclass(thing) or callable(thing)):
            continue
        text += describe(thing, name, 2)
        if (
            inspect.isclass(thing)
            and thing.__module__.startswith("toccata")
            and not issubclass(thing, (Exception, int))
        ):
            for member, value in vars(thing).items():
                if not member.startswith("_") and (inspect.isfunction(value) or isinstance(value, property)):
                    text += describe(value, f"{name}.{member}", 3)
    (pages / "reference/python.md").write_text(text)


def write_c() -> None:
    """The headers and their first words; Doxygen makes the pages behind them."""
    text = (
        "# C, from the headers\n\nThe whole reference is [made by Doxygen](../api/index.html), with a search of its own: "
        "[all functions](../api/globals_func.html), [structures](../api/annotated.html), [files](../api/files.html). "
        "`base.h` tells about failure, threads and growth.\n\n| header | functions |\n|---|---|\n"
    )
    for header in sorted((source / "include/toccata").glob("*.h")):
        functions = re.findall(r"^(?:TOC_(?:\w+_)?API) [^;{]*?\b(toc_\w+)\(", header.read_text(), re.M)
        if functions:
            page = header.name.replace(".h", "_8h.html")
            text += f"| [`{header.name}`](../api/{page}) | {', '.join(f'`{each}`' for each in functions)} |\n"
    (pages / "reference/c.md").write_text(text)


def write_doxyfile() -> None:
    version = ".".join(
        re.findall(r"^#define TOC_VERSION_[A-Z]+ (\d+)", (source / "include/toccata/version.h").read_text(), re.M)
    )
    text = (source / "docs/site/Doxyfile").read_text()
    text += f"PROJECT_NUMBER = {version}\nINPUT = {source / 'include'} {source / 'docs/site/api.md'}\nHTML_EXTRA_STYLESHEET = {source / 'docs/site/api.css'}\nRECURSIVE = YES\nOUTPUT_DIRECTORY = {out / 'site'}\n"
    text += f"MAN_OUTPUT = {out / 'man'}\nSTRIP_FROM_PATH = {source / 'include'}\n"
    (out / "Doxyfile").write_text(text)


shutil.rmtree(pages, ignore_errors=True)
pages.mkdir(parents=True)
stage_documents()
write_command()
write_python()
write_c()
write_doxyfile()
shutil.copyfile(source / "docs/site/mkdocs.yml", out / "mkdocs.yml")
