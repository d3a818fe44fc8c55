"""The tools for building packages, installed in pinned versions if missing."""

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
    """The program folder of a Python environment that has them all."""
    at = folder() / "packages-{}".format(zlib.crc32(" ".join(PINNED).encode()))
    if not (at / "complete").exists():
        venv.create(at, clear=True, with_pip=True)
        subprocess.run([at / "bin" / "pip", "--quiet", "--disable-pip-version-check", "install",
                        "--only-binary=:all:", *PINNED], check=True)
        (at / "complete").touch()
    return at / "bin"


def zig_library():
    """The folder with zig's sources of linked libraries."""
    [library] = programs().parent.glob("lib/python3*/site-packages/ziglang/lib")
    return library


def of_the_system(*programs):
    """Exits if one is missing: `scripts/setup.sh` installs its package."""
    missing = [program for program in programs if not shutil.which(program)]
    if missing:
        sys.exit(f"dist: missing: {', '.join(missing)}; run scripts/setup.sh rpm zstd")
