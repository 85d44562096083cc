# SPDX-License-Identifier: Apache-2.0
"""Recipes, filled in, keep the rules of their package managers: recipes.py SOURCE_DIR RECIPES_DIR

Their own linters need their own installations (conan, conda-smithy, vcpkg), which Debian does not have. Here the Conan recipe runs with
stand-ins for Conan's modules, as the manager would call it; its libraries are those of the build. The manifest of vcpkg and the recipe of
conda-forge have known fields of the right kinds.
"""
from __future__ import annotations

import importlib.util
import json
import re
import sys
import types
from collections import defaultdict
from pathlib import Path
from typing import Any

found: list[str] = []


def check(holds: object, what: str) -> None:
    if not holds:
        found.append(what)


def libraries_of(top: Path) -> set[str]:
    match = re.search(r"^set\(libraries ([\w ]+)\)$", (top / "CMakeLists.txt").read_text(), re.M)
    assert match
    return {name.replace("_", "-") for name in match[1].split()}


class Settings(types.SimpleNamespace):
    def rm_safe(self, name: str) -> None:
        self.__dict__.pop(name, None)


class Component:
    def __init__(self) -> None:
        self.libs: list[str] = []
        self.requires: list[str] = []
        self.properties: dict[str, str] = {}

    def set_property(self, name: str, value: str) -> None:
        self.properties[name] = value


class Refused(Exception):
    pass


class Package:
    """What a recipe inherits from Conan."""

    def __init__(self, system: str, compiler: str, arch: str) -> None:
        self.settings = Settings(os=system, compiler=compiler, arch=arch, build_type="Release")
        self.options = Settings(shared=False, fPIC=True, research=True)
        self.needs: list[str] = []
        self.cpp_info = Component()
        self.cpp_info.components = defaultdict(Component)  # type: ignore[attr-defined]
        self.source_folder = self.package_folder = "."

    def requires(self, name: str) -> None:
        self.needs.append(name)


class Tool:
    """CMake, CMakeToolchain and CMakeDeps."""

    cache: dict[str, Any] = {}

    def __init__(self, recipe: Package) -> None:
        self.cache_variables = Tool.cache

    def generate(self) -> None: ...
    def configure(self) -> None: ...
    def build(self) -> None: ...
    def install(self) -> None: ...


def stand_in(name: str, **words: object) -> None:
    module = types.ModuleType(name)
    module.__dict__.update(words)
    sys.modules[name] = module


