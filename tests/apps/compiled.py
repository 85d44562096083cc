# SPDX-License-Identifier: Apache-2.0
"""Programs in C++ that tests of integrations compile with the libraries of a build."""

import os
import subprocess
import tempfile

SOURCE = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))


def run(*words):
    """The standard output of a program that must succeed."""
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (words[0], done.returncode, done.stdout[-2000:], done.stderr[-2000:])
    return done.stdout


def refused(words, code, part):
    """The program must fail with this code and these words."""
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == code and part in done.stderr, (words, done.returncode, done.stderr)


def links(*flags):
    """Whether a program in C++ can be linked with these flags."""
    with tempfile.TemporaryDirectory() as folder:
        words = ["c++", "-x", "c++", "-", "-o", os.path.join(folder, "a"), *flags]
        try:
            return subprocess.run(words, input="int main() {}", capture_output=True, text=True, check=False).returncode == 0
        except FileNotFoundError:
            return False


def package(name):
    """Flags of a package: headers of the system, libraries. None where it is missing."""
    try:
        done = subprocess.run(["pkg-config", "--cflags", "--libs", name], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return None
    if done.returncode != 0:
        return None
    kept = [word.replace("-I", "-isystem", 1) for word in done.stdout.split() if not word.startswith("-std")]
    return kept + ["-pthread"]


class Build:
    """Programs made in a folder, with the libraries beside the command."""

    def __init__(self, command, folder, flags):
        self.command, self.folder, self.flags = os.path.abspath(command), folder, flags
        self.libraries = os.path.dirname(self.command)

    def program(self, source, *more):
        """Compile a source of the checkout without warnings. Returns the path of the program."""
        out = os.path.join(self.folder, source.replace("/", "-") + ".out")
        warnings = ["-Wall", "-Wextra", "-Wshadow", "-Werror"]
        own = [f"-I{SOURCE}/include", f"-L{self.libraries}", f"-Wl,-rpath,{self.libraries}", "-ltoccata-io", "-ltoccata"]
        run("c++", "-std=c++17", "-O1", *warnings, *more, os.path.join(SOURCE, source), "-o", out, *own, *self.flags)
        return out

    def object(self, source):
        """Compile a source of the checkout, without linking it."""
        out = os.path.join(self.folder, source.replace("/", "-") + ".o")
        headers = [word for word in self.flags if word.startswith("-I") or word.startswith("-isystem")]
        run("c++", "-std=c++17", "-c", os.path.join(SOURCE, source), "-o", out, f"-I{SOURCE}/include", *headers)
        return out
