"""What builds packages, installed in pinned versions where it is missing."""

import os
import pathlib
import shutil
import subprocess
import sys
import venv
import zlib

ZIG = "ziglang==0.15.2"
PINNED = ["cargo-zigbuild==0.24.0", ZIG, "cyclonedx-python-lib[json-validation]==11.12.0"]


def folder():
    cache = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(cache) / "dyno-tools"


def programs():
    """The folder of programs of a Python environment that has them all."""
    at = folder() / "packages-{}".format(zlib.crc32(" ".join(PINNED).encode()))
    if not (at / "complete").exists():
        venv.create(at, clear=True, with_pip=True)
        subprocess.run([at / "bin" / "pip", "--quiet", "--disable-pip-version-check", "install",
                        "--only-binary=:all:", *PINNED], check=True)
        (at / "complete").touch()
    return at / "bin"


def zig_library():
    """Where zig keeps the sources of what it links."""
    [library] = programs().parent.glob("lib/python3*/site-packages/ziglang/lib")
    return library


def of_the_system(*programs):
    """Ends where one is missing: `scripts/setup.sh` installs what they come with."""
    missing = [program for program in programs if not shutil.which(program)]
    if missing:
        sys.exit(f"dist: missing: {', '.join(missing)}; run scripts/setup.sh rpm zstd")
