# SPDX-License-Identifier: Apache-2.0
"""Recipes of package managers for one release: recipes.py OUT_DIR ADDRESS TARBALL

The files beside this one name the version, the address of the release's files and the sums of its source tarball by @WORDS@, which this
fills in.
"""
import hashlib
import re
import sys
from pathlib import Path

here = Path(__file__).resolve().parent
recipes = ("conan/conanfile.py", "conda-forge/meta.yaml", "homebrew/toccata.rb", "nixpkgs/package.nix", "vcpkg/portfile.cmake", "vcpkg/vcpkg.json")


def main(out: Path, address: str, tarball: Path) -> None:
    header = (here.parent / "include/toccata/version.h").read_text()
    data = tarball.read_bytes()
    words = {
        "VERSION": ".".join(re.findall(r"^#define TOC_VERSION_[A-Z]+ (\d+)", header, re.M)),
        "ADDRESS": address.rstrip("/"),
        "SHA256": hashlib.sha256(data).hexdigest(),
        "SHA512": hashlib.sha512(data).hexdigest(),
    }
    for name in recipes:
        text = re.sub(r"@([A-Z0-9]+)@", lambda match: words[match[1]], (here / name).read_text())
        path = out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]))
