# SPDX-License-Identifier: Apache-2.0
"""Types of the modules whose functions take settings, with each setting as a keyword: python3 stubs.py FOLDER.

Type checkers before PEP 692 (mypy before 1.5, so that of Debian 12) see `**settings: Unpack[Settings]` as anything. The
package has a .pyi beside such modules, made from their sources: signatures stay, bodies go, settings are spelled out.
"""
from __future__ import annotations

import ast
import sys
from pathlib import Path
from typing import Any, Iterator

modules = ("scene", "pair", "plane")
head = "# Made by stubs.py.\nfrom typing import Callable, Union\nfrom ._core import Answer, Device, Mask, PairFilter\n"


def settings_of(core: ast.Module) -> dict[str, list[tuple[str, ast.expr]]]:
    """The fields of each TypedDict, those of its base first."""
    found: dict[str, list[tuple[str, ast.expr]]] = {}
    for node in core.body:
        if not isinstance(node, ast.ClassDef) or not any(word.arg == "total" for word in node.keywords):
            continue
        fields = [field for base in node.bases for field in found.get(getattr(base, "id", ""), [])]
        for field in node.body:
            if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
                text = ast.unparse(field.annotation)
                kind = ast.literal_eval(text) if isinstance(field.annotation, ast.Constant) else text
                fields.append((field.target.id, ast.parse(kind, mode="eval").body))
        found[node.name] = fields
    return found


class Stub(ast.NodeTransformer):
    """Signatures without bodies."""

    def __init__(self, settings: dict[str, list[tuple[str, ast.expr]]]) -> None:
        self.settings = settings

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        arguments = node.args
        if arguments.kwarg is not None and isinstance(arguments.kwarg.annotation, ast.Subscript):
            for name, kind in self.settings[ast.unparse(arguments.kwarg.annotation.slice)]:
                arguments.kwonlyargs.append(ast.arg(name, kind))
                arguments.kw_defaults.append(ast.Constant(...))
            arguments.kwarg = None
        node.body = [ast.Expr(ast.Constant(...))]
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        made = [line for line in node.body if isinstance(line, ast.FunctionDef) and line.name == "__init__"]
        public = [attribute for function in made for attribute in attributes_of(function)]
        kept = [line for line in node.body if isinstance(line, (ast.FunctionDef, ast.AnnAssign))]
        node.body = [*public, *(self.visit(line) for line in kept)] or [ast.Expr(ast.Constant(...))]
        return node


def attributes_of(function: ast.FunctionDef) -> Iterator[ast.stmt]:
    """Public attributes that __init__ takes from its arguments."""
    kinds = {argument.arg: argument.annotation for argument in function.args.args}
    for line in function.body:
        if not isinstance(line, ast.Assign) or not isinstance(line.targets[0], ast.Attribute):
            continue
        name, value = line.targets[0].attr, line.value
        kind = kinds.get(value.id) if isinstance(value, ast.Name) else None
        if not name.startswith("_") and kind is not None:
            yield ast.AnnAssign(ast.Name(name), kind, None, 1)


def is_kept(line: ast.stmt) -> bool:
    """Imports, classes, functions and names of types; constants have the type of their value."""
    if isinstance(line, ast.Assign):
        return isinstance(line.value, (ast.Call, ast.Constant))
    if isinstance(line, ast.ImportFrom):
        return line.module != "__future__"
    return isinstance(line, (ast.Import, ast.If, ast.ClassDef, ast.FunctionDef))


def write(folder: Path) -> None:
    """Put a .pyi beside each module in a folder."""
    settings = settings_of(ast.parse((folder / "_core.py").read_text()))
    for module in modules:
        tree = ast.parse((folder / f"{module}.py").read_text())
        tree.body = [line for line in tree.body if is_kept(line)]
        (folder / f"{module}.pyi").write_text(head + ast.unparse(ast.fix_missing_locations(Stub(settings).visit(tree))))


if __name__ == "__main__":
    write(Path(sys.argv[1]))
