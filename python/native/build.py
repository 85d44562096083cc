# SPDX-License-Identifier: Apache-2.0
"""The extension module toccata._native: the public headers as they are, and the few helpers of native.h."""
import re
from pathlib import Path

import cffi

here = Path(__file__).resolve().parent
include = here.parent.parent / "include"
headers = ("base", "device", "mesh", "pair", "convex", "scene", "research", "solver", "potential", "plane", "io", "sim", "character")
headers += ("view",)


def declarations(text: str) -> str:
    """The declarations of a header as cffi takes them: without comments, preprocessor and bodies of functions."""
    text = re.sub(r"//[^\n]*", "", text)
    text = re.sub(r"#ifdef __cplusplus\n.*?#endif", "", text, flags=re.S)
    text = re.sub(r"\\\n", " ", text)
    text = re.sub(r"^#(?!define \w+ \d+$)[^\n]*", "", text, flags=re.M)
    text = re.sub(r"^TOC_INLINE_API ([^{;]*)\{(?:[^\n]*\}$|.*?^\})", r"\1;", text, flags=re.S | re.M)
    text = re.sub(r"const (\w+ \(\*\w+\)\[\d\];)", r"\1", text)  # cffi cannot write pointers to arrays of constants
    return re.sub(r"\bTOC_(?:IO_|SIM_|VIEW_)?API\b", "", text)


builder = cffi.FFI()
for name in headers:
    builder.cdef(declarations((include / "toccata" / f"{name}.h").read_text()))
builder.cdef(declarations((here / "native.h").read_text()))
builder.cdef(
    """
extern "Python" int tocpy_report(void *user, double done);
extern "Python" bool tocpy_wants(void *user, toc_kind kind, const uint32_t body[2], const uint32_t v[4]);
"""
)
builder.set_source(
    "toccata._native",
    '#include <toccata/toccata.h>\n#include <toccata/character.h>\n#include <toccata/research.h>\n#include <toccata/view.h>\n#include "native/native.h"\n',
    include_dirs=[str(include), str(here.parent)],
    sources=["native/native.c"],
    depends=["native/native.h"],
    # Python's own flags ask for debug information, which names the folder of the build.
    extra_compile_args=["-Wno-incompatible-pointer-types", "-Wno-discarded-qualifiers", "-g0"],
)
