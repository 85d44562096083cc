# SPDX-License-Identifier: Apache-2.0
"""Manual pages of section 3 from the headers: python3 manual.py INCLUDE_DIR OUT_DIR VERSION.

Declarations without a blank line between them share a page, which has the name of the first; the others lead to it.
"""
from __future__ import annotations

import re
import sys
from pathlib import Path

include, out, version = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
libraries = {"io": "toccata-io", "sim": "toccata-sim", "view": "toccata-view", "character": "toccata-sim", "mpi": "toccata-mpi"}
skipped = {"toccata", "version"}


def name_of(declaration: str) -> str:
    """The declared function or type, "" for anything else."""
    found = re.search(r"^typedef (?:struct|enum|union) (\w+)|\(\*(\w+)\)|(\w+)\s*\(", declaration)
    return next((name for name in found.groups() if name), "") if found else ""


def take_declaration(lines: list[str]) -> str:
    """Take a declaration from the front of the lines. The body of an inline function is left out."""
    taken, depth = [], 0
    inline = lines[0].startswith("TOC_INLINE_API")
    while lines:
        line = lines.pop(0)
        depth += line.count("{") - line.count("}")
        taken.append(line)
        if depth == 0 and re.search(r"[;}]\s*(///.*)?$", line):
            break
    text = "\n".join(taken)
    if inline:
        text = text[: text.index("{")].rstrip() + ";"
    return re.sub(r"\bTOC\w*_API ", "", re.sub(r"///<?", "//", text))


def read_groups(text: str) -> list[list[tuple[str, str, str]]]:
    """Groups of (name, comment, declaration)."""
    groups: list[list[tuple[str, str, str]]] = [[]]
    comment: list[str] = []
    lines = text.splitlines()
    while lines:
        line = lines[0]
        if line.startswith("/// "):
            comment.append(lines.pop(0)[4:])
        elif re.match(r"TOC\w*_API |typedef ", line):
            declaration = take_declaration(lines)
            if name_of(declaration).startswith("toc"):
                groups[-1].append((name_of(declaration), " ".join(comment), declaration))
            comment = []
        else:
            if not line.strip() and groups[-1]:
                groups.append([])
            lines.pop(0)
            comment = []
    return [group for group in groups if group]


def roff(text: str) -> str:
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("`", "")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.M)


def describe(comment: str) -> str:
    """The comment, with its @param and @return as paragraphs."""
    text = re.sub(r"\s*@param (\w+)\s*", r"\n.TP\n.I \1\n", roff(comment))
    return re.sub(r"\s*@return\s*", r"\n.TP\n.B returns\n", text).strip("\n") + "\n"


def page(group: list[tuple[str, str, str]], header: str) -> str:
    name, comment, _ = group[0]
    names = list(dict.fromkeys(each for each, _, _ in group))
    brief = re.split(r"(?<=[.:;]) |@", comment)[0].strip().rstrip(".:;") or "see below"
    text = f'.TH {name.upper()} 3 "" "toccata {version}" "Library Functions"\n'
    text += f".SH NAME\n{', '.join(names)} \\- {roff(brief)}\n"
    text += f".SH LIBRARY\nlib{libraries.get(header, 'toccata')}\n.SH SYNOPSIS\n.nf\n#include <toccata/{header}.h>\n\n"
    text += roff("\n".join(declaration for _, _, declaration in group)) + "\n.fi\n.SH DESCRIPTION\n"
    for each, comment, _ in group:
        text += (f".SS {each}\n" if len(group) > 1 else "") + (describe(comment) if comment else "See the synopsis.\n")
    return text + ".SH SEE ALSO\n.BR toccata (1)\n"


def main() -> None:
    out.mkdir(parents=True, exist_ok=True)
    pages: dict[str, str] = {}
    for header in sorted(include.glob("*.h")):
        if header.stem in skipped:
            continue
        for group in read_groups(header.read_text()):
            first = group[0][0]
            if first in pages:
                continue
            pages[first] = page(group, header.stem)
            for name, _, _ in group[1:]:
                pages.setdefault(name, f".so man3/{first}.3\n")
    for name, text in pages.items():
        (out / f"{name}.3").write_text(text)


main()