def check_conan(path: Path, top: Path) -> None:
    fetched: list[str] = []
    stand_in("conan", ConanFile=Package)
    stand_in("conan.errors", ConanInvalidConfiguration=Refused)
    stand_in("conan.tools")
    stand_in("conan.tools.cmake", CMake=Tool, CMakeDeps=Tool, CMakeToolchain=Tool, cmake_layout=lambda recipe: None)
    stand_in("conan.tools.files", copy=lambda *words: None, rmdir=lambda *words: None,
             get=lambda recipe, url, sha256, strip_root: fetched.append(url))  # fmt: skip
    spec = importlib.util.spec_from_file_location("recipe", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    kinds = [value for value in vars(module).values() if isinstance(value, type) and issubclass(value, Package) and value is not Package]
    check(len(kinds) == 1, "conan: not one recipe")
    for system in ("Linux", "Windows", "Macos"):
        recipe = kinds[0](system, "gcc", "x86_64")
        for step in ("config_options", "configure", "validate", "requirements", "layout", "source", "generate", "build", "package", "package_info"):
            getattr(recipe, step)()
        parts = recipe.cpp_info.components
        check({library for part in parts.values() for library in part.libs} == libraries_of(top), f"conan, {system}: not the libraries of the build")
        outside = {need.partition("/")[0] for need in recipe.needs}
        for name, part in parts.items():
            check(part.properties.get("cmake_target_name", "").startswith("toccata::"), f"conan, {system}: {name} has no target")
            for need in part.requires:
                check(need.partition("::")[0] in outside if "::" in need else need in parts, f"conan, {system}: {name} requires {need}")
    check(fetched and all(url.startswith("https://") for url in fetched), "conan: no address")
    check(Tool.cache.get("TOC_TESTS") is False and Tool.cache.get("TOC_RESEARCH") is True, "conan: options of the build")
    for compiler, arch in (("msvc", "x86_64"), ("gcc", "ppc64")):
        try:
            kinds[0]("Linux", compiler, arch).validate()
            found.append(f"conan: {compiler} on {arch} is not refused")
        except Refused:
            pass


def check_vcpkg(path: Path) -> None:
    manifest = json.loads(path.read_text())
    known = {"name": str, "version": str, "description": str, "license": str, "supports": str, "dependencies": list, "features": dict,
             "homepage": str, "default-features": list, "port-version": int}  # fmt: skip
    word = re.compile(r"^[a-z0-9]+(-[a-z0-9]+)*$")

    def check_fields(where: str, given: dict[str, Any], fields: dict[str, type]) -> None:
        for key, value in given.items():
            check(key in fields and isinstance(value, fields[key]), f"vcpkg.json, {where}: {key}")

    def check_dependencies(where: str, given: list[Any]) -> None:
        for one in given:
            if isinstance(one, dict):
                check_fields(where, one, {"name": str, "host": bool, "features": list, "default-features": bool, "platform": str, "version>=": str})
            name = one.get("name", "") if isinstance(one, dict) else one
            check(word.match(name), f"vcpkg.json, {where}: {name}")
        names = [one["name"] if isinstance(one, dict) else one for one in given]
        check(names == sorted(names), f"vcpkg.json, {where}: `vcpkg format-manifest` sorts dependencies")

    check_fields("manifest", manifest, known)
    check(word.match(manifest["name"]) and re.match(r"^\d+(\.\d+)*$", manifest["version"]), "vcpkg.json: name or version")
    words = set(re.findall(r"[\w]+", manifest["supports"]))
    check(words <= {"x64", "x86", "arm64", "arm", "windows", "uwp", "mingw", "osx", "linux", "android", "static"}, f"vcpkg.json: supports {words}")
    check_dependencies("dependencies", manifest["dependencies"])
    for name, feature in manifest["features"].items():
        check(word.match(name) and "description" in feature, f"vcpkg.json: feature {name}")
        check_fields(name, feature, {"description": str, "dependencies": list, "supports": str})
        check_dependencies(name, feature.get("dependencies", []))


def check_conda(path: Path, top: Path) -> None:
    try:
        import yaml
    except ImportError:
        print("left out: fields of meta.yaml: PyYAML is not installed")
        return
    recipe = yaml.safe_load(path.read_text())
    fields = {
        "package": {"name", "version"},
        "source": {"url", "sha256", "patches"},
        "build": {"number", "skip", "script", "noarch"},
        "requirements": {"build", "host", "run", "run_constrained"},
        "test": {"imports", "commands", "requires", "source_files"},
        "about": {"home", "license", "license_file", "summary", "description", "dev_url", "doc_url"},
        "extra": {"recipe-maintainers"},
    }
    order = [name for name in fields if name in recipe]
    check(list(recipe) == order, f"meta.yaml: conda-forge's order of sections is {order}")
    for section, given in recipe.items():
        check(section in fields and set(given) <= fields.get(section, set()), f"meta.yaml: {section}")
    for section, needed in (("package", ["name", "version"]), ("source", ["url", "sha256"]), ("build", ["number"]),
                            ("about", ["home", "license", "license_file", "summary"]), ("test", ["commands"])):  # fmt: skip
        for name in needed:
            check(name in recipe.get(section, {}), f"meta.yaml: {section} has no {name}")
    check((top / recipe["about"]["license_file"]).exists(), "meta.yaml: no such file of a licence")
    check(re.match(r"^[0-9a-f]{64}$", str(recipe["source"]["sha256"])), "meta.yaml: sha256")
    for name, given in recipe["requirements"].items():
        for one in given:
            check(re.match(r"^([a-z0-9_.-]+( [<>=!]=?\S+)?|\{\{ (compiler|stdlib)\('c'\) \}\})$", one), f"meta.yaml: requirement {one} of {name}")


def main(top: Path, recipes: Path) -> int:
    check_conan(recipes / "conan/conanfile.py", top)
    check_vcpkg(recipes / "vcpkg/vcpkg.json")
    check_conda(recipes / "conda-forge/meta.yaml", top)
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
